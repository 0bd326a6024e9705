// Chapter 13, continued: from the values of named joints to configurations of the scene.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "proven/verify/readers.h"
#include "verify/readers/joints.h"
#include "verify/readers/spline.h"

namespace proven::verifier {

// The joints of a scene, and those of them that a file names.
class Configurations {
 public:
  Configurations(const SceneSource& scene, const PathReading& options) : scene_(scene) {
    for (const RobotSource& robot : scene.robots)
      add_robot(robot.robot, robot.name, robot.motion.get());
    for (const ObstacleSource& obstacle : scene.obstacles)
      if (obstacle.moves()) {
        const Motion rests{{{0, 0, 0, 0, 0, 0, 1}}, {0}, {}};
        add_robot(floating_body(), obstacle.name, obstacle.motion ? obstacle.motion.get() : &rests);
      }
    for (const auto& [name, value] : scene.home)
      if (const auto index = joints_.find(name)) home_[*index] = value;
    named_.assign(home_.size(), false);
    limits_hold_ = !options.ignore_limits;
  }

  void name_all() {
    for (std::size_t i = 0; i < home_.size(); ++i)
      if (!timed_[i]) columns_.push_back({false, i});
    named_.assign(home_.size(), true);
  }
  void name(const std::vector<std::string>& names) {
    for (const std::string& wanted : names) {
      columns_.push_back(find(wanted));
      for (std::size_t i = 0; i + 1 < columns_.size(); ++i)
        if (columns_[i] == columns_.back()) refuse("", "joint '" + wanted + "' is named twice");
      if (columns_.back().follows) continue;
      if (timed_[columns_.back().index]) refuse("", "'" + wanted + "' moves by the clock");
      named_[columns_.back().index] = true;
    }
  }
  std::size_t num_columns() const { return columns_.size(); }
  bool knows(const std::string& name) const { return !fits(name).empty(); }

  std::vector<double> read(const std::vector<double>& values) const {
    std::vector<double> q = placed(values, home_);
    check_followers(values, q, true);
    if (limits_hold_) check_limits(q);
    check_quaternions(q);
    return q;
  }
  // Rates; those of joints that are not named are 0.
  std::vector<double> read_rates(const std::vector<double>& rates) const {
    const std::vector<double> full = placed(rates, std::vector<double>(home_.size(), 0));
    check_followers(rates, full, false);
    return full;
  }
  // A control point between two configurations: rotation vectors in the place of quaternions.
  std::vector<double> read_between(const std::vector<double>& values) const {
    std::vector<double> others = home_;
    for (std::size_t i = 0; i < others.size(); ++i)
      if (is_turn(i)) others[i] = 0;
    const std::vector<double> row = placed(values, others);
    check_followers(values, row, true);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (is_turn(i) && row[i += 3] != 0) refuse("", "a rotation vector has 0 in the fourth place");
    return row;
  }
  // By which degree each coordinate moves; those that are not named rest.
  std::vector<int> degrees(const std::vector<int>& of_names) const {
    std::vector<int> full(home_.size(), 1);
    for (std::size_t i = 0; i < of_names.size(); ++i)
      if (!columns_[i].follows) full[columns_[i].index] = of_names[i];
    return full;
  }
  bool is_turn(std::size_t coordinate) const { return joints_.coordinates[coordinate].quaternion; }
  bool names_turn(const std::string& name) const {
    for (const Column& column : fits(name))
      if (!column.follows && is_turn(column.index)) return true;
    return false;
  }

  // The limits hold all along a curved piece.
  void check_piece(const Motion& motion, std::size_t index) const {
    if (!limits_hold_ || motion.inner[index].empty()) return;
    const auto check = [&](const std::string& name, std::size_t i, double multiplier, double offset,
                           double lower, double upper) {
      Coefficients p = {multiplier * motion.waypoints[index][i] + offset};
      for (const auto& row : motion.inner[index]) p.push_back(multiplier * row[i] + offset);
      p.push_back(multiplier * motion.waypoints[index + 1][i] + offset);
      if (!stays_between(p, lower - kRounded, upper + kRounded))
        refuse("", fmt::format("joint '{}' leaves its limits within piece {}", name, index));
    };
    for (std::size_t i = 0; i < home_.size(); ++i)
      if (const Coordinate& c = joints_.coordinates[i]; !c.quaternion)
        check(c.name, i, 1, 0, c.lower, c.upper);
    for (const Follower& f : joints_.followers)
      check(f.name, f.leader, f.multiplier, f.offset, f.lower, f.upper);
  }

  // A named configuration of the SRDF: a value for each named joint; what it says of others must be
  // where they rest.
  std::vector<double> read(const std::string& state) const {
    const std::map<std::string, double> given = values_of(state);
    std::vector<double> values;
    std::set<std::string> used;
    for (const Column& column : columns_) {
      const std::string& name = column.follows ? joints_.followers[column.index].name
                                               : joints_.coordinates[column.index].name;
      if (!given.contains(name)) refuse("", "'" + state + "' has no value of joint '" + name + "'");
      values.push_back(given.at(name));
      used.insert(name);
    }
    for (const auto& [name, value] : given)
      if (const auto index = joints_.find(name);
          index && !used.contains(name) && home_[*index] != value)
        refuse("", "'" + state + "' sets joint '" + name + "', which is not named here");
    return read(values);
  }

