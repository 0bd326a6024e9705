#include <algorithm>

#include "bench/suite/brute_force.h"
#include "bench/suite/speed_parts.h"

namespace proven::bench {
namespace {

CheckModel model_of(const Scene& scene, bool sweep) {
  CheckOptions options;
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
  const auto pre_check = [&models, starts_free](const SpeedEdge& edge) {
    return models.sweeping.pre_check({edge.from, edge.to, starts_free},
                                     CheckModel::Effort::thorough, models.scratch);
  };
  const auto prove = [&models, starts_free](const SpeedEdge& edge) {
    return models.searching.check_segment({edge.from, edge.to, starts_free}, models.scratch);
  };
  line.asked += static_cast<std::int64_t>(edges.size());
  line.ours += microseconds(edges, pre_check);
  line.searched += microseconds(edges, prove);
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
  if (twin) compare_with_twin(edges, pre_check, pass, line);
  if (!line.colliding) return;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!passed[i] && (!twin || !pass(edges[i]))) continue;
    const auto result = prove(edges[i]);
    const std::vector<double> ends[] = {edges[i].from, edges[i].to};
    line.unconfirmed +=
        !result.collision || !confirms(models.oracle.scene(), ends, *result.collision, 0);
  }
}

void measure_configurations(SpeedModels& models, const std::vector<std::vector<double>>& all,
                            SamplingTwin* twin, SpeedLine& line) {
  using Configuration = std::vector<double>;
  const auto pre_check = [&models](const Configuration& q) {
    return models.sweeping.pre_check(q, {}, models.scratch);
  };
  const auto prove = [&models](const Configuration& q) {
    return models.searching.check_configuration(q, models.scratch);
  };
  line.asked += static_cast<std::int64_t>(all.size());
  line.ours += microseconds(all, pre_check);
  line.searched += microseconds(all, prove);
  line.sampled_once = true;
  line.coarse += 1e6 * processor_seconds([&] {
                   for (const Configuration& q : all)
                     line.missed_coarse += (models.oracle.first_collision(q) < 0) == line.colliding;
                 });
  if (twin)
    compare_with_twin(
        all, pre_check, [&](const Configuration& q) { return twin->is_free(q); }, line);
}

}  // namespace proven::bench
