// Robots to time, and an evaluator of timed motions of its own.
//
// Differences of positions at equal steps are the means of derivatives, so the limits bound them
// without any tolerance but rounding, across pieces too.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "certify/check_support.h"
#include "io/io_support.h"
#include "proven/plan/timing.h"
#include "support.h"

namespace proven::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kVelocity = 0.7, kAcceleration = 2.5;
inline constexpr double kClock = 1e-6;  // what whole nanoseconds may cost in all

struct JointCase {
  JointType type;
  double velocity = kInfinity, acceleration = kInfinity;
  std::optional<Mimic> mimic = {};
};

inline Robot chain(const std::vector<JointCase>& joints) {
  Robot robot;
  robot.name = "arm";
  robot.links.push_back({"l0", {}, false, nullptr});
  for (std::size_t i = 0; i < joints.size(); ++i) {
    robot.links.push_back({"l" + std::to_string(i + 1), {}, false, nullptr});
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.parent_link = robot.links[i].name;
    joint.child_link = robot.links[i + 1].name;
    joint.type = joints[i].type;
    joint.axis = {0, 0, 1};
    joint.mimic = joints[i].mimic;
    joint.limits = {-3, 3, joints[i].velocity, joints[i].acceleration};
    robot.joints.push_back(joint);
  }
  return robot;
}

inline KinematicTree tree_of(const Robot& robot) {
  KinematicTree tree;
  const auto added = tree.add_robot(robot, "arm", Pose{});
  EXPECT_TRUE(added.ok()) << (added.ok() ? "" : added.error().text());
  return tree;
}

// A planar arm of three joints with limits of velocity; the third slides.
inline KinematicTree three_joints() {
  return tree_of(
      chain({{JointType::revolute, 1.5}, {JointType::revolute}, {JointType::prismatic, 0.4}}));
}

inline TimingOptions options() {
  TimingOptions options;
  options.velocity = kVelocity;
  options.acceleration = kAcceleration;
  return options;
}

// Of a coordinate of the tree: its joint's own, and that of each follower by its multiplier.
template <class Limit>
double tightest(const KinematicTree& tree, const Coordinate& c, double otherwise, Limit limit) {
  const auto known = [&](double value) { return std::isfinite(value) ? value : otherwise; };
  double least = known(c.*(limit.own));
  for (const KinematicTree::MimicName& mimic : tree.mimic_names())
    if (&tree.coordinates()[static_cast<std::size_t>(mimic.coordinate)] == &c)
      least = std::min(least, known(mimic.*(limit.of_follower)) / std::fabs(mimic.multiplier));
  return least;
}
struct LimitMembers {
  double Coordinate::*own;
  double KinematicTree::MimicName::*of_follower;
};
inline double velocity_limit(const KinematicTree& tree, const Coordinate& c) {
  return tightest(tree, c, kVelocity,
                  LimitMembers{&Coordinate::velocity, &KinematicTree::MimicName::velocity});
}
inline double acceleration_limit(const KinematicTree& tree, const Coordinate& c) {
  return tightest(tree, c, kAcceleration,
                  LimitMembers{&Coordinate::acceleration, &KinematicTree::MimicName::acceleration});
}

// --- An evaluator of its own -------------------------------------------------------------------

using Turn = std::array<double, 4>;  // x, y, z, w

inline Turn times(const Turn& a, const Turn& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
          a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}
inline Turn inverse(const Turn& a) {
  return {-a[0], -a[1], -a[2], a[3]};
}
inline Vec3 log_of(Turn a) {
  if (a[3] < 0)
    for (double& x : a) x = -x;
  const Vec3 v{a[0], a[1], a[2]};
  const double size = norm(v);
  return size == 0 ? Vec3{} : (2 * std::atan2(size, a[3]) / size) * v;
}
inline Turn exp_of(const Vec3& phi) {
  const double angle = norm(phi), f = angle < 1e-9 ? 0.5 : std::sin(angle / 2) / angle;
  return {f * phi.x, f * phi.y, f * phi.z, std::cos(angle / 2)};
}

inline double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

class Evaluator {
 public:
  Evaluator(const KinematicTree& tree, const Motion& motion) : tree_(tree), motion_(motion) {}

