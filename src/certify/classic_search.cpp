// ADAPTIVE-BISECTION (paper 001, fig. 2; paper 000, section 3).
//
// A cell is an interval of the segment and a pair. Two bodies that are η_a and η_b apart at its
// ends stay farther apart than the clearance c on all of it if
//     λ < (η_a - c) + (η_b - c),
// λ a bound on the curves of both: at any time between, the distance is at least η_a less what was
// moved since, and at least η_b less what is still to be moved. (The papers add c/2 to the radii in
// λ; as the distance of two bodies changes no faster than their points move, that is not needed.)
#include <algorithm>

#include "bisection_search.h"

namespace proven {
namespace {

struct Cell {
  double urgency;  // uncovered length
  double t_begin, t_end;
  double eta_begin, eta_end;
  int pair;
  int patience;
};

class ClassicSearch : public BisectionSearch {
 public:
  using BisectionSearch::BisectionSearch;

  bool open() const override {
    if (collision_ && !context_.options.first) return false;
    return !started_ || !cells_.empty();
  }
  double urgency() const override {
    return started_ ? cells_.front().urgency : std::numeric_limits<double>::infinity();
  }

  void step(Scratch::State& scratch) override {
    if (!started_) {
      start(scratch);
      return bound_first_contact();
    }
    std::pop_heap(cells_.begin(), cells_.end(), Order{context_.options.first});
    const Cell cell = cells_.back();
    cells_.pop_back();
    ++num_cells_;
    if (ends_at_contact(cell))
      unproved_from_ = std::fmin(unproved_from_, cell.t_begin);
    else
      split(cell, scratch);
    bound_first_contact();
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

  void add_whole(int pair, const Gap& begin, const Gap& end) override {
    add({0, 0, 1, eta(pair, begin), eta(pair, end), pair, kPatience});
  }

  // Of a first contact: whether the pair moves less than the resolution from here to there, which
  // is not far.
  bool ends_at_contact(const Cell& cell) const {
    return context_.options.first && collision_ && collision_->t - cell.t_begin <= kFirstWidth &&
           lengths_.upper(cell.pair, cell.t_begin, collision_->t) <= context_.options.resolution;
  }

  // Of a first contact: drops the cells after it. Cells come in the order of time, so nothing
  // happens before the first one that is left, was dropped or was given up.
  void bound_first_contact() {
    if (!context_.options.first || !collision_) return;
    if (!cells_.empty() && cells_.front().t_begin >= collision_->t) cells_.clear();
    const double open_from = cells_.empty() ? 1 : cells_.front().t_begin;
    const double given_up_from = undecided_ ? undecided_->t : 1;
    collision_->t_lower = std::min({collision_->t, open_from, given_up_from, unproved_from_});
  }

  double uncovered_length(const Cell& cell) const {
    return uncovered(cell.pair, lengths_.upper(cell.pair, cell.t_begin, cell.t_end), cell.eta_begin,
                     cell.eta_end);
  }

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
    // At rest there is no other place, and close to the last level the shares below would vanish in
    // rounding.
    if (!(rate > 0) || width < 0x1p-40) return middle;
    const double reach = (cell.eta_begin - clearance) / rate;
    const double t = context_.options.cover == Cover::forward
                         ? cell.t_begin + reach
                         : middle + 0.5 * (reach - (cell.eta_end - clearance) / rate);
    // Progress must not die at an end: no part is smaller than a hundredth.
    return std::clamp(t, cell.t_begin + 0.01 * width, cell.t_end - 0.01 * width);
  }

  void split(const Cell& cell, Scratch::State& scratch) {
    const double t = split_time(cell);
    const PairAt at = pair_at(cell.pair, t, scratch);
    Gap gap =
        measure_gap(at.pair, at.a, at.b, at.X_AB, context_.options.resolution, scratch.distance);
    settle_outside(cell.pair, at, gap);
    if (gap.kind == Gap::Kind::contact && found_contact(t, cell.pair, gap)) return;
    const int patience = gap.kind == Gap::Kind::close ? cell.patience - 1 : cell.patience;
    for (const Cell& half :
         {Cell{0, cell.t_begin, t, cell.eta_begin, eta(cell.pair, gap), cell.pair, patience},
          Cell{0, t, cell.t_end, eta(cell.pair, gap), cell.eta_end, cell.pair, patience}}) {
      if (collision_ && half.t_begin >= collision_->t) continue;
      const bool too_short = half.t_end - half.t_begin <= kMinWidth;
      if ((patience == 0 || too_short) && uncovered_length(half) >= 0)
        give_up({half.t_begin, cell.pair, gap,
                 too_short ? UndecidedReason::depth : UndecidedReason::gap_below_resolution, 0});
      else
        add(half);
    }
  }

  std::vector<Cell> cells_;   // a heap
  double unproved_from_ = 1;  // where the first cell begins that was dropped before a contact
};

}  // namespace

std::unique_ptr<SegmentSearch> make_classic_search(const SearchContext& context,
                                                   const SegmentMotion& motion,
                                                   KnownConfiguration& from,
                                                   KnownConfiguration& to) {
  return std::make_unique<ClassicSearch>(context, motion, from, to);
}

}  // namespace proven
