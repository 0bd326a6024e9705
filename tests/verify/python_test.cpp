// The two verifiers, which share no line of code, agree on accepted and on altered certificates.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "certify/sensed_scenes.h"
#include "curves.h"
#include "flyer.h"
#include "geometry/nested_boxes.h"
#include "naive_producer.h"
#include "places.h"
#include "proven/certify/check.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/io/scene_writer.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;

bool have_python() {
  return std::system("python3 -c 'import mpmath' 2>/dev/null && zstd --version >/dev/null") == 0;
}

class PythonVerifier {
 public:
  PythonVerifier()
      : folder_(fs::path(testing::TempDir()) /
                ("proven_python_verifier_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~PythonVerifier() { fs::remove_all(folder_); }

  // Writes the scene and reads it again: what the files say counts.
  SceneSource store(const SceneSource& source) {
    fs::remove_all(folder_);
    EXPECT_TRUE(save_scene(source, folder_).ok());
    auto loaded = load_scene_source(folder_ / "scene.json");
    EXPECT_TRUE(loaded.ok());
    return std::move(loaded).value();
  }
  void store(const Path& path, const Scene& scene) {
    EXPECT_TRUE(save_path(folder_ / "path.json", path, scene).ok());
  }
  const fs::path& folder() const { return folder_; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(folder_);
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  int run(const Bytes& certificate, const std::string& options = "",
          const std::string& scene = "scene.json", const std::string& path = "path.json") {
    std::ofstream(folder_ / "certificate", std::ios::binary)
        .write(reinterpret_cast<const char*>(certificate.data()),
               static_cast<std::streamsize>(certificate.size()));
    const std::string command = "cd '" + folder_.string() + "' && python3 '" + test::source_dir() +
                                "/verify/verify.py' " + scene + " " + path + " certificate " +
                                options + " > output 2> errors";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string output() const {
    std::ifstream in(folder_ / "output");
    std::string line;
    std::getline(in, line);
    return line;
  }

 private:
  fs::path folder_;
};

constexpr int kAccepted = 0, kUnreadable = 4, kRejected = 5;

// A certificate that the path from 0 to 0.4 of the file's only joint is free.
Bytes prove(const PythonVerifier& python, const std::string& scene_file,
            const std::string& path_file = "path.json") {
  const auto loaded = load_scene_source(python.folder() / scene_file);
  EXPECT_TRUE(loaded.ok()) << loaded.error().text();
  const Scene scene = build(loaded.value());
  const auto path = load_path(python.folder() / path_file, scene);
  EXPECT_TRUE(path.ok()) << path.error().text();
  CheckOptions options;
  options.certificate = true;
  Scratch scratch;
  const auto result = check(scene, path.value(), options, scratch);
  EXPECT_TRUE(result.ok() && result.value().verdict == Verdict::free);
  EXPECT_TRUE(verify(loaded.value(), path.value(), result.value().certificate).accepted);
  return result.value().certificate;
}

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

TEST(Python, AgreesWithTheFirstVerifier) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  int accepted = 0, rejected = 0;
  for (int i = 0; i < cases(12); ++i) {
    Random random(50 + static_cast<std::uint64_t>(i));
    RandomSceneOptions options;
    options.floating = i % 3 == 0;
    options.links = 2 + i % 3;
    options.obstacles = 2;
    const SceneSource source = python.store(random_scene(random, options));
    const Scene scene = build(source);
    const Path path{random_segment(scene.tree(), random, 0.3), {}, {}};
    CheckOptions check_options;
    check_options.checker = Checker::directional;
    check_options.certificate = true;
    Scratch scratch;
    const auto result = check(scene, path, check_options, scratch);
    ASSERT_TRUE(result.ok());
    if (result.value().verdict != Verdict::free) continue;
    python.store(path, scene);
    EXPECT_TRUE(verify(source, path, result.value().certificate).accepted);
    EXPECT_EQ(python.run(result.value().certificate), kAccepted) << i << ": " << python.output();
    ++accepted;

    PlainCertificate altered = read(result.value().certificate);
    const std::size_t at =
        static_cast<std::size_t>(random.index(static_cast<int>(altered.body.size())));
    altered.body[at] = static_cast<std::uint8_t>(altered.body[at] ^ (1 << random.index(8)));
    const Bytes bytes = write(altered);
    const VerifyReport report = verify(source, path, bytes);
    EXPECT_EQ(python.run(bytes), report.accepted ? kAccepted : kRejected)
        << i << ": " << python.output() << " / " << report.reason;
    (report.accepted ? accepted : rejected) += 1;

    VerifyOptions wide;
    wide.clearance = 0.05;
    const bool still = verify(source, path, result.value().certificate, wide).accepted;
    EXPECT_EQ(python.run(result.value().certificate, "--clearance 0.05"),
              still ? kAccepted : kRejected)
        << i << ": " << python.output();
    (still ? accepted : rejected) += 1;

    // By class of pairs and by joint.
    const std::string joint = scene.tree().coordinates()[0].joint;
    wide.clearance = {0.01, 0.01, 0.02, 0};
    wide.tracking_error = 0.001;
    wide.tracking_error.joints[joint] = 0.02;
    const bool close = verify(source, path, result.value().certificate, wide).accepted;
    EXPECT_EQ(python.run(result.value().certificate,
                         "--clearance 0.01,self=0.02 --tracking-error 0.001," + joint + "=0.02"),
              close ? kAccepted : kRejected)
        << i << ": " << python.output();
  }
  EXPECT_GE(accepted, 1);
  EXPECT_GE(rejected, cases(12) / 4);
}

// A motion as its file: rows are control points, both ends included. What follows the clock is not
// named.
std::string text_of(const Motion& motion, const Scene& scene) {
  std::string text = "{\"proven\": 1, \"joints\": [", comma;
  const auto coordinates = scene.tree().coordinates();
  const auto named = [&](std::size_t i) { return !scene.follows_clock(static_cast<int>(i)); };
  const auto number = [](double x) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", x);
    return std::string(digits);
  };
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (named(i)) text += std::exchange(comma, ", ") + "\"" + coordinates[i].name + "\"";
  text += "], \"pieces\": [";
  for (int i = 0; i < motion.num_segments(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool timed = !motion.times.empty();
    const MotionPiece piece = motion.piece(i);
    text += (i ? ", {\"begin\": " : "{\"begin\": ") + number(timed ? motion.times[at] : i) +
            ", \"end\": " + number(timed ? motion.times[at + 1] : i + 1) + ", \"bezier\": [";
    for (int k = 0; k <= piece.degree(); ++k) {
      text += k ? ", [" : "[";
      comma.clear();
      for (std::size_t c = 0; c < coordinates.size(); ++c)
        if (named(c)) text += std::exchange(comma, ", ") + number(piece.control(k)[c]);
      text += "]";
    }
    text += "]}";
  }
  return text + "]}";
}

std::size_t count_leaves(const ProofNode& node) {
  std::size_t count = node.is_leaf();
  for (const ProofNode& child : node.children) count += count_leaves(child);
  return count;
}

TEST(Python, AgreesOnCurves) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  int accepted = 0, rejected = 0, compared = 0;
  for (int i = 0; compared < cases(12); ++i) {
    Random random(70000 + static_cast<std::uint64_t>(i));
    const SceneSource source = python.store(scene_of_all_joints(random, i));
    const Scene scene = build(source);
    const Motion motion = random_motion(scene.tree(), random, 0.3, 1 + i % 2);
    const verifier::Model model = verifier::build_model(source, {});
    const auto proofs = NaiveProducer(model, motion, 0, 1).run();
    if (!proofs) continue;
    std::size_t leaves = 0;
    for (const auto& segment : *proofs)
      for (const ProofNode& root : segment) leaves += count_leaves(root);
    if (leaves > 250) continue;  // for the sake of time
    ++compared;
    PlainCertificate certificate = blank_certificate(model, motion);
    certificate.body = write(*proofs);
    python.write("path.json", text_of(motion, scene));
    EXPECT_TRUE(verify(source, motion, write(certificate)).accepted);
    EXPECT_EQ(python.run(write(certificate)), kAccepted) << i << ": " << python.output();
    const auto agree = [&](const Motion& given, const PlainCertificate& altered) {
      python.write("path.json", text_of(given, scene));
      const VerifyReport report = verify(source, given, write(altered));
      EXPECT_EQ(python.run(write(altered)), report.accepted ? kAccepted : kRejected)
          << i << ": " << python.output() << " / " << report.reason;
      (report.accepted ? accepted : rejected) += 1;
    };
    PlainCertificate altered = certificate;
    auto& byte =
        altered.body[static_cast<std::size_t>(random.index(static_cast<int>(altered.body.size())))];
    byte = static_cast<std::uint8_t>(byte ^ (1 << random.index(8)));
    agree(motion, altered);
    altered = certificate;
    ++altered.degree;
    agree(motion, altered);
    for (const double size : {0.001, 0.3}) {
      Motion moved = motion;
      moved.inner[0][0][0] += size;
      agree(moved, certificate);
    }
  }
  EXPECT_GE(accepted, 1);
  EXPECT_GE(rejected, 1);
}

// A motion of a body that floats, in pieces of degree 1 to 4, each of its turns about one axis.
Motion random_flight(Random& random) {
  Motion motion;
  double time = random.uniform(-1, 1);
  for (int i = 0; i < 2 + random.index(2); ++i) {
    const Vec3 axis = random.unit_vector();
    const double half = random.uniform(0, 0.6);
    motion.waypoints.push_back({random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5),
                                random.uniform(-0.5, 0.5), std::sin(half) * axis.x,
                                std::sin(half) * axis.y, std::sin(half) * axis.z, std::cos(half)});
    motion.times.push_back(time);
    time += random.uniform(0.2, 1.5);
    if (i == 0) continue;
    motion.inner.emplace_back();
    for (int k = random.index(4); k > 0; --k)
      motion.inner.back().push_back({random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5),
                                     random.uniform(-0.5, 0.5), 0, 0, 0, 0});
  }
  return motion;
}

