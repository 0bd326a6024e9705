#include "nearest_kernel.h"

#include <cstdint>

namespace proven::PROVEN_INSTRUCTION_SET {
namespace {

using Lanes = float __attribute__((vector_size(4 * kNearestLanes)));
using Places = std::int32_t __attribute__((vector_size(4 * kNearestLanes)));

// Every lane takes the lesser of itself and another one.
template <int... from>
void take_lesser(Places& v) {
  const Places other = __builtin_shufflevector(v, v, from...);
  v = other < v ? other : v;
}

// The least is then in every lane.
void spread_least(Places& v) {
  static_assert(kNearestLanes == 16);
  take_lesser<8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7>(v);
  take_lesser<4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11>(v);
  take_lesser<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(v);
  take_lesser<1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14>(v);
}

NearestPoint nearest(const float* points, int count, int dimension, const float* to) {
  Lanes best = __builtin_inff() - Lanes{};
  Places where = {}, places = {};
  for (int k = 0; k < kNearestLanes; ++k) places[k] = k;
  for (int first = 0; first < count; first += kNearestLanes, places += kNearestLanes) {
    Lanes square = {};
    for (int d = 0; d < dimension; ++d, points += kNearestLanes) {
      Lanes apart;
      __builtin_memcpy(&apart, points, sizeof apart);
      apart -= to[d];
      square += apart * apart;
    }
    where = square < best ? places : where;
    best = square < best ? square : best;
  }
  // Floats that are not negative are in the order of their bits.
  const Places bits = (Places)best;
  Places least = bits;
  spread_least(least);
  Places place = bits == least ? where : count + Places{};
  spread_least(place);
  const std::int32_t square = least[0];
  NearestPoint found{place[0], 0};
  __builtin_memcpy(&found.square, &square, sizeof square);
  return found;
}

}  // namespace

const NearestKernel nearest_kernel = {nearest};

}  // namespace proven::PROVEN_INSTRUCTION_SET
