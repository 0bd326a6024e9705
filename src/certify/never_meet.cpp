#include "proven/certify/never_meet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "margins.h"
#include "proven/geometry/distance.h"
#include "proven/geometry/separating_direction.h"
#include "proven/geometry/solid.h"
#include "proven/kinematics/motion_bounds.h"

namespace proven {
namespace {

constexpr double kHalfTurn = 3.1416;      // more than π
constexpr double kSmallestMotion = 1e-9;  // metres: boxes that move less are not split

// A joint between one of the bodies and their common ancestor.
struct ChainJoint {
  int link;
  int dimension;      // of the box
  double multiplier;  // |mimic factor|
  double radius;      // for all configurations
  bool turns;
};

// One of the two bodies, and how it hangs on the ancestor.
struct Side {
  const BodyGeometry* geometry;
  Pose X_LB;
  std::vector<int> links;          // from below the ancestor down to the body's own
  std::vector<ChainJoint> joints;  // that move, from the body up
  double rounding_bound, direction_bound;
  // At the centre of a box:
  Pose X_CB;
  std::vector<Pose> X_CL;     // of `links`
  std::vector<Vec3> outline;  // points, in the ancestor's frame
  // Of `joints`, from the body up: how far each turns or slides within the box, where its axis is,
  // and how far from it the body's points are at most.
  struct Moving {
    double extent, radius;
    Vec3 point, axis;
    double change;  // how fast the turning of this joint's axis changes, at most
  };
  std::vector<Moving> moving;
};

class BoxSearch {
 public:
  BoxSearch(const Scene& scene, const BodyPair& pair)
      : tree_(scene.tree()),
        ancestor_(tree_.lowest_common_ancestor(scene.body(pair.a).link, scene.body(pair.b).link)),
        q_(scene.home().begin(), scene.home().end()) {
    collect_coordinates(scene.body(pair.a).link);
    collect_coordinates(scene.body(pair.b).link);
    if (!unbounded_.empty()) return;
    find_ranges();
    if (!unbounded_.empty()) return;
    sides_[0] = make_side(scene.body(pair.a));
    sides_[1] = make_side(scene.body(pair.b));
    clearance_ = std::max(
        {pair.clearance, sides_[0].geometry->weld_error(), sides_[1].geometry->weld_error(), 0.0});
    rounding_bound_ = kRelativePose * (sides_[0].rounding_bound + sides_[1].rounding_bound);
  }

  PairFinding run(std::int64_t max_boxes, const Budget& budget) {
    PairFinding found;
    if (!unbounded_.empty()) {
      found.fate = PairFate::unbounded;
      found.joint = unbounded_;
      return found;
    }
    open_.assign(1, {});
    for (const Interval& range : ranges_) open_[0].push_back(range);
    while (!open_.empty()) {
      if (found.boxes >= max_boxes || (found.boxes % 64 == 0 && budget.stopped())) return found;
      ++found.boxes;
      box_ = std::move(open_.back());
      open_.pop_back();
      place();
      const double motion = bound_motion();
      const Pose X_AB = relative_pose(sides_[0].X_CB, sides_[1].X_CB);
      if (stays_apart_along_line()) {
        outside_ = true;  // a plane is between them
        continue;
      }
      if (stays_apart(motion, X_AB)) {
        // Surfaces that never touch leave inside what is inside: one look tells for the whole box.
        if (!outside_ && find_containment(*sides_[0].geometry, *sides_[1].geometry, X_AB).inside)
          return meets(found);
        outside_ = true;
        continue;
      }
      if (bodies_overlap(*sides_[0].geometry, *sides_[1].geometry, X_AB, scratch_))
        return meets(found);
      if (!(motion > kSmallestMotion)) return found;
      split();
    }
    found.fate = PairFate::never;
    return found;
  }

 private:
  // The coordinates that move the link against the ancestor; a ball joint has none that a box
  // holds.
  void collect_coordinates(int link) {
    for (; link != ancestor_; link = tree_.link(link).parent) {
      const Joint& joint = tree_.link(link).joint;
      if (joint.kind == JointKind::fixed || joint.multiplier == 0) continue;
      if (joint.kind == JointKind::ball) unbounded_ = tree_.link(link).name;
      if (std::find(dimensions_.begin(), dimensions_.end(), joint.coordinate) == dimensions_.end())
        dimensions_.push_back(joint.coordinate);
      // After a turn of its coordinate the joint is where it was.
      const bool periodic =
          joint.kind == JointKind::revolute && std::rint(joint.multiplier) == joint.multiplier;
      if (!periodic) not_periodic_.push_back(joint.coordinate);
    }
  }

