// Longest-edge splitting up to an exact number of triangles.
#include <algorithm>
#include <cstdint>
#include <queue>
#include <unordered_map>

#include "scenes/mesh_builder.h"

namespace proven::scenes {
namespace {

using Index = std::uint32_t;
constexpr int kNone = -1;

struct Edge {
  double squared_length;
  Index low, high;  // vertices

  // Longest first; the order of vertices breaks ties so that every machine splits alike.
  friend bool operator<(const Edge& a, const Edge& b) {
    if (a.squared_length != b.squared_length) return a.squared_length < b.squared_length;
    return a.low != b.low ? a.low > b.low : a.high > b.high;
  }
};

class Refiner {
 public:
  Refiner(std::vector<Vec3>& vertices, std::vector<std::array<Index, 3>>& triangles,
          std::vector<int>& owner)
      : vertices_(vertices), triangles_(triangles), owner_(owner) {
    for (int t = 0; t < count(); ++t) link(t);
  }

  int count() const { return static_cast<int>(triangles_.size()); }

  bool has_boundary() const {
    return std::any_of(sides_.begin(), sides_.end(),
                       [](const auto& item) { return item.second[1] == kNone; });
  }

  // Splits the longest edge: two more triangles, or one at a boundary.
  void split_longest() {
    while (true) {
      const Edge edge = queue_.top();
      queue_.pop();
      const auto it = sides_.find(key(edge.low, edge.high));
      if (it != sides_.end()) return split(edge.low, edge.high, it->second);
    }
  }

  // Splits the longest boundary edge: one more triangle.
  void split_boundary() {
    Edge longest{-1, 0, 0};
    for (const auto& [vertices, sides] : sides_) {
      if (sides[1] != kNone) continue;
      const Edge edge = make_edge(static_cast<Index>(vertices >> 32), static_cast<Index>(vertices));
      if (longest < edge) longest = edge;
    }
    split(longest.low, longest.high, sides_.at(key(longest.low, longest.high)));
  }

 private:
  using Sides = std::array<int, 2>;  // the triangles at an edge

  static std::uint64_t key(Index a, Index b) {
    return (static_cast<std::uint64_t>(std::min(a, b)) << 32) | std::max(a, b);
  }

  Edge make_edge(Index a, Index b) const {
    return {squared_norm(vertices_[a] - vertices_[b]), std::min(a, b), std::max(a, b)};
  }

  void link(int t) {
    const auto triangle = triangles_[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = triangle[k], b = triangle[(k + 1) % 3];
      const auto [it, is_new] = sides_.try_emplace(key(a, b), Sides{t, kNone});
      if (is_new)
        queue_.push(make_edge(a, b));
      else
        it->second[it->second[0] == kNone ? 0 : 1] = t;
    }
  }

  void unlink(int t) {
    const auto triangle = triangles_[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < 3; ++k) {
      Sides& sides = sides_.at(key(triangle[k], triangle[(k + 1) % 3]));
      if (sides[0] == t) sides[0] = sides[1];
      sides[1] = kNone;
    }
  }

  void split(Index a, Index b, Sides sides) {
    vertices_.push_back(0.5 * (vertices_[a] + vertices_[b]));
    const auto middle = static_cast<Index>(vertices_.size() - 1);
    for (const int t : sides)
      if (t != kNone) unlink(t);
    sides_.erase(key(a, b));
    for (const int t : sides) {
      if (t == kNone) continue;
      auto first = triangles_[static_cast<std::size_t>(t)], second = first;
      std::replace(first.begin(), first.end(), a, middle);
      std::replace(second.begin(), second.end(), b, middle);
      triangles_[static_cast<std::size_t>(t)] = first;
      triangles_.push_back(second);
      owner_.push_back(owner_[static_cast<std::size_t>(t)]);
      link(t);
      link(count() - 1);
    }
  }

  std::vector<Vec3>& vertices_;
  std::vector<std::array<Index, 3>>& triangles_;
  std::vector<int>& owner_;
  std::unordered_map<std::uint64_t, Sides> sides_;
  std::priority_queue<Edge> queue_;
};

}  // namespace

bool refine_to(std::span<TriangleMesh* const> meshes, int total) {
  TriangleMesh all;
  std::vector<int> owner;
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    append(all, *meshes[m]);
    owner.resize(all.triangles.size(), static_cast<int>(m));
  }
  Refiner refiner(all.vertices, all.triangles, owner);
  const int missing = total - refiner.count();
  if (missing < 0 || (missing % 2 != 0 && !refiner.has_boundary())) return false;
  while (refiner.count() < total) {
    if (refiner.count() + 1 == total)
      refiner.split_boundary();
    else
      refiner.split_longest();
  }

  for (TriangleMesh* mesh : meshes) *mesh = {};
  std::vector<Index> renumbered(all.vertices.size(), UINT32_MAX);
  for (std::size_t t = 0; t < all.triangles.size(); ++t) {
    TriangleMesh& mesh = *meshes[static_cast<std::size_t>(owner[t])];
    std::array<Index, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      Index& number = renumbered[all.triangles[t][k]];
      if (number == UINT32_MAX) {
        number = static_cast<Index>(mesh.vertices.size());
        mesh.vertices.push_back(all.vertices[all.triangles[t][k]]);
      }
      triangle[k] = number;
    }
    mesh.triangles.push_back(triangle);
  }
  return true;
}

}  // namespace proven::scenes
