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
    verifier::SegmentMotion<I> motion(model, {ends[0], ends[1]}, 0);
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
    verifier::SegmentMotion<I> motion(model, given.piece(0), 0);
    LinkPoses poses;
    for (int k = 0; k < 20; ++k) {
      const int index = random.index(static_cast<int>(model.bodies.size()));
      const verifier::Body& body = model.bodies[static_cast<std::size_t>(index)];
      // Dyadic, as in proofs.
      const double ta = random.index(257) / 256.0, side = std::ldexp(1, -random.index(8));
      const verifier::Around time{ta, std::min(side, ta), std::min(side, 1 - ta)};
      const verifier::BodyMotion<I>& at_anchor = motion.at(time, index, 0);
      const Vec3 n = pick_direction(at_anchor, random), y = corner_of(body, random.index(8));
      const verifier::Vector<I> direction(n);
      const auto place = [&](double t) {
        compute_poses(scene.tree(), configuration_at(scene.tree(), given.piece(0), t), poses);
        const Body& there = scene.body(index);
        return poses.X_WL[static_cast<std::size_t>(there.link)] * (there.X_LB * y);
      };
      const Vec3 x = place(ta);
      const Vec3 v = cross(approximate(at_anchor.w), x) + approximate(at_anchor.u);
      const Vec3 a = cross(approximate(at_anchor.w_bend), x) + approximate(at_anchor.u_bend);
      for (const double s : {-time.before, -0.7 * time.before, -0.3 * time.before, 0.3 * time.after,
                             0.7 * time.after, time.after}) {
        if (s == 0) continue;
        const double h = s < 0 ? time.before : time.after;
        const auto bound = verifier::bounds<I>(
            at_anchor, s < 0 ? verifier::kBefore : verifier::kAfter, direction, norm(direction), h);
        const Vec3 moved = place(ta + s) - x;
        ASSERT_LE(norm(moved), bound.speed.hi * std::fabs(s) + 1e-12) << i;
        const double bent = std::fabs(dot(n, moved - s * v - 0.5 * s * s * a));
        const double allowed = 0.5 * bound.acceleration.hi * s * s;
        ASSERT_LE(bent, allowed + 1e-12) << i;
        ASSERT_LE(norm(a), bound.bend.hi + 1e-12) << i;
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
