// Vectors, rotations and poses in three dimensions.
//
// These are our own, not Eigen's, because the order of every sum is part of the error budget and of
// the certificate format: dot(a, b) is (a.x b.x + a.y b.y) + a.z b.z, always, in every build.
#pragma once

#include <array>
#include <cmath>

namespace proven {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

  Vec3& operator+=(const Vec3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  Vec3& operator-=(const Vec3& b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
  Vec3& operator*=(double s) { return x *= s, y *= s, z *= s, *this; }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline Vec3 operator+(Vec3 a, const Vec3& b) {
  return a += b;
}
inline Vec3 operator-(Vec3 a, const Vec3& b) {
  return a -= b;
}
inline Vec3 operator-(const Vec3& a) {
  return {-a.x, -a.y, -a.z};
}
inline Vec3 operator*(double s, Vec3 a) {
  return a *= s;
}
inline Vec3 operator*(Vec3 a, double s) {
  return a *= s;
}
inline double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double squared_norm(const Vec3& a) {
  return dot(a, a);
}
inline double norm(const Vec3& a) {
  return std::sqrt(dot(a, a));
}
inline double max_abs(const Vec3& a) {
  return std::fmax(std::fabs(a.x), std::fmax(std::fabs(a.y), std::fabs(a.z)));
}
inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
// a / |a|, safe against overflow and underflow of the square; the zero vector stays zero.
Vec3 normalized(const Vec3& a);

// Row-major 3x3 matrix; rotations are R_AB: columns are B's axes in A.
struct Mat3 {
  std::array<Vec3, 3> row = {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};

  static Mat3 from_columns(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {{Vec3{a.x, b.x, c.x}, Vec3{a.y, b.y, c.y}, Vec3{a.z, b.z, c.z}}};
  }
  double operator()(int i, int j) const { return row[static_cast<std::size_t>(i)][j]; }
  Vec3 column(int j) const { return {row[0][j], row[1][j], row[2][j]}; }
  friend bool operator==(const Mat3&, const Mat3&) = default;
};

inline Vec3 operator*(const Mat3& m, const Vec3& v) {
  return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)};
}
inline Mat3 transpose(const Mat3& m) {
  return {{m.column(0), m.column(1), m.column(2)}};
}
inline Vec3 transpose_times(const Mat3& m, const Vec3& v) {
  return {m.row[0].x * v.x + m.row[1].x * v.y + m.row[2].x * v.z,
          m.row[0].y * v.x + m.row[1].y * v.y + m.row[2].y * v.z,
          m.row[0].z * v.x + m.row[1].z * v.y + m.row[2].z * v.z};
}
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {
      {transpose_times(b, a.row[0]), transpose_times(b, a.row[1]), transpose_times(b, a.row[2])}};
}

// X_AB: the pose of frame B in frame A; X_AB * p_B is the point in A.
struct Pose {
  Mat3 R;
  Vec3 p;

  static Pose translation(const Vec3& p) { return {Mat3{}, p}; }
  friend bool operator==(const Pose&, const Pose&) = default;
};

inline Vec3 operator*(const Pose& X_AB, const Vec3& p_B) {
  return X_AB.R * p_B + X_AB.p;
}
inline Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.R * X_BC.p + X_AB.p};
}
inline Pose inverse(const Pose& X_AB) {
  return {transpose(X_AB.R), -transpose_times(X_AB.R, X_AB.p)};
}
// X_BC from X_AB and X_AC, without forming the inverse.
inline Pose relative_pose(const Pose& X_AB, const Pose& X_AC) {
  return {transpose(X_AB.R) * X_AC.R, transpose_times(X_AB.R, X_AC.p - X_AB.p)};
}

struct Quaternion {
  double x = 0, y = 0, z = 0, w = 1;
};

// Rotation by `angle` about the unit vector `axis` (Rodrigues).
Mat3 rotation(const Vec3& axis, double angle);
// URDF's fixed-axis roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll).
Mat3 rotation_from_rpy(const Vec3& rpy);
// Normalises q first; q must not be zero.
Mat3 rotation_from_quaternion(const Quaternion& q);

}  // namespace proven
