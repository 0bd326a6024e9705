#include "proven/geometry/curve_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace proven {
namespace {

constexpr double kCells = 2048;  // of clouds, along their longest side
constexpr int kDigit = 11;       // bits: counters of a pass fit the first cache
constexpr std::uint64_t kMask = (1u << kDigit) - 1;
constexpr std::size_t kDigits = (64 + kDigit - 1) / kDigit;
// Below this, sorting by comparison is quicker than clearing counters.
constexpr std::size_t kFew = 256;

// From the lowest digit to the highest; digits in which all agree are left out.
template <class T, class Key>
void radix_sort(LargeArray<T>& items, const Key& key) {
  if (items.size() < kFew) {
    std::stable_sort(items.begin(), items.end(),
                     [&](const T& a, const T& b) { return key(a) < key(b); });
    return;
  }
  std::uint64_t all = ~std::uint64_t{0}, any = 0;
  for (const T& item : items) all &= key(item), any |= key(item);
  LargeArray<T> other(items.size());
  std::vector<std::uint32_t> next(kMask + 1);
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    const int shift = kDigit * static_cast<int>(digit);
    if (((all ^ any) >> shift & kMask) == 0) continue;
    std::fill(next.begin(), next.end(), 0);
    for (const T& item : items) ++next[key(item) >> shift & kMask];
    std::uint32_t sum = 0;
    for (std::uint32_t& count : next) {
      const std::uint32_t here = count;
      count = sum;
      sum += here;
    }
    for (const T& item : items) other[next[key(item) >> shift & kMask]++] = item;
    std::swap(items, other);
  }
}

}  // namespace

void sort_numbers(LargeArray<std::uint64_t>& numbers) {
  radix_sort(numbers, [](std::uint64_t x) { return x; });
}

LargeArray<Coded> code_points(std::span<const Vec3> points, const Vec3& low, const Vec3& high) {
  const Vec3 side = high - low;
  const double width = std::fmax(side.x, std::fmax(side.y, side.z));
  const double scale = width > 1e-300 ? kCells / width : 0;
  const auto cell = [&](double x, double from) {
    return static_cast<std::uint64_t>(std::min((x - from) * scale, kCells - 1));
  };
  LargeArray<Coded> items;
  items.reserve(points.size());
  for (const Vec3& p : points)
    items.push_back({curve_code(cell(p.x, low.x), cell(p.y, low.y), cell(p.z, low.z)),
                     static_cast<std::uint32_t>(items.size())});
  return items;
}

void sort_by_code(LargeArray<Coded>& items) {
  radix_sort(items, [](const Coded& item) { return item.code; });
}

}  // namespace proven
