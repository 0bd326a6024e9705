// Vectors over double or DoubleDouble, so that one algorithm serves both precisions.
#pragma once

#include "double_double.h"
#include "proven/base/vec3.h"

namespace proven {

template <class Real>
struct RealVec {
  Real x{}, y{}, z{};

  RealVec() = default;
  RealVec(const Real& x_, const Real& y_, const Real& z_) : x(x_), y(y_), z(z_) {}
  RealVec(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}
  Vec3 rounded() const {
    return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  }

  friend RealVec operator+(const RealVec& a, const RealVec& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend RealVec operator-(const RealVec& a, const RealVec& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend RealVec operator-(const RealVec& a) { return {-a.x, -a.y, -a.z}; }
  friend RealVec operator*(const Real& s, const RealVec& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend Real dot(const RealVec& a, const RealVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend RealVec cross(const RealVec& a, const RealVec& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  friend Real squared_norm(const RealVec& a) { return dot(a, a); }
};

template <class Real>
RealVec<Real> operator*(const Mat3& m, const RealVec<Real>& v) {
  return {dot(RealVec<Real>(m.row[0]), v), dot(RealVec<Real>(m.row[1]), v),
          dot(RealVec<Real>(m.row[2]), v)};
}
template <class Real>
RealVec<Real> transpose_times(const Mat3& m, const RealVec<Real>& v) {
  return v.x * RealVec<Real>(m.row[0]) + v.y * RealVec<Real>(m.row[1]) +
         v.z * RealVec<Real>(m.row[2]);
}
template <class Real>
RealVec<Real> operator*(const Pose& X_AB, const RealVec<Real>& p_B) {
  return X_AB.R * p_B + RealVec<Real>(X_AB.p);
}

}  // namespace proven
