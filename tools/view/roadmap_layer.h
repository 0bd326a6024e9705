// A dynamic roadmap in the viewer: the cells that obstacles occupy, and which arcs are left.
#pragma once

#include "proven/roadmap/roadmap.h"
#include "tools/view/document.h"

namespace proven::tools {

// After set_scene. Fails unless the roadmap was built for this scene, or for it without obstacles;
// then the cells of the obstacles are shown.
Result<void> add_roadmap(const SceneSource& source, const Scene& scene, bool trust_srdf_never,
                         const roadmap::Model& model, ViewDocument& document);

}  // namespace proven::tools
