#include "proven/geometry/grains.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "proven/geometry/curve_order.h"

namespace proven {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Aabb kEmpty{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};

// Voxels are ordered by their own indices, moved by the offset to be positive.
constexpr std::int64_t kIndexOffset = 1 << 20;

// Boxes of voxels: two roundings of each coordinate, two more for centre and half extents, and at
// most eight for the pose: below 16 u times the largest coordinate that was met. Balls: one for the
// difference to the centre of a node and one for each of two sums, of values below four times that.
constexpr double kHold = 0x1p-48;

// Written so that the compiler uses a register for each coordinate.
void extend(Aabb& box, const Vec3& lo, const Vec3& hi) {
  box.lo = {std::min(box.lo.x, lo.x), std::min(box.lo.y, lo.y), std::min(box.lo.z, lo.z)};
  box.hi = {std::max(box.hi.x, hi.x), std::max(box.hi.y, hi.y), std::max(box.hi.z, hi.z)};
}

Aabb box_around(std::span<const Vec3> points) {
  Aabb box = kEmpty;
  for (const Vec3& p : points) extend(box, p, p);
  return box;
}

double largest(const Aabb& box) {
  return std::fmax(max_abs(box.lo), max_abs(box.hi));
}

// Every coordinate of R v is at most sqrt(3) max|v|.
double largest_placed(double given, const Pose& X) {
  return X == Pose{} ? given : std::numbers::sqrt3 * given + max_abs(X.p);
}

LargeArray<Coded> coded(std::span<const Vec3> points) {
  const Aabb box = box_around(points);
  return code_points(points, box.lo, box.hi);
}

LargeArray<Coded> coded(std::span<const CellBox> boxes) {
  const auto place = [](std::int32_t i) { return static_cast<std::uint64_t>(i + kIndexOffset); };
  LargeArray<Coded> items;
  items.reserve(boxes.size());
  for (const CellBox& box : boxes)
    items.push_back({curve_code(place(box.first[0]), place(box.first[1]), place(box.first[2])),
                     static_cast<std::uint32_t>(items.size())});
  return items;
}

class TreeMaker {
 public:
  TreeMaker(const Grains& grains, LargeArray<Coded> items, BoxTree& tree)
      : grains_(grains),
        items_(std::move(items)),
        tree_(tree),
        slack_(kHold * grains.max_coordinate()),
        reach_(grains.radius() + slack_),
        upright_(grains.R() == Mat3{}) {
    sort_by_code(items_);
    tree.order.reserve(items_.size());
    for (const Coded& item : items_) tree.order.push_back(static_cast<int>(item.item));
    if (grains.are_balls()) {
      tree.point_radius = grains.radius();
      tree.points.reserve(items_.size());
      for (const Coded& item : items_) tree.points.push_back(grains.centres()[item.item]);
    }
    tree.nodes.reserve(2 * items_.size() - 1);
    tree.nodes.emplace_back();
  }

  void run() {
    const Aabb all = add(0, 0, items_.size());
    const double r = grains_.radius();
    tree_.bounds = {all.lo - Vec3{r, r, r}, all.hi + Vec3{r, r, r}};
  }

 private:
  // Of balls: around their centres; of boxes: around the boxes of the format.
  Aabb add(std::size_t index, std::size_t first, std::size_t end) {
    Aabb box;
    int child = -1;
    if (end - first == 1) {
      box = box_of_place(first);
    } else {
      child = static_cast<int>(tree_.nodes.size());
      tree_.nodes.emplace_back();
      tree_.nodes.emplace_back();
      const std::size_t split = end - first == 2 ? first + 1 : split_place(items_, first, end);
      box = add(static_cast<std::size_t>(child), first, split);
      const Aabb other = add(static_cast<std::size_t>(child) + 1, split, end);
      extend(box, other.lo, other.hi);
    }
    BoxNode& node = tree_.nodes[index];
    node.first_child = child;
    node.first_item = static_cast<int>(first);
    node.end_item = static_cast<int>(end);
    if (child < 0) node.item = static_cast<int>(items_[first].item);
    if (grains_.are_balls() && node.num_items() <= kSmallNode) {
      node.first_point = node.first_item;
      node.num_points = node.num_items();
    }
    node.centre = 0.5 * (box.lo + box.hi);
    if (child < 0 && grains_.are_balls()) {
      node.centre = box.lo;
      node.half = {grains_.radius(), grains_.radius(), grains_.radius()};
      return box;
    }
    const Vec3 above = box.hi - node.centre, below = node.centre - box.lo;
    node.half = {std::max(above.x, below.x) + reach_, std::max(above.y, below.y) + reach_,
                 std::max(above.z, below.z) + reach_};
    return box;
  }

