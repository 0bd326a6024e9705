// A filter in front of the directional search: balls that hold the bodies, swept along chords of a
// segment (docs/algorithms/sweep.md). What it proves is free; what it leaves open is named.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "inner_lanes.h"
#include "joint_rates.h"
#include "model_data.h"
#include "motion.h"
#include "pair_table.h"
#include "sweep_kernel.h"

namespace proven {

// A scene prepared for sweeps. Const, and shared by all threads.
class SweepModel {
 public:
  // `previous`: of a model whose bodies move as those of this one do (ModelData::moves_as), or
  // null. What moves is taken over from there.
  SweepModel(const ModelData& model, const SweepModel* previous);

  struct Joint : SweepJoint {
    int link = 0, coordinate = 0;
    double multiplier = 1, offset = 0;
    Pose exact_X_PJ;  // before it is rounded to floats
  };
  // How far the points of a body's balls can be from the axis of a joint above it.
  struct Lever {
    int joint;
    double radius;        // 1 for a slide
    double point_radius;  // the same of all points of the body
    bool turns;
  };
  // Points whose hull, widened, holds a body.
  struct Outline {
    int first_point = 0, num_points = 0;
    int first_lane = 0, num_lanes = 0;  // the same in lanes
    float radius = 0;
    bool on_body = false;  // whether the points are of the body
    Vec3 middle;
  };
  // A part of a body's surface, and a ball around its outline.
  struct Part {
    Outline outline;  // in the frame of the body's shape
    float radius = 0;
  };
  // A body as its frame sees it: that of a joint, or the world.
  struct Shape {
    int joint = -1;                    // of this model; -1: the world
    std::array<float, 3> centre = {};  // of a ball that holds all of it, the inside too
    float radius = 0;
    Outline outline;
    int first_part = 0, num_parts = 0;  // of its surface
    std::shared_ptr<const InnerLanes> inside;
  };
  // A link of the same robot that stands still.
  struct StillLink : Shape {
    int still = 0;                           // its place
    double clearance = 0;                    // what the table holds for, to the bit
    std::shared_ptr<const PairTable> table;  // may be null
  };
  struct Body : Shape {
    int body = 0;  // of the scene
    int group = 0;
    Pose X_FB;  // in the joint's frame
    int first_ball = 0, num_balls = 0;
    int first_cluster = 0, num_clusters = 0;  // of its balls
    int first_lever = 0, num_levers = 0;      // from the world down
    double span = 0;                          // no centre is farther from the world's origin
    double pose_error = 0;                    // of computed poses, on a lever to any of its points
    float error = 0;  // of computed positions, and of all tests that use them
    // With the still bodies: the index of the pair, or -1, and what is required.
    std::vector<int> still_pairs;
    std::vector<float> still_need;
    std::vector<StillLink> still_links;
    int first_still_link = 0;     // of all bodies'
    std::vector<int> still_link;  // by the place of the still body: which, or -1
    float most_needed = 0;        // of what stands still
    float most_pair_needed = 0;   // of what moves
  };
  // Balls of a body one after the other that are near each other: one ball around all of them.
  static constexpr int kMostClusters = 4;  // of a body
  struct Cluster {
    int first_ball = 0, num_balls = 0;
  };
  // Bodies one after the other that the same joint carries: one ball around all of their balls.
  struct Group {
    int first_body = 0, num_bodies = 0;
    int joint = 0;
    std::array<float, 3> centre = {};  // in the joint's frame
    float radius = 0;
    // The largest of its bodies'.
    float error = 0, most_needed = 0, most_pair_needed = 0;
    int first_lever = 0, num_levers = 0;
  };
  // Two groups, and the pairs between their bodies.
  struct GroupPair {
    int a = 0, b = 0;  // a <= b
    std::vector<int> pairs = {};
    float need = 0;  // the largest of theirs
  };
  struct Pair {
    int pair = 0, a = 0, b = 0;  // a, b: of `bodies`
    float need = 0;
    double clearance = 0;                    // what the table holds for, to the bit
    std::shared_ptr<const PairTable> table;  // may be null
    int shared = -1;  // one carries the other: how many joints move both; else -1
  };

