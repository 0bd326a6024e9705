// Objects that can take each other's part.
//
// Two objects are equal if exchanging them in the names of facts, numbers and actions gives the
// task again: the same actions with the same conditions, effects and durations, the same goal,
// timed events and metric. Then a state and the one with both exchanged have the same future, up to
// the exchange, and search needs one of them. Where the objects are at first does not matter.
#pragma once

#include <vector>

#include "task/state.h"
#include "task/watch.h"

namespace proven::task {

class Symmetry {
 public:
  // None: every object is a class of its own.
  Symmetry() = default;
  // Equality is tested on the ground task, exchange by exchange; what would take too long to test
  // counts as different. Tasks that ask modules have no equal objects: a module may tell any apart.
  Symmetry(const GroundTask& task, Watch& watch);

  bool empty() const { return classes_.empty(); }
  // Objects by class; all of a class are equal to each other.
  const std::vector<std::vector<int>>& classes() const { return classes_; }

  // The state after exchanges within classes that put objects into an order that depends on what
  // holds of them. States that differ by exchanges mostly become the same one.
  State arranged(const State& state) const;

 private:
  // Facts, numbers or actions with the same name but for objects of classes.
  struct Pattern {
    std::vector<int> classes;  // of the places, in the order of the name
    std::vector<int> table;    // by the places' members, the first one slowest; -1: none
  };
  struct Place {
    int pattern = -1;          // -1: without objects of classes
    std::vector<int> members;  // within their classes
  };
  struct Names {
    std::vector<Pattern> patterns;
    std::vector<Place> places;  // by fact, number or action
  };

  void find_classes(const GroundTask& task, Watch& watch);
  double slots_of(const std::vector<std::vector<int>>& names) const;
  Names names_of(const std::vector<std::vector<int>>& names) const;
  std::vector<std::vector<std::uint64_t>> colours_of(const State& state) const;
  static std::size_t slot(const Pattern& pattern, const std::vector<std::vector<int>>& classes,
                          const std::vector<int>& members);
  int moved(const Names& names, int index, const std::vector<std::vector<int>>& order) const;

  std::vector<std::vector<int>> classes_;
  std::vector<int> class_of_, member_of_;  // by object; -1
  Names facts_, numbers_, actions_;
  std::vector<int> observed_;
};

}  // namespace proven::task
