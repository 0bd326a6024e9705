// A rival that proves nothing: a robot of spheres, tested at samples of an edge, as many at a time
// as there are lanes, by RRT-Connect (as vectorised sampling planners do: Thomason, Kingston,
// Kavraki, 2023). It has what makes such planners fast: one sphere around each link first,
// obstacles culled by their boxes, samples of a row spread over the edge, early exit, no
// allocation.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "papers/plan/sampling_kernel.h"
#include "proven/plan/joint_space.h"

namespace proven {

class SamplingTwin {
 public:
  // `spheres`: the scene with a robot of spheres, whose other bodies are boxes, spheres, capsules
  // and cylinders; anything else throws std::invalid_argument. Configurations are those of `scene`,
  // whose coordinates and bodies of the same names are the same. Pairs of links are tested if they
  // are in `scene` and their spheres do not overlap by design.
  SamplingTwin(const Scene& spheres, const Scene& scene);
  SamplingTwin(const SamplingTwin&) = delete;
  SamplingTwin& operator=(const SamplingTwin&) = delete;

  bool is_free(std::span<const double> q) { return is_free(q, q, 1); }
  // No sample collides; they are at most `step` apart.
  bool is_free(std::span<const double> from, std::span<const double> to, double step);

  struct PlanSettings {
    std::uint64_t seed = 1;
    double step = 1.0 / 32;
    int max_iterations = 100'000;
    double range_per_joint = 0.5;  // of the longest edge
  };
  // RRT-Connect. Nothing: the start or the goal collides, or no path was found. The space must be
  // Euclidean.
  std::optional<std::vector<std::vector<double>>> plan(const JointSpace& space, const Query& query,
                                                       const PlanSettings& settings);

 private:
  struct alignas(64) Block {
    float v[kMostLanes];
  };
  // Points kMostLanes at a time, as the kernel wants them.
  struct Tree {
    std::vector<Block> points;
    std::vector<int> parents;
    std::vector<float> domains;  // how far the samples may be that a node takes

    int add(std::span<const float> point, int parent);
    void get(int node, std::span<float> point) const;
    int size() const { return static_cast<int>(parents.size()); }
    void clear() { points.clear(), parents.clear(), domains.clear(); }
  };

  void add_joints(const Scene& spheres, const Scene& scene);
  void add_bodies(const Scene& spheres, const Scene& scene);
  void add_solid(const Pose& X_WS, const Vec3& half, double radius, bool cylinder);
  void finish();
  void take(std::span<const double> q, std::vector<float>& values) const;
  bool passes(std::span<const float> from, std::span<const float> to, double step);
  int extend(Tree& tree, int near, float range, double step);
  std::vector<std::vector<double>> path_through(const JointSpace& space, const Query& query,
                                                int of_start, int of_goal);

  std::vector<int> coordinates_;  // per coordinate of the spheres: that of the scene, or -1
  std::vector<float> home_;
  std::vector<int> joint_of_link_;
  std::vector<Pose> X_FL_;  // per link: in the frame of its joint, or in the world
  std::vector<SphereJoint> joints_;
  std::vector<SphereBody> bodies_;
  std::vector<float> spheres_;
  std::vector<SphereSolid> solids_;
  std::vector<int> solid_bodies_;  // of the scene of spheres
  std::vector<int> body_indices_;
  std::vector<Block> boxes_, frames_, wholes_, centres_;
  std::vector<std::uint16_t> tested_;
  std::vector<int> pairs_;
  std::vector<std::uint8_t> placed_;
  SphereWorld world_;

  std::vector<float> from_, to_;
  // Of a plan.
  std::array<Tree, 2> trees_;
  std::vector<int> planned_;  // per place of a point: the coordinate of the spheres
  std::vector<float> point_, target_, next_;
};

}  // namespace proven
