#include "task/symmetry.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <sstream>

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Work for exchanges to be tested, in nodes of formulas and actions looked at: a second or so.
constexpr std::int64_t kMostWork = 20'000'000;
// Entries of the tables that tell where a name goes.
constexpr double kMostSlots = 1 << 24;

// A name as numbers: the word in front as -1 and below, then the objects.
using Name = std::vector<int>;

std::vector<Name> split(const std::vector<std::string>& texts,
                        const std::vector<std::string>& objects) {
  std::map<std::string, int> ids, words;
  for (std::size_t i = 0; i < objects.size(); ++i) ids.emplace(objects[i], static_cast<int>(i));
  std::vector<Name> names;
  for (const std::string& text : texts) {
    std::istringstream in(text.substr(1, text.size() - 2));
    std::string front, word;
    in >> front;
    Name name = {0};
    while (in >> word) {
      const auto found = ids.find(word);
      if (found == ids.end())
        front += " " + word;  // the name of a preference may have blanks
      else
        name.push_back(found->second);
    }
    name[0] = -1 - words.emplace(front, static_cast<int>(words.size())).first->second;
    names.push_back(std::move(name));
  }
  return names;
}

struct GroundNames {
  std::vector<Name> facts, numbers, actions;

  explicit GroundNames(const GroundTask& task)
      : facts(split(task.fact_names, task.objects)),
        numbers(split(task.variable_names, task.objects)) {
    for (const GroundAction& action : task.actions) {
      Name name = {-1 - action.schema};
      name.insert(name.end(), action.arguments.begin(), action.arguments.end());
      actions.push_back(std::move(name));
    }
  }
};

// Tests exchanges of two objects.
class Exchange {
 public:
  Exchange(const GroundTask& task, const GroundNames& names, Watch& watch)
      : task_(task), names_(names), watch_(watch), pool_(task.pool) {
    for (const auto& [list, index] :
         {std::pair(&names.facts, &facts_), std::pair(&names.numbers, &numbers_),
          std::pair(&names.actions, &actions_)})
      for (std::size_t i = 0; i < list->size(); ++i)
        unique_ &= index->emplace((*list)[i], static_cast<int>(i)).second;
    observed_.assign(names.numbers.size(), 0);
    for (const int v : task.observed) observed_[at(v)] = 1;
  }

  // Two things of one name could not be told apart.
  bool usable() const { return unique_ && work_ < kMostWork; }

  bool gives_the_task_again(int a, int b) {
    a_ = a;
    b_ = b;
    nodes_.assign(pool_.size(), kOpen);
    exprs_.assign(pool_.expr_count(), kOpen);
    work_ += static_cast<std::int64_t>(names_.facts.size() + task_.actions.size());
    if (!usable() || !exchange(names_.facts, facts_, fact_) ||
        !exchange(names_.numbers, numbers_, number_) ||
        !exchange(names_.actions, actions_, action_))
      return false;
    for (std::size_t v = 0; v < number_.size(); ++v)
      if (observed_[v] != observed_[at(number_[v])]) return false;
    if (node(task_.goal) != task_.goal || (task_.has_metric && expr(task_.metric) != task_.metric))
      return false;
    return axioms_stay() && timed_stay() && violations_stay() && actions_stay() && usable();
  }

 private:
  static constexpr int kOpen = -1;
  using Index = std::map<Name, int>;
  // Kind, what is written, the new value, and both conditions.
  using Effect = std::tuple<GroundEffect::Kind, int, ExprId, NodeId, NodeId>;

  bool exchange(const std::vector<Name>& names, const Index& index, std::vector<int>& to) const {
    to.resize(names.size());
    Name other;
    for (std::size_t i = 0; i < names.size(); ++i) {
      other = names[i];
      for (int& part : other) part = part == a_ ? b_ : part == b_ ? a_ : part;
      const auto found = index.find(other);
      if (found == index.end()) return false;
      to[i] = found->second;
    }
    return true;
  }

