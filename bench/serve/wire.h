// A server of its own, and clients of it, as docs/serve.md says: nothing of the server is used.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "proven/base/result.h"

namespace proven::bench {

using Json = nlohmann::json;

// `proven serve SCENE --socket PATH`, as a program of its own.
class ServerProcess {
 public:
  // Waits until it answers.
  static Result<ServerProcess> start(const std::string& scene, const std::string& socket);
  ~ServerProcess() { kill(); }
  ServerProcess(ServerProcess&& other) noexcept : id_(other.id_) { other.id_ = -1; }
  ServerProcess& operator=(ServerProcess&&) = delete;
  // As a crash would.
  void kill();

 private:
  explicit ServerProcess(pid_t id) : id_(id) {}
  pid_t id_;
};

class Wire {
 public:
  static std::optional<Wire> open(const std::string& socket);
  ~Wire();
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&&) = delete;

  // False when the server is gone.
  bool send(const std::string& bytes);
  std::optional<Json> read();  // the next line; its frame is passed over

 private:
  explicit Wire(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
  std::string buffer_;
};

}  // namespace proven::bench
