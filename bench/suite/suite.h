// The suite "never wrong": random and adversarial motions in many scenes, every verdict of which is
// confirmed by other means: an analytic answer, dense sampling with FCL, or brute force at the
// witness.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/suite/fcl_oracle.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"

namespace proven::bench {

// What is known of a motion from how it was made.
enum class Truth { unknown, free, collision };

struct SuiteCase {
  std::vector<std::vector<double>> waypoints;
  Truth truth = Truth::unknown;
  double clearance = 0;
  double sampling_step = 1e-3;      // to confirm `free` where the truth is unknown
  std::int64_t max_cells = 100000;  // for the checker; more ends in undecided
};

struct SuiteScene {
  std::unique_ptr<const Scene> scene;
  // Makes a motion; the oracle is of this scene.
  std::function<SuiteCase(FclOracle&, Random&)> make_case;
};

struct SuiteEntry {
  std::string name;
  int cases = 0;  // in the long form
  std::function<Result<SuiteScene>()> load;
};

// All scenes: built in, adversarial, and the robots below data/robots where that exists.
std::vector<SuiteEntry> suite_entries(const std::filesystem::path& data);
std::vector<SuiteEntry> built_in_entries();
std::vector<SuiteEntry> adversarial_entries();
std::vector<SuiteEntry> robot_entries(const std::filesystem::path& data);

// Motions of mixed lengths in any scene, many of them close to obstacles.
struct RandomMotions {
  double longest = 0.5;        // of most segments, in joint space
  double long_share = 0.02;    // of the segments that go from one random configuration to another
  double beyond_limits = 0.1;  // share of motions that may leave the joint limits
};
SuiteCase random_case(const RandomMotions& motions, FclOracle& oracle, Random& random);

// Steps in joint space at which FCL samples the colliding motions.
inline constexpr std::array<double, 3> kRivalSteps = {0.05, 0.01, 0.001};

// What came of one motion.
struct Outcome {
  Verdict verdict = Verdict::undecided;
  bool wrong_free = false;       // said free, but it collides
  bool wrong_collision = false;  // said collision, but the witness does not hold
  bool conflict = false;         // classic and refined contradict each other
  bool both = false;             // classic and refined were both asked
  int sampled_segments = 0, finely_sampled_segments = 0;  // confirmed by sampling at 1e-3 and 1e-4
  int false_alarms = 0;      // FCL reported an overlap where there is none
  bool rival_asked = false;  // colliding: FCL sampled it at kRivalSteps
  std::array<bool, 3> rival_missed = {};
  std::string complaint;  // of a wrong answer: enough to repeat it
};

// Asks a checker.
using Ask = std::function<CheckResult(const Scene&, const SuiteCase&, Checker, Workspace&)>;
CheckResult ask_checker(const Scene& scene, const SuiteCase& motion, Checker checker,
                        Workspace& workspace);

// Judges one motion; `number` decides which checker answers and whether both do.
Outcome judge(const SuiteCase& motion, int number, FclOracle& oracle, Workspace& workspace,
              const Ask& ask = ask_checker);

struct Tally {
  std::int64_t segments = 0;
  std::int64_t free = 0, collision = 0, undecided = 0, both = 0;  // motions
  std::int64_t wrong_free = 0, wrong_collision = 0, conflicts = 0;
  std::int64_t sampled = 0, finely_sampled = 0, false_alarms = 0;  // segments, segments, samples
  std::int64_t rival_asked = 0;
  std::array<std::int64_t, 3> rival_missed = {};
  double seconds = 0;
  std::vector<std::string> complaints;

  std::int64_t wrong() const { return wrong_free + wrong_collision + conflicts; }
  Tally& operator+=(const Tally& other);
};

// Makes and judges `count` motions of one scene; the same for any number of threads.
Tally run_suite_scene(const SuiteScene& scene, int count, std::uint64_t seed, int threads);

}  // namespace proven::bench
