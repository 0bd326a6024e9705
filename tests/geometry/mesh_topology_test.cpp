// Components of triangle soups against a twin that compares every vertex and edge with every other.
#include "geometry/mesh_topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

using Edge = std::pair<std::size_t, std::size_t>;

struct Slow {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::size_t, 3>> corners;
  std::vector<int> component;

  explicit Slow(const std::vector<Triangle>& triangles) {
    for (const Triangle& t : triangles) corners.push_back({id(t.a), id(t.b), id(t.c)});
    component.assign(triangles.size(), -1);
    int count = 0;
    for (std::size_t t = 0; t < corners.size(); ++t)
      if (component[t] < 0) spread(t, count++);
  }
  std::size_t id(const Vec3& v) {
    for (std::size_t i = 0; i < vertices.size(); ++i)
      if (vertices[i] == v) return i;
    vertices.push_back(v);
    return vertices.size() - 1;
  }
  void spread(std::size_t t, int number) {
    component[t] = number;
    for (std::size_t u = 0; u < corners.size(); ++u)
      if (component[u] < 0)
        for (const std::size_t a : corners[t])
          for (const std::size_t b : corners[u])
            if (a == b && component[u] < 0) spread(u, number);
  }
  // How often the component uses each directed edge.
  std::map<Edge, int> uses(int number) const {
    std::map<Edge, int> count;
    for (std::size_t t = 0; t < corners.size(); ++t) {
      const auto [a, b, c] = corners[t];
      if (component[t] != number || a == b || b == c || c == a) continue;
      for (const Edge& e : {Edge{a, b}, Edge{b, c}, Edge{c, a}}) ++count[e];
    }
    return count;
  }
  std::pair<bool, bool> closed_and_oriented(int number) const {
    const std::map<Edge, int> count = uses(number);
    bool closed = !count.empty(), oriented = closed;
    for (const auto& [edge, forward] : count) {
      const auto back = count.find({edge.second, edge.first});
      const int backward = back == count.end() ? 0 : back->second;
      closed &= (forward + backward) % 2 == 0;
      oriented &= forward == backward;
    }
    return {closed, oriented};
  }
};

// Corners on a small grid, so that they meet often; zeros of both signs.
std::vector<Triangle> random_soup(Random& random) {
  const int size = 1 + random.index(3);
  const auto coordinate = [&] {
    const double x = random.index(2 * size + 1) - size;
    return x == 0 && random.index(2) == 0 ? -0.0 : x;
  };
  const auto vertex = [&] { return Vec3{coordinate(), coordinate(), coordinate()}; };
  std::vector<Triangle> soup;
  for (int n = random.index(12); n >= 0; --n) {
    const Vec3 a = vertex(), b = vertex(), c = vertex(), d = vertex();
    switch (random.index(3)) {
      case 0:  // a closed surface
        soup.insert(soup.end(), {{a, b, c}, {a, d, b}, {b, d, c}, {c, d, a}});
        break;
      case 1:  // closed, but one side is turned round
        soup.insert(soup.end(), {{a, b, c}, {a, d, b}, {b, d, c}, {c, a, d}});
        break;
      default:
        soup.push_back({a, b, c});
    }
  }
  return soup;
}

TEST(MeshTopology, AgreesWithComparingEverythingWithEverything) {
  Random random(91);
  std::set<std::array<bool, 3>> kinds;
  for (int n = test::cases(3000); n > 0; --n) {
    const std::vector<Triangle> soup = random_soup(random);
    const MeshTopology topology = find_topology(soup);
    const Slow slow(soup);
    ASSERT_EQ(topology.vertices, slow.vertices);
    ASSERT_EQ(topology.triangle_component, slow.component);
    for (std::size_t i = 0; i < topology.components.size(); ++i) {
      const MeshTopology::Part& part = topology.components[i];
      const auto [closed, oriented] = slow.closed_and_oriented(static_cast<int>(i));
      ASSERT_EQ(part.closed, closed);
      ASSERT_EQ(part.oriented, oriented);
      const auto first = std::ranges::find(slow.component, static_cast<int>(i));
      ASSERT_EQ(part.first_triangle, first - slow.component.begin());
      kinds.insert({closed, oriented, topology.components.size() > 1});
    }
  }
  EXPECT_EQ(kinds.size(), 6u);  // open, closed, oriented; alone and among others
}

}  // namespace
}  // namespace proven
