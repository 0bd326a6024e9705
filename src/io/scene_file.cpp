#include "proven/io/scene_file.h"

#include <fmt/format.h>

#include <system_error>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/scene_readers.h"
#include "io/text.h"
#include "proven/base/parallel.h"
#include "proven/io/visuals.h"

namespace proven {
namespace io {
namespace {

SceneSource read_single_robot(const std::filesystem::path& file, const SceneOptions& options,
                              MeshCache& meshes) {
  RobotSource robot;
  robot.robot = read_urdf(file,
                          UrdfOptions{.packages = options.packages,
                                      .allow_empty = options.allow_empty,
                                      .ignore_elements = options.ignore_elements},
                          meshes);
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

SceneSource read_scene(const std::filesystem::path& file, const SceneOptions& options,
                       GeometryCache* cache, std::vector<RobotVisuals>* visuals = nullptr,
                       LoadedParts* parts = nullptr) {
  MeshCache meshes(cache, parts);
  meshes.visuals = visuals;
  const auto place = [&] { return file.string(); };
  at_place(place, [&] { require_package_folders(options.packages); });
  const auto checked = [&](SceneSource scene) {
    if (!options.packages_may_be_unused)
      at_place(place, [&] { require_packages_used(options.packages, meshes.packages); });
    return scene;
  };
  const std::string ending = extension(file);
  if (ending == ".urdf" || ending == ".xml")
    return checked(read_single_robot(file, options, meshes));
  if (is_yaml(file)) return checked(read_planning_scene(file, options, meshes));
  if (ending == ".json") return checked(read_scene_json(file, options, meshes));
  if (ending == ".sdf" || ending == ".mjcf" || ending == ".xacro")
    fail(file.string(),
         fmt::format("it is not URDF; run: proven convert {} -o robot.urdf",
                     file.filename().string()),
         ErrorCode::unsupported);
  fail(file.string(), fmt::format("scenes end in .json, .urdf or .yaml, not in {}", quote(ending)),
       ErrorCode::unsupported);
}

std::size_t num_pieces(const std::vector<CollisionElement>& elements) {
  std::size_t count = 0;
  for (const CollisionElement& element : elements) {
    const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&element.shape);
    count += mesh ? (*mesh)->triangles.size() : 1;
  }
  return count;
}

// Builds the large bodies with the help of the cache. What cannot be built is left to the builder
// of the scene, which tells why.
void prepare_geometry(SceneSource& scene, GeometryCache& cache) {
  struct Large {
    const std::vector<CollisionElement>& elements;
    std::shared_ptr<const BodyGeometry>& geometry;
  };
  std::vector<Large> bodies;
  const auto add = [&](const auto& elements, auto& geometry) {
    if (!geometry && num_pieces(elements) >= GeometryCache::kLeastPieces)
      bodies.push_back({elements, geometry});
  };
  for (RobotSource& robot : scene.robots)
    for (RobotLink& link : robot.robot.links) add(link.collision, link.geometry);
  for (ObstacleSource& obstacle : scene.obstacles) add(obstacle.elements, obstacle.geometry);
  for (AttachedSource& held : scene.attached) add(held.elements, held.geometry);
  parallel_for(static_cast<int>(bodies.size()), 0, [&](int item, int) {
    const Large& body = bodies[static_cast<std::size_t>(item)];
    auto built = BodyGeometry::build(body.elements, &cache);
    if (built.ok()) body.geometry = std::move(built).value();
  });
}

}  // namespace
}  // namespace io

Result<SceneSource> load_scene_source(const std::filesystem::path& file,
                                      const SceneOptions& options) {
  return io::guarded<SceneSource>(file, [&] { return io::read_scene(file, options, nullptr); });
}

Result<SceneSource> load_scene_source(const std::filesystem::path& file,
                                      const SceneOptions& options,
                                      std::vector<RobotVisuals>& visuals) {
  visuals.clear();
  return io::guarded<SceneSource>(file,
                                  [&] { return io::read_scene(file, options, nullptr, &visuals); });
}

namespace io {
namespace {

Result<Scene> load_scene_with(const std::filesystem::path& file, const SceneOptions& options,
                              LoadedParts* parts) {
  return guarded<Scene>(file, [&] {
    GeometryCache cache(options.cache);
    SceneSource source = read_scene(file, options, &cache, nullptr, parts);
    if (parts) parts->give_to(source);
    if (cache.keeps()) prepare_geometry(source, cache);
    Result<Scene> scene = build_scene(source, options.trust_srdf_never);
    if (!scene.ok()) fail(file.string(), scene.error().text(), scene.error().code);
    if (parts) parts->keep_of(scene.value());
    return std::move(scene).value();
  });
}

}  // namespace
}  // namespace io

Result<Scene> load_scene(const std::filesystem::path& file, const SceneOptions& options) {
  return io::load_scene_with(file, options, nullptr);
}

Result<Scene> load_scene(const std::filesystem::path& file, const SceneOptions& options,
                         LoadedParts& parts) {
  return io::load_scene_with(file, options, &parts);
}

}  // namespace proven
