#include "io/commonroad_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

using Words = std::vector<std::string>;

enum class Count { one, maybe, some, any };

enum class Content { elements, nothing, number, step, truth, word, passed };

struct Part {
  std::string element;
  std::string form;  // how it is read
  Count count = Count::one;
};

// One form of element. Of `either` exactly one list has elements.
struct Form {
  Content content = Content::elements;
  Words attributes;  // all of them are needed
  std::vector<Part> parts;
  std::vector<Words> either;
  Words words;
};

using Forms = std::map<std::string, Form, std::less<>>;

Form leaf(Content content) {
  return {content, {}, {}, {}, {}};
}
Form one_of(Words words) {
  return {Content::word, {}, {}, {}, std::move(words)};
}
Form holding(std::vector<Part> parts, Words attributes = {}, std::vector<Words> either = {}) {
  return {Content::elements, std::move(attributes), std::move(parts), std::move(either), {}};
}
Form attributes_only(Words attributes) {
  return {Content::nothing, std::move(attributes), {}, {}, {}};
}

// A value is exact or an interval.
Form value_of(const std::string& form) {
  return holding({{"exact", form, Count::maybe},
                  {"intervalStart", form, Count::maybe},
                  {"intervalEnd", form, Count::maybe}},
                 {}, {{"exact"}, {"intervalStart", "intervalEnd"}});
}

void add_shapes(Forms& forms) {
  forms["point"] = holding({{"x", "number"}, {"y", "number"}, {"z", "number", Count::maybe}});
  forms["rectangle"] = holding({{"length", "number"},
                                {"width", "number"},
                                {"orientation", "number", Count::maybe},
                                {"center", "point", Count::maybe}});
  forms["circle"] = holding({{"radius", "number"}, {"center", "point", Count::maybe}});
  forms["polygon"] = holding({{"point", "point", Count::some}});
  const std::vector<Part> shapes = {{"rectangle", "rectangle", Count::any},
                                    {"circle", "circle", Count::any},
                                    {"polygon", "polygon", Count::any}};
  forms["shape"] = holding(shapes, {}, {{"rectangle", "circle", "polygon"}});
  forms["reference"] = attributes_only({"ref"});
  std::vector<Part> places = shapes;
  places.push_back({"lanelet", "reference", Count::any});
  places.push_back({"point", "point", Count::maybe});
  forms["position"] =
      holding(places, {}, {{"point"}, {"rectangle", "circle", "polygon", "lanelet"}});
}

void add_states(Forms& forms) {
  forms["value"] = value_of("number");
  forms["time"] = value_of("step");
  std::vector<Part> parts = {{"position", "position"}, {"orientation", "value"}, {"time", "time"}};
  for (const char* name : {"velocity",
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
                           "leftFrontWheelAngularSpeed",
                           "rightFrontWheelAngularSpeed",
                           "leftRearWheelAngularSpeed",
                           "rightRearWheelAngularSpeed",
                           "deltaYFront",
                           "deltaYRear",
                           "curvature",
                           "curvatureChange",
                           "jerk",
                           "jounce"})
    parts.push_back({name, "value", Count::maybe});
  forms["state"] = holding(parts);
  forms["start"] = holding({{"position", "position"},
                            {"velocity", "value"},
                            {"orientation", "value"},
                            {"yawRate", "value"},
                            {"slipAngle", "value"},
                            {"time", "time"},
                            {"acceleration", "value", Count::maybe}});
  forms["goal"] = holding({{"time", "time"},
                           {"position", "position", Count::maybe},
                           {"orientation", "value", Count::maybe},
                           {"velocity", "value", Count::maybe}});
  std::vector<Part> signals = {{"time", "time"}};
  for (const char* name : {"horn", "indicatorLeft", "indicatorRight", "brakingLights",
                           "hazardWarningLights", "flashingBlueLights"})
    signals.push_back({name, "truth", Count::maybe});
  forms["signal"] = holding(signals);
  forms["signals"] = holding({{"signalState", "signal", Count::some}});
}

