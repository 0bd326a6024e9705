// Motions of an arm between two states of the world: transit (the empty hand goes to an object or
// handle), transfer (the hand carries an object to a place), operation (the hand moves a fixture
// by its handle) and handover (the hand takes over what another one holds). Paths come from the
// planners of the plan layer, every segment proved; other arms stand still meanwhile.
//
// A transit ends with open fingers around the object. Transfer and operation close them, move, and
// open them, but at a meeting place they stay closed; in a handover these fingers close, then those
// of the other hand open. So each motion lies in one scene, and each starts where the last ended.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "manipulation/situation.h"
#include "manipulation/timed.h"
#include "proven/scene/motion.h"

namespace proven::manipulation {

struct MotionRequest {
  enum class Kind { transit, transfer, operation, handover } kind = Kind::transit;
  std::string object;    // or fixture
  std::string grasp;     // transit
  std::string place;     // transfer; of an operation: the position
  std::string arm = {};  // its name; empty: the only one
};
// "transit box top", "transfer box shelf", "operation drawer open"; of an arm with a name "left:
// transit box top", "right: handover box"
std::string to_text(const MotionRequest& request);

struct MotionOptions {
  std::uint64_t seed = 1;
  std::string planner = "rrt-connect";
};

enum class Answer { yes, no, unknown };

struct FoundMotion {
  Answer answer = Answer::unknown;
  std::string reason;  // unless `yes`
  Path path;           // in the scene of the motion; with times once it was timed
  Situation after;
};

// The arm of a request; of names that were checked.
const Arm& arm_of(const World& world, const MotionRequest& request);
// What its hand closes around.
std::vector<Grip> grips_of(const World& world, const MotionRequest& request);

// The scene of a motion.
SceneSource scene_of(const World& world, const Situation& before, const MotionRequest& request);

// Errors unless the world and the situation have what the request names.
Result<void> check_names(const World& world, const Situation& before, const MotionRequest& request);

// `no` is a proof: out of reach, or the place is taken. `unknown` after about `seconds`, or sooner
// if nothing that was tried looks promising. Errors: names that do not exist, a scene that cannot
// be built.
Result<FoundMotion> find_motion(const World& world, const Situation& before,
                                const MotionRequest& request, double seconds,
                                const MotionOptions& options);

// A motion that was found, shortened and with times: as fast as the joints' limits allow.
Result<FoundMotion> timed_motion(const World& world, const Situation& before,
                                 const MotionRequest& request, const FoundMotion& found,
                                 const MotionOptions& options);

// The pose X_WO of an object, or the joint of a fixture, if it has one; and whether an object is
// said to be at a place.
struct StateReader {
  std::function<std::optional<Pose>(const std::string& object)> pose;
  std::function<std::optional<double>(const std::string& fixture)> joint;
  std::function<bool(const std::string& object, const std::string& place)> is_at;
};
// What `find_motion` would refuse whatever the rest of the state is: reads no more than decides it.
// The reason, or nothing.
Result<std::optional<std::string>> refuse_early(const World& world, const MotionRequest& request,
                                                const StateReader& state);

// What a motion must keep besides being free; empty: nothing. The handle stays in the hand, and
// what must be upright stays so.
Allowed constraint_of(const World& world, const MotionRequest& request, const Scene& scene);

// The situation after a path, whoever made it: where the arm ends and where the object is then.
Situation situation_after(const World& world, const Situation& before, const MotionRequest& request,
                          const Path& path);

// Whether the hand, at X_WH, is around the object or handle as one of its grasps says (`grasp`:
// as that one).
bool is_at_grasp(const World& world, const Situation& situation, const Arm& arm, const Pose& X_WH,
                 const std::string& object, const std::string* grasp = nullptr);

// Whether the path is this motion: it starts at `before`, moves nothing but arm, fingers and what
// is operated, these only while the fingers hold it, ends as the request says, keeps the motion's
// constraint, is proved free and, if it has times, keeps the joints' limits. The reason if not;
// empty if it is.
Result<std::string> refute_motion(const World& world, const Situation& before,
                                  const MotionRequest& request, const Path& path);

}  // namespace proven::manipulation
