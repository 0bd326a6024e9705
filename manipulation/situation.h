// A state of the world in numbers, and the scenes in which arms move in it.
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
  std::vector<std::vector<double>> q;         // of the joints of each arm
  std::map<std::string, Pose> poses;          // X_WO of the objects that exist
  std::map<std::string, double> joints = {};  // of the fixtures
  std::map<std::string, int> held = {};       // objects in closed hands: of which arm

  friend bool operator==(const Situation&, const Situation&) = default;
};

// A hand that closes around an object, or around a fixture's handle.
struct Grip {
  int arm = 0;
  std::string object;
};
// The scene in which arms move, some of them with something in their hands, besides what the
// situation says they hold. An object is attached to the hand as it is in the situation; a second
// hand that closes around it may touch it with its fingers. What stands on a fixture moves with it.
// All else stands still; the scene's home is the situation.
SceneSource scene_with(const World& world, const Situation& situation,
                       const std::vector<Grip>& grips = {});

// The value of an arm's fingers: around what it holds, or open.
double fingers_of(const World& world, const Situation& situation, int arm);

// X_WO of an object or fixture, or X_WB of another obstacle; nothing if it has none.
std::optional<Pose> frame_of(const World& world, const Situation& situation,
                             const std::string& name);
// Objects that are proved to stand on the fixture, or on one that does: they move with it.
std::vector<std::string> riders_of(const World& world, const Situation& situation,
                                   const Fixture& fixture);
// The fixture's joint is at `value`, and what stands on it has moved along.
Situation with_joint(const World& world, const Situation& situation, const Fixture& fixture,
                     double value);

// The joints of an arm in a scene of its world.
struct ArmIndex {
  std::vector<int> joints;
  int fingers = -1;
  int hand = 0;
};
ArmIndex index_arm(const Arm& arm, const KinematicTree& tree);

// The robots of the world without their surroundings, and where they rest in the situation (what it
// does not tell: at home).
struct RobotsAlone {
  KinematicTree tree;
  std::vector<double> rest;
};
RobotsAlone robots_alone(const World& world, const Situation& situation);

// X_WH.
Pose hand_pose(const Scene& scene, const ArmIndex& index, std::span<const double> configuration);

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
