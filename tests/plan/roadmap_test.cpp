// Roadmaps: proved edges, the same on any number of threads, kept in text, lazily proved.
#include "proven/plan/roadmap.h"

#include <algorithm>
#include <numbers>

#include "plan/plan_support.h"

namespace proven {
namespace {

using test::expect_free;
using test::PlanCase;
using test::post_case;

RoadmapOptions small(bool lazy) {
  RoadmapOptions options;
  options.nodes = 150;
  options.neighbours = 8;
  options.lazy = lazy;
  return options;
}

Roadmap must_build(const PlanCase& c, const RoadmapOptions& options) {
  auto roadmap = Roadmap::build(c.scene, c.problem.planned, c.problem.start, options);
  EXPECT_TRUE(roadmap.ok()) << (roadmap.ok() ? "" : roadmap.error().text());
  return std::move(roadmap).value();
}

PlanResult must_ask(Roadmap& roadmap, const PlanCase& c, GraphSearch search = GraphSearch::a_star) {
  auto result = roadmap.query(c.scene, c.problem, search, {});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? std::move(result).value() : PlanResult{};
}

std::int64_t count(const Roadmap& roadmap, EdgeState state) {
  return std::ranges::count(roadmap.edges(), state, &Roadmap::Edge::state);
}

TEST(Roadmap, EdgesAreProvedOrBlocked) {
  const PlanCase c = post_case();
  const Roadmap roadmap = must_build(c, small(false));
  EXPECT_EQ(roadmap.num_nodes(), 150);
  EXPECT_EQ(count(roadmap, EdgeState::unknown), 0);
  EXPECT_GT(count(roadmap, EdgeState::clear), 100);
  EXPECT_GT(count(roadmap, EdgeState::blocked), 10);
  test::FclScene fcl(c.scene);
  for (const Roadmap::Edge& edge : roadmap.edges()) {
    if (edge.state != EdgeState::clear) continue;
    const auto a = roadmap.node(edge.a), b = roadmap.node(edge.b);
    EXPECT_EQ(
        test::sample_segment(fcl, c.scene.tree(), {a.begin(), a.end()}, {b.begin(), b.end()}, 0.05),
        -1);
  }
}

TEST(Roadmap, SameEdgesByTheProgramsOfAGpu) {
  const PlanCase c = post_case();
  RoadmapOptions options = small(false);
  const std::string text = must_build(c, options).to_text();
  options.device = BatchDevice::emulated;
  EXPECT_EQ(must_build(c, options).to_text(), text);
}

TEST(Roadmap, AnswersManyQueriesAndLearns) {
  for (const bool lazy : {false, true}) {
    PlanCase c = post_case();
    Roadmap roadmap = must_build(c, small(lazy));
    for (const double turn : {0.5, 0.9, 1.5, 2.5}) {
      c.problem.goal = {turn, 0};
      const PlanResult result = must_ask(roadmap, c);
      ASSERT_EQ(result.status, PlanStatus::solved) << result.reason;
      EXPECT_EQ(result.path.waypoints.back(), c.problem.goal);
      expect_free(c, result.path);
      const std::int64_t known =
          static_cast<std::int64_t>(roadmap.edges().size()) - count(roadmap, EdgeState::unknown);
      // The same question again costs fewer proofs of the roadmap's own edges.
      const PlanResult again = must_ask(roadmap, c);
      EXPECT_EQ(again.path.waypoints, result.path.waypoints);
      EXPECT_LE(again.stats.check.cells, result.stats.check.cells);
      EXPECT_EQ(known, static_cast<std::int64_t>(roadmap.edges().size()) -
                           count(roadmap, EdgeState::unknown));
    }
    if (lazy) {
      EXPECT_GT(count(roadmap, EdgeState::unknown), 100);
    }
  }
}

TEST(Roadmap, BreadthFirstTakesNoMoreEdgesAndAStarIsNoLonger) {
  const PlanCase c = post_case();
  Roadmap roadmap = must_build(c, small(false));
  const PlanResult fewest = must_ask(roadmap, c, GraphSearch::breadth_first);
  const PlanResult shortest = must_ask(roadmap, c, GraphSearch::a_star);
  ASSERT_EQ(fewest.status, PlanStatus::solved);
  ASSERT_EQ(shortest.status, PlanStatus::solved);
  EXPECT_LE(fewest.path.waypoints.size(), shortest.path.waypoints.size());
}

TEST(Roadmap, SameOnAnyNumberOfThreads) {
  const PlanCase c = post_case();
  RoadmapOptions options = small(false);
  const std::string one = must_build(c, options).to_text();
  options.threads = 3;
  EXPECT_EQ(one, must_build(c, options).to_text());
  options.seed = 2;
  EXPECT_NE(one, must_build(c, options).to_text());
}

TEST(Roadmap, ContinuousJointsWrap) {
  PlanCase c = post_case(JointType::continuous);
  c.problem.start = {3.0, 0};
  c.problem.goal = {-3.0, 0};
  c.problem.any_turn = true;
  Roadmap roadmap = must_build(c, small(false));
  // Far around over the cut, from an end that is itself several turns off.
  for (const double turns : {0.0, 2.0}) {
    c.problem.start[0] = 2.0 + turns * 2 * std::numbers::pi;
    c.problem.goal = {-2.0, 0};
    const PlanResult result = must_ask(roadmap, c);
    ASSERT_EQ(result.status, PlanStatus::solved);
    expect_free(c, result.path);
    for (std::size_t i = 1; i < result.path.waypoints.size(); ++i)
      EXPECT_LT(std::fabs(result.path.waypoints[i][0] - result.path.waypoints[i - 1][0]),
                std::numbers::pi + 1e-9);
  }
}

// Edges were proved for the values without turns, and adding turns rounds.
TEST(Roadmap, EdgesAreProvedAgainInOtherTurns) {
  PlanCase c = post_case(JointType::continuous);
  c.problem.any_turn = true;
  Roadmap roadmap = must_build(c, small(false));
  for (const double turns : {0.0, 2.0}) {
    c.problem.start[0] = -0.5 + turns * 2 * std::numbers::pi;
    const PlanResult result = must_ask(roadmap, c);
    ASSERT_EQ(result.status, PlanStatus::solved);
    expect_free(c, result.path);
    ASSERT_GE(result.path.num_segments(), 4);
    // None of the roadmap's own edges is proved twice.
    if (turns == 0) {
      EXPECT_LT(result.stats.segments, result.path.num_segments());
    } else {
      EXPECT_GE(result.stats.segments, result.path.num_segments());
    }
  }
}

TEST(Roadmap, TextKeepsEverything) {
  const PlanCase c = post_case();
  Roadmap roadmap = must_build(c, small(true));
  must_ask(roadmap, c);
  const std::string text = roadmap.to_text();
  auto read = Roadmap::from_text(c.scene, text, proving_check());
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().to_text(), text);
  EXPECT_EQ(must_ask(read.value(), c).path.waypoints, must_ask(roadmap, c).path.waypoints);
}

TEST(Roadmap, BadTextIsRefusedWithItsLine) {
  const PlanCase c = post_case();
  const std::string text = must_build(c, small(true)).to_text();
  const auto broken = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    const std::size_t at = changed.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    changed.replace(at, what.size(), by);
    const auto read = Roadmap::from_text(c.scene, changed, proving_check());
    EXPECT_FALSE(read.ok()) << what << " -> " << by;
    if (!read.ok()) {
      EXPECT_NE(read.error().text().find("line"), std::string::npos) << read.error().text();
    }
  };
  broken("proven-roadmap 2", "proven-roadmap 3");
  broken("scene ", "scene 0");
  broken("nodes 150", "nodes 100000");
  broken("nodes 150", "nodes 149");
  broken("planned 0 1", "planned 0 9");
  broken("unknown", "maybe");
  EXPECT_FALSE(Roadmap::from_text(c.scene, "", proving_check()).ok());
  EXPECT_FALSE(Roadmap::from_text(c.scene, text.substr(0, text.size() / 2), proving_check()).ok());
  CheckOptions stricter = proving_check();
  stricter.clearance = 0.1;
  EXPECT_FALSE(Roadmap::from_text(c.scene, text, stricter).ok());
}

TEST(Roadmap, RefusesOtherScenesAndJoints) {
  const PlanCase c = post_case();
  Roadmap roadmap = must_build(c, small(true));
  const PlanCase other = post_case(JointType::continuous);
  EXPECT_FALSE(roadmap.query(other.scene, other.problem, GraphSearch::a_star, {}).ok());
  Query one_joint = c.problem;
  one_joint.planned = {0};
  one_joint.goal[1] = one_joint.start[1];
  EXPECT_FALSE(roadmap.query(c.scene, one_joint, GraphSearch::a_star, {}).ok());
}

}  // namespace
}  // namespace proven
