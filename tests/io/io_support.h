// What the tests of io share.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "places.h"
#include "proven/base/result.h"
#include "support.h"

namespace proven::test {

inline std::filesystem::path bad_input_dir() {
  return std::filesystem::path(test::source_dir()) / "tests" / "bad_input";
}

// A fresh folder of this process, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::path(::testing::TempDir()) /
            ("proven_io_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

// The value, or a failure of the test with the error's text.
template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().text());
  return std::move(result).value();
}
inline void must(const Result<void>& result) {
  if (!result.ok()) throw std::runtime_error(result.error().text());
}

template <class T>
std::string error_text(const Result<T>& result) {
  return result.ok() ? "no error" : result.error().text();
}

}  // namespace proven::test
