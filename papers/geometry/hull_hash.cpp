#include "papers/geometry/hull_hash.h"

#include <algorithm>
#include <limits>

#include "geometry/bv_rounding.h"
#include "papers/geometry/hull_gap.h"
#include "papers/geometry/piece_hash.h"
#include "proven/geometry/pieces.h"

namespace proven {

struct HullHashWorkspace::State {
  struct Candidate {
    int piece;
    double height;  // along the direction, from the front
  };
  PieceSets a, b;
  PieceHash hash;
  std::vector<Candidate> front_a, front_b;
  std::vector<Aabb> boxes;
};

HullHashWorkspace::HullHashWorkspace() : state_(std::make_unique<State>()) {}
HullHashWorkspace::HullHashWorkspace(HullHashWorkspace&&) noexcept = default;
HullHashWorkspace& HullHashWorkspace::operator=(HullHashWorkspace&&) noexcept = default;
HullHashWorkspace::~HullHashWorkspace() = default;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// So few pairs of pieces are compared one by one: less work than any stage.
constexpr std::int64_t kFewPairs = 64;
// Cells along the longest side of what is hashed, at most: bounds the cells of a large piece.
constexpr double kMaxCells = 32;
// A radius beyond this share of the smaller side's box tells nothing apart: rather split.
constexpr double kLargestShare = 0.25;

double longest(const Aabb& box) {
  return max_abs(box.hi - box.lo);
}

Aabb moved(const Aabb& box, const Vec3& by) {
  return {box.lo + by, box.hi + by};
}

void include(Aabb& all, const Aabb& box) {
  for (int axis = 0; axis < 3; ++axis) {
    all.lo[axis] = std::fmin(all.lo[axis], box.lo[axis]);
    all.hi[axis] = std::fmax(all.hi[axis], box.hi[axis]);
  }
}

class HullHashSearch {
 public:
  HullHashSearch(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                 HullHashWorkspace& workspace)
      : body_a_(a),
        body_b_(b),
        X_AB_(X_AB),
        margin_(BvPairPose::make(X_AB, a.max_coordinate(), b.max_coordinate()).rounding_margin),
        state_(workspace.state()),
        counts_(workspace.counts) {
    state_.a.start(a, Pose{}, margin_);
    state_.b.start(b, X_AB, margin_);
  }

  ExactDistance run() {
    visit(0, 0, gap_of(0, 0));
    // Pieces that were measured are bounded by their own bounds, the others by what dropped them.
    nearest_.distance_lower = std::min(lower_, nearest_.distance);
    return nearest_;
  }

 private:
  using Candidate = HullHashWorkspace::State::Candidate;

  double upper() const { return nearest_.pieces[0] < 0 ? kInfinity : nearest_.distance; }
  bool is_useful(double distance_lower) const { return distance_lower < upper(); }

  HullGap gap_of(int set_a, int set_b) {
    ++counts_.hull_tests;
    return hull_gap(state_.a, set_a, state_.b, set_b, upper(), margin_);
  }

  void measure(int piece_a, int piece_b) {
    ++counts_.piece_tests;
    const PieceDistance found = piece_distance(body_a_, piece_a, body_b_, piece_b, X_AB_);
    // NaN proves nothing.
    lower_ = std::min(lower_, found.distance_lower > 0 ? found.distance_lower : 0);
    if (!is_useful(found.distance)) return;
    nearest_.distance = found.distance;
    nearest_.points = {found.point_a, found.point_b};
    nearest_.pieces = {piece_a, piece_b};
  }

  void compare(int piece_a, int piece_b) {
    ++counts_.box_tests;
    if (is_useful(box_gap(state_.a.box(piece_a), state_.b.box(piece_b)))) measure(piece_a, piece_b);
  }

  void visit(int set_a, int set_b, const HullGap& gap) {
    if (!is_useful(gap.distance_lower)) return;
    const int count_a = state_.a[set_a].count, count_b = state_.b[set_b].count;
    if (std::int64_t{count_a} * count_b <= kFewPairs) {
      for (const int a : state_.a.pieces(set_a))
        for (const int b : state_.b.pieces(set_b)) compare(a, b);
      return;
    }
    if (gap.distance_lower > 0 && hash(set_a, set_b, gap)) return;
    split(set_a, set_b, gap);
  }

  // The larger set in two; the nearer half first.
  void split(int set_a, int set_b, const HullGap& gap) {
    const PieceSet &a = state_.a[set_a], &b = state_.b[set_b];
    const bool split_a = b.count == 1 || (a.count > 1 && longest(a.box) >= longest(b.box));
    PieceSets& sets = split_a ? state_.a : state_.b;
    ++counts_.splits;
    const int child = sets.split(split_a ? set_a : set_b, gap.meeting);
    std::array<std::array<int, 2>, 2> pairs;
    std::array<HullGap, 2> gaps;
    for (int k = 0; k < 2; ++k) {
      const auto i = static_cast<std::size_t>(k);
      pairs[i] = split_a ? std::array{child + k, set_b} : std::array{set_a, child + k};
      gaps[i] = gap_of(pairs[i][0], pairs[i][1]);
    }
    const std::size_t nearer = gaps[1].distance_lower < gaps[0].distance_lower;
    for (const std::size_t i : {nearer, 1 - nearer}) visit(pairs[i][0], pairs[i][1], gaps[i]);
  }

