#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/path_readers.h"
#include "io/scene_readers.h"
#include "io/sizes.h"
#include "io/text.h"
#include "proven/base/largest_number.h"

namespace proven::io {

double read_metres(const Node& node) {
  if (std::fabs(node.number()) > kLargestNumber)
    node.fail(fmt::format("{} m is beyond 1e9 m", node.number()));
  return node.number();
}

Clearances read_clearances(const Node& node) {
  const auto metres_of = [](const Node& value) {
    return value.nonnegative_number(), read_metres(value);
  };
  if (!node.is(Node::Kind::object)) return metres_of(node);
  node.allow_keys({"world", "robots", "self", "attached"});
  Clearances clearances;
  const auto read = [&](const char* key, double& clearance) {
    if (const Node* value = node.find(key)) clearance = metres_of(*value);
  };
  read("world", clearances.world);
  read("robots", clearances.robots);
  read("self", clearances.self);
  read("attached", clearances.attached);
  return clearances;
}

namespace {

class SceneReader {
 public:
  SceneReader(const std::filesystem::path& file, const SceneOptions& options, MeshCache& meshes)
      : document_(read_document(file)),
        folder_(file.parent_path()),
        options_(options),
        meshes_(meshes) {}

  SceneSource read() {
    const Node& root = document_.root();
    root.require_version();
    root.allow_keys({"proven", "robots", "obstacles", "attached", "clearance", "pairs", "home"});
    if (const Node* robots = root.find("robots"))
      for (const Node& robot : robots->array()) read_robot(robot);
    if (const Node* obstacles = root.find("obstacles"))
      for (const Node& obstacle : obstacles->array()) read_obstacle(obstacle);
    if (const Node* attached = root.find("attached"))
      for (const Node& object : attached->array()) read_attached(object);
    if (const Node* clearance = root.find("clearance"))
      scene_.clearance = read_clearances(*clearance);
    if (const Node* pairs = root.find("pairs")) read_pairs(*pairs);
    if (const Node* home = root.find("home")) read_home(*home);
    return std::move(scene_);
  }

 private:
  std::string claim_name(const Node& node) {
    const std::string& name = node.at("name").string();
    if (name.find('/') != std::string::npos)
      node.at("name").fail("names must not hold '/', which stands between robot and link");
    if (const std::string why = refuse_name(name); !why.empty()) node.at("name").fail(why);
    if (!names_.insert(name).second)
      node.at("name").fail(fmt::format("the name {} is used twice", quote(name)));
    return name;
  }

  // Fails unless the node names a body, link or object read so far.
  std::string known_body(const Node& node) const {
    const std::string& name = node.string();
    if (names_.contains(name) && !robots_.contains(name)) return name;
    const std::vector<std::string> known(names_.begin(), names_.end());
    node.fail(fmt::format("there is no body {}{}", quote(name), suggestion(name, known)));
  }

  void read_robot(const Node& node) {
    node.allow_keys({"name", "urdf", "srdf", "pose", "packages", "virtual_joints", "motion", "late",
                     "ignore_elements"});
    RobotSource robot;
    robot.name = claim_name(node);
    robots_.insert(robot.name);
    if (const Node* pose = node.find("pose")) robot.X_WR = read_pose(*pose);
    UrdfOptions urdf{.packages = options_.packages,
                     .allow_empty = options_.allow_empty,
                     .ignore_elements = options_.ignore_elements};
    if (const Node* ignored = node.find("ignore_elements"))
      for (const Node& element : ignored->array()) urdf.ignore_elements.insert(element.string());
    const std::map<std::string, std::filesystem::path> own = read_packages(node);
    urdf.packages.insert(own.begin(), own.end());
    SrdfOptions srdf;
    const Node* virtual_joints = node.find("virtual_joints");
    srdf.virtual_joints = virtual_joints && virtual_joints->boolean();
    const Node& model = node.at("urdf");
    std::set<std::string> others = std::exchange(meshes_.packages, {});
    robot.robot =
        read_named(model, [&] { return read_urdf(folder_ / model.string(), urdf, meshes_); });
    if (const Node* ignored = node.find("ignore_elements")) note_idle(*ignored, robot.robot);
    at_place([&] { return node.at("packages").place(); },
             [&] { require_packages_used(own, meshes_.packages); });
    meshes_.packages.merge(others);
    if (const Node* file = node.find("srdf"))
      read_named(*file, [&] { read_srdf(folder_ / file->string(), robot.robot, srdf); });
    else if (srdf.virtual_joints)
      virtual_joints->fail("virtual joints stand in an SRDF; give 'srdf' too");
    for (const RobotLink& link : robot.robot.links) names_.insert(robot.name + "/" + link.name);
    at_place([&] { return node.place(); },
             [&] { unwrap(tree_.add_robot(robot.robot, robot.name, robot.X_WR)); });
    if (const Node* motion = node.find("motion")) robot.motion = read_motion(*motion, robot.robot);
    robot.late = read_lateness(node);
    scene_.robots.push_back(std::move(robot));
  }

