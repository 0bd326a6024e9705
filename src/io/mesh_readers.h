// Readers of one mesh format each, and what they share. All fail (failure.h) on bad files.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "io/geometry_cache.h"
#include "proven/geometry/shapes.h"
#include "proven/io/loaded_parts.h"

namespace proven {
struct RobotVisuals;
struct MissingMeshes;
}  // namespace proven

namespace proven::io {

TriangleMesh read_stl(const std::filesystem::path& file);
TriangleMesh read_obj(const std::filesystem::path& file);
TriangleMesh read_ply(const std::filesystem::path& file);
TriangleMesh read_collada(const std::filesystem::path& file);

// Triangles around the first corner, whatever they cover.
void add_fan(TriangleMesh& mesh, const std::vector<std::uint32_t>& corners);
// Adds the polygon: as that fan where it covers the polygon and nothing else, else ear by ear.
// Returns what is wrong with it, of a polygon that is bent or crosses itself.
std::string add_polygon(TriangleMesh& mesh, const std::vector<std::uint32_t>& corners);

// Whether the bytes of a file ending in .stl are binary STL.
bool is_binary_stl(std::string_view bytes);

// Loads each file at each scale once.
class MeshCache {
 public:
  // Meshes that are slow to parse are taken from `kept`, if given, and left there; those of `parts`
  // are not read at all.
  explicit MeshCache(GeometryCache* kept = nullptr, LoadedParts* parts = nullptr)
      : kept_(kept), parts_(parts) {}

  std::shared_ptr<const TriangleMesh> mesh(const std::filesystem::path& file, const Vec3& scale);
  // Where readers of robots tell what these look like, in the order of the robots; null: nobody
  // asked.
  std::vector<RobotVisuals>* visuals = nullptr;
  // Packages that robots name, for what they collide with or look like.
  std::set<std::string> packages;
  // Where a robot that misses meshes says which, before it fails; null: nobody asked.
  std::vector<MissingMeshes>* missing = nullptr;
  // The hull of the file's vertices; an OBJ may hold vertices alone.
  std::shared_ptr<const ConvexHull> hull(const std::filesystem::path& file, const Vec3& scale);

 private:
  TriangleMesh read(const std::filesystem::path& file);
  TriangleMesh read_scaled(const std::filesystem::path& file, const Vec3& scale);

  using Key = LoadedParts::Key;
  static Key key(const std::filesystem::path& file, const Vec3& scale);
  GeometryCache* kept_;
  LoadedParts* parts_;
  std::map<Key, std::shared_ptr<const TriangleMesh>> meshes_;
  std::map<Key, std::shared_ptr<const ConvexHull>> hulls_;
};

}  // namespace proven::io
