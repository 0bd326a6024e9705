// The directional rule on pairs of boxes and pieces at an anchor (docs/algorithms/directional.md).
//
// Nodes A and B stay farther apart than c along n on the side s in [0, h] if
//     G(0) > c  and  G(h) - ½ A_n h² > c,   or   G(0) - c > λ h,
// G(s) the support gap of the points x + s v(x); on curves of x + s v(x) + ½ s² a(x), with a loss
// of max(0, b - A_n) h²/8 in the first form (docs/algorithms/motions.md). All boxes of two bodies
// share the same sixteen directions: the axes of both frames, their cross products and the
// direction between the centres; all sixteen are tested at once.
#pragma once

#include <array>
#include <optional>

#include "anchor.h"
#include "proven/base/rounding.h"
#include "proven/geometry/pieces.h"
#include "separation_kernel.h"

namespace proven {

// What two nodes are proved to be on the two sides of the anchor, in metres beyond what is needed:
// positive is a proof.
struct Slack {
  double gap = 0;     // at the anchor: support gap less clearance and margins
  double before = 0;  // on the side before the anchor
  double after = 0;
  Vec3 n_gap, n_before, n_after;  // directions of these, unit, in the world
};

// One of the two bodies (or the still bodies) of a frame at an anchor.
struct Side {
  Pose X_WB;
  const BoxTree* tree = nullptr;
  const BodyGeometry* geometry = nullptr;  // null: still bodies, whose boxes are in the world
  const BodyMotion* motion = nullptr;
  Vec3 centre;  // the root's, in the world
  double radius = 0;
};

// A sphere around a body, at an anchor.
struct MovingSphere {
  Vec3 centre;
  double radius = 0;
  double speed_upper = 0;  // of every point of the body
};

// The Lipschitz form on spheres: slack along the line of centres. `rounding_bound` is the pair's.
Slack separate_spheres(const MovingSphere& a, const MovingSphere& b, double clearance,
                       double rounding_bound, double reach, double growth = 0);

class Separation {
 public:
  static constexpr int kDirections = kLanes;

  // Takes two bodies at an anchor; that is enough for along().
  // `growth` is that of the clearance, per unit of t.
  void begin(const Side& a, const Side& b, double clearance, double rounding_bound, double reach,
             double growth = 0);
  // Prepares all directions, for boxes().
  void begin_boxes();

  // Tests all directions on two boxes. If the gap is not positive, the sides are not evaluated.
  Slack boxes(const BoxNode& a, const BoxNode& b) const;
  // Tests one direction on two nodes; a node that is a leaf of its body's tree is its piece itself.
  // What is no direction (zero, not finite) proves nothing.
  Slack along(const Vec3& unit, const BoxNode& a, const BoxNode& b) const;

  // How fast the pair can approach.
  double closing_speed() const { return a_.motion->speed_upper + b_.motion->speed_upper + growth_; }
  double clearance() const { return clearance_; }
  // What rounding demands beyond the clearance: at the anchor, and at the ends of the sides.
  double margin() const { return margin_; }
  double side_margin() const { return need_side_ - clearance_; }
  const Side& a() const { return a_; }
  const Side& b() const { return b_; }

 private:
  Vec3 direction(int k) const { return {n_[0].v[k], n_[1].v[k], n_[2].v[k]}; }
  // The supports at s: the anchor is at 0, the sides end at -reach and reach.
  void prepare_supports(double s, Supports& out) const;
  void prepare_sides() const;
  void prepare_accelerations() const;
  // What curvature costs, if `acceleration` bounds that of both bodies.
  double bulge(double acceleration) const {
    return curvature_ > acceleration
               ? (curvature_ - acceleration) * reach_ * reach_ * 0.125 * kProductUp
               : 0;
  }
  void sides(const BoxNode& a, const BoxNode& b, const double* sign, const double* here,
             Slack& slack) const;

  Side a_, b_;
  double clearance_ = 0, reach_ = 0, growth_ = 0;
  double need_ = 0;       // clearance and margin at the anchor
  double need_side_ = 0;  // the same at the ends, without the acceleration
  double margin_ = 0;
  double curvature_ = 0;  // b; zero on straight segments
  Lanes n_[3];            // unit directions in the world
  Supports anchor_;
  // Prepared when first needed: the ends of the sides, with a bound on the acceleration that holds
  // for any direction, then with one for each.
  enum class Stage { anchor, any_direction, each_direction };
  mutable Stage stage_ = Stage::anchor;
  mutable Supports ends_[2];  // before and after the anchor
  mutable Lanes need_sides_;  // need_side_ and ½ A h², per direction
  mutable Lanes bulge_;       // on curves
};

}  // namespace proven
