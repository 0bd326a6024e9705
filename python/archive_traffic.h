// Footprints, trajectories and what is made of them as bytes; see archive.h.
#pragma once

#include <algorithm>

#include "archive.h"
#include "proven/spacetime/check.h"

namespace proven::python {

template <class A>
void fields(A& a, spacetime::Vec2& v) {
  a(v.x, v.y);
}
template <class A>
void fields(A& a, spacetime::Piece& p) {
  a(p.centre, p.half, p.corners, p.normals, p.radius, p.reach);
}
template <class A>
void fields(A& a, spacetime::Footprint::Cut& c) {
  a(c.first, c.count, c.outline);
}

// A footprint is made anew from what it was made of, and then has the same pieces to the bit, or is
// refused: a proof must not be about another shape.
inline spacetime::Footprint rebuilt(std::span<const spacetime::Piece> pieces,
                                    std::span<const spacetime::Footprint::Cut> cuts) {
  using spacetime::Footprint;
  std::vector<Footprint> parts;
  for (std::size_t i = 0; i < pieces.size();) {
    const auto cut = std::ranges::find(cuts, static_cast<int>(i), &Footprint::Cut::first);
    if (cut != cuts.end() && cut->count > 0) {
      parts.push_back(value_of(Footprint::polygon(cut->outline)));
      i += static_cast<std::size_t>(cut->count);
      continue;
    }
    const spacetime::Piece& p = pieces[i++];
    if (!p.is_box())
      parts.push_back(value_of(p.corners.size() == 2 ? Footprint::polyline(p.corners)
                                                     : Footprint::polygon(p.corners)));
    else if (p.half == spacetime::Vec2{})
      parts.push_back(value_of(Footprint::circle(p.radius, p.centre)));
    else
      parts.push_back(value_of(Footprint::box(2 * p.half.x, 2 * p.half.y, p.centre)));
  }
  Footprint whole = parts.size() == 1 ? parts[0] : Footprint::compound(parts);
  const auto same = [](const spacetime::Piece& a, const spacetime::Piece& b) {
    return a.centre == b.centre && a.half == b.half && a.corners == b.corners &&
           a.normals == b.normals && a.radius == b.radius && a.reach == b.reach;
  };
  if (!std::ranges::equal(whole.pieces(), pieces, same))
    throw LibraryError{bad_input("this footprint does not pickle; make it anew from its outline")};
  return whole;
}

template <class A>
void fields(A& a, spacetime::Footprint& f) {
  std::vector<spacetime::Piece> pieces(f.pieces().begin(), f.pieces().end());
  std::vector<spacetime::Footprint::Cut> cuts(f.cuts().begin(), f.cuts().end());
  if constexpr (std::is_same_v<A, Writer>) rebuilt(pieces, cuts);  // else it says so now
  a(pieces, cuts);
  if constexpr (std::is_same_v<A, Reader>) f = rebuilt(pieces, cuts);
}
template <class A>
void fields(A& a, spacetime::Trajectory& t) {
  a(t.t, t.x, t.y, t.heading, t.between, t.max_acceleration, t.max_angular_acceleration,
    t.position_deviation, t.heading_deviation);
}
template <class A>
void fields(A& a, spacetime::Pose2& p) {
  a(p.x, p.y, p.heading);
}
template <class A>
void fields(A& a, spacetime::Occupancy& o) {
  a(o.t_begin, o.t_end, o.region);
}
template <class A>
void fields(A& a, spacetime::Obstacle& o) {
  a(o.name, o.footprint, o.motion, o.pose, o.occupancies);
}
template <class A>
void fields(A& a, spacetime::TrafficContact& c) {
  a(c.obstacle, c.t_lower, c.t, c.pose, c.obstacle_pose, c.distance);
}
template <class A>
void fields(A& a, spacetime::TrafficDoubt& d) {
  a(d.reason, d.obstacle, d.t_begin, d.t_end, d.distance);
}
template <class A>
void fields(A& a, spacetime::TrafficStats& s) {
  a(s.box_tests, s.step_pairs, s.cells);
}
template <class A>
void fields(A& a, spacetime::TrafficResult& r) {
  a(r.verdict, r.contact, r.doubt, r.stats);
}

}  // namespace proven::python
