// JointTrajectory, MultiDOFJointTrajectory and both together, from YAML or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/ros_messages.h"
#include "io/text.h"
#include "io/trajectory.h"

namespace proven::io {
namespace {

// Seconds: a number, or ROS's {secs, nsecs} or {sec, nanosec}.
double read_time(const Node& node) {
  if (node.is(Node::Kind::number)) return node.number();
  const bool old = node.find("secs") != nullptr;
  node.allow_keys({old ? "secs" : "sec", old ? "nsecs" : "nanosec"});
  constexpr long kSeconds = 0x7FFFFFFF;  // whole numbers of 32 bits
  const long seconds = node.at(old ? "secs" : "sec").integer(-kSeconds - 1, kSeconds);
  const long rest = node.at(old ? "nsecs" : "nanosec").integer(0, 999'999'999);
  return static_cast<double>(seconds) + 1e-9 * static_cast<double>(rest);
}

// Forces are no part of a motion; zero says as much.
void refuse_efforts(const Node& effort) {
  if (effort.is_empty()) return;
  if (effort.is(Node::Kind::array)) {
    for (const Node& part : effort.array()) refuse_efforts(part);
  } else if (effort.number() != 0) {
    effort.fail(
        "a motion has no forces, and what moves under them is not known; leave them out, or "
        "say --interpolation linear");
  }
}

// The points of one half, before the scene gives them meaning.
struct Half {
  Trajectory trajectory;
  std::vector<const Node*> points;
  const Node* names = nullptr;  // where the joints are named

