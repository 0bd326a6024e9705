// Solids: a body wholly inside another one collides with it although no surfaces touch.
#pragma once

#include "proven/geometry/body_geometry.h"

namespace proven {

// A component of `inner` whose point lies inside `outer`; -1: none. Of grains few are looked at.
int component_inside(const BodyGeometry& inner, const BodyGeometry& outer,
                     const Pose& X_OuterInner);
// A point of the component; grains are components of their own.
Vec3 component_point(const BodyGeometry& body, int component);

// Which component of one body lies inside the other. Sound only where the surfaces do not touch
// (then one point of a component tells for all of it).
struct Containment {
  bool inside = false;
  bool a_in_b = false;  // else b in a
  int component = -1;   // of the inner body
  Vec3 point;           // of that component, in A
};
Containment find_containment(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB);

}  // namespace proven
