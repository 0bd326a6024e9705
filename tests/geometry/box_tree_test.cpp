// Trees of boxes: what they hold, and their shape against the text of docs/certificate_format.md,
// section 3.
#include "proven/geometry/box_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include "proven/base/random.h"
#include "proven/geometry/body_geometry.h"
#include "proven/geometry/box_tree_change.h"
#include "support.h"

namespace proven {
namespace {

using Quad = __float128;  // exact for sums of doubles of like size

// Triangles of many sizes and places: far from the origin, flat, along axes, repeated, on a grid.
std::vector<Triangle> random_triangles(Random& random, int count) {
  const double size = std::pow(10, random.uniform(-6, 3));
  const Vec3 place = std::pow(10, random.uniform(-3, 5)) * random.unit_vector();
  const int kind = random.index(5);
  std::vector<Triangle> triangles;
  for (int i = 0; i < count; ++i) {
    if (kind == 4 && i > 0 && random.index(2) == 0) {
      triangles.push_back(triangles[static_cast<std::size_t>(random.index(i))]);
      continue;
    }
    const Vec3 centre = place + 10 * size * Vec3{random.uniform(), random.uniform(), 0};
    const auto vertex = [&] {
      Vec3 p = centre + size * random.uniform() * random.unit_vector();
      if (kind == 1) p.z = place.z;
      if (kind == 2)
        for (int k = 0; k < 3; ++k) p[k] = std::round(p[k] / size) * size;
      if (kind == 3) p = std::ldexp(1.0, -1000) * p;
      return p;
    };
    triangles.push_back({vertex(), vertex(), vertex()});
  }
  return triangles;
}

std::shared_ptr<const BodyGeometry> body_of(const std::vector<Triangle>& triangles) {
  TriangleMesh mesh;
  for (const Triangle& t : triangles) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), {t.a, t.b, t.c});
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  auto body = BodyGeometry::build(
      {{std::make_shared<const TriangleMesh>(std::move(mesh)), Pose{}, "random"}});
  EXPECT_TRUE(body.ok());
  return body.value();
}

BoxTree tree_of(const std::vector<Triangle>& triangles) {
  std::vector<Aabb> boxes;
  for (const Triangle& t : triangles) boxes.push_back(box_of(t));
  BoxTree tree = build_box_tree(boxes, boxes);
  add_points(tree, triangles);
  return tree;
}

bool holds(const BoxNode& node, const Vec3& p) {
  for (int i = 0; i < 3; ++i) {
    const Quad offset = static_cast<Quad>(p[i]) - static_cast<Quad>(node.centre[i]);
    if (offset > node.half[i] || -offset > node.half[i]) return false;
  }
  return true;
}

TEST(BoxTree, EveryNodeHoldsEveryVertexBelow) {
  Random random(41);
  int tight = 0, nodes = 0;
  for (int n = test::cases(600); n > 0; --n) {
    const std::vector<Triangle> triangles = random_triangles(random, 1 + random.index(120));
    const BoxTree tree = tree_of(triangles);
    std::vector<int> seen(triangles.size(), 0);
    for (const int item : tree.order) ++seen[static_cast<std::size_t>(item)];
    ASSERT_TRUE(std::ranges::all_of(seen, [](int count) { return count == 1; }));
    for (const BoxNode& node : tree.nodes) {
      ++nodes;
      bool touched = false;
      std::set<std::array<double, 3>> vertices;
      for (int i = node.first_item; i < node.end_item; ++i) {
        const Triangle& t =
            triangles[static_cast<std::size_t>(tree.order[static_cast<std::size_t>(i)])];
        for (const Vec3& p : {t.a, t.b, t.c}) {
          ASSERT_TRUE(holds(node, p));
          BoxNode smaller = node;
          for (int k = 0; k < 3; ++k) smaller.half[k] *= 1 - 0x1p-40;
          touched |= !holds(smaller, p);
          vertices.insert({p.x, p.y, p.z});
        }
      }
      tight += touched || node.half == Vec3{};
      ASSERT_EQ(node.num_points > 0, node.num_items() <= kSmallNode);
      if (node.num_points == 0) continue;
      std::set<std::array<double, 3>> points;
      for (int i = 0; i < node.num_points; ++i) {
        const Vec3& p = tree.points[static_cast<std::size_t>(node.first_point + i)];
        points.insert({p.x, p.y, p.z});
      }
      ASSERT_EQ(points, vertices);
      ASSERT_EQ(points.size(), static_cast<std::size_t>(node.num_points));  // each once
    }
  }
  EXPECT_EQ(tight, nodes);  // no box is larger than it must be
}

