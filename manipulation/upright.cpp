#include "manipulation/upright.h"

#include "proven/plan/constrained.h"

namespace proven::manipulation {

std::optional<UprightProblem> upright_problem(const World& world, const MotionRequest& request,
                                              const Scene& scene) {
  const Object* object = world.find_object(request.object);
  if (request.kind != MotionRequest::Kind::transfer || !object || !object->upright)
    return std::nullopt;
  const Body& body = scene.body(scene.find_body(request.object));
  UprightProblem problem;
  problem.frame = {body.link, body.X_LB};
  problem.cone = *object->upright;
  return problem;
}

Path plan_upright(const UprightProblem& problem, const std::vector<double>& start,
                  const std::vector<double>& goal, std::int64_t iterations, std::uint64_t seed,
                  Prover& prover, const Budget& budget) {
  Query query;
  query.start = start;
  query.goal = goal;
  query.planned.assign(problem.joints.begin(), problem.joints.end());
  Prover upright(prover.model(), {upright_within(problem.frame, problem.cone)});
  Path path = plan_constrained(query, iterations, seed, upright, budget);
  prover.counts() += upright.counts();
  return path;
}

}  // namespace proven::manipulation
