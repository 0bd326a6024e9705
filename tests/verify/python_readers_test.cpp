// The second verifier, in Python, reads scenes and paths in every format, or says what it cannot
// read.
#include "certify/sensed_scenes.h"
#include "curves.h"
#include "flyer.h"
#include "python_verifier.h"

namespace proven::test {
namespace {

TEST(Python, ReadsPlanningScenesAndSaysWhatItCannotRead) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  python.write("arm.urdf", R"(<robot name="arm"><link name="base"/><link name="tool"><collision>
<origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="tool"/><origin xyz="0 0 0.3" rpy="0.1 0.2 0"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint></robot>)");
  python.write("path.json", R"({"proven": 1, "joints": ["turn"], "waypoints": [[0], [0.4]]})");
  python.write("cell.yaml", R"(robot_model_name: arm
robot_state:
  joint_state: {name: [turn], position: [0.25]}
  multi_dof_joint_state:
    joint_names: [base_joint]
    transforms: [{translation: [1, 2, 0], rotation: [0, 0, 0.6, 0.8]}]
world:
  collision_objects:
    - id: shelf
      header: {frame_id: tool}   # where it is at the state
      pose: {position: [0, 0.8, 0.1], orientation: [0, 0.6, 0, 0.8]}
      primitives:
        - {type: box, dimensions: [0.3, 0.2, 0.4]}
        - {type: sphere, dimensions: [0.1]}
      primitive_poses:
        - {position: [0, 0, 0], orientation: [0, 0, 0, 1]}
        - {position: {x: 0, y: 0.3, z: 0.1}, orientation: [0, 0, 0, 1]}
    - id: can
      primitives: [{type: cylinder, dimensions: [0.2, 0.1]}]
      primitive_poses: [{position: [1, 2, 2], orientation: [0, 0, 0.6, 0.8]}]
)");
  const Bytes planning = prove(python, "cell.yaml");
  EXPECT_EQ(python.run(planning, "", "cell.yaml"), kAccepted) << python.output();

  python.write(
      "tetra.ply",
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
      "property float z\nelement face 4\nproperty list uchar int vertex_indices\n"
      "end_header\n0 0 0\n0.1 0 0\n0 0.1 0\n0 0 0.1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
  const std::string scene = R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf"}],
"obstacles": [{"name": "rock", "mesh": "tetra.ply", "pose": {"xyz": [0, -1, 0.3]}}]})";
  python.write("scene.json", scene);
  const Bytes proof = prove(python, "scene.json");
  EXPECT_EQ(python.run(proof), kAccepted) << python.output();
  EXPECT_EQ(python.run(planning), kRejected) << python.output();
  python.write("tetra.ply",
               "ply\nformat ascii 1.0\nelement tristrips 1\nproperty float x\nend_header\n0\n");
  EXPECT_EQ(python.run(proof), kUnreadable) << python.output();
  python.write("path.json", R"({"proven": 1, "joints": ["twist"], "waypoints": [[0]]})");
  EXPECT_EQ(python.run(planning, "", "cell.yaml"), kUnreadable) << python.output();
}

// A rod with a tip on a planar base, and a can beside it.
void write_mobile_arm(const PythonVerifier& python) {
  python.write("arm.urdf", R"(<robot name="arm"><link name="base"/><link name="tool">
<collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision>
<collision><origin xyz="1 0 0"/><geometry><mesh filename="tip.ply"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="tool"/>
<origin xyz="0 0 0.3" rpy="0.1 0.2 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint></robot>)");
  python.write("arm.srdf", R"(<robot name="arm"><virtual_joint name="ground" type="planar"
parent_frame="odom" child_link="base"/></robot>)");
  python.write(
      "tip.ply",
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
      "property float z\nelement face 4\nproperty list uchar int vertex_indices\n"
      "end_header\n0 0 0\n0.1 0 0\n0 0.1 0\n0 0 0.1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
}

TEST(Python, ReadsPaddingScaleAndVirtualJoints) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  write_mobile_arm(python);
  const auto cell = [](const std::string& padding, const std::string& scale) {
    return "robot_model_name: arm\nlink_padding: [{link_name: tool, padding: " + padding +
           "}]\nlink_scale: [{link_name: tool, scale: " + scale + R"(}]
world:
  collision_objects:
    - id: can
      primitives: [{type: cylinder, dimensions: [0.2, 0.1]}]
      primitive_poses: [{position: [0.2, -0.6, 0.3], orientation: [0, 0, 0.6, 0.8]}]
)";
  };
  python.write("path.json", R"({"proven": 1, "joints": ["turn"], "waypoints": [[0], [0.4]]})");
  python.write("cell.yaml", cell("0.02", "1.05"));
  const Bytes proof = prove(python, "cell.yaml");
  EXPECT_EQ(python.run(proof, "", "cell.yaml"), kAccepted) << python.output();
  // The gap is less than half a metre.
  python.write("cell.yaml", cell("0.3", "1"));
  EXPECT_EQ(python.run(proof, "", "cell.yaml"), kRejected) << python.output();
  python.write("cell.yaml", cell("0", "2"));
  EXPECT_EQ(python.run(proof, "", "cell.yaml"), kRejected) << python.output();
  for (const auto& [padding, scale] : {std::pair("-0.1", "1"), std::pair("0", "0.9")}) {
    python.write("cell.yaml", cell(padding, scale));
    EXPECT_EQ(python.run(proof, "", "cell.yaml"), kUnreadable) << python.output();
  }

  const std::string mobile = R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf",
