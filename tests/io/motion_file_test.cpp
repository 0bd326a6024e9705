// Files of motions: pieces, trajectories with rates, limits along curves, and what is written.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "io_support.h"
#include "proven/base/random.h"
#include "proven/io/file.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/kinematics/interpolation.h"
#include "proven/scene/splines.h"

namespace proven::test {
namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

constexpr const char* kUrdf = R"(<robot name="arm">
<link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="slide" type="prismatic"><parent link="base"/><child link="a"/><limit lower="-1" upper="2"/></joint>
<joint name="turn" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="follow" type="prismatic"><parent link="b"/><child link="c"/><limit lower="-9" upper="1"/>
<mimic joint="slide" multiplier="0.5" offset="0.25"/></joint>
<joint name="fly" type="floating"><parent link="b"/><child link="d"/></joint>
</robot>)";
constexpr const char* kSrdf = R"(<robot name="arm">
<virtual_joint name="drive" type="planar" parent_frame="odom" child_link="base"/></robot>)";

// Coordinates: drive.x, drive.y, drive.angle, slide, turn, fly.x .. fly.qw. And an arm of two
// joints.
class MotionFile : public testing::Test {
 protected:
  MotionFile() {
    folder_.write("arm.urdf", kUrdf);
    folder_.write("arm.srdf", kSrdf);
    rich_ = must(load_scene(folder_.write("s.json", R"({"proven": 1, "robots": [
      {"name": "arm", "urdf": "arm.urdf", "srdf": "arm.srdf", "virtual_joints": true}]})")));
    arm_ = must(load_scene(bad_input_dir() / "ok/scene.json"));
  }
  Result<Motion> read(const std::string& name, const std::string& text, PathOptions options = {}) {
    return load_path(folder_.write(name, text), rich_, options);
  }
  std::string error(const std::string& name, const std::string& text, PathOptions options = {}) {
    return error_text(read(name, text, options));
  }
  std::size_t at(const std::string& name) const {
    return static_cast<std::size_t>(rich_.tree().find_coordinate(name));
  }

  TemporaryFolder folder_;
  Scene rich_, arm_;
};

#define EXPECT_SAYS(text, words) \
  EXPECT_NE((text).find(words), std::string::npos) << (text) << "\nexpected: " << (words)

// --- Pieces --------------------------------------------------------------------------------------

constexpr const char* kPieces = R"({"proven": 1, "joints": ["slide", "turn"], "pieces": [
 {"begin": 0.5, "end": 1, "bezier": [[0, 0], [0.5, 1], [0.25, 2]]},
 {"begin": 1, "end": 3, "bezier": [[0.25, 2], [1, 2]]}]})";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(MotionFile, PiecesAreReadAsTheyAre) {
  const Motion motion = must(read("p.json", kPieces));
  EXPECT_EQ(motion.times, (Row{0.5, 1, 3}));
  ASSERT_EQ(motion.waypoints.size(), 3u);
  EXPECT_EQ(motion.waypoints[1][at("arm/slide")], 0.25);
  ASSERT_EQ(motion.inner.size(), 2u);
  ASSERT_EQ(motion.inner[0].size(), 1u);
  EXPECT_EQ(motion.inner[0][0][at("arm/turn")], 1);
  EXPECT_EQ(motion.inner[0][0][at("arm/fly.qw")], 0);  // no turn
  EXPECT_EQ(motion.waypoints[0][at("arm/fly.qw")], 1);
  EXPECT_TRUE(motion.inner[1].empty());
  EXPECT_EQ(motion.degree(), 2);
  const auto outline = must(inspect_path(folder_.path() / "p.json"));
  ASSERT_TRUE(outline);
  EXPECT_EQ(outline->num_waypoints, 3);
  EXPECT_EQ(outline->upper, (Row{1, 2}));
  EXPECT_TRUE(outline->timed);
}

