// Planners and smoothers as inquiries: each tells the motion that must be proved before it goes on.
// So one runs alone, or many run together and their motions are asked as batches
// (docs/algorithms/batch.md#together).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "proven/certify/batch.h"
#include "proven/plan/joint_space.h"

namespace proven {

// A straight motion between full configurations.
struct MotionQuestion {
  explicit MotionQuestion(const JointSpace& space) : from(space.full_ranges().size()), to(from) {}

  std::vector<double> from, to;
  bool from_is_free = false;  // known of the first
  bool others = false;        // there are others to try (Prover::passes_soon)

  void set(const JointSpace& space, std::span<const double> from_point,
           std::span<const double> to_point, bool known_free, bool has_others) {
    space.complete(from_point, from);
    space.complete(to_point, to);
    from_is_free = known_free;
    others = has_others;
  }
  SegmentQuery segment() const { return {from, to, from_is_free}; }
};

class Inquiry {
 public:
  virtual ~Inquiry() = default;
  // The motion that it asks about, until take(); null at its end.
  virtual const MotionQuestion* next() = 0;
  virtual void take(bool proved) = 0;
};

// All of them to their ends, each as if it were alone, but that every motion is asked in full. As
// long as they are many, the checker is asked about one motion of each at a time; the last ones run
// on threads of their own. Progress counts those at their end. Fails as the checker does.
Result<void> ask_together(std::span<Inquiry* const> inquiries, const BatchChecker& checker,
                          int threads, std::string_view stage, const Budget& budget);

}  // namespace proven
