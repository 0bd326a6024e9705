// A million motions that a sampling planner finds among the obstacles of the problem sets: made,
// audited, and audited again by processes that are killed.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "audit/audit.h"
#include "audit/summary.h"
#include "bench/audit/planned_set.h"
#include "bench/plan/problems.h"
#include "bench/temporary_folder.h"
#include "proven/base/hash.h"
#include "proven/base/parallel.h"
#include "proven/base/processor_time.h"
#include "proven/base/random.h"
#include "proven/io/file.h"
#include "proven/io/journal.h"
#include "proven/io/loaded_parts.h"
#include "proven/io/scene_file.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of all threads of this program.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What the program holds now, in MB.
double resident_mb() {
  const auto text = read_file("/proc/self/statm");
  if (!text.ok()) return 0;
  return std::stod(text.value().substr(text.value().find(' '))) *
         static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

Result<Hash128> hash_of(const fs::path& rows) {
  Hasher hasher;
  const auto read = read_journal(rows, [&](std::string_view line) -> Result<void> {
    hasher.add(line);
    return {};
  });
  if (!read.ok()) return read.error();
  return hasher.finish();
}

// As the command does.
Result<Scene> load_with(const std::string& name, LoadedParts& parts) {
  SceneOptions options;
  options.cache = default_cache_folder();
  return load_scene(name, options, parts);
}

Result<audit::AuditRun> audit_into(const DataSet& set, const fs::path& rows, int threads,
                                   const Budget& budget) {
  LoadedParts parts;
  const auto load = [&](const std::string& name) { return load_with(name, parts); };
  return audit::run(set, {}, {}, {rows, {}}, load, "{}", threads, budget);
}

// Processes that audit are killed, so many, at random moments of the time that a whole run takes;
// the last one is not.
Result<int> audit_with_kills(const DataSet& set, const fs::path& rows, const Options& options,
                             int kills, double seconds) {
  Random random(options.seed);
  int killed = 0;
  for (int i = 0; i <= kills; ++i) {
    const pid_t child = ::fork();
    if (child < 0) return bad_input("no process can be started");
    if (child == 0) ::_exit(audit_into(set, rows, options.threads, {}).ok() ? 0 : 1);
    if (i < kills) {
      std::this_thread::sleep_for(
          std::chrono::duration<double>(seconds / kills * random.uniform(0.5, 1)));
      ::kill(child, SIGKILL);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child) return bad_input("a process got lost");
    killed += WIFSIGNALED(status);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return bad_input("an audit failed");
  }
  return killed;
}

// Seconds of processor time per path that checks alone take, of motions in memory: of some groups.
Result<double> measure_checks(const DataSet& set, int threads) {
  constexpr std::size_t kGroups = 20;
  const auto& groups = set.groups();
  double seconds = 0;
  std::int64_t count = 0;
  LoadedParts parts;
  for (std::size_t i = 0; i < std::min(kGroups, groups.size()); ++i) {
    const PathGroup& group = groups[i * groups.size() / std::min(kGroups, groups.size())];
    const auto scene = load_with(group.scene, parts);
    if (!scene.ok()) return scene.error();
    std::vector<std::string> joints;
    for (const Coordinate& c : scene.value().tree().coordinates()) joints.push_back(c.name);
    const auto items = set.read(group, 0, group.size, joints);
    if (!items.ok()) return items.error();
    std::vector<Motion> motions;
    for (const PathItem& item : items.value()) {
      auto motion = read_item(item, scene.value(), {});
      if (!motion.ok()) return motion.error();
      motions.push_back(std::move(motion).value());
    }
    CheckOptions check;
    check.limits = Limits::ignore;  // random values go where they like
    check.sweep = true;
    const auto model = CheckModel::build(scene.value(), check);
    if (!model.ok()) return model.error();
    model.value().prepare_sweeps();
    const double before = processor_time();
    std::vector<Scratch> scratch(static_cast<std::size_t>(threads));
    parallel_for(static_cast<int>(motions.size()), threads, [&](int item, int thread) {
      (void)model.value().check(motions[static_cast<std::size_t>(item)],
                                scratch[static_cast<std::size_t>(thread)]);
    });
    seconds += processor_time() - before;
    count += group.size;
  }
  return seconds / static_cast<double>(count);
}

Result<void> make(const std::string& robot, const fs::path& data, const fs::path& folder, int count,
                  const Options& options) {
  const auto set = load_problem_set(data / "problems.json");
  if (!set.ok()) return set.error();
  ProblemSetOptions with_spheres;
  with_spheres.robot = data / (robot + "_spherized.urdf");
  const auto spheres = load_problem_set(data / "problems.json", with_spheres);
  if (!spheres.ok()) return spheres.error();
  const auto chosen =
      choose_problems(set.value(), options.set, options.quick ? 12 : set.value().size());
  if (!chosen.ok()) return chosen.error();
  return make_planned_set(set.value(), spheres.value(), chosen.value(), count, folder, options);
}

Result<void> run_robot(const std::string& robot, const fs::path& data, const fs::path& folder,
                       const Options& options, Report& report) {
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const int count = options.cases_or(3'000, 500'000);
  const auto start_making = Clock::now();
  const bool is_there = fs::exists(folder / "set.json");
  if (!is_there)
    if (auto made = make(robot, data, folder, count, options); !made.ok()) return made;
  const double making = seconds_since(start_making);

  const double before = resident_mb(), processor_before = processor_time();
  const auto start = Clock::now();
  const auto set = DataSet::open(folder / "set.json");
  if (!set.ok()) return set.error();
  const double opening = seconds_since(start);
  double most = 0;
  Budget budget;
  budget.progress = [&](const Progress& progress) {
    most = std::max(most, resident_mb());
    options.progress(static_cast<double>(progress.done) / static_cast<double>(progress.total));
  };
  const auto run = audit_into(set.value(), folder / "audit.jsonl", threads, budget);
  if (!run.ok()) return run.error();
  const double seconds = seconds_since(start), processor = processor_time() - processor_before;
  const auto summary = audit::summarise(folder / "audit.jsonl");
  if (!summary.ok()) return summary.error();

  const auto killed = audit_with_kills(set.value(), folder / "killed.jsonl", options,
                                       options.quick ? 3 : 10, seconds);
  if (!killed.ok()) return killed.error();
  const auto whole = hash_of(folder / "audit.jsonl"), parts = hash_of(folder / "killed.jsonl");
  if (!whole.ok()) return whole.error();
  if (!parts.ok()) return parts.error();
  const bool same = whole.value() == parts.value();
  const auto checks = measure_checks(set.value(), threads);
  if (!checks.ok()) return checks.error();
  if (!options.kept.folder.empty() && options.kept.write_page)
    if (auto written = options.kept.write_page(folder / "set.json", folder / "audit.jsonl",
                                               folder / "audit.html");
        !written.ok())
      return written;

  const audit::Counts& counts = summary.value().counts;
  const auto judged = static_cast<double>(run.value().count - run.value().resumed);
  Row& row = report.rows.emplace_back();
  row.add("robot", robot).add("groups", static_cast<std::int64_t>(set.value().groups().size()));
  row.add("paths", counts.all());
  if (!is_there) row.add("s to make", making);
  row.add("s to open", opening).add("s to audit", seconds).add("paths / s", judged / seconds);
  row.add("us of a core per path", 1e6 * processor / judged);
  row.add("us, checks alone", 1e6 * checks.value());
  row.add("MB more", std::max(0.0, most - before));
  row.add("free", counts.free).add("collide", counts.collision);
  row.add("undecided", counts.undecided).add("errors", counts.error);
  row.add("kills", killed.value()).add("same bytes", same ? "yes" : "no");
  report.failed = report.failed || !same || counts.error > 0 || counts.all() != run.value().count;
  return {};
}

Result<Report> run(const Options& options) {
  if (auto known = require_problem_robot(options); !known.ok()) return known.error();
  Report report;
  for (const std::string& robot : problem_robots(options, report)) {
    const fs::path data = problems_of(robot).parent_path();
    std::optional<TemporaryFolder> own;
    if (options.kept.folder.empty()) own.emplace(fmt::format("million_{}", robot));
    const fs::path folder = own ? *own / robot : options.kept.folder / robot;
    if (auto done = run_robot(robot, data, folder, options, report); !done.ok())
      return done.error();
  }
  report.notes.emplace_back(
      "Motions from near the start of each problem to near its goal, by a vectorised sampling "
      "planner on a robot of spheres, simplified; an array for each problem. --cases: so many for "
      "each robot. They are audited once, then by processes of which all but the last are killed: "
      "the rows must be the same to the byte. Times per path are of the processor, all threads "
      "together, opening and writing included; `checks alone` is of some groups, motions and "
      "models in memory. With --keep FOLDER a data set that is there is taken, and its audit gone "
      "on with.");
  return report;
}

}  // namespace

Benchmark million() {
  return {
      "million", "a million planned motions: made, audited, audited again with kills in between",
      run,       true,
      true,      true};
}

}  // namespace proven::bench
