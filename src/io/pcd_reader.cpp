#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "io/binary_number.h"
#include "io/failure.h"
#include "io/sensed_readers.h"
#include "io/text.h"
#include "proven/base/elementary.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Field {
  std::string name;
  std::size_t size = 0;   // bytes of a value
  char type = ' ';        // F, I or U
  std::size_t count = 1;  // values
  std::size_t begin = 0;  // its first byte in a point

  std::size_t bytes() const { return size * count; }
};

class PcdReader {
 public:
  explicit PcdReader(const std::filesystem::path& file) : file_(file), bytes_(read_bytes(file)) {}

  PointFile read() {
    read_header();
    for (const Field& field : fields_)
      if (axis_of(field) < 0) points_.others.push_back(field.name);
    if (data_ == "ascii")
      read_ascii();
    else if (data_ == "binary")
      read_binary();
    else
      read_compressed();
    return std::move(points_);
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    io::fail(place(file_, line_), std::move(message));
  }
  [[noreturn]] void fail_file(std::string message) const {
    io::fail(file_.string(), std::move(message));
  }

  bool next_line(std::string_view& line) {
    if (at_ >= bytes_.size()) return false;
    const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    line = trimmed(std::string_view(bytes_).substr(at_, end - at_));
    at_ = std::min(end + 1, bytes_.size());
    ++line_;
    return true;
  }

  // The words of the next line, which starts with `name`; nothing if it may be absent and is.
  std::vector<std::string_view> entry(std::string_view name, bool optional = false) {
    const std::size_t before = at_;
    const long line_before = line_;
    std::string_view line;
    do {
      if (!next_line(line)) fail(fmt::format("the file ends before {}", name));
    } while (line.empty() || line[0] == '#');
    std::vector<std::string_view> parts = words(line);
    if (parts[0] == name) {
      if (parts.size() == 1) fail(fmt::format("{} says nothing", name));
      parts.erase(parts.begin());
      return parts;
    }
    if (!optional) fail(fmt::format("expected {}, got {}", name, quote(parts[0])));
    at_ = before;
    line_ = line_before;
    return {};
  }

  std::size_t whole(std::string_view word, std::size_t most) const {
    const std::optional<long> value = parse_integer(word);
    if (!value || *value < 0 || static_cast<std::size_t>(*value) > most)
      fail(fmt::format("{} is not a number from 0 to {}", quote(word), most));
    return static_cast<std::size_t>(*value);
  }
  std::size_t one(const std::vector<std::string_view>& parts, std::string_view name) const {
    if (parts.size() != 1) fail(fmt::format("{} takes one number", name));
    return whole(parts[0], kMaxFileBytes);
  }
  void check_number(const std::vector<std::string_view>& parts) const {
    if (parts.size() != fields_.size())
      fail(fmt::format("{} entries for {} fields", parts.size(), fields_.size()));
  }

  // In the order that the format fixes.
  void read_header() {
    const auto version = entry("VERSION");
    if (version.size() != 1 || (version[0] != "0.7" && version[0] != ".7"))
      fail("only version 0.7 is read; write the file again with a current library");
    for (const std::string_view name : entry("FIELDS")) {
      for (const Field& other : fields_)
        if (other.name == name && name != "_")
          fail(fmt::format("field {} is there twice", quote(name)));
      fields_.push_back({std::string(name)});
    }
    read_types();
    const std::size_t width = one(entry("WIDTH"), "WIDTH"), height = one(entry("HEIGHT"), "HEIGHT");
    if (const auto parts = entry("VIEWPOINT", true); !parts.empty()) read_viewpoint(parts);
    count_ = one(entry("POINTS"), "POINTS");
    if (height > 0 && width > kMaxFileBytes / height) fail("no file holds that many points");
    if (count_ != width * height)
      fail(fmt::format("POINTS is {}, but WIDTH times HEIGHT is {}", count_, width * height));
    const auto data = entry("DATA");
    data_ = data.size() == 1 ? data[0] : "";
    if (data_ != "ascii" && data_ != "binary" && data_ != "binary_compressed")
      fail("DATA is ascii, binary or binary_compressed");
  }