TEST_F(MotionFile, PiecesWithoutACurveAreAPath) {
  const Motion motion = must(
      read("p.json", R"({"proven": 1, "joints": ["slide"], "pieces": [{"bezier": [[0], [1]]}]})"));
  EXPECT_TRUE(motion.inner.empty());
  EXPECT_TRUE(motion.times.empty());
}

TEST_F(MotionFile, PiecesThatAreNotAMotionAreRefused) {
  const std::string text = kPieces;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {with(text, "[[0.25, 2], [1, 2]]", "[[0.25, 2.5], [1, 2]]"),
       "p.json:3: pieces[1].bezier[0]: a jump of arm/turn by 0.5"},
      {with(text, "\"begin\": 1,", "\"begin\": 1.5,"), "ends at 1 s, this one begins at 1.5 s"},
      {with(text, "\"begin\": 1, \"end\": 3, ", ""), "belong to all pieces or to none"},
      {with(text, "\"begin\": 1, ", ""), "belong to all pieces or to none"},
      {with(text, "\"end\": 3", "\"end\": 1"), "times must increase, but 1 follows 1"},
      {with(text, "[[0.25, 2], [1, 2]]", "[[0.25, 2]]"), "2 to 6 control points, not 1"},
      {with(text, "[0.5, 1],", "[0.5, 1], [0, 0], [0, 0], [0, 0], [0, 0],"),
       "2 to 6 control points, not 7"},
      {with(text, "[0.5, 1]", "[0.5]"), "p.json:2: pieces[0].bezier[1]: expected 2 values, got 1"},
      {with(text, "\"bezier\"", "\"bezzier\""), "did you mean 'bezier'?"},
      {R"({"proven": 1, "joints": ["slide"], "pieces": []})", "expected at least one piece"},
      {with(text, "[\"slide\", \"turn\"]", "[\"slide\", \"fly.qw\"]"), "unit quaternion"},
      {R"({"proven": 1, "joints": ["fly.qz", "fly.qw"], "pieces": [
        {"bezier": [[0, 1], [0.1, 1], [0, 1]]}]})",
       "0 in the fourth"},
  };
  for (const auto& [altered, words] : cases) {
    EXPECT_SAYS(error("p.json", altered), words);
    EXPECT_SAYS(error("p.json", altered), "p.json:");
  }
  EXPECT_SAYS(error("p.json", text, {.interpolation = Interpolation::linear}),
              "leave out --interpolation");
}

TEST_F(MotionFile, FollowersFollowInEveryControlPoint) {
  const std::string text = R"({"proven": 1, "joints": ["slide", "follow"], "pieces": [
 {"bezier": [[0, 0.25], [0.5, MIDDLE], [0.25, 0.375]]}]})";
  EXPECT_EQ(error("p.json", with(text, "MIDDLE", "0.5")), "no error");
  EXPECT_SAYS(error("p.json", with(text, "MIDDLE", "0.51")), "follows arm/slide and must be 0.5");
}

// --- Limits --------------------------------------------------------------------------------------

// Control points beyond a limit do not matter, the curve does: 4 · 0.5 s (1 - s) h is highest at
// 0.5.
TEST_F(MotionFile, LimitsHoldAllAlongTheCurve) {
  const auto text = [](double middle) {
    return fmt::format(R"({{"proven": 1, "joints": ["slide"], "pieces": [
 {{"begin": 0, "end": 1, "bezier": [[0], [0], [0]]}},
 {{"begin": 1, "end": 5, "bezier": [[0], [{}], [0]]}}]}})",
                       middle);
  };
  // Of `follow`, at 0.5 q + 0.25, the limit is 1: slide stays below 1.5.
  EXPECT_EQ(error("p.json", text(2.999)), "no error");
  EXPECT_EQ(error("p.json", text(3 + 1e-6)), "no error");  // by rounding, as for waypoints
  EXPECT_SAYS(error("p.json", text(3.001)), "piece 1 at 3 s: joint arm/follow is 1.0002");
  EXPECT_SAYS(error("p.json", text(3.001)), "p.json:3: pieces[1]");
  EXPECT_SAYS(error("p.json", text(-2.01)), "piece 1 at 3 s: joint arm/slide is -1.005");
  EXPECT_SAYS(error("p.json", text(-2.01)), "--ignore-limits");
  EXPECT_EQ(error("p.json", text(-2.01), {.ignore_limits = true}), "no error");
  // A cubic that swings out between points that are within.
  EXPECT_SAYS(error("p.yaml",
                    "joint_names: [slide]\npoints:\n"
                    "- {positions: [0], velocities: [9], time_from_start: 0}\n"
                    "- {positions: [0], velocities: [-9], time_from_start: 1}\n"),
              "p.yaml:4: points[1]: piece 0 at 0.");
}

