#include "proven/spacetime/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "spacetime/lane.h"

namespace proven::spacetime {
namespace {

// Regions are this much larger than what is computed: coordinates below 10^7 m are off by less than
// 10^-9 m each, and corners of polygons whose edges meet at 20 degrees or more by less than 100
// times that.
constexpr double kOutward = 1e-6;
// The outline is looked at in steps of twice this; in between it sticks out no further.
constexpr double kOutlineStep = 0.05;
// Who sticks out of a lane by more may as well be changing to the next.
constexpr double kStraddles = 0.3;

// How far somebody gets within bounds: at most, and at least where nobody drives backwards.
struct Reach {
  double speed_low = 0, speed_high = 0, top = 0, a = 0;

  Reach(double speed, double deviation, const MoverBounds& bounds)
      : speed_low(std::max(0.0, speed - deviation)),
        speed_high(speed + deviation),
        top(std::max(bounds.max_speed, speed + deviation)),
        a(bounds.max_acceleration) {}

  double most(double t) const {
    const double to_top = (top - speed_high) / a;
    if (t <= to_top) return speed_high * t + 0.5 * a * t * t;
    return speed_high * to_top + 0.5 * a * to_top * to_top + top * (t - to_top);
  }
  double least(double t) const {
    const double u = std::min(t, speed_low / a);
    return speed_low * u - 0.5 * a * u * u;
  }
};

std::vector<Vec2> outline_points(const Footprint& footprint, const Pose2& pose) {
  const Vec2 c = footprint.box_centre(), h = footprint.box_half();
  const Vec2 corners[] = {c + h, c + Vec2{-h.x, h.y}, c - h, c + Vec2{h.x, -h.y}};
  const double cosine = std::cos(pose.heading), sine = std::sin(pose.heading);
  std::vector<Vec2> points;
  for (int i = 0; i < 4; ++i) {
    const Vec2 a = corners[i], d = corners[(i + 1) % 4] - a;
    const int parts = std::max(1, static_cast<int>(std::ceil(norm(d) / (2 * kOutlineStep))));
    for (int k = 0; k < parts; ++k) {
      const Vec2 p = a + (static_cast<double>(k) / parts) * d;
      points.push_back({pose.x + cosine * p.x - sine * p.y, pose.y + sine * p.x + cosine * p.y});
    }
  }
  return points;
}

// The cells about where an outline is.
CellRange cells_around(const Lane& lane, const Footprint& footprint, const Pose2& pose) {
  const auto at = lane.locate({pose.x, pose.y}, lane.all());
  return at ? lane.around(*at, footprint.reach() + 3) : lane.all();
}

// The lanes that somebody may follow, and how far it sticks out of all of them.
struct Lanes {
  std::vector<Lane> lanes;
  double overhang = 0;
};

class LaneFinder {
 public:
  LaneFinder(const Road& road, const Sighting& seen, double ahead)
      : road_(road), seen_(seen), points_(outline_points(seen.footprint, seen.pose)) {
    behind_ = 2 * seen.footprint.reach() + seen.position_deviation + 5;
    ahead_ = ahead + behind_;
  }

  // No lanes: it is beside all of them.
  Result<Lanes> run() {
    Lanes found;
    std::vector<int> lanelets = road_.at(seen_.pose);
    if (auto added = add(lanelets, found); !added.ok()) return added.error();
    if (!found.lanes.empty() && found.overhang <= kStraddles) return found;
    for (const int i : road_.all()) {
      if (std::ranges::count(lanelets, i) > 0) continue;
      const bool touched = std::ranges::any_of(points_, [&](Vec2 p) {
        return road_.holds(i, p) && std::cos(road_.direction(i, p) - seen_.pose.heading) > 0;
      });
      if (touched) lanelets.push_back(i);
    }
    found = {};
    if (auto added = add(lanelets, found); !added.ok()) return added.error();
    return found;
  }

