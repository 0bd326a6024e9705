#include "spacetime/lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyline.h"

namespace proven::spacetime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kCell = 0.5;  // metres between sections
constexpr std::size_t kMostLanes = 64;

void append(Lane& lane, Vec2 left, Vec2 right) {
  double s = 0;
  if (!lane.s.empty()) {
    if (lane.left.back() == left && lane.right.back() == right) return;
    const Vec2 before = 0.5 * (lane.left.back() + lane.right.back());
    s = lane.s.back() + norm(0.5 * (left + right) - before);
  }
  lane.left.push_back(left), lane.right.push_back(right), lane.s.push_back(s);
}

// Sections at every corner of either border, so that cells have straight sides, and in between.
void append_lanelet(Lane& lane, const Lanelet& lanelet) {
  const std::vector<double> l = lengths_along(lanelet.left), r = lengths_along(lanelet.right);
  std::vector<double> shares;
  for (const double at : l) shares.push_back(at / l.back());
  for (const double at : r) shares.push_back(at / r.back());
  std::ranges::sort(shares);
  const double longest = std::max(l.back(), r.back());
  double before = 0;
  append(lane, lanelet.left.front(), lanelet.right.front());
  for (const double share : shares) {
    if (!(share > before + 1e-12)) continue;
    const int parts = std::max(1, static_cast<int>(std::ceil((share - before) * longest / kCell)));
    for (int k = 1; k <= parts; ++k) {
      const double at = before + (share - before) * k / parts;
      append(lane, point_at(lanelet.left, l, at), point_at(lanelet.right, r, at));
    }
    before = share;
  }
}

Vec2 direction_at_end(const Lanelet& lanelet, bool end) {
  const auto way = [&](const std::vector<Vec2>& line) {
    const std::size_t n = line.size();
    return end ? line[n - 1] - line[n - 2] : line[1] - line[0];
  };
  const Vec2 d = way(lanelet.left) + way(lanelet.right);
  const double length = norm(d);
  return length > 0 ? (1 / length) * d : Vec2{1, 0};
}

// Chains of successors (or predecessors), each at least so long where the road is.
class Chains {
 public:
  Chains(const Road& road, bool forwards) : road_(road), forwards_(forwards) {}

  // False: too many.
  bool run(int lanelet, double length) {
    const Lanelet& here = road_.lanelets()[static_cast<std::size_t>(lanelet)];
    std::vector<int> next;
    for (const std::string& id : forwards_ ? here.successors : here.predecessors)
      if (const int other = road_.find(id); other >= 0) next.push_back(other);
    if (length <= 0 || next.empty() || chain_.size() > 200) {
      found.push_back(chain_);
      return found.size() <= kMostLanes;
    }
    for (const int other : next) {
      chain_.push_back(other);
      const bool fine = run(other, length - road_.length(other));
      chain_.pop_back();
      if (!fine) return false;
    }
    return true;
  }

  std::vector<std::vector<int>> found;

 private:
  const Road& road_;
  const bool forwards_;
  std::vector<int> chain_;
};

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

Vec2 middle_of(const Lane& lane, int i) {
  const auto k = index(i);
  return 0.25 * (lane.left[k] + lane.right[k] + lane.left[k + 1] + lane.right[k + 1]);
}

void measure(Lane& lane) {
  for (int i = 0; i < lane.cells(); ++i) {
    lane.middles.push_back(middle_of(lane, i));
    const Vec2 middle = lane.middles.back();
    for (int k = 0; k < 2; ++k)
      lane.radius = std::max({lane.radius, norm(lane.left[index(i + k)] - middle),
                              norm(lane.right[index(i + k)] - middle)});
    if (i > 0) lane.stride = std::max(lane.stride, norm(middle - lane.middles[index(i - 1)]));
  }
}