TEST_F(MotionFile, LimitsAreThoseOfTheCurveAgainstDenseSamples) {
  Random random(8);
  int within = 0, beyond = 0;
  for (int i = 0; i < cases(500); ++i) {
    Row control = {random.uniform(-1, 1.5)};
    for (int k = random.index(4); k >= 0; --k) control.push_back(random.uniform(-3, 3));
    control.push_back(random.uniform(-1, 1.5));
    std::string rows;
    for (const double value : control)
      rows += fmt::format("{}[{}]", rows.empty() ? "" : ", ", value);
    const std::string text = fmt::format(
        R"({{"proven": 1, "joints": ["slide"], "pieces": [{{"bezier": [{}]}}]}})", rows);
    double lowest = INFINITY, highest = -INFINITY;
    for (int k = 0; k <= 4000; ++k) {
      Row row = control;
      const double s = k / 4000.0;
      for (std::size_t n = row.size() - 1; n > 0; --n)
        for (std::size_t j = 0; j < n; ++j) row[j] = (1 - s) * row[j] + s * row[j + 1];
      lowest = std::min(lowest, row[0]), highest = std::max(highest, row[0]);
    }
    if (std::fabs(lowest + 1) < 1e-5 || std::fabs(highest - 1.5) < 1e-5) continue;
    const bool expected = lowest > -1 && highest < 1.5;
    (expected ? within : beyond)++;
    ASSERT_EQ(read("p.json", text).ok(), expected) << rows << ": " << lowest << " to " << highest;
  }
  EXPECT_GE(within, cases(500) / 20);
  EXPECT_GE(beyond, cases(500) / 20);
}

// --- Trajectories --------------------------------------------------------------------------------

constexpr const char* kTrajectory = R"(joint_names: [turn, slide]
points:
- {positions: [0, 0.5], velocities: [1, 0], accelerations: [0.5, 0], time_from_start: 0.5}
- {positions: [2, 0.5], velocities: [-1, 0], accelerations: [0, 0], time_from_start: {sec: 2, nanosec: 0}}
)";

TEST_F(MotionFile, RatesMakeTheCurveOfAController) {
  const Motion quintic = must(read("p.yaml", kTrajectory));
  const std::size_t turn = at("arm/turn"), slide = at("arm/slide");
  const auto between = quintic_between({0, 1, 0.5}, {2, -1, 0}, 1.5);
  ASSERT_EQ(quintic.inner[0].size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(quintic.inner[0][k][turn], between[k]);
    EXPECT_EQ(quintic.inner[0][k][slide], 0.5);
    EXPECT_EQ(quintic.inner[0][k][at("arm/fly.qw")], 0);
  }
  const Motion cubic = must(read("p.yaml", kTrajectory, {.interpolation = Interpolation::cubic}));
  ASSERT_EQ(cubic.inner[0].size(), 2u);
  EXPECT_EQ(cubic.inner[0][0][turn], 0.5);
  EXPECT_EQ(cubic.inner[0][1][turn], 2.5);
  EXPECT_EQ(cubic.times, (Row{0.5, 2}));
  const Motion line = must(read("p.yaml", kTrajectory, {.interpolation = Interpolation::linear}));
  EXPECT_TRUE(line.inner.empty());
  EXPECT_EQ(line.waypoints, cubic.waypoints);
}

