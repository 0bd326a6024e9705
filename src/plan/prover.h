// What planners ask: is this configuration free, is this chain of segments free? One session keeps
// the work; points are kept flat beside it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "plan/joint_space.h"
#include "proven/certify/session.h"

namespace proven {

class Prover {
 public:
  // The scene and the space must outlive it.
  Prover(const Scene& scene, const CheckOptions& options, const JointSpace& space);

  // A point of the space becomes a configuration of the session.
  int add(std::span<const double> point);
  // The same for a full configuration, whose literal values are kept.
  int add_full(std::span<const double> configuration);
  std::span<const double> point(int configuration) const {
    const auto n = static_cast<std::size_t>(space_.dimension());
    return {points_.data() + static_cast<std::size_t>(configuration) * n, n};
  }
  int num_configurations() const { return num_configurations_; }

  // The pair of bodies that was found in contact most often, and how often.
  struct Blocker {
    std::array<int, 2> bodies;
    std::int64_t times = 0, of = 0;
  };
  std::optional<Blocker> most_frequent_blocker() const;

  CheckResult check_configuration(int configuration);
  bool is_free(int configuration) {
    return check_configuration(configuration).verdict == Verdict::free;
  }

  int add_segment(int from, int to);
  // Whether all of them pass; else the index (into `segments`) of one that does not.
  struct Outcome {
    bool passes = false;
    int blocked = -1;  // -1 with !passes: a budget ran out, the work is kept
    double t = 0;      // where on that segment
  };
  Outcome run(std::span<const int> segments);
  // One segment; a budget that ran out counts as blocked, and the work is dropped.
  bool passes(int segment) {
    const bool passes = run({&segment, 1}).passes;
    session_.release(segment);
    return passes;
  }
  Outcome run(int segment) { return run({&segment, 1}); }

  // Whether what passes is proved.
  bool proves() const { return options_.checker != Checker::fixed; }
  const JointSpace& space() const { return space_; }
  PlanStats& stats() { return stats_; }

 private:
  const JointSpace& space_;
  CheckOptions options_;
  CheckSession session_;
  Workspace workspace_;
  std::vector<double> points_;  // flat
  std::vector<double> full_;    // scratch
  int num_configurations_ = 0;
  std::map<std::array<int, 2>, std::int64_t> contacts_;  // how often each pair was in contact
  PlanStats stats_;
};

}  // namespace proven
