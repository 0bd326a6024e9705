#include "tools/scene_argument.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "proven/base/words.h"
#include "proven/geometry/body_geometry.h"
#include "scenes/scenes.h"

namespace proven::tools {

std::shared_ptr<SceneArgument> add_scene_argument(Arguments& arguments, const std::string& name,
                                                  bool required,
                                                  const std::vector<std::string>& actions) {
  auto argument = std::make_shared<SceneArgument>();
  const char* const help =
      "Scene JSON, URDF or planning-scene YAML, or the name of a built-in scene";
  if (required)
    arguments.add_required(name, argument->scene, help);
  else
    arguments.add(name, argument->scene, help);
  std::vector<std::string> built_in;
  for (const SceneInfo& info : list_scenes()) built_in.emplace_back(info.name);
  arguments.suggest(std::move(built_in));
  const auto only_for_actions = [&] {
    if (!actions.empty()) arguments.only_for(actions);
  };
  arguments.add_repeatable("--package", argument->packages, "NAME=FOLDER for package://NAME/...");
  only_for_actions();
  arguments.add("--robot", argument->robot, "URDF of the robot of a planning-scene YAML");
  only_for_actions();
  arguments.add_flag("--trust-srdf-never", argument->trust_srdf_never,
                     "Also exclude the pairs that an SRDF disables as Never (not proved)");
  only_for_actions();
  arguments.add_flag("--allow-empty", argument->allow_empty,
                     "Accept robots of which no link has collision geometry");
  only_for_actions();
  arguments.add("--ignore-elements", argument->ignore_elements,
                "NAME[,NAME]: pass over unknown elements and attributes of URDFs; verdicts say so");
  only_for_actions();
  return argument;
}

PathOptions PathReading::options() const {
  if (interpolation == "as-given") return {ignore_limits};
  return {ignore_limits, parse_word<Interpolation>(interpolation).value()};
}

void add_path_options(Arguments& arguments, PathReading& reading,
                      const std::vector<std::string>& actions) {
  arguments.add_flag("--ignore-limits", reading.ignore_limits, "Accept a path beyond joint limits");
  if (!actions.empty()) arguments.only_for(actions);
  arguments.add_choice("--interpolation", reading.interpolation,
                       {"as-given", "linear", "cubic", "quintic"},
                       "What is between the points of a trajectory; as-given: cubics if it gives "
                       "velocities, quintics with accelerations too, else straight lines");
  if (!actions.empty()) arguments.only_for(actions);
}

void add_require_solid(Arguments& arguments, SceneArgument& argument) {
  arguments.add_flag("--require-solid", argument.require_solid,
                     "Refuse a scene with tested bodies that have no well-defined inside");
}

std::vector<std::string> bodies_without_inside(const Scene& scene) {
  std::vector<std::string> names;
  for (const int body : scene.bodies_without_inside()) names.push_back(scene.body(body).name);
  return names;
}

Error not_solid(const SceneArgument& argument, const std::vector<std::string>& bodies) {
  return bad_input(
      fmt::format("--require-solid: no well-defined inside, since a mesh is open: {}; close the "
                  "mesh, give its walls a thickness, or use a primitive or a convex hull",
                  fmt::join(bodies, ", ")),
      argument.scene);
}

namespace {

Result<Scene> required_solid(const SceneArgument& argument, Result<Scene> scene) {
  if (!scene.ok() || !argument.require_solid) return scene;
  const std::vector<std::string> bodies = bodies_without_inside(scene.value());
  if (!bodies.empty()) return not_solid(argument, bodies);
  return scene;
}

}  // namespace

bool is_built_in(const SceneArgument& argument) {
  return !std::filesystem::exists(argument.scene) && make_scene(argument.scene).ok();
}

Result<std::set<std::string>> parse_ignored(const std::string& names) {
  std::set<std::string> list;
  for (std::size_t begin = 0; !names.empty() && begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    if (end == begin)
      return bad_input(fmt::format("--ignore-elements takes NAME[,NAME], got '{}'", names));
    list.insert(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

Result<SceneOptions> options_of(const SceneArgument& argument) {
  SceneOptions options;
  auto ignored = parse_ignored(argument.ignore_elements);
  if (!ignored.ok()) return ignored.error();
  options.ignore_elements = std::move(ignored).value();
  options.trust_srdf_never = argument.trust_srdf_never;
  options.robot = argument.robot;
  options.allow_empty = argument.allow_empty;
  options.cache = default_cache_folder();
  for (const std::string& package : argument.packages) {
    const std::size_t equals = package.find('=');
    if (equals == 0 || equals == std::string::npos)
      return bad_input(fmt::format("--package takes NAME=FOLDER, got '{}'", package));
    const std::string name = package.substr(0, equals);
    if (!options.packages.emplace(name, package.substr(equals + 1)).second)
      return bad_input(fmt::format("--package {} is given twice", name));
  }
  if (!std::filesystem::exists(argument.scene))
    return Error{ErrorCode::not_found,
                 "no such file, and no built-in scene of that name (`proven scene` lists them)",
                 argument.scene};
  return options;
}

Result<SceneSource> load_source(const SceneArgument& argument, std::vector<RobotVisuals>* visuals) {
  if (visuals) visuals->clear();
  if (is_built_in(argument)) return make_scene(argument.scene);
  const auto options = options_of(argument);
  if (!options.ok()) return options.error();
  if (visuals) return load_scene_source(argument.scene, options.value(), *visuals);
  return load_scene_source(argument.scene, options.value());
}

Result<Scene> build(const SceneArgument& argument, const SceneSource& source) {
  auto scene = build_scene(source, argument.trust_srdf_never);
  if (scene.ok()) return required_solid(argument, std::move(scene));
  return Error{scene.error().code, scene.error().text(), argument.scene};
}

Result<Scene> load(const SceneArgument& argument, LoadedParts* parts) {
  if (is_built_in(argument))
    return required_solid(argument, build_scene(make_scene(argument.scene).value()));
  const auto options = options_of(argument);
  if (!options.ok()) return options.error();
  if (!parts) return required_solid(argument, load_scene(argument.scene, options.value()));
  return required_solid(argument, load_scene(argument.scene, options.value(), *parts));
}

}  // namespace proven::tools
