// Which cells arcs may touch: by a GPU where there is one, beside one thread and all. Blocks of the
// build are compared byte for byte.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <map>

#include "bench/bench.h"
#include "bench/plan/problems.h"
#include "proven/base/gpu.h"
#include "proven/base/parallel.h"
#include "proven/io/problem_set.h"
#include "proven/roadmap/roadmap.h"

namespace proven::bench {
namespace {

using Clock = std::chrono::steady_clock;
using roadmap::BuildBlock;
using roadmap::BuildStage;

constexpr double kCells[] = {0.05, 0.025};
constexpr int kBlock = 128;  // arcs of a block of the build
constexpr int kAlone = 16;   // blocks that one thread is timed on
constexpr int kRuns = 3;     // the fastest counts

using Known = std::map<std::pair<BuildStage, int>, BuildBlock>;

// Runs a build until the cells of the first arcs are listed, which are done anew: all else that is
// known is taken over. Tells how long they took, and which blocks differ from those that are known.
class CellsRun : public roadmap::BuildJournal {
 public:
  CellsRun(Known& known, int blocks) : known_(known), blocks_(blocks) {}

  Result<void> build(const Scene& scene, std::span<const int> planned,
                     roadmap::BuildOptions options) {
    options.journal = this;
    Budget budget;
    budget.cancel = &stop_;
    const auto model = roadmap::build(scene, planned, scene.home(), options, budget);
    if (!model.ok() && !stop_) return model.error();
    return {};
  }
  double seconds() const { return std::chrono::duration<double>(end_ - begin_).count(); }
  int done() const { return done_; }
  int differ() const { return differ_; }

  std::optional<BuildBlock> find(BuildStage stage, int block) override {
    if (stage == BuildStage::edge_cells && block < blocks_) {
      if (block == 0) begin_ = Clock::now();
      return std::nullopt;
    }
    const auto at = known_.find({stage, block});
    return at == known_.end() ? std::nullopt : std::optional(at->second);
  }
  void store(BuildStage stage, int block, std::span<const std::uint8_t> bytes) override {
    const auto [at, is_new] =
        known_.try_emplace({stage, block}, BuildBlock(bytes.begin(), bytes.end()));
    if (!is_new) differ_ += !std::ranges::equal(at->second, bytes);
    if (stage != BuildStage::edge_cells) return;
    end_ = Clock::now();
    stop_ = ++done_ == blocks_;
  }

 private:
  Known& known_;
  int blocks_, done_ = 0, differ_ = 0;
  std::atomic<bool> stop_ = false;
  Clock::time_point begin_, end_;
};

// Thousands of arcs a second.
struct Timed {
  double rate = 0;
  int differ = 0;
};
Result<Timed> time_cells(const Scene& scene, std::span<const int> planned,
                         const roadmap::BuildOptions& options, Known& known, int blocks) {
  Timed timed;
  for (int run = 0; run < kRuns; ++run) {
    CellsRun cells(known, blocks);
    if (auto done = cells.build(scene, planned, options); !done.ok()) return done.error();
    timed.rate = std::max(timed.rate, 1e-3 * kBlock * blocks / cells.seconds());
    timed.differ += cells.differ();
  }
  return timed;
}

Result<void> run_robot(const std::string& robot, const Options& options, Report& report) {
  const auto set = load_problem_set(problems_of(robot));
  if (!set.ok()) return set.error();
  const auto scene = build_scene(set.value().scene_without_obstacles);
  if (!scene.ok()) return scene.error();
  const auto problem = problem_scene(set.value(), 0);
  if (!problem.ok()) return problem.error();
  const auto query = problem_query(set.value(), 0, problem.value());
  if (!query.ok()) return query.error();
  const auto& planned = query.value().planned;
  const bool gpu = find_gpu().ok();
  roadmap::BuildOptions wanted;
  wanted.nodes = options.cases_or(300, gpu ? 4000 : 1000);
  wanted.seed = options.seed;
  wanted.threads = options.threads > 0 ? options.threads : default_threads();
  Known known;
  for (const double cell : kCells) {
    wanted.cell = cell;
    // Samples and proofs are the same for all cells.
    std::erase_if(known, [](const auto& block) { return block.first.first >= BuildStage::bounds; });
    int blocks = 0;
    {
      CellsRun first(known, std::numeric_limits<int>::max());
      if (auto done = first.build(scene.value(), planned, wanted); !done.ok()) return done;
      // The last one may hold fewer arcs.
      blocks = first.done() - 1;
    }
    if (blocks < 1) return bad_input("too few nodes to time anything", robot);
    const int few = std::min(blocks, kAlone);
    roadmap::BuildOptions alone = wanted, there = wanted;
    alone.threads = 1;
    there.device = gpu ? BatchDevice::gpu : BatchDevice::emulated;
    const auto one = time_cells(scene.value(), planned, alone, known, few);
    const auto threads = time_cells(scene.value(), planned, wanted, known, blocks);
    const auto device = time_cells(scene.value(), planned, there, known, blocks);
    for (const auto* timed : {&one, &threads, &device})
      if (!timed->ok()) return timed->error();
    const int differ = one.value().differ + threads.value().differ + device.value().differ;
    Row& row = report.rows.emplace_back();
    row.add("robot", robot).add("device", to_string(there.device)).add("cell", cell);
    row.add("arcs", kBlock * blocks).add("threads", wanted.threads);
    row.add("k/s", device.value().rate).add("k/s, one thread", one.value().rate);
    row.add("k/s, threads", threads.value().rate);
    row.add("/ one thread", device.value().rate / one.value().rate);
    row.add("/ threads", device.value().rate / threads.value().rate);
    row.add("other blocks", differ);
    report.failed = report.failed || differ > 0;
  }
  return {};
}

Result<Report> run(const Options& options) {
  Report report;
  if (auto ran = run_robots_and_scenes(
          options, {}, report,
          [&](const std::string& robot) { return run_robot(robot, options, report); },
          [](const std::string&) { return Result<void>(); });
      !ran.ok())
    return ran.error();
  report.notes.emplace_back(
      "'k/s': thousand arcs a second, from configurations to the sorted cells that each may touch, "
      "by the device. 'other blocks': of the build, whose bytes are not those of the first run by "
      "threads. Without a GPU its program runs on the host ('emulated').");
  return report;
}

}  // namespace

Benchmark drm_cells() {
  return {"drm-cells", "cells of arcs, on a GPU where there is one, beside threads", run, false,
          true};
}

}  // namespace proven::bench
