#include "proven/geometry/box_tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "proven/geometry/box_tree_change.h"

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

// The next double above a finite one that is not negative.
double next_up(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) + 1);
}

// The node's centre and half extents, the latter rounded up until they reach both sides.
void set_bounds(BoxNode& node, const Aabb& box) {
  for (int i = 0; i < 3; ++i) {
    const double centre = 0.5 * (box.lo[i] + box.hi[i]);
    double half = std::max(box.hi[i] - centre, centre - box.lo[i]);
    while (centre - half > box.lo[i] || centre + half < box.hi[i]) half = next_up(half);
    node.centre[i] = centre;
    // Differences that are not exact err by less than one unit of the last place.
    node.half[i] = box.lo[i] == box.hi[i] ? 0 : next_up(half);
  }
}

// No child is smaller, so that the depth stays logarithmic.
template <class Integer>
Integer least_part(Integer num_items) {
  return std::max<Integer>(1, num_items / 8);
}

// A tree of other boxes, whose parts may stand in the one that is asked for.
class KnownTree {
 public:
  KnownTree() = default;
  KnownTree(const BoxTree& tree, std::span<const int> known)
      : tree_(&tree), known_(known), now_(tree.order.size(), -1), place_(tree.order.size()) {
    for (std::size_t i = 0; i < known.size(); ++i)
      if (known[i] >= 0) now_[static_cast<std::size_t>(known[i])] = static_cast<int>(i);
    for (std::size_t i = 0; i < place_.size(); ++i)
      place_[static_cast<std::size_t>(tree.order[i])] = static_cast<int>(i);
  }

  static constexpr int kNone = -1;
  int root() const { return tree_ ? 0 : kNone; }
  const BoxNode& node(int index) const { return tree_->nodes[static_cast<std::size_t>(index)]; }
  int first_child(int index) const { return index == kNone ? kNone : node(index).first_child; }
  int item_of_leaf(int index) const { return now_[static_cast<std::size_t>(node(index).item)]; }
  // Whether the item is below the node.
  bool holds(int index, int item) const {
    const int known = known_[static_cast<std::size_t>(item)];
    if (known < 0) return false;
    const int place = place_[static_cast<std::size_t>(known)];
    return place >= node(index).first_item && place < node(index).end_item;
  }

 private:
  const BoxTree* tree_ = nullptr;
  std::span<const int> known_;
  std::vector<int> now_, place_;  // per item of the tree: what it is now, where it stands
};

// Chooses the shape. The items are sorted once along every axis; the lists of a node are parts of
// its parent's, in the same order. How a node is divided depends on its items alone: below a node
// that has the items of one of a known tree, all is as it is there.
class Divider {
 public:
  explicit Divider(std::span<const Aabb> boxes, KnownTree known = {})
      : boxes_(boxes),
        known_(std::move(known)),
        suffix_area_(boxes.size()),
        first_child_(boxes.size()) {
    for (int axis = 0; axis < 3; ++axis) sort_along(axis);
    rest_.reserve(boxes.size());
  }

  BoxTreeShape run() {
    BoxTreeShape shape;
    shape.order.resize(boxes_.size());
    shape.splits.reserve(boxes_.size());
    std::vector<Part> parts = {{0, boxes_.size(), known_.root(), false}};
    parts.reserve(2 * boxes_.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Part part = parts[i];
      part.same = part.same || is_known(part);
      const std::size_t first = part.first, end = part.end;
      if (end - first == 1) {
        shape.order[first] = part.same ? known_.item_of_leaf(part.known) : sorted_[0][first].item;
        continue;
      }
      const int child = known_.first_child(part.known);
      const std::size_t count =
          part.same ? static_cast<std::size_t>(known_.node(child).num_items()) : divide(first, end);
      shape.splits.push_back(static_cast<int>(count));
      parts.push_back({first, first + count, child, part.same});
      parts.push_back(
          {first + count, end, child == KnownTree::kNone ? child : child + 1, part.same});
    }
    return shape;
  }

 private:
  struct Entry {
    double key;
    int item;
  };
  struct Part {
    std::size_t first, end;
    int known;  // the node of the known tree that may have the same items
    bool same;  // it has them
  };

