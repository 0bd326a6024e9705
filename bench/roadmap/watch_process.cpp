#include "bench/roadmap/watch_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <utility>

namespace proven::bench {

Result<WatchProcess> WatchProcess::start(const std::vector<std::string>& arguments) {
  std::error_code failed;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (failed || std::filesystem::path(program).filename() != "proven")
    return bad_input("changes are watched by the program `proven` alone");
  std::vector<std::string> words = {program, "roadmap", "watch"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) != 0) return bad_input("no pipe could be made");
  if (::pipe2(from, O_CLOEXEC) != 0) {
    ::close(to[0]), ::close(to[1]);
    return bad_input("no pipe could be made");
  }
  std::signal(SIGPIPE, SIG_IGN);
  const pid_t id = ::fork();
  if (id == 0) {
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  WatchProcess process(id, to[1], from[0]);
  if (id < 0) return bad_input("no further process could be started");
  return process;
}

WatchProcess::WatchProcess(WatchProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      buffer_(std::move(other.buffer_)) {}

// It ends with its input.
WatchProcess::~WatchProcess() {
  if (in_ >= 0) ::close(in_);
  if (id_ > 0) ::waitpid(id_, nullptr, 0);
  if (out_ >= 0) ::close(out_);
}

double WatchProcess::processor_seconds() const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(id_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

std::optional<nlohmann::json> WatchProcess::ask(const std::string& change) {
  for (std::size_t sent = 0; sent < change.size();) {
    const ssize_t some = ::write(in_, change.data() + sent, change.size() - sent);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return std::nullopt;
    sent += static_cast<std::size_t>(some);
  }
  std::size_t end = std::string::npos;
  while ((end = buffer_.find('\n')) == std::string::npos) {
    char chunk[65536];
    const ssize_t got = ::read(out_, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    buffer_.append(chunk, static_cast<std::size_t>(got));
  }
  auto answer = nlohmann::json::parse(buffer_.substr(0, end), nullptr, false);
  buffer_.erase(0, end + 1);
  if (answer.is_discarded()) return std::nullopt;
  return answer;
}

}  // namespace proven::bench
