// Chapter 9, continued: connected components of meshes, and whether they are closed.
#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "verify/solids.h"

namespace proven::verifier {
namespace {

struct CoordinateHash {
  std::size_t operator()(const Vec3& v) const {
    std::uint64_t h = 0;
    for (const double x : {v.x, v.y, v.z})
      h = (h ^ std::bit_cast<std::uint64_t>(x + 0.0)) * 0x9e3779b97f4a7c15u, h ^= h >> 31;
    return h;
  }
};

using Corners = std::array<int, 3>;  // welded vertices

std::vector<Corners> weld(const Body& body, int& num_vertices) {
  std::unordered_map<Vec3, int, CoordinateHash> ids;
  std::vector<Corners> triangles;
  for (const Piece& piece : body.pieces) {
    if (piece.triangle < 0) break;
    Corners ids_of{};
    const auto points = corners(body, piece);
    for (std::size_t k = 0; k < 3; ++k)
      ids_of[k] =
          ids.try_emplace(body.element(piece).X_BS * points[k], static_cast<int>(ids.size()))
              .first->second;
    triangles.push_back(ids_of);
  }
  num_vertices = static_cast<int>(ids.size());
  return triangles;
}

int find_root(std::vector<int>& parent, int i) {
  while (parent[static_cast<std::size_t>(i)] != i) {
    int& up = parent[static_cast<std::size_t>(i)];
    up = parent[static_cast<std::size_t>(up)];
    i = up;
  }
  return i;
}

struct EdgeUse {
  int low, high, component;
  bool forward;
};

void mark_closed(const std::vector<Corners>& triangles, Topology& topology) {
  std::vector<EdgeUse> edges;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3 && topology.component[t] >= 0; ++k) {
      const int from = triangles[t][k], to = triangles[t][(k + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), topology.component[t], from < to});
    }
  std::sort(edges.begin(), edges.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return std::pair(a.low, a.high) < std::pair(b.low, b.high);
  });
  for (std::size_t i = 0; i < edges.size();) {
    const EdgeUse& first = edges[i];
    int uses = 0, balance = 0;
    for (; i < edges.size() && edges[i].low == first.low && edges[i].high == first.high; ++i)
      ++uses, balance += edges[i].forward ? 1 : -1;
    MeshComponent& component = topology.components[static_cast<std::size_t>(first.component)];
    if (uses % 2 != 0) component.closed = false;
    if (balance != 0) component.oriented = false;
  }
}

}  // namespace

Topology find_topology(const Body& body) {
  int num_vertices = 0;
  const std::vector<Corners> triangles = weld(body, num_vertices);
  std::vector<int> parent(static_cast<std::size_t>(num_vertices));
  std::iota(parent.begin(), parent.end(), 0);
  for (const auto& [a, b, c] : triangles)
    for (const int other : {b, c})
      parent[static_cast<std::size_t>(find_root(parent, a))] = find_root(parent, other);

  Topology topology;
  std::unordered_map<int, int> numbers;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto [a, b, c] = triangles[t];
    const auto [number, is_new] =
        numbers.try_emplace(find_root(parent, a), static_cast<int>(numbers.size()));
    if (is_new) topology.components.push_back({static_cast<int>(t), true, true});
    topology.component.push_back(a == b || b == c || c == a ? -1 : number->second);
  }
  mark_closed(triangles, topology);
  for (const MeshComponent& component : topology.components)
    topology.any_closed = topology.any_closed || component.closed;
  for (std::size_t i = triangles.size(); i < body.pieces.size(); ++i)
    topology.components.push_back({static_cast<int>(i), true, true});
  return topology;
}

}  // namespace proven::verifier
