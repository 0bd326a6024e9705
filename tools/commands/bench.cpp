// proven bench: reproduces a table or figure of a paper, or a comparison with a rival.
#include "bench/bench.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "audit/summary.h"
#include "bench/compare.h"
#include "proven/io/data_set.h"
#include "proven/io/file.h"
#include "tools/audit_page.h"
#include "tools/command.h"
#include "tools/terminal.h"

namespace proven::tools {
namespace {

struct BenchArguments {
  std::string name, plot, csv, compare, robot, set, keep;
  int cases = 0;
  bool quick = false;
};

int list(bool json) {
  if (json) {
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const bench::Benchmark& b : bench::benchmarks())
      names.push_back({{"name", b.name}, {"summary", b.summary}});
    fmt::print("{}\n", nlohmann::ordered_json{{"benchmarks", names}}.dump());
    return kOk;
  }
  for (const bench::Benchmark& b : bench::benchmarks())
    fmt::print("{:<14} {}\n", b.name, b.summary);
  return kOk;
}

Result<bench::Report> read_report(const std::string& file) {
  const auto text = read_file(file);
  if (!text.ok()) return text.error();
  return bench::from_csv(text.value(), file);
}

void print(const std::string& name, const bench::Report& shown, bool json) {
  fmt::print("{}", json ? bench::to_json(name, shown) + "\n" : bench::to_text(shown));
}

// Prints what differs from the rows that are kept in a file.
int print_comparison(const std::string& file, const bench::Report& after, bool json) {
  const auto before = read_report(file);
  if (!before.ok()) return report(before.error());
  print("compare", bench::compare(before.value(), after), json);
  return kOk;
}

// Two files.
int compare_files(const BenchArguments& arguments, const CommonOptions& common) {
  const auto after = read_report(arguments.name);
  if (!after.ok()) return report(after.error());
  return print_comparison(arguments.compare, after.value(), common.json);
}

// The page of an audit that was kept.
Result<void> write_kept_page(const std::filesystem::path& data_set,
                             const std::filesystem::path& rows, const std::filesystem::path& page) {
  const auto set = DataSet::open(data_set);
  if (!set.ok()) return set.error();
  const auto summary = audit::summarise(rows);
  if (!summary.ok()) return summary.error();
  return write_page(
      {data_set.parent_path().filename().string(), summary.value(), set.value(), {}, {}, {}}, page);
}

int run_benchmark(const bench::Benchmark& benchmark, const BenchArguments& arguments,
                  const CommonOptions& common) {
  if ((!benchmark.has_sets && !arguments.set.empty()) ||
      (!benchmark.has_robots && !arguments.robot.empty())) {
    fmt::print(stderr, "proven: the benchmark '{}' has no {} to choose from\n", benchmark.name,
               arguments.set.empty() ? "robots" : "sets");
    return kUsage;
  }
  if (!arguments.keep.empty() && !benchmark.keeps) {
    fmt::print(stderr, "proven: the benchmark '{}' has no files to keep\n", benchmark.name);
    return kUsage;
  }
  ProgressLine line(benchmark.name, common.quiet);
  bench::Options options;
  options.quick = arguments.quick;
  options.threads = common.threads;
  options.seed = common.seed;
  options.cases = arguments.cases;
  options.robot = arguments.robot;
  options.set = arguments.set;
  options.kept = {arguments.keep, write_kept_page};
  options.progress = [&](double share) {
    line.update({{}, static_cast<std::int64_t>(1000 * share), 1000});
  };
  const auto report_or = benchmark.run(options);
  if (!report_or.ok()) return report(report_or.error());
  const bench::Report& result = report_or.value();
  if (!arguments.csv.empty())
    if (auto written = write_file(arguments.csv, bench::to_csv(result)); !written.ok())
      return report(written.error());
  if (!arguments.plot.empty())
    if (auto written = write_file(arguments.plot, bench::to_svg(result.plot)); !written.ok())
      return report(written.error());
  if (!arguments.compare.empty()) return print_comparison(arguments.compare, result, common.json);
  print(benchmark.name, result, common.json);
  return result.failed ? kCollision : kOk;
}

}  // namespace

Command bench_command() {
  return {
      "bench", "Reproduce a paper's table or figure, or a comparison with a rival",
      "  proven bench                 list them\n"
      "  proven bench table1 --quick\n"
      "  proven bench fig9 --plot fig9.svg\n"
      "  proven bench mbm --robot panda --set cage --cases 20 --csv cage.csv\n"
      "  proven bench problem-sets --robot panda --keep sets\n"
      "  proven bench table1 --compare bench/results/0.2.0/table1.csv\n"
      "  proven bench --compare before.csv after.csv",

      [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
        auto chosen = std::make_shared<BenchArguments>();
        arguments.add("name", chosen->name,
                      "Which one, or rows that --csv wrote; without it they are listed");
        std::vector<std::string> names;
        for (const bench::Benchmark& b : bench::benchmarks()) names.emplace_back(b.name);
        arguments.suggest(std::move(names));
        arguments.add_flag("--quick", chosen->quick, "A short form with fewer cases");
        arguments.add("--cases", chosen->cases,
                      "So many segments, problems or runs instead of the benchmark's own number",
                      1);
        arguments.add("--robot", chosen->robot, "Of several robots this one alone");
        arguments.add("--set", chosen->set, "Of several problem sets or scenes this one alone");
        arguments.add(
            "--keep", chosen->keep,
            "Of problem-sets and million: keep data sets, rows, certificates and pages there");
        arguments.add("--plot", chosen->plot, "Write a chart (SVG) to this file");
        arguments.add("--csv", chosen->csv, "Write the rows as CSV to this file");
        arguments.add("--compare", chosen->compare,
                      "Show what differs from the rows of this CSV, worst first");
        arguments.honour(Common::threads);
        arguments.honour(Common::seed);
        return [chosen, &common] {
          const bool rows = chosen->name.ends_with(".csv");
          if (rows && !chosen->compare.empty()) return compare_files(*chosen, common);
          if (rows || (chosen->name.empty() && !chosen->compare.empty())) {
            fmt::print(stderr, "proven: --compare takes a CSV, and a benchmark or another CSV\n");
            return static_cast<int>(kUsage);
          }
          if (chosen->name.empty()) return list(common.json);
          for (const bench::Benchmark& b : bench::benchmarks())
            if (b.name == chosen->name) return run_benchmark(b, *chosen, common);
          fmt::print(stderr, "proven: there is no benchmark '{}'; `proven bench` lists them\n",
                     chosen->name);
          return static_cast<int>(kUsage);
        };
      }};
}

}  // namespace proven::tools
