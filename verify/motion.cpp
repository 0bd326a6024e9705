#include "verify/motion.h"

#include <bit>

namespace proven::verifier {
namespace {

// Enough for the times of one unit of a large proof; about 100 MB for large scenes.
constexpr std::size_t kMostFrames = 2000, kMostMotions = 20000;

// Control points are known up to this: of the largest of their coordinate, or as an angle.
constexpr double kConversion = 0x1p-45;

template <class T>
Vector<T> normalized(const Vector<T>& v) {
  return T(1.0 / norm(v)) * v;
}

// The direction of a joint as a unit vector. In the plane of a planar joint x is the projection of
// the coordinate axis that follows the largest component of the normal, and y completes the frame.
template <class T>
Vector<T> unit_axis(const Link& link) {
  const Vec3& a = link.axis;
  // Exact where the file gives a coordinate axis.
  const bool is_unit = (a.x == 0) + (a.y == 0) + (a.z == 0) == 2 && max_abs(a) == 1;
  const Vector<T> axis = is_unit ? Vector<T>(a) : normalized(Vector<T>(a));
  if (link.direction == Direction::axis) return axis;
  int largest = 2;
  for (const int i : {1, 0})
    if (std::fabs(a[i]) > std::fabs(a[largest])) largest = i;
  Vec3 next;
  next[(largest + 1) % 3] = 1;
  const Vector<T> x = normalized(Vector<T>(next) - dot(Vector<T>(next), axis) * axis);
  return link.direction == Direction::plane_x ? x : cross(axis, x);
}

// The pose of a link whose joint never moves.
template <class T>
Placement<T> stuck_pose(const Link& link) {
  const Placement<T> X_PJ = link.X_PJ.as<T>();
  if (link.kind == JointKind::fixed) return X_PJ;
  const Vector<T> axis = unit_axis<T>(link);
  if (link.kind == JointKind::slide) return X_PJ * Placement<T>({}, T(link.offset) * axis);
  return X_PJ * Placement<T>(rotation_about(axis, T(link.offset)), {0.0, 0.0, 0.0});
}

template <class T>
Placement<T> still_pose(const Model& model, const Body& body) {
  Placement<T> X;
  for (const int link : model.chain(0, body.link))
    X = X * stuck_pose<T>(model.links[static_cast<std::size_t>(link)]);
  return X * body.X_LB.as<T>();
}

// The same in plain doubles: it decides the shape of the tree over still bodies.
Pose plain_pose(const Model& model, const Body& body) {
  Pose X;
  for (const int index : model.chain(0, body.link)) {
    const Link& link = model.links[static_cast<std::size_t>(index)];
    const Vec3 axis = proven::normalized(link.axis);
    Pose X_PL = link.X_PJ.pose;
    if (link.kind == JointKind::slide) X_PL = X_PL * Pose::translation(link.offset.lo * axis);
    if (link.kind == JointKind::turn) X_PL = X_PL * Pose{rotation(axis, link.offset.lo), {}};
    X = X * X_PL;
  }
  return X * body.X_LB.pose;
}

}  // namespace

void build_still_tree(Model& model) {
  std::vector<Box3> keys, bounds;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!body.still) continue;
    model.still.push_back(static_cast<int>(i));
    keys.push_back(moved_key(body.key, plain_pose(model, body)));
    const Placement<Interval> X = still_pose<Interval>(model, body);
    model.bodies[i].X_WB = X;
    const Matrix<Interval> R = X.R.entries();
    const Box3& box = body.tree[0].box;
    Box3 bound;
    for (int k = 0; k < 3; ++k) {
      Interval extent = X.position()[k];
      for (int j = 0; j < 3; ++j) extent = extent + R.row[k][j] * Interval{box.lo[j], box.hi[j]};
      bound.lo[k] = extent.lo;
      bound.hi[k] = extent.hi;
    }
    bounds.push_back(bound);
  }
  if (!keys.empty()) model.still_tree = build_tree(keys, bounds);
}

template <class T>
Ball<T> ball_around(const Body& body) {
  const Box3& box = body.tree[0].box;
  const Vector<T> centre(0.5 * (box.lo + box.hi));
  Vector<T> half;
  for (int i = 0; i < 3; ++i) half[i] = max(T(box.hi[i]) - centre[i], centre[i] - T(box.lo[i]));
  return {centre, norm(half)};
}
template Ball<Interval> ball_around(const Body&);
template Ball<Wide> ball_around(const Body&);

