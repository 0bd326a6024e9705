// Where pairs come near along parts of a motion: what is measured for least_clearance.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model_data.h"
#include "proven/certify/least_clearance.h"
#include "proven/geometry/distance.h"
#include "proven/kinematics/poses.h"

namespace proven {

inline constexpr std::size_t kPairClasses = kWords<PairClass>.size();

inline std::size_t index_of(PairClass kind) {
  return static_cast<std::size_t>(kind);
}

// The lesser of both bounds, with the place where the lesser distance was measured.
void lower_to(const ClearanceBounds& other, ClearanceBounds& bounds);
// The same of what was measured alone.
void lower_measured(ClearanceBounds measured, ClearanceBounds& bounds);

// A part of one segment as a motion of its own, and how it was cut.
struct MotionPart {
  Motion motion;
  int segment = 0;
  double begin = 0, end = 1;
  double error = 0;  // of its control points
  // Where a place of the part lies on the segment: by its time, or by s of the part.
  double t_of(double time, double s) const;
};

// The control points err by less than `error` of the part.
MotionPart part_of(const KinematicTree& tree, const Motion& motion, int segment, double begin,
                   double end);

// Measures distances, and keeps the least of every class and pair.
class PairDistances {
 public:
  PairDistances(const Scene& scene, const ModelData& model);

  using Nearest = std::array<ClearanceBounds, kPairClasses>;
  // Of every pair what was measured in all, and since the last begin_part.
  const std::vector<ClearanceBounds>& pairs() const { return pairs_; }
  const std::vector<ClearanceBounds>& of_part() const { return of_part_; }
  void begin_part() { of_part_.assign(pairs_.size(), {}); }

  // All pairs that may be the nearest of their class, or little farther, at a configuration: it is
  // that of the part at s, and at `time`.
  void sample(const MotionPart& part, std::span<const double> q, double time, double s,
              Nearest& nearest);
  // One pair (an index into Scene::pairs) at one place; its distance.
  double look(const MotionPart& part, int index, std::span<const double> q, double time, double s,
              Nearest& nearest);
  int find(const std::array<int, 2>& bodies) const;  // the pair; -1 if it is not tested

 private:
  double growth(int index, double time) const;
  Pose relative(const BodyPair& pair) const;
  double surely(int index, double limit, double time);
  double take(const MotionPart& part, int index, double time, double s, Nearest& nearest);

  const Scene& scene_;
  const ModelData& model_;
  std::vector<double> last_;                // about how far each pair was
  std::vector<std::array<int, 2>> pieces_;  // where each was closest
  std::vector<int> order_;
  std::vector<ClearanceBounds> pairs_, of_part_;
  LinkPoses poses_;
  DistanceScratch scratch_;
};

}  // namespace proven
