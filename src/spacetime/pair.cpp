#include "spacetime/pair.h"

#include <algorithm>
#include <array>
#include <limits>

namespace proven::spacetime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Vec2 rotated(const Placed& X, Vec2 v) {
  return {X.c * v.x - X.s * v.y, X.s * v.x + X.c * v.y};
}

Vec2 moved(const Placed& X, Vec2 p) {
  return rotated(X, p) + Vec2{X.x, X.y};
}

// Corners and edge normals of a placed core. A box always has its four sides, of length zero for
// circles: directions more than needed do not harm.
struct PlacedCore {
  int size = 4;
  std::array<Vec2, kMaxCorners> corners, normals;

  PlacedCore(const Piece& piece, const Placed& X) {
    if (piece.is_box()) {
      const Vec2 c = piece.centre, h = piece.half;
      corners[0] = moved(X, {c.x + h.x, c.y + h.y});
      corners[1] = moved(X, {c.x - h.x, c.y + h.y});
      corners[2] = moved(X, {c.x - h.x, c.y - h.y});
      corners[3] = moved(X, {c.x + h.x, c.y - h.y});
      normals[0] = {-X.s, X.c};
      normals[1] = {-X.c, -X.s};
      normals[2] = {X.s, -X.c};
      normals[3] = {X.c, X.s};
      return;
    }
    size = static_cast<int>(piece.corners.size());
    for (std::size_t i = 0; i < piece.corners.size(); ++i) {
      corners[i] = moved(X, piece.corners[i]);
      normals[i] = rotated(X, piece.normals[i]);
    }
  }
  std::size_t next(std::size_t i) const {
    return i + 1 == static_cast<std::size_t>(size) ? 0 : i + 1;
  }
  std::size_t count() const { return static_cast<std::size_t>(size); }
};

Extent extent(const PlacedCore& core, Vec2 n) {
  Extent e{kInfinity, -kInfinity};
  for (std::size_t i = 0; i < core.count(); ++i) {
    const double d = dot(n, core.corners[i]);
    e.low = std::min(e.low, d);
    e.high = std::max(e.high, d);
  }
  return e;
}

// The best of a's edge normals: how far b lies beyond that edge.
void best_edge(const PlacedCore& a, const PlacedCore& b, double sign, Separation& best) {
  for (std::size_t i = 0; i < a.count(); ++i) {
    const Vec2 n = a.normals[i];
    double nearest = kInfinity;
    for (std::size_t j = 0; j < b.count(); ++j)
      nearest = std::min(nearest, dot(n, b.corners[j] - a.corners[i]));
    if (nearest > best.lower) best = {sign * n, nearest, 0};
  }
}

// The shortest vector from a corner of a to an edge of b.
void closest_corner(const PlacedCore& a, const PlacedCore& b, double sign, double& best_squared,
                    Vec2& best) {
  for (std::size_t j = 0; j < b.count(); ++j) {
    const Vec2 from = b.corners[j], edge = b.corners[b.next(j)] - from;
    const double length_squared = dot(edge, edge);
    for (std::size_t i = 0; i < a.count(); ++i) {
      const Vec2 to = from - a.corners[i];
      const double s =
          length_squared > 0 ? std::clamp(-dot(to, edge) / length_squared, 0.0, 1.0) : 0;
      const Vec2 v = to + s * edge;
      if (dot(v, v) >= best_squared) continue;
      best_squared = dot(v, v);
      best = sign * v;
    }
  }
}

}  // namespace

