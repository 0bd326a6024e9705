#include "tools/serve/client.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/view/token.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

// So many requests of one client wait; then its further ones stay unread.
constexpr std::size_t kMostWaiting = 1000;

}  // namespace

Client::Client(World& world, Journal& journal, int in, int out, ClientOptions options)
    : world_(world),
      journal_(journal),
      connection_(in, out),
      options_(std::move(options)),
      welcome_(options_.token.empty()) {}

Client::~Client() = default;

void Client::run() {
  worker_ = std::thread([this] { work(); });
  watcher_ = std::thread([this] { watch(); });
  std::string line;
  if (!welcome_) connection_.limit_line(Connection::kMostFirstBytes, options_.deadline);
  for (bool on = true; on;) {
    MessageTimes times;
    const Connection::Received received = connection_.read_line(line, times);
    on = received == Connection::Received::message && take_message(line, times);
    if (received != Connection::Received::message) refuse_rest(received);
  }
  {
    const std::lock_guard lock(queue_mutex_);
    leaving_ = true;
    // Nobody reads the answers of a client that is gone; one that has only said all it had to say
    // still does.
    if (connection_.gone())
      for (auto& [id, flag] : open_) flag->store(true);
  }
  queue_changed_.notify_all();
  worker_.join();
  stop_watching_ = true;
  world_.wake();
  watcher_.join();
  if (!monitors_.empty()) journal_.left(options_.id);
  connection_.close();
}

void Client::stop() {
  {
    const std::lock_guard lock(queue_mutex_);
    stopped_ = true;
    for (auto& [id, flag] : open_) flag->store(true);
    for (Task& task : queue_)
      if (auto* request = std::get_if<Request>(&task)) request->cancel->store(true);
  }
  connection_.stop_reading();
}

void Client::refuse(const std::string& id, const Error& error, MessageTimes times) {
  times.started = times.done = Clock::now();
  ++answered_;
  connection_.answer(id, {{"ok", false}, {"error", error.text()}}, times);
}

// Why no further message is read, unless the client has said all it had to say.
void Client::refuse_rest(Connection::Received received) {
  MessageTimes times;
  times.first_byte = times.read = times.parsed = Clock::now();
  const auto say = [&](const std::string& why) { enqueue(Refusal{"null", bad_input(why), times}); };
  switch (received) {
    case Connection::Received::cut:
      say("the message ends before its line does; nothing of it was done");
      break;
    case Connection::Received::too_long:
      say(welcome_ ? fmt::format("a line is longer than {} bytes: send numbers as a frame",
                                 Connection::kMostLineBytes)
                   : "the first message must be a hello with the token");
      break;
    case Connection::Received::late:
      say("the hello with the token did not come in time");
      break;
    case Connection::Received::message:
    case Connection::Received::end:
      break;
  }
}

// Counts the client from its first message on; false if there is no room for it.
bool Client::enter(const std::string& id, MessageTimes& times) {
  if (!entered_) entered_ = !options_.place || options_.place->admit();
  if (!entered_)
    refuse(id, bad_input(fmt::format("there are {} clients already", Door::kMostClients)), times);
  return entered_;
}

// Whether to go on reading.
bool Client::take_message(std::string_view line, MessageTimes times) {
  auto parsed = Message::parse(line, ++num_messages_);
  times.parsed = Clock::now();
  if (!parsed.ok()) {
    enqueue(Refusal{id_of(line), parsed.error(), times});
    // How many bytes of a frame follow is not known where the line could not be read.
    return welcome_ && line.find("\"bytes\"") == std::string_view::npos;
  }
  Message& message = parsed.value();
  // Nothing that may be large is read of who is not known.
  if (!welcome_ && message.kind() != MessageKind::hello) return is_welcome(message, times);
  if (welcome_ && !enter(message.id(), times)) return false;
  if (message.frame_bytes() > 0) {
    std::vector<std::uint8_t> frame;
    if (connection_.read_frame(message.frame_bytes(), frame, times) !=
        Connection::Received::message) {
      enqueue(Refusal{message.id(),
                      bad_input("the frame ends before its bytes have come; nothing was done"),
                      times});
      return false;
    }
    message.set_frame(std::move(frame));
  }
  times.parsed = Clock::now();
  if (message.kind() == MessageKind::hello) return is_welcome(message, times);
  if (message.kind() == MessageKind::cancel) {
    cancel(message, times);
    return true;
  }
  enqueue(Request{std::move(message), times, std::make_shared<std::atomic<bool>>(false)});
  return true;
}

