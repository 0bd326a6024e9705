#include "bench/doors/door.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "bench/temporary_folder.h"
#include "proven/base/random.h"
#include "proven/io/file.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatch = 400;  // files that lie in the folder at a time
constexpr int kMostOfReal = 20;      // alterations of a file that is one of many
constexpr double kRounding = 1e-6;   // between readers, relative

bool is_json(const Door& door) {
  return door.ending.starts_with(".json");
}

Tree parse(const Door& door, const std::string& text) {
  return is_json(door) ? parse_json(text) : parse_xml(text);
}

std::string written(const Door& door, const Tree& tree) {
  if (door.write) return door.write(tree);
  return is_json(door) ? json_text(tree) : xml_text(tree);
}

fs::path put(const Door& door, const fs::path& folder, std::size_t i, const std::string& name,
             const std::string& text) {
  if (door.place) return door.place(folder, i, name, text);
  const fs::path file = folder / fmt::format("{}{}", i, door.ending);
  (void)write_file(file, text);
  return file;
}

// The first fact in which two readings differ.
std::string difference(const Reading& a, const Reading& b) {
  for (std::size_t i = 0; i < std::min(a.facts.size(), b.facts.size()); ++i) {
    const Fact &x = a.facts[i], &y = b.facts[i];
    if (x.name != y.name) return fmt::format("{} and {}", x.name, y.name);
    const double far = std::fabs(x.value - y.value);
    if (!(far <= kRounding * (1 + std::fabs(x.value))) && x.value != y.value)
      return fmt::format("{} is {} and {}", x.name, x.value, y.value);
  }
  if (a.facts.size() == b.facts.size()) return "";
  return fmt::format("{} and {} things", a.facts.size(), b.facts.size());
}

enum class Judgement { refused, changed, decoration, silent };

// One file under test, unaltered.
class Trial {
 public:
  Trial(const Door& door, const DoorFile& file, const DoorOptions& options, DoorResult& result)
      : door_(door), file_(file), options_(options), result_(result), folder_("doors_trees") {
    door_.prepare(folder_ / "");
  }

  Result<void> run() {
    tree_ = parse(door_, file_.text);
    for (const DoorReader& reader : door_.readers)
      if (const auto wrong = door_.spec->violations(tree_, reader.scope); !wrong.empty())
        return bad_input(fmt::format("{} is not valid: {}", file_.name, wrong[0].what));
    for (const DoorReader& reader : door_.readers) {
      const fs::path file = put(door_, folder_ / "", 0, file_.name, written(door_, tree_));
      before_.push_back(reader.read({file})[0]);
      if (!before_.back().ok())
        return bad_input(fmt::format("the {} refuses {}: {}", reader.name, file_.name,
                                     before_.back().error().text()));
      if (const std::string far = difference(before_[0].value(), before_.back().value());
          !far.empty())
        note("disagrees", reader.name, fmt::format("{} as it is", file_.name), far);
    }
    std::vector<Change> changes = chosen();
    for (std::size_t begin = 0; begin < changes.size(); begin += kBatch)
      batch(begin, {changes.begin() + static_cast<std::ptrdiff_t>(begin),
                    changes.begin() +
                        static_cast<std::ptrdiff_t>(std::min(begin + kBatch, changes.size()))});
    return {};
  }

  void add_notes() {
    for (const auto& [key, group] : groups_)
      result_.notes.push_back(fmt::format("{}: {} times, as {}", key, group.first, group.second));
  }

 private:
  // A share is spread over the whole file, from a place that the seed says.
  std::vector<Change> chosen() const {
    std::vector<Change> all = changes_of(tree_);
    const int most = file_.is_real && options_.most == 0 ? kMostOfReal : options_.most;
    if (most == 0 || all.size() <= static_cast<std::size_t>(most)) return all;
    Random random(options_.seed);
    std::vector<Change> some;
    const double step = static_cast<double>(all.size()) / most;
    for (int i = 0; i < most; ++i)
      some.push_back(
          all[std::min(all.size() - 1, static_cast<std::size_t>(step * (i + random.uniform())))]);
    return some;
  }

