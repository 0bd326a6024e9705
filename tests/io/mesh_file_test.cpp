#include "proven/io/mesh_file.h"

#include <cstring>

#include "io_support.h"
#include "proven/base/random.h"

namespace proven::test {
namespace {

using Mesh = std::shared_ptr<const TriangleMesh>;

double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += dot(mesh.vertices[t[0]], cross(mesh.vertices[t[1]], mesh.vertices[t[2]])) / 6;
  return sum;
}

// The tetrahedron with corners at the origin and at 1, 2, 3 on the axes: volume 1.
constexpr std::string_view kTetrahedron =
    "# comment\n"
    "v 0 0 0\nv 1 0 0 1.0\nv 0 2 0\nv 0 0 3 0.5 0.5 0.5\n"
    "vt 0 0\nvn 0 0 1\ng part\nusemtl none\n"
    "f 1 3 2\nf 1/1 2/1 4/1\nf -4//1 -1//1 -2//1\nf 2/1/1 3/1/1 4/1/1\n";

TEST(MeshFile, ReadsObjWithAllFormsOfIndices) {
  const TemporaryFolder folder;
  const Mesh mesh = must(load_mesh(folder.write("t.obj", kTetrahedron)));
  EXPECT_EQ(mesh->vertices.size(), 4u);
  EXPECT_EQ(mesh->triangles.size(), 4u);
  EXPECT_DOUBLE_EQ(volume(*mesh), 1);
}

TEST(MeshFile, CutsPolygonsIntoFans) {
  const TemporaryFolder folder;
  const Mesh mesh = must(load_mesh(
      folder.write("p.obj", "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\n")));
  EXPECT_EQ(mesh->triangles.size(), 3u);
}

TEST(MeshFile, ScaleStretchesAndMirrorsWithoutTurningInsideOut) {
  const TemporaryFolder folder;
  const auto file = folder.write("t.obj", kTetrahedron);
  EXPECT_DOUBLE_EQ(volume(*must(load_mesh(file, {2, 3, 4}))), 24);
  for (const Vec3& scale : {Vec3{-1, 1, 1}, Vec3{1, -1, -1}, Vec3{-1, -1, -1}, Vec3{1, 1, -2}}) {
    const Mesh mesh = must(load_mesh(file, scale));
    EXPECT_DOUBLE_EQ(volume(*mesh), std::fabs(scale.x * scale.y * scale.z));
    EXPECT_DOUBLE_EQ(mesh->vertices[3].z, 3 * scale.z);
  }
}

TriangleMesh random_mesh(Random& random) {
  TriangleMesh mesh;
  for (int i = 0; i < 20; ++i)
    mesh.vertices.push_back(random.uniform(0.1, 10) * random.unit_vector());
  for (int i = 0; i < 30; ++i) {
    const auto corner = [&] { return static_cast<std::uint32_t>(random.index(20)); };
    mesh.triangles.push_back({corner(), corner(), corner()});
  }
  return mesh;
}

TEST(MeshFile, ObjComesBackBitForBit) {
  const TemporaryFolder folder;
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const TriangleMesh mesh = random_mesh(random);
    must(save_obj(folder.path() / "m.obj", mesh));
    const Mesh back = must(load_mesh(folder.path() / "m.obj"));
    EXPECT_EQ(back->vertices, mesh.vertices);
    EXPECT_EQ(back->triangles, mesh.triangles);
  }
}

TEST(MeshFile, StlComesBackInSinglePrecision) {
  const TemporaryFolder folder;
  Random random(2);
  const TriangleMesh mesh = random_mesh(random);
  must(save_stl(folder.path() / "m.stl", mesh));
  const Mesh back = must(load_mesh(folder.path() / "m.stl"));
  ASSERT_EQ(back->triangles.size(), mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3& written = mesh.vertices[mesh.triangles[t][c]];
      const Vec3& read = back->vertices[back->triangles[t][c]];
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(read[i], static_cast<double>(static_cast<float>(written[i])));
    }
}

