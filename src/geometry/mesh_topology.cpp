#include "mesh_topology.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace proven {
namespace {

using Corners = std::array<int, 3>;  // vertices of a triangle

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

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
class VertexTable {
 public:
  explicit VertexTable(std::size_t max_vertices)
      : slots_(std::bit_ceil(2 * max_vertices), -1), mask_(slots_.size() - 1) {}

  int id_of(const Vec3& v, std::vector<Vec3>& vertices) {
    std::size_t at = CoordinateHash()(v) & mask_;
    while (slots_[at] >= 0 && vertices[index(slots_[at])] != v) at = (at + 1) & mask_;
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

std::vector<Corners> list_corners(std::span<const Triangle> triangles,
                                  std::vector<Vec3>& vertices) {
  VertexTable table(3 * triangles.size());
  std::vector<Corners> corners;
  corners.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    const int a = table.id_of(t.a, vertices), b = table.id_of(t.b, vertices),
              c = table.id_of(t.c, vertices);
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
  int& parent(int i) { return parent_[index(i)]; }
  std::vector<int> parent_;
};

void number_parts(const std::vector<Corners>& corners, MeshTopology& topology) {
  DisjointSets sets(topology.vertices.size());
  for (const auto& [a, b, c] : corners) sets.join(a, b), sets.join(a, c);
  std::vector<int> number(topology.vertices.size(), -1);  // of the part, per root
  for (const Corners& triangle : corners) {
    int& part = number[index(sets.root(triangle[0]))];
    if (part < 0) {
      part = static_cast<int>(topology.parts.size());
      topology.parts.push_back({static_cast<int>(topology.triangle_part.size()), false, false});
    }
    topology.triangle_part.push_back(part);
  }
}

// Vertices that stay, in cells of a grid that is much wider than the tolerance.
class WeldGrid {
 public:
  WeldGrid(const std::vector<Vec3>& vertices, const Vec3& low, double tolerance)
      : vertices_(vertices),
        low_(low),
        tolerance_(tolerance),
        scale_(1 / (32 * tolerance)),
        first_(std::bit_ceil(2 * vertices.size()), -1),
        next_(vertices.size(), -1) {}

  // The first vertex that stays within the tolerance of this one along every axis; else this one,
  // which then stays.
  int vertex_for(int v) {
    const Vec3& x = vertices_[index(v)];
    const Vec3 reach{2 * tolerance_, 2 * tolerance_, 2 * tolerance_};  // twice: for rounding
    const Cell low = cell_of(x - reach), high = cell_of(x + reach);
    int found = v;
    for (std::int64_t i = low[0]; i <= high[0]; ++i)
      for (std::int64_t j = low[1]; j <= high[1]; ++j)
        for (std::int64_t k = low[2]; k <= high[2]; ++k)
          for (int other = first_[slot({i, j, k})]; other >= 0; other = next_[index(other)])
            if (other < found && max_abs(vertices_[index(other)] - x) <= tolerance_) found = other;
    if (found == v) {
      int& first = first_[slot(cell_of(x))];
      next_[index(v)] = first;
      first = v;
    }
    return found;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  Cell cell_of(const Vec3& x) const {
    const Vec3 y = scale_ * (x - low_);  // rounded towards zero: a cell more at the low ends
    return {static_cast<std::int64_t>(y.x), static_cast<std::int64_t>(y.y),
            static_cast<std::int64_t>(y.z)};
  }
  std::size_t slot(const Cell& cell) const {
    std::uint64_t h = 0;
    for (const std::int64_t i : cell) {
      h = (h ^ static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return h & (first_.size() - 1);
  }

  const std::vector<Vec3>& vertices_;
  Vec3 low_;
  double tolerance_, scale_;
  std::vector<int> first_, next_;  // lists of vertices that stay; -1: the end
};

// Moves corners to the vertices that stay. What a tolerance can change is in docs/inside.md.
void weld(std::span<const Triangle> triangles, std::vector<Corners>& corners,
          MeshTopology& topology) {
  constexpr double kTolerance = 0x1p-23;  // of the longest side of the box around the triangles
  const std::vector<Vec3>& vertices = topology.vertices;
  if (vertices.empty()) return;
  Vec3 low = vertices[0], high = vertices[0];
  for (const Vec3& v : vertices)
    for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], v[i]), high[i] = std::max(high[i], v[i]);
  const double tolerance = kTolerance * max_abs(high - low);
  if (!(tolerance > 1e-200)) return;  // points, and sizes whose inverse overflows
  WeldGrid grid(vertices, low, tolerance);
  std::vector<int> stays(vertices.size());
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    stays[v] = grid.vertex_for(static_cast<int>(v));
    if (index(stays[v]) == v) continue;
    const double way = norm(vertices[v] - vertices[index(stays[v])]) * (1 + 0x1p-48);
    topology.weld_error = std::max(topology.weld_error, way);
  }
  if (topology.weld_error == 0) return;
  topology.welded.assign(triangles.begin(), triangles.end());
  for (std::size_t t = 0; t < corners.size(); ++t) {
    for (int& corner : corners[t]) corner = stays[index(corner)];
    topology.welded[t] = {vertices[index(corners[t][0])], vertices[index(corners[t][1])],
                          vertices[index(corners[t][2])]};
  }
}

struct EdgeUse {
  int low, high;  // vertices, low < high
  int opposite;   // the third corner of the triangle
  int use;        // 6 t + 2 k, plus 1 from high to low: the side k of the triangle t

  int side() const { return use / 2; }
  int triangle() const { return use / 6; }
  int sign() const { return use % 2 == 0 ? 1 : -1; }
};

std::vector<EdgeUse> list_edges(const std::vector<Corners>& corners) {
  std::vector<EdgeUse> edges;
  edges.reserve(3 * corners.size());
  for (std::size_t t = 0; t < corners.size(); ++t) {
    const auto [a, b, c] = corners[t];
    if (a == b || b == c || c == a) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = corners[t][k], to = corners[t][(k + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), corners[t][(k + 2) % 3],
                       static_cast<int>(6 * t + 2 * k) + (from < to ? 0 : 1)});
    }
  }
  return edges;
}

// By their lower vertex, counted into place, then by the rest: few edges share the former.
std::vector<EdgeUse> sorted_edges(const std::vector<EdgeUse>& edges, std::size_t num_vertices) {
  std::vector<std::size_t> end(num_vertices + 1, 0);
  for (const EdgeUse& e : edges) ++end[index(e.low) + 1];
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<EdgeUse> sorted(edges.size());
  for (const EdgeUse& e : edges) sorted[end[index(e.low)]++] = e;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t next = end[index(sorted[i].low)];
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(i),
              sorted.begin() + static_cast<std::ptrdiff_t>(next),
              [](const EdgeUse& e, const EdgeUse& f) {
                return e.high != f.high           ? e.high < f.high
                       : e.opposite != f.opposite ? e.opposite < f.opposite
                                                  : e.use < f.use;
              });
    i = next;
  }
  return sorted;
}

