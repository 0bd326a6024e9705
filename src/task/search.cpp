#include "task/search.h"

#include <algorithm>
#include <cmath>

#include "proven/task/planner.h"

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// How much the lists of preferred steps are favoured after progress.
constexpr std::int64_t kBoost = 1000;
// Memory for expanded prefixes that are kept to spare repeating a plan from its start.
constexpr std::size_t kKeptBytes = std::size_t{256} << 20;
// Puts states without novelty behind all others; more than any count of landmarks.
constexpr double kStale = 1e6;

std::size_t hash_of_facts(const State& state) {
  std::size_t hash = 0;
  for (const std::uint64_t word : state.facts)
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u + (hash >> 29);
  return hash;
}

}  // namespace

Search::Search(const PrefixModel& model, const RelaxedTask& relaxed, const Landmarks& landmarks,
               const PlanValue& value, const Symmetry& symmetry, ModuleOracle* oracle,
               const Budget& budget, const Limits& limits, SearchStats& stats)
    : model_(model),
      relaxed_(relaxed),
      landmarks_(landmarks),
      value_(value),
      symmetry_(symmetry),
      oracle_(oracle),
      budget_(budget),
      limits_(limits),
      watch_(budget, "searching", limits),
      planner_(relaxed, watch_),
      stats_(stats) {
  const GroundTask& task = model.task;
  const FormulaNode& goal = task.pool.node(task.goal);
  stats_.unreached = goal.kind == FormulaNode::Kind::all ? goal.children : std::vector{task.goal};
  timeless_ = task.is_timeless();
  // With deadlines or actions that must overlap, an equal state reached earlier is a better one.
  time_matters_ = !task.timed.empty() ||
                  std::any_of(task.actions.begin(), task.actions.end(), [&](const auto& action) {
                    return action.durative && (!action.compressed || model.split_all);
                  });
}

SearchEnd Search::run(const SearchSettings& settings, FoundPlan& plan) {
  settings_ = settings;
  costs_ = settings.metric_costs ? value_.action_costs()
                                 : std::vector<double>(model_.task.actions.size(), 1.0);
  planner_.set_costs(costs_);
  nodes_.clear();
  closed_.clear();
  postponed_.clear();
  tried_.clear();
  kept_.clear();
  kept_order_.clear();
  kept_bytes_ = 0;
  seen_.clear();
  suspects_.facts.assign(at(model_.task.fact_count), 0);
  suspects_.variables.assign(model_.task.initial_values.size(), 0);
  fact_states_.clear();
  open_.clear();
  for (const Guide guide : {Guide::relaxed, Guide::landmarks, Guide::novelty})
    for (const bool preferred : {false, true})
      if (guide != Guide::landmarks || landmarks_.size() > 0)
        open_.push_back({{}, 0, 1e300, preferred, guide});
  Context root{Prefix(model_), landmarks_.none()};
  if (visit({0, 0, -1, {}}, root, plan)) return SearchEnd::found;
  for (std::int64_t round = 0;; ++round) {
    watch_.look();
    if (round % 16 == 0) {
      report_progress();
      if (is_out_of_memory()) throw Stopped{Stopped::Why::memory, "searching"};
    }
    Entry entry;
    if (!pop(entry)) return postponed_.empty() ? SearchEnd::exhausted : SearchEnd::undecided;
    // The same step waits in several lists.
    const auto key = (static_cast<std::uint64_t>(entry.parent) << 32) |
                     (static_cast<std::uint64_t>(entry.step.action) << 2) |
                     static_cast<std::uint64_t>(entry.step.kind);
    if (!tried_.insert(key).second) continue;
    Context context = context_of(entry.parent);
    if (visit(entry, context, plan)) return SearchEnd::found;
  }
}