 private:
  Result<void> add(const std::vector<int>& lanelets, Lanes& found) const {
    for (const int lanelet : lanelets) {
      auto lanes = lanes_through(road_, lanelet, behind_, ahead_);
      if (!lanes.ok()) return lanes.error();
      for (Lane& lane : lanes.value()) found.lanes.push_back(std::move(lane));
    }
    std::vector<CellRange> near;
    for (const Lane& lane : found.lanes)
      near.push_back(cells_around(lane, seen_.footprint, seen_.pose));
    for (const Vec2 p : points_) {
      double best = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < near.size() && best > 0; ++i)
        best = std::min(best, found.lanes[i].distance(p, near[i]));
      if (!near.empty()) found.overhang = std::max(found.overhang, best);
    }
    found.overhang += kOutlineStep + seen_.position_deviation;
    return {};
  }

  const Road& road_;
  const Sighting& seen_;
  const std::vector<Vec2> points_;
  double behind_ = 0, ahead_ = 0;
};

// Time in steps, each with its own regions.
template <class Regions>
Result<Obstacle> over_time(const std::string& name, double t, double t_end, double step,
                           Regions&& regions) {
  Obstacle obstacle;
  obstacle.name = name;
  for (int k = 0; t + k * step < t_end; ++k) {
    auto made = regions(k * step, (k + 1) * step);
    if (!made.ok()) return made.error();
    for (Footprint& region : made.value())
      obstacle.occupancies.push_back({t + k * step, t + (k + 1) * step, std::move(region)});
  }
  return obstacle;
}

// Anywhere that its speed and acceleration allow, turned in any way: half planes with a few
// directions hold all of it.
Result<Obstacle> go_anywhere(const Sighting& seen, double t, double t_end, double step) {
  constexpr int kDirections = 16;
  const Vec2 from{seen.pose.x, seen.pose.y};
  const double r = seen.footprint.reach() + seen.position_deviation + kOutward;
  const Reach reach(norm(seen.velocity), seen.speed_deviation, seen.bounds);
  const double a = seen.bounds.max_acceleration;
  return over_time(
      seen.name, t, t_end, step, [&](double t1, double t2) -> Result<std::vector<Footprint>> {
        const double far = reach.most(t2) + r;
        std::vector<Vec2> region = {from + Vec2{far, far}, from + Vec2{-far, far},
                                    from + Vec2{-far, -far}, from + Vec2{far, -far}};
        for (int k = 0; k < kDirections; ++k) {
          const double angle = 2 * M_PI * k / kDirections;
          const Vec2 u{std::cos(angle), std::sin(angle)};
          // Convex in time: largest at an end.
          const auto along = [&](double at) {
            return dot(u, seen.velocity) * at + seen.speed_deviation * at + 0.5 * a * at * at;
          };
          const double most =
              dot(u, from) + r + std::min(std::max(along(t1), along(t2)), reach.most(t2));
          std::vector<Vec2> kept;
          for (std::size_t i = 0; i < region.size(); ++i) {
            const Vec2 p = region[i], q = region[(i + 1) % region.size()];
            const double over = dot(u, p) - most, next = dot(u, q) - most;
            if (over <= 0) kept.push_back(p);
            if ((over < 0 && next > 0) || (over > 0 && next < 0))
              kept.push_back(p + (over / (over - next)) * (q - p));
          }
          region = std::move(kept);
        }
        auto polygon = Footprint::polygon(hull_of(std::move(region)));
        if (!polygon.ok()) return polygon.error();
        return std::vector<Footprint>{std::move(polygon).value()};
      });
}

// Along its lanes: between the progress of braking and of speeding up, and as far from there as its
// outline reaches.
Result<Obstacle> go_along(const Sighting& seen, const Lanes& found, double t, double t_end,
                          double step) {
  const double w = found.overhang + kOutward;
  const double r = seen.footprint.reach() + w;
  const Reach reach(norm(seen.velocity), seen.speed_deviation, seen.bounds);
  struct On {
    const Lane* lane;
    double low, high;             // where it is now
    std::vector<CellRange> near;  // of every cell from the first on
    int first;
  };
  std::vector<On> on;
  for (const Lane& lane : found.lanes) {
    const auto at = lane.locate({seen.pose.x, seen.pose.y}, lane.all());
    if (!at)
      return bad_input("its place on its lane was not found", fmt::format("mover '{}'", seen.name));
    On here{&lane, *at - kOutward, *at + kOutward, {}, 0};
    if (seen.position_deviation > 0) {
      const CellRange around =
          cells_near(lane, lane.cell_at(*at), seen.position_deviation + kOutward);
      here.low = lane.s[static_cast<std::size_t>(around.first)];
      here.high = lane.s[static_cast<std::size_t>(around.last) + 1];
    }
    here.first = lane.cell_at(here.low);
    const int last = lane.cell_at(here.high + reach.most(t_end - t + step));
    for (int i = here.first; i <= last; ++i) here.near.push_back(cells_near(lane, i, r));
    on.push_back(std::move(here));
  }
  return over_time(
      seen.name, t, t_end, step, [&](double t1, double t2) -> Result<std::vector<Footprint>> {
        std::vector<Footprint> regions;
        for (const On& here : on) {
          const int from = here.lane->cell_at(here.low + reach.least(t1));
          const int to = here.lane->cell_at(here.high + reach.most(t2));
          CellRange all = here.near[static_cast<std::size_t>(from - here.first)];
          for (int i = from; i <= to; ++i) {
            const CellRange& near = here.near[static_cast<std::size_t>(i - here.first)];
            all = {std::min(all.first, near.first), std::max(all.last, near.last)};
          }
          auto cover = cover_cells(*here.lane, all.first, all.last, w);
          if (!cover.ok()) return cover.error();
          for (Footprint& region : cover.value()) regions.push_back(std::move(region));
        }
        return regions;
      });
}

bool is_valid(const Sighting& seen) {
  const auto fine = [](double x, double most) { return std::fabs(x) <= most; };
  return fine(seen.pose.x, kLargestCoordinate) && fine(seen.pose.y, kLargestCoordinate) &&
         fine(seen.pose.heading, kLargestHeading) && fine(seen.velocity.x, 1e3) &&
         fine(seen.velocity.y, 1e3) && seen.position_deviation >= 0 && seen.speed_deviation >= 0 &&
         fine(seen.position_deviation, 1e3) && fine(seen.speed_deviation, 1e3) &&
         !seen.footprint.pieces().empty();
}

}  // namespace

