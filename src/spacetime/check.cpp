#include "proven/spacetime/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "proven/base/parallel.h"
#include "spacetime/pair.h"
#include "spacetime/workspace.h"

namespace proven::spacetime {
namespace {

using Data = TrafficScene::Data;
using State = TrafficWorkspace::State;

int round_up(int v) {
  return (v + kLanes - 1) / kLanes * kLanes;
}

// The largest magnitudes of a trajectory; NaN if one of the values is.
struct Extremes {
  double x = 0, y = 0, heading = 0;

  bool are_valid() const {
    return x <= kLargestCoordinate && y <= kLargestCoordinate && heading <= kLargestHeading;
  }
};

Extremes extremes_of(const MotionView& m, const Kernel& kernel) {
  return {kernel.largest(m.size, m.x), kernel.largest(m.size, m.y),
          kernel.largest(m.size, m.heading)};
}

// Looks at one object's trajectory. Its boxes per bin and per 16 bins choose, in the order of time,
// the steps of obstacles that are then examined exactly.
class Checker {
 public:
  Checker(const Data& scene, const Footprint& footprint, const MotionView& motion,
          const Extremes& extremes, const TrafficOptions& options, State& state, int except)
      : scene_(scene),
        footprint_(footprint),
        motion_(motion),
        options_(options),
        state_(state),
        except_(except),
        rounding_(rounding_bound(std::max(extremes.x, extremes.y) + footprint.reach(),
                                 extremes.heading, footprint.core_reach())) {}

  TrafficResult run() {
    place_boxes();
    for (int block = first_block_; block <= last_block_; ++block)
      if (visit_block(block)) break;
    result_.verdict = result_.contact ? Verdict::collision
                      : result_.doubt ? Verdict::undecided
                                      : Verdict::free;
    if (result_.contact && result_.doubt) {
      result_.contact->t_lower = std::min(result_.contact->t_lower, result_.doubt->t_begin);
      result_.doubt.reset();
    }
    return result_;
  }

