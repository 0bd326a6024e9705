// Queries as `proven plan` takes them: several goals, poses among them, configurations by their
// names, constraints along the path.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "proven/io/path_file.h"
#include "proven/plan/pose_goal.h"

namespace proven {

struct PoseQuery {
  Query query;                  // its goal is the first configuration of the goals, if any is one
  std::vector<PlanGoal> goals;  // one at least; any of them will do
  std::vector<FrameConstraint> constraints = {};  // along the path
};

// What load_query reads, or with "goal": {"link": ..., "xyz": [...], "rpy": [...]}, or with
// "goals", a list of both, and "constraints".
Result<PoseQuery> load_pose_query(const std::filesystem::path& file, const Scene& scene,
                                  const PathOptions& options = {});
// The same of a text of JSON; `name` stands for it in messages.
Result<PoseQuery> parse_pose_query(const std::string& name, std::string_view text,
                                   const Scene& scene, const PathOptions& options = {});
// A *.jsonl file: one query per line that is not blank; a bad line is an Error in its place.
Result<std::vector<Result<PoseQuery>>> load_pose_queries(const std::filesystem::path& file,
                                                         const Scene& scene,
                                                         const PathOptions& options = {});

// {"proven": 1, "constraints": [...]}, or those of a query.
Result<std::vector<FrameConstraint>> load_constraints(const std::filesystem::path& file,
                                                      const Scene& scene);

// The joints of a group of an SRDF: "robot/group", or "group" (the first that has the name). Fails
// on other names and lists what there is.
Result<std::vector<std::string>> group_joints(const Scene& scene, const std::string& name);

// Sets the joints of a named configuration (SRDF group state): "name", "group/name", "robot/name"
// or "robot/group/name"; "home", where no state has that name, is the scene's own. Returns the
// coordinates that it sets. Fails on other names and lists what there is.
Result<std::vector<int>> set_named(const Scene& scene, const std::string& name,
                                   std::vector<double>& configuration);

// Values of joints, which are named as in path files.
struct JointValues {
  std::vector<std::string> names;
  std::vector<double> values;
};
// Sets them; limits are not looked at. Returns the coordinates. Fails as readers of paths do.
Result<std::vector<int>> set_values(const Scene& scene, const JointValues& values,
                                    std::vector<double>& configuration);

}  // namespace proven