// Two obstacles move or grow, and may be late; every third scene has a robot that follows the
// clock.
SceneSource random_clock_scene(Random& random, int number) {
  SceneSource source = scene_of_all_joints(random, number);
  for (int i = 0; i < 2; ++i) {
    ObstacleSource mover{"mover" + std::to_string(i),
                         {{Box{{0.1, 0.05, 0.08}}, {}, "box"}},
                         Pose::translation(1.5 * random.unit_vector())};
    if (random.index(4) > 0) mover.motion = std::make_shared<const Motion>(random_flight(random));
    if (!mover.motion || random.index(2) == 0) mover.grows = random.uniform(0.01, 0.2);
    if (mover.motion && random.index(3) == 0) mover.late = random.uniform(0.01, 0.3);
    source.obstacles.push_back(std::move(mover));
  }
  if (number % 3 == 0) {
    RobotSource& robot = source.robots.emplace_back(source.robots[0]);
    robot.name = "clockwork";
    robot.X_WR.p += Vec3{-1.2, 0.3, 0};
    KinematicTree tree;
    EXPECT_TRUE(tree.add_robot(robot.robot, robot.name, Pose{}).ok());
    // Straight between waypoints: turns may be cut.
    Motion motion{random_segment(tree, random, 0.2), {0.2, 1.1 + random.uniform()}, {}};
    robot.motion = std::make_shared<const Motion>(std::move(motion));
  }
  return source;
}

