#include "papers/plan/sampling_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace proven::PROVEN_INSTRUCTION_SET {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
static_assert(kMostLanes % kLanes == 0);

using Lanes = float __attribute__((vector_size(4 * kLanes)));
using Whole = std::int32_t __attribute__((vector_size(4 * kLanes)));

[[gnu::always_inline]] inline Lanes all(float x) {
  return x - Lanes{};
}
[[gnu::always_inline]] inline Lanes load(const float* from) {
  return *reinterpret_cast<const Lanes*>(from);
}
[[gnu::always_inline]] inline void store(Lanes x, float* to) {
  *reinterpret_cast<Lanes*>(to) = x;
}

// A bit per lane: where a is below b.
[[gnu::always_inline]] inline unsigned below(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)));
#elif defined(__x86_64__)
  return static_cast<unsigned>(_mm_movemask_ps(_mm_cmplt_ps(a, b)));
#else
  unsigned mask = 0;
  for (int k = 0; k < kLanes; ++k) mask |= static_cast<unsigned>(a[k] < b[k]) << k;
  return mask;
#endif
}

[[gnu::always_inline]] inline Lanes larger(Lanes a, Lanes b) {
  return a > b ? a : b;
}
[[gnu::always_inline]] inline Lanes smaller(Lanes a, Lanes b) {
  return a < b ? a : b;
}
[[gnu::always_inline]] inline Lanes absolute(Lanes x) {
  return reinterpret_cast<Lanes>(reinterpret_cast<Whole>(x) & 0x7fffffff);
}
[[gnu::always_inline]] inline Lanes root(Lanes x) {
#if defined(__AVX512F__)
  return _mm512_sqrt_ps(x);
#elif defined(__AVX2__)
  return _mm256_sqrt_ps(x);
#elif defined(__x86_64__)
  return _mm_sqrt_ps(x);
#else
  for (int k = 0; k < kLanes; ++k) x[k] = __builtin_sqrtf(x[k]);
  return x;
#endif
}

// The least and the largest of all lanes.
[[gnu::always_inline]] inline float least(Lanes x) {
#if defined(__AVX512F__)
  return _mm512_reduce_min_ps(x);
#else
  alignas(64) float v[kLanes];
  store(x, v);
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int k = 0; k < width; ++k) v[k] = v[k] < v[k + width] ? v[k] : v[k + width];
  return v[0];
#endif
}
[[gnu::always_inline]] inline float most(Lanes x) {
  return -least(-x);
}

// Of angles of a few turns, to about 1e-6.
[[gnu::always_inline]] inline void sincos(Lanes x, Lanes& s, Lanes& c) {
  const Lanes to_whole = all(0x1.8p23f);
  const Lanes n = (x * 0.636619772f + to_whole) - to_whole;
  const Lanes r = ((x - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.549789954e-8f;
  const Lanes z = r * r;
  const Lanes own_s =
      r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f - z * 1.9515295891e-4f));
  const Lanes own_c =
      1.0f - 0.5f * z +
      z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
  const Whole quarter = __builtin_convertvector(n, Whole);
  const Whole swapped = -(quarter & 1);
  const Whole a = reinterpret_cast<Whole>(own_s), b = reinterpret_cast<Whole>(own_c);
  const Whole first = (swapped & b) | (~swapped & a), second = (swapped & a) | (~swapped & b);
  s = reinterpret_cast<Lanes>(first ^ ((quarter & 2) << 30));
  c = reinterpret_cast<Lanes>(second ^ (((quarter + 1) & 2) << 30));
}

struct Point {
  Lanes x, y, z;
};

// The frame of a joint: three rows of R, then p.
struct Frame {
  Lanes R[9], p[3];
};

[[gnu::always_inline]] inline Point apply(const Frame& f, float x, float y, float z) {
  return {f.R[0] * x + (f.R[1] * y + (f.R[2] * z + f.p[0])),
          f.R[3] * x + (f.R[4] * y + (f.R[5] * z + f.p[1])),
          f.R[6] * x + (f.R[7] * y + (f.R[8] * z + f.p[2]))};
}

[[gnu::always_inline]] inline void set_column(const Frame& parent, const SphereJoint& joint, int j,
                                              Lanes* R) {
  const int unit = joint.unit[j];
  const float a = joint.R[j], b = joint.R[3 + j], c = joint.R[6 + j];
  for (int i = 0; i < 3; ++i)
    R[3 * i + j] = unit > 0 ? parent.R[3 * i + unit - 1]
                   : unit < 0
                       ? -parent.R[3 * i - unit - 1]
                       : parent.R[3 * i] * a + (parent.R[3 * i + 1] * b + parent.R[3 * i + 2] * c);
}

