// What a path does, whoever made it: where it ends, and whether it is the motion that was asked
// for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manipulation/handover.h"
#include "manipulation/operate.h"
#include "manipulation/upright.h"
#include "proven/certify/check.h"

namespace proven::manipulation {
namespace {

using Configuration = std::vector<double>;

// Where the object is put must be its pose in the place: metres, and entries of the rotation.
constexpr double kPlaceTolerance = 1e-5;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

double difference(const Pose& a, const Pose& b) {
  double largest = norm(a.p - b.p);
  for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, max_abs(a.R.row[i] - b.R.row[i]));
  return largest;
}

using Kind = MotionRequest::Kind;

// Whether a coordinate has one value on the whole piece.
bool rests(const MotionPiece& piece, int coordinate) {
  for (int k = 1; k <= piece.degree(); ++k)
    if (piece.control(k)[at(coordinate)] != piece.from[at(coordinate)]) return false;
  return true;
}

// What may move, and the arm only while the fingers hold what is carried. A polynomial whose
// control points are equal is constant, and one that is constant has such.
std::string refute_movers(const World& world, const Scene& scene, const ArmIndex& index,
                          const MotionRequest& request, const Path& path) {
  std::vector<std::uint8_t> is_arm(scene.home().size(), 0);
  for (const int c : index.joints) is_arm[at(c)] = 1;
  if (request.kind == Kind::operation) {
    const int joint = scene.tree().find_coordinate(world.find_fixture(request.object)->joint);
    is_arm[at(joint)] = 1;
  }
  const bool holds = request.kind != Kind::transit && index.fingers >= 0;
  for (int i = 0; i < path.num_segments(); ++i) {
    const MotionPiece piece = path.piece(i);
    bool arm_moves = false;
    for (int c = 0; c < scene.tree().num_coordinates(); ++c) {
      if (rests(piece, c)) continue;
      if (!is_arm[at(c)] && !(holds && c == index.fingers))
        return fmt::format("it moves {}", scene.tree().coordinates()[at(c)].name);
      arm_moves = arm_moves || is_arm[at(c)];
    }
    if (arm_moves && holds &&
        !(rests(piece, index.fingers) &&
          piece.from[at(index.fingers)] == world.find_graspable(request.object)->grip))
      return "the arm moves while the fingers do not hold";
  }
  return {};
}

// Whether the last configuration is at the grasp, place or position.
bool arrives(const World& world, const Situation& before, const MotionRequest& request,
             const Scene& scene, const Configuration& last) {
  if (request.kind == Kind::operation) {
    const Fixture& fixture = *world.find_fixture(request.object);
    return last[at(scene.tree().find_coordinate(fixture.joint))] ==
           fixture.positions.at(request.place);
  }
  const Arm& arm = arm_of(world, request);
  const Pose X_WH = hand_pose(scene, index_arm(arm, scene.tree()), last);
  if (request.kind == Kind::transit)
    return is_at_grasp(world, before, arm, X_WH, request.object, &request.grasp);
  const Pose X_WO = X_WH * scene.body(scene.find_body(request.object)).X_LB;
  const Place& place = *world.find_place(request.place);
  if (place.surface) return stands_on_surface(world, place, before, request.object, X_WO);
  const auto poses = release_poses(world, place, before);
  return std::any_of(poses.begin(), poses.end(),
                     [&](const Pose& pose) { return difference(X_WO, pose) <= kPlaceTolerance; });
}

// Errors unless the hand has in it what the motion needs.
Result<void> check_hands(const World& world, const Situation& before,
                         const MotionRequest& request) {
  const int arm = world.find_arm(request.arm);
  const auto holder = before.held.find(request.object);
  const bool mine = holder != before.held.end() && holder->second == arm;
  const bool others = holder != before.held.end() && holder->second != arm;
  for (const auto& [object, hand] : before.held)
    if (hand == arm && !(request.kind == Kind::transfer && mine))
      return bad_input(
          fmt::format("the hand of '{}' is not empty: it holds '{}'", request.arm, object));
  if (request.kind == Kind::transfer && others)
    return bad_input(fmt::format("'{}' is in another hand", request.object));
  if (request.kind == Kind::handover && !others)
    return bad_input(fmt::format("'{}' is in no other hand", request.object));
  return {};
}

}  // namespace

bool is_at_grasp(const World& world, const Situation& situation, const Arm& arm, const Pose& X_WH,
                 const std::string& object, const std::string* grasp) {
  const Pose X_WO = *frame_of(world, situation, object);
  for (const auto& [name, poses] : world.find_graspable(object)->grasps)
    for (const Pose& X_OT : poses)
      if ((!grasp || name == *grasp) && difference(X_WH * arm.X_HT, X_WO * X_OT) <= kPlaceTolerance)
        return true;
  return false;
}

