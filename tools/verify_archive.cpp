#include "tools/verify_archive.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "proven/base/parallel.h"
#include "proven/io/data_set.h"
#include "proven/io/document.h"
#include "proven/io/proof_archive.h"
#include "tools/both_readers.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

// A group as the verifier sees it: its scene by both readers, prepared.
struct VerifiedGroup {
  const PathGroup* paths = nullptr;
  std::unique_ptr<Scenes> scenes;
  std::unique_ptr<Verifier> verifier;
  std::vector<std::string> joints;
};

struct Totals {
  std::int64_t free = 0, collision = 0, rejected = 0, paths = 0;
  bool complete = false;
};

class ArchiveVerifier {
 public:
  ArchiveVerifier(const DataSet& set, const SceneArgument& scene, const VerifyOptions& options,
                  const PathOptions& reading, const CommonOptions& common)
      : set_(set), scene_(scene), options_(options), reading_(reading), common_(common) {
    options_.threads = 1;  // records are judged side by side
  }

  Result<void> take(const std::vector<ProofRecord>& records, Totals& totals) {
    for (std::size_t begin = 0; begin < records.size();) {
      if (records[begin].path >= set_.size())
        return bad_input(fmt::format("there is no path {}", records[begin].path));
      const PathGroup& paths = set_.group_of(records[begin].path);
      if (auto prepared = prepare(paths); !prepared.ok()) return prepared.error();
      std::size_t end = begin;
      while (end < records.size() && records[end].path < paths.begin + paths.size) ++end;
      std::vector<VerifyReport> reports(end - begin);
      parallel_for(static_cast<int>(end - begin), common_.threads, [&](int i, int) {
        const auto at = static_cast<std::size_t>(i);
        reports[at] = judge(records[begin + at]);
      });
      for (std::size_t i = 0; i < reports.size(); ++i)
        count(records[begin + i].path, reports[i], totals);
      begin = end;
    }
    return {};
  }

  // What was left out of the robots' files of all scenes so far.
  const std::set<std::string>& ignored() const { return ignored_; }

 private:
  Result<void> prepare(const PathGroup& paths) {
    if (group_.paths == &paths) return {};
    group_ = {};
    SceneArgument argument = scene_;
    argument.scene = paths.scene;
    auto scenes = read_by_both(argument);
    if (!scenes.ok()) return scenes.error();
    group_.paths = &paths;
    group_.scenes = std::make_unique<Scenes>(std::move(scenes).value());
    group_.verifier = std::make_unique<Verifier>(group_.scenes->own, options_);
    const Scene& scene = group_.scenes->scene;
    for (const std::string& what : scene.ignored()) ignored_.insert(what);
    for (std::size_t i = 0; i < scene.tree().coordinates().size(); ++i)
      if (!scene.follows_clock(static_cast<int>(i)))
        group_.joints.push_back(scene.tree().coordinates()[i].name);
    return {};
  }

  VerifyReport judge(const ProofRecord& record) const {
    const std::int64_t at = record.path - group_.paths->begin;
    const auto items = set_.read(*group_.paths, at, at + 1, group_.joints);
    if (!items.ok()) return rejected(items.error().text());
    const PathItem& item = items.value()[0];
    const auto path = read_item(item, group_.scenes->scene, reading_);
    if (!path.ok()) return rejected(path.error().text());
    const verifier::PathReading reading = own_reading(reading_);
    const SceneSource& own_scene = group_.scenes->own;
    const auto own =
        item.form == PathItem::Form::file
            ? verifier::read_path(item.file, own_scene, reading)
            : verifier::read_path_text(item.name, text_of(item),
                                       item.form == PathItem::Form::csv ? verifier::TextForm::csv
                                                                        : verifier::TextForm::json,
                                       own_scene, reading);
    if (!own.ok()) return rejected(by_own_reader(own.error()).text());
    if (const auto good = check_waypoints(group_.scenes->scene, path.value()); !good.ok())
      return rejected(good.error().text());
    std::string differs = group_.scenes->difference;
    if (differs.empty()) differs = difference(own.value(), path.value(), item.name);
    if (!differs.empty()) return rejected(differs);
    VerifyReport report = group_.verifier->verify(own.value(), record.certificate);
    if (scene_.require_solid && report.accepted && !report.no_inside.empty())
      return rejected(not_solid(scene_, report.no_inside).text());
    return report;
  }

