#include "tools/traffic_words.h"

namespace proven::tools {

std::string_view word(UndecidedReason reason) {
  switch (reason) {
    case UndecidedReason::gap_below_resolution:
      return "gap_below_resolution";
    case UndecidedReason::depth:
      return "depth";
    case UndecidedReason::cells:
      return "cells";
    case UndecidedReason::time:
      return "time";
    case UndecidedReason::cancelled:
      return "cancelled";
    case UndecidedReason::sampled_only:
      return "sampled_only";
  }
  return "";
}

std::string_view sentence(UndecidedReason reason) {
  switch (reason) {
    case UndecidedReason::gap_below_resolution:
      return "a contact is possible, not certain";
    case UndecidedReason::depth:
      return "time was split as finely as it can be";
    case UndecidedReason::cells:
      return "the cells ran out (--max-cells)";
    case UndecidedReason::time:
      return "the time ran out (--budget)";
    case UndecidedReason::cancelled:
      return "interrupted";
    case UndecidedReason::sampled_only:
      return "no contact was found at the samples, which proves nothing";
  }
  return "";
}

}  // namespace proven::tools
