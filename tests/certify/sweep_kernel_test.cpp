// Sines and poses in float err by no more than the budget of sweeps allows for
// (docs/algorithms/sweep.md): against long double.
#include "certify/sweep_kernel.h"

#include <gtest/gtest.h>

#include <optional>

#include "certify/exact_motion.h"
#include "certify/random_scenes.h"
#include "certify/sweep.h"
#include "proven/certify/check.h"
#include "proven/kinematics/interpolation.h"
#include "simd_support.h"
#include "support.h"

namespace proven {
namespace {

TEST(SweepKernel, SinesErrByThreeUnits) {
  Random random(3);
  double worst = 0;
  for (int i = 0; i < test::cases(20'000); ++i) {
    alignas(64) double angles[kMoments];
    alignas(64) float s[kMoments], c[kMoments];
    const double size = std::pow(2.0, random.uniform(-40, 19));
    for (double& a : angles) a = random.uniform(-size, size);
    // Near the ends of quarters reduction loses most.
    if (i % 3 == 0) angles[0] = static_cast<double>(std::floor(angles[0]) * M_PI_2l);
    sweep_kernel->sincos(angles, s, c);
    for (int k = 0; k < kMoments; ++k) {
      const long double sine = std::sin(static_cast<long double>(angles[k]));
      const long double cosine = std::cos(static_cast<long double>(angles[k]));
      worst = std::max({worst, static_cast<double>(std::fabs(s[k] - sine)),
                        static_cast<double>(std::fabs(c[k] - cosine))});
    }
  }
  EXPECT_LT(worst, 3 * 0x1p-24);
  EXPECT_GT(worst, 0x1p-25);
}

Vec3 random_axis(Random& random) {
  if (random.index(2) == 0) return random.unit_vector();
  Vec3 axis;
  axis[random.index(3)] = random.index(2) == 0 ? 1 : -1;
  return axis;
}

// Joints one after the other, with axes along those of their frames or not, and a ball at the end.
Scene random_chain(Random& random, int joints) {
  const double size = std::pow(10, random.uniform(-2, 2));
  Robot robot;
  for (int i = 0; i <= joints; ++i) {
    robot.links.emplace_back();
    robot.links.back().name = "l" + std::to_string(i);
    if (i == 0) continue;
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    const int kind = random.index(8);
    joint.type = kind == 0   ? JointType::fixed
                 : kind == 1 ? JointType::prismatic
                             : JointType::revolute;
    joint.parent_link = robot.links[static_cast<std::size_t>(i) - 1].name;
    joint.child_link = robot.links.back().name;
    joint.axis = random_axis(random);
    joint.X_PJ.p = random.uniform(0, size) * random_axis(random);
    if (random.index(2) == 0)
      joint.X_PJ.R = random.rotation();
    else  // as far as the digits of a file tell, a quarter turn
      joint.X_PJ.R = rotation(random_axis(random), 1.5707963 * random.index(4));
    const double most = joint.type == JointType::prismatic ? size : 7;
    joint.limits = {-most, most, 1, 1};
    robot.joints.push_back(joint);
  }
  robot.links.back().collision.push_back(
      {Sphere{0.1 * size}, Pose::translation(random.uniform(0, size) * random.unit_vector()), ""});
  SceneSource source;
  source.robots.push_back({"r", robot, Pose{}});
  return test::build(source);
}

TEST(SweepKernel, PosesErrByHalfOfTheBudget) {
  Random random(4);
  double largest = 0;
  int units = 0, others = 0;
  for (int i = 0; i < test::cases(300); ++i) {
    const Scene scene = random_chain(random, 1 + random.index(i % 10 == 0 ? 60 : 10));
    const CheckModel checked = CheckModel::build(scene).value();
    const SweepModel& model = checked.data().sweep();
    if (model.bodies().empty()) continue;  // all of its joints are fixed
    const std::vector<double> from = random_configuration(scene.tree(), random),
                              to = random_configuration(scene.tree(), random);
    alignas(64) double t[kMoments], values[kMoments];
    for (int k = 0; k < kMoments; ++k) t[k] = SegmentPart{}.moment(k);
    std::vector<FrameLanes> frames(model.joints().size());
    for (std::size_t j = 0; j < frames.size(); ++j) {
      const SweepModel::Joint& joint = model.joints()[j];
      const auto c = static_cast<std::size_t>(joint.coordinate);
      for (const std::int8_t unit : joint.unit) ++(unit != 0 ? units : others);
      sweep_kernel->line({from[c], to[c] - from[c], joint.multiplier, joint.offset}, t, values);
      const FrameLanes* parent =
          joint.parent < 0 ? nullptr : &frames[static_cast<std::size_t>(joint.parent)];
      (joint.kind == SweepJoint::Kind::turn ? sweep_kernel->turn : sweep_kernel->slide)(
          parent, joint, values, frames[j]);
    }
    const SweepModel::Body& body = model.bodies()[0];
    const FrameLanes& frame = frames[static_cast<std::size_t>(body.joint)];
    const Vec3 p = scene.body(body.body).geometry->bounding_sphere().centre;
    const exact::ExactMotion motion(scene, from, to);
    for (int k = 0; k < kMoments; k += 5) {
      const exact::RVec x(body.X_FB * p);
      exact::RVec own;
      for (int row = 0; row < 3; ++row)
        (row == 0   ? own.x
         : row == 1 ? own.y
                    : own.z) = frame.R[3 * row][k] * x.x + frame.R[3 * row + 1][k] * x.y +
                               frame.R[3 * row + 2][k] * x.z + frame.p[row][k];
      const exact::RVec truth = motion.body(motion.links(t[k]), body.body) * exact::RVec(p);
      largest = std::max(largest, static_cast<double>(norm(own - truth)) / body.pose_error);
    }
  }
  std::printf("largest share of the budget: %.3g\n", largest);
  EXPECT_LT(largest, 0.5);
  EXPECT_GT(largest, 0.004);
  EXPECT_GT(units, test::cases(300));
  EXPECT_GT(others, test::cases(300));
}

SweepSolid random_solid(Random& random) {
  SweepSolid solid = {};
  const Mat3 R = random.rotation();
  for (int i = 0; i < 9; ++i) solid.R[i] = static_cast<float>(R(i / 3, i % 3));
  for (float& x : solid.c) x = static_cast<float>(random.uniform(-1, 1));
  for (float& x : solid.half) x = static_cast<float>(random.uniform(0, 0.4));
  solid.cylinder = random.index(2) == 0;
  if (solid.cylinder) solid.half[1] = solid.half[0];
  solid.radius = random.index(2) == 0 ? 0 : static_cast<float>(random.uniform(0, 0.1));
  solid.whole = true;
  solid.aligned = random.index(3) == 0;
  if (solid.aligned)
    for (int i = 0; i < 9; ++i) solid.R[i] = i % 4 == 0 ? 1 : 0;
  return solid;
}

// Above the distance to the solid; below zero: as deep in it at least.
double signed_distance(const SweepSolid& s, const Vec3& p) {
  Vec3 y;
  for (int i = 0; i < 3; ++i)
    y[i] = s.R[3 * i] * (p.x - s.c[0]) + s.R[3 * i + 1] * (p.y - s.c[1]) +
           s.R[3 * i + 2] * (p.z - s.c[2]);
  const double x = s.cylinder ? std::hypot(y.x, y.y) - s.half[0] : std::fabs(y.x) - s.half[0];
  const double w = s.cylinder ? x : std::fabs(y.y) - s.half[1];
  const double z = std::fabs(y.z) - s.half[2];
  const double inside = std::min(0.0, std::max({x, w, z}));
  return std::hypot(std::max(0.0, x), s.cylinder ? 0 : std::max(0.0, w), std::max(0.0, z)) +
         inside - s.radius;
}

// Where a point is nearest to a solid or deepest in it, and the same of balls at one moment.
TEST(SweepKernel, DistancesErrByAPartOfTheBudget) {
  Random random(8);
  double worst = 0;
  int inside = 0, outside = 0;
  for (int i = 0; i < test::cases(2000); ++i) {
    const SweepSolid solid = random_solid(random);
    Track track;
    constexpr int kBalls = 2 * kMoments;
    alignas(64) float lanes[4][kBalls];
    float frame[12];
    const Mat3 R = random.rotation();
    for (int k = 0; k < 9; ++k) frame[k] = static_cast<float>(R(k / 3, k % 3));
    for (int k = 9; k < 12; ++k) frame[k] = static_cast<float>(random.uniform(-1, 1));
    for (auto& row : track.v)
      for (float& x : row) x = static_cast<float>(random.uniform(-1, 1));
    for (auto& row : lanes)
      for (float& x : row) x = static_cast<float>(random.uniform(-0.3, 0.3));
    double nearest = INFINITY, least = INFINITY;
    for (int k = 0; k < kMoments; ++k)
      nearest =
          std::min(nearest, signed_distance(solid, {track.v[0][k], track.v[1][k], track.v[2][k]}));
    for (int k = 0; k < kBalls; ++k) {
      Vec3 p;
      for (int r = 0; r < 3; ++r)
        p[r] = static_cast<double>(frame[3 * r]) * lanes[0][k] +
               static_cast<double>(frame[3 * r + 1]) * lanes[1][k] +
               static_cast<double>(frame[3 * r + 2]) * lanes[2][k] + frame[9 + r];
      least = std::min(least, signed_distance(solid, p) - lanes[3][k]);
    }
    const float* rows[4] = {lanes[0], lanes[1], lanes[2], lanes[3]};
    float expected[2] = {};
    int moments[2] = {};
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      // Wherever it is, its chords are open.
      const SweepBall point;
      SolidFound nearest_point;
      sweep_kernel->balls(&track, &point, 1, solid, INFINITY, kAllChords, -INFINITY, nearest_point);
      EXPECT_EQ(nearest_point.open, kAllChords);
      int moment = nearest_point.moment, ball = -1;
      const float found[2] = {nearest_point.gap,
                              sweep_kernel->inside(frame, rows, kBalls, solid, ball)};
      if (set == simd::InstructionSet::scalar)
        expected[0] = found[0], expected[1] = found[1], moments[0] = moment, moments[1] = ball;
      EXPECT_TRUE(test::same(found[0], expected[0]) && test::same(found[1], expected[1]));
      EXPECT_TRUE(moment == moments[0] && ball == moments[1]);
    }
    worst = std::max({worst, std::fabs(expected[0] - nearest), std::fabs(expected[1] - least)});
    ++(nearest < 0 ? inside : outside);
  }
  // W is at least the distance of a corner of the box that the points are in.
  EXPECT_LT(worst, 16 * 0x1p-24 * std::sqrt(3.0));
  EXPECT_GT(worst, 0x1p-26);
  EXPECT_GT(inside, test::cases(2000) / 10);
  EXPECT_GT(outside, test::cases(2000) / 10);
}

TEST(SweepKernel, NearBoxesAreNear) {
  Random random(21);
  int near = 0, far = 0;
  for (int i = 0; i < test::cases(300); ++i) {
    const int words = 1 + i % 3;
    // The last word is full or not.
    const int count = words * kMoments - (i % 2 == 0 ? 0 : random.index(kMoments));
    std::vector<BoxLanes> boxes(static_cast<std::size_t>(words));
    float box[6];
    const auto draw = [&](int lane, auto&& side) {
      for (int k = 0; k < 3; ++k) {
        side(k, lane) = static_cast<float>(random.uniform(-1, 1));
        side(k + 3, lane) = side(k, lane) + static_cast<float>(random.uniform(0, 0.3));
      }
    };
    draw(0, [&](int k, int) -> float& { return box[k]; });
    for (BoxLanes& word : boxes)
      for (int lane = 0; lane < kMoments; ++lane)
        draw(lane, [&](int k, int l) -> float& { return word.v[k][l]; });
    // Behind the last one anything may be.
    const bool empty = random.index(2) == 0;
    for (int b = count; b < words * kMoments; ++b)
      for (int k = 0; k < 6 && empty; ++k)
        boxes[static_cast<std::size_t>(b / kMoments)].v[k][b % kMoments] =
            k < 3 ? INFINITY : -INFINITY;
    // Where overlaps are allowed, nothing is too far.
    const float around =
        random.index(4) == 0 ? INFINITY : static_cast<float>(random.uniform(0, 0.5));
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      std::vector<std::uint16_t> found(boxes.size());
      const bool any = sweep_kernel->near(boxes.data(), count, box, around, found.data());
      bool some = false;
      for (int b = 0; b < words * kMoments; ++b) {
        const BoxLanes& word = boxes[static_cast<std::size_t>(b / kMoments)];
        double apart = -INFINITY;
        for (int k = 0; k < 3; ++k)
          apart = std::max({apart, static_cast<double>(word.v[k][b % kMoments]) - box[k + 3],
                            static_cast<double>(box[k]) - word.v[k + 3][b % kMoments]});
        const bool is_near =
            (found[static_cast<std::size_t>(b / kMoments)] >> (b % kMoments) & 1) != 0;
        if (b >= count) {
          EXPECT_FALSE(is_near) << b << " of " << count;
          continue;
        }
        if (std::fabs(apart - around) > 1e-6) {
          EXPECT_EQ(is_near, apart < around);
        }
        ++(is_near ? near : far);
        some = some || is_near;
      }
      EXPECT_EQ(any, some);
    }
  }
  EXPECT_GT(near, test::cases(300));
  EXPECT_GT(far, test::cases(300));
}

TEST(SweepKernel, FindsTheFarthestPoint) {
  Random random(22);
  for (int i = 0; i < test::cases(500); ++i) {
    const int count = kMoments * (1 + random.index(6));
    std::array<std::vector<float>, 3> lanes;
    for (auto& row : lanes)
      for (int k = 0; k < count; ++k) row.push_back(static_cast<float>(random.uniform(-1, 1)));
    // Some stand there twice.
    for (auto& row : lanes) row.back() = row[static_cast<std::size_t>(i) % row.size()];
    const Vec3 n = random.unit_vector();
    const float along[3] = {static_cast<float>(n.x), static_cast<float>(n.y),
                            static_cast<float>(n.z)};
    const float* rows[3] = {lanes[0].data(), lanes[1].data(), lanes[2].data()};
    const auto height = [&](int k) {
      return static_cast<double>(along[0]) * rows[0][k] +
             static_cast<double>(along[1]) * rows[1][k] +
             static_cast<double>(along[2]) * rows[2][k];
    };
    double most = -INFINITY;
    for (int k = 0; k < count; ++k) most = std::max(most, height(k));
    int expected = -1;
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      const int found = sweep_kernel->farthest(rows, count, along);
      if (set == simd::InstructionSet::scalar) expected = found;
      EXPECT_EQ(found, expected);
      EXPECT_GE(height(found), most - 1e-6);
    }
  }
}

