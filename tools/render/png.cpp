// Pictures as PNG files with a palette: a third of the size of full colour, and no one sees it.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "proven/io/file.h"
#include "tools/render/render.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace proven {
namespace {

constexpr std::size_t kPaletteSize = 256;
constexpr int kCompression = 64;  // length of the match search; higher gains little

using Colour = std::array<std::uint8_t, 3>;

struct Counted {
  Colour colour;
  std::int64_t count;
};

std::uint32_t key(const Colour& c) {
  return static_cast<std::uint32_t>(c[0]) << 16 | static_cast<std::uint32_t>(c[1]) << 8 | c[2];
}

// A group of colours [first, last) that will share one entry of the palette.
struct Group {
  std::size_t first, last;
  std::size_t channel = 0;  // the widest
  double weight = 0;        // its width times the number of pixels: what to split next

  Group(const std::vector<Counted>& colours, std::size_t f, std::size_t l) : first(f), last(l) {
    std::int64_t count = 0;
    int width = 0;
    for (std::size_t k = f; k < l; ++k) count += colours[k].count;
    for (std::size_t c = 0; c < 3; ++c) {
      std::uint8_t low = 255, high = 0;
      for (std::size_t k = f; k < l; ++k) {
        low = std::min(low, colours[k].colour[c]);
        high = std::max(high, colours[k].colour[c]);
      }
      if (high - low > width) width = high - low, channel = c;
    }
    weight = static_cast<double>(width) * width *
             static_cast<double>(std::min<std::int64_t>(count, 2000));
  }
};

struct Palette {
  std::vector<Colour> colours;
  std::unordered_map<std::uint32_t, std::uint8_t> index;  // of every colour of the picture
};

// Median cut: halve the group that matters most until there are as many as the palette holds.
Palette choose_palette(const Image& image) {
  std::unordered_map<std::uint32_t, std::size_t> seen;
  std::vector<Counted> colours;
  for (std::size_t k = 0; k < image.rgb.size(); k += 3) {
    const Colour c{image.rgb[k], image.rgb[k + 1], image.rgb[k + 2]};
    const auto [it, is_new] = seen.try_emplace(key(c), colours.size());
    if (is_new) colours.push_back({c, 0});
    ++colours[it->second].count;
  }
  std::vector<Group> groups = {Group(colours, 0, colours.size())};
  while (groups.size() < kPaletteSize) {
    const auto widest =
        std::max_element(groups.begin(), groups.end(),
                         [](const Group& a, const Group& b) { return a.weight < b.weight; });
    if (widest->weight <= 0) break;
    const Group group = *widest;
    const auto begin = colours.begin() + static_cast<std::ptrdiff_t>(group.first);
    const auto end = colours.begin() + static_cast<std::ptrdiff_t>(group.last);
    std::sort(begin, end, [&](const Counted& a, const Counted& b) {
      const auto va = a.colour[group.channel], vb = b.colour[group.channel];
      return va != vb ? va < vb : key(a.colour) < key(b.colour);
    });
    const std::size_t middle = (group.first + group.last) / 2;
    *widest = Group(colours, group.first, middle);
    groups.emplace_back(colours, middle, group.last);
  }
  Palette palette;
  for (const Group& group : groups) {
    std::array<std::int64_t, 4> sum{};
    for (std::size_t k = group.first; k < group.last; ++k) {
      for (std::size_t c = 0; c < 3; ++c) sum[c] += colours[k].count * colours[k].colour[c];
      sum[3] += colours[k].count;
      palette.index[key(colours[k].colour)] = static_cast<std::uint8_t>(palette.colours.size());
    }
    Colour mean;
    for (std::size_t c = 0; c < 3; ++c) mean[c] = static_cast<std::uint8_t>(sum[c] / sum[3]);
    palette.colours.push_back(mean);
  }
  return palette;
}

void put_number(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

void put_chunk(std::string& out, const char* type, const std::string& data) {
  put_number(out, static_cast<std::uint32_t>(data.size()));
  std::string body = type + data;
  out += body;
  put_number(out, stbiw__crc32(reinterpret_cast<unsigned char*>(body.data()),
                               static_cast<int>(body.size())));
}

std::string compress(std::vector<unsigned char>& bytes) {
  int size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> packed(
      stbi_zlib_compress(bytes.data(), static_cast<int>(bytes.size()), &size, kCompression),
      std::free);
  return packed ? std::string(reinterpret_cast<char*>(packed.get()), static_cast<std::size_t>(size))
                : std::string();
}

}  // namespace

std::string encode_png(const Image& image) {
  const Palette palette = choose_palette(image);
  std::vector<unsigned char> rows;
  for (std::size_t k = 0; k < image.rgb.size(); k += 3) {
    if (k % (3 * static_cast<std::size_t>(image.width)) == 0) rows.push_back(0);  // no filter
    rows.push_back(palette.index.at(key({image.rgb[k], image.rgb[k + 1], image.rgb[k + 2]})));
  }
  std::string header, table, out = "\x89PNG\r\n\x1a\n";
  put_number(header, static_cast<std::uint32_t>(image.width));
  put_number(header, static_cast<std::uint32_t>(image.height));
  header += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits, palette, deflate, no interlace
  for (const Colour& c : palette.colours) table.append(c.begin(), c.end());
  put_chunk(out, "IHDR", header);
  put_chunk(out, "PLTE", table);
  put_chunk(out, "IDAT", compress(rows));
  put_chunk(out, "IEND", {});
  return out;
}

Result<void> write_png(const Image& image, const std::filesystem::path& path) {
  if (image.rgb.empty()) return bad_input("the picture has no pixels", path.string());
  return write_file(path, encode_png(image));
}

}  // namespace proven
