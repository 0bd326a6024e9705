// Verdicts against the twin: no overlap is ever called free, no contact is claimed without one.
#include "proven/spacetime/check.h"

#include <atomic>

#include "simd_support.h"
#include "spacetime/oracle.h"
#include "spacetime/workspace.h"
#include "support.h"

namespace proven::spacetime {
namespace {

using twin::closest;
using twin::random_footprint;
using twin::random_motion;

Obstacle moving(std::string name, Footprint footprint, Trajectory motion) {
  Obstacle obstacle;
  obstacle.name = std::move(name);
  obstacle.footprint = std::move(footprint);
  obstacle.motion = std::move(motion);
  return obstacle;
}

Trajectory straight(std::vector<double> t, Pose2 from, Pose2 to) {
  Trajectory m;
  m.t = std::move(t);
  const auto n = static_cast<double>(m.t.size() - 1);
  for (std::size_t i = 0; i < m.t.size(); ++i) {
    const double s = static_cast<double>(i) / n;
    m.x.push_back(from.x + s * (to.x - from.x));
    m.y.push_back(from.y + s * (to.y - from.y));
    m.heading.push_back(from.heading + s * (to.heading - from.heading));
  }
  return m;
}

struct Case {
  Footprint a, b;
  Trajectory ma, mb;
};

Case random_case(Random& random) {
  Case c;
  c.a = random_footprint(random);
  c.b = random_footprint(random);
  const double turn = random.index(2) ? 0.4 : 3;
  c.ma = random_motion(random, 2 + random.index(5), 8, turn);
  c.mb = random_motion(random, 2 + random.index(5), 8, turn);
  if (random.index(3) == 0) c.ma.between = Interpolation::arc;
  if (random.index(3) == 0) c.mb.between = Interpolation::arc;
  return c;
}

TEST(TrafficCheck, NeverWrongOnRandomPairs) {
  Random random(1);
  int counts[3] = {};
  const int n = test::cases(6000);
  for (int k = 0; k < n; ++k) {
    const Case c = random_case(random);
    const auto scene = TrafficScene::build({moving("b", c.b, c.mb)});
    ASSERT_TRUE(scene.ok()) << scene.error().text();
    TrafficScratch workspace;
    const auto result = check(scene.value(), c.a, c.ma, {}, workspace);
    ASSERT_TRUE(result.ok()) << result.error().text();
    ++counts[static_cast<int>(result.value().verdict)];
    const double begin = std::max(c.ma.t.front(), c.mb.t.front());
    const double end = std::min(c.ma.t.back(), c.mb.t.back());
    if (begin > end) {
      EXPECT_EQ(result.value().verdict, Verdict::free);
      continue;
    }
    const auto near = closest(c.a, c.ma, c.b, c.mb, 60);
    switch (result.value().verdict) {
      case Verdict::free:
        EXPECT_GT(near.distance, 0) << "case " << k << " at " << near.t;
        break;
      case Verdict::collision: {
        const TrafficContact& contact = *result.value().contact;
        EXPECT_LE(twin::distance_at(c.a, c.ma, c.b, c.mb, contact.t), 0) << "case " << k;
        EXPECT_LE(contact.t_lower, contact.t);
        // Nothing earlier, with samples that end where the proof ends.
        for (int i = 0; i < 50; ++i) {
          const double t = begin + (contact.t_lower - begin) * i / 50;
          if (t >= contact.t_lower) break;
          EXPECT_GT(twin::distance_at(c.a, c.ma, c.b, c.mb, t), 0) << "case " << k << " t " << t;
        }
        break;
      }
      case Verdict::undecided:
        EXPECT_LT(near.distance, 1e-3) << "case " << k;
        break;
    }
  }
  if (n >= 1000) {
    EXPECT_GT(counts[0], n / 10);
    EXPECT_GT(counts[1], n / 10);
    EXPECT_LT(counts[2], n / 100);
  }
}

// A long box turns by a quarter between two samples: at both it is clear of a post, its hull is
// too, and it hits the post on the way.
TEST(TrafficCheck, FindsWhatTheHullOfTwoPosesMisses) {
  const Footprint rod = Footprint::box(20, 0.2).value();
  const Footprint post = Footprint::circle(0.3).value();
  const double far = 9.5 / std::sqrt(2.0);  // the corner of the hull is at 10 / sqrt(2) / sqrt(2)
  Obstacle obstacle;
  obstacle.name = "post";
  obstacle.footprint = post;
  obstacle.pose = {far, far, 0};
  const auto scene = TrafficScene::build({obstacle});
  TrafficScratch workspace;
  const Trajectory spin = straight({0, 1}, {0, 0, 0}, {0, 0, M_PI / 2});
  const auto result = check(scene.value(), rod, spin, {}, workspace);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result.value().verdict, Verdict::collision);
  EXPECT_NEAR(result.value().contact->t, 0.5, 0.05);
}

TEST(TrafficCheck, ThinWallCrossedBetweenSamples) {
  const Footprint bullet = Footprint::box(0.1, 0.1).value();
  Obstacle wall;
  wall.name = "wall";
  wall.footprint = Footprint::box(0.001, 4).value();
  wall.pose = {3.217, 0, 0};
  const auto scene = TrafficScene::build({wall});
  TrafficScratch workspace;
  const auto hit =
      check(scene.value(), bullet, straight({0, 1}, {0, 0, 0}, {50, 0, 0}), {}, workspace);
  ASSERT_EQ(hit.value().verdict, Verdict::collision);
  EXPECT_NEAR(hit.value().contact->t, (3.217 - 0.0505) / 50, 2e-3);
  EXPECT_LE(hit.value().contact->t_lower, (3.217 - 0.0505) / 50);
  const auto miss =
      check(scene.value(), bullet, straight({0, 1}, {0, 2.051, 0}, {50, 2.051, 0}), {}, workspace);
  EXPECT_EQ(miss.value().verdict, Verdict::free);
}

TEST(TrafficCheck, TouchingIsUndecidedAndAMillimetreIsNot) {
  const Footprint car = Footprint::box(4, 2).value();
  for (const double gap : {0.0, 1e-3}) {
    Obstacle other =
        moving("other", car, straight({0, 1, 2}, {20, 2 + gap, M_PI}, {-20, 2 + gap, M_PI}));
    const auto scene = TrafficScene::build({other});
    TrafficScratch workspace;
    const auto result =
        check(scene.value(), car, straight({0, 0.7, 2}, {-20, 0, 0}, {20, 0, 0}), {}, workspace);
    EXPECT_EQ(result.value().verdict, gap > 0 ? Verdict::free : Verdict::undecided);
  }
}

// Random shapes and motions, one of them shifted until a millimetre or two is left between them.
TEST(TrafficCheck, AMillimetreIsNeverLeftUndecided) {
  Random random(3);
  int looked_at = 0;
  for (int k = 0; k < test::cases(120); ++k) {
    Case c = random_case(random);
    c.mb.t = c.ma.t;  // a common time
    c.mb.x.resize(c.ma.t.size(), c.mb.x.back()), c.mb.y.resize(c.ma.t.size(), c.mb.y.back());
    c.mb.heading.resize(c.ma.t.size(), c.mb.heading.back());
    const double angle = random.uniform(-M_PI, M_PI);
    const Trajectory start = c.mb;
    const auto shift = [&](double by) {
      for (std::size_t i = 0; i < start.x.size(); ++i) {
        c.mb.x[i] = start.x[i] + by * std::cos(angle);
        c.mb.y[i] = start.y[i] + by * std::sin(angle);
      }
      return static_cast<double>(closest(c.a, c.ma, c.b, c.mb, 100).distance);
    };
    double low = 0, high = 200, distance = shift(0);
    for (int i = 0; i < 40 && !(distance > 1.1e-3 && distance < 3e-3); ++i) {
      const double middle = 0.5 * (low + high);
      distance = shift(middle);
      (distance > 2e-3 ? high : low) = middle;
    }
    // The samples may have passed over a nearer place.
    if (!(distance < 3e-3) || !(closest(c.a, c.ma, c.b, c.mb, 2000).distance > 1e-3)) continue;
    ++looked_at;
    TrafficScratch workspace;
    const auto scene = TrafficScene::build({moving("b", c.b, c.mb)}).value();
    EXPECT_EQ(check(scene, c.a, c.ma, {}, workspace).value().verdict, Verdict::free) << k;
    TrafficOptions options;
    options.first = false;
    EXPECT_EQ(check(scene, c.a, c.ma, options, workspace).value().verdict, Verdict::free) << k;
  }
  if (test::cases(120) >= 100) {
    EXPECT_GT(looked_at, test::cases(120) / 3);
  }
}

TEST(TrafficCheck, ClearanceIsProvedAndRefused) {
  const Footprint disc = Footprint::circle(1).value();
  Obstacle other;
  other.name = "other";
  other.footprint = disc;
  other.pose = {0, 3, 0};
  const auto scene = TrafficScene::build({other});
  TrafficScratch workspace;
  TrafficOptions options;
  const Trajectory pass = straight({0, 1, 2}, {-5, 0, 0}, {5, 0, 1});
  for (const double clearance : {0.0, 0.9, 0.999999, 1.00001, 1.5}) {
    options.clearance = clearance;
    const auto result = check(scene.value(), disc, pass, options, workspace);
    EXPECT_EQ(result.value().verdict, clearance < 1 ? Verdict::free : Verdict::collision)
        << clearance;
  }
}

// The instant at which one object ends and the other begins belongs to both.
TEST(TrafficCheck, ASharedInstantCounts) {
  const Footprint car = Footprint::box(4, 2).value();
  for (const bool obstacle_first : {true, false}) {
    const Trajectory early = straight({0, 1, 2}, {-20, 0, 0}, {0, 0, 0});
    const Trajectory late = straight({2, 3, 4}, {1, 0, 0}, {20, 0, 0});
    const auto scene = TrafficScene::build(
        {moving("other", car, obstacle_first ? early : late),
         moving("clock", car, straight({0, 1, 2, 3, 4}, {0, 90, 0}, {20, 90, 0}))});
    TrafficScratch workspace;
    const auto result = check(scene.value(), car, obstacle_first ? late : early, {}, workspace);
    ASSERT_EQ(result.value().verdict, Verdict::collision);
    EXPECT_EQ(result.value().contact->t, 2);
  }
}

TEST(TrafficCheck, OccupanciesAreForbiddenRegions) {
  Obstacle set;
  set.name = "set";
  set.occupancies.push_back({1, 2, Footprint::polygon({{0, 0}, {4, 0}, {4, 4}, {3, 1}}).value()});
  set.occupancies.push_back({3, 4, Footprint::circle(1, {10, 0}).value()});
  const auto scene = TrafficScene::build({set});
  TrafficScratch workspace;
  const Footprint probe = Footprint::circle(0.1).value();
  const auto at = [&](double t0, double t1, double x, double y) {
    return check(scene.value(), probe, straight({t0, t1}, {x, y, 0}, {x, y, 0}), {}, workspace)
        .value()
        .verdict;
  };
  EXPECT_EQ(at(0, 0.9, 3, 0.5), Verdict::free);
  EXPECT_EQ(at(0, 1, 3, 0.5), Verdict::collision);
  EXPECT_EQ(at(0, 9, 3, 0.5), Verdict::collision);
  EXPECT_EQ(at(2.1, 9, 3, 0.5), Verdict::free);
  EXPECT_EQ(at(0, 9, 2, 2), Verdict::free);  // in the notch of the polygon
  EXPECT_EQ(at(2.5, 3, 10, 0), Verdict::collision);
  EXPECT_EQ(at(4, 5, 10, 0), Verdict::collision);
  EXPECT_EQ(at(4.01, 5, 10, 0), Verdict::free);
}

// Bounded acceleration: every motion that keeps the bound through the samples stays within the
// proof; overlap that none of them can avoid is a collision, the rest is undecided.
TEST(TrafficCheck, BoundedAcceleration) {
  const Footprint disc = Footprint::circle(1).value();
  Trajectory m = straight({0, 1, 2}, {0, 0, 0}, {20, 0, 0});
  m.between = Interpolation::bounded_acceleration;
  m.max_acceleration = 4;  // half a metre off at the middle of a step
  TrafficScratch workspace;
  const auto verdict = [&](double x, double y) {
    Obstacle post;
    post.name = "post";
    post.footprint = disc;
    post.pose = {x, y, 0};
    return check(TrafficScene::build({post}).value(), disc, m, {}, workspace).value().verdict;
  };
  EXPECT_EQ(verdict(5, 2.51), Verdict::free);
  EXPECT_EQ(verdict(5, 2.3), Verdict::undecided);
  EXPECT_EQ(verdict(5, 1.4), Verdict::collision);
  EXPECT_EQ(verdict(10, 1.99), Verdict::collision);  // at a sample
}

TEST(TrafficCheck, SameAnswersOnEveryKernelTreeAndThreadCount) {
  Random random(7);
  std::vector<Obstacle> obstacles;
  for (int i = 0; i < 40; ++i)
    obstacles.push_back(moving("o" + std::to_string(i), random_footprint(random),
                               random_motion(random, 30, 40, 0.3)));
  const auto scene = TrafficScene::build(std::move(obstacles)).value();
  CandidateSet set;
  set.footprint = Footprint::box(4, 2, {1, 0}).value();
  for (int i = 0; i < 40; ++i) set.t.push_back(0.11 * i);
  const int n = test::cases(400);
  for (int k = 0; k < n; ++k) {
    Trajectory m = random_motion(random, 40, 40, 0.2);
    set.x.insert(set.x.end(), m.x.begin(), m.x.end());
    set.y.insert(set.y.end(), m.y.begin(), m.y.end());
    set.heading.insert(set.heading.end(), m.heading.begin(), m.heading.end());
  }
  const auto one = check_all(scene, set, {}, 1), two = check_all(scene, set, {}, 2);
  ASSERT_TRUE(one.ok() && two.ok());
  int counts[3] = {};
  for (int k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const TrafficResult& expected = one.value()[i];
    ++counts[static_cast<int>(expected.verdict)];
    EXPECT_EQ(expected.verdict, two.value()[i].verdict);
    Trajectory m;
    m.t = set.t;
    const auto row = static_cast<std::ptrdiff_t>(i * set.t.size());
    const auto end = row + static_cast<std::ptrdiff_t>(set.t.size());
    m.x.assign(set.x.begin() + row, set.x.begin() + end);
    m.y.assign(set.y.begin() + row, set.y.begin() + end);
    m.heading.assign(set.heading.begin() + row, set.heading.begin() + end);
    for (const simd::InstructionSet instructions : test::instruction_sets())
      for (const bool brute : {false, true}) {
        const test::Forced forced(instructions);
        TrafficScratch workspace;
        workspace.state().brute_force = brute;
        const auto got = check(scene, set.footprint, m, {}, workspace);
        ASSERT_TRUE(got.ok());
        EXPECT_EQ(got.value().verdict, expected.verdict);
        if (expected.contact) {
          EXPECT_EQ(got.value().contact->t, expected.contact->t);
        }
        if (expected.contact) {
          EXPECT_EQ(got.value().contact->obstacle, expected.contact->obstacle);
        }
      }
  }
  if (n >= 100) {
    EXPECT_GT(std::min(counts[0], counts[1]), n / 10);
  }
}

// A scene of many must answer as its obstacles one by one: the tree loses nothing.
TEST(TrafficCheck, ManyObstaclesAnswerAsOneByOne) {
  Random random(11);
  int counts[2] = {};
  for (int round = 0; round < test::cases(300); ++round) {
    std::vector<Obstacle> obstacles;
    for (int i = 0; i < 20; ++i)
      obstacles.push_back(moving("o" + std::to_string(i), random_footprint(random),
                                 random_motion(random, 2 + random.index(60), 60, 0.5)));
    const Footprint car = Footprint::box(4, 2, {1, 0}).value();
    const Trajectory m = random_motion(random, 50, 60, 0.3);
    TrafficScratch workspace;
    TrafficOptions options;
    options.time_resolution = 1e-5;
    double earliest = 1e9;
    for (const Obstacle& obstacle : obstacles) {
      const auto alone = check(TrafficScene::build({obstacle}).value(), car, m, options, workspace);
      if (alone.value().contact) earliest = std::min(earliest, alone.value().contact->t);
    }
    const auto all = check(TrafficScene::build(obstacles).value(), car, m, options, workspace);
    ++counts[earliest < 1e9];
    EXPECT_EQ(all.value().verdict == Verdict::collision, earliest < 1e9);
    if (all.value().contact) {
      EXPECT_NEAR(all.value().contact->t, earliest, 3e-5);
    }
  }
  if (test::cases(300) >= 100) {
    EXPECT_GT(std::min(counts[0], counts[1]), 10);
  }
}

TEST(TrafficCheck, RefusesNonsense) {
  const Footprint car = Footprint::box(4, 2).value();
  TrafficScratch workspace;
  const auto scene = TrafficScene::build({}).value();
  Trajectory m = straight({0, 1, 2}, {0, 0, 0}, {1, 0, 0});
  EXPECT_TRUE(check(scene, car, m, {}, workspace).ok());
  const auto refused = [&](auto&& spoil, const char* words) {
    Trajectory bad = m;
    spoil(bad);
    const auto result = check(scene, car, bad, {}, workspace);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().text().find(words), std::string::npos) << result.error().text();
  };
  refused([](Trajectory& t) { t.x[1] = std::nan(""); }, "sample 1: position (nan");
  refused([](Trajectory& t) { t.t[2] = 1; }, "same time");
  refused([](Trajectory& t) { t.t[2] = 0.5; }, "not in order");
  refused([](Trajectory& t) { t.heading[0] = 1e9; }, "heading");
  refused([](Trajectory& t) { t.y.pop_back(); }, "as many of each");
  refused([](Trajectory& t) { t.heading[1] = 4, t.between = Interpolation::arc; }, "at most");
  TrafficOptions options;
  options.resolution = 0;
  EXPECT_FALSE(check(scene, car, m, options, workspace).ok());
  CandidateSet set;
  set.footprint = car;
  set.t = m.t;
  set.x = {0, 1, 2, 0, std::nan(""), 2}, set.y = set.heading = {0, 0, 0, 0, 0, 0};
  const auto batch = verdicts(scene, set, {});
  ASSERT_FALSE(batch.ok());
  EXPECT_NE(batch.error().text().find("candidate 1"), std::string::npos);
}

