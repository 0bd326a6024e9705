// Our COLLADA reader against assimp's, on real files.
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>

#include "io_support.h"
#include "proven/io/mesh_file.h"

namespace proven::test {
namespace {

using Corners = std::array<Vec3, 3>;

void collect(const aiScene& scene, const aiNode& node, const aiMatrix4x4& X_parent,
             std::vector<Corners>& triangles) {
  const aiMatrix4x4 X = X_parent * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      if (mesh.mFaces[f].mNumIndices != 3) continue;
      Corners corners;
      for (unsigned i = 0; i < 3; ++i) {
        const aiVector3D v = X * mesh.mVertices[mesh.mFaces[f].mIndices[i]];
        corners[i] = {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
      }
      triangles.push_back(corners);
    }
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) collect(scene, *node.mChildren[i], X, triangles);
}

std::vector<Corners> read_with_assimp(const std::filesystem::path& file) {
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFile(file.string(), aiProcess_Triangulate);
  std::vector<Corners> triangles;
  if (scene) collect(*scene, *scene->mRootNode, aiMatrix4x4(), triangles);
  return triangles;
}

// Whether the corners are the same in some order that keeps the orientation.
bool same(const Corners& a, const Corners& b) {
  constexpr double kSinglePrecision = 1e-5;  // assimp computes in floats, on parts of some metres
  for (std::size_t shift = 0; shift < 3; ++shift) {
    double difference = 0;
    for (std::size_t i = 0; i < 3; ++i)
      difference = std::max(difference, max_abs(a[i] - b[(i + shift) % 3]));
    if (difference < kSinglePrecision) return true;
  }
  return false;
}

TEST(Collada, AgreesWithAssimp) {
  PROVEN_REQUIRE_DATA("robots");
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(data_dir() / "robots/abb_irb2400")) {
    if (entry.path().extension() != ".dae") continue;
    ++files;
    const auto mesh = must(load_mesh(entry.path()));
    std::vector<Corners> expected = read_with_assimp(entry.path());
    ASSERT_EQ(mesh->triangles.size(), expected.size()) << entry.path();
    for (const auto& [a, b, c] : mesh->triangles) {
      const Corners corners = {mesh->vertices[a], mesh->vertices[b], mesh->vertices[c]};
      const auto match = std::find_if(expected.begin(), expected.end(),
                                      [&](const Corners& other) { return same(corners, other); });
      ASSERT_NE(match, expected.end()) << entry.path();
      *match = expected.back();
      expected.pop_back();
    }
  }
  EXPECT_EQ(files, 16);
}

}  // namespace
}  // namespace proven::test
