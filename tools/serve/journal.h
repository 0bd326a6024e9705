// What happens in a server, told as it happens: to a file, and to pages that watch.
//
// The lines are those of docs/serve.md#recordings. They are made in a thread of their own, from
// scenes that share all geometry with the world's: an edit waits for none of it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "tools/serve/world.h"

namespace proven::tools {

// One that listens: lines wait for it, up to a bound.
class Follower {
 public:
  // The next line, or nothing if the time is over or there is none any more.
  std::optional<std::string> next(std::chrono::milliseconds patience);
  // Whether no more lines come: it was too slow, or the server ends.
  bool ended() const;

 private:
  friend class Journal;
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<const std::string>> lines_;
  std::size_t bytes_ = 0;
  bool ended_ = false;
};

class Journal {
 public:
  // Of a world that is not edited yet. `title` is what the scene is called.
  Journal(World& world, std::string title);
  ~Journal();
  // Tells what has happened so far and that it ends. Whoever has something to tell after that waits
  // for the end of the program: it cannot be answered any more.
  void end();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // From now on; the first lines tell what there is.
  std::shared_ptr<Follower> follow();
  const std::string& title() const { return title_; }

  // A monitor of a client follows a motion: `motion` as in the viewer's document.
  void motion(std::int64_t client, const std::string& name, nlohmann::ordered_json motion);
  // What stands of it, as events of the server say; `place` is where the robot is.
  void stands(std::int64_t client, const std::string& name, nlohmann::ordered_json state,
              std::span<const double> place);
  void dropped(std::int64_t client, const std::string& name);
  // All of a client's monitors.
  void left(std::int64_t client);
  // Another request that was answered with a verdict.
  void asked(std::int64_t client, nlohmann::ordered_json about);

 private:
  using Key = std::pair<std::int64_t, std::string>;
  struct Happened {
    double time = 0;
    std::shared_ptr<const Snapshot> snapshot;  // an edit; else
    nlohmann::ordered_json line;               // what is told
  };
  double seconds() const;
  void tell(Happened happened);
  void work();
  void tell_edit(const Happened& edit);
  nlohmann::ordered_json first_line() const;
  void send(const nlohmann::ordered_json& line);

  std::string title_;
  Clock::time_point begin_ = Clock::now();
  std::atomic<int> num_followers_ = 0;

  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<Happened> queue_;
  std::condition_variable never_;
  int edits_waiting_ = 0;
  bool ending_ = false;

  std::mutex told_mutex_;  // of what follows
  std::vector<std::shared_ptr<Follower>> followers_;
  std::shared_ptr<const Snapshot> told_;  // the version that followers know
  struct Known {
    nlohmann::ordered_json motion, stands;
  };
  std::map<Key, Known> monitors_;
  std::thread thread_;
};

// Writes what a journal tells into a file: a line at a time, so that a file that ends early, for
// whatever reason, is read up to its last whole line.
class Recorder {
 public:
  static Result<Recorder> open(const std::string& path, Journal& journal, std::size_t most_bytes);
  ~Recorder();
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) = delete;

 private:
  struct State;
  explicit Recorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proven::tools
