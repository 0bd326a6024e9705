#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/binary_number.h"
#include "io/failure.h"
#include "io/mesh_readers.h"
#include "io/sensed_readers.h"
#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

enum class Encoding { ascii, little_endian, big_endian };

struct Type {
  std::size_t bytes = 0;
  bool is_float = false, is_signed = false;
};

std::optional<Type> type_of(std::string_view name) {
  if (name == "char" || name == "int8") return Type{1, false, true};
  if (name == "uchar" || name == "uint8") return Type{1, false, false};
  if (name == "short" || name == "int16") return Type{2, false, true};
  if (name == "ushort" || name == "uint16") return Type{2, false, false};
  if (name == "int" || name == "int32") return Type{4, false, true};
  if (name == "uint" || name == "uint32") return Type{4, false, false};
  if (name == "float" || name == "float32") return Type{4, true, true};
  if (name == "double" || name == "float64") return Type{8, true, true};
  return std::nullopt;
}

struct Property {
  std::string name;
  Type type;
  std::optional<Type> count;  // of a list
};

struct Element {
  std::string name;
  long count = 0;
  std::vector<Property> properties;
};

class PlyReader {
 public:
  // Of points, coordinates may be other than finite.
  enum class What { mesh, points };
  PlyReader(const std::filesystem::path& file, What what)
      : file_(file), what_(what), bytes_(read_bytes(file)) {}

  // What the vertices have besides x, y and z.
  std::vector<std::string> other_properties() const {
    std::vector<std::string> names;
    for (const Element& element : elements_)
      for (const Property& property : element.properties)
        if (element.name == "vertex" && !is_axis(property.name)) names.push_back(property.name);
    return names;
  }

  TriangleMesh read() {
    read_header();
    for (const Element& element : elements_) {
      name_ = element.name;
      row_ = 1;
      if (is_binary_points(element)) read_points(element);
      for (; row_ <= element.count; ++row_) read_row(element);
    }
    if (!trimmed(std::string_view(bytes_).substr(at_)).empty())
      io::fail(file_.string(), "there are more rows than the header says");
    return std::move(mesh_);
  }

 private:
  // The header: lines of words up to "end_header".
  void read_header() {
    if (header_line() != "ply") fail_line("does not start with 'ply'");
    for (std::string_view line = header_line(); line != "end_header"; line = header_line()) {
      const std::vector<std::string_view> parts = words(line);
      if (parts.empty() || parts[0] == "comment" || parts[0] == "obj_info") continue;
      if (parts[0] == "format" && parts.size() == 3)
        read_format(parts[1], parts[2]);
      else if (parts[0] == "element" && parts.size() == 3)
        add_element(parts);
      else if (parts[0] == "property" && !elements_.empty())
        add_property(parts);
      else
        fail_line(fmt::format("unknown header line {}", quote(line)));
    }
    if (!encoding_) fail_line("the header has no 'format'");
  }

  std::string_view header_line() {
    const std::size_t end = bytes_.find('\n', at_);
    ++line_;
    if (end == std::string::npos) fail_line("the header has no 'end_header'");
    const std::string_view line = trimmed(std::string_view(bytes_).substr(at_, end - at_));
    at_ = end + 1;
    return line;
  }

  void read_format(std::string_view name, std::string_view version) {
    if (version != "1.0") fail_line(fmt::format("unknown version {}", quote(version)));
    if (name == "ascii")
      encoding_ = Encoding::ascii;
    else if (name == "binary_little_endian")
      encoding_ = Encoding::little_endian;
    else if (name == "binary_big_endian")
      encoding_ = Encoding::big_endian;
    else
      fail_line(fmt::format("unknown format {}", quote(name)));
  }

  void add_element(const std::vector<std::string_view>& parts) {
    const std::optional<long> count = parse_integer(parts[2]);
    // Every row takes at least one byte, so a larger count is a lie.
    if (!count || *count < 0 || *count > static_cast<long>(bytes_.size()))
      fail_line(fmt::format("the file cannot hold {} rows", quote(parts[2])));
    // Of the elements that programs write, edges and materials add nothing to the surface.
    const std::string name(parts[1]);
    if (name != "vertex" && name != "face" && name != "edge" && name != "material")
      fail_line(fmt::format("element {} is not read", quote(name)));
    for (const Element& other : elements_)
      if (other.name == name) fail_line(fmt::format("element {} is there twice", quote(name)));
    elements_.push_back({name, *count, {}});
  }

  void add_property(const std::vector<std::string_view>& parts) {
    const bool list = parts.size() == 5 && parts[1] == "list";
    if (!list && parts.size() != 3) fail_line("expected 'property TYPE NAME'");
    const std::optional<Type> type = type_of(parts[list ? 3 : 1]);
    const std::optional<Type> count = list ? type_of(parts[2]) : std::nullopt;
    if (!type || (list && (!count || count->is_float))) fail_line("unknown type of a property");
    for (const Property& other : elements_.back().properties)
      if (other.name == parts.back())
        fail_line(fmt::format("property {} is there twice", quote(parts.back())));
    elements_.back().properties.push_back({std::string(parts.back()), *type, count});
  }

  bool is_binary_points(const Element& element) const {
    return what_ == What::points && *encoding_ != Encoding::ascii && element.name == "vertex" &&
           has_axes(element) && std::ranges::none_of(element.properties, [](const Property& p) {
             return p.count.has_value();
           });
  }

