#include <limits>
#include <memory>

#include "plan/attempt.h"
#include "plan/final_proof.h"
#include "plan/inquiry.h"
#include "plan/rrt_connect.h"

namespace proven {
namespace {

// The planner that runs together with others.
constexpr const char* kTogether = "rrt-connect";

class PlanAll {
 public:
  PlanAll(const CheckModel& model, std::span<const PlanProblem> problems,
          const PlanOptions& options, const BatchOptions& batch, const Budget& budget)
      : model_(model),
        problems_(problems),
        options_(options),
        many_(batch, "queries", budget),
        results_(problems.size(), PlanResult{}) {}

  Result<std::vector<Result<PlanResult>>> run() {
    const bool together = options_.planner == kTogether && many_.worth_batches(problems_.size());
    std::vector<std::size_t> alone;
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      if (!together || !problems_[i].constraints.empty()) {
        alone.push_back(i);
      } else if (auto valid = validate_problem(model_.scene(), problems_[i].query, options_of(i));
                 !valid.ok()) {
        results_[i] = valid.error();
      } else {
        active_.push_back({i, MarginTrials(options_of(i)), nullptr, nullptr});
      }
    }
    plan_alone(alone);
    // All that are left have tried the same margins.
    while (!active_.empty())
      if (auto tried = try_margin(); !tried.ok()) return tried.error();
    return std::move(results_);
  }

 private:
  struct Active {
    std::size_t problem;
    MarginTrials trials;
    std::unique_ptr<Attempt> attempt;
    std::unique_ptr<RrtConnect> planner;  // null where start or goal are not valid
  };

  PlanOptions options_of(std::size_t i) const {
    PlanOptions options = options_;
    options.other_goals = problems_[i].other_goals;
    options.constraints = problems_[i].constraints;
    return options;
  }

  void plan_alone(const std::vector<std::size_t>& which) {
    many_.each(which.size(), [&](std::size_t k) {
      const std::size_t i = which[k];
      results_[i] = plan(own_model(model_), problems_[i].query, options_of(i), many_.budget());
    });
  }

  Result<void> try_margin() {
    const Budget share = active_.front().trials.share(many_.budget());
    CoveredValues values;
    for (Active& one : active_) {
      one.attempt = std::make_unique<Attempt>(model_.scene(), problems_[one.problem].query,
                                              one.trials.options(), share);
      values.add(one.attempt->space());
    }
    const auto model = model_.with_options(for_planning(active_.front().attempt->options().check));
    if (!model.ok()) return model.error();
    const auto checker = many_.checker(values.cover(model.value()));
    if (!checker.ok()) return checker.error();
    if (checker.value().device() == BatchDevice::threads) {
      std::vector<std::size_t> all;
      for (const Active& one : active_) all.push_back(one.problem);
      active_.clear();
      plan_alone(all);
      return {};
    }
    many_.each(active_.size(), [&](std::size_t k) { begin(active_[k], checker.value().model()); });
    std::vector<Inquiry*> asking;
    for (const Active& one : active_)
      if (one.planner) asking.push_back(one.planner.get());
    if (auto asked = many_.ask(asking, checker.value()); !asked.ok()) return asked;
    std::vector<char> ended(active_.size());
    many_.each(active_.size(), [&](std::size_t k) { ended[k] = end(active_[k]); });
    std::vector<Active> left;
    for (std::size_t k = 0; k < active_.size(); ++k)
      if (!ended[k]) left.push_back(std::move(active_[k]));
    active_ = std::move(left);
    return {};
  }

  static void begin(Active& one, const CheckModel& model) {
    Prover prover(model);
    Attempt& attempt = *one.attempt;
    one.planner.reset();
    if (!attempt.begin(prover)) return;
    attempt.count(prover.counts(), 0);
    one.planner = std::make_unique<RrtConnect>(
        RrtConnect::Task{attempt.space(), attempt.start(), attempt.goals(), attempt.options().seed,
                         std::numeric_limits<double>::infinity(), attempt.iterations()});
  }

  // Whether its result is the answer.
  bool end(Active& one) {
    Attempt& attempt = *one.attempt;
    if (one.planner) {
      attempt.result().stats.iterations = attempt.iterations().done();
      attempt.result().stats.segments = one.planner->asked();
      attempt.result().stats.seconds = attempt.iterations().seconds();
      if (const Solution solution = one.planner->solution()) {
        attempt.take(*solution);
        const auto proved = attempt.prove(model_);
        if (!proved.ok()) return fail(one, proved.error());
        // `plan` finds another path without the pre-check.
        if (proved.value() == Verdict::collision) {
          const std::size_t i = one.problem;
          results_[i] = plan(own_model(model_), problems_[i].query, options_of(i), many_.budget());
          return true;
        }
      } else {
        attempt.give_up(nullptr);
      }
    }
    const auto answers = one.trials.take(model_.scene(), many_.budget(), attempt.result());
    if (!answers.ok()) return fail(one, answers.error());
    if (answers.value()) results_[one.problem] = std::move(attempt.result());
    return answers.value();
  }

  bool fail(const Active& one, const Error& error) {
    results_[one.problem] = error;
    return true;
  }

  const CheckModel& model_;
  std::span<const PlanProblem> problems_;
  const PlanOptions& options_;
  Together many_;
  std::vector<Result<PlanResult>> results_;
  std::vector<Active> active_;
};

}  // namespace

Result<std::vector<Result<PlanResult>>> plan_all(const CheckModel& model,
                                                 std::span<const PlanProblem> problems,
                                                 const PlanOptions& options,
                                                 const BatchOptions& batch, const Budget& budget) {
  if (auto valid = validate_planner(options); !valid.ok()) return valid.error();
  if (!options.other_goals.empty() || !options.constraints.empty())
    return bad_input("of many queries each has its other goals and constraints itself");
  return PlanAll(model, problems, options, batch, budget).run();
}

}  // namespace proven