  void find_ranges() {
    all_ranges_ = coordinate_ranges(tree_, {});
    for (const int c : dimensions_) {
      const Coordinate& coordinate = tree_.coordinates()[static_cast<std::size_t>(c)];
      Interval range{coordinate.lower - kBeyondLimits, coordinate.upper + kBeyondLimits};
      if (!std::isfinite(range.lower) || !std::isfinite(range.upper)) {
        const bool periodic =
            coordinate.rotary && coordinate.continuous &&
            std::find(not_periodic_.begin(), not_periodic_.end(), c) == not_periodic_.end();
        if (!periodic) unbounded_ = coordinate.name;
        range = {-kHalfTurn, kHalfTurn};
      }
      ranges_.push_back(range);
      all_ranges_[static_cast<std::size_t>(c)] = range;
    }
  }

  Side make_side(const Body& body) {
    Side side{body.geometry.get(), body.X_LB, {}, {}, 0, 0, {}, {}, {}, {}};
    for (int link = body.link; link != ancestor_; link = tree_.link(link).parent)
      side.links.push_back(link);
    std::reverse(side.links.begin(), side.links.end());
    side.X_CL.resize(side.links.size());
    const MotionFactors factors =
        compute_motion_factors(tree_, body.link, body.X_LB, *body.geometry, all_ranges_);
    side.rounding_bound = factors.rounding_bound;
    side.direction_bound = factors.direction_bound;
    side.outline.resize(body.geometry->outline().points.size());
    for (const MotionFactor& factor : factors.factors) {
      if (tree_.link(factor.link).depth <= tree_.link(ancestor_).depth) break;
      const Joint& joint = tree_.link(factor.link).joint;
      const auto dimension =
          std::find(dimensions_.begin(), dimensions_.end(), joint.coordinate) - dimensions_.begin();
      side.joints.push_back({factor.link, static_cast<int>(dimension), std::fabs(joint.multiplier),
                             factor.radius, joint.kind != JointKind::prismatic});
    }
    return side;
  }

  // Both bodies in the ancestor's frame, at the centre of the box.
  void place() {
    half_.resize(box_.size());
    for (std::size_t k = 0; k < box_.size(); ++k) {
      const auto [lower, upper] = box_[k];
      const double centre = 0.5 * lower + 0.5 * upper;
      q_[static_cast<std::size_t>(dimensions_[k])] = centre;
      half_[k] = std::fmax(upper - centre, centre - lower) * kProductUp;
    }
    for (Side& side : sides_) {
      Pose X_CL;
      for (std::size_t i = 0; i < side.links.size(); ++i)
        side.X_CL[i] = X_CL = X_CL * pose_in_parent(tree_.link(side.links[i]).joint, q_);
      side.X_CB = X_CL * side.X_LB;
    }
  }

  // How far any two points of the bodies move against each other within the box, at most; what
  // each dimension has in it stands in shares_.
  double bound_motion() {
    shares_.assign(box_.size(), 0);
    double sum = 0;
    for (Side& side : sides_) {
      const BoundingSphere& sphere = side.geometry->bounding_sphere();
      const Vec3 centre = side.X_CB * sphere.centre;
      side.moving.clear();
      std::size_t at = side.links.size();
      double below = 0;  // Σ R Δ of the joints further down
      for (const ChainJoint& joint : side.joints) {
        while (side.links[at - 1] != joint.link) --at;
        const Pose& X_CL = side.X_CL[at - 1];
        const double extent =
            joint.multiplier * half_[static_cast<std::size_t>(joint.dimension)] * kProductUp;
        const Vec3 axis = X_CL.R * tree_.link(joint.link).joint.axis;
        double radius = 1;
        if (joint.turns) {
          const double local =
              (norm(cross(centre - X_CL.p, axis)) + sphere.radius) * (1 + kRadiusSlack) +
              2 * side.rounding_bound + below;
          radius = std::fmin(local * kSumUp, joint.radius);
        }
        side.moving.push_back({extent, radius, X_CL.p, axis, 0});
        shares_[static_cast<std::size_t>(joint.dimension)] += radius * extent;
        below = (below + radius * extent) * kProductUp;
      }
      sum += below;
      bound_axes(side);
    }
    return sum * kSumUp;
  }

  // What the joints above turn each axis by. Axes that are parallel at the centre, and stay so, are
  // turned by nothing: of two axes of a chain, only joints between them change their angle.
  void bound_axes(Side& side) {
    const std::size_t count = side.joints.size();
    for (std::size_t k = 0; k < count; ++k) {
      if (!side.joints[k].turns) continue;
      double between = 0;  // Σ Δ sine of the joints from k up to j
      for (std::size_t j = k + 1; j < count; ++j) {
        if (!side.joints[j].turns) continue;
        const double here = norm(cross(side.moving[j].axis, side.moving[k].axis));
        const double sine = std::fmin(1, (here + between) * kSumUp + 4 * side.direction_bound);
        between += side.moving[j].extent * sine;
      }
      side.moving[k].change = side.moving[k].extent * between * kSumUp;
    }
  }

