// The verifier's own readers of scenes and paths, and the comparison of what two readers read.
//
// They are built from the specifications (docs/formats.md) and share no code with proven/io: what
// is proved is then said of the file, not of one program's reading of it. docs/verifier.md says
// more.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/geometry/shapes.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene_source.h"
#include "proven/verify/verify.h"

namespace proven::verifier {

struct SceneReading {
  // Besides those that the file maps; each must be a folder, and be named by a robot.
  std::map<std::string, std::filesystem::path> packages;
  std::filesystem::path robot;  // URDF of a planning scene; sought near the file if empty
  // Unknown elements of URDFs that are passed over, besides those that the file names.
  std::set<std::string> ignore_elements = {};
  bool packages_may_be_unused = false;
};
// What lies between the points of a trajectory: what its rates say, straight lines whatever they
// say, or curves of degree 3 or 5, for which they must be there.
enum class Between { as_given, linear, cubic, quintic };
struct PathReading {
  bool ignore_limits = false;
  Between between = Between::as_given;
};

// Scenes in JSON, a URDF alone, planning scenes in YAML. An Error names file, line and cause.
// Warnings are not collected.
Result<SceneSource> read_scene(const std::filesystem::path& file, const SceneReading& options = {});
// Paths and motions in JSON, YAML, CSV and as matrices.
Result<Motion> read_path(const std::filesystem::path& file, const SceneSource& scene,
                         const PathReading& options = {});
// One per line of a *.jsonl file that is not blank; a bad line is an Error in its place.
Result<std::vector<Result<Motion>>> read_paths(const std::filesystem::path& file,
                                               const SceneSource& scene,
                                               const PathReading& options = {});
// One path in a text, as one of many in a file; `name` is for messages.
enum class TextForm { json, csv };
Result<Motion> read_path_text(const std::string& name, std::string_view text, TextForm form,
                              const SceneSource& scene, const PathReading& options = {});
// What frames must keep, from a file of its own or from a query; links are those of the scene.
Result<std::vector<KeptFrame>> read_constraints(const std::filesystem::path& file,
                                                const SceneSource& scene);
Result<std::vector<KeptFrame>> read_constraints_text(const std::string& name, std::string_view text,
                                                     const SceneSource& scene);
// A mesh or the points of a hull, by itself.
Result<TriangleMesh> read_mesh(const std::filesystem::path& file);

// The first thing in which two readings differ, with both values; nothing if they mean the same.
// Numbers must be equal as doubles. Warnings and places for messages do not count.
std::optional<std::string> first_difference(const SceneSource& a, const SceneSource& b);
std::optional<std::string> first_difference(const Motion& a, const Motion& b);
std::optional<std::string> first_difference(const TriangleMesh& a, const TriangleMesh& b);

}  // namespace proven::verifier
