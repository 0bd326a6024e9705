// How verdicts are printed, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "proven/certify/check.h"
#include "tools/command.h"

namespace proven::tools {

// The object that `check --json` prints.
nlohmann::ordered_json to_json(const CheckResult& result, const Scene& scene, const Path& path,
                               const CheckOptions& options);
void print(const CheckResult& result, const Scene& scene, const Path& path,
           const CheckOptions& options);
ExitCode exit_code(Verdict verdict);

}  // namespace proven::tools
