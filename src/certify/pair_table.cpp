#include "pair_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <optional>

#include "configuration_cache.h"
#include "directional_search.h"
#include "proven/certify/scratch.h"
#include "proven/geometry/ball_cover.h"
#include "proven/geometry/body_geometry.h"
#include "spun_pair.h"

namespace proven {
namespace {

// Steps of the search for one table, all cells together.
constexpr std::int64_t kMostSteps = 200'000;
// So many stripes, a power of two, are asked for at once, with so many steps at most.
constexpr int kWidest = 3;
constexpr std::int64_t kStepsOfMany = 8;
// Where a stripe is too wide for its tube, it is halved so often.
constexpr int kFinest = 3;
// But not for more cells than these at once: halving those costs less.
constexpr int kFewCells = 8;
// Cells one by one, with so many steps for a table.
constexpr std::int64_t kMostRefined = 12'000;
// Where the balls inside of the bodies are no farther apart than this in the middle of a cell, and
// overlap by no more than the other, a deeper place is looked for.
constexpr double kNearContact = 0.01, kDeepContact = 0.002;
// Steps of that, each a third of the one before.
constexpr int kContactSteps = 3;
constexpr double kFirstStep = 0.004;

struct Span {
  int coordinate;
  double lower, upper;
  double lever;  // how far it can move a point of the pair, at most, per unit
  bool whole;    // a whole turn, after which everything is the same again
};
constexpr double kTurn = 2 * std::numbers::pi;

class TableMaker {
 public:
  TableMaker(const ModelData& model, int pair, bool spun = false)
      : model_(model), pair_(pair), spun_(spun) {}

  // Nothing if the table would not help.
  std::shared_ptr<const PairTable> run() {
    if (!find_spans() || spans_.empty()) return nullptr;
    if (spans_.size() > 2) return spun_ ? nullptr : of_spun_pair();
    // The one that moves less is covered by stripes.
    const auto extent = [](const Span& s) { return s.lever * (s.upper - s.lower); };
    std::ranges::sort(spans_, std::greater<>{}, extent);
    if (!(extent(spans_[0]) > 0)) return nullptr;
    auto table = std::make_shared<PairTable>();
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      table->axis[i] = {
          spans_[i].coordinate, spans_[i].lower,
          (spans_[i].upper - spans_[i].lower) / (i == 0 ? PairTable::kCells : PairTable::kStripes),
          spans_[i].whole};
      if (!(table->axis[i].width > 0 && std::isfinite(table->axis[i].per_width))) return nullptr;
    }
    const int stripes = spans_.size() == 2 ? PairTable::kStripes : 1;
    const int wide = stripes == 1 ? 0 : kWidest;
    for (int i = 0; i < stripes >> wide; ++i) fill(*table, i, wide, 0, PairTable::kCells);
    table->spun = spun_;
    for (int i = 0; i < stripes && !spun_; ++i) finish(*table, i);
    return table;
  }

  // All that the answer depends on.
  std::string key() const {
    const PairModel& pair = model_.pair(pair_);
    Hasher hasher;
    for (const int b : {pair.a, pair.b}) {
      const Body& body = model_.scene().body(b);
      hasher.add(body.geometry->hash().low);
      hasher.add(body.geometry->hash().high);
      // Of the same pieces it may differ: they were computed from larger values.
      hasher.add(body.geometry->max_coordinate());
      for (int i = 0; i < 3; ++i) hasher.add(body.X_LB.p[i]);
      for (int i = 0; i < 9; ++i) hasher.add(body.X_LB.R(i / 3, i % 3));
      hasher.add(static_cast<std::uint64_t>(tree().link(body.link).depth -
                                            tree().link(pair.ancestor).depth));
      for (int l = body.link; l != pair.ancestor; l = tree().link(l).parent) add_joint(l, hasher);
    }
    hasher.add(pair.clearance);
    const Hash128 hash = hasher.finish();
    return hash.hex();
  }

 private:
  const KinematicTree& tree() const { return model_.scene().tree(); }

