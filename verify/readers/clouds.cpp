// Point clouds in PCD files, arrays of numpy, and the spacing of points.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "verify/readers/sensed.h"

namespace proven::verifier {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

// An unsigned number of up to eight bytes.
std::uint64_t bits_at(std::string_view bytes, std::size_t at, int count, bool big = false) {
  std::uint64_t bits = 0;
  for (int i = 0; i < count; ++i) {
    const auto from = at + static_cast<std::size_t>(big ? i : count - 1 - i);
    bits = bits << 8 | static_cast<unsigned char>(bytes[from]);
  }
  return bits;
}
double real_of(std::uint64_t bits, int bytes) {
  return bytes == 8 ? std::bit_cast<double>(bits)
                    : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

// --- PCD -----------------------------------------------------------------------------------------

class Pcd {
 public:
  explicit Pcd(const std::filesystem::path& file) : file_(file), bytes_(file_bytes(file)) {
    rest_ = bytes_;
  }

  Points read() {
    header();
    for (const Field& field : fields_)
      if (axis(field) == 3) points_.fields.push_back(field.name);
    if (data_ == "ascii")
      text();
    else if (data_ == "binary")
      rows(rest_);
    else
      packed();
    return std::move(points_);
  }

 private:
  struct Field {
    std::string name;
    int bytes = 0;
    char type = 0;
    std::size_t count = 1;
  };

  [[noreturn]] void fail(std::string message) const { refuse(file_.string(), std::move(message)); }
  static int axis(const Field& field) {
    return field.name == "x" ? 0 : field.name == "y" ? 1 : field.name == "z" ? 2 : 3;
  }

  // Lines that are neither blank nor comments, in the order that the format gives.
  std::vector<std::string_view> header_line() {
    std::string_view line;
    while (take_line(rest_, line)) {
      line = without_blanks(line);
      if (!line.empty() && line[0] != '#') return split_blanks(line);
    }
    fail("the header does not end");
  }
  std::size_t count(std::string_view word, long most) const {
    const auto value = whole(word);
    if (!value || *value < 0 || *value > most) fail("a number of the header is out of range");
    return static_cast<std::size_t>(*value);
  }

  void header() {
    constexpr long kMost = 256L << 20;
    constexpr std::string_view kNames[] = {"VERSION", "FIELDS", "SIZE",      "TYPE",   "COUNT",
                                           "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};
    std::vector<std::vector<std::string_view>> entries(std::size(kNames));
    std::vector<std::string_view> words = header_line();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool here = words[0] == kNames[i];
      if (!here && kNames[i] != "COUNT" && kNames[i] != "VIEWPOINT")
        fail(fmt::format("{} is missing", kNames[i]));
      if (!here) continue;
      entries[i].assign(words.begin() + 1, words.end());
      if (entries[i].empty()) fail(fmt::format("{} says nothing", kNames[i]));
      if (i + 1 < entries.size()) words = header_line();
    }
    if (entries[0].size() != 1 || (entries[0][0] != "0.7" && entries[0][0] != ".7"))
      fail("a version that is not known");
    const std::size_t n = entries[1].size();
    if (entries[2].size() != n || entries[3].size() != n ||
        (!entries[4].empty() && entries[4].size() != n))
      fail("sizes, types or counts are not as many as fields");
    for (std::size_t i = 0; i < n; ++i)
      add_field(std::string(entries[1][i]), static_cast<int>(count(entries[2][i], 8)),
                entries[3][i], entries[4].empty() ? 1 : count(entries[4][i], 1 << 16));
    int axes = 0;
    for (const Field& field : fields_) axes += axis(field) < 3;
    if (axes != 3) fail("x, y or z is missing");
    for (const std::size_t i : {std::size_t{5}, std::size_t{6}, std::size_t{8}, std::size_t{9}})
      if (entries[i].size() != 1) fail(fmt::format("{} has one entry", kNames[i]));
    if (!entries[7].empty()) viewpoint(entries[7]);
    points_said_ = count(entries[8][0], kMost);
    if (count(entries[5][0], kMost) * count(entries[6][0], kMost) != points_said_)
      fail("POINTS is not WIDTH times HEIGHT");
    data_ = entries[9][0];
    if (data_ != "ascii" && data_ != "binary" && data_ != "binary_compressed") fail("unknown DATA");
  }

  void add_field(std::string name, int bytes, std::string_view type, std::size_t count) {
    for (const Field& other : fields_)
      if (other.name == name && name != "_") fail("a field stands there twice");
    const bool real = type == "F" && (bytes == 4 || bytes == 8);
    const bool integer =
        (type == "I" || type == "U") && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    const Field field{std::move(name), bytes, type.empty() ? ' ' : type[0], count};
    if (!real && !integer) fail("a field of unknown type");
    if (axis(field) < 3 && (!real || count != 1)) fail("x, y and z are one float each");
    row_bytes_ += static_cast<std::size_t>(bytes) * count;
    fields_.push_back(field);
  }

  void viewpoint(const std::vector<std::string_view>& words) {
    std::vector<double> v;
    for (const std::string_view word : words) v.push_back(decimal(word).value_or(kNowhere));
    if (v.size() != 7 ||
        !std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); }))
      fail("a viewpoint is seven numbers");
    points_.sensor.p = {v[0], v[1], v[2]};
    points_.sensor.R = at_place(file_.string(), [&] {
      return rotation_of_quaternion({v[4], v[5], v[6], v[3]});
    });
  }

  void text() {
    std::string_view line;
    if (points_said_ > 0 && !rest_.ends_with('\n')) fail("the last line has no end");
    for (std::size_t i = 0; i < points_said_; ++i) {
      if (!take_line(rest_, line)) fail("less points than the header says");
      const auto words = split_blanks(without_blanks(line));
      Vec3 place;
      std::size_t at = 0;
      for (const Field& field : fields_)
        for (std::size_t k = 0; k < field.count; ++k) {
          if (at == words.size()) fail("a line with too few numbers");
          const double value = text_number(words[at++], field);
          if (axis(field) < 3) place[axis(field)] = value;
        }
      if (at != words.size()) fail("a line with too many numbers");
      points_.places.push_back(place);
    }
    if (!without_blanks(rest_).empty()) fail("more points than the header says");
  }
  double text_number(std::string_view word, const Field& field) const {
    constexpr std::string_view kNot[] = {"nan", "-nan", "NaN", "inf", "-inf"};
    if (field.type == 'F' && std::find(std::begin(kNot), std::end(kNot), word) != std::end(kNot))
      return kNowhere;
    const auto value = decimal(word);
    if (!value) fail("expected a number");
    if (field.type == 'F' && field.bytes == 4)
      return static_cast<double>(static_cast<float>(*value));
    return *value;
  }

  // Point by point.
  void rows(std::string_view bytes) {
    if (bytes.size() != points_said_ * row_bytes_) fail("another length than the header says");
    for (std::size_t i = 0; i < points_said_; ++i) {
      Vec3 place;
      std::size_t at = i * row_bytes_;
      for (const Field& field : fields_) {
        if (axis(field) < 3)
          place[axis(field)] = real_of(bits_at(bytes, at, field.bytes), field.bytes);
        at += static_cast<std::size_t>(field.bytes) * field.count;
      }
      points_.places.push_back(place);
    }
  }

  // Field by field, packed by LZF: put back into rows.
  void packed() {
    if (rest_.size() < 8) fail("the packed points are missing");
    const auto size = static_cast<std::size_t>(bits_at(rest_, 4, 4));
    if (bits_at(rest_, 0, 4) != rest_.size() - 8 || size != points_said_ * row_bytes_)
      fail("another length than the header says");
    const std::string columns = unpacked(rest_.substr(8), size);
    std::string bytes(size, '\0');
    std::size_t from = 0, to = 0;
    for (const Field& field : fields_) {
      const std::size_t width = static_cast<std::size_t>(field.bytes) * field.count;
      for (std::size_t i = 0; i < points_said_; ++i, from += width)
        bytes.replace(i * row_bytes_ + to, width, columns, from, width);
      to += width;
    }
    rows(bytes);
  }

  // A byte below 32 counts literal bytes; else its upper three bits and perhaps another byte are a
  // length, its lower five and a byte how far back to copy from.
  std::string unpacked(std::string_view in, std::size_t size) const {
    std::string out;
    const auto take = [&]() -> std::size_t {
      if (in.empty()) fail("the packed points end early");
      const auto byte = static_cast<unsigned char>(in[0]);
      in.remove_prefix(1);
      return byte;
    };
    while (!in.empty()) {
      const std::size_t first = take();
      if (first < 32) {
        for (std::size_t i = 0; i <= first; ++i) out += static_cast<char>(take());
      } else {
        std::size_t length = (first >> 5) + 2;
        if (length == 9) length += take();
        const std::size_t back = (first % 32) * 256 + take() + 1;
        if (back > out.size()) fail("the packed points are damaged");
        while (length-- > 0) out += out[out.size() - back];
      }
      if (out.size() > size) fail("the packed points are damaged");
    }
    if (out.size() != size) fail("the packed points are damaged");
    return out;
  }

  const std::filesystem::path& file_;
  std::string bytes_;
  std::string_view rest_;
  std::vector<Field> fields_;
  std::size_t row_bytes_ = 0, points_said_ = 0;
  std::string data_;
  Points points_;
};

