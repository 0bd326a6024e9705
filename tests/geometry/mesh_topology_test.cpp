// Parts and shells of triangle soups against a twin that compares everything with everything, as
// docs/inside.md says it.
#include "geometry/mesh_topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "mesh_cases.h"
#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

using Edge = std::pair<std::size_t, std::size_t>;
using Corners = std::array<std::size_t, 3>;

Edge unordered(std::size_t a, std::size_t b) {
  return {std::min(a, b), std::max(a, b)};
}

struct Slow {
  std::vector<Vec3> vertices;
  std::vector<Corners> given, welded;
  std::vector<int> part, shell;
  std::vector<bool> directed;  // per shell
  double weld_error = 0;
  int cancelled = 0;

  explicit Slow(const std::vector<Triangle>& triangles) {
    for (const Triangle& t : triangles) given.push_back({id(t.a), id(t.b), id(t.c)});
    part = spread(given, std::vector<bool>(given.size(), true),
                  [](const Corners& t, const Corners& u) {
                    return std::ranges::any_of(
                        t, [&](std::size_t v) { return std::ranges::count(u, v) > 0; });
                  });
    welded = given;
    find_shells();
    if (std::ranges::count(shell, MeshTopology::kOpen) == 0) return;
    weld();
    find_shells();
  }
  std::size_t id(const Vec3& v) {
    for (std::size_t i = 0; i < vertices.size(); ++i)
      if (vertices[i] == v) return i;
    vertices.push_back(v);
    return vertices.size() - 1;
  }
  void weld() {
    double size = 0;
    for (const Vec3& v : vertices)
      for (const Vec3& w : vertices) size = std::max(size, max_abs(v - w));
    std::vector<std::size_t> stays, target;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      const auto found = std::ranges::find_if(stays, [&](std::size_t s) {
        return max_abs(vertices[s] - vertices[v]) <= 0x1p-23 * size;
      });
      target.push_back(found == stays.end() ? v : *found);
      if (found == stays.end()) stays.push_back(v);
      weld_error = std::max(weld_error, norm(vertices[v] - vertices[target[v]]));
    }
    for (Corners& t : welded)
      for (std::size_t& v : t) v = target[v];
  }
  // Numbers of triangles that hang together.
  template <class Joined>
  static std::vector<int> spread(const std::vector<Corners>& triangles,
                                 const std::vector<bool>& counts, const Joined& joined) {
    std::vector<int> number(triangles.size(), -1);
    int next = 0;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      if (number[t] >= 0 || !counts[t]) continue;
      number[t] = next;
      for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t a = 0; a < triangles.size(); ++a)
          for (std::size_t b = 0; b < triangles.size() && number[a] == next; ++b)
            if (counts[b] && number[b] < 0 && joined(triangles[a], triangles[b]))
              number[b] = next, grown = true;
      }
      ++next;
    }
    return number;
  }
  static std::set<Edge> edges(const Corners& t) {
    return {unordered(t[0], t[1]), unordered(t[1], t[2]), unordered(t[2], t[0])};
  }
  // How often triangles that count use each edge, from the lower vertex and from the higher one.
  std::map<Edge, std::array<int, 2>> uses(const std::vector<bool>& counts) const {
    std::map<Edge, std::array<int, 2>> number;
    for (std::size_t t = 0; t < welded.size(); ++t)
      for (std::size_t k = 0; k < 3 && counts[t]; ++k) {
        const std::size_t a = welded[t][k], b = welded[t][(k + 1) % 3];
        ++number[unordered(a, b)][a < b ? 0 : 1];
      }
    return number;
  }
  void find_shells() {
    shell.clear();
    directed.clear();
    cancelled = 0;
    std::vector<bool> counts, even;
    std::map<std::set<std::size_t>, std::size_t> known;
    for (std::size_t t = 0; t < welded.size(); ++t) {
      const std::set<std::size_t> corners(welded[t].begin(), welded[t].end());
      const auto [first, is_new] = known.try_emplace(corners, t);
      counts.push_back(corners.size() == 3 && is_new);
      even.push_back(false);
      if (!is_new) even[first->second] = !even[first->second];
      shell.push_back(counts.back() ? MeshTopology::kOpen : MeshTopology::kNone);
    }
    take_off(counts);
    settle(even, counts);
    take_off(counts);
    group_shells(counts);
  }
  // Triangles written an even number of times, round by round: one at an edge where all others are
  // settled counts if these are odd in number at any such edge.
  void settle(std::vector<bool> even, std::vector<bool>& counts) {
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<bool> now = counts;
      std::vector<bool> next = even;
      for (std::size_t t = 0; t < welded.size(); ++t) {
        if (!counts[t] || !even[t]) continue;
        bool asked = false, wanted = false;
        for (const Edge& e : edges(welded[t])) {
          int settled = 0, waiting = 0;
          for (std::size_t u = 0; u < welded.size(); ++u)
            if (u != t && counts[u] && edges(welded[u]).contains(e))
              ++(even[u] ? waiting : settled);
          asked |= waiting == 0;
          wanted |= waiting == 0 && settled % 2 == 1;
        }
        if (!asked) continue;
        next[t] = false;
        now[t] = wanted;
        if (!wanted) shell[t] = MeshTopology::kNone, ++cancelled;
        changed = true;
      }
      counts = now;
      even = next;
    }
  }
  void take_off(std::vector<bool>& counts) const {
    for (bool changed = true; changed;) {
      changed = false;
      const auto number = uses(counts);
      for (std::size_t t = 0; t < welded.size(); ++t)
        if (counts[t] && std::ranges::any_of(edges(welded[t]), [&](const Edge& e) {
              return number.at(e)[0] + number.at(e)[1] == 1;
            }))
          counts[t] = false, changed = true;
    }
  }
  void group_shells(const std::vector<bool>& counts) {
    const std::vector<int> group = spread(welded, counts, [](const Corners& t, const Corners& u) {
      return std::ranges::any_of(edges(t), [&](const Edge& e) { return edges(u).contains(e); });
    });
    for (int g = 0; std::ranges::count(group, g) > 0; ++g) {
      std::vector<bool> members;
      for (const int other : group) members.push_back(other == g);
      bool closed = true, even = true;
      for (const auto& [edge, number] : uses(members)) {
        closed &= (number[0] + number[1]) % 2 == 0;
        even &= number[0] == number[1];
      }
      if (!closed) continue;
      for (std::size_t t = 0; t < group.size(); ++t)
        if (members[t]) shell[t] = static_cast<int>(directed.size());
      directed.push_back(even);
    }
  }
  bool closed(int number) const {
    bool any = false;
    for (std::size_t t = 0; t < part.size(); ++t) {
      if (part[t] != number) continue;
      if (shell[t] == MeshTopology::kOpen) return false;
      any |= shell[t] >= 0;
    }
    return any;
  }
};

