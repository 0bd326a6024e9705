// A row of an audit: what is known of one path, as a line of JSON (docs/audit.md).
#pragma once

#include <optional>
#include <string>

#include "proven/certify/verdict.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven::audit {

// The words of a row's verdict besides those of checks.
inline constexpr const char* kError = "error";
inline constexpr const char* kSwept = "free (swept)";  // clear for the pre-check, not proved

// Between which clearances the least one of a path lies, both proved; nothing where it is not
// known.
struct ClearanceBounds {
  double at_least = 0;
  std::optional<double> at_most;
};

struct Row {
  std::int64_t index = 0;
  std::string group, name, scene;  // `scene` is its hash
  std::string error;               // why it was not judged; empty if it was
  const Scene* in = nullptr;
  const Motion* motion = nullptr;
  const CheckResult* result = nullptr;  // null: free (swept)
  bool refuted = false;                 // the pre-check found it clear, and the search a collision
  std::optional<ClearanceBounds> clearance;
  std::optional<double> depth;  // of a collision, at least
};

std::string to_line(const Row& row);

// The length in joint space: distances of waypoints, over all coordinates.
double length_of(const Motion& motion);

}  // namespace proven::audit
