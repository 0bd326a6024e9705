#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/failure.h"
#include "io/mesh_readers.h"
#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

// Statements that add nothing to the surface: normals, textures, groups, looks, points and lines.
constexpr std::array<std::string_view, 19> kPassedOver = {
    "vt",     "vn",       "vp",       "g",          "s",        "o", "mg",
    "usemtl", "mtllib",   "maplib",   "usemap",     "l",        "p", "lod",
    "bevel",  "c_interp", "d_interp", "shadow_obj", "trace_obj"};

class ObjReader {
 public:
  explicit ObjReader(const std::filesystem::path& file)
      : file_(file), text_(read_text(file)), lines_(text_) {}

  TriangleMesh read() {
    for (std::string_view line; lines_.next(line);) {
      line = line.substr(0, line.find('#'));
      if (trimmed(line).ends_with('\\')) fail("lines continued with '\\' are not read");
      const std::vector<std::string_view> parts = words(line);
      if (parts.empty()) continue;
      if (parts[0] == "v")
        add_vertex(parts);
      else if (parts[0] == "f")
        add_face(parts);
      else if (parts.size() == 2 && parse_integer(parts[0]) && is_first_)
        counts_ = {number(parts[0]), number(parts[1])};
      else if (std::find(kPassedOver.begin(), kPassedOver.end(), parts[0]) == kPassedOver.end())
        fail(fmt::format("{} is not read; export triangles", quote(parts[0])));
      is_first_ = false;
    }
    check_counts();
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    io::fail(place(file_, lines_.number()), std::move(message));
  }

  // Some programs begin with the numbers of vertices and faces.
  void check_counts() const {
    if (counts_ && *counts_ != std::pair(static_cast<double>(mesh_.vertices.size()), faces_))
      fail(fmt::format("the first line says {} vertices and {} faces; there are {} and {}",
                       counts_->first, counts_->second, mesh_.vertices.size(), faces_));
  }

  double number(std::string_view word) const {
    const std::optional<double> value = parse_double(word);
    if (!value) fail(fmt::format("expected a finite decimal number, got {}", quote(word)));
    return *value;
  }

  // "v x y z", with a weight (5 words) or a colour (7) that some programs append.
  void add_vertex(const std::vector<std::string_view>& parts) {
    if (parts.size() != 4 && parts.size() != 5 && parts.size() != 7)
      fail(fmt::format("expected 'v x y z', got {} numbers", parts.size() - 1));
    if (parts.size() == 5 && number(parts[4]) != 1) fail("weighted vertices are not read");
    mesh_.vertices.push_back({number(parts[1]), number(parts[2]), number(parts[3])});
  }

  // "f 1 2 3", "f 1/2 ...", "f 1//3 ...", "f 1/2/3 ..."; negative indices count from the end.
  std::uint32_t corner(std::string_view word) const {
    const std::optional<long> index = parse_integer(word.substr(0, word.find('/')));
    const long count = static_cast<long>(mesh_.vertices.size());
    if (!index) fail(fmt::format("expected the index of a vertex, got {}", quote(word)));
    const long from_zero = *index < 0 ? count + *index : *index - 1;
    if (from_zero < 0 || from_zero >= count)
      fail(fmt::format("index {} is out of range: {} vertices stand above", *index, count));
    return static_cast<std::uint32_t>(from_zero);
  }

  void add_face(const std::vector<std::string_view>& parts) {
    if (parts.size() < 4)
      fail(fmt::format("a face needs at least 3 corners, got {}", parts.size() - 1));
    corners_.clear();
    for (std::size_t i = 1; i < parts.size(); ++i) corners_.push_back(corner(parts[i]));
    if (std::string why = add_polygon(mesh_, corners_); !why.empty()) fail(std::move(why));
    ++faces_;
  }

  const std::filesystem::path& file_;
  std::string text_;
  LineReader lines_;
  TriangleMesh mesh_;
  std::vector<std::uint32_t> corners_;
  bool is_first_ = true;
  std::optional<std::pair<double, double>> counts_;  // that the first line says
  double faces_ = 0;
};

}  // namespace

TriangleMesh read_obj(const std::filesystem::path& file) {
  return ObjReader(file).read();
}

}  // namespace proven::io
