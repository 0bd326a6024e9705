// PLY: a header that names elements and their properties, then the rows.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "verify/readers/meshes.h"
#include "verify/readers/sensed.h"

namespace proven::verifier {
namespace {

enum class Encoding { none, ascii, little, big };

struct Type {
  enum class Kind { none, natural, integer, real } kind = Kind::none;
  int bytes = 0;
};

Type type_of(std::string_view name) {
  struct Named {
    std::string_view name, other;
    Type type;
  };
  static constexpr Named kTypes[] = {
      {"char", "int8", {Type::Kind::integer, 1}},   {"uchar", "uint8", {Type::Kind::natural, 1}},
      {"short", "int16", {Type::Kind::integer, 2}}, {"ushort", "uint16", {Type::Kind::natural, 2}},
      {"int", "int32", {Type::Kind::integer, 4}},   {"uint", "uint32", {Type::Kind::natural, 4}},
      {"float", "float32", {Type::Kind::real, 4}},  {"double", "float64", {Type::Kind::real, 8}}};
  for (const Named& known : kTypes)
    if (name == known.name || name == known.other) return known.type;
  return {};
}

struct Property {
  std::string name;
  Type type, count;  // count: of a list
};
struct Rows {
  std::string name;
  long count = 0;
  std::vector<Property> properties;
};

class Ply {
 public:
  Ply(const std::filesystem::path& file, bool points)
      : file_(file), points_(points), bytes_(file_bytes(file)) {}

  // Of points: places that may be nowhere, and what else there is of each.
  Points read_points() {
    Points points;
    TriangleMesh mesh = read();
    if (!mesh.triangles.empty()) fail("it holds faces");
    points.places = std::move(mesh.vertices);
    for (const Rows& rows : elements_)
      for (const Property& p : rows.properties)
        if (rows.name == "vertex" && p.name != "x" && p.name != "y" && p.name != "z")
          points.fields.push_back(p.name);
    return points;
  }

  TriangleMesh read() {
    header();
    for (const Rows& rows : elements_)
      for (long i = 0; i < rows.count; ++i) row(rows);
    if (!without_blanks(std::string_view(bytes_).substr(at_)).empty())
      fail("more rows than the header says");
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(std::string message) const { refuse(file_.string(), std::move(message)); }

  std::string_view header_line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string::npos) fail("the header does not end");
    const std::string_view line = without_blanks(std::string_view(bytes_).substr(at_, end - at_));
    at_ = end + 1;
    return line;
  }

  void header() {
    if (header_line() != "ply") fail("does not start with 'ply'");
    for (std::string_view line = header_line(); line != "end_header"; line = header_line()) {
      const auto words = split_blanks(line);
      if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "format" && words.size() == 3)
        format(words[1], words[2]);
      else if (words[0] == "element" && words.size() == 3)
        element(std::string(words[1]), whole(words[2]).value_or(-1));
      else if (words[0] == "property" && !elements_.empty())
        property(words);
      else
        fail("a header line that is not known");
    }
    if (encoding_ == Encoding::none) fail("no format");
  }
  void format(std::string_view name, std::string_view version) {
    encoding_ = name == "ascii"                  ? Encoding::ascii
                : name == "binary_little_endian" ? Encoding::little
                : name == "binary_big_endian"    ? Encoding::big
                                                 : Encoding::none;
    if (encoding_ == Encoding::none || version != "1.0") fail("a format that is not known");
  }
  // Of the elements that programs write, edges and materials add nothing to the surface.
  void element(const std::string& name, long count) {
    if (count < 0 || count > static_cast<long>(bytes_.size())) fail("an impossible count of rows");
    if (name != "vertex" && name != "face" && name != "edge" && name != "material")
      fail("element " + name + " is not read");
    for (const Rows& rows : elements_)
      if (rows.name == name) fail("element " + name + " stands there twice");
    elements_.push_back({name, count, {}});
  }
  void property(const std::vector<std::string_view>& words) {
    const bool list = words.size() == 5 && words[1] == "list";
    if (!list && words.size() != 3) fail("a property that is not known");
    Property p{std::string(words.back()), type_of(words[list ? 3 : 1]),
               list ? type_of(words[2]) : Type{}};
    if (p.type.kind == Type::Kind::none ||
        (list && (p.count.kind == Type::Kind::none || p.count.kind == Type::Kind::real)))
      fail("a type that is not known");
    for (const Property& other : elements_.back().properties)
      if (other.name == p.name) fail("property " + p.name + " stands there twice");
    elements_.back().properties.push_back(std::move(p));
  }

