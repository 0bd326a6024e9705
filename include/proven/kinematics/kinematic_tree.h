// All robots of a scene as one forest of links, ready for poses and motion bounds. Immutable.
//
// Link 0 is the world. Every other link hangs on its parent by one elementary joint: planar and
// floating joints of a file become chains of elementary joints through massless links, so that one
// rule bounds them all.
//
// Configuration: a vector of coordinates. A revolute or prismatic joint reads one coordinate
// through its mimic relation; a ball joint reads four (a quaternion x, y, z, w). One coordinate may
// drive several joints.
//
// A planar joint slides along x, then y, then turns about its axis (x, y, angle). The directions x
// and y complete the axis to a right-handed frame: x is the projection on the plane of the unit
// vector that follows the axis' largest component (z is followed by x, x by y, y by z; of equal
// components the last counts). For the axis z these are the joint frame's own x and y. A floating
// joint slides along its frame's x, y and z, then turns by the quaternion.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/base/vec3.h"
#include "proven/kinematics/robot.h"

namespace proven {

enum class JointKind { fixed, revolute, prismatic, ball };

struct Joint {
  JointKind kind = JointKind::fixed;
  Pose X_PJ = {};                     // joint frame in the parent link
  Vec3 axis = {};                     // unit, in the joint frame (revolute, prismatic)
  int coordinate = -1;                // the (first) coordinate it reads; -1 if fixed
  double multiplier = 1, offset = 0;  // value = multiplier * q[coordinate] + offset
};

struct Link {
  std::string name;  // "robot/link"; helper links of planar and floating joints: "robot/joint.x"
  int parent = -1;   // -1 only for the world; parent < own index
  int depth = 0;     // 0 for the world, 1 for the root of a robot, ...
  Joint joint;       // how it hangs on its parent
};

struct Coordinate {
  std::string name;     // "robot/joint", or "robot/joint.x" for planar and floating joints
  std::string joint;    // "robot/joint"
  double lower, upper;  // infinite where there is no limit
  double velocity, acceleration;
  bool rotary = false;      // an angle (revolute); ball coordinates are not
  bool continuous = false;  // an angle without limits
  bool quaternion = false;  // one of the four of a ball joint: not an independent number
};

class KinematicTree {
 public:
  KinematicTree();  // the world alone

  // Adds a robot with its root link at X_WR. Its links and joints are named "name/..."; links come
  // parents first, and coordinates in the order of their links. Fails, and names the joint or link,
  // on: no link, two roots, loops, unknown or repeated names, a zero axis, mimic cycles or a mimic
  // of a joint that does not exist or has not one value, limits that are reversed or not numbers,
  // poses that are not rotations and translations. After a failure the tree is as before.
  Result<void> add_robot(const Robot& robot, const std::string& name, const Pose& X_WR);

  int num_links() const { return static_cast<int>(links_.size()); }
  int num_coordinates() const { return static_cast<int>(coordinates_.size()); }
  std::span<const Link> links() const { return links_; }
  const Link& link(int index) const { return links_[static_cast<std::size_t>(index)]; }
  std::span<const Coordinate> coordinates() const { return coordinates_; }

  int find_link(std::string_view name) const;        // -1 if there is none
  int find_coordinate(std::string_view name) const;  // -1 if there is none
  int lowest_common_ancestor(int link_a, int link_b) const;
  // Whether no joint that can move lies between the two links. Limits do not count: a path may be
  // checked beyond them. A mimic joint with multiplier 0 cannot move.
  bool rigidly_connected(int link_a, int link_b) const;
  // The first link above (or equal to) `link` that hangs on a joint that can move; 0 if none.
  int rigid_root(int link) const;

  // All zero, except ball joints (identity).
  std::vector<double> zero_configuration() const;

  // Joint names of the file that follow others ("robot/joint"), with what they follow: a path may
  // name them only consistently. The driver keeps its own limits; those of the follower stand here.
  struct MimicName {
    std::string name;
    int coordinate;
    double multiplier, offset;      // chains of mimics are already composed
    double lower, upper;            // limits of multiplier * q + offset
    double velocity, acceleration;  // the same of its rates
  };
  std::span<const MimicName> mimic_names() const { return mimic_names_; }

 private:
  friend class TreeAppender;
  int append_link(Link link);
  int append_coordinate(Coordinate coordinate);

  std::vector<Link> links_;
  std::vector<Coordinate> coordinates_;
  std::vector<MimicName> mimic_names_;
  std::map<std::string, int, std::less<>> link_index_, coordinate_index_;
};

}  // namespace proven
