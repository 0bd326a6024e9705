// Where packages are: the mapping of a scene, and the names of meshes in it. Folders of the same
// names, with other meshes, lie where an upward search finds them.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/doors/converted.h"
#include "bench/doors/digest.h"
#include "bench/doors/python_reader.h"
#include "proven/io/file.h"
#include "proven/io/scene_file.h"
#include "proven/verify/readers.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// A mapping is of packages that are used, to folders that are there.
constexpr SpecRow kRows[] = {
    {"file", "", "proven! robots?"},
    {"proven", "", "", "w(1)"},
    {"robots", "", "item*"},
    {"item", "", "name! urdf! packages?"},
    {"name", "", "", "s"},
    {"urdf", "", "", "w(arm.urdf)"},
    {"packages", "", "parts? tools?"},
    {"parts tools", "", "", "w(../store_a|../store_b)"},
};

constexpr SpecRow kUrdfRows[] = {
    {"robot", "name=t/e^?", "link+ joint*", "d"},
    {"link", "name=t!", "collision* visual~ inertial~"},
    {"collision", "name=d?", "geometry! origin?{0 0 0 0 0 0}"},
    {"geometry", "", "mesh!"},
    {"mesh",
     "filename=w(package://parts/corner.stl|package://tools/corner.stl|package://near/corner.stl)! "
     "scale=N3?1_1_1",
     ""},
    {"joint", "name=t^! type=w(fixed)!", "parent! child!"},
    {"parent child", "link=t!", ""},
};

constexpr const char* kScene = R"({"proven": 1, "robots": [
  {"name": "arm", "urdf": "arm.urdf", "packages": {"parts": "../store_a", "tools": "../store_b"}}]})";

constexpr const char* kUrdf = R"(<robot name="hand">
  <link name="base"><collision><geometry><mesh filename="package://parts/corner.stl"/></geometry></collision></link>
  <link name="tool"><collision><geometry><mesh filename="package://tools/corner.stl" scale="1 2 1"/></geometry></collision></link>
  <link name="plate"><collision><geometry><mesh filename="package://near/corner.stl"/></geometry></collision></link>
  <joint name="a" type="fixed"><parent link="base"/><child link="tool"/></joint>
  <joint name="b" type="fixed"><parent link="base"/><child link="plate"/></joint>
</robot>
)";

Result<SceneSource> source_of(const fs::path& scene) {
  auto source = load_scene_source(scene);
  if (!source.ok()) return source;
  if (const auto built = build_scene(source.value()); !built.ok()) return built.error();
  return source;
}

// Of each body the sum of its triangles' corners: all meshes differ in it.
std::vector<Fact> facts_of(const SceneSource& scene) {
  std::vector<Fact> facts;
  for (const RobotSource& robot : scene.robots)
    for (const RobotLink& link : robot.robot.links) {
      double sum = 0;
      for (const CollisionElement& element : link.collision)
        if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&element.shape))
          for (const auto& triangle : (*mesh)->triangles)
            for (const auto corner : triangle) {
              const Vec3& v = (*mesh)->vertices[static_cast<std::size_t>(corner)];
              sum += v.x + 2 * v.y + 3 * v.z;
            }
      if (!link.collision.empty()) facts.push_back({robot.name + "/" + link.name, sum});
    }
  std::ranges::sort(facts, {}, &Fact::name);
  return facts;
}

Result<Reading> read_product(const fs::path& file) {
  const auto source = source_of(file);
  if (!source.ok()) return source.error();
  Reading reading{digest(source.value()), source.value().warnings, facts_of(source.value())};
  for (const RobotSource& robot : source.value().robots)
    reading.remarks.insert(reading.remarks.end(), robot.robot.warnings.begin(),
                           robot.robot.warnings.end());
  return reading;
}

Result<Reading> read_verifier(const fs::path& file) {
  const auto source = verifier::read_scene(file);
  if (!source.ok()) return source.error();
  return Reading{digest(source.value()), {}, facts_of(source.value())};
}

Reading from_python(const nlohmann::json& answer) {
  Reading reading;
  for (const auto& body : answer) reading.facts.push_back({body[0], body[1]});
  std::ranges::sort(reading.facts, {}, &Fact::name);
  return reading;
}

void prepare(const fs::path& folder) {
  double size = 0.1;
  for (const char* name : {"store_a", "store_b", "parts", "tools", "near", "Parts", "part"}) {
    fs::create_directories(folder / name);
    write_corner(folder / name / "corner.stl", size *= 1.5);
  }
}

Door with(const Spec& spec, const char* name, const char* ending, DoorFile file) {
  Door door;
  door.name = name;
  door.ending = ending;
  door.spec = &spec;
  door.files = {std::move(file)};
  door.prepare = prepare;
  door.place = [](const fs::path& folder, std::size_t i, const std::string& kind,
                  const std::string& text) {
    const fs::path own = folder / std::to_string(i);
    fs::create_directories(own);
    (void)write_file(own / "scene.json", kind == "scene" ? text : kScene);
    (void)write_file(own / "arm.urdf", kind == "urdf" ? text : kUrdf);
    return own / "scene.json";
  };
  door.readers = {{"checker", Scope::product, one_by_one(read_product)},
                  {"verifier", Scope::product, one_by_one(read_verifier)}};
  if (auto python = python_reader("packages", from_python); python)
    door.readers.push_back({"Python", Scope::verifier, *python});
  return door;
}

}  // namespace

std::vector<Door> packages_doors() {
  static const Spec kSpec{kRows}, kUrdfSpec{kUrdfRows};
  return {with(kSpec, "packages", ".json", {"scene", kScene}),
          with(kUrdfSpec, "packages (names of meshes)", ".urdf", {"urdf", kUrdf})};
}

}  // namespace proven::bench
