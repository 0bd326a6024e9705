// Sixteen floats, one per moment, in as many registers as the instruction set has for them. For
// kernels alone: each instruction set has its own.
//
// No operation is fused, and square roots and quotients are those of IEEE: results are the same
// bits everywhere.
#pragma once

#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "sweep_kernel.h"

namespace proven::PROVEN_INSTRUCTION_SET {

#define PROVEN_LANES [[gnu::always_inline]] inline

#if defined(__AVX512F__)

struct Floats {
  __m512 v;
};
PROVEN_LANES Floats load(const float* p) {
  return {_mm512_loadu_ps(p)};
}
PROVEN_LANES void store(float* p, Floats a) {
  _mm512_storeu_ps(p, a.v);
}
PROVEN_LANES Floats all(float x) {
  return {_mm512_set1_ps(x)};
}
PROVEN_LANES Floats operator+(Floats a, Floats b) {
  return {_mm512_add_ps(a.v, b.v)};
}
PROVEN_LANES Floats operator-(Floats a, Floats b) {
  return {_mm512_sub_ps(a.v, b.v)};
}
PROVEN_LANES Floats operator*(Floats a, Floats b) {
  return {_mm512_mul_ps(a.v, b.v)};
}
PROVEN_LANES Floats operator/(Floats a, Floats b) {
  return {_mm512_div_ps(a.v, b.v)};
}
PROVEN_LANES Floats root(Floats a) {
  return {_mm512_sqrt_ps(a.v)};
}
// The second one if either is no number.
PROVEN_LANES Floats least(Floats a, Floats b) {
  return {_mm512_min_ps(a.v, b.v)};
}
PROVEN_LANES Floats most(Floats a, Floats b) {
  return {_mm512_max_ps(a.v, b.v)};
}
// A bit per lane where a > b.
PROVEN_LANES std::uint32_t above(Floats a, Floats b) {
  return _mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ);
}
// Those of the next moment; the last one stays.
PROVEN_LANES Floats next(Floats a) {
  const __m512i order = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15);
  return {_mm512_permutexvar_ps(order, a.v)};
}
PROVEN_LANES float least_of(Floats a) {
  return _mm512_reduce_min_ps(a.v);
}
PROVEN_LANES float most_of(Floats a) {
  return _mm512_reduce_max_ps(a.v);
}

#elif defined(__AVX2__)

struct Floats {
  __m256 v[2];
};
PROVEN_LANES Floats load(const float* p) {
  return {{_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}};
}
PROVEN_LANES void store(float* p, Floats a) {
  _mm256_storeu_ps(p, a.v[0]);
  _mm256_storeu_ps(p + 8, a.v[1]);
}
PROVEN_LANES Floats all(float x) {
  return {{_mm256_set1_ps(x), _mm256_set1_ps(x)}};
}
PROVEN_LANES Floats operator+(Floats a, Floats b) {
  return {{_mm256_add_ps(a.v[0], b.v[0]), _mm256_add_ps(a.v[1], b.v[1])}};
}
PROVEN_LANES Floats operator-(Floats a, Floats b) {
  return {{_mm256_sub_ps(a.v[0], b.v[0]), _mm256_sub_ps(a.v[1], b.v[1])}};
}
PROVEN_LANES Floats operator*(Floats a, Floats b) {
  return {{_mm256_mul_ps(a.v[0], b.v[0]), _mm256_mul_ps(a.v[1], b.v[1])}};
}
PROVEN_LANES Floats operator/(Floats a, Floats b) {
  return {{_mm256_div_ps(a.v[0], b.v[0]), _mm256_div_ps(a.v[1], b.v[1])}};
}
PROVEN_LANES Floats root(Floats a) {
  return {{_mm256_sqrt_ps(a.v[0]), _mm256_sqrt_ps(a.v[1])}};
}
PROVEN_LANES Floats least(Floats a, Floats b) {
  return {{_mm256_min_ps(a.v[0], b.v[0]), _mm256_min_ps(a.v[1], b.v[1])}};
}
PROVEN_LANES Floats most(Floats a, Floats b) {
  return {{_mm256_max_ps(a.v[0], b.v[0]), _mm256_max_ps(a.v[1], b.v[1])}};
}
PROVEN_LANES std::uint32_t above(Floats a, Floats b) {
  const int low = _mm256_movemask_ps(_mm256_cmp_ps(a.v[0], b.v[0], _CMP_GT_OQ));
  const int high = _mm256_movemask_ps(_mm256_cmp_ps(a.v[1], b.v[1], _CMP_GT_OQ));
  return static_cast<std::uint32_t>(low | high << 8);
}
PROVEN_LANES Floats next(Floats a) {
  const __m256 between = _mm256_permute2f128_ps(a.v[0], a.v[1], 0x21);
  const __m256i low =
      _mm256_alignr_epi8(_mm256_castps_si256(between), _mm256_castps_si256(a.v[0]), 4);
  const __m256i order = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7);
  return {{_mm256_castsi256_ps(low), _mm256_permutevar8x32_ps(a.v[1], order)}};
}
PROVEN_LANES float least_of(Floats a) {
  const __m256 eight = _mm256_min_ps(a.v[0], a.v[1]);
  __m128 four = _mm_min_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_min_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_min_ss(four, _mm_shuffle_ps(four, four, 1)));
}
PROVEN_LANES float most_of(Floats a) {
  return -least_of(all(0) - a);
}

