// Judges a drive through a CommonRoad scenario from the format's own description, with a reader, a
// geometry and a vehicle model of its own: it shares no code with the product. It samples, so what
// it finds wrong is wrong, and what the product claims must get past it.
#pragma once

#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace proven::evaluator {

using Element = tinyxml2::XMLElement;
using Real = long double;

struct Point {
  Real x = 0, y = 0;
};
inline Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y};
}
inline Point operator-(Point a, Point b) {
  return {a.x - b.x, a.y - b.y};
}
inline Point operator*(Real s, Point a) {
  return {s * a.x, s * a.y};
}
inline Real dot(Point a, Point b) {
  return a.x * b.x + a.y * b.y;
}
inline Real cross(Point a, Point b) {
  return a.x * b.y - a.y * b.x;
}
inline Real length(Point a) {
  return std::hypot(a.x, a.y);
}
inline Point turned(Point p, Real angle) {
  const Real c = std::cos(angle), s = std::sin(angle);
  return {c * p.x - s * p.y, s * p.x + c * p.y};
}

// An outline; one point with a radius is a disc.
struct Shape {
  std::vector<Point> outline;
  Real radius = 0;
};
using Shapes = std::vector<Shape>;

inline bool inside(const std::vector<Point>& outline, Point p) {
  bool odd = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++) {
    const Point a = outline[j], b = outline[i];
    if ((a.y > p.y) == (b.y > p.y)) continue;
    if (p.x < a.x + (b.x - a.x) * (p.y - a.y) / (b.y - a.y)) odd = !odd;
  }
  return odd;
}

inline Real to_edge(Point p, Point a, Point b) {
  const Point d = b - a;
  const Real l = dot(d, d), u = l > 0 ? std::clamp<Real>(dot(p - a, d) / l, 0, 1) : 0;
  return length(p - a - u * d);
}

inline Real to_outline(const std::vector<Point>& outline, Point p) {
  if (outline.size() > 2 && inside(outline, p)) return 0;
  Real best = 1e18L;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++)
    best = std::min(best, to_edge(p, outline[j], outline[i]));
  return best;
}

inline bool cross_each_other(Point a, Point b, Point c, Point d) {
  const Real s = cross(b - a, c - a), t = cross(b - a, d - a);
  const Real u = cross(d - c, a - c), v = cross(d - c, b - c);
  return ((s > 0) != (t > 0)) && ((u > 0) != (v > 0));
}

// 0 where they overlap.
inline Real distance(const Shape& a, const Shape& b) {
  Real best = 1e18L;
  for (const Point p : a.outline) best = std::min(best, to_outline(b.outline, p));
  for (const Point p : b.outline) best = std::min(best, to_outline(a.outline, p));
  for (std::size_t i = 0; a.outline.size() > 1 && i < a.outline.size(); ++i)
    for (std::size_t j = 0; b.outline.size() > 1 && j < b.outline.size(); ++j)
      if (cross_each_other(a.outline[i], a.outline[(i + 1) % a.outline.size()], b.outline[j],
                           b.outline[(j + 1) % b.outline.size()]))
        return 0;
  return std::max<Real>(0, best - a.radius - b.radius);
}

inline Shapes placed(const Shapes& shapes, Point at, Real heading) {
  Shapes out = shapes;
  for (Shape& shape : out)
    for (Point& p : shape.outline) p = at + turned(p, heading);
  return out;
}

inline Real number(const Element* e) {
  return std::strtold(e->GetText(), nullptr);
}
inline Point point(const Element* e) {
  return {number(e->FirstChildElement("x")), number(e->FirstChildElement("y"))};
}
inline std::pair<Real, Real> range(const Element* e) {
  if (const Element* exact = e->FirstChildElement("exact")) return {number(exact), number(exact)};
  return {number(e->FirstChildElement("intervalStart")),
          number(e->FirstChildElement("intervalEnd"))};
}

