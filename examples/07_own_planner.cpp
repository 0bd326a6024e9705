// A planner of one's own on public headers: a rapidly growing random tree whose every edge is
// proved.
#include <cstdio>

#include "proven/base/random.h"
#include "proven/certify/prover.h"
#include "proven/plan/joint_space.h"

using namespace proven;

// An arm of two bars that turn about z.
Robot two_bars() {
  Robot robot;
  robot.name = "arm";
  const char* names[] = {"base", "upper", "lower"};
  for (int i = 0; i < 3; ++i) {
    RobotLink link;
    link.name = names[i];
    if (i > 0) link.collision = {{Box{{0.45, 0.02, 0.02}}, Pose::translation({0.5, 0, 0}), "bar"}};
    robot.links.push_back(link);
    if (i == 0) continue;
    RobotJoint joint;
    joint.name = i == 1 ? "shoulder" : "elbow";
    joint.type = JointType::revolute;
    joint.parent_link = names[i - 1];
    joint.child_link = names[i];
    joint.axis = {0, 0, 1};
    joint.X_PJ = Pose::translation({i == 1 ? 0.0 : 1.0, 0, 0});
    joint.limits = {-3, 3, 1, 1};
    robot.joints.push_back(joint);
  }
  return robot;
}

struct Node {
  JointSpace::Point point;
  int parent;
};

// Grows from the start; every eighth sample is the goal itself.
std::vector<Node> grow(const JointSpace& space, Prover& prover, const Query& query,
                       Random& random) {
  std::vector<Node> tree = {{query.start, -1}};
  JointSpace::Point target(query.start.size()), step(target);
  for (int i = 0; i < 10000; ++i) {
    if (i % 8 == 0)
      target = query.goal;
    else
      space.sample(random, target);
    int near = 0;
    for (int n = 1; n < static_cast<int>(tree.size()); ++n)
      if (space.distance(tree[n].point, target) < space.distance(tree[near].point, target))
        near = n;
    const double distance = space.distance(tree[near].point, target);
    if (distance == 0) continue;
    space.interpolate(tree[near].point, target, std::min(1.0, 0.5 / distance), step);
    if (!prover.is_free(SegmentQuery{tree[near].point, step, true})) continue;
    tree.push_back({step, near});
    if (step == query.goal) break;
  }
  return tree;
}

int main() {
  SceneBuilder builder;
  if (!builder.add_robot(two_bars(), "arm", Pose{}).ok()) return 4;
  if (!builder
           .add_obstacle("post", {{Cylinder{0.1, 0.5}, {}, "post"}},
                         Pose::translation({1.3, 0.6, 0}))
           .ok())
    return 4;
  const Scene scene = std::move(builder).build().value();
  const Query query{{-0.4, 0.3}, {1.2, 0.2}};
  const JointSpace space(scene, query);
  Prover prover(CheckModel::build(scene, {}, space.full_ranges()).value());
  if (const auto bad = find_bad_end(query, prover)) return std::puts(bad->reason.c_str()), 1;
  Random random(1);
  const std::vector<Node> tree = grow(space, prover, query, random);
  if (tree.back().point != query.goal) return std::puts("no path"), 3;
  int edges = 0;
  for (int n = static_cast<int>(tree.size()) - 1; n > 0; n = tree[n].parent) ++edges;
  std::printf("a path of %d proved edges from a tree of %zu nodes\n", edges, tree.size());
}
