// The verifier's own readers of paths and trajectories against the checker's.
#include <cmath>

#include "verify/readers_support.h"

namespace proven::test {
namespace {

TEST(Readers, AgreeOnEveryPathOfTheRepository) {
  const fs::path folder = bad_input_dir();
  Tally tally;
  for (const char* name : {"ok/scene.json", "ok/two_arms.json", "ok/drone.json"}) {
    const Reference reference(folder / name);
    for (const auto& entry : fs::directory_iterator(folder / "paths")) {
      const std::string what = entry.path().string() + " with " + name;
      compare_path(entry.path(), reference, what, tally);
      compare_interpolations(entry.path(), reference, what, tally);
    }
  }
  EXPECT_GE(tally.refused, 100);
  EXPECT_GE(tally.agreed, 1);
}

std::vector<Seed> motion_seeds() {
  return {{"pieces.json",
           "{\"proven\": 1, \"joints\": [\"turn\", \"slide\", \"follow\"], \"pieces\": [\n"
           "{\"begin\": 0, \"end\": 0.5, \"bezier\": [[0, 0.1, 0.1], [1, 0.2, -0.4], [0.5, 0.3, "
           "-0.15]]},\n"
           "{\"begin\": 0.5, \"end\": 2, \"bezier\": [[0.5, 0.3, -0.15], [0, 0.3, 0.1]]}]}\n"},
          {"flying.yaml",
           "proven: 1\njoints: [fly.x, fly.qz, fly.qw]\npieces:\n"
           "- bezier: [[0, 0, 1], [1, 0.5, 0], [2, -0.25, 0], [0.5, 0.6, 0.8]]\n"
           "- bezier: [[0.5, 0.6, 0.8], [1, 0.6, 0.8]]\n"},
          {"cubic.yaml",
           "joint_names: [turn, slide, follow]\npoints:\n"
           "- {positions: [0, 0.1, 0.1], velocities: [0.5, 0, -0.25], time_from_start: 0.5}\n"
           "- {positions: [0.5, 0.2, -0.15], velocities: [0.3, 0.1, -0.15], effort: [0, 0, 0], "
           "time_from_start: {sec: 1, nanosec: 700}}\n"
           "- {positions: [1, 0.1, -0.4], velocities: [0, 0, 0], time_from_start: 2}\n"},
          {"quintic.json",
           "{\"joint_names\": [\"turn\", \"wheel\"], \"points\": [\n"
           "{\"positions\": [0.1, 2], \"velocities\": [0.3, 1], \"accelerations\": [0.1, -2],\n"
           " \"time_from_start\": 0.5},\n"
           "{\"positions\": [0.3, 2], \"velocities\": [0.7, 0], \"accelerations\": [0, 3],\n"
           " \"time_from_start\": 0.75}]}\n"},
          {"twists.yaml",
           "joint_trajectory:\n  joint_names: [turn]\n  points:\n"
           "  - {positions: [0.1], velocities: [0.2], accelerations: [0.1], time_from_start: 0}\n"
           "  - {positions: [0.2], velocities: [0.1], accelerations: [0], time_from_start: 1.5}\n"
           "multi_dof_joint_trajectory:\n  joint_names: [drive, fly]\n  points:\n"
           "  - transforms:\n"
           "    - {translation: [0, 0, 0], rotation: [0, 0, 0, 1]}\n"
           "    - {translation: [1, 2, 3], rotation: [0, 0, 0.6, 0.8]}\n"
           "    velocities:\n"
           "    - {linear: [1, 0, 0], angular: {x: 0, y: 0, z: 0.5}}\n"
           "    - {linear: [0.1, 0.2, 0.3], angular: [0.25, -0.1, 0.7]}\n"
           "    time_from_start: 0\n"
           "  - transforms:\n"
           "    - {translation: [1, 0.5, 0], rotation: {x: 0, y: 0, z: 0.6, w: -0.8}}\n"
           "    - {translation: [1, 2, 4], rotation: [0.48, 0.36, 0.64, 0.48]}\n"
           "    velocities:\n"
           "    - {linear: [0, 0.1, 0], angular: [0, 0, 0]}\n"
           "    - {linear: {x: 0, y: 0, z: 1}, angular: [0, 0.5, 0.2]}\n"
           "    time_from_start: 1.5\n"},
          {"slerp.yaml",
           "joint_trajectory:\n  joint_names: [turn, slide]\n  points:\n"
           "  - {positions: [0.1, 0], velocities: [0.2, 0.1], time_from_start: 0}\n"
           "  - {positions: [0.2, 0.3], velocities: [0.1, 0], time_from_start: 1.5}\n"
           "multi_dof_joint_trajectory:\n  joint_names: [fly]\n  points:\n"
           "  - transforms: [{translation: [1, 2, 3], rotation: [0, 0, 0.6, 0.8]}]\n"
           "    time_from_start: 0\n"
           "  - transforms: [{translation: [1, 2, 4], rotation: [0.48, 0.36, 0.64, 0.48]}]\n"
           "    time_from_start: 1.5\n"},
          {"rates.csv",
           "time,turn,slide,turn.velocity,slide.velocity,turn.acceleration,slide.acceleration\n"
           "0,0.1,0.2,0.3,0,1,0\n0.7,0.2,0.2,0.1,0.01,0,0\n2,0.3,0.1,0,0,0,0.2\n"},
          {"half.csv",
           "arm/turn.velocity,t,arm/turn,wheel,wheel.velocity\n0.1,0,0.1,1,2\n0,1.1,0.2,7,0\n"}};
}

// A trajectory with numbers of all sizes.
std::string random_trajectory(Random& random) {
  const int degree = 1 + 2 * random.index(3), joints = 1 + random.index(3);
  const char* const names[] = {"turn", "slide", "wheel"};
  std::string text = "joint_names: [";
  for (int i = 0; i < joints; ++i) text += fmt::format("{}{}", i ? ", " : "", names[i]);
  text += "]\npoints:\n";
  double time = random.uniform(0, 10);
  for (int point = 1 + random.index(5); point >= 0; --point) {
    const auto row = [&](double size) {
      std::string list;
      for (int i = 0; i < joints; ++i)
        list += fmt::format("{}{}", i ? ", " : "", random.uniform(-1, 1) * size);
      return list;
    };
    text += fmt::format("- {{positions: [{}]", row(3));
    if (degree > 1)
      text += fmt::format(", velocities: [{}]", row(std::pow(10, random.uniform(-9, 3))));
    if (degree > 3)
      text += fmt::format(", accelerations: [{}]", row(std::pow(10, random.uniform(-9, 6))));
    text += fmt::format(", time_from_start: {}}}\n", time);
    time += std::pow(10, random.uniform(-6, 2));
  }
  return text;
}

// Twists of a floating base.
std::string random_flight(Random& random) {
  std::string text = "multi_dof_joint_trajectory:\n  joint_names: [fly]\n  points:\n";
  double time = 0;
  for (int point = 1 + random.index(3); point >= 0; --point) {
    double q[4], length = 0;
    for (double& part : q) part = random.normal(), length += part * part;
    const auto vector = [&](double size) {
      return fmt::format("[{}, {}, {}]", size * random.normal(), size * random.normal(),
                         size * random.normal());
    };
    const double n = std::sqrt(length);
    text += fmt::format(
        "    - {{transforms: [{{translation: {}, rotation: [{}, {}, {}, {}]}}], velocities: "
        "[{{linear: {}, angular: {}}}], time_from_start: {}}}\n",
        vector(1), q[0] / n, q[1] / n, q[2] / n, q[3] / n, vector(1), vector(1), time);
    time += random.uniform(0.1, 1.5);
  }
  return text;
}

TEST(Readers, AgreeOnMotions) {
  const TemporaryFolder folder;
  const Reference reference(write_rich_scene(folder));
  Tally whole;
  for (const Seed& seed : motion_seeds())
    compare_path(folder.write(seed.name, seed.text), reference, seed.name, whole);
  EXPECT_EQ(whole.agreed, 2 * static_cast<int>(motion_seeds().size()));
  compare_altered(motion_seeds(), 600,
                  [&](const fs::path& file, const std::string& what, Tally& tally) {
                    compare_path(file, reference, what, tally);
                    compare_interpolations(file, reference, what, tally);
                  });
  Random random(11);
  Tally joints, flights;
  for (int i = 0; i < cases(400); ++i) {
    const std::string one = random_trajectory(random), two = random_flight(random);
    compare_path(folder.write("random.yaml", one), reference, one, joints);
    compare_path(folder.write("random.yaml", two), reference, two, flights);
  }
  EXPECT_GE(joints.agreed, cases(400) / 3);
  EXPECT_GE(joints.refused, cases(400) / 20);
  EXPECT_GE(flights.agreed, cases(400) / 3);
}

TEST(Readers, AgreeOnAlteredPaths) {
  const TemporaryFolder folder;
  const Reference reference(write_rich_scene(folder));
  const std::vector<Seed> seeds = {
      {"own.json",
       "{\"proven\": 1, \"joints\": [\"turn\", \"arm/slide\", \"follow\"],\n"
       "\"waypoints\": [[0.1, 0.2, 0.05], [0.2, 0.25, 0]],\n\"times\": [0, 0.5]}\n"},
      {"named.json",
       "{\"proven\": 1, \"joints\": [\"turn\"],\n"
       "\"waypoints\": [[0.1], \"home\", \"all/home\"]}\n"},
      {"ros.yaml",
       "header: {frame_id: ''}\njoint_names: [turn, wheel]\npoints:\n"
       "- positions: [0.1, 20]\n  time_from_start: {sec: 0, nanosec: 0}\n"
       "- positions: [0.2, -3]\n  time_from_start: {sec: 1, nanosec: 500}\n"},
      {"ros.json",
       "{\"joint_trajectory\": {\"joint_names\": [\"turn\", \"wheel\"], \"points\": [\n"
       "{\"positions\": [0.1, 2], \"time_from_start\": 0.5},\n"
       "{\"positions\": [0.3, 2], \"time_from_start\": 0.75}]},\n"
       "\"multi_dof_joint_trajectory\": {}}\n"},
      {"base.yaml",
       "joint_trajectory:\n  joint_names: [turn]\n  points:\n"
       "  - {positions: [0.1], effort: [0], time_from_start: 0}\n"
       "  - {positions: [0.2], accelerations: [], time_from_start: 1}\n"
       "multi_dof_joint_trajectory:\n  header: {frame_id: base}\n  joint_names: [drive]\n  "
       "points:\n"
       "  - transforms: [{translation: [0, 0, 0], rotation: [0, 0, 0, 1]}]\n    time_from_start: "
       "0\n"
       "  - transforms: [{translation: [1, 0, 0], rotation: {x: 0, y: 0, z: 0.6, w: -0.8}}]\n"
       "    time_from_start: 1\n"},
      {"table.csv", "time,turn,\"fly.qx\",fly.qw\n0,0.1,0,1\n1,0.2,1,0\n2.5,0.3,0.6,0.8\n"},
      {"matrix.txt", "0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0\n1 2 3 0.1 0.2 9 1 2 3 0 0 0 0 1 0 0\n"}};
  Tally whole;
  for (const Seed& seed : seeds)
    compare_path(folder.write(seed.name, seed.text), reference, seed.name, whole);
  EXPECT_EQ(whole.agreed, 2 * static_cast<int>(seeds.size()));
  compare_altered(seeds, 1000, [&](const fs::path& file, const std::string& what, Tally& tally) {
    compare_path(file, reference, what, tally);
  });
}

}  // namespace
}  // namespace proven::test
