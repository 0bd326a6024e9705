// Chapter 15, continued: CommonRoad scenarios, traffic scenes and trajectories.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "verify/readers/scenario.h"
#include "verify/readers/value.h"
#include "verify/readers/xml.h"
#include "verify/traffic.h"

namespace proven::verifier {
namespace {

const Interval kTwoPi{0x1.921fb54442d18p+2, 0x1.921fb54442d19p+2};

Point2 turned(const Point2& p, const Interval& angle) {
  const Interval c = cosine(angle), s = sine(angle);
  return {c * p.x - s * p.y, s * p.x + c * p.y};
}
Point2 sum(const Point2& a, const Point2& b) {
  return {a.x + b.x, a.y + b.y};
}
Interval length(const Point2& p) {
  return sqrt(square(p.x) + square(p.y));
}

Shape2 rectangle(double l, double w, const Point2& centre, double angle) {
  Shape2 shape;
  for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
    const Point2 corner{0.5 * x * l, 0.5 * y * w};  // halves of doubles are exact
    shape.corners.push_back(sum(centre, angle == 0 ? corner : turned(corner, angle)));
  }
  return shape;
}

// Whether the outline encloses an inside: edges that are no neighbours are surely apart.
bool is_simple(std::vector<Point2> corners) {
  const auto same = [](const Point2& a, const Point2& b) {
    return a.x.lo == b.x.lo && a.y.lo == b.y.lo;
  };
  corners.erase(std::unique(corners.begin(), corners.end(), same), corners.end());
  if (corners.size() > 1 && same(corners.front(), corners.back())) corners.pop_back();
  const std::size_t n = corners.size();
  // The side of the line through a and b on which p is; 0: not sure.
  const auto side = [](const Point2& a, const Point2& b, const Point2& p) {
    const Interval s = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    return s.lo > 0 ? 1 : s.hi < 0 ? -1 : 0;
  };
  const auto apart = [&](std::size_t i, std::size_t k) {
    const Point2 &a = corners[i], &b = corners[(i + 1) % n], &c = corners[k],
                 &d = corners[(k + 1) % n];
    return side(a, b, c) * side(a, b, d) > 0 || side(c, d, a) * side(c, d, b) > 0 ||
           max(a.x, b.x).hi < min(c.x, d.x).lo || max(c.x, d.x).hi < min(a.x, b.x).lo ||
           max(a.y, b.y).hi < min(c.y, d.y).lo || max(c.y, d.y).hi < min(a.y, b.y).lo;
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = i + 2; k < n; ++k)
      if ((k + 1) % n != i && !apart(i, k)) return false;
  return n >= 3;
}

// Headings turn the shorter way from sample to sample.
void shorten_turns(std::vector<Sample2>& samples) {
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double turns = std::round(
        (approximate(samples[i].heading) - approximate(samples[i - 1].heading)) / (2 * M_PI));
    if (turns != 0) samples[i].heading = samples[i].heading - turns * kTwoPi;
  }
}

// --- CommonRoad

class ScenarioReader {
 public:
  explicit ScenarioReader(const std::filesystem::path& file) : xml_(file, "commonRoad") {}

  std::vector<Mover2> read() {
    check_scenario_form(xml_);
    step_ = *xml_.number(xml_.root(), "timeStepSize");
    std::vector<Mover2> movers;
    std::set<std::string> ids;
    for (const Element* e : Xml::children(xml_.root())) {
      const std::string name = e->Name();
      const auto id = xml_.text(*e, "id");
      // Problems count by themselves: they may be about a vehicle of the recording.
      if (id && !ids.insert((name == "planningProblem" ? "problem " : "") + *id).second)
        xml_.fail(*e, "its id is another's, too");
      if (name == "obstacle" || name == "staticObstacle" || name == "dynamicObstacle" ||
          name == "environmentObstacle" || name == "phantomObstacle")
        movers.push_back(mover(*e));
    }
    return movers;
  }

