// The shapes of scenes that sensors saw (docs/formats.md, Sensed bodies).
#include "verify/readers/sensed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "verify/readers/scenes.h"

namespace proven::verifier {
namespace {

constexpr double kIndexEnd = 0x1p20;  // indices of cells are smaller
constexpr std::size_t kMostCells = 50'000'000;

class Sensed {
  // What `read` makes of the file that this member names.
  template <class Read>
  auto named(const char* key, Read&& read) const {
    return said_.at(key).naming(folder_ / said_.at(key).text(), read);
  }

 public:
  Sensed(const Value& said, const std::filesystem::path& folder) : said_(said), folder_(folder) {}

  Shape read() {
    if (said_.key == "cloud") {
      said_.only({"points", "radius", "scale", "region", "unknown", "coordinates", "ignore"});
      return cloud(said_.at("points").kind == Value::Kind::text ? filed() : listed());
    }
    if (said_.key == "voxels") {
      said_.only({"cells", "size", "unknown"});
      return cells();
    }
    if (said_.key == "octomap") {
      said_.only({"file", "unknown", "region"});
      const bool occupied = need_unknown();
      const auto box = region();
      return filled(
          named("file", [&](const auto& file) { return read_octomap(file, occupied, box); }));
    }
    if (said_.key == "heights") {
      said_.only({"file", "size", "scale", "floor"});
      return heights();
    }
    said_.only({"file", "camera", "scale", "unknown", "radius", "size", "near", "far"});
    return depth();
  }

 private:
  // Whether what is unknown counts as occupied.
  bool need_unknown() const {
    const std::string& word = said_.at("unknown").text();
    if (word != "free" && word != "occupied") said_.at("unknown").fail("free or occupied");
    return word == "occupied";
  }

  std::optional<Corners> region() const {
    const Value* given = said_.find("region");
    if (!given) return std::nullopt;
    if (given->list().size() != 2) given->fail("expected two corners");
    const auto corner = [&](std::size_t i) {
      return given->here([&] { return checked_position(given->list()[i].vector()); });
    };
    const Corners corners{corner(0), corner(1)};
    for (int i = 0; i < 3; ++i)
      if (!(corners.low[i] < corners.high[i])) given->fail("corners in the wrong order");
    return corners;
  }

  // Of whole numbers it must be said.
  double scale_of(const Numbers& numbers) const {
    const Value* scale = said_.find("scale");
    if (!scale && numbers.whole) said_.fail("whole numbers need a scale");
    if (scale && !(scale->number() > 0)) scale->fail("expected a number above 0");
    return scale ? scale->number() : 1;
  }

  Shape filled(VoxelSet set) const {
    if (set.cells.empty()) said_.fail("no cell is occupied");
    return std::make_shared<const VoxelSet>(std::move(set));
  }

  // --- Points ---

  std::vector<Vec3> listed() const {
    for (const char* key : {"unknown", "coordinates", "ignore"})
      if (said_.find(key)) said_.at(key).fail("is for files");
    std::vector<Vec3> places;
    for (const Value& point : said_.at("points").list())
      places.push_back(point.here([&] { return checked_position(point.vector()); }));
    return places;
  }

  static Points points_of_array(const std::filesystem::path& file) {
    Numbers numbers = read_npy(file);
    const auto& lengths = numbers.lengths;
    if ((lengths.size() != 2 && lengths.size() != 3) || lengths.back() != 3 || numbers.whole ||
        numbers.truths)
      refuse(file.string(), "points are floats, three in a row");
    Points points;
    for (std::size_t i = 0; i + 2 < numbers.values.size(); i += 3)
      points.places.push_back({numbers.values[i], numbers.values[i + 1], numbers.values[i + 2]});
    return points;
  }

  std::vector<Vec3> filed() const {
    const Points points = named("points", [](const std::filesystem::path& file) {
      const std::string ending = ending_of(file);
      if (ending == ".pcd") return read_pcd(file);
      if (ending == ".ply") return read_ply_points(file);
      if (ending == ".npy") return points_of_array(file);
      refuse(file.string(), "points are PCD, PLY or npy");
    });
    judge_fields(points.fields);
    const Value* whose = said_.find("coordinates");
    if (whose && whose->text() != "sensor" && whose->text() != "world")
      whose->fail("sensor or world");
    const Mat3 level;
    bool moved = !(points.sensor.p == Vec3{});
    for (std::size_t i = 0; i < 3; ++i) moved = moved || !(points.sensor.R.row[i] == level.row[i]);
    if (moved && !whose) said_.fail("a viewpoint, and nothing says whose coordinates these are");
    std::vector<Vec3> seen;
    for (Vec3 p : points.places) {
      if (whose && whose->text() == "sensor") p = points.sensor * p;
      if (is_finite(p)) seen.push_back(p);
    }
    if (seen.size() < points.places.size() && need_unknown())
      said_.at("unknown").fail("points that were not seen are nowhere");
    if (said_.find("unknown")) need_unknown();
    return seen;
  }

