#include "foundation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/base/largest_number.h"
#include "proven/geometry/penetration.h"

namespace proven {
namespace {

bool comes_first(int a, int b, int c, int d) {
  return a != c ? a < c : b < d;
}

// Takes a body out of a list of pairs.
template <class Pair>
void erase_body(std::vector<Pair>& pairs, int index) {
  std::erase_if(pairs, [&](const Pair& p) { return p.a == index || p.b == index; });
  for (Pair& p : pairs) {
    p.a -= p.a > index;
    p.b -= p.b > index;
  }
}

template <class Pair>
void merge_pairs(std::vector<Pair>& pairs, std::vector<Pair> added) {
  if (added.empty()) return;
  const auto middle = static_cast<std::ptrdiff_t>(pairs.size());
  std::move(added.begin(), added.end(), std::back_inserter(pairs));
  std::inplace_merge(pairs.begin(), pairs.begin() + middle, pairs.end(),
                     [](const Pair& x, const Pair& y) { return comes_first(x.a, x.b, y.a, y.b); });
}

template <class Pair>
void make_room(std::vector<Pair>& pairs, int index) {
  for (Pair& p : pairs) {
    p.a += p.a >= index;
    p.b += p.b >= index;
  }
}

}  // namespace

Result<void> check_clearances(const Clearances& clearance) {
  const auto bad = [](double metres) { return !(metres >= 0 && metres <= kLargestNumber); };
  if (bad(clearance.world) || bad(clearance.robots) || bad(clearance.self) ||
      bad(clearance.attached))
    return bad_input("the clearance of a scene must be a number of metres from 0 to 1e9");
  return {};
}

Result<void> check_pair_clearance(std::string_view body_a, std::string_view body_b,
                                  double clearance) {
  if (std::fabs(clearance) <= kLargestNumber) return {};
  return bad_input(fmt::format("the clearance of {} and {} must be a number of metres up to 1e9",
                               body_a, body_b));
}

int SceneEditor::num_obstacles() const {
  return static_cast<int>(scene_.bodies_.size()) - scene_.num_attached_ -
         foundation().num_link_bodies;
}

Result<int> SceneEditor::find_object(std::string_view name) const {
  const int index = scene_.find_body(name);
  if (index >= foundation().num_link_bodies) return index;
  if (index >= 0)
    return bad_input(fmt::format("'{}' is a link of a robot: it moves by its joints", name));
  return bad_input(fmt::format("there is no obstacle or attached object named '{}'", name));
}

Result<void> SceneEditor::claim(std::string_view name, std::string_view what) const {
  if (name.empty()) return bad_input(fmt::format("a {} needs a name", what));
  const auto& robots = foundation().robots;
  const bool taken =
      scene_.find_body(name) >= 0 || scene_.tree().find_link(name) >= 0 ||
      std::ranges::any_of(robots, [&](const RobotSource& r) { return r.name == name; });
  if (!taken) return {};
  return bad_input(
      fmt::format("the name '{}' is used twice; names of robots, obstacles and "
                  "attached objects must differ",
                  name));
}

std::optional<ExcludedPair> SceneEditor::exclusion(int a, int b) const {
  const PairRules& rules = *scene_.rules_;
  const Body &body_a = scene_.body(a), &body_b = scene_.body(b);
  if (scene_.tree().rigidly_connected(body_a.link, body_b.link))
    return ExcludedPair{a, b, ExclusionReason::rigid, {}};
  const NamePairView key = ordered(body_a.name, body_b.name);
  const bool links = b < foundation().num_link_bodies;  // a < b
  const auto& of_robots = rules.test_proved ? rules.everywhere : rules.of_robots;
  if (links)
    if (const auto found = of_robots.find(key); found != of_robots.end())
      return ExcludedPair{a, b, found->second, {}};
  for (const Touch& touch : scene_.touches_)
    if (ordered(touch.object, touch.other) == key)
      return ExcludedPair{a, b, ExclusionReason::touch, {}};
  if (const auto found = rules.excluded.find(key); found != rules.excluded.end())
    return ExcludedPair{a, b, ExclusionReason::user, found->second};
  if (links && rules.trust_never && rules.never.contains(key))
    return ExcludedPair{a, b, ExclusionReason::srdf_never, {}};
  return std::nullopt;
}

// Pairs that both stand still in the world are neither: nothing can change between them. Nor are
// two obstacles that move: what they do to each other is not the robots' doing.
void SceneEditor::sort_pair(int a, int b, std::vector<BodyPair>& pairs,
                            std::vector<ExcludedPair>& excluded) const {
  const KinematicTree& tree = scene_.tree();
  if (tree.rigid_root(scene_.body(a).link) == 0 && tree.rigid_root(scene_.body(b).link) == 0)
    return;
  if (is_obstacle(a) && is_obstacle(b)) return;
  if (auto found = exclusion(a, b)) {
    excluded.push_back(std::move(*found));
    return;
  }
  const PairClass kind = scene_.pair_class(a, b);
  pairs.push_back({a, b, clearance_of(a, b, kind), kind});
}

double SceneEditor::clearance_of(int a, int b, PairClass kind) const {
  const PairRules& rules = *scene_.rules_;
  const double clearance = rules.clearance.of(kind);
  const auto own = rules.clearances.find(ordered(scene_.body(a).name, scene_.body(b).name));
  if (own == rules.clearances.end()) return clearance;
  // Depth is measured of convex bodies alone. Of others only a pair that comes to be tested since
  // limits do not hold can have an allowed one: it is not allowed then.
  if (rules.test_proved && own->second < 0 &&
      !(is_convex_body(*scene_.body(a).geometry) && is_convex_body(*scene_.body(b).geometry)))
    return clearance;
  return clearance > 0 ? std::max(clearance, own->second) : own->second;
}

void SceneEditor::set_rules(std::shared_ptr<const PairRules> rules) {
  scene_.rules_ = std::move(rules);
  for (BodyPair& pair : scene_.pairs_) pair.clearance = clearance_of(pair.a, pair.b, pair.kind);
}

Scene SceneEditor::make(std::shared_ptr<const Foundation> foundation,
                        std::shared_ptr<const PairRules> rules, std::vector<Body> bodies,
                        int num_attached, std::vector<Touch> touches, std::vector<double> home) {
  SceneEditor editor{Scene{}};
  Scene& scene = editor.scene_;
  scene.foundation_ = std::move(foundation);
  scene.rules_ = std::move(rules);
  scene.bodies_ = std::move(bodies);
  scene.num_attached_ = num_attached;
  scene.touches_ = std::move(touches);
  scene.home_ = std::move(home);
  const int count = static_cast<int>(scene.bodies_.size());
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b) editor.sort_pair(a, b, scene.pairs_, scene.excluded_);
  return std::move(editor.scene_);
}