  // All rows that are there whole, as read_row reads them.
  void read_points(const Element& element) {
    std::array<const Type*, 3> types = {};
    std::array<std::size_t, 3> begins = {};
    std::size_t bytes = 0;
    for (const Property& property : element.properties) {
      if (is_axis(property.name)) {
        const auto axis = static_cast<std::size_t>(property.name[0] - 'x');
        types[axis] = &property.type;
        begins[axis] = bytes;
      }
      bytes += property.type.bytes;
    }
    const auto rows =
        std::min(static_cast<std::size_t>(element.count), (bytes_.size() - at_) / bytes);
    const bool big_endian = *encoding_ == Encoding::big_endian;
    mesh_.vertices.resize(rows);
    for (Vec3& vertex : mesh_.vertices) {
      const char* row = bytes_.data() + at_;
      vertex = {real_at(row + begins[0], types[0]->bytes, big_endian),
                real_at(row + begins[1], types[1]->bytes, big_endian),
                real_at(row + begins[2], types[2]->bytes, big_endian)};
      at_ += bytes;
    }
    row_ += static_cast<long>(rows);
  }

  void read_row(const Element& element) {
    Vec3 vertex = {NAN, NAN, NAN};
    for (const Property& property : element.properties) {
      if (property.count) {
        read_list(element, property);
        continue;
      }
      const double value = read_value(property.type);
      if (is_axis(property.name)) vertex[property.name[0] - 'x'] = value;
    }
    if (element.properties.empty()) fail_row("the element has no properties");
    if (element.name != "vertex") return;
    if (what_ == What::mesh && !is_finite(vertex)) fail_row("x, y and z must be there and finite");
    if (what_ == What::points && !has_axes(element))
      fail_row("x, y and z must be there, as floats");
    mesh_.vertices.push_back(vertex);
  }

  static bool is_axis(const std::string& name) {
    return name.size() == 1 && name[0] >= 'x' && name[0] <= 'z';
  }
  static bool has_axes(const Element& element) {
    int axes = 0;
    for (const Property& property : element.properties)
      axes += is_axis(property.name) && property.type.is_float && !property.count;
    return axes == 3;
  }

  void read_list(const Element& element, const Property& property) {
    const double count = read_value(*property.count);
    if (!(count >= 0) || count != std::floor(count))
      fail_row("the length of a list is negative or not whole");
    const bool is_face = element.name == "face" &&
                         (property.name == "vertex_indices" || property.name == "vertex_index");
    corners_.clear();
    for (double i = 0; i < count; ++i) {
      const double value = read_value(property.type);
      if (!is_face) continue;
      if (!(value >= 0) || value >= static_cast<double>(mesh_.vertices.size()) ||
          value != std::floor(value))
        fail_row(fmt::format("index {} is out of range: there are {} vertices", value,
                             mesh_.vertices.size()));
      corners_.push_back(static_cast<std::uint32_t>(value));
    }
    if (is_face && corners_.size() < 3) fail_row("a face needs at least 3 corners");
    if (!is_face) return;
    if (std::string why = add_polygon(mesh_, corners_); !why.empty()) fail_row(std::move(why));
  }

  double read_value(const Type& type) {
    return *encoding_ == Encoding::ascii ? read_word() : read_binary(type);
  }

  double read_word() {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t begin = bytes_.find_first_not_of(kBlanks, at_);
    if (begin == std::string::npos) fail_row("the file ends too early");
    at_ = std::min(bytes_.find_first_of(kBlanks, begin), bytes_.size());
    const std::string_view word = std::string_view(bytes_).substr(begin, at_ - begin);
    const std::optional<double> value = parse_double(word);
    if (!value && what_ == What::points && (word == "nan" || word == "-nan" || word == "NaN"))
      return NAN;
    if (!value) fail_row(fmt::format("expected a finite decimal number, got {}", quote(word)));
    return *value;
  }

  double read_binary(const Type& type) {
    if (bytes_.size() - at_ < type.bytes) fail_row("the file ends too early");
    if (type.is_float) {
      at_ += type.bytes;
      return real_at(bytes_.data() + at_ - type.bytes, type.bytes,
                     *encoding_ == Encoding::big_endian);
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < type.bytes; ++i) {
      const std::size_t place = *encoding_ == Encoding::little_endian ? i : type.bytes - 1 - i;
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << 8 * place;
    }
    at_ += type.bytes;
    const double range = std::ldexp(1.0, static_cast<int>(8 * type.bytes));
    const auto value = static_cast<double>(bits);
    return type.is_signed && value >= range / 2 ? value - range : value;
  }

  [[noreturn]] void fail_line(std::string message) const {
    io::fail(place(file_, line_), std::move(message));
  }
  [[noreturn]] void fail_row(std::string message) const {
    io::fail(fmt::format("{}: {} {}", file_.string(), name_, row_), std::move(message));
  }

  const std::filesystem::path& file_;
  What what_;
  std::string bytes_;
  std::size_t at_ = 0;
  long line_ = 0;
  std::optional<Encoding> encoding_;
  std::vector<Element> elements_;
  std::string name_;  // of the element being read, and its row, for messages
  long row_ = 0;
  TriangleMesh mesh_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

TriangleMesh read_ply(const std::filesystem::path& file) {
  return PlyReader(file, PlyReader::What::mesh).read();
}

PointFile read_ply_points(const std::filesystem::path& file) {
  PlyReader reader(file, PlyReader::What::points);
  PointFile points;
  TriangleMesh mesh = reader.read();
  if (!mesh.triangles.empty())
    fail(file.string(), "it holds faces: it is a mesh, to be named as \"mesh\"");
  points.points = std::move(mesh.vertices);
  points.others = reader.other_properties();
  return points;
}

}  // namespace proven::io