  void judge_fields(const std::vector<std::string>& fields) const {
    const std::vector<std::string> silent = {
        "_",     "rgb",  "rgba",      "r",         "g",        "b",        "a",        "red",
        "green", "blue", "alpha",     "intensity", "normal_x", "normal_y", "normal_z", "nx",
        "ny",    "nz",   "curvature", "label",     "ring",     "time",     "t",        "timestamp"};
    std::vector<std::string> ignored;
    if (const Value* ignore = said_.find("ignore")) ignored = ignore->texts();
    const auto in = [](const auto& list, const std::string& name) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    for (const std::string& name : ignored)
      if (!in(fields, name)) said_.fail("a field to be ignored is not there");
    for (const std::string& name : fields)
      if (!in(silent, name) && !in(ignored, name)) said_.fail("a field that is not known: " + name);
  }

  Shape cloud(std::vector<Vec3> places) const {
    Vec3 scale{1, 1, 1};
    if (const Value* given = said_.find("scale")) {
      if (given->kind == Value::Kind::number)
        scale = {given->number(), given->number(), given->number()};
      else
        scale = given->vector();
      given->here([&] { checked_scale(scale); });
    }
    PointCloud cloud;
    const auto box = region();
    for (const Vec3& p : places) {
      const Vec3 q = said_.here([&] {
        return checked_position({p.x * scale.x, p.y * scale.y, p.z * scale.z});
      });
      bool inside = true;
      for (int i = 0; box && i < 3; ++i)
        inside = inside && q[i] >= box->low[i] && q[i] <= box->high[i];
      if (inside) cloud.points.push_back(q);
    }
    return balls(std::move(cloud));
  }

  Shape balls(PointCloud cloud) const {
    if (cloud.points.empty()) said_.fail("no points");
    if (const Value* radius = said_.find("radius")) {
      cloud.radius = size_at(*radius);
    } else {
      const auto found = radius_of_spacing(cloud.points);
      if (!found) said_.fail("one place alone needs a radius");
      cloud.radius = said_.here([&] { return checked_size(*found); });
    }
    return std::make_shared<const PointCloud>(std::move(cloud));
  }

  // --- Cells ---

  std::int32_t index(double number) const {
    if (!(number >= -kIndexEnd && number < kIndexEnd) || number != std::floor(number))
      said_.fail("an index of a cell that is not whole, or too large");
    return static_cast<std::int32_t>(number);
  }

  Shape cells() const {
    VoxelSet set;
    set.size = size_at(said_.at("size"));
    const Value& list = said_.at("cells");
    const bool filed = list.kind == Value::Kind::text;
    if (filed && said_.find("unknown")) need_unknown();
    if (!filed) {
      if (said_.find("unknown")) said_.at("unknown").fail("is for files");
      for (const Value& cell : list.list()) {
        const auto& at = cell.numbers(3);
        set.cells.push_back({index(at[0]), index(at[1]), index(at[2])});
      }
    } else {
      const Numbers numbers = named("cells", read_npy);
      if (numbers.lengths.size() == 3)
        grid(numbers, set);
      else
        rows(numbers, set);
    }
    for (const auto& cell : set.cells)
      for (const std::int32_t i : cell)
        if (!(std::fabs(i) * set.size <= kFarthest - set.size))
          said_.fail("a cell is too far away");
    return filled(std::move(set));
  }
  void rows(const Numbers& numbers, VoxelSet& set) const {
    if (numbers.lengths.size() != 2 || numbers.lengths[1] != 3 || !numbers.whole)
      said_.fail("cells are three whole numbers each");
    for (std::size_t i = 0; i < numbers.values.size(); i += 3)
      set.cells.push_back(
          {index(numbers.values[i]), index(numbers.values[i + 1]), index(numbers.values[i + 2])});
  }
  void grid(const Numbers& numbers, VoxelSet& set) const {
    if (numbers.bytes != 1) said_.fail("a grid holds truth values or bytes");
    const double nobody_knows = numbers.negative ? -1 : 255;
    std::size_t at = 0;
    for (std::size_t x = 0; x < numbers.lengths[0]; ++x)
      for (std::size_t y = 0; y < numbers.lengths[1]; ++y)
        for (std::size_t z = 0; z < numbers.lengths[2]; ++z) {
          const double value = numbers.values[at++];
          if (value != 0 && value != 1 && value != nobody_knows)
            said_.fail("a value without meaning");
          if (value == 1 || (value == nobody_knows && need_unknown()))
            set.cells.push_back({index(static_cast<double>(x)), index(static_cast<double>(y)),
                                 index(static_cast<double>(z))});
        }
  }

