// Floating-point numbers as they stand in binary files.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace proven::io {

// Of four or eight bytes, which need not be aligned.
inline double real_at(const char* at, std::size_t size, bool big_endian = false) {
  static_assert(std::endian::native == std::endian::little);
  if (size == 4) {
    std::uint32_t bits;
    std::memcpy(&bits, at, 4);
    return static_cast<double>(std::bit_cast<float>(big_endian ? __builtin_bswap32(bits) : bits));
  }
  std::uint64_t bits;
  std::memcpy(&bits, at, 8);
  return std::bit_cast<double>(big_endian ? __builtin_bswap64(bits) : bits);
}

}  // namespace proven::io
