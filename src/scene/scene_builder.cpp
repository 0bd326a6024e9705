#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "proven/base/parallel.h"
#include "proven/geometry/penetration.h"
#include "proven/scene/scene.h"
#include "scene_hash.h"

namespace proven {
namespace {

using NamePair = std::pair<std::string, std::string>;

NamePair ordered(std::string a, std::string b) {
  if (b < a) std::swap(a, b);
  return {std::move(a), std::move(b)};
}

struct Exclusion {
  ExclusionReason reason;
  std::string note;
};

// A body before its geometry is built.
struct PendingBody {
  Body body;
  std::vector<CollisionElement> elements;
};

}  // namespace

struct SceneBuilder::State {
  KinematicTree tree;
  std::vector<PendingBody> bodies;
  std::set<std::string, std::less<>> names;   // of bodies, links and robots
  std::map<NamePair, Exclusion> exclusions;   // the first reason given stands
  std::map<NamePair, ExclusionReason> never;  // SRDF "Never"
  std::map<NamePair, double> clearances;
  std::map<std::string, double> home;
  std::vector<JointGroup> groups;
  std::vector<std::string> warnings;
  double clearance = 0;
  bool trust_never = false;

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
  void exclude(const std::string& a, const std::string& b, ExclusionReason reason,
               std::string note) {
    exclusions.emplace(ordered(a, b), Exclusion{reason, std::move(note)});
  }
  void add_disabled_pairs(const Robot& robot, const std::string& name);
  void select_pairs(Scene& scene, const std::vector<BodyPair>& candidates) const;
};

SceneBuilder::SceneBuilder() : state_(std::make_unique<State>()) {}
SceneBuilder::~SceneBuilder() = default;
SceneBuilder::SceneBuilder(SceneBuilder&&) noexcept = default;
SceneBuilder& SceneBuilder::operator=(SceneBuilder&&) noexcept = default;

void SceneBuilder::State::add_disabled_pairs(const Robot& robot, const std::string& name) {
  for (const DisabledPair& pair : robot.disabled_pairs) {
    const std::string a = name + "/" + pair.link_a, b = name + "/" + pair.link_b;
    if (pair.reason == "Adjacent") {
      exclude(a, b, ExclusionReason::srdf_adjacent, {});
    } else if (pair.reason == "Default") {
      exclude(a, b, ExclusionReason::srdf_default, {});
    } else if (pair.reason == "User") {
      exclude(a, b, ExclusionReason::srdf_user, {});
    } else if (pair.reason == "Never") {
      never.emplace(ordered(a, b), ExclusionReason::srdf_never);
    } else {
      warnings.push_back(fmt::format(
          "SRDF disables {} and {} with reason '{}'; only Adjacent, Default and User exclude a "
          "pair, so it is tested. Exclude it in the scene file if that is right",
          a, b, pair.reason));
    }
  }
}

Result<void> SceneBuilder::add_robot(const Robot& robot, const std::string& name,
                                     const Pose& X_WR) {
  State& s = *state_;
  if (auto claimed = s.claim(name, "robot"); !claimed.ok()) return claimed;
  if (auto added = s.tree.add_robot(robot, name, X_WR); !added.ok()) return added;
  for (const RobotLink& link : robot.links) {
    const std::string full = name + "/" + link.name;
    s.names.insert(full);
    if (link.collision.empty()) {
      if (link.has_visual)
        s.warnings.push_back(
            fmt::format("link {} has only visual geometry: it does not collide", full));
      continue;
    }
    s.bodies.push_back({Body{full, s.tree.find_link(full), Pose{}, link.geometry}, link.collision});
  }
  for (const RobotJoint& joint : robot.joints)
    s.exclude(name + "/" + joint.parent_link, name + "/" + joint.child_link,
              ExclusionReason::adjacent, {});
  s.add_disabled_pairs(robot, name);
  for (JointGroup group : robot.groups) {
    group.name = name + "/" + group.name;
    for (std::string& joint : group.joints) joint = name + "/" + joint;
    s.groups.push_back(std::move(group));
  }
  for (const std::string& warning : robot.warnings) s.warnings.push_back(name + ": " + warning);
  return {};
}

Result<void> SceneBuilder::add_obstacle(const std::string& name,
                                        std::vector<CollisionElement> elements, const Pose& X_WB,
                                        std::shared_ptr<const BodyGeometry> geometry) {
  if (auto claimed = state_->claim(name, "obstacle"); !claimed.ok()) return claimed;
  state_->bodies.push_back({Body{name, 0, X_WB, std::move(geometry)}, std::move(elements)});
  return {};
}

Result<void> SceneBuilder::attach(const std::string& name, const std::string& link,
                                  std::vector<CollisionElement> elements, const Pose& X_LB,
                                  const std::vector<std::string>& touch,
                                  std::shared_ptr<const BodyGeometry> geometry) {
  State& s = *state_;
  const int link_index = s.tree.find_link(link);
  if (link_index < 0)
    return bad_input(
        fmt::format("'{}' is attached to '{}', but there is no such link; links are "
                    "'robot/link'",
                    name, link));
  if (auto claimed = s.claim(name, "attached object"); !claimed.ok()) return claimed;
  for (const std::string& other : touch) {
    if (auto exists = s.must_exist(other); !exists.ok()) return exists;
    s.exclude(name, other, ExclusionReason::touch, {});
  }
  s.bodies.push_back({Body{name, link_index, X_LB, std::move(geometry)}, std::move(elements)});
  return {};
}

Result<void> SceneBuilder::exclude(const std::string& body_a, const std::string& body_b,
                                   std::string note) {
  State& s = *state_;
  for (const std::string& name : {body_a, body_b})
    if (auto exists = s.must_exist(name); !exists.ok()) return exists;
  if (body_a == body_b)
    return bad_input(fmt::format("'{}' is excluded against itself; name two bodies", body_a));
  s.exclude(body_a, body_b, ExclusionReason::user, std::move(note));
  return {};
}

Result<void> SceneBuilder::set_pair_clearance(const std::string& body_a, const std::string& body_b,
                                              double clearance) {
  for (const std::string& name : {body_a, body_b})
    if (auto exists = state_->must_exist(name); !exists.ok()) return exists;
  if (!std::isfinite(clearance))
    return bad_input(
        fmt::format("the clearance of {} and {} must be a number of metres", body_a, body_b));
  state_->clearances[ordered(body_a, body_b)] = clearance;
  return {};
}

Result<void> SceneBuilder::set_clearance(double clearance) {
  if (!std::isfinite(clearance) || clearance < 0)
    return bad_input("the clearance of a scene must be a number of metres >= 0");
  state_->clearance = clearance;
  return {};
}

Result<void> SceneBuilder::set_home(const std::string& coordinate, double value) {
  if (!std::isfinite(value))
    return bad_input(fmt::format("the home value of '{}' is not a finite number", coordinate));
  state_->home[coordinate] = value;
  return {};
}

void SceneBuilder::trust_srdf_never(bool trust) {
  state_->trust_never = trust;
}

void SceneBuilder::add_warning(std::string warning) {
  state_->warnings.push_back(std::move(warning));
}

namespace {

// Builds what has not been built yet, on all cores; reports the first failure in order.
Result<std::vector<Body>> build_geometry(std::vector<PendingBody> pending) {
  std::vector<std::optional<Error>> failures(pending.size());
  parallel_for(static_cast<int>(pending.size()), 0, [&](int item, int) {
    PendingBody& p = pending[static_cast<std::size_t>(item)];
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
    error.message = fmt::format("{}: {}", pending[i].body.name, error.text());
    error.context.clear();
    return error;
  }
  std::vector<Body> bodies;
  for (PendingBody& p : pending) bodies.push_back(std::move(p.body));
  return bodies;
}

// Every pair but those that both stand still in the world: nothing can change between them.
std::vector<BodyPair> candidate_pairs(const KinematicTree& tree, const std::vector<Body>& bodies,
                                      double clearance) {
  std::vector<bool> is_static;
  for (const Body& body : bodies) is_static.push_back(tree.rigid_root(body.link) == 0);
  std::vector<BodyPair> pairs;
  for (std::size_t a = 0; a < bodies.size(); ++a)
    for (std::size_t b = a + 1; b < bodies.size(); ++b)
      if (!is_static[a] || !is_static[b])
        pairs.push_back({static_cast<int>(a), static_cast<int>(b), clearance});
  return pairs;
}

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

void SceneBuilder::State::select_pairs(Scene& scene,
                                       const std::vector<BodyPair>& candidates) const {
  for (BodyPair pair : candidates) {
    const Body& a = scene.body(pair.a);
    const Body& b = scene.body(pair.b);
    const NamePair key = ordered(a.name, b.name);
    const auto excluded = exclusions.find(key);
    if (scene.tree_.rigidly_connected(a.link, b.link)) {
      scene.excluded_.push_back({pair.a, pair.b, ExclusionReason::rigid, {}});
    } else if (excluded != exclusions.end()) {
      scene.excluded_.push_back({pair.a, pair.b, excluded->second.reason, excluded->second.note});
    } else if (trust_never && never.contains(key)) {
      scene.excluded_.push_back({pair.a, pair.b, ExclusionReason::srdf_never, {}});
    } else {
      if (const auto own = clearances.find(key); own != clearances.end())
        pair.clearance = pair.clearance > 0 ? std::max(pair.clearance, own->second) : own->second;
      scene.pairs_.push_back(pair);
    }
  }
}

namespace {

// Overlap may be allowed only where its depth can be measured.
Result<void> check_allowed_overlaps(const Scene& scene) {
  for (const BodyPair& pair : scene.pairs()) {
    if (pair.clearance >= 0) continue;
    for (const int body : {pair.a, pair.b})
      if (!is_convex_body(*scene.body(body).geometry))
        return Error{
            ErrorCode::unsupported,
            fmt::format("{} and {} may overlap by {} m, but {} is not one convex piece: on a "
                        "mesh every triangle is shallower than that depth, so nothing would "
                        "be tested. Use a box, sphere, cylinder, capsule or hull for it",
                        scene.body(pair.a).name, scene.body(pair.b).name, -pair.clearance,
                        scene.body(body).name),
            {}};
  }
  return {};
}

}  // namespace

Result<Scene> SceneBuilder::build() && {
  State& s = *state_;
  Scene scene;
  auto bodies = build_geometry(std::move(s.bodies));
  if (!bodies.ok()) return bodies.error();
  scene.bodies_ = std::move(bodies).value();
  auto home = home_configuration(s.tree, s.home);
  if (!home.ok()) return home.error();
  scene.home_ = std::move(home).value();
  scene.tree_ = std::move(s.tree);
  scene.clearance_ = s.clearance;
  scene.groups_ = std::move(s.groups);
  scene.warnings_ = std::move(s.warnings);
  s.select_pairs(scene, candidate_pairs(scene.tree_, scene.bodies_, s.clearance));
  if (auto allowed = check_allowed_overlaps(scene); !allowed.ok()) return allowed.error();
  scene.hash_ = hash_scene(scene);
  return scene;
}

}  // namespace proven
