#include "proven/certify/curve.h"

#include <algorithm>
#include <cmath>

#include "proven/base/rounding.h"

namespace proven {
namespace {}  // namespace

CircularArc::CircularArc(std::vector<double> centre, std::vector<double> u, std::vector<double> v,
                         double angle_begin, double angle_end)
    : centre_(std::move(centre)),
      u_(std::move(u)),
      v_(std::move(v)),
      angle_begin_(angle_begin),
      angle_end_(angle_end) {}

void CircularArc::configuration(double t, std::span<double> q) const {
  const double angle = (1 - t) * angle_begin_ + t * angle_end_;
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = centre_[i] + std::cos(angle) * u_[i] + std::sin(angle) * v_[i];
}

void CircularArc::rate_upper(double, double, std::span<double> rate) const {
  for (std::size_t i = 0; i < rate.size(); ++i)
    rate[i] = std::fabs(angle_end_ - angle_begin_) * std::hypot(u_[i], v_[i]) * kFormulaUp;
}

void CircularArc::rate(double t, std::span<double> rate) const {
  const double angle = (1 - t) * angle_begin_ + t * angle_end_;
  for (std::size_t i = 0; i < rate.size(); ++i)
    rate[i] = (angle_end_ - angle_begin_) * (std::cos(angle) * v_[i] - std::sin(angle) * u_[i]);
}

void CircularArc::acceleration_upper(double, double, std::span<double> acceleration) const {
  const double turn = angle_end_ - angle_begin_;
  for (std::size_t i = 0; i < acceleration.size(); ++i)
    acceleration[i] = turn * turn * std::hypot(u_[i], v_[i]) * kFormulaUp;
}

void CircularArc::bounds(std::span<double> lower, std::span<double> upper) const {
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const double reach = std::hypot(u_[i], v_[i]) * kFormulaUp + std::fabs(centre_[i]) * 0x1p-48;
    lower[i] = centre_[i] - reach;
    upper[i] = centre_[i] + reach;
  }
}

CubicBezier::CubicBezier(std::vector<double> p0, std::vector<double> p1, std::vector<double> p2,
                         std::vector<double> p3)
    : p_{std::move(p0), std::move(p1), std::move(p2), std::move(p3)} {}

void CubicBezier::configuration(double t, std::span<double> q) const {
  const double s = 1 - t;
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = s * s * s * p_[0][i] + 3 * s * s * t * p_[1][i] + 3 * s * t * t * p_[2][i] +
           t * t * t * p_[3][i];
}

void CubicBezier::rate_upper(double t_begin, double t_end, std::span<double> rate) const {
  for (std::size_t i = 0; i < rate.size(); ++i) {
    // The derivative is a quadratic Bézier curve; its polar form gives the control points over the
    // part, whose hull holds it.
    const double d0 = 3 * (p_[1][i] - p_[0][i]), d1 = 3 * (p_[2][i] - p_[1][i]),
                 d2 = 3 * (p_[3][i] - p_[2][i]);
    const auto polar = [&](double s, double t) {
      const double e0 = (1 - s) * d0 + s * d1, e1 = (1 - s) * d1 + s * d2;
      return std::fabs((1 - t) * e0 + t * e1);
    };
    const double size = std::max({std::fabs(d0), std::fabs(d1), std::fabs(d2)});
    const double largest =
        std::max({polar(t_begin, t_begin), polar(t_begin, t_end), polar(t_end, t_end)});
    rate[i] = largest + size * 0x1p-48;
  }
}

void CubicBezier::rate(double t, std::span<double> rate) const {
  const double s = 1 - t;
  for (std::size_t i = 0; i < rate.size(); ++i)
    rate[i] = 3 * (s * s * (p_[1][i] - p_[0][i]) + 2 * s * t * (p_[2][i] - p_[1][i]) +
                   t * t * (p_[3][i] - p_[2][i]));
}

void CubicBezier::acceleration_upper(double t_begin, double t_end,
                                     std::span<double> acceleration) const {
  for (std::size_t i = 0; i < acceleration.size(); ++i) {
    // The second derivative is linear in t: its ends bound it.
    const double e0 = 6 * ((p_[2][i] - p_[1][i]) - (p_[1][i] - p_[0][i]));
    const double e1 = 6 * ((p_[3][i] - p_[2][i]) - (p_[2][i] - p_[1][i]));
    const auto at = [&](double t) { return std::fabs((1 - t) * e0 + t * e1); };
    const double size = std::max(
        {std::fabs(p_[0][i]), std::fabs(p_[1][i]), std::fabs(p_[2][i]), std::fabs(p_[3][i])});
    acceleration[i] = std::max(at(t_begin), at(t_end)) + size * 0x1p-46;
  }
}

void CubicBezier::bounds(std::span<double> lower, std::span<double> upper) const {
  for (std::size_t i = 0; i < lower.size(); ++i) {
    lower[i] = std::min({p_[0][i], p_[1][i], p_[2][i], p_[3][i]});
    upper[i] = std::max({p_[0][i], p_[1][i], p_[2][i], p_[3][i]});
  }
}

}  // namespace proven
