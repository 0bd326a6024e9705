// The directional rule against dense sampling of exact motions, at the largest clearance that it
// still proves: a term that is missing or wrong lets some sample come closer.
#include "certify/separation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "certify/exact_motion.h"
#include "kinematics/random_robot.h"
#include "proven/scene/scene.h"
#include "support.h"

namespace proven {
namespace {

using exact::ExactMotion;
using exact::Real;
using exact::RPose;
using exact::RVec;

Shape single_triangle(Random& random, double size) {
  TriangleMesh mesh;
  for (int i = 0; i < 3; ++i)
    mesh.vertices.push_back(size * random.uniform() * random.unit_vector());
  mesh.triangles = {{0, 1, 2}};
  return std::make_shared<const TriangleMesh>(std::move(mesh));
}

// A robot of all kinds of joints, with a box or a triangle on every link, and still bodies.
Scene random_scene(Random& random) {
  const test::RandomRobotOptions options{
      .links = 2 + random.index(6), .several_values = true, .straight = 0.7};
  Robot robot = test::random_robot(random, {}, options);
  const auto element = [&](double size) -> CollisionElement {
    const Pose X = test::random_pose(random, 0.3);
    if (random.index(2) == 0) return {single_triangle(random, size), X, "triangle"};
    return {Box{size * Vec3{random.uniform(0.01, 1), random.uniform(0.01, 1), 0.5}}, X, "box"};
  };
  for (RobotLink& link : robot.links) link.collision = {element(0.2)};
  SceneBuilder builder;
  EXPECT_TRUE(builder.add_robot(robot, "r", test::random_pose(random, 0.3)).ok());
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(
        builder.add_obstacle(fmt::format("o{}", i), {element(1)}, test::random_pose(random, 1))
            .ok());
  auto scene = std::move(builder).build();
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().text());
  return std::move(scene).value();
}

// A scene with a segment, an anchor and a pair.
class Case {
 public:
  explicit Case(Random& random, bool curved = false) : scene_(random_scene(random)) {
    const KinematicTree& tree = scene_.tree();
    motion_.from = random_configuration(tree, random);
    motion_.to = random_configuration(tree, random);
    if (curved) bend(random);
    // Single joints and slow motions too.
    const int kind = random.index(3);
    for (std::size_t i = 0; i < motion_.to.size(); ++i)
      if (!tree.coordinates()[i].quaternion && kind > 0 && random.index(2) == 0)
        set(i, motion_.from[i]);
    Reach reach(scene_);
    reach.cover(tree, motion_.from, motion_.from);
    reach.cover(tree, motion_.to, motion_.to);
    for (const auto& q : motion_.inner) reach.cover(tree, q, q);
    model_ = std::make_unique<ModelData>(scene_, Requirement{}, reach, nullptr);
    joint_rates(tree, motion_, 0, 0, 1, rates_);
    const int depth = 1 + random.index(8);
    t_ = std::ldexp(2 * random.index(1 << (depth - 1)) + 1, -depth);
    reach_ = std::ldexp(1.0, -depth);
    anchor_.compute(*model_, motion_, rates_, t_, reach_);
    exact_ = std::make_unique<ExactMotion>(scene_, motion_.from, motion_.to, motion_.inner);
  }

  bool choose_pair(Random& random) {
    if (scene_.pairs().empty()) return false;
    match_ = model_->match(random.index(static_cast<int>(scene_.pairs().size())));
    a_ = side(match_.a, motion_a_);
    b_ = side(match_.b, motion_b_);
    return a_.motion->speed_upper + b_.motion->speed_upper > 0;
  }

  Slack evaluate(double clearance, const Vec3* n) {
    separation_.begin(a_, b_, clearance, match_.rounding_bound, reach_);
    if (n) return separation_.along(*n, node_a(), node_b());
    separation_.begin_boxes();
    return separation_.boxes(node_a(), node_b());
  }
  const BoxNode& node_a() const { return a_.tree->nodes[0]; }
  const BoxNode& node_b() const { return b_.tree->nodes[0]; }