// The rule, as the text has it: no cleverness.
struct Slow {
  std::vector<int> items;  // of a leaf: one
  std::vector<Slow> children;
};

double slow_area(const std::vector<Aabb>& boxes, const std::vector<int>& items) {
  Aabb all = boxes[static_cast<std::size_t>(items[0])];
  for (const int item : items) {
    const Aabb& box = boxes[static_cast<std::size_t>(item)];
    for (int i = 0; i < 3; ++i) {
      if (box.lo[i] < all.lo[i]) all.lo[i] = box.lo[i];
      if (box.hi[i] > all.hi[i]) all.hi[i] = box.hi[i];
    }
  }
  const double x = all.hi.x - all.lo.x, y = all.hi.y - all.lo.y, z = all.hi.z - all.lo.z;
  return (x * y + y * z) + z * x;
}

Slow slow_tree(const std::vector<Aabb>& boxes, std::vector<int> items) {
  if (items.size() == 1) return {items, {}};
  const auto key = [&](int item, int axis) {
    const Aabb& box = boxes[static_cast<std::size_t>(item)];
    return box.lo[axis] + box.hi[axis];
  };
  int axis = -1;
  double widest = -1;
  for (int i = 0; i < 3; ++i) {
    double least = key(items[0], i), most = least;
    for (const int item : items)
      least = std::min(least, key(item, i)), most = std::max(most, key(item, i));
    if (most - least > widest) widest = most - least, axis = i;
  }
  std::vector<std::pair<double, int>> keyed;
  for (const int item : items) keyed.emplace_back(key(item, axis), item);
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = keyed[i].second;
  const std::size_t n = items.size(), least = std::max<std::size_t>(1, n / 8);
  std::size_t best = 0;
  double best_cost = 0;
  for (std::size_t m = least; m <= n - least; ++m) {
    const auto middle = items.begin() + static_cast<std::ptrdiff_t>(m);
    const double cost = slow_area(boxes, {items.begin(), middle}) * static_cast<double>(m) +
                        slow_area(boxes, {middle, items.end()}) * static_cast<double>(n - m);
    if (best == 0 || cost < best_cost) best = m, best_cost = cost;
  }
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(best);
  return {items,
          {slow_tree(boxes, {items.begin(), middle}), slow_tree(boxes, {middle, items.end()})}};
}

void expect_same(const BoxTree& tree, int index, const Slow& slow, const std::vector<Aabb>& boxes) {
  const BoxNode& node = tree.nodes[static_cast<std::size_t>(index)];
  ASSERT_EQ(static_cast<std::size_t>(node.num_items()), slow.items.size());
  ASSERT_EQ(node.is_leaf(), slow.children.empty());
  if (node.is_leaf()) {
    ASSERT_EQ(node.item, slow.items[0]);
    const Aabb& box = boxes[static_cast<std::size_t>(node.item)];
    for (int i = 0; i < 3; ++i) ASSERT_EQ(node.centre[i], 0.5 * (box.lo[i] + box.hi[i]));
    return;
  }
  for (int child = 0; child < 2; ++child)
    expect_same(tree, node.first_child + child, slow.children[static_cast<std::size_t>(child)],
                boxes);
}

