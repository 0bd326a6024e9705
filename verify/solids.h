// Chapter 9: solids (format, section 6). Surfaces that never touch may still be nested from the
// start; this finds out whether a body lies inside a closed mesh of another.
//
// Convex pieces need no test: they are solid in the rule itself, so that a proof of separation
// excludes anything inside them.
#pragma once

#include <optional>

#include "verify/motion.h"

namespace proven::verifier {

struct MeshComponent {
  int piece = 0;  // the first of its triangles, or the convex piece
  bool closed = false, oriented = false;
};

struct Topology {
  std::vector<MeshComponent> components;  // of triangles first, then one per convex piece
  std::vector<int> component;             // of each triangle; -1: two of its corners are equal
  bool any_closed = false;
};
Topology find_topology(const Body& body);

enum class Side { inside, outside, unknown };
// Where a point, given in the body's frame, lies with respect to the closed meshes of the body.
Side locate(const Body& body, const Topology& topology, const Vector<Interval>& point);

// Answers for the bodies of a model; topologies are found when first needed.
class Solids {
 public:
  explicit Solids(const Model& model) : model_(model), topologies_(model.bodies.size()) {}

  const Topology& topology(int body);
  // The first component of `inner` that is (or cannot be told not to be) inside `outer`.
  struct Nested {
    int component = 0;
    Side side = Side::outside;
  };
  Nested find_nested(int inner, const Placement<Interval>& X_WI, int outer,
                     const Placement<Interval>& X_WO);

 private:
  const Model& model_;
  std::vector<std::optional<Topology>> topologies_;
};

// Throws Rejected unless, at the start of the path, no tested pair is nested.
void check_solids(const Model& model, const Path& path, Solids& solids);

}  // namespace proven::verifier