Extent extent(const Piece& piece, const Placed& X, Vec2 n) {
  if (!piece.is_box()) {
    const Vec2 local{X.c * n.x + X.s * n.y, X.c * n.y - X.s * n.x};
    Extent e{kInfinity, -kInfinity};
    for (const Vec2 corner : piece.corners) {
      const double d = dot(local, corner);
      e.low = std::min(e.low, d);
      e.high = std::max(e.high, d);
    }
    const double origin = n.x * X.x + n.y * X.y;
    return {origin + e.low, origin + e.high};
  }
  const double nx = X.c * n.x + X.s * n.y, ny = X.c * n.y - X.s * n.x;
  const double middle = n.x * X.x + n.y * X.y + (nx * piece.centre.x + ny * piece.centre.y);
  const double half = std::fabs(nx) * piece.half.x + std::fabs(ny) * piece.half.y;
  return {middle - half, middle + half};
}

namespace {

// The largest gap of two box cores along the axes of both.
Separation along_axes(const Piece& a, const Placed& A, const Piece& b, const Placed& B) {
  const Vec2 between = moved(B, b.centre) - moved(A, a.centre);
  const double c = std::fabs(A.c * B.c + A.s * B.s), s = std::fabs(A.c * B.s - A.s * B.c);
  Separation best;
  best.lower = -kInfinity;
  const auto look = [&](Vec2 n, double halves) {
    const double along = dot(n, between), gap = std::fabs(along) - halves;
    if (gap > best.lower) best = {along < 0 ? -1 * n : n, gap, gap};
  };
  look({A.c, A.s}, a.half.x + (b.half.x * c + b.half.y * s));
  look({-A.s, A.c}, a.half.y + (b.half.x * s + b.half.y * c));
  look({B.c, B.s}, b.half.x + (a.half.x * c + a.half.y * s));
  look({-B.s, B.c}, b.half.y + (a.half.x * s + a.half.y * c));
  return best;
}

}  // namespace

Separation separation(const Piece& piece_a, const Placed& X_WA, const Piece& piece_b,
                      const Placed& X_WB) {
  if (piece_a.is_box() && piece_b.is_box()) {
    const Separation best = along_axes(piece_a, X_WA, piece_b, X_WB);
    if (best.lower <= 0) return best;
  }
  const PlacedCore a(piece_a, X_WA), b(piece_b, X_WB);
  Separation best;
  best.lower = -kInfinity;
  best_edge(a, b, 1, best);
  best_edge(b, a, -1, best);
  best.upper = best.lower;
  if (best.lower <= 0) return best;
  double squared = kInfinity;
  Vec2 shortest;
  closest_corner(a, b, 1, squared, shortest);
  closest_corner(b, a, -1, squared, shortest);
  best.upper = std::sqrt(squared);
  if (!(best.upper > 0)) return best;
  const Vec2 n = (1 / best.upper) * shortest;
  const double gap = extent(b, n).low - extent(a, n).high;
  if (gap > best.lower) best = {n, gap, best.upper};
  return best;
}

double loss_upper(const PairQuery& q, double a, const Placed& A_a, const Placed& B_a, double b,
                  const Placed& A_b, const Placed& B_b) {
  return sagitta_upper(*q.segment_a, q.piece_a->reach, a, A_a, b, A_b) +
         sagitta_upper(*q.segment_b, q.piece_b->reach, a, B_a, b, B_b) +
         deviation_upper(*q.segment_a, a, b) + deviation_upper(*q.segment_b, a, b) +
         q.piece_a->radius + q.piece_b->radius + q.rounding;
}

double distance_lower(const PairQuery& q, Vec2 n, const Placed& A_a, const Placed& B_a,
                      const Placed& A_b, const Placed& B_b, double loss) {
  const double gap_a = extent(*q.piece_b, B_a, n).low - extent(*q.piece_a, A_a, n).high;
  const double gap_b = extent(*q.piece_b, B_b, n).low - extent(*q.piece_a, A_b, n).high;
  return std::min(gap_a, gap_b) - loss;
}