  bool is_known(const Part& part) const {
    if (part.known == KnownTree::kNone) return false;
    const std::size_t count = part.end - part.first;
    if (static_cast<std::size_t>(known_.node(part.known).num_items()) != count) return false;
    return std::ranges::all_of(
        std::span(sorted_[0]).subspan(part.first, count),
        [&](const Entry& entry) { return known_.holds(part.known, entry.item); });
  }

  void sort_along(int axis) {
    std::vector<Entry>& entries = sorted_[static_cast<std::size_t>(axis)];
    entries.reserve(boxes_.size());
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      entries.push_back({boxes_[i].lo[axis] + boxes_[i].hi[axis], static_cast<int>(i)});
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.item < b.item;
    });
  }

  // Brings the items of the first child to the front of all lists; returns their number.
  std::size_t divide(std::size_t first, std::size_t end) {
    std::size_t axis = 0;
    const auto range = [&](std::size_t i) {
      return sorted_[i][end - 1].key - sorted_[i][first].key;
    };
    for (std::size_t i = 1; i < 3; ++i)
      if (range(i) > range(axis)) axis = i;
    const auto items = std::span(sorted_[axis]).subspan(first, end - first);
    const std::size_t count = best_split(items);
    for (std::size_t i = 0; i < items.size(); ++i)
      first_child_[static_cast<std::size_t>(items[i].item)] = i < count;
    for (std::size_t i = 0; i < 3; ++i)
      if (i != axis) partition(std::span(sorted_[i]).subspan(first, end - first));
    return count;
  }

  void partition(std::span<Entry> items) {
    rest_.clear();
    std::size_t next = 0;
    for (const Entry& entry : items)
      if (first_child_[static_cast<std::size_t>(entry.item)])
        items[next++] = entry;
      else
        rest_.push_back(entry);
    std::copy(rest_.begin(), rest_.end(), items.begin() + static_cast<std::ptrdiff_t>(next));
  }

  // The number of items of the first child.
  std::size_t best_split(std::span<const Entry> items) {
    const auto n = items.size();
    Aabb box = kEmpty;
    for (std::size_t i = n; i-- > 0;) {
      extend(box, box_of(items[i]));
      suffix_area_[i] = area(box);
    }
    box = kEmpty;
    const std::size_t least = least_part(n);
    std::size_t best = least;
    double best_cost = kInfinity;
    for (std::size_t m = 1; m <= n - least; ++m) {
      extend(box, box_of(items[m - 1]));
      if (m < least) continue;
      const double cost =
          area(box) * static_cast<double>(m) + suffix_area_[m] * static_cast<double>(n - m);
      if (cost < best_cost) best_cost = cost, best = m;
    }
    return best;
  }

  const Aabb& box_of(const Entry& entry) const {
    return boxes_[static_cast<std::size_t>(entry.item)];
  }

  std::span<const Aabb> boxes_;
  KnownTree known_;
  std::array<std::vector<Entry>, 3> sorted_;
  std::vector<double> suffix_area_;
  std::vector<std::uint8_t> first_child_;  // per item
  std::vector<Entry> rest_;
};

// Nodes without bounds. Children have larger indices than their parent.
LargeArray<BoxNode> make_nodes(const BoxTreeShape& shape) {
  LargeArray<BoxNode> nodes;
  nodes.reserve(2 * shape.order.size());
  nodes.emplace_back().end_item = static_cast<int>(shape.order.size());
  auto split = shape.splits.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int first = nodes[i].first_item, end = nodes[i].end_item;
    if (end - first == 1) {
      nodes[i].item = shape.order[static_cast<std::size_t>(first)];
      continue;
    }
    nodes[i].first_child = static_cast<int>(nodes.size());
    BoxNode child;
    child.first_item = first, child.end_item = first + *split++;
    nodes.push_back(child);
    child.first_item = child.end_item, child.end_item = end;
    nodes.push_back(child);
  }
  return nodes;
}

// From the leaves up, each node around its children.
void bound_nodes(LargeArray<BoxNode>& nodes, std::span<const Aabb> hold) {
  std::vector<Aabb> held(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].is_leaf()) {
      held[i] = hold[static_cast<std::size_t>(nodes[i].item)];
    } else {
      const auto child = static_cast<std::size_t>(nodes[i].first_child);
      held[i] = held[child];
      extend(held[i], held[child + 1]);
    }
    set_bounds(nodes[i], held[i]);
  }
}

}  // namespace

void extend(Aabb& box, const Aabb& other) {
  extend(box, other.lo, other.hi);
}