  Aabb box_of_place(std::size_t place) const {
    if (grains_.are_balls()) return {tree_.points[place], tree_.points[place]};
    const std::uint32_t item = items_[place].item;
    const Vec3 &c = grains_.centres()[item], &h = grains_.halves()[item];
    if (upright_) return {c - h, c + h};  // as box_of computes it
    return box_of(Aabb{-h, h}, {grains_.R(), c});
  }

  const Grains& grains_;
  LargeArray<Coded> items_;
  BoxTree& tree_;
  double slack_, reach_;
  bool upright_;
};

}  // namespace

Grains::Grains(const CollisionElement& element, BoxTree& tree) {
  tree = {};
  if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&element.shape)) {
    place_cloud(**cloud, element.X_BS);
    TreeMaker(*this, coded((*cloud)->points), tree).run();
    return;
  }
  const auto& voxels = std::get<std::shared_ptr<const VoxelSet>>(element.shape);
  const std::vector<CellBox> boxes = place_voxels(*voxels, element.X_BS);
  TreeMaker(*this, coded(boxes), tree).run();
}

void Grains::place_cloud(const PointCloud& cloud, const Pose& X_BS) {
  radius_ = cloud.radius;
  given_ = cloud.points;
  max_coordinate_ = largest_placed(largest(box_around(given_)), X_BS) + radius_;
  if (X_BS == Pose{}) return;
  placed_.reserve(given_.size());
  for (const Vec3& p : given_) placed_.push_back(X_BS * p);
}

std::vector<CellBox> Grains::place_voxels(const VoxelSet& voxels, const Pose& X_BS) {
  std::vector<CellBox> boxes = merge_cells(voxels.cells);
  R_ = X_BS.R;
  placed_.reserve(boxes.size());
  halves_.reserve(boxes.size());
  double most = 0;
  for (const CellBox& box : boxes) {
    Vec3 lo, hi;
    for (int i = 0; i < 3; ++i) {
      lo[i] = box.first[static_cast<std::size_t>(i)] * voxels.size;
      hi[i] = box.end[static_cast<std::size_t>(i)] * voxels.size;
    }
    most = std::fmax(most, largest({lo, hi}));
    placed_.push_back(X_BS * (0.5 * (lo + hi)));
    halves_.push_back(0.5 * (hi - lo));
  }
  max_coordinate_ = largest_placed(most, X_BS) * (1 + 0x1p-50);
  return boxes;
}

Convex Grains::convex(int grain) const {
  const auto i = static_cast<std::size_t>(grain);
  Convex piece;
  piece.X_BS.p = centres()[i];
  if (are_balls()) {
    piece.kind = ConvexKind::sphere;
    piece.radius = radius_;
    return piece;
  }
  piece.kind = ConvexKind::box;
  piece.X_BS.R = R_;
  piece.half_extents = halves_[i];
  return piece;
}

double Grains::support(int grain, const Vec3& n) const {
  const auto i = static_cast<std::size_t>(grain);
  const double centre = dot(n, centres()[i]);
  if (are_balls()) return centre + radius_ * norm(n);
  const Vec3 m = transpose_times(R_, n);
  const Vec3& h = halves_[i];
  return centre + (std::fabs(m.x) * h.x + std::fabs(m.y) * h.y + std::fabs(m.z) * h.z);
}

}  // namespace proven
