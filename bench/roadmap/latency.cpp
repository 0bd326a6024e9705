// Update and plan while obstacles move: rows of dynamic roadmaps against plain lists and CRoaring,
// on one core in the same run.
#include <fmt/format.h>
#include <time.h>

#include <map>

#include "bench/bench.h"
#include "bench/roadmap/moving_boxes.h"
#include "bench/roadmap/rivals.h"
#include "bench/roadmap/robots.h"
#include "proven/roadmap/planner.h"

namespace proven::bench {
namespace {

using roadmap::CellMask;

// Of the processor, so that other programs on the machine do not count.
double thread_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double time_us(Work&& work) {
  const double start = thread_us();
  work();
  return thread_us() - start;
}

struct Change {
  std::vector<std::uint32_t> occupied, freed;
  std::size_t size() const { return occupied.size() + freed.size(); }
};

Change between(const CellMask& before, const CellMask& after) {
  Change change;
  for (const std::uint32_t cell : after.cells())
    if (!before.test(static_cast<int>(cell))) change.occupied.push_back(cell);
  for (const std::uint32_t cell : before.cells())
    if (!after.test(static_cast<int>(cell))) change.freed.push_back(cell);
  return change;
}

// The ways to keep the blocked arcs, fed with the same changes.
class Contest {
 public:
  Contest(const roadmap::Model& model, const roadmap::CellSets& sets)
      : model_(model), naive_(sets), ours_(model.grid, model.arcs) {
#ifdef PROVEN_BENCH_WITH_ROARING
    roaring_ = std::make_unique<RoaringUnion>(sets);
#endif
  }

  // False if the ways disagree.
  bool step(const CellMask& now, std::map<std::string, std::vector<double>>& times) {
    const Change change = between(ours_.occupied(), now);
    times["cells"].push_back(static_cast<double>(change.size()));
    times["proven rows"].push_back(time_us([&] { ours_.update(change.occupied, change.freed); }));
    times["naive lists"].push_back(time_us([&] { naive_.update(change.occupied, change.freed); }));
    bool equal = true;
#ifdef PROVEN_BENCH_WITH_ROARING
    const auto all = now.cells();
    times["CRoaring"].push_back(time_us([&] { roaring_->make_union(all); }));
#endif
    for (std::uint32_t a = 0; a < static_cast<std::uint32_t>(model_.graph.num_arcs()); a += 7) {
      equal &= ours_.is_blocked(a) == naive_.is_blocked(a);
#ifdef PROVEN_BENCH_WITH_ROARING
      equal &= ours_.is_blocked(a) == roaring_->is_blocked(a);
#endif
    }
    return equal;
  }
#ifdef PROVEN_BENCH_WITH_ROARING
  std::size_t roaring_bytes() const {
    return roaring_->size_bytes();
  }
#endif

