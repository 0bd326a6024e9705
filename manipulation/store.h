// Motions that were found, by what they depend on: in memory and, if it has a folder, in files of
// one motion each. A file is not believed: a motion read from it is proved again.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "manipulation/motions.h"

namespace proven::manipulation {

// Of the situation and the request.
std::string motion_key(const Situation& before, const MotionRequest& request);

class MotionStore {
 public:
  // Forgets what is in memory; an empty folder: no files.
  void start(std::filesystem::path folder);
  void forget();

  // A motion whose answer is `yes`.
  std::optional<FoundMotion> find(const World& world, const Situation& before,
                                  const MotionRequest& request);
  void keep(const Situation& before, const MotionRequest& request, const FoundMotion& motion);

 private:
  std::mutex mutex_;
  std::filesystem::path folder_;
  std::map<std::string, FoundMotion> known_;
};

}  // namespace proven::manipulation
