#include <algorithm>
#include <cmath>

#include "task/relaxed.h"

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

constexpr double kUnreached = RelaxedPlanner::kDeadEnd;

}  // namespace

RelaxedPlanner::RelaxedPlanner(const RelaxedTask& relaxed, Watch& watch)
    : relaxed_(relaxed), watch_(watch), costs_(relaxed.task().actions.size(), 1.0) {
  timed_ = !relaxed.task().timed.empty();
  late_.resize(relaxed.rules().size());
  find_discounts();
}

double RelaxedPlanner::cost_of(const Rule& rule) const {
  if (rule.silent || rule.step.kind == Step::Kind::timed) return 0;
  if (rule.step.kind == Step::Kind::end) return 0.5;
  return costs_[at(rule.step.action)] - discount_[at(rule.step.action)];
}

// Among envelopes that provide the same fact the longest is the best guess: more fits into it.
void RelaxedPlanner::find_discounts() {
  const GroundTask& task = relaxed_.task();
  discount_.assign(task.actions.size(), 0);
  double longest = 0;
  for (std::size_t a = 0; a < task.actions.size(); ++a) {
    watch_.look();
    if (relaxed_.is_envelope(static_cast<int>(a)))
      longest = std::max(longest, relaxed_.duration(static_cast<int>(a)));
  }
  for (std::size_t a = 0; a < task.actions.size() && longest > 0; ++a) {
    watch_.look();
    if (relaxed_.is_envelope(static_cast<int>(a)))
      discount_[a] = 0.01 * relaxed_.duration(static_cast<int>(a)) / longest;
  }
}

void RelaxedPlanner::reach(int p, double cost, int rule) {
  if (cost >= cost_[at(p)]) return;
  cost_[at(p)] = cost;
  supporter_[at(p)] = rule;
  queue_.emplace_back(-cost, p);
  std::push_heap(queue_.begin(), queue_.end());
}

void RelaxedPlanner::fire(int r, const State& state) {
  watch_.tick();
  const Rule& rule = relaxed_.rules()[at(r)];
  if (timed_ && late_[at(r)]) return;
  const double own = cost_of(rule);
  for (const int p : rule.adds) reach(p, rule_cost_[at(r)] + own, r);
  for (const int p : rule.comparisons) {
    if (cost_[at(p)] == 0) continue;
    const double times = relaxed_.repetitions(rule, p, state);
    if (times < kUnreached) reach(p, rule_cost_[at(r)] + own * times, r);
  }
}

void RelaxedPlanner::explore(const State& state) {
  const auto& rules = relaxed_.rules();
  cost_.assign(at(relaxed_.proposition_count()), kUnreached);
  supporter_.assign(cost_.size(), -1);
  rule_cost_.assign(rules.size(), 0);
  missing_.resize(rules.size());
  queue_.clear();
  for (std::size_t r = 0; r < rules.size(); ++r)
    missing_[r] = static_cast<int>(rules[r].conditions.size());
  for (int p = 0; p < relaxed_.proposition_count(); ++p)
    if (relaxed_.holds(p, state)) reach(p, 0, -1);
  for (std::size_t r = 0; r < rules.size(); ++r)
    if (missing_[r] == 0) fire(static_cast<int>(r), state);
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const auto [negative, p] = queue_.back();
    queue_.pop_back();
    if (-negative != cost_[at(p)]) continue;
    for (const int r : relaxed_.needed_by(p)) {
      rule_cost_[at(r)] += cost_[at(p)];
      if (--missing_[at(r)] == 0) fire(r, state);
    }
  }
}

// Earliest times by the longest of the conditions; a rule is late if a fact it needs ends for good
// before it can be done. Actions only ever come later than this, so late rules are never usable.
void RelaxedPlanner::find_times(const Prefix& prefix) {
  const GroundTask& task = relaxed_.task();
  const State& state = prefix.state();
  const auto& rules = relaxed_.rules();
  deadline_.assign(at(task.fact_count), kUnreached);
  for (std::size_t k = task.timed.size(); k-- > at(state.next_timed);)
    for (const GroundEffect& effect : task.timed[k].effects) {
      if (effect.kind == GroundEffect::Kind::remove && deadline_[at(effect.index)] == kUnreached)
        deadline_[at(effect.index)] = task.timed[k].time;
      if (effect.kind == GroundEffect::Kind::add) deadline_[at(effect.index)] = 1e300;
    }
  // Facts that actions can restore have no deadline.
  for (const Rule& rule : rules)
    if (rule.step.kind != Step::Kind::timed)
      for (const int p : rule.adds)
        if (relaxed_.is_fact(p)) deadline_[at(p)] = kUnreached;

  time_.assign(at(relaxed_.proposition_count()), kUnreached);
  std::fill(late_.begin(), late_.end(), 0);
  std::vector<int> missing(rules.size());
  std::vector<double> start(rules.size(), 0);
  std::vector<std::pair<double, int>> queue;
  const auto reach_at = [&](int p, double time) {
    if (time >= time_[at(p)]) return;
    time_[at(p)] = time;
    queue.emplace_back(-time, p);
    std::push_heap(queue.begin(), queue.end());
  };
  const auto fire_at = [&](std::size_t r) {
    watch_.tick();
    const Rule& rule = rules[r];
    double time = start[r] + rule.duration;
    if (rule.begun >= 0) time = std::max(start[r], time_[at(rule.begun)] + rule.duration);
    if (rule.step.kind == Step::Kind::timed) time = task.timed[at(rule.step.action)].time;
    // The conditions of an end have to hold until then.
    const double read = rule.begun >= 0 ? time : start[r];
    for (const int p : rule.conditions)
      if (relaxed_.is_fact(p) && read > deadline_[at(p)] + rounding_bound(read)) late_[r] = 1;
    if (late_[r]) return;
    for (const int p : rule.adds) reach_at(p, time);
    for (const int p : rule.comparisons) reach_at(p, time);
  };
  for (std::size_t r = 0; r < rules.size(); ++r)
    missing[r] = static_cast<int>(rules[r].conditions.size());
  for (int p = 0; p < relaxed_.proposition_count(); ++p)
    if (relaxed_.holds(p, state)) reach_at(p, relaxed_.is_fact(p) ? prefix.fact_time(p) : 0);
  for (std::size_t r = 0; r < rules.size(); ++r)
    if (missing[r] == 0) fire_at(r);
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end());
    const auto [negative, p] = queue.back();
    queue.pop_back();
    if (-negative != time_[at(p)]) continue;
    for (const int r : relaxed_.needed_by(p)) {
      start[at(r)] = std::max(start[at(r)], time_[at(p)]);
      if (--missing[at(r)] == 0) fire_at(at(r));
    }
  }
}

