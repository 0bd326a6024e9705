// Motion bounds per node of the bodies' trees: how fast the pieces below two nodes can approach.
#pragma once

#include <vector>

#include "motion.h"

namespace proven {

// Over one segment. Factors of nodes are computed when first asked for.
class NodeRates {
 public:
  NodeRates(const ModelData& model, const SegmentMotion& motion);

  // Bound on dλ/dt of node_a and node_b of the pair's bodies together, over the whole segment.
  double upper(int pair, int node_a, int node_b);

 private:
  double rate_of(int body, int node, int ancestor);

  const ModelData& model_;
  std::vector<double> displacement_;
  // Per body and node: rates relative to each ancestor that was asked for; NaN: not yet known.
  struct BodyRates {
    int ancestor;
    std::vector<double> rate;
  };
  std::vector<std::vector<BodyRates>> rates_;
};

}  // namespace proven
