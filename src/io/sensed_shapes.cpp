#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/failure.h"
#include "io/scene_readers.h"
#include "io/sensed_readers.h"
#include "io/sizes.h"
#include "io/text.h"

namespace proven::io {
namespace {

// Whose coordinates a PCD with a viewpoint holds.
enum class Coordinates : std::uint8_t { sensor, world };

// What else the points of a file may have without a word in the scene: it says nothing of where
// they are or whether they are there.
constexpr std::string_view kPassedOver[] = {
    "_",     "rgb",  "rgba",      "r",         "g",        "b",        "a",        "red",
    "green", "blue", "alpha",     "intensity", "normal_x", "normal_y", "normal_z", "nx",
    "ny",    "nz",   "curvature", "label",     "ring",     "time",     "t",        "timestamp"};

class SensedReader {
 public:
  SensedReader(const Node& node, const std::filesystem::path& folder)
      : node_(node), folder_(folder), note_(node.place()) {}

  CollisionElement read() {
    if (node_.key() == "cloud") read_cloud();
    if (node_.key() == "voxels") read_voxels();
    if (node_.key() == "octomap") read_octomap();
    if (node_.key() == "depth") read_depth();
    if (node_.key() == "heights") read_heights();
    element_.source = note_;
    return std::move(element_);
  }

 private:
  template <class T>
  void add(T shape) {
    element_.shape = std::make_shared<const T>(std::move(shape));
  }
  void note(std::string text) {
    note_ += (noted_ ? ", " : ": ") + std::move(text);
    noted_ = true;
  }

  // --- What several shapes have ---

  // Runs `read` on the file that the node names; what is wrong with it is told at the node.
  template <class Read>
  auto with_file(const Node& named, Read&& read) {
    const std::filesystem::path file = folder_ / named.string();
    note_ = file.string();
    try {
      return read(file);
    } catch (const Failure& failure) {
      if (!failure.error().context.starts_with(file.string())) throw;
      fail(named.place(), failure.error().text(), failure.error().code);
    }
  }

  // What is not known counts as; nothing where the scene does not say so.
  std::optional<Unknown> unknown() const {
    const Node* given = node_.find("unknown");
    return given ? std::optional<Unknown>(given->word<Unknown>()) : std::nullopt;
  }
  Unknown need_unknown(const std::string& what) const {
    if (const auto given = unknown()) return *given;
    node_.fail(
        fmt::format("{}; say what that counts as: \"unknown\": \"free\" or \"occupied\"", what));
  }
  void note_unknown(Unknown unknown, std::string_view what) {
    note(fmt::format("{} counts as {}", what, to_string(unknown)));
  }

  std::optional<Region> region() const {
    const Node* given = node_.find("region");
    if (!given) return std::nullopt;
    const auto& corners = given->array_of(2);
    const Region region{read_position(corners[0]), read_position(corners[1])};
    for (int i = 0; i < 3; ++i)
      if (!(region.low[i] < region.high[i]))
        given->fail("expected two corners, each coordinate of the first below that of the second");
    return region;
  }

  // The factor that makes metres of the file's numbers; whole numbers do not say their unit.
  double metres_per_unit(const Array& array) const {
    const Node* given = node_.find("scale");
    if (!given && array.kind != Array::Kind::real)
      node_.fail("whole numbers do not say their unit: give \"scale\", metres per unit");
    if (!given) return 1;
    const double scale = given->positive_number();
    return scale;
  }

  // --- Points ---

  void read_cloud() {
    node_.allow_keys({"points", "radius", "scale", "region", "unknown", "coordinates", "ignore"});
    PointCloud cloud;
    const Node& points = node_.at("points");
    cloud.points = points.is(Node::Kind::string) ? points_of_file(points) : listed_points(points);
    const Vec3 scale = read_scale(node_);
    for (Vec3& p : cloud.points) {
      p = {p.x * scale.x, p.y * scale.y, p.z * scale.z};
      if (!is_near(p))
        node_.fail(refuse_position(p) + "; check the unit: \"scale\": 0.001 for millimetres");
    }
    if (const auto box = region()) {
      const auto outside = [&](const Vec3& p) {
        for (int i = 0; i < 3; ++i)
          if (!(p[i] >= box->low[i] && p[i] <= box->high[i])) return true;
        return false;
      };
      if (const std::size_t left_out = std::erase_if(cloud.points, outside); left_out > 0)
        note(fmt::format("{} points outside the region left out", left_out));
    }
    add_cloud(std::move(cloud));
  }

