// Coverage on the temporal and numeric competition domains; every plan goes to the validator.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "bench/bench.h"
#include "bench/data.h"
#include "proven/task/planner.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// The competitions gave thirty minutes; these are small instances.
constexpr double kSeconds = 30, kQuickSeconds = 3;

std::string contents(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<fs::path> sorted_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  const auto key = [](const fs::path& file) {
    const std::string name = file.string();
    return std::pair(name.size(), name);
  };
  std::sort(files.begin(), files.end(),
            [&](const fs::path& a, const fs::path& b) { return key(a) < key(b); });
  return files;
}

struct Tally {
  int instances = 0, solved = 0, invalid = 0;
  double seconds = 0;
};

Result<Row> run_instance(const fs::path& domain_file, const fs::path& problem_file, double seconds,
                         Tally& tally) {
  const std::string domain_text = contents(domain_file), problem_text = contents(problem_file);
  const auto domain = task::parse_domain(domain_text, domain_file.string());
  if (!domain.ok()) return domain.error();
  const auto problem = task::parse_problem(problem_text, problem_file.string(), domain.value());
  if (!problem.ok()) return problem.error();
  task::TaskOptions options;
  options.max_seconds = seconds;
  const auto planned = task::plan_task(domain.value(), problem.value(), options);
  if (!planned.ok()) return planned.error();
  const task::TaskResult& result = planned.value();
  ++tally.instances;
  Row row;
  row.add("domain", domain_file.parent_path().filename().string())
      .add("instance", problem_file.stem().string())
      .add("outcome", task::to_string(result.outcome))
      .add("seconds", result.stats.seconds)
      .add("expanded", result.stats.expanded);
  if (result.outcome != task::TaskOutcome::solved) return row;
  const auto judged =
      task::validate_plan(domain_text, problem_text, task::to_text(result.plan), {});
  const bool valid = judged.ok() && judged.value().valid;
  ++tally.solved;
  tally.invalid += valid ? 0 : 1;
  tally.seconds += result.stats.seconds;
  row.add("actions", static_cast<std::int64_t>(result.plan.size()))
      .add("makespan", result.makespan)
      .add("valid", valid ? "yes" : "NO");
  return row;
}

Result<Report> run(const Options& options) {
  const fs::path root = data_dir() / "pddl" / "ipc";
  if (!fs::exists(root))
    return Error{ErrorCode::not_found, "no competition domains there; set PROVEN_DATA", root};
  std::vector<std::pair<fs::path, fs::path>> instances;
  for (const fs::path& year : sorted_files(root)) {
    if (!fs::is_directory(year)) continue;
    for (const fs::path& domain : sorted_files(year))
      for (const fs::path& problem : sorted_files(domain / "instances"))
        instances.emplace_back(domain / "domain.pddl", problem);
  }
  Report report;
  Tally tally;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    options.progress(static_cast<double>(i) / static_cast<double>(instances.size()));
    auto row = run_instance(instances[i].first, instances[i].second,
                            options.quick ? kQuickSeconds : kSeconds, tally);
    if (!row.ok()) return row.error();
    report.rows.push_back(std::move(row).value());
  }
  report.notes.push_back(fmt::format(
      "{} of {} instances solved ({:.0f} %), {} invalid plans, {:.1f} s "
      "over the solved; {} s and 4 GiB for each",
      tally.solved, tally.instances, 100.0 * tally.solved / std::max(1, tally.instances),
      tally.invalid, tally.seconds, options.quick ? kQuickSeconds : kSeconds));
  return report;
}

}  // namespace

Benchmark ipc() {
  return {"ipc", "Temporal and numeric competition domains: coverage, every plan validated", run};
}

}  // namespace proven::bench
