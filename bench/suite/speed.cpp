// What a question costs: edges, configurations, plans and certificates of real robots among the
// obstacles of MotionBenchMaker, and segments in the scenes of the papers, beside sampling with FCL
// and a vectorised sampling planner in the same run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "bench/bench.h"
#include "bench/certify/segments.h"
#include "bench/plan/problems.h"
#include "bench/suite/speed_parts.h"
#include "proven/base/random.h"
#include "proven/kinematics/interpolation.h"

namespace proven::bench {
namespace {

constexpr double kEdge = 1.0;  // radians
constexpr int kDraws = 20;     // per edge that is wanted

// As the benchmark "directional" has them.
struct Environment {
  const char* name;
  const char* scene;
  int quick, full;    // segments of each group
  double spread = 1;  // SegmentWish
  bool plans = true;  // the default planner solves its problem
};
constexpr Environment kEnvironments[] = {{"cage-a", "cage-a", 10, 200},
                                         {"workshop", "workshop", 10, 200},
                                         {"car-a", "car-a", 5, 60},
                                         {"lattice-1, threaded", "lattice-1", 10, 200, 0.02, false},
                                         {"lattice-1, anywhere", "lattice-1", 4, 40, 1, false}};

// A free configuration, and another one at most an edge away.
std::optional<SpeedEdge> random_edge(SpeedModels& models, const Query& query, Random& random) {
  const auto coordinates = models.sweeping.scene().tree().coordinates();
  const auto draw = [&] {
    std::vector<double> q = query.start;
    for (const int c : query.planned) {
      const auto i = static_cast<std::size_t>(c);
      q[i] = random.uniform(std::max(coordinates[i].lower, -M_PI),
                            std::min(coordinates[i].upper, M_PI));
    }
    return q;
  };
  SpeedEdge edge{draw(), draw()};
  if (models.sweeping.check_configuration(edge.from, models.scratch).verdict != Verdict::free)
    return std::nullopt;
  double length = 0;
  for (std::size_t i = 0; i < edge.from.size(); ++i)
    length = std::hypot(length, edge.to[i] - edge.from[i]);
  for (std::size_t i = 0; i < edge.from.size(); ++i)
    edge.to[i] = edge.from[i] + std::min(1.0, kEdge / length) * (edge.to[i] - edge.from[i]);
  return edge;
}

struct Questions {
  std::array<std::vector<SpeedEdge>, 2> edges;  // free, colliding
  std::array<std::vector<std::vector<double>>, 2> ends;
  int disagreed = 0;  // with and without sweeps
};

bool agree(const PreCheck& pre_check, Verdict verdict) {
  switch (pre_check.verdict) {
    case PreVerdict::clear:
      return verdict == Verdict::free;
    case PreVerdict::contact:
      return verdict == Verdict::collision;
    case PreVerdict::open:
      break;
  }
  return verdict == Verdict::undecided;
}

// As many that collide as are free, if they can be found.
Questions draw_questions(SpeedModels& models, const Query& query, int wanted, Random& random) {
  Questions drawn;
  const auto most = static_cast<std::size_t>(wanted);
  const auto keep = [&](Verdict verdict, const auto& question, auto& kept) {
    auto& group = kept[verdict == Verdict::free ? 0 : 1];
    if (verdict != Verdict::undecided && group.size() < most) group.push_back(question);
  };
  for (int i = 0; i < kDraws * wanted; ++i) {
    if (drawn.edges[0].size() >= most && drawn.edges[1].size() >= most) break;
    const auto edge = random_edge(models, query, random);
    if (!edge) continue;
    const SegmentQuery segment{edge->from, edge->to, true};
    const Verdict whole = models.searching.check_segment(segment, models.scratch).verdict;
    const Verdict end = models.searching.check_configuration(edge->to, models.scratch).verdict;
    drawn.disagreed +=
        !agree(models.sweeping.pre_check(segment, CheckModel::Effort::thorough, models.scratch),
               whole) ||
        !agree(models.sweeping.pre_check(edge->to, {}, models.scratch), end);
    keep(whole, *edge, drawn.edges);
    keep(end, edge->to, drawn.ends);
  }
  return drawn;
}

double share(std::int64_t part, std::int64_t all) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(1, all));
}

