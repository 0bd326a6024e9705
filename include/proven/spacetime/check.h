// Is a trajectory free among moving obstacles? Proved in continuous time, rounding included.
//
// `free` says that at every instant at which both exist, the object is farther than `clearance`
// from every obstacle, for every motion that the stated interpolation and deviations allow.
// `collision` says that at the reported time they are closer than that, again for every such
// motion. `undecided` says that neither was proved, and why. Derivations:
// docs/algorithms/spacetime.md.
//
// Every call takes a Budget. What is not decided when it ends is undecided, with the reason.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "proven/base/budget.h"
#include "proven/certify/verdict.h"
#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime {

struct TrafficOptions {
  double clearance = 0;           // metres, required of every obstacle
  double resolution = 1e-6;       // metres: closer than clearance + this without proof is undecided
  double time_resolution = 1e-3;  // seconds: contacts are located to within this
  bool first = true;              // the earliest contact; false: any, which is cheaper
  std::int64_t max_cells = 1000000;  // intervals of time examined before giving up
};
Result<void> validate(const TrafficOptions& options);

struct TrafficContact {
  int obstacle = -1;
  double t_lower = 0;  // with `first`: proved free before this
  double t = 0;        // they meet here
  Pose2 pose, obstacle_pose;
  double distance = 0;  // at t; negative values are the depth of the overlap
};

// Where neither was proved. Nothing is known of [t_begin, t_end] where a budget ended the work.
struct TrafficDoubt {
  UndecidedReason reason = UndecidedReason::gap_below_resolution;
  int obstacle = -1;  // -1: the budget had ended before any was looked at
  double t_begin = 0, t_end = 0;
  double distance = 0;  // the least that was proved where it was looked
};

struct TrafficStats {
  std::int64_t box_tests = 0;   // pairs of boxes
  std::int64_t step_pairs = 0;  // pairs of steps looked at closely
  std::int64_t cells = 0;       // intervals of time examined
};

struct TrafficResult {
  Verdict verdict = Verdict::undecided;
  std::optional<TrafficContact> contact;
  std::optional<TrafficDoubt> doubt;
  TrafficStats stats;
};

// Scratch that one thread reuses; no allocation once it has grown.
class TrafficScratch {
 public:
  TrafficScratch();
  ~TrafficScratch();
  TrafficScratch(TrafficScratch&&) noexcept;
  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// The trajectory needs at least two samples. Obstacle `except` is left out (-1 stands for none).
Result<TrafficResult> check(const TrafficScene& scene, const Footprint& footprint,
                            const Trajectory& trajectory, const TrafficOptions& options,
                            TrafficScratch& workspace, int except = -1, const Budget& budget = {});

// Many candidates of one object with common times: row r of x, y and heading holds candidate r.
struct CandidateSet {
  Footprint footprint;
  Interpolation between = Interpolation::linear;  // linear or arc
  std::vector<double> t;
  std::vector<double> x, y, heading;

  int poses() const { return static_cast<int>(t.size()); }
  int size() const { return t.empty() ? 0 : static_cast<int>(x.size() / t.size()); }
};

// Returns the results of all candidates, in order.
Result<std::vector<TrafficResult>> check_all(const TrafficScene& scene,
                                             const CandidateSet& candidates,
                                             const TrafficOptions& options, int threads = 1,
                                             const Budget& budget = {});
// The same when only verdicts are wanted.
Result<std::vector<Verdict>> verdicts(const TrafficScene& scene, const CandidateSet& candidates,
                                      const TrafficOptions& options, int threads = 1,
                                      const Budget& budget = {});

struct FirstFree {
  int candidate = -1;  // the first in `order` that is proved free; -1 if none is
  int checked = 0;
  std::optional<Stop> stopped;  // the budget ended before all were checked
};
Result<FirstFree> first_free(const TrafficScene& scene, const CandidateSet& candidates,
                             std::span<const int> order, const TrafficOptions& options,
                             TrafficScratch& workspace, const Budget& budget = {});

// A motion that is used again and again: a motion primitive is prepared once, then asked about at
// any pose and time without being built anew.
//
// What is decided is the exact rigid motion of the prepared trajectory: its sample i is at
// X_WP * (x, y) with heading + X_WP.heading, at the time t + time, rounded to the nearest double.
// Rounding of the placement is part of every proof.
class PreparedMotion {
 public:
  // The trajectory is in the primitive's own frame P, usually from the origin at time 0.
  static Result<PreparedMotion> make(Footprint footprint, Trajectory motion);