// Finds shells. An edge is a range of `edges_`: its uses.
class ShellFinder {
 public:
  ShellFinder(const std::vector<Corners>& corners, std::size_t num_vertices)
      : edges_(sorted_edges(list_edges(corners), num_vertices)), counts_(corners.size(), false) {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (i == 0 || edges_[i].low != edges_[i - 1].low || edges_[i].high != edges_[i - 1].high)
        begins_.push_back(i);
      counts_[index(edges_[i].triangle())] = true;
    }
    begins_.push_back(edges_.size());
  }

  void find(MeshTopology& topology) {
    topology.triangle_shell.assign(counts_.size(), MeshTopology::kNone);
    topology.shells.clear();
    if (!is_plain()) drop_doubles();
    for (std::size_t t = 0; t < counts_.size(); ++t)
      if (counts_[t]) topology.triangle_shell[t] = MeshTopology::kOpen;
    if (!is_plain_) {
      list_sides();
      take_off_open();
      for (const int t : settle_even()) topology.triangle_shell[index(t)] = MeshTopology::kNone;
      take_off_open();
    }
    number_shells(topology);
  }

 private:
  std::size_t num_edges() const { return begins_.size() - 1; }
  std::span<const EdgeUse> uses(std::size_t edge) const {
    return std::span(edges_).subspan(begins_[edge], begins_[edge + 1] - begins_[edge]);
  }
  bool counts(const EdgeUse& use) const { return counts_[index(use.triangle())]; }

  // Whether two different triangles meet at every edge: then there is nothing to drop.
  bool is_plain() {
    is_plain_ = true;
    for (std::size_t edge = 0; edge < num_edges() && is_plain_; ++edge) {
      const auto list = uses(edge);
      is_plain_ = list.size() == 2 && list[0].opposite != list[1].opposite;
    }
    return is_plain_;
  }

  // Of triangles with the same corners, which stand side by side, the first one counts.
  void drop_doubles() {
    even_.assign(counts_.size(), 0);
    for (std::size_t edge = 0; edge < num_edges(); ++edge) {
      const auto list = uses(edge);
      for (std::size_t i = 0, first = 0; i < list.size(); ++i) {
        if (list[i].opposite != list[first].opposite) first = i;
        even_[index(list[first].triangle())] = (i - first) % 2 == 1;
        if (i > first) counts_[index(list[i].triangle())] = false;
      }
    }
  }

  void list_sides() {
    edge_of_.resize(3 * counts_.size());
    for (std::size_t edge = 0; edge < num_edges(); ++edge)
      for (const EdgeUse& use : uses(edge)) edge_of_[index(use.side())] = edge;
  }
  std::span<const std::size_t> edges_of(int triangle) const {
    return std::span(edge_of_).subspan(3 * index(triangle), 3);
  }

  // Takes off triangles with an edge of their own, again and again.
  void take_off_open() {
    std::vector<int> number(num_edges(), 0);
    std::vector<std::size_t> lonely;
    for (std::size_t edge = 0; edge < num_edges(); ++edge) {
      for (const EdgeUse& use : uses(edge)) number[edge] += counts(use);
      if (number[edge] == 1) lonely.push_back(edge);
    }
    while (!lonely.empty()) {
      const auto list = uses(lonely.back());
      lonely.pop_back();
      const auto last = std::ranges::find_if(list, [&](const EdgeUse& u) { return counts(u); });
      if (last == list.end()) continue;
      counts_[index(last->triangle())] = false;
      for (const std::size_t edge : edges_of(last->triangle()))
        if (--number[edge] == 1) lonely.push_back(edge);
    }
  }

  // Triangles that were written an even number of times count once or not at all: as the edges at
  // which all else is settled ask for. Gives those that do not count.
  std::vector<int> settle_even() {
    std::vector<int> unsettled(num_edges(), 0), odd(num_edges(), 0), round, dropped;
    const auto waits = [&](const EdgeUse& u) { return counts(u) && even_[index(u.triangle())]; };
    const auto add_last = [&](std::size_t edge) {
      if (unsettled[edge] != 1) return;
      const auto list = uses(edge);
      round.push_back(std::ranges::find_if(list, waits)->triangle());
    };
    for (std::size_t edge = 0; edge < num_edges(); ++edge) {
      for (const EdgeUse& use : uses(edge))
        if (counts(use)) ++(waits(use) ? unsettled : odd)[edge];
      add_last(edge);
    }
    while (!round.empty()) {
      std::ranges::sort(round);
      round.erase(std::unique(round.begin(), round.end()), round.end());
      std::vector<std::size_t> touched;
      std::vector<char> keep;
      for (const int t : round)
        keep.push_back(std::ranges::any_of(edges_of(t), [&](std::size_t edge) {
          return unsettled[edge] == 1 && odd[edge] % 2 != 0;
        }));
      for (std::size_t i = 0; i < round.size(); ++i) {
        even_[index(round[i])] = 0;
        counts_[index(round[i])] = keep[i];
        if (!keep[i]) dropped.push_back(round[i]);
        for (const std::size_t edge : edges_of(round[i])) {
          --unsettled[edge], odd[edge] += keep[i];
          touched.push_back(edge);
        }
      }
      round.clear();
      for (const std::size_t edge : touched) add_last(edge);
    }
    return dropped;
  }

  void number_shells(MeshTopology& topology) {
    DisjointSets sets(counts_.size());
    std::vector<char> closed(counts_.size(), 1), directed(counts_.size(), 1);  // per root, later
    std::vector<int> odd, uneven;  // triangles at edges that are not as they should be
    for (std::size_t edge = 0; edge < num_edges(); ++edge) {
      int first = -1, number = 0, balance = 0;
      for (const EdgeUse& use : uses(edge)) {
        if (!counts(use)) continue;
        if (first < 0) first = use.triangle();
        sets.join(use.triangle(), first);
        ++number, balance += use.sign();
      }
      if (number % 2 != 0) odd.push_back(first);
      if (balance != 0) uneven.push_back(first);
    }
    for (const int t : odd) closed[index(sets.root(t))] = 0;
    for (const int t : uneven) directed[index(sets.root(t))] = 0;
    std::vector<int> shell(counts_.size(), -1);  // per root
    for (std::size_t t = 0; t < counts_.size(); ++t) {
      if (!counts_[t]) continue;
      const std::size_t root = index(sets.root(static_cast<int>(t)));
      if (!closed[root]) continue;
      if (shell[root] < 0) {
        shell[root] = static_cast<int>(topology.shells.size());
        topology.shells.push_back({static_cast<int>(t), directed[root] != 0});
      }
      topology.triangle_shell[t] = shell[root];
    }
  }

  std::vector<EdgeUse> edges_;
  std::vector<std::size_t> begins_;  // of edges, and the end
  std::vector<char> counts_;         // per triangle
  bool is_plain_ = false;
  std::vector<char> even_;            // per triangle: written an even number of times, unsettled
  std::vector<std::size_t> edge_of_;  // of the sides of triangles
};

