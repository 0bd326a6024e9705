// Modules in a process of their own: a copy of the planner, made by fork(), that loads the
// libraries and answers questions over pipes, so that only states and answers travel.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "task/failure.h"
#include "task/module_caller.h"
#include "task/watch.h"

namespace proven::task {
namespace {

template <class T>
void put(std::string& bytes, const std::vector<T>& values) {
  const std::uint64_t count = values.size();
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  bytes.append(reinterpret_cast<const char*>(values.data()), count * sizeof(T));
}

template <class T>
void put_value(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads what `put` wrote; the writer is our own copy.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  T value() {
    T result;
    std::memcpy(&result, bytes_.data() + next_, sizeof result);
    next_ += sizeof result;
    return result;
  }
  template <class T>
  std::vector<T> list() {
    std::vector<T> result(value<std::uint64_t>());
    if (result.empty()) return result;  // no memory to copy to
    std::memcpy(result.data(), bytes_.data() + next_, result.size() * sizeof(T));
    next_ += result.size() * sizeof(T);
    return result;
  }

 private:
  const std::string& bytes_;
  std::size_t next_ = 0;
};

bool write_all(int file, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = write(file, data, size);
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool send_message(int file, const std::string& bytes) {
  const std::uint64_t size = bytes.size();
  return write_all(file, reinterpret_cast<const char*>(&size), sizeof size) &&
         write_all(file, bytes.data(), bytes.size());
}

enum class Received { message, closed, timeout };

// Waits until `deadline` and looks at the budget often. Throws Stopped.
template <class Look>
Received read_all(int file, char* data, std::size_t size, Budget::Clock::time_point deadline,
                  const Look& look) {
  constexpr std::chrono::milliseconds kLook{20};
  for (bool waited = false; size > 0; waited = true) {
    if (waited) look();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        std::min<Budget::Clock::duration>(deadline - Budget::Clock::now(), kLook));
    pollfd waiting{file, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<long>(0, left.count())));
    if (ready == 0 && Budget::Clock::now() >= deadline) return Received::timeout;
    if (ready <= 0) continue;  // also after a signal
    const ssize_t n = read(file, data, size);
    if (n <= 0) return Received::closed;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return Received::message;
}

template <class Look>
Received receive_message(int file, std::string& bytes, Budget::Clock::time_point deadline,
                         const Look& look) {
  std::uint64_t size = 0;
  const Received head = read_all(file, reinterpret_cast<char*>(&size), sizeof size, deadline, look);
  if (head != Received::message) return head;
  bytes.resize(size);
  return read_all(file, bytes.data(), size, deadline, look);
}

std::string pack_answer(const ModuleAnswer& answer) {
  std::string bytes;
  put_value(bytes, answer.truth);
  put_value(bytes, answer.cost);
  put(bytes, answer.values);
  put_value(bytes, answer.reads.everything);
  put(bytes, answer.reads.facts);
  put(bytes, answer.reads.variables);
  put(bytes, std::vector<char>(answer.error.begin(), answer.error.end()));
  put(bytes, std::vector<char>(answer.reason.begin(), answer.reason.end()));
  return bytes;
}

ModuleAnswer unpack_answer(const std::string& bytes) {
  Unpacker unpacker(bytes);
  ModuleAnswer answer;
  answer.truth = unpacker.value<Truth>();
  answer.cost = unpacker.value<double>();
  answer.values = unpacker.list<double>();
  answer.reads.everything = unpacker.value<bool>();
  answer.reads.facts = unpacker.list<int>();
  answer.reads.variables = unpacker.list<int>();
  const auto error = unpacker.list<char>();
  answer.error.assign(error.begin(), error.end());
  const auto reason = unpacker.list<char>();
  answer.reason.assign(reason.begin(), reason.end());
  return answer;
}

constexpr auto kNever = Budget::Clock::time_point::max();

std::string pack_error(const Error& error) {
  std::string bytes;
  put_value(bytes, error.code);
  put(bytes, std::vector<char>(error.message.begin(), error.message.end()));
  put(bytes, std::vector<char>(error.context.begin(), error.context.end()));
  return bytes;
}

Error unpack_error(const std::string& bytes) {
  Unpacker unpacker(bytes);
  const auto code = unpacker.value<ErrorCode>();
  const auto message = unpacker.list<char>(), context = unpacker.list<char>();
  return {code, {message.begin(), message.end()}, {context.begin(), context.end()}};
}

// What the child does. Its first message is empty, or the reason why the modules are not there.
[[noreturn]] void serve(const GroundTask& task, const ModuleOptions& options, int in, int out) {
  std::unique_ptr<ModuleCaller> caller;
  try {
    caller = make_caller(task, options);
  } catch (const Failure& failure) {
    send_message(out, pack_error(failure.error()));
    _exit(0);
  }
  if (!send_message(out, {})) _exit(0);
  const Budget unlimited;  // the parent ends this process
  std::string bytes;
  while (receive_message(in, bytes, kNever, [] {}) == Received::message) {
    Unpacker unpacker(bytes);
    const int call = unpacker.value<int>();
    const double seconds = unpacker.value<double>();
    State state;
    state.facts = unpacker.list<std::uint64_t>();
    state.values = unpacker.list<double>();
    if (!send_message(out, pack_answer(caller->ask(call, state, seconds, unlimited)))) break;
  }
  _exit(0);
}

class ProcessCaller : public ModuleCaller {
 public:
  ProcessCaller(const GroundTask& task, const ModuleOptions& options, const Budget& budget,
                const Limits& limits)
      : grace_seconds_(options.grace_seconds), limits_(limits) {
    int to_child[2], from_child[2];
    if (pipe(to_child) != 0 || pipe(from_child) != 0)
      fail({}, "cannot make a pipe to the modules", ErrorCode::exhausted);
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ < 0) fail({}, "cannot start a process for the modules", ErrorCode::exhausted);
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      // Ctrl-C reaches both; the parent decides what it means.
      signal(SIGINT, SIG_IGN);
      if (getppid() != parent) _exit(0);
      close(to_child[1]);
      close(from_child[0]);
      serve(task, options, to_child[0], from_child[1]);
    }
    close(to_child[0]);
    close(from_child[1]);
    to_ = to_child[1];
    from_ = from_child[0];
    try {
      wait_for_loading(budget);
    } catch (...) {
      end();
      throw;
    }
  }

