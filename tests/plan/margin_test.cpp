// Margins: kept as far as ends, paths and passages allow, by a measure that is not the checker's.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plan/plan_support.h"
#include "proven/plan/smooth.h"

namespace proven {
namespace {

using test::PlanCase;
using Configuration = std::vector<double>;

// Distances in the plane of motion, by hand: rectangles by their corners, in order.
struct Point2 {
  double x, y;
};
using Rectangle = std::array<Point2, 4>;

double cross(Point2 o, Point2 a, Point2 b) {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

double distance(Point2 p, Point2 a, Point2 b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double t =
      std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

bool holds(const Rectangle& r, Point2 p) {
  for (std::size_t i = 0; i < 4; ++i)
    if (cross(r[i], r[(i + 1) % 4], p) < 0) return false;
  return true;
}

double distance(const Rectangle& a, const Rectangle& b) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 4; ++i) {
    if (holds(a, b[i]) || holds(b, a[i])) return 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const Point2 p = a[i], q = a[(i + 1) % 4], r = b[k], s = b[(k + 1) % 4];
      if (cross(p, q, r) * cross(p, q, s) < 0 && cross(r, s, p) * cross(r, s, q) < 0) return 0;
      least = std::min({least, distance(p, r, s), distance(r, p, q)});
    }
  }
  return least;
}

Rectangle rectangle(Point2 centre, double half_x, double half_y, double angle = 0) {
  Rectangle corners;
  for (std::size_t i = 0; i < 4; ++i) {
    const double x = i == 0 || i == 3 ? -half_x : half_x, y = i < 2 ? -half_y : half_y;
    corners[i] = {centre.x + std::cos(angle) * x - std::sin(angle) * y,
                  centre.y + std::sin(angle) * x + std::cos(angle) * y};
  }
  return corners;
}

// The two links of test::planar_arm.
std::array<Rectangle, 2> links(double base, double q1, double q2) {
  const Point2 elbow = {base + std::cos(q1), std::sin(q1)};
  return {rectangle({base + 0.5 * std::cos(q1), 0.5 * std::sin(q1)}, 0.45, 0.025, q1),
          rectangle({elbow.x + 0.5 * std::cos(q1 + q2), elbow.y + 0.5 * std::sin(q1 + q2)}, 0.45,
                    0.025, q1 + q2)};
}

double to_post(const Configuration& q) {
  const Rectangle post = rectangle({1.5, 0}, 0.05, 0.05);
  const auto arm = links(0, q[0], q[1]);
  return std::min(distance(arm[0], post), distance(arm[1], post));
}

double between_arms(const Configuration& q) {
  double least = std::numeric_limits<double>::infinity();
  for (const Rectangle& a : links(0, q[0], q[1]))
    for (const Rectangle& b : links(2.5, q[2], q[3])) least = std::min(least, distance(a, b));
  return least;
}

template <typename Measure>
double least_along(const Path& path, Measure measure) {
  double least = std::numeric_limits<double>::infinity();
  constexpr int kSteps = 400;
  for (std::size_t i = 1; i < path.waypoints.size(); ++i)
    for (int k = 0; k <= kSteps; ++k) {
      Configuration q = path.waypoints[i];
      for (std::size_t c = 0; c < q.size(); ++c)
        q[c] += (1 - static_cast<double>(k) / kSteps) * (path.waypoints[i - 1][c] - q[c]);
      least = std::min(least, measure(q));
    }
  return least;
}

PlanOptions with(double margin, std::uint64_t seed = 1) {
  PlanOptions options;
  options.margin = margin;
  options.seed = seed;
  return options;
}

PlanResult must_plan(const PlanCase& c, const PlanOptions& options) {
  auto result = plan(c.scene, c.problem, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? std::move(result).value() : PlanResult{};
}

SmoothResult must_smooth(const PlanCase& c, const Path& path, double margin, double cost = 0) {
  SmoothOptions options;
  options.margin = margin;
  options.waypoint_cost = cost;
  auto result = smooth(c.scene, path, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? std::move(result).value() : SmoothResult{};
}

// The arm is stretched out beside the post, so far from it.
Configuration beside_post(double wanted) {
  double low = 0, high = 0.5;
  for (int i = 0; i < 60; ++i) {
    const double angle = 0.5 * (low + high);
    (to_post({-angle, 0}) < wanted ? low : high) = angle;
  }
  return {-high, 0};
}

TEST(Margin, IsKeptInFullWhereTheEndsAllowIt) {
  const PlanCase c = test::post_case();
  double shaved = 1;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(test::cases(10)); ++seed) {
    const PlanResult planned = must_plan(c, with(0.01, seed));
    ASSERT_EQ(planned.status, PlanStatus::solved) << planned.reason;
    EXPECT_EQ(planned.margin_kept, 0.01);
    EXPECT_EQ(planned.margin_reason, "");
    EXPECT_GE(least_along(planned.path, to_post), 0.01);
    const SmoothResult kept = must_smooth(c, planned.path, 0.01);
    EXPECT_EQ(kept.margin_kept, 0.01);
    EXPECT_GE(least_along(kept.path, to_post), 0.01);
    shaved = std::min(shaved, least_along(must_smooth(c, planned.path, 0).path, to_post));
  }
  EXPECT_LT(shaved, 1e-3) << "without a margin the shortest way shaves the post";
}

TEST(Margin, IsHalvedUntilTheEndsAllowIt) {
  PlanCase c = test::post_case();
  c.problem.start = beside_post(0.004);
  const PlanResult planned = must_plan(c, with(0.01));
  ASSERT_EQ(planned.status, PlanStatus::solved) << planned.reason;
  EXPECT_EQ(planned.margin_kept, 0.0025);
  EXPECT_NE(planned.margin_reason.find("the start"), std::string::npos) << planned.margin_reason;
  EXPECT_GE(least_along(planned.path, to_post), 0.0025);
  const SmoothResult smoothed = must_smooth(c, planned.path, 0.01);
  EXPECT_EQ(smoothed.margin_kept, 0.0025);
  EXPECT_NE(smoothed.margin_reason.find("post"), std::string::npos) << smoothed.margin_reason;
  EXPECT_GE(least_along(smoothed.path, to_post), 0.0025);
  EXPECT_LE(smoothed.length_after, smoothed.length_before);
}

// A block that slides through a gap which leaves so much on either side.
PlanCase gap_case(double room) {
  Robot robot;
  robot.name = "block";
  robot.links.resize(3);
  const char* names[] = {"rail", "bridge", "block"};
  for (std::size_t k = 0; k < 3; ++k) robot.links[k].name = names[k];
  robot.links[2].collision = test::box_elements({0.2, 0.2, 0.2});
  for (std::size_t k = 0; k < 2; ++k) {
    RobotJoint joint;
    joint.name = k == 0 ? "x" : "y";
    joint.type = JointType::prismatic;
    joint.parent_link = names[k];
    joint.child_link = names[k + 1];
    joint.axis = k == 0 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    joint.limits.upper = k == 0 ? 0.5 : 0.2;
    joint.limits.lower = -joint.limits.upper;
    robot.joints.push_back(joint);
  }
  SceneSource source;
  source.robots = {{"block", robot, Pose{}}};
  for (const double side : {-1.0, 1.0})
    source.obstacles.push_back({side < 0 ? "right" : "left", test::box_elements({0.1, 1, 1}),
                                Pose::translation({0, side * (0.6 + room), 0})});
  return test::must_build_case(std::move(source), {{-0.4, 0}, {0.4, 0}, {}, {}});
}

TEST(Margin, GivesWayInANarrowPassage) {
  for (const auto& [room, kept] :
       {std::pair{0.02, 0.01}, {0.007, 0.005}, {0.004, 0.0025}, {0.0004, 0.0}}) {
    SCOPED_TRACE(room);
    const PlanCase c = gap_case(room);
    PlanOptions options = with(0.01);
    options.max_iterations = 2000;
    const PlanResult planned = must_plan(c, options);
    ASSERT_EQ(planned.status, PlanStatus::solved) << planned.reason;
    EXPECT_EQ(planned.margin_kept, kept);
    EXPECT_EQ(planned.margin_reason.find("no path found") != std::string::npos, kept < 0.01);
    EXPECT_LE(planned.stats.iterations, options.max_iterations);
    const double least = least_along(planned.path, [&](const Configuration& q) {
      return std::fabs(q[0]) < 0.15 ? room - std::fabs(q[1]) : 1;
    });
    EXPECT_GE(least, kept);
  }
}

TEST(Margin, IsKeptBetweenRobots) {
  SceneSource source;
  source.robots = {
      {"left", test::planar_arm(2, JointType::revolute), Pose{}},
      {"right", test::planar_arm(2, JointType::revolute), Pose::translation({2.5, 0, 0})}};
  const PlanCase c =
      test::must_build_case(std::move(source), {{-1.2, 0, 2.9, 0}, {1.2, 0, 2.9, 0}, {}, {}});
  const PlanResult planned = must_plan(c, with(0.01));
  ASSERT_EQ(planned.margin_kept, 0.01) << planned.reason << planned.margin_reason;
  EXPECT_GE(least_along(planned.path, between_arms), 0.01);
  const SmoothResult smoothed = must_smooth(c, planned.path, 0.01, 2e-3);
  EXPECT_EQ(smoothed.margin_kept, 0.01);
  EXPECT_GE(least_along(smoothed.path, between_arms), 0.01);
}

TEST(Margin, BelowWhatIsRequiredChangesNothing) {
  const PlanCase c = test::post_case();
  PlanOptions options = with(0);
  options.check.clearance = 0.02;
  const PlanResult plain = must_plan(c, options);
  options.margin = 0.01;
  const PlanResult planned = must_plan(c, options);
  EXPECT_EQ(planned.path.waypoints, plain.path.waypoints);
  EXPECT_EQ(planned.margin_kept, 0.01);
  EXPECT_EQ(plain.margin_kept, 0);
  // What is required is kept when the margin is not.
  PlanCase close = c;
  close.problem.start = beside_post(0.009);
  options.check.clearance = 0.006;
  EXPECT_EQ(must_plan(close, options).margin_kept, 0.006);
}

// The certificate is about what is required, with a margin as without.
TEST(Margin, IsNoPartOfTheCertificate) {
  const PlanCase c = test::post_case();
  PlanOptions options = with(0.01);
  options.check.certificate = true;
  const PlanResult planned = must_plan(c, options);
  ASSERT_EQ(planned.margin_kept, 0.01);
  test::expect_verified(c, planned.path, planned.certificate);
  EXPECT_EQ(planned.certificate,
            prove_finally(c.scene, planned.path, options.check, {}).value().certificate);
  SmoothOptions smoothing;
  smoothing.margin = 0.01;
  smoothing.check.certificate = true;
  const SmoothResult smoothed = smooth(c.scene, planned.path, smoothing).value();
  test::expect_verified(c, smoothed.path, smoothed.certificate);
  EXPECT_EQ(smoothed.certificate,
            prove_finally(c.scene, smoothed.path, smoothing.check, {}).value().certificate);
}

TEST(Margin, MustBeADistance) {
  const PlanCase c = test::post_case();
  for (const double margin :
       {-0.01, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(plan(c.scene, c.problem, with(margin)).ok());
    SmoothOptions options;
    options.margin = margin;
    EXPECT_FALSE(smooth(c.scene, Path{{c.problem.start, c.problem.start}, {}, {}}, options).ok());
  }
}

TEST(Margin, WaypointsThatCostSomethingAreFew) {
  const PlanCase c = test::post_case();
  std::size_t costly = 0, free = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const PlanResult planned = must_plan(c, with(0.01, seed));
    const SmoothResult few = must_smooth(c, planned.path, 0.01, 2e-3);
    const SmoothResult many = must_smooth(c, planned.path, 0.01);
    costly += few.path.waypoints.size();
    free += many.path.waypoints.size();
    EXPECT_GE(least_along(few.path, to_post), 0.01);
    EXPECT_LE(few.length_after, 1.05 * many.length_after);
    EXPECT_NEAR(few.length_after, path_length(c.scene, few.path), 1e-9);
    // No waypoint is left that could go.
    CheckOptions kept = with_margin(proving_check(), 0.01);
    kept.max_cells = SmoothOptions{}.max_cells_per_shortcut;
    for (std::size_t i = 1; i + 1 < few.path.waypoints.size(); ++i)
      EXPECT_NE(
          test::must_check(c.scene, {few.path.waypoints[i - 1], few.path.waypoints[i + 1]}, kept)
              .verdict,
          Verdict::free);
  }
  EXPECT_LT(2 * costly, free);
}

TEST(Margin, NeedlessWaypointsAreDropped) {
  const PlanCase c = test::post_case();
  Path path;
  for (int i = 0; i <= 40; ++i) path.waypoints.push_back({-0.5 - 0.01 * i, 0.1 + 0.02 * i});
  SmoothOptions options;
  options.max_steps = 0;
  EXPECT_EQ(smooth(c.scene, path, options).value().path.waypoints, path.waypoints);
  options.waypoint_cost = 1e-3;
  const SmoothResult result = smooth(c.scene, path, options).value();
  EXPECT_EQ(result.path.waypoints,
            (std::vector<Configuration>{path.waypoints.front(), path.waypoints.back()}));
  EXPECT_NEAR(result.length_after, result.length_before, 1e-9);
}

}  // namespace
}  // namespace proven
