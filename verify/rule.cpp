#include "verify/rule.h"

namespace proven::verifier {
namespace {

template <class T>
T highest_of_points(const GivenPose& X_BE, std::span<const Vec3> points, const Vector<T>& d) {
  T best = dot(d, point_in_body<T>(X_BE, points[0]));
  for (const Vec3& p : points.subspan(1)) best = max(best, dot(d, point_in_body<T>(X_BE, p)));
  return best;
}

template <class T>
T highest_of_piece(const Body& body, const Piece& piece, const Vector<T>& d) {
  const GivenPose& given = body.pose_of(piece);
  if (piece.triangle >= 0) return highest_of_points<T>(given, corners(body, piece), d);
  if (piece.grain >= 0) {
    const Vector<T> half = grain_of<T>(body, piece).half;
    const Vector<T> e = given.as<T>().R.entries().transpose_times(d);
    return dot(d, centre_in_body<T>(body, piece)) + T(grain_radius(body)) * norm(d) +
           abs(e.x) * half.x + abs(e.y) * half.y + abs(e.z) * half.z;
  }
  const Shape& shape = body.element(piece).shape;
  if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&shape))
    return highest_of_points<T>(given, (*hull)->points, d);
  const Placement<T> X_BE = given.as<T>();
  const Vector<T> e = X_BE.R.entries().transpose_times(d);
  const T base = dot(d, X_BE.position());
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vec3& h = box->half_extents;
    return base + abs(e.x) * T(h.x) + abs(e.y) * T(h.y) + abs(e.z) * T(h.z);
  }
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return base + T(sphere->radius) * norm(d);
  if (const auto* capsule = std::get_if<Capsule>(&shape))
    return base + T(capsule->radius) * norm(d) + T(capsule->half_length) * abs(e.z);
  const Cylinder& cylinder = std::get<Cylinder>(shape);
  return base + T(cylinder.radius) * sqrt(square(e.x) + square(e.y)) +
         T(cylinder.half_length) * abs(e.z);
}

// The largest n · (x + s v(x) + s²/2 a(x)) over the node: with v = w × x + u, and a likewise, that
// is d · x + s n · u + ... for d = n + s n × w + ...
template <class T>
T highest_moved(const Node& node, const BodyMotion<T>& motion, const Vector<T>& n, double s) {
  const bool moves = s != 0 && !motion.joints.empty(), bends = moves && motion.curved;
  const T half_square = 0.5 * square(T(s));
  Vector<T> d = moves ? n + T(s) * cross(n, motion.w) : n;
  if (bends) d = d + half_square * cross(n, motion.w_bend);
  if (!node.body) return highest(node, d);  // stands still in world coordinates
  T there = highest(node, motion.R_WB.transpose_times(d)) + dot(d, motion.p_WB);
  if (moves) there = there + T(s) * dot(n, motion.u);
  return bends ? there + half_square * dot(n, motion.u_bend) : there;
}

// Of 8: a little is left, so that the gap at the anchor stays above what is required.
constexpr double kMostOfSpare = 8 * (1 - 0x1p-20);

// What may be lost on a side of length h.
template <class T>
struct Losses {
  T by_speed;
  T by_acceleration;  // from the gap at its end
  T dip;              // from both gaps: a gap that bends the other way is below its chord between
};
// `spare` is what the gap at the anchor has beyond what is required, times |n|. A larger bound on
// the acceleration costs more at the end of the side and less at the anchor: the least one will do
// that leaves something of `spare`.
template <class T>
Losses<T> losses(const BodyMotion<T>& motion_A, const BodyMotion<T>& motion_B, std::size_t side,
                 const Vector<T>& n, const T& length, const T& h, const T& spare) {
  const Bounds<T> a = bounds(motion_A, side, n, length, h),
                  b = bounds(motion_B, side, n, length, h);
  T acceleration = a.acceleration + b.acceleration;
  T dip = 0.0;
  if (motion_A.curved || motion_B.curved) {
    const T bend = upper(length * (a.bend + b.bend));
    acceleration = upper(max(acceleration, bend - kMostOfSpare * spare / (h * h)));
    dip = 0.125 * max(T(0.0), bend - acceleration) * (h * h);
  }
  return {length * (a.speed + b.speed) * h, 0.5 * acceleration * (h * h), dip};
}

}  // namespace

