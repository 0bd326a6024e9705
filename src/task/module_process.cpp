// Modules in a process of their own: a copy of the planner that answers questions over pipes. It is
// made by fork() after libraries are loaded, so only states and answers travel.
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

Received read_all(int file, char* data, std::size_t size,
                  std::chrono::steady_clock::time_point deadline) {
  while (size > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd waiting{file, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<long>(0, left.count())));
    if (ready == 0) return Received::timeout;
    const ssize_t n = read(file, data, size);
    if (n <= 0) return Received::closed;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return Received::message;
}

Received receive_message(int file, std::string& bytes,
                         std::chrono::steady_clock::time_point deadline) {
  std::uint64_t size = 0;
  const Received head = read_all(file, reinterpret_cast<char*>(&size), sizeof size, deadline);
  if (head != Received::message) return head;
  bytes.resize(size);
  return read_all(file, bytes.data(), size, deadline);
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
  return answer;
}

[[noreturn]] void serve(ModuleCaller& caller, int in, int out) {
  const auto forever = std::chrono::steady_clock::now() + std::chrono::hours(10000);
  std::string bytes;
  while (receive_message(in, bytes, forever) == Received::message) {
    Unpacker unpacker(bytes);
    const int call = unpacker.value<int>();
    const double seconds = unpacker.value<double>();
    State state;
    state.facts = unpacker.list<std::uint64_t>();
    state.values = unpacker.list<double>();
    if (!send_message(out, pack_answer(caller.ask(call, state, seconds)))) break;
  }
  _exit(0);
}

class ProcessCaller : public ModuleCaller {
 public:
  ProcessCaller(std::unique_ptr<ModuleCaller> caller, const ModuleOptions& options)
      : grace_seconds_(options.grace_seconds) {
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
      serve(*caller, to_child[0], from_child[1]);
    }
    close(to_child[0]);
    close(from_child[1]);
    to_ = to_child[1];
    from_ = from_child[0];
  }

  ~ProcessCaller() override {
    close(to_);
    close(from_);
    stop();
  }

  ModuleAnswer ask(int call, const State& state, double seconds) override {
    ModuleAnswer answer;
    if (child_ <= 0) return answer.error = "the modules' process has ended", answer;
    std::string bytes;
    put_value(bytes, call);
    put_value(bytes, seconds);
    put(bytes, state.facts);
    put(bytes, state.values);
    const auto deadline = std::chrono::steady_clock::now() +
                          std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                              std::chrono::duration<double>(seconds + grace_seconds_));
    Received received = Received::closed;
    std::string reply;
    if (send_message(to_, bytes)) received = receive_message(from_, reply, deadline);
    if (received == Received::message) return unpack_answer(reply);
    const int status = stop();
    if (received == Received::timeout)
      answer.error = fmt::format("gave no answer within {} s", seconds + grace_seconds_);
    else if (WIFSIGNALED(status))
      answer.error =
          fmt::format("crashed with signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
      answer.error = fmt::format("ended its process with code {}", WEXITSTATUS(status));
    return answer;
  }

 private:
  // Gives a crashed child the moment it needs to be seen as such, then ends it.
  int stop() {
    if (child_ <= 0) return 0;
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

  double grace_seconds_;
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace

std::unique_ptr<ModuleCaller> in_separate_process(std::unique_ptr<ModuleCaller> caller,
                                                  const ModuleOptions& options) {
  return std::make_unique<ProcessCaller>(std::move(caller), options);
}

}  // namespace proven::task
