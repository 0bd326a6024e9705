#include "manipulation/store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "proven/base/hash.h"
#include "proven/io/document.h"
#include "proven/io/file.h"

namespace proven::manipulation {
namespace {

using Json = nlohmann::ordered_json;

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& key) {
  return folder / (key + ".json");
}

// Nothing if the file is not there, or not the motion that was asked for.
std::optional<Path> read_waypoints(const std::filesystem::path& file, const std::string& motion) {
  Path path;
  const auto read = io::read_document_with(file, [&](const io::Node& root) {
    root.require_version();
    root.allow_keys({"proven", "motion", "waypoints"});
    if (root.at("motion").string() != motion) root.at("motion").fail("is another motion");
    for (const io::Node& q : root.at("waypoints").array()) path.waypoints.push_back(q.numbers());
  });
  return read.ok() ? std::optional(path) : std::nullopt;
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
  const auto path = read_waypoints(file_of(folder, key), to_text(request));
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
  // What cannot be written is found again when it is asked for.
  (void)write_file(file_of(folder_, key), json.dump() + "\n");
}

}  // namespace proven::manipulation
