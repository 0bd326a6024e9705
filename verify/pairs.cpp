// Chapter 3, continued: which pairs are tested, at which clearance, and why the others are not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "verify/model.h"

namespace proven::verifier {
namespace {

using NamePair = std::pair<std::string, std::string>;

NamePair ordered(const std::string& a, const std::string& b) {
  return a < b ? NamePair(a, b) : NamePair(b, a);
}

double checked(double scene, double command) {
  const double larger = std::max(scene, command);
  if (!(scene >= 0 && command >= 0 && larger <= kLargestNumber))
    throw Rejected{"the clearance is not a number of metres from 0 to 1e9"};
  return larger;
}

Clearances larger(const Clearances& x, const Clearances& y) {
  return {checked(x.world, y.world), checked(x.robots, y.robots), checked(x.self, y.self),
          checked(x.attached, y.attached)};
}

// Whatever hangs on a robot belongs to it; the world's link is 0.
PairClass class_of(const Model& model, const Body& a, const Body& b) {
  const auto robot = [&](int link) {
    const std::vector<int> chain = model.chain(0, link);
    return chain.empty() ? 0 : chain.front();
  };
  if (a.obstacle || b.obstacle) return PairClass::world;
  const int robot_a = robot(a.link), robot_b = robot(b.link);
  if (robot_a != robot_b) return PairClass::robots;
  return a.held || b.held ? PairClass::attached : PairClass::self;
}

class PairRules {
 public:
  PairRules(const SceneSource& scene, const Model& model, const VerifyOptions& options,
            bool test_proved)
      : general_(larger(scene.clearance, options.clearance)) {
    collect_names(model);
    // The first reason stands.
    for (const RobotSource& robot : scene.robots) {
      for (const RobotJoint& joint : robot.robot.joints)
        exclude(robot, joint.parent_link, joint.child_link, Reason::adjacent);
      for (const DisabledPair& pair : robot.robot.disabled_pairs) {
        if (pair.reason == "Adjacent")
          exclude(robot, pair.link_a, pair.link_b, Reason::srdf_adjacent);
        if (pair.reason == "Default")
          exclude(robot, pair.link_a, pair.link_b, Reason::srdf_default);
        if (pair.reason == "User") exclude(robot, pair.link_a, pair.link_b, Reason::srdf_user);
        if (!test_proved && pair.reason.starts_with("Never, proved for "))
          exclude(robot, pair.link_a, pair.link_b, Reason::srdf_proved);
      }
    }
    for (const AttachedSource& held : scene.attached)
      for (const std::string& other : held.touch)
        excluded_.emplace(known(held.name, other), Reason::touch);
    for (const ExclusionSource& pair : scene.exclusions)
      excluded_.emplace(known(pair.body_a, pair.body_b), Reason::user);
    if (options.trust_srdf_never)
      for (const RobotSource& robot : scene.robots)
        for (const DisabledPair& pair : robot.robot.disabled_pairs)
          if (pair.reason == "Never") exclude(robot, pair.link_a, pair.link_b, Reason::srdf_never);
    for (const ClearanceSource& pair : scene.clearances) {
      if (!(std::fabs(pair.clearance) <= kLargestNumber))
        throw Rejected{"the clearance of " + pair.body_a + " is not a number of metres"};
      const auto [own, is_new] =
          clearances_.emplace(known(pair.body_a, pair.body_b), pair.clearance);
      if (!is_new) own->second = std::max(own->second, pair.clearance);  // the strictest counts
    }
  }

  const Reason* exclusion(const Body& a, const Body& b) const {
    const auto found = excluded_.find(ordered(a.name, b.name));
    return found == excluded_.end() ? nullptr : &found->second;
  }

  // The largest of scene, pair and command; a negative one of the pair only if the others are 0.
  double clearance(const Body& a, const Body& b, PairClass kind) const {
    const double general = general_.of(kind);
    const auto own = clearances_.find(ordered(a.name, b.name));
    if (own == clearances_.end()) return general;
    if (general > 0) return std::max(general, own->second);
    for (const Body* body : {&a, &b})
      if (own->second < 0 &&
          (body->pieces.size() != 1 || body->pieces[0].triangle >= 0 || body->sensed()))
        throw Rejected{fmt::format("{} and {} may overlap, but {} is not one convex piece", a.name,
                                   b.name, body->name)};
    return own->second;
  }

