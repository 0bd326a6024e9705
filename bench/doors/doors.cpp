// Every documented field of every format, altered or misspelt: what was read must change, or the
// file must be refused with its line. A field that does neither is a door through which another
// statement is proved than the one that was meant.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "bench/bench.h"
#include "bench/doors/alterations.h"
#include "bench/doors/door.h"
#include "bench/doors/formats.h"
#include "bench/doors/loose_doors.h"
#include "bench/temporary_folder.h"
#include "proven/io/file.h"
#include "proven/io/mesh_file.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// A robot whose base moves, for the formats that no example of the page gives a scene for.
constexpr const char* kMobile = R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf",
 "srdf": "arm.srdf", "virtual_joints": true, "packages": {"arm_description": "."}}]})";

// The examples of docs/formats.md, by the name of the file in the line before each.
std::map<std::string, std::string> examples() {
  const auto page = read_file(fs::path(PROVEN_SOURCE_DIR) / "docs/formats.md");
  std::map<std::string, std::string> found;
  if (!page.ok()) return found;
  std::istringstream in(page.value());
  std::string name, line;
  const std::regex title("`([a-z_.]+)`:");
  for (std::string* block = nullptr; std::getline(in, line);) {
    std::smatch match;
    if (line == "```") block = nullptr;
    if (block) *block += line + "\n";
    if (std::regex_match(line, match, title))
      name = match[1];
    else if (line.starts_with("```") && line.size() > 3 && !name.empty())
      block = &found[std::exchange(name, "")];
  }
  return found;
}

// Who reads: each gives formats of its own.
struct Reader {
  const char* name;
  const std::vector<Format>& formats;
};

std::vector<Reader> readers() {
  return {{"checker", checker_formats()}, {"verifier", verifier_formats()}};
}

struct Count {
  int files = 0, changed = 0, refused = 0, without_line = 0, decoration = 0, silent = 0,
      disagreements = 0;

  Count& operator+=(const Count& other) {
    files += other.files, changed += other.changed, refused += other.refused;
    without_line += other.without_line, decoration += other.decoration, silent += other.silent;
    disagreements += other.disagreements;
    return *this;
  }
};

// Names of files of a user have an ending and then the line.
bool names_a_line(const std::string& error) {
  static const std::regex kPlace("[A-Za-z_]+\\.(json|jsonl|urdf|srdf|yaml|csv|txt):[0-9]+");
  return std::regex_search(error, kPlace);
}

void judge(const Result<std::string>& before, const Result<std::string>& after,
           const Alteration& alteration, Count& count, std::vector<std::string>& notes) {
  constexpr std::size_t kMostNotes = 40;
  ++count.files;
  if (!after.ok() && after.error().text().find(kDiffers) != std::string::npos) {
    ++count.disagreements;
    notes.push_back("disagrees: " + alteration.what + ": " + after.error().text());
  } else if (!after.ok()) {
    ++count.refused;
    if (names_a_line(after.error().text())) return;
    ++count.without_line;
    if (notes.size() < kMostNotes)
      notes.push_back("no line: " + alteration.what + ": " + after.error().text());
  } else if (after.value() != before.value()) {
    ++count.changed;
  } else {
    ++count.silent;
    if (notes.size() < kMostNotes) notes.push_back("silent: " + alteration.what);
  }
}

Result<Count> try_format(const Format& format, const TemporaryFolder& folder,
                         const std::map<std::string, std::string>& texts, int most,
                         std::vector<std::string>& notes) {
  Count count;
  for (const std::string& name : format.files) {
    const auto text = texts.find(name);
    if (text == texts.end()) return bad_input("docs/formats.md has no example " + name);
    const Result<std::string> before = format.read(folder, name);
    if (!before.ok()) return before.error();
    const std::vector<Alteration> all = alterations(name, text->second);
    // A share of them is spread over the whole file.
    const std::size_t step =
        most > 0 ? std::max<std::size_t>(1, all.size() / static_cast<std::size_t>(most)) : 1;
    for (std::size_t i = 0; i < all.size(); i += step) {
      (void)write_file(folder / name, all[i].text);
      judge(before, format.read(folder, name), all[i], count, notes);
    }
    (void)write_file(folder / name, text->second);
  }
  return count;
}

void add_row(Report& report, const std::string& reader, const std::string& format,
             const Count& count) {
  report.rows.push_back(Row{}
                            .add("reader", reader)
                            .add("format", format)
                            .add("files", count.files)
                            .add("refused", count.refused)
                            .add("refused without a line", count.without_line)
                            .add("changed", count.changed)
                            .add("decoration", count.decoration)
                            .add("silent", count.silent)
                            .add("disagreements", count.disagreements));
}

// The fields of the examples of docs/formats.md.
Result<Count> try_examples(const Options& options, Report& report) {
  std::map<std::string, std::string> texts = examples();
  if (texts.empty()) {
    report.notes.push_back("skipped: docs/formats.md is not there");
    return Count{};
  }
  texts["mobile.json"] = kMobile;
  const TemporaryFolder folder("doors");
  for (const auto& [name, text] : texts) (void)write_file(folder / name, text);
  if (auto saved = save_stl(folder / "car.stl", {{{9, 0, 0}, {9, 1, 0}, {9, 0, 1}}, {{0, 1, 2}}});
      !saved.ok())
    return saved.error();
  Count all;
  for (const Reader& reader : readers())
    for (const Format& format : reader.formats) {
      if (!options.set.empty() && options.set != format.name) continue;
      const auto count = try_format(format, folder, texts, options.cases_or(20, 0), report.notes);
      if (!count.ok()) return count.error();
      add_row(report, reader.name, format.name, count.value());
      all += count.value();
    }
  return all;
}

// A row for each reader.
Count add_result(Report& report, const std::string& format, const std::vector<DoorReader>& readers,
                 const DoorResult& result) {
  Count all;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    const DoorCount& c = result.counts[i];
    const Count count = {c.files, c.changed, c.refused, 0, c.decoration, c.silent, c.disagreements};
    add_row(report, readers[i].name, format, count);
    all += count;
  }
  report.notes.insert(report.notes.end(), result.notes.begin(), result.notes.end());
  return all;
}

// Every element, attribute and value of the formats that have a specification here.
Result<Count> try_trees(const Options& options, Report& report) {
  Count all;
  for (Door& door : all_doors()) {
    if (!options.set.empty() && options.set != door.name) continue;
    if (options.quick) std::erase_if(door.files, [](const DoorFile& f) { return f.is_real; });
    const auto tried = try_door(door, {options.seed, options.cases_or(60, 0), options.progress});
    if (!tried.ok()) return tried.error();
    all += add_result(report, door.name, door.readers, tried.value());
  }
  for (const LooseDoor& door : loose_doors(options.seed)) {
    if (!options.set.empty() && options.set != door.name) continue;
    const auto tried = try_loose_door(door, {options.seed, options.cases_or(60, 0)});
    if (!tried.ok()) return tried.error();
    all += add_result(report, door.name, door.readers, tried.value());
  }
  return all;
}

Result<Report> run(const Options& options) {
  Report report;
  Count all;
  for (const auto& part : {try_examples, try_trees}) {
    const auto count = part(options, report);
    if (!count.ok()) return count.error();
    all += count.value();
  }
  add_row(report, "all", "", all);
  report.failed = all.silent > 0 || all.disagreements > 0;
  return report;
}

}  // namespace

Benchmark doors() {
  return {"doors", "Every field of every format altered or misspelt: changed, refused or silent",
          run, true};
}

}  // namespace proven::bench
