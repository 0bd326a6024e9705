#include "tools/serve/watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <optional>

#include "tools/view/distances.h"
#include "tools/view/page.h"
#include "tools/view/token.h"

namespace proven::tools {
namespace {

constexpr std::size_t kMostHeadBytes = 16384;
constexpr int kSeconds = 10;  // that a write may take

struct Refused {
  int status = 400;
  std::string why;
};

struct Request {
  std::string method, path, token, q, host, origin, site;
};

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// "NAME: value", without the spaces around the value.
std::optional<Refused> take_header(std::string_view line, Request& request, int& hosts) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 ||
      !std::ranges::all_of(line.substr(0, colon), is_name_letter))
    return Refused{400, "a line of the head is no header"};
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  if (std::ranges::any_of(value, [](unsigned char c) { return c < ' ' && c != '\t'; }))
    return Refused{400, "a header has letters that it may not have"};
  if (name == "host") request.host = value, ++hosts;
  if (name == "origin") request.origin = value;
  if (name == "sec-fetch-site") request.site = value;
  if (name == "transfer-encoding" || (name == "content-length" && value != "0"))
    return Refused{400, "a request has no body here"};
  return std::nullopt;
}

std::optional<Refused> take_target(std::string_view target, Request& request) {
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question == std::string_view::npos) return std::nullopt;
  const std::string_view query = target.substr(question + 1);
  constexpr std::string_view kToken = "token=", kValues = "q=";
  const std::size_t end = std::min(query.find('&'), query.size());
  const std::string_view rest = query.substr(std::min(end + 1, query.size()));
  const bool asks = request.path == "/distances" && rest.starts_with(kValues) &&
                    rest.find('&') == std::string_view::npos;
  if (!query.starts_with(kToken) || (end != query.size() && !asks))
    return Refused{400, "the address has a token and nothing else"};
  request.token = query.substr(kToken.size(), end - kToken.size());
  if (asks) request.q = rest.substr(kValues.size());
  return std::nullopt;
}

