// What a question costs: edges and configurations of real robots among the obstacles of
// MotionBenchMaker, beside sampling with FCL in the same run.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "bench/bench.h"
#include "bench/data.h"
#include "bench/suite/fcl_oracle.h"
#include "proven/base/processor_time.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "proven/io/problem_set.h"

namespace proven::bench {
namespace {

constexpr const char* kRobots[] = {"panda", "ur5"};
constexpr double kEdge = 1.0;  // radians
constexpr double kFineStep = 0.005, kCoarseStep = 0.05;

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

// Microseconds of each kind of question, of edges and ends that are free and that collide.
struct Times {
  double swept[2] = {}, searched[2] = {}, coarse[2] = {}, fine[2] = {};
  double end_swept[2] = {}, end_searched[2] = {}, end_sampled[2] = {};
  std::int64_t edges[2] = {}, ends[2] = {};
  std::int64_t missed_coarse = 0, missed_fine = 0, disagreed = 0;
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

void measure(const Scene& scene, const Query& query, int edges, Random& random, Times& times) {
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
  for (int i = 0; i < edges; ++i) {
    std::optional<Edge> edge;
    while (!edge) edge = random_edge(sweeping, query, random, scratch);
    const Verdict whole = searching.check_segment(query_of(*edge), scratch).verdict;
    const Verdict end = searching.check_configuration(edge->to, scratch).verdict;
    times.disagreed += sweeping.check_segment(query_of(*edge), scratch).verdict != whole;
    times.disagreed += sweeping.check_configuration(edge->to, scratch).verdict != end;
    if (end != Verdict::undecided) ends[end == Verdict::free ? 0 : 1].push_back(edge->to);
    if (whole != Verdict::undecided) asked[whole == Verdict::free ? 0 : 1].push_back(*edge);
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
      measure(scene.value(), query.value(), edges, random, times);
      options.progress(static_cast<double>(i + 1) / problems);
    }
    add_rows(robot, times, report);
    report.failed = report.failed || times.disagreed > 0;
  }
  report.notes.push_back(
      "Edges of up to 1 rad from free configurations among the obstacles of MotionBenchMaker, "
      "whose "
      "start is known to be free. One thread, CPU time, least of three. Ours: swept balls, then "
      "the "
      "directional search on what they leave open. FCL tests samples on the robots' meshes.");
  return report;
}

}  // namespace

Benchmark speed() {
  return {"speed", "what edges and configurations cost, beside sampling with FCL", run, false,
          true};
}

}  // namespace proven::bench
