#include "manipulation/motions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "manipulation/handover.h"
#include "manipulation/operate.h"
#include "manipulation/support.h"
#include "manipulation/upright.h"
#include "proven/base/hash.h"
#include "proven/base/random.h"
#include "proven/certify/prover.h"
#include "proven/plan/plan.h"

namespace proven::manipulation {
namespace {

using Configuration = std::vector<double>;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// How far the hand draws back from an end before it travels, in metres: tried in this order.
constexpr double kRetreats[] = {0.10, 0.05};
// A retreat that turns a joint by more is no longer nearly straight.
constexpr double kLargestTurn = 0.7;
// Descents of inverse kinematics per second of budget, and at least: an arm that cannot get there
// costs a few hundredths of a second, not the whole budget.
constexpr double kDescentsPerSecond = 100;
constexpr int kFewestDescents = 60;
// Iterations of the planner for the first end that is found; each further one gets half as many
// again, up to the last number.
constexpr std::int64_t kFirstIterations = 300, kMostIterations = 20'000;
constexpr const char* kOutOfReach =
    "out of reach: the hand's place is farther from the first joint than the arm is long";

std::string taken_text(const std::string& place, const std::string& by) {
  return fmt::format("place '{}' is taken by '{}'", place, by);
}

// Where the hand shall be: X_WH, one of several.
struct HandTargets {
  std::vector<Pose> poses;
  std::string why_none;  // where there is none: every pose of the place is taken, or does not hold
  bool proved = true;    // that there is none: of a surface only samples were looked at
};

class MotionFinder {
 public:
  MotionFinder(const World& world, const Situation& before, const MotionRequest& request,
               CheckModel model, const MotionOptions& options, double seconds)
      : world_(world),
        request_(request),
        arm_(arm_of(world, request)),
        scene_(model.scene()),
        options_(options),
        seconds_(seconds),
        budget_(Budget::of_seconds(seconds)),
        index_(index_arm(arm_, scene_.tree())),
        held_(before.held.contains(request.object)),
        prover_(std::move(model)) {
    const bool carries = request.kind == MotionRequest::Kind::transfer;
    start_.assign(scene_.home().begin(), scene_.home().end());
    if (carries && index_.fingers >= 0)
      start_[at(index_.fingers)] = world.find_object(request.object)->grip;
    allowed_ = constraint_of(world, request, scene_);
    upright_ = upright_problem(world, request, scene_);
    if (upright_) upright_->joints = index_.joints;
  }

  // Fills in answer, reason and path.
  void find(const HandTargets& targets, FoundMotion& motion) {
    if (!targets.why_none.empty() && targets.proved) return refuse(motion, targets.why_none);
    if (!targets.why_none.empty()) {
      motion.answer = Answer::unknown;
      motion.reason = targets.why_none;
      return;
    }
    if (std::all_of(targets.poses.begin(), targets.poses.end(), [&](const Pose& X_WH) {
          return beyond_reach(scene_.tree(), {index_.hand, {}, X_WH}, start_, index_.joints);
        }))
      return refuse(motion, kOutOfReach);
    motion.answer = Answer::unknown;
    if (const CheckResult at_start = prover_.check(start_); at_start.verdict != Verdict::free) {
      if (at_start.verdict == Verdict::collision) motion.answer = Answer::no;
      motion.reason = at_start.verdict == Verdict::collision
                          ? fmt::format("contact at the start: {}", pair_text(at_start))
                          : "the start is not proved free of contact";
      return;
    }
    const Configuration leave = retreat(start_);
    const int descents = std::max(kFewestDescents, static_cast<int>(kDescentsPerSecond * seconds_));
    double iterations = static_cast<double>(kFirstIterations);
    int ends = 0;
    for (int i = 0; i < descents && !budget_.stopped(); ++i) {
      const auto target = static_cast<std::size_t>(i) % targets.poses.size();
      const auto end = free_end(targets.poses[target], i < static_cast<int>(targets.poses.size()),
                                static_cast<std::uint64_t>(i));
      if (!end) continue;
      ++ends;
      if (travel(leave, *end, static_cast<std::int64_t>(iterations), motion)) return;
      iterations = std::min(1.5 * iterations, static_cast<double>(kMostIterations));
    }
    motion.reason = reason_of(ends);
  }

 private:
  static void refuse(FoundMotion& motion, std::string reason) {
    motion.answer = Answer::no;
    motion.reason = std::move(reason);
  }

  std::string pair_text(const CheckResult& result) const {
    return fmt::format("{} and {}", scene_.body(result.collision->bodies[0]).name,
                       scene_.body(result.collision->bodies[1]).name);
  }

