// Update and plan while obstacles move: rows of dynamic roadmaps against plain lists and CRoaring,
// on one core in the same run.
#include <fmt/format.h>

#include <map>

#include "bench/bench.h"
#include "bench/roadmap/moving_boxes.h"
#include "bench/roadmap/rivals.h"
#include "bench/roadmap/robots.h"
#include "proven/base/processor_time.h"
#include "proven/roadmap/planner.h"

namespace proven::bench {
namespace {

using roadmap::CellMask;

struct Step {
  std::string workload;
  std::vector<std::uint32_t> occupied, freed, all;
};

// Obstacles as changes from one moment to the next. They keep off cells that block every edge, such
// as those of the base: nothing would be left to plan, and updates would be too easy.
class Film {
 public:
  Film(const roadmap::Grid& grid, const roadmap::CellLists& lists) : now_(grid) {
    for (int cell = 0; cell < grid.num_cells(); ++cell)
      if (static_cast<int>(lists.at(cell).size()) == lists.num_items) kept_free_.push_back(cell);
  }

  void show(CellMask next, const std::string& workload) {
    for (const int cell : kept_free_) next.reset(cell);
    Step step{workload, {}, {}, next.cells()};
    for (const std::uint32_t cell : step.all)
      if (!now_.test(static_cast<int>(cell))) step.occupied.push_back(cell);
    for (const std::uint32_t cell : now_.cells())
      if (!next.test(static_cast<int>(cell))) step.freed.push_back(cell);
    steps_.push_back(std::move(step));
    now_ = next;
  }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  CellMask now_;
  std::vector<int> kept_free_;
  std::vector<Step> steps_;
};

// Every seventh edge after every step, as one number: all ways must give the same.
template <class IsBlocked>
std::uint64_t digest(int num_edges, IsBlocked&& is_blocked) {
  std::uint64_t sum = 0;
  for (std::uint32_t edge = 0; edge < static_cast<std::uint32_t>(num_edges); edge += 7)
    sum = 6364136223846793005u * sum + (is_blocked(edge) ? 2 : 1);
  return sum;
}

// Microseconds per step and what was blocked, of one way that has the machine to itself.
struct Run {
  std::vector<double> times;
  std::vector<std::uint64_t> digests;
};

template <class Update, class IsBlocked>
Run play(const Film& film, int num_edges, Update&& update, IsBlocked&& is_blocked) {
  Run run;
  for (const Step& step : film.steps()) {
    run.times.push_back(1e6 * processor_seconds([&] { update(step); }));
    run.digests.push_back(digest(num_edges, is_blocked));
  }
  return run;
}

// So many boxes that about `wanted` cells are taken.
std::vector<MovingBox> boxes_for(const roadmap::Grid& grid, int wanted, Random& random) {
  std::vector<MovingBox> boxes;
  while (static_cast<int>(cells_of(grid, boxes).cells().size()) < wanted) {
    const auto more = random_boxes(grid, 1, 3, 7, random);
    boxes.push_back(more[0]);
  }
  return boxes;
}

CellMask scattered(const roadmap::Grid& grid, int wanted, Random& random) {
  CellMask mask(grid);
  for (int k = 0; k < wanted; ++k) mask.set(random.index(grid.num_cells()));
  return mask;
}

// A thousand cells appear and go, in boxes or scattered; a cloud of boxes drifts on.
Film make_film(const roadmap::Grid& grid, const roadmap::CellLists& lists, int steps,
               Random& random) {
  Film film(grid, lists);
  const CellMask empty(grid);
  for (int k = 0; k < steps; ++k) {
    film.show(cells_of(grid, boxes_for(grid, 1000, random)), "boxes appear");
    film.show(empty, "boxes go");
  }
  for (int k = 0; k < steps; ++k) {
    film.show(scattered(grid, 1000, random), "scattered cells appear");
    film.show(empty, "scattered cells go");
  }
  auto boxes = boxes_for(grid, 2500, random);
  film.show(cells_of(grid, boxes), "");
  for (int k = 0; k < steps; ++k) {
    advance(boxes, grid);
    film.show(cells_of(grid, boxes), "boxes drift");
  }
  return film;
}

void add_rows(const std::string& robot, const roadmap::Model& model, const Film& film,
              const std::map<std::string, Run>& runs, Report& report) {
  for (const char* workload : {"boxes appear", "boxes go", "scattered cells appear",
                               "scattered cells go", "boxes drift"}) {
    std::vector<double> cells;
    std::map<std::string, std::vector<double>> times;
    bool equal = true;
    for (std::size_t k = 0; k < film.steps().size(); ++k) {
      const Step& step = film.steps()[k];
      if (step.workload != workload) continue;
      cells.push_back(static_cast<double>(step.occupied.size() + step.freed.size()));
      for (const auto& [method, run] : runs) {
        times[method].push_back(run.times[k]);
        equal &= run.digests[k] == runs.at("proven rows").digests[k];
      }
    }
    const double ours = quantile(times.at("proven rows"), 0.5);
    for (const char* method : {"proven rows", "naive lists", "CRoaring"}) {
      const auto found = times.find(method);
      if (found == times.end()) continue;
      const double median = quantile(found->second, 0.5);
      report.rows.emplace_back()
          .add("robot", robot)
          .add("cells", model.grid.num_cells())
          .add("what", workload)
          .add("arcs", model.graph.num_edges())
          .add("changed cells", quantile(cells, 0.5))
          .add("method", method)
          .add("median_ms", median / 1000)
          .add("p95_ms", quantile(found->second, 0.95) / 1000)
          .add("times ours", median / ours)
          .add("equal", equal ? "yes" : "NO");
    }
  }
}

void contest(const std::string& robot, const roadmap::Model& model, int steps,
             const Options& options, Report& report) {
  const roadmap::CellLists lists = list_items(model.edges_at);
  Random random(options.seed + 5);
  const Film film = make_film(model.grid, lists, steps, random);
  const int edges = model.graph.num_edges();
  std::map<std::string, Run> runs;
  std::size_t memory = 0;
  {
    roadmap::BlockedItems ours(model.grid, model.edges_at);
    memory = ours.size_bytes();
    runs["proven rows"] = play(
        film, edges, [&](const Step& step) { ours.update(step.occupied, step.freed); },
        [&](std::uint32_t edge) { return ours.contains(edge); });
  }
  {
    NaiveCounters naive(lists);
    runs["naive lists"] = play(
        film, edges, [&](const Step& step) { naive.update(step.occupied, step.freed); },
        [&](std::uint32_t edge) { return naive.is_blocked(edge); });
  }
#ifdef PROVEN_BENCH_WITH_ROARING
  {
    RoaringUnion roaring(lists);
    runs["CRoaring"] = play(
        film, edges, [&](const Step& step) { roaring.make_union(step.all); },
        [&](std::uint32_t edge) { return roaring.is_blocked(edge); });
  }
#endif
  add_rows(robot, model, film, runs, report);
  report.notes.push_back(fmt::format(
      "{}, {} cells: φa {:.1f} MB as 32-bit lists, {:.1f} MB in our file ({:.1f} times smaller), "
      "{:.1f} MB in memory with the unions of cubes.",
      robot, model.grid.num_cells(), 4e-6 * static_cast<double>(lists.items.size()),
      1e-6 * static_cast<double>(model.edges_at.size_bytes()),
      4.0 * static_cast<double>(lists.items.size()) /
          static_cast<double>(model.edges_at.size_bytes()),
      1e-6 * static_cast<double>(memory)));
}

// Near a node that is left; empty if none is found.
std::vector<double> free_end(const roadmap::Planner& planner, const JointGraph& graph,
                             Random& random) {
  for (int k = 0; k < 200; ++k) {
    const int node = random.index(graph.num_nodes());
    if (planner.blocked_nodes().contains(static_cast<std::uint32_t>(node))) continue;
    std::vector<double> q = graph.full(graph.node(node));
    for (std::size_t j = 0; j < graph.planned.size(); ++j) {
      double& value = q[static_cast<std::size_t>(graph.planned[j])];
      value += value < 0 ? 1e-3 : -1e-3;
    }
    return q;
  }
  return {};
}

Result<void> plans(const std::string& robot, const roadmap::Model& model, const Scene& scene,
                   int steps, const Options& options, Report& report) {
  auto planner = roadmap::Planner::create(model, scene);
  if (!planner.ok()) return planner.error();
  Random random(options.seed + 9);
  auto boxes = random_boxes(model.grid, 6, 3, 6, random);
  std::vector<double> voxels, update, plan, solved;
  const roadmap::QueryOptions query;
  for (int k = 0; k < steps; ++k) {
    advance(boxes, model.grid);
    CellMask mask(model.grid);
    voxels.push_back(1e6 * processor_seconds([&] { mask = cells_of(model.grid, boxes); }));
    update.push_back(1e6 * processor_seconds([&] { planner.value().set_occupied(mask); }));
    const auto start = free_end(planner.value(), model.graph, random);
    const auto goal = free_end(planner.value(), model.graph, random);
    if (start.empty() || goal.empty()) continue;  // a box covers the base: every node is blocked
    roadmap::QueryResult result;
    plan.push_back(1e6 * processor_seconds([&] {
                     result = planner.value().plan(start, goal, nullptr, query).value();
                   }));
    solved.push_back(result.status == roadmap::QueryStatus::solved);
  }
  for (const auto& [name, values] :
       {std::pair{"voxelise", &voxels}, std::pair{"update φn and φa", &update},
        std::pair{"plan", &plan}}) {
    Row& row = report.rows.emplace_back();
    row.add("robot", robot)
        .add("cells", model.grid.num_cells())
        .add("what", "moving boxes, then a plan")
        .add("arcs", model.graph.num_edges());
    row.add("method", name).add("median_ms", quantile(*values, 0.5) / 1000);
    row.add("p95_ms", quantile(*values, 0.95) / 1000);
  }
  double share = 0;
  for (const double s : solved) share += s / static_cast<double>(solved.size());
  report.notes.push_back(fmt::format("{}: {:.0f} % of {} random queries had a path.", robot,
                                     100 * share, solved.size()));
  return {};
}

Result<Report> run(const Options& options) {
  Report report;
  const int steps = options.cases_or(20, 200);
  const struct {
    bool planar;
    int joints;
    double cell;
  } kArms[] = {
      {true, 10, 1.0 / 32}, {false, 3, 1.0 / 12}, {false, 6, 1.0 / 12}, {false, 6, 1.0 / 24}};
  for (const auto& [planar, joints, cell] : kArms) {
    const ArmCase arm = make_arm_case(planar, joints);
    if (!options.robot.empty() && options.robot != arm.name) continue;
    auto settings = arm_options(arm, options.quick ? 4000 : 22000, options.threads, options.seed);
    settings.neighbours = 7;
    settings.cell = cell;
    auto model = roadmap::build(arm.scene, {}, arm.scene.home(), settings);
    if (!model.ok()) return model.error();
    contest(arm.name, model.value(), steps, options, report);
    if (auto done = plans(arm.name, model.value(), arm.scene, steps, options, report); !done.ok())
      return done.error();
  }
  report.notes.push_back(
      "One core, processor time; each way plays the whole film on its own. naive lists: a counter "
      "per arc, up and down. CRoaring: roaring_bitmap_or_many over all occupied cells, rows "
      "run-optimised; it cannot take cells back, so its time counts all of them. equal: all ways "
      "block the same arcs after every step.");
  return report;
}

}  // namespace

Benchmark drm_latency() {
  return {"drm-latency", "update and plan among moving obstacles, against lists and CRoaring", run,
          false, true};
}

}  // namespace proven::bench
