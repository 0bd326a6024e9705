// Start and goal: within limits and free, or a reason that names the joint or the pair.
#include <fmt/format.h>

#include "proven/plan/joint_space.h"

namespace proven {
namespace {

std::optional<std::string> beyond_limits(const Scene& scene, const Query& query,
                                         const std::vector<double>& q) {
  const std::vector<Interval> limits =
      query.limits.empty() ? joint_limits(scene.tree()) : query.limits;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (q[i] >= limits[i].lower - kLimitTolerance && q[i] <= limits[i].upper + kLimitTolerance)
      continue;
    return fmt::format("'{}' = {} is beyond its limits [{}, {}]",
                       scene.tree().coordinates()[i].name, q[i], limits[i].lower, limits[i].upper);
  }
  return std::nullopt;
}

std::optional<BadEnd> find_bad_end(const Query& query, Prover& prover, const Budget& budget,
                                   bool is_start) {
  const Scene& scene = prover.scene();
  const char* which = is_start ? "start" : "goal";
  const std::vector<double>& q = is_start ? query.start : query.goal;
  if (const auto reason = beyond_limits(scene, query, q))
    return BadEnd{is_start, fmt::format("the {} is out of limits: {}", which, *reason), {}};
  if (ConstraintProver* constraints = prover.constraints()) {
    ConstraintResult broken = constraints->check(q);
    if (broken.verdict != ConstraintVerdict::kept) {
      broken.segment = is_start ? 0 : 1;
      return BadEnd{is_start,
                    fmt::format("at the {} {}", which,
                                describe(scene.tree(), constraints->constraints(), broken, false)),
                    {},
                    std::move(broken)};
    }
  }
  if (prover.seems_free(q, budget)) return std::nullopt;
  const CheckResult check = prover.check(q, budget);
  if (check.verdict == Verdict::free) return std::nullopt;
  Witness witness;
  if (check.collision) {
    witness = *check.collision;
  } else {
    witness.kind = ContactKind::too_close;
    witness.configuration = check.undecided->configuration;
    witness.bodies = check.undecided->bodies;
    witness.points = check.undecided->points;
    witness.distance = check.undecided->distance;
  }
  witness.segment = is_start ? 0 : 1;
  if (witness.bodies[0] < 0)
    return BadEnd{is_start, fmt::format("the {} was not proved free in time", which), {}};
  return BadEnd{
      is_start,
      fmt::format("the {} {}: {} and {} ({}, distance {:.3g} m)", which,
                  check.collision ? "is in collision" : "is too close to contact to be proved free",
                  scene.body(witness.bodies[0]).name, scene.body(witness.bodies[1]).name,
                  describe(witness.kind), witness.distance),
      witness};
}

}  // namespace

std::optional<BadEnd> find_bad_end(const Query& query, Prover& prover, const Budget& budget) {
  if (auto start = find_bad_end(query, prover, budget, true)) return start;
  return find_bad_end(query, prover, budget, false);
}

}  // namespace proven
