// Shortcuts on a path until they are of little use.
#pragma once

#include "plan/shortcut_path.h"
#include "proven/plan/smooth.h"

namespace proven {

// Steps as the options say, with their seed; counts them in the result and says whether they
// converged.
void run_smoother(const SmoothOptions& options, const Budget& budget, ShortcutPath& path,
                  SmoothResult& result);

}  // namespace proven
