// Facts that every plan makes true at some time, their orders, and how many are still missing.
//
// Complete for the task without deletions: LM(rule) is the union over its conditions, LM(p) is p
// and the intersection over the rules that add p, as the greatest fixpoint.
#pragma once

#include <cstdint>
#include <vector>

#include "task/relaxed.h"

namespace proven::task {

class Landmarks {
 public:
  // None are found where their sets would not fit in `max_bytes`.
  Landmarks(const RelaxedTask& relaxed, const State& initial, std::size_t max_bytes,
            const Watch& watch);

  std::size_t size() const { return landmarks_.size(); }
  using Accepted = std::vector<std::uint64_t>;
  Accepted none() const { return Accepted(landmarks_.size() / 64 + 1); }

  // Accepts what holds now and whose predecessors have been accepted.
  void accept(const State& state, Accepted& accepted) const;
  // Landmarks to be made true: never accepted, or false now and needed again.
  int missing(const State& state, const Accepted& accepted) const;

 private:
  using Set = std::vector<std::uint64_t>;
  std::vector<Set> sets_of(const State& initial, std::vector<char>& reached,
                           const Watch& watch) const;
  void choose(const std::vector<Set>& sets);
  void order(const std::vector<Set>& sets, const Watch& watch);

  const RelaxedTask& relaxed_;
  struct Landmark {
    int proposition = 0;
    bool goal = false;
    std::vector<int> before;   // landmarks that come earlier
    std::vector<int> enables;  // landmarks that need this one right before
  };
  std::vector<Landmark> landmarks_;
};

}  // namespace proven::task
