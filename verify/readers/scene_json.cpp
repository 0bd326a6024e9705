// Scenes in JSON (docs/formats.md, Scene).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "verify/readers/joints.h"
#include "verify/readers/scenes.h"
#include "verify/readers/sensed.h"

namespace proven::verifier {

Mat3 quaternion_at(const Value& value) {
  const std::vector<double>& v = value.numbers(4);
  return value.here([&] { return rotation_of_quaternion({v[0], v[1], v[2], v[3]}); });
}

double size_at(const Value& value) {
  const double size = value.number();
  return value.here([&] { return checked_size(size); });
}

Pose scene_pose_at(const Value* value) {
  Pose X;
  if (!value) return X;
  value->only({"xyz", "rpy", "quaternion", "rotation"});
  if (const Value* xyz = value->find("xyz"))
    X.p = xyz->here([&] { return checked_position(xyz->vector()); });
  int rotations = 0;
  if (const Value* rpy = value->find("rpy"); rpy && ++rotations)
    X.R = rotation_of_rpy(rpy->vector());
  if (const Value* q = value->find("quaternion"); q && ++rotations) X.R = quaternion_at(*q);
  if (const Value* rows = value->find("rotation"); rows && ++rotations) {
    if (rows->list().size() != 3) rows->fail("expected three rows");
    for (std::size_t i = 0; i < 3; ++i) X.R.row[i] = rows->list()[i].vector();
    X.R = rows->here([&] { return checked_rotation(X.R); });
  }
  if (rotations > 1) value->fail("more than one of rpy, quaternion and rotation");
  return X;
}

namespace {

constexpr double kLargestClearance = 1e9;

class SceneJson {
 public:
  SceneJson(const std::filesystem::path& file, const SceneReading& options, Meshes& meshes)
      : tree_(read_tree(file)), folder_(file.parent_path()), options_(options), meshes_(meshes) {}

  SceneSource read() {
    const Value& root = tree_.root;
    root.only({"proven", "robots", "obstacles", "attached", "clearance", "pairs", "home"});
    root.version();
    for (const Value& robot : list_at(root, "robots")) read_robot(robot);
    for (const Value& obstacle : list_at(root, "obstacles")) read_obstacle(obstacle);
    for (const Value& object : list_at(root, "attached")) read_attached(object);
    if (const Value* clearance = root.find("clearance")) read_clearance(*clearance);
    if (const Value* pairs = root.find("pairs")) read_pairs(*pairs);
    if (const Value* home = root.find("home")) read_home(*home);
    return std::move(scene_);
  }

 private:
  // One number holds for the world and between robots; by name there are four kinds of pairs.
  void read_clearance(const Value& value) {
    const auto metres = [](const Value& given) {
      if (!(given.number() >= 0 && given.number() <= kLargestClearance))
        given.fail("a clearance of a scene is from 0 to 1e9 m");
      return given.number();
    };
    if (value.kind != Value::Kind::object) {
      scene_.clearance.world = scene_.clearance.robots = metres(value);
      return;
    }
    value.only({"world", "robots", "self", "attached"});
    for (const Value& member : value.items) {
      if (member.key == "world") scene_.clearance.world = metres(member);
      if (member.key == "robots") scene_.clearance.robots = metres(member);
      if (member.key == "self") scene_.clearance.self = metres(member);
      if (member.key == "attached") scene_.clearance.attached = metres(member);
    }
  }

  static const std::vector<Value>& list_at(const Value& value, std::string_view name) {
    static const std::vector<Value> kNone;
    const Value* found = value.find(name);
    return found ? found->list() : kNone;
  }

  std::string take_name(const Value& value, std::set<std::string>& kind) {
    const Value& name = value.at("name");
    if (name.text().find('/') != std::string::npos) name.fail("a name holds '/'");
    if (has_control(name.text())) name.fail("a name holds a control character");
    for (const auto* names : {&robots_, &links_, &objects_})
      if (names->contains(name.text())) name.fail("the name is taken");
    kind.insert(name.text());
    return name.text();
  }
  std::string body_at(const Value& value) const {
    if (!links_.contains(value.text()) && !objects_.contains(value.text()))
      value.fail("there is no such body");
    return value.text();
  }

