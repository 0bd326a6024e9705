// Chords that balls leave open: the chord rule on outlines, along directions that separate them at
// one moment (docs/algorithms/sweep.md).
#include <algorithm>
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

// How far points that stand still reach along n.
double reach_of(const SweepPoints& points, const Vec3& n) {
  double most = -INFINITY;
  for (int i = 0; i < points.count; ++i)
    most = std::max(most,
                    dot(n, Vec3{points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]}));
  return most;
}

}  // namespace

const FrameLanes& Sweep::frame_of(const SweepModel::Shape& shape) const {
  static const FrameLanes world = [] {
    FrameLanes lanes{};
    for (const int i : {0, 4, 8}) std::fill_n(lanes.R[i], kMoments, 1.0f);
    return lanes;
  }();
  return shape.joint < 0 ? world : frames_[static_cast<std::size_t>(shape.joint)];
}

// The shape's frame in the world.
Pose Sweep::frame_at(const SweepModel::Shape& shape, int moment) const {
  const FrameLanes& frame = frame_of(shape);
  const auto m = static_cast<std::size_t>(moment);
  Pose X;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) X.R.row[static_cast<std::size_t>(i)][j] = frame.R[3 * i + j][m];
    X.p[i] = frame.p[i][m];
  }
  return X;
}

Vec3 Sweep::farthest_of(const SweepModel::Outline& outline, const Vec3& n) const {
  const std::array<const float*, 3> lanes = model_->point_lanes(outline);
  const float along[3] = {static_cast<float>(n.x), static_cast<float>(n.y),
                          static_cast<float>(n.z)};
  const int i = sweep_kernel->farthest(lanes.data(), outline.num_lanes, along);
  return {lanes[0][i], lanes[1][i], lanes[2][i]};
}

