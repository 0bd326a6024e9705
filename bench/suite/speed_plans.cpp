#include <algorithm>
#include <cmath>

#include "bench/plan/judge.h"
#include "bench/suite/speed_parts.h"
#include "proven/plan/smooth.h"
#include "proven/verify/verify.h"

namespace proven::bench {
namespace {

constexpr double kBudget = 10;  // seconds per problem
constexpr int kSmoothingSteps = 100;

// So many segments: the first ones, or the longest halved until there are enough.
Path cut(Path path, std::size_t segments) {
  auto& q = path.waypoints;
  if (q.size() > segments + 1) q.resize(segments + 1);
  while (q.size() - 1 < segments) {
    const auto square = [&](std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < q[i].size(); ++k)
        sum += (q[i + 1][k] - q[i][k]) * (q[i + 1][k] - q[i][k]);
      return sum;
    };
    std::size_t longest = 0;
    for (std::size_t i = 1; i + 1 < q.size(); ++i)
      if (square(i) > square(longest)) longest = i;
    std::vector<double> middle = q[longest];
    for (std::size_t k = 0; k < middle.size(); ++k)
      middle[k] = 0.5 * (middle[k] + q[longest + 1][k]);
    q.insert(q.begin() + static_cast<std::ptrdiff_t>(longest) + 1, middle);
  }
  return path;
}

// The least of several times, as one has it who plans again and again; the same seed makes the same
// path.
template <class Work>
void add_time(std::vector<double>& times, const Work& work, int repeats = 1) {
  double least = INFINITY;
  for (int i = 0; i < repeats; ++i) least = std::min(least, 1e6 * processor_seconds(work));
  times.push_back(least);
}
constexpr int kRepeats = 3;

Result<void> measure_certificate(const SceneSource& source, const Scene& scene, const Path& path,
                                 SpeedPlans& plans) {
  const Path pieces = cut(path, SpeedPlans::kSegments);
  CheckOptions options = proving_check();
  options.resolution = CheckOptions{}.resolution;
  const auto plain = CheckModel::build(scene, options);
  options.certificate = true;
  const auto recording = CheckModel::build(scene, options);
  if (!plain.ok()) return plain.error();
  if (!recording.ok()) return recording.error();
  Scratch scratch;
  std::optional<Result<CheckResult>> result;
  add_time(plans.checked, [&] { result = plain.value().check(pieces, scratch); });
  add_time(plans.written, [&] { result = recording.value().check(pieces, scratch); });
  if (!result->ok()) return result->error();
  Verifier verifier(source, {});
  // What it prepares for a scene is made by the first path.
  VerifyReport report = verifier.verify(pieces, result->value().certificate);
  add_time(plans.verified, [&] { report = verifier.verify(pieces, result->value().certificate); });
  plans.leaves += report.leaves;
  plans.rejected += result->value().verdict != Verdict::free || !report.accepted;
  return {};
}

Result<void> measure_twin(const SceneSource& source, const Scene& scene, const Query& query,
                          SamplingTwin& twin, std::uint64_t seed, bool judged, SpeedPlans& plans) {
  const JointSpace space(scene, query);
  std::optional<std::vector<std::vector<double>>> found;
  add_time(
      plans.twin, [&] { found = twin.plan(space, query, {.seed = seed, .step = kTwinStep}); },
      kRepeats);
  if (!found) {
    plans.twin.back() = 1e6 * kBudget;
    return {};
  }
  ++plans.twin_solved;
  if (!judged) return {};
  ++plans.twin_judged;
  Path path;
  path.waypoints = std::move(*found);
  Judge judge(source, scene);
  const auto judgement = judge.judge(path);
  if (!judgement.ok()) return judgement.error();
  if (judgement.value().verdict != Verdict::collision) return {};
  ++plans.twin_refuted;
  plans.twin_confirmed += judgement.value().verified;
  return {};
}

}  // namespace

Result<void> measure_plan(const SceneSource& source, const Scene& scene, const Query& query,
                          SamplingTwin* twin, std::uint64_t seed, bool judged, SpeedPlans& plans) {
  // Where spheres overlap at the ends there is nothing to compare.
  if (twin && !(twin->is_free(query.start) && twin->is_free(query.goal))) return {};
  // As one who plans again and again has it.
  CheckOptions prepared = proving_check();
  prepared.sweep = true;
  const auto model = CheckModel::build(scene, prepared);
  if (!model.ok()) return model.error();
  model.value().prepare_sweeps();
  PlanOptions options;
  options.seed = seed;
  std::optional<Result<PlanResult>> planned;
  add_time(
      plans.ours,
      [&] { planned = plan(model.value(), query, options, Budget::of_seconds(kBudget)); },
      kRepeats);
  if (!planned->ok()) return planned->error();
  ++plans.problems;
  if (twin)
    if (auto done = measure_twin(source, scene, query, *twin, seed, judged, plans); !done.ok())
      return done;
  if (planned->value().status != PlanStatus::solved) {
    plans.ours.back() = 1e6 * kBudget;
    return {};
  }
  ++plans.solved;
  SmoothOptions smoothing;
  smoothing.seed = seed;
  smoothing.max_steps = kSmoothingSteps;
  smoothing.input_is_proved = true;
  std::optional<Result<SmoothResult>> smoothed;
  add_time(
      plans.smooth, [&] { smoothed = smooth(model.value(), planned->value().path, smoothing); },
      kRepeats);
  if (!smoothed->ok()) return smoothed->error();
  plans.before.push_back(smoothed->value().length_before);
  plans.after.push_back(smoothed->value().length_after);
  if (!judged) return {};
  return measure_certificate(source, scene, smoothed->value().path, plans);
}

}  // namespace proven::bench
