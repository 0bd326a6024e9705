#include "curve_order.h"

#include <algorithm>
#include <array>
#include <bit>

namespace proven {
namespace {

constexpr int kDigit = 11;  // bits: counters of a pass fit the first cache
constexpr std::uint64_t kMask = (1u << kDigit) - 1;
constexpr std::size_t kDigits = (64 + kDigit - 1) / kDigit;
// Below this, sorting by comparison is quicker than clearing counters.
constexpr std::size_t kFew = 256;

// From the lowest digit to the highest; digits in which all agree are left out.
template <class T, class Key>
void radix_sort(std::vector<T>& items, const Key& key) {
  if (items.size() < kFew) {
    std::stable_sort(items.begin(), items.end(),
                     [&](const T& a, const T& b) { return key(a) < key(b); });
    return;
  }
  std::uint64_t all = ~std::uint64_t{0}, any = 0;
  for (const T& item : items) all &= key(item), any |= key(item);
  std::vector<T> other(items.size());
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

// Two zero bits before every bit of the lowest 21.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  x = (x | x << 2) & 0x1249249249249249;
  return x;
}

}  // namespace

void sort_numbers(std::vector<std::uint64_t>& numbers) {
  radix_sort(numbers, [](std::uint64_t x) { return x; });
}

std::uint64_t curve_code(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return spread(x) << 2 | spread(y) << 1 | spread(z);
}

void sort_by_code(std::vector<Coded>& items) {
  radix_sort(items, [](const Coded& item) { return item.code; });
}

std::size_t split_place(std::span<const Coded> items, std::size_t first, std::size_t end) {
  const std::uint64_t differing = items[first].code ^ items[end - 1].code;
  if (differing == 0) return (end - 1) & ~(std::bit_floor(first ^ (end - 1)) - 1);
  const std::uint64_t bit = std::bit_floor(differing);
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
  const auto found =
      std::partition_point(begin, items.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](const Coded& item) { return (item.code & bit) == 0; });
  return static_cast<std::size_t>(found - items.begin());
}

}  // namespace proven
