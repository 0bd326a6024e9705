#include "verify/readers/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <system_error>

#include "proven/base/elementary.h"

namespace proven::verifier {
namespace {

bool blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool digit(char c) {
  return c >= '0' && c <= '9';
}

// The code point at the front of `text` and its bytes; none if it is not UTF-8 (RFC 3629).
std::size_t bytes_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (size == 1) return byte(0) == 0 ? 0 : 1;
  if (byte(0) < 0xC0 || byte(0) > 0xF7 || text.size() < size) return 0;
  std::uint32_t point = byte(0) & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) >> 6 != 2) return 0;
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kLeastOfSize[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  return point < kLeastOfSize[size] || point > 0x10FFFF || surrogate ? 0 : size;
}

// Splits a decimal number: [+-] digits [. digits] [e [+-] digits], with a digit before the e.
// `scale` is the power of ten of its first digit that is not zero.
struct Decimal {
  bool valid = false, zero = true;
  long scale = 0;
};
Decimal parse(std::string_view text) {
  Decimal d;
  std::size_t i = 0;
  if (i < text.size() && text[i] == '-') ++i;
  long digits = 0, before_point = 0, leading = 0;
  bool point = false;
  for (; i < text.size() && (digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    ++digits;
    if (!point) ++before_point;
    if (d.zero && text[i] == '0') ++leading;
    d.zero = d.zero && text[i] == '0';
  }
  d.valid = digits > 0;
  long exponent = 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    const bool minus = i < text.size() && text[i] == '-';
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    d.valid = d.valid && i < text.size();
    for (; i < text.size() && digit(text[i]); ++i)
      exponent = std::min(exponent * 10 + (text[i] - '0'), 1'000'000'000L);
    if (minus) exponent = -exponent;
  }
  d.valid = d.valid && i == text.size();
  d.scale = before_point - leading - 1 + exponent;
  return d;
}

std::string_view without_plus(std::string_view text) {
  return text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
}

}  // namespace

void refuse(std::string place, std::string message) {
  throw Unreadable{std::move(place), std::move(message)};
}

std::string file_bytes(const std::filesystem::path& file, std::uintmax_t most) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) refuse(file.string(), "no such file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"),
                                                           &std::fclose);
  if (!in) refuse(file.string(), "cannot be read");
  std::string bytes;
  for (std::size_t done = 0;;) {
    bytes.resize(done + (std::size_t{1} << 16) + done / 2);
    const std::size_t n = std::fread(bytes.data() + done, 1, bytes.size() - done, in.get());
    done += n;
    if (done > most) refuse(file.string(), fmt::format("has more than {} bytes", most));
    if (n > 0) continue;
    if (std::ferror(in.get())) refuse(file.string(), "cannot be read");
    bytes.resize(done);
    return bytes;
  }
}

std::string file_text(const std::filesystem::path& file, std::uintmax_t most) {
  std::string text = file_bytes(file, most);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  long line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = bytes_of_character(std::string_view(text).substr(i));
    if (size == 0) refuse(line_place(file, line), "not a text in UTF-8");
    line += text[i] == '\n';
    i += size;
  }
  return text;
}

std::string ending_of(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return ending;
}

std::string line_place(const std::filesystem::path& file, long line) {
  return fmt::format("{}:{}", file.string(), line);
}

std::optional<double> decimal(std::string_view text) {
  text = without_plus(text);
  const Decimal d = parse(text);
  if (!d.valid) return std::nullopt;
  double value = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc::result_out_of_range)
    return d.zero || d.scale < 0 ? std::optional<double>(0.0) : std::nullopt;
  if (stop != text.data() + text.size() || status != std::errc{} || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<long> whole(std::string_view text) {
  text = without_plus(text);
  long value = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || stop != text.data() + text.size() || status != std::errc{})
    return std::nullopt;
  return value;
}

std::vector<std::string_view> split_blanks(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && !blank(text[i])) ++i;
    if (i > begin) pieces.push_back(text.substr(begin, i - begin));
    while (i < text.size() && blank(text[i])) ++i;
  }
  return pieces;
}

bool has_control(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
  return false;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool take_line(std::string_view& rest, std::string_view& line) {
  if (rest.empty()) return false;
  const std::size_t end = rest.find('\n');
  line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

double checked_size(double size) {
  if (!(size >= kLeast && size <= kFarthest))
    refuse("", fmt::format("a size of {} m is not between {} and {}", size, kLeast, kFarthest));
  return size;
}

Vec3 checked_position(const Vec3& p) {
  for (int i = 0; i < 3; ++i)
    if (!(std::fabs(p[i]) <= kFarthest)) refuse("", fmt::format("a position at {} m", p[i]));
  return p;
}

Vec3 checked_scale(const Vec3& scale) {
  for (int i = 0; i < 3; ++i)
    if (!std::isfinite(scale[i]) || scale[i] == 0) refuse("", "a scale of zero");
  return scale;
}

// Scaled by a power of two first, so that no square overflows or vanishes.
Vec3 unit_of(const Vec3& axis) {
  int exponent = 0;
  std::frexp(max_abs(axis), &exponent);
  const Vec3 a{std::ldexp(axis.x, -exponent), std::ldexp(axis.y, -exponent),
               std::ldexp(axis.z, -exponent)};
  return a * (1.0 / norm(a));
}

// c I + v a aᵀ + s [a]×, with v = 1 - c computed as 2 sin²(angle / 2).
Mat3 turn_about(const Vec3& a, double angle) {
  const double s = sine(angle), c = cosine(angle), half = sine(0.5 * angle);
  const double v = 2 * half * half;
  Mat3 R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double outer = a[i] * a[j] * v;
      const int k = 3 - i - j;  // the third axis; meaningless on the diagonal
      double& entry = R.row[static_cast<std::size_t>(i)][j];
      if (i == j)
        entry = c + outer;
      else
        entry = (j - i + 3) % 3 == 1 ? outer - a[k] * s : outer + a[k] * s;
    }
  return R;
}

Mat3 rotation_of_rpy(const Vec3& rpy) {
  return turn_about({0, 0, 1}, rpy.z) * turn_about({0, 1, 0}, rpy.y) * turn_about({1, 0, 0}, rpy.x);
}

Mat3 rotation_of_quaternion(const double (&q)[4]) {
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::fabs(length - 1) <= 1e-3))
    refuse("", fmt::format("a quaternion of length {}; it must be 1", length));
  const double x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
  return {{Vec3{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           Vec3{2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           Vec3{2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

Mat3 checked_rotation(const Mat3& R) {
  bool good = dot(R.row[0], cross(R.row[1], R.row[2])) > 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      good = good && std::fabs(dot(R.column(i), R.column(j)) - (i == j ? 1 : 0)) <= 0x1p-46;
  if (!good) refuse("", "nine numbers that are no rotation in double precision");
  return R;
}

}  // namespace proven::verifier
