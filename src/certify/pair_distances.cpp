#include "pair_distances.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "proven/kinematics/bernstein.h"
#include "proven/kinematics/interpolation.h"

namespace proven {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Control points of a part of a piece err by less than this share of the largest, or of 1 (turns).
constexpr double kCutError = 0x1p-45;
// Pairs that are farther than the nearest of their class by more than this are not measured.
constexpr double kNearby = 0.03;
// Bounds of a measured distance err by less than the pair's rounding bound and this, of the
// configuration.
constexpr double kMeasuringError = 1e-9;

}  // namespace

void lower_to(const ClearanceBounds& other, ClearanceBounds& bounds) {
  const double at_least = std::min(bounds.at_least, other.at_least);
  if (other.at_most < bounds.at_most) bounds = other;
  bounds.at_least = at_least;
}

void lower_measured(ClearanceBounds measured, ClearanceBounds& bounds) {
  measured.at_least = kInfinity;
  lower_to(measured, bounds);
}

double MotionPart::t_of(double time, double s) const {
  if (motion.times.size() < 2 || begin != 0 || end != 1) return begin + (end - begin) * s;
  return std::clamp((time - motion.times[0]) / (motion.times[1] - motion.times[0]), 0.0, 1.0);
}

MotionPart part_of(const KinematicTree& tree, const Motion& motion, int segment, double begin,
                   double end) {
  MotionPart part;
  part.segment = segment;
  part.begin = begin;
  part.end = end;
  const MotionPiece piece = motion.piece(segment);
  std::vector<std::vector<double>> rows;
  double largest = 1;
  for (int k = 0; k <= piece.degree(); ++k) {
    rows.emplace_back(piece.control(k).begin(), piece.control(k).end());
    for (const double value : rows.back()) largest = std::max(largest, std::fabs(value));
  }
  if (begin > 0 || end < 1) {
    part.error = kCutError * largest;
    if (piece.straight()) {
      interpolate(tree, piece, begin, rows.front());
      interpolate(tree, piece, end, rows.back());
    } else {
      for (std::size_t c = 0; c < piece.from.size(); ++c) {
        Bernstein<double> p;
        p.degree = piece.degree();
        for (int k = 0; k <= p.degree; ++k) p.c[k] = piece.control(k)[c];
        p = p.part(begin, end);
        for (int k = 0; k <= p.degree; ++k) rows[static_cast<std::size_t>(k)][c] = p.c[k];
      }
    }
  }
  part.motion.waypoints = {rows.front(), rows.back()};
  if (rows.size() > 2) part.motion.inner = {{rows.begin() + 1, rows.end() - 1}};
  const auto i = static_cast<std::size_t>(segment);
  if (motion.waypoints.size() == 1) part.motion.waypoints.pop_back();
  if (motion.times.empty()) return part;
  for (std::size_t k = 0; k < part.motion.waypoints.size(); ++k) {
    const double duration = motion.times.size() > 1 ? motion.times[i + 1] - motion.times[i] : 0;
    const double s = k == 0 ? begin : end;
    part.motion.times.push_back(s == 1 && k == 1 ? motion.times[i + 1]
                                                 : motion.times[i] + s * duration);
  }
  return part;
}

PairDistances::PairDistances(const Scene& scene, const ModelData& model)
    : scene_(scene),
      model_(model),
      last_(scene.pairs().size(), 0),
      pieces_(last_.size(), {-1, -1}),
      pairs_(last_.size()),
      of_part_(last_.size()) {
  order_.resize(last_.size());
  std::iota(order_.begin(), order_.end(), 0);
}

void PairDistances::sample(const MotionPart& part, std::span<const double> q, double time, double s,
                           Nearest& nearest) {
  compute_poses(scene_.tree(), q, poses_);
  std::ranges::sort(order_, {}, [&](int i) { return last_[static_cast<std::size_t>(i)]; });
  for (const int index : order_) {
    const BodyPair& pair = scene_.pairs()[static_cast<std::size_t>(index)];
    const double limit = nearest[index_of(pair.kind)].at_most + kNearby;
    if (const double far = surely(index, limit, time); far > limit) {
      last_[static_cast<std::size_t>(index)] = far;
      continue;
    }
    take(part, index, time, s, nearest);
  }
}

double PairDistances::look(const MotionPart& part, int index, std::span<const double> q,
                           double time, double s, Nearest& nearest) {
  compute_poses(scene_.tree(), q, poses_);
  return take(part, index, time, s, nearest);
}

int PairDistances::find(const std::array<int, 2>& bodies) const {
  const auto pairs = scene_.pairs();
  const auto found = std::ranges::find_if(
      pairs, [&](const BodyPair& p) { return p.a == bodies[0] && p.b == bodies[1]; });
  return found == pairs.end() ? -1 : static_cast<int>(found - pairs.begin());
}

double PairDistances::growth(int index, double time) const {
  return model_.pair(index).growth * std::max(0.0, time);
}

Pose PairDistances::relative(const BodyPair& pair) const {
  return relative_pose(scene_.body_pose(pair.a, poses_), scene_.body_pose(pair.b, poses_));
}

// Less than their distance: by the spheres around the bodies, and if that is not beyond the limit,
// by their trees.
double PairDistances::surely(int index, double limit, double time) {
  const BodyPair& pair = scene_.pairs()[static_cast<std::size_t>(index)];
  const BoundingSphere &a = model_.body(pair.a).sphere, &b = model_.body(pair.b).sphere;
  const Vec3 p = scene_.body_pose(pair.a, poses_) * a.centre,
             q = scene_.body_pose(pair.b, poses_) * b.centre;
  const double grown = growth(index, time);
  const double far = norm(p - q) - a.radius - b.radius - grown;
  if (far > limit || !(limit < kInfinity)) return far;
  const double threshold = std::max(limit + grown, 0.0);
  const double greedy =
      greedy_distance(*scene_.body(pair.a).geometry, *scene_.body(pair.b).geometry, relative(pair),
                      threshold, scratch_);
  return greedy > threshold ? greedy - grown : far;
}

double PairDistances::take(const MotionPart& part, int index, double time, double s,
                           Nearest& nearest) {
  const BodyPair& pair = scene_.pairs()[static_cast<std::size_t>(index)];
  const Pose X_WA = scene_.body_pose(pair.a, poses_);
  const ExactDistance found =
      exact_distance(*scene_.body(pair.a).geometry, *scene_.body(pair.b).geometry, relative(pair),
                     pieces_[static_cast<std::size_t>(index)], scratch_);
  pieces_[static_cast<std::size_t>(index)] = found.pieces;
  ClearanceBounds bounds;
  bounds.at_most = found.distance + (found.distance - found.distance_lower) +
                   model_.pair(index).rounding_bound + kMeasuringError - growth(index, time);
  bounds.bodies = {pair.a, pair.b};
  bounds.segment = part.segment;
  bounds.t = part.t_of(time, s);
  bounds.time = part.motion.times.empty() ? 0 : time;
  bounds.points = {X_WA * found.points[0], X_WA * found.points[1]};
  last_[static_cast<std::size_t>(index)] = bounds.at_most;
  lower_to(bounds, nearest[index_of(pair.kind)]);
  lower_to(bounds, pairs_[static_cast<std::size_t>(index)]);
  lower_to(bounds, of_part_[static_cast<std::size_t>(index)]);
  return bounds.at_most;
}

}  // namespace proven
