#include "proven/certify/monitor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "directional_search.h"
#include "path_search.h"
#include "proven/certify/check.h"
#include "swept_boxes.h"

namespace proven {
namespace {

using Clock = std::chrono::steady_clock;

// A pair that is not proved on what is ahead of a segment.
struct Item {
  int segment = 0, a = 0, b = 0;
  double t = 0;
  bool open = false;  // a budget ran out: to be judged again
  std::optional<Witness> collision;
  std::optional<Undecided> undecided;  // one of the two

  // What is reported of a segment comes first.
  bool operator<(const Item& o) const {
    if (segment != o.segment) return segment < o.segment;
    if (collision.has_value() != o.collision.has_value()) return collision.has_value();
    if (t != o.t) return t < o.t;
    return a != o.a ? a < o.a : b < o.b;
  }
};

Result<void> validate_for_monitor(const CheckOptions& options) {
  if (options.checker != Checker::directional)
    return bad_input("a monitor proves by the checker directional alone");
  if (options.certificate || options.explain || options.first)
    return bad_input(
        "certificate, explain and first are about a single answer: ask check for them, a monitor "
        "says what stands");
  return {};
}

// A model that covers the motion.
Result<CheckModel> build_model(const Scene& scene, const Motion& motion,
                               const CheckOptions& options) {
  if (auto valid = validate_for_monitor(options); !valid.ok()) return valid.error();
  if (auto clock = scene.require_no_clock(); !clock.ok()) return clock.error();
  if (auto valid = check_motion(scene.tree(), motion); !valid.ok()) return valid.error();
  auto model = CheckModel::build(scene, options);
  if (!model.ok()) return model;
  CheckModel wide = std::move(model).value();
  const auto cover = [&](const std::vector<double>& q) {
    if (!wide.covers(q)) wide = wide.covering(q, q);
  };
  for (const auto& q : motion.waypoints) cover(q);
  for (const auto& points : motion.inner)
    for (const auto& q : points) cover(q);
  return wide;
}

}  // namespace

struct Monitor::State {
  CheckModel model;
  Motion moves;
  std::vector<SegmentMotion> segments;  // refer to `moves`
  std::vector<std::shared_ptr<const SweptBoxes>> boxes;
  std::vector<Item> items;           // sorted
  std::vector<int> first_item;       // per segment, or -1
  int at_segment = 0, at_chord = 0;  // where the part ahead begins
  double at_t = 0;                   // as it was given, on that chord or the next
  Scratch scratch;
  CheckStats stats;  // of the call under work

  State(CheckModel m, Motion motion) : model(std::move(m)), moves(std::move(motion)) {
    const int count = std::max(1, moves.num_segments());
    for (int i = 0; i < count; ++i) {
      SegmentMotion segment{moves.piece(i), i};
      const auto k = static_cast<std::size_t>(i);
      if (!moves.times.empty()) {
        segment.time = moves.times[k];
        segment.duration = k + 1 < moves.times.size() ? moves.times[k + 1] - moves.times[k] : 0;
      }
      segments.push_back(segment);
    }
    first_item.assign(segments.size(), -1);
  }