template <class T>
SegmentMotion<T>::SegmentMotion(const Model& model, const MotionPiece& piece,
                                std::span<const double> errors)
    : model_(model), piece_(piece), reaches_(model.bodies.size()) {
  for (const Link& link : model.links) {
    const double error =
        link.can_move() && !errors.empty() ? errors[static_cast<std::size_t>(link.coordinate)] : 0;
    states_.push_back(make_state(link, error));
  }
}

template <class T>
typename SegmentMotion<T>::JointState SegmentMotion<T>::make_state(const Link& link,
                                                                   double error) const {
  JointState state;
  if (!link.can_move()) {
    state.X_PJ = stuck_pose<T>(link);
    return state;
  }
  state.X_PJ = link.X_PJ.as<T>();
  if (link.kind == JointKind::ball) {
    state.error = T(error) + T(piece_.straight() ? 0.0 : kConversion);
    make_ball(link, state);
    return state;
  }
  state.axis = unit_axis<T>(link);
  const T multiplier = link.multiplier;
  Polynomial<T> given;  // of the coordinate that the joint reads
  double largest = 0;
  for (int k = 0; k <= piece_.degree(); ++k) {
    const double point = piece_.control(k)[static_cast<std::size_t>(link.coordinate)];
    given.points.push_back(point);
    largest = std::max(largest, std::fabs(point));
    state.moves = state.moves || point != piece_.from[static_cast<std::size_t>(link.coordinate)];
  }
  const T rounding = piece_.straight() ? T(0.0) : T(kConversion) * T(largest);
  state.error = upper(abs(multiplier) * (T(error) + rounding));
  if (!state.moves) given.points.resize(1);
  for (const T& point : given.points)
    state.value.points.push_back(multiplier * point + T(link.offset));
  for (const T& point : given.derivative().points) state.rate.points.push_back(multiplier * point);
  state.bend = state.rate.derivative();
  return state;
}

namespace {

struct GivenQuaternion {
  Vector<Wide> v;
  Wide w;

  GivenQuaternion(std::span<const double> q, int first)
      : v(q[static_cast<std::size_t>(first)], q[static_cast<std::size_t>(first) + 1],
          q[static_cast<std::size_t>(first) + 2]),
        w(q[static_cast<std::size_t>(first) + 3]) {}
};

template <class T>
Vector<T> converted(const Vector<Wide>& a) {
  return {convert<T>(a.x), convert<T>(a.y), convert<T>(a.z)};
}

template <class T>
Rotation<T> rotation_of(const GivenQuaternion& q) {
  const Wide s = Wide(2.0) / (q.w * q.w + dot(q.v, q.v));  // R = I + s (w [v]x + [v]x^2)
  Matrix<T> R;
  for (int j = 0; j < 3; ++j) {
    Vec3 unit;
    unit[j] = 1;
    const Vector<Wide> e(unit), once = cross(q.v, e);
    const Vector<T> column = converted<T>(e + s * (q.w * once + cross(q.v, once)));
    for (int i = 0; i < 3; ++i) R.row[i][j] = column[i];
  }
  return Rotation<T>(R);
}

// From quaternion a to b: the turn c = a* b, or its negative if that is shorter, about its own
// axis; there is none exactly if b = a or b = -a. Always in Wide: rotations may be close to each
// other.
struct ShortTurn {
  Vector<Wide> axis;
  Wide angle;
};
// Whether b is sign times a, exactly.
bool same(const GivenQuaternion& a, const GivenQuaternion& b, double sign) {
  const auto equal = [&](const Wide& x, const Wide& y) {
    return approximate(x) == sign * approximate(y);
  };
  return equal(a.v.x, b.v.x) && equal(a.v.y, b.v.y) && equal(a.v.z, b.v.z) && equal(a.w, b.w);
}
std::optional<ShortTurn> short_turn(const GivenQuaternion& a, const GivenQuaternion& b) {
  if (same(a, b, 1) || same(a, b, -1)) return std::nullopt;
  Wide w = a.w * b.w + dot(a.v, b.v);
  Vector<Wide> v = a.w * b.v - b.w * a.v - cross(a.v, b.v);
  if (is_zero(v.x) && is_zero(v.y) && is_zero(v.z)) return std::nullopt;
  if (surely_positive(-w)) {
    w = -w;
    v = -v;
  } else if (!surely_positive(w) && !(enclose(w).lo == 0)) {
    throw Rejected{"the short way of a turn by half a circle cannot be told"};
  }
  const Wide size = norm(v);
  if (!surely_positive(size)) throw Rejected{"a turn is too small to have an axis"};
  return ShortTurn{Wide(1.0 / size) * v, 2.0 * atan2(size, w)};
}

}  // namespace

