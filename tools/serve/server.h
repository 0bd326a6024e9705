// Who may come in: standard input and output, a Unix socket, or a port of this machine.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "tools/serve/client.h"

namespace proven::tools {

// Those that are served now.
class Clients {
 public:
  Clients(World& world, Journal& journal) : world_(world), journal_(journal) {}

  // One client, until it leaves.
  void serve(int in, int out, const ClientOptions& options);
  // From another thread: all of them are to leave, and those that come later.
  void stop();
  // Waits until all have left, but no longer than that.
  void wait_until_gone(std::chrono::milliseconds patience);
  World& world() { return world_; }
  Journal& journal() { return journal_; }

 private:
  World& world_;
  Journal& journal_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Client*> clients_;
  bool stopped_ = false;
};

// One client on standard input and output, until the input ends.
void serve_standard(Clients& clients);

class Listener {
 public:
  // A socket that only this user may open; one that a server left behind when it was killed is
  // replaced, one that a server answers on is not.
  static Result<Listener> on_socket(const std::string& path);
  // 127.0.0.1 alone; 0: any port. Clients must say the token.
  static Result<Listener> on_port(int port, std::string token);
  ~Listener();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;

  int port() const { return port_; }
  const std::string& token() const { return token_; }
  // Until it is stopped: one thread per client and its parts. On a port browsers may watch
  // (watch.h), and a connection that has not said the token after so many seconds is ended.
  void serve(Clients& clients, double first_message_seconds);
  // From another thread: nobody comes in any more.
  void stop();

 private:
  Listener(int descriptor, std::string path, int port, std::string token)
      : descriptor_(descriptor), path_(std::move(path)), port_(port), token_(std::move(token)) {}
  int descriptor_;
  std::atomic<bool> stopped_ = false;
  std::string path_;
  int port_;
  std::string token_;
};

}  // namespace proven::tools
