#include "tools/serve/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>

namespace proven::tools {
namespace {

double ms(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

// As poll() takes it: -1 waits without end.
int milliseconds_until(Clock::time_point deadline) {
  if (deadline == Clock::time_point::max()) return -1;
  constexpr double kMost = 1e9;
  return static_cast<int>(std::clamp(std::ceil(ms(Clock::now(), deadline)), 0.0, kMost));
}

// Everything of an object but its closing brace, with an id in front.
std::string opened(const std::string& id, const nlohmann::ordered_json& body) {
  std::string text = body.dump();
  text.pop_back();
  if (!id.empty()) text.insert(1, fmt::format("\"id\":{},", id));
  return text;
}

}  // namespace

Connection::Connection(int in, int out)
    : in_(in), out_(out), stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Connection::~Connection() {
  if (stop_ >= 0) ::close(stop_);
  ::close(in_);
  if (out_ != in_) ::close(out_);
}

// Waits for input; false if reading is to stop, or the deadline has passed.
bool Connection::wait_for_input() {
  // Without a descriptor to stop by, one waits for the input alone.
  pollfd either[] = {{in_, POLLIN, 0}, {stop_, POLLIN, 0}};
  int ready = -1;
  do {
    ready = ::poll(either, 2, milliseconds_until(deadline_));
  } while (ready < 0 && errno == EINTR);
  late_ = ready == 0;
  return !late_ && either[1].revents == 0;
}

bool Connection::fill() {
  constexpr std::size_t kChunk = std::size_t{256} << 10;
  if (!wait_for_input()) return false;
  if (taken_ > 0) buffer_.erase(0, taken_), taken_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  ssize_t got = -1;
  do {
    got = ::read(in_, buffer_.data() + before, kChunk);
  } while (got < 0 && errno == EINTR);
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got > 0) filled_ = Clock::now();
  return got > 0;
}

Connection::Received Connection::read_line(std::string& line, MessageTimes& times) {
  std::size_t searched = taken_;
  bool begun = false;
  while (true) {
    // Blank lines and what stands before a line are nobody's first byte.
    while (!begun && taken_ < buffer_.size()) {
      const char c = buffer_[taken_];
      begun = c != '\n' && c != '\r' && c != ' ' && c != '\t';
      if (begun)
        times.first_byte = filled_, searched = taken_, line_ = lines_taken_ + 1;
      else
        lines_taken_ += buffer_[taken_++] == '\n';
    }
    const std::size_t end = begun ? buffer_.find('\n', searched) : std::string::npos;
    if (end != std::string::npos) {
      line.assign(buffer_, taken_, end - taken_);
      taken_ = end + 1;
      ++lines_taken_;
      times.read = Clock::now();
      return Received::message;
    }
    if (buffer_.size() - taken_ > most_bytes_) return Received::too_long;
    const std::size_t known = buffer_.size() - taken_;
    if (!fill()) return late_ ? Received::late : begun ? Received::cut : Received::end;
    searched = known;
  }
}

Connection::Received Connection::read_frame(std::size_t bytes, std::vector<std::uint8_t>& frame,
                                            MessageTimes& times) {
  frame.clear();
  while (true) {
    const std::size_t some = std::min(bytes - frame.size(), buffer_.size() - taken_);
    const auto* from = reinterpret_cast<const std::uint8_t*>(buffer_.data() + taken_);
    frame.insert(frame.end(), from, from + some);
    taken_ += some;
    if (frame.size() == bytes) break;
    if (!fill()) return Received::cut;
  }
  times.read = Clock::now();
  return Received::message;
}

void Connection::write_all(std::span<const char> bytes) {
  while (!bytes.empty() && !broken_) {
    const ssize_t sent = ::write(out_, bytes.data(), bytes.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) {
      broken_ = true;
      return;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void Connection::answer(const std::string& id, nlohmann::ordered_json body,
                        const MessageTimes& times, std::span<const std::uint8_t> frame) {
  if (!frame.empty()) body["bytes"] = frame.size();
  const std::lock_guard lock(writing_);
  const auto begin = Clock::now();
  write_all(opened(id, body));
  const auto now = Clock::now();
  write_all(fmt::format(
      ",\"ms\":{{\"read\":{:.4f},\"parse\":{:.4f},\"wait\":{:.4f},\"work\":{:.4f},\"write\":{:.4f},"
      "\"total\":{:.4f}}}}}\n",
      ms(times.first_byte, times.read), ms(times.read, times.parsed),
      ms(times.parsed, times.started), ms(times.started, times.done), ms(begin, now),
      ms(times.first_byte, now)));
  write_all({reinterpret_cast<const char*>(frame.data()), frame.size()});
  const double seconds = 1e-3 * ms(times.first_byte, Clock::now());
  ++latency_.count;
  latency_.sum += seconds;
  latency_.most = std::max(latency_.most, seconds);
}

void Connection::event(nlohmann::ordered_json body, Clock::time_point since) {
  const std::lock_guard lock(writing_);
  write_all(opened("", body));
  write_all(fmt::format(",\"ms\":{{\"since_edit\":{:.4f}}}}}\n", ms(since, Clock::now())));
}

void Connection::stop_reading() {
  const std::uint64_t one = 1;
  (void)!::write(stop_, &one, sizeof(one));
}

void Connection::close() {
  ::shutdown(in_, SHUT_RDWR);
}

bool Connection::gone() const {
  pollfd out{out_, 0, 0};
  return broken_ || (::poll(&out, 1, 0) > 0 && (out.revents & (POLLHUP | POLLERR)) != 0);
}

Connection::Latency Connection::latency() const {
  const std::lock_guard lock(writing_);
  return latency_;
}

}  // namespace proven::tools
