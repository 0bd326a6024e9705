#include "tools/task_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "proven/kinematics/interpolation.h"
#include "tools/view/motion_json.h"
#include "tools/view/page.h"
#include "tools/view/scene_json.h"

namespace proven::tools {
namespace {

using manipulation::PlanStep;
using manipulation::Situation;
using manipulation::StepFiles;
using manipulation::World;
using Configuration = std::vector<double>;
using Json = nlohmann::ordered_json;

// Configurations that are drawn differ by at most so much in every joint: radians, metres.
constexpr double kDrawnStep = 0.05;
// What falls takes this share of the time of the motion before.
constexpr double kFallShare = 0.05;

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

// A step's path in the drawn scene, with the objects where they are during it.
struct DrawnStep {
  Path path;
  std::vector<double> knots;          // of its waypoints
  std::vector<double> checked_knots;  // of the waypoints of the step's own path
};

struct Stretch {
  double begin = 0, end = 1;
};

class Animator {
 public:
  Animator(const World& world, const Scene& drawn)
      : robots_(manipulation::robots_alone(world, {}).rest.size()), drawn_(drawn) {}

  // `scene` is the motion's; after it objects are where `after` says, if it is given. Fills the
  // stretch of time.
  DrawnStep drawn(Situation now, const Situation* after, const Scene& scene, const Path& path,
                  Stretch stretch) {
    DrawnStep drawn;
    drawn.checked_knots = knots_of(path);
    for (std::size_t i = 0; i < path.waypoints.size(); ++i) {
      const std::size_t last = i == 0 ? 0 : i - 1;
      const Configuration &from = path.waypoints[last], &to = path.waypoints[i];
      double largest = 0;
      for (std::size_t c = 0; c < to.size(); ++c)
        largest = std::max(largest, std::fabs(to[c] - from[c]));
      const int parts = std::max(1, static_cast<int>(std::ceil(largest / kDrawnStep)));
      for (int part = i == 0 ? parts : 1; part <= parts; ++part) {
        Configuration q = from;
        const double share = static_cast<double>(part) / parts;
        for (std::size_t c = 0; c < q.size(); ++c) q[c] += (to[c] - from[c]) * share;
        move_along(scene, q, now);
        drawn.path.waypoints.push_back(configuration(now, q));
        drawn.knots.push_back(drawn.checked_knots[last] +
                              (drawn.checked_knots[i] - drawn.checked_knots[last]) * share);
      }
    }
    // What is let go of over a hole falls.
    if (after && !(now.poses == after->poses)) {
      drawn.path.waypoints.push_back(configuration(*after, path.waypoints.back()));
      drawn.knots.push_back(drawn.knots.back() + kFallShare * (drawn.checked_knots.back() -
                                                               drawn.checked_knots.front()));
    }
    if (drawn.path.waypoints.size() == 1) drawn.knots = drawn.checked_knots;
    const double first = drawn.knots.front();
    const double scale = (stretch.end - stretch.begin) / (drawn.knots.back() - first);
    for (std::vector<double>* knots : {&drawn.knots, &drawn.checked_knots})
      for (double& knot : *knots) knot = stretch.begin + scale * (knot - first);
    return drawn;
  }

  // The arms as the problem begins.
  Configuration first(const World& world, const Situation& now) {
    return configuration(now, manipulation::robots_alone(world, now).rest);
  }

 private:
  // What a link carries, the hand or a drawer, goes with it.
  static void move_along(const Scene& scene, const Configuration& q, Situation& now) {
    for (auto& [name, X_WO] : now.poses)
      if (const int body = scene.find_body(name); body >= 0 && scene.body(body).link > 0)
        X_WO = scene.body_pose(body, q);
  }