  void read_robot(const Value& value) {
    value.only({"name", "urdf", "srdf", "pose", "packages", "virtual_joints", "motion", "late",
                "ignore_elements"});
    RobotSource robot;
    robot.name = take_name(value, robots_);
    robot.X_WR = scene_pose_at(value.find("pose"));
    Packages packages = options_.packages, own;
    if (const Value* said = value.find("packages")) {
      if (said->kind != Value::Kind::object) said->fail("expected an object");
      for (const Value& package : said->items) {
        if (packages.contains(package.key)) package.fail("the package is mapped from outside too");
        own[package.key] = folder_ / package.text();
      }
      said->here([&] { expect_folders(own); });
      packages.insert(own.begin(), own.end());
    }
    const Value* virtual_joints = value.find("virtual_joints");
    const bool moves = virtual_joints && virtual_joints->boolean();
    const Value* srdf = value.find("srdf");
    if (moves && !srdf) virtual_joints->fail("virtual joints stand in an SRDF, which is missing");
    Names ignore(options_.ignore_elements.begin(), options_.ignore_elements.end());
    for (const Value& name : list_at(value, "ignore_elements")) ignore.insert(name.text());
    const Value& urdf = value.at("urdf");
    Meshes& meshes = meshes_;
    const std::set<std::string> before = std::exchange(meshes.packages, {});
    robot.robot = urdf.naming(folder_ / urdf.text(), [&](const std::filesystem::path& file) {
      return read_urdf(file, packages, ignore, meshes);
    });
    value.here([&] { expect_named(own, meshes.packages); });
    meshes.packages.insert(before.begin(), before.end());
    if (srdf)
      srdf->naming(folder_ / srdf->text(),
                   [&](const std::filesystem::path& file) { read_srdf(file, moves, robot.robot); });
    value.here([&] { add_joints(robot.robot, robot.name, joints_); });
    for (const RobotLink& link : robot.robot.links) links_.insert(robot.name + "/" + link.name);
    if (const Value* motion = value.find("motion"))
      robot.motion = read_clock_motion(*motion, robot.robot);
    robot.late = seconds_late(value);
    scene_.robots.push_back(std::move(robot));
  }

  // The motion of one robot alone, from a file or as it stands.
  std::shared_ptr<const Motion> read_clock_motion(const Value& value, const Robot& robot) const {
    SceneSource alone;
    alone.robots.push_back({"robot", robot, Pose{}});
    Motion motion = value.kind == Value::Kind::text
                        ? read_any_path(folder_ / value.text(), alone, {})
                        : motion_at(value, alone);
    if (motion.times.empty()) value.fail("what moves by the clock needs times");
    return std::make_shared<const Motion>(std::move(motion));
  }

  void read_obstacle(const Value& value) {
    value.only({"name", "pose", "box", "cylinder", "sphere", "capsule", "mesh", "hull", "cloud",
                "voxels", "octomap", "depth", "heights", "scale", "parts", "motion", "late",
                "grows"});
    ObstacleSource obstacle;
    obstacle.name = take_name(value, objects_);
    obstacle.X_WB = scene_pose_at(value.find("pose"));
    obstacle.elements = read_elements(value);
    if (const Value* motion = value.find("motion"))
      obstacle.motion = read_clock_motion(*motion, floating_body());
    obstacle.late = seconds_late(value);
    if (const Value* grows = value.find("grows")) obstacle.grows = size_or_zero(*grows);
    scene_.obstacles.push_back(std::move(obstacle));
  }

  static double seconds_late(const Value& value) {
    const Value* late = value.find("late");
    if (!late) return 0;
    if (!value.find("motion")) late->fail("only what has a motion can be late");
    return size_or_zero(*late);
  }

  static double size_or_zero(const Value& value) {
    const double number = value.number();
    if (!(number >= 0)) value.fail("expected a number >= 0");
    return number;
  }

  void read_attached(const Value& value) {
    value.only({"name", "link", "touch", "pose", "box", "cylinder", "sphere", "capsule", "mesh",
                "hull", "cloud", "voxels", "octomap", "depth", "heights", "scale", "parts"});
    AttachedSource object;
    object.link = value.at("link").text();
    if (!links_.contains(object.link)) value.at("link").fail("there is no such link");
    object.name = take_name(value, objects_);
    for (const Value& body : list_at(value, "touch")) object.touch.push_back(body_at(body));
    object.X_LB = scene_pose_at(value.find("pose"));
    object.elements = read_elements(value);
    scene_.attached.push_back(std::move(object));
  }

  // --- Shapes ---

  const Value& shape_of(const Value& value) const {
    const Value* found = nullptr;
    for (const char* name : {"box", "cylinder", "sphere", "capsule", "mesh", "hull", "cloud",
                             "voxels", "octomap", "depth", "heights", "parts"})
      if (const Value* shape = value.find(name)) {
        if (found) shape->fail("a second shape");
        found = shape;
      }
    if (!found) value.fail("no shape");
    return *found;
  }

  std::vector<CollisionElement> read_elements(const Value& value) {
    const Value& shape = shape_of(value);
    if (shape.key != "parts") return {{read_shape(value, shape), {}, {}}};
    if (value.find("scale")) value.at("scale").fail("parts have no scale together");
    std::vector<CollisionElement> elements;
    for (const Value& part : shape.list()) {
      part.only({"box", "cylinder", "sphere", "capsule", "mesh", "hull", "cloud", "voxels",
                 "octomap", "depth", "heights", "scale", "pose"});
      elements.push_back({read_shape(part, shape_of(part)), scene_pose_at(part.find("pose")), {}});
      if (is_sensed(elements.back().shape) && shape.size() > 1)
        part.fail("a cloud or a grid is the only shape of its body");
    }
    if (elements.empty()) shape.fail("no parts");
    return elements;
  }