Lane lane_of(const Road& road, const std::vector<int>& lanelets, std::size_t own, double behind,
             double ahead) {
  const auto at = [&](std::size_t i) -> const Lanelet& {
    return road.lanelets()[static_cast<std::size_t>(lanelets[i])];
  };
  Lane lane;
  double before = 0, after = 0;
  for (std::size_t i = 0; i < own; ++i) before += road.length(lanelets[i]);
  for (std::size_t i = own + 1; i < lanelets.size(); ++i) after += road.length(lanelets[i]);
  const auto straight = [&](const Lanelet& from, bool end, double length) {
    const Vec2 d = direction_at_end(from, end);
    const Vec2 l = end ? from.left.back() : from.left.front();
    const Vec2 r = end ? from.right.back() : from.right.front();
    const int parts = static_cast<int>(std::ceil(length / kCell));
    for (int k = end ? 1 : -parts; k <= (end ? parts : -1); ++k)
      append(lane, l + (k * kCell) * d, r + (k * kCell) * d);
  };
  if (before < behind) straight(at(0), false, behind - before);
  for (std::size_t i = 0; i < lanelets.size(); ++i) append_lanelet(lane, at(i));
  if (after < ahead) straight(at(lanelets.size() - 1), true, ahead - after);
  measure(lane);
  return lane;
}

double distance_to_edge(Vec2 p, Vec2 a, Vec2 b) {
  const Vec2 d = b - a, to = p - a;
  const double square = dot(d, d);
  const double u = square > 0 ? std::clamp(dot(to, d) / square, 0.0, 1.0) : 0;
  return norm(to - u * d);
}

bool in_triangle(Vec2 p, Vec2 a, Vec2 b, Vec2 c) {
  const double x = cross(b - a, p - a), y = cross(c - b, p - b), z = cross(a - c, p - c);
  return x + y + z != 0 && ((x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0));
}

// How far the points of cell j are beyond those of cell i along n.
double gap_along(const Lane& lane, int i, int j, Vec2 n) {
  double high = -kInfinity, low = kInfinity;
  for (int k = 0; k < 2; ++k) {
    high = std::max({high, dot(n, lane.left[index(i + k)]), dot(n, lane.right[index(i + k)])});
    low = std::min({low, dot(n, lane.left[index(j + k)]), dot(n, lane.right[index(j + k)])});
  }
  return low - high;
}

}  // namespace

int Lane::cell_at(double progress) const {
  const auto after = std::upper_bound(s.begin(), s.end(), progress) - s.begin();
  return std::clamp(static_cast<int>(after) - 1, 0, cells() - 1);
}

CellRange Lane::around(double progress, double within) const {
  return {cell_at(progress - within), cell_at(progress + within)};
}

std::optional<double> Lane::locate(Vec2 p, CellRange cells) const {
  // How far p is ahead of the section at share u of cell i, times the section's length.
  const auto ahead = [&](int i, double u) {
    const auto k = index(i);
    const Vec2 l = left[k] + u * (left[k + 1] - left[k]);
    const Vec2 r = right[k] + u * (right[k + 1] - right[k]);
    return cross(r - l, p - l);
  };
  double best = kInfinity;
  std::optional<double> found;
  for (int i = cells.first; i <= cells.last; ++i) {
    const double off = norm(p - middles[index(i)]);
    if (!(off < best) || !(ahead(i, 0) >= 0 && ahead(i, 1) <= 0)) continue;
    double low = 0, high = 1;
    for (int round = 0; round < 50; ++round) {
      const double u = 0.5 * (low + high);
      (ahead(i, u) >= 0 ? low : high) = u;
    }
    best = off;
    found = s[index(i)] + low * (s[index(i) + 1] - s[index(i)]);
  }
  return found;
}

double Lane::distance(Vec2 p, CellRange cells) const {
  double best = kInfinity;
  for (int i = cells.first; i <= cells.last; ++i) {
    const auto k = index(i);
    if (norm(p - middles[k]) - radius > best) continue;
    const Vec2 a = left[k], b = left[k + 1], c = right[k + 1], d = right[k];
    if (in_triangle(p, a, b, c) || in_triangle(p, a, c, d)) return 0;
    best = std::min({best, distance_to_edge(p, a, b), distance_to_edge(p, b, c),
                     distance_to_edge(p, c, d), distance_to_edge(p, d, a)});
  }
  return best;
}

