#include "proven/plan/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "plan/final_proof.h"
#include "plan/timing_clock.h"
#include "plan/timing_law.h"
#include "plan/timing_lift.h"
#include "proven/certify/check.h"
#include "proven/plan/plan.h"

namespace proven {
namespace {

constexpr double kMostPieces = 1e6;
constexpr double kRangeTolerance = 1e-9;  // of positions, as a share
constexpr double kLimitTolerance = 1e-9;  // of rates, as a share
// Corners are given up, and the motion stops there, where their reach would be below these.
constexpr double kLeastReach = 1e-5;  // seconds at full speed
constexpr int kHalvings = 6;
constexpr std::int64_t kCellsOfABlend = 20'000;  // a blend that needs more is too close to contact

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

Result<void> validate(const Path& path, const TimingOptions& options) {
  for (const auto& [value, name] :
       {std::pair(options.velocity, "velocity"), std::pair(options.acceleration, "acceleration"),
        std::pair(options.scale, "scale"), std::pair(options.interval, "interval")})
    if (!(value > 0 && std::isfinite(value)))
      return bad_input(fmt::format("the {} must be a positive number", name));
  if (!(options.jerk > 0)) return bad_input("the jerk must be a positive number");
  if (!(options.blend >= 0 && std::isfinite(options.blend)))
    return bad_input("the blend must be a number of at least 0");
  if (options.scale > 1) return bad_input("a scale above 1 would exceed the limits");
  if (path.waypoints.empty()) return bad_input("the path has no waypoint");
  if (!path.straight())
    return bad_input("the motion is curved already: a path of straight segments can be timed");
  return {};
}

// What is decided of each waypoint: how far its blend may reach at most, and whether to stop.
struct Corners {
  std::vector<double> most;
  std::vector<int> halved;
  std::vector<bool> stop;

  explicit Corners(std::size_t n)
      : most(n, std::numeric_limits<double>::infinity()), halved(n, 0), stop(n, false) {}
  void tighten(int corner, double reach) {
    const std::size_t i = at(corner);
    most[i] = 0.5 * reach;
    if (++halved[i] > kHalvings) stop[i] = true;
  }
};

struct Draft {
  Motion motion;
  std::vector<int> corner_of;   // each piece: as TimedPiece::corner
  std::map<int, double> reach;  // of each blend
  std::set<int> beyond;         // blends that leave the limits of positions
  double deviation = 0;
  int corners = 0, stops = 0;
};

double distance(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

double distance_from_segment(const Row& p, const Row& a, const Row& b) {
  double along = 0, square = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    along += (p[k] - a[k]) * (b[k] - a[k]);
    square += (b[k] - a[k]) * (b[k] - a[k]);
  }
  const double t = std::clamp(along / square, 0.0, 1.0);
  Row foot(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) foot[k] = a[k] + t * (b[k] - a[k]);
  return distance(p, foot);
}

// How far the pieces of a blend are from the two segments, and the corner from them. Distance from
// a segment is convex: it is greatest at a control point.
double deviation_of(const std::vector<TimedPiece>& blend, const Run& run, std::size_t point) {
  constexpr double kParts = 16;
  double from_path = 0, from_corner = std::numeric_limits<double>::infinity();
  for (const TimedPiece& whole : blend) {
    for (const TimedPiece& piece : cut({whole}, whole.seconds / kParts)) {
      double before = 0, after = 0;
      for (const Row& p : piece.control) {
        before =
            std::max(before, distance_from_segment(p, run.points[point - 1], run.points[point]));
        after = std::max(after, distance_from_segment(p, run.points[point], run.points[point + 1]));
      }
      from_path = std::max(from_path, std::min(before, after));
      from_corner = std::min(from_corner, distance(piece.control.front(), run.points[point]));
    }
  }
  return std::max(from_path, from_corner);
}

class Timer {
 public:
  Timer(const KinematicTree& tree, const Path& path, const TimingOptions& options)
      : path_(path), options_(options), lifting_(tree, path, options) {}

