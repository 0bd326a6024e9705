#include "separation_kernel.h"

#include "anchor.h"
#include "margins.h"

namespace proven::PROVEN_INSTRUCTION_SET {
namespace {

// n·(b - a) of the centres, and the half extents of both boxes along n.
struct Measured {
  double between, extent;
};
[[gnu::always_inline]] inline Measured measure(const Supports& s, const BoxNode& a,
                                               const BoxNode& b, int k) {
  const double centre_a =
      s.a[0].v[k] * a.centre.x + s.a[1].v[k] * a.centre.y + s.a[2].v[k] * a.centre.z;
  const double centre_b =
      s.b[0].v[k] * b.centre.x + s.b[1].v[k] * b.centre.y + s.b[2].v[k] * b.centre.z;
  const double extent_a = __builtin_fabs(s.a[0].v[k]) * a.half.x +
                          __builtin_fabs(s.a[1].v[k]) * a.half.y +
                          __builtin_fabs(s.a[2].v[k]) * a.half.z;
  const double extent_b = __builtin_fabs(s.b[0].v[k]) * b.half.x +
                          __builtin_fabs(s.b[1].v[k]) * b.half.y +
                          __builtin_fabs(s.b[2].v[k]) * b.half.z;
  return {s.offset.v[k] + (centre_b - centre_a), extent_a + extent_b};
}

// The first lane that has the greatest value; 0 if it is none of them, as where values are no
// numbers. Halves against each other: vector instructions for all but the last steps.
[[gnu::always_inline]] inline int greatest(const double* __restrict values) {
  alignas(64) double most[kLanes / 2];
  for (int k = 0; k < kLanes / 2; ++k)
    most[k] = values[k] > values[k + kLanes / 2] ? values[k] : values[k + kLanes / 2];
  for (int width = kLanes / 4; width > 0; width /= 2)
    for (int k = 0; k < width; ++k) most[k] = most[k] > most[k + width] ? most[k] : most[k + width];
  long lanes[kLanes];
  for (int k = 0; k < kLanes; ++k) lanes[k] = values[k] == most[0] ? k : kLanes;
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int k = 0; k < width; ++k)
      lanes[k] = lanes[k] < lanes[k + width] ? lanes[k] : lanes[k + width];
  return lanes[0] < kLanes ? static_cast<int>(lanes[0]) : 0;
}

int gaps(const Supports& s, const BoxNode& a, const BoxNode& b, double* __restrict sign,
         double* __restrict out) {
  for (int k = 0; k < kLanes; ++k) {
    const Measured m = measure(s, a, b, k);
    sign[k] = m.between < 0 ? -1.0 : 1.0;
    out[k] = sign[k] * m.between - m.extent;
  }
  return greatest(out);
}

// Unit to rounding, from a vector that is unit to 2^-27 already: a column of a rotation that a long
// chain has carried. One step of Newton's method.
[[gnu::always_inline]] inline void column(const Vec3* rows, int i, double* __restrict raw,
                                          double* __restrict unit) {
  for (int r = 0; r < 3; ++r) raw[r] = i == 0 ? rows[r].x : i == 1 ? rows[r].y : rows[r].z;
  const double factor = 1.5 - 0.5 * (raw[0] * raw[0] + raw[1] * raw[1] + raw[2] * raw[2]);
  for (int r = 0; r < 3; ++r) unit[r] = factor * raw[r];
}

void directions(const Vec3* rows_a, const Vec3* rows_b, const Vec3& between, Lanes (&n)[3]) {
  alignas(64) double a[3][kLanes] = {}, b[3][kLanes] = {};
  for (int i = 0; i < 3; ++i) {
    double raw[3], raw_b[3], unit[3], unit_b[3];
    column(rows_a, i, raw, unit);
    column(rows_b, i, raw_b, unit_b);
    for (int r = 0; r < 3; ++r) {
      n[r].v[i] = unit[r];
      n[r].v[3 + i] = unit_b[r];
      for (int j = 0; j < 3; ++j) {
        a[r][6 + 3 * i + j] = unit[r];
        b[r][6 + 3 * j + i] = raw_b[r];
      }
    }
  }
  for (int k = 6; k < 15; ++k) {
    const double x = a[1][k] * b[2][k] - a[2][k] * b[1][k],
                 y = a[2][k] * b[0][k] - a[0][k] * b[2][k],
                 z = a[0][k] * b[1][k] - a[1][k] * b[0][k];
    const double length = __builtin_sqrt(x * x + y * y + z * z);
    // Edges that are almost parallel give no direction of their own.
    const bool edge = length > 1e-6;
    const double scale = 1 / (edge ? length : 1);
    n[0].v[k] = edge ? scale * x : a[0][k];
    n[1].v[k] = edge ? scale * y : a[1][k];
    n[2].v[k] = edge ? scale * z : a[2][k];
  }
  const double distance =
      __builtin_sqrt(between.x * between.x + between.y * between.y + between.z * between.z);
  // Squares of anything shorter underflow.
  const bool far = distance > 1e-100;
  const double scale = 1 / (far ? distance : 1);
  n[0].v[15] = far ? scale * between.x : 1;
  n[1].v[15] = far ? scale * between.y : 0;
  n[2].v[15] = far ? scale * between.z : 0;
}

[[gnu::always_inline]] inline void side(const Supports& s, const BoxNode& a, const BoxNode& b,
                                        const double* __restrict sign,
                                        const double* __restrict here,
                                        const double* __restrict need, double* __restrict out) {
  for (int k = 0; k < kLanes; ++k) {
    const Measured m = measure(s, a, b, k);
    const double far = (sign[k] * m.between - m.extent) - need[k];
    out[k] = here[k] < far ? here[k] : far;
  }
}

void sides(const Supports (&ends)[2], const BoxNode& a, const BoxNode& b, const double* sign,
           const double* here, const double* need, SideSlacks& out) {
  side(ends[0], a, b, sign, here, need, out.before.v);
  side(ends[1], a, b, sign, here, need, out.after.v);
  alignas(64) double both[kLanes];
  for (int k = 0; k < kLanes; ++k)
    both[k] = out.before.v[k] < out.after.v[k] ? out.before.v[k] : out.after.v[k];
  out.best_both = greatest(both);
  out.both = both[out.best_both];
  if (out.both > 0) return;
  out.best_before = greatest(out.before.v);
  out.best_after = greatest(out.after.v);
}

void supports(const Lanes (&n)[3], const TurningFrame& a, const TurningFrame& b,
              const Vec3& between, Supports& out) {
  const Vec3 &wa = a.turn, &wb = b.turn;
  const Vec3 *Ra = a.rows, *Rb = b.rows;
  for (int k = 0; k < kLanes; ++k) {
    const double x = n[0].v[k], y = n[1].v[k], z = n[2].v[k];
    // n turned by the frame: n + n × turn.
    const double ax = x + (y * wa.z - z * wa.y), ay = y + (z * wa.x - x * wa.z),
                 az = z + (x * wa.y - y * wa.x);
    const double bx = x + (y * wb.z - z * wb.y), by = y + (z * wb.x - x * wb.z),
                 bz = z + (x * wb.y - y * wb.x);
    out.a[0].v[k] = Ra[0].x * ax + Ra[1].x * ay + Ra[2].x * az;
    out.a[1].v[k] = Ra[0].y * ax + Ra[1].y * ay + Ra[2].y * az;
    out.a[2].v[k] = Ra[0].z * ax + Ra[1].z * ay + Ra[2].z * az;
    out.b[0].v[k] = Rb[0].x * bx + Rb[1].x * by + Rb[2].x * bz;
    out.b[1].v[k] = Rb[0].y * bx + Rb[1].y * by + Rb[2].y * bz;
    out.b[2].v[k] = Rb[0].z * bx + Rb[1].z * by + Rb[2].z * bz;
    out.offset.v[k] = x * between.x + y * between.y + z * between.z;
  }
}

void accelerations(const Lanes (&n)[3], const BodyMotion& m, double* __restrict out) {
  for (int k = 0; k < kLanes; ++k) {
    const double x = n[0].v[k], y = n[1].v[k], z = n[2].v[k];
    const double form = (m.spread[0] * x * x + m.spread[1] * y * y + m.spread[2] * z * z) +
                        2 * (m.spread[3] * x * y + m.spread[4] * x * z + m.spread[5] * y * z);
    const double positive = form > 0 ? form : 0;
    const double along = __builtin_sqrt(m.weight * (positive + m.spread_error)) * kSumUp + m.drift;
    out[k] += along < m.acceleration ? along : m.acceleration;
  }
}

}  // namespace

const SeparationKernel separation_kernel = {directions, gaps, sides, supports, accelerations};

}  // namespace proven::PROVEN_INSTRUCTION_SET