TEST_F(MotionFile, TablesSayTheSame) {
  const Motion yaml = must(read("p.yaml", kTrajectory));
  const std::string csv =
      "slide.velocity,turn,time,turn.velocity,slide,turn.acceleration,slide.acceleration\n"
      "0,0,0.5,1,0.5,0.5,0\n0,2,2,-1,0.5,0,0\n";
  const Motion table = must(read("p.csv", csv));
  EXPECT_EQ(table.inner, yaml.inner);
  EXPECT_EQ(table.waypoints, yaml.waypoints);
  EXPECT_EQ(table.times, yaml.times);
  for (const auto& [from, to, words] : std::vector<std::array<std::string, 3>>{
           {"slide.velocity,", "x.velocity,", "belongs to no column 'x'"},
           {"turn.velocity,", "slide.velocity,", "there is no column 'turn.velocity'"},
           {"time,", "times,", "no joint that can move is named 'times'"},
           {"turn.acceleration", "slide.acceleration", "there is no column 'turn.acceleration'"}})
    EXPECT_SAYS(error("p.csv", with(csv, from, to)), words);
  EXPECT_SAYS(error("p.csv", "turn,turn.velocity\n0,1\n1,0\n"), "p.csv:2: the points have rates");
  EXPECT_SAYS(error("p.csv", "time,turn,turn.acceleration\n0,0,1\n1,1,0\n"),
              "p.csv:1: accelerations without velocities");
  EXPECT_SAYS(error("p.csv", "time,fly.qw,fly.qw.velocity\n0,1,0\n1,1,0\n"), "no rate of its own");
  EXPECT_SAYS(error("p.csv", "time,turn\n0,1\n1,1\n", {.interpolation = Interpolation::cubic}),
              "a cubic needs velocities");
}

TEST_F(MotionFile, RefusesRatesThatMakeNoCurve) {
  const std::string text = kTrajectory;
  const auto say = [&](const std::string& from, const std::string& to, PathOptions options = {}) {
    return error("p.yaml", with(text, from, to), options);
  };
  EXPECT_SAYS(say(", velocities: [1, 0]", ""), "p.yaml:3: points[0]: it has no velocities");
  EXPECT_SAYS(say(", accelerations: [0, 0]", ", accelerations: []"),
              "p.yaml:4: points[1]: it has no accelerations");
  EXPECT_SAYS(say("velocities: [1, 0]", "velocities: [1]"), "expected a list of 2, got 1");
  EXPECT_SAYS(say("time_from_start: 0.5", "effort: [0, 1], time_from_start: 0.5"),
              "a motion has no forces");
  EXPECT_SAYS(say("velocities: [1, 0]", "velocities: [1e-61, 0]"), "the rate 1e-61 is beyond");
  EXPECT_SAYS(say("{sec: 2, nanosec: 0}", "0.5000000001"), "curves take 1e-9 to 1e9 s");
  const std::string untimed =
      with(with(text, ", time_from_start: 0.5", ""), ", time_from_start: {sec: 2, nanosec: 0}", "");
  EXPECT_SAYS(error("p.yaml", untimed), "p.yaml:3: points[0]: the points have rates, but no times");
  EXPECT_EQ(error("p.yaml", untimed, {.interpolation = Interpolation::linear}), "no error");
  const std::string positions = "joint_names: [turn]\npoints: [{positions: [0]}, {positions: [1]}]";
  EXPECT_SAYS(error("p.yaml", positions, {.interpolation = Interpolation::cubic}),
              "a cubic needs velocities at every point; say --interpolation linear");
  EXPECT_SAYS(error("p.yaml", positions, {.interpolation = Interpolation::quintic}),
              "a quintic needs velocities and accelerations");
  EXPECT_SAYS(error("p.yaml",
                    "joint_names: [turn]\npoints:\n"
                    "- {positions: [0], velocities: [1], time_from_start: 0}\n"),
              "one point alone");
  EXPECT_SAYS(error("p.json", R"({"proven": 1, "joints": ["turn"], "waypoints": [[0], [1]]})",
                    {.interpolation = Interpolation::quintic}),
              "p.json:1: waypoints: a quintic needs");
}

