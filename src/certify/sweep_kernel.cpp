#include "sweep_kernel.h"

#include "moment_lanes.h"

namespace proven::PROVEN_INSTRUCTION_SET {
namespace {

// π/2 in two parts: the first has 33 bits, so that its products with numbers below 2^20 are exact;
// what is left out is below 2^-68.
constexpr double kQuarter[2] = {0x1.921fb544p+0, 0x1.0b4611a6p-34};
constexpr double kPerQuarter = 0x1.45f306dc9c883p-1;
constexpr double kToWhole = 0x1.8p52;  // adding and taking it away rounds to whole numbers

[[gnu::always_inline]] inline double whole(double x) {
  return (x + kToWhole) - kToWhole;
}

// Taylor's series on |r| <= π/4 (and a little): the terms left out are below 2^-28 and 2^-32.
[[gnu::always_inline]] inline void small_sincos(float r, float& s, float& c) {
  const float z = r * r;
  float p = 1.0f / 362880.0f;
  p = p * z - 1.0f / 5040.0f;
  p = p * z + 1.0f / 120.0f;
  p = p * z - 1.0f / 6.0f;
  s = r + r * (z * p);
  float q = 1.0f / 3628800.0f;
  q = 1.0f / 40320.0f - q * z;
  q = q * z - 1.0f / 720.0f;
  q = q * z + 1.0f / 24.0f;
  c = 1.0f - z * (0.5f - z * q);
}

void line(const JointLine& line, const double* __restrict t, double* __restrict values) {
  for (int k = 0; k < kMoments; ++k)
    values[k] = line.multiplier * (line.from + t[k] * line.by) + line.offset;
}

// Whole quarters are taken away in double: what is left errs by half a unit of a float.
void sincos(const double* __restrict angles, float* __restrict sines, float* __restrict cosines) {
  for (int k = 0; k < kMoments; ++k) {
    const double n = whole(angles[k] * kPerQuarter);
    const float r = static_cast<float>((angles[k] - n * kQuarter[0]) - n * kQuarter[1]);
    float s, c;
    small_sincos(r, s, c);
    // Which quarter: -2, -1, 0, 1 or 2.
    const float quarter = static_cast<float>(n - 4 * whole(0.25 * n));
    const bool swapped = quarter * quarter == 1, opposite = quarter * quarter == 4;
    const float first = swapped ? c : s, second = swapped ? s : c;
    sines[k] = opposite || quarter == -1 ? -first : first;
    cosines[k] = opposite || quarter == 1 ? -second : second;
  }
}

// An element of the joint's rotation before it moves.
[[gnu::always_inline]] inline Floats fixed_rotation(const FrameLanes* parent,
                                                    const SweepJoint& joint, int i, int j) {
  const float* m = joint.X_PJ;
  if (!parent) return all(m[3 * i + j]);
  if (joint.unit[j] > 0) return load(parent->R[3 * i + joint.unit[j] - 1]);
  if (joint.unit[j] < 0) return all(0) - load(parent->R[3 * i - joint.unit[j] - 1]);
  return load(parent->R[3 * i]) * all(m[j]) + load(parent->R[3 * i + 1]) * all(m[3 + j]) +
         load(parent->R[3 * i + 2]) * all(m[6 + j]);
}

[[gnu::always_inline]] inline Floats fixed_position(const FrameLanes* parent,
                                                    const SweepJoint& joint, int i) {
  const float* at = joint.X_PJ + 9;
  if (!parent) return all(at[i]);
  return (load(parent->R[3 * i]) * all(at[0]) + load(parent->R[3 * i + 1]) * all(at[1]) +
          load(parent->R[3 * i + 2]) * all(at[2])) +
         load(parent->p[i]);
}

void turn(const FrameLanes* parent, const SweepJoint& joint, const double* __restrict angles,
          FrameLanes& out) {
  alignas(64) float sines[kMoments], cosines[kMoments];
  sincos(angles, sines, cosines);
  const Floats s = load(sines), c = load(cosines);
  for (int i = 0; i < 3; ++i) {
    const Floats x = fixed_rotation(parent, joint, i, 0), y = fixed_rotation(parent, joint, i, 1);
    store(out.R[3 * i], c * x + s * y);
    store(out.R[3 * i + 1], c * y - s * x);
    store(out.R[3 * i + 2], fixed_rotation(parent, joint, i, 2));
    store(out.p[i], fixed_position(parent, joint, i));
  }
}

void slide(const FrameLanes* parent, const SweepJoint& joint, const double* __restrict values,
           FrameLanes& out) {
  alignas(64) float by[kMoments];
  for (int k = 0; k < kMoments; ++k) by[k] = static_cast<float>(values[k]);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) store(out.R[3 * i + j], fixed_rotation(parent, joint, i, j));
    store(out.p[i], fixed_position(parent, joint, i) + load(out.R[3 * i + 2]) * load(by));
  }
}