  std::vector<double> at(double t) const {
    std::size_t i = 0;
    while (i + 2 < motion_.times.size() && motion_.times[i + 1] < t) ++i;
    const double begin = motion_.times[i], end = motion_.times[i + 1];
    const double s = std::clamp((t - begin) / (end - begin), 0.0, 1.0);
    const MotionPiece piece = motion_.piece(static_cast<int>(i));
    std::vector<double> q(piece.from.size());
    const auto coordinates = tree_.coordinates();
    for (std::size_t k = 0; k < q.size(); ++k) {
      if (!coordinates[k].quaternion) {
        q[k] = sum(piece, s, [&](int j) { return piece.control(j)[k]; });
        continue;
      }
      const Turn a{piece.from[k], piece.from[k + 1], piece.from[k + 2], piece.from[k + 3]};
      const Turn b{piece.to[k], piece.to[k + 1], piece.to[k + 2], piece.to[k + 3]};
      const Vec3 last = log_of(times(inverse(a), b));
      Vec3 phi;
      for (int c = 0; c < 3; ++c)
        (c == 0   ? phi.x
         : c == 1 ? phi.y
                  : phi.z) = sum(piece, s, [&](int j) {
          return j == 0                ? 0
                 : j == piece.degree() ? last[c]
                                       : piece.control(j)[k + static_cast<std::size_t>(c)];
        });
      const Turn r = times(a, exp_of(phi));
      for (std::size_t c = 0; c < 4; ++c) q[k + c] = r[c];
      k += 3;
    }
    return q;
  }

 private:
  template <class Control>
  static double sum(const MotionPiece& piece, double s, const Control& control) {
    const int n = piece.degree();
    double value = 0;
    for (int j = 0; j <= n; ++j)
      value += binomial(n, j) * std::pow(s, j) * std::pow(1 - s, n - j) * control(j);
    return value;
  }

  const KinematicTree& tree_;
  const Motion& motion_;
};

// Changes between two configurations, coordinate by coordinate; of a ball joint a rotation vector.
inline std::vector<double> change(const KinematicTree& tree, const std::vector<double>& a,
                                  const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    d[k] = b[k] - a[k];
    if (!tree.coordinates()[k].quaternion) continue;
    const Vec3 turn = log_of(
        times(inverse({a[k], a[k + 1], a[k + 2], a[k + 3]}), {b[k], b[k + 1], b[k + 2], b[k + 3]}));
    d[k] = turn.x, d[k + 1] = turn.y, d[k + 2] = turn.z, d[k + 3] = 0;
    k += 3;
  }
  return d;
}

// The largest share of a limit that differences reach; of ball joints by their size.
struct Shares {
  double velocity = 0, acceleration = 0, jerk = 0;
};
inline Shares measure(const KinematicTree& tree, const Motion& motion, double jerk,
                      int steps = 2000) {
  const Evaluator evaluator(tree, motion);
  const double h = motion.times.back() / steps;
  std::vector<std::vector<double>> rows[4];
  for (int i = 0; i <= steps; ++i) rows[0].push_back(evaluator.at(i * h));
  for (std::size_t i = 1; i < rows[0].size(); ++i)
    rows[1].push_back(change(tree, rows[0][i - 1], rows[0][i]));
  for (std::size_t order = 2; order < 4; ++order)
    for (std::size_t i = 1; i < rows[order - 1].size(); ++i) {
      std::vector<double> d(rows[0][0].size());
      for (std::size_t k = 0; k < d.size(); ++k)
        d[k] = rows[order - 1][i][k] - rows[order - 1][i - 1][k];
      rows[order].push_back(d);
    }
  Shares shares;
  const auto coordinates = tree.coordinates();
  for (std::size_t order = 1; order < 4; ++order)
    for (const std::vector<double>& d : rows[order])
      for (std::size_t k = 0; k < d.size(); ++k) {
        double size = std::fabs(d[k]);
        const Coordinate& c = coordinates[k];
        if (c.quaternion) size = std::hypot(d[k], d[k + 1], d[k + 2]), k += 3;
        if (order == 1)
          shares.velocity = std::max(shares.velocity, size / h / velocity_limit(tree, c));
        if (order == 2)
          shares.acceleration =
              std::max(shares.acceleration, size / (h * h) / acceleration_limit(tree, c));
        if (order == 3) shares.jerk = std::max(shares.jerk, size / (h * h * h) / jerk);
      }
  return shares;
}

inline double distance(const KinematicTree& tree, const std::vector<double>& a,
                       const std::vector<double>& b) {
  double sum = 0;
  for (const double d : change(tree, a, b)) sum += d * d;
  return std::sqrt(sum);
}

