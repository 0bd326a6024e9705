#include "manipulation/timed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "manipulation/motions.h"
#include "manipulation/parts.h"
#include "support.h"

namespace proven::manipulation {
namespace {

// One coordinate of a piece at s, by the definition of Bernstein polynomials.
long double value_at(const MotionPiece& piece, std::size_t coordinate, long double s) {
  const int n = piece.degree();
  long double sum = 0, binomial = 1;
  for (int k = 0; k <= n; ++k) {
    sum += binomial * std::pow(s, k) * std::pow(1 - s, n - k) * piece.control(k)[coordinate];
    binomial = binomial * (n - k) / (k + 1);
  }
  return sum;
}

// The greatest speed and acceleration of a coordinate that differences of samples show.
struct Seen {
  long double velocity = 0, acceleration = 0;
};
Seen seen_of(const Motion& motion, std::size_t coordinate) {
  Seen seen;
  for (int i = 0; i < motion.num_segments(); ++i) {
    const MotionPiece piece = motion.piece(i);
    const auto n = static_cast<std::size_t>(i);
    const long double seconds = motion.times[n + 1] - motion.times[n], h = 1e-3L;
    for (int k = 1; k < 40; ++k) {
      const long double s = k / 40.0L;
      const long double before = value_at(piece, coordinate, s - h),
                        now = value_at(piece, coordinate, s),
                        after = value_at(piece, coordinate, s + h);
      seen.velocity = std::max(seen.velocity, std::fabs(after - before) / (2 * h * seconds));
      seen.acceleration = std::max(
          seen.acceleration, std::fabs(after - 2 * now + before) / (h * h * seconds * seconds));
    }
  }
  return seen;
}

class Timed : public testing::Test {
 protected:
  void SetUp() override {
    Situation start;
    start.q = {waiting_posture()};
    start.poses["block_1"] = world_.find_place("front_1")->release[0];
    start.poses["block_2"] = world_.find_place("left_1")->release[0];
    const auto picked =
        find_motion(world_, start, {MotionRequest::Kind::transit, "block_2", "top", ""}, 20, {});
    ASSERT_TRUE(picked.ok() && picked.value().answer == Answer::yes);
    before_ = picked.value().after;
    const auto put = find_motion(world_, before_, request_, 20, {});
    ASSERT_TRUE(put.ok() && put.value().answer == Answer::yes);
    const auto timed = timed_motion(world_, before_, request_, put.value(), {});
    ASSERT_TRUE(timed.ok()) << timed.error().text();
    motion_ = timed.value().path;
    scene_ = build_scene(scene_of(world_, before_, request_)).value();
    index_ = index_arm(world_.arms[0], scene_->tree());
  }
  std::string refuted(const Motion& motion) const {
    const auto reason = refute_motion(world_, before_, request_, motion);
    EXPECT_TRUE(reason.ok()) << reason.error().text();
    return reason.value();
  }