 private:
  double number(const Element& e) const { return *decimal(written(xml_, e)); }
  double number(const Element& e, const char* child) const { return number(xml_.need(e, child)); }
  Point2 point(const Element& e) const { return {number(e, "x"), number(e, "y")}; }
  struct Ends {
    double low, high;
    bool exact;
  };
  Ends ends(const Element& e) const {
    if (const Element* exact = xml_.child(e, "exact")) {
      const double value = number(*exact);
      return {value, value, true};
    }
    const Ends found{number(e, "intervalStart"), number(e, "intervalEnd"), false};
    if (found.low > found.high) xml_.fail(e, "an interval that ends before it begins");
    return found;
  }
  double size(const Element& e, const char* child) const {
    const double value = number(e, child);
    if (!(value > 0)) xml_.fail(e, fmt::format("<{}> is not above 0", child));
    return value;
  }

  Shape2 shape(const Element& e) const {
    const std::string name = e.Name();
    const Element* c = xml_.child(e, "center");
    const Point2 centre = c ? point(*c) : Point2{};
    if (name == "circle") return {{centre}, size(e, "radius")};
    if (name == "rectangle") {
      const Element* o = xml_.child(e, "orientation");
      return rectangle(size(e, "length"), size(e, "width"), centre, o ? number(*o) : 0);
    }
    if (name != "polygon") xml_.fail(e, "no shape of a certain size");
    Shape2 polygon;
    for (const Element* p : Xml::children(e, "point")) polygon.corners.push_back(point(*p));
    if (!is_simple(polygon.corners)) xml_.fail(e, "no outline around an inside");
    return polygon;
  }
  std::vector<Shape2> shapes(const Element& e) const {
    std::vector<Shape2> all;
    for (const Element* s : Xml::children(e)) all.push_back(shape(*s));
    return all;
  }

  // A region is taken by the middle of the box around it, and how far the region reaches from
  // there.
  void place(const Element& e, Sample2& s) const {
    if (const Element* p = xml_.child(e, "point")) {
      const Point2 at = point(*p);
      s.x = at.x, s.y = at.y;
      return;
    }
    const std::vector<Shape2> region = shapes(e);
    Interval low_x = 1e300, high_x = -1e300, low_y = 1e300, high_y = -1e300;
    for (const Shape2& part : region)
      for (const Point2& p : part.corners) {
        low_x = min(low_x, p.x - part.radius), high_x = max(high_x, p.x + part.radius);
        low_y = min(low_y, p.y - part.radius), high_y = max(high_y, p.y + part.radius);
      }
    s.x = middle(0.5 * (low_x + high_x)), s.y = middle(0.5 * (low_y + high_y));
    Interval reach = 0;
    for (const Shape2& part : region)
      for (const Point2& p : part.corners)
        reach = max(reach, length({p.x - s.x, p.y - s.y}) + part.radius);
    const Interval box = length({max(high_x - s.x, s.x - low_x), max(high_y - s.y, s.y - low_y)});
    s.deviation = reach.hi < box.hi ? upper(reach) : upper(box);
  }

  Sample2 state(const Element& e) const {
    Sample2 s;
    const Ends time = ends(xml_.need(e, "time"));
    if (!time.exact) xml_.fail(e, "a state is of one step");
    s.t = time.low * step_;
    place(xml_.need(e, "position"), s);
    const Ends turn = ends(xml_.need(e, "orientation"));
    s.heading = turn.exact ? Interval(turn.low) : 0.5 * (Interval(turn.low) + turn.high);
    s.heading = middle(s.heading);
    s.turn_deviation =
        turn.exact ? Interval(0) : upper(max(turn.high - s.heading, s.heading - turn.low));
    return s;
  }

  static Interval reach_of(const std::vector<Shape2>& shapes) {
    Interval reach = 0;
    for (const Shape2& part : shapes)
      for (const Point2& p : part.corners) reach = max(reach, length(p));
    return upper(reach);
  }
  static void grow(std::vector<Shape2>& shapes, const Sample2& s) {
    const Interval around = s.deviation + reach_of(shapes) * s.turn_deviation;
    if (around.hi == 0) return;
    for (Shape2& part : shapes) part.radius = part.radius + around;
  }

