// proven traffic, as a user runs it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/program.h"

namespace proven {
namespace {

namespace fs = std::filesystem;

// Files of this process: other tests of the same names may run beside it.
fs::path write(const std::string& name, const std::string& text) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("proven_traffic_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path file = folder / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

fs::path scene() {
  return write("traffic_scene.json", R"({"proven": 1, "obstacles": [
    {"name": "crossing", "box": [4, 2], "times": [0, 2, 4],
     "poses": [[0, -20, 1.5707963], [0, 0, 1.5707963], [0, 20, 1.5707963]]},
    {"name": "</script>", "circle": 0.5, "pose": [30, 5, 0]}]})");
}

fs::path candidates(const std::string& rows) {
  return write("traffic_candidates.csv", "trajectory,time,x,y,heading\n" + rows);
}

TEST(Traffic, CheckExitsByTheWorstVerdict) {
  const std::string early = "early,0,0,0,0\nearly,1,20,0,0\n", hit = "hit,0,-20,0,0\nhit,2,0,0,0\n";
  const auto free = test::run_program({"traffic", "check", scene(), candidates(early)});
  EXPECT_EQ(free.exit_code, 0) << free.err;
  EXPECT_NE(free.out.find("free"), std::string::npos);
  const auto both = test::run_program(
      {"traffic", "check", scene(), candidates(early + hit), "--json", "--metrics"});
  EXPECT_EQ(both.exit_code, 1);
  const auto json = nlohmann::json::parse(both.out);
  EXPECT_EQ(json["verdict"], "collision");
  EXPECT_EQ(json["trajectories"][0]["verdict"], "free");
  EXPECT_GT(json["trajectories"][0]["clearance"]["lower"].get<double>(), 0);
  const auto& contact = json["trajectories"][1]["collision"];
  EXPECT_EQ(contact["obstacle"], "crossing");
  EXPECT_LE(contact["t_lower"].get<double>(), contact["t"].get<double>());
  EXPECT_EQ(test::run_program({"traffic", "check", scene(), candidates(early), "--clearance", "50"})
                .exit_code,
            1);
}

TEST(Traffic, UsageAndBadInput) {
  EXPECT_EQ(test::run_program({"traffic", "check", scene()}).exit_code, 2);
  EXPECT_EQ(test::run_program({"traffic", "fly", scene()}).exit_code, 2);
  const auto bad =
      test::run_program({"traffic", "check", scene(), candidates("a,0,0,0,0\na,0,1,0,0\n")});
  EXPECT_EQ(bad.exit_code, 4);
  EXPECT_NE(bad.err.find("times are not in order"), std::string::npos) << bad.err;
  EXPECT_EQ(test::run_program({"traffic", "plan", scene()}).exit_code, 4);
}

// A car that slides and turns past another: a proof takes ten cells.
fs::path narrow_pass() {
  return write("traffic_narrow.json", R"({"proven": 1, "obstacles": [
    {"name": "oncoming", "box": [4, 2], "times": [0, 2],
     "poses": [[20, 1.6, 0.5], [-20, 1.6, 1.2]]}]})");
}

TEST(Traffic, BudgetsAreReasonsOfTheirOwn) {
  const auto reason = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"traffic", "check", narrow_pass(),
                                      candidates("a,0,-20,-1.6,0\na,2,20,-1.6,0\n"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = test::run_program(words);
    const auto json = nlohmann::json::parse(result.out);
    if (result.exit_code == 0) {
      EXPECT_TRUE(json["trajectories"][0]["undecided"].is_null());
      return std::string("none");
    }
    EXPECT_EQ(result.exit_code, 3) << result.err;
    const auto& undecided = json["trajectories"][0]["undecided"];
    EXPECT_GT(undecided["message"].get<std::string>().find(' '), 0u);
    EXPECT_EQ(undecided["obstacle"], "oncoming");
    EXPECT_EQ(undecided["t_end"], 2.0);
    return undecided["reason"].get<std::string>();
  };
  EXPECT_EQ(reason({}), "none");
  EXPECT_EQ(reason({"--max-cells", "1"}), "cells");
  EXPECT_EQ(reason({"--budget", "1e-9"}), "time");
}

