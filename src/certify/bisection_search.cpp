#include "bisection_search.h"

namespace proven {

BisectionSearch::BisectionSearch(const SearchContext& context, const SegmentMotion& motion,
                                 KnownConfiguration& from, KnownConfiguration& to)
    : context_(context),
      motion_(motion),
      lengths_(context.model, motion),
      from_(from),
      to_(to),
      outside_(context.model.pairs().size(), false) {}

void BisectionSearch::start(Scratch::State& scratch) {
  started_ = true;
  const double resolution = context_.options.resolution;
  for (int pair = 0; pair < static_cast<int>(context_.model.pairs().size()); ++pair) {
    if (context_.model.never_meets(pair)) continue;
    const Gap begin = from_.gap(pair, resolution, scratch);
    if (begin.kind == Gap::Kind::contact && found_contact(0, pair, begin)) return;
    if (!lengths_.moves(pair)) {
      if (begin.lower <= context_.model.pair(pair).clearance)
        give_up({0, pair, begin, UndecidedReason::gap_below_resolution, 0});
      continue;
    }
    const Gap end = to_.gap(pair, resolution, scratch);
    if (end.kind == Gap::Kind::contact && found_contact(1, pair, end)) return;
    outside_[static_cast<std::size_t>(pair)] = begin.outside || end.outside;
    add_whole(pair, begin, end);
  }
}

BisectionSearch::PairAt BisectionSearch::pair_at(int pair, double t,
                                                 Scratch::State& scratch) const {
  const PairModel& p = context_.model.pair(pair);
  const Scene& scene = context_.model.scene();
  return {p, *scene.body(p.a).geometry, *scene.body(p.b).geometry,
          scratch.configurations.relative(motion_, t, p.a, p.b)};
}

void BisectionSearch::settle_outside(int pair, const PairAt& at, Gap& gap) {
  if (outside_[static_cast<std::size_t>(pair)]) return;
  settle_containment(at.a, at.b, at.X_AB, gap);
  outside_[static_cast<std::size_t>(pair)] = gap.outside;
}

bool BisectionSearch::found_contact(double t, int pair, const Gap& gap) {
  if (!collision_ || t < collision_->t)
    collision_ = Finding{t, pair, gap, UndecidedReason::gap_below_resolution, 0};
  return !context_.options.first || t == 0;
}

}  // namespace proven
