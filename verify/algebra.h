// Chapter 2: vectors, rotations and poses of intervals; T is Interval or Wide.
//
// Products of interval matrices grow by up to sqrt(3) per factor, which would ruin long chains. So
// a rotation is kept as an exactly known matrix M (whose entries are single numbers) and a bound
// rho on the Frobenius norm of R - M, where R is the true rotation. For R1 and R2:
//   |R1 R2 - M1 M2| <= |R1| |R2 - M2| + |R1 - M1| |M2| <= rho2 + rho1 (1 + rho2),
// which grows by sums only. Positions likewise: a point and a bound on the distance to it.
//
// In doubles, T = Interval, M and the point are plain, products are rounded to nearest, and the
// bounds take in what that loses; u = 2^-53 there, and |M| <= sqrt(3) + rho in the Frobenius norm.
#pragma once

#include <type_traits>

#include "proven/base/vec3.h"
#include "verify/wide.h"

namespace proven::verifier {

template <class T>
struct Vector {
  T x, y, z;

  Vector() = default;
  Vector(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
  explicit Vector(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}
  const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
};

template <class T>
Vector<T> operator+(const Vector<T>& a, const Vector<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
Vector<T> operator-(const Vector<T>& a, const Vector<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
Vector<T> operator-(const Vector<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
Vector<T> operator*(const T& s, const Vector<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
T dot(const Vector<T>& a, const Vector<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
Vector<T> cross(const Vector<T>& a, const Vector<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T norm(const Vector<T>& a) {
  return sqrt(square(a.x) + square(a.y) + square(a.z));
}
template <class T>
Vector<T> middle(const Vector<T>& a) {
  return {middle(a.x), middle(a.y), middle(a.z)};
}
template <class T>
Vector<T> radius(const Vector<T>& a) {
  return {radius(a.x), radius(a.y), radius(a.z)};
}
template <class T>
Vector<T> widened(const Vector<T>& a, const T& r) {
  return {widened(a.x, r), widened(a.y, r), widened(a.z, r)};
}
template <class T>
Vec3 approximate(const Vector<T>& a) {
  return {approximate(a.x), approximate(a.y), approximate(a.z)};
}

template <class T>
struct Matrix {
  Vector<T> row[3];

  Vector<T> operator*(const Vector<T>& v) const {
    return {dot(row[0], v), dot(row[1], v), dot(row[2], v)};
  }
  Vector<T> column(int j) const { return {row[0][j], row[1][j], row[2][j]}; }
  Vector<T> transpose_times(const Vector<T>& v) const {
    return {dot(column(0), v), dot(column(1), v), dot(column(2), v)};
  }
  Matrix operator*(const Matrix& b) const {
    return {{b.transpose_times(row[0]), b.transpose_times(row[1]), b.transpose_times(row[2])}};
  }
};

template <class T>
struct Rotation {
  Matrix<T> M = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  T rho = 0.0;

  Rotation() = default;
  // From entries that enclose those of the rotation, up to a further `slack`.
  explicit Rotation(const Matrix<T>& entries, const T& slack = 0.0) {
    T sum = 0.0;
    for (int i = 0; i < 3; ++i) {
      M.row[i] = middle(entries.row[i]);
      const Vector<T> r = radius(entries.row[i]);
      sum = sum + dot(r, r);
    }
    rho = upper(sqrt(sum) + slack);
  }
  Rotation operator*(const Rotation& b) const {
    return Rotation(M * b.M, b.rho + rho * (1.0 + b.rho));
  }
  // |R_ij - M_ij| <= rho.
  Matrix<T> entries() const {
    return {{widened(M.row[0], rho), widened(M.row[1], rho), widened(M.row[2], rho)}};
  }
};

// Bounds are computed in doubles as well: sums and products of a few numbers that are not negative,
// each rounded by at most u, relative. This covers fifteen of them.
inline constexpr double kUp = 1 + 0x1p-49;

// At least |v|.
inline double size(const Vec3& v) {
  return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z);
}

template <>
struct Rotation<Interval> {
  Mat3 M;
  double rho = 0;

  Rotation() = default;
  Rotation(const Mat3& matrix, double bound) : M(matrix), rho(bound) {}
  explicit Rotation(const Matrix<Interval>& entries, const Interval& slack = 0.0) {
    Interval sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      M.row[i] = approximate(entries.row[i]);
      const Vector<Interval> r = radius(entries.row[i]);
      sum = sum + dot(r, r);
    }
    rho = (sqrt(sum) + slack).hi;
  }
  // An entry of the product rounds by at most 3.01 u times the sum of the sizes of its terms: all
  // together 3.01 u |M1| |M2| <= 9.1 u (1 + rho1) (1 + rho2).
  Rotation operator*(const Rotation& b) const {
    return {M * b.M, kUp * (b.rho + (rho + 0x1p-49 * (1 + rho)) * (1 + b.rho))};
  }
  Matrix<Interval> entries() const {
    const auto row = [&](std::size_t i) {
      return widened(Vector<Interval>(M.row[i]), Interval(rho));
    };
    return {{row(0), row(1), row(2)}};
  }
};

// The rotation by `angle` about a unit vector: cos I + sin [a]x + (1 - cos) a a^T.
template <class T>
Rotation<T> rotation_about(const Vector<T>& a, const T& angle) {
  const Turn<T> t = turn(angle);
  const T& s = t.sine;
  const T& c = t.cosine;
  const Vector<T> b = T(1.0 - c) * a;
  return Rotation<T>(Matrix<T>{{{c + b.x * a.x, b.x * a.y - s * a.z, b.x * a.z + s * a.y},
                                {b.y * a.x + s * a.z, c + b.y * a.y, b.y * a.z - s * a.x},
                                {b.z * a.x - s * a.y, b.z * a.y + s * a.x, c + b.z * a.z}}});
}

// The same in doubles, about a unit vector within `tilt` of a, by an angle within `slack` of this
// one. In the Frobenius norm another angle moves the matrix by at most sqrt(2) slack, errors of
// sine and cosine by 2 sqrt(2) kTurnError, another axis by sqrt(2) tilt + 2 (2 tilt + tilt^2), and
// rounding moves each of the nine entries by at most 8.3 u: 25 u together.
inline Rotation<Interval> near_rotation(const Vec3& a, double tilt, double angle, double slack) {
  const auto [s, c] = near_turn(angle);
  const Vec3 b = (1 - c) * a;
  return {Mat3{{Vec3{c + b.x * a.x, b.x * a.y - s * a.z, b.x * a.z + s * a.y},
                Vec3{b.y * a.x + s * a.z, c + b.y * a.y, b.y * a.z - s * a.x},
                Vec3{b.z * a.x - s * a.y, b.z * a.y + s * a.x, c + b.z * a.z}}},
          kUp * (1.5 * slack + (6 + 2 * tilt) * tilt + 0x1p-47)};
}
template <>
inline Rotation<Interval> rotation_about(const Vector<Interval>& a, const Interval& angle) {
  return near_rotation(approximate(a), norm(radius(a)).hi, approximate(angle), radius(angle).hi);
}

// X_AB: the pose of B in A. The true position is within `eps` of p.
template <class T>
struct Placement {
  Rotation<T> R;
  Vector<T> p = {0.0, 0.0, 0.0};
  T eps = 0.0;

  Placement() = default;
  Placement(Rotation<T> rotation, const Vector<T>& position, const T& slack = 0.0)
      : R(rotation), p(middle(position)), eps(upper(norm(radius(position)) + slack)) {}

  Placement operator*(const Placement& b) const {
    return Placement(R * b.R, R.M * b.p + p, eps + b.eps + R.rho * norm(b.p));
  }
  Vector<T> position() const { return widened(p, eps); }
  Vector<T> operator*(const Vector<T>& v) const { return R.entries() * v + position(); }
};

template <>
struct Placement<Interval> {
  Rotation<Interval> R;
  Vec3 p;
  double eps = 0;

  Placement() = default;
  Placement(const Rotation<Interval>& rotation, const Vec3& position, double bound)
      : R(rotation), p(position), eps(bound) {}
  Placement(const Rotation<Interval>& rotation, const Vector<Interval>& position)
      : R(rotation), p(approximate(position)), eps(norm(radius(position)).hi) {}

  // With R1 p2 + p1 each coordinate rounds by at most 4.01 u of the terms of the product and u of
  // p1: together 7 u (1 + rho1) |p2| + u |p1|. Products that underflow are off by less than
  // 2^-1000.
  Placement operator*(const Placement& b) const {
    const double turned = (R.rho + 0x1p-50 * (1 + R.rho)) * size(b.p);
    return {R * b.R, R.M * b.p + p, kUp * (eps + b.eps + turned + 0x1p-50 * size(p)) + 0x1p-1000};
  }
  Vector<Interval> position() const { return widened(Vector<Interval>(p), Interval(eps)); }
  Vector<Interval> operator*(const Vector<Interval>& v) const {
    return R.entries() * v + position();
  }
};

// What nine doubles mean: the rotation nearest to them. With R = Q H (Q the rotation, H symmetric)
// and d a bound on |R^T R - I|, the singular values s of R have |s - 1| <= d. One Newton step
// R (3 I - R^T R) / 2 has the same Q, and singular values s (3 - s^2) / 2, which differ from 1 by
// (s - 1)^2 (s + 2) / 2 <= 2 d^2 each if d <= 0.1: by 4 d^2 together. Model refuses larger d.
template <class T>
Rotation<T> nearest_rotation(const Mat3& m) {
  if (m == Mat3{}) return {};
  const Matrix<T> R = {{Vector<T>(m.row[0]), Vector<T>(m.row[1]), Vector<T>(m.row[2])}};
  Matrix<T> step;
  T deviation = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const T excess = dot(R.column(i), R.column(j)) - T(i == j ? 1.0 : 0.0);
      step.row[i][j] = T(i == j ? 1.0 : 0.0) - 0.5 * excess;
      deviation = deviation + square(excess);
    }
  }
  return Rotation<T>(R * step, 4.0 * deviation);
}

// A pose as a file gives it, and what it means.
struct GivenPose {
  Pose pose;
  Placement<Interval> quick;

  GivenPose() = default;
  explicit GivenPose(const Pose& X) : pose(X), quick(exact<Interval>(X)) {}

  template <class T>
  static Placement<T> exact(const Pose& X) {
    return {nearest_rotation<T>(X.R), Vector<T>(X.p)};
  }
  template <class T>
  Placement<T> as() const {
    if constexpr (std::is_same_v<T, Interval>)
      return quick;
    else
      return exact<T>(pose);
  }
};

}  // namespace proven::verifier
