// A filter in front of the directional search: balls that hold the bodies, swept along chords of a
// segment (docs/algorithms/sweep.md). What it proves is free; what it leaves open is named.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "joint_rates.h"
#include "model_data.h"
#include "motion.h"
#include "pair_table.h"
#include "sweep_kernel.h"

namespace proven {

// A scene prepared for sweeps. Const, and shared by all threads.
class SweepModel {
 public:
  explicit SweepModel(const ModelData& model);

  struct Joint : SweepJoint {
    int link = 0, coordinate = 0;
    double multiplier = 1, offset = 0;
  };
  struct Ball {
    Vec3 centre;  // in the frame of the body's joint
    float radius = 0, depth = 0;
  };
  // How far the points of a body's balls can be from the axis of a joint above it.
  struct Lever {
    int joint;
    double radius;  // 1 for a slide
    bool turns;
  };
  struct Body {
    int body = 0;   // of the scene
    int joint = 0;  // of this model
    Pose X_FB;      // in the joint's frame
    Ball whole;     // holds all of it, the inside too
    int first_ball = 0, num_balls = 0;
    int first_lever = 0, num_levers = 0;  // from the world down
    float error = 0;                      // of computed positions, and of all tests that use them
    // With the still bodies: the index of the pair, or -1, and what is required.
    std::vector<int> still_pairs;
    std::vector<float> still_need;
    // Those of the same robot that have a table, by the place of the still body.
    std::vector<std::pair<int, std::shared_ptr<const PairTable>>> still_tables;
    float most_needed = 0;
  };
  struct Pair {
    int pair = 0, a = 0, b = 0;  // a, b: of `bodies`
    float need = 0;
    std::shared_ptr<const PairTable> table;  // may be null
  };

  bool usable() const { return usable_; }
  std::span<const Joint> joints() const { return joints_; }
  std::span<const Body> bodies() const { return bodies_; }
  std::span<const Ball> balls() const { return balls_; }
  std::span<const Lever> levers() const { return levers_; }
  std::span<const Pair> pairs() const { return pairs_; }
  std::span<const SweepSolid> solids() const { return solids_; }
  int solid_body(int solid) const { return solid_bodies_[static_cast<std::size_t>(solid)]; }
  // Boxes around the solids: lo x, y, z, hi x, y, z.
  std::span<const float> solid_bounds(int side) const {
    return solid_bounds_[static_cast<std::size_t>(side)];
  }
  // Still bodies, by their place, that have an inside which is not made of solids.
  std::span<const int> hollow_bodies() const { return hollow_bodies_; }
  const ModelData& model() const { return model_; }

 private:
  void add_joints();
  void add_body(int index);
  void add_levers(Body& body);
  void add_solids();
  void add_pairs();

  const ModelData& model_;
  bool usable_ = true;
  std::vector<int> joint_of_link_;  // the last joint above that moves, or -1
  std::vector<Pose> X_FL_;          // per link: in the frame of that joint
  std::vector<Joint> joints_;
  std::vector<Body> bodies_;
  std::vector<Ball> balls_;
  std::vector<Lever> levers_;
  std::vector<Pair> pairs_;
  std::vector<int> index_of_body_;
  std::vector<SweepSolid> solids_;
  std::vector<int> hollow_bodies_;
  std::vector<int> solid_bodies_;  // per solid: the place among still bodies
  std::array<std::vector<float>, 6> solid_bounds_;
  double reach_ = 0;  // no coordinate of a solid is farther from the world's origin
};

// One pair on some of the chords, a bit each.
struct OpenPart {
  int pair = 0;
  std::uint32_t chords = 0;
};

// Works on one segment after the other; memory stays.
class Sweep {
 public:
  // Whether it could be used. `starts_free`: the first configuration is known to be free.
  bool run(const SweepModel& model, const SegmentMotion& motion, bool starts_free);

  // Whether it ended at a hint and looked at nothing more.
  bool incomplete() const { return incomplete_; }
  bool settles_all() const { return !incomplete_ && open_.empty(); }
  // What is not proved, of a sweep that is complete.
  std::span<const OpenPart> open() const { return open_; }

  // Where bodies seem to overlap most: a place to look for a contact first.
  struct Hint {
    int pair = -1;
    double t = 0;
    float overlap = 0;
  };
  const Hint& hint() const { return hint_; }

 private:
  bool place_joints();
  float bend(const SweepModel::Body& body) const;
  void place_body(std::size_t b);
  void need_balls(std::size_t b);
  void test_solids(std::size_t b);
  void test_pair(const SweepModel::Pair& pair);
  std::uint32_t test_balls(std::size_t b, int solid, int pair, float need, std::uint32_t whole);
  void look_for_contact(const Track& track, const SweepSolid& solid, float depth, int pair);
  void leave(int pair, std::uint32_t chords);
  bool moves(const SweepModel::Body& body) const;
  bool still_holds_nothing(std::size_t b, int still) const;
  bool may_be_inside(std::size_t b, int still) const;
  bool inside_nothing(std::size_t a, std::size_t b) const;
  bool some_point_in(const BodyGeometry& inner, const Pose& X_outer_inner,
                     const BodyGeometry& outer) const;
  Pose start_pose(const SweepModel::Body& body) const;

  const SweepModel* model_ = nullptr;
  const SegmentMotion* motion_ = nullptr;
  bool starts_free_ = false;
  std::vector<JointRate> rates_;
  std::vector<FrameLanes> frames_;
  std::vector<Track> wholes_, balls_;
  std::vector<std::array<float, 6>> boxes_;
  std::vector<float> bends_;
  std::vector<std::uint8_t> has_balls_;
  std::vector<int> near_, near_balls_;
  std::vector<std::uint32_t> left_;  // per still body: chords that are not settled
  std::vector<OpenPart> open_;
  Hint hint_;
  bool incomplete_ = false;
};

}  // namespace proven
