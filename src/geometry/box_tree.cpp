#include "proven/geometry/box_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace proven {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Aabb kEmpty{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};

void extend(Aabb& box, const Vec3& lo, const Vec3& hi) {
  for (int i = 0; i < 3; ++i) {
    box.lo[i] = std::min(box.lo[i], lo[i]);
    box.hi[i] = std::max(box.hi[i], hi[i]);
  }
}

double area(const Aabb& box) {
  const Vec3 e = box.hi - box.lo;
  return (e.x * e.y + e.y * e.z) + e.z * e.x;
}

Aabb around(const Vec3& centre, const Vec3& extent) {
  return {centre - extent, centre + extent};
}

Vec3 box_extent(const Mat3& R, const Vec3& half) {
  Vec3 e;
  for (int i = 0; i < 3; ++i)
    e[i] =
        (std::fabs(R(i, 0)) * half.x + std::fabs(R(i, 1)) * half.y) + std::fabs(R(i, 2)) * half.z;
  return e;
}

// The node's centre and half extents, the latter rounded up until they reach both sides.
void set_bounds(BoxNode& node, const Aabb& box) {
  for (int i = 0; i < 3; ++i) {
    const double centre = 0.5 * (box.lo[i] + box.hi[i]);
    double half = std::max(box.hi[i] - centre, centre - box.lo[i]);
    while (centre - half > box.lo[i] || centre + half < box.hi[i])
      half = std::nextafter(half, kInfinity);
    node.centre[i] = centre;
    // Differences that are not exact err by less than one unit of the last place.
    node.half[i] = std::nextafter(half, kInfinity);
    if (box.lo[i] == box.hi[i]) node.half[i] = 0;
  }
}

class Builder {
 public:
  Builder(std::span<const Aabb> shape, std::span<const Aabb> hold) : shape_(shape), hold_(hold) {
    tree_.bounds = kEmpty;
    for (const Aabb& box : shape) {
      keys_.push_back(box.lo + box.hi);
      extend(tree_.bounds, box.lo, box.hi);
    }
    tree_.order.resize(shape.size());
    std::iota(tree_.order.begin(), tree_.order.end(), 0);
    suffix_area_.resize(shape.size());
    tree_.nodes.reserve(2 * shape.size());
  }

  BoxTree run() {
    tree_.nodes.emplace_back();
    tree_.nodes[0].end_item = static_cast<int>(shape_.size());
    // Children have larger indices than their parent.
    for (std::size_t node = 0; node < tree_.nodes.size(); ++node) divide(node);
    return std::move(tree_);
  }

 private:
  void divide(std::size_t node) {
    const int first = tree_.nodes[node].first_item, end = tree_.nodes[node].end_item;
    const auto items =
        std::span(tree_.order)
            .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
    Aabb held = kEmpty;
    for (const int item : items) extend(held, hold_of(item).lo, hold_of(item).hi);
    set_bounds(tree_.nodes[node], held);
    if (items.size() == 1) {
      tree_.nodes[node].item = items[0];
      return;
    }
    sort_along(longest_axis(items), items);
    const int middle = first + best_split(items);
    const int child = static_cast<int>(tree_.nodes.size());
    tree_.nodes[node].first_child = child;
    tree_.nodes.emplace_back();
    tree_.nodes.emplace_back();
    tree_.nodes[static_cast<std::size_t>(child)].first_item = first;
    tree_.nodes[static_cast<std::size_t>(child)].end_item = middle;
    tree_.nodes[static_cast<std::size_t>(child) + 1].first_item = middle;
    tree_.nodes[static_cast<std::size_t>(child) + 1].end_item = end;
  }

  int longest_axis(std::span<const int> items) const {
    Aabb range = kEmpty;
    for (const int item : items) extend(range, key(item), key(item));
    const Vec3 size = range.hi - range.lo;
    int axis = 0;
    for (int i = 1; i < 3; ++i)
      if (size[i] > size[axis]) axis = i;
    return axis;
  }

  void sort_along(int axis, std::span<int> items) const {
    std::sort(items.begin(), items.end(), [&](int a, int b) {
      const double ka = key(a)[axis], kb = key(b)[axis];
      return ka != kb ? ka < kb : a < b;
    });
  }

