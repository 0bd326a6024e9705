// Obstacles that come and go, by name: files of them, and streams of changes, one per line
// (docs/formats.md).
//
//   {"add": [{"name", "box" | "sphere" | ... , "pose"}], "points": [{"name", "xyz": [[x, y, z],
//   ...],
//    "radius"}], "cells": [{"name", "index": [...]}], "move": [{"name", "pose"}],
//    "remove": ["name", ...], "clear": true, "start": [...], "goal": [...]}
//
// "xyz" may stand in a frame of bytes behind the line, as in messages of `proven serve`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/scene.h"
#include "proven/scene/scene_source.h"

namespace proven {

// Whole cells of a roadmap's grid.
struct CellObstacle {
  std::string name;
  std::vector<int> cells;  // none is negative
};

// In the order in which it takes effect. What is added replaces what has the same name.
struct ObstacleChange {
  bool clear = false;
  std::vector<std::string> remove;
  std::vector<ObstacleSource> add;  // shapes, then points: these are balls of at least 1e-6 m
  std::vector<CellObstacle> cells;
  std::vector<std::pair<std::string, Pose>> move;  // to X_WB
  std::optional<std::vector<double>> start, goal;  // full configurations of the scene
};

// A file of obstacles: what "obstacles" (or "add"), "points" and "cells" hold, and nothing else.
Result<ObstacleChange> load_obstacles(const std::filesystem::path& file);

// Gives the bytes that follow a line; fewer than asked for if they do not come.
using FrameSource = std::function<std::vector<std::uint8_t>(std::size_t bytes)>;

// A line of a stream. Joint values are taken as those of a path, limits aside; meshes are sought
// from the working folder. `name` and `line` are for messages. The frame is taken once, whatever
// else is refused; a line that is no JSON takes none.
Result<ObstacleChange> parse_change(std::string_view text, const Scene& scene,
                                    const std::filesystem::path& name = "-", long line = 1,
                                    const FrameSource& frame_of = {});

}  // namespace proven
