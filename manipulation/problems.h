// The experiments of paper 003, made by us after its description: tables (three tables, boxes and
// bottles) and dexterity (cubes with holes, blocks, with and without a board). Each is a world, one
// PDDL domain and several PDDL problems; the same on every machine.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manipulation/world.h"

namespace proven::manipulation {

struct TaskProblem {
  std::string name;  // "I-03", "05"
  std::string text;  // PDDL
  // Of the paper: mean and deviation, in seconds.
  double paper_seconds = 0, paper_deviation = 0;
};

struct TaskSet {
  std::string name, caption;
  World world;
  std::string domain;  // PDDL
  std::vector<TaskProblem> problems;
};

// "tables", "dexterity", "dexterity-board", "tower", "packing", "drawer", "sorting",
// "handover".
std::span<const std::string_view> task_set_names();
Result<TaskSet> make_task_set(std::string_view name);

// folder/domain.pddl, folder/NAME.pddl of every problem, folder/world.json and its scene.
Result<void> save_task_set(const TaskSet& set, const std::filesystem::path& folder);

}  // namespace proven::manipulation
