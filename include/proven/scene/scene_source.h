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
#include "proven/scene/motion.h"

namespace proven {

class Scene;  // scene.h: whoever calls build_scene includes it

struct RobotSource {
  std::string name;  // unique in the scene; links become "name/link"
  Robot robot;
  Pose X_WR;  // of the root link
  // Optional: the robot moves by the clock, whatever the motion under test does. Its own
  // coordinates, in the order of the tree, with times.
  std::shared_ptr<const Motion> motion = {};
  double late = 0;  // it may start up to so many seconds later than its motion says
};

struct ObstacleSource {
  std::string name;
  std::vector<CollisionElement> elements;
  Pose X_WB;
  // Optional: `elements` already prepared for queries.
  std::shared_ptr<const BodyGeometry> geometry = {};
  // Optional: it moves by the clock, by a floating joint (x, y, z and a quaternion) in the frame
  // X_WB. Before its first time and after its last it rests.
  std::shared_ptr<const Motion> motion = {};
  double late = 0;  // as of a robot
  // It grows into all directions by so many metres per second from time 0, as something does whose
  // speed is bounded and whose way is not known.
  double grows = 0;

  bool moves() const { return motion != nullptr || grows > 0; }
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

// What two tested bodies are to each other.
enum class PairClass {
  world,    // a link, or what it holds, and an obstacle
  robots,   // two robots, with what they hold
  self,     // two links of one robot
  attached  // a held object, and the robot that holds it or something else in its hand
};

// Distances that pairs must keep, in metres, by class. A single number is about what a robot might
// run into: the world and other robots. Links of one robot, and what it holds, are close to each
// other by design.
struct Clearances {
  double world = 0, robots = 0, self = 0, attached = 0;

  Clearances() = default;
  Clearances(double general) : world(general), robots(general) {}
  Clearances(double of_world, double of_robots, double of_self, double of_attached)
      : world(of_world), robots(of_robots), self(of_self), attached(of_attached) {}
  static Clearances everywhere(double metres) { return {metres, metres, metres, metres}; }
  Clearances& operator*=(double factor) {
    return *this = {factor * world, factor * robots, factor * self, factor * attached};
  }
  double of(PairClass kind) const {
    switch (kind) {
      case PairClass::world:
        return world;
      case PairClass::robots:
        return robots;
      case PairClass::self:
        return self;
      case PairClass::attached:
        return attached;
    }
    return world;
  }
  friend bool operator==(const Clearances&, const Clearances&) = default;
};

// How far the controller may be from the path, in radians or metres: of every joint, or of some by
// name ("robot/joint").
struct TrackingError {
  double general = 0;
  std::map<std::string, double> joints;

  TrackingError() = default;
  TrackingError(double of_all) : general(of_all) {}
  double of(const std::string& joint) const {
    const auto found = joints.find(joint);
    return found == joints.end() ? general : found->second;
  }
  bool any() const {
    bool some = general > 0;
    for (const auto& [joint, error] : joints) some = some || error > 0;
    return some;
  }
  friend bool operator==(const TrackingError&, const TrackingError&) = default;
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
  Clearances clearance;
  std::vector<ExclusionSource> exclusions;
  std::vector<ClearanceSource> clearances;
  std::map<std::string, double> home;  // coordinates ("robot/joint") that do not rest at zero
  std::vector<std::string> warnings;   // what the reader noticed; robots carry their own
  // Also exclude what an SRDF disables as "Never" (never seen in samples: not a proof).
  bool trust_srdf_never = false;
};

}  // namespace proven