TEST(Traffic, AGapBelowTheResolutionIsNoBudget) {
  const fs::path beside = write("traffic_touch.json", R"({"proven": 1, "obstacles": [
    {"name": "wall", "box": [10, 2], "pose": [0, 2, 0]}]})");
  const auto result =
      test::run_program({"traffic", "check", beside, candidates("a,0,-20,0,0\na,2,20,0,0\n"),
                         "--width", "2", "--json"});
  ASSERT_EQ(result.exit_code, 3) << result.out << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["trajectories"][0]["undecided"]["reason"],
            "gap_below_resolution");
}

TEST(Traffic, RenderWritesOnePageThatNoNameCanBreak) {
  const fs::path page = fs::path(testing::TempDir()) / "traffic_page.html";
  const auto result = test::run_program({"traffic", "render", scene(), "-o", page, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["page"], page.string());
  std::stringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_NE(text.str().find("<canvas>"), std::string::npos);
  EXPECT_EQ(text.str().find("\"</script>\""), std::string::npos);
  EXPECT_EQ(text.str().find("http"), std::string::npos);  // nothing is loaded from elsewhere
}

// A straight lane of 120 m, one other car, and a goal that may ask for the impossible.
fs::path lane_scenario(const std::string& goal, const std::string& more = "") {
  const auto bound = [](const char* name, double y) {
    return fmt::format(
        "<{0}><point><x>-20</x><y>{1}</y></point><point><x>100</x><y>{1}</y></point>"
        "</{0}>",
        name, y);
  };
  const std::string initial =
      "<initialState><position><point><x>0</x><y>0</y></point></position><orientation><exact>0"
      "</exact></orientation><time><exact>0</exact></time><velocity><exact>10</exact></velocity>"
      "<yawRate><exact>0</exact></yawRate><slipAngle><exact>0</exact></slipAngle></initialState>";
  return write("lane.xml",
               "<commonRoad commonRoadVersion=\"2020a\" benchmarkID=\"lane\" timeStepSize=\"0.1\">"
               "<lanelet id=\"1\">" +
                   bound("leftBound", 1.75) + bound("rightBound", -1.75) +
                   "<laneletType>urban</laneletType></lanelet>" + more +
                   "<planningProblem id=\"9\">" + initial + "<goalState>" + goal +
                   "</goalState></planningProblem></commonRoad>");
}

std::string goal_at(double x, double from, double to, const std::string& more = "") {
  return fmt::format(
      "<position><rectangle><length>6</length><width>3</width><center><x>{}</x><y>0"
      "</y></center></rectangle></position><time><intervalStart>{}</intervalStart>"
      "<intervalEnd>{}</intervalEnd></time>{}",
      x, from, to, more);
}

TEST(Traffic, AGoalThatIsNotReachedIsNoSuccess) {
  const fs::path page = fs::path(testing::TempDir()) / "traffic_goal.html";
  const auto run = [&](const fs::path& file, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"traffic", "plan", file, "-o", page, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = test::run_program(words);
    return std::pair{result.exit_code, nlohmann::json::parse(result.out)};
  };
  const auto [code, json] = run(lane_scenario(goal_at(50, 40, 60)));
  EXPECT_EQ(code, 0) << json.dump();
  EXPECT_EQ(json["outcome"], "goal_reached");
  EXPECT_TRUE(json["on_road"].get<bool>());
  const std::string fast =
      "<velocity><intervalStart>40</intervalStart><intervalEnd>50</intervalEnd></velocity>";
  const auto [missed, told] = run(lane_scenario(goal_at(50, 40, 60, fast)));
  EXPECT_EQ(missed, 3);
  EXPECT_EQ(told["outcome"], "goal_missed");
  EXPECT_TRUE(told["driven_free"].get<bool>());
  const auto [turned, why] =
      run(lane_scenario(goal_at(50, 40, 60,
                                "<orientation><intervalStart>1</intervalStart><intervalEnd>2"
                                "</intervalEnd></orientation>")));
  EXPECT_EQ(turned, 3);
  EXPECT_EQ(why["outcome"], "no_way");
  // Steps of the file, whatever cycle is asked for; another vehicle is another outline.
  const auto [odd, steps] = run(lane_scenario(goal_at(50, 40, 60)),
                                {"--cycle", "0.17", "--vehicle", "small-car", "--width", "1.6"});
  EXPECT_EQ(odd, 0);
  EXPECT_NEAR(steps["cycle"].get<double>(), 0.2, 1e-9);
  EXPECT_EQ(steps["box"], nlohmann::json({4.0, 1.6}));
  const auto& times = steps["driven"]["times"];
  for (std::size_t i = 1; i < times.size(); ++i)
    EXPECT_NEAR(times[i].get<double>() - times[i - 1].get<double>(), 0.1, 1e-9);
}

TEST(Traffic, CheckTellsTheRoadAndTheVehicle) {
  const fs::path road = lane_scenario(goal_at(50, 40, 60));
  const fs::path beside = candidates("a,0,0,0,0\na,1,10,3,0.2915\na,2,20,6,0.2915\n");
  const auto left = test::run_program({"traffic", "check", road, beside, "--json"});
  EXPECT_EQ(left.exit_code, 1) << left.out;
  EXPECT_GT(nlohmann::json::parse(left.out)["trajectories"][0]["left_road_at"].get<double>(), 0);
  EXPECT_EQ(test::run_program({"traffic", "check", road, beside, "--ignore-road"}).exit_code, 0);
  const fs::path against = candidates("a,0,50,0,3.14159\na,1,40,0,3.14159\n");
  const auto back = test::run_program({"traffic", "check", road, against, "--json"});
  EXPECT_EQ(nlohmann::json::parse(back.out)["trajectories"][0]["against_lanelet"], "1");
  const fs::path hard = candidates("a,0,0,0,0\na,1,20,0,0\na,2,30,0,0\n");
  EXPECT_EQ(test::run_program({"traffic", "check", road, hard}).exit_code, 0);
  const auto named =
      test::run_program({"traffic", "check", road, hard, "--vehicle", "car", "--json"});
  EXPECT_EQ(named.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(named.out)["trajectories"][0]["violation"]["limit"],
            "acceleration");
  EXPECT_EQ(test::run_program({"traffic", "check", road, hard, "--vehicle", "boat"}).exit_code, 2);
}

TEST(Traffic, EveryRecordingOfTheVehicleItselfIsLeftOut) {
  const auto recording = [](int id, double speed) {
    const auto at = [&](int k, const char* tag) {
      return fmt::format(
          "<{0}><position><point><x>{1}</x><y>0</y></point></position><orientation>"
          "<exact>0</exact></orientation><time><exact>{2}</exact></time></{0}>",
          tag, 0.1 * k * speed, k);
    };
    return fmt::format(
        "<dynamicObstacle id=\"{}\"><type>car</type><shape><rectangle><length>4"
        "</length><width>2</width></rectangle></shape>{}<trajectory>{}{}</trajectory>"
        "</dynamicObstacle>",
        id, at(0, "initialState"), at(1, "state"), at(2, "state"));
  };
  const fs::path file = lane_scenario(goal_at(50, 40, 60), recording(31, 10) + recording(32, 11));
  const fs::path page = fs::path(testing::TempDir()) / "traffic_self.html";
  const fs::path drive = fs::path(testing::TempDir()) / "traffic_self.json";
  const fs::path proof = fs::path(testing::TempDir()) / "traffic_self.proof";
  const auto result = test::run_program({"traffic", "plan", file, "-o", page, "--json",
                                         "--trajectory", drive, "--certificate", proof});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["left_out"], nlohmann::json({"31", "32"}));
  EXPECT_EQ(test::run_program({"traffic", "verify", file, drive, "--certificate", proof}).exit_code,
            5);
  EXPECT_EQ(test::run_program({"traffic", "verify", file, drive, "--certificate", proof,
                               "--leave-out", "31", "--leave-out", "32"})
                .exit_code,
            0);
}

