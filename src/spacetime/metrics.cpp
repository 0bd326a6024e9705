#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "proven/spacetime/check.h"
#include "spacetime/pair.h"
#include "spacetime/scene_data.h"

namespace proven::spacetime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Data = TrafficScene::Data;

double rounding_of(const MotionView& m, const Footprint& footprint) {
  const double coordinate = std::max(largest(m.x, m.size), largest(m.y, m.size));
  return rounding_bound(coordinate + footprint.reach(), largest(m.heading, m.size),
                        footprint.core_reach());
}

// One step of an obstacle: its motion and its shape.
struct Step {
  Segment segment;
  const Footprint* footprint = nullptr;
};

std::vector<Step> steps_of(const Obstacle& obstacle) {
  std::vector<Step> steps;
  for (const Occupancy& part : obstacle.occupancies)
    steps.push_back({fixed_segment(part.t_begin, part.t_end, {}), &part.region});
  if (obstacle.is_set()) return steps;
  if (!obstacle.moves()) {
    const Pose2& p = obstacle.pose;
    const Placed placed{p.x, p.y, std::cos(p.heading), std::sin(p.heading)};
    return {{fixed_segment(-kInfinity, kInfinity, placed), &obstacle.footprint}};
  }
  for (int k = 0; k < obstacle.motion.num_segments(); ++k)
    steps.push_back({make_segment(view(obstacle.motion), k, obstacle.footprint.core_reach()),
                     &obstacle.footprint});
  return steps;
}

std::vector<Segment> segments_of(const MotionView& motion, double core_reach) {
  std::vector<Segment> segments;
  for (int i = 0; i + 1 < motion.size; ++i) segments.push_back(make_segment(motion, i, core_reach));
  return segments;
}

// Lower bound on the distance of all of one step from all of another: circles around both.
double circles_apart(const Segment& a, double reach_a, const Segment& b, double reach_b) {
  const auto radius = [](const Segment& s, double reach) {
    const double half = 0.5 * norm({s.end.x - s.start.x, s.end.y - s.start.y});
    return half + sagitta_upper(s, 0, s.t0, s.start, s.t1, s.end) + reach +
           (s.fixed ? 0 : deviation_upper(s, s.t0, s.t1));
  };
  const Vec2 between{0.5 * (a.start.x + a.end.x - b.start.x - b.end.x),
                     0.5 * (a.start.y + a.end.y - b.start.y - b.end.y)};
  const double scale = std::fabs(a.start.x) + std::fabs(a.start.y) + std::fabs(b.start.x) +
                       std::fabs(b.start.y) + reach_a + reach_b;
  return norm(between) - (radius(a, reach_a) + radius(b, reach_b)) - 0x1p-46 * scale;
}

Vec2 across(const Placed& A_a, const Placed& B_a, const Placed& A_b, const Placed& B_b) {
  const Vec2 from{B_a.x - A_a.x, B_a.y - A_a.y}, to{B_b.x - A_b.x, B_b.y - A_b.y};
  const Vec2 d = to - from;
  const double length = norm(d);
  if (!(length > 0)) return {1, 0};
  const Vec2 n{-d.y / length, d.x / length};
  return dot(n, from) < 0 ? -1 * n : n;
}

// A piece of the object on one of its steps, and a piece of an obstacle on one of its own.
struct StepPair {
  int obstacle = 0, own = 0, step = 0;
  const Piece *mine = nullptr, *theirs = nullptr;
};

// The object's steps and those of all obstacles.
class Encounter {
 public:
  Encounter(const Data& scene, const Footprint& footprint, const Trajectory& trajectory, int except)
      : scene_(scene),
        footprint_(footprint),
        except_(except),
        own_(segments_of(view(trajectory), footprint.core_reach())),
        rounding_(rounding_of(view(trajectory), footprint)) {
    for (const Obstacle& obstacle : scene.obstacles) steps_.push_back(steps_of(obstacle));
  }

  PairQuery query(const StepPair& pair) const {
    const auto o = static_cast<std::size_t>(pair.obstacle);
    return {pair.mine,
            pair.theirs,
            &own_[static_cast<std::size_t>(pair.own)],
            &steps_[o][static_cast<std::size_t>(pair.step)].segment,
            rounding_ + scene_.rounding[o],
            0};
  }
  const Obstacle& obstacle(int o) const { return scene_.obstacles[static_cast<std::size_t>(o)]; }

