#include "plan/ends.h"

#include <fmt/format.h>

#include <optional>

namespace proven {
namespace {

std::optional<std::string> beyond_limits(const Scene& scene, const PlanProblem& problem,
                                         const std::vector<double>& q) {
  const std::vector<Interval> limits =
      problem.limits.empty() ? joint_limits(scene.tree()) : problem.limits;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (q[i] >= limits[i].lower && q[i] <= limits[i].upper) continue;
    return fmt::format("'{}' = {} is beyond its limits [{}, {}]",
                       scene.tree().coordinates()[i].name, q[i], limits[i].lower, limits[i].upper);
  }
  return std::nullopt;
}

// Fills status, reason and obstruction unless the configuration is free.
bool accept_end(const Scene& scene, const PlanProblem& problem, Prover& prover, int configuration,
                bool is_start, PlanResult& result) {
  const char* which = is_start ? "start" : "goal";
  result.status = is_start ? PlanStatus::start_invalid : PlanStatus::goal_invalid;
  if (const auto reason = beyond_limits(scene, problem, is_start ? problem.start : problem.goal)) {
    result.reason = fmt::format("the {} is out of limits: {}", which, *reason);
    return false;
  }
  const CheckResult check = prover.check_configuration(configuration);
  if (check.verdict == Verdict::free) return true;
  Witness witness;
  if (check.collision) {
    witness = *check.collision;
  } else {
    witness.kind = ContactKind::too_close;
    witness.configuration = check.undecided->configuration;
    witness.bodies = check.undecided->bodies;
    witness.points = check.undecided->points;
    witness.distance = check.undecided->distance;
  }
  witness.segment = is_start ? 0 : 1;
  result.reason =
      fmt::format("the {} {}: {} and {} ({}, distance {:.3g} m)", which,
                  check.collision ? "is in collision" : "is too close to contact to be proved free",
                  scene.body(witness.bodies[0]).name, scene.body(witness.bodies[1]).name,
                  describe(witness.kind), witness.distance);
  result.obstruction = std::move(witness);
  return false;
}

}  // namespace

bool accept_ends(const Scene& scene, const PlanProblem& problem, Prover& prover, int start,
                 int goal, PlanResult& result) {
  return accept_end(scene, problem, prover, start, true, result) &&
         accept_end(scene, problem, prover, goal, false, result);
}

}  // namespace proven
