// REFINED-ADAPTIVE-BISECTION (paper 001, section VI): the rule of the classic checker per pair of
// bounding volumes. What is proved for two volumes is never looked at again.
//
// A cell is an interval and a pair of tree nodes, with the trees of node pairs that GREEDY-DIST
// visited below them at both ends. The rule is tried from the top of the intersection of both trees
// down; each leaf of it that stays uncovered is split in time.
#include <algorithm>
#include <limits>

#include "proven/geometry/greedy_tree.h"
#include "milestone.h"
#include "node_motion.h"
#include "segment_search.h"

namespace proven {
namespace {

// A node pair at one end of a cell.
struct CellEnd {
  double t;
  GreedyTreePtr tree;
  int index;  // of the node pair in the tree

  const GreedyNode& node() const { return tree->nodes[static_cast<std::size_t>(index)]; }
};

struct Cell {
  double urgency;  // uncovered length
  int pair;
  CellEnd begin, end;
};

class RefinedSearch : public SegmentSearch {
 public:
  RefinedSearch(const SearchContext& context, const SegmentMotion& motion, Milestone& from,
                Milestone& to)
      : context_(context),
        motion_(motion),
        lengths_(context.model, motion),
        node_rates_(context.model, motion),
        from_(from),
        to_(to),
        outside_(context.model.pairs().size(), false) {}

  bool open() const override { return !collision_ && (!started_ || !cells_.empty()); }
  double urgency() const override {
    if (!started_) return std::numeric_limits<double>::infinity();
    return cells_.front().urgency;
  }
  std::int64_t num_cells() const override { return num_cells_; }

  void step(Workspace::State& workspace) override {
    if (!started_) return start(workspace);
    std::pop_heap(cells_.begin(), cells_.end(), comes_later);
    const Cell cell = std::move(cells_.back());
    cells_.pop_back();
    ++num_cells_;
    test(cell.pair, cell.begin, cell.end, workspace);
  }

 private:
  static bool comes_later(const Cell& x, const Cell& y) {
    if (x.urgency != y.urgency) return x.urgency < y.urgency;
    if (x.begin.t != y.begin.t) return x.begin.t > y.begin.t;
    if (x.pair != y.pair) return x.pair > y.pair;
    const GreedyNode &a = x.begin.node(), &b = y.begin.node();
    return std::pair(a.node_a, a.node_b) > std::pair(b.node_a, b.node_b);
  }

  void start(Workspace::State& workspace) {
    started_ = true;
    const double resolution = context_.options.resolution;
    for (int pair = 0; pair < static_cast<int>(context_.model.pairs().size()); ++pair) {
      if (context_.model.never_meets(pair)) continue;
      const Gap& begin = from_.gap(pair, resolution, workspace);
      if (begin.kind == Gap::Kind::contact) return found_contact(0, pair, begin);
      if (!lengths_.moves(pair)) {
        if (begin.lower <= context_.model.pair(pair).clearance)
          give_up({0, pair, begin, UndecidedReason::gap_below_resolution, 0});
        continue;
      }
      const Gap& end = to_.gap(pair, resolution, workspace);
      if (end.kind == Gap::Kind::contact) return found_contact(1, pair, end);
      outside_[static_cast<std::size_t>(pair)] = begin.outside || end.outside;
      add({0, pair, {0, from_.tree(pair), 0}, {1, to_.tree(pair), 0}});
    }
  }

  void found_contact(double t, int pair, const Gap& gap) {
    collision_ = Finding{t, pair, gap, UndecidedReason::gap_below_resolution, t};
  }

  // λ of the two nodes less what the gaps at both ends cover; negative if the rule holds.
  double uncovered_length(int pair, const CellEnd& begin, const CellEnd& end) {
    const double clearance = context_.model.pair(pair).clearance;
    const double covered =
        ((begin.node().eta - clearance) + (end.node().eta - clearance)) * (1 - 0x1p-50);
    const double rate = node_rates_.upper(pair, begin.node().node_a, begin.node().node_b);
    return rate * (end.t - begin.t) * (1 + 0x1p-51) - covered;
  }

  void add(Cell cell) {
    cell.urgency = uncovered_length(cell.pair, cell.begin, cell.end);
    if (cell.urgency < 0) return;
    cells_.push_back(std::move(cell));
    std::push_heap(cells_.begin(), cells_.end(), comes_later);
  }

  // COLLISION-TEST on the intersection of the trees at both ends.
  void test(int pair, const CellEnd& begin, const CellEnd& end, Workspace::State& workspace) {
    if (uncovered_length(pair, begin, end) < 0) return;
    if (begin.node().is_leaf() || end.node().is_leaf()) return split(pair, begin, end, workspace);
    for (const int side : {0, 1}) {
      test(pair, {begin.t, begin.tree, begin.node().first_child(side)},
           {end.t, end.tree, end.node().first_child(side)}, workspace);
      if (collision_) return;
    }
  }

  void split(int index, const CellEnd& begin, const CellEnd& end, Workspace::State& workspace) {
    const double t = 0.5 * (begin.t + end.t);
    const PairModel& pair = context_.model.pair(index);
    const Scene& scene = context_.model.scene();
    const BodyGeometry& a = *scene.body(pair.a).geometry;
    const BodyGeometry& b = *scene.body(pair.b).geometry;
    const Pose X_AB = workspace.configurations.relative(motion_, t, pair.a, pair.b);
    const double threshold = pair.clearance + context_.options.resolution + pair.rounding_bound;
    CellEnd middle{t,
                   build_greedy_tree(a, b, X_AB, begin.node().node_a, begin.node().node_b,
                                     threshold, pair.rounding_bound, workspace.distance),
                   0};
    Gap gap;
    gap.lower = middle.node().eta;
    if (gap.lower <= 0) {
      gap = measure_close_gap(pair, a, b, X_AB, context_.options.resolution, workspace.distance);
      middle.tree = leaf_tree(begin.node().node_a, begin.node().node_b, gap.lower);
    }
    settle_outside(index, a, b, X_AB, gap);
    if (gap.kind == Gap::Kind::contact) return found_contact(t, index, gap);
    const bool too_short = t - begin.t <= kMinWidth;
    for (Cell half : {Cell{0, index, begin, middle}, Cell{0, index, middle, end}}) {
      const bool covered = uncovered_length(index, half.begin, half.end) < 0;
      if (!covered && (gap.kind == Gap::Kind::close || too_short))
        give_up({half.begin.t, index, gap,
                 too_short ? UndecidedReason::depth : UndecidedReason::gap_below_resolution, 0});
      else
        add(std::move(half));
    }
  }

  // Where neither end of the segment could tell: whether one body holds the other.
  void settle_outside(int index, const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                      Gap& gap) {
    if (outside_[static_cast<std::size_t>(index)]) return;
    settle_containment(a, b, X_AB, gap);
    outside_[static_cast<std::size_t>(index)] = gap.outside;
  }

  const SearchContext context_;
  const SegmentMotion& motion_;
  const CurveLengths lengths_;
  NodeRates node_rates_;
  Milestone& from_;
  Milestone& to_;
  std::vector<Cell> cells_;  // a heap
  std::vector<bool> outside_;
  bool started_ = false;
  std::int64_t num_cells_ = 0;
};

}  // namespace

std::unique_ptr<SegmentSearch> make_refined_search(const SearchContext& context,
                                                   const SegmentMotion& motion, Milestone& from,
                                                   Milestone& to) {
  return std::make_unique<RefinedSearch>(context, motion, from, to);
}

}  // namespace proven
