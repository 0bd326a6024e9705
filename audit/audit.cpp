#include "audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/io/document.h"
#include "proven/io/journal.h"
#include "proven/io/proof_archive.h"

namespace proven::audit {
namespace {

using Json = nlohmann::ordered_json;

// Between two writes so many paths are judged as take about this time, which is what a kill can
// cost; at least the first number per thread, and at most the second in all, which are kept.
constexpr double kBatchSeconds = 0.25;
constexpr std::int64_t kLeastPerThread = 64, kMostPerBatch = 16384;

class BatchSize {
 public:
  explicit BatchSize(int threads) : least_(kLeastPerThread * threads), size_(least_) {}
  std::int64_t operator()() const { return size_; }
  void learn(double seconds) {
    if (seconds < kBatchSeconds / 2) size_ = std::max(least_, std::min(kMostPerBatch, 2 * size_));
    if (seconds > 2 * kBatchSeconds) size_ = std::max(least_, size_ / 2);
  }

 private:
  std::int64_t least_, size_;
};

// Selection sampling (Knuth's algorithm S): every subset of this size is as likely.
std::vector<std::int64_t> sample_of(std::int64_t size, std::int64_t wanted, std::uint64_t seed) {
  std::vector<std::int64_t> sample;
  Random random(seed);
  for (std::int64_t i = 0; i < size && wanted > 0; ++i)
    if (random.uniform() * static_cast<double>(size - i) < static_cast<double>(wanted)) {
      sample.push_back(i);
      --wanted;
    }
  return sample;
}

Json options_json(const AuditOptions& options) {
  const CheckOptions& check = options.check;
  Json tracking = {{"", check.tracking_error.general}};
  for (const auto& [joint, error] : check.tracking_error.joints) tracking[joint] = error;
  return {{"checker", to_string(check.checker)},
          {"clearance",
           {{"world", check.clearance.world},
            {"robots", check.clearance.robots},
            {"self", check.clearance.self},
            {"attached", check.clearance.attached}}},
          {"tracking_error", tracking},
          {"resolution", check.resolution},
          {"step", check.step},
          {"first", check.first},
          {"max_cells", check.max_cells},
          {"certificates", check.certificate},
          {"least_clearance", options.least_clearance},
          {"swept", options.swept},
          {"ignore_limits", options.path.ignore_limits},
          {"interpolation", to_string(options.path.interpolation)}};
}

// The part of a row that says in which scene it was judged; nothing if it was not.
Result<std::string> scene_of_row(const std::filesystem::path& file, const std::string& line) {
  std::string scene;
  const auto read = io::read_json_with(file, line, [&](const io::Node& row) {
    if (const io::Node* given = row.find("scene")) scene = given->string();
  });
  if (!read.ok()) return read.error();
  return scene;
}

// What was judged so far must have been judged in the scene that is there now.
Result<void> require_same_scene(Auditor& auditor, const DataSet& set, const AuditFiles& files,
                                const std::string& last_line, std::int64_t last,
                                std::int64_t next) {
  if (&set.group_of(last) != &set.group_of(next)) return {};
  const auto before = scene_of_row(files.results, last_line);
  if (!before.ok()) return before.error();
  const std::string now = auditor.scene_of(next);
  if (before.value().empty() || before.value() == now) return {};
  return bad_input(fmt::format("the scene of group '{}' has changed since: rows were judged in {}, "
                               "now it is {}; remove the file to begin again",
                               set.group_of(next).name, before.value(), now),
                   files.results.string());
}

// Certificates first: a row that is there has its certificate, whatever happens between.
Result<void> write(std::span<const std::int64_t> paths, const std::vector<Audited>& audited,
                   Journal& journal, std::optional<ProofArchive>& archive) {
  std::string rows, records;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    rows += audited[i].row;
    if (archive && !audited[i].certificate.empty())
      ProofArchive::add_record(paths[i], audited[i].certificate, records);
  }
  if (archive) {
    if (auto written = archive->append(records); !written.ok()) return written;
    if (auto synced = archive->sync(); !synced.ok()) return synced;
  }
  return journal.append(rows);
}

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  if (number.ec == std::errc{} && number.ptr != end && *number.ptr == '/') {
    const auto of = std::from_chars(number.ptr + 1, end, shard.of);
    if (of.ec == std::errc{} && of.ptr == end && shard.number >= 1 && shard.number <= shard.of)
      return shard;
  }
  return bad_input(fmt::format("'{}' is no shard; write 17/400 for the 17th of 400", text));
}