// How much of the first state's distance to the goal is overcome, by estimate. How far the search
// for a better plan is nobody knows.
void Search::report_progress() const {
  if (settings_.metric_costs) return budget_.report(kImproving, 0);
  const auto whole = static_cast<std::int64_t>(std::ceil(first_estimate_));
  budget_.report("search", whole - static_cast<std::int64_t>(std::ceil(least_estimate_)), whole);
}

// A list that grows needs twice its size again while it moves.
bool Search::is_out_of_memory() const {
  std::size_t growing = closed_.bytes();
  for (const OpenList& list : open_)
    growing = std::max(growing, list.heap.capacity() * sizeof(Entry));
  constexpr std::size_t kSmall = std::size_t{16} << 20;
  return growing > kSmall && limits_.max_bytes < std::numeric_limits<std::size_t>::max() &&
         resident_bytes() + 2 * growing > limits_.max_bytes;
}

bool Search::pop(Entry& entry) {
  OpenList* best = nullptr;
  for (OpenList& list : open_)
    if (!list.heap.empty() && (!best || list.priority < best->priority)) best = &list;
  if (!best) return false;
  ++best->priority;
  std::pop_heap(best->heap.begin(), best->heap.end());
  entry = best->heap.back();
  best->heap.pop_back();
  return true;
}

double Search::Estimates::of(Guide guide) const {
  if (guide == Guide::relaxed) return relaxed;
  return guide == Guide::landmarks ? missing : (novel ? 0 : kStale) + missing;
}