void add_row(const std::string& robot, const std::string& question, const SpeedLine& line,
             Report& report) {
  const auto n = static_cast<double>(std::max<std::int64_t>(1, line.asked));
  Row& row = report.rows.emplace_back();
  row.add("robot", robot).add("question", question).add("asked", line.asked);
  row.add("us", line.ours / n).add("us, proved", line.searched / n);
  row.add(line.sampled_once ? "us, FCL once" : "us, FCL at 0.05", line.coarse / n);
  if (!line.sampled_once) row.add("us, FCL at 0.005", line.fine / n);
  if (line.has_twin)
    row.add("us, twin", line.twin / static_cast<double>(std::max<std::int64_t>(1, line.agreed)));
  row.add(line.sampled_once ? "FCL once / ours" : "FCL at 0.05 / ours", line.coarse / line.ours);
  if (!line.sampled_once) {
    row.add("FCL at 0.005 / ours", line.fine / line.ours);
    row.add("FCL at 0.005 / proved", line.fine / line.searched);
  }
  if (line.has_twin) {
    row.add("ours / twin", line.ours_of_agreed / line.twin);
    row.add("medians: ours / twin", quantile(line.each_ours, 0.5) / quantile(line.each_twin, 0.5));
  }
  if (line.colliding && !line.sampled_once) {
    row.add("missed: FCL at 0.05", share(line.missed_coarse, line.asked));
    row.add("missed: FCL at 0.005", share(line.missed_fine, line.asked));
  }
  if (line.has_twin)
    row.add(line.colliding ? "missed: twin" : "refused: twin", share(line.missed_twin, line.asked));
  report.failed = report.failed || line.unconfirmed > 0;
}

void add_plan_rows(const std::string& robot, const SpeedPlans& plans, Report& report) {
  const auto begin = [&](const std::string& question, const std::vector<double>& times,
                         double at) -> Row& {
    Row& row = report.rows.emplace_back();
    row.add("robot", robot).add("question", question);
    row.add("asked", static_cast<std::int64_t>(times.size())).add("us", quantile(times, at));
    return row;
  };
  for (const auto& [word, at] : {std::pair("median", 0.5), std::pair("95 %", 0.95)}) {
    Row& row = begin(fmt::format("plan, {}", word), plans.ours, at);
    row.add("solved", plans.solved);
    if (plans.twin.empty()) continue;
    row.add("us, twin", quantile(plans.twin, at));
    row.add("ours / twin", quantile(plans.ours, at) / quantile(plans.twin, at));
    row.add("solved: twin", plans.twin_solved);
    row.add("refuted: twin", share(plans.twin_refuted, plans.twin_judged));
  }
  const auto sum = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0);
  };
  if (plans.smooth.empty()) return;
  for (const auto& [word, at] : {std::pair("median", 0.5), std::pair("95 %", 0.95)})
    begin(fmt::format("smooth, {}", word), plans.smooth, at)
        .add("length after / before", sum(plans.after) / sum(plans.before));
  begin("certificate of 10 segments", plans.written, 0.5)
      .add("us, search alone", quantile(plans.checked, 0.5));
  begin("verify it", plans.verified, 0.5)
      .add("us per leaf",
           sum(plans.verified) / static_cast<double>(std::max<std::int64_t>(1, plans.leaves)));
  report.failed = report.failed || plans.rejected > 0 || plans.twin_confirmed < plans.twin_refuted;
}

