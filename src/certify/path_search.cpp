#include "path_search.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include "directional_search.h"
#include "known_configuration.h"

namespace proven {

static_assert(sizeof(SegmentWork) <= 160, "a long path has hundreds of thousands of segments");

namespace {

// An open search holds up to 60 bytes per pair, and as much again for its proof: so many pairs of
// segments are searched at once, the other segments wait. A path of a cell of arms is searched
// whole.
constexpr std::size_t kOpenPairs = 1'000'000;
constexpr std::size_t kFewestOpen = 16;

void keep(const std::optional<Finding>& found, std::unique_ptr<const Finding>& kept) {
  if (found) kept = std::make_unique<const Finding>(*found);
}

}  // namespace

void SegmentWork::reset(int id) {
  motion = {};
  motion.id = id;
  from = to = nullptr;
  from_is_free = false;
  search.reset();
  verdict.reset();
  collision.reset();
  undecided.reset();
  proof.clear();
}

// Whether sweeps are to be used.
const SweepModel* PathSearch::sweep_model() const {
  if (!options_.sweep || options_.certificate || options_.explain || options_.first) return nullptr;
  return model_.sweep_if_worth();
}

// A sweep, with a look at the moments where a contact is likely. Says collision if one is found,
// and free if nothing is left open and sweeps are trusted; else the search is ready to go on: on
// what is left open where sweeps are trusted, on everything where they are not.
std::optional<Verdict> PathSearch::sweep(const SegmentMotion& motion, bool starts_free,
                                         DirectionalSearch& search) {
  const SweepModel* prepared = sweep_model();
  if (prepared && !scratch_.sweep) scratch_.sweep = std::make_unique<Sweep>();
  const int level = prepared ? scratch_.sweep->wanted_level(*prepared, motion) : 0;
  if (level > 0 && probe(motion, level, search)) return Verdict::collision;
  scratch_.open_parts.clear();
  scratch_.hints.clear();
  for (int index = 0; index < 1 << level; ++index) {
    const SegmentPart part{level, index};
    // What holds at the end of a part holds at the start of the next one.
    if (!prepared ||
        !scratch_.sweep->run(*prepared, motion, starts_free || index > 0, true, part)) {
      search.begin(model_, options_, motion, starts_free);
      return std::nullopt;
    }
    Sweep& swept = *scratch_.sweep;
    SweepHint tried;
    while (swept.pauses()) {
      if (tried.pair < 0) search.begin(model_, options_, motion, starts_free);
      tried = swept.hint();
      search.try_moment(tried.pair, tried.t, scratch_);
      if (!search.open()) return std::nullopt;
      swept.go_on();
    }
    const SweepHint& hint = swept.hint();
    const bool is_new = hint.pair != tried.pair || hint.t != tried.t;
    if (is_new && std::ranges::find(swept.open(), hint.pair, &OpenPart::pair) != swept.open().end())
      scratch_.hints.push_back(hint);
    if (swept.contact()) {
      contact_ = swept_contact();
      return Verdict::collision;
    }
    scratch_.open_parts.insert(scratch_.open_parts.end(), swept.open().begin(), swept.open().end());
  }
  if (!trusts_sweeps_)
    search.begin(model_, options_, motion, starts_free);
  else if (scratch_.open_parts.empty())
    return Verdict::free;
  else
    search.begin(model_, options_, motion, starts_free, scratch_.open_parts);
  for (const SweepHint& hint : scratch_.hints) {
    search.try_moment(hint.pair, hint.t, scratch_);
    if (!search.open()) break;
  }
  return std::nullopt;
}

// The contact that a sweep found: two balls inside of the bodies, or one and a solid. It is not
// known which pieces meet.
Finding PathSearch::swept_contact() const {
  const Sweep::Contact& contact = *scratch_.sweep->contact();
  Finding finding;
  finding.t = contact.t;
  finding.pair = contact.pair;
  finding.gap.kind = Gap::Kind::contact;
  finding.gap.contact_kind = contact.distance < 0 ? ContactKind::overlap : ContactKind::too_close;
  finding.gap.distance = std::max(0.0, contact.distance);
  finding.in_world = true;
  finding.gap.points = {contact.point, contact.point};
  return finding;
}

void PathSearch::set_ends_free(SegmentWork& segment) {
  if (segment.from) segment.from->set_free();
  if (segment.to) segment.to->set_free();
}

void PathSearch::make_search(SegmentWork& segment) {
  const SearchContext context{model_, options_};
  switch (options_.checker) {
    case Checker::directional: {
      const bool starts_free = segment.from_is_free || (segment.from && segment.from->is_free());
      auto search = scratch_.take_search();
      segment.verdict = sweep(segment.motion, starts_free, *search);
      if (!segment.verdict) {
        segment.search = std::move(search);
        return;
      }
      scratch_.give_back(std::move(search));
      if (segment.verdict == Verdict::free) return set_ends_free(segment);
      segment.collision = std::make_unique<const Finding>(contact_);
      return;
    }
    case Checker::classic:
      segment.search = make_classic_search(context, segment.motion, *segment.from, *segment.to);
      return;
    case Checker::refined:
      segment.search = make_refined_search(context, segment.motion, *segment.from, *segment.to);
      return;
    case Checker::fixed:
      segment.search = make_fixed_search(context, segment.motion, *segment.from, *segment.to);
      return;
  }
}

// A search that has ended is dropped, unless its efforts are asked for: thousands of them would
// fill the memory.
void PathSearch::take_findings(SegmentWork& segment) {
  keep(segment.search->collision(), segment.collision);
  keep(segment.search->undecided(), segment.undecided);
  if (segment.search->open()) return;
  segment.verdict = segment.collision   ? Verdict::collision
                    : segment.undecided ? Verdict::undecided
                                        : Verdict::free;
  if (segment.verdict == Verdict::free) {
    std::vector<std::uint8_t>& proof = scratch_.proof;
    proof.clear();
    segment.search->write_proof(proof);
    segment.proof.assign(proof.begin(), proof.end());  // with no room to spare
    set_ends_free(segment);
  }
  if (options_.explain) return;
  if (options_.checker == Checker::directional)
    scratch_.give_back(std::unique_ptr<DirectionalSearch>(
        static_cast<DirectionalSearch*>(segment.search.release())));
  segment.search.reset();
}

std::optional<UndecidedReason> PathSearch::over_budget(const Budget& budget) const {
  if (stats_.cells >= options_.max_cells) return UndecidedReason::cells;
  if (const auto stop = budget.stopped())
    return *stop == Stop::cancelled ? UndecidedReason::cancelled : UndecidedReason::time;
  return std::nullopt;
}

std::optional<UndecidedReason> PathSearch::search(SegmentList segments, const Budget& budget) {
  std::vector<UrgentSegment>& queue = scratch_.queue;
  queue.clear();
  const auto add = [&](int index) {
    const SegmentWork& segment = *segments[static_cast<std::size_t>(index)];
    if (segment.verdict) return;
    queue.push_back(
        {options_.first ? -static_cast<double>(index) : segment.search->urgency(), index});
    std::push_heap(queue.begin(), queue.end());
  };
  // What comes after a known collision does not matter.
  int end = 0;
  for (; end < static_cast<int>(segments.size()); ++end)
    if (segments[static_cast<std::size_t>(end)]->verdict == Verdict::collision) {
      if (!options_.first) return std::nullopt;
      break;
    }
  const std::size_t window =
      std::max(kFewestOpen, kOpenPairs / std::max<std::size_t>(model_.pairs().size(), 1));
  int next = 0;
  bool found = false;
  const auto admit = [&] {
    for (; next < end && queue.size() < window; ++next) {
      SegmentWork& segment = *segments[static_cast<std::size_t>(next)];
      if (!segment.verdict && !segment.search) make_search(segment);
      if (segment.search && !segment.search->open()) take_findings(segment);  // at the first look
      found = found || segment.verdict == Verdict::collision;
      add(next);
    }
  };
  for (admit(); !queue.empty() && !found; admit()) {
    if (const auto reason = over_budget(budget)) return reason;
    std::pop_heap(queue.begin(), queue.end());
    const int index = queue.back().index;
    queue.pop_back();
    SegmentWork& segment = *segments[static_cast<std::size_t>(index)];
    if (segment.verdict) continue;  // the same segment was given twice
    const std::int64_t before = segment.search->num_cells();
    segment.search->step(scratch_);
    stats_.cells += segment.search->num_cells() - before;
    take_findings(segment);
    if (segment.verdict == Verdict::collision) return std::nullopt;
    add(index);
  }
  return std::nullopt;
}

CheckResult PathSearch::run(SegmentList segments, const Budget& budget) {
  const auto start = Clock::now();
  scratch_.begin(model_.scene());
  const QueryCounts before = scratch_.distance.counts;
  stats_ = {};
  const auto stopped = search(segments, budget);
  CheckResult result = conclude(segments, stopped);
  if (options_.explain) result.efforts = efforts(segments);
  result.stats = stats_;
  set_stats(before, start, result.stats);
  return result;
}

bool PathSearch::can_run_alone() const {
  return options_.checker == Checker::directional && !options_.certificate && !options_.explain &&
         !options_.first;
}

// The configurations between the parts of a long segment: one that collides mostly does so at one
// of them, which costs less than a sweep.
bool PathSearch::probe(const SegmentMotion& motion, int level, DirectionalSearch& search) {
  std::vector<double>& q = scratch_.probed;
  q.resize(motion.from.size());
  const int parts = 1 << level;
  for (int step = parts; step > 1; step /= 2)
    for (int index = step / 2; index < parts; index += step) {
      const double t = SegmentPart{level, index}.begin();
      motion.configuration(model_.scene().tree(), t, q);
      // What is computed of one configuration is not that of another.
      const SegmentMotion still{{q, q}, next_probe_--};
      auto verdict = sweep(still, false, search);
      if (!verdict) {
        while (search.open() && stats_.cells < options_.max_cells)
          search.step(scratch_), ++stats_.cells;
        if (search.collision()) contact_ = *search.collision();
        if (search.collision()) verdict = Verdict::collision;
      }
      if (verdict != Verdict::collision) continue;
      contact_.t = t;
      return true;
    }
  return false;
}

CheckResult PathSearch::run_alone(const SegmentMotion& motion, bool starts_free,
                                  std::span<const int> likely_pairs, const Budget& budget) {
  const auto start = Clock::now();
  scratch_.begin(model_.scene());
  const QueryCounts before = scratch_.distance.counts;
  auto search = scratch_.take_search();
  CheckResult result;
  if (const auto verdict = sweep(motion, starts_free, *search)) {
    result.verdict = *verdict;
    if (verdict == Verdict::collision) result.collision = witness(contact_, motion, 0);
  } else {
    if (search->open() && !likely_pairs.empty()) search->try_pairs(likely_pairs, scratch_);
    std::optional<UndecidedReason> stopped;
    const std::int64_t probed = stats_.cells;
    while (search->open() && !(stopped = over_budget(budget)))
      search->step(scratch_), stats_.cells = probed + search->num_cells();
    result.verdict = Verdict::free;
    if (search->collision()) {
      result.verdict = Verdict::collision;
      result.collision = witness(*search->collision(), motion, 0);
    } else if (search->undecided() || stopped) {
      result.verdict = Verdict::undecided;
      result.undecided =
          undecided(search->undecided().value_or(Finding{
                        0, -1, {}, stopped.value_or(UndecidedReason::gap_below_resolution), 0}),
                    motion, 0);
    }
  }
  scratch_.give_back(std::move(search));
  result.stats = stats_;
  set_stats(before, start, result.stats);
  return result;
}

PreCheck PathSearch::run_sweeps(const SegmentMotion& motion, bool starts_free) {
  const SweepModel* prepared = can_run_alone() ? sweep_model() : nullptr;
  if (!prepared) return {};
  if (!scratch_.sweep) scratch_.sweep = std::make_unique<Sweep>();
  Sweep& swept = *scratch_.sweep;
  const int level = swept.wanted_level(*prepared, motion);
  for (int index = 0; index < 1 << level; ++index) {
    // What holds at the end of a part holds at the start of the next one.
    if (!swept.run(*prepared, motion, starts_free || index > 0, true, {level, index}, true))
      return {};
    if (swept.contact()) {
      const PairModel& pair = model_.pair(swept.contact()->pair);
      return {PreVerdict::contact, {pair.a, pair.b}, swept.contact()->t, {}};
    }
    // Where it pauses, a contact is all but sure.
    if (!swept.settles_all()) return {};
  }
  PreCheck clear;
  clear.verdict = PreVerdict::clear;
  return clear;
}

void PathSearch::set_stats(const QueryCounts& before, Clock::time_point start,
                           CheckStats& stats) const {
  stats.box_tests = scratch_.distance.counts.box_tests - before.box_tests;
  stats.triangle_tests = scratch_.distance.counts.triangle_tests - before.triangle_tests;
  stats.configurations = scratch_.configurations.num_computed() + scratch_.anchors.num_computed();
  stats.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

CheckResult PathSearch::run_by_distances(KnownConfiguration& configuration) const {
  const auto q = configuration.configuration();
  const SegmentMotion still{{q, q}, -1};
  CheckResult result;
  result.verdict = Verdict::free;
  for (int pair = 0; pair < static_cast<int>(model_.pairs().size()); ++pair) {
    const Gap gap = configuration.gap(pair, options_.resolution, scratch_);
    const Finding finding{0, pair, gap, UndecidedReason::gap_below_resolution, 0};
    if (gap.kind == Gap::Kind::contact) {
      result.verdict = Verdict::collision;
      result.collision = witness(finding, still, 0);
      result.undecided.reset();
      return result;
    }
    if (gap.lower > model_.pair(pair).clearance || result.undecided) continue;
    result.verdict = Verdict::undecided;
    result.undecided = undecided(finding, still, 0);
  }
  return result;
}

Witness PathSearch::witness(const Finding& finding, const SegmentMotion& motion, int index) const {
  const Scene& scene = model_.scene();
  Witness w;
  w.kind = finding.gap.contact_kind;
  w.segment = index;
  w.t = finding.t;
  w.time = motion.time + finding.t * motion.duration;
  w.t_lower = finding.t_lower;
  w.configuration.resize(motion.from.size());
  motion.configuration(scene.tree(), finding.t, w.configuration);
  const PairModel& pair = model_.pair(finding.pair);
  w.bodies = {pair.a, pair.b};
  w.pieces = finding.gap.pieces;
  w.distance = finding.gap.distance;
  if (finding.in_world) {
    w.points = finding.gap.points;
    return w;
  }
  compute_poses(scene.tree(), w.configuration, scratch_.poses);
  const Pose X_WA = scene.body_pose(pair.a, scratch_.poses);
  w.points = {X_WA * finding.gap.points[0], X_WA * finding.gap.points[1]};
  return w;
}

Undecided PathSearch::undecided(const Finding& finding, const SegmentMotion& motion,
                                int index) const {
  Undecided u;
  u.reason = finding.reason;
  u.segment = index;
  u.t = finding.t;
  u.time = motion.time + finding.t * motion.duration;
  u.configuration.resize(motion.from.size());
  motion.configuration(model_.scene().tree(), finding.t, u.configuration);
  if (finding.pair < 0) return u;
  const Witness w = witness(finding, motion, index);
  u.bodies = w.bodies;
  u.points = w.points;
  u.distance = w.distance;
  return u;
}

CheckResult PathSearch::conclude(SegmentList segments,
                                 std::optional<UndecidedReason> stopped) const {
  CheckResult result;
  result.verdict = Verdict::free;
  for (int i = 0; i < static_cast<int>(segments.size()); ++i) {
    const SegmentWork& segment = *segments[static_cast<std::size_t>(i)];
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

std::vector<Effort> PathSearch::efforts(SegmentList segments) const {
  std::vector<Effort> all;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!segments[i]->search) continue;
    for (Effort effort : segments[i]->search->efforts()) {
      if (effort.tests == 0) continue;
      effort.segment = static_cast<int>(i);
      all.push_back(effort);
    }
  }
  std::ranges::stable_sort(all, std::greater<>{}, &Effort::tests);
  return all;
}

}  // namespace proven
