#include "bench/suite/fcl_oracle.h"

#include <fcl/fcl.h>

#include <bit>
#include <stdexcept>

#include "bench/suite/twin.h"
#include "proven/geometry/body_geometry.h"

namespace proven::bench {
namespace {

struct Part {
  std::shared_ptr<const fcl::CollisionGeometryd> shape;
  fcl::Transform3d X_LS;     // in the link
  Eigen::Vector3d centre_S;  // of the shape's box, with half its extents
  Eigen::Vector3d half_S;
};

struct Placed {
  const Part* part = nullptr;
  fcl::Transform3d X_WS;
  // A box along the world's axes that holds it.
  Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = Eigen::Vector3d::Zero();
};

bool boxes_within(const Placed& x, const Placed& y, double distance) {
  return (x.low.array() <= y.high.array() + distance).all() &&
         (y.low.array() <= x.high.array() + distance).all();
}

std::shared_ptr<fcl::CollisionGeometryd> fcl_shape(const Convex& piece) {
  const Vec3& h = piece.half_extents;
  switch (piece.kind) {
    case ConvexKind::box:
      return std::make_shared<fcl::Boxd>(2 * h.x, 2 * h.y, 2 * h.z);
    case ConvexKind::sphere:
      return std::make_shared<fcl::Sphered>(piece.radius);
    case ConvexKind::cylinder:
      return std::make_shared<fcl::Cylinderd>(h.x, 2 * h.z);
    case ConvexKind::capsule:
      return std::make_shared<fcl::Capsuled>(piece.radius, 2 * h.z);
    case ConvexKind::hull:
      break;
  }
  throw std::logic_error("the suite has no scenes with convex hulls");
}

std::shared_ptr<fcl::CollisionGeometryd> fcl_mesh(std::span<const Triangle> triangles) {
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  model->beginModel(static_cast<int>(triangles.size()));
  for (const Triangle& t : triangles)
    model->addTriangle(to_eigen<double>(t.a), to_eigen<double>(t.b), to_eigen<double>(t.c));
  model->endModel();
  return model;
}

Part make_part(std::shared_ptr<fcl::CollisionGeometryd> shape, const fcl::Transform3d& X_LS) {
  shape->computeLocalAABB();
  const fcl::AABBd& box = shape->aabb_local;
  return {shape, X_LS, 0.5 * (box.min_ + box.max_), 0.5 * (box.max_ - box.min_)};
}

}  // namespace

struct FclModel::Shapes {
  std::vector<std::vector<Part>> of_body;
};

FclModel::FclModel(const Scene& scene) : scene_(scene), shapes_(std::make_unique<Shapes>()) {
  for (const Body& body : scene.bodies()) {
    std::vector<Part>& parts = shapes_->of_body.emplace_back();
    const fcl::Transform3d X_LB = to_eigen<double>(body.X_LB);
    if (!body.geometry->triangles().empty())
      parts.push_back(make_part(fcl_mesh(body.geometry->triangles()), X_LB));
    for (const Convex& piece : body.geometry->convexes())
      parts.push_back(make_part(fcl_shape(piece), X_LB * to_eigen<double>(piece.X_BS)));
    for (int i = 0; i < static_cast<int>(body.geometry->grains().size()); ++i) {
      const Convex piece = body.geometry->grains().convex(i);
      parts.push_back(make_part(fcl_shape(piece), X_LB * to_eigen<double>(piece.X_BS)));
    }
  }
}
FclModel::~FclModel() = default;

// Where everything is at the configuration of the last query.
struct FclOracle::Placement {
  std::vector<fcl::Transform3d> poses;  // of links
  std::vector<Placed> all;
  std::vector<std::size_t> first;  // per body, and one past the last

