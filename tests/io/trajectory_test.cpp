// Trajectories of ROS, columns that could mean two things, and configurations that have a name.
#include "proven/io/trajectory.h"

#include "io_support.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"

namespace proven::test {
namespace {

constexpr const char* kUrdf = R"(<robot name="arm">
<link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="a"/><link name="b"/><link name="c"/>
<joint name="t" type="prismatic"><parent link="base"/><child link="a"/><limit lower="0" upper="9"/></joint>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="fly" type="floating"><parent link="b"/><child link="c"/></joint>
</robot>)";

constexpr const char* kSrdf = R"(<robot name="arm">
<group name="one"><joint name="t"/></group><group name="two"><joint name="j"/></group>
<group_state name="rest" group="one"><joint name="t" value="1"/></group_state>
<group_state name="rest" group="two"><joint name="j" value="0.5"/></group_state>
<group_state name="far" group="one"><joint name="t" value="3"/></group_state>
<group_state name="ghost" group="one"><joint name="nothing" value="3"/></group_state>
<virtual_joint name="drive" type="planar" parent_frame="odom" child_link="base"/></robot>)";

class Trajectories : public testing::Test {
 protected:
  Trajectories() {
    folder_.write("arm.urdf", kUrdf);
    folder_.write("arm.srdf", kSrdf);
    scene_ = must(load_scene(folder_.write("s.json", R"({"proven": 1, "robots": [
      {"name": "arm", "urdf": "arm.urdf", "srdf": "arm.srdf", "virtual_joints": true}]})")));
  }
  Result<Path> read(const std::string& name, const std::string& text, PathOptions options = {}) {
    return load_path(folder_.write(name, text), scene_, options);
  }
  double value(const Path& path, std::size_t waypoint, const std::string& name) const {
    return path.waypoints.at(waypoint).at(
        static_cast<std::size_t>(scene_.tree().find_coordinate(name)));
  }

  TemporaryFolder folder_;
  Scene scene_;
};

constexpr const char* kWhole = R"(
joint_trajectory:
  joint_names: [j]
  points: [{positions: [0], time_from_start: 0}, {positions: [1], time_from_start: 2}]
multi_dof_joint_trajectory:
  joint_names: [fly, drive]
  points:
    - transforms:
        - {translation: [1, 2, 3], rotation: [0, 0, 0, 1]}
        - {translation: [4, 5, 0], rotation: [0, 0, 0.9999, 0.0141]}
      time_from_start: 0
    - transforms:
        - {translation: [1, 2, 4], rotation: [0, 1, 0, 0]}
        - {translation: [4, 6, 0], rotation: [0, 0, 0.9999, -0.0141]}
      time_from_start: 2
)";

TEST_F(Trajectories, JointsOfSeveralValuesMove) {
  const Path path = must(read("p.yaml", kWhole));
  ASSERT_EQ(path.waypoints.size(), 2u);
  EXPECT_EQ(path.times, (std::vector<double>{0, 2}));
  EXPECT_EQ(value(path, 1, "arm/j"), 1);
  EXPECT_EQ(value(path, 1, "arm/fly.z"), 4);
  EXPECT_EQ(value(path, 1, "arm/fly.qy"), 1);
  EXPECT_EQ(value(path, 1, "arm/drive.y"), 6);
  // Across pi the turn is the shorter one.
  const double turn = value(path, 1, "arm/drive.angle") - value(path, 0, "arm/drive.angle");
  EXPECT_NEAR(turn, 2 * 2 * 0.0141, 1e-4);
}

