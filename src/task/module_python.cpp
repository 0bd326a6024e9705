#include "task/module_python.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "proven/base/numbers.h"
#include "task/limits.h"

namespace proven::task {
namespace {

// The interpreter's side. Whatever a module prints goes to stderr.
constexpr const char* kHost = R"python(
import importlib.util, math, os, socket, sys, traceback, types

link = socket.socket(fileno=int(sys.argv[1]))
lines = link.makefile("r", encoding="utf-8", newline="\n")
sys.stdout = sys.stderr

def say(*words):
    text = "\t".join(str(w).replace("\t", " ").replace("\n", " ") for w in words)
    link.sendall((text + "\n").encode())

def hear():
    line = lines.readline()
    if not line:
        os._exit(0)
    return line.rstrip("\n").split("\t")

UNKNOWN = None
known = {}

def decorator(kind):
    def mark(function):
        known[function.__name__] = (kind, function)
        return function
    return mark

class State:
    """What a module sees of the world; what it asks for is what its answer depends on."""
    def __init__(self, seconds, written):
        self.seconds = seconds  # budget for the answer
        self.written = written  # how many numbers an effect returns
    def fact(self, predicate, *objects):
        say("fact", predicate, *objects)
        answer = hear()[0]
        if answer == "-1":
            raise KeyError(f"the domain has no predicate '{predicate}'")
        return answer == "1"
    def number(self, fluent, *objects):
        say("number", fluent, *objects)
        answer = hear()[0]
        if answer == "-1":
            raise KeyError(f"the domain has no fluent '{fluent}'")
        return None if answer == "undefined" else float(answer)
    def facts(self):
        say("facts")
        return [tuple(f.split(" ")) for f in hear() if f]
    def explain(self, reason):
        say("explain", reason)

api = types.ModuleType("proven_module")
api.UNKNOWN = UNKNOWN
for kind in ("condition", "cost", "effect", "init"):
    setattr(api, kind, decorator(kind))
sys.modules["proven_module"] = api

def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)

def answer(kind, result, written):
    if result is None:
        return say("answer", "unknown")
    if kind == "condition":
        if not isinstance(result, bool):
            raise TypeError(f"a condition answers True, False or UNKNOWN, not {result!r}")
        return say("answer", "yes" if result else "no")
    if result is False:
        return say("answer", "no")
    if kind == "cost":
        if not is_number(result):
            raise TypeError(f"a cost is a number, False or UNKNOWN, not {result!r}")
        return say("answer", "no") if result == math.inf else say("answer", "yes", repr(float(result)))
    values = [float(v) for v in result]
    if len(values) != written:
        raise TypeError(f"the effect writes {written} numbers, the function returned {len(values)}")
    say("answer", "yes", *map(repr, values))

def function(kind, name):
    if name not in known:
        raise NameError(f"there is no function '{name}' with a decorator of proven_module")
    if known[name][0] != kind:
        raise TypeError(f"'{name}' is decorated as {known[name][0]}, not as {kind}")
    return known[name][1]

def serve(words):
    if words[0] == "find":
        function(words[1], words[2])
        say("answer", "yes")
    elif words[0] == "init":
        say("answer", "no" if function("init", words[1])(*words[2:]) is False else "yes")
    else:
        kind, name, seconds, written = words[1], words[2], float(words[3]), int(words[4])
        answer(kind, function(kind, name)(State(seconds, written), *words[5:]), written)

def attempt(work):
    try:
        work()
    except Exception as error:
        place = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == sys.argv[2]]
        where = f" (line {place[-1].lineno})" if place else ""
        say("error", f"{type(error).__name__}: {error}{where}")

def load():
    spec = importlib.util.spec_from_file_location("proven_user_module", sys.argv[2])
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(sys.argv[2]))
    spec.loader.exec_module(module)
    say("answer", "yes")

attempt(load)
while True:
    words = hear()
    attempt(lambda: serve(words))
)python";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

PythonModules::Words split(const std::string& line) {
  PythonModules::Words words(1);
  for (const char c : line)
    if (c == '\t')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

}  // namespace

PythonModules::PythonModules(std::string file) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    failure_ = "cannot make a socket to the Python interpreter";
    return;
  }
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  const std::string number = std::to_string(ends[1]);
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    execlp("python3", "python3", "-c", kHost, number.c_str(), file.c_str(),
           static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  socket_ = ends[0];
  // The file is run when the interpreter starts; the planner's budget ends what takes too long.
  Words words;
  if (child_ < 0 || !read_line(HUGE_VAL, words))
    failure_ = "Python did not start: is there a program 'python3'?";
  else if (words[0] == "error")
    failure_ = words.size() > 1 ? words[1] : "it failed";
}

PythonModules::~PythonModules() {
  end();
}

double PythonModules::processor_seconds() {
  // An interpreter that has ended keeps what was seen of it last.
  if (child_ > 0) processor_ = std::max(processor_, processor_seconds_of(child_));
  return processor_;
}

void PythonModules::end() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (child_ > 0) {
    processor_seconds();
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  child_ = -1;
}

bool PythonModules::send_line(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : "\t") + word;
  line += '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t n = send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool PythonModules::read_line(double deadline, Words& words) {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      words = split(unread_.substr(0, end));
      unread_.erase(0, end + 1);
      return true;
    }
    constexpr double kLongestWait = 1000;
    const double left = std::clamp(deadline - now(), 0.0, kLongestWait);
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::ceil(1000 * left)));
    if (ready == 0 && now() >= deadline) return false;
    if (ready <= 0) continue;  // also after a signal
    char bytes[4096];
    const ssize_t n = read(socket_, bytes, sizeof bytes);
    if (n <= 0) return false;
    unread_.append(bytes, static_cast<std::size_t>(n));
  }
}

PythonModules::Reply PythonModules::ask(const Words& question, double seconds,
                                        const Answer& answer) {
  Reply reply;
  const double deadline = now() + seconds;
  Words words;
  if (socket_ < 0) {
    reply.error = "has no interpreter any more";
    return reply;
  }
  for (bool sent = send_line(question);;) {
    if (!sent || !read_line(deadline, words)) {
      reply.error = now() >= deadline ? fmt::format("gave no answer within {} s", seconds)
                                      : "ended the Python interpreter";
      end();
      return reply;
    }
    if (words[0] == "error") {
      reply.error = words.size() > 1 ? words[1] : "failed";
      return reply;
    }
    if (words[0] == "answer" && words.size() > 1) break;
    const std::string told = answer(words);
    if (words[0] != "explain") sent = send_line({told});
  }
  reply.word = words[1];
  for (std::size_t i = 2; i < words.size(); ++i)
    reply.values.push_back(parse_double(words[i]).value_or(std::nan("")));
  return reply;
}

}  // namespace proven::task