 private:
  const roadmap::Model& model_;
  NaiveCounters naive_;
  roadmap::Blockage ours_;
#ifdef PROVEN_BENCH_WITH_ROARING
  std::unique_ptr<RoaringUnion> roaring_;
#endif
};

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

void add_rows(const std::string& robot, const std::string& workload, const roadmap::Model& model,
              const std::map<std::string, std::vector<double>>& times, bool equal, Report& report) {
  const double ours = quantile(times.at("proven rows"), 0.5);
  for (const char* method : {"proven rows", "naive lists", "CRoaring"}) {
    const auto found = times.find(method);
    if (found == times.end()) continue;
    Row& row = report.rows.emplace_back();
    row.add("robot", robot)
        .add("cells", model.grid.num_cells())
        .add("what", workload)
        .add("arcs", model.graph.num_arcs());
    row.add("changed cells", quantile(times.at("cells"), 0.5)).add("method", method);
    const double median = quantile(found->second, 0.5);
    row.add("median_ms", median / 1000).add("p95_ms", quantile(found->second, 0.95) / 1000);
    row.add("times ours", median / ours).add("equal", equal ? "yes" : "NO");
  }
}

void contest(const std::string& robot, const roadmap::Model& model, int steps,
             const Options& options, Report& report) {
  const roadmap::CellSets sets = decode_sets(model.arcs);
  Random random(options.seed + 5);
  const CellMask empty(model.grid);
  Contest ways(model, sets);
  // A thousand cells appear and go; scattered cells; a cloud of boxes drifts on.
  std::map<std::string, std::vector<double>> appear, go, scatter, drift;
  bool equal = true;
  for (int k = 0; k < steps; ++k) {
    equal &= ways.step(cells_of(model.grid, boxes_for(model.grid, 1000, random)), appear);
    equal &= ways.step(empty, go);
  }
  add_rows(robot, "boxes appear", model, appear, equal, report);
  for (int k = 0; k < steps; ++k) {
    equal &= ways.step(scattered(model.grid, 1000, random), scatter);
    std::map<std::string, std::vector<double>> ignored;
    ways.step(empty, ignored);
  }
  add_rows(robot, "scattered cells appear", model, scatter, equal, report);
  auto boxes = boxes_for(model.grid, 2500, random);
  std::map<std::string, std::vector<double>> first;
  ways.step(cells_of(model.grid, boxes), first);
  for (int k = 0; k < steps; ++k) {
    advance(boxes, model.grid);
    equal &= ways.step(cells_of(model.grid, boxes), drift);
  }
  add_rows(robot, "boxes drift", model, drift, equal, report);
  report.notes.push_back(fmt::format(
      "{}: φa {:.1f} MB as 32-bit lists, {:.1f} MB in our rows with the unions of blocks.", robot,
      4e-6 * static_cast<double>(sets.items.size()),
      1e-6 * static_cast<double>(model.arcs.size_bytes())));
}

// Near a node that is left; empty if none is found.
std::vector<double> free_end(const roadmap::Planner& planner, const roadmap::Graph& graph,
                             Random& random) {
  for (int k = 0; k < 200; ++k) {
    const int node = random.index(graph.num_nodes());
    if (planner.nodes().is_blocked(static_cast<std::uint32_t>(node))) continue;
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
    voxels.push_back(time_us([&] { mask = cells_of(model.grid, boxes); }));
    update.push_back(time_us([&] { planner.value().set_occupied(mask); }));
    const auto start = free_end(planner.value(), model.graph, random);
    const auto goal = free_end(planner.value(), model.graph, random);
    if (start.empty() || goal.empty()) continue;  // a box covers the base: every node is blocked
    roadmap::QueryResult result;
    plan.push_back(
        time_us([&] { result = planner.value().plan(start, goal, nullptr, query).value(); }));
    solved.push_back(result.status == roadmap::QueryStatus::solved);
  }
  for (const auto& [name, values] :
       {std::pair{"voxelise", &voxels}, std::pair{"update φn and φa", &update},
        std::pair{"plan", &plan}}) {
    Row& row = report.rows.emplace_back();
    row.add("robot", robot)
        .add("cells", model.grid.num_cells())
        .add("what", "moving boxes, then a plan")
        .add("arcs", model.graph.num_arcs());
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
  } kArms[] = {{true, 10, 1.0 / 32}, {false, 3, 1.0 / 12}, {false, 6, 1.0 / 12}};
  for (const auto& [planar, joints, cell] : kArms) {
    const ArmCase arm = make_arm_case(planar, joints);
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
      "One core, processor time. naive lists: a counter per arc, up and down. CRoaring: "
      "roaring_bitmap_or_many "
      "over "
      "all occupied cells, rows run-optimised; it cannot take cells back, so its time counts all "
      "of "
      "them. equal: all ways block the same arcs.");
  return report;
}

}  // namespace

Benchmark drm_latency() {
  return {"drm-latency", "update and plan among moving obstacles, against lists and CRoaring", run};
}

}  // namespace proven::bench
