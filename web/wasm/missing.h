// What the C++ library of emscripten 3.1.6 does not have yet, as far as we use it: doubles from
// text, algorithms on ranges, bit_cast, jthread. Included before every source file of the module.
#pragma once

#ifdef __cplusplus
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <type_traits>

namespace std {

// Decimal numbers alone, without blanks and plus. One that is too small is zero.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const char* at = first;
  const auto digits = [&] {
    const char* begin = at;
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at - begin;
  };
  if (at != last && *at == '-') ++at;
  long count = static_cast<long>(digits());
  if (at != last && *at == '.') {
    ++at;
    count += static_cast<long>(digits());
  }
  if (count == 0) return {first, errc::invalid_argument};
  const char* end = at;
  if (at != last && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != last && (*at == '-' || *at == '+')) ++at;
    if (digits() > 0) end = at;
  }
  const double found = strtod(string(first, end).c_str(), nullptr);
  if (std::isinf(found)) return {end, errc::result_out_of_range};
  value = found;
  return {end, errc{}};
}

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

// There are no threads: parallel_for asks for none.
class jthread {
 public:
  template <class Work, class... Arguments>
  explicit jthread(Work&& work, Arguments&&... arguments) {
    std::invoke(std::forward<Work>(work), std::forward<Arguments>(arguments)...);
  }
};

namespace ranges {

template <class Compare, class Projection>
auto projected(Compare& compare, Projection& projection) {
  return [&](auto&& a, auto&& b) -> bool {
    return std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b));
  };
}
template <class Test, class Projection>
auto tested(Test& test, Projection& projection) {
  return [&](auto&& a) -> bool { return std::invoke(test, std::invoke(projection, a)); };
}

template <class Range, class Test, class Projection = std::identity>
bool any_of(Range&& range, Test test, Projection projection = {}) {
  return std::any_of(std::begin(range), std::end(range), tested(test, projection));
}
template <class Range, class Test, class Projection = std::identity>
bool all_of(Range&& range, Test test, Projection projection = {}) {
  return std::all_of(std::begin(range), std::end(range), tested(test, projection));
}
template <class Range, class Test, class Projection = std::identity>
bool none_of(Range&& range, Test test, Projection projection = {}) {
  return std::none_of(std::begin(range), std::end(range), tested(test, projection));
}
template <class Range, class Test, class Projection = std::identity>
auto find_if(Range&& range, Test test, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range), tested(test, projection));
}
template <class Range, class Value, class Projection = std::identity>
auto find(Range&& range, const Value& value, Projection projection = {}) {
  const auto test = [&](auto&& a) { return a == value; };
  return std::find_if(std::begin(range), std::end(range), tested(test, projection));
}
template <class Range, class Value, class Projection = std::identity>
auto count(Range&& range, const Value& value, Projection projection = {}) {
  const auto test = [&](auto&& a) { return a == value; };
  return std::count_if(std::begin(range), std::end(range), tested(test, projection));
}
template <class Range, class Compare = std::less<>, class Projection = std::identity>
auto max_element(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::max_element(std::begin(range), std::end(range), projected(compare, projection));
}
template <class Range, class Compare = std::less<>, class Projection = std::identity>
bool is_sorted(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::is_sorted(std::begin(range), std::end(range), projected(compare, projection));
}
template <class Range, class Compare = std::less<>, class Projection = std::identity>
void sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), projected(compare, projection));
}
template <class Range, class Compare = std::less<>, class Projection = std::identity>
void stable_sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), projected(compare, projection));
}
template <class Range, class Compare = std::less<>, class Projection = std::identity>
void push_heap(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::push_heap(std::begin(range), std::end(range), projected(compare, projection));
}
template <class Range, class Compare = std::less<>, class Projection = std::identity>
void pop_heap(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::pop_heap(std::begin(range), std::end(range), projected(compare, projection));
}
template <class Range, class Value, class Compare = std::less<>, class Projection = std::identity>
auto lower_bound(Range&& range, const Value& value, Compare compare = {},
                 Projection projection = {}) {
  return std::partition_point(std::begin(range), std::end(range), [&](auto&& a) {
    return bool(std::invoke(compare, std::invoke(projection, a), value));
  });
}
template <class Range, class Value, class Compare = std::less<>, class Projection = std::identity>
auto upper_bound(Range&& range, const Value& value, Compare compare = {},
                 Projection projection = {}) {
  return std::partition_point(std::begin(range), std::end(range), [&](auto&& a) {
    return !bool(std::invoke(compare, value, std::invoke(projection, a)));
  });
}
template <class RangeA, class RangeB, class Equal = std::equal_to<>>
bool equal(RangeA&& a, RangeB&& b, Equal equal = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), equal);
}
template <class Range, class Output>
void copy(Range&& range, Output output) {
  std::copy(std::begin(range), std::end(range), output);
}

}  // namespace ranges
}  // namespace std
#endif
