#include "proven/certify/prover.h"

#include <chrono>

#include "recent_contacts.h"

namespace proven {
namespace {

// Every fourth motion that sweeps leave open is searched: with every sixteenth plans take as long,
// and without any some find no path (docs/decisions/0003-default-planner.md).
constexpr std::int64_t kSearchedOfOpen = 4;

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
    remember_contact(scene(), result.collision->bodies, recent_);
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

bool Prover::take(const PreCheck& found) {
  counts_.check += found.stats;
  if (found.verdict == PreVerdict::contact) ++contacts_[found.bodies];
  return found.verdict == PreVerdict::clear;
}

bool Prover::seems_free(std::span<const double> q, const Budget& budget) {
  if (!keeps({q, q, {}}, budget)) return false;
  const auto start = std::chrono::steady_clock::now();
  ++counts_.configurations;
  const PreCheck found = model_.pre_check(q, recent_, scratch_, budget);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  counts_.configuration_seconds += spent.count();
  if (found.verdict == PreVerdict::contact) {
    remember_contact(scene(), found.bodies, recent_);
    ++contacts_[found.bodies];
  }
  return found.verdict == PreVerdict::clear;
}

bool Prover::seems_free(const SegmentQuery& segment, const Budget& budget) {
  if (!keeps({segment.from, segment.to, segment.inner}, budget)) return false;
  ++counts_.segments;
  return take(model_.pre_check(segment, CheckModel::Effort::thorough, scratch_, budget));
}

bool Prover::seems_free_quickly(const SegmentQuery& segment, const Budget& budget) {
  if (!model_.told_to_sweep()) return seems_free(segment, budget);
  if (!keeps({segment.from, segment.to, segment.inner}, budget)) return false;
  ++counts_.segments;
  using How = CheckModel::Effort;
  PreCheck found = model_.pre_check(segment, How::sweeps_alone, scratch_, budget);
  if (found.verdict == PreVerdict::open && ++left_open_ % kSearchedOfOpen == 0)
    found = model_.pre_check(segment, How::thorough, scratch_, budget);
  return take(found);
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
