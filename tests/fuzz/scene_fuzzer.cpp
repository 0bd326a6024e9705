#include "fuzz.h"
#include "proven/io/scene_file.h"

namespace proven::fuzz {
namespace {

bool scene(Bytes input, const char* ending) {
  return answers(load_scene(as_file(input, ending)));
}

std::vector<std::string> scenes() {
  return {R"({"proven": 1, "clearance": 0.01, "robots": [{"name": "arm", "urdf": "arm.urdf",
 "pose": {"xyz": [0, 0, 1], "rpy": [0, 0, 1]}}], "home": {"arm/shoulder": 0.1},
 "obstacles": [{"name": "a", "sphere": 0.1, "pose": {"xyz": [1, 1, 1]}},
 {"name": "b", "capsule": {"radius": 0.1, "length": 1}, "pose": {"quaternion": [1, 0, 0, 0]}},
 {"name": "c", "mesh": "triangle.stl", "scale": 2},
 {"name": "d", "parts": [{"cylinder": {"radius": 0.1, "length": 1}}, {"box": [1, 2, 3]}]}],
 "attached": [{"name": "h", "link": "arm/slider", "box": [0.1, 0.1, 0.1], "touch": ["arm/finger"]}],
 "pairs": {"exclude": [["a", "b", "far"]], "clearance": [["arm/upper", "a", 0.02]]}})"};
}

std::vector<std::string> planning_scenes() {
  return {R"(name: s
robot_model_name: arm
world:
  collision_objects:
    - id: table
      header: {frame_id: base}
      primitives: [{type: box, dimensions: [1, 1, 0.1]}, {type: cylinder, dimensions: [1, 0.1]}]
      primitive_poses: [{position: [0, 0, -1], orientation: [0, 0, 0, 1]}, {position: [1, 0, 0], orientation: [0, 0, 0, 1]}]
robot_state:
  joint_state: {name: [shoulder], position: [0.1]}
allowed_collision_matrix:
  entry_names: [a, b]
  entry_values: [[false, true], [true, false]]
fixed_frame_transforms: []
)"};
}

}  // namespace

std::vector<Fuzzer> scene_fuzzers() {
  return {{"scene",
           [](Bytes input) { return scene(input, "json"); },
           {"bad_input/scenes/*.json", "bad_input/ok/*.json"},
           scenes},
          {"planning_scene",
           [](Bytes input) { return scene(input, "yaml"); },
           {"bad_input/planning_scenes/*.yaml"},
           planning_scenes}};
}

}  // namespace proven::fuzz