  void add_joint(int link, Hasher& hasher) const {
    const Joint& joint = tree().link(link).joint;
    hasher.add(static_cast<double>(joint.kind));
    for (int i = 0; i < 3; ++i) hasher.add(joint.X_PJ.p[i]), hasher.add(joint.axis[i]);
    for (int i = 0; i < 9; ++i) hasher.add(joint.X_PJ.R(i / 3, i % 3));
    hasher.add(joint.multiplier), hasher.add(joint.offset);
    hasher.add(static_cast<double>(joint.coordinate));
    if (joint.coordinate < 0) return;
    const Interval& range = model_.reach().ranges()[static_cast<std::size_t>(joint.coordinate)];
    hasher.add(range.lower), hasher.add(range.upper);
  }

  std::shared_ptr<const PairTable> of_spun_pair() const {
    const SpunPair spun = spin_pair(model_, pair_);
    return spun.model ? TableMaker(*spun.model, spun.pair, true).run() : nullptr;
  }

  // The coordinates between the two bodies, over their ranges or a whole turn.
  bool find_spans() {
    const PairModel& pair = model_.pair(pair_);
    if (pair.clearance < 0) return false;
    for (const int b : {pair.a, pair.b}) {
      for (const MotionFactor& factor : model_.body(b).factors.factors) {
        if (tree().link(factor.link).depth <= tree().link(pair.ancestor).depth) break;
        const Joint& joint = tree().link(factor.link).joint;
        if (joint.kind == JointKind::ball) return false;
        const double lever = std::fabs(joint.multiplier) * factor.radius;
        const auto known = std::ranges::find(spans_, joint.coordinate, &Span::coordinate);
        const bool turns = joint.kind == JointKind::revolute && std::fabs(joint.multiplier) == 1;
        if (known != spans_.end()) {
          known->lever += lever;
          if (known->whole && !turns) return false;
          continue;
        }
        const Interval& range = model_.reach().ranges()[static_cast<std::size_t>(joint.coordinate)];
        Span span{joint.coordinate, range.lower, range.upper, lever, false};
        span.whole = turns && range.upper - range.lower >= kTurn;
        if (span.whole) span.upper = span.lower + kTurn;
        spans_.push_back(span);
      }
    }
    return true;
  }

  // The second coordinate may be anywhere in its stripe, which is halved `level` times, or doubled:
  // a tube around the middle.
  const ModelData& in_stripe(int level) {
    const int place = kWidest + level;
    std::optional<ModelData>& made = in_stripe_[static_cast<std::size_t>(place)];
    if (made) return *made;
    Requirement requirement = model_.requirement();
    if (spans_.size() == 2) {
      const Span& covered = spans_[1];
      requirement.errors.resize(static_cast<std::size_t>(tree().num_coordinates()));
      requirement.errors[static_cast<std::size_t>(covered.coordinate)] +=
          std::ldexp(covered.upper - covered.lower, -level) / (2.0 * PairTable::kStripes) +
          pad(covered);
    }
    Reach reach = model_.reach();
    const auto home = model_.scene().home();
    std::vector<double> lower(home.begin(), home.end()), upper = lower;
    for (const Span& span : spans_) {
      lower[static_cast<std::size_t>(span.coordinate)] = span.lower - pad(span);
      upper[static_cast<std::size_t>(span.coordinate)] = span.upper + pad(span);
    }
    reach.cover(tree(), lower, upper);
    return made.emplace(model_.scene(), requirement, std::move(reach), nullptr);
  }
  // Neighbouring cells overlap by more than any rounding of a value.
  static double pad(const Span& span) {
    return PairTable::kPad * (1 + std::fabs(span.lower) + std::fabs(span.upper));
  }