  ~ProcessCaller() override { end(); }

  ModuleAnswer ask(int call, const State& state, double seconds, const Budget& budget) override {
    ModuleAnswer answer;
    if (child_ <= 0) return answer.error = "the modules' process has ended", answer;
    seconds = std::min(seconds, budget.seconds_left());
    std::string bytes;
    put_value(bytes, call);
    put_value(bytes, seconds);
    put(bytes, state.facts);
    put(bytes, state.values);
    Received received = Received::closed;
    std::string reply;
    try {
      const auto deadline = Budget::of_seconds(seconds + grace_seconds_).deadline;
      if (send_message(to_, bytes))
        received = receive(reply, deadline, Watch(budget, "a module was asked", limits_));
    } catch (const Stopped&) {
      stop();  // nobody waits for this answer any more
      throw;
    }
    if (received == Received::message) return unpack_answer(reply);
    const int status = stop();
    answer.error = received == Received::timeout
                       ? fmt::format("gave no answer within {} s", seconds + grace_seconds_)
                       : end_text(status);
    return answer;
  }

  double processor_elsewhere() override {
    // What has ended keeps what was seen of it last.
    if (child_ > 0) processor_ = std::max(processor_, processor_seconds_of(child_));
    return processor_;
  }

 private:
  Received receive(std::string& bytes, Budget::Clock::time_point deadline, const Watch& watch) {
    watch.look_well();
    return receive_message(from_, bytes, deadline, [&] {
      if (limits_.processor_limited() && limits_.elsewhere)
        *limits_.elsewhere = processor_elsewhere();
      watch.look_well();
    });
  }

  void wait_for_loading(const Budget& budget) {
    std::string message;
    if (receive(message, kNever, Watch(budget, "modules were loaded", limits_)) !=
        Received::message)
      fail({}, "a module " + end_text(stop()) + " while it was loaded", ErrorCode::unsupported);
    if (!message.empty()) throw Failure(unpack_error(message));
  }

  static std::string end_text(int status) {
    if (WIFSIGNALED(status))
      return fmt::format("crashed with signal {} ({})", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
    return fmt::format("ended its process with code {}", WEXITSTATUS(status));
  }

  void end() {
    close(to_);
    close(from_);
    stop();
  }

  // Gives a crashed child the moment it needs to be seen as such, then ends it.
  int stop() {
    if (child_ <= 0) return 0;
    processor_elsewhere();
    int status = 0;
    for (int i = 0; i < 20; ++i) {
      if (waitpid(child_, &status, WNOHANG) == child_) return child_ = -1, status;
      usleep(1000);
    }
    kill(child_, SIGKILL);
    waitpid(child_, &status, 0);
    child_ = -1;
    return status;
  }

  double grace_seconds_, processor_ = 0;
  Limits limits_;
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace

std::unique_ptr<ModuleCaller> make_separate_caller(const GroundTask& task,
                                                   const ModuleOptions& options,
                                                   const Budget& budget, const Limits& limits) {
  return std::make_unique<ProcessCaller>(task, options, budget, limits);
}

}  // namespace proven::task
