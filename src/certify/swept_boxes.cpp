#include "swept_boxes.h"

#include <algorithm>
#include <cmath>

#include "joint_rates.h"
#include "margins.h"
#include "proven/geometry/body_geometry.h"

namespace proven {
namespace {

// How far points of the body can be from the chords between neighbouring moments:
// |x''| <= Σ_k R_k (D_k (2 Ω_{k-1} + [k turns] D_k) + E_k), with Ω_{k-1} the rates of all joints
// above k that turn (docs/algorithms/sweep.md).
double bend(const KinematicTree& tree, const MotionFactors& factors,
            std::span<const JointRate> rates) {
  double sum = 0, turning = 0;
  for (auto factor = factors.factors.rbegin(); factor != factors.factors.rend(); ++factor) {
    const JointRate& rate = rates[static_cast<std::size_t>(factor->link)];
    const bool turns = tree.link(factor->link).joint.kind != JointKind::prismatic;
    const double own = turns ? rate.upper : 0;
    sum += factor->radius *
           (rate.upper * (2 * turning + own) + std::fabs(rate.curvature) + rate.change_upper);
    turning += own;
  }
  return sum * kSumUp / (8.0 * kChords * kChords);
}

}  // namespace

SweptBoxes::SweptBoxes(const Scene& scene, int index, const BodyModel& prepared,
                       std::span<const SegmentMotion> segments) {
  const KinematicTree& tree = scene.tree();
  const Body& body = scene.body(index);
  // Positions err by ρ; posing a box and the sums below by much less than kBoxRounding of its size.
  const auto box_at = [&](const Pose& X_WB, double slack) {
    const double size = max_abs(X_WB.p) + 3 * body.geometry->max_coordinate();
    return widened(box_of(body.geometry->box_tree().bounds, X_WB),
                   (slack + prepared.rounding_bound + 2 * kBoxRounding * size) * kSumUp);
  };
  if (tree.rigid_root(body.link) == 0) {
    whole_ = box_at(body.link == 0 ? body.X_LB : scene.body_pose(index, scene.home()), 0);
    return;
  }
  std::vector<JointRate> rates;
  std::vector<double> q(scene.home().size());
  LinkPoses poses;
  for (const SegmentMotion& motion : segments) {
    joint_rates(tree, motion, 0.5, 0, 1, rates);
    const double slack = bend(tree, prepared.factors, rates);
    Aabb last;
    for (int k = 0; k < kMoments; ++k) {
      motion.configuration(tree, static_cast<double>(k) / kChords, q);
      compute_poses(tree, q, poses);
      const Aabb box = box_at(scene.body_pose(index, poses), slack);
      if (k > 0) {
        extend(last, box);
        chords_.push_back(last);
        if (k == 1)
          segments_.push_back(last);
        else
          extend(segments_.back(), last);
      }
      last = box;
    }
    if (segments_.size() == 1)
      whole_ = segments_.back();
    else
      extend(whole_, segments_.back());
  }
}

bool boxes_apart(const Aabb& a, const Aabb& b, double clearance) {
  // The boxes have room for the rounding of a difference, but not for that of the comparison.
  const double need = std::max(clearance, 0.0) * kSumUp;
  for (int i = 0; i < 3; ++i)
    if (b.lo[i] - a.hi[i] > need || a.lo[i] - b.hi[i] > need) return true;
  return false;
}

std::uint32_t near_chords(const SweptBoxes& a, const SweptBoxes& b, int segment, double clearance) {
  if (boxes_apart(a.segment(segment), b.segment(segment), clearance)) return 0;
  std::uint32_t chords = 0;
  for (int k = 0; k < kChords; ++k)
    if (!boxes_apart(a.chord(segment, k), b.chord(segment, k), clearance)) chords |= 1u << k;
  return chords;
}

}  // namespace proven