Result<std::vector<Lane>> lanes_through(const Road& road, int lanelet, double behind,
                                        double ahead) {
  Chains back(road, false), forth(road, true);
  if (!back.run(lanelet, behind) || !forth.run(lanelet, ahead) ||
      back.found.size() * forth.found.size() > kMostLanes)
    return bad_input(
        fmt::format("more than {} ways lead on from it", kMostLanes),
        fmt::format("lanelet '{}'", road.lanelets()[static_cast<std::size_t>(lanelet)].id));
  std::vector<Lane> lanes;
  for (const std::vector<int>& before : back.found)
    for (const std::vector<int>& after : forth.found) {
      std::vector<int> all(before.rbegin(), before.rend());
      const std::size_t own = all.size();
      all.push_back(lanelet);
      all.insert(all.end(), after.begin(), after.end());
      lanes.push_back(lane_of(road, all, own, behind, ahead));
    }
  return lanes;
}

CellRange cells_near(const Lane& lane, int i, double r) {
  const Vec2 middle = lane.middles[index(i)];
  const Vec2 a = 0.5 * (lane.left[index(i)] + lane.right[index(i)]);
  const Vec2 b = 0.5 * (lane.left[index(i + 1)] + lane.right[index(i + 1)]);
  const double length = norm(b - a);
  const Vec2 n = length > 0 ? (1 / length) * (b - a) : Vec2{1, 0};
  CellRange range{i, i};
  for (int j = 0; j < lane.cells();) {
    // Beyond what two cells and r reach, the next middles are too, one stride nearer each.
    const double beyond = norm(lane.middles[index(j)] - middle) - 2 * lane.radius - r;
    if (beyond > 0) {
      j += 1 + static_cast<int>(std::min(1e6, 0.999 * beyond / std::max(1e-3, lane.stride)));
      continue;
    }
    if (!(gap_along(lane, i, j, n) > r || gap_along(lane, i, j, -1 * n) > r)) {
      range.first = std::min(range.first, j);
      range.last = std::max(range.last, j);
    }
    ++j;
  }
  return range;
}

std::vector<Vec2> hull_of(std::vector<Vec2> points) {
  std::ranges::sort(points, [](Vec2 a, Vec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Vec2> hull;
  for (const bool upper : {false, true}) {
    const std::size_t first = hull.size();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Vec2 p = upper ? points[points.size() - 1 - k] : points[k];
      while (hull.size() >= first + 2 &&
             cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
  }
  return hull;
}

Result<std::vector<Footprint>> cover_cells(const Lane& lane, int first, int last, double w) {
  // Runs whose borders are straight to within this are one polygon.
  constexpr double kBend = 0.05;
  std::vector<Footprint> cover;
  // Every corner of the run's borders is within this of the straight line between its ends, so that
  // the run is within it of the hull of its four ends.
  const auto bend = [&](int from, int to) {
    double most = 0;
    for (const std::vector<Vec2>* line : {&lane.left, &lane.right})
      for (int i = from + 1; i < to; ++i)
        most = std::max(
            most, distance_to_edge((*line)[index(i)], (*line)[index(from)], (*line)[index(to)]));
    return most;
  };
  const auto add = [&](const auto& self, int from, int to) -> Result<void> {
    const double off = bend(from, to);
    if (to - from > 1 && off > kBend) {
      const int middle = (from + to) / 2;
      auto before = self(self, from, middle);
      return before.ok() ? self(self, middle, to) : before;
    }
    std::vector<Vec2> points;
    const double wide = w + off;
    for (const int i : {from, to})
      for (const Vec2 p : {lane.left[index(i)], lane.right[index(i)]})
        for (const Vec2 d :
             {Vec2{wide, wide}, Vec2{wide, -wide}, Vec2{-wide, wide}, Vec2{-wide, -wide}})
          points.push_back(p + d);
    auto polygon = Footprint::polygon(hull_of(std::move(points)));
    if (!polygon.ok()) return polygon.error();
    cover.push_back(std::move(polygon).value());
    return {};
  };
  const auto added = add(add, first, last + 1);
  if (!added.ok()) return added.error();
  return cover;
}

}  // namespace proven::spacetime
