#include "verify/sensed.h"

#include <algorithm>
#include <bit>
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

// The 21 bits of a number, each followed by two zeros: halves move apart, then halves of these.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x001f00000000ffff;
  bits = (bits | bits << 16) & 0x001f0000ff0000ff;
  bits = (bits | bits << 8) & 0x100f00f00f00f00f;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
  return (bits | bits << 2) & 0x1249249249249249;
}

std::uint64_t interleaved(const std::array<std::uint64_t, 3>& places) {
  return spread(places[0]) << 2 | spread(places[1]) << 1 | spread(places[2]);
}

// The places of the codes in increasing order, of equal ones as they come: by their digits, the
// last one first.
std::vector<int> order_of(std::span<const std::uint64_t> codes) {
  constexpr int kDigit = 11;  // bits
  std::uint64_t all = 0;
  for (const std::uint64_t code : codes) all |= code;
  std::vector<int> order(codes.size()), next(codes.size());
  std::iota(order.begin(), order.end(), 0);
  for (int shift = 0; shift < 64 && all >> shift != 0; shift += kDigit) {
    const auto digit = [&](int i) {
      return codes[static_cast<std::size_t>(i)] >> shift & ((1 << kDigit) - 1);
    };
    std::array<std::size_t, (1 << kDigit) + 1> begin{};
    for (const int i : order) ++begin[digit(i) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const int i : order) next[begin[digit(i)]++] = i;
    order.swap(next);
  }
  return order;
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
      : bounds_(bounds), order_(order_of(codes)) {
    codes_.reserve(codes.size());
    for (const int i : order_) codes_.push_back(codes[static_cast<std::size_t>(i)]);
    nodes_.reserve(2 * codes.size() - 1);
  }

  BoxTree build() {
    // Each split is by another bit of code or place: the depth is at most 63 + 31.
    add_node(nodes_, order_, bounds_, 0, order_.size(),
             [&](std::size_t begin, std::size_t end) { return split_of(begin, end); });
    return std::move(nodes_);
  }

 private:
  // By the highest bit in which the first and the last code differ, or else their places.
  std::size_t split_of(std::size_t begin, std::size_t end) const {
    const bool by_code = codes_[begin] != codes_[end - 1];
    const auto key = [&](std::size_t place) {
      return by_code ? codes_[place] : static_cast<std::uint64_t>(place);
    };
    const int bit = 63 - std::countl_zero(key(begin) ^ key(end - 1));
    std::size_t low = begin, high = end - 1;  // the bit is 0 at `low` and 1 at `high`
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (key(middle) >> bit & 1 ? high : low) = middle;
    }
    return high;
  }

  std::span<const Box3> bounds_;
  std::vector<int> order_;
  std::vector<std::uint64_t> codes_;  // in that order
  BoxTree nodes_;
};

}  // namespace

BoxTree build_code_tree(std::span<const std::uint64_t> codes, std::span<const Box3> bounds) {
  return CodeTree(codes, bounds).build();
}

}  // namespace proven::verifier
