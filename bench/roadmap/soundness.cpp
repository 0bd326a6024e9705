// Whether what is left of a roadmap is free, over many random sets of obstacles; how much the cells
// cost; and a real robot among moving boxes.
#ifdef PROVEN_BENCH_WITH_FCL
#include <fmt/format.h>

#include "bench/bench.h"
#include "bench/data.h"
#include "bench/roadmap/moving_boxes.h"
#include "bench/roadmap/trial.h"
#include "proven/certify/check.h"

namespace proven::bench {
namespace {

using roadmap::QueryStatus;

// A few boxes, balls and rods of up to a third of a metre.
std::vector<ObstacleSource> random_obstacles(const roadmap::Grid& grid, Random& random) {
  std::vector<ObstacleSource> obstacles;
  const int count = 1 + random.index(4);
  for (int k = 0; k < count; ++k) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis)
      p[axis] = grid.origin[axis] +
                random.uniform() * grid.cell[axis] * grid.count[static_cast<std::size_t>(axis)];
    if (grid.planar()) p.z = grid.origin.z + 0.5 * grid.cell.z;
    const double size = random.uniform(0.02, 0.15);
    Shape shape = Box{{size, random.uniform(0.02, 0.15), random.uniform(0.02, 0.15)}};
    if (random.index(3) == 0) shape = Sphere{size};
    if (random.index(3) == 0) shape = Cylinder{0.5 * size, size};
    obstacles.push_back(
        {"obstacle_" + std::to_string(k), {{shape, {}, {}}}, {random.rotation(), p}});
  }
  return obstacles;
}

std::vector<double> near_a_node(const JointGraph& graph, Random& random) {
  std::vector<double> q = graph.full(graph.node(random.index(graph.num_nodes())));
  for (std::size_t j = 0; j < graph.planned.size(); ++j) {
    double& value = q[static_cast<std::size_t>(graph.planned[j])];
    value += (value < 0 ? 1 : -1) * random.uniform(0, 0.05);
  }
  return q;
}

Path path_of(const JointGraph& graph, int edge) {
  const auto [from, to] = graph.motion(graph.edges[static_cast<std::size_t>(edge)]);
  return {{from, to}, {}, {}};
}

struct Tally {
  int sets = 0, enabled = 0, refuted = 0, disabled = 0, truly_free = 0;
  int paths = 0, unproved = 0, rejected = 0, none = 0;
};

constexpr int kEdgesPerSet = 6;
constexpr const char* kTrulyFree =
    "truly free %: of the arcs that cells block, those that check proves free among the true "
    "obstacles: the price of cells and of what sweeps leave open.";

Result<void> examine(const TrialRobot& robot, int sets, Random& random, bool with_plans,
                     Tally& tally) {
  Trial trial(robot);
  Scratch scratch;
  const JointGraph& graph = robot.model.graph;
  for (int k = 0; k < sets; ++k, ++tally.sets) {
    if (auto set = trial.set_obstacles(random_obstacles(robot.model.grid, random)); !set.ok())
      return set;
    for (int i = 0; i < kEdgesPerSet; ++i) {
      const int edge = random.index(graph.num_edges());
      const bool closed =
          trial.planner().blocked_edges().contains(static_cast<std::uint32_t>(edge));
      const Verdict verdict =
          check(trial.truth(), path_of(graph, edge), {}, scratch).value().verdict;
      (closed ? tally.disabled : tally.enabled)++;
      tally.refuted += !closed && verdict != Verdict::free;
      tally.truly_free += closed && verdict == Verdict::free;
    }
    if (!with_plans) continue;
    auto outcome = trial.plan(near_a_node(graph, random), near_a_node(graph, random));
    if (!outcome.ok()) return outcome.error();
    const bool solved = outcome.value().status == QueryStatus::solved;
    tally.paths += solved;
    tally.none += !solved;
    tally.unproved += solved && !outcome.value().proved;
    tally.rejected += solved && outcome.value().proved && !outcome.value().verified;
  }
  return {};
}

void add_row(const TrialRobot& robot, const Tally& t, Report& report) {
  Row& row = report.rows.emplace_back();
  row.add("robot", robot.name).add("cell m", robot.model.grid.cell.x);
  row.add("arcs", robot.model.graph.num_edges()).add("obstacle sets", t.sets);
  row.add("enabled arcs checked", t.enabled).add("refuted", t.refuted);
  row.add("disabled arcs checked", t.disabled);
  row.add("truly free %", t.disabled == 0 ? 0 : 100.0 * t.truly_free / t.disabled);
  row.add("paths", t.paths).add("unproved", t.unproved).add("rejected", t.rejected);
}

Result<Report> run_soundness(const Options& options) {
  Report report;
  const int sets = options.cases_or(40, 2000);
  auto robots = trial_robots(options.quick ? 5 : 7, options.quick ? 300 : 1500, options.threads,
                             options.seed);
  if (!robots.ok()) return robots.error();
  Tally all;
  for (std::size_t r = 0; r < robots.value().size(); ++r) {
    Random random(options.seed + 100 * r);
    Tally tally;
    if (auto done = examine(*robots.value()[r], sets, random, true, tally); !done.ok())
      return done.error();
    add_row(*robots.value()[r], tally, report);
    all.sets += tally.sets;
    all.refuted += tally.refuted + tally.unproved;
    all.rejected += tally.rejected;
    options.progress(static_cast<double>(r + 1) / static_cast<double>(robots.value().size()));
  }
  report.notes = {
      fmt::format("{} sets of obstacles: {} enabled arcs or paths not proved by check, {} "
                  "certificates rejected (both must be 0).",
                  all.sets, all.refuted, all.rejected),
      kTrulyFree};
  return report;
}

