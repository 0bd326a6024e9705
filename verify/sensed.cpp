#include "verify/sensed.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace proven::verifier {
namespace {

using Cell = std::array<std::int32_t, 3>;

// Joins each box with one before it that is equal but for the axis, along which it ends where this
// one begins. Boxes come in the order of their first cells, the last index first.
std::vector<CellBox> joined(std::size_t axis, std::vector<CellBox> boxes) {
  std::map<std::array<int, 6>, std::size_t> open;  // by all that must be equal, and by the end
  std::vector<CellBox> result;
  for (const CellBox& box : boxes) {
    std::array<int, 6> key = {box.first[0], box.end[0],   box.first[1],
                              box.end[1],   box.first[2], box.end[2]};
    // Ending here: the axis has no extent in the key but its place.
    key[2 * axis] = key[2 * axis + 1] = box.first[axis];
    const auto found = open.find(key);
    std::size_t index = result.size();
    if (found != open.end()) {
      index = found->second;
      result[index].end[axis] = box.end[axis];
      open.erase(found);
    } else {
      result.push_back(box);
    }
    key[2 * axis] = key[2 * axis + 1] = box.end[axis];
    open.emplace(key, index);
  }
  return result;
}

std::uint64_t interleaved(const std::array<std::uint64_t, 3>& places) {
  std::uint64_t code = 0;
  for (int bit = 20; bit >= 0; --bit)
    for (const std::uint64_t place : places) code = code << 1 | (place >> bit & 1);
  return code;
}

}  // namespace

std::vector<CellBox> boxes_of_cells(std::span<const Cell> cells) {
  std::vector<Cell> sorted(cells.begin(), cells.end());
  const auto before = [](const Cell& a, const Cell& b) {
    return std::array{a[2], a[1], a[0]} < std::array{b[2], b[1], b[0]};
  };
  std::sort(sorted.begin(), sorted.end(), before);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<CellBox> boxes;
  for (const Cell& c : sorted) boxes.push_back({c, {c[0] + 1, c[1] + 1, c[2] + 1}});
  for (const std::size_t axis : {0u, 1u, 2u}) boxes = joined(axis, std::move(boxes));
  return boxes;
}

std::vector<std::uint64_t> codes_of_points(std::span<const Vec3> points) {
  Box3 box{points[0], points[0]};
  for (const Vec3& p : points) box = united(box, {p, p});
  const Vec3 extent = box.hi - box.lo;
  const double width = std::max({extent.x, extent.y, extent.z});
  const double scale = width > 1e-300 ? 2048 / width : 0;
  std::vector<std::uint64_t> codes;
  codes.reserve(points.size());
  for (const Vec3& p : points) {
    std::array<std::uint64_t, 3> places{};
    for (int i = 0; i < 3; ++i)
      places[static_cast<std::size_t>(i)] =
          static_cast<std::uint64_t>(std::min((p[i] - box.lo[i]) * scale, 2047.0));
    codes.push_back(interleaved(places));
  }
  return codes;
}

std::vector<std::uint64_t> codes_of_boxes(std::span<const CellBox> boxes) {
  std::vector<std::uint64_t> codes;
  for (const CellBox& box : boxes) {
    std::array<std::uint64_t, 3> places{};
    for (std::size_t i = 0; i < 3; ++i)
      places[i] = static_cast<std::uint64_t>(box.first[i] + (1 << 20));
    codes.push_back(interleaved(places));
  }
  return codes;
}

namespace {

class CodeTree {
 public:
  CodeTree(std::span<const std::uint64_t> codes, std::span<const Box3> bounds)
      : codes_(codes), bounds_(bounds), order_(codes.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
      return codes[static_cast<std::size_t>(a)] < codes[static_cast<std::size_t>(b)];
    });
    nodes_.reserve(2 * codes.size() - 1);
  }

  BoxTree build() {
    // Each split is by another bit of code or place: the depth is at most 63 + 31.
    add_node(nodes_, order_, bounds_, 0, order_.size(),
             [&](std::size_t begin, std::size_t end) { return split_of(begin, end); });
    return std::move(nodes_);
  }

 private:
  std::uint64_t code(std::size_t place) const {
    return codes_[static_cast<std::size_t>(order_[place])];
  }

  std::size_t split_of(std::size_t begin, std::size_t end) const {
    const bool by_code = code(begin) != code(end - 1);
    const auto key = [&](std::size_t place) {
      return by_code ? code(place) : static_cast<std::uint64_t>(place);
    };
    int bit = 63;
    while ((key(begin) >> bit & 1) == (key(end - 1) >> bit & 1)) --bit;
    std::size_t low = begin, high = end - 1;  // the bit is 0 at `low` and 1 at `high`
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (key(middle) >> bit & 1 ? high : low) = middle;
    }
    return high;
  }

  std::span<const std::uint64_t> codes_;
  std::span<const Box3> bounds_;
  std::vector<int> order_;
  BoxTree nodes_;
};

}  // namespace

BoxTree build_code_tree(std::span<const std::uint64_t> codes, std::span<const Box3> bounds) {
  return CodeTree(codes, bounds).build();
}

}  // namespace proven::verifier