  // Cells [begin, end) of 2^wide stripes: all at once, or by halves of what moves more, down to two
  // cells of two stripes.
  void fill(PairTable& table, int block, int wide, int begin, int end) {
    if (steps_ >= kMostSteps) return;
    const int first = block << wide, stripes = 1 << wide, least = spans_.size() == 1 ? 0 : 1;
    Answer answer = Answer::contact;
    if (!overlaps_at(table, (begin + end) / 2, first + stripes / 2))
      answer = ask(block, -wide, begin, end);
    // What is spun is coarse itself.
    if (answer == Answer::unknown && wide <= least && end - begin <= kFewCells && !spun_ &&
        is_free_in_halves(block, -wide, begin, end))
      answer = Answer::free;
    if (answer == Answer::free) {
      for (int stripe = first; stripe < first + stripes; ++stripe)
        for (int i = begin; i < end; ++i) table.set_free(i, stripe);
      return;
    }
    const bool few = end - begin == 1 << least;
    if (few && wide == least) return;
    // Where bodies do not meet, it is the tube that is in the way.
    if (wide > least && (few || answer == Answer::unknown ||
                         (1 << wide) * motion(1) >= (end - begin) * motion(0))) {
      fill(table, 2 * block, wide - 1, begin, end);
      fill(table, 2 * block + 1, wide - 1, begin, end);
      return;
    }
    const int middle = (begin + end) / 2;
    fill(table, block, wide, begin, middle);
    fill(table, block, wide, middle, end);
  }

  // How far a cell of the coordinate moves points of the pair.
  double motion(std::size_t a) const {
    return spans_[a].lever * (spans_[a].upper - spans_[a].lower) /
           (a == 0 ? PairTable::kCells : PairTable::kStripes);
  }

  // The second body seen from the first, in the middle of a cell.
  Pose in_middle(const PairTable& table, int cell, int stripe) {
    const auto home = model_.scene().home();
    from_.assign(home.begin(), home.end());
    const int place[2] = {cell, stripe};
    for (std::size_t a = 0; a < spans_.size(); ++a)
      from_[static_cast<std::size_t>(spans_[a].coordinate)] =
          table.axis[a].lower + (place[a] + 0.5) * table.axis[a].width;
    compute_poses(tree(), from_, poses_);
    const PairModel& pair = model_.pair(pair_);
    return relative_body_pose(model_.scene(), poses_, pair.a, pair.b);
  }

  // Whether balls inside of the bodies do: then the cell is not free, and need not be asked.
  bool overlaps_at(const PairTable& table, int cell, int stripe) {
    return can_touch() && nearest_balls(in_middle(table, cell, stripe)).gap < 0;
  }

  bool can_touch() {
    if (!inside_[0])
      for (const std::size_t k : {0u, 1u}) inside_[k] = InnerLanes::of(geometry(k), Pose{});
    return inside_[0]->count > 0 && inside_[1]->count > 0;
  }

  // Cells that are left one by one: in halves of their stripe, where the tube alone may be in the
  // way, or with the balls inside of the bodies that are deepest in each other in their middle.
  void finish(PairTable& table, int stripe) {
    const bool touch = can_touch();
    std::optional<Vec3> last;
    for (int cell = 0; cell < PairTable::kCells; ++cell) {
      if (table.is_free(cell, stripe)) {
        last.reset();
        continue;
      }
      const Pose X_AB = in_middle(table, cell, stripe);
      PairTable::Contact found{{}, {}, INFINITY};
      if (touch) found = nearest_balls(X_AB);
      if (found.gap >= 0 && spans_.size() == 2 && refined_ < kMostRefined) {
        const std::int64_t before = steps_;
        if (is_free(stripe, 0, cell, cell + 1)) table.set_free(cell, stripe);
        refined_ += steps_ - before;
        if (table.is_free(cell, stripe)) continue;
      }
      if (!touch) continue;
      if (found.gap < kNearContact && found.gap > -kDeepContact) deepen(X_AB, last, found);
      table.set_contact(cell, stripe, found);
    }
  }

  const BodyGeometry& geometry(std::size_t k) const {
    return *model_.scene().body(k == 0 ? model_.pair(pair_).a : model_.pair(pair_).b).geometry;
  }

  static PairTable::Ball ball(const Vec3& centre, double radius) {
    return {
        {static_cast<float>(centre.x), static_cast<float>(centre.y), static_cast<float>(centre.z)},
        std::nextafterf(static_cast<float>(radius), -INFINITY)};
  }

