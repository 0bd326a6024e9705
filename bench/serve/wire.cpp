#include "bench/serve/wire.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

namespace proven::bench {

Result<ServerProcess> ServerProcess::start(const std::string& scene, const std::string& socket) {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed || program.filename() != "proven")
    return bad_input("the server is started by the program `proven` alone");
  const std::string name = program.string();
  const pid_t id = ::fork();
  if (id == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    ::execl(name.c_str(), name.c_str(), "serve", scene.c_str(), "--socket", socket.c_str(),
            "--quiet", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  if (id < 0) return bad_input("no further process could be started");
  ServerProcess server(id);
  for (int tries = 0; tries < 3000; ++tries) {
    if (Wire::open(socket)) return server;
    int status = 0;
    if (::waitpid(id, &status, WNOHANG) == id) {
      server.id_ = -1;
      return bad_input("the server ended at once", socket);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return bad_input("the server does not answer", socket);
}

void ServerProcess::kill() {
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
  id_ = -1;
}

std::optional<Wire> Wire::open(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof(address.sun_path)) return std::nullopt;
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Wire wire(descriptor);
  if (descriptor < 0 ||
      ::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return std::nullopt;
  return wire;
}

Wire::Wire(Wire&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), buffer_(std::move(other.buffer_)) {}

Wire::~Wire() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Wire::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t some =
        ::send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (some <= 0) return false;
    sent += static_cast<std::size_t>(some);
  }
  return true;
}

std::optional<Json> Wire::read() {
  const auto fill = [&] {
    char chunk[65536];
    const ssize_t got = ::read(descriptor_, chunk, sizeof(chunk));
    if (got > 0) buffer_.append(chunk, static_cast<std::size_t>(got));
    return got > 0;
  };
  std::size_t end = std::string::npos;
  while ((end = buffer_.find('\n')) == std::string::npos)
    if (!fill()) return std::nullopt;
  Json answer = Json::parse(buffer_.substr(0, end), nullptr, false);
  buffer_.erase(0, end + 1);
  if (answer.is_discarded()) return std::nullopt;
  const std::size_t frame = answer.value("bytes", std::size_t{0});
  while (buffer_.size() < frame)
    if (!fill()) return std::nullopt;
  buffer_.erase(0, frame);
  return answer;
}

}  // namespace proven::bench
