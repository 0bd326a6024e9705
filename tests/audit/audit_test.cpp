// Audits: every row is what a check of that path alone says and what dense samples confirm, and the
// files are the same to the byte for any number of threads, kills, shards and restarts.
#include "audit/audit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <map>

#include "audit/repair.h"
#include "audit/rows.h"
#include "audit/summary.h"
#include "audit_support.h"
#include "certify/check_support.h"
#include "proven/io/proof_archive.h"

namespace proven::test {
namespace {

using audit::AuditFiles;
using audit::AuditOptions;
using audit::Selection;

AuditOptions with_certificates() {
  AuditOptions options;
  options.check.certificate = true;
  return options;
}

TEST_F(AuditTest, RowsAreWhatACheckOfEachPathSaysAndSamplesConfirm) {
  const fs::path manifest = write_set(60);
  const auto set = DataSet::open(manifest);
  ASSERT_TRUE(set.ok()) << set.error().text();
  ASSERT_EQ(set.value().size(), 121);
  must_run(set.value(), {}, {}, {folder_ / "rows.jsonl", {}}, 2);
  const std::vector<Json> rows = rows_of(folder_ / "rows.jsonl");
  ASSERT_EQ(rows.size(), 122u);
  EXPECT_EQ(rows[0]["paths"], 121);
  std::map<std::string, int> verdicts;
  for (const char* name : {"demo", "planar-3"}) {
    const Scene scene = built_in(name);
    const bool first = std::string(name) == "demo";
    const std::vector<Motion> paths = random_paths(scene, 60, first ? 1 : 2);
    FclScene fcl(scene);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const Json& row = rows[1 + i + (first ? 0 : 61)];
      SCOPED_TRACE(row.dump());
      EXPECT_EQ(row["index"], i + (first ? 0 : 61));
      EXPECT_EQ(row["group"], first ? "first" : "second");
      EXPECT_EQ(row["name"], std::string(first ? "a" : "b") + ".jsonl:" + std::to_string(i + 1));
      EXPECT_EQ(row["scene"], scene.hash().hex());
      const CheckResult alone = must_check(scene, paths[i].waypoints, {});
      EXPECT_EQ(row["verdict"], std::string(to_string(alone.verdict)));
      ++verdicts[row["verdict"]];
      bool sampled = false;
      for (std::size_t k = 1; k < paths[i].waypoints.size(); ++k)
        sampled |= sample_segment(fcl, scene.tree(), paths[i].waypoints[k - 1],
                                  paths[i].waypoints[k], 0.01) >= 0;
      if (alone.verdict == Verdict::free) {
        EXPECT_FALSE(sampled);
      }
      if (sampled) {
        EXPECT_EQ(row["verdict"], "collision");
      }
      if (alone.verdict != Verdict::collision) continue;
      const Json& collision = row["collision"];
      EXPECT_EQ(collision["t"], alone.collision->t);
      EXPECT_EQ(collision["pair"][1], scene.body(alone.collision->bodies[1]).name);
      EXPECT_EQ(collision["configuration"].get<std::vector<double>>(),
                alone.collision->configuration);
      if (alone.collision->kind == ContactKind::overlap) {
        EXPECT_GE(fcl.first_collision(alone.collision->configuration), 0);
      }
    }
  }
  EXPECT_GE(verdicts["free"], 10);
  EXPECT_GE(verdicts["collision"], 10);
  const Json& bad = rows[61];
  EXPECT_EQ(bad["verdict"], "error");
  EXPECT_NE(bad["error"].get<std::string>().find("a.jsonl:62"), std::string::npos) << bad;
}

TEST_F(AuditTest, FilesAreTheSameForAnyNumberOfThreads) {
  const auto set = DataSet::open(write_set(70));
  ASSERT_TRUE(set.ok());
  std::string rows, proofs;
  for (const int threads : {1, 2, 5}) {
    const AuditFiles files{folder_ / ("rows" + std::to_string(threads)),
                           folder_ / ("proofs" + std::to_string(threads))};
    must_run(set.value(), with_certificates(), {}, files, threads);
    if (threads == 1) {
      rows = read_all(files.results);
      proofs = read_all(files.archive);
      EXPECT_GT(proofs.size(), 1000u);
    }
    EXPECT_EQ(read_all(files.results), rows);
    EXPECT_EQ(read_all(files.archive), proofs);
  }
}

// Rows that say `free (swept)` are of paths that a proof finds free; one in a hundred is searched
// and says `free`. A GPU's programs, on the host, leave the same paths to the search.
TEST_F(AuditTest, SweptRowsSayThatTheyAreNotProved) {
  const Scene demo = built_in("demo");
  const fs::path paths = write_paths("paths.jsonl", demo, random_paths(demo, 2000, 6));
  const auto set = DataSet::open(paths, "demo");
  ASSERT_TRUE(set.ok());
  must_run(set.value(), {}, {}, {folder_ / "proved", {}}, 2);
  const std::vector<Json> proved = rows_of(folder_ / "proved");
  for (const BatchDevice device : {BatchDevice::threads, BatchDevice::emulated}) {
    AuditOptions options;
    options.swept = true;
    options.device = device;
    const fs::path results = folder_ / to_string(device);
    must_run(set.value(), options, {}, {results, {}}, 2);
    const std::vector<Json> swept = rows_of(results);
    ASSERT_EQ(swept.size(), proved.size());
    std::map<std::string, int> said;
    for (std::size_t i = 1; i < swept.size(); ++i) {
      const std::string verdict = swept[i]["verdict"];
      ++said[verdict];
      if (verdict == audit::kSwept) {
        EXPECT_EQ(proved[i]["verdict"], "free") << swept[i];
        EXPECT_EQ(swept[i]["length"], proved[i]["length"]);
      } else {
        EXPECT_EQ(verdict, proved[i]["verdict"]);
      }
    }
    EXPECT_GT(said[audit::kSwept], 300);
    EXPECT_GT(said["free"], 0);
    EXPECT_LT(said["free"], said[audit::kSwept] / 10);
    EXPECT_GT(said["collision"], 300);
    const auto summary = audit::summarise(results);
    ASSERT_TRUE(summary.ok()) << summary.error().text();
    EXPECT_EQ(summary.value().counts.swept, said[audit::kSwept]);
    EXPECT_EQ(summary.value().counts.all(), 2000);
    EXPECT_EQ(summary.value().refuted, 0);
  }
}

// With balls around the bodies, which groups of thousands get.
TEST_F(AuditTest, RowsOfLargeGroupsDoNotDependOnWhatWasAskedBefore) {
  const Scene demo = built_in("demo");
  const fs::path paths = write_paths("paths.jsonl", demo, random_paths(demo, 2100, 5));
  const auto set = DataSet::open(paths, "demo");
  ASSERT_TRUE(set.ok());
  must_run(set.value(), {}, {}, {folder_ / "all", {}}, 3);
  const std::vector<Json> rows = rows_of(folder_ / "all");
  ASSERT_EQ(rows.size(), 2101u);
  audit::Auditor one(set.value(), {}, load_built_in, 1);
  std::map<std::string, int> verdicts;
  for (const std::int64_t i : {0, 1, 2, 77, 1024, 1999, 2050, 2098, 2099}) {
    const std::int64_t index[] = {i};
    EXPECT_EQ(Json::parse(one.judge(index).value()[0].row), rows[static_cast<std::size_t>(i) + 1]);
    ++verdicts[rows[static_cast<std::size_t>(i) + 1]["verdict"]];
  }
  EXPECT_GE(verdicts.size(), 2u);
}

// A child that audits dies again and again: at a chosen byte of one of its files, where a write
// breaks off in the middle and the next one kills it, or at a random moment.
TEST_F(AuditTest, GoesOnAfterKillsAsIfThereHadBeenNone) {
  const auto set = DataSet::open(write_set(150));
  ASSERT_TRUE(set.ok());
  const AuditFiles whole{folder_ / "whole.jsonl", folder_ / "whole.proofs"};
  must_run(set.value(), with_certificates(), {}, whole, 1);
  const AuditFiles files{folder_ / "rows.jsonl", folder_ / "rows.proofs"};
  Random random(7);
  std::vector<rlim_t> limits;
  const auto size =
      static_cast<int>(std::max(fs::file_size(whole.results), fs::file_size(whole.archive)));
  for (int i = 0; i < 25; ++i) limits.push_back(static_cast<rlim_t>(1 + random.index(size - 1)));
  std::ranges::sort(limits);
  int torn = 0;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const bool at_a_byte = i % 3 != 2;
    const pid_t child = fork();
    if (child == 0) {
      const rlimit size_limit{limits[i], limits[i]}, no_core{0, 0};
      setrlimit(RLIMIT_CORE, &no_core);
      if (at_a_byte) setrlimit(RLIMIT_FSIZE, &size_limit);
      const auto run = audit::run(set.value(), with_certificates(), {}, files, load_built_in, "{}",
                                  1 + static_cast<int>(i % 3), {});
      _exit(run.ok() ? 0 : 1);
    }
    if (!at_a_byte) {
      usleep(static_cast<useconds_t>(random.index(30000)));
      kill(child, SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
    }
    torn += WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ;
  }
  EXPECT_GE(torn, 10);
  must_run(set.value(), with_certificates(), {}, files, 2);
  EXPECT_EQ(read_all(files.results), read_all(whole.results));
  EXPECT_EQ(read_all(files.archive), read_all(whole.archive));
}

TEST_F(AuditTest, RefusesToGoOnWithSomethingElse) {
  auto set = DataSet::open(write_set(5));
  ASSERT_TRUE(set.ok());
  const AuditFiles files{folder_ / "rows.jsonl", {}};
  must_run(set.value(), {}, {}, files, 1);
  const std::string rows = read_all(files.results);
  const auto refused = [&](const AuditOptions& options, const std::string& word) {
    const auto run = audit::run(set.value(), options, {}, files, load_built_in, "{}", 1, {});
    ASSERT_FALSE(run.ok());
    EXPECT_NE(run.error().text().find(word), std::string::npos) << run.error().text();
    EXPECT_NE(run.error().text().find("remove it"), std::string::npos) << run.error().text();
  };
  AuditOptions wider;
  wider.check.clearance = 0.01;
  refused(wider, "clearance");
  std::ofstream(folder_ / "b.jsonl", std::ios::app) << "{}\n";
  set = DataSet::open(folder_ / "set.json");
  refused({}, "data_set");
  EXPECT_EQ(read_all(files.results), rows) << "it was changed all the same";
  std::ofstream(folder_ / "notes") << "do not touch";
  const auto other =
      audit::run(set.value(), {}, {}, {folder_ / "notes", {}}, load_built_in, "{}", 1, {});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(read_all(folder_ / "notes"), "do not touch");
}

// The rows of a group that is not finished were judged in the scene that is there now.
TEST_F(AuditTest, NoticesASceneThatChangedMeanwhile) {
  const auto set = DataSet::open(write_set(80));
  ASSERT_TRUE(set.ok());
  const AuditFiles files{folder_ / "rows.jsonl", {}};
  must_run(set.value(), {}, {}, files, 1);
  // As if it had been killed after some rows.
  std::string rows = read_all(files.results);
  std::size_t end = 0;
  for (int i = 0; i < 20; ++i) end = rows.find('\n', end) + 1;
  write("rows.jsonl", rows.substr(0, end));
  const auto changed = [](const std::string&) { return load_built_in("planar-2"); };
  const auto run = audit::run(set.value(), {}, {}, files, changed, "{}", 1, {});
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().text().find("has changed"), std::string::npos) << run.error().text();
}

