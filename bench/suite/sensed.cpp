// Worlds as a sensor sees them: from points to a scene that is ready for questions, changes, checks
// and plans among them, beside OctoMap with FCL and a k-d tree of points with a robot of spheres.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>

#include "bench/bench.h"
#include "bench/suite/sensed_rivals.h"
#include "proven/base/processor_time.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "proven/geometry/body_geometry.h"
#include "proven/io/file.h"
#include "proven/io/sensed_file.h"
#include "proven/kinematics/interpolation.h"
#include "proven/plan/plan.h"
#include "proven/scene/voxel_map.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

using Cell = VoxelMap::Cell;

constexpr int kSizes[] = {20'000, 300'000, 2'000'000};
constexpr int kQuickSizes[] = {20'000};
constexpr double kVoxel = 0.02;                              // metres
constexpr double kCoarseStep = 0.05, kPointStep = 1.0 / 32;  // rad, of those who sample
constexpr double kEdge = 0.3;                                // rad, of each joint at most

// The robot of a built-in scene, alone; its links are not tested against each other.
SceneSource robot_alone() {
  SceneSource source = make_scene("cage-a").value();
  source.obstacles.clear();
  source.attached.clear();
  source.exclusions.clear();
  source.clearances.clear();
  const Robot& robot = source.robots[0].robot;
  for (const RobotLink& a : robot.links)
    for (const RobotLink& b : robot.links)
      if (a.name < b.name)
        source.exclusions.push_back(
            {source.robots[0].name + "/" + a.name, source.robots[0].name + "/" + b.name, ""});
  // Only of bodies: links without shapes have no names to exclude.
  std::set<std::string> bodies;
  for (const RobotLink& link : robot.links)
    if (!link.collision.empty() || link.geometry)
      bodies.insert(source.robots[0].name + "/" + link.name);
  std::erase_if(source.exclusions, [&](const ExclusionSource& e) {
    return !bodies.contains(e.body_a) || !bodies.contains(e.body_b);
  });
  return source;
}

// How far the links get from the base.
double reach_of(const Scene& scene, Random& random) {
  double most = 0;
  LinkPoses poses;
  for (int i = 0; i < 200; ++i) {
    compute_poses(scene.tree(), random_configuration(scene.tree(), random), poses);
    for (int b = 0; b < static_cast<int>(scene.bodies().size()); ++b) {
      const BoundingSphere& s = scene.body(b).geometry->bounding_sphere();
      most =
          std::max(most, norm(scene.body_pose(b, poses) * s.centre - scene.body_pose(0, poses).p));
    }
  }
  return most;
}

// Walls, ceiling and some boxes around the robot, seen from inside with 2 mm of noise.
PointCloud scanned_room(const Scene& scene, int count, Random& random) {
  const double reach = reach_of(scene, random);
  struct Slab {
    Vec3 low, high;
  };
  const double r = 0.95 * reach;
  std::vector<Slab> slabs = {{{-r, -r, 1.2 * reach}, {r, r, 1.2 * reach}}};
  for (const double side : {-r, r}) {
    slabs.push_back({{side, -r, 0}, {side, r, 1.2 * reach}});
    slabs.push_back({{-r, side, 0}, {r, side, 1.2 * reach}});
  }
  for (int i = 0; i < 20; ++i) {
    const double angle = random.uniform(0, 6.28), away = reach * random.uniform(0.4, 0.8);
    const Vec3 c{away * std::cos(angle), away * std::sin(angle), reach * random.uniform(0, 1)};
    const Vec3 h = 0.1 * reach * Vec3{random.uniform(0.3, 1), random.uniform(0.3, 1), 1};
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0}) {
        Slab slab{c - h, c + h};
        slab.low[axis] = slab.high[axis] = c[axis] + side * h[axis];
        slabs.push_back(slab);
      }
  }
  std::vector<double> areas;
  double area = 0;
  for (const Slab& slab : slabs) {
    const Vec3 e = slab.high - slab.low;
    areas.push_back(area += e.x * e.y + e.y * e.z + e.z * e.x);
  }
  PointCloud cloud;
  cloud.radius = std::max(0.002, 0.6 * std::sqrt(area / count));
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(
        std::ranges::upper_bound(areas, random.uniform(0, area)) - areas.begin());
    const Slab& slab = slabs[std::min(at, slabs.size() - 1)];
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = random.uniform(slab.low[k], slab.high[k]);
    cloud.points.push_back(p + random.uniform(0, 0.002) * random.unit_vector());
  }
  return cloud;
}