  void add_cloud(PointCloud cloud) {
    if (cloud.points.empty()) node_.fail("there is no point; leave the obstacle out");
    note(fmt::format("{} points", cloud.points.size()));
    if (const Node* radius = node_.find("radius")) {
      cloud.radius = read_size(*radius);
      note(fmt::format("radius {} m", cloud.radius));
    } else {
      const std::optional<double> radius_found = spacing_radius(cloud.points);
      if (!radius_found) node_.fail("one point alone has no spacing: give its \"radius\"");
      cloud.radius = *radius_found;
      if (const std::string refusal = refuse_size(cloud.radius); !refusal.empty())
        node_.fail(
            fmt::format("the radius from the points' spacing: {}; give \"radius\"", refusal));
      note(fmt::format("radius {} m from their spacing", cloud.radius));
    }
    add(std::move(cloud));
  }

  std::vector<Vec3> listed_points(const Node& list) const {
    for (const char* key : {"unknown", "coordinates", "ignore"})
      if (const Node* given = node_.find(key)) given->fail("is for points from a file");
    std::vector<Vec3> points;
    for (const Node& point : list.array()) points.push_back(read_position(point));
    return points;
  }

  std::vector<Vec3> points_of_file(const Node& named) {
    unknown();  // must be a word, whether it is needed or not
    PointFile file = with_file(named, [](const auto& path) { return read_points(path); });
    check_others(file.others);
    place_sensor(file);
    const auto unseen = [](const Vec3& p) { return !is_finite(p); };
    if (const std::size_t count = std::erase_if(file.points, unseen); count > 0) {
      if (need_unknown(fmt::format("{} points have no place (not finite)", count)) ==
          Unknown::occupied)
        node_.at("unknown").fail(
            "where points are that the sensor did not see, the file does not say");
      note(fmt::format("{} points that were not seen count as free", count));
    }
    return std::move(file.points);
  }

  void check_others(std::vector<std::string> others) const {
    std::vector<std::string> ignored;
    if (const Node* ignore = node_.find("ignore"))
      for (const Node& name : ignore->array()) {
        if (std::find(others.begin(), others.end(), name.string()) == others.end())
          name.fail(fmt::format("the file has no field {}{}", quote(name.string()),
                                suggestion(name.string(), others)));
        ignored.push_back(name.string());
      }
    std::erase_if(others, [&](const std::string& name) {
      return std::find(ignored.begin(), ignored.end(), name) != ignored.end();
    });
    if (const std::string* name = field_of_meaning(others))
      node_.fail(
          fmt::format("the points have a field {}; if it says nothing of where they are, give "
                      "\"ignore\": [\"{}\"]",
                      quote(*name), printable(*name)));
  }

  // A viewpoint moves the points only if they are said to be the sensor's own.
  void place_sensor(PointFile& file) {
    const Node* given = node_.find("coordinates");
    if (given && given->word<Coordinates>() == Coordinates::sensor) {
      for (Vec3& p : file.points) p = file.viewpoint * p;
      note("moved by the viewpoint");
    }
    if (!is_identity(file.viewpoint) && !given)
      node_.fail(
          "the points have a VIEWPOINT; say whose coordinates they are: \"coordinates\": "
          "\"sensor\" "
          "moves them by it, \"world\" leaves them");
  }

  // --- Cells ---

  void read_voxels() {
    node_.allow_keys({"cells", "size", "unknown"});
    VoxelSet set{read_size(node_.at("size")), {}};
    const Node& cells = node_.at("cells");
    const std::optional<Unknown> said = unknown();  // a word, whether it is needed or not
    if (cells.is(Node::Kind::string)) {
      const Array array = with_file(cells, [](const auto& path) { return read_npy(path); });
      if (array.shape.size() == 3)
        read_grid(array, set);
      else
        read_indices(array, set);
    } else {
      if (said) node_.at("unknown").fail("is for cells from a file");
      for (const Node& cell : cells.array()) {
        const auto& index = cell.array_of(3);
        const auto whole = [&](std::size_t i) {
          return static_cast<std::int32_t>(index[i].integer(kLeast, kMost));
        };
        set.cells.push_back({whole(0), whole(1), whole(2)});
      }
    }
    if (set.cells.empty()) node_.fail("no cell is occupied; leave the obstacle out");
    check_cells(set);
    note(fmt::format("{} cells of {} m", set.cells.size(), set.size));
    add(std::move(set));
  }

