#include "verify/quick.h"

#include <bit>

namespace proven::verifier {
namespace {

constexpr std::size_t kMostFrames = 2000;  // kept at once
// The bounds below take rotations and axes to be known at least so well.
constexpr double kVague = 0x1p-10;
// Products that underflow are off by far less than this.
constexpr double kUnderflow = 0x1p-800;

double highest_of_convex(const Body& body, const Piece& piece, const Vec3& y) {
  const Shape& shape = body.element(piece).shape;
  if (std::holds_alternative<std::shared_ptr<const ConvexHull>>(shape)) {
    double best = -INFINITY;
    for (const Vec3& p : body.hulls[static_cast<std::size_t>(piece.element)])
      best = std::max(best, dot(y, p));
    return best;
  }
  const Placement<Interval>& X_BE = body.pose_of(piece).quick;
  const Vec3 e = transpose_times(X_BE.R.M, y);
  const double base = dot(y, X_BE.p);
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vec3& h = box->half_extents;
    return base + (std::fabs(e.x) * h.x + std::fabs(e.y) * h.y + std::fabs(e.z) * h.z);
  }
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return base + sphere->radius * norm(y);
  if (const auto* capsule = std::get_if<Capsule>(&shape))
    return base + (capsule->radius * norm(y) + capsule->half_length * std::fabs(e.z));
  const Cylinder& cylinder = std::get<Cylinder>(shape);
  return base + (cylinder.radius * std::sqrt(e.x * e.x + e.y * e.y) +
                 cylinder.half_length * std::fabs(e.z));
}

double highest_of_grain(const Body& body, const std::array<Vec3, 3>& seen, const Vec3& y) {
  const double base = dot(y, seen[0]);
  if (body.cells.empty()) return base + grain_radius(body) * norm(y);
  const Vec3 e = transpose_times(body.X_BE[0].quick.R.M, y), &h = seen[1];
  return base + (std::fabs(e.x) * h.x + std::fabs(e.y) * h.y + std::fabs(e.z) * h.z);
}

// Of the leaves of the body's tree from `first` on.
double highest_of_pieces(const Body& body, int first, int count, const Vec3& y) {
  double best = -INFINITY;
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(first + count); ++i) {
    const Piece& piece = body.pieces[static_cast<std::size_t>(body.items[i])];
    if (piece.grain >= 0) {
      best = std::max(best, highest_of_grain(body, body.corners[i], y));
      continue;
    }
    if (piece.triangle < 0) {
      best = std::max(best, highest_of_convex(body, piece, y));
      continue;
    }
    for (const Vec3& corner : body.corners[i]) best = std::max(best, dot(y, corner));
  }
  return best;
}

bool is_small(const Node& node) {
  return node.body && node.get().item < 0 && node.get().count <= kSmallNode;
}

}  // namespace

double near_highest(const Node& node, const Vec3& y) {
  const BoxNode& box_node = node.get();
  if (node.body && (box_node.item >= 0 || (node.by_pieces && box_node.count <= kSmallNode)))
    return highest_of_pieces(
        *node.body, node.body->first_leaf[static_cast<std::size_t>(node.index)], box_node.count, y);
  const Vec3 &lo = box_node.box.lo, &hi = box_node.box.hi;
  return std::max(y.x * lo.x, y.x * hi.x) + std::max(y.y * lo.y, y.y * hi.y) +
         std::max(y.z * lo.z, y.z * hi.z);
}

QuickRule::QuickRule(const Model& model) : model_(model), still_(model.bodies.size()) {
  first_distance_.push_back(0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    first_distance_.push_back(first_distance_.back() + model.chain(0, body.link).size());
    if (body.still) still_[i] = placed(body, body.X_WB);
  }
  if (!model.still_tree.empty())
    still_error_ = 0x1p-47 * farthest(model.still_tree[0].box) + kUnderflow;
}

void QuickRule::begin(SegmentMotion<Interval>& motion) {
  motion_ = &motion;
  joints_.assign(model_.links.size(), {});
  for (std::size_t i = 1; i < joints_.size(); ++i) {
    const auto& state = motion.joint(static_cast<int>(i));
    const Link& link = model_.links[i];
    Joint& joint = joints_[i];
    joint.moves = state.moves;
    joint.spin = joints_[static_cast<std::size_t>(link.parent)].spin;
    if (!joint.moves) {
      joint.X_PL = motion.pose_in_parent(static_cast<int>(i), 0);
      continue;
    }
    joint.turns = link.kind != JointKind::slide;
    joint.axis = approximate(state.axis);
    joint.tilt = norm(radius(state.axis)).hi;
    if (!(joint.tilt <= kVague)) joint.tilt = INFINITY;
    const Interval rate = state.rate.at(0);
    joint.rate = approximate(rate);
    joint.rate_error = radius(rate).hi;
    joint.speed = abs(rate).hi;
    if (joint.turns) joint.spin = kUp * (joint.spin + joint.speed);
  }
  chain_joints_.clear();
  chains_.clear();
  chain_of_.assign(model_.bodies.size() * model_.links.size(), -1);
  frame_of_.clear();
  num_frames_ = last_frame_ = 0;
}

