// Support points of convex cores in double or DoubleDouble.
#pragma once

#include "proven/geometry/convex.h"
#include "real_vec.h"

namespace proven {

template <class Real>
Real with_sign(double magnitude, const Real& sign) {
  return sign < Real(0) ? Real(-magnitude) : Real(magnitude);
}

// The point of the cylinder's rim, or the centre of its cap if n is parallel to the axis.
template <class Real>
RealVec<Real> cylinder_support(const Vec3& half_extents, const RealVec<Real>& n_S) {
  using std::sqrt;
  // Scaled, so that the squares cannot underflow for any n that is not itself a rounding residue.
  const double x = std::fabs(static_cast<double>(n_S.x)), y = std::fabs(static_cast<double>(n_S.y));
  const double largest = x > y ? x : y;
  const Real z = with_sign(half_extents.z, n_S.z);
  if (!(largest > 0)) return {Real(0), Real(0), z};
  const Real u = n_S.x / Real(largest), v = n_S.y / Real(largest);
  const Real scale = Real(half_extents.x) / sqrt(u * u + v * v);
  return {u * scale, v * scale, z};
}

template <class Real>
RealVec<Real> hull_support(const std::vector<Vec3>& points, const RealVec<Real>& n) {
  const Vec3* best = nullptr;
  Real best_height(0);
  for (const Vec3& p : points) {
    const Real height = dot(n, RealVec<Real>(p));
    if (!best || height > best_height) best = &p, best_height = height;
  }
  return RealVec<Real>(*best);
}

template <class Real>
RealVec<Real> core_support(const Convex& c, const RealVec<Real>& n) {
  if (c.kind == ConvexKind::sphere) return RealVec<Real>(c.X_BS.p);
  if (c.kind == ConvexKind::hull) return hull_support(c.points, n);
  const RealVec<Real> n_S = transpose_times(c.X_BS.R, n);
  if (c.kind == ConvexKind::cylinder) return c.X_BS * cylinder_support(c.half_extents, n_S);
  return c.X_BS * RealVec<Real>(with_sign(c.half_extents.x, n_S.x),
                                with_sign(c.half_extents.y, n_S.y),
                                with_sign(c.half_extents.z, n_S.z));
}

}  // namespace proven
