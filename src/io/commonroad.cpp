// CommonRoad scenarios, formats 2018b (<obstacle> with a <role>) and 2020a (<staticObstacle>,
// <dynamicObstacle>, <environmentObstacle>, <phantomObstacle>). commonroad_rules.h says what may
// stand where; signs that are not understood are remarked on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/commonroad_rules.h"
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
  double position_deviation = 0, heading_deviation = 0;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : xml_(file, "commonRoad") {}

  TrafficFile read() {
    const XmlElement& root = xml_.root();
    require_commonroad(xml_);
    const std::string version = xml_.text(root, "commonRoadVersion");
    if (version != "2018b" && version != "2020a")
      xml_.fail(root, fmt::format("commonRoadVersion {} is not read; there are 2018b and 2020a",
                                  quote(version)));
    out_.name = xml_.find_text(root, "benchmarkID").value_or(xml_.path().stem().string());
    out_.time_step = xml_.positive_number(root, "timeStepSize");
    refuse_repeated_ids();
    // Lanelets refer to signs and lights that stand further down.
    for (const XmlElement* e : XmlFile::children(root, "trafficSign")) read_sign(*e);
    for (const XmlElement* e : XmlFile::children(root, "trafficLight")) read_light(*e);
    for (const XmlElement* e = root.FirstChildElement(); e; e = e->NextSiblingElement())
      read_element(*e);
    check_lanelets(root);
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
    const std::string_view name = e.Name();
    if (name == "lanelet")
      read_lanelet(e);
    else if (name == "planningProblem")
      read_problem(e);
    else if (name.ends_with("bstacle"))
      read_obstacle(e);
  }

  // A recording of the vehicle that plans may have the id of its planning problem.
  void refuse_repeated_ids() const {
    std::set<std::string> ids, problems;
    const XmlElement& root = xml_.root();
    for (const XmlElement* e = root.FirstChildElement(); e; e = e->NextSiblingElement()) {
      const auto id = xml_.find_text(*e, "id");
      const bool problem = std::string_view(e->Name()) == "planningProblem";
      if (id && !(problem ? problems : ids).insert(*id).second)
        xml_.fail(*e, fmt::format("the id {} is given twice", quote(*id)));
    }
  }

  double number(const XmlElement& e) const { return *parse_double(leaf_text(xml_, e)); }
  double child_number(const XmlElement& e, const char* name) const {
    return number(xml_.required_child(e, name));
  }

  double speed(const XmlElement& e) const {
    const double value = number(e);
    if (!(value > 0)) xml_.fail(e, fmt::format("a speed limit of {} m/s", value));
    return value;
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
    if (name == "lanelet")
      xml_.fail(e,
                "a state that lies somewhere on a lanelet is not read; give a <point> or a shape");
    if (name == "rectangle") {
      const XmlElement* turned = xml_.child(e, "orientation");
      return unwrap(Footprint::box(child_number(e, "length"), child_number(e, "width"), at,
                                   turned ? number(*turned) : 0));
    }
    if (name == "circle") return unwrap(Footprint::circle(child_number(e, "radius"), at));
    std::vector<Vec2> corners;
    for (const XmlElement* p : XmlFile::children(e, "point")) corners.push_back(point(*p));
    return unwrap(Footprint::polygon(std::move(corners)));
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
    s.step = exact_step(xml_.required_child(e, "time"));
    read_position(xml_.required_child(e, "position"), s);
    const Range heading = range(xml_.required_child(e, "orientation"));
    s.pose.heading = heading.middle();
    s.heading_deviation = heading.half();
    if (!(std::max(std::fabs(heading.low), std::fabs(heading.high)) <= spacetime::kLargestHeading))
      xml_.fail(e, fmt::format("<orientation>: {} is beyond {} rad", s.pose.heading,
                               spacetime::kLargestHeading));
    return s;
  }

  long exact_step(const XmlElement& time) const {
    const XmlElement* exact = xml_.child(time, "exact");
    if (!exact) xml_.fail(time, "a state holds at one time; give an <exact> one");
    return static_cast<long>(number(*exact));
  }

  double seconds(double step) const { return step * out_.time_step; }

  void read_obstacle(const XmlElement& e) {
    Obstacle obstacle;
    obstacle.name = xml_.text(e, "id");
    if (const XmlElement* outline = xml_.child(e, "shape")) obstacle.footprint = shape(*outline);
    if (const XmlElement* set = xml_.child(e, "occupancySet"))
      read_occupancies(e, *set, obstacle);
    else if (const XmlElement* trajectory = xml_.child(e, "trajectory"))
      read_trajectory(e, *trajectory, obstacle);
    else if (const XmlElement* initial = xml_.child(e, "initialState"))
      read_standing(*initial, obstacle);  // the shape of an environment's obstacle is in the world
    out_.obstacles.push_back(std::move(obstacle));
  }

  // What stands somewhere in a region is everything that is as near to its middle.
  void read_standing(const XmlElement& initial, Obstacle& obstacle) {
    const State s = state(initial);
    obstacle.pose = s.pose;
    if (s.step != 0)
      out_.remarks.push_back(fmt::format(
          "obstacle {} stands and has a state at step {}: it is taken to be there at all times",
          obstacle.name, s.step));
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
    const XmlElement& initial = xml_.required_child(e, "initialState");
    states.emplace_back(state(initial), &initial);
    for (const XmlElement* s = trajectory.FirstChildElement(); s; s = s->NextSiblingElement()) {
      const State next = state(*s);
      // Some files say the initial state again.
      if (states.size() == 1 && same(states[0].first, next)) continue;
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
    std::vector<Steps> known;
    if (const XmlElement* initial = xml_.child(e, "initialState")) {
      const State s = state(*initial);
      add_initial(s, obstacle);
      known.push_back({static_cast<double>(s.step), static_cast<double>(s.step), initial});
    }
    for (const XmlElement* o : XmlFile::children(set, "occupancy")) {
      const Range r = range(xml_.required_child(*o, "time"));
      known.push_back({r.low, r.high, o});
      Occupancy part;
      part.t_begin = seconds(r.low - 1);
      part.t_end = seconds(r.high + 1);
      part.region = shape(xml_.required_child(*o, "shape"));
      obstacle.occupancies.push_back(std::move(part));
    }
    refuse_missing_steps(std::move(known));
    out_.remarks.push_back(
        fmt::format("obstacle {} is a set: each occupancy is taken as forbidden from the step "
                    "before its own to the step after",
                    obstacle.name));
  }

  struct Steps {
    double first = 0, last = 0;
    const XmlElement* where = nullptr;
  };

  void refuse_missing_steps(std::vector<Steps> known) const {
    std::ranges::stable_sort(known, {}, &Steps::first);
    double reached = known[0].last;
    for (const Steps& s : known) {
      if (s.first > reached + 1)
        xml_.fail(*s.where, fmt::format("a gap in time: step {} follows {}; every step needs an "
                                        "<occupancy>, or nobody knows where the obstacle is",
                                        s.first, reached));
      reached = std::max(reached, s.last);
    }
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
    if (const XmlElement* limit = xml_.child(e, "speedLimit")) lanelet.speed_limit = speed(*limit);
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
    const std::string line = marking ? leaf_text(xml_, *marking) : "";
    const bool closed = line.find("solid") != std::string::npos || line == "curb";
    return spacetime::Neighbour{xml_.text(*adjacent, "ref"), direction == "same", !closed};
  }

  bool is_for_vehicles(const XmlElement& e) const {
    static const std::set<std::string_view> walked = {"sidewalk", "crosswalk", "bicycleLane",
                                                      "busLane",  "border",    "restricted"};
    static const std::set<std::string_view> driven = {"vehicle", "car", "truck", "taxi"};
    for (const XmlElement* type : XmlFile::children(e, "laneletType"))
      if (walked.contains(leaf_text(xml_, *type))) return false;
    bool any = false;
    for (const char* name : {"userOneWay", "userBidirectional"})
      for (const XmlElement* user : XmlFile::children(e, name)) {
        any = true;
        if (driven.contains(leaf_text(xml_, *user))) return true;
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
      const std::string id = leaf_text(xml_, xml_.required_child(*part, "trafficSignID"));
      if (limits.contains(id)) {
        const XmlElement& value = xml_.required_child(*part, "additionalValue");
        const auto limit = parse_double(leaf_text(xml_, value));
        if (!limit || !(*limit > 0))
          xml_.fail(value, fmt::format("a speed limit of {} m/s", quote(leaf_text(xml_, value))));
        read.speed_limit = std::min(*limit, read.speed_limit.value_or(*limit));
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
    const std::string word = active ? leaf_text(xml_, *active) : "true";
    const bool off = word == "false" || word == "0";
    const XmlElement* cycle = xml_.child(e, "cycle");
    if (cycle && !off) {
      if (const XmlElement* offset = xml_.child(*cycle, "timeOffset"))
        light.offset = seconds(number(*offset));
      for (const XmlElement* part : XmlFile::children(*cycle, "cycleElement")) {
        const double duration = seconds(child_number(*part, "duration"));
        const std::string colour = leaf_text(xml_, xml_.required_child(*part, "color"));
        if (!(duration > 0)) xml_.fail(*part, "a phase needs a duration above 0");
        light.phases.push_back({colour == "green" || colour == "inactive", duration});
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
      else
        read_goal_position(*part, out);
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
  }

  // Lanelets are referred to before they come.
  void check_lanelets(const XmlElement& root) const {
    std::set<std::string> ids;
    for (const Lanelet& lanelet : out_.lanelets) ids.insert(lanelet.id);
    const auto refuse_absent = [&](const XmlElement& e) {
      const std::string id = xml_.text(e, "ref");
      if (!ids.contains(id)) xml_.fail(e, fmt::format("there is no lanelet {}", quote(id)));
    };
    for (const XmlElement* e : XmlFile::children(root, "lanelet"))
      for (const char* name : {"predecessor", "successor", "adjacentLeft", "adjacentRight"})
        for (const XmlElement* ref : XmlFile::children(*e, name)) refuse_absent(*ref);
    for (const XmlElement* e : XmlFile::children(root, "planningProblem"))
      for (const XmlElement* g : XmlFile::children(*e, "goalState"))
        if (const XmlElement* position = xml_.child(*g, "position"))
          for (const XmlElement* ref : XmlFile::children(*position, "lanelet")) refuse_absent(*ref);
  }

  void read_problem(const XmlElement& e) {
    PlanningProblem problem;
    problem.id = xml_.text(e, "id");
    const XmlElement& initial = xml_.required_child(e, "initialState");
    const State start = state(initial);
    if (start.position_deviation > 0 || start.heading_deviation > 0)
      xml_.fail(initial, "a planning problem starts at one pose, not in a region");
    const XmlElement& velocity = xml_.required_child(initial, "velocity");
    const Range speed = range(velocity);
    if (speed.low != speed.high)
      xml_.fail(velocity, "a planning problem starts at one speed, not in an interval");
    problem.start = start.pose;
    problem.speed = speed.low;
    problem.t_start = seconds(static_cast<double>(start.step));
    for (const XmlElement* g : XmlFile::children(e, "goalState")) problem.goals.push_back(goal(*g));
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