// A contact that is not found for lack of cells lies within the times that are reported as open.
TEST(TrafficCheck, CellsThatRunOutAreAReasonAndLoseNothing) {
  Random random(8);
  int ran_out = 0, hidden = 0, decided = 0;
  const int n = test::cases(3000);
  for (int k = 0; k < n; ++k) {
    const Case c = random_case(random);
    const auto scene = TrafficScene::build({moving("b", c.b, c.mb)}).value();
    TrafficScratch workspace;
    const TrafficResult full = check(scene, c.a, c.ma, {}, workspace).value();
    for (const int cells : {1, 3, 10}) {
      TrafficOptions options;
      options.max_cells = cells;
      const TrafficResult limited = check(scene, c.a, c.ma, options, workspace).value();
      if (limited.verdict != Verdict::undecided) {
        ++decided;
        EXPECT_EQ(limited.verdict, full.verdict) << k;
        continue;
      }
      if (full.verdict == Verdict::undecided) continue;
      ++ran_out;
      EXPECT_EQ(limited.doubt->reason, UndecidedReason::cells) << k;
      if (!full.contact) continue;
      ++hidden;
      EXPECT_LE(limited.doubt->t_begin, full.contact->t) << k;
      EXPECT_GE(limited.doubt->t_end, full.contact->t_lower) << k;
    }
  }
  if (n >= 1000) {
    EXPECT_GT(std::min({ran_out, hidden, decided}), n / 20);
  }
}

