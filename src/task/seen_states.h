// Keys of states that search has met, with the time at which each was met first. Keys are compared
// as a whole: states are never confused.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace proven::task {

class SeenStates {
 public:
  void clear();
  // The time kept for the key; `time`, and `fresh` set, where it is new.
  double& insert(std::span<const std::uint64_t> key, double time, bool& fresh);
  std::size_t bytes() const;

 private:
  struct Entry {
    std::size_t first = 0;  // of its words
    std::uint32_t hash = 0;
    double time = 0;
  };

  bool same(std::size_t entry, std::span<const std::uint64_t> key) const;
  void grow();

  std::vector<std::uint64_t> words_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // entry + 1; 0: empty
};

}  // namespace proven::task
