#include "proven/base/vec3.h"

#include "proven/base/elementary.h"

namespace proven {

Vec3 normalized(const Vec3& a) {
  const double largest = max_abs(a);
  if (!(largest > 0)) return a;
  int exponent = 0;
  std::frexp(largest, &exponent);
  const Vec3 scaled{std::ldexp(a.x, -exponent), std::ldexp(a.y, -exponent),
                    std::ldexp(a.z, -exponent)};
  return scaled * (1.0 / norm(scaled));
}

Mat3 rotation(const Vec3& axis, double angle) {
  const auto [s, c] = sine_cosine(angle);
  // 1 - cos(angle) without cancellation for small angles.
  const double h = sine(0.5 * angle);
  const double v = 2 * h * h;
  const Vec3& a = axis;
  return {{Vec3{c + a.x * a.x * v, a.x * a.y * v - a.z * s, a.x * a.z * v + a.y * s},
           Vec3{a.y * a.x * v + a.z * s, c + a.y * a.y * v, a.y * a.z * v - a.x * s},
           Vec3{a.z * a.x * v - a.y * s, a.z * a.y * v + a.x * s, c + a.z * a.z * v}}};
}

Mat3 rotation_from_rpy(const Vec3& rpy) {
  return rotation({0, 0, 1}, rpy.z) * rotation({0, 1, 0}, rpy.y) * rotation({1, 0, 0}, rpy.x);
}

Mat3 rotation_from_quaternion(const Quaternion& q) {
  const double n = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const double x = q.x / n, y = q.y / n, z = q.z / n, w = q.w / n;
  return {{Vec3{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           Vec3{2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           Vec3{2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

}  // namespace proven
