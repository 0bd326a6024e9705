// Trajectories: points with values and perhaps rates of named joints, and the motion that a
// controller makes of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proven/io/document.h"
#include "proven/io/path_file.h"
#include "proven/io/trajectory.h"

namespace proven::io {

// Rates are in the place of the value that they change; those of a ball joint are its angular
// velocity in the first three places of its quaternion.
struct Trajectory : proven::Trajectory {
  std::vector<int> degrees;  // of each joint: 1, 3 with velocities, 5 with accelerations too
  std::function<std::string(std::size_t)> place;  // of a point, for messages
};

// By which degree points with these rates are interpolated, or what is missing, without a place.
int degree_of(Interpolation wanted, bool velocities, bool accelerations);

// Fails, with the point's place, on what ConfigurationReader refuses, on curves beyond limits and
// on rates without times.
Motion to_motion(const Trajectory& trajectory, const std::string& names_place, const Scene& scene,
                 const PathOptions& options);

// ROS's RobotTrajectory and JointTrajectory.
Motion read_robot_trajectory(const Node& root, const Scene& scene, const PathOptions& options);
Motion read_joint_trajectory(const Node& root, const Scene& scene, const PathOptions& options);

// "robot/joint" of the planar and floating joints of a scene, and the link that each moves in.
struct PlacedJoint {
  std::string name;
  bool planar = false;
  std::string parent;
};
std::vector<PlacedJoint> placed_joints(const Scene& scene);
// What the names of its coordinates end in.
std::vector<std::string> suffixes_of(const PlacedJoint& joint);

}  // namespace proven::io
