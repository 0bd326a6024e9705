// CommonRoad scenarios, formats 2018b (<obstacle> with a <role>) and 2020a (<staticObstacle>,
// <dynamicObstacle>). Elements that change nothing for collision (signs, lights, tags) are passed
// over; unknown ones inside an obstacle are errors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/failure.h"
#include "io/text.h"
#include "io/traffic_readers.h"
#include "io/xml.h"
#include "proven/base/numbers.h"

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
    for (const XmlElement* e = root.FirstChildElement(); e; e = e->NextSiblingElement())
      read_element(*e);
    return std::move(out_);
  }

 private:
  void read_element(const XmlElement& e) {
    static const std::set<std::string_view> passed_over = {
        "location", "scenarioTags", "trafficSign", "trafficLight", "intersection"};
    const std::string_view name = e.Name();
    if (name == "lanelet")
      read_lanelet(e);
    else if (name == "obstacle" || name == "staticObstacle" || name == "dynamicObstacle")
      read_obstacle(e);
    else if (name == "planningProblem")
      read_problem(e);
    else if (name == "environmentObstacle" || name == "phantomObstacle")
      xml_.fail(e, fmt::format("<{}> is not read; give it as <staticObstacle> or "
                               "<dynamicObstacle>",
                               name));
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
    else if (!shape_element)
      xml_.fail(e, fmt::format("<{}> has no <shape>", e.Name()));
    else if (const XmlElement* trajectory = xml_.child(e, "trajectory"))
      read_trajectory(e, *trajectory, obstacle);
    else
      obstacle.pose = standing(e);
    out_.obstacles.push_back(std::move(obstacle));
  }

  Pose2 standing(const XmlElement& e) const {
    const XmlElement& initial = xml_.required_child(e, "initialState");
    const State s = state(initial);
    const XmlElement* role = xml_.child(e, "role");
    const bool dynamic =
        std::string_view(e.Name()) == "dynamicObstacle" ||
        (role && role->GetText() && std::string_view(role->GetText()) == "dynamic");
    if (dynamic) xml_.fail(e, "a dynamic obstacle needs a <trajectory> or an <occupancySet>");
    if (s.position_deviation > 0 || s.heading_deviation > 0)
      xml_.fail(initial, "a static obstacle needs an exact pose");
    return s.pose;
  }

  void read_trajectory(const XmlElement& e, const XmlElement& trajectory, Obstacle& obstacle) {
    std::vector<std::pair<State, const XmlElement*>> states;
    if (const XmlElement* initial = xml_.child(e, "initialState"))
      states.emplace_back(state(*initial), initial);
    for (const XmlElement* s = trajectory.FirstChildElement(); s; s = s->NextSiblingElement()) {
      if (std::string_view(s->Name()) != "state")
        xml_.fail(*s, fmt::format("unknown element <{}> in <trajectory>", printable(s->Name())));
      states.emplace_back(state(*s), s);
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
    if (const XmlElement* initial = xml_.child(e, "initialState"); initial) {
      const State s = state(*initial);
      add_initial(s, obstacle);
    }
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
    if (obstacle.occupancies.size() < 2) xml_.fail(set, "no <occupancy>");
    out_.remarks.push_back(
        fmt::format("obstacle {} is a set: each occupancy is taken as forbidden from the step "
                    "before its own to the step after",
                    obstacle.name));
  }

  static void add_initial(const State& s, Obstacle& obstacle) {
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
    obstacle.occupancies.push_back({0, 0, Footprint::compound(parts)});
  }

  void read_lanelet(const XmlElement& e) {
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
    out_.lanelets.push_back(std::move(lanelet));
  }

  void read_problem(const XmlElement& e) {
    PlanningProblem problem;
    problem.id = xml_.text(e, "id");
    const State start = state(xml_.required_child(e, "initialState"));
    problem.start = start.pose;
    problem.speed = start.speed;
    problem.t_start = seconds(static_cast<double>(start.step));
    for (const XmlElement* goal : XmlFile::children(e, "goalState")) {
      if (const XmlElement* time = xml_.child(*goal, "time")) {
        const Range r = range(*time);
        problem.goal_time_begin = seconds(r.low);
        problem.goal_time_end = seconds(r.high);
      }
      const XmlElement* position = xml_.child(*goal, "position");
      for (const XmlElement* p = position ? position->FirstChildElement() : nullptr; p;
           p = p->NextSiblingElement())
        if (std::string_view(p->Name()) == "lanelet")
          problem.goal_lanelets.push_back(xml_.text(*p, "ref"));
        else if (std::string_view(p->Name()) != "point")
          problem.goal_regions.push_back(one_shape(*p));
    }
    out_.problems.push_back(std::move(problem));
  }

  XmlFile xml_;
  TrafficFile out_;
  bool uncertain_ = false;
};

}  // namespace

TrafficFile read_commonroad(const std::filesystem::path& file) {
  return Reader(file).read();
}

}  // namespace proven::io
