// Many paths that are smoothed together become what each becomes alone, whatever answers.
#include <cmath>

#include "plan/plan_support.h"
#include "proven/base/random.h"
#include "proven/plan/joint_space.h"
#include "proven/plan/smooth.h"

namespace proven {
namespace {

using test::built_in_case;
using test::expect_free;
using test::PlanCase;

CheckModel model_of(const PlanCase& c) {
  return CheckModel::build(c.scene, proving_check()).value();
}

// Plans to places all over the space: some straight, some around what is in the way.
std::vector<Path> paths_in(const PlanCase& c, int count) {
  std::vector<Path> paths;
  Random random(1);
  const JointSpace space(c.scene, c.problem);
  for (std::uint64_t seed = 1; paths.size() < static_cast<std::size_t>(count); ++seed) {
    Query query = c.problem;
    if (seed % 3 != 0) {
      JointSpace::Point point(static_cast<std::size_t>(space.dimension()));
      space.sample(random, point);
      space.complete(point, query.goal);
    }
    PlanOptions options;
    options.seed = seed;
    options.max_iterations = 300;
    const auto planned = plan(c.scene, query, options);
    if (planned.ok() && planned.value().status == PlanStatus::solved)
      paths.push_back(planned.value().path);
  }
  return paths;
}

// Takes all that is told of a path, but for times and counts of the search.
void expect_same(const SmoothResult& one, const SmoothResult& other) {
  EXPECT_EQ(one.input.verdict, other.input.verdict);
  EXPECT_EQ(one.path.waypoints, other.path.waypoints);
  EXPECT_EQ(one.margin_kept, other.margin_kept);
  EXPECT_EQ(one.margin_reason, other.margin_reason);
  EXPECT_EQ(one.certificate, other.certificate);
  EXPECT_EQ(one.length_before, other.length_before);
  EXPECT_EQ(one.length_after, other.length_after);
  EXPECT_EQ(one.steps, other.steps);
  EXPECT_EQ(one.tried, other.tried);
  EXPECT_EQ(one.taken, other.taken);
  EXPECT_EQ(one.converged, other.converged);
}

void expect_as_alone(const PlanCase& c, const std::vector<Path>& paths,
                     const SmoothOptions& options) {
  const CheckModel model = model_of(c);
  ASSERT_EQ(BatchChecker::build(model, {.device = BatchDevice::emulated}).value().device(),
            BatchDevice::emulated);
  std::vector<Result<SmoothResult>> alone;
  for (const Path& path : paths) alone.push_back(smooth(model, path, options));
  for (const BatchDevice device : {BatchDevice::threads, BatchDevice::emulated})
    for (const int threads : {1, 3}) {
      const auto all =
          smooth_all(model, paths, options, {.device = device, .threads = threads, .least = 0});
      ASSERT_TRUE(all.ok()) << all.error().text();
      ASSERT_EQ(all.value().size(), paths.size());
      for (std::size_t i = 0; i < paths.size(); ++i) {
        SCOPED_TRACE(i);
        const auto& together = all.value()[i];
        ASSERT_EQ(together.ok(), alone[i].ok());
        if (alone[i].ok()) {
          expect_same(together.value(), alone[i].value());
        } else {
          EXPECT_EQ(together.error().text(), alone[i].error().text());
        }
      }
    }
}

TEST(SmoothAll, EachBecomesWhatItBecomesAlone) {
  for (const char* name : {"demo", "workshop"}) {
    SCOPED_TRACE(name);
    const PlanCase c = built_in_case(name);
    const std::vector<Path> paths = paths_in(c, test::cases(8));
    for (const Smoother smoother : {Smoother::window, Smoother::midpoint}) {
      SmoothOptions options;
      options.smoother = smoother;
      options.max_steps = 80;
      // A GPU proves motions on which the search gives up: here it does not.
      options.check.resolution = 0;
      options.max_cells_per_shortcut = 1'000'000;
      options.waypoint_cost = 1e-3;
      options.margin = smoother == Smoother::window ? 0.02 : 0;
      expect_as_alone(c, paths, options);
      options.input_is_proved = true;
      options.margin = 0;
      options.waypoint_cost = 0;
      expect_as_alone(c, paths, options);
    }
  }
}

// What a batch proves is true: judges that are not our own agree, and certificates are accepted.
TEST(SmoothAll, WhatIsReturnedIsFree) {
  const PlanCase c = test::post_case();
  const std::vector<Path> paths = paths_in(c, test::cases(15));
  SmoothOptions options;
  options.check.certificate = true;
  const auto all = smooth_all(model_of(c), paths, options,
                              {.device = BatchDevice::emulated, .threads = 2, .least = 0});
  ASSERT_TRUE(all.ok());
  int shorter = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const SmoothResult& one = all.value()[i].value();
    expect_free(c, one.path);
    EXPECT_EQ(one.path.waypoints.back(), paths[i].waypoints.back());
    EXPECT_TRUE(verify(c.source, one.path, one.certificate).accepted);
    EXPECT_LE(one.length_after, one.length_before);
    EXPECT_NEAR(one.length_after, path_length(c.scene, one.path), 1e-9);
    shorter += one.length_after < 0.95 * one.length_before;
  }
  EXPECT_GT(shorter, 3);
}

// Where there is one: its bits are those of its programs on the host, and so are the paths.
TEST(SmoothAll, AGpuMakesWhatItsProgramsMakeOnTheHost) {
  const PlanCase c = built_in_case("demo");
  const CheckModel model = model_of(c);
  if (const auto gpu = BatchChecker::build(model, {.device = BatchDevice::gpu}); !gpu.ok())
    GTEST_SKIP() << gpu.error().text();
  const std::vector<Path> paths = paths_in(c, test::cases(10));
  SmoothOptions options;
  options.margin = 0.01;
  options.waypoint_cost = 1e-3;
  for (const std::int64_t least : {0, 4}) {
    const auto there =
        smooth_all(model, paths, options,
                   {.device = BatchDevice::gpu, .threads = 4, .sample_every = 10, .least = least});
    const auto here = smooth_all(
        model, paths, options,
        {.device = BatchDevice::emulated, .threads = 1, .sample_every = 10, .least = least});
    ASSERT_TRUE(there.ok() && here.ok());
    for (std::size_t i = 0; i < paths.size(); ++i)
      expect_same(there.value()[i].value(), here.value()[i].value());
  }
}

TEST(SmoothAll, WhatCannotBeSmoothedStandsInItsPlace) {
  const PlanCase c = test::post_case();
  std::vector<Path> paths = paths_in(c, 2);
  paths.insert(paths.begin() + 1, Path{});                                     // nothing
  paths.push_back(Path{{{-0.5, 0.1}, {0, 0}, {0.5, -0.1}}, {}, {}});           // collides
  paths.push_back(Path{{{-0.5, 0.1, 0}, {0.5, -0.1, 0}}, {}, {}});             // another size
  paths.push_back(Path{{{-0.5, 0.1}}, {}, {}});                                // stands
  paths.push_back(Path{{{-0.5, 0.1}, {-0.5, 0.2}}, {}, {}});                   // is straight
  paths.push_back(Path{{{-0.5, 0.1}, {-0.5, 0.2}}, {}, {}, {{{-0.5, 0.3}}}});  // a curve
  paths.push_back(Path{{{-0.5, 0.1}, {NAN, 0.2}, {-0.5, 0.2}}, {}, {}});       // no number
  paths.push_back(Path{{{-4, 0.1}, {-4.5, 0.2}, {-4.2, 0.1}}, {}, {}});        // beyond limits
  expect_as_alone(c, paths, {});
  const CheckModel model = model_of(c);
  const BatchOptions emulated{.device = BatchDevice::emulated, .threads = 2, .least = 0};
  const auto all = smooth_all(model, paths, {}, emulated).value();
  EXPECT_FALSE(all[1].ok());
  EXPECT_EQ(all[3].value().input.verdict, Verdict::collision);
  EXPECT_TRUE(smooth_all(model, {}, {}, emulated).value().empty());
  SmoothOptions bad;
  bad.margin = -1;
  EXPECT_FALSE(smooth_all(model, paths, bad, emulated).ok());
  bad = {};
  bad.check.checker = Checker::fixed;
  EXPECT_FALSE(smooth_all(model, paths, bad, emulated).ok());
}

TEST(SmoothAll, StopsWhenItIsToldTo) {
  const PlanCase c = test::post_case();
  const std::vector<Path> paths = paths_in(c, 6);
  std::atomic<bool> cancel = true;
  const Budget stopped = Budget::of_seconds(1e9, &cancel);
  SmoothOptions options;
  options.input_is_proved = true;
  const auto all = smooth_all(model_of(c), paths, options,
                              {.device = BatchDevice::emulated, .threads = 2, .least = 0}, stopped);
  ASSERT_TRUE(all.ok());
  for (std::size_t i = 0; i < paths.size(); ++i)
    EXPECT_EQ(all.value()[i].value().path.waypoints, paths[i].waypoints);
}

}  // namespace
}  // namespace proven