 private:
  void place_boxes() {
    const int n = motion_.size;
    poses_ = state_.poses.reserve(n);
    const Kernel& kernel = *state_.kernel;
    kernel.place(n, {motion_.x, motion_.y, motion_.heading}, body_box(footprint_), scene_.origin_x,
                 scene_.origin_y, poses_);
    const double* extra = extra_widening(motion_, footprint_.core_reach(), state_.extra)
                              ? state_.extra.data()
                              : nullptr;
    const double pad = rounding_ + options_.clearance;
    map_times();
    const BinMap& map = state_.map;
    first_bin_ = map.first.front();
    last_bin_ = map.last.back();
    state_.bins.resize(scene_.stride);
    if (map.one_to_one) {
      steps_ = from(state_.bins.arrays(), first_bin_);
      kernel.sweep(n, motion_.heading, poses_, footprint_.core_reach(), extra, pad, steps_);
    } else {
      state_.steps.resize(round_up(n));
      steps_ = state_.steps.arrays();
      kernel.sweep(n, motion_.heading, poses_, footprint_.core_reach(), extra, pad, steps_);
      for (int i = 0; i + 1 < n; ++i)
        for (int bin = map.first[index(i)]; bin <= map.last[index(i)]; ++bin)
          include(state_.bins.arrays(), bin, box_at(steps_, i));
    }
    first_block_ = first_bin_ / kLanes;
    last_block_ = last_bin_ / kLanes;
    state_.blocks.resize(scene_.blocks);
    kernel.gather(last_block_ - first_block_ + 1, from(state_.bins.arrays(), first_block_ * kLanes),
                  from(state_.blocks.arrays(), first_block_));
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  // Candidates of one batch share their times: the map is made once.
  void map_times() {
    BinMap& map = state_.map;
    const auto n = index(motion_.size);
    if (state_.map_bins == scene_.shared_bins && map.times.size() == n &&
        std::memcmp(map.times.data(), motion_.t, n * sizeof(double)) == 0)
      return;
    map.make(scene_.bins(), motion_.t, motion_.size);
    state_.map_bins = scene_.shared_bins;
  }

  bool visit_block(int block) {
    const Kernel& kernel = *state_.kernel;
    const FloatBox box = box_at(state_.blocks.arrays(), block);
    const FloatBoxes bins = state_.bins.arrays(), leaves = scene_.leaves.arrays();
    state_.lanes.clear();
    state_.masks.clear();
    unsigned any = 0;
    const auto look = [&](int lane) {
      const unsigned mask =
          kernel.meet_each(bins, block * kLanes, leaves, lane * scene_.stride + block * kLanes);
      result_.stats.box_tests += kLanes;
      if (mask == 0 || lane == except_) return;
      any |= mask;
      state_.lanes.push_back(lane);
      state_.masks.push_back(mask);
    };
    const int n = static_cast<int>(scene_.obstacles.size());
    for (int at = 0; at < n; at += kLanes) {
      if (state_.brute_force) {
        for (int lane = at; lane < std::min(n, at + kLanes); ++lane) look(lane);
        continue;
      }
      unsigned meeting = kernel.meet_one(scene_.tops.arrays(), block * scene_.lanes + at, box);
      result_.stats.box_tests += kLanes;
      for (; meeting; meeting &= meeting - 1) look(at + std::countr_zero(meeting));
    }
    for (; any; any &= any - 1)
      if (visit_bin(block * kLanes + std::countr_zero(any), std::countr_zero(any))) return true;
    return false;
  }

  // All obstacles of one bin before the next, so that the earliest contact is found.
  bool visit_bin(int bin, int bit) {
    bool stop = false;
    for (std::size_t k = 0; k < state_.lanes.size(); ++k) {
      if (!(state_.masks[k] >> bit & 1)) continue;
      stop = visit_obstacle(bin, state_.lanes[k]) || stop;
      if (stop && !options_.first) return true;
    }
    return stop;
  }

  bool visit_obstacle(int bin, int o) {
    const auto [first, last] = steps_in(bin);
    const FloatBox taken = box_at(scene_.leaves.arrays(), o * scene_.stride + bin);
    bool stop = false;
    for (int i = first; i <= last && !stop; ++i)
      if (first == last || meets(box_at(steps_, i), taken)) stop = visit_step(bin, i, o);
    return stop;
  }

  std::pair<int, int> steps_in(int bin) const {
    const BinMap& map = state_.map;
    if (map.one_to_one) return {bin - first_bin_, bin - first_bin_};
    const auto first = std::lower_bound(map.last.begin(), map.last.end(), bin);
    const auto end = std::upper_bound(map.first.begin(), map.first.end(), bin);
    return {static_cast<int>(first - map.last.begin()),
            static_cast<int>(end - map.first.begin()) - 1};
  }

  bool visit_step(int bin, int i, int o) {
    const Obstacle& obstacle = scene_.obstacles[index(o)];
    own_ = make_segment(motion_, poses_.cosine, poses_.sine, i, footprint_.core_reach());
    const double begin = scene_.bins().begin(bin), end = scene_.bins().end(bin);
    if (obstacle.is_set()) {
      bool stop = false;
      for (const Occupancy& part : obstacle.occupancies)
        stop = examine(o, part.region, fixed_segment(part.t_begin, part.t_end, {}), begin, end) ||
               stop;
      return stop;
    }
    if (!obstacle.moves()) {
      const Pose2& p = obstacle.pose;
      const Placed placed{p.x, p.y, std::cos(p.heading), std::sin(p.heading)};
      return examine(o, obstacle.footprint, fixed_segment(begin, end, placed), begin, end);
    }
    return visit_steps_of(obstacle, o, std::max(begin, own_.t0), std::min(end, own_.t1));
  }

  bool visit_steps_of(const Obstacle& obstacle, int o, double begin, double end) {
    const MotionView motion = view(obstacle.motion);
    const std::vector<double>& t = obstacle.motion.t;
    // The last step that begins at or before `begin`; the first if all begin later.
    auto k = static_cast<int>(std::upper_bound(t.begin(), t.end(), begin) - t.begin()) - 1;
    k = std::clamp(k, 0, motion.size - 2);
    const std::size_t sample = scene_.first_sample[index(o)];
    for (; k + 1 < motion.size && (t[index(k)] < end || k == 0); ++k) {
      const Segment other =
          make_segment(motion, scene_.cosines.data() + sample, scene_.sines.data() + sample, k,
                       obstacle.footprint.core_reach());
      if (examine(o, obstacle.footprint, other, begin, end)) return true;
    }
    return false;
  }

  // Both steps within [begin, end], piece by piece. True: the search is over.
  bool examine(int o, const Footprint& footprint, const Segment& other, double begin, double end) {
    const double a = std::max({begin, own_.t0, other.t0}), b = std::min({end, own_.t1, other.t1});
    if (!(a <= b)) return false;
    ++result_.stats.step_pairs;
    SearchLimits limits{options_.resolution, options_.time_resolution, options_.first,
                        std::max<std::int64_t>(1, options_.max_cells - result_.stats.cells)};
    bool stop = false;
    for (const Piece& mine : footprint_.pieces())
      for (const Piece& theirs : footprint.pieces()) {
        const PairQuery query{&mine,
                              &theirs,
                              &own_,
                              &other,
                              rounding_ + scene_.rounding[index(o)],
                              options_.clearance};
        const PairResult found = search(query, a, b, limits);
        result_.stats.cells += found.cells;
        if (found.doubt && !result_.doubt)
          result_.doubt =
              TrafficDoubt{o, found.doubt->t_begin, found.doubt->t_end, found.doubt->distance};
        if (!found.contact) continue;
        stop = true;
        note_contact(o, other, *found.contact);
        if (!options_.first) return true;
      }
    return stop;
  }

  // The earliest contact counts; nothing is proved free from the least t_lower of all on.
  void note_contact(int o, const Segment& other, const PairContact& found) {
    double t_lower = found.t_lower;
    if (result_.contact) {
      t_lower = result_.contact->t_lower = std::min(t_lower, result_.contact->t_lower);
      if (result_.contact->t <= found.t) return;
    }
    TrafficContact contact{o,
                           t_lower,
                           found.t,
                           nominal_pose(own_, found.t),
                           nominal_pose(other, found.t),
                           found.distance};
    if (other.fixed && !scene_.obstacles[index(o)].is_set())
      contact.obstacle_pose = scene_.obstacles[index(o)].pose;
    result_.contact = contact;
  }

  const Data& scene_;
  const Footprint& footprint_;
  const MotionView motion_;
  const TrafficOptions& options_;
  State& state_;
  const int except_;
  const double rounding_;

  PoseBoxes poses_{};
  FloatBoxes steps_{};
  int first_bin_ = 0, last_bin_ = 0, first_block_ = 0, last_block_ = 0;
  Segment own_;
  TrafficResult result_;
};

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
                                const TrafficOptions& options, State& state) {
  const MotionView motion = row(set, candidate);
  const Extremes extremes = extremes_of(motion, *state.kernel);
  if (motion.between != Interpolation::linear || !extremes.are_valid())
    if (auto valid = explain(motion, candidate); !valid.ok()) return valid.error();
  return Checker(scene.data(), set.footprint, motion, extremes, options, state, -1).run();
}

template <class Value, class Take>
Result<std::vector<Value>> for_all(const TrafficScene& scene, const CandidateSet& set,
                                   const TrafficOptions& options, int threads, Take&& take) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto valid = validate_set(set); !valid.ok()) return valid.error();
  if (threads <= 0) threads = default_threads();
  constexpr int kChunk = 64;
  const int chunks = (set.size() + kChunk - 1) / kChunk;
  threads = std::max(1, std::min(threads, chunks));
  std::vector<TrafficWorkspace> workspaces(static_cast<std::size_t>(threads));
  std::vector<Value> values(static_cast<std::size_t>(set.size()));
  std::vector<std::optional<Error>> errors(static_cast<std::size_t>(std::max(1, chunks)));
  const auto work = [&](int chunk, int thread) {
    for (int i = chunk * kChunk; i < std::min(set.size(), (chunk + 1) * kChunk); ++i) {
      auto result =
          check_row(scene, set, i, options, workspaces[static_cast<std::size_t>(thread)].state());
      if (!result.ok()) {
        errors[static_cast<std::size_t>(chunk)] = result.error();
        return;
      }
      values[static_cast<std::size_t>(i)] = take(result.value());
    }
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

TrafficWorkspace::TrafficWorkspace() : state_(std::make_unique<State>()) {
  int count;
  state_->kernel = kernels(count)[0];
}
TrafficWorkspace::~TrafficWorkspace() = default;
TrafficWorkspace::TrafficWorkspace(TrafficWorkspace&&) noexcept = default;

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
                            TrafficWorkspace& workspace, int except) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto valid = validate(trajectory); !valid.ok()) return valid.error();
  if (footprint.pieces().empty()) return bad_input("the object has no shape");
  const MotionView motion = view(trajectory);
  State& state = workspace.state();
  const Extremes extremes = extremes_of(motion, *state.kernel);
  return Checker(scene.data(), footprint, motion, extremes, options, state, except).run();
}