std::vector<Cell> cells_of(const PointCloud& cloud) {
  std::set<Cell> cells;
  for (const Vec3& p : cloud.points)
    cells.insert({static_cast<std::int32_t>(std::floor(p.x / kVoxel)),
                  static_cast<std::int32_t>(std::floor(p.y / kVoxel)),
                  static_cast<std::int32_t>(std::floor(p.z / kVoxel))});
  return {cells.begin(), cells.end()};
}

// The least of some runs, in milliseconds of the processor.
double milliseconds(int runs, const std::function<void()>& work) {
  double least = INFINITY;
  for (int i = 0; i < runs; ++i) least = std::min(least, 1e3 * processor_seconds(work));
  return least;
}

class Room {
 public:
  Room(const Scene& robot, int count, std::uint64_t seed, bool quick, Report& report)
      : robot_(robot),
        random_(seed),
        quick_(quick),
        report_(report),
        cloud_(std::make_shared<const PointCloud>(scanned_room(robot, count, random_))),
        cells_(cells_of(*cloud_)),
        empty_(CheckModel::build(robot).value()),
        octomap_(robot),
        points_(robot) {}

  void run() {
    build();
    read_files();
    update();
    check();
    plan_path();
    memory();
  }

 private:
  Row& row(const char* what, const char* unit) {
    return report_.rows.emplace_back()
        .add("points", static_cast<std::int64_t>(cloud_->points.size()))
        .add("voxels", static_cast<std::int64_t>(cells_.size()))
        .add("what", what)
        .add("unit", unit);
  }
  CheckModel ready(Shape shape) const {
    ObstacleSource seen{"seen", {{std::move(shape), Pose{}, "seen"}}, {}};
    return empty_.with_scene(robot_.with_obstacle(std::move(seen)).value());
  }

  void build() {
    const int runs = cloud_->points.size() > 1'000'000 ? 3 : 7;
    const double cloud = milliseconds(runs, [&] { by_cloud_.emplace(ready(cloud_)); });
    const auto voxels = std::make_shared<const VoxelSet>(VoxelSet{kVoxel, cells_});
    const double boxes = milliseconds(runs, [&] { by_voxels_.emplace(ready(voxels)); });
    const double octomap =
        milliseconds(runs > 3 ? 3 : 1, [&] { octomap_.build(cloud_->points, kVoxel); });
    const double points = milliseconds(3, [&] { points_.build(cloud_->points, cloud_->radius); });
    row("points to a ready scene", "ms")
        .add("cloud", cloud)
        .add("voxel set", boxes)
        .add("OctoMap + FCL", octomap)
        .add("k-d tree", points);
  }

