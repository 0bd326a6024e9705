// The long form of the suite, as a benchmark.
#include <fmt/format.h>

#include "bench/bench.h"
#include "bench/data.h"
#include "bench/suite/suite.h"

namespace proven::bench {
namespace {

Row row_of(const std::string& name, const Tally& tally) {
  Row row;
  row.add("scene", name).add("segments", tally.segments).add("free", tally.papers.free);
  row.add("collision", tally.papers.collision).add("undecided", tally.papers.undecided);
  row.add("directional_free", tally.directional.free);
  row.add("directional_collision", tally.directional.collision);
  row.add("directional_undecided", tally.directional.undecided);
  row.add("wrong_free", tally.wrong_free).add("wrong_collision", tally.wrong_collision);
  row.add("conflicts", tally.conflicts).add("certificates", tally.certificates);
  row.add("rejected", tally.rejected).add("sampled_1e-3", tally.sampled);
  row.add("sampled_1e-4", tally.finely_sampled).add("fcl_false_alarms", tally.false_alarms);
  row.add("colliding", tally.rival_asked);
  for (std::size_t s = 0; s < kRivalSteps.size(); ++s) {
    const auto missed = static_cast<double>(tally.rival_missed[s]);
    const auto all = static_cast<double>(std::max<std::int64_t>(1, tally.rival_asked));
    row.add(fmt::format("missed_{}", kRivalSteps[s]), tally.rival_missed[s]);
    row.add(fmt::format("share_{}", kRivalSteps[s]), missed / all);
  }
  row.add("seconds", tally.seconds);
  return row;
}

Result<Report> run(const Options& options) {
  constexpr int kQuickShare = 50;
  constexpr int kLongShare = 5;  // of the certificates that are verified in the long form
  const std::vector<SuiteEntry> entries = suite_entries(data_dir());
  double total = 0, done = 0;
  for (const SuiteEntry& entry : entries) total += entry.cases;
  Report report;
  Tally all;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Result<SuiteScene> scene = entries[i].load();
    if (!scene.ok()) return scene.error();
    const int count =
        options.quick ? std::max(2, entries[i].cases / kQuickShare) : entries[i].cases;
    const Tally tally =
        run_suite_scene(scene.value(), {.count = count,
                                        .seed = options.seed + 1000 * i,
                                        .threads = options.threads,
                                        .certificate_every = options.quick ? 1 : kLongShare});
    report.rows.push_back(row_of(entries[i].name, tally));
    all += tally;
    options.progress((done += entries[i].cases) / total);
  }
  report.rows.push_back(row_of("all", all));
  report.notes = {
      "Motions of one or more segments, checked by directional and by classic or refined, half of "
      "them by both of these (free, collision, undecided: by the first asked of the two). free is "
      "confirmed by an analytic answer or by FCL at samples 1e-3 (sampled_1e-4: 1e-4) apart in "
      "joint space; collision by brute force at the witness. conflicts: two checkers contradict "
      "each other. fcl_false_alarms: FCL sees an overlap that brute force refutes.",
      "certificates: proofs of directional that the verifier read; rejected: did not accept.",
      "missed, share: overlaps that sampling with FCL at this step does not find."};
  for (const std::string& complaint : all.complaints) report.notes.push_back(complaint);
  return report;
}

}  // namespace

Benchmark never_wrong() {
  return {"never-wrong", "random and adversarial motions with every verdict confirmed", run};
}

}  // namespace proven::bench
