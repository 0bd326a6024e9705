// The certificate of a path that planners or smoothers have proved.
#pragma once

#include "proven/plan/plan.h"

namespace proven {

// Proofs are not kept while planning: for each motion that ends in the path, many are tried. The
// path is proved once more instead, at least as finely and without the budgets of single motions.
// Empty unless the options ask for one, or if that was cancelled.
Result<Certificate> certificate_of(const Scene& scene, const Path& path, CheckOptions options);

// What sessions work with meanwhile.
CheckOptions without_certificate(CheckOptions options);

}  // namespace proven
