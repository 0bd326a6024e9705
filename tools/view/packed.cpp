#include "tools/view/packed.h"

#include <bit>
#include <cmath>
#include <limits>

namespace proven::tools {

static_assert(std::endian::native == std::endian::little);

std::string base64(std::string_view bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned value = 0;
    for (std::size_t k = 0; k < 3; ++k)
      value = value << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? kDigits[value >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

float rounded_down(double value) {
  const float nearest = static_cast<float>(value);
  return static_cast<double>(nearest) <= value
             ? nearest
             : std::nextafterf(nearest, -std::numeric_limits<float>::infinity());
}

}  // namespace proven::tools
