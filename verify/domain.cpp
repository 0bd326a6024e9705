#include "verify/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace proven::verifier {
namespace {

// The statement in the SRDF is about the limits widened by 2e-6; a checker accepts 1e-6.
constexpr double kBeyond = 1.5e-6;
constexpr int kHalvings = 40;

using Polynomial = std::vector<Interval>;  // control points in Bernstein form

bool lies(const Interval& value, const Interval& within) {
  return value.lo >= within.lo && value.hi <= within.hi;
}

// Whether the polynomial stays in the interval: it lies between its control points, in the whole or
// in parts.
bool stays(const Polynomial& p, const Interval& within, int depth) {
  bool inside = true;
  for (const Interval& c : p) inside = inside && lies(c, within);
  if (inside) return true;
  if (depth == 0 || !lies(p.front(), within) || !lies(p.back(), within)) return false;
  Polynomial left = {p.front()}, right = {p.back()}, row = p;
  while (row.size() > 1) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      row[i] = Interval(0.5) * row[i] + Interval(0.5) * row[i + 1];
    row.pop_back();
    left.push_back(row.front());
    right.insert(right.begin(), row.back());
  }
  return stays(left, within, depth - 1) && stays(right, within, depth - 1);
}

// Whether a column of the motion stays in [lower, upper] by `error`.
bool stays(const Motion& motion, std::size_t column, const Interval& limits, double error) {
  const double widest = std::max(std::fabs(limits.lo), std::fabs(limits.hi));
  // Curves of a clock are cut, and then are off by so much.
  const Interval spare =
      Interval(kBeyond) - Interval(error) - Interval(0x1p-44) * Interval(std::min(widest, 1e9));
  const Interval within = {std::isfinite(limits.lo) ? (Interval(limits.lo) - spare).hi : limits.lo,
                           std::isfinite(limits.hi) ? (Interval(limits.hi) + spare).lo : limits.hi};
  for (const auto& q : motion.waypoints)
    if (!lies(q[column], within)) return false;
  for (std::size_t i = 0; i < motion.inner.size(); ++i) {
    Polynomial p = {motion.waypoints[i][column]};
    for (const auto& row : motion.inner[i]) p.emplace_back(row[column]);
    p.emplace_back(motion.waypoints[i + 1][column]);
    if (!stays(p, within, kHalvings)) return false;
  }
  return true;
}

// The coordinates that move one of the two bodies against the other.
std::set<int> coordinates_between(const Model& model, const Body& a, const Body& b) {
  std::set<int> found;
  const int top = model.lowest_common_ancestor(a.link, b.link);
  for (const Body* body : {&a, &b})
    for (const int link : model.chain(top, body->link)) {
      const Link& l = model.links[static_cast<std::size_t>(link)];
      if (l.can_move()) found.insert(l.coordinate);
    }
  return found;
}

}  // namespace

void require_domain(const Model& model, const Motion& motion, const TrackingError& tracking) {
  for (const Excluded& pair : model.excluded) {
    if (pair.reason != Reason::srdf_proved) continue;
    const Body& a = model.bodies[static_cast<std::size_t>(pair.a)];
    const Body& b = model.bodies[static_cast<std::size_t>(pair.b)];
    for (const int c : coordinates_between(model, a, b)) {
      const auto column = static_cast<std::size_t>(c);
      const Interval& limits = model.limits[column];
      const Motion* moves = &motion;
      std::size_t at = column;
      for (const Timed& timed : model.timed)
        if (c >= timed.first && c < timed.first + timed.count) {
          moves = &timed.motion;
          at = static_cast<std::size_t>(c - timed.first);
        }
      if (!stays(*moves, at, limits, tracking.of(model.joints[column])))
        throw Rejected{fmt::format(
            "{} and {} are not tested, since they were proved never to meet within the limits of "
            "joints; but {} leaves its limits {} and {}{}",
            a.name, b.name, model.joints[column], limits.lo, limits.hi,
            tracking.any() ? ", or may by the tracking error" : "")};
    }
  }
}

}  // namespace proven::verifier
