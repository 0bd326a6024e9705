#include "bench/spacetime/simd_traffic.h"

#include <algorithm>
#include <cmath>
#include <cstring>

// Vectors are passed to functions that are always inlined, so that no convention of calls matters.
#pragma GCC diagnostic ignored "-Wpsabi"
#define PROVEN_INLINE inline __attribute__((always_inline))

namespace proven::bench {
namespace {

constexpr int kWide = 16;
typedef float Floats __attribute__((vector_size(4 * kWide)));
typedef int Ints __attribute__((vector_size(4 * kWide)));

PROVEN_INLINE Floats load(const float* from) {
  Floats v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
PROVEN_INLINE Floats size_of(Floats v) {
  return v < 0 ? -v : v;
}
PROVEN_INLINE bool any(Ints v) {
  int sum = 0;
  for (int i = 0; i < kWide; ++i) sum |= v[i];
  return sum != 0;
}

struct Arrays {
  const float *x, *y, *cosine, *sine, *half_x, *half_y, *radius;
};
struct Pose {
  float x, y, cosine, sine, half_x, half_y, radius;
};

// Which circles around the boxes of a group meet the one at a pose.
PROVEN_INLINE Ints near(const Pose& p, const Arrays& a) {
  const Floats dx = load(a.x) - p.x, dy = load(a.y) - p.y, r = load(a.radius) + p.radius;
  return dx * dx + dy * dy <= r * r;
}

// Whether the box at a pose meets one of a group.
PROVEN_INLINE bool meets(const Pose& p, const Arrays& a) {
  Ints both = near(p, a);
  if (!any(both)) return false;
  const Floats dx = load(a.x) - p.x, dy = load(a.y) - p.y;
  const Floats c = load(a.cosine), s = load(a.sine), hx = load(a.half_x), hy = load(a.half_y);
  const Floats cosine = size_of(c * p.cosine + s * p.sine),
               sine = size_of(s * p.cosine - c * p.sine);
  both &= size_of(dx * p.cosine + dy * p.sine) <= p.half_x + hx * cosine + hy * sine;
  both &= size_of(dy * p.cosine - dx * p.sine) <= p.half_y + hx * sine + hy * cosine;
  both &= size_of(dx * c + dy * s) <= hx + p.half_x * cosine + p.half_y * sine;
  both &= size_of(dy * c - dx * s) <= hy + p.half_x * sine + p.half_y * cosine;
  return any(both);
}

// Circles of eight poses at once, then the boxes of those poses.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) bool meets_any(
    int poses, int groups, const Arrays& a, const SimdTraffic::Candidate& candidate) {
  constexpr int kBlock = 8;
  const float radius =
      std::sqrt(candidate.half_x * candidate.half_x + candidate.half_y * candidate.half_y);
  const auto pose = [&](int k) {
    const auto i = static_cast<std::size_t>(k);
    return Pose{
        candidate.x[i],   candidate.y[i], candidate.cosine[i], candidate.sine[i], candidate.half_x,
        candidate.half_y, radius};
  };
  const auto group = [&](int k, int g) {
    const int at = (k * groups + g) * kWide, own = g * kWide;
    return Arrays{a.x + at,       a.y + at,       a.cosine + at, a.sine + at,
                  a.half_x + own, a.half_y + own, a.radius + own};
  };
  for (int first = 0; first < poses; first += kBlock) {
    const int end = std::min(poses, first + kBlock);
    Ints some = {};
    for (int k = first; k < end; ++k)
      for (int g = 0; g < groups; ++g) some |= near(pose(k), group(k, g));
    if (__builtin_expect(!any(some), 1)) continue;
    for (int k = first; k < end; ++k)
      for (int g = 0; g < groups; ++g)
        if (meets(pose(k), group(k, g))) return true;
  }
  return false;
}

}  // namespace

SimdTraffic::SimdTraffic(const std::vector<spacetime::Obstacle>& obstacles) {
  groups_ = (static_cast<int>(obstacles.size()) + kWide - 1) / kWide;
  poses_ = obstacles.empty() ? 0 : obstacles[0].motion.size();
  const auto lanes = static_cast<std::size_t>(groups_ * kWide),
             all = lanes * static_cast<std::size_t>(poses_);
  x_.assign(all, 1e9f), y_.assign(all, 1e9f), cosine_.assign(all, 1), sine_.assign(all, 0);
  half_x_.assign(lanes, 0), half_y_.assign(lanes, 0), radius_.assign(lanes, 0);
  for (std::size_t o = 0; o < obstacles.size(); ++o) {
    const spacetime::Vec2 half = obstacles[o].footprint.box_half();
    half_x_[o] = static_cast<float>(half.x), half_y_[o] = static_cast<float>(half.y);
    radius_[o] = static_cast<float>(norm(half));
    const spacetime::Trajectory& m = obstacles[o].motion;
    for (std::size_t k = 0; k < m.t.size(); ++k) {
      const std::size_t at = k * lanes + o;
      x_[at] = static_cast<float>(m.x[k]), y_[at] = static_cast<float>(m.y[k]);
      cosine_[at] = std::cos(static_cast<float>(m.heading[k]));
      sine_[at] = std::sin(static_cast<float>(m.heading[k]));
    }
  }
}

void SimdTraffic::prepare(const spacetime::Footprint& box, const spacetime::Trajectory& m,
                          Candidate& out) {
  const spacetime::Vec2 half = box.box_half();
  out.half_x = static_cast<float>(half.x), out.half_y = static_cast<float>(half.y);
  const std::size_t n = m.t.size();
  out.x.resize(n), out.y.resize(n), out.cosine.resize(n), out.sine.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    out.x[k] = static_cast<float>(m.x[k]), out.y[k] = static_cast<float>(m.y[k]);
    out.cosine[k] = std::cos(static_cast<float>(m.heading[k]));
    out.sine[k] = std::sin(static_cast<float>(m.heading[k]));
  }
}

bool SimdTraffic::collides(const Candidate& candidate) const {
  return meets_any(poses_, groups_,
                   {x_.data(), y_.data(), cosine_.data(), sine_.data(), half_x_.data(),
                    half_y_.data(), radius_.data()},
                   candidate);
}

}  // namespace proven::bench
