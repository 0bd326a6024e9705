#include "proven/io/path_file.h"

#include "io_support.h"
#include "proven/base/random.h"
#include "proven/io/scene_file.h"

namespace proven::test {
namespace {

using Values = std::vector<double>;
using Names = std::vector<std::string>;

class PathFile : public ::testing::Test {
 protected:
  // Coordinates: arm/shoulder in [-2, 2], arm/slide in [0, 0.3]; arm/finger_joint follows slide.
  Scene scene_ = must(load_scene(bad_input_dir() / "ok/scene.json"));
  TemporaryFolder folder_;
};

TEST_F(PathFile, ReadsOurJson) {
  const Path path =
      must(load_path(folder_.write("p.json", R"({"proven": 1, "joints": ["arm/slide", "shoulder"],
        "waypoints": [[0.1, 1], [0.2, -1.5]], "times": [0, 0.5]})"),
                     scene_));
  ASSERT_EQ(path.waypoints.size(), 2u);
  EXPECT_EQ(path.waypoints[1], (Values{-1.5, 0.2}));
  EXPECT_EQ(path.times, (Values{0, 0.5}));
  EXPECT_TRUE(path.defaulted.empty());
}

TEST_F(PathFile, JointsThatAreNotNamedKeepHomeAndAreListed) {
  const Path path = must(load_path(
      folder_.write("p.json", R"({"proven": 1, "joints": ["slide"], "waypoints": [[0.1]]})"),
      scene_));
  EXPECT_EQ(path.waypoints[0], (Values{0, 0.1}));
  EXPECT_EQ(path.defaulted, (Names{"arm/shoulder"}));
}

TEST_F(PathFile, MimicJointsMayBeNamedConsistently) {
  EXPECT_EQ(error_text(load_path(folder_.write("p.json", R"({"proven": 1,
      "joints": ["finger_joint", "slide"], "waypoints": [[0.06, 0.1]]})"),
                                 scene_)),
            "no error");
}

// What other programs round is within a limit, more is not.
TEST_F(PathFile, LimitsHoldToAMillionthUnlessIgnored) {
  const auto at = folder_.write(
      "at.json", R"({"proven": 1, "joints": ["shoulder"], "waypoints": [[2.0000009]]})");
  const auto beyond = folder_.write(
      "beyond.json", R"({"proven": 1, "joints": ["shoulder"], "waypoints": [[2.0000011]]})");
  EXPECT_TRUE(load_path(at, scene_).ok());
  EXPECT_FALSE(load_path(beyond, scene_).ok());
  EXPECT_TRUE(load_path(beyond, scene_, PathOptions{.ignore_limits = true}).ok());
}

TEST_F(PathFile, AllFormatsOfTheSamePathAgree) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"own.json",
       R"({"proven": 1, "joints": ["shoulder", "slide"], "waypoints": [[0.5, 0.1], [1, 0.25]]})"},
      {"own.yaml", "proven: 1\njoints: [shoulder, slide]\nwaypoints: [[0.5, 0.1], [1, 0.25]]\n"},
      {"ros.json", R"({"joint_names": ["slide", "shoulder"], "points": [
        {"positions": [0.1, 0.5], "time_from_start": 0},
        {"positions": [0.25, 1], "time_from_start": 2.5}]})"},
      {"ros.yaml",
       "header: {frame_id: ''}\njoint_names:\n- shoulder\n- slide\npoints:\n"
       "- positions: [0.5, 0.1]\n  velocities: []\n  time_from_start: {secs: 0, nsecs: 0}\n"
       "- positions: [1.0, 0.25]\n  time_from_start: {secs: 2, nsecs: 500000000}\n---\n"},
      {"table.csv", "time, \"slide\", shoulder\r\n0,0.1,0.5\r\n2.5,0.25,1\r\n\r\n"},
      {"ompl.txt", "0.5 0.1 \n1 0.25 \n\n"}};
  for (const auto& [name, text] : files) {
    SCOPED_TRACE(name);
    const Result<Path> path = load_path(folder_.write(name, text), scene_);
    ASSERT_EQ(error_text(path), "no error");
    EXPECT_EQ(path.value().waypoints, (std::vector<Values>{{0.5, 0.1}, {1, 0.25}}));
    const Values& times = path.value().times;
    EXPECT_TRUE(times.empty() || times == (Values{0, 2.5}));
  }
}

