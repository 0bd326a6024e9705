// The search for a contact of one moving object with a scene.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "spacetime/pair.h"
#include "spacetime/workspace.h"

namespace proven::spacetime {

// The moving object's own side: a trajectory by its arrays. Poses are placed as far as they are
// asked for, since a search that finds a contact early needs no more.
class ArraySource {
 public:
  // `pad` widens every box: rounding, and the clearance.
  ArraySource(const Footprint& footprint, const MotionView& motion, const TrafficScene::Data& scene,
              double pad, TrafficScratch::State& state)
      : footprint_(footprint),
        motion_(motion),
        origin_x_(scene.origin_x),
        origin_y_(scene.origin_y),
        pad_(pad),
        poses_(state.poses.reserve(motion.size)),
        extra_(extra_widening(motion, footprint.core_reach(), state.extra) ? state.extra.data()
                                                                           : nullptr) {}

  int size() const { return motion_.size; }
  const double* times() const { return motion_.t; }

  // Puts boxes around the steps [first, first + count), which must follow those asked for before.
  void boxes(int first, int count, FloatBoxes out) {
    constexpr int kAhead = 8;  // whole vectors
    const int end = std::min(motion_.size, (first + count + kAhead) / kAhead * kAhead);
    if (end > placed_) {
      boxes_kernel->place(end - placed_,
                          {motion_.x + placed_, motion_.y + placed_, motion_.heading + placed_},
                          body_box(footprint_), origin_x_, origin_y_, from(poses_, placed_));
      placed_ = end;
    }
    boxes_kernel->sweep(count + 1, motion_.heading + first, from(poses_, first),
                        footprint_.core_reach(), extra_ ? extra_ + first : nullptr, pad_, out);
  }

  Segment segment(int i) const {
    return make_segment(motion_, poses_.cosine, poses_.sine, i, footprint_.core_reach());
  }

 private:
  const Footprint& footprint_;
  const MotionView motion_;
  const double origin_x_, origin_y_, pad_;
  PoseBoxes poses_;
  const double* extra_;
  int placed_ = 0;
};

// Looks at one object's trajectory. Its boxes per bin and per 16 bins choose, in the order of time,
// the steps of obstacles that are then examined exactly.
template <class Source>
class Checker {
 public:
  // `rounding` bounds the error of every computed point of the object.
  Checker(const TrafficScene::Data& scene, const Footprint& footprint, Source& source,
          double rounding, const TrafficOptions& options, TrafficScratch::State& state, int except,
          const Budget& budget)
      : scene_(scene),
        footprint_(footprint),
        source_(source),
        options_(options),
        state_(state),
        except_(except),
        rounding_(rounding),
        watch_(budget) {}

