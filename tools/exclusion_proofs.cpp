#include "tools/exclusion_proofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/base/words.h"
#include "proven/certify/never_meet.h"
#include "proven/geometry/distance.h"
#include "proven/geometry/solid.h"
#include "proven/io/file.h"
#include "proven/io/scene_writer.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"
#include "proven/scene/pair_model.h"
#include "tools/terminal.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kWrittenBy = "Written by proven doctor";
// What MoveIt's assistant calls a pair that meets at home; one that meets everywhere is such a one.
constexpr const char *kAdjacent = "Adjacent", *kAlways = "Default";

// A pair that is tested so far.
struct Candidate {
  BodyPair pair;
  bool seen_apart = false, seen_meeting = false;  // at samples
  PairFinding finding;

  bool always() const { return seen_meeting && !seen_apart; }
  bool never() const { return finding.fate == PairFate::never; }
  bool meets() const { return seen_meeting || finding.fate == PairFate::meets; }
};

bool overlap(const Scene& scene, const LinkPoses& poses, const BodyPair& pair,
             DistanceScratch& scratch) {
  const Pose X_AB = relative_pose(scene.body_pose(pair.a, poses), scene.body_pose(pair.b, poses));
  const BodyGeometry &a = *scene.body(pair.a).geometry, &b = *scene.body(pair.b).geometry;
  return bodies_overlap(a, b, X_AB, scratch) || find_containment(a, b, X_AB).inside;
}

// Home and random configurations; a pair that was seen both ways is known.
void sample(const Scene& scene, std::int64_t samples, std::uint64_t seed,
            std::vector<Candidate>& candidates, const Budget& budget) {
  Random random(seed);
  LinkPoses poses;
  DistanceScratch scratch;
  std::vector<double> q(scene.home().begin(), scene.home().end());
  for (std::int64_t i = 0; i <= samples && !budget.stopped(); ++i) {
    budget.report("samples", i, samples);
    compute_poses(scene.tree(), q, poses);
    for (Candidate& c : candidates)
      if (!c.seen_apart || !c.seen_meeting)
        (overlap(scene, poses, c.pair, scratch) ? c.seen_meeting : c.seen_apart) = true;
    q = random_configuration(scene.tree(), random);
  }
}

void prove(const Scene& scene, const ExclusionOptions& options, int threads,
           std::vector<Candidate>& candidates, const Budget& budget) {
  std::vector<Candidate*> open;
  for (Candidate& c : candidates)
    if (!c.seen_meeting) open.push_back(&c);
  parallel_for(static_cast<int>(open.size()), threads, [&](int item, int thread) {
    Candidate& c = *open[static_cast<std::size_t>(item)];
    if (thread == 0) budget.report("proofs", item, static_cast<std::int64_t>(open.size()));
    c.finding = prove_never_meet(scene, c.pair, options.max_boxes, budget);
  });
}

// What links are called in the robot's own files.
class LinkNames {
 public:
  LinkNames(const Scene& scene, const std::string& robot) : scene_(scene), prefix_(robot + "/") {}
  std::string of(int body) const { return scene_.body(body).name.substr(prefix_.size()); }
  bool is_link(int body) const {
    return scene_.body(body).name == scene_.tree().link(scene_.body(body).link).name;
  }

 private:
  const Scene& scene_;
  std::string prefix_;
};

// What an SRDF said of these reasons is found out anew; what a person decided stands.
bool is_found_out(const DisabledPair& pair) {
  return pair.reason.starts_with("Never") || pair.reason == "Always" || pair.reason == kAdjacent;
}

std::vector<DisabledPair> list_pairs(const Scene& scene, const LinkNames& names,
                                     const std::vector<Candidate>& candidates,
                                     std::vector<DisabledPair> kept) {
  std::vector<DisabledPair> pairs;
  for (const ExcludedPair& pair : scene.excluded_pairs())
    if (names.is_link(pair.a) && names.is_link(pair.b) &&
        (pair.reason == ExclusionReason::rigid || pair.reason == ExclusionReason::adjacent))
      pairs.push_back({names.of(pair.a), names.of(pair.b), kAdjacent});
  for (const Candidate& c : candidates)
    if (c.always()) pairs.push_back({names.of(c.pair.a), names.of(c.pair.b), kAlways});
  for (const Candidate& c : candidates)
    if (c.never())
      pairs.push_back({names.of(c.pair.a), names.of(c.pair.b),
                       std::string(kProvedFor) + hash_pair_model(scene, c.pair.a, c.pair.b).hex()});
  pairs.insert(pairs.end(), kept.begin(), kept.end());
  return pairs;
}

