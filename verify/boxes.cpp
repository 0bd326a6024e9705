#include "verify/boxes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace proven::verifier {

Box3 united(const Box3& a, const Box3& b) {
  return {{std::min(a.lo.x, b.lo.x), std::min(a.lo.y, b.lo.y), std::min(a.lo.z, b.lo.z)},
          {std::max(a.hi.x, b.hi.x), std::max(a.hi.y, b.hi.y), std::max(a.hi.z, b.hi.z)}};
}

double farthest(const Box3& box) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += std::fmax(std::fabs(box.lo[i]), std::fabs(box.hi[i]));
  return sum * (1 + 0x1p-50);
}

Box3 key_of_box(const Vec3& half_extents, const Pose& X) {
  Vec3 e;
  for (int i = 0; i < 3; ++i)
    e[i] = std::fabs(X.R(i, 0)) * half_extents.x + std::fabs(X.R(i, 1)) * half_extents.y +
           std::fabs(X.R(i, 2)) * half_extents.z;
  return {X.p - e, X.p + e};
}

Box3 moved_key(const Box3& box, const Pose& X) {
  return key_of_box(0.5 * (box.hi - box.lo), {X.R, X * (0.5 * (box.lo + box.hi))});
}

namespace {

double area(const Box3& box) {
  const Vec3 e = box.hi - box.lo;
  return e.x * e.y + e.y * e.z + e.z * e.x;
}

class TreeBuilder {
 public:
  TreeBuilder(std::span<const Box3> keys, std::span<const Box3> bounds)
      : keys_(keys), bounds_(bounds), order_(keys.size()), rest_area_(keys.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    nodes_.reserve(2 * keys.size() - 1);
  }

  BoxTree build() {
    // Splits leave at least an eighth on each side: the depth is at most log(n) / log(8/7) + 8.
    add_node(nodes_, order_, bounds_, 0, order_.size(),
             [&](std::size_t begin, std::size_t end) { return begin + split_size(begin, end); });
    return std::move(nodes_);
  }

 private:
  const Box3& key(std::size_t place) const {
    return keys_[static_cast<std::size_t>(order_[place])];
  }

  int widest_axis(std::size_t begin, std::size_t end) const {
    Vec3 least = key(begin).lo + key(begin).hi, greatest = least;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const Vec3 k = key(i).lo + key(i).hi;
      least = united({least, least}, {k, k}).lo;
      greatest = united({greatest, greatest}, {k, k}).hi;
    }
    const Vec3 range = greatest - least;
    int axis = 0;
    for (const int i : {1, 2})
      if (range[i] > range[axis]) axis = i;
    return axis;
  }

  // Orders the items and returns how many of them form child 0.
  std::size_t split_size(std::size_t begin, std::size_t end) {
    const int axis = widest_axis(begin, end);
    places_.clear();
    for (std::size_t i = begin; i < end; ++i)
      places_.emplace_back(key(i).lo[axis] + key(i).hi[axis], order_[i]);
    std::sort(places_.begin(), places_.end());
    for (std::size_t i = begin; i < end; ++i) order_[i] = places_[i - begin].second;
    const std::size_t n = end - begin, margin = std::max<std::size_t>(1, n / 8);
    Box3 rest = key(end - 1);
    for (std::size_t i = end - 1; i > begin; --i) {
      rest = united(rest, key(i));
      rest_area_[i] = area(rest);
    }
    Box3 first = key(begin);
    std::size_t best = margin;
    double least = INFINITY;
    for (std::size_t m = 1; m <= n - margin; ++m) {
      first = united(first, key(begin + m - 1));
      if (m < margin) continue;
      const double cost =
          area(first) * static_cast<double>(m) + rest_area_[begin + m] * static_cast<double>(n - m);
      if (cost < least) least = cost, best = m;
    }
    return best;
  }

  std::span<const Box3> keys_, bounds_;
  std::vector<int> order_;
  std::vector<double> rest_area_;
  std::vector<std::pair<double, int>> places_;  // of the items of one node, along its axis
  BoxTree nodes_;
};

}  // namespace

BoxTree build_tree(std::span<const Box3> keys, std::span<const Box3> bounds) {
  return TreeBuilder(keys, bounds).build();
}

}  // namespace proven::verifier
