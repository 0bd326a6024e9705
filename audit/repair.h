// Repairs of the paths that an audit refuted: each by a way around the stretch that collides,
// proved as a whole, or the reason why there is none.
#pragma once

#include "audit/audit.h"

namespace proven::audit {

struct RepairRun {
  std::int64_t refuted = 0, repaired = 0;
};

// For each row of `results` that collides a line in `file`, which is gone on with as results are.
// The same seed and options give the same bytes.
Result<RepairRun> repair(const DataSet& set, const AuditOptions& options, std::uint64_t seed,
                         const std::filesystem::path& results, const std::filesystem::path& file,
                         const SceneLoader& load, int threads, const Budget& budget);

}  // namespace proven::audit
