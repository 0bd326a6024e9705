// Content hashes: equal contents give equal hashes on every machine. They make a mix-up of files
// readable; nothing is ever proved by a hash.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "proven/base/vec3.h"

namespace proven {

struct Hash128 {
  std::uint64_t high = 0, low = 0;
  std::string hex() const;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

// Feeds values field by field; strings and arrays carry their length, -0.0 and 0.0 are equal.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void add(std::uint64_t value);
  void add(double value);
  void add(std::string_view text);
  void add(const Vec3& v);
  void add(const Pose& X);
  void add(std::span<const double> values);
  void add_bytes(std::span<const std::uint8_t> bytes);
  Hash128 finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace proven
