// FCL's view of a scene: a static collision test by other people's code, and sampling with it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "proven/scene/scene.h"

namespace proven::bench {

// The bodies of a scene as FCL shapes; shared by all threads. The scene must outlive it.
class FclModel {
 public:
  explicit FclModel(const Scene& scene);
  ~FclModel();

 private:
  friend class FclOracle;
  struct Shapes;
  const Scene& scene_;
  std::unique_ptr<Shapes> shapes_;  // FCL's headers stay out of sight
};

// One thread's queries.
class FclOracle {
 public:
  explicit FclOracle(const FclModel& model);
  ~FclOracle();

  const Scene& scene() const { return scene_; }
  // The first pair (index into scene.pairs()) of which FCL says that it overlaps at q, or -1.
  // Surfaces only, but for primitives.
  int first_collision(std::span<const double> q);
  // The first pair that FCL finds closer than `clearance` at q, or -1.
  int first_closer(std::span<const double> q, double clearance);

  // Pairs whose boxes (along the world's axes) overlap at q.
  std::vector<int> pairs_with_overlapping_boxes(std::span<const double> q);
  // Whether a pair overlaps at the configuration of the last query.
  bool collides(int pair) const;

  // A configuration of the segment where FCL finds a collision (or less than `clearance`), among
  // samples at most `step` apart in joint space, both ends included.
  struct Hit {
    int pair = -1;
    std::vector<double> configuration;
  };
  std::optional<Hit> sample(std::span<const double> from, std::span<const double> to, double step,
                            double clearance = 0);

 private:
  struct Placement;
  const Scene& scene_;
  std::unique_ptr<Placement> placement_;
};

}  // namespace proven::bench
