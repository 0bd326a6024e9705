#include "proven/plan/joint_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "proven/kinematics/interpolation.h"

namespace proven {
namespace {

constexpr double kPi = std::numbers::pi;
// How far beyond start and goal a coordinate without limits may go, in metres or radians.
constexpr double kReach = 1;

std::vector<int> planned_coordinates(const Scene& scene, const Query& query) {
  if (!query.planned.empty()) return query.planned;
  std::vector<int> all(static_cast<std::size_t>(scene.tree().num_coordinates()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  return all;
}

// A small turn with a uniform axis, `angle` at most.
Quaternion random_turn(Random& random, double angle) {
  const Vec3 axis = random.unit_vector();
  const double half = 0.5 * angle * std::cbrt(random.uniform());
  const double s = std::sin(half);
  return {axis.x * s, axis.y * s, axis.z * s, std::cos(half)};
}

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

void write(const Quaternion& q, std::span<double> out, int first) {
  const double norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const auto i = static_cast<std::size_t>(first);
  out[i] = q.x / norm;
  out[i + 1] = q.y / norm;
  out[i + 2] = q.z / norm;
  out[i + 3] = q.w / norm;
}

}  // namespace

void ignore_limits(const Scene& scene, Query& query) {
  if (query.limits.empty()) query.limits = joint_limits(scene.tree());
  for (std::size_t i = 0; i < query.limits.size(); ++i) {
    Interval& limits = query.limits[i];
    limits = {std::min({limits.lower, query.start[i], query.goal[i]}),
              std::max({limits.upper, query.start[i], query.goal[i]})};
  }
}

Result<void> require_within_limits(const Scene& scene, const Query& query,
                                   const CheckOptions& options) {
  if (options.limits == Limits::ignore || query.limits.empty()) return {};
  const std::vector<Interval> own = joint_limits(scene.tree());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Interval& asked = query.limits[i];
    if (asked.lower >= own[i].lower - kLimitTolerance &&
        asked.upper <= own[i].upper + kLimitTolerance)
      continue;
    return bad_input(fmt::format(
        "the query lets joint {} go from {} to {}, beyond its limits {} and {}; narrow it, or have "
        "limits ignored (CheckOptions::limits)",
        scene.tree().coordinates()[i].name, asked.lower, asked.upper, own[i].lower, own[i].upper));
  }
  return {};
}

Result<void> validate_query(const Scene& scene, const Query& query) {
  const KinematicTree& tree = scene.tree();
  const auto size = static_cast<std::size_t>(tree.num_coordinates());
  if (auto valid = check_configuration(tree, query.start); !valid.ok())
    return bad_input(valid.error().message, "start");
  if (auto valid = check_configuration(tree, query.goal); !valid.ok())
    return bad_input(valid.error().message, "goal");
  if (!query.limits.empty() && query.limits.size() != size)
    return bad_input(
        fmt::format("there are {} limits for {} coordinates", query.limits.size(), size));
  std::vector<bool> planned(size, query.planned.empty());
  for (const int c : query.planned) {
    if (c < 0 || c >= tree.num_coordinates())
      return bad_input(fmt::format("there is no coordinate {} to plan for", c));
    if (planned[static_cast<std::size_t>(c)])
      return bad_input(fmt::format("coordinate '{}' is to be planned twice",
                                   tree.coordinates()[static_cast<std::size_t>(c)].name));
    planned[static_cast<std::size_t>(c)] = true;
  }
  for (std::size_t i = 0; i < size; ++i) {
    const Coordinate& c = tree.coordinates()[i];
    if (!planned[i] && query.start[i] != query.goal[i])
      return bad_input(fmt::format("'{}' is not planned for, but start ({}) and goal ({}) differ",
                                   c.name, query.start[i], query.goal[i]));
  }
  for (const Link& link : tree.links()) {
    if (link.joint.kind != JointKind::ball) continue;
    const auto first = static_cast<std::size_t>(link.joint.coordinate);
    const auto count = std::count(planned.begin() + static_cast<std::ptrdiff_t>(first),
                                  planned.begin() + static_cast<std::ptrdiff_t>(first + 4), true);
    if (count % 4 != 0)
      return bad_input(fmt::format("plan for all four coordinates of '{}' or for none",
                                   tree.coordinates()[first].name));
  }
  return {};
}

JointSpace::JointSpace(const Scene& scene, const Query& query)
    : planned_(planned_coordinates(scene, query)), rest_(query.start), goal_(query.goal) {
  // Ball joints need their four coordinates side by side.
  std::sort(planned_.begin(), planned_.end());
  const KinematicTree& tree = scene.tree();
  const std::vector<Interval> limits = query.limits.empty() ? joint_limits(tree) : query.limits;
  for (std::size_t k = 0; k < planned_.size(); ++k) {
    const auto c = static_cast<std::size_t>(planned_[k]);
    const Coordinate& coordinate = tree.coordinates()[c];
    if (coordinate.quaternion) {
      if (balls_.empty() || balls_.back() + 4 <= static_cast<int>(k))
        balls_.push_back(static_cast<int>(k));
      ranges_.push_back({-1, 1});
      continue;
    }
    scalars_.push_back(static_cast<int>(k));
    Interval range = limits[c];
    const double low = std::min(query.start[c], query.goal[c]);
    const double high = std::max(query.start[c], query.goal[c]);
    const bool free_turn =
        coordinate.continuous && !std::isfinite(range.lower) && !std::isfinite(range.upper);
    if (free_turn) {
      continuous_.push_back(static_cast<int>(k));
      range = {std::min(query.start[c] - 2 * kPi, query.goal[c] - kPi),
               std::max(query.start[c] + 2 * kPi, query.goal[c] + kPi)};
    }
    if (!std::isfinite(range.lower)) range.lower = low - kReach;
    if (!std::isfinite(range.upper)) range.upper = high + kReach;
    ranges_.push_back(range);
  }
}

double JointSpace::distance(std::span<const double> a, std::span<const double> b) const {
  double sum = 0;
  for (const int k : scalars_) {
    const double d = a[static_cast<std::size_t>(k)] - b[static_cast<std::size_t>(k)];
    sum += d * d;
  }
  for (const int k : balls_) {
    const double angle = rotation_angle(read_quaternion(a, k), read_quaternion(b, k));
    sum += angle * angle;
  }
  return std::sqrt(sum);
}

double JointSpace::normalised_distance(std::span<const double> a, std::span<const double> b) const {
  double largest = 0;
  for (const int place : scalars_) {
    const auto k = static_cast<std::size_t>(place);
    const double width = ranges_[k].upper - ranges_[k].lower;
    if (width > 0) largest = std::max(largest, std::fabs(a[k] - b[k]) / width);
  }
  for (const int k : balls_)
    largest = std::max(largest, rotation_angle(read_quaternion(a, k), read_quaternion(b, k)) / kPi);
  return largest;
}

void JointSpace::interpolate(std::span<const double> a, std::span<const double> b, double t,
                             std::span<double> out) const {
  for (const int place : scalars_) {
    const auto k = static_cast<std::size_t>(place);
    out[k] = a[k] + t * (b[k] - a[k]);
  }
  for (const int k : balls_) write(slerp(read_quaternion(a, k), read_quaternion(b, k), t), out, k);
}

void JointSpace::sample(Random& random, std::span<double> out) const {
  for (const int place : scalars_) {
    const auto k = static_cast<std::size_t>(place);
    out[k] = random.uniform(ranges_[k].lower, ranges_[k].upper);
  }
  for (const int k : balls_) {
    Quaternion q{random.normal(), random.normal(), random.normal(), random.normal()};
    write(q, out, k);
  }
}

void JointSpace::sample_near(std::span<const double> centre, double radius, Random& random,
                             std::span<double> out) const {
  for (const int place : scalars_) {
    const auto k = static_cast<std::size_t>(place);
    const double reach = radius * (ranges_[k].upper - ranges_[k].lower);
    out[k] = random.uniform(std::max(ranges_[k].lower, centre[k] - reach),
                            std::min(ranges_[k].upper, centre[k] + reach));
  }
  for (const int k : balls_)
    write(product(read_quaternion(centre, k), random_turn(random, radius * kPi)), out, k);
}

std::vector<Interval> JointSpace::full_ranges() const {
  std::vector<Interval> ranges;
  for (std::size_t c = 0; c < rest_.size(); ++c)
    ranges.push_back({std::min(rest_[c], goal_[c]), std::max(rest_[c], goal_[c])});
  for (std::size_t k = 0; k < planned_.size(); ++k) {
    Interval& range = ranges[static_cast<std::size_t>(planned_[k])];
    range.lower = std::min(range.lower, ranges_[k].lower);
    range.upper = std::max(range.upper, ranges_[k].upper);
  }
  // A path may end whole turns away from the goal.
  for (const int place : continuous_) {
    Interval& range = ranges[static_cast<std::size_t>(planned_[static_cast<std::size_t>(place)])];
    range.lower -= 2 * kPi;
    range.upper += 2 * kPi;
  }
  return ranges;
}

void JointSpace::restrict(std::span<const double> full, std::span<double> out) const {
  for (std::size_t k = 0; k < planned_.size(); ++k)
    out[k] = full[static_cast<std::size_t>(planned_[k])];
}

void JointSpace::complete(std::span<const double> point, std::span<double> full) const {
  std::copy(rest_.begin(), rest_.end(), full.begin());
  for (std::size_t k = 0; k < planned_.size(); ++k)
    full[static_cast<std::size_t>(planned_[k])] = point[k];
}

}  // namespace proven
