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

// Confirmation of one verdict.
class Judge {
 public:
  Judge(const SuiteCase& motion, bool look_inside, FclOracle& oracle, Outcome& outcome)
      : motion_(motion), look_inside_(look_inside), oracle_(oracle), outcome_(outcome) {}

  void check(const CheckResult& result, Checker checker) {
    if (result.verdict == Verdict::collision) check_collision(result, checker);
    if (result.verdict == Verdict::free) check_free(checker);
  }

 private:
  const Scene& scene() const { return oracle_.scene(); }

  void complain(bool& flag, Checker checker, const std::string& why) {
    flag = true;
    outcome_.complaint += fmt::format("{}: {}; clearance {}, waypoints {}\n", to_string(checker),
                                      why, motion_.clearance, motion_.waypoints);
  }

  void check_collision(const CheckResult& result, Checker checker) {
    if (motion_.truth == Truth::free)
      complain(outcome_.wrong_collision, checker, "said collision, is free by construction");
    else if (!result.collision ||
             !confirms(scene(), motion_.waypoints, *result.collision, motion_.clearance))
      complain(outcome_.wrong_collision, checker, "the witness does not hold");
  }

  void check_free(Checker checker) {
    if (motion_.truth == Truth::free) return;
    if (motion_.truth == Truth::collision)
      return complain(outcome_.wrong_free, checker, "said free, collides by construction");
    if (look_inside_ && start_contained())
      return complain(outcome_.wrong_free, checker, "said free, one body is inside another");
    for (std::size_t i = 0; i < motion_.waypoints.size(); ++i) {
      // A path of one waypoint, or the segment from this waypoint to the next.
      if (i > 0 && i + 1 == motion_.waypoints.size()) break;
      const std::size_t next = std::min(i + 1, motion_.waypoints.size() - 1);
      const auto hit = oracle_.sample(motion_.waypoints[i], motion_.waypoints[next],
                                      motion_.sampling_step, motion_.clearance);
      if (hit && really(*hit))
        return complain(outcome_.wrong_free, checker,
                        fmt::format("said free, collides at {}", hit->configuration));
      ++(motion_.sampling_step <= kFineStep ? outcome_.finely_sampled_segments
                                            : outcome_.sampled_segments);
    }
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
    const auto overlapping = oracle_.pairs_with_overlapping_boxes(motion_.waypoints.front());
    for (const int index : overlapping) {
      const BodyPair& pair = scene().pairs()[static_cast<std::size_t>(index)];
      if (BruteForce(scene(), motion_.waypoints.front(), pair.a, pair.b).contained()) return true;
    }
    return false;
  }

  const SuiteCase& motion_;
  bool look_inside_;
  FclOracle& oracle_;
  Outcome& outcome_;
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

bool contradict(Verdict a, Verdict b) {
  return (a == Verdict::free && b == Verdict::collision) ||
         (a == Verdict::collision && b == Verdict::free);
}

}  // namespace

CheckResult ask_checker(const Scene& scene, const SuiteCase& motion, Checker checker,
                        Workspace& workspace) {
  CheckOptions options;
  options.checker = checker;
  options.clearance = motion.clearance;
  options.max_cells = motion.max_cells;
  auto result = check(scene, Path{motion.waypoints, {}, {}}, options, workspace);
  if (!result.ok()) throw std::logic_error("the suite made a bad motion: " + result.error().text());
  return std::move(result).value();
}

Outcome judge(const SuiteCase& motion, int number, FclOracle& oracle, Workspace& workspace,
              const Ask& ask) {
  constexpr int kBothEvery = 4;
  constexpr int kLookInsideEvery = 16;  // winding numbers of large meshes take long
  const Checker first = number % 2 == 0 ? Checker::classic : Checker::refined;
  const Checker second = number % 2 == 0 ? Checker::refined : Checker::classic;
  Outcome outcome;
  Judge judge(motion, number % kLookInsideEvery < 2, oracle, outcome);
  const CheckResult result = ask(oracle.scene(), motion, first, workspace);
  outcome.verdict = result.verdict;
  judge.check(result, first);
  if (number % kBothEvery < 2) {
    outcome.both = true;
    const CheckResult other = ask(oracle.scene(), motion, second, workspace);
    outcome.conflict = contradict(result.verdict, other.verdict);
    // What was sampled once need not be sampled again.
    if (other.verdict != result.verdict || other.verdict == Verdict::collision)
      judge.check(other, second);
    if (outcome.conflict)
      outcome.complaint += fmt::format("classic and refined disagree: {}\n", motion.waypoints);
  }
  if (result.verdict == Verdict::collision && motion.clearance == 0 && result.collision &&
      result.collision->kind == ContactKind::overlap)
    ask_rival(motion, oracle, outcome);
  return outcome;
}

Tally& Tally::operator+=(const Tally& other) {
  segments += other.segments;
  free += other.free;
  collision += other.collision;
  undecided += other.undecided;
  both += other.both;
  wrong_free += other.wrong_free;
  wrong_collision += other.wrong_collision;
  conflicts += other.conflicts;
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
  tally.segments +=
      std::max<std::int64_t>(1, static_cast<std::int64_t>(motion.waypoints.size()) - 1);
  tally.free += outcome.verdict == Verdict::free;
  tally.collision += outcome.verdict == Verdict::collision;
  tally.undecided += outcome.verdict == Verdict::undecided;
  tally.both += outcome.both;
  tally.wrong_free += outcome.wrong_free;
  tally.wrong_collision += outcome.wrong_collision;
  tally.conflicts += outcome.conflict;
  tally.sampled += outcome.sampled_segments;
  tally.finely_sampled += outcome.finely_sampled_segments;
  tally.false_alarms += outcome.false_alarms;
  tally.rival_asked += outcome.rival_asked;
  for (std::size_t s = 0; s < kRivalSteps.size(); ++s)
    tally.rival_missed[s] += outcome.rival_asked && outcome.rival_missed[s];
  if (!outcome.complaint.empty()) tally.complaints.push_back(outcome.complaint);
}

}  // namespace

Tally run_suite_scene(const SuiteScene& scene, int count, std::uint64_t seed, int threads) {
  struct Tools {
    FclOracle oracle;
    Workspace workspace;
  };
  if (threads <= 0) threads = default_threads();
  const auto start = std::chrono::steady_clock::now();
  const FclModel model(*scene.scene);
  std::vector<std::unique_ptr<Tools>> tools;
  for (int i = 0; i < threads; ++i) tools.emplace_back(new Tools{FclOracle(model), Workspace()});
  std::vector<Tally> tallies(static_cast<std::size_t>(count));
  parallel_for(count, threads, [&](int item, int thread) {
    Tools& mine = *tools[static_cast<std::size_t>(thread)];
    Random random(seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(item));
    const SuiteCase motion = scene.make_case(mine.oracle, random);
    add(tallies[static_cast<std::size_t>(item)], motion,
        judge(motion, item, mine.oracle, mine.workspace));
  });
  Tally sum;
  for (const Tally& tally : tallies) sum += tally;
  sum.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return sum;
}

}  // namespace proven::bench