// Problems of one set; `spheres` are the same with the robot of spheres.
Result<void> run_robot(const std::string& robot, const ProblemSet& set, const ProblemSet& spheres,
                       const Options& options, Report& report) {
  const int problems = std::min(set.size(), options.quick ? 6 : 60);
  const int edges = options.cases_or(10, 50);
  // Plans are asked of all problems, edges of some.
  const int plans_per_problem = options.quick ? 2 : std::max(1, set.size() / problems);
  Random random(options.seed);
  std::array<SpeedLine, 2> of_edges, of_ends;
  of_edges[1].colliding = of_ends[1].colliding = true;
  SpeedPlans plans;
  int disagreed = 0;
  for (int i = 0; i < problems; ++i)
    for (int k = 0; k < plans_per_problem; ++k) {
      const int index =
          static_cast<int>((static_cast<std::int64_t>(i) * set.size()) / problems) + k;
      const auto scene = problem_scene(set, index);
      if (!scene.ok()) return scene.error();
      const auto query = problem_query(set, index, scene.value());
      if (!query.ok()) return query.error();
      const auto of_spheres = problem_scene(spheres, index);
      if (!of_spheres.ok()) return of_spheres.error();
      SamplingTwin twin(of_spheres.value(), scene.value());
      SceneSource source = set.scene_without_obstacles;
      source.obstacles = set.problems[static_cast<std::size_t>(index)].obstacles;
      if (auto done = measure_plan(source, scene.value(), query.value(), &twin, options.seed,
                                   k == 0, plans);
          !done.ok())
        return done;
      if (k > 0) continue;
      SpeedModels models(scene.value());
      const Questions drawn = draw_questions(models, query.value(), edges, random);
      disagreed += drawn.disagreed;
      for (const std::size_t kind : {0, 1}) {
        measure_edges(models, drawn.edges[kind], true, &twin, of_edges[kind]);
        measure_configurations(models, drawn.ends[kind], &twin, of_ends[kind]);
      }
      options.progress(static_cast<double>(i + 1) / problems);
    }
  for (const std::size_t kind : {0, 1}) {
    const std::string word = kind == 0 ? "free" : "colliding";
    add_row(robot, word + " edge", of_edges[kind], report);
    add_row(robot, word + " configuration", of_ends[kind], report);
  }
  add_plan_rows(robot, plans, report);
  report.failed = report.failed || disagreed > 0 || plans.solved < plans.problems;
  return {};
}

Result<void> run_problems(const Options& options, Report& report) {
  for (const std::string& robot : problem_robots(options, report)) {
    const auto file = problems_of(robot);
    const auto set = load_problem_set(file);
    if (!set.ok()) return set.error();
    ProblemSetOptions with_spheres;
    with_spheres.robot = file.parent_path() / (robot + "_spherized.urdf");
    const auto spheres = load_problem_set(file, with_spheres);
    if (!spheres.ok()) return spheres.error();
    if (auto done = run_robot(robot, set.value(), spheres.value(), options, report); !done.ok())
      return done;
  }
  return {};
}

// Configurations of the scene, drawn as the ends of its segments are, that collide.
std::vector<std::vector<double>> colliding_ends(SpeedModels& models, const Environment& environment,
                                                std::size_t count, Random& random) {
  const Scene& scene = models.oracle.scene();
  std::vector<std::vector<double>> found;
  std::vector<double> q(scene.home().size());
  for (std::size_t i = 0; i < 200 * count && found.size() < count; ++i) {
    const std::vector<double> any = random_configuration(scene.tree(), random);
    interpolate(scene.tree(), scene.home(), any, environment.spread, q);
    if (models.searching.check_configuration(q, models.scratch).verdict == Verdict::collision)
      found.push_back(q);
  }
  return found;
}

// Segments between two free configurations, of which nothing is known, and the ends of free ones.
Result<std::array<SpeedLine, 2>> measure_segments(const Environment& environment,
                                                  const Scene& scene, const Options& options,
                                                  Report& report) {
  SpeedModels models(scene);
  std::array<SpeedLine, 2> segments_lines, ends_lines;
  const int count = options.cases_or(environment.quick, environment.full);
  for (const std::size_t kind : {0, 1}) {
    SegmentWish wish;
    wish.verdict = kind == 0 ? Verdict::free : Verdict::collision;
    wish.spread = environment.spread;
    const auto segments = random_segments(scene, wish, count, options.seed, options.threads);
    if (!segments.ok()) return segments.error();
    std::vector<SpeedEdge> edges;
    std::vector<std::vector<double>> ends;
    for (const Path& path : segments.value()) {
      edges.push_back({path.waypoints[0], path.waypoints[1]});
      if (kind == 0) ends.push_back(path.waypoints[1]);
    }
    Random random(options.seed);
    if (kind == 1) ends = colliding_ends(models, environment, edges.size(), random);
    segments_lines[kind].colliding = ends_lines[kind].colliding = kind == 1;
    measure_edges(models, edges, false, nullptr, segments_lines[kind]);
    measure_configurations(models, ends, nullptr, ends_lines[kind]);
    const std::string word = kind == 0 ? "free" : "colliding";
    add_row(environment.name, word + " segment", segments_lines[kind], report);
    if (!ends.empty()) add_row(environment.name, word + " configuration", ends_lines[kind], report);
  }
  return segments_lines;
}