void add_obstacles(Forms& forms) {
  forms["trajectory"] = holding({{"state", "state", Count::some}});
  forms["occupancy"] = holding({{"shape", "shape"}, {"time", "time"}});
  forms["occupancySet"] = holding({{"occupancy", "occupancy", Count::some}});
  forms["role"] = one_of({"static", "dynamic"});
  forms["type"] = one_of({"unknown", "car", "truck", "bus", "motorcycle", "bicycle", "pedestrian",
                          "priorityVehicle", "train", "taxi", "parkedVehicle", "constructionZone",
                          "roadBoundary", "building", "pillar", "median_strip"});
  const std::vector<Part> standing = {{"type", "type"},
                                      {"shape", "shape"},
                                      {"initialState", "state"},
                                      {"initialSignalState", "signal", Count::maybe},
                                      {"signalSeries", "signals", Count::maybe}};
  std::vector<Part> moving = standing;
  moving.push_back({"trajectory", "trajectory", Count::maybe});
  moving.push_back({"occupancySet", "occupancySet", Count::maybe});
  const std::vector<Words> either = {{"trajectory"}, {"occupancySet"}};
  forms["staticObstacle"] = holding(standing, {"id"});
  forms["dynamicObstacle"] = holding(moving, {"id"}, either);
  std::vector<Part> old = moving;
  old.push_back({"role", "role"});
  forms["dynamic obstacle"] = holding(old, {"id"}, either);
  old = standing;
  old.push_back({"role", "role"});
  forms["static obstacle"] = holding(old, {"id"});
  forms["environmentObstacle"] = holding({{"type", "type"}, {"shape", "shape"}}, {"id"});
  forms["phantomObstacle"] = holding({{"occupancySet", "occupancySet"}}, {"id"});
  forms["planningProblem"] =
      holding({{"initialState", "start"}, {"goalState", "goal", Count::some}}, {"id"});
}

void add_roads(Forms& forms) {
  forms["lineMarking"] = one_of({"dashed", "solid", "broad_dashed", "broad_solid", "unknown",
                                 "no_marking", "solid_solid", "dashed_dashed", "solid_dashed",
                                 "dashed_solid", "curb", "lowered_curb"});
  forms["bound"] =
      holding({{"point", "point", Count::some}, {"lineMarking", "lineMarking", Count::maybe}});
  forms["adjacent"] = attributes_only({"ref", "drivingDir"});
  forms["stopLine"] = holding({{"point", "point", Count::any},
                               {"lineMarking", "lineMarking"},
                               {"trafficSignRef", "reference", Count::any},
                               {"trafficLightRef", "reference", Count::any}});
  forms["laneletType"] =
      one_of({"urban", "interstate", "country", "highway", "sidewalk", "crosswalk", "busLane",
              "bicycleLane", "exitRamp", "mainCarriageWay", "accessRamp", "shoulder", "driveWay",
              "busStop", "intersection", "border", "parking", "restricted", "unknown"});
  forms["user"] = one_of({"vehicle", "car", "truck", "bus", "motorcycle", "bicycle", "pedestrian",
                          "priorityVehicle", "train", "taxi"});
  const std::vector<Part> lane = {{"leftBound", "bound"},
                                  {"rightBound", "bound"},
                                  {"predecessor", "reference", Count::any},
                                  {"successor", "reference", Count::any},
                                  {"adjacentLeft", "adjacent", Count::maybe},
                                  {"adjacentRight", "adjacent", Count::maybe},
                                  {"stopLine", "stopLine", Count::maybe},
                                  {"speedLimit", "number", Count::maybe},
                                  {"userOneWay", "user", Count::any},
                                  {"userBidirectional", "user", Count::any},
                                  {"trafficSignRef", "reference", Count::any},
                                  {"trafficLightRef", "reference", Count::any}};
  std::vector<Part> typed = lane, old = lane;
  typed.push_back({"laneletType", "laneletType", Count::some});
  old.push_back({"laneletType", "laneletType", Count::any});
  forms["lanelet"] = holding(typed, {"id"});
  forms["lanelet of 2018b"] = holding(old, {"id"});
}

void add_signals(Forms& forms) {
  forms["trafficSignElement"] =
      holding({{"trafficSignID", "text"}, {"additionalValue", "text", Count::any}});
  forms["trafficSign"] = holding({{"trafficSignElement", "trafficSignElement", Count::some},
                                  {"position", "passed", Count::maybe},
                                  {"virtual", "truth", Count::any}},
                                 {"id"});
  forms["cycleElement"] = holding({{"duration", "step"}, {"color", "color"}});
  forms["color"] = one_of({"red", "redYellow", "green", "yellow", "inactive"});
  forms["cycle"] = holding(
      {{"cycleElement", "cycleElement", Count::some}, {"timeOffset", "step", Count::maybe}});
  const std::vector<Part> light = {{"position", "passed", Count::maybe},
                                   {"direction", "passed", Count::maybe},
                                   {"active", "truth", Count::maybe}};
  std::vector<Part> parts = light;
  parts.push_back({"cycle", "cycle"});
  forms["trafficLight"] = holding(parts, {"id"});
  parts.back().count = Count::maybe;
  forms["trafficLight that is off"] = holding(parts, {"id"});
}

