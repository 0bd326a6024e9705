// The bounds of the rule against the motion itself: points of bodies, followed in time.
#include "verify/rule.h"

#include "certify/random_scenes.h"
#include "curves.h"
#include "naive_producer.h"
#include "plain_certificate.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven::test {
namespace {

using I = verifier::Interval;

Vec3 corner_of(const verifier::Body& body, int k) {
  const verifier::Box3& box = body.tree[0].box;
  return {k & 1 ? box.hi.x : box.lo.x, k & 2 ? box.hi.y : box.lo.y, k & 4 ? box.hi.z : box.lo.z};
}

// A random direction, or one that makes a joint's own term vanish at the anchor.
Vec3 pick_direction(const verifier::BodyMotion<I>& motion, Random& random) {
  if (motion.joints.empty() || random.index(3) == 0) return random.unit_vector();
  const auto joint = static_cast<std::size_t>(random.index(static_cast<int>(motion.joints.size())));
  return normalized(approximate(motion.joints[joint].spins) + 1e-9 * random.unit_vector());
}

TEST(Rule, BoundsHoldAlongTheMotion) {
  double closest_speed = 0, closest_acceleration = 0;
  for (int i = 0; i < cases(300); ++i) {
    Random random(static_cast<std::uint64_t>(i));
    const SceneSource source =
        random_scene(random, {.links = 2 + i % 5, .obstacles = 0, .floating = i % 4 == 0});
    const Scene scene = build(source);
    const verifier::Model model = verifier::build_model(source, {});
    // Fast segments too: the bounds must hold far from the anchor.
    const auto ends = random_segment(scene.tree(), random, i % 2 ? 4 : 20);
    verifier::SegmentMotion<I> motion(model, {ends[0], ends[1]}, {});
    for (int k = 0; k < 20; ++k) {
      const int index = random.index(static_cast<int>(model.bodies.size()));
      const verifier::Body& body = model.bodies[static_cast<std::size_t>(index)];
      const double ta = random.uniform(), h = random.uniform(0.02, 0.6);
      const verifier::BodyMotion<I>& at_anchor = motion.at({ta, h, h}, index, 0);
      const Vec3 n = pick_direction(at_anchor, random);
      const verifier::Vector<I> direction(n);
      const auto bound =
          verifier::bounds<I>(at_anchor, verifier::kAfter, direction, norm(direction), h);
      const Vec3 y = corner_of(body, random.index(8));
      const auto place = [&](double t) {
        return approximate(motion.pose(t, index) * verifier::Vector<I>(y));
      };
      const auto velocity = [&](double t) {
        const verifier::BodyMotion<I>& there = motion.at({t, 0, 0}, index, 0);
        return cross(approximate(there.w), place(t)) + approximate(there.u);
      };
      const Vec3 x = place(ta), v = velocity(ta);
      for (const double s : {-h, -0.5 * h, 0.5 * h, h}) {
        if (ta + s < 0 || ta + s > 1) continue;  // ranges of slides are those of the segment
        const Vec3 moved = place(ta + s) - x;
        ASSERT_LE(norm(moved), bound.speed.hi * std::fabs(s) + 1e-11);
        ASSERT_LE(norm(velocity(ta + s)), bound.speed.hi + 1e-10);
        const double bent = -dot(n, moved - s * v), allowed = 0.5 * bound.acceleration.hi * s * s;
        ASSERT_LE(bent, allowed + 1e-11);
        if (bound.speed.hi > 0.1)
          closest_speed = std::fmax(closest_speed, norm(moved) / (bound.speed.hi * std::fabs(s)));
        if (allowed > 1e-3) closest_acceleration = std::fmax(closest_acceleration, bent / allowed);
      }
    }
  }
  // The bounds are not idle: some motion comes close to each.
  EXPECT_GT(closest_speed, 0.7);
  EXPECT_GT(closest_acceleration, 0.5);
}

// A block on an arm turns past a post on the inside of its circle: at the anchor it does not come
// nearer, then it bends towards it. Whichever of the two bodies comes first.
TEST(Rule, BendingOfEitherBodyCounts) {
  for (const bool block_first : {true, false}) {
    SceneSource source;
    const auto add = [&](const std::string& name, double x) {
      Robot robot;
      robot.name = name;
      robot.links = {
          {"base", {}, false, nullptr},
          {"arm", {{Box{{0.05, 0.05, 0.05}}, Pose::translation({x, 0, 0}), ""}}, false, nullptr}};
      RobotJoint joint;
      joint.name = "j";
      joint.type = JointType::revolute;
      joint.axis = {0, 0, 1};
      joint.parent_link = "base";
      joint.child_link = "arm";
      joint.limits = {-1, 1, 1, 1};
      robot.joints = {joint};
      source.robots.push_back({name, robot, Pose{}});
    };
    if (block_first) add("block", 1.05);
    add("post", 0.85);
    if (!block_first) add("block", 1.05);
    ProofNode leaf;
    leaf.code = 0x19;  // in the middle
    leaf.direction = {block_first ? -1 : 1, 0, 0};
    const auto accepted = [&](double turn) {
      Path path{{{0.0, 0.0}, {0.0, 0.0}}, {}, {}};
      path.waypoints[0][block_first ? 0 : 1] = -0.5 * turn;
      path.waypoints[1][block_first ? 0 : 1] = 0.5 * turn;
      PlainCertificate certificate = blank_certificate(verifier::build_model(source, {}), path);
      certificate.body = write(Proofs{{leaf}});
      return verify(source, path, write(certificate)).accepted;
    };
    EXPECT_TRUE(accepted(0.4));
    EXPECT_FALSE(accepted(1.2));
  }
}

// A corner of a body on a curved piece. Places come from long doubles and the scene layer.
class Follower {
 public:
  Follower(const Scene& scene, const Motion& motion, int body, const Vec3& y)
      : scene_(scene), motion_(motion), body_(body), y_(y) {}

