// Files with one element, attribute or value altered: misspelt, dropped, doubled, moved, invented.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/doors/tree.h"

namespace proven::bench {

struct Change {
  enum class Kind : std::uint8_t { rename, recase, drop, duplicate, insert, move, value, comment };

  Kind kind = Kind::rename;
  std::vector<std::size_t> path;  // of the element; of an inserted one: that before which it stands
  std::string attribute;          // empty: the element itself
  int variant = 0;                // which name, which value, where to
};

struct Altered {
  Tree tree;
  std::string what;                     // "drop <x> of lanelet[2]/leftBound"
  std::vector<std::size_t> path_after;  // of what was altered, where it is then
};

// All changes of a tree, and what one of them makes of it; nothing where it would change nothing.
// Numbers and slips of the finger follow from the seed.
std::vector<Change> changes_of(const Tree& tree);
std::optional<Altered> altered(const Tree& tree, const Change& change, std::uint64_t seed);

std::string word_of(Change::Kind kind);

}  // namespace proven::bench
