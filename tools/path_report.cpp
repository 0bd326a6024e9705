#include "tools/path_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "proven/certify/batch.h"
#include "proven/plan/smooth.h"
#include "tools/command.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

// Of the straight motion between the ends; none if they are the same.
std::optional<double> length_ratio(const Scene& scene, const Path& path) {
  if (path.waypoints.empty()) return std::nullopt;
  Path straight;
  straight.waypoints = {path.waypoints.front(), path.waypoints.back()};
  const double length = path_length(scene, straight);
  if (length > 0) return path_length(scene, path) / length;
  return std::nullopt;
}

}  // namespace

nlohmann::ordered_json path_json(const Scene& scene, const PathReport& report) {
  Json json = {{"num_waypoints", report.path.waypoints.size()}, {"length_ratio", nullptr}};
  if (const auto ratio = length_ratio(scene, report.path)) json["length_ratio"] = *ratio;
  json["margin"] = {{"asked", report.margin_asked},
                    {"kept", report.margin_kept},
                    {"reason", report.margin_reason}};
  json["proved_clearance"] = nullptr;
  if (report.proved) {
    const Clearances kept = with_margin(report.required, report.margin_kept).clearance;
    json["proved_clearance"] = {{"world", kept.world},
                                {"robots", kept.robots},
                                {"self", kept.self},
                                {"attached", kept.attached}};
  }
  return json;
}

void print_path(const Scene& scene, const PathReport& report) {
  const Clearances kept = with_margin(report.required, report.margin_kept).clearance;
  if (const auto ratio = length_ratio(scene, report.path))
    fmt::print("  {:.3f} times as long as the straight motion\n", *ratio);
  const auto millimetres = [](double metres) { return fmt::format("{:.4g} mm", 1e3 * metres); };
  if (kept.world > 0 || kept.robots > 0)
    fmt::print("  {}at least {} from the world{}\n", report.proved ? "proved " : "at samples ",
               millimetres(kept.world),
               kept.robots == kept.world
                   ? " and other robots"
                   : fmt::format(", {} from other robots", millimetres(kept.robots)));
  if (report.margin_kept < report.margin_asked)
    fmt::print("  margin: {} of {}; {}\n", millimetres(report.margin_kept),
               millimetres(report.margin_asked), report.margin_reason);
}

std::string file_of_line(const std::string& folder, std::size_t line, const char* ending) {
  if (folder.empty()) return "";
  return (std::filesystem::path(folder) / (std::to_string(line + 1) + ending)).string();
}

Result<void> make_folders(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code failed;
    if (!folder.empty()) std::filesystem::create_directories(folder, failed);
    if (failed)
      return Error{ErrorCode::bad_input, "cannot make this folder: " + failed.message(), folder};
  }
  return {};
}

int print_line_error(const Error& error, bool json) {
  if (json)
    fmt::print("{}\n", Json{{"error", error.text()}}.dump());
  else
    fmt::print("error: {}\n", error.text());
  return error.code == ErrorCode::exhausted ? kUndecided : kBadInput;
}

void remove_files(const std::vector<std::string>& files) {
  std::error_code ignored;
  for (const std::string& file : files)
    if (!file.empty()) std::filesystem::remove(file, ignored);
}

std::size_t lines_at_a_time(const std::string& device) {
  return device == to_string(BatchDevice::threads) ? 256 : 65'536;
}

void keep_stdout_for(const std::string& output) {
  if (output == "-") stdout = stderr;  // the path is written to the descriptor itself
}

}  // namespace proven::tools