// Corners on a small grid, so that they meet often, some a little off; zeros of both signs.
std::vector<Triangle> random_soup(Random& random) {
  const int size = 1 + random.index(3);
  const bool shaken = random.index(2) == 0;
  const auto coordinate = [&] {
    const double x = random.index(2 * size + 1) - size;
    if (shaken && random.index(8) == 0) return x + random.uniform(-1.5, 1.5) * 0x1p-23 * size;
    return x == 0 && random.index(2) == 0 ? -0.0 : x;
  };
  const auto vertex = [&] { return Vec3{coordinate(), coordinate(), coordinate()}; };
  std::vector<Triangle> soup;
  for (int n = random.index(10); n >= 0; --n) {
    const Vec3 a = vertex(), b = vertex(), c = vertex(), d = vertex();
    switch (random.index(5)) {
      case 0:  // a closed surface
        soup.insert(soup.end(), {{a, b, c}, {a, d, b}, {b, d, c}, {c, d, a}});
        break;
      case 1:  // closed, but one side is turned round
        soup.insert(soup.end(), {{a, b, c}, {a, d, b}, {b, d, c}, {c, a, d}});
        break;
      case 2:  // once more what is there
        if (!soup.empty()) {
          Triangle t = soup[static_cast<std::size_t>(random.index(static_cast<int>(soup.size())))];
          if (random.index(2) == 0) std::swap(t.a, t.c);
          soup.push_back(t);
        }
        break;
      case 3:  // a fin
        if (!soup.empty()) {
          const Triangle& t =
              soup[static_cast<std::size_t>(random.index(static_cast<int>(soup.size())))];
          soup.push_back({t.a, t.b, d});
        }
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
  int welded = 0, several = 0, doubles = 0, fins = 0, cancelled = 0;
  for (int n = test::cases(3000); n > 0; --n) {
    const std::vector<Triangle> soup = random_soup(random);
    const MeshTopology topology = find_topology(soup);
    const Slow slow(soup);
    ASSERT_EQ(topology.vertices, slow.vertices);
    ASSERT_EQ(topology.triangle_part, slow.part);
    ASSERT_EQ(topology.triangle_shell, slow.shell);
    ASSERT_EQ(topology.shells.size(), slow.directed.size());
    ASSERT_GE(topology.weld_error, slow.weld_error);
    ASSERT_LE(topology.weld_error, slow.weld_error * (1 + 1e-12));
    ASSERT_EQ(topology.welded.empty(), slow.weld_error == 0);
    for (std::size_t t = 0; t < topology.welded.size(); ++t) {
      const Triangle& corners = topology.welded[t];
      ASSERT_EQ(corners.a, slow.vertices[slow.welded[t][0]]);
      ASSERT_EQ(corners.b, slow.vertices[slow.welded[t][1]]);
      ASSERT_EQ(corners.c, slow.vertices[slow.welded[t][2]]);
    }
    for (std::size_t i = 0; i < topology.shells.size(); ++i) {
      ASSERT_EQ(topology.shells[i].directed, slow.directed[i]);
      const auto first = std::ranges::find(slow.shell, static_cast<int>(i));
      ASSERT_EQ(topology.shells[i].first_triangle, first - slow.shell.begin());
    }
    for (std::size_t i = 0; i < topology.parts.size(); ++i) {
      const MeshTopology::Part& part = topology.parts[i];
      ASSERT_EQ(part.closed, slow.closed(static_cast<int>(i)));
      const auto first = std::ranges::find(slow.part, static_cast<int>(i));
      ASSERT_EQ(part.first_triangle, first - slow.part.begin());
      kinds.insert({part.closed, part.directed, topology.parts.size() > 1});
      fins += !part.closed && !topology.shells.empty() && topology.parts.size() == 1;
    }
    welded += !topology.welded.empty();
    several += topology.shells.size() > 1;
    cancelled += slow.cancelled;
    doubles += std::ranges::count(topology.triangle_shell, MeshTopology::kNone) > 0;
  }
  EXPECT_EQ(kinds.size(), 6u);  // open, closed, directed; alone and among others
  for (const int count : {welded, several, doubles, fins}) EXPECT_GT(count, test::cases(3000) / 50);
  EXPECT_GT(cancelled, test::cases(3000) / 500);
}

// What the definition is for: one box, written badly.
TEST(MeshTopology, FindsTheShellOfABadlyWrittenBox) {
  const TriangleMesh box = test::box_mesh({1, 1, 1});
  const auto shells = [](const TriangleMesh& mesh) {
    const auto body = test::body(mesh);
    const MeshTopology topology = find_topology(body->triangles());
    return topology.shells.size();
  };
  EXPECT_EQ(shells(box), 1u);
  EXPECT_EQ(shells(test::joined(box, test::flipped(box))), 1u);
  TriangleMesh again = box;
  again.triangles.push_back(again.triangles[3]);
  EXPECT_EQ(shells(again), 1u);
  TriangleMesh fin = box;
  fin.vertices.push_back({3, 0, 0});
  fin.triangles.push_back({1, 3, 8});
  EXPECT_EQ(shells(fin), 1u);
  TriangleMesh off = box;
  off.vertices.push_back(off.vertices[0] + Vec3{1e-13, 0, 0});
  off.triangles[0][0] = 8;
  EXPECT_EQ(shells(off), 1u);
  TriangleMesh open = box;
  open.triangles.pop_back();
  EXPECT_EQ(shells(open), 0u);
  // Two boxes with a common wall that each of them writes, whichever way they face.
  const TriangleMesh left = test::box_mesh({1, 1, 1}), right = test::box_mesh({1, 1, 1}, {2, 0, 0});
  for (const TriangleMesh& other : {right, test::flipped(right)}) {
    const auto body = test::body(test::joined(left, other));
    EXPECT_TRUE(body->is_solid());
    for (const double x : {-0.5, 1.5, 2.5}) EXPECT_TRUE(body->contains({x, 0.1, 0.2}));
    EXPECT_FALSE(body->contains({3.5, 0.1, 0.2}));
  }
}

}  // namespace
}  // namespace proven
