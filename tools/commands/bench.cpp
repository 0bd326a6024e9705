// proven bench: reproduces a table or figure of a paper, or a comparison with a rival.
#include "bench/bench.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/file.h"
#include "tools/command.h"
#include "tools/terminal.h"

namespace proven::tools {
namespace {

struct BenchArguments {
  std::string name, plot, csv, robot, set;
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

int run_benchmark(const bench::Benchmark& benchmark, const BenchArguments& arguments,
                  const CommonOptions& common) {
  if ((!benchmark.has_sets && !arguments.set.empty()) ||
      (!benchmark.has_robots && !arguments.robot.empty())) {
    fmt::print(stderr, "proven: the benchmark '{}' has no {} to choose from\n", benchmark.name,
               arguments.set.empty() ? "robots" : "sets");
    return kUsage;
  }
  Progress progress(benchmark.name, common.quiet);
  bench::Options options;
  options.quick = arguments.quick;
  options.threads = common.threads;
  options.seed = common.seed;
  options.cases = arguments.cases;
  options.robot = arguments.robot;
  options.set = arguments.set;
  options.progress = [&](double share) { progress.update(share); };
  const auto report_or = benchmark.run(options);
  if (!report_or.ok()) return report(report_or.error());
  const bench::Report& result = report_or.value();
  fmt::print("{}",
             common.json ? bench::to_json(benchmark.name, result) + "\n" : bench::to_text(result));
  if (!arguments.csv.empty())
    if (auto written = write_file(arguments.csv, bench::to_csv(result)); !written.ok())
      return report(written.error());
  if (!arguments.plot.empty())
    if (auto written = write_file(arguments.plot, bench::to_svg(result.plot)); !written.ok())
      return report(written.error());
  return kOk;
}

}  // namespace

Command bench_command() {
  return {"bench", "Reproduce a paper's table or figure, or a comparison with a rival",
          "  proven bench                 list them\n"
          "  proven bench table1 --quick\n"
          "  proven bench fig9 --plot fig9.svg\n"
          "  proven bench mbm --robot panda --set cage --cases 20 --csv cage.csv",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<BenchArguments>();
            arguments.add("name", chosen->name, "Which one; without it they are listed");
            std::vector<std::string> names;
            for (const bench::Benchmark& b : bench::benchmarks()) names.emplace_back(b.name);
            arguments.suggest(std::move(names));
            arguments.add_flag("--quick", chosen->quick, "A short form with fewer cases");
            arguments.add(
                "--cases", chosen->cases,
                "So many segments, problems or runs instead of the benchmark's own number", 1);
            arguments.add("--robot", chosen->robot, "Of several robots this one alone");
            arguments.add("--set", chosen->set, "Of several problem sets or scenes this one alone");
            arguments.add("--plot", chosen->plot, "Write a chart (SVG) to this file");
            arguments.add("--csv", chosen->csv, "Write the rows as CSV to this file");
            return [chosen, &common] {
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
