#include <cmath>

#include "fuzz.h"
#include "proven/io/mesh_file.h"

namespace proven::fuzz {
namespace {

// A mesh that was read has triangles, and they point to vertices.
bool mesh(Bytes input, const char* ending) {
  const auto mesh = load_mesh(as_file(input, ending));
  if (!answers(mesh)) return false;
  if (mesh.value()->triangles.empty()) broken("a mesh has triangles");
  for (const auto& triangle : mesh.value()->triangles)
    for (const std::uint32_t corner : triangle)
      if (corner >= mesh.value()->vertices.size()) broken("triangles point to vertices");
  for (const Vec3& v : mesh.value()->vertices)
    if (!std::isfinite(v.x + v.y + v.z)) broken("coordinates are finite");
  return true;
}

std::vector<std::string> stl() {
  return {
      "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
      "endloop\nendfacet\nendsolid s\n"};
}

std::vector<std::string> obj() {
  return {"# c\no a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2//1 3 4\n",
          "v 0 0 0\nv 1 0 0\nv 0 1e-3 0\nf -3 -2 -1\n"};
}

std::vector<std::string> ply() {
  const std::string header =
      " 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  std::string binary = "ply\nformat binary_little_endian" + header;
  for (const float v : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f})
    binary.append(reinterpret_cast<const char*>(&v), 4);
  binary += '\3';
  for (const int v : {0, 1, 2}) binary.append(reinterpret_cast<const char*>(&v), 4);
  return {"ply\nformat ascii" + header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", binary};
}

std::vector<std::string> dae() {
  return {R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 100 200 0 0 200 0</float_array>
   <technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
   <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount>
   <p>0 1 2 3</p></polylist>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="s"><node id="n"><translate>100 0 0</translate>
  <rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
)"};
}

}  // namespace

std::vector<Fuzzer> mesh_fuzzers() {
  return {{"stl",
           [](Bytes input) { return mesh(input, "stl"); },
           {"bad_input/meshes/*.stl", "bad_input/ok/*.stl"},
           stl},
          {"obj", [](Bytes input) { return mesh(input, "obj"); }, {"bad_input/meshes/*.obj"}, obj},
          {"ply", [](Bytes input) { return mesh(input, "ply"); }, {"bad_input/meshes/*.ply"}, ply},
          {"dae", [](Bytes input) { return mesh(input, "dae"); }, {"bad_input/meshes/*.dae"}, dae}};
}

}  // namespace proven::fuzz