// Somebody ahead, 0.1 s apart, for 6 s.
std::string car_ahead(int id, double x, double speed, double acceleration = 0) {
  const auto at = [&](int k, const char* tag) {
    return fmt::format(
        "<{0}><position><point><x>{1}</x><y>0</y></point></position><orientation>"
        "<exact>0</exact></orientation><time><exact>{2}</exact></time></{0}>",
        tag, x + 0.1 * k * speed + 0.005 * k * k * acceleration, k);
  };
  std::string states;
  for (int k = 1; k <= 60; ++k) states += at(k, "state");
  return fmt::format(
      "<dynamicObstacle id=\"{}\"><type>car</type><shape><rectangle><length>4"
      "</length><width>1.8</width></rectangle></shape>{}<trajectory>{}</trajectory>"
      "</dynamicObstacle>",
      id, at(0, "initialState"), states);
}

TEST(Traffic, AFailSafeDriveProvesItsStops) {
  const fs::path folder = fs::path(testing::TempDir());
  const fs::path page = folder / "traffic_stops.html", drive = folder / "traffic_stops.json",
                 proof = folder / "traffic_stops.proof";
  const auto run = [&](const fs::path& file, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"traffic", "plan",          file,   "-o",
                                      page,      "--candidates",  "1000", "--trajectory",
                                      drive,     "--certificate", proof,  "--fail-safe"};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_program(words);
  };
  const fs::path file = lane_scenario(goal_at(50, 40, 60), car_ahead(31, 30, 10));
  const auto driven = run(file, {"--json"});
  ASSERT_EQ(driven.exit_code, 0) << driven.out << driven.err;
  const auto json = nlohmann::json::parse(driven.out);
  EXPECT_GT(json["fail_safe"]["proved_stops"].get<int>(), 30);
  EXPECT_TRUE(json["fail_safe"]["left_bounds"].is_null()) << json["fail_safe"].dump();
  const auto verify = [&](const fs::path& regions, const std::string& certificate) {
    return test::run_program({"traffic", "verify", regions, folder / "traffic_stops.stops.json",
                              "--certificate", folder / certificate, "--after", "gone"})
        .exit_code;
  };
  const fs::path regions = folder / "traffic_stops.regions.json";
  EXPECT_EQ(verify(regions, "traffic_stops.stops.proof"), 0);
  // Regions that are nearer are not what was proved.
  std::stringstream text;
  text << std::ifstream(regions).rdbuf();
  auto nearer = nlohmann::json::parse(text.str());
  for (auto& obstacle : nearer["obstacles"])
    for (auto& part : obstacle["occupancy"])
      for (auto& corner : part["polygon"]) corner[0] = corner[0].get<double>() - 25;
  EXPECT_EQ(verify(write("nearer.json", nearer.dump()), "traffic_stops.stops.proof"), 5);

  const auto told = run(lane_scenario(goal_at(50, 40, 60), car_ahead(31, 7, 3)), {});
  EXPECT_EQ(told.exit_code, 3);
  EXPECT_NE(told.out.find("refused: at the start no stop is free whatever others do (in the way of "
                          "braking: 31)"),
            std::string::npos)
      << told.out;
  // A recording that does what the bounds do not allow is named.
  const auto bounded = [&](double acceleration) {
    const fs::path other = lane_scenario(goal_at(50, 40, 60), car_ahead(31, 40, 10, acceleration));
    const auto result = run(other, {"--json", "--mover-acceleration", "1", "--mover-speed", "20"});
    return nlohmann::json::parse(result.out)["fail_safe"]["left_bounds"];
  };
  EXPECT_TRUE(bounded(0.5).is_null());
  EXPECT_EQ(bounded(4)["obstacle"], "31");
}

