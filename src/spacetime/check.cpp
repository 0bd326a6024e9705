#include "proven/spacetime/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "proven/base/parallel.h"
#include "spacetime/checker.h"

namespace proven::spacetime {

PROVEN_DEFINE_KERNEL(BoxesKernel, boxes_kernel);

namespace {

using State = TrafficScratch::State;

// The largest magnitudes of a trajectory; NaN if one of the values is.
struct Extremes {
  double x = 0, y = 0, heading = 0;

  bool are_valid() const {
    return x <= kLargestCoordinate && y <= kLargestCoordinate && heading <= kLargestHeading;
  }
};

Extremes extremes_of(const MotionView& m) {
  return {boxes_kernel->largest(m.size, m.x), boxes_kernel->largest(m.size, m.y),
          boxes_kernel->largest(m.size, m.heading)};
}

TrafficResult search_along(const TrafficScene& scene, const Footprint& footprint,
                           const MotionView& motion, const Extremes& extremes,
                           const TrafficOptions& options, State& state, int except,
                           const Budget& budget) {
  const double rounding = rounding_bound(std::max(extremes.x, extremes.y) + footprint.reach(),
                                         extremes.heading, footprint.core_reach());
  ArraySource source(footprint, motion, scene.data(), rounding + options.clearance, state);
  return Checker(scene.data(), footprint, source, rounding, options, state, except, budget).run();
}

Result<void> validate_set(const CandidateSet& set) {
  const std::size_t n = set.t.size();
  if (n < 2) return bad_input(fmt::format("candidates need at least two times, got {}", n));
  if (set.x.size() % n != 0 || set.y.size() != set.x.size() || set.heading.size() != set.x.size())
    return bad_input(fmt::format("{} times do not divide {} x, {} y and {} headings", n,
                                 set.x.size(), set.y.size(), set.heading.size()));
  if (set.footprint.pieces().empty()) return bad_input("the candidates have no shape");
  for (std::size_t i = 0; i < n; ++i)
    if (!(std::fabs(set.t[i]) <= kLargestTime) || (i > 0 && !(set.t[i] > set.t[i - 1])))
      return bad_input(
          fmt::format("time {} of the candidates ({} s) is not after the one before", i, set.t[i]));
  if (set.between == Interpolation::bounded_acceleration)
    return bad_input("candidates of a set move linearly or on arcs");
  return {};
}

MotionView row(const CandidateSet& set, int candidate) {
  const std::size_t at = static_cast<std::size_t>(candidate) * set.t.size();
  MotionView motion;
  motion.size = set.poses();
  motion.t = set.t.data();
  motion.x = set.x.data() + at;
  motion.y = set.y.data() + at;
  motion.heading = set.heading.data() + at;
  motion.between = set.between;
  return motion;
}

// The slow look, which can say what is wrong.
Result<void> explain(const MotionView& m, int candidate) {
  Trajectory t;
  t.t.assign(m.t, m.t + m.size);
  t.x.assign(m.x, m.x + m.size);
  t.y.assign(m.y, m.y + m.size);
  t.heading.assign(m.heading, m.heading + m.size);
  t.between = m.between;
  const auto valid = validate(t);
  if (valid.ok()) return {};
  return bad_input(valid.error().text(), fmt::format("candidate {}", candidate));
}

Result<TrafficResult> check_row(const TrafficScene& scene, const CandidateSet& set, int candidate,
                                const TrafficOptions& options, State& state, const Budget& budget) {
  const MotionView motion = row(set, candidate);
  const Extremes extremes = extremes_of(motion);
  if (motion.between != Interpolation::linear || !extremes.are_valid())
    if (auto valid = explain(motion, candidate); !valid.ok()) return valid.error();
  return search_along(scene, set.footprint, motion, extremes, options, state, -1, budget);
}

// What is said of a candidate whose turn came after the budget had ended.
TrafficResult not_looked_at(const CandidateSet& set, Stop stop) {
  TrafficResult result;
  result.doubt = TrafficDoubt{reason_of(stop), -1, set.t.front(), set.t.back(), 0};
  return result;
}

template <class Value, class Take>
Result<std::vector<Value>> for_all(const TrafficScene& scene, const CandidateSet& set,
                                   const TrafficOptions& options, int threads, const Budget& budget,
                                   Take&& take) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto valid = validate_set(set); !valid.ok()) return valid.error();
  if (threads <= 0) threads = default_threads();
  constexpr int kChunk = 64;
  const int chunks = (set.size() + kChunk - 1) / kChunk;
  threads = std::max(1, std::min(threads, chunks));
  std::vector<TrafficScratch> workspaces(static_cast<std::size_t>(threads));
  std::vector<Value> values(static_cast<std::size_t>(set.size()));
  std::vector<std::optional<Error>> errors(static_cast<std::size_t>(std::max(1, chunks)));
  std::atomic<int> done = 0;
  const auto work = [&](int chunk, int thread) {
    State& state = workspaces[static_cast<std::size_t>(thread)].state();
    for (int i = chunk * kChunk; i < std::min(set.size(), (chunk + 1) * kChunk); ++i) {
      Value& value = values[static_cast<std::size_t>(i)];
      if (const auto stop = budget.stopped()) {
        value = take(not_looked_at(set, *stop));
        continue;
      }
      auto result = check_row(scene, set, i, options, state, budget);
      if (!result.ok()) {
        errors[static_cast<std::size_t>(chunk)] = result.error();
        return;
      }
      value = take(result.value());
    }
    done += kChunk;
    if (thread == 0) budget.report("candidates", std::min(done.load(), set.size()), set.size());
  };
  if (threads == 1)
    for (int chunk = 0; chunk < chunks; ++chunk) work(chunk, 0);
  else
    parallel_for(chunks, threads, work);
  for (const auto& error : errors)
    if (error) return *error;
  return values;
}

}  // namespace

