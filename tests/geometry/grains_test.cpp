// Clouds and voxel sets: their trees against the text of docs/certificate_format.md, section 12,
// what nodes hold in exact arithmetic, and every question against a body made of single spheres and
// boxes, or of single cells.
#include "proven/geometry/grains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "proven/base/random.h"
#include "proven/geometry/body_geometry.h"
#include "proven/geometry/contact.h"
#include "proven/geometry/distance.h"
#include "proven/geometry/solid.h"
#include "support.h"

namespace proven::test {
namespace {

using Quad = __float128;
using Cell = std::array<std::int32_t, 3>;
using Bodies = std::shared_ptr<const BodyGeometry>;

Bodies body_of(std::vector<CollisionElement> elements) {
  auto body = BodyGeometry::build(std::move(elements));
  EXPECT_TRUE(body.ok()) << (body.ok() ? "" : body.error().text());
  return body.value();
}

Pose random_pose(Random& random, double size) {
  return {random.rotation(), size * random.uniform() * random.unit_vector()};
}

// On surfaces, in lumps, on a grid, repeated, far away.
PointCloud random_cloud(Random& random, int count) {
  PointCloud cloud;
  const double size = std::pow(10, random.uniform(-2, 1));
  cloud.radius = size * random.uniform(0.001, 0.05);
  const Vec3 place = random.index(3) == 0 ? 1000 * random.unit_vector() : Vec3{};
  const int kind = random.index(5);
  for (int i = 0; i < count; ++i) {
    Vec3 p{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    if (kind == 1) p = random.unit_vector();
    if (kind == 2) p = {p.x, p.y, 0.3};
    if (kind == 3) p = {std::round(4 * p.x) / 4, std::round(4 * p.y) / 4, std::round(4 * p.z) / 4};
    if (kind == 4 && i > 0 && random.index(2) == 0)
      p = (1 / size) * (cloud.points[static_cast<std::size_t>(random.index(i))] - place);
    cloud.points.push_back(place + size * p);
  }
  return cloud;
}

VoxelSet random_voxels(Random& random, int count) {
  VoxelSet voxels;
  voxels.size = std::pow(10, random.uniform(-2, 0));
  const int extent = 2 + random.index(8);
  const std::int32_t place = random.index(3) == 0 ? 900000 / extent : 0;
  for (int i = 0; i < count; ++i) {
    Cell cell;
    for (std::int32_t& k : cell) k = place + random.index(extent) - extent / 2;
    if (random.index(3) == 0) cell[2] = place;
    voxels.cells.push_back(cell);
  }
  return voxels;
}

CollisionElement element(PointCloud cloud, const Pose& X = {}) {
  return {std::make_shared<const PointCloud>(std::move(cloud)), X, "cloud"};
}
CollisionElement element(VoxelSet voxels, const Pose& X = {}) {
  return {std::make_shared<const VoxelSet>(std::move(voxels)), X, "voxels"};
}

// The same solids, each an element of its own: balls, or single cells.
std::vector<CollisionElement> singles(const PointCloud& cloud, const Pose& X = {}) {
  std::vector<CollisionElement> all;
  for (const Vec3& p : cloud.points)
    all.push_back({Sphere{cloud.radius}, X * Pose::translation(p), "ball"});
  return all;
}
std::vector<CollisionElement> singles(const VoxelSet& voxels, const Pose& X = {}) {
  std::vector<CollisionElement> all;
  const double h = 0.5 * voxels.size;
  for (const auto& [i, j, k] : voxels.cells)
    all.push_back({Box{{h, h, h}},
                   X * Pose::translation(voxels.size * Vec3{i + 0.5, j + 0.5, k + 0.5}), "cell"});
  return all;
}

// --- Merging ---

// From the text: the longest runs, then plates, then boxes, by looking for neighbours.
std::set<std::array<int, 6>> merged_by_text(const std::vector<Cell>& cells) {
  std::set<std::array<int, 6>> boxes;  // first and end along each axis
  for (const Cell& c : cells) boxes.insert({c[0], c[0] + 1, c[1], c[1] + 1, c[2], c[2] + 1});
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& box : boxes) {
        const auto next = std::ranges::find_if(boxes, [&](const std::array<int, 6>& other) {
          for (std::size_t k = 0; k < 6; ++k)
            if (k / 2 != axis && other[k] != box[k]) return false;
          return other[2 * axis] == box[2 * axis + 1];
        });
        if (next == boxes.end()) continue;
        std::array<int, 6> grown = box;
        grown[2 * axis + 1] = (*next)[2 * axis + 1];
        const auto gone = *next, self = box;
        boxes.erase(gone);
        boxes.erase(self);
        boxes.insert(grown);
        changed = true;
        break;
      }
    }
  return boxes;
}

TEST(Grains, CellsAreMergedAsTheFormatSays) {
  for (int i = 0; i < cases(300); ++i) {
    Random random(100 + static_cast<std::uint64_t>(i));
    const VoxelSet voxels = random_voxels(random, 1 + random.index(60));
    const std::vector<CellBox> boxes = merge_cells(voxels.cells);
    std::set<std::array<int, 6>> found;
    std::map<Cell, int> covered;
    for (const CellBox& box : boxes) {
      found.insert({box.first[0], box.end[0], box.first[1], box.end[1], box.first[2], box.end[2]});
      for (int x = box.first[0]; x < box.end[0]; ++x)
        for (int y = box.first[1]; y < box.end[1]; ++y)
          for (int z = box.first[2]; z < box.end[2]; ++z) ++covered[{x, y, z}];
    }
    const std::set<Cell> given(voxels.cells.begin(), voxels.cells.end());
    ASSERT_EQ(covered.size(), given.size());
    for (const auto& [cell, times] : covered) {
      EXPECT_EQ(times, 1);
      EXPECT_TRUE(given.contains(cell));
    }
    EXPECT_EQ(found, merged_by_text(voxels.cells));
    EXPECT_TRUE(std::ranges::is_sorted(boxes, {}, [](const CellBox& b) {
      return std::array{b.first[2], b.first[1], b.first[0]};
    }));
    // Whatever the order, and however often a cell is named.
    std::vector<Cell> other = voxels.cells;
    other.insert(other.end(), voxels.cells.begin(), voxels.cells.begin() + 1);
    for (std::size_t k = other.size(); k > 1; --k)
      std::swap(other[k - 1], other[static_cast<std::size_t>(random.index(static_cast<int>(k)))]);
    EXPECT_EQ(merge_cells(other), boxes);
  }
}

TEST(Grains, AFullBlockIsOneBox) {
  std::vector<Cell> cells;
  for (int i = 0; i < 1000; ++i) cells.push_back({i / 100 - 5, i / 10 % 10, i % 10 + 7});
  const std::vector<CellBox> boxes = merge_cells(cells);
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0], (CellBox{{-5, 0, 7}, {5, 10, 17}}));
}

