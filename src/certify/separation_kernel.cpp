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

void gaps(const Supports& s, const BoxNode& a, const BoxNode& b, double* __restrict sign,
          double* __restrict out) {
  for (int k = 0; k < kLanes; ++k) {
    const Measured m = measure(s, a, b, k);
    sign[k] = m.between < 0 ? -1.0 : 1.0;
    out[k] = sign[k] * m.between - m.extent;
  }
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
           const double* here, const double* need, double* __restrict before,
           double* __restrict after, double* __restrict both) {
  side(ends[0], a, b, sign, here, need, before);
  side(ends[1], a, b, sign, here, need, after);
  for (int k = 0; k < kLanes; ++k) both[k] = before[k] < after[k] ? before[k] : after[k];
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

const SeparationKernel separation_kernel = {gaps, sides, supports, accelerations};

}  // namespace proven::PROVEN_INSTRUCTION_SET
