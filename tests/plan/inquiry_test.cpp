// Inquiries that are asked together hear what each would hear alone.
#include "plan/inquiry.h"

#include <set>

#include "plan/plan_support.h"
#include "plan/rrt_connect.h"
#include "plan/smoother.h"

namespace proven {
namespace {

// Asks about random motions, and keeps what it hears.
class Asker : public Inquiry {
 public:
  Asker(const Scene& scene, const Query& query, std::uint64_t seed, int count)
      : space_(scene, query), random_(seed), question_(space_), left_(count) {}

  const MotionQuestion* next() override {
    if (waiting_) return &question_;
    if (left_-- == 0) return nullptr;
    JointSpace::Point from(static_cast<std::size_t>(space_.dimension())), to(from);
    space_.sample(random_, from);
    space_.sample(random_, to);
    question_.set(space_, from, to, false, random_.uniform() < 0.5);
    asked.push_back({question_.from, question_.to});
    waiting_ = true;
    return &question_;
  }
  void take(bool proved) override {
    waiting_ = false;
    heard.push_back(proved);
  }

  std::vector<std::array<std::vector<double>, 2>> asked;
  std::vector<bool> heard;

 private:
  JointSpace space_;
  Random random_;
  MotionQuestion question_;
  int left_;
  bool waiting_ = false;
};

TEST(Together, EachHearsWhatItWouldHearAlone) {
  const test::PlanCase c = test::post_case();
  const CheckModel model = CheckModel::build(c.scene, proving_check()).value();
  for (const BatchDevice device : {BatchDevice::threads, BatchDevice::emulated})
    for (const int threads : {1, 3}) {
      std::vector<Asker> askers;
      std::vector<Inquiry*> all;
      for (int i = 0; i < 40; ++i)
        askers.emplace_back(c.scene, c.problem, static_cast<std::uint64_t>(i), i % 7);
      for (Asker& asker : askers) all.push_back(&asker);
      std::int64_t done = 0;
      Budget budget;
      budget.progress = [&](const Progress& progress) {
        EXPECT_EQ(progress.stage, "askers");
        EXPECT_EQ(progress.total, 40);
        EXPECT_GE(progress.done, std::exchange(done, progress.done));
      };
      Together many({.device = device, .threads = threads, .least = 5}, "askers", budget);
      const auto checker = many.checker(model).value();
      ASSERT_EQ(checker.device(), device);
      ASSERT_TRUE(many.ask(all, checker).ok());
      Prover prover(model);
      int free = 0, blocked = 0;
      for (int i = 0; i < 40; ++i) {
        const Asker& asker = askers[static_cast<std::size_t>(i)];
        ASSERT_EQ(asker.heard.size(), static_cast<std::size_t>(i % 7));
        for (std::size_t k = 0; k < asker.heard.size(); ++k) {
          const bool proved = prover.is_free(SegmentQuery{asker.asked[k][0], asker.asked[k][1]});
          EXPECT_EQ(asker.heard[k], proved);
          ++(proved ? free : blocked);
        }
      }
      EXPECT_GT(free, 10);
      EXPECT_GT(blocked, 10);
    }
}

// What nobody could decide is not proved.
TEST(Together, UndecidedIsNotProved) {
  const test::PlanCase c = test::built_in_case("cage-a");
  CheckOptions check = proving_check();
  check.resolution = 0.5;
  check.max_cells = 1;
  const CheckModel model = CheckModel::build(c.scene, check).value();
  for (const BatchDevice device : {BatchDevice::threads, BatchDevice::emulated}) {
    std::vector<Asker> askers;
    std::vector<Inquiry*> all;
    for (int i = 0; i < 40; ++i)
      askers.emplace_back(c.scene, c.problem, static_cast<std::uint64_t>(i), 6);
    for (Asker& asker : askers) all.push_back(&asker);
    const Budget budget;
    Together many({.device = device, .threads = 2, .least = 0}, "askers", budget);
    const auto checker = many.checker(model).value();
    ASSERT_TRUE(many.ask(all, checker).ok());
    int undecided = 0;
    for (const Asker& asker : askers)
      for (std::size_t k = 0; k < asker.heard.size(); ++k) {
        const auto alone = checker.check({asker.asked[k][0], asker.asked[k][1], false});
        undecided += alone.value().verdicts[0] == BatchVerdict::undecided;
        EXPECT_EQ(asker.heard[k], alone.value().verdicts[0] == BatchVerdict::clear);
      }
    EXPECT_GT(undecided, 0) << to_string(device);
  }
}

// Answers by chance, and remembers what it called free: an inquiry must not rely on anything else.
class Oracle {
 public:
  using Configuration = std::vector<double>;

