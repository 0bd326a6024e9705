// Point clouds in files, and how large their points are (docs/formats.md, Sensed bodies).
#pragma once

#include <filesystem>
#include <vector>

#include "proven/base/result.h"
#include "proven/geometry/shapes.h"

namespace proven {

// The points of a PCD, PLY or npy file as they stand there, those that the sensor did not see (not
// finite) among them. Fails on a PCD with a viewpoint, and on fields that may say more of the
// points than where they are; in a scene file one can say what these mean.
Result<std::vector<Vec3>> load_points(const std::filesystem::path& file);

// An array of numpy, of shape (n, 3); coordinates come back bit for bit.
Result<void> save_points(const std::filesystem::path& file, const std::vector<Vec3>& points);

// The radius of points for which none is given: 1/√2 of the distance within which 95 of 100 places
// have another one. Balls of that radius cover a surface that is sampled in a square grid. Fails on
// points that are not finite, and if there are less than two places.
Result<double> radius_of_spacing(const std::vector<Vec3>& points);

}  // namespace proven
