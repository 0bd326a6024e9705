// What all edits of a scene share, and the rule that sorts pairs of bodies into tested and
// excluded.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proven/scene/scene.h"

namespace proven {

// Two names, the smaller first.
using NamePair = std::pair<std::string, std::string>;
using NamePairView = std::pair<std::string_view, std::string_view>;
struct NamePairLess {
  using is_transparent = void;
  static NamePairView view(const NamePair& p) { return {p.first, p.second}; }
  static NamePairView view(const NamePairView& p) { return p; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return view(a) < view(b);
  }
};
template <class Value>
using PairMap = std::map<NamePair, Value, NamePairLess>;

inline NamePairView ordered(std::string_view a, std::string_view b) {
  return b < a ? NamePairView{b, a} : NamePairView{a, b};
}

struct PairRules {
  PairMap<ExclusionReason> of_robots;   // of joints and SRDFs; the first reason given stands
  PairMap<ExclusionReason> everywhere;  // the same without srdf_proved, which holds within limits
  PairMap<ExclusionReason> never;       // SRDF "Never"
  PairMap<std::string> excluded;        // by the user, with the note
  PairMap<double> clearances;
  Clearances clearance;
  bool trust_never = false;
  bool test_proved = false;  // pairs that are proved never to meet within limits are tested
};

Result<void> check_clearances(const Clearances& clearance);
Result<void> check_pair_clearance(std::string_view body_a, std::string_view body_b,
                                  double clearance);

// That the motion fits its coordinates; the error names the part.
Result<void> check_timed_part(const KinematicTree& tree, const TimedPart& part);

struct Scene::Foundation {
  std::vector<RobotSource> robots;  // their links carry prepared geometry
  // Obstacles with a link of their own, as they were given but without elements.
  std::vector<ObstacleSource> movers;
  std::vector<TimedPart> timed;
  KinematicTree tree;
  int num_link_bodies = 0;  // the first bodies of the scene
  std::vector<JointGroup> groups;
  std::vector<GroupState> states;
  std::vector<std::string> warnings;
  std::vector<std::string> source_warnings;  // those that are not of a robot
};

// Makes the parts of a scene that depend on its bodies.
class SceneEditor {
 public:
  using Foundation = Scene::Foundation;
  using Touch = Scene::Touch;

  explicit SceneEditor(Scene scene) : scene_(std::move(scene)) {}
  static Scene make(std::shared_ptr<const Foundation> foundation,
                    std::shared_ptr<const PairRules> rules, std::vector<Body> bodies,
                    int num_attached, std::vector<Touch> touches, std::vector<double> home);

  Scene& scene() { return scene_; }
  const Foundation& foundation() const { return *scene_.foundation_; }
  static const Foundation& foundation_of(const Scene& scene) { return *scene.foundation_; }
  int num_obstacles() const;
  bool is_obstacle(int body) const {
    const int obstacle = body - foundation().num_link_bodies;
    return obstacle >= 0 && obstacle < num_obstacles();
  }
  // Of an obstacle (true) or an attached object (false); an error for links and unknown names.
  Result<int> find_object(std::string_view name) const;
  Result<void> claim(std::string_view name, std::string_view what) const;
  // A new body at this place of the list, with its pairs.
  void insert(Body body, int index, bool attached);
  void erase(int index);
  void drop_rules_on(std::string_view name);
  // Pairs follow from the rules; no pair becomes tested or excluded by clearances.
  void set_rules(std::shared_ptr<const PairRules> rules);
  void add_touches(std::string_view object, const std::vector<std::string>& others);
  // An error if two bodies may overlap that are not convex.
  Result<Scene> finish() &&;

 private:
  void sort_pair(int a, int b, std::vector<BodyPair>& pairs,
                 std::vector<ExcludedPair>& excluded) const;
  std::optional<ExcludedPair> exclusion(int a, int b) const;
  double clearance_of(int a, int b, PairClass kind) const;

  Scene scene_;
};

}  // namespace proven