// The van is known for one second; whoever comes after it meets what --after says.
TEST(Traffic, WhatFollowsARecordingIsChosenAndTold) {
  const fs::path van = write("traffic_van.json", R"({"proven": 1, "obstacles": [
    {"name": "van", "box": [4, 2], "times": [0, 1], "poses": [[0, 0, 0], [10, 0, 0]]},
    {"name": "post", "circle": 0.5, "pose": [0, 50, 0]}]})");
  // Through where it was last, after it could have left; and where it would be later.
  const auto crossing = [](const char* name, int x) {
    return write(name, fmt::format("time,x,y,heading\n2,{0},-40,1.5708\n4,{0},0,1.5708\n"
                                   "6,{0},40,1.5708\n",
                                   x));
  };
  const fs::path through = crossing("through.csv", 10), later = crossing("later.csv", 40);
  const auto check = [&](const fs::path& file, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"traffic", "check", van, file};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_program(words);
  };
  EXPECT_EQ(check(through, {"--after", "rest"}).exit_code, 1);
  EXPECT_EQ(check(through, {"--after", "continue"}).exit_code, 0);
  EXPECT_EQ(check(through, {"--after", "gone"}).exit_code, 0);
  EXPECT_EQ(check(later, {"--after", "rest"}).exit_code, 0);
  EXPECT_EQ(check(later, {"--after", "continue"}).exit_code, 1);
  EXPECT_EQ(check(later, {"--after", "gone"}).exit_code, 0);
  EXPECT_EQ(check(later, {}).exit_code, 1);
  EXPECT_EQ(check(later, {"--after", "vanish"}).exit_code, 2);
  // It is told, as the default that it is.
  const std::string told = check(through, {}).out;
  EXPECT_NE(told.find("van: known from 0 to 1 s, after that straight on as in the last step"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("the default; rest, continue or gone: --after continue"), std::string::npos)
      << told;
  EXPECT_NE(check(through, {"--after", "gone"}).out.find("each is gone (--after gone)"),
            std::string::npos);
  const auto json = nlohmann::json::parse(check(through, {"--json"}).out);
  EXPECT_EQ(json["after"], "continue");
  EXPECT_EQ(json["ended_early"], nlohmann::json({"van"}));
  EXPECT_EQ(json["spans"][0]["to"], 1.0);
  EXPECT_EQ(json["spans"][0]["obstacles"], nlohmann::json({"van"}));
  EXPECT_TRUE(json["spans"][1]["to"].is_null());
}

