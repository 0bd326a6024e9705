// Pairs of bodies that were last found in contact.
#pragma once

#include <vector>

#include "proven/certify/verdict.h"
#include "proven/scene/scene.h"

namespace proven {

// Puts the pair of a contact first in a short list of pairs, each of which stands there once.
void remember_contact(const Scene& scene, const Witness& contact, std::vector<int>& recent);

}  // namespace proven
