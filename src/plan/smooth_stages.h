// The stages of smoothing a path, which one path and many go through.
#pragma once

#include <string>

#include "plan/shortcut_path.h"
#include "proven/certify/check.h"
#include "proven/certify/prover.h"
#include "proven/plan/smooth.h"

namespace proven {

// Of options alone, and of a path with them: whether there is anything that can be smoothed.
Result<void> validate(const SmoothOptions& options);
Result<void> require_smoothable(const Scene& scene, const Path& path, const SmoothOptions& options);

// The path as it was given, and its length.
SmoothResult begin_smoothing(const Scene& scene, const Path& path, const SmoothOptions& options);

// A path as given is proved without the planners' impatience.
CheckOptions for_input(CheckOptions check);
// Why it does not keep a margin, for people.
std::string describe_closest(const Scene& scene, const CheckResult& result);

// How shortcuts are proved, which keep that margin.
CheckOptions for_shortcuts(const SmoothOptions& options, double margin);
// What became of the path.
void take_shortened(const ShortcutPath& shorter, SmoothResult& result);
// The pre-check of a path.
bool seems_free(Prover& prover, const Path& path, const Budget& budget);

// The last stage: proves what is returned, as the literal values, with its margin. A shorter path
// that is not proved is dropped for the path as given.
Result<void> end_smoothing(const CheckModel& model, const Path& path, const SmoothOptions& options,
                           const Budget& budget, SmoothResult& result);

}  // namespace proven
