// proven audit: which paths of a data set are free?
#include "audit/audit.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "audit/repair.h"
#include "audit/rows.h"
#include "audit/summary.h"
#include "audit/table.h"
#include "proven/io/proof_archive.h"
#include "tools/audit_page.h"
#include "tools/command.h"
#include "tools/command_line.h"
#include "tools/scene_argument.h"
#include "tools/slurm_script.h"
#include "tools/terminal.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

struct AuditArguments {
  std::string data_set, results = "audit.jsonl", certificates, table, page, repaired, shard, slurm,
                        device = "threads";
  std::vector<std::string> shards;  // of `merge`
  std::int64_t num_shards = 1;      // of `--slurm`
  audit::AuditOptions options;
  audit::Selection selection;
  PathReading reading;
};

constexpr const char *kAudit = "a data set", *kMerge = "merge", *kSlurm = "--slurm";

bool is_merge(const AuditArguments& arguments) {
  return arguments.data_set == kMerge;
}

SceneArgument with_scene(SceneArgument argument, const std::string& scene) {
  argument.scene = scene;
  return argument;
}

// What rows depend on besides the files: how scenes are read.
std::string claims_of(const SceneArgument& argument) {
  nlohmann::ordered_json claims = nlohmann::ordered_json::object();
  if (!argument.robot.empty()) claims["robot"] = argument.robot;
  if (!argument.packages.empty()) claims["packages"] = argument.packages;
  if (!argument.ignore_elements.empty()) claims["ignore_elements"] = argument.ignore_elements;
  for (const auto& [name, set] : {std::pair{"trust_srdf_never", argument.trust_srdf_never},
                                  std::pair{"allow_empty", argument.allow_empty},
                                  std::pair{"require_solid", argument.require_solid}})
    if (set) claims[name] = true;
  return claims.dump();
}

std::string share_text(std::int64_t part, const audit::Summary& summary) {
  const std::int64_t all = summary.counts.all();
  std::string text =
      fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) /
                                  static_cast<double>(std::max<std::int64_t>(1, all)));
  if (summary.sample > 0) {
    const auto interval = audit::clopper_pearson(part, all);
    text +=
        fmt::format(", of all paths {:.2f} to {:.2f} %", 100 * interval.low, 100 * interval.high);
  }
  return text;
}

void print(const audit::Summary& summary, const AuditArguments& arguments,
           const audit::AuditRun& run, const audit::RepairRun& repaired) {
  const audit::Counts& counts = summary.counts;
  fmt::print("{} paths", counts.all());
  if (summary.sample > 0) fmt::print(", a sample of {}", summary.paths);
  if (!summary.shard.empty()) fmt::print(", shard {}", summary.shard);
  if (run.resumed > 0) fmt::print(", {} of them by an earlier run", run.resumed);
  fmt::print("\n");
  const auto line = [&](Colour colour, const char* word, std::int64_t count) {
    fmt::print("  {} {:>10}  {}\n", paint(colour, fmt::format("{:<12}", word)), count,
               share_text(count, summary));
  };
  line(Colour::green, "free", counts.free);
  if (counts.swept > 0) line(Colour::yellow, audit::kSwept, counts.swept);
  line(Colour::red, "collision", counts.collision);
  if (counts.undecided > 0) line(Colour::yellow, "undecided", counts.undecided);
  if (counts.error > 0) line(Colour::yellow, "error", counts.error);
  if (summary.sample > 0)
    fmt::print("  (with 95 % confidence, by the intervals of Clopper and Pearson)\n");
  for (const audit::Failed& failed : summary.errors)
    if (&failed < summary.errors.data() + 3) fmt::print("  error: {}\n", failed.why);
  if (counts.error > 3) fmt::print("  ... and {} more\n", counts.error - 3);
  if (counts.swept > 0)
    fmt::print("  free (swept) is not proved; one such path in {} was searched\n",
               audit::kSweptSample);
  if (summary.refuted > 0)
    fmt::print(
        "  {} of them collided: the pre-check is wrong here; audit without --swept, and report "
        "this\n",
        summary.refuted);
  fmt::print("  rows: {}\n", arguments.results);
  if (!arguments.certificates.empty()) fmt::print("  certificates: {}\n", arguments.certificates);
  if (!arguments.table.empty()) fmt::print("  table: {}\n", arguments.table);
  if (!arguments.page.empty()) fmt::print("  page: {}\n", arguments.page);
  if (!arguments.repaired.empty())
    fmt::print("  repaired, with proof: {} of {} that collide: {}\n", repaired.repaired,
               repaired.refuted, arguments.repaired);
}

