// Planning among occupied cells: what is left of the roadmap is searched, start and goal are joined
// to it by proved arcs.
//
// A path is proved against the occupied cells and the robot itself. Where the true obstacles are
// known, the caller proves it once more with `check`, for a certificate; an end that lies in an
// occupied cell is joined by the true scene; and arcs lost only because cells are coarse are won
// back by checking them against the true scene, when nothing else leads to the goal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "proven/certify/options.h"
#include "proven/roadmap/blockage.h"
#include "proven/roadmap/model.h"
#include "proven/roadmap/sweep.h"
#include "proven/scene/path.h"
#include "proven/scene/scene.h"

namespace proven::roadmap {

struct QueryOptions {
  // Nodes that are tried at each end, nearest first.
  int neighbours = 40;
  // How many of them are joined if one is not enough.
  int connections = 6;
  // With a true scene: how many arcs may be checked, and how often the search may be repeated, to
  // win back what only cells block; 0: never. A few dozen bound the latency among moving obstacles;
  // narrow passages take more.
  int win_back = 200;
  CheckOptions check;  // how arcs at the ends, and those won back, are proved
};

enum class QueryStatus {
  solved,
  none,           // the roadmap holds no path among these obstacles; there may be one
  start_invalid,  // in collision with itself, a fixed part or a true obstacle, or beyond limits
  goal_invalid,
};
using proven::to_string;

struct QueryResult {
  QueryStatus status = QueryStatus::none;
  std::string reason;  // one sentence for people; empty if solved
  Path path;           // solved: full configurations; a continuous joint runs on past π
  double length = 0;   // Euclidean in joint space
  int expanded = 0;    // nodes of the search
  int tried = 0;       // arcs at the ends
  int won_back = 0;    // arcs of the path that cells block and the true scene does not
  int checked = 0;     // arcs checked against the true scene
  double seconds_connect = 0, seconds_search = 0, seconds_win_back = 0;
};

class Planner {
 public:
  // The scene of the build; both must outlive it. Fails if they do not belong together.
  static Result<Planner> create(const Model& model, const Scene& scene);
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;
  ~Planner();

  // Obstacles as cells. What was learnt of the true scene is forgotten.
  void set_occupied(const CellMask& cells);
  void update(std::span<const std::uint32_t> occupied, std::span<const std::uint32_t> freed);

  const Blockage& arcs() const;
  const Blockage& nodes() const;
  const Sweeper& sweeper() const;

  // Full configurations; coordinates that are not planned must have the roadmap's values. `truth`
  // is the scene with the true obstacles, or null: then cells alone count.
  Result<QueryResult> plan(std::span<const double> start, std::span<const double> goal,
                           const Scene* truth, const QueryOptions& options);

  struct State;  // src/roadmap/planner.cpp

 private:
  explicit Planner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proven::roadmap