  Configuration configuration(const Situation& now, const Configuration& q) {
    Configuration full(drawn_.home().begin(), drawn_.home().end());
    // Robots come first in both scenes, so that their coordinates are the same.
    std::copy_n(q.begin(), robots_, full.begin());
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

  std::size_t robots_;  // coordinates of the world's own
  const Scene& drawn_;
  std::map<std::string, Quaternion> last_;
};

// Bodies of a step's scene in the drawn one, where objects are robots of their own.
std::vector<int> drawn_bodies(const Scene& scene, const Scene& drawn) {
  std::vector<int> places;
  for (const Body& body : scene.bodies()) {
    const int same = drawn.find_body(body.name);
    places.push_back(same >= 0 ? same : drawn.find_body(body.name + "/body"));
  }
  return places;
}

Json renamed_pairs(const Scene& scene, const std::vector<int>& to) {
  Json pairs = pairs_json(scene);
  for (Json& pair : pairs) {
    const int a = to[pair[0]], b = to[pair[1]];
    pair[0] = std::min(a, b);
    pair[1] = std::max(a, b);
  }
  return pairs;
}

Json renamed_exclusions(const Scene& scene, const std::vector<int>& to) {
  Json pairs = excluded_json(scene);
  for (Json& pair : pairs)
    for (const char* side : {"a", "b"}) pair[side] = to[pair[side].get<std::size_t>()];
  return pairs;
}

// A motion in its own scene with its proof.
Result<ShownMotion> shown_motion(const SceneSource& source, const Situation& before,
                                 const Situation* after, const StepFiles& files, const Scene& drawn,
                                 Animator& animator, Stretch stretch) {
  const auto scene = build_scene(source);
  if (!scene.ok()) return scene.error();
  ShownMotion motion;
  motion.path = files.path;
  motion.result = files.check;
  verify_motion(source, files.check.certificate, false, motion);
  const std::vector<int> to = drawn_bodies(scene.value(), drawn);
  motion.cells.rename_bodies(to);
  motion.pairs = renamed_pairs(scene.value(), to);
  motion.excluded = renamed_exclusions(scene.value(), to);
  DrawnStep shown = animator.drawn(before, after, scene.value(), files.path, stretch);
  motion.path = std::move(shown.path);
  motion.knots = std::move(shown.knots);
  motion.checked_knots = std::move(shown.checked_knots);
  return motion;
}

// When a step happens in the plan; nothing if it takes no time there.
std::optional<Stretch> stretch_of(const ShownTask& task, int action) {
  if (action < 0) return std::nullopt;
  const task::PlannedAction& planned = task.result.plan[at(action)];
  if (!(planned.duration > 0)) return std::nullopt;
  return Stretch{planned.start, planned.start + planned.duration};
}

// The motions of steps behind each other: at the times of the plan, unless some overlap there.
class WholePlan {
 public:
  WholePlan() { shown_.name = "the whole plan"; }

  void add(const ShownMotion& motion, const std::string& name) {
    const auto append = [](auto& list, const auto& more) {
      list.insert(list.end(), more.begin(), more.end());
    };
    in_turn_ = in_turn_ && motion.plan_clock &&
               (shown_.knots.empty() || motion.knots.front() >= shown_.knots.back());
    // Where one goes on as the last ended, that is drawn once.
    if (in_turn_ && !shown_.knots.empty() && motion.knots.front() == shown_.knots.back()) {
      shown_.knots.pop_back();
      shown_.path.waypoints.pop_back();
    }
    shown_.phases.emplace_back(shown_.path.waypoints.size(), name);
    append(shown_.path.waypoints, motion.path.waypoints);
    append(shown_.knots, motion.knots);
    append(shown_.checked_knots, motion.checked_knots);
  }

  ShownMotion& motion() {
    shown_.plan_clock = in_turn_;
    if (!in_turn_) shown_.knots = shown_.checked_knots = {};
    return shown_;
  }