  // As scanners write them: floats, three to a point.
  void read_files() {
    std::string numbers;
    for (const Vec3& p : cloud_->points)
      for (int k = 0; k < 3; ++k) {
        const auto x = static_cast<float>(p[k]);
        numbers.append(reinterpret_cast<const char*>(&x), sizeof x);
      }
    const std::size_t count = cloud_->points.size();
    std::string npy =
        fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 3), }}", count);
    npy.resize(117, ' ');
    npy = std::string("\x93NUMPY\1\0\x76\0", 10) + npy + "\n";
    const std::pair<const char*, std::string> formats[] = {
        {"pcd", fmt::format("VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH {0}\nHEIGHT "
                            "1\nPOINTS {0}\nDATA binary\n",
                            count)},
        {"ply", fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty "
                            "float x\nproperty float y\nproperty float z\nend_header\n",
                            count)},
        {"npy", npy}};
    const int runs = count > 1'000'000 ? 3 : 7;
    Row files = row("a file of floats to a ready scene", "ms");
    std::vector<Vec3> points;
    for (const auto& [ending, header] : formats) {
      const std::filesystem::path file =
          std::filesystem::temp_directory_path() / fmt::format("proven-{}.{}", ::getpid(), ending);
      if (!write_file(file, header + numbers).ok()) return;
      files.add(ending, milliseconds(runs, [&] {
                  points = load_points(file).value();
                  PointCloud cloud{std::move(points), cloud_->radius};
                  const CheckModel made =
                      ready(std::make_shared<const PointCloud>(std::move(cloud)));
                }));
      points = load_points(file).value();
      std::filesystem::remove(file);
    }
    report_.rows.back() = files;
    row("the radius from the spacing", "ms").add("cloud", milliseconds(runs, [&] {
                                                   (void)radius_of_spacing(points).value();
                                                 }));
  }

  // One in a hundred voxels: those around a place move by two cells, or single ones come and go.
  void update() {
    VoxelMap map("map", kVoxel);
    Scene scene = robot_.with_obstacles(map.update(cells_).value()).value();
    CheckModel model = empty_.with_scene(scene);
    const std::size_t share = cells_.size() / 200;  // as many go as come
    std::vector<Cell> sorted = cells_;
    const Cell middle =
        sorted[static_cast<std::size_t>(random_.index(static_cast<int>(sorted.size())))];
    const auto away = [&](const Cell& c) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < 3; ++k)
        sum += std::int64_t{1} * (c[k] - middle[k]) * (c[k] - middle[k]);
      return sum;
    };
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(share), {}, away);
    std::vector<Cell> goes(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(share));
    std::vector<Cell> comes = goes;
    for (Cell& c : comes) c[2] += 2;
    std::size_t blocks = 0;
    const auto change = [&](std::span<const Cell> in, std::span<const Cell> out) {
      auto changed = map.update(in, out).value();
      blocks = changed.size();
      scene = scene.with_obstacles(std::move(changed)).value();
      model = model.with_scene(scene);
    };
    bool forth = true;
    const double near = milliseconds(10, [&] {
      forth ? change(comes, goes) : change(goes, comes);
      forth = !forth;
    });
    const std::size_t near_blocks = blocks;
    const double octomap = milliseconds(10, [&] {
      forth ? octomap_.change(comes, goes, kVoxel) : octomap_.change(goes, comes, kVoxel);
      forth = !forth;
    });
    row("1 % of the voxels changes, in one place", "ms")
        .add("voxel map", near)
        .add("OctoMap + FCL", octomap)
        .add("blocks", static_cast<std::int64_t>(near_blocks));
    goes.clear();
    for (std::size_t i = 0; i < share; ++i)
      goes.push_back(
          cells_[static_cast<std::size_t>(random_.index(static_cast<int>(cells_.size())))]);
    comes = goes;
    for (Cell& c : comes) c[2] += 2;
    const double scattered = milliseconds(4, [&] {
      forth ? change(comes, goes) : change(goes, comes);
      forth = !forth;
    });
    row("1 % of the voxels changes, all over", "ms")
        .add("voxel map", scattered)
        .add("blocks", static_cast<std::int64_t>(blocks));
    octomap_.build(cloud_->points, kVoxel);
  }

  using Edge = std::array<std::vector<double>, 2>;

  std::vector<Edge> random_edges(int count) {
    std::vector<Edge> edges;
    Scratch scratch;
    while (static_cast<int>(edges.size()) < count) {
      Edge edge;
      edge[0] = random_configuration(robot_.tree(), random_);
      if (by_cloud_->check_configuration(edge[0], scratch).verdict != Verdict::free) continue;
      edge[1] = edge[0];
      for (std::size_t i = 0; i < edge[1].size(); ++i) {
        const Coordinate& c = robot_.tree().coordinates()[i];
        edge[1][i] = std::clamp(edge[1][i] + random_.uniform(-kEdge, kEdge), c.lower, c.upper);
      }
      edges.push_back(std::move(edge));
    }
    return edges;
  }

  template <class Collides>
  bool sampled(const Edge& edge, double step, const Collides& collides) {
    double length = 0;
    for (std::size_t i = 0; i < edge[0].size(); ++i)
      length = std::max(length, std::fabs(edge[1][i] - edge[0][i]));
    const int steps = std::max(1, static_cast<int>(std::ceil(length / step)));
    std::vector<double> q(edge[0].size());
    for (int k = 0; k <= steps; ++k) {
      interpolate(robot_.tree(), edge[0], edge[1], static_cast<double>(k) / steps, q);
      if (collides(q)) return true;
    }
    return false;
  }

  void check() {
    const std::vector<Edge> edges = random_edges(quick_ ? 60 : 400);
    Scratch scratch;
    struct Times {
      double cloud = 0, voxels = 0, octomap = 0, points = 0;
      std::int64_t count = 0, octomap_says_free = 0, points_say_free = 0, voxels_free = 0;
    } times[2];
    for (const Edge& edge : edges) {
      const auto ask = [&](const CheckModel& model, double& seconds) {
        Verdict verdict{};
        seconds = processor_seconds([&] {
          verdict = model.check_segment({edge[0], edge[1]}, scratch).verdict;
        });
        return verdict;
      };
      double cloud = 0, voxels = 0;
      const Verdict verdict = ask(*by_cloud_, cloud);
      const Verdict of_voxels = ask(*by_voxels_, voxels);
      if (verdict == Verdict::undecided) continue;
      Times& t = times[verdict == Verdict::free ? 0 : 1];
      ++t.count;
      t.cloud += cloud, t.voxels += voxels;
      t.voxels_free += of_voxels == Verdict::free;
      bool hit = false;
      t.octomap += processor_seconds([&] {
        hit = sampled(edge, kCoarseStep, [&](const auto& q) { return octomap_.collides(q); });
      });
      t.octomap_says_free += !hit;
      t.points += processor_seconds([&] {
        hit = sampled(edge, kPointStep, [&](const auto& q) { return points_.collides(q); });
      });
      t.points_say_free += !hit;
    }
    for (const bool free : {true, false}) {
      const Times& t = times[free ? 0 : 1];
      const double n = std::max<double>(1, static_cast<double>(t.count)) * 1e-6;
      row(free ? "a free edge" : "a colliding edge", "us")
          .add("cloud", t.cloud / n)
          .add("voxel set", t.voxels / n)
          .add("OctoMap + FCL", t.octomap / n)
          .add("k-d tree", t.points / n);
      row(free ? "of free edges, called free" : "of colliding edges, called free", "edges")
          .add("cloud", free ? t.count : 0)
          .add("voxel set", t.voxels_free)
          .add("OctoMap + FCL", t.octomap_says_free)
          .add("k-d tree", t.points_say_free)
          .add("edges", t.count);
    }
  }

  // RRT-Connect, as sampling planners do it, on edges that are looked at and not proved.
  template <class Collides>
  bool connect(const Edge& ends, double step, const Collides& collides, std::uint64_t seed) {
    constexpr int kMost = 3000;     // samples
    constexpr double kReach = 1.0;  // of an extension, in the longest joint
    Random random(seed);
    using Tree = std::vector<std::vector<double>>;
    Tree trees[2] = {{ends[0]}, {ends[1]}};
    const auto length = [](const std::vector<double>& a, const std::vector<double>& b) {
      double most = 0;
      for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
      return most;
    };
    // Whether the tree comes to `to` itself.
    const auto extend = [&](Tree& tree, const std::vector<double>& to, std::vector<double>& at) {
      const auto nearest =
          std::ranges::min_element(tree, {}, [&](const auto& node) { return length(node, to); });
      const double away = length(*nearest, to);
      Edge edge = {*nearest, to};
      if (away > kReach)
        for (std::size_t i = 0; i < to.size(); ++i)
          edge[1][i] = edge[0][i] + (to[i] - edge[0][i]) * kReach / away;
      if (sampled(edge, step, collides)) return std::pair(false, false);
      at = edge[1];
      tree.push_back(at);
      return std::pair(true, away <= kReach);
    };
    for (int i = 0; i < kMost; ++i) {
      std::vector<double> at, other;
      if (!extend(trees[0], random_configuration(robot_.tree(), random), at).first) continue;
      for (std::pair<bool, bool> went{true, false}; went.first;) {
        went = extend(trees[1], at, other);
        if (went.second) return true;
      }
      std::swap(trees[0], trees[1]);
    }
    return false;
  }

  void plan_path() {
    const int count = quick_ ? 2 : 10;
    std::vector<double> cloud, voxels, octomap, points;
    std::int64_t solved[4] = {};
    for (int i = 0; i < count; ++i) {
      const std::vector<Edge> ends = random_edges(2);
      const Edge query = {ends[0][0], ends[1][0]};
      const auto seed = static_cast<std::uint64_t>(i) + 1;
      const auto ours = [&](const CheckModel& model, std::int64_t& found) {
        PlanOptions options;
        options.seed = seed;
        const Budget budget = Budget::of_seconds(10);
        return 1e3 * processor_seconds([&] {
                 const auto planned = plan(model, {query[0], query[1]}, options, budget);
                 found += planned.ok() && planned.value().status == PlanStatus::solved;
               });
      };
      cloud.push_back(ours(*by_cloud_, solved[0]));
      voxels.push_back(ours(*by_voxels_, solved[1]));
      octomap.push_back(1e3 * processor_seconds([&] {
                          solved[2] += connect(
                              query, kCoarseStep,
                              [&](const auto& q) { return octomap_.collides(q); }, seed);
                        }));
      points.push_back(1e3 * processor_seconds([&] {
                         solved[3] += connect(
                             query, kPointStep, [&](const auto& q) { return points_.collides(q); },
                             seed);
                       }));
    }
    row("a plan, median", "ms")
        .add("cloud", quantile(cloud, 0.5))
        .add("voxel set", quantile(voxels, 0.5))
        .add("OctoMap + FCL", quantile(octomap, 0.5))
        .add("k-d tree", quantile(points, 0.5));
    row(fmt::format("of {} plans, found", count).c_str(), "plans")
        .add("cloud", solved[0])
        .add("voxel set", solved[1])
        .add("OctoMap + FCL", solved[2])
        .add("k-d tree", solved[3]);
  }

  void memory() {
    const auto bytes_of = [](const CheckModel& model) {
      const BodyGeometry& seen = *model.scene().bodies().back().geometry;
      const BoxTree& tree = seen.box_tree();
      return tree.nodes.capacity() * sizeof(BoxNode) + tree.points.capacity() * sizeof(Vec3) +
             tree.order.capacity() * sizeof(int) + seen.grains().size() * sizeof(Vec3) +
             seen.grains().halves().size() * sizeof(Vec3);
    };
    constexpr double kMega = 1e-6;
    row("memory", "MB")
        .add("cloud", kMega * static_cast<double>(bytes_of(*by_cloud_)))
        .add("voxel set", kMega * static_cast<double>(bytes_of(*by_voxels_)))
        .add("OctoMap + FCL", kMega * static_cast<double>(octomap_.bytes()))
        .add("k-d tree", kMega * static_cast<double>(points_.bytes()));
  }

  const Scene& robot_;
  Random random_;
  bool quick_;
  Report& report_;
  std::shared_ptr<const PointCloud> cloud_;
  std::vector<Cell> cells_;
  CheckModel empty_;
  std::optional<CheckModel> by_cloud_, by_voxels_;
  OctomapRival octomap_;
  PointTreeRival points_;
};

