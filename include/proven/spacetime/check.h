// Is a trajectory free among moving obstacles? Proved in continuous time, rounding included.
//
// free: at every instant at which both exist, the object is farther than `clearance` from every
// obstacle, for every motion that the stated interpolation and deviations allow. collision: at the
// reported time they are closer than that, again for every such motion. undecided: neither was
// proved. Derivations: docs/algorithms/spacetime.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/certify/verdict.h"
#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime {

struct TrafficOptions {
  double clearance = 0;           // metres, required of every obstacle
  double resolution = 1e-6;       // metres: closer than clearance + this without proof is undecided
  double time_resolution = 1e-3;  // seconds: contacts are located to within this
  bool first = true;              // the earliest contact; false: any, which is cheaper
  std::int64_t max_cells = 1000000;
};
Result<void> validate(const TrafficOptions& options);

struct TrafficContact {
  int obstacle = -1;
  double t_lower = 0;  // with `first`: proved free before this
  double t = 0;        // contact here
  Pose2 pose, obstacle_pose;
  double distance = 0;  // at t; negative: depth of the overlap
};

struct TrafficDoubt {
  int obstacle = -1;
  double t_begin = 0, t_end = 0;
  double distance = 0;  // the least that could be proved there
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
class TrafficWorkspace {
 public:
  TrafficWorkspace();
  ~TrafficWorkspace();
  TrafficWorkspace(TrafficWorkspace&&) noexcept;
  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// The trajectory needs at least two samples. Obstacle `except` is left out (-1: none).
Result<TrafficResult> check(const TrafficScene& scene, const Footprint& footprint,
                            const Trajectory& trajectory, const TrafficOptions& options,
                            TrafficWorkspace& workspace, int except = -1);

// Many candidates of one object with common times: row r of x, y and heading holds candidate r.
struct CandidateSet {
  Footprint footprint;
  Interpolation between = Interpolation::linear;  // linear or arc
  std::vector<double> t;
  std::vector<double> x, y, heading;

  int poses() const { return static_cast<int>(t.size()); }
  int size() const { return t.empty() ? 0 : static_cast<int>(x.size() / t.size()); }
};

// All verdicts, in order.
Result<std::vector<TrafficResult>> check_all(const TrafficScene& scene,
                                             const CandidateSet& candidates,
                                             const TrafficOptions& options, int threads = 1);
// The same when only verdicts are wanted.
Result<std::vector<Verdict>> verdicts(const TrafficScene& scene, const CandidateSet& candidates,
                                      const TrafficOptions& options, int threads = 1);

struct FirstFree {
  int candidate = -1;  // the first in `order` proved free; -1: none
  int checked = 0;
};
Result<FirstFree> first_free(const TrafficScene& scene, const CandidateSet& candidates,
                             std::span<const int> order, const TrafficOptions& options,
                             TrafficWorkspace& workspace);

// The instruction sets that this machine can run, the fastest (used unless forced) first.
std::vector<std::string> kernel_names();
// For tests and benchmarks: all checks of this workspace use the named kernel; false if there is
// none.
bool force_kernel(TrafficWorkspace& workspace, std::string_view name);
// Likewise: every pair of boxes is tested, without the tree above them.
void force_brute_force(TrafficWorkspace& workspace, bool on);

}  // namespace proven::spacetime