void judge_parts(MeshTopology& topology) {
  std::vector<char> open(topology.parts.size(), 0);
  for (MeshTopology::Part& part : topology.parts) part.directed = true;
  for (std::size_t t = 0; t < topology.triangle_shell.size(); ++t) {
    const int shell = topology.triangle_shell[t];
    const std::size_t number = index(topology.triangle_part[t]);
    MeshTopology::Part& part = topology.parts[number];
    if (shell == MeshTopology::kOpen) open[number] = 1;
    if (shell < 0) continue;
    part.closed = true;
    part.directed = part.directed && topology.shells[index(shell)].directed;
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    MeshTopology::Part& part = topology.parts[i];
    part.closed = part.closed && !open[i];
    part.directed = part.directed && part.closed;
  }
}

}  // namespace

bool MeshTopology::has_open() const {
  return std::ranges::find(triangle_shell, kOpen) != triangle_shell.end();
}

MeshTopology find_topology(std::span<const Triangle> triangles) {
  MeshTopology topology;
  std::vector<Corners> corners = list_corners(triangles, topology.vertices);
  topology.triangle_part.reserve(triangles.size());
  number_parts(corners, topology);
  ShellFinder(corners, topology.vertices.size()).find(topology);
  if (topology.has_open()) {
    weld(triangles, corners, topology);
    if (!topology.welded.empty()) ShellFinder(corners, topology.vertices.size()).find(topology);
  }
  judge_parts(topology);
  return topology;
}

}  // namespace proven
