// proven verify: does a certificate prove what it says?
#include "proven/verify/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/certify/certificate.h"
#include "proven/io/certificate_file.h"
#include "proven/io/file.h"
#include "proven/io/path_file.h"
#include "proven/kinematics/interpolation.h"
#include "proven/verify/readers.h"
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
  const auto motion = scene.on_one_clock(path);
  if (!motion.ok() || report.path_hash != hash_motion(motion.value()).hex())
    return "it was made for another motion";
  return {};
}

void print_json(const VerifyReport& report, const std::string& cause) {
  const bool read = !report.scene_hash.empty();
  nlohmann::ordered_json json = {{"accepted", report.accepted},
                                 {"kind", to_string(report.kind)},
                                 {"reason", report.reason},
                                 {"likely_cause", cause},
                                 {"theorem", report.theorem},
                                 {"no_inside", report.no_inside},
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

// Two readers need two looks at a path: what comes on standard input is kept in a file meanwhile.
class PathFile {
 public:
  explicit PathFile(const std::string& name) : file_(name) {
    if (name != "-") return;
    auto text = read_file(name);
    file_ = std::filesystem::temp_directory_path() / fmt::format("proven_{}.json", ::getpid());
    written_ = text.ok() ? write_file(file_, text.value()) : Result<void>(text.error());
    is_own_ = true;
  }
  ~PathFile() {
    std::error_code ignored;
    if (is_own_) std::filesystem::remove(file_, ignored);
  }
  PathFile(const PathFile&) = delete;
  PathFile& operator=(const PathFile&) = delete;

  const Result<void>& ready() const { return written_; }
  const std::filesystem::path& name() const { return file_; }

 private:
  std::filesystem::path file_;
  Result<void> written_;
  bool is_own_ = false;
};

// What is judged is what the verifier's own readers read. The checker's serve as a second opinion:
// where the two differ, nothing is accepted.
struct Reading {
  SceneSource scene;
  Path path;
  std::string difference;  // empty if there is none
};

Error by_own_reader(const Error& error) {
  return {error.code, "the verifier's own reader: " + error.message, error.context};
}

Result<Reading> read_anew(const SceneArgument& argument, const std::filesystem::path& path_file,
                          const PathOptions& path_options, const SceneSource& scene,
                          const Path& path) {
  const auto options = options_of(argument);
  Reading reading{scene, {}, {}};
  if (!is_built_in(argument)) {
    if (!options.ok()) return options.error();
    auto own =
        verifier::read_scene(argument.scene, {options.value().packages, options.value().robot});
    if (!own.ok()) return by_own_reader(own.error());
    reading.scene = std::move(own).value();
  }
  auto own_path = verifier::read_path(
      path_file, reading.scene,
      {path_options.ignore_limits, static_cast<verifier::Between>(path_options.interpolation)});
  if (!own_path.ok()) return by_own_reader(own_path.error());
  reading.path = std::move(own_path).value();
  const auto in_scene = verifier::first_difference(reading.scene, scene);
  const auto in_path = verifier::first_difference(reading.path, path);
  if (in_scene || in_path)
    reading.difference = fmt::format("the readers of verifier and checker differ on {}: {}",
                                     in_scene ? argument.scene : path_file.string(),
                                     in_scene ? *in_scene : *in_path);
  return reading;
}

VerifyReport judge(const Reading& reading, const Certificate& certificate,
                   const VerifyOptions& options) {
  if (reading.difference.empty()) return verify(reading.scene, reading.path, certificate, options);
  VerifyReport report;
  report.reason = reading.difference;
  return report;
}

int run(const SceneArgument& scene_argument, VerifyArguments& arguments,
        const CommonOptions& common) {
  const auto source = load_source(scene_argument);
  if (!source.ok()) return report(source.error());
  const auto scene = build(scene_argument, source.value());
  if (!scene.ok()) return report(scene.error());
  const PathFile path_file(arguments.path);
  if (!path_file.ready().ok()) return report(path_file.ready().error());
  const PathOptions options = arguments.reading.options();
  const auto path = load_path(path_file.name(), scene.value(), options);
  if (!path.ok()) return report(path.error());
  // What `check` refuses is refused here too.
  for (const std::vector<double>& q : path.value().waypoints)
    if (const auto good = check_configuration(scene.value().tree(), q); !good.ok())
      return report(good.error());
  const auto certificate = load_certificate(arguments.certificate);
  if (!certificate.ok()) return report(certificate.error());
  const auto reading =
      read_anew(scene_argument, path_file.name(), options, source.value(), path.value());
  if (!reading.ok()) return report(reading.error());
  arguments.options.trust_srdf_never = scene_argument.trust_srdf_never;
  const VerifyReport result = judge(reading.value(), certificate.value(), arguments.options);
  if (scene_argument.require_solid && !result.no_inside.empty())
    return report(not_solid(scene_argument, result.no_inside));
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
            arguments.add_clearance(chosen->options.clearance);
            arguments.add_tracking_error(chosen->options.tracking_error);
            add_path_options(arguments, chosen->reading);
            add_require_solid(arguments, *scene);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