void RelaxedPlanner::extract(const State& state, Estimate& estimate) {
  const auto& rules = relaxed_.rules();
  std::vector<char> done(cost_.size());
  std::vector<double> times(rules.size());
  std::vector<int> open = relaxed_.goals(), used;
  while (!open.empty()) {
    const int p = open.back();
    open.pop_back();
    if (done[at(p)] || cost_[at(p)] == 0) continue;
    done[at(p)] = 1;
    const int r = supporter_[at(p)];
    if (r < 0) continue;
    const Rule& rule = rules[at(r)];
    double needed = 1;
    if (std::binary_search(rule.comparisons.begin(), rule.comparisons.end(), p) &&
        std::find(rule.adds.begin(), rule.adds.end(), p) == rule.adds.end())
      needed = relaxed_.repetitions(rule, p, state);
    if (times[at(r)] == 0) {
      used.push_back(r);
      open.insert(open.end(), rule.conditions.begin(), rule.conditions.end());
    }
    times[at(r)] = std::max(times[at(r)], needed);
  }
  std::unordered_map<int, double> by_step;  // conditional effects share their step
  for (const int r : used) {
    const Rule& rule = rules[at(r)];
    if (rule.silent) continue;
    const int key = rule.step.action * 3 + static_cast<int>(rule.step.kind);
    double& counted = by_step[key];
    const double cost = std::max(cost_of(rule), 0.0) * times[at(r)];
    if (cost > counted) estimate.value += cost - counted, counted = cost;
    Step step = rule.step;
    if (step.kind == Step::Kind::timed) step.action = 0;  // only the next one can happen
    if (rule_cost_[at(r)] == 0 &&
        std::find(estimate.helpful.begin(), estimate.helpful.end(), step) == estimate.helpful.end())
      estimate.helpful.push_back(step);
  }
}

double RelaxedPlanner::earliest_end(const Prefix& prefix) {
  find_times(prefix);
  double end = 0;
  for (const int goal : relaxed_.goals()) end = std::max(end, time_[at(goal)]);
  return end;
}

RelaxedPlanner::Estimate RelaxedPlanner::estimate(const Prefix& prefix) {
  const State& state = prefix.state();
  if (timed_) find_times(prefix);
  explore(state);
  Estimate estimate;
  for (const int goal : relaxed_.goals())
    if (cost_[at(goal)] == kUnreached) return {kDeadEnd, {}};
  extract(state, estimate);
  // Started actions must still end; once nothing else is left, that is what helps.
  const bool only_ends = estimate.value == 0;
  for (const Running& running : state.running) {
    const Step step{Step::Kind::end, running.action};
    if (std::find(estimate.helpful.begin(), estimate.helpful.end(), step) != estimate.helpful.end())
      continue;
    estimate.value += 0.5;
    if (only_ends) estimate.helpful.push_back(step);
  }
  return estimate;
}

// Follows the rules with the fewest conditions out of reach down to something that nothing brings
// about, or that only needs itself.
std::string RelaxedPlanner::unreached() const {
  const auto open = [&](int p) { return cost_[at(p)] == kUnreached; };
  std::vector<int> chain;
  for (const int goal : relaxed_.goals())
    if (open(goal) && chain.empty()) chain.push_back(goal);
  if (chain.empty()) return {};
  std::string text = relaxed_.text(chain[0]);
  constexpr std::size_t kLongest = 8;
  while (chain.size() < kLongest) {
    int next = -1;
    long fewest = std::numeric_limits<long>::max();
    bool any = false, late = false;
    for (std::size_t r = 0; r < relaxed_.rules().size(); ++r) {
      const Rule& rule = relaxed_.rules()[r];
      if (std::find(rule.adds.begin(), rule.adds.end(), chain.back()) == rule.adds.end() &&
          !std::binary_search(rule.comparisons.begin(), rule.comparisons.end(), chain.back()))
        continue;
      any = true;
      const long count = std::count_if(rule.conditions.begin(), rule.conditions.end(), open);
      late = late || (timed_ && late_[r] != 0);
      const auto first = std::find_if(rule.conditions.begin(), rule.conditions.end(), open);
      if (count == 0 || count >= fewest) continue;
      fewest = count;
      next = *first;
    }
    if (next < 0) {
      text += !any   ? ", which nothing makes true"
              : late ? ", for which it is too late whatever is done first"
                     : ", which no action moves in the right direction";
      break;
    }
    if (std::find(chain.begin(), chain.end(), next) != chain.end()) {
      text += ", which needs " + relaxed_.text(next) + " first";
      break;
    }
    chain.push_back(next);
    text += (chain.size() == 2 ? " needs " : ", which needs ") + relaxed_.text(next);
  }
  return text;
}

}  // namespace proven::task