void QuickRule::begin(const Unit& unit) {
  a_ = unit.a;
  b_ = unit.b;
  ancestor_ = unit.ancestor;
  chain_a_ = chain(a_, ancestor_);
  if (b_ >= 0) chain_b_ = chain(b_, ancestor_);
}

std::size_t QuickRule::chain(int body, int ancestor) {
  int& known = chain_of_[static_cast<std::size_t>(body) * model_.links.size() +
                         static_cast<std::size_t>(ancestor)];
  if (known < 0) {
    known = static_cast<int>(chains_.size());
    chains_.push_back(make_chain(body, ancestor));
  }
  return static_cast<std::size_t>(known);
}

QuickRule::Chain QuickRule::make_chain(int index, int ancestor) {
  const auto i = static_cast<std::size_t>(index);
  const std::vector<int> links = model_.chain(ancestor, model_.bodies[i].link);
  const std::vector<Interval>& reaches = motion_->reaches(index);
  const std::size_t above = reaches.size() - links.size();
  Chain chain;
  chain.first = chain_joints_.size();
  double spin = 0, drift = 0;  // Omega and W down to the joint above
  for (std::size_t k = 0; k < links.size(); ++k) {
    const Joint& joint = joints_[static_cast<std::size_t>(links[k])];
    if (!joint.moves) continue;
    ChainJoint of_chain{links[k],    first_distance_[i] + above + k, joint.turns,
                        joint.speed, reaches[above + k].hi,          spin,
                        drift};
    if (joint.turns) {
      drift = kUp * (drift + joint.speed * spin);
      spin = kUp * (spin + joint.speed);
    }
    of_chain.spin_bound = kUp * (of_chain.spin_bound + spin);
    of_chain.drift = kUp * (of_chain.drift + drift);
    chain.speed = kUp * (chain.speed + (joint.turns ? of_chain.reach : 1.0) * joint.speed);
    chain_joints_.push_back(of_chain);
    ++chain.count;
  }
  return chain;
}

QuickRule::Frame& QuickRule::frame(double t) {
  if (num_frames_ > 0 && frames_[last_frame_].t == t) return frames_[last_frame_];
  if (num_frames_ == kMostFrames) {
    frame_of_.clear();
    num_frames_ = 0;
  }
  const auto [found, is_new] = frame_of_.try_emplace(std::bit_cast<std::uint64_t>(t), num_frames_);
  last_frame_ = found->second;
  if (!is_new) return frames_[last_frame_];
  if (++num_frames_ > frames_.size()) {
    frames_.emplace_back();
    frames_.back().links.resize(model_.links.size());
    frames_.back().bodies.resize(model_.bodies.size());
    frames_.back().distances.resize(first_distance_.back());
  }
  Frame& frame = frames_[last_frame_];
  frame.t = t;
  frame.stamp = ++stamp_;
  return frame;
}

// Sections "Poses" and "Velocities" of docs/verifier.md.
const QuickRule::LinkAt& QuickRule::link_at(Frame& frame, int link) const {
  const auto i = static_cast<std::size_t>(link);
  LinkAt& at = frame.links[i];
  if (at.stamp == frame.stamp) return at;
  if (link == 0) {
    at = {};
    at.stamp = frame.stamp;
    return at;
  }
  const LinkAt& parent = link_at(frame, model_.links[i].parent);
  const Joint& joint = joints_[i];
  at = parent;
  at.X_WL = parent.X_WL * (joint.moves ? motion_->pose_in_parent(link, frame.t) : joint.X_PL);
  if (!joint.moves) return at;
  const Vec3& p = at.X_WL.p;
  at.axis = at.X_WL.R.M * joint.axis;
  at.tilt = kUp * (1.01 * (at.X_WL.R.rho + joint.tilt) + 0x1p-50);
  Vec3 along = at.axis;
  double along_size = 1, along_error = at.tilt;
  if (joint.turns) {
    at.w += joint.rate * at.axis;
    at.w_error = kUp * (at.w_error + joint.speed * (at.tilt + 0x1p-52) + 2 * joint.rate_error +
                        0x1p-53 * size(at.w));
    along = cross(p, at.axis);
    along_size = size(p);
    along_error = at.X_WL.eps + along_size * (at.tilt + 0x1p-50);
  }
  at.u += joint.rate * along;
  at.u_error = kUp * (at.u_error + joint.speed * (along_error + 0x1p-52 * along_size) +
                      2 * joint.rate_error * (along_size + at.X_WL.eps) + 0x1p-53 * size(at.u));
  return at;
}

