#include "tools/roadmap_obstacles.h"

#include <fmt/format.h>

#include <algorithm>

#include "proven/geometry/body_geometry.h"

namespace proven::tools {
namespace {

auto find(auto& items, const std::string& name) {
  return std::find_if(items.begin(), items.end(),
                      [&](const auto& item) { return item->source.name == name; });
}

Error unknown(const std::string& name) {
  return bad_input(fmt::format("there is no obstacle '{}'", name));
}

}  // namespace

Result<void> ObstacleSet::put(Item item, Items& items) const {
  const std::string place = "obstacle " + item.source.name;
  if (item.own.empty()) {
    roadmap::CellMask mask(grid_);
    if (auto marked = mark_obstacle(grid_, item.source.elements, item.source.X_WB, mask);
        !marked.ok())
      return Error{marked.error().code, marked.error().message, place};
    item.own = mask.cells();
  }
  if (!item.geometry) {
    auto built = BodyGeometry::build(item.source.elements);
    if (!built.ok()) return Error{built.error().code, built.error().text(), place};
    item.geometry = std::move(built).value();
  }
  const auto known = find(items, item.source.name);
  auto shared = std::make_shared<const Item>(std::move(item));
  if (known != items.end())
    *known = std::move(shared);
  else
    items.push_back(std::move(shared));
  return {};
}

Result<void> ObstacleSet::put_cells(const CellObstacle& obstacle, Items& items) const {
  Item item;
  item.source.name = obstacle.name;
  for (const int cell : obstacle.cells) {
    if (cell >= grid_.num_cells())
      return bad_input(
          fmt::format("there is no cell {}: cells run from 0 to {}", cell, grid_.num_cells() - 1));
    const Aabb box = grid_.box(cell);
    item.source.elements.push_back(
        {Box{0.5 * (box.hi - box.lo)}, Pose::translation(0.5 * (box.lo + box.hi)), {}});
    item.own.push_back(static_cast<std::uint32_t>(cell));
  }
  return put(std::move(item), items);
}

Result<void> ObstacleSet::apply(const ObstacleChange& change) {
  Items items = change.clear ? Items() : items_;
  for (const std::string& name : change.remove) {
    const auto gone = find(items, name);
    if (gone == items.end()) return unknown(name);
    items.erase(gone);
  }
  for (const ObstacleSource& obstacle : change.add)
    if (auto done = put({obstacle, nullptr, {}}, items); !done.ok()) return done;
  for (const CellObstacle& obstacle : change.cells)
    if (auto done = put_cells(obstacle, items); !done.ok()) return done;
  for (const auto& [name, X_WB] : change.move) {
    const auto found = find(items, name);
    if (found == items.end()) return unknown(name);
    Item moved = **found;
    moved.source.X_WB = X_WB;
    moved.own.clear();
    if (auto done = put(std::move(moved), items); !done.ok()) return done;
  }
  if (items != items_) put_back(std::move(items));
  return {};
}

void ObstacleSet::put_back(Items items) {
  items_ = std::move(items);
  ++revision_;
}

const roadmap::CellMask& ObstacleSet::cells() {
  if (cells_revision_ != revision_) {
    cells_.clear();
    for (const auto& item : items_)
      for (const std::uint32_t cell : item->own) cells_.set(static_cast<int>(cell));
    cells_revision_ = revision_;
  }
  return cells_;
}

std::vector<ObstacleSource> ObstacleSet::sources() const {
  std::vector<ObstacleSource> all;
  for (const auto& item : items_) {
    all.push_back(item->source);
    all.back().geometry = item->geometry;
  }
  return all;
}

}  // namespace proven::tools