  std::string reason_of(int ends) const {
    const std::string time = budget_.stopped() ? " within the time" : "";
    if (ends > 0) return fmt::format("no path was found{} to any of {} postures", time, ends);
    if (contacts_.empty())
      return fmt::format(
          "no posture of the arm was found{} with the hand there (inverse "
          "kinematics failed {} times)",
          time, failed_);
    const auto most =
        std::max_element(contacts_.begin(), contacts_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return fmt::format("every posture of the arm that was found{} is in contact, mostly {}", time,
                       most->first);
  }

  InverseSolver solver(const Pose& X_WH, std::uint64_t seed) const {
    InverseOptions options;
    options.coordinates = index_.joints;
    options.seed = options_.seed * 1'000'003 + seed;
    return {scene_.tree(), {index_.hand, {}, X_WH}, options};
  }

  // A free posture with the hand there: from where the arm is, or from anywhere.
  std::optional<Configuration> free_end(const Pose& X_WH, bool from_start, std::uint64_t seed) {
    InverseSolver inverse = solver(X_WH, seed);
    const auto q = inverse.descend(from_start ? start_ : inverse.random_guess(start_));
    if (!q) {
      ++failed_;
      return std::nullopt;
    }
    const CheckResult checked = prover_.check(*q);
    if (checked.verdict == Verdict::collision) ++contacts_[pair_text(checked)];
    if (checked.verdict != Verdict::free) return std::nullopt;
    return q;
  }

  // A posture a little back from q, joined to it by a proved segment; q itself if none is found.
  // An object is first lifted, an empty hand first drawn back the way it came.
  Configuration retreat(const Configuration& q) {
    const Pose X_WH = hand_pose(scene_, index_, q);
    const Vec3 back = -(X_WH.R * arm_.X_HT.R.column(2)), up = {0, 0, 1};
    const bool carries = request_.kind == MotionRequest::Kind::transfer;
    const Vec3 ways[] = {carries ? up : back, normalized(up + back), carries ? back : up};
    for (const Vec3& way : ways)
      for (const double distance : kRetreats) {
        const auto found = solver({X_WH.R, X_WH.p + distance * way}, 0).descend(q);
        if (!found) continue;
        double largest = 0;
        for (const int c : index_.joints)
          largest = std::max(largest, std::fabs((*found)[at(c)] - q[at(c)]));
        if (largest <= kLargestTurn && (!allowed_ || allowed_({{q, *found}, {}, {}})) &&
            prover_.is_free({q, *found, true}))
          return *found;
      }
    return q;
  }

  bool travel(const Configuration& leave, const Configuration& end, std::int64_t iterations,
              FoundMotion& motion) {
    const Configuration arrive = retreat(end);
    PlanOptions options;
    options.planner = options_.planner;
    options.seed = options_.seed;
    options.max_iterations = iterations;
    auto& waypoints = motion.path.waypoints;
    if (upright_) {
      waypoints =
          plan_upright(*upright_, leave, arrive, iterations, options_.seed, prover_, budget_)
              .waypoints;
      if (waypoints.empty()) return false;
    } else {
      const auto planned = plan(scene_, {leave, arrive, index_.joints}, options, budget_);
      if (!planned.ok() || planned.value().status != PlanStatus::solved) return false;
      waypoints = planned.value().path.waypoints;
    }
    if (leave != start_) waypoints.insert(waypoints.begin(), start_);
    // Continuous joints may arrive whole turns away from where they were asked to.
    Configuration last = end;
    for (const int c : index_.joints) last[at(c)] += waypoints.back()[at(c)] - arrive[at(c)];
    if (waypoints.back() != last) waypoints.push_back(last);
    add_grip(waypoints);
    motion.answer = Answer::yes;
    return true;
  }

  // Carrying begins and ends with open fingers, unless the object is in the hand already, or stays
  // there.
  void add_grip(std::vector<Configuration>& waypoints) const {
    if (request_.kind != MotionRequest::Kind::transfer || index_.fingers < 0) return;
    const auto opened = [&](Configuration q) {
      q[at(index_.fingers)] = arm_.open;
      return q;
    };
    if (!held_) waypoints.insert(waypoints.begin(), opened(waypoints.front()));
    if (!world_.find_place(request_.place)->meeting) waypoints.push_back(opened(waypoints.back()));
  }

  const World& world_;
  const MotionRequest& request_;
  const Arm& arm_;
  const Scene scene_;
  const MotionOptions& options_;
  double seconds_;
  Budget budget_;
  ArmIndex index_;
  bool held_;  // the object is in the hand already
  Prover prover_;
  Configuration start_;
  Allowed allowed_;
  std::optional<UprightProblem> upright_;
  int failed_ = 0;                       // descents of inverse kinematics
  std::map<std::string, int> contacts_;  // of postures at the end, by pair
};

// The poses of the place that are not proved to be taken and, on another object, are proved to
// hold; if there are none, why not.
struct FreePoses {
  std::vector<Pose> poses;
  std::string why_none;
};

// Of so many samples on a surface, so many are tried.
constexpr int kSamples = 64;
constexpr std::size_t kTried = 8;

// Samples on the surface that are free and proved to hold: others in every situation.
Result<FreePoses> poses_on_surface(const World& world, const Situation& before,
                                   const MotionRequest& request, std::uint64_t seed) {
  const Place& place = *world.find_place(request.place);
  FreePoses free;
  free.why_none =
      fmt::format("no free spot was found for '{}' on '{}'", request.object, place.name);
  Hasher hasher;
  for (const auto& q : before.q) hasher.add(std::span<const double>(q));
  hasher.add(to_text(request));
  const std::string hex = hasher.finish().hex();
  seed = 1'000'003 * seed + std::stoull(hex.substr(0, 15), nullptr, 16);
  for (const Pose& X_WO : sample_poses(world, place, before, kSamples, seed)) {
    if (!stands_on_surface(world, place, before, request.object, X_WO)) continue;
    const auto other = blocker(world, before, request.object, X_WO);
    if (!other.ok()) return other.error();
    if (other.value().empty()) free.poses.push_back(X_WO);
    if (free.poses.size() == kTried) break;
  }
  if (!free.poses.empty()) free.why_none.clear();
  return free;
}

Result<FreePoses> free_poses(const World& world, const Situation& before,
                             const MotionRequest& request) {
  const Place& place = *world.find_place(request.place);
  FreePoses free;
  std::string why = fmt::format("'{}', where place '{}' is, does not exist", place.on, place.name);
  if (place.on == request.object) return FreePoses{{}, "an object cannot stand on itself"};
  const std::vector<Pose> release = release_poses(world, place, before);
  const auto X_WS = frame_of(world, before, place.on);
  for (std::size_t i = 0; i < release.size(); ++i) {
    auto other = blocker(world, before, request.object, release[i]);
    if (other.ok() && other.value().empty() && !place.rest.empty())
      other = blocker(world, before, request.object, place.rest[i]);
    if (!other.ok()) return other.error();
    const bool stands = place.on.empty() || stands_on(world.elements_of(request.object), release[i],
                                                      world.elements_of(place.on), *X_WS);
    if (!other.value().empty())
      why = taken_text(place.name, other.value());
    else if (!stands)
      why = fmt::format("'{}' is not proved to stand on '{}'", request.object, place.on);
    else
      free.poses.push_back(release[i]);
  }
  if (free.poses.empty()) free.why_none = why;
  return free;
}

// Poses of the hand at the end, from those of the object.
Result<HandTargets> targets_of(const World& world, const Situation& before,
                               const MotionRequest& request, const Scene& scene,
                               std::uint64_t seed) {
  HandTargets targets;
  const Arm& arm = arm_of(world, request);
  const Pose X_TH = inverse(arm.X_HT);
  if (request.kind == MotionRequest::Kind::transit) {
    const Pose X_WO = *frame_of(world, before, request.object);
    for (const Pose& X_OT : world.find_graspable(request.object)->grasps.at(request.grasp))
      targets.poses.push_back(X_WO * X_OT * X_TH);
    return targets;
  }
  const Pose X_OH = relative_pose(before.poses.at(request.object),
                                  hand_pose(scene, index_arm(arm, scene.tree()), scene.home()));
  targets.proved = !world.find_place(request.place)->surface;
  const auto free = targets.proved ? free_poses(world, before, request)
                                   : poses_on_surface(world, before, request, seed);
  if (!free.ok()) return free.error();
  for (const Pose& X_WO : free.value().poses) targets.poses.push_back(X_WO * X_OH);
  targets.why_none = free.value().why_none;
  return targets;
}

}  // namespace

std::string to_text(const MotionRequest& request) {
  const std::string who = request.arm.empty() ? "" : request.arm + ": ";
  switch (request.kind) {
    case MotionRequest::Kind::transit:
      return fmt::format("{}transit {} {}", who, request.object, request.grasp);
    case MotionRequest::Kind::transfer:
      return fmt::format("{}transfer {} {}", who, request.object, request.place);
    case MotionRequest::Kind::operation:
      return fmt::format("{}operation {} {}", who, request.object, request.place);
    case MotionRequest::Kind::handover:
      return fmt::format("{}handover {}", who, request.object);
  }
  return {};
}

const Arm& arm_of(const World& world, const MotionRequest& request) {
  return world.arms[at(world.find_arm(request.arm))];
}

std::vector<Grip> grips_of(const World& world, const MotionRequest& request) {
  if (request.kind == MotionRequest::Kind::transit) return {};
  return {{world.find_arm(request.arm), request.object}};
}

SceneSource scene_of(const World& world, const Situation& before, const MotionRequest& request) {
  return scene_with(world, before, grips_of(world, request));
}

Result<std::optional<std::string>> refuse_early(const World& world, const MotionRequest& request,
                                                const StateReader& state) {
  using Reason = std::optional<std::string>;
  const Graspable* object = world.find_graspable(request.object);
  if (!object) return bad_input(fmt::format("there is no object '{}'", request.object));
  if (world.find_arm(request.arm) < 0)
    return bad_input(fmt::format("there is no arm '{}'", request.arm));
  if (request.kind == MotionRequest::Kind::operation ||
      request.kind == MotionRequest::Kind::handover)
    return Reason();
  if (request.kind == MotionRequest::Kind::transit) {
    const auto grasp = object->grasps.find(request.grasp);
    if (grasp == object->grasps.end()) return Reason("the object cannot be gripped this way");
    if (world.find_fixture(request.object)) return Reason();
    const auto X_WO = state.pose(request.object);
    if (!X_WO) return Reason();
    const RobotsAlone robots = robots_alone(world, {});
    const Arm& arm = arm_of(world, request);
    const ArmIndex index = index_arm(arm, robots.tree);
    const Pose X_TH = inverse(arm.X_HT);
    for (const Pose& X_OT : grasp->second)
      if (!beyond_reach(robots.tree, {index.hand, {}, *X_WO * X_OT * X_TH}, robots.rest,
                        index.joints))
        return Reason();
    return Reason(kOutOfReach);
  }
  const Place* place = world.find_place(request.place);
  if (!place) return bad_input(fmt::format("there is no place '{}'", request.place));
  if (place->surface) return Reason();
  // Its own pose here is of no matter: it is where it is carried.
  Situation known;
  known.poses[request.object] = {};
  if (world.find_fixture(place->on))
    if (const auto value = state.joint(place->on)) known.joints[place->on] = *value;
  for (const Object& other : world.objects)
    if (other.name != request.object &&
        (other.name == place->on || state.is_at(other.name, request.place)))
      if (const auto X_WO = state.pose(other.name)) known.poses[other.name] = *X_WO;
  const auto free = free_poses(world, known, request);
  if (!free.ok()) return free.error();
  return free.value().poses.empty() ? Reason(free.value().why_none) : Reason();
}

Result<FoundMotion> find_motion(const World& world, const Situation& before,
                                const MotionRequest& request, double seconds,
                                const MotionOptions& options) {
  if (const auto known = check_names(world, before, request); !known.ok()) return known.error();
  if (request.kind == MotionRequest::Kind::operation)
    return find_operation(world, before, request, options);
  if (request.kind == MotionRequest::Kind::handover) return find_handover(world, before, request);
  FoundMotion motion;
  if (request.kind == MotionRequest::Kind::transit &&
      !world.find_graspable(request.object)->grasps.contains(request.grasp)) {
    motion.answer = Answer::no;
    motion.reason = "the object cannot be gripped this way";
    return motion;
  }
  const auto scene = build_scene(scene_of(world, before, request));
  if (!scene.ok()) return scene.error();
  const auto targets = targets_of(world, before, request, scene.value(), options.seed);
  if (!targets.ok()) return targets.error();
  const auto model = CheckModel::build(scene.value(), proving_check());
  if (!model.ok()) return model.error();
  MotionFinder(world, before, request, model.value(), options, seconds)
      .find(targets.value(), motion);
  if (motion.answer != Answer::yes) return motion;
  motion.after = situation_after(world, before, request, motion.path);
  return motion;
}

Result<FoundMotion> timed_motion(const World& world, const Situation& before,
                                 const MotionRequest& request, const FoundMotion& found,
                                 const MotionOptions& options) {
  const auto scene = build_scene(scene_of(world, before, request));
  if (!scene.ok()) return scene.error();
  const ArmIndex index = index_arm(arm_of(world, request), scene.value().tree());
  const Allowed allowed = constraint_of(world, request, scene.value());
  FoundMotion motion = found;
  if (!allowed) {
    auto path = shortened(scene.value(), found.path, index.fingers, options.seed, {});
    if (!path.ok()) return path.error();
    motion.path = std::move(path).value();
  }
  auto timed = with_times(scene.value(), motion.path, index.fingers, allowed);
  // Shortcuts may graze what the path that was found keeps away from.
  if (!timed.ok()) timed = with_times(scene.value(), found.path, index.fingers, allowed);
  if (!timed.ok()) return timed.error();
  motion.path = std::move(timed).value();
  return motion;
}

}  // namespace proven::manipulation
