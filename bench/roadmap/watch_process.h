// `proven roadmap watch` as a program of its own, with a client at its two ends.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "proven/base/result.h"

namespace proven::bench {

class WatchProcess {
 public:
  // The arguments of `proven roadmap watch`.
  static Result<WatchProcess> start(const std::vector<std::string>& arguments);
  ~WatchProcess();
  WatchProcess(WatchProcess&& other) noexcept;
  WatchProcess& operator=(WatchProcess&&) = delete;

  // Writes a change and waits for its answer; nothing if the program has ended.
  std::optional<nlohmann::json> ask(const std::string& change);
  // Of processors that it has used so far, on all its threads.
  double processor_seconds() const;

 private:
  WatchProcess(pid_t id, int in, int out) : id_(id), in_(in), out_(out) {}
  pid_t id_;
  int in_, out_;  // of ours: to it, from it
  std::string buffer_;
};

}  // namespace proven::bench
