// Planners and smoothers as inquiries: each tells the motion that must be proved before it goes on.
// So one runs alone, or many run together and their motions are asked as batches
// (docs/algorithms/batch.md#together).
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "proven/base/parallel.h"
#include "proven/certify/batch.h"
#include "proven/plan/joint_space.h"

namespace proven {

// A straight motion between full configurations.
struct MotionQuestion {
  explicit MotionQuestion(const JointSpace& space) : from(space.full_ranges().size()), to(from) {}

  std::vector<double> from, to;
  bool from_is_free = false;  // known of the first
  bool others = false;        // there are others to try (Prover::seems_free_quickly)

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

// Many that are worked on together, on threads that stand ready. Progress counts those that are
// done.
class Together {
 public:
  // Options of batches that the whole stands for.
  Together(const BatchOptions& batch, std::string_view stage, const Budget& budget);

  // Whether so many inquiries are worth a checker of another device than threads.
  bool worth_batches(std::size_t count) const {
    return batch_.device != BatchDevice::threads && count > 0 && count >= least_;
  }
  // A checker that is asked however small a batch is: so what is found does not depend on the
  // number of threads.
  Result<BatchChecker> checker(const CheckModel& model) const;

  // Without progress, which is told by one thread alone.
  const Budget& budget() const { return quiet_; }

  // Called for every item, on any of the threads.
  void each(std::size_t count, const std::function<void(std::size_t item)>& work);

  // All inquiries to their ends, each as if it were alone, but that every motion is asked in full.
  // As long as they are many (BatchOptions::least), the checker is asked about one motion of each
  // at a time; the last ones run on threads of their own. Fails as the checker does.
  Result<void> ask(std::span<Inquiry* const> inquiries, const BatchChecker& checker);

 private:
  struct Active;
  void advance(std::vector<Active>& active);
  Result<void> ask_batch(std::vector<Active>& active, const BatchChecker& checker, bool known_free);
  void report(std::size_t done, std::size_t of) const;

  BatchOptions batch_;
  std::size_t least_;  // inquiries
  std::string_view stage_;
  const Budget& budget_;
  Budget quiet_;
  Workers workers_;
  std::vector<double> from_, to_;  // rows of a batch
};

// A model for one of many that ask at any time: whether sweeps are in use must not depend on who
// asked before.
CheckModel own_model(const CheckModel& model);

// Values that models must cover, of all coordinates of a scene.
class CoveredValues {
 public:
  void add(const JointSpace& space);
  void add(const Path& path);
  CheckModel cover(const CheckModel& model) const;

 private:
  void add(std::span<const double> lower, std::span<const double> upper);
  std::vector<double> lower_, upper_;
};

}  // namespace proven
