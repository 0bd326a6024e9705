// Making cases with clouds and voxel sets, and judging them.
#include <algorithm>
#include <cmath>

#include "bench/suite/random_parts.h"
#include "bench/suite/sensed_suite.h"
#include "bench/suite/twin.h"

namespace proven::bench {
namespace {

using Real = long double;
using Point = Vector3<Real>;

// ---- solids

Point clamped(const Point& p, const Point& low, const Point& high) {
  return p.cwiseMax(low).cwiseMin(high);
}

// The point of the solid that is nearest, in its own frame. Meshes here are those of boxes.
Point nearest_point(const Shape& shape, const Point& p) {
  if (const auto* s = std::get_if<Sphere>(&shape)) {
    const Real length = p.norm();
    return length <= s->radius ? p : Point(p * (Real(s->radius) / length));
  }
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    const Point foot(0, 0, std::clamp(p.z(), Real(-s->half_length), Real(s->half_length)));
    const Real length = (p - foot).norm();
    return length <= s->radius ? p : Point(foot + (p - foot) * (Real(s->radius) / length));
  }
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    const Real across = std::hypot(p.x(), p.y());
    const Real factor = across <= s->radius ? Real(1) : Real(s->radius) / across;
    return {p.x() * factor, p.y() * factor,
            std::clamp(p.z(), Real(-s->half_length), Real(s->half_length))};
  }
  Point half;
  if (const auto* s = std::get_if<Box>(&shape)) {
    half = to_eigen<Real>(s->half_extents);
  } else {
    half.setZero();
    for (const Vec3& v : std::get<std::shared_ptr<const TriangleMesh>>(shape)->vertices)
      half = half.cwiseMax(to_eigen<Real>(v).cwiseAbs());
  }
  return clamped(p, -half, half);
}

// The distance of a cell to the solid, by projections onto the one and the other: they end at the
// closest points, or before.
Real cell_distance(const Shape& shape, const Frame<Real>& X_SG, const Point& low,
                   const Point& high) {
  constexpr int kMost = 300;
  const Frame<Real> X_GS = X_SG.inverse();
  Point x = nearest_point(shape, X_SG * Point(0.5L * (low + high)));
  Real distance = INFINITY;
  for (int i = 0; i < kMost; ++i) {
    const Point y = clamped(X_GS * x, low, high);
    x = nearest_point(shape, X_SG * y);
    const Real now = (X_GS * x - y).norm();
    if (!(now < distance * (1 - 1e-9L))) return std::min(now, distance);
    distance = now;
  }
  return distance;
}

Real least_distance(const Shape& shape, const Frame<Real>& X_SE, const CollisionElement& seen,
                    Real known) {
  if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&seen.shape)) {
    for (const Vec3& q : (*cloud)->points) {
      const Point p = X_SE * to_eigen<Real>(q);
      known = std::min(known, (nearest_point(shape, p) - p).norm() - Real((*cloud)->radius));
    }
    return known;
  }
  const VoxelSet& voxels = *std::get<std::shared_ptr<const VoxelSet>>(seen.shape);
  const Real size = voxels.size, reach = size * std::sqrt(Real(0.75));
  for (const auto& [i, j, k] : voxels.cells) {
    const Point low(size * i, size * j, size * k),
        high(size * (i + 1), size * (j + 1), size * (k + 1));
    const Point centre = X_SE * Point(0.5L * (low + high));
    if ((nearest_point(shape, centre) - centre).norm() - reach > known) continue;
    known = std::min(known, cell_distance(shape, X_SE, low, high));
  }
  return known;
}

// ---- making cases

std::vector<Frame<Real>> poses_at(const Scene& scene, const Motion& motion, std::size_t piece,
                                  Real s) {
  std::vector<double> q(motion.waypoints[0].size());
  evaluate(scene.tree().coordinates(), motion, piece, s, q, 0);
  std::vector<Frame<Real>> poses;
  const std::vector<Real> wide(q.begin(), q.end());
  twin_poses<Real>(scene.tree(), wide, poses);
  return poses;
}

Vec3 to_vec3(const Point& p) {
  return {static_cast<double>(p.x()), static_cast<double>(p.y()), static_cast<double>(p.z())};
}

