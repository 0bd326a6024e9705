#include "proven/certify/monitor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "directional_search.h"
#include "path_search.h"
#include "proven/certify/check.h"

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

// The box of configurations for which bounds hold; an Error if the motion does not fit the scene.
Result<Reach> reach_for(const Scene& scene, const Motion& motion) {
  if (auto clock = scene.require_no_clock(); !clock.ok()) return clock.error();
  if (auto valid = check_motion(scene.tree(), motion); !valid.ok()) return valid.error();
  Reach reach(scene);
  for (const auto& q : motion.waypoints) reach.cover(scene.tree(), q, q);
  for (const auto& points : motion.inner)
    for (const auto& q : points) reach.cover(scene.tree(), q, q);
  return reach;
}

// A pair on some chords of a segment, to be searched.
struct Part {
  int pair = 0, segment = 0;
  std::uint32_t chords = 0;
};

}  // namespace

struct Monitor::State {
  Scene scene;
  CheckOptions options;
  Requirement requirement;
  Reach reach;
  Motion moves;
  std::vector<SegmentMotion> segments;  // refer to `moves`
  // Of the scene, or of one before: a change that comes near nothing needs no model.
  std::shared_ptr<const ModelData> data;
  bool data_is_of_scene = false;
  std::vector<Item> items;           // sorted
  std::vector<int> first_item;       // per segment, or -1
  int at_segment = 0, at_chord = 0;  // where the part ahead begins
  double at_t = 0;                   // as it was given, on that chord or the next
  // Of the call under work.
  Scratch::State* scratch = nullptr;
  CheckStats stats;