  const Footprint& footprint() const;
  const Trajectory& motion() const;

  struct Data;
  const Data& data() const { return *data_; }

 private:
  explicit PreparedMotion(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

struct Placement {
  Pose2 X_WP;
  double time = 0;  // added to the motion's own times
};

// The motion where it was placed, as a trajectory of its own: what building anew starts from.
Trajectory placed(const PreparedMotion& motion, const Placement& placement);

Result<TrafficResult> check(const TrafficScene& scene, const PreparedMotion& motion,
                            const Placement& placement, const TrafficOptions& options,
                            TrafficScratch& workspace, int except = -1, const Budget& budget = {});

// The verdicts of all motions at one placement, as a lattice planner asks at a state.
Result<std::vector<Verdict>> verdicts(const TrafficScene& scene,
                                      std::span<const PreparedMotion> motions,
                                      const Placement& placement, const TrafficOptions& options,
                                      TrafficScratch& workspace, const Budget& budget = {});

// How close was it, in space and in time? Every figure is an interval that is proved to hold the
// true value; nothing is sampled.
struct Bounds {
  double lower = 0, upper = 0;
};

struct MetricOptions {
  double tolerance = 1e-3;          // metres: the width of the interval aimed at
  double time_tolerance = 1e-3;     // seconds
  double horizon = 10;              // seconds: time gaps beyond it are not looked for
  std::int64_t max_cells = 200000;  // where they or the budget end, intervals are wider, still true
};

// The least distance to any obstacle at equal times; 0 if they touch.
struct Clearance {
  Bounds distance;
  int obstacle = -1;  // the one that gives `upper`, at time t
  double t = 0;
};
Result<Clearance> clearance(const TrafficScene& scene, const Footprint& footprint,
                            const Trajectory& trajectory, const MetricOptions& options,
                            int except = -1, const Budget& budget = {});

// Time to collision from the start of the trajectory. Both ends are infinite if there is none;
// a finite lower end with an infinite upper one is undecided.
Result<Bounds> time_to_collision(const TrafficScene& scene, const Footprint& footprint,
                                 const Trajectory& trajectory, const MetricOptions& options,
                                 TrafficScratch& workspace, int except = -1,
                                 const Budget& budget = {});

// The least |t - t'| such that the object at t and a moving obstacle at t' overlap: how long after
// one of them the other uses the same ground (post-encroachment time). It is 0 if they collide and
// infinite beyond the horizon. Standing obstacles and sets have no such time.
struct TimeGap {
  Bounds seconds;
  int obstacle = -1;
  double t = 0, t_obstacle = 0;  // where `upper` is reached
};
Result<TimeGap> time_gap(const TrafficScene& scene, const Footprint& footprint,
                         const Trajectory& trajectory, const MetricOptions& options,
                         int except = -1, const Budget& budget = {});

struct TimeInterval {
  double begin = 0, end = 0;
};
// The times in [begin, end] at which the object may be anywhere on step `step` of the path (times
// of the path are not used) without touching an obstacle: disjoint, in order, each proved. What is
// left out is unsafe, or within time_tolerance of it, or was not proved within the budget.
Result<std::vector<TimeInterval>> safe_intervals(const TrafficScene& scene,
                                                 const Footprint& footprint, const Trajectory& path,
                                                 int step, double begin, double end,
                                                 const MetricOptions& options,
                                                 const Budget& budget = {});

}  // namespace proven::spacetime