// A point beside a link at a random time, `gap` metres from its surface.
class Beside {
 public:
  Beside(const Scene& scene, const SceneSource& source, const Motion& motion)
      : scene_(scene), source_(source), motion_(motion) {}

  Vec3 point(Random& random, double gap) const {
    const auto pieces = static_cast<int>(motion_.waypoints.size()) - 1;
    const auto poses = poses_at(scene_, motion_, static_cast<std::size_t>(random.index(pieces)),
                                Real(random.uniform()));
    std::vector<std::pair<int, const CollisionElement*>> shapes;
    for (const RobotSource& robot : source_.robots)
      for (const RobotLink& link : robot.robot.links)
        for (const CollisionElement& element : link.collision)
          shapes.emplace_back(scene_.tree().find_link(robot.name + "/" + link.name), &element);
    const auto& [link, element] =
        shapes[static_cast<std::size_t>(random.index(static_cast<int>(shapes.size())))];
    const Frame<Real> X_WS = poses[static_cast<std::size_t>(link)] * to_eigen<Real>(element->X_BS);
    const Point far = to_eigen<Real>(3 * random.unit_vector());
    const Point on = nearest_point(element->shape, far);
    return to_vec3(X_WS * Point(on + Real(gap) * (far - on).normalized()));
  }

 private:
  const Scene& scene_;
  const SceneSource& source_;
  const Motion& motion_;
};

double random_gap(Random& random) {
  if (random.index(40) == 0) return random.uniform(-0.02, 0);
  return std::pow(10, random.uniform(-5, 0));
}

// Where the parts of the robot are at some moments, to leave out what is in the way.
class Way {
 public:
  Way(const Scene& scene, const SceneSource& source, const Motion& motion) {
    constexpr int kMoments = 24;
    for (std::size_t piece = 0; piece + 1 < motion.waypoints.size(); ++piece)
      for (int i = 0; i <= kMoments; ++i) {
        const auto poses = poses_at(scene, motion, piece, Real(i) / kMoments);
        for (const RobotSource& robot : source.robots)
          for (const RobotLink& link : robot.robot.links)
            for (const CollisionElement& element : link.collision) {
              const int index = scene.tree().find_link(robot.name + "/" + link.name);
              const Frame<Real> X_WS =
                  poses[static_cast<std::size_t>(index)] * to_eigen<Real>(element.X_BS);
              parts_.push_back({&element.shape, X_WS.inverse()});
            }
      }
  }

  // Without the balls and cells that come closer than that.
  void clear(CollisionElement& seen, const Pose& X_WE, double distance) const {
    if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&seen.shape)) {
      PointCloud left = **cloud;
      std::erase_if(left.points, [&](const Vec3& p) {
        return is_near({std::make_shared<const PointCloud>(PointCloud{{p}, left.radius}), {}, ""},
                       X_WE, distance);
      });
      if (!left.points.empty()) seen.shape = std::make_shared<const PointCloud>(std::move(left));
      return;
    }
    VoxelSet left = *std::get<std::shared_ptr<const VoxelSet>>(seen.shape);
    std::erase_if(left.cells, [&](const std::array<std::int32_t, 3>& cell) {
      return is_near({std::make_shared<const VoxelSet>(VoxelSet{left.size, {cell}}), {}, ""}, X_WE,
                     distance);
    });
    if (!left.cells.empty()) seen.shape = std::make_shared<const VoxelSet>(std::move(left));
  }

 private:
  bool is_near(const CollisionElement& one, const Pose& X_WE, double distance) const {
    const Frame<Real> X = to_eigen<Real>(X_WE);
    return std::ranges::any_of(parts_, [&](const auto& part) {
      return least_distance(*part.shape, part.X_SW * X, one, INFINITY) < distance;
    });
  }

  struct Part {
    const Shape* shape;
    Frame<Real> X_SW;
  };
  std::vector<Part> parts_;
};

}  // namespace

