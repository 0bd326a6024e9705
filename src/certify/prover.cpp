#include "proven/certify/prover.h"

#include <chrono>

#include "recent_contacts.h"

namespace proven {
namespace {

// Of motions that sweeps leave open every fourth is asked in full: with every sixteenth plans take
// as long, and without any some find no path (docs/decisions/0003-default-planner.md).
constexpr std::int64_t kAskedOfOpen = 4;

}  // namespace

Prover::Prover(CheckModel model, std::vector<FrameConstraint> constraints)
    : model_(std::move(model)) {
  if (!constraints.empty())
    constraints_.emplace(scene().tree(), std::move(constraints), model_.options().tracking_error);
}

Prover::Counts& Prover::Counts::operator+=(const Counts& other) {
  configurations += other.configurations;
  segments += other.segments;
  configuration_seconds += other.configuration_seconds;
  check += other.check;
  return *this;
}

CheckResult Prover::check(std::span<const double> q, const Budget& budget) {
  const auto start = std::chrono::steady_clock::now();
  ++counts_.configurations;
  CheckResult result = model_.check_configuration(q, recent_, scratch_, budget);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  counts_.configuration_seconds += spent.count();
  if (result.collision) {
    remember_contact(scene(), *result.collision, recent_);
    note_contact(*result.collision);
  }
  return result;
}

CheckResult Prover::check(const SegmentQuery& segment, const Budget& budget) {
  ++counts_.segments;
  CheckResult result = model_.check_segment(segment, scratch_, budget);
  counts_.check += result.stats;
  if (result.collision) note_contact(*result.collision);
  return result;
}

bool Prover::passes_soon(const SegmentQuery& segment, const Budget& budget) {
  if (!model_.told_to_sweep()) return passes(segment, budget);
  if (!model_.within_limits(segment)) return false;
  if (!keeps({segment.from, segment.to, segment.inner}, budget)) return false;
  const SweptVerdict swept = model_.sweep_segment(segment, scratch_);
  if (swept.verdict == Verdict::undecided && ++left_open_ % kAskedOfOpen == 0)
    return does_pass(check(segment, budget));
  ++counts_.segments;
  if (swept.verdict == Verdict::collision) ++contacts_[swept.bodies];
  return swept.verdict == Verdict::free;
}

std::optional<Prover::Blocker> Prover::most_frequent_blocker() const {
  std::optional<Blocker> most;
  std::int64_t all = 0;
  for (const auto& [bodies, times] : contacts_) {
    all += times;
    if (!most || times > most->times) most = Blocker{bodies, times, 0};
  }
  if (most) most->of = all;
  return most;
}

}  // namespace proven