  State(Scene first, Motion motion, const CheckOptions& check, Reach covered)
      : scene(std::move(first)),
        options(check),
        requirement(Requirement::of(check, scene.tree())),
        reach(std::move(covered)),
        moves(std::move(motion)) {
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

  std::uint32_t chords_ahead(int segment) const {
    if (segment < at_segment) return 0;
    return segment > at_segment ? kAllChords : kAllChords & ~((1u << at_chord) - 1);
  }
  std::vector<Verdict> verdicts() const;
  void sort_items();
  const ModelData& model();
  int find_pair(int a, int b) const;
  std::vector<int> take_bodies(const Scene& next) const;
  std::vector<char> take_items(const Scene& before, std::span<const int> known);
  void find_parts(int pair, std::vector<Part>& parts, MonitorCounts& counts) const;
  void find_parts(std::span<const Item> again, std::vector<Part>& parts) const;
  void prove(std::span<const Part> parts, const Budget& budget, MonitorCounts& counts);
  void judge(const Part& part, const Budget& budget);
  std::optional<Item> search(const ModelData& model, const CheckOptions& how, const Part& part,
                             const Budget& budget);
  void prove_all(const Budget& budget, MonitorCounts& counts);
  void begin(Scratch& memory, MonitorCounts& counts);
  void end(MonitorCounts& counts, Clock::time_point start, std::span<const Verdict> before);
};

// Of the scene as it is.
const ModelData& Monitor::State::model() {
  if (!data_is_of_scene)
    data = std::make_shared<const ModelData>(scene, requirement, reach, data.get(), Groups::none);
  data_is_of_scene = true;
  return *data;
}

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

int Monitor::State::find_pair(int a, int b) const {
  const auto pairs = scene.pairs();
  const auto found = std::ranges::lower_bound(
      pairs, std::pair(a, b), {}, [](const BodyPair& p) { return std::pair(p.a, p.b); });
  return found != pairs.end() && found->a == a && found->b == b
             ? static_cast<int>(found - pairs.begin())
             : -1;
}

// Per body of the next scene the same one in this one, or -1. What stands in another order counts
// as new.
std::vector<int> Monitor::State::take_bodies(const Scene& next) const {
  const int count = static_cast<int>(scene.bodies().size());
  std::vector<int> known(next.bodies().size(), -1);
  int from = 0;
  for (std::size_t b = 0; b < known.size(); ++b) {
    const Body& body = next.bodies()[b];
    int found = from;
    while (found < count && scene.body(found).name != body.name) ++found;
    if (found == count) continue;
    from = found + 1;
    if (!same_body(scene.body(found), body)) continue;
    known[b] = found;
  }
  return known;
}

// Items follow the bodies. Says which pairs are as they were in the scene before.
std::vector<char> Monitor::State::take_items(const Scene& before, std::span<const int> known) {
  const auto now = scene.pairs(), then = before.pairs();
  std::vector<char> kept(now.size(), 0);
  std::size_t next = 0;
  for (std::size_t p = 0; p < now.size(); ++p) {
    const int a = known[static_cast<std::size_t>(now[p].a)];
    const int b = known[static_cast<std::size_t>(now[p].b)];
    if (a < 0 || b < 0) continue;
    while (next < then.size() && (then[next].a != a ? then[next].a < a : then[next].b < b)) ++next;
    kept[p] = next < then.size() && then[next].a == a && then[next].b == b &&
              then[next].clearance == now[p].clearance && then[next].kind == now[p].kind;
  }
  if (items.empty()) return kept;
  std::vector<int> next_body(before.bodies().size(), -1);
  for (std::size_t b = 0; b < known.size(); ++b)
    if (known[b] >= 0) next_body[static_cast<std::size_t>(known[b])] = static_cast<int>(b);
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

void Monitor::State::find_parts(int pair, std::vector<Part>& parts, MonitorCounts& counts) const {
  ++counts.pairs_changed;
  for (int i = at_segment; i < static_cast<int>(segments.size()); ++i)
    parts.push_back({pair, i, chords_ahead(i)});
}

void Monitor::State::find_parts(std::span<const Item> again, std::vector<Part>& parts) const {
  for (const Item& item : again)
    if (const std::uint32_t chords = chords_ahead(item.segment))
      parts.push_back({find_pair(item.a, item.b), item.segment, chords});
}

// Segment by segment: what is computed of a moment serves all pairs there.
void Monitor::State::prove(std::span<const Part> parts, const Budget& budget,
                           MonitorCounts& counts) {
  if (parts.empty()) return;
  (void)model();
  counts.parts_proved += static_cast<int>(parts.size());
  std::vector<Part> sorted(parts.begin(), parts.end());
  std::ranges::stable_sort(sorted, {}, &Part::segment);
  for (const Part& part : sorted) judge(part, budget);
}

// Where a tube cannot be proved, the path itself may still be free: as CheckModel does.
void Monitor::State::judge(const Part& part, const Budget& budget) {
  auto found = search(*data, options, part, budget);
  if (found && found->collision && data->without_tube()) {
    const Witness near = *found->collision;
    CheckOptions nominal = options;
    nominal.tracking_error = {};
    scratch->begin(scene);
    auto of_path = search(*data->without_tube(), nominal, part, budget);
    scratch->begin(scene);
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
std::optional<Item> Monitor::State::search(const ModelData& model, const CheckOptions& how,
                                           const Part& part, const Budget& budget) {
  const SegmentMotion& motion = segments[static_cast<std::size_t>(part.segment)];
  Scratch::State& s = *scratch;
  auto search = s.take_search();
  const OpenPart open{part.pair, part.chords};
  search->begin(model, how, motion, false, {&open, 1});
  std::optional<UndecidedReason> stopped;
  while (search->open() && !stopped) {
    if (search->num_cells() >= how.max_cells)
      stopped = UndecidedReason::cells;
    else if (const auto stop = budget.stopped())
      stopped = *stop == Stop::cancelled ? UndecidedReason::cancelled : UndecidedReason::time;
    else
      search->step(s);
  }
  stats.cells += search->num_cells();
  const PathSearch place(model, how, s);
  const PairModel& pair = model.pair(part.pair);
  Item item{part.segment, pair.a, pair.b, 0, false, {}, {}};
  if (search->collision()) {
    item.collision = place.witness(*search->collision(), motion, part.segment);
    item.t = item.collision->t;
  } else if (search->undecided() || stopped) {
    Finding finding{0, part.pair, {}, stopped.value_or(UndecidedReason::gap_below_resolution), 0};
    if (search->undecided()) finding = *search->undecided();
    item.undecided = place.undecided(finding, motion, part.segment);
    item.t = item.undecided->t;
    item.open = stopped.has_value() && stopped != UndecidedReason::cells;
  }
  s.give_back(std::move(search));
  if (!item.collision && !item.undecided) return std::nullopt;
  return item;
}

void Monitor::State::prove_all(const Budget& budget, MonitorCounts& counts) {
  items.clear();
  std::vector<Part> parts;
  for (int p = 0; p < static_cast<int>(scene.pairs().size()); ++p) find_parts(p, parts, counts);
  prove(parts, budget, counts);
}

void Monitor::State::begin(Scratch& memory, MonitorCounts& counts) {
  scratch = &memory.state();
  counts = {};
  stats = {};
  scratch->begin(scene);
  scratch->distance.counts = {};
}

void Monitor::State::end(MonitorCounts& counts, Clock::time_point start,
                         std::span<const Verdict> before) {
  sort_items();
  const std::vector<Verdict> after = verdicts();
  for (std::size_t i = 0; i < after.size(); ++i)
    if (before.empty() || before[i] != after[i]) counts.changed.push_back(static_cast<int>(i));
  stats.box_tests = scratch->distance.counts.box_tests;
  stats.triangle_tests = scratch->distance.counts.triangle_tests;
  stats.configurations = scratch->anchors.num_computed();
  stats.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  counts.stats = stats;
}

Monitor::Monitor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Monitor::~Monitor() = default;
Monitor::Monitor(Monitor&&) noexcept = default;
Monitor& Monitor::operator=(Monitor&&) noexcept = default;

const Scene& Monitor::scene() const {
  return state_->scene;
}
const Motion& Monitor::motion() const {
  return state_->moves;
}
const CheckOptions& Monitor::options() const {
  return state_->options;
}

Result<Monitor> Monitor::build(Scene scene, Motion motion, const CheckOptions& options,
                               Scratch& scratch, const Budget& budget) {
  if (auto valid = validate_for_monitor(options); !valid.ok()) return valid.error();
  auto reach = reach_for(scene, motion);
  if (!reach.ok()) return reach.error();
  // Says what is wrong with the options.
  if (auto model = CheckModel::build(scene, options); !model.ok()) return model.error();
  CheckOptions own = options;
  own.sweep = false;
  auto state =
      std::make_unique<State>(std::move(scene), std::move(motion), own, std::move(reach).value());
  MonitorCounts counts;
  const auto start = Clock::now();
  state->begin(scratch, counts);
  state->prove_all(budget, counts);
  state->end(counts, start, {});
  return Monitor(std::move(state));
}

Result<MonitorCounts> Monitor::update(Scene scene, Scratch& scratch, const Budget& budget) {
  State& s = *state_;
  const auto start = Clock::now();
  MonitorCounts counts;
  const std::vector<Verdict> verdicts_before = s.verdicts();
  const bool anew =
      &scene.tree() != &s.scene.tree() || !std::ranges::equal(scene.home(), s.scene.home());
  if (anew) {
    auto reach = reach_for(scene, s.moves);
    if (!reach.ok()) return reach.error();
    s.reach = std::move(reach).value();
    s.requirement = Requirement::of(s.options, scene.tree());
    s.scene = std::move(scene);
    s.data_is_of_scene = false;
    s.begin(scratch, counts);
    counts.all_anew = true;
    s.prove_all(budget, counts);
    s.end(counts, start, verdicts_before);
    return counts;
  }
  const std::vector<int> known = s.take_bodies(scene);
  std::swap(s.scene, scene);
  s.data_is_of_scene = false;
  s.begin(scratch, counts);
  const std::vector<char> kept = s.take_items(scene, known);
  std::vector<Part> parts;
  std::vector<Item> closed, open;
  for (Item& item : s.items) (item.open ? open : closed).push_back(std::move(item));
  s.items = std::move(closed);
  s.find_parts(open, parts);
  for (std::size_t p = 0; p < kept.size(); ++p)
    if (!kept[p]) s.find_parts(static_cast<int>(p), parts, counts);
  s.prove(parts, budget, counts);
  s.end(counts, start, verdicts_before);
  return counts;
}

MonitorCounts Monitor::advance(int segment, double t, Scratch& scratch, const Budget& budget) {
  State& s = *state_;
  const auto start = Clock::now();
  MonitorCounts counts;
  const std::vector<Verdict> before = s.verdicts();
  s.begin(scratch, counts);
  const int last = static_cast<int>(s.segments.size()) - 1;
  // What is no number leaves nothing behind.
  const double exact = segment > last ? 1 : t > 0 ? std::min(t, 1.0) : 0;
  // A chord is behind when t is surely beyond its end.
  const double chord = std::floor(exact * kChords - 1e-9);
  const int at = std::clamp(segment, 0, last);
  const int k =
      segment > last ? kChords - 1 : static_cast<int>(std::clamp(chord, 0.0, kChords - 1.0));
  if (std::pair(at, exact) > std::pair(s.at_segment, s.at_t)) s.at_t = exact;
  if (std::pair(at, k) > std::pair(s.at_segment, s.at_chord)) {
    s.at_segment = at;
    s.at_chord = k;
    s.at_t = exact;
    std::vector<Item> here, later;
    for (Item& item : s.items)
      if (item.segment >= at) (item.segment == at ? here : later).push_back(std::move(item));
    s.items = std::move(later);
    std::vector<Part> parts;
    s.find_parts(here, parts);
    s.prove(parts, budget, counts);
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