// Section "Highest points".
PlacedBody placed(const Body& body, const Placement<Interval>& X_WB) {
  PlacedBody at;
  at.R_WB = X_WB.R.M;
  at.p_WB = X_WB.p;
  at.centre = X_WB.R.M * body.ball.centre + X_WB.p;
  at.reach = kUp * (body.size + size(X_WB.p) + X_WB.eps);
  at.error =
      kUp * (X_WB.R.rho * body.size + X_WB.eps + 1.01 * body.piece_error + 0x1p-47 * at.reach) +
      kUnderflow;
  if (!(X_WB.R.rho <= kVague)) at.error = INFINITY;
  return at;
}

const QuickRule::BodyAt& QuickRule::body_at(Frame& frame, int index) const {
  const auto i = static_cast<std::size_t>(index);
  BodyAt& at = frame.bodies[i];
  if (at.stamp == frame.stamp) return at;
  const Body& body = model_.bodies[i];
  const Placement<Interval>& X_WL = link_at(frame, body.link).X_WL;
  at = {placed(body, body.X_LB.pose == Pose{} ? X_WL : X_WL * body.X_LB.quick), frame.stamp};
  std::fill(frame.distances.begin() + static_cast<std::ptrdiff_t>(first_distance_[i]),
            frame.distances.begin() + static_cast<std::ptrdiff_t>(first_distance_[i + 1]), -1.0);
  return at;
}

QuickRule::Mover QuickRule::moving(Frame& frame, int body, int ancestor, std::size_t chain) const {
  Mover mover;
  mover.at = &body_at(frame, body);
  mover.body = body;
  mover.error = mover.at->error;
  if (chains_[chain].count == 0) return mover;
  const int link = model_.bodies[static_cast<std::size_t>(body)].link;
  const LinkAt &own = link_at(frame, link), &above = link_at(frame, ancestor);
  mover.chain = &chains_[chain];
  mover.above = above.w;
  Velocity& v = mover.velocity;
  v.w = own.w - above.w;
  v.u = own.u - above.u;
  const double w = size(v.w), u = size(v.u);
  v.w_error = kUp * (own.w_error + above.w_error + 0x1p-53 * w);
  v.u_error = kUp * (own.u_error + above.u_error + 0x1p-53 * u);
  mover.error =
      kUp * ((1 + w) * mover.at->error + v.w_error * mover.at->reach + v.u_error + 0x1p-49 * u);
  mover.spin_error = kUp * (2.01 * (own.w_error + above.w_error) +
                            0x1p-48 * joints_[static_cast<std::size_t>(link)].spin);
  return mover;
}

QuickRule::Mover QuickRule::standing(int still) const {
  Mover mover;
  mover.error = still_error_;
  if (still < 0) return mover;
  mover.at = &still_[static_cast<std::size_t>(still)];
  mover.error = mover.at->error;
  return mover;
}

namespace {

// The highest n · (x + s v(x)) over the node.
template <class Mover>
double highest_moved(const Node& node, const Mover& mover, const Vec3& n, double s) {
  if (!mover.at) return near_highest(node, n);
  const bool moves = s != 0 && mover.chain;
  const Vec3 d = moves ? n + s * cross(n, mover.velocity.w) : n;
  const double there =
      near_highest(node, transpose_times(mover.at->R_WB, d)) + dot(d, mover.at->p_WB);
  return moves ? there + s * dot(n, mover.velocity.u) : there;
}

}  // namespace

// Section "Losses". Of the farthest point of the body's ball to the axis.
double QuickRule::distance(Frame& frame, const Mover& mover, const ChainJoint& joint) const {
  double& known = frame.distances[joint.distance];
  if (known >= 0) return known;
  const LinkAt& link = link_at(frame, joint.link);
  const Vec3 v = mover.at->centre - link.X_WL.p;
  known = kUp * (model_.bodies[static_cast<std::size_t>(mover.body)].ball.radius +
                 norm(cross(v, link.axis)) + mover.at->error + link.X_WL.eps +
                 size(v) * (link.tilt + 0x1p-50));
  return known;
}

