// One function per built-in scene; scenes.h names them.
#pragma once

#include "proven/scene/scene.h"
#include "scenes/scenes.h"

namespace proven::scenes {

SceneSource make_rings();
SceneSource make_rod();
SceneSource make_cage_a();
SceneSource make_cage_b();
SceneSource make_lattice(int arms);  // 1 or 9
SceneSource make_machine_tool_scene();
SceneSource make_workshop_scene();
SceneSource make_car_a();
SceneSource make_car_b();
SceneSource make_floor(double clearance);
SceneSource make_box(double clearance, double width);

SceneSource make_demo();
SceneSource make_planar(int links);
SceneSource make_gantry();
SceneSource make_free_flyer();
SceneSource make_lever();
SceneSource make_corridor(int joints);

// The posture of the arm in floor, box and narrow-box: joints 1 to 6.
inline constexpr double kSweepPosture[6] = {0, 1.1, -0.1, 0, 0.45, 0};

}  // namespace proven::scenes
