// The content hash of a scene: everything that a verdict depends on.
#pragma once

#include "proven/scene/scene.h"

namespace proven {

Hash128 hash_scene(const Scene& scene);

}  // namespace proven
