#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "io/failure.h"
#include "io/sensed_readers.h"
#include "io/sizes.h"
#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

// The tree has 16 levels; cells of the finest have the indices -32768 to 32767 along each axis.
constexpr int kLevels = 16;
constexpr int kHalf = 1 << (kLevels - 1);
constexpr std::size_t kMostCubes = 50'000'000;

enum class State : std::uint8_t { unknown, free, occupied };

// The cells [low, low + 2^level) along each axis.
struct Cube {
  std::array<int, 3> low;
  int level;
  State state;
};

struct CellBox {
  std::array<int, 3> low, high;  // the last ones are not part of it
};

// Reads the tree: a list of the largest cubes of one state each.
class OctomapReader {
 public:
  explicit OctomapReader(const std::filesystem::path& file)
      : file_(file), bytes_(read_bytes(file)) {}

  void read() {
    read_header();
    if (nodes_ > 0) {
      const Cube root{{-kHalf, -kHalf, -kHalf}, kLevels, State::unknown};
      if (binary_)
        read_binary(root);
      else
        read_full(root);
    }
    if (found_ != nodes_)
      fail(fmt::format("it holds {} nodes, but the header says {}", found_, nodes_));
    if (at_ != bytes_.size()) fail("there is something behind the last node");
  }

  const std::vector<Cube>& cubes() const { return cubes_; }
  double resolution() const { return resolution_; }
  [[noreturn]] void fail(std::string message) const {
    io::fail(file_.string(), std::move(message));
  }

 private:
  std::string_view header_line() {
    const std::size_t end = bytes_.find('\n', at_);
    ++line_;
    if (end == std::string::npos) fail_line("the header has no line 'data'");
    const std::string_view line = trimmed(std::string_view(bytes_).substr(at_, end - at_));
    at_ = end + 1;
    return line;
  }
  [[noreturn]] void fail_line(std::string message) const {
    io::fail(place(file_, line_), std::move(message));
  }

  void read_header() {
    const std::string_view first = header_line();
    binary_ = first == "# Octomap OcTree binary file";
    if (!binary_ && first != "# Octomap OcTree file")
      fail_line(
          "is no OctoMap: the first line must be '# Octomap OcTree file' or '# Octomap OcTree "
          "binary file'");
    bool id = false, size = false, resolution = false;
    for (std::string_view line = header_line(); line != "data"; line = header_line()) {
      if (line.empty() || line[0] == '#') continue;
      const auto parts = words(line);
      bool& seen = parts[0] == "id" ? id : parts[0] == "size" ? size : resolution;
      if (parts.size() != 2) fail_line(fmt::format("unknown header line {}", quote(line)));
      if (seen) fail_line(fmt::format("{} is there twice", quote(parts[0])));
      seen = true;
      if (parts[0] == "id")
        read_kind(parts[1]);
      else if (parts[0] == "size")
        read_count(parts[1]);
      else if (parts[0] == "res")
        read_resolution(parts[1]);
      else
        fail_line(fmt::format("unknown header line {}", quote(line)));
    }
    if (!id || !size || !resolution) fail_line("the header lacks 'id', 'size' or 'res'");
  }
  void read_kind(std::string_view kind) {
    coloured_ = kind == "ColorOcTree" && !binary_;
    if (!coloured_ && kind != "OcTree")
      fail_line(fmt::format("trees of kind {} are not read; OcTree is", quote(kind)));
  }
  void read_count(std::string_view word) {
    const std::optional<long> count = parse_integer(word);
    if (!count || *count < 0) fail_line(fmt::format("{} is no number of nodes", quote(word)));
    nodes_ = *count;
  }
  void read_resolution(std::string_view word) {
    resolution_ = parse_double(word).value_or(0);
    if (const std::string refusal = refuse_size(resolution_); !refusal.empty()) fail_line(refusal);
    // Cubes have sizes up to 2^15 of it.
    if (resolution_ * kHalf > kLargestCoordinate)
      fail_line(fmt::format("{} m is too large", resolution_));
  }

  unsigned byte() {
    if (at_ >= bytes_.size()) fail("the file ends in the middle of the tree");
    return static_cast<unsigned char>(bytes_[at_++]);
  }

  static Cube child_of(const Cube& node, unsigned child, State state) {
    const int half = 1 << (node.level - 1);
    Cube cube{node.low, node.level - 1, state};
    for (unsigned axis = 0; axis < 3; ++axis)
      if (child >> axis & 1) cube.low[axis] += half;
    return cube;
  }

  void add(const Cube& cube) {
    if (cubes_.size() >= kMostCubes) fail("it holds too many cubes");
    cubes_.push_back(cube);
  }

  // Two bits for each child: unknown, free, occupied, or a node with children of its own.
  void read_binary(const Cube& node) {
    ++found_;
    const unsigned low = byte(), bits = low | byte() << 8;
    if (node.level == 0) fail("the tree is deeper than 16 levels");
    for (unsigned child = 0; child < 8; ++child) {
      const unsigned said = bits >> 2 * child & 3;
      if (said == 3) continue;
      const State state = said == 0 ? State::unknown : said == 1 ? State::free : State::occupied;
      found_ += said != 0;
      add(child_of(node, child, state));
    }
    for (unsigned child = 0; child < 8; ++child)
      if ((bits >> 2 * child & 3) == 3) read_binary(child_of(node, child, State::unknown));
  }

