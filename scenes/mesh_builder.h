// Triangle meshes made from parameters. All are closed (every edge has two triangles) unless said
// otherwise, with outward normals, in metres.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "proven/base/vec3.h"
#include "proven/geometry/shapes.h"

namespace proven::scenes {

struct Vec2 {
  double x = 0, y = 0;
};

// Appends a part at a pose; the parts are not merged, each stays a component of its own.
void append(TriangleMesh& mesh, const TriangleMesh& part, const Pose& X = {});
TriangleMesh transformed(TriangleMesh mesh, const Pose& X);
TriangleMesh scaled(TriangleMesh mesh, const Vec3& factors);  // factors > 0

// Box of full extents `size` centred at the origin; faces are grids of cells[0] x cells[1] x
// cells[2] cells, two triangles each.
TriangleMesh box(const Vec3& size, std::array<int, 3> cells = {1, 1, 1});
// Box between two corners.
TriangleMesh box_between(const Vec3& low, const Vec3& high, std::array<int, 3> cells = {1, 1, 1});

// Skin through rings of equally many points, counter-clockwise seen from the last ring, with flat
// caps (fans, so the first and last ring must be convex).
TriangleMesh loft(const std::vector<std::vector<Vec3>>& rings);
// A convex outline (counter-clockwise in x, y) pulled along z from z0 to z1; `bevel` > 0 cuts the
// rims back towards the outline's centre.
TriangleMesh extrude(std::span<const Vec2> outline, double z0, double z1, double bevel = 0);
// Box with its four edges along z and both rims bevelled.
TriangleMesh bevelled_box(const Vec3& size, double bevel);

// Profile of (radius, z), z not decreasing in the order given, turned about z.
TriangleMesh revolve(std::span<const Vec2> profile, int segments);
TriangleMesh cylinder(double radius, double z0, double z1, int segments);
// Cylinder with bevelled rims.
TriangleMesh drum(double radius, double z0, double z1, double bevel, int segments);
TriangleMesh sphere(double radius, int segments, int stacks);
// Ring in the x, y plane: 2 * around * across triangles.
TriangleMesh torus(double ring_radius, double tube_radius, int around, int across);
// Round tube along a polyline, flat ends.
TriangleMesh tube(std::span<const Vec3> line, double radius, int segments);
// Straight bar of square section between two points: 12 triangles.
TriangleMesh bar(const Vec3& from, const Vec3& to, double width);

// Open sheet in the x, y plane, centred: 2 * cells triangles. The only shape here that is not
// closed: an odd number of triangles cannot be closed.
TriangleMesh sheet(double size_x, double size_y, std::array<int, 2> cells);

// A polyline of `pieces` segments on the arc about `centre`, from centre + radius * u towards
// v, over `angle` radians. u, v: orthonormal.
std::vector<Vec3> arc(const Vec3& centre, const Vec3& u, const Vec3& v, double radius, double angle,
                      int pieces);

Mat3 rotation_x(double angle);
Mat3 rotation_y(double angle);
Mat3 rotation_z(double angle);
Pose at(double x, double y, double z);
// Turns z (the axis of revolve, extrude, ...) to x or y.
Mat3 z_to_x();
Mat3 z_to_y();

// Splits longest edges until the meshes together have exactly `total` triangles; surfaces do not
// change and closed meshes stay closed. Needs a sheet among the meshes to add an odd number.
// Returns false, and leaves the meshes alone, if `total` is too small or of the wrong parity.
bool refine_to(std::span<TriangleMesh* const> meshes, int total);

int num_triangles(const TriangleMesh& mesh);

}  // namespace proven::scenes