  bool usable() const { return usable_; }
  std::span<const Joint> joints() const { return joints_; }
  std::span<const Body> bodies() const { return bodies_; }
  std::span<const SweepBall> balls() const { return balls_; }
  // Of a body's balls: x, y and z of each, in the frame of its joint.
  const float* centres(const Body& body) const {
    return centres_.data() + 3 * static_cast<std::size_t>(body.first_ball);
  }
  std::span<const Cluster> clusters() const { return clusters_; }
  std::span<const SweepBall> cluster_balls() const { return cluster_balls_; }
  // Of the balls around a body's clusters.
  const float* cluster_centres(const Body& body) const {
    return cluster_centres_.data() + 3 * static_cast<std::size_t>(body.first_cluster);
  }
  std::span<const Lever> levers() const { return levers_; }
  std::span<const Lever> levers(const Body& body) const {
    return levers().subspan(static_cast<std::size_t>(body.first_lever),
                            static_cast<std::size_t>(body.num_levers));
  }
  std::span<const Lever> levers(const Group& group) const {
    return std::span(group_levers_)
        .subspan(static_cast<std::size_t>(group.first_lever),
                 static_cast<std::size_t>(group.num_levers));
  }
  // Of a body's surface, and the middles of their outlines: x, y and z of each.
  std::span<const Part> parts(const Shape& shape) const {
    return std::span(parts_).subspan(static_cast<std::size_t>(shape.first_part),
                                     static_cast<std::size_t>(shape.num_parts));
  }
  const float* part_middles(const Shape& shape) const {
    return part_middles_.data() + 3 * static_cast<std::size_t>(shape.first_part);
  }
  // Of computed positions of what stands still, and of tests that use them.
  float still_error() const { return still_error_; }
  std::span<const Group> groups() const { return groups_; }
  std::span<const GroupPair> group_pairs() const { return group_pairs_; }
  std::span<const Pair> pairs() const { return pairs_; }
  // Pairs with tables of the same coordinates that tell contacts. Where all of them are free is one
  // table; null for a single pair.
  struct ToldPairs {
    std::vector<int> pairs = {};
    std::shared_ptr<const PairTable> all = nullptr;
  };
  std::span<const ToldPairs> told_pairs() const { return told_pairs_; }
  // Links that stand still with a table.
  struct ToldLink {
    int body = 0, link = 0;
  };
  std::span<const ToldLink> told_links() const { return told_links_; }
  int num_still_links() const { return num_still_links_; }
  SweepPoints points(const Outline& outline) const {
    return {points_.data() + 3 * static_cast<std::size_t>(outline.first_point), outline.num_points};
  }
  // Its points in lanes, for the kernel, and one of them; the first again up to a multiple of 16.
  std::array<const float*, 3> point_lanes(const Outline& outline) const {
    const float* x = point_lanes_.data() + outline.first_lane;
    return {x, x + outline.num_lanes, x + 2 * outline.num_lanes};
  }
  std::span<const SweepSolid> solids() const { return solids_; }
  int solid_body(int solid) const { return solid_bodies_[static_cast<std::size_t>(solid)]; }
  // Boxes around the solids, sixteen at a time; behind the last one empty ones.
  std::span<const BoxLanes> solid_boxes() const { return solid_boxes_; }
  // A still body that has an inside which is not made of solids.
  struct Hollow {
    int still = 0;                          // its place
    std::array<float, 3> lo = {}, hi = {};  // of a box around it, in the world
  };
  std::span<const Hollow> hollow_bodies() const { return hollow_bodies_; }
  const ModelData& model() const { return model_; }

