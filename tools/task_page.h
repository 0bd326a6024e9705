// A task as one page of the viewer: the plan as a chart, what modules answered, what search found;
// beside it the motions, in which the arm goes from step to step and the objects with it.
#pragma once

#include <filesystem>
#include <vector>

#include "manipulation/steps.h"
#include "tools/task_document.h"

namespace proven::tools {

// The geometric half of a task. Without a plan there are no steps.
struct ShownSteps {
  const manipulation::World& world;
  manipulation::Situation first;
  const std::vector<manipulation::PlanStep>& steps;
  const manipulation::PlanFiles& files;  // one for each step, and what overlaps
};

// One motion per step with its proof, and one of the whole plan. The page's own scene, in which
// objects float, is only drawn: what is proved of a step was proved in the step's scene.
Result<void> write_task_page(const std::filesystem::path& file, const ShownTask& task,
                             const ShownSteps* geometry);

}  // namespace proven::tools