  // A node: its log-odds as a float, perhaps a colour, and which children there are.
  void read_full(const Cube& node) {
    ++found_;
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits |= byte() << 8 * i;
    const float odds = std::bit_cast<float>(bits);
    if (!std::isfinite(odds)) fail("a log-odds value is not finite");
    for (int i = 0; coloured_ && i < 3; ++i) byte();
    const unsigned children = byte();
    const State state = odds >= 0 ? State::occupied : State::free;
    if (children == 0) {
      if (node.level == kLevels)  // the whole map: its centre is no corner of a cube of its size
        for (unsigned child = 0; child < 8; ++child) add(child_of(node, child, state));
      else
        add({node.low, node.level, state});
      return;
    }
    if (node.level == 0) fail("the tree is deeper than 16 levels");
    for (unsigned child = 0; child < 8; ++child)
      if (children >> child & 1)
        read_full(child_of(node, child, State::unknown));
      else
        add(child_of(node, child, State::unknown));
  }

  const std::filesystem::path& file_;
  std::string bytes_;
  std::size_t at_ = 0;
  long line_ = 0;
  bool binary_ = false, coloured_ = false;
  long nodes_ = 0, found_ = 0;
  double resolution_ = 0;
  std::vector<Cube> cubes_;
};

// The cells that overlap the region.
CellBox cells_of(const OctomapReader& map, const Region& region) {
  CellBox box{};
  for (int i = 0; i < 3; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    const double low = std::floor(region.low[i] / map.resolution());
    const double high = std::ceil(region.high[i] / map.resolution());
    if (!(low >= -kHalf && high <= kHalf))
      map.fail(fmt::format("the region reaches beyond the map, which ends {} m from its origin",
                           kHalf * map.resolution()));
    box.low[axis] = static_cast<int>(low);
    box.high[axis] = static_cast<int>(high);
  }
  return box;
}

CellBox known_cells(const std::vector<Cube>& cubes) {
  CellBox box{{kHalf, kHalf, kHalf}, {-kHalf, -kHalf, -kHalf}};
  for (const Cube& cube : cubes) {
    if (cube.state == State::unknown) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      box.low[i] = std::min(box.low[i], cube.low[i]);
      box.high[i] = std::max(box.high[i], cube.low[i] + (1 << cube.level));
    }
  }
  return box;
}

// Collects the parts of cubes that lie in a box, and cuts them into cells of the size of the
// smallest.
class Cubes {
 public:
  Cubes(const OctomapReader& map, const CellBox& box) : map_(map), box_(box) {}

  void add(const Cube& cube) {
    const int size = 1 << cube.level;
    bool inside = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const int low = cube.low[i], high = low + size;
      if (low >= box_.high[i] || high <= box_.low[i]) return;
      inside &= low >= box_.low[i] && high <= box_.high[i];
    }
    if (inside) {
      if (cubes_.size() >= kMostCubes) fail();
      cubes_.push_back(cube);
      finest_ = std::min(finest_, cube.level);
      return;
    }
    for (unsigned child = 0; child < 8; ++child) {
      Cube part{cube.low, cube.level - 1, cube.state};
      for (unsigned axis = 0; axis < 3; ++axis)
        if (child >> axis & 1) part.low[axis] += size / 2;
      add(part);
    }
  }

  VoxelSet cells() const {
    VoxelSet set{std::ldexp(map_.resolution(), finest_), {}};
    std::size_t count = 0;
    for (const Cube& cube : cubes_) {
      const std::size_t side = std::size_t{1} << (cube.level - finest_);
      count += side * side * side;
      if (count > kMostCubes) fail();
    }
    set.cells.reserve(count);
    for (const Cube& cube : cubes_) {
      const int side = 1 << (cube.level - finest_);
      // A cube lies at a whole multiple of its size.
      const int x = cube.low[0] >> finest_, y = cube.low[1] >> finest_, z = cube.low[2] >> finest_;
      for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j)
          for (int k = 0; k < side; ++k) set.cells.push_back({x + i, y + j, z + k});
    }
    std::sort(set.cells.begin(), set.cells.end());
    return set;
  }

 private:
  [[noreturn]] void fail() const {
    map_.fail(fmt::format("it makes more than {} cells; name a smaller \"region\"", kMostCubes));
  }

  const OctomapReader& map_;
  CellBox box_;
  std::vector<Cube> cubes_;
  int finest_ = kLevels - 1;
};

}  // namespace

VoxelSet read_octomap(const std::filesystem::path& file, Unknown unknown,
                      const std::optional<Region>& region) {
  OctomapReader map(file);
  map.read();
  const CellBox everything{{-kHalf, -kHalf, -kHalf}, {kHalf, kHalf, kHalf}};
  CellBox box = region ? cells_of(map, *region) : everything;
  if (!region && unknown == Unknown::occupied) box = known_cells(map.cubes());
  Cubes cubes(map, box);
  for (const Cube& cube : map.cubes())
    if (cube.state == State::occupied ||
        (cube.state == State::unknown && unknown == Unknown::occupied))
      cubes.add(cube);
  return cubes.cells();
}

}  // namespace proven::io
