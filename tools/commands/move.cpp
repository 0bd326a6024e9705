// proven move: a line or an arc of a tool, followed by proof and checked as it is run.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "proven/certify/check.h"
#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "proven/io/query_file.h"
#include "proven/kinematics/inverse.h"
#include "proven/plan/plan.h"
#include "proven/plan/tool_motion.h"
#include "proven/scene/remarks.h"
#include "tools/check_report.h"
#include "tools/command.h"
#include "tools/path_report.h"
#include "tools/scene_argument.h"
#include "tools/terminal.h"
#include "tools/timing_report.h"
#include "tools/tool_argument.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

struct MoveArguments {
  std::string tool, tool_pose, from, output, certificate;
  std::string lin, lin_by, circ, circ_about, frame = "world";
  ToolMotionOptions options;
  CheckOptions check;
};

Result<ToolCurve> parse_arc(const Pose& start, const std::string& text, const std::string& option,
                            bool about) {
  const std::size_t end = text.find(';');
  if (end == std::string::npos)
    return bad_input("expected a point and the goal with ';' between", option);
  const auto point = parse_point(text.substr(0, end), option);
  if (!point.ok()) return point.error();
  const auto goal = parse_pose(text.substr(end + 1), option, start);
  if (!goal.ok()) return goal.error();
  return about ? tool_arc_about(start, point.value(), goal.value())
               : tool_arc_through(start, point.value(), goal.value());
}

Result<ToolCurve> curve_of(const MoveArguments& arguments, const Pose& start) {
  if (!arguments.circ.empty()) return parse_arc(start, arguments.circ, "--circ", false);
  if (!arguments.circ_about.empty())
    return parse_arc(start, arguments.circ_about, "--circ-about", true);
  if (!arguments.lin.empty()) {
    const auto goal = parse_pose(arguments.lin, "--lin", start);
    if (!goal.ok()) return goal.error();
    return tool_line(start, goal.value());
  }
  const auto by = parse_point(arguments.lin_by, "--lin-by");
  if (!by.ok()) return by.error();
  const Vec3 step = arguments.frame == "tool" ? start.R * by.value() : by.value();
  return tool_line(start, {start.R, start.p + step});
}

// A file, the name of a state, or home.
Result<std::vector<double>> start_of(const Scene& scene, const std::string& from) {
  std::vector<double> q(scene.home().begin(), scene.home().end());
  if (from.empty()) return q;
  const auto named = set_named(scene, from, q);
  if (named.ok()) return q;
  if (from == "-" || std::filesystem::exists(from)) return load_configuration(from, scene);
  return bad_input("there is no such file, and " + named.error().message, "--from");
}

nlohmann::ordered_json to_json(const ToolMotion& moved, const ToolCurve& curve) {
  return {{"length", curve.length},
          {"angle", curve.angle},
          {"seconds", moved.duration},
          {"at_full_speed", moved.at_full_speed},
          {"pieces", moved.motion.num_segments()},
          {"deviation", moved.deviation.position},
          {"angle_deviation", moved.deviation.angle},
          {"assumed", assumed_json(moved.assumed)}};
}

void print_move(const ToolMotion& moved, const ToolCurve& curve) {
  fmt::print(
      "{:.4f} m and {:.4f} rad in {:.3f} s{}, {} pieces of degree {}\n", curve.length, curve.angle,
      moved.duration,
      moved.duration > moved.at_full_speed
          ? fmt::format(" (joints allow no less; the tool alone {:.3f} s)", moved.at_full_speed)
          : "",
      moved.motion.num_segments(), moved.motion.degree());
  fmt::print("  proved within {:.3g} m and {:.3g} rad of the {} at every time\n",
             moved.deviation.position, moved.deviation.angle, curve.arc == 0 ? "line" : "arc");
  print_assumed(moved.assumed);
}

Result<void> save(const Scene& scene, const MoveArguments& arguments, const ToolMotion& moved,
                  const CheckResult& result) {
  const Unfinished motion(arguments.output), certificate(arguments.certificate);
  if (!arguments.output.empty())
    if (auto saved = save_path(arguments.output, moved.motion, scene); !saved.ok()) return saved;
  if (arguments.certificate.empty() || result.certificate.empty()) return {};
  return save_certificate(arguments.certificate, result.certificate);
}

// A place on the way that is proved out of reach; nothing if none was found, which proves nothing.
std::optional<std::string> out_of_reach(const Scene& scene, const ToolFrame& tool,
                                        const ToolCurve& curve, const std::vector<double>& start,
                                        double tolerance) {
  if (!outside_limits(scene.tree(), start).empty()) return std::nullopt;  // move_tool refuses it
  constexpr int kPlaces = 64;
  constexpr double kSlack = 1e-5;  // what values may be beyond limits, and what that makes of it
  for (int i = kPlaces; i >= 0; --i) {
    const double progress = static_cast<double>(i) / kPlaces;
    if (!beyond_reach(scene.tree(), {tool.link, tool.X_LT, curve.at(progress)}, start, {},
                      tolerance + kSlack))
      continue;
    const std::string place =
        i == kPlaces ? "the goal"
                     : fmt::format("the place {:.4f} m along the way", progress * curve.length);
    return fmt::format("{} is farther away than the arm of '{}' is long", place,
                       scene.tree().link(tool.link).name);
  }
  return std::nullopt;
}

int report_unreachable(const Scene& scene, const std::string& reason, const CommonOptions& common) {
  if (common.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"status", to_string(PlanStatus::unreachable)},
                                              {"reason", reason},
                                              {"warnings", remarks_json(scene)}}
                           .dump());
  else
    fmt::print("{}: {}\n", paint(Colour::red, to_string(PlanStatus::unreachable)), reason);
  return kCollision;
}

