// Obstacles that come and go, by name, as cells of a grid and as what they truly are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "proven/io/obstacles_file.h"
#include "proven/roadmap/grid.h"

namespace proven::tools {

class ObstacleSet {
 public:
  struct Item {
    ObstacleSource source;  // shapes; cells are boxes
    std::shared_ptr<const BodyGeometry> geometry;
    std::vector<std::uint32_t> own;  // its cells
  };
  using Items = std::vector<std::shared_ptr<const Item>>;

  explicit ObstacleSet(const roadmap::Grid& grid) : grid_(grid), cells_(grid) {}

  // All of the change, or nothing of it and an Error.
  Result<void> apply(const ObstacleChange& change);

  // In the order in which they came; what was there before can be put back.
  const Items& items() const { return items_; }
  void put_back(Items items);

  // All of them as cells, and as what they truly are, with the geometry that was prepared when they
  // came.
  const roadmap::CellMask& cells();
  std::vector<ObstacleSource> sources() const;
  std::size_t size() const { return items_.size(); }
  // Grows with every change.
  std::int64_t revision() const { return revision_; }

 private:
  // Prepares the geometry if there is none, and finds the cells.
  Result<void> put(Item item, Items& items) const;
  Result<void> put_cells(const CellObstacle& obstacle, Items& items) const;

  const roadmap::Grid& grid_;
  Items items_;
  roadmap::CellMask cells_;
  std::int64_t revision_ = 0, cells_revision_ = 0;
};

}  // namespace proven::tools