 private:
  void add_joints();
  void take_bodies(const SweepModel& previous);
  void add_body(int index);
  Outline add_outline(const BodyGeometry& geometry, const proven::Outline& outline, const Pose& X);
  void add_shape(const BodyGeometry& geometry, const Pose& X, Shape& made);
  void add_parts(const BodyGeometry& geometry, const Pose& X, Shape& made);
  void add_balls(const BodyGeometry& geometry, Body& made);
  void add_cluster(std::span<const CoverBall> own, double coordinate_error, const Pose& X_FB);
  void add_levers(Body& body);
  void add_solids();
  void set_errors();
  void add_pairs(const SweepModel* previous);
  void gather_tables();
  void add_still_link(Body& body, int pair, int still, const SweepModel* previous);
  int shared_levers(int a, int b) const;
  void add_groups();
  void set_ball(Group& group) const;
  void pair_groups();

  const ModelData& model_;
  bool usable_ = true;
  std::vector<int> joint_of_link_;  // the last joint above that moves, or -1
  std::vector<Pose> X_FL_;          // per link: in the frame of that joint
  std::vector<Joint> joints_;
  std::vector<Body> bodies_;
  std::vector<SweepBall> balls_;
  std::vector<float> centres_;
  std::vector<Cluster> clusters_;
  std::vector<SweepBall> cluster_balls_;
  std::vector<float> cluster_centres_;
  std::vector<Lever> levers_, group_levers_;
  std::vector<Group> groups_;
  std::vector<GroupPair> group_pairs_;
  std::vector<float> points_, point_lanes_;
  std::vector<Part> parts_;
  std::vector<float> part_middles_;
  std::vector<Pair> pairs_;
  std::vector<ToldPairs> told_pairs_;
  std::vector<ToldLink> told_links_;
  int num_still_links_ = 0;
  std::vector<int> index_of_body_;
  std::vector<SweepSolid> solids_;
  std::vector<Hollow> hollow_bodies_;
  std::vector<int> solid_bodies_;  // per solid: the place among still bodies
  std::vector<BoxLanes> solid_boxes_;
  double reach_ = 0;  // no coordinate of a solid is farther from the world's origin
  float still_error_ = 0;
};

// A part of a segment: halved `level` times, the part with this index.
struct SegmentPart {
  int level = 0, index = 0;

  double width() const { return 1.0 / (1 << level); }
  double begin() const { return index * width(); }
  // The moment k of those that a sweep over the part looks at.
  double moment(int k) const { return begin() + width() * (static_cast<double>(k) / kChords); }
};

// One pair on some of the chords of a part, a bit each.
struct OpenPart {
  int pair = 0;
  std::uint32_t chords = 0;
  SegmentPart part = {};
};

// Where a table knows nothing, or a body overlaps what holds another one: a place where the search
// looks for a contact first.
struct SweepHint {
  int pair = -1;
  double t = 0;
  float overlap = 0;
};

// Moments at which something that was open on these chords is likely to collide, best first.
struct LikelyMoments {
  std::array<int, 3> moments;
  int count;
};
LikelyMoments likely_moments(std::uint32_t open);

// Works on one segment, or a part of one, after the other; memory stays.
class Sweep {
 public:
  static constexpr int kMostLevels = 2;  // of parts

  // Whether it could be used. `starts_free`: the first configuration is known to be free.
  // `pause`: where a contact is all but sure it waits, so that one can look there first. `hurries`:
  // what met not long ago is looked at first; then which contact is told depends on what was asked
  // before, never whether there is one.
  bool run(const SweepModel& model, const SegmentMotion& motion, bool starts_free,
           bool pause = false, const SegmentPart& part = {}, bool hurries = false);
  // How often a segment is to be halved: chords between moments of a long one tell little. What it
  // finds of the motion serves a run over all of it that follows.
  int wanted_level(const SweepModel& model, const SegmentMotion& motion);
  // What met not long ago; memory stays.
  void forget() {
    num_met_ = 0;
    knows_speeds_ = false;
  }
  bool pauses() const { return pauses_; }
  void go_on();