// Balls that move on chords past a solid, each as it would be alone.
TEST(SweepKernel, ChordsOfSolidsKeepTheirDistance) {
  Random random(11);
  int settled = 0, open = 0, tight = 0, contacts = 0;
  constexpr int kBalls = 5;
  for (int i = 0; i < test::cases(1000); ++i) {
    const SweepSolid solid = random_solid(random);
    Track tracks[kBalls];
    SweepBall balls[kBalls];
    for (int b = 0; b < kBalls; ++b) {
      const double size = random.uniform(0.01, 1);
      for (int r = 0; r < 3; ++r) {
        const double at = random.uniform(-1, 1);
        for (float& x : tracks[b].v[r]) x = static_cast<float>(at + random.uniform(-size, size));
      }
      balls[b] = {static_cast<float>(random.uniform(0, 0.4)),
                  static_cast<float>(random.uniform(-0.01, 0.1))};
    }
    const auto need = static_cast<float>(random.uniform(0, 0.05));
    const float contact = random.index(2) == 0 ? -INFINITY : 0;
    std::optional<SolidFound> expected;
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      SolidFound found;
      sweep_kernel->balls(tracks, balls, kBalls, solid, need, kAllChords, contact, found);
      if (!expected) expected = found;
      EXPECT_EQ(found.open, expected->open) << i;
      EXPECT_TRUE(found.ball == expected->ball && found.moment == expected->moment &&
                  found.contact == expected->contact && test::same(found.gap, expected->gap))
          << i;
      if (found.contact) {
        const auto m = static_cast<std::size_t>(found.moment);
        const auto b = static_cast<std::size_t>(found.ball);
        const auto& v = tracks[b].v;
        EXPECT_LT(signed_distance(solid, {v[0][m], v[1][m], v[2][m]}) - balls[b].depth, 1e-5) << i;
        EXPECT_GT(balls[b].depth, 0);
        ++contacts;
        continue;
      }
      std::uint32_t all = 0;
      float least = INFINITY;
      for (int b = 0; b < kBalls; ++b) {
        const std::uint32_t alone = sweep_kernel->solid(tracks[b], solid, need + balls[b].radius);
        all |= alone;
        SolidFound own;
        sweep_kernel->balls(&tracks[b], &balls[b], 1, solid, need, kAllChords, contact, own);
        EXPECT_EQ(own.open, alone) << i;
        least = std::min(least, own.gap);
        for (int k = 0; k < kChords; ++k) {
          const auto at = [&](double t) {
            Vec3 p;
            for (int r = 0; r < 3; ++r)
              p[r] = tracks[b].v[r][k] +
                     t * (static_cast<double>(tracks[b].v[r][k + 1]) - tracks[b].v[r][k]);
            return signed_distance(solid, p);
          };
          // The solid is convex, and so is the distance from it along the chord.
          double from = 0, to = 1;
          for (int step = 0; step < 60; ++step) {
            const double x = from + (to - from) / 3, y = to - (to - from) / 3;
            (at(x) < at(y) ? to : from) = at(x) < at(y) ? y : x;
          }
          const double nearest = at(0.5 * (from + to)), needed = need + balls[b].radius;
          if ((alone >> k & 1) != 0) {
            ++open;
            continue;
          }
          EXPECT_GT(nearest, needed - 36 * 0x1p-24 * 4) << i << " " << k;
          ++settled;
          tight += nearest < needed + 0.01;
        }
      }
      EXPECT_EQ(found.open, all) << i;
      EXPECT_TRUE(test::same(found.gap, least) || std::fabs(found.gap - least) < 1e-6) << i;
    }
  }
  EXPECT_GT(settled, test::cases(1000));
  EXPECT_GT(tight, test::cases(1000) / 10);
  EXPECT_GT(open, test::cases(1000));
  EXPECT_GT(contacts, test::cases(1000) / 10);
}

