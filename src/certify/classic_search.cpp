// ADAPTIVE-BISECTION (paper 001, fig. 2; paper 000, section 3).
//
// A cell is an interval of the segment and a pair. Two bodies that are η_a and η_b apart at its
// ends stay farther apart than the clearance c on all of it if
//     λ < (η_a - c) + (η_b - c),
// λ a bound on the curves of both: at any time between, the distance is at least η_a less what was
// moved since, and at least η_b less what is still to be moved. (The papers add c/2 to the radii in
// λ; as the distance of two bodies changes no faster than their points move, that is not needed.)
#include <algorithm>
#include <limits>

#include "milestone.h"
#include "segment_search.h"

namespace proven {
namespace {

struct Cell {
  double urgency;  // uncovered length
  double t_begin, t_end;
  double eta_begin, eta_end;
  int pair;
};

class ClassicSearch : public SegmentSearch {
 public:
  ClassicSearch(const SearchContext& context, const SegmentMotion& motion, Milestone& from,
                Milestone& to)
      : context_(context),
        motion_(motion),
        lengths_(context.model, motion),
        from_(from),
        to_(to),
        outside_(context.model.pairs().size(), false) {}

  bool open() const override { return !collision_settled() && (!started_ || !cells_.empty()); }
  double urgency() const override {
    if (!started_) return std::numeric_limits<double>::infinity();
    return cells_.front().urgency;
  }
  std::int64_t num_cells() const override { return num_cells_; }

  void step(Workspace::State& workspace) override {
    if (!started_) return start(workspace);
    std::pop_heap(cells_.begin(), cells_.end(), Order{context_.options.first});
    const Cell cell = cells_.back();
    cells_.pop_back();
    ++num_cells_;
    if (context_.options.first && collision_) {
      if (cell.t_begin >= collision_->t) return;
      if (lengths_.upper(cell.pair, cell.t_begin, collision_->t) <= context_.options.resolution)
        return note_contact_bound(cell.t_begin);
    }
    split(cell, workspace);
    if (context_.options.first && collision_ && cells_.empty()) note_contact_bound(collision_->t);
  }

 private:
  // The most urgent cell first; of a first contact the earliest. Ties are broken by place and pair,
  // so that the order is the same everywhere.
  struct Order {
    bool earliest_first;
    bool operator()(const Cell& x, const Cell& y) const {
      if (!earliest_first && x.urgency != y.urgency) return x.urgency < y.urgency;
      if (x.t_begin != y.t_begin) return x.t_begin > y.t_begin;
      return x.pair > y.pair;
    }
  };

  bool collision_settled() const {
    return collision_ && (!context_.options.first || cells_.empty());
  }

  // Measures all pairs at both ends.
  void start(Workspace::State& workspace) {
    started_ = true;
    const double resolution = context_.options.resolution;
    for (int pair = 0; pair < static_cast<int>(context_.model.pairs().size()); ++pair) {
      if (context_.model.never_meets(pair)) continue;
      const Gap& begin = from_.gap(pair, resolution, workspace);
      if (begin.kind == Gap::Kind::contact && found_contact(0, pair, begin)) return;
      if (!lengths_.moves(pair)) {
        if (begin.lower <= context_.model.pair(pair).clearance)
          give_up({0, pair, begin, UndecidedReason::gap_below_resolution, 0});
        continue;
      }
      const Gap& end = to_.gap(pair, resolution, workspace);
      if (end.kind == Gap::Kind::contact && found_contact(1, pair, end)) return;
      outside_[static_cast<std::size_t>(pair)] = begin.outside || end.outside;
      add({0, 0, 1, eta(begin), eta(end), pair});
    }
  }

  static double eta(const Gap& gap) { return gap.kind == Gap::Kind::contact ? 0 : gap.lower; }

  // Whether the search is over.
  bool found_contact(double t, int pair, const Gap& gap) {
    if (collision_ && collision_->t <= t) return false;
    collision_ = Finding{t, pair, gap, UndecidedReason::gap_below_resolution, 0};
    if (t == 0) cells_.clear();
    return !context_.options.first || t == 0;
  }

