#include "proven/plan/pose_goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plan/final_proof.h"
#include "proven/plan/joint_space.h"

namespace proven {
namespace {

using Configurations = std::vector<std::vector<double>>;

// Solutions nearer to each other than this, in joint space, are one.
constexpr double kSame = 1e-2;

InverseOptions inverse_options(const Query& query, const PoseGoal& goal,
                               const PoseGoalOptions& options) {
  InverseOptions inverse;
  inverse.coordinates = query.planned;
  // A little less than is allowed, for the rounding of whole turns.
  constexpr double kShare = 0.999;
  inverse.position_tolerance = kShare * goal.position_tolerance;
  inverse.angle_tolerance = kShare * goal.angle_tolerance;
  inverse.seed = options.seed;
  return inverse;
}

Result<void> validate_pose(const Scene& scene, const Query& query, const PoseGoal& goal,
                           const PoseGoalOptions& options) {
  if (goal.target.link <= 0 || goal.target.link >= scene.tree().num_links())
    return bad_input(fmt::format("there is no link {} to bring to a pose", goal.target.link));
  if (!(goal.position_tolerance > 0) || !(goal.angle_tolerance > 0))
    return bad_input("tolerances of a pose must be above 0");
  if (auto valid = validate(scene.tree(), options.constraints); !valid.ok()) return valid;
  if (options.descents < 1 || options.goals < 1)
    return bad_input("inverse kinematics needs at least one descent, and one goal to look for");
  return validate_query(scene, query);
}

// Whole turns towards the start, as far as limits allow.
void turn_back(const Scene& scene, const Query& query, std::span<const int> moving,
               std::vector<double>& q) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const std::vector<Interval> limits =
      query.limits.empty() ? joint_limits(scene.tree()) : query.limits;
  for (const int coordinate : moving) {
    const auto c = static_cast<std::size_t>(coordinate);
    if (!scene.tree().coordinates()[c].rotary) continue;
    double turns = std::round((query.start[c] - q[c]) / kTurn);
    const auto beyond = [&] {
      const double value = q[c] + turns * kTurn;
      return value < limits[c].lower || value > limits[c].upper;
    };
    while (turns != 0 && beyond()) turns -= std::copysign(1.0, turns);
    q[c] += turns * kTurn;
  }
}

bool within(const ToolDeviation& far, const PoseGoal& goal) {
  return far.position <= goal.position_tolerance && far.angle <= goal.angle_tolerance;
}

// Different configurations that bring the tool there, the nearest to the start first.
Configurations find_reaching(const Scene& scene, const Query& query, const PoseGoal& goal,
                             const JointSpace& space, InverseSolver& solver, int descents,
                             const Budget& budget) {
  Configurations found;
  const auto point = [&](const std::vector<double>& q) {
    JointSpace::Point p(static_cast<std::size_t>(space.dimension()));
    space.restrict(q, p);
    return p;
  };
  for (int i = 0; i < descents && !budget.stopped(); ++i) {
    auto q = solver.descend(i == 0 ? query.start : solver.random_guess(query.start));
    if (!q) continue;
    turn_back(scene, query, solver.coordinates(), *q);
    if (!within(distance_to_pose(scene.tree(), goal, *q), goal)) continue;
    const bool known = std::ranges::any_of(found, [&](const std::vector<double>& other) {
      return space.distance(point(other), point(*q)) < kSame;
    });
    if (!known) found.push_back(std::move(*q));
  }
  const JointSpace::Point start = point(query.start);
  std::ranges::stable_sort(
      found, {}, [&](const std::vector<double>& q) { return space.distance(start, point(q)); });
  return found;
}

// The nearest that are proved free.
Result<Configurations> keep_free(const Scene& scene, const Configurations& all,
                                 const JointSpace& space, const PoseGoalOptions& options,
                                 const Budget& budget, PoseGoalResult& result) {
  auto model = CheckModel::build(scene, for_planning(options.check), space.full_ranges());
  if (!model.ok()) return model.error();
  for (const std::vector<double>& q : all) model = model.value().covering(q, q);
  Prover prover(model.value(), options.constraints);
  Configurations free;
  for (const std::vector<double>& q : all)
    if (static_cast<int>(free.size()) < options.goals && prover.is_free(q, budget))
      free.push_back(q);
  if (!free.empty() || all.empty()) return free;
  result.reason =
      fmt::format("none of the {} configurations found for the pose is proved free{}", all.size(),
                  options.constraints.empty() ? "" : " and to keep the constraints");
  if (const auto blocker = prover.most_frequent_blocker())
    result.reason = fmt::format(
        "all {} configurations found for the pose collide or are too close, most often {} and {} "
        "({} of {} contacts); there may be others: try another seed",
        all.size(), scene.body(blocker->bodies[0]).name, scene.body(blocker->bodies[1]).name,
        blocker->times, blocker->of);
  return free;
}

// Limits of the query that are wider than those of the joints leave the proof nothing to stand on.
bool proved_unreachable(const Scene& scene, const Query& query, const PoseGoal& goal) {
  constexpr double kSlack =
      1e-5;  // what values may be beyond limits, and what that makes of a tool
  const std::vector<Interval> limits = joint_limits(scene.tree());
  for (std::size_t c = 0; c < query.limits.size(); ++c)
    if (query.limits[c].lower < limits[c].lower || query.limits[c].upper > limits[c].upper)
      return false;
  return beyond_reach(scene.tree(), goal.target, query.start, query.planned,
                      goal.position_tolerance + kSlack);
}

std::string explain_unreached(const Scene& scene, const PoseGoal& goal, bool unreachable,
                              int descents) {
  const std::string& link = scene.tree().link(goal.target.link).name;
  if (unreachable)
    return fmt::format(
        "no configuration reaches the pose: it is farther away than the arm of '{}' "
        "is long",
        link);
  return fmt::format(
      "no configuration was found that brings '{}' to the pose in {} descents; there may be one: "
      "try another seed, free axes or a larger tolerance",
      link, descents);
}

}  // namespace

