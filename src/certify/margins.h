// What the directional checker adds for rounding. Derivations: docs/error_budget.md; one test for
// each constant: tests/certify/error_budget_test.cpp. u = 2^-53.
//
// Of a pair, ρ is its rounding bound (kinematics/rounding.h, both bodies), L the length that it is
// taken of: ρ >= 2^14 u L. δ is the bound on directions: ρ = δ L.
#pragma once

#include "proven/base/rounding.h"

namespace proven {

// Sums of fewer than 2^10 products with terms that are not negative err by less than 2^11 u,
// relative to themselves.
inline constexpr double kSumUp = 1 + 0x1p-40;

// Gaps at the anchor: ρ for the positions, ρ/16 >= 1024 u L for evaluating supports (boxes and
// triangles less than 64 u L, convex pieces less than 300 u L).
inline constexpr double kSupportRounding = 1 + 0x1p-4;
// Gaps at the ends of a side need that for the positions, and once more for what does not grow with
// the rates: axes of ball joints, which err by less than 16 u over the angle of their turn.
inline constexpr double kSideRounding = 2;
// Velocities. An arm a × (x - c) errs by 2 ρ through its positions and by δ L = ρ through its axis;
// sums and products by less than ρ/2. Per unit of turning, from the world down.
inline constexpr double kVelocityRounding = 4;
// Slides err by δ through their axes, and by less than δ/2 through sums and products.
inline constexpr double kSlideRounding = 2;
// ω_{l-1} + ω_l errs by δ (Ω_{l-1} + Ω_l), so A_n by δ A; the same again for products and sums.
inline constexpr double kTurningRounding = 2;
// nᵀ S n, for S the sum of n terms, errs by less than (n + 9) u times the trace.
inline constexpr double kSpreadRounding = 0x1p-51;  // times n + 8
// Writing a direction with 52 bits turns it by less than 8 u, boxes over all still bodies may reach
// beyond the L of a pair and cost 11 u of their size.
inline constexpr double kDirectionStep = 0x1p-48;

// Still bodies: posing a box and adding its extents err by less than 32 u (|p| + 2 m), m the
// largest coordinate met. The pose itself is covered by ρ.
inline constexpr double kBoxRounding = 0x1p-48;  // times |p| + 3 m

// Forming X_AB from two poses in the world costs 9 u per element of the rotation and 10 u of the
// translation: together below 64 u L, 2^-8 of ρ.
inline constexpr double kRelativePose = 1 + 0x1p-8;

// Sweeps (docs/algorithms/sweep.md). What the tree and the joints' values are given by is computed
// as elsewhere, with the axis of each joint turned to z (32 u per joint more): less than four
// times ρ.
inline constexpr double kSweepPoseError = 4;
// Poses are floats, u' = 2^-24: a chain of n joints that move errs by less than 32 (n + 1) u' L.
inline constexpr double kSweepJointError = 0x1p-19;
// Positions and solids are floats of sizes up to W: below 128 u' W in all.
inline constexpr double kSweepFloatError = 0x1p-17;

}  // namespace proven
