// Who may come in: standard input and output, a Unix socket, or a port of this machine.
#pragma once

#include <memory>
#include <string>

#include "tools/serve/journal.h"

namespace proven::tools {

// One client on standard input and output, until the input ends.
void serve_standard(World& world, Journal& journal);

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
  // For ever: one thread per client and its parts. On a port browsers may watch (watch.h).
  [[noreturn]] void serve(World& world, Journal& journal);

 private:
  Listener(int descriptor, std::string path, int port, std::string token)
      : descriptor_(descriptor), path_(std::move(path)), port_(port), token_(std::move(token)) {}
  int descriptor_;
  std::string path_;
  int port_;
  std::string token_;
};

}  // namespace proven::tools
