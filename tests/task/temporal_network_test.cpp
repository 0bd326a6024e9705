// Earliest times and consistency against Floyd and Warshall's longest paths.
#include "task/temporal_network.h"

#include <cmath>

#include "proven/base/random.h"
#include "support.h"

namespace proven::task {
namespace {

struct Edge {
  int from, to;
  double least;
};

// Longest paths from an origin with edges of length 0 to all events.
bool longest_paths(int n, const std::vector<Edge>& edges, std::vector<double>& times) {
  std::vector<std::vector<double>> d(static_cast<std::size_t>(n),
                                     std::vector<double>(static_cast<std::size_t>(n), -INFINITY));
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int i = 0; i < n; ++i) d[at(i)][at(i)] = 0;
  for (const Edge& e : edges) d[at(e.from)][at(e.to)] = std::max(d[at(e.from)][at(e.to)], e.least);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        d[at(i)][at(j)] = std::max(d[at(i)][at(j)], d[at(i)][at(k)] + d[at(k)][at(j)]);
  times.assign(at(n), 0);
  for (int i = 0; i < n; ++i) {
    if (d[at(i)][at(i)] > 1e-6) return false;
    for (int j = 0; j < n; ++j) times[at(j)] = std::max(times[at(j)], d[at(i)][at(j)]);
  }
  return true;
}

TEST(TemporalNetwork, AgreesWithAllLongestPaths) {
  Random random(7);
  int consistent = 0, inconsistent = 0;
  for (int trial = 0; trial < test::cases(3000); ++trial) {
    const int n = 2 + random.index(8);
    TemporalNetwork network;
    std::vector<Edge> edges;
    for (int i = 0; i < n; ++i) network.add_event(0, TemporalNetwork::kNever);
    bool ok = true;
    for (int k = 0; k < 2 * n && ok; ++k) {
      const Edge e{random.index(n), random.index(n), 0.25 * (random.index(40) - 18)};
      if (e.from == e.to) continue;
      edges.push_back(e);
      network.add_edge(e.from, e.to, e.least);
      if (random.index(2)) ok = network.propagate();
    }
    ok = ok && network.propagate();
    std::vector<double> times;
    const bool expected = longest_paths(n, edges, times);
    ASSERT_EQ(ok, expected) << trial;
    (ok ? consistent : inconsistent)++;
    if (!ok) continue;
    for (int i = 0; i < n; ++i)
      ASSERT_NEAR(network.time(i), times[static_cast<std::size_t>(i)], 1e-6) << trial;
  }
  EXPECT_GT(consistent, 0);
  EXPECT_GT(inconsistent, 0);
}

TEST(TemporalNetwork, LatestTimesAreKept) {
  TemporalNetwork network;
  const int a = network.add_event(0, TemporalNetwork::kNever), b = network.add_event(0, 5);
  network.add_edge(a, b, 4);
  EXPECT_TRUE(network.propagate());
  network.add_edge(b, a, -4.5);  // b at most 4.5 after a: harmless
  EXPECT_TRUE(network.propagate());
  const int c = network.add_event(1.5, TemporalNetwork::kNever);
  network.add_edge(c, a, 0);
  EXPECT_FALSE(network.propagate());
}

}  // namespace
}  // namespace proven::task
