#include "proven/geometry/ball_cover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "cover_parts.h"
#include "grain_search.h"
#include "proven/base/elementary.h"

namespace proven {
namespace {

// A cover takes at most this many balls, and grows until so many suffice.
constexpr std::size_t kMostBalls = 24;
// What balls may reach beyond the body, as a share of its size: from the least, each by a sixth
// more.
constexpr double kLeastGrowth = 0.02, kNextGrowth = 7.0 / 6;
constexpr int kGrowths = 22;
constexpr std::size_t kMostSamples = 500, kMostCandidates = 250;
constexpr int kDirections = 96;
constexpr double kWorthSplitting = 0.75;
constexpr int kMostSplits = 3;
// How much the samples that a ball holds count beside how far it gets.
constexpr double kCountWeight = 32;
// ---- choosing balls; nothing here needs to be exact

const std::vector<Vec3>& directions() {
  static const std::vector<Vec3> kAll = [] {
    std::vector<Vec3> all;
    for (int i = 0; i < 3; ++i)
      for (const double sign : {-1.0, 1.0}) {
        all.emplace_back();
        all.back()[i] = sign;
      }
    for (int i = 0; i < kDirections - 6; ++i) {  // a spiral from pole to pole
      const double z = 1 - (2.0 * i + 1) / (kDirections - 6), r = std::sqrt(1 - z * z);
      const double angle = 2.399963229728653 * i;
      all.push_back({r * cosine(angle), r * sine(angle), z});
    }
    return all;
  }();
  return kAll;
}

// Points that tell the shape of a part of the body, and its extents along the directions.
struct Cluster {
  std::vector<Vec3> samples;
  std::array<double, kDirections> reach;
  Aabb box;

