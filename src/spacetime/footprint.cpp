#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/base/rounding.h"
#include "spacetime/polygon.h"

namespace proven::spacetime {
namespace {

std::string refuse_size(double size, const char* what) {
  if (size >= kSmallestSize && size <= kLargestCoordinate) return {};
  return fmt::format("{} is {:g}; expected metres between {:g} and {:g}", what, size, kSmallestSize,
                     kLargestCoordinate);
}

std::string refuse_point(Vec2 p) {
  if (std::fabs(p.x) <= kLargestCoordinate && std::fabs(p.y) <= kLargestCoordinate) return {};
  return fmt::format("centre ({:g}, {:g}) is not a finite point within {:g} m", p.x, p.y,
                     kLargestCoordinate);
}

Piece polygon_piece(std::vector<Vec2> corners) {
  Piece piece;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 edge = corners[(i + 1) % corners.size()] - corners[i];
    piece.normals.push_back((1 / norm(edge)) * Vec2{edge.y, -edge.x});
    piece.reach = std::max(piece.reach, kFormulaUp * norm(corners[i]));
  }
  piece.corners = std::move(corners);
  return piece;
}

}  // namespace

double norm(Vec2 a) {
  return std::hypot(a.x, a.y);
}

Footprint::Footprint(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  Vec2 low{1e300, 1e300}, high{-1e300, -1e300};
  const auto include = [&](Vec2 p, double radius) {
    low = {std::min(low.x, p.x - radius), std::min(low.y, p.y - radius)};
    high = {std::max(high.x, p.x + radius), std::max(high.y, p.y + radius)};
  };
  for (const Piece& piece : pieces_) {
    if (piece.is_box()) {
      include(piece.centre + piece.half, piece.radius);
      include(piece.centre - piece.half, piece.radius);
    }
    for (const Vec2 corner : piece.corners) include(corner, piece.radius);
    core_reach_ = std::max(core_reach_, piece.reach);
    reach_ = std::max(reach_, kFormulaUp * (piece.reach + piece.radius));
  }
  if (pieces_.empty()) return;
  box_centre_ = 0.5 * (low + high);
  box_half_ = {kFormulaUp * 0.5 * (high.x - low.x) + 0x1p-50 * reach_,
               kFormulaUp * 0.5 * (high.y - low.y) + 0x1p-50 * reach_};
}

Result<Footprint> Footprint::box(double length, double width, Vec2 centre, double orientation) {
  for (const std::string& wrong :
       {refuse_size(length, "length"), refuse_size(width, "width"), refuse_point(centre)})
    if (!wrong.empty()) return bad_input(wrong);
  if (!std::isfinite(orientation)) return bad_input("orientation is not a finite number");
  const Vec2 half{0.5 * length, 0.5 * width};
  if (orientation != 0) {
    const double c = std::cos(orientation), s = std::sin(orientation);
    std::vector<Vec2> corners;
    for (const auto& [sx, sy] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
      const double x = sx * half.x, y = sy * half.y;
      corners.push_back(centre + Vec2{c * x - s * y, s * x + c * y});
    }
    return Footprint({polygon_piece(std::move(corners))});
  }
  Piece piece;
  piece.centre = centre;
  piece.half = half;
  piece.reach = kFormulaUp * norm({std::fabs(centre.x) + half.x, std::fabs(centre.y) + half.y});
  return Footprint({piece});
}

Result<Footprint> Footprint::circle(double radius, Vec2 centre) {
  for (const std::string& wrong : {refuse_size(radius, "radius"), refuse_point(centre)})
    if (!wrong.empty()) return bad_input(wrong);
  Piece piece;
  piece.centre = centre;
  piece.radius = radius;
  piece.reach = kFormulaUp * norm(centre);
  return Footprint({piece});
}

Result<Footprint> Footprint::polygon(std::vector<Vec2> outline) {
  auto clean = clean_outline(outline);
  if (!clean.ok()) return clean.error();
  std::vector<Piece> pieces;
  for (std::vector<Vec2>& part : convex_parts(clean.value()))
    pieces.push_back(polygon_piece(std::move(part)));
  Footprint footprint(std::move(pieces));
  const int count = static_cast<int>(footprint.pieces_.size());
  if (count > 1) footprint.cuts_ = {{0, count, std::move(outline)}};
  return footprint;
}

Result<Footprint> Footprint::polyline(const std::vector<Vec2>& points) {
  if (points.size() < 2) return bad_input("a line needs two points");
  std::vector<Piece> pieces;
  for (std::size_t i = 1; i < points.size(); ++i) {
    for (const Vec2 p : {points[i - 1], points[i]})
      if (const std::string wrong = refuse_point(p); !wrong.empty()) return bad_input(wrong);
    if (!(norm(points[i] - points[i - 1]) >= kSmallestSize))
      return bad_input(fmt::format("points {} and {} of a line are the same", i - 1, i));
    pieces.push_back(polygon_piece({points[i - 1], points[i]}));
  }
  return Footprint(std::move(pieces));
}

Footprint Footprint::grown(double distance) const {
  std::vector<Piece> pieces = pieces_;
  for (Piece& piece : pieces) piece.radius = kFormulaUp * (piece.radius + distance);
  Footprint footprint(std::move(pieces));
  footprint.cuts_ = cuts_;
  return footprint;
}

Footprint Footprint::compound(std::span<const Footprint> parts) {
  std::vector<Piece> pieces;
  std::vector<Cut> cuts;
  for (const Footprint& part : parts) {
    for (Cut cut : part.cuts_) {
      cut.first += static_cast<int>(pieces.size());
      cuts.push_back(std::move(cut));
    }
    pieces.insert(pieces.end(), part.pieces_.begin(), part.pieces_.end());
  }
  Footprint footprint(std::move(pieces));
  footprint.cuts_ = std::move(cuts);
  return footprint;
}

}  // namespace proven::spacetime
