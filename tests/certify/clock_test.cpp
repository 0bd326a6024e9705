// Things that move or grow by the clock, beside the motion under test.
#include <gtest/gtest.h>

#include "any_values.h"
#include "certify/check_support.h"
#include "certify/random_scenes.h"
#include "proven/certify/check.h"
#include "support.h"

namespace proven {
namespace {

std::shared_ptr<const Motion> shared(Motion motion) {
  return std::make_shared<const Motion>(std::move(motion));
}

Verdict verdict_of(const Scene& scene, const Motion& motion, const CheckOptions& options = {}) {
  Scratch scratch;
  auto result = check(scene, motion, options, scratch);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? result.value().verdict : Verdict::undecided;
}

// The block drives from x = 0 to x = 2 in 2 s; a cart crosses its way at x = 1 along y, at 1 m/s.
Scene crossing(double cart_starts_at, double clearance = 0, double late = 0) {
  SceneBuilder builder = test::slider();
  ObstacleSource cart{"cart", test::box_elements({0.2, 0.2, 0.2}), Pose::translation({1, 0, 0})};
  cart.motion = shared(
      {{{0, -3, 0, 0, 0, 0, 1}, {0, 3, 0, 0, 0, 0, 1}}, {cart_starts_at, cart_starts_at + 6}, {}});
  cart.late = late;
  EXPECT_TRUE(builder.add_obstacle(cart).ok());
  EXPECT_TRUE(builder.set_clearance(clearance).ok());
  return test::must_build(std::move(builder));
}
Motion drive(const Scene& scene) {
  std::vector<double> from(scene.home().begin(), scene.home().end()), to = from;
  from[0] = 0, to[0] = 2;
  return {{from, to}, {0, 2}, {}};
}

TEST(Clock, AnObstacleThatCrossesTheWay) {
  // It passes y = 0 when the block is at x = 1.
  const Scene meets = crossing(-2);
  EXPECT_EQ(verdict_of(meets, drive(meets)), Verdict::collision);
  // Half a second earlier or later: 0.5 m apart along y when x agrees, diagonally 0.35 m.
  for (const double start : {-2.6, -1.4}) {
    const Scene misses = crossing(start);
    EXPECT_EQ(verdict_of(misses, drive(misses)), Verdict::free) << start;
  }
  // At the time offset d both are d/√2 apart along the diagonal, where boxes of 0.2 m touch at 0.2
  // m along an axis: d = 0.4 m/s.
  for (const double late : {0.39, 0.41}) {
    const Scene scene = crossing(-2 + late);
    EXPECT_EQ(verdict_of(scene, drive(scene)), late < 0.4 ? Verdict::collision : Verdict::free);
  }
}

// The same cart, which may start late. It meets the block if it starts within 0.4 s of -2.
TEST(Clock, WhatMayBeLateIsProvedForEveryStart) {
  struct Case {
    double start, late;
    Verdict verdict;
  };
  for (const Case& c : {Case{-2.6, 0.19, Verdict::free}, Case{-2.6, 0.21, Verdict::collision},
                        Case{-2.6, 3, Verdict::collision}, Case{-1.59, 2, Verdict::free},
                        Case{-1.61, 2, Verdict::collision}, Case{-8.41, 6, Verdict::free}}) {
    const Scene scene = crossing(c.start, 0, c.late);
    Scratch scratch;
    const auto result = check(scene, drive(scene), test::any_values(), scratch);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result.value().verdict, c.verdict) << c.start << ' ' << c.late;
    if (!result.value().collision) continue;
    const double starts = c.start + result.value().collision->delays.at(0);
    EXPECT_GE(result.value().collision->delays[0], 0);
    EXPECT_LE(starts, c.start + c.late);
    EXPECT_NEAR(starts, -2, 0.4);
  }
}

TEST(Clock, LatenessNeedsAMotion) {
  SceneBuilder builder = test::slider();
  ObstacleSource rock{"rock", test::box_elements({0.2, 0.2, 0.2}), Pose{}};
  rock.late = 1;
  EXPECT_FALSE(builder.add_obstacle(rock).ok());
  CheckOptions first = test::any_values();
  first.first = true;
  EXPECT_FALSE(CheckModel::build(crossing(-2, 0, 1), first).ok());
}

TEST(Clock, BeforeItsFirstTimeAndAfterItsLastItRests) {
  SceneBuilder builder = test::slider();
  ObstacleSource gate{"gate", test::box_elements({0.2, 0.2, 0.2}), Pose{}};
  gate.motion = shared({{{1, 0, 0, 0, 0, 0, 1}, {1, 1, 0, 0, 0, 0, 1}}, {3, 4}, {}});
  ASSERT_TRUE(builder.add_obstacle(gate).ok());
  const Scene scene = test::must_build(std::move(builder));
  Motion motion = drive(scene);
  EXPECT_EQ(verdict_of(scene, motion), Verdict::collision);  // still closed
  motion.times = {4, 6};
  EXPECT_EQ(verdict_of(scene, motion), Verdict::free);  // open for ever
  motion.times = {2.5, 4.5};
  EXPECT_EQ(verdict_of(scene, motion), Verdict::free);  // it opens just in time
}

TEST(Clock, WhatGrowsNeedsMoreRoomEverySecond) {
  // The block drives away from a ball at 1 m/s; its back starts 0.9 m off.
  const auto scene_with = [](double speed) {
    SceneBuilder builder = test::slider();
    ObstacleSource person{
        "person", {{Sphere{0.5}, Pose{}, "ball"}}, Pose::translation({-1.5, 0, 0})};
    person.grows = speed;
    EXPECT_TRUE(builder.add_obstacle(person).ok());
    return test::must_build(std::move(builder));
  };
  const auto at_speed = [&](double speed, double away) {
    const Scene scene = scene_with(speed);
    Motion motion = drive(scene);
    motion.waypoints[1][0] = away;
    return verdict_of(scene, motion);
  };
  EXPECT_EQ(at_speed(0.44, 0), Verdict::free);  // 0.9 m after 2 s: 0.45 m/s
  EXPECT_EQ(at_speed(0.46, 0), Verdict::collision);
  EXPECT_EQ(at_speed(1.44, 2), Verdict::free);
  EXPECT_EQ(at_speed(1.46, 2), Verdict::collision);
  // The required clearance counts on top.
  const Scene scene = scene_with(0.44);
  Motion still = drive(scene);
  still.waypoints[1][0] = 0;
  CheckOptions options = test::any_values();
  options.clearance = 0.01;
  EXPECT_EQ(verdict_of(scene, still, options), Verdict::free);
  options.clearance = 0.03;
  EXPECT_EQ(verdict_of(scene, still, options), Verdict::collision);
}

// A robot's base that stands still is proved together with all still bodies.
TEST(Clock, WhatGrowsNeedsRoomBesideStillLinksToo) {
  for (const double speed : {0.44, 0.46}) {
    Robot robot;
    robot.links = {{"base", test::box_elements({0.2, 0.2, 0.2}), false, nullptr}};
    SceneBuilder builder;
    ASSERT_TRUE(builder.add_robot(robot, "post", Pose{}).ok());
    ObstacleSource person{
        "person", {{Sphere{0.5}, Pose{}, "ball"}}, Pose::translation({-1.5, 0, 0})};
    person.grows = speed;
    ASSERT_TRUE(builder.add_obstacle(person).ok());
    const Scene scene = test::must_build(std::move(builder));
    const std::vector<double> home(scene.home().begin(), scene.home().end());
    EXPECT_EQ(verdict_of(scene, {{home, home}, {0, 2}, {}}),
              speed < 0.45 ? Verdict::free : Verdict::collision);
  }
}

TEST(Clock, ErrorsNameWhatIsMissing) {
  const Scene scene = crossing(-2);
  Motion untimed = drive(scene);
  untimed.times.clear();
  Scratch scratch;
  EXPECT_FALSE(check(scene, untimed, test::any_values(), scratch).ok());
  Motion named = drive(scene);
  named.waypoints[1][2] += 0.1;  // a coordinate of the cart
  const auto result = check(scene, named, test::any_values(), scratch);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().text().find("cart"), std::string::npos);
  CheckOptions classic = test::any_values();
  classic.checker = Checker::classic;
  EXPECT_FALSE(check(scene, drive(scene), classic, scratch).ok());
  SceneBuilder builder = test::slider();
  ObstacleSource cart{"cart", test::box_elements({1, 1, 1}), Pose{}};
  cart.motion = shared({{{0, 0, 0, 0, 0, 0, 1}, {0, 1, 0, 0, 0, 0, 1}}, {0, 0}, {}});
  EXPECT_FALSE(builder.add_obstacle(cart).ok());
}