TEST(TrafficCheck, ABudgetThatHasEndedProvesNothing) {
  Random random(9);
  const std::atomic<bool> cancelled = true;
  int stopped = 0;
  for (int k = 0; k < test::cases(1000); ++k) {
    const Case c = random_case(random);
    const auto scene = TrafficScene::build({moving("b", c.b, c.mb)}).value();
    TrafficScratch workspace;
    const TrafficResult full = check(scene, c.a, c.ma, {}, workspace).value();
    for (const Budget& budget : {Budget::of_seconds(INFINITY, &cancelled), Budget::of_seconds(0)}) {
      const TrafficResult got = check(scene, c.a, c.ma, {}, workspace, -1, budget).value();
      if (full.stats.step_pairs == 0) {
        EXPECT_EQ(got.verdict, Verdict::free);  // boxes alone, which cost nothing
        continue;
      }
      ++stopped;
      ASSERT_EQ(got.verdict, Verdict::undecided) << k;
      EXPECT_EQ(got.doubt->reason,
                budget.cancel ? UndecidedReason::cancelled : UndecidedReason::time);
      EXPECT_EQ(got.doubt->obstacle, 0);
      EXPECT_EQ(got.doubt->t_end, c.ma.t.back());
      if (full.contact) {
        EXPECT_LE(got.doubt->t_begin, full.contact->t_lower) << k;
      }
    }
  }
  EXPECT_GT(stopped, test::cases(1000) / 4);
}