  // The number of items of the first child.
  int best_split(std::span<const int> items) {
    const auto n = items.size();
    Aabb box = kEmpty;
    for (std::size_t i = n; i-- > 0;) {
      extend(box, shape_of(items[i]).lo, shape_of(items[i]).hi);
      suffix_area_[i] = area(box);
    }
    box = kEmpty;
    const std::size_t least = std::max<std::size_t>(1, n / 8);
    std::size_t best = least;
    double best_cost = kInfinity;
    for (std::size_t m = 1; m <= n - least; ++m) {
      extend(box, shape_of(items[m - 1]).lo, shape_of(items[m - 1]).hi);
      if (m < least) continue;
      const double cost =
          area(box) * static_cast<double>(m) + suffix_area_[m] * static_cast<double>(n - m);
      if (cost < best_cost) best_cost = cost, best = m;
    }
    return static_cast<int>(best);
  }

  const Vec3& key(int item) const { return keys_[static_cast<std::size_t>(item)]; }
  const Aabb& shape_of(int item) const { return shape_[static_cast<std::size_t>(item)]; }
  const Aabb& hold_of(int item) const { return hold_[static_cast<std::size_t>(item)]; }

  std::span<const Aabb> shape_, hold_;
  std::vector<Vec3> keys_;
  std::vector<double> suffix_area_;
  BoxTree tree_;
};

}  // namespace

BoxTree build_box_tree(std::span<const Aabb> shape, std::span<const Aabb> hold) {
  return Builder(shape, hold).run();
}

namespace {

bool before(const Vec3& p, const Vec3& q) {
  return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z < q.z;
}

}  // namespace

void add_points(BoxTree& tree, std::span<const Triangle> triangles) {
  std::vector<Vec3> points;
  for (BoxNode& node : tree.nodes) {
    if (node.num_items() > kSmallNode) continue;
    points.clear();
    for (int i = node.first_item; i < node.end_item; ++i) {
      const auto item = static_cast<std::size_t>(tree.order[static_cast<std::size_t>(i)]);
      if (item >= triangles.size()) break;
      points.insert(points.end(), {triangles[item].a, triangles[item].b, triangles[item].c});
    }
    if (points.size() != 3 * static_cast<std::size_t>(node.num_items())) continue;
    std::sort(points.begin(), points.end(), before);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    node.first_point = static_cast<int>(tree.points.size());
    node.num_points = static_cast<int>(points.size());
    tree.points.insert(tree.points.end(), points.begin(), points.end());
  }
}

Aabb box_of(const Triangle& t) {
  Aabb box = kEmpty;
  for (const Vec3& p : {t.a, t.b, t.c}) extend(box, p, p);
  return box;
}

Aabb box_of(const Convex& piece) {
  const Mat3& R = piece.X_BS.R;
  const double half_length = piece.half_extents.z;
  Vec3 extent;
  switch (piece.kind) {
    case ConvexKind::hull: {
      Aabb box = kEmpty;
      for (const Vec3& p : piece.points) extend(box, p, p);
      return box;
    }
    case ConvexKind::box:
      extent = box_extent(R, piece.half_extents);
      break;
    case ConvexKind::sphere:
      extent = {piece.radius, piece.radius, piece.radius};
      break;
    case ConvexKind::capsule:
      for (int i = 0; i < 3; ++i) extent[i] = std::fabs(R(i, 2)) * half_length + piece.radius;
      break;
    case ConvexKind::cylinder:
      for (int i = 0; i < 3; ++i)
        extent[i] = piece.half_extents.x * std::sqrt(R(i, 0) * R(i, 0) + R(i, 1) * R(i, 1)) +
                    std::fabs(R(i, 2)) * half_length;
      break;
  }
  return around(piece.X_BS.p, extent);
}

Aabb box_of(const Aabb& box, const Pose& X_AB) {
  return around(X_AB * (0.5 * (box.lo + box.hi)), box_extent(X_AB.R, 0.5 * (box.hi - box.lo)));
}

Aabb widened(const Aabb& box, double slack) {
  const Vec3 s{slack, slack, slack};
  return {box.lo - s, box.hi + s};
}

}  // namespace proven
