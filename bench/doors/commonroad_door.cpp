// CommonRoad scenarios, as the XML schemas of formats 2018b and 2020a describe them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/data.h"
#include "bench/doors/digest.h"
#include "bench/doors/door.h"
#include "bench/doors/python_reader.h"
#include "proven/io/file.h"
#include "proven/io/traffic_file.h"
#include "proven/verify/traffic_reading.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;
using verifier::ReadMover;
using verifier::ReadOutline;
using verifier::ReadPart;

// Decoration: a name for people (else that of the file), who made the file and when, tags, the
// place on the globe and who made it; kinds of obstacles, signals, and what is derived from their
// positions (velocity, acceleration, yaw rate, slip angle); where a sign or a light hangs;
// intersections, which name groups of lanelets again. To verifiers, all but obstacles: their
// theorem is about these.
constexpr SpecRow kRows[] = {
    {"commonRoad",
     "commonRoadVersion=w(2018b|2020a)! benchmarkID=t^? timeStepSize=p! author=d? affiliation=d? "
     "source=d? date=d? tags=d?",
     "location~ scenarioTags~ lanelet*^ trafficSign*^ trafficLight*^ intersection~ obstacle* "
     "staticObstacle* dynamicObstacle* environmentObstacle* phantomObstacle* planningProblem*^"},
    {"lanelet", "id=t!",
     "leftBound! rightBound! predecessor*% successor*% adjacentLeft? adjacentRight? stopLine? "
     "laneletType*%{urban} userOneWay*%{vehicle} userBidirectional*%{car} speedLimit? "
     "trafficSignRef*% "
     "trafficLightRef*%"},
    {"leftBound rightBound", "", "point+% lineMarking?{dashed}"},
    {"point", "", "x! y! z~"},
    {"x y", "", "", "n"},
    {"lineMarking", "", "",
     "w(dashed|solid|broad_dashed|broad_solid|solid_solid|dashed_dashed|solid_dashed|dashed_solid|"
     "curb|lowered_curb|no_marking|unknown)"},
    {"predecessor successor trafficSignRef trafficLightRef", "ref=t!", ""},
    {"adjacentLeft adjacentRight", "ref=t! drivingDir=w(same|opposite)!", ""},
    {"stopLine", "", "point*% lineMarking~ trafficSignRef*% trafficLightRef*%"},
    {"laneletType", "", "",
     "w(urban|intersection|interstate|country|highway|sidewalk|crosswalk|busLane|bicycleLane|"
     "exitRamp|"
     "mainCarriageWay|"
     "accessRamp|driveWay|busStop|unknown|shoulder|border|parking|restricted)"},
    {"userOneWay userBidirectional", "", "",
     "w(vehicle|car|truck|bus|motorcycle|bicycle|pedestrian|priorityVehicle|train|taxi)"},
    {"speedLimit", "", "", "p"},
    {"trafficSign", "id=t!", "trafficSignElement+% position~ virtual~"},
    {"trafficSignElement", "", "trafficSignID! additionalValue*"},
    {"trafficSignID", "", "", "t"},
    {"additionalValue", "", "", "t"},
    {"trafficLight", "id=t!", "cycle? position~ direction~ active?{true}"},
    {"cycle", "", "cycleElement+ timeOffset?{0}"},
    {"cycleElement", "", "duration! color!"},
    {"duration", "", "", "p"},
    {"timeOffset", "", "", "u"},
    {"color", "", "", "w(red|redYellow|green|yellow|inactive)"},
    {"active", "", "", "b"},
    {"obstacle", "id=t!", "role! type~ shape! initialState! trajectory? occupancySet?"},
    {"role", "", "", "w(static|dynamic)"},
    {"staticObstacle", "id=t!", "type~ shape! initialState! initialSignalState~ signalSeries~"},
    {"dynamicObstacle", "id=t!",
     "type~ shape! initialState! initialSignalState~ signalSeries~ trajectory? occupancySet?", "",
     "trajectory|occupancySet"},
    {"environmentObstacle", "id=t!", "type~ shape!"},
    {"phantomObstacle", "id=t!", "occupancySet!"},
    {"shape", "", "rectangle* circle* polygon*"},
    {"rectangle", "", "length! width! orientation?{0} center?{0 0}"},
    {"rectangle/orientation", "", "", "n"},
    {"circle", "", "radius! center?{0 0}"},
    {"center", "", "x! y!"},
    {"polygon", "", "point+%"},
    {"length width radius", "", "", "p"},
    {"trajectory", "", "state+"},
    {"initialState state", "",
     "position! orientation! time! velocity~ acceleration~ yawRate~ slipAngle~"},
    {"planningProblem/initialState", "",
     "position! orientation! time! velocity! acceleration~ yawRate~ slipAngle~"},
    {"initialState/position state/position", "", "point? rectangle*% circle*% polygon*%", "",
     "point|rectangle/circle/polygon"},
    {"goalState/position", "", "point? rectangle*% circle*% polygon*% lanelet*%", "",
     "point|rectangle/circle/polygon|lanelet"},
    {"position/lanelet", "ref=t!", ""},
    {"orientation velocity time", "", "exact? intervalStart? intervalEnd?", "",
     "exact|intervalStart,intervalEnd"},
    {"exact intervalStart intervalEnd", "", "", "n"},
    {"time/exact time/intervalStart time/intervalEnd", "", "", "u"},
    {"occupancySet", "", "occupancy+"},
    {"occupancy", "", "shape! time!"},
    {"planningProblem", "id=t!", "initialState! goalState+%"},
    {"goalState", "", "time! position? orientation? velocity?"},
};

