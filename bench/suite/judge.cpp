#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <stdexcept>

#include "bench/suite/brute_force.h"
#include "bench/suite/suite.h"
#include "proven/base/parallel.h"

namespace proven::bench {
namespace {

constexpr double kFineStep = 1e-4;
constexpr int kLookInsideEvery = 16;  // winding numbers of large meshes take long

bool contradict(Verdict a, Verdict b) {
  return (a == Verdict::free && b == Verdict::collision) ||
         (a == Verdict::collision && b == Verdict::free);
}

// Confirmation of verdicts on one motion.
class Judge {
 public:
  Judge(const SuiteCase& motion, int number, Instruments& instruments, const Ask& ask,
        Outcome& outcome)
      : motion_(motion),
        look_inside_(number % kLookInsideEvery < 2),
        instruments_(instruments),
        ask_(ask),
        outcome_(outcome) {}

  CheckResult ask(const SuiteCase& motion, Checker checker) {
    return ask_(scene(), motion, checker, instruments_.scratch);
  }

  void check(const CheckResult& result, Checker checker) {
    if (result.verdict == Verdict::collision) check_collision(result, checker);
    if (result.verdict == Verdict::free) check_free(checker);
  }

  void check_collision(const CheckResult& result, Checker checker) {
    if (motion_.truth == Truth::free)
      complain(outcome_.wrong_collision, checker, "said collision, is free by construction");
    else if (!result.collision ||
             !confirms(scene(), motion_.waypoints, *result.collision, motion_.clearance))
      complain(outcome_.wrong_collision, checker, "the witness does not hold");
  }

  void check_free(Checker checker) {
    if (check_truth(checker) || motion_.truth == Truth::free) return;
    check_by_sampling(checker);
  }

  // Whether that alone shows that `free` is wrong.
  bool check_truth(Checker checker) {
    if (motion_.truth != Truth::collision) return false;
    complain(outcome_.wrong_free, checker, "said free, collides by construction");
    return true;
  }

  void check_by_sampling(Checker checker) {
    if (!found_by_sampling_) found_by_sampling_ = sample();
    if (!found_by_sampling_->empty())
      complain(outcome_.wrong_free, checker, "said free, " + *found_by_sampling_);
  }

  void check_agreement(Verdict a, Checker checker_a, Verdict b, Checker checker_b) {
    if (!contradict(a, b)) return;
    complain(outcome_.conflict, checker_a,
             fmt::format("said {}, {} the contrary", to_string(a), to_string(checker_b)));
  }

  void check_certificate(const CheckResult& result) {
    if (result.verdict != Verdict::free || !motion_.certificate) return;
    outcome_.verified = true;
    const VerifyReport report = instruments_.verify(motion_, result.certificate);
    outcome_.leaves = report.leaves;
    outcome_.bytes = static_cast<std::int64_t>(result.certificate.size());
    outcome_.verify_seconds = report.seconds;
    if (!report.accepted)
      complain(outcome_.rejected, Checker::directional, "certificate rejected: " + report.reason);
  }

 private:
  const Scene& scene() const { return instruments_.oracle.scene(); }

  void complain(bool& flag, Checker checker, const std::string& why) {
    flag = true;
    outcome_.complaint += fmt::format("{}: {}; clearance {}, waypoints {}\n", to_string(checker),
                                      why, motion_.clearance, motion_.waypoints);
  }

  // What contradicts `free`; empty if nothing does.
  std::string sample() {
    if (look_inside_ && start_contained()) return "one body is inside another";
    for (std::size_t i = 0; i < motion_.waypoints.size(); ++i) {
      // A path of one waypoint, or the segment from this waypoint to the next.
      if (i > 0 && i + 1 == motion_.waypoints.size()) break;
      const std::size_t next = std::min(i + 1, motion_.waypoints.size() - 1);
      const auto hit = instruments_.oracle.sample(motion_.waypoints[i], motion_.waypoints[next],
                                                  motion_.sampling_step, motion_.clearance);
      if (hit && really(*hit)) return fmt::format("collides at {}", hit->configuration);
      ++(motion_.sampling_step <= kFineStep ? outcome_.finely_sampled_segments
                                            : outcome_.sampled_segments);
    }
    return {};
  }

  // FCL's word alone does not count, as its tests are inexact for bodies that nearly touch: but
  // only a proof that they are apart dismisses it.
  bool really(const FclOracle::Hit& hit) {
    const BodyPair& pair = scene().pairs()[static_cast<std::size_t>(hit.pair)];
    const BruteForce bodies(scene(), hit.configuration, pair.a, pair.b);
    const bool meet = !bodies.apart(motion_.clearance);
    outcome_.false_alarms += !meet;
    return meet;
  }

  // FCL sees surfaces only. Where surfaces never meet, one look tells for the whole motion.
  bool start_contained() {
    const auto& start = motion_.waypoints.front();
    for (const int index : instruments_.oracle.pairs_with_overlapping_boxes(start)) {
      const BodyPair& pair = scene().pairs()[static_cast<std::size_t>(index)];
      if (BruteForce(scene(), start, pair.a, pair.b).contained()) return true;
    }
    return false;
  }

