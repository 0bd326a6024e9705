#include "proven/geometry/bv_tree.h"

#include <algorithm>
#include <set>

#include "geometry/body_samples.h"
#include "geometry/bv_tree_builder.h"
#include "support.h"

namespace proven {
namespace {

using Real = long double;

// How far the point is outside the node's volumes, in extended precision; not above 0 if inside.
struct Outside {
  Real obb, rss;
};
Outside outside(const BvNode& node, const std::array<Real, 3>& p, Real radius) {
  Real w[3], v[3], e[3][3];
  for (int i = 0; i < 3; ++i) {
    w[i] = p[size_t(i)] - Real(node.obb_centre[i]);
    v[i] = p[size_t(i)] - Real(node.rss_centre[i]);
    for (int j = 0; j < 3; ++j) e[j][i] = node.R_BN(i, j);
  }
  Outside result{-1, 0};
  for (int j = 0; j < 3; ++j) {
    const Real x = e[j][0] * w[0] + e[j][1] * w[1] + e[j][2] * w[2];
    result.obb = std::max(result.obb, std::fabs(x) + radius - Real(node.obb_half[j]));
  }
  Real rest[3] = {v[0], v[1], v[2]};
  for (int j = 0; j < 2; ++j) {
    const Real half = node.rss_half[j];
    const Real x = std::clamp(e[j][0] * v[0] + e[j][1] * v[1] + e[j][2] * v[2], -half, half);
    for (int i = 0; i < 3; ++i) rest[i] -= x * e[j][i];
  }
  result.rss = std::sqrt(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2]) + radius -
               Real(node.rss_radius);
  return result;
}

// Points (with the piece's dilation) that must be inside: corners, and many points of rims.
std::vector<std::array<Real, 3>> points_of(const BodyGeometry& body, int piece) {
  const auto k = static_cast<std::size_t>(piece);
  std::vector<std::array<Real, 3>> points;
  const auto add = [&](const Vec3& p) { points.push_back({p.x, p.y, p.z}); };
  if (body.is_triangle(piece)) {
    for (const Vec3& p : {body.triangles()[k].a, body.triangles()[k].b, body.triangles()[k].c}) {
      add(p);
    }
    return points;
  }
  const Convex& convex = body.convexes()[k - body.triangles().size()];
  const auto place = [&](Real x, Real y, Real z) {
    std::array<Real, 3> p{};
    for (int i = 0; i < 3; ++i) {
      const Mat3& R = convex.X_BS.R;
      p[size_t(i)] = R(i, 0) * x + R(i, 1) * y + R(i, 2) * z + Real(convex.X_BS.p[i]);
    }
    points.push_back(p);
  };
  const Vec3& h = convex.half_extents;
  switch (convex.kind) {
    case ConvexKind::sphere:
      place(0, 0, 0);
      break;
    case ConvexKind::capsule:
      place(0, 0, h.z), place(0, 0, -h.z);
      break;
    case ConvexKind::box:
      for (int c = 0; c < 8; ++c) {
        place(c & 1 ? h.x : -h.x, c & 2 ? h.y : -h.y, c & 4 ? h.z : -h.z);
      }
      break;
    case ConvexKind::cylinder:
      for (int c = 0; c < 2000; ++c) {
        const Real angle = 2 * std::numbers::pi_v<Real> * Real(c / 2) / 1000;
        place(h.x * std::cos(angle), h.x * std::sin(angle), c & 1 ? h.z : -h.z);
      }
      break;
    case ConvexKind::hull:
      for (const Vec3& p : convex.points) add(p);
      break;
  }
  return points;
}

double dilation(const BodyGeometry& body, int piece) {
  if (body.is_triangle(piece)) return 0;
  return body.convexes()[static_cast<std::size_t>(piece) - body.triangles().size()].radius;
}

// The pieces below each node; fails unless every piece is in exactly one leaf.
std::vector<std::vector<int>> pieces_below(const BvTree& tree, int num_pieces) {
  std::vector<std::vector<int>> below(tree.nodes.size());
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const BvNode& node = tree.nodes[k];
    if (node.is_leaf()) {
      below[k] = {node.piece};
      continue;
    }
    for (int side = 0; side < 2; ++side) {
      const auto child = static_cast<std::size_t>(node.first_child + side);
      EXPECT_GT(child, k);
      below[k].insert(below[k].end(), below[child].begin(), below[child].end());
    }
  }
  std::vector<int> all = below[0];
  std::sort(all.begin(), all.end());
  EXPECT_EQ(static_cast<int>(all.size()), num_pieces);
  for (int piece = 0; piece < num_pieces; ++piece) {
    EXPECT_EQ(all[static_cast<std::size_t>(piece)], piece);
  }
  return below;
}

int depth(const BvTree& tree, int node = 0) {
  const BvNode& n = tree.nodes[static_cast<std::size_t>(node)];
  if (n.is_leaf()) return 1;
  return 1 + std::max(depth(tree, n.first_child), depth(tree, n.first_child + 1));
}

void expect_nodes_hold_pieces(const BodyGeometry& body) {
  const BvTree& tree = body.tree();
  ASSERT_EQ(static_cast<int>(tree.nodes.size()), 2 * body.num_pieces() - 1);
  const auto below = pieces_below(tree, body.num_pieces());
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    for (const int piece : below[k]) {
      const double radius = dilation(body, piece);
      for (const auto& p : points_of(body, piece)) {
        const Outside by = outside(tree.nodes[k], p, radius);
        ASSERT_LE(by.obb, 0) << "node " << k << " piece " << piece;
        ASSERT_LE(by.rss, 0) << "node " << k << " piece " << piece;
      }
    }
  }
}