  // Calls open(pair, bound) for the pieces of all pairs of steps: `bound` is below the distance of
  // the two steps at any times. Pairs that skip(obstacle, own, step, bound) are passed over. False
  // if the budget ended before all were seen.
  template <class Skip, class Open>
  bool for_each(Watch& watch, Skip&& skip, Open&& open) const {
    for (std::size_t o = 0; o < steps_.size(); ++o)
      for (std::size_t k = 0; k < steps_[o].size(); ++k)
        for (std::size_t i = 0; i < own_.size(); ++i) {
          if (static_cast<int>(o) == except_) continue;
          if (watch.over()) return false;
          const auto& [segment, footprint] = steps_[o][k];
          const double bound =
              circles_apart(own_[i], footprint_.reach(), segment, footprint->reach());
          if (skip(static_cast<int>(o), own_[i], segment, bound)) continue;
          for (const Piece& p : footprint_.pieces())
            for (const Piece& r : footprint->pieces())
              open(StepPair{static_cast<int>(o), static_cast<int>(i), static_cast<int>(k), &p, &r},
                   bound);
        }
    return true;
  }

 private:
  const Data& scene_;
  const Footprint& footprint_;
  const int except_;
  std::vector<Segment> own_;
  std::vector<std::vector<Step>> steps_;
  const double rounding_;
};

// Takes the cell with the least bound until done(bound), or the cells or the budget run out;
// returns the least bound of what is left open.
template <class Cell, class Done, class Refine>
double best_first(std::priority_queue<Cell>& queue, std::int64_t max_cells, Watch& watch,
                  Done&& done, Refine&& refine) {
  for (std::int64_t count = 0; !queue.empty() && count < max_cells && !watch.over(); ++count) {
    const Cell cell = queue.top();
    if (done(cell.bound)) break;
    queue.pop();
    refine(cell);
  }
  return queue.empty() ? kInfinity : queue.top().bound;
}

struct Moment {
  double t = 0;
  Placed A, B;
  Separation seen;
};

// Splits time where the distance may be least until the proof meets the least distance seen.
class ClearanceSearch {
 public:
  ClearanceSearch(const Encounter& encounter, const MetricOptions& options, const Budget& budget)
      : encounter_(encounter), options_(options), watch_(budget) {}

  Clearance run() {
    Bounds& d = result_.distance = {kInfinity, kInfinity};
    if (!open_all()) floor_ = 0;
    const double open = best_first(
        queue_, options_.max_cells, watch_,
        [&](double bound) { return d.upper <= 0 || d.upper - bound <= options_.tolerance; },
        [&](const Cell& cell) { refine(cell); });
    d.upper = std::max(0.0, d.upper);
    d.lower = std::clamp(std::min(floor_, open), 0.0, d.upper);
    return result_;
  }

 private:
  struct Cell {
    double bound = 0;  // below the distance
    StepPair pair;
    Moment a, b;
    bool operator<(const Cell& other) const { return bound > other.bound; }
  };

  // False if the budget ended before: then nothing is known of the rest.
  bool open_all() {
    const auto no_common_time = [](const Segment& a, const Segment& b) {
      return !(std::max(a.t0, b.t0) <= std::min(a.t1, b.t1));
    };
    return encounter_.for_each(
        watch_,
        [&](int, const Segment& own, const Segment& other, double bound) {
          return no_common_time(own, other) || bound >= result_.distance.upper;
        },
        [&](const StepPair& pair, double bound) {
          const PairQuery q = encounter_.query(pair);
          const double a = std::max(q.segment_a->t0, q.segment_b->t0);
          const double b = std::min(q.segment_a->t1, q.segment_b->t1);
          push({bound, pair, {}, {}}, q, look(q, a, pair.obstacle), look(q, b, pair.obstacle));
        });
  }

