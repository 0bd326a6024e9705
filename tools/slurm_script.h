// A script that runs an audit on a Slurm cluster: an array of shards, then a merge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "proven/base/result.h"

namespace proven::tools {

struct SlurmJob {
  std::int64_t shards = 1;
  int threads = 1;                     // of each shard
  std::vector<std::string> arguments;  // of `proven audit`, without those of files and shards
  std::string results, certificates;   // of the whole; the latter perhaps empty
};
Result<void> write_slurm_script(const SlurmJob& job, const std::filesystem::path& file);

}  // namespace proven::tools
