#include "proven/kinematics/piece_turn.h"

#include <cmath>

#include "proven/base/elementary.h"

namespace proven {
namespace {

// a b, as rotations: first b, then a.
Quaternion product(const Quaternion& a, const Quaternion& b) {
  const Vec3 av{a.x, a.y, a.z}, bv{b.x, b.y, b.z};
  const Vec3 v = a.w * bv + b.w * av + cross(av, bv);
  return {v.x, v.y, v.z, a.w * b.w - dot(av, bv)};
}

// The rotation vector from a to b in the frame of a, by the shorter way.
Vec3 rotation_vector(const Quaternion& a, const Quaternion& b) {
  const Quaternion between = product({-a.x, -a.y, -a.z, a.w}, b);
  const double sign = turns_as_given(a, b) ? 1 : -1;
  const Vec3 v = sign * Vec3{between.x, between.y, between.z};
  const double size = norm(v);
  if (size == 0) return {};
  return (2 * arc_tangent(size, std::fabs(between.w)) / size) * v;
}

// The factors of J(φ) = I + a [φ]× + b [φ]×², and their derivatives by θ, divided by θ.
struct Factors {
  double a, b, a_slope, b_slope;
};
Factors factors(double theta) {
  const double q = theta * theta;
  // Differences cancel for small angles; these series are right to 2^-52 below 0.3.
  if (theta < 0.3)
    return {0.5 - q * (1 / 24.0 - q * (1 / 720.0 - q * (1 / 40320.0 - q / 3628800.0))),
            1 / 6.0 - q * (1 / 120.0 - q * (1 / 5040.0 - q * (1 / 362880.0 - q / 39916800.0))),
            -1 / 12.0 + q * (1 / 180.0 - q * (1 / 6720.0 - q / 453600.0)),
            -1 / 60.0 + q * (1 / 1260.0 - q * (1 / 60480.0 - q / 4989600.0))};
  const double s = sine(theta), c = cosine(theta), half = sine(0.5 * theta);
  return {2 * half * half / q, (theta - s) / (q * theta), (theta * s - 4 * half * half) / (q * q),
          (3 * s - theta * c - 2 * theta) / (q * q * theta)};
}

}  // namespace

Bernstein<Vec3> piece_turn(const MotionPiece& piece, int first) {
  Bernstein<Vec3> turn;
  turn.degree = piece.degree();
  const auto i = static_cast<std::size_t>(first);
  for (int k = 1; k < turn.degree; ++k) {
    const auto q = piece.control(k);
    turn.c[k] = {q[i], q[i + 1], q[i + 2]};
  }
  turn.c[turn.degree] =
      rotation_vector(read_quaternion(piece.from, first), read_quaternion(piece.to, first));
  return turn;
}

Vec3 turning_rate(const Vec3& turn, const Vec3& rate) {
  const Factors f = factors(norm(turn));
  const Vec3 once = cross(turn, rate);
  return rate + (f.a * once + f.b * cross(turn, once));
}

Vec3 turning_acceleration(const Vec3& turn, const Vec3& rate, const Vec3& acceleration) {
  const Factors f = factors(norm(turn));
  const double along = dot(turn, rate);
  const Vec3 once = cross(turn, rate), twice = cross(turn, once);
  return turning_rate(turn, acceleration) + along * (f.a_slope * once + f.b_slope * twice) +
         f.b * cross(rate, once);
}

Quaternion turned(const Quaternion& start, const Vec3& turn) {
  const double angle = norm(turn), half = 0.5 * angle;
  const double scale = angle < 1e-8 ? 0.5 : sine(half) / angle;
  Quaternion q = product(start, {scale * turn.x, scale * turn.y, scale * turn.z, cosine(half)});
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}

}  // namespace proven
