// The checker as a planner uses it on one thread: a model with scratch memory, counts, a memory of
// what was in the way, and constraints that motions must keep. `check` and `is_free` prove;
// `seems_free` is the pre-check, which guides a planner and proves nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "proven/certify/check.h"
#include "proven/certify/constraints.h"

namespace proven {

class Prover {
 public:
  explicit Prover(CheckModel model) : model_(std::move(model)) {}
  // Constraints must have passed validate().
  Prover(CheckModel model, std::vector<FrameConstraint> constraints);

  const CheckModel& model() const { return model_; }
  const Scene& scene() const { return model_.scene(); }

  // Configurations that are tried one after the other often fail for the same pair of bodies: the
  // latest ones are looked at first. That never changes a verdict.
  CheckResult check(std::span<const double> q, const Budget& budget = {});
  CheckResult check(const SegmentQuery& segment, const Budget& budget = {});
  // Whether that is proved, and that the constraints are kept.
  bool is_free(std::span<const double> q, const Budget& budget = {}) {
    return keeps({q, q, {}}, budget) && check(q, budget).verdict == Verdict::free;
  }
  bool is_free(const SegmentQuery& segment, const Budget& budget = {}) {
    return keeps({segment.from, segment.to, segment.inner}, budget) &&
           check(segment, budget).verdict == Verdict::free;
  }
  // Whether a planner may build on it: constraints are kept, and the pre-check is clear
  // (CheckModel::pre_check). That proves nothing; whoever returns a path checks it.
  bool seems_free(std::span<const double> q, const Budget& budget = {});
  bool seems_free(const SegmentQuery& segment, const Budget& budget = {});
  // The same for planners that have other motions to try. If the model was told to sweep, most
  // motions that sweeps leave open are refused without a search. Every fourth of them is searched,
  // so that narrow places are found as well.
  bool seems_free_quickly(const SegmentQuery& segment, const Budget& budget = {});
  // Whether the constraints are proved to be kept; `check` is not about them.
  bool keeps(const MotionPiece& piece, const Budget& budget = {}) {
    return !constraints_ || constraints_->keeps(piece, budget);
  }
  // Null if there are none.
  ConstraintProver* constraints() { return constraints_ ? &*constraints_ : nullptr; }
  struct Counts {
    std::int64_t configurations = 0, segments = 0;
    double configuration_seconds = 0;  // spent on single configurations
    CheckStats check;                  // of segments, but for those that sweeps alone settle
    Counts& operator+=(const Counts& other);
  };
  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }

  // The pair of bodies that was found in contact most often, and how often.
  struct Blocker {
    std::array<int, 2> bodies;
    std::int64_t times = 0, of = 0;
  };
  std::optional<Blocker> most_frequent_blocker() const;
  // That a contact was found elsewhere.
  void note_contact(const Witness& witness) { ++contacts_[witness.bodies]; }

 private:
  bool take(const PreCheck& found);

  CheckModel model_;
  std::optional<ConstraintProver> constraints_;
  Scratch scratch_;
  std::vector<int> recent_;                              // pairs in contact, the latest first
  std::map<std::array<int, 2>, std::int64_t> contacts_;  // how often each pair was in contact
  Counts counts_;
  std::int64_t left_open_ = 0;  // motions, by sweeps in seems_free_quickly
};

}  // namespace proven
