// A state of the world in numbers, and the scenes in which the arm moves in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manipulation/world.h"
#include "proven/kinematics/inverse.h"

namespace proven::manipulation {

struct Situation {
  std::vector<double> q;                      // of the arm's joints
  std::map<std::string, Pose> poses;          // X_WO of the objects that exist
  std::map<std::string, double> joints = {};  // of the fixtures

  friend bool operator==(const Situation&, const Situation&) = default;
};

// Where the empty hand moves: every object is an obstacle.
SceneSource transit_scene(const World& world, const Situation& situation);
// Where the hand carries `object`, held as it is in the situation: attached to the hand.
SceneSource transfer_scene(const World& world, const Situation& situation,
                           const std::string& object);

// Where the hand moves the fixture by its handle, with all that stands on it.
SceneSource operation_scene(const World& world, const Situation& situation, const Fixture& fixture);

// X_WO of an object or fixture, or X_WB of another obstacle; nothing if it has none.
std::optional<Pose> frame_of(const World& world, const Situation& situation,
                             const std::string& name);
// Objects that are proved to stand on the fixture, or on one that does: they move with it.
std::vector<std::string> riders_of(const World& world, const Situation& situation,
                                   const Fixture& fixture);
// The fixture's joint is at `value`, and what stands on it has moved along.
Situation with_joint(const World& world, const Situation& situation, const Fixture& fixture,
                     double value);

// The joints of the arm in a scene of that world.
struct ArmIndex {
  std::vector<int> joints;
  int fingers = -1;
  int hand = 0;
};
ArmIndex index_arm(const World& world, const KinematicTree& tree);

// The robots of the world without their surroundings, and where they rest in the situation (what it
// does not tell: at home), with open fingers.
struct RobotsAlone {
  KinematicTree tree;
  ArmIndex index;
  std::vector<double> rest;
};
RobotsAlone robots_alone(const World& world, const Situation& situation);

// The scene's home with the arm at q and the fingers at `fingers`.
std::vector<double> configuration(const Scene& scene, const ArmIndex& index,
                                  const std::vector<double>& q, double fingers);
// X_WH.
Pose hand_pose(const Scene& scene, const ArmIndex& index, const std::vector<double>& configuration);

// Poses X_WO for letting go at the place; none where it is on something that has no pose.
std::vector<Pose> release_poses(const World& world, const Place& place, const Situation& situation);

// Poses X_WO on a surface, as many as are asked for; others for another seed.
std::vector<Pose> sample_poses(const World& world, const Place& place, const Situation& situation,
                               int count, std::uint64_t seed);
// Whether an object at X_WO stands on the surface: its origin is in the rectangle, and it is proved
// to be carried (support.h).
bool stands_on_surface(const World& world, const Place& place, const Situation& situation,
                       const std::string& object, const Pose& X_WO);

// Which object, or what else stands still, the object at X_WO is proved to overlap; empty: none.
Result<std::string> blocker(const World& world, const Situation& situation,
                            const std::string& object, const Pose& X_WO);

// What makes a first situation useless for every motion: a matrix that is no rotation, a joint
// beyond its limits. Errors name it.
Result<void> check_start(const World& world, const Situation& situation);
// What makes it useless for some: an arm or an object that starts in contact, a place where no
// object can stand. In words, for people.
Result<std::vector<std::string>> doubts_about(const World& world, const Situation& situation);

}  // namespace proven::manipulation