  Result<Draft> draft(Corners& corners) const {
    Draft draft;
    draft.motion.defaulted = path_.defaulted;
    draft.motion.waypoints = {path_.waypoints.front()};
    draft.motion.times = {0};
    const std::vector<LiftedRun> runs = runs_of(corners, draft.reach);
    for (const LiftedRun& run : runs)
      if (auto added = add(run, draft); !added.ok()) return added.error();
    draft.stops = std::max(0, static_cast<int>(runs.size()) - 1);
    draft.corners = draft.stops + static_cast<int>(draft.reach.size());
    return draft;
  }

  // With a stop at every waypoint, and at full speed.
  double seconds_with_stops() const {
    double sum = 0;
    for_segments([&](const Row& a, const Row& b) {
      sum += proven::seconds_with_stops(a, b, lifting_.limits());
    });
    return sum;
  }
  double seconds_at_full_speed() const {
    double sum = 0;
    for_segments(
        [&](const Row& a, const Row& b) { sum += travel_seconds(a, b, lifting_.limits()); });
    return sum;
  }

 private:
  template <class Use>
  void for_segments(const Use& use) const {
    for (const LiftedRun& run : lifting_.runs(std::vector<bool>(path_.waypoints.size(), true)))
      for (std::size_t i = 1; i < run.points.size(); ++i) use(run.points[i - 1], run.points[i]);
  }

  // Runs, and how far their blends reach. Blends that would be too short become stops.
  std::vector<LiftedRun> runs_of(Corners& corners, std::map<int, double>& reach) const {
    const BlendRules rules{options_.blend, 0.5 * options_.interval};
    for (;;) {
      std::vector<LiftedRun> runs = lifting_.runs(corners.stop);
      bool stopped = false;
      reach.clear();
      for (const LiftedRun& run : runs)
        for (std::size_t i = 1; i + 1 < run.points.size(); ++i) {
          const int corner = run.waypoints[i];
          reach[corner] =
              std::min(blend_reach(run, i, lifting_.limits(), rules), corners.most[at(corner)]);
          if (reach[corner] < kLeastReach) stopped = corners.stop[at(corner)] = true;
        }
      if (!stopped) return runs;
    }
  }

  Result<void> add(const LiftedRun& run, Draft& draft) const {
    std::vector<double> reach(run.points.size());
    for (std::size_t i = 1; i + 1 < reach.size(); ++i) reach[i] = draft.reach[run.waypoints[i]];
    const std::vector<AxisLimits>& limits = lifting_.limits();
    std::vector<TimedPiece> curve =
        time_curve(blended_curve(run, limits, reach), run.points.back(), limits);
    double seconds = 0;
    for (const TimedPiece& piece : curve) seconds += piece.seconds;
    const double interval = longest_piece();
    if (!(seconds / interval + static_cast<double>(draft.corner_of.size()) < kMostPieces))
      return bad_input("more than a million pieces: use a longer interval");
    const Joined joined = std::isfinite(options_.jerk) && !draft.reach.empty()
                              ? Joined::accelerations
                              : Joined::velocities;
    const std::vector<TimedPiece> pieces =
        on_clock(std::move(curve), draft.motion.times.back(), interval, joined);
    for (std::size_t i = 1; i + 1 < run.points.size(); ++i) {
      std::vector<TimedPiece> blend;
      std::ranges::copy_if(pieces, std::back_inserter(blend), [&](const TimedPiece& piece) {
        return piece.corner == run.waypoints[i];
      });
      draft.deviation = std::max(draft.deviation, deviation_of(blend, run, i));
    }
    for (const TimedPiece& piece : pieces) {
      draft.corner_of.push_back(piece.corner);
      if (piece.corner >= 0 && leaves_ranges(piece)) draft.beyond.insert(piece.corner);
    }
    lifting_.append(run, pieces, draft.motion);
    return {};
  }

  // Whole nanoseconds, for drivers.
  double longest_piece() const {
    const double interval = std::min(options_.interval, lifting_.longest_piece());
    return std::max(1e-9 * std::floor(1e9 * interval * (1 + 1e-12)), 1e-8);
  }

