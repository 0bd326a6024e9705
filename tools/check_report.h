// How verdicts are printed, for people and as JSON.
#pragma once

#include <filesystem>
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

// Of the path with this index (from 0) among many: `folder`/1.proof and so on.
std::filesystem::path certificate_of_many(const std::filesystem::path& folder, std::size_t index);

}  // namespace proven::tools
