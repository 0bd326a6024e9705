// What others make of a cloud: OctoMap with FCL, and a k-d tree of points for a robot of spheres.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "proven/scene/scene.h"

namespace proven::bench {

// An OctoMap of the world, and the links of a robot as FCL meshes.
class OctomapRival {
 public:
  explicit OctomapRival(const Scene& robot);
  ~OctomapRival();

  // A new map, whose cells are those of the points.
  void build(std::span<const Vec3> points, double size);
  void change(std::span<const std::array<std::int32_t, 3>> occupied,
              std::span<const std::array<std::int32_t, 3>> freed, double size);
  // Whether a link meets an occupied cell at q.
  bool collides(std::span<const double> q);
  std::size_t bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Points in floats, halved by the median of the longest axis; the robot is the balls that cover its
// links.
class PointTreeRival {
 public:
  explicit PointTreeRival(const Scene& robot);

  void build(std::span<const Vec3> points, double radius);
  bool collides(std::span<const double> q);
  std::size_t bytes() const { return points_.size() * sizeof(Point) + splits_.size(); }

 private:
  using Point = std::array<float, 3>;
  struct Ball {
    int link;
    Vec3 centre;
    float radius;
  };

  void divide(std::size_t first, std::size_t end);
  bool any_within(std::size_t first, std::size_t end, const Point& p, float reach) const;

  const Scene& robot_;
  std::vector<Ball> balls_;
  std::vector<Point> points_;
  std::vector<std::uint8_t> splits_;  // axis, at the median of each part
  float radius_ = 0;
  LinkPoses poses_;
};

}  // namespace proven::bench
