// Polygons of mesh files become triangles that cover them exactly: against winding numbers of the
// boundary at random places.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "io/io_support.h"
#include "proven/base/random.h"
#include "proven/io/mesh_file.h"

namespace proven::test {
namespace {

struct Place {
  double x, y;
};

double side(const Place& a, const Place& b, const Place& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

// How often the boundary goes round the place, counterclockwise.
int winding(const std::vector<Place>& polygon, const Place& p) {
  int turns = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Place &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    if (a.y <= p.y && b.y > p.y && side(a, b, p) > 0) ++turns;
    if (a.y > p.y && b.y <= p.y && side(a, b, p) < 0) --turns;
  }
  return turns;
}

// A slanted plane, seen so that the polygon keeps its order.
Vec3 in_space(const Place& p, int plane) {
  if (plane == 0) return {p.x, p.y, 0.25 * p.x - 0.5 * p.y};
  if (plane == 1) return {0.5 * p.x + 0.25 * p.y, p.x, p.y};
  if (plane == 2) return {p.y, -p.x, 1};  // turned by a quarter
  return {p.y, p.x, 2};                   // seen from behind
}

std::string obj(const std::vector<Place>& polygon, int plane) {
  std::string text, face = "f";
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 p = in_space(polygon[i], plane);
    text += fmt::format("v {} {} {}\n", p.x, p.y, p.z);
    face += fmt::format(" {}", i + 1);
  }
  return text + face + "\n";
}

class Polygons : public testing::Test {
 protected:
  std::shared_ptr<const TriangleMesh> read(const std::string& text, const char* name = "a.obj") {
    return must(load_mesh(folder_.write(name, text)));
  }
  std::string error(const std::string& text) {
    return error_text(load_mesh(folder_.write("a.obj", text)));
  }
  // The triangles of the polygon cover each place as often as its boundary goes round it.
  void expect_covered(const std::vector<Place>& polygon, const TriangleMesh& mesh) {
    Random random(5);
    for (int i = 0; i < 400; ++i) {
      const Place p{random.uniform(-5, 5), random.uniform(-5, 5)};
      int covered = 0;
      for (const auto& [a, b, c] : mesh.triangles)
        covered += winding({polygon[a], polygon[b], polygon[c]}, p);
      EXPECT_EQ(covered, winding(polygon, p)) << p.x << " " << p.y;
      for (const auto& [a, b, c] : mesh.triangles)
        EXPECT_GE(winding({polygon[a], polygon[b], polygon[c]}, p), 0) << "a turned triangle";
    }
    EXPECT_EQ(mesh.triangles.size(), polygon.size() - 2);
  }

