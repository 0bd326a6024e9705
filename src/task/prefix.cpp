#include "task/prefix.h"

#include <algorithm>
#include <cmath>

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

void make_set(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

bool contains(const std::vector<int>& sorted, int value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

bool meet(const std::vector<int>& sorted, const std::vector<int>& values) {
  return std::any_of(values.begin(), values.end(), [&](int v) { return contains(sorted, v); });
}

EndProfile end_profile(const GroundTask& task, const Supports& supports,
                       const GroundAction& action) {
  EndProfile profile;
  for (const GroundEffect& effect : action.end.effects) {
    const bool fact =
        effect.kind == GroundEffect::Kind::add || effect.kind == GroundEffect::Kind::remove;
    // Conditional effects may not happen; module effects are rare: neither is used in advance.
    if (effect.condition != FormulaPool::kYes || effect.start_condition != FormulaPool::kYes ||
        effect.kind == GroundEffect::Kind::call)
      continue;
    (fact ? profile.writes : profile.numbers_written).push_back(effect.index);
    if (effect.kind == GroundEffect::Kind::remove) profile.removes.push_back(effect.index);
  }
  profile.reads = supports.of(action.end.condition).facts;
  profile.numbers_read = supports.of(action.end.condition).variables;
  profile.kept = supports.of(action.invariant).facts;
  profile.numbers_kept = supports.of(action.invariant).variables;
  const FormulaNode& invariant = task.pool.node(action.invariant);
  std::vector<NodeId> parts = invariant.children;
  if (invariant.kind != FormulaNode::Kind::all) parts = {action.invariant};
  for (const NodeId part : parts)
    if (task.pool.node(part).kind == FormulaNode::Kind::fact)
      profile.invariant_facts.push_back(task.pool.node(part).index);
  for (auto* list :
       {&profile.writes, &profile.reads, &profile.numbers_written, &profile.numbers_read,
        &profile.kept, &profile.numbers_kept, &profile.removes, &profile.invariant_facts})
    make_set(*list);
  return profile;
}

}  // namespace

PrefixModel::PrefixModel(const GroundTask& ground_task, double least_separation, Watch& watch)
    : task(ground_task), separation(least_separation), supports(ground_task, watch) {
  timed_facts.resize(at(task.fact_count));
  timed_removals.resize(at(task.fact_count));
  timed_variables.resize(task.variable_names.size());
  for (std::size_t k = 0; k < task.timed.size(); ++k)
    for (const GroundEffect& effect : task.timed[k].effects) {
      auto& lists = effect.kind == GroundEffect::Kind::assign ? timed_variables : timed_facts;
      lists[at(effect.index)].push_back(static_cast<int>(k));
      if (effect.kind == GroundEffect::Kind::remove)
        timed_removals[at(effect.index)].push_back(static_cast<int>(k));
    }
  for (const GroundAction& action : task.actions) {
    watch.tick();
    ends.push_back(end_profile(task, supports, action));
  }
  std::vector<char> negated(at(task.fact_count));  // or part of the goal
  for (NodeId id = 0; id < static_cast<NodeId>(task.pool.size()); ++id)
    if (task.pool.node(id).kind == FormulaNode::Kind::not_fact)
      negated[at(task.pool.node(id).index)] = 1;
  for (const int fact : supports.of(task.goal).facts) negated[at(fact)] = 1;
  sequential = task.is_timeless() && !task.metric_mentions_time();
  for (const TimedEvent& event : task.timed)
    harmless_timed.push_back(
        std::all_of(event.effects.begin(), event.effects.end(), [&](const GroundEffect& effect) {
          return effect.kind == GroundEffect::Kind::add && !negated[at(effect.index)];
        }));
}

Prefix::Prefix(const PrefixModel& model)
    : model_(&model),
      state_(initial_state(model.task)),
      facts_(model.sequential ? 0 : at(model.task.fact_count)),
      numbers_(model.sequential ? 0 : model.task.variable_names.size()) {
  absorb_timed();
}

Applied Prefix::absorb_timed() {
  while (at(state_.next_timed) < model_->harmless_timed.size() &&
         model_->harmless_timed[at(state_.next_timed)])
    if (const Applied done = timed(); done != Applied::yes) return done;
  return Applied::yes;
}

std::size_t Prefix::bytes() const {
  return sizeof *this + state_.facts.size() * 8 + state_.values.size() * 8 +
         state_.running.size() * sizeof(Running) + links_.size() * sizeof(Link) +
         (facts_.size() + numbers_.size()) * sizeof(Track) + scheduled_.size() * sizeof(Scheduled) +
         network_.bytes();
}

double Prefix::makespan() const {
  if (model_->sequential) return model_->separation * static_cast<double>(scheduled_.size());
  double last = 0;
  for (const Scheduled& s : scheduled_)
    if (model_->task.actions[at(s.action)].schema < model_->task.first_step)
      last = std::max(last, network_.time(s.end < 0 ? s.start : s.end));
  return last;
}

bool Prefix::has_running(int action) const {
  return std::any_of(state_.running.begin(), state_.running.end(),
                     [&](const Running& r) { return r.action == action; });
}

bool Prefix::may_apply(Step step) const {
  const GroundTask& task = model_->task;
  if (step.kind == Step::Kind::timed) return at(state_.next_timed) < task.timed.size();
  const GroundAction& action = task.actions[at(step.action)];
  if (step.kind == Step::Kind::end)
    return has_running(step.action) &&
           evaluate(task, action.end.condition, state_, nullptr) != Truth::no;
  return evaluate(task, action.start.condition, state_, nullptr) != Truth::no &&
         !has_running(step.action);
}

Applied Prefix::apply(Step step, ModuleOracle* oracle) {
  const Applied done = choose(step, oracle);
  return done == Applied::yes ? absorb_timed() : done;
}

Applied Prefix::choose(Step step, ModuleOracle* oracle) {
  if (step.kind == Step::Kind::timed) return timed();
  return step.kind == Step::Kind::start ? start(step.action, oracle) : end(step.action, oracle);
}

bool Prefix::duration_bounds(const GroundAction& action, ModuleOracle* oracle, double& least,
                             double& longest) const {
  // Without a lower bound an action still takes some time.
  least = model_->separation;
  longest = TemporalNetwork::kNever;
  bool has_least = false;
  for (const auto& [comparison, expr] : action.duration) {
    const double value = evaluate(model_->task, expr, state_, 0, oracle);
    if (!(value >= 0) || std::isinf(value)) return false;
    const bool lower = comparison != Comparison::less && comparison != Comparison::less_equal;
    const bool upper = comparison != Comparison::greater && comparison != Comparison::greater_equal;
    const double gap = model_->separation;
    if (lower) {
      const double bound = comparison == Comparison::greater ? value + gap : value;
      least = has_least ? std::max(least, bound) : bound;
      has_least = true;
    }
    if (upper) longest = std::min(longest, comparison == Comparison::less ? value - gap : value);
  }
  return least <= longest;
}

Applied Prefix::start(int index, ModuleOracle* oracle) {
  const GroundTask& task = model_->task;
  const GroundAction& action = task.actions[at(index)];
  const Truth ready = evaluate(task, action.start.condition, state_, oracle);
  if (ready != Truth::yes) return ready == Truth::no ? Applied::no : Applied::unknown;
  Running running;
  running.action = index;
  if (action.durative && !duration_bounds(action, oracle, running.duration, running.longest))
    return Applied::no;

  const int event = model_->sequential ? 0 : network_.add_event(0, TemporalNetwork::kNever);
  running.start_event = event;
  read(event, model_->supports.of(action.start.condition), oracle);
  for (const auto& [comparison, expr] : action.duration)
    read(event, model_->supports.of_expr(expr), oracle);
  unsigned bit = 0;
  bool timed_value = false;
  for (const GroundEffect& effect : action.end.effects) {
    if (effect.kind != GroundEffect::Kind::add && effect.kind != GroundEffect::Kind::remove &&
        effect.kind != GroundEffect::Kind::call)
      timed_value |= uses_duration(task.pool, effect.value);
    if (effect.start_condition == FormulaPool::kYes) continue;
    const Truth held = evaluate(task, effect.start_condition, state_, oracle);
    if (held == Truth::unknown || bit >= 64) return Applied::unknown;
    if (held == Truth::yes) running.held |= std::uint64_t{1} << bit;
    ++bit;
    read(event, model_->supports.of(effect.start_condition), oracle);
  }
  for (const GroundEffect& effect : action.start.effects)
    if (effect.kind >= GroundEffect::Kind::assign && effect.kind != GroundEffect::Kind::call)
      timed_value |= uses_duration(task.pool, effect.value);
  if (timed_value) running.longest = running.duration;  // effects fix the duration

  const Applied done = perform(event, action.start.effects, running.duration, 0, oracle);
  if (done != Applied::yes) return done;
  if (!action.durative) scheduled_.push_back({index, event, -1});
  if (action.durative) {
    // Only a circle of starts may wait for each other's over-all conditions.
    const Truth kept = evaluate(task, action.invariant, state_, oracle);
    running.unsettled = kept == Truth::no && action.circle;
    begin_running(running);
    if (!running.unsettled) read(event, model_->supports.of(action.invariant), oracle, Use::keep);
  }
  const Applied kept = invariants_hold(oracle);
  if (kept != Applied::yes) return kept;
  if (action.durative && action.compressed && !model_->split_all) return end(running, oracle);
  return network_.propagate() ? Applied::yes : Applied::inconsistent;
}

// The end is in the network from the start on, so that an action which no longer fits is noticed
// when it is chosen and not only when something ends.
void Prefix::begin_running(Running& running) {
  running.end_event = network_.add_event(0, TemporalNetwork::kNever);
  scheduled_.push_back({running.action, running.start_event, running.end_event});
  network_.add_edge(running.start_event, running.end_event, running.duration);
  if (running.longest < TemporalNetwork::kNever)
    network_.add_edge(running.end_event, running.start_event, -running.longest);
  // An end that removes what another running action needs throughout must come after its end.
  const EndProfile& own = model_->ends[at(running.action)];
  for (const Running& other : state_.running) {
    const EndProfile& theirs = model_->ends[at(other.action)];
    if (meet(theirs.removes, own.invariant_facts))
      network_.add_edge(running.end_event, other.end_event, 0, true);
    if (meet(own.removes, theirs.invariant_facts))
      network_.add_edge(other.end_event, running.end_event, 0, true);
  }
  for (const int fact : own.invariant_facts)
    bound_by_timed(running.end_event, model_->timed_removals[at(fact)], true);
  state_.running.push_back(running);
}

// Events chosen before the end of a running action come before it in time if they conflict with it.
void Prefix::order_before_ends(int event, int index, Use use, bool number) {
  for (const Running& running : state_.running) {
    if (running.end_event == event || running.start_event == event) continue;
    const EndProfile& end = model_->ends[at(running.action)];
    const bool written = contains(number ? end.numbers_written : end.writes, index);
    const bool write = use == Use::write;
    if ((written && use != Use::keep) ||
        (write && contains(number ? end.numbers_read : end.reads, index)))
      network_.add_edge(event, running.end_event, model_->separation);
    else if (written || (write && contains(number ? end.numbers_kept : end.kept, index)))
      network_.add_edge(event, running.end_event, 0, true);
  }
}

Applied Prefix::end(int index, ModuleOracle* oracle) {
  for (const Running& running : state_.running)
    if (running.action == index) return end(running, oracle);
  return Applied::no;
}

Applied Prefix::end(Running running, ModuleOracle* oracle) {
  const GroundTask& task = model_->task;
  const GroundAction& action = task.actions[at(running.action)];
  if (running.unsettled) return Applied::no;
  const Truth ready = evaluate(task, action.end.condition, state_, oracle);
  if (ready != Truth::yes) return ready == Truth::no ? Applied::no : Applied::unknown;
  const int event = running.end_event;
  read(event, model_->supports.of(action.invariant), oracle, Use::keep);
  read(event, model_->supports.of(action.end.condition), oracle);
  std::erase(state_.running, running);
  const Applied done = perform(event, action.end.effects, running.duration, running.held, oracle);
  if (done != Applied::yes) return done;
  const Applied kept = invariants_hold(oracle);
  if (kept != Applied::yes) return kept;
  return network_.propagate() ? Applied::yes : Applied::inconsistent;
}

Applied Prefix::timed() {
  const TimedEvent& happening = model_->task.timed[at(state_.next_timed)];
  const int event = network_.add_event(happening.time, happening.time);
  ++state_.next_timed;
  const Applied done = perform(event, happening.effects, 0, 0, nullptr);
  if (done != Applied::yes) return done;
  const Applied kept = invariants_hold(nullptr);
  if (kept == Applied::no) return kept;
  return network_.propagate() ? Applied::yes : Applied::inconsistent;
}

Applied Prefix::finish(ModuleOracle* oracle) {
  const GroundTask& task = model_->task;
  if (!state_.running.empty()) return Applied::no;
  if (TemporalNetwork wide = network_; wide.widen(model_->separation)) network_ = std::move(wide);
  for (;;) {
    const Truth goal = evaluate(task, task.goal, state_, oracle);
    if (goal == Truth::unknown) return Applied::unknown;
    if (goal == Truth::no || goal_is_late()) return Applied::no;
    if (at(state_.next_timed) >= task.timed.size() ||
        task.timed[at(state_.next_timed)].time > makespan())
      return Applied::yes;
    const Applied happened = timed();
    if (happened != Applied::yes) return happened;
  }
}

// Timed events after the last action are no part of the plan: what they bring does not count.
// Harmless ones have nothing to do with the goal.
bool Prefix::goal_is_late() const {
  const double last = makespan();
  for (std::size_t k = 0; k < at(state_.next_timed); ++k)
    if (!model_->harmless_timed[k] && model_->task.timed[k].time > last) return true;
  return false;
}

Applied Prefix::collect(int event, const GroundEffect& effect, double duration,
                        ModuleOracle* oracle, Writes& writes) {
  const GroundTask& task = model_->task;
  if (effect.kind == GroundEffect::Kind::add || effect.kind == GroundEffect::Kind::remove) {
    const bool truth = effect.kind == GroundEffect::Kind::add;
    for (Write& write : writes.facts)
      if (write.index == effect.index) {
        write.both |= write.truth != truth;
        write.truth |= truth;  // what is both removed and added is true afterwards
        return Applied::yes;
      }
    writes.facts.push_back({effect.index, truth, false, 0, false});
    return Applied::yes;
  }
  if (effect.kind == GroundEffect::Kind::call) {
    std::vector<double> values;
    bool unknown = false;
    if (!oracle) return Applied::unknown;
    const bool changes = oracle->effect(effect.index, state_, values, unknown);
    if (unknown) return Applied::unknown;
    read_call(event, effect.index, oracle, Use::read);
    const auto& written = task.calls[at(effect.index)].written;
    for (std::size_t i = 0; changes && i < written.size(); ++i)
      writes.numbers.push_back({written[i], false, false, values[i], false});
    return Applied::yes;
  }
  const double value = evaluate(task, effect.value, state_, duration, oracle);
  if (std::isnan(value)) return Applied::no;
  read(event, model_->supports.of_expr(effect.value), oracle);
  const double old = state_.values[at(effect.index)];
  double result = value;
  bool additive = false;
  switch (effect.kind) {
    case GroundEffect::Kind::increase:
      result = old + value, additive = true;
      break;
    case GroundEffect::Kind::decrease:
      result = old - value, additive = true;
      break;
    case GroundEffect::Kind::scale_up:
      result = old * value;
      break;
    case GroundEffect::Kind::scale_down:
      result = value == 0 ? std::nan("") : old / value;
      break;
    default:
      break;
  }
  if (std::isnan(result)) return Applied::no;
  if (effect.kind != GroundEffect::Kind::assign) task.pool.note_rounding(old, value, result);
  for (Write& write : writes.numbers)
    if (write.index == effect.index) {
      // Two increases add up; anything else would depend on an order within the event.
      if (!additive || !write.additive) return Applied::no;
      write.value += result - old;
      return Applied::yes;
    }
  writes.numbers.push_back({effect.index, false, false, result, additive});
  return Applied::yes;
}

Applied Prefix::perform(int event, const std::vector<GroundEffect>& effects, double duration,
                        std::uint64_t held, ModuleOracle* oracle) {
  const GroundTask& task = model_->task;
  Writes writes;
  unsigned bit = 0;
  for (const GroundEffect& effect : effects) {
    if (effect.start_condition != FormulaPool::kYes && !(held >> bit++ & 1)) continue;
    if (effect.condition != FormulaPool::kYes) {
      const Truth truth = evaluate(task, effect.condition, state_, oracle);
      if (truth == Truth::unknown) return Applied::unknown;
      read(event, model_->supports.of(effect.condition), oracle);
      if (truth == Truth::no) continue;
    }
    const Applied done = collect(event, effect, duration, oracle, writes);
    if (done != Applied::yes) return done;
  }
  read_invariants(event, writes);
  for (const Write& write : writes.facts) write_fact(event, write);
  for (const Write& write : writes.numbers) write_number(event, write);
  if (!task.axioms.empty() && !(writes.facts.empty() && writes.numbers.empty()))
    derive(task, state_);
  return Applied::yes;
}

// An over-all condition such as (or p q) may survive two changes in one order only. Whoever changes
// a part of it while it must hold reads the whole of it, which fixes that order.
void Prefix::read_invariants(int event, const Writes& writes) {
  const auto touches = [](const std::vector<Write>& list, const std::vector<int>& sorted) {
    return std::any_of(list.begin(), list.end(), [&](const Write& write) {
      return std::binary_search(sorted.begin(), sorted.end(), write.index);
    });
  };
  for (const Running& running : state_.running) {
    if (running.unsettled) continue;
    const NodeId invariant = model_->task.actions[at(running.action)].invariant;
    for (const NodeId part : model_->supports.joint(invariant)) {
      const Support& support = model_->supports.of(part);
      if (touches(writes.facts, support.facts) || touches(writes.numbers, support.variables))
        read(event, support, nullptr);
    }
  }
}

Applied Prefix::invariants_hold(ModuleOracle* oracle) {
  for (Running& running : state_.running) {
    const NodeId invariant = model_->task.actions[at(running.action)].invariant;
    const Truth truth = evaluate(model_->task, invariant, state_, oracle);
    if (truth == Truth::unknown) return Applied::unknown;
    if (truth == Truth::no && !running.unsettled) return Applied::no;
    if (truth == Truth::yes && running.unsettled) {
      // Whoever made it true comes no later than the start.
      running.unsettled = false;
      read(running.start_event, model_->supports.of(invariant), oracle, Use::keep);
    }
  }
  return Applied::yes;
}

void Prefix::push(int& list, int event, bool loose) {
  links_.push_back({event, list, loose});
  list = static_cast<int>(links_.size()) - 1;
}

void Prefix::order_after(int list, int event, bool loose) {
  for (; list >= 0; list = links_[at(list)].next) {
    const Link& link = links_[at(list)];
    const bool any = loose || link.loose;
    if (link.event != event)
      network_.add_edge(link.event, event, any ? 0 : model_->separation, any);
  }
}

// Timed events that change what this event relies on have not happened yet: it must be earlier.
void Prefix::bound_by_timed(int event, const std::vector<int>& timed_events, bool loose) {
  const auto next = std::lower_bound(timed_events.begin(), timed_events.end(), state_.next_timed);
  if (next != timed_events.end())
    network_.bound_latest(event,
                          model_->task.timed[at(*next)].time - (loose ? 0 : model_->separation));
}

void Prefix::read(int event, const Support& support, ModuleOracle* oracle, Use use) {
  if (model_->sequential) return;
  for (const int fact : support.facts) read_fact(event, fact, use);
  for (const int variable : support.variables) read_number(event, variable, use);
  for (const int call : support.calls) read_call(event, call, oracle, use);
}

void Prefix::read_call(int event, int call, ModuleOracle* oracle, Use use) {
  if (model_->sequential) return;
  static const ModuleOracle::Reads everything;
  const ModuleOracle::Reads& reads = oracle ? oracle->reads(call, state_) : everything;
  if (reads.everything) {
    for (int f = 0; f < model_->task.fact_count; ++f) read_fact(event, f, use);
    for (std::size_t v = 0; v < numbers_.size(); ++v) read_number(event, static_cast<int>(v), use);
    return;
  }
  for (const int fact : reads.facts) read_fact(event, fact, use);
  for (const int variable : reads.variables) read_number(event, variable, use);
}

void Prefix::read_fact(int event, int fact, Use use) {
  const bool loose = use == Use::keep;
  read_track(event, facts_[at(fact)], loose);
  order_before_ends(event, fact, use, false);
  bound_by_timed(event, model_->timed_facts[at(fact)], loose);
}

void Prefix::read_number(int event, int variable, Use use) {
  const bool loose = use == Use::keep;
  read_track(event, numbers_[at(variable)], loose);
  order_before_ends(event, variable, use, true);
  bound_by_timed(event, model_->timed_variables[at(variable)], loose);
}

void Prefix::read_track(int event, Track& track, bool loose) {
  order_after(track.writers, event, loose);
  const bool listed = track.readers >= 0 && links_[at(track.readers)].event == event &&
                      (loose || !links_[at(track.readers)].loose);
  if (!listed) push(track.readers, event, loose);
}

void Prefix::write_fact(int event, const Write& write) {
  Track& track = facts_[at(write.index)];
  const bool same = state_.fact(write.index) == write.truth && !write.both;
  if (model_->sequential) return state_.set(write.index, write.truth);
  order_after(track.readers, event);
  if (same) {
    // The same value again: only whoever set or used the opposite value has to come before.
    order_after(track.before, event);
    push(track.writers, event);
  } else {
    order_after(track.writers, event);
    begin_group(track, event);
  }
  state_.set(write.index, write.truth);
  order_before_ends(event, write.index, Use::write, false);
  bound_by_timed(event, model_->timed_facts[at(write.index)]);
}

// A new value: former writers and readers come before whatever joins this group of writers.
void Prefix::begin_group(Track& track, int event) {
  int before = track.writers;
  for (int i = track.readers; i >= 0; i = links_[at(i)].next)
    push(before, links_[at(i)].event, links_[at(i)].loose);
  track.before = before;
  track.writers = -1;
  track.readers = -1;
  push(track.writers, event);
}

void Prefix::write_number(int event, const Write& write) {
  if (model_->sequential) {
    state_.values[at(write.index)] = write.value;
    return;
  }
  Track& track = numbers_[at(write.index)];
  if (write.additive && track.additive && track.readers < 0) {
    order_after(track.before, event);
    push(track.writers, event);
  } else {
    order_after(track.writers, event);
    order_after(track.readers, event);
    begin_group(track, event);
    track.additive = write.additive;
  }
  state_.values[at(write.index)] = write.value;
  order_before_ends(event, write.index, Use::write, true);
  bound_by_timed(event, model_->timed_variables[at(write.index)]);
}

std::vector<TimedAction> Prefix::schedule() const {
  std::vector<TimedAction> plan;
  if (model_->sequential) {
    for (const Scheduled& s : scheduled_)
      plan.push_back({s.action, model_->separation * static_cast<double>(plan.size()), 0});
    return plan;
  }
  for (const Scheduled& s : scheduled_) {
    const double start = network_.time(s.start);
    plan.push_back({s.action, start, s.end < 0 ? 0 : network_.time(s.end) - start});
  }
  std::stable_sort(plan.begin(), plan.end(),
                   [](const TimedAction& a, const TimedAction& b) { return a.start < b.start; });
  return plan;
}

double Prefix::fact_time(int fact) const {
  if (model_->sequential) return 0;
  const Track& track = facts_[at(fact)];
  if (track.writers < 0) return 0;
  double time = TemporalNetwork::kNever;
  for (int i = track.writers; i >= 0; i = links_[at(i)].next)
    time = std::min(time, network_.time(links_[at(i)].event));
  return time;
}

}  // namespace proven::task