  // Of a first contact: nothing happens before t_lower.
  void note_contact_bound(double t_lower) {
    if (undecided_) t_lower = std::min(t_lower, undecided_->t);
    collision_->t_lower = std::min(t_lower, collision_->t);
    cells_.clear();
  }

  // What the rule leaves uncovered; negative if the cell is proved.
  double uncovered_length(const Cell& cell) const {
    const double clearance = context_.model.pair(cell.pair).clearance;
    const double covered =
        ((cell.eta_begin - clearance) + (cell.eta_end - clearance)) * (1 - 0x1p-50);
    return lengths_.upper(cell.pair, cell.t_begin, cell.t_end) - covered;
  }
  bool is_covered(const Cell& cell) const { return uncovered_length(cell) < 0; }

  // Puts a cell into the queue unless the rule covers it.
  void add(Cell cell) {
    cell.urgency = uncovered_length(cell);
    if (cell.urgency < 0) return;
    cells_.push_back(cell);
    std::push_heap(cells_.begin(), cells_.end(), Order{context_.options.first});
  }

  double split_time(const Cell& cell) const {
    const double middle = 0.5 * (cell.t_begin + cell.t_end);
    if (context_.options.cover == Cover::midpoint) return middle;
    const double clearance = context_.model.pair(cell.pair).clearance;
    const double width = cell.t_end - cell.t_begin;
    const double rate = lengths_.upper(cell.pair, cell.t_begin, cell.t_end) / width;
    const double reach = (cell.eta_begin - clearance) / rate;
    const double t = context_.options.cover == Cover::forward
                         ? cell.t_begin + reach
                         : middle + 0.5 * (reach - (cell.eta_end - clearance) / rate);
    // Progress must not die at an end: no part is smaller than a hundredth.
    return std::clamp(t, cell.t_begin + 0.01 * width, cell.t_end - 0.01 * width);
  }

  void split(const Cell& cell, Workspace::State& workspace) {
    const double t = split_time(cell);
    const PairModel& pair = context_.model.pair(cell.pair);
    const Scene& scene = context_.model.scene();
    const BodyGeometry& a = *scene.body(pair.a).geometry;
    const BodyGeometry& b = *scene.body(pair.b).geometry;
    const Pose X_AB = workspace.configurations.relative(motion_, t, pair.a, pair.b);
    Gap gap = measure_gap(pair, a, b, X_AB, context_.options.resolution, workspace.distance);
    if (!outside_[static_cast<std::size_t>(cell.pair)]) {
      settle_containment(a, b, X_AB, gap);
      outside_[static_cast<std::size_t>(cell.pair)] = gap.outside;
    }
    if (gap.kind == Gap::Kind::contact && found_contact(t, cell.pair, gap)) return;
    for (const Cell& half : {Cell{0, cell.t_begin, t, cell.eta_begin, eta(gap), cell.pair},
                             Cell{0, t, cell.t_end, eta(gap), cell.eta_end, cell.pair}}) {
      if (collision_ && half.t_begin >= collision_->t) continue;
      if (gap.kind == Gap::Kind::close && !is_covered(half))
        give_up({half.t_begin, cell.pair, gap, UndecidedReason::gap_below_resolution, 0});
      else if (half.t_end - half.t_begin <= kMinWidth && !is_covered(half))
        give_up({half.t_begin, cell.pair, gap, UndecidedReason::depth, 0});
      else
        add(half);
    }
  }

  const SearchContext context_;
  const SegmentMotion& motion_;
  const CurveLengths lengths_;
  Milestone& from_;
  Milestone& to_;
  std::vector<Cell> cells_;    // a heap
  std::vector<bool> outside_;  // per pair: neither holds the other, at some configuration
  bool started_ = false;
  std::int64_t num_cells_ = 0;
};

}  // namespace

std::unique_ptr<SegmentSearch> make_classic_search(const SearchContext& context,
                                                   const SegmentMotion& motion, Milestone& from,
                                                   Milestone& to) {
  return std::make_unique<ClassicSearch>(context, motion, from, to);
}

}  // namespace proven
