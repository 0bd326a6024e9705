// Sorted labels in few bits, by binary interpolation (Moffat and Stuiver): the middle label is
// written in as many bits as the range that its neighbours leave it needs.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace proven::roadmap {

class BitWriter {
 public:
  // The low `count` bits.
  void put(std::uint64_t value, int count) {
    for (int b = 0; b < count; ++b, ++used_) {
      if (used_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (value >> b & 1) << (used_ % 8));
    }
  }
  // One of n values, 0 <= value < n, in ⌊log n⌋ or ⌈log n⌉ bits.
  void put_below(std::uint64_t value, std::uint64_t n) {
    if (n <= 1) return;
    const int bits = static_cast<int>(std::bit_width(n)) - 1;
    const std::uint64_t spare = (std::uint64_t{2} << bits) - n;  // values with `bits` bits
    if (value < spare) {
      put(value, bits);
    } else {
      // First the high part, then the last bit: a decoder sees which it is.
      put((value + spare) >> 1, bits);
      put((value + spare) & 1, 1);
    }
  }
  void put_count(std::uint64_t value) {  // Elias gamma of value + 1
    const int bits = static_cast<int>(std::bit_width(value + 1));
    put(0, bits - 1);
    put(1, 1);
    put((value + 1) & ((std::uint64_t{1} << (bits - 1)) - 1), bits - 1);
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t used_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint64_t get(int count) {
    std::uint64_t value = 0;
    for (int b = 0; b < count; ++b, ++used_)
      if (used_ / 8 < bytes_.size())
        value |= static_cast<std::uint64_t>(bytes_[used_ / 8] >> (used_ % 8) & 1) << b;
    return value;
  }
  std::uint64_t get_below(std::uint64_t n) {
    if (n <= 1) return 0;
    const int bits = static_cast<int>(std::bit_width(n)) - 1;
    const std::uint64_t spare = (std::uint64_t{2} << bits) - n;
    const std::uint64_t high = get(bits);
    if (high < spare) return high;
    return (high << 1 | get(1)) - spare;
  }
  std::uint64_t get_count() {
    int bits = 1;
    while (used_ / 8 < bytes_.size() && get(1) == 0) ++bits;
    return (std::uint64_t{1} << (bits - 1)) + get(bits - 1) - 1;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t used_ = 0;
};

// Sorted labels below `num_items`.
std::vector<std::uint8_t> encode_labels(std::span<const std::uint32_t> items, int num_items);
std::vector<std::uint32_t> decode_labels(std::span<const std::uint8_t> bytes, int num_items);

}  // namespace proven::roadmap
