// Chapter 13, continued: meshes in STL, OBJ, PLY and COLLADA files.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "proven/geometry/shapes.h"
#include "verify/readers/source.h"

namespace proven::verifier {

TriangleMesh read_stl(const std::filesystem::path& file);
TriangleMesh read_obj(const std::filesystem::path& file);
TriangleMesh read_ply(const std::filesystem::path& file);
TriangleMesh read_collada(const std::filesystem::path& file);

// A polygon becomes the fan of triangles about its first corner.
void add_fan(TriangleMesh& mesh, const std::vector<std::uint32_t>& corners);

// Every file at every scale once.
class Meshes {
 public:
  std::set<std::string> packages;  // that the robots' files name
  std::shared_ptr<const TriangleMesh> mesh(const std::filesystem::path& file, const Vec3& scale);
  std::shared_ptr<const ConvexHull> hull(const std::filesystem::path& file, const Vec3& scale);

 private:
  using Key = std::tuple<std::string, double, double, double>;
  std::shared_ptr<const TriangleMesh> scaled(const std::filesystem::path& file, const Vec3& scale);
  std::map<Key, std::shared_ptr<const TriangleMesh>> meshes_;
};

}  // namespace proven::verifier
