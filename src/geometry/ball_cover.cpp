#include "proven/geometry/ball_cover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "proven/geometry/body_geometry.h"

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
// Covers the rounding of a distance and of corners that were computed: a few u of what they are
// made of.
constexpr double kUp = 0x1p-44;

// The convex hull of some points, widened by a radius.
struct Part {
  std::vector<Vec3> points;
  double radius = 0;
};

Part part_of(const Triangle& t) {
  return {{t.a, t.b, t.c}, 0};
}

// The surface of a cylinder, between its circle and tangent planes; the bottom and the top with all
// that the tangent planes hold.
void add_cylinder(const Convex& c, double radius, bool ends, std::vector<Part>& parts) {
  constexpr int kSides = 16;
  const double rim = radius / std::cos(M_PI / kSides) * (1 + kUp), h = c.half_extents.z;
  const auto at = [&](double r, int k, double z) {
    const double angle = 2 * M_PI * k / kSides;
    return c.X_BS * Vec3{r * std::cos(angle), r * std::sin(angle), z};
  };
  const double inner = radius * (1 - kUp);
  for (int k = 0; k < kSides; ++k) {
    parts.push_back({{at(inner, k, -h), at(rim, k, -h), at(inner, k + 1, -h), at(rim, k + 1, -h),
                      at(inner, k, h), at(rim, k, h), at(inner, k + 1, h), at(rim, k + 1, h)},
                     0});
    if (!ends) continue;
    for (const double z : {-h, h})
      parts.push_back({{c.X_BS * Vec3{0, 0, z}, at(rim, k, z), at(rim, k + 1, z)}, 0});
  }
}

Part solid_box(const Pose& X, const Vec3& half) {
  Part part;
  for (int i = 0; i < 8; ++i)
    part.points.push_back(
        X * Vec3{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  return part;
}

// The surface alone.
void add_box(const Pose& X, const Vec3& half, std::vector<Part>& parts) {
  const std::vector<Vec3> p = solid_box(X, half).points;
  for (const std::size_t axis : {1u, 2u, 4u})
    for (const std::size_t side : {std::size_t{0}, axis}) {
      const std::size_t u = axis == 1 ? 2 : 1, v = axis == 4 ? 2 : 4;
      parts.push_back({{p[side], p[side + u], p[side + v]}, 0});
      parts.push_back({{p[side + u + v], p[side + u], p[side + v]}, 0});
    }
}

std::vector<Part> parts_of(const BodyGeometry& geometry) {
  std::vector<Part> parts;
  for (const Triangle& triangle : geometry.triangles()) parts.push_back(part_of(triangle));
  for (const Convex& c : geometry.convexes()) {
    switch (c.kind) {
      case ConvexKind::box:
        add_box(c.X_BS, c.half_extents, parts);
        break;
      case ConvexKind::sphere:
        parts.push_back({{c.X_BS.p}, c.radius});
        break;
      case ConvexKind::capsule:
        add_cylinder(c, c.radius, false, parts);
        for (const double end : {-c.half_extents.z, c.half_extents.z})
          parts.push_back({{c.X_BS * Vec3{0, 0, end}}, c.radius});
        break;
      case ConvexKind::cylinder:
        add_cylinder(c, c.half_extents.x, true, parts);
        break;
      case ConvexKind::hull: {
        const Aabb box = box_of(c);
        parts.push_back(
            solid_box(Pose::translation(0.5 * (box.lo + box.hi)), 0.5 * (box.hi - box.lo)));
        break;
      }
    }
  }
  return parts;
}

// Halves a part across its longest extent. The halves hold it: segments between its points are
// split in their middles. What has one point is not split.
bool halves(const Part& part, std::array<Part, 2>& out) {
  const auto& p = part.points;
  if (p.size() == 1) return false;
  out[0] = out[1] = part;
  const auto length = [&](std::size_t i, std::size_t j) { return norm(p[i] - p[j]); };
  const auto cut = [&](std::size_t i, std::size_t j) {
    out[0].points[j] = out[1].points[i] = 0.5 * (p[i] + p[j]);
  };
  if (p.size() == 3) {
    const std::array<double, 3> l = {length(0, 1), length(1, 2), length(2, 0)};
    const auto k = static_cast<std::size_t>(std::ranges::max_element(l) - l.begin());
    cut(k, (k + 1) % 3);
    return true;
  }
  // Eight corners as of a box; opposite faces that are cut have parallel edges.
  const std::array<double, 3> l = {length(0, 1), length(0, 2), length(0, 4)};
  const std::size_t bit = std::size_t{1} << (std::ranges::max_element(l) - l.begin());
  for (std::size_t i = 0; i < 8; ++i)
    if (!(i & bit)) cut(i, i | bit);
  return true;
}

double diameter(const Part& part) {
  Vec3 lo = part.points[0], hi = lo;
  for (const Vec3& p : part.points)
    for (int i = 0; i < 3; ++i) lo[i] = std::min(lo[i], p[i]), hi[i] = std::max(hi[i], p[i]);
  return norm(hi - lo);
}

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
      all.push_back({r * std::cos(angle), r * std::sin(angle), z});
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
      std::max({0.5 * growth, std::cbrt(size.x * size.y * size.z / kMostCandidates), 1e-9});
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
  return (most + part.radius) * (1 + kUp);
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
        least = own - balls[i].radius, nearest = i, reach = own * (1 + kUp);
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

}  // namespace

std::vector<CoverBall> cover_with_balls(const BodyGeometry& geometry) {
  const std::vector<Part> parts = parts_of(geometry);
  const double size = geometry.bounding_sphere().radius;
  // Corners of parts were computed: a few u of the coordinates that they come from.
  const double slack = kUp * geometry.max_coordinate();
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
  return balls;
}

}  // namespace proven