inline Shape shape(const Element* e) {
  const std::string name = e->Name();
  const Element* c = e->FirstChildElement("center");
  const Point centre = c ? point(c) : Point{};
  if (name == "circle") return {{centre}, number(e->FirstChildElement("radius"))};
  if (name == "rectangle") {
    const Element* o = e->FirstChildElement("orientation");
    const Real l = number(e->FirstChildElement("length")) / 2,
               w = number(e->FirstChildElement("width")) / 2, angle = o ? number(o) : 0;
    Shape box;
    for (const Point p : {Point{l, w}, {-l, w}, {-l, -w}, {l, -w}})
      box.outline.push_back(centre + turned(p, angle));
    return box;
  }
  Shape polygon;
  for (const Element* p = e->FirstChildElement("point"); p; p = p->NextSiblingElement("point"))
    polygon.outline.push_back(point(p));
  return polygon;
}

inline Shapes shapes(const Element* e) {
  Shapes all;
  for (const Element* s = e->FirstChildElement(); s; s = s->NextSiblingElement())
    all.push_back(shape(s));
  return all;
}

struct State {
  int step = 0;
  Point at;
  Real heading = 0, deviation = 0, turn = 0;  // the last two: how far off it may be
};

struct Mover {
  std::string id;
  Shapes shapes;
  std::vector<State> states;  // one: it stands
  struct Set {
    Real from, to;
    Shapes shapes;
  };
  std::vector<Set> sets;
};

struct Lane {
  std::string id;
  std::vector<Point> left, right, outline;
  bool driven = true;
  std::optional<Real> limit;

  // The direction of travel beside p.
  Real direction(Point p) const {
    Real best = 1e18L, angle = 0;
    for (const auto* bound : {&left, &right})
      for (std::size_t i = 1; i < bound->size(); ++i) {
        const Point d = (*bound)[i] - (*bound)[i - 1];
        const Real off = to_edge(p, (*bound)[i - 1], (*bound)[i]);
        if (off < best && length(d) > 0) best = off, angle = std::atan2(d.y, d.x);
      }
    return angle;
  }
};

struct Goal {
  Shapes regions;
  std::vector<std::string> lanes;
  std::optional<std::pair<Real, Real>> time, speed, heading;  // time in steps
};

struct Problem {
  std::string id;
  State start;
  std::vector<Goal> goals;
};

inline State state(const Element* e) {
  State s;
  s.step = static_cast<int>(std::lround(range(e->FirstChildElement("time")).first));
  const Element* position = e->FirstChildElement("position");
  if (const Element* exact = position->FirstChildElement("point")) {
    s.at = point(exact);
  } else {
    const Shapes region = shapes(position);
    Point low{1e18L, 1e18L}, high{-1e18L, -1e18L};
    for (const Shape& part : region)
      for (const Point p : part.outline) {
        low = {std::min(low.x, p.x - part.radius), std::min(low.y, p.y - part.radius)};
        high = {std::max(high.x, p.x + part.radius), std::max(high.y, p.y + part.radius)};
      }
    s.at = 0.5L * (low + high);
    for (const Shape& part : region)
      for (const Point p : part.outline)
        s.deviation = std::max(s.deviation, length(p - s.at) + part.radius);
  }
  if (const Element* o = e->FirstChildElement("orientation")) {
    const auto [low, high] = range(o);
    s.heading = (low + high) / 2, s.turn = (high - low) / 2;
  }
  return s;
}

struct Scenario {
  Real step = 0.1L;
  std::vector<Lane> lanes;
  std::vector<Mover> movers;
  std::vector<Problem> problems;

  const Problem& problem(const std::string& id) const {
    for (const Problem& p : problems)
      if (id.empty() || p.id == id) return p;
    return problems.at(0);
  }
};

inline Lane lane(const Element* e, const std::map<std::string, Real>& signs) {
  Lane out;
  out.id = e->Attribute("id");
  const auto bound = [&](const char* name, std::vector<Point>& into) {
    const Element* b = e->FirstChildElement(name);
    for (const Element* p = b->FirstChildElement("point"); p; p = p->NextSiblingElement("point"))
      into.push_back(point(p));
  };
  bound("leftBound", out.left);
  bound("rightBound", out.right);
  out.outline = out.left;
  out.outline.insert(out.outline.end(), out.right.rbegin(), out.right.rend());
  for (const Element* t = e->FirstChildElement("laneletType"); t;
       t = t->NextSiblingElement("laneletType")) {
    const std::string type = t->GetText() ? t->GetText() : "";
    if (type == "sidewalk" || type == "crosswalk" || type == "bicycleLane") out.driven = false;
  }
  if (const Element* l = e->FirstChildElement("speedLimit")) out.limit = number(l);
  for (const Element* r = e->FirstChildElement("trafficSignRef"); r;
       r = r->NextSiblingElement("trafficSignRef"))
    if (const auto found = signs.find(r->Attribute("ref")); found != signs.end())
      out.limit = std::min(found->second, out.limit.value_or(found->second));
  return out;
}

