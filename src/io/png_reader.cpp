#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "io/failure.h"
#include "io/sensed_readers.h"
#include "io/text.h"

namespace proven::io {
namespace {

constexpr std::size_t kMostPixels = std::size_t{1} << 27;
// Chunks that say nothing of the numbers: texts, times, and how they would look on a screen.
constexpr std::string_view kPassedOver[] = {"tEXt", "zTXt", "iTXt", "tIME", "pHYs", "gAMA",
                                            "cHRM", "sRGB", "iCCP", "bKGD", "eXIf"};

class PngReader {
 public:
  explicit PngReader(const std::filesystem::path& file) : file_(file), bytes_(read_bytes(file)) {}

  Array read() {
    constexpr std::string_view kSignature("\x89PNG\r\n\x1A\n", 8);
    if (!bytes_.starts_with(kSignature)) fail("is no PNG");
    at_ = kSignature.size();
    if (next_chunk() != "IHDR") fail("the first chunk is not IHDR");
    read_header();
    std::string packed;
    bool image = false, behind = false;  // the chunks of the image stand together
    for (std::string type = next_chunk(); type != "IEND"; type = next_chunk()) {
      const bool part = type == "IDAT";
      if (part && behind) fail("the image stands in two places");
      if (part)
        packed += chunk_;
      else if (std::find(std::begin(kPassedOver), std::end(kPassedOver), type) ==
               std::end(kPassedOver))
        fail(fmt::format("chunk {} is not read", quote(type)));
      behind = image && !part;
      image |= part;
    }
    if (!chunk_.empty() || at_ != bytes_.size()) fail("there is something behind the end");
    return unfiltered(unpacked(packed));
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    io::fail(file_.string(), std::move(message));
  }

  std::uint32_t number(std::string_view bytes, std::size_t at) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  }

  // The type of the chunk that begins here; its contents go to chunk_.
  std::string next_chunk() {
    const std::string_view rest = std::string_view(bytes_).substr(at_);
    if (rest.size() < 12 || number(rest, 0) > rest.size() - 12) fail("the file ends too early");
    const std::size_t size = number(rest, 0);
    const auto* summed = reinterpret_cast<const Bytef*>(rest.data() + 4);
    if (crc32(0, summed, static_cast<uInt>(size + 4)) != number(rest, size + 8))
      fail("a checksum is wrong: the file is damaged");
    chunk_ = rest.substr(8, size);
    at_ += size + 12;
    return std::string(rest.substr(4, 4));
  }

  void read_header() {
    if (chunk_.size() != 13) fail("the header has another length");
    columns_ = number(chunk_, 0);
    rows_ = number(chunk_, 4);
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(chunk_[i]); };
    if (byte(8) != 16 || byte(9) != 0)
      fail(fmt::format("the image has {} bits and colour type {}; 16-bit grey is read", byte(8),
                       byte(9)));
    if (byte(10) != 0 || byte(11) != 0 || byte(12) != 0)
      fail("interlaced images are not read; save it without interlacing");
    if (rows_ == 0 || columns_ == 0 || columns_ > kMostPixels / rows_)
      fail(fmt::format("an image of {} by {} pixels is not read", columns_, rows_));
  }

  // Each row: the kind of its filter, then two bytes per pixel.
  std::string unpacked(const std::string& packed) const {
    std::string lines(rows_ * (1 + 2 * columns_), '\0');
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) fail("there is no memory to unpack it");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(lines.data());
    stream.avail_out = static_cast<uInt>(lines.size());
    const int end = inflate(&stream, Z_FINISH);
    const bool whole = end == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!whole) fail("the packed image is damaged, or has another size than the header says");
    return lines;
  }

  Array unfiltered(std::string lines) const {
    Array array;
    array.kind = Array::Kind::natural;
    array.item = 2;
    array.big_endian = true;
    array.shape = {rows_, columns_};
    const std::size_t width = 2 * columns_;
    std::string above(width, '\0');
    for (std::size_t row = 0; row < rows_; ++row) {
      const int filter = static_cast<unsigned char>(lines[row * (width + 1)]);
      std::string line = lines.substr(row * (width + 1) + 1, width);
      for (std::size_t i = 0; i < width; ++i) {
        const auto byte = [i](const std::string& bytes, std::size_t back) {
          return i < back ? 0 : static_cast<int>(static_cast<unsigned char>(bytes[i - back]));
        };
        const int left = byte(line, 2), up = byte(above, 0), corner = byte(above, 2);
        line[i] = static_cast<char>(byte(line, 0) + predicted(filter, left, up, corner));
      }
      array.bytes += line;
      above = std::move(line);
    }
    return array;
  }

  int predicted(int filter, int left, int up, int corner) const {
    switch (filter) {
      case 0:
        return 0;
      case 1:
        return left;
      case 2:
        return up;
      case 3:
        return (left + up) / 2;
      case 4: {
        const int by_left = std::abs(up - corner), by_up = std::abs(left - corner),
                  by_corner = std::abs(left + up - 2 * corner);
        if (by_left <= by_up && by_left <= by_corner) return left;
        return by_up <= by_corner ? up : corner;
      }
      default:
        fail("a row is filtered in a way that is not known");
    }
  }

  const std::filesystem::path& file_;
  std::string bytes_;
  std::size_t at_ = 0;
  std::string_view chunk_;
  std::size_t rows_ = 0, columns_ = 0;
};

}  // namespace

Array read_png(const std::filesystem::path& file) {
  return PngReader(file).read();
}

Array read_raster(const std::filesystem::path& file) {
  const std::string ending = extension(file);
  if (ending != ".png" && ending != ".npy")
    fail(file.string(), fmt::format("images are 16-bit PNG or .npy, not {}", quote(ending)),
         ErrorCode::unsupported);
  Array array = ending == ".png" ? read_png(file) : read_npy(file);
  if (array.shape.size() != 2 || array.size() == 0)
    fail(file.string(), fmt::format("an image is an array of shape (rows, columns), not ({})",
                                    fmt::join(array.shape, ", ")));
  if (array.kind == Array::Kind::boolean)
    fail(file.string(), "an image holds numbers, not truth values");
  return array;
}

}  // namespace proven::io
