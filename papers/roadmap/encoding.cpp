#include "papers/roadmap/encoding.h"

#include <algorithm>
#include <optional>
#include <queue>

#include "papers/roadmap/labels.h"

namespace proven::roadmap {
namespace {

using Items = std::vector<std::uint32_t>;
using Place = std::array<int, 3>;

Items to_items(std::span<const std::uint32_t> span) {
  return {span.begin(), span.end()};
}

// Cells that share a face.
std::vector<int> neighbours_of(const Grid& grid, int cell) {
  std::vector<int> found;
  if (cell == grid.outside()) return found;
  const Place p = grid.place(cell);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const int step : {-1, 1}) {
      Place q = p;
      q[axis] += step;
      if (q[axis] >= 0 && q[axis] < grid.count[axis]) found.push_back(grid.index(q[0], q[1], q[2]));
    }
  return found;
}

constexpr std::size_t kReferenceBytes = 4, kBeginBytes = 5;

}  // namespace

void EncodedLists::add_part(const Items& items) {
  begin_.push_back(bytes_.size());
  // An empty part has no bytes at all.
  if (items.empty()) return;
  const auto bytes = encode_labels(items, num_items_);
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

Items EncodedLists::part(std::size_t index) const {
  const std::size_t end = index + 1 < begin_.size() ? begin_[index + 1] : bytes_.size();
  if (begin_[index] == end) return {};
  return decode_labels(std::span(bytes_).subspan(begin_[index], end - begin_[index]), num_items_);
}

std::size_t EncodedLists::size_bytes() const {
  if (encoding_ == Encoding::naive) return 4 * naive_.size() + kBeginBytes * first_.size();
  std::size_t size = bytes_.size() + kBeginBytes * begin_.size();
  // The tree's references follow from the grid; those of a region are a byte (which neighbour) or
  // the number of the region.
  if (encoding_ == Encoding::region)
    for (const std::uint32_t r : reference_)
      size += r == kNothing || r < num_cells_ ? 1 : 1 + kReferenceBytes;
  return size;
}

Items EncodedLists::decode(int cell) const {
  if (encoding_ == Encoding::naive) {
    const auto c = static_cast<std::size_t>(cell);
    return {naive_.begin() + static_cast<std::ptrdiff_t>(first_[c]),
            naive_.begin() + static_cast<std::ptrdiff_t>(first_[c + 1])};
  }
  Items items, next;
  auto at = static_cast<std::size_t>(cell);
  items = part(at);
  while (at < reference_.size() && reference_[at] != kNothing) {
    at = reference_[at];
    symmetric_difference(items, part(at), next);
    items.swap(next);
  }
  return items;
}

int EncodedLists::longest_chain() const {
  int longest = 0;
  for (std::size_t part = 0; part < reference_.size(); ++part) {
    int length = 0;
    for (std::size_t at = part; reference_[at] != kNothing; at = reference_[at]) ++length;
    longest = std::max(longest, length);
  }
  return longest;
}

// Grows regions around seeds (paper 004, section 3).
class RegionEncoder {
 public:
  RegionEncoder(const CellLists& lists, const Grid& grid, const RegionOptions& options)
      : lists_(lists),
        grid_(grid),
        options_(options),
        done_(static_cast<std::size_t>(lists.num_cells())),
        depth_(done_.size()),
        difference_(done_.size()),
        reference_(done_.size(), EncodedLists::kNothing),
        count_(static_cast<std::size_t>(lists.num_items)) {}

  void run(EncodedLists& out) {
    std::vector<int> seeds;
    for (int cell = 0; cell < lists_.num_cells(); ++cell)
      if (!lists_.at(cell).empty()) seeds.push_back(cell);
    std::stable_sort(seeds.begin(), seeds.end(),
                     [&](int a, int b) { return lists_.at(a).size() > lists_.at(b).size(); });
    for (const int seed : seeds)
      if (!done(seed)) grow(seed);
    for (const Items& items : difference_) out.add_part(items);
    for (const Items& items : representatives_) out.add_part(items);
    out.reference_ = std::move(reference_);
    out.reference_.resize(out.begin_.size(), EncodedLists::kNothing);
    out.regions_ = representatives_.size();
  }

 private:
  bool done(int cell) const { return done_[static_cast<std::size_t>(cell)] != 0; }

  void grow(int seed) {
    std::vector<int> core = {seed};
    done_[static_cast<std::size_t>(seed)] = 1;
    for (const std::uint32_t item : lists_.at(seed)) ++count_[item];
    Items star = to_items(lists_.at(seed));
    while (static_cast<int>(core.size()) < options_.core) {
      const auto next = best_for_core(core, star);
      if (!next) break;
      core.push_back(*next);
      done_[static_cast<std::size_t>(*next)] = 1;
      for (const std::uint32_t item : lists_.at(*next)) ++count_[item];
      star = majority(core);
    }
    const auto number = static_cast<std::uint32_t>(lists_.num_cells()) +
                        static_cast<std::uint32_t>(representatives_.size());
    for (const int cell : core) {
      const auto c = static_cast<std::size_t>(cell);
      symmetric_difference(lists_.at(cell), star, difference_[c]);
      reference_[c] = number;
      depth_[c] = 0;
      for (const std::uint32_t item : lists_.at(cell)) count_[item] = 0;
    }
    representatives_.push_back(std::move(star));
    grow_rim(core);
  }

  // The set with the least |φ*| + Σ |φ(w) ⊕ φ*|: an item belongs to it if it saves more than it
  // costs, that is, if more than (n + 1) / 2 of the n lists hold it.
  Items majority(const std::vector<int>& core) const {
    Items star;
    const auto n = static_cast<int>(core.size());
    for (const int cell : core)
      for (const std::uint32_t item : lists_.at(cell))
        if (2 * count_[item] > n + 1) star.push_back(item);
    std::sort(star.begin(), star.end());
    star.erase(std::unique(star.begin(), star.end()), star.end());
    return star;
  }

  // The cell beside the core with the least difference to φ*, if that is less than its difference
  // to its best neighbour in the core.
  std::optional<int> best_for_core(const std::vector<int>& core, const Items& star) const {
    int best = -1;
    std::size_t least = 0;
    for (const int member : core)
      for (const int cell : neighbours_of(grid_, member)) {
        if (done(cell) || lists_.at(cell).empty()) continue;
        const std::size_t size = difference_size(lists_.at(cell), star);
        if (best < 0 || size < least || (size == least && cell < best)) {
          best = cell;
          least = size;
        }
      }
    if (best < 0) return std::nullopt;
    for (const int cell : neighbours_of(grid_, best))
      if (std::find(core.begin(), core.end(), cell) != core.end() &&
          difference_size(lists_.at(best), lists_.at(cell)) < least)
        return std::nullopt;
    return best;
  }

  struct Candidate {
    std::size_t size;
    int cell, from;
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return std::tie(a.size, a.cell, a.from) > std::tie(b.size, b.cell, b.from);
    }
  };

  // η2: the least difference first; who joins is final, so references never loop.
  void grow_rim(const std::vector<int>& core) {
    std::priority_queue<Candidate> queue;
    const auto offer = [&](int from) {
      if (depth_[static_cast<std::size_t>(from)] >= options_.depth) return;
      for (const int cell : neighbours_of(grid_, from)) {
        if (done(cell) || lists_.at(cell).empty()) continue;
        const std::size_t size = difference_size(lists_.at(cell), lists_.at(from));
        if (static_cast<double>(size) <
            options_.scale * static_cast<double>(lists_.at(cell).size()))
          queue.push({size, cell, from});
      }
    };
    for (const int cell : core) offer(cell);
    while (!queue.empty()) {
      const Candidate top = queue.top();
      queue.pop();
      if (done(top.cell)) continue;
      const auto c = static_cast<std::size_t>(top.cell);
      done_[c] = 1;
      depth_[c] = depth_[static_cast<std::size_t>(top.from)] + 1;
      reference_[c] = static_cast<std::uint32_t>(top.from);
      symmetric_difference(lists_.at(top.cell), lists_.at(top.from), difference_[c]);
      offer(top.cell);
    }
  }

  const CellLists& lists_;
  const Grid& grid_;
  const RegionOptions& options_;
  std::vector<char> done_;
  std::vector<int> depth_;
  std::vector<Items> difference_, representatives_;
  std::vector<std::uint32_t> reference_;
  std::vector<int> count_;
};

