// proven verify: does a certificate prove what it says?
#include "proven/verify/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "proven/base/parallel.h"
#include "proven/certify/certificate.h"
#include "proven/io/certificate_file.h"
#include "proven/io/file.h"
#include "proven/io/path_file.h"
#include "proven/io/proof_archive.h"
#include "proven/io/query_file.h"
#include "proven/scene/sensed.h"
#include "tools/both_readers.h"
#include "tools/check_report.h"
#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/verify_archive.h"

namespace proven::tools {
namespace {

struct VerifyArguments {
  std::string path, certificate, constraints;
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

nlohmann::ordered_json to_json(const VerifyReport& report, const std::string& cause,
                               const Scene& scene) {
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
  json["sensed"] = nlohmann::ordered_json::object();
  for (const auto& [name, note] : sensed_bodies(scene)) json["sensed"][name] = note;
  json["ignored"] = scene.ignored();
  if (!read) json["kind"] = nullptr;
  return json;
}

std::string rejection(const VerifyReport& report, const std::string& cause) {
  return fmt::format("rejected: {}{}", report.reason,
                     cause.empty() ? "" : fmt::format(" (by its hash, {})", cause));
}

void print(const VerifyReport& report, const std::string& cause, const Scene& scene) {
  if (!report.accepted) {
    fmt::print("{}\n", rejection(report, cause));
    return;
  }
  fmt::print("accepted: {}\n",
             report.kind == CertificateKind::free ? "the path is free" : "the path collides");
  for (const std::string& line : report.theorem) fmt::print("  {}\n", line);
  for (const auto& [name, note] : sensed_bodies(scene)) fmt::print("  {} is {}\n", name, note);
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

int verify_one(const SceneArgument& scene_argument, const VerifyArguments& arguments,
               const Scenes& scenes, const CommonOptions& common) {
  const PathFile path_file(arguments.path);
  if (!path_file.ready().ok()) return report(path_file.ready().error());
  const PathOptions options = arguments.reading.options();
  const auto path = load_path(path_file.name(), scenes.scene, options);
  if (!path.ok()) return report(path.error());
  if (const auto good = check_waypoints(scenes.scene, path.value()); !good.ok())
    return report(good.error());
  const auto certificate = load_certificate(arguments.certificate);
  if (!certificate.ok()) return report(certificate.error());
  const auto own = verifier::read_path(path_file.name(), scenes.own, own_reading(options));
  if (!own.ok()) return report(by_own_reader(own.error()));
  std::string differs = scenes.difference;
  if (differs.empty()) differs = difference(own.value(), path.value(), path_file.name().string());
  const VerifyReport result =
      differs.empty() ? verify(scenes.own, own.value(), certificate.value(), arguments.options)
                      : rejected(differs);
  if (scene_argument.require_solid && !result.no_inside.empty())
    return report(not_solid(scene_argument, result.no_inside));
  const std::string cause = likely_cause(result, scenes.scene, path.value());
  if (common.json)
    fmt::print("{}\n", to_json(result, cause, scenes.scene).dump());
  else
    print(result, cause, scenes.scene);
  return result.accepted ? kOk : kRejected;
}

// One of many: what was found, or why it could not be looked at.
struct Verified {
  std::optional<Error> error;
  VerifyReport report;
  std::string cause;
};

Verified verify_line(const VerifyArguments& arguments, const Scenes& scenes,
                     const Verifier& verifier, std::size_t line, const Result<Path>& path,
                     const Result<Motion>& own) {
  const auto failed = [](const Error& error) { return Verified{error, {}, {}}; };
  if (!path.ok()) return failed(path.error());
  if (!own.ok()) return failed(by_own_reader(own.error()));
  if (const auto good = check_waypoints(scenes.scene, path.value()); !good.ok())
    return failed(good.error());
  const auto certificate = load_certificate(certificate_of_many(arguments.certificate, line));
  if (!certificate.ok()) return failed(certificate.error());
  std::string differs = scenes.difference;
  if (differs.empty())
    differs = difference(own.value(), path.value(), fmt::format("path {}", line + 1));
  Verified verified;
  verified.report =
      differs.empty() ? verifier.verify(own.value(), certificate.value()) : rejected(differs);
  verified.cause = likely_cause(verified.report, scenes.scene, path.value());
  return verified;
}

// One line of the answer; gives the exit code of this path.
int print_line(const Verified& verified, bool json, const Scene& scene) {
  if (verified.error) {
    if (json)
      fmt::print("{}\n", nlohmann::ordered_json{{"error", verified.error->text()}}.dump());
    else
      fmt::print("error: {}\n", verified.error->text());
    return kBadInput;
  }
  const VerifyReport& report = verified.report;
  if (json)
    fmt::print("{}\n", to_json(report, verified.cause, scene).dump());
  else if (!report.accepted)
    fmt::print("{}\n", rejection(report, verified.cause));
  else
    fmt::print("accepted: {}\n",
               report.kind == CertificateKind::free ? "the path is free" : "the path collides");
  return report.accepted ? kOk : kRejected;
}

// The scene is prepared once, and paths are judged side by side.
int verify_many(const SceneArgument& scene_argument, const VerifyArguments& arguments,
                const Scenes& scenes, const CommonOptions& common) {
  const PathOptions options = arguments.reading.options();
  const auto paths = load_paths(arguments.path, scenes.scene, options);
  if (!paths.ok()) return report(paths.error());
  const auto own = verifier::read_paths(arguments.path, scenes.own, own_reading(options));
  if (!own.ok()) return report(by_own_reader(own.error()));
  const std::size_t count = paths.value().size();
  if (own.value().size() != count)
    return report(bad_input("the readers of verifier and checker count its paths differently",
                            arguments.path));
  VerifyOptions one_thread = arguments.options;
  one_thread.threads = 1;
  const Verifier verifier(scenes.own, one_thread);
  std::vector<Verified> verified(count);
  parallel_for(static_cast<int>(count), common.threads, [&](int item, int) {
    const auto i = static_cast<std::size_t>(item);
    verified[i] = verify_line(arguments, scenes, verifier, i, paths.value()[i], own.value()[i]);
  });
  int code = kOk;
  for (const Verified& one : verified) {
    if (scene_argument.require_solid && !one.report.no_inside.empty())
      return report(not_solid(scene_argument, one.report.no_inside));
    const int line_code = print_line(one, common.json, scenes.scene);
    if (code != kBadInput && line_code != kOk) code = line_code;
  }
  return code;
}

// What is judged is the verifier's own reading; the checker must be able to read the file, too.
Result<void> add_constraints(const Scenes& scenes, VerifyArguments& arguments) {
  if (arguments.constraints.empty()) return {};
  const auto read = load_constraints(arguments.constraints, scenes.scene);
  if (!read.ok()) return read.error();
  auto own = verifier::read_constraints(arguments.constraints, scenes.own);
  if (!own.ok()) return by_own_reader(own.error());
  arguments.options.constraints = std::move(own).value();
  return {};
}

int run(const SceneArgument& scene_argument, VerifyArguments& arguments,
        const CommonOptions& common) {
  arguments.options.trust_srdf_never = scene_argument.trust_srdf_never;
  arguments.options.threads = common.threads;
  // Of a data set: DATA_SET ARCHIVE, or SCENE PATHS ARCHIVE.
  const bool two = arguments.certificate.empty();
  const std::string archive = two ? arguments.path : arguments.certificate;
  if (is_proof_archive(archive) && !arguments.constraints.empty())
    return report(
        bad_input("constraints are of one scene: verify its paths with their certificates",
                  arguments.constraints));
  if (is_proof_archive(archive))
    return verify_archive(two ? scene_argument.scene : arguments.path,
                          two ? std::string() : scene_argument.scene, archive, scene_argument,
                          arguments.options, arguments.reading.options(), common);
  if (two) {
    if (!std::filesystem::exists(archive))
      return report(Error{ErrorCode::not_found, "no such file", archive});
    fmt::print(stderr,
               "proven: verify needs SCENE PATH CERTIFICATE, or DATA_SET ARCHIVE, and {} is no "
               "archive of certificates (`proven verify --help`)\n",
               archive);
    return kUsage;
  }
  const auto read = read_by_both(scene_argument);
  if (!read.ok()) return report(read.error());
  const Scenes& scenes = read.value();
  if (const auto good = add_constraints(scenes, arguments); !good.ok()) return report(good.error());
  return arguments.path.ends_with(".jsonl") ? verify_many(scene_argument, arguments, scenes, common)
                                            : verify_one(scene_argument, arguments, scenes, common);
}

}  // namespace

Command verify_command() {
  return {"verify", "Verify a certificate with code that shares nothing with the checker",
          "  proven check scene.json path.json --certificate path.proof\n"
          "  proven verify scene.json path.json path.proof\n"
          "  proven verify scene.json path.json path.proof --constraints upright.json\n"
          "  proven check scene.json paths.jsonl --certificate proofs\n"
          "  proven verify scene.json paths.jsonl proofs\n"
          "  proven verify set.json audit.proofs\n",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<VerifyArguments>();
            arguments.add_required("path", chosen->path,
                                   "Path file; *.jsonl holds one path per line. Of an audited data "
                                   "set in place of SCENE: its archive of certificates");
            arguments.add("certificate", chosen->certificate,
                          "Certificate of `free` or of `collision`; of *.jsonl the folder that "
                          "holds them, as 1.proof and so on, or the archive of an audit");
            arguments.add_clearance(chosen->options.clearance);
            arguments.add_tracking_error(chosen->options.tracking_error);
            arguments.add("--constraints", chosen->constraints,
                          "Cones and boxes that frames must keep all along, as in `check`: proved "
                          "by the verifier itself");
            add_path_options(arguments, chosen->reading);
            add_require_solid(arguments, *scene);
            arguments.honour(Common::threads);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
