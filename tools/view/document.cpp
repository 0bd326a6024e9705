#include "tools/view/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "proven/certify/check.h"
#include "proven/geometry/body_geometry.h"
#include "proven/scene/remarks.h"
#include "tools/view/colours.h"
#include "tools/view/least_clearance.h"
#include "tools/view/motion_json.h"
#include "tools/view/scene_json.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
// More cells than this are merged: a page stays small enough to be mailed.
constexpr std::size_t kMaxCells = 50000;
// Nobody waits longer for the clearances of a page.
constexpr double kClearanceSeconds = 5;

Json point_json(const Vec3& p) {
  return {p.x, p.y, p.z};
}

// One lane with an interval per phase, in two shades.
Json lanes_json(const ShownMotion& motion) {
  Json intervals = Json::array();
  const std::vector<double> knots = motion.knots.empty() ? knots_of(motion.path) : motion.knots;
  const std::size_t last = motion.path.waypoints.size() - 1;
  for (std::size_t i = 0; i < motion.phases.size(); ++i) {
    const std::size_t end = i + 1 < motion.phases.size() ? motion.phases[i + 1].first : last;
    intervals.push_back({{"begin", knots[motion.phases[i].first]},
                         {"end", knots[end]},
                         {"label", motion.phases[i].second},
                         {"colour", colours::kMotions[i % 2]}});
  }
  return Json::array({{{"name", "steps"}, {"intervals", std::move(intervals)}}});
}

Json witness_json(const Witness& w) {
  return {{"segment", w.segment},
          {"t", w.t},
          {"kind", to_string(w.kind)},
          {"text", describe(w.kind)},
          {"bodies", w.bodies},
          {"pieces", w.pieces},
          {"points", {point_json(w.points[0]), point_json(w.points[1])}},
          {"distance", w.distance}};
}

// Where something may be late, the place is one of many starts: shown is the same time of another.
Json undecided_json(const Scene& scene, const Motion& shown, const Undecided& u) {
  std::size_t segment = static_cast<std::size_t>(u.segment);
  double t = u.t;
  if (scene.may_be_late() && shown.times.size() > 1) {
    const auto next = std::upper_bound(shown.times.begin() + 1, shown.times.end() - 1, u.time);
    segment = static_cast<std::size_t>(next - shown.times.begin()) - 1;
    t = (u.time - shown.times[segment]) / (shown.times[segment + 1] - shown.times[segment]);
  }
  return {{"segment", segment},
          {"t", t},
          {"reason", to_string(u.reason)},
          {"text", describe(u.reason)},
          {"bodies", u.bodies},
          {"points", {point_json(u.points[0]), point_json(u.points[1])}},
          {"distance", u.distance}};
}

Json verification_json(const VerifyReport& report) {
  return {{"accepted", report.accepted}, {"reason", report.reason},
          {"theorem", report.theorem},   {"leaves", report.leaves},
          {"seconds", report.seconds},   {"wide_leaves", report.wide_leaves}};
}

// The verdict of a check, or of an accepted certificate.
std::string verdict_of(const ShownMotion& motion) {
  if (!motion.verdict.empty()) return motion.verdict;
  if (motion.result) return std::string(to_string(motion.result->verdict));
  if (motion.verified && motion.verified->accepted)
    return std::string(to_string(motion.verified->kind));
  return motion.verified ? "rejected" : "unchecked";
}

Json facts_json(const ShownMotion& motion) {
  Json facts = Json::array();
  const auto add = [&](std::string name, std::string value) {
    facts.push_back({std::move(name), std::move(value)});
  };
  add("waypoints", fmt::format("{}", motion.path.waypoints.size()));
  if (motion.options.tracking_error.any())
    add("tracking error",
        fmt::format("{} rad or m per joint, {} of their own", motion.options.tracking_error.general,
                    motion.options.tracking_error.joints.size()));
  if (motion.result) {
    const CheckStats& stats = motion.result->stats;
    add("checker", std::string(to_string(motion.options.checker)));
    add("configurations", fmt::format("{}", stats.configurations));
    add("box tests", fmt::format("{}", stats.box_tests));
    add("piece tests", fmt::format("{}", stats.triangle_tests));
    add("checked in", fmt::format("{:.2f} ms", 1e3 * stats.seconds));
    if (!motion.result->certificate.empty())
      add("certificate", fmt::format("{} bytes", motion.result->certificate.size()));
  }
  if (motion.verified) add("verified in", fmt::format("{:.1f} ms", 1e3 * motion.verified->seconds));
  return facts;
}

bool may_be_late(const SceneSource& source) {
  const auto late = [](const auto& part) { return part.late > 0; };
  return std::ranges::any_of(source.robots, late) || std::ranges::any_of(source.obstacles, late);
}

}  // namespace

void verify_motion(const SceneSource& source, std::span<const std::uint8_t> certificate,
                   bool trust_srdf_never, ShownMotion& motion) {
  VerifyOptions options;
  options.clearance = motion.options.clearance;
  options.tracking_error = motion.options.tracking_error;
  options.trust_srdf_never = trust_srdf_never;
  motion.verified = verify(source, motion.path, certificate, options);
  if (!motion.verified->accepted || motion.verified->kind != CertificateKind::free) return;
  // Leaves of many starts are no proof of one.
  if (may_be_late(source)) return;
  options.on_leaf = [&](const ProofLeaf& leaf) { motion.cells.collect(leaf); };
  verify(source, motion.path, certificate, options);
  motion.cells.reduce(kMaxCells);
}