// Edits and descriptions keep what moves.
TEST(Clock, ADescriptionBuildsTheSameScene) {
  const Scene scene = crossing(-2);
  const auto again = build_scene(scene.description());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(scene.hash(), again.value().hash());
  EXPECT_FALSE(scene.hash() == crossing(-1).hash());
  const Scene late = crossing(-2, 0, 0.5);
  EXPECT_FALSE(late.hash() == scene.hash());
  EXPECT_EQ(late.hash(), build_scene(late.description()).value().hash());
  const auto moved = scene.with_pose("cart", Pose::translation({9, 0, 0}));
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(verdict_of(moved.value(), drive(moved.value())), Verdict::free);
  const auto gone = scene.without("cart");
  ASSERT_TRUE(gone.ok());
  EXPECT_TRUE(gone.value().timed().empty());
}

Motion random_motion(Random& random, int count, bool floating, double begin, double end,
                     double size) {
  Motion motion;
  const int pieces = 1 + random.index(3);
  const auto point = [&] {
    std::vector<double> q(static_cast<std::size_t>(count));
    for (double& v : q) v = random.uniform(-size, size);
    if (!floating) return q;
    const Vec3 axis = random.unit_vector();
    const double half = random.uniform(0, 1.5);
    q[3] = axis.x * std::sin(half), q[4] = axis.y * std::sin(half), q[5] = axis.z * std::sin(half);
    q[6] = std::cos(half);
    return q;
  };
  for (int i = 0; i <= pieces; ++i) {
    motion.waypoints.push_back(point());
    motion.times.push_back(
        begin +
        (end - begin) * (i + (i > 0 && i < pieces ? random.uniform(-0.3, 0.3) : 0.0)) / pieces);
  }
  for (int i = 0; i < pieces; ++i) {
    motion.inner.emplace_back();
    for (int k = random.index(5); k > 0; --k) {
      motion.inner.back().push_back(point());
      // About the axis of the whole turn, by any share of it: such turns can be cut.
      if (floating)
        for (int j = 3; j < 7; ++j) motion.inner.back().back()[static_cast<std::size_t>(j)] = 0;
    }
  }
  return motion;
}