  explicit Oracle(std::uint64_t seed) : random_(seed) {}
  void know(const Configuration& q) { free_.insert(q); }
  void know(const Configuration& from, const Configuration& to) {
    know(from);
    know(to);
    proved_.insert({from, to});
  }
  bool knows(const Configuration& from, const Configuration& to) const {
    return proved_.contains({from, to}) || proved_.contains({to, from});
  }
  void run(Inquiry& inquiry, double yes) {
    while (const MotionQuestion* asked = inquiry.next()) {
      EXPECT_EQ(inquiry.next(), asked);  // until it is answered
      if (asked->from_is_free) {
        EXPECT_TRUE(free_.contains(asked->from));
      }
      const bool proved = knows(asked->from, asked->to) || random_.uniform() < yes;
      if (proved)
        know(asked->from, asked->to);
      else
        refused_.insert({asked->from, asked->to});
      inquiry.take(proved);
      ++asked_;
    }
  }
  bool refused(const Configuration& from, const Configuration& to) const {
    return refused_.contains({from, to});
  }
  int asked() const { return asked_; }

 private:
  Random random_;
  std::set<Configuration> free_;
  std::set<std::array<Configuration, 2>> proved_, refused_;
  int asked_ = 0;
};

TEST(Inquiry, EverySegmentOfASmoothedPathWasProved) {
  const test::PlanCase c = test::post_case();
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    std::vector<std::vector<double>> waypoints(static_cast<std::size_t>(3 + random.index(20)));
    for (auto& q : waypoints) q = {random.uniform(-3, 3), random.uniform(-3, 3)};
    Oracle oracle(seed);
    for (std::size_t i = 1; i < waypoints.size(); ++i) oracle.know(waypoints[i - 1], waypoints[i]);
    const JointSpace space(c.scene, {waypoints.front(), waypoints.back(), {}, {}});
    ShortcutPath path(space, waypoints);
    const double before = path.length();
    SmoothOptions options;
    options.seed = seed;
    options.smoother = seed % 2 == 0 ? Smoother::window : Smoother::midpoint;
    const Budget budget;
    Shortcuts shortcuts(options, space, budget, path);
    oracle.run(shortcuts, 0.5);
    EXPECT_GT(oracle.asked(), 10);
    EXPECT_GT(path.taken(), 0);
    Drops drops(space, budget, path);
    oracle.run(drops, 0.2);
    EXPECT_LT(path.length(), before);
    const auto smoothed = path.waypoints();
    EXPECT_EQ(smoothed.front(), waypoints.front());
    EXPECT_EQ(smoothed.back(), waypoints.back());
    for (std::size_t i = 1; i < smoothed.size(); ++i)
      EXPECT_TRUE(oracle.knows(smoothed[i - 1], smoothed[i])) << seed << ", " << i;
    // None is left that might be dropped.
    for (std::size_t i = 2; i < smoothed.size(); ++i)
      EXPECT_TRUE(oracle.refused(smoothed[i - 2], smoothed[i])) << seed << ", " << i;
  }
}

TEST(Inquiry, EveryEdgeOfAPlannedPathWasProved) {
  const test::PlanCase c = test::post_case();
  int solved = 0, gave_up = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const JointSpace space(c.scene, c.problem);
    const Budget budget;
    IterationCount iterations(20, budget);
    const std::vector<Point> goals = {{2.5, 2.5}, {-2.5, 2.5}};
    const Point start = {-2.8, -2.8};
    RrtConnect planner(
        {space, start, goals, seed, std::numeric_limits<double>::infinity(), iterations});
    Oracle oracle(seed);
    oracle.know(start);
    oracle.know(goals[0]);  // the other is not known to be free
    oracle.run(planner, 0.3);
    EXPECT_EQ(planner.asked(), oracle.asked());
    const Solution solution = planner.solution();
    ++(solution ? solved : gave_up);
    if (!solution) {
      EXPECT_TRUE(iterations.exhausted());
      continue;
    }
    EXPECT_EQ(solution->front(), start);
    EXPECT_TRUE(solution->back() == goals[0] || solution->back() == goals[1]);
    for (std::size_t i = 1; i < solution->size(); ++i)
      EXPECT_TRUE(oracle.knows((*solution)[i - 1], (*solution)[i])) << seed << ", " << i;
  }
  EXPECT_GT(solved, 10);
  EXPECT_GT(gave_up, 2);
}

TEST(Together, WorksOnEveryItemOnce) {
  std::vector<std::atomic<int>> times(1000);
  Together({.threads = 3}, "items", {}).each(times.size(), [&](std::size_t i) { ++times[i]; });
  for (const auto& time : times) EXPECT_EQ(time, 1);
}

}  // namespace
}  // namespace proven