constexpr const char* kText2020 = R"(<?xml version="1.0"?>
<commonRoad timeStepSize="0.1" commonRoadVersion="2020a" author="a" affiliation="b" source="c" benchmarkID="ZAM_Doors-1_1_T-1" date="2020-01-01">
  <location><geoNameId>-999</geoNameId><gpsLatitude>999</gpsLatitude><gpsLongitude>999</gpsLongitude></location>
  <scenarioTags><urban/></scenarioTags>
  <lanelet id="1">
    <leftBound><point><x>-5</x><y>4</y></point><point><x>40</x><y>4.5</y></point><lineMarking>dashed</lineMarking></leftBound>
    <rightBound><point><x>-5</x><y>1</y></point><point><x>40</x><y>1.2</y></point></rightBound>
    <successor ref="3"/>
    <adjacentLeft ref="2" drivingDir="same"/>
    <stopLine><point><x>39</x><y>4.4</y></point><point><x>39</x><y>1.1</y></point><lineMarking>solid</lineMarking><trafficSignRef ref="11"/><trafficLightRef ref="21"/></stopLine>
    <laneletType>urban</laneletType>
    <userOneWay>vehicle</userOneWay>
    <trafficSignRef ref="12"/>
    <trafficLightRef ref="22"/>
  </lanelet>
  <lanelet id="2">
    <leftBound><point><x>-5</x><y>7</y></point><point><x>40</x><y>8</y></point></leftBound>
    <rightBound><point><x>-5</x><y>4</y></point><point><x>40</x><y>4.5</y></point><lineMarking>solid</lineMarking></rightBound>
    <adjacentRight ref="1" drivingDir="same"/>
    <laneletType>urban</laneletType>
    <userBidirectional>car</userBidirectional>
  </lanelet>
  <lanelet id="3">
    <leftBound><point><x>40</x><y>4.5</y></point><point><x>60</x><y>4.5</y></point></leftBound>
    <rightBound><point><x>40</x><y>1.2</y></point><point><x>60</x><y>1.2</y></point></rightBound>
    <predecessor ref="1"/>
    <laneletType>sidewalk</laneletType>
  </lanelet>
  <trafficSign id="11">
    <trafficSignElement><trafficSignID>206</trafficSignID></trafficSignElement>
    <position><point><x>39</x><y>0.5</y></point></position>
    <virtual>false</virtual>
  </trafficSign>
  <trafficSign id="12">
    <trafficSignElement><trafficSignID>274</trafficSignID><additionalValue>13.8</additionalValue></trafficSignElement>
    <virtual>false</virtual>
  </trafficSign>
  <trafficLight id="21">
    <cycle>
      <cycleElement><duration>30</duration><color>red</color></cycleElement>
      <cycleElement><duration>40</duration><color>green</color></cycleElement>
      <timeOffset>15</timeOffset>
    </cycle>
    <position><point><x>39</x><y>0.5</y></point></position>
    <direction>all</direction>
    <active>true</active>
  </trafficLight>
  <trafficLight id="22"><cycle><cycleElement><duration>20</duration><color>green</color></cycleElement><cycleElement><duration>10</duration><color>yellow</color></cycleElement></cycle></trafficLight>
  <intersection id="31"><incoming id="32"><incomingLanelet ref="1"/><successorsStraight ref="3"/></incoming></intersection>
  <staticObstacle id="41">
    <type>parkedVehicle</type>
    <shape><rectangle><length>4.5</length><width>2.1</width><orientation>0.2</orientation><center><x>0.3</x><y>-0.2</y></center></rectangle></shape>
    <initialState><position><point><x>30</x><y>2.5</y></point></position><orientation><exact>0.7</exact></orientation><time><exact>0</exact></time></initialState>
  </staticObstacle>
  <staticObstacle id="42">
    <type>constructionZone</type>
    <shape><circle><radius>0.8</radius><center><x>0.1</x><y>0.2</y></center></circle></shape>
    <initialState>
      <position><rectangle><length>1</length><width>0.5</width><orientation>0.3</orientation><center><x>50</x><y>2</y></center></rectangle></position>
      <orientation><intervalStart>-0.1</intervalStart><intervalEnd>0.2</intervalEnd></orientation>
      <time><exact>0</exact></time>
    </initialState>
  </staticObstacle>
  <dynamicObstacle id="51">
    <type>car</type>
    <shape><rectangle><length>4.2</length><width>1.8</width></rectangle></shape>
    <initialState>
      <position><point><x>0.5</x><y>2.6</y></point></position><orientation><exact>0.02</exact></orientation>
      <time><exact>0</exact></time><velocity><exact>10</exact></velocity><acceleration><exact>0</exact></acceleration>
    </initialState>
    <initialSignalState><time><exact>0</exact></time><horn>false</horn></initialSignalState>
    <trajectory>
      <state><position><point><x>1.5</x><y>2.7</y></point></position><orientation><exact>0.03</exact></orientation><time><exact>1</exact></time><velocity><exact>10</exact></velocity></state>
      <state><position><point><x>2.5</x><y>2.8</y></point></position><orientation><exact>0.04</exact></orientation><time><exact>2</exact></time><velocity><exact>10</exact></velocity></state>
      <state><position><circle><radius>0.2</radius><center><x>3.5</x><y>2.8</y></center></circle></position><orientation><intervalStart>0.01</intervalStart><intervalEnd>0.06</intervalEnd></orientation><time><exact>3</exact></time></state>
    </trajectory>
    <signalSeries><signalState><time><exact>1</exact></time><horn>false</horn></signalState></signalSeries>
  </dynamicObstacle>
  <dynamicObstacle id="52">
    <type>pedestrian</type>
    <shape><polygon><point><x>0.4</x><y>0.3</y></point><point><x>-0.4</x><y>0.3</y></point><point><x>-0.5</x><y>-0.3</y></point><point><x>0.6</x><y>-0.35</y></point></polygon></shape>
    <initialState><position><point><x>20</x><y>-2</y></point></position><orientation><exact>1.5</exact></orientation><time><exact>0</exact></time><velocity><exact>1</exact></velocity></initialState>
    <occupancySet>
      <occupancy><shape><circle><radius>1.1</radius><center><x>20</x><y>-1.9</y></center></circle></shape><time><exact>1</exact></time></occupancy>
      <occupancy><shape><rectangle><length>2</length><width>1.5</width><orientation>0.4</orientation><center><x>20</x><y>-1.5</y></center></rectangle></shape><time><intervalStart>2</intervalStart><intervalEnd>4</intervalEnd></time></occupancy>
    </occupancySet>
  </dynamicObstacle>
  <environmentObstacle id="61">
    <type>building</type>
    <shape><polygon><point><x>0</x><y>20</y></point><point><x>10</x><y>20</y></point><point><x>4</x><y>24</y></point><point><x>0</x><y>30</y></point></polygon></shape>
  </environmentObstacle>
  <phantomObstacle id="71">
    <occupancySet>
      <occupancy><shape><polygon><point><x>60</x><y>1</y></point><point><x>62</x><y>1</y></point><point><x>62</x><y>3</y></point></polygon></shape><time><exact>0</exact></time></occupancy>
      <occupancy><shape><polygon><point><x>61</x><y>1</y></point><point><x>63</x><y>1</y></point><point><x>63</x><y>3</y></point></polygon></shape><time><exact>1</exact></time></occupancy>
    </occupancySet>
  </phantomObstacle>
  <planningProblem id="81">
    <initialState>
      <position><point><x>-3</x><y>2.5</y></point></position><velocity><exact>8</exact></velocity><orientation><exact>0.01</exact></orientation>
      <yawRate><exact>0</exact></yawRate><slipAngle><exact>0</exact></slipAngle><time><exact>0</exact></time>
    </initialState>
    <goalState>
      <position><rectangle><length>6</length><width>3</width><orientation>0.1</orientation><center><x>35</x><y>2.8</y></center></rectangle></position>
      <orientation><intervalStart>-0.2</intervalStart><intervalEnd>0.3</intervalEnd></orientation>
      <time><intervalStart>30</intervalStart><intervalEnd>40</intervalEnd></time>
      <velocity><intervalStart>5</intervalStart><intervalEnd>9</intervalEnd></velocity>
    </goalState>
    <goalState><position><lanelet ref="2"/></position><time><intervalStart>35</intervalStart><intervalEnd>45</intervalEnd></time></goalState>
  </planningProblem>