Result<void> validate(const MoverBounds& bounds) {
  if (!(bounds.max_speed >= 0 && bounds.max_speed <= 1e3 && bounds.max_acceleration > 0 &&
        bounds.max_acceleration <= 1e3))
    return bad_input(fmt::format(
        "a mover of at most {} m/s and {} m/s^2: expected 0 to 1000, and more than 0 to 1000",
        bounds.max_speed, bounds.max_acceleration));
  return {};
}

Result<Obstacle> Predictor::occupancies(const Sighting& seen, double t, double t_end,
                                        double step) const {
  if (auto valid = validate(seen.bounds); !valid.ok()) return valid.error();
  const std::string place = fmt::format("mover '{}'", seen.name);
  if (!is_valid(seen)) return bad_input("its place, speed or shape is out of range", place);
  if (!(t_end > t && step > 0 && step < 1e3 && (t_end - t) / step < 1e4))
    return bad_input("a prediction needs a time and steps", place);
  if (!seen.bounds.keeps_lane) return go_anywhere(seen, t, t_end, step);
  const Reach reach(norm(seen.velocity), seen.speed_deviation, seen.bounds);
  const auto lanes = LaneFinder(*road_, seen, reach.most(t_end - t + step)).run();
  if (!lanes.ok()) return Error{lanes.error().code, lanes.error().text(), place};
  if (lanes.value().lanes.empty()) return go_anywhere(seen, t, t_end, step);
  return go_along(seen, lanes.value(), t, t_end, step);
}

