// What a ModelData holds: a scene with everything that questions about it need, computed once.
//
// Bodies carry bounds on how they move over the ranges of the model; pairs what the rule requires
// of them; matches are the pairs of trees that the directional search works on. A model of an
// edited scene takes over what did not change.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "proven/certify/options.h"
#include "proven/geometry/box_tree.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/scene/scene.h"

namespace proven {

// Of the options, those that the model depends on.
struct Requirement {
  Clearances clearance;
  // How far each coordinate of the tree may be from the motion; empty: not at all.
  std::vector<double> errors;
  bool bisection = false;  // for the checkers classic, refined and fixed

  static Requirement of(const CheckOptions& options, const KinematicTree& tree);
  bool tube() const { return !errors.empty(); }
  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// The box of configurations for which bounds hold.
class Reach {
 public:
  // The limits and home. An angle without limits may turn four times to each side, which costs
  // nothing: angles enter only the rounding bound.
  explicit Reach(const Scene& scene);

  std::span<const Interval> ranges() const { return ranges_; }
  friend bool operator==(const Reach&, const Reach&) = default;
  bool covers(std::span<const double> lower, std::span<const double> upper) const;
  // Makes it cover the box [lower, upper] too. It only grows.
  void cover(const KinematicTree& tree, std::span<const double> lower,
             std::span<const double> upper);

 private:
  std::vector<std::vector<double>>
      reached_;  // two configurations: the corners of what was asked for
  std::vector<Interval> ranges_;
};

struct BodyModel {
  BoundingSphere sphere;  // around the root box, in the body's frame; the radius is rounded up
  MotionFactors factors;  // of that sphere
  double rounding_bound;  // on computed positions of the body's points in the world
  MotionFactors motion;   // of the body itself; only for bisection
  // How far each joint's tracking error may move the body's points, joint by joint from the body
  // up.
  struct TubeTerm {
    int link;
    double extent;
  };
  std::vector<TubeTerm> tube;

  static std::shared_ptr<const BodyModel> make(const Scene& scene, const Body& body,
                                               const Requirement& requirement,
                                               std::span<const Interval> ranges);
};

// Whether the two are the same in everything that a model of them depends on.
bool same_body(const Body& x, const Body& y);
// What a pair must keep, without the tube around the path.
double required_clearance(const Scene& scene, const BodyPair& pair, const Requirement& requirement);

// Whether a model is also for questions about all pairs together, or for single pairs alone.
enum class Groups { still_bodies, none };

struct PairModel {
  int a = 0, b = 0;           // bodies
  double clearance = 0;       // required, with the tube around the path; at time 0
  double growth = 0;          // of what is required, metres per second
  double rounding_bound = 0;  // on the distance of computed poses: the sum of both bodies'
  int ancestor = 0;           // lowest common ancestor of their links; motion counts from there
};

// Two trees of boxes that are tested against each other: of two bodies, or of a body and all still
// bodies.
struct Match {
  static constexpr int kStillBodies = -1;

  int a = 0;             // a body that moves
  int b = 0;             // a body, or kStillBodies
  int pair = -1;         // index of the pair; -1 for still bodies
  int ancestor = 0;      // motion counts from this link
  double clearance = 0;  // required; of still bodies the largest
  double growth = 0;     // as in PairModel
  double rounding_bound = 0;
};

// Bodies that no joint moves, under one tree in the world.
struct StillBodies {
  std::vector<int> bodies;
  std::vector<int> place;  // per body of the scene: where in `bodies`, or -1
  std::vector<Pose> poses;
  BoxTree tree;
};

class SweepModel;

class ModelData {
 public:
  // Takes over from `previous` what is the same there; null: computes all of it. Without groups
  // there is no tree over still bodies, no proof order and no sweep.
  ModelData(Scene scene, const Requirement& requirement, Reach reach, const ModelData* previous,
            Groups groups = Groups::still_bodies);

  const Scene& scene() const { return scene_; }
  const Requirement& requirement() const { return requirement_; }
  // The same without tracking error: whether the path itself collides. Null if there is none.
  const std::shared_ptr<const ModelData>& without_tube() const { return without_tube_; }
  const Reach& reach() const { return reach_; }

