// One prover per thread at work, all on one model.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "proven/certify/prover.h"

namespace proven::adapters {

class ProverPool {
 public:
  explicit ProverPool(CheckModel model) : model_(std::move(model)) {}

  const CheckModel& model() const { return model_; }
  bool is_free(const std::vector<double>& q) {
    std::unique_ptr<Prover> prover = take();
    const bool free = prover->is_free(q);
    give_back(std::move(prover));
    return free;
  }
  CheckResult check_motion(const std::vector<double>& from, const std::vector<double>& to) {
    std::unique_ptr<Prover> prover = take();
    CheckResult result = prover->check(SegmentQuery{from, to});
    give_back(std::move(prover));
    return result;
  }

 private:
  std::unique_ptr<Prover> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Prover>(model_);
    std::unique_ptr<Prover> prover = std::move(idle_.back());
    idle_.pop_back();
    return prover;
  }
  void give_back(std::unique_ptr<Prover> prover) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(prover));
  }

  CheckModel model_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Prover>> idle_;
};

}  // namespace proven::adapters
