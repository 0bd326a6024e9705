// FCL's view of a scene: a static collision test by other people's code, and sampling with it.
#pragma once

#include <fcl/fcl.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bench/suite/twin.h"

namespace proven::bench {

// The bodies of a scene as FCL shapes; shared by all threads. The scene must outlive it.
class FclModel {
 public:
  struct Part {
    std::shared_ptr<const fcl::CollisionGeometryd> shape;
    fcl::Transform3d X_LS;     // in the link
    Eigen::Vector3d centre_S;  // of the shape's box, with half its extents
    Eigen::Vector3d half_S;
  };

  explicit FclModel(const Scene& scene);
  const Scene& scene() const { return scene_; }
  std::span<const Part> parts(int body) const { return bodies_[static_cast<std::size_t>(body)]; }

 private:
  const Scene& scene_;
  std::vector<std::vector<Part>> bodies_;
};

// One thread's queries.
class FclOracle {
 public:
  explicit FclOracle(const FclModel& model);

  const Scene& scene() const { return model_.scene(); }
  // The first pair (index into scene.pairs()) of which FCL says that it overlaps at q, or -1.
  // Surfaces only, but for primitives.
  int first_collision(std::span<const double> q);
  // The first pair that FCL finds closer than `clearance` at q, or -1.
  int first_closer(std::span<const double> q, double clearance);

  // Pairs whose boxes (along the world's axes) overlap at q.
  std::vector<int> pairs_with_overlapping_boxes(std::span<const double> q);
  // Whether a pair overlaps at the configuration of the last query.
  bool collides(int pair) const {
    return collides(scene().pairs()[static_cast<std::size_t>(pair)]);
  }

  // A configuration of the segment where FCL finds a collision (or less than `clearance`), among
  // samples at most `step` apart in joint space, both ends included.
  struct Hit {
    int pair = -1;
    std::vector<double> configuration;
  };
  std::optional<Hit> sample(std::span<const double> from, std::span<const double> to, double step,
                            double clearance = 0);

 private:
  struct Placed {
    const FclModel::Part* part = nullptr;
    fcl::Transform3d X_WS;
    // A box along the world's axes that holds it.
    Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = Eigen::Vector3d::Zero();
  };

  static bool boxes_within(const Placed& x, const Placed& y, double distance);
  void place(std::span<const double> q);
  bool collides(const BodyPair& pair) const;
  bool closer(const BodyPair& pair, double clearance) const;
  std::span<const Placed> placed(int body) const;

  const FclModel& model_;
  std::vector<fcl::Transform3d> poses_;
  std::vector<Placed> placed_;
  std::vector<std::size_t> first_placed_;  // per body, and one past the last
};

}  // namespace proven::bench
