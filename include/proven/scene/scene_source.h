// A scene as plain data: what a scene file says, what a generator makes, or what a scene tells of
// itself (Scene::description). Every scene takes this one way: files or parameters -> SceneSource
// -> build_scene -> Scene.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proven/geometry/shapes.h"
#include "proven/kinematics/robot.h"

namespace proven {

class Scene;  // scene.h: whoever calls build_scene includes it

struct RobotSource {
  std::string name;  // unique in the scene; links become "name/link"
  Robot robot;
  Pose X_WR;  // of the root link
};

struct ObstacleSource {
  std::string name;
  std::vector<CollisionElement> elements;
  Pose X_WB;
  // Optional: `elements` already prepared for queries.
  std::shared_ptr<const BodyGeometry> geometry = {};
};

// An object held by a link; it may touch its own link and the bodies in `touch`.
struct AttachedSource {
  std::string name;
  std::string link;  // "robot/link"
  std::vector<CollisionElement> elements;
  Pose X_LB;
  std::vector<std::string> touch;
  std::shared_ptr<const BodyGeometry> geometry = {};  // as in ObstacleSource
};

struct ExclusionSource {
  std::string body_a, body_b;
  std::string note;  // why, in the user's words
};

struct ClearanceSource {
  std::string body_a, body_b;
  double clearance = 0;
};

struct SceneSource {
  std::vector<RobotSource> robots;
  std::vector<ObstacleSource> obstacles;
  std::vector<AttachedSource> attached;
  double clearance = 0;
  std::vector<ExclusionSource> exclusions;
  std::vector<ClearanceSource> clearances;
  std::map<std::string, double> home;  // coordinates ("robot/joint") that do not rest at zero
  std::vector<std::string> warnings;   // what the reader noticed; robots carry their own
  // Also exclude what an SRDF disables as "Never" (never seen in samples: not a proof).
  bool trust_srdf_never = false;
};

}  // namespace proven
