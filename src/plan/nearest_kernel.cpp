#include "nearest_kernel.h"

#include <cstdint>

namespace proven::PROVEN_INSTRUCTION_SET {
namespace {

using Lanes = float __attribute__((vector_size(4 * kNearestLanes)));
using Places = std::int32_t __attribute__((vector_size(4 * kNearestLanes)));

int nearest(const float* points, int count, int dimension, const float* to) {
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
  int found = 0;
  for (int k = 1; k < kNearestLanes; ++k)
    if (best[k] < best[found] || (best[k] == best[found] && where[k] < where[found])) found = k;
  return where[found];
}

}  // namespace

const NearestKernel nearest_kernel = {nearest};

}  // namespace proven::PROVEN_INSTRUCTION_SET
