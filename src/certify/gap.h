// What one configuration says about one pair.
#pragma once

#include "model_data.h"
#include "proven/certify/verdict.h"
#include "proven/geometry/contact.h"
#include "proven/geometry/distance.h"

namespace proven {

struct Gap {
  enum class Kind {
    apart,    // farther than clearance + resolution
    close,    // not that far, and no contact proved
    contact,  // they surely overlap or are closer than the clearance
  };
  Kind kind = Kind::apart;
  double lower = 0;  // proved: the exact surfaces are at least this far apart
  // Neither body lies inside the other. Known only where the surfaces are surely apart; it then
  // holds for as long as they stay apart.
  bool outside = false;

  // For close and contact.
  ContactKind contact_kind = ContactKind::overlap;
  std::array<int, 2> pieces = {-1, -1};
  std::array<Vec3, 2> points;  // in A
  double distance = 0;
};

// η of a pair with X_AB computed from the scene's poses: GREEDY-DIST with the threshold clearance +
// resolution, exact distance and contact where that fails.
Gap measure_gap(const PairModel& pair, const BodyGeometry& a, const BodyGeometry& b,
                const Pose& X_AB, double resolution, DistanceScratch& scratch);

// As above where the distance is known not to be proved greater than clearance + resolution.
Gap measure_close_gap(const PairModel& pair, const BodyGeometry& a, const BodyGeometry& b,
                      const Pose& X_AB, double resolution, DistanceScratch& scratch);

// Turns a gap between surfaces that are apart into a contact if one body lies inside the other,
// else notes that they are outside of each other.
void settle_containment(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB, Gap& gap);

}  // namespace proven
