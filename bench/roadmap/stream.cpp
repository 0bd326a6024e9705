// A sensor in the loop of a dynamic roadmap: clouds go as bytes to `proven roadmap watch`, and each
// is answered by a path that is proved and verified. What that takes, end to end, with its parts.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>

#include "bench/bench.h"
#include "bench/roadmap/watch_process.h"
#include "bench/temporary_folder.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "proven/io/file.h"
#include "proven/io/roadmap_file.h"
#include "proven/io/scene_file.h"
#include "proven/io/scene_writer.h"
#include "proven/roadmap/roadmap.h"
#include "scenes/assembly.h"
#include "scenes/robots.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

constexpr double kRadius = 0.01;  // of each point, in metres
constexpr double kNoise = 0.002;

struct Size {
  int triangles, nodes, points, steps;
  double cell;
};

// The robot of the demo with more triangles; all else of its cell is what the sensor sees.
SceneSource make_robot(int triangles) {
  SceneSource source;
  scenes::add_robot(source, "arm",
                    scenes::make_arm("arm", scenes::irb_2400_like(20, true),
                                     {scenes::Tool::gripper, triangles, 0, 0}));
  return source;
}

double area_of(const ObstacleSource& obstacle) {
  const Shape& shape = obstacle.elements[0].shape;
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vec3& h = box->half_extents;
    return 8 * (h.x * h.y + h.y * h.z + h.z * h.x);
  }
  const auto& cylinder = std::get<Cylinder>(shape);
  return 4 * std::numbers::pi * cylinder.radius * cylinder.half_length;
}

// On the surface of a box, or on the mantle of a cylinder.
Vec3 point_on(const ObstacleSource& obstacle, Random& random) {
  const Shape& shape = obstacle.elements[0].shape;
  Vec3 p;
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vec3& h = box->half_extents;
    const double areas[3] = {h.y * h.z, h.z * h.x, h.x * h.y};
    double at = random.uniform(0, areas[0] + areas[1] + areas[2]);
    int face = 0;
    for (; face < 2 && at > areas[face]; ++face) at -= areas[face];
    for (int k = 0; k < 3; ++k) p[k] = random.uniform(-h[k], h[k]);
    p[face] = random.index(2) == 0 ? h[face] : -h[face];
  } else {
    const auto& cylinder = std::get<Cylinder>(shape);
    const double angle = random.uniform(0, 2 * std::numbers::pi);
    p = {cylinder.radius * std::cos(angle), cylinder.radius * std::sin(angle),
         random.uniform(-cylinder.half_length, cylinder.half_length)};
  }
  for (int k = 0; k < 3; ++k) p[k] += random.uniform(-kNoise, kNoise);
  return obstacle.X_WB * p;
}

// The cell of the demo, in which something is carried around the arm: a tenth of the points are on
// it. Every cloud is seen anew, in no order.
std::vector<float> see(const std::vector<ObstacleSource>& cell, int step, int points,
                       Random& random) {
  const double angle = 0.15 * step;
  const ObstacleSource carried = {"carried",
                                  {{Box{{0.1, 0.1, 0.15}}, {}, ""}},
                                  Pose::translation({0.9 * std::cos(angle), 0.5 * std::sin(angle),
                                                     1.3 + 0.2 * std::sin(0.7 * angle)})};
  double sum = 0;
  for (const ObstacleSource& obstacle : cell) sum += area_of(obstacle);
  std::vector<float> xyz;
  for (int i = 0; i < points; ++i) {
    const ObstacleSource* on = &carried;
    if (random.index(10) != 0) {
      double at = random.uniform(0, sum);
      std::size_t k = 0;
      for (; k + 1 < cell.size() && at > area_of(cell[k]); ++k) at -= area_of(cell[k]);
      on = &cell[k];
    }
    const Vec3 p = point_on(*on, random);
    for (int k = 0; k < 3; ++k) xyz.push_back(static_cast<float>(p[k]));
  }
  return xyz;
}

