// plan: a path from start to goal whose every segment is proved free.
//
// A planner asks only the certify layer; it never touches geometry. One call is one solve without
// hidden state: the same problem, options and seed give the same path (time budgets apart).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/certify/certificate.h"
#include "proven/certify/options.h"
#include "proven/certify/verdict.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/scene/path.h"
#include "proven/scene/scene.h"

namespace proven {

// The checker that planners and smoothers use unless told otherwise: the one place that decides.
inline constexpr Checker kProvingChecker = Checker::directional;
// How planners check by default. A motion closer to contact than the resolution is given up soon:
// there are others.
CheckOptions proving_check();

struct PlanProblem {
  std::vector<double> start, goal;  // full configurations
  // Coordinates that may move, all four of a ball joint together; the others must be the same in
  // start and goal. Empty: all of them.
  std::vector<int> planned;
  // Per coordinate of the scene; empty: the joints' own limits.
  std::vector<Interval> limits;
};

struct PlanOptions {
  std::string planner = "rrt-connect";  // a name of planners()
  std::uint64_t seed = 1;
  // The planner "sbl" sets the checker to fixed. With `certificate` the result carries one.
  CheckOptions check = proving_check();
  // Budgets. The number of iterations stops a planner at the same place on every machine.
  double max_seconds = std::numeric_limits<double>::infinity();
  std::int64_t max_iterations = 100'000;
  // Called now and then with the iterations done; may be null.
  std::function<void(std::int64_t)> progress = {};
};

enum class PlanStatus {
  solved,
  budget,         // no path within the budget; there may be one
  start_invalid,  // in collision, touching or out of limits
  goal_invalid,
  cancelled,
};

struct PlanStats {
  std::int64_t iterations = 0;
  std::int64_t milestones = 0;       // configurations tested
  std::int64_t segments = 0;         // segments worked on
  std::int64_t candidate_paths = 0;  // of lazy planners: paths tested as a whole
  CheckStats check;                  // of segments; seconds spent in them
  double configuration_seconds = 0;  // spent on single configurations
  double seconds = 0;                // all of it
};

struct PlanResult {
  PlanStatus status = PlanStatus::budget;
  std::string reason;  // one sentence for people; empty if solved
  // Of an invalid start or goal: the pair and the distance. The segment is 0 for the start, 1 for
  // the goal.
  std::optional<Witness> obstruction;
  Path path;                // solved: from start to goal, straight between waypoints
  bool proved = false;      // solved by a proving checker: every segment is free
  Certificate certificate;  // of a proved path, if asked for: what the verifier reads
  PlanStats stats;
};

// A continuous joint may take the short way or the long way round: the path's last waypoint is then
// the goal but for whole turns of that joint, written as literal values.
// Fails on a problem that does not fit the scene, and on options that make no sense.
Result<PlanResult> plan(const Scene& scene, const PlanProblem& problem, const PlanOptions& options);

// Limits of all coordinates with those of the joints that mimic them; infinite where there are
// none.
std::vector<Interval> joint_limits(const KinematicTree& tree);

// The problem of a query file.
PlanProblem problem_of(const Query& query);

struct PlannerInfo {
  std::string_view name, summary;
};
std::span<const PlannerInfo> planners();

}  // namespace proven
