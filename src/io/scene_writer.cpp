#include "proven/io/scene_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "io/failure.h"
#include "io/text.h"
#include "io/urdf_writer.h"
#include "proven/io/mesh_file.h"

namespace proven {
namespace io {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) {
  return Json::array({v.x, v.y, v.z});
}

Json to_json(const Pose& X) {
  Json pose = {{"xyz", to_json(X.p)}};
  if (X.R == Mat3{}) return pose;
  const RollPitchYaw rpy = roll_pitch_yaw(X.R);
  if (rpy.exact)
    pose["rpy"] = to_json(rpy.angles);
  else
    pose["rotation"] = {to_json(X.R.row[0]), to_json(X.R.row[1]), to_json(X.R.row[2])};
  return pose;
}

// Gives each name a file name of its own, made of letters that no system minds.
class FileNames {
 public:
  std::string claim(const std::string& name, const std::string& ending) {
    std::string stem;
    for (const char c : name) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '-';
      stem += plain ? c : '_';
    }
    std::string file = stem + ending;
    for (int i = 2; !taken_.insert(file).second; ++i)
      file = fmt::format("{}_{}{}", stem, i, ending);
    return file;
  }

 private:
  std::set<std::string> taken_;
};

// A motion of a robot's own coordinates, as its reader takes it.
Json motion_json(const Motion& motion, const Robot& robot) {
  KinematicTree tree;
  unwrap(tree.add_robot(robot, "robot", Pose{}));
  Json json = {{"proven", 1}, {"joints", Json::array()}};
  for (const Coordinate& coordinate : tree.coordinates())
    json["joints"].push_back(coordinate.name.substr(std::string("robot/").size()));
  if (motion.inner.empty()) {
    json["waypoints"] = motion.waypoints;
    json["times"] = motion.times;
    return json;
  }
  for (int i = 0; i < motion.num_segments(); ++i) {
    const MotionPiece piece = motion.piece(i);
    Json rows = Json::array();
    for (int k = 0; k <= piece.degree(); ++k) {
      const auto row = piece.control(k);
      rows.push_back(std::vector<double>(row.begin(), row.end()));
    }
    json["pieces"].push_back({{"begin", motion.times[static_cast<std::size_t>(i)]},
                              {"end", motion.times[static_cast<std::size_t>(i) + 1]},
                              {"bezier", std::move(rows)}});
  }
  return json;
}

class SceneWriter {
 public:
  SceneWriter(const SceneSource& scene, std::filesystem::path folder, std::filesystem::path robots)
      : scene_(scene), folder_(std::move(folder)), robots_(std::move(robots)) {}

  void write() {
    std::error_code error;
    std::filesystem::create_directories(robots_.empty() ? folder_ / "meshes" : folder_, error);
    if (error) fail(folder_.string(), "cannot be created: " + error.message());
    Json root = {{"proven", 1}};
    for (const RobotSource& robot : scene_.robots) root["robots"].push_back(write_robot(robot));
    for (const ObstacleSource& obstacle : scene_.obstacles) {
      Json entry = {{"name", obstacle.name}, {"pose", to_json(obstacle.X_WB)}};
      add_shapes(entry, obstacle.name, obstacle.elements);
      if (obstacle.motion) entry["motion"] = motion_json(*obstacle.motion, mover());
      if (obstacle.late > 0) entry["late"] = obstacle.late;
      if (obstacle.grows > 0) entry["grows"] = obstacle.grows;
      root["obstacles"].push_back(std::move(entry));
    }
    for (const AttachedSource& object : scene_.attached) {
      Json entry = {{"name", object.name}, {"link", object.link}, {"pose", to_json(object.X_LB)}};
      add_shapes(entry, object.name, object.elements);
      if (!object.touch.empty()) entry["touch"] = object.touch;
      root["attached"].push_back(std::move(entry));
    }
    add_settings(root);
    write_bytes(folder_ / "scene.json", root.dump(1) + "\n");
  }

 private:
  void add_settings(Json& root) const {
    const Clearances& c = scene_.clearance;
    if (c == Clearances(c.world))
      root["clearance"] = c.world;
    else
      root["clearance"] = {
          {"world", c.world}, {"robots", c.robots}, {"self", c.self}, {"attached", c.attached}};
    for (const ExclusionSource& pair : scene_.exclusions) {
      Json entry = {pair.body_a, pair.body_b};
      if (!pair.note.empty()) entry.push_back(pair.note);
      root["pairs"]["exclude"].push_back(std::move(entry));
    }
    for (const ClearanceSource& pair : scene_.clearances)
      root["pairs"]["clearance"].push_back({pair.body_a, pair.body_b, pair.clearance});
    for (const auto& [coordinate, value] : scene_.home) root["home"][coordinate] = value;
  }

