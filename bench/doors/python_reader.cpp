#include "bench/doors/python_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/data.h"
#include "proven/io/file.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// What a command prints, line by line; nothing if it cannot be run.
std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return lines;
  std::string text;
  char block[1 << 16];
  while (const std::size_t size = std::fread(block, 1, sizeof block, pipe))
    text.append(block, size);
  ::pclose(pipe);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::optional<ReadFiles> python_reader(const std::string& kind,
                                       std::function<Reading(const nlohmann::json&)> understand) {
  const fs::path script = source_dir() / "bench/doors/readers.py";
  if (std::system("python3 -c 'import mpmath' 2>/dev/null") != 0) return std::nullopt;
  std::error_code error;
  if (!fs::is_regular_file(script, error)) return std::nullopt;
  return [=](const std::vector<fs::path>& files) {
    const fs::path list =
        fs::temp_directory_path() / fmt::format("proven_doors_{}.list", ::getpid());
    std::string names;
    for (const fs::path& file : files) names += file.string() + "\n";
    (void)write_file(list, names);
    const std::vector<std::string> lines =
        lines_of(fmt::format("python3 '{}' {} < '{}'", script.string(), kind, list.string()));
    std::error_code ignored;
    fs::remove(list, ignored);
    std::vector<Result<Reading>> readings;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (i >= lines.size()) {
        readings.emplace_back(bad_input("the reader in Python ended early"));
        continue;
      }
      const nlohmann::json answer = nlohmann::json::parse(lines[i], nullptr, false);
      if (answer.is_discarded()) {  // NaN is no JSON: the reader let one through
        readings.emplace_back(Reading{lines[i], {}, {}});
      } else if (answer.contains("read")) {
        Reading reading = understand(answer["read"]);
        if (reading.digest.empty()) reading.digest = answer["read"].dump();
        readings.emplace_back(std::move(reading));
      } else {
        readings.emplace_back(bad_input(answer.value("error", "no answer")));
      }
    }
    return readings;
  };
}

}  // namespace proven::bench
