// The stages of smoothing a path, which one path and many go through.
#pragma once

#include <string>

#include "plan/shortcut_path.h"
#include "proven/certify/check.h"
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
// Whether points of the space stand for the waypoints to the bit: what is left of the path is then
// returned as it was proved.
bool stand_for(const JointSpace& space, const Path& path);

// The last stage. `literal`: every segment was proved as it is returned.
Result<void> end_smoothing(const CheckModel& model, const Path& path, const SmoothOptions& options,
                           bool literal, const Budget& budget, SmoothResult& result);

}  // namespace proven
