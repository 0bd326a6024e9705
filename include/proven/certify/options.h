// How to check.
#pragma once

#include <cstdint>
#include <limits>

#include "proven/base/result.h"
#include "proven/base/words.h"
#include "proven/scene/scene_source.h"

namespace proven {

enum class Checker {
  directional,  // separating directions to second order; its proofs can be written down
  classic,      // ADAPTIVE-BISECTION of Schwarzer, Saha, Latombe
  refined,      // REFINED-ADAPTIVE-BISECTION: the same per pair of bounding volumes
  fixed,        // FIXED-RES-BISECTION: samples; finds collisions, proves nothing
};

// Where an uncovered interval is split (paper 001, II-E).
enum class Cover {
  midpoint,   // configurations are shared by all pairs
  uncovered,  // the middle of the part that neither end covers
  forward,    // as far from the start as the start covers
};

struct CheckOptions {
  Checker checker = Checker::directional;
  Cover cover = Cover::midpoint;
  // Required of pairs, in metres; a pair's own or the scene's is used where it is larger.
  Clearances clearance;
  // Metres. Stops splitting time where two bodies are closer than clearance + resolution: the cell
  // becomes undecided. Nothing is ever proved or refuted by it.
  double resolution = 1e-6;
  // Find the earliest contact along the path, within the resolution, instead of just any.
  bool first = false;
  // Largest distance of neighbouring samples in joint space (Euclidean); checker `fixed` only.
  double step = 0.01;
  // How far the controller may be from the path. The verdict `free` then holds for every motion
  // within that tube.
  TrackingError tracking_error;
  // Keep the proof of `free`, for a certificate; checker `directional` only.
  bool certificate = false;
  // Sweep balls around the bodies before the search: many collisions are found sooner, and
  // CheckModel::pre_check needs it. `free` is the search's word all the same. Without effect where
  // `certificate`, `explain` or `first` is set.
  bool sweep = false;
  // Say which pairs and stretches cost most; checker `directional` only.
  bool explain = false;
  // What is not decided after so many cells is undecided: the same on every machine. Time and
  // cancelling are in the Budget of each call.
  std::int64_t max_cells = std::numeric_limits<std::int64_t>::max();
};

// Whether the options make sense; the error says which does not.
Result<void> validate(const CheckOptions& options);

}  // namespace proven
