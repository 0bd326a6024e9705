#include "proven/kinematics/interpolation.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "proven/base/largest_number.h"

namespace proven {

namespace {

constexpr double kUnitTolerance = 1e-6;  // files carry quaternions of six digits and more

double norm(const Quaternion& q) {
  return std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}

Quaternion combine(double s, const Quaternion& a, double t, const Quaternion& b) {
  return {s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z, s * a.w + t * b.w};
}

Quaternion unit(const Quaternion& q) {
  return combine(1 / norm(q), q, 0, q);
}

// Half the rotation angle between unit quaternions: accurate for small and large angles alike.
double half_angle(const Quaternion& a, const Quaternion& b) {
  const double difference = norm(combine(1, a, -1, b)), sum = norm(combine(1, a, 1, b));
  return 2 * std::atan2(std::fmin(difference, sum), std::fmax(difference, sum));
}

// A sum without rounding: its terms do not overlap and grow in magnitude.
class ExactSum {
 public:
  void add(double value) {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const double term = terms_[i], sum = value + term, part = sum - value;
      const double error = (value - (sum - part)) + (term - part);
      value = sum;
      if (error != 0) terms_[kept++] = error;
    }
    if (value != 0) terms_[kept++] = value;
    count_ = kept;
  }
  void add_product(double x, double y) {
    const double product = x * y;
    add(std::fma(x, y, -product));
    add(product);
  }
  bool is_negative() const { return count_ > 0 && terms_[count_ - 1] < 0; }

 private:
  double terms_[8];
  int count_ = 0;
};

}  // namespace

bool turns_as_given(const Quaternion& a, const Quaternion& b) {
  const double inner = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  // Seven roundings of values below |a| |b|.
  if (std::fabs(inner) > 0x1p-48 * norm(a) * norm(b)) return inner > 0;
  ExactSum sum;
  sum.add_product(a.x, b.x);
  sum.add_product(a.y, b.y);
  sum.add_product(a.z, b.z);
  sum.add_product(a.w, b.w);
  return !sum.is_negative();
}

Quaternion read_quaternion(std::span<const double> q, int first) {
  const auto i = static_cast<std::size_t>(first);
  return {q[i], q[i + 1], q[i + 2], q[i + 3]};
}

double rotation_angle(const Quaternion& a, const Quaternion& b) {
  return 2 * half_angle(unit(a), unit(b));
}

Quaternion slerp(const Quaternion& a, const Quaternion& b, double t) {
  if (t == 0) return a;
  if (t == 1) return b;
  const Quaternion from = unit(a), to = unit(b);
  const double angle = half_angle(from, to);
  if (angle == 0) return from;
  const double sign = turns_as_given(a, b) ? 1 : -1;
  const double scale = 1 / std::sin(angle);
  return unit(
      combine(std::sin((1 - t) * angle) * scale, from, sign * std::sin(t * angle) * scale, to));
}

void interpolate(const KinematicTree& tree, std::span<const double> qa, std::span<const double> qb,
                 double t, std::span<double> out) {
  const std::span<const Coordinate> coordinates = tree.coordinates();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (!coordinates[i].quaternion) {
      out[i] = qa[i] == qb[i] ? qa[i] : (1 - t) * qa[i] + t * qb[i];
      continue;
    }
    const int first = static_cast<int>(i);
    const Quaternion a = read_quaternion(qa, first), b = read_quaternion(qb, first);
    const bool equal = a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
    const Quaternion between = equal ? a : slerp(a, b, t);
    out[i] = between.x;
    out[++i] = between.y;
    out[++i] = between.z;
    out[++i] = between.w;
  }
}

Result<void> check_configuration(const KinematicTree& tree, std::span<const double> q) {
  const std::span<const Coordinate> coordinates = tree.coordinates();
  if (q.size() != coordinates.size())
    return bad_input(
        fmt::format("a configuration has {} values, but the robots have {} coordinates", q.size(),
                    coordinates.size()));
  for (std::size_t i = 0; i < q.size(); ++i)
    if (!(std::fabs(q[i]) <= kLargestNumber))
      return bad_input(fmt::format("the value of '{}' is not finite, or beyond 1e9 (rad or m)",
                                   coordinates[i].name));
  for (const Link& link : tree.links()) {
    if (link.joint.kind != JointKind::ball) continue;
    const double length = norm(read_quaternion(q, link.joint.coordinate));
    if (!(std::fabs(length - 1) <= kUnitTolerance))
      return bad_input(
          fmt::format("the quaternion of '{}' has length {}; it must be 1", link.name, length));
  }
  return {};
}

std::vector<double> random_configuration(const KinematicTree& tree, Random& random, double reach) {
  std::vector<double> q;
  for (const Coordinate& c : tree.coordinates()) {
    if (c.quaternion) {
      q.push_back(random.normal());
      continue;
    }
    const double bound = c.rotary ? std::numbers::pi : reach;
    const double lower = std::isfinite(c.lower) ? c.lower : std::fmin(-bound, c.upper);
    const double upper = std::isfinite(c.upper) ? c.upper : std::fmax(bound, c.lower);
    q.push_back(random.uniform(lower, upper));
  }
  for (const Link& link : tree.links()) {
    if (link.joint.kind != JointKind::ball) continue;
    const auto i = static_cast<std::size_t>(link.joint.coordinate);
    const Quaternion rotation = unit(read_quaternion(q, link.joint.coordinate));
    q[i] = rotation.x, q[i + 1] = rotation.y, q[i + 2] = rotation.z, q[i + 3] = rotation.w;
  }
  return q;
}

}  // namespace proven
