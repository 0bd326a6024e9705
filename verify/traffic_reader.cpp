// Chapter 15, continued: CommonRoad scenarios, traffic scenes and trajectories.
#include <cmath>

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
    step_ = *xml_.number(xml_.root(), "timeStepSize");
    std::vector<Mover2> movers;
    for (const Element* e : Xml::children(xml_.root())) {
      const std::string name = e->Name();
      if (name == "obstacle" || name == "staticObstacle" || name == "dynamicObstacle" ||
          name == "environmentObstacle" || name == "phantomObstacle")
        movers.push_back(mover(*e));
    }
    return movers;
  }

 private:
  double number(const Element& e) const {
    const std::vector<double> all = xml_.contents(e);
    if (all.size() != 1) xml_.fail(e, "expected one number");
    return all[0];
  }
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
    return {number(e, "intervalStart"), number(e, "intervalEnd"), false};
  }

  Shape2 shape(const Element& e) const {
    const std::string name = e.Name();
    const Element* c = xml_.child(e, "center");
    const Point2 centre = c ? point(*c) : Point2{};
    if (name == "circle") return {{centre}, number(e, "radius")};
    if (name == "rectangle") {
      const Element* o = xml_.child(e, "orientation");
      return rectangle(number(e, "length"), number(e, "width"), centre, o ? number(*o) : 0);
    }
    if (name != "polygon") xml_.fail(e, "unknown shape");
    Shape2 polygon;
    for (const Element* p : Xml::children(e, "point")) polygon.corners.push_back(point(*p));
    if (polygon.corners.size() < 3) xml_.fail(e, "a polygon needs three corners");
    return polygon;
  }
  std::vector<Shape2> shapes(const Element& e) const {
    std::vector<Shape2> all;
    for (const Element* s : Xml::children(e)) all.push_back(shape(*s));
    if (all.empty()) xml_.fail(e, "no shape");
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
    if (!time.exact || time.low != std::floor(time.low)) xml_.fail(e, "a time is a whole step");
    s.t = time.low * step_;
    place(xml_.need(e, "position"), s);
    if (const Element* o = xml_.child(e, "orientation")) {
      const Ends turn = ends(*o);
      s.heading = turn.exact ? Interval(turn.low) : 0.5 * (Interval(turn.low) + turn.high);
      s.heading = middle(s.heading);
      s.turn_deviation =
          turn.exact ? Interval(0) : upper(max(turn.high - s.heading, s.heading - turn.low));
    }
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
    const Element* outline = xml_.child(e, "shape");
    const Element* initial = xml_.child(e, "initialState");
    if (const Element* set = xml_.child(e, "occupancySet")) {
      if (outline && initial) out.parts.push_back(initial_part(shapes(*outline), state(*initial)));
      for (const Element* o : Xml::children(*set, "occupancy")) out.parts.push_back(occupancy(*o));
      return out;
    }
    if (!outline) xml_.fail(e, "no <shape>");
    Part2 part;
    part.shapes = shapes(*outline);
    if (const Element* trajectory = xml_.child(e, "trajectory")) {
      if (initial) part.samples.push_back(state(*initial));
      for (const Element* s : Xml::children(*trajectory)) {
        const Sample2 next = state(*s);
        // An initial state that is said again; it must be the same.
        if (part.samples.size() == 1 && next.t == part.samples[0].t &&
            next.x.lo == part.samples[0].x.lo && next.y.lo == part.samples[0].y.lo &&
            next.heading.lo == part.samples[0].heading.lo)
          continue;
        if (!part.samples.empty() && !(next.t > part.samples.back().t))
          xml_.fail(*s, "times are not in order");
        part.samples.push_back(next);
      }
      if (part.samples.size() < 2) xml_.fail(*trajectory, "no <state>");
      shorten_turns(part.samples);
      part.begin = part.samples.front().t, part.end = part.samples.back().t;
    } else {
      Sample2 at;
      if (std::string_view(e.Name()) != "environmentObstacle") {
        if (!initial) xml_.fail(e, "no <initialState>");
        at = state(*initial);
      }
      grow(part.shapes, at);
      at.deviation = at.turn_deviation = 0;
      part.samples = {at};
      part.begin = -kAlways, part.end = kAlways;
    }
    out.parts.push_back(std::move(part));
    return out;
  }

  static Part2 initial_part(std::vector<Shape2> shapes, const Sample2& s) {
    const Interval around = s.deviation + reach_of(shapes) * s.turn_deviation;
    for (Shape2& part : shapes) {
      for (Point2& p : part.corners) p = sum({s.x, s.y}, turned(p, s.heading));
      if (around.hi > 0) part.radius = part.radius + around;
    }
    return {std::move(shapes), {Sample2{}}, s.t, s.t};
  }

  // At an exact step: from the step before to the step after.
  Part2 occupancy(const Element& e) const {
    const Ends time = ends(xml_.need(e, "time"));
    Part2 part;
    part.shapes = shapes(xml_.need(e, "shape"));
    part.samples = {Sample2{}};
    part.begin = (time.low - (time.exact ? 1 : 0)) * step_;
    part.end = (time.high + (time.exact ? 1 : 0)) * step_;
    return part;
  }

  Xml xml_;
  double step_ = 0.1;
};

