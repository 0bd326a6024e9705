// The scene that all clients share, in versions: each edit makes the next one, whole or not at all.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

#include "proven/certify/check.h"
#include "tools/serve/connection.h"

namespace proven::tools {

struct Snapshot {
  std::int64_t version = 0;
  CheckModel model;
  Clock::time_point asked;  // when the first byte of the edit had come
  const Scene& scene() const { return model.scene(); }
};

class World {
 public:
  // `folder`: where the meshes of edits are sought.
  World(CheckModel model, std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  // The newest version: an answer about it is never stale when it is begun.
  std::shared_ptr<const Snapshot> now() const;
  // Whoever asks later sees the new version. Edits wait for each other; `make` gets the newest
  // scene, and an Error of it changes nothing.
  using Edit = std::function<Result<Scene>(const Snapshot& now)>;
  Result<std::shared_ptr<const Snapshot>> edit(const Edit& make, Clock::time_point asked);

  // Told of every version, in their order, before anybody can ask about it. Set before there are
  // clients.
  void on_edit(std::function<void(std::shared_ptr<const Snapshot>)> told) {
    told_ = std::move(told);
  }

  // Waits until there is a version after that one, or `stop` says so after a wake().
  std::shared_ptr<const Snapshot> wait_after(std::int64_t version,
                                             const std::function<bool()>& stop) const;
  void wake() const;

 private:
  std::filesystem::path folder_;
  std::function<void(std::shared_ptr<const Snapshot>)> told_;
  std::mutex editing_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::shared_ptr<const Snapshot> now_;
};

}  // namespace proven::tools
