// Many segments checked over time, with the work on each kept: for planners that resume work.
// Others ask a CheckModel or a Prover.
//
// Configurations and segments between them are added once. `run` works on any set of segments until
// one of them collides or all are decided; the most urgent cell over all of them goes first (two
// levels of queues). What it did on the others is kept and resumed by a later call.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "proven/certify/check.h"

namespace proven {

class CheckSession {
 public:
  // With `trusts_sweeps` a segment that sweeps leave nothing open of counts as free: that is a
  // pre-check, for planners that prove their path later (CheckModel::pre_check).
  explicit CheckSession(CheckModel model, bool trusts_sweeps = false);
  ~CheckSession();
  CheckSession(CheckSession&&) noexcept;
  CheckSession& operator=(CheckSession&&) noexcept;

  const CheckModel& model() const;

  // A full configuration within the model's ranges; anything else throws std::invalid_argument.
  int add_configuration(std::span<const double> q);
  // Straight in joint space between two configurations.
  int add_segment(int from, int to);

  // One configuration alone: free, collision or undecided (touching).
  CheckResult check_configuration(int configuration, Scratch& scratch, const Budget& budget = {});
  // The given segments as one path; `segment` in a witness is an index into `segments`.
  CheckResult run(std::span<const int> segments, Scratch& scratch, const Budget& budget = {});
  // What is known of a segment so far; nothing if it is neither proved nor refuted nor given up.
  std::optional<Verdict> known(int segment) const;
  // The proof of a free segment, for make_certificate; empty unless CheckOptions::certificate.
  std::span<const std::uint8_t> proof(int segment) const;
  // Forgets the work on a segment (its verdict and its proof stay).
  void release(int segment);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace proven
