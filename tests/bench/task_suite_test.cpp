// The short form of the suite of random temporal tasks, and proof that it notices wrong answers.
#include "bench/task/task_suite.h"

#include "support.h"

namespace proven::bench {
namespace {

TEST(TaskSuite, NoFalseAnswer) {
  TaskTally all;
  const int count = test::cases(300);
  for (int i = 0; i < count; ++i) {
    Random random(977 + static_cast<std::uint64_t>(i));
    all.add(judge_task(random_task(random)));
  }
  for (const std::string& complaint : all.complaints) ADD_FAILURE() << complaint;
  EXPECT_EQ(all.false_unsolvable, 0);
  EXPECT_EQ(all.invalid, 0);
  if (count < 300) return;
  EXPECT_GT(all.exist, 60);
  EXPECT_GT(all.none, 60);
  EXPECT_GT(all.solved, 60);
  EXPECT_GT(all.unsolvable, 60);
}

SmallTask envelope(int inner_least, int envelope_longest) {
  SmallTask task;
  task.facts = 2;
  task.actions.resize(2);
  task.actions[0].start.add = task.actions[0].end.remove = 1;
  task.actions[0].least = task.actions[0].longest = envelope_longest;
  task.actions[1].throughout.yes = 1;
  task.actions[1].end.add = 2;
  task.actions[1].least = task.actions[1].longest = inner_least;
  task.goal.yes = 2;
  return task;
}

TEST(Exhaustive, OverAllConditionsAreOpenIntervals) {
  const Exhaustive equal = search_all(envelope(3, 3), 3, 100'000);
  ASSERT_TRUE(equal.plan);
  EXPECT_EQ(equal.plan->size(), 2u);
  EXPECT_EQ(refute(envelope(3, 3), *equal.plan, 0.001), "");
  EXPECT_TRUE(search_all(envelope(2, 3), 3, 100'000).plan);
  const Exhaustive longer = search_all(envelope(4, 3), 3, 100'000);
  EXPECT_FALSE(longer.plan);
  EXPECT_TRUE(longer.complete);
}

TEST(Exhaustive, NoticesWrongPlans) {
  const SmallTask task = envelope(2, 3);
  EXPECT_EQ(refute(task, {{0, 0, 3}, {1, 0.5, 2}}, 0.001), "");
  EXPECT_NE(refute(task, {{0, 0, 3}, {1, 1.5, 2}}, 0.001), "");  // outlasts the envelope
  EXPECT_NE(refute(task, {{0, 0, 3}, {1, 0.5, 2.5}}, 0.001), "");
  EXPECT_NE(refute(task, {{0, 0, 3}}, 0.001), "");
  SmallTask reader = task;
  reader.actions[1].start.condition.yes = 1;  // read when it starts: after the envelope's start
  EXPECT_NE(refute(reader, {{0, 0, 3}, {1, 0, 2}}, 0.001), "");
  EXPECT_NE(refute(reader, {{0, 0, 3}, {1, 0.0005, 2}}, 0.001), "");
  EXPECT_EQ(refute(reader, {{0, 0, 3}, {1, 0.001, 2}}, 0.001), "");
}

}  // namespace
}  // namespace proven::bench
