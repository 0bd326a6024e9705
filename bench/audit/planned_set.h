// Data sets of paths in the scenes of problems: how they are laid out, and how large ones are made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "proven/io/problem_set.h"

namespace proven::bench {

// A group of a manifest.
struct WrittenGroup {
  std::string name, paths;  // "set/0012", and the file of its paths in that folder
};

// Every n-th of the problems of a set, or of all, so that each set is seen.
Result<std::vector<int>> choose_problems(const ProblemSet& set, const std::string& wanted_set,
                                         std::int64_t count);

// The robot is written once, into folder/robot; scenes refer to it.
Result<void> write_robot(const ProblemSet& set, const std::filesystem::path& folder);
// Writes folder/name/scene.json and returns the name of the group.
Result<std::string> write_problem(const ProblemSet& set, int problem,
                                  const std::filesystem::path& folder);
// `scene.json` stands in each group's folder; a group without a name is left out.
Result<void> write_manifest(const std::vector<WrittenGroup>& groups,
                            const std::filesystem::path& file);

// Paths of the vectorised sampling planner on a robot of spheres, simplified: from near the start
// of each problem to near its goal, `count` in all, as an array for each problem. `spheres` are the
// same problems with that robot. The same seed gives the same files on any number of threads.
Result<void> make_planned_set(const ProblemSet& set, const ProblemSet& spheres,
                              const std::vector<int>& problems, std::int64_t count,
                              const std::filesystem::path& folder, const Options& options);

}  // namespace proven::bench
