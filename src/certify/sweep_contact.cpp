// Where neither balls nor outlines separate: balls that lie inside the bodies, at few moments
// (docs/algorithms/sweep.md).
#include <bit>
#include <cmath>

#include "proven/base/elementary.h"

#include "sweep.h"

namespace proven {
namespace {

// What is required, rounded down: it was rounded up to a float.
constexpr double kNeedDown = 1 - 0x1p-20;

// A point of the world in the frame of the solid.
Vec3 enter(const SweepSolid& s, const Vec3& p) {
  Vec3 y;
  for (int i = 0; i < 3; ++i)
    y[i] = s.R[3 * i] * (p.x - s.c[0]) + s.R[3 * i + 1] * (p.y - s.c[1]) +
           s.R[3 * i + 2] * (p.z - s.c[2]);
  return y;
}

// Above the distance of the point to the solid; below zero: as deep in it at least.
double signed_distance(const SweepSolid& s, const Vec3& p) {
  const Vec3 y = enter(s, p);
  const double z = std::fabs(y.z) - s.half[2];
  const double x = s.cylinder ? hypotenuse(y.x, y.y) - s.half[0] : std::fabs(y.x) - s.half[0];
  const double side = s.cylinder ? x : std::fabs(y.y) - s.half[1];
  if (x <= 0 && side <= 0 && z <= 0) return std::max({x, side, z}) - s.radius;
  return hypotenuse(hypotenuse(std::max(0.0, x), s.cylinder ? 0 : std::max(0.0, side)),
                    std::max(0.0, z)) -
         s.radius;
}

Vec3 centre(const SweepModel::Inside& inside, int i) {
  const auto at = static_cast<std::size_t>(i);
  return {inside.lanes[0][at], inside.lanes[1][at], inside.lanes[2][at]};
}

// Whether a ball keeps clear of a box.
bool apart(const Vec3& p, double radius, const Aabb& box) {
  for (int i = 0; i < 3; ++i)
    if (p[i] + radius < box.lo[i] || p[i] - radius > box.hi[i]) return true;
  return false;
}

}  // namespace

// Of the longest run: the end of the segment, if it reaches so far, and places within.
LikelyMoments likely_moments(std::uint32_t open) {
  int first = 0, length = 0;
  for (std::uint32_t rest = open; rest != 0;) {
    const int begin = std::countr_zero(rest), own = std::countr_one(rest >> begin);
    if (own >= length) first = begin, length = own;
    rest &= ~(((1u << own) - 1) << begin);
  }
  const int middle = first + (length + 1) / 2;
  if (first + length == kChords && middle < kChords)
    return {{kChords, middle, (middle + kChords) / 2}, 3};
  return {{middle, first + length / 4, first + length - length / 4}, length < 4 ? 1 : 3};
}

bool Sweep::look_inside(const SweepModel::Inside& A, const SweepModel::Inside& B, const Pose& X_WA,
                        const Pose& X_WB, double error, int pair, float need, int moment) {
  const Pose X_AB = relative_pose(X_WA, X_WB);
  const double limit = need * kNeedDown - error;
  const float* lanes[4];
  for (std::size_t i = 0; i < 4; ++i) lanes[i] = A.lanes[i].data();
  for (int j = 0; j < B.count; ++j) {
    const Vec3 p = X_AB * centre(B, j);
    const double radius = B.lanes[3][static_cast<std::size_t>(j)];
    if (apart(p, radius + limit, A.around)) continue;
    const float own[3] = {static_cast<float>(p.x), static_cast<float>(p.y),
                          static_cast<float>(p.z)};
    int i = 0;
    const double gap = static_cast<double>(
                           sweep_kernel->ball(lanes, static_cast<int>(A.lanes[0].size()), own, i)) -
                       radius;
    if (!(gap < limit)) continue;
    // In the middle of what both balls hold.
    const Vec3 c = centre(A, i);
    const double length = norm(p - c);
    const double along =
        std::clamp(0.5 * (length + A.lanes[3][static_cast<std::size_t>(i)] - radius), 0.0, length);
    contact_ = {pair, part_.moment(moment), gap + error,
                X_WA * (length > 0 ? c + (along / length) * (p - c) : c)};
    return true;
  }
  return false;
}

void Sweep::look_inside(const SweepModel::Pair& pair, const LikelyMoments& likely) {
  if (!std::isfinite(pair.need)) return;
  const SweepModel::Body &A = model_->bodies()[static_cast<std::size_t>(pair.a)],
                         &B = model_->bodies()[static_cast<std::size_t>(pair.b)];
  for (int i = 0; i < likely.count; ++i) {
    const int k = likely.moments[static_cast<std::size_t>(i)];
    if (look_inside(*A.inside, *B.inside, frame_at(A, k), frame_at(B, k), A.error + B.error,
                    pair.pair, pair.need, k))
      return;
  }
}

void Sweep::look_inside(const SweepModel::Body& body, const SweepModel::StillLink& link,
                        const LikelyMoments& likely) {
  const auto still = static_cast<std::size_t>(link.still);
  if (!std::isfinite(body.still_need[still])) return;
  for (int i = 0; i < likely.count; ++i) {
    const int k = likely.moments[static_cast<std::size_t>(i)];
    if (look_inside(*body.inside, *link.inside, frame_at(body, k), Pose{}, body.error,
                    body.still_pairs[still], body.still_need[still], k))
      return;
  }
}

void Sweep::look_inside(const SweepModel::Body& body, const SweepSolid& solid, int pair, float need,
                        const LikelyMoments& likely) {
  if (!std::isfinite(need)) return;
  for (int m = 0; m < likely.count; ++m) {
    const int k = likely.moments[static_cast<std::size_t>(m)];
    const Pose X_WF = frame_at(body, k);
    double least = INFINITY;
    Vec3 deepest;
    for (int i = 0; i < body.inside->count; ++i) {
      const Vec3 p = X_WF * centre(*body.inside, i);
      const double gap =
          signed_distance(solid, p) - body.inside->lanes[3][static_cast<std::size_t>(i)];
      if (gap < least) least = gap, deepest = p;
    }
    least += body.error;
    if (!(least < need * kNeedDown)) continue;
    contact_ = {pair, part_.moment(k), least, deepest};
    return;
  }
}

}  // namespace proven
