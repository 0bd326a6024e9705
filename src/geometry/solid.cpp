#include "proven/geometry/solid.h"

#include "grain_search.h"

namespace proven {

int component_inside(const BodyGeometry& inner, const BodyGeometry& outer,
                     const Pose& X_OuterInner) {
  if (!outer.has_inside()) return -1;
  const auto holds = [&](const Vec3& point) { return outer.contains(X_OuterInner * point); };
  if (!inner.grains().empty()) {
    const auto centres = inner.grains().centres();
    const Aabb around = box_of(Aabb{outer.bounds()[0], outer.bounds()[1]}, inverse(X_OuterInner));
    return find_grain(inner.box_tree(), around,
                      [&](int i) { return holds(centres[static_cast<std::size_t>(i)]); });
  }
  const auto components = inner.components();
  for (std::size_t i = 0; i < components.size(); ++i)
    if (holds(components[i].point)) return static_cast<int>(i);
  return -1;
}

Vec3 component_point(const BodyGeometry& body, int component) {
  const auto i = static_cast<std::size_t>(component);
  return body.grains().empty() ? body.components()[i].point : body.grains().centres()[i];
}

Containment find_containment(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB) {
  Containment found;
  if (const int i = component_inside(b, a, X_AB); i >= 0)
    found = {true, false, i, X_AB * component_point(b, i)};
  else if (const int j = component_inside(a, b, inverse(X_AB)); j >= 0)
    found = {true, true, j, component_point(a, j)};
  return found;
}

}  // namespace proven
