// A part is grasped, carried and put down: the scene changes, the proofs follow.
#include <cstdio>

#include "proven/certify/check.h"

using namespace proven;

// A gantry: slides along x, then along z; a plate is its hand.
Robot gantry() {
  Robot robot;
  robot.name = "gantry";
  const char* names[] = {"frame", "carriage", "hand"};
  for (const char* name : names) {
    RobotLink link;
    link.name = name;
    robot.links.push_back(link);
  }
  robot.links[2].collision = {{Box{{0.1, 0.1, 0.01}}, {}, "plate"}};
  for (int i = 0; i < 2; ++i) {
    RobotJoint slide;
    slide.name = i == 0 ? "x" : "z";
    slide.type = JointType::prismatic;
    slide.parent_link = names[i];
    slide.child_link = names[i + 1];
    slide.axis = i == 0 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
    slide.limits = {-2, 2, 1, 1};
    robot.joints.push_back(slide);
  }
  return robot;
}

void say(const char* what, const CheckModel& model, std::vector<std::vector<double>> waypoints) {
  Scratch scratch;
  const Path path{std::move(waypoints), {}, {}};
  const auto result = model.check(path, scratch);
  std::printf("%s: %s\n", what, to_string(result.value().verdict).data());
}

int main() {
  SceneBuilder builder;
  if (!builder.add_robot(gantry(), "gantry", Pose{}).ok()) return 4;
  if (!builder
           .add_obstacle("part", {{Box{{0.05, 0.05, 0.2}}, {}, "part"}},
                         Pose::translation({0, 0, 0.2}))
           .ok())
    return 4;
  if (!builder
           .add_obstacle("wall", {{Box{{0.02, 1, 0.5}}, {}, "wall"}},
                         Pose::translation({0.6, 0, 0}))
           .ok())
    return 4;
  const Scene scene = std::move(builder).build().value();
  const CheckModel empty = CheckModel::build(scene).value();
  const std::vector<double> above_part = {0, 0.42}, lifted = {0, 0.8}, beyond = {1.2, 0.8};

  say("empty hand over the wall", empty, {lifted, beyond});
  const Scene held = scene.with_attached("part", "gantry/hand", above_part).value();
  const CheckModel carrying = empty.with_scene(held);
  say("with the part in the hand", carrying, {lifted, beyond});
  const std::vector<double> higher = {0, 1.2}, across = {1.2, 1.2};
  say("lifted higher first", carrying, {above_part, higher, across});
  const Scene put_down = held.detached("part", across).value();
  say("empty again, back the low way", empty.with_scene(put_down), {{1.2, 1.3}, {0, 1.3}});
}
