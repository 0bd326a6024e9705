#include "tools/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

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

Progress::Progress(std::string label, bool quiet, double budget_seconds)
    : label_(std::move(label)),
      visible_(!quiet && isatty(STDERR_FILENO)),
      budget_seconds_(budget_seconds),
      start_(std::chrono::steady_clock::now()),
      last_(start_ - std::chrono::seconds(1)) {}

Progress::~Progress() {
  if (visible_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(double share) {
  if (!visible_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr int kWidth = 30;
  const double spent = std::chrono::duration<double>(now - start_).count();
  if (budget_seconds_ > 0) share = std::max(share, spent / budget_seconds_);
  share = std::clamp(share, 0.0, 1.0);
  const int filled = static_cast<int>(share * kWidth);
  const std::string left = share > 0.02 ? time_left(spent / share - spent) : std::string();
  fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {:3.0f} % {}\033[K", label_, "", filled, "",
             kWidth - filled, 100 * share, left);
  std::fflush(stderr);
}

}  // namespace proven::tools