  void refine(const Cell& cell) {
    const double t = cell.a.t + 0.5 * (cell.b.t - cell.a.t);
    if (!(cell.a.t < t && t < cell.b.t)) {
      floor_ = std::min(floor_, cell.bound);  // a single instant: as good as it gets
      return;
    }
    const PairQuery q = encounter_.query(cell.pair);
    const Moment m = look(q, t, cell.pair.obstacle);
    push(cell, q, cell.a, m);
    push(cell, q, m, cell.b);
  }

  Moment look(const PairQuery& q, double t, int obstacle) {
    Moment m;
    m.t = t;
    m.A = place(*q.segment_a, t);
    m.B = place(*q.segment_b, t);
    m.seen = separation(*q.piece_a, m.A, *q.piece_b, m.B);
    const double upper = m.seen.upper - q.piece_a->radius - q.piece_b->radius + q.rounding +
                         deviation_upper(*q.segment_a, t, t) + deviation_upper(*q.segment_b, t, t);
    if (upper < result_.distance.upper) {
      result_.distance.upper = upper;
      result_.obstacle = obstacle;
      result_.t = t;
    }
    return m;
  }

  void push(Cell cell, const PairQuery& q, const Moment& a, const Moment& b) {
    const double loss = loss_upper(q, a.t, a.A, a.B, b.t, b.A, b.B);
    for (const Vec2 n : {a.seen.direction, b.seen.direction, across(a.A, a.B, b.A, b.B)})
      cell.bound = std::max(cell.bound, distance_lower(q, n, a.A, a.B, b.A, b.B, loss));
    if (cell.bound >= result_.distance.upper) return;
    cell.a = a;
    cell.b = b;
    queue_.push(cell);
  }

  const Encounter& encounter_;
  const MetricOptions& options_;
  Watch watch_;
  std::priority_queue<Cell> queue_;
  double floor_ = kInfinity;  // the least bound of cells that cannot be split
  Clearance result_;
};

// Two steps whose times have nothing to do with each other: is all of A on [a0, a1] apart from all
// of B on [b0, b1]? Each point stays within its sagitta of the chord between its two ends, so the
// extents of the ends along n, widened, hold everything (lemma 2).
struct TimeBox {
  double a0 = 0, a1 = 0, b0 = 0, b1 = 0;
};

bool apart_at_any_times(const PairQuery& q, const TimeBox& box, Separation& middle) {
  const Segment &sa = *q.segment_a, &sb = *q.segment_b;
  const Placed A0 = place(sa, box.a0), A1 = place(sa, box.a1);
  const Placed B0 = place(sb, box.b0), B1 = place(sb, box.b1);
  const Placed A = place(sa, 0.5 * (box.a0 + box.a1)), B = place(sb, 0.5 * (box.b0 + box.b1));
  middle = separation(*q.piece_a, A, *q.piece_b, B);
  const double loss = sagitta_upper(sa, q.piece_a->reach, box.a0, A0, box.a1, A1) +
                      sagitta_upper(sb, q.piece_b->reach, box.b0, B0, box.b1, B1) +
                      deviation_upper(sa, box.a0, box.a1) + deviation_upper(sb, box.b0, box.b1) +
                      q.piece_a->radius + q.piece_b->radius + q.rounding + q.clearance;
  for (const Vec2 n : {middle.direction, across(A0, B0, A1, B0), across(A0, B0, A0, B1)}) {
    const double high = std::max(extent(*q.piece_a, A0, n).high, extent(*q.piece_a, A1, n).high);
    const double low = std::min(extent(*q.piece_b, B0, n).low, extent(*q.piece_b, B1, n).low);
    if (low - high > loss) return true;
  }
  return false;
}

double gap_between(const TimeBox& box) {
  return std::max({0.0, box.b0 - box.a1, box.a0 - box.b1});
}

// Splits boxes of (t, t') where the gap in time may be least until they meet the least one seen.
class TimeGapSearch {
 public:
  TimeGapSearch(const Encounter& encounter, const MetricOptions& options, const Budget& budget)
      : encounter_(encounter), options_(options), watch_(budget) {}