</commonRoad>
)";

constexpr const char* kText2018 = R"(<?xml version="1.0"?>
<commonRoad timeStepSize="0.2" commonRoadVersion="2018b" author="a" affiliation="b" source="c" benchmarkID="ZAM_Doors-2_1_T-1" date="2018-01-01" tags="urban">
  <lanelet id="1">
    <leftBound><point><x>0</x><y>3</y></point><point><x>50</x><y>3</y></point></leftBound>
    <rightBound><point><x>0</x><y>0</y></point><point><x>50</x><y>-0.2</y></point></rightBound>
    <speedLimit>13.9</speedLimit>
  </lanelet>
  <obstacle id="2">
    <role>static</role><type>parkedVehicle</type>
    <shape><rectangle><length>4</length><width>1.9</width></rectangle><circle><radius>1.2</radius><center><x>2.5</x><y>0.5</y></center></circle></shape>
    <initialState><position><point><x>30</x><y>1.4</y></point></position><orientation><exact>-0.3</exact></orientation><time><exact>0</exact></time></initialState>
  </obstacle>
  <obstacle id="3">
    <role>dynamic</role><type>truck</type>
    <shape><rectangle><length>8</length><width>2.4</width></rectangle></shape>
    <initialState><position><point><x>5</x><y>1.5</y></point></position><orientation><exact>0.01</exact></orientation><time><exact>0</exact></time><velocity><exact>8</exact></velocity></initialState>
    <trajectory>
      <state><position><point><x>6.6</x><y>1.5</y></point></position><orientation><exact>0.02</exact></orientation><time><exact>1</exact></time><velocity><exact>8</exact></velocity></state>
      <state><position><rectangle><length>0.4</length><width>0.3</width><orientation>0.2</orientation><center><x>8.2</x><y>1.6</y></center></rectangle></position><orientation><intervalStart>0.01</intervalStart><intervalEnd>0.03</intervalEnd></orientation><time><exact>2</exact></time><velocity><intervalStart>7</intervalStart><intervalEnd>9</intervalEnd></velocity></state>
    </trajectory>
  </obstacle>
  <planningProblem id="4">
    <initialState><position><point><x>1</x><y>1.5</y></point></position><velocity><exact>6</exact></velocity><orientation><exact>0.05</exact></orientation><yawRate><exact>0</exact></yawRate><slipAngle><exact>0</exact></slipAngle><time><exact>0</exact></time></initialState>
    <goalState><position><circle><radius>2</radius><center><x>45</x><y>1.5</y></center></circle><polygon><point><x>40</x><y>0</y></point><point><x>42</x><y>0</y></point><point><x>42</x><y>3</y></point></polygon></position><time><intervalStart>10</intervalStart><intervalEnd>30</intervalEnd></time></goalState>
  </planningProblem>
