// Problem sets end to end: planned by OMPL with FCL at its default step and simplified, then
// audited, repaired, and every certificate verified; all files can be kept, with the audit's page.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "audit/audit.h"
#include "audit/repair.h"
#include "audit/summary.h"
#include "audit/table.h"
#include "bench/audit/planned_set.h"
#include "bench/bench.h"
#include "bench/plan/ompl_rival.h"
#include "bench/plan/problems.h"
#include "bench/temporary_folder.h"
#include "proven/io/document.h"
#include "proven/io/file.h"
#include "proven/io/journal.h"
#include "proven/io/loaded_parts.h"
#include "proven/io/problem_set.h"
#include "proven/io/proof_archive.h"
#include "proven/io/scene_file.h"
#include "proven/verify/verify.h"

namespace proven::bench {
namespace {

#ifdef PROVEN_BENCH_WITH_OMPL

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kBudget = 10;  // seconds per plan

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What planning came to.
struct Planned {
  int problems = 0, plans = 0, solved = 0;
  std::vector<double> milliseconds;  // of processor time, search and simplifying
};

// Writes a scene for each problem beside the robot, which is written once, and the paths of all
// seeds; a manifest names them.
class Maker {
 public:
  Maker(const ProblemSet& set, fs::path folder) : set_(set), folder_(std::move(folder)) {}

  Result<Planned> make(const std::vector<int>& problems, int plans, std::uint64_t seed,
                       const Options& options) {
    if (auto written = write_robot(set_, folder_); !written.ok()) return written.error();
    Planned planned;
    std::vector<WrittenGroup> groups;
    const int count = static_cast<int>(problems.size());
    for (int i = 0; i < count; ++i) {
      // Problems are planned again with other seeds if more is asked for than there are.
      const int rounds = plans / count + (i < plans % count ? 1 : 0);
      const auto group = plan_one(problems[static_cast<std::size_t>(i)], rounds, seed, planned);
      if (!group.ok()) return group.error();
      groups.push_back(group.value());
      options.progress(0.7 * (i + 1) / count);
    }
    if (auto written = write_manifest(groups, folder_ / "set.json"); !written.ok())
      return written.error();
    return planned;
  }

 private:
  Result<WrittenGroup> plan_one(int index, int rounds, std::uint64_t seed, Planned& planned) const {
    const auto scene = problem_scene(set_, index);
    if (!scene.ok()) return scene.error();
    const auto query = problem_query(set_, index, scene.value());
    if (!query.ok()) return query.error();
    std::string lines;
    ++planned.problems;
    for (int round = 0; round < rounds; ++round) {
      const RivalResult result = solve_with_rival(scene.value(), query.value(), 0, kBudget,
                                                  seed + static_cast<std::uint64_t>(round));
      ++planned.plans;
      if (!result.solved) continue;
      ++planned.solved;
      planned.milliseconds.push_back(result.milliseconds + result.simplify_milliseconds);
      lines += path_line(result.simplified, scene.value()) + "\n";
    }
    if (lines.empty()) return WrittenGroup{};
    const auto name = write_problem(set_, index, folder_);
    if (!name.ok()) return name.error();
    if (auto written = write_file(folder_ / name.value() / "paths.jsonl", lines); !written.ok())
      return written.error();
    return WrittenGroup{name.value(), "paths.jsonl"};
  }

