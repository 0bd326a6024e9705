// Chapter 13: the verifier's own readers, from the formats' specifications (docs/formats.md). They
// share no code with the checker's: a slip of one reader is a difference, not a theorem.
//
// First the ground: bytes, words, numbers. Every reader ends with Unreadable on what it does not
// honour; read_scene and read_path turn it into an Error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/vec3.h"

namespace proven::verifier {

struct Unreadable {
  std::string place;  // "file:line", the file alone, or nothing where the caller knows it
  std::string message;
};
[[noreturn]] void refuse(std::string place, std::string message);
// Runs `read`; an Unreadable without a place gets this one.
template <class Read>
auto at_place(const std::string& place, Read&& read) {
  try {
    return read();
  } catch (const Unreadable& error) {
    refuse(error.place.empty() ? place : error.place, error.message);
  }
}

inline constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
inline constexpr std::uintmax_t kMostXmlBytes = std::uintmax_t{64} << 20;

std::string file_bytes(const std::filesystem::path& file, std::uintmax_t most = kMostBytes);
// UTF-8 without null bytes; a byte order mark is dropped.
std::string file_text(const std::filesystem::path& file, std::uintmax_t most = kMostBytes);
std::string ending_of(const std::filesystem::path& file);  // ".stl", in lower case
std::string line_place(const std::filesystem::path& file, long line);

// A whole finite decimal number; what is too small for a double is zero.
std::optional<double> decimal(std::string_view text);
std::optional<long> whole(std::string_view text);
std::vector<std::string_view> split_blanks(std::string_view text);
bool has_control(std::string_view text);                 // a character below the blank, or delete
std::string_view without_blanks(std::string_view text);  // around it
// Takes a line off the front of `rest`, without its end; false where nothing is left.
bool take_line(std::string_view& rest, std::string_view& line);

// Sizes of primitives, positions and scales in metres (docs/formats.md, ranges). They fail without
// a place.
inline constexpr double kFarthest = 1e7, kLeast = 1e-9;
double checked_size(double size);
Vec3 checked_position(const Vec3& p);
Vec3 checked_scale(const Vec3& scale);

// Rotations as files give them, in the arithmetic that docs/formats.md states.
Vec3 unit_of(const Vec3& axis);  // not zero
Mat3 turn_about(const Vec3& unit_axis, double angle);
Mat3 rotation_of_rpy(const Vec3& rpy);
Mat3 rotation_of_quaternion(const double (&xyzw)[4]);  // fails unless of length 1 within 1e-3
Mat3 checked_rotation(const Mat3& rows);

}  // namespace proven::verifier
