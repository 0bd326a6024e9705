// One client of the server: its requests one after the other, its monitors as the scene changes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <thread>
#include <variant>

#include "proven/certify/monitor.h"
#include "proven/io/messages.h"
#include "tools/serve/door.h"
#include "tools/serve/journal.h"

namespace proven::tools {

struct ClientOptions {
  std::string token;    // not empty: the first message must be a hello with it
  std::int64_t id = 0;  // of its lines in the journal
  // When the first message must have come, and where the client is counted from then on.
  Clock::time_point deadline = Clock::time_point::max();
  Door::Place* place = nullptr;
};

// Memory of searches. A Scratch keeps what any search before has needed, which grows ever more
// slowly; begun anew now and then, it holds what the last ones needed.
class RecentScratch {
 public:
  Scratch& get() {
    if (++uses_ % kUses == 0) scratch_ = {};
    return scratch_;
  }

 private:
  static constexpr int kUses = 256;
  Scratch scratch_;
  std::int64_t uses_ = 0;
};

class Client {
 public:
  Client(World& world, Journal& journal, int in, int out, ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Reads until the client leaves; then nothing of it works any more.
  void run();
  // From another thread: makes run() return soon. What has been read is answered, but nothing more
  // is begun: requests end as if they were cancelled.
  void stop();
  std::int64_t answered() const { return answered_; }

 private:
  struct Request {
    Message message;
    MessageTimes times;
    std::shared_ptr<std::atomic<bool>> cancel;
  };
  // What could not be read is answered in its turn, too.
  struct Refusal {
    std::string id;
    Error error;
    MessageTimes times;
  };
  using Task = std::variant<Request, Refusal>;
  struct Watched {
    Monitor monitor;
    std::int64_t version = 0;
  };
  bool take_message(std::string_view line, MessageTimes times);
  bool is_welcome(const Message& message, MessageTimes& times);
  bool enter(const std::string& id, MessageTimes& times);
  void refuse_rest(Connection::Received received);
  void cancel(const Message& message, MessageTimes times);
  void refuse(const std::string& id, const Error& error, MessageTimes times);
  void enqueue(Task task);
  void work();
  void handle(Request& request);
  void tell_asked(MessageKind kind, const nlohmann::ordered_json& body);
  Result<void> dispatch(Request& request, nlohmann::ordered_json& body,
                        std::vector<std::uint8_t>& frame);
  Result<void> scene(Request& request, nlohmann::ordered_json& body);
  Result<void> edit(Request& request, nlohmann::ordered_json& body);
  Result<void> check(Request& request, nlohmann::ordered_json& body,
                     std::vector<std::uint8_t>& frame);
  Result<void> configuration(Request& request, nlohmann::ordered_json& body);
  Result<void> plan(Request& request, nlohmann::ordered_json& body,
                    std::vector<std::uint8_t>& frame);
  Result<void> monitor(Request& request, nlohmann::ordered_json& body);
  Result<void> advance(Request& request, nlohmann::ordered_json& body);
  Result<void> status(Request& request, nlohmann::ordered_json& body);
  Result<void> repair(Request& request, nlohmann::ordered_json& body,
                      std::vector<std::uint8_t>& frame);
  Result<void> drop(Request& request, nlohmann::ordered_json& body);
  Result<void> stats(Request& request, nlohmann::ordered_json& body);
  Result<Watched*> find_monitor(const std::string& name);
  void follow(const std::string& name, Watched& watched, const Snapshot& now);
  nlohmann::ordered_json state_of(const Watched& watched) const;
  void tell_motion(const std::string& name, const Watched& watched);
  void tell_state(const std::string& name, const Watched& watched,
                  const nlohmann::ordered_json& state);
  void watch();

  World& world_;
  Journal& journal_;
  Connection connection_;
  ClientOptions options_;
  bool welcome_ = false;
  bool entered_ = false;  // counts as a client
  long num_messages_ = 0;
  std::atomic<std::int64_t> answered_ = 0;

  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<Task> queue_;
  std::map<std::string, std::shared_ptr<std::atomic<bool>>> open_;  // by id: may be cancelled
  bool leaving_ = false, stopped_ = false;

  std::mutex monitors_mutex_;
  std::map<std::string, Watched> monitors_;
  RecentScratch monitors_scratch_;
  std::atomic<bool> stop_watching_ = false;
  RecentScratch scratch_;  // of the worker
  std::thread worker_, watcher_;
};

}  // namespace proven::tools
