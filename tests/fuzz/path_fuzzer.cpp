#include "fuzz.h"
#include "places.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"

namespace proven::fuzz {
namespace {

const Scene& scene() {
  static const Scene scene =
      load_scene(std::filesystem::path(test::source_dir()) / "tests/bad_input/ok/scene.json")
          .value();
  return scene;
}

// A path that was read comes back bit for bit.
bool path(Bytes input, const char* ending) {
  const auto file = as_file(input, ending);
  answers(inspect_path(file));
  answers(load_query(file, scene()));
  const auto path = load_path(file, scene(), {.ignore_limits = true});
  if (!answers(path)) return false;
  if (path.value().waypoints.empty()) broken("a path has waypoints");
  const auto copy = as_file({}, "again.json");
  if (!save_path(copy, path.value(), scene()).ok()) broken("a path can be written");
  const auto again = load_path(copy, scene(), {.ignore_limits = true});
  if (!again.ok() || again.value().waypoints != path.value().waypoints ||
      again.value().inner != path.value().inner || again.value().times != path.value().times)
    broken("a path comes back as it was");
  for (const char* other : {"again.yaml", "again.csv"}) {
    const auto trajectory = as_file({}, other);
    if (!save_path(trajectory, path.value(), scene()).ok()) continue;  // says why
    const auto read = load_path(trajectory, scene(), {.ignore_limits = true});
    if (!read.ok() || read.value().waypoints != path.value().waypoints)
      broken("a trajectory that was written passes the same waypoints");
  }
  return true;
}

bool lines(Bytes input) {
  const auto paths = load_paths(as_file(input, "jsonl"), scene());
  if (!answers(paths)) return false;
  bool any = false;
  for (const auto& one : paths.value()) any |= answers(one);
  return any;
}

std::vector<std::string> json() {
  return {R"({"proven": 1, "joints": ["shoulder", "arm/slide"], "waypoints": [[0, 0.1], [1, 0.2]],
 "times": [0, 1.5]})",
          R"({"joint_names": ["shoulder", "slide"], "points": [
 {"positions": [0, 0], "time_from_start": {"secs": 0, "nsecs": 0}},
 {"positions": [1, 0.1], "velocities": [0, 0], "time_from_start": 1.5}]})",
          R"({"proven": 1, "joints": ["shoulder", "slide"], "pieces": [
 {"begin": 0, "end": 1.5, "bezier": [[0, 0.1], [1, 0.2], [0.5, 0.1]]},
 {"begin": 1.5, "end": 2, "bezier": [[0.5, 0.1], [1, 0.1]]}]})",
          R"({"proven": 1, "joints": ["shoulder"], "start": [0], "goal": [1]})"};
}

std::vector<std::string> yaml() {
  return {
      "joint_names: [shoulder, slide]\npoints:\n  - positions: [0, 0]\n    time_from_start: 0\n"
      "  - positions: [1, 0.1]\n    time_from_start: 1.5\n",
      "joint_names: [shoulder, slide]\npoints:\n"
      "  - {positions: [0, 0], velocities: [1, 0], accelerations: [0, 0.1], time_from_start: 0}\n"
      "  - {positions: [1, 0.1], velocities: [0, 0], accelerations: [1, 0], time_from_start: 1}\n",
      "start_state:\n  joint_state: {name: [shoulder], position: [0]}\ngoal_constraints:\n"
      "  - joint_constraints:\n      - {joint_name: shoulder, position: 1}\n"};
}

std::vector<std::string> csv() {
  return {"time,shoulder,slide\n0,0,0\n1.5,1,0.1\n",
          "time,shoulder,shoulder.velocity\n0,0,1\n1.5,1,0.1\n"};
}
std::vector<std::string> matrix() {
  return {"0 0\n1 0.1 \n\n", "0 0\n1e-3 1E2\n"};
}
std::vector<std::string> json_lines() {
  return {"{\"proven\": 1, \"joints\": [\"shoulder\"], \"waypoints\": [[0], [1]]}\n\n[]\n"};
}

}  // namespace

std::vector<Fuzzer> path_fuzzers() {
  return {
      {"path_json",
       [](Bytes input) { return path(input, "json"); },
       {"bad_input/paths/*.json"},
       json},
      {"path_yaml",
       [](Bytes input) { return path(input, "yaml"); },
       {"bad_input/paths/*.yaml"},
       yaml},
      {"path_csv", [](Bytes input) { return path(input, "csv"); }, {"bad_input/paths/*.csv"}, csv},
      {"path_matrix",
       [](Bytes input) { return path(input, "txt"); },
       {"bad_input/paths/*.txt"},
       matrix},
      {"path_lines", lines, {}, json_lines}};
}

}  // namespace proven::fuzz
