// proven man: manual pages of the program and its commands.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/file.h"
#include "tools/command.h"
#include "tools/manual.h"

namespace proven::tools {
namespace {

struct ManArguments {
  std::string command, folder;
};

int write_all(const Catalogue& catalogue, const std::string& folder, const CommonOptions& common) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::filesystem::path to = folder;
  if (auto saved = write_file(to / "proven.1", manual_page(catalogue)); !saved.ok())
    return report(saved.error());
  for (const CommandDescription& command : catalogue.commands)
    if (auto saved = write_file(to / fmt::format("proven-{}.1", command.name),
                                manual_page(catalogue, command));
        !saved.ok())
      return report(saved.error());
  const std::size_t pages = 1 + catalogue.commands.size();
  if (common.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"folder", folder}, {"pages", pages}}.dump());
  else if (!common.quiet)
    fmt::print("wrote {} pages to {}\n", pages, folder);
  return kOk;
}

int run(const Catalogue& catalogue, const ManArguments& arguments, const CommonOptions& common) {
  if (!arguments.folder.empty()) return write_all(catalogue, arguments.folder, common);
  std::string page;
  if (arguments.command.empty()) page = manual_page(catalogue);
  for (const CommandDescription& command : catalogue.commands)
    if (command.name == arguments.command) page = manual_page(catalogue, command);
  if (page.empty()) {
    fmt::print(stderr, "proven: there is no command '{}'\n", arguments.command);
    return kUsage;
  }
  if (common.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"page", page}}.dump());
  else
    fmt::print("{}", page);
  return kOk;
}

}  // namespace

Command man_command(const Catalogue& catalogue) {
  return {"man", "Print a manual page, or write all of them",
          "  proven man check | man -l -\n"
          "  proven man -o ~/.local/share/man/man1    writes proven.1, proven-check.1 and so on",
          [&catalogue](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<ManArguments>();
            arguments.add("command", chosen->command, "Of which command; none: of the program");
            arguments.add("-o,--output", chosen->folder, "Write all pages to this folder");
            return [=, &catalogue, &common] { return run(catalogue, *chosen, common); };
          }};
}

}  // namespace proven::tools
