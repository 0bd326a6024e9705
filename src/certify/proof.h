// The proof that a directional search leaves behind: the tree of its splits
// (docs/certificate_format.md, section 4).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "proven/base/vec3.h"

namespace proven {

// A direction of small integers, not normalised.
using IntDirection = std::array<std::int64_t, 3>;

// n with its greatest component scaled to 2^bits - 1 and all rounded; at most 53 bits. Zero, which
// proves nothing, of what is no direction.
IntDirection rounded_direction(const Vec3& n, int bits);
Vec3 unit_of(const IntDirection& n);

class ProofTree {
 public:
  enum class Split : std::uint8_t { time = 0, a = 1, b = 2 };
  enum class At : std::uint8_t { begin = 0, middle = 1, end = 2 };

  // A node that is still to be proved.
  int add();
  // Splits an open node; returns the first of its two children. Of a split whose second child does
  // not count, only one is added.
  int split(int node, Split kind, int children = 2);
  void leaf(int node, At anchor, const IntDirection& n);

  // Appends the proofs of these roots in pre-order. All of them must be complete.
  void write(std::span<const int> roots, std::vector<std::uint8_t>& out) const;

  std::size_t size() const { return nodes_.size(); }
  void clear() { nodes_.clear(); }

 private:
  struct Node {
    std::uint8_t code = kOpen;
    std::uint8_t children = 0;
    int first_child = -1;
    IntDirection direction = {0, 0, 0};
  };
  static constexpr std::uint8_t kOpen = 0xff;
  std::vector<Node> nodes_;
};

// Writes down a search while it runs, or nothing: then every node is -1.
class ProofRecorder {
 public:
  using Split = ProofTree::Split;
  using At = ProofTree::At;

  void begin(bool on) {
    on_ = on;
    tree_.clear();
    roots_.clear();
  }
  bool on() const { return on_; }

  // A node of the proof for one more match, in the order of the format.
  int add_root() {
    if (!on_) return -1;
    roots_.push_back(tree_.add());
    return roots_.back();
  }
  // The first child; see `child` for the others.
  int split(int node, Split kind, int children = 2) {
    return on_ ? tree_.split(node, kind, children) : -1;
  }
  static int child(int first, int index) { return first < 0 ? -1 : first + index; }

  // A leaf with the shortest direction for which holds(unit direction) is true. 52 bits always do:
  // they turn the direction by less than rounding, for which the margins have room.
  template <class Holds>
  void leaf(int node, At at, const Vec3& n, Holds&& holds) {
    if (!on_) return;
    for (const int bits : {7, 15, 31}) {
      const IntDirection direction = rounded_direction(n, bits);
      if (holds(unit_of(direction))) return tree_.leaf(node, at, direction);
    }
    tree_.leaf(node, at, rounded_direction(n, 52));
  }

  // Appends the whole proof, which must be complete.
  void write(std::vector<std::uint8_t>& out) const { tree_.write(roots_, out); }

 private:
  bool on_ = false;
  ProofTree tree_;
  std::vector<int> roots_;  // per match to prove
};

}  // namespace proven
