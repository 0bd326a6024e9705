#include "bv_tree_builder.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "bv_fit.h"

namespace proven {
namespace {

// Mass, mean and covariance of a piece: of a triangle's surface, of a convex piece's extreme
// points.
struct Moments {
  double weight = 0;
  Vec3 mean;
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();  // about the mean
};

Eigen::Vector3d to_eigen(const Vec3& a) {
  return {a.x, a.y, a.z};
}
Vec3 from_eigen(const Eigen::Vector3d& a) {
  return {a.x(), a.y(), a.z()};
}

Vec3 mean_of(std::span<const Ball> balls) {
  const Vec3 origin = balls.front().p;  // equal points have exactly this mean
  Vec3 sum;
  for (const Ball& ball : balls) sum += ball.p - origin;
  return origin + 1.0 / static_cast<double>(balls.size()) * sum;
}

Eigen::Matrix3d scatter(std::span<const Ball> balls, const Vec3& mean) {
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  for (const Ball& ball : balls) {
    const Eigen::Vector3d x = to_eigen(ball.p - mean);
    sum += x * x.transpose();
  }
  return sum;
}

Moments triangle_moments(const Triangle& t, std::span<const Ball> corners) {
  const Vec3 mean = mean_of(corners);
  return {0.5 * norm(cross(t.b - t.a, t.c - t.a)), mean, scatter(corners, mean) / 12};
}

Moments convex_moments(std::span<const Ball> balls) {
  const Vec3 mean = mean_of(balls);
  const double radius = balls.front().radius;
  Eigen::Matrix3d covariance = scatter(balls, mean) / static_cast<double>(balls.size());
  covariance += radius * radius / 3 * Eigen::Matrix3d::Identity();
  return {6 * covariance.trace(), mean, covariance};  // about the surface area
}

// Right-handed orthonormal axes close to the given ones, to a few units of rounding.
Mat3 orthonormal_axes(const Vec3& x, const Vec3& y) {
  Vec3 e0 = normalized(x);
  if (!(squared_norm(e0) > 0)) e0 = {1, 0, 0};
  Vec3 e1 = y - dot(y, e0) * e0;
  if (!(squared_norm(e1) > 0x1p-60 * squared_norm(y))) {  // parallel, or zero: any normal of e0
    e1 = std::fabs(e0.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  }
  e1 = normalized(e1);
  e1 = normalized(e1 - dot(e1, e0) * e0);
  return Mat3::from_columns(e0, e1, cross(e0, e1));
}

// The longest edge, and a second edge to span the plane.
Mat3 triangle_axes(const Triangle& t) {
  Vec3 edge[3] = {t.b - t.a, t.c - t.b, t.a - t.c};
  std::stable_sort(edge, edge + 3,
                   [](const Vec3& p, const Vec3& q) { return squared_norm(p) > squared_norm(q); });
  return orthonormal_axes(edge[0], edge[1]);
}

class TreeBuilder {
 public:
  TreeBuilder(std::span<const Triangle> triangles, std::span<const Convex> convexes)
      : triangles_(triangles), convexes_(convexes) {
    first_ball_.push_back(0);
    for (const Triangle& triangle : triangles) {
      append_balls(triangle, balls_);
      add_piece(triangle_moments(triangle, new_balls()));
    }
    for (const Convex& convex : convexes) {
      append_balls(convex, balls_);
      add_piece(convex_moments(new_balls()));
    }
    order_.resize(moments_.size());
    std::iota(order_.begin(), order_.end(), 0);
    find_equal_balls();
  }

  BvTree build() {
    BvTree tree;
    tree.nodes.reserve(2 * order_.size() - 1);
    tree.nodes.emplace_back();
    build_node(tree, 0, order_, Mat3{});
    return tree;
  }

 private:
  std::span<const Ball> new_balls() const { return std::span(balls_).subspan(first_ball_.back()); }
  void add_piece(Moments moments) {
    moments_.push_back(std::move(moments));
    first_ball_.push_back(balls_.size());
  }
  const Moments& moments(int piece) const { return moments_[static_cast<std::size_t>(piece)]; }

  void build_node(BvTree& tree, std::size_t index, std::span<int> pieces, const Mat3& parent_axes) {
    BvNode node = fit(pieces, parent_axes);
    if (pieces.size() == 1) {
      node.piece = pieces.front();
      tree.nodes[index] = node;
      return;
    }
    const std::size_t child = tree.nodes.size();
    node.first_child = static_cast<int>(child);
    tree.nodes[index] = node;
    tree.nodes.resize(child + 2);
    const std::size_t count = split(pieces, node.R_BN.column(0));
    build_node(tree, child, pieces.first(count), node.R_BN);
    build_node(tree, child + 1, pieces.subspan(count), node.R_BN);
  }

  // Neighbouring triangles share corners; a node needs each only once.
  void find_equal_balls() {
    const auto key = [this](std::size_t i) {
      const Ball& ball = balls_[i];
      return std::tuple(ball.p.x, ball.p.y, ball.p.z, ball.radius);
    };
    std::vector<std::size_t> sorted(balls_.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::sort(sorted.begin(), sorted.end(), [&](std::size_t i, std::size_t j) {
      return key(i) != key(j) ? key(i) < key(j) : i < j;
    });
    first_equal_.resize(balls_.size());
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      const bool repeats = k > 0 && key(sorted[k]) == key(sorted[k - 1]);
      first_equal_[sorted[k]] = repeats ? first_equal_[sorted[k - 1]] : sorted[k];
    }
    collected_at_.assign(balls_.size(), 0);
  }

  void collect_balls(std::span<const int> pieces) {
    ++collection_;
    node_balls_.clear();
    for (const int piece : pieces) {
      const auto k = static_cast<std::size_t>(piece);
      for (std::size_t i = first_ball_[k]; i < first_ball_[k + 1]; ++i) {
        std::size_t& collected_at = collected_at_[first_equal_[i]];
        if (collected_at != collection_) node_balls_.push_back(balls_[i]);
        collected_at = collection_;
      }
    }
  }

  // The best of several orientations: principal directions first, then axes that made things often
  // have: those of the largest piece, the body's own, the parent's. Then larger radii.
  BvNode fit(std::span<const int> pieces, const Mat3& parent_axes) {
    collect_balls(pieces);
    const int largest = *std::max_element(pieces.begin(), pieces.end(), [this](int p, int q) {
      return moments(p).weight < moments(q).weight;
    });
    BvNode best;
    double best_cost = std::numeric_limits<double>::infinity();
    const auto try_fit = [&](const Mat3& R, double radius_factor) {
      const BvNode node = fit_volumes(R, node_balls_, radius_factor);
      const double cost = fit_cost(node);
      if (cost < best_cost) best = node, best_cost = cost;
    };
    try_fit(principal_axes(pieces), 1);
    for (const Mat3& R : {piece_axes(largest), Mat3{}, parent_axes}) try_fit(R, 1);
    const Mat3 axes = best.R_BN;
    for (const double factor : {1.1, 1.25, 1.5}) try_fit(axes, factor);
    return best;
  }

  Mat3 piece_axes(int piece) const {
    const auto k = static_cast<std::size_t>(piece);
    if (k < triangles_.size()) return triangle_axes(triangles_[k]);
    const Mat3& R = convexes_[k - triangles_.size()].X_BS.R;
    return orthonormal_axes(R.column(0), R.column(1));
  }

  Mat3 principal_axes(std::span<const int> pieces) const {
    double total = 0;
    for (const int piece : pieces) total += moments(piece).weight;
    // Pieces without area (points, segments) count equally if there is nothing else.
    const auto weight = [&](int piece) { return total > 0 ? moments(piece).weight / total : 1.0; };
    const Vec3 origin = moments(pieces.front()).mean;
    Vec3 mean;
    for (const int piece : pieces) mean += weight(piece) * (moments(piece).mean - origin);
    Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
    for (const int piece : pieces) {
      const Eigen::Vector3d x = to_eigen(moments(piece).mean - origin - mean);
      covariance += weight(piece) * (moments(piece).covariance + x * x.transpose());
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
    return orthonormal_axes(from_eigen(solver.eigenvectors().col(2)),
                            from_eigen(solver.eigenvectors().col(1)));
  }

  // Orders the pieces along the axis and returns how many go to the first child: those below the
  // mean, or half of them where the mean would leave one child with less than an eighth (so that
  // the depth stays logarithmic).
  std::size_t split(std::span<int> pieces, const Vec3& axis) {
    const Vec3 origin = moments(pieces.front()).mean;
    const auto coordinate = [&](int piece) { return dot(axis, moments(piece).mean - origin); };
    double sum = 0;
    for (const int piece : pieces) sum += coordinate(piece);
    const double mean = sum / static_cast<double>(pieces.size());
    const auto below = std::partition(pieces.begin(), pieces.end(),
                                      [&](int piece) { return coordinate(piece) < mean; });
    const auto count = static_cast<std::size_t>(below - pieces.begin());
    if (8 * std::min(count, pieces.size() - count) >= pieces.size()) return count;
    const std::size_t half = pieces.size() / 2;
    std::nth_element(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(half),
                     pieces.end(), [&](int p, int q) {
                       const double x = coordinate(p), y = coordinate(q);
                       return x != y ? x < y : p < q;
                     });
    return half;
  }

  std::span<const Triangle> triangles_;
  std::span<const Convex> convexes_;
  std::vector<Ball> balls_;  // of all pieces, piece after piece
  std::vector<std::size_t> first_ball_;
  std::vector<std::size_t> first_equal_;   // per ball: the first that equals it
  std::vector<std::size_t> collected_at_;  // per ball: the collection that last took it or an equal
  std::size_t collection_ = 0;
  std::vector<Moments> moments_;
  std::vector<int> order_;
  std::vector<Ball> node_balls_;
};

}  // namespace

BvTree build_bv_tree(std::span<const Triangle> triangles, std::span<const Convex> convexes) {
  return TreeBuilder(triangles, convexes).build();
}

namespace {

// Axes of the frame by decreasing half extents.
Mat3 axes_by_size(const Vec3& half) {
  int order[3] = {0, 1, 2};
  std::stable_sort(order, order + 3, [&](int i, int j) { return half[i] > half[j]; });
  Vec3 e[2];
  for (int k = 0; k < 2; ++k) e[k][order[k]] = 1;
  return Mat3::from_columns(e[0], e[1], cross(e[0], e[1]));
}

}  // namespace

// The centres of balls lie in a box with half extents h, h_2 the least. A rectangle with the sides
// h_0 - d and h_1 - d, d = h_2 / 2, is at most sqrt(d² + d² + h_2²) = sqrt(3/2) h_2 away from all
// of it.
BvTree bv_tree_over(const BoxTree& boxes) {
  constexpr double kReach = 1.2247448713915892;  // rounded up
  BvTree tree;
  tree.nodes.reserve(boxes.nodes.size());
  for (const BoxNode& box : boxes.nodes) {
    BvNode& node = tree.nodes.emplace_back();
    node.R_BN = axes_by_size(box.half);
    node.obb_centre = node.rss_centre = box.centre;
    for (int i = 0; i < 3; ++i) node.obb_half[i] = std::fabs(dot(node.R_BN.column(i), box.half));
    const double least = node.obb_half[2] - boxes.point_radius;
    for (int i = 0; i < 2; ++i)
      node.rss_half[i] = std::max(node.obb_half[i] - boxes.point_radius - 0.5 * least, 0.0);
    // Four roundings, each of less than the sum of the half extents.
    const double slack =
        0x1p-50 * (node.obb_half[0] + node.obb_half[1] + node.obb_half[2] + boxes.point_radius);
    node.rss_radius = boxes.point_radius + kReach * least + slack;
    node.size = 2 * norm(node.obb_half);
    node.first_child = box.first_child;
    node.piece = box.item;
  }
  return tree;
}

}  // namespace proven