  Vec3 between() const { return b_.centre - a_.centre; }
  double reach() const { return reach_; }
  const Side& a() const { return a_; }
  const Side& b() const { return b_; }
  double rounding_bound() const { return match_.rounding_bound; }

  // The greatest |n·x''| of a corner of a's box at samples of both sides, by differences.
  Real sampled_acceleration(const Vec3& n) const {
    const auto anchor_links = exact_->links(t_);
    const RPose X_WC = anchor_links[static_cast<std::size_t>(match_.ancestor)];
    constexpr Real kStep = 1e-4L;
    Real greatest = 0;
    for (int i = -4; i <= 4; ++i) {
      const Real at = t_ + static_cast<Real>(reach_) * i / 4;
      RPose X[3];
      for (int k = 0; k < 3; ++k) {
        const auto links = exact_->links(at + (k - 1) * kStep);
        X[k] = X_WC * exact::inverse(links[static_cast<std::size_t>(match_.ancestor)]) *
               exact_->body(links, match_.a);
      }
      for (int corner = 0; corner < 8; ++corner) {
        const Vec3 &c = node_a().centre, &half = node_a().half;
        const RVec p(c.x + (corner & 1 ? half.x : -half.x), c.y + (corner & 2 ? half.y : -half.y),
                     c.z + (corner & 4 ? half.z : -half.z));
        const RVec difference = (X[2] * p - X[1] * p) - (X[1] * p - X[0] * p);
        greatest = std::fmax(greatest, std::fabs(dot(RVec(n), difference)) / (kStep * kStep));
      }
    }
    return greatest;
  }

  // The least gap along n, which is fixed in the ancestor's frame, at samples of one side.
  Real sampled_gap(const Vec3& n, bool before, bool boxes) const {
    const auto anchor_links = exact_->links(t_);
    const RPose X_WC = anchor_links[static_cast<std::size_t>(match_.ancestor)];
    Real least = 1e30L;
    constexpr int kSamples = 24;
    for (int i = 0; i <= kSamples; ++i) {
      const Real s = static_cast<Real>(reach_) * i / kSamples * (before ? -1 : 1);
      const auto links = exact_->links(t_ + s);
      const RPose shift = X_WC * exact::inverse(links[static_cast<std::size_t>(match_.ancestor)]);
      const Real above = support(shift * exact_->body(links, match_.b), b_, -1.0L, n, boxes);
      const Real below = support(shift * exact_->body(links, match_.a), a_, 1.0L, n, boxes);
      least = std::fmin(least, -above - below);
    }
    return least;
  }

 private:
  // Control points between the ends, near the straight line or anywhere.
  void bend(Random& random) {
    const KinematicTree& tree = scene_.tree();
    const int degree = 2 + random.index(4);
    const double size = random.index(2) == 0 ? 0.1 : 1;
    for (int k = 1; k < degree; ++k) {
      std::vector<double> q(motion_.from.size());
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double straight = motion_.from[i] + (motion_.to[i] - motion_.from[i]) * k / degree;
        q[i] = tree.coordinates()[i].quaternion ? random.uniform(-size, size)
                                                : straight + random.uniform(-size, size);
      }
      for (const Link& link : tree.links())
        if (link.joint.kind == JointKind::ball)
          q[static_cast<std::size_t>(link.joint.coordinate) + 3] = 0;
      motion_.inner.push_back(std::move(q));
    }
  }
  void set(std::size_t coordinate, double value) {
    motion_.to[coordinate] = value;
    for (auto& q : motion_.inner) q[coordinate] = value;
  }

  Side side(int body, BodyMotion& motion) {
    anchor_.compute_motion(body, match_.ancestor, motion);
    // The spheres ask for the speed alone.
    EXPECT_EQ(anchor_.speed_upper(body, match_.ancestor), motion.speed_upper);
    const BodyGeometry& geometry = *scene_.body(body).geometry;
    return {anchor_.X_WB(body),
            &geometry.box_tree(),
            &geometry,
            &motion,
            anchor_.centre(body),
            model_->body(body).sphere.radius};
  }

