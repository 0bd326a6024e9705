// An audit: every path of a data set, or a shard or a sample of it, judged into a file of rows, and
// perhaps an archive of certificates. Killed at any moment, it goes on where it ended, and the
// files are byte for byte those of one run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "audit/auditor.h"
#include "proven/base/budget.h"

namespace proven::audit {

struct Shard {
  std::int64_t number = 1, of = 1;  // from 1 on
};
// "17/400"
Result<Shard> parse_shard(const std::string& text);

// Which paths are looked at.
struct Selection {
  std::int64_t sample = 0;  // so many, by chance; 0: all
  std::uint64_t seed = 1;
  std::optional<Shard> shard;
};

struct AuditFiles {
  std::filesystem::path results;
  std::filesystem::path archive;  // empty: none
};

// The indices of the paths that are looked at, in order. Those of a sample are kept, all paths are
// not.
class Chosen {
 public:
  Chosen(std::int64_t size, const Selection& selection);
  std::int64_t count() const { return end_ - begin_; }
  std::int64_t operator[](std::int64_t i) const {
    return sample_.empty() ? begin_ + i : sample_[static_cast<std::size_t>(begin_ + i)];
  }

 private:
  std::vector<std::int64_t> sample_;
  std::int64_t begin_ = 0, end_ = 0;
};

// The first line of results: what they are about. `claims` says what was asked of the scene loader,
// as JSON text.
std::string header_of(const DataSet& set, const AuditOptions& options, const Selection& selection,
                      const std::string& claims);

struct AuditRun {
  std::int64_t count = 0;    // of the rows that there are in the end
  std::int64_t resumed = 0;  // of these, those of earlier runs
};
// Fails if the files are of another audit, and if the data set changes meanwhile.
Result<AuditRun> run(const DataSet& set, const AuditOptions& options, const Selection& selection,
                     const AuditFiles& files, const SceneLoader& load, const std::string& claims,
                     int threads, const Budget& budget);

// Makes one of all shards, as one run would have written it. Fails on shards that are missing,
// twice there, unfinished, or of another audit.
Result<AuditRun> merge(const std::vector<std::filesystem::path>& shards, const AuditFiles& into,
                       const std::vector<std::filesystem::path>& archives);

}  // namespace proven::audit
