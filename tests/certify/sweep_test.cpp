// Sweeps prove nothing that is not so: pairs and chords that they settle are sampled densely, at
// clearances that all but touch.
#include "certify/sweep.h"

#include <gtest/gtest.h>

#include "any_values.h"
#include "certify/random_scenes.h"
#include "certify/sweep_support.h"
#include "proven/certify/check.h"
#include "simd_support.h"
#include "support.h"

namespace proven {
namespace {

using test::distance_at;
using test::least_on_chord;
using test::model_of;
using test::random_case;
using test::SweepCase;

// The scene with one pair alone, of which that is required.
SweepCase with_pair_alone(const SweepCase& c, int pair, double clearance) {
  SceneSource source = c.scene.description();
  source.clearance = {};
  source.clearances.clear();
  for (int i = 0; i < static_cast<int>(c.scene.pairs().size()); ++i) {
    const BodyPair& other = c.scene.pairs()[static_cast<std::size_t>(i)];
    const std::string &a = c.scene.body(other.a).name, &b = c.scene.body(other.b).name;
    if (i == pair)
      source.clearances.push_back({a, b, clearance});
    else
      source.exclusions.push_back({a, b, "not asked"});
  }
  return {test::build(source), c.rows};
}

TEST(Sweep, SettlesNothingThatIsNotSo) {
  Random random(1);
  int settled = 0, open = 0, tight = 0, tight_corners = 0, contacts = 0;
  for (int i = 0; i < test::cases(120); ++i) {
    const bool round = i % 2 == 0;
    const SweepCase c = random_case(random, round, i % 3 == 0);
    if (c.scene.pairs().empty()) continue;
    const int pair = random.index(static_cast<int>(c.scene.pairs().size()));
    SegmentPart part;
    part.level = random.index(Sweep::kMostLevels + 1);
    part.index = random.index(1 << part.level);
    const int chord = random.index(kChords);
    const double least = least_on_chord(c, pair, part, chord);
    // Just what the pair does not keep, something less, and none.
    for (const double clearance : {least * (1 + 1e-9), std::max(0.0, least - 0.001), 0.5 * least,
                                   std::max(0.0, least - 0.01), 0.0}) {
      const SweepCase alone = with_pair_alone(c, pair, clearance);
      ASSERT_EQ(alone.scene.pairs().size(), 1u);
      const CheckModel model = model_of(alone, 0);
      Sweep sweep;
      ASSERT_TRUE(sweep.run(model.data().sweep(), alone.motion(), false, false, part));
      const std::uint32_t left = sweep.open().empty() ? 0 : sweep.open()[0].chords;
      const bool proved = !sweep.contact() && (left >> chord & 1) == 0;
      if (clearance >= least) {
        EXPECT_FALSE(proved) << "case " << i << ", pair " << pair << ", part " << part.index
                             << " of " << (1 << part.level) << ", chord " << chord
                             << ": closer than " << clearance;
      }
      ++(proved ? settled : open);
      tight += proved && clearance > least - 0.011;
      tight_corners += proved && !round && clearance > least - 0.0011;
      if (!sweep.contact()) continue;
      ++contacts;
      EXPECT_GE(sweep.contact()->t, part.begin());
      EXPECT_LE(sweep.contact()->t, part.begin() + part.width());
      std::vector<double> q(c.rows[0].size());
      interpolate(c.scene.tree(), c.motion(), sweep.contact()->t, q);
      Scratch scratch;
      EXPECT_TRUE(distance_at(c, pair, sweep.contact()->t) < clearance ||
                  model.check_configuration(q, scratch).verdict == Verdict::collision)
          << "case " << i << ", pair " << pair << " at " << sweep.contact()->t;
    }
  }
  EXPECT_GT(settled, test::cases(120) / 2);
  EXPECT_GT(open, test::cases(120) / 2);
  // Round bodies that come within a centimetre of what is required are settled.
  EXPECT_GT(tight, test::cases(120) / 20);
  // And corners that come within a millimetre of it.
  EXPECT_GT(tight_corners, test::cases(120) / 20);
  EXPECT_GT(contacts, test::cases(120) / 10);
}

// With and without it, never free and collision; and it does settle and refute things.
TEST(Sweep, AgreesWithTheSearch) {
  Random random(2);
  test::VerdictCounts counts, in_parts;
  for (int i = 0; i < test::cases(200); ++i) {
    const SweepCase c = random_case(random, i % 4 == 0, i % 3 == 0);
    CheckOptions options = test::any_values();
    options.clearance = i % 5 == 0 ? 0.01 : 0.0;
    const CheckModel plain = CheckModel::build(c.scene, options).value();
    options.sweep = true;
    const CheckModel swept = CheckModel::build(c.scene, options).value();
    (void)swept.data().sweep();
    Scratch scratch;
    const SegmentMotion motion = c.motion();
    const SegmentQuery query{motion.from, motion.to, false, motion.inner};
    const Verdict a = plain.check_segment(query, scratch).verdict;
    const CheckResult b = swept.check_segment(query, scratch);
    counts.add(b.verdict);
    if (Sweep().wanted_level(swept.data().sweep(), motion) > 0) in_parts.add(b.verdict);
    EXPECT_EQ(a, b.verdict) << i;
    // A witness is one where and when it says so.
    if (b.collision) {
      std::vector<double> q(motion.from.size());
      interpolate(c.scene.tree(), motion, b.collision->t, q);
      EXPECT_EQ(q, b.collision->configuration) << i;
      EXPECT_EQ(plain.check_configuration(q, scratch).verdict, Verdict::collision) << i;
    }
    const CheckResult at_start = swept.check_configuration(motion.from, scratch);
    EXPECT_EQ(plain.check_configuration(motion.from, scratch).verdict, at_start.verdict) << i;
    // The same again from a start that is known.
    if (at_start.verdict == Verdict::free) {
      EXPECT_EQ(swept.check_segment({motion.from, motion.to, true, motion.inner}, scratch).verdict,
                a);
    }
  }
  counts.expect_both(test::cases(200) / 20);
  in_parts.expect_both(test::cases(200) / 100);
}

// A long bar that swings past a post, or through it: long segments are probed, and swept in parts.
TEST(Sweep, LongSegmentsAreSweptInParts) {
  for (const double reach : {3.0, 4.0}) {
    Robot robot;
    robot.links.resize(2);
    robot.links[0].name = "base", robot.links[1].name = "bar";
    robot.links[1].collision.push_back(
        {Box{{0.5 * reach, 0.05, 0.05}}, Pose::translation({0.5 * reach, 0, 0}), ""});
    RobotJoint joint;
    joint.name = "turn", joint.type = JointType::revolute;
    joint.parent_link = "base", joint.child_link = "bar";
    joint.axis = {0, 0, 1};
    joint.limits = {-6, 6, 1, 1};
    robot.joints.push_back(joint);
    SceneSource source;
    source.robots.push_back({"r", robot, Pose{}});
    source.obstacles.push_back(
        {"post", {{Box{{0.1, 0.1, 0.5}}, Pose{}, ""}}, Pose::translation({0, 3.5, 0})});
    CheckOptions options = test::any_values();
    options.sweep = true;
    const CheckModel model = CheckModel::build(test::build(source), options).value();
    const std::vector<double> from = {M_PI / 2 - 3}, to = {M_PI / 2 + 3};
    SegmentMotion motion;
    motion.from = from, motion.to = to;
    Sweep sweep;
    ASSERT_GT(sweep.wanted_level(model.data().sweep(), motion), 0);
    Scratch scratch;
    const CheckResult result = model.check_segment({from, to, true}, scratch);
    ASSERT_EQ(result.verdict, reach > 3.4 ? Verdict::collision : Verdict::free);
    if (!result.collision) continue;
    const double turned = from[0] + result.collision->t * (to[0] - from[0]);
    EXPECT_NEAR(turned, M_PI / 2, 0.1);
    EXPECT_NEAR(result.collision->configuration[0], turned, 1e-12);
  }
}

// Two prongs that slide on both sides of a plate, or a bar, that stands or moves between them:
// their hull holds it.
struct Fork {
  Scene scene;
  std::vector<double> from, to;

