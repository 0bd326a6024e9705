// The geometric steps of a plan: which motions its actions are, and their files.
//
//   FOLDER/steps/01/scene.json, path.json, path.proof   one motion: its scene, path and certificate
//   FOLDER/motions/                                     the same paths by what they depend on
//   FOLDER/together/01/...                              motions of several arms at the same time
//
// The modules find a plan's motions in FOLDER/motions, prove them again and give the same answers:
// so a plan can be judged anew long after it was made.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manipulation/store.h"
#include "manipulation/together.h"
#include "proven/certify/verdict.h"
#include "proven/task/pddl.h"
#include "proven/task/planner.h"
#include "proven/task/validate.h"

namespace proven::manipulation {

// What domains may name: through the C interface, or through the published one.
inline constexpr const char* kLibraries[] = {"libproven_manipulation.so",
                                             "libproven_manipulation_cpp.so"};

// Folders where they are: beside the running program, or where that was installed.
std::vector<std::string> own_module_folders();
// Whether the domain uses one of them.
bool uses_manipulation(const task::Domain& domain);
// The world that the problem's module options name, relative to the problem.
Result<World> world_of(const task::Problem& problem, const std::filesystem::path& folder);

// The situation in which the problem begins. Errors: numbers that are missing, or of no use
// (check_start).
Result<Situation> first_situation(const World& world, const task::Problem& problem);

struct Settings {
  std::filesystem::path folder;  // of the problem
  std::filesystem::path store;   // of motions; may be empty
  std::uint64_t seed = 1;
  bool recompute = false;
};
// Tells the library that the problem names, before its other options. Whoever does so gives plans
// of several arms their times (on_one_clock) and holds them to these (refute_clock, refute_steps).
void add_settings(const Settings& settings, task::Problem& problem);

struct PlanStep {
  std::string call;  // "applytransit box table top"
  MotionRequest request;
  Situation before, after;
  std::optional<double> seconds = {};  // that the plan says it takes, if its motions are timed
  double start = 0;                    // of those, on the plan's clock
};

// Passes questions on and notes the effects of motions: asked for by the validator in the order of
// the plan, they are its geometric steps.
class StepRecorder : public task::ValidationModules {
 public:
  using State = task::ValidationModules::World;
  // Domain and world must outlive it.
  StepRecorder(std::unique_ptr<task::ValidationModules> modules, const task::Domain& domain,
               const manipulation::World& world);

  std::optional<bool> condition(const std::string& call, const State& state,
                                const Budget& budget) override;
  std::optional<double> cost(const std::string& call, const State& state,
                             const Budget& budget) override;
  std::optional<std::vector<double>> effect(const std::string& call, const State& state,
                                            const Budget& budget) override;

  const std::vector<PlanStep>& steps() const { return steps_; }

 private:
  const task::ModuleDeclaration* own_module(const std::string& name) const;  // or null

  std::unique_ptr<task::ValidationModules> modules_;
  const task::Domain& domain_;
  const manipulation::World& world_;
  struct Asked {
    double seconds = 0, start = 0;
  };
  std::map<std::string, Asked> asked_;  // of motions that have not ended, by what they are
  std::vector<PlanStep> steps_;
};

struct StepFiles {
  std::string folder;  // "steps/01"
  Path path;
  CheckResult check;  // of the path, with certificate
  bool verified = false;
  std::string reason;  // why not
};

// All arms in a stretch of the plan in which steps overlap.
struct TogetherFiles : StepFiles {
  Stretch stretch;
};

struct PlanFiles {
  std::vector<StepFiles> steps;
  std::vector<TogetherFiles> together;
};

struct StepOptions {
  std::uint64_t seed = 1;
  double smooth_seconds = 2;  // for each path; 0: paths as they were found
};

// Shortens the motions that have no times, proves them with certificates, lets the verifier read
// these, and writes everything to the folder. The store is where the planner kept its motions.
Result<PlanFiles> write_steps(const World& world, const std::vector<PlanStep>& steps,
                              const std::filesystem::path& store,
                              const std::filesystem::path& folder, const StepOptions& options);

// Judges the files in the folder by the steps: scenes, starts and ends, and every path by the
// checker and by the verifier. The first failure; empty if there is none.
Result<std::string> refute_steps(const World& world, const std::vector<PlanStep>& steps,
                                 const std::filesystem::path& folder);

// What a plan of several arms became on one clock.
struct ClockedPlan {
  std::vector<task::PlannedAction> plan;
  std::vector<std::string> waits;  // who waits how long although facts would allow it to start
  double in_turn = 0;              // the makespan of one motion after the other
};
// The planner lets motions of different arms overlap as its facts allow; this starts each as early
// as is proved free. `steps` are those of the plan.
Result<ClockedPlan> on_one_clock(const World& world, const std::vector<task::PlannedAction>& plan,
                                 const std::vector<PlanStep>& steps,
                                 const std::filesystem::path& store, double separation);

// Whether motions that overlap are proved free together, by the checker; as they are in the store.
// The reason if not; empty if they are, or if there is one arm.
Result<std::string> refute_clock(const World& world, const std::vector<PlanStep>& steps,
                                 const std::filesystem::path& store);

}  // namespace proven::manipulation
