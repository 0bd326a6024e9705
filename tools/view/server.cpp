#include "tools/view/server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <mutex>

#include "tools/view/page.h"
#include "tools/view/token.h"

namespace proven::tools {
namespace {

constexpr int kBadRequest = 400, kForbidden = 403, kNotFound = 404;

void refuse(httplib::Response& response, int status, const char* why) {
  response.status = status;
  response.set_content(fmt::format("proven view: {}\n", why), "text/plain; charset=utf-8");
}

}  // namespace

struct PageServer::State {
  httplib::Server server;
  Answers answers;
  std::mutex answering;
  std::string token = make_token();
  int port = 0;

  bool is_this_machine(const std::string& host) const {
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
  }

  void set_up() {
    server.set_default_headers({{"Content-Security-Policy", kLivePagePolicy},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Cache-Control", "no-store"}});
    server.set_pre_routing_handler([this](const httplib::Request& request,
                                          httplib::Response& response) {
      using Handled = httplib::Server::HandlerResponse;
      if (!is_this_machine(request.get_header_value("Host")))
        return refuse(response, kForbidden, "this address is for this machine alone"),
               Handled::Handled;
      if (!same_token(request.get_param_value("token"), token))
        return refuse(response, kForbidden, "open the address that was printed, token included"),
               Handled::Handled;
      if ((request.path != "/" && request.path != "/distances") || request.method != "GET")
        return refuse(response, kNotFound, "there is one page, at /"), Handled::Handled;
      return Handled::Unhandled;
    });
    server.Get("/", [this](const httplib::Request&, httplib::Response& response) {
      const std::lock_guard lock(answering);
      response.set_content(answers.page(), "text/html; charset=utf-8");
    });
    server.Get("/distances", [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(answering);
      const auto answer = answers.distances(request.get_param_value("q"));
      if (!answer.ok()) return refuse(response, kBadRequest, answer.error().text().c_str());
      response.set_content(answer.value(), "application/json");
    });
  }
};

PageServer::PageServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageServer::~PageServer() = default;
PageServer::PageServer(PageServer&&) noexcept = default;

Result<PageServer> PageServer::open(Answers answers, int port) {
  auto state = std::make_unique<State>();
  state->answers = std::move(answers);
  state->set_up();
  if (port == 0)
    state->port = state->server.bind_to_any_port("127.0.0.1");
  else if (state->server.bind_to_port("127.0.0.1", port))
    state->port = port;
  if (state->port <= 0)
    return bad_input(
        fmt::format("cannot listen on port {} of 127.0.0.1: give another --port", port));
  return PageServer(std::move(state));
}

std::string PageServer::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", state_->port, state_->token);
}

void PageServer::serve() {
  state_->server.listen_after_bind();
}

}  // namespace proven::tools
