#include "io/sdf_world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "io/text.h"

namespace proven::io {
namespace {

// Light, wind and windows are no bodies; of other models the caller tells.
const XmlFile::Rule& world_rule() {
  static const XmlFile::Rule kRule = {
      "world",
      {"name"},
      {"model", "include", "joint", "state", "frame"},
      {"physics", "scene", "gravity", "magnetic_field", "atmosphere", "wind",
       "spherical_coordinates", "gui", "audio", "light", "road", "plugin", "actor", "population"},
      {}};
  return kRule;
}

std::string name_of(const SdfElement& at) {
  if (std::string_view(at.xml->Name()) == "model") return at.text("name");
  if (const auto name = at.child("name")) return name->content();
  const std::filesystem::path uri = at.required("uri").content();
  const bool is_file = uri.filename() == "model.sdf";
  return (is_file ? uri.parent_path() : uri).stem().string();
}

// Whether a text names the model or something in it.
bool names(const std::string& text, const std::string& model) {
  return text == model || text.starts_with(model + "::");
}

// A world may hold a model by a joint, or put it elsewhere.
void refuse_moved(const SdfElement& world, const std::string& name) {
  for (const XmlElement* e : XmlFile::children(*world.xml, "joint")) {
    const SdfElement joint{world.file, e};
    for (const char* end : {"parent", "child"})
      if (const auto named = joint.child(end); named && names(named->content(), name))
        joint.fail("a joint of the world holds the model; put it into the model");
  }
  for (const XmlElement* state : XmlFile::children(*world.xml, "state"))
    for (const XmlElement* e : XmlFile::children(*state, "model"))
      if (SdfElement{world.file, e}.text("name") == name)
        world.file->fail(*e, "<state> puts the model elsewhere than its <pose>; remove it");
}

}  // namespace

WorldModel find_world_model(const SdfElement& world, const std::string& name) {
  const XmlFile::Rule& rule = world_rule();
  std::vector<WorldModel> models;
  std::vector<std::string> list;
  for (const XmlElement* e = world.xml->FirstChildElement(); e; e = e->NextSiblingElement()) {
    const std::string_view kind = e->Name();
    const bool known = std::ranges::find(rule.children, kind) != rule.children.end() ||
                       std::ranges::find(rule.passed, kind) != rule.passed.end() ||
                       kind.find(':') != std::string_view::npos;
    if (!known) world.file->refuse_child(*e, "world", rule);
    if (kind != "model" && kind != "include") continue;
    const SdfElement at{world.file, e};
    models.push_back({at, name_of(at), 0});
    list.push_back(models.back().name);
  }
  if (models.empty()) world.fail("the world has no model");
  if (name.empty() && models.size() > 1)
    world.fail(fmt::format("a world is not one robot; --model chooses one of its models: {}",
                           fmt::join(list, ", ")));
  const WorldModel* found = nullptr;
  for (const WorldModel& model : models) {
    if (!name.empty() && model.name != name) continue;
    if (found) model.at.fail(fmt::format("two models are named {}", quote(name)));
    found = &model;
  }
  if (!found)
    world.fail(
        fmt::format("the world has no model {}; it has {}", quote(name), fmt::join(list, ", ")));
  refuse_moved(world, found->name);
  WorldModel chosen = *found;
  chosen.others = static_cast<int>(models.size()) - 1;
  return chosen;
}

}  // namespace proven::io
