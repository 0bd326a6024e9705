// A state of the world in numbers, and the scenes in which the arm moves in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manipulation/world.h"
#include "proven/kinematics/inverse.h"

namespace proven::manipulation {

struct Situation {
  std::vector<double> q;              // of the arm's joints
  std::map<std::string, Pose> poses;  // X_WO of the objects that exist

  friend bool operator==(const Situation&, const Situation&) = default;
};

// Where the empty hand moves: every object is an obstacle.
SceneSource transit_scene(const World& world, const Situation& situation);
// Where the hand carries `object`, held as it is in the situation: attached to the hand.
SceneSource transfer_scene(const World& world, const Situation& situation,
                           const std::string& object);

// The joints of the arm in a scene of that world.
struct ArmIndex {
  std::vector<int> joints;
  int fingers = -1;
  int hand = 0;
};
ArmIndex index_arm(const World& world, const KinematicTree& tree);

// The robots of the world without their surroundings, and where they rest with the arm at q (empty:
// at home) and open fingers.
struct RobotsAlone {
  KinematicTree tree;
  ArmIndex index;
  std::vector<double> rest;
};
RobotsAlone robots_alone(const World& world, const std::vector<double>& q);

// The scene's home with the arm at q and the fingers at `fingers`.
std::vector<double> configuration(const Scene& scene, const ArmIndex& index,
                                  const std::vector<double>& q, double fingers);
// X_WH.
Pose hand_pose(const Scene& scene, const ArmIndex& index, const std::vector<double>& configuration);

// Poses X_WO for letting go at the place; none where it is on an object that has no pose.
std::vector<Pose> release_poses(const Place& place, const Situation& situation);

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