TEST(Traffic, ProofsSayWhatFollowsARecording) {
  const fs::path van = write("traffic_van_proof.json", R"({"proven": 1, "obstacles": [
    {"name": "van", "box": [4, 2], "times": [0, 1], "poses": [[0, 0, 0], [10, 0, 0]]}]})");
  const fs::path motion = write("traffic_van_motion.json", R"({"proven": 1, "box": [4, 2],
    "trajectories": [{"times": [2, 4], "poses": [[0, 5, 0], [30, 5, 0]]}]})");
  const fs::path proof = fs::path(testing::TempDir()) / "traffic_van.proof";
  for (const char* made : {"rest", "continue", "gone"}) {
    ASSERT_EQ(test::run_program(
                  {"traffic", "check", van, motion, "--certificate", proof, "--after", made})
                  .exit_code,
              0);
    for (const char* asked : {"rest", "continue", "gone"}) {
      const auto verified = test::run_program(
          {"traffic", "verify", van, motion, "--certificate", proof, "--after", asked});
      EXPECT_EQ(verified.exit_code, std::string(made) == asked ? 0 : 5) << made << asked;
      EXPECT_NE(verified.out.find(fmt::format("--after {}", asked)), std::string::npos)
          << verified.out;
    }
  }
}

// What moves in space ends as well.
TEST(Traffic, BodiesLastAsAskedFor) {
  const fs::path bodies = write("traffic_lasting.json", R"({"proven": 1, "bodies": [
    {"name": "lift", "box": [1, 1, 1], "times": [0, 1], "poses": [[0, 0, 0], [0, 0, 1]]}]})");
  const fs::path later = write("traffic_lasting_motion.json", R"({"proven": 1, "bodies": [
    {"name": "arm", "sphere": 0.4, "times": [2, 4], "poses": [[-2, 0, 1], [2, 0, 1]]}]})");
  const auto check = [&](const char* after) {
    return test::run_program({"traffic", "check", bodies, later, "--after", after});
  };
  EXPECT_EQ(check("rest").exit_code, 1);
  EXPECT_EQ(check("gone").exit_code, 0);
  EXPECT_EQ(check("continue").exit_code, 0);  // at 2.5 s and more
  EXPECT_NE(check("gone").out.find("lift: known from 0 to 1 s, after that gone"),
            std::string::npos);
}