void place(const FrameLanes* parent, const SweepJoint& joint, const float (*own)[kMoments],
           FrameLanes& out) {
  for (int i = 0; i < 3; ++i) {
    const Floats x = fixed_rotation(parent, joint, i, 0), y = fixed_rotation(parent, joint, i, 1),
                 z = fixed_rotation(parent, joint, i, 2);
    for (int j = 0; j < 3; ++j)
      store(out.R[3 * i + j], x * load(own[j]) + y * load(own[3 + j]) + z * load(own[6 + j]));
    store(out.p[i], fixed_position(parent, joint, i));
  }
}

[[gnu::always_inline]] inline Floats along(const FrameLanes& frame, const float* point, int i) {
  return (load(frame.R[3 * i]) * all(point[0]) + load(frame.R[3 * i + 1]) * all(point[1]) +
          load(frame.R[3 * i + 2]) * all(point[2])) +
         load(frame.p[i]);
}

void tracks(const FrameLanes& frame, const float* points, int count, Track* __restrict out) {
  for (int i = 0; i < 3; ++i)
    for (int b = 0; b < count; ++b) store(out[b].v[i], along(frame, points + 3 * b, i));
}

void track(const FrameLanes& frame, const float* point, Track& out, float* __restrict box) {
  for (int i = 0; i < 3; ++i) {
    const Floats x = along(frame, point, i);
    store(out.v[i], x);
    box[i] = least_of(x);
    box[3 + i] = most_of(x);
  }
}

bool near(const BoxLanes* boxes, int count, const float* box, float around,
          std::uint16_t* __restrict out) {
  const Vectors lo = {all(box[0] - around), all(box[1] - around), all(box[2] - around)},
                hi = {all(box[3] + around), all(box[4] + around), all(box[5] + around)};
  std::uint32_t any = 0;
  for (int word = 0; word * kMoments < count; ++word) {
    const int left = count - word * kMoments;
    const std::uint32_t lanes = left < kMoments ? (1u << left) - 1 : 0xffffu;
    const auto side = [&](int i) { return load(boxes[word].v[i]); };
    const std::uint32_t apart = above(side(0), hi.x) | above(side(1), hi.y) | above(side(2), hi.z) |
                                above(lo.x, side(3)) | above(lo.y, side(4)) | above(lo.z, side(5));
    out[word] = static_cast<std::uint16_t>(~apart & lanes);
    any |= out[word];
  }
  return any != 0;
}

void carry(const FrameLanes& frame, const float* direction, DirectionLanes& out) {
  for (int i = 0; i < 3; ++i)
    store(out.v[i], load(frame.R[3 * i]) * all(direction[0]) +
                        load(frame.R[3 * i + 1]) * all(direction[1]) +
                        load(frame.R[3 * i + 2]) * all(direction[2]));
}

void reach(const FrameLanes& frame, const SweepPoints& points, const DirectionLanes& along,
           float* __restrict out) {
  const Vectors n = {load(along.v[0]), load(along.v[1]), load(along.v[2])};
  const auto turned = [&](int i) {
    return load(frame.R[i]) * n.x + load(frame.R[3 + i]) * n.y + load(frame.R[6 + i]) * n.z;
  };
  const Vectors m = {turned(0), turned(1), turned(2)};
  const auto own = [&](int v) {
    const float* p = points.xyz + 3 * v;
    return m.x * all(p[0]) + m.y * all(p[1]) + m.z * all(p[2]);
  };
  Floats farthest = own(0);
  for (int v = 1; v < points.count; ++v) farthest = most(farthest, own(v));
  store(out, farthest + (n.x * load(frame.p[0]) + n.y * load(frame.p[1]) + n.z * load(frame.p[2])));
}

std::uint32_t apart(const float* reach, const float* other, float gap) {
  return above(all(0) - (load(reach) + load(other)), all(gap));
}

// From the nearest point of the core to the point y, in the frame of the solid.
[[gnu::always_inline]] inline Floats beyond(const Floats& y, float half) {
  return most(y - all(half), all(0)) + least(y + all(half), all(0));
}
template <bool kCylinder>
[[gnu::always_inline]] inline Vectors excess(const Vectors& p, const SweepSolid& s) {
  const Floats z = beyond(p.z, s.half[2]);
  if constexpr (!kCylinder) return {beyond(p.x, s.half[0]), beyond(p.y, s.half[1]), z};
  const Floats r = root(p.x * p.x + p.y * p.y);
  // The middle has no direction, and needs none: it is in the core.
  const Floats share = most(r - all(s.half[0]), all(0)) / most(r, all(s.half[0]));
  return {p.x * share, p.y * share, z};
}