</commonRoad>
)";

// --- What all three readers say

ReadOutline outline_of(const spacetime::Piece& piece) {
  ReadOutline outline{{}, piece.radius};
  for (const spacetime::Vec2 p : piece.corners) outline.corners.emplace_back(p.x, p.y);
  if (!piece.is_box()) return outline;
  if (piece.half.x == 0 && piece.half.y == 0) {
    outline.corners.emplace_back(piece.centre.x, piece.centre.y);
    return outline;
  }
  for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
    outline.corners.emplace_back(piece.centre.x + x * piece.half.x,
                                 piece.centre.y + y * piece.half.y);
  return outline;
}

std::vector<ReadOutline> outlines_of(const spacetime::Footprint& footprint) {
  std::vector<ReadOutline> outlines;
  for (const spacetime::Piece& piece : footprint.pieces()) outlines.push_back(outline_of(piece));
  return outlines;
}

constexpr double kAlways = 1e12;

std::vector<ReadPart> parts_of(const spacetime::Obstacle& obstacle) {
  std::vector<ReadPart> parts;
  for (const spacetime::Occupancy& o : obstacle.occupancies)
    parts.push_back({o.t_begin, o.t_end, outlines_of(o.region), {{}}});
  if (!parts.empty()) return parts;
  ReadPart& part = parts.emplace_back();
  part.outlines = outlines_of(obstacle.footprint);
  const spacetime::Trajectory& m = obstacle.motion;
  if (!obstacle.moves()) {
    part.begin = -kAlways, part.end = kAlways;
    part.samples = {{0, obstacle.pose.x, obstacle.pose.y, obstacle.pose.heading, 0, 0}};
    return parts;
  }
  part.begin = m.t.front(), part.end = m.t.back();
  for (std::size_t i = 0; i < m.t.size(); ++i)
    part.samples.push_back({m.t[i], m.x[i], m.y[i], m.heading[i],
                            m.position_deviation.empty() ? 0 : m.position_deviation[i],
                            m.heading_deviation.empty() ? 0 : m.heading_deviation[i]});
  return parts;
}

