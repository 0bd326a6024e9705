#include "papers/geometry/piece_sets.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace proven {
namespace {

// A cut that leaves less than this share on one side is moved to the middle piece: the depth of the
// splits stays logarithmic.
constexpr int kLeastShare = 8;

Aabb joined(const Aabb& a, const Aabb& b) {
  return {{std::fmin(a.lo.x, b.lo.x), std::fmin(a.lo.y, b.lo.y), std::fmin(a.lo.z, b.lo.z)},
          {std::fmax(a.hi.x, b.hi.x), std::fmax(a.hi.y, b.hi.y), std::fmax(a.hi.z, b.hi.z)}};
}

int longest_side(const Aabb& box) {
  const Vec3 side = box.hi - box.lo;
  return side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
}

}  // namespace

double box_gap(const Aabb& a, const Aabb& b) {
  Vec3 gap;
  for (int axis = 0; axis < 3; ++axis)
    gap[axis] = std::fmax(0.0, std::fmax(a.lo[axis] - b.hi[axis], b.lo[axis] - a.hi[axis]));
  return norm(gap);
}

void PieceSets::start(const BodyGeometry& body, const Pose& X_AB, double rounding_margin) {
  body_ = &body;
  X_AB_ = X_AB;
  corners_.clear();
  boxes_.clear();
  sets_.clear();
  for (const Triangle& t : body.triangles()) {
    const Triangle posed{X_AB * t.a, X_AB * t.b, X_AB * t.c};
    corners_.insert(corners_.end(), {posed.a, posed.b, posed.c});
    boxes_.push_back(widened(box_of(posed), rounding_margin));
  }
  for (int piece = static_cast<int>(body.triangles().size()); piece < body.num_pieces(); ++piece) {
    Aabb box;
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 n;
      n[axis] = 1;
      box.hi[axis] = height(piece, n);
      box.lo[axis] = -height(piece, -n);
    }
    boxes_.push_back(widened(box, rounding_margin));
  }
  order_.resize(boxes_.size());
  std::iota(order_.begin(), order_.end(), 0);
  sets_.push_back(make_set(0, body.num_pieces()));
}

std::span<const int> PieceSets::pieces(int set) const {
  const PieceSet& s = (*this)[set];
  return std::span(order_).subspan(static_cast<std::size_t>(s.first),
                                   static_cast<std::size_t>(s.count));
}

double PieceSets::height(int piece, const Vec3& n) const {
  if (!body_->is_triangle(piece)) return support_of(piece, n).height;
  const Vec3* corner = &corners_[3 * static_cast<std::size_t>(piece)];
  const double a = dot(n, corner[0]), b = dot(n, corner[1]), c = dot(n, corner[2]);
  const double larger = a > b ? a : b;
  return larger > c ? larger : c;
}

PieceSets::Support PieceSets::support_of(int piece, const Vec3& n) const {
  if (!body_->is_triangle(piece)) {
    Convex room;
    const Convex& c = body_->convex(piece, room);
    const Vec3 core = X_AB_ * c.core_support(transpose_times(X_AB_.R, n));
    return {dot(n, core) + c.radius, core + c.radius * n, piece};
  }
  const Vec3* corner = &corners_[3 * static_cast<std::size_t>(piece)];
  Support best{dot(n, corner[0]), corner[0], piece};
  for (int k = 1; k < 3; ++k)
    if (const double height = dot(n, corner[k]); height > best.height)
      best = {height, corner[k], piece};
  return best;
}

PieceSets::Support PieceSets::support(int set, const Vec3& n) const {
  // Most of the time goes here: heights alone, the point of the winner afterwards.
  double best = -std::numeric_limits<double>::infinity();
  int winner = -1;
  for (const int piece : pieces(set))
    if (const double h = height(piece, n); h > best) best = h, winner = piece;
  if (winner < 0) return {best, {}, -1};
  return support_of(winner, n);
}

PieceSet PieceSets::make_set(int first, int count) const {
  const auto at = [&](int k) -> const Aabb& { return box(order_[static_cast<std::size_t>(k)]); };
  PieceSet set{first, count, at(first), -1};
  for (int k = first + 1; k < first + count; ++k) set.box = joined(set.box, at(k));
  return set;
}

int PieceSets::split(int set, const Vec3& place) {
  const PieceSet whole = (*this)[set];
  if (whole.first_child >= 0) return whole.first_child;
  const int axis = longest_side(whole.box);
  const auto key = [&](int piece) { return centre(box(piece))[axis]; };
  const auto begin = order_.begin() + whole.first, end = begin + whole.count;
  auto middle = std::partition(begin, end, [&](int piece) { return key(piece) < place[axis]; });
  const auto left = static_cast<int>(middle - begin);
  if (std::min(left, whole.count - left) * kLeastShare < whole.count) {
    middle = begin + whole.count / 2;
    std::nth_element(begin, middle, end, [&](int a, int b) { return key(a) < key(b); });
  }
  const auto count = static_cast<int>(middle - begin);
  const int child = static_cast<int>(sets_.size());
  sets_.push_back(make_set(whole.first, count));
  sets_.push_back(make_set(whole.first + count, whole.count - count));
  sets_[static_cast<std::size_t>(set)].first_child = child;
  return child;
}

}  // namespace proven
