#include "verify/readers/spline.h"

#include <fmt/format.h>

#include <cmath>

#include "proven/base/elementary.h"

namespace proven::verifier {

Coefficients cubic(double p, double v, double q, double w, double T) {
  const double third = T / 3;
  return {p, p + v * third, q - w * third, q};
}

Coefficients quintic(double p, double v, double a, double q, double w, double b, double T) {
  const double begin = v * (T / 5), end = w * (T / 5);
  return {
      p,       p + begin, (p + 2 * begin) + ((a * T) * T) / 20, (q - 2 * end) + ((b * T) * T) / 20,
      q - end, q};
}

Coefficients raised(Coefficients polynomial, std::size_t degree) {
  while (polynomial.size() < degree + 1) {
    const std::size_t count = polynomial.size();
    Coefficients next(count + 1, polynomial[count - 1]);
    for (std::size_t k = 0; k < count; ++k) {
      const double whole = static_cast<double>(count), part = static_cast<double>(k);
      if (k == 0 || polynomial[k] == polynomial[k - 1])
        next[k] = polynomial[k];
      else
        next[k] = (part * polynomial[k - 1] + (whole - part) * polynomial[k]) / whole;
    }
    polynomial = std::move(next);
  }
  return polynomial;
}

namespace {

struct Quaternion4 {
  Vec3 v;
  double w;
};

double length(const Vec3& v) {
  return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

Quaternion4 of_length_one(const double* q) {
  const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return {{q[0] / size, q[1] / size, q[2] / size}, q[3] / size};
}

// Of the two quaternions of the rotation between, the one whose fourth part is not negative.
Vec3 rotation_vector(const double* from, const double* to) {
  const double inner = from[3] * to[3] + from[0] * to[0] + from[1] * to[1] + from[2] * to[2];
  if (!(std::fabs(inner) >= 0x1p-40)) refuse("", "a turn by half a circle in a curve");
  const auto [a, aw] = of_length_one(from);
  const auto [b, bw] = of_length_one(to);
  const double flip = inner < 0 ? -1 : 1;
  const double w = flip * (aw * bw + a.x * b.x + a.y * b.y + a.z * b.z);
  const Vec3 v{flip * (aw * b.x - a.x * bw - a.y * b.z + a.z * b.y),
               flip * (aw * b.y - a.y * bw - a.z * b.x + a.x * b.z),
               flip * (aw * b.z - a.z * bw - a.x * b.y + a.y * b.x)};
  const double size = length(v);
  const double scale = size > 0 ? 2 * arc_tangent(size, w) / size : 2;
  return {scale * v.x, scale * v.y, scale * v.z};
}

// The rotation of a quaternion undone.
Vec3 undone(const Quaternion4& q, const Vec3& x) {
  const Vec3 side = cross(x, q.v), t{2 * side.x, 2 * side.y, 2 * side.z}, back = cross(q.v, t);
  return {(x.x + q.w * t.x) - back.x, (x.y + q.w * t.y) - back.y, (x.z + q.w * t.z) - back.z};
}

// The rate of the rotation vector where it is phi, from the angular velocity.
Vec3 rate_at(const Vec3& phi, const Vec3& omega) {
  const double angle = length(phi), half = angle / 2;
  double k = 1.0 / 12;
  if (angle >= 0x1p-26) k = (1 - half * cosine(half) / sine(half)) / (angle * angle);
  const Vec3 c = cross(phi, omega), cc = cross(phi, c);
  return {(omega.x - 0.5 * c.x) + k * cc.x, (omega.y - 0.5 * c.y) + k * cc.y,
          (omega.z - 0.5 * c.z) + k * cc.z};
}

}  // namespace

std::array<Coefficients, 3> slerp_turn(const double* from, const double* to) {
  const Vec3 phi = rotation_vector(from, to);
  return {Coefficients{0, phi.x}, Coefficients{0, phi.y}, Coefficients{0, phi.z}};
}

std::array<Coefficients, 3> cubic_turn(const double* from, const Vec3& omega_from, const double* to,
                                       const Vec3& omega_to, double T) {
  for (const Vec3& omega : {omega_from, omega_to})
    if (!(length(omega) * T <= 4)) refuse("", "more than 4 rad between two points");
  const Vec3 phi = rotation_vector(from, to);
  const Quaternion4 start = of_length_one(from);
  const Vec3 first = undone(start, omega_from);
  const Vec3 last = rate_at(phi, undone(start, omega_to));
  const double third = T / 3;
  std::array<Coefficients, 3> parts;
  for (int i = 0; i < 3; ++i)
    parts[static_cast<std::size_t>(i)] = {0, third * first[i], phi[i] - third * last[i], phi[i]};
  return parts;
}

namespace {

bool halves_between(const Coefficients& p, double lower, double upper, int halvings) {
  const auto inside = [&](double x) { return lower <= x && x <= upper; };
  if (!inside(p.front()) || !inside(p.back())) return false;
  bool hull = true;
  for (const double x : p) hull = hull && inside(x);
  if (hull || halvings == 0) return true;
  Coefficients left, right(p.size()), row = p;
  for (std::size_t i = p.size(); i-- > 0;) {
    left.push_back(row.front());
    right[i] = row.back();
    for (std::size_t k = 0; k + 1 < row.size(); ++k) row[k] = 0.5 * row[k] + 0.5 * row[k + 1];
    row.pop_back();
  }
  return halves_between(left, lower, upper, halvings - 1) &&
         halves_between(right, lower, upper, halvings - 1);
}

}  // namespace

bool stays_between(const Coefficients& polynomial, double lower, double upper) {
  return halves_between(polynomial, lower, upper, 30);
}

void check_duration(double seconds) {
  if (!(seconds >= 1e-9 && seconds <= 1e9))
    refuse("", fmt::format("{} s between two points of a curve", seconds));
}

void check_rates(const std::vector<double>& rates) {
  for (const double rate : rates)
    if (rate != 0 && !(std::fabs(rate) >= 1e-60 && std::fabs(rate) <= 1e60))
      refuse("", fmt::format("the rate {} is beyond 1e-60 and 1e60", rate));
}

}  // namespace proven::verifier