Result<std::vector<TrafficResult>> check_all(const TrafficScene& scene, const CandidateSet& set,
                                             const TrafficOptions& options, int threads) {
  return for_all<TrafficResult>(scene, set, options, threads,
                                [](const TrafficResult& result) { return result; });
}

Result<std::vector<Verdict>> verdicts(const TrafficScene& scene, const CandidateSet& set,
                                      const TrafficOptions& options, int threads) {
  TrafficOptions any = options;
  any.first = false;
  return for_all<Verdict>(scene, set, any, threads,
                          [](const TrafficResult& result) { return result.verdict; });
}

Result<FirstFree> first_free(const TrafficScene& scene, const CandidateSet& set,
                             std::span<const int> order, const TrafficOptions& options,
                             TrafficWorkspace& workspace) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto valid = validate_set(set); !valid.ok()) return valid.error();
  TrafficOptions any = options;
  any.first = false;
  FirstFree found;
  for (const int candidate : order) {
    if (candidate < 0 || candidate >= set.size())
      return bad_input(fmt::format("no candidate {} among {}", candidate, set.size()));
    const auto result = check_row(scene, set, candidate, any, workspace.state());
    if (!result.ok()) return result.error();
    ++found.checked;
    if (result.value().verdict != Verdict::free) continue;
    found.candidate = candidate;
    break;
  }
  return found;
}

std::vector<std::string> kernel_names() {
  int count;
  const Kernel* const* list = kernels(count);
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(list[i]->name);
  return names;
}

bool force_kernel(TrafficWorkspace& workspace, std::string_view name) {
  int count;
  const Kernel* const* list = kernels(count);
  for (int i = 0; i < count; ++i)
    if (name == list[i]->name) return workspace.state().kernel = list[i], true;
  return false;
}

void force_brute_force(TrafficWorkspace& workspace, bool on) {
  workspace.state().brute_force = on;
}

}  // namespace proven::spacetime