  TimeGap run() {
    Bounds& seconds = result_.seconds = {kInfinity, kInfinity};
    const bool all = encounter_.for_each(
        watch_,
        [&](int o, const Segment&, const Segment&, double bound) {
          return !encounter_.obstacle(o).moves() || bound > 0;
        },
        [&](const StepPair& pair, double) {
          const PairQuery q = encounter_.query(pair);
          push({0, pair, {q.segment_a->t0, q.segment_a->t1, q.segment_b->t0, q.segment_b->t1}});
        });
    if (!all) floor_ = 0;  // nothing is known of the rest
    const double open = best_first(
        queue_, options_.max_cells, watch_,
        [&](double bound) { return bound + 0.75 * options_.time_tolerance >= seconds.upper; },
        [&](const Cell& cell) { refine(cell); });
    seconds.lower = std::min({floor_, open, seconds.upper});
    return result_;
  }

 private:
  struct Cell {
    double bound = 0;  // the least |t - t'| in the box
    StepPair pair;
    TimeBox box;
    bool operator<(const Cell& other) const { return bound > other.bound; }
  };

  void refine(Cell cell) {
    const PairQuery q = encounter_.query(cell.pair);
    Separation middle;
    if (apart_at_any_times(q, cell.box, middle)) return;
    const double t = 0.5 * (cell.box.a0 + cell.box.a1), u = 0.5 * (cell.box.b0 + cell.box.b1);
    const double distance = middle.upper - q.piece_a->radius - q.piece_b->radius + q.rounding +
                            deviation_upper(*q.segment_a, t, t) +
                            deviation_upper(*q.segment_b, u, u);
    if (distance < 0 && std::fabs(t - u) < result_.seconds.upper) {
      result_.seconds.upper = std::fabs(t - u);
      result_.obstacle = cell.pair.obstacle;
      result_.t = t;
      result_.t_obstacle = u;
    }
    const double wide_a = cell.box.a1 - cell.box.a0, wide_b = cell.box.b1 - cell.box.b0;
    if (std::max(wide_a, wide_b) < 0.125 * options_.time_tolerance) {
      floor_ = std::min(floor_, cell.bound);  // touching, without a proof either way
      return;
    }
    Cell other = cell;
    if (wide_a >= wide_b)
      cell.box.a1 = other.box.a0 = t;
    else
      cell.box.b1 = other.box.b0 = u;
    push(cell);
    push(other);
  }

  void push(Cell cell) {
    cell.bound = gap_between(cell.box);
    if (cell.bound < result_.seconds.upper && cell.bound <= options_.horizon) queue_.push(cell);
  }

  const Encounter& encounter_;
  const MetricOptions& options_;
  Watch watch_;
  std::priority_queue<Cell> queue_;
  double floor_ = kInfinity;  // the least gap of cells too small to split
  TimeGap result_;
};

// Collects the times at which a step of a path cannot be proved free of one step of an obstacle.
class UnsafeTimes {
 public:
  UnsafeTimes(const PairQuery& query, const MetricOptions& options, Watch& watch,
              std::vector<TimeInterval>& unsafe)
      : q_(query), options_(options), watch_(watch), unsafe_(unsafe) {}

  void run(const TimeBox& box) {
    if (watch_.over()) return unsafe_.push_back({box.b0, box.b1});
    Separation middle;
    if (apart_at_any_times(q_, box, middle)) return;
    const double wide_a = (box.a1 - box.a0) / (q_.segment_a->t1 - q_.segment_a->t0);
    const double wide_b = box.b1 - box.b0;
    const bool contact = middle.upper - q_.piece_a->radius - q_.piece_b->radius + q_.rounding < 0;
    if (wide_b <= options_.time_tolerance && (contact || wide_a <= 1e-4)) {
      unsafe_.push_back({box.b0, box.b1});
      return;
    }
    const double t = 0.5 * (box.a0 + box.a1), u = 0.5 * (box.b0 + box.b1);
    const bool split_path = wide_b <= options_.time_tolerance || (!contact && wide_a > wide_b);
    if (split_path) {
      const std::size_t before = unsafe_.size();
      run({box.a0, t, box.b0, box.b1});
      // The whole time is lost already: the other half cannot lose more.
      if (wide_b <= options_.time_tolerance && unsafe_.size() > before) return;
      run({t, box.a1, box.b0, box.b1});
    } else {
      run({box.a0, box.a1, box.b0, u});
      run({box.a0, box.a1, u, box.b1});
    }
  }

