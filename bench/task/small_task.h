// Temporal tasks of a few facts and actions and one number, at random, and as PDDL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proven/base/random.h"

namespace proven::bench {

using Facts = std::uint32_t;  // a bit for each

struct SmallCondition {
  Facts yes = 0, no = 0;      // all of these hold, none of these
  Facts either = 0;           // one of these, unless it is empty
  int least = -1, most = -1;  // bounds on the number; -1: none
};

struct SmallEvent {
  SmallCondition condition;
  Facts add = 0, remove = 0;
  // A conditional effect: adds if the fact (-1: none) holds, or does not.
  int when = -1;
  bool when_true = true;
  Facts when_add = 0;
  enum class Number { keep, increase, decrease, assign } number = Number::keep;
  int amount = 0;
};

struct SmallAction {
  bool durative = true;
  SmallEvent start, end;  // an action that takes no time has a start alone
  SmallCondition throughout;
  int least = 1, longest = 1;  // duration
};

struct SmallTimed {
  int time = 0;
  Facts add = 0, remove = 0;
};

struct SmallTask {
  int facts = 0;
  Facts initial = 0;
  int number = 0;
  std::vector<SmallAction> actions;
  std::vector<SmallTimed> timed;  // by time, all different
  SmallCondition goal;
};

SmallTask random_task(Random& random);

// Facts are (f0) ..., actions (a0) ..., the number is (n).
std::string domain_text(const SmallTask& task);
std::string problem_text(const SmallTask& task);

}  // namespace proven::bench
