// The graph of roadmaps against brute force: neighbours, literal values, cheapest ways.
#include "proven/kinematics/joint_graph.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "proven/kinematics/way_finder.h"
#include "support.h"

namespace proven {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kFar = std::numeric_limits<double>::infinity();

// Coordinates 2 and 0 of three are planned; the first of them turns without end.
JointGraph random_graph(Random& random, int nodes, int neighbours) {
  JointGraph graph;
  graph.planned = {2, 0};
  graph.rest = {0, 7, 0};
  graph.ranges = {{-kPi, kPi}, {-1, 2}};
  graph.metric.periodic = {1, 0};
  for (int i = 0; i < nodes; ++i) graph.add_node(graph.sample(random));
  graph.edges = neighbour_edges(graph, neighbours, 2);
  return graph;
}

TEST(JointGraph, PointsAndConfigurations) {
  Random random(1);
  const JointGraph graph = random_graph(random, 30, 3);
  EXPECT_EQ(graph.num_nodes(), 30);
  for (int n = 0; n < 30; ++n) {
    const auto point = graph.node(static_cast<std::size_t>(n));
    const auto q = graph.full(point);
    EXPECT_EQ(q, (std::vector<double>{point[1], 7, point[0]}));
    EXPECT_TRUE(std::ranges::equal(graph.point_of(q), point));
  }
}

// Literal values differ from the point by whole turns and lie at its distance from where they
// start; without a turn they are the point's own.
TEST(JointGraph, UnrollsTheShortWayRound) {
  Random random(2);
  const JointGraph graph = random_graph(random, 2, 1);
  int turned = 0, same = 0;
  for (int k = 0; k < test::cases(2000); ++k) {
    const std::vector<double> from = {random.uniform(-20, 20), random.uniform(-1, 2)};
    const std::vector<double> to = graph.sample(random);
    const auto literal = graph.unrolled(from, to);
    const double turns = (literal[0] - to[0]) / (2 * kPi);
    EXPECT_NEAR(turns, std::round(turns), 1e-12);
    EXPECT_LE(std::fabs(literal[0] - from[0]), kPi + 1e-12);
    EXPECT_EQ(literal[1], to[1]);
    EXPECT_NEAR(std::hypot(literal[0] - from[0], literal[1] - from[1]), graph.distance(from, to),
                1e-12);
    if (std::fabs(to[0] - from[0]) < kPi) {
      EXPECT_EQ(literal, to);
      ++same;
    } else {
      ++turned;
    }
  }
  EXPECT_GT(turned, test::cases(200));
  EXPECT_GT(same, test::cases(100));
}

TEST(JointGraph, NeighboursAsByBruteForce) {
  Random random(3);
  for (const int threads : {1, 3}) {
    JointGraph graph = random_graph(random, test::cases(200), 5);
    std::set<JointGraph::Edge> expected;
    for (std::uint32_t a = 0; a < static_cast<std::uint32_t>(graph.num_nodes()); ++a) {
      std::vector<std::pair<double, std::uint32_t>> others;
      for (std::uint32_t b = 0; b < static_cast<std::uint32_t>(graph.num_nodes()); ++b)
        if (b != a) others.emplace_back(graph.distance(graph.node(a), graph.node(b)), b);
      std::ranges::sort(others);
      for (std::size_t k = 0; k < 5; ++k)
        expected.insert({std::min(a, others[k].second), std::max(a, others[k].second)});
    }
    const auto edges = neighbour_edges(graph, 5, threads);
    EXPECT_EQ(edges, graph.edges);
    EXPECT_EQ(std::set<JointGraph::Edge>(edges.begin(), edges.end()), expected);
    EXPECT_EQ(edges.size(), expected.size());
  }
}

// Costs of all nodes from the starts, by relaxing every edge until nothing changes.
template <class Cost>
double cheapest(const JointGraph& graph, std::span<const Connection> starts,
                std::span<const Connection> goals, Cost&& cost) {
  std::vector<double> at(static_cast<std::size_t>(graph.num_nodes()), kFar);
  for (const Connection& c : starts) at[c.node] = std::min(at[c.node], c.length);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e)
      for (const int way : {0, 1}) {
        const auto from = graph.edges[e][static_cast<std::size_t>(way)];
        const auto to = graph.edges[e][static_cast<std::size_t>(1 - way)];
        const double length = graph.distance(graph.node(from), graph.node(to));
        if (at[from] + cost(e, length) >= at[to]) continue;
        at[to] = at[from] + cost(e, length);
        changed = true;
      }
  }
  double best = kFar;
  for (const Connection& c : goals) best = std::min(best, at[c.node] + c.length);
  return best;
}