  // Of all joints but those that follow the clock.
  const LimitBox& limits() const { return limits_; }

  // All pairs of the scene, in its order.
  std::span<const PairModel> pairs() const { return pairs_; }
  const PairModel& pair(int index) const { return pairs_[static_cast<std::size_t>(index)]; }
  const BodyModel& body(int index) const { return *bodies_[static_cast<std::size_t>(index)]; }

  // For bisection. Whether the swept spheres of a pair are apart over the ranges.
  bool never_meets(int pair) const { return never_meets_[static_cast<std::size_t>(pair)]; }
  // Upper bound on how fast the distance of a pair can change, per unit of t, when each link's
  // joint moves at most displacement[link] per unit of t.
  double closing_rate(const PairModel& pair, std::span<const double> displacement) const;

  // Matches of all pairs, by the index of the pair, then those with the still bodies.
  std::span<const Match> matches() const { return matches_; }
  const Match& match(int index) const { return matches_[static_cast<std::size_t>(index)]; }
  // The matches to prove, in the order of the certificate format: pairs with a still body are
  // proved under the match with all still bodies.
  std::span<const int> proof_order() const { return proof_order_; }

  bool is_still(int body) const { return still_->place[static_cast<std::size_t>(body)] >= 0; }
  const Pose& still_pose(int body) const {
    return still_->poses[static_cast<std::size_t>(still_->place[static_cast<std::size_t>(body)])];
  }
  const BoxTree& still_tree() const { return still_->tree; }
  int num_still() const { return static_cast<int>(still_->bodies.size()); }
  int still_place(int body) const { return still_->place[static_cast<std::size_t>(body)]; }
  int still_body(int item) const { return still_->bodies[static_cast<std::size_t>(item)]; }
  // The pair of body a, which moves, and a still body, by its item in the still tree; -1 if it is
  // not tested.
  int still_pair(int a, int still_item) const {
    return still_pairs_[moving_row_[static_cast<std::size_t>(a)] * still_->bodies.size() +
                        static_cast<std::size_t>(still_item)];
  }
  // Prepared by the first call, while others wait for it.
  const SweepModel& sweep() const;
  // Prepares it because the caller said so; known of models of edited scenes that take it over.
  void prepare_sweep() const {
    (void)sweep();
    told_to_sweep_.store(true, std::memory_order_release);
  }
  bool told_to_sweep() const { return told_to_sweep_.load(std::memory_order_acquire); }
  // Null as long as preparing it would take longer than it saves: it is worth it after some hundred
  // questions, or at once if its bodies were prepared for another model.
  const SweepModel* sweep_if_worth() const;
  bool has_sweep() const { return made_sweep_.load(std::memory_order_acquire) != nullptr; }

  // Whether any still body below the node forms a tested pair with a.
  bool counts(int a, int still_node) const;

 private:
  void take_bodies(const ModelData* previous);
  void take_pairs(const ModelData* previous);
  void take_still_bodies(const ModelData* previous);
  void list_still_pairs();
  void make_matches();
  void make_groups();
  bool moves_as(const ModelData& previous) const;
  double tube(const PairModel& pair) const;

  Scene scene_;
  Requirement requirement_;
  Reach reach_;
  LimitBox limits_;
  Groups groups_;
  std::vector<int> previous_body_;  // per body: the same one in the previous model, or -1
  std::vector<std::shared_ptr<const BodyModel>> bodies_;
  std::vector<PairModel> pairs_;
  std::vector<bool> never_meets_;
  std::shared_ptr<const StillBodies> still_;
  std::vector<std::size_t> moving_row_;  // per body that moves: how many such are before it
  std::vector<int> still_pairs_;         // per such body and still body
  std::vector<Match> matches_;
  std::vector<int> proof_order_;
  std::shared_ptr<const ModelData> without_tube_;
  mutable std::atomic<int> asked_ = 0;
  mutable std::atomic<bool> told_to_sweep_ = false;
  mutable std::mutex sweep_mutex_;
  mutable std::shared_ptr<const SweepModel> sweep_;
  mutable std::atomic<const SweepModel*> made_sweep_ = nullptr;
};

}  // namespace proven