  // A name by which nothing is left out may be a slip.
  static void note_idle(const Node& names, Robot& robot) {
    for (const Node& name : names.array()) {
      const bool counts = std::ranges::any_of(robot.ignored, [&](const std::string& what) {
        return what.starts_with("<" + name.string() + ">") ||
               what.starts_with("'" + name.string() + "'");
      });
      if (!counts)
        robot.warnings.push_back(
            fmt::format("ignore_elements: the file has no {} to leave out", quote(name.string())));
    }
  }

  // Those of the robot itself, relative to the scene; whoever reads the scene maps others.
  std::map<std::string, std::filesystem::path> read_packages(const Node& node) const {
    std::map<std::string, std::filesystem::path> own;
    const Node* packages = node.find("packages");
    if (!packages) return own;
    for (const Node& package : packages->members()) {
      const std::filesystem::path folder = folder_ / package.string();
      at_place([&] { return package.place(); },
               [&] {
                 require_package_folders({{package.key(), folder}});
               });
      if (options_.packages.contains(package.key()))
        package.fail(fmt::format("--package maps package {} too; leave one of them out",
                                 quote(package.key())));
      own[package.key()] = folder;
    }
    return own;
  }

  // What moves by the clock: a motion of the robot's own joints, as in a motion file, or its name.
  std::shared_ptr<const Motion> read_motion(const Node& node, Robot robot) const {
    // Bodies do not matter here.
    for (RobotLink& link : robot.links) link.collision.clear(), link.geometry.reset();
    SceneBuilder builder;
    unwrap(builder.add_robot(robot, "robot", Pose{}));
    auto alone = std::move(builder).build();
    if (!alone.ok()) node.fail(alone.error().text());
    Motion motion;
    if (node.is(Node::Kind::string)) {
      const auto loaded = load_path(folder_ / node.string(), alone.value());
      if (!loaded.ok()) throw Failure(loaded.error());
      motion = loaded.value();
    } else {
      motion = read_path_node(node, alone.value(), {});
    }
    if (motion.times.empty())
      node.fail("what moves by the clock needs 'times' or 'pieces' with their times");
    return std::make_shared<const Motion>(std::move(motion));
  }

  static double read_lateness(const Node& node) {
    const Node* late = node.find("late");
    if (!late) return 0;
    if (!node.find("motion")) late->fail("what may be late needs a 'motion'");
    return late->nonnegative_number();
  }

  void read_obstacle(const Node& node) {
    allow_shape_keys(node, {"name", "pose", "motion", "late", "grows"});
    ObstacleSource obstacle;
    obstacle.name = claim_name(node);
    if (const Node* pose = node.find("pose")) obstacle.X_WB = read_pose(*pose);
    obstacle.elements = read_shapes(node, folder_, meshes_);
    if (const auto doubt =
            doubt_size("obstacle " + quote(obstacle.name), kLongObstacle, obstacle.elements))
      scene_.warnings.push_back(*doubt);
    if (const Node* motion = node.find("motion")) obstacle.motion = read_motion(*motion, mover());
    obstacle.late = read_lateness(node);
    if (const Node* grows = node.find("grows")) obstacle.grows = grows->nonnegative_number();
    scene_.obstacles.push_back(std::move(obstacle));
  }

