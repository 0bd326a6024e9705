#include "spacetime/kernel.h"

#ifdef PROVEN_X86
#include <immintrin.h>

namespace proven::spacetime {
namespace avx2 {
namespace {

float lowest(const float* v) {
  const __m256 eight = _mm256_min_ps(_mm256_loadu_ps(v), _mm256_loadu_ps(v + 8));
  __m128 four = _mm_min_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_min_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_min_ss(four, _mm_shuffle_ps(four, four, 1)));
}
float highest(const float* v) {
  const __m256 eight = _mm256_max_ps(_mm256_loadu_ps(v), _mm256_loadu_ps(v + 8));
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_shuffle_ps(four, four, 1)));
}

void gather(int n, FloatBoxes in, FloatBoxes out) {
  for (int k = 0; k < n; ++k) {
    out.x_low[k] = lowest(in.x_low + kLanes * k);
    out.x_high[k] = highest(in.x_high + kLanes * k);
    out.y_low[k] = lowest(in.y_low + kLanes * k);
    out.y_high[k] = highest(in.y_high + kLanes * k);
  }
}

__m256 at_most(const float* a, __m256 b) {
  return _mm256_cmp_ps(_mm256_loadu_ps(a), b, _CMP_LE_OQ);
}
__m256 at_least(const float* a, __m256 b) {
  return _mm256_cmp_ps(_mm256_loadu_ps(a), b, _CMP_GE_OQ);
}

unsigned meet_eight(FloatBoxes a, int at, __m256 x_low, __m256 x_high, __m256 y_low,
                    __m256 y_high) {
  const __m256 x = _mm256_and_ps(at_most(a.x_low + at, x_high), at_least(a.x_high + at, x_low));
  const __m256 y = _mm256_and_ps(at_most(a.y_low + at, y_high), at_least(a.y_high + at, y_low));
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_and_ps(x, y)));
}

unsigned meet_one(FloatBoxes boxes, int at, FloatBox box) {
  const __m256 x_low = _mm256_set1_ps(box.x_low), x_high = _mm256_set1_ps(box.x_high);
  const __m256 y_low = _mm256_set1_ps(box.y_low), y_high = _mm256_set1_ps(box.y_high);
  return meet_eight(boxes, at, x_low, x_high, y_low, y_high) |
         meet_eight(boxes, at + 8, x_low, x_high, y_low, y_high) << 8;
}

unsigned meet_each(FloatBoxes a, int at, FloatBoxes b, int bt) {
  unsigned mask = 0;
  for (int half = 0; half < kLanes; half += 8)
    mask |= meet_eight(a, at + half, _mm256_loadu_ps(b.x_low + bt + half),
                       _mm256_loadu_ps(b.x_high + bt + half), _mm256_loadu_ps(b.y_low + bt + half),
                       _mm256_loadu_ps(b.y_high + bt + half))
            << half;
  return mask;
}

#include "spacetime/kernel_body.h"

}  // namespace
}  // namespace avx2

const Kernel& avx2_kernel() {
  static const Kernel kernel = avx2::kernel("avx2");
  return kernel;
}

}  // namespace proven::spacetime
#endif