int check_and_report(const Scene& scene, const ToolMotion& moved, const ToolCurve& curve,
                     const MoveArguments& arguments, const CommonOptions& common) {
  Scratch scratch;
  const Work work("move", common, OnInterrupt::end);
  const auto checked = check(scene, moved.motion, arguments.check, scratch, work.budget());
  if (!checked.ok()) return report(checked.error());
  const CheckResult& result = checked.value();
  if (auto saved = save(scene, arguments, moved, result); !saved.ok())
    return report_any(saved.error());
  if (common.json) {
    nlohmann::ordered_json json = to_json(moved, curve);
    json.update(tools::to_json(result, scene, moved.motion, arguments.check));
    fmt::print("{}\n", json.dump());
  } else {
    print_move(moved, curve);
    print(result, scene, moved.motion, arguments.check);
    if (arguments.output.empty()) fmt::print("  not written: give -o FILE to keep it\n");
  }
  return exit_code(result.verdict);
}

int run(const SceneArgument& scene_argument, MoveArguments& arguments,
        const CommonOptions& common) {
  keep_stdout_for(arguments.output);
  int ways = 0;
  for (const std::string* way :
       {&arguments.lin, &arguments.lin_by, &arguments.circ, &arguments.circ_about})
    ways += !way->empty();
  if (ways != 1 || (arguments.frame == "tool" && arguments.lin_by.empty())) {
    fmt::print(stderr, "proven: {}\n",
               ways != 1 ? "give one of --lin, --lin-by, --circ and --circ-about"
                         : "--frame tool is for --lin-by alone");
    return kUsage;
  }
  arguments.check.certificate = !arguments.certificate.empty();
  const Preparation preparation("the scene and the motion", common);
  const auto scene = load(scene_argument);
  if (!scene.ok()) return report(scene.error());
  print_remarks(scene.value(), common);
  const KinematicTree& tree = scene.value().tree();
  const auto tool = parse_tool(scene.value(), arguments.tool, arguments.tool_pose);
  if (!tool.ok()) return report(tool.error());
  const auto start = start_of(scene.value(), arguments.from);
  if (!start.ok()) return report(start.error());
  const auto curve = curve_of(arguments, tool_pose(tree, tool.value(), start.value()));
  if (!curve.ok()) return report(curve.error());
  if (const auto reason = out_of_reach(scene.value(), tool.value(), curve.value(), start.value(),
                                       arguments.options.tolerance.position))
    return report_unreachable(scene.value(), *reason, common);
  const auto moved = move_tool(tree, tool.value(), curve.value(), start.value(), arguments.options);
  if (!moved.ok()) return report(moved.error());
  return check_and_report(scene.value(), moved.value(), curve.value(), arguments, common);
}

void add_options(Arguments& arguments, MoveArguments& chosen) {
  ToolMotionOptions& options = chosen.options;
  arguments.add_required("--tool", chosen.tool, "The link that carries the tool, as ROBOT/LINK");
  arguments.add("--tool-pose", chosen.tool_pose,
                "The tool's frame in the link: \"x y z roll pitch yaw\"");
  arguments.add("--from", chosen.from,
                "Where to start: a configuration file or a named state; default: home");
  arguments.add("--lin", chosen.lin,
                "Move on a line to \"x y z [roll pitch yaw | qx qy qz qw]\" in the world");
  arguments.add("--lin-by", chosen.lin_by, "Move on a line by \"dx dy dz\"");
  arguments.add_choice("--frame", chosen.frame, {"world", "tool"}, "The frame of --lin-by");
  arguments.add("--circ", chosen.circ,
                "Move on an arc through a point to a goal: \"x y z; x y z [roll pitch yaw]\"");
  arguments.add("--circ-about", chosen.circ_about,
                "Move the shorter way about a centre to a goal: \"x y z; x y z [roll pitch yaw]\"");
  arguments.add("--speed", options.speed, "Of the tool, at most, in m/s");
  arguments.add("--turn-speed", options.turn_speed, "Of the tool, at most, in rad/s");
  arguments.add("--tolerance", options.tolerance.position,
                "How far the tool may be from where it should be, in metres");
  arguments.add("--angle-tolerance", options.tolerance.angle, "The same of its turn, in radians");
  arguments.add("--velocity", options.velocity, "For joints without a limit, in rad/s or m/s");
  arguments.add("--acceleration", options.acceleration,
                "For joints without a limit, in rad/s² or m/s²");
  arguments.add("-o,--output", chosen.output,
                "Write the timed motion to this file, whatever the verdict");
  arguments.add("--certificate", chosen.certificate,
                "Write a proof of the verdict that 'proven verify' checks");
  arguments.add_clearance(chosen.check.clearance);
  arguments.add_tracking_error(chosen.check.tracking_error);
  arguments.honour(Common::budget);
  arguments.honour(Common::no_cache);
}

}  // namespace

Command move_command() {
  return {"move", "Move a tool on a line or an arc, by proof, and check the motion",
          "  proven move cell.json --tool arm/hand --from start.json --lin \"0.5 0.2 0.4\"\n"
          "  proven move cell.json --tool arm/hand --lin-by \"0 0 0.1\" --frame tool -o up.json\n"
          "  proven move cell.json --tool arm/hand --circ \"0.5 0 0.6; 0.5 0.2 0.4\" --speed 0.1",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<MoveArguments>();
            add_options(arguments, *chosen);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
