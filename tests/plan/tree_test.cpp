// The nearest node of a tree, however many there are.
#include "plan/tree.h"

#include <gtest/gtest.h>

#include "certify/random_scenes.h"
#include "support.h"

namespace proven {
namespace {

TEST(SearchTree, FindsTheFirstOfTheNearest) {
  Random random(1);
  for (int i = 0; i < test::cases(30); ++i) {
    const Scene scene = test::build(test::random_scene(random, {.links = 1 + i % 7}));
    const std::vector<double> home(scene.home().begin(), scene.home().end());
    const Query query{home, home, {}, {}};
    const JointSpace space(scene, query);
    SearchTree tree(space);
    std::vector<std::vector<double>> points;
    std::vector<double> target(static_cast<std::size_t>(space.dimension()));
    for (int k = 0; k < 40; ++k) {
      std::vector<double> point(target.size());
      space.sample(random, point);
      // Some stand there twice.
      if (k % 5 == 4) point = points[static_cast<std::size_t>(random.index(k))];
      EXPECT_EQ(tree.add(point, k - 1), k);
      points.push_back(point);
      space.sample(random, target);
      if (k % 3 == 0) target = point;
      int nearest = 0;
      for (int other = 1; other <= k; ++other)
        if (space.distance(points[static_cast<std::size_t>(other)], target) <
            space.distance(points[static_cast<std::size_t>(nearest)], target))
          nearest = other;
      const SearchTree::Near found = tree.nearest(target);
      EXPECT_EQ(found.node, nearest) << k;
      EXPECT_NEAR(found.distance, space.distance(points[static_cast<std::size_t>(nearest)], target),
                  1e-5);
    }
  }
}

}  // namespace
}  // namespace proven
