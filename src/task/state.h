// A state of the world during planning, and the truth of ground formulas in it.
#pragma once

#include <cstdint>
#include <vector>

#include "task/ground_task.h"

namespace proven::task {

// A durative action that has started and not yet ended; its end effects are pending.
struct Running {
  int action = 0;
  int start_event = 0, end_event = 0;  // in the temporal network
  double duration = 0;                 // least; what ?duration means
  double longest = 0;
  std::uint64_t held = 0;  // which start conditions of end effects held, in their order
  bool unsettled = false;  // its over-all condition waits for an event at the time of the start

  friend bool operator==(const Running&, const Running&) = default;
};

struct State {
  std::vector<std::uint64_t> facts;
  std::vector<double> values;
  std::vector<Running> running;  // in the order of their start
  int next_timed = 0;

  bool fact(int index) const {
    return facts[static_cast<std::size_t>(index) / 64] >> (static_cast<unsigned>(index) % 64) & 1;
  }
  void set(int index, bool truth) {
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(index) % 64);
    std::uint64_t& word = facts[static_cast<std::size_t>(index) / 64];
    word = truth ? word | bit : word & ~bit;
  }
};

enum class Truth : std::uint8_t { no, yes, unknown };

// Answers of modules in a state. Null where modules are not to be called: everything about them is
// then unknown.
class ModuleOracle {
 public:
  virtual ~ModuleOracle() = default;
  virtual Truth condition(int call, const State& state) = 0;
  // Undefined (NaN) where there is no answer; +infinity: impossible.
  virtual double cost(int call, const State& state) = 0;
  // Fills one value per written variable; false: the effect changes nothing. Unknown in time
  // budget: `unknown` set.
  virtual bool effect(int call, const State& state, std::vector<double>& values, bool& unknown) = 0;
  // What the last answer for this call in this state was based on.
  struct Reads {
    bool everything = true;
    std::vector<int> facts, variables;
  };
  virtual const Reads& reads(int call, const State& state) = 0;
};

State initial_state(const GroundTask& task);
void derive(const GroundTask& task, State& state);  // recomputes the derived facts

Truth evaluate(const GroundTask& task, NodeId node, const State& state, ModuleOracle* oracle);
double evaluate(const GroundTask& task, ExprId expr, const State& state, double duration,
                ModuleOracle* oracle);
bool uses_duration(const FormulaPool& pool, ExprId expr);

struct StateHash {
  std::uint64_t high = 0, low = 0;
  friend bool operator==(const StateHash&, const StateHash&) = default;
};
// Facts, observed numbers, running actions and timed events passed; not the times in the network.
StateHash hash_of(const GroundTask& task, const State& state);
// Facts and observed numbers as they are: equal keys, equal states, where nothing runs and time is
// no matter.
void append_key(const GroundTask& task, const State& state, std::vector<std::uint64_t>& key);

}  // namespace proven::task
