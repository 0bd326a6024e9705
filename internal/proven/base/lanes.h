// Thirty-two lanes that work together: a warp of a GPU, or arrays on the host. Programs are written
// once, for both, and have the same bits: no operation is fused, and square roots and quotients are
// those of IEEE.
//
// Values without lanes are the same in all of them, and so is the way that a program takes: lanes
// differ in values alone. What `each` and `where` are given may branch as it likes.
#pragma once

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define PROVEN_LANES __device__ __forceinline__
#define PROVEN_ALONE inline __device__ __noinline__
#else
#define PROVEN_LANES inline
#define PROVEN_ALONE inline
#endif

namespace proven::lanes {

inline constexpr int kLanes = 32;

PROVEN_LANES float smaller(float a, float b) {
  return a < b ? a : b;
}
PROVEN_LANES float larger(float a, float b) {
  return a > b ? a : b;
}
PROVEN_LANES double smaller(double a, double b) {
  return a < b ? a : b;
}
PROVEN_LANES double larger(double a, double b) {
  return a > b ? a : b;
}
PROVEN_LANES float square_root(float x) {
#ifdef __CUDACC__
  return sqrtf(x);
#else
  return __builtin_sqrtf(x);
#endif
}

#ifdef __CUDACC__

using Floats = float;
using Doubles = double;
using Mask = bool;
inline constexpr unsigned kWarp = ~0u;

PROVEN_LANES int own_lane() {
  return static_cast<int>(threadIdx.x & 31u);
}
PROVEN_LANES Floats all(float x) {
  return x;
}
PROVEN_LANES Floats root(Floats a) {
  return square_root(a);
}
PROVEN_LANES Floats least(Floats a, Floats b) {
  return smaller(a, b);
}
PROVEN_LANES Floats most(Floats a, Floats b) {
  return larger(a, b);
}
PROVEN_LANES Mask above(Floats a, Floats b) {
  return a > b;
}
PROVEN_LANES std::uint32_t bits(Mask m) {
  return __ballot_sync(kWarp, m);
}
PROVEN_LANES Floats next(Floats a) {
  return __shfl_down_sync(kWarp, a, 1);
}
PROVEN_LANES float at(Floats a, int lane) {
  return __shfl_sync(kWarp, a, lane);
}
PROVEN_LANES double at(Doubles a, int lane) {
  return __shfl_sync(kWarp, a, lane);
}
PROVEN_LANES Floats to_floats(Doubles a) {
  return static_cast<float>(a);
}
PROVEN_LANES Floats load(const float* p) {
  return p[own_lane()];
}
PROVEN_LANES Doubles load(const double* p) {
  return p[own_lane()];
}
PROVEN_LANES void store(float* p, Floats a) {
  p[own_lane()] = a;
}
PROVEN_LANES void store(double* p, Doubles a) {
  p[own_lane()] = a;
}
// A value per lane.
template <class F>
PROVEN_LANES auto per_lane(const F& f) {
  return f(own_lane());
}
// Things one after the other, or side by side.
template <class F>
PROVEN_LANES void each(int count, const F& f) {
  for (int i = own_lane(); i < count; i += kLanes) f(i);
  __syncwarp();
}
// The places of a rectangle, whose first coordinate runs faster.
template <class F>
PROVEN_LANES void each_place(int columns, int rows, const F& f) {
  for (int i = own_lane(); i < columns * rows; i += kLanes) f(i % columns, i / columns);
  __syncwarp();
}
// Within `each`: the next place of a list, whose order does not count.
PROVEN_LANES int take_place(int& count) {
  return atomicAdd(&count, 1);
}
// Bits of a word that other warps add to, too.
PROVEN_LANES void add_bits(std::uint64_t& word, std::uint64_t bits) {
  // What was read may be old: bits are never taken away.
  if ((word & bits) != bits)
    atomicOr(reinterpret_cast<unsigned long long*>(&word), static_cast<unsigned long long>(bits));
}
// A bit for each lane where it holds.
template <class F>
PROVEN_LANES std::uint32_t where(const F& f) {
  const bool holds = f(own_lane());
  return __ballot_sync(kWarp, holds);
}
// By one lane, for all to see.
template <class F>
PROVEN_LANES void once(const F& f) {
  if (own_lane() == 0) f();
  __syncwarp();
}
PROVEN_LANES void together() {
  __syncwarp();
}
PROVEN_LANES int first_of(std::uint32_t bits) {
  return __ffs(static_cast<int>(bits)) - 1;
}
PROVEN_LANES int last_of(std::uint32_t bits) {
  return 31 - __clz(static_cast<int>(bits));
}
PROVEN_LANES int count_of(std::uint32_t bits) {
  return __popc(bits);
}
// Within `where`: a lane's bit, to be set in a word of its own; then all of them.
PROVEN_LANES std::uint32_t mine(int) {
  return 1;
}
PROVEN_LANES std::uint32_t gathered(std::uint32_t flag) {
  return __ballot_sync(kWarp, flag != 0);
}
// Whether a lane has set its own.
PROVEN_LANES bool any(std::uint32_t flag) {
  return __any_sync(kWarp, flag != 0) != 0;
}
PROVEN_LANES std::int32_t as_int(float x) {
  return __float_as_int(x);
}
PROVEN_LANES float as_float(std::int32_t x) {
  return __int_as_float(x);
}
PROVEN_LANES std::int32_t least_int(std::int32_t x) {
  return __reduce_min_sync(kWarp, x);
}

#else

struct Floats {
  float v[kLanes];
};
struct Doubles {
  double v[kLanes];
};
using Mask = std::uint32_t;

#define PROVEN_EACH(Type, value)                     \
  Type r;                                            \
  for (int k = 0; k < kLanes; ++k) r.v[k] = (value); \
  return r
PROVEN_LANES Floats all(float x) {
  PROVEN_EACH(Floats, x);
}
PROVEN_LANES Floats operator+(const Floats& a, const Floats& b) {
  PROVEN_EACH(Floats, a.v[k] + b.v[k]);
}
PROVEN_LANES Floats operator-(const Floats& a, const Floats& b) {
  PROVEN_EACH(Floats, a.v[k] - b.v[k]);
}
PROVEN_LANES Floats operator*(const Floats& a, const Floats& b) {
  PROVEN_EACH(Floats, a.v[k] * b.v[k]);
}
PROVEN_LANES Floats operator/(const Floats& a, const Floats& b) {
  PROVEN_EACH(Floats, a.v[k] / b.v[k]);
}
PROVEN_LANES Doubles operator+(const Doubles& a, const Doubles& b) {
  PROVEN_EACH(Doubles, a.v[k] + b.v[k]);
}
PROVEN_LANES Doubles operator-(const Doubles& a, const Doubles& b) {
  PROVEN_EACH(Doubles, a.v[k] - b.v[k]);
}
PROVEN_LANES Doubles operator*(const Doubles& a, const Doubles& b) {
  PROVEN_EACH(Doubles, a.v[k] * b.v[k]);
}
PROVEN_LANES Doubles operator*(const Doubles& a, double b) {
  PROVEN_EACH(Doubles, a.v[k] * b);
}
PROVEN_LANES Doubles operator*(double a, const Doubles& b) {
  PROVEN_EACH(Doubles, a * b.v[k]);
}
PROVEN_LANES Doubles operator+(const Doubles& a, double b) {
  PROVEN_EACH(Doubles, a.v[k] + b);
}
PROVEN_LANES Floats root(const Floats& a) {
  PROVEN_EACH(Floats, square_root(a.v[k]));
}
PROVEN_LANES Floats least(const Floats& a, const Floats& b) {
  PROVEN_EACH(Floats, smaller(a.v[k], b.v[k]));
}
PROVEN_LANES Floats most(const Floats& a, const Floats& b) {
  PROVEN_EACH(Floats, larger(a.v[k], b.v[k]));
}
PROVEN_LANES Mask above(const Floats& a, const Floats& b) {
  Mask m = 0;
  for (int k = 0; k < kLanes; ++k) m |= static_cast<Mask>(a.v[k] > b.v[k]) << k;
  return m;
}
PROVEN_LANES std::uint32_t bits(Mask m) {
  return m;
}
PROVEN_LANES Floats next(const Floats& a) {
  PROVEN_EACH(Floats, a.v[k + 1 < kLanes ? k + 1 : k]);
}
PROVEN_LANES float at(const Floats& a, int lane) {
  return a.v[lane];
}
PROVEN_LANES double at(const Doubles& a, int lane) {
  return a.v[lane];
}
PROVEN_LANES Floats to_floats(const Doubles& a) {
  PROVEN_EACH(Floats, static_cast<float>(a.v[k]));
}
PROVEN_LANES Floats load(const float* p) {
  PROVEN_EACH(Floats, p[k]);
}
PROVEN_LANES Doubles load(const double* p) {
  PROVEN_EACH(Doubles, p[k]);
}
PROVEN_LANES void store(float* p, const Floats& a) {
  for (int k = 0; k < kLanes; ++k) p[k] = a.v[k];
}
PROVEN_LANES void store(double* p, const Doubles& a) {
  for (int k = 0; k < kLanes; ++k) p[k] = a.v[k];
}
#undef PROVEN_EACH

template <class T>
struct LanesOf;
template <>
struct LanesOf<float> {
  using Type = Floats;
};
template <>
struct LanesOf<double> {
  using Type = Doubles;
};
template <class F>
PROVEN_LANES auto per_lane(const F& f) {
  typename LanesOf<decltype(f(0))>::Type r;
  for (int k = 0; k < kLanes; ++k) r.v[k] = f(k);
  return r;
}
template <class F>
PROVEN_LANES void each(int count, const F& f) {
  for (int i = 0; i < count; ++i) f(i);
}
template <class F>
PROVEN_LANES void each_place(int columns, int rows, const F& f) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) f(column, row);
}
PROVEN_LANES int take_place(int& count) {
  return count++;
}
PROVEN_LANES void add_bits(std::uint64_t& word, std::uint64_t bits) {
  word |= bits;
}
template <class F>
PROVEN_LANES std::uint32_t where(const F& f) {
  std::uint32_t m = 0;
  for (int k = 0; k < kLanes; ++k) m |= static_cast<std::uint32_t>(f(k)) << k;
  return m;
}
template <class F>
PROVEN_LANES void once(const F& f) {
  f();
}
PROVEN_LANES void together() {}
PROVEN_LANES int first_of(std::uint32_t bits) {
  return __builtin_ctz(bits);
}
PROVEN_LANES int last_of(std::uint32_t bits) {
  return 31 - __builtin_clz(bits);
}
PROVEN_LANES int count_of(std::uint32_t bits) {
  return __builtin_popcount(bits);
}
PROVEN_LANES std::uint32_t mine(int lane) {
  return 1u << lane;
}
PROVEN_LANES std::uint32_t gathered(std::uint32_t flag) {
  return flag;
}
PROVEN_LANES bool any(std::uint32_t flag) {
  return flag != 0;
}
PROVEN_LANES std::int32_t as_int(float x) {
  return __builtin_bit_cast(std::int32_t, x);
}
PROVEN_LANES float as_float(std::int32_t x) {
  return __builtin_bit_cast(float, x);
}

