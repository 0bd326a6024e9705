#include "scene_hash.h"

#include "proven/geometry/body_geometry.h"

namespace proven {
namespace {

std::uint64_t as_bits(int value) {
  return static_cast<std::uint64_t>(value);
}

void add_tree(Hasher& hasher, const KinematicTree& tree) {
  hasher.add(as_bits(tree.num_links()));
  for (const Link& link : tree.links()) {
    hasher.add(std::string_view(link.name));
    hasher.add(as_bits(link.parent));
    hasher.add(as_bits(static_cast<int>(link.joint.kind)));
    hasher.add(link.joint.X_PJ);
    hasher.add(link.joint.axis);
    hasher.add(as_bits(link.joint.coordinate));
    hasher.add(link.joint.multiplier);
    hasher.add(link.joint.offset);
  }
  hasher.add(as_bits(tree.num_coordinates()));
  for (const Coordinate& coordinate : tree.coordinates()) {
    hasher.add(std::string_view(coordinate.name));
    hasher.add(coordinate.lower);
    hasher.add(coordinate.upper);
  }
}

}  // namespace

Hash128 hash_scene(const Scene& scene) {
  Hasher hasher;
  add_tree(hasher, scene.tree());
  hasher.add(static_cast<std::uint64_t>(scene.bodies().size()));
  for (const Body& body : scene.bodies()) {
    hasher.add(std::string_view(body.name));
    hasher.add(as_bits(body.link));
    hasher.add(body.X_LB);
    hasher.add(body.geometry->hash().high);
    hasher.add(body.geometry->hash().low);
    if (body.grows > 0) hasher.add(body.grows);
  }
  for (const BodyPair& pair : scene.pairs()) {
    hasher.add(as_bits(pair.a));
    hasher.add(as_bits(pair.b));
    hasher.add(pair.clearance);
  }
  for (const ExcludedPair& pair : scene.excluded_pairs()) {
    hasher.add(as_bits(pair.a));
    hasher.add(as_bits(pair.b));
    hasher.add(as_bits(static_cast<int>(pair.reason)));
  }
  for (const double value : scene.home()) hasher.add(value);
  for (const TimedPart& part : scene.timed()) {
    hasher.add(as_bits(part.first));
    if (part.late > 0) hasher.add(part.late);
    hasher.add(std::span<const double>(part.motion->times));
    for (const auto& q : part.motion->waypoints) hasher.add(std::span<const double>(q));
    for (const auto& points : part.motion->inner)
      for (const auto& q : points) hasher.add(std::span<const double>(q));
  }
  for (const std::string& what : scene.ignored()) hasher.add(std::string_view(what));
  return hasher.finish();
}

}  // namespace proven
