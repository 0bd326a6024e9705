#include "tools/roadmap_obstacles.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "proven/geometry/body_geometry.h"
#include "proven/io/mesh_file.h"

namespace proven::tools {
namespace {

using Json = nlohmann::json;

// A point of a cloud is checked as a ball of at least this radius, in metres: a scene knows no
// points.
constexpr double kPointRadius = 1e-6;

Vec3 read_vec3(const Json& json) {
  const auto v = json.get<std::array<double, 3>>();
  return {v[0], v[1], v[2]};
}

Pose read_pose(const Json& json) {
  Pose pose;
  if (json.contains("pose")) {
    const Json& p = json.at("pose");
    if (p.contains("xyz")) pose.p = read_vec3(p.at("xyz"));
    if (p.contains("rpy")) pose.R = rotation_from_rpy(read_vec3(p.at("rpy")));
  }
  return pose;
}

Result<Shape> read_shape(const Json& json, const std::string& folder) {
  if (json.contains("box")) return Shape(Box{0.5 * read_vec3(json.at("box"))});
  if (json.contains("sphere")) return Shape(Sphere{json.at("sphere").get<double>()});
  for (const char* kind : {"cylinder", "capsule"}) {
    if (!json.contains(kind)) continue;
    const double radius = json.at(kind).at("radius"), length = json.at(kind).at("length");
    if (*kind == 'c' && kind[1] == 'y') return Shape(Cylinder{radius, 0.5 * length});
    return Shape(Capsule{radius, 0.5 * length});
  }
  if (json.contains("mesh")) {
    const double scale = json.value("scale", 1.0);
    auto mesh = load_mesh(std::filesystem::path(folder) / json.at("mesh").get<std::string>(),
                          {scale, scale, scale});
    if (!mesh.ok()) return mesh.error();
    return Shape(std::move(mesh).value());
  }
  return bad_input("an obstacle needs a box, sphere, cylinder, capsule or mesh");
}

const Json& list_in(const Json& json, const char* key) {
  static const Json kNone = Json::array();
  return json.contains(key) ? json.at(key) : kNone;
}

}  // namespace

ObstacleSet::Item* ObstacleSet::find(const std::string& name) {
  for (Item& item : items_)
    if (item.source.name == name) return &item;
  return nullptr;
}

Result<void> ObstacleSet::put(Item item) {
  const std::string place = "obstacle " + item.source.name;
  if (item.own.empty()) {
    roadmap::CellMask mask(grid_);
    if (auto marked = mark_obstacle(grid_, item.source.elements, item.source.X_WB, mask);
        !marked.ok())
      return Error{marked.error().code, marked.error().message, place};
    item.own = mask.cells();
  }
  if (!item.geometry) {
    auto built = BodyGeometry::build(item.source.elements);
    if (!built.ok()) return Error{built.error().code, built.error().text(), place};
    item.geometry = std::move(built).value();
  }
  ++revision_;
  if (Item* known = find(item.source.name))
    *known = std::move(item);
  else
    items_.push_back(std::move(item));
  return {};
}

Result<void> ObstacleSet::add(const ObstacleSource& obstacle) {
  return put({obstacle, nullptr, {}});
}

Result<void> ObstacleSet::add_shape(const Json& json, const std::string& folder) {
  auto shape = read_shape(json, folder);
  if (!shape.ok()) return shape.error();
  Item item;
  item.source.name = json.at("name").get<std::string>();
  item.source.X_WB = read_pose(json);
  item.source.elements = {{std::move(shape).value(), {}, {}}};
  return put(std::move(item));
}

Result<void> ObstacleSet::add_points(const Json& json) {
  Item item;
  item.source.name = json.at("name").get<std::string>();
  const double radius = json.value("radius", 0.0);
  for (const Json& xyz : json.at("xyz"))
    item.source.elements.push_back(
        {Sphere{std::max(radius, kPointRadius)}, Pose::translation(read_vec3(xyz)), {}});
  return put(std::move(item));
}

Result<void> ObstacleSet::add_cells(const Json& json) {
  Item item;
  item.source.name = json.at("name").get<std::string>();
  for (const Json& index : json.at("index")) {
    if (!index.is_number_unsigned() ||
        index.get<std::uint64_t>() >= static_cast<std::uint64_t>(grid_.num_cells()))
      return bad_input(fmt::format("there is no cell {}: cells run from 0 to {}",
                                   index.is_number() ? index.dump() : index.type_name(),
                                   grid_.num_cells() - 1));
    const int cell = index.get<int>();
    const Aabb box = grid_.box(cell);
    item.source.elements.push_back(
        {Box{0.5 * (box.hi - box.lo)}, Pose::translation(0.5 * (box.lo + box.hi)), {}});
    item.own.push_back(static_cast<std::uint32_t>(cell));
  }
  return put(std::move(item));
}

Result<void> ObstacleSet::move(const Json& json) {
  const auto name = json.at("name").get<std::string>();
  const Item* found = find(name);
  if (!found) return bad_input(fmt::format("there is no obstacle '{}'", name));
  Item item = *found;
  item.source.X_WB = read_pose(json);
  item.own.clear();
  return put(std::move(item));
}

Result<void> ObstacleSet::apply(const Json& change, const std::string& folder) {
  try {
    if (change.value("clear", false)) {
      items_.clear();
      ++revision_;
    }
    for (const Json& name : list_in(change, "remove")) {
      const auto gone = name.get<std::string>();
      if (std::erase_if(items_, [&](const Item& item) { return item.source.name == gone; }) == 0)
        return bad_input(fmt::format("there is no obstacle '{}'", gone));
      ++revision_;
    }
    for (const char* key : {"obstacles", "add"})
      for (const Json& json : list_in(change, key))
        if (auto done = add_shape(json, folder); !done.ok()) return done;
    for (const Json& json : list_in(change, "points"))
      if (auto done = add_points(json); !done.ok()) return done;
    for (const Json& json : list_in(change, "cells"))
      if (auto done = add_cells(json); !done.ok()) return done;
    for (const Json& json : list_in(change, "move"))
      if (auto done = move(json); !done.ok()) return done;
  } catch (const Json::exception& e) {
    return bad_input(e.what());
  }
  return {};
}

Result<void> ObstacleSet::load(const std::string& file) {
  std::ifstream in(file);
  if (!in) return Error{ErrorCode::not_found, "cannot be read", file};
  const Json json = Json::parse(in, nullptr, false);
  if (json.is_discarded()) return bad_input("this is not JSON", file);
  auto done = apply(json, std::filesystem::path(file).parent_path().string());
  if (!done.ok()) return Error{done.error().code, done.error().text(), file};
  return {};
}

const roadmap::CellMask& ObstacleSet::cells() {
  if (cells_revision_ != revision_) {
    cells_.clear();
    for (const Item& item : items_)
      for (const std::uint32_t cell : item.own) cells_.set(static_cast<int>(cell));
    cells_revision_ = revision_;
  }
  return cells_;
}

std::vector<ObstacleSource> ObstacleSet::sources() const {
  std::vector<ObstacleSource> all;
  for (const Item& item : items_) all.push_back(item.source);
  return all;
}

RobotSource ObstacleSet::as_robot() const {
  RobotSource moving{"moving", {}, {}};
  Robot& robot = moving.robot;
  robot.links.push_back({"world", {}, false, nullptr});
  for (const Item& item : items_) {
    const std::string& name = item.source.name;
    robot.links.push_back({name, item.source.elements, false, item.geometry});
    RobotJoint& joint = robot.joints.emplace_back();
    joint.name = joint.child_link = name;
    joint.parent_link = "world";
    joint.X_PJ = item.source.X_WB;
  }
  return moving;
}

}  // namespace proven::tools