TEST(BoxTree, ShapeIsThatOfTheFormat) {
  Random random(42);
  for (int n = test::cases(1500); n > 0; --n) {
    std::vector<Aabb> boxes;
    for (const Triangle& t : random_triangles(random, 1 + random.index(90)))
      boxes.push_back(box_of(t));
    std::vector<int> items;
    for (std::size_t i = 0; i < boxes.size(); ++i) items.push_back(static_cast<int>(i));
    const BoxTree tree = build_box_tree(boxes, boxes);
    ASSERT_NO_FATAL_FAILURE(expect_same(tree, 0, slow_tree(boxes, items), boxes));
    for (int i = 0; i < 3; ++i) {
      double lo = boxes[0].lo[i], hi = boxes[0].hi[i];
      for (const Aabb& box : boxes) lo = std::min(lo, box.lo[i]), hi = std::max(hi, box.hi[i]);
      ASSERT_EQ(tree.bounds.lo[i], lo);
      ASSERT_EQ(tree.bounds.hi[i], hi);
    }
  }
}

TEST(BoxTree, SameInputGivesTheSameBits) {
  Random random(43);
  for (int n = test::cases(10); n > 0; --n) {
    const std::vector<Triangle> triangles = random_triangles(random, 200);
    const auto first = body_of(triangles), second = body_of(triangles);
    const BoxTree &a = first->box_tree(), &b = second->box_tree();
    const BoxTree alone = tree_of(triangles);
    ASSERT_EQ(a.order, alone.order);
    ASSERT_EQ(a.points, alone.points);
    ASSERT_EQ(a.order, b.order);
    ASSERT_EQ(a.points, b.points);
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
      ASSERT_EQ(a.nodes[i].centre, b.nodes[i].centre);
      ASSERT_EQ(a.nodes[i].half, b.nodes[i].half);
      ASSERT_EQ(a.nodes[i].first_child, b.nodes[i].first_child);
    }
  }
}

// Boxes move, come and go, many at once or none, some with equal centres: the shape that is found
// with another tree at hand is the one of the format.
TEST(BoxTree, ShapeAfterAChangeIsThatOfTheFormat) {
  Random random(46);
  int moved_splits = 0, kept_splits = 0;
  for (int n = test::cases(300); n > 0; --n) {
    const auto random_box = [&] {
      Vec3 p = random.index(3) == 0
                   ? Vec3{1, 1, 1}
                   : Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
      if (random.index(2) == 0) p = {std::round(3 * p.x), std::round(3 * p.y), std::round(3 * p.z)};
      const double half = random.index(3) == 0 ? 0.5 : random.uniform(0, 0.3);
      return Aabb{p - Vec3{half, half, half}, p + Vec3{half, half, half}};
    };
    std::vector<Aabb> boxes;
    for (int i = 1 + random.index(120); i > 0; --i) boxes.push_back(random_box());
    BoxTree tree = build_box_tree(boxes, boxes);
    for (int step = 0; step < 6; ++step) {
      const int one_in = 1 << random.index(8);
      std::vector<Aabb> next;
      std::vector<int> known;
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        const bool changes = random.index(one_in) == 0;
        if (changes && random.index(3) == 0) continue;
        next.push_back(changes ? random_box() : boxes[i]);
        known.push_back(changes ? -1 : static_cast<int>(i));
        if (!changes || random.index(3) > 0) continue;
        next.push_back(random_box());
        known.push_back(-1);
      }
      if (next.empty()) continue;
      const BoxTreeShape expected = choose_shape(next);
      ASSERT_EQ(choose_shape(next, tree, known), expected);
      ++(expected.splits == shape_of(tree).splits ? kept_splits : moved_splits);
      boxes = next;
      tree = build_box_tree(expected, boxes, boxes);
    }
  }
  EXPECT_GT(moved_splits, 0);
  EXPECT_GT(kept_splits, 0);
}

