// Links with more than two coordinates between them, where one turns about itself: what it sweeps
// then, any angle of that joint included, has a coordinate less between it and the other link.
#pragma once

#include <memory>

#include "model_data.h"

namespace proven {

struct SpunPair {
  std::shared_ptr<const ModelData> model;  // of a scene of its own
  int pair = -1;                           // of that model
};

// Nothing where that leaves more than two coordinates, or would take much more space than the
// links do. Where the pair that was made keeps what is required of this one, this one does,
// whatever the angles of the joints that are left out.
SpunPair spin_pair(const ModelData& model, int pair);

}  // namespace proven
