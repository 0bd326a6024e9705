// Chapter 5: motion. Where bodies are at a time t of a segment, how they move there, and bounds on
// how they can move nearby (format, section 5).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>

#include "verify/model.h"

namespace proven::verifier {

// A joint that moves, between a common ancestor and a body; at time t, in world coordinates.
template <class T>
struct JointMotion {
  bool turns = false;   // else it slides
  T speed;              // |Delta|
  Vector<T> spins;      // omega above the joint + omega below it
  T spin_bound, drift;  // the same sums of Omega and of W
  T distance;           // of the farthest point of the body's sphere to the axis; turning joints
  T reach;              // S: the same, wherever the joints below stand
};

template <class T>
struct BodyMotion {
  Matrix<T> R_WB = {};
  Vector<T> p_WB;
  Vector<T> w, u;                      // velocity of a point x: w × x + u
  std::vector<JointMotion<T>> joints;  // from the ancestor down
};

// One segment, straight from qa to qb.
template <class T>
class SegmentMotion {
 public:
  SegmentMotion(const Model& model, std::span<const double> qa, std::span<const double> qb,
                const TrackingError& tracking_error);

  // At t, relative to the link `ancestor` above the body. Kept until make_room is called.
  const BodyMotion<T>& at(double t, int body, int ancestor);
  Placement<T> pose(double t, int body);
  // How far the tracking error can move points of the body, relative to the ancestor.
  T tracking_slack(int body, int ancestor);
  // Forgets what is kept if that is much.
  void make_room();

 private:
  struct JointState {
    Placement<T> X_PJ;
    Vector<T> axis;       // unit, in the frame of the link
    T start, rate = 0.0;  // value = start + t rate
    T error = 0.0;        // of the value, from the tracking error
    Rotation<T> R_start;  // ball joints: before the turn of t rate about the axis
    bool moves = false;
  };
  // What has been needed so far at one time.
  struct Frame {
    std::vector<std::optional<Placement<T>>> X_WL;
    std::map<std::pair<int, int>, BodyMotion<T>> motions;  // by body and ancestor
  };

  static JointState make_state(const Link& link, std::span<const double> qa,
                               std::span<const double> qb, double error);
  static void make_ball(const Link& link, std::span<const double> qa, std::span<const double> qb,
                        JointState& state);
  Placement<T> pose_in_parent(int link, double t) const;
  Frame& frame(double t);
  const Placement<T>& link_pose(double t, int link);
  BodyMotion<T> compute(double t, int body, int ancestor);
  // S of each link of the chain from the world to the body's link.
  const std::vector<T>& reaches(int body);

  const Model& model_;
  std::vector<JointState> states_;                   // of links
  std::unordered_map<std::uint64_t, Frame> frames_;  // by the bits of t
  std::size_t num_motions_ = 0;
  std::vector<std::optional<std::vector<T>>> reaches_;  // of bodies
};

extern template class SegmentMotion<Interval>;
extern template class SegmentMotion<Wide>;

// A sphere around the root box of a body, in its frame.
template <class T>
struct Ball {
  Vector<T> centre;
  T radius;
};
template <class T>
Ball<T> ball_around(const Body& body);

}  // namespace proven::verifier