TEST_F(MotionFile, RatesOfFollowersFollow) {
  const std::string text =
      "joint_names: [slide, follow]\npoints:\n"
      "- {positions: [0, 0.25], velocities: [1, 0.5], time_from_start: 0}\n"
      "- {positions: [1, 0.75], velocities: [1, RATE], time_from_start: 1}\n";
  EXPECT_EQ(error("p.yaml", with(text, "RATE", "0.5")), "no error");
  EXPECT_SAYS(error("p.yaml", with(text, "RATE", "1")), "p.yaml:4: points[1]: joint arm/follow");
}

constexpr const char* kBase = R"(joint_trajectory:
  joint_names: [slide]
  points:
    - {positions: [0], velocities: [0], accelerations: [1], time_from_start: 0}
    - {positions: [1], velocities: [0], accelerations: [0], time_from_start: 2}
multi_dof_joint_trajectory:
  joint_names: [drive, fly]
  points:
    - transforms:
        - {translation: [0, 0, 0], rotation: [0, 0, 0, 1]}
        - {translation: [1, 2, 3], rotation: [0, 0, 0.6, 0.8]}
      velocities:
        - {linear: [1, 0, 0], angular: {x: 0, y: 0, z: 0.5}}
        - {linear: {x: 0, y: 0, z: 0}, angular: [0.25, 0, 0]}
      time_from_start: 0
    - transforms:
        - {translation: [4, 6, 0], rotation: [0, 0, 0.6, 0.8]}
        - {translation: [1, 2, 4], rotation: [0, 0.6, 0, 0.8]}
      velocities:
        - {linear: [0, 1, 0], angular: [0, 0, 0]}
        - {linear: [0, 0, 1], angular: [0, 0.5, 0]}
      time_from_start: 2
)";

TEST_F(MotionFile, TwistsOfBasesMakeCubics) {
  const Motion motion = must(read("p.yaml", kBase));
  ASSERT_EQ(motion.degree(), 5);  // of the joints; the bases' cubics by two degrees higher
  const auto control = [&](const std::string& name) {
    const std::size_t i = at(name);
    Row row = {motion.waypoints[0][i]};
    for (const Row& inner : motion.inner[0]) row.push_back(inner[i]);
    row.push_back(motion.waypoints[1][i]);
    return row;
  };
  const auto raised = [](Row row) { return elevated(elevated(row)); };
  EXPECT_EQ(control("arm/drive.x"), raised({0, 2.0 / 3, 4, 4}));
  EXPECT_EQ(control("arm/drive.y"), raised({0, 0, 6 - 2.0 / 3, 6}));
  EXPECT_EQ(control("arm/fly.z"), raised({3, 3, 4 - 2.0 / 3, 4}));
  const auto turn = turn_cubic({0, 0, 0.6, 0.8}, {0.25, 0, 0}, {0, 0.6, 0, 0.8}, {0, 0.5, 0}, 2);
  const Vec3 end = turn_between({0, 0, 0.6, 0.8}, {0, 0.6, 0, 0.8});
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(motion.inner[0][k][at("arm/fly.qx")],
              raised({0, turn[0].x, turn[1].x, end.x})[k + 1]);
  const std::string text = kBase;
  EXPECT_SAYS(error("p.yaml", with(text, "linear: [1, 0, 0]", "linear: [1, 0, 1]")),
              "p.yaml:13: multi_dof_joint_trajectory.points[0].velocities[0]: a planar joint");
  EXPECT_SAYS(error("p.yaml", with(text, "angular: [0, 0.5, 0]", "angular: [0, 2.5, 0]")),
              "at most 4 rad are read");
  EXPECT_SAYS(
      error("p.yaml", with(text, "rotation: [0, 0.6, 0, 0.8]", "rotation: [0, 0, 0.8, -0.6]")),
      "turns by half a circle");
  EXPECT_SAYS(error("p.yaml", with(text, "linear: [0, 0, 1]", "linera: [0, 0, 1]")), "linera");
  EXPECT_SAYS(error("p.yaml",
                    R"(multi_dof_joint_trajectory:
  joint_names: [fly]
  points:
    - {transforms: [{translation: [0, 0, 0], rotation: [0, 0, 0, 1]}],
       velocities: [{linear: [0, 0, 0], angular: [0, 0, 0]}],
       accelerations: [{linear: [0, 0, 0], angular: [0, 0, 0]}], time_from_start: 0}
)"),
              "accelerations of a floating joint are not read");
}

