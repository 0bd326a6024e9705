// Pairs of links that never meet: how many are proved on real robots, how long that takes, what
// samples alone would have said, and whether a random search finds a contact of a proved pair.
#include "proven/certify/never_meet.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "bench/bench.h"
#include "bench/data.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/geometry/distance.h"
#include "proven/geometry/solid.h"
#include "proven/io/scene_file.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"

namespace proven::bench {
namespace {

constexpr std::int64_t kMaxBoxes = 1'000'000;  // per pair, as doctor has it
// Of a robot with thousands of pairs that many could never be looked at.
constexpr std::int64_t kFewBoxes = 10'000;
constexpr int kSamples = 1'000;  // as many as doctor looks at first

struct RobotFile {
  const char *name, *urdf;
  std::int64_t max_boxes = kMaxBoxes;
};
constexpr RobotFile kRobots[] = {
    {"irb2400", "abb_irb2400/irb2400.urdf"},
    {"irb2400_12_155", "abb_irb2400/irb2400_12_155.urdf"},
    {"lrmate200ic", "fanuc_lrmate200ic/lrmate200ic.urdf"},
    {"lrmate200ic5l", "fanuc_lrmate200ic/lrmate200ic5l.urdf"},
    {"panda", "franka_panda/panda.urdf"},
    {"iiwa", "kuka_lbr_iiwa_14_r820/lbr_iiwa_14_r820.urdf"},
    {"pr2", "pr2/pr2.urdf", kFewBoxes},
    {"ur5", "universal_ur5/ur5.urdf"},
};

// What a random search looks at: all bodies at one configuration, their spheres first.
class Looker {
 public:
  explicit Looker(const Scene& scene) : scene_(scene), centres_(scene.bodies().size()) {}

  void place(std::span<const double> q) {
    compute_poses(scene_.tree(), q, poses_);
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      const int body = static_cast<int>(i);
      centres_[i] = scene_.body_pose(body, poses_) * sphere(body).centre;
    }
  }
  bool meet(const BodyPair& pair) {
    const Vec3 apart =
        centres_[static_cast<std::size_t>(pair.a)] - centres_[static_cast<std::size_t>(pair.b)];
    const double reach = (1 + 1e-9) * (sphere(pair.a).radius + sphere(pair.b).radius) + 1e-9;
    if (dot(apart, apart) > reach * reach) return false;
    const Pose X_AB =
        relative_pose(scene_.body_pose(pair.a, poses_), scene_.body_pose(pair.b, poses_));
    const BodyGeometry &a = *scene_.body(pair.a).geometry, &b = *scene_.body(pair.b).geometry;
    return bodies_overlap(a, b, X_AB, scratch_) || find_containment(a, b, X_AB).inside;
  }

 private:
  const BoundingSphere& sphere(int body) const {
    return scene_.body(body).geometry->bounding_sphere();
  }

  const Scene& scene_;
  LinkPoses poses_;
  std::vector<Vec3> centres_;  // of the bodies' spheres, in the world
  DistanceScratch scratch_;
};

// The pairs that did not meet at any sample.
std::vector<BodyPair> never_seen(const Scene& scene, std::uint64_t seed) {
  std::vector<BodyPair> pairs;
  for (const BodyPair& pair : scene.pairs())
    if (pair.kind == PairClass::self) pairs.push_back(pair);
  Random random(seed);
  Looker looker(scene);
  for (int i = 0; i < kSamples; ++i) {
    looker.place(random_configuration(scene.tree(), random));
    std::erase_if(pairs, [&](const BodyPair& pair) { return looker.meet(pair); });
  }
  return pairs;
}

// Which of the pairs meet at any of so many further configurations, those that are not proved at
// the first tenth of them: most of these come near often, and nothing is claimed of them. The same
// on any number of threads.
std::vector<std::atomic<bool>> search(const Scene& scene, const std::vector<BodyPair>& pairs,
                                      const std::vector<PairFinding>& found,
                                      std::int64_t configurations, const Options& options) {
  constexpr std::int64_t kPerBlock = 1'000;
  const auto blocks = static_cast<int>((configurations + kPerBlock - 1) / kPerBlock);
  std::vector<std::atomic<bool>> met(pairs.size());
  std::atomic<int> done = 0;
  parallel_for(pairs.empty() ? 0 : blocks, options.threads, [&](int block, int thread) {
    Random random(options.seed + 1'000'003 * static_cast<std::uint64_t>(block + 1));
    Looker looker(scene);
    const std::int64_t count = std::min(kPerBlock, configurations - block * kPerBlock);
    for (std::int64_t i = 0; i < count; ++i) {
      looker.place(random_configuration(scene.tree(), random));
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (10 * block >= blocks && found[k].fate != PairFate::never) continue;
        if (!met[k].load(std::memory_order_relaxed) && looker.meet(pairs[k])) met[k] = true;
      }
    }
    const int so_far = ++done;
    if (thread == 0) options.progress(static_cast<double>(so_far) / blocks);
  });
  return met;
}

