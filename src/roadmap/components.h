// Connected components by union-find.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

namespace proven::roadmap {

class Components {
 public:
  explicit Components(int count) : parent_(static_cast<std::size_t>(count)) { reset(); }

  void reset() { std::iota(parent_.begin(), parent_.end(), 0u); }
  // Halves the way up as it goes.
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  // The smaller root stays: components are named by their smallest member.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = find(a), b = find(b);
    if (a == b) return false;
    parent_[std::max(a, b)] = std::min(a, b);
    return true;
  }
  bool same(std::uint32_t a, std::uint32_t b) { return find(a) == find(b); }

  // Members of each component, by smallest member; `keep` says who counts.
  template <class Keep>
  std::vector<std::vector<std::uint32_t>> members(Keep&& keep) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_root;
    for (std::uint32_t n = 0; n < parent_.size(); ++n)
      if (keep(n)) by_root[find(n)].push_back(n);
    std::vector<std::vector<std::uint32_t>> all;
    for (auto& [root, list] : by_root) all.push_back(std::move(list));
    return all;
  }
  // The same without the largest (of equal ones the first).
  std::vector<std::vector<std::uint32_t>> all_but_largest() {
    auto all = members([](std::uint32_t) { return true; });
    const auto largest = std::max_element(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (largest != all.end()) all.erase(largest);
    return all;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace proven::roadmap
