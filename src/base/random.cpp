#include "proven/base/random.h"

#include <bit>
#include <numbers>

namespace proven {

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& s : state_) {
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    s = z ^ (z >> 31);
  }
}

std::uint64_t Random::bits() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

int Random::index(int n) {
  const auto range = static_cast<std::uint64_t>(n);
  return static_cast<int>((bits() >> 32) * range >> 32);
}

double Random::normal() {
  // Box-Muller; 1 - uniform() is never zero.
  const double r = std::sqrt(-2 * std::log(1 - uniform()));
  return r * std::cos(2 * std::numbers::pi * uniform());
}

Vec3 Random::unit_vector() {
  const double z = uniform(-1, 1);
  const double phi = uniform(0, 2 * std::numbers::pi);
  const double r = std::sqrt(1 - z * z);
  return {r * std::cos(phi), r * std::sin(phi), z};
}

Mat3 Random::rotation() {
  Quaternion q{normal(), normal(), normal(), normal()};
  return rotation_from_quaternion(q);
}

}  // namespace proven
