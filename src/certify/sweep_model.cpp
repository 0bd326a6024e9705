#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "margins.h"
#include "proven/geometry/body_geometry.h"
#include "sweep.h"
#include "with_z.h"

namespace proven {

PROVEN_DEFINE_KERNEL(SweepKernel, sweep_kernel);

namespace {

// A float that is not smaller.
// Zero stays zero: products of the least floats are a hundred times slower.
float up(double x) {
  const auto near = static_cast<float>(x);
  return static_cast<double>(near) < x ? std::nextafterf(near, INFINITY) : near;
}

float down(double x) {
  return -up(-x);
}

// 1 + i or -(1 + i) for the unit vector i and its opposite, if no element is off by more than a
// float is rounded by; else 0.
std::int8_t unit_column(const Mat3& R, int column) {
  for (int i = 0; i < 3; ++i) {
    const double sign = R(i, column) < 0 ? -1 : 1;
    bool same = true;
    for (int k = 0; k < 3; ++k)
      same = same && std::fabs(R(k, column) - (k == i ? sign : 0)) <= 0x1p-24;
    if (same) return static_cast<std::int8_t>(sign * (1 + i));
  }
  return 0;
}

// Meshes that stand still are seen as so many boxes at most, and what a sensor saw, which lies
// around the robot, as so many.
constexpr std::size_t kMostBoxes = 32, kMostSensedBoxes = 512;

// Boxes of the tree that hold all items below `end_item`, the largest split first.
std::vector<Aabb> boxes_over(const BoxTree& tree, int end_item, std::size_t most) {
  const auto size = [&](int node) {
    const Vec3& h = tree.nodes[static_cast<std::size_t>(node)].half;
    return h.x * h.y + h.y * h.z + h.z * h.x;
  };
  const auto smaller = [&](int a, int b) { return size(a) < size(b); };
  std::priority_queue<int, std::vector<int>, decltype(smaller)> open(smaller);
  open.push(0);
  std::vector<Aabb> boxes;
  while (!open.empty()) {
    const int index = open.top();
    open.pop();
    const BoxNode& node = tree.nodes[static_cast<std::size_t>(index)];
    if (node.is_leaf() || open.size() + boxes.size() + 2 > most) {
      // Convex pieces are solids of their own.
      bool any = false;
      for (int i = node.first_item; i < node.end_item && !any; ++i)
        any = tree.order[static_cast<std::size_t>(i)] < end_item;
      if (any) boxes.push_back({node.centre - node.half, node.centre + node.half});
      continue;
    }
    open.push(node.first_child);
    open.push(node.first_child + 1);
  }
  return boxes;
}

struct Ball {
  std::array<float, 3> centre = {};
  float radius = 0;
};

// Holds all of them. The centre is in the hull of theirs, so that it bends no more, and its
// positions err no more, than those of the worst of them.
Ball ball_around(std::span<const Ball> balls) {
  if (balls.size() == 1) return balls[0];
  const auto centre_of = [](const Ball& b) { return Vec3{b.centre[0], b.centre[1], b.centre[2]}; };
  const auto reach = [&](const Vec3& from, const Ball& ball) {
    return norm(centre_of(ball) - from) + ball.radius;
  };
  Vec3 middle = centre_of(balls[0]);
  constexpr int kSteps = 64;
  for (int step = 1; step <= kSteps; ++step) {
    const Ball& farthest =
        *std::ranges::max_element(balls, {}, [&](const Ball& ball) { return reach(middle, ball); });
    middle += (1.0 / (step + 1)) * (centre_of(farthest) - middle);
  }
  Ball around;
  for (int i = 0; i < 3; ++i)
    around.centre[static_cast<std::size_t>(i)] = static_cast<float>(middle[i]);
  double radius = 0;
  for (const Ball& ball : balls) radius = std::max(radius, reach(centre_of(around), ball));
  around.radius = up(radius * (1 + 0x1p-40));
  return around;
}

// How often the balls of a body are halved into clusters, and how many are not worth it.
constexpr int kHalvings = 2;
static_assert(1 << kHalvings == SweepModel::kMostClusters);
constexpr std::size_t kFewBalls = 4;

// Across the longest side of a box around their centres. The size of the first half.
std::size_t halve(std::span<CoverBall> balls) {
  Vec3 lo = balls[0].centre, hi = lo;
  for (const CoverBall& ball : balls)
    for (int i = 0; i < 3; ++i) {
      lo[i] = std::min(lo[i], ball.centre[i]);
      hi[i] = std::max(hi[i], ball.centre[i]);
    }
  const Vec3 size = hi - lo;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  std::ranges::stable_sort(balls, {}, [&](const CoverBall& ball) { return ball.centre[axis]; });
  return balls.size() / 2;
}

}  // namespace

SweepModel::SweepModel(const ModelData& model, const SweepModel* previous) : model_(model) {
  const Scene& scene = model.scene();
  if (!scene.timed().empty()) {
    usable_ = false;
    return;
  }
  add_solids();
  index_of_body_.assign(scene.bodies().size(), -1);
  if (previous) {
    take_bodies(*previous);
  } else {
    add_joints();
    for (int i = 0; i < static_cast<int>(scene.bodies().size()); ++i)
      if (!model.is_still(i)) add_body(i);
  }
  set_errors();
  add_pairs(previous);
  add_groups();
  pair_groups();
}

// The same bodies in the same order, whatever stands around them.
void SweepModel::take_bodies(const SweepModel& previous) {
  joint_of_link_ = previous.joint_of_link_;
  X_FL_ = previous.X_FL_;
  joints_ = previous.joints_;
  bodies_ = previous.bodies_;
  balls_ = previous.balls_;
  centres_ = previous.centres_;
  clusters_ = previous.clusters_;
  cluster_balls_ = previous.cluster_balls_;
  cluster_centres_ = previous.cluster_centres_;
  levers_ = previous.levers_;
  points_ = previous.points_;
  point_lanes_ = previous.point_lanes_;
  parts_ = previous.parts_;
  part_middles_ = previous.part_middles_;
  std::size_t next = 0;
  for (int i = 0; i < static_cast<int>(model_.scene().bodies().size()); ++i) {
    if (model_.is_still(i)) continue;
    index_of_body_[static_cast<std::size_t>(i)] = static_cast<int>(next);
    bodies_[next++].body = i;
  }
}

void SweepModel::set_errors() {
  for (Body& body : bodies_)
    body.error = up(kSweepFloatError * (body.span + reach_) + body.pose_error);
  still_error_ = up(kSweepFloatError * reach_);
}

void SweepModel::add_joints() {
  const KinematicTree& tree = model_.scene().tree();
  joint_of_link_.assign(static_cast<std::size_t>(tree.num_links()), -1);
  X_FL_.assign(static_cast<std::size_t>(tree.num_links()), Pose{});
  for (int l = 1; l < tree.num_links(); ++l) {
    const Link& link = tree.link(l);
    const auto parent = static_cast<std::size_t>(link.parent);
    const auto self = static_cast<std::size_t>(l);
    const Pose X_FJ = X_FL_[parent] * link.joint.X_PJ;
    joint_of_link_[self] = joint_of_link_[parent];
    X_FL_[self] = X_FJ;
    if (link.joint.kind == JointKind::fixed) continue;
    Joint joint;
    joint.link = l;
    joint.parent = joint_of_link_[parent];
    joint.coordinate = link.joint.coordinate;
    joint.multiplier = link.joint.multiplier;
    joint.offset = link.joint.offset;
    joint.kind = link.joint.kind == JointKind::revolute    ? SweepJoint::Kind::turn
                 : link.joint.kind == JointKind::prismatic ? SweepJoint::Kind::slide
                                                           : SweepJoint::Kind::ball;
    Pose X_JM;  // the frame with its z along the axis
    if (joint.kind != SweepJoint::Kind::ball) X_JM.R = with_z(link.joint.axis);
    const Pose X_PJ = X_FJ * X_JM;
    joint.exact_X_PJ = X_PJ;
    for (int i = 0; i < 9; ++i) joint.X_PJ[i] = static_cast<float>(X_PJ.R(i / 3, i % 3));
    for (int i = 0; i < 3; ++i) joint.X_PJ[9 + i] = static_cast<float>(X_PJ.p[i]);
    for (int j = 0; j < 3; ++j) joint.unit[j] = unit_column(X_PJ.R, j);
    X_FL_[self] = inverse(X_JM);
    joint_of_link_[self] = static_cast<int>(joints_.size());
    joints_.push_back(joint);
  }
}

void SweepModel::add_body(int index) {
  const proven::Body& body = model_.scene().body(index);
  const auto link = static_cast<std::size_t>(body.link);
  Body made;
  made.body = index;
  made.joint = joint_of_link_[link];
  made.X_FB = X_FL_[link] * body.X_LB;
  add_shape(*body.geometry, made.X_FB, made);
  add_balls(*body.geometry, made);
  add_levers(made);
  index_of_body_[static_cast<std::size_t>(index)] = static_cast<int>(bodies_.size());
  bodies_.push_back(std::move(made));
}

void SweepModel::add_balls(const BodyGeometry& geometry, Body& made) {
  made.first_ball = static_cast<int>(balls_.size());
  made.first_cluster = static_cast<int>(clusters_.size());
  std::vector<CoverBall> cover = geometry.balls();
  std::vector<std::span<CoverBall>> clusters;
  if (!cover.empty()) clusters.emplace_back(cover);
  for (int i = 0; i < kHalvings; ++i)
    for (std::size_t c = clusters.size(); c-- > 0;) {
      const std::span<CoverBall> all = clusters[c];
      if (all.size() <= kFewBalls) continue;
      const std::size_t middle = halve(all);
      clusters[c] = all.first(middle);
      clusters.push_back(all.subspan(middle));
    }
  // Those that are deep inside find contacts soonest.
  for (const std::span<CoverBall> own : clusters)
    std::ranges::stable_sort(own, std::greater<>{}, &CoverBall::depth);
  std::ranges::stable_sort(clusters, std::greater<>{},
                           [](const std::span<CoverBall> own) { return own[0].depth; });
  const double coordinate_error = 0x1p-44 * geometry.max_coordinate();
  for (const std::span<CoverBall> own : clusters) add_cluster(own, coordinate_error, made.X_FB);
  made.num_balls = static_cast<int>(balls_.size()) - made.first_ball;
  made.num_clusters = static_cast<int>(clusters_.size()) - made.first_cluster;
}

void SweepModel::add_cluster(std::span<const CoverBall> own, double coordinate_error,
                             const Pose& X_FB) {
  clusters_.push_back({static_cast<int>(balls_.size()), static_cast<int>(own.size())});
  std::vector<Ball> rounded;
  for (const CoverBall& ball : own) {
    const SweepBall& made = balls_.emplace_back(
        SweepBall{up(ball.radius + coordinate_error), down(ball.depth - coordinate_error)});
    const Vec3 centre = X_FB * ball.centre;
    Ball& b = rounded.emplace_back();
    for (int i = 0; i < 3; ++i)
      b.centre[static_cast<std::size_t>(i)] = static_cast<float>(centre[i]);
    b.radius = made.radius;
    centres_.insert(centres_.end(), b.centre.begin(), b.centre.end());
  }
  const Ball around = ball_around(rounded);
  cluster_balls_.push_back({around.radius, 0});
  cluster_centres_.insert(cluster_centres_.end(), around.centre.begin(), around.centre.end());
}

// What the body is in a frame in which it has the pose X.
void SweepModel::add_shape(const BodyGeometry& geometry, const Pose& X, Shape& made) {
  const BoundingSphere& sphere = geometry.bounding_sphere();
  const Vec3 middle = X * sphere.centre;
  for (int i = 0; i < 3; ++i)
    made.centre[static_cast<std::size_t>(i)] = static_cast<float>(middle[i]);
  made.radius = up(sphere.radius + 0x1p-44 * geometry.max_coordinate());
  made.outline = add_outline(geometry, geometry.outline(), X);
  add_parts(geometry, X, made);
  made.inside = InnerLanes::of(geometry, X);
}

SweepModel::Outline SweepModel::add_outline(const BodyGeometry& geometry,
                                            const proven::Outline& outline, const Pose& X) {
  Outline made;
  made.first_point = static_cast<int>(points_.size()) / 3;
  made.num_points = static_cast<int>(outline.points.size());
  made.radius = up(outline.radius + 0x1p-44 * geometry.max_coordinate());
  made.on_body = outline.on_body;
  for (const Vec3& p : outline.points) {
    const Vec3 q = X * p;
    for (int i = 0; i < 3; ++i) points_.push_back(static_cast<float>(q[i]));
    made.middle += (1.0 / made.num_points) * q;
  }
  made.first_lane = static_cast<int>(point_lanes_.size());
  made.num_lanes = (made.num_points + kMoments - 1) / kMoments * kMoments;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < made.num_lanes; ++k) {
      const int point = made.first_point + (k < made.num_points ? k : 0);
      point_lanes_.push_back(
          points_[3 * static_cast<std::size_t>(point) + static_cast<std::size_t>(i)]);
    }
  return made;
}