 private:
  void collect_names(const Model& model) {
    std::set<std::string> bodies;
    for (const Body& body : model.bodies) {
      names_.insert(body.name);
      if (!bodies.insert(body.name).second) throw Rejected{"two bodies are named " + body.name};
    }
    for (const Link& link : model.links) names_.insert(link.name);
  }
  void exclude(const RobotSource& robot, const std::string& a, const std::string& b,
               Reason reason) {
    excluded_.emplace(ordered(robot.name + "/" + a, robot.name + "/" + b), reason);
  }
  NamePair known(const std::string& a, const std::string& b) const {
    for (const std::string& name : {a, b})
      if (!names_.contains(name)) throw Rejected{"the scene has no body '" + name + "'"};
    return ordered(a, b);
  }

  Clearances general_;
  std::set<std::string> names_;
  std::map<NamePair, Reason> excluded_;
  std::map<NamePair, double> clearances_;
};

}  // namespace

namespace {

// Nothing may pass between a surface and its welded twin (docs/inside.md).
double covering_welds(double clearance, const Body& a, const Body& b) {
  if (clearance < 0) return clearance;
  return std::max({clearance, a.topology.weld_error, b.topology.weld_error});
}

void prepare(const Model& model, Unit& unit) {
  const auto link_of = [&](int body) { return model.bodies[static_cast<std::size_t>(body)].link; };
  unit.largest = {unit.pairs[0].clearance, unit.pairs[0].growth};
  for (const Pair& pair : unit.pairs)
    unit.largest = {std::max(unit.largest.clearance, pair.clearance),
                    std::max(unit.largest.growth, pair.growth)};
  if (unit.b >= 0) {
    unit.ancestor = model.lowest_common_ancestor(link_of(unit.a), link_of(unit.b));
    return;
  }
  unit.asked.resize(model.bodies.size());
  for (const Pair& pair : unit.pairs)
    unit.asked[static_cast<std::size_t>(pair.b)] = Asked{pair.clearance, pair.growth};
  unit.counts.resize(model.still_tree.size());
  for (std::size_t i = model.still_tree.size(); i-- > 0;) {  // children come after their parents
    const BoxNode& node = model.still_tree[i];
    if (node.item >= 0) {
      const int body = model.still[static_cast<std::size_t>(node.item)];
      unit.counts[i] = unit.asked[static_cast<std::size_t>(body)].has_value();
    } else {
      unit.counts[i] = unit.counts[static_cast<std::size_t>(node.children[0])] ||
                       unit.counts[static_cast<std::size_t>(node.children[1])];
    }
  }
}

}  // namespace

void add_pairs(const SceneSource& scene, const VerifyOptions& options, Model& model,
               bool test_proved) {
  const PairRules rules(scene, model, options, test_proved);
  model.pairs.clear();
  model.excluded.clear();
  model.units.clear();
  const int count = static_cast<int>(model.bodies.size());
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j) {
      const Body& a = model.bodies[static_cast<std::size_t>(i)];
      const Body& b = model.bodies[static_cast<std::size_t>(j)];
      if ((a.still && b.still) || (a.obstacle && b.obstacle)) continue;
      if (a.moving_root == b.moving_root)
        model.excluded.push_back({i, j, Reason::rigid});
      else if (const Reason* reason = rules.exclusion(a, b))
        model.excluded.push_back({i, j, *reason});
      else {
        const PairClass kind = class_of(model, a, b);
        const double clearance = covering_welds(rules.clearance(a, b, kind), a, b);
        const double growth = a.grows + b.grows;
        if (clearance < 0 && growth > 0)
          throw Rejected{fmt::format("{} and {} may overlap, but one grows", a.name, b.name)};
        model.pairs.push_back({i, j, clearance, kind, growth});
      }
    }

  std::map<std::pair<int, int>, std::vector<Pair>> units;  // still bodies first: b = -1
  for (const Pair& pair : model.pairs) {
    const bool a_still = model.bodies[static_cast<std::size_t>(pair.a)].still;
    const bool b_still = model.bodies[static_cast<std::size_t>(pair.b)].still;
    if (a_still)
      units[{pair.b, -1}].push_back({pair.b, pair.a, pair.clearance, pair.kind, pair.growth});
    else
      units[{pair.a, b_still ? -1 : pair.b}].push_back(pair);
  }
  for (auto& [bodies, pairs] : units) {
    Unit unit{bodies.first, bodies.second, std::move(pairs), 0, {}, {}, {}};
    prepare(model, unit);
    model.units.push_back(std::move(unit));
  }
}

}  // namespace proven::verifier