Result<void> check_names(const World& world, const Situation& before,
                         const MotionRequest& request) {
  const Fixture* fixture = world.find_fixture(request.object);
  const bool carries = request.kind == Kind::transfer, operates = request.kind == Kind::operation;
  if (world.find_arm(request.arm) < 0)
    return bad_input(fmt::format("there is no arm '{}'", request.arm));
  if (carries || request.kind == Kind::handover ? !world.find_object(request.object)
      : operates                                ? !fixture
                                                : !world.find_graspable(request.object))
    return bad_input(
        fmt::format("there is no {} '{}'", operates ? "fixture" : "object", request.object));
  if (!fixture && !before.poses.contains(request.object))
    return bad_input(fmt::format("object '{}' has no pose", request.object));
  for (const Fixture& each : world.fixtures)
    if (!before.joints.contains(each.name))
      return bad_input(fmt::format("fixture '{}' has no position", each.name));
  if (operates && !fixture->positions.contains(request.place))
    return bad_input(fmt::format("'{}' has no position '{}'", request.object, request.place));
  if (before.q.size() != world.arms.size())
    return bad_input(
        fmt::format("there are {} arms, the state has {}", world.arms.size(), before.q.size()));
  for (std::size_t a = 0; a < before.q.size(); ++a)
    if (before.q[a].size() != world.arms[a].joints.size())
      return bad_input(fmt::format("the arm has {} joints, the state {}",
                                   world.arms[a].joints.size(), before.q[a].size()));
  if (carries && !world.find_place(request.place))
    return bad_input(fmt::format("there is no place '{}'", request.place));
  return check_hands(world, before, request);
}

Allowed constraint_of(const World& world, const MotionRequest& request, const Scene& scene) {
  if (const auto upright = upright_problem(world, request, scene))
    return [&tree = scene.tree(), frame = upright->frame, cone = upright->cone](
               const Motion& motion) { return stays_upright(tree, frame, cone, motion); };
  if (request.kind != Kind::operation) return {};
  const HeldHandle held =
      held_handle(scene, arm_of(world, request), *world.find_fixture(request.object));
  return [&tree = scene.tree(), held](const Motion& motion) {
    return stay_together(tree, held.hand, held.handle, motion);
  };
}

Situation situation_after(const World& world, const Situation& before, const MotionRequest& request,
                          const Path& path) {
  const RobotsAlone robots = robots_alone(world, before);
  const int arm = world.find_arm(request.arm);
  const ArmIndex index = index_arm(world.arms[at(arm)], robots.tree);
  const auto hand_at = [&](const Configuration& q) {
    LinkPoses poses;
    compute_poses(robots.tree, q, poses);
    return poses.X_WL[at(index.hand)];
  };
  const Configuration& last = path.waypoints.back();
  Situation after = before;
  if (request.kind == Kind::operation) {
    const Fixture& fixture = *world.find_fixture(request.object);
    after =
        with_joint(world, before, fixture, last[at(robots.tree.find_coordinate(fixture.joint))]);
  }
  for (std::size_t i = 0; i < index.joints.size(); ++i)
    after.q[at(arm)][i] = last[at(index.joints[i])];
  if (request.kind == Kind::handover) after.held[request.object] = arm;
  if (request.kind != Kind::transfer) return after;
  const Pose X_HO = relative_pose(hand_at(robots.rest), before.poses.at(request.object));
  const Pose X_WO = hand_at(last) * X_HO;
  const Place& place = *world.find_place(request.place);
  after.poses[request.object] = X_WO;
  after.held.erase(request.object);
  if (place.meeting) after.held[request.object] = arm;
  for (std::size_t i = 0; i < place.rest.size(); ++i)
    if (difference(place.release[i], X_WO) <= kPlaceTolerance)
      after.poses[request.object] = place.rest[i];
  return after;
}

Result<std::string> refute_motion(const World& world, const Situation& before,
                                  const MotionRequest& request, const Path& path) {
  if (const auto known = check_names(world, before, request); !known.ok()) return known.error();
  const auto built = build_scene(scene_of(world, before, request));
  if (!built.ok()) return built.error();
  const Scene& scene = built.value();
  const int arm = world.find_arm(request.arm);
  const ArmIndex index = index_arm(world.arms[at(arm)], scene.tree());
  if (path.waypoints.empty() || !std::ranges::equal(path.waypoints.front(), scene.home()))
    return std::string("it does not start where the arm is");
  if (auto why = request.kind == Kind::handover
                     ? refute_fingers(world, before, request, scene, path)
                     : refute_movers(world, scene, index, request, path);
      !why.empty())
    return why;
  const Configuration& last = path.waypoints.back();
  const Situation after = situation_after(world, before, request, path);
  if (index.fingers >= 0 && last[at(index.fingers)] != fingers_of(world, after, arm))
    return std::string(after.held.contains(request.object)
                           ? "it does not end with the object in the hand"
                           : "it does not end with open fingers");
  if (request.kind != Kind::handover && !arrives(world, before, request, scene, last))
    return std::string("it does not end at the place or grasp");
  if (const Allowed allowed = constraint_of(world, request, scene); allowed && !allowed(path))
    return std::string(request.kind == Kind::operation
                           ? "the handle is not proved to stay in the hand"
                           : "what is carried is not proved to stay upright");
  if (!path.times.empty())
    if (auto why = refute_times(scene.tree(), path); !why.empty()) return why;
  Scratch scratch;
  const auto checked = check(scene, path, {}, scratch);
  if (!checked.ok()) return checked.error();
  if (checked.value().verdict != Verdict::free)
    return fmt::format("it is not proved free: {}", to_string(checked.value().verdict));
  return std::string();
}

}  // namespace proven::manipulation
