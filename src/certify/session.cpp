#include "proven/certify/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <queue>

#include "directional_model.h"
#include "directional_search.h"
#include "milestone.h"
#include "segment_search.h"

namespace proven {
namespace {

using Clock = std::chrono::steady_clock;

// Configurations that a planner tries one after the other often fail for the same pair of bodies:
// so many are tried first. Saves a tenth of the instructions of planning (UR5); with three, 8 %.
constexpr std::size_t kRecentContacts = 6;

// An open search holds up to 60 bytes per pair, and as much again for its proof: so many pairs of
// segments are searched at once, the other segments wait. A path of a cell of arms is searched
// whole.
constexpr std::size_t kOpenPairs = 1'000'000;
constexpr std::size_t kFewestOpen = 16;

std::unique_ptr<SegmentSearch> make_search(const SearchContext& context,
                                           const DirectionalModel* directional,
                                           const SegmentMotion& motion, Milestone& from,
                                           Milestone& to) {
  switch (context.options.checker) {
    case Checker::directional:
      return make_directional_search(context, *directional, motion, from.is_free());
    case Checker::classic:
      return make_classic_search(context, motion, from, to);
    case Checker::refined:
      return make_refined_search(context, motion, from, to);
    case Checker::fixed:
      return make_fixed_search(context, motion, from, to);
  }
  return nullptr;
}

struct Segment {
  SegmentMotion motion;
  int from = 0, to = 0;                   // milestones
  std::unique_ptr<SegmentSearch> search;  // null before the first run and when it has ended
  std::optional<Verdict> verdict;
  std::optional<Finding> collision, undecided;
  std::vector<std::uint8_t> proof;  // of a free segment, if kept

  // A search that has ended is dropped, unless its efforts are asked for: thousands of them would
  // fill the memory.
  void take_findings(bool keep_search) {
    collision = search->collision();
    undecided = search->undecided();
    if (search->open()) return;
    verdict = collision ? Verdict::collision : undecided ? Verdict::undecided : Verdict::free;
    if (verdict == Verdict::free) search->write_proof(proof);
    if (!keep_search) search.reset();
  }
};

}  // namespace

struct CheckSession::State {
  State(const Scene& s, const CheckOptions& o) : scene(s), options(o), model(s, o) {
    if (o.checker == Checker::directional) directional = std::make_unique<DirectionalModel>(model);
  }

  // Makes all bounds valid in the box too.
  void cover(std::span<const double> lower, std::span<const double> upper) {
    if (model.cover(lower, upper) && directional) directional->update();
  }

  // Verdict and evidence of a set of segments whose search has ended, or was stopped for a reason.
  CheckResult conclude(std::span<const int> ids, std::optional<UndecidedReason> stopped);
  void note_contact(int pair);
  CheckResult check_at_rest(const SegmentMotion& still, Workspace::State& workspace);
  Witness witness(const Finding& finding, const SegmentMotion& motion, int index) const;
  Undecided undecided(const Finding& finding, const SegmentMotion& motion, int index) const;
  std::optional<UndecidedReason> search(std::span<const int> ids, Workspace::State& workspace,
                                        CheckStats& stats);
  std::optional<UndecidedReason> over_budget(const CheckStats& stats,
                                             Clock::time_point start) const;
  std::vector<Effort> efforts(std::span<const int> ids) const;