inline Mover mover(const Element* e, Real step) {
  Mover out;
  out.id = e->Attribute("id");
  if (const Element* s = e->FirstChildElement("shape")) out.shapes = shapes(s);
  if (const Element* i = e->FirstChildElement("initialState")) out.states.push_back(state(i));
  if (const Element* t = e->FirstChildElement("trajectory"))
    for (const Element* s = t->FirstChildElement("state"); s; s = s->NextSiblingElement("state"))
      out.states.push_back(state(s));
  if (out.states.empty()) out.states.push_back({});  // a shape in the world
  if (const Element* set = e->FirstChildElement("occupancySet")) {
    out.states.clear();
    for (const Element* o = set->FirstChildElement("occupancy"); o;
         o = o->NextSiblingElement("occupancy")) {
      const auto [from, to] = range(o->FirstChildElement("time"));
      // At its own step at least.
      out.sets.push_back({from * step, to * step, shapes(o->FirstChildElement("shape"))});
    }
  }
  return out;
}

inline Scenario read(const std::filesystem::path& file) {
  tinyxml2::XMLDocument document;
  document.LoadFile(file.c_str());
  const Element* root = document.RootElement();
  Scenario out;
  out.step = std::strtold(root->Attribute("timeStepSize"), nullptr);
  std::map<std::string, Real> signs;  // speed limits by id
  for (const Element* s = root->FirstChildElement("trafficSign"); s;
       s = s->NextSiblingElement("trafficSign"))
    for (const Element* part = s->FirstChildElement("trafficSignElement"); part;
         part = part->NextSiblingElement("trafficSignElement")) {
      const std::string id = part->FirstChildElement("trafficSignID")->GetText();
      if (id == "274" || id == "R2-1")
        signs[s->Attribute("id")] = number(part->FirstChildElement("additionalValue"));
    }
  for (const Element* e = root->FirstChildElement(); e; e = e->NextSiblingElement()) {
    const std::string name = e->Name();
    if (name == "lanelet") out.lanes.push_back(lane(e, signs));
    if (name == "obstacle" || name.ends_with("Obstacle")) out.movers.push_back(mover(e, out.step));
    if (name != "planningProblem") continue;
    Problem problem{e->Attribute("id"), state(e->FirstChildElement("initialState")), {}};
    for (const Element* g = e->FirstChildElement("goalState"); g;
         g = g->NextSiblingElement("goalState")) {
      Goal goal;
      if (const Element* t = g->FirstChildElement("time")) goal.time = range(t);
      if (const Element* t = g->FirstChildElement("velocity")) goal.speed = range(t);
      if (const Element* t = g->FirstChildElement("orientation")) goal.heading = range(t);
      const Element* position = g->FirstChildElement("position");
      for (const Element* p = position ? position->FirstChildElement() : nullptr; p;
           p = p->NextSiblingElement())
        if (std::string(p->Name()) == "lanelet")
          goal.lanes.emplace_back(p->Attribute("ref"));
        else
          goal.regions.push_back(shape(p));
      problem.goals.push_back(goal);
    }
    out.problems.push_back(problem);
  }
  return out;
}

// What `proven traffic plan --json` says of a drive.
struct Drive {
  std::vector<Real> t, heading, speed;
  std::vector<Point> at;
  Real car_length = 0, car_width = 0, wheelbase = 0, rear_axle = 0, max_steering = 0,
       max_steering_rate = 0, max_acceleration = 0, max_speed = 0;
  std::vector<std::string> left_out;

