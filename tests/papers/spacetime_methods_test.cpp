// The paper's methods agree with each other, and miss what they are known to miss.
#include "papers/spacetime/methods.h"
#include "proven/spacetime/check.h"
#include "spacetime/oracle.h"
#include "support.h"

namespace proven::spacetime {
namespace {

Obstacle box_obstacle(Trajectory motion) {
  Obstacle o;
  o.name = "o";
  o.footprint = Footprint::box(4, 2).value();
  o.motion = std::move(motion);
  return o;
}

TEST(Paper, MethodsAgreeOnEqualTimes) {
  Random random(31);
  int hits = 0;
  for (int k = 0; k < test::cases(200); ++k) {
    std::vector<Obstacle> obstacles;
    Trajectory candidate = twin::random_motion(random, 20, 30, 0.3);
    for (int i = 0; i < 6; ++i) {
      Trajectory m = twin::random_motion(random, 20, 30, 0.3);
      m.t = candidate.t;
      obstacles.push_back(box_obstacle(std::move(m)));
    }
    const Footprint car = Footprint::box(4, 2).value();
    for (const PaperLeaf leaf : {PaperLeaf::pose, PaperLeaf::hull}) {
      const PaperScene scene(obstacles, {leaf, 0});
      const bool expected = scene.collides(car, candidate, PaperMethod::multiple_interference);
      EXPECT_EQ(scene.collides(car, candidate, PaperMethod::isolated), expected);
      EXPECT_EQ(scene.collides(car, candidate, PaperMethod::tree_against_tree), expected);
      hits += expected;
      TrafficScratch workspace;
      const auto sound =
          check(TrafficScene::build(obstacles).value(), car, candidate, {}, workspace);
      if (expected && leaf == PaperLeaf::pose) {
        EXPECT_EQ(sound.value().verdict, Verdict::collision);
      }
    }
  }
  if (test::cases(200) >= 100) {
    EXPECT_GT(hits, 20);
  }
}

TEST(Paper, MissesWhatOursFinds) {
  Trajectory head_on, candidate;
  for (int i = 0; i < 10; ++i) {
    head_on.t.push_back(i), head_on.x.push_back(50 - 10 * i), head_on.y.push_back(0);
    head_on.heading.push_back(0);
    candidate.t.push_back(i + 0.5), candidate.x.push_back(-42 + 10 * i), candidate.y.push_back(0);
    candidate.heading.push_back(0);
  }
  const std::vector<Obstacle> obstacles = {box_obstacle(head_on)};
  const Footprint car = Footprint::box(4, 2).value();
  // Unequal time steps: flat samples never meet (the paper's figure 4); an extent in time helps.
  EXPECT_FALSE(PaperScene(obstacles, {}).collides(car, candidate, PaperMethod::isolated));
  EXPECT_TRUE(PaperScene(obstacles, {PaperLeaf::pose, 0.3})
                  .collides(car, candidate, PaperMethod::isolated));
  EXPECT_TRUE(
      PaperScene(obstacles, {PaperLeaf::hull, 0}).collides(car, candidate, PaperMethod::isolated));
  // A turning rod leaves the hull of its two poses.
  Trajectory spin;
  spin.t = {0, 1}, spin.x = spin.y = {0, 0}, spin.heading = {0, M_PI / 2};
  Obstacle post;
  post.name = "post";
  post.footprint = Footprint::box(0.4, 0.4).value();
  post.pose = {6.7, 6.7, 0};
  const std::vector<Obstacle> one = {post};
  const Footprint rod = Footprint::box(20, 0.2).value();
  EXPECT_FALSE(PaperScene(one, {PaperLeaf::hull, 0}).collides(rod, spin, PaperMethod::isolated));
  TrafficScratch workspace;
  EXPECT_EQ(check(TrafficScene::build(one).value(), rod, spin, {}, workspace).value().verdict,
            Verdict::collision);
}

}  // namespace
}  // namespace proven::spacetime
