// Certificates of traffic: how large they are, what they cost to make and to verify.
#pragma once

#include "bench/bench.h"

namespace proven::bench {

Result<void> add_proof_rows(const Options& options, Report& report);

}  // namespace proven::bench
