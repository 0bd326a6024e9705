// Trees of node pairs: every bound against brute force, and the shape of the tree.
#include "proven/geometry/greedy_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "body_samples.h"
#include "geometry/pieces.h"
#include "support.h"

namespace proven {
namespace {

const BvNode& node_of(const BodyGeometry& body, int node) {
  return body.tree().nodes[static_cast<std::size_t>(node)];
}

void collect_pieces(const BodyGeometry& body, int node, std::vector<int>& pieces) {
  const BvNode& n = node_of(body, node);
  if (n.is_leaf()) return pieces.push_back(n.piece);
  collect_pieces(body, n.first_child, pieces);
  collect_pieces(body, n.first_child + 1, pieces);
}

// Of all pieces below two nodes; nothing if there are too many.
double brute_force(const BodyGeometry& a, int node_a, const BodyGeometry& b, int node_b,
                   const Pose& X_AB) {
  constexpr std::size_t kMost = 2000;
  std::vector<int> below_a, below_b;
  collect_pieces(a, node_a, below_a);
  collect_pieces(b, node_b, below_b);
  double smallest = std::numeric_limits<double>::infinity();
  if (below_a.size() * below_b.size() > kMost) return smallest;
  for (const int i : below_a)
    for (const int j : below_b)
      smallest = std::min(smallest, piece_distance(a, i, b, j, X_AB).distance);
  return smallest;
}

// Either node_a's children with node_b, or node_a with node_b's.
void expect_partition(const BodyGeometry& a, const BodyGeometry& b, const GreedyNode& parent,
                      const GreedyNode& first, const GreedyNode& second) {
  if (first.node_b == parent.node_b) {
    EXPECT_EQ(second.node_b, parent.node_b);
    EXPECT_EQ(first.node_a, node_of(a, parent.node_a).first_child);
    EXPECT_EQ(second.node_a, first.node_a + 1);
  } else {
    EXPECT_EQ(first.node_a, parent.node_a);
    EXPECT_EQ(second.node_a, parent.node_a);
    EXPECT_EQ(first.node_b, node_of(b, parent.node_b).first_child);
    EXPECT_EQ(second.node_b, first.node_b + 1);
  }
}

struct TreeCheck {
  const BodyGeometry& a;
  const BodyGeometry& b;
  const Pose& X_AB;
  const GreedyTree& tree;
  double threshold, rounding_bound;
  int nodes = 0;

  const GreedyNode& at(int i) const { return tree.nodes[static_cast<std::size_t>(i)]; }

  void visit(int index) {
    ++nodes;
    const GreedyNode& n = at(index);
    const double exact = brute_force(a, n.node_a, b, n.node_b, X_AB);
    ASSERT_LE(n.eta, std::max(0.0, exact - rounding_bound)) << n.node_a << " " << n.node_b;
    if (n.is_leaf()) return;
    ASSERT_GT(n.eta, threshold - rounding_bound);
    const GreedyNode &first = at(n.children[0]), &second = at(n.children[1]);
    expect_partition(a, b, n, first, second);
    ASSERT_EQ(n.eta, std::min(first.eta, second.eta));
    visit(n.children[0]);
    visit(n.children[1]);
  }
};

TEST(GreedyTree, EveryBoundHoldsAndTheRootIsGreedyDistance) {
  Random random(1);
  const auto bodies = test::sample_bodies(random);
  DistanceScratch workspace;
  int proved = 0, not_proved = 0, nodes = 0;
  for (int n = test::cases(1500); n > 0; --n) {
    const auto& a =
        *bodies[static_cast<std::size_t>(random.index(static_cast<int>(bodies.size())))];
    const auto& b =
        *bodies[static_cast<std::size_t>(random.index(static_cast<int>(bodies.size())))];
    const Pose X_AB{random.rotation(), random.uniform(0.3, 2.2) * random.unit_vector()};
    const double threshold = random.index(2) == 0 ? 0 : std::pow(10, random.uniform(-6, -1));
    const double rounding_bound = std::fmin(threshold, random.index(2) == 0 ? 0 : 0.001);
    const GreedyTreePtr tree =
        build_greedy_tree(a, b, X_AB, 0, 0, threshold, rounding_bound, workspace);
    const double greedy = greedy_distance(a, b, X_AB, threshold, workspace);
    ASSERT_EQ(tree->nodes[0].eta, greedy > threshold ? greedy - rounding_bound : 0);
    ++(greedy > threshold ? proved : not_proved);
    TreeCheck check{a, b, X_AB, *tree, threshold, rounding_bound};
    check.visit(0);
    nodes += check.nodes;
  }
  EXPECT_GT(proved, test::cases(1500) / 5);
  EXPECT_GT(not_proved, test::cases(1500) / 10);
  EXPECT_GT(nodes, test::cases(1500) * 5);
}

TEST(GreedyTree, BelowAnyTwoNodes) {
  Random random(2);
  const auto bodies = test::sample_bodies(random);
  DistanceScratch workspace;
  int proved = 0;
  const int count = test::cases(1500);
  for (int n = count; n > 0; --n) {
    const auto& a =
        *bodies[static_cast<std::size_t>(random.index(static_cast<int>(bodies.size())))];
    const auto& b =
        *bodies[static_cast<std::size_t>(random.index(static_cast<int>(bodies.size())))];
    const Pose X_AB{random.rotation(), random.uniform(0, 1.5) * random.unit_vector()};
    const int node_a = random.index(static_cast<int>(a.tree().nodes.size()));
    const int node_b = random.index(static_cast<int>(b.tree().nodes.size()));
    const GreedyTreePtr tree = build_greedy_tree(a, b, X_AB, node_a, node_b, 1e-6, 1e-9, workspace);
    ASSERT_EQ(tree->nodes[0].node_a, node_a);
    ASSERT_EQ(tree->nodes[0].node_b, node_b);
    TreeCheck{a, b, X_AB, *tree, 1e-6, 1e-9}.visit(0);
    proved += tree->nodes[0].eta > 0;
  }
  EXPECT_GT(proved, count / 4);
}

TEST(GreedyTree, LeafTreeIsOneNode) {
  const GreedyTreePtr tree = leaf_tree(3, 5, 0.25);
  ASSERT_EQ(tree->nodes.size(), 1u);
  EXPECT_TRUE(tree->nodes[0].is_leaf());
  EXPECT_EQ(tree->nodes[0].node_a, 3);
  EXPECT_EQ(tree->nodes[0].node_b, 5);
  EXPECT_EQ(tree->nodes[0].eta, 0.25);
}

}  // namespace
}  // namespace proven
