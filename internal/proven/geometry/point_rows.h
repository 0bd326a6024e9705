// Points by coordinates, for vector instructions.
#pragma once

#include <array>
#include <vector>

#include "proven/base/vec3.h"

namespace proven {

class PointRows {
 public:
  static constexpr int kTogether = 8;  // rows are as long as a multiple of this

  // As many points, at least one: `point(i)` is the one at i. Memory stays.
  template <class Point>
  void assign(int count, const Point& point) {
    size_ = count;
    const int padded = (count + kTogether - 1) / kTogether * kTogether;
    for (auto& row : rows_) row.resize(static_cast<std::size_t>(padded));
    for (int i = 0; i < count; ++i) set(i, point(i));
    // The last one again.
    for (int i = count; i < padded; ++i) set(i, (*this)[count - 1]);
  }

  int size() const { return size_; }
  Vec3 operator[](int i) const {
    const auto k = static_cast<std::size_t>(i);
    return {rows_[0][k], rows_[1][k], rows_[2][k]};
  }
  const double* row(int axis) const { return rows_[static_cast<std::size_t>(axis)].data(); }
  // Of a row.
  int length() const { return static_cast<int>(rows_[0].size()); }

 private:
  void set(int i, const Vec3& p) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      rows_[axis][static_cast<std::size_t>(i)] = p[static_cast<int>(axis)];
  }

  std::array<std::vector<double>, 3> rows_;
  int size_ = 0;
};

}  // namespace proven