  // --- Images ---

  Numbers image() const {
    Numbers numbers = named("file", [](const std::filesystem::path& file) {
      const std::string ending = ending_of(file);
      if (ending == ".png") return read_png(file);
      if (ending == ".npy") return read_npy(file);
      refuse(file.string(), "images are PNG or npy");
    });
    if (numbers.lengths.size() != 2 || numbers.values.empty() || numbers.truths)
      said_.fail("images are rows and columns of numbers");
    return numbers;
  }

  Shape depth() const {
    const bool occupied = need_unknown();
    Numbers seen = image();
    const double scale = scale_of(seen);
    const Value& camera = said_.at("camera");
    camera.only({"fx", "fy", "cx", "cy"});
    double f[2], c[2];
    int i = 0;
    for (const char* key : {"fx", "fy", "cx", "cy"}) {
      const double number = camera.at(key).number();
      if (std::fabs(number) > 0x1p24 || (i < 2 && !(number > 0)))
        camera.at(key).fail("out of range");
      (i < 2 ? f[i] : c[i - 2]) = number;
      ++i;
    }
    for (double& z : seen.values) {
      z *= scale;
      if (z < 0 || (std::isfinite(z) && z > kFarthest)) said_.fail("an impossible depth");
      if (!(z > 0 && std::isfinite(z))) z = std::numeric_limits<double>::quiet_NaN();
    }
    for (const char* key : {"size", "near", "far"})
      if (!occupied && said_.find(key)) said_.at(key).fail("is of what is unknown");
    if (occupied && said_.find("radius")) said_.at("radius").fail("cells have no radius");
    return occupied ? behind(seen, f, c) : surface(seen, f, c);
  }

  Shape surface(const Numbers& seen, const double (&f)[2], const double (&c)[2]) const {
    PointCloud cloud;
    for (std::size_t i = 0; i < seen.values.size(); ++i) {
      const double z = seen.values[i];
      const auto u = static_cast<double>(i % seen.lengths[1]),
                 v = static_cast<double>(i / seen.lengths[1]);
      if (std::isfinite(z))
        cloud.points.push_back({(u - c[0]) / f[0] * z, (v - c[1]) / f[1] * z, z});
    }
    return balls(std::move(cloud));
  }

  // The pixels of an axis, from the first to before the last, on which the cell with this index
  // falls between two distances.
  struct Span {
    long first, last;
  };
  static Span pixels(double f, double c, long index, double size, double near, double far,
                     std::size_t count) {
    const double low = static_cast<double>(index) * size,
                 high = static_cast<double>(index + 1) * size;
    const double from = c + f * (low / (low < 0 ? near : far)),
                 to = c + f * (high / (high > 0 ? near : far));
    const auto end = static_cast<double>(count);
    const double first = std::ceil(from - 0.5 - 0x1p-20), last = std::floor(to + 0.5 + 0x1p-20) + 1;
    return {static_cast<long>(std::min(std::max(first, 0.0), end)),
            static_cast<long>(std::min(std::max(last, 0.0), end))};
  }