  const ProblemSet& set_;
  fs::path folder_;
};

struct Verified {
  std::int64_t accepted = 0, rejected = 0;
};

// Every certificate of the archive, by the independent verifier.
Result<Verified> verify_all(const DataSet& set, const fs::path& archive) {
  auto reader = ProofReader::open(archive);
  if (!reader.ok()) return reader.error();
  Verified verified;
  const PathGroup* group = nullptr;
  std::optional<Scene> scene;
  std::optional<SceneSource> source;  // the verifier refers to it
  std::optional<Verifier> verifier;
  std::vector<std::string> joints;
  for (;;) {
    auto record = reader.value().next();
    if (!record.ok()) return record.error();
    if (!record.value()) break;
    const PathGroup& of = set.group_of(record.value()->path);
    if (&of != group) {
      verifier.reset();
      auto loaded = load_scene_source(of.scene);
      if (!loaded.ok()) return loaded.error();
      source = std::move(loaded).value();
      auto built = build_scene(*source);
      if (!built.ok()) return built.error();
      scene = std::move(built).value();
      verifier.emplace(*source, VerifyOptions{});
      joints.clear();
      for (const Coordinate& c : scene->tree().coordinates()) joints.push_back(c.name);
      group = &of;
    }
    const std::int64_t at = record.value()->path - of.begin;
    const auto items = set.read(of, at, at + 1, joints);
    if (!items.ok()) return items.error();
    const auto motion = read_item(items.value()[0], *scene, {});
    if (!motion.ok()) return motion.error();
    const bool accepted = verifier->verify(motion.value(), record.value()->certificate).accepted;
    ++(accepted ? verified.accepted : verified.rejected);
  }
  return verified;
}

// The repaired paths as a data set of their own, in the same scenes.
Result<std::int64_t> write_repaired(const DataSet& set, const fs::path& folder) {
  std::map<std::string, std::string> lines;
  bool first = true;
  std::int64_t count = 0;
  const auto read =
      read_journal(folder / "repairs.jsonl", [&](std::string_view line) -> Result<void> {
        if (std::exchange(first, false)) return {};
        constexpr std::string_view kPath = "\"path\":";
        const std::size_t path = line.find(std::string(kPath) + "{");
        if (path == std::string_view::npos) return {};
        ++count;
        return io::read_json_with(folder, line, [&](const io::Node& row) {
          // It is the last of the row.
          const std::size_t begin = path + kPath.size();
          lines[row.at("group").string()] += line.substr(begin, line.size() - begin - 1);
          lines[row.at("group").string()] += "\n";
        });
      });
  if (!read.ok()) return read.error();
  std::vector<WrittenGroup> groups;
  for (const PathGroup& group : set.groups()) {
    const auto found = lines.find(group.name);
    if (found == lines.end()) continue;
    if (auto written = write_file(folder / group.name / "repaired.jsonl", found->second);
        !written.ok())
      return written.error();
    groups.push_back({group.name, "repaired.jsonl"});
  }
  if (auto written = write_manifest(groups, folder / "repaired.json"); !written.ok())
    return written.error();
  return count;
}

struct Audited {
  audit::Counts counts;
  Verified verified;
  double seconds = 0, verify_seconds = 0;
};

Result<Audited> audit_and_verify(const DataSet& set, const fs::path& folder,
                                 const std::string& name, const audit::SceneLoader& load,
                                 int threads) {
  Audited result;
  audit::AuditOptions options;
  options.check.certificate = true;
  const audit::AuditFiles files{folder / (name + ".jsonl"), folder / (name + ".proofs")};
  auto start = Clock::now();
  const auto run = audit::run(set, options, {}, files, load, "{}", threads, {});
  if (!run.ok()) return run.error();
  result.seconds = seconds_since(start);
  const auto summary = audit::summarise(files.results);
  if (!summary.ok()) return summary.error();
  result.counts = summary.value().counts;
  start = Clock::now();
  const auto verified = verify_all(set, files.archive);
  if (!verified.ok()) return verified.error();
  result.verify_seconds = seconds_since(start);
  result.verified = verified.value();
  return result;
}

Result<void> run_robot(const std::string& robot, const fs::path& file, const fs::path& folder,
                       const Options& options, Report& report) {
  const auto set = load_problem_set(file);
  if (!set.ok()) return set.error();
  const auto chosen =
      choose_problems(set.value(), options.set, options.cases_or(21, set.value().size()));
  if (!chosen.ok()) return chosen.error();
  const int plans = std::max(options.cases, static_cast<int>(chosen.value().size()));
  const auto planned =
      Maker(set.value(), folder).make(chosen.value(), plans, options.seed, options);
  if (!planned.ok()) return planned.error();
  const auto data = DataSet::open(folder / "set.json");
  if (!data.ok()) return data.error();
  LoadedParts parts;
  const auto load = [&](const std::string& name) { return load_scene(name, {}, parts); };
  const auto audited = audit_and_verify(data.value(), folder, "audit", load, options.threads);
  if (!audited.ok()) return audited.error();
  options.progress(0.85);
  const auto start = Clock::now();
  const auto repaired = audit::repair(data.value(), {}, options.seed, folder / "audit.jsonl",
                                      folder / "repairs.jsonl", load, options.threads, {});
  if (!repaired.ok()) return repaired.error();
  const double repairing = seconds_since(start);
  const auto count = write_repaired(data.value(), folder);
  if (!count.ok()) return count.error();
  Audited again;
  if (count.value() > 0) {
    const auto reopened = DataSet::open(folder / "repaired.json");
    if (!reopened.ok()) return reopened.error();
    const auto judged =
        audit_and_verify(reopened.value(), folder, "repaired", load, options.threads);
    if (!judged.ok()) return judged.error();
    again = judged.value();
  }
  if (const KeptFiles& kept = options.kept; !kept.folder.empty()) {
    if (auto written = audit::write_table(folder / "audit.jsonl", folder / "audit.csv");
        !written.ok())
      return written;
    if (kept.write_page)
      if (auto written =
              kept.write_page(folder / "set.json", folder / "audit.jsonl", folder / "audit.html");
          !written.ok())
        return written;
  }
  const Planned& p = planned.value();
  const audit::Counts& counts = audited.value().counts;
  Row& row = report.rows.emplace_back();
  row.add("robot", robot).add("set", options.set.empty() ? "all" : options.set);
  row.add("problems", p.problems).add("plans", p.plans).add("solved", p.solved);
  row.add("plan ms median", quantile(p.milliseconds, 0.5));
  row.add("free", counts.free).add("collide", counts.collision);
  row.add("undecided", counts.undecided);
  row.add("collide, %", 100 * static_cast<double>(counts.collision) /
                            static_cast<double>(std::max<std::int64_t>(1, counts.all())));
  row.add("certificates accepted", audited.value().verified.accepted);
  row.add("rejected", audited.value().verified.rejected + again.verified.rejected);
  row.add("repaired", repaired.value().repaired);
  row.add("repaired, accepted", again.verified.accepted);
  row.add("audit s", audited.value().seconds).add("verify s", audited.value().verify_seconds);
  row.add("repair s", repairing);
  report.failed = report.failed || counts.error > 0 || counts.all() != p.solved ||
                  audited.value().verified.rejected + again.verified.rejected > 0 ||
                  audited.value().verified.accepted != counts.free + counts.collision ||
                  again.verified.accepted != repaired.value().repaired ||
                  again.counts.free != repaired.value().repaired;
  return {};
}

Result<Report> run(const Options& options) {
  if (auto known = require_problem_robot(options); !known.ok()) return known.error();
  Report report;
  for (const std::string& robot : problem_robots(options, report)) {
    std::optional<TemporaryFolder> own;
    if (options.kept.folder.empty()) own.emplace(fmt::format("problem_sets_{}", robot));
    const fs::path folder = own ? *own / robot : options.kept.folder / robot;
    if (fs::exists(folder / "set.json"))
      return bad_input("there is a data set already; keep the files elsewhere", folder.string());
    if (auto done = run_robot(robot, problems_of(robot), folder, options, report); !done.ok())
      return done.error();
  }
  report.notes.emplace_back(
      "Each problem by OMPL's RRTConnect with FCL at its default step, and its own simplifier; the "
      "simplified paths are a data set. It is audited with certificates, what collides is "
      "repaired, "
      "the repaired paths are audited in turn, and every certificate of both goes through the "
      "independent verifier. With --cases beyond the number of problems they are planned again "
      "with other seeds. --keep FOLDER keeps data set, rows, certificates, repairs, table and "
      "page.");
  return report;
}

#else

Result<Report> run(const Options& /*options*/) {
  Report report;
  report.notes.emplace_back("skipped: built without OMPL or FCL");
  return report;
}

#endif

}  // namespace

Benchmark problem_sets() {
  return {"problem-sets",
          "problem sets end to end: planned by sampling, audited, repaired, verified",
          run,
          true,
          true,
          true};
}

}  // namespace proven::bench
