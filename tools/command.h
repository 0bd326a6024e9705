// A command of the program: what it is called, its options, and what it does.
//
// To add one: write tools/commands/<name>.cpp with a function that returns a Command, declare it in
// tools/main.cpp and list it there.
#pragma once

#include <functional>
#include <string>

#include "proven/base/result.h"
#include "tools/arguments.h"

namespace proven::tools {

// Exit codes that scripts rely on.
enum ExitCode {
  kOk = 0,         // free, solved, accepted
  kCollision = 1,  // collision, or proved that there is none
  kUsage = 2,
  kUndecided = 3,  // or a budget ran out
  kBadInput = 4,
  kRejected = 5,  // certificate rejected
  kInterrupted = 130,
};

struct Command {
  std::string name, summary;
  std::string examples;  // shown below the help
  // Adds its arguments, those common options that it honours among them, and returns the action,
  // which gives the exit code.
  std::function<std::function<int()>(Arguments&, const CommonOptions&)> set_up;
};

// The worst of several: bad input, then collision, undecided, free.
int worse(int a, int b);

// Prints "proven: error" as one line on stderr; returns kBadInput.
int report(const Error& error);
// The same of work that a budget may have ended: then it returns kUndecided.
int report_any(const Error& error);

}  // namespace proven::tools
