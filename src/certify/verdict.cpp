#include "proven/certify/verdict.h"

namespace proven {

std::string_view describe(ContactKind kind) {
  switch (kind) {
    case ContactKind::overlap:
      return "overlap";
    case ContactKind::containment:
      return "containment";
    case ContactKind::too_close:
      return "closer than the required clearance";
  }
  return "";
}

std::string_view describe(UndecidedReason reason) {
  switch (reason) {
    case UndecidedReason::gap_below_resolution:
      return "the gap is below clearance + resolution";
    case UndecidedReason::tube:
      return "the tracking error may use up the gap; the path itself is not shown to collide";
    case UndecidedReason::touching:
      return "surfaces touch, or all but touch, over a stretch of the path";
    case UndecidedReason::depth:
      return "bisection reached its last level";
    case UndecidedReason::cells:
      return "the budget of cells ran out";
    case UndecidedReason::time:
      return "the budget of time ran out";
    case UndecidedReason::cancelled:
      return "cancelled";
    case UndecidedReason::sampled_only:
      return "no collision found at this step; sampling proves nothing";
  }
  return "";
}

CheckStats& CheckStats::operator+=(const CheckStats& other) {
  box_tests += other.box_tests;
  triangle_tests += other.triangle_tests;
  configurations += other.configurations;
  cells += other.cells;
  seconds += other.seconds;
  return *this;
}

}  // namespace proven
