// The second verifier, in Python, run on files in a folder of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "any_values.h"
#include "naive_producer.h"
#include "places.h"
#include "proven/certify/check.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/io/scene_writer.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven::test {

namespace fs = std::filesystem;

inline bool have_python() {
  return std::system("python3 -c 'import mpmath' 2>/dev/null && zstd --version >/dev/null") == 0;
}

class PythonVerifier {
 public:
  PythonVerifier()
      : folder_(fs::path(testing::TempDir()) /
                ("proven_python_verifier_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~PythonVerifier() { fs::remove_all(folder_); }

  // Writes the scene and reads it again: what the files say counts.
  SceneSource store(const SceneSource& source) {
    fs::remove_all(folder_);
    EXPECT_TRUE(save_scene(source, folder_).ok());
    auto loaded = load_scene_source(folder_ / "scene.json");
    EXPECT_TRUE(loaded.ok());
    return std::move(loaded).value();
  }
  void store(const Path& path, const Scene& scene) {
    EXPECT_TRUE(save_path(folder_ / "path.json", path, scene).ok());
  }
  const fs::path& folder() const { return folder_; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(folder_);
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  int run(const Bytes& certificate, const std::string& options = "",
          const std::string& scene = "scene.json", const std::string& path = "path.json") {
    std::ofstream(folder_ / "certificate", std::ios::binary)
        .write(reinterpret_cast<const char*>(certificate.data()),
               static_cast<std::streamsize>(certificate.size()));
    const std::string command = "cd '" + folder_.string() + "' && python3 '" + test::source_dir() +
                                "/verify/verify.py' " + scene + " " + path + " certificate " +
                                options + " > output 2> errors";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string output() const {
    std::ifstream in(folder_ / "output");
    std::string line;
    std::getline(in, line);
    return line;
  }

 private:
  fs::path folder_;
};

inline constexpr int kAccepted = 0, kUnreadable = 4, kRejected = 5;

// A certificate that the path from 0 to 0.4 of the file's only joint is free.
inline Bytes prove(const PythonVerifier& python, const std::string& scene_file,
                   const std::string& path_file = "path.json") {
  const auto loaded = load_scene_source(python.folder() / scene_file);
  EXPECT_TRUE(loaded.ok()) << loaded.error().text();
  const Scene scene = build(loaded.value());
  const auto path = load_path(python.folder() / path_file, scene);
  EXPECT_TRUE(path.ok()) << path.error().text();
  CheckOptions options = test::any_values();
  options.certificate = true;
  Scratch scratch;
  const auto result = check(scene, path.value(), options, scratch);
  EXPECT_TRUE(result.ok() && result.value().verdict == Verdict::free);
  EXPECT_TRUE(verify(loaded.value(), path.value(), result.value().certificate).accepted);
  return result.value().certificate;
}

}  // namespace proven::test
