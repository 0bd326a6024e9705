#include "manipulation/handover.h"

#include <fmt/format.h>

#include "proven/certify/check.h"

namespace proven::manipulation {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// The hand that takes and the one that gives: coordinates of their fingers, -1 without.
struct Hands {
  int taker = -1, giver = -1;
  double open = 0;  // of the giver's fingers
};

Hands hands_of(const World& world, const Situation& before, const MotionRequest& request,
               const Scene& scene) {
  const Arm& giver = world.arms[at(before.held.at(request.object))];
  return {index_arm(arm_of(world, request), scene.tree()).fingers,
          index_arm(giver, scene.tree()).fingers, giver.open};
}

// Whether the coordinate has this value on the whole piece.
bool rests_at(const MotionPiece& piece, int coordinate, double value) {
  for (int k = 0; k <= piece.degree(); ++k)
    if (!(piece.control(k)[at(coordinate)] == value)) return false;
  return true;
}

constexpr const char* kNotAround = "the hand is not around the object";

bool is_around(const World& world, const Situation& before, const MotionRequest& request,
               const Scene& scene) {
  const Arm& arm = arm_of(world, request);
  const Pose X_WH = hand_pose(scene, index_arm(arm, scene.tree()), scene.home());
  return is_at_grasp(world, before, arm, X_WH, request.object);
}

}  // namespace

Result<FoundMotion> find_handover(const World& world, const Situation& before,
                                  const MotionRequest& request) {
  const auto scene = build_scene(scene_of(world, before, request));
  if (!scene.ok()) return scene.error();
  FoundMotion motion;
  if (!is_around(world, before, request, scene.value())) {
    motion.answer = Answer::no;
    motion.reason = kNotAround;
    return motion;
  }
  const Hands hands = hands_of(world, before, request, scene.value());
  auto& waypoints = motion.path.waypoints;
  waypoints.emplace_back(scene.value().home().begin(), scene.value().home().end());
  const auto move = [&](int fingers, double value) {
    if (fingers < 0) return;
    waypoints.push_back(waypoints.back());
    waypoints.back()[at(fingers)] = value;
  };
  move(hands.taker, world.find_object(request.object)->grip);
  move(hands.giver, hands.open);
  Scratch scratch;
  const auto checked = check(scene.value(), motion.path, {}, scratch);
  if (!checked.ok()) return checked.error();
  if (checked.value().verdict != Verdict::free) {
    const bool contact = checked.value().verdict == Verdict::collision;
    motion.answer = contact ? Answer::no : Answer::unknown;
    motion.reason = contact
                        ? fmt::format("contact of {} and {}",
                                      scene.value().body(checked.value().collision->bodies[0]).name,
                                      scene.value().body(checked.value().collision->bodies[1]).name)
                        : "the fingers are not proved free of contact";
    return motion;
  }
  motion.answer = Answer::yes;
  motion.after = situation_after(world, before, request, motion.path);
  return motion;
}

std::string refute_fingers(const World& world, const Situation& before,
                           const MotionRequest& request, const Scene& scene, const Motion& motion) {
  if (!is_around(world, before, request, scene)) return kNotAround;
  const Hands hands = hands_of(world, before, request, scene);
  const double grip = world.find_object(request.object)->grip;
  for (int i = 0; i < motion.num_segments(); ++i) {
    const MotionPiece piece = motion.piece(i);
    for (int c = 0; c < scene.tree().num_coordinates(); ++c)
      if (c != hands.taker && c != hands.giver && !rests_at(piece, c, piece.from[at(c)]))
        return fmt::format("it moves {}", scene.tree().coordinates()[at(c)].name);
    if (hands.taker >= 0 && hands.giver >= 0 && !rests_at(piece, hands.taker, grip) &&
        !rests_at(piece, hands.giver, grip))
      return "the object is in neither hand";
  }
  if (hands.giver >= 0 && motion.waypoints.back()[at(hands.giver)] != hands.open)
    return "the other hand does not let go";
  return {};
}

}  // namespace proven::manipulation
