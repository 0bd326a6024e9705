#include <algorithm>

#include "bench/suite/brute_force.h"
#include "bench/suite/suite.h"
#include "proven/io/mesh_file.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// An SRDF beside the URDF whose name starts as the URDF's.
fs::path srdf_of(const fs::path& urdf) {
  for (const auto& file : fs::directory_iterator(urdf.parent_path()))
    if (file.path().extension() == ".srdf" &&
        file.path().filename().string().starts_with(urdf.stem().string() + "."))
      return file.path();
  return {};
}

// Bars and boxes around the robot, of its own size, and a mesh.
std::vector<ObstacleSource> obstacles(double reach, const fs::path& data) {
  const auto at = [&](double x, double y, double z) {
    return Pose::translation({reach * x, reach * y, reach * z});
  };
  std::vector<ObstacleSource> all = {
      {"table", {{Box{{0.25 * reach, 0.4 * reach, 0.01}}, Pose{}, ""}}, at(0.75, 0, 0.2)},
      {"sheet", {{Box{{0.001, 0.3 * reach, 0.3 * reach}}, Pose{}, ""}}, at(-0.6, 0, 0.6)},
      {"post", {{Cylinder{0.01, 0.5 * reach}, Pose{}, ""}}, at(0.4, 0.5, 0.5)},
      {"ball", {{Sphere{0.08 * reach}, Pose{}, ""}}, at(0.3, -0.5, 0.8)}};
  const auto mesh = load_mesh(data / "obstacles" / "trimesh_models" / "featuretype.stl",
                              {0.0254, 0.0254, 0.0254});
  if (mesh.ok()) all.push_back({"part", {{mesh.value(), Pose{}, ""}}, at(0.5, -0.2, 0.4)});
  return all;
}

// Links whose models overlap even at rest would make every motion collide.
std::vector<ExclusionSource> touching_at_rest(const Scene& scene) {
  std::vector<double> rest = scene.tree().zero_configuration();
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Coordinate& c = scene.tree().coordinates()[i];
    if (!c.quaternion) rest[i] = std::clamp(rest[i], c.lower, c.upper);
  }
  const FclModel model(scene);
  FclOracle oracle(model);
  std::vector<ExclusionSource> touching;
  for (const int index : oracle.pairs_with_overlapping_boxes(rest)) {
    const BodyPair& pair = scene.pairs()[static_cast<std::size_t>(index)];
    if (oracle.collides(index) || BruteForce(scene, rest, pair.a, pair.b).contained())
      touching.push_back({scene.body(pair.a).name, scene.body(pair.b).name, "overlap at rest"});
  }
  return touching;
}

Result<SuiteScene> load(const fs::path& urdf, const fs::path& data) {
  auto robot = load_urdf(urdf);
  if (!robot.ok()) return robot.error();
  if (const fs::path srdf = srdf_of(urdf); !srdf.empty())
    if (auto applied = apply_srdf(srdf, robot.value()); !applied.ok()) return applied.error();
  SceneSource source;
  source.robots.push_back({"robot", std::move(robot).value(), Pose{}});
  source.obstacles = obstacles(1.0, data);
  const auto scene = build_scene(source);
  if (!scene.ok()) return scene.error();
  source.exclusions = touching_at_rest(scene.value());
  return make_suite_scene(std::move(source), [](FclOracle& oracle, Random& random) {
    return random_case({.longest = 0.3}, oracle, random);
  });
}

}  // namespace

std::vector<SuiteEntry> robot_entries(const fs::path& data) {
  std::vector<fs::path> urdfs;
  if (fs::is_directory(data / "robots"))
    for (const auto& file : fs::recursive_directory_iterator(data / "robots"))
      if (file.path().extension() == ".urdf") urdfs.push_back(file.path());
  std::sort(urdfs.begin(), urdfs.end());
  std::vector<SuiteEntry> entries;
  for (const fs::path& urdf : urdfs) {
    // A robot of many links takes FCL milliseconds for one sample.
    const int cases = urdf.stem() == "pr2" ? 100 : 1000;
    entries.push_back({urdf.stem().string(), cases, [urdf, data] { return load(urdf, data); }});
  }
  return entries;
}

std::vector<SuiteEntry> suite_entries(const fs::path& data) {
  std::vector<SuiteEntry> all = built_in_entries();
  for (auto& entry : adversarial_entries()) all.push_back(std::move(entry));
  for (auto& entry : glide_entries()) all.push_back(std::move(entry));
  for (auto& entry : robot_entries(data)) all.push_back(std::move(entry));
  return all;
}

}  // namespace proven::bench