  // Indices of voxel sets.
  static constexpr long kLeast = -(1L << 20), kMost = (1L << 20) - 1;

  void check_cells(const VoxelSet& set) const {
    for (const auto& cell : set.cells)
      for (const std::int32_t i : cell)
        if (i < kLeast || i > kMost || std::fabs(i) * set.size > kLargestCoordinate - set.size)
          node_.fail(fmt::format("cell [{}, {}, {}] is too far away", cell[0], cell[1], cell[2]));
  }

  // Indices along x, y and z: 0 is free, 1 occupied, -1 (of signed numbers) or 255 unknown.
  void read_grid(const Array& array, VoxelSet& set) {
    if (array.kind == Array::Kind::real || array.item != 1)
      node_.fail(
          "a grid holds truth values or bytes; for probabilities, compare with your threshold "
          "first: (grid >= 0.5)");
    const double unknown_value = array.kind == Array::Kind::integer ? -1 : 255;
    std::size_t unknown_cells = 0;
    for (std::size_t at = 0; at < array.size(); ++at) unknown_cells += array[at] == unknown_value;
    Unknown means = Unknown::free;
    if (unknown_cells > 0) {
      means = need_unknown(fmt::format("{} cells are unknown", unknown_cells));
      note(fmt::format("{} unknown cells count as {}", unknown_cells, to_string(means)));
    }
    const std::size_t ny = array.shape[1], nz = array.shape[2];
    for (std::size_t at = 0; at < array.size(); ++at) {
      const double value = array[at];
      if (value == 0 || (value == unknown_value && means == Unknown::free)) continue;
      const std::size_t x = at / (ny * nz), y = at / nz % ny, z = at % nz;
      if (value != 1 && value != unknown_value)
        node_.fail(
            fmt::format("the value {} at [{}, {}, {}] is neither 0 (free), 1 (occupied) nor {} "
                        "(unknown)",
                        value, x, y, z, unknown_value));
      set.cells.push_back({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                           static_cast<std::int32_t>(z)});
    }
  }

  void read_indices(const Array& array, VoxelSet& set) const {
    const bool whole = array.kind == Array::Kind::natural || array.kind == Array::Kind::integer;
    if (array.shape.size() != 2 || array.shape[1] != 3 || !whole)
      node_.fail(
          fmt::format("cells are an array of shape (nx, ny, nz), or of whole numbers of shape "
                      "(n, 3); this has ({})",
                      fmt::join(array.shape, ", ")));
    for (std::size_t i = 0; i < array.shape[0]; ++i) {
      std::array<std::int32_t, 3> cell{};
      for (std::size_t k = 0; k < 3; ++k) {
        const double index = array[3 * i + k];
        if (index < static_cast<double>(kLeast) || index > static_cast<double>(kMost))
          node_.fail(fmt::format("cell {} has the index {}, which is too large", i, index));
        cell[k] = static_cast<std::int32_t>(index);
      }
      set.cells.push_back(cell);
    }
  }

  // --- Maps, images, heights ---

  void read_octomap() {
    node_.allow_keys({"file", "unknown", "region"});
    const Unknown unknown = need_unknown("an OctoMap knows only part of space");
    const auto box = region();
    VoxelSet cells = with_file(
        node_.at("file"), [&](const auto& path) { return io::read_octomap(path, unknown, box); });
    if (cells.cells.empty()) node_.fail("no cell is occupied; leave the obstacle out");
    note(fmt::format("{} cells of {} m", cells.cells.size(), cells.size));
    add(std::move(cells));
    note_unknown(unknown, "unknown space");
  }

