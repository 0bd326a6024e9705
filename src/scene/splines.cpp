#include "proven/scene/splines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "proven/base/elementary.h"
#include "proven/kinematics/interpolation.h"

namespace proven {

// Rounding, u = 2^-53, M the largest control point of the exact piece. `seconds` is a difference of
// times, off by u. Of the cubic, v T / 3 is off by 3 u of itself, which is |p_1 - p_0| <= 2 M, and
// the sum rounds once: 7 u M. Of the quintic, 2 v T / 5 is off by 3 u of 4 M; a T^2 / 20 by 5 u of
// |p_2 - 2 p_1 + p_0| <= 4 M; the sums round values below 3 M and M: 36 u M < 2^-47 M.
std::array<double, 2> cubic_between(const Knot& a, const Knot& b, double seconds) {
  const double third = seconds / 3;
  return {a.position + a.velocity * third, b.position - b.velocity * third};
}

std::array<double, 4> quintic_between(const Knot& a, const Knot& b, double seconds) {
  const double fifth = seconds / 5;
  const double bend_a = a.acceleration * seconds * seconds / 20;
  const double bend_b = b.acceleration * seconds * seconds / 20;
  const double step_a = a.velocity * fifth, step_b = b.velocity * fifth;
  return {a.position + step_a, (a.position + 2 * step_a) + bend_a,
          (b.position - 2 * step_b) + bend_b, b.position - step_b};
}

// Each step rounds four times and takes means of control points: from degree 1 to 5 at most 16 u M.
// The points of a cubic are at most 7/3 M of the quintic's: 8 u 7/3 M, and 7 u 7/3 M of its own.
std::vector<double> elevated(std::span<const double> control) {
  const std::size_t n = control.size();  // the new degree
  std::vector<double> result = {control[0]};
  for (std::size_t k = 1; k < n; ++k) {
    const double before = control[k - 1], after = control[k];
    const auto share = static_cast<double>(k), whole = static_cast<double>(n);
    result.push_back(before == after ? after : (share * before + (whole - share) * after) / whole);
  }
  result.push_back(control[n - 1]);
  return result;
}

// --- Ball joints ---------------------------------------------------------------------------------

namespace {

Quaternion unit(const Quaternion& q) {
  const double length = std::sqrt(((q.x * q.x + q.y * q.y) + q.z * q.z) + q.w * q.w);
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}

// R⁻¹ v and R v, R the rotation of the unit quaternion q.
Vec3 turned_back(const Quaternion& q, const Vec3& v) {
  const Vec3 axis{q.x, q.y, q.z};
  const Vec3 t = 2 * cross(v, axis);
  return (v + q.w * t) - cross(axis, t);
}
Vec3 turned(const Quaternion& q, const Vec3& v) {
  return turned_back({-q.x, -q.y, -q.z, q.w}, v);
}

double length_of(const Vec3& v) {
  return std::sqrt((v.x * v.x + v.y * v.y) + v.z * v.z);
}

// J(φ)⁻¹ v. Below 2^-26 the quadratic term is beyond all digits, whatever its factor.
Vec3 rate_of_turn(const Vec3& phi, const Vec3& v) {
  const double theta = length_of(phi), half = theta / 2;
  const double factor =
      theta < 0x1p-26 ? 1.0 / 12 : (1 - half * cosine(half) / sine(half)) / (theta * theta);
  const Vec3 once = cross(phi, v);
  return (v - 0.5 * once) + factor * cross(phi, once);
}

}  // namespace

// Of a unit quaternion, 3 u of error are a common factor, which changes neither angle nor axis;
// each part has another u. A part of the product has four terms, their sizes at most 1 together,
// off by 2 u + u and three sums: 6 u, of all four parts 12 u. φ moves by at most π times as much (2
// θ/2 / sin θ/2), and its own seven roundings are below 6 u π: 57 u < 2^-47.
Vec3 turn_between(const Quaternion& first, const Quaternion& second) {
  const Quaternion a = unit(first), b = unit(second);
  const double sign = turns_as_given(first, second) ? 1 : -1;
  const Vec3 axis = sign * Vec3{((a.w * b.x - a.x * b.w) - a.y * b.z) + a.z * b.y,
                                ((a.w * b.y - a.y * b.w) - a.z * b.x) + a.x * b.z,
                                ((a.w * b.z - a.z * b.w) - a.x * b.y) + a.y * b.x};
  const double w = sign * (((a.w * b.w + a.x * b.x) + a.y * b.y) + a.z * b.z);
  const double n = length_of(axis);
  return (n == 0 ? 2 : 2 * arc_tangent(n, w) / n) * axis;
}

// With W = |ω| T / 3 <= 4/3: turning ω back is off by 33 u W (a factor of 3 u acts twice on what
// the turn changes, 12 u; the parts 6 u; operations 15 u), and J⁻¹ makes at most π/2 of that, 52 u
// W. J⁻¹ itself rounds terms of at most π/2 W and W: 24 u W; it changes by at most 1.2 W per unit
// of φ: 68 u W. With φ and the last difference 144 u W + 57 u + 4 u < 256 u = 2^-45.
std::array<Vec3, 2> turn_cubic(const Quaternion& a, const Vec3& omega_a, const Quaternion& b,
                               const Vec3& omega_b, double seconds) {
  const double third = seconds / 3;
  const Quaternion from = unit(a);
  const Vec3 phi = turn_between(a, b);
  return {third * turned_back(from, omega_a),
          phi - third * rate_of_turn(phi, turned_back(from, omega_b))};
}

Vec3 angular_velocity(const Quaternion& a, const Vec3& phi, const Vec3& phi_rate) {
  const double theta = length_of(phi), s = sine(theta / 2);
  const bool small = theta < 0x1p-13;  // the next terms are below 2^-57 of the rate
  const double first = small ? 0.5 : 2 * s * s / (theta * theta);
  const double second = small ? 1.0 / 6 : (theta - sine(theta)) / (theta * theta * theta);
  const Vec3 once = cross(phi, phi_rate);
  return turned(unit(a), phi_rate + first * once + second * cross(phi, once));
}

// --- Curves --------------------------------------------------------------------------------------

namespace {

// Half an ulp of a number in [1, 2): each operation is off by no more, relatively. The bounds round
// too; motion_of doubles them.
constexpr long double kRounding = std::numeric_limits<long double>::epsilon() / 2;

Estimate rounded(long double value, long double error) {
  return {value, error + kRounding * std::fabs(value)};
}
Estimate exact(double value) {
  return {value, 0};
}
Estimate operator+(const Estimate& a, const Estimate& b) {
  return rounded(a.value + b.value, a.error + b.error);
}
Estimate operator-(const Estimate& a, const Estimate& b) {
  return a + Estimate{-b.value, b.error};
}
Estimate operator*(const Estimate& a, const Estimate& b) {
  return rounded(a.value * b.value,
                 std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error);
}
// The divisor is a difference of doubles that is not zero, or a whole number.
Estimate operator/(const Estimate& a, const Estimate& b) {
  const long double value = a.value / b.value;
  return rounded(value, (a.error + std::fabs(value) * b.error) / (std::fabs(b.value) - b.error));
}

Result<void> check_times(std::span<const double> times, std::size_t pieces) {
  if (pieces == 0 || times.size() != pieces + 1)
    return bad_input(
        fmt::format("{} pieces need as many times and one more, not {}", pieces, times.size()));
  for (std::size_t i = 0; i + 1 < times.size(); ++i)
    if (!std::isfinite(times[i]) || !(times[i + 1] - times[i] > 0) ||
        !std::isfinite(times[i + 1] - times[i]))
      return bad_input(
          fmt::format("times must increase, but {} follows {}", times[i + 1], times[i]));
  return {};
}

Result<void> check_numbers(std::span<const double> numbers, std::size_t most) {
  if (numbers.empty() || numbers.size() > most)
    return bad_input(fmt::format("a piece has degree 0 to {}, not {}", most - 1,
                                 static_cast<int>(numbers.size()) - 1));
  for (const double number : numbers)
    if (!std::isfinite(number)) return bad_input("numbers of a spline must be finite");
  return {};
}

// Σ_k powers[k] t^k for t from 0 to `seconds`: b_k = Σ_{i <= k} C(k, i) / C(n, i) powers[i] T^i.
std::vector<Estimate> bernstein(std::vector<Estimate> powers, const Estimate& seconds) {
  if (powers.size() == 1) powers.push_back({});
  const std::size_t n = powers.size() - 1;
  Estimate scale = exact(1);
  for (std::size_t i = 0; i <= n; ++i) {
    powers[i] = powers[i] * scale;
    // C(n, i + 1) = C(n, i) (n - i) / (i + 1)
    if (i < n)
      scale =
          scale * seconds * exact(static_cast<double>(i + 1)) / exact(static_cast<double>(n - i));
  }
  // Sums of differences: b_k is the k-th of the sequence with these differences at its start.
  std::vector<Estimate> control;
  for (std::size_t k = 0; k <= n; ++k) {
    control.push_back(powers[0]);
    for (std::size_t i = 0; i + k < n; ++i) powers[i] = powers[i] + powers[i + 1];
  }
  return control;
}

// The value at `at[0] … at[n - 1]` of the symmetric function that is affine in each of them and
// equals the polynomial where all are the same.
Estimate blossom(std::vector<Estimate> control, std::span<const Estimate> at) {
  for (std::size_t r = 0; r < at.size(); ++r)
    for (std::size_t i = 0; i + r + 1 < control.size(); ++i)
      control[i] = (exact(1) - at[r]) * control[i] + at[r] * control[i + 1];
  return control[0];
}

std::vector<Estimate> elevated(const std::vector<Estimate>& control) {
  const std::size_t n = control.size();
  std::vector<Estimate> result = {control[0]};
  for (std::size_t k = 1; k < n; ++k)
    result.push_back((exact(static_cast<double>(k)) * control[k - 1] +
                      exact(static_cast<double>(n - k)) * control[k]) /
                     exact(static_cast<double>(n)));
  result.push_back(control[n - 1]);
  return result;
}

// The part from u to v of piece i, and by which degree.
std::vector<Estimate> part(const Curve& curve, std::size_t i, double u, double v,
                           std::size_t degree) {
  std::vector<Estimate> control = curve.control[i];
  const double begin = curve.times[i], end = curve.times[i + 1];
  if (u != begin || v != end) {
    const Estimate whole = exact(end) - exact(begin);
    const Estimate s = (exact(u) - exact(begin)) / whole, t = (exact(v) - exact(begin)) / whole;
    const std::size_t n = control.size() - 1;
    std::vector<Estimate> result, at(n, s);
    for (std::size_t k = 0; k <= n; ++k) {
      if (k > 0) at[n - k] = t;
      result.push_back(blossom(control, at));
    }
    control = std::move(result);
  }
  const bool rests = std::all_of(control.begin(), control.end(), [&](const Estimate& c) {
    return c.value == control[0].value && c.error == 0;
  });
  if (rests) return std::vector<Estimate>(degree + 1, control[0]);
  while (control.size() <= degree) control = elevated(control);
  return control;
}

// Control points as doubles; the first is given where a piece came before.
Result<std::vector<double>> to_doubles(const std::vector<Estimate>& control, const double* first) {
  std::vector<double> result;
  long double largest = 0;
  for (const Estimate& point : control) {
    result.push_back(static_cast<double>(point.value));
    largest = std::max(largest, std::fabs(point.value) - point.error);
  }
  if (first) result[0] = *first;
  for (std::size_t k = 0; k < control.size(); ++k) {
    const long double off = std::fabs(control[k].value - result[k]);
    if (off + 2 * control[k].error <= kConversionError * largest) continue;
    if (k == 0 && off > 0x1p-40L * largest)
      return bad_input(
          fmt::format("it jumps from {} to {}", result[0], static_cast<double>(control[k].value)));
    return Error{ErrorCode::unsupported,
                 "its control points cancel beyond what doubles hold; give it in other pieces",
                 {}};
  }
  return result;
}

}  // namespace

Result<Curve> curve_of_control(std::span<const double> times,
                               std::span<const std::vector<double>> control) {
  if (auto good = check_times(times, control.size()); !good.ok()) return good.error();
  Curve curve{{times.begin(), times.end()}, {}};
  for (const std::vector<double>& points : control) {
    if (auto good = check_numbers(points, kMaxDegree + 1); !good.ok()) return good.error();
    curve.control.emplace_back();
    for (const double point : points) curve.control.back().push_back(exact(point));
    if (points.size() == 1) curve.control.back().push_back(exact(points[0]));
  }
  return curve;
}

Result<Curve> curve_of_powers(std::span<const double> times,
                              std::span<const std::vector<double>> powers) {
  if (auto good = check_times(times, powers.size()); !good.ok()) return good.error();
  Curve curve{{times.begin(), times.end()}, {}};
  for (std::size_t i = 0; i < powers.size(); ++i) {
    if (auto good = check_numbers(powers[i], kMaxDegree + 1); !good.ok()) return good.error();
    std::vector<Estimate> terms;
    for (const double power : powers[i]) terms.push_back(exact(power));
    curve.control.push_back(bernstein(std::move(terms), exact(times[i + 1]) - exact(times[i])));
  }
  return curve;
}

Result<Curve> curve_of_bspline(int degree, std::span<const double> knots,
                               std::span<const double> points) {
  if (degree < 1 || degree > kMaxDegree)
    return bad_input(fmt::format("B-splines have degree 1 to {}, not {}", kMaxDegree, degree));
  const auto n = static_cast<std::size_t>(degree);
  if (points.size() <= n || knots.size() != points.size() + n + 1)
    return bad_input(fmt::format("{} points of degree {} need {} knots, not {}", points.size(),
                                 degree, points.size() + n + 1, knots.size()));
  for (std::size_t i = 0; i + 1 < knots.size(); ++i)
    if (!std::isfinite(knots[i + 1] - knots[i]) || knots[i + 1] < knots[i])
      return bad_input("knots must be finite and not decrease");
  if (auto good = check_numbers(points, points.size()); !good.ok()) return good.error();
  Curve curve;
  for (std::size_t j = n; j < points.size(); ++j) {
    if (knots[j] == knots[j + 1]) continue;
    if (curve.times.empty()) curve.times.push_back(knots[j]);
    curve.times.push_back(knots[j + 1]);
    curve.control.emplace_back();
    for (std::size_t k = 0; k <= n; ++k) {
      // De Boor's scheme with n - k times the begin of the piece and k times its end.
      std::vector<Estimate> d;
      for (std::size_t i = j - n; i <= j; ++i) d.push_back(exact(points[i]));
      for (std::size_t r = 1; r <= n; ++r) {
        const Estimate x = exact(knots[r + k <= n ? j : j + 1]);
        for (std::size_t i = 0; i + r <= n; ++i) {
          const Estimate low = exact(knots[j - n + r + i]), high = exact(knots[j + 1 + i]);
          d[i] = ((high - x) * d[i] + (x - low) * d[i + 1]) / (high - low);
        }
      }
      curve.control.back().push_back(d[0]);
    }
  }
  if (curve.times.empty()) return bad_input("all knots of the B-spline are equal");
  return curve;
}

Result<Curve> curve_of_jerks(const Knot& start, std::span<const double> times,
                             std::span<const double> jerks) {
  if (times.size() != jerks.size() + 1)
    return bad_input(fmt::format("{} phases need as many times and one more, not {}", jerks.size(),
                                 times.size()));
  const std::array<double, 3> state = {start.position, start.velocity, start.acceleration};
  if (auto good = check_numbers(state, 3); !good.ok()) return good.error();
  Estimate p = exact(state[0]), v = exact(state[1]), a = exact(state[2]);
  Curve curve;
  for (std::size_t i = 0; i < jerks.size(); ++i) {
    if (times[i] == times[i + 1]) continue;
    if (curve.times.empty()) curve.times.push_back(times[i]);
    curve.times.push_back(times[i + 1]);
    if (!std::isfinite(jerks[i])) return bad_input("numbers of a spline must be finite");
    const Estimate T = exact(times[i + 1]) - exact(times[i]), j = exact(jerks[i]);
    const Estimate half = exact(2), sixth = exact(6);
    curve.control.push_back(bernstein({p, v, a / half, j / sixth}, T));
    p = curve.control.back().back();
    v = v + T * (a + T * j / half);
    a = a + T * j;
  }
  if (auto good = check_times(curve.times, curve.control.size()); !good.ok()) return good.error();
  return curve;
}

Result<Motion> motion_of(std::span<const Curve> coordinates) {
  std::vector<double> times;
  std::size_t degree = 1;
  for (const Curve& curve : coordinates) {
    if (curve.times.front() != coordinates[0].times.front() ||
        curve.times.back() != coordinates[0].times.back())
      return bad_input("the curves of a motion must begin and end together");
    times.insert(times.end(), curve.times.begin(), curve.times.end());
    for (const auto& control : curve.control) degree = std::max(degree, control.size() - 1);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.empty()) return bad_input("a motion needs a curve for each coordinate");
  const std::size_t num_pieces = times.size() - 1, num_coordinates = coordinates.size();
  const std::vector<double> row(num_coordinates, 0);
  Motion motion{std::vector(num_pieces + 1, row), times, {}, {}};
  motion.inner.assign(num_pieces, std::vector(degree - 1, row));
  for (std::size_t c = 0; c < num_coordinates; ++c)
    for (std::size_t i = 0, at = 0; i < num_pieces; ++i) {
      while (coordinates[c].times[at + 1] <= times[i]) ++at;
      const auto control = to_doubles(part(coordinates[c], at, times[i], times[i + 1], degree),
                                      i == 0 ? nullptr : &motion.waypoints[i][c]);
      if (!control.ok())
        return Error{control.error().code,
                     fmt::format("coordinate {} at {} s: {}", c, times[i], control.error().message),
                     {}};
      for (std::size_t k = 0; k <= degree; ++k)
        (k == 0        ? motion.waypoints[i]
         : k == degree ? motion.waypoints[i + 1]
                       : motion.inner[i][k - 1])[c] = control.value()[k];
    }
  if (degree == 1) motion.inner.clear();
  return motion;
}

}  // namespace proven
