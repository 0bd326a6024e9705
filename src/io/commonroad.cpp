// CommonRoad scenarios, formats 2018b (<obstacle> with a <role>) and 2020a (<staticObstacle>,
// <dynamicObstacle>, <environmentObstacle>, <phantomObstacle>). Tags and the place on the globe
// change nothing for a drive and are passed over; signs that are not understood are remarked on;
// unknown elements of obstacles, goals and roads are errors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/failure.h"
#include "io/text.h"
#include "io/traffic_readers.h"
#include "io/xml.h"
#include "proven/base/numbers.h"
#include "proven/spacetime/vehicle.h"

namespace proven::io {
namespace {

using spacetime::Footprint;
using spacetime::Obstacle;
using spacetime::Occupancy;
using spacetime::Pose2;
using spacetime::Vec2;

struct Range {
  double low = 0, high = 0;
  double middle() const { return 0.5 * (low + high); }
  double half() const { return 0.5 * (high - low); }
};

// A state: where the object is, and by how much that may be wrong.
struct State {
  long step = 0;
  Pose2 pose;
  double position_deviation = 0, heading_deviation = 0, speed = 0;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : xml_(file, "commonRoad") {}

  TrafficFile read() {
    const XmlElement& root = xml_.root();
    const std::string version = xml_.text(root, "commonRoadVersion");
    if (version != "2018b" && version != "2020a")
      xml_.fail(root, fmt::format("commonRoadVersion {} is not read; there are 2018b and 2020a",
                                  quote(version)));
    out_.name = xml_.find_text(root, "benchmarkID").value_or(xml_.path().stem().string());
    out_.time_step = xml_.positive_number(root, "timeStepSize");
    // Lanelets refer to signs and lights that stand further down.
    for (const XmlElement* e : XmlFile::children(root, "trafficSign")) read_sign(*e);
    for (const XmlElement* e : XmlFile::children(root, "trafficLight")) read_light(*e);
    for (const XmlElement* e = root.FirstChildElement(); e; e = e->NextSiblingElement())
      read_element(*e);
    check_goal_lanelets(root);
    if (!unread_signs_.empty()) {
      std::string names;
      for (const std::string& name : unread_signs_) names += (names.empty() ? "" : ", ") + name;
      out_.remarks.push_back(
          "traffic signs that are not taken into account (they are no speed limits or stops): " +
          names);
    }
    return std::move(out_);
  }

 private:
  void read_element(const XmlElement& e) {
    static const std::set<std::string_view> passed_over = {
        "location", "scenarioTags", "trafficSign", "trafficLight", "intersection"};
    const std::string_view name = e.Name();
    if (name == "lanelet")
      read_lanelet(e);
    else if (name == "obstacle" || name == "staticObstacle" || name == "dynamicObstacle" ||
             name == "environmentObstacle" || name == "phantomObstacle")
      read_obstacle(e);
    else if (name == "planningProblem")
      read_problem(e);
    else if (!passed_over.contains(name))
      xml_.fail(e, fmt::format("unknown element <{}>", printable(name)));
  }

  double number(const XmlElement& e) const {
    const char* text = e.GetText();
    const auto value = text ? parse_double(trimmed(text)) : std::nullopt;
    if (!value)
      xml_.fail(e, fmt::format("<{}>: expected a finite decimal number, got {}", e.Name(),
                               quote(text ? text : "")));
    return *value;
  }
  double child_number(const XmlElement& e, const char* name) const {
    return number(xml_.required_child(e, name));
  }

  Range range(const XmlElement& e) const {
    if (const XmlElement* exact = xml_.child(e, "exact")) {
      const double value = number(*exact);
      return {value, value};
    }
    const Range r{child_number(e, "intervalStart"), child_number(e, "intervalEnd")};
    if (!(r.low <= r.high))
      xml_.fail(e, fmt::format("<{}>: interval from {} to {}", e.Name(), r.low, r.high));
    return r;
  }

  Vec2 point(const XmlElement& e) const { return {child_number(e, "x"), child_number(e, "y")}; }

  // The shapes below <shape>, <position> or <occupancy>, in the frame of the parent.
  Footprint shape(const XmlElement& parent) const {
    std::vector<Footprint> parts;
    for (const XmlElement* e = parent.FirstChildElement(); e; e = e->NextSiblingElement())
      parts.push_back(at_place([&] { return xml_.place(*e); }, [&] { return one_shape(*e); }));
    if (parts.empty()) xml_.fail(parent, fmt::format("<{}> holds no shape", parent.Name()));
    return Footprint::compound(parts);
  }