template <class T>
void SegmentMotion<T>::make_ball(const Link& link, JointState& state) const {
  const GivenQuaternion a(piece_.from, link.coordinate), b(piece_.to, link.coordinate);
  state.R_start = rotation_of<T>(a);
  const std::optional<ShortTurn> whole = short_turn(a, b);
  if (piece_.straight()) {
    state.moves = whole.has_value();
    if (!whole) return;
    state.axis = converted<T>(whole->axis);
    state.value.points = {0.0, convert<T>(whole->angle)};
    state.rate.points = {convert<T>(whole->angle)};
    return;
  }
  state.moves = whole.has_value();
  state.phi.points.push_back({0.0, 0.0, 0.0});
  for (const std::vector<double>& row : piece_.inner) {
    const double* c = row.data() + link.coordinate;
    state.phi.points.push_back({c[0], c[1], c[2]});
    state.moves = state.moves || c[0] != 0 || c[1] != 0 || c[2] != 0;
  }
  state.phi.points.push_back(whole ? converted<T>(whole->angle * whole->axis)
                                   : Vector<T>{0.0, 0.0, 0.0});
  state.phi_rate = state.phi.derivative();
  state.phi_bend = state.phi_rate.derivative();
}

template <class T>
Placement<T> SegmentMotion<T>::pose_in_parent(int index, double t) const {
  const Link& link = model_.links[static_cast<std::size_t>(index)];
  const JointState& state = states_[static_cast<std::size_t>(index)];
  if (!link.can_move()) return state.X_PJ;
  if (link.kind == JointKind::slide)
    return state.X_PJ * Placement<T>({}, state.value.at(t) * state.axis);
  const auto turned = [&](const Rotation<T>& R) {
    return state.X_PJ * Placement<T>(R, {0.0, 0.0, 0.0});
  };
  if (link.kind == JointKind::turn) return turned(rotation_about(state.axis, state.value.at(t)));
  if (!state.moves) return turned(state.R_start);
  return turned(state.R_start * (state.phi.points.empty()
                                     ? rotation_about(state.axis, state.value.at(t))
                                     : exponential(state.phi.at(t))));
}

template <class T>
typename SegmentMotion<T>::Frame& SegmentMotion<T>::frame(double t) {
  Frame& frame = frames_[std::bit_cast<std::uint64_t>(t)];
  if (frame.X_WL.empty()) {
    frame.X_WL.resize(model_.links.size());
    frame.X_WL[0] = Placement<T>();
  }
  return frame;
}

template <class T>
void SegmentMotion<T>::make_room() {
  if (frames_.size() < kMostFrames && num_motions_ < kMostMotions) return;
  frames_.clear();
  num_motions_ = 0;
}

template <class T>
const Placement<T>& SegmentMotion<T>::link_pose(double t, int link) {
  auto& X_WL = frame(t).X_WL;
  int known = link;
  while (!X_WL[static_cast<std::size_t>(known)])
    known = model_.links[static_cast<std::size_t>(known)].parent;
  if (known != link)
    for (const int below : model_.chain(known, link)) {
      const int parent = model_.links[static_cast<std::size_t>(below)].parent;
      X_WL[static_cast<std::size_t>(below)] =
          *X_WL[static_cast<std::size_t>(parent)] * pose_in_parent(below, t);
    }
  return *X_WL[static_cast<std::size_t>(link)];
}

template <class T>
Placement<T> SegmentMotion<T>::pose(double t, int index) {
  const Body& body = model_.bodies[static_cast<std::size_t>(index)];
  return link_pose(t, body.link) * body.X_LB.as<T>();
}

