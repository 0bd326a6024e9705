// Pairs of bodies that were last found in contact.
#pragma once

#include <array>
#include <vector>

#include "proven/scene/scene.h"

namespace proven {

// Puts the pair of two bodies in contact first in a short list of pairs, each of which stands there
// once.
void remember_contact(const Scene& scene, const std::array<int, 2>& bodies,
                      std::vector<int>& recent);

}  // namespace proven