// A tree of blocks whose lists make the sum of all differences least: Hartigan's method, upwards
// which of {0}, {1}, {0, 1} is best for every item, downwards the choice closest to the block
// above.
class HierarchyEncoder {
 public:
  HierarchyEncoder(const CellLists& lists, const Grid& grid) : lists_(lists), grid_(grid) {
    while (largest_side() > 1)
      levels_.push_back(block_count_at(static_cast<int>(levels_.size()) + 1));
    votes_one_.resize(static_cast<std::size_t>(lists.num_items));
    sure_one_.resize(votes_one_.size());
  }

  void run(EncodedLists& out) {
    const int top = static_cast<int>(levels_.size());
    // Parts: cells and the outside, then blocks level by level.
    std::size_t next = static_cast<std::size_t>(lists_.num_cells());
    for (const Place& count : levels_) {
      base_.push_back(next);
      next += static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]) *
              static_cast<std::size_t>(count[2]);
    }
    nodes_.resize(next);
    reference_.assign(next, EncodedLists::kNothing);
    if (top > 0) {
      vote(top, {0, 0, 0});
      assign(top, {0, 0, 0}, {}, EncodedLists::kNothing);
    } else {
      nodes_[0].difference = to_items(lists_.at(0));
    }
    nodes_[static_cast<std::size_t>(grid_.outside())].difference =
        to_items(lists_.at(grid_.outside()));
    for (const Node& node : nodes_) out.add_part(node.difference);
    out.reference_ = std::move(reference_);
  }

 private:
  struct Node {
    Items one, either;  // items whose best states are {1}, {0, 1}
    Items difference;
  };

  Place block_count_at(int level) const {
    Place count;
    for (std::size_t axis = 0; axis < 3; ++axis)
      count[axis] = (grid_.count[axis] + (1 << level) - 1) >> level;
    return count;
  }
  int largest_side() const {
    const Place count = block_count_at(static_cast<int>(levels_.size()));
    return std::max({count[0], count[1], count[2]});
  }
  std::size_t number(int level, const Place& p) const {
    if (level == 0) return static_cast<std::size_t>(grid_.index(p[0], p[1], p[2]));
    const Place& n = levels_[static_cast<std::size_t>(level) - 1];
    return base_[static_cast<std::size_t>(level) - 1] +
           static_cast<std::size_t>((p[2] * n[1] + p[1]) * n[0] + p[0]);
  }
  std::vector<Place> children(int level, const Place& p) const {
    const Place below = level == 1 ? grid_.count : levels_[static_cast<std::size_t>(level) - 2];
    std::vector<Place> found;
    for (int dz = 0; dz < 2; ++dz)
      for (int dy = 0; dy < 2; ++dy)
        for (int dx = 0; dx < 2; ++dx) {
          const Place q = {2 * p[0] + dx, 2 * p[1] + dy, 2 * p[2] + dz};
          if (q[0] < below[0] && q[1] < below[1] && q[2] < below[2]) found.push_back(q);
        }
    return found;
  }

  void vote(int level, const Place& p) {
    Node& node = nodes_[number(level, p)];
    if (level == 0) {
      node.one = to_items(lists_.at(static_cast<int>(number(0, p))));
      return;
    }
    const auto below = children(level, p);
    for (const Place& child : below) vote(level - 1, child);
    Items seen;
    const auto count = [&](const Items& items, bool sure) {
      for (const std::uint32_t item : items) {
        if (votes_one_[item]++ == 0) seen.push_back(item);
        sure_one_[item] += sure;
      }
    };
    for (const Place& child : below) {
      count(nodes_[number(level - 1, child)].one, true);
      count(nodes_[number(level - 1, child)].either, false);
    }
    std::sort(seen.begin(), seen.end());
    const auto total = static_cast<int>(below.size());
    for (const std::uint32_t item : seen) {
      const int ones = votes_one_[item], zeros = total - sure_one_[item];
      if (ones > zeros) node.one.push_back(item);
      if (ones == zeros) node.either.push_back(item);
      votes_one_[item] = sure_one_[item] = 0;
    }
  }

  void assign(int level, const Place& p, const Items& above, std::uint32_t reference) {
    const std::size_t own = number(level, p);
    Node& node = nodes_[own];
    Items value, kept;
    std::set_intersection(node.either.begin(), node.either.end(), above.begin(), above.end(),
                          std::back_inserter(kept));
    std::merge(node.one.begin(), node.one.end(), kept.begin(), kept.end(),
               std::back_inserter(value));
    symmetric_difference(value, above, node.difference);
    reference_[own] = reference;
    node.one = node.either = {};
    if (level == 0) return;
    for (const Place& child : children(level, p))
      assign(level - 1, child, value, static_cast<std::uint32_t>(own));
  }

  const CellLists& lists_;
  const Grid& grid_;
  std::vector<Place> levels_;  // blocks per axis, level 1 first
  std::vector<std::size_t> base_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> reference_;
  std::vector<int> votes_one_, sure_one_;
};

EncodedLists EncodedLists::encode(Encoding encoding, const CellLists& lists, const Grid& grid,
                                  const RegionOptions& options) {
  EncodedLists out;
  out.encoding_ = encoding;
  out.num_items_ = lists.num_items;
  out.num_cells_ = static_cast<std::size_t>(lists.num_cells());
  switch (encoding) {
    case Encoding::naive:
      out.naive_ = lists.items;
      out.first_ = lists.first;
      break;
    case Encoding::self:
      for (int cell = 0; cell < lists.num_cells(); ++cell) out.add_part(to_items(lists.at(cell)));
      break;
    case Encoding::region:
      RegionEncoder(lists, grid, options).run(out);
      break;
    case Encoding::hierarchical:
      HierarchyEncoder(lists, grid).run(out);
      break;
  }
  return out;
}

}  // namespace proven::roadmap