TEST(Traffic, AMarginThatIsGivenUpIsTold) {
  const fs::path page = fs::path(testing::TempDir()) / "traffic_margin.html";
  // Something that is 0.15 m beside the car when it starts.
  const std::string post =
      "<staticObstacle id=\"7\"><type>parkedVehicle</type><shape><rectangle><length>4</length>"
      "<width>1</width></rectangle></shape><initialState><position><point><x>1</x><y>1.65</y>"
      "</point></position><orientation><exact>0</exact></orientation><time><exact>0</exact></time>"
      "</initialState></staticObstacle>";
  const fs::path file = lane_scenario(goal_at(50, 40, 60), post);
  const auto told = test::run_program({"traffic", "plan", file, "-o", page});
  EXPECT_NE(told.out.find("the margin of 0.30 m was not kept in "), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("at least 0."), std::string::npos) << told.out;
  const auto json =
      nlohmann::json::parse(test::run_program({"traffic", "plan", file, "-o", page, "--json"}).out);
  EXPECT_GT(json["cycles_below_margin"].get<int>(), 0);
  EXPECT_LT(json["margin_kept"].get<double>(), json["margin"].get<double>());
  const auto kept =
      test::run_program({"traffic", "plan", lane_scenario(goal_at(50, 40, 60)), "-o", page});
  EXPECT_NE(kept.out.find("the margin of 0.30 m was kept in every cycle"), std::string::npos)
      << kept.out;
}

TEST(Traffic, ChecksBodiesInSpace) {
  const fs::path bodies = write("traffic_bodies.json", R"({"proven": 1, "bodies": [
    {"name": "bar", "box": [10, 0.1, 0.1], "times": [0, 1],
     "poses": [[0, 0, 0], [0, 0, 0, 0, 0, 0.7071067811865476, 0.7071067811865476]]},
    {"name": "post", "sphere": 0.2, "pose": [3.46, 3.46, 0]},
    {"name": "far", "capsule": {"radius": 1, "length": 2}, "pose": [0, 0, 9]}]})");
  const auto hit = test::run_program({"traffic", "check", bodies, "--recorded", "--json"});
  EXPECT_EQ(hit.exit_code, 1) << hit.err;
  const auto json = nlohmann::json::parse(hit.out);
  EXPECT_EQ(json["bodies"][0]["collision"]["obstacle"], "post");
  EXPECT_NEAR(json["bodies"][0]["collision"]["t"].get<double>(), 0.5, 0.1);
  const fs::path above = write("traffic_above.json", R"({"proven": 1, "bodies": [
    {"name": "bar", "box": [10, 0.1, 0.1], "times": [0, 1],
     "poses": [[0, 0, 3], [0, 0, 3, 0, 0, 0.7071067811865476, 0.7071067811865476]]}]})");
  EXPECT_EQ(test::run_program({"traffic", "check", bodies, above}).exit_code, 0);
  EXPECT_EQ(test::run_program({"traffic", "render", bodies}).exit_code, 4);
  const fs::path gap = write("traffic_gap.json", R"({"proven": 1, "bodies": [
    {"name": "a", "sphere": 1, "times": [0, 9], "poses": [[0, 0, 3], [0, 0, 4]]}]})");
  const auto refused = test::run_program({"traffic", "check", gap, "--recorded"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_NE(refused.err.find("a gap in time"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace proven
