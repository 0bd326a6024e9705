// A scene: bodies that hang on links of robots or stand still, and the pairs of them to test.
//
// A scene is a value that never changes: an edit gives another one, which shares the robots and all
// prepared geometry with the first and costs what it changed. A scene that was edited answers like
// one that is built anew from its description.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/hash.h"
#include "proven/base/interval.h"
#include "proven/base/result.h"
#include "proven/base/words.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/kinematics/poses.h"
#include "proven/scene/scene_source.h"

namespace proven {

class BodyGeometry;

struct Body {
  std::string name;  // "robot/link", or the obstacle's or attached object's own name
  int link = 0;      // the link it hangs on; 0: it stands still in the world
  Pose X_LB;
  std::shared_ptr<const BodyGeometry> geometry;
  double grows = 0;  // metres per second from time 0 on
};

// Coordinates that follow the clock: those of an obstacle or another robot with a motion of its
// own.
struct TimedPart {
  std::string name;  // of the robot or obstacle
  int first = 0;     // coordinate of the tree
  int count = 0;
  std::shared_ptr<const Motion> motion;  // of these coordinates, with times
  double late = 0;                       // seconds by which it may start later
};

// Two bodies that can move relative to each other and are not excluded; a < b.
struct BodyPair {
  int a = 0, b = 0;
  // Required: the largest of scene and pair. Negative (only if a pair's own is, and the scene's for
  // its class is 0): the two convex bodies may overlap up to that depth.
  double clearance = 0;
  PairClass kind = PairClass::world;
};

enum class ExclusionReason {
  rigid,          // they never move relative to each other
  adjacent,       // their links are joined by one joint of the file
  touch,          // an attached object and a link it may touch
  user,           // the scene file says so
  srdf_adjacent,  // the SRDF says "Adjacent"
  srdf_default,   // the SRDF says "Default"
  srdf_user,      // the SRDF says "User"
  srdf_never,     // the SRDF says "Never", and the user chose to trust that
  srdf_proved,    // the SRDF says "Never, proved": within the joints' limits they do not meet
};
// For people; to_string (proven/base/words.h) gives the word.
std::string_view describe(ExclusionReason reason);

struct ExcludedPair {
  int a = 0, b = 0;
  ExclusionReason reason = ExclusionReason::rigid;
  std::string note;  // the user's own words, if any
};

struct PairRules;

class Scene {
 public:
  const KinematicTree& tree() const;
  // Links of robots with collision geometry, then obstacles, then attached objects.
  std::span<const Body> bodies() const { return bodies_; }
  const Body& body(int index) const { return bodies_[static_cast<std::size_t>(index)]; }
  int find_body(std::string_view name) const;  // -1 if there is none
  // Pairs to test, ordered by (a, b), and every other pair with the reason.
  std::span<const BodyPair> pairs() const { return pairs_; }
  std::span<const ExcludedPair> excluded_pairs() const { return excluded_; }
  // Bodies of tested pairs that have no well-defined inside, since a mesh of theirs is open: that
  // something starts inside them may not be noticed (docs/inside.md).
  std::vector<int> bodies_without_inside() const;
  const Clearances& clearance() const;
  PairClass pair_class(int a, int b) const;  // of two bodies
  // Values of coordinates that a path does not name.
  std::span<const double> home() const { return home_; }
  std::span<const JointGroup> groups() const;
  // Named configurations of all robots: the names of states stay, groups are "robot/group", joints
  // are coordinates of the tree or mimic joints ("robot/joint", "robot/joint.x").
  std::span<const GroupState> states() const;
  std::span<const std::string> warnings() const;
  // What files hold and was left out since somebody said so: "arm: <loop_joint> in <robot> (2)".
  // What is proved is about the rest; the hash of the scene covers it.
  std::vector<std::string> ignored() const;
  // What moves or grows by the clock. If there is any, a motion needs times, and single
  // configurations mean nothing.
  std::span<const TimedPart> timed() const;
  bool follows_clock(int coordinate) const;
  // An Error if something does: for those who ask about configurations and motions without times.
  Result<void> require_no_clock() const;
  // The motion together with all that moves by the clock, from its first time to its last. Pieces
  // end wherever one of a part does; those that are cut become curves, whose control points err by
  // less than 2^-45 of the largest (docs/algorithms/motions.md). Without a clock the motion itself.
  // `delays`: how late each of `timed` is; empty: not at all.
  Result<Motion> on_one_clock(const Motion& motion, std::span<const double> delays = {}) const;
  // Whether something may start later than its motion says: what is proved holds for every start.
  bool may_be_late() const;
  // Covers everything that a verdict depends on: geometry, kinematics, pairs, clearances, home.
  // Computed anew at every call, in the time that it takes to read all pairs.
  Hash128 hash() const;

  // X_WB at a configuration, or at poses that were computed from one.
  Pose body_pose(int body, std::span<const double> q) const;
  Pose body_pose(int body, const LinkPoses& poses) const {
    const Body& b = bodies_[static_cast<std::size_t>(body)];
    return poses.X_WL[static_cast<std::size_t>(b.link)] * b.X_LB;
  }