  void count(std::int64_t path, const VerifyReport& report, Totals& totals) const {
    ++totals.paths;
    if (!report.accepted) {
      ++totals.rejected;
      if (common_.json)
        fmt::print(
            "{}\n",
            nlohmann::ordered_json{{"index", path}, {"accepted", false}, {"reason", report.reason}}
                .dump());
      else
        fmt::print("path {}: rejected: {}\n", path, report.reason);
    } else {
      ++(report.kind == CertificateKind::free ? totals.free : totals.collision);
    }
  }

  const DataSet& set_;
  const SceneArgument& scene_;
  VerifyOptions options_;
  const PathOptions& reading_;
  const CommonOptions& common_;
  VerifiedGroup group_;
  std::set<std::string> ignored_;
};

// Records belong to paths by their index: of another data set they would mean nothing.
Result<void> require_same_set(const DataSet& set, const std::string& archive,
                              const std::string& header) {
  std::string hash;
  const auto read = io::read_json_with(
      archive, header, [&](const io::Node& node) { hash = node.at("data_set").string(); });
  if (!read.ok()) return read.error();
  if (hash == set.hash().hex()) return {};
  return bad_input(fmt::format("is of the data set {}, this one is {}: its paths or scenes are not "
                               "those that were audited",
                               hash, set.hash().hex()),
                   archive);
}

void print(const Totals& totals, const std::set<std::string>& ignored,
           const CommonOptions& common) {
  if (common.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"free", totals.free},
                                              {"collision", totals.collision},
                                              {"rejected", totals.rejected},
                                              {"ignored", ignored},
                                              {"complete", totals.complete}}
                           .dump());
    return;
  }
  fmt::print("{}: {} certificates; {} paths are free, {} collide, {} rejected\n",
             totals.rejected == 0 ? "accepted" : "rejected", totals.paths, totals.free,
             totals.collision, totals.rejected);
  for (const std::string& what : ignored) fmt::print("  ignored, as asked: {}\n", what);
  if (!totals.complete)
    fmt::print("  the archive has no index: the audit that wrote it was not finished\n");
}

}  // namespace

int verify_archive(const std::string& data_set, const std::string& scene,
                   const std::string& archive, const SceneArgument& scene_argument,
                   const VerifyOptions& options, const PathOptions& reading,
                   const CommonOptions& common) {
  const auto set = DataSet::open(data_set, scene);
  if (!set.ok()) return report(set.error());
  auto reader = ProofReader::open(archive);
  if (!reader.ok()) return report(reader.error());
  if (auto same = require_same_set(set.value(), archive, reader.value().header()); !same.ok())
    return report(same.error());
  const Work work("verify", common, OnInterrupt::end);
  ArchiveVerifier verifier(set.value(), scene_argument, options, reading, common);
  Totals totals;
  const auto batch =
      static_cast<std::size_t>(64 * (common.threads > 0 ? common.threads : default_threads()));
  for (bool more = true; more;) {
    std::vector<ProofRecord> records;
    while (records.size() < batch) {
      auto record = reader.value().next();
      if (!record.ok()) return report(Error{record.error().code, record.error().text(), archive});
      more = record.value().has_value();
      if (!more) break;
      records.push_back(std::move(*record.value()));
    }
    if (auto taken = verifier.take(records, totals); !taken.ok()) return report(taken.error());
    work.budget().report("certificates", totals.paths, set.value().size());
  }
  totals.complete = reader.value().complete();
  print(totals, verifier.ignored(), common);
  return totals.rejected == 0 ? kOk : kRejected;
}

}  // namespace proven::tools