  Shape read_shape(const Value& value, const Value& shape) {
    const Value* scale = value.find("scale");
    if (shape.key == "mesh" || shape.key == "hull") return read_points(shape, scale_of(scale));
    if (scale) scale->fail("only meshes and hulls have a scale");
    for (const char* sensed : {"cloud", "voxels", "octomap", "depth", "heights"})
      if (shape.key == sensed) return sensed_shape(shape, folder_);
    if (shape.key == "box") {
      const Vec3 size = shape.vector();
      return shape.here([&] {
        return Box{
            {0.5 * checked_size(size.x), 0.5 * checked_size(size.y), 0.5 * checked_size(size.z)}};
      });
    }
    if (shape.key == "sphere") {
      if (shape.kind != Value::Kind::object) return Sphere{size_at(shape)};
      shape.only({"radius"});
      return Sphere{size_at(shape.at("radius"))};
    }
    shape.only({"radius", "length"});
    const double radius = size_at(shape.at("radius")), half = 0.5 * size_at(shape.at("length"));
    if (shape.key == "cylinder") return Cylinder{radius, half};
    return Capsule{radius, half};
  }

  static Vec3 scale_of(const Value* scale) {
    if (!scale) return {1, 1, 1};
    Vec3 factors;
    if (scale->kind == Value::Kind::number)
      factors = {scale->number(), scale->number(), scale->number()};
    else
      factors = scale->vector();
    return scale->here([&] { return checked_scale(factors); });
  }

  Shape read_points(const Value& shape, const Vec3& scale) {
    if (shape.key == "mesh" || shape.kind == Value::Kind::text)
      return shape.naming(folder_ / shape.text(), [&](const std::filesystem::path& file) -> Shape {
        if (shape.key == "mesh") return meshes_.mesh(file, scale);
        return meshes_.hull(file, scale);
      });
    auto hull = std::make_shared<ConvexHull>();
    for (const Value& point : shape.list()) {
      const Vec3 p = point.here([&] { return checked_position(point.vector()); });
      hull->points.push_back({p.x * scale.x, p.y * scale.y, p.z * scale.z});
    }
    if (hull->points.empty()) shape.fail("no points");
    return std::shared_ptr<const ConvexHull>(std::move(hull));
  }

  // --- Pairs and home ---

  void read_pairs(const Value& value) {
    value.only({"exclude", "clearance"});
    std::set<std::pair<std::string, std::string>> excluded, cleared;
    for (const Value& entry : list_at(value, "exclude")) {
      if (entry.list().size() != 2 && entry.list().size() != 3) entry.fail("expected two bodies");
      const auto [a, b] = pair_at(entry);
      if (!excluded.insert(std::minmax(a, b)).second) entry.fail("the pair is excluded already");
      scene_.exclusions.push_back({a, b, entry.list().size() == 3 ? entry.list()[2].text() : ""});
    }
    for (const Value& entry : list_at(value, "clearance")) {
      if (entry.list().size() != 3) entry.fail("expected two bodies and metres");
      const auto [a, b] = pair_at(entry);
      if (!cleared.insert(std::minmax(a, b)).second || excluded.contains(std::minmax(a, b)))
        entry.fail("the pair is excluded, or has a clearance already");
      const double metres = entry.list()[2].number();
      if (std::fabs(metres) > kLargestClearance) entry.fail("a clearance is at most 1e9 m");
      scene_.clearances.push_back({a, b, metres});
    }
  }
  std::pair<std::string, std::string> pair_at(const Value& entry) const {
    std::pair<std::string, std::string> pair(body_at(entry.list()[0]), body_at(entry.list()[1]));
    if (pair.first == pair.second) entry.fail("a body and itself");
    return pair;
  }

  void read_home(const Value& value) {
    if (value.kind != Value::Kind::object) value.fail("expected an object");
    for (const Value& entry : value.items) {
      if (!joints_.find(entry.key)) entry.fail("there is no such joint");
      scene_.home[entry.key] = entry.number();
    }
  }

  Tree tree_;
  std::filesystem::path folder_;
  const SceneReading& options_;
  Meshes& meshes_;
  SceneSource scene_;
  JointList joints_;
  std::set<std::string> robots_, links_, objects_;
};

}  // namespace

SceneSource read_scene_json(const std::filesystem::path& file, const SceneReading& options,
                            Meshes& meshes) {
  return SceneJson(file, options, meshes).read();
}

}  // namespace proven::verifier
