// Audits of generated data sets: paths per second beside checks alone, memory, and bytes.
#include "audit/audit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>

#include "audit/summary.h"
#include "bench/bench.h"
#include "bench/data.h"
#include "bench/plan/ompl_rival.h"
#include "bench/temporary_folder.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/io/file.h"
#include "proven/io/problem_set.h"
#include "proven/io/scene_writer.h"
#include "proven/kinematics/interpolation.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Lines of one file of the data set, which is made in parts: a million motions are not kept.
constexpr int kPart = 20'000;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What the program holds now, in MB.
double resident_mb() {
  const auto text = read_file("/proc/self/statm");
  if (!text.ok()) return 0;
  return std::stod(text.value().substr(text.value().find(' '))) *
         static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// Edges as a sampling planner accepts them: towards a random configuration by at most 0.5 in joint
// space, no collision at steps of 0.1.
class Edges {
 public:
  Edges(const Scene& scene, std::uint64_t seed) : scene_(scene), random_(seed) {
    CheckOptions sampling;
    sampling.limits = Limits::ignore;  // random values go where they like
    sampling.checker = Checker::fixed;
    sampling.step = 0.1;
    model_.emplace(CheckModel::build(scene, sampling).value());
  }

  Motion next() {
    for (;;) {
      Motion motion;
      const std::vector<double> from = random_configuration(scene_.tree(), random_),
                                to = random_configuration(scene_.tree(), random_);
      double square = 0;
      for (std::size_t i = 0; i < from.size(); ++i) square += (to[i] - from[i]) * (to[i] - from[i]);
      std::vector<double> end(from.size());
      interpolate(scene_.tree(), from, to, std::min(1.0, 0.5 / std::sqrt(square)), end);
      motion.waypoints = {from, end};
      const auto result = model_->check(motion, scratch_);
      if (result.ok() && result.value().verdict == Verdict::undecided) return motion;
    }
  }

 private:
  const Scene& scene_;
  Random random_;
  std::optional<CheckModel> model_;
  Scratch scratch_;
};

#ifdef PROVEN_BENCH_WITH_OMPL
// Edges of paths that OMPL's RRTConnect finds with FCL at its default step, from one random
// configuration to another.
class PlannedEdges {
 public:
  PlannedEdges(const Scene& scene, Query query, std::uint64_t seed)
      : scene_(scene),
        query_(std::move(query)),
        random_(seed),
        seed_(seed),
        model_(CheckModel::build(scene).value()) {}

  Motion next() {
    while (waiting_.empty()) plan();
    Motion motion = std::move(waiting_.back());
    waiting_.pop_back();
    return motion;
  }

 private:
  static constexpr double kSeconds = 2;

  std::vector<double> free_configuration() {
    for (;;) {
      const std::vector<double> drawn = random_configuration(scene_.tree(), random_);
      std::vector<double> q = query_.start;
      for (const int c : query_.planned)
        q[static_cast<std::size_t>(c)] = drawn[static_cast<std::size_t>(c)];
      if (model_.check_configuration(q, scratch_).verdict == Verdict::free) return q;
    }
  }
  void plan() {
    Query query = query_;
    query.start = free_configuration();
    query.goal = free_configuration();
    const RivalResult result = solve_with_rival(scene_, query, 0, kSeconds, seed_++);
    for (std::size_t i = 1; result.solved && i < result.raw.waypoints.size(); ++i) {
      Motion edge;
      edge.waypoints = {result.raw.waypoints[i - 1], result.raw.waypoints[i]};
      waiting_.push_back(std::move(edge));
    }
  }

  const Scene& scene_;
  Query query_;
  Random random_;
  std::uint64_t seed_;
  CheckModel model_;
  Scratch scratch_;
  std::vector<Motion> waiting_;
};
#endif

struct Subject {
  std::string name;
  Scene scene;
};

Result<void> measure(const Subject& subject, int count, const std::function<Motion()>& next,
                     const Options& options, Report& report) {
  const TemporaryFolder folder("audit");
  std::vector<Motion> kept;  // for checks alone
  const auto start_making = Clock::now();
  std::string manifest =
      "{\"proven\":1,\"groups\":[{\"name\":\"all\",\"scene\":\"scene\",\"paths\":[";
  for (int begin = 0; begin < count; begin += kPart) {
    std::string text;
    for (int i = begin; i < std::min(count, begin + kPart); ++i) {
      Motion motion = next();
      text += path_line(motion, subject.scene) + "\n";
      if (i < 20'000) kept.push_back(std::move(motion));
    }
    const std::string name = fmt::format("{}.jsonl", begin / kPart);
    if (auto written = write_file(folder / name, text); !written.ok()) return written;
    manifest += fmt::format("{}\"{}\"", begin == 0 ? "" : ",", name);
  }
  const double making = seconds_since(start_making);
  if (auto written = write_file(folder / "set.json", manifest + "]}]}"); !written.ok())
    return written;
  CheckOptions alone;
  alone.limits = Limits::ignore;  // random values go where they like
  alone.sweep = kept.size() >= 2000;
  (void)check_all(subject.scene, std::span(kept).first(std::min<std::size_t>(kept.size(), 100)),
                  alone, options.threads);
  const auto start_alone = Clock::now();
  const auto checked = check_all(subject.scene, kept, alone, options.threads);
  const double checks = static_cast<double>(kept.size()) / seconds_since(start_alone);
  kept = {};

  const double before = resident_mb();
  const auto start = Clock::now();
  const auto set = DataSet::open(folder / "set.json");
  if (!set.ok()) return set.error();
  const double opening = seconds_since(start);
  const auto load = [&](const std::string&) { return Result<Scene>(subject.scene); };
  double most = 0;
  Budget budget;
  budget.progress = [&](const Progress&) { most = std::max(most, resident_mb()); };
  for (const bool certificates : {false, true}) {
    audit::AuditOptions audited;
    audited.check.certificate = certificates;
    const audit::AuditFiles files{folder / fmt::format("rows{}.jsonl", certificates),
                                  certificates ? folder / "proofs" : fs::path()};
    const auto begin = Clock::now();
    const auto run =
        audit::run(set.value(), audited, {}, files, load, "{}", options.threads, budget);
    if (!run.ok()) return run.error();
    const double seconds = seconds_since(begin);
    const auto summary = audit::summarise(files.results);
    if (!summary.ok()) return summary.error();
    const audit::Counts& counts = summary.value().counts;
    Row& row = report.rows.emplace_back();
    const double n = count;
    row.add("scene", subject.name).add("motions", count);
    row.add("certificates", certificates ? "yes" : "no");
    row.add("paths / s", n / seconds);
    row.add("checks alone / s", checks);
    row.add("collide, %", 100 * static_cast<double>(counts.collision) / n);
    row.add("undecided", counts.undecided);
    row.add("bytes per row", static_cast<double>(fs::file_size(files.results)) / n);
    if (certificates)
      row.add("bytes per certificate", static_cast<double>(fs::file_size(files.archive)) / n);
    row.add("MB more", std::max(0.0, most - before));
    row.add("s to open", opening);
    row.add("s to make", making);
    row.add("h for a million", 1e6 * seconds / n / 3600);
    report.failed = report.failed || counts.error > 0 || counts.all() != count;
  }
  return {};
}

Result<Report> run(const Options& options) {
  Report report;
  const int count = options.cases_or(2'000, 100'000);
  for (const std::string name : {"demo", "cage-a"}) {
    if (!options.set.empty() && options.set != name) continue;
    Subject subject{name, build_scene(make_scene(name).value()).value()};
    // Four times as many: what memory does.
    for (const int times : {1, 4}) {
      Edges edges(subject.scene, options.seed);
      if (auto done = measure(
              subject, count * times / 4, [&] { return edges.next(); }, options, report);
          !done.ok())
        return done.error();
    }
  }
  if (options.set.empty() || options.set == "panda") {
    const auto set = load_problem_set(data_dir() / "motionbenchmaker" / "panda" / "problems.json");
    if (!set.ok()) {
      report.notes.push_back("skipped: " + set.error().text());
    } else {
      auto scene = problem_scene(set.value(), 0);
      if (!scene.ok()) return scene.error();
      Subject subject{"panda, " + set.value().problems[0].set, std::move(scene).value()};
#ifdef PROVEN_BENCH_WITH_OMPL
      const auto query = problem_query(set.value(), 0, subject.scene);
      if (!query.ok()) return query.error();
      PlannedEdges edges(subject.scene, query.value(), options.seed);
#else
      Edges edges(subject.scene, options.seed);
#endif
      if (auto done = measure(
              subject, count / 4, [&] { return edges.next(); }, options, report);
          !done.ok())
        return done.error();
    }
  }
  report.notes.emplace_back(
      "Edges of 0.5 in joint space that a sampling planner accepts at steps of 0.1; of the Panda, "
      "edges of paths that OMPL's RRTConnect finds with FCL at its default step. All as lines of "
      "JSON. "
      "Rows are written, and archives finished; `checks alone` is check_all on the first 20,000 in "
      "memory, with the same threads. `MB more`: the most that the program held while it audited, "
      "beyond before. The last column is the rate carried on to a million, not measured unless "
      "--cases 1000000.");
  return report;
}

}  // namespace

Benchmark audit_benchmark() {
  return {"audit", "paths per second, memory and bytes of audits, beside checks alone", run, true};
}

}  // namespace proven::bench