#else

struct Floats {
  alignas(64) float v[kMoments];
};
// Lane by lane; no function is called, which other code might share.
#define PROVEN_EACH(value)                             \
  Floats r;                                            \
  for (int k = 0; k < kMoments; ++k) r.v[k] = (value); \
  return r
PROVEN_LANES Floats load(const float* p) {
  PROVEN_EACH(p[k]);
}
PROVEN_LANES void store(float* p, const Floats& a) {
  for (int k = 0; k < kMoments; ++k) p[k] = a.v[k];
}
PROVEN_LANES Floats all(float x) {
  PROVEN_EACH(x);
}
PROVEN_LANES Floats operator+(const Floats& a, const Floats& b) {
  PROVEN_EACH(a.v[k] + b.v[k]);
}
PROVEN_LANES Floats operator-(const Floats& a, const Floats& b) {
  PROVEN_EACH(a.v[k] - b.v[k]);
}
PROVEN_LANES Floats operator*(const Floats& a, const Floats& b) {
  PROVEN_EACH(a.v[k] * b.v[k]);
}
PROVEN_LANES Floats operator/(const Floats& a, const Floats& b) {
  PROVEN_EACH(a.v[k] / b.v[k]);
}
PROVEN_LANES Floats root(const Floats& a) {
  PROVEN_EACH(__builtin_sqrtf(a.v[k]));
}
PROVEN_LANES Floats least(const Floats& a, const Floats& b) {
  PROVEN_EACH(a.v[k] < b.v[k] ? a.v[k] : b.v[k]);
}
PROVEN_LANES Floats most(const Floats& a, const Floats& b) {
  PROVEN_EACH(a.v[k] > b.v[k] ? a.v[k] : b.v[k]);
}
PROVEN_LANES std::uint32_t above(const Floats& a, const Floats& b) {
  std::uint32_t bits = 0;
  for (int k = 0; k < kMoments; ++k) bits |= static_cast<std::uint32_t>(a.v[k] > b.v[k]) << k;
  return bits;
}
PROVEN_LANES Floats next(const Floats& a) {
  PROVEN_EACH(a.v[k + 1 < kMoments ? k + 1 : k]);
}
PROVEN_LANES float least_of(const Floats& a) {
  float least = a.v[0];
  for (int k = 1; k < kMoments; ++k) least = a.v[k] < least ? a.v[k] : least;
  return least;
}
PROVEN_LANES float most_of(const Floats& a) {
  return -least_of(all(0) - a);
}

#endif

struct Vectors {
  Floats x, y, z;
};
PROVEN_LANES Vectors operator-(const Vectors& a, const Vectors& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
PROVEN_LANES Floats dot(const Vectors& a, const Vectors& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
PROVEN_LANES Vectors next(const Vectors& a) {
  return {next(a.x), next(a.y), next(a.z)};
}
PROVEN_LANES Vectors load(const Track& t) {
  return {load(t.v[0]), load(t.v[1]), load(t.v[2])};
}

#undef PROVEN_LANES
#undef PROVEN_EACH

}  // namespace proven::PROVEN_INSTRUCTION_SET