  bool empty() const { return points.empty(); }
};

// Rates of all points or of none: which there are.
bool has_rates(const Half& half, const char* key) {
  const auto has = [&](const Node* point) {
    const Node* rates = point->find(key);
    return rates && !rates->is_empty();
  };
  const bool any = std::any_of(half.points.begin(), half.points.end(), has);
  for (const Node* point : half.points)
    if (any && !has(point))
      point->fail(
          fmt::format("it has no {}, but other points have; give all of them, or say "
                      "--interpolation linear",
                      key));
  return any;
}

// Reads what all points have, and of the rates what the interpolation takes, by `read`.
template <class ReadRates>
void read_points(const Node& root, const char* values, const PathOptions& options, Half& half,
                 ReadRates&& read) {
  Trajectory& result = half.trajectory;
  const bool linear = options.interpolation == Interpolation::linear;
  for (const Node& point : root.at("points").array()) {
    point.allow_keys({values, "velocities", "accelerations", "effort", "time_from_start"});
    if (const Node* effort = point.find("effort"); effort && !linear) refuse_efforts(*effort);
    if (const Node* time = point.find("time_from_start")) result.times.push_back(read_time(*time));
    half.points.push_back(&point);
  }
  if (!result.times.empty() && result.times.size() != half.points.size())
    root.at("points").fail("some points have 'time_from_start' and some have not");
  for (std::size_t i = 1; i < result.times.size(); ++i)
    if (!(result.times[i] > result.times[i - 1]))
      root.at("points").fail(fmt::format("times must increase, but {} follows {}", result.times[i],
                                         result.times[i - 1]));
  const int degree =
      linear || half.empty()
          ? 1
          : at_place([&] { return root.at("points").place(); },
                     [&] {
                       return degree_of(options.interpolation, has_rates(half, "velocities"),
                                        has_rates(half, "accelerations"));
                     });
  result.degrees.assign(result.joints.size(), degree);
  for (const Node* point : half.points) {
    if (degree >= 3) result.velocities.push_back(read(point->at("velocities")));
    if (degree == 5) result.accelerations.push_back(read(point->at("accelerations")));
  }
}

Half read_joint_half(const Node& root, const Scene& scene, const PathOptions& options) {
  root.allow_keys({"header", "joint_names", "points"});
  read_frame_id(root);
  Half half;
  Trajectory& result = half.trajectory;
  half.names = &root.at("joint_names");
  result.joints = half.names->strings();
  for (const Node& point : root.at("points").array()) {
    point.at("positions").array_of(result.joints.size());
    result.positions.push_back(point.at("positions").numbers());
  }
  read_points(root, "positions", options, half, [&](const Node& rates) {
    rates.array_of(result.joints.size());
    return rates.numbers();
  });
  for (const std::string& joint : result.joints)
    if (!result.velocities.empty() && is_quaternion(scene, joint))
      half.names->fail(
          fmt::format("{} has no rate of its own; a floating joint with velocities "
                      "belongs to multi_dof_joint_trajectory",
                      quote(joint)));
  return half;
}

PlacedJoint find_placed_joint(const Node& node, const Scene& scene, const std::string& frame) {
  const std::string& name = node.string();
  std::vector<PlacedJoint> fits;
  std::vector<std::string> known;
  for (const PlacedJoint& joint : placed_joints(scene)) {
    known.push_back(joint.name.substr(joint.name.rfind('/') + 1));
    if (joint.name != name && !joint.name.ends_with("/" + name)) continue;
    fits.push_back(joint);
    if (!frame.empty() && joint.parent != frame && !joint.parent.ends_with("/" + frame))
      node.fail(fmt::format("joint {} moves in the frame {}, not in {}", quote(name),
                            quote(joint.parent), quote(frame)));
  }
  if (fits.empty())
    node.fail(
        fmt::format("no planar or floating joint is named {}{}; a scene asks for the virtual "
                    "joint of its SRDF with \"virtual_joints\": true",
                    quote(name), suggestion(name, known)));
  if (fits.size() > 1)
    node.fail(fmt::format("joint {} is ambiguous; write robot/joint", quote(name)));
  return fits[0];
}

// The turn from the point before is the shorter one.
double nearest_turn(double angle, double before) {
  return before + std::remainder(angle - before, 2 * std::numbers::pi);
}

void read_transforms(const Node& point, const std::vector<PlacedJoint>& joints,
                     Trajectory& result) {
  std::vector<double> values;
  const std::vector<Node>& transforms = point.at("transforms").array_of(joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i)
    for (const auto& [suffix, value] :
         joints[i].planar ? read_planar(transforms[i]) : read_floating(transforms[i])) {
      const bool turns = joints[i].planar && std::string_view(suffix) == ".angle";
      const bool follows = turns && !result.positions.empty();
      values.push_back(follows ? nearest_turn(value, result.positions.back()[values.size()])
                               : value);
    }
  result.positions.push_back(std::move(values));
}

Vec3 read_rate(const Node& node) {
  if (node.is(Node::Kind::array)) return node.vec3();
  node.allow_keys({"x", "y", "z"});
  return {node.at("x").number(), node.at("y").number(), node.at("z").number()};
}

// A Twist in the frame that the transforms are in, as rates of the joint's coordinates.
void add_twist(const Node& twist, const PlacedJoint& joint, std::vector<double>& rates) {
  twist.allow_keys({"linear", "angular"});
  const Vec3 linear = read_rate(twist.at("linear")), angular = read_rate(twist.at("angular"));
  if (joint.planar) {
    if (linear.z != 0 || angular.x != 0 || angular.y != 0)
      twist.fail("a planar joint moves along x and y and turns about z alone");
    rates.insert(rates.end(), {linear.x, linear.y, angular.z});
  } else {
    rates.insert(rates.end(), {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z, 0});
  }
}

Half read_transform_half(const Node& root, const Scene& scene, const PathOptions& options) {
  root.allow_keys({"header", "joint_names", "points"});
  Half half;
  std::vector<PlacedJoint> joints;
  half.names = &root.at("joint_names");
  const std::string frame = read_frame_id(root);
  for (const Node& name : half.names->array()) {
    joints.push_back(find_placed_joint(name, scene, frame));
    for (const std::string& suffix : suffixes_of(joints.back()))
      half.trajectory.joints.push_back(joints.back().name + suffix);
  }
  for (const Node& point : root.at("points").array())
    read_transforms(point, joints, half.trajectory);
  read_points(root, "transforms", options, half, [&](const Node& twists) {
    std::vector<double> rates;
    const std::vector<Node>& given = twists.array_of(joints.size());
    for (std::size_t i = 0; i < joints.size(); ++i) add_twist(given[i], joints[i], rates);
    return rates;
  });
  const auto floating = [](const PlacedJoint& joint) { return !joint.planar; };
  if (!half.trajectory.accelerations.empty() && std::any_of(joints.begin(), joints.end(), floating))
    half.points[0]
        ->at("accelerations")
        .fail(
            "accelerations of a floating joint are not read; leave them out, say --interpolation "
            "cubic, "
            "or write pieces in JSON");
  return half;
}

// Both halves of a RobotTrajectory say the same times, point by point.
Half merge(const Node& root, Half a, Half b) {
  if (b.empty()) return a;
  if (a.empty()) return b;
  Trajectory &x = a.trajectory, &y = b.trajectory;
  if (a.points.size() != b.points.size() || x.times != y.times)
    root.fail(
        fmt::format("joint_trajectory has {} points and multi_dof_joint_trajectory {}: both "
                    "need the same times",
                    a.points.size(), b.points.size()));
  const auto join = [&](auto& rows, auto& others) {
    if (rows.empty() && others.empty()) return;
    // A half without rates has the degree that asks for none.
    rows.resize(a.points.size(), std::vector<double>(x.joints.size(), 0));
    others.resize(a.points.size(), std::vector<double>(y.joints.size(), 0));
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].insert(rows[i].end(), others[i].begin(), others[i].end());
  };
  join(x.positions, y.positions);
  join(x.velocities, y.velocities);
  join(x.accelerations, y.accelerations);
  x.joints.insert(x.joints.end(), y.joints.begin(), y.joints.end());
  x.degrees.insert(x.degrees.end(), y.degrees.begin(), y.degrees.end());
  return a;
}

Motion to_motion(const Node& root, Half half, const Scene& scene, const PathOptions& options) {
  if (half.empty())
    (root.find("points") ? root.at("points") : root).fail("expected at least one point");
  half.trajectory.place = [&half](std::size_t i) { return half.points[i]->place(); };
  return to_motion(half.trajectory, half.names->place(), scene, options);
}

bool has_points(const Node* trajectory) {
  const Node* points = trajectory && !trajectory->is_empty() ? trajectory->find("points") : nullptr;
  return points && !points->is_empty();
}

}  // namespace