TEST_F(Trajectories, RefusesWhatItDoesNotHonour) {
  const std::string whole = kWhole;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {with("[fly, drive]", "[fly, drivee]"), "did you mean 'drive'?"},
      {with("[fly, drive]", "[fly, j]"), "no planar or floating joint is named 'j'"},
      {with("translation: [4, 6, 0]", "translation: [4, 6, 1]"), "a planar joint moves along x"},
      {with("{positions: [1], time_from_start: 2}", "{positions: [1], time_from_start: 3}"),
       "both need the same times"},
      {with("{positions: [0], ", "{positions: [0], velocities: [1], "), "--interpolation linear"},
      {with("{positions: [0], ", "{positions: [0], accelerations: [1], "),
       "--interpolation linear"},
      {with("{positions: [0], ", "{positions: [0], effort: [1], "), "--interpolation linear"},
      {with("  joint_names: [fly", "  header: {frame_id: elsewhere}\n  joint_names: [fly"),
       "not in 'elsewhere'"},
      {with("  joint_names: [j]", "  header: {frme_id: odom}\n  joint_names: [j]"),
       "unknown key 'frme_id'"},
      {with("{positions: [1], time_from_start: 2}",
            "{positions: [1], time_from_start: {sec: 1, nanosec: 1000000000}}"),
       "nanosec: expected a whole number from 0 to 999999999"},
      {with("{positions: [1], time_from_start: 2}",
            "{positions: [1], time_from_start: {sec: 1, nanosec: -1}}"),
       "nanosec: expected a whole number"},
      {with("{positions: [1], time_from_start: 2}",
            "{positions: [1], time_from_start: {secs: 1.5, nsecs: 500000000}}"),
       "secs: expected a whole number"},
  };
  for (const auto& [text, words] : cases) {
    const std::string error = error_text(read("p.yaml", text));
    EXPECT_NE(error.find(words), std::string::npos) << error;
    EXPECT_NE(error.find("p.yaml:"), std::string::npos) << error;
  }
}

// Rates of zero are rates: they say how the points are passed.
TEST_F(Trajectories, RatesOfZeroMakeCurvesToo) {
  const std::string text = R"({"joint_names": ["j"], "points": [
      {"positions": [0], "velocities": [0], "effort": [0], "time_from_start": 0},
      {"positions": [1], "velocities": [RATE], "accelerations": [], "time_from_start": 1}]})";
  const auto with = [&](const std::string& rate) {
    std::string copy = text;
    return copy.replace(copy.find("RATE"), 4, rate);
  };
  const Motion stops = must(read("p.json", with("0")));
  EXPECT_EQ(value({stops.inner[0], {}, {}}, 1, "arm/j"), 1);
  EXPECT_NE(must(read("p.json", with("0.1"))).inner, stops.inner);
  EXPECT_TRUE(
      must(read("p.json", with("0.1"), {.interpolation = Interpolation::linear})).straight());
}

TEST_F(Trajectories, AColumnIsTheJointOfItsName) {
  const Path path = must(read("p.csv", "t,j\n0,0\n2,1\n"));
  EXPECT_EQ(value(path, 1, "arm/t"), 2);
  EXPECT_TRUE(path.times.empty());
  const Path timed = must(read("p.csv", "time,t\n0,0\n5,1\n"));
  EXPECT_EQ(timed.times, (std::vector<double>{0, 5}));
  EXPECT_NE(error_text(read("p.csv", "t,arm/t\n0,0\n5,1\n")).find("named twice"),
            std::string::npos);
}

TEST_F(Trajectories, ConfigurationsHaveNames) {
  const Path path =
      must(read("p.json", R"({"proven": 1, "joints": ["t", "j"], "waypoints": ["rest", [2, 2]]})"));
  EXPECT_EQ(value(path, 0, "arm/t"), 1);  // both groups' states of that name
  EXPECT_EQ(value(path, 0, "arm/j"), 0.5);
  const auto query = [&](const std::string& text) {
    return load_query(folder_.write("q.json", text), scene_);
  };
  const Query named = must(query(R"({"proven": 1, "start": "one/rest", "goal": "arm/one/far"})"));
  EXPECT_EQ(named.planned.size(), 1u);
  const auto error = [&](const std::string& rest) {
    return error_text(query(R"({"proven": 1, )" + rest + "}"));
  };
  EXPECT_NE(error(R"("joints": ["t"], "start": "fra", "goal": [1])").find("there are arm/one/rest"),
            std::string::npos);
  EXPECT_NE(error(R"("joints": ["t"], "start": "ghost", "goal": [1])").find("no configuration"),
            std::string::npos);
  EXPECT_NE(error(R"("joints": ["t"], "start": "rest", "goal": [1])").find("also sets joint arm/j"),
            std::string::npos);
  EXPECT_NE(
      error(R"("joints": ["t", "j"], "start": "far", "goal": [1, 1])").find("has no value of"),
      std::string::npos);
}