// Points in the frame of the solid. The products of an identity change no bit.
template <bool kAligned>
[[gnu::always_inline]] inline Vectors enter(const Vectors& p, const SweepSolid& s) {
  const Vectors d = {p.x - all(s.c[0]), p.y - all(s.c[1]), p.z - all(s.c[2])};
  if constexpr (kAligned) return d;
  const auto row = [&](int i) {
    return all(s.R[3 * i]) * d.x + all(s.R[3 * i + 1]) * d.y + all(s.R[3 * i + 2]) * d.z;
  };
  return {row(0), row(1), row(2)};
}

// Along the direction from the nearest point of the solid, at one end of the chord, both ends must
// be farther than the radius: the solid is convex and does not reach beyond that plane. `y` is in
// the frame of the solid, `e` from its core. All of it squared.
[[gnu::always_inline]] inline std::uint32_t open_chords(const Vectors& y, const Vectors& e,
                                                        const Floats& square, float radius) {
  const Floats needed = all(radius * radius), none = all(0);
  const std::uint32_t far = above(square, needed);
  if (far == 0) return kAllChords;
  const Vectors step = next(y) - y;
  const Floats here = square + dot(e, step), end = next(square), there = end - dot(next(e), step);
  const auto beyond = [&](const Floats& along, const Floats& own) {
    return above(along, none) & above(along * along, needed * own);
  };
  return ~(far & far >> 1 & (beyond(here, square) | beyond(there, end))) & kAllChords;
}

// Calls `with` with the two kinds of solids told apart.
template <class With>
[[gnu::always_inline]] inline auto by_kind(const SweepSolid& s, const With& with) {
  if (s.cylinder) return with.template operator()<true, false>();
  if (s.aligned) return with.template operator()<false, true>();
  return with.template operator()<false, false>();
}

std::uint32_t solid(const Track& t, const SweepSolid& s, float radius) {
  return by_kind(s, [&]<bool kCylinder, bool kAligned>() {
    const Vectors y = enter<kAligned>(load(t), s), e = excess<kCylinder>(y, s);
    return open_chords(y, e, dot(e, e), radius + s.radius);
  });
}

// Of points outside of the core the squared distance from it; below zero: how deep they are in it,
// at least.
template <bool kCylinder>
[[gnu::always_inline]] inline Floats square_or_depth(const Vectors& y, const SweepSolid& s) {
  const Floats none = all(0);
  const auto outside = [&](const Floats& v, float half) { return most(v, none - v) - all(half); };
  const auto above_none = [&](const Floats& v) { return most(none, v); };
  const Floats z = outside(y.z, s.half[2]), c = above_none(z);
  if constexpr (kCylinder) {
    const Floats x = root(y.x * y.x + y.y * y.y) - all(s.half[0]), a = above_none(x);
    return (a * a + c * c) + least(most(x, z), none);
  }
  const Floats x = outside(y.x, s.half[0]), w = outside(y.y, s.half[1]);
  const Vectors e = {above_none(x), above_none(w), c};
  return dot(e, e) + least(most(most(x, w), z), none);
}
// From that of one point: how far it is from the solid, below zero how deep in it.
[[gnu::always_inline]] inline float distance_of(float square_or_depth, const SweepSolid& s) {
  return (square_or_depth < 0 ? square_or_depth : __builtin_sqrtf(square_or_depth)) - s.radius;
}
// The other way round.
[[gnu::always_inline]] inline float square_or_depth_of(float distance, const SweepSolid& s) {
  const float own = distance + s.radius;
  return own < 0 ? own : own * own;
}

[[gnu::always_inline]] inline int first_of_least(const Floats& values, float least) {
  const std::uint32_t at = ~above(values, all(least)) & 0xffffu;
  return at == 0 ? 0 : __builtin_ctz(at);
}

template <bool kCylinder, bool kAligned>
void balls_of(const Track* tracks, const SweepBall* balls, int count, const SweepSolid& s,
              float need, std::uint32_t chords, float contact, SolidFound& found) {
  for (int i = 0; i < count; ++i) {
    const Vectors y = enter<kAligned>(load(tracks[i]), s), e = excess<kCylinder>(y, s);
    const std::uint32_t open =
        open_chords(y, e, dot(e, e), need + balls[i].radius + s.radius) & chords;
    if (open == 0) continue;
    found.open |= open;
    const Floats own = square_or_depth<kCylinder>(y, s);
    const float depth = balls[i].depth;
    // Most are no nearer than one before.
    if (found.ball >= 0 && above(all(square_or_depth_of(found.gap + depth, s)), own) == 0) continue;
    const float nearest = least_of(own);
    found.ball = i;
    found.moment = first_of_least(own, nearest);
    found.gap = distance_of(nearest, s) - depth;
    found.contact = found.gap < contact && depth > 0;
    if (found.contact) return;
  }
}

