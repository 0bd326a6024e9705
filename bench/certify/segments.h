// What the tables of random segments share: drawing the segments, checking them, and rows that show
// the work beside the paper's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "proven/certify/check.h"

namespace proven::bench {

Result<Scene> built_in_scene(const std::string& name);

// Which segments to keep.
struct SegmentWish {
  std::optional<Verdict> verdict;  // of `selection`; none: whatever comes
  CheckOptions selection;
  double spread = 1;  // ends lie within this share of the joint ranges of the scene's home
};

// Random straight segments, uniform in joint space, whose ends are free. They depend on the seed
// and not on the number of threads. Fails if one cannot be found.
Result<std::vector<Path>> random_segments(const Scene& scene, const SegmentWish& wish, int count,
                                          std::uint64_t seed, int threads);

// Per segment.
struct Work {
  double boxes = 0, triangles = 0;
  double milliseconds = 0;
  double configurations = 0;
};

struct MeasuredWork {
  Work mean;
  int free = 0, collision = 0, undecided = 0;
};

Result<MeasuredWork> measure(const Scene& scene, const std::vector<Path>& segments,
                             const CheckOptions& options, int threads);

// Adds what was measured, and the paper's figures where it has them.
void add_work(Row& row, const MeasuredWork& ours, const Work* paper);

// Runs `work` on each row of a paper's table, with progress.
template <class Rows, class RunRow>
Result<void> for_each_row(const Rows& rows, const Options& options, RunRow run_row) {
  double done = 0;
  for (const auto& row : rows) {
    if (auto result = run_row(row); !result.ok()) return result;
    options.progress(++done / static_cast<double>(std::size(rows)));
  }
  return {};
}

// Box tests per environment: one series of ours and one of the paper's for each checker.
class WorkPlot {
 public:
  WorkPlot(std::string title, const std::vector<std::string>& checkers);
  void add_scene(const std::string& name);
  // Of the last scene; `paper` may be null.
  void add(std::size_t checker, const Work& ours, const Work* paper);
  Plot take() { return std::move(plot_); }

 private:
  Plot plot_;
};

// The time of the paper's tables was measured on one Pentium III at 1 GHz.
inline constexpr const char* kPaperMachine =
    "Milliseconds of the paper are those of a Pentium III at 1 GHz; box and triangle tests are "
    "comparable, the scenes are models of the paper's environments, not the originals.";

}  // namespace proven::bench
