// A scene prepared for checking: motion factors of the bodies over the ranges that the checked
// paths reach, and what the rule needs of each pair.
#pragma once

#include <vector>

#include "proven/certify/options.h"
#include "proven/scene/scene.h"

namespace proven {

struct PairModel {
  int a = 0, b = 0;           // bodies
  double clearance = 0;       // required, with the tube around the path
  double rounding_bound = 0;  // on the distance of computed poses: the sum of both bodies'
  int ancestor = 0;           // lowest common ancestor of their links; motion counts from there
};

class CheckModel {
 public:
  CheckModel(const Scene& scene, const CheckOptions& options);

  const Scene& scene() const { return scene_; }
  // All pairs of the scene, in its order.
  std::span<const PairModel> pairs() const { return pairs_; }
  const PairModel& pair(int index) const { return pairs_[static_cast<std::size_t>(index)]; }
  // Whether the swept spheres of a pair are apart over the ranges covered so far.
  bool never_meets(int pair) const { return never_meets_[static_cast<std::size_t>(pair)]; }
  const MotionFactors& motion(int body) const { return motion_[static_cast<std::size_t>(body)]; }

  // Ranges of the coordinates that the factors hold for.
  std::span<const Interval> ranges() const { return ranges_; }
  // Makes the factors valid for all configurations in the box [lower, upper] too. Factors only
  // grow: bounds taken before stay valid for the segments they were taken for.
  // Returns whether they did.
  bool cover(std::span<const double> lower, std::span<const double> upper);

  // Upper bound on how fast the distance of a pair can change, per unit of t, when each link's
  // joint moves at most displacement[link] per unit of t.
  double closing_rate(const PairModel& pair, std::span<const double> displacement) const;

 private:
  void update();

  // How far points of a pair's bodies may be from the path if every joint errs by the tracking
  // error.
  double tube(const PairModel& pair) const;

  const Scene& scene_;
  double tracking_error_ = 0;
  std::vector<double> required_;              // clearance per pair, without the tube
  std::vector<std::vector<double>> reached_;  // two configurations: the box of what is covered
  std::vector<Interval> ranges_;
  std::vector<MotionFactors> motion_;  // per body
  std::vector<PairModel> pairs_;
  std::vector<bool> never_meets_;
};

}  // namespace proven
