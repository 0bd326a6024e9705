#include "fuzz.h"
#include "places.h"
#include "proven/io/messages.h"
#include "proven/io/scene_file.h"

namespace proven::fuzz {
namespace {

const Scene& scene() {
  static const Scene scene =
      load_scene(std::filesystem::path(test::source_dir()) / "tests/bad_input/ok/scene.json")
          .value();
  return scene;
}

bool read(const Message& message, Scene& now) {
  switch (message.kind()) {
    case MessageKind::hello:
      return answers(read_hello(message));
    case MessageKind::scene:
    case MessageKind::stats:
      return answers(read_plain(message));
    case MessageKind::edit: {
      const auto edit = read_edit(message, now, "");
      if (answers(edit)) now = edit.value().scene;
      return edit.ok();
    }
    case MessageKind::check:
      return answers(read_check(message, now));
    case MessageKind::configuration:
      return answers(read_configuration_message(message, now));
    case MessageKind::plan:
      return answers(read_plan(message, now));
    case MessageKind::monitor:
      return answers(read_monitor(message, now));
    case MessageKind::advance:
      return answers(read_advance(message));
    case MessageKind::status:
    case MessageKind::drop:
      return answers(read_name(message));
    case MessageKind::repair:
      return answers(read_repair(message));
    case MessageKind::cancel:
      return answers(read_cancel(message));
  }
  return false;
}

// Lines and frames, as `proven serve` reads them.
bool messages(Bytes input) {
  Scene now = scene();
  bool any = false;
  std::string_view text = as_text(input);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (id_of(line).empty()) broken("an id is JSON");
    auto message = Message::parse(line, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!answers(message)) continue;
    if (const std::size_t bytes = message.value().frame_bytes()) {
      if (bytes > text.size()) return any;
      message.value().set_frame({text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bytes)});
      text.remove_prefix(bytes);
    }
    any |= read(message.value(), now);
  }
  return any;
}

std::vector<std::string> conversations() {
  const std::string frame(24, '\0');
  return {
      R"({"id": 1, "do": "hello", "token": "x"}
{"id": "a", "do": "edit", "if_version": 0, "edits": [{"add": {"name": "new", "box": [0.1, 0.1, 0.1], "pose": {"xyz": [1, 0, 0], "quaternion": [0, 0, 0, 1]}}}, {"move": {"name": "new", "pose": {"rpy": [0, 1, 0]}}}, {"remove": "new"}]}
{"do": "edit", "edits": [{"put": {"name": "p", "cloud": {"points": [[0, 0, 5], [1, 0, 5]], "radius": 0.01}}}, {"put": {"name": "v", "voxels": {"cells": [[0, 1, -2]], "size": 0.1}}}, {"clearance": {"world": 0.01}}, {"clear": true}]}
{"do": "scene"}
{"do": "stats"}
{"do": "status", "name": "m"}
{"do": "advance", "name": "m", "segment": 1, "t": 0.5}
{"do": "repair", "name": "m", "seed": 3, "take": true, "budget": 1}
{"do": "cancel", "request": 4}
{"do": "drop", "name": "m"}
)",
      R"({"do": "edit", "bytes": 24, "edits": [{"put": {"name": "p", "cloud": {"points": {"type": "float32", "count": 2, "offset": 0}, "radius": 0.01}}}]}
)" + frame +
          "{\"do\": \"scene\"}\n"};
}

}  // namespace

std::vector<Fuzzer> message_fuzzers() {
  return {{"messages", messages, {}, conversations}};
}

}  // namespace proven::fuzz