  // Nodes are shared: equal formulas have equal ids.
  NodeId node(NodeId id) {
    if (at(id) < nodes_.size() && nodes_[at(id)] != kOpen) return nodes_[at(id)];
    ++work_;
    watch_.tick();
    const FormulaNode old = pool_.node(id);
    NodeId made = id;
    switch (old.kind) {
      case FormulaNode::Kind::fact:
        made = pool_.fact(fact_[at(old.index)]);
        break;
      case FormulaNode::Kind::not_fact:
        made = pool_.negate(pool_.fact(fact_[at(old.index)]));
        break;
      case FormulaNode::Kind::compare: {
        const ExprId left = expr(old.left), right = expr(old.right);
        made = pool_.compare(old.comparison, left, right);
        break;
      }
      case FormulaNode::Kind::all:
      case FormulaNode::Kind::any: {
        std::vector<NodeId> children;
        for (const NodeId child : old.children) children.push_back(node(child));
        made = old.kind == FormulaNode::Kind::all ? pool_.all(children) : pool_.any(children);
        break;
      }
      default:  // constants; there are no calls
        break;
    }
    if (at(id) < nodes_.size()) nodes_[at(id)] = made;
    return made;
  }

  ExprId expr(ExprId id) {
    if (at(id) < exprs_.size() && exprs_[at(id)] != kOpen) return exprs_[at(id)];
    ++work_;
    const ExprNode old = pool_.expr(id);
    ExprId made = id;
    if (old.kind == ExprNode::Kind::variable) {
      made = pool_.variable(number_[at(old.index)]);
    } else if (old.kind == ExprNode::Kind::violated) {
      made = pool_.violated(node(old.index));
    } else if (old.kind >= ExprNode::Kind::sum && old.kind <= ExprNode::Kind::quotient) {
      const ExprId left = expr(old.left), right = expr(old.right);
      made = pool_.binary(old.kind, left, right);
    }
    if (at(id) < exprs_.size()) exprs_[at(id)] = made;
    return made;
  }

  Effect same(const GroundEffect& e) const {
    return {e.kind, e.index, e.value, e.condition, e.start_condition};
  }
  Effect moved(const GroundEffect& e) {
    const bool of_fact = e.kind == GroundEffect::Kind::add || e.kind == GroundEffect::Kind::remove;
    return {e.kind, of_fact ? fact_[at(e.index)] : number_[at(e.index)],
            of_fact ? e.value : expr(e.value), node(e.condition), node(e.start_condition)};
  }

  // The order of effects matters only where it numbers their start conditions (Running::held).
  bool effects_match(const std::vector<GroundEffect>& from, const std::vector<GroundEffect>& to) {
    if (from.size() != to.size()) return false;
    std::vector<Effect> one, two;
    bool ordered = false;
    for (std::size_t i = 0; i < from.size(); ++i) {
      one.push_back(moved(from[i]));
      two.push_back(same(to[i]));
      ordered |= from[i].start_condition != FormulaPool::kYes;
    }
    if (!ordered) {
      std::sort(one.begin(), one.end());
      std::sort(two.begin(), two.end());
    }
    return one == two;
  }

  bool actions_stay() {
    for (std::size_t i = 0; i < task_.actions.size(); ++i) {
      watch_.tick();
      const GroundAction &from = task_.actions[i], &to = task_.actions[at(action_[i])];
      if (from.durative != to.durative || from.compressed != to.compressed ||
          from.circle != to.circle || from.duration.size() != to.duration.size() ||
          node(from.invariant) != to.invariant ||
          node(from.start.condition) != to.start.condition ||
          node(from.end.condition) != to.end.condition)
        return false;
      for (std::size_t d = 0; d < from.duration.size(); ++d)
        if (from.duration[d].first != to.duration[d].first ||
            expr(from.duration[d].second) != to.duration[d].second)
          return false;
      if (!effects_match(from.start.effects, to.start.effects) ||
          !effects_match(from.end.effects, to.end.effects))
        return false;
    }
    return true;
  }

  bool axioms_stay() {
    std::vector<std::tuple<int, NodeId, int>> one, two;
    for (const Axiom& axiom : task_.axioms) {
      one.emplace_back(fact_[at(axiom.fact)], node(axiom.body), axiom.stratum);
      two.emplace_back(axiom.fact, axiom.body, axiom.stratum);
    }
    std::sort(one.begin(), one.end());
    std::sort(two.begin(), two.end());
    return one == two;
  }

  bool timed_stay() {
    return std::all_of(task_.timed.begin(), task_.timed.end(), [&](const TimedEvent& event) {
      return effects_match(event.effects, event.effects);
    });
  }