namespace {

struct Instant {
  double t = 0;
  Placed A, B;
  Separation seen;
  double lower = 0, upper = 0;  // on the signed distance of all motions within the deviations
  double spread = 0;            // deviations of both and rounding
};

class Search {
 public:
  // Without radii and clearance the axes of two boxes tell all: they overlap unless one of the four
  // shows a gap, and that gap is at least their distance over the square root of 2 (the normals at
  // two nearest corners share at most a right angle, which an axis bounds on either side).
  Search(const PairQuery& query, const SearchLimits& limits)
      : q_(query),
        limits_(limits),
        boxes_(query.piece_a->is_box() && query.piece_b->is_box()),
        axes_suffice_(boxes_ && query.piece_a->radius == 0 && query.piece_b->radius == 0 &&
                      query.clearance == 0) {}

  PairResult run(double a, double b) {
    end_ = b;
    ++result_.cells;
    if (boxes_ && settled_by_axes(a, b)) return result_;
    explore(instant(a), instant(b), 0);
    return result_;
  }

 private:
  bool is_contact(const Instant& i) const { return i.upper < q_.clearance; }
  bool is_clear(const Instant& i) const { return i.lower > q_.clearance + limits_.resolution; }

  double loss(const Instant& a, const Instant& b) const {
    return loss_upper(q_, a.t, a.A, a.B, b.t, b.A, b.B);
  }
  bool proves(Vec2 n, const Instant& a, const Instant& b, double loss) const {
    return distance_lower(q_, n, a.A, a.B, b.A, b.B, loss) > q_.clearance;
  }

  Instant placed(double t) const {
    Instant i;
    i.t = t;
    i.A = place(*q_.segment_a, t);
    i.B = place(*q_.segment_b, t);
    return i;
  }

  void see_axes(Instant& i) const {
    i.seen = along_axes(*q_.piece_a, i.A, *q_.piece_b, i.B);
    judge(i);
  }

  Instant instant(double t) const {
    Instant i = placed(t);
    if (axes_suffice_) return see_axes(i), i;
    i.seen = separation(*q_.piece_a, i.A, *q_.piece_b, i.B);
    judge(i);
    return i;
  }

  // Derives bounds on the distance from what is seen.
  void judge(Instant& i) const {
    const double radii = q_.piece_a->radius + q_.piece_b->radius;
    i.spread = deviation_upper(*q_.segment_a, i.t, i.t) + deviation_upper(*q_.segment_b, i.t, i.t) +
               q_.rounding;
    i.lower = i.seen.lower - radii - i.spread;
    i.upper = i.seen.upper - radii + i.spread;
  }

  // The axes of two boxes at the start cost little and settle most pairs, either way.
  bool settled_by_axes(double a, double b) {
    Instant first = placed(a);
    see_axes(first);
    const bool overlap = first.seen.lower <= 0;
    if (overlap && !limits_.first && is_contact(first)) return contact(first, first), true;
    Instant last = placed(b);
    const double lost = loss(first, last);
    if (!overlap && proves(first.seen.direction, first, last, lost)) return true;
    if (!limits_.first) {
      see_axes(last);
      if (last.seen.lower <= 0 && is_contact(last)) return contact(first, last), true;
    }
    if (overlap) return false;
    const Vec2 between{first.B.x - first.A.x, first.B.y - first.A.y};
    for (const Placed* X : {&first.A, &first.B})
      for (Vec2 n : {Vec2{X->c, X->s}, Vec2{-X->s, X->c}}) {
        if (dot(n, between) < 0) n = -1 * n;
        if (proves(n, first, last, lost)) return true;
      }
    return false;
  }

  // Direction across the relative motion: what separates two cars that pass each other.
  static Vec2 across(const Instant& a, const Instant& b) {
    const Vec2 from{a.B.x - a.A.x, a.B.y - a.A.y}, to{b.B.x - b.A.x, b.B.y - b.A.y};
    const Vec2 d = to - from;
    const double length = norm(d);
    if (!(length > 0)) return a.seen.direction;
    const Vec2 n{-d.y / length, d.x / length};
    return dot(n, from) < 0 ? -1 * n : n;
  }

