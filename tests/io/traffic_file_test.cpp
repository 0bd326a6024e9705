// Traffic files: every scenario loads, and bad ones say where and why.
#include "proven/io/traffic_file.h"

#include <fmt/format.h>

#include <fstream>

#include "proven/spacetime/check.h"
#include "support.h"

namespace proven {
namespace {

namespace fs = std::filesystem;

class TrafficFiles : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) {
    const fs::path file = fs::path(testing::TempDir()) / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  void scene_refused(const std::string& name, const std::string& text, const std::string& words) {
    const auto result = load_traffic(write(name, text));
    ASSERT_FALSE(result.ok()) << words;
    EXPECT_NE(result.error().text().find(words), std::string::npos) << result.error().text();
    EXPECT_NE(result.error().text().find(name), std::string::npos) << result.error().text();
  }
  void trajectories_refused(const std::string& name, const std::string& text,
                            const std::string& words) {
    const auto result = load_trajectories(write(name, text));
    ASSERT_FALSE(result.ok()) << words;
    EXPECT_NE(result.error().text().find(words), std::string::npos) << result.error().text();
    EXPECT_NE(result.error().text().find(name), std::string::npos) << result.error().text();
  }
};

std::string state(int time, double x, const std::string& tag = "state") {
  return "<" + tag + "><position><point><x>" + std::to_string(x) +
         "</x><y>0</y></point></position><orientation><exact>0</exact></orientation><time><exact>" +
         std::to_string(time) + "</exact></time></" + tag + ">\n";
}

std::string scenario(const std::string& shape, const std::string& states,
                     const std::string& more = "") {
  return "<commonRoad commonRoadVersion=\"2020a\" benchmarkID=\"B\" timeStepSize=\"0.1\">\n" +
         more + "<dynamicObstacle id=\"7\"><type>car</type><shape>" + shape + "</shape>\n" +
         state(0, 0, "initialState") + "<trajectory>\n" + states +
         "</trajectory></dynamicObstacle></commonRoad>";
}

const std::string kBox = "<rectangle><length>4</length><width>2</width></rectangle>";

TEST_F(TrafficFiles, EveryScenarioLoads) {
  PROVEN_REQUIRE_DATA("commonroad");
  int files = 0, moving = 0, standing = 0, sets = 0;
  for (const auto& entry : fs::directory_iterator(test::data_dir() / "commonroad")) {
    if (entry.path().extension() != ".xml") continue;
    const auto file = load_traffic(entry.path());
    ASSERT_TRUE(file.ok()) << file.error().text();
    ASSERT_TRUE(spacetime::TrafficScene::build(file.value().obstacles).ok());
    ++files;
    EXPECT_FALSE(file.value().lanelets.empty());
    EXPECT_FALSE(file.value().problems.empty());
    for (const spacetime::Obstacle& o : file.value().obstacles)
      ++(o.is_set() ? sets : o.moves() ? moving : standing);
  }
  EXPECT_GE(files, 11);
  EXPECT_GT(moving, 50);
  EXPECT_GT(standing, 60);
  EXPECT_EQ(sets, 1);
}

TEST_F(TrafficFiles, ReadsWhatAScenarioSays) {
  const auto file = load_traffic(write("ok.xml", scenario(kBox, state(1, 1) + state(2, 2.5))));
  ASSERT_TRUE(file.ok()) << file.error().text();
  const spacetime::Obstacle& o = file.value().obstacles.at(0);
  EXPECT_EQ(o.name, "7");
  EXPECT_EQ(o.motion.t, (std::vector<double>{0, 0.1, 0.2}));
  EXPECT_EQ(o.motion.x, (std::vector<double>{0, 1, 2.5}));
  EXPECT_NEAR(o.footprint.box_half().x, 2, 1e-12);
}

TEST_F(TrafficFiles, BadScenarios) {
  scene_refused("gap.xml", scenario(kBox, state(1, 1) + state(3, 2)), "a gap in time: 3 follows 1");
  scene_refused("order.xml", scenario(kBox, state(2, 1) + state(1, 2)), "a gap in time");
  scene_refused("back.xml", scenario(kBox, state(1, 1) + state(0, 2)), "not in order: 0 follows 1");
  scene_refused("twice.xml", scenario(kBox, state(1, 1) + state(1, 2)), "two states at time 1");
  scene_refused("zero.xml", scenario("<circle><radius>0</radius></circle>", state(1, 1)),
                "zero.xml:2: radius is 0");
  scene_refused("nan.xml", scenario("<circle><radius>nan</radius></circle>", state(1, 1)),
                "expected a finite decimal number");
  const std::string bow_tie =
      "<polygon><point><x>0</x><y>0</y></point><point><x>1</x><y>1</y></point>"
      "<point><x>1</x><y>0</y></point><point><x>0</x><y>1</y></point></polygon>";
  scene_refused("bow.xml", scenario(bow_tie, state(1, 1)), "crosses or touches itself");
  scene_refused("shape.xml", scenario("<ellipse/>", state(1, 1)),
                "unknown element <ellipse> in <shape>");
  scene_refused("element.xml", scenario(kBox, state(1, 1), "<flyingSaucer/>"),
                "element.xml:2: unknown element <flyingSaucer>");
  scene_refused("version.xml",
                "<commonRoad commonRoadVersion=\"1999\" timeStepSize=\"0.1\"></commonRoad>",
                "2018b and 2020a");
  scene_refused("urdf.xml", "<robot/>", "expected <commonRoad>");
  scene_refused("cut.xml", scenario(kBox, state(1, 1)).substr(0, 300), "not valid XML");
  scene_refused("scene.txt", "", "expected a CommonRoad .xml or a .json file");
  EXPECT_FALSE(load_traffic("/no/such/file.xml").ok());
}

std::string road_scenario(const std::string& more) {
  return "<commonRoad commonRoadVersion=\"2020a\" benchmarkID=\"B\" timeStepSize=\"0.1\">\n" +
         more + "</commonRoad>";
}

std::string lanelet(int id, double y, const std::string& more = "", const std::string& left = "") {
  const auto bound = [&](const char* name, double at, const std::string& marking) {
    return fmt::format(
        "<{0}><point><x>0</x><y>{1}</y></point><point><x>50</x><y>{1}</y></point>{2}</{0}>", name,
        at, marking);
  };
  return fmt::format("<lanelet id=\"{}\">", id) + bound("leftBound", y + 2, left) +
         bound("rightBound", y - 2, "") +
         (more.find("<laneletType>") == std::string::npos ? "<laneletType>urban</laneletType>"
                                                          : "") +
         more + "</lanelet>\n";
}

std::string problem(const std::string& goals, const std::string& speed = "<exact>5</exact>") {
  return "<planningProblem id=\"9\"><initialState><position><point><x>1</x><y>0</y></point>"
         "</position><orientation><exact>0</exact></orientation><time><exact>0</exact></time>"
         "<velocity>" +
         speed +
         "</velocity><yawRate><exact>0</exact></yawRate><slipAngle><exact>0</exact></slipAngle>"
         "</initialState>" +
         goals + "</planningProblem>\n";
}

std::string interval(const std::string& tag, double a, double b) {
  return fmt::format("<{0}><intervalStart>{1}</intervalStart><intervalEnd>{2}</intervalEnd></{0}>",
                     tag, a, b);
}

TEST_F(TrafficFiles, GoalsKeepAllTheirConditions) {
  const std::string one = "<goalState>" + interval("time", 10, 20) + interval("velocity", 1, 2) +
                          interval("orientation", -0.1, 0.1) +
                          "<position><lanelet ref=\"1\"/></position></goalState>";
  const std::string two = "<goalState>" + interval("time", 30, 40) +
                          "<position><circle><radius>2</radius><center><x>5</x><y>6</y></center>"
                          "</circle></position></goalState>";
  const auto file =
      load_traffic(write("goals.xml", road_scenario(lanelet(1, 0) + problem(one + two))));
  ASSERT_TRUE(file.ok()) << file.error().text();
  const auto& goals = file.value().problems.at(0).goals;
  ASSERT_EQ(goals.size(), 2u);
  EXPECT_NEAR(goals[0].time->low, 1, 1e-12);
  EXPECT_NEAR(goals[0].time->high, 2, 1e-12);
  EXPECT_EQ(goals[0].speed->high, 2);
  EXPECT_EQ(goals[0].heading->low, -0.1);
  EXPECT_EQ(goals[0].lanelets, std::vector<std::string>{"1"});
  EXPECT_NEAR(goals[1].time->low, 3, 1e-12);
  EXPECT_FALSE(goals[1].speed);
  EXPECT_EQ(goals[1].regions.size(), 1u);
  scene_refused("none.xml", road_scenario(lanelet(1, 0) + problem("")), "has no <goalState>");
  scene_refused(
      "range.xml",
      road_scenario(lanelet(1, 0) + problem(one,
                                            "<intervalStart>1</intervalStart><intervalEnd>2"
                                            "</intervalEnd>")),
      "starts at one speed");
  scene_refused("lane.xml", road_scenario(lanelet(2, 0) + problem(one)), "there is no lanelet '1'");
  scene_refused("more.xml",
                road_scenario(lanelet(1, 0) +
                              problem("<goalState>" + interval("yawRate", 0, 1) + "</goalState>")),
                "unknown element <yawRate> in <goalState>");
}

TEST_F(TrafficFiles, RoadsKeepNeighboursLimitsStopsAndLights) {
  const std::string text =
      lanelet(1, 0,
              "<successor ref=\"3\"/><adjacentLeft ref=\"2\" drivingDir=\"same\"/>"
              "<stopLine><lineMarking>solid</lineMarking><trafficSignRef ref=\"51\"/></stopLine>"
              "<trafficSignRef ref=\"50\"/><trafficLightRef ref=\"60\"/>") +
      lanelet(2, 4,
              "<adjacentRight ref=\"1\" drivingDir=\"same\"/>"
              "<adjacentLeft ref=\"4\" drivingDir=\"opposite\"/>",
              "<lineMarking>solid</lineMarking>") +
      lanelet(3, 8, "<laneletType>sidewalk</laneletType>") +
      lanelet(4, 12, "<userOneWay>bicycle</userOneWay>") +
      "<trafficSign id=\"50\"><trafficSignElement><trafficSignID>274</trafficSignID>"
      "<additionalValue>13.5</additionalValue></trafficSignElement></trafficSign>"
      "<trafficSign id=\"51\"><trafficSignElement><trafficSignID>206</trafficSignID>"
      "</trafficSignElement></trafficSign>"
      "<trafficSign id=\"52\"><trafficSignElement><trafficSignID>301</trafficSignID>"
      "</trafficSignElement></trafficSign>"
      "<trafficLight id=\"60\"><cycle><cycleElement><duration>30</duration><color>red</color>"
      "</cycleElement><cycleElement><duration>20</duration><color>green</color></cycleElement>"
      "<timeOffset>10</timeOffset></cycle></trafficLight>";
  const auto file = load_traffic(write("road.xml", road_scenario(text)));
  ASSERT_TRUE(file.ok()) << file.error().text();
  const auto& lanes = file.value().lanelets;
  EXPECT_TRUE(lanes[0].left_neighbour->is_open());
  EXPECT_FALSE(lanes[1].left_neighbour->same_direction);
  EXPECT_FALSE(lanes[1].left_neighbour->may_change);
  EXPECT_EQ(lanes[0].speed_limit, 13.5);
  EXPECT_FALSE(lanes[1].speed_limit);
  ASSERT_TRUE(lanes[0].stop_line);
  EXPECT_TRUE(lanes[0].stop_line->must_stop);
  EXPECT_EQ(lanes[0].stop_line->lights, std::vector<std::string>{"60"});
  EXPECT_FALSE(lanes[2].for_vehicles);
  EXPECT_FALSE(lanes[3].for_vehicles);
  ASSERT_EQ(file.value().lights.size(), 1u);
  EXPECT_FALSE(file.value().lights[0].may_pass(2));
  EXPECT_TRUE(file.value().lights[0].may_pass(4.5));
  ASSERT_EQ(file.value().remarks.size(), 1u);
  EXPECT_NE(file.value().remarks[0].find("301"), std::string::npos);
  scene_refused("light.xml", road_scenario(lanelet(1, 0, "<trafficLightRef ref=\"7\"/>")),
                "there is no traffic light '7'");
  scene_refused("back.xml", road_scenario(lanelet(1, 0, "<speedLimit>-13.9</speedLimit>")),
                "a speed limit of -13.9 m/s");
  scene_refused("what.xml", road_scenario(lanelet(1, 0, "<tollBooth/>")),
                "unknown element <tollBooth> in <lanelet>");
}

TEST_F(TrafficFiles, ObstaclesOfAllKinds) {
  const std::string shape = "<shape>" + kBox + "</shape>";
  const std::string region =
      "<initialState><position><circle><radius>0.5</radius><center><x>20</x><y>0</y></center>"
      "</circle></position><orientation><intervalStart>-0.1</intervalStart><intervalEnd>0.1"
      "</intervalEnd></orientation><time><exact>0</exact></time></initialState>";
  const std::string set = "<occupancySet><occupancy><shape>" + kBox +
                          "</shape><time><exact>3</exact></time></occupancy>"
                          "</occupancySet>";
  const auto file = load_traffic(
      write("kinds.xml",
            road_scenario(
                "<environmentObstacle id=\"1\"><type>building</type><shape><rectangle><length>4"
                "</length><width>2</width><center><x>30</x><y>9</y></center></rectangle></shape>"
                "</environmentObstacle>"
                "<phantomObstacle id=\"2\">" +
                set +
                "</phantomObstacle>"
                "<staticObstacle id=\"3\"><type>parkedVehicle</type>" +
                shape + region +
                "</staticObstacle>"
                "<dynamicObstacle id=\"4\"><type>car</type>" +
                shape + state(0, 0, "initialState") + "<trajectory>" + state(0, 0) + state(1, 1) +
                "</trajectory></dynamicObstacle>")));
  ASSERT_TRUE(file.ok()) << file.error().text();
  const auto& o = file.value().obstacles;
  EXPECT_NEAR(o[0].footprint.box_centre().x, 30, 1e-12);
  EXPECT_EQ(o[0].pose.x, 0);
  ASSERT_TRUE(o[1].is_set());
  EXPECT_NEAR(o[1].occupancies[0].t_begin, 0.2, 1e-12);
  EXPECT_NEAR(o[2].footprint.box_half().x, 2 + 0.5 + 0.1 * std::hypot(2, 1), 1e-6);
  EXPECT_EQ(o[2].pose.x, 20);
  EXPECT_EQ(o[3].motion.size(), 2);  // the initial state that is said twice counts once
  // Not turned back to 0: multiples of a turn are lost in it.
  std::string spun = scenario(kBox, state(0, 0) + state(1, 1));
  const std::size_t turn = spun.rfind("<orientation><exact>") + 20;
  spun.replace(turn, spun.find('<', turn) - turn, "1e300");
  scene_refused("spun.xml", spun, "is beyond 100000 rad");
  scene_refused("moved.xml", scenario(kBox, state(0, 3) + state(1, 1)), "two states at time 0");
  scene_refused("phantom.xml", road_scenario("<phantomObstacle id=\"2\"/>"),
                "has no <occupancySet>");
  scene_refused(
      "gap_in_set.xml",
      road_scenario("<phantomObstacle id=\"2\"><occupancySet><occupancy><shape>" + kBox +
                    "</shape><time><exact>3</exact></time></occupancy>\n<occupancy><shape>" + kBox +
                    "</shape><time><exact>5</exact></time></occupancy></occupancySet>"
                    "</phantomObstacle>"),
      "gap_in_set.xml:3: a gap in time: step 5 follows 3");
  scene_refused(
      "centre.xml",
      scenario("<circle><radius>1</radius><centre><x>1</x><y>0</y></centre></circle>", state(1, 1)),
      "unknown element <centre> in <circle>, did you mean 'center'?");
}

TEST_F(TrafficFiles, LeapsAreRefused) {
  scene_refused("leap.xml", scenario(kBox, state(1, 1) + state(2, 2) + state(3, 9)),
                "leaps at sample 3");
  trajectories_refused("leap.csv", "time,x,y,heading\n0,0,0,0\n0.1,1,0,0\n0.2,9,0,0\n", "leaps");
}

TEST_F(TrafficFiles, OurScenes) {
  const auto file = load_traffic(write("ok.json", R"({"proven": 1, "obstacles": [
    {"name": "car", "box": [4, 2], "times": [0, 1], "poses": [[0, 0, 3.1], [1, 0, -3.1]]},
    {"name": "spin", "box": [4, 2], "times": [0, 1], "poses": [[0, 0, 0], [0, 0, 12]],
     "turns": "literal"},
    {"name": "post", "circle": 0.3, "pose": [5, 5, 0]},
    {"name": "truck", "parts": [{"box": [4, 2]}, {"box": [8, 2.5], "centre": [-7, 0]}],
     "pose": [9, 9, 0]},
    {"name": "set", "occupancy": [{"from": 0, "to": 1, "polygon": [[0,0],[1,0],[0,1]]}]}]})"));
  ASSERT_TRUE(file.ok()) << file.error().text();
  const auto& obstacles = file.value().obstacles;
  EXPECT_NEAR(obstacles[0].motion.heading[1], 2 * M_PI - 3.1, 1e-12);  // the shorter way
  EXPECT_EQ(obstacles[1].motion.heading[1], 12);
  EXPECT_EQ(obstacles[3].footprint.pieces().size(), 2u);
  EXPECT_TRUE(obstacles[4].is_set());
  const auto one = [](const std::string& obstacle) {
    return "{\"proven\": 1, \"obstacles\": [\n" + obstacle + "]}";
  };
  scene_refused("key.json", one(R"({"name": "a", "bx": [1, 1]})"), "key.json:2");
  scene_refused("shape.json", one(R"({"name": "a", "pose": [0,0,0]})"), "no shape");
  scene_refused("two.json", one(R"({"name": "a", "circle": 1, "box": [1,1], "pose": [0,0,0]})"),
                "a second shape");
  scene_refused("size.json", one(R"({"name": "a", "box": [1, 0], "pose": [0,0,0]})"), "width is 0");
  scene_refused("gap.json",
                one(R"({"name":"a","box":[1,1],"times":[0,9],"poses":[[0,0,0],[1,0,0]]})"),
                "a gap in time: 9 s between samples 0 and 1");
  scene_refused("times.json",
                one(R"({"name":"a","box":[1,1],"times":[0,0],"poses":[[0,0,0],[1,0,0]]})"),
                "same time");
  scene_refused("between.json",
                one(R"({"name":"a","box":[1,1],"times":[0,1],"poses":[[0,0,0],[1,0,0]],
                        "between":"magic"})"),
                "unknown word");
  scene_refused("same.json", one(R"({"name": "a", "circle": 1, "pose": [0,0,0]},
                                    {"name": "a", "circle": 1, "pose": [0,0,0]})"),
                "two obstacles are called");
}