  // One shape stands in the entry itself, several in "parts".
  void add_shapes(Json& entry, const std::string& name,
                  const std::vector<CollisionElement>& elements) {
    if (elements.size() == 1 && elements[0].X_BS == Pose{}) {
      entry.update(shape_json(name, elements[0].shape));
      return;
    }
    for (const CollisionElement& element : elements) {
      Json part = shape_json(name, element.shape);
      part["pose"] = to_json(element.X_BS);
      entry["parts"].push_back(std::move(part));
    }
  }

  Json shape_json(const std::string& name, const Shape& shape) {
    if (const auto* box = std::get_if<Box>(&shape))
      return {{"box", to_json(2 * box->half_extents)}};
    if (const auto* sphere = std::get_if<Sphere>(&shape)) return {{"sphere", sphere->radius}};
    if (const auto* c = std::get_if<Cylinder>(&shape))
      return {{"cylinder", {{"radius", c->radius}, {"length", 2 * c->half_length}}}};
    if (const auto* c = std::get_if<Capsule>(&shape))
      return {{"capsule", {{"radius", c->radius}, {"length", 2 * c->half_length}}}};
    if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&shape)) {
      Json points = Json::array();
      for (const Vec3& p : (*cloud)->points) points.push_back(to_json(p));
      return {{"cloud", {{"radius", (*cloud)->radius}, {"points", std::move(points)}}}};
    }
    if (const auto* voxels = std::get_if<std::shared_ptr<const VoxelSet>>(&shape))
      return {{"voxels", {{"size", (*voxels)->size}, {"cells", (*voxels)->cells}}}};
    const bool is_mesh = std::holds_alternative<std::shared_ptr<const TriangleMesh>>(shape);
    return {{is_mesh ? "mesh" : "hull", mesh_file(name, shape)}};
  }

  // Writes a mesh, or the points of a hull, once; returns its path from the folder.
  std::string mesh_file(const std::string& name, const Shape& shape) {
    const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&shape);
    const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&shape);
    const void* key = mesh ? static_cast<const void*>(mesh->get()) : hull->get();
    std::string& file = meshes_[key];
    if (!file.empty()) return file;
    file = "meshes/" + mesh_names_.claim(name, ".obj");
    if (mesh) {
      unwrap(save_obj(folder_ / file, **mesh));
    } else {
      TriangleMesh points;
      points.vertices = (*hull)->points;
      unwrap(save_obj(folder_ / file, points));
    }
    return file;
  }

  Json write_robot(const RobotSource& source) {
    Json entry = {{"name", source.name}};
    const std::string urdf = file_names_.claim(source.name, ".urdf");
    const MeshNamer mesh = [&](const std::string& link, const Shape& shape) {
      XmlAttributes attributes = {{"filename", mesh_file(source.name + "_" + link, shape)}};
      if (std::holds_alternative<std::shared_ptr<const ConvexHull>>(shape))
        attributes.emplace_back("convex", "true");
      return attributes;
    };
    if (robots_.empty())
      write_bytes(folder_ / urdf, urdf_text(source.robot, (folder_ / urdf).string(), mesh));
    entry["urdf"] = (robots_ / urdf).generic_string();
    const Robot& robot = source.robot;
    if (!robot.disabled_pairs.empty() || !robot.groups.empty() || !robot.end_effectors.empty() ||
        !robot.states.empty()) {
      const std::string srdf = file_names_.claim(source.name, ".srdf");
      if (robots_.empty()) write_bytes(folder_ / srdf, srdf_text(robot, ""));
      entry["srdf"] = (robots_ / srdf).generic_string();
    }
    entry["pose"] = to_json(source.X_WR);
    if (source.motion) entry["motion"] = motion_json(*source.motion, robot);
    if (source.late > 0) entry["late"] = source.late;
    return entry;
  }

  const SceneSource& scene_;
  std::filesystem::path folder_;
  std::filesystem::path robots_;  // where these are, seen from the folder; empty: to be written
  FileNames file_names_, mesh_names_;
  std::map<const void*, std::string> meshes_;  // files written, by the mesh or hull
};

}  // namespace
}  // namespace io

Result<void> save_scene(const SceneSource& scene, const std::filesystem::path& folder,
                        const std::filesystem::path& robots) {
  return io::guarded<void>(folder, [&] { io::SceneWriter(scene, folder, robots).write(); });
}

Result<void> save_srdf(const Robot& robot, const std::string& comment,
                       const std::filesystem::path& file) {
  return io::guarded<void>(file, [&] { io::write_bytes(file, io::srdf_text(robot, comment)); });
}

}  // namespace proven
