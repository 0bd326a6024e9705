#include "proven_moveit/guard.h"

#include "arm.h"
#include "proven/io/scene_file.h"
#include "support.h"

namespace proven {
namespace {

using adapters::Answer;
using adapters::Guard;
using adapters::PairScope;
using adapters::Surroundings;
using test::around_arm;
using test::block;
using test::passing;
using test::thin_post;
using Row = std::vector<double>;

std::shared_ptr<const Guard> guard_of(const Robot& robot, const CheckOptions& options = {}) {
  auto guard = Guard::build(robot, options);
  EXPECT_TRUE(guard.ok()) << guard.error().text();
  return guard.value();
}

Answer must(Result<Answer> answer) {
  EXPECT_TRUE(answer.ok()) << answer.error().text();
  return answer.ok() ? std::move(answer).value() : Answer{};
}

Trajectory points(std::vector<Row> positions, std::vector<double> times = {},
                  std::vector<Row> velocities = {}) {
  Trajectory trajectory;
  trajectory.joints = {"arm/shoulder", "arm/elbow"};
  trajectory.positions = std::move(positions);
  trajectory.times = std::move(times);
  trajectory.velocities = std::move(velocities);
  return trajectory;
}

TEST(Guard, FindsWhatLiesBetweenTwoFreePoints) {
  const auto guard = guard_of(test::arm());
  const Surroundings around = around_arm(thin_post());
  const auto [from, to] = passing();
  for (const Row& q : {from, to})
    EXPECT_EQ(must(guard->check_state(around, q)).verdict, Verdict::free);
  const Row rest(2, 0);
  const Answer answer =
      must(guard->check(around, rest, points({{-1, 0}, from, to, {1, 0}}, {0, 1, 2, 3}), 5));
  ASSERT_EQ(answer.verdict, Verdict::collision);
  ASSERT_FALSE(answer.contacts.empty());
  const adapters::Contact& contact = answer.contacts[0];
  EXPECT_EQ(contact.bodies, (std::array<std::string, 2>{"fore", "post_ahead"}));
  EXPECT_EQ(contact.segment, 1);
  EXPECT_GT(contact.time, 1);
  EXPECT_LT(contact.time, 2);
  EXPECT_NEAR(contact.time, 1 + contact.t, 1e-12);
  EXPECT_TRUE(test::twin_collides(thin_post(), contact.configuration[0], contact.configuration[1]));
  EXPECT_NEAR(contact.points[0].x, 1.5, 0.05);
  EXPECT_NE(answer.text.find("fore and post_ahead"), std::string::npos) << answer.text;
  // Out of the way, the same points are free.
  EXPECT_EQ(must(guard->check(around_arm({block("post_ahead", {2.5, 0, 0}, {0.01, 0.01, 0.5})}),
                              rest, points({{-1, 0}, from, to, {1, 0}}, {0, 1, 2, 3})))
                .verdict,
            Verdict::free);
}

TEST(Guard, CurvesAreWhatControllersMakeOfRates) {
  const auto guard = guard_of(test::arm());
  // From rest on one side back to the same side, swinging over by the velocities alone.
  const Trajectory swing = points({{-0.2, 0}, {-0.2, 0.001}}, {0, 1}, {{2, 0}, {-2, 0}});
  const Surroundings around = around_arm(thin_post());
  const Row rest(2, 0);
  EXPECT_EQ(must(guard->check(around, rest, swing, 1, Interpolation::linear)).verdict,
            Verdict::free);
  const Answer answer = must(guard->check(around, rest, swing));
  ASSERT_EQ(answer.verdict, Verdict::collision);
  EXPECT_TRUE(test::twin_collides(thin_post(), answer.contacts[0].configuration[0],
                                  answer.contacts[0].configuration[1]));
}

TEST(Guard, BetweenTwoStatesAgreesWithDenseSampling) {
  const auto guard = guard_of(test::arm());
  std::mt19937_64 random(7);
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  int frees = 0, collisions = 0, between = 0, undecided = 0;
  const int cases = test::cases(400);
  for (int i = 0; i < cases; ++i) {
    std::vector<ObstacleSource> blocks;
    for (int k = 0; k < 2; ++k)
      blocks.push_back(block("block" + std::to_string(k),
                             {uniform(-2, 2), uniform(-2, 2), uniform(-0.05, 0.05)},
                             {uniform(0.01, 0.2), uniform(0.01, 0.2), uniform(0.01, 0.2)}));
    const Row from{uniform(-2.5, 2.5), uniform(-3, 3)};
    const Row to{from[0] + uniform(-1, 1), from[1] + uniform(-1, 1)};
    const Answer answer = must(guard->check_between(around_arm(blocks), from, to));
    const bool hit = test::samples_collide(blocks, from, to, 300);
    if (answer.verdict == Verdict::free) {
      EXPECT_FALSE(hit) << i;
      ++frees;
    } else if (answer.verdict == Verdict::collision) {
      ++collisions;
      const auto& q = answer.contacts[0].configuration;
      EXPECT_TRUE(test::twin_collides(blocks, q[0], q[1])) << i;
      const double t = answer.contacts[0].t;
      for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(q[c], from[c] + t * (to[c] - from[c]), 1e-12);
      between += !test::twin_collides(blocks, from[0], from[1]) &&
                 !test::twin_collides(blocks, to[0], to[1]);
    } else {
      ++undecided;
    }
  }
  EXPECT_GT(frees, cases / 10);
  EXPECT_GT(collisions, cases / 10);
  EXPECT_GT(between, 0);
  EXPECT_LE(undecided, 1 + cases / 50);
}

TEST(Guard, JointsWithoutLimitsTurnTheShorterWay) {
  const auto guard = guard_of(test::arm());
  // The elbow from 3 to -3 is 0.28 rad across the back, or 6 rad through the front.
  const Surroundings around = around_arm({block("front", {1.9, 0, 0}, {0.05, 0.05, 0.05})});
  const Row from{0, 3}, to{0, -3};
  EXPECT_EQ(must(guard->check_between(around, from, to)).verdict, Verdict::free);
  EXPECT_EQ(must(guard->check(around, Row(2, 0), points({from, to}))).verdict, Verdict::collision);
  const Surroundings behind = around_arm({block("behind", {0.1, 0, 0.1}, {0.02, 0.02, 0.08})});
  EXPECT_EQ(must(guard->check_between(behind, from, to)).verdict, Verdict::collision);
}

TEST(Guard, PairsCountAsAsked) {
  const auto guard = guard_of(test::arm());
  const Row hit{0, 0};
  Surroundings around = around_arm(thin_post());
  EXPECT_EQ(must(guard->check_state(around, hit)).verdict, Verdict::collision);
  around.scope = PairScope::self;
  EXPECT_EQ(must(guard->check_state(around, hit)).verdict, Verdict::free);
  around.scope = PairScope::world;
  EXPECT_EQ(must(guard->check_state(around, hit)).verdict, Verdict::collision);
  around.active = {"upper"};
  EXPECT_EQ(must(guard->check_state(around, hit)).verdict, Verdict::free);
  around.active->insert("fore");
  EXPECT_EQ(must(guard->check_state(around, hit)).verdict, Verdict::collision);
  around.allowed.insert({"fore", "post_ahead"});
  EXPECT_EQ(must(guard->check_state(around, hit)).verdict, Verdict::free);

  // Folded back, the fore bar meets the post unless that is allowed.
  Surroundings self = around_arm({});
  const Row folded{0, 3.1};
  EXPECT_EQ(must(guard->check_state(self, folded)).verdict, Verdict::free);
  self.allowed.erase({"fore", "post"});
  self.self_padding = {{"fore", 0.1}, {"post", 0.1}};
  EXPECT_EQ(must(guard->check_state(self, folded)).verdict, Verdict::collision);
}

TEST(Guard, PaddingsAreKept) {
  const auto guard = guard_of(test::arm());
  // The bar is 0.03 wide to each side; the block begins at 0.05.
  Surroundings around = around_arm({block("beside", {1.5, 0.1, 0}, {0.05, 0.05, 0.05})});
  const Row q{0, 0};
  for (const auto& [padding, verdict] :
       {std::pair(0.019, Verdict::free), std::pair(0.021, Verdict::collision)}) {
    around.world_padding = {{"fore", padding}};
    EXPECT_EQ(must(guard->check_state(around, q)).verdict, verdict) << padding;
  }
  around.world_padding = {{"fore", -0.01}};
  const auto refused = guard->check_state(around, q);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find("padding of fore"), std::string::npos);
}

TEST(Guard, HeldThingsMoveWithTheirLink) {
  const auto guard = guard_of(test::arm());
  Surroundings around = around_arm({block("shelf", {2.3, 0, 0}, {0.05, 0.5, 0.05})});
  const Row q{0, 0};
  EXPECT_EQ(must(guard->check_state(around, q)).verdict, Verdict::free);
  around.held.push_back({"tool",
                         "fore",
                         {{Box{{0.2, 0.02, 0.02}}, {}, "tool"}},
                         Pose::translation({1.15, 0, 0}),
                         {}});
  const Answer answer = must(guard->check_state(around, q, 3));
  ASSERT_EQ(answer.verdict, Verdict::collision);
  EXPECT_EQ(answer.contacts[0].bodies, (std::array<std::string, 2>{"shelf", "tool"}));
  EXPECT_EQ(must(guard->check_state(around, Row{1.5, 0})).verdict, Verdict::free);
  // Touching the upper bar when folded, unless it may.
  around.held[0].X_LB = Pose::translation({1.0, 0, 0});
  around.objects.clear();
  const Row folded{0, 3.1};
  EXPECT_EQ(must(guard->check_state(around, folded)).verdict, Verdict::collision);
  around.held[0].touch = {"upper", "post", "nobody"};
  EXPECT_EQ(must(guard->check_state(around, folded)).verdict, Verdict::free);
}

TEST(Guard, SeveralContactsAreOfSeveralPairs) {
  const auto guard = guard_of(test::arm());
  const Surroundings around = around_arm({block("a", {0.5, 0, 0}, {0.05, 0.05, 0.05}),
                                          block("b", {1.5, 0, 0}, {0.05, 0.05, 0.05}),
                                          block("c", {1.8, 0, 0}, {0.05, 0.05, 0.05})});
  const Row q{0, 0};
  EXPECT_EQ(must(guard->check_state(around, q, 1)).contacts.size(), 1u);
  EXPECT_EQ(must(guard->check_state(around, q, 2)).contacts.size(), 2u);
  std::set<std::array<std::string, 2>> pairs;
  for (const auto& contact : must(guard->check_state(around, q, 9)).contacts)
    pairs.insert(contact.bodies);
  const std::set<std::array<std::string, 2>> wanted = {
      {"upper", "a"}, {"fore", "b"}, {"fore", "c"}};
  EXPECT_EQ(pairs, wanted);
}

TEST(Guard, RefusesWhatItCannotJudge) {
  const auto guard = guard_of(test::arm());
  Surroundings around = around_arm({});
  around.allowed.erase({"fore", "upper"});
  const Row q{0, 0};
  const auto joined = guard->check_state(around, q);
  ASSERT_FALSE(joined.ok());
  EXPECT_NE(joined.error().text().find("joined by elbow"), std::string::npos)
      << joined.error().text();
  // They do not matter to a question about the world.
  around.scope = PairScope::world;
  EXPECT_TRUE(guard->check_state(around, q).ok());
  EXPECT_FALSE(guard->check_state(around, Row{0}).ok());
  EXPECT_FALSE(guard->check_state(around, Row{0, NAN}).ok());
  EXPECT_FALSE(guard->check(around, q, points({{0, 0}, {0, 1}}, {1, 1})).ok());
  EXPECT_FALSE(guard->check(around, q, points({{0, 0}, {0}})).ok());
  EXPECT_FALSE(guard->check(around, q, points({})).ok());
  CheckOptions options;
  options.certificate = true;
  EXPECT_FALSE(Guard::build(test::arm(), options).ok());
}

TEST(Guard, AFloatingBaseMayRest) {
  const auto guard = guard_of(test::arm(true));
  Surroundings around = around_arm(thin_post());
  Row rest(9, 0);
  rest[6] = 1;   // the quaternion of no turn
  rest[0] = 10;  // far away
  Trajectory swing = points({{-0.5, 0}, {0.5, 0}}, {0, 1}, {{1, 0}, {1, 0}});
  EXPECT_EQ(must(guard->check(around, rest, swing)).verdict, Verdict::free);
  rest[0] = 0;
  EXPECT_EQ(must(guard->check(around, rest, swing)).verdict, Verdict::collision);
  // Named, and at rest all the same.
  swing.joints.insert(swing.joints.begin(), {"arm/base.x", "arm/base.y"});
  for (auto* rows : {&swing.positions, &swing.velocities})
    for (Row& row : *rows) row.insert(row.begin(), {0, 0});
  swing.positions[0][0] = swing.positions[1][0] = 10;
  EXPECT_EQ(must(guard->check(around, rest, swing)).verdict, Verdict::free);
  swing.positions[1][0] = 11;
  const auto moving = guard->check(around, rest, swing);
  ASSERT_FALSE(moving.ok());
  EXPECT_NE(moving.error().text().find("arm/base floats"), std::string::npos);
  Row to = rest;
  EXPECT_TRUE(guard->check_between(around, rest, to).ok());
  to[3] = 0.1;
  EXPECT_FALSE(guard->check_between(around, rest, to).ok());
}

TEST(Guard, FollowsWhatChanges) {
  const auto guard = guard_of(test::arm());
  const Row q{0, 0};
  // More scenes than are kept prepared, and back to the first.
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 12; ++i) {
      const double x = i % 2 == 0 ? 1.5 : 2.5 + i;
      const Surroundings around = around_arm({block("thing", {x, 0, 0}, {0.05, 0.05, 0.05})});
      EXPECT_EQ(must(guard->check_state(around, q)).verdict,
                i % 2 == 0 ? Verdict::collision : Verdict::free);
    }
  // The same mesh elsewhere, and another one of the same name.
  const auto mesh = [](double size) {
    auto tetrahedron = std::make_shared<TriangleMesh>();
    tetrahedron->vertices = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
    tetrahedron->triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    return std::shared_ptr<const TriangleMesh>(tetrahedron);
  };
  const auto small = mesh(0.1), large = mesh(2);
  const auto with = [&](const std::shared_ptr<const TriangleMesh>& shape, double y) {
    return around_arm({{"thing", {{shape, {}, "thing"}}, Pose::translation({0.5, y, -0.05})}});
  };
  EXPECT_EQ(must(guard->check_state(with(small, -0.3), q)).verdict, Verdict::free);
  EXPECT_EQ(must(guard->check_state(with(large, -0.3), q)).verdict, Verdict::collision);
  EXPECT_EQ(must(guard->check_state(with(small, 0), q)).verdict, Verdict::collision);
  EXPECT_EQ(must(guard->check_state(with(small, -0.3), q)).verdict, Verdict::free);
}