TEST_F(TrafficFiles, Trajectories) {
  const auto csv = load_trajectories(write(
      "ok.csv", "trajectory,time,x,y,heading\na,0,0,0,0\na,0.1,1,0,0\nb,0,0,0,0\nb,1,1,1,1\n"));
  ASSERT_TRUE(csv.ok()) << csv.error().text();
  ASSERT_EQ(csv.value().size(), 2u);
  EXPECT_EQ(csv.value()[1].name, "b");
  EXPECT_EQ(csv.value()[0].trajectory.x, (std::vector<double>{0, 1}));
  const auto json = load_trajectories(write("ok.json", R"({"proven": 1, "box": [4, 2],
    "trajectories": [{"times": [0, 1], "poses": [[0,0,0],[1,0,0]]}]})"));
  ASSERT_TRUE(json.ok()) << json.error().text();
  EXPECT_EQ(json.value()[0].footprint.pieces().size(), 1u);
  trajectories_refused("column.csv", "time,x,y,yaw\n", "unknown column 'yaw'");
  trajectories_refused("missing.csv", "time,x,y\n", "needs time, x, y and heading");
  trajectories_refused("nan.csv", "time,x,y,heading\n0,0,0,0\n1,nan,0,0\n", "nan.csv:3");
  trajectories_refused("short.csv", "time,x,y,heading\n0,0,0\n", "expected 4 values, got 3");
  trajectories_refused("order.csv", "time,x,y,heading\n1,0,0,0\n0,0,0,0\n",
                       "order.csv:3: times are not in order");
  trajectories_refused("single.csv", "time,x,y,heading\n1,0,0,0\n", "at least two samples");
  trajectories_refused("mixed.csv",
                       "trajectory,time,x,y,heading\na,0,0,0,0\nb,0,0,0,0\na,1,0,0,0\n",
                       "keep its lines together");
  trajectories_refused("empty.json", R"({"proven": 1, "trajectories": []})", "no trajectory");
}

}  // namespace
}  // namespace proven
