// Chords that balls leave open: the chord rule on outlines, along directions that separate them at
// one moment (docs/algorithms/sweep.md).
#include <bit>
#include <cmath>

#include "proven/geometry/separating_direction.h"
#include "sweep.h"

namespace proven {
namespace {

// Directions that are tried for one pair.
constexpr int kTries = 3;

// Chords of `open` at whose ends the gap is not larger than what is needed.
std::uint32_t still_open(std::uint32_t open, const double* gap, double needed) {
  for (int k = 0; k < kChords; ++k)
    if (gap[k] > needed && gap[k + 1] > needed) open &= ~(1u << k);
  return open;
}

// A moment of the chord in the middle of those that are open; of the two ends, one after the other.
int middle_moment(std::uint32_t open, int attempt) {
  int skip = std::popcount(open) / 2;
  while (skip-- > 0) open &= open - 1;
  return std::countr_zero(open) + attempt % 2;
}

void negate(DirectionLanes& lanes) {
  for (auto& row : lanes.v)
    for (double& x : row) x = -x;
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
        add(solid.half[0] * std::cos(2 * M_PI * k / kAround),
            solid.half[0] * std::sin(2 * M_PI * k / kAround), z);
    else
      for (const double x : {-solid.half[0], solid.half[0]})
        for (const double y : {-solid.half[1], solid.half[1]}) add(x, y, z);
}

// How far the solid reaches along the unit vector n.
double reach_of(const SweepSolid& s, const Vec3& n) {
  double along[3];
  for (int i = 0; i < 3; ++i)
    along[i] = static_cast<double>(s.R[3 * i]) * n.x + static_cast<double>(s.R[3 * i + 1]) * n.y +
               static_cast<double>(s.R[3 * i + 2]) * n.z;
  const double core = s.cylinder
                          ? s.half[0] * std::hypot(along[0], along[1])
                          : s.half[0] * std::fabs(along[0]) + s.half[1] * std::fabs(along[1]);
  return s.c[0] * n.x + s.c[1] * n.y + s.c[2] * n.z + core + s.half[2] * std::fabs(along[2]) +
         s.radius;
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
// how far it reaches along a direction.
template <class Reach>
std::uint32_t Sweep::narrow_still(const SweepModel::Body& body, const Vec3& middle, double needed,
                                  std::uint32_t open, const Reach& reach) {
  const SweepPoints points = model_->points(body.outline);
  const FrameLanes& frame = frames_[static_cast<std::size_t>(body.joint)];
  needed += body.outline.radius + body.error + bend(body, 0, &SweepModel::Lever::point_radius);
  for (int attempt = 0; attempt < kTries && open != 0; ++attempt) {
    const Pose X_WF = frame_at(body, middle_moment(open, attempt));
    points_of(points, X_WF, points_b_);
    const Vec3 n = separating_direction(points_a_, points_b_, X_WF * body.outline.middle - middle);
    if (dot(n, n) == 0) break;
    DirectionLanes away;
    for (int i = 0; i < 3; ++i) std::fill_n(away.v[i], kMoments, -n[i]);
    alignas(64) double gap[kMoments];
    sweep_kernel->reach(frame, points, away, gap);
    const double own = reach(n);
    for (double& g : gap) g = -g - own;
    open = still_open(open, gap, needed);
  }
  return open;
}

std::uint32_t Sweep::narrow(std::size_t b, int solid, int still, std::uint32_t open) {
  const SweepModel::Body& body = model_->bodies()[b];
  const SweepSolid& s = model_->solids()[static_cast<std::size_t>(solid)];
  corners_of(s, points_a_);
  return narrow_still(body, {s.c[0], s.c[1], s.c[2]},
                      body.still_need[static_cast<std::size_t>(still)], open,
                      [&](const Vec3& n) { return reach_of(s, n); });
}

std::uint32_t Sweep::narrow(std::size_t b, const SweepModel::StillLink& link, std::uint32_t open) {
  const SweepModel::Body& body = model_->bodies()[b];
  const SweepPoints points = model_->points(link.outline);
  points_of(points, Pose{}, points_a_);
  const double need = body.still_need[static_cast<std::size_t>(link.still)] + link.outline.radius;
  return narrow_still(body, link.outline.middle, need, open,
                      [&](const Vec3& n) { return reach_of(points, n); });
}

// Seen from a body that carries the other, directions are fixed, and only joints between them bend.
std::uint32_t Sweep::narrow(const SweepModel::Pair& pair, std::uint32_t open) {
  const SweepModel::Body* A = &model_->bodies()[static_cast<std::size_t>(pair.a)];
  const SweepModel::Body* B = &model_->bodies()[static_cast<std::size_t>(pair.b)];
  if (A->num_levers > B->num_levers) std::swap(A, B);
  const bool carried = pair.shared >= 0;
  double needed = pair.need + A->outline.radius + B->outline.radius + A->error + B->error +
                  bend(*B, std::max(0, pair.shared), &SweepModel::Lever::point_radius);
  if (!carried) needed += bend(*A, 0, &SweepModel::Lever::point_radius);
  const SweepPoints of_a = model_->points(A->outline), of_b = model_->points(B->outline);
  const FrameLanes &frame_a = frames_[static_cast<std::size_t>(A->joint)],
                   &frame_b = frames_[static_cast<std::size_t>(B->joint)];
  points_of(of_a, Pose{}, points_a_);
  for (int attempt = 0; attempt < kTries && open != 0; ++attempt) {
    const int moment = middle_moment(open, attempt);
    const Pose X_WA = frame_at(*A, moment);
    const Pose X_AB = relative_pose(X_WA, frame_at(*B, moment));
    points_of(of_b, X_AB, points_b_);
    const Vec3 n =
        separating_direction(points_a_, points_b_, X_AB * B->outline.middle - A->outline.middle);
    if (dot(n, n) == 0) break;
    DirectionLanes along;
    if (carried) {
      sweep_kernel->carry(frame_a, &n.x, along);
    } else {
      const Vec3 n_W = X_WA.R * n;
      for (int i = 0; i < 3; ++i) std::fill_n(along.v[i], kMoments, n_W[i]);
    }
    alignas(64) double near[kMoments], far[kMoments];
    sweep_kernel->reach(frame_a, of_a, along, near);
    negate(along);
    sweep_kernel->reach(frame_b, of_b, along, far);
    for (int k = 0; k < kMoments; ++k) far[k] = -far[k] - near[k];
    open = still_open(open, far, needed);
  }
  return open;
}

}  // namespace proven
