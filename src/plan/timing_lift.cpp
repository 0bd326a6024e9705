#include "plan/timing_lift.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/timing_clock.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/limits.h"

namespace proven {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Directions, as shares of top speeds, and axes of turns that differ by no more are the same.
constexpr double kSameDirection = 1e-12, kSameAxis = 1e-10, kReversed = 1e-9;

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// First the given rotation, then in its frame the turn about `axis`.
Quaternion turned(const Quaternion& start, const Vec3& axis, double angle) {
  const double s = std::sin(0.5 * angle), w = std::cos(0.5 * angle);
  const Vec3 a{start.x, start.y, start.z}, b = s * axis;
  const Vec3 v = start.w * b + w * a + cross(a, b);
  const Quaternion q{v.x, v.y, v.z, start.w * w - dot(a, b)};
  const double size = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / size, q.y / size, q.z / size, q.w / size};
}

// The largest difference of two directions, as a share of the axes' speeds; `sign` -1 compares with
// the opposite.
double difference(const Row& a, const Row& b, double sign, const std::vector<AxisLimits>& limits) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    most = std::max(most, std::fabs(a[k] - sign * b[k]) / limits[k].velocity);
  return most;
}

}  // namespace

// The way from one waypoint to the next.
struct Lifting::Step {
  Row travel;               // of ball joints 0
  std::vector<Vec3> turns;  // of ball joints: rotation vectors in their own frame
};

Lifting::Lifting(const KinematicTree& tree, const Path& path, const TimingOptions& options)
    : tree_(tree), path_(path) {
  const auto coordinates = tree.coordinates();
  const auto rates = rate_limits(tree, options.velocity, options.acceleration);
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const Coordinate& c = coordinates[k];
    axes_.push_back({static_cast<int>(k), c.quaternion});
    limits_.push_back({options.scale * rates[k].velocity, options.scale * rates[k].acceleration,
                       options.scale * options.jerk / rates[k].fastest});
    if (c.quaternion) k += 3;  // four coordinates, one axis
  }
  add_ranges();
}

double Lifting::longest_piece() const {
  double seconds = kInfinity;
  for (std::size_t k = 0; k < axes_.size(); ++k)
    if (axes_[k].ball) seconds = std::min(seconds, 1 / limits_[k].velocity);
  return seconds;
}

void Lifting::add_ranges() {
  const std::vector<Interval> limits = joint_limits(tree_);
  for (const Axis& axis : axes_) {
    Interval range = limits[at(axis.coordinate)];
    if (axis.ball) range = {-kInfinity, kInfinity};
    for (const std::vector<double>& q : path_.waypoints) {
      range.lower = std::min(range.lower, q[at(axis.coordinate)]);
      range.upper = std::max(range.upper, q[at(axis.coordinate)]);
    }
    ranges_.push_back(range);
  }
}

Row Lifting::lift(std::span<const double> q) const {
  Row row;
  for (const Axis& axis : axes_) row.push_back(axis.ball ? 0 : q[at(axis.coordinate)]);
  return row;
}

Lifting::Step Lifting::step(std::span<const double> from, std::span<const double> to) const {
  Step step;
  std::vector<double> rate(from.size()), unused(from.size());
  differentiate(tree_, MotionPiece{from, to}, 0, rate, unused);
  for (const Axis& axis : axes_) {
    const std::size_t i = at(axis.coordinate);
    step.travel.push_back(axis.ball ? 0 : to[i] - from[i]);
    if (!axis.ball) continue;
    // The angular velocity is that of the joint's frame, the same all the way.
    const Mat3 R = rotation_from_quaternion(read_quaternion(from, axis.coordinate));
    step.turns.push_back(transpose_times(R, {rate[i], rate[i + 1], rate[i + 2]}));
  }
  return step;
}

LiftedRun Lifting::run_from(int waypoint) const {
  LiftedRun run;
  run.points = {lift(path_.waypoints[at(waypoint)])};
  run.waypoints = {waypoint};
  for (const Axis& axis : axes_)
    if (axis.ball) run.turns.push_back({});
  return run;
}

