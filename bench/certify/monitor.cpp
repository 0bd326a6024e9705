// A proved motion among a hundred things, one of which moves at a time: what a Monitor takes to say
// what still stands, against checking the motion again.
#include "proven/certify/monitor.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <numbers>
#include <optional>

#include "bench/bench.h"
#include "bench/data.h"
#include "proven/base/processor_time.h"
#include "proven/certify/check.h"
#include "proven/io/scene_file.h"
#include "proven/kinematics/interpolation.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

constexpr int kThings = 100;
constexpr int kSegments = 50;

struct Arm {
  std::string name;
  SceneSource source;  // the robots alone
};

// Arms of built-in scenes, and real ones where their files are.
Result<std::vector<Arm>> find_arms() {
  std::vector<Arm> arms;
  for (const char* name : {"demo", "lattice-1", "machine-tool"}) {
    auto source = make_scene(name);
    if (!source.ok()) return source.error();
    arms.push_back({name, std::move(source).value()});
    arms.back().source.obstacles.clear();
    arms.back().source.attached.clear();
    arms.back().source.exclusions.clear();
    arms.back().source.clearances.clear();
  }
  const std::filesystem::path robots = data_dir() / "robots";
  for (const auto& [name, file] : {std::pair("panda", "franka_panda/panda.urdf"),
                                   std::pair("ur5", "universal_ur5/ur5.urdf")}) {
    if (!std::filesystem::exists(robots / file)) continue;
    auto source = load_scene_source(robots / file);
    if (!source.ok()) return source.error();
    arms.push_back({name, std::move(source).value()});
  }
  return arms;
}

// Where the robot can reach, around its base: half of the sum of its swept sphere.
double reach_of(const Scene& scene) {
  double reach = 0;
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> q = random_configuration(scene.tree(), random);
    for (int b = 0; b < static_cast<int>(scene.bodies().size()); ++b)
      reach = std::max(reach, norm(scene.body_pose(b, q).p));
  }
  return reach;
}

Pose random_place(Random& random, double reach) {
  return {random.rotation(), random.uniform(0.3, 1.3) * reach * random.unit_vector()};
}

ObstacleSource random_thing(Random& random, int number, double reach) {
  const auto size = [&] { return random.uniform(0.02, 0.06) * reach; };
  Shape shape = Box{{size(), size(), size()}};
  if (number % 3 == 1) shape = Sphere{size()};
  if (number % 3 == 2) shape = Cylinder{size(), size()};
  return {fmt::format("thing {}", number), {{shape, {}, "thing"}}, random_place(random, reach)};
}

// A walk of free segments of half a radian.
Motion random_motion(const Scene& scene, Random& random) {
  const CheckModel model = CheckModel::build(scene).value();
  Scratch scratch;
  Motion motion;
  for (int tries = 0; motion.num_segments() < kSegments && tries < 100'000; ++tries) {
    std::vector<double> q = random_configuration(scene.tree(), random);
    if (motion.waypoints.empty()) {
      if (model.check_configuration(q, scratch).verdict == Verdict::free)
        motion.waypoints.push_back(q);
      continue;
    }
    const std::vector<double>& last = motion.waypoints.back();
    double square = 0;
    for (std::size_t i = 0; i < q.size(); ++i) square += (q[i] - last[i]) * (q[i] - last[i]);
    std::vector<double> next(q.size());
    interpolate(scene.tree(), last, q, std::min(1.0, 0.5 / std::sqrt(square)), next);
    if (model.check_segment({last, next, true}, scratch).verdict == Verdict::free)
      motion.waypoints.push_back(next);
  }
  return motion;
}

// Things where the motion is free of them.
Scene add_things(Scene scene, const Motion& motion, Random& random, double reach) {
  Scratch scratch;
  for (int i = 0; i < kThings;) {
    Scene more = scene.with_obstacle(random_thing(random, i, reach)).value();
    const auto verdict = check(more, motion, {}, scratch).value().verdict;
    if (verdict != Verdict::free) continue;
    scene = std::move(more);
    ++i;
  }
  return scene;
}

// What is asked after a change: the verdict of every segment.
using Verdicts = std::vector<Verdict>;

Verdicts check_anew(const CheckModel& model, const Motion& motion, Scratch& scratch) {
  Verdicts all;
  for (int i = 0; i < motion.num_segments(); ++i) {
    const MotionPiece piece = motion.piece(i);
    all.push_back(model.check_segment({piece.from, piece.to}, scratch).verdict);
  }
  return all;
}

struct Times {
  std::vector<double> edit, monitor, segments, swept, whole;  // microseconds per change
  double sum(const std::vector<double>& all) const {
    double total = 0;
    for (const double us : all) total += us;
    return total;
  }
};

constexpr std::array<double, 6> kBuckets = {10, 30, 100, 300, 1000, 3000};

void add_histogram(Row& row, const std::vector<double>& us) {
  double from = 0;
  const auto count = [&](double lower, double upper) {
    return static_cast<std::int64_t>(
        std::ranges::count_if(us, [&](double x) { return x > lower && x <= upper; }));
  };
  for (const double to : kBuckets) {
    row.add(fmt::format("to {:g} us", to), count(from, to));
    from = to;
  }
  row.add("more", count(from, std::numeric_limits<double>::infinity()));
}

