#include "farthest_kernel.h"

#include <cstdint>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace proven::PROVEN_INSTRUCTION_SET {
namespace {

constexpr int kTogether = 8;
using Lanes = double __attribute__((vector_size(8 * kTogether)));
using Places = std::int64_t __attribute__((vector_size(8 * kTogether)));

int farthest(const double* const* rows, int length, const double* n) {
  Lanes most = Lanes{} - __builtin_inf();
  Places where = {}, places = {};
  for (int k = 0; k < kTogether; ++k) places[k] = k;
  for (int first = 0; first < length; first += kTogether, places += kTogether) {
    Lanes x, y, z;
    __builtin_memcpy(&x, rows[0] + first, sizeof x);
    __builtin_memcpy(&y, rows[1] + first, sizeof y);
    __builtin_memcpy(&z, rows[2] + first, sizeof z);
    const Lanes height = (n[0] * x + n[1] * y) + n[2] * z;
    where = height > most ? places : where;
    most = height > most ? height : most;
  }
#if defined(__AVX512F__)
  const __mmask8 best = _mm512_cmp_pd_mask(most, Lanes{} + _mm512_reduce_max_pd(most), _CMP_EQ_OQ);
  const int lane = best == 0 ? 0 : __builtin_ctz(best);
#else
  int lane = 0;
  for (int k = 1; k < kTogether; ++k) lane = most[k] > most[lane] ? k : lane;
#endif
  alignas(64) std::int64_t found[kTogether];
  __builtin_memcpy(found, &where, sizeof found);
  return static_cast<int>(found[lane]);
}

}  // namespace

const FarthestKernel farthest_kernel = {farthest};

}  // namespace proven::PROVEN_INSTRUCTION_SET
