#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "io/sensed_readers.h"
#include "proven/geometry/curve_order.h"

namespace proven::io {
namespace {

double squared_distance(const Vec3& a, const Vec3& b) {
  const Vec3 d = a - b;
  return d.x * d.x + d.y * d.y + d.z * d.z;
}

bool comes_first(const Vec3& a, const Vec3& b) {
  return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

struct Box {
  Vec3 low, high;

  explicit Box(std::span<const Vec3> places) : low(places[0]), high(places[0]) {
    for (const Vec3& p : places) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  }

  // Rounding is monotonic: no more than the computed distance to any place in the box.
  double squared_distance_to(const Vec3& p) const {
    const auto gap = [](double x, double lower, double upper) {
      return std::max(0.0, std::max(lower - x, x - upper));
    };
    const Vec3 d{gap(p.x, low.x, high.x), gap(p.y, low.y, high.y), gap(p.z, low.z, high.z)};
    return d.x * d.x + d.y * d.y + d.z * d.z;
  }
};

// The different places of a cloud along Morton's curve, where neighbours are near each other, under
// a tree of boxes.
class Places {
 public:
  explicit Places(std::span<const Vec3> points) {
    order(points);
    nodes_.reserve(places_.size() / 2 + 1);
    if (places_.size() > 1) add_node(0, places_.size());
  }

  std::size_t size() const { return places_.size(); }

  // No less than the squared distance to the nearest other place: that to some along the curve.
  double bound_at(std::size_t index) const {
    constexpr std::size_t kBeside = 10;
    double best = std::numeric_limits<double>::infinity();
    const std::size_t end = std::min(index + kBeside + 1, places_.size());
    for (std::size_t i = index - std::min(index, kBeside); i < end; ++i)
      if (i != index) best = std::min(best, squared_distance(places_[i], places_[index]));
    return best;
  }
  // The squared distance to the nearest other place, which is at most `bound`.
  double nearest_to(std::size_t index, double bound) const {
    search(0, index, bound);
    return bound;
  }

 private:
  static constexpr std::size_t kLeaf = 8;

  struct Node {
    Box box;
    std::size_t first, end;
    std::size_t second_child = 0;  // the first one comes next; 0: a leaf
  };

  void order(std::span<const Vec3> points) {
    const Box box(points);
    LargeArray<Coded> codes = code_points(points, box.low, box.high);
    sort_by_code(codes);
    places_.reserve(points.size());
    for (std::size_t i = 0, end = 0; i < codes.size(); i = end) {
      const std::size_t first = places_.size();
      for (; end < codes.size() && codes[end].code == codes[i].code; ++end)
        places_.push_back(points[codes[end].item]);
      if (places_.size() - first > 1) sort_cell(first);
    }
  }

  // The last places, which share a cell: each once, and where there are many, near ones together.
  void sort_cell(std::size_t first) {
    const auto begin = places_.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, places_.end(), comes_first);
    places_.erase(std::unique(begin, places_.end()), places_.end());
    if (places_.size() - first > kLeaf) halve(first, places_.size());
  }
  Box around(std::size_t first, std::size_t end) const {
    return Box(std::span<const Vec3>(places_).subspan(first, end - first));
  }
  void halve(std::size_t first, std::size_t end) {
    if (end - first <= kLeaf) return;
    const Box box = around(first, end);
    const Vec3 side = box.high - box.low;
    const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
    const std::size_t middle = first + (end - first) / 2;
    const auto at = [&](std::size_t i) { return places_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(first), at(middle), at(end),
                     [axis](const Vec3& a, const Vec3& b) { return a[axis] < b[axis]; });
    halve(first, middle);
    halve(middle, end);
  }

  void add_node(std::size_t first, std::size_t end) {
    const std::size_t index = nodes_.size();
    nodes_.push_back({around(first, std::min(end, first + kLeaf)), first, end});
    if (end - first <= kLeaf) return;
    const std::size_t middle = first + (end - first) / 2;
    add_node(first, middle);
    const std::size_t second = nodes_.size();
    add_node(middle, end);
    Node& node = nodes_[index];
    node.second_child = second;
    node.box = join(nodes_[index + 1].box, nodes_[second].box);
  }
  static Box join(Box a, const Box& b) {
    a.low = {std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)};
    a.high = {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y),
              std::max(a.high.z, b.high.z)};
    return a;
  }

  void search(std::size_t index, std::size_t self, double& best) const {
    const Node& node = nodes_[index];
    const Vec3& p = places_[self];
    if (node.second_child == 0) {
      for (std::size_t i = node.first; i < node.end; ++i)
        if (i != self) best = std::min(best, squared_distance(places_[i], p));
      return;
    }
    const std::size_t children[2] = {index + 1, node.second_child};
    const double away[2] = {nodes_[children[0]].box.squared_distance_to(p),
                            nodes_[children[1]].box.squared_distance_to(p)};
    const int near = away[1] < away[0];
    if (away[near] < best) search(children[near], self, best);
    if (away[1 - near] < best) search(children[1 - near], self, best);
  }

  std::vector<Vec3> places_;
  std::vector<Node> nodes_;
};

// The largest but `above` of all squared distances. Only those need to be found whose bounds are
// among the largest: the others are smaller than what is asked for.
double largest_but(std::size_t above, const Places& places) {
  std::vector<double> bounds(places.size()), ordered, found;
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = places.bound_at(i);
  ordered = bounds;
  const auto rank = [](std::vector<double>& values, std::size_t place) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), at, values.end(), std::greater<>());
    return *at;
  };
  double reached = std::numeric_limits<double>::infinity();
  for (std::size_t count = 2 * above + 64;; count += count / 2) {
    const double least = count < bounds.size() ? rank(ordered, count) : -1;
    // In the order of the curve: the next search finds what the last one has read.
    for (std::size_t i = 0; i < bounds.size(); ++i)
      if (bounds[i] >= least && bounds[i] < reached)
        found.push_back(places.nearest_to(i, bounds[i]));
    reached = least;
    if (const double square = rank(found, above); square >= least) return square;
  }
}

}  // namespace

std::optional<double> spacing_radius(const std::vector<Vec3>& points) {
  if (points.empty()) return std::nullopt;
  const Places places(points);
  if (places.size() < 2) return std::nullopt;
  // Of n places that of rank ⌈0.95 n⌉.
  const std::size_t rank = (19 * places.size() + 19) / 20 - 1;
  return std::sqrt(0.5 * largest_but(places.size() - 1 - rank, places));
}

}  // namespace proven::io