  // Edits. Errors name the body; the scene itself never changes.
  //
  // Where an obstacle stands (X_WB), or how an attached object is held (X_LB). The name of a robot
  // moves its base (X_WR): that prepares its kinematics anew.
  Result<Scene> with_pose(std::string_view name, const Pose& X) const;
  Result<Scene> with_obstacle(ObstacleSource obstacle) const;
  // Several obstacles at once, all or none: of one that is there, by name, the shape and pose
  // change, one that is not is new, and one without elements and geometry is taken out. Costs what
  // changes. What moves by the clock cannot be changed so.
  Result<Scene> with_obstacles(std::vector<ObstacleSource> changes) const;
  // Without an obstacle or attached object, and without the exclusions and clearances that name it.
  Result<Scene> without(std::string_view name) const;
  // A new object in the hand.
  Result<Scene> with_attached(AttachedSource object) const;
  // An obstacle becomes an object held by `link` ("robot/link"), where it stands at the
  // configuration q; it may touch that link and the bodies in `touch`.
  Result<Scene> with_attached(std::string_view obstacle, std::string_view link,
                              std::span<const double> q, std::vector<std::string> touch = {}) const;
  // An attached object becomes an obstacle, where it is at the configuration q.
  Result<Scene> detached(std::string_view object, std::span<const double> q) const;
  Result<Scene> with_home(std::string_view coordinate, double value) const;
  // What all pairs must keep, by class; what single pairs must keep stays.
  Result<Scene> with_clearance(const Clearances& clearance) const;
  // What one pair must keep, as in SceneBuilder::set_pair_clearance.
  Result<Scene> with_pair_clearance(std::string_view body_a, std::string_view body_b,
                                    double clearance) const;
  // Every body again as plain data, in order: build_scene makes an equal scene of it, and shares
  // the geometry.
  SceneSource description() const;

  // Pairs (indices into pairs()) that are proved never to come within their clearance (or the given
  // one, if it is larger) while the coordinates stay in the ranges (paper 001, V-A).
  std::vector<int> pairs_that_never_meet(std::span<const Interval> ranges,
                                         double clearance = 0) const;

 private:
  friend class SceneBuilder;
  friend class SceneEditor;
  struct Foundation;  // what all edits share: robots, remarks
  // An attached object and a body that it may touch.
  struct Touch {
    std::string object, other;
  };

  std::shared_ptr<const Foundation> foundation_;
  std::shared_ptr<const PairRules> rules_;
  std::vector<Body> bodies_;
  int num_attached_ = 0;  // the last bodies
  std::vector<Touch> touches_;
  std::vector<BodyPair> pairs_;
  std::vector<ExcludedPair> excluded_;
  std::vector<double> home_;
};

// The robot that stands for an obstacle with a motion of its own: a body that floats in the
// obstacle's frame by the joint "motion".
Robot mover();

// An Error, naming the place, unless all control points of the motion fit the tree.
Result<void> check_motion(const KinematicTree& tree, const Motion& motion);

// Whether two spheres are surely farther apart than `clearance`.
bool spheres_apart(const BoundingSphere& a, const BoundingSphere& b, double clearance);

// Errors name the part.
Result<Scene> build_scene(const SceneSource& source, bool trust_srdf_never = false);

// Collects parts, then builds. Errors name the part; after an error the builder is unusable.
class SceneBuilder {
 public:
  SceneBuilder();
  ~SceneBuilder();
  SceneBuilder(SceneBuilder&&) noexcept;
  SceneBuilder& operator=(SceneBuilder&&) noexcept;

  // `name` must be unique and not empty; links become "name/link".
  Result<void> add_robot(const Robot& robot, const std::string& name, const Pose& X_WR,
                         std::shared_ptr<const Motion> motion = nullptr, double late = 0);
  Result<void> add_obstacle(ObstacleSource obstacle);
  // `geometry`: the elements already prepared; null: they are prepared when the scene is built.
  Result<void> add_obstacle(const std::string& name, std::vector<CollisionElement> elements,
                            const Pose& X_WB,
                            std::shared_ptr<const BodyGeometry> geometry = nullptr);
  // An object held by a link ("robot/link"); it may touch the links (or bodies) in `touch`, and
  // always its own link.
  Result<void> attach(const std::string& name, const std::string& link,
                      std::vector<CollisionElement> elements, const Pose& X_LB,
                      const std::vector<std::string>& touch,
                      std::shared_ptr<const BodyGeometry> geometry = nullptr);
  Result<void> exclude(const std::string& body_a, const std::string& body_b, std::string note);
  // Negative: an allowed depth of overlap, for bodies of one convex piece each.
  Result<void> set_pair_clearance(const std::string& body_a, const std::string& body_b,
                                  double clearance);
  Result<void> set_clearance(const Clearances& clearance);
  Result<void> set_home(const std::string& coordinate, double value);
  // Also exclude what an SRDF disables as "Never" (never seen in samples: not a proof).
  void trust_srdf_never(bool trust);
  // Something a person should know, for Scene::warnings().
  void add_warning(std::string warning);

  Result<Scene> build() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace proven