  explicit Drive(const nlohmann::json& json) {
    for (const auto& v : json["driven"]["times"]) t.push_back(v.get<double>());
    for (const auto& p : json["driven"]["poses"]) {
      at.push_back({p[0].get<double>(), p[1].get<double>()});
      heading.push_back(p[2].get<double>());
    }
    for (const auto& v : json["driven"]["speeds"]) speed.push_back(v.get<double>());
    const auto& car = json["vehicle"];
    car_length = car["length"].get<double>(), car_width = car["width"].get<double>();
    wheelbase = car["wheelbase"].get<double>(), rear_axle = car["rear_axle"].get<double>();
    max_steering = car["max_steering"].get<double>();
    max_steering_rate = car["max_steering_rate"].get<double>();
    max_acceleration = car["max_acceleration"].get<double>();
    max_speed = car["max_speed"].get<double>();
    for (const auto& name : json["left_out"]) left_out.push_back(name.get<std::string>());
  }

  Shape outline(Point p, Real angle) const {
    const Real l = car_length / 2, w = car_width / 2;
    Shape box;
    for (const Point c : {Point{l, w}, {-l, w}, {-l, -w}, {l, -w}})
      box.outline.push_back(p + turned(c, angle));
    return box;
  }
};

inline bool at_goal(const Scenario& scenario, const Problem& problem, const Drive& drive) {
  const std::size_t last = drive.t.size() - 1;
  const Point p = drive.at[last];
  for (const Goal& goal : problem.goals) {
    const Real step = drive.t[last] / scenario.step;
    if (goal.time && (step < goal.time->first - 1e-5L || step > goal.time->second + 1e-5L))
      continue;
    const Real v = drive.speed[last];
    if (goal.speed && (v < goal.speed->first - 1e-9L || v > goal.speed->second + 1e-9L)) continue;
    if (goal.heading) {
      bool fits = false;
      for (int turns = -3; turns <= 3; ++turns) {
        const Real h = drive.heading[last] + 2 * M_PIl * turns;
        fits = fits || (h >= goal.heading->first - 1e-9L && h <= goal.heading->second + 1e-9L);
      }
      if (!fits) continue;
    }
    bool place = goal.regions.empty() && goal.lanes.empty();
    for (const Shape& region : goal.regions)
      place = place || to_outline(region.outline, p) <= region.radius + 1e-9L;
    for (const Lane& l : scenario.lanes)
      if (std::count(goal.lanes.begin(), goal.lanes.end(), l.id))
        place = place || inside(l.outline, p);
    if (place) return true;
  }
  return false;
}

// Calls look(time, place, heading) at `parts` moments of every step.
template <class Look>
void along(const Drive& drive, int parts, Look&& look) {
  for (std::size_t i = 0; i + 1 < drive.t.size(); ++i)
    for (int k = 0; k < parts; ++k) {
      const Real u = static_cast<Real>(k) / parts;
      look(drive.t[i] + u * (drive.t[i + 1] - drive.t[i]),
           drive.at[i] + u * (drive.at[i + 1] - drive.at[i]),
           drive.heading[i] + u * (drive.heading[i + 1] - drive.heading[i]));
    }
  look(drive.t.back(), drive.at.back(), drive.heading.back());
}

// The least distance to anything, less what it may be off.
inline Real least_distance(const Scenario& scenario, const Drive& drive) {
  Real best = 1e18L;
  along(drive, 10, [&](Real t, Point p, Real heading) {
    const Shape car = drive.outline(p, heading);
    const auto look = [&](const Shapes& others, Real off) {
      for (const Shape& other : others) best = std::min(best, distance(car, other) - off);
    };
    for (const Mover& m : scenario.movers) {
      if (std::count(drive.left_out.begin(), drive.left_out.end(), m.id)) continue;
      for (const Mover::Set& set : m.sets)
        if (t >= set.from - 1e-9L && t <= set.to + 1e-9L) look(set.shapes, 0);
      if (m.states.size() == 1) look(placed(m.shapes, m.states[0].at, m.states[0].heading), 0);
      for (std::size_t i = 0; i + 1 < m.states.size(); ++i) {
        const State &a = m.states[i], &b = m.states[i + 1];
        const Real ta = a.step * scenario.step, tb = b.step * scenario.step;
        if (!(t >= ta && t <= tb) || tb <= ta) continue;
        const Real u = (t - ta) / (tb - ta);
        const Real turn = std::remainder(b.heading - a.heading, 2 * M_PIl);
        look(placed(m.shapes, a.at + u * (b.at - a.at), a.heading + u * turn),
             (1 - u) * a.deviation + u * b.deviation);
      }
    }
  });
  return best;
}