  Mover2 mover(const Element& e) const {
    Mover2 out;
    out.name = xml_.need_text(e, "id");
    if (const Element* set = xml_.child(e, "occupancySet"))
      out.parts = occupancies(e, *set);
    else if (const Element* trajectory = xml_.child(e, "trajectory"))
      out.parts.push_back(moving(e, *trajectory));
    else
      out.parts.push_back(standing(e));
    return out;
  }

  std::vector<Part2> occupancies(const Element& e, const Element& set) const {
    std::vector<Part2> parts;
    std::set<std::pair<double, double>> steps;  // of which something is said
    if (const Element* initial = xml_.child(e, "initialState")) {
      const Ends time = ends(xml_.need(*initial, "time"));
      steps.insert({time.low, time.high});
      parts.push_back(initial_part(shapes(xml_.need(e, "shape")), state(*initial)));
    }
    for (const Element* o : Xml::children(set)) {
      const Ends time = ends(xml_.need(*o, "time"));
      steps.insert({time.low, time.high});
      parts.push_back(occupancy(*o, time));
    }
    double end = steps.begin()->second;
    for (const auto& [first, last] : steps) {
      if (first - end > 1) xml_.fail(set, fmt::format("nothing is said of step {}", end + 1));
      end = std::max(end, last);
    }
    return parts;
  }

  Part2 moving(const Element& e, const Element& trajectory) const {
    Part2 part;
    part.shapes = shapes(xml_.need(e, "shape"));
    part.samples.push_back(state(xml_.need(e, "initialState")));
    double before = step_of(xml_.need(e, "initialState"));
    for (const Element* s : Xml::children(trajectory)) {
      const Sample2 next = state(*s);
      const double step = step_of(*s);
      // An initial state that is said again; it must be the same.
      if (part.samples.size() == 1 && is_same(next, part.samples[0])) continue;
      if (step != before + 1) xml_.fail(*s, "steps do not follow each other");
      before = step;
      part.samples.push_back(next);
    }
    if (part.samples.size() < 2) xml_.fail(trajectory, "no <state>");
    shorten_turns(part.samples);
    part.begin = part.samples.front().t, part.end = part.samples.back().t;
    return part;
  }
  double step_of(const Element& state) const { return ends(xml_.need(state, "time")).low; }
  static bool is_same(const Sample2& a, const Sample2& b) {
    const auto same = [](const Interval& p, const Interval& q) {
      return p.lo == q.lo && p.hi == q.hi;
    };
    return a.t == b.t && same(a.x, b.x) && same(a.y, b.y) && same(a.heading, b.heading) &&
           same(a.deviation, b.deviation) && same(a.turn_deviation, b.turn_deviation);
  }

  // What belongs to the environment has its place in its shape.
  Part2 standing(const Element& e) const {
    Part2 part;
    part.shapes = shapes(xml_.need(e, "shape"));
    Sample2 at;
    if (const Element* initial = xml_.child(e, "initialState")) at = state(*initial);
    grow(part.shapes, at);
    at.deviation = at.turn_deviation = 0;
    part.samples = {at};
    part.begin = -kAlways, part.end = kAlways;
    return part;
  }

  static Part2 initial_part(std::vector<Shape2> shapes, const Sample2& s) {
    const Interval around = s.deviation + reach_of(shapes) * s.turn_deviation;
    for (Shape2& part : shapes) {
      for (Point2& p : part.corners) p = sum({s.x, s.y}, turned(p, s.heading));
      if (around.hi > 0) part.radius = part.radius + around;
    }
    return {std::move(shapes), {Sample2{}}, s.t, s.t};
  }

  // From the step before to the step after.
  Part2 occupancy(const Element& e, const Ends& time) const {
    Part2 part;
    part.shapes = shapes(xml_.need(e, "shape"));
    part.samples = {Sample2{}};
    part.begin = (time.low - 1) * step_;
    part.end = (time.high + 1) * step_;
    return part;
  }

