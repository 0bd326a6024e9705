#include "manipulation/store.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "proven/base/hash.h"

namespace proven::manipulation {
namespace {

using Json = nlohmann::ordered_json;

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& key) {
  return folder / (key + ".json");
}

std::optional<Path> read_waypoints(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  const Json json = Json::parse(in, nullptr, false);
  if (!json.is_object() || !json.contains("waypoints")) return std::nullopt;
  try {
    Path path;
    path.waypoints = json["waypoints"].get<std::vector<std::vector<double>>>();
    return path;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

// Of the scene's size, or check would refuse it.
bool fits(const Path& path, const World& world) {
  const auto size = static_cast<std::size_t>(robots_alone(world, {}).tree.num_coordinates());
  return !path.waypoints.empty() &&
         std::all_of(path.waypoints.begin(), path.waypoints.end(),
                     [&](const std::vector<double>& waypoint) { return waypoint.size() == size; });
}

}  // namespace

std::string motion_key(const Situation& before, const MotionRequest& request) {
  Hasher hasher;
  hasher.add(to_text(request));
  hasher.add(std::span<const double>(before.q));
  for (const auto& [name, X_WO] : before.poses) {
    hasher.add(name);
    hasher.add(X_WO);
  }
  return hasher.finish().hex();
}

void MotionStore::start(std::filesystem::path folder) {
  const std::lock_guard lock(mutex_);
  folder_ = std::move(folder);
  known_.clear();
}

void MotionStore::forget() {
  const std::lock_guard lock(mutex_);
  known_.clear();
}

std::optional<Motion> MotionStore::find(const World& world, const Situation& before,
                                        const MotionRequest& request) {
  const std::string key = motion_key(before, request);
  std::filesystem::path folder;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    folder = folder_;
  }
  if (folder.empty()) return std::nullopt;
  const auto path = read_waypoints(file_of(folder, key));
  if (!path || !fits(*path, world)) return std::nullopt;
  const auto refuted = refute_motion(world, before, request, *path);
  if (!refuted.ok() || !refuted.value().empty()) return std::nullopt;
  Motion motion{Answer::yes, {}, *path, situation_after(world, before, request, *path)};
  const std::lock_guard lock(mutex_);
  return known_[key] = motion;
}

void MotionStore::keep(const Situation& before, const MotionRequest& request,
                       const Motion& motion) {
  const std::string key = motion_key(before, request);
  const std::lock_guard lock(mutex_);
  known_[key] = motion;
  if (folder_.empty()) return;
  const Json json = {
      {"proven", 1}, {"motion", to_text(request)}, {"waypoints", motion.path.waypoints}};
  std::ofstream(file_of(folder_, key)) << json.dump() << "\n";
}

}  // namespace proven::manipulation
