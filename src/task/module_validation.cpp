// Modules for the validator: its worlds in words become states of the ground task and back.
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "proven/task/planner.h"
#include "task/failure.h"
#include "task/module_memory.h"

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class LoadedModules : public ValidationModules {
 public:
  LoadedModules(const Domain& domain, const Problem& problem, const ModuleOptions& options,
                const Budget& budget)
      : task_(ground(domain, problem, budget)), memory_(task_, options, budget) {
    for (std::size_t i = 0; i < task_.calls.size(); ++i) {
      const std::string text = call_text(task_, static_cast<int>(i));
      calls_[text.substr(1, text.size() - 2)] = static_cast<int>(i);
    }
    std::vector<std::string> predicates, fluents;
    for (const Predicate& predicate : domain.predicates) predicates.push_back(predicate.name);
    for (const FluentDeclaration& fluent : domain.fluents)
      (fluent.types.empty() ? fluents : predicates).push_back(fluent.name);
    for (const GroundAtom& atom : task_.atoms)
      atom_texts_.push_back(text_of(predicates[at(atom.predicate)], atom.arguments));
    for (const GroundNumber& number : task_.numbers)
      number_texts_.push_back(text_of(fluents[at(number.fluent)], number.arguments));
  }

  std::optional<bool> condition(const std::string& call, const World& world,
                                const Budget& budget) override {
    const auto found = calls_.find(call);
    if (found == calls_.end()) return std::nullopt;
    const Truth truth = memory_.condition(found->second, state_of(world), budget);
    if (truth == Truth::unknown) return std::nullopt;
    return truth == Truth::yes;
  }

  std::optional<double> cost(const std::string& call, const World& world,
                             const Budget& budget) override {
    const auto found = calls_.find(call);
    if (found == calls_.end()) return std::nullopt;
    const double cost = memory_.cost(found->second, state_of(world), budget);
    if (std::isnan(cost)) return std::nullopt;
    return cost;
  }

  std::optional<std::vector<double>> effect(const std::string& call, const World& world,
                                            const Budget& budget) override {
    const auto found = calls_.find(call);
    if (found == calls_.end()) return std::nullopt;
    std::vector<double> values;
    bool unknown = false;
    const bool changes = memory_.effect(found->second, state_of(world), values, unknown, budget);
    if (unknown) return std::nullopt;
    if (!changes) values.clear();
    return values;
  }

 private:
  std::string text_of(std::string text, const std::vector<int>& arguments) const {
    for (const int object : arguments) text += " " + task_.objects[at(object)];
    return text;
  }

  State state_of(const World& world) const {
    State state = initial_state(task_);
    const std::unordered_set<std::string> facts(world.true_facts.begin(), world.true_facts.end());
    for (std::size_t i = 0; i < task_.atoms.size(); ++i)
      if (task_.atoms[i].fact >= 0) state.set(task_.atoms[i].fact, facts.contains(atom_texts_[i]));
    for (std::size_t i = 0; i < task_.numbers.size(); ++i) {
      if (task_.numbers[i].variable < 0) continue;
      const auto found = world.numbers.find(number_texts_[i]);
      state.values[at(task_.numbers[i].variable)] =
          found == world.numbers.end() ? std::nan("") : found->second;
    }
    return state;
  }

  GroundTask task_;
  ModuleMemory memory_;
  std::unordered_map<std::string, int> calls_;
  std::vector<std::string> atom_texts_, number_texts_;
};

}  // namespace

Result<std::unique_ptr<ValidationModules>> load_modules(const Domain& domain,
                                                        const Problem& problem,
                                                        const ModuleOptions& options,
                                                        const Budget& budget) {
  using Loaded = std::unique_ptr<ValidationModules>;
  return guarded<Loaded>([&]() -> Result<Loaded> {
    return Loaded(std::make_unique<LoadedModules>(domain, problem, options, budget));
  });
}

}  // namespace proven::task
