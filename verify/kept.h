// Chapter 14: what frames must keep at every time, besides (docs/verifier.md#constraints).
#pragma once

#include "verify/model.h"

namespace proven::verifier {

// Throws unless the frames keep what options.constraints ask for, in every run, by motions within
// `errors` of them (empty: the runs themselves). The sentence of the theorem; empty if nothing is
// asked for.
std::string check_kept(const Model& model, const std::vector<Motion>& runs,
                       std::span<const double> errors, const VerifyOptions& options);

}  // namespace proven::verifier
