#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "io/failure.h"
#include "io/mesh_readers.h"
#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

constexpr std::size_t kHeaderBytes = 80;
constexpr std::size_t kCountEnd = kHeaderBytes + 4;
constexpr std::size_t kTriangleBytes = 50;  // normal, three corners (floats), attribute (2 bytes)

std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

double read_float(std::string_view bytes, std::size_t at) {
  return static_cast<double>(std::bit_cast<float>(read_u32(bytes, at)));
}

void add_triangle(TriangleMesh& mesh, const Vec3 (&corners)[3]) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corners, corners + 3);
  mesh.triangles.push_back({first, first + 1, first + 2});
}

TriangleMesh read_binary(const std::filesystem::path& file, std::string_view bytes) {
  const std::uint32_t count = read_u32(bytes, kHeaderBytes);
  TriangleMesh mesh;
  mesh.vertices.reserve(std::size_t{3} * count);
  mesh.triangles.reserve(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::size_t at = kCountEnd + kTriangleBytes * k + 12;
    Vec3 corners[3];
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t corner = at + 12 * c;
      corners[c] = {read_float(bytes, corner), read_float(bytes, corner + 4),
                    read_float(bytes, corner + 8)};
      if (!is_finite(corners[c]))
        fail(file.string(),
             fmt::format("triangle {} of {}: a coordinate is not a finite number", k + 1, count));
    }
    add_triangle(mesh, corners);
  }
  return mesh;
}

// The words of an ASCII STL with the lines they stand on.
class StlText {
 public:
  StlText(const std::filesystem::path& file, std::string_view text) : file_(file), lines_(text) {}

  bool next(std::string_view& word) {
    while (at_ == words_.size()) {
      std::string_view line;
      if (!lines_.next(line)) return false;
      words_ = words(line);
      at_ = 0;
    }
    word = words_[at_++];
    return true;
  }
  void skip_line() { at_ = words_.size(); }
  void expect(std::string_view keyword) {
    std::string_view word;
    if (!next(word)) fail(fmt::format("the file ends where '{}' should stand", keyword));
    if (word != keyword) fail(fmt::format("expected '{}', got {}", keyword, quote(word)));
  }
  double number() {
    std::string_view word;
    if (!next(word)) fail("the file ends inside a vertex");
    const std::optional<double> value = parse_double(word);
    if (!value) fail(fmt::format("expected a finite decimal number, got {}", quote(word)));
    return *value;
  }
  [[noreturn]] void fail(std::string message) const {
    io::fail(place(file_, lines_.number()), std::move(message));
  }

 private:
  const std::filesystem::path& file_;
  LineReader lines_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

void read_facet(StlText& text, TriangleMesh& mesh) {
  text.skip_line();  // the normal: derived from the corners, and often wrong in files
  text.expect("outer");
  text.expect("loop");
  Vec3 corners[3];
  for (Vec3& corner : corners) {
    text.expect("vertex");
    for (int i = 0; i < 3; ++i) corner[i] = text.number();
  }
  text.expect("endloop");
  text.expect("endfacet");
  add_triangle(mesh, corners);
}

TriangleMesh read_ascii(const std::filesystem::path& file, std::string_view bytes) {
  TriangleMesh mesh;
  StlText text(file, bytes);
  bool inside = false;
  for (std::string_view word; text.next(word);) {
    if (word == (inside ? "endsolid" : "solid")) {
      text.skip_line();  // the name
      inside = !inside;
    } else if (inside && word == "facet") {
      read_facet(text, mesh);
    } else {
      text.fail(fmt::format("expected '{}', got {}", inside ? "facet" : "solid", quote(word)));
    }
  }
  if (inside) text.fail("the file ends without 'endsolid': is it truncated?");
  return mesh;
}

}  // namespace

// Many binary files start with "solid" too; only the size tells for sure.
bool is_binary_stl(std::string_view bytes) {
  if (bytes.size() < kCountEnd) return false;
  return bytes.size() == kCountEnd + kTriangleBytes * std::size_t{read_u32(bytes, kHeaderBytes)};
}

TriangleMesh read_stl(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  if (is_binary_stl(bytes)) return read_binary(file, bytes);
  const bool has_count = bytes.size() >= kCountEnd;
  const std::uint64_t count = has_count ? read_u32(bytes, kHeaderBytes) : 0;
  const bool is_text = bytes.find('\0') == std::string::npos;
  if (is_text && trimmed(bytes.substr(0, kCountEnd)).starts_with("solid"))
    return read_ascii(file, bytes);
  if (!has_count) fail(file.string(), "neither ASCII nor binary STL: shorter than a header");
  fail(file.string(), fmt::format("binary STL of {} triangles needs {} bytes, the file has {}: is "
                                  "it truncated?",
                                  count, kCountEnd + kTriangleBytes * count, bytes.size()));
}

}  // namespace proven::io
