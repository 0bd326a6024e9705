#include "proven/base/numbers.h"

#include <charconv>
#include <cmath>

namespace proven {
namespace {

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

// from_chars reports overflow and underflow alike; a number underflows when its first significant
// digit times its exponent lies below one.
bool is_tiny(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos && e + 1 < text.size()) return text[e + 1] == '-';
  const std::size_t digit = text.find_first_of("123456789");
  const std::size_t point = text.find('.');
  return point != std::string_view::npos && (digit == std::string_view::npos || digit > point);
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (stop != end || text.empty()) return std::nullopt;
  if (status == std::errc::result_out_of_range)
    return is_tiny(text) ? std::optional<double>(0.0) : std::nullopt;
  if (status != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long> parse_integer(std::string_view text) {
  text = without_plus(text);
  long value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (stop != end || text.empty() || status != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace proven