"srdf": "arm.srdf", "virtual_joints": true}], "obstacles": [{"name": "can", "cylinder":
{"radius": 0.1, "length": 0.2}, "pose": {"xyz": [0.2, -0.6, 0.3]}}]})";
  python.write("scene.json", mobile);
  const auto drive = [&](const std::string& y) {
    python.write("path.json", R"({"proven": 1, "joints": ["ground.x", "ground.y", "ground.angle",
"turn"], "waypoints": [[0, 0, 0, 0], [0.1, )" +
                                  y + ", 0.2, 0.4]]}");
  };
  drive("0.1");
  const Bytes driven = prove(python, "scene.json");
  EXPECT_EQ(python.run(driven), kAccepted) << python.output();
  drive("-0.6");  // into the can
  EXPECT_EQ(python.run(driven), kRejected) << python.output();
  python.write("arm.srdf", R"(<robot name="arm"><virtual_joint name="ground" type="planar"
parent_frame="tool" child_link="base"/></robot>)");
  EXPECT_EQ(python.run(driven), kUnreadable) << python.output();
}

TEST(Python, ReadsPathsInEveryFormat) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  write_mobile_arm(python);
  python.write("scene.json", R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf"}],
"obstacles": [{"name": "can", "sphere": 0.1, "pose": {"xyz": [0.2, -0.6, 0.3]}}]})");
  python.write("path.json", R"({"proven": 1, "joints": ["turn"], "waypoints": [[0], [0.4]]})");
  const Bytes proof = prove(python, "scene.json");
  const auto judged = [&](const std::string& name, const std::string& text) {
    python.write(name, text);
    return python.run(proof, "", "scene.json", name);
  };
  const auto agrees = [&](const std::string& name, const std::string& text) {
    EXPECT_EQ(judged(name, text), kAccepted) << name << python.output();
    EXPECT_EQ(prove(python, "scene.json", name), proof) << name;
  };
  agrees("p.csv", "time,arm/turn\n0,0\n1,0.4\n");
  agrees("p.csv", "\"turn\"\r\n 0\r\n 4e-1\r\n\r\n");
  agrees("p.txt", "0\n 0.4 \n\n");
  agrees("p.mat", "0\n0.4\n");
  agrees(
      "p.yaml",
      "joint_names: [turn]\npoints:\n  - {positions: [0], time_from_start: {sec: 0, nanosec: 0}}\n"
      "  - positions: [0.4]\n    velocities: []\n    time_from_start: {sec: 1, nanosec: 5}\n");
  agrees("p.yaml",
         "joint_trajectory:\n  joint_names: [turn]\n  points: [{positions: [0]}, {positions: "
         "[0.4]}]\n");
  agrees("p.yaml", "proven: 1\njoints: [turn]\nwaypoints: [[0], [0.4]]\ntimes: [0, 1]\n");
  // Another path is rejected; what is not one is not read, by neither reader.
  EXPECT_EQ(judged("p.csv", "turn\n0\n-1\n"), kRejected) << python.output();
  const auto refuses = [&](const std::string& name, const std::string& text) {
    EXPECT_EQ(judged(name, text), kUnreadable) << name << ": " << text;
    const Scene scene = build(load_scene_source(python.folder() / "scene.json").value());
    EXPECT_FALSE(load_path(python.folder() / name, scene).ok()) << name << ": " << text;
  };
  refuses("p.csv", "turn\n");
  refuses("p.csv", "turn,turn\n0,0\n");
  refuses("p.csv", "turn\n0\nnan\n");
  refuses("p.csv", "turn\n0\n0x1\n");
  refuses("p.csv", "time,turn\n1,0\n1,0.4\n");
  refuses("p.csv", "turn\n0,4\n");
  refuses("p.txt", "0 1\n0.4 1\n");
  refuses(
      "p.yaml",
      "joint_names: [turn]\npoints: [{positions: [0]}, {positions: [0.4], velocities: [0.1]}]\n");
  refuses("p.yaml",
          "joint_names: [turn]\npoints: [{positions: [0]}, {positions: [0.4], speed: [0]}]\n");
  refuses("p.json", R"({"proven": 1, "joints": ["turn"], "joints": ["turn"], "waypoints": [[0]]})");
  refuses("p.json", R"({"proven": 1, "joints": ["turn"], "waypoints": [[true]]})");
  refuses("p.stl", "0\n0.4\n");
}

