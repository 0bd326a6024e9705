// OctoMap files: the occupied cells, and those of which nothing is known.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "verify/readers/sensed.h"

namespace proven::verifier {
namespace {

constexpr int kFar = 32768;  // the map reaches so many cells from its origin
constexpr std::size_t kMostCells = 50'000'000;

struct Box {
  int low[3] = {-kFar, -kFar, -kFar}, high[3] = {kFar, kFar, kFar};
};

// A cube of `side` cells.
struct Cube {
  int at[3];
  int side;
};

class Octomap {
 public:
  explicit Octomap(const std::filesystem::path& file) : file_(file), bytes_(file_bytes(file)) {
    rest_ = bytes_;
    header();
    const Cube all{{-kFar, -kFar, -kFar}, 2 * kFar};
    if (said_ > 0 && short_)
      pairs(all);
    else if (said_ > 0)
      node(all);
    if (counted_ != said_) fail("another number of nodes than the header says");
    if (!rest_.empty()) fail("more bytes than nodes");
  }

  [[noreturn]] void fail(std::string message) const { refuse(file_.string(), std::move(message)); }

  double cell = 0;
  std::vector<Cube> occupied, free, unknown;

 private:
  void header() {
    std::string_view line;
    const auto next = [&] {
      const std::size_t end = rest_.find('\n');
      if (end == std::string::npos) fail("the header does not end");
      line = without_blanks(rest_.substr(0, end));
      rest_.remove_prefix(end + 1);
    };
    next();
    short_ = line == "# Octomap OcTree binary file";
    if (!short_ && line != "# Octomap OcTree file") fail("no OctoMap");
    std::string kind;
    for (next(); line != "data"; next()) {
      if (line.empty() || line[0] == '#') continue;
      const auto words = split_blanks(line);
      if (words.size() != 2) fail("a header line that is not known");
      if (words[0] == "id" && kind.empty())
        kind = words[1];
      else if (words[0] == "size" && said_ < 0)
        said_ = whole(words[1]).value_or(-2);
      else if (words[0] == "res" && cell == 0)
        cell =
            at_place(file_.string(), [&] { return checked_size(decimal(words[1]).value_or(0)); });
      else
        fail("a header line that is not known, or stands there twice");
    }
    if (kind != "OcTree" && (short_ || kind != "ColorOcTree"))
      fail("a tree of a kind that is not known");
    colours_ = kind == "ColorOcTree";
    if (said_ < 0 || cell == 0 || kFar * cell > kFarthest)
      fail("size or resolution are missing or wrong");
  }

  unsigned byte() {
    if (rest_.empty()) fail("it ends in the middle of the tree");
    const auto value = static_cast<unsigned char>(rest_[0]);
    rest_.remove_prefix(1);
    return value;
  }

  static Cube part(const Cube& cube, int child) {
    const int half = cube.side / 2;
    return {{cube.at[0] + (child & 1 ? half : 0), cube.at[1] + (child & 2 ? half : 0),
             cube.at[2] + (child & 4 ? half : 0)},
            half};
  }

  // Two bits for each of eight parts: 0 unknown, 1 free, 2 occupied, 3 divided again.
  void pairs(const Cube& cube) {
    ++counted_;
    if (cube.side == 1) fail("a cell that is divided");
    unsigned said[8];
    for (int first : {0, 4}) {
      unsigned bits = byte();
      for (int child = first; child < first + 4; ++child, bits >>= 2) said[child] = bits & 3;
    }
    for (int child = 0; child < 8; ++child) {
      std::vector<Cube>* const lists[] = {&unknown, &free, &occupied};
      if (said[child] == 3) continue;
      counted_ += said[child] != 0;
      lists[said[child]]->push_back(part(cube, child));
    }
    for (int child = 0; child < 8; ++child)
      if (said[child] == 3) pairs(part(cube, child));
  }

