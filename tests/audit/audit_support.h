// Data sets of random paths, made on the spot.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "audit/audit.h"
#include "proven/base/random.h"
#include "proven/kinematics/interpolation.h"
#include "scenes/scenes.h"
#include "support.h"

namespace proven::test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

inline Scene built_in(const std::string& name) {
  return build_scene(make_scene(name).value()).value();
}

inline Result<Scene> load_built_in(const std::string& name) {
  auto source = make_scene(name);
  if (!source.ok()) return source.error();
  return build_scene(source.value());
}

// Random walks within the joints' limits, some short and some long, so that some are free.
inline std::vector<Motion> random_paths(const Scene& scene, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Motion> paths;
  for (int i = 0; i < count; ++i) {
    Motion path;
    path.waypoints.push_back(random_configuration(scene.tree(), random));
    const double step = i % 3 == 0 ? 0.02 : i % 3 == 1 ? 0.15 : 0.6;
    const int waypoints = 2 + random.index(3);
    for (int k = 1; k < waypoints; ++k) {
      const std::vector<double> to = random_configuration(scene.tree(), random);
      std::vector<double> q = path.waypoints.back();
      interpolate(scene.tree(), path.waypoints.back(), to, step, q);
      path.waypoints.push_back(q);
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

inline std::string read_all(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

inline std::vector<Json> rows_of(const fs::path& file) {
  std::vector<Json> rows;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) rows.push_back(Json::parse(line));
  return rows;
}

class AuditTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("proven_audit_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path write_paths(const std::string& name, const Scene& scene,
                       const std::vector<Motion>& paths) const {
    std::string text;
    for (const Motion& path : paths) text += path_line(path, scene) + "\n";
    return write(name, text);
  }
  // A manifest of two groups in different scenes; the first also has a line that is no path.
  fs::path write_set(int paths) const {
    const Scene demo = built_in("demo"), planar = built_in("planar-3");
    write_paths("a.jsonl", demo, random_paths(demo, paths, 1));
    std::ofstream(folder_ / "a.jsonl", std::ios::app) << "\n{\"proven\": 1, \"joints\": []}\n";
    write_paths("b.jsonl", planar, random_paths(planar, paths, 2));
    return write("set.json",
                 R"({"proven": 1, "groups": [
                     {"name": "first", "scene": "demo", "paths": "a.jsonl"},
                     {"name": "second", "scene": "planar-3", "paths": ["b.jsonl"]}]})");
  }
  audit::AuditRun must_run(const DataSet& set, const audit::AuditOptions& options,
                           const audit::Selection& selection, const audit::AuditFiles& files,
                           int threads) const {
    const auto run = audit::run(set, options, selection, files, load_built_in, "{}", threads, {});
    EXPECT_TRUE(run.ok()) << (run.ok() ? "" : run.error().text());
    return run.ok() ? run.value() : audit::AuditRun{};
  }

  fs::path folder_;
};

}  // namespace proven::test