void print_json(const audit::Summary& summary, const AuditArguments& arguments,
                const audit::AuditRun& run, const audit::RepairRun& repaired) {
  const audit::Counts& counts = summary.counts;
  nlohmann::ordered_json json = {{"paths", counts.all()},         {"of", summary.paths},
                                 {"resumed", run.resumed},        {"free", counts.free},
                                 {"free_swept", counts.swept},    {"collision", counts.collision},
                                 {"undecided", counts.undecided}, {"error", counts.error},
                                 {"results", arguments.results}};
  if (!arguments.certificates.empty()) json["certificates"] = arguments.certificates;
  if (!arguments.table.empty()) json["table"] = arguments.table;
  if (!arguments.page.empty()) json["page"] = arguments.page;
  if (!arguments.repaired.empty())
    json["repaired"] = {{"file", arguments.repaired}, {"paths", repaired.repaired}};
  if (summary.sample > 0)
    for (const auto& [word, count] :
         {std::pair{"free", counts.free}, std::pair{"free_swept", counts.swept},
          std::pair{"collision", counts.collision}, std::pair{"undecided", counts.undecided},
          std::pair{"error", counts.error}}) {
      const auto interval = audit::clopper_pearson(count, counts.all());
      json["confidence_95"][word] = {interval.low, interval.high};
    }
  fmt::print("{}\n", json.dump());
}

int exit_code(const audit::Counts& counts) {
  return counts.error > 0                           ? kBadInput
         : counts.collision > 0                     ? kCollision
         : counts.undecided > 0 || counts.swept > 0 ? kUndecided
                                                    : kOk;
}

int finish(const AuditArguments& arguments, const audit::AuditRun& run,
           const audit::RepairRun& repaired, const DataSet* set, const SceneArgument& scene,
           const CommonOptions& common) {
  const auto summary = audit::summarise(arguments.results);
  if (!summary.ok()) return report(summary.error());
  if (!arguments.table.empty())
    if (auto written = audit::write_table(arguments.results, arguments.table); !written.ok())
      return report(written.error());
  if (!arguments.page.empty()) {
    const std::filesystem::path name(arguments.data_set);
    const AuditPage page{(name.has_filename() ? name : name.parent_path()).filename().string(),
                         summary.value(),
                         *set,
                         scene,
                         arguments.options.path,
                         arguments.options.check};
    if (auto written = write_page(page, arguments.page); !written.ok())
      return report(written.error());
  }
  if (common.json)
    print_json(summary.value(), arguments, run, repaired);
  else
    print(summary.value(), arguments, run, repaired);
  return exit_code(summary.value().counts);
}

