#include "roadmap/cube_cover.h"

#include <algorithm>
#include <bit>

namespace proven::roadmap {
namespace {

bool test(const std::vector<std::uint64_t>& words, int bit) {
  return words[static_cast<std::size_t>(bit) >> 6] >> (bit & 63) & 1;
}

// words &= words >> shift, on the words from begin to end; the others count as zero.
void and_shifted_down(std::vector<std::uint64_t>& words, int shift, std::size_t begin,
                      std::size_t end) {
  const std::size_t skip = static_cast<std::size_t>(shift) >> 6;
  const int bits = shift & 63;
  const auto at = [&](std::size_t w) { return w < end ? words[w] : 0; };
  for (std::size_t w = begin; w < end; ++w) {
    const std::uint64_t low = at(w + skip) >> bits;
    words[w] &= bits == 0 ? low : low | at(w + skip + 1) << (64 - bits);
  }
}

// words |= words << shift, within the same words.
void or_shifted_up(std::vector<std::uint64_t>& words, int shift, std::size_t begin,
                   std::size_t end) {
  const std::size_t skip = static_cast<std::size_t>(shift) >> 6;
  const int bits = shift & 63;
  for (std::size_t w = end; w-- > begin + skip;) {
    const std::uint64_t high = words[w - skip] << bits;
    const bool more = bits != 0 && w - skip > begin;
    words[w] |= more ? high | words[w - skip - 1] >> (64 - bits) : high;
  }
}

}  // namespace

CubeCover::CubeCover(const Grid& grid, int top_level)
    : top_level_(top_level),
      num_axes_(grid.planar() ? 2 : 3),
      stride_{1, grid.count[0], grid.count[0] * grid.count[1]} {
  const std::size_t words = static_cast<std::size_t>(grid.outside()) / 64 + 1;
  fits_.assign(static_cast<std::size_t>(top_level) + 1, Words(words));
  corners_ = fits_;
  reached_.resize(words);
  left_.resize(words);
  for (int level = 1; level <= top_level; ++level)
    for (int cell = 0; cell < grid.num_cells(); ++cell) {
      const auto place = grid.place(cell);
      bool fits = true;
      for (std::size_t axis = 0; axis < static_cast<std::size_t>(num_axes_); ++axis)
        fits &= place[axis] + (1 << level) <= grid.count[axis];
      if (fits)
        fits_[static_cast<std::size_t>(level)][static_cast<std::size_t>(cell) >> 6] |=
            std::uint64_t{1} << (cell & 63);
    }
}

// A cube is occupied if its 4 or 8 parts are. Where the grid ends, indices run on into the next
// row: `fits_` drops these corners.
void CubeCover::find_cubes(int level) {
  const auto l = static_cast<std::size_t>(level);
  std::copy(corners_[l - 1].begin() + static_cast<std::ptrdiff_t>(begin_),
            corners_[l - 1].begin() + static_cast<std::ptrdiff_t>(end_),
            corners_[l].begin() + static_cast<std::ptrdiff_t>(begin_));
  for (int axis = 0; axis < num_axes_; ++axis)
    and_shifted_down(corners_[l], stride_[axis] << (level - 1), begin_, end_);
  for (std::size_t w = begin_; w < end_; ++w) corners_[l][w] &= fits_[l][w];
}

void CubeCover::mark_reached(int level) {
  const Words& corners = corners_[static_cast<std::size_t>(level)];
  for (std::size_t w = begin_; w < end_; ++w) reached_[w] = corners[w];
  for (int axis = 0; axis < num_axes_; ++axis)
    for (int part = 0; part < level; ++part)
      or_shifted_up(reached_, stride_[axis] << part, begin_, end_);
}

// The corner of a cube that holds the cell; there is one. The one that begins at the cell, or as
// little before it as may be, leaves the fewest cells behind.
int CubeCover::cube_with(int cell, int level) const {
  const Words& corners = corners_[static_cast<std::size_t>(level)];
  const int side = 1 << level, depth = num_axes_ == 3 ? side : 1;
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const int corner = cell - x - y * stride_[1] - z * stride_[2];
        if (corner >= 0 && test(corners, corner)) return corner;
      }
  return cell;
}

void CubeCover::take(int corner, int level) {
  cubes_.push_back({level, corner});
  const int side = 1 << level, depth = num_axes_ == 3 ? side : 1;
  const std::uint64_t run = (std::uint64_t{1} << side) - 1;
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < side; ++y) {
      const int first = corner + y * stride_[1] + z * stride_[2];
      const std::size_t word = static_cast<std::size_t>(first) >> 6;
      left_[word] &= ~(run << (first & 63));
      if ((first & 63) + side > 64) left_[word + 1] &= ~(run >> (64 - (first & 63)));
    }
}

void CubeCover::take_cubes(int level) {
  for (std::size_t w = begin_; w < end_; ++w)
    while (const std::uint64_t open = left_[w] & reached_[w]) {
      const int cell = static_cast<int>(w * 64) + std::countr_zero(open);
      take(cube_with(cell, level), level);
    }
}

std::span<const Cube> CubeCover::cover(std::span<const std::uint64_t> occupied,
                                       std::span<const std::uint64_t> wanted) {
  cubes_.clear();
  begin_ = 0;
  end_ = occupied.size();
  while (begin_ < end_ && occupied[begin_] == 0) ++begin_;
  while (end_ > begin_ && occupied[end_ - 1] == 0) --end_;
  for (std::size_t w = begin_; w < end_; ++w) {
    corners_[0][w] = occupied[w];
    left_[w] = wanted[w];
  }
  for (int level = 1; level <= top_level_; ++level) find_cubes(level);
  for (int level = top_level_; level > 0; --level) {
    mark_reached(level);
    take_cubes(level);
  }
  for (std::size_t w = begin_; w < end_; ++w)
    for (std::uint64_t open = left_[w]; open != 0; open &= open - 1)
      cubes_.push_back({0, static_cast<int>(w * 64) + std::countr_zero(open)});
  return cubes_;
}

}  // namespace proven::roadmap
