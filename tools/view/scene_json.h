// The parts of the viewer's document that describe a scene.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "proven/scene/scene.h"

namespace proven::tools {

// Rows of the rotation, then the position.
nlohmann::ordered_json pose_json(const Pose& X);
nlohmann::ordered_json frames_json(const Scene& scene);
// Its mesh is to be said by the caller.
nlohmann::ordered_json body_json(const Scene& scene, const Body& body);
nlohmann::ordered_json bodies_json(const Scene& scene);
// For drawing: grains are rounded to 16 bits of the cloud's size along each axis.
nlohmann::ordered_json mesh_json(const BodyGeometry& geometry);
nlohmann::ordered_json meshes_json(const Scene& scene);  // one per body
nlohmann::ordered_json surface_json(const TriangleMesh& mesh);
nlohmann::ordered_json pairs_json(const Scene& scene);
nlohmann::ordered_json excluded_json(const Scene& scene);
// Points whose way through space is drawn: the middle of the last body of every chain.
nlohmann::ordered_json traces_json(const Scene& scene);

}  // namespace proven::tools
