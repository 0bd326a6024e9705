#include "fuzz.h"
#include "proven/io/bodies_file.h"
#include "proven/io/traffic_file.h"

namespace proven::fuzz {
namespace {

bool traffic(Bytes input, const char* ending) {
  const auto file = load_traffic(as_file(input, ending));
  if (!answers(file)) return false;
  return answers(spacetime::TrafficScene::build(file.value().obstacles));
}

bool trajectories(Bytes input, const char* ending) {
  const auto list = load_trajectories(as_file(input, ending));
  if (answers(list) && list.value().empty()) broken("there is at least one trajectory");
  return list.ok();
}

bool bodies(Bytes input) {
  const auto file = as_file(input, "json");
  answers(holds_bodies(file));
  return answers(load_bodies(file));
}

std::vector<std::string> commonroad() {
  const auto state = [](const std::string& tag, const std::string& time) {
    return "<" + tag +
           "><position><point><x>1</x><y>0</y></point></position><orientation><exact>0" +
           "</exact></orientation><time><exact>" + time + "</exact></time></" + tag + ">";
  };
  return {
      R"(<commonRoad commonRoadVersion="2020a" benchmarkID="B" timeStepSize="0.1">
<lanelet id="1"><leftBound><point><x>0</x><y>1</y></point><point><x>9</x><y>1</y></point></leftBound>
<rightBound><point><x>0</x><y>0</y></point><point><x>9</x><y>0</y></point></rightBound><successor ref="1"/><laneletType>urban</laneletType></lanelet>
<staticObstacle id="8"><type>parkedVehicle</type><shape><polygon><point><x>0</x><y>0</y></point>
<point><x>1</x><y>0</y></point><point><x>0</x><y>1</y></point></polygon></shape>)" +
      state("initialState", "0") +
      R"(</staticObstacle><dynamicObstacle id="7"><type>car</type><shape><rectangle><length>4</length>
<width>2</width></rectangle></shape>)" +
      state("initialState", "0") + "<trajectory>" + state("state", "1") + state("state", "2") +
      R"(</trajectory></dynamicObstacle><planningProblem id="9"><initialState><position><point><x>0</x><y>0</y></point>
</position><velocity><exact>1</exact></velocity><orientation><exact>0</exact></orientation><yawRate><exact>0</exact></yawRate>
<slipAngle><exact>0</exact></slipAngle><time><exact>0</exact></time></initialState><goalState><time><intervalStart>1</intervalStart><intervalEnd>2</intervalEnd></time></goalState>
</planningProblem></commonRoad>)"};
}

std::vector<std::string> json() {
  return {R"({"proven": 1, "obstacles": [{"name": "car", "box": [4.5, 2.0], "times": [0, 0.1],
 "poses": [[0, 0, 0], [1, 0, 0.1]], "between": "bounded_acceleration", "max_acceleration": 3},
 {"name": "arc", "parts": [{"circle": 1, "centre": [1, 0]}, {"box": [1, 1]}], "times": [0, 1],
 "poses": [[0, 0, 0], [1, 0, 1]], "between": "arc", "turns": "literal"},
 {"name": "post", "circle": 0.3, "pose": [3, 4, 0]},
 {"name": "set", "occupancy": [{"from": 0, "to": 0.5, "polygon": [[0, 0], [1, 0], [0, 1]]}]}]})"};
}

std::vector<std::string> trajectories_json() {
  return {R"({"proven": 1, "box": [4.5, 2.0], "trajectories": [{"name": "a", "times": [0, 1],
 "poses": [[0, 0, 0], [1, 2, 0.5]]}]})"};
}

std::vector<std::string> trajectories_csv() {
  return {"time,x,y,heading,trajectory\n0,0,0,0,a\n1,1,0,0.1,a\n0,1,0,0.1,b\n1,2,0,0,b\n",
          "time,x,y,heading\n0,0,0,0\n1,1,0,0.1\n"};
}

std::vector<std::string> bodies_json() {
  return {R"({"proven": 1, "bodies": [{"name": "a", "box": [1, 1, 1], "times": [0, 1],
 "poses": [[0, 0, 0], [1, 0, 0, 0, 0, 0, 1]]}, {"name": "b", "sphere": 1, "pose": [3, 0, 0]}]})"};
}

}  // namespace

std::vector<Fuzzer> traffic_fuzzers() {
  return {{"commonroad", [](Bytes input) { return traffic(input, "xml"); }, {}, commonroad},
          {"traffic", [](Bytes input) { return traffic(input, "json"); }, {}, json},
          {"trajectories",
           [](Bytes input) { return trajectories(input, "json"); },
           {},
           trajectories_json},
          {"trajectories_csv",
           [](Bytes input) { return trajectories(input, "csv"); },
           {},
           trajectories_csv},
          {"bodies", bodies, {}, bodies_json}};
}

}  // namespace proven::fuzz