Chosen::Chosen(std::int64_t size, const Selection& selection) {
  std::int64_t count = size;
  if (selection.sample > 0 && selection.sample < size) {
    sample_ = sample_of(size, selection.sample, selection.seed);
    count = static_cast<std::int64_t>(sample_.size());
  }
  const Shard shard = selection.shard.value_or(Shard{});
  // Without overflow: count (number - 1) / of.
  const auto border = [&](std::int64_t i) {
    return count / shard.of * i + count % shard.of * i / shard.of;
  };
  begin_ = border(shard.number - 1);
  end_ = border(shard.number);
}

std::string header_of(const DataSet& set, const AuditOptions& options, const Selection& selection,
                      const std::string& claims) {
  Json header = {{"proven", 1},
                 {"audit", PROVEN_VERSION},
                 {"data_set", set.hash().hex()},
                 {"paths", set.size()},
                 {"sample", nullptr},
                 {"shard", nullptr},
                 {"scenes", claims},
                 {"options", options_json(options)}};
  if (selection.sample > 0 && selection.sample < set.size())
    header["sample"] = {{"paths", selection.sample}, {"seed", selection.seed}};
  if (selection.shard)
    header["shard"] = fmt::format("{}/{}", selection.shard->number, selection.shard->of);
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<AuditRun> run(const DataSet& set, const AuditOptions& options, const Selection& selection,
                     const AuditFiles& files, const SceneLoader& load, const std::string& claims,
                     int threads, const Budget& budget) {
  if (threads <= 0) threads = default_threads();
  const std::string header = header_of(set, options, selection, claims);
  auto journal = Journal::open(files.results, header);
  if (!journal.ok()) return journal.error();
  const Chosen chosen(set.size(), selection);
  std::int64_t done = journal.value().lines();
  if (done > chosen.count())
    return bad_input("has more rows than there are paths; remove it to begin again",
                     files.results.string());
  const AuditRun result{chosen.count(), done};
  std::optional<ProofArchive> archive;
  if (!files.archive.empty()) {
    // Paths of rows that were not written are judged again.
    auto opened = ProofArchive::open(files.archive, header,
                                     done < chosen.count() ? chosen[done] : set.size());
    if (!opened.ok()) return opened.error();
    archive.emplace(std::move(opened).value());
  }
  Auditor auditor(set, options, load, threads);
  if (done > 0 && done < chosen.count())
    if (auto same = require_same_scene(auditor, set, files, journal.value().last_line(),
                                       chosen[done - 1], chosen[done]);
        !same.ok())
      return same.error();
  BatchSize batch(threads);
  while (done < chosen.count()) {
    if (budget.stopped())
      return Error{ErrorCode::exhausted, "the budget ran out; run it again to go on",
                   files.results.string()};
    const std::int64_t end = std::min(chosen.count(), done + batch());
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::int64_t> paths;
    for (std::int64_t i = done; i < end; ++i) paths.push_back(chosen[i]);
    const auto audited = auditor.judge(paths);
    if (!audited.ok()) return audited.error();
    if (auto written = write(paths, audited.value(), journal.value(), archive); !written.ok())
      return written.error();
    done = end;
    batch.learn(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    budget.report("paths", done, chosen.count());
  }
  if (auto synced = journal.value().sync(); !synced.ok()) return synced.error();
  if (archive)
    if (auto finished = archive->finish(); !finished.ok()) return finished.error();
  return result;
}

}  // namespace proven::audit
