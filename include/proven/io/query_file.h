// Queries as `proven plan` takes them: goals that are poses, and configurations by their names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "proven/io/path_file.h"
#include "proven/plan/pose_goal.h"

namespace proven {

struct PoseQuery {
  Query query;  // without a goal if that is a pose
  std::optional<PoseGoal> pose;
};

// What load_query reads, or with "goal": {"link": ..., "xyz": [...], "rpy": [...]}.
Result<PoseQuery> load_pose_query(const std::filesystem::path& file, const Scene& scene,
                                  const PathOptions& options = {});

// Sets the joints of a named configuration (SRDF group state): "name", "group/name", "robot/name"
// or "robot/group/name"; "home", where no state has that name, is the scene's own. Returns the
// coordinates that it sets. Fails on other names and lists what there is.
Result<std::vector<int>> set_named(const Scene& scene, const std::string& name,
                                   std::vector<double>& configuration);

}  // namespace proven
