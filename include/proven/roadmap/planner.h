// Planning among occupied cells: what is left of the roadmap is searched, start and goal are joined
// to it by proved edges.
//
// A path is proved against the occupied cells and the robot itself. Where the true obstacles are
// known, the caller proves it once more with `check`, for a certificate; an end that lies in an
// occupied cell is joined by the true scene; and edges lost only because cells are coarse are won
// back by checking them against the true scene, when nothing else leads to the goal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "proven/certify/options.h"
#include "proven/roadmap/roadmap.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven::roadmap {

struct BlockedItemsOptions {
  // How much memory unions of cubes may take. Sides whose unions do not fit are left out: updates
  // are slower then.
  std::size_t max_union_bytes = std::size_t{512} << 20;
  int threads = 0;  // that make the unions
};

// Which edges (or nodes) the occupied cells block, kept up to date as cells change.
//
// Beside the rows of cells, the unions of the rows of all cubes of side 2 and 4 (planar: squares up
// to 8) are kept in memory, wherever a cube may stand: a solid obstacle is covered by few of them.
// Cells that appear add the cubes that hold them. Where cells go, unions are made anew: of the
// regions of the grid that lost a cell, or of everything if that is most of what is occupied.
class BlockedItems {
 public:
  // Grid and table must outlive it.
  BlockedItems(const Grid& grid, const CellTable& table, const BlockedItemsOptions& options = {});
  BlockedItems(BlockedItems&&) noexcept;
  BlockedItems& operator=(BlockedItems&&) noexcept;
  ~BlockedItems();

  // Changes to the given occupancy (a cell that is already so is passed over).
  void update(std::span<const std::uint32_t> occupied, std::span<const std::uint32_t> freed);
  // The same for the occupancy as a whole: finds what changed.
  void set(const CellMask& mask);

  const CellMask& occupied() const { return mask_; }
  bool contains(std::uint32_t item) const { return bits_[item >> 6] >> (item & 63) & 1; }
  // The size of rows and unions in memory.
  std::size_t size_bytes() const;

 private:
  struct Unions;

  bool change(std::uint32_t cell, bool occupied);
  void add_cover(std::span<const std::uint64_t> occupied, std::span<const std::uint64_t> wanted,
                 std::vector<std::uint64_t>& bits);
  void join_regions();

  CellMask mask_;
  std::vector<std::uint64_t> bits_;  // one per item
  std::unique_ptr<Unions> unions_;
};

struct QueryOptions {
  // Nodes that are tried at each end, nearest first.
  int neighbours = 40;
  // How many of them are joined if one is not enough.
  int connections = 6;
  // With a true scene: how many edges may be checked, and how often the search may be repeated, to
  // win back what only cells block; 0: never. A few dozen bound the latency among moving obstacles;
  // narrow passages take more.
  int win_back = 200;
  CheckOptions check;  // how edges at the ends, and those won back, are proved
  // The path may end whole turns of continuous joints away from the goal. Else it ends at the goal
  // as it is written: one of its motions goes the long way.
  bool any_turn = false;
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
  int tried = 0;       // edges at the ends
  int won_back = 0;    // edges of the path that cells block and the true scene does not
  int checked = 0;     // edges checked against the true scene
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

  const BlockedItems& blocked_edges() const;
  const BlockedItems& blocked_nodes() const;

  // Full configurations; coordinates that are not planned must have the roadmap's values. `truth`
  // is the scene with the true obstacles, or null: then cells alone count. What is learnt of it
  // serves later calls with an equal scene and the same requirements, until the cells change.
  Result<QueryResult> plan(std::span<const double> start, std::span<const double> goal,
                           const Scene* truth, const QueryOptions& options);

  struct State;  // src/roadmap/planner.cpp

 private:
  explicit Planner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proven::roadmap
