// Inverse kinematics: configurations that bring a frame of a link to a pose in the world.
//
// Damped least squares (Levenberg-Marquardt) on the chain from the world to the link, kept within
// the joints' limits, from a first guess and then from random ones. Works for any chain of
// revolute, continuous, prismatic and mimic joints; ball joints on the way stay as they are. What
// it returns has been measured by forward kinematics. That nothing was found proves nothing, except
// where beyond_reach says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proven/kinematics/poses.h"

namespace proven {

// About which of its own axes a frame may be turned as it likes. Turns about two axes are nearly
// all turns: then it is `all`, and only the frame's origin counts.
enum class FreeTurn { none, x, y, z, all };

// Frame T, fixed on `link` at X_LT, shall be at X_WT.
struct InverseTarget {
  int link = 0;
  Pose X_LT, X_WT;
  FreeTurn free = FreeTurn::none;
};

// The turn, as a rotation vector in the world, that is left to make of a frame that stands at R_WT.
Vec3 missing_turn(const Mat3& R_WT, const InverseTarget& target);

struct InverseOptions {
  // Coordinates that may move; empty: all that the link depends on. Ball joints are passed over.
  std::vector<int> coordinates;
  double position_tolerance = 1e-6;  // metres
  double angle_tolerance = 1e-6;     // radians
  int max_steps = 60;                // of one descent
  int max_restarts = 100;            // random guesses after the first
  std::uint64_t seed = 1;
};

class InverseSolver {
 public:
  // The tree must outlive it.
  InverseSolver(const KinematicTree& tree, InverseTarget target, const InverseOptions& options);

  // One descent from a full configuration; nothing if it ends elsewhere.
  std::optional<std::vector<double>> descend(std::span<const double> guess);
  // From the guess, then from random configurations within limits (joints without limits: within
  // half a turn or a metre of the guess).
  std::optional<std::vector<double>> solve(std::span<const double> guess);
  // The same frame shall be elsewhere.
  void aim(const Pose& X_WT) { target_.X_WT = X_WT; }
  // The least rates per coordinate that move the frame with this velocity of its origin and this
  // angular velocity, in the world, as well as they can; joints at a limit do not cross it.
  std::vector<double> rates(std::span<const double> q, const Vec3& linear, const Vec3& angular);
  // Coordinates that may move.
  std::span<const int> coordinates() const { return options_.coordinates; }
  // One random configuration: the coordinates that may move are drawn, the others as in `rest`.
  std::vector<double> random_guess(std::span<const double> rest);

 private:
  struct Lever {  // how the frame moves with a coordinate: rows of the Jacobian
    Vec3 angular, linear;
  };
  void evaluate(std::span<const double> q);
  double error_of(std::span<const double> q);
  bool reached() const;
  bool damped_moves(double damping, const std::vector<std::uint8_t>& held,
                    std::vector<double>& moves) const;
  bool held_moves(std::span<const double> q, double damping, std::vector<double>& moves) const;
  bool step(const std::vector<double>& q, double damping, std::vector<double>& next) const;
  void clamp(std::vector<double>& q) const;

  const KinematicTree& tree_;
  InverseTarget target_;
  InverseOptions options_;
  std::vector<int> chain_;             // links from the target's upwards that a coordinate moves
  std::vector<double> lower_, upper_;  // per entry of options_.coordinates, mimics included
  std::uint64_t draws_ = 0;
  LinkPoses poses_;
  std::vector<Lever> levers_;
  Vec3 position_error_, angle_error_;
  Vec3 free_axis_;  // of a frame with one free turn, in the world; else zero
};

// The rotation vector of R: its axis times its angle, in [0, π].
Vec3 rotation_vector(const Mat3& R);

// From the guess and random restarts; see InverseSolver::solve.
std::optional<std::vector<double>> solve_inverse(const KinematicTree& tree,
                                                 const InverseTarget& target,
                                                 std::span<const double> guess,
                                                 const InverseOptions& options = {});

// Whether the frame's origin, which may be `tolerance` away from where it should be, is farther
// away than the chain is long: a proof that there is no configuration within limits. Only chains of
// revolute, ball and limited prismatic joints have a finite length.
bool beyond_reach(const KinematicTree& tree, const InverseTarget& target,
                  std::span<const double> rest, std::span<const int> coordinates = {},
                  double tolerance = 0);

}  // namespace proven