// Each part alone at a time, by its own pieces: what the merged motion must be.
void place(const Scene& scene, const Motion& motion, std::span<const int> coordinates, double time,
           std::span<double> q) {
  const auto& times = motion.times;
  std::size_t i = 0;
  while (i + 2 < times.size() && times[i + 1] <= time) ++i;
  const double s = std::clamp((time - times[i]) / (times[i + 1] - times[i]), 0.0, 1.0);
  // A tree of these coordinates alone is not at hand: the others are given the same values
  // throughout.
  const bool own = motion.waypoints[0].size() == coordinates.size();
  const auto full = [&](std::span<const double> values, bool inner) {
    std::vector<double> all =
        inner ? std::vector<double>(q.size(), 0.0) : scene.tree().zero_configuration();
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      const auto c = static_cast<std::size_t>(coordinates[k]);
      all[c] = values[own ? k : c];
    }
    return all;
  };
  const MotionPiece piece = motion.piece(static_cast<int>(i));
  std::vector<std::vector<double>> rows;
  for (int k = 0; k <= piece.degree(); ++k)
    rows.push_back(full(piece.control(k), k > 0 && k < piece.degree()));
  std::vector<double> all(q.size());
  interpolate(scene.tree(),
              {rows.front(), rows.back(),
               std::span<const std::vector<double>>(rows).subspan(1, rows.size() - 2)},
              s, all);
  for (const int c : coordinates) q[static_cast<std::size_t>(c)] = all[static_cast<std::size_t>(c)];
}