  PairTable::Contact nearest_balls(const Pose& X_AB) const {
    PairTable::Contact nearest{{}, {}, INFINITY};
    for (int j = 0; j < inside_[1]->count; ++j) {
      int i = 0;
      const float radius = inside_[1]->radius(j);
      const float gap = inside_[0]->distance(X_AB * inside_[1]->centre(j), i) - radius;
      if (gap < nearest.gap)
        nearest = {ball(inside_[0]->centre(i), inside_[0]->radius(i)),
                   ball(inside_[1]->centre(j), radius), gap};
    }
    return nearest;
  }

  // A point that is as deep as can be in both bodies: from the middle between the balls, or from
  // where the last cell had it.
  void deepen(const Pose& X_AB, std::optional<Vec3>& last, PairTable::Contact& found) const {
    const Pose X_BA = inverse(X_AB);
    std::array<double, 2> radii, best_radii = {0, 0};
    const auto depth = [&](const Vec3& p) {
      radii[0] = inner_radius(geometry(0), p);
      radii[1] = radii[0] > 0 ? inner_radius(geometry(1), X_BA * p) : 0;
      return std::min(radii[0], radii[1]);
    };
    const auto at = [](const PairTable::Ball& b) {
      return Vec3{b.centre[0], b.centre[1], b.centre[2]};
    };
    const Vec3 p = at(found.a), q = X_AB * at(found.b);
    const double length = norm(q - p);
    const double share =
        length > 0 ? std::clamp(0.5 * (length + found.a.radius - found.b.radius) / length, 0.0, 1.0)
                   : 0;
    Vec3 best = p + share * (q - p);
    double deepest = depth(best);
    best_radii = radii;
    const auto try_at = [&](const Vec3& x) {
      const double own = depth(x);
      if (!(own > deepest)) return false;
      deepest = own, best = x, best_radii = radii;
      return true;
    };
    if (last) (void)try_at(*last);
    double step = kFirstStep;
    for (int i = 0; i < kContactSteps; ++i, step /= 3)
      for (int axis = 0; axis < 3; ++axis)
        for (const double sign : {-1.0, 1.0}) {
          Vec3 next = best;
          next[axis] += sign * step;
          if (try_at(next)) break;
        }
    last = deepest > 0 ? std::optional(best) : std::nullopt;
    const auto gap = static_cast<float>(-best_radii[0] - best_radii[1]);
    if (deepest > 0 && gap < found.gap)
      found = {ball(best, best_radii[0]), ball(X_BA * best, best_radii[1]), gap};
  }

  // A part of a stripe: as a whole, or both of its halves. The search itself splits the coordinate
  // that is swept; a tube it can only fail at.
  bool is_free(int part, int level, int begin, int end) {
    const Answer answer = ask(part, level, begin, end);
    return answer == Answer::free ||
           (answer == Answer::unknown && is_free_in_halves(part, level, begin, end));
  }
  bool is_free_in_halves(int part, int level, int begin, int end) {
    if (level == kFinest || spans_.size() == 1) return false;
    return is_free(2 * part, level + 1, begin, end) && is_free(2 * part + 1, level + 1, begin, end);
  }

  enum class Answer { free, contact, unknown };

  // Cells [begin, end) of a part of a stripe, of those that are stripes halved `level` times; below
  // zero, of so many doublings of one.
  Answer ask(int part, int level, int begin, int end) {
    const ModelData& model = in_stripe(level);
    const auto home = model_.scene().home();
    from_.assign(home.begin(), home.end());
    to_ = from_;
    const Span& swept = spans_[0];
    const double width = (swept.upper - swept.lower) / PairTable::kCells;
    const auto s = static_cast<std::size_t>(swept.coordinate);
    from_[s] = swept.lower + begin * width - pad(swept);
    to_[s] = swept.lower + end * width + pad(swept);
    if (spans_.size() == 2) {
      const Span& covered = spans_[1];
      const auto c = static_cast<std::size_t>(covered.coordinate);
      from_[c] = to_[c] = covered.lower + (covered.upper - covered.lower) * (part + 0.5) /
                                              std::ldexp(PairTable::kStripes, level);
    }
    SegmentMotion motion;
    motion.from = from_;
    motion.to = to_;
    Scratch::State& scratch = scratch_.state();
    scratch.begin(model.scene());
    const OpenPart all{pair_, kAllChords};
    search_.begin(model, options_, motion, false, {&all, 1});
    const std::int64_t most = level < -1 ? steps_ + kStepsOfMany : 2 * kMostSteps;
    while (search_.open() && steps_ < most) {
      search_.step(scratch);
      ++steps_;
    }
    if (search_.open() || search_.undecided()) return Answer::unknown;
    if (!search_.collision()) return Answer::free;
    // Within the tube nothing is known; where the bodies themselves meet, halving does not help.
    const ContactKind kind = search_.collision()->gap.contact_kind;
    return kind == ContactKind::too_close ? Answer::unknown : Answer::contact;
  }

