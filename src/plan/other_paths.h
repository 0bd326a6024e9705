// Other paths than the one at hand, for one that is shorter (docs/algorithms/planning.md).
#pragma once

#include "plan/shortcut_path.h"
#include "proven/plan/smooth.h"

namespace proven {

struct OtherPathsContext {
  const Query& query;
  const SmoothOptions& options;
  const JointSpace& space;
  Prover& prover;
  const Budget& budget;
};

// Shortens `best` for as many rounds as the options say; counts them in the result.
void try_other_paths(const OtherPathsContext& context, ShortcutPath& best, SmoothResult& result);

}  // namespace proven