BoxTreeShape choose_shape(std::span<const Aabb> boxes) {
  return Divider(boxes).run();
}

BoxTreeShape choose_shape(std::span<const Aabb> boxes, const BoxTree& before,
                          std::span<const int> known) {
  return Divider(boxes, KnownTree(before, known)).run();
}

BoxTree build_box_tree(BoxTreeShape shape, std::span<const Aabb> boxes,
                       std::span<const Aabb> hold) {
  BoxTree tree;
  tree.nodes = make_nodes(shape);
  tree.order = std::move(shape.order);
  bound_nodes(tree.nodes, hold);
  tree.bounds = kEmpty;
  for (const Aabb& box : boxes) extend(tree.bounds, box);
  return tree;
}

BoxTree build_box_tree(std::span<const Aabb> boxes, std::span<const Aabb> hold) {
  return build_box_tree(choose_shape(boxes), boxes, hold);
}

bool is_valid(const BoxTreeShape& shape, std::size_t num_items) {
  if (num_items == 0 || shape.order.size() != num_items || shape.splits.size() != num_items - 1)
    return false;
  std::vector<bool> seen(num_items, false);
  for (const int item : shape.order) {
    if (item < 0 || static_cast<std::size_t>(item) >= num_items) return false;
    if (seen[static_cast<std::size_t>(item)]) return false;
    seen[static_cast<std::size_t>(item)] = true;
  }
  std::vector<int> inner;  // sizes of inner nodes, in the order of nodes
  inner.reserve(num_items);
  if (num_items > 1) inner.push_back(static_cast<int>(num_items));
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const int size = inner[i], first = shape.splits[i], least = least_part(size);
    if (first < least || first > size - least) return false;
    for (const int part : {first, size - first})
      if (part > 1) inner.push_back(part);
  }
  return true;
}

BoxTreeShape shape_of(const BoxTree& tree) {
  BoxTreeShape shape;
  shape.order = tree.order;
  for (const BoxNode& node : tree.nodes)
    if (!node.is_leaf())
      shape.splits.push_back(tree.nodes[static_cast<std::size_t>(node.first_child)].num_items());
  return shape;
}

namespace {

bool before(const Vec3& p, const Vec3& q) {
  return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z < q.z;
}

// Appends the union of two sorted lists, which stand in the same vector with room for the result.
void append_union(LargeArray<Vec3>& points, const BoxNode& left, const BoxNode& right) {
  const Vec3* p = points.data() + left.first_point;
  const Vec3* q = points.data() + right.first_point;
  const Vec3 *const p_end = p + left.num_points, *const q_end = q + right.num_points;
  while (p != p_end && q != q_end) {
    const bool equal = *p == *q, take_p = equal || before(*p, *q);
    points.push_back(take_p ? *p : *q);
    p += take_p;
    q += equal || !take_p;
  }
  points.insert(points.end(), p, p_end);
  points.insert(points.end(), q, q_end);
}

void append_triangle(LargeArray<Vec3>& points, const Triangle& triangle) {
  std::array<Vec3, 3> corners = {triangle.a, triangle.b, triangle.c};
  std::sort(corners.begin(), corners.end(), before);
  points.insert(points.end(), corners.begin(), std::unique(corners.begin(), corners.end()));
}

}  // namespace

// From the leaves up: a node's points are those of its children.
void add_points(BoxTree& tree, std::span<const Triangle> triangles) {
  std::size_t most = 0;
  for (const BoxNode& node : tree.nodes)
    if (node.num_items() <= kSmallNode) most += 3 * static_cast<std::size_t>(node.num_items());
  tree.points.reserve(most);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    BoxNode& node = tree.nodes[i];
    if (node.num_items() > kSmallNode) continue;
    const std::size_t first = tree.points.size();
    if (!node.is_leaf()) {
      const auto child = static_cast<std::size_t>(node.first_child);
      const BoxNode &left = tree.nodes[child], &right = tree.nodes[child + 1];
      if (left.num_points == 0 || right.num_points == 0) continue;  // other pieces than triangles
      append_union(tree.points, left, right);
    } else if (static_cast<std::size_t>(node.item) < triangles.size()) {
      append_triangle(tree.points, triangles[static_cast<std::size_t>(node.item)]);
    } else {
      continue;
    }
    node.first_point = static_cast<int>(first);
    node.num_points = static_cast<int>(tree.points.size() - first);
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