// One thing of the clock is another: a control point, a time, a growth, a lateness.
SceneSource with_other_clock(const SceneSource& source, Random& random, int what) {
  SceneSource other = source;
  for (ObstacleSource& obstacle : other.obstacles) {
    if (what == 2 && obstacle.grows > 0) obstacle.grows += 1;
    if (what == 3 && obstacle.late > 0) obstacle.late += 0.5;
    if (what >= 2 || !obstacle.motion) continue;
    Motion motion = *obstacle.motion;
    if (what == 1) {
      for (double& time : motion.times) time += 0.3;
    } else {
      auto& inner = motion.inner.empty() ? motion.waypoints : motion.inner[0];
      (inner.empty() ? motion.waypoints[0] : inner[0])[static_cast<std::size_t>(random.index(3))] +=
          random.uniform(0.5, 2);
    }
    obstacle.motion = std::make_shared<const Motion>(std::move(motion));
  }
  return other;
}

TEST(Python, AgreesOnTheClock) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  int accepted = 0, rejected = 0, compared = 0, by_growth = 0, late = 0;
  for (int i = 0; compared < cases(8); ++i) {
    Random random(90000 + static_cast<std::uint64_t>(i));
    const SceneSource source = python.store(random_clock_scene(random, i));
    const Scene scene = build(source);
    Motion motion = random_motion(scene.tree(), random, 0.2, 1 + i % 2);
    for (std::size_t k = 0; k < motion.waypoints.size(); ++k)
      motion.times.push_back(0.1 + 0.9 * static_cast<double>(k));
    for (std::size_t c = 0; c < scene.home().size(); ++c) {
      // Turns between the ends may be cut only if they are about one axis.
      const bool turns = scene.tree().coordinates()[c].quaternion;
      const bool clock = scene.follows_clock(static_cast<int>(c));
      for (auto& q : motion.waypoints)
        if (clock) q[c] = scene.home()[c];
      for (auto& rows : motion.inner)
        for (auto& q : rows)
          if (clock || turns) q[c] = turns ? 0 : scene.home()[c];
    }
    CheckOptions options;
    options.certificate = true;
    Scratch scratch;
    const auto result = check(scene, motion, options, scratch);
    ASSERT_TRUE(result.ok()) << result.error().text();
    const Bytes& certificate = result.value().certificate;
    if (result.value().verdict != Verdict::free) continue;
    const VerifyReport report = verify(source, motion, certificate);
    EXPECT_TRUE(report.accepted) << report.reason;
    if (report.leaves > 120) continue;  // for the sake of time
    ++compared;
    python.write("path.json", text_of(motion, scene));
    EXPECT_EQ(python.run(certificate), kAccepted) << i << ": " << python.output();
    const auto agree = [&](const SceneSource& given, const Motion& moved, const Bytes& bytes) {
      const VerifyReport theirs = verify(given, moved, bytes);
      EXPECT_EQ(python.run(bytes), theirs.accepted ? kAccepted : kRejected)
          << i << ": " << python.output() << " / " << theirs.reason;
      (theirs.accepted ? accepted : rejected) += 1;
      return theirs.accepted;
    };
    PlainCertificate altered = read(certificate);
    auto& byte =
        altered.body[static_cast<std::size_t>(random.index(static_cast<int>(altered.body.size())))];
    byte = static_cast<std::uint8_t>(byte ^ (1 << random.index(8)));
    agree(source, motion, write(altered));
    Motion later = motion;
    for (double& time : later.times) time += 2;
    python.write("path.json", text_of(later, scene));
    agree(source, later, certificate);
    late += std::ranges::any_of(source.obstacles, [](const auto& o) { return o.late > 0; });
    for (int what = 0; what < 4; ++what) {
      const SceneSource other = python.store(with_other_clock(source, random, what));
      python.write("path.json", text_of(motion, scene));
      Motion same = motion;  // what follows the clock starts elsewhere
      const Scene others = build(other);
      for (std::size_t c = 0; c < others.home().size(); ++c)
        for (auto& q : same.waypoints)
          if (others.follows_clock(static_cast<int>(c))) q[c] = others.home()[c];
      by_growth += !agree(other, same, certificate) && what == 2;
    }
  }
  EXPECT_GE(accepted, 1);
  EXPECT_GE(rejected, cases(8));
  EXPECT_GE(by_growth, 1);
  EXPECT_GE(late, 1);
}