[[gnu::always_inline]] inline void place(const SphereWorld& world, int j, Lanes value,
                                         Frame* frames) {
  const SphereJoint& joint = world.joints[j];
  Frame& out = frames[j];
  Lanes R[9];
  if (joint.parent < 0) {
    for (int i = 0; i < 9; ++i) R[i] = all(joint.R[i]);
    for (int i = 0; i < 3; ++i) out.p[i] = all(joint.p[i]);
  } else {
    const Frame& parent = frames[joint.parent];
    for (int column = 0; column < 3; ++column) set_column(parent, joint, column, R);
    const Point p = apply(parent, joint.p[0], joint.p[1], joint.p[2]);
    out.p[0] = p.x, out.p[1] = p.y, out.p[2] = p.z;
  }
  if (!joint.turns) {
    for (int i = 0; i < 9; ++i) out.R[i] = R[i];
    for (int i = 0; i < 3; ++i) out.p[i] += R[3 * i + 2] * value;
    return;
  }
  Lanes s, c;
  sincos(value, s, c);
  for (int i = 0; i < 3; ++i) {
    out.R[3 * i] = c * R[3 * i] + s * R[3 * i + 1];
    out.R[3 * i + 1] = c * R[3 * i + 1] - s * R[3 * i];
    out.R[3 * i + 2] = R[3 * i + 2];
  }
}

// The square of the distance to the solid's core.
[[gnu::always_inline]] inline Lanes square_distance(const Point& p, const SphereSolid& s) {
  Lanes x = p.x - s.c[0], y = p.y - s.c[1], z = p.z - s.c[2];
  if (!s.aligned) {
    const Lanes a = x, b = y, c = z;
    x = s.R[0] * a + (s.R[1] * b + s.R[2] * c);
    y = s.R[3] * a + (s.R[4] * b + s.R[5] * c);
    z = s.R[6] * a + (s.R[7] * b + s.R[8] * c);
  }
  const Lanes ez = larger(absolute(z) - s.half[2], Lanes{});
  if (s.cylinder) {
    const Lanes e = larger(root(x * x + y * y) - s.half[0], Lanes{});
    return e * e + ez * ez;
  }
  const Lanes ex = larger(absolute(x) - s.half[0], Lanes{});
  const Lanes ey = larger(absolute(y) - s.half[1], Lanes{});
  return ex * ex + (ey * ey + ez * ez);
}

[[gnu::always_inline]] inline bool touches(const Point& p, float radius, const SphereSolid& s) {
  const float reach = radius + s.radius;
  return below(square_distance(p, s), all(reach * reach)) != 0;
}

[[gnu::always_inline]] inline bool touches(const Point& a, const Point& b, float reach) {
  const Lanes x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return below(x * x + (y * y + z * z), all(reach * reach)) != 0;
}

[[gnu::always_inline]] inline Point point_at(const float* from) {
  return {load(from), load(from + kMostLanes), load(from + 2 * kMostLanes)};
}
[[gnu::always_inline]] inline void keep(const Point& p, float* to) {
  store(p.x, to), store(p.y, to + kMostLanes), store(p.z, to + 2 * kMostLanes);
}

void place_spheres(const SphereWorld& world, int b, const Frame* frames) {
  if (world.placed[b]) return;
  world.placed[b] = 1;
  const SphereBody& body = world.bodies[b];
  const Frame& frame = frames[body.joint];
  for (int i = body.first; i < body.first + body.count; ++i) {
    const float* s = world.spheres + 4 * i;
    keep(apply(frame, s[0], s[1], s[2]), world.centres + 3 * kMostLanes * i);
  }
}

// Solids whose boxes meet the box around the body at all samples, so many from the first on.
[[gnu::always_inline]] inline unsigned near_solids(const float* boxes, const float* lo,
                                                   const float* hi) {
  unsigned near = 0;
  for (int part = 0; part < kMostLanes; part += kLanes) {
    unsigned apart = 0;
    for (int i = 0; i < 3; ++i) {
      apart |= below(all(hi[i]), load(boxes + i * kMostLanes + part));
      apart |= below(load(boxes + (3 + i) * kMostLanes + part), all(lo[i]));
    }
    near |= (~apart & ((1u << kLanes) - 1)) << part;
  }
  return near;
}

