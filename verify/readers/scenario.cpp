#include "verify/readers/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace proven::verifier {
namespace {

// What each element holds: parts that are there once, once or not (?), at least once (+), any
// number of times (*), attributes (@). Of lists between bars exactly one is there: "a|b,c". A
// "parent>element" goes before its "element". Leaves begin with #; # alone is not looked into.
const std::map<std::string, std::string> kForms = {
    {"commonRoad",
     "location* scenarioTags* intersection* lanelet* trafficSign* trafficLight* obstacle* "
     "staticObstacle* dynamicObstacle* environmentObstacle* phantomObstacle* planningProblem*"},
    {"location", "#"},
    {"scenarioTags", "#"},
    {"intersection", "#"},
    // Numbers, times, shapes, places.
    {"exact", "#number"},
    {"intervalStart", "#number"},
    {"intervalEnd", "#number"},
    {"time>exact", "#step"},
    {"time>intervalStart", "#step"},
    {"time>intervalEnd", "#step"},
    {"time", "exact|intervalStart,intervalEnd"},
    {"x", "#number"},
    {"y", "#number"},
    {"z", "#number"},
    {"length", "#number"},
    {"width", "#number"},
    {"radius", "#number"},
    {"rectangle>orientation", "#number"},
    {"point", "x y z?"},
    {"center", "x y z?"},
    {"rectangle", "length width orientation? center?"},
    {"circle", "radius center?"},
    {"polygon", "point+"},
    {"shape", "rectangle*,circle*,polygon*|"},
    {"position", "point|rectangle*,circle*,polygon*,lanelet*"},
    {"position>lanelet", "@ref"},
    // Obstacles.
    {"staticObstacle", "@id type shape initialState initialSignalState? signalSeries?"},
    {"dynamicObstacle",
     "@id type shape initialState initialSignalState? signalSeries? trajectory|occupancySet"},
    {"obstacle",
     "@id role type shape initialState initialSignalState? signalSeries? trajectory? "
     "occupancySet?"},
    {"environmentObstacle", "@id type shape"},
    {"phantomObstacle", "@id occupancySet"},
    {"role", "#static,dynamic"},
    {"type",
     "#unknown,car,truck,bus,motorcycle,bicycle,pedestrian,priorityVehicle,train,taxi,"
     "parkedVehicle,constructionZone,roadBoundary,building,pillar,median_strip"},
    {"trajectory", "state+"},
    {"occupancySet", "occupancy+"},
    {"occupancy", "shape time"},
    {"signalSeries", "signalState+"},
    {"signalState",
     "time horn? indicatorLeft? indicatorRight? brakingLights? hazardWarningLights? "
     "flashingBlueLights?"},
    {"horn", "#truth"},
    {"indicatorLeft", "#truth"},
    {"indicatorRight", "#truth"},
    {"brakingLights", "#truth"},
    {"hazardWarningLights", "#truth"},
    {"flashingBlueLights", "#truth"},
    // Problems.
    {"planningProblem", "@id initialState goalState+"},
    {"planningProblem>initialState",
     "position velocity orientation yawRate slipAngle time acceleration?"},
    {"goalState", "time position? orientation? velocity?"},
    // Roads.
    {"lanelet",
     "@id leftBound rightBound predecessor* successor* adjacentLeft? adjacentRight? stopLine? "
     "speedLimit? laneletType* userOneWay* userBidirectional* trafficSignRef* trafficLightRef*"},
    {"leftBound", "point+ lineMarking?"},
    {"rightBound", "point+ lineMarking?"},
    {"lineMarking",
     "#dashed,solid,broad_dashed,broad_solid,unknown,no_marking,solid_solid,dashed_dashed,"
     "solid_dashed,dashed_solid,curb,lowered_curb"},
    {"predecessor", "@ref"},
    {"successor", "@ref"},
    {"adjacentLeft", "@ref @drivingDir"},
    {"adjacentRight", "@ref @drivingDir"},
    {"stopLine", "point* lineMarking trafficSignRef* trafficLightRef*"},
    {"trafficSignRef", "@ref"},
    {"trafficLightRef", "@ref"},
    {"speedLimit", "#number"},
    {"laneletType",
     "#urban,interstate,country,highway,sidewalk,crosswalk,busLane,bicycleLane,exitRamp,"
     "mainCarriageWay,accessRamp,shoulder,driveWay,busStop,intersection,border,parking,restricted,"
     "unknown"},
    {"userOneWay",
     "#vehicle,car,truck,bus,motorcycle,bicycle,pedestrian,priorityVehicle,train,taxi"},
    {"userBidirectional",
     "#vehicle,car,truck,bus,motorcycle,bicycle,pedestrian,priorityVehicle,train,taxi"},
    // Signs and lights.
    {"trafficSign", "@id trafficSignElement+ position? virtual*"},
    {"trafficSign>position", "#"},
    {"trafficSignElement", "trafficSignID additionalValue*"},
    {"trafficSignID", "#text"},
    {"additionalValue", "#text"},
    {"virtual", "#truth"},
    {"trafficLight", "@id cycle? position? direction? active?"},
    {"trafficLight>position", "#"},
    {"direction", "#"},
    {"active", "#truth"},
    {"cycle", "cycleElement+ timeOffset?"},
    {"cycleElement", "duration color"},
    {"duration", "#step"},
    {"timeOffset", "#step"},
    {"color", "#red,redYellow,green,yellow,inactive"},
};

// What a state may say besides where it is; each is a value.
const std::set<std::string, std::less<>> kOfStates = {"velocity",
                                                      "acceleration",
                                                      "yawRate",
                                                      "slipAngle",
                                                      "steeringAngle",
                                                      "rollAngle",
                                                      "rollRate",
                                                      "pitchAngle",
                                                      "pitchRate",
                                                      "velocityY",
                                                      "positionZ",
                                                      "velocityZ",
                                                      "rollAngleFront",
                                                      "rollRateFront",
                                                      "velocityYFront",
                                                      "positionZFront",
                                                      "velocityZFront",
                                                      "rollAngleRear",
                                                      "rollRateRear",
                                                      "velocityYRear",
                                                      "positionZRear",
                                                      "velocityZRear",
                                                      "deltaYFront",
                                                      "leftFrontWheelAngularSpeed",
                                                      "deltaYRear",
                                                      "curvature",
                                                      "rightFrontWheelAngularSpeed",
                                                      "curvatureChange",
                                                      "jerk",
                                                      "leftRearWheelAngularSpeed",
                                                      "jounce",
                                                      "rightRearWheelAngularSpeed"};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

class FormCheck {
 public:
  explicit FormCheck(const Xml& xml) : xml_(xml) {}

