#include "bench/doors/converted.h"

#include <fmt/format.h>

#include "bench/doors/digest.h"
#include "proven/io/convert.h"
#include "proven/io/file.h"
#include "proven/io/mesh_file.h"
#include "proven/io/scene_file.h"
#include "proven/verify/readers.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

fs::path with_ending(fs::path file, const char* ending) {
  return file.replace_extension(ending);
}

Result<SceneSource> read_written(const fs::path& scene) {
  auto source = load_scene_source(scene);
  if (!source.ok()) return source;
  if (const auto built = build_scene(source.value()); !built.ok()) return built.error();
  return source;
}

// Beside the file: a URDF, an SRDF and a scene of both, or none of them.
Result<Reading> convert_and_read(const fs::path& file,
                                 const std::map<std::string, std::string>& arguments) {
  const fs::path urdf = with_ending(file, ".urdf"), srdf = with_ending(file, ".srdf"),
                 scene = with_ending(file, ".json");
  std::error_code ignored;
  fs::remove(scene, ignored);
  ConvertOptions options;
  options.arguments = arguments;
  options.folder = file.parent_path();
  const auto converted = convert_robot(file, options);
  if (!converted.ok()) return converted.error();
  std::string srdf_key;
  (void)write_file(urdf, converted.value().urdf);
  if (converted.value().needs_srdf) {
    (void)write_file(srdf, converted.value().srdf);
    srdf_key = fmt::format(", \"srdf\": \"{}\"", srdf.filename().string());
  }
  (void)write_file(
      scene, fmt::format(R"({{"proven": 1, "robots": [{{"name": "robot", "urdf": "{}"{}}}]}})",
                         urdf.filename().string(), srdf_key));
  const auto source = read_written(scene);
  if (!source.ok()) {
    fs::remove(scene, ignored);
    return source.error();
  }
  Reading reading{digest(source.value()), converted.value().notes, {}};
  for (const std::string& note : reading.remarks) reading.digest += note;
  for (const RobotSource& robot : source.value().robots)
    reading.remarks.insert(reading.remarks.end(), robot.robot.warnings.begin(),
                           robot.robot.warnings.end());
  return reading;
}

Result<Reading> verifier_reads(const fs::path& file) {
  const fs::path scene = with_ending(file, ".json");
  if (std::error_code error; !fs::exists(scene, error)) return bad_input("it was not converted");
  const auto own = verifier::read_scene(scene);
  if (!own.ok()) return own.error();
  const auto other = read_written(scene);
  if (!other.ok()) return other.error();
  Reading reading{digest(other.value()), {}, {}};
  if (const auto far = verifier::first_difference(own.value(), other.value()))
    reading.facts.push_back({*far, 1});
  for (const RobotSource& robot : other.value().robots)
    reading.remarks.insert(reading.remarks.end(), robot.robot.warnings.begin(),
                           robot.robot.warnings.end());
  return reading;
}

}  // namespace

std::vector<DoorReader> converted_readers(const std::map<std::string, std::string>& arguments) {
  return {{"checker", Scope::product, one_by_one([arguments](const fs::path& file) {
             return convert_and_read(file, arguments);
           })},
          {"verifier of what is written", Scope::written, one_by_one(verifier_reads)}};
}

void write_corner(const fs::path& file, double size) {
  (void)save_stl(file, {{{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}},
                        {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}});
}

}  // namespace proven::bench