// COMPUTE-SPHERE: a ball that is carried up the chain.
template <class T>
std::vector<T> SegmentMotion<T>::reaches_of(Ball<T> ball, int link_of_ball) const {
  const auto move_to = [&](const Vector<T>& centre, const T& radius_there) {
    ball = {middle(centre), upper(radius_there + norm(radius(centre)))};
  };
  const std::vector<int> chain = model_.chain(0, link_of_ball);
  std::vector<T> reaches(chain.size(), T(1.0));
  for (std::size_t i = chain.size(); i-- > 0;) {
    const Link& link = model_.links[static_cast<std::size_t>(chain[i])];
    const JointState& state = states_[static_cast<std::size_t>(chain[i])];
    if (link.can_move() && link.kind == JointKind::slide) {
      T least = state.value.points[0], most = least;
      for (const T& point : state.value.points) {
        least = min(least, point);
        most = max(most, point);
      }
      move_to(ball.centre + T(0.5 * (least + most)) * state.axis,
              ball.radius + 0.5 * (most - least) + state.error);
    } else if (link.can_move()) {
      const Vector<T> foot = link.kind == JointKind::turn
                                 ? dot(ball.centre, state.axis) * state.axis
                                 : Vector<T>{0.0, 0.0, 0.0};
      reaches[i] = upper(norm(ball.centre - foot) + ball.radius);
      move_to(foot, reaches[i]);
    }
    move_to(state.X_PJ * ball.centre, ball.radius);
  }
  return reaches;
}

template <class T>
const std::vector<T>& SegmentMotion<T>::reaches(int index) {
  const Body& body = model_.bodies[static_cast<std::size_t>(index)];
  if constexpr (std::is_same_v<T, Interval>)
    if (!body.reaches.empty()) return body.reaches;
  auto& known = reaches_[static_cast<std::size_t>(index)];
  if (known) return *known;
  const Ball<T> ball = ball_around<T>(body);
  const Vector<T> centre = body.X_LB.as<T>() * ball.centre;
  return known.emplace(
      reaches_of({middle(centre), upper(ball.radius + norm(radius(centre)))}, body.link));
}

template <class T>
T SegmentMotion<T>::tracking_slack(int index, int ancestor) {
  const Body& body = model_.bodies[static_cast<std::size_t>(index)];
  const std::vector<T>& reach = reaches(index);
  const std::vector<int> chain = model_.chain(ancestor, body.link);
  const std::size_t above = reach.size() - chain.size();
  T slack = 0.0;
  for (std::size_t i = 0; i < chain.size(); ++i)
    slack = slack + reach[above + i] * states_[static_cast<std::size_t>(chain[i])].error;
  return slack;
}

template <class T>
const BodyMotion<T>& SegmentMotion<T>::at(Around time, int body, int ancestor) {
  if (piece_.straight()) time.before = time.after = 0;  // the same on all sides
  auto& motions = frame(time.anchor).motions;
  const std::tuple key(time.before, time.after, body, ancestor);
  const auto known = motions.find(key);
  if (known != motions.end()) return known->second;
  ++num_motions_;
  return motions.emplace(key, compute(time, body, ancestor)).first->second;
}

template <class T>
SideBounds<T> SegmentMotion<T>::side_bounds(const JointState& state, double t, double end) const {
  const double from = std::min(t, end), to = std::max(t, end);
  SideBounds<T> bounds{};
  if (!state.phi.points.empty()) {
    for (const Vector<T>& rate : state.phi_rate.part(from, to))
      bounds.speed = max(bounds.speed, norm(rate));
    for (const Vector<T>& bend : state.phi_bend.part(from, to))
      bounds.change = max(bounds.change, norm(bend));
    bounds.change = bounds.change + 0.5 * square(bounds.speed);
    return bounds;
  }
  const T bend_there = state.bend.at(t);
  for (const T& rate : state.rate.part(from, to)) bounds.speed = max(bounds.speed, abs(rate));
  for (const T& bend : state.bend.part(from, to))
    bounds.change = max(bounds.change, abs(bend - bend_there));
  return bounds;
}

