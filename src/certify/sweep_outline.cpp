// Chords that balls leave open: the chord rule on outlines, along directions that separate them at
// one moment (docs/algorithms/sweep.md).
#include <bit>
#include <cmath>

#include "proven/base/elementary.h"
#include "proven/geometry/separating_direction.h"
#include "sweep.h"

namespace proven {
namespace {

// Directions that are tried for one pair: first that between the balls that come nearest.
constexpr int kTries = 4;
// The first of them need not be the best: one along which they are so much farther apart will do.
double enough(int attempt, double needed) {
  constexpr double kMuch = 0.01;
  return attempt == 1 ? 2 * needed + kMuch : std::numeric_limits<double>::infinity();
}

// Chords of `open` at whose ends the gap is not larger than what is needed.
std::uint32_t still_open(std::uint32_t open, const float* reach, const float* other,
                         double needed) {
  const std::uint32_t apart =
      sweep_kernel->apart(reach, other, static_cast<float>(needed * (1 + 0x1p-20)));
  return open & ~(apart & apart >> 1);
}

// A moment of the chord in the middle of those that are open; of the two ends, one after the other.
int middle_moment(std::uint32_t open, int attempt) {
  int skip = std::popcount(open) / 2;
  while (skip-- > 0) open &= open - 1;
  return std::countr_zero(open) + attempt % 2;
}

void negate(DirectionLanes& lanes) {
  for (auto& row : lanes.v)
    for (float& x : row) x = -x;
}

// The solid's corners; a cylinder has as many around.
void corners_of(const SweepSolid& solid, std::vector<Vec3>& out) {
  out.clear();
  const auto add = [&](double x, double y, double z) {
    Vec3 p;
    for (int i = 0; i < 3; ++i)
      p[i] = solid.c[i] + solid.R[i] * x + solid.R[3 + i] * y + solid.R[6 + i] * z;
    out.push_back(p);
  };
  constexpr int kAround = 12;
  for (const double z : {-solid.half[2], solid.half[2]})
    if (solid.cylinder)
      for (int k = 0; k < kAround; ++k)
        add(solid.half[0] * cosine(2 * M_PI * k / kAround),
            solid.half[0] * sine(2 * M_PI * k / kAround), z);
    else
      for (const double x : {-solid.half[0], solid.half[0]})
        for (const double y : {-solid.half[1], solid.half[1]}) add(x, y, z);
}

// A point of the world in the frame of the solid.
Vec3 enter(const SweepSolid& s, const Vec3& p) {
  Vec3 y;
  for (int i = 0; i < 3; ++i)
    y[i] = s.R[3 * i] * (p.x - s.c[0]) + s.R[3 * i + 1] * (p.y - s.c[1]) +
           s.R[3 * i + 2] * (p.z - s.c[2]);
  return y;
}

// From the solid's core to the point, and in the world; zero where the point is in it.
Vec3 away_from(const SweepSolid& s, const Vec3& p) {
  Vec3 y = enter(s, p);
  const auto beyond = [](double x, double half) {
    return x > half ? x - half : x < -half ? x + half : 0;
  };
  const double r = hypotenuse(y.x, y.y);
  if (s.cylinder) {
    const double share = r > s.half[0] ? (r - s.half[0]) / r : 0;
    y.x *= share, y.y *= share;
  } else {
    y.x = beyond(y.x, s.half[0]), y.y = beyond(y.y, s.half[1]);
  }
  y.z = beyond(y.z, s.half[2]);
  Vec3 n;
  for (int i = 0; i < 3; ++i) n[i] = s.R[i] * y.x + s.R[3 + i] * y.y + s.R[6 + i] * y.z;
  return n;
}

// How far the solid reaches along the unit vector n.
double reach_of(const SweepSolid& s, const Vec3& n) {
  double along[3];
  for (int i = 0; i < 3; ++i)
    along[i] = static_cast<double>(s.R[3 * i]) * n.x + static_cast<double>(s.R[3 * i + 1]) * n.y +
               static_cast<double>(s.R[3 * i + 2]) * n.z;
  const double core = s.cylinder
                          ? s.half[0] * hypotenuse(along[0], along[1])
                          : s.half[0] * std::fabs(along[0]) + s.half[1] * std::fabs(along[1]);
  return s.c[0] * n.x + s.c[1] * n.y + s.c[2] * n.z + core + s.half[2] * std::fabs(along[2]) +
         s.radius;
}

Vec3 position(const Track& track, int moment) {
  const auto m = static_cast<std::size_t>(moment);
  return {track.v[0][m], track.v[1][m], track.v[2][m]};
}

void points_of(const SweepPoints& points, const Pose& X, std::vector<Vec3>& out) {
  out.clear();
  for (int i = 0; i < points.count; ++i)
    out.push_back(X * Vec3{points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]});
}

// How far points that stand still reach along n.
double reach_of(const SweepPoints& points, const Vec3& n) {
  double most = -INFINITY;
  for (int i = 0; i < points.count; ++i)
    most = std::max(most,
                    dot(n, Vec3{points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]}));
  return most;
}

}  // namespace

// The frame of the body's joint in the world.
Pose Sweep::frame_at(const SweepModel::Body& body, int moment) const {
  const FrameLanes& frame = frames_[static_cast<std::size_t>(body.joint)];
  const auto m = static_cast<std::size_t>(moment);
  Pose X;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) X.R.row[static_cast<std::size_t>(i)][j] = frame.R[3 * i + j][m];
    X.p[i] = frame.p[i][m];
  }
  return X;
}

