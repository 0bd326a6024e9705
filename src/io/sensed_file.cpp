#include "proven/io/sensed_file.h"

#include <fmt/format.h>

#include <bit>

#include "io/failure.h"
#include "io/sensed_readers.h"
#include "io/sizes.h"
#include "io/text.h"

namespace proven {

Result<std::vector<Vec3>> load_points(const std::filesystem::path& file) {
  return io::guarded<std::vector<Vec3>>(file, [&] {
    io::PointFile read = io::read_points(file);
    if (const std::string* field = io::field_of_meaning(read.others))
      io::fail(file.string(), fmt::format("the points have a field {}, which may say more of them; "
                                          "a scene file can ignore it",
                                          io::quote(*field)));
    if (!io::is_identity(read.viewpoint))
      io::fail(file.string(),
               "it has a VIEWPOINT; a scene file can say whose coordinates it holds");
    return std::move(read.points);
  });
}

Result<void> save_points(const std::filesystem::path& file, const std::vector<Vec3>& points) {
  return io::guarded<void>(file, [&] {
    if (io::extension(file) != ".npy") io::fail(file.string(), "points are written as .npy");
    std::string header = fmt::format(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, 3), }}", points.size());
    header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\1\0", 8);
    bytes += static_cast<char>(header.size() & 255);
    bytes += static_cast<char>(header.size() >> 8);
    bytes += header;
    for (const Vec3& p : points)
      for (int i = 0; i < 3; ++i) {
        const auto bits = std::bit_cast<std::uint64_t>(p[i]);
        for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift & 255);
      }
    io::write_bytes(file, bytes);
  });
}

Result<double> radius_of_spacing(const std::vector<Vec3>& points) {
  for (const Vec3& p : points)
    if (!is_finite(p)) return bad_input("a point is not finite: its place is not known");
  for (const Vec3& p : points)
    if (!io::is_near(p)) return bad_input(io::refuse_position(p));
  const std::optional<double> radius = io::spacing_radius(points);
  if (!radius) return bad_input("one place alone has no spacing: give a radius");
  return *radius;
}

}  // namespace proven
