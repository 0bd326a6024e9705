#include "tools/both_readers.h"

#include <fmt/format.h>

#include "proven/kinematics/interpolation.h"

namespace proven::tools {
namespace {

// What is judged is what the verifier's own readers read. The checker's serve as a second opinion.
Result<SceneSource> read_anew(const SceneArgument& argument, const SceneSource& scene) {
  if (is_built_in(argument)) return scene;
  const auto options = options_of(argument);
  if (!options.ok()) return options.error();
  const SceneOptions& given = options.value();
  auto own =
      verifier::read_scene(argument.scene, {given.packages, given.robot, given.ignore_elements});
  if (!own.ok()) return by_own_reader(own.error());
  return own;
}

template <class T>
std::string difference_of(const T& own, const T& other, const std::string& file) {
  const auto found = verifier::first_difference(own, other);
  if (!found) return {};
  return fmt::format("the readers of verifier and checker differ on {}: {}", file, *found);
}

}  // namespace

Error by_own_reader(const Error& error) {
  return {error.code, "the verifier's own reader: " + error.message, error.context};
}

Result<Scenes> read_by_both(const SceneArgument& argument) {
  auto source = load_source(argument);
  if (!source.ok()) return source.error();
  auto scene = build(argument, source.value());
  if (!scene.ok()) return scene.error();
  auto own = read_anew(argument, source.value());
  if (!own.ok()) return own.error();
  Scenes scenes{std::move(source).value(), std::move(own).value(), std::move(scene).value(), {}};
  scenes.difference = difference(scenes.own, scenes.source, argument.scene);
  return scenes;
}

std::string difference(const SceneSource& own, const SceneSource& other, const std::string& file) {
  return difference_of(own, other, file);
}

std::string difference(const Motion& own, const Motion& other, const std::string& file) {
  return difference_of(own, other, file);
}

VerifyReport rejected(const std::string& reason) {
  VerifyReport report;
  report.reason = reason;
  return report;
}

Result<void> check_waypoints(const Scene& scene, const Path& path) {
  for (const std::vector<double>& q : path.waypoints)
    if (auto good = check_configuration(scene.tree(), q); !good.ok()) return good;
  return {};
}

verifier::PathReading own_reading(const PathOptions& options) {
  return {options.ignore_limits, static_cast<verifier::Between>(options.interpolation)};
}

}  // namespace proven::tools
