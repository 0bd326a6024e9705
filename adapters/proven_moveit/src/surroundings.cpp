#include "surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace proven::adapters {
namespace {

bool same_shape(const Shape& a, const Shape& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        const T& y = std::get<T>(b);
        if constexpr (std::is_same_v<T, Box>)
          return x.half_extents == y.half_extents;
        else if constexpr (std::is_same_v<T, Sphere>)
          return x.radius == y.radius;
        else if constexpr (std::is_same_v<T, Cylinder> || std::is_same_v<T, Capsule>)
          return x.radius == y.radius && x.half_length == y.half_length;
        else
          return x == y;  // the same mesh, hull or cloud
      },
      a);
}

bool same_elements(std::span<const CollisionElement> a, std::span<const CollisionElement> b) {
  return std::ranges::equal(a, b, [](const CollisionElement& x, const CollisionElement& y) {
    return x.X_BS == y.X_BS && same_shape(x.shape, y.shape);
  });
}

bool same_object(const ObstacleSource& a, const ObstacleSource& b) {
  return a.name == b.name && a.X_WB == b.X_WB && a.motion == b.motion && a.late == b.late &&
         a.grows == b.grows && same_elements(a.elements, b.elements);
}

bool same_held(const AttachedSource& a, const AttachedSource& b) {
  return a.name == b.name && a.link == b.link && a.X_LB == b.X_LB && a.touch == b.touch &&
         same_elements(a.elements, b.elements);
}

// A body by the name that it has here, and by the one in the scene.
struct Item {
  std::string name, full;
  std::string link;  // that it is, or that holds it; empty for objects
};

std::vector<Item> items_of(const Scene& robot, const std::string& prefix,
                           const Surroundings& around) {
  std::vector<Item> items;
  for (const Body& body : robot.bodies()) {
    const std::string name = body.name.substr(prefix.size());
    items.push_back({name, body.name, name});
  }
  for (const AttachedSource& held : around.held) items.push_back({held.name, held.name, held.link});
  for (const ObstacleSource& object : around.objects)
    items.push_back({object.name, object.name, ""});
  return items;
}

class Rules {
 public:
  explicit Rules(const Surroundings& around) : around_(around) {}

  bool counts(const Item& a, const Item& b) const {
    const bool self = !a.link.empty() && !b.link.empty();
    if (around_.scope == PairScope::self && !self) return false;
    if (around_.scope == PairScope::world && self) return false;
    return !around_.active || around_.active->contains(a.link) || around_.active->contains(b.link);
  }
  bool allowed(const Item& a, const Item& b) const {
    return around_.allowed.contains(std::minmax(a.name, b.name));
  }
  double padding(const Item& a, const Item& b) const {
    const bool self = !a.link.empty() && !b.link.empty();
    const auto& of = self ? around_.self_padding : around_.world_padding;
    const auto at = [&](const Item& item) {
      const auto found = item.link.empty() ? of.end() : of.find(item.name);
      return found == of.end() ? 0 : found->second;
    };
    return at(a) + at(b);
  }

 private:
  const Surroundings& around_;
};

Result<void> check_padding(const std::map<std::string, double>& padding) {
  for (const auto& [name, metres] : padding)
    if (!(metres >= 0 && std::isfinite(metres)))
      return bad_input(
          fmt::format("the padding of {} is {} m; it must not be negative: shapes "
                      "that are made smaller prove nothing",
                      name, metres));
  return {};
}

// Contacts of joined links cannot be told from their joint: a question about them is refused.
Result<void> check_joined(const Robot& robot, const std::vector<Item>& items, const Rules& rules) {
  const auto find = [&](const std::string& link) {
    return std::ranges::find_if(
        items, [&](const Item& item) { return item.name == link && item.link == link; });
  };
  for (const RobotJoint& joint : robot.joints) {
    const auto a = find(joint.parent_link), b = find(joint.child_link);
    if (a == items.end() || b == items.end() || joint.type == JointType::fixed) continue;
    if (rules.counts(*a, *b) && !rules.allowed(*a, *b))
      return Error{ErrorCode::unsupported,
                   fmt::format("the links {} and {} are joined by {} and not allowed to touch, but "
                               "contacts of joined links are not judged; disable the pair in the "
                               "SRDF, as Adjacent",
                               a->name, b->name, joint.name),
                   ""};
  }
  return {};
}

std::shared_ptr<const BodyGeometry> geometry_of(const std::string& name,
                                                const std::vector<CollisionElement>& elements,
                                                const std::vector<SceneSource>& known) {
  for (const SceneSource& scene : known) {
    for (const ObstacleSource& other : scene.obstacles)
      if (other.name == name && same_elements(other.elements, elements)) return other.geometry;
    for (const AttachedSource& other : scene.attached)
      if (other.name == name && same_elements(other.elements, elements)) return other.geometry;
  }
  return nullptr;
}

}  // namespace

bool same(const Surroundings& a, const Surroundings& b) {
  return a.scope == b.scope && a.active == b.active && a.world_padding == b.world_padding &&
         a.self_padding == b.self_padding &&
         std::ranges::equal(a.objects, b.objects, same_object) &&
         std::ranges::equal(a.held, b.held, same_held) && a.allowed == b.allowed;
}

Result<Scene> scene_of(const Scene& robot, const std::string& prefix, const Surroundings& around,
                       const std::vector<const Scene*>& known) {
  for (const auto* padding : {&around.world_padding, &around.self_padding})
    if (auto valid = check_padding(*padding); !valid.ok()) return valid.error();
  std::vector<SceneSource> described;
  for (const Scene* scene : known) described.push_back(scene->description());
  SceneSource source = robot.description();
  const std::vector<Item> items = items_of(robot, prefix, around);
  const Rules rules(around);
  if (auto joined = check_joined(source.robots[0].robot, items, rules); !joined.ok())
    return joined.error();
  if (around.scope != PairScope::self)
    for (ObstacleSource object : around.objects) {
      object.geometry = geometry_of(object.name, object.elements, described);
      source.obstacles.push_back(std::move(object));
    }
  for (AttachedSource held : around.held) {
    held.geometry = geometry_of(held.name, held.elements, described);
    held.link = prefix + held.link;
    for (std::string& name : held.touch)
      if (robot.tree().find_link(prefix + name) >= 0) name.insert(0, prefix);
    // Objects are not touched by leave of what is held, and what is not there not at all.
    std::erase_if(held.touch, [&](const std::string& name) {
      return robot.tree().find_link(name) < 0 &&
             std::ranges::none_of(around.held,
                                  [&](const AttachedSource& other) { return other.name == name; });
    });
    source.attached.push_back(std::move(held));
  }
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t j = i + 1; j < items.size(); ++j) {
      const Item &a = items[i], &b = items[j];
      if (a.link.empty() && b.link.empty()) continue;
      if (around.scope == PairScope::self && (a.link.empty() || b.link.empty())) continue;
      if (!rules.counts(a, b))
        source.exclusions.push_back({a.full, b.full, "not asked"});
      else if (rules.allowed(a, b))
        source.exclusions.push_back({a.full, b.full, "allowed to touch"});
      else if (const double padding = rules.padding(a, b); padding > 0)
        source.clearances.push_back({a.full, b.full, padding});
    }
  return build_scene(source);
}

}  // namespace proven::adapters
