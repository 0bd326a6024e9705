// Whether two bodies really meet at a configuration: slow tests in long double that share nothing
// with the checkers but the scene's data.
#pragma once

#include <array>
#include <span>

#include "bench/suite/twin.h"
#include "proven/certify/verdict.h"
#include "proven/geometry/body_geometry.h"

namespace proven::bench {

// Two bodies of a scene at a configuration.
class BruteForce {
 public:
  BruteForce(const Scene& scene, std::span<const double> q, int body_a, int body_b);

  // Whether two pieces overlap: an edge of one triangle passes through another, or (with solid
  // pieces) they have a common point, sought from `start_W`.
  bool pieces_overlap(int piece_a, int piece_b, const Vec3& start_W) const;
  // Whether any two pieces do.
  bool overlap(const Vec3& start_W) const;
  // Whether the bodies' pieces are proved to be farther apart than `clearance`, to 1e-9 m; for
  // clearance 0 and two triangles: do not cross.
  bool apart(double clearance) const;
  // How far a point of the world is from a body's pieces.
  long double distance_to(int which, const Vec3& p_W) const;
  // Whether the point of the world is inside one of the body's solids: in a convex piece, or with
  // a closed mesh around it.
  bool inside(int which, const Vec3& p_W) const;
  // Whether some component of one body has a point inside the other.
  bool contained() const;

 private:
  using Real = long double;
  using Point = Vector3<Real>;
  struct Side {
    const BodyGeometry* geometry;
    Frame<Real> X_WB;
  };

  std::array<Point, 3> triangle(int which, int piece) const;
  Convex convex(int which, int piece) const;
  Point nearest(int which, int piece, const Point& p_W) const;
  Point some_point(int which, int piece) const;
  Real radius_about(int which, int piece, const Point& p_W) const;
  Real support(int which, int piece, const Point& n_W) const;
  std::array<Point, 2> closest(int piece_a, int piece_b, const Point& start_W) const;
  bool both_triangles(int piece_a, int piece_b) const;
  bool pieces_apart(int piece_a, int piece_b, Real clearance) const;
  template <class Test>
  bool any_close_pieces(Real clearance, Test&& test) const;
  bool inside_mesh(int which, const Point& p_W) const;

  std::array<Side, 2> sides_;
};

// Whether the bodies meet as the witness says, at its own configuration.
bool meets(const Scene& scene, const Witness& witness, double clearance);

// Whether the witness holds: its configuration is the path's at its t, and there the bodies meet as
// it says.
bool confirms(const Scene& scene, std::span<const std::vector<double>> waypoints,
              const Witness& witness, double clearance);

}  // namespace proven::bench
