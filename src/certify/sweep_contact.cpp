// Where neither balls nor outlines separate: balls that lie inside the bodies, at few moments
// (docs/algorithms/sweep.md).
#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "proven/base/elementary.h"
#include "sweep.h"

namespace proven {
namespace {

// What is required, rounded down: it was rounded up to a float.
constexpr double kNeedDown = 1 - 0x1p-20;

// Candidates that are looked at, and what they may lack.
constexpr std::size_t kLooks = 4;
constexpr float kNear = 0.02f;

void write_frame(const Pose& X, float* out) {
  for (int i = 0; i < 9; ++i) out[i] = static_cast<float>(X.R(i / 3, i % 3));
  for (int i = 0; i < 3; ++i) out[9 + i] = static_cast<float>(X.p[i]);
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

// Which balls, in a frame with the pose X as the box sees it, come near the box.
void Sweep::pick_near(const InnerLanes& from, const Pose& X, const Aabb& box, double around,
                      std::vector<int>& picked) const {
  float frame[12], bounds[6];
  write_frame(X, frame);
  for (int i = 0; i < 3; ++i) {
    bounds[i] = static_cast<float>(box.lo[i]);
    bounds[3 + i] = static_cast<float>(box.hi[i]);
  }
  picked.clear();
  for (int first = 0; first < from.count; first += kMoments) {
    const float* lanes[4];
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = from.lanes[i].data() + first;
    std::uint32_t near = sweep_kernel->in_box(frame, lanes, bounds, static_cast<float>(around));
    for (; near != 0; near &= near - 1) picked.push_back(first + std::countr_zero(near));
  }
}

// What is left out is far from the other body; what overlaps is tested again in double.
bool Sweep::look_inside(const InnerPair& both) {
  const Pose X_AB = relative_pose(both.X_WA, both.X_WB);
  const double limit = both.need * kNeedDown - both.error;
  pick_near(both.a, inverse(X_AB), both.b.around, limit, picked_[0]);
  if (picked_[0].empty()) return false;
  pick_near(both.b, X_AB, both.a.around, limit, picked_[1]);
  const std::size_t padded = (picked_[0].size() + kMoments - 1) / kMoments * kMoments;
  const float* rows[4];
  for (std::size_t i = 0; i < 4; ++i) {
    chosen_[i].assign(padded, i < 3 ? 0 : -INFINITY);
    for (std::size_t k = 0; k < picked_[0].size(); ++k)
      chosen_[i][k] = both.a.lanes[i][static_cast<std::size_t>(picked_[0][k])];
    rows[i] = chosen_[i].data();
  }
  for (const int j : picked_[1]) {
    const Vec3 p = X_AB * both.b.centre(j);
    const float point[3] = {static_cast<float>(p.x), static_cast<float>(p.y),
                            static_cast<float>(p.z)};
    int i = 0;
    const float distance = sweep_kernel->ball(rows, static_cast<int>(padded), point, i);
    if (static_cast<double>(distance) - both.b.radius(j) < limit &&
        overlap(both, both.a.ball(picked_[0][static_cast<std::size_t>(i)]), both.b.ball(j))) {
      met_inside_ = {picked_[0][static_cast<std::size_t>(i)], j};
      return true;
    }
  }
  return false;
}

void Sweep::look_inside(const SweepModel::Pair& pair, int moment) {
  if (std::isfinite(pair.need) && look_inside(inner_pair(pair, moment)))
    remember({.of = static_cast<std::size_t>(&pair - model_->pairs().data()),
              .ball = met_inside_[0],
              .other = met_inside_[1],
              .inside = true});
}

void Sweep::meet_inside(const Met& met) {
  if (met.of >= model_->pairs().size()) return;
  const SweepModel::Pair& pair = model_->pairs()[met.of];
  const SweepModel::Body &A = model_->bodies()[static_cast<std::size_t>(pair.a)],
                         &B = model_->bodies()[static_cast<std::size_t>(pair.b)];
  if (met.ball >= A.inside->count || met.other >= B.inside->count || !std::isfinite(pair.need))
    return;
  const InnerBall a = A.inside->ball(met.ball), b = B.inside->ball(met.other);
  Track from, to;
  for (const auto& [body, ball, track] : {std::tuple(&A, &a, &from), std::tuple(&B, &b, &to)}) {
    const float centre[3] = {static_cast<float>(ball->centre.x), static_cast<float>(ball->centre.y),
                             static_cast<float>(ball->centre.z)};
    sweep_kernel->tracks(frame_of(*body), centre, 1, track);
  }
  int moment = 0;
  const float square = sweep_kernel->nearest(from, to, moment);
  // What is near is tested again in double.
  const double limit = a.radius + b.radius + static_cast<double>(pair.need);
  if (square < limit * limit) overlap(inner_pair(pair, moment), a, b);
}

void Sweep::look_inside(const NearSolid& near, int moment) {
  const SweepModel::Body& body = model_->bodies()[near.body];
  const SweepSolid& solid = model_->solids()[static_cast<std::size_t>(near.solid)];
  const auto still = static_cast<std::size_t>(model_->solid_body(near.solid));
  const float need = body.still_need[still];
  if (!std::isfinite(need)) return;
  if (near.link >= 0) {
    look_inside(inner_pair(body, body.still_links[static_cast<std::size_t>(near.link)], moment));
    return;
  }
  if (!solid.whole || body.inside->count == 0) return;
  const InnerLanes& inside = *body.inside;
  const Pose X_WF = frame_at(body, moment);
  float frame[12];
  write_frame(X_WF, frame);
  const float* rows[4];
  for (std::size_t i = 0; i < 4; ++i) rows[i] = inside.lanes[i].data();
  int deepest = 0;
  const double most =
      sweep_kernel->inside(frame, rows, static_cast<int>(inside.lanes[0].size()), solid, deepest) +
      body.error;
  if (most < need * kNeedDown)
    contact_ = {body.still_pairs[still], part_.moment(moment), most, X_WF * inside.centre(deepest)};
}

void Sweep::note(const std::array<int, 2>& balls, float gap, int moment) {
  if (gap < nearest_.gap || nearest_.balls[0] < 0) nearest_ = {balls, gap, moment};
}

// Where balls of the covers come nearest, the finer fillings tell most of the other contacts, for
// less than outlines fail.
void Sweep::look_deeper() {
  candidates_.clear();
  for (std::size_t i = 0; i < near_solids_.size(); ++i)
    if (near_solids_[i].nearest.gap < kNear)
      candidates_.push_back({near_solids_[i].nearest.gap, static_cast<int>(i), -1});
  for (std::size_t i = 0; i < near_pairs_.size(); ++i) {
    // What a table of the pair itself names is deeper than this filling.
    const auto& table = model_->pairs()[near_pairs_[i].pair].table;
    if (near_pairs_[i].nearest.gap < kNear && !(table && !table->spun))
      candidates_.push_back({near_pairs_[i].nearest.gap, -1, static_cast<int>(i)});
  }
  // Not stable, which would allocate: of the same gap the order is that of the lists.
  std::ranges::sort(candidates_, {}, [](const Candidate& c) {
    return std::tuple(c.gap, c.solid < 0, c.solid, c.pair);
  });
  for (std::size_t i = 0; i < std::min(kLooks, candidates_.size()) && !contact_; ++i) {
    const Candidate& c = candidates_[i];
    if (c.solid >= 0) {
      const NearSolid& near = near_solids_[static_cast<std::size_t>(c.solid)];
      look_inside(near, near.nearest.moment);
    } else {
      const NearPair& near = near_pairs_[static_cast<std::size_t>(c.pair)];
      look_inside(model_->pairs()[near.pair], near.nearest.moment);
    }
  }
}

}  // namespace proven
