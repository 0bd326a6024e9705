#include "proven/io/loaded_parts.h"

#include <algorithm>
#include <system_error>

#include "proven/geometry/body_geometry.h"

namespace proven {
namespace {

using MeshPointer = std::shared_ptr<const TriangleMesh>;

bool same(const Pose& a, const Pose& b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (a.R(i, j) != b.R(i, j) || a.p[i] != b.p[i]) return false;
  return true;
}

// Whether two bodies are made of the same meshes in the same places. Other shapes are quickly
// prepared.
bool same_meshes(std::span<const CollisionElement> a, std::span<const CollisionElement> b) {
  return std::ranges::equal(a, b, [](const CollisionElement& x, const CollisionElement& y) {
    const auto *left = std::get_if<MeshPointer>(&x.shape),
               *right = std::get_if<MeshPointer>(&y.shape);
    return left && right && *left == *right && same(x.X_BS, y.X_BS);
  });
}

}  // namespace

LoadedParts::Stamp LoadedParts::stamp_of(const std::filesystem::path& file) {
  std::error_code none;
  return {std::filesystem::last_write_time(file, none), std::filesystem::file_size(file, none)};
}

MeshPointer LoadedParts::find_mesh(const Key& key, const Stamp& stamp) const {
  const auto found = meshes_.find(key);
  return found != meshes_.end() && found->second.stamp == stamp ? found->second.mesh : nullptr;
}

void LoadedParts::keep_mesh(const Key& key, const Stamp& stamp, MeshPointer mesh) {
  meshes_[key] = {stamp, std::move(mesh)};
}

void LoadedParts::give_to(SceneSource& scene) const {
  const auto give = [&](const std::vector<CollisionElement>& elements,
                        std::shared_ptr<const BodyGeometry>& geometry) {
    if (geometry || elements.empty()) return;
    const auto found = std::ranges::find_if(
        bodies_, [&](const auto& body) { return same_meshes(body->elements(), elements); });
    if (found != bodies_.end()) geometry = *found;
  };
  for (RobotSource& robot : scene.robots)
    for (RobotLink& link : robot.robot.links) give(link.collision, link.geometry);
  for (ObstacleSource& obstacle : scene.obstacles) give(obstacle.elements, obstacle.geometry);
  for (AttachedSource& held : scene.attached) give(held.elements, held.geometry);
}

void LoadedParts::keep_of(const Scene& scene) {
  bodies_.clear();
  std::vector<MeshPointer> used;
  for (const Body& body : scene.bodies())
    for (const CollisionElement& element : body.geometry->elements())
      if (const auto* mesh = std::get_if<MeshPointer>(&element.shape)) {
        if (bodies_.empty() || bodies_.back() != body.geometry) bodies_.push_back(body.geometry);
        used.push_back(*mesh);
      }
  std::erase_if(meshes_, [&](const auto& kept) {
    return std::ranges::find(used, kept.second.mesh) == used.end();
  });
}

}  // namespace proven