template <class Work>
void add_time(std::vector<double>& times, const Work& work) {
  times.push_back(1e6 * processor_seconds(work));
}

// One arm; 'wrong' counts segments whose verdicts contradict each other.
Result<Row> measure(const Arm& arm, const Options& options, bool& failed) {
  Random random(options.seed);
  auto built = build_scene(arm.source);
  if (!built.ok()) return built.error();
  const double reach = reach_of(built.value());
  const Motion motion = random_motion(built.value(), random);
  if (motion.num_segments() < kSegments)
    return Error{ErrorCode::exhausted, "no free motion was found", arm.name};
  Scene scene = add_things(std::move(built).value(), motion, random, reach);
  CheckModel model = CheckModel::build(scene).value();
  CheckOptions with_sweeps;
  with_sweeps.limits = Limits::ignore;  // random values go where they like
  with_sweeps.sweep = true;
  CheckModel swept = CheckModel::build(scene, with_sweeps).value();
  swept.prepare_sweeps();
  Scratch scratch;
  Monitor monitor = Monitor::build(scene, motion, {}, scratch).value();
  Times times;
  std::int64_t fell = 0, differ = 0, wrong = 0, searched = 0;
  const int changes = options.cases_or(100, 1000);
  std::string name;
  Pose home;
  for (int change = 0; change < changes; ++change) {
    // What is in the way goes back with the next change, as if it were a person's hand.
    const bool blocked = monitor.verdict() != Verdict::free;
    if (!blocked) name = fmt::format("thing {}", random.index(kThings));
    const Pose X = blocked ? home : random_place(random, reach);
    if (!blocked) home = scene.body(scene.find_body(name)).X_LB;
    std::optional<Scene> next;
    add_time(times.edit, [&] { next = scene.with_pose(name, X).value(); });
    scene = *next;
    add_time(times.monitor,
             [&] { searched += monitor.update(std::move(*next), scratch).value().parts_proved; });
    Verdicts anew;
    add_time(times.segments, [&] {
      model = model.with_scene(scene);
      anew = check_anew(model, motion, scratch);
    });
    Verdicts by_sweeps;
    add_time(times.swept, [&] {
      swept = swept.with_scene(scene);
      by_sweeps = check_anew(swept, motion, scratch);
    });
    add_time(times.whole, [&] { (void)swept.check(motion, scratch).ok(); });
    for (int i = 0; i < kSegments; ++i) {
      const Verdict said = monitor.segment(i).verdict;
      const auto k = static_cast<std::size_t>(i);
      fell += said == Verdict::collision;
      for (const Verdict other : {anew[k], by_sweeps[k]}) {
        differ += said != other;
        wrong += said != other && said != Verdict::undecided && other != Verdict::undecided;
      }
    }
  }
  const double monitor_us = times.sum(times.monitor), n = changes;
  const double ratio = times.sum(times.segments) / monitor_us;
  const double swept_ratio = times.sum(times.swept) / monitor_us;
  failed = failed || wrong > 0 || differ > 0 || fell == 0 || !(ratio >= 2);
  Row row;
  row.add("arm", arm.name)
      .add("changes", changes)
      .add("segments that fell", fell)
      .add("other answers", differ)
      .add("parts searched", searched)
      .add("us: edit", times.sum(times.edit) / n)
      .add("us: monitor", monitor_us / n)
      .add("us: again", times.sum(times.segments) / n)
      .add("us: again, swept", times.sum(times.swept) / n)
      .add("us: one verdict", times.sum(times.whole) / n)
      .add("ratio", ratio)
      .add("ratio, swept", swept_ratio)
      .add("us: median", quantile(times.monitor, 0.5))
      .add("us: 99 %", quantile(times.monitor, 0.99));
  add_histogram(row, times.monitor);
  return row;
}

Result<Report> run(const Options& options) {
  const auto arms = find_arms();
  if (!arms.ok()) return arms.error();
  Report report;
  int done = 0;
  for (const Arm& arm : arms.value()) {
    auto row = measure(arm, options, report.failed);
    if (!row.ok()) return row.error();
    report.rows.push_back(std::move(row).value());
    options.progress(++done / static_cast<double>(arms.value().size()));
  }
  report.notes = {
      fmt::format("A motion of {} segments of half a radian among {} things, one of which moves "
                  "at a time (1 %) to a random place within reach. Processor time of one thread.",
                  kSegments, kThings),
      "'monitor': Monitor::update, from the edited scene to the verdict of every segment. 'again': "
      "the model follows the edit and every segment is checked; 'swept': with sweeps, prepared. "
      "'ratio': over the monitor; the first is at least 2. 'one verdict': sweeps, one "
      "answer for the whole motion, which ends at the first collision.",
      "'other answers': segments, of both ways to check again, with another verdict: none. The "
      "last columns count changes by what the monitor took."};
  return report;
}

}  // namespace

Benchmark monitor() {
  return {"monitor", "What still stands after a change, against checking again", run};
}

}  // namespace proven::bench