  Footprint one_shape(const XmlElement& e) const {
    const std::string_view name = e.Name();
    const XmlElement* centre = xml_.child(e, "center");
    const Vec2 at = centre ? point(*centre) : Vec2{};
    if (name == "rectangle") {
      const XmlElement* turned = xml_.child(e, "orientation");
      return unwrap(Footprint::box(child_number(e, "length"), child_number(e, "width"), at,
                                   turned ? number(*turned) : 0));
    }
    if (name == "circle") return unwrap(Footprint::circle(child_number(e, "radius"), at));
    if (name == "polygon") {
      std::vector<Vec2> corners;
      for (const XmlElement* p : XmlFile::children(e, "point")) corners.push_back(point(*p));
      return unwrap(Footprint::polygon(std::move(corners)));
    }
    xml_.fail(e, fmt::format("unknown shape <{}>; there are rectangle, circle and polygon",
                             printable(name)));
  }

  long time_step(const XmlElement& e) const {
    const double step = number(e);
    if (step != std::floor(step) || !(std::fabs(step) <= 1e9))
      xml_.fail(e, fmt::format("time {} is not a whole number of steps", step));
    return static_cast<long>(step);
  }

  void read_position(const XmlElement& e, State& state) const {
    if (const XmlElement* p = xml_.child(e, "point")) {
      const Vec2 at = point(*p);
      state.pose.x = at.x, state.pose.y = at.y;
      return;
    }
    // A region: its middle, and the radius of the circle around it.
    const Footprint region = shape(e);
    const Vec2 middle = region.box_centre(), half = region.box_half();
    state.pose.x = middle.x, state.pose.y = middle.y;
    double radius = 0;
    for (const spacetime::Piece& piece : region.pieces()) {
      for (const Vec2 corner : piece.corners) radius = std::max(radius, norm(corner - middle));
      if (piece.is_box())
        radius = std::max(radius, norm(piece.centre - middle) + norm(piece.half) + piece.radius);
    }
    state.position_deviation = std::min(radius, norm(half)) * (1 + 1e-12);
  }

  State state(const XmlElement& e) const {
    State s;
    const XmlElement& time = xml_.required_child(e, "time");
    s.step = time_step(xml_.required_child(time, "exact"));
    read_position(xml_.required_child(e, "position"), s);
    if (const XmlElement* heading = xml_.child(e, "orientation")) {
      const Range r = range(*heading);
      s.pose.heading = r.middle();
      s.heading_deviation = r.half();
    }
    if (const XmlElement* speed = xml_.child(e, "velocity")) s.speed = range(*speed).middle();
    return s;
  }

  double seconds(double step) const { return step * out_.time_step; }

  void read_obstacle(const XmlElement& e) {
    static const std::set<std::string_view> known = {"role",
                                                     "type",
                                                     "shape",
                                                     "initialState",
                                                     "trajectory",
                                                     "occupancySet",
                                                     "initialSignalState",
                                                     "signalSeries"};
    for (const XmlElement* c = e.FirstChildElement(); c; c = c->NextSiblingElement())
      if (!known.contains(c->Name()))
        xml_.fail(*c, fmt::format("unknown element <{}> in <{}>", printable(c->Name()), e.Name()));
    Obstacle obstacle;
    obstacle.name = xml_.text(e, "id");
    for (const Obstacle& other : out_.obstacles)
      if (other.name == obstacle.name)
        xml_.fail(e, fmt::format("two obstacles have the id {}", quote(obstacle.name)));
    const XmlElement* shape_element = xml_.child(e, "shape");
    if (shape_element) obstacle.footprint = shape(*shape_element);
    if (const XmlElement* set = xml_.child(e, "occupancySet"))
      read_occupancies(e, *set, obstacle);
    else if (std::string_view(e.Name()) == "phantomObstacle")
      xml_.fail(e, "a <phantomObstacle> needs an <occupancySet>");
    else if (!shape_element)
      xml_.fail(e, fmt::format("<{}> has no <shape>", e.Name()));
    else if (const XmlElement* trajectory = xml_.child(e, "trajectory"))
      read_trajectory(e, *trajectory, obstacle);
    else if (std::string_view(e.Name()) != "environmentObstacle")  // its shape is in the world
      read_standing(e, obstacle);
    out_.obstacles.push_back(std::move(obstacle));
  }