// Adds what the joint gives to the points below it to the motion.
template <class T>
void SegmentMotion<T>::add_velocity(const JointState& state, double t, const Placement<T>& X_WL,
                                    JointMotion<T>& joint, BodyMotion<T>& motion) const {
  const Vector<T> point = X_WL.position();
  joint.spins = motion.w;
  joint.bend = 0.0;
  if (!state.phi.points.empty()) {
    // In the frame of the link, R = R_0 exp(phi), the angular velocity R_0 J(phi) rate is
    // J(-phi) rate.
    const Vector<T> spin =
        X_WL.R.entries() * angular_velocity(-state.phi.at(t), state.phi_rate.at(t));
    motion.w = motion.w + spin;
    motion.u = motion.u + cross(point, spin);
  } else {
    // The joint's own motion leaves its axis in place.
    const Vector<T> axis = X_WL.R.entries() * state.axis;
    const Vector<T> along = joint.turns ? cross(point, axis) : axis;
    const T rate = state.rate.at(t), bend = state.bend.at(t);
    joint.bend = abs(bend);
    motion.u = motion.u + rate * along;
    motion.u_bend = motion.u_bend + bend * along;
    if (joint.turns) motion.w = motion.w + rate * axis;
    if (joint.turns) motion.w_bend = motion.w_bend + bend * axis;
  }
  joint.spins = joint.spins + motion.w;
}

template <class T>
BodyMotion<T> SegmentMotion<T>::compute(const Around& time, int index, int ancestor) {
  const Body& body = model_.bodies[static_cast<std::size_t>(index)];
  const double ends[2] = {time.anchor - time.before, time.anchor + time.after};
  const Placement<T> X_WB = pose(time.anchor, index);
  const Vector<T> zero{0.0, 0.0, 0.0};
  BodyMotion<T> motion{X_WB.R.entries(), X_WB.position(), zero, zero, zero, zero, {}, false};
  const std::vector<T>& reach = reaches(index);
  const std::vector<int> chain = model_.chain(ancestor, body.link);
  const std::size_t above = reach.size() - chain.size();
  const Ball<T> ball = ball_around<T>(body);
  const Vector<T> centre = X_WB * ball.centre;
  T spin[2] = {0.0, 0.0}, drift[2] = {0.0, 0.0};  // Omega and W down to the joint above
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const JointState& state = states_[static_cast<std::size_t>(chain[i])];
    if (!state.moves) continue;
    const Placement<T> X_WL = link_pose(time.anchor, chain[i]);
    JointMotion<T> joint;
    joint.turns = model_.links[static_cast<std::size_t>(chain[i])].kind != JointKind::slide;
    joint.reach = reach[above + i];
    const Vector<T> from_joint = centre - X_WL.position();
    joint.distance = ball.radius + (state.phi.points.empty()
                                        ? norm(cross(from_joint, X_WL.R.entries() * state.axis))
                                        : norm(from_joint));
    add_velocity(state, time.anchor, X_WL, joint, motion);
    for (const std::size_t side : {kBefore, kAfter}) {
      SideBounds<T> bounds = side_bounds(state, time.anchor, ends[side]);
      bounds.spin_above = bounds.spin_bound = spin[side];
      bounds.drift = drift[side];
      if (joint.turns) {
        drift[side] = drift[side] + bounds.speed * spin[side] + joint.bend + bounds.change;
        spin[side] = spin[side] + bounds.speed;
      }
      bounds.spin_bound = bounds.spin_bound + spin[side];
      bounds.drift = bounds.drift + drift[side];
      joint.sides[side] = bounds;
    }
    motion.joints.push_back(joint);
  }
  motion.curved = !piece_.straight() && !motion.joints.empty();
  return motion;
}

template class SegmentMotion<Interval>;
template class SegmentMotion<Wide>;

// Of any motion, such as one that stands still with all turns at zero.
void find_reaches(Model& model) {
  std::vector<double> still(static_cast<std::size_t>(model.num_coordinates), 0.0);
  for (const Link& link : model.links)
    if (link.kind == JointKind::ball) still[static_cast<std::size_t>(link.coordinate) + 3] = 1;
  SegmentMotion<Interval> motion(model, {still, still}, {});
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    bool slides = false;
    for (const int link : model.chain(0, model.bodies[i].link))
      slides = slides || (model.links[static_cast<std::size_t>(link)].can_move() &&
                          model.links[static_cast<std::size_t>(link)].kind == JointKind::slide);
    if (!slides) model.bodies[i].reaches = motion.reaches(static_cast<int>(i));
  }
}

}  // namespace proven::verifier
