// A page that follows a running server: the viewer, and what the journal tells, over plain HTTP.
#pragma once

#include <string>

#include "tools/serve/door.h"
#include "tools/serve/journal.h"

namespace proven::tools {

struct WatchOptions {
  int port = 0;
  std::string token;
  // When the head of the request must have come, and where who knows the token is counted.
  Clock::time_point deadline = Clock::time_point::max();
  Door::Place* place = nullptr;
};

// Whether the one who connected speaks HTTP: that begins with a letter, a message with a brace.
// Waits for its first byte, until the deadline.
bool speaks_http(int descriptor, Clock::time_point deadline);

// Answers one request and closes the connection. `/` is the page, `/events` what the journal tells,
// `/distances` how far apart all pairs are at a configuration that the page asks about; all need
// the token, this machine's own name as the host, and no other site as the origin.
void watch(int descriptor, const World& world, Journal& journal, const WatchOptions& options);

}  // namespace proven::tools