  Fork(double gap, bool still) {
    // The corners of thin prongs are all near the plate, the outer ones too.
    constexpr double kThick = 0.1, kProng = 0.0005;
    Robot robot;
    robot.links.resize(still ? 2 : 3);
    robot.links[0].name = "base", robot.links[1].name = "fork";
    for (const double side : {-1.0, 1.0})
      robot.links[1].collision.push_back(
          {Box{{0.15, kProng, 0.15}},
           Pose::translation({0, side * (0.5 * kThick + kProng + gap), 0}), ""});
    const auto slide = [&](const char* name, const char* child) {
      RobotJoint joint;
      joint.name = name, joint.type = JointType::prismatic;
      joint.parent_link = "base", joint.child_link = child;
      joint.axis = {1, 0, 0};
      joint.limits = {-5, 5, 1, 1};
      robot.joints.push_back(joint);
    };
    slide("x", "fork");
    const CollisionElement plate{Box{{0.2, 0.5 * kThick, 0.2}}, Pose{}, ""};
    if (!still) {
      robot.links[2].name = "bar";
      robot.links[2].collision = {plate};
      slide("y", "bar");
    }
    SceneSource source;
    source.robots.push_back({"r", robot, Pose{}});
    if (still) source.obstacles.push_back({"plate", {plate}, Pose{}});
    scene = test::build(source);
    from = still ? std::vector{-0.01} : std::vector{-0.01, 0.01};
    to = still ? std::vector{0.01} : std::vector{0.01, -0.01};
  }
};

// Corners and balls are contacts only where they are inside: their hull always is.
TEST(Sweep, ContactsAreNotThoseOfHulls) {
  int contacts = 0;
  for (const bool still : {true, false})
    for (const double gap : {0.003, 0.001, 1e-4, -1e-3, -0.015}) {
      const Fork fork(gap, still);
      const CheckModel model = CheckModel::build(fork.scene, test::any_values()).value();
      SegmentMotion motion;
      motion.from = fork.from;
      motion.to = fork.to;
      Sweep sweep;
      ASSERT_TRUE(sweep.run(model.data().sweep(), motion, false));
      if (gap > 0) {
        EXPECT_FALSE(sweep.contact()) << gap;
      }
      contacts += sweep.contact().has_value();
      CheckOptions options = test::any_values();
      options.sweep = true;
      const CheckModel swept = model.with_options(options).value();
      swept.prepare_sweeps();
      Scratch scratch;
      EXPECT_EQ(swept.check_segment({fork.from, fork.to}, scratch).verdict,
                gap > 0 ? Verdict::free : Verdict::collision)
          << gap;
    }
  EXPECT_GT(contacts, 0);
}

// What moves is taken over when the world around it changes.
TEST(Sweep, FollowsEditsAsIfMadeAnew) {
  Random random(9);
  int open = 0, contacts = 0;
  for (int i = 0; i < test::cases(60); ++i) {
    const SweepCase c = random_case(random, i % 2 == 0, false);
    const CheckModel before = model_of(c, 0.01);
    (void)before.data().sweep();
    const SceneSource source = c.scene.description();
    ASSERT_FALSE(source.obstacles.empty());
    const std::string& name = source.obstacles[0].name;
    const Pose moved = Pose::translation(
        {random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5)});
    const auto scene = i % 3 == 0 ? c.scene.without(name) : c.scene.with_pose(name, moved);
    ASSERT_TRUE(scene.ok());
    const CheckModel edited = before.with_scene(scene.value());
    ASSERT_TRUE(edited.data().has_sweep());
    SweepCase anew = c;
    anew.scene = scene.value();
    const CheckModel other = model_of(anew, 0.01);
    const auto answer = [&](const CheckModel& model) {
      Sweep sweep;
      EXPECT_TRUE(sweep.run(model.data().sweep(), anew.motion(), false));
      std::vector<std::pair<int, std::uint32_t>> found;
      if (sweep.contact()) found.emplace_back(sweep.contact()->pair, 0u);
      contacts += sweep.contact().has_value();
      for (const OpenPart& part : sweep.open()) found.emplace_back(part.pair, part.chords);
      open += static_cast<int>(sweep.open().size());
      return found;
    };
    EXPECT_EQ(answer(edited), answer(other)) << i;
  }
  EXPECT_GT(open, 0);
  EXPECT_GT(contacts, 0);
}

// A robot whose last links carry a few that do not move against them.
Scene scene_with_hands(Random& random) {
  SceneSource source =
      test::random_scene(random, {.links = 4, .obstacles = 5, .meshes_only = false});
  Robot& robot = source.robots[0].robot;
  const std::size_t links = robot.links.size();
  for (std::size_t i = 1; i < links; ++i)
    for (int k = random.index(4); k > 0; --k) {
      RobotLink part;
      part.name = robot.links[i].name + "_part" + std::to_string(k);
      part.collision.push_back({Box{{0.02, 0.01, 0.04}}, Pose{}, ""});
      RobotJoint joint;
      joint.name = "to_" + part.name, joint.type = JointType::fixed;
      joint.parent_link = robot.links[i].name, joint.child_link = part.name;
      joint.X_PJ = {random.rotation(), 0.2 * random.unit_vector()};
      robot.links.push_back(part);
      robot.joints.push_back(joint);
      source.exclusions.push_back({source.robots[0].name + "/" + robot.links[i].name,
                                   source.robots[0].name + "/" + part.name, "fixed"});
    }
  return test::build(source);
}

// Where one ball is taken for all that a joint carries, it holds it, and bends as much.
TEST(Sweep, GroupsHoldTheirBodies) {
  Random random(12);
  int large = 0, free = 0, contacts = 0;
  for (int i = 0; i < test::cases(8); ++i) {
    const Scene scene = scene_with_hands(random);
    CheckOptions options = test::any_values();
    const CheckModel searched = CheckModel::build(scene, options).value();
    options.sweep = true;
    const CheckModel swept = CheckModel::build(scene, options).value();
    swept.prepare_sweeps();
    const SweepModel& model = swept.data().sweep();
    int bodies = 0;
    for (const SweepModel::Group& group : model.groups()) {
      large += group.num_bodies > 1;
      EXPECT_EQ(group.first_body, bodies);
      bodies += group.num_bodies;
      for (int b = group.first_body; b < bodies; ++b) {
        const SweepModel::Body& body = model.bodies()[static_cast<std::size_t>(b)];
        Vec3 apart;
        for (std::size_t k = 0; k < 3; ++k)
          apart[static_cast<int>(k)] = static_cast<double>(body.centre[k]) - group.centre[k];
        EXPECT_LE(norm(apart) + body.radius, group.radius * (1 + 1e-12));
        EXPECT_EQ(body.joint, group.joint);
        EXPECT_LE(body.error, group.error);
        EXPECT_LE(body.most_needed, group.most_needed);
        EXPECT_LE(body.most_pair_needed, group.most_pair_needed);
        const auto own = model.levers(body), all = model.levers(group);
        ASSERT_EQ(own.size(), all.size());
        for (std::size_t k = 0; k < own.size(); ++k) {
          EXPECT_EQ(own[k].joint, all[k].joint);
          EXPECT_LE(own[k].radius, all[k].radius);
        }
      }
    }
    EXPECT_EQ(bodies, static_cast<int>(model.bodies().size()));
    std::vector<int> met(model.pairs().size());
    for (const SweepModel::GroupPair& both : model.group_pairs())
      for (const int p : both.pairs) {
        const SweepModel::Pair& pair = model.pairs()[static_cast<std::size_t>(p)];
        ++met[static_cast<std::size_t>(p)];
        EXPECT_LE(both.a, both.b);
        EXPECT_GE(both.need, pair.need);
        EXPECT_EQ(std::minmax({model.bodies()[static_cast<std::size_t>(pair.a)].group,
                               model.bodies()[static_cast<std::size_t>(pair.b)].group}),
                  std::pair(both.a, both.b));
      }
    for (const int times : met) EXPECT_EQ(times, 1);
    Scratch scratch;
    for (int k = 0; k < 10; ++k) {
      const auto rows = test::random_segment(scene.tree(), random, random.uniform(0.05, 1.5));
      const SegmentQuery segment{rows.front(), rows.back()};
      const Verdict verdict = searched.check_segment(segment, scratch).verdict;
      EXPECT_EQ(swept.check_segment(segment, scratch).verdict, verdict);
      ++(verdict == Verdict::free ? free : contacts);
    }
  }
  EXPECT_GT(large, 0);
  EXPECT_GT(free, 0);
  EXPECT_GT(contacts, 0);
}

// Every ball of a body is in one cluster, and in the ball around it, whose centre is among theirs.
TEST(Sweep, ClustersHoldTheirBalls) {
  Random random(13);
  int several = 0;
  for (int i = 0; i < test::cases(20); ++i) {
    const SweepCase c = random_case(random, i % 2 == 0, false);
    const CheckModel checked = model_of(c, 0);
    const SweepModel& model = checked.data().sweep();
    int balls = 0, clusters = 0;
    for (const SweepModel::Body& body : model.bodies()) {
      EXPECT_EQ(body.first_cluster, clusters);
      EXPECT_LE(body.num_clusters, SweepModel::kMostClusters);
      several += body.num_clusters > 1;
      Vec3 lo{INFINITY, INFINITY, INFINITY}, hi = -lo;
      for (int k = 0; k < 3 * body.num_balls; ++k) {
        const double x = model.centres(body)[k];
        lo[k % 3] = std::min(lo[k % 3], x), hi[k % 3] = std::max(hi[k % 3], x);
      }
      for (; clusters < body.first_cluster + body.num_clusters; ++clusters) {
        const auto index = static_cast<std::size_t>(clusters);
        const SweepModel::Cluster& cluster = model.clusters()[index];
        const float* around = model.cluster_centres(body) + 3 * (clusters - body.first_cluster);
        EXPECT_EQ(cluster.first_ball, balls);
        balls += cluster.num_balls;
        for (int b = cluster.first_ball; b < balls; ++b) {
          const float* centre = model.centres(body) + 3 * (b - body.first_ball);
          Vec3 apart;
          for (int k = 0; k < 3; ++k) apart[k] = static_cast<double>(centre[k]) - around[k];
          EXPECT_LE(norm(apart) + model.balls()[static_cast<std::size_t>(b)].radius,
                    model.cluster_balls()[index].radius * (1 + 1e-12));
        }
        for (int k = 0; k < 3; ++k) {
          EXPECT_GE(around[k], lo[k] - 1e-6);
          EXPECT_LE(around[k], hi[k] + 1e-6);
        }
      }
      EXPECT_EQ(balls, body.first_ball + body.num_balls);
    }
    EXPECT_EQ(clusters, static_cast<int>(model.clusters().size()));
  }
  EXPECT_GT(several, test::cases(20) / 4);
}

// What met before is looked at first, in any scene: whether something meets now does not depend on
// it.
TEST(Sweep, HurryingChangesNoVerdict) {
  Random random(14);
  Sweep hurried;
  int contacts = 0, others = 0;
  std::array<int, 2> in_world = {}, of_links = {};  // the contact of a fresh one, or another
  std::vector<SweepCase> cases;
  std::vector<CheckModel> models;
  for (int i = 0; i < 12; ++i) {
    cases.push_back(random_case(random, i % 2 == 0, false));
    models.push_back(model_of(cases.back(), 0));
  }
  for (int i = 0; i < test::cases(400); ++i) {
    const auto index = static_cast<std::size_t>(random.index(12));
    SweepCase c{cases[index].scene, {}};
    c.rows = test::random_segment(c.scene.tree(), random, random.uniform(0.05, 1));
    const CheckModel& model = models[index];
    bool covered = true;
    for (const auto& row : c.rows) covered = covered && model.covers(row);
    if (!covered) continue;
    Sweep fresh;
    ASSERT_TRUE(fresh.run(model.data().sweep(), c.motion(), false, true));
    ASSERT_TRUE(hurried.run(model.data().sweep(), c.motion(), false, true, {}, true));
    if (!hurried.contact()) {
      ++others;
      ASSERT_FALSE(fresh.contact()) << i;
      EXPECT_EQ(hurried.settles_all(), fresh.settles_all()) << i;
      continue;
    }
    EXPECT_FALSE(fresh.settles_all()) << i;
    ++contacts;
    const bool another = !fresh.contact() || hurried.contact()->t != fresh.contact()->t ||
                         hurried.contact()->pair != fresh.contact()->pair;
    const BodyPair& pair = c.scene.pairs()[static_cast<std::size_t>(hurried.contact()->pair)];
    ++(pair.kind == PairClass::world ? in_world : of_links)[another];
    // It is the pair that is named.
    EXPECT_EQ(distance_at(c, hurried.contact()->pair, hurried.contact()->t), 0) << i;
    std::vector<double> q(c.rows[0].size());
    interpolate(c.scene.tree(), c.motion(), hurried.contact()->t, q);
    Scratch scratch;
    EXPECT_EQ(model.check_configuration(q, scratch).verdict, Verdict::collision) << i;
  }
  EXPECT_GT(contacts, test::cases(400) / 20);
  EXPECT_GT(others, test::cases(400) / 20);
  EXPECT_GT(in_world[1], 0);
  EXPECT_GT(of_links[1], 0);
}

// Balls that met are remembered by their places: in a scene where a link has fewer, the next link's
// are not its own.
TEST(Sweep, WhatMetInAnotherSceneIsNoOtherLinks) {
  const auto case_of = [](bool two) {
    // The largest of a link's balls is its first.
    const auto ball = [](double x, double radius = 0.1) {
      return CollisionElement{Sphere{radius}, Pose::translation({x, 0, 0}), ""};
    };
    Robot robot;
    const auto slide = JointType::prismatic;
    test::add_link(robot, "base", "", JointType::fixed, {});
    test::add_link(robot, "a", "base", slide, {0, 0, 1},
                   two ? std::vector{ball(-2, 0.2), ball(0)} : std::vector{ball(-2, 0.2)});
    test::add_link(robot, "carried", "a", slide, {0, 0, 1}, {ball(0)});
    test::add_link(robot, "b", "base", slide, {1, 0, 0}, {ball(0.05)});
    SceneSource source;
    source.robots.push_back({"r", robot, Pose{}});
    source.exclusions.push_back({"r/carried", "r/b", "overlap by design"});
    SweepCase c{test::build(source), {}};
    // Curved: tables, which need no balls, are not asked.
    c.rows = {{0, 0, 0}, {0.01, 0, 0.02}, {0.02, 0, 0.01}};
    return c;
  };
  const SweepCase touches = case_of(true), free = case_of(false);
  const CheckModel first = model_of(touches, 0), second = model_of(free, 0);
  Sweep sweep;
  ASSERT_TRUE(sweep.run(first.data().sweep(), touches.motion(), false, true, {}, true));
  ASSERT_TRUE(sweep.contact());
  ASSERT_TRUE(sweep.run(second.data().sweep(), free.motion(), false, true, {}, true));
  EXPECT_FALSE(sweep.contact());
  EXPECT_TRUE(sweep.settles_all());
}

// Whatever the machine has.
TEST(Sweep, IsTheSameWithEveryInstructionSet) {
  Random random(4);
  int open = 0;
  for (int i = 0; i < test::cases(40); ++i) {
    const SweepCase c = random_case(random, i % 2 == 0, i % 3 == 0);
    const CheckModel model = model_of(c, 0.01);
    std::vector<std::pair<int, std::uint32_t>> expected;
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      Sweep sweep;
      ASSERT_TRUE(sweep.run(model.data().sweep(), c.motion(), false));
      std::vector<std::pair<int, std::uint32_t>> found;
      found.emplace_back(sweep.contact() ? sweep.contact()->pair : -1, 0u);
      for (const OpenPart& part : sweep.open()) found.emplace_back(part.pair, part.chords);
      if (set == simd::InstructionSet::scalar) expected = found;
      EXPECT_EQ(found, expected) << to_string(set);
      open += static_cast<int>(found.size());
    }
  }
  EXPECT_GT(open, 0);
}