// --- Written and read again ----------------------------------------------------------------------

// A motion of the arm of two joints, with rates that do not jump where pieces meet.
Motion smooth_motion(Random& random, int degree, int pieces) {
  std::vector<double> times = {random.uniform(0, 1)};
  for (int i = 0; i < pieces; ++i)
    times.push_back(times.back() + std::pow(10, random.uniform(-2, 0.5)));
  Motion motion;
  motion.times = times;
  std::vector<std::array<Knot, 2>> knots;
  for (int i = 0; i <= pieces; ++i) {
    knots.emplace_back();
    for (Knot& knot : knots.back())
      knot = {random.uniform(0.05, 0.25), random.uniform(-1, 1), random.uniform(-1, 1)};
    motion.waypoints.push_back({knots.back()[0].position, knots.back()[1].position});
  }
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const double T = times[i + 1] - times[i];
    motion.inner.emplace_back(degree - 1, Row(2, 0));
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(degree); ++k)
        motion.inner.back()[k][j] = degree == 3
                                        ? cubic_between(knots[i][j], knots[i + 1][j], T)[k]
                                        : quintic_between(knots[i][j], knots[i + 1][j], T)[k];
  }
  return motion;
}

void expect_near(const Motion& a, const Motion& b, std::size_t coordinates) {
  ASSERT_EQ(a.waypoints.size(), b.waypoints.size());
  for (std::size_t i = 0; i < a.times.size(); ++i)
    ASSERT_LE(std::fabs(a.times[i] - b.times[i]), 0x1p-50 * a.times[i]);
  for (int i = 0; i < a.num_segments(); ++i) {
    const MotionPiece x = a.piece(i), y = b.piece(i);
    ASSERT_EQ(x.degree(), y.degree());
    for (std::size_t j = 0; j < coordinates; ++j) {
      double most = 0;
      for (int k = 0; k <= x.degree(); ++k) most = std::max(most, std::fabs(x.control(k)[j]));
      for (int k = 0; k <= x.degree(); ++k)
        ASSERT_LE(std::fabs(x.control(k)[j] - y.control(k)[j]), kConversionError * most);
    }
  }
}

TEST_F(MotionFile, WrittenMotionsComeBack) {
  Random random(9);
  const PathOptions any{.ignore_limits = true};
  for (int i = 0; i < cases(60); ++i) {
    const Motion motion = smooth_motion(random, i % 2 ? 3 : 5, 1 + random.index(5));
    const auto json = folder_.path() / "m.json";
    must(save_path(json, motion, arm_));
    const Motion back = must(load_path(json, arm_, any));
    ASSERT_EQ(back.waypoints, motion.waypoints);
    ASSERT_EQ(back.inner, motion.inner);
    ASSERT_EQ(back.times, motion.times);
    for (const char* name : {"m.yaml", "m.csv"}) {
      must(save_path(folder_.path() / name, motion, arm_));
      expect_near(motion, must(load_path(folder_.path() / name, arm_, any)), 2);
    }
  }
}