  bool settles_all() const { return !contact_ && !pauses_ && open_.empty(); }
  // A moment at which two bodies surely overlap or are closer than required: then nothing more was
  // looked at.
  struct Contact {
    int pair = -1;
    double t = 0;
    double distance = 0;  // at most; negative: how deep they overlap at least
    Vec3 point;           // in the world
  };
  const std::optional<Contact>& contact() const { return contact_; }
  // What is not proved, of a sweep without contact that does not pause.
  std::span<const OpenPart> open() const { return open_; }

  const SweepHint& hint() const { return hint_; }

 private:
  void find_speeds();
  bool place_joints();
  void place_ball_joint(const SweepModel::Joint& joint, const FrameLanes* parent,
                        FrameLanes& out) const;
  double bend(std::span<const SweepModel::Lever> levers, int first,
              double SweepModel::Lever::*radius) const;
  void place_group(std::size_t g);
  void need_whole(std::size_t b);
  float bend_of(std::size_t b) const {
    return groups_[static_cast<std::size_t>(model_->bodies()[b].group)].bend;
  }
  void find_near_groups();
  bool are_near(int a, int b) const;
  void need_clusters(std::size_t b);
  void need_balls(const SweepModel::Body& body, std::size_t cluster);
  // Balls of which chords are open, the deepest in each other, and when that is.
  struct Nearest {
    std::array<int, 2> balls = {-1, -1};
    float gap = std::numeric_limits<float>::infinity();  // below zero: how deep
    int moment = 0;
  };
  // A solid or a pair that may come near, and the chords that balls leave open.
  struct NearSolid {
    std::size_t body = 0;
    int solid = 0;
    int link = -1;  // of the body's still links; -1: it belongs to none
    std::uint32_t open = 0;
    Nearest nearest;
  };
  // Of a link that stands still: chords that its table leaves open, those not yet found to be open
  // by balls, and its place in near_solids_, or -1.
  struct LinkState {
    std::uint32_t table = 0, left = 0;
    int near = -1;
  };
  struct NearPair {
    std::size_t pair = 0;
    std::uint32_t open = 0;
    bool many = false;  // too many balls are near: they were not asked
    Nearest nearest;
  };
  LinkState& link_state(const SweepModel::Body& body, int link) {
    return links_[static_cast<std::size_t>(body.first_still_link) + static_cast<std::size_t>(link)];
  }
  void pause();
  void begin_tests();
  PairTable::Line line() const {
    return {motion_->from, motion_->to, part_.begin(), part_.width()};
  }
  void ask_tables();
  template <class Look>
  std::uint32_t ask_table(const PairTable& table, int pair, const Look& look);
  void look();
  void look_at_solids(const SweepModel::Group& group);
  void look_at_solid(std::size_t b, int solid);
  void look_at_pairs(const SweepModel::GroupPair& groups);
  void look_at_pair(std::size_t index, std::uint32_t chords);
  void test_solids(std::size_t b, std::span<const NearSolid> near);
  void test_solid(const NearSolid& near);
  void test_pair(const NearPair& near);
  void find_near_clusters(std::size_t a, std::size_t b, float need, std::uint32_t chords);
  void find_near_balls(std::size_t a, std::size_t b, float need, std::uint32_t chords);
  std::uint32_t test_balls(const SweepModel::Pair& pair, float need, std::uint32_t chords);
  std::uint32_t test_balls(std::size_t b, int first, int count, int solid, float need,
                           std::uint32_t chords);
  void look_for_contact(const SweepModel::Pair& pair, int x, int y);
  // A ball of a body that was found in a solid, or one of each body of a pair that overlapped.
  struct Met {
    std::size_t of = 0;  // the body, or the pair
    int ball = 0;        // of the body's, or of the pair's first
    int solid = -1;
    int other = -1;       // of the pair's second
    bool inside = false;  // both are of the finer fillings
  };
  bool meets_again();
  void meet_solid(const Met& met);
  void meet_pair(const Met& met);
  void meet_inside(const Met& met);
  void remember(const Met& met);
  void note(const std::array<int, 2>& balls, float gap, int moment);
  void look_deeper();
  void look_inside(const NearSolid& near, int moment);
  void look_inside(const SweepModel::Pair& pair, int moment);
  // Balls inside of two bodies that are tested against each other, at one moment.
  struct InnerPair {
    const InnerLanes& a;
    const InnerLanes& b;
    Pose X_WA, X_WB;
    double error = 0;
    int pair = 0;
    float need = 0;
    int moment = 0;
  };
  InnerPair inner_pair(const SweepModel::Pair& pair, int moment) const;
  InnerPair inner_pair(const SweepModel::Body& body, const SweepModel::StillLink& link,
                       int moment) const;
  bool look_inside(const InnerPair& both);
  void pick_near(const InnerLanes& from, const Pose& X, const Aabb& box, double around,
                 std::vector<int>& picked) const;
  static InnerBall in_frame(const PairTable::Ball& ball, const Pose& X);
  bool overlap(const InnerPair& both, const InnerBall& a, const InnerBall& b);
  std::uint32_t narrow(std::size_t b, int solid, int still, std::uint32_t open);
  // Two bodies; if one carries the other, the first does. The world carries all.
  struct Facing {
    const SweepModel::Shape *a = nullptr, *b = nullptr;
    bool carried = false;
    int pair = 0;
    double needed = 0;  // between their points
  };
  Facing facing(const SweepModel::Pair& pair) const;
  Facing facing(const SweepModel::Body& body, const SweepModel::StillLink& link) const;
  std::uint32_t narrow(const SweepModel::Pair& pair, std::uint32_t open);
  // How far an outline reaches along directions, at every moment.
  struct Reach {
    alignas(64) float v[kMoments];
  };
  // The farthest of an outline's points along n, in its frame.
  Vec3 farthest_of(const SweepModel::Outline& outline, const Vec3& n) const;
  bool find_direction(const Facing& both, const SweepModel::Outline& of_a, const Track& from,
                      const SweepModel::Outline& of_b, const Track& to, std::uint32_t open,
                      int attempt, Vec3& n, DirectionLanes& along);
  void find_reach(const SweepModel::Shape& shape, const SweepModel::Outline& outline,
                  const DirectionLanes& along, Reach& reach) const;
  std::uint32_t narrow(const Facing& both, const Track& from, const Track& to, std::uint32_t open);
  void find_near_parts(const Facing& both, std::size_t side, float needed, std::uint32_t chords);
  void find_part_pairs(const Facing& both, float needed, std::uint32_t chords);
  void narrow_parts(const Facing& both, DirectionLanes& along, int moment);
  std::uint32_t narrow_parts(const SweepModel::Pair& pair, std::uint32_t open);
  std::uint32_t narrow_parts(const Facing& both, double need, std::uint32_t open);
  std::uint32_t open_parts() const;
  bool may_meet(int moment, std::uint32_t open) const;
  template <class FarthestOf, class ReachOf>
  std::uint32_t narrow_still(const SweepModel::Body& body, const Vec3& guess, double needed,
                             std::uint32_t open, const FarthestOf& farthest, const ReachOf& reach);
  std::uint32_t narrow(std::size_t b, const SweepModel::StillLink& link, int solid,
                       std::uint32_t open);
  Vec3 away_from_solid(int solid, std::uint32_t open) const;
  void leave(int pair, std::uint32_t chords);
  void look_at_end();
  void hint_at_end();
  bool moves(const SweepModel::Body& body, int first) const;
  bool moves(const SweepModel::Pair& pair) const;
  bool still_holds_nothing(std::size_t b, int still) const;
  bool may_be_inside(std::size_t b, const SweepModel::Hollow& hollow) const;
  bool inside_nothing(std::size_t a, std::size_t b) const;
  bool some_point_in(const BodyGeometry& inner, const Pose& X_outer_inner,
                     const BodyGeometry& outer, double error) const;
  const FrameLanes& frame_of(const SweepModel::Shape& shape) const;
  Pose frame_at(const SweepModel::Shape& shape, int moment) const;
  Pose start_pose(const SweepModel::Body& body) const;

