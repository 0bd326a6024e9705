#include "bench/audit/planned_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "papers/plan/sampling_twin.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/io/file.h"
#include "proven/io/scene_writer.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Waypoints = std::vector<std::vector<double>>;

constexpr double kStep = 1.0 / 32;  // radians between samples
constexpr double kNear = 0.1;  // of the range of each joint: how far ends lie from the problem's
constexpr int kDraws = 50;     // for an end whose spheres are free
constexpr int kIterations = 20'000;  // of a plan
constexpr int kPlans = 10;           // that may fail in a row
constexpr int kShortcuts = 20;

// Paths of one problem.
class PathMaker {
 public:
  PathMaker(const Scene& spheres, const Scene& scene, const Query& query)
      : twin_(spheres, scene), space_(scene, query), query_(query) {}

  // Nothing if there are no free ends, or no path was found.
  std::optional<Waypoints> next(std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < kPlans; ++i) {
      Query query = query_;
      if (!draw_end(query_.start, random, query.start) ||
          !draw_end(query_.goal, random, query.goal))
        return std::nullopt;
      auto path = twin_.plan(space_, query,
                             {.seed = random.bits(), .step = kStep, .max_iterations = kIterations});
      if (!path) continue;
      simplify(*path, random);
      return path;
    }
    return std::nullopt;
  }

 private:
  bool draw_end(const std::vector<double>& near, Random& random, std::vector<double>& end) {
    std::vector<double> centre(static_cast<std::size_t>(space_.dimension())), point = centre;
    space_.restrict(near, centre);
    for (int i = 0; i < kDraws; ++i) {
      space_.sample_near(centre, kNear, random, point);
      space_.complete(point, end);
      // As they stand in the array.
      for (double& value : end) value = static_cast<float>(value);
      if (twin_.is_free(end)) return true;
    }
    return false;
  }

  // As simplifiers of sampling planners do: a straight motion replaces others wherever its samples
  // are free.
  void simplify(Waypoints& path, Random& random) {
    drop_waypoints(path);
    for (int i = 0; i < kShortcuts && path.size() > 2; ++i) {
      const int segments = static_cast<int>(path.size()) - 1;
      int a = random.index(segments), b = random.index(segments);
      if (a == b) continue;
      if (a > b) std::swap(a, b);
      const std::vector<double> from = point_on(path, a, random.uniform()),
                                to = point_on(path, b, random.uniform());
      if (!twin_.is_free(from, to, kStep)) continue;
      path.erase(path.begin() + a + 1, path.begin() + b + 1);
      path.insert(path.begin() + a + 1, {from, to});
    }
    drop_waypoints(path);
  }
  void drop_waypoints(Waypoints& path) {
    for (std::size_t i = 0; i + 2 < path.size();) {
      if (twin_.is_free(path[i], path[i + 2], kStep))
        path.erase(path.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      else
        ++i;
    }
  }
  static std::vector<double> point_on(const Waypoints& path, int segment, double t) {
    const auto i = static_cast<std::size_t>(segment);
    std::vector<double> q = path[i];
    for (std::size_t k = 0; k < q.size(); ++k)
      q[k] = static_cast<float>(q[k] + t * (path[i + 1][k] - q[k]));
    return q;
  }

  SamplingTwin twin_;
  JointSpace space_;
  Query query_;
};

// As numpy.save writes them: floats of paths x waypoints x joints, filled up with NaN.
std::string npy_of(const std::vector<Waypoints>& paths) {
  static_assert(std::endian::native == std::endian::little);
  std::size_t most = 0;
  for (const Waypoints& path : paths) most = std::max(most, path.size());
  const std::size_t joints = paths.front().front().size();
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}, {}), }}",
                  paths.size(), most, joints);
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  for (const std::size_t byte :
       {std::size_t{1}, std::size_t{0}, header.size() % 256, header.size() / 256})
    bytes += static_cast<char>(byte);
  bytes += header;
  std::vector<float> values;
  for (const Waypoints& path : paths) {
    values.assign(most * joints, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < path.size(); ++i)
      for (std::size_t k = 0; k < joints; ++k)
        values[i * joints + k] = static_cast<float>(path[i][k]);
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  return bytes;
}