// A ball that slides out from the axis about which it turns, above a wall that carries it: its way
// is nearest to the wall between two moments, by all of Coriolis.
TEST(Sweep, WaysOfCarriedBodiesBendByAllOfCoriolis) {
  constexpr double kGap = 0.05, kRadius = 0.02, kLeast = kGap - kRadius;
  constexpr double kSlide = 2, kTurn = 0.5;  // in the time of the segment
  int settled = 0;
  for (const double clearance : {kLeast + 1e-4, kLeast + 2e-4, kLeast - 1e-3}) {
    Robot robot;
    test::add_link(robot, "base", "", JointType::fixed, {});
    test::add_link(robot, "wall", "base", JointType::revolute, {0, 0, 1},
                   {{Box{{1.5, 0.01, 0.1}}, Pose::translation({0, -kGap - 0.01, 0}), ""}});
    test::add_link(robot, "turned", "wall", JointType::revolute, {0, 0, 1}, {}, 1);
    test::add_link(robot, "ball", "turned", JointType::prismatic, {1, 0, 0},
                   {{Sphere{kRadius}, Pose{}, ""}}, 1);
    SceneSource source;
    source.robots.push_back({"r", robot, Pose{}});
    source.clearances.push_back({"r/wall", "r/ball", clearance});
    const CheckModel model = CheckModel::build(test::build(source), test::any_values()).value();
    const std::vector<double> from = {0.1, -0.5 * kTurn, -0.5 * kSlide},
                              to = {0.1, 0.5 * kTurn, 0.5 * kSlide};
    SegmentMotion motion;
    motion.from = from, motion.to = to;
    Sweep sweep;
    ASSERT_TRUE(sweep.run(model.data().sweep(), motion, true));
    settled += sweep.settles_all();
    if (clearance > kLeast) {
      EXPECT_FALSE(sweep.settles_all()) << clearance;
    }
  }
  EXPECT_EQ(settled, 1);
}

