// Serves the viewer's page to a browser on this machine, and to nobody else.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "proven/base/result.h"

namespace proven::tools {

// Listens on 127.0.0.1 only. Answers GET / and GET /distances alone, to requests that name this
// machine as their host and carry the token: a page of another site cannot reach it by a name of
// its own (DNS rebinding), nor guess the address.
class PageServer {
 public:
  struct Answers {
    // Called anew for every request: a reload shows what the files say now.
    std::function<std::string()> page;
    // Of the scene that the last page shows, at the values that the page asks about.
    std::function<Result<std::string>(const std::string& q)> distances;
  };
  // Calls do not overlap. Port 0: any that is free.
  static Result<PageServer> open(Answers answers, int port);
  ~PageServer();
  PageServer(PageServer&&) noexcept;

  // "http://127.0.0.1:PORT/?token=TOKEN"
  std::string address() const;
  // Returns when the process is told to stop.
  void serve();

 private:
  struct State;
  explicit PageServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proven::tools
