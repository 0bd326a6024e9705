// Parts of surfaces: a bar between two walls, whose hull it is always in.
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "certify/random_scenes.h"
#include "certify/scratch_state.h"
#include "certify/sweep_support.h"
#include "proven/certify/check.h"
#include "simd_support.h"
#include "support.h"

namespace proven {
namespace {

// The faces of a box, each in `cuts` by `cuts` squares of two triangles.
void add_block(const Vec3& centre, const Vec3& half, int cuts, TriangleMesh& mesh) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      for (int i = 0; i < cuts * cuts; ++i) {
        const auto corner = [&](int u, int v) {
          Vec3 p;
          p[axis] = side * half[axis];
          const int first = (axis + 1) % 3, second = (axis + 2) % 3;
          const int column = i % cuts + u, row = i / cuts + v;
          p[first] = half[first] * (2.0 * column / cuts - 1);
          p[second] = half[second] * (2.0 * row / cuts - 1);
          mesh.vertices.push_back(centre + p);
          return static_cast<unsigned>(mesh.vertices.size() - 1);
        };
        const unsigned a = corner(0, 0), b = corner(side > 0 ? 1 : 0, side > 0 ? 0 : 1),
                       c = corner(1, 1), d = corner(side > 0 ? 0 : 1, side > 0 ? 1 : 0);
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      }
}

// Two walls along x, and a bar between them that slides along x and across. To each wall there is
// `gap` where it has not slid across. The walls turn about z and carry the bar; or it turns by
// itself, as much; or they stand still, and the bar, which stays upright, goes along an arc.
enum class Walls { carry, turn, stand };
constexpr std::array kWalls = {Walls::carry, Walls::turn, Walls::stand};
constexpr double kBar = 0.02, kDeep = 0.15, kLong = 0.3;

Scene walls_and_bar(double gap, double clearance, Walls kind) {
  TriangleMesh walls, bar;
  for (const double side : {-1.0, 1.0})
    add_block({0, side * (kBar + gap + 0.01), 0}, {kLong, 0.01, kDeep}, 4, walls);
  add_block({0, 0, 0.05}, {0.1, kBar, kDeep}, 4, bar);
  Robot robot;
  const auto shape = [](const TriangleMesh& mesh) {
    return std::vector{CollisionElement{std::make_shared<const TriangleMesh>(mesh), Pose{}, ""}};
  };
  test::add_link(robot, "base", "", JointType::fixed, {});
  if (kind == Walls::stand) {
    test::add_link(robot, "walls", "base", JointType::fixed, {}, shape(walls));
    test::add_link(robot, "lifted", "base", JointType::revolute, {0, 1, 0});
    test::add_link(robot, "along", "lifted", JointType::prismatic, {1, 0, 0});
    test::add_link(robot, "upright", "along", JointType::revolute, {0, 1, 0});
    test::add_link(robot, "bar", "upright", JointType::prismatic, {0, 1, 0}, shape(bar));
  } else {
    const bool carried = kind == Walls::carry;
    test::add_link(robot, "walls", "base", JointType::revolute, {0, 0, 1}, shape(walls));
    test::add_link(robot, "turned", carried ? "walls" : "base",
                   carried ? JointType::prismatic : JointType::revolute, {0, 0, 1});
    test::add_link(robot, "along", "turned", JointType::prismatic, {1, 0, 0});
    test::add_link(robot, "bar", "along", JointType::prismatic, {0, 1, 0}, shape(bar));
  }
  SceneSource source;
  source.robots.push_back({"r", robot, Pose::translation({0.2, -0.3, 0.1})});
  source.clearances.push_back({"r/walls", "r/bar", clearance});
  return test::build(source);
}

struct Slide {
  std::vector<double> from, to;
  double across;  // at most
};

Slide random_slide(Random& random, Walls kind) {
  const double turn = random.uniform(-2, 2), by = random.uniform(-0.5, 0.5);
  const double from = random.uniform(-0.002, 0.002), to = random.uniform(-0.002, 0.002);
  Slide slide;
  slide.across = std::max(std::fabs(from), std::fabs(to));
  if (kind == Walls::stand) {
    const double lift = random.uniform(-0.3, 0.3), other = random.uniform(-0.3, 0.3);
    slide.from = {lift, random.uniform(-0.1, 0.1), -lift, from};
    slide.to = {other, random.uniform(-0.1, 0.1), -other, to};
    return slide;
  }
  const bool carried = kind == Walls::carry;
  slide.from = {turn, carried ? 0.01 : turn, random.uniform(-0.1, 0.1), from};
  slide.to = {turn + by, carried ? 0.02 : turn + by, random.uniform(-0.1, 0.1), to};
  return slide;
}

// The bar keeps gap - across from the walls, by construction.
TEST(SweepParts, SettleWhatHullsCannotAndNothingElse) {
  Random random(3);
  std::map<Walls, int> settled;
  int tight = 0, left = 0;
  for (int i = 0; i < test::cases(60); ++i) {
    const Walls kind = kWalls[static_cast<std::size_t>(i) % kWalls.size()];
    const double gap = random.uniform(0.003, 0.01);
    const Slide slide = random_slide(random, kind);
    const double least = gap - slide.across;
    // Just what it does not keep, what it all but keeps, and less.
    for (const double clearance : {least * (1 + 1e-9), least - 1e-4, least - 0.001, 0.0}) {
      const Scene scene = walls_and_bar(gap, std::max(0.0, clearance), kind);
      ASSERT_EQ(scene.pairs().size(), 1u);
      CheckModel model = CheckModel::build(scene).value();
      SegmentMotion motion;
      motion.from = slide.from, motion.to = slide.to;
      bool expected = false;
      for (const simd::InstructionSet set : test::instruction_sets()) {
        const test::Forced forced(set);
        Sweep sweep;
        ASSERT_TRUE(sweep.run(model.data().sweep(), motion, true));
        const bool free = sweep.settles_all();
        if (set == simd::InstructionSet::scalar) expected = free;
        EXPECT_EQ(free, expected) << to_string(set);
      }
      if (clearance >= least) {
        EXPECT_FALSE(expected) << i << ": closer than " << clearance;
      }
      ++(expected ? settled[kind] : left);
      tight += expected && clearance >= least - 0.0011 && clearance < least;
    }
  }
  for (const Walls kind : kWalls) EXPECT_GT(settled[kind], test::cases(60) / 12);
  EXPECT_GT(tight, test::cases(60) / 15);
  EXPECT_GT(left, test::cases(60) / 3);
}

// A bar that goes through a wall within the segment: parts overlap at a moment that is looked at
// before all others.
TEST(SweepParts, PauseWhereTheyOverlap) {
  int pauses = 0;
  for (const double across : {0.0031, 0.0033, 0.012}) {
    const Scene scene = walls_and_bar(0.003, 0, Walls::carry);
    CheckOptions options;
    options.sweep = true;
    const CheckModel model = CheckModel::build(scene, options).value();
    model.prepare_sweeps();
    const std::vector<double> from = {0, 0, -0.05, 0}, to = {0.2, 0, 0.05, across};
    SegmentMotion motion;
    motion.from = from, motion.to = to;
    Sweep sweep;
    ASSERT_TRUE(sweep.run(model.data().sweep(), motion, true, true));
    pauses += sweep.pauses();
    if (sweep.pauses()) {
      EXPECT_EQ(sweep.hint().pair, 0);
      sweep.go_on();
    }
    EXPECT_FALSE(sweep.settles_all());
    Scratch scratch;
    const CheckResult result = model.check_segment({from, to, true}, scratch);
    ASSERT_EQ(result.verdict, Verdict::collision);
    EXPECT_GE(result.collision->t * across, 0.003 * (1 - 1e-9));
  }
  EXPECT_GT(pauses, 0);
}

// Balls inside of the bar and a wall that met before are looked at first, and tell a contact only
// where the bar is in a wall.
TEST(SweepParts, WhatMetInsideIsLookedAtFirst) {
  constexpr double kGap = 0.003;
  Random random(5);
  const Scene scene = walls_and_bar(kGap, 0, Walls::carry);
  const CheckModel model = CheckModel::build(scene).value();
  Sweep hurried;
  int contacts = 0, others = 0, another = 0;
  for (int i = 0; i < test::cases(200); ++i) {
    Slide slide = random_slide(random, Walls::carry);
    slide.from.back() = random.uniform(-0.002, 0.002);
    slide.to.back() = random.uniform(-0.02, 0.02);
    SegmentMotion motion;
    motion.from = slide.from, motion.to = slide.to;
    Sweep fresh;
    ASSERT_TRUE(fresh.run(model.data().sweep(), motion, true, true));
    ASSERT_TRUE(hurried.run(model.data().sweep(), motion, true, true, {}, true));
    if (!hurried.contact()) {
      ++others;
      continue;
    }
    ++contacts;
    const double t = hurried.contact()->t;
    const double across = (1 - t) * slide.from.back() + t * slide.to.back();
    EXPECT_GE(std::fabs(across), kGap * (1 - 1e-9)) << i;
    another += !fresh.contact() || fresh.contact()->t != t;
  }
  EXPECT_GT(contacts, test::cases(200) / 20);
  EXPECT_GT(others, test::cases(200) / 20);
  EXPECT_GT(another, test::cases(200) / 100);
}

// A scratch may have the memory of another one, not what that one met.
TEST(SweepParts, ANewScratchHasMetNothing) {
  Random random(7);
  CheckOptions options;
  options.sweep = true;
  const CheckModel model =
      CheckModel::build(walls_and_bar(0.003, 0, Walls::carry), options).value();
  model.prepare_sweeps();
  const auto slide = [&] {
    Slide made = random_slide(random, Walls::carry);
    made.to.back() = random.uniform(-0.02, 0.02);
    return made;
  };
  // When something meets; -1: nothing is found to.
  const auto ask = [&](const Slide& s, Scratch& scratch) {
    const bool meets =
        model.pre_check({s.from, s.to, true}, CheckModel::Effort::sweeps_alone, scratch).verdict ==
        PreVerdict::contact;
    return meets ? scratch.state().sweep->contact()->t : -1;
  };
  int others = 0;
  for (int i = 0; i < test::cases(100); ++i) {
    const Slide asked = slide();
    double first = 0, warm = 0;
    std::thread([&] {
      Scratch scratch;
      first = ask(asked, scratch);
    }).join();
    {
      Scratch scratch;
      for (int k = 0; k < 20; ++k) ask(slide(), scratch);
      warm = ask(asked, scratch);
    }
    Scratch scratch;
    EXPECT_EQ(ask(asked, scratch), first) << i;
    others += warm != first;
  }
  EXPECT_GT(others, 0);
}

}  // namespace
}  // namespace proven