TEST_F(PathFile, BadLinesOfAListAreErrorsInTheirPlace) {
  const auto paths = must(load_paths(
      folder_.write("p.jsonl",
                    "{\"proven\": 1, \"joints\": [\"slide\"], \"waypoints\": [[0.1], [0.2]]}\n\n"
                    "{\"proven\": 1, \"joints\": [\"slide\"], \"waypoints\": [[7]]}\n"
                    "nonsense\n"
                    "{\"proven\": 1, \"joints\": [\"slide\"], \"waypoints\": [[0.1]]}\n"),
      scene_));
  ASSERT_EQ(paths.size(), 4u);
  EXPECT_TRUE(paths[0].ok());
  EXPECT_NE(error_text(paths[1]).find("p.jsonl:3: waypoints[0]: joint arm/slide is 7"),
            std::string::npos);
  EXPECT_NE(error_text(paths[2]).find("p.jsonl:4: not valid JSON"), std::string::npos);
  EXPECT_TRUE(paths[3].ok());
}

TEST_F(PathFile, SavedPathsComeBackBitForBit) {
  Random random(5);
  Path path;
  for (int i = 0; i < 200; ++i) {
    path.waypoints.push_back({random.uniform(-2, 2), random.uniform(0, 0.3)});
    path.times.push_back(i + random.uniform());
  }
  must(save_path(folder_.path() / "p.json", path, scene_));
  const Path back = must(load_path(folder_.path() / "p.json", scene_));
  EXPECT_EQ(back.waypoints, path.waypoints);
  EXPECT_EQ(back.times, path.times);
}

TEST_F(PathFile, ReadsQueriesAndConfigurations) {
  const auto file = folder_.write(
      "q.json", R"({"proven": 1, "joints": ["slide"], "start": [0.1], "goal": [0.2]})");
  const Query query = must(load_query(file, scene_));
  EXPECT_EQ(query.start, (Values{0, 0.1}));
  EXPECT_EQ(query.goal, (Values{0, 0.2}));
  EXPECT_EQ(query.planned, (std::vector<int>{1}));
  EXPECT_EQ(query.defaulted, (Names{"arm/shoulder"}));
  EXPECT_EQ(must(load_configuration(file, scene_)), query.start);
  EXPECT_EQ(must(load_configuration(folder_.write("c.csv", "slide\n0.3\n"), scene_)),
            (Values{0, 0.3}));
}

TEST_F(PathFile, ReadsRequests) {
  const auto write = [&](const std::string& joints) {
    return folder_.write("r.yaml", "start_state:\n  joint_state:\n" + joints +
                                       "goal_constraints:\n  - joint_constraints:\n"
                                       "      - {joint_name: shoulder, position: -1}\n");
  };
  EXPECT_NE(error_text(load_query(write("    name: [ghost]\n    position: [9]\n"), scene_))
                .find("no robot of the scene has a joint 'ghost'"),
            std::string::npos);
  const auto file = write("    name: [shoulder, slide]\n    position: [0.5, 0.1]\n");
  const Query query = must(load_query(file, scene_));
  EXPECT_EQ(query.start, (Values{0.5, 0.1}));
  EXPECT_EQ(query.goal, (Values{-1, 0.1}));
  EXPECT_EQ(query.planned, (std::vector<int>{0}));
}

TEST_F(PathFile, QuaternionsOfFloatingJointsAreUnit) {
  const Scene drone = must(load_scene(bad_input_dir() / "ok/drone.json"));
  EXPECT_EQ(drone.tree().num_coordinates(), 7);
  const std::string joints =
      R"({"proven": 1, "joints": ["drone/flight.x", "drone/flight.qx", "drone/flight.qw"],)";
  EXPECT_EQ(error_text(load_path(
                folder_.write("p.json", joints + "\"waypoints\": [[1, 0.6, 0.8]]}"), drone)),
            "no error");
  EXPECT_FALSE(
      load_path(folder_.write("p.json", joints + "\"waypoints\": [[1, 0.6, 0.9]]}"), drone).ok());
}

}  // namespace
}  // namespace proven::test