  void batch(std::size_t begin, const std::vector<Change>& changes) {
    std::vector<Change> made;
    std::vector<Altered> trees;
    std::vector<fs::path> files;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      auto one = altered(tree_, changes[i], options_.seed + begin + i);
      if (!one) continue;
      files.push_back(
          put(door_, folder_ / "", files.size(), file_.name, written(door_, one->tree)));
      made.push_back(changes[i]);
      trees.push_back(std::move(*one));
    }
    std::vector<std::vector<Result<Reading>>> readings;
    for (const DoorReader& reader : door_.readers) readings.push_back(reader.read(files));
    for (std::size_t i = 0; i < files.size(); ++i)
      for (std::size_t r = 0; r < door_.readers.size(); ++r)
        count(r, made[i], trees[i], readings[0][i], readings[r][i]);
  }

  void count(std::size_t r, const Change& change, const Altered& made,
             const Result<Reading>& product, const Result<Reading>& reading) {
    DoorCount& total = result_.counts[r];
    const DoorReader& reader = door_.readers[r];
    ++total.files;
    std::string why;
    switch (judge(reader.scope, change, made, before_[r].value(), reading, why)) {
      case Judgement::refused:
        ++total.refused;
        break;
      case Judgement::changed:
        ++total.changed;
        break;
      case Judgement::decoration:
        ++total.decoration;
        break;
      case Judgement::silent:
        ++total.silent;
        note("silent", reader.name, kind_of(change),
             fmt::format("{}: {}{}", file_.name, made.what, why.empty() ? "" : " (" + why + ")"));
    }
    if (r == 0) return;
    if (reading.ok() && !product.ok()) ++total.alone;
    if (!product.ok()) return;
    const std::string far = reading.ok() ? difference(product.value(), reading.value())
                                         : "refused: " + reading.error().text();
    if (far.empty()) return;
    ++total.disagreements;
    note("disagrees", reader.name, kind_of(change),
         fmt::format("{}: {}; {}", file_.name, made.what, far));
  }

  Judgement judge(Scope scope, const Change& change, const Altered& made, const Reading& before,
                  const Result<Reading>& after, std::string& why) const {
    if (!after.ok()) return Judgement::refused;
    if (scope == Scope::written) return Judgement::changed;
    const bool same = after.value().digest == before.digest;
    if (change.kind == Change::Kind::comment) {
      why = same ? "" : "a comment changes what is read";
      return same ? Judgement::decoration : Judgement::silent;
    }
    if (same && door_.is_idle(tree_, change)) return Judgement::decoration;
    for (const Spec::Violation& wrong : door_.spec->violations(made.tree, scope)) {
      if (is_said(wrong.word, before, after.value())) return Judgement::changed;
      why = wrong.what;
      return Judgement::silent;
    }
    if (!same) return Judgement::changed;
    return is_harmless(scope, change, made) ? Judgement::decoration : Judgement::silent;
  }

  // A remark that is new names the word.
  static bool is_said(const std::string& word, const Reading& before, const Reading& after) {
    return std::ranges::any_of(after.remarks, [&](const std::string& remark) {
      return !word.empty() && remark.find(word) != std::string::npos &&
             std::ranges::count(before.remarks, remark) == 0;
    });
  }

  bool is_harmless(Scope scope, const Change& change, const Altered& made) const {
    const Spec& spec = *door_.spec;
    if (spec.is_decoration(tree_, change.path, change.attribute, scope)) return true;
    const bool is_text = change.kind == Change::Kind::value && change.attribute.empty();
    if (is_text && spec.is_free_text(tree_, change.path)) return true;
    if (spec.is_decoration(made.tree, made.path_after, change.attribute, scope)) return true;
    if (change.kind == Change::Kind::drop && spec.is_default(tree_, change.path, change.attribute))
      return true;
    if (change.attribute.empty() && change.kind != Change::Kind::value &&
        spec.says_nothing(tree_, change.path))
      return true;
    if (change.kind == Change::Kind::duplicate && change.attribute.empty() &&
        spec.is_set(tree_, change.path))
      return true;
    return door_.is_same(tree_, made.tree, change);
  }

  std::string kind_of(const Change& change) const {
    static const std::regex kNumber("\\[[0-9]+\\]");
    const std::string place = std::regex_replace(place_of(tree_, change.path), kNumber, "");
    return fmt::format("{} {}{}{}", word_of(change.kind), place,
                       change.attribute.empty() ? "" : " ", change.attribute);
  }

  void note(const std::string& what, const std::string& reader, const std::string& kind,
            const std::string& example) {
    auto& [times, first] = groups_[fmt::format("{}: {}: {}: {}", what, door_.name, reader, kind)];
    if (times++ == 0) first = example;
  }

  const Door& door_;
  const DoorFile& file_;
  const DoorOptions& options_;
  DoorResult& result_;
  TemporaryFolder folder_;
  Tree tree_;
  std::vector<Result<Reading>> before_;
  std::map<std::string, std::pair<int, std::string>> groups_;
};

}  // namespace

Result<DoorResult> try_door(const Door& door, const DoorOptions& options) {
  DoorResult result;
  result.counts.resize(door.readers.size());
  for (std::size_t i = 0; i < door.files.size(); ++i) {
    Trial trial(door, door.files[i], options, result);
    if (const Result<void> run = trial.run(); !run.ok()) {
      if (!door.files[i].is_real) return run.error();
      result.notes.push_back("skipped: " + run.error().text());
    }
    trial.add_notes();
    options.progress(static_cast<double>(i + 1) / static_cast<double>(door.files.size()));
  }
  return result;
}

std::vector<Door> all_doors() {
  std::vector<Door> doors;
  for (const auto& some :
       {commonroad_doors, mjcf_doors, sdf_doors, xacro_doors, packages_doors, data_set_doors})
    for (Door& door : some()) doors.push_back(std::move(door));
  return doors;
}

ReadFiles one_by_one(std::function<Result<Reading>(const std::filesystem::path&)> read) {
  return [read = std::move(read)](const std::vector<fs::path>& files) {
    std::vector<Result<Reading>> readings;
    for (const fs::path& file : files) readings.push_back(read(file));
    return readings;
  };
}

}  // namespace proven::bench