  bool violations_stay() {
    std::vector<ExprId> one, two = task_.violations;
    for (const ExprId violated : two) one.push_back(expr(violated));
    std::sort(one.begin(), one.end());
    std::sort(two.begin(), two.end());
    return one == two;
  }

  const GroundTask& task_;
  const GroundNames& names_;
  Watch& watch_;
  FormulaPool pool_;  // with formulas that only exchanges make
  Index facts_, numbers_, actions_;
  bool unique_ = true;
  std::int64_t work_ = 0;
  int a_ = 0, b_ = 0;
  std::vector<int> fact_, number_, action_;  // where each goes
  std::vector<char> observed_;
  std::vector<NodeId> nodes_;
  std::vector<ExprId> exprs_;
};

// How often an object occurs at which place of which names: equal objects agree.
std::vector<std::map<std::pair<int, int>, int>> occurrences(const GroundNames& names,
                                                            std::size_t objects) {
  std::vector<std::map<std::pair<int, int>, int>> counts(objects);
  int kind = 0;
  for (const auto* list : {&names.facts, &names.numbers, &names.actions}) {
    for (const Name& name : *list)
      for (std::size_t i = 1; i < name.size(); ++i)
        ++counts[at(name[i])][{3 * name[0] - kind, static_cast<int>(i)}];
    ++kind;
  }
  return counts;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t hash = (a ^ b) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93u;
  return hash ^ hash >> 29;
}

}  // namespace

Symmetry::Symmetry(const GroundTask& task, Watch& watch) {
  if (!task.calls.empty()) return;
  find_classes(task, watch);
  if (empty()) return;
  class_of_.assign(task.objects.size(), -1);
  member_of_.assign(task.objects.size(), -1);
  for (std::size_t c = 0; c < classes_.size(); ++c)
    for (std::size_t m = 0; m < classes_[c].size(); ++m) {
      class_of_[at(classes_[c][m])] = static_cast<int>(c);
      member_of_[at(classes_[c][m])] = static_cast<int>(m);
    }
  const GroundNames names(task);
  if (slots_of(names.facts) + slots_of(names.numbers) + slots_of(names.actions) > kMostSlots) {
    classes_.clear();
    return;
  }
  facts_ = names_of(names.facts);
  numbers_ = names_of(names.numbers);
  actions_ = names_of(names.actions);
  observed_ = task.observed;
}

// Exchanges with the first of a class give, one after the other, every order of the class.
void Symmetry::find_classes(const GroundTask& task, Watch& watch) {
  const GroundNames names(task);
  Exchange exchange(task, names, watch);
  const auto counts = occurrences(names, task.objects.size());
  for (std::size_t o = 0; o < task.objects.size() && exchange.usable(); ++o) {
    if (counts[o].empty()) continue;  // search never meets it
    const auto found = std::find_if(classes_.begin(), classes_.end(), [&](const auto& members) {
      return counts[at(members.front())] == counts[o] &&
             exchange.gives_the_task_again(members.front(), static_cast<int>(o));
    });
    if (found == classes_.end())
      classes_.push_back({static_cast<int>(o)});
    else
      found->push_back(static_cast<int>(o));
  }
  std::erase_if(classes_, [](const auto& members) { return members.size() < 2; });
}

// Of all tables of names_of.
double Symmetry::slots_of(const std::vector<std::vector<int>>& names) const {
  std::map<Name, double> sizes;
  for (const Name& name : names) {
    Name plain = name;
    double size = 1;
    for (std::size_t k = 1; k < name.size(); ++k)
      if (const int c = class_of_[at(name[k])]; c >= 0) {
        plain[k] = -1 - c;
        size *= static_cast<double>(classes_[at(c)].size());
      }
    sizes[plain] = size;
  }
  double sum = 0;
  for (const auto& [plain, size] : sizes) sum += size;
  return sum;
}