TEST(BvTree, NodesHoldTheirPieces) {
  Random random(4);
  for (const test::BodyPtr& body : test::sample_bodies(random)) expect_nodes_hold_pieces(*body);
}

TEST(BvTree, NodesHoldTheirPiecesFarFromTheOriginAndAtEveryScale) {
  Random random(5);
  for (const double scale : {1e-6, 1.0, 9.0}) {
    for (const double far : {0.0, 1e3, 1e5}) {
      TriangleMesh mesh = test::random_soup(random, 60, 0.3, 0.1);
      const Vec3 shift = far * random.unit_vector();
      for (Vec3& p : mesh.vertices) p = scale * (p + shift);
      expect_nodes_hold_pieces(*test::mesh_body(mesh));
      std::vector<CollisionElement> elements;
      for (int k = 0; k < 10; ++k) {
        elements.push_back({test::random_primitive(random),
                            {random.rotation(), far * random.unit_vector() + random.unit_vector()},
                            "sample"});
      }
      expect_nodes_hold_pieces(*test::build_body(elements));
    }
  }
}

TEST(BvTree, EqualPiecesStillSplit) {
  const std::array<Vec3, 3> t = {Vec3{1, 2, 3}, Vec3{2, 2, 3}, Vec3{1, 3, 3}};
  const std::vector<std::array<Vec3, 3>> same(1000, t);
  const auto body = test::mesh_body(test::soup(same));
  expect_nodes_hold_pieces(*body);
  EXPECT_LE(depth(body->tree()), 11);
}

// Sizes that grow geometrically would make a tree of linear depth if the mean alone decided; the
// smallest here have squares that underflow.
TEST(BvTree, DepthStaysLogarithmic) {
  std::vector<std::array<Vec3, 3>> triangles;
  for (int k = 0; k < 300; ++k) {
    const double x = 1e-175 * std::pow(4.0, k);
    triangles.push_back({Vec3{x, 0, 0}, Vec3{1.1 * x, 0, 0}, Vec3{x, 0.1 * x, 0}});
  }
  const auto body = test::mesh_body(test::soup(triangles));
  expect_nodes_hold_pieces(*body);
  EXPECT_LE(depth(body->tree()), 25);
}

TEST(BvTree, VolumesAreTight) {
  const auto root = [](const test::BodyPtr& body) { return body->tree().nodes[0]; };
  const auto single = [](const Shape& shape, const Pose& X) {
    return test::build_body({{shape, X, "sample"}});
  };
  Random random(6);
  const Pose X{random.rotation(), {1, 2, 3}};
  const BvNode sphere = root(single(Sphere{0.5}, X));
  EXPECT_NEAR(sphere.rss_radius, 0.5, 1e-12);
  EXPECT_NEAR(sphere.rss_half[0], 0, 1e-12);
  const BvNode capsule = root(single(Capsule{0.25, 1}, X));
  EXPECT_NEAR(capsule.rss_radius, 0.25, 1e-12);
  EXPECT_NEAR(capsule.rss_half[0], 1, 1e-12);
  EXPECT_NEAR(capsule.rss_half[1], 0, 1e-6);
  const BvNode box = root(single(Box{{0.3, 0.5, 0.1}}, X));
  EXPECT_NEAR(box.obb_half.x, 0.5, 1e-12);
  EXPECT_NEAR(box.obb_half.y, 0.3, 1e-12);
  EXPECT_NEAR(box.obb_half.z, 0.1, 1e-12);
  const BvNode cylinder = root(single(Cylinder{0.2, 1}, X));
  EXPECT_NEAR(cylinder.obb_half.x, 1, 1e-9);
  EXPECT_LE(cylinder.obb_half.y, 0.2003);
  EXPECT_LE(cylinder.rss_radius, 0.2003);
  // Sides shrink where the radius reaches over them: little is left of them around a ball.
  const BvNode ball = root(test::mesh_body(test::ball_mesh(1, 3)));
  EXPECT_LE(ball.rss_half[0], 0.2);
  EXPECT_LE(ball.rss_radius, 1.001);
  // A flat triangle needs no radius, and half its bounding rectangle is its own.
  const BvNode triangle = root(
      test::mesh_body(test::soup({{X * Vec3{0, 0, 0}, X * Vec3{3, 0, 0}, X * Vec3{1, 1, 0}}})));
  EXPECT_NEAR(triangle.rss_radius, 0, 1e-12);
  EXPECT_NEAR(4 * triangle.rss_half[0] * triangle.rss_half[1], 3, 1e-9);
}

TEST(BvTree, SameInputSameTree) {
  Random random(7);
  const auto body = test::mixed_body(random, 10, test::torus(0.8, 0.2, 20, 8));
  const BvTree again = build_bv_tree(body->triangles(), body->convexes());
  ASSERT_EQ(again.nodes.size(), body->tree().nodes.size());
  for (std::size_t k = 0; k < again.nodes.size(); ++k) {
    const BvNode &x = again.nodes[k], &y = body->tree().nodes[k];
    EXPECT_EQ(x.R_BN, y.R_BN);
    EXPECT_EQ(x.obb_centre, y.obb_centre);
    EXPECT_EQ(x.rss_radius, y.rss_radius);
    EXPECT_EQ(x.piece, y.piece);
  }
}

}  // namespace
}  // namespace proven