  void read_types() {
    const auto sizes = entry("SIZE");
    check_number(sizes);
    for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i].size = whole(sizes[i], 8);
    const auto types = entry("TYPE");
    check_number(types);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      Field& field = fields_[i];
      field.type = types[i].size() == 1 ? types[i][0] : ' ';
      const std::size_t n = field.size;
      const bool real = field.type == 'F' && (n == 4 || n == 8);
      const bool integer =
          (field.type == 'I' || field.type == 'U') && (n == 1 || n == 2 || n == 4 || n == 8);
      if (!real && !integer)
        fail(fmt::format("field {} has {} bytes of type {}, which is not read", quote(field.name),
                         n, quote(types[i])));
      if (axis_of(field) >= 0 && !real)
        fail(fmt::format("field {} must be of type F, in metres", quote(field.name)));
    }
    const auto counts = entry("COUNT", true);
    if (!counts.empty()) check_number(counts);
    int axes = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      Field& field = fields_[i];
      if (!counts.empty()) field.count = whole(counts[i], 1 << 16);
      field.begin = point_bytes_;
      point_bytes_ += field.bytes();
      if (axis_of(field) < 0) continue;
      ++axes;
      if (field.count != 1) fail(fmt::format("field {} must have a count of 1", quote(field.name)));
    }
    if (axes != 3) fail("a cloud needs the fields x, y and z");
  }

  static int axis_of(const Field& field) {
    return field.name.size() == 1 && field.name[0] >= 'x' && field.name[0] <= 'z'
               ? field.name[0] - 'x'
               : -1;
  }

  // Position, then quaternion w x y z.
  void read_viewpoint(const std::vector<std::string_view>& parts) {
    double v[7] = {};
    if (parts.size() != 7) fail("VIEWPOINT takes seven numbers: x y z qw qx qy qz");
    for (std::size_t i = 0; i < 7; ++i) {
      const std::optional<double> value = parse_double(parts[i]);
      if (!value) fail(fmt::format("expected a finite decimal number, got {}", quote(parts[i])));
      v[i] = *value;
    }
    const double length = hypotenuse(hypotenuse(v[3], v[4]), hypotenuse(v[5], v[6]));
    if (!(std::fabs(length - 1) <= 1e-3))
      fail(fmt::format("the quaternion of VIEWPOINT has length {}, not 1", length));
    points_.viewpoint = {rotation_from_quaternion({v[4], v[5], v[6], v[3]}), {v[0], v[1], v[2]}};
  }

  // A line per point.
  void read_ascii() {
    if (count_ > bytes_.size()) fail_file("it cannot hold that many points");
    // Else a number that was cut would be read as another.
    if (count_ > 0 && !bytes_.ends_with('\n'))
      fail_file("its last line does not end: it may be cut (else add a newline)");
    points_.points.resize(count_);
    std::string_view line;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!next_line(line)) fail_file(fmt::format("it ends after {} of {} points", i, count_));
      const auto parts = words(line);
      std::size_t at = 0;
      for (const Field& field : fields_)
        for (std::size_t k = 0; k < field.count; ++k, ++at) {
          if (at >= parts.size()) fail("the line has too few numbers");
          const double value = ascii_value(parts[at], field);
          if (const int axis = axis_of(field); axis >= 0) points_.points[i][axis] = value;
        }
      if (at != parts.size()) fail("the line has too many numbers");
    }
    while (next_line(line))
      if (!line.empty()) fail("there are more points than the header says");
  }

  double ascii_value(std::string_view word, const Field& field) const {
    if (field.type == 'F' &&
        (word == "nan" || word == "-nan" || word == "NaN" || word == "inf" || word == "-inf"))
      return kNan;
    const std::optional<double> value = parse_double(word);
    if (!value)
      fail(fmt::format("field {}: expected a number, got {}", quote(field.name), quote(word)));
    // What is written as a float is meant as one, however many digits it has.
    return field.type == 'F' && field.size == 4 ? static_cast<double>(static_cast<float>(*value))
                                                : *value;
  }

  // Coordinate `axis` of all points: of point i the number `step` bytes after that of i - 1.
  void read_axis(int axis, const char* first, std::size_t step, std::size_t size) {
    for (Vec3& p : points_.points) {
      p[axis] = real_at(first, size);
      first += step;
    }
  }

  void read_binary() {
    const std::string_view rest = std::string_view(bytes_).substr(at_);
    if (rest.size() != count_ * point_bytes_)
      fail_file(fmt::format("{} points of {} bytes take {} bytes, but {} follow the header", count_,
                            point_bytes_, count_ * point_bytes_, rest.size()));
    points_.points.resize(count_);
    for (const Field& field : fields_)
      if (const int axis = axis_of(field); axis >= 0)
        read_axis(axis, rest.data() + field.begin, point_bytes_, field.size);
  }

  // The fields one after another, packed: two sizes, then bytes of LZF.
  void read_compressed() {
    std::string_view rest = std::string_view(bytes_).substr(at_);
    const auto size_at = [&](std::size_t at) {
      std::size_t value = 0;
      for (std::size_t i = 4; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(rest[at + i]);
      return value;
    };
    if (rest.size() < 8) fail_file("it ends before the packed points");
    const std::size_t packed = size_at(0), size = size_at(4);
    rest.remove_prefix(8);
    if (packed != rest.size())
      fail_file(fmt::format("{} packed bytes follow, but {} are announced", rest.size(), packed));
    if (size != count_ * point_bytes_)
      fail_file(fmt::format("{} points of {} bytes are not the {} bytes that are packed", count_,
                            point_bytes_, size));
    // Three bytes are unpacked to 264 at most.
    const std::optional<std::string> bytes =
        size / 88 <= packed ? unpack_lzf(rest, size) : std::optional<std::string>();
    if (!bytes) fail_file("the packed points are damaged");
    points_.points.resize(count_);
    for (const Field& field : fields_)
      if (const int axis = axis_of(field); axis >= 0)
        read_axis(axis, bytes->data() + count_ * field.begin, field.size, field.size);
  }

  const std::filesystem::path& file_;
  std::string bytes_;
  std::size_t at_ = 0;
  long line_ = 0;
  std::vector<Field> fields_;
  std::size_t point_bytes_ = 0, count_ = 0;
  std::string data_;
  PointFile points_;
};

}  // namespace

