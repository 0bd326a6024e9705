#include "proven/verify/readers.h"

#include <new>

#include "verify/readers/scenes.h"

namespace proven::verifier {
namespace {

template <class T, class Read>
Result<T> guarded(const std::filesystem::path& file, Read&& read) {
  try {
    return at_place(file.string(), read);
  } catch (const Unreadable& error) {
    return bad_input(error.message, error.place);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::exhausted, "out of memory while reading it", file.string()};
  }
}

SceneSource read_robot_alone(const std::filesystem::path& file, const SceneReading& options,
                             Meshes& meshes) {
  SceneSource scene;
  RobotSource& robot = scene.robots.emplace_back();
  robot.robot = read_urdf(file, options.packages,
                          {options.ignore_elements.begin(), options.ignore_elements.end()}, meshes);
  robot.name = robot.robot.name;
  return scene;
}

}  // namespace

Result<SceneSource> read_scene(const std::filesystem::path& file, const SceneReading& options) {
  return guarded<SceneSource>(file, [&] {
    Meshes meshes;
    expect_folders(options.packages);
    const auto with_all_named = [&](SceneSource scene) {
      if (!options.packages_may_be_unused) expect_named(options.packages, meshes.packages);
      return scene;
    };
    const std::string ending = ending_of(file);
    if (ending == ".urdf" || ending == ".xml")
      return with_all_named(read_robot_alone(file, options, meshes));
    if (ending == ".json") return with_all_named(read_scene_json(file, options, meshes));
    if (is_yaml(file)) return with_all_named(read_planning_scene(file, options, meshes));
    refuse(file.string(), "scenes end in .json, .urdf, .xml, .yaml or .yml");
  });
}

Result<Motion> read_path(const std::filesystem::path& file, const SceneSource& scene,
                         const PathReading& options) {
  return guarded<Motion>(file, [&] { return read_any_path(file, scene, options); });
}

Result<std::vector<Result<Motion>>> read_paths(const std::filesystem::path& file,
                                               const SceneSource& scene,
                                               const PathReading& options) {
  return guarded<std::vector<Result<Motion>>>(file, [&] {
    const std::string text = file_text(file);
    std::vector<Result<Motion>> paths;
    std::string_view rest = text, line;
    for (long number = 1; take_line(rest, line); ++number)
      if (!without_blanks(line).empty())
        paths.push_back(guarded<Motion>(line_place(file, number),
                                        [&] { return read_path_line(line, scene, options); }));
    if (paths.empty()) refuse(file.string(), "no path");
    return paths;
  });
}

Result<Motion> read_path_text(const std::string& name, std::string_view text, TextForm form,
                              const SceneSource& scene, const PathReading& options) {
  return guarded<Motion>(name, [&] {
    return form == TextForm::csv ? read_path_table(name, text, scene, options)
                                 : read_path_line(text, scene, options);
  });
}

Result<std::vector<KeptFrame>> read_constraints(const std::filesystem::path& file,
                                                const SceneSource& scene) {
  return guarded<std::vector<KeptFrame>>(
      file, [&] { return constraints_at(read_tree(file).root, scene); });
}

Result<std::vector<KeptFrame>> read_constraints_text(const std::string& name, std::string_view text,
                                                     const SceneSource& scene) {
  return guarded<std::vector<KeptFrame>>(name, [&] { return constraints_in(text, scene); });
}

Result<TriangleMesh> read_mesh(const std::filesystem::path& file) {
  return guarded<TriangleMesh>(file, [&] { return *Meshes().mesh(file, {1, 1, 1}); });
}

}  // namespace proven::verifier
