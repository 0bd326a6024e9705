// One session and workspace per thread at work; a session that has grown is replaced.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "proven/certify/check.h"

namespace proven::adapters {

class SessionPool {
 public:
  SessionPool(const Scene& scene, const CheckOptions& options) : scene_(scene), options_(options) {
    options_.certificate = false;  // of the final path alone
  }

  bool is_free(const std::vector<double>& q) {
    Lease lease(*this);
    const int c = lease->session.add_configuration(q);
    return lease->session.check_configuration(c, lease->workspace).verdict == Verdict::free;
  }
  CheckResult check_motion(const std::vector<double>& from, const std::vector<double>& to) {
    Lease lease(*this);
    const int a = lease->session.add_configuration(from), b = lease->session.add_configuration(to);
    const int segment = lease->session.add_segment(a, b);
    return lease->session.run({&segment, 1}, lease->workspace);
  }

 private:
  static constexpr int kMaxUses = 256;

  struct Worker {
    Worker(const Scene& scene, const CheckOptions& options) : session(scene, options) {}
    CheckSession session;
    Workspace workspace;
    int uses = 0;
  };

  class Lease {
   public:
    explicit Lease(SessionPool& pool) : pool_(pool), worker_(pool.take()) {}
    ~Lease() { pool_.give_back(std::move(worker_)); }
    Worker* operator->() { return worker_.get(); }

   private:
    SessionPool& pool_;
    std::unique_ptr<Worker> worker_;
  };

  std::unique_ptr<Worker> take() {
    std::unique_ptr<Worker> worker;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        worker = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!worker) return std::make_unique<Worker>(scene_, options_);
    if (++worker->uses >= kMaxUses) {
      worker->session = CheckSession(scene_, options_);
      worker->uses = 0;
    }
    return worker;
  }
  void give_back(std::unique_ptr<Worker> worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

  const Scene& scene_;
  CheckOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace proven::adapters