// The middle of an outline is in its hull, and so within the ball around the body: what bounds the
// bend of the body's points bounds that of the middle.
void SweepModel::add_parts(const BodyGeometry& geometry, const Pose& X, Shape& made) {
  made.first_part = static_cast<int>(parts_.size());
  std::span<const proven::Outline> outlines = geometry.part_outlines();
  if (outlines.empty()) outlines = {&geometry.outline(), 1};
  for (const proven::Outline& outline : outlines) {
    Part part{add_outline(geometry, outline, X), 0};
    const Vec3& middle = part.outline.middle;
    double farthest = 0;
    for (const Vec3& p : outline.points) farthest = std::max(farthest, norm(X * p - middle));
    part.radius =
        up((farthest + part.outline.radius) * (1 + 0x1p-40) + 0x1p-44 * geometry.max_coordinate());
    for (int i = 0; i < 3; ++i) part_middles_.push_back(static_cast<float>(middle[i]));
    parts_.push_back(part);
  }
  made.num_parts = static_cast<int>(parts_.size()) - made.first_part;
}

// Levers of all centres of the body's balls.
void SweepModel::add_levers(Body& made) {
  const proven::Body& body = model_.scene().body(made.body);
  BoundingSphere centres{body.geometry->bounding_sphere().centre, 0};
  for (const CoverBall& ball : body.geometry->balls())
    centres.radius = std::max(centres.radius, norm(ball.centre - centres.centre) * (1 + 0x1p-40));
  const MotionFactors factors = compute_motion_factors(model_.scene().tree(), body.link, body.X_LB,
                                                       centres, model_.reach().ranges());
  const MotionFactors of_body =
      compute_motion_factors(model_.scene().tree(), body.link, body.X_LB,
                             body.geometry->bounding_sphere(), model_.reach().ranges());
  made.first_lever = static_cast<int>(levers_.size());
  for (std::size_t i = factors.factors.size(); i-- > 0;) {
    const int joint = joint_of_link_[static_cast<std::size_t>(factors.factors[i].link)];
    levers_.push_back({joint, factors.factors[i].radius, of_body.factors[i].radius,
                       joints_[static_cast<std::size_t>(joint)].kind != SweepJoint::Kind::slide});
  }
  made.num_levers = static_cast<int>(levers_.size()) - made.first_lever;
  made.span = norm(factors.swept_sphere.centre) + factors.swept_sphere.radius;
  const ChainRounding rounding = position_rounding(model_.scene().tree(), body.link, body.X_LB,
                                                   *body.geometry, model_.reach().ranges());
  made.pose_error = kSweepPoseError * rounding.bound() +
                    kSweepJointError * (made.num_levers + 1) * rounding.length();
}

