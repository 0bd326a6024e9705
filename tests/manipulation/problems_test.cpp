#include "manipulation/problems.h"

#include <gtest/gtest.h>

#include "manipulation/fluents.h"
#include "manipulation/situation.h"
#include "proven/certify/prover.h"
#include "proven/task/pddl.h"
#include "support.h"

namespace proven::manipulation {
namespace {

struct Parsed {
  task::Domain domain;
  task::Problem problem;
  Situation start;
};

Parsed parse(const TaskSet& set, const TaskProblem& problem) {
  Parsed parsed;
  auto domain = task::parse_domain(set.domain, "domain.pddl");
  EXPECT_TRUE(domain.ok()) << domain.error().text();
  parsed.domain = std::move(domain).value();
  auto read = task::parse_problem(problem.text, problem.name, parsed.domain);
  EXPECT_TRUE(read.ok()) << read.error().text();
  parsed.problem = std::move(read).value();
  const FluentReader reader = [&](const std::string& fluent,
                                  const std::string& object) -> std::optional<double> {
    for (const task::InitialValue& value : parsed.problem.initial)
      if (value.kind == task::InitialValue::Kind::number && value.name == fluent &&
          (object.empty() ? value.arguments.empty() : value.arguments[0] == object))
        return value.number;
    return std::nullopt;
  };
  const auto start = read_situation(set.world, reader);
  EXPECT_TRUE(start.ok()) << start.error().text();
  parsed.start = start.value();
  return parsed;
}

std::vector<double> home_of(const Scene& scene) {
  return {scene.home().begin(), scene.home().end()};
}

class TaskSets : public testing::TestWithParam<std::string_view> {};

TEST_P(TaskSets, StartFreeOfContact) {
  const auto set = make_task_set(GetParam());
  ASSERT_TRUE(set.ok());
  const World& world = set.value().world;
  std::vector<Situation> seen;  // most problems of a set begin alike
  for (const TaskProblem& problem : set.value().problems) {
    const Situation start = parse(set.value(), problem).start;
    if (std::find(seen.begin(), seen.end(), start) != seen.end()) continue;
    seen.push_back(start);
    const auto scene = build_scene(scene_with(world, start));
    ASSERT_TRUE(scene.ok()) << scene.error().text();
    Prover prover(CheckModel::build(scene.value()).value());
    EXPECT_TRUE(prover.is_free(home_of(scene.value()))) << problem.name;
    // Objects stand clear of each other and of the furniture: as if each were held where it stands.
    for (const auto& [object, X_WO] : start.poses) {
      const auto held = build_scene(scene_with(world, start, {{0, object}}));
      ASSERT_TRUE(held.ok()) << held.error().text();
      Prover standing(CheckModel::build(held.value()).value());
      EXPECT_TRUE(standing.is_free(home_of(held.value()))) << problem.name << ": " << object;
    }
  }
}

TEST_P(TaskSets, AreTheSameEveryTimeAndComeBackFromFiles) {
  const auto set = make_task_set(GetParam()), again = make_task_set(GetParam());
  ASSERT_TRUE(set.ok() && again.ok());
  ASSERT_EQ(set.value().problems.size(), again.value().problems.size());
  for (std::size_t i = 0; i < set.value().problems.size(); ++i)
    EXPECT_EQ(set.value().problems[i].text, again.value().problems[i].text);
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("proven_set_" + std::string(GetParam()));
  ASSERT_TRUE(save_task_set(set.value(), folder).ok());
  const auto loaded = load_world(folder / "world.json");
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  const Situation start = parse(set.value(), set.value().problems[0]).start;
  EXPECT_EQ(build_scene(scene_with(loaded.value(), start)).value().hash(),
            build_scene(scene_with(set.value().world, start)).value().hash());
  for (std::size_t i = 0; i < loaded.value().places.size(); ++i)
    EXPECT_EQ(loaded.value().places[i].release, set.value().world.places[i].release);
  for (std::size_t i = 0; i < loaded.value().objects.size(); ++i)
    EXPECT_EQ(loaded.value().objects[i].grasps, set.value().world.objects[i].grasps);
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(All, TaskSets, testing::ValuesIn(task_set_names()),
                         [](const auto& instance) {
                           std::string name(instance.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Class I goes to free places; in II and III something stands there, in III more than once.
TEST(Tables, ClassesAreWhatTheySay) {
  const auto set = make_task_set("tables");
  ASSERT_TRUE(set.ok());
  std::map<std::string, int> classes;
  for (const TaskProblem& problem : set.value().problems) {
    const Parsed parsed = parse(set.value(), problem);
    std::map<std::string, std::string> at;  // place -> object
    for (const task::InitialValue& value : parsed.problem.initial)
      if (value.name == "on") at[value.arguments[1]] = value.arguments[0];
    int taken = 0;
    for (const task::Formula& part : parsed.problem.goal.parts)
      taken += at.contains(part.arguments[1].name);
    const std::string kind = problem.name.substr(0, problem.name.find('-'));
    ++classes[kind];
    const int least = kind == "I" ? 0 : kind == "II" ? 1 : 2;
    EXPECT_GE(taken, least) << problem.name;
    EXPECT_TRUE(kind != "I" || taken == 0) << problem.name;
  }
  EXPECT_EQ(classes["I"], 13);
  EXPECT_EQ(classes["II"], 4);
  EXPECT_EQ(classes["III"], 3);
}

TEST(Dexterity, HasElevenProblemsWithAndWithoutBoard) {
  const auto without = make_task_set("dexterity"), with = make_task_set("dexterity-board");
  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_EQ(without.value().problems.size(), 11u);
  EXPECT_EQ(with.value().problems.size(), 11u);
  EXPECT_EQ(with.value().world.scene.obstacles.size(),
            without.value().world.scene.obstacles.size() + 1);
  EXPECT_FALSE(make_task_set("nothing").ok());
}

}  // namespace
}  // namespace proven::manipulation
