#include "bench/doors/formats.h"

#include <fmt/format.h>

#include <sstream>

#include "bench/doors/digest.h"
#include "proven/io/file.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/verify/readers.h"

namespace proven::bench {
namespace {

template <class T>
Result<std::string> digest_of(const Result<T>& read) {
  if (!read.ok()) return read.error();
  return digest(read.value());
}

Result<SceneSource> read_source(const TemporaryFolder& folder, const std::string& name) {
  SceneOptions options;
  if (!name.ends_with(".json")) options.packages["arm_description"] = folder / ".";
  auto source = load_scene_source(folder / name, options);
  if (!source.ok()) return source;
  if (const auto built = build_scene(source.value()); !built.ok())
    return Error{built.error().code, built.error().text(), (folder / name).string()};
  return source;
}

Result<std::string> read_scene(const TemporaryFolder& folder, const std::string& name) {
  return digest_of(read_source(folder, name));
}

Result<std::string> read_srdf(const TemporaryFolder& folder, const std::string&) {
  return read_scene(folder, "mobile.json");
}

Result<Scene> scene_of(const TemporaryFolder& folder, const std::string& name) {
  auto source = read_source(folder, name);
  if (!source.ok()) return source.error();
  return build_scene(source.value());
}

Result<std::string> read_path(const TemporaryFolder& folder, const std::string& name) {
  const bool mobile = name.starts_with("trajectory");
  const auto scene = scene_of(folder, mobile ? "mobile.json" : "scene.json");
  if (!scene.ok()) return scene.error();
  return digest_of(load_path(folder / name, scene.value()));
}

Result<std::string> read_query(const TemporaryFolder& folder, const std::string& name) {
  const auto scene = scene_of(folder, "scene.json");
  if (!scene.ok()) return scene.error();
  return digest_of(load_query(folder / name, scene.value()));
}

Result<std::string> read_changes(const TemporaryFolder& folder, const std::string& name) {
  const auto scene = scene_of(folder, "scene.json");
  if (!scene.ok()) return scene.error();
  const auto text = read_file(folder / name);
  if (!text.ok()) return text.error();
  std::istringstream in(text.value());
  std::string all;
  long number = 0;
  for (std::string line; std::getline(in, line);) {
    const auto change = parse_change(line, scene.value(), folder / name, ++number);
    if (!change.ok()) return change.error();
    all += digest(change.value());
  }
  return all;
}

Result<std::string> read_problems(const TemporaryFolder& folder, const std::string& name) {
  ProblemSetOptions options;
  options.packages["arm_description"] = folder / ".";
  const auto problems = load_problem_set(folder / name, options);
  if (!problems.ok()) return problems.error();
  for (int i = 0; i < problems.value().size(); ++i) {
    const auto scene = problem_scene(problems.value(), i);
    if (!scene.ok()) return scene.error();
    if (const auto query = problem_query(problems.value(), i, scene.value()); !query.ok())
      return query.error();
  }
  return digest(problems.value());
}

}  // namespace

const std::vector<Format>& checker_formats() {
  static const std::vector<Format> kFormats = {
      {"URDF", {"arm.urdf"}, read_scene},
      {"SRDF", {"arm.srdf"}, read_srdf},
      {"scene", {"scene.json"}, read_scene},
      {"planning scene", {"planning_scene.yaml"}, read_scene},
      {"path", {"path.json", "path.csv", "path.txt"}, read_path},
      {"motion", {"pieces.json", "rates.csv"}, read_path},
      {"trajectory of ROS", {"trajectory.yaml"}, read_path},
      {"query", {"query.json", "named_query.json", "request.yaml"}, read_query},
      {"obstacles",
       {"obstacles.json"},
       [](const TemporaryFolder& f, const std::string& n) {
         return digest_of(load_obstacles(f / n));
       }},
      {"changes", {"changes.jsonl"}, read_changes},
      {"world",
       {"world.json"},
       [](const TemporaryFolder& f, const std::string& n) {
         return digest_of(manipulation::load_world(f / n));
       }},
      {"traffic",
       {"traffic.json"},
       [](const TemporaryFolder& f, const std::string& n) {
         return digest_of(load_traffic(f / n));
       }},
      {"trajectories",
       {"trajectories.json", "trajectories.csv"},
       [](const TemporaryFolder& f, const std::string& n) {
         return digest_of(load_trajectories(f / n));
       }},
      {"bodies",
       {"bodies.json"},
       [](const TemporaryFolder& f, const std::string& n) {
         return digest_of(load_bodies(f / n));
       }},
      {"problems", {"problems.json"}, read_problems},
  };
  return kFormats;
}

namespace {

// The verifier's reader collects no remarks: what it reads must mean what the checker's reader
// reads.
template <class T>
Result<std::string> agreed(const Result<T>& own, const Result<T>& other) {
  if (!own.ok()) return own.error();
  if (!other.ok()) return "refused by the checker's reader: " + other.error().text();
  if (const auto difference = verifier::first_difference(own.value(), other.value()))
    return bad_input(fmt::format("{}: {}", kDiffers, *difference));
  return digest(other.value());
}

Result<SceneSource> verifier_source(const TemporaryFolder& folder, const std::string& name) {
  verifier::SceneReading options;
  if (!name.ends_with(".json")) options.packages["arm_description"] = folder / ".";
  return verifier::read_scene(folder / name, options);
}

Result<std::string> verifier_scene(const TemporaryFolder& folder, const std::string& name) {
  return agreed(verifier_source(folder, name), read_source(folder, name));
}

Result<std::string> verifier_srdf(const TemporaryFolder& folder, const std::string&) {
  return verifier_scene(folder, "mobile.json");
}

Result<std::string> verifier_path(const TemporaryFolder& folder, const std::string& name) {
  const std::string scene_name = name.starts_with("trajectory") ? "mobile.json" : "scene.json";
  const auto source = verifier_source(folder, scene_name);
  if (!source.ok()) return source.error();
  const auto scene = scene_of(folder, scene_name);
  if (!scene.ok()) return scene.error();
  return agreed(verifier::read_path(folder / name, source.value()),
                load_path(folder / name, scene.value()));
}

}  // namespace

const std::vector<Format>& verifier_formats() {
  static const std::vector<Format> kFormats = {
      {"URDF", {"arm.urdf"}, verifier_scene},
      {"SRDF", {"arm.srdf"}, verifier_srdf},
      {"scene", {"scene.json"}, verifier_scene},
      {"planning scene", {"planning_scene.yaml"}, verifier_scene},
      {"path", {"path.json", "path.csv", "path.txt"}, verifier_path},
      {"motion", {"pieces.json", "rates.csv"}, verifier_path},
      {"trajectory of ROS", {"trajectory.yaml"}, verifier_path},
  };
  return kFormats;
}

}  // namespace proven::bench