 private:
  ShownMotion shown_;
  bool in_turn_ = true;
};

// Adds the scene and its motions; returns the place of each action's motion.
Result<std::vector<int>> add_motions(const ShownTask& task, const ShownSteps& geometry,
                                     ViewDocument& document) {
  const auto& [world, first, steps, files] = geometry;
  const auto scene = build_scene(floating_scene(world, first));
  if (!scene.ok()) return scene.error();
  document.set_scene(scene.value(), "");
  // Objects are robots in this scene alone.
  for (Json& body : document.json()["bodies"])
    for (const auto& [name, pose] : first.poses)
      if (body["name"] == name + "/body") body["name"] = name;
  Animator animator(world, scene.value());
  document.json()["home"] = animator.first(world, first);
  // Whatever is tested, is tested in the scene of a step.
  document.json()["pairs"] = document.json()["excluded"] = Json::array();
  const std::vector<int> actions = actions_of(task, steps);
  std::vector<int> motions(task.result.plan.size(), -1);
  struct Happening {
    double begin = 0;
    ShownMotion motion;
    std::string label;
  };
  std::vector<Happening> all;
  std::vector<std::uint8_t> overlaps(steps.size(), 0);
  for (const manipulation::TogetherFiles& together : files.together)
    for (const int i : together.stretch.steps) overlaps[at(i)] = 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto stretch = stretch_of(task, actions[i]);
    auto motion = shown_motion(manipulation::scene_of(world, steps[i].before, steps[i].request),
                               steps[i].before, &steps[i].after, files.steps[i], scene.value(),
                               animator, stretch.value_or(Stretch{}));
    if (!motion.ok()) return motion.error();
    motion.value().plan_clock = stretch.has_value();
    motion.value().name = fmt::format("{}: {}", i + 1, to_text(steps[i].request));
    if (actions[i] >= 0) motions[at(actions[i])] = static_cast<int>(i);
    document.add_motion(scene.value(), motion.value());
    if (!overlaps[i])
      all.push_back(
          {stretch ? stretch->begin : 0, std::move(motion).value(), to_text(steps[i].request)});
  }
  for (const manipulation::TogetherFiles& together : files.together) {
    const manipulation::Stretch& part = together.stretch;
    auto motion = shown_motion(part.scene, part.situation, nullptr, together, scene.value(),
                               animator, {part.begin, part.end});
    if (!motion.ok()) return motion.error();
    motion.value().plan_clock = true;
    for (const int i : part.steps)
      motion.value().name += fmt::format("{}{}", motion.value().name.empty() ? "" : " | ",
                                         to_text(steps[at(i)].request));
    document.add_motion(scene.value(), motion.value());
    const std::string label = motion.value().name;
    all.push_back({part.begin, std::move(motion).value(), label});
  }
  if (steps.empty()) return motions;
  // What overlaps has times.
  if (!files.together.empty()) std::ranges::stable_sort(all, {}, &Happening::begin);
  WholePlan whole;
  for (const Happening& happening : all) whole.add(happening.motion, happening.label);
  const auto verified = [](const StepFiles& f) { return f.verified; };
  if (std::ranges::all_of(files.steps, verified) && std::ranges::all_of(files.together, verified)) {
    whole.motion().verdict = to_string(Verdict::free);
    whole.motion().meaning =
        files.together.empty()
            ? fmt::format("each of the {} motions is proved and verified on its own", steps.size())
            : fmt::format(
                  "each of the {} motions is proved and verified on its own, and where they "
                  "overlap, all arms together",
                  steps.size());
  }
  document.add_motion(scene.value(), whole.motion());
  return motions;
}

}  // namespace

Result<void> write_task_page(const std::filesystem::path& file, const ShownTask& task,
                             const ShownSteps* geometry) {
  ViewDocument document(task.problem.name);
  std::vector<int> motions;
  if (geometry) {
    auto added = add_motions(task, *geometry, document);
    if (!added.ok()) return added.error();
    motions = std::move(added).value();
  }
  document.json()["subtitle"] = "domain " + task.domain.name;
  for (const std::string& remark : task.problem.remarks)
    document.json()["warnings"].push_back(remark);
  document.json()["task"] = task_json(task, motions);
  return write_page(file, document);
}

}  // namespace proven::tools
