// Benchmarks: each reproduces a table or figure of a paper, or compares with a rival in one run.
//
// To add one: write bench/<layer>/<name>.cpp with a function that returns a Benchmark, declare it
// in bench/registry.cpp and list it there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bench/plot.h"
#include "proven/base/result.h"

namespace proven::bench {

using Cell = std::variant<std::string, double, std::int64_t>;

// Named columns in order; a column that a row lacks is left blank.
struct Row {
  std::vector<std::pair<std::string, Cell>> cells;

  Row& add(std::string column, std::string_view value) {
    return cells.emplace_back(std::move(column), std::string(value)), *this;
  }
  Row& add(std::string column, double value) {
    return cells.emplace_back(std::move(column), value), *this;
  }
  Row& add(std::string column, std::int64_t value) {
    return cells.emplace_back(std::move(column), value), *this;
  }
  Row& add(std::string column, int value) {
    return add(std::move(column), static_cast<std::int64_t>(value));
  }
};

struct Report {
  std::vector<Row> rows;
  std::vector<std::string> notes;  // how to read the table; what differs from the paper
  Plot plot;
  bool failed = false;  // what must hold did not: the command ends with exit code 1
};

// Where a benchmark that makes data sets keeps them, with rows, certificates, repairs and tables;
// empty: nowhere.
struct KeptFiles {
  std::filesystem::path folder;
  // Writes the page of an audit; may be empty.
  std::function<Result<void>(const std::filesystem::path& data_set,
                             const std::filesystem::path& rows, const std::filesystem::path& page)>
      write_page = {};
};

struct Options {
  bool quick = false;  // a short form: fewer cases, same columns
  int threads = 0;     // 0: all cores
  std::uint64_t seed = 1;
  int cases = 0;  // so many random segments, problems or settings; 0: the benchmark's own number
  std::string robot, set;  // of benchmarks with several: only this robot, problem set or scene
  KeptFiles kept;
  // Called with the share of work done, 0 to 1; never null.
  std::function<void(double)> progress = [](double) {};

  int cases_or(int quick_number, int full_number) const {
    return cases > 0 ? cases : quick ? quick_number : full_number;
  }
};

struct Benchmark {
  std::string name;
  std::string summary;  // one line
  std::function<Result<Report>(const Options&)> run;
  // Heeds Options::set, Options::robot, Options::kept.
  bool has_sets = false, has_robots = false, keeps = false;
};

std::span<const Benchmark> benchmarks();

// `share` of the values lie at or below the result; 0 of none.
double quantile(std::vector<double> values, double share);

std::string to_text(const Report& report);  // an aligned table, then the notes
std::string to_csv(const Report& report);
std::string to_json(std::string_view name, const Report& report);  // {"bench":…, "rows":[…]}

}  // namespace proven::bench
