// Readers of the path formats that are not trees of JSON or YAML, and of motion plan requests.
#pragma once

#include <filesystem>

#include "io/configuration_reader.h"
#include "proven/io/document.h"
#include "proven/io/path_file.h"
#include "proven/io/query_file.h"

namespace proven::io {

// What the columns of rates end in.
inline constexpr const char *kVelocity = ".velocity", *kAcceleration = ".acceleration";
Motion read_csv_path(const std::filesystem::path& file, const Scene& scene,
                     const PathOptions& options);
// The same of a text that would be the file's.
Motion read_csv_text(const std::filesystem::path& file, std::string_view text, const Scene& scene,
                     const PathOptions& options);
Path read_matrix_path(const std::filesystem::path& file, const Scene& scene,
                      const PathOptions& options);
// MoveIt's MotionPlanRequest with one goal of joint constraints.
Query read_request(const Node& root, const Scene& scene, const PathOptions& options);
// That, or a query of our own.
PoseQuery read_query_node(const Node& root, const Scene& scene, const PathOptions& options);

ConfigurationReader reader_for(const Node& joints, const Scene& scene, const PathOptions& options);
// Values of the named joints, or the name of a configuration of the SRDF.
std::vector<double> read_configuration(const ConfigurationReader& reader, const Node& node);

// A path of JSON or YAML.
Motion read_path_node(const Node& root, const Scene& scene, const PathOptions& options);

}  // namespace proven::io