TEST_F(Trajectories, InMemoryAreThoseOfFiles) {
  // The same numbers as a table and as rows, by every interpolation.
  const std::string table =
      "time,t,j,t.velocity,j.velocity,t.acceleration,j.acceleration\n"
      "0,1,0,0,0.5,0.25,0\n1.5,2,1,0.75,0.5,0,-1\n2,2.5,1.125,0,0,0,0\n";
  Trajectory points;
  points.joints = {"t", "j"};
  points.times = {0, 1.5, 2};
  points.positions = {{1, 0}, {2, 1}, {2.5, 1.125}};
  points.velocities = {{0, 0.5}, {0.75, 0.5}, {0, 0}};
  points.accelerations = {{0.25, 0}, {0, -1}, {0, 0}};
  for (const Interpolation how : {Interpolation::as_given, Interpolation::linear,
                                  Interpolation::cubic, Interpolation::quintic}) {
    const Path read_one = must(read("p.csv", table, {.interpolation = how}));
    const Motion made = must(to_motion(points, scene_, {.interpolation = how}));
    EXPECT_EQ(made.waypoints, read_one.waypoints);
    EXPECT_EQ(made.inner, read_one.inner);
    EXPECT_EQ(made.times, read_one.times);
    EXPECT_EQ(made.defaulted, read_one.defaulted);
    EXPECT_EQ(made.degree(), how == Interpolation::linear  ? 1
                             : how == Interpolation::cubic ? 3
                                                           : 5);
  }
  const auto refused = [&](const char* word, auto&& change) {
    Trajectory changed = points;
    change(changed);
    EXPECT_NE(error_text(to_motion(changed, scene_)).find(word), std::string::npos) << word;
  };
  refused("point 1", [](Trajectory& t) { t.times[1] = 0; });
  refused("point 2", [](Trajectory& t) { t.times[2] = std::nan(""); });
  refused("times", [](Trajectory& t) { t.times.pop_back(); });
  refused("point 1", [](Trajectory& t) { t.velocities[1].pop_back(); });
  refused("velocities", [](Trajectory& t) { t.velocities.pop_back(); });
  refused("point 0", [](Trajectory& t) { t.positions[0][0] = -1; });
  refused("at least one", [](Trajectory& t) { t = {}; });
  refused("without velocities", [](Trajectory& t) { t.velocities.clear(); });
  refused("no rate", [](Trajectory& t) { t.joints[1] = "fly.qx"; });
  // Back again, where no ball joint is.
  const Scene arm = must(load_scene(folder_.write(
      "plain.urdf", R"(<robot name="arm"><link name="base"><collision><geometry><sphere radius="1"/>
</geometry></collision></link><link name="a"/><joint name="t" type="prismatic"><parent link="base"/>
<child link="a"/><limit lower="0" upper="9"/></joint></robot>)")));
  for (const bool curved : {false, true}) {
    Trajectory one;
    one.joints = {"t"};
    one.times = {0, 1.5, 2};
    one.positions = {{1}, {2}, {2.5}};
    if (curved) one.velocities = {{0.1}, {0.7}, {0}};
    const Motion there = must(to_motion(one, arm));
    const Trajectory back = must(to_trajectory(there, arm));
    EXPECT_EQ(back.joints, std::vector<std::string>{"arm/t"});
    const Motion again = must(to_motion(back, arm));
    EXPECT_EQ(again.waypoints, there.waypoints);
    for (std::size_t i = 0; i < there.inner.size(); ++i)
      for (std::size_t k = 0; k < there.inner[i].size(); ++k)
        EXPECT_NEAR(again.inner[i][k][0], there.inner[i][k][0], 1e-12);
  }
  Motion jump = must(to_motion(points, scene_));
  EXPECT_FALSE(to_trajectory(jump, scene_).ok());  // a ball joint
  jump = {};
  jump.waypoints = {{1}, {2}, {3}};
  jump.times = {0, 1, 2};
  jump.inner = {{{1.9}, {1.9}}, {{2.9}, {2.9}}};
  EXPECT_FALSE(to_trajectory(jump, arm).ok());
}

}  // namespace
}  // namespace proven::test
