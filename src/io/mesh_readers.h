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
}

namespace proven::io {

TriangleMesh read_stl(const std::filesystem::path& file);
TriangleMesh read_obj(const std::filesystem::path& file);
TriangleMesh read_ply(const std::filesystem::path& file);
TriangleMesh read_collada(const std::filesystem::path& file);

// Adds the polygon as a fan around its first corner. A fan covers every point of a planar simple
// polygon, convex or not: the signed areas of its triangles sum to one over the polygon.
void add_polygon(TriangleMesh& mesh, const std::vector<std::uint32_t>& corners);

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
