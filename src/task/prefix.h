// The beginning of a plan: events in the order in which search chose them, the state after them,
// and a temporal network with only those orders that facts and numbers require.
//
// Two events are ordered, at least `separation` apart, if one writes a fact or number that the
// other reads or writes (increases of the same number excepted: they commute). An over-all
// condition is about the open interval between start and end: who makes it true may come together
// with the start, who ends it together with the end. Every order of the events that respects this
// gives each event the same values to read, so any solution of the network is a plan with the same
// outcome; the earliest one has the least makespan for these orders.
#pragma once

#include <optional>
#include <vector>

#include "task/state.h"
#include "task/support.h"
#include "task/temporal_network.h"

namespace proven::task {

// What search may do next: start or end an action, or let the next timed event happen.
struct Step {
  enum class Kind : std::uint8_t { start, end, timed } kind = Kind::start;
  int action = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

enum class Applied : std::uint8_t {
  yes,
  no,            // a condition does not hold
  inconsistent,  // no times fit
  unknown        // a module gave no answer
};

struct TimedAction {
  int action = 0;
  double start = 0, duration = 0;
};

// What the end of an action touches, and which plain facts must hold until then. All sorted.
struct EndProfile {
  std::vector<int> writes, reads, numbers_written, numbers_read;
  std::vector<int> kept, numbers_kept;  // by the over-all condition
  std::vector<int> removes;             // without condition
  std::vector<int> invariant_facts;     // facts that are conjuncts of the over-all condition
};

// Fixed data that all prefixes of a task share.
struct PrefixModel {
  PrefixModel(const GroundTask& ground_task, double least_separation, Watch& watch);

  const GroundTask& task;
  double separation;
  Supports supports;
  // Timed events that write a fact or variable, ascending.
  std::vector<std::vector<int>> timed_facts, timed_variables;
  std::vector<std::vector<int>> timed_removals;
  // Timed events that only add facts which are no part of the goal and whose negation nobody uses.
  // A prefix takes them in at once: whoever needs them comes after them in time anyway.
  std::vector<char> harmless_timed;
  std::vector<EndProfile> ends;  // per action
  bool split_all = false;        // ignore compression
  // No durations, no clock: one action after the other, without a network.
  bool sequential = false;
};

class Prefix {
 public:
  explicit Prefix(const PrefixModel& model);

  const State& state() const { return state_; }
  double makespan() const;    // the last start or end
  std::size_t bytes() const;  // of memory, roughly
  bool has_running(int action) const;

  // Says whether the step can be applied as far as facts and numbers decide, modules apart.
  bool may_apply(Step step) const;
  // On anything but `yes` the prefix is spoilt and must be dropped.
  Applied apply(Step step, ModuleOracle* oracle);
  // Lets timed events before the end of the plan happen; `yes` if the goal holds after them. Events
  // that may come at the same time are put apart where that is possible.
  Applied finish(ModuleOracle* oracle);

  std::vector<TimedAction> schedule() const;
  // The time from which on the fact has its present value: no earlier.
  double fact_time(int fact) const;

 private:
  struct Link {
    int event = 0, next = -1;
    bool loose = false;  // reads up to, or from, its moment alone
  };
  // Who set the present value and who relies on it.
  struct Track {
    int writers = -1, readers = -1, before = -1;  // lists; `before`: of the former value
    bool additive = false;                        // all writers only add to the number
  };
  struct Scheduled {
    int action = 0, start = -1, end = -1;  // events
  };
  struct Write {
    int index = 0;
    bool truth = false, both = false;  // facts: `both` removed and added
    double value = 0;
    bool additive = false;
  };
  struct Writes {
    std::vector<Write> facts, numbers;
  };

  Applied choose(Step step, ModuleOracle* oracle);
  Applied absorb_timed();
  Applied start(int action, ModuleOracle* oracle);
  Applied end(int action, ModuleOracle* oracle);
  Applied end(Running running, ModuleOracle* oracle);
  void begin_running(Running& running);
  enum class Use : std::uint8_t { read, keep, write };
  void order_before_ends(int event, int index, Use use, bool number);
  Applied timed();
  bool duration_bounds(const GroundAction& action, ModuleOracle* oracle, double& least,
                       double& longest) const;
  Applied perform(int event, const std::vector<GroundEffect>& effects, double duration,
                  std::uint64_t held, ModuleOracle* oracle);
  Applied collect(int event, const GroundEffect& effect, double duration, ModuleOracle* oracle,
                  Writes& writes);
  Applied invariants_hold(ModuleOracle* oracle);
  bool goal_is_late() const;
  void read_invariants(int event, const Writes& writes);

  void read(int event, const Support& support, ModuleOracle* oracle, Use use = Use::read);
  void read_call(int event, int call, ModuleOracle* oracle, Use use);
  void read_fact(int event, int fact, Use use);
  void read_number(int event, int variable, Use use);
  void read_track(int event, Track& track, bool loose);
  void write_fact(int event, const Write& write);
  void write_number(int event, const Write& write);
  void begin_group(Track& track, int event);
  void order_after(int list, int event, bool loose = false);
  void push(int& list, int event, bool loose = false);
  void bound_by_timed(int event, const std::vector<int>& timed_events, bool loose = false);

  const PrefixModel* model_;
  State state_;
  TemporalNetwork network_;
  std::vector<Link> links_;
  std::vector<Track> facts_, numbers_;
  std::vector<Scheduled> scheduled_;
};

}  // namespace proven::task
