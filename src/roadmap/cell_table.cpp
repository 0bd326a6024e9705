#include "roadmap/cell_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "proven/base/parallel.h"

namespace proven::roadmap {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr int kChunk = 256;
constexpr int kRuns = 64, kBitmap = 128, kAll = 129, kSkip = 130, kGaps = 131;
constexpr std::size_t kMaxRuns = 64, kMaxGaps = 28, kMaxArray = 64;
constexpr std::size_t kBitmapBytes = kChunk / 8;

struct Run {
  int first, last;
};

// Runs of the places of one chunk (sorted, below 256).
std::vector<Run> runs_of(std::span<const std::uint8_t> places) {
  std::vector<Run> runs;
  for (const int p : places) {
    if (!runs.empty() && runs.back().last + 1 == p)
      runs.back().last = p;
    else
      runs.push_back({p, p});
  }
  return runs;
}

// The places between the runs, to the ends of the chunk.
std::vector<Run> gaps_of(std::span<const Run> runs) {
  std::vector<Run> gaps;
  int next = 0;
  for (const Run& run : runs) {
    if (run.first > next) gaps.push_back({next, run.first - 1});
    next = run.last + 1;
  }
  if (next < kChunk) gaps.push_back({next, kChunk - 1});
  return gaps;
}

void append_runs(int code, std::span<const Run> runs, std::vector<std::uint8_t>& bytes) {
  bytes.push_back(static_cast<std::uint8_t>(code + static_cast<int>(runs.size()) - 1));
  for (const Run& run : runs) {
    bytes.push_back(static_cast<std::uint8_t>(run.first));
    bytes.push_back(static_cast<std::uint8_t>(run.last - run.first));
  }
}

void append_bitmap(std::span<const std::uint8_t> places, std::vector<std::uint8_t>& bytes) {
  std::uint8_t map[kBitmapBytes] = {};
  for (const int p : places) map[p >> 3] = static_cast<std::uint8_t>(map[p >> 3] | 1 << (p & 7));
  bytes.insert(bytes.end(), map, map + kBitmapBytes);
}

// What a kind costs: its bytes, and its time in units of the time in which a byte is read; a bitmap
// is added four words at a time.
struct Cost {
  static std::size_t array(std::size_t n) { return 5 * n; }
  static std::size_t runs(std::size_t n) { return 10 * n; }
  static constexpr std::size_t kBitmap = 40;
};

enum class Way { array, runs, gaps, bitmap, all };

Way cheapest(std::size_t places, std::size_t runs, std::size_t gaps) {
  if (places == kChunk) return Way::all;
  Way way = Way::bitmap;
  std::size_t best = Cost::kBitmap;
  const auto offer = [&](Way other, std::size_t cost, bool possible) {
    if (!possible || cost >= best) return;
    way = other;
    best = cost;
  };
  offer(Way::gaps, Cost::runs(gaps), gaps <= kMaxGaps);
  offer(Way::runs, Cost::runs(runs), runs <= kMaxRuns);
  offer(Way::array, Cost::array(places), places <= kMaxArray);
  return way;
}

// Bits first … last of the four words of a chunk.
void set_places(std::uint64_t* words, int first, int last) {
  const int a = first >> 6, b = last >> 6;
  const std::uint64_t head = ~std::uint64_t{0} << (first & 63);
  const std::uint64_t tail = ~std::uint64_t{0} >> (63 - (last & 63));
  if (a == b) {
    words[a] |= head & tail;
    return;
  }
  words[a] |= head;
  for (int w = a + 1; w < b; ++w) words[w] = ~std::uint64_t{0};
  words[b] |= tail;
}

// Payload bytes of a kind but bitmaps; -1 if there is no such kind.
int payload_of(int kind) {
  if (kind < kRuns) return kind + 1;
  if (kind < kBitmap) return 2 * (kind - kRuns + 1);
  if (kind == kAll || kind == kSkip) return 0;
  if (kind >= kGaps && kind < kGaps + static_cast<int>(kMaxGaps)) return 2 * (kind - kGaps + 1);
  return -1;
}

void add_gaps(const std::uint8_t* at, int count, std::uint64_t* words) {
  std::uint64_t missing[4] = {};
  for (int k = 0; k < count; ++k) set_places(missing, at[2 * k], at[2 * k] + at[2 * k + 1]);
  for (int w = 0; w < 4; ++w) words[w] |= ~missing[w];
}

void add_chunk(int kind, const std::uint8_t* at, std::uint64_t* words) {
  if (kind < kRuns) {
    // Bytes are set, not words: neighbours seldom wait for each other's store.
    auto* bytes = reinterpret_cast<std::uint8_t*>(words);
    for (int k = 0; k <= kind; ++k)
      bytes[at[k] >> 3] = static_cast<std::uint8_t>(bytes[at[k] >> 3] | 1 << (at[k] & 7));
  } else if (kind < kBitmap) {
    for (int k = 0; k <= kind - kRuns; ++k) set_places(words, at[2 * k], at[2 * k] + at[2 * k + 1]);
  } else if (kind == kAll) {
    for (int w = 0; w < 4; ++w) words[w] = ~std::uint64_t{0};
  } else if (kind >= kGaps) {
    add_gaps(at, kind - kGaps + 1, words);
  }
}

void add_bitmaps(const std::uint8_t* at, std::size_t count, std::uint64_t* words) {
  for (std::size_t w = 0; w < 4 * count; ++w) {
    std::uint64_t word;
    std::memcpy(&word, at + 8 * w, sizeof(word));
    words[w] |= word;
  }
}

// Writes one row; bitmaps of neighbouring chunks become one record.
class RowWriter {
 public:
  explicit RowWriter(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  void add(std::uint32_t chunk, std::span<const std::uint8_t> places) {
    const std::vector<Run> runs = runs_of(places), gaps = gaps_of(runs);
    const Way way = cheapest(places.size(), runs.size(), gaps.size());
    if (way == Way::bitmap && bitmap_count_ != 0 && chunk == next_ && bytes_[bitmap_count_] < 255) {
      ++bytes_[bitmap_count_];
      next_ = chunk + 1;
      return append_bitmap(places, bytes_);
    }
    for (; chunk - next_ > 255; next_ += 256) bytes_.insert(bytes_.end(), {255, kSkip});
    bytes_.push_back(static_cast<std::uint8_t>(chunk - next_));
    next_ = chunk + 1;
    bitmap_count_ = 0;
    switch (way) {
      case Way::all:
        return bytes_.push_back(kAll);
      case Way::gaps:
        return append_runs(kGaps, gaps, bytes_);
      case Way::runs:
        return append_runs(kRuns, runs, bytes_);
      case Way::array:
        bytes_.push_back(static_cast<std::uint8_t>(places.size() - 1));
        bytes_.insert(bytes_.end(), places.begin(), places.end());
        return;
      case Way::bitmap:
        bytes_.push_back(kBitmap);
        bitmap_count_ = bytes_.size();
        bytes_.push_back(0);
        return append_bitmap(places, bytes_);
    }
  }

 private:
  std::vector<std::uint8_t>& bytes_;
  std::uint32_t next_ = 0;        // chunk
  std::size_t bitmap_count_ = 0;  // where the open record of bitmaps keeps its count, less one
};

}  // namespace

// Items are listed by cell; then rows are written in parallel pieces, which are joined in order.
CellTable make_table(std::span<const std::vector<std::uint32_t>> cells_of_item, int num_rows,
                     int threads) {
  CellTable table;
  table.num_items = static_cast<int>(cells_of_item.size());
  std::vector<std::uint64_t>& first = table.own_first;
  first.assign(static_cast<std::size_t>(num_rows) + 1, 0);
  for (const auto& cells : cells_of_item)
    for (const std::uint32_t cell : cells) ++first[cell + 1];
  for (std::size_t r = 1; r < first.size(); ++r) first[r] += first[r - 1];
  std::vector<std::uint32_t> items(first.back());
  std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t item = 0; item < cells_of_item.size(); ++item)
    for (const std::uint32_t cell : cells_of_item[item]) items[next[cell]++] = item;