  TemporaryFolder folder_;
};

// An arrow whose first corner sees too much: its fan lies outside of it.
const std::vector<Place> kArrow = {{4, 0}, {-3, 3}, {0, 0}, {-3, -3}};
const std::vector<Place> kComb = {{-4, -4}, {4, -4}, {4, 4},   {2, 4},   {2, -2}, {1, -2},
                                  {1, 4},   {-1, 4}, {-1, -2}, {-2, -2}, {-2, 4}, {-4, 4}};
// A square with a hole, cut open along a seam.
const std::vector<Place> kKeyhole = {{-4, -4}, {4, -4}, {4, 4}, {-4, 4}, {-4, -4},
                                     {-2, -2}, {-2, 2}, {2, 2}, {2, -2}, {-2, -2}};

std::vector<Place> from(const std::vector<Place>& polygon, std::size_t first) {
  std::vector<Place> turned(polygon.begin() + static_cast<std::ptrdiff_t>(first), polygon.end());
  turned.insert(turned.end(), polygon.begin(),
                polygon.begin() + static_cast<std::ptrdiff_t>(first));
  return turned;
}

TEST_F(Polygons, ConcaveOnesAreCoveredExactly) {
  for (const std::vector<Place>& shape : {kArrow, kComb, kKeyhole})
    for (std::size_t first = 0; first < shape.size(); ++first)
      for (int plane = 0; plane < 4; ++plane) {
        SCOPED_TRACE(fmt::format("{} corners from {}, plane {}", shape.size(), first, plane));
        const std::vector<Place> polygon = from(shape, first);
        expect_covered(polygon, *read(obj(polygon, plane)));
      }
}

TEST_F(Polygons, RandomStarsAreCoveredExactly) {
  Random random(8);
  for (int i = 0; i < 200; ++i) {
    std::vector<Place> polygon;
    const int n = 4 + i % 12;
    for (int k = 0; k < n; ++k) {
      const double angle = 2 * std::numbers::pi * (k + random.uniform(0, 0.8)) / n;
      const double r = random.uniform(0.3, 4.5);
      polygon.push_back({r * std::cos(angle), r * std::sin(angle)});
    }
    SCOPED_TRACE(i);
    expect_covered(polygon, *read(obj(polygon, i % 4)));
  }
}

TEST_F(Polygons, ConvexOnesAreFansAsBefore) {
  const auto mesh = read(obj({{0, 0}, {2, 0}, {3, 1}, {2, 2}, {0, 2}}, 0));
  EXPECT_EQ(mesh->triangles,
            (std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
  // Corners on an edge, and one that is named twice.
  EXPECT_EQ(read(obj({{0, 0}, {1, 0}, {2, 0}, {2, 2}, {2, 2}, {0, 2}}, 1))->triangles.size(), 4u);
}

TEST_F(Polygons, BentAndCrossedOnesAreRefused) {
  const std::string bow = error(obj({{0, 0}, {1, 1}, {1, 0}, {0, 1}}, 0));
  EXPECT_NE(bow.find("a.obj:5: the polygon crosses itself"), std::string::npos) << bow;
  const std::string lopsided = error(obj({{0, 0}, {3, 3}, {3, 0}, {0, 1}}, 2));
  EXPECT_NE(lopsided.find("crosses itself"), std::string::npos) << lopsided;
  const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 {}\nv 0 1 0\nf 1 2 3 4\n";
  const auto lifted = [&](const char* by) {
    std::string text = square;
    return error(text.replace(text.find("{}"), 2, by));
  };
  EXPECT_NE(lifted("0.2").find("do not lie in a plane"), std::string::npos) << lifted("0.2");
  EXPECT_EQ(lifted("0.001"), "no error");
}

TEST_F(Polygons, OfEveryFormatAreTheSame) {
  const auto wanted = read(obj(kArrow, 0));
  std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\n"
      "property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
  std::string numbers;
  for (const Place& place : kArrow) {
    const Vec3 p = in_space(place, 0);
    numbers += fmt::format("{} {} {}\n", p.x, p.y, p.z);
  }
  EXPECT_EQ(read(ply + numbers + "4 0 1 2 3\n", "a.ply")->triangles, wanted->triangles);
  for (const std::string& part :
       {std::string("<polylist count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
                    "<vcount>4</vcount><p>0 1 2 3</p></polylist>"),
        std::string("<polygons count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
                    "<p>0 1 2 3</p></polygons>")}) {
    const std::string dae =
        "<COLLADA version=\"1.4.1\"><library_geometries><geometry id=\"g\"><mesh><source "
        "id=\"p\"><float_array id=\"f\" count=\"12\">" +
        numbers +
        "</float_array><technique_common><accessor source=\"#f\" count=\"4\" stride=\"3\"/>"
        "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "
        "source=\"#p\"/></vertices>" +
        part +
        "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene "
        "id=\"s\"><node><instance_geometry url=\"#g\"/></node></visual_scene>"
        "</library_visual_scenes></COLLADA>";
    EXPECT_EQ(read(dae, "a.dae")->triangles, wanted->triangles);
  }
}

}  // namespace
}  // namespace proven::test