  Xml xml_;
  double step_ = 0.1;
};

// --- our own files

double positive(const Value& node, double value) {
  if (!(value > 0)) node.fail("a size is above 0");
  return value;
}

// Of box, circle, polygon and parts one at most, or none.
std::vector<Shape2> shapes_of(const Value& node) {
  int given = 0;
  for (const char* name : {"box", "circle", "polygon", "parts"})
    given += node.find(name) != nullptr;
  if (given > 1) node.fail("more than one shape");
  if (node.find("centre") && (given == 0 || node.find("parts"))) node.fail("a centre of no shape");
  const Value* centre_at = node.find("centre");
  Point2 centre;
  if (centre_at) {
    const std::vector<double>& c = centre_at->numbers(2);
    centre = {c[0], c[1]};
  }
  if (const Value* parts = node.find("parts")) {
    std::vector<Shape2> all;
    for (const Value& part : parts->list()) {
      part.only({"box", "circle", "polygon", "centre"});
      const std::vector<Shape2> one = shapes_of(part);
      if (one.empty()) part.fail("no shape");
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  if (const Value* box = node.find("box")) {
    const std::vector<double>& size = box->numbers(2);
    return {rectangle(positive(*box, size[0]), positive(*box, size[1]), centre, 0)};
  }
  if (const Value* circle = node.find("circle"))
    return {{{centre}, positive(*circle, circle->number())}};
  if (const Value* polygon = node.find("polygon")) {
    Shape2 shape;
    for (const Value& corner : polygon->list()) {
      const std::vector<double>& p = corner.numbers(2);
      // Corners are moved before they count: a sum of doubles, rounded.
      shape.corners.push_back({p[0] + approximate(centre.x), p[1] + approximate(centre.y)});
    }
    if (!is_simple(shape.corners)) polygon->fail("no outline around an inside");
    return {shape};
  }
  return {};
}

void only_of_motion(const Value& node) {
  node.only({"name", "box", "circle", "polygon", "parts", "centre", "times", "poses", "between",
             "turns", "max_acceleration", "max_angular_acceleration", "position_deviation",
             "heading_deviation", "max_step"});
}

Part2 motion_of(const Value& node) {
  Part2 part;
  if (const Value* between = node.find("between"))
    if (between->text() != "linear") between->fail("certificates are for linear motions");
  const std::vector<double>& times = node.at("times").numbers();
  const std::vector<Value>& poses = node.at("poses").list();
  if (times.size() != poses.size() || times.size() < 2)
    node.fail("as many poses as times are needed, at least two");
  const auto deviations = [&](const char* name) {
    const Value* found = node.find(name);
    if (!found) return std::vector<double>(times.size(), 0);
    for (const double d : found->numbers(times.size()))
      if (!(d >= 0)) found->fail("a deviation is at least 0");
    return found->numbers();
  };
  const std::vector<double> off = deviations("position_deviation"),
                            turn = deviations("heading_deviation");
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::vector<double>& p = poses[i].numbers(3);
    if (i > 0 && !(times[i] > times[i - 1])) node.fail("times are not in order");
    part.samples.push_back({times[i], p[0], p[1], p[2], off[i], turn[i]});
  }
  const Value* turns = node.find("turns");
  if (turns && turns->text() != "shortest" && turns->text() != "literal")
    turns->fail("neither shortest nor literal");
  if (!turns || turns->text() == "shortest") shorten_turns(part.samples);
  part.begin = times.front(), part.end = times.back();
  return part;
}

}  // namespace

Interval cosine(const Interval& angle) {
  // The library's cosine is off by less than 2^-51; the cosine changes by no more than its angle.
  const double m = approximate(angle), c = std::cos(m);
  const double off = above(radius(angle).hi + 0x1p-51);
  return {std::max(-1.0, below(c - off)), std::min(1.0, above(c + off))};
}
Interval sine(const Interval& angle) {
  const double m = approximate(angle), s = std::sin(m);
  const double off = above(radius(angle).hi + 0x1p-51);
  return {std::max(-1.0, below(s - off)), std::min(1.0, above(s + off))};
}

