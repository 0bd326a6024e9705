// proven serve: a scene that is kept ready, for programs that change it and ask.
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/serve/journal.h"
#include "tools/serve/server.h"
#include "tools/view/token.h"

namespace proven::tools {
namespace {

struct ServeArguments {
  std::string socket;
  int port = -1;
  std::string record;
  int record_limit = 256;  // MB
};

int run(const SceneArgument& scene_argument, const ServeArguments& arguments,
        const CommonOptions& common) {
  if (!arguments.socket.empty() && arguments.port >= 0) {
    fmt::print(stderr, "proven: give --socket or --port, not both\n");
    return kUsage;
  }
  const auto scene = load(scene_argument);
  if (!scene.ok()) return report(scene.error());
  auto model = CheckModel::build(scene.value());
  if (!model.ok()) return report(model.error());
  World world(std::move(model).value(),
              is_built_in(scene_argument)
                  ? std::filesystem::path()
                  : std::filesystem::path(scene_argument.scene).parent_path());
  // A client that leaves is no reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  std::optional<Recorder> recorder;  // ends after the journal: it writes down that it ended
  Journal journal(world, std::filesystem::path(scene_argument.scene).filename().string());
  if (!arguments.record.empty()) {
    constexpr int kMegabyte = 20;
    auto opened = Recorder::open(arguments.record, journal,
                                 static_cast<std::size_t>(arguments.record_limit) << kMegabyte);
    if (!opened.ok()) return report(opened.error());
    recorder.emplace(std::move(opened).value());
  }
  if (arguments.socket.empty() && arguments.port < 0) {
    serve_standard(world, journal);
    return kOk;
  }
  const char* given = std::getenv("PROVEN_TOKEN");
  auto listener = arguments.port >= 0
                      ? Listener::on_port(arguments.port, given && *given ? given : make_token())
                      : Listener::on_socket(arguments.socket);
  if (!listener.ok()) return report(listener.error());
  nlohmann::ordered_json said = {{"serving", scene_argument.scene}};
  if (arguments.port >= 0) {
    said["port"] = listener.value().port();
    said["token"] = listener.value().token();
    said["page"] = fmt::format("http://127.0.0.1:{}/?token={}", listener.value().port(),
                               listener.value().token());
  } else {
    said["socket"] = arguments.socket;
  }
  if (!common.quiet || arguments.port == 0) {
    fmt::print("{}\n", said.dump());
    std::fflush(stdout);
  }
  listener.value().serve(world, journal);
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
