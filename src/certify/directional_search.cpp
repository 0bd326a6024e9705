#include "directional_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "proven/geometry/solid.h"

namespace proven {
namespace {

// Spheres that are apart, but by less than this share of what they may move, are not worth the
// boxes: the interval is halved first.
constexpr double kHopelessShare = 0.125;

// Boxes that fail by more than this share of what they may move are halved in time at once; only
// those that all but succeed are worth a direction of their own.
constexpr double kAlmostShare = 0.03;

// How much motion counts beside the gap when the next cell is chosen (docs/decisions).
constexpr double kMovedShare = 0.15;

// What has the same match stays in order. The library's stable sort allocates, and there are
// mostly few.
void sort_by_match(std::vector<NodePair>& pairs) {
  constexpr std::size_t kFew = 32;
  const auto before = [](const NodePair& x, const NodePair& y) { return x.match < y.match; };
  if (pairs.size() > kFew) return std::stable_sort(pairs.begin(), pairs.end(), before);
  for (auto next = pairs.begin(); next != pairs.end(); ++next)
    std::rotate(std::upper_bound(pairs.begin(), next, *next, before), next, next + 1);
}

}  // namespace

void DirectionalSearch::begin(const ModelData& model, const CheckOptions& options,
                              const SegmentMotion& motion, bool starts_free) {
  reset_findings();
  model_ = &model;
  options_ = &options;
  motion_ = &motion;
  joint_rates(model.scene().tree(), motion, 0.5, 0, 1, rates_);
  movers_.clear();
  if (starts_free && !options.certificate) find_movers();
  open_parts_.clear();
  started_ = done_ = false;
  num_cells_ = touches_ = 0;
  queue_.begin(options.first);
  recorder_.begin(options.certificate);
  apart_.assign(model.pairs().size(), 0);
  unsure_.assign(model.pairs().size(), 0);
  unproved_from_ = 1;
  efforts_.clear();
  if (!options.explain) return;
  for (const Match& match : model.matches()) {
    efforts_.emplace_back();
    efforts_.back().bodies = {match.a, match.b};
  }
}

void DirectionalSearch::begin(const ModelData& model, const CheckOptions& options,
                              const SegmentMotion& motion, bool starts_free,
                              std::span<const OpenPart> open) {
  begin(model, options, motion, starts_free);
  open_parts_.assign(open.begin(), open.end());
  apart_.assign(apart_.size(), 1);
  if (starts_free) return;
  for (const OpenPart& part : open) apart_[static_cast<std::size_t>(part.pair)] = 0;
}

void DirectionalSearch::note_test(const NodePair& entry, double gap) {
  if (efforts_.empty()) return;
  Effort& effort = efforts_[static_cast<std::size_t>(entry.match)];
  ++effort.tests;
  const auto stretch = static_cast<std::size_t>(t_ * Effort::kStretches);
  ++effort.tests_by_stretch[std::min<std::size_t>(stretch, Effort::kStretches - 1)];
  // Only nodes that need no further look count: others may just have boxes too wide.
  const double distance = gap + rule_.clearance();
  if (gap > 0 && distance < effort.least_gap) effort.least_gap = distance, effort.t_least_gap = t_;
}

double DirectionalSearch::urgency() const {
  return started_ && !queue_.empty() ? queue_.front().urgency
                                     : std::numeric_limits<double>::infinity();
}

void DirectionalSearch::write_proof(std::vector<std::uint8_t>& out) const {
  recorder_.write(out);
}

void DirectionalSearch::step(Scratch::State& scratch) {
  if (!started_) {
    start(scratch);
  } else if (!queue_.empty()) {
    process_first_cell(scratch);
    bound_first_contact();
  }
  if (collision_ && !options_->first) done_ = true;
  if (done_ || !queue_.empty()) return;
  settle_containment(scratch);
  done_ = true;
}

void DirectionalSearch::set_interval(double t_begin, double t_end, Scratch::State& scratch) {
  t_begin_ = t_begin;
  t_end_ = t_end;
  t_ = 0.5 * (t_begin + t_end);
  rule_.begin(*model_, scratch.anchors.get(*model_, *motion_, rates_, t_, t_ - t_begin));
}

// What spheres in the middle of the segment do not settle becomes cells.
void DirectionalSearch::start(Scratch::State& scratch) {
  started_ = true;
  if (!open_parts_.empty()) return start_open_parts(scratch);
  set_interval(0, 1, scratch);
  for (const int match : model_->proof_order()) {
    const NodePair entry{match, 0, 0, recorder_.add_root(), kPatience};
    if (stays_free(match)) {
      mark_apart(entry);
      continue;
    }
    before_.clear();
    after_.clear();
    ++scratch.distance.counts.box_tests;
    const Slack slack = rule_.spheres(match);
    if (settled_by_spheres(entry, slack))
      emit(match);
    else
      queue_.push(urgency_of(slack.gap), 0, 1, match, true, {&entry, 1});
  }
}

void DirectionalSearch::start_open_parts(Scratch::State& scratch) {
  for (const OpenPart& part : open_parts_) push_open(part, 0, 0, scratch);
}

// Intervals with both ends at eighths of the part, as wide as possible.
void DirectionalSearch::push_open(const OpenPart& open_part, int level, int index,
                                  Scratch::State& scratch) {
  constexpr int kLevels = 3;
  double width = std::ldexp(1.0, -level), begin = index * width, end = begin + width;
  bool any = false, all = true;
  for (int k = 0; k < kChords; ++k) {
    // Chord k overlaps the interval, or is taken to: rounded to the outside.
    if ((k + 1) < begin * kChords || k > end * kChords) continue;
    const bool open = (open_part.chords >> k & 1) != 0;
    any = any || open;
    all = all && open;
  }
  if (!any) return;
  if (!all && level < kLevels) {
    push_open(open_part, level + 1, 2 * index, scratch);
    push_open(open_part, level + 1, 2 * index + 1, scratch);
    return;
  }
  const int pair = open_part.pair;
  width = open_part.part.width();
  begin = open_part.part.begin() + width * begin;
  end = open_part.part.begin() + width * end;
  set_interval(begin, end, scratch);
  const NodePair entry{pair, 0, 0, -1, kPatience};
  before_.clear();
  after_.clear();
  ++scratch.distance.counts.box_tests;
  const Slack slack = rule_.spheres(pair);
  if (settled_by_spheres(entry, slack))
    emit(pair);
  else
    queue_.push(urgency_of(slack.gap), begin, end, pair, true, {&entry, 1});
}

void DirectionalSearch::try_moment(int pair, double t, Scratch::State& scratch) {
  set_interval(t, t, scratch);
  work_.assign(1, {pair, 0, 0, -1, kPatience});
  run_match(pair, true, scratch);
  if (collision_) {
    done_ = true;
    return;
  }
  queue_.clear();
  undecided_.reset();
  unsure_.assign(unsure_.size(), 0);
}

void DirectionalSearch::process_first_cell(Scratch::State& scratch) {
  const Cell cell = queue_.pop(work_);
  ++num_cells_;
  if (options_->first && collision_ && cell.t_begin >= collision_->t) return;
  set_interval(cell.t_begin, cell.t_end, scratch);
  deferred_.clear();
  run_match(cell.match, cell.spheres_failed, scratch);
  // Still bodies that the descent reached, each in its own match.
  sort_by_match(deferred_);
  for (auto begin = deferred_.begin(); begin != deferred_.end() && !done_;) {
    const int match = begin->match;
    auto end = begin;
    while (end != deferred_.end() && end->match == match) ++end;
    work_.assign(begin, end);
    run_match(match, false, scratch);
    begin = end;
  }
}

void DirectionalSearch::try_pairs(std::span<const int> pairs, Scratch::State& scratch) {
  set_interval(0, 1, scratch);
  for (const int pair : pairs) {
    work_.assign(1, {pair, 0, 0, -1, kPatience});
    run_match(pair, false, scratch);
    if (collision_) return;
  }
  // The search itself comes to the same pairs in its own order.
  queue_.clear();
  undecided_.reset();
  unsure_.assign(unsure_.size(), 0);
}

// Per link the last joint above it that moves. Links that have it in common do not move against
// each other.
void DirectionalSearch::find_movers() {
  const auto& links = model_->scene().tree().links();
  movers_.assign(links.size(), -1);
  for (std::size_t i = 1; i < links.size(); ++i)
    movers_[i] = rates_[i].moves() ? static_cast<int>(i)
                                   : movers_[static_cast<std::size_t>(links[i].parent)];
}

// Whether it is free at the start and does not move.
bool DirectionalSearch::stays_free(int index) const {
  const Match& match = model_->match(index);
  if (movers_.empty() || match.growth > 0) return false;
  const auto mover = [&](int body) {
    return body == Match::kStillBodies
               ? -1
               : movers_[static_cast<std::size_t>(model_->scene().body(body).link)];
  };
  return mover(match.a) == mover(match.b);
}

void DirectionalSearch::run_match(int match, bool spheres_failed, Scratch::State& scratch) {
  before_.clear();
  after_.clear();
  const bool whole = work_.size() == 1 && work_[0].node_a == 0 && work_[0].node_b == 0;
  if (whole && !spheres_failed) {
    ++scratch.distance.counts.box_tests;
    if (settled_by_spheres(work_[0], rule_.spheres(match))) return emit(match);
  }
  rule_.begin_match(match);
  boxes_ready_ = false;
  while (!work_.empty() && !done_) {
    const NodePair entry = work_.back();
    work_.pop_back();
    evaluate(entry, scratch);
  }
  emit(match);
}

// Whether the spheres prove the whole, or show that the interval must be halved first.
bool DirectionalSearch::settled_by_spheres(const NodePair& entry, const Slack& slack) {
  if (!(slack.gap > options_->resolution)) return false;
  mark_apart(entry);
  if (recorder_.on() && slack.before > 0) rule_.begin_match(entry.match);
  if (finish(entry, slack)) return true;
  if (!(slack.gap < kHopelessShare * rule_.moved())) return false;
  split_time(entry, slack);
  return true;
}

void DirectionalSearch::evaluate(const NodePair& entry, Scratch::State& scratch) {
  const BoxNode &a = rule_.node_a(entry), &b = rule_.node_b(entry);
  if (rule_.against_still_bodies() && b.is_leaf()) return descend_still(entry);
  ++scratch.distance.counts.box_tests;
  if (entry.n != Vec3{}) {
    const Slack handed = rule_.along(entry.n, entry);
    if (handed.gap > 0) mark_apart(entry);
    if (finish(entry, handed)) return;
  }
  if (!boxes_ready_) rule_.begin_boxes(), boxes_ready_ = true;
  Slack slack = rule_.boxes(entry);
  note_test(entry, slack.gap);
  if (slack.gap > 0) mark_apart(entry);
  if (finish(entry, slack)) return;
  if (a.is_leaf() && b.is_leaf()) return evaluate_pieces(entry, slack.n_gap, scratch);
  const bool apart = slack.gap > options_->resolution;
  if (apart && -std::fmin(slack.before, slack.after) > kAlmostShare * rule_.moved())
    return split_time(entry, slack);
  if (evaluate_points(entry, slack)) return;
  if (!(slack.gap > options_->resolution)) return descend(entry, slack.n_gap);
  // Joint by joint, the bound on the acceleration is tighter.
  const Slack along =
      rule_.along(slack.before < slack.after ? slack.n_before : slack.n_after, entry);
  if (along.before > slack.before) slack.before = along.before, slack.n_before = along.n_before;
  if (along.after > slack.after) slack.after = along.after, slack.n_after = along.n_after;
  if (finish(entry, slack)) return;
  split_time(entry, slack);
}

// Improves the slack; returns whether that finished the node pair.
bool DirectionalSearch::evaluate_points(const NodePair& entry, Slack& slack) {
  const auto along = rule_.points(entry, slack.n_gap);
  if (!along) return false;
  if (along->gap > 0) mark_apart(entry);
  if (finish(entry, *along)) return true;
  if (along->gap > slack.gap) slack = *along;
  return false;
}

// Writes leaves of the proof, if both sides hold.
bool DirectionalSearch::finish(const NodePair& entry, const Slack& slack) {
  if (!(slack.gap > 0 && slack.before > 0 && slack.after > 0)) return false;
  if (!recorder_.on()) return true;
  if (slack.n_before == slack.n_after) {
    prove(entry.proof, ProofTree::At::middle, slack.n_before, entry);
  } else {
    const int first = recorder_.split(entry.proof, ProofTree::Split::time);
    prove(first, ProofTree::At::end, slack.n_before, entry);
    prove(first + 1, ProofTree::At::begin, slack.n_after, entry);
  }
  return true;
}

void DirectionalSearch::prove(int proof, ProofTree::At at, const Vec3& n, const NodePair& entry) {
  recorder_.leaf(proof, at, n, [&](const Vec3& unit) {
    const Slack slack = rule_.along(unit, entry);
    return slack.gap > 0 && (at == ProofTree::At::begin || slack.before > 0) &&
           (at == ProofTree::At::end || slack.after > 0);
  });
}

void DirectionalSearch::split_time(const NodePair& entry, const Slack& slack) {
  const int proof = recorder_.split(entry.proof, ProofTree::Split::time);
  NodePair first = entry, second = entry;
  first.n = second.n = slack.gap > 0 ? slack.n_gap : Vec3{};
  first.proof = ProofRecorder::child(proof, 0);
  second.proof = ProofRecorder::child(proof, 1);
  if (slack.gap > 0 && slack.before > 0)
    prove(first.proof, ProofTree::At::end, slack.n_before, entry);
  else
    leave(first, true, urgency_of(slack.gap));
  if (slack.gap > 0 && slack.after > 0)
    prove(second.proof, ProofTree::At::begin, slack.n_after, entry);
  else
    leave(second, false, urgency_of(slack.gap));
}

// Where bodies overlap, or all but do, a contact is near; of far ones those that move most.
double DirectionalSearch::urgency_of(double gap) const {
  return kMovedShare * rule_.moved() - gap;
}

void DirectionalSearch::leave(const NodePair& entry, bool before, double urgency) {
  (before ? before_ : after_).push_back({entry, urgency});
}

void DirectionalSearch::descend(const NodePair& entry, const Vec3& n) {
  const BoxNode &a = rule_.node_a(entry), &b = rule_.node_b(entry);
  const bool split_a = b.is_leaf() || (!a.is_leaf() && rule_.a_goes_first(entry, n));
  const BoxNode& larger = split_a ? a : b;
  int count = 0, children[2];
  for (int i = 0; i < 2; ++i) {
    const int child = larger.first_child + i;
    if (split_a || !rule_.against_still_bodies() ||
        model_->counts(model_->match(entry.match).a, child))
      children[count++] = child;
  }
  const int proof =
      recorder_.split(entry.proof, split_a ? ProofTree::Split::a : ProofTree::Split::b, count);
  for (int i = 0; i < count; ++i) {
    NodePair next = entry;
    (split_a ? next.node_a : next.node_b) = children[i];
    next.proof = ProofRecorder::child(proof, i);
    work_.push_back(next);
  }
  // The nearer one first: contacts are found sooner.
  if (count == 2 &&
      rule_.squared_distance(work_.back()) > rule_.squared_distance(work_[work_.size() - 2]))
    std::swap(work_.back(), work_[work_.size() - 2]);
}

// A single still body is tested in its own match.
void DirectionalSearch::descend_still(const NodePair& entry) {
  NodePair next = entry;
  next.match = model_->still_pair(model_->match(entry.match).a, rule_.node_b(entry).item);
  next.node_b = 0;
  if (next.match >= 0) deferred_.push_back(next);
}

void DirectionalSearch::evaluate_pieces(const NodePair& entry, const Vec3& guess,
                                        Scratch::State& scratch) {
  ++scratch.distance.counts.triangle_tests;
  const PairRule::Pieces pieces = rule_.pieces(entry, guess, options_->resolution);
  switch (pieces.kind) {
    case PairRule::Pieces::Kind::apart:
      if (!finish(entry, pieces.slack)) split_time(entry, pieces.slack);
      return;
    case PairRule::Pieces::Kind::contact:
      return found(entry, pieces.gap);
    case PairRule::Pieces::Kind::touch:
      return touch(entry, pieces.gap);
  }
}

// A moment that decides nothing: the two are within the resolution of each other.
void DirectionalSearch::touch(const NodePair& entry, const Gap& gap) {
  NodePair next = entry;
  --next.patience;
  const double moved = rule_.moved();
  const bool too_short = t_ - t_begin_ <= kMinWidth;
  const bool enough = ++touches_ > kMostTouches;
  if (next.patience > 0 && !too_short && moved > 0 && !enough)
    return split_time(next, {0, -moved, -moved, {}, {}, {}});
  const int pair = model_->match(entry.match).pair;
  unsure_[static_cast<std::size_t>(pair)] = 1;
  give_up({t_begin_, pair, gap,
           too_short ? UndecidedReason::depth : UndecidedReason::gap_below_resolution, 0});
  if (enough && undecided_->reason == UndecidedReason::gap_below_resolution)
    undecided_->reason = UndecidedReason::touching;
}

void DirectionalSearch::found(const NodePair& entry, const Gap& contact) {
  Gap gap = contact;
  gap.kind = Gap::Kind::contact;
  const int pair = model_->match(entry.match).pair;
  if (!collision_ || t_ < collision_->t)
    collision_ = Finding{t_, pair, gap, UndecidedReason::gap_below_resolution, 0};
  if (!options_->first) {
    done_ = true;
    return;
  }
  // Of a first contact only what comes before matters.
  leave(entry, true, rule_.moved());
}

void DirectionalSearch::mark_apart(const NodePair& entry) {
  if (entry.node_a != 0) return;
  const Match& match = model_->match(entry.match);
  if (match.clearance < 0) return;
  if (match.b != Match::kStillBodies) {
    if (entry.node_b == 0) apart_[static_cast<std::size_t>(match.pair)] = 1;
    return;
  }
  const BoxTree& tree = model_->still_tree();
  const BoxNode& node = tree.nodes[static_cast<std::size_t>(entry.node_b)];
  for (int i = node.first_item; i < node.end_item; ++i) {
    const int pair = model_->still_pair(match.a, tree.order[static_cast<std::size_t>(i)]);
    if (pair >= 0) apart_[static_cast<std::size_t>(pair)] = 1;
  }
}

// Turns what is left of a match into cells of the two halves.
void DirectionalSearch::emit(int match) {
  push_left(before_, match, t_begin_, t_);
  push_left(after_, match, t_, t_end_);
}

void DirectionalSearch::push_left(const std::vector<Left>& left, int match, double t_begin,
                                  double t_end) {
  if (left.empty() || done_) return;
  if (options_->first && collision_) {
    if (t_begin >= collision_->t) return;
    // The pair moves less than the resolution from here to the contact, which is not far.
    const double width = collision_->t - t_begin;
    if (width <= kFirstWidth && rule_.closing_speed() * width <= options_->resolution) {
      unproved_from_ = std::fmin(unproved_from_, t_begin);
      return;
    }
  }
  if (t_end - t_begin <= kMinWidth) {
    for (const Left& l : left) {
      const int pair = model_->match(l.entry.match).pair;
      if (pair >= 0) unsure_[static_cast<std::size_t>(pair)] = 1;
      give_up({t_begin, std::max(pair, 0), {}, UndecidedReason::depth, 0});
    }
    return;
  }
  double urgency = -std::numeric_limits<double>::infinity();
  emitted_.clear();
  for (const Left& l : left) {
    urgency = std::fmax(urgency, l.urgency);
    emitted_.push_back(l.entry);
  }
  queue_.push(urgency, t_begin, t_end, match, false, emitted_);
}

// Surfaces that never touch cannot pass through each other: one test at any time tells for all of
// the segment whether one body lies inside the other. Bodies that were once apart as a whole do
// not.
void DirectionalSearch::settle_containment(Scratch::State& scratch) {
  const Scene& scene = model_->scene();
  for (std::size_t p = 0; p < apart_.size(); ++p) {
    const PairModel& pair = model_->pairs()[p];
    if (apart_[p] || unsure_[p] || pair.clearance < 0) continue;
    const Pose X_AB = scratch.configurations.relative(*motion_, 0, pair.a, pair.b);
    const Containment inside =
        find_containment(*scene.body(pair.a).geometry, *scene.body(pair.b).geometry, X_AB);
    if (!inside.inside) continue;
    Gap gap;
    gap.kind = Gap::Kind::contact;
    gap.contact_kind = ContactKind::containment;
    gap.points = {inside.point, inside.point};
    collision_ = Finding{0, static_cast<int>(p), gap, UndecidedReason::gap_below_resolution, 0};
    return;
  }
}

// Of a first contact: drops the cells after it. Cells come in the order of time, so nothing happens
// before the first one that is left, was dropped or was given up.
void DirectionalSearch::bound_first_contact() {
  if (!options_->first || !collision_) return;
  if (!queue_.empty() && queue_.front().t_begin >= collision_->t) queue_.clear();
  const double open_from = queue_.empty() ? 1 : queue_.front().t_begin;
  const double given_up_from = undecided_ ? undecided_->t : 1;
  collision_->t_lower = std::min({collision_->t, open_from, given_up_from, unproved_from_});
}

}  // namespace proven