 private:
  const PairQuery& q_;
  const MetricOptions& options_;
  Watch& watch_;
  std::vector<TimeInterval>& unsafe_;
};

std::vector<TimeInterval> complement(std::vector<TimeInterval> unsafe, double begin, double end) {
  std::sort(unsafe.begin(), unsafe.end(),
            [](const TimeInterval& a, const TimeInterval& b) { return a.begin < b.begin; });
  std::vector<TimeInterval> safe;
  double at = begin;
  for (const TimeInterval& u : unsafe) {
    if (u.begin > at) safe.push_back({at, u.begin});
    at = std::max(at, u.end);
  }
  if (at < end) safe.push_back({at, end});
  return safe;
}

Result<void> validate_all(const Footprint& footprint, const Trajectory& trajectory,
                          const MetricOptions& options) {
  if (footprint.pieces().empty()) return bad_input("the object has no shape");
  if (!(options.tolerance > 0 && options.time_tolerance > 0 && options.horizon >= 0))
    return bad_input("tolerances must be above 0");
  return validate(trajectory);
}

}  // namespace

Result<Clearance> clearance(const TrafficScene& scene, const Footprint& footprint,
                            const Trajectory& trajectory, const MetricOptions& options, int except,
                            const Budget& budget) {
  if (auto valid = validate_all(footprint, trajectory, options); !valid.ok()) return valid.error();
  const Encounter encounter(scene.data(), footprint, trajectory, except);
  return ClearanceSearch(encounter, options, budget).run();
}

Result<Bounds> time_to_collision(const TrafficScene& scene, const Footprint& footprint,
                                 const Trajectory& trajectory, const MetricOptions& options,
                                 TrafficScratch& workspace, int except, const Budget& budget) {
  TrafficOptions check_options;
  check_options.time_resolution = options.time_tolerance;
  const auto result = check(scene, footprint, trajectory, check_options, workspace, except, budget);
  if (!result.ok()) return result.error();
  const double start = trajectory.t.front();
  if (const auto& contact = result.value().contact)
    return Bounds{contact->t_lower - start, contact->t - start};
  if (const auto& doubt = result.value().doubt) return Bounds{doubt->t_begin - start, kInfinity};
  return Bounds{kInfinity, kInfinity};
}

Result<TimeGap> time_gap(const TrafficScene& scene, const Footprint& footprint,
                         const Trajectory& trajectory, const MetricOptions& options, int except,
                         const Budget& budget) {
  if (auto valid = validate_all(footprint, trajectory, options); !valid.ok()) return valid.error();
  const Encounter encounter(scene.data(), footprint, trajectory, except);
  return TimeGapSearch(encounter, options, budget).run();
}

Result<std::vector<TimeInterval>> safe_intervals(const TrafficScene& scene,
                                                 const Footprint& footprint, const Trajectory& path,
                                                 int step, double begin, double end,
                                                 const MetricOptions& options,
                                                 const Budget& budget) {
  if (auto valid = validate_all(footprint, path, options); !valid.ok()) return valid.error();
  if (step < 0 || step >= path.num_segments())
    return bad_input(fmt::format("no step {} in a path of {}", step, path.num_segments()));
  if (!(begin <= end)) return bad_input("the times are not in order");
  const Data& data = scene.data();
  const Segment own = make_segment(view(path), step, footprint.core_reach());
  const double rounding = rounding_of(view(path), footprint);
  std::vector<TimeInterval> unsafe;
  Watch watch(budget);
  for (std::size_t o = 0; o < data.obstacles.size(); ++o)
    for (const Step& other : steps_of(data.obstacles[o])) {
      const double b0 = std::max(begin, other.segment.t0), b1 = std::min(end, other.segment.t1);
      if (!(b0 <= b1)) continue;
      if (circles_apart(own, footprint.reach(), other.segment, other.footprint->reach()) > 0)
        continue;
      for (const Piece& p : footprint.pieces())
        for (const Piece& r : other.footprint->pieces()) {
          const PairQuery q{&p, &r, &own, &other.segment, rounding + data.rounding[o], 0};
          UnsafeTimes(q, options, watch, unsafe).run({own.t0, own.t1, b0, b1});
        }
    }
  return complement(std::move(unsafe), begin, end);
}

}  // namespace proven::spacetime
