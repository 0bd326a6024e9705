#include "bench/suite/sensed_rivals.h"

#include <fcl/fcl.h>
#include <octomap/octomap.h>

#include <algorithm>
#include <cmath>

#include "bench/suite/twin.h"
#include "proven/geometry/body_geometry.h"

namespace proven::bench {

struct OctomapRival::State {
  const Scene& robot;
  struct Part {
    int link;
    std::shared_ptr<fcl::CollisionGeometryd> shape;
    fcl::Transform3d X_LB;
  };
  std::vector<Part> parts;
  std::shared_ptr<octomap::OcTree> map;
  std::shared_ptr<fcl::OcTreed> tree;
  std::unique_ptr<fcl::CollisionObjectd> world;
  LinkPoses poses;
};

OctomapRival::OctomapRival(const Scene& robot) : state_(new State{robot, {}, {}, {}, {}, {}}) {
  for (const Body& body : robot.bodies()) {
    if (robot.tree().rigid_root(body.link) == 0) continue;
    auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    model->beginModel(static_cast<int>(body.geometry->triangles().size()));
    for (const Triangle& t : body.geometry->triangles())
      model->addTriangle(to_eigen<double>(t.a), to_eigen<double>(t.b), to_eigen<double>(t.c));
    model->endModel();
    model->computeLocalAABB();
    state_->parts.push_back({body.link, model, to_eigen<double>(body.X_LB)});
  }
}
OctomapRival::~OctomapRival() = default;

void OctomapRival::build(std::span<const Vec3> points, double size) {
  state_->map = std::make_shared<octomap::OcTree>(size);
  for (const Vec3& p : points)
    state_->map->updateNode(
        octomap::point3d(static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)),
        true, true);
  state_->map->updateInnerOccupancy();
  state_->tree = std::make_shared<fcl::OcTreed>(state_->map);
  state_->world = std::make_unique<fcl::CollisionObjectd>(state_->tree);
}

void OctomapRival::change(std::span<const std::array<std::int32_t, 3>> occupied,
                          std::span<const std::array<std::int32_t, 3>> freed, double size) {
  const auto key = [&](const std::array<std::int32_t, 3>& cell) {
    return state_->map->coordToKey(octomap::point3d(static_cast<float>((cell[0] + 0.5) * size),
                                                    static_cast<float>((cell[1] + 0.5) * size),
                                                    static_cast<float>((cell[2] + 0.5) * size)));
  };
  for (const auto& cell : freed)
    state_->map->setNodeValue(key(cell), state_->map->getClampingThresMinLog());
  for (const auto& cell : occupied)
    state_->map->setNodeValue(key(cell), state_->map->getClampingThresMaxLog());
  state_->world->computeAABB();
}

bool OctomapRival::collides(std::span<const double> q) {
  compute_poses(state_->robot.tree(), q, state_->poses);
  fcl::CollisionRequestd request;
  for (const State::Part& part : state_->parts) {
    fcl::CollisionResultd result;
    const fcl::CollisionObjectd object(
        part.shape,
        to_eigen<double>(state_->poses.X_WL[static_cast<std::size_t>(part.link)]) * part.X_LB);
    if (fcl::collide(&object, state_->world.get(), request, result) > 0) return true;
  }
  return false;
}

std::size_t OctomapRival::bytes() const {
  return state_->map->memoryUsage();
}

PointTreeRival::PointTreeRival(const Scene& robot) : robot_(robot) {
  for (const Body& body : robot.bodies()) {
    if (robot.tree().rigid_root(body.link) == 0) continue;
    for (const CoverBall& ball : body.geometry->balls())
      balls_.push_back({body.link, body.X_LB * ball.centre, static_cast<float>(ball.radius)});
  }
}

void PointTreeRival::build(std::span<const Vec3> points, double radius) {
  radius_ = static_cast<float>(radius);
  points_.clear();
  points_.reserve(points.size());
  for (const Vec3& p : points)
    points_.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
  splits_.assign(points.size(), 0);
  divide(0, points_.size());
}

namespace {
constexpr std::size_t kLeaf = 8;
}

void PointTreeRival::divide(std::size_t first, std::size_t end) {
  if (end - first <= kLeaf) return;
  Point low = points_[first], high = low;
  for (std::size_t i = first; i < end; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], points_[i][k]);
      high[k] = std::max(high[k], points_[i][k]);
    }
  std::size_t axis = 0;
  for (const std::size_t k : {1u, 2u})
    if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
  const std::size_t middle = first + (end - first) / 2;
  const auto at = [&](std::size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(first), at(middle), at(end),
                   [axis](const Point& a, const Point& b) { return a[axis] < b[axis]; });
  splits_[middle] = static_cast<std::uint8_t>(axis);
  divide(first, middle);
  divide(middle + 1, end);
}

bool PointTreeRival::any_within(std::size_t first, std::size_t end, const Point& p,
                                float reach) const {
  const auto near = [&](const Point& x) {
    const float a = x[0] - p[0], b = x[1] - p[1], c = x[2] - p[2];
    return a * a + b * b + c * c <= reach * reach;
  };
  if (end - first <= kLeaf)
    return std::any_of(points_.begin() + static_cast<std::ptrdiff_t>(first),
                       points_.begin() + static_cast<std::ptrdiff_t>(end), near);
  const std::size_t middle = first + (end - first) / 2;
  if (near(points_[middle])) return true;
  const std::size_t axis = splits_[middle];
  const float side = p[axis] - points_[middle][axis];
  if (side <= reach && any_within(first, middle, p, reach)) return true;
  return side >= -reach && any_within(middle + 1, end, p, reach);
}

bool PointTreeRival::collides(std::span<const double> q) {
  compute_poses(robot_.tree(), q, poses_);
  for (const Ball& ball : balls_) {
    const Vec3 p = poses_.X_WL[static_cast<std::size_t>(ball.link)] * ball.centre;
    const Point point = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
    if (any_within(0, points_.size(), point, ball.radius + radius_)) return true;
  }
  return false;
}

}  // namespace proven::bench