TEST_F(AuditTest, ShardsMergeToTheWholeAndNothingElse) {
  const auto set = DataSet::open(write_set(40));
  ASSERT_TRUE(set.ok());
  for (const std::int64_t sample : {std::int64_t{0}, std::int64_t{33}}) {
    const std::string tag = std::to_string(sample);
    Selection all;
    all.sample = sample;
    const AuditFiles whole{folder_ / ("whole" + tag), folder_ / ("whole_proofs" + tag)};
    must_run(set.value(), with_certificates(), all, whole, 2);
    std::vector<fs::path> rows, proofs;
    constexpr int kShards = 7;
    for (int i = kShards; i >= 1; --i) {
      Selection part = all;
      part.shard = audit::Shard{i, kShards};
      rows.push_back(folder_ / ("shard" + tag + "_" + std::to_string(i)));
      proofs.push_back(folder_ / ("proofs" + tag + "_" + std::to_string(i)));
      must_run(set.value(), with_certificates(), part, {rows.back(), proofs.back()}, 1);
    }
    const AuditFiles merged{folder_ / ("merged" + tag), folder_ / ("merged_proofs" + tag)};
    const auto done = audit::merge(rows, merged, proofs);
    ASSERT_TRUE(done.ok()) << done.error().text();
    EXPECT_EQ(read_all(merged.results), read_all(whole.results));
    EXPECT_EQ(read_all(merged.archive), read_all(whole.archive));

    const auto refused = [&](std::vector<fs::path> shards, const std::string& word) {
      const auto merging = audit::merge(shards, {folder_ / "refused", {}}, {});
      ASSERT_FALSE(merging.ok());
      EXPECT_NE(merging.error().text().find(word), std::string::npos) << merging.error().text();
      EXPECT_FALSE(fs::exists(folder_ / "refused"));
    };
    std::vector<fs::path> some(rows.begin() + 1, rows.end());
    refused(some, "missing");
    some = rows;
    some[0] = rows[1];
    refused(some, "and so is");
    some = rows;
    const std::string text = read_all(rows[0]);
    some[0] = write("torn" + tag, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
    refused(some, "not finished");
    Selection foreign = all;
    foreign.shard = audit::Shard{7, 7};
    AuditOptions wider = with_certificates();
    wider.check.clearance = 0.01;
    some[0] = folder_ / ("foreign" + tag);
    must_run(set.value(), wider, foreign, {some[0], {}}, 1);
    refused(some, "another audit");
    refused({whole.results}, "shard");
  }
}

TEST_F(AuditTest, SamplesAreFairAndSpread) {
  const auto count_of = [](std::int64_t size, std::int64_t wanted, std::uint64_t seed) {
    Selection selection;
    selection.sample = wanted;
    selection.seed = seed;
    return audit::Chosen(size, selection);
  };
  std::vector<int> hits(20);
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const audit::Chosen chosen = count_of(20, 5, seed);
    ASSERT_EQ(chosen.count(), 5);
    for (std::int64_t i = 0; i < 5; ++i) {
      if (i > 0) {
        ASSERT_LT(chosen[i - 1], chosen[i]);
      }
      ++hits[static_cast<std::size_t>(chosen[i])];
    }
  }
  // 500 each, with a deviation of 19: five of these.
  for (const int h : hits) EXPECT_NEAR(h, 500, 97);
  EXPECT_EQ(count_of(7, 100, 1).count(), 7);
}

