// Solids: a body wholly inside another one collides with it although no surfaces touch.
#pragma once

#include "proven/geometry/body_geometry.h"

namespace proven {

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
