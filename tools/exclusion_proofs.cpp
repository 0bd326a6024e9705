#include "tools/exclusion_proofs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

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
#include "proven/scene/remarks.h"
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

  bool never() const { return finding.fate == PairFate::never; }
  bool meets() const { return seen_meeting || finding.fate == PairFate::meets; }
  bool open() const { return !meets() && finding.fate == PairFate::open; }
};

// What came of it all, and how far it came.
struct Study {
  std::vector<Candidate> candidates;
  std::int64_t samples = 0;          // random configurations that were looked at
  bool sampled = false;              // enough of them to say that a pair always meets
  std::vector<std::string> outside;  // joints whose home is outside their limits
  std::optional<Stop> stopped;       // before all pairs were settled
  double seconds = 0;

  bool always(const Candidate& c) const { return sampled && c.seen_meeting && !c.seen_apart; }
  std::int64_t left() const {
    return !stopped ? 0 : std::ranges::count_if(candidates, &Candidate::open);
  }
};

bool overlap(const Scene& scene, const LinkPoses& poses, const BodyPair& pair,
             DistanceScratch& scratch) {
  const Pose X_AB = relative_pose(scene.body_pose(pair.a, poses), scene.body_pose(pair.b, poses));
  const BodyGeometry &a = *scene.body(pair.a).geometry, &b = *scene.body(pair.b).geometry;
  return bodies_overlap(a, b, X_AB, scratch) || find_containment(a, b, X_AB).inside;
}

void look(const Scene& scene, const LinkPoses& poses, Study& study, DistanceScratch& scratch,
          const Budget& budget) {
  for (Candidate& c : study.candidates) {
    if (c.seen_apart && c.seen_meeting) continue;
    if (budget.stopped()) return;
    (overlap(scene, poses, c.pair, scratch) ? c.seen_meeting : c.seen_apart) = true;
  }
}

// Home, where the robot can be there, and random configurations; a pair that was seen both ways is
// known. A third of the time at most: the rest is for proofs.
void sample(const Scene& scene, std::int64_t samples, std::uint64_t seed, Study& study,
            const Budget& whole) {
  constexpr std::int64_t kEnough = 100;
  const Budget budget = whole.at_most(whole.seconds_left() / 3);
  Random random(seed);
  LinkPoses poses;
  DistanceScratch scratch;
  if (study.outside.empty()) {
    compute_poses(scene.tree(), scene.home(), poses);
    look(scene, poses, study, scratch, budget);
  }
  while (study.samples < samples) {
    budget.report("samples", study.samples, samples);
    compute_poses(scene.tree(), random_configuration(scene.tree(), random), poses);
    look(scene, poses, study, scratch, budget);
    if (budget.stopped()) break;
    ++study.samples;
  }
  study.sampled = study.samples >= std::min(samples, kEnough);
}

// Pairs that are easy come first: each round looks at ten times as many boxes of those that are
// left. The last one decides, so that the rounds change nothing but the order.
void prove(const Scene& scene, const ExclusionOptions& options, int threads, Study& study,
           const Budget& budget) {
  constexpr std::int64_t kFirstBoxes = 1000;
  std::vector<Candidate*> open;
  for (Candidate& c : study.candidates)
    if (!c.seen_meeting) open.push_back(&c);
  const auto all = static_cast<std::int64_t>(open.size());
  for (std::int64_t boxes = kFirstBoxes; !open.empty() && !budget.stopped(); boxes *= 10) {
    const bool last = boxes >= options.max_boxes;
    const std::int64_t settled = all - static_cast<std::int64_t>(open.size());
    parallel_for(static_cast<int>(open.size()), threads, [&](int item, int thread) {
      Candidate& c = *open[static_cast<std::size_t>(item)];
      if (thread == 0) budget.report("pairs settled", settled, all);
      if (budget.stopped()) return;
      c.finding = prove_never_meet(scene, c.pair, last ? options.max_boxes : boxes, budget);
    });
    std::erase_if(open, [](const Candidate* c) { return !c->open(); });
    if (last) break;
  }
  if (!open.empty()) study.stopped = budget.stopped();
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

std::vector<DisabledPair> list_pairs(const Scene& scene, const LinkNames& names, const Study& study,
                                     std::vector<DisabledPair> kept) {
  std::vector<DisabledPair> pairs;
  for (const ExcludedPair& pair : scene.excluded_pairs())
    if (names.is_link(pair.a) && names.is_link(pair.b) &&
        (pair.reason == ExclusionReason::rigid || pair.reason == ExclusionReason::adjacent))
      pairs.push_back({names.of(pair.a), names.of(pair.b), kAdjacent});
  for (const Candidate& c : study.candidates)
    if (study.always(c)) pairs.push_back({names.of(c.pair.a), names.of(c.pair.b), kAlways});
  for (const Candidate& c : study.candidates)
    if (c.never())
      pairs.push_back({names.of(c.pair.a), names.of(c.pair.b),
                       std::string(kProvedFor) + hash_pair_model(scene, c.pair.a, c.pair.b).hex()});
  pairs.insert(pairs.end(), kept.begin(), kept.end());
  return pairs;
}

// Why pairs are left that might have been settled; empty if none is.
std::string left_text(const Study& study) {
  if (!study.stopped) return "";
  return fmt::format("{} after {:.0f} s: {} of {} pairs were not settled and are tested as before",
                     *study.stopped == Stop::time ? "the budget ran out" : "interrupted",
                     study.seconds, study.left(), study.candidates.size());
}

std::string outside_text(const Study& study) {
  if (study.outside.empty()) return "";
  return fmt::format("home is outside the limits of {}: no pair was judged by it",
                     fmt::join(study.outside, ", "));
}

std::string comment_of(const Scene& scene, const Study& study) {
  std::string more;
  for (const std::string& text : {left_text(study), outside_text(study)})
    if (!text.empty()) more += "\n     " + text + ".";
  // A comment in XML holds no two hyphens in a row.
  for (std::size_t at = 0; (at = more.find("--", at)) != std::string::npos;) more.erase(at, 1);
  return fmt::format(
      " {} for the model with the hash {}.\n"
      "     Adjacent: rigidly joined, or joined by one joint. Default: met at {}{} samples,\n"
      "     which is no proof, unless a person wrote it; look whether that is meant.\n"
      "     Never, proved for ...: apart at every configuration within the limits of the joints, "
      "by "
      "proof,\n"
      "     for links and joints with this hash alone.{} ",
      kWrittenBy, scene.hash().hex(), study.outside.empty() ? "home and at all " : "all ",
      study.samples, more);
}

Json to_json(const Scene& scene, const Study& study, const ExclusionOptions& options,
             std::size_t written) {
  Json always = Json::array(), never = Json::array(), open = Json::array();
  std::int64_t meeting = 0, boxes = 0;
  for (const Candidate& c : study.candidates) {
    Json row = {{"pair", {scene.body(c.pair.a).name, scene.body(c.pair.b).name}}};
    boxes += c.finding.boxes;
    if (!study.always(c)) row["boxes"] = c.finding.boxes;
    if (!c.finding.joint.empty()) row["unbounded"] = c.finding.joint;
    if (study.always(c))
      always.push_back(std::move(row));
    else if (c.never())
      never.push_back(std::move(row));
    else if (c.meets())
      ++meeting;
    else
      open.push_back(std::move(row));
  }
  return {{"srdf", options.file},
          {"disabled_pairs", written},
          {"always", always},
          {"never_proved", never},
          {"meeting", meeting},
          {"not_proved", open},
          {"boxes", boxes},
          {"samples", study.samples},
          {"home_outside_limits", study.outside},
          {"stopped", study.stopped ? Json(to_string(*study.stopped)) : Json(nullptr)},
          {"seconds", study.seconds}};
}

void print(const Scene& scene, const Study& study, const ExclusionOptions& options,
           std::size_t written) {
  const std::vector<Candidate>& candidates = study.candidates;
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
      "Always, at all samples: is that meant?", [&](const Candidate& c) { return study.always(c); },
      [](const Candidate&) { return ""; });
  list(
      "Tested as before: not seen to meet, and not proved",
      [](const Candidate& c) { return !c.never() && !c.meets(); }, in_boxes);
  const auto meeting = std::count_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return c.meets() && !study.always(c);
  });
  fmt::print("{} pairs meet somewhere and are tested\n{}: {} pairs need no test\n", meeting,
             options.file, written);
  for (const std::string& text : {left_text(study), outside_text(study)})
    if (!text.empty()) fmt::print("  {}\n", text);
}