  const ModelData& data() const { return model.data(); }
  std::uint32_t chords_ahead(int segment) const {
    if (segment < at_segment) return 0;
    return segment > at_segment ? kAllChords : kAllChords & ~((1u << at_chord) - 1);
  }
  std::vector<Verdict> verdicts() const;
  void sort_items();
  void take_boxes(std::span<const std::shared_ptr<const SweptBoxes>> previous);
  std::uint32_t near(int pair, int segment) const;
  void judge_pair(int pair, const Budget& budget, MonitorCounts& counts);
  void judge(int pair, int segment, std::uint32_t chords, const Budget& budget);
  std::optional<Item> search(const ModelData& model, const CheckOptions& options, int pair,
                             int segment, std::uint32_t chords, const Budget& budget);
  void judge_open(const Budget& budget, MonitorCounts& counts);
  void judge_again(std::span<const Item> old, const Budget& budget, MonitorCounts& counts);
  int find_pair(int a, int b) const;
  std::vector<char> take_items(const CheckModel& before);
  void begin(MonitorCounts& counts);
  void end(MonitorCounts& counts, Clock::time_point start, std::span<const Verdict> before);
};

std::vector<Verdict> Monitor::State::verdicts() const {
  std::vector<Verdict> all(segments.size(), Verdict::free);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (first_item[i] >= 0)
      all[i] = items[static_cast<std::size_t>(first_item[i])].collision ? Verdict::collision
                                                                        : Verdict::undecided;
  return all;
}

void Monitor::State::sort_items() {
  std::sort(items.begin(), items.end());
  first_item.assign(segments.size(), -1);
  for (std::size_t i = items.size(); i-- > 0;)
    first_item[static_cast<std::size_t>(items[i].segment)] = static_cast<int>(i);
}

void Monitor::State::take_boxes(std::span<const std::shared_ptr<const SweptBoxes>> previous) {
  std::vector<std::shared_ptr<const SweptBoxes>> taken;
  for (int b = 0; b < static_cast<int>(model.scene().bodies().size()); ++b) {
    const int known = previous.empty() ? -1 : data().previous_body(b);
    taken.push_back(known >= 0 ? previous[static_cast<std::size_t>(known)]
                               : std::make_shared<const SweptBoxes>(data(), b, segments));
  }
  boxes = std::move(taken);
}

int Monitor::State::find_pair(int a, int b) const {
  const auto pairs = data().pairs();
  const auto found = std::ranges::lower_bound(
      pairs, std::pair(a, b), {}, [](const PairModel& p) { return std::pair(p.a, p.b); });
  return found != pairs.end() && found->a == a && found->b == b
             ? static_cast<int>(found - pairs.begin())
             : -1;
}

// The chords ahead on which the pair may come too close.
std::uint32_t Monitor::State::near(int pair, int segment) const {
  const PairModel& p = data().pair(pair);
  return chords_ahead(segment) & near_chords(*boxes[static_cast<std::size_t>(p.a)],
                                             *boxes[static_cast<std::size_t>(p.b)], segment,
                                             p.clearance);
}

void Monitor::State::judge_pair(int pair, const Budget& budget, MonitorCounts& counts) {
  ++counts.pairs_changed;
  const PairModel& p = data().pair(pair);
  const SweptBoxes &a = *boxes[static_cast<std::size_t>(p.a)],
                   &b = *boxes[static_cast<std::size_t>(p.b)];
  if (boxes_apart(a.whole(), b.whole(), p.clearance)) return;
  bool any = false;
  for (int i = at_segment; i < static_cast<int>(segments.size()); ++i) {
    const std::uint32_t chords = near(pair, i);
    if (chords == 0) continue;
    any = true;
    ++counts.parts_proved;
    judge(pair, i, chords, budget);
  }
  counts.pairs_near += any;
}

// Where a tube cannot be proved, the path itself may still be free: as CheckModel does.
void Monitor::State::judge(int pair, int segment, std::uint32_t chords, const Budget& budget) {
  CheckOptions options = model.options();
  options.sweep = false;
  auto found = search(data(), options, pair, segment, chords, budget);
  if (found && found->collision && data().without_tube()) {
    const Witness near = *found->collision;
    options.tracking_error = {};
    scratch.state().begin(model.scene());
    auto of_path = search(*data().without_tube(), options, pair, segment, chords, budget);
    scratch.state().begin(model.scene());
    if (of_path && (of_path->collision || of_path->open)) {
      found = std::move(of_path);
    } else {
      found->collision.reset();
      found->undecided =
          Undecided{UndecidedReason::tube, near.segment, near.t,        near.configuration,
                    near.bodies,           near.points,  near.distance, near.time};
    }
  }
  if (found) items.push_back(std::move(*found));
}

// One pair on one segment, whatever else is there: that is what makes answers independent of the
// order of edits. Nothing is found where it is proved.
std::optional<Item> Monitor::State::search(const ModelData& data, const CheckOptions& options,
                                           int pair, int segment, std::uint32_t chords,
                                           const Budget& budget) {
  const SegmentMotion& motion = segments[static_cast<std::size_t>(segment)];
  Scratch::State& s = scratch.state();
  auto search = s.take_search();
  const OpenPart part{pair, chords};
  search->begin(data, options, motion, false, {&part, 1});
  std::optional<UndecidedReason> stopped;
  while (search->open() && !stopped) {
    if (search->num_cells() >= options.max_cells)
      stopped = UndecidedReason::cells;
    else if (const auto stop = budget.stopped())
      stopped = *stop == Stop::cancelled ? UndecidedReason::cancelled : UndecidedReason::time;
    else
      search->step(s);
  }
  stats.cells += search->num_cells();
  const PathSearch place(data, options, s);
  Item item{segment, data.pair(pair).a, data.pair(pair).b, 0, false, {}, {}};
  if (search->collision()) {
    item.collision = place.witness(*search->collision(), motion, segment);
    item.t = item.collision->t;
  } else if (search->undecided() || stopped) {
    Finding finding{0, pair, {}, stopped.value_or(UndecidedReason::gap_below_resolution), 0};
    if (search->undecided()) finding = *search->undecided();
    item.undecided = place.undecided(finding, motion, segment);
    item.t = item.undecided->t;
    item.open = stopped.has_value() && stopped != UndecidedReason::cells;
  }
  s.give_back(std::move(search));
  if (!item.collision && !item.undecided) return std::nullopt;
  return item;
}

void Monitor::State::judge_again(std::span<const Item> old, const Budget& budget,
                                 MonitorCounts& counts) {
  for (const Item& item : old) {
    const int pair = find_pair(item.a, item.b);
    const std::uint32_t chords = near(pair, item.segment);
    if (chords == 0) continue;
    ++counts.parts_proved;
    judge(pair, item.segment, chords, budget);
  }
}

void Monitor::State::judge_open(const Budget& budget, MonitorCounts& counts) {
  std::vector<Item> closed, open;
  for (Item& item : items) (item.open ? open : closed).push_back(std::move(item));
  items = std::move(closed);
  judge_again(open, budget, counts);
}

// Follows the bodies of the model before; says which pairs are the same as there.
std::vector<char> Monitor::State::take_items(const CheckModel& before) {
  const auto now = data().pairs(), then = before.data().pairs();
  std::vector<int> next_body(before.scene().bodies().size(), -1);
  for (int b = 0; b < static_cast<int>(model.scene().bodies().size()); ++b)
    if (const int known = data().previous_body(b); known >= 0)
      next_body[static_cast<std::size_t>(known)] = b;
  std::vector<char> kept(now.size(), 0);
  std::size_t next = 0;
  for (std::size_t p = 0; p < now.size(); ++p) {
    const int a = data().previous_body(now[p].a), b = data().previous_body(now[p].b);
    if (a < 0 || b < 0) continue;
    while (next < then.size() && (then[next].a != a ? then[next].a < a : then[next].b < b)) ++next;
    kept[p] = next < then.size() && then[next].a == a && then[next].b == b &&
              then[next].clearance == now[p].clearance;
  }
  std::vector<Item> taken;
  for (Item& item : items) {
    item.a = next_body[static_cast<std::size_t>(item.a)];
    item.b = next_body[static_cast<std::size_t>(item.b)];
    const int pair = item.a < 0 || item.b < 0 ? -1 : find_pair(item.a, item.b);
    if (pair < 0 || !kept[static_cast<std::size_t>(pair)]) continue;
    (item.collision ? item.collision->bodies : item.undecided->bodies) = {item.a, item.b};
    taken.push_back(std::move(item));
  }
  items = std::move(taken);
  return kept;
}

void Monitor::State::begin(MonitorCounts& counts) {
  counts = {};
  stats = {};
  scratch.state().begin(model.scene());
  scratch.state().distance.counts = {};
}

void Monitor::State::end(MonitorCounts& counts, Clock::time_point start,
                         std::span<const Verdict> before) {
  sort_items();
  const std::vector<Verdict> after = verdicts();
  for (std::size_t i = 0; i < after.size(); ++i)
    if (before.empty() || before[i] != after[i]) counts.changed.push_back(static_cast<int>(i));
  stats.box_tests = scratch.state().distance.counts.box_tests;
  stats.triangle_tests = scratch.state().distance.counts.triangle_tests;
  stats.configurations = scratch.state().anchors.num_computed();
  stats.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  counts.stats = stats;
}

Monitor::Monitor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Monitor::~Monitor() = default;
Monitor::Monitor(Monitor&&) noexcept = default;
Monitor& Monitor::operator=(Monitor&&) noexcept = default;

const Scene& Monitor::scene() const {
  return state_->model.scene();
}
const Motion& Monitor::motion() const {
  return state_->moves;
}
const CheckOptions& Monitor::options() const {
  return state_->model.options();
}

Result<Monitor> Monitor::build(const Scene& scene, Motion motion, const CheckOptions& options,
                               const Budget& budget) {
  auto model = build_model(scene, motion, options);
  if (!model.ok()) return model.error();
  auto state = std::make_unique<State>(std::move(model).value(), std::move(motion));
  MonitorCounts counts;
  const auto start = Clock::now();
  state->begin(counts);
  state->take_boxes({});
  for (int p = 0; p < static_cast<int>(state->data().pairs().size()); ++p)
    state->judge_pair(p, budget, counts);
  state->end(counts, start, {});
  return Monitor(std::move(state));
}

Result<MonitorCounts> Monitor::update(const Scene& scene, const Budget& budget) {
  State& s = *state_;
  const auto start = Clock::now();
  MonitorCounts counts;
  const std::vector<Verdict> verdicts_before = s.verdicts();
  const bool anew = &scene.tree() != &s.model.scene().tree() ||
                    !std::ranges::equal(scene.home(), s.model.scene().home());
  if (anew) {
    auto model = build_model(scene, s.moves, s.model.options());
    if (!model.ok()) return model.error();
    s.model = std::move(model).value();
    s.items.clear();
    s.begin(counts);
    counts.all_anew = true;
    s.take_boxes({});
    for (int p = 0; p < static_cast<int>(s.data().pairs().size()); ++p)
      s.judge_pair(p, budget, counts);
    s.end(counts, start, verdicts_before);
    return counts;
  }
  const CheckModel before = s.model;
  s.model = before.with_scene(scene);
  s.begin(counts);
  s.take_boxes(s.boxes);
  const std::vector<char> kept = s.take_items(before);
  s.judge_open(budget, counts);
  for (std::size_t p = 0; p < kept.size(); ++p)
    if (!kept[p]) s.judge_pair(static_cast<int>(p), budget, counts);
  s.end(counts, start, verdicts_before);
  return counts;
}

MonitorCounts Monitor::advance(int segment, double t, const Budget& budget) {
  State& s = *state_;
  const auto start = Clock::now();
  MonitorCounts counts;
  const std::vector<Verdict> before = s.verdicts();
  s.begin(counts);
  const int last = static_cast<int>(s.segments.size()) - 1;
  // A chord is behind when t is surely beyond its end.
  const double chord = std::floor(t * kChords - 1e-9);
  const int at = std::clamp(segment, 0, last);
  const int k =
      segment > last ? kChords - 1 : static_cast<int>(std::clamp(chord, 0.0, kChords - 1.0));
  const double exact = segment > last ? 1 : std::clamp(t, 0.0, 1.0);
  if (std::pair(at, exact) > std::pair(s.at_segment, s.at_t)) s.at_t = exact;
  if (std::pair(at, k) > std::pair(s.at_segment, s.at_chord)) {
    s.at_segment = at;
    s.at_chord = k;
    s.at_t = exact;
    std::vector<Item> here, later;
    for (Item& item : s.items)
      if (item.segment >= at) (item.segment == at ? here : later).push_back(std::move(item));
    s.items = std::move(later);
    s.judge_again(here, budget, counts);
  }
  s.end(counts, start, before);
  return counts;
}

Monitor::Place Monitor::ahead() const {
  return {state_->at_segment, state_->at_t};
}

int Monitor::num_segments() const {
  return static_cast<int>(state_->segments.size());
}

Monitor::Segment Monitor::segment(int index) const {
  const int first = state_->first_item.at(static_cast<std::size_t>(index));
  if (first < 0) return {};
  const Item& item = state_->items[static_cast<std::size_t>(first)];
  if (item.collision) return {Verdict::collision, &*item.collision, nullptr};
  return {Verdict::undecided, nullptr, &*item.undecided};
}

Verdict Monitor::verdict() const {
  if (state_->items.empty()) return Verdict::free;
  const bool collides = std::ranges::any_of(
      state_->items, [](const Item& item) { return item.collision.has_value(); });
  return collides ? Verdict::collision : Verdict::undecided;
}

std::vector<Witness> Monitor::collisions() const {
  std::vector<Witness> all;
  for (const Item& item : state_->items)
    if (item.collision) all.push_back(*item.collision);
  return all;
}

}  // namespace proven
