#include "bench/spacetime/traffic_proofs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "bench/spacetime/random_walks.h"
#include "proven/io/file.h"
#include "proven/spacetime/certificate.h"
#include "proven/verify/traffic.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string words(const spacetime::Trajectory& m) {
  std::string times, poses;
  for (std::size_t i = 0; i < m.t.size(); ++i) {
    const char* comma = i == 0 ? "" : ", ";
    times += fmt::format("{}{:.17g}", comma, m.t[i]);
    poses += fmt::format("{}[{:.17g}, {:.17g}, {:.17g}]", comma, m.x[i], m.y[i], m.heading[i]);
  }
  return fmt::format(R"("turns": "literal", "times": [{}], "poses": [{}])", times, poses);
}

Result<void> write(const WalkScene& walk, const fs::path& scene, const fs::path& candidate) {
  std::string list;
  for (const spacetime::Obstacle& o : walk.obstacles)
    list += fmt::format("{}{{\"name\": \"{}\", \"box\": [4.5, 2], {}}}", list.empty() ? "" : ",\n",
                        o.name, words(o.motion));
  auto written = write_file(scene, fmt::format("{{\"proven\": 1, \"obstacles\": [{}]}}\n", list));
  if (!written.ok()) return written;
  return write_file(
      candidate, fmt::format("{{\"proven\": 1, \"box\": [4.5, 2], \"trajectories\": [{{{}}}]}}\n",
                             words(walk.candidate)));
}

struct Sums {
  int count = 0;
  double pairs = 0, leaves = 0, bytes = 0, seconds = 0;
  std::vector<double> make_ms, verify_ms;
};

}  // namespace

// Free trajectories of 150 poses among 30 obstacles; the verifier reads the files, too.
Result<void> add_proof_rows(const Options& options, Report& report) {
  constexpr int kObstacles = 30, kPoses = 150;
  const int wanted = options.quick ? 5 : 50;
  Random random(options.seed + 99);
  const fs::path folder =
      fs::temp_directory_path() / fmt::format("proven_traffic_bench_{}", getpid());
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  Sums sums;
  Result<void> outcome;
  for (int tries = 0; sums.count < wanted && tries < 50 * wanted && outcome.ok(); ++tries) {
    const WalkScene walk = random_walk_scene(random, kObstacles, kPoses);
    const auto scene = spacetime::TrafficScene::build(walk.obstacles).value();
    spacetime::TrafficScratch scratch;
    if (check(scene, car(), walk.candidate, {}, scratch).value().verdict != Verdict::free) continue;
    const spacetime::CertifiedMotion motion{car(), walk.candidate};
    const auto start = Clock::now();
    const auto made = certify_traffic(scene, {&motion, 1}, {}, {});
    sums.make_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    if (!made.ok()) outcome = made.error();
    if (outcome.ok()) outcome = write(walk, folder / "scene.json", folder / "candidate.json");
    if (!outcome.ok()) break;
    const TrafficVerifyReport found =
        verify_traffic(folder / "scene.json", folder / "candidate.json", made.value().bytes, {});
    if (!found.accepted) outcome = bad_input("a certificate was rejected: " + found.reason);
    ++sums.count;
    sums.pairs += static_cast<double>(made.value().pairs);
    sums.leaves += static_cast<double>(made.value().leaves);
    sums.bytes += static_cast<double>(made.value().bytes.size());
    sums.seconds += walk.candidate.t.back() - walk.candidate.t.front();
    sums.verify_ms.push_back(1e3 * found.seconds);
  }
  fs::remove_all(folder, ignored);
  if (!outcome.ok()) return outcome;
  const auto n = static_cast<double>(std::max(1, sums.count));
  const double make = quantile(sums.make_ms, 0.5), verify = quantile(sums.verify_ms, 0.5);
  Row& row = report.rows.emplace_back();
  row.add("what", "certificate").add("obstacles", kObstacles).add("case", "free");
  row.add("method", "made").add("scenes", sums.count).add("median_us", 1e3 * make);
  Row& other = report.rows.emplace_back();
  other.add("what", "certificate").add("obstacles", kObstacles).add("case", "free");
  other.add("method", "verified").add("scenes", sums.count).add("median_us", 1e3 * verify);
  report.notes.push_back(fmt::format(
      "Certificates of {:.0f} s among {} obstacles: {:.0f} bytes, {:.0f} per pair, {:.1f} leaves "
      "per pair; made in {:.2f} ms, verified in {:.2f} ms, files included: {:.0f} times faster "
      "than "
      "real time.",
      sums.seconds / n, kObstacles, sums.bytes / n, sums.bytes / sums.pairs,
      sums.leaves / sums.pairs, make, verify, 1e3 * sums.seconds / n / std::max(1e-9, verify)));
  return {};
}

}  // namespace proven::bench