  // From the extreme pieces to and fro to what lies nearest to them, while that helps: an upper
  // bound, and with it the size of the cells.
  void improve_upper(int set_a, int set_b, std::array<int, 2> pieces) {
    measure(pieces[0], pieces[1]);
    for (int side = 0; side < 4; ++side) {
      const bool of_a = side % 2 == 0;
      const PieceSets &here = of_a ? state_.a : state_.b, &there = of_a ? state_.b : state_.a;
      const auto mine = static_cast<std::size_t>(of_a ? 0 : 1);
      const Aabb& target = there.box(pieces[1 - mine]);
      double least = kInfinity;
      int best = pieces[mine];
      for (const int piece : here.pieces(of_a ? set_a : set_b)) {
        const double gap = box_gap(here.box(piece), target);
        if (gap < least) least = gap, best = piece;
      }
      if (best == pieces[mine]) continue;
      pieces[mine] = best;
      measure(pieces[0], pieces[1]);
    }
  }

  // Pieces that lie near enough to the front to be of interest: n·y - n·x of a pair is a lower
  // bound on its distance.
  void list_front(int set_a, int set_b, const HullGap& gap) {
    state_.front_a.clear();
    state_.front_b.clear();
    for (const int piece : state_.a.pieces(set_a)) {
      const double height = state_.a.height(piece, gap.direction);
      if (is_useful(gap.bottom_b - height - margin_))
        state_.front_a.push_back({piece, gap.top_a - height});
    }
    for (const int piece : state_.b.pieces(set_b)) {
      const double height = -state_.b.height(piece, -gap.direction);
      if (is_useful(height - gap.top_a - margin_))
        state_.front_b.push_back({piece, height - gap.bottom_b});
    }
  }

  // False if cells would not tell the pieces apart.
  bool hash(int set_a, int set_b, const HullGap& gap) {
    improve_upper(set_a, set_b, gap.pieces);
    if (!is_useful(gap.distance_lower)) return true;
    list_front(set_a, set_b, gap);
    const auto &front_a = state_.front_a, &front_b = state_.front_b;
    if (front_a.empty() || front_b.empty()) return true;
    if (static_cast<std::int64_t>(front_a.size() * front_b.size()) <= kFewPairs) {
      for (const Candidate& a : front_a)
        for (const Candidate& b : front_b) compare(a.piece, b.piece);
      return true;
    }
    return hash_front(gap);
  }

  bool hash_front(const HullGap& gap) {
    auto &front_a = state_.front_a, &front_b = state_.front_b;
    const double lower = gap.distance_lower;
    // 2^-48 covers |n| = 1 to rounding and the rounding of the squares.
    const double radius =
        std::sqrt((upper() - lower) * (upper() + lower) + 0x1p-48 * upper() * upper()) +
        2 * margin_;
    const Vec3 shift = -lower * gap.direction;
    double mean = 0;
    state_.boxes.clear();
    Aabb all_a = state_.a.box(front_a[0].piece), all_b = state_.b.box(front_b[0].piece);
    for (const Candidate& a : front_a) {
      const Aabb& box = state_.a.box(a.piece);
      state_.boxes.push_back(box);
      include(all_a, box);
      mean += longest(box) / static_cast<double>(front_a.size());
    }
    for (const Candidate& b : front_b) include(all_b, state_.b.box(b.piece));
    if (radius > kLargestShare * std::fmin(longest(all_a), longest(all_b))) return false;
    ++counts_.hashes;
    const Aabb reach = widened(moved(all_b, shift), radius);
    Aabb region;
    for (int axis = 0; axis < 3; ++axis) {
      region.lo[axis] = std::fmax(all_a.lo[axis], reach.lo[axis]);
      region.hi[axis] = std::fmin(all_a.hi[axis], reach.hi[axis]);
      if (region.lo[axis] > region.hi[axis]) return true;
    }
    state_.hash.fill(state_.boxes, region, std::max({radius, mean, longest(region) / kMaxCells}));
    std::sort(front_b.begin(), front_b.end(),
              [](const Candidate& x, const Candidate& y) { return x.height < y.height; });
    for (const Candidate& b : front_b) {
      if (!is_useful(lower + b.height - margin_)) break;
      state_.hash.near(widened(moved(state_.b.box(b.piece), shift), radius), [&](int item) {
        compare(front_a[static_cast<std::size_t>(item)].piece, b.piece);
      });
    }
    return true;
  }

  const BodyGeometry &body_a_, &body_b_;
  const Pose& X_AB_;
  double margin_;
  HullHashWorkspace::State& state_;
  HullHashCounts& counts_;
  double lower_ = kInfinity;  // smallest proved distance of the pieces measured
  ExactDistance nearest_;
};

}  // namespace

ExactDistance hull_hash_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                                 HullHashWorkspace& workspace) {
  return HullHashSearch(a, b, X_AB, workspace).run();
}

}  // namespace proven
