#include "proven/kinematics/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace proven {
namespace {

// A limited number: multiplier * q[coordinate] + offset.
struct Limited {
  const std::string& joint;
  int coordinate;
  double multiplier, offset, lower, upper;

  double value(std::span<const double> q) const {
    return multiplier * q[static_cast<std::size_t>(coordinate)] + offset;
  }
  // A NaN is not within.
  bool within(double v) const {
    return v >= lower - kLimitTolerance && v <= upper + kLimitTolerance;
  }
  BeyondLimit beyond(double v, double s) const { return {joint, coordinate, v, lower, upper, s}; }
};

// A place on a polynomial, and its value there.
struct Place {
  double s, value;
};

// The first place found where the polynomial is not within: halves whose control points are within
// are so wholly. What is left after 30 halvings is 2^-60 of the bend away from it.
std::optional<Place> find_place(std::vector<double> control, const Limited& limited, double begin,
                                double end, int depth) {
  if (!limited.within(control.front())) return Place{begin, control.front()};
  if (!limited.within(control.back())) return Place{end, control.back()};
  if (depth == 0 ||
      std::ranges::all_of(control, [&](double value) { return limited.within(value); }))
    return std::nullopt;
  const std::size_t n = control.size() - 1;
  std::vector<double> right(control.size(), control[n]);
  for (std::size_t round = 1; round <= n; ++round) {  // de Casteljau's; `control` becomes the left
    for (std::size_t i = n; i >= round; --i) control[i] = 0.5 * control[i - 1] + 0.5 * control[i];
    right[n - round] = control[n];
  }
  const double middle = 0.5 * begin + 0.5 * end;
  if (auto left = find_place(std::move(control), limited, begin, middle, depth - 1)) return left;
  return find_place(std::move(right), limited, middle, end, depth - 1);
}

// What values of the driver keep the follower within these bounds.
Interval of_driver(const KinematicTree::MimicName& mimic, double lower, double upper) {
  const double a = (lower - mimic.offset) / mimic.multiplier;
  const double b = (upper - mimic.offset) / mimic.multiplier;
  return {std::min(a, b), std::max(a, b)};
}

void narrow(Interval& range, const Interval& to) {
  range = {std::max(range.lower, to.lower), std::min(range.upper, to.upper)};
}

}  // namespace

std::vector<Interval> joint_limits(const KinematicTree& tree) {
  std::vector<Interval> limits;
  for (const Coordinate& c : tree.coordinates()) limits.push_back({c.lower, c.upper});
  for (const KinematicTree::MimicName& mimic : tree.mimic_names())
    if (mimic.multiplier != 0)
      narrow(limits[static_cast<std::size_t>(mimic.coordinate)],
             of_driver(mimic, mimic.lower, mimic.upper));
  return limits;
}

std::vector<RateLimits> rate_limits(const KinematicTree& tree, double velocity_else,
                                    double acceleration_else, AssumedRates* assumed) {
  const auto known = [](double limit, double otherwise, const std::string& joint,
                        std::vector<std::string>* missing) {
    if (std::isfinite(limit) && limit > 0) return limit;
    if (missing && (missing->empty() || missing->back() != joint)) missing->push_back(joint);
    return otherwise;
  };
  std::vector<std::string>* const slow = assumed ? &assumed->velocity : nullptr;
  std::vector<std::string>* const lazy = assumed ? &assumed->acceleration : nullptr;
  std::vector<RateLimits> rates;
  for (const Coordinate& c : tree.coordinates())
    rates.push_back({known(c.velocity, velocity_else, c.joint, slow),
                     known(c.acceleration, acceleration_else, c.joint, lazy), 1});
  for (const KinematicTree::MimicName& mimic : tree.mimic_names()) {
    const double times = std::fabs(mimic.multiplier);
    if (times == 0) continue;
    RateLimits& driver = rates[static_cast<std::size_t>(mimic.coordinate)];
    driver.velocity =
        std::min(driver.velocity, known(mimic.velocity, velocity_else, mimic.name, slow) / times);
    driver.acceleration =
        std::min(driver.acceleration,
                 known(mimic.acceleration, acceleration_else, mimic.name, lazy) / times);
    driver.fastest = std::max(driver.fastest, times);
  }
  return rates;
}

std::string describe(const BeyondLimit& beyond) {
  return fmt::format("joint {} is {}, beyond its limits {} and {}", beyond.joint, beyond.value,
                     beyond.lower, beyond.upper);
}

// Half of the tolerance is left for rounding: who is in the quick box is surely within limits.
LimitBox::LimitBox(const KinematicTree& tree, std::vector<bool> ignored)
    : ignored_(std::move(ignored)) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpare = 0.5 * kLimitTolerance;
  for (const Coordinate& c : tree.coordinates())
    quick_.push_back({c.lower - kSpare, c.upper + kSpare});
  for (const KinematicTree::MimicName& mimic : tree.mimic_names()) {
    Interval& driver = quick_[static_cast<std::size_t>(mimic.coordinate)];
    if (mimic.multiplier != 0)
      narrow(driver, of_driver(mimic, mimic.lower - kSpare, mimic.upper + kSpare));
    else if (!(mimic.offset >= mimic.lower - kSpare && mimic.offset <= mimic.upper + kSpare))
      driver = {kInfinity, -kInfinity};  // a joint that stands beyond its limits
  }
  for (std::size_t i = 0; i < quick_.size(); ++i)
    if (ignores(static_cast<int>(i))) quick_[i] = {-kInfinity, kInfinity};
}

template <class Look>
void LimitBox::for_limited(const KinematicTree& tree, const Look& look) const {
  const auto coordinates = tree.coordinates();
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (const Coordinate& c = coordinates[i]; !c.quaternion && !ignores(static_cast<int>(i)))
      if (look(Limited{c.name, static_cast<int>(i), 1, 0, c.lower, c.upper})) return;
  for (const KinematicTree::MimicName& mimic : tree.mimic_names())
    if (!ignores(mimic.coordinate))
      if (look(Limited{mimic.name, mimic.coordinate, mimic.multiplier, mimic.offset, mimic.lower,
                       mimic.upper}))
        return;
}

std::optional<BeyondLimit> LimitBox::find_beyond(const KinematicTree& tree,
                                                 std::span<const double> q) const {
  std::optional<BeyondLimit> found;
  for_limited(tree, [&](const Limited& limited) {
    const double value = limited.value(q);
    if (!limited.within(value)) found = limited.beyond(value, 0);
    return found.has_value();
  });
  return found;
}

std::optional<BeyondLimit> LimitBox::find_beyond(const KinematicTree& tree,
                                                 const MotionPiece& piece) const {
  // A piece lies in the hull of its control points.
  const auto is_quick = [&](std::span<const double> q) {
    for (std::size_t i = 0; i < quick_.size(); ++i)
      if (!(q[i] >= quick_[i].lower && q[i] <= quick_[i].upper)) return false;
    return true;
  };
  bool quick = true;
  for (int k = 0; k <= piece.degree() && quick; ++k) quick = is_quick(piece.control(k));
  if (quick) return std::nullopt;
  std::optional<BeyondLimit> found;
  for_limited(tree, [&](const Limited& limited) {
    std::vector<double> control;
    for (int k = 0; k <= piece.degree(); ++k) control.push_back(limited.value(piece.control(k)));
    if (const auto place = find_place(std::move(control), limited, 0, 1, 30))
      found = limited.beyond(place->value, place->s);
    return found.has_value();
  });
  return found;
}

}  // namespace proven
