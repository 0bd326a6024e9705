// A closed range of numbers.
#pragma once

namespace proven {

struct Interval {
  double lower = 0, upper = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace proven
