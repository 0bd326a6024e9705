#ifdef PROVEN_BENCH_WITH_FCL
#include "bench/spacetime/fcl_traffic.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/collision.h>

#include <algorithm>

namespace proven::bench {
namespace {

using fcl::CollisionObjectd;
using Manager = fcl::DynamicAABBTreeCollisionManagerd;

constexpr double kThickness = 0.05;  // seconds; half a step of 0.1 s

// An object of the tree, and the oriented box that decides.
struct Entry {
  std::unique_ptr<CollisionObjectd> object, exact;
};

fcl::Transform3d pose(const spacetime::Trajectory& m, std::size_t i) {
  fcl::Transform3d X = fcl::Transform3d::Identity();
  X.translation() = fcl::Vector3d(m.x[i], m.y[i], m.t[i]);
  X.linear() = Eigen::AngleAxisd(m.heading[i], fcl::Vector3d::UnitZ()).toRotationMatrix();
  return X;
}

Entry make_entry(const spacetime::Footprint& footprint, const spacetime::Trajectory& m,
                 std::size_t i, FclBoxes boxes) {
  const spacetime::Vec2 h = footprint.box_half();
  const fcl::Transform3d X = pose(m, i);
  const auto exact_box = std::make_shared<fcl::Boxd>(2 * h.x, 2 * h.y, kThickness);
  Entry entry;
  entry.exact = std::make_unique<CollisionObjectd>(exact_box, X);
  if (boxes == FclBoxes::oriented) {
    entry.object = std::make_unique<CollisionObjectd>(exact_box, X);
  } else {
    const double c = std::fabs(X.linear()(0, 0)), s = std::fabs(X.linear()(1, 0));
    const auto around =
        std::make_shared<fcl::Boxd>(2 * (c * h.x + s * h.y), 2 * (s * h.x + c * h.y), kThickness);
    fcl::Transform3d flat = fcl::Transform3d::Identity();
    flat.translation() = X.translation();
    entry.object = std::make_unique<CollisionObjectd>(around, flat);
  }
  entry.object->setUserData(entry.exact.get());
  entry.object->computeAABB();
  return entry;
}

bool touch(const CollisionObjectd* a, const CollisionObjectd* b) {
  fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  return fcl::collide(a, b, request, result) > 0;
}

bool stop_at_first(CollisionObjectd* a, CollisionObjectd* b, void* hit) {
  const bool met = touch(static_cast<CollisionObjectd*>(a->getUserData()),
                         static_cast<CollisionObjectd*>(b->getUserData()));
  return *static_cast<bool*>(hit) = met;
}

std::vector<CollisionObjectd*> objects(const std::vector<Entry>& entries) {
  std::vector<CollisionObjectd*> list;
  for (const Entry& entry : entries) list.push_back(entry.object.get());
  return list;
}

}  // namespace

struct FclTraffic::State {
  FclBoxes boxes;
  std::vector<std::size_t> first;  // entry of each obstacle
  std::vector<Entry> obstacles, candidate;
  std::unique_ptr<Manager> tree, own;
};

FclTraffic::FclTraffic(const std::vector<spacetime::Obstacle>& obstacles, FclBoxes boxes)
    : state_(std::make_unique<State>()) {
  state_->boxes = boxes;
  for (const spacetime::Obstacle& o : obstacles) {
    state_->first.push_back(state_->obstacles.size());
    for (std::size_t i = 0; i < o.motion.t.size(); ++i)
      state_->obstacles.push_back(make_entry(o.footprint, o.motion, i, boxes));
  }
}
FclTraffic::~FclTraffic() = default;

void FclTraffic::build() {
  state_->tree = std::make_unique<Manager>();
  state_->tree->registerObjects(objects(state_->obstacles));
  state_->tree->setup();
}

void FclTraffic::set_candidate(const spacetime::Footprint& footprint,
                               const spacetime::Trajectory& candidate) {
  state_->candidate.clear();
  for (std::size_t i = 0; i < candidate.t.size(); ++i)
    state_->candidate.push_back(make_entry(footprint, candidate, i, state_->boxes));
}

void FclTraffic::build_candidate_tree() {
  state_->own = std::make_unique<Manager>();
  state_->own->registerObjects(objects(state_->candidate));
  state_->own->setup();
}

bool FclTraffic::isolated() const {
  bool hit = false;
  for (const Entry& entry : state_->candidate) {
    state_->tree->collide(entry.object.get(), &hit, stop_at_first);
    if (hit) return true;
  }
  return false;
}

bool FclTraffic::tree_against_tree() const {
  bool hit = false;
  state_->own->collide(state_->tree.get(), &hit, stop_at_first);
  return hit;
}

bool FclTraffic::multiple_interference() const {
  for (std::size_t i = 0; i < state_->candidate.size(); ++i)
    for (const std::size_t first : state_->first)
      if (touch(state_->candidate[i].exact.get(), state_->obstacles[first + i].exact.get()))
        return true;
  return false;
}

}  // namespace proven::bench
#endif
