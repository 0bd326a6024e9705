#include "proven/scene/sensed.h"

#include <fmt/format.h>

#include "proven/geometry/body_geometry.h"

namespace proven {

std::string describe_sensed(const Shape& shape) {
  if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&shape))
    return fmt::format("{} points, radius {} m", (*cloud)->points.size(), (*cloud)->radius);
  const auto& voxels = *std::get<std::shared_ptr<const VoxelSet>>(shape);
  return fmt::format("{} cells of {} m", voxels.cells.size(), voxels.size);
}

std::vector<SensedBody> sensed_bodies(const Scene& scene) {
  std::vector<SensedBody> bodies;
  for (const Body& body : scene.bodies())
    for (const auto& [shape, X_BS, source] : body.geometry->elements())
      if (is_sensed(shape))
        bodies.push_back({body.name, source.empty() ? describe_sensed(shape) : source});
  return bodies;
}

}  // namespace proven
