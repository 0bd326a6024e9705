// The search for a collision, or for a proof that there is none, on one segment. One class per
// checker; the session runs many of them, the most urgent first.
#pragma once

#include <memory>
#include <optional>

#include "gap.h"
#include "model_data.h"
#include "motion.h"
#include "proven/certify/options.h"
#include "scratch_state.h"

namespace proven {

// A place on a segment with what was found there.
struct Finding {
  double t = 0;
  int pair = -1;
  Gap gap;
  UndecidedReason reason = UndecidedReason::gap_below_resolution;  // of undecided findings
  double t_lower = 0;     // of a first contact: none before this
  bool in_world = false;  // where the points of the gap are; else in the first body's frame
};

class SegmentSearch {
 public:
  virtual ~SegmentSearch() = default;

  // Takes the most urgent cell; requires open(). Sets the results below as they come.
  virtual void step(Scratch::State& scratch) = 0;
  virtual bool open() const = 0;
  // Of the most urgent cell; comparable between segments of one session.
  virtual double urgency() const = 0;
  virtual std::int64_t num_cells() const = 0;
  // Appends the proof of a search that ended without a finding, if it keeps one.
  virtual void write_proof(std::vector<std::uint8_t>&) const {}

  // Per frame, if the options ask for it.
  virtual std::span<const Effort> efforts() const { return {}; }

  const std::optional<Finding>& collision() const { return collision_; }
  // The earliest cell that was given up.
  const std::optional<Finding>& undecided() const { return undecided_; }

 protected:
  void reset_findings() {
    collision_.reset();
    undecided_.reset();
  }
  void give_up(const Finding& finding) {
    if (!undecided_ || finding.t < undecided_->t) undecided_ = finding;
  }

  std::optional<Finding> collision_;
  std::optional<Finding> undecided_;
};

// What every search of a session sees.
struct SearchContext {
  const ModelData& model;
  const CheckOptions& options;
};

// One configuration with what is known about it, shared by the segments that meet there.
class KnownConfiguration;

std::unique_ptr<SegmentSearch> make_classic_search(const SearchContext& context,
                                                   const SegmentMotion& motion,
                                                   KnownConfiguration& from,
                                                   KnownConfiguration& to);
std::unique_ptr<SegmentSearch> make_refined_search(const SearchContext& context,
                                                   const SegmentMotion& motion,
                                                   KnownConfiguration& from,
                                                   KnownConfiguration& to);
std::unique_ptr<SegmentSearch> make_fixed_search(const SearchContext& context,
                                                 const SegmentMotion& motion,
                                                 KnownConfiguration& from, KnownConfiguration& to);

// No interval is split below this width (of 1), so that t stays exact in doubles.
inline constexpr int kMaxDepth = 50;
inline constexpr double kMinWidth = 0x1p-50;
// Of a first contact: no later than this after the last time that is proved free, however slowly
// the bodies move.
inline constexpr double kFirstWidth = 0x1p-20;

}  // namespace proven