TEST(MeshFile, BinaryStlThatStartsWithSolidIsBinary) {
  const TemporaryFolder folder;
  Random random(3);
  const TriangleMesh mesh = random_mesh(random);
  must(save_stl(folder.path() / "m.stl", mesh));
  std::ifstream stream(folder.path() / "m.stl", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  bytes.replace(0, 5, "solid");
  EXPECT_EQ(must(load_mesh(folder.write("s.stl", bytes)))->triangles.size(), 30u);
}

TEST(MeshFile, AsciiStlMayHoldSeveralSolidsAndBadNormals) {
  const TemporaryFolder folder;
  const std::string facet =
      "facet normal nan nan nan\nouter loop\nvertex 0 0 0\nvertex 1e0 0 0\nvertex 0 +1 0\n"
      "endloop\nendfacet\n";
  const auto file = folder.write("a.stl", "solid a b c\n" + facet + facet + "endsolid a b c\r\n" +
                                              "solid\n" + facet + "endsolid\n");
  EXPECT_EQ(must(load_mesh(file))->triangles.size(), 3u);
}

constexpr std::string_view kPlyHeader =
    "element vertex 4\ncomment hello\nproperty double x\nproperty double y\nproperty double z\n"
    "property uchar red\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n";

TEST(MeshFile, ReadsAsciiPly) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.ply", "ply\nformat ascii 1.0\n" + std::string(kPlyHeader) +
                                              "0 0 0 1\n1 0 0 2\n1 1 0 3\n0 1 0 4\n"
                                              "4 0 1 2 3\n3 0 2 3\n");
  const Mesh mesh = must(load_mesh(file));
  EXPECT_EQ(mesh->vertices[2], (Vec3{1, 1, 0}));
  EXPECT_EQ(mesh->triangles.size(), 3u);
}

TEST(MeshFile, ReadsBinaryPlyOfBothByteOrders) {
  const TemporaryFolder folder;
  for (const bool big : {false, true}) {
    std::string bytes = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                        "_endian 1.0\n" + std::string(kPlyHeader);
    const auto put = [&](const auto& value) {
      char raw[sizeof(value)];
      std::memcpy(raw, &value, sizeof(value));
      if (big) std::reverse(raw, raw + sizeof(value));
      bytes.append(raw, sizeof(value));
    };
    const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.25}, {0, 1, -1.5}};
    for (const auto& corner : corners) {
      for (const double value : corner) put(value);
      put(static_cast<unsigned char>(7));
    }
    for (int f = 0; f < 2; ++f) {
      put(static_cast<unsigned char>(3));
      for (const int index : {0, 1 + f, 2 + f}) put(index);
    }
    const Mesh mesh = must(load_mesh(folder.write("b.ply", bytes)));
    EXPECT_EQ(mesh->vertices[3], (Vec3{0, 1, -1.5}));
    ASSERT_EQ(mesh->triangles.size(), 2u);
    EXPECT_EQ(mesh->triangles[1], (std::array<std::uint32_t, 3>{0, 2, 3}));
  }
}

// The unit and the transforms of a COLLADA file apply; the axes stay as in the file.
TEST(MeshFile, ColladaAppliesUnitAndTransformsAndKeepsAxes) {
  const TemporaryFolder folder;
  const std::string dae = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 100 200 300 0 200 300</float_array>
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
)";
  const Mesh mesh = must(load_mesh(folder.write("c.dae", dae)));
  ASSERT_EQ(mesh->triangles.size(), 2u);
  const Vec3 expected[] = {{1, 0, 0}, {1, 1, 0}, {-1, 1, 3}, {-1, 0, 3}};
  for (const Vec3& corner : expected) {
    double nearest = 1;
    for (const Vec3& v : mesh->vertices) nearest = std::fmin(nearest, norm(v - corner));
    EXPECT_LT(nearest, 1e-6) << corner.x << " " << corner.y << " " << corner.z;
  }
}

}  // namespace
}  // namespace proven::test
