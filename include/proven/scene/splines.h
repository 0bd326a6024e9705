// From the splines of controllers and planners to the pieces of a motion (scene/motion.h): values
// and rates at the ends, powers of time, B-splines, phases of constant jerk.
//
// Truth is the polynomial that the given doubles say. Every control point that comes out is within
// kConversionError of the exact one, relative to the largest control point of that coordinate in
// the piece; certificates allow for that (docs/certificate_format.md, section 8).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "proven/base/result.h"
#include "proven/base/vec3.h"
#include "proven/scene/motion.h"

namespace proven {

inline constexpr double kConversionError = 0x1p-45;

// Where a spline of values and rates is taken: its pieces' seconds, and its rates unless they are
// 0. Nothing underflows or overflows there.
inline constexpr Interval kSplineSeconds = {1e-9, 1e9}, kSplineRates = {1e-60, 1e60};

// A value of one coordinate with its rates, per second.
struct Knot {
  double position = 0, velocity = 0, acceleration = 0;
};
// The control points between the ends of the cubic, and of the quintic, with these knots at its
// ends. The order of operations is that of docs/formats.md (Arithmetic).
std::array<double, 2> cubic_between(const Knot& a, const Knot& b, double seconds);
std::array<double, 4> quintic_between(const Knot& a, const Knot& b, double seconds);
// All control points of the same polynomial, by one degree higher. Neighbours that are equal stay.
std::vector<double> elevated(std::span<const double> control);

// A ball joint: the rotation vector of R_a⁻¹ R_b, the shorter way (turns_as_given), within 2^-47;
// and the control points φ_1, φ_2 of the cubic with these angular velocities at its ends, in the
// frame that the rotations are in, within 2^-45 if |ω| seconds is at most kMostTurn at both.
inline constexpr double kMostTurn = 4;
Vec3 turn_between(const Quaternion& a, const Quaternion& b);
std::array<Vec3, 2> turn_cubic(const Quaternion& a, const Vec3& omega_a, const Quaternion& b,
                               const Vec3& omega_b, double seconds);
// The angular velocity R_a J(φ) φ' where the ball joint is turned by φ from a, φ' per second.
Vec3 angular_velocity(const Quaternion& a, const Vec3& phi, const Vec3& phi_rate);

// A number with a bound on its distance from the exact one.
struct Estimate {
  long double value = 0, error = 0;
};
// One coordinate over time: a row of polynomials, kept more precisely than doubles until they
// become a motion.
struct Curve {
  std::vector<double> times;                   // where pieces meet, increasing
  std::vector<std::vector<Estimate>> control;  // of each piece, its ends among them
};
// Each piece by its control points, both ends among them.
Result<Curve> curve_of_control(std::span<const double> times,
                               std::span<const std::vector<double>> control);
// Piece i is Σ_k powers[i][k] (t - times[i])^k.
Result<Curve> curve_of_powers(std::span<const double> times,
                              std::span<const std::vector<double>> powers);
// The B-spline of that degree: as many knots as points + degree + 1, not decreasing. Its pieces lie
// between knots[degree] and knots[points.size()].
Result<Curve> curve_of_bspline(int degree, std::span<const double> knots,
                               std::span<const double> points);
// From a state at times[0] on with jerks[i] from times[i] to times[i + 1]; phases of no duration
// are passed over.
Result<Curve> curve_of_jerks(const Knot& start, std::span<const double> times,
                             std::span<const double> jerks);

// The motion of all coordinates of a scene without ball joints, one curve each, which begin and end
// together: pieces meet wherever those of a coordinate do. An Error where a curve jumps, or where
// its control points cancel so far that doubles cannot hold them to kConversionError.
Result<Motion> motion_of(std::span<const Curve> coordinates);

}  // namespace proven
