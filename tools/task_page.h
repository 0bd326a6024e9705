// A whole plan as one page of the viewer: the arm goes from motion to motion and the objects with
// it.
#pragma once

#include <filesystem>
#include <vector>

#include "manipulation/steps.h"

namespace proven::tools {

// One motion per step and one of the whole plan. The page claims no verdict: its scene, in which
// objects float, is only drawn; what is proved is in the steps' own files.
Result<void> write_task_page(const std::filesystem::path& file, const std::string& title,
                             const manipulation::World& world,
                             const std::vector<manipulation::PlanStep>& steps,
                             const std::vector<manipulation::StepFiles>& files);

}  // namespace proven::tools
