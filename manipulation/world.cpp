#include "manipulation/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "proven/base/numbers.h"
#include "proven/io/scene_file.h"
#include "proven/io/scene_writer.h"

namespace proven::manipulation {
namespace {

using Json = nlohmann::ordered_json;

// Thrown by the reader below and caught in load_world; what() is the message.
[[noreturn]] void fail(const std::string& place, const std::string& message) {
  throw std::runtime_error(place + ": " + message);
}

const Json& member(const Json& json, const char* key, const std::string& place) {
  if (!json.is_object()) fail(place, "expected an object");
  const auto found = json.find(key);
  if (found == json.end()) fail(place, fmt::format("\"{}\" is missing", key));
  return *found;
}

void allow_keys(const Json& json, std::initializer_list<const char*> keys,
                const std::string& place) {
  if (!json.is_object()) fail(place, "expected an object");
  for (const auto& [key, value] : json.items())
    if (std::none_of(keys.begin(), keys.end(), [&](const char* k) { return key == k; }))
      fail(place, fmt::format("unknown key \"{}\"", key));
}

double number_of(const Json& json, const std::string& place) {
  if (!json.is_number()) fail(place, "expected a number");
  return json.get<double>();
}

std::string text_of(const Json& json, const std::string& place) {
  if (!json.is_string()) fail(place, "expected a text");
  return json.get<std::string>();
}

std::vector<std::string> texts_of(const Json& json, const std::string& place) {
  if (!json.is_array()) fail(place, "expected a list");
  std::vector<std::string> texts;
  for (const Json& entry : json) texts.push_back(text_of(entry, place));
  return texts;
}

Vec3 vector_of(const Json& json, const std::string& place) {
  if (!json.is_array() || json.size() != 3) fail(place, "expected three numbers");
  return {number_of(json[0], place), number_of(json[1], place), number_of(json[2], place)};
}

// {"xyz": [...], "rpy": [...]} or, to be exact, {"xyz": [...], "rotation": [[...], ...]}.
Pose pose_of(const Json& json, const std::string& place) {
  allow_keys(json, {"xyz", "rpy", "rotation"}, place);
  Pose pose;
  if (json.contains("xyz")) pose.p = vector_of(json["xyz"], place + "/xyz");
  if (json.contains("rpy")) pose.R = rotation_from_rpy(vector_of(json["rpy"], place + "/rpy"));
  if (json.contains("rotation")) {
    const Json& rows = json["rotation"];
    if (!rows.is_array() || rows.size() != 3) fail(place + "/rotation", "expected three rows");
    for (std::size_t i = 0; i < 3; ++i) pose.R.row[i] = vector_of(rows[i], place + "/rotation");
  }
  return pose;
}

std::vector<Pose> poses_of(const Json& json, const std::string& place) {
  if (!json.is_array() || json.empty()) fail(place, "expected a list of poses");
  std::vector<Pose> poses;
  for (const Json& entry : json) poses.push_back(pose_of(entry, place));
  return poses;
}

Arm arm_of(const Json& json, const std::string& place) {
  allow_keys(json, {"joints", "hand", "grip", "fingers", "open", "touch"}, place);
  Arm arm;
  arm.joints = texts_of(member(json, "joints", place), place + "/joints");
  arm.hand = text_of(member(json, "hand", place), place + "/hand");
  arm.X_HT = pose_of(member(json, "grip", place), place + "/grip");
  if (json.contains("fingers")) {
    arm.fingers = text_of(json["fingers"], place + "/fingers");
    arm.open = number_of(member(json, "open", place), place + "/open");
  }
  if (json.contains("touch")) arm.touch = texts_of(json["touch"], place + "/touch");
  return arm;
}

Object object_of(const Json& json, const std::string& place) {
  allow_keys(json, {"name", "grip", "grasps"}, place);
  Object object;
  object.name = text_of(member(json, "name", place), place + "/name");
  if (json.contains("grip")) object.grip = number_of(json["grip"], place + "/grip");
  for (const auto& [name, poses] : member(json, "grasps", place).items())
    object.grasps[name] = poses_of(poses, place + "/grasps/" + name);
  return object;
}

Place place_of(const Json& json, const std::string& where) {
  allow_keys(json, {"name", "poses", "rest"}, where);
  Place place;
  place.name = text_of(member(json, "name", where), where + "/name");
  place.release = poses_of(member(json, "poses", where), where + "/poses");
  if (json.contains("rest")) place.rest = poses_of(json["rest"], where + "/rest");
  return place;
}

World world_of(const Json& json) {
  allow_keys(json, {"proven", "scene", "arm", "objects", "places", "clearance"}, "");
  if (member(json, "proven", "") != 1) fail("/proven", "expected version 1");
  World world;
  world.arm = arm_of(member(json, "arm", ""), "/arm");
  for (const Json& entry : member(json, "objects", ""))
    world.objects.push_back(object_of(entry, fmt::format("/objects/{}", world.objects.size())));
  for (const Json& entry : member(json, "places", ""))
    world.places.push_back(place_of(entry, fmt::format("/places/{}", world.places.size())));
  if (json.contains("clearance")) world.clearance = number_of(json["clearance"], "/clearance");
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

Json to_json(const World& world) {
  const Arm& arm = world.arm;
  Json json = {{"proven", 1}, {"scene", "scene.json"}};
  json["arm"] = {{"joints", arm.joints}, {"hand", arm.hand}, {"grip", to_json(arm.X_HT)}};
  if (!arm.fingers.empty()) {
    json["arm"]["fingers"] = arm.fingers;
    json["arm"]["open"] = arm.open;
  }
  json["arm"]["touch"] = arm.touch;
  json["objects"] = Json::array();
  for (const Object& object : world.objects) {
    Json entry = {{"name", object.name}, {"grip", object.grip}};
    for (const auto& [name, poses] : object.grasps) entry["grasps"][name] = to_json(poses);
    json["objects"].push_back(std::move(entry));
  }
  json["places"] = Json::array();
  for (const Place& place : world.places) {
    Json entry = {{"name", place.name}, {"poses", to_json(place.release)}};
    if (!place.rest.empty()) entry["rest"] = to_json(place.rest);
    json["places"].push_back(std::move(entry));
  }
  json["clearance"] = world.clearance;
  return json;
}

template <class T>
const T* find(const std::vector<T>& list, const std::string& name) {
  for (const T& entry : list)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace

const Object* World::find_object(const std::string& name) const {
  return find(objects, name);
}

const Place* World::find_place(const std::string& name) const {
  return find(places, name);
}

Result<void> validate(const World& world) {
  const auto scene = build_scene(world.scene);
  if (!scene.ok()) return scene.error();
  const KinematicTree& tree = scene.value().tree();
  const auto unknown = [](const std::string& what, const std::string& name) {
    return bad_input(fmt::format("the scene has no {} named '{}'", what, name));
  };
  for (const std::string& joint : world.arm.joints)
    if (tree.find_coordinate(joint) < 0) return unknown("joint", joint);
  if (!world.arm.fingers.empty() && tree.find_coordinate(world.arm.fingers) < 0)
    return unknown("joint", world.arm.fingers);
  if (tree.find_link(world.arm.hand) < 0) return unknown("link", world.arm.hand);
  for (const std::string& link : world.arm.touch)
    if (scene.value().find_body(link) < 0) return unknown("body", link);
  for (const Object& object : world.objects)
    if (!find(world.scene.obstacles, object.name)) return unknown("obstacle", object.name);
  for (const Place& place : world.places)
    if (!place.rest.empty() && place.rest.size() != place.release.size())
      return bad_input(
          fmt::format("place '{}' needs one pose of rest for each of release", place.name));
  if (!(world.clearance >= 0)) return bad_input("the clearance must not be negative");
  return {};
}

Result<World> load_world(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return Error{ErrorCode::not_found, "cannot be read", file.string()};
  try {
    const Json json = Json::parse(in);
    World world = world_of(json);
    auto source =
        load_scene_source(file.parent_path() / text_of(member(json, "scene", ""), "/scene"));
    if (!source.ok()) return source.error();
    world.scene = std::move(source).value();
    if (const auto valid = validate(world); !valid.ok()) {
      Error error = valid.error();
      error.context = error.context.empty() ? file.string() : file.string() + ": " + error.context;
      return error;
    }
    return world;
  } catch (const std::exception& error) {
    return bad_input(error.what(), file.string());
  }
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
  const std::filesystem::path file = folder / "world.json";
  if (!(std::ofstream(file) << to_json(world).dump(1) << "\n"))
    return Error{ErrorCode::not_found, "cannot be written", file.string()};
  return {};
}

}  // namespace proven::manipulation
