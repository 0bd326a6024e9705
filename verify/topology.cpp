#include "verify/topology.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "verify/model.h"

namespace proven::verifier {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

using Cell = std::array<std::int64_t, 3>;
struct CellHash {
  std::size_t operator()(const Cell& cell) const {
    std::uint64_t h = 0;
    for (const std::int64_t i : cell)
      h = (h ^ static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15u, h ^= h >> 31;
    return h;
  }
};

// Sets of numbers that grow together.
class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  void unite(int i, int j) { parent_[at(find(i))] = find(j); }

 private:
  std::vector<int> parent_;
};

using Corners = std::array<int, 3>;  // vertices

// The different corners of a body's triangles, in order of first use.
struct Vertices {
  std::vector<Vec3> points;
  std::vector<Corners> triangles;

  explicit Vertices(const Body& body) {
    std::map<std::array<double, 3>, int> ids;
    for (const Piece& piece : body.pieces) {
      if (piece.triangle < 0) break;
      Corners triangle{};
      const auto given = corners(body, piece);
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 x = body.element(piece).X_BS * given[k];
        const auto [id, is_new] =
            ids.try_emplace({x.x + 0.0, x.y + 0.0, x.z + 0.0}, static_cast<int>(points.size()));
        if (is_new) points.push_back(x);
        triangle[k] = id->second;
      }
      triangles.push_back(triangle);
    }
  }
};

void find_components(const Vertices& vertices, std::size_t num_pieces, Topology& topology) {
  Groups groups(vertices.points.size());
  for (const auto& [a, b, c] : vertices.triangles) groups.unite(a, b), groups.unite(a, c);
  std::vector<bool> known(vertices.points.size(), false);
  for (std::size_t t = 0; t < vertices.triangles.size(); ++t) {
    const std::size_t group = at(groups.find(vertices.triangles[t][0]));
    if (!known[group]) topology.components.push_back(static_cast<int>(t));
    known[group] = true;
  }
  for (std::size_t i = vertices.triangles.size(); i < num_pieces; ++i)
    topology.components.push_back(static_cast<int>(i));
}

// Each vertex, in order, goes to the first one that stays within the tolerance along every axis.
std::vector<int> weld(const std::vector<Vec3>& points) {
  std::vector<int> stays(points.size());
  std::iota(stays.begin(), stays.end(), 0);
  if (points.empty()) return stays;
  Box3 box{points[0], points[0]};
  for (const Vec3& p : points) box = united(box, {p, p});
  const double tolerance = 0x1p-23 * max_abs(box.hi - box.lo);
  if (!(tolerance > 1e-200)) return stays;
  const auto cell_of = [&](const Vec3& p, double shift) {
    Cell cell;
    for (int i = 0; i < 3; ++i)
      cell[at(i)] =
          static_cast<std::int64_t>(std::floor((p[i] + shift - box.lo[i]) / (100 * tolerance)));
    return cell;
  };
  std::unordered_map<Cell, std::vector<int>, CellHash> staying;
  for (std::size_t v = 0; v < points.size(); ++v) {
    const Cell low = cell_of(points[v], -2 * tolerance), high = cell_of(points[v], 2 * tolerance);
    Cell cell;
    for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0])
      for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
        for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2])
          if (const auto found = staying.find(cell); found != staying.end())
            for (const int other : found->second)
              if (other < stays[v] && max_abs(points[at(other)] - points[v]) <= tolerance)
                stays[v] = other;
    if (stays[v] == static_cast<int>(v)) staying[cell_of(points[v], 0)].push_back(stays[v]);
  }
  return stays;
}

void move_corners(const std::vector<int>& stays, Vertices& vertices, Topology& topology) {
  for (std::size_t v = 0; v < stays.size(); ++v) {
    const Vector<Interval> way =
        Vector<Interval>(vertices.points[v]) - Vector<Interval>(vertices.points[at(stays[v])]);
    if (stays[v] != static_cast<int>(v))
      topology.weld_error = std::max(topology.weld_error, norm(way).hi);
    // Positions are computed with fewer than 16 roundings.
    topology.slack = std::max(topology.slack, 0x1p-48 * max_abs(vertices.points[v]));
  }
  topology.slack += topology.weld_error;
  for (Corners& triangle : vertices.triangles) {
    for (int& corner : triangle) corner = stays[at(corner)];
    const auto [a, b, c] = triangle;
    topology.triangles.push_back(
        {vertices.points[at(a)], vertices.points[at(b)], vertices.points[at(c)]});
  }
}

// Triangles with area, the first of those with the same corners; and which of them were written an
// even number of times.
struct Proper {
  std::vector<bool> counts, even;
};
Proper find_proper(const std::vector<Corners>& triangles) {
  std::vector<std::pair<Corners, std::size_t>> order;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Corners sorted = triangles[t];
    std::sort(sorted.begin(), sorted.end());
    if (sorted[0] != sorted[1] && sorted[1] != sorted[2]) order.emplace_back(sorted, t);
  }
  std::sort(order.begin(), order.end());
  Proper proper{std::vector<bool>(triangles.size()), std::vector<bool>(triangles.size())};
  for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
    if (order[i].first != order[first].first) first = i;
    if (i == first) proper.counts[order[i].second] = true;
    proper.even[order[first].second] = (i - first) % 2 == 1;
  }
  return proper;
}

struct Edge {
  std::vector<std::pair<int, bool>> uses;  // triangles, and whether from the lower vertex
};