// Which of the open chords stay so, against what stands still: `farthest` of its points along a
// direction, `reach` how far it reaches along it, `guess` where to begin.
template <class FarthestOf, class ReachOf>
std::uint32_t Sweep::narrow_still(const SweepModel::Body& body, const Vec3& guess, double needed,
                                  std::uint32_t open, const FarthestOf& farthest,
                                  const ReachOf& reach) {
  const SweepPoints points = model_->points(body.outline);
  const FrameLanes& frame = frame_of(body);
  needed += body.outline.radius + body.error +
            bend(model_->levers(body), 0, &SweepModel::Lever::point_radius);
  Vec3 n = guess;
  for (int attempt = 0; attempt < kTries && open != 0; ++attempt) {
    if (attempt > 0 || dot(n, n) == 0) {
      const int moment = middle_moment(open, attempt);
      const Pose X_WF = frame_at(body, moment);
      if (dot(n, n) == 0) n = X_WF * body.outline.middle - farthest(n);
      const auto lowest = [&](const Vec3& m) {
        return X_WF * farthest_of(body.outline, transpose_times(X_WF.R, -m)) - farthest(m);
      };
      n = separating_direction(lowest, n, enough(attempt, needed), needed);
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
  corners_of(s, corners_);
  const float need = body.still_need[static_cast<std::size_t>(still)];
  return narrow_still(
      body, away_from_solid(solid, open), need, open,
      [&](const Vec3& n) { return farthest(corners_, n); },
      [&](const Vec3& n) { return reach_of(s, n); });
}

std::uint32_t Sweep::narrow(std::size_t b, const SweepModel::StillLink& link, int solid,
                            std::uint32_t open) {
  const SweepModel::Body& body = model_->bodies()[b];
  const SweepPoints points = model_->points(link.outline);
  const double need = body.still_need[static_cast<std::size_t>(link.still)] + link.outline.radius;
  return narrow_still(
      body, away_from_solid(solid, open), need, open,
      [&](const Vec3& n) { return farthest_of(link.outline, n); },
      [&](const Vec3& n) { return reach_of(points, n); });
}

Sweep::Facing Sweep::facing(const SweepModel::Pair& pair) const {
  const auto bodies = model_->bodies();
  const SweepModel::Body &A = bodies[static_cast<std::size_t>(pair.a)],
                         &B = bodies[static_cast<std::size_t>(pair.b)];
  const auto [first, second] = A.num_levers > B.num_levers ? std::pair(&B, &A) : std::pair(&A, &B);
  Facing both{first, second, pair.shared >= 0, pair.pair, pair.need + A.error + B.error};
  both.needed +=
      bend(model_->levers(*second), std::max(0, pair.shared), &SweepModel::Lever::point_radius);
  if (!both.carried)
    both.needed += bend(model_->levers(*first), 0, &SweepModel::Lever::point_radius);
  return both;
}

Sweep::Facing Sweep::facing(const SweepModel::Body& body, const SweepModel::StillLink& link) const {
  const auto still = static_cast<std::size_t>(link.still);
  return {&link, &body, true, body.still_pairs[still],
          body.still_need[still] + body.error + model_->still_error() +
              bend(model_->levers(body), 0, &SweepModel::Lever::point_radius)};
}

std::uint32_t Sweep::narrow(const SweepModel::Pair& pair, std::uint32_t open) {
  const Facing both = facing(pair);
  const bool swapped = both.a != &model_->bodies()[static_cast<std::size_t>(pair.a)];
  const auto ball = [&](bool second) -> const Track& {
    return balls_[static_cast<std::size_t>(nearest_.balls[second != swapped ? 1 : 0])];
  };
  return narrow(both, ball(false), ball(true), open);
}

// A direction that may separate two outlines on the chords that are open, the same at all moments
// as the first body sees it if that one carries the other, else in the world. First the one between
// the two tracks, then those of the hulls at one moment. False: there is no further one.
bool Sweep::find_direction(const Facing& both, const SweepModel::Outline& of_a, const Track& from,
                           const SweepModel::Outline& of_b, const Track& to, std::uint32_t open,
                           int attempt, Vec3& n, DirectionLanes& along) {
  const int moment = middle_moment(open, attempt);
  const Pose X_WA = frame_at(*both.a, moment);
  if (attempt == 0) {
    n = inverse(X_WA).R * (position(to, moment) - position(from, moment));
    n = dot(n, n) > 0 ? normalized(n) : Vec3{1, 0, 0};
  } else {
    const double needed = both.needed + of_a.radius + of_b.radius;
    const Pose X_AB = relative_pose(X_WA, frame_at(*both.b, moment));
    const auto lowest = [&](const Vec3& m) {
      return X_AB * farthest_of(of_b, transpose_times(X_AB.R, -m)) - farthest_of(of_a, m);
    };
    n = separating_direction(lowest, n, enough(attempt, needed), needed);
    if (dot(n, n) == 0) return false;
  }
  const Vec3 fixed = both.carried ? n : X_WA.R * n;
  const float rounded[3] = {static_cast<float>(fixed.x), static_cast<float>(fixed.y),
                            static_cast<float>(fixed.z)};
  if (both.carried)
    sweep_kernel->carry(frame_of(*both.a), rounded, along);
  else
    for (int i = 0; i < 3; ++i) std::fill_n(along.v[i], kMoments, rounded[i]);
  return true;
}

void Sweep::find_reach(const SweepModel::Shape& shape, const SweepModel::Outline& outline,
                       const DirectionLanes& along, Reach& reach) const {
  sweep_kernel->reach(frame_of(shape), model_->points(outline), along, reach.v);
}

// Seen from a body that carries the other, only joints between them bend.
std::uint32_t Sweep::narrow(const Facing& both, const Track& from, const Track& to,
                            std::uint32_t open) {
  const SweepModel::Outline &of_a = both.a->outline, &of_b = both.b->outline;
  Vec3 n;
  for (int attempt = 0; attempt < kTries && open != 0; ++attempt) {
    DirectionLanes along;
    if (!find_direction(both, of_a, from, of_b, to, open, attempt, n, along)) break;
    Reach near, far;
    find_reach(*both.a, of_a, along, near);
    negate(along);
    find_reach(*both.b, of_b, along, far);
    open = still_open(open, far.v, near.v, both.needed + of_a.radius + of_b.radius);
  }
  return open;
}

// Which parts of the first body or the second come near the other body on these chords.
void Sweep::find_near_parts(const Facing& both, std::size_t side, float needed,
                            std::uint32_t chords) {
  const SweepModel::Shape &own = side == 0 ? *both.a : *both.b,
                          &other = side == 0 ? *both.b : *both.a;
  Track whole;
  sweep_kernel->tracks(frame_of(other), other.centre.data(), 1, &whole);
  std::vector<Track>& tracks = part_tracks_[side];
  tracks.resize(static_cast<std::size_t>(own.num_parts));
  sweep_kernel->tracks(frame_of(own), model_->part_middles(own), own.num_parts, tracks.data());
  part_reaches_[side].resize(tracks.size());
  near_parts_[side].clear();
  for (std::size_t i = 0; i < tracks.size(); ++i)
    if (sweep_kernel->pair(tracks[i], whole, needed + model_->parts(own)[i].radius + other.radius) &
        chords)
      near_parts_[side].push_back(i);
}

// Pairs of parts that balls around them leave open.
void Sweep::find_part_pairs(const Facing& both, float needed, std::uint32_t chords) {
  const auto of_a = model_->parts(*both.a), of_b = model_->parts(*both.b);
  part_pairs_.clear();
  for (const std::size_t i : near_parts_[0])
    for (const std::size_t j : near_parts_[1]) {
      const float radii = of_a[i].radius + of_b[j].radius;
      const std::uint32_t open =
          sweep_kernel->pair(part_tracks_[0][i], part_tracks_[1][j], needed + radii) & chords;
      if (open != 0) part_pairs_.push_back({i, j, open});
    }
}

// Tries a direction on all pairs of parts that are open, and keeps those that stay so. The one that
// overlaps most along it, at one moment, comes first.
void Sweep::narrow_parts(const Facing& both, DirectionLanes& along, int moment) {
  const auto of_a = model_->parts(*both.a), of_b = model_->parts(*both.b);
  for (const std::size_t i : near_parts_[0])
    find_reach(*both.a, of_a[i].outline, along, part_reaches_[0][i]);
  negate(along);
  for (const std::size_t j : near_parts_[1])
    find_reach(*both.b, of_b[j].outline, along, part_reaches_[1][j]);
  float worst = -INFINITY;
  std::size_t kept = 0, first = 0;
  for (const PartPair& pair : part_pairs_) {
    const float *near = part_reaches_[0][pair.a].v, *far = part_reaches_[1][pair.b].v;
    const float radii = of_a[pair.a].outline.radius + of_b[pair.b].outline.radius;
    const std::uint32_t open = still_open(pair.open, far, near, both.needed + radii);
    if (open == 0) continue;
    const float overlap = near[moment] + far[moment] + radii;
    if (overlap > worst) worst = overlap, first = kept;
    part_pairs_[kept] = pair;
    part_pairs_[kept++].open = open;
  }
  part_pairs_.resize(kept);
  if (kept > 0) std::swap(part_pairs_[0], part_pairs_[first]);
}

std::uint32_t Sweep::narrow_parts(const SweepModel::Pair& pair, std::uint32_t open) {
  double need = pair.need;
  for (const int index : {pair.a, pair.b}) {
    const SweepModel::Body& body = model_->bodies()[static_cast<std::size_t>(index)];
    need += body.error + bend(model_->levers(body), 0, &SweepModel::Lever::point_radius);
  }
  return narrow_parts(facing(pair), need, open);
}

// Parts of two surfaces against each other, whose balls must keep `need` in the world. A direction
// that is found for one pair of them is tried on all; one that stays open leaves the bodies to the
// search, and mostly collides.
std::uint32_t Sweep::narrow_parts(const Facing& both, double need, std::uint32_t open) {
  if (both.a->num_parts * both.b->num_parts == 1) return open;
  const auto needed = static_cast<float>(need * (1 + 0x1p-20));
  for (const std::size_t side : {0u, 1u}) find_near_parts(both, side, needed, open);
  find_part_pairs(both, needed, open);
  Vec3 n;
  for (bool begun = false; !part_pairs_.empty(); begun = true) {
    PartPair& worst = part_pairs_[0];
    if (begun && ++worst.tries == kTries) break;
    DirectionLanes along;
    if (!find_direction(both, model_->parts(*both.a)[worst.a].outline, part_tracks_[0][worst.a],
                        model_->parts(*both.b)[worst.b].outline, part_tracks_[1][worst.b],
                        worst.open, worst.tries, n, along)) {
      const int moment = middle_moment(worst.open, worst.tries);
      open = open_parts();
      if (may_meet(moment, open)) {
        // What a table has of them is as good.
        if (hint_.pair != both.pair) hint_ = {both.pair, part_.moment(moment), 0};
        pause();
      }
      return open;
    }
    narrow_parts(both, along, middle_moment(open, 0));
  }
  return open_parts();
}

std::uint32_t Sweep::open_parts() const {
  std::uint32_t open = 0;
  for (const PartPair& pair : part_pairs_) open |= pair.open;
  return open;
}

// Not at either end of a chord on which they are known to be apart.
bool Sweep::may_meet(int moment, std::uint32_t open) const {
  const bool before = moment == 0 ? !starts_free_ : (open >> (moment - 1) & 1) != 0;
  return before && (moment == kChords || (open >> moment & 1) != 0);
}

}  // namespace proven