  // What stands somewhere in a region is everything that is as near to its middle.
  void read_standing(const XmlElement& e, Obstacle& obstacle) {
    const State s = state(xml_.required_child(e, "initialState"));
    const XmlElement* role = xml_.child(e, "role");
    const bool dynamic =
        std::string_view(e.Name()) == "dynamicObstacle" ||
        (role && role->GetText() && std::string_view(role->GetText()) == "dynamic");
    if (dynamic) xml_.fail(e, "a dynamic obstacle needs a <trajectory> or an <occupancySet>");
    obstacle.pose = s.pose;
    const double around = deviation(s, obstacle.footprint);
    if (!(around > 0)) return;
    obstacle.footprint = obstacle.footprint.grown(around);
    out_.remarks.push_back(
        fmt::format("obstacle {} stands somewhere in a region: all within {:.3f} m of it is taken "
                    "as forbidden",
                    obstacle.name, around));
  }

  // How far a point of the shape may be from where the middle of the state puts it.
  static double deviation(const State& s, const Footprint& footprint) {
    return s.position_deviation + footprint.core_reach() * s.heading_deviation;
  }

  void read_trajectory(const XmlElement& e, const XmlElement& trajectory, Obstacle& obstacle) {
    std::vector<std::pair<State, const XmlElement*>> states;
    const XmlElement* initial = xml_.child(e, "initialState");
    if (initial) states.emplace_back(state(*initial), initial);
    for (const XmlElement* s = trajectory.FirstChildElement(); s; s = s->NextSiblingElement()) {
      if (std::string_view(s->Name()) != "state")
        xml_.fail(*s, fmt::format("unknown element <{}> in <trajectory>", printable(s->Name())));
      const State next = state(*s);
      // Some files say the initial state again.
      if (initial && states.size() == 1 && same(states[0].first, next)) continue;
      states.emplace_back(next, s);
    }
    spacetime::Trajectory& m = obstacle.motion;
    bool exact = true;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const auto& [s, where] = states[i];
      if (i > 0) check_step(states[i - 1].first.step, s.step, *where);
      m.t.push_back(seconds(static_cast<double>(s.step)));
      m.x.push_back(s.pose.x), m.y.push_back(s.pose.y), m.heading.push_back(s.pose.heading);
      m.position_deviation.push_back(s.position_deviation);
      m.heading_deviation.push_back(s.heading_deviation);
      exact = exact && s.position_deviation == 0 && s.heading_deviation == 0;
    }
    if (states.size() < 2) xml_.fail(trajectory, "a trajectory needs at least one <state>");
    spacetime::take_shortest_turns(m.heading);
    if (exact)
      m.position_deviation.clear(), m.heading_deviation.clear();
    else if (!std::exchange(uncertain_, true))
      out_.remarks.emplace_back(
          "states are regions: proved for every motion within them; a contact "
          "that only some of them have is undecided");
    at_place([&] { return xml_.place(trajectory); }, [&] { unwrap(validate(m)); });
    if (const auto leap = spacetime::first_leap(m))
      xml_.fail(*states[static_cast<std::size_t>(leap->sample)].second,
                describe(*leap, obstacle.name));
  }

  static bool same(const State& a, const State& b) {
    return a.step == b.step && a.pose.x == b.pose.x && a.pose.y == b.pose.y &&
           a.pose.heading == b.pose.heading && a.position_deviation == b.position_deviation &&
           a.heading_deviation == b.heading_deviation;
  }

  void check_step(long before, long now, const XmlElement& where) const {
    if (now == before) xml_.fail(where, fmt::format("two states at time {}", now));
    if (now < before)
      xml_.fail(where, fmt::format("times are not in order: {} follows {}", now, before));
    if (now != before + 1)
      xml_.fail(where,
                fmt::format("a gap in time: {} follows {}; every step needs a state", now, before));
  }