  constexpr int kPiece = 256;
  const int pieces = (num_rows + kPiece - 1) / kPiece;
  std::vector<std::vector<std::uint8_t>> bytes(static_cast<std::size_t>(pieces));
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(num_rows));
  parallel_for(pieces, threads > 0 ? threads : default_threads(), [&](int piece, int) {
    auto& own = bytes[static_cast<std::size_t>(piece)];
    for (int row = piece * kPiece; row < std::min(num_rows, (piece + 1) * kPiece); ++row) {
      const auto r = static_cast<std::size_t>(row);
      const std::size_t before = own.size();
      append_row(std::span(items).subspan(first[r], first[r + 1] - first[r]), own);
      sizes[r] = own.size() - before;
    }
  });
  for (const auto& piece : bytes)
    table.own_bytes.insert(table.own_bytes.end(), piece.begin(), piece.end());
  for (std::size_t r = 0; r < sizes.size(); ++r) first[r + 1] = first[r] + sizes[r];
  table.first = table.own_first;
  table.bytes = table.own_bytes;
  return table;
}

std::vector<std::uint32_t> CellTable::items(int cell) const {
  return decode_row(row(cell), num_items);
}

void append_row(std::span<const std::uint32_t> items, std::vector<std::uint8_t>& bytes) {
  RowWriter writer(bytes);
  std::uint8_t places[kChunk];
  for (std::size_t i = 0; i < items.size();) {
    const std::uint32_t chunk = items[i] / kChunk;
    std::size_t count = 0;
    for (; i < items.size() && items[i] / kChunk == chunk; ++i)
      places[count++] = static_cast<std::uint8_t>(items[i] % kChunk);
    writer.add(chunk, {places, count});
  }
}