SensedCase random_sensed_case(Random& random) {
  SensedCase made;
  Robot robot;
  do robot = random_robot(random);
  while (std::ranges::all_of(robot.links,
                             [](const RobotLink& link) { return link.collision.empty(); }));
  made.source.robots.push_back({"r", robot, random_pose(random, 0.4)});
  const Scene alone = build_scene(made.source).value();
  MotionMaker maker(alone.tree().coordinates(), random, random.uniform(0.02, 0.5));
  made.motion = maker.make(0, 1, false, 1 + random.index(2));
  made.motion.times.clear();
  if (random.index(2) == 0) made.motion.inner.clear();
  if (random.index(3) == 0) made.clearance = std::pow(10, random.uniform(-4, -1));
  // Links that meet each other would hide what they do to the rest.
  for (const RobotLink& a : robot.links)
    for (const RobotLink& b : robot.links)
      if (a.name < b.name && !a.collision.empty() && !b.collision.empty())
        made.source.exclusions.push_back({"r/" + a.name, "r/" + b.name, ""});
  const Beside beside(alone, made.source, made.motion);
  const Way way(alone, made.source, made.motion);
  const bool clear = random.index(4) > 0;
  for (int i = 1 + random.index(3); i > 0; --i) {
    ObstacleSource seen;
    seen.name = "seen" + std::to_string(i);
    if (random.index(3) > 0) seen.X_WB = random_pose(random, 1);
    CollisionElement element;
    if (random.index(3) == 0) element.X_BS = random_pose(random, 0.2);
    const Pose X_EW = inverse(seen.X_WB * element.X_BS);
    const int count = 1 + random.index(random.index(10) == 0 ? 600 : 40);
    if (random.index(2) == 0) {
      PointCloud cloud;
      cloud.radius = std::pow(10, random.uniform(-4, -1.3));
      for (int k = 0; k < count; ++k)
        cloud.points.push_back(
            X_EW * beside.point(random, cloud.radius + made.clearance + random_gap(random)));
      element.shape = std::make_shared<const PointCloud>(std::move(cloud));
    } else {
      VoxelSet voxels;
      voxels.size = std::pow(10, random.uniform(-2.5, -1));
      for (int k = 0; k < count; ++k) {
        const Vec3 p =
            X_EW * beside.point(random, 0.9 * voxels.size + made.clearance + random_gap(random));
        std::array<std::int32_t, 3> cell;
        for (std::size_t axis = 0; axis < 3; ++axis)
          cell[axis] =
              static_cast<std::int32_t>(std::floor(p[static_cast<int>(axis)] / voxels.size));
        voxels.cells.push_back(cell);
        // Now and then a row, so that cells are merged.
        for (int more = random.index(4) == 0 ? random.index(6) : 0; more > 0; --more) {
          cell[static_cast<std::size_t>(random.index(3))] += 1;
          voxels.cells.push_back(cell);
        }
      }
      element.shape = std::make_shared<const VoxelSet>(std::move(voxels));
    }
    if (clear)
      way.clear(element, seen.X_WB * element.X_BS,
                made.clearance + std::pow(10, random.uniform(-6, -2)));
    element.source = seen.name;
    seen.elements.push_back(std::move(element));
    made.source.obstacles.push_back(std::move(seen));
  }
  return made;
}

long double least_sensed_distance(const Scene& scene, const SceneSource& source,
                                  const Motion& motion, int moments) {
  Real least = INFINITY;
  for (std::size_t piece = 0; piece + 1 < motion.waypoints.size(); ++piece)
    for (int i = 0; i <= moments; ++i) {
      const auto poses = poses_at(scene, motion, piece, Real(i) / moments);
      for (const RobotSource& robot : source.robots)
        for (const RobotLink& link : robot.robot.links) {
          const int index = scene.tree().find_link(robot.name + "/" + link.name);
          // What a robot stands on is no part of a tested pair.
          if (scene.tree().rigid_root(index) == 0) continue;
          for (const CollisionElement& element : link.collision)
            for (const ObstacleSource& obstacle : source.obstacles) {
              const Frame<Real> X_WS =
                  poses[static_cast<std::size_t>(index)] * to_eigen<Real>(element.X_BS);
              const CollisionElement& seen = obstacle.elements[0];
              const Frame<Real> X_WE = to_eigen<Real>(obstacle.X_WB) * to_eigen<Real>(seen.X_BS);
              least = least_distance(element.shape, X_WS.inverse() * X_WE, seen, least);
            }
        }
    }
  return least;
}

}  // namespace proven::bench
