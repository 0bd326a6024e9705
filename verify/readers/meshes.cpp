#include "verify/readers/meshes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace proven::verifier {
namespace {

// --- STL -----------------------------------------------------------------------------------------

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

void add_triangle(TriangleMesh& mesh, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto n = static_cast<std::uint32_t>(mesh.vertices.size());
  for (const Vec3& corner : {a, b, c}) mesh.vertices.push_back(corner);
  mesh.triangles.push_back({n, n + 1, n + 2});
}

// 80 bytes, a count, and per triangle twelve floats (normal, corners) and two bytes.
TriangleMesh binary_stl(const std::filesystem::path& file, std::string_view bytes) {
  TriangleMesh mesh;
  for (std::size_t at = 84; at < bytes.size(); at += 50) {
    Vec3 corners[3];
    for (std::size_t k = 0; k < 9; ++k) {
      const float x = std::bit_cast<float>(little_endian(bytes, at + 12 + 4 * k));
      if (!std::isfinite(x)) refuse(file.string(), "a coordinate is not finite");
      corners[k / 3][static_cast<int>(k % 3)] = static_cast<double>(x);
    }
    add_triangle(mesh, corners[0], corners[1], corners[2]);
  }
  return mesh;
}

// The words of a text and the lines that they stand on.
class Words {
 public:
  Words(const std::filesystem::path& file, std::string_view text) : file_(file), rest_(text) {}
  bool next(std::string_view& word) {
    std::string_view line;
    while (at_ == line_.size()) {
      if (!take_line(rest_, line)) return false;
      line_ = split_blanks(line);
      at_ = 0;
      ++number_;
    }
    word = line_[at_++];
    return true;
  }
  std::string_view need() {
    std::string_view word;
    if (!next(word)) fail("the file ends too early");
    return word;
  }
  void expect(std::string_view wanted) {
    if (need() != wanted) fail(fmt::format("expected '{}'", wanted));
  }
  double number() {
    const auto value = decimal(need());
    if (!value) fail("expected a number");
    return *value;
  }
  void skip_line() { at_ = line_.size(); }
  [[noreturn]] void fail(std::string message) const {
    refuse(line_place(file_, number_), std::move(message));
  }

 private:
  const std::filesystem::path& file_;
  std::string_view rest_;
  std::vector<std::string_view> line_;
  std::size_t at_ = 0;
  long number_ = 0;
};

// solid NAME, facets of three vertices each, endsolid NAME; perhaps several.
TriangleMesh ascii_stl(const std::filesystem::path& file, std::string_view text) {
  TriangleMesh mesh;
  Words words(file, text);
  for (std::string_view word; words.next(word);) {
    if (word != "solid") words.fail("expected 'solid'");
    words.skip_line();
    for (word = words.need(); word != "endsolid"; word = words.need()) {
      if (word != "facet") words.fail("expected 'facet' or 'endsolid'");
      words.skip_line();  // the normal, which the corners give too
      words.expect("outer");
      words.expect("loop");
      Vec3 corners[3];
      for (Vec3& corner : corners) {
        words.expect("vertex");
        for (int i = 0; i < 3; ++i) corner[i] = words.number();
      }
      words.expect("endloop");
      words.expect("endfacet");
      add_triangle(mesh, corners[0], corners[1], corners[2]);
    }
    words.skip_line();
  }
  return mesh;
}

// --- OBJ -----------------------------------------------------------------------------------------

// Statements that add nothing to the surface: normals, textures, groups, looks, points and lines.
constexpr std::string_view kSkipped[] = {"vt",       "vn",       "vp",         "g",        "s",
                                         "o",        "mg",       "usemtl",     "mtllib",   "maplib",
                                         "usemap",   "l",        "p",          "lod",      "bevel",
                                         "c_interp", "d_interp", "shadow_obj", "trace_obj"};

class Obj {
 public:
  explicit Obj(const std::filesystem::path& file) : file_(file) {}

