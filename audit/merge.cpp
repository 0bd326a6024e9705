#include <fmt/format.h>

#include <map>

#include "audit/audit.h"
#include "proven/io/document.h"
#include "proven/io/journal.h"
#include "proven/io/proof_archive.h"

namespace proven::audit {
namespace {

using Files = std::vector<std::filesystem::path>;

// What the header of a shard says.
struct ShardHeader {
  Shard shard;
  std::string whole;  // the header of the audit that it is a part of
  std::int64_t paths = 0;
  Selection selection;
};

Result<ShardHeader> read_header(const std::filesystem::path& file, const std::string& line) {
  ShardHeader header;
  std::string shard;
  const auto read = io::read_json_with(file, line, [&](const io::Node& node) {
    header.paths = static_cast<std::int64_t>(node.at("paths").number());
    if (const io::Node& sample = node.at("sample"); !sample.is(io::Node::Kind::null))
      header.selection.sample = static_cast<std::int64_t>(sample.at("paths").number());
    if (node.at("shard").is(io::Node::Kind::null)) node.at("shard").fail("is no shard");
    shard = node.at("shard").string();
  });
  if (!read.ok()) return read.error();
  const auto parsed = parse_shard(shard);
  if (!parsed.ok()) return parsed.error();
  header.shard = parsed.value();
  header.selection.shard = header.shard;
  const std::string own = fmt::format("\"shard\":\"{}\"", shard);
  const std::size_t at = line.find(own);
  if (at == std::string::npos) return bad_input("is no shard of an audit", file.string());
  header.whole = line.substr(0, at) + "\"shard\":null" + line.substr(at + own.size());
  return header;
}

// How many rows a shard must have. How many there are in a sample depends on its size alone.
std::int64_t count_of(const ShardHeader& header) {
  Selection selection = header.selection;
  const std::int64_t sample = std::exchange(selection.sample, 0);
  return Chosen(sample > 0 ? sample : header.paths, selection).count();
}

// The files by the number of their shard; all there, once each, of one audit.
struct Sorted {
  std::string header;
  std::map<std::int64_t, std::filesystem::path> files;
};

Result<void> take(const std::filesystem::path& file, const ShardHeader& header, Sorted& sorted,
                  std::int64_t& of) {
  if (sorted.files.empty()) {
    sorted.header = header.whole;
    of = header.shard.of;
  }
  if (header.shard.of != of || header.whole != sorted.header)
    return bad_input(
        fmt::format("is of another audit than {}", sorted.files.begin()->second.string()),
        file.string());
  const auto [at, is_new] = sorted.files.emplace(header.shard.number, file);
  if (!is_new)
    return bad_input(
        fmt::format("is shard {}/{}, and so is {}", header.shard.number, of, at->second.string()),
        file.string());
  return {};
}

Result<void> require_all(const Sorted& sorted, std::int64_t of, const char* what) {
  for (std::int64_t i = 1; i <= of; ++i)
    if (!sorted.files.contains(i))
      return bad_input(
          fmt::format("{} of shard {}/{} {} missing: run it, then merge", what, i, of, "is"));
  return {};
}

// Stops `read_journal` after what is wanted.
Result<void> read_first_line(const std::filesystem::path& file, std::string& line,
                             std::int64_t& rows) {
  rows = -1;
  return read_journal(file, [&](std::string_view text) -> Result<void> {
    if (rows++ < 0) line = text;
    return {};
  });
}

Result<Sorted> sort_results(const Files& shards, std::int64_t& of) {
  Sorted sorted;
  for (const std::filesystem::path& file : shards) {
    std::string line;
    std::int64_t rows = 0;
    if (auto read = read_first_line(file, line, rows); !read.ok()) return read.error();
    const auto header = read_header(file, line);
    if (!header.ok()) return header.error();
    if (rows != count_of(header.value()))
      return bad_input(
          fmt::format("is not finished: it has {} of {} rows; run it again, then merge", rows,
                      count_of(header.value())),
          file.string());
    if (auto taken = take(file, header.value(), sorted, of); !taken.ok()) return taken.error();
  }
  if (auto all = require_all(sorted, of, "the rows"); !all.ok()) return all.error();
  return sorted;
}

Result<void> merge_archives(const Files& archives, const std::filesystem::path& into,
                            const std::string& header) {
  Sorted sorted;
  std::int64_t of = 0;
  for (const std::filesystem::path& file : archives) {
    const auto reader = ProofReader::open(file);
    if (!reader.ok()) return reader.error();
    const auto own = read_header(file, reader.value().header());
    if (!own.ok()) return own.error();
    if (auto taken = take(file, own.value(), sorted, of); !taken.ok()) return taken.error();
  }
  if (auto all = require_all(sorted, of, "the certificates"); !all.ok()) return all.error();
  if (sorted.header != header)
    return bad_input("is of another audit than the rows", archives[0].string());
  auto archive = ProofArchive::open(into, header, 0);
  if (!archive.ok()) return archive.error();
  for (const auto& [number, file] : sorted.files) {
    auto reader = ProofReader::open(file);
    if (!reader.ok()) return reader.error();
    for (;;) {
      const auto record = reader.value().next();
      if (!record.ok()) return Error{record.error().code, record.error().text(), file.string()};
      if (!record.value()) break;
      std::string bytes;
      ProofArchive::add_record(record.value()->path, record.value()->certificate, bytes);
      if (auto written = archive.value().append(bytes); !written.ok()) return written.error();
    }
    if (!reader.value().complete())
      return bad_input("is not finished; run its shard again, then merge", file.string());
  }
  return archive.value().finish();
}

}  // namespace

Result<AuditRun> merge(const Files& shards, const AuditFiles& into, const Files& archives) {
  if (shards.empty()) return bad_input("there are no shards to merge");
  std::int64_t of = 0;
  const auto sorted = sort_results(shards, of);
  if (!sorted.ok()) return sorted.error();
  auto journal = Journal::open(into.results, sorted.value().header);
  if (!journal.ok()) return journal.error();
  AuditRun run;
  run.resumed = journal.value().lines();
  for (const auto& [number, file] : sorted.value().files) {
    bool header = true;
    std::string rows;
    const auto read = read_journal(file, [&](std::string_view line) -> Result<void> {
      if (std::exchange(header, false) || run.count++ < run.resumed) return {};
      (rows += line) += '\n';
      if (rows.size() < std::size_t{1} << 20) return {};
      return journal.value().append(std::exchange(rows, {}));
    });
    if (!read.ok()) return read.error();
    if (auto written = journal.value().append(rows); !written.ok()) return written.error();
  }
  if (auto synced = journal.value().sync(); !synced.ok()) return synced.error();
  if (!into.archive.empty())
    if (auto merged = merge_archives(archives, into.archive, sorted.value().header); !merged.ok())
      return merged.error();
  return run;
}

}  // namespace proven::audit