ToolDeviation distance_to_pose(const KinematicTree& tree, const PoseGoal& goal,
                               std::span<const double> q) {
  const Pose X_WT = tool_pose(tree, {goal.target.link, goal.target.X_LT}, q);
  return {norm(goal.target.X_WT.p - X_WT.p), norm(missing_turn(X_WT.R, goal.target))};
}

Result<PoseGoalResult> reach_pose(const Scene& scene, const Query& asked, const PoseGoal& goal,
                                  const PoseGoalOptions& options, const Budget& budget) {
  Query query = asked;
  query.goal = query.start;
  if (auto valid = validate_pose(scene, query, goal, options); !valid.ok()) return valid.error();
  if (auto still = scene.require_no_clock(); !still.ok()) return still.error();
  InverseSolver solver(scene.tree(), goal.target, inverse_options(query, goal, options));
  if (solver.coordinates().empty()) return bad_input("no planned joint moves the tool", "goal");
  if (query.planned.empty())
    query.planned.assign(solver.coordinates().begin(), solver.coordinates().end());
  const JointSpace space(scene, query);
  PoseGoalResult result;
  result.planned = query.planned;
  result.unreachable = proved_unreachable(scene, query, goal);
  Configurations all;
  if (!result.unreachable)
    all = find_reaching(scene, query, goal, space, solver, options.descents, budget);
  result.reached = static_cast<int>(all.size());
  if (all.empty())
    result.reason = explain_unreached(scene, goal, result.unreachable, options.descents);
  auto free = keep_free(scene, all, space, options, budget, result);
  if (!free.ok()) return free.error();
  result.goals = std::move(free).value();
  return result;
}

Result<GoalsResult> reach_goals(const Scene& scene, const Query& query,
                                std::span<const PlanGoal> goals, const PoseGoalOptions& options,
                                const Budget& budget) {
  if (goals.empty()) return bad_input("there is no goal", "goal");
  GoalsResult result;
  result.planned = query.planned;
  result.poses.resize(goals.size());
  result.unreachable = true;
  bool all_poses = true;
  for (std::size_t i = 0; i < goals.size(); ++i) {
    if (const auto* q = std::get_if<std::vector<double>>(&goals[i])) {
      all_poses = result.unreachable = false;
      result.configurations.push_back(*q);
      result.goal_of.push_back(static_cast<int>(i));
      continue;
    }
    auto reached = reach_pose(scene, query, std::get<PoseGoal>(goals[i]), options, budget);
    if (!reached.ok()) return reached.error();
    for (const std::vector<double>& q : reached.value().goals) {
      result.configurations.push_back(q);
      result.goal_of.push_back(static_cast<int>(i));
    }
    if (query.planned.empty())
      for (const int c : reached.value().planned)
        if (std::ranges::find(result.planned, c) == result.planned.end())
          result.planned.push_back(c);
    if (result.reason.empty() || (result.unreachable && !reached.value().unreachable))
      result.reason = reached.value().reason;  // why there may still be one
    result.unreachable &= reached.value().unreachable;
    result.poses[i] = std::move(reached).value();
  }
  // Which joints a configuration moves, it does not say.
  if (query.planned.empty() && !all_poses) result.planned.clear();
  if (!result.configurations.empty()) result.reason.clear();
  return result;
}

int goal_reached(const KinematicTree& tree, const GoalsResult& goals, std::span<const double> end) {
  constexpr double kTurn = 2 * std::numbers::pi, kRounding = 1e-9;
  for (std::size_t i = 0; i < goals.configurations.size(); ++i) {
    const std::vector<double>& q = goals.configurations[i];
    bool same = q.size() == end.size();
    for (std::size_t c = 0; same && c < q.size(); ++c) {
      const double apart = end[c] - q[c];
      same = tree.coordinates()[c].continuous ? std::fabs(std::remainder(apart, kTurn)) <= kRounding
                                              : apart == 0;
    }
    if (same) return goals.goal_of[i];
  }
  return -1;
}

}  // namespace proven
