// Where neither balls nor outlines separate: balls that lie inside the bodies, at few moments
// (docs/algorithms/sweep.md).
#include <algorithm>
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

Sweep::InnerPair Sweep::inner_pair(const SweepModel::Pair& pair, int moment) const {
  const SweepModel::Body &A = model_->bodies()[static_cast<std::size_t>(pair.a)],
                         &B = model_->bodies()[static_cast<std::size_t>(pair.b)];
  return {*A.inside,         *B.inside, frame_at(A, moment), frame_at(B, moment),
          A.error + B.error, pair.pair, pair.need,           moment};
}

Sweep::InnerPair Sweep::inner_pair(const SweepModel::Body& body, const SweepModel::StillLink& link,
                                   int moment) const {
  const auto still = static_cast<std::size_t>(link.still);
  return {*body.inside,
          *link.inside,
          frame_at(body, moment),
          Pose{},
          body.error,
          body.still_pairs[still],
          body.still_need[still],
          moment};
}

// What a table says in the frame of a body, in which the body has the pose X.
InnerBall Sweep::in_frame(const PairTable::Ball& ball, const Pose& X) {
  return {X * Vec3{ball.centre[0], ball.centre[1], ball.centre[2]}, ball.radius};
}

// Whether a ball of each overlap, or are closer than required.
bool Sweep::overlap(const InnerPair& both, const InnerBall& a, const InnerBall& b) {
  const Vec3 p = both.X_WA * a.centre, q = both.X_WB * b.centre;
  const double radius = a.radius, other = b.radius, length = norm(q - p);
  const double most = length - radius - other + both.error;
  if (!(most < both.need * kNeedDown)) return false;
  // In the middle of what both balls hold.
  const double along = std::clamp(0.5 * (length + radius - other), 0.0, length);
  contact_ = {both.pair, part_.moment(both.moment), most,
              length > 0 ? p + (along / length) * (q - p) : p};
  return true;
}

bool Sweep::look_inside(const InnerPair& both) {
  const Pose X_AB = relative_pose(both.X_WA, both.X_WB);
  const double limit = both.need * kNeedDown - both.error;
  for (int j = 0; j < both.b.count; ++j) {
    const Vec3 p = X_AB * both.b.centre(j);
    const double radius = both.b.radius(j);
    if (apart(p, radius + limit, both.a.around)) continue;
    int i = 0;
    if (static_cast<double>(both.a.distance(p, i)) - radius < limit &&
        overlap(both, both.a.ball(i), both.b.ball(j)))
      return true;
  }
  return false;
}

void Sweep::look_inside(const SweepModel::Pair& pair, const LikelyMoments& likely) {
  if (!std::isfinite(pair.need)) return;
  for (int i = 0; i < likely.count; ++i)
    if (look_inside(inner_pair(pair, likely.moments[static_cast<std::size_t>(i)]))) return;
}

void Sweep::look_inside(const SweepModel::Body& body, const SweepModel::StillLink& link,
                        const LikelyMoments& likely) {
  if (!std::isfinite(body.still_need[static_cast<std::size_t>(link.still)])) return;
  for (int i = 0; i < likely.count; ++i)
    if (look_inside(inner_pair(body, link, likely.moments[static_cast<std::size_t>(i)]))) return;
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
      const Vec3 p = X_WF * body.inside->centre(i);
      const double gap = signed_distance(solid, p) - body.inside->radius(i);
      if (gap < least) least = gap, deepest = p;
    }
    least += body.error;
    if (!(least < need * kNeedDown)) continue;
    contact_ = {pair, part_.moment(k), least, deepest};
    return;
  }
}

}  // namespace proven