std::optional<Predictor::Ahead> Predictor::ahead_of(const Sighting& seen, const Footprint& vehicle,
                                                    const Pose2& pose) const {
  if (!seen.bounds.keeps_lane || !is_valid(seen)) return std::nullopt;
  const double off = norm({pose.x - seen.pose.x, pose.y - seen.pose.y});
  const auto found = LaneFinder(*road_, seen, off + vehicle.reach() + 20).run();
  if (!found.ok()) return std::nullopt;
  const std::vector<Vec2> outline = outline_points(vehicle, pose);
  std::optional<Ahead> best;
  for (const Lane& lane : found.value().lanes) {
    const auto at = lane.locate({seen.pose.x, seen.pose.y}, lane.all());
    if (!at) continue;
    const CellRange near = cells_around(lane, vehicle, pose);
    Ahead ahead{std::numeric_limits<double>::infinity(), true};
    for (const Vec2 p : outline) {
      const auto here = lane.locate(p, near);
      if (here && lane.distance(p, near) <= kSeam)
        ahead.gap = std::min(ahead.gap, *here - *at - seen.footprint.reach());
      else
        ahead.wholly = false;
    }
    if (!(ahead.gap > 0 && ahead.gap < std::numeric_limits<double>::infinity())) continue;
    if (!best || ahead.wholly > best->wholly) best = ahead;
  }
  return best;
}

Watchman::Watchman(const Road& road, const VehicleModel& vehicle)
    : predictor_(road), vehicle_(vehicle) {
  if (auto shape = Footprint::box(vehicle.length, vehicle.width); shape.ok())
    shape_ = std::move(shape).value();
}

Result<std::vector<Obstacle>> Watchman::regions(std::span<const Sighting> seen,
                                                const VehicleState& ego, double t_end,
                                                double step) {
  std::set<std::string> still;
  std::vector<Obstacle> all;
  for (const Sighting& mover : seen) {
    if (const auto ahead = predictor_.ahead_of(mover, shape_, ego.pose)) {
      // Room to react and brake behind the vehicle's hardest braking.
      const double v = norm(mover.velocity) + mover.speed_deviation;
      const double a = mover.bounds.max_acceleration, faster = v + a * kReaction;
      const double room = 0.5 * (v + faster) * kReaction + faster * faster / (2 * a) -
                          ego.speed * ego.speed / (2 * vehicle_.max_acceleration);
      const bool new_one = ahead->wholly && (first_ || ahead->gap > room);
      if (new_one || followers_.contains(mover.name)) {
        still.insert(mover.name);
        continue;
      }
    }
    auto regions = predictor_.occupancies(mover, ego.t, t_end, step);
    if (!regions.ok()) return regions.error();
    all.push_back(std::move(regions).value());
  }
  followers_ = std::move(still);
  first_ = false;
  return all;
}

std::vector<Sighting> sightings(const TrafficScene& scene, double t, const MoverBounds& bounds) {
  // Times of samples and of cycles are rounded in different ways.
  constexpr double kSameTime = 1e-6;
  std::vector<Sighting> seen;
  for (const Obstacle& o : scene.obstacles()) {
    const Trajectory& m = o.motion;
    if (!o.moves() || !(t >= m.t.front() - kSameTime && t <= m.t.back() + kSameTime)) continue;
    Sighting one;
    one.name = o.name;
    one.footprint = o.footprint;
    one.pose = pose_at(m, std::clamp(t, m.t.front(), m.t.back()));
    one.bounds = bounds;
    const auto after = std::lower_bound(m.t.begin(), m.t.end(), t - kSameTime) - m.t.begin();
    const auto k = static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(after - 1, 0, static_cast<std::ptrdiff_t>(m.t.size()) - 2));
    const double dt = m.t[k + 1] - m.t[k];
    one.velocity = (1 / dt) * Vec2{m.x[k + 1] - m.x[k], m.y[k + 1] - m.y[k]};
    if (!m.position_deviation.empty()) {
      one.position_deviation = std::max(m.position_deviation[k], m.position_deviation[k + 1]);
      one.speed_deviation = (m.position_deviation[k] + m.position_deviation[k + 1]) / dt;
    }
    seen.push_back(std::move(one));
  }
  return seen;
}

}  // namespace proven::spacetime
