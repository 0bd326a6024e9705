// What people see: colours only on terminals, a progress line only on terminals.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace proven::tools {

enum class Colour { plain, bold, dim, red, green, yellow, blue };

// The text in a colour if stdout is a terminal and NO_COLOR is not set.
std::string paint(Colour colour, std::string_view text);

// A line on stderr that shows the share done and the time left; silent unless stderr is a terminal.
class Progress {
 public:
  // What stops after `budget_seconds` is done then, whatever share of it that is; 0: no budget.
  Progress(std::string label, bool quiet, double budget_seconds = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(double share);

 private:
  std::string label_;
  bool visible_;
  double budget_seconds_;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace proven::tools
