#include "gap.h"

#include <algorithm>

#include "proven/geometry/penetration.h"
#include "proven/geometry/solid.h"

namespace proven {

namespace {

// Of two convex bodies that may overlap: the clearance is minus the allowed depth.
Gap measure_overlap(const PairModel& pair, const BodyGeometry& a, const BodyGeometry& b,
                    const Pose& X_AB, double resolution) {
  Gap gap;
  gap.lower = signed_distance(a, b, X_AB).lower - pair.rounding_bound;
  gap.distance = gap.lower;
  if (gap.lower > pair.clearance + resolution) return gap;
  const bool too_deep = overlap_deeper_than(a, b, X_AB, -pair.clearance + pair.rounding_bound);
  gap.kind = too_deep ? Gap::Kind::contact : Gap::Kind::close;
  gap.contact_kind = ContactKind::too_close;
  gap.pieces = {0, 0};
  gap.points = {a.convexes()[0].X_BS.p, X_AB * b.convexes()[0].X_BS.p};
  return gap;
}

}  // namespace

Gap measure_gap(const PairModel& pair, const BodyGeometry& a, const BodyGeometry& b,
                const Pose& X_AB, double resolution, DistanceScratch& scratch) {
  if (pair.clearance < 0) return measure_overlap(pair, a, b, X_AB, resolution);
  const double threshold = pair.clearance + resolution + pair.rounding_bound;
  const double lower = greedy_distance(a, b, X_AB, threshold, scratch);
  if (lower > threshold) {
    Gap gap;
    gap.lower = lower - pair.rounding_bound;
    return gap;
  }
  return measure_close_gap(pair, a, b, X_AB, resolution, scratch);
}

Gap measure_close_gap(const PairModel& pair, const BodyGeometry& a, const BodyGeometry& b,
                      const Pose& X_AB, double resolution, DistanceScratch& scratch) {
  if (pair.clearance < 0) return measure_overlap(pair, a, b, X_AB, resolution);
  const ExactDistance exact = exact_distance(a, b, X_AB, {-1, -1}, scratch);
  Gap gap;
  gap.lower = std::max(0.0, exact.distance_lower - pair.rounding_bound);
  gap.distance = exact.distance;
  gap.points = exact.points;
  gap.pieces = exact.pieces;
  gap.kind = gap.lower > pair.clearance + resolution ? Gap::Kind::apart : Gap::Kind::close;
  if (exact.distance + pair.rounding_bound < pair.clearance) {
    gap.kind = Gap::Kind::contact;
    gap.contact_kind = ContactKind::too_close;
  }
  if (exact.distance == 0) {
    // Every point of either body is within rounding_bound of where it was computed.
    const Contact contact = find_contact(a, b, X_AB, 2 * pair.rounding_bound, scratch);
    if (contact.overlap != Overlap::certain) return gap;
    gap.kind = Gap::Kind::contact;
    gap.contact_kind = ContactKind::overlap;
    gap.points = {contact.point, contact.point};
    gap.pieces = contact.pieces;
  }
  return gap;
}

void settle_containment(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB, Gap& gap) {
  if (gap.kind == Gap::Kind::contact || gap.lower <= 0) return;
  const Containment inside = find_containment(a, b, X_AB);
  gap.outside = !inside.inside;
  if (gap.outside) return;
  gap.kind = Gap::Kind::contact;
  gap.contact_kind = ContactKind::containment;
  gap.pieces = {-1, -1};
  gap.points = {inside.point, inside.point};
  gap.distance = 0;
}

}  // namespace proven