// --- The tree ---

__extension__ typedef unsigned __int128 Wide;

// Codes from the text: bit by bit.
Wide interleave(const std::array<std::uint64_t, 3>& places) {
  Wide code = 0;
  for (int bit = 0; bit < 21; ++bit)
    for (std::size_t k = 0; k < 3; ++k)
      if (places[k] >> bit & 1) code |= Wide{1} << (3 * bit + 2 - static_cast<int>(k));
  return code;
}

std::vector<Wide> codes_by_text(const CollisionElement& e) {
  std::vector<Wide> codes;
  if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&e.shape)) {
    const std::vector<Vec3>& points = (*cloud)->points;
    double low[3], width = 0;
    for (int k = 0; k < 3; ++k) {
      const auto [least, most] =
          std::ranges::minmax_element(points, {}, [k](const Vec3& p) { return p[k]; });
      low[k] = (*least)[k];
      width = std::max(width, (*most)[k] - (*least)[k]);
    }
    const double factor = width > 1e-300 ? 2048 / width : 0;
    for (const Vec3& p : points) {
      std::array<std::uint64_t, 3> places{};
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = std::floor((p[static_cast<int>(k)] - low[k]) * factor);
        places[k] = static_cast<std::uint64_t>(std::min(x, 2047.0));
      }
      codes.push_back(interleave(places));
    }
    return codes;
  }
  for (const CellBox& b : merge_cells(std::get<std::shared_ptr<const VoxelSet>>(e.shape)->cells)) {
    std::array<std::uint64_t, 3> places{};
    for (std::size_t k = 0; k < 3; ++k)
      places[k] = static_cast<std::uint64_t>(b.first[k] + 1048576);
    codes.push_back(interleave(places));
  }
  return codes;
}