Result<ShownMotion> check_motion(const SceneSource& source, const Scene& scene, Path path,
                                 const CheckOptions& options, bool trust_srdf_never,
                                 const Budget& budget) {
  ShownMotion motion;
  motion.path = std::move(path);
  motion.options = options;
  motion.options.certificate = options.checker == Checker::directional;
  Scratch scratch;
  auto result = check(scene, motion.path, motion.options, scratch, budget);
  if (!result.ok()) return result.error();
  motion.result = std::move(result).value();
  if (!motion.result->certificate.empty())
    verify_motion(source, motion.result->certificate, trust_srdf_never, motion);
  return motion;
}

void find_clearance(const Scene& scene, ShownMotion& motion, const Budget& budget) {
  if (motion.options.checker != Checker::directional || verdict_of(motion) != "free") return;
  LeastClearanceOptions options;
  options.check = motion.options;
  options.nearest = kNearestShown;
  auto found = least_clearance(scene, motion.path, options, budget.at_most(kClearanceSeconds));
  if (found.ok()) motion.least = std::move(found).value();
}

std::string size_of(const Scene& scene) {
  std::size_t pieces = 0;
  for (const Body& body : scene.bodies())
    pieces += static_cast<std::size_t>(body.geometry->num_pieces());
  int coordinates = scene.tree().num_coordinates();
  for (const TimedPart& part : scene.timed()) coordinates -= part.count;
  return fmt::format("{} bodies of {} pieces, {} joints", scene.bodies().size(), pieces,
                     coordinates);
}

ViewDocument::ViewDocument(std::string title) : title_(std::move(title)) {
  json_ = {{"proven_view", kFormat},  {"title", title_},           {"subtitle", ""},
           {"errors", Json::array()}, {"warnings", Json::array()}, {"annotations", Json::array()},
           {"motions", Json::array()}};
}

void ViewDocument::set_scene(const Scene& scene, std::string subtitle) {
  json_["subtitle"] = std::move(subtitle);
  for (const Remark& remark : find_remarks(scene)) json_["warnings"].push_back(remark.text);
  json_["hash"] = scene.hash().hex();
  json_["channels"] = Json::array();
  for (const Coordinate& c : scene.tree().coordinates()) json_["channels"].push_back(c.name);
  json_["home"] = std::vector<double>(scene.home().begin(), scene.home().end());
  json_["joints"] = joints_json(scene);
  json_["frames"] = frames_json(scene);
  json_["bodies"] = bodies_json(scene);
  json_["meshes"] = meshes_json(scene);
  json_["pairs"] = pairs_json(scene);
  json_["excluded"] = excluded_json(scene);
  json_["traces"] = traces_json(scene);
}

void ViewDocument::add_motion(const Scene& scene, const ShownMotion& motion) {
  // What was proved is the motion together with all that moves by the clock, and what is late if
  // that is how they meet.
  std::vector<double> delays;
  if (motion.result && motion.result->collision) delays = motion.result->collision->delays;
  const auto all = scene.on_one_clock(motion.path, delays);
  if (!all.ok()) json_["warnings"].push_back(all.error().text());
  const Motion& shown = all.ok() ? all.value() : motion.path;
  Json json = motion_json(scene, shown, delays);
  json["name"] = motion.name;
  if (!motion.knots.empty()) json["knots"] = motion.knots;
  if (motion.plan_clock) json["unit"] = "plan";
  if (!motion.checked_knots.empty()) {
    json["checked_knots"] = motion.checked_knots;
    const std::size_t segments = motion.checked_knots.size() - 1;
    json["curve"] = fmt::format("{} segment{}", segments, segments == 1 ? "" : "s");
  }
  if (!motion.pairs.is_null()) json["pairs"] = motion.pairs;
  if (!motion.excluded.is_null()) json["excluded"] = motion.excluded;
  json["verdict"] = verdict_of(motion);
  if (!motion.meaning.empty()) json["meaning"] = motion.meaning;
  json["clearance"] = std::max(motion.options.clearance.world, scene.clearance().world);
  json["resolution"] = motion.options.resolution;
  json["defaulted"] = motion.path.defaulted;
  if (motion.result && motion.result->collision)
    json["witness"] = witness_json(*motion.result->collision);
  if (motion.result && motion.result->undecided)
    json["undecided"] = undecided_json(scene, shown, *motion.result->undecided);
  if (motion.verified) json["verification"] = verification_json(*motion.verified);
  if (motion.cells.size() > 0) json["cells"] = motion.cells.to_json();
  if (motion.least) {
    const std::vector<double> knots = motion.knots.empty() ? knots_of(motion.path) : motion.knots;
    if (auto least = shown_clearance_json(motion.path, knots, *motion.least); !least.is_null())
      json["least_clearance"] = std::move(least);
  }
  if (!motion.phases.empty()) json["lanes"] = lanes_json(motion);
  json["facts"] = facts_json(motion);
  json_["motions"].push_back(std::move(json));
}

void ViewDocument::add_error(const Error& error) {
  json_["errors"].push_back({{"message", error.message}, {"place", error.context}});
}

}  // namespace proven::tools
