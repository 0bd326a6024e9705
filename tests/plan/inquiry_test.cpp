// Inquiries that are asked together hear what each would hear alone.
#include "plan/inquiry.h"

#include "plan/plan_support.h"

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

TEST(Together, WorksOnEveryItemOnce) {
  std::vector<std::atomic<int>> times(1000);
  Together({.threads = 3}, "items", {}).each(times.size(), [&](std::size_t i) { ++times[i]; });
  for (const auto& time : times) EXPECT_EQ(time, 1);
}

}  // namespace
}  // namespace proven
