// Chapter 9, continued: solids (format, section 6). Surfaces that never touch may still be nested
// from the start; this finds out whether a body lies inside a mesh of another.
//
// Convex pieces need no test: they are solid in the rule itself, so that a proof of separation
// excludes anything inside them.
#pragma once

#include "verify/motion.h"

namespace proven::verifier {

enum class Side { inside, outside, unknown };
// Where a point, given in the body's frame, lies with respect to the meshes of the body.
Side locate(const Body& body, const Vector<Interval>& point);

// The first component of `inner` that is (or cannot be told not to be) inside a mesh of `outer`.
struct Nested {
  int component = 0;
  Side side = Side::outside;
};
Nested find_nested(const Body& inner, const Placement<Interval>& X_WI, const Body& outer,
                   const Placement<Interval>& X_WO);

// Throws Rejected unless, at the start of the motion, no tested pair is nested.
void check_solids(const Model& model, const Motion& motion);

// Tested bodies with an open mesh: whether something lies inside them is not well defined.
std::vector<std::string> bodies_without_inside(const Model& model);

}  // namespace proven::verifier
