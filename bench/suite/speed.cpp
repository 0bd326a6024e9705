// What a question costs: edges and configurations of real robots among the obstacles of
// MotionBenchMaker, beside sampling with FCL in the same run.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "bench/bench.h"
#include "bench/data.h"
#include "bench/plan/judge.h"
#include "bench/suite/fcl_oracle.h"
#include "papers/plan/sampling_twin.h"
#include "proven/base/processor_time.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "proven/io/problem_set.h"
#include "proven/plan/plan.h"

namespace proven::bench {
namespace {

constexpr const char* kRobots[] = {"panda", "ur5"};
constexpr double kEdge = 1.0;  // radians
constexpr double kFineStep = 0.005, kCoarseStep = 0.05;
constexpr double kTwinStep = 1.0 / 32;
constexpr double kBudget = 10;  // seconds per problem
constexpr int kDraws = 20;      // per edge that is wanted

struct Edge {
  std::vector<double> from, to;
};

// A free configuration, and another one at most an edge away.
std::optional<Edge> random_edge(const CheckModel& model, const Query& query, Random& random,
                                Scratch& scratch) {
  const auto coordinates = model.scene().tree().coordinates();
  const auto draw = [&] {
    std::vector<double> q = query.start;
    for (const int c : query.planned) {
      const auto i = static_cast<std::size_t>(c);
      q[i] = random.uniform(std::max(coordinates[i].lower, -M_PI),
                            std::min(coordinates[i].upper, M_PI));
    }
    return q;
  };
  Edge edge{draw(), draw()};
  if (model.check_configuration(edge.from, scratch).verdict != Verdict::free) return std::nullopt;
  double length = 0;
  for (std::size_t i = 0; i < edge.from.size(); ++i)
    length = std::hypot(length, edge.to[i] - edge.from[i]);
  for (std::size_t i = 0; i < edge.from.size(); ++i)
    edge.to[i] = edge.from[i] + std::min(1.0, kEdge / length) * (edge.to[i] - edge.from[i]);
  return edge;
}

// Microseconds of questions that the twin answers as we do.
struct Agreed {
  double ours = 0, twin = 0;
  std::int64_t asked = 0;
};

// Microseconds of each kind of question, of edges and ends that are free and that collide.
struct Times {
  double swept[2] = {}, searched[2] = {}, coarse[2] = {}, fine[2] = {};
  double end_swept[2] = {}, end_searched[2] = {}, end_sampled[2] = {};
  std::int64_t edges[2] = {}, ends[2] = {};
  std::int64_t missed_coarse = 0, missed_fine = 0, disagreed = 0;
  Agreed edge_agreed[2], end_agreed[2];
  std::vector<double> plan_ms, twin_plan_ms;
  std::int64_t solved = 0, twin_solved = 0;
  Judgements twin_paths;
};

// Of all questions of one kind, asked one after the other; the least of three.
template <class Question, class Ask>
double microseconds(const std::vector<Question>& questions, const Ask& ask) {
  constexpr int kRepeats = 3;
  double least = INFINITY;
  for (int i = 0; i < kRepeats; ++i)
    least = std::min(least, processor_seconds([&] {
                       for (const Question& question : questions) ask(question);
                     }));
  return 1e6 * least;
}

// Questions that both answer the same way, timed by both.
template <class Question, class Ours, class Twin>
void compare_with_twin(const std::vector<Question>& questions, bool is_free, const Ours& ours,
                       const Twin& twin, Agreed& agreed) {
  std::vector<Question> same;
  for (const Question& question : questions)
    if (twin(question) == is_free) same.push_back(question);
  agreed.asked += static_cast<std::int64_t>(same.size());
  agreed.ours += microseconds(same, ours);
  agreed.twin += microseconds(same, twin);
}

void measure(const Scene& scene, const Query& query, SamplingTwin& twin, int edges, Random& random,
             Times& times) {
  CheckOptions options;
  const CheckModel searching = CheckModel::build(scene, options).value();
  options.sweep = true;
  const CheckModel sweeping = CheckModel::build(scene, options).value();
  const FclModel fcl(scene);
  FclOracle oracle(fcl);
  Scratch scratch;
  // A model prepares its sweeps when it has served a while.
  for (int i = 0; i <= 1000; ++i) (void)sweeping.check_configuration(query.start, scratch);
  std::array<std::vector<Edge>, 2> asked;
  std::array<std::vector<std::vector<double>>, 2> ends;
  const auto query_of = [](const Edge& edge) { return SegmentQuery{edge.from, edge.to, true}; };
  // As many that collide as are free, if they can be found.
  const auto wanted = static_cast<std::size_t>(edges);
  const auto keep = [&](Verdict verdict, const auto& question, auto& kept) {
    auto& group = kept[verdict == Verdict::free ? 0 : 1];
    if (verdict != Verdict::undecided && group.size() < wanted) group.push_back(question);
  };
  for (int i = 0; i < kDraws * edges && (asked[0].size() < wanted || asked[1].size() < wanted);
       ++i) {
    const std::optional<Edge> edge = random_edge(sweeping, query, random, scratch);
    if (!edge) continue;
    const Verdict whole = searching.check_segment(query_of(*edge), scratch).verdict;
    const Verdict end = searching.check_configuration(edge->to, scratch).verdict;
    times.disagreed += sweeping.check_segment(query_of(*edge), scratch).verdict != whole;
    times.disagreed += sweeping.check_configuration(edge->to, scratch).verdict != end;
    keep(end, edge->to, ends);
    keep(whole, *edge, asked);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const auto check = [&](const CheckModel& model) {
      return microseconds(
          asked[k], [&](const Edge& edge) { (void)model.check_segment(query_of(edge), scratch); });
    };
    const auto sample = [&](double step, std::int64_t& missed) {
      for (const Edge& edge : asked[k])
        missed += k == 1 && !oracle.sample(edge.from, edge.to, step);
      return microseconds(asked[k],
                          [&](const Edge& edge) { (void)oracle.sample(edge.from, edge.to, step); });
    };
    times.edges[k] += static_cast<std::int64_t>(asked[k].size());
    times.swept[k] += check(sweeping);
    times.searched[k] += check(searching);
    times.coarse[k] += sample(kCoarseStep, times.missed_coarse);
    times.fine[k] += sample(kFineStep, times.missed_fine);
    const auto check_end = [&](const CheckModel& model) {
      return microseconds(ends[k], [&](const std::vector<double>& q) {
        (void)model.check_configuration(q, scratch);
      });
    };
    times.ends[k] += static_cast<std::int64_t>(ends[k].size());
    times.end_swept[k] += check_end(sweeping);
    times.end_searched[k] += check_end(searching);
    times.end_sampled[k] += microseconds(
        ends[k], [&](const std::vector<double>& q) { (void)oracle.first_collision(q); });
    compare_with_twin(
        asked[k], k == 0,
        [&](const Edge& edge) { (void)sweeping.check_segment(query_of(edge), scratch); },
        [&](const Edge& edge) { return twin.is_free(edge.from, edge.to, kTwinStep); },
        times.edge_agreed[k]);
    compare_with_twin(
        ends[k], k == 0,
        [&](const std::vector<double>& q) { (void)sweeping.check_configuration(q, scratch); },
        [&](const std::vector<double>& q) { return twin.is_free(q); }, times.end_agreed[k]);
  }
}

// One problem, planned by both; unsolved ones count as the budget.
Result<void> measure_plan(const SceneSource& source, const Scene& scene, const Query& query,
                          SamplingTwin& twin, std::uint64_t seed, Times& times) {
  PlanOptions options;
  options.seed = seed;
  const double before = processor_seconds();
  const auto result = plan(scene, query, options, Budget::of_seconds(kBudget));
  const double ours = processor_seconds() - before;
  if (!result.ok()) return result.error();
  if (result.value().status == PlanStatus::start_invalid ||
      result.value().status == PlanStatus::goal_invalid)
    return {};
  const bool solved = result.value().status == PlanStatus::solved;
  times.solved += solved;
  times.plan_ms.push_back(1e3 * (solved ? ours : kBudget));
  const JointSpace space(scene, query);
  const double start = processor_seconds();
  const auto path = twin.plan(space, query, {.seed = seed, .step = kTwinStep});
  const double took = processor_seconds() - start;
  if (!path) return {};  // its spheres overlap at the start or the goal, or no path
  ++times.twin_solved;
  times.twin_plan_ms.push_back(1e3 * took);
  Path waypoints;
  waypoints.waypoints = *path;
  Judge judge(source, scene);
  const auto judgement = judge.judge(waypoints);
  if (!judgement.ok()) return judgement.error();
  times.twin_paths.add(judgement.value(), "");
  return {};
}

void add_twin(const Agreed& agreed, std::int64_t asked, bool is_free, Row& row) {
  const auto n = static_cast<double>(std::max<std::int64_t>(1, agreed.asked));
  row.add("us, twin", agreed.twin / n).add("ours / twin", agreed.ours / agreed.twin);
  row.add(is_free ? "twin calls colliding" : "twin passes", asked - agreed.asked);
}

void add_plan_rows(const std::string& robot, const Times& times, Report& report) {
  for (const auto& [word, share] :
       {std::pair("plan, median", 0.5), std::pair("plan, 95 %", 0.95)}) {
    Row& row = report.rows.emplace_back();
    const double ours = 1e3 * quantile(times.plan_ms, share);
    const double twin = 1e3 * quantile(times.twin_plan_ms, share);
    row.add("robot", robot).add("question", word);
    row.add("asked", static_cast<std::int64_t>(times.plan_ms.size()));
    row.add("us", ours).add("us, twin", twin).add("ours / twin", ours / twin);
    row.add("solved", times.solved).add("twin: solved", times.twin_solved);
    row.add("twin: refuted", times.twin_paths.collision);
    row.add("twin: witness verified", times.twin_paths.verified_collisions);
  }
}

void add_rows(const std::string& robot, const Times& times, Report& report) {
  const char* const words[] = {"free", "colliding"};
  for (std::size_t k = 0; k < 2; ++k) {
    const auto n = static_cast<double>(std::max<std::int64_t>(1, times.edges[k]));
    Row& row = report.rows.emplace_back();
    row.add("robot", robot).add("question", fmt::format("{} edge", words[k]));
    row.add("asked", times.edges[k]);
    row.add("us", times.swept[k] / n).add("us, search alone", times.searched[k] / n);
    row.add("us, FCL at 0.05", times.coarse[k] / n).add("us, FCL at 0.005", times.fine[k] / n);
    row.add("FCL at 0.05 / ours", times.coarse[k] / times.swept[k]);
    row.add("FCL at 0.005 / ours", times.fine[k] / times.swept[k]);
    if (k == 1)
      row.add("missed at 0.05", times.missed_coarse).add("missed at 0.005", times.missed_fine);
    add_twin(times.edge_agreed[k], times.edges[k], k == 0, row);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const auto n = static_cast<double>(std::max<std::int64_t>(1, times.ends[k]));
    Row& row = report.rows.emplace_back();
    row.add("robot", robot).add("question", fmt::format("{} configuration", words[k]));
    row.add("asked", times.ends[k]);
    row.add("us", times.end_swept[k] / n).add("us, search alone", times.end_searched[k] / n);
    row.add("us, FCL at 0.05", times.end_sampled[k] / n);
    row.add("us, FCL at 0.005", times.end_sampled[k] / n);
    row.add("FCL at 0.05 / ours", times.end_sampled[k] / times.end_swept[k]);
    row.add("FCL at 0.005 / ours", times.end_sampled[k] / times.end_swept[k]);
    add_twin(times.end_agreed[k], times.ends[k], k == 0, row);
  }
}

Result<Report> run(const Options& options) {
  Report report;
  for (const std::string robot : kRobots) {
    if (!options.robot.empty() && options.robot != robot) continue;
    const auto set = load_problem_set(data_dir() / "motionbenchmaker" / robot / "problems.json");
    if (!set.ok()) {
      report.notes.push_back("skipped: " + set.error().text());
      continue;
    }
    ProblemSetOptions sphere_options;
    sphere_options.robot = data_dir() / "motionbenchmaker" / robot / (robot + "_spherized.urdf");
    const auto spheres =
        load_problem_set(data_dir() / "motionbenchmaker" / robot / "problems.json", sphere_options);
    if (!spheres.ok()) return spheres.error();
    const int problems = options.quick ? 6 : 60, edges = options.cases_or(10, 50);
    const int all = set.value().size();
    Random random(options.seed);
    Times times;
    for (int i = 0; i < problems; ++i) {
      const int index = static_cast<int>(static_cast<std::int64_t>(i) * all / problems);
      const auto scene = problem_scene(set.value(), index);
      if (!scene.ok()) return scene.error();
      const auto query = problem_query(set.value(), index, scene.value());
      if (!query.ok()) return query.error();
      const auto of_spheres = problem_scene(spheres.value(), index);
      if (!of_spheres.ok()) return of_spheres.error();
      SamplingTwin twin(of_spheres.value(), scene.value());
      measure(scene.value(), query.value(), twin, edges, random, times);
      SceneSource source = set.value().scene_without_obstacles;
      source.obstacles = set.value().problems[static_cast<std::size_t>(index)].obstacles;
      if (auto done = measure_plan(source, scene.value(), query.value(), twin, options.seed, times);
          !done.ok())
        return done.error();
      options.progress(static_cast<double>(i + 1) / problems);
    }
    add_rows(robot, times, report);
    add_plan_rows(robot, times, report);
    report.failed = report.failed || times.disagreed > 0;
  }
  report.notes.push_back(
      "Edges of up to 1 rad from free configurations among the obstacles of MotionBenchMaker, "
      "whose "
      "start is known to be free. One thread, CPU time, least of three. Ours: swept balls, then "
      "the "
      "directional search on what they leave open. FCL tests samples on the robots' meshes. The "
      "twin tests samples 1/32 rad apart on the robots' sphere models, sixteen at a time, and "
      "proves nothing; it is compared on the questions that it answers as we do.");
  return report;
}

}  // namespace

Benchmark speed() {
  return {"speed", "what edges and configurations cost, beside sampling with FCL", run, false,
          true};
}

}  // namespace proven::bench