  Shape behind(const Numbers& seen, const double (&f)[2], const double (&c)[2]) const {
    VoxelSet set;
    const double s = set.size = size_at(said_.at("size"));
    const double near = size_at(said_.at("near")), far = size_at(said_.at("far"));
    if (!(near < far)) said_.at("far").fail("must be beyond near");
    const std::size_t columns = seen.lengths[1], rows = seen.lengths[0];
    // How far the view reaches at its end, in cells.
    const auto reach = [&](double pixel, double fi, double ci, double z) {
      return (pixel - ci) / fi * z / s;
    };
    const auto limited = [&](double cell) {
      if (!(std::fabs(cell) < kIndexEnd)) said_.fail("too many cells");
      return static_cast<long>(cell);
    };
    const long layers = limited(std::ceil(far / s));
    for (auto k = static_cast<long>(std::floor(near / s)); k < layers; ++k) {
      const double z0 = std::max(static_cast<double>(k) * s, near);
      const double z1 = static_cast<double>(k + 1) * s * (1 + 0x1p-50);
      long edge[4];  // the first cells and the last along x and y, one more than can be seen
      for (int axis = 0; axis < 2; ++axis) {
        const auto count = static_cast<double>(axis == 0 ? columns : rows);
        edge[2 * axis] = limited(std::floor(std::min(0.0, reach(-0.5, f[axis], c[axis], z1))) - 1);
        edge[2 * axis + 1] =
            limited(std::ceil(std::max(0.0, reach(count - 0.5, f[axis], c[axis], z1))) + 1);
      }
      for (long i = edge[0]; i < edge[1]; ++i) {
        const Span u = pixels(f[0], c[0], i, s, z0, z1, columns);
        for (long j = edge[2]; u.first < u.last && j < edge[3]; ++j) {
          const Span v = pixels(f[1], c[1], j, s, z0, z1, rows);
          bool hidden = false;
          for (long row = v.first; row < v.last && !hidden; ++row)
            for (long column = u.first; column < u.last && !hidden; ++column) {
              const double z = seen.values[static_cast<std::size_t>(row) * columns +
                                           static_cast<std::size_t>(column)];
              hidden = !std::isfinite(z) || z <= z1;
            }
          if (!hidden) continue;
          if (set.cells.size() >= kMostCells) said_.fail("too many cells");
          set.cells.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j),
                               static_cast<std::int32_t>(k)});
        }
      }
    }
    std::sort(set.cells.begin(), set.cells.end());
    return filled(std::move(set));
  }

  // Triangles over the corners of the cells, each corner as high as the highest cell around it;
  // walls and a floor below.
  Shape heights() const {
    const Numbers numbers = image();
    const double scale = scale_of(numbers), s = size_at(said_.at("size")),
                 floor = said_.at("floor").number();
    if (std::fabs(floor) > kFarthest) said_.at("floor").fail("too far away");
    const std::size_t nx = numbers.lengths[0], ny = numbers.lengths[1];
    if (static_cast<double>(nx) * s > kFarthest || static_cast<double>(ny) * s > kFarthest)
      said_.fail("reaches too far");
    for (const double h : numbers.values)
      if (!(h * scale > floor && h * scale <= kFarthest))
        said_.fail("a height is not above the floor, or too large");
    TriangleMesh mesh;
    const auto corner = [&](std::size_t i, std::size_t j, double z) {
      mesh.vertices.push_back({static_cast<double>(i) * s, static_cast<double>(j) * s, z});
    };
    for (std::size_t i = 0; i <= nx; ++i)
      for (std::size_t j = 0; j <= ny; ++j) {
        double top = floor;
        for (std::size_t a = i > 0 ? i - 1 : 0; a <= i && a < nx; ++a)
          for (std::size_t b = j > 0 ? j - 1 : 0; b <= j && b < ny; ++b)
            top = std::max(top, numbers.values[a * ny + b] * scale);
        corner(i, j, top);
      }
    const auto at = [ny](std::size_t i, std::size_t j) {
      return static_cast<std::uint32_t>(i * (ny + 1) + j);
    };
    for (std::size_t i = 0; i < nx; ++i)
      for (std::size_t j = 0; j < ny; ++j) {
        mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
        mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    // Around the border: up y at the near side, along x, down y, and back.
    std::vector<std::uint32_t> border;
    const auto centre = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.push_back(
        {0.5 * (static_cast<double>(nx) * s), 0.5 * (static_cast<double>(ny) * s), floor});
    std::size_t i = 0, j = 0;
    do {
      border.push_back(at(i, j));
      corner(i, j, floor);
      if (i == 0 && j < ny)
        ++j;
      else if (j == ny && i < nx)
        ++i;
      else if (i == nx && j > 0)
        --j;
      else
        --i;
    } while (i != 0 || j != 0);
    const auto n = static_cast<std::uint32_t>(border.size());
    for (std::uint32_t a = 0; a < n; ++a) {
      const std::uint32_t b = (a + 1) % n;
      mesh.triangles.push_back({border[a], border[b], centre + 1 + b});
      mesh.triangles.push_back({border[a], centre + 1 + b, centre + 1 + a});
      mesh.triangles.push_back({centre, centre + 1 + a, centre + 1 + b});
    }
    return std::make_shared<const TriangleMesh>(std::move(mesh));
  }

  const Value& said_;
  const std::filesystem::path& folder_;
};

}  // namespace

Shape sensed_shape(const Value& said, const std::filesystem::path& folder) {
  return Sensed(said, folder).read();
}

}  // namespace proven::verifier
