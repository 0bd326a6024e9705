// Drives among movers that do their worst, with a proved stop and without.
#pragma once

#include "bench/spacetime/adversary.h"

namespace proven::bench {

struct FailSafeRun {
  bool refused = false;  // no stop is proved at the start
  Judgement judged;
  int cycles = 0, stopping = 0, stops = 0;
  double way = 0;  // metres driven
  double ms = 0;   // processor time per cycle
  // Looks at movers in the regions that were predicted for them: how many, how many were not wholly
  // inside, and how many were within arm's length of the regions' front, rear and side.
  std::int64_t looks = 0, escaped = 0, at_front = 0, at_rear = 0, at_side = 0;
};

FailSafeRun run_situation(const Situation& situation, std::uint64_t seed, bool fail_safe);

}  // namespace proven::bench