std::string comment_of(const Scene& scene) {
  return fmt::format(
      " {} for the model with the hash {}.\n"
      "     Adjacent: rigidly joined, or joined by one joint. Default: met at home and at every "
      "sample,\n"
      "     which is no proof, unless a person wrote it; look whether that is meant.\n"
      "     Never, proved for ...: apart at every configuration within the limits of the joints, "
      "by "
      "proof,\n"
      "     for links and joints with this hash alone. ",
      kWrittenBy, scene.hash().hex());
}

Json to_json(const Scene& scene, const std::vector<Candidate>& candidates,
             const ExclusionOptions& options, std::size_t written) {
  Json always = Json::array(), never = Json::array(), open = Json::array();
  std::int64_t meeting = 0, boxes = 0;
  for (const Candidate& c : candidates) {
    Json row = {{"pair", {scene.body(c.pair.a).name, scene.body(c.pair.b).name}}};
    boxes += c.finding.boxes;
    if (!c.always()) row["boxes"] = c.finding.boxes;
    if (!c.finding.joint.empty()) row["unbounded"] = c.finding.joint;
    if (c.always())
      always.push_back(std::move(row));
    else if (c.never())
      never.push_back(std::move(row));
    else if (c.meets())
      ++meeting;
    else
      open.push_back(std::move(row));
  }
  return {{"srdf", options.file},  {"disabled_pairs", written}, {"always", always},
          {"never_proved", never}, {"meeting", meeting},        {"not_proved", open},
          {"boxes", boxes}};
}

void print(const Scene& scene, const std::vector<Candidate>& candidates,
           const ExclusionOptions& options, std::size_t written) {
  const auto list = [&](std::string_view title, const auto& chosen, const auto& remark) {
    const auto count = std::count_if(candidates.begin(), candidates.end(), chosen);
    if (count == 0) return;
    fmt::print("{} ({})\n", paint(Colour::bold, std::string(title)), count);
    for (const Candidate& c : candidates)
      if (chosen(c))
        fmt::print("  {} - {}{}\n", scene.body(c.pair.a).name, scene.body(c.pair.b).name,
                   remark(c));
  };
  const auto in_boxes = [](const Candidate& c) {
    if (!c.finding.joint.empty()) return fmt::format(": {} has no limits", c.finding.joint);
    return fmt::format(": {} boxes", c.finding.boxes);
  };
  list(
      "Never, proved", [](const Candidate& c) { return c.never(); }, in_boxes);
  list(
      "Always, at all samples: is that meant?", [](const Candidate& c) { return c.always(); },
      [](const Candidate&) { return ""; });
  list(
      "Tested as before: not seen to meet, and not proved",
      [](const Candidate& c) { return !c.never() && !c.meets(); }, in_boxes);
  const auto meeting = std::count_if(candidates.begin(), candidates.end(),
                                     [](const Candidate& c) { return c.meets() && !c.always(); });
  fmt::print("{} pairs meet somewhere and are tested\n{}: {} pairs need no test\n", meeting,
             options.file, written);
}

}  // namespace

int write_exclusions(const SceneArgument& argument, const ExclusionOptions& options,
                     const CommonOptions& common) {
  auto source = load_source(argument);
  if (!source.ok()) return report(source.error());
  if (source.value().robots.size() != 1)
    return report(bad_input(fmt::format("--write-srdf is for one robot, and the scene has {}; name "
                                        "its URDF",
                                        source.value().robots.size()),
                            argument.scene));
  // What others wrote has groups and states that would be lost.
  if (const auto old = read_file(options.file);
      old.ok() && old.value().find(kWrittenBy) == std::string::npos)
    return report(bad_input("it exists, and doctor did not write it; name another file to write",
                            options.file));
  Robot& robot = source.value().robots[0].robot;
  std::erase_if(robot.disabled_pairs, is_found_out);
  const auto scene = build(argument, source.value());
  if (!scene.ok()) return report(scene.error());
  const LinkNames names(scene.value(), source.value().robots[0].name);
  std::vector<Candidate> candidates;
  for (const BodyPair& pair : scene.value().pairs())
    if (pair.kind == PairClass::self) candidates.push_back({pair, false, false, {}});

  const Work work("doctor", common, OnInterrupt::end);
  sample(scene.value(), options.samples, common.seed, candidates, work.budget());
  prove(scene.value(), options, common.threads, candidates, work.budget());
  const bool in_time = !work.budget().stopped();

  robot.disabled_pairs =
      list_pairs(scene.value(), names, candidates, std::move(robot.disabled_pairs));
  const auto saved = save_srdf(robot, comment_of(scene.value()), options.file);
  if (!saved.ok()) return report(saved.error());
  if (common.json)
    fmt::print("{}\n",
               to_json(scene.value(), candidates, options, robot.disabled_pairs.size()).dump());
  else
    print(scene.value(), candidates, options, robot.disabled_pairs.size());
  if (in_time) return kOk;
  fmt::print(stderr,
             "proven: the budget ran out; what was not proved by then is tested as before\n");
  return kUndecided;
}

}  // namespace proven::tools