  const SweepModel* model_ = nullptr;
  const SegmentMotion* motion_ = nullptr;
  SegmentPart part_;
  bool starts_free_ = false;
  // Of every joint, on the whole part, which takes the time 1.
  struct Speed {
    double upper = 0;    // of its rate
    double change = 0;   // of how fast that changes
    double bending = 0;  // of what it adds to the second derivative, per length of a lever
  };
  std::vector<Speed> speeds_;
  std::vector<double> turning_;  // per joint: the rates of all that turn, down to it
  bool all_move_ = false;        // every joint does
  // Of the whole motion with these ends: the place where a motion is kept may have another one by
  // now.
  bool knows_speeds_ = false;
  std::vector<double> speeds_from_, speeds_to_;
  std::vector<std::vector<double>> speeds_inner_;
  bool speeds_are_of(const MotionPiece& motion) const;
  std::vector<JointRate> rates_;
  std::vector<FrameLanes> frames_;
  // A ball around a group at all moments, the box around its centres, and how far centres of balls
  // of its bodies can be from the chords.
  struct Whole {
    Track track;
    std::array<float, 6> box;
    float bend = 0;
  };
  std::vector<Whole> groups_;
  std::vector<Track> wholes_, balls_;       // balls around bodies; of their covers
  std::vector<Track> clusters_;             // balls around clusters of these
  std::vector<BoxLanes> group_boxes_;       // around whole groups on the whole part
  std::vector<std::uint16_t> near_groups_;  // per group: a bit for each, sixteen to a word
  std::vector<std::uint8_t> has_whole_, has_clusters_;  // per body
  std::vector<std::uint8_t> has_balls_;                 // per cluster
  std::vector<std::uint16_t> near_blocks_;              // of solids, sixteen each, near a group
  std::array<std::vector<int>, 2> near_balls_;          // of the two bodies of a pair
  std::array<std::vector<int>, 2> near_clusters_;       // the same
  std::vector<std::uint32_t> tables_;      // per pair: chords that its table leaves open
  std::vector<LinkState> links_;           // of all bodies
  std::vector<std::uint32_t> open_still_;  // chords that are open
  std::vector<Vec3> corners_;              // of a solid
  Nearest nearest_;                        // of what is looked at
  std::vector<OpenPart> open_;
  SweepHint hint_;
  std::vector<NearSolid> near_solids_;  // by bodies, the last one first
  std::vector<NearPair> near_pairs_;
  // Solids and pairs of these, where balls come nearest first.
  struct Candidate {
    float gap = 0;
    int solid = -1, pair = -1;
  };
  std::vector<Candidate> candidates_;
  // Of parts of two bodies: where their middles are, how far they reach, and which come near the
  // other body.
  std::array<std::vector<Track>, 2> part_tracks_;
  std::array<std::vector<Reach>, 2> part_reaches_;
  std::array<std::vector<std::size_t>, 2> near_parts_;
  struct PartPair {
    std::size_t a = 0, b = 0;
    std::uint32_t open = 0;
    int tries = 0;  // directions that were sought for it
  };
  std::vector<PartPair> part_pairs_;
  std::array<std::vector<int>, 2> picked_;    // balls inside of two bodies, near the other one
  std::array<std::vector<float>, 4> chosen_;  // of the first, in lanes
  static constexpr std::size_t kMostMet = 6;
  std::array<Met, kMostMet> met_;  // the latest first
  std::size_t num_met_ = 0;
  std::array<int, 2> met_inside_ = {};  // balls of the contact that look_inside found
  bool pauses_ = false;
  static constexpr int kMostPauses = 3;
  int pauses_left_ = 0;
  std::ptrdiff_t next_pair_ = -1;  // of near_pairs_, to be tested; -1: solids come first
  std::optional<Contact> contact_;
};

}  // namespace proven