Forms make_forms() {
  Forms forms;
  forms["number"] = leaf(Content::number);
  forms["step"] = leaf(Content::step);
  forms["truth"] = leaf(Content::truth);
  forms["text"] = one_of({});
  forms["passed"] = leaf(Content::passed);
  add_shapes(forms);
  add_states(forms);
  add_obstacles(forms);
  add_roads(forms);
  add_signals(forms);
  std::vector<Part> root;
  for (const char* name : {"location", "scenarioTags", "intersection"})
    root.push_back({name, "passed", Count::any});
  for (const char* name :
       {"lanelet", "trafficSign", "trafficLight", "obstacle", "staticObstacle", "dynamicObstacle",
        "environmentObstacle", "phantomObstacle", "planningProblem"})
    root.push_back({name, name, Count::any});
  forms["commonRoad"] = holding(root, {"commonRoadVersion", "timeStepSize"});
  return forms;
}

const Words kRootNotes = {"benchmarkID", "date", "author", "affiliation", "source", "tags"};

bool has(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// ", did you mean ...?", or all words if none is near.
std::string nearest(std::string_view word, const Words& words) {
  if (std::string meant = suggestion(word, words); !meant.empty()) return meant;
  return words.empty() ? "; there are none" : fmt::format("; there are {}", fmt::join(words, ", "));
}

class Walk {
 public:
  explicit Walk(const XmlFile& xml) : xml_(xml) {}

  void run() const {
    const XmlElement& root = xml_.root();
    for (const tinyxml2::XMLNode* node = root.GetDocument()->FirstChild(); node;
         node = node->NextSibling())
      if (!node->ToComment() && !node->ToDeclaration() && node != &root) fail_beside(*node);
    element(root, forms_.at("commonRoad"));
  }

 private:
  [[noreturn]] void fail_beside(const tinyxml2::XMLNode& node) const {
    xml_.fail(xml_.root(),
              fmt::format("line {}: nothing may stand beside <commonRoad>", node.GetLineNum()));
  }

  void element(const XmlElement& e, const Form& form) const {
    if (form.content == Content::passed) return;
    attributes(e, form);
    switch (form.content) {
      case Content::elements:
        return children(e, form);
      case Content::nothing:
        for (const tinyxml2::XMLNode* n = e.FirstChild(); n; n = n->NextSibling())
          if (!n->ToComment()) xml_.fail(e, fmt::format("<{}> holds attributes only", e.Name()));
        return;
      case Content::number:
        if (!parse_double(leaf_text(xml_, e)))
          xml_.fail(e, fmt::format("<{}>: expected a finite decimal number, got {}", e.Name(),
                                   quote(leaf_text(xml_, e))));
        return;
      case Content::step:
        return step(e);
      case Content::truth:
        return word(e, {"true", "false", "1", "0"});
      case Content::word:
        return word(e, form.words);
      case Content::passed:
        return;
    }
  }

  void step(const XmlElement& e) const {
    const std::string text = leaf_text(xml_, e);
    const auto value = parse_double(text);
    if (!value || *value != static_cast<double>(static_cast<long>(std::clamp(*value, -1e9, 1e9))))
      xml_.fail(e,
                fmt::format("<{}>: time {} is not a whole number of steps", e.Name(), quote(text)));
    if (*value < 0)
      xml_.fail(e, fmt::format("<{}>: time {} is before step 0", e.Name(), quote(text)));
  }

  void word(const XmlElement& e, const Words& words) const {
    const std::string text = leaf_text(xml_, e);
    if (!words.empty() && !has(words, text))
      xml_.fail(
          e, fmt::format("<{}>: unknown word {}{}", e.Name(), quote(text), nearest(text, words)));
  }

  void attributes(const XmlElement& e, const Form& form) const {
    const bool at_root = &e == &xml_.root();
    for (const tinyxml2::XMLAttribute* a = e.FirstAttribute(); a; a = a->Next()) {
      const std::string_view name = a->Name();
      const bool schema = name.starts_with("xmlns:") || name.starts_with("xsi:");
      if (has(form.attributes, name) || (at_root && (has(kRootNotes, name) || schema))) continue;
      Words known = form.attributes;
      if (at_root) known.insert(known.end(), kRootNotes.begin(), kRootNotes.end());
      xml_.fail(e, fmt::format("unknown attribute {} of <{}>{}", quote(name), e.Name(),
                               nearest(name, known)));
    }
    for (const std::string& name : form.attributes) {
      const std::string text = xml_.text(e, name.c_str());
      if ((name == "id" || name == "ref") && !parse_integer(text))
        xml_.fail(e, fmt::format("'{}' of <{}>: expected a whole number, got {}", name, e.Name(),
                                 quote(text)));
    }
  }

  void children(const XmlElement& e, const Form& form) const {
    for (const tinyxml2::XMLNode* node = e.FirstChild(); node; node = node->NextSibling()) {
      if (node->ToComment()) continue;
      const XmlElement* child = node->ToElement();
      if (!child)
        xml_.fail(e, fmt::format("the text {} in <{}> is not read; it has elements only",
                                 quote(trimmed(node->Value())), e.Name()));
      const auto part = std::ranges::find_if(
          form.parts, [&](const Part& p) { return p.element == child->Name(); });
      if (part == form.parts.end()) unknown(*child, e, form);
      element(*child, forms_.at(form_of(*child, part->form)));
    }
    for (const Part& part : form.parts) count(e, part);
    choice(e, form);
  }

  [[noreturn]] void unknown(const XmlElement& child, const XmlElement& e, const Form& form) const {
    Words known;
    for (const Part& part : form.parts) known.push_back(part.element);
    xml_.fail(child, fmt::format("unknown element <{}> in <{}>{}", printable(child.Name()),
                                 e.Name(), nearest(child.Name(), known)));
  }

  // What an element must hold may depend on what it holds, and on the version.
  std::string form_of(const XmlElement& e, const std::string& form) const {
    if (form == "lanelet" && xml_.text(xml_.root(), "commonRoadVersion") == "2018b")
      return "lanelet of 2018b";
    if (form == "obstacle") {
      const XmlElement& role = xml_.required_child(e, "role");
      word(role, forms_.at("role").words);
      return leaf_text(xml_, role) + " obstacle";
    }
    if (form == "trafficLight")
      if (const XmlElement* active = xml_.child(e, "active")) {
        const std::string text = leaf_text(xml_, *active);
        if (text == "false" || text == "0") return "trafficLight that is off";
      }
    return form;
  }

  void count(const XmlElement& e, const Part& part) const {
    const auto found = XmlFile::children(e, part.element.c_str());
    const bool needed = part.count == Count::one || part.count == Count::some;
    const bool single = part.count == Count::one || part.count == Count::maybe;
    if (needed && found.empty())
      xml_.fail(e, fmt::format("<{}> has no <{}>", e.Name(), part.element));
    if (single && found.size() > 1)
      xml_.fail(*found[1], fmt::format("<{}> holds more than one <{}>", e.Name(), part.element));
  }

  void choice(const XmlElement& e, const Form& form) const {
    if (form.either.empty()) return;
    const Words* chosen = nullptr;
    const std::string* by = nullptr;
    for (const Words& list : form.either)
      for (const std::string& name : list) {
        const XmlElement* found = e.FirstChildElement(name.c_str());
        if (!found) continue;
        if (chosen && chosen != &list)
          xml_.fail(*found,
                    fmt::format("<{}> holds a <{}> and a <{}>: only one of them can be meant",
                                e.Name(), *by, name));
        chosen = &list, by = &name;
      }
    if (!chosen) {
      Words names;
      for (const Words& list : form.either) names.push_back(fmt::format("<{}>", list[0]));
      xml_.fail(e, fmt::format("<{}> has no {}", e.Name(), fmt::join(names, " and no ")));
    }
    if (has(*chosen, "intervalStart"))
      for (const std::string& name : *chosen) xml_.required_child(e, name.c_str());
  }

  const XmlFile& xml_;
  const Forms forms_ = make_forms();
};

}  // namespace

std::string leaf_text(const XmlFile& xml, const XmlElement& element) {
  std::string text;
  for (const tinyxml2::XMLNode* node = element.FirstChild(); node; node = node->NextSibling()) {
    if (node->ToComment()) continue;
    const tinyxml2::XMLText* part = node->ToText();
    if (!part || part->CData())
      xml.fail(element, fmt::format("<{}> holds more than a text", element.Name()));
    const std::string_view words = trimmed(part->Value());
    if (words.empty()) continue;
    if (!text.empty())
      xml.fail(element, fmt::format("a comment stands within the text of <{}>; put it beside it",
                                    element.Name()));
    text = words;
  }
  if (text.empty()) xml.fail(element, fmt::format("<{}> is empty", element.Name()));
  return text;
}

void require_commonroad(const XmlFile& xml) {
  Walk(xml).run();
}

}  // namespace proven::io