// What moves gets one more step; of a set the last regions stay. What stands is there for ever.
void prolong(std::vector<Mover2>& movers, Ending ending, double until) {
  if (ending == Ending::gone) return;
  for (Mover2& mover : movers) {
    double last = mover.parts.front().end;
    for (const Part2& part : mover.parts) last = std::max(last, part.end);
    for (Part2& part : mover.parts) {
      if (part.end != last || !(until > last)) continue;
      part.end = until;
      if (part.stands()) continue;
      const Sample2 &p = part.samples[part.samples.size() - 2], &q = part.samples.back();
      Sample2 next = q;
      next.t = until;
      if (ending == Ending::straight_on) {
        const Interval share = (Interval(until) - q.t) / (Interval(q.t) - p.t);
        next.x = q.x + share * (q.x - p.x);
        next.y = q.y + share * (q.y - p.y);
      }
      part.samples.push_back(next);
    }
  }
}

std::vector<Mover2> read_traffic_scene(const std::filesystem::path& file) {
  if (ending_of(file) == ".xml") return ScenarioReader(file).read();
  const Tree tree = read_tree(file);
  tree.root.version();
  tree.root.only({"proven", "name", "obstacles"});
  std::vector<Mover2> movers;
  std::set<std::string> names;
  for (const Value& node : tree.root.at("obstacles").list()) {
    Mover2 mover;
    mover.name = node.at("name").text();
    if (!names.insert(mover.name).second) node.fail("its name is another's, too");
    if (const Value* set = node.find("occupancy")) {
      node.only({"name", "occupancy"});
      for (const Value& o : set->list()) {
        o.only({"from", "to", "box", "circle", "polygon", "parts", "centre"});
        const double from = o.at("from").number(), to = o.at("to").number();
        if (from > to) o.fail("it ends before it begins");
        mover.parts.push_back({shapes_of(o), {Sample2{}}, from, to});
      }
      if (mover.parts.empty()) node.fail("no occupancy");
    } else if (node.find("times") || node.find("poses")) {
      only_of_motion(node);
      Part2 part = motion_of(node);
      part.shapes = shapes_of(node);
      mover.parts.push_back(std::move(part));
    } else {
      node.only({"name", "box", "circle", "polygon", "parts", "centre", "pose"});
      const std::vector<double>& p = node.at("pose").numbers(3);
      mover.parts.push_back({shapes_of(node), {Sample2{0, p[0], p[1], p[2]}}, -kAlways, kAlways});
    }
    for (const Part2& part : mover.parts)
      if (part.shapes.empty()) node.fail("no shape");
    movers.push_back(std::move(mover));
  }
  return movers;
}

std::vector<Mover2> read_traffic_motions(const std::filesystem::path& file, BoxSize usual) {
  if (ending_of(file) != ".json")
    refuse(file.string(), "trajectories with a proof are kept as .json");
  const Tree tree = read_tree(file);
  tree.root.version();
  tree.root.only({"proven", "box", "circle", "polygon", "parts", "centre", "trajectories"});
  const std::vector<Shape2> common = shapes_of(tree.root);
  std::vector<Mover2> movers;
  for (const Value& node : tree.root.at("trajectories").list()) {
    Mover2 mover;
    only_of_motion(node);
    const Value* name = node.find("name");
    mover.name = name ? name->text() : std::to_string(movers.size());
    Part2 part = motion_of(node);
    part.shapes = shapes_of(node);
    if (part.shapes.empty()) part.shapes = common;
    if (part.shapes.empty()) part.shapes = {rectangle(usual.length, usual.width, {}, 0)};
    mover.parts.push_back(std::move(part));
    movers.push_back(std::move(mover));
  }
  if (movers.empty()) tree.root.fail("no trajectory");
  return movers;
}

}  // namespace proven::verifier