  // max of sign n·x over the root: its piece, or its box.
  static Real support(const RPose& X, const Side& side, Real sign, const Vec3& n, bool boxes) {
    const BoxNode& node = side.tree->nodes[0];
    Real most = -1e30L;
    const auto consider = [&](const RVec& p) {
      most = std::fmax(most, sign * dot(RVec(n), X * p));
    };
    if (!boxes && node.num_points > 0) {
      for (int i = 0; i < node.num_points; ++i)
        consider(RVec(side.tree->points[static_cast<std::size_t>(node.first_point + i)]));
      return most;
    }
    const bool piece = !boxes;
    const Convex* box = piece ? &side.geometry->convexes()[0] : nullptr;
    const Vec3 half = piece ? box->half_extents : node.half;
    const RPose X_BS = piece ? exact::nearest(box->X_BS) : RPose{{}, RVec(node.centre)};
    for (int corner = 0; corner < 8; ++corner)
      consider(X_BS * RVec(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                           corner & 4 ? half.z : -half.z));
    return most;
  }

  Scene scene_;
  std::unique_ptr<ModelData> model_;
  OwnedMotion motion_;
  std::vector<JointRate> rates_;
  double t_ = 0, reach_ = 0;
  Anchor anchor_;
  std::unique_ptr<ExactMotion> exact_;
  Match match_;
  BodyMotion motion_a_, motion_b_;
  Side a_, b_;
  Separation separation_;
};

// The largest clearance for which `holds`, to 2^-40 of the range.
template <class Holds>
double largest_provable(Holds holds) {
  double low = -1e3, high = 1e3;
  if (!holds(low)) return -INFINITY;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

struct Tally {
  int proved = 0, tight = 0, apart = 0, overlapping = 0, violations = 0;
  double closest = INFINITY;  // least of (sampled gap - clearance) in units of the rounding bound
};

void check_side(const Case& c, const Vec3& n, bool before, bool boxes, double clearance, double gap,
                Tally& tally) {
  const Real least = c.sampled_gap(n, before, boxes);
  ++tally.proved;
  ++(gap > 0 ? tally.apart : tally.overlapping);
  if (!(least > clearance)) ++tally.violations;
  tally.closest =
      std::fmin(tally.closest,
                static_cast<double>((least - static_cast<Real>(clearance)) / c.rounding_bound()));
  // What the rule allowed for, against what happened.
  if (gap - clearance > 1e-9 && gap - static_cast<double>(least) > 0.9 * (gap - clearance))
    ++tally.tight;
}

void report(const char* name, const Tally& tally) {
  std::printf("%s: %d sides proved (%d apart, %d overlapping), %d tight to 10 %%, %d violated\n",
              name, tally.proved, tally.apart, tally.overlapping, tally.tight, tally.violations);
}

class SeparationOn : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Curves, SeparationOn, testing::Bool(),
                         [](const auto& shape) { return shape.param ? "curved" : "straight"; });

TEST_P(SeparationOn, AlongOneDirectionNoSampleIsCloser) {
  Random random(61);
  Tally tally;
  for (int n = test::cases(4000); n > 0; --n) {
    Case c(random, GetParam());
    for (int k = 0; k < 3; ++k) {
      if (!c.choose_pair(random)) continue;
      const Vec3 direction = random.index(2) == 0 ? random.unit_vector() : normalized(c.between());
      const bool before = random.index(2) == 0;
      const double clearance = largest_provable([&](double value) {
        const Slack slack = c.evaluate(value, &direction);
        return (before ? slack.before : slack.after) > 0;
      });
      const double gap = c.evaluate(-1e3, &direction).gap - 1e3;
      check_side(c, direction, before, false, clearance, gap, tally);
    }
  }
  report("one direction", tally);
  EXPECT_EQ(tally.violations, 0);
  EXPECT_GT(tally.closest, 0.5);
  EXPECT_GT(tally.apart, tally.proved / 10);
  EXPECT_GT(tally.overlapping, tally.proved / 10);
  EXPECT_GT(tally.tight, tally.proved / 10);
}