// From a waypoint to the nearest of the motion's samples.
inline double nearest(const KinematicTree& tree, const Motion& motion,
                      const std::vector<double>& q) {
  const Evaluator evaluator(tree, motion);
  double least = kInfinity;
  for (int i = 0; i <= 4000; ++i)
    least = std::min(least, distance(tree, evaluator.at(motion.times.back() * i / 4000), q));
  return least;
}

// Of plain coordinates only.
inline double distance_from_path(const Path& path, const std::vector<double>& q) {
  double least = kInfinity;
  for (std::size_t i = 1; i < path.waypoints.size(); ++i) {
    const std::vector<double>&a = path.waypoints[i - 1], &b = path.waypoints[i];
    double along = 0, square = 0, sum = 0;
    for (std::size_t k = 0; k < q.size(); ++k)
      along += (q[k] - a[k]) * (b[k] - a[k]), square += (b[k] - a[k]) * (b[k] - a[k]);
    const double t = square > 0 ? std::clamp(along / square, 0.0, 1.0) : 0;
    for (std::size_t k = 0; k < q.size(); ++k) sum += std::pow(a[k] + t * (b[k] - a[k]) - q[k], 2);
    least = std::min(least, std::sqrt(sum));
  }
  return least;
}

inline double full_speed(const KinematicTree& tree, const Path& path) {
  double sum = 0;
  for (std::size_t i = 1; i < path.waypoints.size(); ++i) {
    double most = 0;
    const std::vector<double> d = change(tree, path.waypoints[i - 1], path.waypoints[i]);
    for (std::size_t k = 0; k < d.size(); ++k) {
      const Coordinate& c = tree.coordinates()[k];
      double size = std::fabs(d[k]);
      if (c.quaternion) size = std::hypot(d[k], d[k + 1], d[k + 2]), k += 3;
      most = std::max(most, size / velocity_limit(tree, c));
    }
    sum += most;
  }
  return sum;
}

inline TimingResult must_time(const KinematicTree& tree, const Path& path,
                              const TimingOptions& options) {
  auto timed = time_path(tree, path, options);
  EXPECT_TRUE(timed.ok()) << (timed.ok() ? "" : timed.error().text());
  return timed.ok() ? std::move(timed).value() : TimingResult{};
}

inline void expect_limits(const Shares& shares, double tolerance = 1e-7) {
  EXPECT_LT(shares.velocity, 1 + tolerance);
  EXPECT_LT(shares.acceleration, 1 + tolerance);
}

// What holds of every timed motion.
inline void expect_sound(const KinematicTree& tree, const Path& path, const TimingOptions& options,
                         const TimingResult& timed) {
  const Motion& motion = timed.motion;
  ASSERT_EQ(motion.times.size(), motion.waypoints.size());
  for (std::size_t i = 1; i < motion.times.size(); ++i) {
    EXPECT_GT(motion.times[i], motion.times[i - 1]);
    EXPECT_LE(motion.times[i] - motion.times[i - 1], options.interval * (1 + 1e-9));
  }
  EXPECT_EQ(motion.waypoints.front(), path.waypoints.front());
  EXPECT_EQ(motion.waypoints.back(), path.waypoints.back());
  EXPECT_EQ(timed.duration, motion.times.back());
  EXPECT_NEAR(timed.at_full_speed, full_speed(tree, path) / options.scale, 1e-9);
  EXPECT_LE(timed.duration, timed.with_stops + kClock);
  EXPECT_LE(timed.deviation, options.blend * 1.05 + 1e-9);
  double slowest = kInfinity;
  for (const Coordinate& c : tree.coordinates())
    slowest = std::min(slowest, velocity_limit(tree, c));
  // Corners that are cut make the way shorter.
  EXPECT_GE(timed.duration, timed.at_full_speed - 2 * timed.corners * timed.deviation / slowest);
  const double step = 4 * timed.duration / 4000;  // faster than any of the robots here
  for (const std::vector<double>& q : path.waypoints)
    EXPECT_LE(nearest(tree, motion, q), timed.deviation + step);
}

inline Path random_path(Random& random, std::size_t coordinates, int waypoints, double reach) {
  Path path;
  for (int i = 0; i < waypoints; ++i) {
    std::vector<double> q;
    for (std::size_t k = 0; k < coordinates; ++k) q.push_back(random.uniform(-reach, reach));
    path.waypoints.push_back(q);
  }
  return path;
}

}  // namespace proven::test