// --- our own files

std::vector<Shape2> shapes_of(const Value& node) {
  const Value* centre_at = node.find("centre");
  Point2 centre;
  if (centre_at) {
    const std::vector<double>& c = centre_at->numbers(2);
    centre = {c[0], c[1]};
  }
  if (const Value* parts = node.find("parts")) {
    std::vector<Shape2> all;
    for (const Value& part : parts->list())
      for (Shape2& shape : shapes_of(part)) all.push_back(std::move(shape));
    return all;
  }
  if (const Value* box = node.find("box")) {
    const std::vector<double>& size = box->numbers(2);
    return {rectangle(size[0], size[1], centre, 0)};
  }
  if (const Value* circle = node.find("circle")) return {{{centre}, circle->number()}};
  if (const Value* polygon = node.find("polygon")) {
    Shape2 shape;
    for (const Value& corner : polygon->list()) {
      const std::vector<double>& p = corner.numbers(2);
      // Corners are moved before they count: a sum of doubles, rounded.
      shape.corners.push_back({p[0] + approximate(centre.x), p[1] + approximate(centre.y)});
    }
    return {shape};
  }
  return {};
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
    return found ? found->numbers(times.size()) : std::vector<double>(times.size(), 0);
  };
  const std::vector<double> off = deviations("position_deviation"),
                            turn = deviations("heading_deviation");
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::vector<double>& p = poses[i].numbers(3);
    if (i > 0 && !(times[i] > times[i - 1])) node.fail("times are not in order");
    part.samples.push_back({times[i], p[0], p[1], p[2], off[i], turn[i]});
  }
  const Value* turns = node.find("turns");
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

std::vector<Mover2> read_traffic_scene(const std::filesystem::path& file) {
  if (ending_of(file) == ".xml") return ScenarioReader(file).read();
  const Tree tree = read_tree(file);
  tree.root.version();
  std::vector<Mover2> movers;
  for (const Value& node : tree.root.at("obstacles").list()) {
    Mover2 mover;
    mover.name = node.at("name").text();
    if (const Value* set = node.find("occupancy")) {
      for (const Value& o : set->list())
        mover.parts.push_back(
            {shapes_of(o), {Sample2{}}, o.at("from").number(), o.at("to").number()});
    } else if (node.find("times")) {
      Part2 part = motion_of(node);
      part.shapes = shapes_of(node);
      mover.parts.push_back(std::move(part));
    } else {
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
  const std::vector<Shape2> common = shapes_of(tree.root);
  std::vector<Mover2> movers;
  for (const Value& node : tree.root.at("trajectories").list()) {
    Mover2 mover;
    const Value* name = node.find("name");
    mover.name = name ? name->text() : std::to_string(movers.size());
    Part2 part = motion_of(node);
    part.shapes = shapes_of(node);
    if (part.shapes.empty()) part.shapes = common;
    if (part.shapes.empty()) part.shapes = {rectangle(usual.length, usual.width, {}, 0)};
    mover.parts.push_back(std::move(part));
    movers.push_back(std::move(mover));
  }
  return movers;
}

}  // namespace proven::verifier
