#include "papers/spacetime/methods.h"

#include <algorithm>
#include <cmath>

#include "spacetime/pair.h"
#include "spacetime/workspace.h"

namespace proven::spacetime {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

Placed sample(const Trajectory& m, int i) {
  return {m.x[at(i)], m.y[at(i)], std::cos(m.heading[at(i)]), std::sin(m.heading[at(i)])};
}

// The box around the footprint at a pose.
void include(PaperItem& item, const Footprint& footprint, const Placed& X, double t,
             double extent) {
  const Vec2 c = footprint.box_centre(), h = footprint.box_half();
  const double x = X.x + X.c * c.x - X.s * c.y, y = X.y + X.s * c.x + X.c * c.y;
  const double ex = std::fabs(X.c) * h.x + std::fabs(X.s) * h.y;
  const double ey = std::fabs(X.s) * h.x + std::fabs(X.c) * h.y;
  const double low[3] = {x - ex, y - ey, t - extent}, high[3] = {x + ex, y + ey, t + extent};
  for (int k = 0; k < 3; ++k) {
    item.low[k] = std::min(item.low[k], low[k]);
    item.high[k] = std::max(item.high[k], high[k]);
  }
}

std::vector<PaperItem> items_of(const Footprint& footprint, const Trajectory& m, int object,
                                const PaperOptions& options) {
  std::vector<PaperItem> items;
  const bool hull = options.leaf == PaperLeaf::hull;
  for (int i = 0; i + (hull ? 1 : 0) < m.size(); ++i) {
    PaperItem item{{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}, object, i};
    for (int k = i; k <= i + (hull ? 1 : 0); ++k)
      include(item, footprint, sample(m, k), m.t[at(k)], options.temporal_extent);
    items.push_back(item);
  }
  return items;
}

std::vector<Vec2> corners(const Piece& piece, const Placed& X) {
  std::vector<Vec2> local = piece.corners;
  if (piece.is_box()) {
    const Vec2 c = piece.centre, h = piece.half;
    local = {{c.x + h.x, c.y + h.y},
             {c.x - h.x, c.y + h.y},
             {c.x - h.x, c.y - h.y},
             {c.x + h.x, c.y - h.y}};
    // A circle stands in as the polygon around it.
    constexpr int kSides = 16;
    if (piece.radius > 0) {
      local.clear();
      const double r = piece.radius / std::cos(M_PI / kSides);
      for (int i = 0; i < kSides; ++i)
        local.push_back(c +
                        r * Vec2{std::cos(2 * M_PI * i / kSides), std::sin(2 * M_PI * i / kSides)});
    }
  }
  for (Vec2& p : local) p = {X.x + X.c * p.x - X.s * p.y, X.y + X.s * p.x + X.c * p.y};
  return local;
}

// The slice at s of the hull of two placed outlines, as points whose hull it is: (1 - s) P + s Q.
std::vector<Vec2> slice(const std::vector<Vec2>& p, const std::vector<Vec2>& q, double s) {
  if (s <= 0) return p;
  if (s >= 1) return q;
  std::vector<Vec2> points;
  for (const Vec2 a : p)
    for (const Vec2 b : q) points.push_back((1 - s) * a + s * b);
  return points;
}

// Whether the origin lies in the hull of the points: no open half plane holds them all.
bool holds_origin(const std::vector<Vec2>& points) {
  std::vector<double> angles;
  for (const Vec2 p : points) {
    if (p.x == 0 && p.y == 0) return true;
    angles.push_back(std::atan2(p.y, p.x));
  }
  std::sort(angles.begin(), angles.end());
  double widest = angles.front() + 2 * M_PI - angles.back();
  for (std::size_t i = 1; i < angles.size(); ++i)
    widest = std::max(widest, angles[i] - angles[i - 1]);
  return widest <= M_PI;
}

// Two hulls in (x, y, t) on the common part [a, b] of their times meet if and only if the origin is
// in the hull of the differences at a and at b: slices change linearly in between.
bool hulls_meet(const Piece& p, const Trajectory& m, int i, const Piece& q, const Trajectory& n,
                int j, double extent) {
  // The extent widens the first one's time; its slices there are those of its ends.
  const double a = std::max(m.t[at(i)] - 2 * extent, n.t[at(j)]);
  const double b = std::min(m.t[at(i) + 1] + 2 * extent, n.t[at(j) + 1]);
  if (a > b) return false;
  const auto p0 = corners(p, sample(m, i)), p1 = corners(p, sample(m, i + 1));
  const auto q0 = corners(q, sample(n, j)), q1 = corners(q, sample(n, j + 1));
  std::vector<Vec2> differences;
  for (const double t : {a, b}) {
    const double s = (t - m.t[at(i)]) / (m.t[at(i) + 1] - m.t[at(i)]);
    const double u = (t - n.t[at(j)]) / (n.t[at(j) + 1] - n.t[at(j)]);
    const std::vector<Vec2> theirs = slice(q0, q1, u);
    for (const Vec2 mine : slice(p0, p1, s))
      for (const Vec2 other : theirs) differences.push_back(other - mine);
  }
  return holds_origin(differences);
}

bool poses_meet(const Piece& p, const Placed& A, const Piece& q, const Placed& B) {
  return separation(p, A, q, B).upper <= p.radius + q.radius;
}

// An obstacle that stands still is a trajectory of two equal poses for the paper.
Trajectory motion_of(const Obstacle& o, double t_begin, double t_end) {
  if (o.moves()) return o.motion;
  Trajectory m;
  m.t = {t_begin, t_end};
  m.x = {o.pose.x, o.pose.x}, m.y = {o.pose.y, o.pose.y};
  m.heading = {o.pose.heading, o.pose.heading};
  return m;
}

std::vector<Trajectory> motions_of(const std::vector<Obstacle>& obstacles) {
  std::vector<Trajectory> motions;
  for (const Obstacle& o : obstacles)
    motions.push_back(o.is_set() ? Trajectory{} : motion_of(o, -1e6, 1e6));
  return motions;
}

std::vector<PaperItem> all_items(const std::vector<Obstacle>& obstacles,
                                 const std::vector<Trajectory>& motions,
                                 const PaperOptions& options) {
  std::vector<PaperItem> all;
  for (std::size_t o = 0; o < obstacles.size(); ++o) {
    const auto items = items_of(obstacles[o].footprint, motions[o], static_cast<int>(o), options);
    all.insert(all.end(), items.begin(), items.end());
  }
  return all;
}

}  // namespace

