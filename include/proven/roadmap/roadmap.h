// A dynamic roadmap: a joint graph for the workspace without moving obstacles, and φ, which tells
// for every cell of the workspace which nodes and edges may touch it (Leven and Hutchinson; paper
// 004, where edges are called arcs).
//
// Promised: an edge that is not in φ of a cell does not touch that cell, by proof
// (docs/algorithms/roadmap.md). Edges are proved free of self-collision and of the fixed parts of
// the scene.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "proven/base/budget.h"
#include "proven/base/hash.h"
#include "proven/certify/batch.h"
#include "proven/kinematics/joint_graph.h"
#include "proven/roadmap/grid.h"
#include "proven/scene/scene.h"

namespace proven::roadmap {

// φ as it is stored: for every cell, the outside last, a row with the items (edges or nodes) that
// may touch it. It owns its bytes or looks at a mapped file.
struct CellTable {
  int num_items = 0;
  std::span<const std::uint64_t> first;  // where each row begins; one more than there are rows
  std::span<const std::uint8_t> bytes;
  std::vector<std::uint64_t> own_first;
  std::vector<std::uint8_t> own_bytes;

  CellTable() = default;
  CellTable(CellTable&&) = default;
  CellTable& operator=(CellTable&&) = default;

  int num_rows() const { return static_cast<int>(first.size()) - 1; }
  std::size_t size_bytes() const { return first.size_bytes() + bytes.size(); }
  std::span<const std::uint8_t> row(int cell) const {
    const auto c = static_cast<std::size_t>(cell);
    return bytes.subspan(static_cast<std::size_t>(first[c]),
                         static_cast<std::size_t>(first[c + 1] - first[c]));
  }
  // The items of a row, sorted.
  std::vector<std::uint32_t> items(int cell) const;
};

struct Model {
  Hash128 scene_hash;  // the scene that it was built for
  std::uint64_t seed = 0;
  double remainder = 0;  // as in SweepOptions
  JointGraph graph;
  Grid grid;
  CellTable edges_at, nodes_at;        // φa and φn
  std::shared_ptr<const void> memory;  // a mapped file that the tables look at; may be null
};

// One versioned file: a table of sections, each with its checksum, all aligned for mapping.
std::vector<std::uint8_t> to_bytes(const Model& model);
// Every checksum and every row is checked: a damaged byte is an Error. The tables look at `bytes`,
// which `memory` keeps.
Result<Model> from_bytes(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> memory);

// How the cells of an edge are found.
struct SweepOptions {
  // The second-order remainder that is left, as a share of a cell's side: smaller means fewer cells
  // and more time.
  double remainder = 0.2;
  // Long parts are cut to this many cells.
  double part_length = 5;
};

enum class BuildStage : std::uint8_t { samples, proofs, joins, bounds, node_cells, edge_cells };

// Blocks of work that are done. Calls come from one thread at a time.
class BuildJournal {
 public:
  virtual ~BuildJournal() = default;
  virtual std::optional<std::vector<std::uint8_t>> find(BuildStage stage, int block) = 0;
  virtual void store(BuildStage stage, int block, std::span<const std::uint8_t> bytes) = 0;
};

using BuildBlock = std::vector<std::uint8_t>;

// Does blocks of work elsewhere, as the workers of a cluster do with BlockWorker. Called by one
// thread; exceptions pass through the build.
class BuildHelpers {
 public:
  virtual ~BuildHelpers() = default;
  // Takes the next block; false once the build is cancelled: then no more are wanted.
  using Give = std::function<bool(BuildBlock block)>;
  // Gives all of `blocks`, in this order. `known` is what they rest on beside scene and options.
  virtual void do_blocks(BuildStage stage, std::span<const std::uint8_t> known,
                         std::span<const int> blocks, const Give& give) = 0;
};

struct BuildOptions {
  int nodes = 2000;
  int neighbours = 8;
  std::uint64_t seed = 1;
  // Size of a cell in metres; a planar grid has one layer over the robot's height.
  double cell = 0.05;
  bool planar = false;
  // The workspace; without it, all that the edges can reach.
  std::optional<Aabb> bounds;
  SweepOptions sweep;
  CheckOptions check;  // how self-collision is ruled out
  // What is asked first whether edges are free, and lists their cells. A GPU may prove one that the
  // search would leave undecided: then the model has one more. Cells are the same everywhere.
  BatchDevice device = BatchDevice::threads;
  // Give up on a scene where fewer than one in so many samples is free.
  int tries_per_node = 2000;
  int threads = 0;
  BuildJournal* journal = nullptr;
  // Samples, proofs and cells are theirs to do, if there are any; joins and bounds stay here.
  BuildHelpers* helpers = nullptr;
};

// Coordinates that are not planned keep the values of `rest`; no planned ones: all. The same scene
// and options give the same model, byte for byte, on any number of threads and however often the
// work was interrupted: it goes in blocks that depend on nothing but their number, and a journal
// keeps those that are done. Progress counts blocks of each stage, from any thread, one at a time.
Result<Model> build(const Scene& scene, std::span<const int> planned, std::span<const double> rest,
                    const BuildOptions& options, const Budget& budget = {});

// Blocks of a build whose rest is done elsewhere: one per thread.
class BlockWorker {
 public:
  // As for `build`; journal, helpers and threads do not count.
  static Result<BlockWorker> create(const Scene& scene, std::span<const int> planned,
                                    std::span<const double> rest, const BuildOptions& options);
  BlockWorker(BlockWorker&&) noexcept;
  BlockWorker& operator=(BlockWorker&&) noexcept;
  ~BlockWorker();

