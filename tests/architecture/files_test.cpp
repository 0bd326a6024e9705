// Bytes of files are read and written in `io` alone, and JSON is parsed there alone; the verifier
// has readers of its own, and benchmarks of programs read answers as any client would.
#include <fstream>
#include <regex>
#include <sstream>

#include "places.h"
#include "support.h"

namespace proven {
namespace {

namespace fs = std::filesystem;

TEST(Files, AreTouchedByIoAlone) {
  const std::regex forbidden(
      "#include <fstream>|\\bfopen\\(|std::[io]?fstream|[Jj]son::(sax_)?parse\\(");
  int seen = 0;
  for (const char* folder : {"src", "include", "tools", "manipulation", "audit", "bench", "python",
                             "adapters", "scenes", "verify"})
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(test::source_dir()) / folder)) {
      const std::string file = entry.path().string(), ending = entry.path().extension();
      if ((ending != ".cpp" && ending != ".h") || file.find("/src/io/") != std::string::npos ||
          file.find("/verify/readers/") != std::string::npos ||
          file.find("/bench/serve/") != std::string::npos ||
          file.find("/bench/doors/python_reader.cpp") != std::string::npos)
        continue;
      std::stringstream text;
      text << std::ifstream(file).rdbuf();
      std::string line;
      for (int number = 1; std::getline(text, line); ++number)
        EXPECT_FALSE(std::regex_search(line, forbidden)) << file << ":" << number << ": " << line;
      ++seen;
    }
  EXPECT_GT(seen, 300);
}

}  // namespace
}  // namespace proven