// Not even that less than nothing is kept, an overlap that is allowed.
TEST(Separation, WhatIsNoDirectionProvesNothing) {
  Random random(64);
  const double inf = INFINITY, nan = std::nan("");
  int proved = 0;
  for (int n = test::cases(300); n > 0; --n) {
    Case c(random);
    if (!c.choose_pair(random)) continue;
    for (const Vec3& none :
         {Vec3{}, Vec3{nan, 0, 0}, Vec3{0, 1, nan}, Vec3{nan, nan, nan}, Vec3{inf, 0, 0},
          Vec3{0, -inf, 0}, Vec3{inf, inf, -inf}, Vec3{1e200, 0, 0}, Vec3{0, 1e-200, 0}})
      for (const double clearance : {0.0, -1e3}) {
        const Slack slack = c.evaluate(clearance, &none);
        ASSERT_FALSE(slack.gap > 0 || slack.before > 0 || slack.after > 0) << none.x;
        ASSERT_TRUE(is_finite(slack.n_gap) && is_finite(slack.n_before) &&
                    is_finite(slack.n_after));
      }
    const Vec3 unit = random.unit_vector();
    proved += c.evaluate(-1e3, &unit).gap > 0;
  }
  EXPECT_GT(proved, 0);
}

TEST_P(SeparationOn, OnBoxesNoSampleIsCloser) {
  Random random(62);
  Tally tally;
  int unproved = 0;
  for (int n = test::cases(4000); n > 0; --n) {
    Case c(random, GetParam());
    for (int k = 0; k < 3; ++k) {
      if (!c.choose_pair(random)) continue;
      const bool before = random.index(2) == 0;
      const auto proves = [&](double value) {
        const Slack slack = c.evaluate(value, nullptr);
        return (before ? slack.before : slack.after) > 0;
      };
      unproved += !proves(0);
      const double clearance = largest_provable(proves);
      const Slack slack = c.evaluate(clearance, nullptr);
      check_side(c, before ? slack.n_before : slack.n_after, before, true, clearance,
                 slack.gap + clearance, tally);
    }
  }
  report("boxes", tally);
  EXPECT_EQ(tally.violations, 0);
  EXPECT_GT(tally.closest, 0.5);
  EXPECT_GT(unproved, tally.proved / 10);
  EXPECT_GT(tally.proved - unproved, tally.proved / 10);
  EXPECT_GT(tally.tight, tally.proved / 20);
}

// A_n as boxes take it: one root for all joints.
double bound_for_boxes(const BodyMotion& motion, const Vec3& n) {
  Lanes lanes[3], bounds{};
  for (int i = 0; i < 3; ++i) std::fill(std::begin(lanes[i].v), std::end(lanes[i].v), n[i]);
  separation_kernel->accelerations(lanes, motion, bounds.v);
  return bounds.v[0];
}

// A_n on its own, along directions where the first-order part vanishes at the anchor too.
TEST(Separation, NoPointAcceleratesMoreAlongADirection) {
  Random random(65);
  double largest = 0, largest_across = 0;
  int across = 0;
  for (int n = test::cases(6000); n > 0; --n) {
    Case c(random);
    if (!c.choose_pair(random)) continue;
    const BodyMotion& motion = *c.a().motion;
    if (motion.terms.empty() || !(motion.acceleration > 0)) continue;
    const Vec3 turning =
        motion.terms[static_cast<std::size_t>(random.index(static_cast<int>(motion.terms.size())))]
            .turning;
    const bool along_axis = random.index(3) > 0 && max_abs(turning) > 0;
    const Vec3 direction = along_axis ? normalized(turning) : random.unit_vector();
    const double bound = motion.acceleration_along(direction);
    // Differences with a step of 1e-4 err by a ten-thousandth of the largest acceleration.
    const double sampled = static_cast<double>(c.sampled_acceleration(direction));
    ASSERT_LE(sampled, bound + 1e-4 * motion.acceleration);
    ASSERT_GE(bound_for_boxes(motion, direction) * (1 + 0x1p-45), bound);
    largest = std::fmax(largest, sampled / (bound + 1e-4 * motion.acceleration));
    if (!along_axis || bound > 0.5 * motion.acceleration) continue;
    ++across;
    largest_across = std::fmax(largest_across, sampled / (bound + 1e-4 * motion.acceleration));
  }
  std::printf("acceleration: at most %.3f of the bound, %.3f of %d along axes\n", largest,
              largest_across, across);
  EXPECT_GT(largest, 0.9);
  EXPECT_GT(largest_across, 0.2);
  EXPECT_GT(across, test::cases(6000) / 20);
}