  // Each occupancy holds from the step before its own to the step after: whichever of the usual
  // meanings the author had in mind (at the instant, until it, from it on), it is covered.
  void read_occupancies(const XmlElement& e, const XmlElement& set, Obstacle& obstacle) {
    if (const XmlElement* initial = xml_.child(e, "initialState"))
      if (!obstacle.footprint.pieces().empty()) add_initial(state(*initial), obstacle);
    const std::size_t before = obstacle.occupancies.size();
    for (const XmlElement* o : XmlFile::children(set, "occupancy")) {
      Occupancy part;
      const XmlElement& time = xml_.required_child(*o, "time");
      const Range r = range(time);
      const bool exact = xml_.child(time, "exact") != nullptr;
      part.t_begin = seconds(r.low - (exact ? 1 : 0));
      part.t_end = seconds(r.high + (exact ? 1 : 0));
      part.region = shape(xml_.required_child(*o, "shape"));
      obstacle.occupancies.push_back(std::move(part));
    }
    if (obstacle.occupancies.size() == before) xml_.fail(set, "no <occupancy>");
    out_.remarks.push_back(
        fmt::format("obstacle {} is a set: each occupancy is taken as forbidden from the step "
                    "before its own to the step after",
                    obstacle.name));
  }

  void add_initial(const State& s, Obstacle& obstacle) const {
    const double c = std::cos(s.pose.heading), sn = std::sin(s.pose.heading);
    std::vector<Footprint> parts;
    for (const spacetime::Piece& piece : obstacle.footprint.pieces()) {
      std::vector<Vec2> corners = piece.corners;
      if (piece.is_box())
        for (const auto& [sx, sy] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
          corners.push_back(piece.centre + Vec2{sx * piece.half.x, sy * piece.half.y});
      for (Vec2& p : corners) p = {s.pose.x + c * p.x - sn * p.y, s.pose.y + sn * p.x + c * p.y};
      parts.push_back(piece.radius > 0 && piece.is_box()
                          ? unwrap(Footprint::circle(piece.radius, corners[0]))
                          : unwrap(Footprint::polygon(std::move(corners))));
    }
    const double t = seconds(static_cast<double>(s.step));
    Footprint region = Footprint::compound(parts);
    const double around = deviation(s, obstacle.footprint);
    obstacle.occupancies.push_back({t, t, around > 0 ? region.grown(around) : region});
  }

  void read_lanelet(const XmlElement& e) {
    static const std::set<std::string_view> known = {
        "leftBound",     "rightBound",     "predecessor",    "successor",  "adjacentLeft",
        "adjacentRight", "stopLine",       "laneletType",    "userOneWay", "userBidirectional",
        "speedLimit",    "trafficSignRef", "trafficLightRef"};
    for (const XmlElement* c = e.FirstChildElement(); c; c = c->NextSiblingElement())
      if (!known.contains(c->Name()))
        xml_.fail(*c, fmt::format("unknown element <{}> in <lanelet>", printable(c->Name())));
    Lanelet lanelet;
    lanelet.id = xml_.text(e, "id");
    const auto bound = [&](const char* name) {
      std::vector<Vec2> points;
      for (const XmlElement* p : XmlFile::children(xml_.required_child(e, name), "point"))
        points.push_back(point(*p));
      if (points.size() < 2) xml_.fail(e, fmt::format("<{}> needs at least two points", name));
      return points;
    };
    lanelet.left = bound("leftBound");
    lanelet.right = bound("rightBound");
    for (const XmlElement* s : XmlFile::children(e, "successor"))
      lanelet.successors.push_back(xml_.text(*s, "ref"));
    for (const XmlElement* s : XmlFile::children(e, "predecessor"))
      lanelet.predecessors.push_back(xml_.text(*s, "ref"));
    lanelet.left_neighbour = neighbour(e, "adjacentLeft", "leftBound");
    lanelet.right_neighbour = neighbour(e, "adjacentRight", "rightBound");
    lanelet.for_vehicles = is_for_vehicles(e);
    if (const XmlElement* limit = xml_.child(e, "speedLimit")) lanelet.speed_limit = number(*limit);
    for (const XmlElement* ref : XmlFile::children(e, "trafficSignRef"))
      if (const auto limit = sign(*ref).speed_limit)
        lanelet.speed_limit = std::min(*limit, lanelet.speed_limit.value_or(*limit));
    read_stop_line(e, lanelet);
    out_.lanelets.push_back(std::move(lanelet));
  }

  // A solid line is not crossed.
  std::optional<spacetime::Neighbour> neighbour(const XmlElement& e, const char* side,
                                                const char* bound) const {
    const XmlElement* adjacent = xml_.child(e, side);
    if (!adjacent) return std::nullopt;
    const std::string direction = xml_.text(*adjacent, "drivingDir");
    if (direction != "same" && direction != "opposite")
      xml_.fail(*adjacent,
                fmt::format("drivingDir {}: expected same or opposite", quote(direction)));
    const XmlElement* marking = xml_.child(xml_.required_child(e, bound), "lineMarking");
    const std::string_view line = marking && marking->GetText() ? marking->GetText() : "";
    return spacetime::Neighbour{xml_.text(*adjacent, "ref"), direction == "same",
                                line != "solid" && line != "broad_solid" && line != "solid_solid"};
  }

  bool is_for_vehicles(const XmlElement& e) const {
    static const std::set<std::string_view> walked = {"sidewalk", "crosswalk", "bicycleLane",
                                                      "busLane",  "border",    "restricted"};
    static const std::set<std::string_view> driven = {"vehicle", "car", "truck", "taxi"};
    for (const XmlElement* type : XmlFile::children(e, "laneletType"))
      if (type->GetText() && walked.contains(type->GetText())) return false;
    bool any = false;
    for (const char* name : {"userOneWay", "userBidirectional"})
      for (const XmlElement* user : XmlFile::children(e, name)) {
        any = true;
        if (user->GetText() && driven.contains(user->GetText())) return true;
      }
    return !any;
  }

  void read_stop_line(const XmlElement& e, Lanelet& lanelet) {
    const XmlElement* line = xml_.child(e, "stopLine");
    spacetime::StopLine stop{lanelet.left.back(), lanelet.right.back(), false, {}};
    if (line) {
      const auto points = XmlFile::children(*line, "point");
      if (points.size() == 2) stop.left = point(*points[0]), stop.right = point(*points[1]);
      if (points.size() != 0 && points.size() != 2)
        xml_.fail(*line, fmt::format("a stop line has two points or none, not {}", points.size()));
    }
    for (const XmlElement* holder : {line, &e}) {
      if (!holder) continue;
      for (const XmlElement* ref : XmlFile::children(*holder, "trafficSignRef"))
        stop.must_stop = stop.must_stop || sign(*ref).stop;
      for (const XmlElement* ref : XmlFile::children(*holder, "trafficLightRef")) {
        const std::string id = xml_.text(*ref, "ref");
        if (std::ranges::none_of(out_.lights, [&](const auto& light) { return light.id == id; }))
          xml_.fail(*ref, fmt::format("there is no traffic light {}", quote(id)));
        if (std::ranges::count(stop.lights, id) == 0) stop.lights.push_back(id);
      }
    }
    if (line || stop.must_stop || !stop.lights.empty()) lanelet.stop_line = std::move(stop);
  }

  struct Sign {
    std::optional<double> speed_limit;
    bool stop = false;
  };

  const Sign& sign(const XmlElement& ref) const {
    const std::string id = xml_.text(ref, "ref");
    const auto found = signs_.find(id);
    if (found == signs_.end())
      xml_.fail(ref, fmt::format("there is no traffic sign {}", quote(id)));
    return found->second;
  }

  // Speed limits are in m/s, whatever the sign itself shows.
  void read_sign(const XmlElement& e) {
    static const std::set<std::string_view> limits = {"274", "274.1", "R2-1", "B14", "r301"};
    static const std::set<std::string_view> stops = {"206", "R1-1", "AB4", "r2"};
    Sign& read = signs_[xml_.text(e, "id")];
    for (const XmlElement* part : XmlFile::children(e, "trafficSignElement")) {
      const XmlElement& name = xml_.required_child(*part, "trafficSignID");
      const std::string id(trimmed(name.GetText() ? name.GetText() : ""));
      const auto values = XmlFile::children(*part, "additionalValue");
      if (limits.contains(id) && values.size() == 1) {
        const double limit = number(*values[0]);
        if (!(limit > 0)) xml_.fail(*values[0], fmt::format("a speed limit of {} m/s", limit));
        read.speed_limit = std::min(limit, read.speed_limit.value_or(limit));
      } else if (stops.contains(id)) {
        read.stop = true;
      } else {
        unread_signs_.insert(id);
      }
    }
  }

  void read_light(const XmlElement& e) {
    spacetime::TrafficLight light;
    light.id = xml_.text(e, "id");
    const XmlElement* active = xml_.child(e, "active");
    const bool off = active && active->GetText() && std::string_view(active->GetText()) == "false";
    const XmlElement* cycle = xml_.child(e, "cycle");
    if (cycle && !off) {
      if (const XmlElement* offset = xml_.child(*cycle, "timeOffset"))
        light.offset = seconds(number(*offset));
      for (const XmlElement* part : XmlFile::children(*cycle, "cycleElement")) {
        const double duration = seconds(child_number(*part, "duration"));
        const XmlElement& colour = xml_.required_child(*part, "color");
        const std::string_view word = colour.GetText() ? colour.GetText() : "";
        if (word != "green" && word != "red" && word != "yellow" && word != "redYellow" &&
            word != "inactive")
          xml_.fail(colour, fmt::format("unknown colour {}", quote(word)));
        if (!(duration > 0)) xml_.fail(*part, "a phase needs a duration above 0");
        light.phases.push_back({word == "green" || word == "inactive", duration});
      }
    }
    out_.lights.push_back(std::move(light));
  }

  spacetime::GoalState goal(const XmlElement& e) const {
    spacetime::GoalState out;
    const auto interval = [&](const XmlElement& from, double scale) {
      const Range r = range(from);
      return spacetime::Interval{scale * r.low, scale * r.high};
    };
    for (const XmlElement* part = e.FirstChildElement(); part; part = part->NextSiblingElement()) {
      const std::string_view name = part->Name();
      if (name == "time")
        out.time = interval(*part, out_.time_step);
      else if (name == "velocity")
        out.speed = interval(*part, 1);
      else if (name == "orientation")
        out.heading = interval(*part, 1);
      else if (name == "position")
        read_goal_position(*part, out);
      else
        xml_.fail(*part, fmt::format("<{}> of a goal is not understood; there are position, time, "
                                     "velocity and orientation",
                                     printable(name)));
    }
    return out;
  }

  void read_goal_position(const XmlElement& e, spacetime::GoalState& out) const {
    for (const XmlElement* p = e.FirstChildElement(); p; p = p->NextSiblingElement())
      if (std::string_view(p->Name()) == "lanelet")
        out.lanelets.push_back(xml_.text(*p, "ref"));
      else if (std::string_view(p->Name()) == "point")
        xml_.fail(*p, "no vehicle reaches a point exactly; give a <rectangle> or <circle>");
      else
        out.regions.push_back(
            at_place([&] { return xml_.place(*p); }, [&] { return one_shape(*p); }));
    if (!out.has_place()) xml_.fail(e, "a goal's <position> is empty");
  }

  void check_goal_lanelets(const XmlElement& root) const {
    for (const PlanningProblem& problem : out_.problems)
      for (const spacetime::GoalState& state : problem.goals)
        for (const std::string& id : state.lanelets)
          if (std::ranges::none_of(out_.lanelets, [&](const Lanelet& l) { return l.id == id; }))
            xml_.fail(root, fmt::format("planning problem {}: there is no lanelet {}",
                                        quote(problem.id), quote(id)));
  }

  void read_problem(const XmlElement& e) {
    PlanningProblem problem;
    problem.id = xml_.text(e, "id");
    const XmlElement& initial = xml_.required_child(e, "initialState");
    const State start = state(initial);
    if (start.position_deviation > 0 || start.heading_deviation > 0)
      xml_.fail(initial, "a planning problem starts at one pose, not in a region");
    problem.start = start.pose;
    problem.speed = start.speed;
    problem.t_start = seconds(static_cast<double>(start.step));
    for (const XmlElement* g : XmlFile::children(e, "goalState")) problem.goals.push_back(goal(*g));
    if (problem.goals.empty()) xml_.fail(e, "a planning problem needs a <goalState>");
    out_.problems.push_back(std::move(problem));
  }

  std::map<std::string, Sign> signs_;
  std::set<std::string> unread_signs_;
  XmlFile xml_;
  TrafficFile out_;
  bool uncertain_ = false;
};

}  // namespace

TrafficFile read_commonroad(const std::filesystem::path& file) {
  return Reader(file).read();
}

}  // namespace proven::io
