// Strict numbers, independent of the locale.
#pragma once

#include <optional>
#include <string_view>

namespace proven {

// The whole text must be one finite decimal number ("1.5", "-2e-3", "+4"); hexadecimal, "nan",
// "inf", a decimal comma, trailing text and values that overflow a double are refused. Values too
// small for a double become zero.
std::optional<double> parse_double(std::string_view text);
std::optional<long> parse_integer(std::string_view text);

}  // namespace proven