Result<Row> study(const RobotFile& robot, const Options& options) {
  const auto scene = load_scene(data_dir() / "robots" / robot.urdf);
  if (!scene.ok()) return scene.error();
  const std::vector<BodyPair> unseen = never_seen(scene.value(), options.seed);
  std::vector<PairFinding> found(unseen.size());
  const auto start = std::chrono::steady_clock::now();
  parallel_for(static_cast<int>(unseen.size()), options.threads, [&](int i, int) {
    const auto k = static_cast<std::size_t>(i);
    found[k] = prove_never_meet(scene.value(), unseen[k], robot.max_boxes);
  });
  const auto proved_by = std::chrono::steady_clock::now();
  const std::int64_t configurations = options.cases_or(10'000, 10'000'000);
  const auto met = search(scene.value(), unseen, found, configurations, options);
  const auto end = std::chrono::steady_clock::now();

  std::int64_t boxes = 0, proved = 0, meeting = 0, missed = 0, wrong = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const bool never = found[k].fate == PairFate::never;
    boxes += found[k].boxes;
    proved += never;
    meeting += found[k].fate == PairFate::meets;
    missed += met[k] || found[k].fate == PairFate::meets;
    wrong += met[k] && never;
  }
  const auto seconds = [](auto from, auto to) {
    return std::chrono::duration<double>(to - from).count();
  };
  Row row;
  row.add("robot", robot.name)
      .add("pairs", static_cast<std::int64_t>(scene.value().pairs().size()))
      .add("unseen", static_cast<std::int64_t>(unseen.size()))
      .add("proved", proved)
      .add("meet", meeting)
      .add("open", static_cast<std::int64_t>(unseen.size()) - proved - meeting)
      .add("boxes", boxes)
      .add("s", seconds(start, proved_by))
      .add("configurations", configurations)
      .add("search s", seconds(proved_by, end))
      .add("unseen wrong", missed)
      .add("proved wrong", wrong);
  return row;
}

Result<Report> run(const Options& options) {
  Report report;
  for (const RobotFile& robot : kRobots) {
    if (!options.robot.empty() && options.robot != robot.name) continue;
    if (!std::filesystem::exists(data_dir() / "robots" / robot.urdf)) continue;
    auto row = study(robot, options);
    if (!row.ok()) return row.error();
    const auto* wrong = std::get_if<std::int64_t>(&row.value().cells.back().second);
    report.failed = report.failed || !wrong || *wrong > 0;
    report.rows.push_back(std::move(row).value());
  }
  if (report.rows.empty()) return bad_input("no robot of that name, or no data");
  report.notes = {
      fmt::format(
          "unseen: pairs that did not meet at {} random configurations, which setup "
          "assistants exclude; meet: of these, at the centre of a box; open: neither proved "
          "nor refuted in {} boxes ({} for pr2), and tested; s: for the proofs",
          kSamples, kMaxBoxes, kFewBoxes),
      "wrong: of the proved pairs, how many meet at the configurations, which makes the benchmark "
      "fail; of the unseen, how many meet at the first tenth of them or at a centre"};
  return report;
}

}  // namespace

Benchmark never_meet() {
  return {"never-meet", "pairs of links proved never to meet, against a random search", run, false,
          true};
}

}  // namespace proven::bench