#endif

// A lane's own value, within `where`, `each` and `per_lane`.
#ifdef __CUDACC__
PROVEN_LANES float own(Floats a, int) {
  return a;
}
PROVEN_LANES double own(Doubles a, int) {
  return a;
}
#else
PROVEN_LANES float own(const Floats& a, int lane) {
  return a.v[lane];
}
PROVEN_LANES double own(const Doubles& a, int lane) {
  return a.v[lane];
}
#endif

// Floats as whole numbers of the same order.
PROVEN_LANES std::int32_t ordered(float x) {
  const std::int32_t i = as_int(x);
  return i < 0 ? i ^ 0x7fffffff : i;
}
PROVEN_LANES float from_ordered(std::int32_t i) {
  return as_float(i < 0 ? i ^ 0x7fffffff : i);
}
#ifdef __CUDACC__
PROVEN_LANES float least_of(Floats a) {
  return from_ordered(least_int(ordered(a)));
}
PROVEN_LANES float most_of(Floats a) {
  return from_ordered(~least_int(~ordered(a)));
}
#else
PROVEN_LANES float least_of(const Floats& a) {
  std::int32_t least = ordered(a.v[0]);
  for (int k = 1; k < kLanes; ++k) least = ordered(a.v[k]) < least ? ordered(a.v[k]) : least;
  return from_ordered(least);
}
PROVEN_LANES float most_of(const Floats& a) {
  std::int32_t most = ordered(a.v[0]);
  for (int k = 1; k < kLanes; ++k) most = ordered(a.v[k]) > most ? ordered(a.v[k]) : most;
  return from_ordered(most);
}
#endif
// The first lane with the least value.
PROVEN_LANES int lane_of_least(const Floats& a) {
  const float least = least_of(a);
  const std::uint32_t found = where([&](int k) { return ordered(own(a, k)) == ordered(least); });
  return first_of(found);
}

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

// A vector that is the same in all lanes, or of one lane.
struct V3 {
  double x, y, z;
};
PROVEN_LANES V3 operator+(const V3& a, const V3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
PROVEN_LANES V3 operator-(const V3& a, const V3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
PROVEN_LANES V3 operator*(double s, const V3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
PROVEN_LANES double dot(const V3& a, const V3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
PROVEN_LANES V3 cross(const V3& a, const V3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// As long as 1 but for 2^-20, or no number where there is no direction.
PROVEN_ALONE V3 unit(const V3& a) {
  // First to a size that a float can square.
  const double largest = larger(larger(fabs(a.x), fabs(a.y)), fabs(a.z));
  const V3 b = (1 / largest) * a;
  const float square = static_cast<float>(dot(b, b));
  return static_cast<double>(1 / square_root(square)) * b;
}

}  // namespace proven::lanes
