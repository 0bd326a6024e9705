// The surroundings of the arms: thin structures, a car body, a machine tool, a workshop. Metres,
// real size, standing on z = 0.
#pragma once

#include "scenes/mesh_builder.h"

namespace proven::scenes {

// A cage of 36 bars of 12 triangles in six parts of six bars: four walls, roof and braces.
struct CageDesign {
  double width = 2.4, depth = 2.4, height = 2.2;  // along x, y, z
  double bar = 0.03;                              // side of the square bars
};
std::vector<TriangleMesh> make_cage(const CageDesign& design);

// A grid of 4 + 4 bars in the x, y plane with 3 x 3 holes of the given pitch: 96 triangles.
TriangleMesh make_grid(double pitch, double bar);

// A car body along x, nose towards +x, on wheels, with open windows. `detail` multiplies the number
// of facets in each direction; 1 is coarse.
TriangleMesh make_car_body(double detail);

// A machining centre whose door opening faces -x, in two parts: cabinet, and what it holds.
struct MachineTool {
  TriangleMesh cabinet, inside;
};
MachineTool make_machine_tool();

// A hall with racks, benches, machines and pipes around an open middle, in two parts.
struct Workshop {
  TriangleMesh building, equipment;
};
Workshop make_workshop();

}  // namespace proven::scenes