int run_audit(const SceneArgument& scene, AuditArguments& arguments, const CommonOptions& common) {
  audit::AuditOptions& options = arguments.options;
  options.check.certificate = !arguments.certificates.empty();
  options.path = arguments.reading.options();
  options.device = chosen_device(arguments.device, common);
  if (options.swept && (options.check.certificate || options.least_clearance)) {
    fmt::print(stderr,
               "proven: --swept proves nothing: without --certificates and --least-clearance\n");
    return kUsage;
  }
  if (!options.swept && options.device != BatchDevice::threads) {
    fmt::print(stderr,
               "proven: --device is of the pre-check: with --swept, which says `free (swept)`\n");
    return kUsage;
  }
  arguments.selection.seed = common.seed;
  if (!arguments.shard.empty()) {
    const auto shard = audit::parse_shard(arguments.shard);
    if (!shard.ok()) {
      fmt::print(stderr, "proven: --shard: {}\n", shard.error().text());
      return kUsage;
    }
    arguments.selection.shard = shard.value();
  }
  if (auto valid = validate(options.check); !valid.ok()) {
    fmt::print(stderr, "proven: {}\n", valid.error().text());
    return kUsage;
  }
  const auto set = DataSet::open(arguments.data_set, scene.scene);
  if (!set.ok()) return report(set.error());
  const Work work("audit", common, OnInterrupt::end);
  LoadedParts parts;
  const auto load_scene = [&](const std::string& name) {
    return load(with_scene(scene, name), &parts);
  };
  const auto done = audit::run(set.value(), options, arguments.selection,
                               {arguments.results, arguments.certificates}, load_scene,
                               claims_of(scene), common.threads, work.budget());
  if (!done.ok()) return report_any(done.error());
  Result<audit::RepairRun> repaired = audit::RepairRun{};
  if (!arguments.repaired.empty())
    repaired = audit::repair(set.value(), options, common.seed, arguments.results,
                             arguments.repaired, load_scene, common.threads, work.budget());
  if (!repaired.ok()) return report_any(repaired.error());
  return finish(arguments, done.value(), repaired.value(), &set.value(), scene, common);
}

// The words of this command again, but for those that a shard has of its own.
int write_slurm(const AuditArguments& arguments, const CommonOptions& common) {
  SlurmJob job;
  job.shards = arguments.num_shards;
  job.threads = std::max(1, common.threads);
  job.results = std::filesystem::absolute(arguments.results).string();
  if (!arguments.certificates.empty())
    job.certificates = std::filesystem::absolute(arguments.certificates).string();
  static const std::set<std::string> kOwn = {"-o",      "--output", "--certificates",
                                             "--slurm", "--shards", "--threads"};
  const std::vector<std::string>& words = command_words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t sign = word.find('=');
    if (!kOwn.contains(word.substr(0, sign)))
      job.arguments.push_back(word);
    else if (sign == std::string::npos)
      ++i;  // its value
  }
  if (auto written = write_slurm_script(job, arguments.slurm); !written.ok())
    return report(written.error());
  if (!common.quiet)
    fmt::print("wrote {}: `bash {}` submits {} shards and the merge\n", arguments.slurm,
               arguments.slurm, job.shards);
  return kOk;
}

// Archives among the shards are told from rows by their first bytes.
int run_merge(const SceneArgument& scene, const AuditArguments& arguments,
              const CommonOptions& common) {
  std::vector<std::filesystem::path> rows, archives;
  for (const std::string& file : arguments.shards)
    (is_proof_archive(file) ? archives : rows).emplace_back(file);
  if (archives.empty() != arguments.certificates.empty()) {
    fmt::print(stderr, "proven: archives of shards and --certificates belong together\n");
    return kUsage;
  }
  const auto done = audit::merge(rows, {arguments.results, arguments.certificates}, archives);
  if (!done.ok()) return report(done.error());
  return finish(arguments, done.value(), {}, nullptr, scene, common);
}

int run(const SceneArgument& scene, AuditArguments& arguments, const CommonOptions& common) {
  if (!arguments.slurm.empty()) return write_slurm(arguments, common);
  if (is_merge(arguments)) return run_merge(scene, arguments, common);
  return run_audit(scene, arguments, common);
}