void SweepModel::add_solids() {
  const Scene& scene = model_.scene();
  const auto add = [&](int still, const Pose& X_WS, const Vec3& half, double radius, bool cylinder,
                       bool whole) {
    SweepSolid solid;
    solid.aligned = true;
    Aabb box;
    for (int i = 0; i < 3; ++i) {
      double extent = 0;
      for (int j = 0; j < 3; ++j) {
        solid.R[3 * i + j] = static_cast<float>(X_WS.R(j, i));
        solid.aligned = solid.aligned && solid.R[3 * i + j] == (i == j ? 1 : 0);
        extent += std::fabs(X_WS.R(i, j)) * half[j];
      }
      solid.c[i] = static_cast<float>(X_WS.p[i]);
      solid.half[i] = up(half[i]);
      box.lo[i] = X_WS.p[i] - extent - radius;
      box.hi[i] = X_WS.p[i] + extent + radius;
    }
    solid.radius = up(radius);
    solid.cylinder = cylinder;
    solid.whole = whole;
    reach_ = std::max(reach_, norm(X_WS.p) + norm(half) + radius);
    const std::size_t lane = solids_.size() % kMoments;
    if (lane == 0) {
      BoxLanes& empty = solid_boxes_.emplace_back();
      for (int i = 0; i < 6; ++i) std::fill_n(empty.v[i], kMoments, i < 3 ? INFINITY : -INFINITY);
    }
    for (int i = 0; i < 3; ++i) {
      solid_boxes_.back().v[i][lane] = static_cast<float>(box.lo[i]);
      solid_boxes_.back().v[i + 3][lane] = static_cast<float>(box.hi[i]);
    }
    solids_.push_back(solid);
    solid_bodies_.push_back(still);
  };
  for (int still = 0; still < model_.num_still(); ++still) {
    const int index = model_.still_body(still);
    const BodyGeometry& geometry = *scene.body(index).geometry;
    const Pose& X_WB = model_.still_pose(index);
    for (const Convex& c : geometry.convexes()) {
      if (c.kind == ConvexKind::hull) {
        const Aabb box = box_of(c);
        add(still, X_WB * Pose::translation(0.5 * (box.lo + box.hi)), 0.5 * (box.hi - box.lo), 0,
            false, false);
        continue;
      }
      const Vec3 half = c.kind == ConvexKind::sphere ? Vec3{} : c.half_extents;
      add(still, X_WB * c.X_BS, half, c.radius, c.kind == ConvexKind::cylinder, true);
    }
    const bool sensed = !geometry.grains().empty();
    if (geometry.triangles().empty() && !sensed) continue;
    if (geometry.has_inside() && !sensed) {
      const Aabb box = box_of({geometry.bounds()[0], geometry.bounds()[1]}, X_WB);
      Hollow hollow{still};
      for (int i = 0; i < 3; ++i)
        hollow.lo[static_cast<std::size_t>(i)] = down(box.lo[i]),
        hollow.hi[static_cast<std::size_t>(i)] = up(box.hi[i]);
      hollow_bodies_.push_back(hollow);
    }
    const int end = sensed ? geometry.num_pieces() : static_cast<int>(geometry.triangles().size());
    for (const Aabb& box :
         boxes_over(geometry.box_tree(), end, sensed ? kMostSensedBoxes : kMostBoxes))
      add(still, X_WB * Pose::translation(0.5 * (box.lo + box.hi)), 0.5 * (box.hi - box.lo), 0,
          false, false);
  }
}

