// proven convert: a robot in another language as a URDF, which everything else reads.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/file.h"
#include "proven/io/urdf.h"
#include "proven/io/xacro.h"
#include "tools/command.h"

namespace proven::tools {
namespace {

struct ConvertArguments {
  std::string file, output = "-";
  std::vector<std::string> values, packages;
};

Result<XacroOptions> options_of(const ConvertArguments& arguments) {
  XacroOptions options;
  const auto split = [](const std::string& option,
                        const std::string& text) -> Result<std::pair<std::string, std::string>> {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
      return bad_input(fmt::format("{}, got '{}'", option, text));
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
  };
  for (const std::string& text : arguments.values) {
    const auto value = split("--arg takes NAME=VALUE", text);
    if (!value.ok()) return value.error();
    options.arguments.insert(value.value());
  }
  for (const std::string& text : arguments.packages) {
    const auto package = split("--package takes NAME=FOLDER", text);
    if (!package.ok()) return package.error();
    options.packages[package.value().first] = package.value().second;
  }
  return options;
}

int run(const ConvertArguments& arguments, bool json) {
  const auto options = options_of(arguments);
  if (!options.ok()) return report(options.error());
  const auto text = expand_xacro(arguments.file, options.value());
  if (!text.ok()) return report(text.error());
  if (arguments.output == "-") {
    if (json)
      fmt::print("{}\n", nlohmann::json{{"urdf", text.value()}}.dump());
    else
      fmt::print("{}", text.value());
    return kOk;
  }
  if (const auto written = write_file(arguments.output, text.value()); !written.ok())
    return report(written.error());
  // What was written is read as strictly as any other; meshes may be elsewhere.
  UrdfOptions reading;
  reading.load_meshes = false;
  const auto robot = load_urdf(arguments.output, reading);
  if (!robot.ok()) return report(robot.error());
  if (json) fmt::print("{}\n", nlohmann::json{{"file", arguments.output}}.dump());
  return kOk;
}

}  // namespace

Command convert_command() {
  return {"convert", "Write the URDF that a xacro file stands for",
          "  proven convert arm.urdf.xacro -o arm.urdf\n"
          "  proven convert arm.xacro --arg prefix=left_ --package arm_description=. -o left.urdf",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<ConvertArguments>();
            arguments.add_required("file", chosen->file, "The xacro file");
            arguments.add("-o,--output", chosen->output, "URDF to write; -: standard output");
            arguments.add_repeatable("--arg", chosen->values, "NAME=VALUE for $(arg NAME)");
            arguments.add_repeatable("--package", chosen->packages, "NAME=FOLDER for $(find NAME)");
            return [chosen, &common] { return run(*chosen, common.json); };
          }};
}

}  // namespace proven::tools