  TrafficResult run() {
    prepare();
    for (int block = first_block_; block <= last_block_; ++block) {
      if (block >= filled_) fill_strip();
      if (visit_block(block)) break;
    }
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
  void prepare() {
    map_times();
    const BinMap& map = state_.map;
    first_bin_ = map.first.front();
    last_bin_ = map.last.back();
    first_block_ = filled_ = first_bin_ / kLanes;
    last_block_ = last_bin_ / kLanes;
    state_.bins.reserve(scene_.stride);
    state_.blocks.reserve(scene_.blocks);
    const int begin = first_block_ * kLanes, end = (last_block_ + 1) * kLanes;
    if (map.one_to_one) {
      state_.bins.clear(begin, first_bin_);
      state_.bins.clear(last_bin_ + 1, end);
      return;
    }
    state_.bins.clear(begin, end);
    const int steps = source_.size() - 1;
    state_.steps.resize(round_up(steps));
    steps_ = state_.steps.arrays();
    source_.boxes(0, steps, steps_);
    for (int i = 0; i < steps; ++i)
      for (int bin = map.first[index(i)]; bin <= map.last[index(i)]; ++bin)
        include(state_.bins.arrays(), bin, box_at(steps_, i));
  }

  // Makes the boxes of the next few blocks.
  void fill_strip() {
    constexpr int kStrip = 4;
    const int end = std::min(last_block_ + 1, filled_ + kStrip);
    const FloatBoxes bins = state_.bins.arrays();
    if (state_.map.one_to_one) {
      const int first = std::max(first_bin_, filled_ * kLanes);
      const int last = std::min(last_bin_ + 1, end * kLanes);
      source_.boxes(first - first_bin_, last - first, from(bins, first));
    }
    boxes_kernel->gather(end - filled_, from(bins, filled_ * kLanes),
                         from(state_.blocks.arrays(), filled_));
    filled_ = end;
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  // Candidates of one batch share their times: the map is made once.
  void map_times() {
    BinMap& map = state_.map;
    if (state_.map_bins == scene_.shared_bins && map.is_made_for(source_.times(), source_.size()))
      return;
    map.make(scene_.bins(), source_.times(), source_.size());
    state_.map_bins = scene_.shared_bins;
  }

  bool visit_block(int block) {
    const FloatBox box = box_at(state_.blocks.arrays(), block);
    const FloatBoxes bins = state_.bins.arrays(), leaves = scene_.leaves.arrays();
    state_.lanes.clear();
    state_.masks.clear();
    unsigned any = 0;
    const auto look = [&](int lane) {
      const unsigned mask = boxes_kernel->meet_each(bins, block * kLanes, leaves,
                                                    lane * scene_.stride + block * kLanes);
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
      unsigned meeting =
          boxes_kernel->meet_one(scene_.tops.arrays(), block * scene_.lanes + at, box);
      result_.stats.box_tests += kLanes;
      for (; meeting; meeting &= meeting - 1) look(at + std::countr_zero(meeting));
    }
    for (; any; any &= any - 1)
      if (visit_bin(block * kLanes + std::countr_zero(any), std::countr_zero(any))) return true;
    return false;
  }

  // Looks at all obstacles of one bin before the next, so that the earliest contact is found.
  bool visit_bin(int bin, int bit) {
    bool stop = false;
    bin_begin_ = std::max(scene_.bins().begin(bin), source_.times()[0]);
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
    own_ = source_.segment(i);
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

  // Examines both steps within [begin, end], piece by piece. Returns true to end the search.
  bool examine(int o, const Footprint& footprint, const Segment& other, double begin, double end) {
    const double a = std::max({begin, own_.t0, other.t0}), b = std::min({end, own_.t1, other.t1});
    if (!(a <= b)) return false;
    if (watch_.over()) return give_up(o), true;
    ++result_.stats.step_pairs;
    SearchLimits limits{options_.resolution, options_.time_resolution, options_.first,
                        std::max<std::int64_t>(1, options_.max_cells - result_.stats.cells),
                        &watch_};
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
        if (found.doubt) note_doubt(o, *found.doubt);
        if (!found.contact) continue;
        stop = true;
        note_contact(o, other, *found.contact);
        if (!options_.first) return true;
      }
    if (watch_.ended()) return give_up(o), true;
    return stop;
  }

  // The first doubt counts. Where a budget ended, that is the reason, since more of it may help,
  // and the times hold all that was left open.
  void note_doubt(int o, const PairDoubt& found) {
    if (!result_.doubt)
      result_.doubt = TrafficDoubt{found.reason, o, found.t_begin, found.t_end, found.distance};
    if (found.reason == UndecidedReason::gap_below_resolution ||
        found.reason == UndecidedReason::tube || found.reason == UndecidedReason::depth)
      return;
    result_.doubt->reason = found.reason;
    result_.doubt->t_begin = std::min(result_.doubt->t_begin, found.t_begin);
    result_.doubt->t_end = std::max(result_.doubt->t_end, found.t_end);
  }

  // The budget has ended: other obstacles may not have been looked at in this bin, and none was
  // after it.
  void give_up(int o) {
    if (!result_.doubt) result_.doubt = TrafficDoubt{watch_.reason(), o, bin_begin_, 0, 0};
    result_.doubt->reason = watch_.reason();
    result_.doubt->t_begin = std::min(result_.doubt->t_begin, bin_begin_);
    result_.doubt->t_end = source_.times()[source_.size() - 1];
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

  const TrafficScene::Data& scene_;
  const Footprint& footprint_;
  Source& source_;
  const TrafficOptions& options_;
  TrafficScratch::State& state_;
  const int except_;
  const double rounding_;

  Watch watch_;
  FloatBoxes steps_{};  // unless steps and bins are the same
  int first_bin_ = 0, last_bin_ = 0, first_block_ = 0, last_block_ = 0;
  int filled_ = 0;        // blocks before this have their boxes
  double bin_begin_ = 0;  // where the bin that is visited begins
  Segment own_;
  TrafficResult result_;
};

}  // namespace proven::spacetime
