#include "roadmap/wide_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "proven/base/parallel.h"
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace proven::roadmap {
namespace {

constexpr std::size_t kWidestGap = 255;

// Rows are read here and there: with large pages, the processor knows where they are.
void ask_for_large_pages([[maybe_unused]] std::vector<std::uint64_t>& data) {
#ifdef __linux__
  constexpr std::size_t kPage = std::size_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(data.data());
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (begin + data.capacity() * sizeof(data[0])) / kPage * kPage;
  if (first < end) (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

// Writes rows one after the other.
class Writer {
 public:
  // Returns how many items the row has.
  int append(const ItemBits& bits) {
    words_.clear();
    gaps_.clear();
    std::size_t last = 0;
    int items = 0;
    for (std::size_t w = 0; w < bits.size(); ++w) {
      if (bits[w] == 0) continue;
      items += std::popcount(bits[w]);
      for (; w - last > kWidestGap; last += kWidestGap) push(kWidestGap, 0);
      push(w - last, bits[w]);
      last = w;
    }
    const std::size_t at = data.size(), n = words_.size();
    data.insert(data.end(), words_.begin(), words_.end());
    data.resize(at + n + (n + 7) / 8, 0);
    if (n != 0) std::memcpy(data.data() + at + n, gaps_.data(), n);
    return items;
  }

  std::vector<std::uint64_t> data;

 private:
  void push(std::size_t gap, std::uint64_t word) {
    gaps_.push_back(static_cast<std::uint8_t>(gap));
    words_.push_back(word);
  }
  std::vector<std::uint64_t> words_;
  std::vector<std::uint8_t> gaps_;
};

}  // namespace

WideTable::WideTable(int num_rows, int num_items, int threads,
                     const std::function<void(int row, ItemBits& bits)>& fill)
    : first_(static_cast<std::size_t>(num_rows) + 1, 0), full_(static_cast<std::size_t>(num_rows)) {
  constexpr int kPiece = 512;
  const int num_pieces = (num_rows + kPiece - 1) / kPiece;
  std::vector<Writer> pieces(static_cast<std::size_t>(num_pieces));
  const int used = threads > 0 ? threads : default_threads();
  std::vector<ItemBits> bits(static_cast<std::size_t>(used), make_bits(num_items));
  parallel_for(num_pieces, used, [&](int index, int thread) {
    Writer& piece = pieces[static_cast<std::size_t>(index)];
    ItemBits& own = bits[static_cast<std::size_t>(thread)];
    for (int row = index * kPiece; row < std::min(num_rows, (index + 1) * kPiece); ++row) {
      std::fill(own.begin(), own.end(), 0);
      fill(row, own);
      const std::size_t before = piece.data.size();
      full_[static_cast<std::size_t>(row)] = piece.append(own) == num_items;
      first_[static_cast<std::size_t>(row) + 1] = piece.data.size() - before;
    }
  });
  for (std::size_t r = 1; r < first_.size(); ++r) first_[r] += first_[r - 1];
  data_.reserve(first_.back());
  ask_for_large_pages(data_);
  for (const Writer& piece : pieces)
    data_.insert(data_.end(), piece.data.begin(), piece.data.end());
}

void WideTable::add(int row, ItemBits& bits) const {
  const std::uint64_t* const words = data_.data() + begin(row);
  // 9 n bytes, filled up to a multiple of 8.
  const std::size_t count = 8 * (begin(row + 1) - begin(row)) / 9;
  const auto* const gaps = reinterpret_cast<const std::uint8_t*>(words + count);
  std::uint64_t* to = bits.data();
  for (std::size_t k = 0; k < count; ++k) {
    to += gaps[k];
    *to |= words[k];
  }
}

void WideTable::prefetch(int row) const {
  constexpr std::size_t kLine = 8;  // words
  const std::uint64_t* const words = data_.data();
  for (std::size_t k = begin(row); k < begin(row + 1); k += kLine)
    __builtin_prefetch(words + k, 0, 2);
}

std::size_t WideTable::size_bytes() const {
  return first_.size() * sizeof(first_[0]) + data_.size() * sizeof(data_[0]) + full_.size();
}

}  // namespace proven::roadmap
