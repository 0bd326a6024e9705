// Readers of what sensors and mapping programs write, one per format, and what is made of it. All
// fail (failure.h) on bad files.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "proven/geometry/shapes.h"

namespace proven::io {

// Points in the order of their file. One that the sensor did not see has coordinates that are not
// finite.
struct PointFile {
  std::vector<Vec3> points;
  std::vector<std::string> others;  // what each point has besides x, y and z, by the file's names
  Pose viewpoint;                   // where the sensor stood, if the file says so (PCD)
};
PointFile read_pcd(const std::filesystem::path& file);
PointFile read_ply_points(const std::filesystem::path& file);
// An array of shape (n, 3) or (rows, columns, 3).
PointFile read_npy_points(const std::filesystem::path& file);
// The first of the fields that may say more of a point than how it looks; nullptr if there is none.
const std::string* field_of_meaning(const std::vector<std::string>& fields);
bool is_identity(const Pose& X);
// By the file's ending.
PointFile read_points(const std::filesystem::path& file);

// The bytes that LZF packed, exactly `size` of them; nothing if they are not.
std::optional<std::string> unpack_lzf(std::string_view packed, std::size_t size);

// An array of numbers, decoded as it is asked for.
struct Array {
  enum class Kind : std::uint8_t { boolean, natural, integer, real };
  Kind kind = Kind::real;
  std::size_t item = 8;  // bytes of a number
  bool big_endian = false, fortran_order = false;
  std::vector<std::size_t> shape;
  std::string bytes;
  std::size_t begin = 0;  // of the numbers in `bytes`

  std::size_t size() const;  // how many numbers
  // By its place in C order: the last index runs fastest.
  double operator[](std::size_t place) const;
};
Array read_npy(const std::filesystem::path& file);
// The same without its numbers, of a file of any size; or of its first bytes and its size.
Array read_npy_header(const std::filesystem::path& file);
Array read_npy_header(const std::string& place, std::string_view first_bytes, std::uint64_t size);
// An array of texts, all its bytes given.
std::vector<std::string> read_npy_texts(const std::string& place, std::string_view bytes);
// 16-bit grey: rows from the top, columns from the left.
Array read_png(const std::filesystem::path& file);
// Either, by the ending: two indices.
Array read_raster(const std::filesystem::path& file);

// A box of a file's own coordinates.
struct Region {
  Vec3 low, high;
};

// What the choice `unknown` says of space that nobody saw.
enum class Unknown : std::uint8_t { free, occupied };

// The cells of an OctoMap that are occupied, and unknown if these are taken as occupied, in the
// size of its smallest such cube. With a region those that overlap it; without one the box around
// all known cells bounds what is unknown.
VoxelSet read_octomap(const std::filesystem::path& file, Unknown unknown,
                      const std::optional<Region>& region);

// The radius at which balls cover a surface that is sampled as the cloud is: 1/√2 of the distance
// within which 95 of 100 points have another one that lies elsewhere. Balls of that radius cover a
// square grid. Nothing if there are less than two places.
std::optional<double> spacing_radius(const std::vector<Vec3>& points);

// A pinhole camera: z looks ahead, x to the right, y down; pixel centres at whole numbers.
struct Camera {
  double fx = 0, fy = 0, cx = 0, cy = 0;
};
// Distances along z, in metres, row by row from the top; not finite where nothing was seen.
struct DepthImage {
  Camera camera;
  std::size_t rows = 0, columns = 0;
  std::vector<double> depths;
};
// The points seen, row by row.
std::vector<Vec3> seen_points(const DepthImage& image);
struct Shadow {
  double size = 0;                // of cells
  double near = 0, far = 0;       // what is not seen reaches from there to there
  std::size_t most = 50'000'000;  // cells
};
// The cells, in the camera's frame, that are not wholly seen to be empty: those whose pixels hold
// one whose surface is not beyond the cell; sorted. Fails without a place if there are too many.
VoxelSet shadow_of(const DepthImage& image, const Shadow& shadow);

// What lies below a grid of heights: columns over cells of `size`, the first index along x, the
// second along y, from `floor` up. The top is a surface of triangles through the cells' corners,
// each as high as the highest column around it, so that no column sticks out.
TriangleMesh solid_below(const Array& heights, double scale, double size, double floor);

}  // namespace proven::io