// Errors of velocities grow with the reach, and those of both bodies count.
TEST(Separation, ErrorsOfVelocitiesAreInTheMargin) {
  BodyMotion exact, rounded;
  rounded.velocity_error = 0.25;
  const auto margin = [](const BodyMotion& a, const BodyMotion& b, double reach) {
    Side side_a, side_b;
    side_a.motion = &a;
    side_b.motion = &b;
    Separation separation;
    separation.begin(side_a, side_b, 0.5, 0, reach);
    return separation.side_margin();
  };
  EXPECT_EQ(margin(exact, exact, 2), 0);
  EXPECT_EQ(margin(rounded, exact, 2), 0.5);
  EXPECT_EQ(margin(exact, rounded, 2), 0.5);
  EXPECT_EQ(margin(rounded, rounded, 4), 2);
}

// Pairs whose separation grows: beyond the anchor's own gap nothing may be proved.
TEST(Separation, ProvesNothingBeyondTheGapAtTheAnchor) {
  Random random(63);
  int separating = 0;
  for (int n = test::cases(2000); n > 0; --n) {
    Case c(random);
    if (!c.choose_pair(random)) continue;
    const Vec3 direction = normalized(c.between());
    const double gap = c.evaluate(-1e3, &direction).gap - 1e3;
    const Slack slack = c.evaluate(gap + 1e-6, &direction);
    ASSERT_FALSE(slack.gap > 0 || slack.before > 0 || slack.after > 0);
    separating += c.sampled_gap(direction, false, false) > gap - 1e-9L;
  }
  EXPECT_GT(separating, test::cases(2000) / 20);
}

// The gap of two boxes along n in plain scalar code, in the order of the kernels: whatever
// instructions they were compiled to, the bits are these.
double scalar_gap(const Side& a, const Side& b, const BoxNode& node_a, const BoxNode& node_b,
                  const Vec3& n) {
  const auto in_frame = [&](const Mat3& R) {
    return Vec3{R.row[0].x * n.x + R.row[1].x * n.y + R.row[2].x * n.z,
                R.row[0].y * n.x + R.row[1].y * n.y + R.row[2].y * n.z,
                R.row[0].z * n.x + R.row[1].z * n.y + R.row[2].z * n.z};
  };
  const auto extent = [](const Vec3& m, const Vec3& half) {
    return std::fabs(m.x) * half.x + std::fabs(m.y) * half.y + std::fabs(m.z) * half.z;
  };
  const Vec3 ma = in_frame(a.X_WB.R), mb = in_frame(b.X_WB.R);
  const double offset = dot(n, b.X_WB.p - a.X_WB.p);
  const double between = offset + (dot(mb, node_b.centre) - dot(ma, node_a.centre));
  return between - (extent(ma, node_a.half) + extent(mb, node_b.half));
}

TEST(Separation, KernelsGiveTheBitsOfScalarCode) {
  Random random(64);
  int compared = 0;
  for (int n = test::cases(3000); n > 0; --n) {
    Case c(random);
    if (!c.choose_pair(random)) continue;
    const Slack slack = c.evaluate(0, nullptr);
    // need_ is what a direction's own gap lacks to the slack.
    Separation margins;
    margins.begin(c.a(), c.b(), 0, c.rounding_bound(), c.reach());
    const double gap = scalar_gap(c.a(), c.b(), c.node_a(), c.node_b(), slack.n_gap);
    ASSERT_EQ(slack.gap, gap - margins.margin());
    ++compared;
  }
  EXPECT_GT(compared, test::cases(3000) / 4);
}

}  // namespace
}  // namespace proven