Symmetry::Names Symmetry::names_of(const std::vector<std::vector<int>>& names) const {
  Names all;
  std::map<Name, int> patterns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Name plain = {names[i][0]};
    std::vector<int> classes;
    Place place;
    for (std::size_t k = 1; k < names[i].size(); ++k) {
      const int object = names[i][k], c = class_of_[at(object)];
      // Objects are numbered from 0 on, classes below.
      plain.push_back(c < 0 ? object : -1 - c);
      if (c < 0) continue;
      classes.push_back(c);
      place.members.push_back(member_of_[at(object)]);
    }
    if (!classes.empty()) {
      const auto [it, fresh] = patterns.emplace(plain, static_cast<int>(all.patterns.size()));
      if (fresh) {
        std::size_t size = 1;
        for (const int c : classes) size *= classes_[at(c)].size();
        all.patterns.push_back({classes, std::vector<int>(size, -1)});
      }
      place.pattern = it->second;
      Pattern& pattern = all.patterns[at(place.pattern)];
      pattern.table[slot(pattern, classes_, place.members)] = static_cast<int>(i);
    }
    all.places.push_back(std::move(place));
  }
  return all;
}

std::size_t Symmetry::slot(const Pattern& pattern, const std::vector<std::vector<int>>& classes,
                           const std::vector<int>& members) {
  std::size_t slot = 0;
  for (std::size_t k = 0; k < members.size(); ++k)
    slot = slot * classes[at(pattern.classes[k])].size() + at(members[k]);
  return slot;
}

int Symmetry::moved(const Names& names, int index, const std::vector<std::vector<int>>& to) const {
  const Place& place = names.places[at(index)];
  if (place.pattern < 0) return index;
  const Pattern& pattern = names.patterns[at(place.pattern)];
  std::size_t slot = 0;
  for (std::size_t k = 0; k < place.members.size(); ++k) {
    const std::size_t c = at(pattern.classes[k]);
    slot = slot * classes_[c].size() + at(to[c][at(place.members[k])]);
  }
  return pattern.table[slot];
}

// Sums over all that holds of an object; in a second round also over the colours of those that it
// holds together with.
std::vector<std::vector<std::uint64_t>> Symmetry::colours_of(const State& state) const {
  std::vector<std::vector<std::uint64_t>> before, now;
  for (const auto& members : classes_) now.emplace_back(members.size(), 0);
  const auto add = [&](const Names& names, int index, std::uint64_t value) {
    const Place& place = names.places[at(index)];
    if (place.pattern < 0) return;
    const Pattern& pattern = names.patterns[at(place.pattern)];
    for (std::size_t k = 0; k < place.members.size(); ++k) {
      std::uint64_t seen = mix(value, 31 * static_cast<std::uint64_t>(place.pattern) + k);
      for (std::size_t other = 0; other < place.members.size(); ++other)
        if (other != k)
          seen = mix(seen, before[at(pattern.classes[other])][at(place.members[other])]);
      now[at(pattern.classes[k])][at(place.members[k])] += seen;
    }
  };
  for (int round = 0; round < 2; ++round) {
    before = now;
    for (std::size_t w = 0; w < state.facts.size(); ++w)
      for (std::uint64_t rest = state.facts[w]; rest != 0; rest &= rest - 1)
        add(facts_, static_cast<int>(64 * w) + std::countr_zero(rest), 1);
    for (const int v : observed_)
      add(numbers_, v, mix(2, std::bit_cast<std::uint64_t>(state.values[at(v)])));
    for (const Running& running : state.running)
      add(actions_, running.action, mix(3, running.held));
  }
  return now;
}

State Symmetry::arranged(const State& state) const {
  const auto colours = colours_of(state);
  std::vector<std::vector<int>> to(classes_.size());
  bool moves = false;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    std::vector<int> order(classes_[c].size());
    for (std::size_t m = 0; m < order.size(); ++m) order[m] = static_cast<int>(m);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return colours[c][at(a)] < colours[c][at(b)]; });
    to[c].resize(order.size());
    for (std::size_t m = 0; m < order.size(); ++m) {
      to[c][at(order[m])] = static_cast<int>(m);
      moves |= order[m] != static_cast<int>(m);
    }
  }
  State other = state;
  if (!moves) return other;
  std::fill(other.facts.begin(), other.facts.end(), 0);
  for (std::size_t w = 0; w < state.facts.size(); ++w)
    for (std::uint64_t rest = state.facts[w]; rest != 0; rest &= rest - 1)
      other.set(moved(facts_, static_cast<int>(64 * w) + std::countr_zero(rest), to), true);
  for (const int v : observed_) other.values[at(moved(numbers_, v, to))] = state.values[at(v)];
  for (Running& running : other.running) running.action = moved(actions_, running.action, to);
  return other;
}

}  // namespace proven::task
