#include "web/answer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "proven/certify/check.h"
#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/verify/readers.h"
#include "proven/verify/verify.h"
#include "scenes/scenes.h"
#include "tools/view/distances.h"
#include "tools/view/document.h"
#include "tools/view/packed.h"

namespace proven::web {

using Json = nlohmann::ordered_json;
using tools::ShownMotion;
using tools::ViewDocument;

namespace {

struct ReadScene {
  SceneSource source;
  std::optional<SceneSource> own;  // by the verifier's readers; none of a built-in scene
  Scene scene;
  std::string difference;  // between both readings
};

struct Question {
  std::string scene, robot, path, certificate;
  std::optional<std::string> distances;  // measured at these values; then nothing is checked
  std::map<std::string, std::filesystem::path> packages;
  std::map<std::string, Vec3> moved;  // obstacles, and where they stand now
  double clearance = 0;
  int version = 0;  // of the files
};

Error no_question(const std::string& why) {
  return bad_input(why, "question");
}

Result<Vec3> read_point(const Json& json) {
  if (!json.is_array() || json.size() != 3) return no_question("a place is three numbers");
  Vec3 p;
  for (int i = 0; i < 3; ++i) {
    if (!json[static_cast<std::size_t>(i)].is_number())
      return no_question("a place is three numbers");
    p[i] = json[static_cast<std::size_t>(i)];
  }
  if (!is_finite(p)) return no_question("a place is three finite numbers");
  return p;
}

Result<void> read_member(const std::string& name, const Json& value, Question& q) {
  for (const auto& [text, into] : {std::pair{"scene", &q.scene},
                                   {"robot", &q.robot},
                                   {"path", &q.path},
                                   {"certificate", &q.certificate}})
    if (name == text) {
      if (!value.is_string()) return no_question(fmt::format("'{}' is a text", name));
      *into = value;
      return {};
    }
  if (name == "distances" && value.is_string()) {
    q.distances = value;
    return {};
  }
  if (name == "clearance" && value.is_number()) {
    q.clearance = value;
    return {};
  }
  if (name == "version" && value.is_number_integer()) {
    q.version = value;
    return {};
  }
  if (name == "packages" && value.is_object()) {
    for (const auto& [package, folder] : value.items()) {
      if (!folder.is_string()) return no_question("a package is in a folder");
      q.packages[package] = folder.get<std::string>();
    }
    return {};
  }
  if (name == "moved" && value.is_object()) {
    for (const auto& [obstacle, place] : value.items()) {
      const auto p = read_point(place);
      if (!p.ok()) return p.error();
      q.moved[obstacle] = p.value();
    }
    return {};
  }
  return no_question(fmt::format("'{}' is not known, or not of its type", name));
}

Result<Question> read_question(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return no_question("a question is an object in JSON");
  Question question;
  for (const auto& [name, value] : json.items())
    if (auto read = read_member(name, value, question); !read.ok()) return read.error();
  if (question.scene.empty()) return no_question("'scene' is missing");
  return question;
}

bool is_built_in(const std::string& scene) {
  return !std::filesystem::exists(scene) && make_scene(scene).ok();
}

Result<SceneSource> read_source(const Question& q) {
  if (is_built_in(q.scene)) return make_scene(q.scene);
  SceneOptions options;
  options.packages = q.packages;
  options.packages_may_be_unused = true;  // the page maps all folders that it was given
  options.robot = q.robot;
  return load_scene_source(q.scene, options);
}

Result<ReadScene> read_scene(const Question& q) {
  auto source = read_source(q);
  if (!source.ok()) return source.error();
  auto scene = build_scene(source.value());
  if (!scene.ok()) return Error{scene.error().code, scene.error().text(), q.scene};
  ReadScene read{std::move(source).value(), {}, std::move(scene).value(), {}};
  if (is_built_in(q.scene)) return read;
  auto own = verifier::read_scene(
      q.scene, {.packages = q.packages, .robot = q.robot, .packages_may_be_unused = true});
  if (own.ok()) {
    read.difference = verifier::first_difference(own.value(), read.source).value_or("");
    read.own = std::move(own).value();
  } else {
    read.difference = own.error().text();
  }
  return read;
}

// The file, or of a built-in scene without one the straight line of its query.
Result<Path> read_path(const Question& q, const Scene& scene) {
  if (!q.path.empty()) return load_path(q.path, scene);
  const SceneInfo* info = find_scene(q.scene);
  Path path;
  path.waypoints.assign(2, {scene.home().begin(), scene.home().end()});
  if (!info) return path;
  for (std::size_t i = 0; i < info->query.joints.size(); ++i) {
    const auto k = static_cast<std::size_t>(scene.tree().find_coordinate(info->query.joints[i]));
    path.waypoints[0][k] = info->query.start[i];
    path.waypoints[1][k] = info->query.goal[i];
  }
  return path;
}

// Where an obstacle was moved to, in the scene and in what it was made of.
Result<Scene> with_moves(const Question& q, Scene scene, SceneSource& source) {
  for (const auto& [name, place] : q.moved) {
    const auto found = std::ranges::find(source.obstacles, name, &ObstacleSource::name);
    if (found == source.obstacles.end())
      return no_question(fmt::format("there is no obstacle '{}' to move", name));
    found->X_WB.p = place;
    auto moved = scene.with_pose(name, found->X_WB);
    if (!moved.ok()) return moved;
    scene = std::move(moved).value();
  }
  return scene;
}

VerifyReport rejected(const std::string& reason) {
  VerifyReport report;
  report.reason = reason;
  return report;
}

// A certificate that came with the files: what the verifier's own readers read is what is judged.
void verify_given(const Question& q, const ReadScene& read, const SceneSource& source,
                  const Certificate& certificate, ShownMotion& motion) {
  const bool by_own = read.own && q.moved.empty();
  std::string differs = read.difference;
  if (by_own && differs.empty() && !q.path.empty()) {
    const auto path = verifier::read_path(q.path, *read.own, {});
    const auto found = path.ok() ? verifier::first_difference(path.value(), motion.path)
                                 : std::optional(path.error().text());
    if (found) differs = *found;
  }
  if (differs.empty())
    tools::verify_motion(by_own ? *read.own : source, certificate, false, motion);
  else
    motion.verified = rejected("the readers of verifier and checker differ: " + differs);
}

// Checks the path, or verifies the certificate that came with it.
Result<ShownMotion> judge(const Question& q, const ReadScene& read, const SceneSource& source,
                          const Scene& scene) {
  auto path = read_path(q, scene);
  if (!path.ok()) return path.error();
  ShownMotion motion;
  motion.options.clearance = q.clearance;
  if (!q.certificate.empty()) {
    const auto certificate = load_certificate(q.certificate);
    if (!certificate.ok()) return certificate.error();
    motion.path = path.value();
    verify_given(q, read, source, certificate.value(), motion);
    // The witness of a collision is shown from a check, which finds it again.
    if (!motion.verified->accepted || motion.verified->kind == CertificateKind::free) return motion;
  }
  return tools::check_motion(source, scene, std::move(path).value(), motion.options, false);
}

Result<std::string> answer_to(const Question& q, const ReadScene& read) {
  SceneSource source = read.source;
  const auto scene = with_moves(q, read.scene, source);
  if (!scene.ok()) return scene.error();
  if (q.distances) return tools::answer_distances(scene.value(), *q.distances);
  Json answer = Json::object();
  ViewDocument document(std::filesystem::path(q.scene).filename().string());
  document.set_scene(scene.value(), tools::size_of(scene.value()));
  if (!q.path.empty() || find_scene(q.scene)) {
    const auto motion = judge(q, read, source, scene.value());
    if (!motion.ok()) return motion.error();
    document.add_motion(scene.value(), motion.value());
    if (motion.value().result) {
      const Certificate& made = motion.value().result->certificate;
      answer["certificate"] =
          tools::base64({reinterpret_cast<const char*>(made.data()), made.size()});
    }
  }
  answer["document"] = std::move(document.json());
  return answer.dump();
}

}  // namespace

struct Answers::Kept {
  Json asked;  // which scene, and how it is read
  std::optional<ReadScene> scene;

  Result<std::string> to(const std::string& text) {
    const auto question = read_question(text);
    if (!question.ok()) return question.error();
    const Question& q = question.value();
    Json now = {q.scene, q.robot, Json::object(), q.version};
    for (const auto& [name, folder] : q.packages) now[2][name] = folder.string();
    if (!scene || asked != now) {
      scene.reset();
      auto read = read_scene(q);
      if (!read.ok()) return read.error();
      scene.emplace(std::move(read).value());
      asked = std::move(now);
    }
    return answer_to(q, *scene);
  }
};

Answers::Answers() : kept_(std::make_unique<Kept>()) {}
Answers::~Answers() = default;

std::string Answers::to(const std::string& question) {
  auto answer = kept_->to(question);
  if (answer.ok()) return std::move(answer).value();
  const Error& error = answer.error();
  return Json{{"error", {{"message", error.message}, {"place", error.context}}}}.dump();
}

}  // namespace proven::web
