#include "tools/view/cells.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tools/view/packed.h"

namespace proven::tools {

using Json = nlohmann::ordered_json;

std::uint32_t ProofCells::place_of(const ProofLeaf::Node& node) {
  const auto [place, is_new] =
      places_.try_emplace({node.body, node.index}, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  // Which still bodies count depends on the other side; a node keeps all that ever did.
  std::vector<int>& items = nodes_[place->second].items;
  if (!is_new && node.body < 0)
    for (const int item : node.items)
      if (std::ranges::find(items, item) == items.end()) items.push_back(item);
  return place->second;
}

void ProofCells::collect(const ProofLeaf& leaf) {
  ++num_leaves_;
  cells_.push_back({leaf.segment,
                    leaf.begin,
                    leaf.end,
                    leaf.anchor,
                    place_of(leaf.a),
                    place_of(leaf.b),
                    leaf.direction,
                    leaf.plane_a,
                    leaf.plane_b,
                    leaf.required,
                    {leaf.lower_begin, leaf.lower_anchor, leaf.lower_end}});
}

double ProofCells::Cell::least() const {
  return *std::min_element(lower, lower + 3);
}

// The hardest part gives the geometry; its least bound holds for every part. (Cells of the same
// bodies have the same required clearance.)
void ProofCells::Cell::merge(const Cell& other) {
  const Cell& harder = other.least() < least() ? other : *this;
  Cell merged = harder;
  merged.segment = segment;
  merged.begin = std::min(begin, other.begin);
  merged.end = std::max(end, other.end);
  const bool same_times = begin == other.begin && end == other.end && anchor == other.anchor;
  for (int k = 0; k < 3; ++k)
    merged.lower[k] = same_times ? std::min(lower[k], other.lower[k]) : harder.least();
  merged.parts = parts + other.parts;
  *this = merged;
}

void ProofCells::reduce(std::size_t limit) {
  // First the parts of a body at the same times (width 0), then longer and longer stretches.
  // Intervals are dyadic: one that is no longer than the width lies in one stretch of that width.
  for (double width = 0; cells_.size() > limit && width <= 1;
       width = width > 0 ? 2 * width : 0x1p-12) {
    const auto key = [&](const Cell& cell) {
      const auto bodies_of = [&](std::uint32_t place) {
        const ProofLeaf::Node& node = nodes_[place];
        return std::pair(node.body, node.body < 0 ? node.index : 0);
      };
      return width > 0 ? std::tuple(bodies_of(cell.a), bodies_of(cell.b), cell.segment,
                                    std::floor(cell.begin / width), width)
                       : std::tuple(bodies_of(cell.a), bodies_of(cell.b), cell.segment, cell.begin,
                                    cell.end);
    };
    std::map<decltype(key(cells_.front())), std::size_t> kept;
    std::vector<Cell> cells;
    for (const Cell& cell : cells_) {
      if (width > 0 && cell.end - cell.begin > width) {
        cells.push_back(cell);
        continue;
      }
      const auto [place, is_new] = kept.try_emplace(key(cell), cells.size());
      if (is_new)
        cells.push_back(cell);
      else
        cells[place->second].merge(cell);
    }
    cells_ = std::move(cells);
  }
}

void ProofCells::rename_bodies(const std::vector<int>& to) {
  for (ProofLeaf::Node& node : nodes_) {
    if (node.body >= 0)
      node.body = to[static_cast<std::size_t>(node.body)];
    else  // items are still bodies
      for (int& item : node.items) item = to[static_cast<std::size_t>(item)];
  }
  places_.clear();
}

namespace {

template <class T, class Range, class Get>
std::string column(const Range& range, Get get) {
  std::vector<T> values;
  for (const auto& entry : range) {
    const auto value = get(entry);
    if constexpr (std::is_arithmetic_v<decltype(value)>)
      values.push_back(static_cast<T>(value));
    else
      for (const auto& component : value) values.push_back(static_cast<T>(component));
  }
  return packed(values);
}

}  // namespace

Json ProofCells::to_json() const {
  using C = Cell;
  Json json = {{"count", cells_.size()}, {"leaves", num_leaves_}};
  json["segment"] = column<std::uint32_t>(cells_, [](const C& c) { return c.segment; });
  json["begin"] = column<double>(cells_, [](const C& c) { return c.begin; });
  json["end"] = column<double>(cells_, [](const C& c) { return c.end; });
  json["anchor"] = column<double>(cells_, [](const C& c) { return c.anchor; });
  json["a"] = column<std::uint32_t>(cells_, [](const C& c) { return c.a; });
  json["b"] = column<std::uint32_t>(cells_, [](const C& c) { return c.b; });
  json["direction"] = column<float>(cells_, [](const C& c) {
    return std::array{c.direction.x, c.direction.y, c.direction.z};
  });
  json["planes"] = column<double>(cells_, [](const C& c) {
    return std::array{c.plane_a, c.plane_b};
  });
  json["required"] = column<double>(cells_, [](const C& c) { return c.required; });
  json["lower"] = column<float>(cells_, [](const C& c) {
    return std::array{rounded_down(c.lower[0]), rounded_down(c.lower[1]), rounded_down(c.lower[2])};
  });
  json["parts"] = column<std::uint32_t>(cells_, [](const C& c) { return c.parts; });
  std::vector<std::uint32_t> first = {0}, items;
  for (const ProofLeaf::Node& node : nodes_) {
    for (const int item : node.items) items.push_back(static_cast<std::uint32_t>(item));
    first.push_back(static_cast<std::uint32_t>(items.size()));
  }
  using N = ProofLeaf::Node;
  json["nodes"] = {{"count", nodes_.size()},
                   {"body", column<std::int32_t>(nodes_, [](const N& n) { return n.body; })},
                   {"box", column<float>(nodes_,
                                         [](const N& n) {
                                           return std::array{n.box_lo.x, n.box_lo.y, n.box_lo.z,
                                                             n.box_hi.x, n.box_hi.y, n.box_hi.z};
                                         })},
                   {"first_item", packed(first)},
                   {"items", packed(items)}};
  return json;
}

}  // namespace proven::tools
