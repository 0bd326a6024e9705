#include "proven/kinematics/interpolation.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "proven/base/elementary.h"
#include "proven/base/largest_number.h"
#include "proven/kinematics/bernstein.h"
#include "proven/kinematics/piece_turn.h"

namespace proven {

namespace {

constexpr double kLargestTurn = 8;       // the rounding bounds rest on it (rounding.h)
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
  return 2 * arc_tangent(std::fmin(difference, sum), std::fmax(difference, sum));
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
  const double scale = 1 / sine(angle);
  return unit(combine(sine((1 - t) * angle) * scale, from, sign * sine(t * angle) * scale, to));
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

namespace {

Bernstein<double> polynomial(const MotionPiece& piece, std::size_t coordinate) {
  Bernstein<double> p;
  p.degree = piece.degree();
  for (int k = 0; k <= p.degree; ++k) p.c[k] = piece.control(k)[coordinate];
  return p;
}

bool rests(const Bernstein<double>& p) {
  for (int k = 1; k <= p.degree; ++k)
    if (p.c[k] != p.c[0]) return false;
  return true;
}

}  // namespace

void interpolate(const KinematicTree& tree, const MotionPiece& piece, double s,
                 std::span<double> out) {
  if (piece.straight()) return interpolate(tree, piece.from, piece.to, s, out);
  const std::span<const Coordinate> coordinates = tree.coordinates();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (!coordinates[i].quaternion) {
      const Bernstein<double> p = polynomial(piece, i);
      out[i] = rests(p) ? p.c[0] : p.at(s);
      continue;
    }
    const int first = static_cast<int>(i);
    const Quaternion a = read_quaternion(piece.from, first);
    const Bernstein<Vec3> turn = piece_turn(piece, first);
    Quaternion q = a;
    for (int k = 1; k <= turn.degree; ++k)
      if (turn.c[k] != Vec3{}) q = turned(a, turn.at(s));
    if (s == 0) q = a;
    if (s == 1) q = read_quaternion(piece.to, first);
    out[i] = q.x;
    out[++i] = q.y;
    out[++i] = q.z;
    out[++i] = q.w;
  }
}

void differentiate(const KinematicTree& tree, const MotionPiece& piece, double s,
                   std::span<double> rate, std::span<double> acceleration) {
  const std::span<const Coordinate> coordinates = tree.coordinates();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (!coordinates[i].quaternion) {
      const Bernstein<double> first = polynomial(piece, i).derivative();
      rate[i] = first.at(s);
      acceleration[i] = first.derivative().at(s);
      continue;
    }
    const Bernstein<Vec3> turn = piece_turn(piece, static_cast<int>(i));
    const Bernstein<Vec3> first = turn.derivative();
    const Mat3 R = rotation_from_quaternion(read_quaternion(piece.from, static_cast<int>(i)));
    const Vec3 phi = turn.at(s), dphi = first.at(s);
    const Vec3 w = R * turning_rate(phi, dphi);
    const Vec3 dw = R * turning_acceleration(phi, dphi, first.derivative().at(s));
    for (int k = 0; k < 3; ++k)
      rate[i + static_cast<std::size_t>(k)] = w[k],
               acceleration[i + static_cast<std::size_t>(k)] = dw[k];
    rate[i + 3] = acceleration[i + 3] = 0;
    i += 3;
  }
}

Result<void> check_control_point(const KinematicTree& tree, std::span<const double> q) {
  if (q.size() != static_cast<std::size_t>(tree.num_coordinates()))
    return bad_input(
        fmt::format("a control point has {} values, but the robots have {} coordinates", q.size(),
                    tree.num_coordinates()));
  for (std::size_t i = 0; i < q.size(); ++i)
    if (!(std::fabs(q[i]) <= kLargestNumber))
      return bad_input(fmt::format("the value of '{}' is not finite, or beyond 1e9 (rad or m)",
                                   tree.coordinates()[i].name));
  for (const Link& link : tree.links()) {
    if (link.joint.kind != JointKind::ball) continue;
    const Quaternion turn = read_quaternion(q, link.joint.coordinate);
    if (turn.w != 0)
      return bad_input(
          fmt::format("the fourth value of '{}' must be 0: control points between the ends of a "
                      "piece hold its turn from the start as a rotation vector",
                      link.name));
    if (!(norm(Vec3{turn.x, turn.y, turn.z}) <= kLargestTurn))
      return bad_input(fmt::format("the turn of '{}' within a piece is more than {} rad: split it",
                                   link.name, kLargestTurn));
  }
  return {};
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