// For who has no terminal with a progress line: how long it may take, and now and then how far it
// is.
class Remarks {
 public:
  explicit Remarks(bool quiet) : quiet_(quiet || isatty(STDERR_FILENO) != 0) {}
  void begin(std::size_t pairs, double seconds) const {
    if (!quiet_)
      fmt::print(stderr, "proven: {} pairs of links, at most {:.0f} s (--budget)\n", pairs,
                 seconds);
  }
  void say(const Progress& progress) {
    constexpr std::chrono::seconds kPause{10};
    const auto now = Budget::Clock::now();
    if (quiet_ || now - last_ < kPause) return;
    last_ = now;
    fmt::print(stderr, "proven: {}: {} of {}\n", progress.stage, progress.done, progress.total);
  }

 private:
  bool quiet_;
  Budget::Clock::time_point last_ = Budget::Clock::now();
};

Study study_within(const Scene& scene, const ExclusionOptions& options,
                   const CommonOptions& common) {
  Study study;
  for (const BodyPair& pair : scene.pairs())
    if (pair.kind == PairClass::self) study.candidates.push_back({pair, false, false, {}});
  study.outside = outside_limits(scene.tree(), scene.home());
  const Work work("doctor", common, OnInterrupt::stop);
  Remarks remarks(common.quiet);
  remarks.begin(study.candidates.size(), work.budget().seconds_left());
  Budget budget = work.budget();
  budget.progress = [&](const Progress& progress) {
    work.budget().report(progress.stage, progress.done, progress.total);
    remarks.say(progress);
  };
  const auto begin = Budget::Clock::now();
  sample(scene, options.samples, common.seed, study, budget);
  prove(scene, options, common.threads, study, budget);
  study.seconds = std::chrono::duration<double>(Budget::Clock::now() - begin).count();
  return study;
}

}  // namespace

int write_exclusions(const SceneArgument& argument, const ExclusionOptions& options,
                     const CommonOptions& given) {
  CommonOptions common = given;
  if (!std::isfinite(common.budget_seconds)) common.budget_seconds = kExclusionSeconds;
  const Preparation preparation("the links", common);
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
  const Study study = study_within(scene.value(), options, common);
  const Unfinished file(options.file);
  robot.disabled_pairs = list_pairs(scene.value(), names, study, std::move(robot.disabled_pairs));
  const auto saved = save_srdf(robot, comment_of(scene.value(), study), options.file);
  if (!saved.ok()) return report(saved.error());
  if (common.json)
    fmt::print("{}\n", to_json(scene.value(), study, options, robot.disabled_pairs.size()).dump());
  else
    print(scene.value(), study, options, robot.disabled_pairs.size());
  if (!study.stopped) return kOk;
  if (common.json) fmt::print(stderr, "proven: {}\n", left_text(study));
  return unless_interrupted(kUndecided);
}

}  // namespace proven::tools