  std::span<const Placed> of(int body) const {
    const auto i = static_cast<std::size_t>(body);
    return std::span(all).subspan(first[i], first[i + 1] - first[i]);
  }
  void place(const Scene& scene, std::span<const double> q);
  bool collides(const BodyPair& pair) const;
  bool closer(const BodyPair& pair, double clearance) const;
};

FclOracle::FclOracle(const FclModel& model)
    : scene_(model.scene_), placement_(std::make_unique<Placement>()) {
  for (const std::vector<Part>& parts : model.shapes_->of_body) {
    placement_->first.push_back(placement_->all.size());
    for (const Part& part : parts) placement_->all.emplace_back().part = &part;
  }
  placement_->first.push_back(placement_->all.size());
}
FclOracle::~FclOracle() = default;

void FclOracle::Placement::place(const Scene& scene, std::span<const double> q) {
  twin_poses(scene.tree(), q, poses);
  for (std::size_t body = 0; body + 1 < first.size(); ++body) {
    const auto link = static_cast<std::size_t>(scene.bodies()[body].link);
    for (std::size_t i = first[body]; i < first[body + 1]; ++i) {
      Placed& p = all[i];
      p.X_WS = poses[link] * p.part->X_LS;
      const Eigen::Vector3d centre = p.X_WS * p.part->centre_S;
      const Eigen::Vector3d half = p.X_WS.linear().cwiseAbs() * p.part->half_S;
      p.low = centre - half;
      p.high = centre + half;
    }
  }
}

bool FclOracle::Placement::collides(const BodyPair& pair) const {
  for (const Placed& x : of(pair.a))
    for (const Placed& y : of(pair.b)) {
      if (!boxes_within(x, y, 0)) continue;
      fcl::CollisionRequestd request;
      fcl::CollisionResultd result;
      if (fcl::collide(x.part->shape.get(), x.X_WS, y.part->shape.get(), y.X_WS, request, result))
        return true;
    }
  return false;
}

bool FclOracle::Placement::closer(const BodyPair& pair, double clearance) const {
  for (const Placed& x : of(pair.a))
    for (const Placed& y : of(pair.b)) {
      if (!boxes_within(x, y, clearance)) continue;
      fcl::DistanceRequestd request;
      fcl::DistanceResultd result;
      if (fcl::distance(x.part->shape.get(), x.X_WS, y.part->shape.get(), y.X_WS, request, result) <
          clearance)
        return true;
    }
  return false;
}

int FclOracle::first_collision(std::span<const double> q) {
  placement_->place(scene_, q);
  const auto pairs = scene().pairs();
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (placement_->collides(pairs[i])) return static_cast<int>(i);
  return -1;
}

int FclOracle::first_closer(std::span<const double> q, double clearance) {
  placement_->place(scene_, q);
  const auto pairs = scene().pairs();
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (placement_->closer(pairs[i], clearance)) return static_cast<int>(i);
  return -1;
}

bool FclOracle::collides(int pair) const {
  return placement_->collides(scene_.pairs()[static_cast<std::size_t>(pair)]);
}

std::vector<int> FclOracle::pairs_with_overlapping_boxes(std::span<const double> q) {
  placement_->place(scene_, q);
  const auto pairs = scene().pairs();
  std::vector<int> overlapping;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (const Placed& x : placement_->of(pairs[i].a))
      for (const Placed& y : placement_->of(pairs[i].b))
        if (boxes_within(x, y, 0) &&
            (overlapping.empty() || overlapping.back() != static_cast<int>(i)))
          overlapping.push_back(static_cast<int>(i));
  return overlapping;
}

std::optional<FclOracle::Hit> FclOracle::sample(std::span<const double> from,
                                                std::span<const double> to, double step,
                                                double clearance) {
  const double length = joint_space_length(scene().tree(), from, to);
  const auto n = static_cast<std::uint64_t>(std::fmax(1, std::ceil(length / step)));
  Hit hit;
  const auto try_at = [&](std::uint64_t k) {
    twin_interpolate<double>(scene().tree(), from, to,
                             static_cast<double>(k) / static_cast<double>(n), hit.configuration);
    hit.pair = clearance > 0 ? first_closer(hit.configuration, clearance)
                             : first_collision(hit.configuration);
    return hit.pair >= 0;
  };
  if (try_at(0)) return hit;
  // From coarse to fine, so that a collision is found early: all multiples of n's largest power of
  // two first, then those half as far apart, and so on.
  for (std::uint64_t stride = std::bit_floor(n); stride > 0; stride /= 2)
    for (std::uint64_t k = stride; k <= n; k += 2 * stride)
      if (try_at(k)) return hit;
  return std::nullopt;
}

}  // namespace proven::bench
