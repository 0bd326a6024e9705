#include "tools/task_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/kinematics/interpolation.h"
#include "tools/view/page.h"

namespace proven::tools {
namespace {

using manipulation::ArmIndex;
using manipulation::PlanStep;
using manipulation::Situation;
using manipulation::StepFiles;
using manipulation::World;
using Configuration = std::vector<double>;

// Configurations that are drawn differ by at most so much in every joint: radians, metres.
constexpr double kDrawnStep = 0.05;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

Quaternion quaternion_of(const Mat3& R) {
  // The largest of the four is computed first, for accuracy.
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  if (trace > 0) {
    const double w = 0.5 * std::sqrt(1 + trace);
    return {(R(2, 1) - R(1, 2)) / (4 * w), (R(0, 2) - R(2, 0)) / (4 * w),
            (R(1, 0) - R(0, 1)) / (4 * w), w};
  }
  int i = 0;
  for (int k = 1; k < 3; ++k)
    if (R(k, k) > R(i, i)) i = k;
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const double largest = 0.5 * std::sqrt(1 + R(i, i) - R(j, j) - R(k, k));
  Vec3 v;
  v[i] = largest;
  v[j] = (R(i, j) + R(j, i)) / (4 * largest);
  v[k] = (R(i, k) + R(k, i)) / (4 * largest);
  return {v.x, v.y, v.z, (R(k, j) - R(j, k)) / (4 * largest)};
}

// The world with every object free to float.
SceneSource floating_scene(const World& world, const Situation& situation) {
  SceneSource source = world.scene;
  for (const auto& [name, X_WO] : situation.poses) {
    const auto own = std::find_if(source.obstacles.begin(), source.obstacles.end(),
                                  [&](const ObstacleSource& o) { return o.name == name; });
    RobotSource floating;
    floating.name = floating.robot.name = name;
    floating.robot.links.resize(2);
    floating.robot.links[0].name = "world";
    floating.robot.links[1].name = "body";
    floating.robot.links[1].collision = own->elements;
    RobotJoint joint;
    joint.name = "place";
    joint.type = JointType::floating;
    joint.parent_link = "world";
    joint.child_link = "body";
    floating.robot.joints.push_back(joint);
    source.robots.push_back(std::move(floating));
  }
  std::erase_if(source.obstacles,
                [&](const ObstacleSource& o) { return world.find_object(o.name) != nullptr; });
  return source;
}

class Animator {
 public:
  Animator(const World& world, const Scene& drawn)
      : world_(world), drawn_(drawn), index_(manipulation::index_arm(world, drawn.tree())) {}

  // A step's path with the objects where they are during it.
  Result<Path> motion_of(const PlanStep& step, const Path& path) {
    const auto scene = build_scene(manipulation::scene_of(world_, step.before, step.request));
    if (!scene.ok()) return scene.error();
    const ArmIndex own = manipulation::index_arm(world_, scene.value().tree());
    Path shown;
    Situation now = step.before;
    for (std::size_t i = 0; i < path.waypoints.size(); ++i) {
      const Configuration& from = path.waypoints[i == 0 ? 0 : i - 1];
      const Configuration& to = path.waypoints[i];
      double largest = 0;
      for (std::size_t c = 0; c < to.size(); ++c)
        largest = std::max(largest, std::fabs(to[c] - from[c]));
      const int parts = std::max(1, static_cast<int>(std::ceil(largest / kDrawnStep)));
      for (int part = i == 0 ? parts : 1; part <= parts; ++part) {
        Configuration q = from;
        for (std::size_t c = 0; c < q.size(); ++c) q[c] += (to[c] - from[c]) * part / parts;
        move_along(scene.value(), q, now);
        shown.waypoints.push_back(drawn_configuration(now, q, own));
      }
    }
    // What is let go of over a hole falls.
    if (!(now.poses == step.after.poses))
      shown.waypoints.push_back(drawn_configuration(step.after, path.waypoints.back(), own));
    return shown;
  }

 private:
  // What a link carries, the hand or a drawer, goes with it.
  static void move_along(const Scene& scene, const Configuration& q, Situation& now) {
    for (auto& [name, X_WO] : now.poses)
      if (const int body = scene.find_body(name); body >= 0 && scene.body(body).link > 0)
        X_WO = scene.body_pose(body, q);
  }

  Configuration drawn_configuration(const Situation& now, const Configuration& q,
                                    const ArmIndex& own) {
    Configuration full(drawn_.home().begin(), drawn_.home().end());
    for (std::size_t i = 0; i < index_.joints.size(); ++i)
      full[at(index_.joints[i])] = q[at(own.joints[i])];
    if (index_.fingers >= 0) full[at(index_.fingers)] = q[at(own.fingers)];
    // Robots come first in both scenes, so that their coordinates are the same.
    for (const manipulation::Fixture& fixture : world_.fixtures) {
      const int c = drawn_.tree().find_coordinate(fixture.joint);
      full[at(c)] = q[at(c)];
    }
    for (const auto& [name, X_WO] : now.poses) {
      const int link = drawn_.tree().find_link(name + "/body");
      const int ball = drawn_.tree().link(link).joint.coordinate;
      // x, y and z come before the quaternion.
      for (int k = 0; k < 3; ++k) full[at(ball - 3 + k)] = X_WO.p[k];
      Quaternion r = quaternion_of(X_WO.R);
      Quaternion& last = last_[name];
      if (r.x * last.x + r.y * last.y + r.z * last.z + r.w * last.w < 0)
        r = {-r.x, -r.y, -r.z, -r.w};
      last = r;
      const double values[] = {r.x, r.y, r.z, r.w};
      for (int k = 0; k < 4; ++k) full[at(ball + k)] = values[k];
    }
    return full;
  }

  const World& world_;
  const Scene& drawn_;
  ArmIndex index_;
  std::map<std::string, Quaternion> last_;
};

}  // namespace

Result<void> write_task_page(const std::filesystem::path& file, const std::string& title,
                             const World& world, const std::vector<PlanStep>& steps,
                             const std::vector<StepFiles>& files) {
  if (steps.empty()) return bad_input("a plan without motions has nothing to show");
  const auto scene = build_scene(floating_scene(world, steps[0].before));
  if (!scene.ok()) return scene.error();
  ViewDocument document(title);
  document.set_scene(
      scene.value(),
      fmt::format("{} motions, drawn; each is proved and verified in its own files; {}",
                  steps.size(), size_of(scene.value())));
  Animator animator(world, scene.value());
  ShownMotion whole;
  whole.name = "the whole plan";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto path = animator.motion_of(steps[i], files[i].path);
    if (!path.ok()) return path.error();
    auto& all = whole.path.waypoints;
    whole.phases.emplace_back(all.size(), to_text(steps[i].request));
    all.insert(all.end(), path.value().waypoints.begin(), path.value().waypoints.end());
    ShownMotion motion;
    motion.name = fmt::format("{}: {}", i + 1, to_text(steps[i].request));
    motion.path = std::move(path).value();
    document.add_motion(scene.value(), motion);
  }
  if (std::ranges::all_of(files, [](const StepFiles& f) { return f.verified; })) {
    whole.verdict = to_string(Verdict::free);
    whole.meaning =
        fmt::format("each of the {} motions is proved and verified on its own", steps.size());
  }
  document.add_motion(scene.value(), whole);
  return write_page(file, document);
}

}  // namespace proven::tools
