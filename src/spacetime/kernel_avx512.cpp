#include "spacetime/kernel.h"

#ifdef PROVEN_X86
#include <immintrin.h>

namespace proven::spacetime {
namespace avx512 {
namespace {

void gather(int n, FloatBoxes in, FloatBoxes out) {
  for (int k = 0; k < n; ++k) {
    out.x_low[k] = _mm512_reduce_min_ps(_mm512_loadu_ps(in.x_low + kLanes * k));
    out.x_high[k] = _mm512_reduce_max_ps(_mm512_loadu_ps(in.x_high + kLanes * k));
    out.y_low[k] = _mm512_reduce_min_ps(_mm512_loadu_ps(in.y_low + kLanes * k));
    out.y_high[k] = _mm512_reduce_max_ps(_mm512_loadu_ps(in.y_high + kLanes * k));
  }
}

unsigned meet(FloatBoxes a, int at, __m512 x_low, __m512 x_high, __m512 y_low, __m512 y_high) {
  const __mmask16 x =
      _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(_mm512_loadu_ps(a.x_low + at), x_high, _CMP_LE_OQ),
                              _mm512_loadu_ps(a.x_high + at), x_low, _CMP_GE_OQ);
  return _mm512_mask_cmp_ps_mask(
      _mm512_mask_cmp_ps_mask(x, _mm512_loadu_ps(a.y_low + at), y_high, _CMP_LE_OQ),
      _mm512_loadu_ps(a.y_high + at), y_low, _CMP_GE_OQ);
}

unsigned meet_one(FloatBoxes boxes, int at, FloatBox box) {
  return meet(boxes, at, _mm512_set1_ps(box.x_low), _mm512_set1_ps(box.x_high),
              _mm512_set1_ps(box.y_low), _mm512_set1_ps(box.y_high));
}

unsigned meet_each(FloatBoxes a, int at, FloatBoxes b, int bt) {
  return meet(a, at, _mm512_loadu_ps(b.x_low + bt), _mm512_loadu_ps(b.x_high + bt),
              _mm512_loadu_ps(b.y_low + bt), _mm512_loadu_ps(b.y_high + bt));
}

#include "spacetime/kernel_body.h"

}  // namespace
}  // namespace avx512

const Kernel& avx512_kernel() {
  static const Kernel kernel = avx512::kernel("avx512");
  return kernel;
}

}  // namespace proven::spacetime
#endif