TEST(WayFinder, FindsTheCheapestWay) {
  Random random(4);
  int found = 0, none = 0, with_closed = 0;
  for (int k = 0; k < test::cases(200); ++k) {
    const JointGraph graph = random_graph(random, 60, 3);
    WayFinder finder(graph);
    // The same finder answers again and again.
    for (int round = 0; round < 4; ++round) {
      const double share = random.uniform(0, 0.6);
      std::vector<double> factor;
      for (int e = 0; e < graph.num_edges(); ++e)
        factor.push_back(random.uniform() < share ? kFar : random.uniform(1, 3));
      const bool by_edges = round == 3;
      const auto cost = [&](std::uint32_t edge, double length) {
        return factor[edge] == kFar ? kFar : by_edges ? 1.0 : factor[edge] * length;
      };
      const std::vector<double> start = graph.sample(random), goal = graph.sample(random);
      std::vector<Connection> starts, goals;
      for (int i = 0; i < 3; ++i) {
        const auto a = static_cast<std::uint32_t>(random.index(60));
        const auto b = static_cast<std::uint32_t>(random.index(60));
        starts.push_back({a, graph.distance(start, graph.node(a))});
        goals.push_back({b, graph.distance(goal, graph.node(b))});
      }
      const GraphWay way =
          finder.find(starts, goals, by_edges ? std::span<const double>{} : std::span(goal), cost);
      const double expected = cheapest(graph, starts, goals, cost);
      ASSERT_EQ(way.found, expected < kFar);
      (way.found ? found : none)++;
      if (!way.found) continue;
      ASSERT_NEAR(way.cost, expected, 1e-12);
      // The way is one: its edges join its nodes and cost what it says.
      ASSERT_EQ(way.nodes.size(), way.edges.size() + 1);
      const auto connection = [](const std::vector<Connection>& all, std::uint32_t node) {
        double length = kFar;
        for (const Connection& c : all)
          if (c.node == node) length = std::min(length, c.length);
        return length;
      };
      double sum = connection(starts, way.nodes.front()) + connection(goals, way.nodes.back());
      for (std::size_t i = 0; i < way.edges.size(); ++i) {
        const auto a = way.nodes[i], b = way.nodes[i + 1];
        const JointGraph::Edge joined = {std::min(a, b), std::max(a, b)};
        ASSERT_EQ(graph.edges[way.edges[i]], joined);
        sum += cost(way.edges[i], graph.distance(graph.node(a), graph.node(b)));
      }
      ASSERT_NEAR(sum, expected, 1e-12);
      with_closed += std::ranges::count(factor, kFar) > 0;
    }
  }
  EXPECT_GT(found, test::cases(200));
  EXPECT_GT(none, test::cases(20));
  EXPECT_GT(with_closed, test::cases(100));
}

// Of ways that cost the same, nodes decide: not the order in which edges are listed.
TEST(WayFinder, BreaksTiesByNode) {
  JointGraph graph;
  graph.planned = {0};
  graph.rest = {0};
  graph.ranges = {{-1, 1}};
  graph.metric.periodic = {0};
  for (int n = 0; n < 5; ++n) graph.add_node(std::vector<double>{0.0});
  graph.edges = {{0, 3}, {0, 2}, {0, 1}, {3, 4}, {2, 4}, {1, 4}};
  const Connection start{0, 0}, goal{4, 0};
  for (int k = 0; k < 6; ++k) {
    std::ranges::rotate(graph.edges, graph.edges.begin() + 1);
    WayFinder finder(graph);
    const auto way =
        finder.find({&start, 1}, {&goal, 1}, {}, [](std::uint32_t, double) { return 1; });
    EXPECT_EQ(way.nodes, (std::vector<std::uint32_t>{0, 1, 4}));
  }
}

}  // namespace
}  // namespace proven
