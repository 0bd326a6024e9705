// The problem sets end to end, with the files that come of it.
#pragma once

#include <filesystem>
#include <functional>

#include "bench/bench.h"

namespace proven::bench {

// Where the data sets, rows, certificates, repairs and tables are kept; empty: nowhere.
struct KeptFiles {
  std::filesystem::path folder;
  // Writes the page of an audit; may be empty.
  std::function<Result<void>(const std::filesystem::path& data_set,
                             const std::filesystem::path& rows, const std::filesystem::path& page)>
      write_page = {};
};

Result<Report> run_problem_sets(const Options& options, const KeptFiles& kept);

}  // namespace proven::bench
