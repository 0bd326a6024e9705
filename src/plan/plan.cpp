#include "proven/plan/plan.h"

#include <fmt/format.h>

#include "plan/attempt.h"
#include "plan/final_proof.h"
#include "plan/inquiry.h"
#include "plan/margin.h"
#include "plan/solve.h"
#include "proven/certify/prover.h"

namespace proven {
namespace {

struct Entry {
  PlannerInfo info;
  bool proving;
  Solution (*solve)(SolveContext&);
};

constexpr Entry kPlanners[] = {
    {{"rrt-connect", "two trees that grow towards each other, every edge proved"},
     true,
     solve_rrt_connect},
    {{"a-sbl", "two lazy trees, candidate paths proved (A-SBL)"}, true, solve_sbl},
    {{"prm", "a roadmap with proved edges, larger until it connects start and goal"},
     true,
     solve_prm},
    {{"lazy-prm", "the same, proving only the edges on the paths it finds"}, true, solve_lazy_prm},
    {{"sbl", "the same with a fixed step; finds paths, proves nothing (SBL)"}, false, solve_sbl},
};

const Entry* find_planner(std::string_view name) {
  for (const Entry& entry : kPlanners)
    if (entry.info.name == name) return &entry;
  return nullptr;
}

}  // namespace

CheckOptions proving_check() {
  CheckOptions options;
  options.checker = kProvingChecker;
  options.resolution = 1e-3;
  options.max_cells = 100'000;
  return options;
}

std::span<const PlannerInfo> planners() {
  static const std::vector<PlannerInfo> all = [] {
    std::vector<PlannerInfo> list;
    for (const Entry& entry : kPlanners) list.push_back(entry.info);
    return list;
  }();
  return all;
}

namespace {

// As the planner is going to check.
CheckOptions checking(const Entry& planner, CheckOptions check) {
  if (!planner.proving) check.checker = Checker::fixed;
  return check;
}

// Plans with the pre-check, then proves the path. `refuted`: the search found a collision in it.
Result<PlanResult> plan_and_prove(const CheckModel& prepared, const Query& query,
                                  const PlanOptions& options, const Budget& budget, bool sweep,
                                  bool& refuted) {
  const Scene& scene = prepared.scene();
  const Entry* planner = find_planner(options.planner);
  Attempt attempt(scene, query, options, budget);
  CheckOptions check = for_planning(checking(*planner, options.check));
  check.sweep = sweep;
  const auto model = prepared.with_options(check);
  if (!model.ok()) return model.error();
  CoveredValues values;
  values.add(attempt.space());
  Prover prover(values.cover(model.value()), options.constraints);
  if (!attempt.begin(prover)) return std::move(attempt.result());
  SolveContext context{attempt.query(), options, attempt.space(), prover, attempt.iterations()};
  context.start = attempt.start();
  context.goals = attempt.goals();
  const Solution solution =
      options.constraints.empty() ? planner->solve(context) : solve_constrained(context);
  attempt.count(prover.counts(), context.candidate_paths);
  if (!solution) {
    attempt.give_up(&prover);
    return std::move(attempt.result());
  }
  attempt.take(*solution);
  if (planner->proving) {
    const auto proved = attempt.prove(prepared);
    if (!proved.ok()) return proved.error();
    refuted = proved.value() == Verdict::collision;
  }
  return std::move(attempt.result());
}

// A path that sweeps let pass and the search refutes would be a defect of the sweeps: it is then
// planned once more by the search alone.
Result<PlanResult> plan_once(const CheckModel& prepared, const Query& query,
                             const PlanOptions& options, const Budget& budget) {
  if (auto valid = validate_problem(prepared.scene(), query, options); !valid.ok())
    return valid.error();
  bool refuted = false;
  auto planned = plan_and_prove(prepared, query, options, budget, true, refuted);
  if (!refuted) return planned;
  return plan_and_prove(prepared, query, options, budget, false, refuted);
}

}  // namespace

Result<PlanResult> plan_with_margin(const Scene& scene, const PlanOptions& options,
                                    const Budget& budget, const PlanAttempt& attempt) {
  if (auto valid = validate_margin(options.margin); !valid.ok()) return valid.error();
  for (MarginTrials trials(options);;) {
    auto found = attempt(trials.options(), trials.share(budget));
    if (!found.ok()) return found;
    const auto answers = trials.take(scene, budget, found.value());
    if (!answers.ok()) return answers.error();
    if (answers.value()) return found;
  }
}

namespace {

Result<const Entry*> valid_planner(const PlanOptions& options) {
  const Entry* planner = find_planner(options.planner);
  if (!planner) {
    std::string names;
    for (const Entry& entry : kPlanners) names += fmt::format(" {}", entry.info.name);
    return bad_input(fmt::format("there is no planner '{}'; there are:{}", options.planner, names));
  }
  if (auto valid = validate(checking(*planner, options.check)); !valid.ok()) return valid.error();
  if (!options.constraints.empty() && options.planner != PlanOptions{}.planner)
    return bad_input(fmt::format("constraints along the path are honoured by '{}', not by '{}'",
                                 PlanOptions{}.planner, options.planner));
  return planner;
}

}  // namespace

Result<void> validate_planner(const PlanOptions& options) {
  const auto planner = valid_planner(options);
  if (!planner.ok()) return planner.error();
  return validate_margin(options.margin);
}

Result<PlanResult> plan(const CheckModel& model, const Query& query, const PlanOptions& options,
                        const Budget& budget) {
  if (auto planner = valid_planner(options); !planner.ok()) return planner.error();
  return plan_with_margin(model.scene(), options, budget,
                          [&](const PlanOptions& tried, const Budget& share) {
                            return plan_once(model, query, tried, share);
                          });
}

Result<PlanResult> plan(const Scene& scene, const Query& query, const PlanOptions& options,
                        const Budget& budget) {
  const auto planner = valid_planner(options);
  if (!planner.ok()) return planner.error();
  // Not checked here: what cannot be planned is told by its own words.
  const auto model =
      CheckModel::build(scene, for_planning(checking(*planner.value(), options.check)));
  if (!model.ok()) return model.error();
  return plan(model.value(), query, options, budget);
}

}  // namespace proven