  // Log-odds, perhaps a colour, and a bit for each part that follows.
  void node(const Cube& cube) {
    ++counted_;
    std::uint32_t bits = 0;
    for (int shift = 0; shift < 32; shift += 8) bits |= byte() << shift;
    const float odds = std::bit_cast<float>(bits);
    if (!std::isfinite(odds)) fail("odds that are not finite");
    if (colours_) byte(), byte(), byte();
    const unsigned parts = byte();
    if (parts == 0) {
      (odds >= 0 ? occupied : free).push_back(cube);
      return;
    }
    if (cube.side == 1) fail("a cell that is divided");
    for (int child = 0; child < 8; ++child) {
      if (parts >> child & 1)
        node(part(cube, child));
      else
        unknown.push_back(part(cube, child));
    }
  }

  const std::filesystem::path& file_;
  std::string bytes_;
  std::string_view rest_;
  bool short_ = false, colours_ = false;
  long said_ = -1, counted_ = 0;
};

// How much of the cube lies in the box: whole, some or none of it.
enum class Share { none, some, whole };
Share share_of(const Cube& cube, const Box& box) {
  bool whole = true;
  for (int i = 0; i < 3; ++i) {
    if (cube.at[i] >= box.high[i] || cube.at[i] + cube.side <= box.low[i]) return Share::none;
    whole = whole && cube.at[i] >= box.low[i] && cube.at[i] + cube.side <= box.high[i];
  }
  return whole ? Share::whole : Share::some;
}

// The greatest cubes that lie whole in the box; the map as a whole has no size of its own.
void cut(const Cube& cube, const Box& box, std::vector<Cube>& kept) {
  const Share share = share_of(cube, box);
  if (share == Share::none) return;
  if (share == Share::whole && cube.side < 2 * kFar) {
    if (kept.size() >= kMostCells) refuse("", "too many cells");
    kept.push_back(cube);
    return;
  }
  const int half = cube.side / 2;
  for (int i = 0; i < 8; ++i)
    cut({{cube.at[0] + half * (i % 2), cube.at[1] + half * (i / 2 % 2),
          cube.at[2] + half * (i / 4)},
         half},
        box, kept);
}

}  // namespace

VoxelSet read_octomap(const std::filesystem::path& file, bool unknown_is_occupied,
                      const std::optional<Corners>& region) {
  const Octomap map(file);
  Box box;
  if (region) {
    for (int i = 0; i < 3; ++i) {
      const double low = std::floor(region->low[i] / map.cell),
                   high = std::ceil(region->high[i] / map.cell);
      if (!(low >= -kFar && high <= kFar)) map.fail("a region beyond the map");
      box.low[i] = static_cast<int>(low);
      box.high[i] = static_cast<int>(high);
    }
  } else if (unknown_is_occupied) {
    for (int i = 0; i < 3; ++i) box.low[i] = kFar, box.high[i] = -kFar;
    for (const auto* list : {&map.occupied, &map.free})
      for (const Cube& cube : *list)
        for (int i = 0; i < 3; ++i) {
          box.low[i] = std::min(box.low[i], cube.at[i]);
          box.high[i] = std::max(box.high[i], cube.at[i] + cube.side);
        }
  }
  std::vector<Cube> kept;
  for (const Cube& cube : map.occupied) cut(cube, box, kept);
  if (unknown_is_occupied)
    for (const Cube& cube : map.unknown) cut(cube, box, kept);
  int side = kFar;  // of the smallest
  for (const Cube& cube : kept) side = std::min(side, cube.side);
  double count = 0;
  for (const Cube& cube : kept) count += std::pow(cube.side / side, 3);
  if (count > static_cast<double>(kMostCells)) map.fail("too many cells");
  VoxelSet set;
  set.size = map.cell * side;
  for (const Cube& cube : kept)
    for (int x = cube.at[0]; x < cube.at[0] + cube.side; x += side)
      for (int y = cube.at[1]; y < cube.at[1] + cube.side; y += side)
        for (int z = cube.at[2]; z < cube.at[2] + cube.side; z += side)
          set.cells.push_back({x / side, y / side, z / side});
  std::sort(set.cells.begin(), set.cells.end());
  return set;
}

}  // namespace proven::verifier