TEST(Guard, DistancesAreThoseOfFcl) {
  const auto guard = guard_of(test::arm());
  const auto found =
      guard->distances(around_arm({block("beside", {1.5, 0.1, 0}, {0.05, 0.05, 0.05})}), Row{0, 0});
  ASSERT_TRUE(found.ok());
  bool seen = false;
  for (const auto& pair : found.value())
    if (pair.bodies[0] == "fore" || pair.bodies[1] == "fore") {
      seen = true;
      EXPECT_NEAR(pair.distance, 0.02, 1e-12);
      EXPECT_NEAR(norm(pair.points[0] - pair.points[1]), 0.02, 1e-12);
    }
  EXPECT_TRUE(seen);
}

TEST(Guard, RepairsAndProvesWhatItReturns) {
  const auto guard = guard_of(test::arm());
  const std::vector<ObstacleSource> posts = thin_post();
  const Surroundings around = around_arm(posts);
  const auto [from, to] = passing();
  const Row rest(2, 0);
  const Trajectory through = points({{-1, 0}, from, to, {1, 0}}, {0, 1, 2, 3});
  const auto repaired = guard->repair(around, rest, through, 0.5);
  ASSERT_TRUE(repaired.ok()) << repaired.error().text();
  ASSERT_TRUE(repaired.value().trajectory) << repaired.value().text;
  const Trajectory& way = *repaired.value().trajectory;
  EXPECT_GE(repaired.value().stretches, 1);
  EXPECT_EQ(way.positions.front(), through.positions.front());
  EXPECT_EQ(way.positions.back(), through.positions.back());
  ASSERT_EQ(way.velocities.size(), way.positions.size());
  for (std::size_t i = 0; i < way.positions.size(); ++i)
    for (const double v : way.velocities[i]) EXPECT_LE(std::fabs(v), 2 * 0.5 + 1e-9);
  // Cubics by their own formula, in small steps.
  for (std::size_t i = 1; i < way.positions.size(); ++i) {
    const double T = way.times[i] - way.times[i - 1];
    ASSERT_GT(T, 0);
    for (int k = 0; k <= 50; ++k) {
      const double s = k / 50.0;
      double q[2];
      for (std::size_t c = 0; c < 2; ++c) {
        const double a = way.positions[i - 1][c], b = way.positions[i][c],
                     va = way.velocities[i - 1][c] * T, vb = way.velocities[i][c] * T;
        q[c] = a * (2 * s * s * s - 3 * s * s + 1) + va * (s * s * s - 2 * s * s + s) +
               b * (3 * s * s - 2 * s * s * s) + vb * (s * s * s - s * s);
      }
      ASSERT_FALSE(test::twin_collides(posts, q[0], q[1])) << i;
    }
  }
  // An end in a wall cannot be repaired, and says so.
  const auto hopeless = guard->repair(around, rest, points({from, {0, 0}}, {0, 1}));
  ASSERT_TRUE(hopeless.ok());
  EXPECT_FALSE(hopeless.value().trajectory);
  EXPECT_FALSE(hopeless.value().text.empty());
}

