// Our own traffic scenes and trajectories.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/failure.h"
#include "io/text.h"
#include "io/traffic_readers.h"
#include "proven/base/numbers.h"
#include "proven/io/document.h"

namespace proven {
namespace io {
namespace {

using spacetime::Footprint;
using spacetime::Interpolation;
using spacetime::Obstacle;
using spacetime::Trajectory;
using spacetime::Vec2;

Vec2 vec2(const Node& node) {
  const std::vector<Node>& values = node.array_of(2);
  return {values[0].number(), values[1].number()};
}

spacetime::Pose2 pose(const Node& node) {
  const std::vector<Node>& v = node.array_of(3);
  return {v[0].number(), v[1].number(), v[2].number()};
}

// The node's shape, or nothing if it has none.
std::optional<Footprint> find_shape(const Node& node) {
  const Node* centre_node = node.find("centre");
  const Vec2 centre = centre_node ? vec2(*centre_node) : Vec2{};
  std::optional<Footprint> found;
  const Node* where = nullptr;
  const auto take = [&](const Node& at, auto&& make) {
    if (found) at.fail("a second shape; use \"parts\" for several");
    found = at_place([&] { return at.place(); }, make);
    where = &at;
  };
  if (const Node* box = node.find("box"))
    take(*box, [&] {
      const Vec2 size = vec2(*box);
      return unwrap(Footprint::box(size.x, size.y, centre));
    });
  if (const Node* circle = node.find("circle"))
    take(*circle, [&] { return unwrap(Footprint::circle(circle->number(), centre)); });
  if (const Node* polygon = node.find("polygon"))
    take(*polygon, [&] {
      std::vector<Vec2> corners;
      for (const Node& corner : polygon->array()) corners.push_back(vec2(corner) + centre);
      return unwrap(Footprint::polygon(std::move(corners)));
    });
  if (const Node* parts = node.find("parts"))
    take(*parts, [&] {
      std::vector<Footprint> list;
      for (const Node& part : parts->array()) {
        part.allow_keys({"box", "circle", "polygon", "centre"});
        auto shape = find_shape(part);
        if (!shape) part.fail("no shape; give \"box\", \"circle\" or \"polygon\"");
        list.push_back(std::move(*shape));
      }
      if (list.empty()) parts->fail("no parts");
      return Footprint::compound(list);
    });
  if (centre_node && (!found || where->key() == "parts"))
    centre_node->fail("belongs to a box, circle or polygon; each of \"parts\" has its own");
  return found;
}

void read_turns(const Node& node, Trajectory& m) {
  static constexpr std::string_view kTurns[] = {"shortest", "literal"};
  const Node* turns = node.find("turns");
  if (!turns || turns->index_in(kTurns) == 0) spacetime::take_shortest_turns(m.heading);
}

Trajectory trajectory(const Node& node) {
  Trajectory m;
  m.t = node.at("times").numbers();
  for (const Node& row : node.at("poses").array()) {
    const auto p = pose(row);
    m.x.push_back(p.x), m.y.push_back(p.y), m.heading.push_back(p.heading);
  }
  if (const Node* between = node.find("between")) m.between = between->word<Interpolation>();
  if (const Node* a = node.find("max_acceleration")) m.max_acceleration = a->nonnegative_number();
  if (const Node* a = node.find("max_angular_acceleration"))
    m.max_angular_acceleration = a->nonnegative_number();
  const bool bounded = m.between == Interpolation::bounded_acceleration;
  if (bounded && !node.find("max_acceleration"))
    node.fail("bounded_acceleration needs \"max_acceleration\"");
  if (!bounded)
    refuse_keys(node, {"max_acceleration", "max_angular_acceleration"},
                "is for \"between\": \"bounded_acceleration\"");
  if (const Node* d = node.find("position_deviation")) m.position_deviation = d->numbers();
  if (const Node* d = node.find("heading_deviation")) m.heading_deviation = d->numbers();
  read_turns(node, m);
  const Node* max_step = node.find("max_step");
  at_place([&] { return node.place(); },
           [&] {
             unwrap(validate(m));
             refuse_gaps(m.t, max_step ? max_step->positive_number() : kLargestTimeStep);
             refuse_leaps(m, "");
           });
  return m;
}

void read_occupancies(const Node& list, Obstacle& obstacle) {
  for (const Node& node : list.array()) {
    node.allow_keys({"from", "to", "box", "circle", "polygon", "parts", "centre"});
    auto region = find_shape(node);
    if (!region) node.fail("no shape; give \"polygon\", \"box\" or \"circle\"");
    obstacle.occupancies.push_back(
        {node.at("from").number(), node.at("to").number(), std::move(*region)});
    if (!(obstacle.occupancies.back().t_begin <= obstacle.occupancies.back().t_end))
      node.fail("\"from\" is after \"to\"");
  }
  if (obstacle.occupancies.empty()) list.fail("no occupancy");
}

Obstacle obstacle(const Node& node) {
  node.allow_keys({"name", "box", "circle", "polygon", "parts", "centre", "pose", "times", "poses",
                   "between", "turns", "max_acceleration", "max_angular_acceleration",
                   "position_deviation", "heading_deviation", "max_step", "occupancy"});
  Obstacle o;
  o.name = node.at("name").string();
  if (const Node* list = node.find("occupancy")) {
    node.allow_keys({"name", "occupancy"});
    read_occupancies(*list, o);
    return o;
  }
  auto shape = find_shape(node);
  if (!shape) node.fail("no shape; give \"box\", \"circle\", \"polygon\" or \"parts\"");
  o.footprint = std::move(*shape);
  if (node.find("times") || node.find("poses")) {
    if (node.find("pose")) node.fail("\"pose\" is for obstacles that stand; give \"poses\" alone");
    o.motion = trajectory(node);
  } else {
    refuse_keys(node,
                {"between", "turns", "max_acceleration", "max_angular_acceleration",
                 "position_deviation", "heading_deviation", "max_step"},
                "is for obstacles with \"times\" and \"poses\"");
    o.pose = pose(node.at("pose"));
  }
  return o;
}

std::vector<NamedTrajectory> trajectories_from_json(const std::filesystem::path& file) {
  const Document document = read_document(file);
  const Node& root = document.root();
  root.allow_keys({"proven", "box", "circle", "polygon", "parts", "centre", "trajectories"});
  root.require_version();
  const std::optional<Footprint> common = find_shape(root);
  std::vector<NamedTrajectory> list;
  for (const Node& node : root.at("trajectories").array()) {
    node.allow_keys({"name", "box", "circle", "polygon", "parts", "centre", "times", "poses",
                     "between", "turns", "max_acceleration", "max_angular_acceleration",
                     "position_deviation", "heading_deviation", "max_step"});
    NamedTrajectory entry;
    const Node* name = node.find("name");
    entry.name = name ? name->string() : std::to_string(list.size());
    if (auto shape = find_shape(node))
      entry.footprint = std::move(*shape);
    else if (common)
      entry.footprint = *common;
    entry.trajectory = trajectory(node);
    list.push_back(std::move(entry));
  }
  if (list.empty()) root.at("trajectories").fail("no trajectory");
  return list;
}

struct Columns {
  int time = -1, x = -1, y = -1, heading = -1, name = -1, count = 0;
};

Columns read_header(const std::string& where, std::string_view line) {
  static const std::vector<std::string> kColumns = {"time", "x", "y", "heading", "trajectory"};
  Columns columns;
  for (const std::string_view cell : split_commas(line)) {
    int* column = cell == "time"         ? &columns.time
                  : cell == "x"          ? &columns.x
                  : cell == "y"          ? &columns.y
                  : cell == "heading"    ? &columns.heading
                  : cell == "trajectory" ? &columns.name
                                         : nullptr;
    if (!column)
      fail(where, fmt::format("unknown column {}{}; there are time, x, y, heading and trajectory",
                              quote(cell), suggestion(cell, kColumns)));
    if (*column >= 0) fail(where, fmt::format("two columns {}", quote(cell)));
    *column = columns.count++;
  }
  if (std::min({columns.time, columns.x, columns.y, columns.heading}) < 0)
    fail(where, "the header needs time, x, y and heading");
  return columns;
}

std::vector<NamedTrajectory> trajectories_from_csv(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  LineReader lines(text);
  std::string_view line;
  if (!lines.next(line)) fail(file.string(), "the file is empty");
  const Columns columns = read_header(place(file, 1), line);
  std::vector<NamedTrajectory> list;
  std::vector<std::string> places;  // where each begins
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    const std::string where = place(file, lines.number());
    const std::vector<std::string_view> cells = split_commas(line);
    if (static_cast<int>(cells.size()) != columns.count)
      fail(where, fmt::format("expected {} values, got {}", columns.count, cells.size()));
    const auto number = [&](int column) {
      const auto value = parse_double(cells[static_cast<std::size_t>(column)]);
      if (!value)
        fail(where, fmt::format("expected a finite decimal number, got {}",
                                quote(cells[static_cast<std::size_t>(column)])));
      return *value;
    };
    const std::string name =
        columns.name < 0 ? "0" : std::string(cells[static_cast<std::size_t>(columns.name)]);
    if (list.empty() || list.back().name != name) {
      for (const NamedTrajectory& other : list)
        if (other.name == name)
          fail(where, fmt::format("trajectory {} goes on after another; keep its lines together",
                                  quote(name)));
      list.push_back({name, {}, {}});
      places.push_back(where);
    }
    Trajectory& m = list.back().trajectory;
    const double time = number(columns.time);
    if (!m.t.empty() && !(time > m.t.back()))
      fail(where, fmt::format("times are not in order: {} s follows {} s", time, m.t.back()));
    m.t.push_back(time), m.x.push_back(number(columns.x));
    m.y.push_back(number(columns.y)), m.heading.push_back(number(columns.heading));
  }
  if (list.empty()) fail(file.string(), "no trajectory");
  for (std::size_t i = 0; i < list.size(); ++i)
    at_place([&] { return fmt::format("{}: trajectory {}", places[i], quote(list[i].name)); },
             [&] {
               spacetime::take_shortest_turns(list[i].trajectory.heading);
               unwrap(validate(list[i].trajectory));
               refuse_gaps(list[i].trajectory.t, kLargestTimeStep);
               refuse_leaps(list[i].trajectory, "");
             });
  return list;
}

}  // namespace

void refuse_keys(const Node& node, std::initializer_list<std::string_view> keys,
                 const std::string& why) {
  for (const std::string_view key : keys)
    if (const Node* given = node.find(key)) given->fail(why);
}

void refuse_gaps(const std::vector<double>& t, double max_step) {
  for (std::size_t i = 1; i < t.size(); ++i)
    if (t[i] - t[i - 1] > max_step)
      fail("", fmt::format("a gap in time: {:g} s between samples {} and {}; the motion between "
                           "would be a guess (\"max_step\" allows more than {:g} s)",
                           t[i] - t[i - 1], i - 1, i, max_step));
}

std::string describe(const spacetime::Leap& leap, const std::string& name) {
  return fmt::format(
      "{}leaps at sample {}: that takes {:.0f} m/s^2; nothing that drives or walks moves so",
      name.empty() ? "the trajectory " : name + " ", leap.sample, leap.acceleration);
}

void refuse_leaps(const spacetime::Trajectory& motion, const std::string& name) {
  if (const auto leap = spacetime::first_leap(motion)) fail("", describe(*leap, name));
}

TrafficFile read_traffic_json(const std::filesystem::path& file) {
  const Document document = read_document(file);
  const Node& root = document.root();
  root.allow_keys({"proven", "name", "obstacles"});
  root.require_version();
  TrafficFile out;
  out.name = root.find("name") ? root.at("name").string() : file.stem().string();
  for (const Node& node : root.at("obstacles").array()) {
    out.obstacles.push_back(obstacle(node));
    for (std::size_t i = 0; i + 1 < out.obstacles.size(); ++i)
      if (out.obstacles[i].name == out.obstacles.back().name)
        node.at("name").fail(
            fmt::format("two obstacles are called {}", quote(out.obstacles[i].name)));
  }
  return out;
}

}  // namespace io

Result<TrafficFile> load_traffic(const std::filesystem::path& file) {
  return io::guarded<TrafficFile>(file, [&] {
    const std::string ending = io::extension(file);
    if (ending == ".xml") return io::read_commonroad(file);
    if (ending == ".json") return io::read_traffic_json(file);
    io::fail(file.string(), "expected a CommonRoad .xml or a .json file");
  });
}

Result<std::vector<NamedTrajectory>> load_trajectories(const std::filesystem::path& file) {
  return io::guarded<std::vector<NamedTrajectory>>(file, [&] {
    const std::string ending = io::extension(file);
    if (ending == ".csv") return io::trajectories_from_csv(file);
    if (ending == ".json") return io::trajectories_from_json(file);
    io::fail(file.string(), "expected trajectories as .json or .csv");
  });
}

}  // namespace proven