  const ModelData& model_;
  int pair_;
  bool spun_;
  std::vector<Span> spans_;
  CheckOptions options_;
  Scratch scratch_;
  DirectionalSearch search_;
  std::array<std::optional<ModelData>, kWidest + kFinest + 1> in_stripe_;
  std::array<std::shared_ptr<const InnerLanes>, 2> inside_;
  LinkPoses poses_;
  std::vector<double> from_, to_;
  std::int64_t steps_ = 0, refined_ = 0;
};

// Tables of the process. Of those that no model holds any more, few are kept: a program may ask for
// ever other clearances.
class KnownTables {
 public:
  std::optional<std::shared_ptr<const PairTable>> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(key);
    if (found == tables_.end()) return std::nullopt;
    found->second.asked = ++time_;
    return found->second.table;
  }

  void add(const std::string& key, std::shared_ptr<const PairTable> table) {
    const std::lock_guard lock(mutex_);
    tables_[key] = {std::move(table), ++time_};
    std::size_t unused = 0;
    auto oldest = tables_.end();
    for (auto next = tables_.begin(); next != tables_.end(); ++next) {
      const auto& [known, asked] = next->second;
      if (!known || known.use_count() > 1) continue;
      ++unused;
      if (oldest == tables_.end() || asked < oldest->second.asked) oldest = next;
    }
    if (unused > PairTable::kMostUnused) tables_.erase(oldest);
    // What would not help takes little, and is soon found again.
    if (tables_.size() > kMostEntries)
      std::erase_if(tables_, [](const auto& entry) { return !entry.second.table; });
  }

 private:
  static constexpr std::size_t kMostEntries = 20'000;
  struct Known {
    std::shared_ptr<const PairTable> table;  // null: it would not help
    std::int64_t asked = 0;                  // when it last was
  };
  std::mutex mutex_;
  std::map<std::string, Known> tables_;
  std::int64_t time_ = 0;
};

}  // namespace

std::shared_ptr<const PairTable> pair_table(const ModelData& model, int pair) {
  static KnownTables known;
  TableMaker maker(model, pair);
  const std::string key = maker.key();
  if (auto found = known.find(key)) return *found;
  auto table = maker.run();
  known.add(key, table);
  return table;
}

std::optional<PairTable::Ways> PairTable::ways(const Line& line) const {
  Ways ways;
  for (std::size_t a = 0; a < 2 && axis[a].coordinate >= 0; ++a) {
    const auto c = static_cast<std::size_t>(axis[a].coordinate);
    const double by = line.to[c] - line.from[c];
    ways[a].at = (line.from[c] + line.begin * by - axis[a].lower) * axis[a].per_width;
    ways[a].by = line.width * by * axis[a].per_width;
    // What lies between the ends is no farther than they are. What is no number is too far.
    if (!(std::fabs(ways[a].at) < kFarthest && std::fabs(ways[a].at + ways[a].by) < kFarthest))
      return std::nullopt;
  }
  return ways;
}

int PairTable::Way::cell(double t) const {
  const double x = at + t * by;
  const int whole = static_cast<int>(x);
  return whole - (x < whole);
}

std::uint32_t PairTable::open_chords(const Line& line) const {
  const std::optional<Ways> ways = this->ways(line);
  if (!ways) return kAllChords;
  Places places;
  for (std::size_t a = 0; a < 2; ++a)
    places[0][a] = (*ways)[a].cell(0), places[kChords][a] = (*ways)[a].cell(1);
  return open_between(*ways, 0, kChords, places);
}