PointFile read_pcd(const std::filesystem::path& file) {
  return PcdReader(file).read();
}

PointFile read_points(const std::filesystem::path& file) {
  const std::string ending = extension(file);
  if (ending == ".pcd") return read_pcd(file);
  if (ending == ".ply") return read_ply_points(file);
  if (ending == ".npy") return read_npy_points(file);
  fail(file.string(),
       fmt::format("points are read from .pcd, .ply and .npy, not from {}", quote(ending)),
       ErrorCode::unsupported);
}

// Runs of literal bytes, and copies of what was unpacked before.
std::optional<std::string> unpack_lzf(std::string_view packed, std::size_t size) {
  std::string bytes;
  bytes.reserve(size);
  std::size_t at = 0;
  const auto next = [&] {
    return static_cast<std::size_t>(static_cast<unsigned char>(packed[at++]));
  };
  while (at < packed.size()) {
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t length = control + 1;
      if (packed.size() - at < length || size - bytes.size() < length) return std::nullopt;
      bytes.append(packed, at, length);
      at += length;
      continue;
    }
    std::size_t length = control >> 5;
    if (packed.size() - at < (length == 7 ? 2u : 1u)) return std::nullopt;
    if (length == 7) length += next();
    length += 2;
    const std::size_t back = ((control & 31) << 8 | next()) + 1;
    if (back > bytes.size() || size - bytes.size() < length) return std::nullopt;
    for (std::size_t from = bytes.size() - back; length > 0; --length, ++from) bytes += bytes[from];
  }
  if (bytes.size() != size) return std::nullopt;
  return bytes;
}

}  // namespace proven::io
