#include "proven/spacetime/reference_path.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proven::spacetime {
namespace {

std::vector<Vec2> evenly(const std::vector<Vec2>& points, double spacing) {
  std::vector<Vec2> even = {points[0]};
  double left = spacing;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vec2 d = points[i] - points[i - 1];
    const double length = norm(d);
    double at = left;
    for (; at <= length; at += spacing) even.push_back(points[i - 1] + (at / length) * d);
    left = at - length;
  }
  if (norm(points.back() - even.back()) > 0.3 * spacing || even.size() < 2)
    even.push_back(points.back());
  return even;
}

// A uniform cubic B-spline over control points; its ends are the first and the last of them.
class Spline {
 public:
  explicit Spline(std::vector<Vec2> control) : control_(std::move(control)) {
    const std::size_t n = control_.size();
    control_.insert(control_.begin(), 2 * control_[0] + -1 * control_[1]);
    control_.push_back(2 * control_[n] + -1 * control_[n - 1]);
    parts_ = static_cast<int>(n) - 1;
  }
  int parts() const { return parts_; }

  // The value and two derivatives at u of 0 to parts().
  void at(double u, Vec2& p, Vec2& d1, Vec2& d2) const {
    const int i = std::clamp(static_cast<int>(u), 0, parts_ - 1);
    const double x = u - i, x2 = x * x, x3 = x2 * x;
    const auto mix = [&](double a, double b, double c, double d) {
      const Vec2* k = control_.data() + i;
      return a * k[0] + b * k[1] + c * k[2] + d * k[3];
    };
    p = mix((1 - 3 * x + 3 * x2 - x3) / 6, (4 - 6 * x2 + 3 * x3) / 6,
            (1 + 3 * x + 3 * x2 - 3 * x3) / 6, x3 / 6);
    d1 = mix((-1 + 2 * x - x2) / 2, (-4 * x + 3 * x2) / 2, (1 + 2 * x - 3 * x2) / 2, x2 / 2);
    d2 = mix(1 - x, 3 * x - 2, 1 - 3 * x, x);
  }

 private:
  std::vector<Vec2> control_;
  int parts_ = 1;
};

PathPoint point_of(const Spline& spline, double u) {
  PathPoint point;
  Vec2 d1, d2;
  spline.at(u, point.p, d1, d2);
  const double speed = norm(d1);
  point.heading = std::atan2(d1.y, d1.x);
  point.curvature = speed > 0 ? cross(d1, d2) / (speed * speed * speed) : 0;
  return point;
}

}  // namespace

Result<ReferencePath> ReferencePath::make(std::vector<Vec2> points, int smoothing) {
  constexpr double kSpacing = 1.0;
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 2) return bad_input("a reference path needs two different points");
  std::vector<Vec2> even = evenly(points, kSpacing);
  for (int round = 0; round < smoothing; ++round) {
    std::vector<Vec2> next = even;
    for (std::size_t i = 1; i + 1 < even.size(); ++i)
      next[i] = 0.25 * (even[i - 1] + even[i + 1]) + 0.5 * even[i];
    even = std::move(next);
  }
  const Spline spline(std::move(even));
  // Lengths at a fine grid of the parameter, then places at even lengths.
  constexpr int kFine = 16;
  std::vector<double> s = {0};
  for (int i = 0; i < spline.parts() * kFine; ++i) {
    Vec2 p, d1, d2;
    spline.at((i + 0.5) / kFine, p, d1, d2);
    s.push_back(s.back() + norm(d1) / kFine);
  }
  if (!(s.back() > 0)) return bad_input("a reference path needs two different points");
  ReferencePath path;
  const int parts = std::max(1, static_cast<int>(std::round(s.back() / path.spacing_)));
  path.spacing_ = s.back() / parts;
  std::size_t at = 0;
  for (int i = 0; i <= parts; ++i) {
    const double want = std::min(s.back(), i * path.spacing_);
    while (at + 2 < s.size() && s[at + 1] < want) ++at;
    const double step = s[at + 1] - s[at];
    const double u = (static_cast<double>(at) + (step > 0 ? (want - s[at]) / step : 0)) / kFine;
    path.points_.push_back(point_of(spline, u));
  }
  for (std::size_t i = 1; i < path.points_.size(); ++i) {
    PathPoint& point = path.points_[i];
    const PathPoint& before = path.points_[i - 1];
    point.heading -= 2 * M_PI * std::round((point.heading - before.heading) / (2 * M_PI));
  }
  for (std::size_t i = 0; i < path.points_.size(); ++i) {
    const std::size_t a = i > 0 ? i - 1 : 0, b = std::min(i + 1, path.points_.size() - 1);
    path.points_[i].sharpness = (path.points_[b].curvature - path.points_[a].curvature) /
                                (path.spacing_ * static_cast<double>(b - a));
  }
  return path;
}

PathPoint ReferencePath::at(double s) const {
  const auto straight = [](PathPoint from, double way) {
    from.p = from.p + way * Vec2{std::cos(from.heading), std::sin(from.heading)};
    from.curvature = from.sharpness = 0;
    return from;
  };
  if (s < 0) return straight(points_.front(), s);
  if (s > length()) return straight(points_.back(), s - length());
  const std::size_t i = std::min(static_cast<std::size_t>(s / spacing_), points_.size() - 2);
  const PathPoint &a = points_[i], &b = points_[i + 1];
  const double h = spacing_, u = s / h - static_cast<double>(i);
  // Hermite: positions with their directions, headings with their curvatures.
  const double u2 = u * u, u3 = u2 * u;
  const double h00 = 2 * u3 - 3 * u2 + 1, h10 = u3 - 2 * u2 + u, h01 = 3 * u2 - 2 * u3,
               h11 = u3 - u2;
  PathPoint out;
  out.p = h00 * a.p + (h10 * h) * Vec2{std::cos(a.heading), std::sin(a.heading)} + h01 * b.p +
          (h11 * h) * Vec2{std::cos(b.heading), std::sin(b.heading)};
  out.heading = h00 * a.heading + h10 * h * a.curvature + h01 * b.heading + h11 * h * b.curvature;
  out.curvature = (1 - u) * a.curvature + u * b.curvature;
  out.sharpness = (1 - u) * a.sharpness + u * b.sharpness;
  return out;
}

Vec2 ReferencePath::locate(Vec2 p) const {
  return locate_near(p, 0.5 * length(), length());
}

Vec2 ReferencePath::locate_near(Vec2 p, double s, double within) const {
  const auto last = static_cast<double>(points_.size() - 1);
  const auto from = static_cast<std::size_t>(std::clamp((s - within) / spacing_, 0.0, last));
  const auto to = static_cast<std::size_t>(std::clamp((s + within) / spacing_ + 1, 0.0, last));
  double best = std::numeric_limits<double>::infinity();
  double found = 0;
  for (std::size_t i = from; i <= to; ++i) {
    const double distance = norm(p - points_[i].p);
    if (distance < best) best = distance, found = spacing_ * static_cast<double>(i);
  }
  // Newton's steps to where p lies straight to the side; beyond the ends the path goes on.
  for (int round = 0; round < 8; ++round) {
    const PathPoint at = this->at(found);
    const Vec2 forward{std::cos(at.heading), std::sin(at.heading)}, off = p - at.p;
    const double bend = std::max(0.2, 1 - at.curvature * cross(forward, off));
    found += std::clamp(dot(forward, off) / bend, -1e6, 1e6);
  }
  const PathPoint at = this->at(found);
  return {found, cross({std::cos(at.heading), std::sin(at.heading)}, p - at.p)};
}

}  // namespace proven::spacetime
