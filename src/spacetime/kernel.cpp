#include "spacetime/kernel.h"

namespace proven::spacetime {
namespace plain {
namespace {

float lowest(const float* v) {
  float best = v[0];
  for (int i = 1; i < kLanes; ++i) best = v[i] < best ? v[i] : best;
  return best;
}
float highest(const float* v) {
  float best = v[0];
  for (int i = 1; i < kLanes; ++i) best = v[i] > best ? v[i] : best;
  return best;
}

void gather(int n, FloatBoxes in, FloatBoxes out) {
  for (int k = 0; k < n; ++k) {
    out.x_low[k] = lowest(in.x_low + kLanes * k);
    out.x_high[k] = highest(in.x_high + kLanes * k);
    out.y_low[k] = lowest(in.y_low + kLanes * k);
    out.y_high[k] = highest(in.y_high + kLanes * k);
  }
}

unsigned meet_one(FloatBoxes boxes, int at, FloatBox box) {
  unsigned mask = 0;
  for (int i = 0; i < kLanes; ++i) {
    const bool meets = boxes.x_low[at + i] <= box.x_high && boxes.x_high[at + i] >= box.x_low &&
                       boxes.y_low[at + i] <= box.y_high && boxes.y_high[at + i] >= box.y_low;
    mask |= static_cast<unsigned>(meets) << i;
  }
  return mask;
}

unsigned meet_each(FloatBoxes a, int at, FloatBoxes b, int bt) {
  unsigned mask = 0;
  for (int i = 0; i < kLanes; ++i) {
    const bool meets = a.x_low[at + i] <= b.x_high[bt + i] && a.x_high[at + i] >= b.x_low[bt + i] &&
                       a.y_low[at + i] <= b.y_high[bt + i] && a.y_high[at + i] >= b.y_low[bt + i];
    mask |= static_cast<unsigned>(meets) << i;
  }
  return mask;
}

#include "spacetime/kernel_body.h"

}  // namespace
}  // namespace plain

const Kernel& plain_kernel() {
  static const Kernel kernel = plain::kernel("plain");
  return kernel;
}

const Kernel* const* kernels(int& count) {
  struct Available {
    const Kernel* list[3];
    int count = 0;
  };
  static const Available available = [] {
    Available a;
#ifdef PROVEN_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      a.list[a.count++] = &avx512_kernel();
    if (__builtin_cpu_supports("avx2")) a.list[a.count++] = &avx2_kernel();
#endif
    a.list[a.count++] = &plain_kernel();
    return a;
  }();
  count = available.count;
  return available.list;
}

}  // namespace proven::spacetime