  // What the run is between whole nanoseconds differs from it a little: it is slowed until that
  // holds the limits too.
  std::vector<TimedPiece> on_clock(std::vector<TimedPiece> curve, double begin, double interval,
                                   Joined joined) const {
    for (double share = 1;; share *= 2) {
      std::vector<TimedPiece> pieces =
          on_whole_nanoseconds(cut(curve, interval), begin, interval, joined);
      double most = 1;
      for (const TimedPiece& piece : pieces)
        most = std::max(most, slowing(piece, lifting_.limits()));
      if (most <= 1 + kLimitTolerance) return pieces;
      for (TimedPiece& piece : curve) piece.seconds *= 1 + share * (most - 1);
    }
  }

  bool leaves_ranges(const TimedPiece& piece) const {
    for (std::size_t k = 0; k < lifting_.ranges().size(); ++k) {
      const Interval& range = lifting_.ranges()[k];
      const auto [low, high] = range_of(piece, k);
      if (low < range.lower - kRangeTolerance * (1 + std::fabs(range.lower)) ||
          high > range.upper + kRangeTolerance * (1 + std::fabs(range.upper)))
        return true;
    }
    return false;
  }

  const Path& path_;
  const TimingOptions& options_;
  Lifting lifting_;
};

bool given_up(const CheckResult& result) {
  return result.undecided && (result.undecided->reason == UndecidedReason::time ||
                              result.undecided->reason == UndecidedReason::cancelled);
}

// Proves motions of one scene, blend by blend and line by line.
class MotionProver {
 public:
  static Result<MotionProver> build(const Scene& scene, const Path& path,
                                    const CheckOptions& options, const Budget& budget) {
    auto model = CheckModel::build(scene, for_planning(options));
    if (!model.ok()) return model.error();
    for (const std::vector<double>& q : path.waypoints) model = model.value().covering(q, q);
    CheckOptions hasty = model.value().options();
    hasty.max_cells = std::min(hasty.max_cells, kCellsOfABlend);
    auto of_blends = model.value().with_options(hasty);
    if (!of_blends.ok()) return of_blends.error();
    return MotionProver(std::move(model).value(), std::move(of_blends).value(), budget);
  }

  // Adds the corners that are not proved free to `tight`; the result is free, or says what is not.
  // Those that are in it are not looked at.
  Result<CheckResult> prove(const Draft& draft, std::set<int>& tight) {
    CheckResult all;
    all.verdict = Verdict::free;
    const int n = draft.motion.num_segments();
    for (int begin = 0; begin < n || begin == 0;) {
      int end = begin + 1;
      const int corner = n == 0 ? -1 : draft.corner_of[at(begin)];
      while (end < n && draft.corner_of[at(end)] == corner) ++end;
      if (corner >= 0 && tight.contains(corner)) {
        begin = end;
        continue;
      }
      const Motion part = part_of(draft.motion, begin, std::min(end, n));
      auto result = (corner >= 0 ? of_blends_ : model_).check(part, scratch_, budget_);
      if (!result.ok()) return result.error();
      all.stats += result.value().stats;
      if (result.value().verdict != Verdict::free) {
        if (corner >= 0) tight.insert(corner);
        if (all.verdict == Verdict::free || corner < 0) take(result.value(), begin, all);
        if (corner < 0 || given_up(result.value())) return all;
      }
      begin = end;
    }
    return all;
  }

 private:
  MotionProver(CheckModel model, CheckModel of_blends, const Budget& budget)
      : model_(std::move(model)), of_blends_(std::move(of_blends)), budget_(budget) {}

  static Motion part_of(const Motion& motion, int begin, int end) {
    Motion part;
    part.waypoints.assign(motion.waypoints.begin() + begin, motion.waypoints.begin() + end + 1);
    part.times.assign(motion.times.begin() + begin, motion.times.begin() + end + 1);
    part.inner.assign(motion.inner.begin() + begin, motion.inner.begin() + end);
    return part;
  }

