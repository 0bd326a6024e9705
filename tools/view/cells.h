// The cells of a proof, as the viewer shows them: who stays apart from whom, when, along which
// direction, and by how much at least.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "proven/verify/verify.h"

namespace proven::tools {

// Collects the leaves of a proof: give `collect` to VerifyOptions::on_leaf.
class ProofCells {
 public:
  void collect(const ProofLeaf& leaf);
  // Merges neighbours in time of the same two bodies until about `limit` cells are left. A merged
  // cell covers what its parts cover; it has the numbers of the hardest part and the least bounds.
  void reduce(std::size_t limit);

  // Bodies become those of another scene that holds the same ones: body i is to[i] there.
  void rename_bodies(const std::vector<int>& to);

  std::size_t size() const { return cells_.size(); }
  std::size_t num_leaves() const { return num_leaves_; }
  nlohmann::ordered_json to_json() const;

 private:
  struct Cell {
    std::int64_t segment;
    double begin, end, anchor;
    std::uint32_t a, b;  // places in nodes_
    Vec3 direction;
    double plane_a, plane_b, required;
    double lower[3];          // at begin, anchor, end
    std::uint32_t parts = 1;  // leaves that it stands for
    double least() const;     // of the bounds
    void merge(const Cell& other);
  };
  std::uint32_t place_of(const ProofLeaf::Node& node);

  std::size_t num_leaves_ = 0;
  std::vector<Cell> cells_;
  std::vector<ProofLeaf::Node> nodes_;
  std::map<std::pair<int, int>, std::uint32_t> places_;  // of (body, index) in nodes_
};

}  // namespace proven::tools