// If one of two bodies carries the other: how many joints move both. Else -1.
int SweepModel::shared_levers(int a, int b) const {
  const Body &A = bodies_[static_cast<std::size_t>(a)], &B = bodies_[static_cast<std::size_t>(b)];
  const auto of_a = levers(A), of_b = levers(B);
  const std::size_t shared = std::min(of_a.size(), of_b.size());
  for (std::size_t i = 0; i < shared; ++i)
    if (of_a[i].joint != of_b[i].joint) return -1;
  return static_cast<int>(shared);
}

void SweepModel::add_pairs(const SweepModel* previous) {
  for (Body& body : bodies_) {
    body.still_pairs.assign(static_cast<std::size_t>(model_.num_still()), -1);
    body.still_need.assign(body.still_pairs.size(), 0);
    body.still_links.clear();
    body.most_needed = body.most_pair_needed = 0;
  }
  for (int p = 0; p < static_cast<int>(model_.pairs().size()); ++p) {
    const PairModel& pair = model_.pair(p);
    // Where an overlap is allowed, balls say nothing.
    const float need = pair.clearance < 0 ? INFINITY : up(pair.clearance * (1 + 0x1p-40));
    int a = index_of_body_[static_cast<std::size_t>(pair.a)];
    int b = index_of_body_[static_cast<std::size_t>(pair.b)];
    if (a >= 0 && b >= 0) {
      for (const int body : {a, b}) {
        float& most = bodies_[static_cast<std::size_t>(body)].most_pair_needed;
        most = std::max(most, need);
      }
      const std::size_t place = pairs_.size();
      const Pair* same =
          previous && place < previous->pairs_.size() ? &previous->pairs_[place] : nullptr;
      // Two clearances may be the same float: a table holds for its own alone.
      if (same && (same->a != a || same->b != b || same->clearance != pair.clearance))
        same = nullptr;
      pairs_.push_back({p, a, b, need, pair.clearance, same ? same->table : pair_table(model_, p),
                        same ? same->shared : shared_levers(a, b)});
      continue;
    }
    const int still = model_.still_place(a >= 0 ? pair.b : pair.a);
    Body& body = bodies_[static_cast<std::size_t>(a >= 0 ? a : b)];
    body.still_pairs[static_cast<std::size_t>(still)] = p;
    body.still_need[static_cast<std::size_t>(still)] = need;
    body.most_needed = std::max(body.most_needed, need);
    if (model_.scene().pair_class(pair.a, pair.b) == PairClass::self)
      add_still_link(body, p, still, previous);
  }
  gather_tables();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    body.first_still_link = num_still_links_;
    num_still_links_ += static_cast<int>(body.still_links.size());
    body.still_link.assign(body.still_pairs.size(), -1);
    for (std::size_t i = 0; i < body.still_links.size(); ++i) {
      const StillLink& link = body.still_links[i];
      body.still_link[static_cast<std::size_t>(link.still)] = static_cast<int>(i);
      if (link.table) told_links_.push_back({static_cast<int>(b), static_cast<int>(i)});
    }
  }
}