std::vector<PlacedJoint> placed_joints(const Scene& scene) {
  std::vector<PlacedJoint> joints;
  const KinematicTree& tree = scene.tree();
  for (const Link& link : tree.links()) {
    if (link.joint.coordinate < 0) continue;
    const Coordinate& first = tree.coordinates()[static_cast<std::size_t>(link.joint.coordinate)];
    if (!first.name.ends_with(".x")) continue;
    const std::string name = first.name.substr(0, first.name.size() - 2);
    joints.push_back(
        {name, tree.find_coordinate(name + ".angle") >= 0, tree.link(link.parent).name});
  }
  return joints;
}

std::vector<std::string> suffixes_of(const PlacedJoint& joint) {
  if (joint.planar) return {".x", ".y", ".angle"};
  return {".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"};
}

Motion read_robot_trajectory(const Node& root, const Scene& scene, const PathOptions& options) {
  root.allow_keys({"joint_trajectory", "multi_dof_joint_trajectory"});
  const Node* joints = root.find("joint_trajectory");
  const Node* base = root.find("multi_dof_joint_trajectory");
  Half half;
  if (joints && (has_points(joints) || !has_points(base)))
    half = read_joint_half(*joints, scene, options);
  if (has_points(base))
    half = merge(root, std::move(half), read_transform_half(*base, scene, options));
  return to_motion(root, std::move(half), scene, options);
}

Motion read_joint_trajectory(const Node& root, const Scene& scene, const PathOptions& options) {
  return to_motion(root, read_joint_half(root, scene, options), scene, options);
}

}  // namespace proven::io