  explicit Cluster(std::vector<Vec3> points) : samples(std::move(points)) {
    reach.fill(-INFINITY);
    box = {samples[0], samples[0]};
    for (const Vec3& p : samples) {
      extend(box, {p, p});
      for (std::size_t k = 0; k < kDirections; ++k)
        reach[k] = std::max(reach[k], dot(directions()[k], p));
    }
  }
  // How far below all of its tangent planes a point is.
  double depth(const Vec3& p) const {
    double least = INFINITY;
    for (std::size_t k = 0; k < kDirections; ++k)
      least = std::min(least, reach[k] - dot(directions()[k], p));
    return least;
  }
  // What lies deep inside is held where the surface is.
  void keep_surface(double thickness) {
    std::erase_if(samples, [&](const Vec3& p) { return depth(p) > thickness; });
    if (samples.size() <= kMostSamples) return;
    const std::size_t step = samples.size() / kMostSamples + 1;
    std::vector<Vec3> fewer;
    for (std::size_t i = 0; i < samples.size(); i += step) fewer.push_back(samples[i]);
    samples = std::move(fewer);
  }
  // Points of a grid that lie inside.
  std::vector<Vec3> inner_points(double pitch) const {
    std::vector<Vec3> inner;
    const Vec3 size = box.hi - box.lo;
    std::array<int, 3> count;
    for (int i = 0; i < 3; ++i)
      count[static_cast<std::size_t>(i)] = 1 + 2 * static_cast<int>(0.5 * size[i] / pitch);
    for (int x = 0; x < count[0]; ++x)
      for (int y = 0; y < count[1]; ++y)
        for (int z = 0; z < count[2]; ++z) {
          const Vec3 p = box.lo + Vec3{(x + 0.5) * size.x / count[0], (y + 0.5) * size.y / count[1],
                                       (z + 0.5) * size.z / count[2]};
          if (depth(p) >= 0) inner.push_back(p);
        }
    return inner;
  }
};

std::size_t volume(const Cluster& cluster, double pitch) {
  return cluster.inner_points(pitch).size();
}

// Cuts what is far from convex.
void split(Cluster cluster, double pitch, int splits, std::vector<Cluster>& out) {
  const std::size_t whole = volume(cluster, pitch);
  if (splits > 0 && whole > 8) {
    std::size_t best = static_cast<std::size_t>(kWorthSplitting * static_cast<double>(whole));
    std::vector<Vec3> left, right;
    for (int axis = 0; axis < 3; ++axis) {
      const double middle = 0.5 * (cluster.box.lo[axis] + cluster.box.hi[axis]);
      std::vector<Vec3> low, high;
      for (const Vec3& p : cluster.samples) (p[axis] < middle ? low : high).push_back(p);
      if (low.size() < 4 || high.size() < 4) continue;
      const std::size_t sum = volume(Cluster(low), pitch) + volume(Cluster(high), pitch);
      if (sum >= best) continue;
      best = sum;
      left = std::move(low), right = std::move(high);
    }
    if (!left.empty()) {
      split(Cluster(std::move(left)), pitch, splits - 1, out);
      split(Cluster(std::move(right)), pitch, splits - 1, out);
      return;
    }
  }
  out.push_back(std::move(cluster));
}

// From one end of the cluster to the other: of the balls that hold the first sample which no ball
// holds, the one that leaves the next such sample farthest away, and holds most. Returns too many
// where no few suffice. `cores`: middles of round parts.
std::vector<CoverBall> choose(const Cluster& cluster, std::span<const CoverBall> cores,
                              double growth) {
  const Vec3 size = cluster.box.hi - cluster.box.lo;
  std::vector<CoverBall> candidates(cores.begin(), cores.end());
  const double pitch =
      std::max({0.5 * growth, cube_root(size.x * size.y * size.z / kMostCandidates), 1e-9});
  for (const Vec3& c : cluster.inner_points(pitch))
    candidates.push_back({c, 0, std::max(0.0, cluster.depth(c))});
  for (CoverBall& ball : candidates) ball.radius = ball.depth + growth;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  std::vector<Vec3> open = cluster.samples;
  std::ranges::sort(open, {}, [&](const Vec3& p) { return p[axis]; });
  const auto holds = [](const CoverBall& ball, const Vec3& p) {
    return dot(p - ball.centre, p - ball.centre) <= ball.radius * ball.radius;
  };
  std::vector<CoverBall> balls;
  while (!open.empty() && balls.size() <= kMostBalls) {
    CoverBall best{open.front(), growth, 0};  // a thin place between the points of the grid
    double highest = 0;
    for (const CoverBall& ball : candidates) {
      std::size_t first = 0, count = 0;
      while (first < open.size() && holds(ball, open[first])) ++first;
      if (first == 0) continue;
      for (std::size_t i = first;
           i < open.size() && open[i][axis] <= ball.centre[axis] + ball.radius; ++i)
        count += holds(ball, open[i]);
      const double advance = open[std::min(first, open.size() - 1)][axis] - open[0][axis];
      const double share =
          static_cast<double>(first + count) / static_cast<double>(cluster.samples.size());
      if (const double score = advance / growth + kCountWeight * share; score > highest)
        highest = score, best = ball;
    }
    std::erase_if(open, [&](const Vec3& p) { return holds(best, p); });
    balls.push_back(best);
  }
  return balls;
}

std::vector<Vec3> sample(const std::vector<Part>& parts, double size) {
  // One point per voxel.
  const double voxel = size / 40;
  std::set<std::array<long, 3>> taken;
  std::vector<Vec3> samples;
  const auto add = [&](const Vec3& p) {
    if (taken.insert({std::lround(p.x / voxel), std::lround(p.y / voxel), std::lround(p.z / voxel)})
            .second)
      samples.push_back(p);
  };
  std::vector<Part> open;
  std::array<Part, 2> two;
  for (const Part& part : parts) {
    open.assign(1, part);
    while (!open.empty()) {
      const Part next = std::move(open.back());
      open.pop_back();
      if (diameter(next) > 1.5 * voxel && halves(next, two)) {
        open.push_back(two[0]);
        open.push_back(two[1]);
        continue;
      }
      for (const Vec3& p : next.points) {
        if (next.radius == 0) {
          add(p);
          continue;
        }
        for (std::size_t k = 0; k < kDirections; k += 4) add(p + next.radius * directions()[k]);
      }
    }
  }
  return samples;
}

// Balls inside of convex pieces that are round: middles that a grid would miss.
std::vector<CoverBall> cores_of(const BodyGeometry& geometry) {
  constexpr int kAlong = 24;
  std::vector<CoverBall> cores;
  for (const Convex& c : geometry.convexes()) {
    if (c.kind == ConvexKind::box || c.kind == ConvexKind::hull) continue;
    const bool cylinder = c.kind == ConvexKind::cylinder;
    const double h = c.kind == ConvexKind::sphere ? 0 : c.half_extents.z;
    for (int i = 0; i <= (h > 0 ? kAlong : 0); ++i) {
      const double z = h > 0 ? h * (2.0 * i / kAlong - 1) : 0;
      const double depth = cylinder ? std::min(c.half_extents.x, h - std::fabs(z)) : c.radius;
      cores.push_back({c.X_BS * Vec3{0, 0, z}, 0, depth});
    }
  }
  if (cores.size() > kMostCandidates) cores.clear();
  return cores;
}

// ---- the proof that they hold everything

// Above the distance from the centre to the farthest point of the part.
double reach_of(const Part& part, const Vec3& centre) {
  double most = 0;
  for (const Vec3& p : part.points) most = std::max(most, norm(p - centre));
  return (most + part.radius) * (1 + kPartUp);
}

// Every part, or every half of it, ends up in one ball, which must be as large as `needed`: small
// parts that no ball holds make the one grow that needs it least.
void hold(const Part& whole, double smallest, double slack, std::vector<CoverBall>& balls,
          std::vector<double>& needed) {
  std::vector<Part> open = {whole};
  std::array<Part, 2> two;
  while (!open.empty()) {
    const Part part = std::move(open.back());
    open.pop_back();
    double least = INFINITY, reach = 0;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < balls.size(); ++i) {
      const double own = reach_of(part, balls[i].centre) + slack;
      if (own - balls[i].radius < least)
        least = own - balls[i].radius, nearest = i, reach = own * (1 + kPartUp);
    }
    if (least > 0 && diameter(part) > smallest && halves(part, two)) {
      open.push_back(std::move(two[0]));
      open.push_back(std::move(two[1]));
      continue;
    }
    needed[nearest] = std::max(needed[nearest], reach);
    balls[nearest].radius = std::max(balls[nearest].radius, reach);
  }
}

// ---- what lies in the body

// How far the point is below the surface of a solid piece, or less.
double depth_in(const Convex& c, const Vec3& point) {
  const Vec3 p = inverse(c.X_BS) * point;
  const Vec3& half = c.half_extents;
  switch (c.kind) {
    case ConvexKind::box:
      return std::min({half.x - std::fabs(p.x), half.y - std::fabs(p.y), half.z - std::fabs(p.z)});
    case ConvexKind::sphere:
      return c.radius - norm(p);
    case ConvexKind::capsule:
      return c.radius - hypotenuse(hypotenuse(p.x, p.y), std::max(0.0, std::fabs(p.z) - half.z));
    case ConvexKind::cylinder:
      return std::min(half.x - hypotenuse(p.x, p.y), half.z - std::fabs(p.z));
    case ConvexKind::hull:
      break;
  }
  return 0;
}

// The point of the triangle that is about nearest.
Vec3 near_point(const Triangle& t, const Vec3& p) {
  const Vec3 ab = t.b - t.a, ac = t.c - t.a, ap = p - t.a;
  const double aa = dot(ab, ab), cc = dot(ac, ac), x = dot(ab, ac), u = dot(ap, ab),
               v = dot(ap, ac);
  const double area = aa * cc - x * x;
  if (area > 0) {
    const double s = (cc * u - x * v) / area, r = (aa * v - x * u) / area;
    if (s >= 0 && r >= 0 && s + r <= 1) return t.a + s * ab + r * ac;
  }
  Vec3 best = t.a;
  const auto try_edge = [&](const Vec3& from, const Vec3& to) {
    const Vec3 along = to - from;
    const double length = dot(along, along);
    const double share = length > 0 ? std::clamp(dot(p - from, along) / length, 0.0, 1.0) : 0;
    const Vec3 q = from + share * along;
    if (norm(p - q) < norm(p - best)) best = q;
  };
  try_edge(t.a, t.b);
  try_edge(t.b, t.c);
  try_edge(t.c, t.a);
  return best;
}

// Below the distance of the point to the triangle: along the direction from a near point, none of
// its corners is nearer.
double distance_below(const Triangle& t, const Vec3& p) {
  const Vec3 n = normalized(p - near_point(t, p));
  return std::min({dot(n, p - t.a), dot(n, p - t.b), dot(n, p - t.c)});
}

double distance_to_triangles(const BodyGeometry& geometry, const Vec3& p) {
  const BoxTree& tree = geometry.box_tree();
  double least = INFINITY;
  std::vector<int> open = {0};
  while (!open.empty()) {
    const BoxNode& node = tree.nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    Vec3 beyond;
    for (int i = 0; i < 3; ++i)
      beyond[i] = std::max(0.0, std::fabs(p[i] - node.centre[i]) - node.half[i]);
    if (norm(beyond) >= least) continue;
    if (!node.is_leaf()) {
      open.push_back(node.first_child);
      open.push_back(node.first_child + 1);
    } else if (geometry.is_triangle(node.item)) {
      const double own =
          distance_below(geometry.triangles()[static_cast<std::size_t>(node.item)], p);
      least = std::min(least, std::isnan(own) ? 0.0 : own);
    }
  }
  return least;
}

}  // namespace

