#include "papers/roadmap/labels.h"

namespace proven::roadmap {
namespace {

// Items lie in [low, high).
void write_range(std::span<const std::uint32_t> items, std::uint64_t low, std::uint64_t high,
                 BitWriter& out) {
  if (items.empty() || high - low == items.size()) return;
  const std::size_t middle = items.size() / 2;
  // `middle` items come before it, the rest after: that narrows where it can be.
  const std::uint64_t least = low + middle, most = high - (items.size() - middle);
  out.put_below(items[middle] - least, most - least + 1);
  write_range(items.first(middle), low, items[middle], out);
  write_range(items.subspan(middle + 1), std::uint64_t{items[middle]} + 1, high, out);
}

void read_range(std::span<std::uint32_t> items, std::uint64_t low, std::uint64_t high,
                BitReader& in) {
  if (items.empty()) return;
  if (high - low == items.size()) {
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::uint32_t>(low + i);
    return;
  }
  const std::size_t middle = items.size() / 2;
  const std::uint64_t least = low + middle, most = high - (items.size() - middle);
  const std::uint64_t value = least + in.get_below(most - least + 1);
  items[middle] = static_cast<std::uint32_t>(value);
  read_range(items.first(middle), low, value, in);
  read_range(items.subspan(middle + 1), value + 1, high, in);
}

}  // namespace

std::vector<std::uint8_t> encode_labels(std::span<const std::uint32_t> items, int num_items) {
  BitWriter out;
  out.put_count(items.size());
  write_range(items, 0, static_cast<std::uint64_t>(num_items), out);
  return out.take();
}

std::vector<std::uint32_t> decode_labels(std::span<const std::uint8_t> bytes, int num_items) {
  BitReader in(bytes);
  std::vector<std::uint32_t> items(in.get_count());
  read_range(items, 0, static_cast<std::uint64_t>(num_items), in);
  return items;
}

}  // namespace proven::roadmap