  // What the following blocks rest on, as helpers are told it. Bytes that are no such thing are an
  // Error.
  Result<void> learn(std::span<const std::uint8_t> known);
  // Fails on a block that the stage does not have.
  Result<BuildBlock> do_block(BuildStage stage, int block);

 private:
  struct State;
  explicit BlockWorker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What the journal of a build must belong to.
Hash128 hash_of(const Scene& scene, std::span<const int> planned, std::span<const double> rest,
                const BuildOptions& options);

// ε-robustness (paper 004, section 4): no obstacle of radius ε or less may cut the roadmap.
//
// Cubes of growing side are swept over the workspace. Where one leaves the roadmap in several
// components, edges are added that pass it by, each proved; cells that cannot be repaired are
// flagged and, where that can be told, sorted into the cases of the paper's figure 9.
struct RobustnessOptions {
  double epsilon = 1;   // in cells: cubes of side 1 to ⌈2ε + 1⌉
  bool enhance = true;  // false: only count
  int tries = 60;       // edges per component and cube
  CheckOptions check;
  int threads = 0;
};

enum class Pathology {
  first_joint,  // I: the range of the first joint is split
  transition,   // II: a joint cannot change sides
  joint_limit,  // III: trapped near a joint limit
  other,        // a narrow passage, or more than one of these
};
// For people; to_string (proven/base/words.h) gives the word.
std::string_view describe(Pathology pathology);

struct FlaggedCell {
  int cell = 0;
  Pathology pathology = Pathology::other;
  int components = 0;
  int cut_off = 0;  // nodes outside the largest component
};

struct RobustnessPass {
  int side = 1;  // of the cube, in cells
  int cubes = 0;
  int cutting = 0;      // cubes that cut the roadmap when this pass began
  int edges_added = 0;  // by this pass
};

struct RobustnessReport {
  int nodes = 0, edges_before = 0, edges_after = 0;
  int cells = 0;                       // with a non-empty φ
  int cutting_before = 0;              // single cells
  int cutting_after = 0;               // the same after all passes
  std::vector<RobustnessPass> passes;  // the last: single cells once more, with more effort
  std::vector<FlaggedCell> flagged;    // single cells that still cut the roadmap

  double edges_per_node() const { return nodes == 0 ? 0 : 1.0 * edges_after / nodes; }
};

struct Enhanced {
  Model model;  // with the edges that were added
  RobustnessReport report;
};

// The same on any number of threads. Fails if model and scene do not belong together.
Result<Enhanced> make_robust(const Model& model, const Scene& scene,
                             const RobustnessOptions& options, const Budget& budget = {});

}  // namespace proven::roadmap
