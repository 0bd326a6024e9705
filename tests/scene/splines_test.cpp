// Conversions of splines against twins in quadruple precision, which evaluate the splines by their
// definitions and not by control points.
#include "proven/scene/splines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "proven/base/random.h"
#include "support.h"

namespace proven::test {
namespace {

using Quad = __float128;
using Row = std::vector<double>;

Quad size_of(Quad x) {
  return x < 0 ? -x : x;
}

double largest(const Row& control) {
  double most = 0;
  for (const double value : control) most = std::max(most, std::fabs(value));
  return most;
}

// Σ B_k(s) p_k.
Quad bezier(const Row& control, Quad s) {
  std::vector<Quad> row(control.begin(), control.end());
  for (std::size_t n = row.size() - 1; n > 0; --n)
    for (std::size_t i = 0; i < n; ++i) row[i] = (1 - s) * row[i] + s * row[i + 1];
  return row[0];
}

// All control points of a coordinate in a piece.
Row control_of(const Motion& motion, int piece, std::size_t coordinate) {
  const MotionPiece p = motion.piece(piece);
  Row control;
  for (int k = 0; k <= p.degree(); ++k) control.push_back(p.control(k)[coordinate]);
  return control;
}

// Whether a coordinate of the motion is where `value` says, to the error of conversions, all along.
template <class Value>
void expect_follows(const Motion& motion, std::size_t coordinate, Value&& value) {
  for (int i = 0; i < motion.num_segments(); ++i) {
    const Row control = control_of(motion, i, coordinate);
    const Quad begin = motion.times[static_cast<std::size_t>(i)],
               end = motion.times[static_cast<std::size_t>(i) + 1];
    for (int k = 0; k <= 16; ++k) {
      const Quad s = Quad(k) / 16;
      const Quad off = size_of(bezier(control, s) - value(begin + s * (end - begin)));
      ASSERT_LE(static_cast<double>(off), kConversionError * largest(control))
          << "piece " << i << " at " << k;
    }
  }
}

double any_size(Random& random) {
  return random.uniform(-1, 1) * std::pow(10.0, random.uniform(-6, 6));
}

// --- Values and rates ----------------------------------------------------------------------------

struct Polynomial {
  std::vector<Quad> powers;  // of t
  Quad at(Quad t) const {
    Quad sum = 0;
    for (std::size_t i = powers.size(); i-- > 0;) sum = sum * t + powers[i];
    return sum;
  }
  Polynomial derivative() const {
    Polynomial result;
    for (std::size_t i = 1; i < powers.size(); ++i)
      result.powers.push_back(static_cast<int>(i) * powers[i]);
    return result;
  }
};

// The polynomials of a controller, as ros2 joint_trajectory_controller has them in powers of time.
Polynomial controller_cubic(const Knot& a, const Knot& b, Quad T) {
  const Quad d = Quad(b.position) - a.position;
  return {{a.position, a.velocity, 3 * d / (T * T) - (2 * Quad(a.velocity) + b.velocity) / T,
           -2 * d / (T * T * T) + (Quad(a.velocity) + b.velocity) / (T * T)}};
}
Polynomial controller_quintic(const Knot& a, const Knot& b, Quad T) {
  const Quad d = Quad(b.position) - a.position, v0 = a.velocity, v1 = b.velocity,
             a0 = a.acceleration, a1 = b.acceleration;
  const Quad T2 = T * T, T3 = T2 * T;
  return {{a.position, v0, a0 / 2,
           (20 * d - 8 * v1 * T - 12 * v0 * T - (3 * a0 - a1) * T2) / (2 * T3),
           (-30 * d + 14 * v1 * T + 16 * v0 * T + (3 * a0 - 2 * a1) * T2) / (2 * T3 * T),
           (12 * d - 6 * v1 * T - 6 * v0 * T - (a0 - a1) * T2) / (2 * T3 * T2)}};
}

TEST(Splines, ValuesAndRatesAreWhatAControllerRuns) {
  Random random(1);
  double worst = 0;
  for (int i = 0; i < cases(20000); ++i) {
    const Knot a{any_size(random), any_size(random), any_size(random)};
    const Knot b{any_size(random), any_size(random), any_size(random)};
    const double begin = random.uniform(0, 100), end = begin + std::pow(10, random.uniform(-4, 3));
    const Quad T = Quad(end) - begin;
    const auto two = cubic_between(a, b, end - begin);
    const auto four = quintic_between(a, b, end - begin);
    for (const auto& [control, exact] :
         {std::pair(Row{a.position, two[0], two[1], b.position}, controller_cubic(a, b, T)),
          std::pair(Row{a.position, four[0], four[1], four[2], four[3], b.position},
                    controller_quintic(a, b, T))})
      for (int k = 0; k <= 8; ++k) {
        const Quad s = Quad(k) / 8, off = size_of(bezier(control, s) - exact.at(s * T));
        worst = std::max(worst, static_cast<double>(off) / largest(control));
      }
  }
  EXPECT_LE(worst, 0x1p-47);
  EXPECT_GE(worst, 0x1p-54);  // it does round
}

TEST(Splines, TheSamePolynomialByAHigherDegree) {
  Random random(2);
  for (int i = 0; i < cases(5000); ++i) {
    Row control;
    for (int k = 2 + random.index(3); k > 0; --k) control.push_back(any_size(random));
    Row higher = control;
    while (higher.size() < 6) higher = elevated(higher);
    for (int k = 0; k <= 8; ++k) {
      const Quad s = Quad(k) / 8;
      ASSERT_LE(static_cast<double>(size_of(bezier(higher, s) - bezier(control, s))),
                0x1p-47 * largest(control));
    }
  }
  // What rests keeps resting, to the bit.
  EXPECT_EQ(elevated(elevated(Row{0.1, 0.1})), (Row{0.1, 0.1, 0.1, 0.1}));
}

// --- Ball joints ---------------------------------------------------------------------------------

using Long = long double;
struct LongVector {
  Long x, y, z;
};
struct LongQuaternion {
  Long x, y, z, w;
};

LongQuaternion product(const LongQuaternion& a, const LongQuaternion& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
      a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
LongQuaternion conjugate(const LongQuaternion& q) {
  return {-q.x, -q.y, -q.z, q.w};
}
LongQuaternion unit(const Quaternion& q) {
  const Long x = q.x, y = q.y, z = q.z, w = q.w, n = std::sqrt(x * x + y * y + z * z + w * w);
  return {x / n, y / n, z / n, w / n};
}
LongQuaternion exponential(const LongVector& v) {
  const Long angle = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
  const Long k = angle == 0 ? 0.5L : std::sin(angle / 2) / angle;
  return {k * v.x, k * v.y, k * v.z, std::cos(angle / 2)};
}

Quaternion random_rotation(Random& random) {
  const Quaternion q{random.normal(), random.normal(), random.normal(), random.normal()};
  const double n = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / n, q.y / n, q.z / n, q.w / n};
}
Vec3 random_vector(Random& random, double length) {
  Vec3 v{random.normal(), random.normal(), random.normal()};
  return (length / norm(v)) * v;
}

TEST(Splines, TurnsHaveTheAngularVelocitiesOfTheirEnds) {
  Random random(3);
  for (int i = 0; i < cases(2000); ++i) {
    const Quaternion a = random_rotation(random);
    // Near ones too, where the turn is small.
    const double step = i % 2 ? 1 : std::pow(10, random.uniform(-9, 0));
    const Quaternion near{a.x + step * random.normal(), a.y + step * random.normal(),
                          a.z + step * random.normal(), a.w + step * random.normal()};
    const double n =
        std::sqrt(near.x * near.x + near.y * near.y + near.z * near.z + near.w * near.w);
    const Quaternion b{near.x / n, near.y / n, near.z / n, near.w / n};
    const double T = random.uniform(0.1, 3);
    const Vec3 w0 = random_vector(random, random.uniform(0, 3) / T),
               w1 = random_vector(random, random.uniform(0, 3) / T);
    const Vec3 end = turn_between(a, b);
    const auto [one, two] = turn_cubic(a, w0, b, w1, T);
    const LongQuaternion start = unit(a);
    const auto rotation = [&](Long s) {
      LongVector phi{};
      const Long c1 = 3 * s * (1 - s) * (1 - s), c2 = 3 * s * s * (1 - s), c3 = s * s * s;
      phi.x = c1 * one.x + c2 * two.x + c3 * end.x;
      phi.y = c1 * one.y + c2 * two.y + c3 * end.y;
      phi.z = c1 * one.z + c2 * two.z + c3 * end.z;
      return product(start, exponential(phi));
    };
    // It arrives.
    const LongQuaternion off = product(conjugate(unit(b)), rotation(1));
    ASSERT_LE(std::sqrt(off.x * off.x + off.y * off.y + off.z * off.z), 0x1p-47L);
    // 2 R' R* is the angular velocity; by central differences of second order.
    const Long h = 1e-6L;
    for (const auto& [s, omega] : {std::pair(0.0L, w0), std::pair(1.0L, w1)}) {
      const LongQuaternion p = rotation(s + h), m = rotation(s - h);
      const Long k = 1 / (h * T);
      const LongQuaternion rate =
          product({k * (p.x - m.x), k * (p.y - m.y), k * (p.z - m.z), k * (p.w - m.w)},
                  conjugate(rotation(s)));
      ASSERT_NEAR(static_cast<double>(rate.x), omega.x, 1e-9);
      ASSERT_NEAR(static_cast<double>(rate.y), omega.y, 1e-9);
      ASSERT_NEAR(static_cast<double>(rate.z), omega.z, 1e-9);
    }
    const Vec3 back = angular_velocity(a, end, (3 / T) * (end - two));
    ASSERT_LE(norm(back - w1), 1e-13 * (1 + norm(w1)));
  }
}

// The same formulas in long double: what rounding does.
TEST(Splines, TurnsAreRoundedWithinTheirBounds) {
  Random random(4);
  Long worst = 0, worst_turn = 0;
  for (int i = 0; i < cases(5000); ++i) {
    const Quaternion a = random_rotation(random), b = random_rotation(random);
    const double inner = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    if (std::fabs(inner) < 0x1p-40) continue;
    const double T = random.uniform(0.1, 3);
    const Vec3 w1 = random_vector(random, random.uniform(0, kMostTurn) / T);
    LongQuaternion turn = product(conjugate(unit(a)), unit(b));
    if (inner < 0) turn = {-turn.x, -turn.y, -turn.z, -turn.w};
    const Long n = std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    const Long theta = 2 * std::atan2(n, turn.w), k = theta / n;
    const LongVector phi{k * turn.x, k * turn.y, k * turn.z};
    const Vec3 end = turn_between(a, b);
    const auto far = [](const Vec3& v, const LongVector& x) {
      return std::sqrt((v.x - x.x) * (v.x - x.x) + (v.y - x.y) * (v.y - x.y) +
                       (v.z - x.z) * (v.z - x.z));
    };
    worst_turn = std::max(worst_turn, far(end, phi));
    const LongQuaternion w = product(product(conjugate(unit(a)), {w1.x, w1.y, w1.z, 0}), unit(a));
    const auto cross_of = [](const LongVector& u, const LongVector& v) {
      return LongVector{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    };
    const LongVector omega{w.x, w.y, w.z}, once = cross_of(phi, omega), twice = cross_of(phi, once);
    const Long factor = (1 - theta / 2 / std::tan(theta / 2)) / (theta * theta), third = T / 3.0L;
    const LongVector two{phi.x - third * (omega.x - once.x / 2 + factor * twice.x),
                         phi.y - third * (omega.y - once.y / 2 + factor * twice.y),
                         phi.z - third * (omega.z - once.z / 2 + factor * twice.z)};
    worst = std::max(worst, far(turn_cubic(a, {0, 0, 0}, b, w1, T)[1], two));
  }
  EXPECT_LE(worst_turn, 0x1p-47L);
  EXPECT_LE(worst, 0x1p-45L);
  EXPECT_GE(worst, 0x1p-54L);
}

// --- Curves --------------------------------------------------------------------------------------

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().text());
  return std::move(result).value();
}

std::vector<double> random_times(Random& random, int pieces) {
  std::vector<double> times = {random.uniform(-1, 1)};
  for (int i = 0; i < pieces; ++i)
    times.push_back(times.back() + std::pow(10, random.uniform(-3, 1)));
  return times;
}

TEST(Splines, PowersOfTime) {
  Random random(5);
  for (int i = 0; i < cases(2000); ++i) {
    const std::vector<double> times = random_times(random, 1);
    Row powers;
    for (int k = 1 + random.index(6); k > 0; --k) powers.push_back(any_size(random));
    const Polynomial exact{{powers.begin(), powers.end()}};
    const std::vector<Row> rows = {powers};
    const std::vector<Curve> curves = {must(curve_of_powers(times, rows))};
    expect_follows(must(motion_of(curves)), 0, [&](Quad t) { return exact.at(t - times[0]); });
  }
}

// N_{i,p}(t), by its definition, on the knot interval j.
Quad basis(const Row& knots, std::size_t i, int p, std::size_t j, Quad t) {
  if (p == 0) return i == j ? 1 : 0;
  const auto d = static_cast<std::size_t>(p);
  const Quad left = Quad(knots[i + d]) - knots[i], right = Quad(knots[i + d + 1]) - knots[i + 1];
  Quad sum = 0;
  if (left > 0) sum += (t - knots[i]) / left * basis(knots, i, p - 1, j, t);
  if (right > 0) sum += (knots[i + d + 1] - t) / right * basis(knots, i + 1, p - 1, j, t);
  return sum;
}

TEST(Splines, BSplines) {
  Random random(6);
  for (int round = 0; round < cases(400); ++round) {
    const int degree = 1 + random.index(5);
    const auto n = static_cast<std::size_t>(degree);
    Row points, knots;
    for (int i = 0; i < degree + 1 + random.index(8); ++i) points.push_back(any_size(random));
    const bool uniform = round % 3 == 0;
    double knot = random.uniform(-1, 1);
    while (knots.size() < points.size() + n + 1) {
      knots.push_back(knot);
      // Knots may be repeated, but not so often that the curve jumps.
      const bool again = !uniform && knots.size() >= 2 && random.index(4) == 0 &&
                         std::count(knots.begin(), knots.end(), knot) < degree;
      if (!again) knot += uniform ? 0.1 : std::pow(10, random.uniform(-3, 1));
    }
    if (knots[n] == knots[points.size()]) continue;
    const std::vector<Curve> curves = {must(curve_of_bspline(degree, knots, points))};
    const Motion motion = must(motion_of(curves));
    EXPECT_EQ(motion.times.front(), knots[n]);
    EXPECT_EQ(motion.times.back(), knots[points.size()]);
    for (int piece = 0; piece < motion.num_segments(); ++piece) {
      const double begin = motion.times[static_cast<std::size_t>(piece)],
                   end = motion.times[static_cast<std::size_t>(piece) + 1];
      const auto j = static_cast<std::size_t>(std::upper_bound(knots.begin(), knots.end(), begin) -
                                              knots.begin() - 1);
      const Row control = control_of(motion, piece, 0);
      for (int k = 0; k <= 12; ++k) {
        const Quad s = Quad(k) / 12, t = begin + s * (Quad(end) - begin);
        Quad exact = 0;
        for (std::size_t i = j - n; i <= j; ++i) exact += points[i] * basis(knots, i, degree, j, t);
        ASSERT_LE(static_cast<double>(size_of(bezier(control, s) - exact)),
                  kConversionError * largest(control));
      }
    }
  }
}

// Profiles with phases of their own for every joint become one motion.
TEST(Splines, PhasesOfConstantJerkAreMerged) {
  Random random(7);
  for (int round = 0; round < cases(300); ++round) {
    const double begin = random.uniform(0, 2), end = begin + random.uniform(0.5, 3);
    const int joints = 1 + random.index(4);
    std::vector<Knot> starts;
    std::vector<std::vector<double>> times, jerks;
    std::vector<Curve> curves;
    for (int j = 0; j < joints; ++j) {
      starts.push_back({random.uniform(-3, 3), random.uniform(-1, 1), random.uniform(-1, 1)});
      std::vector<double> inner;
      for (int i = 0; i < 6; ++i) inner.push_back(random.uniform(begin, end));
      std::sort(inner.begin(), inner.end());
      if (round % 2) inner[1] = inner[0];  // a phase of no duration
      if (round % 3 == 0 && j > 0) inner[3] = std::nextafter(times[0][4], 9);  // one that is tiny
      std::sort(inner.begin(), inner.end());
      times.push_back({begin});
      times.back().insert(times.back().end(), inner.begin(), inner.end());
      times.back().push_back(end);
      jerks.emplace_back();
      for (int i = 0; i < 7; ++i) jerks.back().push_back(random.uniform(-20, 20));
      curves.push_back(must(curve_of_jerks(starts.back(), times.back(), jerks.back())));
    }
    const Motion motion = must(motion_of(curves));
    EXPECT_LE(motion.num_segments(), 1 + 6 * joints);
    EXPECT_GE(motion.num_segments(), 5);
    for (std::size_t j = 0; j < curves.size(); ++j)
      expect_follows(motion, j, [&](Quad t) {
        Quad p = starts[j].position, v = starts[j].velocity, a = starts[j].acceleration;
        for (std::size_t i = 0; i < 7; ++i) {
          Quad T = (t < times[j][i + 1] || i == 6 ? t : Quad(times[j][i + 1])) - times[j][i];
          if (T < 0) T = 0;
          p += T * (v + T * (a / 2 + T * jerks[j][i] / 6));
          v += T * (a + T * jerks[j][i] / 2);
          a += T * jerks[j][i];
          if (t < times[j][i + 1]) break;
        }
        return p;
      });
  }
}

TEST(Splines, PiecesThatNothingCutsKeepTheirControlPoints) {
  const std::vector<double> times = {0, 1, 2};
  const std::vector<Row> one = {{0.1, 0.7, 0.3}, {0.3, 0.5}}, two = {{0.2}, {0.2}};
  const std::vector<Curve> curves = {must(curve_of_control(times, one)),
                                     must(curve_of_control(times, two))};
  const Motion motion = must(motion_of(curves));
  EXPECT_EQ(motion.waypoints, (std::vector<Row>{{0.1, 0.2}, {0.3, 0.2}, {0.5, 0.2}}));
  EXPECT_EQ(motion.inner[0], (std::vector<Row>{{0.7, 0.2}}));
  EXPECT_EQ(motion.times, times);
}

TEST(Splines, RefusesWhatIsNoMotion) {
  const std::vector<double> times = {0, 1, 2};
  const auto error = [](const auto& result) {
    return result.ok() ? std::string("no error") : result.error().text();
  };
  const std::vector<Row> jump = {{0, 1}, {2, 3}}, joined = {{0, 1}, {1, 3}};
  const std::vector<Curve> jumps = {must(curve_of_control(times, jump))};
  EXPECT_NE(error(motion_of(jumps)).find("coordinate 0 at 1 s: it jumps from 1 to 2"),
            std::string::npos)
      << error(motion_of(jumps));
  const std::vector<double> other = {0, 1, 3}, back = {0, 1, 1};
  const std::vector<Curve> apart = {must(curve_of_control(times, joined)),
                                    must(curve_of_control(other, joined))};
  EXPECT_NE(error(motion_of(apart)).find("begin and end together"), std::string::npos);
  EXPECT_NE(error(curve_of_control(back, joined)).find("must increase"), std::string::npos);
  const Row knots = {0, 0, 1, 1}, few = {0, 1}, endless = {0, INFINITY};
  EXPECT_EQ(error(curve_of_bspline(1, knots, few)), "no error");
  EXPECT_NE(error(curve_of_bspline(2, knots, few)).find("knots, not"), std::string::npos);
  EXPECT_NE(error(curve_of_bspline(6, knots, few)).find("degree 1 to 5"), std::string::npos);
  EXPECT_NE(error(curve_of_bspline(1, knots, endless)).find("finite"), std::string::npos);
  // Around its zero a line from 1 to -1 has fewer digits than a motion needs.
  const std::vector<double> whole = {0, 1}, cuts = {0, 0.5, std::nextafter(0.5, 1), 1};
  const std::vector<Row> line = {{1, -1}}, rest = {{0, 0}, {0, 0}, {0, 0}};
  const std::vector<Curve> cut = {must(curve_of_control(whole, line)),
                                  must(curve_of_control(cuts, rest))};
  EXPECT_NE(error(motion_of(cut)).find("cancel"), std::string::npos) << error(motion_of(cut));
}

}  // namespace
}  // namespace proven::test