  const Scene& scene;
  CheckOptions options;
  CheckModel model;
  std::unique_ptr<DirectionalModel> directional;  // only for that checker
  // Addresses stay: searches refer to motions and milestones.
  std::vector<std::unique_ptr<Milestone>> milestones;
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<int> recent_contacts;  // pairs, of single configurations
};

CheckSession::CheckSession(const Scene& scene, const CheckOptions& options)
    : state_(std::make_unique<State>(scene, options)) {}
CheckSession::~CheckSession() = default;
CheckSession::CheckSession(CheckSession&&) noexcept = default;
CheckSession& CheckSession::operator=(CheckSession&&) noexcept = default;

int CheckSession::add_configuration(std::span<const double> q) {
  state_->cover(q, q);
  state_->milestones.push_back(
      std::make_unique<Milestone>(state_->model, std::vector<double>(q.begin(), q.end()),
                                  state_->options.checker == Checker::refined));
  return static_cast<int>(state_->milestones.size()) - 1;
}

int CheckSession::add_segment(int from, int to) {
  auto segment = std::make_unique<Segment>();
  const auto configuration = [&](int m) {
    const auto q = state_->milestones[static_cast<std::size_t>(m)]->configuration();
    return std::vector<double>(q.begin(), q.end());
  };
  const int id = static_cast<int>(state_->segments.size());
  segment->motion = {id, configuration(from), configuration(to), nullptr};
  segment->from = from;
  segment->to = to;
  state_->segments.push_back(std::move(segment));
  return id;
}

int CheckSession::add_segment(std::shared_ptr<const Curve> curve) {
  const auto size = static_cast<std::size_t>(state_->scene.tree().num_coordinates());
  std::vector<double> lower(size), upper(size), from(size), to(size);
  curve->bounds(lower, upper);
  state_->cover(lower, upper);
  curve->configuration(0, from);
  curve->configuration(1, to);
  const int id = add_segment(add_configuration(from), add_configuration(to));
  state_->segments[static_cast<std::size_t>(id)]->motion.curve = std::move(curve);
  return id;
}

CheckResult CheckSession::check_configuration(int configuration, Workspace& workspace) {
  Milestone& milestone = *state_->milestones[static_cast<std::size_t>(configuration)];
  const auto q = milestone.configuration();
  const SegmentMotion still{-1, {q.begin(), q.end()}, {q.begin(), q.end()}, nullptr};
  if (state_->directional) {
    CheckResult result = state_->check_at_rest(still, workspace.state());
    if (result.verdict == Verdict::free) milestone.set_free();
    return result;
  }
  CheckResult result;
  result.verdict = Verdict::free;
  for (int pair = 0; pair < static_cast<int>(state_->model.pairs().size()); ++pair) {
    const Gap gap = milestone.gap(pair, state_->options.resolution, workspace.state());
    const Finding finding{0, pair, gap, UndecidedReason::gap_below_resolution, 0};
    if (gap.kind == Gap::Kind::contact) {
      result.verdict = Verdict::collision;
      result.collision = state_->witness(finding, still, 0);
      result.undecided.reset();
      return result;
    }
    if (gap.lower > state_->model.pair(pair).clearance || result.undecided) continue;
    result.verdict = Verdict::undecided;
    result.undecided = state_->undecided(finding, still, 0);
  }
  return result;
}

// The latest first, each pair once.
void CheckSession::State::note_contact(int pair) {
  const auto known = std::ranges::find(recent_contacts, pair);
  if (known != recent_contacts.end())
    recent_contacts.erase(known);
  else if (recent_contacts.size() == kRecentContacts)
    recent_contacts.pop_back();
  recent_contacts.insert(recent_contacts.begin(), pair);
}

// A segment of no length.
CheckResult CheckSession::State::check_at_rest(const SegmentMotion& still, Workspace::State& w) {
  w.configurations.begin(scene);
  w.anchors.begin();
  DirectionalSearch search({model, options}, *directional, still, false);
  search.try_pairs(recent_contacts, w);
  while (search.open()) search.step(w);
  CheckResult result;
  result.verdict = Verdict::free;
  if (search.collision()) {
    result.verdict = Verdict::collision;
    result.collision = witness(*search.collision(), still, 0);
    note_contact(search.collision()->pair);
  } else if (search.undecided()) {
    result.verdict = Verdict::undecided;
    result.undecided = undecided(*search.undecided(), still, 0);
  }
  return result;
}

std::optional<Verdict> CheckSession::known(int segment) const {
  return state_->segments[static_cast<std::size_t>(segment)]->verdict;
}

std::span<const std::uint8_t> CheckSession::proof(int segment) const {
  return state_->segments[static_cast<std::size_t>(segment)]->proof;
}

void CheckSession::release(int segment) {
  state_->segments[static_cast<std::size_t>(segment)]->search.reset();
}

Witness CheckSession::State::witness(const Finding& finding, const SegmentMotion& motion,
                                     int index) const {
  Witness w;
  w.kind = finding.gap.contact_kind;
  w.segment = index;
  w.t = finding.t;
  w.t_lower = finding.t_lower;
  w.configuration.resize(motion.from.size());
  motion.configuration(scene.tree(), finding.t, w.configuration);
  const PairModel& pair = model.pair(finding.pair);
  w.bodies = {pair.a, pair.b};
  w.pieces = finding.gap.pieces;
  w.distance = finding.gap.distance;
  LinkPoses poses;
  compute_poses(scene.tree(), w.configuration, poses);
  const Pose X_WA = body_pose(scene, poses, pair.a);
  w.points = {X_WA * finding.gap.points[0], X_WA * finding.gap.points[1]};
  return w;
}

Undecided CheckSession::State::undecided(const Finding& finding, const SegmentMotion& motion,
                                         int index) const {
  Undecided u;
  u.reason = finding.reason;
  u.segment = index;
  u.t = finding.t;
  u.configuration.resize(motion.from.size());
  motion.configuration(scene.tree(), finding.t, u.configuration);
  if (finding.pair < 0) return u;
  const Witness w = witness(finding, motion, index);
  u.bodies = w.bodies;
  u.points = w.points;
  u.distance = w.distance;
  return u;
}

std::optional<UndecidedReason> CheckSession::State::over_budget(const CheckStats& stats,
                                                                Clock::time_point start) const {
  if (options.cancel && options.cancel->load(std::memory_order_relaxed))
    return UndecidedReason::cancelled;
  if (stats.cells >= options.max_cells) return UndecidedReason::cells;
  if (std::isfinite(options.max_seconds) &&
      std::chrono::duration<double>(Clock::now() - start).count() > options.max_seconds)
    return UndecidedReason::time;
  return std::nullopt;
}

std::optional<UndecidedReason> CheckSession::State::search(std::span<const int> ids,
                                                           Workspace::State& workspace,
                                                           CheckStats& stats) {
  // Level one: the segments by the urgency of their first cell; of a first contact, in path order.
  struct Entry {
    double urgency;
    int index;  // into ids
    bool operator<(const Entry& other) const {
      return urgency != other.urgency ? urgency < other.urgency : index > other.index;
    }
  };
  std::priority_queue<Entry> queue;
  const auto segment_at = [&](int index) -> Segment& {
    return *segments[static_cast<std::size_t>(ids[static_cast<std::size_t>(index)])];
  };
  const auto add = [&](int index) {
    const Segment& segment = segment_at(index);
    if (segment.verdict) return;
    queue.push({options.first ? -static_cast<double>(index) : segment.search->urgency(), index});
  };
  // What comes after a known collision does not matter.
  int end = 0;
  for (; end < static_cast<int>(ids.size()); ++end)
    if (segment_at(end).verdict == Verdict::collision) {
      if (!options.first) return std::nullopt;
      break;
    }
  const SearchContext context{model, options};
  const std::size_t window =
      std::max(kFewestOpen, kOpenPairs / std::max<std::size_t>(model.pairs().size(), 1));
  int next = 0;
  const auto admit = [&] {
    for (; next < end && queue.size() < window; ++next) {
      Segment& segment = segment_at(next);
      if (!segment.verdict && !segment.search)
        segment.search = make_search(context, directional.get(), segment.motion,
                                     *milestones[static_cast<std::size_t>(segment.from)],
                                     *milestones[static_cast<std::size_t>(segment.to)]);
      add(next);
    }
  };
  const auto start = Clock::now();
  for (admit(); !queue.empty(); admit()) {
    if (const auto reason = over_budget(stats, start)) return reason;
    const int index = queue.top().index;
    queue.pop();
    Segment& segment = segment_at(index);
    if (segment.verdict) continue;  // the same segment was given twice
    const std::int64_t before = segment.search->num_cells();
    segment.search->step(workspace);
    stats.cells += segment.search->num_cells() - before;
    segment.take_findings(options.explain);
    if (segment.verdict == Verdict::free)
      for (const int at : {segment.from, segment.to})
        milestones[static_cast<std::size_t>(at)]->set_free();
    if (segment.verdict == Verdict::collision) return std::nullopt;
    add(index);
  }
  return std::nullopt;
}

CheckResult CheckSession::State::conclude(std::span<const int> ids,
                                          std::optional<UndecidedReason> stopped) {
  CheckResult result;
  result.verdict = Verdict::free;
  for (int i = 0; i < static_cast<int>(ids.size()); ++i) {
    Segment& segment = *segments[static_cast<std::size_t>(ids[static_cast<std::size_t>(i)])];
    if (segment.verdict == Verdict::free) continue;
    // With `first` this may be before the search for an earlier one has ended.
    if (segment.collision) {
      result.verdict = Verdict::collision;
      result.collision = witness(*segment.collision, segment.motion, i);
      result.undecided.reset();
      return result;
    }
    if (result.undecided) continue;
    result.verdict = Verdict::undecided;
    if (segment.undecided)
      result.undecided = undecided(*segment.undecided, segment.motion, i);
    else if (stopped)
      result.undecided = undecided({0, -1, {}, *stopped, 0}, segment.motion, i);
  }
  return result;
}

std::vector<Effort> CheckSession::State::efforts(std::span<const int> ids) const {
  std::vector<Effort> all;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Segment& segment = *segments[static_cast<std::size_t>(ids[i])];
    if (!segment.search) continue;
    for (Effort effort : segment.search->efforts()) {
      if (effort.tests == 0) continue;
      effort.segment = static_cast<int>(i);
      all.push_back(effort);
    }
  }
  std::ranges::stable_sort(all, std::greater<>{}, &Effort::tests);
  return all;
}

CheckResult CheckSession::run(std::span<const int> ids, Workspace& workspace) {
  const auto start = Clock::now();
  Workspace::State& w = workspace.state();
  w.configurations.begin(state_->scene);
  w.anchors.begin();
  const QueryCounts before = w.distance.counts;
  CheckStats stats;
  const auto stopped = state_->search(ids, w, stats);
  CheckResult result = state_->conclude(ids, stopped);
  result.stats = stats;
  if (state_->options.explain) result.efforts = state_->efforts(ids);
  result.stats.box_tests = w.distance.counts.box_tests - before.box_tests;
  result.stats.triangle_tests = w.distance.counts.triangle_tests - before.triangle_tests;
  result.stats.configurations = w.configurations.num_computed() + w.anchors.num_computed();
  result.stats.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace proven
