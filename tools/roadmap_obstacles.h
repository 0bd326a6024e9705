// Obstacles that come and go, from JSON: shapes, points and cells, by name.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "proven/roadmap/voxelise.h"

namespace proven::tools {

class ObstacleSet {
 public:
  explicit ObstacleSet(const roadmap::Grid& grid) : grid_(grid), cells_(grid) {}

  // {"obstacles" or "add": [{"name", "box" | "sphere" | "cylinder" | "capsule" | "mesh", "pose"}],
  //  "points": [{"name", "xyz": [[x, y, z], …], "radius"}], "cells": [{"name", "index": […]}],
  //  "move": [{"name", "pose"}], "remove": ["name", …], "clear": true}
  // A name that is there already is replaced. Paths of meshes are relative to `folder`.
  Result<void> apply(const nlohmann::json& change, const std::string& folder);
  Result<void> add(const ObstacleSource& obstacle);
  Result<void> load(const std::string& file);

  // All of them as cells, and as what they truly are, in the order in which they came.
  const roadmap::CellMask& cells();
  std::vector<ObstacleSource> sources() const;
  // The same as one robot without joints that move: its links keep the geometry that was prepared
  // when an obstacle came, so that a scene with other poses is soon built.
  RobotSource as_robot() const;
  std::size_t size() const { return items_.size(); }
  // Grows with every change.
  std::int64_t revision() const { return revision_; }

 private:
  struct Item {
    ObstacleSource source;  // shapes; points are small balls, cells are boxes
    std::shared_ptr<const BodyGeometry> geometry;
    std::vector<std::uint32_t> own;  // its cells
  };

  // Prepares the geometry if there is none, and finds the cells.
  Result<void> put(Item item);
  Item* find(const std::string& name);
  Result<void> add_shape(const nlohmann::json& json, const std::string& folder);
  Result<void> add_points(const nlohmann::json& json);
  Result<void> add_cells(const nlohmann::json& json);
  Result<void> move(const nlohmann::json& json);

  const roadmap::Grid& grid_;
  std::vector<Item> items_;
  roadmap::CellMask cells_;
  std::int64_t revision_ = 0, cells_revision_ = 0;
};

}  // namespace proven::tools
