// What clients of `proven serve` say (docs/serve.md): one JSON object per line, some followed by a
// frame of bytes. Strict as all files are: what is not understood is an Error that names its place,
// and nothing of the message takes effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/certify/options.h"
#include "proven/io/document.h"
#include "proven/io/query_file.h"
#include "proven/scene/scene.h"

namespace proven {

enum class MessageKind {
  hello,
  scene,
  edit,
  check,
  configuration,
  plan,
  monitor,
  advance,
  status,
  repair,
  drop,
  cancel,
  stats,
};
// A message before it is known what it asks of which scene.
class Message {
 public:
  // `number` counts the client's messages and is the line in errors.
  static Result<Message> parse(std::string_view line, long number);

  // The client's own: a number or a text, as JSON; "null" if there is none.
  const std::string& id() const { return id_; }
  MessageKind kind() const { return kind_; }
  // How many bytes follow the line; they are given to `set_frame` before the message is read.
  std::size_t frame_bytes() const { return frame_bytes_; }
  void set_frame(std::vector<std::uint8_t> frame) { frame_ = std::move(frame); }
  std::span<const std::uint8_t> frame() const { return frame_; }
  const io::Node& root() const { return document_.root(); }

 private:
  Message() = default;
  io::Document document_;
  std::string id_ = "null";
  MessageKind kind_ = MessageKind::scene;
  std::size_t frame_bytes_ = 0;
  std::vector<std::uint8_t> frame_;
};

// The id of a line that may be no message at all, for the error that answers it.
std::string id_of(std::string_view line);

// What the kinds ask for. Each reads its message whole and refuses keys that it does not know.
struct HelloMessage {
  std::string token;
};
struct EditMessage {
  std::optional<std::int64_t> if_version;  // only if the scene still has that version
  Scene scene;                             // with all edits
  std::vector<std::string> touched;        // bodies that they name
};
struct CheckMessage {
  Motion motion;
  CheckOptions options;
  double budget;  // seconds
};
struct ConfigurationMessage {
  std::vector<double> q;
  Limits limits = Limits::refuse;
};
struct PlanMessage {
  PoseQuery query;
  std::string planner;  // empty: the default
  std::uint64_t seed = 1;
  double margin = 0;
  bool smooth = false;
  CheckOptions check;
  double budget;
};
struct MonitorMessage {
  std::string name;
  Motion motion;
  CheckOptions options;
  double budget;
};
struct AdvanceMessage {
  std::string name;
  int segment = 0;
  double t = 0;
};
struct RepairMessage {
  std::string name;
  std::uint64_t seed = 1;
  bool take = false;  // the monitor follows the new motion
  bool certificate = false;
  double budget;
};

Result<HelloMessage> read_hello(const Message& message);
// Of messages with an id alone: scene, stats.
Result<void> read_plain(const Message& message);
Result<std::string> read_name(const Message& message);    // status, drop
Result<std::string> read_cancel(const Message& message);  // the id of the request to stop
// Applies the edits one after the other to the scene, all or none. Meshes are sought from `folder`.
Result<EditMessage> read_edit(const Message& message, const Scene& scene,
                              const std::filesystem::path& folder);
Result<CheckMessage> read_check(const Message& message, const Scene& scene);
Result<ConfigurationMessage> read_configuration_message(const Message& message, const Scene& scene);
Result<PlanMessage> read_plan(const Message& message, const Scene& scene);
Result<MonitorMessage> read_monitor(const Message& message, const Scene& scene);
Result<AdvanceMessage> read_advance(const Message& message);
Result<RepairMessage> read_repair(const Message& message);

}  // namespace proven