TEST(BoxTree, ShapeTellsTheTree) {
  Random random(45);
  int refused = 0, accepted = 0;
  for (int n = test::cases(500); n > 0; --n) {
    std::vector<Aabb> boxes;
    for (const Triangle& t : random_triangles(random, 1 + random.index(60)))
      boxes.push_back(box_of(t));
    const BoxTree tree = build_box_tree(boxes, boxes);
    BoxTreeShape shape = shape_of(tree);
    ASSERT_EQ(shape, choose_shape(boxes));
    ASSERT_TRUE(is_valid(shape, boxes.size()));
    ASSERT_FALSE(is_valid(shape, boxes.size() + 1));
    ASSERT_FALSE(is_valid(shape, boxes.size() - 1));
    const BoxTree again = build_box_tree(shape, boxes, boxes);
    ASSERT_EQ(again.order, tree.order);
    ASSERT_EQ(again.nodes.size(), tree.nodes.size());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      ASSERT_EQ(again.nodes[i].centre, tree.nodes[i].centre);
      ASSERT_EQ(again.nodes[i].half, tree.nodes[i].half);
      ASSERT_EQ(again.nodes[i].first_child, tree.nodes[i].first_child);
    }
    // Whatever passes for valid makes a whole tree, and one whose nodes hold their items.
    for (int change = 0; change < 20; ++change) {
      BoxTreeShape other = shape;
      std::vector<int>& list =
          random.index(2) == 0 || other.splits.empty() ? other.order : other.splits;
      int& value = list[static_cast<std::size_t>(random.index(static_cast<int>(list.size())))];
      value = random.index(2) == 0 ? value + random.index(3) - 1 : random.index(1 << 30) - 9;
      const bool valid = is_valid(other, boxes.size());
      ++(valid ? accepted : refused);
      if (!valid) continue;
      const BoxTree changed = build_box_tree(other, boxes, boxes);
      ASSERT_EQ(changed.nodes.size(), 2 * boxes.size() - 1);
      for (const BoxNode& node : changed.nodes)
        for (int i = node.first_item; i < node.end_item; ++i) {
          const Aabb& box =
              boxes[static_cast<std::size_t>(changed.order[static_cast<std::size_t>(i)])];
          ASSERT_TRUE(holds(node, box.lo) && holds(node, box.hi));
        }
    }
  }
  EXPECT_GT(refused, test::cases(500) * 5);
  EXPECT_GT(accepted, test::cases(500));
}

// A chain would be as deep as it has items, and recursion over it would end in a crash.
TEST(BoxTree, UnbalancedShapesAreNotValid) {
  BoxTreeShape chain;
  for (int i = 0; i < 100; ++i) chain.order.push_back(i);
  chain.splits.assign(99, 1);
  EXPECT_FALSE(is_valid(chain, 100));
  EXPECT_FALSE(is_valid({}, 0));
}

Shape random_convex(Random& random, double size) {
  const double a = size * random.uniform(0.01, 1), b = size * random.uniform(0.01, 1);
  switch (random.index(5)) {
    case 0:
      return Box{{a, b, size}};
    case 1:
      return Sphere{a};
    case 2:
      return Cylinder{a, b};
    case 3:
      return Capsule{a, b};
    default: {
      ConvexHull hull;
      for (int i = 0; i < 12; ++i) hull.points.push_back(size * random.unit_vector());
      return std::make_shared<const ConvexHull>(std::move(hull));
    }
  }
}

// Half the width of the piece along axis i of the body, for the nine doubles as they are.
Quad exact_extent(const Convex& c, int i) {
  const auto r = [&](int j) {
    const Quad value = c.X_BS.R(i, j);
    return value < 0 ? -value : value;
  };
  if (c.kind == ConvexKind::sphere) return c.radius;
  if (c.kind == ConvexKind::capsule) return r(2) * c.half_extents.z + c.radius;
  if (c.kind == ConvexKind::cylinder) {
    const Quad square = r(0) * r(0) + r(1) * r(1);
    Quad root = std::sqrt(static_cast<double>(square));  // and two steps of Newton's method
    for (int k = 0; k < 2 && root > 0; ++k) root = (root + square / root) / 2;
    return root * c.half_extents.x + r(2) * c.half_extents.z;
  }
  return r(0) * c.half_extents.x + r(1) * c.half_extents.y + r(2) * c.half_extents.z;
}

