#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <limits>

#include "io/binary_number.h"
#include "io/failure.h"
#include "io/sensed_readers.h"
#include "io/text.h"

namespace proven::io {
namespace {

// The header of an array: the literal of a Python dictionary with three keys.
class NpyHeader {
 public:
  // `texts`: the array must hold texts, not numbers.
  NpyHeader(std::string place, std::string_view text, bool texts = false)
      : place_(std::move(place)), rest_(text), texts_(texts) {}

  void read(Array& array) {
    bool descr = false, order = false, shape = false;
    expect("{");
    while (!take("}")) {
      const std::string_view key = text();
      expect(":");
      bool& seen = key == "descr" ? descr : key == "fortran_order" ? order : shape;
      if (seen) fail(fmt::format("{} is there twice", quote(key)));
      if (key == "descr")
        read_type(array);
      else if (key == "fortran_order")
        array.fortran_order = boolean();
      else if (key == "shape")
        read_shape(array);
      else
        fail(fmt::format("unknown key {} in the header", quote(key)));
      seen = true;
      if (!take(",")) {
        expect("}");
        break;
      }
    }
    if (!descr || !order || !shape) fail("the header lacks 'descr', 'fortran_order' or 'shape'");
    skip_blanks();
    if (!rest_.empty()) fail("there is text behind the header");
  }

 private:
  [[noreturn]] void fail(std::string message) const { io::fail(place_, std::move(message)); }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word))
      fail(fmt::format("the header is no dictionary of numpy: expected '{}' before {}", word,
                       quote(rest_.substr(0, 20))));
  }
  std::string_view text() {
    skip_blanks();
    const char mark = rest_.empty() ? ' ' : rest_[0];
    const std::size_t end = mark == '\'' || mark == '"' ? rest_.find(mark, 1) : std::string::npos;
    if (end == std::string::npos) fail("the header is no dictionary of numpy: expected a text");
    const std::string_view word = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return word;
  }
  bool boolean() {
    if (take("True")) return true;
    expect("False");
    return false;
  }

  void read_type(Array& array) {
    skip_blanks();
    if (rest_.starts_with('['))
      fail(
          "the array holds records; store plain numbers, e.g. np.stack([a['x'], a['y'], a['z']], "
          "1)");
    const std::string_view type = text();
    const char order = type.empty() ? ' ' : type[0];
    const std::string_view kind = type.substr(std::min<std::size_t>(1, type.size()));
    array.big_endian = order == '>';
    const bool ordered = order == '<' || order == '>';
    if (texts_) return read_text_type(type, array);
    const bool one = (ordered || order == '|') && kind.size() == 2 && kind[1] == '1';
    if (one && kind[0] == 'b')
      array.kind = Array::Kind::boolean;
    else if (kind.size() == 2 && kind[0] == 'u')
      array.kind = Array::Kind::natural;
    else if (kind.size() == 2 && kind[0] == 'i')
      array.kind = Array::Kind::integer;
    else if (kind == "f4" || kind == "f8")
      array.kind = Array::Kind::real;
    else
      fail_type(type);
    array.item = static_cast<std::size_t>(kind[1] - '0');
    const bool known =
        array.item == 1 ? one : ordered && (array.item == 2 || array.item == 4 || array.item == 8);
    if (!known) fail_type(type);
  }
  // "<U12": so many characters of four bytes; "|S12": so many of one.
  void read_text_type(std::string_view type, Array& array) const {
    std::size_t length = 0;
    const char* end = type.data() + type.size();
    const bool wide = type.size() > 2 && type[0] == '<' && type[1] == 'U';
    const bool narrow = type.size() > 2 && type[0] == '|' && type[1] == 'S';
    if ((!wide && !narrow) || std::from_chars(type.data() + 2, end, length).ptr != end ||
        length > 4096)
      fail(fmt::format("expected texts, but the type is {}", quote(type)));
    array.item = wide ? 4 * length : length;
    array.kind = wide ? Array::Kind::integer : Array::Kind::natural;
  }
  [[noreturn]] void fail_type(std::string_view type) const {
    fail(fmt::format("numbers of type {} are not read; convert them, e.g. array.astype('<f8')",
                     quote(type)));
  }

  void read_shape(Array& array) {
    expect("(");
    std::size_t total = 1;
    while (!take(")")) {
      skip_blanks();
      std::size_t length = 0;
      const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
      if (status != std::errc{}) fail("the shape is no list of lengths");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (length > 0 && total > kMaxFileBytes / length) fail("the shape is larger than any file");
      total *= length;
      array.shape.push_back(length);
      if (take(",")) continue;
      expect(")");
      if (array.shape.size() == 1) fail("the shape is no list of lengths");  // "(5)" is a number
      break;
    }
  }

  std::string place_;
  std::string_view rest_;
  bool texts_;
};

