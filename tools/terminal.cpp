#include "tools/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace proven::tools {
namespace {

bool colours_wanted() {
  static const bool wanted = isatty(STDOUT_FILENO) && std::getenv("NO_COLOR") == nullptr;
  return wanted;
}

const char* code(Colour colour) {
  switch (colour) {
    case Colour::plain:
      return "0";
    case Colour::bold:
      return "1";
    case Colour::dim:
      return "2";
    case Colour::red:
      return "31";
    case Colour::green:
      return "32";
    case Colour::yellow:
      return "33";
    case Colour::blue:
      return "34";
  }
  return "0";
}

// At most this much, in the unit that a person would use.
std::string time_left(double seconds) {
  const int s = static_cast<int>(std::min(std::ceil(seconds), 1e7));
  if (s < 60) return fmt::format("{} s left", s);
  if (s < 3600) return fmt::format("{}:{:02} min left", s / 60, s % 60);
  return fmt::format("{}:{:02} h left", s / 3600, s / 60 % 60);
}

}  // namespace

std::string paint(Colour colour, std::string_view text) {
  if (!colours_wanted()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code(colour), text);
}

ProgressLine::ProgressLine(std::string label, bool quiet, Clock::time_point deadline)
    : label_(std::move(label)),
      visible_(!quiet && isatty(STDERR_FILENO)),
      deadline_(deadline),
      start_(Clock::now()),
      stage_start_(start_),
      last_(start_ - std::chrono::seconds(1)) {}

ProgressLine::~ProgressLine() {
  if (visible_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::update(const Progress& progress) {
  const auto now = Clock::now();
  if (progress.stage != stage_) {
    stage_ = progress.stage;
    stage_start_ = now;
  }
  if (!visible_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  double share = 0, left = std::numeric_limits<double>::infinity();
  if (progress.total > 0) {
    share = std::clamp(static_cast<double>(progress.done) / static_cast<double>(progress.total),
                       0.0, 1.0);
    if (share > 0.02) left = seconds(now - stage_start_) * (1 / share - 1);
  }
  if (deadline_ != Clock::time_point::max()) {
    share = std::clamp(seconds(now - start_) / seconds(deadline_ - start_), share, 1.0);
    left = std::min(left, std::max(0.0, seconds(deadline_ - now)));
  }
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(share * kWidth);
  fmt::print(stderr, "\r{}{}{} [{:#<{}}{:.<{}}] {:3.0f} % {}\033[K", label_,
             stage_.empty() ? "" : ": ", stage_, "", filled, "", kWidth - filled, 100 * share,
             std::isfinite(left) ? time_left(left) : "");
  std::fflush(stderr);
}

}  // namespace proven::tools