// How far the outline gets away from all lanes for vehicles, and how long it drives against them.
struct RoadVerdict {
  Real off = 0, off_at = 0, against = 0;
};
inline RoadVerdict on_road(const Scenario& scenario, const Drive& drive) {
  RoadVerdict found;
  std::size_t near = 0;
  const auto to_road = [&](Point p) {
    if (scenario.lanes[near].driven && inside(scenario.lanes[near].outline, p)) return Real(0);
    Real best = 1e18L;
    for (std::size_t i = 0; i < scenario.lanes.size() && best > 0; ++i) {
      if (!scenario.lanes[i].driven) continue;
      const Real off = to_outline(scenario.lanes[i].outline, p);
      if (off < best) best = off, near = i;
    }
    return best;
  };
  Real before = drive.t[0];
  along(drive, 3, [&](Real t, Point p, Real heading) {
    const Shape car = drive.outline(p, heading);
    constexpr int kParts = 12;
    for (std::size_t i = 0; i < 4; ++i)
      for (int k = 0; k < kParts; ++k) {
        const Point q = car.outline[i] + (static_cast<Real>(k) / kParts) *
                                             (car.outline[(i + 1) % 4] - car.outline[i]);
        const Real off = to_road(q);
        if (off > found.off) found.off = off, found.off_at = t;
      }
    bool with = false, any = false;
    for (const Lane& l : scenario.lanes) {
      if (!l.driven || !inside(l.outline, p)) continue;
      any = true;
      with = with || std::cos(l.direction(p) - heading) > 0;
    }
    if (any && !with) found.against += t - before;
    before = t;
  });
  return found;
}

// What of the kinematic single-track model a drive does not keep; empty: it keeps all. Derivatives
// are differences of neighbouring samples, and each limit is given the share that they may miss.
inline std::string beyond_model(const Drive& drive) {
  const std::size_t n = drive.t.size();
  std::vector<Point> axle;
  for (std::size_t i = 0; i < n; ++i)
    axle.push_back(drive.at[i] - drive.rear_axle * turned({1, 0}, drive.heading[i]));
  std::vector<Real> v, steering, dt;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const Real h = drive.t[i + 1] - drive.t[i];
    const Point d = axle[i + 1] - axle[i];
    const Real turn = drive.heading[i + 1] - drive.heading[i];
    const Real middle = drive.heading[i] + turn / 2;
    const Real forward = dot(d, turned({1, 0}, middle)), aside = dot(d, turned({0, 1}, middle));
    dt.push_back(h);
    v.push_back(forward / h);
    if (forward < -1e-3L) return "it goes backwards";
    if (std::fabs(aside) > 0.002L + 0.01L * forward)
      return "the rear axle slides at " + std::to_string(static_cast<double>(drive.t[i]));
    const Real bend = forward > 0.02L ? turn / forward : 0;
    if (forward <= 0.02L && std::fabs(turn) > 0.02L)
      return "it turns on the spot at " + std::to_string(static_cast<double>(drive.t[i]));
    steering.push_back(std::atan(drive.wheelbase * bend));
    const std::string when = " at " + std::to_string(static_cast<double>(drive.t[i]));
    if (v.back() > drive.max_speed * 1.001L) return "too fast" + when;
    if (std::fabs(steering.back()) > drive.max_steering * 1.02L) return "steered too far" + when;
    if (std::fabs(v.back() - (drive.speed[i] + drive.speed[i + 1]) / 2) >
        0.1L + drive.max_acceleration * h / 8)
      return "its speed is not what it says" + when;
    const Real across = v.back() * v.back() * std::tan(steering.back()) / drive.wheelbase;
    Real along_way = 0;
    if (i > 0) {
      const Real gap = (dt[i] + dt[i - 1]) / 2;
      along_way = (v[i] - v[i - 1]) / gap;
      if (forward > 0.1L && v[i - 1] * dt[i - 1] > 0.1L &&
          std::fabs(steering[i] - steering[i - 1]) / gap > drive.max_steering_rate * 1.05L + 0.02L)
        return "steered too quickly" + when;
    }
    if (std::hypot(along_way, across) > drive.max_acceleration * 1.02L)
      return "beyond the circle of friction" + when;
  }
  return "";
}

}  // namespace proven::evaluator