// A candidate whose turn comes too late is undecided; those before it keep their verdicts.
TEST(TrafficCheck, CandidatesAreDecidedUntilTheBudgetEnds) {
  const Footprint box = Footprint::box(2, 1).value();
  const auto scene =
      TrafficScene::build({moving("b", box, straight({0, 1}, {0, 5, 0}, {1, 5, 0}))}).value();
  CandidateSet set;
  set.footprint = box;
  set.t = {0, 1};
  constexpr int kCandidates = 300;
  for (int i = 0; i < kCandidates; ++i) {
    set.x.insert(set.x.end(), {0, 1}), set.y.insert(set.y.end(), {0, 0});
    set.heading.insert(set.heading.end(), {0, 0});
  }
  std::atomic<bool> cancel = false;
  std::vector<std::int64_t> reported;
  Budget budget = Budget::of_seconds(INFINITY, &cancel);
  budget.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.total, kCandidates);
    reported.push_back(progress.done);
    if (progress.done > 100) cancel = true;
  };
  const auto all = check_all(scene, set, {}, 1, budget).value();
  EXPECT_EQ(reported.back(), kCandidates);
  const auto decided = static_cast<std::size_t>(*std::find_if(
      reported.begin(), reported.end(), [](std::int64_t done) { return done > 100; }));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].verdict, i < decided ? Verdict::free : Verdict::undecided) << i;
    if (i < decided) continue;
    EXPECT_EQ(all[i].doubt->reason, UndecidedReason::cancelled);
    EXPECT_EQ(all[i].doubt->obstacle, -1);
  }
  budget.progress = {};
  EXPECT_EQ(verdicts(scene, set, {}, 1, budget).value(),
            std::vector<Verdict>(kCandidates, Verdict::undecided));
  TrafficScratch workspace;
  const std::vector<int> order = {0, 1};
  const FirstFree none = first_free(scene, set, order, {}, workspace, budget).value();
  EXPECT_EQ(none.candidate, -1);
  EXPECT_EQ(none.stopped, Stop::cancelled);
  EXPECT_EQ(first_free(scene, set, order, {}, workspace).value().candidate, 0);
}

}  // namespace
}  // namespace proven::spacetime
