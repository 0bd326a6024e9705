// Chapter 5: motion. Where bodies are at a time t of a piece of the motion, how they move there,
// and bounds on how they can move nearby (format, sections 5 and 8).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "verify/model.h"
#include "verify/polynomial.h"

namespace proven::verifier {

// A time, and how far is looked to either side of it.
struct Around {
  double anchor = 0, before = 0, after = 0;
};
inline constexpr std::size_t kBefore = 0, kAfter = 1;  // the sides

// What holds on all of one side of the anchor.
template <class T>
struct SideBounds {
  T speed, change;      // D and F of the joint
  T spin_above;         // Omega above the joint
  T spin_bound, drift;  // Omega above + Omega below, and the same of W
};

// A joint that moves, between a common ancestor and a body; at the anchor, in world coordinates.
template <class T>
struct JointMotion {
  bool turns = false;  // else it slides
  Vector<T> spins;     // omega above the joint + omega below it
  T distance;          // of the farthest point of the body's sphere to the axis; turning joints
  T reach;             // S: the same, wherever the joints below stand
  T bend;              // |kappa|
  std::array<SideBounds<T>, 2> sides;
};

template <class T>
struct BodyMotion {
  Matrix<T> R_WB = {};
  Vector<T> p_WB;
  Vector<T> w, u;                      // velocity of a point x: w × x + u
  Vector<T> w_bend, u_bend;            // acceleration by the kappas alone: w_bend × x + u_bend
  std::vector<JointMotion<T>> joints;  // from the ancestor down
  bool curved = false;                 // a joint is on a curve
};

template <class T>
struct Ball {
  Vector<T> centre;
  T radius;
};
// Around the root box of a body, in its frame.
template <class T>
Ball<T> ball_around(const Body& body);

// One piece of the motion, which must outlive it. `errors`: how far each coordinate may be from it;
// empty: not at all.
template <class T>
class SegmentMotion {
 public:
  SegmentMotion(const Model& model, const MotionPiece& piece, std::span<const double> errors);

  // Relative to the link `ancestor` above the body. Kept until make_room is called.
  const BodyMotion<T>& at(Around time, int body, int ancestor);
  Placement<T> pose(double t, int body);
  // How far the tracking error, and on curves the rounding of conversions, can move points of the
  // body, relative to the ancestor.
  T tracking_slack(int body, int ancestor);
  // Forgets what is kept if that is much.
  void make_room();

  struct JointState {
    Placement<T> X_PJ;
    Vector<T> axis;  // unit, in the frame of the link
    // The value in time and its derivatives; of a straight ball joint its angle.
    Polynomial<T> value, rate, bend;
    // A curved ball joint: the rotation vector.
    Polynomial<T, Vector<T>> phi, phi_rate, phi_bend;
    Rotation<T> R_start;  // ball joints: before that turn
    T error = 0.0;        // of the value
    bool moves = false;
  };
  const JointState& joint(int link) const { return states_[static_cast<std::size_t>(link)]; }
  Placement<T> pose_in_parent(int link, double t) const;
  // S of each link of the chain from the world to the body's link.
  const std::vector<T>& reaches(int body);
  // The same of a ball in the frame of a link.
  std::vector<T> reaches_of(Ball<T> ball, int link) const;

 private:
  // What has been needed so far at one time.
  struct Frame {
    std::vector<std::optional<Placement<T>>> X_WL;
    // By the sides, body and ancestor.
    std::map<std::tuple<double, double, int, int>, BodyMotion<T>> motions;
  };

  JointState make_state(const Link& link, double error) const;
  void make_ball(const Link& link, JointState& state) const;
  Frame& frame(double t);
  const Placement<T>& link_pose(double t, int link);
  BodyMotion<T> compute(const Around& time, int body, int ancestor);
  void add_velocity(const JointState& state, double t, const Placement<T>& X_WL,
                    JointMotion<T>& joint, BodyMotion<T>& motion) const;
  // D and F of a joint over a side of t that reaches to `end`.
  SideBounds<T> side_bounds(const JointState& state, double t, double end) const;

  const Model& model_;
  const MotionPiece piece_;
  std::vector<JointState> states_;                   // of links
  std::unordered_map<std::uint64_t, Frame> frames_;  // by the bits of t
  std::size_t num_motions_ = 0;
  std::vector<std::optional<std::vector<T>>> reaches_;  // of bodies
};

extern template class SegmentMotion<Interval>;
extern template class SegmentMotion<Wide>;

}  // namespace proven::verifier