  void run() const {
    const Element& root = xml_.root();
    for (const tinyxml2::XMLNode* node = root.GetDocument()->FirstChild(); node;
         node = node->NextSibling())
      if (node != &root && !node->ToComment() && !node->ToDeclaration())
        xml_.fail(root, "something stands beside it");
    root_attributes(root);
    hold(root, "commonRoad", form_of("", "commonRoad"));
  }

 private:
  void root_attributes(const Element& root) const {
    static const std::set<std::string_view> known = {
        "commonRoadVersion", "timeStepSize", "benchmarkID", "date", "author",
        "affiliation",       "source",       "tags"};
    for (const tinyxml2::XMLAttribute* a = root.FirstAttribute(); a; a = a->Next()) {
      const std::string_view name = a->Name();
      if (!known.contains(name) && !name.starts_with("xmlns:") && !name.starts_with("xsi:"))
        xml_.fail(root, fmt::format("unknown attribute '{}'", name));
    }
    const std::string version = xml_.need_text(root, "commonRoadVersion");
    if (version != "2018b" && version != "2020a") xml_.fail(root, "neither 2018b nor 2020a");
    if (!(xml_.number(root, "timeStepSize").value_or(0) > 0))
      xml_.fail(root, "no timeStepSize above 0");
  }

  static std::string form_of(const std::string& parent, const std::string& name) {
    for (const std::string& key : {parent + ">" + name, name})
      if (const auto found = kForms.find(key); found != kForms.end()) return found->second;
    if (name == "state" || name == "initialState") {
      std::string form = "position orientation time";
      for (const std::string& more : kOfStates) form += " " + more + "?";
      return form;
    }
    if (name == "initialSignalState") return kForms.at("signalState");
    return "exact|intervalStart,intervalEnd";  // orientations, and what else states say
  }

  void hold(const Element& e, const std::string& name, const std::string& form) const {
    if (form == "#") return;
    if (form[0] == '#') return leaf(e, form.substr(1));
    std::set<std::string, std::less<>> attributes, seen;
    std::map<std::string, std::vector<const Element*>> held;
    for (const tinyxml2::XMLNode* node = e.FirstChild(); node; node = node->NextSibling()) {
      if (node->ToComment()) continue;
      if (!node->ToElement()) xml_.fail(e, "holds a text");
      held[node->Value()].push_back(node->ToElement());
    }
    for (const std::string& part : split(form, ' ')) {
      if (part[0] == '@') {
        attributes.insert(part.substr(1));
      } else if (part.find('|') == std::string::npos) {
        seen.insert(counted(e, part, held));
      } else {
        chosen(e, part, held, seen);
      }
    }
    for (const auto& [child, elements] : held) {
      if (!seen.contains(child)) xml_.fail(*elements[0], fmt::format("not known in <{}>", name));
      for (const Element* element : elements) hold(*element, child, form_of(name, child));
    }
    if (name != "commonRoad") check_attributes(e, attributes);
    if (name == "obstacle") check_role(e);
    if (name == "lanelet" && attributes.contains("id") && held["laneletType"].empty() &&
        xml_.text(xml_.root(), "commonRoadVersion") == "2020a")
      xml_.fail(e, "no <laneletType>");
    if (name == "trafficLight" && held["cycle"].empty()) {
      const std::string active = held["active"].empty() ? "" : written(xml_, *held["active"][0]);
      if (active != "false" && active != "0") xml_.fail(e, "no <cycle>");
    }
  }

