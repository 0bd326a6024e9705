#include "task/lower_bound.h"

#include <algorithm>

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

constexpr double kUnreached = RelaxedPlanner::kDeadEnd;

class Cuts {
 public:
  Cuts(const RelaxedTask& relaxed, const State& state, std::vector<double> costs)
      : relaxed_(relaxed), costs_(std::move(costs)) {
    for (int p = 0; p < relaxed.proposition_count(); ++p)
      if (relaxed.holds(p, state)) initial_.push_back(p);
    added_by_.resize(at(relaxed.proposition_count()));
    supported_.resize(at(relaxed.proposition_count()));
    for (std::size_t r = 0; r < relaxed.rules().size(); ++r)
      for_adds(r, [&](int p) { added_by_[at(p)].push_back(static_cast<int>(r)); });
  }

  double bound(const Budget& budget) {
    double sum = 0;
    while (!budget.stopped()) {
      find_costs();
      const int goal = dearest_goal();
      if (goal < 0 || cost_[at(goal)] <= 0 || cost_[at(goal)] == kUnreached) break;
      const std::vector<int> cut = cut_before(goal);
      double least = kUnreached;
      for (const int action : cut) least = std::min(least, costs_[at(action)]);
      if (cut.empty() || !(least > 0)) break;
      sum += least;
      for (const int action : cut) costs_[at(action)] -= least;
    }
    return sum;
  }

 private:
  template <class Visit>
  void for_adds(std::size_t r, const Visit& visit) const {
    for (const int p : relaxed_.rules()[r].adds) visit(p);
    for (const int p : relaxed_.rules()[r].comparisons) visit(p);
  }

  // Starts cost; ends, timed literals and what follows silently are free.
  double cost_of(const Rule& rule) const {
    return rule.silent || rule.step.kind != Step::Kind::start ? 0 : costs_[at(rule.step.action)];
  }

  int dearest_goal() const {
    int dearest = -1;
    for (const int goal : relaxed_.goals())
      if (dearest < 0 || cost_[at(goal)] > cost_[at(dearest)]) dearest = goal;
    return dearest;
  }

  // Each proposition costs as much as its cheapest rule, a rule as much as its dearest condition.
  void find_costs() {
    const auto& rules = relaxed_.rules();
    cost_.assign(added_by_.size(), kUnreached);
    for (auto& list : supported_) list.clear();
    unconditional_.clear();
    supporter_.assign(rules.size(), -1);
    std::vector<std::size_t> missing(rules.size());
    std::vector<std::pair<double, int>> queue;
    const auto reach = [&](int p, double cost) {
      if (cost >= cost_[at(p)]) return;
      cost_[at(p)] = cost;
      queue.emplace_back(-cost, p);
      std::push_heap(queue.begin(), queue.end());
    };
    // Conditions are settled in the order of their costs: the last one is the dearest.
    const auto fire = [&](std::size_t r, int last) {
      supporter_[r] = last;
      if (last >= 0)
        supported_[at(last)].push_back(static_cast<int>(r));
      else
        unconditional_.push_back(static_cast<int>(r));
      const double cost = (last >= 0 ? cost_[at(last)] : 0) + cost_of(rules[r]);
      for_adds(r, [&](int p) { reach(p, cost); });
    };
    for (const int p : initial_) reach(p, 0);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      missing[r] = rules[r].conditions.size();
      if (missing[r] == 0) fire(r, -1);
    }
    while (!queue.empty()) {
      std::pop_heap(queue.begin(), queue.end());
      const auto [negative, p] = queue.back();
      queue.pop_back();
      if (-negative != cost_[at(p)]) continue;
      for (const int r : relaxed_.needed_by(p))
        if (--missing[at(r)] == 0) fire(at(r), p);
    }
  }

  std::vector<int> cut_before(int goal) const {
    const auto& rules = relaxed_.rules();
    // From here the goal is reached at no cost.
    std::vector<char> beyond(cost_.size()), before(cost_.size()), on_cut(costs_.size());
    std::vector<int> queue = {goal};
    beyond[at(goal)] = 1;
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const int r : added_by_[at(queue[next])]) {
        const int p = supporter_[at(r)];
        if (p < 0 || beyond[at(p)] || cost_of(rules[at(r)]) > 0) continue;
        beyond[at(p)] = 1;
        queue.push_back(p);
      }
    std::vector<int> cut;
    std::vector<int> open;
    const auto cross = [&](int r) {
      bool crosses = false;
      for_adds(at(r), [&](int p) {
        if (beyond[at(p)])
          crosses = true;
        else if (!before[at(p)])
          before[at(p)] = 1, open.push_back(p);
      });
      const Rule& rule = rules[at(r)];
      if (!crosses || rule.silent || rule.step.kind != Step::Kind::start) return;
      if (!on_cut[at(rule.step.action)]) cut.push_back(rule.step.action);
      on_cut[at(rule.step.action)] = 1;
    };
    for (const int p : initial_)
      if (!beyond[at(p)] && !before[at(p)]) before[at(p)] = 1, open.push_back(p);
    for (const int r : unconditional_) cross(r);
    while (!open.empty()) {
      const int p = open.back();
      open.pop_back();
      for (const int r : supported_[at(p)]) cross(r);
    }
    return cut;
  }

  const RelaxedTask& relaxed_;
  std::vector<double> costs_, cost_;
  std::vector<int> initial_, supporter_, unconditional_;
  std::vector<std::vector<int>> added_by_, supported_;
};

}  // namespace

double cut_bound(const RelaxedTask& relaxed, const State& state, std::vector<double> costs,
                 const Budget& budget) {
  return Cuts(relaxed, state, std::move(costs)).bound(budget);
}

}  // namespace proven::task
