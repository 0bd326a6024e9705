// Limits of joints: is a configuration, or all of a piece of a motion, within them?
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proven/base/interval.h"
#include "proven/base/words.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/kinematics/motion_piece.h"

namespace proven {

// What a check does with values beyond the limits of their joints.
enum class Limits {
  refuse,  // they are a mistake of the caller, who learns joint, value and limit
  ignore,  // they are checked as any others
};

// Values this little beyond a limit, as other programs round them, count as within it.
inline constexpr double kLimitTolerance = 1e-6;

// Limits of all coordinates with those of the joints that mimic them; infinite where there are
// none.
std::vector<Interval> joint_limits(const KinematicTree& tree);

// What a coordinate may do so that its joint and all that follow it keep their limits of rates.
struct RateLimits {
  double velocity = 0, acceleration = 0;
  double fastest = 1;  // of these joints the fastest moves by so much as the coordinate moves by 1
};
// Joints without a limit, which files also write as 0, take the given one; its joints are listed.
struct AssumedRates {
  std::vector<std::string> velocity, acceleration;
};
std::vector<RateLimits> rate_limits(const KinematicTree& tree, double velocity_else,
                                    double acceleration_else, AssumedRates* assumed = nullptr);

struct BeyondLimit {
  std::string joint;    // "robot/joint"; a joint that follows another by its own name
  int coordinate = -1;  // that it reads
  double value = 0;     // radians or metres
  double lower = 0, upper = 0;
  double s = 0;  // of a piece: where on it, in [0, 1]
};
// "joint arm/elbow is 3.5, beyond its limits -2 and 2"
std::string describe(const BeyondLimit& beyond);

// The limits of a tree, prepared for many questions. Costs one comparison per coordinate where all
// is within limits.
class LimitBox {
 public:
  LimitBox() = default;
  // `ignored`: coordinates that are not looked at; empty: none.
  explicit LimitBox(const KinematicTree& tree, std::vector<bool> ignored = {});

  // `tree` must be the one that the box was made of. Configurations are full and finite.
  bool holds(const KinematicTree& tree, std::span<const double> q) const {
    for (std::size_t i = 0; i < quick_.size(); ++i)
      if (!(q[i] >= quick_[i].lower && q[i] <= quick_[i].upper))
        return !find_beyond(tree, q).has_value();
    return true;
  }
  // The first joint that is more than kLimitTolerance beyond its limits.
  std::optional<BeyondLimit> find_beyond(const KinematicTree& tree,
                                         std::span<const double> q) const;
  // The same anywhere on a piece. A curve that leaves a limit by less than about 2^-60 of its bend
  // may be taken for one that does not.
  std::optional<BeyondLimit> find_beyond(const KinematicTree& tree, const MotionPiece& piece) const;

 private:
  bool ignores(int coordinate) const {
    return !ignored_.empty() && ignored_[static_cast<std::size_t>(coordinate)];
  }
  template <class Look>
  void for_limited(const KinematicTree& tree, const Look& look) const;

  std::vector<Interval> quick_;  // what lies in here is within limits
  std::vector<bool> ignored_;
};

}  // namespace proven
