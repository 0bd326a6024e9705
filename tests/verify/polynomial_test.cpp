// Enclosures of polynomials and of turns, against exact values and long double.
#include "verify/polynomial.h"

#include "curves.h"
#include "support.h"

namespace proven::test {
namespace {

using I = verifier::Interval;
using verifier::Wide;

// Whether a holds all of b.
bool holds(const I& a, const Wide& b) {
  return mpfi_is_inside(b.get(), Wide(a).get()) > 0;
}

// Σ binomial(d, k) t^k (1 - t)^(d - k) p_k, all in 128 bits.
Wide exact_value(const std::vector<double>& points, double t) {
  const auto degree = points.size() - 1;
  Wide sum = 0.0;
  for (std::size_t k = 0; k <= degree; ++k) {
    Wide term = points[k];
    for (std::size_t i = 1; i <= k; ++i)
      term =
          term * Wide(t) * Wide(static_cast<double>(degree + 1 - i)) / Wide(static_cast<double>(i));
    for (std::size_t i = k; i < degree; ++i) term = term * (Wide(1.0) - Wide(t));
    sum = sum + term;
  }
  return sum;
}

// The same of a derivative, by differences of control points.
std::vector<double> differences(const std::vector<double>& points) {
  std::vector<double> result;
  for (std::size_t k = 0; k + 1 < points.size(); ++k)
    result.push_back(static_cast<double>(points.size() - 1) * (points[k + 1] - points[k]));
  return result;
}

template <class T>
verifier::Polynomial<T> polynomial(const std::vector<double>& points) {
  verifier::Polynomial<T> p;
  for (const double x : points) p.points.push_back(x);
  return p;
}

I hull_of(const std::vector<I>& points) {
  I all = points[0];
  for (const I& p : points) all = verifier::hull(all, p);
  return all;
}

TEST(PolynomialTest, PartsHoldTheValuesAndLittleElse) {
  Random random(1);
  for (int i = 0; i < cases(3000); ++i) {
    std::vector<double> points;  // multiples of 2^-20: differences are exact
    for (int k = 2 + random.index(5); k > 0; --k)
      points.push_back(std::round(random.uniform(-3, 3) * 0x1p20) * 0x1p-20);
    for (int order = 0; order < 3 && !points.empty(); ++order, points = differences(points)) {
      const double a = random.uniform(), b = a + (1 - a) * std::pow(random.uniform(), 3);
      const auto p = polynomial<I>(points);
      const I part = hull_of(p.part(a, b));
      double least = INFINITY, most = -INFINITY, size = 1;
      for (const double x : points) size = std::max(size, std::fabs(x));
      for (int k = 0; k <= 20; ++k) {
        const double t = std::min(b, a + (b - a) * k / 20);
        const Wide exact = exact_value(points, t);
        ASSERT_TRUE(holds(part, exact)) << i << " at " << t;
        ASSERT_TRUE(holds(p.at(t), exact)) << i << " at " << t;
        EXPECT_LT(p.at(t).hi - p.at(t).lo, 2e-14 * size);
        least = std::min(least, approximate(exact));
        most = std::max(most, approximate(exact));
      }
      // What control points add to the range is of the order of (b - a)² p''.
      double bend = 0;
      for (const double x : differences(differences(points))) bend = std::max(bend, std::fabs(x));
      EXPECT_LE(part.hi - part.lo, most - least + (b - a) * (b - a) * bend + 1e-11);
      // The ends of the part are values.
      EXPECT_NEAR(approximate(p.part(a, b).front()), approximate(exact_value(points, a)), 1e-12);
      EXPECT_NEAR(approximate(p.part(a, b).back()), approximate(exact_value(points, b)), 1e-12);
    }
  }
}

TEST(PolynomialTest, DerivativesAreThoseOfTheCurve) {
  Random random(2);
  for (int i = 0; i < cases(1000); ++i) {
    std::vector<double> points;
    for (int k = 2 + random.index(5); k > 0; --k) points.push_back(random.uniform(-3, 3));
    const auto p = polynomial<Wide>(points);
    const double t = random.uniform(0.1, 0.9), h = 0x1p-20;
    const Wide slope = (exact_value(points, t + h) - exact_value(points, t - h)) / Wide(2 * h);
    EXPECT_NEAR(approximate(p.derivative().at(t)), approximate(slope), 1e-8);
    const Wide bend = (exact_value(points, t + h) + exact_value(points, t - h) -
                       Wide(2.0) * exact_value(points, t)) /
                      Wide(h * h);
    EXPECT_NEAR(approximate(p.derivative().derivative().at(t)), approximate(bend), 1e-7);
  }
}

// Of all sizes, tiny ones too, and at the change from the series to the formulas.
std::array<double, 3> any_turn(Random& random) {
  const double size = random.index(4) == 0 ? random.uniform(0.6, 1.1)
                      : random.index(2)    ? random.uniform(0, 7)
                                           : std::ldexp(random.uniform(), -random.index(600));
  const Vec3 u = random.unit_vector();
  return {size * u.x, size * u.y, size * u.z};
}

template <class T>
verifier::Vector<T> vector_of(const std::array<double, 3>& v) {
  return {v[0], v[1], v[2]};
}

// The rotation of a quaternion, in long double.
std::array<std::array<Real, 3>, 3> matrix_of(const RealQuaternion& q) {
  const auto [x, y, z, w] = q;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

TEST(PolynomialTest, ExponentialsAreRotations) {
  Random random(3);
  for (int i = 0; i < cases(5000); ++i) {
    const auto phi = any_turn(random);
    const auto narrow = exponential(vector_of<I>(phi)).entries();
    const auto wide = exponential(vector_of<Wide>(phi)).entries();
    const auto expected = matrix_of(turn_by({phi[0], phi[1], phi[2]}));
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const I& entry = narrow.row[r][c];
        const auto x =
            static_cast<double>(expected[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]);
        EXPECT_TRUE(holds(entry, wide.row[r][c])) << i;
        EXPECT_NEAR(approximate(wide.row[r][c]), x, 2e-16) << i;
        EXPECT_LT(entry.hi - entry.lo, 6e-14) << i;
      }
  }
}

// The angular velocity is R' R^T, R' by differences of fourth order in long double.
TEST(PolynomialTest, AngularVelocitiesAreDerivatives) {
  Random random(4);
  for (int i = 0; i < cases(5000); ++i) {
    const auto phi = any_turn(random);
    const Vec3 rate = random.unit_vector();
    const auto at = [&](Real s) {
      return turn_by({phi[0] + s * rate.x, phi[1] + s * rate.y, phi[2] + s * rate.z});
    };
    // From exp(φ) on: the rotation vector of exp(φ(s)) exp(-φ) is s ω and higher terms.
    const auto moved = [&](Real s) {
      RealQuaternion back = at(0);
      for (std::size_t k = 0; k < 3; ++k) back[k] = -back[k];
      RealQuaternion c = times(at(s), back);
      if (c[3] < 0)
        for (Real& x : c) x = -x;
      const Real size = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
      const Real scale = 2 * std::atan2(size, c[3]) / size;
      return std::array<Real, 3>{scale * c[0], scale * c[1], scale * c[2]};
    };
    constexpr Real h = 0x1p-12L;
    const auto w = angular_velocity(vector_of<I>(phi), verifier::Vector<I>(rate));
    const auto wide = angular_velocity(vector_of<Wide>(phi), verifier::Vector<Wide>(rate));
    for (int k = 0; k < 3; ++k) {
      const auto j = static_cast<std::size_t>(k);
      const Real slope =
          (8 * (moved(h)[j] - moved(-h)[j]) - (moved(2 * h)[j] - moved(-2 * h)[j])) / (12 * h);
      EXPECT_TRUE(holds(w[k], wide[k])) << i;
      EXPECT_NEAR(approximate(wide[k]), static_cast<double>(slope), 1e-12) << i;
      EXPECT_LT(w[k].hi - w[k].lo, 3e-14) << i;
    }
    EXPECT_LE(norm(approximate(w)), norm(rate) + 1e-14);  // |J(φ) φ'| <= |φ'|
  }
}

}  // namespace
}  // namespace proven::test
