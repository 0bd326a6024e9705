// plan: a path from start to goal whose every segment is proved free.
//
// A planner asks only the certify layer; it never touches geometry. One call is one solve without
// hidden state: the same query, options and seed give the same path (time budgets apart; of a model
// that was told to sweep it may be another one).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/budget.h"
#include "proven/base/result.h"
#include "proven/certify/batch.h"
#include "proven/certify/certificate.h"
#include "proven/certify/check.h"
#include "proven/certify/constraints.h"
#include "proven/certify/options.h"
#include "proven/certify/verdict.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

// The checker that planners and smoothers use unless told otherwise: the one place that decides.
inline constexpr Checker kProvingChecker = Checker::directional;
// How planners check by default. A motion closer to contact than the resolution is given up soon:
// there are others.
CheckOptions proving_check();

struct PlanOptions {
  std::string planner = "rrt-connect";  // a name of planners()
  std::uint64_t seed = 1;
  // The planner "sbl" sets the checker to fixed. With `certificate` the result carries one.
  CheckOptions check = proving_check();
  // Stops a planner at the same place on every machine; time is in the Budget of the call.
  std::int64_t max_iterations = 100'000;
  // Metres. Wanted distance to the world and other robots, beyond what `check` requires: half of it
  // and so on where start, goal or a narrow passage allow no more. The path is proved to keep it;
  // the certificate is about what is required.
  double margin = 0;
  // Full configurations that will do as well as the query's goal. Those that are not valid, or
  // beyond the ranges of the query's space, are passed over.
  std::vector<std::vector<double>> other_goals = {};
  // What the path must keep, all along: proved as its freedom is. By rrt-connect alone, which then
  // brings its nodes back to them.
  std::vector<FrameConstraint> constraints = {};
};

enum class PlanStatus {
  solved,
  budget,         // no path within the budget; there may be one
  start_invalid,  // in collision, touching or out of limits
  goal_invalid,
  cancelled,
  unreachable,  // proved: no configuration brings the tool to a goal (of who looks for goals)
};

struct PlanStats {
  std::int64_t iterations = 0;
  std::int64_t configurations = 0;   // tested
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
  // Of a start or goal that does not keep a constraint, or is not proved to.
  std::optional<ConstraintResult> broken = {};
  Path path;  // solved: from start to goal, straight between waypoints
  // Solved by a proving checker: every segment is free and keeps the constraints, proved as the
  // literal values of the path.
  bool proved = false;
  double margin_kept = 0;     // of a path: all along it, at its samples if it is not proved
  std::string margin_reason;  // why that is less than was asked for, for people
  Certificate certificate;    // of a proved path, if asked for: what the verifier reads
  PlanStats stats;
};

// The straight motion is tried first. A path ends at a goal as it is written, unless any turn of
// continuous joints will do (Query::any_turn): its last waypoint is then the goal but for whole
// turns, written as literal values.
// Fails on a query that does not fit the scene, and on options that make no sense. Progress counts
// iterations.
Result<PlanResult> plan(const Scene& scene, const Query& query, const PlanOptions& options,
                        const Budget& budget = {});
// The same for a scene that is kept prepared, as who plans again and again does: the options are
// those of the call, and what the model has prepared is used where they require the same.
Result<PlanResult> plan(const CheckModel& model, const Query& query, const PlanOptions& options,
                        const Budget& budget = {});

// One of many queries; goals and constraints as in PlanOptions.
struct PlanProblem {
  Query query;
  std::vector<std::vector<double>> other_goals = {};
  std::vector<FrameConstraint> constraints = {};
};
// Many queries of one scene, each as it is planned alone with these options; results in order, the
// same for any number of threads, failures in their places. Where they are many and the options
// of the batch lead to a GPU, the edges that all of them ask about are asked as batches, by
// rrt-connect and without constraints: it may prove one on which the search gives up, and of a
// model that was told to sweep all are asked in full. The budget is that of all; progress counts
// queries. Fails as BatchChecker does.
Result<std::vector<Result<PlanResult>>> plan_all(const CheckModel& model,
                                                 std::span<const PlanProblem> problems,
                                                 const PlanOptions& options,
                                                 const BatchOptions& batch,
                                                 const Budget& budget = {});

// Another planner, asked for the largest margin that it finds a path with: each call is with a
// margin (PlanOptions::margin) that is required already (PlanOptions::check), and all but the last
// with a share of the budget and the iterations.
using PlanAttempt = std::function<Result<PlanResult>(const PlanOptions&, const Budget&)>;
Result<PlanResult> plan_with_margin(const Scene& scene, const PlanOptions& options,
                                    const Budget& budget, const PlanAttempt& attempt);

// The margin as a requirement: clearances of the world and between robots are at least that.
CheckOptions with_margin(CheckOptions options, double margin);

// Proofs are not kept while planning: for each motion that ends in the path, many are tried. The
// path is proved once more instead, as the literal values that are returned, at least as finely as
// `check` does by default and without the budgets of single motions. With a certificate if the
// options ask for one.
Result<CheckResult> prove_finally(const Scene& scene, const Path& path, CheckOptions options,
                                  const Budget& budget);
Result<CheckResult> prove_finally(const CheckModel& model, const Path& path, CheckOptions options,
                                  const Budget& budget);

struct PlannerInfo {
  std::string_view name, summary;
};
std::span<const PlannerInfo> planners();

}  // namespace proven