// Splits items with their keys by the highest bit in which any two differ.
void expect_shape(const BoxTree& tree, int index, std::vector<std::pair<Wide, int>> items) {
  const BoxNode& node = tree.nodes[static_cast<std::size_t>(index)];
  ASSERT_EQ(node.num_items(), static_cast<int>(items.size()));
  std::set<int> expected, found;
  for (const auto& [key, item] : items) expected.insert(item);
  for (int i = node.first_item; i < node.end_item; ++i)
    found.insert(tree.order[static_cast<std::size_t>(i)]);
  ASSERT_EQ(found, expected);
  if (items.size() == 1) {
    EXPECT_TRUE(node.is_leaf());
    EXPECT_EQ(node.item, items[0].second);
    return;
  }
  ASSERT_FALSE(node.is_leaf());
  int bit = 127;
  const auto set = [&](const auto& entry) { return (entry.first >> bit & 1) != 0; };
  while (std::ranges::all_of(items, set) || std::ranges::none_of(items, set)) --bit;
  std::vector<std::pair<Wide, int>> children[2];
  for (const auto& entry : items) children[set(entry)].push_back(entry);
  for (int k = 0; k < 2; ++k) expect_shape(tree, node.first_child + k, children[k]);
}

TEST(Grains, TheTreeIsThatOfTheFormat) {
  bool ties = false;
  for (int i = 0; i < cases(200); ++i) {
    Random random(300 + static_cast<std::uint64_t>(i));
    // More than few, so that both ways of sorting occur.
    const int count = i % 5 == 0 ? 300 + random.index(400) : 1 + random.index(40);
    const Pose X = i % 2 ? random_pose(random, 3) : Pose{};
    const CollisionElement e = i % 3 == 0 ? element(random_voxels(random, count), X)
                                          : element(random_cloud(random, count), X);
    const Bodies body = body_of({e});
    const std::vector<Wide> codes = codes_by_text(e);
    ASSERT_EQ(static_cast<std::size_t>(body->num_pieces()), codes.size());
    std::vector<int> order(codes.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    std::ranges::stable_sort(order, {}, [&](int k) { return codes[static_cast<std::size_t>(k)]; });
    std::vector<std::pair<Wide, int>> keyed;
    for (std::size_t place = 0; place < order.size(); ++place) {
      const Wide code = codes[static_cast<std::size_t>(order[place])];
      ties = ties || (!keyed.empty() && keyed.back().first >> 32 == code);
      keyed.emplace_back(code << 32 | place, order[place]);
    }
    expect_shape(body->box_tree(), 0, keyed);
  }
  EXPECT_TRUE(ties);
}

// Whether the node holds the grain, with the pose as it is and everything else exact.
void expect_held(const BodyGeometry& body, const BoxNode& node, int item) {
  const Convex c = body.grains().convex(item);
  for (int i = 0; i < 3; ++i) {
    Quad reach = c.radius;
    for (int k = 0; k < 3; ++k) {
      const Quad r = c.X_BS.R(i, k);
      reach += (r < 0 ? -r : r) * Quad(c.half_extents[k]);
    }
    const Quad centre = c.X_BS.p[i], from = node.centre[i], half = node.half[i];
    EXPECT_LE(static_cast<double>((from - half) - (centre - reach)), 0);
    EXPECT_LE(static_cast<double>((centre + reach) - (from + half)), 0);
  }
}

TEST(Grains, NodesHoldWhatIsBelow) {
  for (int i = 0; i < cases(100); ++i) {
    Random random(500 + static_cast<std::uint64_t>(i));
    const Pose X = i % 2 ? random_pose(random, 3) : Pose{};
    const int count = 1 + random.index(80);
    const Bodies body = i % 3 == 0 ? body_of({element(random_voxels(random, count), X)})
                                   : body_of({element(random_cloud(random, count), X)});
    const BoxTree& tree = body->box_tree();
    for (const BoxNode& node : tree.nodes) {
      double most = 0;
      for (int k = node.first_item; k < node.end_item; ++k) {
        const int item = tree.order[static_cast<std::size_t>(k)];
        expect_held(*body, node, item);
        for (int axis = 0; axis < 3; ++axis) {
          Vec3 n;
          n[axis] = 1;
          most =
              std::max(most, node.centre[axis] + node.half[axis] - body->grains().support(item, n));
        }
      }
      // And not much more: some grain reaches the box to rounding.
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 n;
        n[axis] = 1;
        double top = -std::numeric_limits<double>::infinity();
        for (int k = node.first_item; k < node.end_item; ++k)
          top = std::max(top, body->grains().support(tree.order[static_cast<std::size_t>(k)], n));
        EXPECT_NEAR(node.centre[axis] + node.half[axis], top, 1e-13 * body->max_coordinate());
      }
    }
    const auto& [low, high] = body->bounds();
    const BoundingSphere& ball = body->bounding_sphere();
    for (int k = 0; k < body->num_pieces(); ++k)
      for (int d = 0; d < 20; ++d) {
        const Vec3 n = random.unit_vector();
        const Vec3 x = body->grains().convex(k).core_support(n) + body->grains().radius() * n;
        for (int axis = 0; axis < 3; ++axis) {
          EXPECT_GE(x[axis], low[axis] - 1e-13 * body->max_coordinate());
          EXPECT_LE(x[axis], high[axis] + 1e-13 * body->max_coordinate());
        }
        EXPECT_LE(norm(x - ball.centre), ball.radius + 1e-13 * body->max_coordinate());
        EXPECT_LE(max_abs(x), body->max_coordinate() * (1 + 1e-13));
      }
  }
}

