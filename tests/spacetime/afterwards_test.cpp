// What follows a recording: by the definition, and sound at every time after it.
#include "proven/spacetime/afterwards.h"

#include <gtest/gtest.h>

#include "proven/spacetime/check.h"

namespace proven::spacetime {
namespace {

Obstacle car(Interpolation between = Interpolation::linear) {
  Obstacle o;
  o.name = "car";
  o.footprint = Footprint::box(4, 2).value();
  o.motion.t = {0, 0.5, 1};
  o.motion.x = {0, 4, 9};
  o.motion.y = {0, 0, -1};
  o.motion.heading = {0, 0.1, 0.2};
  o.motion.between = between;
  if (between == Interpolation::bounded_acceleration) o.motion.max_acceleration = 3;
  return o;
}

TEST(Afterwards, WordsGoBothWays) {
  for (const Afterwards after : {Afterwards::rest, Afterwards::go_on, Afterwards::gone})
    EXPECT_EQ(afterwards_of(word_of(after)), after);
  EXPECT_EQ(word_of(kUsualAfterwards), "continue");
  EXPECT_FALSE(afterwards_of("go_on"));
}

TEST(Afterwards, ItRestsGoesOnOrIsGone) {
  for (const auto between :
       {Interpolation::linear, Interpolation::arc, Interpolation::bounded_acceleration}) {
    EXPECT_EQ(lasting(car(between), Afterwards::gone, 9).motion.t.back(), 1);
    const Trajectory rests = lasting(car(between), Afterwards::rest, 9).motion;
    const Trajectory goes = lasting(car(between), Afterwards::go_on, 9).motion;
    ASSERT_TRUE(validate(rests).ok() && validate(goes).ok());
    EXPECT_EQ(rests.t.back(), 9);
    EXPECT_EQ(goes.t.back(), 9);
    for (const double t : {1.0, 1.1, 3.7, 9.0}) {
      const Pose2 r = pose_at(rests, t), g = pose_at(goes, t);
      EXPECT_NEAR(r.x, 9, 1e-12);
      EXPECT_NEAR(r.y, -1, 1e-12);
      EXPECT_NEAR(g.x, 9 + 10 * (t - 1), 1e-12);
      EXPECT_NEAR(g.y, -1 - 2 * (t - 1), 1e-12);
      EXPECT_EQ(r.heading, 0.2);
      EXPECT_EQ(g.heading, 0.2);
    }
    // What was known is as it was.
    EXPECT_EQ(pose_at(goes, 0.25).x, pose_at(car(between).motion, 0.25).x);
  }
  EXPECT_EQ(lasting(car(), Afterwards::go_on, 1).motion.t.size(), 3u);
  EXPECT_EQ(lasting(car(), Afterwards::go_on, 1e7).motion.t.back(), 1e7);
}

TEST(Afterwards, DeviationsStayAsTheyWere) {
  Obstacle o = car();
  o.motion.position_deviation = {0, 0, 0.3};
  o.motion.heading_deviation = {0, 0.1, 0.2};
  const Trajectory goes = lasting(o, Afterwards::go_on, 4).motion;
  ASSERT_TRUE(validate(goes).ok());
  EXPECT_EQ(goes.position_deviation.back(), 0.3);
  EXPECT_EQ(goes.heading_deviation.back(), 0.2);
}

TEST(Afterwards, TheLastRegionsOfASetStayTaken) {
  Obstacle set;
  set.name = "set";
  const Footprint disc = Footprint::circle(1).value();
  set.occupancies = {{0, 1, disc}, {0.5, 2, disc}, {1, 2, disc}};
  for (const Afterwards after : {Afterwards::rest, Afterwards::go_on}) {
    const Obstacle lasts = lasting(set, after, 7);
    EXPECT_EQ(lasts.occupancies[0].t_end, 1);
    EXPECT_EQ(lasts.occupancies[1].t_end, 7);
    EXPECT_EQ(lasts.occupancies[2].t_end, 7);
  }
  EXPECT_EQ(lasting(set, Afterwards::gone, 7).occupancies[2].t_end, 2);
}

TEST(Afterwards, SpansNameEverybodyOnce) {
  Obstacle post;
  post.name = "post";
  post.footprint = Footprint::circle(1).value();
  Obstacle second = car();
  second.name = "second";
  const std::vector<Obstacle> all = {car(), post, second};
  const auto spans = spans_of(all);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].names, (std::vector<std::string>{"car", "second"}));
  EXPECT_EQ(spans[0].end, 1);
  EXPECT_TRUE(spans[1].for_ever);
  EXPECT_EQ(describe(spans[0], Afterwards::rest),
            "car, second: known from 0 to 1 s, after that at rest");
  EXPECT_EQ(describe(spans[1], Afterwards::rest), "post: there at all times");
}

// A scene of what lasts: whoever drives where the car would be meets it, long after it was seen.
TEST(Afterwards, ChecksMeetWhatGoesOn) {
  Trajectory late;
  late.t = {5, 6}, late.x = {49, 49}, late.y = {-10, 10}, late.heading = {1.5, 1.5};
  TrafficScratch scratch;
  for (const auto& [after, verdict] : {std::pair{Afterwards::go_on, Verdict::collision},
                                       {Afterwards::rest, Verdict::free},
                                       {Afterwards::gone, Verdict::free}}) {
    const auto scene = TrafficScene::build(lasting(std::vector{car()}, after, 6)).value();
    EXPECT_EQ(check(scene, Footprint::box(4, 2).value(), late, {}, scratch).value().verdict,
              verdict);
  }
}

}  // namespace
}  // namespace proven::spacetime