// Where the program runs: its scene, roadmap and query as files.
struct Place {
  Scene scene;
  std::vector<std::vector<double>> ends;  // start and goal
  std::vector<std::string> files;         // for the command line
};

Result<Place> prepare(const Size& size, const TemporaryFolder& folder, const Options& options) {
  Place place;
  if (auto saved = save_scene(make_robot(size.triangles), folder / "robot"); !saved.ok())
    return saved.error();
  place.files = {(folder / "robot" / "scene.json").string(), (folder / "arm.roadmap").string(),
                 (folder / "query.json").string()};
  auto source = load_scene_source(place.files[0]);
  if (!source.ok()) return source.error();
  auto scene = build_scene(source.value());
  if (!scene.ok()) return scene.error();
  place.scene = std::move(scene).value();
  roadmap::BuildOptions build;
  build.nodes = size.nodes;
  build.cell = size.cell;
  build.seed = options.seed;
  build.threads = options.threads;
  const auto model = roadmap::build(place.scene, {}, place.scene.home(), build);
  if (!model.ok()) return model.error();
  if (auto saved = save_roadmap(place.files[1], model.value()); !saved.ok()) return saved.error();
  const SceneInfo& demo = *find_scene("demo");
  Json query = {{"proven", 1},
                {"joints", demo.query.joints},
                {"start", demo.query.start},
                {"goal", demo.query.goal}};
  if (auto saved = write_file(place.files[2], query.dump()); !saved.ok()) return saved.error();
  for (const auto& values : {demo.query.start, demo.query.goal}) {
    place.ends.emplace_back(place.scene.home().begin(), place.scene.home().end());
    for (std::size_t k = 0; k < demo.query.joints.size(); ++k)
      place.ends.back()[static_cast<std::size_t>(
          place.scene.tree().find_coordinate(demo.query.joints[k]))] = values[k];
  }
  return place;
}

struct Counts {
  int solved = 0, refuted = 0, not_verified = 0, errors = 0;
  std::string first_error;
  std::vector<double> lengths;
  std::map<std::string, std::vector<double>> ms;  // of each part
};

std::string change_of(const Place& place, const std::vector<float>& xyz, int step) {
  std::string frame(xyz.size() * sizeof(float), '\0');
  std::memcpy(frame.data(), xyz.data(), frame.size());
  // Back and forth.
  const std::size_t from = static_cast<std::size_t>(step % 2);
  const Json change = {{"points",
                        {{{"name", "seen"},
                          {"xyz", {{"type", "float32"}, {"count", xyz.size() / 3}}},
                          {"radius", kRadius}}}},
                       {"start", place.ends[from]},
                       {"goal", place.ends[1 - from]},
                       {"bytes", frame.size()}};
  return change.dump() + "\n" + frame;
}

// The path among the cloud that was sent, asked of the library.
bool is_free(const Scene& robot, const std::vector<float>& xyz, const Json& answer) {
  auto cloud = std::make_shared<PointCloud>();
  cloud->radius = kRadius;
  for (std::size_t i = 0; i < xyz.size(); i += 3)
    cloud->points.push_back({double{xyz[i]}, double{xyz[i + 1]}, double{xyz[i + 2]}});
  const auto scene =
      robot.with_obstacle({"seen", {{std::shared_ptr<const PointCloud>(cloud), {}, ""}}, {}});
  if (!scene.ok()) return false;
  Motion path;
  path.waypoints = answer["waypoints"];
  Scratch scratch;
  const auto checked = check(scene.value(), path, {}, scratch);
  return checked.ok() && checked.value().verdict == Verdict::free;
}