// A voxel's corners are exact products: what the body has of them is near, within what its largest
// coordinate promises.
TEST(Grains, BoxesOfVoxelsAreNearTheExactOnes) {
  for (int i = 0; i < cases(200); ++i) {
    Random random(600 + static_cast<std::uint64_t>(i));
    const VoxelSet voxels = random_voxels(random, 1 + random.index(50));
    const Bodies body = body_of({element(voxels)});
    const std::vector<CellBox> boxes = merge_cells(voxels.cells);
    const Quad allowed = Quad(0x1p-51) * Quad(body->max_coordinate());
    for (std::size_t b = 0; b < boxes.size(); ++b)
      for (int k = 0; k < 3; ++k) {
        const Quad low = Quad(boxes[b].first[static_cast<std::size_t>(k)]) * Quad(voxels.size);
        const Quad high = Quad(boxes[b].end[static_cast<std::size_t>(k)]) * Quad(voxels.size);
        const Quad c = body->grains().centres()[b][k], h = body->grains().halves()[b][k];
        const Quad below = c - h - low, above = c + h - high;
        EXPECT_LE(static_cast<double>((below < 0 ? -below : below) - allowed), 0);
        EXPECT_LE(static_cast<double>((above < 0 ? -above : above) - allowed), 0);
      }
  }
}

// --- Questions, against bodies of single pieces ---

struct Twins {
  Bodies sensed, plain;
};

Twins random_twins(Random& random, bool voxels) {
  const Pose X = random.index(2) ? random_pose(random, 0.5) : Pose{};
  const int count = 1 + random.index(60);
  if (voxels) {
    VoxelSet set = random_voxels(random, count);
    set.size = 0.1;
    for (Cell& cell : set.cells)
      for (std::int32_t& k : cell) k = k % 100;
    return {body_of({element(set, X)}), body_of(singles(set, X))};
  }
  PointCloud cloud = random_cloud(random, count);
  const Vec3 first = cloud.points[0];
  for (Vec3& p : cloud.points) p -= first;
  return {body_of({element(cloud, X)}), body_of(singles(cloud, X))};
}

Bodies random_other(Random& random, double size) {
  switch (random.index(3)) {
    case 0:
      return body_of({{Capsule{0.2 * size, 0.5 * size}, Pose{}, "capsule"}});
    case 1:
      return body_of({{Box{{0.3 * size, 0.1 * size, 0.4 * size}}, Pose{}, "box"}});
    default: {
      TriangleMesh mesh;  // a closed tetrahedron
      for (int i = 0; i < 4; ++i) mesh.vertices.push_back(size * random.unit_vector());
      mesh.triangles = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
      return body_of({{std::make_shared<const TriangleMesh>(mesh), Pose{}, "mesh"}});
    }
  }
}

