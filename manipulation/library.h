// What the module libraries do behind either interface of modules: the world, the motions that were
// found, and the answers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "manipulation/fluents.h"
#include "manipulation/store.h"

namespace proven::manipulation {

// One call of a module: the arm (empty: the only one), the object, the place and the grasp it is
// about, and the state it reads.
struct ModuleCall {
  MotionRequest::Kind kind = MotionRequest::Kind::transit;
  std::string arm, object, place, grasp;
  double seconds = 1;
  FluentReader fluents;
  std::function<bool(const std::string& object, const std::string& place)> is_at;
  bool timed = false;  // how many seconds it takes is asked for
  std::string rider;   // whose pose after an operation is asked for; empty: what
                       // is operated
};

struct ModuleReply {
  Answer answer = Answer::unknown;
  std::vector<double> values;  // `yes`: what an effect writes, or the seconds
  std::string reason;          // unless `yes`
};

// Set up by `start` and `open` before planning; `ask` may be called from several threads.
class ModuleLibrary {
 public:
  // [folder=DIR] [store=DIR] [seed=N] [recompute=1] [clock=1]: where a relative world is sought,
  // where paths are kept, whether conditions are computed anew whenever they are asked, and whether
  // motions that overlap will be proved together (together.h), without which worlds of several arms
  // are refused. Starts afresh.
  Result<void> start(std::span<const std::string> settings);
  // world.json [clearance=METRES] [planner=NAME] [seed=N] [seconds=S]
  Result<void> open(std::span<const std::string> arguments);

  // A condition, effect or duration; with `reuse`, or unless `recompute` was set, from what was
  // found before.
  Result<ModuleReply> ask(const ModuleCall& call, bool reuse);
  double seconds() const { return seconds_; }  // for interfaces that give no budget

 private:
  Result<ModuleReply> reply(const ModuleCall& call, const MotionRequest& request,
                            const Situation& before, FoundMotion motion);
  Result<void> set(const std::string& word);

  std::filesystem::path folder_;
  MotionOptions options_;
  bool recompute_ = false, clock_ = false;
  double seconds_ = 5;
  std::unique_ptr<World> world_;
  MotionStore store_;
};

}  // namespace proven::manipulation
