#include "scene_hash.h"

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

void add_geometry(Hasher& hasher, const BodyGeometry& geometry) {
  hasher.add(static_cast<std::uint64_t>(geometry.triangles().size()));
  for (const Triangle& t : geometry.triangles()) {
    hasher.add(t.a);
    hasher.add(t.b);
    hasher.add(t.c);
  }
  hasher.add(static_cast<std::uint64_t>(geometry.convexes().size()));
  for (const Convex& convex : geometry.convexes()) {
    hasher.add(as_bits(static_cast<int>(convex.kind)));
    hasher.add(convex.X_BS);
    hasher.add(convex.half_extents);
    hasher.add(convex.radius);
    hasher.add(static_cast<std::uint64_t>(convex.points.size()));
    for (const Vec3& p : convex.points) hasher.add(p);
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
    add_geometry(hasher, *body.geometry);
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
  return hasher.finish();
}

}  // namespace proven
