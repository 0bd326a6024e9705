// Sweeps prove nothing that is not so: pairs and chords that they settle are sampled densely, at
// clearances that all but touch.
#include "certify/sweep.h"

#include <gtest/gtest.h>

#include "certify/pair_table.h"
#include "certify/random_scenes.h"
#include "proven/certify/check.h"
#include "simd_support.h"
#include "support.h"

namespace proven {
namespace {

// Links and obstacles that balls fit exactly, or all but.
SceneSource round_scene(Random& random) {
  SceneSource source =
      test::random_scene(random, {.links = 4, .obstacles = 5, .meshes_only = false});
  for (RobotLink& link : source.robots[0].robot.links)
    for (CollisionElement& element : link.collision)
      element.shape = Sphere{random.uniform(0.02, 0.08)};
  for (ObstacleSource& obstacle : source.obstacles)
    for (CollisionElement& element : obstacle.elements) {
      const double r = random.uniform(0.03, 0.2), h = random.uniform(0.01, 0.3);
      switch (random.index(4)) {
        case 0:
          element.shape = Sphere{r};
          break;
        case 1:
          element.shape = Box{{r, h, random.uniform(0.001, 0.2)}};
          break;
        case 2:
          element.shape = Cylinder{r, h};
          break;
        default:
          element.shape = Capsule{r, h};
      }
    }
  return source;
}

struct Case {
  Scene scene;
  std::vector<std::vector<double>> rows;  // ends, and control points between
  SegmentMotion motion() const {
    SegmentMotion motion;
    static_cast<MotionPiece&>(motion) = {
        rows.front(), rows.back(),
        std::span<const std::vector<double>>(rows).subspan(1, rows.size() - 2)};
    return motion;
  }
};

Case random_case(Random& random, bool round, bool curved) {
  test::RandomSceneOptions options;
  options.floating = random.index(3) == 0;
  Case c{test::build(round ? round_scene(random) : test::random_scene(random, options)), {}};
  c.rows = test::random_segment(c.scene.tree(), random, std::pow(10, random.uniform(-1.5, 0.5)));
  const auto coordinates = c.scene.tree().coordinates();
  for (int i = curved ? 1 + random.index(4) : 0; i > 0; --i) {
    std::vector<double> row = c.rows.front();
    for (std::size_t k = 0; k < row.size(); ++k)
      row[k] = coordinates[k].quaternion ? random.uniform(-0.5, 0.5)
                                         : row[k] + random.uniform(-0.3, 0.3);
    for (std::size_t k = 3; k < row.size(); ++k)
      if (coordinates[k].quaternion && coordinates[k - 3].quaternion &&
          (k == 3 || !coordinates[k - 4].quaternion || k % 4 == 3))
        row[k] = coordinates[k].name.ends_with(".qw") ? 0 : row[k];
    c.rows.insert(c.rows.end() - 1, row);
  }
  return c;
}

double distance_at(const Case& c, int pair, double t) {
  std::vector<double> q(c.rows[0].size());
  interpolate(c.scene.tree(), c.motion(), t, q);
  LinkPoses poses;
  compute_poses(c.scene.tree(), q, poses);
  const BodyPair& bodies = c.scene.pairs()[static_cast<std::size_t>(pair)];
  const Body &a = c.scene.body(bodies.a), &b = c.scene.body(bodies.b);
  const auto pose = [&](const Body& body) {
    return poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
  };
  DistanceScratch scratch;
  return exact_distance(*a.geometry, *b.geometry, relative_pose(pose(a), pose(b)), {-1, -1},
                        scratch)
      .distance;
}

// The smallest distance of the pair on a chord of a part, at samples that close in on it.
double least_on_chord(const Case& c, int pair, const SegmentPart& part, int chord) {
  constexpr int kSamples = 12;
  const double parts = std::ldexp(1.0, part.level);
  double begin = (part.index + static_cast<double>(chord) / kChords) / parts;
  double end = (part.index + (chord + 1.0) / kChords) / parts;
  double least = INFINITY;
  for (int round = 0; round < 3; ++round) {
    double best = begin;
    for (int i = 0; i <= kSamples; ++i) {
      const double t = std::min(1.0, begin + (end - begin) * i / kSamples);
      const double d = distance_at(c, pair, t);
      if (d < least) least = d, best = t;
    }
    const double width = (end - begin) / kSamples;
    begin = std::max(begin, best - width), end = std::min(end, best + width);
  }
  return least;
}

CheckModel model_of(const Case& c, double clearance) {
  CheckOptions options;
  options.clearance = Clearances::everywhere(clearance);
  CheckModel model = CheckModel::build(c.scene, options).value();
  for (const auto& row : c.rows) model = model.covering(row, row);
  return model;
}

// The scene with one pair alone, of which that is required.
Case with_pair_alone(const Case& c, int pair, double clearance) {
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
    const Case c = random_case(random, round, i % 3 == 0);
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
      const Case alone = with_pair_alone(c, pair, clearance);
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
    const Case c = random_case(random, i % 4 == 0, i % 3 == 0);
    CheckOptions options;
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
    CheckOptions options;
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
      const CheckModel model = CheckModel::build(fork.scene).value();
      SegmentMotion motion;
      motion.from = fork.from;
      motion.to = fork.to;
      Sweep sweep;
      ASSERT_TRUE(sweep.run(model.data().sweep(), motion, false));
      if (gap > 0) {
        EXPECT_FALSE(sweep.contact()) << gap;
      }
      contacts += sweep.contact().has_value();
      CheckOptions options;
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
    const Case c = random_case(random, i % 2 == 0, false);
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
    Case anew = c;
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
    CheckOptions options;
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

// What met before is looked at first, in any scene: whether something meets now does not depend on
// it.
TEST(Sweep, HurryingChangesNoVerdict) {
  Random random(14);
  Sweep hurried;
  int contacts = 0, others = 0, sooner = 0;
  std::vector<Case> cases;
  std::vector<CheckModel> models;
  for (int i = 0; i < 12; ++i) {
    cases.push_back(random_case(random, i % 2 == 0, false));
    models.push_back(model_of(cases.back(), 0));
  }
  for (int i = 0; i < test::cases(400); ++i) {
    const auto index = static_cast<std::size_t>(random.index(12));
    Case c{cases[index].scene, {}};
    c.rows = test::random_segment(c.scene.tree(), random, random.uniform(0.05, 1));
    const CheckModel& model = models[index];
    bool covered = true;
    for (const auto& row : c.rows) covered = covered && model.covers(row);
    if (!covered) continue;
    Sweep fresh;
    ASSERT_TRUE(fresh.run(model.data().sweep(), c.motion(), false, true));
    ASSERT_TRUE(hurried.run(model.data().sweep(), c.motion(), false, true, {}, true));
    ASSERT_EQ(hurried.contact().has_value(), fresh.contact().has_value()) << i;
    EXPECT_EQ(hurried.settles_all(), fresh.settles_all()) << i;
    if (!fresh.contact()) {
      ++others;
      continue;
    }
    ++contacts;
    sooner += hurried.contact()->t != fresh.contact()->t ||
              hurried.contact()->pair != fresh.contact()->pair;
    std::vector<double> q(c.rows[0].size());
    interpolate(c.scene.tree(), c.motion(), hurried.contact()->t, q);
    Scratch scratch;
    EXPECT_EQ(model.check_configuration(q, scratch).verdict, Verdict::collision) << i;
  }
  EXPECT_GT(contacts, test::cases(400) / 20);
  EXPECT_GT(others, test::cases(400) / 20);
  EXPECT_GT(sooner, 0);
}

// Chords are settled as their own cells say, however many are asked at once.
TEST(PairTable, ChordsAreOpenWhereACellIs) {
  Random random(15);
  int open = 0, free = 0;
  for (int i = 0; i < test::cases(300); ++i) {
    PairTable table;
    for (std::size_t a = 0; a < 2; ++a)
      table.axis[a] = {static_cast<int>(a), -1, 2.0 / PairTable::kCells, random.index(2) == 0};
    const double share = random.uniform(0.9, 1);
    for (int stripe = 0; stripe < PairTable::kStripes; ++stripe)
      for (int cell = 0; cell < PairTable::kCells; ++cell)
        if (random.uniform() < share || (cell / 16 + stripe / 16) % 3 != 0)
          table.set_free(cell, stripe);
    std::vector<double> from(2), to(2);
    for (std::size_t a = 0; a < 2; ++a)
      from[a] = random.uniform(-1.2, 1.2), to[a] = from[a] + random.uniform(-0.7, 0.7);
    const std::uint32_t found = table.open_chords({from, to});
    const auto cell = [&](std::size_t a, int k) {
      const double x = from[a] + static_cast<double>(k) / kChords * (to[a] - from[a]);
      return static_cast<int>(std::floor((x - table.axis[a].lower) / table.axis[a].width));
    };
    for (int k = 0; k < kChords; ++k) {
      bool is_free = true;
      const auto [x0, x1] = std::minmax({cell(0, k), cell(0, k + 1)});
      const auto [y0, y1] = std::minmax({cell(1, k), cell(1, k + 1)});
      // Across the end of a turn it stays open.
      const auto turn = [&](std::size_t a, int place) {
        return table.axis[a].whole ? static_cast<int>(std::floor(place / 256.0)) : 0;
      };
      const auto within = [&](std::size_t a, int first, int last) {
        return first >= 256 * turn(a, first) && last < 256 * (turn(a, first) + 1);
      };
      if (!within(0, x0, x1) || !within(1, y0, y1)) is_free = false;
      for (int x = x0; x <= x1 && is_free; ++x)
        for (int y = y0; y <= y1 && is_free; ++y)
          is_free = table.is_free(x - 256 * turn(0, x0), y - 256 * turn(1, y0));
      EXPECT_EQ((found >> k & 1) == 0, is_free) << i << " " << k;
      ++(is_free ? free : open);
    }
  }
  EXPECT_GT(open, 0);
  EXPECT_GT(free, 0);
}

// Whatever the machine has.
TEST(Sweep, IsTheSameWithEveryInstructionSet) {
  Random random(4);
  int open = 0;
  for (int i = 0; i < test::cases(40); ++i) {
    const Case c = random_case(random, i % 2 == 0, i % 3 == 0);
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

// Links that are close by design, over all angles of the two joints between them.
TEST(PairTable, FreeCellsAreFree) {
  Random random(5);
  int free = 0, taken = 0;
  for (int i = 0; i < test::cases(30); ++i) {
    const Case c = random_case(random, i % 2 == 0, false);
    const CheckModel model = model_of(c, i % 3 == 0 ? 0.01 : 0.0);
    for (int pair = 0; pair < static_cast<int>(c.scene.pairs().size()); ++pair) {
      const BodyPair& bodies = c.scene.pairs()[static_cast<std::size_t>(pair)];
      if (c.scene.pair_class(bodies.a, bodies.b) != PairClass::self) continue;
      const auto table = pair_table(model.data(), pair);
      if (!table) continue;
      const double clearance = i % 3 == 0 ? 0.01 : 0.0;
      const auto is_free = [&](int cell, int stripe) { return table->is_free(cell, stripe); };
      const int stripes = table->axis[1].coordinate < 0 ? 1 : PairTable::kStripes;
      int looked_at = 0;
      for (int stripe = 0; stripe < stripes; ++stripe)
        for (int cell = 0; cell < PairTable::kCells && looked_at < 100; ++cell) {
          ++(is_free(cell, stripe) ? free : taken);
          const bool beside_taken = (cell > 0 && !is_free(cell - 1, stripe)) ||
                                    (cell + 1 < PairTable::kCells && !is_free(cell + 1, stripe)) ||
                                    (stripe > 0 && !is_free(cell, stripe - 1)) ||
                                    (stripe + 1 < stripes && !is_free(cell, stripe + 1));
          if (!is_free(cell, stripe) || !beside_taken) continue;
          ++looked_at;
          // The corners of cells at the border of what is free.
          Case at = c;
          at.rows.resize(2);
          for (const int corner : {0, 1, 2, 3}) {
            std::vector<double>& q = at.rows[0];
            q = random_configuration(c.scene.tree(), random, 0.3);
            const int place[2] = {cell + (corner & 1), stripe + (corner >> 1)};
            for (std::size_t a = 0; a < 2; ++a)
              if (const PairTable::Axis& axis = table->axis[a]; axis.coordinate >= 0)
                q[static_cast<std::size_t>(axis.coordinate)] = axis.lower + place[a] * axis.width;
            at.rows[1] = q;
            EXPECT_GT(distance_at(at, pair, 0), clearance) << i << ' ' << pair;
          }
        }
    }
  }
  EXPECT_GT(free, test::cases(30));
  EXPECT_GT(taken, test::cases(30));
}

// Three or four joints between a post and a tip that may hit it: the first turns about the post,
// the last about the tip, or nearly so.
Scene spun_arm(Random& random, int joints) {
  Robot robot;
  for (int i = 0; i <= joints; ++i) {
    robot.links.emplace_back();
    robot.links.back().name = "l" + std::to_string(i);
    if (i == 0) continue;
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent_link = robot.links[static_cast<std::size_t>(i) - 1].name;
    joint.child_link = robot.links.back().name;
    joint.axis = i == 1 || i == joints ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
    joint.X_PJ.p = i == 1 ? Vec3{0.01, 0, 0.4} : Vec3{0, random.uniform(-0.02, 0.02), 0.25};
    joint.limits = {-3.1, 3.1, 1, 1};
    robot.joints.push_back(joint);
  }
  const Pose leaning{rotation(random.unit_vector(), 0.1), {0.01, 0, 0}};
  robot.links[0].collision.push_back({Box{{0.06, 0.07, 0.3}}, leaning, ""});
  robot.links.back().collision.push_back(
      {test::random_shape(random, {0.05, 0.04, 0.08}, true), leaning, ""});
  SceneSource source;
  source.robots.push_back({"r", robot, Pose{}});
  return test::build(source);
}

TEST(PairTable, SpunLinksAreApartInEveryTurn) {
  Random random(8);
  int spun = 0, looked_at = 0, near = 0;
  for (int i = 0; i < 10; ++i) {
    Case c{spun_arm(random, 3 + i % 2), {}};
    ASSERT_EQ(c.scene.pairs().size(), 1u);
    const double clearance = i % 3 == 0 ? 0.01 : 0.0;
    const CheckModel model = CheckModel::build(c.scene,
                                               [&] {
                                                 CheckOptions options;
                                                 options.clearance =
                                                     Clearances::everywhere(clearance);
                                                 return options;
                                               }())
                                 .value();
    const auto table = pair_table(model.data(), 0);
    ASSERT_TRUE(table);
    spun += table->spun;
    for (int stripe = 1; stripe < PairTable::kStripes; stripe += 3)
      for (int cell = 1; cell < PairTable::kCells; cell += 2) {
        // At the border of what is free.
        if (!table->is_free(cell, stripe) ||
            (table->is_free(cell - 1, stripe) && table->is_free(cell, stripe - 1)))
          continue;
        for (int k = 0; k < 10; ++k) {
          std::vector<double> q = random_configuration(c.scene.tree(), random);
          const double place[2] = {cell + random.uniform(0, 1), stripe + random.uniform(0, 1)};
          for (std::size_t a = 0; a < 2; ++a)
            q[static_cast<std::size_t>(table->axis[a].coordinate)] =
                table->axis[a].lower + place[a] * table->axis[a].width;
          c.rows = {q, q};
          const double distance = distance_at(c, 0, 0);
          EXPECT_GT(distance, clearance) << i;
          ++looked_at;
          near += distance < clearance + 0.01;
        }
      }
  }
  EXPECT_EQ(spun, 10);
  EXPECT_GT(looked_at, 1000);
  EXPECT_GT(near, 20);
}

// A ball that a table names lies in the body.
void expect_inside(const PairTable::Ball& ball, const BodyGeometry& geometry, Random& random) {
  if (!(ball.radius > 0)) return;  // a corner
  const Vec3 centre{ball.centre[0], ball.centre[1], ball.centre[2]};
  for (int k = 0; k < 20; ++k)
    EXPECT_TRUE(geometry.contains(centre + (1 - 1e-5) * ball.radius * random.unit_vector()));
}

// In cells that are not free a table names two balls inside of the bodies. In the middle of the
// cell they are as near to each other as any that the bodies are filled with, or deeper.
TEST(PairTable, NamesBallsThatAreDeep) {
  Random random(6);
  int named = 0, overlapping = 0, deeper = 0;
  for (int i = 0; i < 12; ++i) {
    const Case c = random_case(random, i % 2 == 0, false);
    const CheckModel model = model_of(c, 0);
    for (int pair = 0; pair < static_cast<int>(c.scene.pairs().size()); ++pair) {
      const BodyPair& bodies = c.scene.pairs()[static_cast<std::size_t>(pair)];
      if (c.scene.pair_class(bodies.a, bodies.b) != PairClass::self) continue;
      const auto table = pair_table(model.data(), pair);
      if (!table) continue;
      const BodyGeometry &of_a = *c.scene.body(bodies.a).geometry,
                         &of_b = *c.scene.body(bodies.b).geometry;
      const auto A = InnerLanes::of(of_a, Pose{}), B = InnerLanes::of(of_b, Pose{});
      for (int k = 0; k < 40; ++k) {
        // Mostly from a cell that is not free to one nearby.
        std::vector<double> from = random_configuration(c.scene.tree(), random, 0.3), to = from;
        const int stripes = table->axis[1].coordinate < 0 ? 1 : PairTable::kStripes;
        int place[2] = {0, 0};
        for (int tries = 0; tries < 50; ++tries) {
          place[0] = random.index(PairTable::kCells), place[1] = random.index(stripes);
          if (!table->is_free(place[0], place[1])) break;
        }
        for (std::size_t a = 0; a < 2; ++a)
          if (const PairTable::Axis& axis = table->axis[a]; axis.coordinate >= 0) {
            const auto x = static_cast<std::size_t>(axis.coordinate);
            from[x] = axis.lower + (place[a] + random.uniform(0.1, 0.9)) * axis.width;
            to[x] = from[x] + random.uniform(-3, 3) * axis.width;
          }
        const PairTable::Line line{from, to};
        std::array<PairTable::Likely, PairTable::kMostLikely> likely;
        const int found = table->likely_contacts(line, table->open_chords(line), likely);
        EXPECT_TRUE(found == 0 || !table->spun);
        for (int n = 0; n < found; ++n) {
          const PairTable::Likely& one = likely[static_cast<std::size_t>(n)];
          const PairTable::Contact& contact = *one.contact;
          if (n > 0) {
            EXPECT_LE(likely[static_cast<std::size_t>(n) - 1].contact->gap, contact.gap);
          }
          std::vector<double> q = from;
          for (std::size_t j = 0; j < q.size(); ++j)
            q[j] += (to[j] - from[j]) * one.moment / kChords;
          for (const PairTable::Axis& axis : table->axis) {
            if (axis.coordinate < 0) continue;
            double& x = q[static_cast<std::size_t>(axis.coordinate)];
            x = axis.lower + (std::floor((x - axis.lower) / axis.width) + 0.5) * axis.width;
          }
          LinkPoses poses;
          compute_poses(c.scene.tree(), q, poses);
          const Pose X_AB =
              relative_pose(c.scene.body_pose(bodies.a, poses), c.scene.body_pose(bodies.b, poses));
          const auto gap = [&](const Vec3& p, double r, const Vec3& x, double s) {
            return norm(X_AB * x - p) - r - s;
          };
          double least = INFINITY;
          for (int a = 0; a < A->count; ++a)
            for (int b = 0; b < B->count; ++b)
              least = std::min(least, gap(A->centre(a), A->radius(a), B->centre(b), B->radius(b)));
          const auto centre = [](const PairTable::Ball& ball) {
            return Vec3{ball.centre[0], ball.centre[1], ball.centre[2]};
          };
          EXPECT_NEAR(gap(centre(contact.a), contact.a.radius, centre(contact.b), contact.b.radius),
                      contact.gap, 1e-5)
              << i << ' ' << pair;
          EXPECT_LE(contact.gap, least + 1e-5) << i << ' ' << pair;
          expect_inside(contact.a, of_a, random);
          expect_inside(contact.b, of_b, random);
          ++named;
          overlapping += least < 0;
          deeper += contact.gap < least - 1e-3;
        }
      }
    }
  }
  EXPECT_GT(named, 12);
  EXPECT_GT(overlapping, 0);
  EXPECT_LT(overlapping, named);
  EXPECT_GT(deeper, 0);
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
      CheckOptions options;
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