void add_row(std::span<const std::uint8_t> row, ItemBits& bits) {
  const std::uint8_t* at = row.data();
  const std::uint8_t* const end = at + row.size();
  std::uint64_t* words = bits.data();
  while (at != end) {
    words += 4 * static_cast<std::size_t>(at[0]);
    const int kind = at[1];
    if (kind == kBitmap) {
      const std::size_t count = std::size_t{at[2]} + 1;
      add_bitmaps(at + 3, count, words);
      at += 3 + count * kBitmapBytes;
      words += 4 * count;
    } else {
      add_chunk(kind, at + 2, words);
      at += 2 + payload_of(kind);
      words += 4;
    }
  }
}

std::vector<std::uint32_t> decode_row(std::span<const std::uint8_t> row, int num_items) {
  ItemBits bits = make_bits(num_items);
  add_row(row, bits);
  std::vector<std::uint32_t> items;
  for (std::size_t w = 0; w < bits.size(); ++w)
    for (std::uint64_t word = bits[w]; word != 0; word &= word - 1)
      items.push_back(static_cast<std::uint32_t>(w * 64) +
                      static_cast<std::uint32_t>(std::countr_zero(word)));
  return items;
}

bool check_row(std::span<const std::uint8_t> row, int num_items) {
  const std::size_t chunks = (static_cast<std::size_t>(num_items) + kChunk - 1) / kChunk;
  std::size_t chunk = 0, at = 0;
  while (at < row.size()) {
    if (at + 2 > row.size()) return false;
    chunk += row[at];
    const int kind = row[at + 1];
    if (kind == kBitmap) {
      if (at + 3 > row.size()) return false;
      const std::size_t count = std::size_t{row[at + 2]} + 1;
      chunk += count;
      at += 3 + count * kBitmapBytes;
      if (chunk > chunks || at > row.size()) return false;
      continue;
    }
    const int payload = payload_of(kind);
    if (payload < 0 || chunk >= chunks) return false;
    const std::size_t next = at + 2 + static_cast<std::size_t>(payload);
    if (next > row.size()) return false;
    const bool runs = (kind >= kRuns && kind < kBitmap) || kind >= kGaps;
    for (std::size_t k = at + 2; runs && k < next; k += 2)
      if (row[k] + row[k + 1] >= kChunk) return false;
    ++chunk;
    at = next;
  }
  return true;
}

}  // namespace proven::roadmap