[[gnu::always_inline]] inline bool hits_solid(const SphereWorld& world, int b,
                                              const Frame* frames) {
  const SphereBody& body = world.bodies[b];
  const Point whole = apply(frames[body.joint], body.centre[0], body.centre[1], body.centre[2]);
  keep(whole, world.wholes + 3 * kMostLanes * b);
  const float lo[3] = {least(whole.x) - body.radius, least(whole.y) - body.radius,
                       least(whole.z) - body.radius};
  const float hi[3] = {most(whole.x) + body.radius, most(whole.y) + body.radius,
                       most(whole.z) + body.radius};
  const int blocks = (world.num_solids + kMostLanes - 1) / kMostLanes;
  for (int block = 0; block < blocks; ++block) {
    unsigned near = near_solids(world.boxes + 6 * kMostLanes * block, lo, hi);
    for (near &= world.tested[b * blocks + block]; near != 0; near &= near - 1) {
      const SphereSolid& solid = world.solids[block * kMostLanes + __builtin_ctz(near)];
      if (!touches(whole, body.radius, solid)) continue;
      if (body.count == 1) return true;
      place_spheres(world, b, frames);
      for (int i = body.first; i < body.first + body.count; ++i)
        if (touches(point_at(world.centres + 3 * kMostLanes * i), world.spheres[4 * i + 3], solid))
          return true;
    }
  }
  return false;
}

[[gnu::always_inline]] inline bool hits_body(const SphereWorld& world, int a, int b,
                                             const Frame* frames) {
  const SphereBody &A = world.bodies[a], &B = world.bodies[b];
  const Point whole_b = point_at(world.wholes + 3 * kMostLanes * b);
  if (!touches(point_at(world.wholes + 3 * kMostLanes * a), whole_b, A.radius + B.radius))
    return false;
  place_spheres(world, a, frames);
  place_spheres(world, b, frames);
  for (int i = A.first; i < A.first + A.count; ++i) {
    const Point p = point_at(world.centres + 3 * kMostLanes * i);
    const float radius = world.spheres[4 * i + 3];
    if (!touches(p, whole_b, radius + B.radius)) continue;
    for (int j = B.first; j < B.first + B.count; ++j)
      if (touches(p, point_at(world.centres + 3 * kMostLanes * j),
                  radius + world.spheres[4 * j + 3]))
        return true;
  }
  return false;
}

bool row_collides(const SphereWorld& world, const float* from, const float* to, Lanes moments) {
  Frame* frames = reinterpret_cast<Frame*>(world.frames);
  for (int j = 0; j < world.num_joints; ++j) {
    const SphereJoint& joint = world.joints[j];
    const float start = from[joint.coordinate], by = to[joint.coordinate] - start;
    place(world, j, (moments * by + start) * joint.multiplier + joint.offset, frames);
  }
  for (int b = 0; b < world.num_bodies; ++b) world.placed[b] = 0;
  // Most contacts are near the tip.
  for (int b = world.num_bodies; b-- > 0;)
    if (hits_solid(world, b, frames)) return true;
  for (int p = 0; p < world.num_pairs; ++p)
    if (hits_body(world, world.pairs[2 * p], world.pairs[2 * p + 1], frames)) return true;
  return false;
}

bool collides(const SphereWorld& world, const float* from, const float* to, int rows) {
  const int last = rows * kLanes - 1;
  Lanes places;
  for (int k = 0; k < kLanes; ++k) places[k] = static_cast<float>(last - k * rows);
  const Lanes share = all(1.0f / static_cast<float>(last));
  for (int row = 0; row < rows; ++row)
    if (row_collides(world, from, to, (places - static_cast<float>(row)) * share)) return true;
  return false;
}

int nearest(const float* points, int count, int dimension, const float* to) {
  Lanes best = all(__builtin_inff());
  Whole places = {}, own = {};
  for (int k = 0; k < kLanes; ++k) own[k] = k;
  Whole where = places;
  const int blocks = (count + kMostLanes - 1) / kMostLanes;
  for (int block = 0; block < blocks; ++block)
    for (int part = 0; part < kMostLanes; part += kLanes) {
      const float* at = points + block * dimension * kMostLanes + part;
      Lanes square = {};
      for (int d = 0; d < dimension; ++d) {
        const Lanes difference = load(at + d * kMostLanes) - to[d];
        square += difference * difference;
      }
      const Whole nearer = square < best;
      best = smaller(square, best);
      where = (nearer & (own + (block * kMostLanes + part))) | (~nearer & where);
    }
  int found = 0;
  for (int k = 1; k < kLanes; ++k)
    if (best[k] < best[found] || (best[k] == best[found] && where[k] < where[found])) found = k;
  return where[found];
}

}  // namespace

const SamplingKernel sampling_kernel = {kLanes, collides, nearest};

}  // namespace proven::PROVEN_INSTRUCTION_SET
