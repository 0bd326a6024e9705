// Files of sensed bodies, written by the tests themselves from the formats' specifications.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/vec3.h"

namespace proven::test {

template <class T>
std::string bytes_of(T value, bool big_endian = false) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  if (big_endian) bytes = std::string(bytes.rbegin(), bytes.rend());
  return bytes;
}

// An array of numpy, as np.save writes it.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                       bool fortran = false, int major = 1) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", type,
                                   fortran ? "True" : "False", shape);
  const std::size_t before = major == 1 ? 10 : 12;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  const auto size = static_cast<std::uint32_t>(header.size());
  bytes += bytes_of(size).substr(0, major == 1 ? 2 : 4);
  return bytes + header + data;
}

template <class T>
std::string packed(const std::vector<T>& values, bool big_endian = false) {
  std::string bytes;
  for (const T value : values) bytes += bytes_of(value, big_endian);
  return bytes;
}

// LZF: literals alone, or runs of one byte as copies of the byte before.
inline std::string lzf(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size();) {
    std::size_t run = 1;
    while (i + run < bytes.size() && run < 264 && bytes[i + run] == bytes[i]) ++run;
    out += '\0';
    out += bytes[i];
    if (run >= 4) {  // copies of length run - 1 from one byte back
      const std::size_t length = run - 1 - 2;
      if (length < 7) {
        out += static_cast<char>(length << 5);
      } else {
        out += static_cast<char>(7 << 5);
        out += static_cast<char>(length - 7);
      }
      out += '\0';
      i += run;
    } else {
      ++i;
    }
  }
  return out;
}

struct PcdOptions {
  std::string data = "ascii", viewpoint = "0 0 0 1 0 0 0";
  bool doubles = false, intensity = true;
  std::size_t height = 1;
};
// x, a byte that is passed over, y, z.
inline std::string pcd(const std::vector<Vec3>& points, const PcdOptions& options = {}) {
  const int size = options.doubles ? 8 : 4;
  std::string text = fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x {0}y z\nSIZE {1} {2}{1} "
      "{1}\n"
      "TYPE F {3}F F\nCOUNT 1 {4}1 1\nWIDTH {5}\nHEIGHT {6}\nVIEWPOINT {7}\nPOINTS {8}\nDATA {9}\n",
      options.intensity ? "intensity " : "", size, options.intensity ? "1 " : "",
      options.intensity ? "U " : "", options.intensity ? "1 " : "", points.size() / options.height,
      options.height, options.viewpoint, points.size(), options.data);
  const auto real = [&](double x) {
    return options.doubles ? bytes_of(x) : bytes_of(static_cast<float>(x));
  };
  std::string rows, columns[4];
  for (const Vec3& p : points) {
    if (options.data == "ascii") {
      text += options.intensity ? fmt::format("{} 7 {} {}\n", p.x, p.y, p.z)
                                : fmt::format("{} {} {}\n", p.x, p.y, p.z);
      continue;
    }
    const std::string parts[4] = {real(p.x), options.intensity ? "\x07" : "", real(p.y), real(p.z)};
    for (int i = 0; i < 4; ++i) {
      rows += parts[i];
      columns[i] += parts[i];
    }
  }
  if (options.data == "binary") return text + rows;
  if (options.data == "ascii") return text;
  const std::string all = columns[0] + columns[1] + columns[2] + columns[3], small = lzf(all);
  return text + bytes_of(static_cast<std::uint32_t>(small.size())) +
         bytes_of(static_cast<std::uint32_t>(all.size())) + small;
}

inline std::string png_chunk(const std::string& type, const std::string& contents) {
  const std::string summed = type + contents;
  const auto sum = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(summed.data()), static_cast<uInt>(summed.size())));
  return bytes_of(static_cast<std::uint32_t>(contents.size()), true) + summed + bytes_of(sum, true);
}

// 16-bit grey; row r is filtered by kind r % 5, so that every kind occurs.
inline std::string png(std::size_t width, std::size_t height, const std::vector<int>& values,
                       const std::string& kind = std::string("\x10\0\0\0\0", 5)) {
  std::string lines;
  const std::size_t row_bytes = 2 * width;
  const auto at = [&](std::size_t row, std::size_t byte) {
    const int value = values[row * width + byte / 2];
    return byte % 2 == 0 ? value >> 8 : value & 255;
  };
  for (std::size_t r = 0; r < height; ++r) {
    const int filter = static_cast<int>(r % 5);
    lines += static_cast<char>(filter);
    for (std::size_t i = 0; i < row_bytes; ++i) {
      const int left = i >= 2 ? at(r, i - 2) : 0, up = r > 0 ? at(r - 1, i) : 0;
      const int corner = i >= 2 && r > 0 ? at(r - 1, i - 2) : 0;
      const int p = left + up - corner;
      int paeth = corner;
      if (std::abs(p - up) <= std::abs(p - corner)) paeth = up;
      if (std::abs(p - left) <= std::abs(p - up) && std::abs(p - left) <= std::abs(p - corner))
        paeth = left;
      const int guesses[5] = {0, left, up, (left + up) / 2, paeth};
      lines += static_cast<char>(at(r, i) - guesses[filter]);
    }
  }
  std::string small(compressBound(lines.size()), '\0');
  uLongf size = small.size();
  compress(reinterpret_cast<Bytef*>(small.data()), &size,
           reinterpret_cast<const Bytef*>(lines.data()), lines.size());
  small.resize(size);
  const std::string header = bytes_of(static_cast<std::uint32_t>(width), true) +
                             bytes_of(static_cast<std::uint32_t>(height), true) + kind;
  const std::size_t half = small.size() / 2;  // two parts
  return "\x89PNG\r\n\x1A\n" + png_chunk("IHDR", header) + png_chunk("tEXt", "a") +
         png_chunk("IDAT", small.substr(0, half)) + png_chunk("IDAT", small.substr(half)) +
         png_chunk("IEND", "");
}

// A short OctoMap: two bytes say what the eight parts of the whole are, from the first on 0
// unknown, 1 free, 2 occupied, 3 divided again.
inline std::string octomap_header(bool binary, int nodes, const std::string& resolution = "0.1",
                                  const std::string& id = "OcTree") {
  return fmt::format("# Octomap OcTree {}file\n# a comment\n#\nid {}\nsize {}\nres {}\ndata\n",
                     binary ? "binary " : "", id, nodes, resolution);
}
inline std::string octomap_node(const std::vector<int>& parts) {
  std::string bytes(2, '\0');
  for (std::size_t i = 0; i < 8; ++i)
    bytes[i / 4] = static_cast<char>(bytes[i / 4] | parts[i] << 2 * (i % 4));
  return bytes;
}

}  // namespace proven::test
