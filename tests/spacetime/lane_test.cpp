#include "spacetime/lane.h"

#include "proven/base/random.h"
#include "proven/spacetime/goal.h"
#include "support.h"

namespace proven::spacetime {
namespace {

Lanelet bent(const std::string& id, double from, double to) {
  Lanelet l;
  l.id = id;
  for (double s = from; s <= to + 1e-9; s += 2) {
    const double y = 0.01 * s * s;
    l.left.push_back({s, y + 1.7}), l.right.push_back({s, y - 1.7});
  }
  return l;
}

Lane some_lane() {
  Lanelet a = bent("a", 0, 30), b = bent("b", 30, 60);
  a.successors = {"b"}, b.predecessors = {"a"};
  const Road road = Road::build({a, b}).value();
  const auto lanes = lanes_through(road, 0, 10, 40).value();
  EXPECT_EQ(lanes.size(), 1u);
  return lanes[0];
}

double least_distance(const Lane& lane, int i, int j) {
  double best = 1e9;
  const auto point = [&](int cell, double u, double w) {
    const auto k = static_cast<std::size_t>(cell);
    const Vec2 l = lane.left[k] + u * (lane.left[k + 1] - lane.left[k]);
    const Vec2 r = lane.right[k] + u * (lane.right[k + 1] - lane.right[k]);
    return l + w * (r - l);
  };
  for (int a = 0; a <= 4; ++a)
    for (int b = 0; b <= 8; ++b)
      for (int c = 0; c <= 4; ++c)
        for (int d = 0; d <= 8; ++d)
          best = std::min(best, norm(point(i, a / 4.0, b / 8.0) - point(j, c / 4.0, d / 8.0)));
  return best;
}

TEST(Lane, PlacesOnItAreFoundAgain) {
  const Lane lane = some_lane();
  Random random(1);
  for (int k = 0; k < 300; ++k) {
    const int cell = static_cast<int>(random.uniform(0, lane.cells() - 1e-9));
    const auto i = static_cast<std::size_t>(cell);
    const double u = random.uniform(0, 1), w = random.uniform(0, 1);
    const Vec2 l = lane.left[i] + u * (lane.left[i + 1] - lane.left[i]);
    const Vec2 r = lane.right[i] + u * (lane.right[i + 1] - lane.right[i]);
    const auto at = lane.locate(l + w * (r - l), lane.all());
    ASSERT_TRUE(at.has_value());
    EXPECT_NEAR(*at, lane.s[i] + u * (lane.s[i + 1] - lane.s[i]), 1e-6);
    EXPECT_EQ(lane.cell_at(*at), cell);
    EXPECT_LE(lane.distance(l + w * (r - l), lane.all()), 1e-9);
    // Sections are not at right angles to these borders.
    const double off = lane.distance(l + 0.3 / norm(l - r) * (l - r), lane.all());
    EXPECT_LE(off, 0.3 + 1e-9);
    EXPECT_GT(off, 0.15);
  }
}

TEST(Lane, NoCellThatIsNearIsLeftOut) {
  const Lane lane = some_lane();
  int inside = 0, outside = 0;
  for (int i = 3; i < lane.cells(); i += 17)
    for (const double r : {0.2, 2.0, 6.0}) {
      const CellRange range = cells_near(lane, i, r);
      for (int j = 0; j < lane.cells(); j += 2) {
        const bool in = j >= range.first && j <= range.last;
        (in ? inside : outside)++;
        if (!in) {
          EXPECT_GT(least_distance(lane, i, j), r) << i << " " << j;
        }
        // Nor are cells taken in that are far away.
        if (in) {
          EXPECT_LT(least_distance(lane, i, j), r + 2.5) << i << " " << j;
        }
      }
    }
  EXPECT_GT(inside, 0);
  EXPECT_GT(outside, 0);
}

TEST(Lane, PolygonsHoldTheirCellsAndNotMuchMore) {
  const Lane lane = some_lane();
  Random random(2);
  const double w = 0.1;
  const auto cover = cover_cells(lane, 10, 120, w).value();
  EXPECT_LT(cover.size(), 30u);
  int far = 0;
  for (int k = 0; k < 2000; ++k) {
    const int cell = 10 + static_cast<int>(random.uniform(0, 110.999));
    const auto i = static_cast<std::size_t>(cell);
    const double u = random.uniform(0, 1), v = random.uniform(-0.3, 1.3);
    const Vec2 l = lane.left[i] + u * (lane.left[i + 1] - lane.left[i]);
    const Vec2 r = lane.right[i] + u * (lane.right[i + 1] - lane.right[i]);
    const Vec2 p = l + v * (r - l);
    const double off = lane.distance(p, {10, 120});
    const bool held = std::ranges::any_of(cover, [&](const Footprint& f) { return holds(f, p); });
    if (off <= w) {
      EXPECT_TRUE(held) << p.x << " " << p.y;
    }
    if (off > w * 1.5 + 0.15) {
      EXPECT_FALSE(held) << p.x << " " << p.y;
      ++far;
    }
  }
  EXPECT_GT(far, 0);
}

TEST(Lane, HullsAreConvexAndHoldTheirPoints) {
  Random random(5);
  for (int k = 0; k < 50; ++k) {
    std::vector<Vec2> points;
    for (int i = 0; i < 20; ++i) points.push_back({random.uniform(0, 1), random.uniform(0, 1)});
    const std::vector<Vec2> hull = hull_of(points);
    for (std::size_t i = 0; i < hull.size(); ++i)
      for (const Vec2 p : points)
        EXPECT_GE(cross(hull[(i + 1) % hull.size()] - hull[i], p - hull[i]), -1e-12);
  }
}

}  // namespace
}  // namespace proven::spacetime
