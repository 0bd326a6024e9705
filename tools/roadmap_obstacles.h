// Obstacles that come and go, from JSON: shapes, points and cells, by name.
#pragma once

#include <map>
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

  // All of them as cells, and as what they truly are.
  const roadmap::CellMask& cells();
  std::vector<ObstacleSource> sources() const;
  std::size_t size() const { return items_.size(); }

 private:
  struct Item {
    ObstacleSource source;           // shapes; points are small balls, cells are boxes
    std::vector<std::uint32_t> own;  // its cells
  };

  Result<void> put(Item item);
  Result<void> add_shape(const nlohmann::json& json, const std::string& folder);
  Result<void> add_points(const nlohmann::json& json);
  Result<void> add_cells(const nlohmann::json& json);
  Result<void> move(const nlohmann::json& json);

  const roadmap::Grid& grid_;
  std::map<std::string, Item> items_;
  roadmap::CellMask cells_;
  bool stale_ = false;
};

}  // namespace proven::tools
