#include "proven/scene/scene.h"

#include <cmath>

#include "foundation.h"
#include "proven/kinematics/motion_bounds.h"
#include "scene_hash.h"

namespace proven {

std::string_view describe(ExclusionReason reason) {
  switch (reason) {
    case ExclusionReason::rigid:
      return "never move relative to each other";
    case ExclusionReason::adjacent:
      return "joined by a joint";
    case ExclusionReason::touch:
      return "attached object may touch";
    case ExclusionReason::user:
      return "excluded in the scene file";
    case ExclusionReason::srdf_adjacent:
      return "SRDF: Adjacent";
    case ExclusionReason::srdf_default:
      return "SRDF: Default";
    case ExclusionReason::srdf_user:
      return "SRDF: User";
    case ExclusionReason::srdf_never:
      return "SRDF: Never (trusted, not proved)";
    case ExclusionReason::srdf_proved:
      return "SRDF: Never, proved (within joint limits, by whoever wrote the SRDF)";
  }
  return "";
}

const KinematicTree& Scene::tree() const {
  return foundation_->tree;
}

std::vector<int> Scene::bodies_without_inside() const {
  std::vector<bool> tested(bodies_.size(), false);
  for (const BodyPair& pair : pairs_)
    tested[static_cast<std::size_t>(pair.a)] = tested[static_cast<std::size_t>(pair.b)] = true;
  std::vector<int> found;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (tested[i] && !bodies_[i].geometry->is_solid()) found.push_back(static_cast<int>(i));
  return found;
}

PairClass Scene::pair_class(int a, int b) const {
  // The root link of the robot that a body belongs to or is held by.
  const auto root = [&](int index) {
    int link = body(index).link;
    while (link != 0 && tree().link(link).parent != 0) link = tree().link(link).parent;
    return link;
  };
  const int first_attached = static_cast<int>(bodies_.size()) - num_attached_;
  const auto is_obstacle = [&](int index) {
    return index >= foundation_->num_link_bodies && index < first_attached;
  };
  if (is_obstacle(a) || is_obstacle(b)) return PairClass::world;
  const int root_a = root(a), root_b = root(b);
  if (root_a != root_b) return PairClass::robots;
  return std::max(a, b) >= first_attached ? PairClass::attached : PairClass::self;
}

std::span<const TimedPart> Scene::timed() const {
  return foundation_->timed;
}

const Clearances& Scene::clearance() const {
  return rules_->clearance;
}

std::span<const JointGroup> Scene::groups() const {
  return foundation_->groups;
}

std::span<const GroupState> Scene::states() const {
  return foundation_->states;
}

std::span<const std::string> Scene::warnings() const {
  return foundation_->warnings;
}

std::vector<std::string> Scene::ignored() const {
  std::vector<std::string> list;
  for (const RobotSource& robot : foundation_->robots)
    for (const std::string& what : robot.robot.ignored) list.push_back(robot.name + ": " + what);
  return list;
}

Hash128 Scene::hash() const {
  return hash_scene(*this);
}

int Scene::find_body(std::string_view name) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].name == name) return static_cast<int>(i);
  return -1;
}

Pose Scene::body_pose(int body, std::span<const double> q) const {
  LinkPoses poses;
  compute_poses(tree(), q, poses);
  return body_pose(body, poses);
}

std::vector<int> Scene::pairs_that_never_meet(std::span<const Interval> ranges,
                                              double clearance) const {
  std::vector<BoundingSphere> swept;
  swept.reserve(bodies_.size());
  for (const Body& body : bodies_)
    swept.push_back(
        compute_motion_factors(tree(), body.link, body.X_LB, *body.geometry, ranges).swept_sphere);
  std::vector<int> apart;
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    if (spheres_apart(swept[static_cast<std::size_t>(pairs_[i].a)],
                      swept[static_cast<std::size_t>(pairs_[i].b)],
                      std::fmax(pairs_[i].clearance, clearance)))
      apart.push_back(static_cast<int>(i));
  return apart;
}

bool spheres_apart(const BoundingSphere& a, const BoundingSphere& b, double clearance) {
  // 2^-45 relative covers the handful of roundings here; the radii are rounded up already.
  const double reach = (a.radius + b.radius + clearance) * (1 + 0x1p-45);
  return norm(a.centre - b.centre) * (1 - 0x1p-45) > reach;
}

}  // namespace proven