void force_brute_force(TrafficScratch& workspace, bool on) {
  workspace.state().brute_force = on;
}

PaperTree::PaperTree(std::vector<PaperItem> items) : items_(std::move(items)) {
  nodes_.reserve(2 * items_.size());
  if (!items_.empty()) build(items_, 0);
}

int PaperTree::build(std::span<PaperItem> items, int offset) {
  Node node;
  for (int k = 0; k < 3; ++k) {
    node.low[k] = items[0].low[k], node.high[k] = items[0].high[k];
    for (const PaperItem& item : items) {
      node.low[k] = std::min(node.low[k], item.low[k]);
      node.high[k] = std::max(node.high[k], item.high[k]);
    }
  }
  const auto index = static_cast<int>(nodes_.size());
  nodes_.push_back(node);
  if (items.size() == 1) {
    nodes_.back().item = offset;
    return index;
  }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (node.high[k] - node.low[k] > node.high[axis] - node.low[axis]) axis = k;
  const std::size_t middle = items.size() / 2;
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(middle), items.end(),
                   [axis](const PaperItem& a, const PaperItem& b) {
                     return a.low[axis] + a.high[axis] < b.low[axis] + b.high[axis];
                   });
  const int left = build(items.first(middle), offset);
  const int right = build(items.subspan(middle), offset + static_cast<int>(middle));
  nodes_[at(index)].left = left;
  nodes_[at(index)].right = right;
  return index;
}

PaperScene::PaperScene(const std::vector<Obstacle>& obstacles, const PaperOptions& options)
    : obstacles_(obstacles),
      options_(options),
      motions_(motions_of(obstacles)),
      tree_(all_items(obstacles, motions_, options)) {}

bool PaperScene::touch(const Footprint& footprint, const Trajectory& candidate, int index,
                       int object, int other) const {
  const Trajectory& motion = motions_[at(object)];
  for (const Piece& p : footprint.pieces())
    for (const Piece& q : obstacles_[at(object)].footprint.pieces()) {
      if (options_.leaf == PaperLeaf::hull) {
        if (hulls_meet(p, candidate, index, q, motion, other, options_.temporal_extent))
          return true;
        continue;
      }
      const double apart = std::fabs(candidate.t[at(index)] - motion.t[at(other)]);
      if (apart <= 2 * options_.temporal_extent &&
          poses_meet(p, sample(candidate, index), q, sample(motion, other)))
        return true;
    }
  return false;
}

PaperTree PaperScene::candidate_tree(const Footprint& footprint,
                                     const Trajectory& candidate) const {
  return PaperTree(items_of(footprint, candidate, 0, options_));
}

bool PaperScene::collides(const Footprint& footprint, const Trajectory& candidate,
                          const PaperTree& own) const {
  return PaperTree::any_pair(own, tree_, [&](const PaperItem& mine, const PaperItem& theirs) {
    return touch(footprint, candidate, mine.index, theirs.object, theirs.index);
  });
}

bool PaperScene::collides(const Footprint& footprint, const Trajectory& candidate,
                          PaperMethod method) const {
  if (method == PaperMethod::tree_against_tree)
    return collides(footprint, candidate, candidate_tree(footprint, candidate));
  const std::vector<PaperItem> items = items_of(footprint, candidate, 0, options_);
  for (const PaperItem& item : items) {
    if (method == PaperMethod::isolated) {
      if (tree_.any(item, [&](const PaperItem& theirs) {
            return touch(footprint, candidate, item.index, theirs.object, theirs.index);
          }))
        return true;
      continue;
    }
    for (std::size_t o = 0; o < obstacles_.size(); ++o) {
      const int last = motions_[o].size() - (options_.leaf == PaperLeaf::hull ? 1 : 0);
      if (item.index < last &&
          touch(footprint, candidate, item.index, static_cast<int>(o), item.index))
        return true;
    }
  }
  return false;
}

}  // namespace proven::spacetime