  const World world_ = make_tower().world;
  const MotionRequest request_{MotionRequest::Kind::transfer, "block_2", "", "on_block_1"};
  Situation before_;
  Motion motion_;
  std::optional<Scene> scene_;
  ArmIndex index_;
};

TEST_F(Timed, KeepsTheLimitsAndUsesThem) {
  EXPECT_EQ(refuted(motion_), "");
  EXPECT_GT(duration_of(motion_), 0.5);
  long double fastest = 0;
  for (std::size_t c = 0; c < scene_->home().size(); ++c) {
    const Coordinate& coordinate = scene_->tree().coordinates()[c];
    const Seen seen = seen_of(motion_, c);
    EXPECT_LE(seen.velocity, coordinate.velocity * (1 + 1e-6)) << coordinate.name;
    EXPECT_LE(seen.acceleration, coordinate.acceleration * (1 + 1e-4)) << coordinate.name;
    fastest = std::max({fastest, seen.velocity / coordinate.velocity,
                        seen.acceleration / coordinate.acceleration});
  }
  EXPECT_GT(fastest, 0.95);
}

// The hand closes before the arm moves, and opens after it has stopped.
TEST_F(Timed, TheArmMovesOnlyWhileTheFingersHold) {
  const auto fingers = static_cast<std::size_t>(index_.fingers);
  bool closing = false, carrying = false;
  for (int i = 0; i < motion_.num_segments(); ++i) {
    const MotionPiece piece = motion_.piece(i);
    bool arm = false;
    for (const int c : index_.joints)
      for (int k = 1; k <= piece.degree(); ++k)
        arm |= piece.control(k)[static_cast<std::size_t>(c)] !=
               piece.from[static_cast<std::size_t>(c)];
    if (arm) {
      EXPECT_EQ(piece.from[fingers], world_.find_object("block_2")->grip);
    }
    (arm ? carrying : closing) = true;
  }
  EXPECT_TRUE(closing && carrying);
}

TEST_F(Timed, OtherTimesAreRefuted) {
  Motion motion = motion_;
  for (double& t : motion.times) t *= 0.98;
  EXPECT_NE(refuted(motion), "");
  motion = motion_;
  for (double& t : motion.times) t *= 1.5;
  EXPECT_EQ(refuted(motion), "");
  motion = motion_;
  motion.times.back() += 1;
  EXPECT_NE(refuted(motion).find("jumps"), std::string::npos) << refuted(motion);
  motion = motion_;
  motion.times[1] = motion.times[0];
  EXPECT_EQ(refuted(motion), "its times do not increase");
  motion.times[1] = std::nan("");
  EXPECT_NE(refuted(motion), "");
  motion = motion_;
  motion.times.pop_back();
  EXPECT_EQ(refuted(motion), "it has not one time per waypoint");
}

// Fingers that open on the way drop what they carry.
TEST_F(Timed, FingersThatOpenOnTheWayAreRefuted) {
  Motion motion = motion_;
  motion.times.clear();
  motion.inner.clear();
  const std::size_t middle = motion.waypoints.size() / 2;
  motion.waypoints[middle][static_cast<std::size_t>(index_.fingers)] = world_.arms[0].open;
  EXPECT_EQ(refuted(motion), "the arm moves while the fingers do not hold");
}

// Inverse kinematics leaves waypoints that differ by rounding: at the end, on the way, or alone.
TEST_F(Timed, WaypointsThatAreNearlyTheSameDoNotMatter) {
  Path path;
  path.waypoints = {motion_.waypoints.front(), motion_.waypoints.front()};
  const auto joint = static_cast<std::size_t>(index_.joints[0]);
  path.waypoints[1][joint] += 1e-14;
  const auto alone = with_times(*scene_, path, index_.fingers);
  ASSERT_TRUE(alone.ok()) << alone.error().text();
  EXPECT_EQ(refute_times(scene_->tree(), alone.value()), "");
  EXPECT_EQ(alone.value().waypoints, path.waypoints);
  path.waypoints.insert(path.waypoints.begin(), path.waypoints.front());
  path.waypoints[0][joint] += 0.01;
  path.waypoints.insert(path.waypoints.begin() + 1, path.waypoints[0]);
  path.waypoints[1][joint] += 1e-16;
  const auto timed = with_times(*scene_, path, index_.fingers);
  ASSERT_TRUE(timed.ok()) << timed.error().text();
  EXPECT_EQ(refute_times(scene_->tree(), timed.value()), "");
  EXPECT_EQ(timed.value().waypoints.front(), path.waypoints.front());
  EXPECT_EQ(timed.value().waypoints.back(), path.waypoints.back());
}

TEST_F(Timed, IsTheSameEveryTime) {
  const auto put = find_motion(world_, before_, request_, 20, {});
  const auto again = timed_motion(world_, before_, request_, put.value(), {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value().path.waypoints, motion_.waypoints);
  EXPECT_EQ(again.value().path.times, motion_.times);
}

}  // namespace
}  // namespace proven::manipulation