// Points with rates are the splines of a controller; a base moves by transforms.
TEST(Python, ReadsTrajectoriesWithRates) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  write_mobile_arm(python);
  python.write("scene.json", R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf",
"srdf": "arm.srdf", "virtual_joints": true}], "obstacles": [{"name": "can", "sphere": 0.1,
"pose": {"xyz": [0.2, -0.6, 0.3]}}]})");
  const auto both = [](const std::string& velocity, const std::string& rates,
                       const std::string& y) {
    return "joint_trajectory:\n  joint_names: [turn]\n  points:\n" +
           ("    - {positions: [0], velocities: [" + velocity + "]" + rates) +
           ", time_from_start: {sec: 0, nanosec: 0}}\n    - {positions: [0.4], velocities: [0.1]" +
           rates + R"(, time_from_start: {sec: 1, nanosec: 500000000}}
multi_dof_joint_trajectory:
  header: {frame_id: odom}
  joint_names: [ground]
  points:
    - {transforms: [{translation: [0, 0, 0], rotation: [0, 0, 0, 1]}], time_from_start: 0,
       velocities: [{linear: [0.1, 0, 0], angular: [0, 0, 0.1]}]}
    - {transforms: [{translation: [0, )" +
           y + R"(, 0], rotation: [0, 0, 0.6, 0.8]}], time_from_start: 1.5,
       velocities: [{linear: [0, 0.1, 0], angular: [0, 0, 0]}]}
)";
  };
  const std::string accelerations = ", accelerations: [0.3], effort: [0]";
  for (const std::string& rates : {std::string(), accelerations}) {
    python.write("p.yaml", both("0.2", rates, "0.1"));
    const Bytes proof = prove(python, "scene.json", "p.yaml");
    EXPECT_EQ(python.run(proof, "", "scene.json", "p.yaml"), kAccepted) << python.output();
    // Other rates swing the rod into the can, and so does the base.
    python.write("p.yaml", both("-6", rates, "0.1"));
    EXPECT_EQ(python.run(proof, "", "scene.json", "p.yaml"), kRejected) << python.output();
    python.write("p.yaml", both("0.2", rates, "-0.6"));
    EXPECT_EQ(python.run(proof, "", "scene.json", "p.yaml"), kRejected) << python.output();
  }
  python.write("p.csv", "time,turn,turn.velocity\n0,0,0\n1,0.2,0.1\n2,0.4,0\n");
  const Bytes table = prove(python, "scene.json", "p.csv");
  EXPECT_EQ(python.run(table, "", "scene.json", "p.csv"), kAccepted) << python.output();
  python.write("p.csv", "time,turn,turn.velocity\n0,0,0\n1,0.2,-20\n2,0.4,0\n");
  EXPECT_EQ(python.run(table, "", "scene.json", "p.csv"), kRejected) << python.output();
  const auto refuses = [&](const std::string& name, const std::string& text) {
    python.write(name, text);
    EXPECT_EQ(python.run(table, "", "scene.json", name), kUnreadable) << name << ": " << text;
    const Scene scene = build(load_scene_source(python.folder() / "scene.json").value());
    EXPECT_FALSE(load_path(python.folder() / name, scene).ok()) << name << ": " << text;
  };
  refuses("p.csv", "time,turn,turn.acceleration\n0,0,0\n1,0.2,0.1\n");
  refuses("p.csv", "turn,turn.velocity\n0,0\n0.2,0.1\n");
  refuses("p.csv", "time,turn,base.velocity\n0,0,0\n1,0.2,0.1\n");
  refuses("p.csv", "time,turn,turn.velocity\n0,0,1e-80\n1,0.2,0.1\n");
  refuses("p.yaml", both("0.2", ", effort: [1]", "0.1"));
  refuses("p.yaml", both("0.2, 0.1", "", "0.1"));
  std::string text = both("0.2", "", "0.1");
  text.replace(text.find("odom"), 4, "tool");
  refuses("p.yaml", text);
  text = both("0.2", "", "0.1");
  text.replace(text.find("time_from_start: 1.5"), 20, "time_from_start: 1.6");
  refuses("p.yaml", text);
  text = both("0.2", "", "0.1");
  text.replace(text.find("linear: [0.1, 0, 0]"), 19, "linear: [0.1, 0, 1]");
  refuses("p.yaml", text);
}

}  // namespace
}  // namespace proven::test
