// Many segments checked over time, with the work on each kept: what a planner needs.
//
// Configurations (milestones) and segments between them are added once. `run` works on any set of
// segments until one of them collides or all are decided; the most urgent cell over all of them
// goes first (two levels of queues). What it did on the others is kept and resumed by a later call.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "proven/base/result.h"
#include "proven/certify/curve.h"
#include "proven/certify/options.h"
#include "proven/certify/verdict.h"
#include "proven/certify/workspace.h"
#include "proven/scene/path.h"
#include "proven/scene/scene.h"

namespace proven {

class CheckSession {
 public:
  // The scene must outlive the session.
  CheckSession(const Scene& scene, const CheckOptions& options);
  ~CheckSession();
  CheckSession(CheckSession&&) noexcept;
  CheckSession& operator=(CheckSession&&) noexcept;

  // A full configuration of the scene (finite values; see check_configuration).
  int add_configuration(std::span<const double> q);
  // Straight in joint space between two configurations.
  int add_segment(int from, int to);
  // A curved segment; its ends are evaluated from it.
  int add_segment(std::shared_ptr<const Curve> curve);

  // One configuration alone: free, collision or undecided (touching).
  CheckResult check_configuration(int configuration, Workspace& workspace);
  // The given segments as one path; `segment` in a witness is an index into `segments`.
  CheckResult run(std::span<const int> segments, Workspace& workspace);
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