  const SuiteCase& motion_;
  bool look_inside_;
  Instruments& instruments_;
  const Ask& ask_;
  Outcome& outcome_;
  std::optional<std::string> found_by_sampling_;
};

// How sampling would have fared on a motion that collides.
void ask_rival(const SuiteCase& motion, FclOracle& oracle, Outcome& outcome) {
  outcome.rival_asked = true;
  for (std::size_t s = 0; s < kRivalSteps.size(); ++s) {
    bool found = false;
    for (std::size_t i = 0; i + 1 < motion.waypoints.size() && !found; ++i)
      found =
          oracle.sample(motion.waypoints[i], motion.waypoints[i + 1], kRivalSteps[s]).has_value();
    if (motion.waypoints.size() == 1) found = oracle.first_collision(motion.waypoints[0]) >= 0;
    outcome.rival_missed[s] = !found;
  }
}

// Whether the bodies are known to keep kRoom more than the required clearance, by construction or
// by classic's word.
struct Room {
  bool known = false;
  Verdict classic = Verdict::undecided;  // on the motion as it is
};

// Asks classic for more than the required clearance, so that its `free` says that there is room.
Room ask_classic(const SuiteCase& motion, bool patient, Judge& judge) {
  constexpr std::int64_t kPatience = 100;
  SuiteCase wider = motion;
  wider.clearance += kRoom;
  if (patient) wider.max_cells *= kPatience;
  const CheckResult result = judge.ask(wider, Checker::classic);
  if (result.verdict == Verdict::free) return {true, Verdict::free};
  if (result.collision && result.collision->kind != ContactKind::too_close)
    return {false, Verdict::collision};
  return {false, judge.ask(motion, Checker::classic).verdict};
}

}  // namespace

VerifyReport Instruments::verify(const SuiteCase& motion,
                                 std::span<const std::uint8_t> certificate) {
  auto found = verifiers_.find(motion.clearance);
  if (found == verifiers_.end()) {
    VerifyOptions options;
    options.clearance = Clearances::everywhere(motion.clearance);
    found = verifiers_.emplace(motion.clearance, Verifier(*source_, options)).first;
  }
  return found->second.verify(Path{motion.waypoints, {}, {}}, certificate);
}

CheckResult ask_checker(const Scene& scene, const SuiteCase& motion, Checker checker,
                        Scratch& scratch) {
  // A cell of directional is of two nodes of bodies, one of the others of two bodies.
  constexpr std::int64_t kCellsOfDirectional = 1000;
  CheckOptions options;
  options.limits = Limits::ignore;  // random values go where they like
  options.checker = checker;
  options.clearance = Clearances::everywhere(motion.clearance);
  options.max_cells = motion.max_cells;
  if (checker == Checker::directional) {
    options.max_cells *= kCellsOfDirectional;
    options.certificate = motion.certificate;
  }
  auto result = check(scene, Path{motion.waypoints, {}, {}}, options, scratch);
  if (!result.ok()) throw std::logic_error("the suite made a bad motion: " + result.error().text());
  return std::move(result).value();
}

Outcome judge_all(const SuiteCase& motion, int number, Instruments& instruments, const Ask& ask) {
  constexpr int kBothEvery = 4;
  const Checker first = number % 2 == 0 ? Checker::classic : Checker::refined;
  const Checker second = number % 2 == 0 ? Checker::refined : Checker::classic;
  Outcome outcome;
  Judge judge(motion, number, instruments, ask, outcome);
  const CheckResult result = judge.ask(motion, first);
  outcome.verdict = result.verdict;
  judge.check(result, first);
  const CheckResult directional = judge.ask(motion, Checker::directional);
  outcome.directional = directional.verdict;
  judge.check(directional, Checker::directional);
  judge.check_certificate(directional);
  judge.check_agreement(result.verdict, first, directional.verdict, Checker::directional);
  if (number % kBothEvery < 2) {
    outcome.both = true;
    const CheckResult other = judge.ask(motion, second);
    judge.check(other, second);
    judge.check_agreement(result.verdict, first, other.verdict, second);
    judge.check_agreement(other.verdict, second, directional.verdict, Checker::directional);
  }
  outcome.roomy = motion.known_gap >= motion.clearance + kRoom;
  if (result.verdict == Verdict::collision && motion.clearance == 0 && result.collision &&
      result.collision->kind == ContactKind::overlap)
    ask_rival(motion, instruments.oracle, outcome);
  return outcome;
}

Outcome judge_directional(const SuiteCase& motion, int number, Instruments& instruments,
                          const Ask& ask) {
  constexpr int kSampleEvery = 25;
  Outcome outcome;
  Judge judge(motion, number, instruments, ask, outcome);
  const CheckResult result = judge.ask(motion, Checker::directional);
  outcome.directional = result.verdict;
  judge.check_certificate(result);
  if (result.verdict == Verdict::collision) judge.check_collision(result, Checker::directional);
  if (result.verdict == Verdict::free && !judge.check_truth(Checker::directional) &&
      number % kSampleEvery == 0)
    judge.check_by_sampling(Checker::directional);
  outcome.roomy = motion.known_gap >= motion.clearance + kRoom;
  if (motion.truth == Truth::unknown) {
    const Room room = ask_classic(motion, result.verdict == Verdict::undecided, judge);
    outcome.roomy |= room.known;
    judge.check_agreement(room.classic, Checker::classic, result.verdict, Checker::directional);
  }
  return outcome;
}

void VerdictCounts::add(Verdict verdict) {
  free += verdict == Verdict::free;
  collision += verdict == Verdict::collision;
  undecided += verdict == Verdict::undecided;
}

VerdictCounts& VerdictCounts::operator+=(const VerdictCounts& other) {
  free += other.free;
  collision += other.collision;
  undecided += other.undecided;
  return *this;
}

Tally& Tally::operator+=(const Tally& other) {
  motions += other.motions;
  segments += other.segments;
  papers += other.papers;
  directional += other.directional;
  both += other.both;
  wrong_free += other.wrong_free;
  wrong_collision += other.wrong_collision;
  conflicts += other.conflicts;
  certificates += other.certificates;
  rejected += other.rejected;
  leaves += other.leaves;
  certificate_bytes += other.certificate_bytes;
  verify_seconds += other.verify_seconds;
  roomy += other.roomy;
  roomy_undecided += other.roomy_undecided;
  sampled += other.sampled;
  finely_sampled += other.finely_sampled;
  false_alarms += other.false_alarms;
  rival_asked += other.rival_asked;
  for (std::size_t s = 0; s < rival_missed.size(); ++s) rival_missed[s] += other.rival_missed[s];
  seconds += other.seconds;
  complaints.insert(complaints.end(), other.complaints.begin(), other.complaints.end());
  return *this;
}

namespace {

void add(Tally& tally, const SuiteCase& motion, const Outcome& outcome) {
  ++tally.motions;
  tally.segments +=
      std::max<std::int64_t>(1, static_cast<std::int64_t>(motion.waypoints.size()) - 1);
  tally.papers.add(outcome.verdict);
  tally.directional.add(outcome.directional);
  tally.both += outcome.both;
  tally.wrong_free += outcome.wrong_free;
  tally.wrong_collision += outcome.wrong_collision;
  tally.conflicts += outcome.conflict;
  tally.certificates += outcome.verified;
  tally.rejected += outcome.rejected;
  tally.leaves += outcome.leaves;
  tally.certificate_bytes += outcome.bytes;
  tally.verify_seconds += outcome.verify_seconds;
  tally.roomy += outcome.roomy;
  tally.roomy_undecided += outcome.roomy && outcome.directional == Verdict::undecided;
  tally.sampled += outcome.sampled_segments;
  tally.finely_sampled += outcome.finely_sampled_segments;
  tally.false_alarms += outcome.false_alarms;
  tally.rival_asked += outcome.rival_asked;
  for (std::size_t s = 0; s < kRivalSteps.size(); ++s)
    tally.rival_missed[s] += outcome.rival_asked && outcome.rival_missed[s];
  if (!outcome.complaint.empty()) tally.complaints.push_back(outcome.complaint);
}

}  // namespace

Result<SuiteScene> make_suite_scene(SceneSource source,
                                    std::function<SuiteCase(FclOracle&, Random&)> make_case) {
  auto scene = build_scene(source);
  if (!scene.ok()) return scene.error();
  return SuiteScene{std::make_shared<const SceneSource>(std::move(source)),
                    std::make_unique<const Scene>(std::move(scene).value()), std::move(make_case)};
}

Tally run_suite_scene(const SuiteScene& scene, const SuiteRun& run) {
  const int threads = run.threads > 0 ? run.threads : default_threads();
  const auto start = std::chrono::steady_clock::now();
  const FclModel model(*scene.scene);
  std::vector<std::unique_ptr<Instruments>> instruments;
  for (int i = 0; i < threads; ++i)
    instruments.push_back(std::make_unique<Instruments>(scene, model));
  std::vector<Tally> tallies(static_cast<std::size_t>(run.count));
  parallel_for(run.count, threads, [&](int item, int thread) {
    Instruments& mine = *instruments[static_cast<std::size_t>(thread)];
    Random random(run.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(item));
    SuiteCase motion = scene.make_case(mine.oracle, random);
    motion.certificate = item % run.certificate_every == 0;
    add(tallies[static_cast<std::size_t>(item)], motion,
        run.judge(motion, item, mine, ask_checker));
  });
  Tally sum;
  for (const Tally& tally : tallies) sum += tally;
  sum.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return sum;
}

}  // namespace proven::bench
