// Several segments searched as one path, the most urgent cell over all of them first.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "proven/base/budget.h"
#include "segment_search.h"

namespace proven {

// One segment with the work on it and what came of it.
struct SegmentWork {
  SegmentMotion motion;
  KnownConfiguration* from = nullptr;  // null where nothing is known: checker directional alone
  KnownConfiguration* to = nullptr;
  bool from_is_free = false;
  std::unique_ptr<SegmentSearch> search;  // null before the first run and when it has ended
  std::optional<Verdict> verdict;
  // Behind pointers: a long path has hundreds of thousands of segments, and few of them one.
  std::unique_ptr<const Finding> collision, undecided;
  std::vector<std::uint8_t> proof;  // of a free segment, if kept

  // As if nothing was done; memory stays.
  void reset(int id);
};

// Which of its segments a run is about: `segments[i]` for every i, twice if it is listed twice.
using SegmentList = std::span<SegmentWork* const>;

// Whether distances are measured at both ends of segments: by every checker but the directional
// one.
inline bool measures_ends(const CheckOptions& options) {
  return options.checker != Checker::directional;
}

class DirectionalSearch;

class PathSearch {
 public:
  // What is `free` is proved by the search. With `trusts_sweeps` it may also be what sweeps leave
  // nothing open of: that is a pre-check, and no verdict.
  PathSearch(const ModelData& model, const CheckOptions& options, Scratch::State& scratch,
             bool trusts_sweeps = false)
      : model_(model), options_(options), scratch_(scratch), trusts_sweeps_(trusts_sweeps) {}

  // Works until one of the segments collides or all are decided; says why it stopped before that.
  // What was done on the others stays in their searches.
  CheckResult run(SegmentList segments, const Budget& budget);

  // One segment, or a configuration as a segment of no length, with nothing kept. These pairs are
  // tried first.
  bool can_run_alone() const;
  CheckResult run_alone(const SegmentMotion& motion, bool starts_free,
                        std::span<const int> likely_pairs, const Budget& budget);

  // What sweeps alone say of one segment.
  PreCheck run_sweeps(const SegmentMotion& motion, bool starts_free);

  // One configuration by the distances of all pairs, for the checkers that measure them.
  CheckResult run_by_distances(KnownConfiguration& configuration) const;

  Witness witness(const Finding& finding, const SegmentMotion& motion, int index) const;
  Undecided undecided(const Finding& finding, const SegmentMotion& motion, int index) const;

 private:
  std::optional<UndecidedReason> search(SegmentList segments, const Budget& budget);
  using Clock = std::chrono::steady_clock;
  void set_stats(const QueryCounts& before, Clock::time_point start, CheckStats& stats) const;
  std::optional<UndecidedReason> over_budget(const Budget& budget) const;
  void make_search(SegmentWork& segment);
  const SweepModel* sweep_model() const;
  std::optional<Verdict> sweep(const SegmentMotion& motion, bool starts_free,
                               DirectionalSearch& search);
  bool probe(const SegmentMotion& motion, int level, DirectionalSearch& search);
  Finding swept_contact() const;
  static void set_ends_free(SegmentWork& segment);
  void take_findings(SegmentWork& segment);
  CheckResult conclude(SegmentList segments, std::optional<UndecidedReason> stopped) const;
  std::vector<Effort> efforts(SegmentList segments) const;

  const ModelData& model_;
  const CheckOptions& options_;
  Scratch::State& scratch_;
  bool trusts_sweeps_;
  CheckStats stats_;
  Finding contact_;      // where sweep() says collision
  int next_probe_ = -2;  // the id of a configuration's motion
};

}  // namespace proven
