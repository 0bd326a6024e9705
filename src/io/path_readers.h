// Readers of the path formats that are not trees of JSON or YAML, and of motion plan requests.
#pragma once

#include <filesystem>

#include "proven/io/document.h"
#include "proven/io/path_file.h"

namespace proven::io {

Path read_csv_path(const std::filesystem::path& file, const Scene& scene,
                   const PathOptions& options);
Path read_matrix_path(const std::filesystem::path& file, const Scene& scene,
                      const PathOptions& options);
// MoveIt's MotionPlanRequest with one goal of joint constraints.
Query read_request(const Node& root, const Scene& scene, const PathOptions& options);

}  // namespace proven::io