TrafficScratch::TrafficScratch() : state_(std::make_unique<State>()) {}
TrafficScratch::~TrafficScratch() = default;
TrafficScratch::TrafficScratch(TrafficScratch&&) noexcept = default;

Result<void> validate(const TrafficOptions& o) {
  if (!(o.clearance >= 0 && o.clearance <= kLargestCoordinate))
    return bad_input(fmt::format("clearance {} is not a length in metres", o.clearance));
  if (!(o.resolution > 0 && o.resolution <= 1))
    return bad_input(fmt::format("resolution {}: expected metres above 0, up to 1", o.resolution));
  if (!(o.time_resolution > 0))
    return bad_input(
        fmt::format("time resolution {}: expected seconds above 0", o.time_resolution));
  if (o.max_cells < 1) return bad_input("at least one cell is needed");
  return {};
}

Result<TrafficResult> check(const TrafficScene& scene, const Footprint& footprint,
                            const Trajectory& trajectory, const TrafficOptions& options,
                            TrafficScratch& workspace, int except, const Budget& budget) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto valid = validate_lengths(trajectory); !valid.ok()) return valid.error();
  if (footprint.pieces().empty()) return bad_input("the object has no shape");
  const MotionView motion = view(trajectory);
  State& state = workspace.state();
  const Extremes extremes = extremes_of(motion);
  const bool plain = motion.between == Interpolation::linear && motion.is_exact() &&
                     extremes.are_valid() && state.map.is_made_for(motion.t, motion.size);
  if (!plain)
    if (auto valid = validate(trajectory); !valid.ok()) return valid.error();
  return search_along(scene, footprint, motion, extremes, options, state, except, budget);
}

Result<std::vector<TrafficResult>> check_all(const TrafficScene& scene, const CandidateSet& set,
                                             const TrafficOptions& options, int threads,
                                             const Budget& budget) {
  return for_all<TrafficResult>(scene, set, options, threads, budget,
                                [](const TrafficResult& result) { return result; });
}

Result<std::vector<Verdict>> verdicts(const TrafficScene& scene, const CandidateSet& set,
                                      const TrafficOptions& options, int threads,
                                      const Budget& budget) {
  TrafficOptions any = options;
  any.first = false;
  return for_all<Verdict>(scene, set, any, threads, budget,
                          [](const TrafficResult& result) { return result.verdict; });
}

Result<FirstFree> first_free(const TrafficScene& scene, const CandidateSet& set,
                             std::span<const int> order, const TrafficOptions& options,
                             TrafficScratch& workspace, const Budget& budget) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto valid = validate_set(set); !valid.ok()) return valid.error();
  TrafficOptions any = options;
  any.first = false;
  FirstFree found;
  for (const int candidate : order) {
    if (candidate < 0 || candidate >= set.size())
      return bad_input(fmt::format("no candidate {} among {}", candidate, set.size()));
    found.stopped = budget.stopped();
    if (found.stopped) break;
    const auto result = check_row(scene, set, candidate, any, workspace.state(), budget);
    if (!result.ok()) return result.error();
    ++found.checked;
    if (result.value().verdict != Verdict::free) continue;
    found.candidate = candidate;
    break;
  }
  return found;
}

}  // namespace proven::spacetime
