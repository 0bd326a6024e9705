#include "proven/base/hash.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <bit>

namespace proven {

std::string Hash128::hex() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}
Hasher::~Hasher() = default;

void Hasher::add_bytes(std::span<const std::uint8_t> bytes) {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

void Hasher::add(std::uint64_t value) {
  std::uint8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
  add_bytes(bytes);
}

void Hasher::add(double value) {
  add(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));
}

void Hasher::add(std::string_view text) {
  add(static_cast<std::uint64_t>(text.size()));
  XXH3_128bits_update(&state_->xxh, text.data(), text.size());
}

void Hasher::add(const Vec3& v) {
  add(v.x);
  add(v.y);
  add(v.z);
}

void Hasher::add(const Pose& X) {
  for (const Vec3& row : X.R.row) add(row);
  add(X.p);
}

void Hasher::add(std::span<const double> values) {
  add(static_cast<std::uint64_t>(values.size()));
  for (const double v : values) add(v);
}

Hash128 Hasher::finish() const {
  const XXH128_hash_t h = XXH3_128bits_digest(&state_->xxh);
  return {h.high64, h.low64};
}

}  // namespace proven
