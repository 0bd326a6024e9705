// Little-endian bytes of numbers, and sorted lists as gaps.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace proven::roadmap {

static_assert(std::endian::native == std::endian::little,
              "files are written in the byte order of the machine");

class Bytes {
 public:
  template <class T>
  void put(const T& value) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), at, at + sizeof(T));
  }
  void put_number(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_.push_back(static_cast<std::uint8_t>(value | 128));
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  void put_sorted(std::span<const std::uint32_t> values) {
    put_number(values.size());
    std::uint32_t next = 0;
    for (const std::uint32_t v : values) {
      put_number(v - next);
      next = v + 1;
    }
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Reads what Bytes wrote; beyond the end it gives zeros, and remembers that.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::size_t left() const { return bytes_.size() - at_; }
  // Everything that was read was there.
  bool whole() const { return whole_; }
  template <class T>
  T get() {
    T value{};
    if (left() < sizeof(T)) {
      whole_ = false;
      at_ = bytes_.size();
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::uint64_t get_number() {
    std::uint64_t value = 0;
    for (int shift = 0; at_ < bytes_.size() && shift < 64; shift += 7) {
      const std::uint8_t byte = bytes_[at_++];
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    whole_ = false;
    return value;
  }
  std::vector<std::uint32_t> get_sorted() {
    std::vector<std::uint32_t> values;
    std::uint32_t next = 0;
    for (std::uint64_t n = get_number(); n > 0 && whole_; --n) {
      next += static_cast<std::uint32_t>(get_number());
      values.push_back(next++);
    }
    return values;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool whole_ = true;
};

}  // namespace proven::roadmap
