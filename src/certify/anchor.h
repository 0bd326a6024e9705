// A configuration in the middle of an interval, with how everything moves there: the place where
// the directional rule is applied (docs/algorithms/directional.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "joint_rates.h"
#include "model_data.h"
#include "proven/kinematics/poses.h"

namespace proven {

// How the points of one body move in the frame of an ancestor link, seen at the anchor in world
// coordinates, and bounds that hold on both sides of it up to the reach h.
struct BodyMotion {
  Vec3 angular, linear;       // v(x) = angular × x + linear
  double speed_upper = 0;     // λ: of every point
  double turning_upper = 0;   // sum of the rates of the turning joints
  double acceleration = 0;    // |x'' - a(x)| of every point, whatever the direction
  double velocity_error = 0;  // of v(x), by rounding

  // On curves, what the joints' own second derivatives at the anchor do; zero on straight segments
  // (docs/algorithms/motions.md).
  Vec3 angular_change, linear_change;  // a(x) = angular_change × x + linear_change
  double curvature = 0;                // |a(x)| of every point
  double change_error = 0;             // of a(x), by rounding

  // The bound on n·(x'' - a(x)): A_n <= sqrt(weight · (nᵀ spread n + spread_error)) + drift, never
  // more than `acceleration`.
  double weight = 0;
  double spread[6] = {0, 0, 0, 0, 0, 0};  // xx, yy, zz, xy, xz, yz
  double spread_error = 0;                // of nᵀ spread n for unit n, by rounding
  double drift = 0;

  // The same, joint by joint: tighter.
  struct Term {
    double factor;      // |Δ| R
    Vec3 turning;       // ω_{l-1} + ω_l
    double drift;       // h (W_{l-1} + W_l)
    double turn_upper;  // Ω_{l-1} + Ω_l
  };
  std::vector<Term> terms;
  double bend = 0;           // of second derivatives that change themselves
  double turning_error = 0;  // of the sum over the terms, by rounding

  double acceleration_along(const Vec3& unit) const;
};

// Where a joint's axis is, and its motion, in world coordinates.
struct JointMotion {
  Vec3 point, axis;  // axis: unit, zero for joints that do not move
  Vec3 turn, slide;  // rate times axis, one of them zero
};

class Anchor {
 public:
  // `reach` is half the width of the interval around t. `straight` holds the rates of a straight
  // segment and must stay; curves have their own at each anchor.
  void compute(const ModelData& model, const SegmentMotion& motion,
               const std::vector<JointRate>& straight, double t, double reach);

  double t() const { return t_; }
  double reach() const { return reach_; }
  // By the clock, in seconds: the anchor's time, and what one unit of t takes.
  double clock() const { return clock_; }
  double duration() const { return duration_; }
  // Poses are computed when first asked for, with those of the links above.
  const Pose& X_WB(int body) { return placed(body).X_WB; }
  // Centre of the body's sphere in the world.
  const Vec3& centre(int body) { return placed(body).centre; }
  // Motion in the world; computed when first asked for.
  const BodyMotion& motion(int body);
  // Motion relative to a link above the body.
  void compute_motion(int body, int ancestor, BodyMotion& result);
  // BodyMotion::speed_upper alone, which costs little.
  double speed_upper(int body, int ancestor);

 private:
  const ModelData* model_ = nullptr;
  const std::vector<JointRate>* rates_ = nullptr;
  std::vector<JointRate> curve_rates_;
  double t_ = 0, reach_ = 0, clock_ = 0, duration_ = 0;
  std::vector<double> configuration_;
  bool curved_ = false;

  // What was computed since compute() bears its stamp.
  using Stamp = std::uint64_t;
  Stamp stamp_ = 0;
  // Sums over all joints above a link, by kind.
  struct Path {
    double turn = 0, slide = 0;
  };
  struct PlacedLink {
    Stamp stamp = 0;
    Pose X_WL;
    JointMotion joint;
    Twist twist;  // in the world
    Path rates;
  };
  // The same of the second derivatives.
  struct LinkChange {
    Twist twist;
    Path rates;
  };
  struct PlacedBody {
    Stamp stamp = 0;
    Pose X_WB;
    Vec3 centre;
  };
  const PlacedLink& placed_link(int link);
  void place_link(std::size_t link);
  const PlacedBody& placed(int body) {
    PlacedBody& result = bodies_[static_cast<std::size_t>(body)];
    if (result.stamp != stamp_) place_body(body, result);
    return result;
  }
  void place_body(int body, PlacedBody& result);
  std::vector<PlacedLink> links_;
  std::vector<LinkChange> changes_;  // per link; empty if straight
  std::vector<PlacedBody> bodies_;
  std::vector<int> pending_;  // links that wait for the one above
  struct Motion {
    Stamp stamp = 0;
    BodyMotion motion;
  };
  std::vector<Motion> motions_;
  // The moving joints above a body, from the body up: how far its points can be from each axis
  // within the reach. That does not depend on the ancestor from which motion counts.
  struct ChainJoint {
    int link, depth;
    bool turns;
    double radius;
    double speed_upper;  // Σ R |Δ| of this joint and those further down
  };
  struct Chain {
    Stamp stamp = 0;
    std::vector<ChainJoint> joints;
  };
  // The part of the chain below the ancestor.
  std::span<const ChainJoint> chain(int body, int ancestor);
  void compute_chain(int body, std::vector<ChainJoint>& joints);
  std::vector<Chain> chains_;  // per body, computed when first asked for
};

}  // namespace proven