void SweepModel::gather_tables() {
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const PairTable* table = pairs_[p].table.get();
    if (!table || table->spun) continue;
    auto same = std::ranges::find_if(told_pairs_, [&](const ToldPairs& told) {
      return pairs_[static_cast<std::size_t>(told.pairs[0])].table->axis == table->axis;
    });
    if (same == told_pairs_.end()) same = told_pairs_.insert(same, ToldPairs{});
    same->pairs.push_back(static_cast<int>(p));
  }
  for (ToldPairs& told : told_pairs_) {
    if (told.pairs.size() == 1) continue;
    const auto table = [&](int p) { return pairs_[static_cast<std::size_t>(p)].table; };
    auto all = std::make_shared<PairTable>(table(told.pairs[0])->without_contacts());
    for (const int p : told.pairs) all->keep_free(*table(p));
    told.all = std::move(all);
  }
}

// A link that the robot stands on does not change with the world around it.
void SweepModel::add_still_link(Body& body, int pair, int still, const SweepModel* previous) {
  const int other = model_.still_body(still);
  const proven::Body& there = model_.scene().body(other);
  const double clearance = model_.pair(pair).clearance;
  if (previous) {
    const Body& known = previous->bodies_[static_cast<std::size_t>(&body - bodies_.data())];
    for (StillLink link : known.still_links) {
      const int before = previous->model_.still_body(link.still);
      const proven::Body& was = previous->model_.scene().body(before);
      if (was.geometry != there.geometry || was.link != there.link || was.X_LB != there.X_LB ||
          link.clearance != clearance)
        continue;
      link.still = still;
      body.still_links.push_back(std::move(link));
      return;
    }
  }
  StillLink made;
  // Most links of a robot face the same one.
  const StillLink* same = nullptr;
  for (const Body& known : bodies_)
    for (const StillLink& link : known.still_links)
      if (link.still == still) same = &link;
  if (same)
    static_cast<Shape&>(made) = *same;
  else
    add_shape(*there.geometry, model_.still_pose(other), made);
  made.still = still;
  made.clearance = clearance;
  made.table = pair_table(model_, pair);
  body.still_links.push_back(std::move(made));
}

