#include "plan/inquiry.h"

#include <algorithm>
#include <atomic>

namespace proven {
namespace {

// Inquiries that a thread takes at a time: most steps take a microsecond.
constexpr std::size_t kAtATime = 16;
// Motions about which a GPU is asked as soon as sixteen threads would answer; not of the threads
// that there are, on which nothing that is found may depend.
constexpr std::size_t kLeast = 1600;

}  // namespace

struct Together::Active {
  Inquiry* inquiry;
  const MotionQuestion* asked = nullptr;
  bool clear = false;
};

Together::Together(const BatchOptions& batch, std::string_view stage, const Budget& budget)
    : batch_(batch),
      least_(batch.least >= 0 ? static_cast<std::size_t>(batch.least) : kLeast),
      stage_(stage),
      budget_(budget),
      quiet_(budget),
      workers_(batch.threads > 0 ? batch.threads : default_threads()) {
  batch_.least = 0;
  batch_.prove = false;  // paths are proved when they are found
  quiet_.progress = {};
}

Result<BatchChecker> Together::checker(const CheckModel& model) const {
  return BatchChecker::build(model, batch_);
}

void Together::report(std::size_t done, std::size_t of) const {
  budget_.report(stage_, static_cast<std::int64_t>(done), static_cast<std::int64_t>(of));
}

void Together::each(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> done = 0;
  workers_.each(static_cast<int>(count), [&](int item, int thread) {
    work(static_cast<std::size_t>(item));
    ++done;
    if (thread == 0) report(done, count);
  });
}

// Every inquiry takes its answer and says what is next; those at their end go.
void Together::advance(std::vector<Active>& active) {
  const std::size_t chunks = (active.size() + kAtATime - 1) / kAtATime;
  workers_.each(static_cast<int>(chunks), [&](int chunk, int) {
    const std::size_t begin = static_cast<std::size_t>(chunk) * kAtATime;
    const std::size_t end = std::min(active.size(), begin + kAtATime);
    for (std::size_t i = begin; i < end; ++i) {
      Active& one = active[i];
      if (one.asked) one.inquiry->take(one.clear);
      one.asked = one.inquiry->next();
    }
  });
  std::erase_if(active, [](const Active& one) { return one.asked == nullptr; });
}

Result<void> Together::ask_batch(std::vector<Active>& active, const BatchChecker& checker,
                                 bool known_free) {
  from_.clear();
  to_.clear();
  for (const Active& one : active)
    if (one.asked->from_is_free == known_free) {
      from_.insert(from_.end(), one.asked->from.begin(), one.asked->from.end());
      to_.insert(to_.end(), one.asked->to.begin(), one.asked->to.end());
    }
  if (from_.empty()) return {};
  const auto answered = checker.check({from_, to_, known_free}, quiet_);
  if (!answered.ok()) return answered.error();
  auto verdict = answered.value().verdicts.begin();
  for (Active& one : active)
    if (one.asked->from_is_free == known_free) one.clear = *verdict++ == BatchVerdict::clear;
  return {};
}

Result<void> Together::ask(std::span<Inquiry* const> inquiries, const BatchChecker& checker) {
  std::vector<Active> active;
  for (Inquiry* inquiry : inquiries) active.push_back({inquiry});
  advance(active);
  while (checker.device() != BatchDevice::threads && worth_batches(active.size())) {
    // Of some motions it is known that their first configuration is free.
    for (const bool known_free : {true, false})
      if (auto asked = ask_batch(active, checker, known_free); !asked.ok()) return asked;
    advance(active);
    report(inquiries.size() - active.size(), inquiries.size());
  }
  std::vector<Prover> provers;
  for (int i = 0; i < workers_.threads(); ++i) provers.emplace_back(checker.model());
  std::atomic<std::size_t> done = inquiries.size() - active.size();
  workers_.each(static_cast<int>(active.size()), [&](int item, int thread) {
    const Active& one = active[static_cast<std::size_t>(item)];
    Prover& prover = provers[static_cast<std::size_t>(thread)];
    for (const MotionQuestion* asked = one.asked; asked; asked = one.inquiry->next())
      one.inquiry->take(prover.seems_free(asked->segment(), quiet_));
    ++done;
    if (thread == 0) report(done, inquiries.size());
  });
  return {};
}

CheckModel own_model(const CheckModel& model) {
  return model.sweeps() ? model : model.with_scene(model.scene());
}

void CoveredValues::add(std::span<const double> lower, std::span<const double> upper) {
  if (lower_.empty()) {
    lower_.assign(lower.begin(), lower.end());
    upper_.assign(upper.begin(), upper.end());
  }
  for (std::size_t i = 0; i < lower.size(); ++i) {
    lower_[i] = std::min(lower_[i], lower[i]);
    upper_[i] = std::max(upper_[i], upper[i]);
  }
}

void CoveredValues::add(const JointSpace& space) {
  std::vector<double> lower, upper;
  for (const Interval& range : space.full_ranges()) {
    lower.push_back(range.lower);
    upper.push_back(range.upper);
  }
  add(lower, upper);
}

void CoveredValues::add(const Path& path) {
  for (const std::vector<double>& q : path.waypoints) add(q, q);
}

CheckModel CoveredValues::cover(const CheckModel& model) const {
  return lower_.empty() ? model : model.covering(lower_, upper_);
}

}  // namespace proven