// --- numpy ---------------------------------------------------------------------------------------

// The header as a list of words: texts, numbers, True, False, and signs.
std::vector<std::string> python_words(const std::filesystem::path& file, std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ' ' || c == '\n') {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (c == '\'' || c == '"') {
      end = text.find(c, i + 1);
      if (end == std::string::npos) refuse(file.string(), "a text of the header does not end");
      ++end;
    } else if (std::string_view("{}():,[]").find(c) == std::string_view::npos) {
      end = std::min(text.find_first_of(" \n{}():,[]'\"", i), text.size());
    }
    words.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

class NpyHeader {
 public:
  NpyHeader(const std::filesystem::path& file, std::string_view text)
      : file_(file), words_(python_words(file, text)) {}

  std::string type;
  bool fortran = false;
  std::vector<std::size_t> lengths;

  void read() {
    int seen = 0;
    need("{");
    while (next() != "}") {
      const std::string key = take();
      if (key[0] != '\'' && key[0] != '"') fail();
      const std::string bare = key.substr(1, key.size() - 2);
      need(":");
      const int bit = bare == "descr" ? 1 : bare == "fortran_order" ? 2 : bare == "shape" ? 4 : 0;
      if (bit == 0 || seen & bit) fail();
      seen |= bit;
      if (bit == 1) {
        type = take();
        if (type.size() < 2 || (type[0] != '\'' && type[0] != '"')) fail();
        type = type.substr(1, type.size() - 2);
      }
      if (bit == 2) {
        const std::string word = take();
        if (word != "True" && word != "False") fail();
        fortran = word == "True";
      }
      if (bit == 4) shape();
      if (next() != "}") need(",");
    }
    need("}");
    if (seen != 7 || at_ != words_.size()) fail();
  }

 private:
  [[noreturn]] void fail() const { refuse(file_.string(), "a header that numpy does not write"); }
  std::string next() const {
    if (at_ >= words_.size()) fail();
    return words_[at_];
  }
  std::string take() {
    std::string word = next();
    ++at_;
    return word;
  }
  void need(std::string_view word) {
    if (take() != word) fail();
  }
  void shape() {
    need("(");
    bool comma = true;
    while (next() != ")") {
      const std::string word = take();
      const auto length = word[0] == '+' ? std::nullopt : whole(word);
      if (!comma || !length || *length < 0) fail();
      lengths.push_back(static_cast<std::size_t>(*length));
      comma = next() == ",";
      if (comma) take();
    }
    need(")");
    if (lengths.size() == 1 && !comma) fail();
  }

  const std::filesystem::path& file_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

}  // namespace

Points read_pcd(const std::filesystem::path& file) {
  return Pcd(file).read();
}

Numbers read_npy(const std::filesystem::path& file) {
  const std::string bytes = file_bytes(file);
  if (bytes.size() < 10 || !bytes.starts_with("\x93NUMPY"))
    refuse(file.string(), "no array of numpy");
  const int major = bytes[6];
  if (major < 1 || major > 3 || bytes[7] != 0) refuse(file.string(), "an unknown version");
  const std::size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start) refuse(file.string(), "no header");
  const std::uint64_t length = bits_at(bytes, 8, major == 1 ? 2 : 4);
  if (length > bytes.size() - start) refuse(file.string(), "the header does not end");
  NpyHeader header(file, std::string_view(bytes).substr(start, length));
  header.read();

  // An order of bytes, a letter and a digit.
  Numbers numbers;
  numbers.lengths = header.lengths;
  const std::string& type = header.type;
  if (type.size() != 3) refuse(file.string(), "numbers of an unknown type");
  const bool ordered = type[0] == '<' || type[0] == '>', big = type[0] == '>';
  numbers.bytes = type[2] - '0';
  const int n = numbers.bytes;
  numbers.truths = type[1] == 'b' && n == 1;
  numbers.negative = type[1] == 'i';
  numbers.whole = type[1] == 'u' || type[1] == 'i';
  const bool sized = n == 1 || n == 2 || n == 4 || n == 8;
  const bool known =
      numbers.truths || (numbers.whole && sized) || (type[1] == 'f' && (n == 4 || n == 8));
  if (!known || !(ordered || (type[0] == '|' && n == 1)))
    refuse(file.string(), "numbers of an unknown type");

  std::size_t total = 1;
  for (const std::size_t each : numbers.lengths) {
    if (each > 0 && total > kMostBytes / each) refuse(file.string(), "a shape beyond any file");
    total *= each;
  }
  const std::size_t begin = start + length, width = static_cast<std::size_t>(n);
  if (bytes.size() - begin != total * width) refuse(file.string(), "another length than its shape");
  numbers.values.resize(total);
  std::vector<std::size_t> index(numbers.lengths.size(), 0);
  for (std::size_t at = 0; at < total; ++at) {
    std::size_t stored = at;
    if (header.fortran) {
      stored = 0;
      for (std::size_t d = index.size(); d-- > 0;) stored = stored * numbers.lengths[d] + index[d];
      for (std::size_t d = index.size(); d-- > 0;) {
        if (++index[d] < numbers.lengths[d]) break;
        index[d] = 0;
      }
    }
    const std::uint64_t bits = bits_at(bytes, begin + stored * width, n, big);
    double& value = numbers.values[at];
    if (numbers.negative)
      value = static_cast<double>(static_cast<std::int64_t>(bits << (64 - 8 * n)) >> (64 - 8 * n));
    else
      value = numbers.whole || numbers.truths ? static_cast<double>(bits) : real_of(bits, n);
    if (numbers.truths && bits > 1) refuse(file.string(), "a truth value beyond 1");
  }
  return numbers;
}

