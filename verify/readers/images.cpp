// Images of 16 bits in PNG files, by the PNG specification; zlib unpacks them.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "verify/readers/sensed.h"

namespace proven::verifier {
namespace {

struct Chunk {
  std::string type;
  std::string_view contents;
};

unsigned long word_at(std::string_view bytes, std::size_t at) {
  unsigned long value = 0;
  for (const char c : bytes.substr(at, 4)) value = value * 256 + static_cast<unsigned char>(c);
  return value;
}

// Length, type, contents and checksum of each, to the end of the file.
std::vector<Chunk> chunks_of(const std::filesystem::path& file, std::string_view bytes) {
  std::vector<Chunk> chunks;
  while (!bytes.empty()) {
    if (bytes.size() < 12 || word_at(bytes, 0) > bytes.size() - 12)
      refuse(file.string(), "it ends in the middle of a chunk");
    const std::size_t length = word_at(bytes, 0);
    const std::string_view summed = bytes.substr(4, length + 4);
    if (crc32_z(0, reinterpret_cast<const Bytef*>(summed.data()), summed.size()) !=
        word_at(bytes, length + 8))
      refuse(file.string(), "a checksum is wrong");
    chunks.push_back({std::string(summed.substr(0, 4)), summed.substr(4)});
    bytes.remove_prefix(length + 12);
  }
  return chunks;
}

// What a byte is predicted to be from those to its left, above, and above to the left.
int prediction(int filter, int a, int b, int c) {
  if (filter == 1) return a;
  if (filter == 2) return b;
  if (filter == 3) return (a + b) >> 1;
  if (filter != 4) return 0;
  const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
  if (pa <= pb && pa <= pc) return a;
  return pb <= pc ? b : c;
}

}  // namespace

Numbers read_png(const std::filesystem::path& file) {
  const std::string bytes = file_bytes(file);
  const auto fail = [&](std::string message) { refuse(file.string(), std::move(message)); };
  if (!bytes.starts_with("\x89PNG\r\n\x1A\n")) fail("no PNG");
  const std::vector<Chunk> chunks = chunks_of(file, std::string_view(bytes).substr(8));
  const std::size_t n = chunks.size();
  if (n < 2 || chunks[0].type != "IHDR" || chunks[0].contents.size() != 13 ||
      chunks[n - 1].type != "IEND" || !chunks[n - 1].contents.empty())
    fail("does not begin with IHDR and end with IEND");
  const std::string_view header = chunks[0].contents;
  // Depth 16, grey, deflate, the standard filters, not interlaced.
  if (header.substr(8) != std::string_view("\x10\0\0\0\0", 5))
    fail("not of 16 bits grey, in one go");
  const std::size_t width = word_at(header, 0), height = word_at(header, 4);
  if (width == 0 || height == 0 || width > (std::size_t{1} << 27) / height)
    fail("of impossible size");

  std::string packed;
  std::size_t last = 0;  // part of the image
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const std::string& type = chunks[i].type;
    if (type == "IDAT") {
      if (last != 0 && last != i - 1) fail("the image is not in one piece");
      last = i;
      packed += chunks[i].contents;
      continue;
    }
    static constexpr std::string_view kSilent[] = {"tEXt", "zTXt", "iTXt", "tIME", "pHYs", "gAMA",
                                                   "cHRM", "sRGB", "iCCP", "bKGD", "eXIf"};
    if (std::find(std::begin(kSilent), std::end(kSilent), type) == std::end(kSilent))
      fail("a chunk that is not read");
  }

  const std::size_t line = 1 + 2 * width;
  std::vector<unsigned char> rows(height * line);
  uLongf size = rows.size();
  uLong taken = packed.size();
  const auto* from = reinterpret_cast<const Bytef*>(packed.data());
  if (uncompress2(rows.data(), &size, from, &taken) != Z_OK || size != rows.size() ||
      taken != packed.size())
    fail("the packed image is damaged");

  Numbers numbers;
  numbers.whole = true;
  numbers.bytes = 2;
  numbers.lengths = {height, width};
  for (std::size_t y = 0; y < height; ++y) {
    unsigned char* row = &rows[y * line];
    if (row[0] > 4) fail("an unknown filter");
    for (std::size_t x = 1; x < line; ++x) {
      const int a = x > 2 ? row[x - 2] : 0, b = y > 0 ? *(row + x - line) : 0;
      const int c = x > 2 && y > 0 ? *(row + x - 2 - line) : 0;
      row[x] = static_cast<unsigned char>(row[x] + prediction(row[0], a, b, c));
    }
    for (std::size_t x = 1; x < line; x += 2) numbers.values.push_back(256.0 * row[x] + row[x + 1]);
  }
  return numbers;
}

}  // namespace proven::verifier
