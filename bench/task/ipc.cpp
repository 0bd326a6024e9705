// Coverage on the temporal and numeric competition domains, and how plans get better over time;
// every plan goes to the validator.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/bench.h"
#include "bench/data.h"
#include "proven/io/file.h"
#include "proven/task/planner.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// The competitions gave thirty minutes; these are small instances.
constexpr double kSeconds = 30, kQuickSeconds = 3;
// When the quality of plans is looked at, as shares of that time: 5, 15 and 30 s.
constexpr double kLooks[] = {1.0 / 6, 0.5, 1.0};

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
  int instances = 0, solved = 0, invalid = 0, best = 0;
  double seconds = 0;  // of processor until the first plan, of the solved
  double first = 0;    // sums of quality: the last value divided by the one then
  double looks[std::size(kLooks)] = {};
  double mebibytes = 0;  // the most

  void add(const Tally& other) {
    instances += other.instances;
    solved += other.solved;
    invalid += other.invalid;
    best += other.best;
    seconds += other.seconds;
    first += other.first;
    for (std::size_t i = 0; i < std::size(kLooks); ++i) looks[i] += other.looks[i];
    mebibytes = std::max(mebibytes, other.mebibytes);
  }
};

std::string look_name(double seconds) {
  return fmt::format("at {:.3g} s", seconds);
}

Row summary(const std::string& domain, const Tally& tally, double seconds) {
  Row row;
  const double solved = std::max(1, tally.solved);
  row.add("domain", domain)
      .add("instance", "all")
      .add("outcome", fmt::format("{} of {} solved", tally.solved, tally.instances))
      .add("seconds", tally.seconds)
      .add("first", fmt::format("{:.2f}", tally.first / solved));
  for (std::size_t i = 0; i < std::size(kLooks); ++i)
    row.add(look_name(kLooks[i] * seconds), fmt::format("{:.2f}", tally.looks[i] / solved));
  row.add("bound", fmt::format("{} best", tally.best))
      .add("MiB", tally.mebibytes)
      .add("valid", tally.invalid == 0 ? "yes" : "NO");
  return row;
}

// The value of the best plan after so much processor time; nothing before the first.
std::optional<double> value_at(const task::TaskResult& result, double seconds) {
  std::optional<double> value;
  for (const task::PlanFound& plan : result.found)
    if (plan.processor_seconds <= seconds) value = plan.metric;
  return value;
}

// Between 0 and 1: how much of the last plan's quality an earlier one had.
double quality(double value, double last) {
  const double low = std::min(std::abs(value), std::abs(last)),
               high = std::max(std::abs(value), std::abs(last));
  return high > 0 ? low / high : 1;
}

void add_quality(const task::TaskResult& result, double seconds, Row& row, Tally& tally) {
  row.add("first", result.found.front().metric);
  tally.first += quality(result.found.front().metric, result.metric);
  for (std::size_t i = 0; i < std::size(kLooks); ++i) {
    // What was found while the last improvement went on is of the end.
    const bool end = i + 1 == std::size(kLooks);
    const auto value = end ? result.metric : value_at(result, kLooks[i] * seconds);
    if (!value) continue;
    row.add(look_name(kLooks[i] * seconds), *value);
    tally.looks[i] += quality(*value, result.metric);
  }
  if (!result.bound) return;
  const double gap = result.metric - *result.bound;
  const bool best = gap <= 1e-6 * (1 + std::abs(result.metric));
  tally.best += best ? 1 : 0;
  row.add("bound", *result.bound)
      .add("gap %", best ? 0.0 : 100 * gap / std::max(1e-9, std::abs(result.metric)));
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
  options.anytime = true;
  malloc_trim(0);  // so that memory is that of this instance
  const auto planned = task::plan_task(domain.value(), problem.value(), options);
  if (!planned.ok()) return planned.error();
  const task::TaskResult& result = planned.value();
  ++tally.instances;
  Row row;
  row.add("domain", domain_file.parent_path().filename().string())
      .add("instance", problem_file.stem().string())
      .add("outcome", task::to_string(result.outcome))
      .add("seconds", result.found.empty() ? result.stats.processor_seconds
                                           : result.found.front().processor_seconds);
  const double mebibytes = static_cast<double>(result.stats.resident_bytes) / (1 << 20);
  tally.mebibytes = std::max(tally.mebibytes, mebibytes);
  if (result.outcome != task::TaskOutcome::solved) return row.add("MiB", mebibytes), row;
  const auto judged =
      task::validate_plan(domain_text, problem_text, task::to_text(result.plan), {});
  const bool valid = judged.ok() && judged.value().valid;
  ++tally.solved;
  tally.invalid += valid ? 0 : 1;
  tally.seconds += result.found.front().processor_seconds;
  add_quality(result, seconds, row, tally);
  row.add("MiB", mebibytes)
      .add("plans", static_cast<std::int64_t>(result.found.size()))
      .add("actions", static_cast<std::int64_t>(result.plan.size()))
      .add("valid", valid ? "yes" : "NO");
  return row;
}

Result<Report> run(const Options& options) {
  const fs::path root = data_dir() / "pddl" / "ipc";
  if (!fs::exists(root))
    return Error{ErrorCode::not_found, "no competition domains there; set PROVEN_DATA", root};
  std::vector<fs::path> domains;
  for (const fs::path& year : sorted_files(root))
    if (fs::is_directory(year))
      for (const fs::path& domain : sorted_files(year))
        if (domain.filename().string().find(options.set) != std::string::npos)
          domains.push_back(domain);
  if (domains.empty())
    return bad_input(fmt::format("no competition domain has '{}' in its name", options.set));
  const double seconds = options.quick ? kQuickSeconds : kSeconds;
  Report report;
  Tally tally;
  std::vector<Row> summaries;
  for (std::size_t d = 0; d < domains.size(); ++d) {
    Tally own;
    const auto instances = sorted_files(domains[d] / "instances");
    for (std::size_t i = 0; i < instances.size(); ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(instances.size());
      options.progress((static_cast<double>(d) + part) / static_cast<double>(domains.size()));
      auto row = run_instance(domains[d] / "domain.pddl", instances[i], seconds, own);
      if (!row.ok()) return row.error();
      report.rows.push_back(std::move(row).value());
    }
    summaries.push_back(summary(domains[d].filename().string(), own, seconds));
    tally.add(own);
  }
  report.rows.insert(report.rows.end(), summaries.begin(), summaries.end());
  report.notes.push_back(fmt::format(
      "{} of {} instances solved ({:.0f} %), {} invalid plans, {:.1f} s of processor time until "
      "the first plans; {} s and 4 GiB for each",
      tally.solved, tally.instances, 100.0 * tally.solved / std::max(1, tally.instances),
      tally.invalid, tally.seconds, seconds));
  const double solved = std::max(1, tally.solved);
  report.notes.push_back(fmt::format(
      "quality, the last plan's value divided by the one then: first {:.2f}, after {:.3g} s "
      "{:.2f}, {:.3g} s {:.2f} (0 where there was none yet); {} of the last plans are proved best",
      tally.first / solved, kLooks[0] * seconds, tally.looks[0] / solved, kLooks[1] * seconds,
      tally.looks[1] / solved, tally.best));
  report.failed = tally.invalid > 0;
  return report;
}

}  // namespace

Benchmark ipc() {
  return {"ipc",
          "Temporal and numeric competition domains: coverage and quality over time, every plan "
          "validated",
          run, true};
}

}  // namespace proven::bench