// Which of the open chords stay so, against what stands still: `points_a_` tell its shape, `reach`
// how far it reaches along a direction, `guess` where to begin.
template <class Reach>
std::uint32_t Sweep::narrow_still(const SweepModel::Body& body, const Vec3& guess, double needed,
                                  std::uint32_t open, const Reach& reach) {
  const SweepPoints points = model_->points(body.outline);
  const FrameLanes& frame = frames_[static_cast<std::size_t>(body.joint)];
  needed += body.outline.radius + body.error +
            bend(model_->levers(body), 0, &SweepModel::Lever::point_radius);
  Vec3 n = guess;
  for (int attempt = 0; attempt < kTries && open != 0; ++attempt) {
    if (attempt > 0 || dot(n, n) == 0) {
      const int moment = middle_moment(open, attempt);
      const Pose X_WF = frame_at(body, moment);
      points_of(points, X_WF, points_b_);
      if (dot(n, n) == 0) n = X_WF * body.outline.middle - points_a_[0];
      n = separating_direction(points_a_, points_b_, n, enough(attempt, needed), needed);
      if (dot(n, n) == 0) break;
    }
    // The same direction for both, as floats have it.
    DirectionLanes away;
    for (int i = 0; i < 3; ++i) {
      const auto rounded = static_cast<float>(n[i]);
      n[i] = rounded;
      std::fill_n(away.v[i], kMoments, -rounded);
    }
    alignas(64) float far[kMoments], near[kMoments];
    sweep_kernel->reach(frame, points, away, far);
    std::fill_n(near, kMoments, static_cast<float>(reach(n)));
    open = still_open(open, far, near, needed);
  }
  return open;
}

// From the solid to a ball that is near it; zero if its centre is inside.
Vec3 Sweep::away_from_solid(int solid, std::uint32_t open) const {
  const Vec3 away = away_from(
      model_->solids()[static_cast<std::size_t>(solid)],
      position(balls_[static_cast<std::size_t>(nearest_.balls[0])], middle_moment(open, 0)));
  return dot(away, away) > 0 ? normalized(away) : Vec3{};
}

std::uint32_t Sweep::narrow(std::size_t b, int solid, int still, std::uint32_t open) {
  const SweepModel::Body& body = model_->bodies()[b];
  const SweepSolid& s = model_->solids()[static_cast<std::size_t>(solid)];
  corners_of(s, points_a_);
  const float need = body.still_need[static_cast<std::size_t>(still)];
  return narrow_still(body, away_from_solid(solid, open), need, open,
                      [&](const Vec3& n) { return reach_of(s, n); });
}

std::uint32_t Sweep::narrow(std::size_t b, const SweepModel::StillLink& link, int solid,
                            std::uint32_t open) {
  const SweepModel::Body& body = model_->bodies()[b];
  const SweepPoints points = model_->points(link.outline);
  points_of(points, Pose{}, points_a_);
  const double need = body.still_need[static_cast<std::size_t>(link.still)] + link.outline.radius;
  return narrow_still(body, away_from_solid(solid, open), need, open,
                      [&](const Vec3& n) { return reach_of(points, n); });
}

// Seen from a body that carries the other, directions are fixed, and only joints between them bend.
std::uint32_t Sweep::narrow(const SweepModel::Pair& pair, std::uint32_t open) {
  const SweepModel::Body* A = &model_->bodies()[static_cast<std::size_t>(pair.a)];
  const SweepModel::Body* B = &model_->bodies()[static_cast<std::size_t>(pair.b)];
  const Track *ball_a = &balls_[static_cast<std::size_t>(nearest_.balls[0])],
              *ball_b = &balls_[static_cast<std::size_t>(nearest_.balls[1])];
  if (A->num_levers > B->num_levers) std::swap(A, B), std::swap(ball_a, ball_b);
  const bool carried = pair.shared >= 0;
  double needed =
      pair.need + A->outline.radius + B->outline.radius + A->error + B->error +
      bend(model_->levers(*B), std::max(0, pair.shared), &SweepModel::Lever::point_radius);
  if (!carried) needed += bend(model_->levers(*A), 0, &SweepModel::Lever::point_radius);
  const SweepPoints of_a = model_->points(A->outline), of_b = model_->points(B->outline);
  const FrameLanes &frame_a = frames_[static_cast<std::size_t>(A->joint)],
                   &frame_b = frames_[static_cast<std::size_t>(B->joint)];
  Vec3 n;
  for (int attempt = 0; attempt < kTries && open != 0; ++attempt) {
    const int moment = middle_moment(open, attempt);
    const Pose X_WA = frame_at(*A, moment);
    if (attempt == 0) {
      n = inverse(X_WA).R * (position(*ball_b, moment) - position(*ball_a, moment));
      if (!(dot(n, n) > 0)) continue;
      n = normalized(n);
    } else {
      const Pose X_AB = relative_pose(X_WA, frame_at(*B, moment));
      if (attempt == 1) points_of(of_a, Pose{}, points_a_);
      points_of(of_b, X_AB, points_b_);
      n = separating_direction(points_a_, points_b_, n, enough(attempt, needed), needed);
      if (dot(n, n) == 0) break;
    }
    DirectionLanes along;
    const Vec3 fixed = carried ? n : X_WA.R * n;
    const float rounded[3] = {static_cast<float>(fixed.x), static_cast<float>(fixed.y),
                              static_cast<float>(fixed.z)};
    if (carried)
      sweep_kernel->carry(frame_a, rounded, along);
    else
      for (int i = 0; i < 3; ++i) std::fill_n(along.v[i], kMoments, rounded[i]);
    alignas(64) float near[kMoments], far[kMoments];
    sweep_kernel->reach(frame_a, of_a, along, near);
    negate(along);
    sweep_kernel->reach(frame_b, of_b, along, far);
    open = still_open(open, far, near, needed);
  }
  return open;
}

}  // namespace proven