// kBoundRounding of body_geometry.cpp: how far the format's box of a primitive may miss the true
// one, and that the tree holds it all the same.
TEST(BoxTree, BoundRoundingOfPrimitives) {
  Random random(44);
  double largest = 0;
  for (int n = test::cases(20000); n > 0; --n) {
    const double size = std::pow(10, random.uniform(-3, 3));
    const Pose X_BS{random.rotation(), size * random.uniform(0, 5) * random.unit_vector()};
    const Convex piece = make_convex(random_convex(random, size), X_BS);
    const auto body = BodyGeometry::build({{random_convex(random, size), X_BS, "a"}}).value();
    const Convex& held = body->convexes()[0];
    const BoxNode& root = body->box_tree().nodes[0];
    if (held.kind == ConvexKind::hull) {
      for (const Vec3& p : held.points) ASSERT_TRUE(holds(root, p));
      continue;
    }
    const Aabb shape = box_of(held);
    const double slack =
        0x1p-49 * (max_abs(held.X_BS.p) + 2 * max_abs(held.half_extents) + held.radius);
    for (int i = 0; i < 3; ++i) {
      const Quad lo = held.X_BS.p[i] - exact_extent(held, i),
                 hi = held.X_BS.p[i] + exact_extent(held, i);
      largest = std::max({largest, static_cast<double>((shape.lo[i] - lo) / slack),
                          static_cast<double>((hi - shape.hi[i]) / slack)});
      ASSERT_LE(static_cast<Quad>(root.centre[i]) - root.half[i], lo);
      ASSERT_GE(static_cast<Quad>(root.centre[i]) + root.half[i], hi);
    }
  }
  std::printf("boxes of primitives: error %.3f of the bound\n", largest);
  EXPECT_LT(largest, 0.5);
  EXPECT_GT(largest, 0);
}

// The formulas of the format, in its own order.
TEST(BoxTree, BoxesOfPiecesAreThoseOfTheFormat) {
  Random random(45);
  for (int n = test::cases(20000); n > 0; --n) {
    const Pose X{random.rotation(), 3 * random.unit_vector()};
    const Convex c = make_convex(random_convex(random, 1), X);
    Aabb expected;
    if (c.kind == ConvexKind::hull) {
      expected = {c.points[0], c.points[0]};
      for (const Vec3& p : c.points)
        for (int i = 0; i < 3; ++i) {
          if (p[i] < expected.lo[i]) expected.lo[i] = p[i];
          if (p[i] > expected.hi[i]) expected.hi[i] = p[i];
        }
    } else {
      for (int i = 0; i < 3; ++i) {
        const double r0 = std::fabs(X.R(i, 0)), r1 = std::fabs(X.R(i, 1)),
                     r2 = std::fabs(X.R(i, 2));
        const Vec3& h = c.half_extents;
        double e = c.radius;
        if (c.kind == ConvexKind::box) e = (r0 * h.x + r1 * h.y) + r2 * h.z;
        if (c.kind == ConvexKind::capsule) e = r2 * h.z + c.radius;
        if (c.kind == ConvexKind::cylinder) e = h.x * std::sqrt(r0 * r0 + r1 * r1) + r2 * h.z;
        expected.lo[i] = X.p[i] - e;
        expected.hi[i] = X.p[i] + e;
      }
    }
    const Aabb box = box_of(c);
    ASSERT_EQ(box.lo, expected.lo);
    ASSERT_EQ(box.hi, expected.hi);
  }
}

}  // namespace
}  // namespace proven
