// The parts of the viewer's document that describe a scene.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "proven/scene/scene.h"

namespace proven::tools {

nlohmann::ordered_json frames_json(const Scene& scene);
nlohmann::ordered_json bodies_json(const Scene& scene);
nlohmann::ordered_json meshes_json(const Scene& scene);  // one per body
nlohmann::ordered_json pairs_json(const Scene& scene);
nlohmann::ordered_json excluded_json(const Scene& scene);
// Points whose way through space is drawn: the middle of the last body of every chain.
nlohmann::ordered_json traces_json(const Scene& scene);

}  // namespace proven::tools