class Edges {
 public:
  Edges(const std::vector<Corners>& triangles, const std::vector<bool>& counts)
      : of_(triangles.size()) {
    // By the lower end, the higher and the triangle: 64 bits of the first two compare at once.
    std::vector<std::pair<std::uint64_t, std::int64_t>> sides;  // ends, and 3 triangle + side
    for (std::size_t t = 0; t < triangles.size(); ++t)
      for (std::size_t k = 0; k < 3 && counts[t]; ++k) {
        const auto [low, high] = std::minmax(triangles[t][k], triangles[t][(k + 1) % 3]);
        sides.emplace_back(static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high),
                           static_cast<std::int64_t>(3 * t + k));
      }
    std::sort(sides.begin(), sides.end());
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const auto& [ends, place] = sides[i];
      const int triangle = static_cast<int>(place / 3), side = static_cast<int>(place % 3);
      if (i == 0 || sides[i - 1].first != ends) edges_.emplace_back();
      const Corners& corners = triangles[at(triangle)];
      const bool forward = corners[at(side)] < corners[at((side + 1) % 3)];
      edges_.back().uses.emplace_back(triangle, forward);
      of_[at(triangle)][at(side)] = static_cast<int>(edges_.size()) - 1;
    }
  }

  // Settles round by round whether triangles that were written an even number of times count: at an
  // edge where all others are settled, one that is missing for an even number is asked for.
  void settle(std::vector<bool> unsettled, std::vector<bool>& counts, Topology& topology) const {
    for (bool changed = true; changed;) {
      std::map<int, bool> asked;  // per triangle: whether any edge asks for it
      for (const Edge& edge : edges_) {
        int last = -1, waiting = 0, settled = 0;
        for (const auto& [t, forward] : edge.uses)
          if (counts[at(t)] && unsettled[at(t)])
            last = t, ++waiting;
          else
            settled += counts[at(t)];
        if (waiting == 1) asked[last] = asked[last] || settled % 2 != 0;
      }
      for (const auto& [t, wanted] : asked) {
        unsettled[at(t)] = false;
        counts[at(t)] = wanted;
        if (!wanted) topology.shell[at(t)] = kNoShell;
      }
      changed = !asked.empty();
    }
  }

  // What is left when triangles with an edge of their own are taken off until there are none.
  std::vector<bool> without_open(std::vector<bool> counts) const {
    std::vector<int> number, waiting;
    for (const Edge& edge : edges_) {
      number.push_back(0);
      for (const auto& [t, forward] : edge.uses) number.back() += counts[at(t)];
      for (const auto& [t, forward] : edge.uses)
        if (number.back() == 1 && counts[at(t)]) waiting.push_back(t);
    }
    while (!waiting.empty()) {
      const int t = waiting.back();
      waiting.pop_back();
      if (!counts[at(t)]) continue;
      counts[at(t)] = false;
      for (const int e : of_[at(t)])
        if (--number[at(e)] == 1)
          for (const auto& [other, forward] : edges_[at(e)].uses)
            if (counts[at(other)]) waiting.push_back(other);
    }
    return counts;
  }

  void find_shells(const std::vector<bool>& counts, Topology& topology) const {
    Groups groups(counts.size());
    std::vector<int> odd, uneven;
    for (const Edge& edge : edges_) {
      int first = -1, uses = 0, balance = 0;
      for (const auto& [t, forward] : edge.uses) {
        if (!counts[at(t)]) continue;
        first = first < 0 ? t : first;
        groups.unite(t, first);
        ++uses, balance += forward ? 1 : -1;
      }
      if (uses % 2 != 0) odd.push_back(first);
      if (balance != 0) uneven.push_back(first);
    }
    std::vector<int> number(counts.size(), kNoShell);
    for (const int t : odd) number[at(groups.find(t))] = kOpen;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      if (!counts[t]) continue;
      int& shell = number[at(groups.find(static_cast<int>(t)))];
      if (shell == kNoShell) {
        shell = static_cast<int>(topology.shells.size());
        topology.shells.push_back({static_cast<int>(t)});
      }
      topology.shell[t] = shell;
    }
    for (const int t : uneven)
      if (topology.shell[at(t)] >= 0) topology.shells[at(topology.shell[at(t)])].directed = false;
  }

 private:
  std::vector<Edge> edges_;
  std::vector<Corners> of_;  // the edges of each triangle
};

}  // namespace

namespace {

void find_shells(const std::vector<Corners>& triangles, Topology& topology) {
  const Proper proper = find_proper(triangles);
  topology.shells.clear();
  topology.open.clear();
  topology.shell.assign(proper.counts.size(), kNoShell);
  for (std::size_t t = 0; t < proper.counts.size(); ++t)
    if (proper.counts[t]) topology.shell[t] = kOpen;
  const Edges edges(triangles, proper.counts);
  std::vector<bool> counts = edges.without_open(proper.counts);
  edges.settle(proper.even, counts, topology);
  edges.find_shells(edges.without_open(counts), topology);
  for (std::size_t t = 0; t < counts.size(); ++t)
    if (topology.shell[t] == kOpen) topology.open.push_back(static_cast<int>(t));
}

}  // namespace

Topology find_topology(const Body& body) {
  Topology topology;
  Vertices vertices(body);
  find_components(vertices, body.pieces.size(), topology);
  find_shells(vertices.triangles, topology);
  std::vector<int> stays(vertices.points.size());
  std::iota(stays.begin(), stays.end(), 0);
  if (!topology.open.empty()) stays = weld(vertices.points);
  move_corners(stays, vertices, topology);
  if (topology.weld_error > 0) find_shells(vertices.triangles, topology);
  return topology;
}

}  // namespace proven::verifier