template <class T>
Bounds<T> bounds(const BodyMotion<T>& motion, std::size_t side, const Vector<T>& n, const T& length,
                 const T& h) {
  Bounds<T> sum{0.0, 0.0, 0.0};
  for (auto joint = motion.joints.rbegin(); joint != motion.joints.rend(); ++joint) {
    const SideBounds<T>& on_side = joint->sides[side];
    const T radius = joint->turns ? min(joint->distance + h * sum.speed, joint->reach) : T(1.0);
    const T speed = radius * on_side.speed;
    const T turning =
        min(norm(cross(n, joint->spins)) + length * h * on_side.drift, length * on_side.spin_bound);
    sum.speed = sum.speed + speed;
    sum.acceleration = sum.acceleration + speed * turning;
    if (!motion.curved) continue;
    T moved = radius * on_side.spin_above;  // r: how fast the joint's part of a velocity changes
    if (joint->turns) moved = moved + sum.speed;
    sum.acceleration =
        sum.acceleration + length * (radius * on_side.change + joint->bend * h * moved);
    sum.bend = sum.bend + radius * joint->bend;
  }
  return sum;
}
template Bounds<Interval> bounds(const BodyMotion<Interval>&, std::size_t, const Vector<Interval>&,
                                 const Interval&, const Interval&);
template Bounds<Wide> bounds(const BodyMotion<Wide>&, std::size_t, const Vector<Wide>&, const Wide&,
                             const Wide&);

template <class T>
T highest(const Node& node, const Vector<T>& d) {
  const BoxNode& box_node = node.get();
  if (node.body && box_node.item >= 0)
    return highest_of_piece(*node.body, node.body->pieces[static_cast<std::size_t>(box_node.item)],
                            d);
  if (node.body && node.by_pieces && box_node.count <= kSmallNode)
    return max(highest(Node{node.body, node.tree, box_node.children[0], true}, d),
               highest(Node{node.body, node.tree, box_node.children[1], true}, d));
  T sum = 0.0;
  for (int i = 0; i < 3; ++i)
    sum = sum + max(d[i] * T(box_node.box.lo[i]), d[i] * T(box_node.box.hi[i]));
  return sum;
}
template Interval highest(const Node&, const Vector<Interval>&);
template Wide highest(const Node&, const Vector<Wide>&);

template <class T>
bool holds(const Leaf& leaf, const Node& A, const BodyMotion<T>& motion_A, const Node& B,
           const BodyMotion<T>& motion_B, const Required<T>& required) {
  const Vector<T> n(leaf.direction);
  const T length = norm(n);
  const auto gap = [&](double s) {
    return -highest_moved(B, motion_B, -n, s) - highest_moved(A, motion_A, n, s) -
           (required.clearance + T(s) * required.growth) * length;
  };
  const T spare = gap(0);
  if (!surely_positive(spare)) return false;  // both forms need it
  for (const std::size_t side : {kBefore, kAfter}) {
    const double s = side == kBefore ? -leaf.before : leaf.after;
    if (s == 0) continue;
    const T h = std::fabs(s);
    const Losses<T> lost = losses(motion_A, motion_B, side, n, length, h, spare);
    if (surely_positive(spare - lost.by_speed - length * required.growth * h)) continue;
    if (!surely_positive(spare - lost.dip) ||
        !surely_positive(gap(s) - lost.by_acceleration - lost.dip))
      return false;
  }
  return true;
}
template bool holds(const Leaf&, const Node&, const BodyMotion<Interval>&, const Node&,
                    const BodyMotion<Interval>&, const Required<Interval>&);
template bool holds(const Leaf&, const Node&, const BodyMotion<Wide>&, const Node&,
                    const BodyMotion<Wide>&, const Required<Wide>&);

LeafBounds measure(const Leaf& leaf, const Node& A, const BodyMotion<Interval>& motion_A,
                   const Node& B, const BodyMotion<Interval>& motion_B) {
  const Vector<Interval> n(leaf.direction);
  const Interval length = norm(n);
  const auto top_a = [&](double s) { return highest_moved(A, motion_A, n, s); };
  const auto bottom_b = [&](double s) { return -highest_moved(B, motion_B, -n, s); };
  const Interval gap = bottom_b(0) - top_a(0);
  Interval at_anchor = gap;
  const auto at_side = [&](std::size_t side, double s) {
    if (s == 0) return (gap / length).lo;
    const Losses<Interval> lost =
        losses(motion_A, motion_B, side, n, length, Interval(std::fabs(s)), gap);
    const Interval by_speed = gap - lost.by_speed;
    const Interval by_acceleration = bottom_b(s) - top_a(s) - lost.by_acceleration - lost.dip;
    // The form that says more; each is a chord, and chords of two forms do not mix.
    if (!(std::min((gap - lost.dip).lo, by_acceleration.lo) > by_speed.lo))
      return (by_speed / length).lo;
    at_anchor = min(at_anchor, gap - lost.dip);
    return (by_acceleration / length).lo;
  };
  const double begin = at_side(kBefore, -leaf.before), end = at_side(kAfter, leaf.after);
  return {begin, (at_anchor / length).lo, end, approximate(top_a(0) / length),
          approximate(bottom_b(0) / length)};
}

}  // namespace proven::verifier