  // The planar or floating joint ("robot/joint") of that name, and whether it is planar. A frame
  // that is given must be its parent link.
  std::pair<std::string, bool> find_placed_joint(const std::string& name,
                                                 const std::string& frame) const {
    std::vector<std::pair<std::string, bool>> found;
    for (const RobotSource& robot : scene_.robots)
      for (const RobotJoint& joint : robot.robot.joints) {
        const std::string full = robot.name + "/" + joint.name;
        if (suffixes(joint.type).size() < 2 || (full != name && !full.ends_with("/" + name)))
          continue;
        const std::string parent = robot.name + "/" + joint.parent_link;
        if (!frame.empty() && parent != frame && !parent.ends_with("/" + frame))
          refuse("", "joint '" + full + "' does not move in the frame '" + frame + "'");
        found.emplace_back(full, joint.type == JointType::planar);
      }
    if (found.size() != 1) refuse("", "joint '" + name + "' is unknown or ambiguous");
    return found[0];
  }

  std::vector<std::string> defaulted() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < named_.size(); ++i)
      if (!named_[i] && !timed_[i]) names.push_back(joints_.coordinates[i].name);
    return names;
  }

 private:
  // With a motion the coordinates follow the clock: they start where it does.
  void add_robot(const Robot& robot, const std::string& name, const Motion* motion) {
    add_joints(robot, name, joints_);
    for (std::size_t i = home_.size(), first = i; i < joints_.coordinates.size(); ++i) {
      const Coordinate& c = joints_.coordinates[i];
      home_.push_back(motion ? motion->waypoints[0][i - first]
                             : (c.name.ends_with(".qw") && c.quaternion ? 1 : 0));
      timed_.push_back(motion != nullptr);
    }
  }

  struct Column {
    bool follows = false;
    std::size_t index = 0;  // of the follower or the coordinate
    friend bool operator==(const Column&, const Column&) = default;
  };

  std::vector<double> placed(const std::vector<double>& values, std::vector<double> others) const {
    if (values.size() != columns_.size())
      refuse("", fmt::format("{} values for {} joints", values.size(), columns_.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!columns_[i].follows) others[columns_[i].index] = values[i];
    return others;
  }
  void check_followers(const std::vector<double>& values, const std::vector<double>& full,
                       bool with_offset) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!columns_[i].follows) continue;
      const Follower& f = joints_.followers[columns_[i].index];
      const double offset = with_offset ? f.offset : 0;
      if (!(std::fabs(values[i] - (f.multiplier * full[f.leader] + offset)) <= 1e-9))
        refuse("", "joint '" + f.name + "' does not follow as it must");
    }
  }

  // "robot/joint", or "joint" where one robot alone has it.
  std::vector<Column> fits(const std::string& name) const {
    std::vector<Column> exact, short_of;
    const auto add = [&](const std::string& full, Column column) {
      if (full == name) exact.push_back(column);
      if (full.ends_with("/" + name)) short_of.push_back(column);
    };
    for (std::size_t i = 0; i < joints_.coordinates.size(); ++i)
      add(joints_.coordinates[i].name, {false, i});
    for (std::size_t i = 0; i < joints_.followers.size(); ++i)
      add(joints_.followers[i].name, {true, i});
    return exact.empty() ? short_of : exact;
  }
  Column find(const std::string& name) const {
    const std::vector<Column> found = fits(name);
    if (found.size() != 1) refuse("", "joint '" + name + "' is unknown or ambiguous");
    return found[0];
  }

  // "name", "group/name", "robot/name" or "robot/group/name"; several that agree are one.
  std::map<std::string, double> values_of(const std::string& wanted) const {
    std::map<std::string, double> values;
    bool found = false;
    for (const RobotSource& robot : scene_.robots)
      for (const GroupState& state : robot.robot.states) {
        const std::string full = robot.name + "/" + state.group + "/" + state.name;
        if (full != wanted && !full.ends_with("/" + wanted) &&
            robot.name + "/" + state.name != wanted)
          continue;
        found = true;
        for (const auto& [joint, list] : state.joints) {
          const auto ends = suffixes(list.size() == 3   ? JointType::planar
                                     : list.size() == 7 ? JointType::floating
                                                        : JointType::revolute);
          for (std::size_t i = 0; i < list.size(); ++i)
            if (values.emplace(robot.name + "/" + joint + ends[i], list[i]).first->second !=
                list[i])
              refuse("", "'" + wanted + "' is ambiguous");
        }
      }
    if (!found) refuse("", "there is no configuration '" + wanted + "'");
    return values;
  }

  void check_limits(const std::vector<double>& q) const {
    const auto check = [](const std::string& name, double value, double lower, double upper) {
      if (!(value >= lower - kRounded && value <= upper + kRounded))
        refuse("", fmt::format("joint '{}' at {} is beyond its limits", name, value));
    };
    for (std::size_t i = 0; i < q.size(); ++i)
      check(joints_.coordinates[i].name, q[i], joints_.coordinates[i].lower,
            joints_.coordinates[i].upper);
    for (const Follower& f : joints_.followers)
      check(f.name, f.multiplier * q[f.leader] + f.offset, f.lower, f.upper);
  }

  void check_quaternions(const std::vector<double>& q) const {
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!joints_.coordinates[i].quaternion) continue;
      const double length =
          std::sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]);
      if (!(std::fabs(length - 1) <= 1e-6)) refuse("", "a quaternion that is not of length 1");
      i += 3;
    }
  }

  static constexpr double kRounded = 1e-6;  // as other programs write a value at its limit
  const SceneSource& scene_;
  bool limits_hold_ = true;
  JointList joints_;
  std::vector<double> home_;
  std::vector<Column> columns_;
  std::vector<bool> named_, timed_;
};

}  // namespace proven::verifier
