#include "proof.h"

#include <algorithm>
#include <cmath>

namespace proven {
namespace {

constexpr std::uint8_t kLeaf = 0x10;

// The narrowest width that holds all components: 2^(width - 1) bytes each.
int width_of(const IntDirection& n) {
  std::int64_t largest = 0;
  for (const std::int64_t component : n) largest = std::max(largest, std::abs(component));
  return largest <= 0x7f ? 1 : largest <= 0x7fff ? 2 : largest <= 0x7fffffff ? 3 : 4;
}

void put(std::vector<std::uint8_t>& out, std::int64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
}

}  // namespace

IntDirection rounded_direction(const Vec3& n, int bits) {
  IntDirection result = {0, 0, 0};
  const double scale = static_cast<double>((std::int64_t{1} << bits) - 1) / max_abs(n);
  if (!is_finite(n) || !std::isfinite(scale)) return result;
  // Below 2^51 this rounds to the nearest integer, as nearbyint does, without a call.
  constexpr double kInteger = 0x1.8p52;
  for (int i = 0; i < 3; ++i) {
    const double x = n[i] * scale;
    result[static_cast<std::size_t>(i)] =
        static_cast<std::int64_t>(bits < 50 ? (x + kInteger) - kInteger : std::nearbyint(x));
  }
  return result;
}

Vec3 unit_of(const IntDirection& n) {
  const Vec3 v{static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])};
  // Squares of 53 bits are far from the ends of the range: no need to scale.
  return n == IntDirection{0, 0, 0} ? v : v * (1.0 / norm(v));
}

int ProofTree::add() {
  nodes_.emplace_back();
  return static_cast<int>(nodes_.size()) - 1;
}

int ProofTree::split(int node, Split kind, int children) {
  const int first = static_cast<int>(nodes_.size());
  nodes_.resize(nodes_.size() + static_cast<std::size_t>(children));
  Node& parent = nodes_[static_cast<std::size_t>(node)];
  parent.code = static_cast<std::uint8_t>(kind);
  parent.children = static_cast<std::uint8_t>(children);
  parent.first_child = first;
  return first;
}

void ProofTree::leaf(int node, At anchor, const IntDirection& n) {
  Node& leaf = nodes_[static_cast<std::size_t>(node)];
  leaf.code = static_cast<std::uint8_t>(kLeaf + 8 * static_cast<int>(anchor));
  leaf.direction = n;
}

void ProofTree::write(std::span<const int> roots, std::vector<std::uint8_t>& out) const {
  IntDirection last = {0, 0, 0};
  std::vector<int> open(roots.rbegin(), roots.rend());
  while (!open.empty()) {
    const Node& node = nodes_[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (node.code < kLeaf) {
      out.push_back(node.code);
      for (int i = node.children; i-- > 0;) open.push_back(node.first_child + i);
      continue;
    }
    const int width = node.direction == last ? 0 : width_of(node.direction);
    out.push_back(static_cast<std::uint8_t>(node.code + width));
    if (width == 0) continue;
    for (const std::int64_t component : node.direction) put(out, component, 1 << (width - 1));
    last = node.direction;
  }
}

}  // namespace proven
