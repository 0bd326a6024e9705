// What a proof about two links for all values of their joints is about.
#pragma once

#include <string_view>

#include "proven/scene/scene.h"

namespace proven {

// The reason in an SRDF goes on with the hash, in hexadecimal digits.
inline constexpr std::string_view kProvedFor = "Never, proved for ";

// Of both bodies, and of the joints between them with their limits: whatever moves them against
// each other. Names and all other links are not in it.
Hash128 hash_pair_model(const Scene& scene, int body_a, int body_b);

}  // namespace proven
