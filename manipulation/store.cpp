#include "manipulation/store.h"

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
std::optional<Motion> read_motion(const std::filesystem::path& file, const std::string& name) {
  Motion motion;
  const auto read = io::read_document_with(file, [&](const io::Node& root) {
    root.require_version();
    root.allow_keys({"proven", "motion", "waypoints", "times", "inner"});
    if (root.at("motion").string() != name) root.at("motion").fail("is another motion");
    for (const io::Node& q : root.at("waypoints").array()) motion.waypoints.push_back(q.numbers());
    if (const io::Node* times = root.find("times")) motion.times = times->numbers();
    if (const io::Node* inner = root.find("inner"))
      for (const io::Node& piece : inner->array()) {
        auto& points = motion.inner.emplace_back();
        for (const io::Node& q : piece.array()) points.push_back(q.numbers());
      }
  });
  return read.ok() ? std::optional(motion) : std::nullopt;
}

}  // namespace

std::string motion_key(const Situation& before, const MotionRequest& request) {
  Hasher hasher;
  hasher.add(to_text(request));
  for (const auto& q : before.q) hasher.add(std::span<const double>(q));
  for (const auto& [name, X_WO] : before.poses) {
    hasher.add(name);
    hasher.add(X_WO);
  }
  for (const auto& [name, value] : before.joints) {
    hasher.add(name);
    hasher.add(std::span<const double>(&value, 1));
  }
  for (const auto& [name, arm] : before.held) {
    hasher.add(name);
    const double number = arm;
    hasher.add(std::span<const double>(&number, 1));
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

std::optional<FoundMotion> MotionStore::find(const World& world, const Situation& before,
                                             const MotionRequest& request) {
  const std::string key = motion_key(before, request);
  std::filesystem::path folder;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    folder = folder_;
  }
  if (folder.empty()) return std::nullopt;
  const auto path = read_motion(file_of(folder, key), to_text(request));
  // Of the scene's size, or check would refuse it.
  if (!path || !check_motion(robots_alone(world, {}).tree, *path).ok()) return std::nullopt;
  const auto refuted = refute_motion(world, before, request, *path);
  if (!refuted.ok() || !refuted.value().empty()) return std::nullopt;
  FoundMotion motion{Answer::yes, {}, *path, situation_after(world, before, request, *path)};
  const std::lock_guard lock(mutex_);
  return known_[key] = motion;
}

void MotionStore::keep(const Situation& before, const MotionRequest& request,
                       const FoundMotion& motion) {
  const std::string key = motion_key(before, request);
  const std::lock_guard lock(mutex_);
  known_[key] = motion;
  if (folder_.empty()) return;
  Json json = {{"proven", 1}, {"motion", to_text(request)}, {"waypoints", motion.path.waypoints}};
  if (!motion.path.times.empty()) json["times"] = motion.path.times;
  if (!motion.path.inner.empty()) json["inner"] = motion.path.inner;
  // What cannot be written is found again when it is asked for.
  (void)write_file(file_of(folder_, key), json.dump() + "\n");
}

}  // namespace proven::manipulation
