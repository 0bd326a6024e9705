// Chapter 6, continued: the rule on straight pieces in plain doubles, rounded to nearest. One bound
// per body takes in all that its pose, its velocity and rounding may be off; docs/verifier.md
// derives it. What this leaves open goes to intervals. Most leaves end here, and nothing is
// allocated for them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "verify/rule.h"

namespace proven::verifier {

// The largest y · x over the node, in the frame of its body, but for rounding and for what the
// body's `piece_error` says.
double near_highest(const Node& node, const Vec3& y);

// A body at some time.
struct PlacedBody {
  Mat3 R_WB;
  Vec3 p_WB;
  Vec3 centre;       // of the ball around it
  double error = 0;  // of the highest n · x in world coordinates, |n| = 1
  double reach = 0;  // no point is farther from the origin
};
PlacedBody placed(const Body& body, const Placement<Interval>& X_WB);

class QuickRule {
 public:
  explicit QuickRule(const Model& model);

  // The motion must be straight, and outlive the leaves.
  void begin(SegmentMotion<Interval>& motion);
  void begin(const Unit& unit);
  // Whether the rule surely holds. `still` is the still body that B belongs to; -1: to none, or to
  // several.
  bool holds(const Leaf& leaf, const Node& A, const Node& B, int still,
             const Required<Interval>& required);

  // Its parts, for tests. Relative to the ancestor: the velocity w × x + u of the body's points x;
  struct Velocity {
    Vec3 w, u;
    double w_error = 0, u_error = 0;
  };
  Velocity velocity(double t, int body, int ancestor);
  // the highest n · (x + s v(x)) over the node;
  struct Highest {
    double value = 0, error = 0;
  };
  Highest highest(double t, int body, int ancestor, const Node& node, const Vec3& n, double s);
  // bounds on speeds on a side of length h, and on accelerations along n, times |n|.
  struct Lost {
    double speed = 0, acceleration = 0;
  };
  Lost lost(double t, int body, int ancestor, const Vec3& n, double h);

 private:
  // A joint on the piece.
  struct Joint {
    bool moves = false, turns = false;
    Placement<Interval> X_PL;  // if it does not move
    Vec3 axis;
    double tilt = 0;  // the true axis is within this of it
    double rate = 0, rate_error = 0, speed = 0;
    double spin = 0;  // speeds of this and all turning joints above
  };
  // A joint that moves, between an ancestor and a body.
  struct ChainJoint {
    int link = 0;
    std::size_t distance = 0;  // its place in Frame::distances
    bool turns = false;
    double speed = 0, reach = 0, spin_bound = 0, drift = 0;
  };
  struct Chain {
    std::size_t first = 0, count = 0;  // in chain_joints_, from the ancestor down
    double speed = 0;                  // of all points, wherever the joints stand
  };
  // A link at one time.
  struct LinkAt {
    std::uint64_t stamp = 0;
    Placement<Interval> X_WL;
    Vec3 axis;
    double tilt = 0;
    Vec3 w, u;  // velocity of a point x: w × x + u
    double w_error = 0, u_error = 0;
  };
  struct BodyAt : PlacedBody {
    std::uint64_t stamp = 0;
  };
  struct Frame {
    double t = 0;
    std::uint64_t stamp = 0;  // what has another is not of this time
    std::vector<LinkAt> links;
    std::vector<BodyAt> bodies;
    std::vector<double> distances;  // of axes to bodies; negative: not known
  };
  // How a node moves, relative to the ancestor.
  struct Mover {
    const PlacedBody* at = nullptr;  // null: in world coordinates
    const Chain* chain = nullptr;    // null: stands still
    int body = -1;
    Velocity velocity;
    Vec3 above;        // the angular velocity of the ancestor
    double error = 0;  // of the highest n · (x + s v(x)), |n| = 1 and |s| <= 1
    double spin_error = 0;
  };

  Frame& frame(double t);
  const LinkAt& link_at(Frame& frame, int link) const;
  const BodyAt& body_at(Frame& frame, int body) const;
  double distance(Frame& frame, const Mover& mover, const ChainJoint& joint) const;
  std::size_t chain(int body, int ancestor);
  Chain make_chain(int body, int ancestor);
  Mover moving(Frame& frame, int body, int ancestor, std::size_t chain) const;
  Mover standing(int still) const;
  Lost lost(Frame& frame, const Mover& mover, const Vec3& n, double length, double h) const;
  bool decide(Frame& frame, const Leaf& leaf, const Node& A, const Mover& a, const Node& B,
              const Mover& b, const Required<Interval>& required) const;

  const Model& model_;
  SegmentMotion<Interval>* motion_ = nullptr;
  std::vector<Joint> joints_;                // of links
  std::vector<PlacedBody> still_;            // of bodies that stand still
  double still_error_ = 0;                   // of nodes over still bodies
  std::vector<std::size_t> first_distance_;  // of bodies, and all
  std::vector<ChainJoint> chain_joints_;
  std::vector<Chain> chains_;
  std::vector<int> chain_of_;  // by body and ancestor; -1: not yet made
  std::vector<Frame> frames_;
  std::size_t num_frames_ = 0, last_frame_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> frame_of_;  // by the bits of t
  std::uint64_t stamp_ = 0;

  int a_ = 0, b_ = -1, ancestor_ = 0;  // of the unit
  std::size_t chain_a_ = 0, chain_b_ = 0;
};

}  // namespace proven::verifier
