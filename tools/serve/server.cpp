#include "tools/serve/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "tools/serve/watch.h"

namespace proven::tools {
namespace {

constexpr int kBacklog = 64;

Error cannot(const std::string& what) {
  return Error{ErrorCode::bad_input, fmt::format("{}: {}", what, std::strerror(errno)), {}};
}

}  // namespace

void Clients::serve(int in, int out, const ClientOptions& options) {
  Client client(world_, journal_, in, out, options);
  {
    const std::lock_guard lock(mutex_);
    clients_.insert(&client);
    if (stopped_) client.stop();
  }
  client.run();
  const std::lock_guard lock(mutex_);
  clients_.erase(&client);
  changed_.notify_all();
}

void Clients::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (Client* client : clients_) client->stop();
}

void Clients::wait_until_gone(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return clients_.empty(); });
}

void serve_standard(Clients& clients) {
  clients.serve(::dup(STDIN_FILENO), ::dup(STDOUT_FILENO), {});
}

Result<Listener> Listener::on_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    return bad_input(
        fmt::format("the name of a socket has at most {} letters", sizeof(address.sun_path) - 1));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return cannot("no socket");
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    const bool is_socket = S_ISSOCK(status.st_mode);
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answered = is_socket && ::connect(probe, any, sizeof(address)) == 0;
    ::close(probe);
    if (!is_socket || answered) {
      ::close(descriptor);
      return bad_input(is_socket ? "another server answers there" : "there is a file of that name",
                       path);
    }
    ::unlink(path.c_str());
  }
  // The mode is set before anybody can connect.
  const mode_t before = ::umask(0177);
  const bool bound = ::bind(descriptor, any, sizeof(address)) == 0;
  ::umask(before);
  if (!bound || ::listen(descriptor, kBacklog) != 0) {
    Error error = cannot("cannot listen");
    error.context = path;
    ::close(descriptor);
    return error;
  }
  return Listener(descriptor, path, 0, "");
}

Result<Listener> Listener::on_port(int port, std::string token) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return cannot("no socket");
  const int yes = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(descriptor, kBacklog) != 0 ||
      ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    Error error = cannot(fmt::format("cannot listen on port {} of 127.0.0.1", port));
    ::close(descriptor);
    return error;
  }
  return Listener(descriptor, "", ntohs(address.sin_port), std::move(token));
}

Listener::Listener(Listener&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::exchange(other.path_, {})),
      port_(other.port_),
      token_(std::move(other.token_)) {}

Listener::~Listener() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

void Listener::stop() {
  stopped_ = true;
  ::shutdown(descriptor_, SHUT_RDWR);
}

void Listener::serve(Clients& clients, double first_message_seconds) {
  // Threads may outlive the call.
  const auto door = std::make_shared<Door>();
  std::int64_t last = 0;
  while (!stopped_) {
    const int descriptor = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) {
      // Out of descriptors, or a client that left before it was let in.
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    const int yes = 1;
    if (path_.empty()) ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    // Who may open a socket needs no token, and may be as slow as it likes.
    const auto deadline =
        port_ > 0 ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(first_message_seconds))
                  : Clock::time_point::max();
    std::thread([&clients, deadline, descriptor, token = token_, port = port_, id = ++last,
                 place = std::shared_ptr<Door::Place>(door->arrive(descriptor))] {
      // A browser cannot open a socket.
      if (port > 0 && speaks_http(descriptor, deadline))
        watch(descriptor, clients.world(), clients.journal(), {port, token, deadline, place.get()});
      else
        clients.serve(descriptor, descriptor, {token, id, deadline, place.get()});
    }).detach();
  }
}

}  // namespace proven::tools
