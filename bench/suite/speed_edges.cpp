#include <algorithm>

#include "bench/suite/brute_force.h"
#include "bench/suite/speed_parts.h"

namespace proven::bench {
namespace {

CheckModel model_of(const Scene& scene, bool sweep) {
  CheckOptions options;
  options.limits = Limits::ignore;  // random values go where they like
  options.sweep = sweep;
  CheckModel model = CheckModel::build(scene, options).value();
  if (sweep) model.prepare_sweeps();
  return model;
}

// Questions that both answer the same way, timed by both; the others are counted as missed.
template <class Question, class Ours, class Twin>
void compare_with_twin(const std::vector<Question>& questions, const Ours& ours, const Twin& twin,
                       SpeedLine& line) {
  line.has_twin = true;
  std::vector<Question> same;
  for (const Question& question : questions)
    if (twin(question) != line.colliding)
      same.push_back(question);
    else
      ++line.missed_twin;
  line.agreed += static_cast<std::int64_t>(same.size());
  line.ours_of_agreed += microseconds(same, ours);
  line.twin += microseconds(same, twin);
  append_microseconds(same, ours, line.each_ours);
  append_microseconds(same, twin, line.each_twin);
}

}  // namespace

SpeedModels::SpeedModels(const Scene& scene)
    : searching(model_of(scene, false)), sweeping(model_of(scene, true)), fcl(scene), oracle(fcl) {}

void measure_edges(SpeedModels& models, const std::vector<SpeedEdge>& edges, bool starts_free,
                   SamplingTwin* twin, SpeedLine& line) {
  const auto ask = [&](const CheckModel& model) {
    return [&models, &model, starts_free](const SpeedEdge& edge) {
      return model.check_segment({edge.from, edge.to, starts_free}, models.scratch);
    };
  };
  line.asked += static_cast<std::int64_t>(edges.size());
  line.ours += microseconds(edges, ask(models.sweeping));
  line.searched += microseconds(edges, ask(models.searching));
  std::vector<char> passed(edges.size());
  const auto sample = [&](double step, std::int64_t& missed) {
    std::size_t i = 0;
    return 1e6 * processor_seconds([&] {
             for (const SpeedEdge& edge : edges) {
               const bool free = !models.oracle.sample(edge.from, edge.to, step);
               missed += line.colliding && free;
               passed[i++] |= free;
             }
           });
  };
  line.coarse += sample(kCoarseStep, line.missed_coarse);
  line.fine += sample(kFineStep, line.missed_fine);
  const auto pass = [&](const SpeedEdge& edge) {
    return twin->is_free(edge.from, edge.to, kTwinStep);
  };
  if (twin) compare_with_twin(edges, ask(models.sweeping), pass, line);
  if (!line.colliding) return;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!passed[i] && (!twin || !pass(edges[i]))) continue;
    const auto result = ask(models.searching)(edges[i]);
    const std::vector<double> ends[] = {edges[i].from, edges[i].to};
    line.unconfirmed +=
        !result.collision || !confirms(models.oracle.scene(), ends, *result.collision, 0);
  }
}

void measure_configurations(SpeedModels& models, const std::vector<std::vector<double>>& all,
                            SamplingTwin* twin, SpeedLine& line) {
  using Configuration = std::vector<double>;
  const auto ask = [&](const CheckModel& model) {
    return [&models, &model](const Configuration& q) {
      return model.check_configuration(q, models.scratch);
    };
  };
  line.asked += static_cast<std::int64_t>(all.size());
  line.ours += microseconds(all, ask(models.sweeping));
  line.searched += microseconds(all, ask(models.searching));
  line.sampled_once = true;
  line.coarse += 1e6 * processor_seconds([&] {
                   for (const Configuration& q : all)
                     line.missed_coarse += (models.oracle.first_collision(q) < 0) == line.colliding;
                 });
  if (twin)
    compare_with_twin(
        all, ask(models.sweeping), [&](const Configuration& q) { return twin->is_free(q); }, line);
}

}  // namespace proven::bench