TEST(Python, RefusesMotionsThatItCannotMean) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  SceneSource given;
  given.robots.push_back(flyer({{Box{{0.1, 0.1, 0.1}}, {}, "box"}}));
  given.obstacles.push_back({"wall", {{Box{{1, 1, 0.1}}, {}, "box"}}, Pose{}});
  const SceneSource source = python.store(given);
  Motion motion{{{0, 0, 1, 0, 0, 0, 1}, {0, 0, 1, 0, 0, 0, 1}}, {}, {}, {}};
  motion.inner = {{{0.1, 0, 1, 0.1, 0, 0, 0}}};
  const verifier::Model model = verifier::build_model(source, {});
  const auto proofs = NaiveProducer(model, motion, 0, 1).run();
  ASSERT_TRUE(proofs);
  PlainCertificate certificate = blank_certificate(model, motion);
  certificate.body = write(*proofs);
  ASSERT_TRUE(verify(source, motion, write(certificate)).accepted);
  const std::string good = text_of(motion, build(source));
  const auto run = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    python.write("path.json", text);
    return python.run(write(certificate));
  };
  EXPECT_EQ(run("proven", "proven"), kAccepted) << python.output();
  EXPECT_EQ(run("\"begin\": 0", "\"begin\": 1"), kUnreadable);
  EXPECT_EQ(run("\"begin\"", "\"speed\": 1, \"begin\""), kUnreadable);
  EXPECT_EQ(run("\"proven\": 1", "\"proven\": 2"), kUnreadable);
  EXPECT_EQ(run("\"proven\": 1", "\"proven\": 1, \"note\": 1"), kUnreadable);
  EXPECT_EQ(run("[0.1", "[1e10"), kUnreadable);
  EXPECT_EQ(run("[0.1", "[true"), kUnreadable);
  EXPECT_EQ(run("[0.10000000000000001, 0", "[0.1"), kUnreadable);
  EXPECT_EQ(run("0, 0, 0]", "0, 0, 1e-9]"), kRejected) << python.output();
  const std::string second =
      "{\"begin\": 1, \"end\": 2, \"bezier\": [[0, 0, 1, 0, 0, 0, 1], "
      "[0, 0, 1, 0, 0, 0, 1]]}";
  EXPECT_EQ(run("}]}", "}, " + second + "]}"), kRejected) << python.output();  // one piece more
  std::string apart = second, later = second;
  apart.replace(apart.find("[[0"), 3, "[[1");
  later.replace(later.find('1'), 1, "1.5");
  EXPECT_EQ(run("}]}", "}, " + apart + "]}"), kUnreadable);
  EXPECT_EQ(run("}]}", "}, " + later + "]}"), kUnreadable);
}