// A group of `count` paths; without a name if there are none.
Result<WrittenGroup> make_group(const ProblemSet& set, const ProblemSet& spheres, int problem,
                                std::int64_t count, const fs::path& folder, std::uint64_t seed) {
  const auto scene = problem_scene(set, problem);
  if (!scene.ok()) return scene.error();
  const auto of_spheres = problem_scene(spheres, problem);
  if (!of_spheres.ok()) return of_spheres.error();
  const auto query = problem_query(set, problem, scene.value());
  if (!query.ok()) return query.error();
  PathMaker maker(of_spheres.value(), scene.value(), query.value());
  Random seeds(seed + static_cast<std::uint64_t>(problem) * 1'000'003);
  std::vector<Waypoints> paths;
  for (std::int64_t i = 0; i < count; ++i) {
    auto path = maker.next(seeds.bits());
    if (path) paths.push_back(std::move(*path));
    if (i == 2 * kPlans && paths.empty()) break;  // this one is not for spheres
  }
  if (paths.empty()) return WrittenGroup{};
  const auto name = write_problem(set, problem, folder);
  if (!name.ok()) return name.error();
  if (auto written = write_file(folder / name.value() / "paths.npy", npy_of(paths)); !written.ok())
    return written.error();
  return WrittenGroup{name.value(), "paths.npy"};
}

}  // namespace

Result<std::vector<int>> choose_problems(const ProblemSet& set, const std::string& wanted_set,
                                         std::int64_t count) {
  std::vector<int> all;
  std::set<std::string> names;
  for (int i = 0; i < set.size(); ++i) {
    const std::string& name = set.problems[static_cast<std::size_t>(i)].set;
    names.insert(name);
    if (wanted_set.empty() || wanted_set == name) all.push_back(i);
  }
  if (all.empty())
    return bad_input(
        fmt::format("there is no set '{}'; there are: {}", wanted_set, fmt::join(names, " ")));
  const auto size = static_cast<std::int64_t>(all.size());
  const std::int64_t wanted = std::min(size, count);
  std::vector<int> chosen;
  for (std::int64_t i = 0; i < wanted; ++i)
    chosen.push_back(all[static_cast<std::size_t>(i * size / wanted)]);
  return chosen;
}

Result<void> write_robot(const ProblemSet& set, const fs::path& folder) {
  return save_scene(set.scene_without_obstacles, folder / "robot");
}

Result<std::string> write_problem(const ProblemSet& set, int problem, const fs::path& folder) {
  const Problem& of = set.problems[static_cast<std::size_t>(problem)];
  const std::string name = fmt::format("{}/{:04}", of.set, of.index);
  SceneSource source = set.scene_without_obstacles;
  source.obstacles = of.obstacles;
  if (auto written = save_scene(source, folder / name, "../../robot"); !written.ok())
    return written.error();
  return name;
}

Result<void> write_manifest(const std::vector<WrittenGroup>& groups, const fs::path& file) {
  Json list = Json::array();
  for (const auto& [name, paths] : groups)
    if (!name.empty())
      list.push_back(
          {{"name", name}, {"scene", name + "/scene.json"}, {"paths", name + "/" + paths}});
  return write_file(file, Json{{"proven", 1}, {"groups", list}}.dump(1));
}

Result<void> make_planned_set(const ProblemSet& set, const ProblemSet& spheres,
                              const std::vector<int>& problems, std::int64_t count,
                              const fs::path& folder, const Options& options) {
  if (auto written = write_robot(set, folder); !written.ok()) return written;
  const auto size = static_cast<std::int64_t>(problems.size());
  std::vector<WrittenGroup> groups(problems.size());
  std::vector<std::optional<Error>> failures(problems.size());
  std::mutex mutex;
  std::int64_t done = 0;
  parallel_for(static_cast<int>(size), options.threads, [&](int item, int) {
    const auto i = static_cast<std::size_t>(item);
    const std::int64_t paths = count / size + (item < count % size ? 1 : 0);
    auto group = make_group(set, spheres, problems[i], paths, folder, options.seed);
    if (group.ok())
      groups[i] = std::move(group).value();
    else
      failures[i] = group.error();
    const std::lock_guard lock(mutex);
    options.progress(static_cast<double>(++done) / static_cast<double>(size));
  });
  for (const auto& failure : failures)
    if (failure) return *failure;
  return write_manifest(groups, folder / "set.json");
}

}  // namespace proven::bench
