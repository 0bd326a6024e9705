#include "proven/kinematics/piece_rates.h"

#include <algorithm>
#include <cmath>

#include "proven/kinematics/bernstein.h"
#include "proven/kinematics/piece_turn.h"

namespace proven {
namespace {

// Relative to the largest control point d of the first derivative over the whole piece. The d err
// by 2 u, values and control points of parts by 15 u and 40 u; those of the second derivative begin
// with 32 u and have 8 times their size (docs/error_budget.md).
constexpr double kRateNoise = 0x1p-47, kChangeNoise = 0x1p-44;
// The same of rotation vectors, whose last control point errs by 32 u.
constexpr double kTurnRateNoise = 0x1p-44, kTurnChangeNoise = 0x1p-42;

double size(double value) {
  return std::fabs(value);
}
double size(const Vec3& value) {
  return norm(value);
}

template <class Value>
double largest(const Bernstein<Value>& p, const Value& centre) {
  double most = 0;
  for (int k = 0; k <= p.degree; ++k) most = std::fmax(most, size(p.c[k] - centre));
  return most;
}

}  // namespace

CoordinateRates coordinate_rates(const MotionPiece& piece, int coordinate, double t, double begin,
                                 double end) {
  const auto i = static_cast<std::size_t>(coordinate);
  Bernstein<double> p;
  p.degree = piece.degree();
  for (int k = 0; k <= p.degree; ++k) p.c[k] = piece.control(k)[i];
  const Bernstein<double> first = p.derivative();
  const double most = largest(first, 0.0);
  CoordinateRates rates;
  if (most == 0) return rates;
  rates.rate = first.at(t);
  rates.rate_error = kRateNoise * most;
  rates.rate_upper = largest(first.part(begin, end), 0.0) + kRateNoise * most;
  if (p.degree == 1) return rates;
  const Bernstein<double> second = first.derivative();
  rates.curvature = second.at(t);
  rates.change_upper = largest(second.part(begin, end), rates.curvature) + kChangeNoise * most;
  return rates;
}

BallRates ball_rates(const MotionPiece& piece, int first_place, double t, double begin,
                     double end) {
  const Bernstein<Vec3> turn = piece_turn(piece, first_place);
  const Bernstein<Vec3> first = turn.derivative();
  const double most = largest(first, Vec3{});
  BallRates rates;
  if (most == 0) return rates;
  const Quaternion start = read_quaternion(piece.from, first_place);
  rates.angular = rotation_from_quaternion(start) * turning_rate(turn.at(t), first.at(t));
  rates.rate_error = kTurnRateNoise * (1 + most);
  rates.rate_upper = largest(first.part(begin, end), Vec3{}) + kTurnRateNoise * (1 + most);
  const double change = largest(first.derivative().part(begin, end), Vec3{});
  rates.change_upper = change + 0.5 * rates.rate_upper * rates.rate_upper * (1 + 0x1p-50) +
                       kTurnChangeNoise * (1 + most);
  return rates;
}

Interval control_range(const MotionPiece& piece, int coordinate) {
  const auto i = static_cast<std::size_t>(coordinate);
  Interval range{piece.from[i], piece.from[i]};
  for (int k = 1; k <= piece.degree(); ++k) {
    range.lower = std::min(range.lower, piece.control(k)[i]);
    range.upper = std::max(range.upper, piece.control(k)[i]);
  }
  return range;
}

}  // namespace proven