Result<Counts> watch(const Place& place, const Size& size, const std::string& smooth_ms,
                     const Options& options) {
  std::vector<std::string> arguments = place.files;
  arguments.insert(arguments.end(), {"--smooth-ms", smooth_ms});
  auto program = WatchProcess::start(arguments);
  if (!program.ok()) return program.error();
  const std::vector<ObstacleSource> cell = make_scene("demo").value().obstacles;
  Random random(options.seed);
  Counts counts;
  for (int step = 0; step < size.steps; ++step) {
    const std::vector<float> xyz = see(cell, step, size.points, random);
    const std::string change = change_of(place, xyz, step);
    const double used = program.value().processor_seconds();
    const auto begin = Clock::now();
    const auto answer = program.value().ask(change);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (!answer) return bad_input("`proven roadmap watch` has ended");
    if (answer->contains("error") && ++counts.errors == 1) counts.first_error = (*answer)["error"];
    if (answer->value("status", "") != "solved") continue;
    ++counts.solved;
    if (!answer->value("verified", false)) ++counts.not_verified;
    if (!is_free(place.scene, xyz, *answer)) ++counts.refuted;
    // What is made once, for the first one, is not what a sensor waits for.
    if (step == 0) continue;
    counts.lengths.push_back((*answer)["length"]);
    for (const auto& [part, value] : (*answer)["latency_ms"].items())
      counts.ms[part].push_back(value);
    counts.ms["client"].push_back(ms);
    counts.ms["processor"].push_back(1e3 * (program.value().processor_seconds() - used));
  }
  return counts;
}

Result<Report> run(const Options& options) {
  Size size =
      options.quick ? Size{10'000, 600, 5'000, 12, 0.1} : Size{100'000, 8'000, 20'000, 300, 0.05};
  if (options.cases > 0) size.steps = options.cases;
  const TemporaryFolder folder("stream");
  const auto place = prepare(size, folder, options);
  if (!place.ok()) return place.error();
  Report report;
  constexpr std::array kParts = {"read",  "parse", "apply",  "voxelise", "update",
                                 "scene", "plan",  "smooth", "check",    "verify",
                                 "write", "total", "client", "processor"};
  for (const char* smooth_ms : {"0", "2"}) {
    const auto watched = watch(place.value(), size, smooth_ms, options);
    if (!watched.ok()) return watched.error();
    const Counts& counts = watched.value();
    for (const char* part : kParts) {
      const auto found = counts.ms.find(part);
      if (found == counts.ms.end()) continue;
      report.rows.emplace_back()
          .add("smooth for ms", smooth_ms)
          .add("part", part)
          .add("median_ms", quantile(found->second, 0.5))
          .add("p95_ms", quantile(found->second, 0.95))
          .add("most_ms", quantile(found->second, 1));
    }
    report.notes.push_back(fmt::format(
        "Smoothed for {} ms: {} of {} clouds had a path, median length {:.3g}; {} certificates not "
        "accepted in the loop, {} paths that the library does not find free, {} errors{}.",
        smooth_ms, counts.solved, size.steps, quantile(counts.lengths, 0.5), counts.not_verified,
        counts.refuted, counts.errors,
        counts.errors > 0 ? " (" + counts.first_error + ")" : std::string()));
    report.failed = report.failed || counts.solved < 2 || counts.not_verified > 0 ||
                    counts.refuted > 0 || counts.errors > 0;
  }
  report.notes.push_back(fmt::format(
      "An arm of {} triangles, {} nodes, cells of {} m. Each cloud of {} points (balls of {} m, "
      "float32 in a frame) replaces the one before; start and goal change places. `total`: from "
      "the first byte read to the last byte written; `client`: from before the first byte is "
      "written to the last byte of the answer read; `processor`: what the program used of "
      "processors, which other work on the machine does not change. The first cloud is not "
      "counted.",
      size.triangles, size.nodes, size.cell, size.points, kRadius));
  return report;
}

}  // namespace

Benchmark drm_stream() {
  return {"drm-stream", "clouds into a dynamic roadmap: update, plan, proof and verifier, in ms",
          run};
}

}  // namespace proven::bench