void add_options(Arguments& arguments, AuditArguments& chosen) {
  CheckOptions& check = chosen.options.check;
  const std::vector<std::string> judging = {kAudit, kSlurm};
  arguments.add("-o,--output", chosen.results,
                "Rows, a line of JSON per path; one of the same audit is gone on with");
  arguments.add("--certificates", chosen.certificates,
                "An archive of certificates of `free` and `collision`, for `proven verify`");
  arguments.add("--csv", chosen.table, "Write the rows as a table, too, when all are there");
  arguments.only_for({kAudit, kMerge});
  arguments.add("--page", chosen.page, "Write a page of what it came to, with pictures");
  arguments.only_for({kAudit});
  arguments.add("--repair", chosen.repaired,
                "Repair every path that collides, with proof, or say why not: a line each");
  arguments.only_for({kAudit});
  arguments.add_flag(
      "--least-clearance", chosen.options.least_clearance,
      "Of free paths, between which of 1, 2, 4 ... 1024 mm the least clearance lies");
  arguments.only_for(judging);
  arguments.add_flag("--swept", chosen.options.swept,
                     "Search only what the pre-check leaves open, and one path in 100: faster; "
                     "the others are `free (swept)`, which is not proved: exit code 3");
  arguments.only_for(judging);
  arguments.add_choice("--device", chosen.device, {"threads", "automatic"},
                       "The device of --swept; automatic: a GPU, if there is one");
  arguments.only_for({kAudit});
  arguments.add("--sample", chosen.selection.sample, "So many paths, drawn by chance; 0: all", 0);
  arguments.only_for(judging);
  arguments.add("--shard", chosen.shard, "I/N: the I-th of N parts; `merge` makes one of them");
  arguments.only_for({kAudit});
  arguments.add("--slurm", chosen.slurm,
                "Audit nothing, but write a script that does, with an array of jobs and a merge");
  arguments.only_for({kSlurm});
  arguments.add("--shards", chosen.num_shards, "Into how many parts the script divides it", 1);
  arguments.only_for({kSlurm});
  arguments.add_tracking_error(check.tracking_error);
  arguments.only_for(judging);
  arguments.add_clearance(check.clearance);
  arguments.only_for(judging);
  arguments.add("--resolution", check.resolution,
                "Closer than clearance + this without a proof is undecided, in metres");
  arguments.only_for(judging);
  arguments.add_flag("--first", check.first, "The earliest contact along each path, not just any");
  arguments.only_for(judging);
  arguments.add("--max-cells", check.max_cells, "Give a path up after this many cells", 1);
  arguments.only_for(judging);
  add_path_options(arguments, chosen.reading, judging);
  arguments.honour(Common::seed, judging);
  arguments.honour(Common::budget, judging);
  arguments.honour(Common::no_cache, judging);
  arguments.honour(Common::threads, judging);
}

}  // namespace

Command audit_command() {
  return {"audit", "Judge every path of a data set, of any size",
          "  proven audit paths.jsonl --scene cell.json\n"
          "  proven audit set.json -o rows.jsonl --certificates proofs.archive\n"
          "  proven audit set.json --sample 2000 --page audit.html\n"
          "  proven audit set.json --shard 17/400 -o shards/17.jsonl\n"
          "  proven audit merge shards/*.jsonl -o audit.jsonl\n"
          "  proven audit set.json -o audit.jsonl --slurm audit.sh --shards 400",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<AuditArguments>();
            arguments.add_required(
                "data_set", chosen->data_set,
                "Paths as *.jsonl, *.csv, *.npy, *.npz or *.h5, a folder, or a manifest; "
                "`merge` makes one of the shards that follow");
            arguments.suggest({kMerge});
            arguments.add("shards", chosen->shards, "Rows and archives of all shards");
            arguments.only_for({kMerge});
            const std::vector<std::string> judging = {kAudit, kSlurm};
            auto scene = add_scene_argument(arguments, "--scene", false, judging);
            add_options(arguments, *chosen);
            add_require_solid(arguments, *scene);
            arguments.only_for(judging);
            arguments.set_action([chosen] {
              return !chosen->slurm.empty() ? kSlurm : is_merge(*chosen) ? kMerge : kAudit;
            });
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