// In order along the longest side of their box, each place looks to both sides until nothing nearer
// can come.
std::optional<double> radius_of_spacing(std::vector<Vec3> places) {
  Vec3 low = places.empty() ? Vec3{} : places[0], high = low;
  for (const Vec3& p : places)
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  const Vec3 side = high - low;
  const int first = side.y > side.x ? (side.z > side.y ? 2 : 1) : (side.z > side.x ? 2 : 0);
  const int second = (first + 1) % 3, third = (first + 2) % 3;
  std::sort(places.begin(), places.end(), [=](const Vec3& a, const Vec3& b) {
    if (a[first] != b[first]) return a[first] < b[first];
    return a[second] != b[second] ? a[second] < b[second] : a[third] < b[third];
  });
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.size() < 2) return std::nullopt;
  std::vector<double> squares;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double best = std::numeric_limits<double>::infinity();
    const auto look = [&](std::size_t j) {
      const Vec3 d = places[i] - places[j];
      best = std::min(best, d.x * d.x + d.y * d.y + d.z * d.z);
      return d[first] * d[first] <= best;
    };
    for (std::size_t j = i + 1; j < places.size() && look(j);) ++j;
    for (std::size_t j = i; j > 0 && look(j - 1);) --j;
    squares.push_back(best);
  }
  std::sort(squares.begin(), squares.end());
  return std::sqrt(0.5 * squares[(95 * squares.size() + 99) / 100 - 1]);
}

}  // namespace proven::verifier
