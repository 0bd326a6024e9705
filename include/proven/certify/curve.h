// A curved segment: any motion with known bounds on the speed of each coordinate.
#pragma once

#include <span>
#include <vector>

namespace proven {

class Curve {
 public:
  virtual ~Curve() = default;
  // The configuration at t in [0, 1], with as many values as the scene has coordinates: right to a
  // few units in the last place of the largest value in bounds(), which the rounding bounds cover.
  virtual void configuration(double t, std::span<double> q) const = 0;
  // Upper bounds on |dq/dt| of each coordinate over [t_begin, t_end]. For a ball joint: a bound on
  // its angular speed, in its first coordinate.
  virtual void rate_upper(double t_begin, double t_end, std::span<double> rate) const = 0;
  // dq/dt at t, to a few units in the last place of the largest bound on it. Ball joints must rest.
  virtual void rate(double t, std::span<double> rate) const = 0;
  // Upper bounds on |d²q/dt²| of each coordinate over [t_begin, t_end].
  virtual void acceleration_upper(double t_begin, double t_end,
                                  std::span<double> acceleration) const = 0;
  // A box that holds the whole curve: two configurations whose coordinates bound it.
  virtual void bounds(std::span<double> lower, std::span<double> upper) const = 0;
};

// The curves below move each coordinate on its own: those of ball joints must keep their values.

// An arc of a circle in the plane of two joint-space directions:
// q(t) = centre + cos(φ) u + sin(φ) v, φ from angle_begin to angle_end.
class CircularArc : public Curve {
 public:
  CircularArc(std::vector<double> centre, std::vector<double> u, std::vector<double> v,
              double angle_begin, double angle_end);
  void configuration(double t, std::span<double> q) const override;
  void rate_upper(double t_begin, double t_end, std::span<double> rate) const override;
  void rate(double t, std::span<double> rate) const override;
  void acceleration_upper(double t_begin, double t_end,
                          std::span<double> acceleration) const override;
  void bounds(std::span<double> lower, std::span<double> upper) const override;

 private:
  std::vector<double> centre_, u_, v_;
  double angle_begin_, angle_end_;
};

// A cubic Bézier segment in joint space with four control configurations.
class CubicBezier : public Curve {
 public:
  CubicBezier(std::vector<double> p0, std::vector<double> p1, std::vector<double> p2,
              std::vector<double> p3);
  void configuration(double t, std::span<double> q) const override;
  void rate_upper(double t_begin, double t_end, std::span<double> rate) const override;
  void rate(double t, std::span<double> rate) const override;
  void acceleration_upper(double t_begin, double t_end,
                          std::span<double> acceleration) const override;
  void bounds(std::span<double> lower, std::span<double> upper) const override;

 private:
  std::vector<double> p_[4];
};

}  // namespace proven