TEST_F(AuditTest, LeastClearanceIsBetweenWhatChecksSay) {
  const Scene demo = built_in("demo");
  const std::vector<Motion> paths = random_paths(demo, 45, 11);
  const auto set = DataSet::open(write_paths("paths.jsonl", demo, paths), "demo");
  ASSERT_TRUE(set.ok());
  AuditOptions options;
  options.least_clearance = true;
  must_run(set.value(), options, {}, {folder_ / "rows", {}}, 2);
  const std::vector<Json> rows = rows_of(folder_ / "rows");
  int bounded = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Json& row = rows[i + 1];
    EXPECT_EQ(row.contains("clearance"), row["verdict"] == "free");
    if (!row.contains("clearance")) continue;
    const auto verdict_at = [&](double clearance) {
      CheckOptions check;
      check.clearance.world = check.clearance.robots = clearance;
      return must_check(demo, paths[i].waypoints, check).verdict;
    };
    if (row["clearance"]["at_least"] > 0) {
      EXPECT_EQ(verdict_at(row["clearance"]["at_least"]), Verdict::free);
    }
    if (!row["clearance"]["at_most"].is_null()) {
      EXPECT_EQ(verdict_at(row["clearance"]["at_most"]), Verdict::collision);
      ++bounded;
    }
  }
  EXPECT_GE(bounded, 5);
}

