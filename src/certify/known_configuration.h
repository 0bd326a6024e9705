// A configuration of a session with what is known about it.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gap.h"
#include "proven/geometry/greedy_tree.h"
#include "segment_search.h"

namespace proven {

class KnownConfiguration {
 public:
  // With `keep_trees` the greedy trees of all measured pairs stay for the refined checker.
  KnownConfiguration(const ModelData& model, std::vector<double> configuration, bool keep_trees)
      : model_(model), configuration_(std::move(configuration)), keep_trees_(keep_trees) {}

  std::span<const double> configuration() const { return configuration_; }

  // Whether no pair is in contact here: set once that is proved.
  bool is_free() const { return free_; }
  void set_free() { free_ = true; }

  // The gap of a pair here, measured at most once. Containment counts as contact.
  Gap gap(int pair, double resolution, Scratch::State& scratch);
  // The greedy tree of a pair whose gap was measured.
  const GreedyTreePtr& tree(int pair) const { return trees_[static_cast<std::size_t>(pair)]; }
  // The first pair in contact here among all pairs; measures all of them.
  std::optional<int> first_contact(double resolution, Scratch::State& scratch);

 private:
  void prepare();
  Gap measure(int pair, const Pose& X_AB, double resolution, Scratch::State& scratch);

  const ModelData& model_;
  std::vector<double> configuration_;
  LinkPoses poses_;
  bool keep_trees_;
  bool free_ = false;
  // Most pairs are apart, and planners keep many thousands of configurations: of those only this.
  struct Known {
    double lower = 0;
    Gap::Kind kind = Gap::Kind::apart;
    bool measured = false, outside = false;
  };
  std::vector<Known> known_;          // per pair
  std::map<int, Gap> near_;           // pairs that are not apart
  std::vector<GreedyTreePtr> trees_;  // per pair, if they are kept
};

}  // namespace proven
