#include "spacetime/polygon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace proven::spacetime {
namespace {

int sign(__float128 value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

// The sign of the triangle's area: in doubles where their rounding cannot change it, which is below
// (3 + 16u) u of the two products with u = 2^-53, five roundings in all.
int side(Vec2 a, Vec2 b, Vec2 c) {
  const double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x);
  const double sum = std::fabs(left) + std::fabs(right), area = left - right;
  if (sum > 1e-200 && std::fabs(area) > 4e-16 * sum) return area > 0 ? 1 : -1;
  return sign(twice_area(a, b, c));
}

bool on_segment(Vec2 a, Vec2 b, Vec2 p) {
  return side(a, b, p) == 0 && std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) &&
         std::min(a.y, b.y) <= p.y && p.y <= std::max(a.y, b.y);
}

bool segments_meet(Vec2 a, Vec2 b, Vec2 c, Vec2 d) {
  const int abc = side(a, b, c), abd = side(a, b, d);
  const int cda = side(c, d, a), cdb = side(c, d, b);
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return on_segment(a, b, c) || on_segment(a, b, d) || on_segment(c, d, a) || on_segment(c, d, b);
}

// Corners where the outline goes straight on carry nothing; a spike (straight back) is an error
// that the crossing test finds.
void drop_straight_corners(std::vector<Vec2>& outline) {
  std::vector<Vec2> kept;
  const std::size_t n = outline.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 before = outline[(i + n - 1) % n], at = outline[i], after = outline[(i + 1) % n];
    const bool straight = side(before, at, after) == 0 && on_segment(before, after, at);
    if (!straight) kept.push_back(at);
  }
  outline = std::move(kept);
}

Result<void> refuse_crossings(const std::vector<Vec2>& p) {
  const std::size_t n = p.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 a = p[i], b = p[(i + 1) % n], c = p[(i + 2) % n];
    if (side(a, b, c) == 0)
      return bad_input(fmt::format("the outline turns back on itself at corner {}", (i + 1) % n));
    for (std::size_t j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;
      if (segments_meet(a, b, p[j], p[(j + 1) % n]))
        return bad_input(fmt::format(
            "the outline crosses or touches itself: edge {} meets edge {}; give a simple polygon",
            i, j));
    }
  }
  return {};
}

__float128 twice_area(const std::vector<Vec2>& p) {
  __float128 sum = 0;
  for (std::size_t i = 1; i + 1 < p.size(); ++i) sum += twice_area(p[0], p[i], p[i + 1]);
  return sum;
}

bool inside_triangle(Vec2 a, Vec2 b, Vec2 c, Vec2 p) {
  return side(a, b, p) >= 0 && side(b, c, p) >= 0 && side(c, a, p) >= 0;
}

using Part = std::vector<Vec2>;

bool is_ear(const Part& p, std::size_t i) {
  const std::size_t n = p.size();
  const Vec2 a = p[(i + n - 1) % n], b = p[i], c = p[(i + 1) % n];
  if (side(a, b, c) <= 0) return false;
  return std::none_of(p.begin(), p.end(), [&](Vec2 q) {
    return !(q == a) && !(q == b) && !(q == c) && inside_triangle(a, b, c, q);
  });
}

std::vector<Part> triangulate(Part p) {
  std::vector<Part> triangles;
  while (p.size() > 3) {
    const std::size_t n = p.size();
    std::size_t i = 0;
    while (i + 1 < n && !is_ear(p, i)) ++i;
    triangles.push_back({p[(i + n - 1) % n], p[i], p[(i + 1) % n]});
    p.erase(p.begin() + static_cast<std::ptrdiff_t>(i));
  }
  // Corners that became straight on the way leave triangles without area: they cover nothing.
  triangles.push_back(std::move(p));
  std::erase_if(triangles, [](const Part& t) { return side(t[0], t[1], t[2]) <= 0; });
  return triangles;
}

bool is_convex(const Part& p) {
  const std::size_t n = p.size();
  for (std::size_t i = 0; i < n; ++i)
    if (side(p[i], p[(i + 1) % n], p[(i + 2) % n]) <= 0) return false;
  return true;
}

// The two parts joined along a common edge, or nothing if they have none or the union is not
// strictly convex.
Part joined(const Part& a, const Part& b) {
  const std::size_t n = a.size(), m = b.size();
  if (n + m - 2 > kMaxCorners) return {};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      if (!(a[i] == b[(j + 1) % m]) || !(a[(i + 1) % n] == b[j])) continue;
      Part sum;
      for (std::size_t k = 1; k <= n; ++k) sum.push_back(a[(i + k) % n]);
      for (std::size_t k = 2; k < m; ++k) sum.push_back(b[(j + k) % m]);
      return is_convex(sum) ? sum : Part{};
    }
  return {};
}

// A convex outline of too many corners, cut by chords from its first corner.
std::vector<Part> fan(const Part& p) {
  std::vector<Part> parts;
  for (std::size_t first = 1; first + 1 < p.size();) {
    const std::size_t last = std::min(p.size() - 1, first + kMaxCorners - 2);
    Part part = {p[0]};
    part.insert(part.end(), p.begin() + static_cast<std::ptrdiff_t>(first),
                p.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    parts.push_back(std::move(part));
    first = last;
  }
  return parts;
}

}  // namespace

__float128 twice_area(Vec2 a, Vec2 b, Vec2 c) {
  const __float128 ax = a.x, ay = a.y;
  return (b.x - ax) * (c.y - ay) - (b.y - ay) * (c.x - ax);
}

Result<std::vector<Vec2>> clean_outline(std::vector<Vec2> outline) {
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec2 p = outline[i];
    if (!(std::fabs(p.x) <= kLargestCoordinate && std::fabs(p.y) <= kLargestCoordinate))
      return bad_input(fmt::format("corner {} is not a finite point within {:g} m of the origin", i,
                                   kLargestCoordinate));
  }
  if (outline.size() > 1 && outline.front() == outline.back()) outline.pop_back();
  const auto repeated = std::adjacent_find(outline.begin(), outline.end());
  if (repeated != outline.end())
    outline.erase(std::unique(outline.begin(), outline.end()), outline.end());
  drop_straight_corners(outline);
  if (outline.size() < 3)
    return bad_input("the polygon has no area; give at least three corners not on a line");
  if (auto simple = refuse_crossings(outline); !simple.ok()) return simple.error();
  const __float128 area = twice_area(outline);
  if (area < 0) std::reverse(outline.begin(), outline.end());
  if (std::fabs(static_cast<double>(area)) < 2 * kSmallestSize * kSmallestSize)
    return bad_input("the polygon's area is below a square micrometre; check its unit");
  return outline;
}

std::vector<std::vector<Vec2>> convex_parts(const std::vector<Vec2>& outline) {
  if (is_convex(outline)) return fan(outline);
  std::vector<Part> parts = triangulate(outline);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = i + 1; j < parts.size();) {
      Part sum = joined(parts[i], parts[j]);
      if (sum.empty()) {
        ++j;
        continue;
      }
      parts[i] = std::move(sum);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
      j = i + 1;
    }
  return parts;
}

}  // namespace proven::spacetime
