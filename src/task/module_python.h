// Modules written in Python, in a process of their own: one interpreter for each file. The planner
// and the interpreter talk in lines of words; what a module asks of the state is answered here.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace proven::task {

class PythonModules {
 public:
  using Words = std::vector<std::string>;
  // What a module asks during a call: {"fact", predicate, object ...}, {"number", fluent, ...},
  // {"facts"} or {"explain", reason}.
  using Answer = std::function<std::string(const Words& question)>;

  struct Reply {
    std::string word;            // yes, no, unknown
    std::vector<double> values;  // a cost, or what an effect writes
    std::string error;           // not empty: the module failed
  };

  explicit PythonModules(std::string file);
  ~PythonModules();
  PythonModules(const PythonModules&) = delete;
  PythonModules& operator=(const PythonModules&) = delete;

  // Empty, or what is wrong: no Python, a file that does not run.
  const std::string& failure() const { return failure_; }
  // Processor time of the interpreter so far.
  double processor_seconds();
  // {"find", kind, function}, {"init", function, argument ...} or {"call", kind, function, seconds,
  // written, object ...}. Ends the interpreter if there is no reply after `seconds`.
  Reply ask(const Words& question, double seconds, const Answer& answer);

 private:
  bool send_line(const Words& words);
  // False: none in time, or the interpreter has ended.
  bool read_line(double deadline, Words& words);
  void end();

  std::string failure_, unread_;
  double processor_ = 0;
  pid_t child_ = -1;
  int socket_ = -1;
};

}  // namespace proven::task
