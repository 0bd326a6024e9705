// A million motions of the suite for the checker directional alone.
#include <fmt/format.h>

#include "bench/bench.h"
#include "bench/data.h"
#include "bench/suite/suite.h"

namespace proven::bench {
namespace {

constexpr double kMotions = 1e6, kQuickMotions = kMotions / 200;
constexpr int kLeast = 2;  // motions of a scene

double share(double part, std::int64_t all) {
  return part / static_cast<double>(std::max<std::int64_t>(1, all));
}

Row row_of(const std::string& name, const Tally& tally) {
  Row row;
  row.add("scene", name).add("motions", tally.motions).add("segments", tally.segments);
  row.add("free", tally.directional.free).add("collision", tally.directional.collision);
  row.add("undecided", tally.directional.undecided);
  row.add("wrong_free", tally.wrong_free).add("wrong_collision", tally.wrong_collision);
  row.add("conflicts", tally.conflicts).add("certificates", tally.certificates);
  row.add("rejected", tally.rejected);
  row.add("bytes", share(static_cast<double>(tally.certificate_bytes), tally.certificates));
  row.add("us per leaf", 1e6 * share(tally.verify_seconds, tally.leaves));
  row.add("verify s", tally.verify_seconds);
  row.add("sampled", tally.sampled + tally.finely_sampled);
  row.add("fcl_false_alarms", tally.false_alarms).add("roomy", tally.roomy);
  row.add("roomy_undecided", tally.roomy_undecided);
  row.add("roomy_undecided_share", share(static_cast<double>(tally.roomy_undecided), tally.roomy));
  row.add("seconds", tally.seconds);
  return row;
}

Result<Report> run(const Options& options) {
  const std::vector<SuiteEntry> entries = suite_entries(data_dir());
  double total = 0, done = 0;
  for (const SuiteEntry& entry : entries) total += entry.cases;
  const double scale = (options.cases > 0 ? options.cases
                        : options.quick   ? kQuickMotions
                                          : kMotions) /
                       total;
  Report report;
  Tally all;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Result<SuiteScene> scene = entries[i].load();
    if (!scene.ok()) return scene.error();
    const int count = std::max(kLeast, static_cast<int>(std::ceil(scale * entries[i].cases)));
    const Tally tally = run_suite_scene(scene.value(), {.count = count,
                                                        .seed = options.seed + 1000 * i + 500,
                                                        .threads = options.threads,
                                                        .judge = judge_directional});
    report.rows.push_back(row_of(entries[i].name, tally));
    all += tally;
    options.progress((done += entries[i].cases) / total);
  }
  report.rows.push_back(row_of("all", all));
  report.notes = {
      "Motions of one or more segments. Confirmed by an analytic answer where the scene is built "
      "for one, else against classic (conflicts: one says free, the other collision); every "
      "collision by brute force at its witness; one free motion in 25 by dense sampling with FCL.",
      "certificates: proofs that the verifier read; rejected: did not accept; bytes: of one, on "
      "average; verify s: for all of them on one thread.",
      fmt::format("roomy: motions whose smallest gap is known to exceed the required clearance by "
                  "{} m, by construction or by classic's proof.",
                  kRoom)};
  for (const std::string& complaint : all.complaints) report.notes.push_back(complaint);
  return report;
}

}  // namespace

Benchmark directional_suite() {
  return {"directional-suite", "a million motions for directional, with every verdict confirmed",
          run};
}

}  // namespace proven::bench