// All chords from one moment to another at once if that will do, else in halves.
std::uint32_t PairTable::open_between(const Ways& ways, int first, int last, Places& places) const {
  const auto &from = places[static_cast<std::size_t>(first)],
             &to = places[static_cast<std::size_t>(last)];
  if (free_between(std::minmax(from[0], to[0]), std::minmax(from[1], to[1]))) return 0;
  if (last - first == 1) return 1u << first;
  const int middle = (first + last) / 2;
  for (std::size_t a = 0; a < 2; ++a)
    places[static_cast<std::size_t>(middle)][a] =
        ways[a].cell(static_cast<double>(middle) / kChords);
  return open_between(ways, first, middle, places) | open_between(ways, middle, last, places);
}

PairTable PairTable::without_contacts() const {
  PairTable table;
  table.axis = axis;
  table.spun = true;
  table.free_ = free_;
  return table;
}

void PairTable::keep_free(const PairTable& other) {
  for (std::size_t stripe = 0; stripe < free_.size(); ++stripe)
    for (std::size_t word = 0; word < free_[stripe].size(); ++word)
      free_[stripe][word] &= other.free_[stripe][word];
}

void PairTable::set_contact(int cell, int stripe, const Contact& contact) {
  const int cells = kCells * count(1);
  if (contact_of_.empty()) contact_of_.assign(static_cast<std::size_t>(cells), -1);
  const int place = stripe * kCells + cell;
  contact_of_[static_cast<std::size_t>(place)] = static_cast<int>(contacts_.size());
  contacts_.push_back(contact);
}

int PairTable::likely_contacts(const Line& line, std::uint32_t chords,
                               std::array<Likely, kMostLikely>& found) const {
  if (contacts_.empty()) return 0;
  const std::optional<Ways> ways = this->ways(line);
  if (!ways) return 0;
  int number = 0, last[2] = {-1, -1};
  for (int k = 0; k < kMoments; ++k) {
    if (((chords | chords << 1) >> k & 1) == 0) continue;
    int place[2];
    bool within = true;
    for (std::size_t a = 0; a < 2; ++a) {
      place[a] = (*ways)[a].cell(static_cast<double>(k) / kChords);
      if (axis[a].whole) place[a] = (place[a] % count(a) + count(a)) % count(a);
      within = within && place[a] >= 0 && place[a] < count(a);
    }
    if (!within || is_free(place[0], place[1])) continue;
    if (place[0] == last[0] && place[1] == last[1]) continue;
    last[0] = place[0], last[1] = place[1];
    const int cell = place[1] * kCells + place[0];
    const int contact = contact_of_[static_cast<std::size_t>(cell)];
    if (contact < 0) continue;
    Likely own{k, &contacts_[static_cast<std::size_t>(contact)]};
    for (int i = 0; i < number; ++i)
      if (own.contact->gap < found[static_cast<std::size_t>(i)].contact->gap)
        std::swap(own, found[static_cast<std::size_t>(i)]);
    if (number < kMostLikely) found[static_cast<std::size_t>(number++)] = own;
  }
  return number;
}

// Beyond a whole turn the table begins again; a chord across that place stays open.
bool PairTable::free_between(std::pair<int, int> x, std::pair<int, int> y) const {
  const auto reduce = [&](std::size_t a, std::pair<int, int>& range) {
    if (axis[a].whole) {
      const int turned = range.first >> kBitsOfCells << kBitsOfCells;
      range.first -= turned;
      range.second -= turned;
    }
    return range.first >= 0 && range.second < count(a);
  };
  if (!reduce(0, x) || !reduce(1, y)) return false;
  for (int word = x.first / kBits; word <= x.second / kBits; ++word) {
    const int first = std::max(0, x.first - word * kBits);
    const int last = std::min(kBits - 1, x.second - word * kBits);
    const std::uint64_t wanted = ~std::uint64_t{0} >> (kBits - 1 - last) & ~std::uint64_t{0}
                                                                               << first;
    for (int row = y.first; row <= y.second; ++row)
      if (~free_[static_cast<std::size_t>(row)][static_cast<std::size_t>(word)] & wanted)
        return false;
  }
  return true;
}

}  // namespace proven