  static void take(const CheckResult& part, int begin, CheckResult& all) {
    all.verdict = part.verdict;
    all.collision = part.collision;
    all.undecided = part.undecided;
    if (all.collision) all.collision->segment += begin;
    if (all.undecided) all.undecided->segment += begin;
  }

  CheckModel model_, of_blends_;
  const Budget& budget_;
  Scratch scratch_;
};

// Drafts, and tightens corners until limits of positions hold and, with a prover, all is free.
Result<Draft> settle(const Timer& timer, MotionProver* prover, Corners& corners,
                     CheckResult& proof) {
  for (;;) {
    auto draft = timer.draft(corners);
    if (!draft.ok()) return draft.error();
    std::set<int> tight = draft.value().beyond;
    if (prover) {
      auto result = prover->prove(draft.value(), tight);
      if (!result.ok()) return result.error();
      proof = std::move(result).value();
      if (given_up(proof)) return draft;
    }
    if (tight.empty()) return draft;
    for (const int corner : tight) corners.tighten(corner, draft.value().reach.at(corner));
  }
}

Result<TimingResult> time_with(const KinematicTree& tree, const Path& path,
                               const TimingOptions& options, MotionProver* prover) {
  const Timer timer(tree, path, options);
  TimingResult result;
  rate_limits(tree, options.velocity, options.acceleration, &result.assumed);
  result.with_stops = timer.seconds_with_stops();
  result.at_full_speed = timer.seconds_at_full_speed();
  Corners corners(path.waypoints.size());
  if (options.blend == 0) corners.stop.assign(path.waypoints.size(), true);
  auto draft = settle(timer, prover, corners, result.proof);
  if (!draft.ok()) return draft.error();
  if (draft.value().motion.times.back() > result.with_stops * (1 + 1e-9) &&
      draft.value().stops < draft.value().corners) {
    corners.stop.assign(path.waypoints.size(), true);
    draft = settle(timer, prover, corners, result.proof);
    if (!draft.ok()) return draft.error();
  }
  result.motion = std::move(draft.value().motion);
  result.duration = result.motion.times.back();
  result.deviation = draft.value().deviation;
  result.corners = draft.value().corners;
  result.stops = draft.value().stops;
  result.tightened =
      static_cast<int>(std::ranges::count_if(corners.halved, [](int n) { return n > 0; }));
  return result;
}

}  // namespace

Result<TimingResult> time_path(const KinematicTree& tree, const Path& path,
                               const TimingOptions& options) {
  if (auto valid = validate(path, options); !valid.ok()) return valid.error();
  return time_with(tree, path, options, nullptr);
}

Result<TimingResult> time_path(const Scene& scene, const Path& path, const TimingOptions& options,
                               const CheckOptions& check_options, const Budget& budget) {
  if (auto valid = validate(path, options); !valid.ok()) return valid.error();
  if (check_options.checker == Checker::fixed)
    return bad_input("the checker fixed proves nothing: prove with another one");
  if (auto still = scene.require_no_clock(); !still.ok()) return still.error();
  if (auto within = require_within_limits(scene, path, check_options); !within.ok())
    return within.error();
  CheckResult input;
  input.verdict = Verdict::free;
  if (!options.input_is_proved) {
    Scratch scratch;
    auto checked = check(scene, path, without_certificate(check_options), scratch, budget);
    if (!checked.ok()) return checked.error();
    input = std::move(checked).value();
  }
  TimingResult result;
  if (input.verdict == Verdict::free) {
    auto prover = MotionProver::build(scene, path, check_options, budget);
    if (!prover.ok()) return prover.error();
    auto timed = time_with(scene.tree(), path, options, &prover.value());
    if (!timed.ok()) return timed.error();
    result = std::move(timed).value();
    if (check_options.certificate && result.proof.verdict == Verdict::free) {
      auto proof = prove_finally(scene, result.motion, check_options, budget);
      if (!proof.ok()) return proof.error();
      result.certificate = proof.value().certificate;
      result.proof = std::move(proof).value();
    }
  }
  result.input = std::move(input);
  return result;
}

}  // namespace proven