// The head without its last, empty line.
std::optional<Refused> parse(std::string_view head, Request& request) {
  std::size_t end = head.find("\r\n");
  const std::string_view first = head.substr(0, end);
  const std::size_t one = first.find(' '), two = first.rfind(' ');
  if (one == std::string_view::npos || one == two || first.find(' ', one + 1) != two)
    return Refused{400, "the first line is no request"};
  const std::string_view version = first.substr(two + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return Refused{505, "HTTP/1.1 is spoken here"};
  request.method = first.substr(0, one);
  if (auto refused = take_target(first.substr(one + 1, two - one - 1), request)) return refused;
  int hosts = 0;
  while (end != std::string_view::npos) {
    const std::size_t begin = end + 2;
    end = head.find("\r\n", begin);
    if (auto refused = take_header(head.substr(begin, end - begin), request, hosts)) return refused;
  }
  if (hosts != 1) return Refused{400, "a request names one host"};
  return std::nullopt;
}

// Who may see it. A page of another site can reach this port, but neither by a name of its own
// (DNS rebinding) nor with its own origin, and it does not know the token.
std::optional<Refused> judge(const Request& request, const WatchOptions& options) {
  if (request.method != "GET") return Refused{405, "only GET is answered"};
  const std::string here = fmt::format("127.0.0.1:{}", options.port),
                    named = fmt::format("localhost:{}", options.port);
  if (request.host != here && request.host != named)
    return Refused{403, "this address is for this machine alone"};
  if (!request.origin.empty() && request.origin != "http://" + request.host)
    return Refused{403, "pages of other sites are not answered"};
  if (!request.site.empty() && request.site != "same-origin" && request.site != "none")
    return Refused{403, "pages of other sites are not answered"};
  if (!same_token(request.token, options.token))
    return Refused{403, "open the address that was printed, token included"};
  if (request.path != "/" && request.path != "/events" && request.path != "/distances")
    return Refused{404, "there is one page, at /"};
  return std::nullopt;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string head_of(int status, std::string_view type) {
  const char* word = status == 200   ? "OK"
                     : status == 403 ? "Forbidden"
                     : status == 404 ? "Not Found"
                     : status == 405 ? "Method Not Allowed"
                     : status == 503 ? "Service Unavailable"
                     : status == 505 ? "HTTP Version Not Supported"
                                     : "Bad Request";
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Security-Policy: {}\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: "
      "close\r\n",
      status, word, type, kLivePagePolicy);
}

void answer(int descriptor, int status, std::string_view type, const std::string& body) {
  std::string text = head_of(status, type);
  text += fmt::format("Content-Length: {}\r\n\r\n", body.size());
  write_all(descriptor, text + body);
}

// The viewer asks for the scene itself when it has started.
void send_page(int descriptor, const Journal& journal) {
  ViewDocument document(journal.title());
  document.json()["session"] = {{"live", true}};
  const auto page = page_of(document, kLivePagePolicy);
  if (page.ok())
    answer(descriptor, 200, "text/html; charset=utf-8", page.value());
  else
    answer(descriptor, 404, "text/plain; charset=utf-8", page.error().text() + "\n");
}

// Server-sent events, until the page goes or is too slow.
void send_events(int descriptor, Journal& journal) {
  constexpr std::chrono::milliseconds kPatience{1000};
  if (!write_all(descriptor, head_of(200, "text/event-stream") + "\r\nretry: 1000\n\n")) return;
  const auto follower = journal.follow();
  while (!follower->ended()) {
    const auto line = follower->next(kPatience);
    // A comment tells whether somebody is there.
    if (!write_all(descriptor, line ? "data: " + *line + "\n\n" : ":\n\n")) return;
  }
}

void send_distances(int descriptor, const World& world, const std::string& q) {
  const auto distances = answer_distances(world.now()->scene(), q);
  if (distances.ok())
    answer(descriptor, 200, "application/json", distances.value());
  else
    answer(descriptor, 400, "text/plain; charset=utf-8",
           "proven serve: " + distances.error().text() + "\n");
}

// What was sent and not read would make the system drop the answer: it is read, up to a bound.
void hang_up(int descriptor) {
  constexpr int kMostReads = 512;
  const timeval patience{1, 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  ::shutdown(descriptor, SHUT_WR);
  char some[2048];
  for (int i = 0; i<kMostReads&& ::recv(descriptor, some, sizeof(some), 0)> 0;) ++i;
  ::close(descriptor);
}

// Whether there is something to read before the deadline.
bool readable(int descriptor, Clock::time_point deadline) {
  pollfd in{descriptor, POLLIN, 0};
  while (true) {
    constexpr std::chrono::milliseconds kMost{60'000};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    const int ready =
        ::poll(&in, 1, static_cast<int>(std::clamp(left, left.zero(), kMost).count()));
    if (ready > 0) return true;
    if ((ready < 0 && errno != EINTR) || left <= left.zero()) return false;
  }
}

// Up to the empty line that ends it, which is left out; nothing if it does not come.
std::optional<std::string> read_head(int descriptor, Clock::time_point deadline) {
  std::string head;
  while (head.size() < kMostHeadBytes && readable(descriptor, deadline)) {
    char some[2048];
    const ssize_t got = ::recv(descriptor, some, sizeof(some), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    head.append(some, static_cast<std::size_t>(got));
    const std::size_t end = head.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    if (end + 4 != head.size()) return std::nullopt;  // a body, or another request
    return head.substr(0, end);
  }
  return std::nullopt;
}

}  // namespace

bool speaks_http(int descriptor, Clock::time_point deadline) {
  char first = 0;
  ssize_t got = -1;
  if (!readable(descriptor, deadline)) return false;
  do {
    got = ::recv(descriptor, &first, 1, MSG_PEEK);
  } while (got < 0 && errno == EINTR);
  return got == 1 && std::isalpha(static_cast<unsigned char>(first)) != 0;
}

void watch(int descriptor, const World& world, Journal& journal, const WatchOptions& options) {
  const timeval patience{kSeconds, 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  Request request;
  std::optional<Refused> refused;
  if (const auto head = read_head(descriptor, options.deadline)) {
    refused = parse(*head, request);
    if (!refused) refused = judge(request, options);
  } else {
    refused = Refused{400, "the head of the request does not end, or something follows it"};
  }
  if (!refused && options.place && !options.place->admit())
    refused = Refused{503, fmt::format("there are {} clients already", Door::kMostClients)};
  if (refused)
    answer(descriptor, refused->status, "text/plain; charset=utf-8",
           "proven serve: " + refused->why + "\n");
  else if (request.path == "/")
    send_page(descriptor, journal);
  else if (request.path == "/distances")
    send_distances(descriptor, world, request.q);
  else
    send_events(descriptor, journal);
  hang_up(descriptor);
}

}  // namespace proven::tools