TEST_F(MotionFile, RandomPiecesComeBackBitForBit) {
  Random random(10);
  for (int i = 0; i < cases(200); ++i) {
    Motion motion;
    motion.waypoints = {random_configuration(rich_.tree(), random)};
    for (int k = 1 + random.index(4); k > 0; --k) {
      motion.waypoints.push_back(random_configuration(rich_.tree(), random));
      motion.inner.emplace_back();
      for (int n = random.index(5); n > 0; --n) {
        Row row = random_configuration(rich_.tree(), random);
        row[at("arm/fly.qw")] = 0;
        motion.inner.back().push_back(row);
      }
    }
    if (motion.straight()) motion.inner.clear();
    if (i % 2)
      for (std::size_t k = 0; k < motion.waypoints.size(); ++k)
        motion.times.push_back(static_cast<double>(k) + random.uniform());
    must(save_path(folder_.path() / "m.json", motion, rich_));
    const Motion back =
        must(load_path(folder_.path() / "m.json", rich_, PathOptions{.ignore_limits = true}));
    ASSERT_EQ(back.waypoints, motion.waypoints);
    ASSERT_EQ(back.inner, motion.inner);
    ASSERT_EQ(back.times, motion.times);
  }
}

TEST_F(MotionFile, TrajectoriesOfBasesComeBack) {
  const Motion motion = must(read("p.yaml", kBase));
  must(save_path(folder_.path() / "m.yaml", motion, rich_));
  const Motion back = must(load_path(folder_.path() / "m.yaml", rich_));
  expect_near(motion, back, at("arm/fly.qx"));
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(motion.inner[0][k][at("arm/fly.qx") + i], back.inner[0][k][at("arm/fly.qx") + i],
                  kConversionError);
}

TEST_F(MotionFile, DriversGetNamesAndTimesOfTheirOwn) {
  Motion path;
  path.waypoints = {{0, 0.1}, {1, 0.2}};
  path.times = {0, 1.5};
  must(save_path(folder_.path() / "m.yaml", path, arm_));
  const std::string text = must(read_file(folder_.path() / "m.yaml"));
  EXPECT_SAYS(text, "joint_names: [\"shoulder\", \"slide\"]");
  EXPECT_SAYS(text, "{sec: 1, nanosec: 500000000}");
  EXPECT_EQ(text.find("velocities"), std::string::npos);
  path.times = {};
  must(save_path(folder_.path() / "m.csv", path, arm_));
  EXPECT_EQ(must(read_file(folder_.path() / "m.csv")), "shoulder,slide\n0,0.1\n1,0.2\n");
  const Scene two = must(load_scene(bad_input_dir() / "ok/two_arms.json"));
  path.waypoints = {Row(two.home().begin(), two.home().end())};
  must(save_path(folder_.path() / "m.csv", path, two));
  EXPECT_SAYS(must(read_file(folder_.path() / "m.csv")), "/shoulder,");
  EXPECT_EQ(must(load_path(folder_.path() / "m.csv", two)).waypoints, path.waypoints);
}

// A trajectory holds one rate per point, and a piece of degree 1 between curves has its own.
TEST_F(MotionFile, WhatATrajectoryCannotSayIsRefused) {
  Motion motion;
  motion.waypoints = {{0, 0.1}, {1, 0.1}, {2, 0.1}};
  motion.times = {0, 1, 2};
  motion.inner = {{{0.25, 0.1}, {0.5, 0.1}}, {}};  // arrives with 1.5 rad/s, goes on with 1
  for (const char* name : {"m.yaml", "m.csv"})
    EXPECT_SAYS(error_text(save_path(folder_.path() / name, motion, arm_)), "write it as .json");
  motion.inner[0][1][0] = 2.0 / 3;  // with 1
  for (const char* name : {"m.yaml", "m.csv"}) {
    EXPECT_EQ(error_text(save_path(folder_.path() / name, motion, arm_)), "no error");
    const Motion back = must(load_path(folder_.path() / name, arm_));
    EXPECT_NEAR(back.inner[1][0][0], 1 + 1.0 / 3, 1e-15);  // the line, by two degrees higher
  }
  motion.times.clear();
  EXPECT_SAYS(error_text(save_path(folder_.path() / "m.yaml", motion, arm_)), "without times");
  EXPECT_SAYS(error_text(save_path(folder_.path() / "m.txt", motion, arm_)),
              "paths are written as");
}

}  // namespace
}  // namespace proven::test
