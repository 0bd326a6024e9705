#include "plan/prover.h"

#include <chrono>

namespace proven {

Prover::Prover(const Scene& scene, const CheckOptions& options, const JointSpace& space)
    : space_(space), options_(options), session_(scene, options), full_(scene.home().size()) {}

int Prover::add(std::span<const double> point) {
  space_.complete(point, full_);
  points_.insert(points_.end(), point.begin(), point.end());
  ++num_configurations_;
  return session_.add_configuration(full_);
}

int Prover::add_full(std::span<const double> configuration) {
  const std::size_t first = points_.size();
  points_.resize(first + static_cast<std::size_t>(space_.dimension()));
  space_.restrict(configuration, std::span(points_).subspan(first));
  ++num_configurations_;
  return session_.add_configuration(configuration);
}

CheckResult Prover::check_configuration(int configuration) {
  const auto start = std::chrono::steady_clock::now();
  ++stats_.milestones;
  CheckResult result = session_.check_configuration(configuration, workspace_);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  stats_.configuration_seconds += spent.count();
  if (result.collision) ++contacts_[result.collision->bodies];
  return result;
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

int Prover::add_segment(int from, int to) {
  ++stats_.segments;
  return session_.add_segment(from, to);
}

Prover::Outcome Prover::run(std::span<const int> segments) {
  const CheckResult result = session_.run(segments, workspace_);
  stats_.check += result.stats;
  if (result.verdict == Verdict::free) return {true};
  if (result.collision) {
    ++contacts_[result.collision->bodies];
    return {false, result.collision->segment, result.collision->t};
  }
  switch (result.undecided->reason) {
    case UndecidedReason::sampled_only:
      return {true};
    case UndecidedReason::gap_below_resolution:
    case UndecidedReason::depth:
      return {false, result.undecided->segment, result.undecided->t};
    case UndecidedReason::cells:
    case UndecidedReason::time:
    case UndecidedReason::cancelled:
      break;
  }
  return {};
}

}  // namespace proven
