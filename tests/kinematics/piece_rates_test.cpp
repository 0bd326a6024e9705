// Polynomial pieces: values and bounds against long double, written from the definitions.
#include "proven/kinematics/piece_rates.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "proven/base/random.h"
#include "proven/kinematics/piece_turn.h"
#include "support.h"

namespace proven {
namespace {

using Real = long double;

// Σ_k C(d, k) s^k (1 - s)^(d-k) p_k, and its derivatives by the same sum over differences.
Real bernstein(const std::vector<Real>& p, Real s) {
  const int d = static_cast<int>(p.size()) - 1;
  Real sum = 0, binomial = 1;
  for (int k = 0; k <= d; ++k) {
    sum += binomial * std::pow(s, static_cast<Real>(k)) *
           std::pow(1 - s, static_cast<Real>(d - k)) * p[static_cast<std::size_t>(k)];
    binomial = binomial * (d - k) / (k + 1);
  }
  return sum;
}
std::vector<Real> differences(const std::vector<Real>& p) {
  std::vector<Real> d;
  for (std::size_t k = 1; k < p.size(); ++k)
    d.push_back(static_cast<Real>(p.size() - 1) * (p[k] - p[k - 1]));
  if (d.empty()) d.push_back(0);
  return d;
}

struct OwnedPiece {
  std::vector<std::vector<double>> points;
  MotionPiece view() const {
    return {points.front(), points.back(), std::span(points).subspan(1, points.size() - 2)};
  }
};

struct Cell {
  double t, h;
};
Cell random_cell(Random& random) {
  const int depth = 1 + random.index(20);
  return {std::ldexp(2 * random.index(1 << (depth - 1)) + 1, -depth), std::ldexp(1.0, -depth)};
}

// Bounds hold exactly, at times anywhere in the cell; computed values err by what is said of them;
// bounds are not far from what is reached.
TEST(PieceRates, BoundsOfScalarsHold) {
  Random random(87);
  double tightest_rate = 0, tightest_change = 0, used = 0;
  for (int n = test::cases(100000); n > 0; --n) {
    const double size = std::pow(10, random.uniform(-3, 2));
    OwnedPiece piece;
    std::vector<Real> p;
    for (int k = 2 + random.index(5); k > 0; --k) {
      double value = random.uniform(-size, size);
      // Control points that are close to each other: their differences cancel.
      if (n % 3 == 0 && !p.empty()) value = static_cast<double>(p.back()) + 1e-9 * value;
      piece.points.push_back({value});
      p.push_back(value);
    }
    const std::vector<Real> first = differences(p), second = differences(first);
    const auto [t, h] = random_cell(random);
    const CoordinateRates rates = coordinate_rates(piece.view(), 0, t, t - h, t + h);
    const Real error = std::fabs(bernstein(first, t) - static_cast<Real>(rates.rate));
    ASSERT_LE(error, rates.rate_error / 2);
    if (rates.rate_error > 0) used = std::fmax(used, static_cast<double>(error / rates.rate_error));
    for (int m = 0; m < 4; ++m) {
      const Real s = m < 2 ? static_cast<Real>(t) + (2 * m - 1) * h
                           : t + (2 * random.uniform() - 1) * static_cast<Real>(h);
      const Real rate = std::fabs(bernstein(first, s));
      const Real change = std::fabs(bernstein(second, s) - static_cast<Real>(rates.curvature));
      ASSERT_LE(rate, rates.rate_upper);
      ASSERT_LE(change, rates.change_upper);
      if (rates.rate_upper > 0)
        tightest_rate = std::fmax(tightest_rate, static_cast<double>(rate / rates.rate_upper));
      if (rates.change_upper > 0)
        tightest_change =
            std::fmax(tightest_change, static_cast<double>(change / rates.change_upper));
    }
  }
  EXPECT_GT(tightest_rate, 0.9);
  EXPECT_GT(tightest_change, 0.9);
  EXPECT_GT(used, 0.001);
}

TEST(PieceRates, WhatRestsHasNoRates) {
  const OwnedPiece piece{{{0.3}, {0.3}, {0.3}, {0.3}}};
  const CoordinateRates rates = coordinate_rates(piece.view(), 0, 0.5, 0, 1);
  EXPECT_EQ(rates.rate_upper, 0);
  EXPECT_EQ(rates.change_upper, 0);
  const OwnedPiece ball{{{0.1, 0.2, 0.3, 0.9}, {0, 0, 0, 0}, {-0.1, -0.2, -0.3, -0.9}}};
  EXPECT_EQ(ball_rates(ball.view(), 0, 0.5, 0, 1).rate_upper, 0);
}

// A quaternion with more digits than double, and the rotation of it.
using RealMatrix = std::array<std::array<Real, 3>, 3>;
RealMatrix matrix(std::array<Real, 4> q) {
  Real length = 0;
  for (const Real v : q) length += v * v;
  for (Real& v : q) v /= std::sqrt(length);
  const auto [x, y, z, w] = q;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}
RealMatrix product(const RealMatrix& a, const RealMatrix& b) {
  RealMatrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}
RealMatrix exp_of(const std::array<Real, 3>& v) {
  const Real angle = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const Real s = angle == 0 ? 0.5L : std::sin(angle / 2) / angle;
  return matrix({s * v[0], s * v[1], s * v[2], std::cos(angle / 2)});
}

// R(s) = R_0 exp(φ(s)) by the definition; angular velocity as a difference of rotations.
TEST(PieceRates, BallJointsTurnAsDefined) {
  Random random(88);
  double tightest = 0, tightest_change = 0;
  for (int n = test::cases(20000); n > 0; --n) {
    const auto quaternion = [&] {
      std::vector<double> q = {random.normal(), random.normal(), random.normal(), random.normal()};
      const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (double& v : q) v /= length;
      return q;
    };
    const double size = std::pow(10, random.uniform(-4, 0.3));
    OwnedPiece piece;
    piece.points.push_back(quaternion());
    for (int k = random.index(5); k > 0; --k)
      piece.points.push_back({random.uniform(-size, size), random.uniform(-size, size),
                              random.uniform(-size, size), 0});
    piece.points.push_back(quaternion());
    // The rotation vector of the whole turn, from the definition.
    const auto& a = piece.points.front();
    const auto& b = piece.points.back();
    std::array<Real, 4> c;  // conj(a) b
    const Real ax = -static_cast<Real>(a[0]), ay = -static_cast<Real>(a[1]),
               az = -static_cast<Real>(a[2]), aw = a[3];
    c[0] = aw * b[0] + ax * b[3] + ay * b[2] - az * b[1];
    c[1] = aw * b[1] - ax * b[2] + ay * b[3] + az * b[0];
    c[2] = aw * b[2] + ax * b[1] - ay * b[0] + az * b[3];
    c[3] = aw * b[3] - ax * b[0] - ay * b[1] - az * b[2];
    if (c[3] < 0)
      for (Real& v : c) v = -v;
    const Real sine = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    std::array<std::vector<Real>, 3> phi;
    for (std::size_t i = 0; i < 3; ++i) {
      phi[i].push_back(0);
      for (std::size_t k = 1; k + 1 < piece.points.size(); ++k)
        phi[i].push_back(piece.points[k][i]);
      phi[i].push_back(2 * std::atan2(sine, c[3]) * c[i] / sine);
    }
    const RealMatrix R_0 = matrix({a[0], a[1], a[2], a[3]});
    const auto rotation_at = [&](Real s) {
      return product(R_0,
                     exp_of({bernstein(phi[0], s), bernstein(phi[1], s), bernstein(phi[2], s)}));
    };
    const auto angular_at = [&](Real s) {
      constexpr Real kStep = 1e-5L;
      const RealMatrix before = rotation_at(s - kStep), after = rotation_at(s + kStep);
      RealMatrix back = before;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) back[i][j] = before[j][i];
      const RealMatrix step = product(after, back);
      return std::array<Real, 3>{(step[2][1] - step[1][2]) / (4 * kStep),
                                 (step[0][2] - step[2][0]) / (4 * kStep),
                                 (step[1][0] - step[0][1]) / (4 * kStep)};
    };
    const auto [t, h] = random_cell(random);
    const BallRates rates = ball_rates(piece.view(), 0, t, t - h, t + h);
    const auto w = angular_at(t);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(static_cast<double>(w[static_cast<std::size_t>(i)]), rates.angular[i],
                  1e-6 * (1 + rates.rate_upper) * (1 + rates.change_upper));
    const Real at = t + (2 * random.uniform() - 1) * static_cast<Real>(h);
    const auto v = angular_at(at);
    const Real speed = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    ASSERT_LE(speed, rates.rate_upper * (1 + 1e-6));
    tightest = std::fmax(tightest, static_cast<double>(speed / rates.rate_upper));
    constexpr Real kStep = 1e-4L;
    const auto x = angular_at(at - kStep), y = angular_at(at + kStep);
    Real change = 0;
    for (std::size_t i = 0; i < 3; ++i) change += (y[i] - x[i]) * (y[i] - x[i]);
    change = std::sqrt(change) / (2 * kStep);
    if (at - kStep >= t - h && at + kStep <= t + h) {
      ASSERT_LE(change, rates.change_upper * (1 + 1e-6) + 1e-7);
      tightest_change =
          std::fmax(tightest_change, static_cast<double>(change / rates.change_upper));
    }
    // The quaternion of the library is that rotation.
    const Quaternion q = turned({a[0], a[1], a[2], a[3]}, piece_turn(piece.view(), 0).at(t));
    const RealMatrix computed = matrix({q.x, q.y, q.z, q.w}), exact = rotation_at(t);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        ASSERT_NEAR(static_cast<double>(computed[i][j]), static_cast<double>(exact[i][j]),
                    300 * 0x1p-53);
  }
  EXPECT_GT(tightest, 0.9);
  EXPECT_GT(tightest_change, 0.7);
}

}  // namespace
}  // namespace proven