// The price of cells, on one robot.
Result<Report> run_conservatism(const Options& options) {
  Report report;
  Series line{"UR5", Series::Style::line, {}, {}, {}};
  for (const double cell : {0.2, 0.1, 0.05, 0.03}) {
    auto robot = real_robot("universal_ur5/ur5", options.quick ? 150 : 600, cell, options.threads,
                            options.seed);
    if (!robot.ok()) return robot.error();
    Random random(options.seed);
    Tally tally;
    if (auto done = examine(*robot.value(), options.cases_or(40, 400), random, false, tally);
        !done.ok())
      return done.error();
    add_row(*robot.value(), tally, report);
    line.x.push_back(cell);
    line.y.push_back(tally.disabled == 0 ? 0 : 100.0 * tally.truly_free / tally.disabled);
    options.progress(0.25 * static_cast<double>(line.x.size()));
  }
  report.plot = {"Disabled arcs that are truly free", "cell, m", "%", false, false, {line}};
  report.notes = {kTrulyFree};
  return report;
}

// A cloud of boxes drifts around the robot; between two configurations it goes to and fro.
Result<Report> run_robot(const Options& options) {
  Report report;
  auto made = real_robot("universal_ur5/ur5", options.quick ? 400 : 3000, 0.06, options.threads,
                         options.seed);
  if (!made.ok()) return made.error();
  const TrialRobot& robot = *made.value();
  roadmap::QueryOptions query;
  query.win_back = 24;  // as `roadmap watch`
  Trial trial(robot, query);
  Random random(options.seed);
  auto boxes = random_boxes(robot.model.grid, 8, 1.5, 4, random);
  const int updates = options.cases_or(50, 1000);
  std::vector<double> voxelise, update, plan, scene, check, verify, total;
  int solved = 0, proved = 0, verified = 0, won_back = 0;
  for (int k = 0; k < updates; ++k) {
    advance(boxes, robot.model.grid);
    std::vector<ObstacleSource> obstacles;
    for (std::size_t b = 0; b < boxes.size(); ++b)
      obstacles.push_back(
          {"box_" + std::to_string(b), {boxes[b].element()}, Pose::translation(boxes[b].centre)});
    if (auto set = trial.set_obstacles(obstacles); !set.ok()) return set.error();
    const auto outcome =
        trial.plan(near_a_node(robot.model.graph, random), near_a_node(robot.model.graph, random));
    if (!outcome.ok()) return outcome.error();
    const TrialOutcome& o = outcome.value();
    const bool found = o.status == QueryStatus::solved;
    solved += found;
    proved += o.proved;
    verified += o.verified;
    won_back += o.won_back > 0;
    voxelise.push_back(o.times.voxelise);
    update.push_back(o.times.update);
    plan.push_back(o.times.plan);
    total.push_back(o.times.voxelise + o.times.update + o.times.plan);
    scene.push_back(o.times.scene);
    if (found) {
      check.push_back(o.times.check);
      verify.push_back(o.times.verify);
    }
    options.progress(static_cast<double>(k + 1) / updates);
  }
  Series line{"update and plan", Series::Style::line, {}, {}, {}};
  for (const double q : {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0}) {
    line.x.push_back(100 * q);
    line.y.push_back(quantile(total, q));
  }
  report.plot = {"Latency, UR5 among eight moving boxes", "percentile", "ms", false, true, {line}};
  for (const auto& [name, values] :
       {std::pair{"voxelise", &voxelise}, std::pair{"update", &update}, std::pair{"plan", &plan},
        std::pair{"voxelise, update and plan", &total}, std::pair{"build the true scene", &scene},
        std::pair{"check with certificate", &check}, std::pair{"verify", &verify}}) {
    Row& row = report.rows.emplace_back();
    row.add("step", name).add("times", static_cast<std::int64_t>(values->size()));
    for (const double q : {0.5, 0.9, 0.99, 1.0})
      row.add(fmt::format("p{:.0f} ms", 100 * q), quantile(*values, q));
  }
  report.notes = {
      fmt::format("{}: {} nodes, {} arcs, {} cells. {} updates in a row: {} paths, {} "
                  "proved by check, {} verified; {} used arcs that were won back.",
                  robot.name, robot.model.graph.num_nodes(), robot.model.graph.num_edges(),
                  robot.model.grid.num_cells(), updates, solved, proved, verified, won_back)};
  return report;
}

}  // namespace

Benchmark drm_soundness() {
  return {"drm-soundness", "dynamic roadmaps: is what is left free? every path verified",
          run_soundness};
}

Benchmark drm_conservatism() {
  return {"drm-conservatism", "dynamic roadmaps: what cells cost, over their size",
          run_conservatism};
}

Benchmark drm_robot() {
  return {"drm-robot", "a real robot among moving boxes: every plan verified, latency", run_robot};
}

}  // namespace proven::bench
#endif