std::size_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::size_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

}  // namespace

std::size_t Array::size() const {
  std::size_t total = 1;
  for (const std::size_t length : shape) total *= length;
  return total;
}

double Array::operator[](std::size_t place) const {
  if (fortran_order) {  // there the first index runs fastest
    std::size_t rest = place, stride = size(), index = 0;
    for (std::size_t i = shape.size(); i-- > 0;) {
      stride /= shape[i];
      index += rest % shape[i] * stride;
      rest /= shape[i];
    }
    place = index;
  }
  const char* at = bytes.data() + begin + place * item;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < item; ++i) {
    const std::size_t weight = big_endian ? item - 1 - i : i;
    bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << 8 * weight;
  }
  switch (kind) {
    case Kind::boolean:
    case Kind::natural:
      return static_cast<double>(bits);
    case Kind::integer: {
      const std::size_t unused = 64 - 8 * item;
      return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case Kind::real:
      return real_at(at, item, big_endian);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

namespace {

// Reads the header of an array, which these are the first bytes of.
void read_header(const std::string& place, std::string_view bytes, Array& array,
                 bool texts = false) {
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 10)
    fail(place, "is no array of numpy (np.save writes them)");
  const int major = static_cast<unsigned char>(bytes[6]),
            minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail(place, fmt::format("version {}.{} of numpy's format is not read", major, minor));
  const std::size_t width = major == 1 ? 2 : 4, start = 8 + width;
  const std::size_t length = bytes.size() < start ? bytes.size() : little_endian(bytes, 8, width);
  if (length > bytes.size() - std::min(start, bytes.size()))
    fail(place, "the file ends in its header");
  NpyHeader(place, bytes.substr(start, length), texts).read(array);
  array.begin = start + length;
}

}  // namespace

Array read_npy_header(const std::string& place, std::string_view first_bytes, std::uint64_t size) {
  Array array;
  read_header(place, first_bytes, array);
  const std::uint64_t wanted = array.begin + array.size() * array.item;
  if (wanted != size) fail(place, fmt::format("has {} bytes, but its shape says {}", size, wanted));
  return array;
}

Array read_npy_header(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file.string(), "cannot be read");
  std::string bytes(1 << 16, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return read_npy_header(file.string(), bytes, std::filesystem::file_size(file));
}

std::vector<std::string> read_npy_texts(const std::string& place, std::string_view bytes) {
  Array array;
  read_header(place, bytes, array, true);
  if (array.shape.size() != 1 || bytes.size() - array.begin != array.shape[0] * array.item)
    fail(place, "expected a list of texts");
  const std::size_t width = array.kind == Array::Kind::integer ? 4 : 1;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < array.shape[0]; ++i) {
    std::string& text = texts.emplace_back();
    for (std::size_t k = 0; k < array.item; k += width) {
      const std::size_t character = little_endian(bytes, array.begin + i * array.item + k, width);
      if (character == 0) break;
      if (character < 32 || character > 126)
        fail(place, fmt::format("the name {} has a character that is not of ASCII", i));
      text += static_cast<char>(character);
    }
  }
  return texts;
}

Array read_npy(const std::filesystem::path& file) {
  Array array;
  array.bytes = read_bytes(file);
  const std::string_view bytes = array.bytes;
  read_header(file.string(), bytes, array);
  const std::size_t wanted = array.size() * array.item, there = bytes.size() - array.begin;
  if (wanted != there)
    fail(file.string(),
         fmt::format("its numbers take {} bytes, but its shape says {}", there, wanted));
  if (array.kind == Array::Kind::boolean)
    for (std::size_t i = array.begin; i < bytes.size(); ++i)
      if (bytes[i] != 0 && bytes[i] != 1) fail(file.string(), "a truth value is neither 0 nor 1");
  return array;
}

PointFile read_npy_points(const std::filesystem::path& file) {
  const Array array = read_npy(file);
  const std::size_t dimensions = array.shape.size();
  if ((dimensions != 2 && dimensions != 3) || array.shape.back() != 3)
    fail(file.string(),
         fmt::format("points are an array of shape (n, 3) or (rows, columns, 3), not ({})",
                     fmt::join(array.shape, ", ")));
  if (array.kind != Array::Kind::real)
    fail(file.string(), "points are floating-point numbers in metres; convert with astype('<f8')");
  PointFile points;
  points.points.resize(array.size() / 3);
  const char* at = array.bytes.data() + array.begin;
  for (std::size_t i = 0; i < points.points.size(); ++i) {
    if (array.fortran_order) {
      points.points[i] = {array[3 * i], array[3 * i + 1], array[3 * i + 2]};
      continue;
    }
    for (int k = 0; k < 3; ++k, at += array.item)
      points.points[i][k] = real_at(at, array.item, array.big_endian);
  }
  return points;
}

}  // namespace proven::io
