#include "proven/spacetime/traffic_scene.h"
#include "spacetime/oracle.h"
#include "spacetime/polygon.h"
#include "support.h"

namespace proven::spacetime {
namespace {

TEST(Footprint, ConvexPartsCoverAPolygonExactly) {
  Random random(3);
  int notched = 0;
  for (int round = 0; round < test::cases(400); ++round) {
    std::vector<Vec2> outline;
    const int n = 4 + random.index(90);
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * M_PI * (i + 0.5 * random.uniform()) / n;
      const double r = round % 4 == 0 ? 5 : random.uniform(1, 5);
      outline.push_back({r * std::cos(angle), r * std::sin(angle)});
    }
    if (round % 2) std::reverse(outline.begin(), outline.end());
    const auto footprint = Footprint::polygon(outline);
    ASSERT_TRUE(footprint.ok()) << footprint.error().text();
    std::vector<twin::Point> whole;
    for (const Vec2 p : outline) whole.push_back({p.x, p.y});
    long double sum = 0, all = 0;
    for (std::size_t i = 1; i + 1 < whole.size(); ++i)
      all += twin::area(whole[0], whole[i], whole[i + 1]);
    for (const Piece& piece : footprint.value().pieces()) {
      EXPECT_LE(piece.corners.size(), static_cast<std::size_t>(kMaxCorners));
      for (std::size_t i = 1; i + 1 < piece.corners.size(); ++i) {
        const auto at = [&](std::size_t k) {
          return twin::Point{piece.corners[k].x, piece.corners[k].y};
        };
        sum += twin::area(at(0), at(i), at(i + 1));
      }
    }
    EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(std::fabs(all)), 1e-12);
    notched += footprint.value().pieces().size() > 3;
    for (int k = 0; k < 50; ++k) {
      const twin::Point p{random.uniform(-5, 5), random.uniform(-5, 5)};
      bool covered = false;
      for (const twin::Blob& blob : twin::placed(footprint.value(), {0, 0, 0}))
        covered = covered || twin::inside(p, blob.outline);
      EXPECT_EQ(covered, twin::inside(p, whole));
    }
  }
  EXPECT_GT(notched, 0);
}

TEST(Footprint, RefusesNonsense) {
  const double nan = std::nan("");
  EXPECT_FALSE(Footprint::box(0, 1).ok());
  EXPECT_FALSE(Footprint::box(1, -1).ok());
  EXPECT_FALSE(Footprint::box(nan, 1).ok());
  EXPECT_FALSE(Footprint::box(1, 1, {nan, 0}).ok());
  EXPECT_FALSE(Footprint::circle(0).ok());
  EXPECT_FALSE(Footprint::circle(1e9).ok());
  EXPECT_FALSE(Footprint::polygon({{0, 0}, {1, 0}}).ok());
  EXPECT_FALSE(Footprint::polygon({{0, 0}, {1, 0}, {2, 0}}).ok());
  EXPECT_FALSE(Footprint::polygon({{0, 0}, {1, 1}, {1, 0}, {0, 1}}).ok());  // a bow tie
  EXPECT_FALSE(
      Footprint::polygon({{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}).ok());  // touches itself
  EXPECT_FALSE(Footprint::polygon({{0, 0}, {nan, 0}, {1, 1}}).ok());
  EXPECT_TRUE(Footprint::polygon({{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 0}}).ok());
}

}  // namespace
}  // namespace proven::spacetime