// A ball that meets no triangle is wholly inside a mesh if its centre is.
double inner_radius(const BodyGeometry& geometry, const Vec3& p) {
  double most = 0;
  for (const Convex& c : geometry.convexes()) most = std::max(most, depth_in(c, p));
  if (!geometry.grains().empty())
    (void)find_grain(geometry.box_tree(), {p, p}, [&](int i) {
      most = std::max(most, depth_in(geometry.grains().convex(i), p));
      return false;
    });
  if (geometry.shells_contain(p))
    most = std::max(most, distance_to_triangles(geometry, p) - geometry.weld_error());
  return std::max(0.0, most - kPartUp * (geometry.max_coordinate() + norm(p)));
}

std::vector<CoverBall> cover_with_balls(const BodyGeometry& geometry) {
  const std::vector<Part> parts = parts_of(geometry);
  const double size = geometry.bounding_sphere().radius;
  // Corners of parts were computed: a few u of the coordinates that they come from.
  const double slack = kPartUp * geometry.max_coordinate();
  std::vector<CoverBall> balls;
  std::vector<Cluster> clusters;
  split(Cluster(sample(parts, 2 * size)), size / 8, kMostSplits, clusters);
  for (Cluster& cluster : clusters) cluster.keep_surface(0.1 * size);
  const std::vector<CoverBall> cores = cores_of(geometry);
  const auto attempt = [&](int step) {
    std::vector<CoverBall> all;
    for (const Cluster& cluster : clusters) {
      const auto own = choose(cluster, cores, kLeastGrowth * std::pow(kNextGrowth, step) * size);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  };
  // The least growth for which few balls suffice.
  int least = 0, most = kGrowths;
  while (least < most) {
    const int middle = (least + most) / 2;
    std::vector<CoverBall> tried = attempt(middle);
    if (tried.size() <= kMostBalls) {
      balls = std::move(tried);
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  const BoundingSphere& whole = geometry.bounding_sphere();
  if (balls.empty()) balls = {{whole.centre, whole.radius, 0}};
  std::vector<double> needed(balls.size(), 0.0);
  for (const Part& part : parts) hold(part, size / 200, slack, balls, needed);
  for (std::size_t i = 0; i < balls.size(); ++i) balls[i].radius = needed[i];
  std::erase_if(balls, [](const CoverBall& ball) { return ball.radius == 0; });
  for (CoverBall& ball : balls) ball.depth = inner_radius(geometry, ball.centre);
  return balls;
}

// Of the points of a grid, those whose balls reach beyond the ones that are kept.
std::vector<InnerBall> fill_with_balls(const BodyGeometry& geometry) {
  constexpr double kGridPoints = 2000;
  constexpr std::size_t kMostInnerBalls = 128;
  const auto& [lo, hi] = geometry.bounds();
  const Vec3 size = hi - lo;
  const double step = cube_root(size.x * size.y * size.z / kGridPoints);
  if (!(step > 0)) return {};
  std::array<int, 3> count;
  for (int i = 0; i < 3; ++i)
    count[static_cast<std::size_t>(i)] = static_cast<int>(std::clamp(size[i] / step, 1.0, 100.0));
  std::vector<InnerBall> found;
  for (int x = 0; x < count[0]; ++x)
    for (int y = 0; y < count[1]; ++y)
      for (int z = 0; z < count[2]; ++z) {
        const Vec3 p{lo.x + size.x * (x + 0.5) / count[0], lo.y + size.y * (y + 0.5) / count[1],
                     lo.z + size.z * (z + 0.5) / count[2]};
        if (const double radius = inner_radius(geometry, p); radius > 0)
          found.push_back({p, radius});
      }
  std::ranges::stable_sort(found, std::greater<>{}, &InnerBall::radius);
  std::vector<InnerBall> kept;
  for (const InnerBall& ball : found) {
    if (kept.size() == kMostInnerBalls) break;
    const bool held = std::ranges::any_of(kept, [&](const InnerBall& other) {
      return other.radius - norm(ball.centre - other.centre) >= ball.radius - step / 2;
    });
    if (!held) kept.push_back(ball);
  }
  return kept;
}

}  // namespace proven