TEST_F(AuditTest, SummaryCountsRows) {
  const auto set = DataSet::open(write_set(50));
  ASSERT_TRUE(set.ok());
  must_run(set.value(), {}, {}, {folder_ / "rows", {}}, 2);
  const auto summary = audit::summarise(folder_ / "rows", 5);
  ASSERT_TRUE(summary.ok()) << summary.error().text();
  std::map<std::string, std::int64_t> verdicts;
  double deepest = 0;
  for (const Json& row : rows_of(folder_ / "rows")) {
    if (!row.contains("verdict")) continue;
    ++verdicts[row["verdict"]];
    if (row.contains("collision") && !row["collision"]["depth"].is_null())
      deepest = std::max(deepest, row["collision"]["depth"].get<double>());
  }
  const audit::Counts& counts = summary.value().counts;
  EXPECT_EQ(counts.free, verdicts["free"]);
  EXPECT_EQ(counts.collision, verdicts["collision"]);
  EXPECT_EQ(counts.error, 1);
  EXPECT_EQ(counts.all(), 101);
  ASSERT_EQ(summary.value().groups.size(), 2u);
  EXPECT_EQ(summary.value().groups[0].second.all(), 51);
  ASSERT_EQ(summary.value().worst.size(), 5u);
  EXPECT_GT(deepest, 0);
  EXPECT_EQ(summary.value().worst[0].depth.value_or(0), deepest);
  std::int64_t pairs = 0;
  for (const auto& [pair, count] : summary.value().pairs) pairs += count;
  EXPECT_EQ(pairs, counts.collision);
}

