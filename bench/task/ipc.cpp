// Coverage on the temporal and numeric competition domains; every plan goes to the validator.
#include <fmt/format.h>

#include <algorithm>

#include "bench/bench.h"
#include "bench/data.h"
#include "proven/io/file.h"
#include "proven/task/planner.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// The competitions gave thirty minutes; these are small instances.
constexpr double kSeconds = 30, kQuickSeconds = 3;

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
  double seconds = 0;  // of processor, of the solved

  void add(const Tally& other) {
    instances += other.instances;
    solved += other.solved;
    invalid += other.invalid;
    seconds += other.seconds;
  }
};

Row summary(const std::string& domain, const Tally& tally) {
  Row row;
  row.add("domain", domain)
      .add("instance", "all")
      .add("outcome", fmt::format("{} of {} solved", tally.solved, tally.instances))
      .add("seconds", tally.seconds)
      .add("valid", tally.invalid == 0 ? "yes" : "NO");
  return row;
}

Result<Row> run_instance(const fs::path& domain_file, const fs::path& problem_file, double seconds,
                         Tally& tally) {
  const auto domain_file_text = read_file(domain_file), problem_file_text = read_file(problem_file);
  if (!domain_file_text.ok()) return domain_file_text.error();
  if (!problem_file_text.ok()) return problem_file_text.error();
  const std::string &domain_text = domain_file_text.value(),
                    &problem_text = problem_file_text.value();
  const auto domain = task::parse_domain(domain_text, domain_file.string());
  if (!domain.ok()) return domain.error();
  const auto problem = task::parse_problem(problem_text, problem_file.string(), domain.value());
  if (!problem.ok()) return problem.error();
  // Processor time, so that what else the machine does is of no matter.
  task::TaskOptions options;
  options.processor_seconds = seconds;
  const auto planned = task::plan_task(domain.value(), problem.value(), options);
  if (!planned.ok()) return planned.error();
  const task::TaskResult& result = planned.value();
  ++tally.instances;
  Row row;
  row.add("domain", domain_file.parent_path().filename().string())
      .add("instance", problem_file.stem().string())
      .add("outcome", task::to_string(result.outcome))
      .add("seconds", result.stats.processor_seconds)
      .add("expanded", result.stats.expanded);
  if (result.outcome != task::TaskOutcome::solved) return row;
  const auto judged =
      task::validate_plan(domain_text, problem_text, task::to_text(result.plan), {});
  const bool valid = judged.ok() && judged.value().valid;
  ++tally.solved;
  tally.invalid += valid ? 0 : 1;
  tally.seconds += result.stats.processor_seconds;
  row.add("actions", static_cast<std::int64_t>(result.plan.size()))
      .add("makespan", result.makespan)
      .add("metric", result.metric)
      .add("valid", valid ? "yes" : "NO");
  if (result.bound) row.add("bound", *result.bound);
  return row;
}

Result<Report> run(const Options& options) {
  const fs::path root = data_dir() / "pddl" / "ipc";
  if (!fs::exists(root))
    return Error{ErrorCode::not_found, "no competition domains there; set PROVEN_DATA", root};
  std::vector<fs::path> domains;
  for (const fs::path& year : sorted_files(root))
    if (fs::is_directory(year))
      for (const fs::path& domain : sorted_files(year)) domains.push_back(domain);
  Report report;
  Tally tally;
  std::vector<Row> summaries;
  for (std::size_t d = 0; d < domains.size(); ++d) {
    Tally own;
    const auto instances = sorted_files(domains[d] / "instances");
    for (std::size_t i = 0; i < instances.size(); ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(instances.size());
      options.progress((static_cast<double>(d) + part) / static_cast<double>(domains.size()));
      auto row = run_instance(domains[d] / "domain.pddl", instances[i],
                              options.quick ? kQuickSeconds : kSeconds, own);
      if (!row.ok()) return row.error();
      report.rows.push_back(std::move(row).value());
    }
    summaries.push_back(summary(domains[d].filename().string(), own));
    tally.add(own);
  }
  report.rows.insert(report.rows.end(), summaries.begin(), summaries.end());
  report.notes.push_back(fmt::format(
      "{} of {} instances solved ({:.0f} %), {} invalid plans, {:.1f} s "
      "of processor time over the solved; {} s and 4 GiB for each",
      tally.solved, tally.instances, 100.0 * tally.solved / std::max(1, tally.instances),
      tally.invalid, tally.seconds, options.quick ? kQuickSeconds : kSeconds));
  return report;
}

}  // namespace

Benchmark ipc() {
  return {"ipc", "Temporal and numeric competition domains: coverage, every plan validated", run};
}

}  // namespace proven::bench
