#include "mesh_topology.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>
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

std::vector<Corners> weld(std::span<const Triangle> triangles, std::vector<Vec3>& vertices) {
  std::unordered_map<Vec3, int, CoordinateHash> ids;
  const auto id_of = [&](const Vec3& v) {
    const auto [it, is_new] = ids.try_emplace(v, static_cast<int>(vertices.size()));
    if (is_new) vertices.push_back(v);
    return it->second;
  };
  std::vector<Corners> corners;
  corners.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    const int a = id_of(t.a), b = id_of(t.b), c = id_of(t.c);
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
  std::unordered_map<int, int> number;
  for (const Corners& triangle : corners) {
    const auto [it, is_new] =
        number.try_emplace(sets.root(triangle[0]), static_cast<int>(topology.components.size()));
    if (is_new)
      topology.components.push_back(
          {static_cast<int>(topology.triangle_component.size()), false, false});
    topology.triangle_component.push_back(it->second);
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

std::vector<EdgeUse> sorted_edges(const std::vector<Corners>& corners,
                                  const MeshTopology& topology) {
  std::vector<EdgeUse> edges;
  edges.reserve(3 * corners.size());
  for (std::size_t t = 0; t < corners.size(); ++t) {
    const auto [a, b, c] = corners[t];
    if (a == b || b == c || c == a) continue;
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}})
      edges.push_back(
          {std::min(from, to), std::max(from, to), from < to, topology.triangle_component[t]});
  }
  std::sort(edges.begin(), edges.end(), [](const EdgeUse& e, const EdgeUse& f) {
    return std::pair{e.low, e.high} < std::pair{f.low, f.high};
  });
  return edges;
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
  mark_closed(sorted_edges(corners, topology), topology);
  return topology;
}

}  // namespace proven
