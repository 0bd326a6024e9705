// Timed motions: within all limits, near the path, no slower than with stops, and proved.
//
// Differences of positions at equal steps are the means of derivatives, so the limits bound them
// without any tolerance but rounding, across pieces too.
#include "proven/plan/timing.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "certify/check_support.h"
#include "io/io_support.h"
#include "proven/certify/check.h"
#include "proven/io/file.h"
#include "proven/io/path_file.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kVelocity = 0.7, kAcceleration = 2.5;
constexpr double kClock = 1e-6;  // what whole nanoseconds may cost in all

struct JointCase {
  JointType type;
  double velocity = kInfinity, acceleration = kInfinity;
  std::optional<Mimic> mimic = {};
};

Robot chain(const std::vector<JointCase>& joints) {
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

KinematicTree tree_of(const Robot& robot) {
  KinematicTree tree;
  const auto added = tree.add_robot(robot, "arm", Pose{});
  EXPECT_TRUE(added.ok()) << (added.ok() ? "" : added.error().text());
  return tree;
}

// A planar arm of three joints with limits of velocity; the third slides.
KinematicTree three_joints() {
  return tree_of(
      chain({{JointType::revolute, 1.5}, {JointType::revolute}, {JointType::prismatic, 0.4}}));
}

TimingOptions options() {
  TimingOptions options;
  options.velocity = kVelocity;
  options.acceleration = kAcceleration;
  return options;
}

double velocity_limit(const Coordinate& c) {
  return std::isfinite(c.velocity) ? c.velocity : kVelocity;
}
double acceleration_limit(const Coordinate& c) {
  return std::isfinite(c.acceleration) ? c.acceleration : kAcceleration;
}

// --- An evaluator of its own -------------------------------------------------------------------

using Turn = std::array<double, 4>;  // x, y, z, w

Turn times(const Turn& a, const Turn& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
          a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}
Turn inverse(const Turn& a) {
  return {-a[0], -a[1], -a[2], a[3]};
}
Vec3 log_of(Turn a) {
  if (a[3] < 0)
    for (double& x : a) x = -x;
  const Vec3 v{a[0], a[1], a[2]};
  const double size = norm(v);
  return size == 0 ? Vec3{} : (2 * std::atan2(size, a[3]) / size) * v;
}
Turn exp_of(const Vec3& phi) {
  const double angle = norm(phi), f = angle < 1e-9 ? 0.5 : std::sin(angle / 2) / angle;
  return {f * phi.x, f * phi.y, f * phi.z, std::cos(angle / 2)};
}

double binomial(int n, int k) {
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
std::vector<double> change(const KinematicTree& tree, const std::vector<double>& a,
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
Shares measure(const KinematicTree& tree, const Motion& motion, double jerk, int steps = 2000) {
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
        if (order == 1) shares.velocity = std::max(shares.velocity, size / h / velocity_limit(c));
        if (order == 2)
          shares.acceleration =
              std::max(shares.acceleration, size / (h * h) / acceleration_limit(c));
        if (order == 3) shares.jerk = std::max(shares.jerk, size / (h * h * h) / jerk);
      }
  return shares;
}

double distance(const KinematicTree& tree, const std::vector<double>& a,
                const std::vector<double>& b) {
  double sum = 0;
  for (const double d : change(tree, a, b)) sum += d * d;
  return std::sqrt(sum);
}

// From a waypoint to the nearest of the motion's samples.
double nearest(const KinematicTree& tree, const Motion& motion, const std::vector<double>& q) {
  const Evaluator evaluator(tree, motion);
  double least = kInfinity;
  for (int i = 0; i <= 4000; ++i)
    least = std::min(least, distance(tree, evaluator.at(motion.times.back() * i / 4000), q));
  return least;
}

// Of plain coordinates only.
double distance_from_path(const Path& path, const std::vector<double>& q) {
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

double full_speed(const KinematicTree& tree, const Path& path) {
  double sum = 0;
  for (std::size_t i = 1; i < path.waypoints.size(); ++i) {
    double most = 0;
    const std::vector<double> d = change(tree, path.waypoints[i - 1], path.waypoints[i]);
    for (std::size_t k = 0; k < d.size(); ++k) {
      const Coordinate& c = tree.coordinates()[k];
      double size = std::fabs(d[k]);
      if (c.quaternion) size = std::hypot(d[k], d[k + 1], d[k + 2]), k += 3;
      most = std::max(most, size / velocity_limit(c));
    }
    sum += most;
  }
  return sum;
}

TimingResult must_time(const KinematicTree& tree, const Path& path, const TimingOptions& options) {
  auto timed = time_path(tree, path, options);
  EXPECT_TRUE(timed.ok()) << (timed.ok() ? "" : timed.error().text());
  return timed.ok() ? std::move(timed).value() : TimingResult{};
}

void expect_limits(const Shares& shares, double tolerance = 1e-7) {
  EXPECT_LT(shares.velocity, 1 + tolerance);
  EXPECT_LT(shares.acceleration, 1 + tolerance);
}

// What holds of every timed motion.
void expect_sound(const KinematicTree& tree, const Path& path, const TimingOptions& options,
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
  for (const Coordinate& c : tree.coordinates()) slowest = std::min(slowest, velocity_limit(c));
  // Corners that are cut make the way shorter.
  EXPECT_GE(timed.duration, timed.at_full_speed - 2 * timed.corners * timed.deviation / slowest);
  const double step = 4 * timed.duration / 4000;  // faster than any of the robots here
  for (const std::vector<double>& q : path.waypoints)
    EXPECT_LE(nearest(tree, motion, q), timed.deviation + step);
}

Path random_path(Random& random, std::size_t coordinates, int waypoints, double reach) {
  Path path;
  for (int i = 0; i < waypoints; ++i) {
    std::vector<double> q;
    for (std::size_t k = 0; k < coordinates; ++k) q.push_back(random.uniform(-reach, reach));
    path.waypoints.push_back(q);
  }
  return path;
}

// --- Tests -------------------------------------------------------------------------------------

TEST(Timing, LimitsHoldAndAreReached) {
  Random random(5);
  int full_speed = 0, cut = 0, stopped = 0;
  for (int n = 0; n < cases(60); ++n) {
    std::vector<JointCase> joints;
    for (int k = 0; k < 1 + n % 5; ++k)
      joints.push_back({k == 1   ? JointType::prismatic
                        : k == 2 ? JointType::continuous
                                 : JointType::revolute,
                        random.index(2) ? random.uniform(0.3, 2) : kInfinity,
                        random.index(2) ? random.uniform(1, 10) : kInfinity});
    const KinematicTree tree = tree_of(chain(joints));
    const Path path = random_path(random, joints.size(), 2 + n % 6, n % 3 ? 2.5 : 0.1);
    TimingOptions o = options();
    o.jerk = n % 2 ? random.uniform(5, 50) : kInfinity;
    o.interval = n % 4 < 2 ? 0.1 : 10;
    const TimingResult timed = must_time(tree, path, o);
    expect_sound(tree, path, o, timed);
    const Shares shares = measure(tree, timed.motion, o.jerk);
    expect_limits(shares);
    EXPECT_LT(shares.jerk, 1 + 1e-4) << n;
    // Steps of time and gentle changes aside, some limit is reached.
    EXPECT_GT(std::max({shares.velocity, shares.acceleration, shares.jerk}), 0.97) << n;
    const Evaluator evaluator(tree, timed.motion);
    for (int i = 0; i <= 1000; ++i)
      EXPECT_LE(distance_from_path(path, evaluator.at(timed.duration * i / 1000)),
                timed.deviation + 1e-9);
    full_speed += shares.velocity > 1 - 1e-6;
    cut += timed.stops < timed.corners;
    stopped += timed.stops > 0;
  }
  EXPECT_GT(full_speed, cases(60) / 6);
  EXPECT_LT(full_speed, cases(60));
  EXPECT_GT(cut, cases(60) / 3);
  EXPECT_GT(stopped, 0);
}

// One joint from rest to rest: the known optimal times.
TEST(Timing, DurationsAreTheKnownOnes) {
  const KinematicTree tree = three_joints();
  for (const double travel : {0.01, 0.1, 1.0, 2.0}) {
    Path path;
    path.waypoints = {{0, 0, 0}, {0, travel, 0}};
    const double duration = must_time(tree, path, options()).duration;
    const double ramp = kVelocity / kAcceleration;
    const double expected = travel > kVelocity * ramp ? travel / kVelocity + ramp
                                                      : 2 * std::sqrt(travel / kAcceleration);
    EXPECT_NEAR(duration, expected, 1e-7);  // whole nanoseconds
    TimingOptions slow = options();
    slow.scale = 0.25;
    EXPECT_GT(must_time(tree, path, slow).duration, 1.9 * duration);
    for (const double jerk : {3.0, 30.0, 3000.0}) {
      TimingOptions o = options();
      o.jerk = jerk;
      // The least time in which a bounded jerk reaches speed v and covers half of the travel.
      const auto change = [&](double v) {
        return v * jerk < kAcceleration * kAcceleration ? 2 * std::sqrt(v / jerk)
                                                        : v / kAcceleration + kAcceleration / jerk;
      };
      double low = 0, high = kVelocity;
      if (kVelocity * change(kVelocity) > travel)
        for (int i = 0; i < 100; ++i) {
          const double v = 0.5 * (low + high);
          (v * change(v) > travel ? high : low) = v;
        }
      const double optimal = 2 * change(high) + (travel - high * change(high)) / high;
      const double with_jerk = must_time(tree, path, o).duration;
      EXPECT_GT(with_jerk, optimal - 1e-9);
      EXPECT_LT(with_jerk, optimal + 3e-3);
    }
  }
}

// On many short segments the speed changes within blends, too: little is lost to a generous limit
// of jerk, and less the more generous it is.
TEST(Timing, BoundedJerkCostsLittleOnManyCorners) {
  const KinematicTree tree = three_joints();
  Random random(8);
  for (int n = 0; n < cases(8); ++n) {
    Path path;
    path.waypoints = {{0, 0, 0}};
    for (int i = 0; i < 12; ++i) {
      path.waypoints.push_back(path.waypoints.back());
      for (double& value : path.waypoints.back()) value += random.uniform(-0.1, 0.3);
    }
    TimingOptions o = options();
    const double without = must_time(tree, path, o).duration;
    double before = kInfinity;
    for (const double jerk : {30.0, 100.0, 1000.0}) {
      o.jerk = jerk;
      const TimingResult timed = must_time(tree, path, o);
      const Shares shares = measure(tree, timed.motion, jerk);
      expect_limits(shares, 1e-4);
      EXPECT_LT(shares.jerk, 1 + 1e-4);
      EXPECT_GT(timed.duration, 0.99 * without);
      EXPECT_LT(timed.duration, before);
      before = timed.duration;
    }
    EXPECT_LT(before, 1.01 * without);
  }
}

TEST(Timing, CornersArePassedAtSpeed) {
  const KinematicTree tree = three_joints();
  Path zigzag;
  for (int i = 0; i < 9; ++i) zigzag.waypoints.push_back({0.3 * i, i % 2 ? 0.3 : 0.0, 0});
  for (const double jerk : {kInfinity, 40.0}) {
    TimingOptions o = options();
    o.jerk = jerk;
    const TimingResult timed = must_time(tree, zigzag, o);
    expect_sound(tree, zigzag, o, timed);
    EXPECT_EQ(timed.corners, 7);
    EXPECT_EQ(timed.stops, 0);
    EXPECT_LT(timed.duration, 0.85 * timed.with_stops);
    o.blend = 0;
    const TimingResult stopping = must_time(tree, zigzag, o);
    EXPECT_EQ(stopping.stops, 7);
    EXPECT_EQ(stopping.deviation, 0);
    EXPECT_NEAR(stopping.duration, stopping.with_stops, kClock);
    EXPECT_EQ(stopping.with_stops, timed.with_stops);
    const Evaluator evaluator(tree, stopping.motion);
    for (int i = 0; i <= 1000; ++i)
      EXPECT_LT(distance_from_path(zigzag, evaluator.at(stopping.duration * i / 1000)), 1e-12);
  }
}

// Waypoints that rounding made two are a path as well, alone and between others.
TEST(Timing, StepsOfRoundingAreTimed) {
  const KinematicTree tree = three_joints();
  const std::vector<double> from = {0.1, 0.2, 0.3}, by_rounding = {0.1 + 1e-13, 0.2, 0.3};
  const std::vector<std::vector<std::vector<double>>> cases = {
      {from, by_rounding}, {from, by_rounding, {0.4, 0.2, 0.3}}, {{0, 0, 0}, from, by_rounding}};
  for (const auto& waypoints : cases) {
    Path path;
    path.waypoints = waypoints;
    const TimingResult timed = must_time(tree, path, options());
    expect_sound(tree, path, options(), timed);
    EXPECT_EQ(timed.motion.waypoints.front(), path.waypoints.front());
    EXPECT_EQ(timed.motion.waypoints.back(), path.waypoints.back());
  }
}

// A wider cut is a faster one, and none is wider than asked.
TEST(Timing, WiderCutsAreFaster) {
  const KinematicTree tree = tree_of(chain({{JointType::revolute, 2}, {JointType::revolute, 2}}));
  Path path;
  path.waypoints = {{0, 0}, {2, 0}, {2, 2}, {0.5, 2.5}};
  double before = kInfinity;
  for (const double blend : {0.001, 0.01, 0.05, 0.1, 0.3}) {
    TimingOptions o = options();
    o.blend = blend;
    const TimingResult timed = must_time(tree, path, o);
    EXPECT_LT(timed.duration, before);
    EXPECT_LE(timed.deviation, blend * 1.01);
    before = timed.duration;
  }
}

TEST(Timing, WaypointsOnALineDoNotSlowAndReversalsStop) {
  const KinematicTree tree = three_joints();
  Path plain, dotted, back;
  plain.waypoints = {{0, 0, 0}, {1, 0.5, 0.25}};
  dotted.waypoints = {{0, 0, 0},
                      {0.25, 0.125, 0.0625},
                      {0.25, 0.125, 0.0625},
                      {0.75, 0.375, 0.1875},
                      {1, 0.5, 0.25}};
  back.waypoints = {{0, 0, 0}, {1, 0.5, 0.25}, {0.5, 0.25, 0.125}};
  const TimingResult line = must_time(tree, plain, options());
  const TimingResult dots = must_time(tree, dotted, options());
  EXPECT_NEAR(line.duration, dots.duration, 1e-9);
  EXPECT_GT(dots.with_stops, 1.1 * line.with_stops);
  EXPECT_EQ(dots.corners, 0);
  const TimingResult reversed = must_time(tree, back, options());
  EXPECT_EQ(reversed.stops, 1);
  EXPECT_NE(std::ranges::find(reversed.motion.waypoints, back.waypoints[1]),
            reversed.motion.waypoints.end());
  Path still;
  still.waypoints = {{1, 1, 1}, {1, 1, 1}};
  const TimingResult rest = must_time(tree, still, options());
  EXPECT_EQ(rest.duration, 0);
  EXPECT_EQ(rest.motion.waypoints.size(), 1u);
}

// Planar and floating bases with an arm. A floating base stops where its axis changes, and only
// there.
TEST(Timing, BasesThatMove) {
  Random random(8);
  for (int n = 0; n < cases(12); ++n) {
    const KinematicTree planar =
        tree_of(chain({{JointType::planar},
                       {JointType::revolute, 1},
                       {JointType::revolute, 1, 4, Mimic{"j1", -1.5, 0.2}}}));
    ASSERT_EQ(planar.num_coordinates(), 4);
    const Path drive = random_path(random, 4, 5, 1);
    const TimingResult driven = must_time(planar, drive, options());
    expect_sound(planar, drive, options(), driven);
    expect_limits(measure(planar, driven.motion, kInfinity));
    EXPECT_EQ(driven.stops, 0);

    const KinematicTree floating =
        tree_of(chain({{JointType::floating}, {JointType::revolute, 1}}));
    ASSERT_EQ(floating.num_coordinates(), 8);
    const Vec3 axis = random.unit_vector(), other = random.unit_vector();
    Turn turn{0, 0, 0, 1};
    Path flight;
    for (int i = 0; i < 6; ++i) {
      std::vector<double> q;
      for (int k = 0; k < 3; ++k) q.push_back(random.uniform(-1, 1));
      // Waypoints 1 and 2 turn about one axis, waypoint 3 not at all, 4 and 5 about another.
      if (i > 0 && i != 3)
        turn = times(turn, exp_of(random.uniform(0.2, 2) * (i < 3 ? axis : other)));
      q.insert(q.end(), turn.begin(), turn.end());
      q.push_back(random.uniform(-1, 1));
      flight.waypoints.push_back(q);
    }
    TimingOptions o = options();
    o.jerk = n % 2 ? 20 : kInfinity;
    const TimingResult flown = must_time(floating, flight, o);
    expect_sound(floating, flight, o, flown);
    expect_limits(measure(floating, flown.motion, o.jerk), 1e-6);
    EXPECT_EQ(flown.corners, 4);
    if (n % 2 == 0) {
      EXPECT_EQ(flown.stops, 1);
    }
    EXPECT_NE(std::ranges::find(flown.motion.waypoints, flight.waypoints[3]),
              flown.motion.waypoints.end());
  }
}

// A block that slides along x and y.
SceneBuilder gantry() {
  Robot robot = chain({{JointType::prismatic, 1, 4}, {JointType::prismatic, 1, 4}});
  robot.joints[0].axis = {1, 0, 0};
  robot.joints[1].axis = {0, 1, 0};
  robot.links.back().collision = box_mesh({0.1, 0.1, 0.1});
  SceneBuilder builder;
  EXPECT_TRUE(builder.add_robot(robot, "gantry", Pose{}).ok());
  return builder;
}

int collisions(const Scene& scene, const Motion& motion) {
  FclScene fcl(scene);
  const Evaluator evaluator(scene.tree(), motion);
  int count = 0;
  for (int i = 0; i <= 2000; ++i)
    count += fcl.first_collision(evaluator.at(motion.times.back() * i / 2000)) >= 0;
  return count;
}

// A post inside the corner of an L: the nearer it stands, the less is cut.
TEST(Timing, CornersAreTightenedUntilTheyAreFree) {
  Path path;
  path.waypoints = {{0, 0}, {2, 0}, {2, 2}};
  int tightened = 0, stopped = 0, unchanged = 0;
  double before = 0;
  for (const double gap : {0.5, 0.1, 0.03, 0.012, 0.004, 0.0005, 0.00002}) {
    SceneBuilder builder = gantry();
    // Its corner is `gap` from both segments that the block sweeps.
    const double near = 0.05 + gap;
    EXPECT_TRUE(builder
                    .add_obstacle("post", box_mesh({0.2, 0.2, 1}),
                                  Pose::translation({2 - near - 0.1, near + 0.1, 0}))
                    .ok());
    const Scene scene = must_build(std::move(builder));
    for (const double jerk : {kInfinity, 40.0}) {
      TimingOptions o;
      o.jerk = jerk;
      const auto timed = time_path(scene, path, o, {});
      ASSERT_TRUE(timed.ok()) << timed.error().text();
      const TimingResult& result = timed.value();
      EXPECT_EQ(result.input.verdict, Verdict::free);
      EXPECT_EQ(result.proof.verdict, Verdict::free) << gap;
      EXPECT_EQ(collisions(scene, result.motion), 0);
      EXPECT_LE(result.duration, result.with_stops + kClock);
      const TimingResult unproved = must_time(scene.tree(), path, o);
      EXPECT_EQ(unproved.tightened, 0);
      // What was tightened had to be.
      EXPECT_EQ(collisions(scene, unproved.motion) > 0, result.tightened > 0) << gap;
      tightened += result.tightened > 0 && result.stops == 0;
      stopped += result.stops;
      unchanged += result.tightened == 0;
      if (std::isfinite(jerk)) continue;
      EXPECT_GE(result.duration, before);
      before = result.duration;
    }
  }
  EXPECT_GT(tightened, 2);
  EXPECT_GT(stopped, 0);
  EXPECT_GT(unchanged, 0);
}

// What drivers are told is what was proved: times are whole nanoseconds, and the curve between the
// points of the file has the same bits.
TEST(Timing, AFileSaysExactlyWhatWasProved) {
  SceneBuilder builder = gantry();
  EXPECT_TRUE(
      builder.add_obstacle("post", box_mesh({0.2, 0.2, 1}), Pose::translation({4, 4, 0})).ok());
  const Scene scene = must_build(std::move(builder));
  const TemporaryFolder folder;
  Random random(12);
  int cubic = 0, quintic = 0;
  for (int n = 0; n < cases(40); ++n) {
    const Path path = random_path(random, 2, 2 + n % 5, n % 3 ? 2.5 : 1e-3);
    TimingOptions o;
    o.jerk = n % 2 ? random.uniform(5, 500) : kInfinity;
    o.interval = n % 5 ? 0.1 : random.uniform(0.001, 0.02);
    CheckOptions check;
    check.certificate = true;
    const auto timed = time_path(scene, path, o, check);
    ASSERT_TRUE(timed.ok()) << timed.error().text();
    const Motion& motion = timed.value().motion;
    for (const char* name : {"timed.yaml", "timed.csv"}) {
      const auto file = folder.path() / name;
      ASSERT_TRUE(save_path(file, motion, scene).ok());
      const auto back = load_path(file, scene);
      ASSERT_TRUE(back.ok()) << back.error().text();
      ASSERT_EQ(back.value().times, motion.times) << n;
      ASSERT_EQ(back.value().waypoints, motion.waypoints) << n;
      ASSERT_EQ(back.value().inner, motion.inner) << n;
      const VerifyReport report =
          verify(scene.description(), back.value(), timed.value().certificate);
      EXPECT_TRUE(report.accepted) << report.reason;
    }
    ++(motion.degree() == 3 ? cubic : quintic);
    const auto text = read_file(folder.path() / "timed.yaml");
    ASSERT_TRUE(text.ok());
    EXPECT_NE(text.value().find("nanosec"), std::string::npos);
  }
  EXPECT_GT(cubic, 0);
  EXPECT_GT(quintic, 0);
}

TEST(Timing, APathThatIsNotFreeIsNotTimed) {
  SceneBuilder builder = gantry();
  EXPECT_TRUE(
      builder.add_obstacle("post", box_mesh({0.2, 0.2, 1}), Pose::translation({1, 0, 0})).ok());
  const Scene scene = must_build(std::move(builder));
  Path path;
  path.waypoints = {{0, 0}, {2, 0}, {2, 2}};
  const auto timed = time_path(scene, path, TimingOptions{}, {});
  ASSERT_TRUE(timed.ok());
  EXPECT_EQ(timed.value().input.verdict, Verdict::collision);
  EXPECT_TRUE(timed.value().motion.waypoints.empty());
  // Another way is free, but there is no time to see it.
  path.waypoints = {{0, 0}, {0, 1}, {2, 2}};
  std::atomic<bool> cancel = true;
  const auto stopped = time_path(scene, path, TimingOptions{}, {}, {.cancel = &cancel});
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(stopped.value().input.verdict, Verdict::undecided);
  TimingOptions known;
  known.input_is_proved = true;
  const auto unproved = time_path(scene, path, known, {}, {.cancel = &cancel});
  ASSERT_TRUE(unproved.ok());
  EXPECT_EQ(unproved.value().proof.verdict, Verdict::undecided);
  CheckOptions with_certificate;
  with_certificate.certificate = true;
  const auto proved = time_path(scene, path, known, with_certificate);
  ASSERT_TRUE(proved.ok());
  EXPECT_EQ(proved.value().proof.verdict, Verdict::free);
  EXPECT_FALSE(proved.value().certificate.empty());
}

// Joint limits next to corners, and of a joint that follows another.
TEST(Timing, PositionsStayWithinLimits) {
  const KinematicTree tree = tree_of(chain({{JointType::revolute, 2},
                                            {JointType::revolute, 2, 9, Mimic{"j0", 2, 1}},
                                            {JointType::revolute, 1}}));
  Random random(3);
  for (int n = 0; n < cases(30); ++n) {
    // j1 = 2 j0 + 1 is within 3: j0 is within [-2, 1].
    Path path;
    for (int i = 0; i < 6; ++i)
      path.waypoints.push_back(
          {i % 2 ? 1.0 : random.uniform(-2, 1), i % 3 ? 3.0 : random.uniform(-3, 3)});
    const TimingResult timed = must_time(tree, path, options());
    EXPECT_LT(timed.stops, timed.corners);
    const Evaluator evaluator(tree, timed.motion);
    for (int i = 0; i <= 2000; ++i) {
      const std::vector<double> q = evaluator.at(timed.duration * i / 2000);
      EXPECT_LE(q[0], 1 + 1e-8);
      EXPECT_GE(q[0], -2 - 1e-8);
      EXPECT_LE(q[1], 3 + 1e-8);
    }
  }
}

TEST(Timing, BadOptionsAreRefused) {
  const KinematicTree tree = three_joints();
  Path path;
  path.waypoints = {{0, 0, 0}, {1, 1, 1}};
  for (double TimingOptions::*member :
       {&TimingOptions::velocity, &TimingOptions::acceleration, &TimingOptions::scale,
        &TimingOptions::interval, &TimingOptions::jerk})
    for (const double value : {0.0, -1.0, std::nan("")}) {
      TimingOptions bad = options();
      bad.*member = value;
      EXPECT_FALSE(time_path(tree, path, bad).ok());
    }
  TimingOptions fast = options(), wide = options(), fine = options();
  fast.scale = 1.5;
  wide.blend = -0.1;
  fine.interval = 1e-7;
  EXPECT_FALSE(time_path(tree, path, fast).ok());
  EXPECT_FALSE(time_path(tree, path, wide).ok());
  EXPECT_FALSE(time_path(tree, path, fine).ok());
  EXPECT_FALSE(time_path(tree, Path{}, options()).ok());
  Motion curved = path;
  curved.inner = {{{0.5, 0, 0}}};
  EXPECT_FALSE(time_path(tree, curved, options()).ok());
}

}  // namespace
}  // namespace proven::test