// A real arm: what its SRDF disables is allowed, a pole stands between two free states.
TEST(Guard, ARealRobotPassesAPoleBetweenTwoStates) {
  PROVEN_REQUIRE_DATA("motionbenchmaker/panda/panda.urdf");
  const auto source = load_scene_source(test::data_dir() / "motionbenchmaker/panda/panda.urdf");
  ASSERT_TRUE(source.ok()) << source.error().text();
  const Robot& robot = source.value().robots[0].robot;
  const auto guard = guard_of(robot);
  Surroundings around;
  const auto allow = [&](const std::string& a, const std::string& b) {
    around.allowed.insert(std::minmax(a, b));
  };
  for (const DisabledPair& pair : robot.disabled_pairs) allow(pair.link_a, pair.link_b);
  for (const RobotJoint& joint : robot.joints) allow(joint.parent_link, joint.child_link);
  const Scene& alone = guard->robot();
  Row ready = alone.tree().zero_configuration();
  const auto set = [&](Row& q, const std::string& joint, double value) {
    const int index = alone.tree().find_coordinate(robot.name + "/panda_joint" + joint);
    ASSERT_GE(index, 0) << joint;
    q[static_cast<std::size_t>(index)] = value;
  };
  set(ready, "2", -0.6);
  set(ready, "4", -2.2);
  set(ready, "6", 1.8);
  const int hand = alone.find_body(robot.name + "/panda_hand");
  ASSERT_GE(hand, 0);
  const Vec3 at = alone.body_pose(hand, ready).p;
  around.objects = {{"pole", {{Cylinder{0.005, 0.1}, {}, "pole"}}, Pose::translation(at)}};
  Row from = ready, to = ready;
  set(from, "1", -0.5);
  set(to, "1", 0.5);
  for (const Row& q : {from, to})
    EXPECT_EQ(must(guard->check_state(around, q)).verdict, Verdict::free);
  const Answer answer = must(guard->check_between(around, from, to, 5));
  ASSERT_EQ(answer.verdict, Verdict::collision) << answer.text;
  EXPECT_EQ(answer.contacts[0].bodies[1], "pole");
  const auto there = guard->distances(around, answer.contacts[0].configuration);
  ASSERT_TRUE(there.ok());
  double least = 1;
  for (const auto& pair : there.value())
    if (pair.bodies == answer.contacts[0].bodies) least = pair.distance;
  EXPECT_EQ(least, 0);
  around.objects[0].X_WB.p.z += 1.5;
  EXPECT_EQ(must(guard->check_between(around, from, to)).verdict, Verdict::free);
}

}  // namespace
}  // namespace proven