  DepthImage depth_image() {
    const Array array =
        with_file(node_.at("file"), [](const auto& path) { return read_raster(path); });
    const double scale = metres_per_unit(array);
    const Node& given = node_.at("camera");
    given.allow_keys({"fx", "fy", "cx", "cy"});
    // Beyond 2^24 pixels the rounding of what a place falls on is not what shadow_of allows for.
    const auto pixels = [&](const char* key) {
      const Node& value = given.at(key);
      if (std::fabs(value.number()) > 0x1p24) value.fail("is beyond 2^24 pixels");
      return value.number();
    };
    DepthImage image{{pixels("fx"), pixels("fy"), pixels("cx"), pixels("cy")},
                     array.shape[0],
                     array.shape[1],
                     {}};
    given.at("fx").positive_number(), given.at("fy").positive_number();
    for (std::size_t i = 0; i < array.size(); ++i) {
      const double depth = array[i] * scale;
      if (depth < 0 || (std::isfinite(depth) && depth > kLargestCoordinate))
        node_.fail(fmt::format("a depth of {} m in row {}, column {}", depth, i / image.columns,
                               i % image.columns));
      image.depths.push_back(depth > 0 ? depth : std::numeric_limits<double>::quiet_NaN());
    }
    return image;
  }

  void read_depth() {
    node_.allow_keys({"file", "camera", "scale", "unknown", "radius", "size", "near", "far"});
    const Unknown unknown = need_unknown("behind what a camera sees it knows nothing");
    const DepthImage image = depth_image();
    const auto refuse_keys = [&](std::initializer_list<const char*> keys, const char* why) {
      for (const char* key : keys)
        if (const Node* given = node_.find(key)) given->fail(why);
    };
    if (unknown == Unknown::free) {
      refuse_keys({"size", "near", "far"}, "is of what is unknown, which counts as free");
      add_cloud({seen_points(image), 0});
    } else {
      refuse_keys({"radius"}, "what is unknown is made of cells, which have a \"size\"");
      const Shadow shadow{read_size(node_.at("size")), read_size(node_.at("near")),
                          read_size(node_.at("far"))};
      if (!(shadow.near < shadow.far)) node_.at("far").fail("must be beyond \"near\"");
      VoxelSet cells =
          at_place([&] { return node_.place(); }, [&] { return shadow_of(image, shadow); });
      if (cells.cells.empty()) node_.fail("everything is seen to be free; leave the obstacle out");
      note(fmt::format("{} cells of {} m", cells.cells.size(), cells.size));
      add(std::move(cells));
    }
    note_unknown(unknown, "space behind what was seen");
  }

  void read_heights() {
    node_.allow_keys({"file", "size", "scale", "floor"});
    const Array array =
        with_file(node_.at("file"), [](const auto& path) { return read_raster(path); });
    const double scale = metres_per_unit(array), size = read_size(node_.at("size"));
    const double floor = node_.at("floor").number();
    if (!(std::fabs(floor) <= kLargestCoordinate)) node_.at("floor").fail("is too far away");
    for (const std::size_t length : array.shape)
      if (static_cast<double>(length) * size > kLargestCoordinate) node_.fail("reaches too far");
    for (std::size_t i = 0; i < array.size(); ++i) {
      const double height = array[i] * scale;
      const std::size_t row = i / array.shape[1], column = i % array.shape[1];
      if (!(height > floor))
        node_.fail(
            fmt::format("the height {} at [{}, {}] is not above the floor; fill what is not known",
                        height, row, column));
      if (!(height <= kLargestCoordinate))
        node_.fail(fmt::format("the height {} at [{}, {}] is too large", height, row, column));
    }
    note(fmt::format("{} by {} heights", array.shape[0], array.shape[1]));
    add(solid_below(array, scale, size, floor));
  }

  const Node& node_;
  const std::filesystem::path& folder_;
  std::string note_;
  bool noted_ = false;
  CollisionElement element_;
};

}  // namespace

bool is_identity(const Pose& X) {
  const Pose none;
  return X.p == none.p && X.R.row[0] == none.R.row[0] && X.R.row[1] == none.R.row[1] &&
         X.R.row[2] == none.R.row[2];
}

const std::string* field_of_meaning(const std::vector<std::string>& fields) {
  for (const std::string& name : fields)
    if (std::find(std::begin(kPassedOver), std::end(kPassedOver), name) == std::end(kPassedOver))
      return &name;
  return nullptr;
}

CollisionElement read_sensed(const Node& shape, const std::filesystem::path& folder) {
  return SensedReader(shape, folder).read();
}

}  // namespace proven::io
