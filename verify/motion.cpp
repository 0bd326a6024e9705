#include "verify/motion.h"

#include <bit>

namespace proven::verifier {
namespace {

// Enough for the times of one unit of a large proof; about 100 MB for large scenes.
constexpr std::size_t kMostFrames = 2000, kMostMotions = 20000;

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
  if (link.motion == Motion::fixed) return X_PJ;
  const Vector<T> axis = unit_axis<T>(link);
  if (link.motion == Motion::slide) return X_PJ * Placement<T>({}, T(link.offset) * axis);
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
    if (link.motion == Motion::slide) X_PL = X_PL * Pose::translation(link.offset.lo * axis);
    if (link.motion == Motion::turn) X_PL = X_PL * Pose{rotation(axis, link.offset.lo), {}};
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
SegmentMotion<T>::SegmentMotion(const Model& model, std::span<const double> qa,
                                std::span<const double> qb, const TrackingError& tracking_error)
    : model_(model), reaches_(model.bodies.size()) {
  for (const Link& link : model.links) {
    const double error =
        link.can_move() ? tracking_error.of(model.joints[static_cast<std::size_t>(link.coordinate)])
                        : 0;
    states_.push_back(make_state(link, qa, qb, error));
  }
}

template <class T>
typename SegmentMotion<T>::JointState SegmentMotion<T>::make_state(const Link& link,
                                                                   std::span<const double> qa,
                                                                   std::span<const double> qb,
                                                                   double error) {
  JointState state;
  if (!link.can_move()) {
    state.X_PJ = stuck_pose<T>(link);
    return state;
  }
  state.X_PJ = link.X_PJ.as<T>();
  state.error = upper(abs(T(link.multiplier)) * T(error));
  if (link.motion == Motion::ball) {
    make_ball(link, qa, qb, state);
    return state;
  }
  const double from = qa[static_cast<std::size_t>(link.coordinate)];
  const double to = qb[static_cast<std::size_t>(link.coordinate)];
  state.axis = unit_axis<T>(link);
  state.start = T(link.multiplier) * T(from) + T(link.offset);
  state.moves = from != to;
  if (state.moves) state.rate = T(link.multiplier) * (T(to) - T(from));
  return state;
}

// From quaternion a to b: the turn c = a* b, or its negative if that is shorter, about its own
// axis. Always in Wide: rotations may be close to each other. The products are exact in 128 bits,
// so the turn is exactly zero if b = a or b = -a.
template <class T>
void SegmentMotion<T>::make_ball(const Link& link, std::span<const double> qa,
                                 std::span<const double> qb, JointState& state) {
  const double* a = qa.data() + link.coordinate;
  const double* b = qb.data() + link.coordinate;
  const Vector<Wide> av(a[0], a[1], a[2]), bv(b[0], b[1], b[2]);
  const Wide aw = a[3], bw = b[3];
  const Wide length2 = aw * aw + dot(av, av);
  const Wide s = Wide(2.0) / length2;  // R = I + s (w [v]x + [v]x^2)
  Matrix<T> R;
  for (int j = 0; j < 3; ++j) {
    Vec3 unit;
    unit[j] = 1;
    const Vector<Wide> e(unit), once = cross(av, e);
    const Vector<Wide> column = e + s * (aw * once + cross(av, once));
    for (int i = 0; i < 3; ++i) R.row[i][j] = convert<T>(column[i]);
  }
  state.R_start = Rotation<T>(R);
  Wide cw = aw * bw + dot(av, bv);
  Vector<Wide> cv = aw * bv - bw * av - cross(av, bv);
  if (is_zero(cv.x) && is_zero(cv.y) && is_zero(cv.z)) return;
  if (surely_positive(-cw)) {
    cw = -cw;
    cv = -cv;
  } else if (!surely_positive(cw) && !(enclose(cw).lo == 0)) {
    throw Rejected{"the short way of a turn by half a circle cannot be told"};
  }
  const Wide size = norm(cv);
  if (!surely_positive(size)) throw Rejected{"a turn is too small to have an axis"};
  const Vector<Wide> axis = Wide(1.0 / size) * cv;
  state.axis = {convert<T>(axis.x), convert<T>(axis.y), convert<T>(axis.z)};
  state.start = 0.0;
  state.rate = convert<T>(2.0 * atan2(size, cw));
  state.moves = true;
}

template <class T>
Placement<T> SegmentMotion<T>::pose_in_parent(int index, double t) const {
  const Link& link = model_.links[static_cast<std::size_t>(index)];
  const JointState& state = states_[static_cast<std::size_t>(index)];
  if (!link.can_move()) return state.X_PJ;
  const Vector<T> nowhere{0.0, 0.0, 0.0};
  if (link.motion == Motion::ball && !state.moves)
    return state.X_PJ * Placement<T>(state.R_start, nowhere);
  const T value = state.moves ? state.start + T(t) * state.rate : state.start;
  if (link.motion == Motion::slide) return state.X_PJ * Placement<T>({}, value * state.axis);
  const Rotation<T> turned = rotation_about(state.axis, value);
  return state.X_PJ *
         Placement<T>(link.motion == Motion::ball ? state.R_start * turned : turned, nowhere);
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

// COMPUTE-SPHERE: a ball that holds the body, carried up the chain.
template <class T>
const std::vector<T>& SegmentMotion<T>::reaches(int index) {
  auto& known = reaches_[static_cast<std::size_t>(index)];
  if (known) return *known;
  const Body& body = model_.bodies[static_cast<std::size_t>(index)];
  Ball<T> ball = ball_around<T>(body);
  const auto move_to = [&](const Vector<T>& centre, const T& radius_there) {
    ball = {middle(centre), upper(radius_there + norm(radius(centre)))};
  };
  move_to(body.X_LB.as<T>() * ball.centre, ball.radius);
  const std::vector<int> chain = model_.chain(0, body.link);
  known.emplace(chain.size(), T(1.0));
  for (std::size_t i = chain.size(); i-- > 0;) {
    const Link& link = model_.links[static_cast<std::size_t>(chain[i])];
    const JointState& state = states_[static_cast<std::size_t>(chain[i])];
    if (link.can_move() && link.motion == Motion::slide) {
      const T end = state.moves ? state.start + state.rate : state.start;
      move_to(ball.centre + T(0.5 * (state.start + end)) * state.axis,
              ball.radius + 0.5 * abs(state.rate) + state.error);
    } else if (link.can_move()) {
      const Vector<T> foot = link.motion == Motion::turn ? dot(ball.centre, state.axis) * state.axis
                                                         : Vector<T>{0.0, 0.0, 0.0};
      (*known)[i] = upper(norm(ball.centre - foot) + ball.radius);
      move_to(foot, (*known)[i]);
    }
    move_to(state.X_PJ * ball.centre, ball.radius);
  }
  return *known;
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
const BodyMotion<T>& SegmentMotion<T>::at(double t, int body, int ancestor) {
  auto& motions = frame(t).motions;
  const auto known = motions.find({body, ancestor});
  if (known != motions.end()) return known->second;
  ++num_motions_;
  return motions.emplace(std::pair(body, ancestor), compute(t, body, ancestor)).first->second;
}

template <class T>
BodyMotion<T> SegmentMotion<T>::compute(double t, int index, int ancestor) {
  const Body& body = model_.bodies[static_cast<std::size_t>(index)];
  const Placement<T> X_WB = pose(t, index);
  BodyMotion<T> motion{X_WB.R.entries(), X_WB.position(), {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {}};
  const std::vector<T>& reach = reaches(index);
  const std::vector<int> chain = model_.chain(ancestor, body.link);
  const std::size_t above = reach.size() - chain.size();
  const Ball<T> ball = ball_around<T>(body);
  const Vector<T> centre = X_WB * ball.centre;
  T spin = 0.0, drift = 0.0;  // Omega and W down to the joint above
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const JointState& state = states_[static_cast<std::size_t>(chain[i])];
    if (!state.moves) continue;
    const Placement<T> X_WL =
        link_pose(t, chain[i]);  // the joint's motion leaves its axis in place
    const Vector<T> axis = X_WL.R.entries() * state.axis, point = X_WL.position();
    JointMotion<T> joint;
    joint.turns = model_.links[static_cast<std::size_t>(chain[i])].motion != Motion::slide;
    joint.speed = abs(state.rate);
    joint.reach = reach[above + i];
    joint.distance = norm(cross(centre - point, axis)) + ball.radius;
    joint.spins = motion.w;
    joint.spin_bound = spin;
    joint.drift = drift;
    if (joint.turns) {
      motion.w = motion.w + state.rate * axis;
      motion.u = motion.u + state.rate * cross(point, axis);
      drift = drift + joint.speed * spin;
      spin = spin + joint.speed;
    } else {
      motion.u = motion.u + state.rate * axis;
    }
    joint.spins = joint.spins + motion.w;
    joint.spin_bound = joint.spin_bound + spin;
    joint.drift = joint.drift + drift;
    motion.joints.push_back(joint);
  }
  return motion;
}

template class SegmentMotion<Interval>;
template class SegmentMotion<Wide>;

}  // namespace proven::verifier