void balls(const Track* tracks, const SweepBall* balls, int count, const SweepSolid& s, float need,
           std::uint32_t chords, float contact, SolidFound& found) {
  by_kind(s, [&]<bool kCylinder, bool kAligned>() {
    balls_of<kCylinder, kAligned>(tracks, balls, count, s, need, chords, contact, found);
  });
}

// Sixteen points of a frame at one moment.
[[gnu::always_inline]] inline Vectors placed(const float* frame, const float* const* balls, int i) {
  const Vectors p = {load(balls[0] + i), load(balls[1] + i), load(balls[2] + i)};
  const auto row = [&](int r) {
    return (all(frame[3 * r]) * p.x + all(frame[3 * r + 1]) * p.y + all(frame[3 * r + 2]) * p.z) +
           all(frame[9 + r]);
  };
  return {row(0), row(1), row(2)};
}

float inside(const float* frame, const float* const* balls, int count, const SweepSolid& s,
             int& index) {
  const Floats none = all(0);
  float nearest = __builtin_inff();
  for (int i = 0; i < count; i += kMoments) {
    const Vectors p = placed(frame, balls, i);
    const Floats square = by_kind(s, [&]<bool kCylinder, bool kAligned>() {
      return square_or_depth<kCylinder>(enter<kAligned>(p, s), s);
    });
    const Floats distance = root(most(square, none)) + least(square, none) - all(s.radius);
    const Floats own = distance - load(balls[3] + i);
    if (above(all(nearest), own) == 0) continue;
    nearest = least_of(own);
    index = i + first_of_least(own, nearest);
  }
  return nearest;
}

std::uint32_t in_box(const float* frame, const float* const* balls, const float* box,
                     float around) {
  const Vectors p = placed(frame, balls, 0);
  const Floats reach = load(balls[3]) + all(around);
  std::uint32_t apart = 0;
  const Floats* const v[3] = {&p.x, &p.y, &p.z};
  for (int i = 0; i < 3; ++i)
    apart |= above(all(box[i]), *v[i] + reach) | above(*v[i] - reach, all(box[3 + i]));
  return ~apart & 0xffffu;
}

// Chords of the way between two points that are not shown to stay farther than `radius` from zero.
inline std::uint32_t around_zero(const Vectors& e, float radius) {
  const Floats square = dot(e, e), needed = all(radius * radius);
  // The direction of the nearer end: at the other one it is along it that counts. All of it
  // squared.
  const Floats shorter = least(square, next(square)), along = dot(e, next(e));
  return ~(above(shorter, needed) & above(along, all(0)) & above(along * along, needed * shorter)) &
         kAllChords;
}

std::uint32_t pair(const Track& a, const Track& b, float radius) {
  return around_zero(load(a) - load(b), radius);
}

int near_track(const Track* tracks, const SweepBall* balls, int count, const Track& other,
               float need, std::uint32_t chords, int* near) {
  const Vectors to = load(other);
  int found = 0;
  for (int i = 0; i < count; ++i)
    if (around_zero(load(tracks[i]) - to, need + balls[i].radius) & chords) near[found++] = i;
  return found;
}

float nearest(const Track& a, const Track& b, int& moment) {
  const Vectors e = load(a) - load(b);
  const Floats square = dot(e, e);
  const float least = least_of(square);
  moment = first_of_least(square, least);
  return least;
}

float ball(const float* const* balls, int count, const float* point, int& index) {
  float least = __builtin_inff();
  for (int i = 0; i < count; i += kMoments) {
    const Vectors d = {load(balls[0] + i) - all(point[0]), load(balls[1] + i) - all(point[1]),
                       load(balls[2] + i) - all(point[2])};
    const Floats own = root(dot(d, d)) - load(balls[3] + i);
    if (above(all(least), own) == 0) continue;
    least = least_of(own);
    index = i + first_of_least(own, least);
  }
  return least;
}

int farthest(const float* const* points, int count, const float* along) {
  const Vectors n = {all(along[0]), all(along[1]), all(along[2])};
  float least = __builtin_inff();
  int index = 0;
  for (int i = 0; i < count; i += kMoments) {
    const Vectors p = {load(points[0] + i), load(points[1] + i), load(points[2] + i)};
    const Floats below = all(0) - dot(n, p);
    if (above(all(least), below) == 0) continue;
    least = least_of(below);
    index = i + first_of_least(below, least);
  }
  return index;
}

}  // namespace

const SweepKernel sweep_kernel = {line,   sincos, turn,     slide,      place,   track, near,
                                  tracks, solid,  pair,     near_track, nearest, carry, reach,
                                  apart,  ball,   farthest, balls,      inside,  in_box};

}  // namespace proven::PROVEN_INSTRUCTION_SET
