#include "manipulation/operate.h"

#include <fmt/format.h>

#include <cmath>

#include "proven/certify/prover.h"
#include "proven/plan/plan.h"

namespace proven::manipulation {
namespace {

using Configuration = std::vector<double>;

// The longest step of the joint, in metres or radians, and the shortest share of it.
constexpr double kLongestStep = 0.02;
constexpr double kShortestStep = kLongestStep / 64;
// A step that turns a joint of the arm by more is a jump to another posture.
constexpr double kLargestTurn = 0.3;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class Operator {
 public:
  Operator(const Arm& arm, const Fixture& fixture, Scene scene, CheckModel model,
           const MotionOptions& options)
      : scene_(std::move(scene)),
        index_(index_arm(arm, scene_.tree())),
        joint_(scene_.tree().find_coordinate(fixture.joint)),
        held_(held_handle(scene_, arm, fixture)),
        solver_(scene_.tree(), {index_.hand, {}, {}}, inverse_options(index_, options)),
        prover_(std::move(model)) {}

  // From the last waypoint until the joint is at `goal`. The reason if it does not get there.
  std::string move(double goal, std::vector<Configuration>& waypoints) {
    double step = kLongestStep;
    while (waypoints.back()[at(joint_)] != goal) {
      const Configuration& from = waypoints.back();
      const double value = from[at(joint_)], left = goal - value;
      const double to = std::fabs(left) <= step ? goal : value + std::copysign(step, left);
      std::string why;
      if (auto next = stepped(from, to, why)) {
        waypoints.push_back(std::move(*next));
        step = std::fmin(2 * step, kLongestStep);
      } else if ((step *= 0.5) < kShortestStep) {
        return fmt::format("at {:.3f} of the joint: {}", value, why);
      }
    }
    return {};
  }

 private:
  static InverseOptions inverse_options(const ArmIndex& index, const MotionOptions& options) {
    InverseOptions inverse;
    inverse.coordinates = index.joints;
    inverse.seed = options.seed;
    return inverse;
  }

  // The posture with the joint at `to`, if the way there is straight enough and free.
  std::optional<Configuration> stepped(const Configuration& from, double to, std::string& why) {
    Configuration guess = from;
    guess[at(joint_)] = to;
    LinkPoses poses;
    compute_poses(scene_.tree(), guess, poses);
    solver_.aim(poses.X_WL[at(held_.handle.link)] * held_.handle.X_LF);
    auto found = solver_.descend(guess);
    why = "no posture of the arm follows";
    if (!found) return std::nullopt;
    for (const int c : index_.joints)
      if (std::fabs((*found)[at(c)] - from[at(c)]) > kLargestTurn) return std::nullopt;
    why = "the handle would slip out of the hand";
    if (!stay_together(scene_.tree(), held_.hand, held_.handle, {{from, *found}, {}, {}}))
      return std::nullopt;
    const CheckResult checked = prover_.check(SegmentQuery{from, *found, true});
    if (checked.verdict == Verdict::free) return found;
    why = checked.verdict == Verdict::collision
              ? fmt::format("contact of {} and {}", scene_.body(checked.collision->bodies[0]).name,
                            scene_.body(checked.collision->bodies[1]).name)
              : "the way is not proved free";
    return std::nullopt;
  }

  Scene scene_;
  ArmIndex index_;
  int joint_;
  HeldHandle held_;
  InverseSolver solver_;
  Prover prover_;
};

}  // namespace

HeldHandle held_handle(const Scene& scene, const Arm& arm, const Fixture& fixture) {
  const ArmIndex index = index_arm(arm, scene.tree());
  LinkPoses poses;
  compute_poses(scene.tree(), scene.home(), poses);
  const int link = scene.tree().find_link(fixture.link);
  return {{index.hand, {}},
          {link, relative_pose(poses.X_WL[at(link)], poses.X_WL[at(index.hand)])}};
}

Result<FoundMotion> find_operation(const World& world, const Situation& before,
                                   const MotionRequest& request, const MotionOptions& options) {
  const Fixture& fixture = *world.find_fixture(request.object);
  auto scene = build_scene(scene_of(world, before, request));
  if (!scene.ok()) return scene.error();
  const auto model = CheckModel::build(scene.value(), proving_check());
  if (!model.ok()) return model.error();
  const Arm& arm = arm_of(world, request);
  const ArmIndex index = index_arm(arm, scene.value().tree());
  const Configuration open(scene.value().home().begin(), scene.value().home().end());
  FoundMotion motion;
  auto& waypoints = motion.path.waypoints;
  waypoints = {open};
  if (index.fingers >= 0) {
    waypoints.push_back(open);
    waypoints.back()[at(index.fingers)] = fixture.grip;
  }
  if (const auto beyond =
          LimitBox(scene.value().tree()).find_beyond(scene.value().tree(), waypoints.back())) {
    motion.reason = "with the hand closed " + describe(*beyond);
    return motion;
  }
  Scratch scratch;
  const auto start = model.value().check_configuration(waypoints.back(), scratch);
  if (start.verdict != Verdict::free) {
    motion.reason = "with the hand closed the start is not proved free of contact";
    return motion;
  }
  motion.reason = Operator(arm, fixture, scene.value(), model.value(), options)
                      .move(fixture.positions.at(request.place), waypoints);
  if (!motion.reason.empty()) return motion;
  if (index.fingers >= 0) {
    waypoints.push_back(waypoints.back());
    waypoints.back()[at(index.fingers)] = arm.open;
  }
  motion.answer = Answer::yes;
  motion.after = situation_after(world, before, request, motion.path);
  return motion;
}

}  // namespace proven::manipulation