  // The first rule: the distance at the centre exceeds what both can move.
  bool stays_apart(double motion, const Pose& X_AB) {
    const double threshold = (clearance_ + motion + rounding_bound_) * kSumUp;
    return greedy_distance(*sides_[0].geometry, *sides_[1].geometry, X_AB, threshold, scratch_) >
           threshold;
  }

  // The second: along one direction, what the velocities of all points say, and a bound on their
  // change. It needs a plane between the outlines.
  bool stays_apart_along_line() {
    for (Side& side : sides_) {
      const Outline& outline = side.geometry->outline();
      for (std::size_t i = 0; i < outline.points.size(); ++i)
        side.outline[i] = side.X_CB * outline.points[i];
    }
    if (separates(last_)) return true;
    for (const Side& side : sides_)
      for (const Side::Moving& joint : side.moving)
        for (const double sign : {1.0, -1.0})
          if (separates(sign * joint.axis)) return true;
    const Vec3 guess = sides_[1].X_CB.p - sides_[0].X_CB.p;
    return separates(separating_direction(sides_[0].outline, sides_[1].outline, guess));
  }

  bool separates(const Vec3& n) {
    if (!(squared_norm(n) > 0.5)) return false;
    const double reach = reach_along(sides_[0], n) + reach_along(sides_[1], -n);
    // Directions are units but for rounding, and sums err relative to the lengths in them.
    const double rounding =
        4 * rounding_bound_ + 0x1p-40 * (max_length(sides_[0]) + max_length(sides_[1]));
    if (!(-reach > (clearance_ + rounding) * kSumUp)) return false;
    last_ = n;
    return true;
  }

  static double max_length(const Side& side) {
    double length = side.geometry->outline().radius;
    for (const Vec3& x : side.outline) length = std::fmax(length, max_abs(x));
    return 2 * length;
  }

  // How far along n any point of the body comes, at most, at any configuration in the box.
  double reach_along(const Side& side, const Vec3& n) {
    turns_.clear();
    double slides = 0, turning = 0, weight = 0, bend = 0;
    double above = 0, above_change = 0, above_along = 0;  // Ω, W and Σ Δ |n × a| of joints above
    for (std::size_t i = side.joints.size(); i-- > 0;) {  // from the ancestor down
      const Side::Moving& m = side.moving[i];
      const double omega_before = above, change_before = above_change, along_before = above_along;
      if (side.joints[i].turns) {
        const Vec3 w = m.extent * cross(n, m.axis);
        turns_.push_back({w, dot(w, m.point)});
        weight += norm(w);
        turning += m.extent;
        above_change += m.change;
        above_along += norm(w);
        above += m.extent;
      } else {
        slides += m.extent * (std::fabs(dot(n, m.axis)) + kSlideRounding * side.direction_bound);
      }
      const double local = along_before + above_along + change_before + above_change +
                           kTurningRounding * side.direction_bound * (omega_before + above);
      bend += m.extent * m.radius * std::fmin(local, omega_before + above);
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (const Vec3& x : side.outline) {
      double value = dot(n, x);
      for (const Turn& turn : turns_) value += std::fabs(dot(turn.w, x) - turn.offset);
      largest = std::fmax(largest, value);
    }
    return largest + (side.geometry->outline().radius * (1 + weight) + slides + 0.5 * bend +
                      kVelocityRounding * side.rounding_bound * turning) *
                         kSumUp;
  }

  // In halves along the dimension that moves the bodies most.
  void split() {
    const auto k = static_cast<std::size_t>(std::max_element(shares_.begin(), shares_.end()) -
                                            shares_.begin());
    const double middle = 0.5 * box_[k].lower + 0.5 * box_[k].upper;
    open_.push_back(box_);
    open_.back()[k].lower = middle;
    open_.push_back(std::move(box_));
    open_.back()[k].upper = middle;
  }

  PairFinding meets(PairFinding& found) const {
    found.fate = PairFate::meets;
    found.configuration = q_;
    return std::move(found);
  }

  using Box = std::vector<Interval>;
  // Of a joint that turns, within the box: what a point x moves along n is at most |w·x - offset|,
  // to first order.
  struct Turn {
    Vec3 w;
    double offset;
  };

  const KinematicTree& tree_;
  int ancestor_;
  std::vector<double> q_;                       // the centre, and home of what is not in the box
  std::vector<int> dimensions_, not_periodic_;  // coordinates
  std::string unbounded_;
  std::vector<Interval> ranges_, all_ranges_;
  std::array<Side, 2> sides_ = {};
  double clearance_ = 0, rounding_bound_ = 0;
  std::vector<Box> open_;
  Box box_;
  std::vector<double> half_, shares_;
  std::vector<Turn> turns_;
  Vec3 last_;  // the direction that separated them last
  bool outside_ = false;
  DistanceScratch scratch_;
};

}  // namespace

PairFinding prove_never_meet(const Scene& scene, const BodyPair& pair, std::int64_t max_boxes,
                             const Budget& budget) {
  return BoxSearch(scene, pair).run(max_boxes, budget);
}

}  // namespace proven
