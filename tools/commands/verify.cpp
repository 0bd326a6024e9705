// proven verify: does a certificate prove what it says?
#include "proven/verify/verify.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/certify/certificate.h"
#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "tools/command.h"
#include "tools/scene_argument.h"

namespace proven::tools {
namespace {

struct VerifyArguments {
  std::string path, certificate;
  VerifyOptions options;
  PathReading reading;
};

// Hashes prove nothing, but they explain a rejection.
std::string likely_cause(const VerifyReport& report, const Scene& scene, const Path& path) {
  if (report.scene_hash.empty()) return {};
  if (report.scene_hash != scene.hash().hex()) return "it was made for another scene";
  if (report.path_hash != hash_path(path).hex()) return "it was made for another path";
  return {};
}

void print_json(const VerifyReport& report, const std::string& cause) {
  const bool read = !report.scene_hash.empty();
  nlohmann::ordered_json json = {{"accepted", report.accepted},
                                 {"kind", to_string(report.kind)},
                                 {"reason", report.reason},
                                 {"likely_cause", cause},
                                 {"theorem", report.theorem},
                                 {"segments", report.segments},
                                 {"tested_pairs", report.tested_pairs},
                                 {"excluded_pairs", report.excluded_pairs},
                                 {"leaves", report.leaves},
                                 {"wide_leaves", report.wide_leaves},
                                 {"seconds", report.seconds},
                                 {"claimed_clearance", report.claimed_clearance},
                                 {"claimed_tracking_error", report.claimed_tracking_error}};
  if (!read) json["kind"] = nullptr;
  fmt::print("{}\n", json.dump());
}

void print(const VerifyReport& report, const std::string& cause) {
  if (!report.accepted) {
    fmt::print("rejected: {}{}\n", report.reason,
               cause.empty() ? "" : fmt::format(" (by its hash, {})", cause));
    return;
  }
  fmt::print("accepted: {}\n",
             report.kind == CertificateKind::free ? "the path is free" : "the path collides");
  for (const std::string& line : report.theorem) fmt::print("  {}\n", line);
  if (!cause.empty()) fmt::print("  by its hash, {}: what is verified holds for this one\n", cause);
  fmt::print("  {} leaves ({} needed 128 bits), {:.3f} s\n", report.leaves, report.wide_leaves,
             report.seconds);
}

int run(const SceneArgument& scene_argument, VerifyArguments& arguments,
        const CommonOptions& common) {
  const auto source = load_source(scene_argument);
  if (!source.ok()) return report(source.error());
  const auto scene = build(scene_argument, source.value());
  if (!scene.ok()) return report(scene.error());
  const auto path = load_path(arguments.path, scene.value(), arguments.reading.options());
  if (!path.ok()) return report(path.error());
  const auto certificate = load_certificate(arguments.certificate);
  if (!certificate.ok()) return report(certificate.error());
  arguments.options.trust_srdf_never = scene_argument.trust_srdf_never;
  const VerifyReport result =
      verify(source.value(), path.value(), certificate.value(), arguments.options);
  const std::string cause = likely_cause(result, scene.value(), path.value());
  if (common.json)
    print_json(result, cause);
  else
    print(result, cause);
  return result.accepted ? kOk : kRejected;
}

}  // namespace

Command verify_command() {
  return {"verify", "Verify a certificate with code that shares nothing with the checker",
          "  proven check scene.json path.json --certificate path.proof\n"
          "  proven verify scene.json path.json path.proof\n",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<VerifyArguments>();
            arguments.add_required("path", chosen->path, "Path file");
            arguments.add_required("certificate", chosen->certificate,
                                   "Certificate of `free` or of `collision`");
            arguments.add("--clearance", chosen->options.clearance,
                          "Required of every pair, in metres", 0.0);
            arguments.add("--tracking-error", chosen->options.tracking_error,
                          "Prove every motion within this of the path, in radians or metres per "
                          "joint",
                          0.0);
            add_path_options(arguments, chosen->reading);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
