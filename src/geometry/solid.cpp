#include "proven/geometry/solid.h"

namespace proven {
namespace {

int component_inside(const BodyGeometry& inner, const BodyGeometry& outer,
                     const Pose& X_OuterInner) {
  if (!outer.has_inside()) return -1;
  const auto components = inner.components();
  for (std::size_t i = 0; i < components.size(); ++i)
    if (outer.contains(X_OuterInner * components[i].point)) return static_cast<int>(i);
  return -1;
}

}  // namespace

Containment find_containment(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB) {
  Containment found;
  if (const int i = component_inside(b, a, X_AB); i >= 0)
    found = {true, false, i, X_AB * b.components()[static_cast<std::size_t>(i)].point};
  else if (const int j = component_inside(a, b, inverse(X_AB)); j >= 0)
    found = {true, true, j, a.components()[static_cast<std::size_t>(j)].point};
  return found;
}

}  // namespace proven