// Every refuted path has a line; what is called repaired ends where the path did and is free.
TEST_F(AuditTest, RepairsAreProvedOrSaidWhyNot) {
  const Scene demo = built_in("demo");
  std::vector<Motion> paths = random_paths(demo, 24, 4);
  const auto set = DataSet::open(write_paths("paths.jsonl", demo, paths), "demo");
  ASSERT_TRUE(set.ok());
  must_run(set.value(), {}, {}, {folder_ / "rows", {}}, 2);
  const auto repair = [&](const fs::path& file, int threads) {
    return audit::repair(set.value(), {}, 1, folder_ / "rows", file, load_built_in, threads, {});
  };
  const auto run = repair(folder_ / "repaired", 2);
  ASSERT_TRUE(run.ok()) << run.error().text();
  const std::vector<Json> lines = rows_of(folder_ / "repaired");
  std::vector<Json> refuted;
  for (const Json& row : rows_of(folder_ / "rows"))
    if (row.contains("collision")) refuted.push_back(row);
  ASSERT_EQ(lines.size(), refuted.size() + 1);
  EXPECT_EQ(run.value().refuted, static_cast<std::int64_t>(refuted.size()));
  int repaired = 0, not_repaired = 0;
  FclScene fcl(demo);
  for (std::size_t i = 0; i < refuted.size(); ++i) {
    const Json& line = lines[i + 1];
    EXPECT_EQ(line["index"], refuted[i]["index"]);
    if (line["status"] != "solved") {
      EXPECT_FALSE(line["reason"].get<std::string>().empty());
      ++not_repaired;
      continue;
    }
    ++repaired;
    const auto waypoints = line["path"]["waypoints"].get<std::vector<std::vector<double>>>();
    const Motion& before = paths[line["index"].get<std::size_t>()];
    EXPECT_EQ(waypoints.front(), before.waypoints.front());
    EXPECT_EQ(waypoints.back(), before.waypoints.back());
    EXPECT_EQ(must_check(demo, waypoints, {}).verdict, Verdict::free);
    for (std::size_t k = 1; k < waypoints.size(); ++k)
      EXPECT_LT(sample_segment(fcl, demo.tree(), waypoints[k - 1], waypoints[k], 0.02), 0);
  }
  EXPECT_EQ(run.value().repaired, repaired);
  EXPECT_GE(repaired, 1);
  EXPECT_GE(not_repaired, 1);
  // It goes on where it ended, with the same bytes.
  const std::string whole = read_all(folder_ / "repaired");
  write("again", whole.substr(0, whole.size() / 2));
  const auto again = repair(folder_ / "again", 1);
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(again.value().repaired, repaired);
  EXPECT_EQ(read_all(folder_ / "again"), whole);
}

// By the definition: the ends are where the tails of the binomial distribution are 2.5 %.
TEST(ClopperPearson, HasTheTailsOfTheBinomialDistribution) {
  const auto tail = [](std::int64_t from, std::int64_t to, std::int64_t n, double p) {
    double sum = 0;
    for (std::int64_t k = from; k <= to; ++k) {
      double term = 1;
      for (std::int64_t i = 0; i < k; ++i)
        term *= static_cast<double>(n - i) / static_cast<double>(k - i) * p;
      sum += term * std::pow(1 - p, static_cast<double>(n - k));
    }
    return sum;
  };
  for (const auto& [hits, drawn] :
       {std::pair<std::int64_t, std::int64_t>{3, 20}, {0, 20}, {20, 20}, {1, 7}, {50, 100}}) {
    const auto interval = audit::clopper_pearson(hits, drawn);
    if (hits > 0) {
      EXPECT_NEAR(tail(hits, drawn, drawn, interval.low), 0.025, 1e-9);
    } else {
      EXPECT_EQ(interval.low, 0);
    }
    if (hits < drawn) {
      EXPECT_NEAR(tail(0, hits, drawn, interval.high), 0.025, 1e-9);
    } else {
      EXPECT_EQ(interval.high, 1);
    }
  }
  // 0 of n: the rule of three, nearly.
  EXPECT_NEAR(audit::clopper_pearson(0, 1'000'000).high, 3.6889e-6, 1e-9);
  const auto half = audit::clopper_pearson(500'000, 1'000'000);
  EXPECT_NEAR(half.low, 0.5 - 0.00098, 2e-6);
  EXPECT_NEAR(half.high, 0.5 + 0.00098, 2e-6);
}

}  // namespace
}  // namespace proven::test
