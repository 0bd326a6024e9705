#include "mesh_topology.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace proven {
namespace {

using Corners = std::array<int, 3>;  // welded vertex ids of a triangle

struct CoordinateHash {
  std::size_t operator()(const Vec3& v) const {
    std::uint64_t h = 0;
    for (const double x : {v.x, v.y, v.z}) {
      h ^= std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
      h *= 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return h;
  }
};

// Vertices by their coordinates: a table of ids with open addressing.
class Welder {
 public:
  explicit Welder(std::size_t max_vertices)
      : slots_(std::bit_ceil(2 * max_vertices), -1), mask_(slots_.size() - 1) {}

  int id_of(const Vec3& v, std::vector<Vec3>& vertices) {
    std::size_t at = CoordinateHash()(v) & mask_;
    while (slots_[at] >= 0 && vertices[static_cast<std::size_t>(slots_[at])] != v)
      at = (at + 1) & mask_;
    if (slots_[at] < 0) {
      slots_[at] = static_cast<int>(vertices.size());
      vertices.push_back(v);
    }
    return slots_[at];
  }

 private:
  std::vector<int> slots_;  // -1: free
  std::size_t mask_;
};

std::vector<Corners> weld(std::span<const Triangle> triangles, std::vector<Vec3>& vertices) {
  Welder welder(3 * triangles.size());
  std::vector<Corners> corners;
  corners.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    const int a = welder.id_of(t.a, vertices), b = welder.id_of(t.b, vertices),
              c = welder.id_of(t.c, vertices);
    corners.push_back({a, b, c});
  }
  return corners;
}

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  void join(int i, int j) { parent(root(i)) = root(j); }

 private:
  int& parent(int i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<int> parent_;
};

void number_components(const std::vector<Corners>& corners, MeshTopology& topology) {
  DisjointSets sets(topology.vertices.size());
  for (const auto& [a, b, c] : corners) sets.join(a, b), sets.join(a, c);
  std::vector<int> number(topology.vertices.size(), -1);  // of the component, per root
  for (const Corners& triangle : corners) {
    int& component = number[static_cast<std::size_t>(sets.root(triangle[0]))];
    if (component < 0) {
      component = static_cast<int>(topology.components.size());
      topology.components.push_back(
          {static_cast<int>(topology.triangle_component.size()), false, false});
    }
    topology.triangle_component.push_back(component);
  }
}

struct EdgeUse {
  int low, high;  // welded vertices, low < high
  bool forward;   // from low to high
  int component;
};

bool same_edge(const EdgeUse& e, const EdgeUse& f) {
  return e.low == f.low && e.high == f.high;
}

std::vector<EdgeUse> list_edges(const std::vector<Corners>& corners, const MeshTopology& topology) {
  std::vector<EdgeUse> edges;
  edges.reserve(3 * corners.size());
  for (std::size_t t = 0; t < corners.size(); ++t) {
    const auto [a, b, c] = corners[t];
    if (a == b || b == c || c == a) continue;
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}})
      edges.push_back(
          {std::min(from, to), std::max(from, to), from < to, topology.triangle_component[t]});
  }
  return edges;
}

// By their lower vertex, counted into place, then by the higher one: few edges share the former.
std::vector<EdgeUse> sorted_edges(const std::vector<EdgeUse>& edges, std::size_t num_vertices) {
  std::vector<std::size_t> end(num_vertices + 1, 0);
  for (const EdgeUse& e : edges) ++end[static_cast<std::size_t>(e.low) + 1];
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<EdgeUse> sorted(edges.size());
  for (const EdgeUse& e : edges) sorted[end[static_cast<std::size_t>(e.low)]++] = e;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t next = end[static_cast<std::size_t>(sorted[i].low)];
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(i),
              sorted.begin() + static_cast<std::ptrdiff_t>(next),
              [](const EdgeUse& e, const EdgeUse& f) { return e.high < f.high; });
    i = next;
  }
  return sorted;
}

void mark_closed(const std::vector<EdgeUse>& edges, MeshTopology& topology) {
  const auto part_of = [&](const EdgeUse& e) -> MeshTopology::Part& {
    return topology.components[static_cast<std::size_t>(e.component)];
  };
  for (const EdgeUse& e : edges) part_of(e).closed = part_of(e).oriented = true;
  for (std::size_t i = 0; i < edges.size();) {
    int uses = 0, balance = 0;
    const EdgeUse& edge = edges[i];
    for (; i < edges.size() && same_edge(edges[i], edge); ++i)
      ++uses, balance += edges[i].forward ? 1 : -1;
    if (uses % 2 != 0) part_of(edge).closed = false;
    if (balance != 0) part_of(edge).oriented = false;
  }
}

}  // namespace

MeshTopology find_topology(std::span<const Triangle> triangles) {
  MeshTopology topology;
  const std::vector<Corners> corners = weld(triangles, topology.vertices);
  topology.triangle_component.reserve(triangles.size());
  number_components(corners, topology);
  mark_closed(sorted_edges(list_edges(corners, topology), topology.vertices.size()), topology);
  return topology;
}

}  // namespace proven
