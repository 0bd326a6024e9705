#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "foundation.h"
#include "proven/base/largest_number.h"
#include "proven/base/parallel.h"
#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/rounding.h"
#include "proven/scene/pair_model.h"
#include "proven/scene/remark_words.h"

namespace proven {
namespace {

// A body before its geometry is built.
struct PendingBody {
  enum class Kind { link, obstacle, attached };
  Kind kind;
  Body body;
  std::vector<CollisionElement> elements;
};

Result<void> check_pose(const std::string& name, const Pose& X) {
  if (is_rigid(X)) return {};
  return bad_input(fmt::format("the pose of '{}' is not a rotation and a translation", name));
}

}  // namespace

struct SceneBuilder::State {
  Scene::Foundation foundation;
  PairRules rules;
  std::vector<PendingBody> bodies;
  int num_attached = 0;
  std::vector<Scene::Touch> touches;
  std::set<std::string, std::less<>> names;  // of bodies, links and robots
  std::map<std::string, double> home;

  Result<void> claim(const std::string& name, std::string_view what) {
    if (name.empty()) return bad_input(fmt::format("a {} needs a name", what));
    if (!names.insert(name).second)
      return bad_input(
          fmt::format("the name '{}' is used twice; names of robots, obstacles and "
                      "attached objects must differ",
                      name));
    return {};
  }
  Result<void> must_exist(const std::string& name) const {
    if (names.contains(name)) return {};
    return bad_input(
        fmt::format("there is no body named '{}'; bodies are 'robot/link', or the "
                    "name of an obstacle or attached object",
                    name));
  }
  void exclude_links(const std::string& a, const std::string& b, ExclusionReason reason) {
    rules.of_robots.emplace(ordered(a, b), reason);
    if (reason != ExclusionReason::srdf_proved) rules.everywhere.emplace(ordered(a, b), reason);
  }
  std::vector<DisabledPair> proved_pairs;  // of bodies
  void add_disabled_pairs(const Robot& robot, const std::string& name);
  void add_states(const Robot& robot, const std::string& name);
  // Of the coordinates from `first` on; null: they do not follow the clock.
  Result<void> add_timed_part(const std::string& name, int first,
                              const std::shared_ptr<const Motion>& motion, double late);
  Result<void> prepare_geometry();
};

SceneBuilder::SceneBuilder() : state_(std::make_unique<State>()) {}
SceneBuilder::~SceneBuilder() = default;
SceneBuilder::SceneBuilder(SceneBuilder&&) noexcept = default;
SceneBuilder& SceneBuilder::operator=(SceneBuilder&&) noexcept = default;

void SceneBuilder::State::add_disabled_pairs(const Robot& robot, const std::string& name) {
  for (const DisabledPair& pair : robot.disabled_pairs) {
    const std::string a = name + "/" + pair.link_a, b = name + "/" + pair.link_b;
    if (pair.reason == "Adjacent") {
      exclude_links(a, b, ExclusionReason::srdf_adjacent);
    } else if (pair.reason == "Default") {
      exclude_links(a, b, ExclusionReason::srdf_default);
    } else if (pair.reason == "User") {
      exclude_links(a, b, ExclusionReason::srdf_user);
    } else if (pair.reason.starts_with(kProvedFor)) {
      exclude_links(a, b, ExclusionReason::srdf_proved);
      proved_pairs.push_back({a, b, pair.reason});
    } else if (pair.reason == "Never") {
      rules.never.emplace(ordered(a, b), ExclusionReason::srdf_never);
    } else {
      foundation.warnings.push_back(fmt::format(
          "SRDF disables {} and {} with reason '{}'; only Adjacent, Default, User and what doctor "
          "proved exclude a pair, so it is tested. Exclude it in the scene file if that is right",
          a, b, pair.reason));
    }
  }
}

// Joints of several values become their coordinates.
void SceneBuilder::State::add_states(const Robot& robot, const std::string& name) {
  static const std::vector<std::string> kPlanar = {".x", ".y", ".angle"};
  static const std::vector<std::string> kFloating = {".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"};
  for (const GroupState& state : robot.states) {
    GroupState named{state.name, name + "/" + state.group, {}};
    for (const auto& [joint, values] : state.joints) {
      const std::string full = name + "/" + joint;
      if (values.size() == 1) {
        named.joints.push_back({full, values});
        continue;
      }
      const auto& suffixes = values.size() == kPlanar.size() ? kPlanar : kFloating;
      for (std::size_t i = 0; i < values.size() && i < suffixes.size(); ++i)
        named.joints.push_back({full + suffixes[i], {values[i]}});
    }
    foundation.states.push_back(std::move(named));
  }
}

Result<void> SceneBuilder::State::add_timed_part(const std::string& name, int first,
                                                 const std::shared_ptr<const Motion>& motion,
                                                 double late) {
  if (!(late >= 0 && late <= kLargestNumber))
    return bad_input(
        fmt::format("'{}' may be {} s late; it must be a number from 0 to 1e9", name, late));
  if (!motion)
    return late > 0 ? bad_input(fmt::format("'{}' may be late, but has no motion", name))
                    : Result<void>{};
  const int count = foundation.tree.num_coordinates() - first;
  const TimedPart part{name, first, count, motion, late};
  if (auto valid = check_timed_part(foundation.tree, part); !valid.ok()) return valid;
  foundation.timed.push_back(part);
  return {};
}

Result<void> SceneBuilder::add_robot(const Robot& robot, const std::string& name, const Pose& X_WR,
                                     std::shared_ptr<const Motion> motion, double late) {
  State& s = *state_;
  if (auto claimed = s.claim(name, "robot"); !claimed.ok()) return claimed;
  const int first = s.foundation.tree.num_coordinates();
  if (auto added = s.foundation.tree.add_robot(robot, name, X_WR); !added.ok()) return added;
  if (auto timed = s.add_timed_part(name, first, motion, late); !timed.ok()) return timed;
  s.foundation.robots.push_back({name, robot, X_WR, std::move(motion), late});
  for (const RobotLink& link : robot.links) {
    const std::string full = name + "/" + link.name;
    s.names.insert(full);
    if (link.collision.empty()) {
      if (link.has_visual)
        s.foundation.warnings.push_back(fmt::format("link {}{}", full, remark_words::kVisualOnly));
      continue;
    }
    const int index = s.foundation.tree.find_link(full);
    s.bodies.push_back(
        {PendingBody::Kind::link, Body{full, index, Pose{}, link.geometry}, link.collision});
  }
  for (const RobotJoint& joint : robot.joints)
    s.exclude_links(name + "/" + joint.parent_link, name + "/" + joint.child_link,
                    ExclusionReason::adjacent);
  s.add_disabled_pairs(robot, name);
  for (JointGroup group : robot.groups) {
    group.name = name + "/" + group.name;
    for (std::string& joint : group.joints) joint = name + "/" + joint;
    s.foundation.groups.push_back(std::move(group));
  }
  s.add_states(robot, name);
  for (const std::string& warning : robot.warnings)
    s.foundation.warnings.push_back(name + ": " + warning);
  return {};
}

Result<void> SceneBuilder::add_obstacle(const std::string& name,
                                        std::vector<CollisionElement> elements, const Pose& X_WB,
                                        std::shared_ptr<const BodyGeometry> geometry) {
  if (auto claimed = state_->claim(name, "obstacle"); !claimed.ok()) return claimed;
  if (auto valid = check_pose(name, X_WB); !valid.ok()) return valid;
  state_->bodies.push_back(
      {PendingBody::Kind::obstacle, Body{name, 0, X_WB, std::move(geometry)}, std::move(elements)});
  return {};
}

Robot mover() {
  Robot robot;
  robot.links.resize(2);
  robot.links[0].name = "frame";
  robot.links[1].name = "body";
  RobotJoint joint;
  joint.name = "motion";
  joint.type = JointType::floating;
  joint.parent_link = "frame";
  joint.child_link = "body";
  robot.joints.push_back(std::move(joint));
  return robot;
}

Result<void> SceneBuilder::add_obstacle(ObstacleSource obstacle) {
  if (!obstacle.motion && obstacle.late != 0)
    return bad_input(fmt::format("'{}' may be late, but has no motion", obstacle.name));
  if (!obstacle.moves())
    return add_obstacle(obstacle.name, std::move(obstacle.elements), obstacle.X_WB,
                        std::move(obstacle.geometry));
  State& s = *state_;
  if (auto claimed = s.claim(obstacle.name, "obstacle"); !claimed.ok()) return claimed;
  if (auto valid = check_pose(obstacle.name, obstacle.X_WB); !valid.ok()) return valid;
  if (!std::isfinite(obstacle.grows) || obstacle.grows < 0)
    return bad_input(fmt::format("'{}' grows by {} m/s; it must be a number >= 0", obstacle.name,
                                 obstacle.grows));
  const int first = s.foundation.tree.num_coordinates();
  if (auto added = s.foundation.tree.add_robot(mover(), obstacle.name, obstacle.X_WB); !added.ok())
    return added;
  // Without a motion it stays where it is.
  const auto motion =
      obstacle.motion ? obstacle.motion
                      : std::make_shared<const Motion>(Motion{{{0, 0, 0, 0, 0, 0, 1}}, {0.0}, {}});
  if (auto timed = s.add_timed_part(obstacle.name, first, motion, obstacle.late); !timed.ok())
    return timed;
  const int link = s.foundation.tree.find_link(obstacle.name + "/body");
  s.bodies.push_back(
      {PendingBody::Kind::obstacle,
       Body{obstacle.name, link, Pose{}, std::move(obstacle.geometry), obstacle.grows},
       std::move(obstacle.elements)});
  obstacle.elements.clear();
  obstacle.geometry.reset();
  s.foundation.movers.push_back(std::move(obstacle));
  return {};
}

Result<void> SceneBuilder::attach(const std::string& name, const std::string& link,
                                  std::vector<CollisionElement> elements, const Pose& X_LB,
                                  const std::vector<std::string>& touch,
                                  std::shared_ptr<const BodyGeometry> geometry) {
  State& s = *state_;
  const int link_index = s.foundation.tree.find_link(link);
  if (link_index <= 0)
    return bad_input(
        fmt::format("'{}' is attached to '{}', but there is no such link; links are "
                    "'robot/link'",
                    name, link));
  if (auto claimed = s.claim(name, "attached object"); !claimed.ok()) return claimed;
  if (auto valid = check_pose(name, X_LB); !valid.ok()) return valid;
  for (const std::string& other : touch) {
    if (auto exists = s.must_exist(other); !exists.ok()) return exists;
    s.touches.push_back({name, other});
  }
  ++s.num_attached;
  s.bodies.push_back({PendingBody::Kind::attached,
                      Body{name, link_index, X_LB, std::move(geometry)}, std::move(elements)});
  return {};
}

Result<void> SceneBuilder::exclude(const std::string& body_a, const std::string& body_b,
                                   std::string note) {
  State& s = *state_;
  for (const std::string& name : {body_a, body_b})
    if (auto exists = s.must_exist(name); !exists.ok()) return exists;
  if (body_a == body_b)
    return bad_input(fmt::format("'{}' is excluded against itself; name two bodies", body_a));
  s.rules.excluded.emplace(ordered(body_a, body_b), std::move(note));
  return {};
}

Result<void> SceneBuilder::set_pair_clearance(const std::string& body_a, const std::string& body_b,
                                              double clearance) {
  for (const std::string& name : {body_a, body_b})
    if (auto exists = state_->must_exist(name); !exists.ok()) return exists;
  if (auto valid = check_pair_clearance(body_a, body_b, clearance); !valid.ok()) return valid;
  // Of several the strictest counts.
  const auto [place, is_new] = state_->rules.clearances.emplace(ordered(body_a, body_b), clearance);
  if (!is_new) place->second = std::max(place->second, clearance);
  return {};
}

Result<void> SceneBuilder::set_clearance(const Clearances& clearance) {
  if (auto valid = check_clearances(clearance); !valid.ok()) return valid;
  state_->rules.clearance = clearance;
  return {};
}

Result<void> SceneBuilder::set_home(const std::string& coordinate, double value) {
  if (!std::isfinite(value))
    return bad_input(fmt::format("the home value of '{}' is not a finite number", coordinate));
  state_->home[coordinate] = value;
  return {};
}

void SceneBuilder::trust_srdf_never(bool trust) {
  state_->rules.trust_never = trust;
}

void SceneBuilder::add_warning(std::string warning) {
  state_->foundation.warnings.push_back(warning);
  state_->foundation.source_warnings.push_back(std::move(warning));
}

namespace {

Result<std::vector<double>> home_configuration(const KinematicTree& tree,
                                               const std::map<std::string, double>& values) {
  std::vector<double> home = tree.zero_configuration();
  for (const auto& [name, value] : values) {
    const int index = tree.find_coordinate(name);
    if (index < 0)
      return bad_input(
          fmt::format("home names '{}', but no joint that can move has that name "
                      "(joints are 'robot/joint'; a mimic joint follows another)",
                      name));
    home[static_cast<std::size_t>(index)] = value;
  }
  return home;
}

}  // namespace

// Prepares what has not been prepared yet, on all cores; reports the first failure in order.
Result<void> SceneBuilder::State::prepare_geometry() {
  std::vector<std::optional<Error>> failures(bodies.size());
  parallel_for(static_cast<int>(bodies.size()), 0, [&](int item, int) {
    PendingBody& p = bodies[static_cast<std::size_t>(item)];
    if (p.body.geometry) return;
    auto built = BodyGeometry::build(std::move(p.elements));
    if (built.ok())
      p.body.geometry = std::move(built).value();
    else
      failures[static_cast<std::size_t>(item)] = built.error();
  });
  for (std::size_t i = 0; i < failures.size(); ++i) {
    if (!failures[i]) continue;
    Error error = *failures[i];
    error.message = fmt::format("{}: {}", bodies[i].body.name, error.text());
    error.context.clear();
    return error;
  }
  return {};
}

// Pairs that were proved never to meet are those of this model, not of one that has changed since.
Result<void> check_proved_pairs(const Scene& scene, std::span<const DisabledPair> pairs) {
  for (const DisabledPair& pair : pairs) {
    int a = scene.find_body(pair.link_a), b = scene.find_body(pair.link_b);
    if (a < 0 || b < 0) continue;  // a link without geometry meets nothing
    if (a > b) std::swap(a, b);
    if (pair.reason.substr(kProvedFor.size()) != hash_pair_model(scene, a, b).hex())
      return bad_input(fmt::format(
          "the SRDF says that {} and {} were proved never to meet, but it is about another model: "
          "a mesh, an origin or a limit has changed since; `proven doctor ROBOT --write-srdf FILE` "
          "writes it anew",
          pair.link_a, pair.link_b));
  }
  return {};
}

Result<Scene> SceneBuilder::build() && {
  State& s = *state_;
  if (auto prepared = s.prepare_geometry(); !prepared.ok()) return prepared.error();
  auto home = home_configuration(s.foundation.tree, s.home);
  if (!home.ok()) return home.error();
  // What follows the clock starts where its motion does.
  for (const TimedPart& part : s.foundation.timed) {
    for (int i = part.first; i < part.first + part.count; ++i)
      if (const std::string& name =
              s.foundation.tree.coordinates()[static_cast<std::size_t>(i)].name;
          s.home.contains(name))
        return bad_input(
            fmt::format("home names '{}', but '{}' moves by the clock", name, part.name));
    std::ranges::copy(part.motion->waypoints.front(), home.value().begin() + part.first);
  }
  // Links come first, whatever was added first; their robots keep the geometry for later scenes.
  std::stable_partition(s.bodies.begin(), s.bodies.end(),
                        [](const PendingBody& p) { return p.kind == PendingBody::Kind::link; });
  std::stable_partition(s.bodies.begin(), s.bodies.end(),
                        [](const PendingBody& p) { return p.kind != PendingBody::Kind::attached; });
  std::vector<Body> bodies;
  for (PendingBody& p : s.bodies) bodies.push_back(std::move(p.body));
  std::size_t next = 0;
  for (RobotSource& robot : s.foundation.robots)
    for (RobotLink& link : robot.robot.links)
      if (!link.collision.empty()) link.geometry = bodies[next++].geometry;
  s.foundation.num_link_bodies = static_cast<int>(next);
  const std::vector<DisabledPair> proved = std::move(s.proved_pairs);
  auto scene = SceneEditor(SceneEditor::make(
                               std::make_shared<Scene::Foundation>(std::move(s.foundation)),
                               std::make_shared<PairRules>(std::move(s.rules)), std::move(bodies),
                               s.num_attached, std::move(s.touches), std::move(home).value()))
                   .finish();
  if (!scene.ok()) return scene;
  if (auto known = check_proved_pairs(scene.value(), proved); !known.ok()) return known.error();
  return scene;
}

}  // namespace proven
