// How timed motions are told of, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "proven/plan/timing.h"

namespace proven::tools {

nlohmann::ordered_json timing_json(const TimingResult& timed);
void print_timing(const TimingResult& timed);
// Joints whose limits of rates no file says.
nlohmann::ordered_json assumed_json(const AssumedRates& assumed);
void print_assumed(const AssumedRates& assumed);

}  // namespace proven::tools
