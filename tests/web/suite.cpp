// web_suite FOLDER MOTIONS: writes so many motions of every scene of the suite "never wrong" as
// files, and a question per line. Scenes that files cannot say are named on stderr.
#include "bench/suite/suite.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "bench/data.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_writer.h"

namespace {

namespace fs = std::filesystem;
using namespace proven;

Result<void> write_scene(const bench::SuiteEntry& entry, const fs::path& folder, int motions) {
  const auto loaded = entry.load();
  if (!loaded.ok()) return loaded.error();
  const bench::SuiteScene& suite = loaded.value();
  if (auto saved = save_scene(*suite.source, folder); !saved.ok()) return saved;
  const bench::FclModel model(*suite.scene);
  bench::FclOracle oracle(model);
  Random random(1);
  for (int k = 0; k < motions; ++k) {
    const bench::SuiteCase motion = suite.make_case(oracle, random);
    Path path;
    path.waypoints = motion.waypoints;
    const fs::path file = folder / fmt::format("{}.json", k);
    if (auto saved = save_path(file, path, *suite.scene); !saved.ok()) return saved;
    fmt::print("{}\n", nlohmann::json{{"scene", (folder / "scene.json").string()},
                                      {"path", file.string()},
                                      {"clearance", motion.clearance}}
                           .dump());
  }
  return {};
}

}  // namespace

int main(int count, char** words) {
  int motions = 0;
  if (count == 3) {
    const std::string_view text = words[2];
    std::from_chars(text.data(), text.data() + text.size(), motions);
  }
  if (motions < 1) {
    fmt::print(stderr, "web_suite FOLDER MOTIONS\n");
    return 2;
  }
  for (const bench::SuiteEntry& entry : bench::suite_entries(bench::data_dir()))
    if (auto done = write_scene(entry, fs::path(words[1]) / entry.name, motions); !done.ok())
      fmt::print(stderr, "{}: {}\n", entry.name, done.error().text());
}