TEST(Grains, DistancesAndContactsAreThoseOfSinglePieces) {
  int apart = 0, touching = 0, certain = 0;
  DistanceScratch scratch;
  for (int i = 0; i < cases(600); ++i) {
    Random random(700 + static_cast<std::uint64_t>(i));
    const Twins twins = random_twins(random, i % 2 == 0);
    const double size = twins.sensed->bounding_sphere().radius;
    const Bodies other = random_other(random, size * random.uniform(0.1, 1));
    const Pose X = {random.rotation(), twins.sensed->bounding_sphere().centre +
                                           size * random.uniform(0, 1.5) * random.unit_vector()};
    const ExactDistance a = exact_distance(*twins.sensed, *other, X, {-1, -1}, scratch);
    const ExactDistance b = exact_distance(*twins.plain, *other, X, {-1, -1}, scratch);
    EXPECT_NEAR(a.distance, b.distance, 1e-9 * size);
    EXPECT_LE(a.distance_lower, b.distance + 1e-12 * size);
    EXPECT_EQ(bodies_overlap(*twins.sensed, *other, X, scratch), a.distance == 0);
    EXPECT_LE(greedy_distance(*twins.sensed, *other, X, 0.1 * a.distance, scratch),
              b.distance + 1e-12 * size);
    const double near = approximate_distance(*other, *twins.sensed, inverse(X), 0.1, scratch);
    EXPECT_LE(near, b.distance + 1e-12 * size);
    EXPECT_GE(near, 0.89 * b.distance - 1e-9 * size);
    const Contact contact = find_contact(*twins.sensed, *other, X, 1e-12, scratch);
    const Contact plain = find_contact(*twins.plain, *other, X, 1e-12, scratch);
    // What lies between two cells may be deep in the box that they form.
    EXPECT_TRUE(contact.overlap == Overlap::certain || plain.overlap != Overlap::certain);
    EXPECT_TRUE(contact.overlap != Overlap::none || plain.overlap == Overlap::none);
    if (a.distance > 0) {
      const bool inside = find_containment(*twins.sensed, *other, X).inside;
      EXPECT_EQ(inside, find_containment(*twins.plain, *other, X).inside);
      EXPECT_EQ(inside, find_containment(*other, *twins.sensed, inverse(X)).inside);
    }
    ++(a.distance > 0 ? apart : touching);
    certain += contact.overlap == Overlap::certain;
  }
  EXPECT_GT(apart, cases(600) / 8);
  EXPECT_GT(touching, cases(600) / 8);
  EXPECT_GT(certain, cases(600) / 8);
}

// Volumes of the second tree hold all that is below them.
TEST(Grains, VolumesOfTheSecondTreeHoldEverything) {
  for (int i = 0; i < cases(60); ++i) {
    Random random(900 + static_cast<std::uint64_t>(i));
    const Bodies body = random_twins(random, i % 2 == 0).sensed;
    const BoxTree& boxes = body->box_tree();
    const BvTree& tree = body->tree();
    ASSERT_EQ(tree.nodes.size(), boxes.nodes.size());
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      const BvNode& node = tree.nodes[n];
      for (int k = boxes.nodes[n].first_item; k < boxes.nodes[n].end_item; ++k)
        for (int d = 0; d < 30; ++d) {
          const Vec3 u = random.unit_vector();
          const int item = boxes.order[static_cast<std::size_t>(k)];
          const Vec3 x = body->grains().convex(item).core_support(u) + body->grains().radius() * u;
          const Vec3 w = transpose_times(node.R_BN, x - node.obb_centre);
          const double slack = 1e-13 * body->max_coordinate();
          for (int axis = 0; axis < 3; ++axis)
            EXPECT_LE(std::fabs(w[axis]), node.obb_half[axis] + slack);
          Vec3 v = transpose_times(node.R_BN, x - node.rss_centre);
          for (int axis = 0; axis < 2; ++axis)
            v[axis] -= std::clamp(v[axis], -node.rss_half[axis], node.rss_half[axis]);
          EXPECT_LE(norm(v), node.rss_radius + slack);
        }
    }
  }
}

TEST(Grains, PointsInsideAreFound) {
  int inside = 0, outside = 0;
  for (int i = 0; i < cases(400); ++i) {
    Random random(1000 + static_cast<std::uint64_t>(i));
    const Twins twins = random_twins(random, i % 2 == 0);
    for (int k = 0; k < 20; ++k) {
      const int piece = random.index(twins.sensed->num_pieces());
      const Vec3 p =
          twins.sensed->grains().centres()[static_cast<std::size_t>(piece)] +
          twins.sensed->bounding_sphere().radius * random.uniform(0, 0.3) * random.unit_vector();
      const bool found = twins.sensed->contains(p);
      EXPECT_EQ(found, twins.plain->contains(p));
      ++(found ? inside : outside);
    }
  }
  EXPECT_GT(inside, 100 * cases(400) / 400);
  EXPECT_GT(outside, 100 * cases(400) / 400);
}

