#include "manipulation/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "manipulation/grasps.h"
#include "proven/base/failure.h"
#include "proven/base/numbers.h"
#include "proven/io/document.h"
#include "proven/io/file.h"
#include "proven/io/scene_file.h"
#include "proven/io/scene_writer.h"

namespace proven::manipulation {
namespace {

using Json = nlohmann::ordered_json;

using io::Node;

template <class T>
const T* find(const std::vector<T>& list, const std::string& name) {
  for (const T& entry : list)
    if (entry.name == name) return &entry;
  return nullptr;
}

std::vector<Pose> poses_of(const Node& node) {
  std::vector<Pose> poses;
  for (const Node& pose : node.array()) poses.push_back(io::read_pose(pose));
  if (poses.empty()) node.fail("expected at least one pose");
  return poses;
}

// The name of a new entry.
template <class T>
std::string claim_name(const Node& node, const std::vector<T>& others) {
  const Node& name = node.at("name");
  if (find(others, name.string()))
    name.fail(fmt::format("the name '{}' is used twice", name.string()));
  return name.string();
}

// Fails unless the scene has what a node names.
const std::string& known(const Node& node, const char* what, bool exists) {
  if (!exists) node.fail(fmt::format("the scene has no {} named '{}'", what, node.string()));
  return node.string();
}

const std::string& known_joint(const Node& node, const Scene& scene) {
  return known(node, "joint", scene.tree().find_coordinate(node.string()) >= 0);
}

void allow_arm_keys(const Node& node, bool named) {
  if (named)
    node.allow_keys({"name", "joints", "hand", "grip", "fingers", "open", "touch", "opening"});
  else
    node.allow_keys({"joints", "hand", "grip", "fingers", "open", "touch", "opening"});
}

Arm arm_of(const Node& node, const Scene& scene) {
  Arm arm;
  for (const Node& joint : node.at("joints").array())
    arm.joints.push_back(known_joint(joint, scene));
  const Node& hand = node.at("hand");
  arm.hand = known(hand, "link", scene.tree().find_link(hand.string()) >= 0);
  arm.X_HT = io::read_pose(node.at("grip"));
  if (const Node* fingers = node.find("fingers")) {
    arm.fingers = known_joint(*fingers, scene);
    arm.open = node.at("open").number();
  } else if (const Node* open = node.find("open")) {
    open->fail("is a value of the fingers; give 'fingers' too");
  }
  if (const Node* touch = node.find("touch"))
    for (const Node& body : touch->array())
      arm.touch.push_back(known(body, "body", scene.find_body(body.string()) >= 0));
  if (const Node* opening = node.find("opening")) arm.opening = opening->positive_number();
  return arm;
}

// "arm": the only one; or "arms", each with a name and with joints of its own.
std::vector<Arm> arms_of(const Node& root, const Scene& scene) {
  std::vector<Arm> arms;
  const Node* several = root.find("arms");
  if (!several) {
    allow_arm_keys(root.at("arm"), false);
    return {arm_of(root.at("arm"), scene)};
  }
  if (const Node* one = root.find("arm")) one->fail("give 'arm' or 'arms', not both");
  std::set<std::string> taken;
  const auto claim = [&](const Node& node, const std::string& joint) {
    if (!taken.insert(joint).second)
      node.fail(fmt::format("joint '{}' belongs to two arms, or to one twice", joint));
  };
  for (const Node& node : several->array()) {
    allow_arm_keys(node, true);
    const std::string name = claim_name(node, arms);
    arms.push_back(arm_of(node, scene));
    arms.back().name = name;
    for (const Node& joint : node.at("joints").array()) claim(joint, joint.string());
    if (const Node* fingers = node.find("fingers")) claim(*fingers, fingers->string());
  }
  if (arms.empty()) several->fail("expected at least one arm");
  return arms;
}

// {"proven": 1, "poses": [...]}: what a grasp planner wrote.
std::vector<Pose> poses_from(const Node& file, const std::filesystem::path& folder) {
  std::vector<Pose> poses;
  const auto read = io::read_document_with(folder / file.string(), [&](const Node& root) {
    root.require_version();
    root.allow_keys({"proven", "poses"});
    poses = poses_of(root.at("poses"));
  });
  if (!read.ok()) throw Failure(read.error());
  return poses;
}

// A list of poses, {"file": NAME}, or {"sample": "top" or "side"}.
std::vector<Pose> grasp_of(const Node& node, const World& world, const Graspable& graspable,
                           const std::filesystem::path& folder) {
  if (!node.is(Node::Kind::object)) return poses_of(node);
  node.allow_keys({"file", "sample"});
  if (const Node* file = node.find("file")) {
    if (const Node* sample = node.find("sample")) sample->fail("give a file or a sample, not both");
    return poses_from(*file, folder);
  }
  const Node& sample = node.at("sample");
  static constexpr std::string_view kSides[] = {"top", "side"};
  const auto side = static_cast<GraspSide>(sample.index_in(kSides));
  // Every hand must get around it.
  double opening = world.arms[0].opening;
  for (const Arm& arm : world.arms) opening = std::min(opening, arm.opening);
  if (!(opening > 0))
    sample.fail("needs 'opening' of the arm: the metres between its open fingers");
  auto poses = sample_grasps(world.elements_of(graspable.name), side, opening);
  if (poses.empty())
    sample.fail(fmt::format("'{}' is too wide for the hand from there", graspable.name));
  return poses;
}

void read_grasps(const Node& node, const World& world, const std::filesystem::path& folder,
                 Graspable& graspable) {
  if (const Node* grip = node.find("grip")) graspable.grip = grip->number();
  for (const Node& grasp : node.at("grasps").members())
    graspable.grasps[grasp.key()] = grasp_of(grasp, world, graspable, folder);
}

void add_object(const Node& node, const std::filesystem::path& folder, World& world) {
  node.allow_keys({"name", "grip", "grasps", "upright"});
  Object object;
  object.name = claim_name(node, world.objects);
  known(node.at("name"), "obstacle", find(world.scene.obstacles, object.name));
  read_grasps(node, world, folder, object);
  if (const Node* upright = node.find("upright")) object.upright = upright->positive_number();
  world.objects.push_back(std::move(object));
}

// The position is within the joint's limits.
double position_of(const Node& node, const Coordinate& joint) {
  const double value = node.number();
  if (!(value >= joint.lower && value <= joint.upper))
    node.fail(fmt::format("joint '{}' goes from {} to {}", joint.name, joint.lower, joint.upper));
  return value;
}

void add_fixture(const Node& node, const Scene& scene, const std::filesystem::path& folder,
                 World& world) {
  node.allow_keys({"name", "joint", "link", "handle", "grip", "grasps", "positions"});
  Fixture fixture;
  fixture.name = claim_name(node, world.fixtures);
  if (find(world.objects, fixture.name))
    node.at("name").fail(fmt::format("the name '{}' is used twice", fixture.name));
  fixture.joint = known_joint(node.at("joint"), scene);
  for (const Arm& arm : world.arms)
    if (std::find(arm.joints.begin(), arm.joints.end(), fixture.joint) != arm.joints.end())
      node.at("joint").fail("is a joint of the arm");
  const Node& link = node.at("link");
  fixture.link = known(link, "link", scene.tree().find_link(link.string()) >= 0);
  for (const Node& body : node.at("handle").array())
    fixture.handle.push_back(known(body, "body", scene.find_body(body.string()) >= 0));
  for (const Node& grasp : node.at("grasps").members())
    if (const Node* sample = grasp.is(Node::Kind::object) ? grasp.find("sample") : nullptr)
      sample->fail("a handle's grasps are not sampled: give poses or a file");
  read_grasps(node, world, folder, fixture);
  const Coordinate& joint =
      scene.tree()
          .coordinates()[static_cast<std::size_t>(scene.tree().find_coordinate(fixture.joint))];
  for (const Node& position : node.at("positions").members())
    fixture.positions[position.key()] = position_of(position, joint);
  world.fixtures.push_back(std::move(fixture));
}

// {"x": [from, to], "y": [from, to], "z": height}, on something that carries.
Surface surface_of(const Node& place, const Node& node) {
  if (const Node* poses = place.find("poses")) poses->fail("a surface has none");
  (void)place.at("on");
  node.allow_keys({"x", "y", "z"});
  Surface surface;
  int k = 0;
  for (const char* axis : {"x", "y"}) {
    const auto& ends = node.at(axis).array_of(2);
    surface.lower[k] = ends[0].number();
    surface.upper[k] = ends[1].number();
    if (!(surface.lower[k] <= surface.upper[k])) node.at(axis).fail("goes from more to less");
    ++k;
  }
  surface.height = node.at("z").number();
  return surface;
}

void add_place(const Node& node, World& world) {
  node.allow_keys({"name", "on", "poses", "rest", "surface", "meeting"});
  Place place;
  place.name = claim_name(node, world.places);
  if (const Node* surface = node.find("surface"))
    place.surface = surface_of(node, *surface);
  else
    place.release = poses_of(node.at("poses"));
  if (const Node* on = node.find("on")) {
    place.on = on->string();
    if (!find(world.objects, place.on) && !find(world.fixtures, place.on) &&
        !(place.surface && find(world.scene.obstacles, place.on)))
      on->fail(fmt::format("there is no object or fixture named '{}'", place.on));
    if (const Node* rest = node.find("rest")) rest->fail("a place on an object has none");
  }
  if (const Node* rest = node.find("rest")) {
    place.rest = poses_of(*rest);
    rest->array_of(place.release.size());  // one of rest for each of release
  }
  if (const Node* meeting = node.find("meeting")) {
    place.meeting = meeting->boolean();
    if (place.meeting && (place.surface || !place.on.empty() || !place.rest.empty()))
      meeting->fail("what stays in the hand stands on nothing and does not fall");
  }
  world.places.push_back(std::move(place));
}

// A file that cannot be used at all fails at the node that names it.
SceneSource scene_of(const Node& node, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / node.string();
  auto source = load_scene_source(file);
  if (source.ok()) return std::move(source).value();
  const Error& error = source.error();
  if (error.context == file.string()) fail(node.place(), error.text(), error.code);
  throw Failure(error);
}

// Motions are found for no certain time.
constexpr const char* kMovesByTheClock =
    "'{}' moves by the clock: in a world nothing moves but its arms and what they move";

World world_of(const Node& root, const std::filesystem::path& folder) {
  root.require_version();
  root.allow_keys({"proven", "scene", "arm", "arms", "objects", "fixtures", "places", "clearance"});
  World world;
  world.scene = scene_of(root.at("scene"), folder);
  for (const RobotSource& robot : world.scene.robots)
    if (robot.motion) root.at("scene").fail(fmt::format(kMovesByTheClock, robot.name));
  for (const ObstacleSource& obstacle : world.scene.obstacles)
    if (obstacle.moves()) root.at("scene").fail(fmt::format(kMovesByTheClock, obstacle.name));
  const auto scene = build_scene(world.scene);
  if (!scene.ok()) root.at("scene").fail(scene.error().text());
  world.arms = arms_of(root, scene.value());
  for (const Node& object : root.at("objects").array()) add_object(object, folder, world);
  if (const Node* fixtures = root.find("fixtures"))
    for (const Node& fixture : fixtures->array())
      add_fixture(fixture, scene.value(), folder, world);
  for (const Node& place : root.at("places").array()) add_place(place, world);
  if (const Node* clearance = root.find("clearance"))
    world.clearance = clearance->nonnegative_number();
  return world;
}

Json to_json(const Vec3& v) {
  return Json::array({v.x, v.y, v.z});
}

Json to_json(const Pose& X) {
  Json json = {{"xyz", to_json(X.p)}};
  if (!(X.R == Mat3{}))
    json["rotation"] = {to_json(X.R.row[0]), to_json(X.R.row[1]), to_json(X.R.row[2])};
  return json;
}

Json to_json(const std::vector<Pose>& poses) {
  Json json = Json::array();
  for (const Pose& pose : poses) json.push_back(to_json(pose));
  return json;
}

Json to_json(const Arm& arm) {
  Json json = Json::object();
  if (!arm.name.empty()) json["name"] = arm.name;
  json["joints"] = arm.joints;
  json["hand"] = arm.hand;
  json["grip"] = to_json(arm.X_HT);
  if (!arm.fingers.empty()) {
    json["fingers"] = arm.fingers;
    json["open"] = arm.open;
  }
  json["touch"] = arm.touch;
  if (arm.opening > 0) json["opening"] = arm.opening;
  return json;
}

Json to_json(const World& world) {
  Json json = {{"proven", 1}, {"scene", "scene.json"}};
  if (world.arms.size() == 1 && world.arms[0].name.empty())
    json["arm"] = to_json(world.arms[0]);
  else
    for (const Arm& arm : world.arms) json["arms"].push_back(to_json(arm));
  const auto grasps_of = [](const Graspable& graspable) {
    Json grasps = Json::object();
    for (const auto& [name, poses] : graspable.grasps) grasps[name] = to_json(poses);
    return grasps;
  };
  json["objects"] = Json::array();
  for (const Object& object : world.objects) {
    json["objects"].push_back(
        {{"name", object.name}, {"grip", object.grip}, {"grasps", grasps_of(object)}});
    if (object.upright) json["objects"].back()["upright"] = *object.upright;
  }
  for (const Fixture& fixture : world.fixtures)
    json["fixtures"].push_back({{"name", fixture.name},
                                {"joint", fixture.joint},
                                {"link", fixture.link},
                                {"handle", fixture.handle},
                                {"grip", fixture.grip},
                                {"grasps", grasps_of(fixture)},
                                {"positions", fixture.positions}});
  json["places"] = Json::array();
  for (const Place& place : world.places) {
    Json entry = {{"name", place.name}};
    if (!place.on.empty()) entry["on"] = place.on;
    if (const auto& s = place.surface)
      entry["surface"] = {
          {"x", {s->lower[0], s->upper[0]}}, {"y", {s->lower[1], s->upper[1]}}, {"z", s->height}};
    else
      entry["poses"] = to_json(place.release);
    if (!place.rest.empty()) entry["rest"] = to_json(place.rest);
    if (place.meeting) entry["meeting"] = true;
    json["places"].push_back(std::move(entry));
  }
  json["clearance"] = world.clearance;
  return json;
}

}  // namespace

int World::find_arm(const std::string& name) const {
  for (std::size_t i = 0; i < arms.size(); ++i)
    if (arms[i].name == name) return static_cast<int>(i);
  return -1;
}

const Object* World::find_object(const std::string& name) const {
  return find(objects, name);
}

const Fixture* World::find_fixture(const std::string& name) const {
  return find(fixtures, name);
}

const Graspable* World::find_graspable(const std::string& name) const {
  if (const Object* object = find_object(name)) return object;
  return find_fixture(name);
}

const std::vector<CollisionElement>& World::elements_of(const std::string& name) const {
  const Fixture* fixture = find_fixture(name);
  if (!fixture) return find(scene.obstacles, name)->elements;
  for (const RobotSource& robot : scene.robots)
    for (const RobotLink& link : robot.robot.links)
      if (robot.name + "/" + link.name == fixture->link) return link.collision;
  static const std::vector<CollisionElement> none;
  return none;
}

const Place* World::find_place(const std::string& name) const {
  return find(places, name);
}

Result<World> load_world(const std::filesystem::path& file) {
  World world;
  const auto read = io::read_document_with(
      file, [&](const Node& root) { world = world_of(root, file.parent_path()); });
  if (!read.ok()) return read.error();
  return world;
}

Result<World> open_world(const std::filesystem::path& folder,
                         std::span<const std::string> arguments) {
  if (arguments.empty()) return bad_input("a world is missing: manipulationInit world.json");
  auto world = load_world(folder / arguments[0]);
  if (!world.ok()) return world;
  constexpr std::string_view kClearance = "clearance=";
  for (const std::string& word : arguments.subspan(1)) {
    if (word.rfind(kClearance, 0) != 0) continue;
    const auto metres = parse_double(std::string_view(word).substr(kClearance.size()));
    if (!metres || *metres < 0) return bad_input(fmt::format("cannot use '{}'", word));
    world.value().clearance = *metres;
  }
  return world;
}

Result<void> save_world(const World& world, const std::filesystem::path& folder) {
  if (auto saved = save_scene(world.scene, folder); !saved.ok()) return saved;
  return write_file(folder / "world.json", to_json(world).dump(1) + "\n");
}

}  // namespace proven::manipulation