bool Client::is_welcome(const Message& message, MessageTimes& times) {
  if (message.kind() != MessageKind::hello) {
    refuse(message.id(), bad_input("the first message must be a hello with the token"), times);
    return false;
  }
  const auto hello = read_hello(message);
  if (!hello.ok()) {
    refuse(message.id(), hello.error(), times);
    return welcome_;
  }
  welcome_ = options_.token.empty() || same_token(hello.value().token, options_.token);
  if (!welcome_) {
    refuse(message.id(), bad_input("this is not the token"), times);
    return false;
  }
  if (!enter(message.id(), times)) return false;
  connection_.limit_line(Connection::kMostLineBytes);
  times.parsed = times.started = times.done = Clock::now();
  ++answered_;
  connection_.answer(
      message.id(),
      {{"ok", true}, {"do", "hello"}, {"proven", 1}, {"version", world_.now()->version}}, times);
  return true;
}

void Client::cancel(const Message& message, MessageTimes times) {
  times.started = Clock::now();
  const auto id = read_cancel(message);
  if (!id.ok()) return refuse(message.id(), id.error(), times);
  bool found = false;
  {
    const std::lock_guard lock(queue_mutex_);
    const auto open = open_.find(id.value());
    found = open != open_.end();
    if (found) open->second->store(true);
  }
  times.done = Clock::now();
  ++answered_;
  connection_.answer(message.id(), {{"ok", true}, {"do", "cancel"}, {"found", found}}, times);
}

void Client::enqueue(Task task) {
  std::unique_lock lock(queue_mutex_);
  queue_changed_.wait(lock, [&] { return queue_.size() < kMostWaiting; });
  if (const auto* request = std::get_if<Request>(&task)) {
    if (request->message.id() != "null") open_[request->message.id()] = request->cancel;
    if (stopped_) request->cancel->store(true);
  }
  queue_.push_back(std::move(task));
  queue_changed_.notify_all();
}

void Client::work() {
  while (true) {
    std::optional<Task> task;
    {
      std::unique_lock lock(queue_mutex_);
      queue_changed_.wait(lock, [&] { return leaving_ || !queue_.empty(); });
      if (queue_.empty()) return;
      task.emplace(std::move(queue_.front()));
      queue_.pop_front();
      queue_changed_.notify_all();
    }
    if (const auto* refusal = std::get_if<Refusal>(&*task)) {
      refuse(refusal->id, refusal->error, refusal->times);
      continue;
    }
    Request& request = std::get<Request>(*task);
    handle(request);
    const std::lock_guard lock(queue_mutex_);
    const auto open = open_.find(request.message.id());
    if (open != open_.end() && open->second == request.cancel) open_.erase(open);
  }
}

void Client::handle(Request& request) {
  request.times.started = Clock::now();
  Json body = {{"ok", true}, {"do", to_string(request.message.kind())}};
  std::vector<std::uint8_t> frame;
  Result<void> done;
  try {
    done = dispatch(request, body, frame);
  } catch (const std::exception& exception) {
    done = Error{ErrorCode::exhausted, exception.what(), {}};
  }
  if (!done.ok()) {
    frame.clear();
    body = {{"ok", false},
            {"do", to_string(request.message.kind())},
            {"error", done.error().text()},
            {"version", world_.now()->version}};
  }
  request.times.done = Clock::now();
  ++answered_;
  // Before it is answered: whatever a client has heard is in a recording.
  if (done.ok()) tell_asked(request.message.kind(), body);
  connection_.answer(request.message.id(), std::move(body), request.times, frame);
}

void Client::tell_asked(MessageKind kind, const Json& body) {
  if (kind != MessageKind::check && kind != MessageKind::plan && kind != MessageKind::repair)
    return;
  Json about;
  for (const char* key : {"do", "version", "verdict", "status", "reason"})
    if (body.contains(key)) about[key] = body[key];
  journal_.asked(options_.id, std::move(about));
}

Result<void> Client::dispatch(Request& request, Json& body, std::vector<std::uint8_t>& frame) {
  switch (request.message.kind()) {
    case MessageKind::scene:
      return scene(request, body);
    case MessageKind::edit:
      return edit(request, body);
    case MessageKind::check:
      return check(request, body, frame);
    case MessageKind::configuration:
      return configuration(request, body);
    case MessageKind::plan:
      return plan(request, body, frame);
    case MessageKind::monitor:
      return monitor(request, body);
    case MessageKind::advance:
      return advance(request, body);
    case MessageKind::status:
      return status(request, body);
    case MessageKind::repair:
      return repair(request, body, frame);
    case MessageKind::drop:
      return drop(request, body);
    case MessageKind::stats:
      return stats(request, body);
    case MessageKind::hello:
    case MessageKind::cancel:
      break;
  }
  return {};
}

// Monitors follow every version, whatever else the client has asked for.
void Client::watch() {
  std::int64_t seen = -1;
  while (!stop_watching_) {
    const auto now = world_.wait_after(seen, [&] { return stop_watching_.load(); });
    seen = now->version;
    const std::lock_guard lock(monitors_mutex_);
    for (auto& [name, watched] : monitors_) follow(name, watched, *now);
  }
}

}  // namespace proven::tools