  // Its name.
  std::string counted(const Element& e, const std::string& part,
                      std::map<std::string, std::vector<const Element*>>& held) const {
    const char last = part.back();
    const bool plain = std::string_view("?*+").find(last) == std::string_view::npos;
    const std::string name = plain ? part : part.substr(0, part.size() - 1);
    const std::size_t n = held[name].size();
    if (n == 0) held.erase(name);
    if (n == 0 && (plain || last == '+')) xml_.fail(e, fmt::format("no <{}>", name));
    if (n > 1 && (plain || last == '?')) xml_.fail(e, fmt::format("several <{}>", name));
    return name;
  }

  void chosen(const Element& e, const std::string& part,
              std::map<std::string, std::vector<const Element*>>& held,
              std::set<std::string, std::less<>>& seen) const {
    int lists = 0;
    for (const std::string& list : split(part, '|')) {
      bool any = false;
      for (const std::string& item : split(list, ',')) {
        const std::string name = item.ends_with('*') ? item.substr(0, item.size() - 1) : item;
        any = any || held.contains(name);
      }
      if (!any) continue;
      ++lists;
      for (const std::string& item : split(list, ',')) seen.insert(counted(e, item, held));
    }
    if (lists != 1)
      xml_.fail(e, fmt::format("{} of {}", lists == 0 ? "none" : "more than one", part));
  }

  void check_attributes(const Element& e,
                        const std::set<std::string, std::less<>>& attributes) const {
    for (const tinyxml2::XMLAttribute* a = e.FirstAttribute(); a; a = a->Next())
      if (!attributes.contains(a->Name()))
        xml_.fail(e, fmt::format("unknown attribute '{}'", a->Name()));
    for (const std::string& name : attributes) {
      const std::string value = xml_.need_text(e, name.c_str());
      const bool fits =
          name == "drivingDir" ? value == "same" || value == "opposite" : whole(value).has_value();
      if (!fits) xml_.fail(e, fmt::format("'{}': '{}'", name, value));
    }
  }

  void check_role(const Element& e) const {
    const bool moves = xml_.child(e, "trajectory"), set = xml_.child(e, "occupancySet");
    const bool dynamic = written(xml_, xml_.need(e, "role")) == "dynamic";
    if (moves + set != static_cast<int>(dynamic))
      xml_.fail(e, "its role and what it holds do not fit");
  }

  void leaf(const Element& e, const std::string& kind) const {
    check_attributes(e, {});
    const std::string text = written(xml_, e);
    if (kind == "text") return;
    if (kind == "number" || kind == "step") {
      const auto value = decimal(text);
      if (!value) xml_.fail(e, fmt::format("'{}' is no number", text));
      if (kind == "step" && !(*value >= 0 && *value <= 1e9 && *value == std::floor(*value)))
        xml_.fail(e, fmt::format("'{}' is no step", text));
      return;
    }
    const std::vector<std::string> words = split(kind == "truth" ? "true,false,1,0" : kind, ',');
    if (std::ranges::find(words, text) == words.end())
      xml_.fail(e, fmt::format("'{}' is not one of {}", text, fmt::join(words, ", ")));
  }

  const Xml& xml_;
};

}  // namespace

std::string written(const Xml& xml, const Element& element) {
  std::string found;
  for (const tinyxml2::XMLNode* node = element.FirstChild(); node; node = node->NextSibling()) {
    if (node->ToComment()) continue;
    const tinyxml2::XMLText* text = node->ToText();
    if (!text || text->CData()) xml.fail(element, "more than a plain text");
    const std::string_view words = without_blanks(text->Value());
    if (!words.empty() && !found.empty()) xml.fail(element, "a text in pieces");
    found += words;
  }
  if (found.empty()) xml.fail(element, "empty");
  return found;
}

void check_scenario_form(const Xml& xml) {
  FormCheck(xml).run();
}

}  // namespace proven::verifier
