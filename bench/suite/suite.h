// The suite "never wrong": random and adversarial motions in many scenes, every verdict of which is
// confirmed by other means: an analytic answer, dense sampling with FCL, brute force at the
// witness, other checkers, and the independent verifier.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/suite/fcl_oracle.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "proven/scene/scene.h"
#include "proven/scene/scene_source.h"
#include "proven/verify/verify.h"

namespace proven::bench {

// What is known of a motion from how it was made.
enum class Truth { unknown, free, collision };

struct SuiteCase {
  std::vector<std::vector<double>> waypoints;
  Truth truth = Truth::unknown;
  double clearance = 0;
  double sampling_step = 1e-3;      // to confirm `free` where the truth is unknown
  std::int64_t max_cells = 100000;  // for classic and refined; more ends in undecided
  // The bodies stay at least this far apart, by construction; negative: not known.
  double known_gap = -1;
  bool certificate = true;  // ask directional for its proof, and verify it
};

struct SuiteScene {
  // What the verifier reads; it does not use `scene`.
  std::shared_ptr<const SceneSource> source;
  std::unique_ptr<const Scene> scene;
  // Makes a motion; the oracle is of this scene.
  std::function<SuiteCase(FclOracle&, Random&)> make_case;
};
Result<SuiteScene> make_suite_scene(SceneSource source,
                                    std::function<SuiteCase(FclOracle&, Random&)> make_case);

struct SuiteEntry {
  std::string name;
  int cases = 0;  // in the long form
  std::function<Result<SuiteScene>()> load;
};

// All scenes: built in, adversarial, glides, and the robots below data/robots where that exists.
std::vector<SuiteEntry> suite_entries(const std::filesystem::path& data);
std::vector<SuiteEntry> built_in_entries();
std::vector<SuiteEntry> adversarial_entries();
std::vector<SuiteEntry> glide_entries();
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

// One thread's means to judge motions of a scene, which must outlive them.
class Instruments {
 public:
  Instruments(const SuiteScene& scene, const FclModel& model)
      : oracle(model), source_(scene.source) {}

  // What the independent verifier says of a certificate that the motion is free.
  VerifyReport verify(const SuiteCase& motion, std::span<const std::uint8_t> certificate);

  FclOracle oracle;
  Workspace workspace;

 private:
  std::shared_ptr<const SceneSource> source_;
  std::map<double, Verifier> verifiers_;  // by the clearance required
};

// What came of one motion.
struct Outcome {
  Verdict verdict = Verdict::undecided;      // of classic or refined
  Verdict directional = Verdict::undecided;  // of directional
  bool wrong_free = false;                   // one said free, but it collides
  bool wrong_collision = false;              // one said collision, but the witness does not hold
  bool conflict = false;                     // one said free, another collision
  bool both = false;                         // classic and refined were both asked
  bool verified = false, rejected = false;   // a certificate was verified; was not accepted
  std::int64_t leaves = 0, bytes = 0;        // of that certificate
  double verify_seconds = 0;
  bool roomy = false;  // the true gap is known to be kRoom above the clearance
  int sampled_segments = 0, finely_sampled_segments = 0;  // confirmed by sampling at 1e-3 and 1e-4
  int false_alarms = 0;      // FCL reported an overlap where there is none
  bool rival_asked = false;  // colliding: FCL sampled it at kRivalSteps
  std::array<bool, 3> rival_missed = {};
  std::string complaint;  // of a wrong answer: enough to repeat it
};

// Directional must decide where there is that much room beyond the required clearance, in metres.
inline constexpr double kRoom = 1e-5;

// Asks a checker.
using Ask = std::function<CheckResult(const Scene&, const SuiteCase&, Checker, Workspace&)>;
CheckResult ask_checker(const Scene& scene, const SuiteCase& motion, Checker checker,
                        Workspace& workspace);

// Judges one motion, or one answer to it; `number` decides what is done for a share of them only.
using JudgeMotion = Outcome (*)(const SuiteCase& motion, int number, Instruments& instruments,
                                const Ask& ask);
// By classic or refined or both, and directional.
Outcome judge_all(const SuiteCase& motion, int number, Instruments& instruments,
                  const Ask& ask = ask_checker);
// By directional; against classic where the truth is unknown, and for a share against FCL.
Outcome judge_directional(const SuiteCase& motion, int number, Instruments& instruments,
                          const Ask& ask = ask_checker);

struct VerdictCounts {
  std::int64_t free = 0, collision = 0, undecided = 0;

  void add(Verdict verdict);
  VerdictCounts& operator+=(const VerdictCounts& other);
};

struct Tally {
  std::int64_t motions = 0, segments = 0;
  VerdictCounts papers, directional;  // motions; of classic or refined, and of directional
  std::int64_t both = 0;
  std::int64_t wrong_free = 0, wrong_collision = 0, conflicts = 0;
  std::int64_t certificates = 0, rejected = 0;
  std::int64_t leaves = 0, certificate_bytes = 0;
  double verify_seconds = 0;
  std::int64_t roomy = 0, roomy_undecided = 0;  // motions; those that directional did not decide
  std::int64_t sampled = 0, finely_sampled = 0, false_alarms = 0;  // segments, segments, samples
  std::int64_t rival_asked = 0;
  std::array<std::int64_t, 3> rival_missed = {};
  double seconds = 0;
  std::vector<std::string> complaints;

  std::int64_t wrong() const { return wrong_free + wrong_collision + conflicts + rejected; }
  Tally& operator+=(const Tally& other);
};

// How to run a scene's share of the suite; the same answers for any number of threads.
struct SuiteRun {
  int count = 0;  // motions
  std::uint64_t seed = 1;
  int threads = 0;            // 0: all cores
  int certificate_every = 1;  // one motion in so many has its certificate verified
  JudgeMotion judge = judge_all;
};
Tally run_suite_scene(const SuiteScene& scene, const SuiteRun& run);

}  // namespace proven::bench