// A small box that flies a little, near or in boxes within boxes (docs/inside.md).
SceneSource nested_scene(const NestedBoxes& boxes) {
  SceneSource source;
  source.robots.push_back(flyer({{block_mesh({0.002, 0.002, 0.002}), {}, "mesh"}}));
  source.obstacles.push_back(
      {"boxes", {{std::make_shared<const TriangleMesh>(boxes.mesh), {}, "mesh"}}, Pose{}});
  return source;
}

TEST(Python, AgreesOnCloudsAndVoxels) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  int accepted = 0, rejected = 0;
  for (int i = 0; accepted < cases(12) && i < 100; ++i) {
    Random random(8800 + static_cast<std::uint64_t>(i));
    const SceneSource source = python.store(random_sensed_scene(random, 25, i % 4 == 0).sensed);
    const Scene scene = build(source);
    const Path path{random_segment(scene.tree(), random, 0.3), {}, {}};
    CheckOptions options;
    options.certificate = true;
    Scratch scratch;
    const auto result = check(scene, path, options, scratch);
    ASSERT_TRUE(result.ok());
    if (result.value().verdict != Verdict::free) continue;
    const Bytes certificate = result.value().certificate;
    python.store(path, scene);
    ASSERT_TRUE(verify(source, path, certificate).accepted);
    EXPECT_EQ(python.run(certificate), kAccepted) << i << ": " << python.output();
    ++accepted;
    // Larger balls and voxels: both verifiers say the same.
    SceneSource larger = source;
    for (ObstacleSource& obstacle : larger.obstacles) {
      Shape& shape = obstacle.elements[0].shape;
      if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&shape)) {
        PointCloud other = **cloud;
        other.radius += random.uniform(0, 0.5);
        shape = std::make_shared<const PointCloud>(other);
      } else if (const auto* voxels = std::get_if<std::shared_ptr<const VoxelSet>>(&shape)) {
        VoxelSet other = **voxels;
        other.size *= random.uniform(1, 5);
        shape = std::make_shared<const VoxelSet>(other);
      }
    }
    larger = python.store(larger);
    python.store(path, build(larger));
    const bool holds = verify(larger, path, certificate).accepted;
    EXPECT_EQ(python.run(certificate), holds ? kAccepted : kRejected) << i << python.output();
    rejected += !holds;
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(rejected, 0);
}

TEST(Python, AgreesOnWhatIsInside) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  Random random(51);
  int inside = 0, hollow = 0, outside = 0, open = 0;
  // The time goes to Python, whatever the build; fewer need not show all outcomes.
  for (int i = 0; i < 40; ++i) {
    const NestedBoxes boxes(random);
    const Vec3 p = boxes.random_point(random);
    const NestedBoxes::Place place = boxes.find(p);
    const SceneSource source = python.store(nested_scene(boxes));
    const Path path{{{p.x, p.y, p.z, 0, 0, 0, 1}, {p.x + 0.001, p.y, p.z, 0, 0, 0, 1}}, {}, {}};
    const verifier::Model model = verifier::build_model(source, {});
    const auto proofs = NaiveProducer(model, path, 0, 1).run();
    if (!proofs) continue;  // surfaces touch
    PlainCertificate certificate = blank_certificate(model, path);
    certificate.body = write(*proofs);
    python.store(path, build(source));
    const VerifyReport report = verify(source, path, write(certificate));
    EXPECT_EQ(report.accepted, !place.inside) << i << ": " << report.reason;
    EXPECT_EQ(python.run(write(certificate)), place.inside ? kRejected : kAccepted)
        << i << ": " << python.output();
    if (report.accepted) {
      EXPECT_EQ(python.output().find("no well-defined inside: boxes") != std::string::npos,
                !report.no_inside.empty());
    }
    ++(place.inside ? inside : place.in_cavity ? hollow : outside);
    open += !report.no_inside.empty();
  }
  for (const int count : {inside, hollow, outside, open}) EXPECT_GE(count, 1);
}

}  // namespace
}  // namespace proven::test