// Two points that move on chords, also from one side of the other to the opposite one.
TEST(SweepKernel, ChordsOfPairsKeepTheirDistance) {
  Random random(10);
  int settled = 0, open = 0, across = 0;
  for (int i = 0; i < test::cases(2000); ++i) {
    Track a, b;
    const double size = random.uniform(0.1, 1);
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < kMoments; ++k) {
        a.v[r][k] = static_cast<float>(random.uniform(-size, size) + (r == 0 ? 0.3 : 0));
        b.v[r][k] = static_cast<float>(random.uniform(-size, size));
      }
    const auto radius = static_cast<float>(random.uniform(0, 0.5));
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      const std::uint32_t left = sweep_kernel->pair(a, b, radius);
      for (int k = 0; k < kChords; ++k) {
        const auto at = [&](int m) {
          return Vec3{static_cast<double>(a.v[0][m]) - b.v[0][m],
                      static_cast<double>(a.v[1][m]) - b.v[1][m],
                      static_cast<double>(a.v[2][m]) - b.v[2][m]};
        };
        const Vec3 from = at(k), step = at(k + 1) - from;
        const double t = std::clamp(-dot(from, step) / dot(step, step), 0.0, 1.0);
        const double least = norm(from + t * step);
        if ((left >> k & 1) == 0) {
          EXPECT_GT(least, radius - 0x1p-20) << i << " " << k;
          ++settled;
        } else {
          ++open;
        }
        across += dot(from, at(k + 1)) < -radius * norm(from);
      }
    }
  }
  EXPECT_GT(settled, test::cases(2000));
  EXPECT_GT(open, test::cases(2000));
  EXPECT_GT(across, test::cases(2000) / 10);
}