void SceneEditor::insert(Body body, int index, bool attached) {
  make_room(scene_.pairs_, index);
  make_room(scene_.excluded_, index);
  scene_.bodies_.insert(scene_.bodies_.begin() + index, std::move(body));
  scene_.num_attached_ += attached;
  std::vector<BodyPair> pairs;
  std::vector<ExcludedPair> excluded;
  const int count = static_cast<int>(scene_.bodies_.size());
  for (int other = 0; other < count; ++other)
    if (other != index) sort_pair(std::min(index, other), std::max(index, other), pairs, excluded);
  merge_pairs(scene_.pairs_, std::move(pairs));
  merge_pairs(scene_.excluded_, std::move(excluded));
}

void SceneEditor::erase(int index) {
  const int first_attached = static_cast<int>(scene_.bodies_.size()) - scene_.num_attached_;
  if (index >= first_attached) {
    const std::string name = scene_.body(index).name;
    std::erase_if(scene_.touches_, [&](const Touch& t) { return t.object == name; });
    --scene_.num_attached_;
  }
  erase_body(scene_.pairs_, index);
  erase_body(scene_.excluded_, index);
  scene_.bodies_.erase(scene_.bodies_.begin() + index);
}

// Rules are shared by all edits: they are copied only where one names the body.
void SceneEditor::drop_rules_on(std::string_view name) {
  const auto names_it = [&](const auto& entry) {
    return entry.first.first == name || entry.first.second == name;
  };
  std::erase_if(scene_.touches_, [&](const Touch& t) { return t.other == name; });
  const PairRules& rules = *scene_.rules_;
  if (!std::ranges::any_of(rules.excluded, names_it) &&
      !std::ranges::any_of(rules.clearances, names_it))
    return;
  auto fewer = std::make_shared<PairRules>(rules);
  std::erase_if(fewer->excluded, names_it);
  std::erase_if(fewer->clearances, names_it);
  scene_.rules_ = std::move(fewer);
}

void SceneEditor::add_touches(std::string_view object, const std::vector<std::string>& others) {
  for (const std::string& other : others) scene_.touches_.push_back({std::string(object), other});
}

// Overlap may be allowed only where its depth can be measured.
Result<Scene> SceneEditor::finish() && {
  for (const BodyPair& pair : scene_.pairs()) {
    if (pair.clearance >= 0) continue;
    if (scene_.body(pair.a).grows + scene_.body(pair.b).grows > 0)
      return Error{ErrorCode::unsupported,
                   fmt::format("{} and {} may overlap, but one of them grows: what is required of "
                               "them would change from overlap to distance",
                               scene_.body(pair.a).name, scene_.body(pair.b).name),
                   {}};
    for (const int body : {pair.a, pair.b})
      if (!is_convex_body(*scene_.body(body).geometry))
        return Error{
            ErrorCode::unsupported,
            fmt::format("{} and {} may overlap by {} m, but {} is not one convex piece: on a "
                        "mesh every triangle is shallower than that depth, so nothing would "
                        "be tested. Use a box, sphere, cylinder, capsule or hull for it",
                        scene_.body(pair.a).name, scene_.body(pair.b).name, -pair.clearance,
                        scene_.body(body).name),
            {}};
  }
  return std::move(scene_);
}

}  // namespace proven
