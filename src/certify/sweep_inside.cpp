// Whether one body may lie inside another at the start of a sweep (docs/algorithms/sweep.md).
#include <algorithm>
#include <cmath>

#include "proven/geometry/body_geometry.h"
#include "proven/geometry/solid.h"
#include "sweep.h"

namespace proven {

// At the start, in the world.
Pose Sweep::start_pose(const SweepModel::Body& body) const {
  return frame_at(body, 0) * body.X_FB;
}

// Whether a part of one lies inside the other. The surfaces are apart, so that no point of one is
// near the other's.
bool Sweep::some_point_in(const BodyGeometry& inner, const Pose& X_outer_inner,
                          const BodyGeometry& outer, double error) const {
  if (!outer.has_inside()) return false;
  const Vec3 &lo = outer.bounds()[0], &hi = outer.bounds()[1];
  const double slack =
      error + 0x1p-30 * (norm(X_outer_inner.p) + inner.max_coordinate() + outer.max_coordinate());
  const BoundingSphere& sphere = inner.bounding_sphere();
  const Vec3 centre = X_outer_inner * sphere.centre;
  for (int i = 0; i < 3; ++i)
    if (centre[i] + sphere.radius < lo[i] - slack || centre[i] - sphere.radius > hi[i] + slack)
      return false;
  if (!inner.grains().empty()) return component_inside(inner, outer, X_outer_inner) >= 0;
  return std::ranges::any_of(inner.components(), [&](const Component& component) {
    const Vec3 p = X_outer_inner * component.point;
    for (int i = 0; i < 3; ++i)
      if (p[i] < lo[i] - slack || p[i] > hi[i] + slack) return false;
    return outer.contains(p);
  });
}

// Whether a part of the moving body may hold the still one.
bool Sweep::still_holds_nothing(std::size_t b, int still) const {
  const Scene& scene = model_->model().scene();
  const SweepModel::Body& body = model_->bodies()[b];
  const int other = model_->model().still_body(still);
  const Pose X_AB = relative_pose(start_pose(body), model_->model().still_pose(other));
  return !some_point_in(*scene.body(other).geometry, X_AB, *scene.body(body.body).geometry,
                        2 * body.error);
}

// Whether the moving body, or a part of it, may lie inside a mesh that stands still.
bool Sweep::may_be_inside(std::size_t b, const SweepModel::Hollow& hollow) const {
  const Scene& scene = model_->model().scene();
  const SweepModel::Body& body = model_->bodies()[b];
  const float around = body.radius + body.error;
  for (std::size_t i = 0; i < 3; ++i) {
    const float x = wholes_[b].v[i][0];
    if (x + around < hollow.lo[i] || x - around > hollow.hi[i]) return false;
  }
  const int other = model_->model().still_body(hollow.still);
  const Pose X_BA = relative_pose(model_->model().still_pose(other), start_pose(body));
  return some_point_in(*scene.body(body.body).geometry, X_BA, *scene.body(other).geometry,
                       2 * body.error);
}

bool Sweep::inside_nothing(std::size_t a, std::size_t b) const {
  const Scene& scene = model_->model().scene();
  const SweepModel::Body &of_a = model_->bodies()[a], &of_b = model_->bodies()[b];
  const BodyGeometry &A = *scene.body(of_a.body).geometry, &B = *scene.body(of_b.body).geometry;
  const Pose X_AB = relative_pose(start_pose(of_a), start_pose(of_b));
  const double error = 2 * (of_a.error + of_b.error);
  return !some_point_in(B, X_AB, A, error) && !some_point_in(A, inverse(X_AB), B, error);
}

}  // namespace proven
