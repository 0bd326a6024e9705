#include "scenes/assembly.h"

#include <memory>
#include <stdexcept>

namespace proven::scenes {
namespace {

using MeshPointer = std::shared_ptr<const TriangleMesh>;

void scale_elements(std::vector<CollisionElement>& elements, double factor) {
  for (CollisionElement& element : elements) {
    const MeshPointer* mesh = std::get_if<MeshPointer>(&element.shape);
    if (!mesh) throw std::logic_error("only scenes made of meshes can be scaled");
    element.shape = std::make_shared<const TriangleMesh>(scaled(**mesh, {factor, factor, factor}));
    element.X_BS.p *= factor;
  }
}

int count_triangles(const std::vector<CollisionElement>& elements) {
  int sum = 0;
  for (const CollisionElement& element : elements)
    if (const MeshPointer* mesh = std::get_if<MeshPointer>(&element.shape))
      sum += num_triangles(**mesh);
  return sum;
}

}  // namespace

void add_robot(SceneSource& source, const std::string& name, Robot robot, const Pose& X_WR) {
  source.robots.push_back({name, std::move(robot), X_WR});
}

void add_obstacle(SceneSource& source, const std::string& name, TriangleMesh mesh,
                  const Pose& X_WB) {
  add_obstacle(source, name, std::make_shared<const TriangleMesh>(std::move(mesh)), X_WB);
}

void add_obstacle(SceneSource& source, const std::string& name, Shape shape, const Pose& X_WB) {
  source.obstacles.push_back({name, {CollisionElement{std::move(shape), {}, name}}, X_WB});
}

void refine_exactly(std::span<TriangleMesh* const> meshes, int total) {
  int before = 0;
  for (const TriangleMesh* mesh : meshes) before += num_triangles(*mesh);
  if (!refine_to(meshes, total))
    throw std::logic_error("cannot refine " + std::to_string(before) + " triangles to " +
                           std::to_string(total));
}

void scale_scene(SceneSource& source, double factor) {
  for (RobotSource& r : source.robots) {
    r.X_WR.p *= factor;
    for (RobotLink& link : r.robot.links) scale_elements(link.collision, factor);
    for (RobotJoint& joint : r.robot.joints) {
      joint.X_PJ.p *= factor;
      if (joint.type != JointType::prismatic) continue;
      joint.limits.lower *= factor;
      joint.limits.upper *= factor;
    }
  }
  for (ObstacleSource& o : source.obstacles) {
    o.X_WB.p *= factor;
    scale_elements(o.elements, factor);
  }
  source.clearance *= factor;
  for (ClearanceSource& c : source.clearances) c.clearance *= factor;
}

int count_robot_triangles(const SceneSource& source) {
  int sum = 0;
  for (const RobotSource& r : source.robots)
    for (const RobotLink& link : r.robot.links) sum += count_triangles(link.collision);
  return sum;
}

int count_obstacle_triangles(const SceneSource& source) {
  int sum = 0;
  for (const ObstacleSource& o : source.obstacles) sum += count_triangles(o.elements);
  return sum;
}

}  // namespace proven::scenes