// Of all outlines together: how far they reach in some directions, and their area with its moment,
// as a polygon may be cut into pieces.
void add_outlines(const std::string& name, const std::vector<ReadOutline>& outlines,
                  std::vector<Fact>& facts) {
  constexpr int kDirections = 16;
  std::array<double, kDirections> reach;
  reach.fill(-INFINITY);
  double area = 0, moment_x = 0, moment_y = 0, radius = 0;
  for (const ReadOutline& outline : outlines) {
    double own = 0, own_x = 0, own_y = 0;
    const auto& c = outline.corners;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const auto& [ax, ay] = c[i];
      const auto& [bx, by] = c[(i + 1) % c.size()];
      const double cross = ax * by - bx * ay;
      own += 0.5 * cross, own_x += cross * (ax + bx) / 6, own_y += cross * (ay + by) / 6;
      for (int k = 0; k < kDirections; ++k) {
        const double angle = 0.39 * k;
        double& far = reach[static_cast<std::size_t>(k)];
        far = std::max(far, std::cos(angle) * ax + std::sin(angle) * ay + outline.radius);
      }
    }
    const double sense = own < 0 ? -1 : 1;
    area += sense * own, moment_x += sense * own_x, moment_y += sense * own_y;
    radius = std::max(radius, outline.radius);
  }
  for (int k = 0; k < kDirections; ++k)
    facts.push_back({fmt::format("{}: its reach {}", name, k), reach[static_cast<std::size_t>(k)]});
  facts.push_back({name + ": its area", area});
  facts.push_back({name + ": its moment along x", moment_x});
  facts.push_back({name + ": its moment along y", moment_y});
  facts.push_back({name + ": its radius", radius});
}

std::vector<Fact> facts_of(const std::vector<ReadMover>& movers) {
  std::vector<Fact> facts;
  for (const ReadMover& mover : movers)
    for (std::size_t i = 0; i < mover.parts.size(); ++i) {
      const ReadPart& part = mover.parts[i];
      const std::string name = fmt::format("{}/{}", mover.name, i);
      facts.push_back({name + ": its begin", part.begin});
      facts.push_back({name + ": its end", part.end});
      add_outlines(name, part.outlines, facts);
      for (std::size_t k = 0; k < part.samples.size(); ++k) {
        const verifier::ReadSample& s = part.samples[k];
        const std::string at = fmt::format("{}: sample {}: ", name, k);
        if (part.samples.size() > 1) facts.push_back({at + "time", s.t});
        facts.push_back({at + "x", s.x});
        facts.push_back({at + "y", s.y});
        facts.push_back({at + "heading", s.heading});
        facts.push_back({at + "deviation", s.deviation});
        facts.push_back({at + "deviation of heading", s.turn_deviation});
      }
    }
  return facts;
}

