// What tests share: where the data is, and how to say that it is absent.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "places.h"

namespace proven::test {

// The folder of real robots and problem sets: PROVEN_DATA, or ../shared/data beside the repository.
inline std::filesystem::path data_dir() {
  if (const char* dir = std::getenv("PROVEN_DATA")) return dir;
  return std::filesystem::path(source_dir()).parent_path() / "shared" / "data";
}

// How many cases a randomised test runs: the full count, or a small share under sanitizers (which
// set PROVEN_TEST_SHARE, e.g. 0.02).
inline int cases(int full) {
  const char* share = std::getenv("PROVEN_TEST_SHARE");
  const double factor = share ? std::atof(share) : 1.0;
  const int n = static_cast<int>(full * factor);
  return n < 1 ? 1 : n;
}

}  // namespace proven::test

// A tool that ./test installs is there: where it is not, the test fails rather than shrinks, unless
// PROVEN_ALLOW_MISSING=1.
#define PROVEN_REQUIRE_TOOL(is_there, name)                                                  \
  do {                                                                                       \
    if (!(is_there)) {                                                                       \
      const char* allowed = std::getenv("PROVEN_ALLOW_MISSING");                             \
      if (allowed && std::string(allowed) == "1") GTEST_SKIP() << "skipped: no " << (name);  \
      FAIL() << (name)                                                                       \
             << " is missing: run ./test, which installs it, or set PROVEN_ALLOW_MISSING=1"; \
    }                                                                                        \
  } while (false)

// Real data is not part of the repository; a test that needs it says so.
#define PROVEN_REQUIRE_DATA(subfolder)                                    \
  do {                                                                    \
    if (!std::filesystem::exists(proven::test::data_dir() / (subfolder))) \
      GTEST_SKIP() << "skipped: no data folder " << (subfolder);          \
  } while (false)
