// Readers in Python, which run as a process of their own.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/doors/door.h"

namespace proven::bench {

// `kind` is a word of bench/doors/readers.py, and `understand` makes a Reading of its answer. None
// where there is no Python with what the verifiers need.
std::optional<ReadFiles> python_reader(const std::string& kind,
                                       std::function<Reading(const nlohmann::json&)> understand);

}  // namespace proven::bench