  Vec3 place(double t) {
    compute_poses(scene_.tree(), configuration_at(scene_.tree(), motion_.piece(0), t), poses_);
    const Body& body = scene_.body(body_);
    return poses_.X_WL[static_cast<std::size_t>(body.link)] * (body.X_LB * y_);
  }
  // By differences of fourth order.
  Vec3 acceleration(double t) {
    constexpr double d = 0x1p-9;
    const Vec3 near = place(t - d) + place(t + d), far = place(t - 2 * d) + place(t + 2 * d);
    return (1 / (12 * d * d)) * (16 * near - far - 30 * place(t));
  }

 private:
  const Scene& scene_;
  const Motion& motion_;
  int body_;
  Vec3 y_;
  LinkPoses poses_;
};

// The same on curves, where the sides have bounds of their own. Places come from long doubles; what
// the motion says of velocities at the anchor, and of accelerations by the kappas, too.
TEST(Rule, BoundsHoldAlongCurves) {
  double closest_speed = 0, closest_acceleration = 0, closest_bend = 0;
  for (int i = 0; i < cases(400); ++i) {
    Random random(30000 + static_cast<std::uint64_t>(i));
    const SceneSource source = scene_of_all_joints(random, i);
    const Scene scene = build(source);
    const verifier::Model model = verifier::build_model(source, {});
    const Motion given = random_motion(scene.tree(), random, i % 2 ? 0.5 : 4, 1);
    verifier::SegmentMotion<I> motion(model, given.piece(0), {});
    for (int k = 0; k < 20; ++k) {
      const int index = random.index(static_cast<int>(model.bodies.size()));
      const verifier::Body& body = model.bodies[static_cast<std::size_t>(index)];
      // Dyadic, as in proofs.
      const double ta = random.index(257) / 256.0, side = std::ldexp(1, -random.index(8));
      const verifier::Around time{ta, std::min(side, ta), std::min(side, 1 - ta)};
      const verifier::BodyMotion<I>& at_anchor = motion.at(time, index, 0);
      const Vec3 n = pick_direction(at_anchor, random), y = corner_of(body, random.index(8));
      const verifier::Vector<I> direction(n);
      Follower corner(scene, given, index, y);
      const Vec3 x = corner.place(ta);
      const Vec3 v = cross(approximate(at_anchor.w), x) + approximate(at_anchor.u);
      const Vec3 a = cross(approximate(at_anchor.w_bend), x) + approximate(at_anchor.u_bend);
      for (const double s : {-time.before, -0.7 * time.before, -0.3 * time.before, 0.3 * time.after,
                             0.7 * time.after, time.after}) {
        if (s == 0) continue;
        const double h = s < 0 ? time.before : time.after;
        const auto bound = verifier::bounds<I>(
            at_anchor, s < 0 ? verifier::kBefore : verifier::kAfter, direction, norm(direction), h);
        const Vec3 moved = corner.place(ta + s) - x;
        ASSERT_LE(norm(moved), bound.speed.hi * std::fabs(s) + 1e-12) << i;
        const double bent = std::fabs(dot(n, moved - s * v - 0.5 * s * s * a));
        const double allowed = 0.5 * bound.acceleration.hi * s * s;
        ASSERT_LE(bent, allowed + 1e-12) << i;
        ASSERT_LE(norm(a), bound.bend.hi + 1e-12) << i;
        const double beyond = std::fabs(dot(n, corner.acceleration(ta + s) - a));
        ASSERT_LE(beyond, bound.acceleration.hi * (1 + 1e-6) + 1e-4) << i;
        if (bound.speed.hi > 0.1)
          closest_speed = std::fmax(closest_speed, norm(moved) / (bound.speed.hi * std::fabs(s)));
        if (allowed > 1e-3) closest_acceleration = std::fmax(closest_acceleration, bent / allowed);
        if (bound.bend.hi > 0.1) closest_bend = std::fmax(closest_bend, norm(a) / bound.bend.hi);
      }
    }
  }
  EXPECT_GT(closest_speed, 0.7);
  EXPECT_GT(closest_acceleration, 0.5);
  EXPECT_GT(closest_bend, 0.7);
}

// Swings of which nearly nothing is given away: a bar that starts to turn from rest, and one on a
// ball joint whose rotation vector goes evenly past a turn of 1.2 about another axis.
struct Swing {
  JointType type;
  std::vector<std::array<double, 3>> points;  // of the angle, or of the rotation vector
  double anchor, side;
  double reached;  // of the bound
};

void expect_bounds_near(const Swing& swing) {
  const bool ball = swing.type == JointType::floating;
  SceneSource source;
  Robot robot;
  robot.name = "r";
  robot.links = {{"base", {}, false, nullptr},
                 {"bar", {{Box{{1, 0.01, 0.01}}, Pose{}, ""}}, false, nullptr}};
  RobotJoint joint;
  joint.name = "j";
  joint.type = swing.type;
  joint.axis = {0, 0, 1};
  joint.parent_link = "base";
  joint.child_link = "bar";
  robot.joints = {joint};
  source.robots.push_back({"r", robot, Pose{}});
  const Scene scene = build(source);
  const verifier::Model model = verifier::build_model(source, {});
  Motion given;
  given.inner.emplace_back();
  for (std::size_t k = 0; k < swing.points.size(); ++k) {
    const auto& p = swing.points[k];
    const bool is_end = k == 0 || k + 1 == swing.points.size();
    std::vector<double> row = {p[0]};
    if (ball) row = {0, 0, 0, p[0], p[1], p[2], 0};
    if (ball && is_end) {
      const RealQuaternion q = turn_by({p[0], p[1], p[2]});
      for (std::size_t j = 0; j < 4; ++j) row[3 + j] = static_cast<double>(q[j]);
    }
    (is_end ? given.waypoints : given.inner[0]).push_back(row);
  }
  verifier::SegmentMotion<I> motion(model, given.piece(0), {});
  const double h = swing.side;
  const verifier::BodyMotion<I>& at_anchor = motion.at({swing.anchor, 0, h}, 0, 0);
  double closest = 0;
  for (int k = 0; k < 300; ++k) {
    Random random(static_cast<std::uint64_t>(k));
    const Vec3 n = k % 2 ? pick_direction(at_anchor, random) : random.unit_vector();
    const verifier::Vector<I> direction(n);
    const auto bound =
        verifier::bounds<I>(at_anchor, verifier::kAfter, direction, norm(direction), h);
    Follower corner(scene, given, 0, corner_of(model.bodies[0], k % 8));
    const Vec3 a = cross(approximate(at_anchor.w_bend), corner.place(swing.anchor)) +
                   approximate(at_anchor.u_bend);
    const double beyond =
        std::fabs(dot(n, corner.acceleration(swing.anchor + h) - a)) / bound.acceleration.hi;
    EXPECT_LE(beyond, 1 + 1e-6);
    closest = std::fmax(closest, beyond);
  }
  EXPECT_GT(closest, swing.reached);
}

TEST(Rule, AccelerationsOfSwingsAreBoundedClosely) {
  expect_bounds_near({JointType::revolute, {{0}, {0}, {1}}, 0, 0.25, 0.7});
  // φ = (0, 3 s (1 - 4 s²), 1.2 + 9.6 s³) with s = t - 1/2: at the anchor φ'' is 0, so that the
  // change of the angular velocity is all by the turn.
  expect_bounds_near(
      {JointType::floating, {{0, 0, 0}, {0, -2, 2.4}, {0, 2, 0}, {0, 0, 2.4}}, 0.5, 0x1p-7, 0.3});
}

// A slide that goes out and back below a hinge: how far it reaches is not to be seen at its ends.
TEST(Rule, ReachesKnowWhereSlidesGoBetweenTheirEnds) {
  Robot robot;
  robot.name = "r";
  robot.links = {{"base", {}, false, nullptr},
                 {"arm", {}, false, nullptr},
                 {"box", {{Box{{0.05, 0.05, 0.05}}, Pose{}, ""}}, false, nullptr}};
  RobotJoint hinge, slide;
  hinge.name = "hinge";
  hinge.type = JointType::revolute;
  hinge.axis = {0, 0, 1};
  hinge.parent_link = "base";
  hinge.child_link = "arm";
  hinge.limits = {-9, 9, 1, 1};
  slide = hinge;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.axis = {1, 0, 0};
  slide.parent_link = "arm";
  slide.child_link = "box";
  robot.joints = {hinge, slide};
  SceneSource source;
  source.robots.push_back({"r", robot, Pose{}});
  const Scene scene = build(source);
  const verifier::Model model = verifier::build_model(source, {});
  const Motion given{{{0, 0}, {3, 0}}, {}, {}, {{{1.5, 2}}}};
  verifier::SegmentMotion<I> motion(model, given.piece(0), {});
  const double h = 0x1p-7;
  const verifier::Vector<I> n(Vec3{1, 0, 0});
  const auto bound =
      verifier::bounds<I>(motion.at({0.5, h, h}, 0, 0), verifier::kAfter, n, norm(n), h);
  Follower corner(scene, given, 0, {0.05, 0.05, 0.05});
  const double speed = norm(corner.place(0.5 + h) - corner.place(0.5)) / h;
  EXPECT_GT(speed, 3);
  EXPECT_LE(speed, bound.speed.hi);
  EXPECT_LT(bound.speed.hi, 1.1 * speed);
}

// A block that slides towards a wall, or an arm that turns towards it: how much tracking error the
// same proof bears is known.
TEST(Rule, TrackingErrorIsAddedToTheClearance) {
  for (const bool slides : {true, false}) {
    SceneSource source;
    Robot robot;
    robot.name = "r";
    robot.links = {{"base", {}, false, nullptr},
                   {"arm", {{Box{{1, 0.01, 0.01}}, Pose{}, ""}}, false, nullptr}};
    RobotJoint joint;
    joint.name = "j";
    joint.type = slides ? JointType::prismatic : JointType::revolute;
    joint.axis = slides ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
    joint.parent_link = "base";
    joint.child_link = "arm";
    joint.limits = {-1, 1, 1, 1};
    robot.joints = {joint};
    source.robots.push_back({"r", robot, Pose{}});
    // 0.1 m from the end of the arm, or above its side.
    source.obstacles.push_back({"wall",
                                {{Box{{0.05, 0.05, 0.05}}, Pose{}, ""}},
                                Pose::translation(slides ? Vec3{1.15, 0, 0} : Vec3{0.5, 0.16, 0})});
    const Path still{{{0.0}}, {}, {}};
    VerifyOptions options;
    const verifier::Model model = verifier::build_model(source, options);
    PlainCertificate certificate = blank_certificate(model, still);
    ProofNode leaf;
    leaf.code = 0x11;
    leaf.direction =
        slides ? std::array<std::int64_t, 3>{1, 0, 0} : std::array<std::int64_t, 3>{0, 1, 0};
    certificate.body = write(Proofs{{leaf}});
    const auto accepted = [&](double error) {
      options.tracking_error = error;
      return verify(source, still, write(certificate), options).accepted;
    };
    EXPECT_TRUE(accepted(0));
    EXPECT_TRUE(accepted(0.0999 / (slides ? 1 : 1.0002)));
    EXPECT_FALSE(accepted(0.1001));
  }
}

}  // namespace
}  // namespace proven::test
