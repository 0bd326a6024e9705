// proven serve: a scene that is kept ready, for programs that change it and ask.
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/serve/ending.h"
#include "tools/serve/server.h"
#include "tools/view/token.h"

namespace proven::tools {
namespace {

struct ServeArguments {
  std::string socket;
  int port = -1;
  std::string record;
  int record_limit = 256;   // MB
  double hello_within = 5;  // seconds
};

// How long clients may take to hear their last answers when the server is ended.
constexpr std::chrono::milliseconds kPatience{2000};

Result<Listener> listen(const ServeArguments& arguments) {
  if (arguments.port < 0) return Listener::on_socket(arguments.socket);
  const char* given = std::getenv("PROVEN_TOKEN");
  return Listener::on_port(arguments.port, given && *given ? given : make_token());
}

void announce(const Listener& listener, const std::string& scene, const ServeArguments& arguments) {
  nlohmann::ordered_json said = {{"serving", scene}};
  if (arguments.port >= 0) {
    said["port"] = listener.port();
    said["token"] = listener.token();
    said["page"] = fmt::format("http://127.0.0.1:{}/?token={}", listener.port(), listener.token());
  } else {
    said["socket"] = arguments.socket;
  }
  fmt::print("{}\n", said.dump());
  std::fflush(stdout);
}

int run(const SceneArgument& scene_argument, const ServeArguments& arguments,
        const CommonOptions& common) {
  if (arguments.port > 65535) {
    fmt::print(stderr, "proven: --port: {} is too large; at most 65535 (`proven serve --help`)\n",
               arguments.port);
    return kUsage;
  }
  if (!arguments.socket.empty() && arguments.port >= 0) {
    fmt::print(stderr, "proven: give --socket or --port, not both\n");
    return kUsage;
  }
  const auto scene = load(scene_argument);
  if (!scene.ok()) return report(scene.error());
  print_remarks(scene.value(), common);
  auto model = CheckModel::build(scene.value());
  if (!model.ok()) return report(model.error());
  World world(std::move(model).value(),
              is_built_in(scene_argument)
                  ? std::filesystem::path()
                  : std::filesystem::path(scene_argument.scene).parent_path());
  // A client that leaves is no reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  Ending ending;
  std::optional<Recorder> recorder;  // ends after the journal: it writes down that it ended
  Journal journal(world, std::filesystem::path(scene_argument.scene).filename().string());
  if (!arguments.record.empty()) {
    constexpr int kMegabyte = 20;
    auto opened = Recorder::open(arguments.record, journal,
                                 static_cast<std::size_t>(arguments.record_limit) << kMegabyte);
    if (!opened.ok()) return report(opened.error());
    recorder.emplace(std::move(opened).value());
  }
  Clients clients(world, journal);
  std::optional<Listener> listener;
  if (!arguments.socket.empty() || arguments.port >= 0) {
    auto opened = listen(arguments);
    if (!opened.ok()) return report(opened.error());
    listener.emplace(std::move(opened).value());
    if (!common.quiet || arguments.port == 0) announce(*listener, scene_argument.scene, arguments);
  }
  ending.on_signal([&] {
    if (listener) listener->stop();
    clients.stop();
  });
  if (listener)
    listener->serve(clients, arguments.hello_within);
  else
    serve_standard(clients);
  if (ending.signal() == 0) {
    ending.forget();
    return kOk;
  }
  // What was answered is in the recording before the program ends.
  clients.wait_until_gone(kPatience);
  journal.end();
  recorder.reset();
  listener.reset();
  ending.end();
}

}  // namespace

Command serve_command() {
  return {"serve", "Keep a scene ready for programs that change it and ask",
          "  proven serve cell.json                         one client, JSON lines on stdin\n"
          "  proven serve cell.json --socket /run/cell.sock\n"
          "  proven serve cell.json --port 0                prints the port, the token and a page\n"
          "  proven serve cell.json --record job.session    and then: proven view job.session",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<ServeArguments>();
            arguments.add("--socket", chosen->socket,
                          "Listen on a Unix socket that only this user may open");
            arguments.add("--port", chosen->port,
                          "Listen on this port of 127.0.0.1 (0: any); clients say the token, "
                          "PROVEN_TOKEN or the one that is printed",
                          0);
            arguments.add("--hello-within", chosen->hello_within,
                          "Seconds after which a connection to the port that has not said the "
                          "token is ended",
                          1e-3, 86400);
            arguments.add("--record", chosen->record,
                          "Write down what happens, for `proven view`: JSON lines");
            arguments.add("--record-limit", chosen->record_limit,
                          "The recording ends when it has so many MB", 1);
            add_require_solid(arguments, *scene);
            arguments.honour(Common::no_cache);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