  bool proved(const Instant& a, const Instant& b) const {
    const double lost = loss(a, b);
    return proves(a.seen.direction, a, b, lost) || proves(b.seen.direction, a, b, lost) ||
           proves(across(a, b), a, b, lost);
  }

  // Whether the nominal motions stay too far apart on all of [a, b] for a contact that deviations
  // could not avoid: then looking closer decides nothing. (Deviations bulge: ends have the least.)
  bool hopeless(const Instant& a, const Instant& b) const {
    const double spread = std::min(a.spread, b.spread);
    if (spread <= 2 * q_.rounding) return false;
    const double lost = loss(a, b) - deviation_upper(*q_.segment_a, a.t, b.t) -
                        deviation_upper(*q_.segment_b, a.t, b.t);
    const auto apart = [&](Vec2 n) {
      return distance_lower(q_, n, a.A, a.B, b.A, b.B, lost) + spread > q_.clearance;
    };
    return apart(a.seen.direction) || apart(b.seen.direction) || apart(across(a, b));
  }

  // Goes from left to right, so that the first contact met is the earliest. Returns true to stop.
  bool explore(const Instant& a, const Instant& b, int depth) {
    ++result_.cells;
    const bool may_be_free = !is_contact(a) && !is_contact(b);
    if (may_be_free && proved(a, b)) return false;
    if (result_.cells > limits_.max_cells) return give_up(a, UndecidedReason::cells), true;
    if (limits_.watch->over()) return give_up(a, limits_.watch->reason()), true;
    const bool narrow = b.t - a.t <= limits_.time_resolution;
    if (!limits_.first || narrow)
      for (const Instant* i : {&a, &b})
        if (is_contact(*i)) return contact(a, *i), true;
    if (is_contact(a)) return contact(a, a), true;  // nothing is earlier
    const bool ambiguous = !is_clear(a) || !is_clear(b);
    if (ambiguous && hopeless(a, b)) return doubt(a, b, UndecidedReason::tube), false;
    const double t = a.t + 0.5 * (b.t - a.t);
    if (!(a.t < t && t < b.t) || depth >= 60)
      return doubt(a, b,
                   ambiguous ? UndecidedReason::gap_below_resolution : UndecidedReason::depth),
             false;
    const Instant m = instant(t);
    if (may_be_free && proves(m.seen.direction, a, m, loss(a, m)) &&
        proves(m.seen.direction, m, b, loss(m, b)))
      return false;
    if (narrow && is_contact(m)) return contact(a, m), true;
    if (narrow && !is_clear(m)) return doubt(a, b), false;
    return explore(a, m, depth + 1) || explore(m, b, depth + 1);
  }

  void contact(const Instant& from, const Instant& at) {
    const double t_lower = result_.doubt ? result_.doubt->t_begin : from.t;
    result_.contact =
        PairContact{t_lower, at.t, at.seen.upper - q_.piece_a->radius - q_.piece_b->radius};
  }
  void doubt(const Instant& a, const Instant& b,
             UndecidedReason reason = UndecidedReason::gap_below_resolution) {
    const double distance = std::min(a.lower, b.lower);
    if (!result_.doubt) result_.doubt = PairDoubt{reason, a.t, b.t, distance};
    result_.doubt->t_end = b.t;
    result_.doubt->distance = std::min(result_.doubt->distance, distance);
  }
  // Nothing from a on is looked at any more.
  void give_up(const Instant& a, UndecidedReason reason) {
    if (!result_.doubt) result_.doubt = PairDoubt{reason, a.t, end_, a.lower};
    result_.doubt->t_end = end_;
    result_.doubt->reason = reason;
  }

  const PairQuery& q_;
  const SearchLimits& limits_;
  const bool boxes_, axes_suffice_;
  double end_ = 0;  // of the searched interval
  PairResult result_;
};

}  // namespace

PairResult search(const PairQuery& query, double a, double b, const SearchLimits& limits) {
  return Search(query, limits).run(a, b);
}

}  // namespace proven::spacetime