TEST(Clock, RandomMotionsAgainstDenseSampling) {
  Random random(21);
  test::VerdictCounts counts;
  double largest = 0;
  for (int n = test::cases(150); n > 0; --n) {
    SceneBuilder builder = test::turning_bar();
    std::vector<Motion> movers;
    for (int m = 1 + random.index(2); m > 0; --m) {
      movers.push_back(
          random_motion(random, 7, true, random.uniform(-1, 1), random.uniform(2, 5), 1));
      ObstacleSource mover{"m" + std::to_string(m),
                           {{test::block_mesh({0.1, 0.2, 0.05}), Pose{}, "m"}},
                           Pose::translation({0.5, 0.5, 0})};
      mover.motion = shared(movers.back());
      ASSERT_TRUE(builder.add_obstacle(mover).ok());
    }
    const Scene scene = test::must_build(std::move(builder));
    Motion own = random_motion(random, 1, false, 0, 3, 2);
    Motion motion;
    motion.times = own.times;
    const auto spread = [&](const std::vector<double>& q, bool inner) {
      std::vector<double> all = inner
                                    ? std::vector<double>(scene.home().size(), 0.0)
                                    : std::vector<double>(scene.home().begin(), scene.home().end());
      all[0] = q[0];
      return all;
    };
    for (const auto& q : own.waypoints) motion.waypoints.push_back(spread(q, false));
    for (const auto& points : own.inner) {
      motion.inner.emplace_back();
      for (const auto& q : points) motion.inner.back().push_back(spread(q, true));
    }
    Scratch scratch;
    const auto result = check(scene, motion, test::any_values(), scratch);
    ASSERT_TRUE(result.ok()) << result.error().text();
    counts.add(result.value().verdict);
    const auto merged = scene.on_one_clock(motion);
    ASSERT_TRUE(merged.ok());
    test::FclScene fcl(scene);
    constexpr int kSamples = 400;
    std::vector<double> q(scene.home().size()), on_clock(q.size());
    for (int i = 0; i <= kSamples; ++i) {
      const double time = 3.0 * i / kSamples;
      place(scene, motion, std::vector<int>{0}, time, q);
      for (std::size_t m = 0; m < movers.size(); ++m) {
        std::vector<int> coordinates;
        for (int c = 0; c < 7; ++c) coordinates.push_back(1 + 7 * static_cast<int>(m) + c);
        place(scene, movers[m], coordinates, time, q);
      }
      std::vector<int> all(q.size());
      for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<int>(c);
      place(scene, merged.value(), all, time, on_clock);
      for (std::size_t c = 0; c < q.size(); ++c) {
        largest = std::fmax(largest, std::fabs(q[c] - on_clock[c]));
        ASSERT_NEAR(q[c], on_clock[c], 1e-13);
      }
      if (result.value().verdict == Verdict::free) {
        ASSERT_LT(fcl.first_collision(q), 0);
      }
    }
    if (result.value().verdict == Verdict::collision) {
      EXPECT_GE(fcl.first_collision(result.value().collision->configuration), 0);
    }
  }
  EXPECT_LT(largest, 1e-13);
  counts.expect_both(test::cases(150) / 10);
}

}  // namespace
}  // namespace proven