QuickRule::Lost QuickRule::lost(Frame& frame, const Mover& mover, const Vec3& n, double length,
                                double h) const {
  Lost sum;
  if (!mover.chain) return sum;
  for (std::size_t k = mover.chain->count; k-- > 0;) {
    const ChainJoint& joint = chain_joints_[mover.chain->first + k];
    const double radius =
        joint.turns ? std::min(distance(frame, mover, joint) + h * sum.speed, joint.reach) : 1;
    const double speed = radius * joint.speed;
    const int parent = model_.links[static_cast<std::size_t>(joint.link)].parent;
    const Vec3 spins =
        (link_at(frame, parent).w - mover.above) + (link_at(frame, joint.link).w - mover.above);
    const double turning =
        std::min(norm(cross(n, spins)) + length * (mover.spin_error + h * joint.drift),
                 length * joint.spin_bound);
    sum.speed += speed;
    sum.acceleration += speed * turning;
  }
  // Nothing was negative: each sum and product is off by at most 2^-53 of itself, and no more than
  // six of them follow upon each other per joint.
  const double up = 1 + 0x1p-50 * static_cast<double>(mover.chain->count + 2);
  return {up * sum.speed, up * sum.acceleration};
}

bool QuickRule::decide(Frame& frame, const Leaf& leaf, const Node& A, const Mover& a, const Node& B,
                       const Mover& b, const Required<Interval>& required) const {
  const Vec3& n = leaf.direction;
  const double length = kUp * norm(n);
  const double error = kUp * length * (a.error + b.error);
  // What the gap surely has beyond what is required.
  const auto spare_at = [&](double s) {
    const double gap = -highest_moved(B, b, -n, s) - highest_moved(A, a, n, s);
    const Interval clearance =
        s == 0 ? required.clearance : required.clearance + Interval(s) * required.growth;
    const double asked =
        above(std::max(clearance.hi * length, clearance.hi * (length / kUp / kUp)));
    return below(below(gap - error) - asked);
  };
  const double spare = spare_at(0);
  if (!(spare > 0)) return false;
  const double growth = required.growth.hi;
  const double most = growth + (a.chain ? a.chain->speed : 0) + (b.chain ? b.chain->speed : 0);
  for (const double s : {-leaf.before, leaf.after}) {
    const double h = std::fabs(s);
    if (h == 0 || spare > kUp * length * most * h) continue;
    const Lost of_a = lost(frame, a, n, length, h), of_b = lost(frame, b, n, length, h);
    if (spare > kUp * length * (of_a.speed + of_b.speed + growth) * h) continue;
    if (!(spare_at(s) > kUp * 0.5 * (of_a.acceleration + of_b.acceleration) * (h * h)))
      return false;
  }
  return true;
}

bool QuickRule::holds(const Leaf& leaf, const Node& A, const Node& B, int still,
                      const Required<Interval>& required) {
  Frame& there = frame(leaf.anchor);
  const Mover a = moving(there, a_, ancestor_, chain_a_);
  const Mover b = b_ >= 0 ? moving(there, b_, ancestor_, chain_b_) : standing(still);
  if (decide(there, leaf, A, a, B, b, required)) return true;
  if (!is_small(A) && !is_small(B)) return false;
  const auto by_pieces = [](Node node) {
    node.by_pieces = true;
    return node;
  };
  return decide(there, leaf, by_pieces(A), a, by_pieces(B), b, required);
}

QuickRule::Velocity QuickRule::velocity(double t, int body, int ancestor) {
  const std::size_t of_body = chain(body, ancestor);
  return moving(frame(t), body, ancestor, of_body).velocity;
}

QuickRule::Highest QuickRule::highest(double t, int body, int ancestor, const Node& node,
                                      const Vec3& n, double s) {
  const std::size_t of_body = chain(body, ancestor);
  const Mover mover = moving(frame(t), body, ancestor, of_body);
  return {highest_moved(node, mover, n, s), kUp * kUp * norm(n) * mover.error};
}

QuickRule::Lost QuickRule::lost(double t, int body, int ancestor, const Vec3& n, double h) {
  const std::size_t of_body = chain(body, ancestor);
  Frame& there = frame(t);
  return lost(there, moving(there, body, ancestor, of_body), n, kUp * norm(n), h);
}

}  // namespace proven::verifier
