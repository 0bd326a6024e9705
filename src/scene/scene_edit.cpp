// Edits of a scene: each gives another one that shares what did not change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foundation.h"
#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/rounding.h"

namespace proven {
namespace {

Result<void> check_pose(std::string_view name, const Pose& X) {
  if (is_rigid(X)) return {};
  return bad_input(fmt::format("the pose of '{}' is not a rotation and a translation", name));
}

Result<std::shared_ptr<const BodyGeometry>> prepare(std::string_view name,
                                                    std::vector<CollisionElement> elements,
                                                    std::shared_ptr<const BodyGeometry> geometry) {
  if (geometry) return geometry;
  auto built = BodyGeometry::build(std::move(elements));
  if (!built.ok()) {
    Error error = built.error();
    error.message = fmt::format("{}: {}", name, error.text());
    error.context.clear();
    return error;
  }
  return built;
}

Result<int> find_link(const Scene& scene, std::string_view object, std::string_view link) {
  const int index = scene.tree().find_link(link);
  if (index > 0) return index;
  return bad_input(fmt::format(
      "'{}' is attached to '{}', but there is no such link; links are 'robot/link'", object, link));
}

Result<void> check_touch(const Scene& scene, const std::vector<std::string>& touch) {
  for (const std::string& other : touch)
    if (scene.find_body(other) < 0 && scene.tree().find_link(other) < 0)
      return bad_input(
          fmt::format("there is no body named '{}'; bodies are 'robot/link', or the "
                      "name of an obstacle or attached object",
                      other));
  return {};
}

// The obstacle of that name, if it moves by the clock.
const ObstacleSource* find_mover(const SceneEditor::Foundation& foundation, std::string_view name) {
  const auto found = std::ranges::find(foundation.movers, name, &ObstacleSource::name);
  return found == foundation.movers.end() ? nullptr : &*found;
}

}  // namespace

Result<Scene> Scene::with_pose(std::string_view name, const Pose& X) const {
  if (auto valid = check_pose(name, X); !valid.ok()) return valid.error();
  const auto& robots = foundation_->robots;
  const auto robot = std::ranges::find(robots, name, &RobotSource::name);
  if (robot != robots.end()) {
    SceneSource source = description();
    source.robots[static_cast<std::size_t>(robot - robots.begin())].X_WR = X;
    return build_scene(source);
  }
  if (const auto mover = find_mover(*foundation_, name)) {
    SceneSource source = description();
    std::ranges::find(source.obstacles, name, &ObstacleSource::name)->X_WB = X;
    return build_scene(source);
  }
  SceneEditor editor(*this);
  const auto index = editor.find_object(name);
  if (!index.ok()) return index.error();
  editor.scene().bodies_[static_cast<std::size_t>(index.value())].X_LB = X;
  return std::move(editor.scene());
}

Result<Scene> Scene::with_obstacle(ObstacleSource obstacle) const {
  SceneEditor editor(*this);
  if (auto free = editor.claim(obstacle.name, "obstacle"); !free.ok()) return free.error();
  if (auto valid = check_pose(obstacle.name, obstacle.X_WB); !valid.ok()) return valid.error();
  if (obstacle.moves()) {
    SceneSource source = description();
    source.obstacles.push_back(std::move(obstacle));
    return build_scene(source);
  }
  auto geometry =
      prepare(obstacle.name, std::move(obstacle.elements), std::move(obstacle.geometry));
  if (!geometry.ok()) return geometry.error();
  const int index = foundation_->num_link_bodies + editor.num_obstacles();
  editor.insert({std::move(obstacle.name), 0, obstacle.X_WB, std::move(geometry).value()}, index,
                false);
  return std::move(editor).finish();
}

Result<Scene> Scene::with_obstacles(std::vector<ObstacleSource> changes) const {
  SceneEditor editor(*this);
  for (ObstacleSource& change : changes) {
    if (change.moves() || find_mover(*foundation_, change.name))
      return bad_input(fmt::format(
          "'{}' moves by the clock: change it by `without` and `with_obstacle`", change.name));
    const int index = editor.scene().find_body(change.name);
    const bool leaves = change.elements.empty() && !change.geometry;
    if (index >= 0 && !editor.is_obstacle(index))
      return bad_input(fmt::format("'{}' is no obstacle", change.name));
    if (leaves) {
      if (index < 0) return bad_input(fmt::format("there is no obstacle '{}'", change.name));
      editor.erase(index);
      editor.drop_rules_on(change.name);
      continue;
    }
    if (index < 0)
      if (auto free = editor.claim(change.name, "obstacle"); !free.ok()) return free.error();
    if (auto valid = check_pose(change.name, change.X_WB); !valid.ok()) return valid.error();
    auto geometry = prepare(change.name, std::move(change.elements), std::move(change.geometry));
    if (!geometry.ok()) return geometry.error();
    Body body{std::move(change.name), 0, change.X_WB, std::move(geometry).value()};
    if (index >= 0)  // pairs depend on names and links alone
      editor.scene().bodies_[static_cast<std::size_t>(index)] = std::move(body);
    else
      editor.insert(std::move(body), foundation_->num_link_bodies + editor.num_obstacles(), false);
  }
  return std::move(editor).finish();
}

Result<Scene> Scene::without(std::string_view name) const {
  if (find_mover(*foundation_, name)) {
    SceneSource source = description();
    std::erase_if(source.obstacles, [&](const ObstacleSource& o) { return o.name == name; });
    std::erase_if(source.exclusions,
                  [&](const auto& e) { return e.body_a == name || e.body_b == name; });
    std::erase_if(source.clearances,
                  [&](const auto& e) { return e.body_a == name || e.body_b == name; });
    for (AttachedSource& held : source.attached) std::erase(held.touch, name);
    return build_scene(source);
  }
  SceneEditor editor(*this);
  const auto index = editor.find_object(name);
  if (!index.ok()) return index.error();
  editor.erase(index.value());
  editor.drop_rules_on(name);
  return std::move(editor.scene());
}

Result<Scene> Scene::with_attached(AttachedSource object) const {
  SceneEditor editor(*this);
  if (auto free = editor.claim(object.name, "attached object"); !free.ok()) return free.error();
  if (auto valid = check_pose(object.name, object.X_LB); !valid.ok()) return valid.error();
  const auto link = find_link(*this, object.name, object.link);
  if (!link.ok()) return link.error();
  if (auto exist = check_touch(*this, object.touch); !exist.ok()) return exist.error();
  auto geometry = prepare(object.name, std::move(object.elements), std::move(object.geometry));
  if (!geometry.ok()) return geometry.error();
  editor.add_touches(object.name, object.touch);
  editor.insert({std::move(object.name), link.value(), object.X_LB, std::move(geometry).value()},
                static_cast<int>(bodies_.size()), true);
  return std::move(editor).finish();
}

Result<Scene> Scene::with_attached(std::string_view obstacle, std::string_view link,
                                   std::span<const double> q,
                                   std::vector<std::string> touch) const {
  SceneEditor editor(*this);
  const auto index = editor.find_object(obstacle);
  if (!index.ok()) return index.error();
  Body body = this->body(index.value());
  if (find_mover(*foundation_, obstacle))
    return bad_input(
        fmt::format("'{}' moves by the clock: take it out and attach a still one", obstacle));
  const auto link_index = find_link(*this, obstacle, link);
  if (!link_index.ok()) return link_index.error();
  if (auto exist = check_touch(*this, touch); !exist.ok()) return exist.error();
  if (auto valid = check_configuration(tree(), q); !valid.ok()) return valid.error();
  LinkPoses poses;
  compute_poses(tree(), q, poses);
  body.X_LB = relative_pose(poses.X_WL[static_cast<std::size_t>(link_index.value())],
                            body_pose(index.value(), poses));
  body.link = link_index.value();
  editor.erase(index.value());
  editor.add_touches(obstacle, touch);
  editor.insert(std::move(body), static_cast<int>(bodies_.size()) - 1, true);
  return std::move(editor).finish();
}

Result<Scene> Scene::detached(std::string_view object, std::span<const double> q) const {
  SceneEditor editor(*this);
  const auto index = editor.find_object(object);
  if (!index.ok()) return index.error();
  Body body = this->body(index.value());
  if (index.value() < static_cast<int>(bodies_.size()) - num_attached_)
    return bad_input(fmt::format("'{}' is an obstacle: nothing holds it", object));
  if (auto valid = check_configuration(tree(), q); !valid.ok()) return valid.error();
  body.X_LB = body_pose(index.value(), q);
  body.link = 0;
  editor.erase(index.value());
  editor.insert(std::move(body), foundation_->num_link_bodies + editor.num_obstacles(), false);
  return std::move(editor).finish();
}

Result<Scene> Scene::with_home(std::string_view coordinate, double value) const {
  const int index = tree().find_coordinate(coordinate);
  if (index < 0)
    return bad_input(
        fmt::format("there is no joint '{}' that can move; joints are 'robot/joint'", coordinate));
  if (!std::isfinite(value))
    return bad_input(fmt::format("the home value of '{}' is not a finite number", coordinate));
  if (follows_clock(index)) return bad_input(fmt::format("'{}' moves by the clock", coordinate));
  Scene scene = *this;
  scene.home_[static_cast<std::size_t>(index)] = value;
  return scene;
}

SceneSource Scene::description() const {
  SceneSource source;
  source.robots = foundation_->robots;
  const int first_attached = static_cast<int>(bodies_.size()) - num_attached_;
  for (int i = foundation_->num_link_bodies; i < static_cast<int>(bodies_.size()); ++i) {
    const Body& b = body(i);
    std::vector<CollisionElement> elements(b.geometry->elements().begin(),
                                           b.geometry->elements().end());
    if (i < first_attached) {
      const ObstacleSource* mover = find_mover(*foundation_, b.name);
      ObstacleSource obstacle = mover ? *mover : ObstacleSource{b.name, {}, b.X_LB};
      obstacle.elements = std::move(elements);
      obstacle.geometry = b.geometry;
      source.obstacles.push_back(std::move(obstacle));
      continue;
    }
    std::vector<std::string> touch;
    for (const Touch& t : touches_)
      if (t.object == b.name) touch.push_back(t.other);
    source.attached.push_back({b.name, tree().link(b.link).name, std::move(elements), b.X_LB,
                               std::move(touch), b.geometry});
  }
  const PairRules& rules = *rules_;
  source.clearance = rules.clearance;
  for (const auto& [names, note] : rules.excluded)
    source.exclusions.push_back({names.first, names.second, note});
  for (const auto& [names, clearance] : rules.clearances)
    source.clearances.push_back({names.first, names.second, clearance});
  const std::vector<double> zero = tree().zero_configuration();
  for (std::size_t i = 0; i < home_.size(); ++i)
    if (home_[i] != zero[i] && !follows_clock(static_cast<int>(i)))
      source.home[tree().coordinates()[i].name] = home_[i];
  source.warnings = foundation_->source_warnings;
  source.trust_srdf_never = rules.trust_never;
  return source;
}

}  // namespace proven
