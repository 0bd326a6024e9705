// Trees of boxes of which most stand in another tree.
#pragma once

#include <span>

#include "proven/geometry/box_tree.h"

namespace proven {

// The shape that the format gives to the boxes, found faster. `before` is a tree of the format, and
// known[i] the item of it whose box is boxes[i], or -1; known items stand in the same order there.
BoxTreeShape choose_shape(std::span<const Aabb> boxes, const BoxTree& before,
                          std::span<const int> known);

}  // namespace proven
