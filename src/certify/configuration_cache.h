// Poses at configurations of segments, shared by all pairs that are tested there.
#pragma once

#include <cstdint>
#include <vector>

#include "motion.h"
#include "proven/kinematics/poses.h"

namespace proven {

// Direct-mapped: a configuration may push out another one, which is then computed anew. Answers do
// not depend on what it holds.
class ConfigurationCache {
 public:
  // Forgets everything; poses are of this scene from now on.
  void begin(const Scene& scene);

  // X_AB of two bodies at t on a segment.
  Pose relative(const SegmentMotion& motion, double t, int body_a, int body_b);
  // Poses of all links at t on a segment; valid until the next call.
  const LinkPoses& poses(const SegmentMotion& motion, double t);

  std::int64_t num_computed() const { return num_computed_; }

 private:
  struct Slot {
    std::uint64_t generation = 0;
    int segment = -1;
    double t = 0;
    LinkPoses poses;
  };
  static constexpr std::size_t kSlots = 2048;

  const Scene* scene_ = nullptr;
  std::vector<Slot> slots_;
  std::vector<double> configuration_;
  std::uint64_t generation_ = 0;
  std::int64_t num_computed_ = 0;
};

Pose body_pose(const Scene& scene, const LinkPoses& poses, int body);
Pose relative_body_pose(const Scene& scene, const LinkPoses& poses, int body_a, int body_b);

}  // namespace proven
