#include "tools/serve/world.h"

namespace proven::tools {

World::World(CheckModel model, std::filesystem::path folder)
    : folder_(std::move(folder)),
      now_(std::make_shared<const Snapshot>(Snapshot{0, std::move(model), Clock::now()})) {}

std::shared_ptr<const Snapshot> World::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

Result<std::shared_ptr<const Snapshot>> World::edit(const Edit& make, Clock::time_point asked) {
  const std::lock_guard one_at_a_time(editing_);
  const auto before = now();
  auto scene = make(*before);
  if (!scene.ok()) return scene.error();
  auto after = std::make_shared<const Snapshot>(
      Snapshot{before->version + 1, before->model.with_scene(scene.value()), asked});
  // Before anybody can say something about it.
  if (told_) told_(after);
  {
    const std::lock_guard lock(mutex_);
    now_ = after;
  }
  changed_.notify_all();
  return after;
}

std::shared_ptr<const Snapshot> World::wait_after(std::int64_t version,
                                                  const std::function<bool()>& stop) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return now_->version > version || stop(); });
  return now_;
}

// Whoever waits has either not looked at its reason to stop yet, or hears this.
void World::wake() const {
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

}  // namespace proven::tools
