#include "configuration_cache.h"

#include <bit>

namespace proven {
namespace {

std::size_t mixed(int segment, double t) {
  std::uint64_t h = std::bit_cast<std::uint64_t>(t) +
                    0x9e3779b97f4a7c15u * (1u + static_cast<std::uint64_t>(segment));
  h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::size_t>(h >> 32);
}

}  // namespace

void ConfigurationCache::begin(const Scene& scene) {
  scene_ = &scene;
  ++generation_;
  num_computed_ = 0;
}

const LinkPoses& ConfigurationCache::poses(const SegmentMotion& motion, double t) {
  if (slots_.empty()) slots_.resize(kSlots);
  Slot& slot = slots_[mixed(motion.id, t) % kSlots];
  if (slot.generation == generation_ && slot.segment == motion.id && slot.t == t) return slot.poses;
  slot.generation = generation_;
  slot.segment = motion.id;
  slot.t = t;
  configuration_.resize(static_cast<std::size_t>(scene_->tree().num_coordinates()));
  motion.configuration(scene_->tree(), t, configuration_);
  compute_poses(scene_->tree(), configuration_, slot.poses);
  ++num_computed_;
  return slot.poses;
}

Pose ConfigurationCache::relative(const SegmentMotion& motion, double t, int body_a, int body_b) {
  return relative_body_pose(*scene_, poses(motion, t), body_a, body_b);
}

Pose body_pose(const Scene& scene, const LinkPoses& poses, int body) {
  const Body& b = scene.body(body);
  return poses.X_WL[static_cast<std::size_t>(b.link)] * b.X_LB;
}

Pose relative_body_pose(const Scene& scene, const LinkPoses& poses, int body_a, int body_b) {
  return relative_pose(body_pose(scene, poses, body_a), body_pose(scene, poses, body_b));
}

}  // namespace proven
