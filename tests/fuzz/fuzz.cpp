#include "fuzz.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "places.h"

namespace proven::fuzz {
namespace {

namespace fs = std::filesystem;

// Removed at the end of the process.
struct Folder {
  fs::path path;
  Folder() {
    std::error_code none;
    const fs::path memory = "/dev/shm";
    path = (fs::is_directory(memory, none) ? memory : fs::temp_directory_path()) /
           ("proven_fuzz_" + std::to_string(::getpid()));
    fs::create_directories(path);
    fs::copy(fs::path(test::source_dir()) / "tests/bad_input/ok", path,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// Files "folder/*.ending", sorted; all files of a folder without an ending.
std::vector<fs::path> matching(const fs::path& root, const std::string& pattern) {
  std::vector<fs::path> found;
  const fs::path folder = root / fs::path(pattern).parent_path();
  const std::string ending = fs::path(pattern).extension();
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file() && (ending.empty() || entry.path().extension() == ending))
        found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::span<const Fuzzer> fuzzers() {
  static const std::vector<Fuzzer> all = [] {
    std::vector<Fuzzer> list;
    for (auto* part :
         {mesh_fuzzers, sensed_fuzzers, robot_fuzzers, scene_fuzzers, path_fuzzers, traffic_fuzzers,
          task_fuzzers, roadmap_fuzzers, message_fuzzers, certificate_fuzzers})
      for (Fuzzer& fuzzer : part()) list.push_back(std::move(fuzzer));
    return list;
  }();
  return all;
}

std::vector<std::string> seeds_of(const Fuzzer& fuzzer) {
  constexpr std::size_t kLargestSeed = 1 << 14;  // larger ones only slow fuzzers down
  std::vector<std::string> seeds;
  if (fuzzer.documents) seeds = fuzzer.documents();
  std::vector<std::string> files = fuzzer.files;
  files.push_back("regression/fuzz/" + fuzzer.name + "/*");
  for (const std::string& pattern : files)
    for (const fs::path& file : matching(fs::path(test::source_dir()) / "tests", pattern))
      if (fs::file_size(file) <= kLargestSeed) seeds.push_back(contents(file));
  return seeds;
}

fs::path as_file(Bytes input, std::string_view ending) {
  static const Folder folder;
  const fs::path file = folder.path / ("input." + std::string(ending));
  std::ofstream(file, std::ios::binary) << as_text(input);
  return file;
}

std::string_view as_text(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

void tell(const Error& error) {
  static const bool wanted = std::getenv("PROVEN_FUZZ_TELL") != nullptr;
  if (wanted) std::fprintf(stderr, "%s\n", error.text().c_str());
  if (error.message.empty()) broken("an error says what is wrong");
}

void broken(std::string_view promise) {
  std::fprintf(stderr, "a promise was not kept: %.*s\n", static_cast<int>(promise.size()),
               promise.data());
  std::abort();
}

}  // namespace proven::fuzz
