// Chapter 13, continued: the polynomials between the points of a trajectory, by their control
// points, in the arithmetic that docs/formats.md states.
#pragma once

#include <array>
#include <vector>

#include "verify/readers/source.h"

namespace proven::verifier {

using Coefficients = std::vector<double>;  // control points, both ends among them

// From p to q in T seconds, with velocities v and w, and accelerations a and b, at the ends.
Coefficients cubic(double p, double v, double q, double w, double T);
Coefficients quintic(double p, double v, double a, double q, double w, double b, double T);
// The same polynomial by a higher degree.
Coefficients raised(Coefficients polynomial, std::size_t degree);

// The rotation vector from one quaternion (x, y, z, w) to another: along the straight line, or with
// these angular velocities at the ends. Fails, without a place, on a turn by about half a circle
// and on more than 4 rad at a rate.
std::array<Coefficients, 3> slerp_turn(const double* from, const double* to);
std::array<Coefficients, 3> cubic_turn(const double* from, const Vec3& omega_from, const double* to,
                                       const Vec3& omega_to, double T);

// Whether the whole curve lies between the two.
bool stays_between(const Coefficients& polynomial, double lower, double upper);

// Fail, without a place, beyond the ranges of splines.
void check_duration(double seconds);
void check_rates(const std::vector<double>& rates);

}  // namespace proven::verifier
