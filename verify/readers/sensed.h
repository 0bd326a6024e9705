// Chapter 13, continued: what sensors saw, from point clouds, grids, maps and images.
#pragma once

#include <optional>

#include "proven/geometry/shapes.h"
#include "verify/readers/value.h"

namespace proven::verifier {

// The points of a file, not finite where the sensor saw nothing.
struct Points {
  std::vector<Vec3> places;
  std::vector<std::string> fields;  // besides x, y and z
  Pose sensor;                      // a PCD's viewpoint
};
Points read_pcd(const std::filesystem::path& file);
Points read_ply_points(const std::filesystem::path& file);

// Numbers in a box of up to any number of indices; the last index runs fastest.
struct Numbers {
  bool truths = false, whole = false, negative = false;  // of what kind they are
  int bytes = 0;                                         // of each
  std::vector<std::size_t> lengths;
  std::vector<double> values;
};
Numbers read_npy(const std::filesystem::path& file);
Numbers read_png(const std::filesystem::path& file);

// Balls that cover what is sampled like these places (docs/formats.md, points).
std::optional<double> radius_of_spacing(std::vector<Vec3> places);

struct Corners {
  Vec3 low, high;
};
VoxelSet read_octomap(const std::filesystem::path& file, bool unknown_is_occupied,
                      const std::optional<Corners>& region);

// A cloud, voxels, an octomap, a depth image or heights, by the key of the value.
Shape sensed_shape(const Value& said, const std::filesystem::path& folder);

}  // namespace proven::verifier
