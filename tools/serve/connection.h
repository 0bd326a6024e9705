// One client's wire: lines and frames of bytes in, answers out, each with the time that it took.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proven/base/result.h"

namespace proven::tools {

using Clock = std::chrono::steady_clock;

// When what happened to a message.
struct MessageTimes {
  Clock::time_point first_byte;  // when its first byte had come
  Clock::time_point read;        // when its last had
  Clock::time_point parsed, started, done;
};

class Connection {
 public:
  // Owns the descriptors, which may be the same one.
  Connection(int in, int out);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  enum class Received {
    message,
    end,       // cleanly, between messages
    cut,       // in the middle of one
    too_long,  // a line beyond the limit: what follows cannot be told apart any more
    late,      // not whole at the deadline
  };
  static constexpr std::size_t kMostLineBytes = std::size_t{256} << 20;
  // Of who has not said yet who it is: as much as a hello may take.
  static constexpr std::size_t kMostFirstBytes = std::size_t{64} << 10;

  // What the next line may take, until the next call; of the thread that reads.
  void limit_line(std::size_t most_bytes, Clock::time_point deadline = Clock::time_point::max()) {
    most_bytes_ = most_bytes;
    deadline_ = deadline;
  }

  // Waits for the next line that is not blank, without its end.
  Received read_line(std::string& line, MessageTimes& times);
  long line() const { return line_; }  // the number of that line, from 1
  // Waits for so many bytes.
  Received read_frame(std::size_t bytes, std::vector<std::uint8_t>& frame, MessageTimes& times);

  // One answer, from any thread. `id` is JSON. The parts of its latency come last, so that they
  // tell of the writing, too; the frame follows the line.
  void answer(const std::string& id, nlohmann::ordered_json body, const MessageTimes& times,
              std::span<const std::uint8_t> frame = {});
  // An event: what nobody asked for at this moment. `since` is when what caused it had come.
  void event(nlohmann::ordered_json body, Clock::time_point since);

  // From another thread: what is not read yet is not read any more, as if the input had ended here.
  void stop_reading();
  // Ends all waiting.
  void close();
  // Whether nobody can read answers any more. (Over a port that is seen when one is written.)
  bool gone() const;
  // Seconds from the first byte read to the last byte written, of all answers so far.
  struct Latency {
    std::int64_t count = 0;
    double sum = 0, most = 0;
  };
  Latency latency() const;

 private:
  bool wait_for_input();
  bool fill();
  void write_all(std::span<const char> bytes);

  int in_, out_;
  int stop_;            // becomes readable when reading shall stop
  std::string buffer_;  // read, not yet taken
  std::size_t taken_ = 0;
  std::size_t most_bytes_ = kMostLineBytes;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool late_ = false;
  long line_ = 0, lines_taken_ = 0;
  Clock::time_point filled_;  // when the last bytes came
  mutable std::mutex writing_;
  Latency latency_;
  std::atomic<bool> broken_ = false;
};

}  // namespace proven::tools