// Of many balls those are near that one by one are.
TEST(SweepKernel, BallsNearATrackAreThoseOfPairs) {
  Random random(12);
  int near = 0, far = 0;
  for (int i = 0; i < test::cases(500); ++i) {
    const auto track = [&](Track& out) {
      const double size = random.uniform(0.01, 0.5);
      for (auto& row : out.v) {
        const double middle = random.uniform(-1, 1);
        for (float& x : row) x = static_cast<float>(middle + random.uniform(-size, size));
      }
    };
    const int count = random.index(20);
    std::vector<Track> tracks(static_cast<std::size_t>(count));
    std::vector<SweepBall> balls(tracks.size());
    Track other;
    track(other);
    for (Track& own : tracks) track(own);
    for (SweepBall& ball : balls) ball.radius = static_cast<float>(random.uniform(0, 0.5));
    const auto need = static_cast<float>(random.uniform(0, 0.5));
    const auto chords = static_cast<std::uint32_t>(random.index(1 << kChords));
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      std::vector<int> expected, found(tracks.size());
      for (int b = 0; b < count; ++b) {
        const auto own = static_cast<std::size_t>(b);
        if (sweep_kernel->pair(tracks[own], other, need + balls[own].radius) & chords)
          expected.push_back(b);
      }
      found.resize(static_cast<std::size_t>(sweep_kernel->near_track(
          tracks.data(), balls.data(), count, other, need, chords, found.data())));
      EXPECT_EQ(found, expected) << i;
      near += static_cast<int>(expected.size());
      far += count - static_cast<int>(expected.size());
    }
  }
  EXPECT_GT(near, test::cases(500));
  EXPECT_GT(far, test::cases(500));
}

