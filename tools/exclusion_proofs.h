// proven doctor --write-srdf: which pairs of a robot's links need no test, with the reason.
#pragma once

#include <filesystem>

#include "tools/command.h"
#include "tools/scene_argument.h"

namespace proven::tools {

struct ExclusionOptions {
  std::string file;                    // the SRDF to write
  std::int64_t max_boxes = 1'000'000;  // per pair
  std::int64_t samples = 1'000;
};

// The budget unless another is given: what is not settled by then stays tested.
inline constexpr double kExclusionSeconds = 60;

int write_exclusions(const SceneArgument& argument, const ExclusionOptions& options,
                     const CommonOptions& common);

}  // namespace proven::tools