  void read_attached(const Node& node) {
    allow_shape_keys(node, {"name", "link", "touch", "pose"});
    AttachedSource object;
    object.link = known_body(node.at("link"));
    if (tree_.find_link(object.link) < 0)
      node.at("link").fail(fmt::format("{} is not a link of a robot", quote(object.link)));
    object.name = claim_name(node);
    if (const Node* touch = node.find("touch"))
      for (const Node& body : touch->array()) object.touch.push_back(known_body(body));
    if (const Node* pose = node.find("pose")) object.X_LB = read_pose(*pose);
    object.elements = read_shapes(node, folder_, meshes_);
    scene_.attached.push_back(std::move(object));
  }

  // Two different bodies at the start of a list.
  std::pair<std::string, std::string> read_pair(const Node& node) const {
    const std::string a = known_body(node.array()[0]), b = known_body(node.array()[1]);
    if (a == b) node.fail(fmt::format("{} is paired with itself", quote(a)));
    return {a, b};
  }

  using PairPlaces = std::map<std::pair<std::string, std::string>, std::string>;
  static void claim_pair(PairPlaces& pairs, const Node& entry, const std::string& a,
                         const std::string& b) {
    const auto [place, is_new] = pairs.emplace(std::minmax(a, b), entry.place());
    if (!is_new)
      entry.fail(fmt::format("the pair {}, {} is listed already at {}; keep one of the two",
                             quote(a), quote(b), place->second));
  }

  void read_pairs(const Node& node) {
    node.allow_keys({"exclude", "clearance"});
    PairPlaces excluded, cleared;
    if (const Node* exclude = node.find("exclude"))
      for (const Node& entry : exclude->array()) {
        const std::size_t size = entry.array().size();
        if (size != 2 && size != 3) entry.fail("expected [body, body, \"reason\"]");
        const auto [a, b] = read_pair(entry);
        claim_pair(excluded, entry, a, b);
        scene_.exclusions.push_back({a, b, size == 3 ? entry.array()[2].string() : ""});
      }
    if (const Node* clearance = node.find("clearance"))
      for (const Node& entry : clearance->array()) {
        if (entry.array().size() != 3) entry.fail("expected [body, body, metres]");
        const auto [a, b] = read_pair(entry);
        claim_pair(cleared, entry, a, b);
        if (excluded.contains(std::minmax(a, b)))
          entry.fail(fmt::format("{} and {} are excluded: no clearance is kept between them",
                                 quote(a), quote(b)));
        scene_.clearances.push_back({a, b, read_metres(entry.array()[2])});
      }
  }

  void read_home(const Node& node) {
    std::vector<std::string> known;
    for (const Coordinate& coordinate : tree_.coordinates()) known.push_back(coordinate.name);
    for (const Node& value : node.members()) {
      if (tree_.find_coordinate(value.key()) < 0)
        value.fail(fmt::format("no joint that can move is named {}{}", quote(value.key()),
                               suggestion(value.key(), known)));
      scene_.home[value.key()] = value.number();
    }
  }

  Document document_;
  std::filesystem::path folder_;
  const SceneOptions& options_;
  MeshCache& meshes_;
  SceneSource scene_;
  KinematicTree tree_;            // knows which links and joints there are
  std::set<std::string> names_;   // of robots, links, obstacles and attached objects
  std::set<std::string> robots_;  // robots alone: they are no bodies
};

}  // namespace

SceneSource read_scene_json(const std::filesystem::path& file, const SceneOptions& options,
                            MeshCache& meshes) {
  return SceneReader(file, options, meshes).read();
}

}  // namespace proven::io