// No ball is left out that comes near the box.
TEST(SweepKernel, BallsNearABoxAreFound) {
  Random random(9);
  int near = 0, far = 0;
  for (int i = 0; i < test::cases(500); ++i) {
    alignas(64) float lanes[4][kMoments];
    for (auto& row : lanes)
      for (float& x : row) x = static_cast<float>(random.uniform(0, 1));
    float frame[12], box[6];
    const Mat3 R = random.rotation();
    for (int k = 0; k < 9; ++k) frame[k] = static_cast<float>(R(k / 3, k % 3));
    for (int k = 9; k < 12; ++k) frame[k] = static_cast<float>(random.uniform(-3, 3));
    for (int k = 0; k < 3; ++k)
      box[k] = static_cast<float>(random.uniform(-1, 1)), box[3 + k] = box[k] + 0.5f;
    const float* rows[4] = {lanes[0], lanes[1], lanes[2], lanes[3]};
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      const std::uint32_t found = sweep_kernel->in_box(frame, rows, box, 0.1f);
      for (int k = 0; k < kMoments; ++k) {
        bool apart = false;
        for (int r = 0; r < 3; ++r) {
          const double p = static_cast<double>(frame[3 * r]) * lanes[0][k] +
                           static_cast<double>(frame[3 * r + 1]) * lanes[1][k] +
                           static_cast<double>(frame[3 * r + 2]) * lanes[2][k] + frame[9 + r];
          const double around = lanes[3][k] + 0.1;
          apart = apart || p + around < box[r] || p - around > box[3 + r];
        }
        ++(apart ? far : near);
        EXPECT_EQ((found >> k & 1) == 0, apart) << i << " " << k;
      }
    }
  }
  EXPECT_GT(near, far / 100);
  EXPECT_GT(far, near / 100);
}

}  // namespace
}  // namespace proven
