#include "bench/plan/problems.h"

#include <algorithm>

#include "scenes/scenes.h"

namespace proven::bench {

Result<PlanProblem> built_in_problem(const std::string& name, const Scene& scene) {
  const SceneInfo* info = find_scene(name);
  if (!info || info->query.joints.empty())
    return bad_input("the scene comes without a query", name);
  PlanProblem problem;
  problem.start = problem.goal = {scene.home().begin(), scene.home().end()};
  for (std::size_t k = 0; k < info->query.joints.size(); ++k) {
    const int c = scene.tree().find_coordinate(info->query.joints[k]);
    problem.planned.push_back(c);
    problem.start[static_cast<std::size_t>(c)] = info->query.start[k];
    problem.goal[static_cast<std::size_t>(c)] = info->query.goal[k];
  }
  return problem;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace proven::bench