// A body inside another touches no surface.
TEST(Sweep, FindsWhatLiesInside) {
  for (const bool mesh : {false, true})
    for (const bool robot_inside : {false, true}) {
      const Vec3 large{0.5, 0.5, 0.5}, small{0.05, 0.05, 0.05};
      const auto shape = [&](const Vec3& half) -> Shape {
        return mesh ? test::block_mesh(half) : Shape(Box{half});
      };
      Robot robot;
      robot.links = {
          {"base", {}, false, nullptr},
          {"tip", {{shape(robot_inside ? small : large), Pose{}, "tip"}}, false, nullptr}};
      RobotJoint joint;
      joint.name = "turn";
      joint.type = JointType::revolute;
      joint.parent_link = "base", joint.child_link = "tip";
      joint.axis = {0, 0, 1};
      joint.limits = {-3, 3, 1, 1};
      robot.joints = {joint};
      SceneSource source;
      source.robots.push_back({"r", robot, Pose{}});
      source.obstacles.push_back(
          {"o", {{shape(robot_inside ? large : small), Pose{}, "o"}}, Pose{}});
      const Scene scene = test::build(source);
      CheckOptions options = test::any_values();
      options.sweep = true;
      const CheckModel model = CheckModel::build(scene, options).value();
      (void)model.data().sweep();
      Scratch scratch;
      const std::vector<double> from = {0.0}, to = {0.4};
      EXPECT_EQ(model.check_segment({from, to}, scratch).verdict, Verdict::collision)
          << mesh << robot_inside;
      EXPECT_EQ(model.check_configuration(from, scratch).verdict, Verdict::collision)
          << mesh << robot_inside;
    }
}

}  // namespace
}  // namespace proven
