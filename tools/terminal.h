// What people see: colours only on terminals, a progress line only on terminals.
#pragma once

#include <string>
#include <string_view>

#include "proven/base/budget.h"

namespace proven::tools {

enum class Colour { plain, bold, dim, red, green, yellow, blue };

// The text in a colour if stdout is a terminal and NO_COLOR is not set.
std::string paint(Colour colour, std::string_view text);

// A line on stderr that shows the stage of the work, the share of it that is done and the time that
// is left; silent unless stderr is a terminal.
class ProgressLine {
 public:
  using Clock = Budget::Clock;

  // Work that stops at a deadline is done then, whatever share of it that is.
  ProgressLine(std::string label, bool quiet,
               Clock::time_point deadline = Clock::time_point::max());
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool visible() const { return visible_; }
  void update(const Progress& progress);

 private:
  std::string label_, stage_;
  bool visible_;
  Clock::time_point deadline_, start_, stage_start_, last_;
};

}  // namespace proven::tools
