#include "proven/base/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace proven {
namespace {

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

// from_chars reports overflow and underflow alike. The number lies below one if its first digit
// that is not zero stands for a negative power of ten.
bool is_tiny(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;  // zero
  long exponent = 0;
  std::string_view given = text.substr(std::min(e + 1, text.size()));
  if (given.starts_with('+')) given.remove_prefix(1);
  const bool negative = given.starts_with('-');
  const auto status = std::from_chars(given.data(), given.data() + given.size(), exponent).ec;
  if (status == std::errc::result_out_of_range) return negative;
  const long power = static_cast<long>(point) - static_cast<long>(first);
  return power - (power > 0 ? 1 : 0) + exponent < 0;
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