Result<Report> run(const Options& options) {
  const auto robot = build_scene(robot_alone());
  if (!robot.ok()) return robot.error();
  Report report;
  const std::span<const int> sizes =
      options.quick ? std::span<const int>(kQuickSizes) : std::span<const int>(kSizes);
  std::size_t done = 0;
  for (const int size : sizes) {
    if (options.cases > 0 && size != options.cases) continue;
    Room(robot.value(), size, options.seed, options.quick, report).run();
    options.progress(static_cast<double>(++done) / static_cast<double>(sizes.size()));
  }
  report.notes = {
      "Milliseconds of the processor, one thread, the least of some runs. Ready: geometry, tree, "
      "hash, scene and model, so that the next call is a question. --cases N: only the room of N "
      "points.",
      "cloud: a ball for each point; voxel set and map, OctoMap: cells of 2 cm that hold a point. "
      "Edges: every joint by up to 0.3 rad; we prove, OctoMap + FCL looks every 0.05 rad, the k-d "
      "tree every 1/32 rad at balls that hold the links. The edges are called free or colliding by "
      "the proof about the cloud: cells are larger than its balls, or smaller. Plans: RRT-Connect "
      "for all, ours proved in the end, 3,000 samples at most for the others.",
      "Memory: of the trees and pieces; the points themselves are not counted."};
  return report;
}

}  // namespace

Benchmark sensed() {
  return {
      "sensed",
      "clouds and voxels: building, changing, checking and planning, beside OctoMap and k-d trees",
      run};
}

}  // namespace proven::bench
