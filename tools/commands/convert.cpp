// proven convert: a robot in another language as a URDF, which everything else reads.
#include "proven/io/convert.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/file.h"
#include "proven/io/urdf.h"
#include "tools/command.h"
#include "tools/scene_argument.h"

namespace proven::tools {
namespace {

struct ConvertArguments {
  std::string file, output = "-", srdf, planes = "refuse", model, ignore_elements;
  std::vector<std::string> values, packages;
};

Result<ConvertOptions> options_of(const ConvertArguments& arguments) {
  ConvertOptions options;
  options.model = arguments.model;
  auto ignored = parse_ignored(arguments.ignore_elements);
  if (!ignored.ok()) return ignored.error();
  options.ignore_elements = std::move(ignored).value();
  if (arguments.planes == "skip") options.planes = Planes::skip;
  if (arguments.planes == "box") options.planes = Planes::box;
  if (arguments.output != "-") {
    options.folder = std::filesystem::path(arguments.output).parent_path();
    if (options.folder.empty()) options.folder = ".";
  }
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
    if (!options.arguments.insert(value.value()).second)
      return bad_input(fmt::format("--arg {} is given twice", value.value().first));
  }
  for (const std::string& text : arguments.packages) {
    const auto package = split("--package takes NAME=FOLDER", text);
    if (!package.ok()) return package.error();
    if (!options.packages.emplace(package.value()).second)
      return bad_input(fmt::format("--package {} is given twice", package.value().first));
  }
  return options;
}

// What URDF has no words for goes into the SRDF, if one is asked for, and else is told.
Result<std::vector<std::string>> write_srdf(const ConvertArguments& arguments,
                                            const Converted& converted) {
  std::vector<std::string> notes = converted.notes;
  if (arguments.srdf.empty()) {
    if (converted.needs_srdf)
      notes.push_back(
          "named states and pairs of links that the file does not test are not in the URDF; --srdf "
          "FILE writes them");
    return notes;
  }
  if (converted.srdf.empty())
    return bad_input("--srdf is for MJCF and SDF; xacro says nothing but URDF");
  if (const auto written = write_file(arguments.srdf, converted.srdf); !written.ok())
    return written.error();
  return notes;
}

int run(const ConvertArguments& arguments, const CommonOptions& common) {
  const bool json = common.json;
  const auto options = options_of(arguments);
  if (!options.ok()) return report(options.error());
  const auto converted = convert_robot(arguments.file, options.value());
  if (!converted.ok()) return report(converted.error());
  const std::string& text = converted.value().urdf;
  const auto notes = write_srdf(arguments, converted.value());
  if (!notes.ok()) return report(notes.error());
  nlohmann::json answer;
  if (arguments.output == "-") {
    answer["urdf"] = text;
    if (!json) fmt::print("{}", text);
  } else {
    if (const auto written = write_file(arguments.output, text); !written.ok())
      return report(written.error());
    // What was written is read as strictly as any other; meshes may be elsewhere.
    UrdfOptions reading;
    reading.load_meshes = false;
    const auto robot = load_urdf(arguments.output, reading);
    if (!robot.ok()) return report(robot.error());
    answer["file"] = arguments.output;
  }
  if (!arguments.srdf.empty()) answer["srdf"] = arguments.srdf;
  if (json) {
    if (!notes.value().empty()) answer["notes"] = notes.value();
    fmt::print("{}\n", answer.dump());
  } else if (!common.quiet) {
    for (const std::string& note : notes.value()) fmt::print(stderr, "note: {}\n", note);
  }
  return kOk;
}

}  // namespace

Command convert_command() {
  return {"convert", "Write the URDF of a robot in xacro, MJCF or SDF",
          "  proven convert arm.urdf.xacro -o arm.urdf\n"
          "  proven convert arm.xml -o arm.urdf --srdf arm.srdf --planes box\n"
          "  proven convert shop.world -o arm.urdf --model arm\n"
          "  proven convert arm.xacro --arg prefix=left_ --package arm_description=. -o left.urdf",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<ConvertArguments>();
            arguments.add_required("file", chosen->file,
                                   "The file: xacro, MJCF (<mujoco>) or SDF (<sdf>)");
            arguments.add("-o,--output", chosen->output, "URDF to write; -: standard output");
            arguments.add("--srdf", chosen->srdf,
                          "SRDF to write: pairs that the file does not test, named states");
            arguments.add_repeatable("--arg", chosen->values, "xacro: NAME=VALUE for $(arg NAME)");
            arguments.add_choice("--planes", chosen->planes, {"refuse", "skip", "box"},
                                 "MJCF: what becomes of planes; skip: nothing, and every verdict "
                                 "says so; box: a box of 200 m by 200 m below each");
            arguments.add("--ignore-elements", chosen->ignore_elements,
                          "MJCF: NAME[,NAME]: leave out unknown elements and attributes, and "
                          "couplings such as connect; every verdict says so");
            arguments.add("--model", chosen->model, "SDF: the model of a world to convert");
            arguments.add_repeatable("--package", chosen->packages, "NAME=FOLDER of a package");
            return [chosen, &common] { return run(*chosen, common); };
          }};
}

}  // namespace proven::tools