std::string text_of(const std::vector<ReadMover>& movers) {
  std::string text;
  for (const ReadMover& mover : movers) {
    text += mover.name + "\n";
    for (const ReadPart& part : mover.parts) {
      text += fmt::format("from {} to {}\n", part.begin, part.end);
      for (const ReadOutline& o : part.outlines) {
        for (const auto& [x, y] : o.corners) text += fmt::format("{},{} ", x, y);
        text += fmt::format("r {}\n", o.radius);
      }
      for (const verifier::ReadSample& s : part.samples)
        text += fmt::format("{} {} {} {} {} {}\n", s.t, s.x, s.y, s.heading, s.deviation,
                            s.turn_deviation);
    }
  }
  return text;
}

Result<Reading> read_product(const fs::path& file) {
  const auto traffic = load_traffic(file);
  if (!traffic.ok()) return traffic.error();
  std::vector<ReadMover> movers;
  for (const spacetime::Obstacle& obstacle : traffic.value().obstacles)
    movers.push_back({obstacle.name, parts_of(obstacle)});
  return Reading{digest(traffic.value()), traffic.value().remarks, facts_of(movers)};
}

Result<Reading> read_verifier(const fs::path& file) {
  const auto movers = verifier::read_movers(file);
  if (!movers.ok()) return movers.error();
  return Reading{text_of(movers.value()), {}, facts_of(movers.value())};
}

Reading from_python(const nlohmann::json& answer) {
  std::vector<ReadMover> movers;
  for (const auto& mover : answer) {
    ReadMover& out = movers.emplace_back();
    out.name = mover[0].is_string() ? mover[0].get<std::string>() : "";
    for (const auto& part : mover[1]) {
      ReadPart& p = out.parts.emplace_back();
      p.begin = part[0], p.end = part[1];
      for (const auto& shape : part[2]) {
        ReadOutline& outline = p.outlines.emplace_back();
        for (const auto& corner : shape[0]) outline.corners.emplace_back(corner[0], corner[1]);
        outline.radius = shape[1];
      }
      for (const auto& s : part[3]) p.samples.push_back({s[0], s[1], s[2], s[3], s[4], s[5]});
    }
  }
  return {text_of(movers), {}, facts_of(movers)};
}

std::vector<DoorFile> real_files() {
  std::vector<DoorFile> files;
  for (const char* folder : {"commonroad", "commonroad_more"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(data_dir() / folder, error))
      if (entry.path().extension() == ".xml")
        if (auto text = read_file(entry.path()); text.ok())
          files.push_back({entry.path().filename().string(), std::move(text.value()), true});
  }
  std::ranges::sort(files, {}, &DoorFile::name);
  return files;
}

// Of a position that is a region the circle around it is taken, however a lone rectangle is turned.
// What a lanelet refers to holds at its stop line, too; a corner said again is none.
bool same_scenario(const Tree& before, const Tree&, const Change& change) {
  const std::string place = place_of(before, change.path);
  if (place.ends_with("/position/rectangle/orientation") &&
      (change.kind == Change::Kind::value || change.kind == Change::Kind::drop))
    return place.find("goalState") == std::string::npos;
  const Tree& altered_one = at(before, change.path);
  if (change.kind == Change::Kind::move && change.attribute.empty())
    return altered_one.name == "trafficLightRef" || altered_one.name == "trafficSignRef";
  if (change.kind != Change::Kind::drop || altered_one.name != "point") return false;
  const Tree& polygon = at(before, {change.path.begin(), change.path.end() - 1});
  const std::string corner = xml_text(altered_one);
  return std::ranges::count_if(polygon.children,
                               [&](const Tree& p) { return xml_text(p) == corner; }) > 1;
}

}  // namespace

std::vector<Door> commonroad_doors() {
  static const Spec kSpec{kRows};
  Door door;
  door.name = "CommonRoad";
  door.ending = ".xml";
  door.spec = &kSpec;
  door.files = {{"2020a", kText2020}, {"2018b", kText2018}};
  for (DoorFile& file : real_files()) door.files.push_back(std::move(file));
  door.is_same = same_scenario;
  door.readers = {{"checker", Scope::product, one_by_one(read_product)},
                  {"verifier", Scope::verifier, one_by_one(read_verifier)}};
  if (auto python = python_reader("traffic", from_python))
    door.readers.push_back({"Python", Scope::verifier, *python});
  return {door};
}

}  // namespace proven::bench
