#include "proven/geometry/spun_body.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cover_parts.h"
#include "proven/base/elementary.h"

namespace proven {
namespace {

constexpr std::size_t kSlices = 16;
// Slices whose radii differ by less than this share of the larger one become one.
constexpr double kAlike = 0.02;

Aabb box_of(const Part& part) {
  Aabb box{part.points[0], part.points[0]};
  for (const Vec3& p : part.points) extend(box, {p, p});
  const Vec3 wider{part.radius, part.radius, part.radius};
  return {box.lo - wider, box.hi + wider};
}

// The farthest point of a convex part from the axis is one of its corners.
double radius_of(const Part& part) {
  double most = 0;
  for (const Vec3& p : part.points) most = std::max(most, hypotenuse(p.x, p.y));
  return most + part.radius;
}

class Spinner {
 public:
  Spinner(std::vector<Part> parts, double margin) : parts_(std::move(parts)), margin_(margin) {
    box_ = box_of(parts_[0]);
    for (const Part& part : parts_) extend(box_, box_of(part));
    height_ = (box_.hi.z - box_.lo.z) / kSlices;
  }

  // A point inside the body is nearer to the axis than one of the surface at the same height.
  SpunBody run() {
    radii_.assign(kSlices, 0);
    for (Part& part : parts_) add(std::move(part));
    SpunBody made;
    for (std::size_t i = 0; i < kSlices; ++i) {
      const double begin = box_.lo.z + height_ * static_cast<double>(i);
      SpunSlice next{begin - margin_, begin + height_ + margin_,
                     radii_[i] * (1 + kPartUp) + margin_};
      if (!made.slices.empty() && alike(made.slices.back().radius, next.radius)) {
        SpunSlice& last = made.slices.back();
        last = {last.begin, next.end, std::max(last.radius, next.radius)};
      } else {
        made.slices.push_back(next);
      }
    }
    double volume = 0;
    for (const SpunSlice& slice : made.slices)
      volume += std::numbers::pi * slice.radius * slice.radius * (slice.end - slice.begin);
    const Vec3 size = box_.hi - box_.lo;
    made.growth = volume / (size.x * size.y * size.z);
    return made;
  }

 private:
  static bool alike(double a, double b) { return std::fabs(a - b) <= kAlike * std::max(a, b); }

  // Into all slices that it reaches, in pieces that reach few.
  void add(Part whole) {
    std::vector<Part> open;
    open.push_back(std::move(whole));
    std::array<Part, 2> two;
    while (!open.empty()) {
      const Part part = std::move(open.back());
      open.pop_back();
      const Aabb box = box_of(part);
      if (box.hi.z - box.lo.z > height_ && diameter(part) > height_ && halves(part, two)) {
        open.push_back(std::move(two[0]));
        open.push_back(std::move(two[1]));
        continue;
      }
      const double radius = radius_of(part);
      const std::size_t last = slice_at(box.hi.z + margin_);
      for (std::size_t i = slice_at(box.lo.z - margin_); i <= last; ++i)
        radii_[i] = std::max(radii_[i], radius);
    }
  }
  std::size_t slice_at(double z) const {
    if (!(height_ > 0)) return 0;
    return static_cast<std::size_t>(
        std::clamp(std::floor((z - box_.lo.z) / height_), 0.0, static_cast<double>(kSlices - 1)));
  }

  std::vector<Part> parts_;
  double margin_;
  Aabb box_;
  double height_ = 0;
  std::vector<double> radii_;
};

}  // namespace

SpunBody spin(const BodyGeometry& geometry, const Pose& X_ZB, double error) {
  std::vector<Part> parts = parts_of(geometry);
  for (Part& part : parts)
    for (Vec3& p : part.points) p = X_ZB * p;
  // Points of parts were computed, turned, and halved: a few u of what they are made of each.
  const double size = geometry.max_coordinate() + norm(X_ZB.p);
  return Spinner(std::move(parts), error + 16 * kPartUp * size).run();
}

}  // namespace proven