  TriangleMesh read() {
    const std::string text = file_text(file_);
    std::string_view rest = text, line;
    for (line_ = 1; take_line(rest, line); ++line_) {
      line = without_blanks(line.substr(0, line.find('#')));
      if (line.ends_with('\\')) fail("continued lines are not read");
      const auto words = split_blanks(line);
      if (words.empty()) continue;
      const auto count = whole(words[0]);
      if (count && statements_ == 0 && words.size() == 2) {  // of vertices and faces
        said_ = {number(words[0]), number(words[1])};
      } else if (words[0] == "v")
        vertex(words);
      else if (words[0] == "f")
        face(words);
      else if (std::find(std::begin(kSkipped), std::end(kSkipped), words[0]) == std::end(kSkipped))
        fail(fmt::format("'{}' is not read", words[0].substr(0, 40)));
      ++statements_;
    }
    if (said_ &&
        (said_->first != static_cast<double>(mesh_.vertices.size()) || said_->second != faces_))
      fail("the first line says other numbers of vertices and faces");
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    refuse(line_place(file_, line_), std::move(message));
  }
  double number(std::string_view word) const {
    const auto value = decimal(word);
    if (!value) fail("expected a number");
    return *value;
  }
  // x y z, a weight of 1, or a colour.
  void vertex(const std::vector<std::string_view>& words) {
    const std::size_t n = words.size() - 1;
    if (n != 3 && n != 4 && n != 6) fail("a vertex has 3 coordinates");
    if (n == 4 && number(words[4]) != 1) fail("a vertex with a weight is not read");
    mesh_.vertices.push_back({number(words[1]), number(words[2]), number(words[3])});
  }
  // Indices from 1, or from the last vertex backwards; behind a slash texture and normal.
  void face(const std::vector<std::string_view>& words) {
    if (words.size() < 4) fail("a face has at least 3 corners");
    const auto count = static_cast<long>(mesh_.vertices.size());
    std::vector<std::uint32_t> corners;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto index = whole(words[i].substr(0, words[i].find('/')));
      if (!index || *index == 0 || *index > count || *index < -count)
        fail("a corner is no vertex that stands above");
      corners.push_back(static_cast<std::uint32_t>(*index > 0 ? *index - 1 : count + *index));
    }
    at_place(line_place(file_, line_), [&] { add_polygon(mesh_, corners); });
    ++faces_;
  }

  const std::filesystem::path& file_;
  long line_ = 0, statements_ = 0;
  std::optional<std::pair<double, double>> said_;
  double faces_ = 0;
  TriangleMesh mesh_;
};

TriangleMesh read_any(const std::filesystem::path& file) {
  const std::string ending = ending_of(file);
  if (ending == ".stl" || ending == ".stlb") return read_stl(file);
  if (ending == ".obj") return read_obj(file);
  if (ending == ".ply") return read_ply(file);
  if (ending == ".dae") return read_collada(file);
  refuse(file.string(), "meshes are STL, OBJ, DAE or PLY");
}

}  // namespace

TriangleMesh read_stl(const std::filesystem::path& file) {
  const std::string bytes = file_bytes(file);
  // Binary files may start with "solid" too: the length decides.
  if (bytes.size() >= 84 && bytes.size() - 84 == 50 * std::size_t{little_endian(bytes, 80)})
    return binary_stl(file, bytes);
  const std::string_view start = std::string_view(bytes).substr(0, 84);
  if (bytes.find('\0') != std::string::npos || !without_blanks(start).starts_with("solid"))
    refuse(file.string(), "neither text nor as long as its count says");
  return ascii_stl(file, bytes);
}

TriangleMesh read_obj(const std::filesystem::path& file) {
  return Obj(file).read();
}

// A scale that mirrors turns the triangles round, so that their outside stays outside.
std::shared_ptr<const TriangleMesh> Meshes::scaled(const std::filesystem::path& file,
                                                   const Vec3& scale) {
  at_place(file.string(), [&] { checked_scale(scale); });
  std::shared_ptr<const TriangleMesh>& entry = meshes_[{file.string(), scale.x, scale.y, scale.z}];
  if (entry) return entry;
  TriangleMesh mesh = read_any(file);
  if (mesh.vertices.empty()) refuse(file.string(), "no vertices");
  Vec3 low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  for (Vec3& v : mesh.vertices)
    for (int i = 0; i < 3; ++i) {
      v[i] *= scale[i];
      if (!(std::fabs(v[i]) <= kFarthest)) refuse(file.string(), "a vertex is too far away");
      low[i] = std::min(low[i], v[i]);
      high[i] = std::max(high[i], v[i]);
    }
  if (max_abs(high - low) < kLeast) refuse(file.string(), "too small");
  int mirrors = 0;
  for (int i = 0; i < 3; ++i) mirrors += scale[i] < 0;
  if (mirrors % 2 == 1)
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  return entry = std::make_shared<TriangleMesh>(std::move(mesh));
}

std::shared_ptr<const TriangleMesh> Meshes::mesh(const std::filesystem::path& file,
                                                 const Vec3& scale) {
  auto mesh = scaled(file, scale);
  if (mesh->triangles.empty()) refuse(file.string(), "no triangles");
  return mesh;
}

std::shared_ptr<const ConvexHull> Meshes::hull(const std::filesystem::path& file,
                                               const Vec3& scale) {
  return std::make_shared<ConvexHull>(ConvexHull{scaled(file, scale)->vertices});
}

}  // namespace proven::verifier
