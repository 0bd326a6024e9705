// Pairs of links that never meet: how many are proved on real robots, how long that takes, what
// samples alone would have said, and whether a random search finds a contact of a proved pair.
#include "proven/certify/never_meet.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>

#include "bench/bench.h"
#include "bench/data.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/geometry/distance.h"
#include "proven/io/scene_file.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"

namespace proven::bench {
namespace {

constexpr std::int64_t kMaxBoxes = 1'000'000;
constexpr int kSamples = 1'000;  // as many as doctor looks at first

struct RobotFile {
  const char *name, *urdf;
};
constexpr RobotFile kRobots[] = {
    {"irb2400", "abb_irb2400/irb2400.urdf"},
    {"lrmate200ic", "fanuc_lrmate200ic/lrmate200ic.urdf"},
    {"panda", "franka_panda/panda.urdf"},
    {"iiwa", "kuka_lbr_iiwa_14_r820/lbr_iiwa_14_r820.urdf"},
    {"pr2", "pr2/pr2.urdf"},
    {"ur5", "universal_ur5/ur5.urdf"},
};

bool overlap(const Scene& scene, const LinkPoses& poses, const BodyPair& pair,
             DistanceScratch& scratch) {
  return bodies_overlap(
      *scene.body(pair.a).geometry, *scene.body(pair.b).geometry,
      relative_pose(scene.body_pose(pair.a, poses), scene.body_pose(pair.b, poses)), scratch);
}

// The pairs that did not overlap at any sample.
std::vector<BodyPair> never_seen(const Scene& scene, std::uint64_t seed) {
  std::vector<BodyPair> pairs;
  for (const BodyPair& pair : scene.pairs())
    if (pair.kind == PairClass::self) pairs.push_back(pair);
  Random random(seed);
  LinkPoses poses;
  DistanceScratch scratch;
  for (int i = 0; i < kSamples; ++i) {
    compute_poses(scene.tree(), random_configuration(scene.tree(), random), poses);
    std::erase_if(pairs, [&](const BodyPair& p) { return overlap(scene, poses, p, scratch); });
  }
  return pairs;
}

std::int64_t count_contacts(const Scene& scene, const std::vector<BodyPair>& pairs,
                            std::int64_t configurations, const Options& options) {
  constexpr std::int64_t kPerBlock = 1'000;
  const auto blocks = static_cast<int>((configurations + kPerBlock - 1) / kPerBlock);
  std::atomic<std::int64_t> contacts = 0;
  parallel_for(pairs.empty() ? 0 : blocks, options.threads, [&](int block, int) {
    Random random(options.seed + 1'000'003 * static_cast<std::uint64_t>(block + 1));
    LinkPoses poses;
    DistanceScratch scratch;
    for (std::int64_t i = 0; i < kPerBlock; ++i) {
      compute_poses(scene.tree(), random_configuration(scene.tree(), random), poses);
      for (const BodyPair& pair : pairs) contacts += overlap(scene, poses, pair, scratch);
    }
  });
  return contacts;
}

Result<Row> study(const RobotFile& robot, const Options& options) {
  const auto scene = load_scene(data_dir() / "robots" / robot.urdf);
  if (!scene.ok()) return scene.error();
  const std::vector<BodyPair> candidates = never_seen(scene.value(), options.seed);
  std::vector<PairFinding> found(candidates.size());
  const auto start = std::chrono::steady_clock::now();
  parallel_for(static_cast<int>(candidates.size()), options.threads, [&](int i, int) {
    const auto k = static_cast<std::size_t>(i);
    found[k] = prove_never_meet(scene.value(), candidates[k], kMaxBoxes);
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::vector<BodyPair> proved;
  std::int64_t boxes = 0, meeting = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    boxes += found[k].boxes;
    meeting += found[k].fate == PairFate::meets;
    if (found[k].fate == PairFate::never) proved.push_back(candidates[k]);
  }
  const std::int64_t configurations = options.cases_or(10'000, 10'000'000);
  Row row;
  row.add("robot", robot.name)
      .add("tested pairs", static_cast<std::int64_t>(scene.value().pairs().size()))
      .add("never seen to meet", static_cast<std::int64_t>(candidates.size()))
      .add("proved", static_cast<std::int64_t>(proved.size()))
      .add("meet after all", meeting)
      .add("open", static_cast<std::int64_t>(candidates.size() - proved.size()) - meeting)
      .add("boxes", boxes)
      .add("seconds", seconds.count())
      .add("configurations", configurations)
      .add("contacts", count_contacts(scene.value(), proved, configurations, options));
  return row;
}

Result<Report> run(const Options& options) {
  Report report;
  for (const RobotFile& robot : kRobots) {
    if (!options.robot.empty() && options.robot != robot.name) continue;
    if (!std::filesystem::exists(data_dir() / "robots" / robot.urdf)) continue;
    auto row = study(robot, options);
    if (!row.ok()) return row.error();
    const auto* contacts = std::get_if<std::int64_t>(&row.value().cells.back().second);
    report.failed = report.failed || !contacts || *contacts > 0;
    report.rows.push_back(std::move(row).value());
  }
  if (report.rows.empty()) return bad_input("no robot of that name, or no data");
  report.notes = {
      fmt::format("never seen to meet: at {} random configurations, which is what setup assistants "
                  "go by; meet after all: of these, a box centre had them overlap",
                  kSamples),
      "contacts: of proved pairs, at the configurations; any makes the benchmark fail"};
  return report;
}

}  // namespace

Benchmark never_meet() {
  return {"never-meet", "pairs of links proved never to meet, against a random search", run, false,
          true};
}

}  // namespace proven::bench