Result<void> run_scenes(const Options& options, Report& report) {
  double log_ratio = 0, log_searched = 0;
  int scenes = 0;
  for (const Environment& environment : kEnvironments) {
    if (!options.robot.empty() && options.robot != environment.name) continue;
    const auto problem = built_in_case(environment.scene);
    if (!problem.ok()) return problem.error();
    const auto lines = measure_segments(environment, problem.value().scene, options, report);
    if (!lines.ok()) return lines.error();
    const SpeedLine& free = lines.value()[0];
    ++scenes;
    log_ratio += std::log(free.fine / free.ours);
    log_searched += std::log(free.fine / free.searched);
    if (!environment.plans) continue;
    SpeedPlans plans;
    for (int i = 0; i < (options.quick ? 2 : 20); ++i)
      if (auto done =
              measure_plan(problem.value().source, problem.value().scene, problem.value().problem,
                           nullptr, options.seed + static_cast<std::uint64_t>(i), true, plans);
          !done.ok())
        return done;
    add_plan_rows(environment.name, plans, report);
  }
  if (scenes < 2) return {};
  Row& row = report.rows.emplace_back();
  row.add("robot", "papers' scenes, geometric mean").add("question", "free segment");
  row.add("asked", scenes);
  row.add("FCL at 0.005 / ours", std::exp(log_ratio / scenes));
  row.add("FCL at 0.005 / proved", std::exp(log_searched / scenes));
  return {};
}

Result<Report> run(const Options& options) {
  Report report;
  const auto is_robot = [&](const auto& name) { return options.robot == name; };
  if (!options.robot.empty() && std::ranges::none_of(kProblemRobots, is_robot) &&
      std::ranges::none_of(kEnvironments, is_robot, &Environment::name)) {
    std::string known;
    for (const char* robot : kProblemRobots)
      known += fmt::format("{}{}", known.empty() ? "" : "; ", robot);
    for (const Environment& e : kEnvironments) known += fmt::format("; {}", e.name);
    return bad_input(fmt::format("there is no robot '{}'; there are: {}", options.robot, known));
  }
  if (auto done = run_problems(options, report); !done.ok()) return done.error();
  if (auto done = run_scenes(options, report); !done.ok()) return done.error();
  report.notes.insert(
      report.notes.end(),
      {"One thread, CPU time, microseconds per question; of questions, plans and smoothing, ours "
       "and the twin's, the least of three rounds. Ours proves what it answers: swept balls, then "
       "the directional search on "
       "what they leave open. FCL tests samples on the robots' meshes and proves nothing.",
       "The twin is a vectorised sampling planner on the robots' sphere models (1/32 rad between "
       "samples, as many at a time as there are lanes) and proves nothing. It is compared on the "
       "questions that it answers as we do, by all times together and by the medians of single "
       "ones; 'missed' is the share of colliding questions that pass, each confirmed by brute "
       "force at a witness, 'refused' the share of free ones that "
       "do not, 'refuted' the share of its planned paths, of every tenth problem, that collide on "
       "the "
       "robots' meshes, by certificates that the verifier accepts.",
       "Edges of robots: up to 1 rad from a configuration that is known to be free, among the "
       "obstacles of MotionBenchMaker. Segments of scenes: between two random free configurations "
       "of which nothing is known.",
       "Plans of robots are of problems whose ends are free for the twin, too, those of scenes are "
       "of "
       "one problem with several seeds; an unsolved one counts as 10 s. The scene is prepared. "
       "'smooth': 100 steps on the "
       "proved path. 'certificate': the smoothed path as "
       "10 segments, checked and recorded; 'search alone' is the same check without recording. "
       "'verify it': by a verifier that is prepared for the scene."});
  return report;
}

}  // namespace

Benchmark speed() {
  return {"speed", "what edges, plans and certificates cost, beside FCL and a sampling planner",
          run, false, true};
}

}  // namespace proven::bench