// Bodies that move together are looked at as one first.
void SweepModel::add_groups() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Body& body = bodies_[b];
    if (groups_.empty() || groups_.back().joint != body.joint) {
      groups_.push_back({static_cast<int>(b), 0, body.joint});
      groups_.back().first_lever = static_cast<int>(group_levers_.size());
      groups_.back().num_levers = body.num_levers;
      const auto own = levers(body);
      group_levers_.insert(group_levers_.end(), own.begin(), own.end());
    }
    Group& group = groups_.back();
    ++group.num_bodies;
    group.error = std::max(group.error, body.error);
    group.most_needed = std::max(group.most_needed, body.most_needed);
    group.most_pair_needed = std::max(group.most_pair_needed, body.most_pair_needed);
    for (std::size_t i = 0; i < static_cast<std::size_t>(body.num_levers); ++i) {
      Lever& most = group_levers_[static_cast<std::size_t>(group.first_lever) + i];
      most.radius = std::max(most.radius, levers(body)[i].radius);
    }
    body.group = static_cast<int>(groups_.size()) - 1;
  }
  for (Group& group : groups_) set_ball(group);
}

// Around the balls of all its bodies.
void SweepModel::set_ball(Group& group) const {
  std::vector<Ball> balls;
  for (const Body& body : bodies().subspan(static_cast<std::size_t>(group.first_body),
                                           static_cast<std::size_t>(group.num_bodies)))
    balls.push_back({body.centre, body.radius});
  const Ball around = ball_around(balls);
  group.centre = around.centre;
  group.radius = around.radius;
}

void SweepModel::pair_groups() {
  std::map<std::pair<int, int>, std::size_t> known;
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const int a = bodies_[static_cast<std::size_t>(pairs_[p].a)].group;
    const int b = bodies_[static_cast<std::size_t>(pairs_[p].b)].group;
    const auto [place, added] =
        known.try_emplace({std::min(a, b), std::max(a, b)}, group_pairs_.size());
    if (added) group_pairs_.push_back({std::min(a, b), std::max(a, b)});
    GroupPair& both = group_pairs_[place->second];
    both.pairs.push_back(static_cast<int>(p));
    both.need = std::max(both.need, pairs_[p].need);
  }
}

}  // namespace proven