// A state is novel if some fact holds or some action runs in it that never did in a state with the
// same estimates.
bool Search::is_novel(const State& state, const Estimates& estimates) {
  auto& seen = seen_[{estimates.relaxed, estimates.missing}];
  seen.resize(state.facts.size() + model_.task.actions.size() / 64 + 1);
  bool novel = false;
  for (const Running& running : state.running) {
    std::uint64_t& word = seen[state.facts.size() + at(running.action) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (at(running.action) % 64);
    novel |= (word & bit) == 0;
    word |= bit;
  }
  for (std::size_t w = 0; w < state.facts.size(); ++w) {
    novel |= (state.facts[w] & ~seen[w]) != 0;
    seen[w] |= state.facts[w];
  }
  return novel;
}

void Search::push(int parent, Step step, Preference preference, const Estimates& estimates) {
  ++stats_.generated;
  const double g = nodes_[at(parent)].cost;
  for (OpenList& list : open_) {
    if (list.preferred && preference == Preference::none) continue;
    const double estimate = estimates.of(list.guide);
    const double key = settings_.weight > 0 ? g + settings_.weight * estimate : estimate;
    list.heap.push_back({key, order_, parent, step, preference == Preference::helpful});
    std::push_heap(list.heap.begin(), list.heap.end());
  }
  ++order_;
}

void Search::remember(int node, const Context& context) {
  const std::size_t bytes = context.prefix.bytes();
  kept_bytes_ += bytes;
  kept_order_.emplace_back(node, bytes);
  kept_.emplace(node, context);
  while (kept_bytes_ > kKeptBytes && kept_order_.size() > 1) {
    kept_.erase(kept_order_.front().first);
    kept_bytes_ -= kept_order_.front().second;
    kept_order_.pop_front();
  }
}

// The plan is repeated from the nearest kept ancestor, or from the start.
Search::Context Search::context_of(int node) {
  std::vector<int> path;
  const Context* known = nullptr;
  for (int n = node; n >= 0 && !known; n = nodes_[at(n)].parent) {
    if (const auto found = kept_.find(n); found != kept_.end())
      known = &found->second;
    else
      path.push_back(n);
  }
  Context context = known ? *known : Context{Prefix(model_), landmarks_.none()};
  for (auto it = path.rbegin(); it != path.rend(); ++it) {
    watch_.look();
    if (nodes_[at(*it)].parent >= 0) context.prefix.apply(nodes_[at(*it)].step, oracle_);
    landmarks_.accept(context.prefix.state(), context.accepted);
  }
  return context;
}

void Search::make_key(const State& state) {
  key_.clear();
  if (timeless_) return append_key(model_.task, state, key_);
  const StateHash hash = hash_of(model_.task, state);
  key_ = {hash.high, hash.low};
}

bool Search::is_new(const Prefix& prefix, int actions) {
  double time = 0;  // or whatever makes one of two equal states the better one
  if (time_matters_)
    time = prefix.makespan();
  else if (settings_.weight > 0 || settings_.metric_costs)
    time = value_.of(prefix, actions);
  if (symmetry_.empty())
    make_key(prefix.state());
  else
    make_key(symmetry_.arranged(prefix.state()));
  bool fresh = false;
  double& known = closed_.insert(key_, time, fresh);
  if (fresh) return true;
  if (time >= known - 1e-9) return false;
  known = time;
  return true;
}

bool Search::visit(const Entry& entry, Context& context, FoundPlan& plan) {
  const int parent = entry.parent;
  const Step step = entry.step;
  if (parent >= 0) {
    const Applied applied = context.prefix.apply(step, oracle_);
    if (applied == Applied::unknown) {
      ++stats_.postponed;
      postponed_.push_back({0, 0, parent, step});
    }
    if (applied == Applied::no && oracle_ && entry.helpful) blame(parent, step);
    if (applied != Applied::yes) return false;
  }
  Node node;
  node.parent = parent;
  node.step = step;
  if (parent >= 0) {
    const bool starts = step.kind == Step::Kind::start;
    node.actions = nodes_[at(parent)].actions + (starts ? 1 : 0);
    node.cost = nodes_[at(parent)].cost + (starts ? costs_[at(step.action)] : 0);
  }
  if (!is_new(context.prefix, node.actions)) return false;
  if (value_.is_monotone() &&
      value_.of(context.prefix, node.actions) >= settings_.best_value - 1e-9)
    return false;
  nodes_.push_back(node);
  const int index = static_cast<int>(nodes_.size()) - 1;
  landmarks_.accept(context.prefix.state(), context.accepted);
  std::erase_if(stats_.unreached, [&](NodeId part) {
    return evaluate(model_.task, part, context.prefix.state(), nullptr) == Truth::yes;
  });
  const Truth goal = is_goal(context, index, plan);
  if (goal == Truth::yes) return true;
  if (goal == Truth::unknown) postponed_.push_back({0, 0, parent, step});
  ++stats_.evaluated;
  const auto estimate = planner_.estimate(context.prefix);
  if (estimate.value == RelaxedPlanner::kDeadEnd) return false;
  if (parent < 0) first_estimate_ = least_estimate_ = estimate.value;
  least_estimate_ = std::min(least_estimate_, estimate.value);
  Estimates estimates{estimate.value, landmarks_.missing(context.prefix.state(), context.accepted),
                      false};
  estimates.novel = is_novel(context.prefix.state(), estimates);
  bool progress = false;
  for (OpenList& list : open_) {
    const double h = estimates.of(list.guide);
    if (h >= list.best) continue;
    list.best = h;
    progress = true;
  }
  if (progress)
    for (OpenList& list : open_)
      if (list.preferred) list.priority -= kBoost;
  context.estimates = estimates;
  expand(index, context, estimates, estimate.helpful);
  return false;
}

Truth Search::is_goal(const Context& context, int node, FoundPlan& plan) {
  if (!context.prefix.state().running.empty() ||
      evaluate(model_.task, model_.task.goal, context.prefix.state(), nullptr) == Truth::no)
    return Truth::no;
  Prefix finished = context.prefix;
  const Applied done = finished.finish(oracle_);
  if (done != Applied::yes) return done == Applied::unknown ? Truth::unknown : Truth::no;
  const double value = value_.of(finished, nodes_[at(node)].actions);
  if (value >= settings_.best_value - 1e-9) return Truth::no;
  plan.value = value;
  plan.schedule = finished.schedule();
  plan.steps.clear();
  for (int n = node; nodes_[at(n)].parent >= 0; n = nodes_[at(n)].parent)
    plan.steps.push_back(nodes_[at(n)].step);
  std::reverse(plan.steps.begin(), plan.steps.end());
  return Truth::yes;
}

bool Search::wanted_now(const Prefix& prefix, Step step) {
  if (!settings_.eager_modules) return true;
  Prefix tried = prefix;
  return tried.apply(step, oracle_) != Applied::no;
}

void Search::expand(int node, Context& context, const Estimates& estimates,
                    const std::vector<Step>& helpful) {
  ++stats_.expanded;
  remember(node, context);
  const Prefix& prefix = context.prefix;
  const bool makes_room = oracle_ && fact_states_.insert(hash_of_facts(prefix.state())).second;
  const auto consider = [&](Step step) {
    watch_.tick();
    if (!prefix.may_apply(step) || !wanted_now(prefix, step)) return;
    const bool is_helpful = std::find(helpful.begin(), helpful.end(), step) != helpful.end();
    push(node, step,
         is_helpful                               ? Preference::helpful
         : makes_room && touches(step, suspects_) ? Preference::suspect
                                                  : Preference::none,
         estimates);
  };
  for (const Running& running : prefix.state().running) consider({Step::Kind::end, running.action});
  for (std::size_t a = 0; a < model_.task.actions.size(); ++a)
    consider({Step::Kind::start, static_cast<int>(a)});
  if (at(prefix.state().next_timed) < model_.task.timed.size()) consider({Step::Kind::timed, 0});
}

bool Search::touches(Step step, const Suspects& suspects) const {
  if (step.kind != Step::Kind::start) return false;
  const GroundAction& action = model_.task.actions[at(step.action)];
  for (const GroundEvent* event : {&action.start, &action.end})
    for (const GroundEffect& effect : event->effects) {
      if (effect.kind == GroundEffect::Kind::add || effect.kind == GroundEffect::Kind::remove) {
        if (suspects.facts[at(effect.index)]) return true;
      } else if (effect.kind != GroundEffect::Kind::call) {
        if (suspects.variables[at(effect.index)]) return true;
      } else {
        for (const int variable : model_.task.calls[at(effect.index)].written)
          if (suspects.variables[at(variable)]) return true;
      }
    }
  return false;
}

// A module refused the step after this node. What it read becomes suspect, and steps that change it
// are preferred from now on, in the prefixes that are kept as well.
void Search::blame(int node, Step step) {
  const auto found = kept_.find(node);
  if (step.kind != Step::Kind::start || found == kept_.end()) return;
  const State& state = found->second.prefix.state();
  const GroundAction& action = model_.task.actions[at(step.action)];
  Suspects fresh{std::vector<char>(suspects_.facts.size(), 0),
                 std::vector<char>(suspects_.variables.size(), 0)};
  bool any = false;
  for (const int call : model_.supports.of(action.start.condition).calls) {
    if (oracle_->condition(call, state) != Truth::no) continue;
    const ModuleOracle::Reads& reads = oracle_->reads(call, state);
    if (reads.everything) continue;
    for (const int fact : reads.facts)
      if (!suspects_.facts[at(fact)])
        suspects_.facts[at(fact)] = fresh.facts[at(fact)] = any = true;
    for (const int variable : reads.variables)
      if (!suspects_.variables[at(variable)])
        suspects_.variables[at(variable)] = fresh.variables[at(variable)] = any = true;
  }
  if (!any) return;
  for (const auto& [kept, size] : kept_order_) {
    const Context& context = kept_.at(kept);
    for (std::size_t a = 0; a < model_.task.actions.size(); ++a) {
      watch_.tick();
      const Step other{Step::Kind::start, static_cast<int>(a)};
      if (touches(other, fresh) && context.prefix.may_apply(other))
        push(kept, other, Preference::suspect, context.estimates);
    }
  }
}

}  // namespace proven::task
