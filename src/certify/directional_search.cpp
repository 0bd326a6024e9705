#include "directional_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "proven/geometry/penetration.h"
#include "proven/geometry/separating_direction.h"
#include "proven/geometry/solid.h"

namespace proven {
namespace {

const BodyMotion kRest;

// Spheres that are apart, but by less than this share of what they may move, are not worth the
// boxes: the interval is halved first.
constexpr double kHopelessShare = 0.125;

// Boxes that fail by more than this share of what they may move are halved in time at once; only
// those that all but succeed are worth a direction of their own.
constexpr double kAlmostShare = 0.03;

// How much motion counts beside the gap when the next cell is chosen (docs/decisions).
constexpr double kMovedShare = 0.15;

// A node whose extent along the best direction is below this share of the other's is flat. Larger
// shares cost more in scenes of thin bars (docs/decisions).
constexpr double kFlat = 0.02;

// Below this many dead entries the memory is not worth a thought.
constexpr std::size_t kFewEntries = 4096;

}  // namespace

DirectionalSearch::DirectionalSearch(const SearchContext& context, const DirectionalModel& model,
                                     const SegmentMotion& motion, bool starts_free)
    : context_(context), model_(model), motion_(motion) {
  if (!motion.curve) joint_rates(model.scene().tree(), motion, 0, 0, 1, rates_);
  if (starts_free && !motion.curve && !recording()) find_movers();
  apart_.assign(context.model.pairs().size(), 0);
  unsure_.assign(context.model.pairs().size(), 0);
  if (!context.options.explain) return;
  for (const Frame& frame : model.frames()) {
    efforts_.emplace_back();
    efforts_.back().bodies = {frame.a, frame.b};
  }
}

void DirectionalSearch::note_test(const Entry& entry, double gap) {
  if (efforts_.empty()) return;
  Effort& effort = efforts_[static_cast<std::size_t>(entry.frame)];
  ++effort.tests;
  const auto stretch = static_cast<std::size_t>(t_ * Effort::kStretches);
  ++effort.tests_by_stretch[std::min<std::size_t>(stretch, Effort::kStretches - 1)];
  // Of nodes that need no further look: others may only have boxes too wide.
  const double distance = gap + separation_.clearance();
  if (gap > 0 && distance < effort.least_gap) effort.least_gap = distance, effort.t_least_gap = t_;
}

double DirectionalSearch::urgency() const {
  return started_ && !cells_.empty() ? cells_.front().urgency
                                     : std::numeric_limits<double>::infinity();
}

void DirectionalSearch::write_proof(std::vector<std::uint8_t>& out) const {
  proof_.write(roots_, out);
}

void DirectionalSearch::step(Workspace::State& workspace) {
  if (!started_) {
    start(workspace);
  } else if (!cells_.empty()) {
    std::pop_heap(cells_.begin(), cells_.end(), Order{context_.options.first});
    const Cell cell = cells_.back();
    cells_.pop_back();
    process(cell, workspace);
    bound_first_contact();
    num_dead_ += static_cast<std::size_t>(cell.count);
    drop_dead_entries();
  }
  if (collision_ && !context_.options.first) done_ = true;
  if (done_ || !cells_.empty()) return;
  settle_containment(workspace);
  done_ = true;
}

// What spheres in the middle of the segment do not settle becomes cells.
void DirectionalSearch::start(Workspace::State& workspace) {
  started_ = true;
  t_begin_ = 0, t_end_ = 1, t_ = 0.5;
  anchor_ = &workspace.anchors.get(model_, motion_, rates_, t_, t_);
  for (const int frame : model_.units()) {
    const Entry entry{frame, 0, 0, recording() ? proof_.add() : -1, kPatience};
    if (recording()) roots_.push_back(entry.proof);
    if (stays_free(frame)) {
      mark_apart(entry);
      continue;
    }
    before_.clear();
    after_.clear();
    const Slack slack = test_spheres(frame, workspace);
    if (settled_by_spheres(entry, slack)) {
      emit(frame);
      continue;
    }
    cells_.push_back(
        {urgency_of(slack.gap), 0, 1, frame, static_cast<int>(entries_.size()), 1, true});
    entries_.push_back(entry);
    std::push_heap(cells_.begin(), cells_.end(), Order{context_.options.first});
  }
}

void DirectionalSearch::process(const Cell& cell, Workspace::State& workspace) {
  ++num_cells_;
  if (context_.options.first && collision_ && cell.t_begin >= collision_->t) return;
  t_begin_ = cell.t_begin;
  t_end_ = cell.t_end;
  t_ = 0.5 * (t_begin_ + t_end_);
  anchor_ = &workspace.anchors.get(model_, motion_, rates_, t_, t_ - t_begin_);
  const auto first = entries_.begin() + cell.first;
  work_.assign(first, first + cell.count);
  deferred_.clear();
  run_frame(cell.frame, cell.spheres_failed, workspace);
  // Still bodies that the descent reached, each in its own frame.
  std::stable_sort(deferred_.begin(), deferred_.end(),
                   [](const Entry& x, const Entry& y) { return x.frame < y.frame; });
  for (auto begin = deferred_.begin(); begin != deferred_.end() && !done_;) {
    const int frame = begin->frame;
    auto end = begin;
    while (end != deferred_.end() && end->frame == frame) ++end;
    work_.assign(begin, end);
    run_frame(frame, false, workspace);
    begin = end;
  }
}

// A long search takes millions of cells, of which few are open at a time.
void DirectionalSearch::drop_dead_entries() {
  if (num_dead_ < kFewEntries || 2 * num_dead_ < entries_.size()) return;
  std::vector<Entry> alive;
  for (Cell& cell : cells_) {
    const auto first = entries_.begin() + cell.first;
    cell.first = static_cast<int>(alive.size());
    alive.insert(alive.end(), first, first + cell.count);
  }
  entries_ = std::move(alive);
  num_dead_ = 0;
}

Side DirectionalSearch::side_of(int body, int ancestor, BodyMotion& scratch) {
  const BodyGeometry& geometry = *model_.scene().body(body).geometry;
  const BodyMotion* motion = &kRest;
  if (!model_.is_still(body)) {
    if (ancestor == 0) {
      motion = &anchor_->motion(body);
    } else {
      anchor_->compute_motion(body, ancestor, scratch);
      motion = &scratch;
    }
  }
  return {anchor_->X_WB(body),   &geometry.box_tree(),      &geometry, motion,
          anchor_->centre(body), model_.sphere(body).radius};
}

Side DirectionalSearch::still_side() const {
  const BoxNode& root = model_.still_tree().nodes[0];
  return {Pose{}, &model_.still_tree(), nullptr, &kRest, root.centre, norm(root.half)};
}

void DirectionalSearch::begin_frame(int frame_index) {
  const Frame& frame = model_.frame(frame_index);
  side_a_ = side_of(frame.a, frame.ancestor, scratch_a_);
  side_b_ =
      frame.b == Frame::kStillBodies ? still_side() : side_of(frame.b, frame.ancestor, scratch_b_);
  separation_.begin(side_a_, side_b_, frame.clearance, frame.rounding_bound, anchor_->reach());
  closing_speed_ = separation_.closing_speed();
}

void DirectionalSearch::try_pairs(std::span<const int> pairs, Workspace::State& workspace) {
  t_begin_ = 0, t_end_ = 1, t_ = 0.5;
  anchor_ = &workspace.anchors.get(model_, motion_, rates_, t_, t_);
  for (const int pair : pairs) {
    work_.assign(1, {pair, 0, 0, -1, kPatience});
    run_frame(pair, false, workspace);
    if (collision_) return;
  }
  // The search itself comes to the same pairs in its own order.
  cells_.clear();
  entries_.clear();
  undecided_.reset();
  unsure_.assign(unsure_.size(), 0);
}

// Per link the last joint above it that moves. Links that have it in common do not move against
// each other.
void DirectionalSearch::find_movers() {
  const auto& links = model_.scene().tree().links();
  movers_.assign(links.size(), -1);
  for (std::size_t i = 1; i < links.size(); ++i)
    movers_[i] = rates_[i].moves() ? static_cast<int>(i)
                                   : movers_[static_cast<std::size_t>(links[i].parent)];
}

// Free at the start and not moving.
bool DirectionalSearch::stays_free(int frame_index) const {
  if (movers_.empty()) return false;
  const Frame& frame = model_.frame(frame_index);
  const auto mover = [&](int body) {
    return body == Frame::kStillBodies
               ? -1
               : movers_[static_cast<std::size_t>(model_.scene().body(body).link)];
  };
  return mover(frame.a) == mover(frame.b);
}

MovingSphere DirectionalSearch::sphere_of(int body, int ancestor) {
  if (body == Frame::kStillBodies) {
    const BoxNode& root = model_.still_tree().nodes[0];
    return {root.centre, norm(root.half), 0};
  }
  const double speed = model_.is_still(body) ? 0 : anchor_->speed_upper(body, ancestor);
  return {anchor_->centre(body), model_.sphere(body).radius, speed};
}

Slack DirectionalSearch::test_spheres(int frame_index, Workspace::State& workspace) {
  ++workspace.distance.counts.box_tests;
  const Frame& frame = model_.frame(frame_index);
  const MovingSphere a = sphere_of(frame.a, frame.ancestor), b = sphere_of(frame.b, frame.ancestor);
  closing_speed_ = a.speed_upper + b.speed_upper;
  return separate_spheres(a, b, frame.clearance, frame.rounding_bound, anchor_->reach());
}

void DirectionalSearch::run_frame(int frame_index, bool spheres_failed,
                                  Workspace::State& workspace) {
  before_.clear();
  after_.clear();
  const bool whole = work_.size() == 1 && work_[0].node_a == 0 && work_[0].node_b == 0;
  if (whole && !spheres_failed &&
      settled_by_spheres(work_[0], test_spheres(frame_index, workspace)))
    return emit(frame_index);
  begin_frame(frame_index);
  separation_.begin_boxes();
  while (!work_.empty() && !done_) {
    const Entry entry = work_.back();
    work_.pop_back();
    evaluate(entry, workspace);
  }
  emit(frame_index);
}

// Whether the spheres prove the whole, or show that the interval must be halved first.
bool DirectionalSearch::settled_by_spheres(const Entry& entry, const Slack& slack) {
  if (!(slack.gap > context_.options.resolution)) return false;
  mark_apart(entry);
  if (recording() && slack.before > 0) begin_frame(entry.frame);
  if (finish(entry, slack)) return true;
  if (!(slack.gap < kHopelessShare * moved())) return false;
  split_time(entry, slack);
  return true;
}

const BoxNode& DirectionalSearch::node_a(const Entry& entry) const {
  return separation_.a().tree->nodes[static_cast<std::size_t>(entry.node_a)];
}
const BoxNode& DirectionalSearch::node_b(const Entry& entry) const {
  return separation_.b().tree->nodes[static_cast<std::size_t>(entry.node_b)];
}

void DirectionalSearch::evaluate(const Entry& entry, Workspace::State& workspace) {
  const BoxNode &a = node_a(entry), &b = node_b(entry);
  const bool still = separation_.b().geometry == nullptr;
  if (still && b.is_leaf()) return descend_still(entry);
  ++workspace.distance.counts.box_tests;
  Slack slack = separation_.boxes(a, b);
  note_test(entry, slack.gap);
  if (slack.gap > 0) mark_apart(entry);
  if (finish(entry, slack)) return;
  if (a.is_leaf() && b.is_leaf()) return evaluate_pieces(entry, slack.n_gap, workspace);
  const bool apart = slack.gap > context_.options.resolution;
  if (apart && -std::fmin(slack.before, slack.after) > kAlmostShare * moved())
    return split_time(entry, slack);
  if (evaluate_points(entry, slack)) return;
  if (!(slack.gap > context_.options.resolution)) return descend(entry, slack.n_gap);
  // Joint by joint, the bound on the acceleration is tighter.
  const Slack along =
      separation_.along(slack.before < slack.after ? slack.n_before : slack.n_after, a, b);
  if (along.before > slack.before) slack.before = along.before, slack.n_before = along.n_before;
  if (along.after > slack.after) slack.after = along.after, slack.n_after = along.n_after;
  if (finish(entry, slack)) return;
  split_time(entry, slack);
}

// The points that stand for a node when a direction is sought: its own, or the corners of its box.
std::span<const Vec3> DirectionalSearch::points_of(const Side& side, const BoxNode& node,
                                                   std::vector<Vec3>& points) {
  points.clear();
  if (node.num_points > 0) {
    const Vec3* first = side.tree->points.data() + node.first_point;
    for (int i = 0; i < node.num_points; ++i) points.push_back(side.X_WB * first[i]);
    return points;
  }
  for (int corner = 0; corner < 8; ++corner)
    points.push_back(side.X_WB * (node.centre + Vec3{corner & 1 ? node.half.x : -node.half.x,
                                                     corner & 2 ? node.half.y : -node.half.y,
                                                     corner & 4 ? node.half.z : -node.half.z}));
  return points;
}

// Small nodes often fill little of their boxes: the best direction for their points. Improves the
// slack; returns whether that finished the entry.
bool DirectionalSearch::evaluate_points(const Entry& entry, Slack& slack) {
  const BoxNode &a = node_a(entry), &b = node_b(entry);
  if (a.num_points == 0 && b.num_points == 0) return false;
  const Vec3 n = separating_direction(points_of(separation_.a(), a, points_a_),
                                      points_of(separation_.b(), b, points_b_), slack.n_gap);
  if (n == Vec3{}) return false;
  const Slack along = separation_.along(n, a, b);
  if (along.gap > 0) mark_apart(entry);
  if (finish(entry, along)) return true;
  if (along.gap > slack.gap) slack = along;
  return false;
}

// Leaves of the proof, if both sides hold.
bool DirectionalSearch::finish(const Entry& entry, const Slack& slack) {
  if (!(slack.gap > 0 && slack.before > 0 && slack.after > 0)) return false;
  if (!recording()) return true;
  if (slack.n_before == slack.n_after) {
    prove(entry.proof, ProofTree::At::middle, slack.n_before, entry);
  } else {
    const int first = proof_.split(entry.proof, ProofTree::Split::time);
    prove(first, ProofTree::At::end, slack.n_before, entry);
    prove(first + 1, ProofTree::At::begin, slack.n_after, entry);
  }
  return true;
}

// Writes the leaf with the shortest direction that still proves it. 52 bits always do: they turn
// the direction by less than rounding, for which the margins have room.
void DirectionalSearch::prove(int proof, ProofTree::At at, const Vec3& n, const Entry& entry) {
  for (const int bits : {7, 15, 31}) {
    const IntDirection direction = rounded_direction(n, bits);
    const Slack slack = separation_.along(unit_of(direction), node_a(entry), node_b(entry));
    const bool holds = slack.gap > 0 && (at == ProofTree::At::begin || slack.before > 0) &&
                       (at == ProofTree::At::end || slack.after > 0);
    if (holds) return proof_.leaf(proof, at, direction);
  }
  proof_.leaf(proof, at, rounded_direction(n, 52));
}

void DirectionalSearch::split_time(const Entry& entry, const Slack& slack) {
  Entry first = entry, second = entry;
  if (recording()) {
    first.proof = proof_.split(entry.proof, ProofTree::Split::time);
    second.proof = first.proof + 1;
  }
  if (slack.gap > 0 && slack.before > 0) {
    if (recording()) prove(first.proof, ProofTree::At::end, slack.n_before, entry);
  } else {
    leave(first, true, urgency_of(slack.gap));
  }
  if (slack.gap > 0 && slack.after > 0) {
    if (recording()) prove(second.proof, ProofTree::At::begin, slack.n_after, entry);
  } else {
    leave(second, false, urgency_of(slack.gap));
  }
}

// Where bodies overlap, or all but do, a contact is near; of far ones those that move most.
double DirectionalSearch::urgency_of(double gap) const {
  return kMovedShare * moved() - gap;
}

void DirectionalSearch::leave(const Entry& entry, bool before, double urgency) {
  (before ? before_ : after_).push_back({entry, urgency});
}

// Which node to split: the larger one, unless it is flat along n, so that splitting it would not
// open the gap.
bool DirectionalSearch::a_goes_first(const BoxNode& a, const BoxNode& b, const Vec3& n) const {
  const auto extent = [&](const Side& side, const BoxNode& node) {
    const Vec3 m = transpose_times(side.X_WB.R, n);
    return std::fabs(m.x) * node.half.x + std::fabs(m.y) * node.half.y +
           std::fabs(m.z) * node.half.z;
  };
  const double along_a = extent(side_a_, a), along_b = extent(side_b_, b);
  return squared_norm(a.half) >= squared_norm(b.half) ? along_a >= kFlat * along_b
                                                      : along_b < kFlat * along_a;
}

void DirectionalSearch::descend(const Entry& entry, const Vec3& n) {
  const BoxNode &a = node_a(entry), &b = node_b(entry);
  const bool split_a = b.is_leaf() || (!a.is_leaf() && a_goes_first(a, b, n));
  const BoxNode& larger = split_a ? a : b;
  const bool still = separation_.b().geometry == nullptr;
  int count = 0, children[2];
  for (int i = 0; i < 2; ++i) {
    const int child = larger.first_child + i;
    if (split_a || !still || model_.counts(model_.frame(entry.frame).a, child))
      children[count++] = child;
  }
  int proof = -1;
  if (recording())
    proof = proof_.split(entry.proof, split_a ? ProofTree::Split::a : ProofTree::Split::b, count);
  for (int i = 0; i < count; ++i) {
    Entry next = entry;
    (split_a ? next.node_a : next.node_b) = children[i];
    next.proof = recording() ? proof + i : -1;
    work_.push_back(next);
  }
  // The nearer one first: contacts are found sooner.
  if (count == 2 && distance_of(work_.back()) > distance_of(work_[work_.size() - 2]))
    std::swap(work_.back(), work_[work_.size() - 2]);
}

// Squared, of the centres.
double DirectionalSearch::distance_of(const Entry& entry) const {
  return squared_norm(side_b_.X_WB * node_b(entry).centre - side_a_.X_WB * node_a(entry).centre);
}

// A single still body is tested in its own frame.
void DirectionalSearch::descend_still(const Entry& entry) {
  const Frame& frame = model_.frame(entry.frame);
  Entry next = entry;
  next.frame = model_.still_pair(frame.a, node_b(entry).item);
  next.node_b = 0;
  if (next.frame >= 0) deferred_.push_back(next);
}

void DirectionalSearch::evaluate_pieces(const Entry& entry, const Vec3& guess,
                                        Workspace::State& workspace) {
  ++workspace.distance.counts.triangle_tests;
  const BoxNode &a = node_a(entry), &b = node_b(entry);
  const BodyGeometry &body_a = *separation_.a().geometry, &body_b = *separation_.b().geometry;
  const Pose X_AB = relative_pose(separation_.a().X_WB, separation_.b().X_WB);
  const Frame& frame = model_.frame(entry.frame);
  const double rounding = frame.rounding_bound;
  const Mat3& R_WA = separation_.a().X_WB.R;

  if (frame.clearance < 0) {
    const SignedDistance found_distance = signed_distance(body_a, body_b, X_AB);
    const Slack slack = separation_.along(normalized(R_WA * found_distance.direction), a, b);
    if (finish(entry, slack)) return;
    if (slack.gap > context_.options.resolution) return split_time(entry, slack);
    Gap gap = gap_of(entry, body_a.convexes()[0].X_BS.p, X_AB * body_b.convexes()[0].X_BS.p,
                     found_distance.lower);
    gap.contact_kind = ContactKind::too_close;
    if (overlap_deeper_than(body_a, body_b, X_AB, -frame.clearance + rounding))
      return found(entry, gap);
    return touch(entry, gap);
  }

  // Most pieces are apart, and need not be measured to be separated.
  const Vec3 proposal =
      piece_direction(body_a, a.item, body_b, b.item, X_AB, transpose_times(R_WA, guess));
  if (proposal != Vec3{}) {
    const Slack slack = separation_.along(normalized(R_WA * proposal), a, b);
    if (finish(entry, slack)) return;
    if (slack.gap > context_.options.resolution) return split_time(entry, slack);
  }
  const PieceDistance distance = piece_distance(body_a, a.item, body_b, b.item, X_AB);
  Gap gap = gap_of(entry, distance.point_a, distance.point_b, distance.distance);
  if (distance.distance > 0 && distance.distance + rounding < frame.clearance) {
    gap.contact_kind = ContactKind::too_close;
    return found(entry, gap);
  }
  if (distance.distance > 0) {
    const Vec3 n = normalized(R_WA * (distance.point_b - distance.point_a));
    const Slack slack = separation_.along(n, a, b);
    if (finish(entry, slack)) return;
    if (slack.gap > context_.options.resolution) return split_time(entry, slack);
    return touch(entry, gap);
  }
  // Every point of either body is within rounding_bound of where it was computed.
  const auto sure = find_sure_overlap(body_a, a.item, body_b, b.item, X_AB, 2 * rounding);
  if (sure) {
    gap = gap_of(entry, *sure, *sure, 0);
    gap.contact_kind = ContactKind::overlap;
    return found(entry, gap);
  }
  if (!(rounding < frame.clearance)) return touch(entry, gap);
  gap.contact_kind = ContactKind::too_close;
  found(entry, gap);
}

// A moment that decides nothing: the two are within the resolution of each other.
void DirectionalSearch::touch(const Entry& entry, const Gap& gap) {
  Entry next = entry;
  --next.patience;
  const bool too_short = t_ - t_begin_ <= kMinWidth;
  if (next.patience > 0 && !too_short && moved() > 0)
    return split_time(next, {0, -moved(), -moved(), {}, {}, {}});
  const int pair = model_.frame(entry.frame).pair;
  unsure_[static_cast<std::size_t>(pair)] = 1;
  give_up({t_begin_, pair, gap,
           too_short ? UndecidedReason::depth : UndecidedReason::gap_below_resolution, 0});
}

Gap DirectionalSearch::gap_of(const Entry& entry, const Vec3& point_a, const Vec3& point_b,
                              double distance) const {
  const Frame& frame = model_.frame(entry.frame);
  const int first = context_.model.pair(frame.pair).a;
  Gap gap;
  gap.kind = Gap::Kind::close;
  gap.distance = distance;
  gap.pieces = {node_a(entry).item, node_b(entry).item};
  gap.points = {point_a, point_b};
  if (first == frame.a) return gap;
  // The pair names the bodies the other way round, and points are in the frame of its first.
  const Pose X_BA = relative_pose(separation_.b().X_WB, separation_.a().X_WB);
  std::swap(gap.pieces[0], gap.pieces[1]);
  gap.points = {X_BA * point_b, X_BA * point_a};
  return gap;
}

void DirectionalSearch::found(const Entry& entry, const Gap& contact) {
  Gap gap = contact;
  gap.kind = Gap::Kind::contact;
  const int pair = model_.frame(entry.frame).pair;
  if (!collision_ || t_ < collision_->t)
    collision_ = Finding{t_, pair, gap, UndecidedReason::gap_below_resolution, 0};
  if (!context_.options.first) {
    done_ = true;
    return;
  }
  // Of a first contact only what comes before matters.
  leave(entry, true, moved());
}

void DirectionalSearch::mark_apart(const Entry& entry) {
  if (entry.node_a != 0) return;
  const Frame& frame = model_.frame(entry.frame);
  if (frame.b != Frame::kStillBodies) {
    if (entry.node_b == 0 && frame.clearance >= 0) apart_[static_cast<std::size_t>(frame.pair)] = 1;
    return;
  }
  if (frame.clearance < 0) return;
  const BoxNode& node = model_.still_tree().nodes[static_cast<std::size_t>(entry.node_b)];
  for (int i = node.first_item; i < node.end_item; ++i) {
    const int pair =
        model_.still_pair(frame.a, model_.still_tree().order[static_cast<std::size_t>(i)]);
    if (pair >= 0) apart_[static_cast<std::size_t>(pair)] = 1;
  }
}

// Turns what is left of a frame into cells of the two halves.
void DirectionalSearch::emit(int frame) {
  const auto push = [&](std::vector<Left>& left, double t_begin, double t_end) {
    if (left.empty() || done_) return;
    if (context_.options.first && collision_) {
      if (t_begin >= collision_->t) return;
      // The pair moves less than the resolution from here to the contact.
      if (closing_speed_ * (collision_->t - t_begin) <= context_.options.resolution) {
        unproved_from_ = std::fmin(unproved_from_, t_begin);
        return;
      }
    }
    if (t_end - t_begin <= kMinWidth) {
      for (const Left& l : left) {
        const int pair = model_.frame(l.entry.frame).pair;
        if (pair >= 0) unsure_[static_cast<std::size_t>(pair)] = 1;
        give_up({t_begin, std::max(pair, 0), {}, UndecidedReason::depth, 0});
      }
      return;
    }
    Cell cell{0,
              t_begin,
              t_end,
              frame,
              static_cast<int>(entries_.size()),
              static_cast<int>(left.size()),
              false};
    cell.urgency = -std::numeric_limits<double>::infinity();
    for (const Left& l : left) {
      cell.urgency = std::fmax(cell.urgency, l.urgency);
      entries_.push_back(l.entry);
    }
    cells_.push_back(cell);
    std::push_heap(cells_.begin(), cells_.end(), Order{context_.options.first});
  };
  push(before_, t_begin_, t_);
  push(after_, t_, t_end_);
}

// Surfaces that never touch cannot pass through each other: one test at any time tells for all of
// the segment whether one body lies inside the other. Bodies that were once apart as a whole do
// not.
void DirectionalSearch::settle_containment(Workspace::State& workspace) {
  const Scene& scene = model_.scene();
  for (std::size_t p = 0; p < apart_.size(); ++p) {
    const PairModel& pair = context_.model.pairs()[p];
    if (apart_[p] || unsure_[p] || pair.clearance < 0) continue;
    const Pose X_AB = workspace.configurations.relative(motion_, 0, pair.a, pair.b);
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
  if (!context_.options.first || !collision_) return;
  if (!cells_.empty() && cells_.front().t_begin >= collision_->t) cells_.clear();
  const double open_from = cells_.empty() ? 1 : cells_.front().t_begin;
  const double given_up_from = undecided_ ? undecided_->t : 1;
  collision_->t_lower = std::min({collision_->t, open_from, given_up_from, unproved_from_});
}

std::unique_ptr<SegmentSearch> make_directional_search(const SearchContext& context,
                                                       const DirectionalModel& model,
                                                       const SegmentMotion& motion,
                                                       bool starts_free) {
  return std::make_unique<DirectionalSearch>(context, model, motion, starts_free);
}

}  // namespace proven
