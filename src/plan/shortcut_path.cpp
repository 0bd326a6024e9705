#include "plan/shortcut_path.h"

#include <algorithm>

namespace proven {
namespace {

// Cuts closer to a waypoint than this share of the segment use the waypoint.
constexpr double kSnap = 1e-6;
// Moves of a waypoint that gain less than this share of the path are not worth a test.
constexpr double kLeastMove = 1e-6;

}  // namespace

ShortcutPath::ShortcutPath(const JointSpace& space,
                           const std::vector<std::vector<double>>& waypoints, double waypoint_cost)
    : space_(space), size_(waypoints.front().size()), waypoint_cost_(waypoint_cost) {
  for (const std::vector<double>& q : waypoints) {
    points_.emplace_back(static_cast<std::size_t>(space.dimension()));
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

ShortcutPath::Point ShortcutPath::point_at(const Place& place) const {
  if (place.waypoint() >= 0) return point(place.waypoint());
  Point out(static_cast<std::size_t>(space_.dimension()));
  space_.interpolate(point(place.segment), point(place.segment + 1), place.t, out);
  return out;
}

std::optional<ShortcutPath::Shortcut> ShortcutPath::propose(double from, double to,
                                                            double least_gain) {
  const Place a = locate(from), b = locate(to);
  if (a.segment >= b.segment) return std::nullopt;
  Shortcut shortcut{a, b, point_at(a), point_at(b)};
  shortcut.gain = (to - from) - space_.distance(shortcut.from_point, shortcut.to_point);
  const auto [keep_to, keep_from] = kept(a, b);
  const int added = std::max(0, 2 - (keep_from - keep_to - 1));
  if (shortcut.gain <= least_gain + added * waypoint_cost_ * length()) return std::nullopt;
  ++tried_;
  return shortcut;
}

double ShortcutPath::take(const Shortcut& shortcut) {
  ++taken_;
  const double before = length();
  const auto [keep_to, keep_from] = kept(shortcut.from, shortcut.to);
  std::vector<Point> shorter(points_.begin(), points_.begin() + keep_to + 1);
  shorter.push_back(shortcut.from_point);
  shorter.push_back(shortcut.to_point);
  shorter.insert(shorter.end(), points_.begin() + keep_from, points_.end());
  become(std::move(shorter));
  return before - length();
}

double ShortcutPath::propose_move(int waypoint, const Point& to) {
  const auto i = static_cast<std::size_t>(waypoint);
  const double gain = places_[i + 1] - places_[i - 1] -
                      (space_.distance(points_[i - 1], to) + space_.distance(to, points_[i + 1]));
  if (gain <= kLeastMove * length()) return 0;
  ++tried_;
  return gain;
}

void ShortcutPath::move(int waypoint, const Point& to) {
  ++taken_;
  points_[static_cast<std::size_t>(waypoint)] = to;
  measure();
}

void ShortcutPath::drop(int waypoint) {
  ++taken_;
  points_.erase(points_.begin() + waypoint);
  measure();
}

void ShortcutPath::become(std::vector<Point> points) {
  points_ = std::move(points);
  measure();
}

std::array<int, 2> ShortcutPath::kept(const Place& from, const Place& to) {
  // Waypoints up to the begin of the cut segment stay, unless the cut is that waypoint itself.
  return {from.waypoint() >= 0 ? from.waypoint() - 1 : from.segment,
          to.waypoint() >= 0 ? to.waypoint() + 1 : to.segment + 1};
}

std::vector<std::vector<double>> ShortcutPath::waypoints() const {
  std::vector<std::vector<double>> all;
  for (const Point& point : points_) {
    all.emplace_back(size_);
    space_.complete(point, all.back());
  }
  return all;
}

}  // namespace proven