  void row(const Rows& rows) {
    if (rows.properties.empty()) fail("an element without properties");
    Vec3 position{NAN, NAN, NAN};
    for (const Property& p : rows.properties) {
      if (p.count.kind != Type::Kind::none) {
        list(rows, p);
        continue;
      }
      const double value = next(p.type);
      for (int i = 0; i < 3; ++i)
        if (p.name == std::string_view("xyz").substr(static_cast<std::size_t>(i), 1))
          position[i] = value;
    }
    if (rows.name != "vertex") return;
    if (points_) {
      int floats = 0;
      for (const Property& p : rows.properties)
        floats += (p.name == "x" || p.name == "y" || p.name == "z") &&
                  p.count.kind == Type::Kind::none && p.type.kind == Type::Kind::real;
      if (floats != 3) fail("a point without x, y and z as floats");
    } else if (!is_finite(position)) {
      fail("a vertex without x, y and z");
    }
    mesh_.vertices.push_back(position);
  }

  void list(const Rows& rows, const Property& p) {
    const double count = next(p.count);
    if (!(count >= 0) || count != std::floor(count)) fail("a list of impossible length");
    const bool face =
        rows.name == "face" && (p.name == "vertex_indices" || p.name == "vertex_index");
    std::vector<std::uint32_t> corners;
    for (double i = 0; i < count; ++i) {
      const double value = next(p.type);
      if (!face) continue;
      if (!(value >= 0 && value < static_cast<double>(mesh_.vertices.size())) ||
          value != std::floor(value))
        fail("a corner that is no vertex");
      corners.push_back(static_cast<std::uint32_t>(value));
    }
    if (face && corners.size() < 3) fail("a face of less than 3 corners");
    at_place(file_.string(), [&] { add_polygon(mesh_, corners); });
  }

  double next(const Type& type) {
    if (encoding_ == Encoding::ascii) return next_word();
    const auto bytes = static_cast<std::size_t>(type.bytes);
    if (bytes_.size() - at_ < bytes) fail("the file ends too early");
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      const std::size_t place = encoding_ == Encoding::big ? i : bytes - 1 - i;
      bits = bits << 8 | static_cast<unsigned char>(bytes_[at_ + place]);
    }
    at_ += bytes;
    if (type.kind == Type::Kind::natural) return static_cast<double>(bits);
    if (type.kind == Type::Kind::real)
      return bytes == 8
                 ? std::bit_cast<double>(bits)
                 : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    const int unused = 64 - 8 * type.bytes;  // moves the sign to the top, and back with it
    return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  double next_word() {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t begin = std::min(bytes_.find_first_not_of(kBlanks, at_), bytes_.size());
    at_ = std::min(bytes_.find_first_of(kBlanks, begin), bytes_.size());
    const std::string_view word = std::string_view(bytes_).substr(begin, at_ - begin);
    if (points_ && (word == "nan" || word == "-nan" || word == "NaN")) return NAN;
    const auto value = decimal(word);
    if (!value) fail("expected a number");
    return *value;
  }

  const std::filesystem::path& file_;
  bool points_;
  std::string bytes_;
  std::size_t at_ = 0;
  Encoding encoding_ = Encoding::none;
  std::vector<Rows> elements_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh read_ply(const std::filesystem::path& file) {
  return Ply(file, false).read();
}

Points read_ply_points(const std::filesystem::path& file) {
  return Ply(file, true).read_points();
}

}  // namespace proven::verifier
