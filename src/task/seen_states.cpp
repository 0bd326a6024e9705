#include "task/seen_states.h"

#include <algorithm>

namespace proven::task {
namespace {

std::uint32_t hash_of(std::span<const std::uint64_t> key) {
  std::uint64_t hash = 0x243f6a8885a308d3u ^ key.size();
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

}  // namespace

void SeenStates::clear() {
  words_.clear();
  entries_.clear();
  slots_.assign(1024, 0);
}

bool SeenStates::same(std::size_t entry, std::span<const std::uint64_t> key) const {
  const std::size_t first = entries_[entry].first;
  const std::size_t end = entry + 1 < entries_.size() ? entries_[entry + 1].first : words_.size();
  return end - first == key.size() &&
         std::equal(key.begin(), key.end(), words_.begin() + static_cast<std::ptrdiff_t>(first));
}

double& SeenStates::insert(std::span<const std::uint64_t> key, double time, bool& fresh) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(key);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::size_t entry = slots_[slot] - 1;
    if (entries_[entry].hash != hash || !same(entry, key)) continue;
    fresh = false;
    return entries_[entry].time;
  }
  fresh = true;
  entries_.push_back({words_.size(), hash, time});
  words_.insert(words_.end(), key.begin(), key.end());
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  return entries_.back().time;
}

void SeenStates::grow() {
  slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

std::size_t SeenStates::bytes() const {
  return words_.capacity() * sizeof(std::uint64_t) + entries_.capacity() * sizeof(Entry) +
         slots_.capacity() * sizeof(std::uint32_t);
}

}  // namespace proven::task
