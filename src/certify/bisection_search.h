// What the classic and the refined search share: the start at both ends of the segment, contacts,
// containment, and when to give up on a cell.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "known_configuration.h"
#include "segment_search.h"

namespace proven {

class BisectionSearch : public SegmentSearch {
 public:
  BisectionSearch(const SearchContext& context, const SegmentMotion& motion,
                  KnownConfiguration& from, KnownConfiguration& to);

  std::int64_t num_cells() const override { return num_cells_; }

 protected:
  // Cells that contain a configuration with a gap below clearance + resolution are split this many
  // times more before they are given up: a touch at one moment must not hide a collision next to
  // it, and a long slide must not be split for ever.
  static constexpr int kPatience = 8;

  // Measures all pairs at both ends; calls add_whole for those that the ends do not settle.
  void start(Scratch::State& scratch);
  // The cell of the whole segment.
  virtual void add_whole(int pair, const Gap& begin, const Gap& end) = 0;

  // The pair at t: bodies and relative pose.
  struct PairAt {
    const PairModel& pair;
    const BodyGeometry& a;
    const BodyGeometry& b;
    Pose X_AB;
  };
  PairAt pair_at(int pair, double t, Scratch::State& scratch) const;

  // Tells whether one body holds the other, where the ends of the segment could not.
  void settle_outside(int pair, const PairAt& at, Gap& gap);

  // Records a contact unless an earlier one is known; returns whether the search is over.
  bool found_contact(double t, int pair, const Gap& gap);

  // The bound that a configuration gives; a contact covers nothing around it.
  double eta(int pair, const Gap& gap) const {
    return gap.kind == Gap::Kind::contact ? std::fmin(0, context_.model.pair(pair).clearance)
                                          : gap.lower;
  }

  // λ less what the gaps at both ends cover; negative if the rule holds.
  double uncovered(int pair, double length_upper, double eta_begin, double eta_end) const {
    const double clearance = context_.model.pair(pair).clearance;
    const double covered = ((eta_begin - clearance) + (eta_end - clearance)) * (1 - 0x1p-50);
    return length_upper - covered;
  }

  const SearchContext context_;
  const SegmentMotion& motion_;
  const CurveLengths lengths_;
  bool started_ = false;
  std::int64_t num_cells_ = 0;

 private:
  KnownConfiguration& from_;
  KnownConfiguration& to_;
  std::vector<bool> outside_;  // per pair: neither holds the other, at some configuration
};

}  // namespace proven
