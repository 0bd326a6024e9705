#include "plan/shortcut_path.h"

#include <algorithm>

namespace proven {
namespace {

// Cuts closer to a waypoint than this share of the segment use the waypoint.
constexpr double kSnap = 1e-6;
// A shortcut that gains more than this share of the path is asked in full: with all of them refused
// as easily, paths end half a percent longer (docs/decisions/0003-default-planner.md).
constexpr double kWorthAsking = 0.05;
// Moves of a waypoint that gain less than this share of the path are not worth a test.
constexpr double kLeastMove = 1e-6;

}  // namespace

ShortcutPath::ShortcutPath(Prover& prover, const JointSpace& space, const Budget& budget,
                           const std::vector<std::vector<double>>& waypoints, double waypoint_cost)
    : prover_(prover),
      space_(space),
      budget_(budget),
      waypoint_cost_(waypoint_cost),
      from_(static_cast<std::size_t>(space.dimension())),
      to_(from_),
      full_from_(waypoints.front().size()),
      full_to_(full_from_) {
  for (const std::vector<double>& q : waypoints) {
    points_.emplace_back(from_.size());
    space.restrict(q, points_.back());
  }
  measure();
}

void ShortcutPath::measure() {
  places_.assign(1, 0);
  for (std::size_t i = 1; i < points_.size(); ++i)
    places_.push_back(places_.back() + space_.distance(points_[i - 1], points_[i]));
}

ShortcutPath::Place ShortcutPath::locate(double place) const {
  const auto next = std::upper_bound(places_.begin() + 1, places_.end() - 1, place);
  const int segment = static_cast<int>(next - places_.begin()) - 1;
  const double begin = places_[static_cast<std::size_t>(segment)];
  const double width = places_[static_cast<std::size_t>(segment) + 1] - begin;
  const double t = width > 0 ? std::clamp((place - begin) / width, 0.0, 1.0) : 0;
  return {segment, t, t<kSnap, t> 1 - kSnap};
}

int ShortcutPath::waypoint_at(const Place& place) const {
  return place.at_begin ? place.segment : place.at_end ? place.segment + 1 : -1;
}

void ShortcutPath::point_at(const Place& place, Point& out) const {
  const auto i = static_cast<std::size_t>(place.segment);
  if (const int waypoint = waypoint_at(place); waypoint >= 0) {
    out = points_[static_cast<std::size_t>(waypoint)];
    return;
  }
  space_.interpolate(points_[i], points_[i + 1], place.t, out);
}

SegmentQuery ShortcutPath::segment(const Point& from, const Point& to, bool from_is_free) {
  space_.complete(from, full_from_);
  space_.complete(to, full_to_);
  return {full_from_, full_to_, from_is_free};
}

bool ShortcutPath::proves(const Point& from, const Point& to, bool from_is_free) {
  return prover_.is_free(segment(from, to, from_is_free), budget_);
}

bool ShortcutPath::proves_soon(const Point& from, const Point& to, bool from_is_free) {
  return prover_.passes_soon(segment(from, to, from_is_free), budget_);
}

double ShortcutPath::try_shortcut(double from, double to, double least_gain) {
  const Place a = locate(from), b = locate(to);
  if (a.segment >= b.segment) return 0;
  point_at(a, from_);
  point_at(b, to_);
  const double gain = (to - from) - space_.distance(from_, to_);
  const auto [keep_to, keep_from] = kept(a, b);
  const int added = std::max(0, 2 - (keep_from - keep_to - 1));
  if (gain <= least_gain + added * waypoint_cost_ * length()) return 0;
  ++tried_;
  // A cut is rounded and need not lie on the segment that it cuts: both stubs are proved as well.
  // Waypoints of the path are free, and so is the end of a motion that was proved.
  const Point& before = points_[static_cast<std::size_t>(a.segment)];
  const Point& after = points_[static_cast<std::size_t>(b.segment) + 1];
  const bool from_is_free = waypoint_at(a) >= 0;
  const bool free = (gain > kWorthAsking * length() ? proves(from_, to_, from_is_free)
                                                    : proves_soon(from_, to_, from_is_free)) &&
                    (waypoint_at(a) >= 0 || proves(before, from_, true)) &&
                    (waypoint_at(b) >= 0 || proves(to_, after, true));
  if (!free) return 0;
  ++taken_;
  const double length_before = length();
  replace(a, b);
  return length_before - length();
}

double ShortcutPath::try_move(int waypoint, const Point& to) {
  const auto i = static_cast<std::size_t>(waypoint);
  const Point &before = points_[i - 1], &after = points_[i + 1];
  const double gain =
      places_[i + 1] - places_[i - 1] - (space_.distance(before, to) + space_.distance(to, after));
  if (gain <= kLeastMove * length()) return 0;
  ++tried_;
  if (!proves_soon(before, to, true) || !proves_soon(to, after, true)) return 0;
  ++taken_;
  points_[i] = to;
  measure();
  return gain;
}

void ShortcutPath::become(std::vector<Point> points) {
  points_ = std::move(points);
  measure();
}

void ShortcutPath::drop_waypoints() {
  const std::size_t before = points_.size();
  for (std::size_t i = 1; i + 1 < points_.size() && !budget_.stopped();) {
    ++tried_;
    if (!proves(points_[i - 1], points_[i + 1], true)) {
      ++i;
      continue;
    }
    ++taken_;
    points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  measure();
  if (points_.size() < before) drop_waypoints();
}

std::array<int, 2> ShortcutPath::kept(const Place& from, const Place& to) const {
  // Waypoints up to the begin of the cut segment stay, unless the cut is that waypoint itself.
  return {waypoint_at(from) >= 0 ? waypoint_at(from) - 1 : from.segment,
          waypoint_at(to) >= 0 ? waypoint_at(to) + 1 : to.segment + 1};
}

void ShortcutPath::replace(const Place& from, const Place& to) {
  const auto [keep_to, keep_from] = kept(from, to);
  std::vector<Point> shorter(points_.begin(), points_.begin() + keep_to + 1);
  shorter.push_back(from_);
  shorter.push_back(to_);
  shorter.insert(shorter.end(), points_.begin() + keep_from, points_.end());
  points_ = std::move(shorter);
  measure();
}

std::vector<std::vector<double>> ShortcutPath::waypoints() const {
  std::vector<std::vector<double>> all;
  for (const Point& point : points_) {
    all.emplace_back(full_from_.size());
    space_.complete(point, all.back());
  }
  return all;
}

}  // namespace proven
