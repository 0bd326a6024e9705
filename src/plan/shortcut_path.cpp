#include "plan/shortcut_path.h"

#include <algorithm>

namespace proven {
namespace {

// Cuts closer to a waypoint than this share of the segment use the waypoint.
constexpr double kSnap = 1e-6;
// A session may keep a record per pair and configuration; past this many it starts anew.
constexpr std::size_t kMaxRecords = 4'000'000;

}  // namespace

ShortcutPath::ShortcutPath(const Scene& scene, const CheckOptions& options, const JointSpace& space,
                           const std::vector<std::vector<double>>& waypoints)
    : scene_(scene),
      options_(options),
      space_(space),
      prover_(std::make_unique<Prover>(scene, options, space)),
      from_(static_cast<std::size_t>(space.dimension())),
      to_(from_) {
  for (const std::vector<double>& q : waypoints) configurations_.push_back(prover_->add_full(q));
  measure();
}

void ShortcutPath::measure() {
  places_.assign(1, 0);
  for (std::size_t i = 1; i < configurations_.size(); ++i)
    places_.push_back(places_.back() + space_.distance(prover_->point(configurations_[i - 1]),
                                                       prover_->point(configurations_[i])));
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

void ShortcutPath::point_at(const Place& place, std::vector<double>& out) const {
  const auto i = static_cast<std::size_t>(place.segment);
  if (const int waypoint = waypoint_at(place); waypoint >= 0) {
    const auto p = prover_->point(configurations_[static_cast<std::size_t>(waypoint)]);
    out.assign(p.begin(), p.end());
    return;
  }
  space_.interpolate(prover_->point(configurations_[i]), prover_->point(configurations_[i + 1]),
                     place.t, out);
}

bool ShortcutPath::proves(int from, int to) {
  const int segment = prover_->add_segment(from, to);
  return prover_->passes(segment);
}

double ShortcutPath::try_shortcut(double from, double to, double least_gain) {
  const Place a = locate(from), b = locate(to);
  if (a.segment >= b.segment) return 0;
  point_at(a, from_);
  point_at(b, to_);
  const double gain = (to - from) - space_.distance(from_, to_);
  if (gain <= least_gain) return 0;
  ++tried_;
  const auto configuration = [&](const Place& place, const std::vector<double>& point) {
    const int waypoint = waypoint_at(place);
    return waypoint >= 0 ? configurations_[static_cast<std::size_t>(waypoint)]
                         : prover_->add(point);
  };
  const int first = configuration(a, from_), last = configuration(b, to_);
  // A cut is rounded and need not lie on the segment that it cuts: both stubs are proved as well.
  const int before = configurations_[static_cast<std::size_t>(a.segment)];
  const int after = configurations_[static_cast<std::size_t>(b.segment) + 1];
  const bool free = proves(first, last) && (waypoint_at(a) >= 0 || proves(before, first)) &&
                    (waypoint_at(b) >= 0 || proves(last, after));
  stats_ = prover_->stats().check;
  const double length_before = length();
  if (free) {
    ++taken_;
    replace(a, b, first, last);
  }
  forget();
  return length_before - length();
}

void ShortcutPath::replace(const Place& from, const Place& to, int from_configuration,
                           int to_configuration) {
  // Waypoints up to the begin of the cut segment stay, unless the cut is that waypoint itself.
  const int keep_to = waypoint_at(from) >= 0 ? waypoint_at(from) - 1 : from.segment;
  const int keep_from = waypoint_at(to) >= 0 ? waypoint_at(to) + 1 : to.segment + 1;
  std::vector<int> shorter(configurations_.begin(), configurations_.begin() + keep_to + 1);
  shorter.push_back(from_configuration);
  shorter.push_back(to_configuration);
  shorter.insert(shorter.end(), configurations_.begin() + keep_from, configurations_.end());
  configurations_ = std::move(shorter);
  measure();
}

void ShortcutPath::forget() {
  const auto records =
      static_cast<std::size_t>(prover_->num_configurations()) * scene_.pairs().size();
  if (records < kMaxRecords || prover_->num_configurations() < 4 * (num_segments() + 1)) return;
  const std::vector<std::vector<double>> kept = waypoints(scene_);
  const PlanStats stats = prover_->stats();
  prover_ = std::make_unique<Prover>(scene_, options_, space_);
  prover_->stats() = stats;
  configurations_.clear();
  for (const std::vector<double>& q : kept) configurations_.push_back(prover_->add_full(q));
}

std::vector<std::vector<double>> ShortcutPath::waypoints(const Scene& scene) const {
  std::vector<std::vector<double>> all;
  for (const int configuration : configurations_) {
    all.emplace_back(scene.home().size());
    space_.complete(prover_->point(configuration), all.back());
  }
  return all;
}

}  // namespace proven
