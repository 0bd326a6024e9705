#include "plan/inquiry.h"

#include <algorithm>
#include <atomic>

#include "proven/base/parallel.h"

namespace proven {
namespace {

// Inquiries that a thread takes at a time: most steps take a microsecond.
constexpr std::size_t kTogether = 16;

class Rounds {
 public:
  Rounds(std::span<Inquiry* const> inquiries, const BatchChecker& checker, int threads,
         std::string_view stage, const Budget& budget)
      : checker_(checker),
        budget_(budget),
        stage_(stage),
        all_(inquiries.size()),
        workers_(threads > 0 ? threads : default_threads()) {
    for (Inquiry* inquiry : inquiries) active_.push_back({inquiry, nullptr, false});
  }

  Result<void> run() {
    advance();
    while (!active_.empty() && active_.size() >= checker_.least()) {
      for (const bool known_free : {true, false})
        if (auto asked = ask(known_free); !asked.ok()) return asked;
      advance();
    }
    finish();
    return {};
  }

 private:
  struct Active {
    Inquiry* inquiry;
    const MotionQuestion* asked;  // null before the first
    bool proved;
  };

  // Every inquiry takes its answer and says what is next; those at their end go.
  void advance() {
    const auto chunks = static_cast<int>((active_.size() + kTogether - 1) / kTogether);
    workers_.each(chunks, [&](int chunk, int) {
      const std::size_t begin = static_cast<std::size_t>(chunk) * kTogether;
      const std::size_t end = std::min(active_.size(), begin + kTogether);
      for (std::size_t i = begin; i < end; ++i) {
        Active& one = active_[i];
        if (one.asked) one.inquiry->take(one.proved);
        one.asked = one.inquiry->next();
      }
    });
    std::erase_if(active_, [](const Active& one) { return one.asked == nullptr; });
    report(all_ - active_.size());
  }

  // Where a motion begins is known to be free of some: a batch of these, and one of the others.
  Result<void> ask(bool known_free) {
    from_.clear();
    to_.clear();
    for (const Active& one : active_)
      if (one.asked->from_is_free == known_free) {
        from_.insert(from_.end(), one.asked->from.begin(), one.asked->from.end());
        to_.insert(to_.end(), one.asked->to.begin(), one.asked->to.end());
      }
    if (from_.empty()) return {};
    const auto answered = checker_.check({from_, to_, known_free}, budget_);
    if (!answered.ok()) return answered.error();
    auto verdict = answered.value().verdicts.begin();
    for (Active& one : active_)
      if (one.asked->from_is_free == known_free) one.proved = *verdict++ == Verdict::free;
    return {};
  }

  // Each on a thread, without waiting for others.
  void finish() {
    std::vector<Prover> provers;
    for (int i = 0; i < workers_.threads(); ++i) provers.emplace_back(checker_.model());
    std::atomic<std::size_t> ended = all_ - active_.size();
    workers_.each(static_cast<int>(active_.size()), [&](int item, int thread) {
      const Active& one = active_[static_cast<std::size_t>(item)];
      Prover& prover = provers[static_cast<std::size_t>(thread)];
      for (const MotionQuestion* asked = one.asked; asked; asked = one.inquiry->next())
        one.inquiry->take(prover.is_free(asked->segment(), budget_));
      ++ended;
      if (thread == 0) report(ended);
    });
  }

  void report(std::size_t ended) const {
    budget_.report(stage_, static_cast<std::int64_t>(ended), static_cast<std::int64_t>(all_));
  }

  const BatchChecker& checker_;
  const Budget& budget_;
  std::string_view stage_;
  std::size_t all_;
  Workers workers_;
  std::vector<Active> active_;
  std::vector<double> from_, to_;  // rows of a batch
};

}  // namespace

Result<void> ask_together(std::span<Inquiry* const> inquiries, const BatchChecker& checker,
                          int threads, std::string_view stage, const Budget& budget) {
  return Rounds(inquiries, checker, threads, stage, budget).run();
}

}  // namespace proven
