#include "proven/io/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>

#include "io/failure.h"
#include "io/mesh_readers.h"
#include "io/sizes.h"
#include "io/text.h"

namespace proven {
namespace io {
namespace {

TriangleMesh read_any(const std::filesystem::path& file) {
  const std::string ending = extension(file);
  if (ending == ".stl" || ending == ".stlb") return read_stl(file);
  if (ending == ".obj") return read_obj(file);
  if (ending == ".ply") return read_ply(file);
  if (ending == ".dae") return read_collada(file);
  fail(file.string(),
       fmt::format("mesh format {} is not read; use STL, OBJ, DAE or PLY", quote(ending)),
       ErrorCode::unsupported);
}

void scale_vertices(const std::filesystem::path& file, std::vector<Vec3>& vertices,
                    const Vec3& scale) {
  const double inf = std::numeric_limits<double>::infinity();
  Vec3 lower = {inf, inf, inf}, upper = {-inf, -inf, -inf};
  for (Vec3& v : vertices) {
    bool fits = true;
    for (int i = 0; i < 3; ++i) {
      v[i] *= scale[i];
      lower[i] = std::min(lower[i], v[i]);
      upper[i] = std::max(upper[i], v[i]);
      fits &= std::fabs(v[i]) <= kLargestCoordinate;
    }
    if (!fits)
      fail(file.string(), fmt::format("too large: a vertex lies at {} {} {} (metres, scaled by {} "
                                      "{} {}); check the unit and the scale",
                                      v.x, v.y, v.z, scale.x, scale.y, scale.z));
  }
  if (max_abs(upper - lower) < kSmallestSize)
    fail(file.string(), fmt::format("too small: {} m across (scaled by {} {} {}); check the unit "
                                    "and the scale",
                                    max_abs(upper - lower), scale.x, scale.y, scale.z));
}

// What a parsed mesh depends on; nothing if it is parsed as soon as it is looked up, or not at all.
std::optional<Hash128> hash_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size < GeometryCache::kLeastMeshBytes || size > kMaxFileBytes) return std::nullopt;
  const std::string bytes = read_bytes(file);
  const std::string ending = extension(file);
  if ((ending == ".stl" || ending == ".stlb") && is_binary_stl(bytes)) return std::nullopt;
  Hasher hasher;
  hasher.add(ending);
  hasher.add(bytes);
  return hasher.finish();
}

}  // namespace

TriangleMesh MeshCache::read(const std::filesystem::path& file) {
  const std::optional<Hash128> hash =
      kept_ && kept_->keeps() ? hash_of(file) : std::optional<Hash128>();
  if (!hash) return read_any(file);
  if (std::optional<TriangleMesh> found = kept_->find_mesh(*hash)) return *std::move(found);
  TriangleMesh mesh = read_any(file);
  if (hash_of(file) == hash) kept_->store_mesh(*hash, mesh);  // else it changed meanwhile
  return mesh;
}

TriangleMesh MeshCache::read_scaled(const std::filesystem::path& file, const Vec3& scale) {
  if (const std::string refusal = refuse_scale(scale); !refusal.empty())
    fail(file.string(), refusal);
  TriangleMesh mesh = read(file);
  if (mesh.vertices.empty()) fail(file.string(), "the mesh has no vertices");
  scale_vertices(file, mesh.vertices, scale);
  const bool mirrored = (scale.x < 0) != ((scale.y < 0) != (scale.z < 0));
  if (mirrored)
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  return mesh;
}

MeshCache::Key MeshCache::key(const std::filesystem::path& file, const Vec3& scale) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(file, error);
  return {error ? file.string() : whole.string(), scale.x, scale.y, scale.z};
}

std::shared_ptr<const TriangleMesh> MeshCache::mesh(const std::filesystem::path& file,
                                                    const Vec3& scale) {
  const Key wanted = key(file, scale);
  std::shared_ptr<const TriangleMesh>& entry = meshes_[wanted];
  if (entry) return entry;
  // Before it is read: what is written meanwhile has another stamp.
  const LoadedParts::Stamp stamp = parts_ ? LoadedParts::stamp_of(file) : LoadedParts::Stamp{};
  if (parts_) entry = parts_->find_mesh(wanted, stamp);
  if (entry) return entry;
  TriangleMesh mesh = read_scaled(file, scale);
  if (mesh.triangles.empty()) fail(file.string(), "the mesh has no triangles");
  entry = std::make_shared<TriangleMesh>(std::move(mesh));
  if (parts_) parts_->keep_mesh(wanted, stamp, entry);
  return entry;
}

std::shared_ptr<const ConvexHull> MeshCache::hull(const std::filesystem::path& file,
                                                  const Vec3& scale) {
  std::shared_ptr<const ConvexHull>& entry = hulls_[key(file, scale)];
  if (!entry) entry = std::make_shared<ConvexHull>(ConvexHull{read_scaled(file, scale).vertices});
  return entry;
}

namespace {

void append_float(std::string& bytes, float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFF);
}

std::string stl_bytes(const std::filesystem::path& file, const TriangleMesh& mesh) {
  std::string bytes = "binary STL written by proven; metres";
  bytes.resize(80, ' ');
  append_float(bytes, std::bit_cast<float>(static_cast<std::uint32_t>(mesh.triangles.size())));
  for (const auto& triangle : mesh.triangles) {
    bytes.append(12, '\0');  // the normal: readers derive it from the corners
    for (const std::uint32_t index : triangle)
      for (int i = 0; i < 3; ++i) {
        const auto coordinate = static_cast<float>(mesh.vertices[index][i]);
        if (!std::isfinite(coordinate))
          fail(file.string(), "a coordinate does not fit single precision");
        append_float(bytes, coordinate);
      }
    bytes.append(2, '\0');
  }
  return bytes;
}

}  // namespace
}  // namespace io

Result<std::shared_ptr<const TriangleMesh>> load_mesh(const std::filesystem::path& file,
                                                      const Vec3& scale) {
  return io::guarded<std::shared_ptr<const TriangleMesh>>(
      file, [&] { return io::MeshCache().mesh(file, scale); });
}

Result<void> save_stl(const std::filesystem::path& file, const TriangleMesh& mesh) {
  return io::guarded<void>(file, [&] { io::write_bytes(file, io::stl_bytes(file, mesh)); });
}

Result<void> save_obj(const std::filesystem::path& file, const TriangleMesh& mesh) {
  return io::guarded<void>(file, [&] {
    fmt::memory_buffer text;
    for (const Vec3& v : mesh.vertices)
      fmt::format_to(std::back_inserter(text), "v {} {} {}\n", v.x, v.y, v.z);
    for (const auto& t : mesh.triangles)
      fmt::format_to(std::back_inserter(text), "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    io::write_bytes(file, std::string_view(text.data(), text.size()));
  });
}

}  // namespace proven
