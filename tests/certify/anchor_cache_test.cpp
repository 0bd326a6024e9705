// An anchor is found again by all that it was computed of: what changes one of those alone gives
// another anchor.
#include "certify/anchor_cache.h"

#include <gtest/gtest.h>

#include "any_values.h"
#include "certify/directional_search.h"
#include "certify/sweep_support.h"
#include "proven/certify/check.h"
#include "support.h"

namespace proven {
namespace {

// A ball on an arm of one metre turns about z, beside a post.
Scene turning_ball() {
  SceneSource source;
  Robot robot;
  test::add_link(robot, "base", "", JointType::fixed, {});
  test::add_link(robot, "arm", "base", JointType::revolute, {0, 0, 1},
                 {{Sphere{0.1}, Pose::translation({1, 0, 0}), ""}});
  source.robots.push_back({"robot", robot, Pose{}});
  source.obstacles.push_back({"post", {{Sphere{0.1}, Pose{}, ""}}, Pose::translation({0, 1, 0})});
  return test::build(source);
}

struct Asked {
  explicit Asked(double to) : end{to} {
    motion.from = start, motion.to = end;
    joint_rates(scene.tree(), motion, 0.5, 0, 1, rates);
  }
  Scene scene = turning_ball();
  CheckModel model = CheckModel::build(scene, test::any_values()).value();
  std::vector<double> start = {-1}, end;
  SegmentMotion motion;
  std::vector<JointRate> rates;
};

TEST(AnchorCache, IsAskedByAllThatAnAnchorIsMadeOf) {
  Asked a(1), b(1);
  AnchorCache cache;
  cache.begin();
  const auto& known = cache.get(a.model.data(), a.motion, a.rates, 0.5, 0.25);
  EXPECT_EQ(known.reach(), 0.25);
  (void)cache.get(a.model.data(), a.motion, a.rates, 0.5, 0.25);
  EXPECT_EQ(cache.num_computed(), 1) << "the same is computed once";
  const auto computes = [&](const Asked& of, const SegmentMotion& motion,
                            const std::vector<JointRate>& rates, double t, double reach) {
    const std::int64_t before = cache.num_computed();
    const Anchor& anchor = cache.get(of.model.data(), motion, rates, t, reach);
    EXPECT_EQ(anchor.t(), t);
    EXPECT_EQ(anchor.reach(), reach);
    return cache.num_computed() == before + 1;
  };
  SegmentMotion other = a.motion;
  other.id = a.motion.id + 1;
  const std::vector<JointRate> rates = a.rates;
  EXPECT_TRUE(computes(a, a.motion, a.rates, 0.5, 0));
  EXPECT_TRUE(computes(a, a.motion, a.rates, 0.5, 0.5));
  EXPECT_TRUE(computes(a, a.motion, a.rates, 0.25, 0.25));
  EXPECT_TRUE(computes(a, other, a.rates, 0.5, 0.5));
  EXPECT_TRUE(computes(b, a.motion, a.rates, 0.5, 0.5));
  EXPECT_TRUE(computes(b, a.motion, rates, 0.5, 0.5));
  cache.begin();
  EXPECT_TRUE(computes(b, a.motion, rates, 0.5, 0.5));
}

// The search looks at a moment first, where the ball is free, and then at the whole of the way,
// which has the same middle: what is known of the moment alone must not settle all of it.
TEST(AnchorCache, AMomentDoesNotSettleWhatLiesAroundIt) {
  int collisions = 0;
  for (const bool curved : {false, true})
    for (const double from : {-1.0, 0.5}) {
      const Asked asked(2);
      SegmentMotion motion = asked.motion;
      const std::vector<double> start = {from}, end = {from == -1 ? 2.5 : 3.5};
      const std::vector<std::vector<double>> inner = {{0.5 * (start[0] + end[0])}};
      motion.from = start, motion.to = end;
      if (curved) motion.inner = inner;
      Scratch scratch;
      scratch.state().begin(asked.scene);
      CheckOptions options;
      DirectionalSearch search;
      search.begin(asked.model.data(), options, motion, false);
      search.try_moment(0, 0.5, scratch.state());
      ASSERT_TRUE(search.open());
      while (search.open()) search.step(scratch.state());
      collisions += search.collision().has_value();
    }
  EXPECT_EQ(collisions, 4);
}

}  // namespace
}  // namespace proven
