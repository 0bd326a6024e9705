#include "proven/io/scene_file.h"

#include <fmt/format.h>

#include <system_error>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/scene_readers.h"
#include "io/text.h"

namespace proven {
namespace io {
namespace {

SceneSource read_single_robot(const std::filesystem::path& file, const SceneOptions& options) {
  MeshCache meshes;
  RobotSource robot;
  robot.robot = read_urdf(file, UrdfOptions{.packages = options.packages}, meshes);
  robot.name = robot.robot.name;
  std::filesystem::path srdf = file;
  srdf.replace_extension(".srdf");
  std::error_code error;
  if (std::filesystem::is_regular_file(srdf, error))
    robot.robot.warnings.push_back(
        fmt::format("{} beside it is not used; to use it, name both in a scene file",
                    srdf.filename().string()));
  SceneSource scene;
  scene.robots.push_back(std::move(robot));
  return scene;
}

SceneSource read_scene(const std::filesystem::path& file, const SceneOptions& options) {
  const std::string ending = extension(file);
  if (ending == ".urdf" || ending == ".xml") return read_single_robot(file, options);
  if (is_yaml(file)) return read_planning_scene(file, options);
  if (ending == ".json") return read_scene_json(file, options);
  fail(file.string(), fmt::format("scenes end in .json, .urdf or .yaml, not in {}", quote(ending)),
       ErrorCode::unsupported);
}

}  // namespace
}  // namespace io

Result<SceneSource> load_scene_source(const std::filesystem::path& file,
                                      const SceneOptions& options) {
  return io::guarded<SceneSource>(file, [&] { return io::read_scene(file, options); });
}

Result<Scene> load_scene(const std::filesystem::path& file, const SceneOptions& options) {
  return io::guarded<Scene>(file, [&] {
    const SceneSource source = io::read_scene(file, options);
    Result<Scene> scene = build_scene(source, options.trust_srdf_never);
    if (!scene.ok()) io::fail(file.string(), scene.error().text(), scene.error().code);
    return std::move(scene).value();
  });
}

}  // namespace proven
