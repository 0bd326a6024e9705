// Parts of a scene that may start late: every start is near that of one of finitely many runs.
#pragma once

#include <span>
#include <vector>

#include "proven/scene/scene.h"

namespace proven {

// The lateness of every part is cut into as many equal slots. In a run each part starts in the
// middle of one of its slots; wherever else in that slot it starts, its coordinates are at any time
// within `errors` of the run's.
class LateStarts {
 public:
  static constexpr int kMostRuns = 1 << 12;

  LateStarts(const Scene& scene, int slots);

  int slots() const { return slots_; }
  int num_runs() const;
  // How late each timed part is.
  std::vector<double> delays(int run) const;
  // One per coordinate of the tree; those of a ball joint are angles.
  std::vector<double> errors() const;

 private:
  const Scene& scene_;
  int slots_;
};

}  // namespace proven
