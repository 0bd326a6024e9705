// check: is the whole continuous path free of collision?
#pragma once

#include <span>
#include <vector>

#include "proven/certify/options.h"
#include "proven/certify/session.h"
#include "proven/certify/verdict.h"
#include "proven/certify/workspace.h"
#include "proven/scene/path.h"
#include "proven/scene/scene.h"

namespace proven {

// Fails on a path without waypoints, of another size than the scene, with values that are not
// finite or beyond what the rounding bounds cover, and on options that make no sense.
Result<CheckResult> check(const Scene& scene, const Path& path, const CheckOptions& options,
                          Workspace& workspace);

// Each path on its own, on several threads; results in order, the same for any number of threads.
std::vector<Result<CheckResult>> check_all(const Scene& scene, std::span<const Path> paths,
                                           const CheckOptions& options, int threads);

// Whether the options make sense; the error says which does not.
Result<void> validate(const CheckOptions& options);

}  // namespace proven
