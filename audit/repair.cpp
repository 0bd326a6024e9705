#include "audit/repair.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "audit/rows.h"
#include "proven/base/parallel.h"
#include "proven/io/document.h"
#include "proven/io/journal.h"
#include "proven/plan/repair.h"

namespace proven::audit {
namespace {

using Json = nlohmann::ordered_json;

// A planner gives a stretch up after so many steps: the same on every machine.
constexpr std::int64_t kIterations = 20'000;
constexpr std::size_t kBatchPerThread = 16;

// The scene of a group, and how paths in it are read and checked.
struct Group {
  const PathGroup* paths = nullptr;
  std::optional<Scene> scene;
  std::string error;
  std::vector<std::string> joints;
};

class Repairer {
 public:
  Repairer(const DataSet& set, const AuditOptions& options, std::uint64_t seed,
           const SceneLoader& load, int threads)
      : set_(set), options_(options), seed_(seed), load_(load), threads_(threads) {
    // A monitor keeps its own proofs; what is asked about one answer alone is not for it.
    options_.check.certificate = options_.check.first = false;
  }

  std::vector<std::string> lines_of(const std::vector<std::int64_t>& paths,
                                    std::int64_t& repaired) {
    std::vector<std::string> lines(paths.size());
    std::vector<char> solved(paths.size());
    for (std::size_t begin = 0; begin < paths.size();) {
      const PathGroup& of = set_.group_of(paths[begin]);
      prepare(of);
      std::size_t end = begin;
      while (end < paths.size() && paths[end] < of.begin + of.size) ++end;
      parallel_for(static_cast<int>(end - begin), threads_, [&](int item, int) {
        const std::size_t i = begin + static_cast<std::size_t>(item);
        bool good = false;
        lines[i] = line_of(paths[i], good);
        solved[i] = good;
      });
      begin = end;
    }
    for (const char good : solved) repaired += good;
    return lines;
  }

 private:
  void prepare(const PathGroup& paths) {
    if (group_.paths == &paths) return;
    group_ = {};
    group_.paths = &paths;
    auto scene = load_(paths.scene);
    if (!scene.ok()) {
      group_.error = scene.error().text();
      return;
    }
    group_.scene = std::move(scene).value();
    for (const Coordinate& c : group_.scene->tree().coordinates()) group_.joints.push_back(c.name);
  }

  std::string line_of(std::int64_t index, bool& good) const {
    Json json = {{"index", index}, {"group", group_.paths->name}};
    const auto failed = [&](const std::string& why) {
      json["status"] = kError;
      json["reason"] = why;
      return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    };
    if (!group_.scene) return failed(group_.error);
    const std::int64_t at = index - group_.paths->begin;
    const auto items = set_.read(*group_.paths, at, at + 1, group_.joints);
    if (!items.ok()) return failed(items.error().text());
    json["name"] = items.value()[0].name;
    auto motion = read_item(items.value()[0], *group_.scene, options_.path);
    if (!motion.ok()) return failed(motion.error().text());
    const double length = length_of(motion.value());
    Scratch scratch;
    const auto monitor =
        Monitor::build(*group_.scene, std::move(motion).value(), options_.check, scratch);
    if (!monitor.ok()) return failed(monitor.error().text());
    RepairOptions around;
    around.plan.seed = seed_;
    around.plan.max_iterations = kIterations;
    const auto result = proven::repair(monitor.value(), around);
    if (!result.ok()) return failed(result.error().text());
    good = result.value().status == PlanStatus::solved && result.value().proved;
    json["status"] = to_string(result.value().status);
    json["reason"] = result.value().reason;
    json["proved"] = result.value().proved;
    json["stretches"] = result.value().stretches;
    json["length_before"] = length;
    if (!good) return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    json["length"] = length_of(result.value().motion);
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.back() = ',';
    return text + "\"path\":" + path_line(result.value().motion, *group_.scene) + "}\n";
  }

  const DataSet& set_;
  AuditOptions options_;
  std::uint64_t seed_;
  const SceneLoader& load_;
  int threads_;
  Group group_;
};

// What an earlier run repaired.
Result<std::int64_t> count_repaired(const std::filesystem::path& file) {
  std::int64_t repaired = 0;
  const auto read = read_journal(file, [&](std::string_view line) -> Result<void> {
    repaired += line.find("\"path\":{") != std::string_view::npos;
    return {};
  });
  if (!read.ok()) return read.error();
  return repaired;
}

}  // namespace

Result<RepairRun> repair(const DataSet& set, const AuditOptions& options, std::uint64_t seed,
                         const std::filesystem::path& results, const std::filesystem::path& file,
                         const SceneLoader& load, int threads, const Budget& budget) {
  if (threads <= 0) threads = default_threads();
  std::optional<Journal> journal;
  Repairer repairer(set, options, seed, load, threads);
  RepairRun run;
  std::vector<std::int64_t> paths;
  const auto flush = [&]() -> Result<void> {
    std::string text;
    for (const std::string& line : repairer.lines_of(std::exchange(paths, {}), run.repaired))
      text += line;
    budget.report("repairs", run.refuted);
    return journal->append(text);
  };
  const auto read = read_journal(results, [&](std::string_view line) -> Result<void> {
    if (!journal) {
      Json header = {{"proven", 1}, {"repair", seed}, {"audit", line}};
      auto opened = Journal::open(file, header.dump());
      if (!opened.ok()) return opened.error();
      journal.emplace(std::move(opened).value());
      const auto repaired = count_repaired(file);
      if (!repaired.ok()) return repaired.error();
      run.repaired = repaired.value();
      return {};
    }
    std::int64_t index = -1;
    const auto parsed = io::read_json_with(results, line, [&](const io::Node& row) {
      if (row.at("verdict").string() == "collision")
        index = static_cast<std::int64_t>(row.at("index").number());
    });
    if (!parsed.ok() || index < 0 || run.refuted++ < journal->lines()) return parsed;
    paths.push_back(index);
    if (paths.size() < kBatchPerThread * static_cast<std::size_t>(threads)) return {};
    return flush();
  });
  if (!read.ok()) return read.error();
  if (auto flushed = flush(); !flushed.ok()) return flushed.error();
  return run;
}

}  // namespace proven::audit
