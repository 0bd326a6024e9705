// Putting robots and obstacles together, and scaling the whole.
#pragma once

#include <string>

#include "proven/scene/scene.h"
#include "scenes/mesh_builder.h"

namespace proven::scenes {

void add_robot(SceneSource& source, const std::string& name, Robot robot, const Pose& X_WR = {});
void add_obstacle(SceneSource& source, const std::string& name, TriangleMesh mesh,
                  const Pose& X_WB = {});
void add_obstacle(SceneSource& source, const std::string& name, Shape shape, const Pose& X_WB);

// Refines meshes to an exact total; throws std::logic_error if it cannot be, for the parameters are
// ours.
void refine_exactly(std::span<TriangleMesh* const> meshes, int total);

// Scales every length of the scene: meshes, poses, travels of prismatic joints, clearances. Meshes
// only (the scenes of the papers have nothing else).
void scale_scene(SceneSource& source, double factor);

int count_robot_triangles(const SceneSource& source);
int count_obstacle_triangles(const SceneSource& source);

}  // namespace proven::scenes