// Whether the run goes on to the waypoint; else it must stop where it is.
bool Lifting::extend(LiftedRun& run, const Step& step, int waypoint, bool stop) const {
  const std::size_t last = run.points.size() - 1;
  if (stop && last > 0) return false;
  Row next = lift(path_.waypoints[at(waypoint)]);
  std::vector<Vec3> turns = run.turns;
  std::size_t ball = 0;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (!axes_[k].ball) continue;
    const Vec3& turn = step.turns[ball];
    Vec3& axis = turns[ball++];
    const double angle = norm(turn);
    if (axis == Vec3{} && angle > 0) axis = (1 / angle) * turn;
    const double along = dot(turn, axis);
    if (norm(turn - along * axis) > kSameAxis * angle) return false;
    next[k] = run.points[last][k] + along;
  }
  const double length = travel_seconds(run.points[last], next, limits_);
  if (last > 0) {
    const double before = travel_seconds(run.points[last - 1], run.points[last], limits_);
    const Row u = direction(run.points[last - 1], run.points[last], before);
    const Row v = direction(run.points[last], next, length);
    if (difference(u, v, -1, limits_) <= kReversed) return false;
    if (difference(u, v, 1, limits_) <= kSameDirection) {
      run.points.pop_back();
      run.waypoints.pop_back();
    }
  }
  run.turns = std::move(turns);
  run.points.push_back(std::move(next));
  run.waypoints.push_back(waypoint);
  return true;
}

std::vector<LiftedRun> Lifting::runs(const std::vector<bool>& stops) const {
  std::vector<LiftedRun> runs = {run_from(0)};
  int last = 0;
  for (int i = 1; i < static_cast<int>(path_.waypoints.size()); ++i) {
    const Step step = this->step(path_.waypoints[at(last)], path_.waypoints[at(i)]);
    const auto rests = [](const auto& value) { return value == std::decay_t<decltype(value)>{}; };
    if (std::ranges::all_of(step.travel, rests) && std::ranges::all_of(step.turns, rests)) continue;
    if (!extend(runs.back(), step, i, stops[at(last)])) {
      runs.push_back(run_from(last));
      extend(runs.back(), step, i, false);
    }
    last = i;
  }
  if (runs.back().points.size() == 1) runs.pop_back();
  return runs;
}

std::vector<double> Lifting::configuration(const LiftedRun& run, const Row& row) const {
  const std::vector<double>& start = path_.waypoints[at(run.waypoints.front())];
  std::vector<double> q(start.size());
  std::size_t ball = 0;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const std::size_t i = at(axes_[k].coordinate);
    q[i] = row[k];
    if (!axes_[k].ball) continue;
    const Quaternion rest = read_quaternion(start, axes_[k].coordinate);
    const Vec3& axis = run.turns[ball++];
    const Quaternion r = axis == Vec3{} ? rest : turned(rest, axis, row[k]);
    q[i] = r.x, q[i + 1] = r.y, q[i + 2] = r.z, q[i + 3] = r.w;
  }
  return q;
}

std::vector<double> Lifting::control_point(const LiftedRun& run, const Row& from,
                                           const Row& row) const {
  std::vector<double> q(path_.waypoints.front().size());
  std::size_t ball = 0;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const std::size_t i = at(axes_[k].coordinate);
    q[i] = row[k];
    if (!axes_[k].ball) continue;
    const Vec3 turn = (row[k] - from[k]) * run.turns[ball++];
    q[i] = turn.x, q[i + 1] = turn.y, q[i + 2] = turn.z, q[i + 3] = 0;
  }
  return q;
}

void Lifting::append(const LiftedRun& run, const std::vector<TimedPiece>& pieces,
                     Motion& motion) const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::vector<Row>& control = pieces[i].control;
    std::vector<std::vector<double>> inner;
    for (std::size_t k = 1; k + 1 < control.size(); ++k)
      inner.push_back(control_point(run, control.front(), control[k]));
    motion.inner.push_back(std::move(inner));
    motion.times.push_back(whole_nanoseconds(motion.times.back() + pieces[i].seconds));
    // The last one is the waypoint itself.
    motion.waypoints.push_back(i + 1 < pieces.size() ? configuration(run, control.back())
                                                     : path_.waypoints[at(run.waypoints.back())]);
  }
}

}  // namespace proven