// Balls that cover the body for sweeps, where a robot carries it.
TEST(Grains, CoversAndLinesHoldEverything) {
  for (int i = 0; i < cases(40); ++i) {
    Random random(1200 + static_cast<std::uint64_t>(i));
    const Bodies body = random_twins(random, i % 2 == 0).sensed;
    const Vec3 point = random.unit_vector(), direction = random.unit_vector();
    const double most = body->max_distance_to_line(point, direction);
    double farthest = 0;
    for (int k = 0; k < body->num_pieces(); ++k)
      for (int d = 0; d < 50; ++d) {
        const Vec3 u = random.unit_vector();
        const Convex piece = body->grains().convex(k);
        const Vec3 x = piece.core_support(u) + piece.radius * u;
        farthest = std::max(farthest, norm(cross(x - point, direction)));
        EXPECT_TRUE(std::ranges::any_of(body->balls(), [&](const CoverBall& ball) {
          return norm(x - ball.centre) <= ball.radius * (1 + 1e-12);
        }));
      }
    EXPECT_LE(farthest, most);
    EXPECT_GE(farthest, 0.7 * most);
    for (const CoverBall& ball : body->balls())
      for (int d = 0; d < 50 && ball.depth > 0; ++d)
        EXPECT_TRUE(body->contains(ball.centre + ball.depth * (1 - 1e-9) * random.unit_vector()));
  }
}

TEST(Grains, TheHashNamesEverySolid) {
  Random random(5);
  PointCloud cloud = random_cloud(random, 40);
  const Hash128 hash = body_of({element(cloud)})->hash();
  EXPECT_EQ(body_of({element(cloud)})->hash(), hash);
  PointCloud other = cloud;
  other.points[17].y = std::nextafter(other.points[17].y, 1e9);
  EXPECT_NE(body_of({element(other)})->hash(), hash);
  other = cloud;
  other.radius = std::nextafter(other.radius, 1);
  EXPECT_NE(body_of({element(other)})->hash(), hash);
  EXPECT_NE(body_of({element(cloud, Pose::translation({0, 0, 1e-9}))})->hash(), hash);
  VoxelSet voxels = random_voxels(random, 30);
  const Hash128 of_voxels = body_of({element(voxels)})->hash();
  std::ranges::reverse(voxels.cells);
  EXPECT_EQ(body_of({element(voxels)})->hash(), of_voxels);
  VoxelSet more = voxels;
  more.cells.push_back({77, 5, 5});
  EXPECT_NE(body_of({element(more)})->hash(), of_voxels);
  voxels.size *= 1 + 1e-15;
  EXPECT_NE(body_of({element(voxels)})->hash(), of_voxels);
}

void expect_refused(std::vector<CollisionElement> elements, const std::string& word) {
  const auto body = BodyGeometry::build(std::move(elements));
  ASSERT_FALSE(body.ok());
  EXPECT_NE(body.error().text().find(word), std::string::npos) << body.error().text();
}

TEST(Grains, WhatIsNoSolidIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused({element(PointCloud{{}, 0.1})}, "no points");
  expect_refused({element(PointCloud{{{1, 2, nan}}, 0.1})}, "point 0 is not finite");
  expect_refused({element(PointCloud{{{0, 0, 0}, {1, 2, 3e6}}, 0.1})}, "point 1 has a coordinate");
  expect_refused({element(PointCloud{{{1, 2, 3}}, 0})}, "zero");
  expect_refused({element(PointCloud{{{1, 2, 3}}, nan})}, "not a finite number");
  expect_refused({element(VoxelSet{0.1, {}})}, "no cells");
  expect_refused({element(VoxelSet{0, {{1, 2, 3}}})}, "zero");
  expect_refused({element(VoxelSet{0.1, {{1, 2, 1 << 20}}})}, "1048576");
  expect_refused({element(VoxelSet{0.1, {{1, std::numeric_limits<std::int32_t>::min(), 1}}})},
                 "-2147483648");
  expect_refused({element(VoxelSet{10, {{1, 2, 900000}}})}, "1e6 m");
  EXPECT_TRUE(BodyGeometry::build({element(VoxelSet{0.1, {{1, -(1 << 20), (1 << 20) - 1}}})}).ok());
  expect_refused({element(PointCloud{{{1, 2, 3}}, 1}), {Sphere{1}, Pose{}, "ball"}}, "only shape");
  expect_refused({{std::shared_ptr<const PointCloud>(), Pose{}, ""}}, "no points");
}

}  // namespace
}  // namespace proven::test
