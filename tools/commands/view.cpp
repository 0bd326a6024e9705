// proven view: the motion, and the proof, in a browser.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/certificate_file.h"
#include "proven/io/file.h"
#include "proven/io/path_file.h"
#include "proven/io/roadmap_file.h"
#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/traffic_spans.h"
#include "tools/traffic_task.h"
#include "tools/view/distances.h"
#include "tools/view/page.h"
#include "tools/view/roadmap_layer.h"
#include "tools/view/server.h"
#include "tools/view/session.h"
#include "tools/view/traffic_document.h"
#include "tools/view/visuals.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

constexpr const char* kServing = "serving";

struct ViewArguments {
  std::string path, certificate, html, roadmap, visuals = "auto", after;
  CheckOptions options;
  double budget_seconds = 0;  // of every check
  int port = 0;
  PathReading reading;
  bool no_open = false, traffic = false;
};

// Checks the path, or lets the verifier check the certificate that came with it.
Result<ShownMotion> look_at(const SceneSource& source, const Scene& scene,
                            const SceneArgument& scene_argument, const ViewArguments& arguments) {
  const bool trust = scene_argument.trust_srdf_never;
  auto path = load_path(arguments.path, scene, arguments.reading.options());
  if (!path.ok()) return path.error();
  if (!arguments.certificate.empty()) {
    const auto certificate = load_certificate(arguments.certificate);
    if (!certificate.ok()) return certificate.error();
    ShownMotion motion;
    motion.options = arguments.options;
    motion.path = path.value();
    verify_motion(source, certificate.value(), trust, motion);
    // The witness of a collision is shown from a check, which finds it again.
    if (!motion.verified->accepted || motion.verified->kind == CertificateKind::free) return motion;
  }
  CheckOptions options = arguments.options;
  options.limits = arguments.reading.limits();
  return check_motion(source, scene, std::move(path).value(), options, trust,
                      Budget::of_seconds(arguments.budget_seconds));
}

struct Looked {
  ViewDocument document;
  std::optional<Error> error;  // also in the document
  std::optional<Scene> scene;  // unless it is traffic, a recording, or wrong
};

// CommonRoad files are known by their first tag.
bool is_traffic(const std::string& file, const ViewArguments& arguments) {
  if (arguments.traffic) return true;
  if (!file.ends_with(".xml")) return false;
  constexpr std::size_t kHead = 4096;
  const auto text = read_file(file);
  return text.ok() && text.value().substr(0, kHead).find("<commonRoad") != std::string::npos;
}

// Where trajectories start as a planning problem does, recordings of that vehicle are not shown.
void leave_out_itself(const std::vector<NamedTrajectory>& motions, TrafficFile& file) {
  for (const PlanningProblem& problem : file.problems)
    for (const NamedTrajectory& motion : motions) {
      const spacetime::Trajectory& m = motion.trajectory;
      if (std::hypot(m.x[0] - problem.start.x, m.y[0] - problem.start.y) > 1e-6 ||
          std::fabs(m.t[0] - problem.t_start) > 1e-6)
        continue;
      for (const std::string& name : drop_own_recordings(file, problem))
        file.remarks.push_back("obstacle " + name +
                               " is a recording of the vehicle itself: left out");
      break;
    }
}

Result<ViewDocument> look_at_traffic(const std::string& file, const ViewArguments& arguments) {
  auto traffic = load_traffic(file);
  if (!traffic.ok()) return traffic.error();
  spacetime::TrafficOptions options;
  options.clearance = arguments.options.clearance.world;
  std::vector<ShownTrajectory> shown;
  if (!arguments.path.empty()) {
    auto loaded = load_trajectories(arguments.path);
    if (!loaded.ok()) return loaded.error();
    leave_out_itself(loaded.value(), traffic.value());
    double until = -HUGE_VAL;
    for (const NamedTrajectory& motion : loaded.value())
      until = std::max(until, motion.trajectory.t.back());
    const auto after =
        spacetime::afterwards_of(arguments.after).value_or(spacetime::kUsualAfterwards);
    const ToldSpans spans = spans_until(traffic.value().obstacles, {after, true}, until);
    if (!spans.ended.empty())
      traffic.value().remarks.push_back(
          fmt::format("the trajectories last longer than what is known of {} (--after {})",
                      fmt::join(spans.ended, ", "), word_of(after)));
    traffic.value().obstacles = lasting(std::move(traffic.value().obstacles), after, until);
    const auto scene = spacetime::TrafficScene::build(traffic.value().obstacles);
    if (!scene.ok()) return Error{scene.error().code, scene.error().text(), file};
    spacetime::TrafficScratch workspace;
    for (NamedTrajectory& motion : loaded.value()) {
      if (motion.footprint.pieces().empty())
        return bad_input("gives no shape for its trajectories: add \"box\": [length, width]",
                         arguments.path);
      auto result = check(scene.value(), motion.footprint, motion.trajectory, options, workspace);
      if (!result.ok()) return result.error();
      shown.push_back({std::move(motion), std::move(result).value()});
    }
  }
  return traffic_document(traffic.value(), shown, options.clearance);
}

Looked look(const SceneArgument& scene_argument, const ViewArguments& arguments) {
  Looked looked{
      ViewDocument(std::filesystem::path(scene_argument.scene).filename().string()), {}, {}};
  const auto fail = [&](const Error& error) {
    looked.document.add_error(error);
    looked.error = error;
    return looked;
  };
  if (is_traffic(scene_argument.scene, arguments)) {
    auto document = look_at_traffic(scene_argument.scene, arguments);
    if (!document.ok()) return fail(document.error());
    looked.document = std::move(document).value();
    return looked;
  }
  if (is_session(scene_argument.scene)) {
    if (!arguments.path.empty())
      return fail(bad_input("a recording is shown alone: leave out the path", arguments.path));
    auto document = load_session(scene_argument.scene);
    if (!document.ok()) return fail(document.error());
    looked.document = std::move(document).value();
    return looked;
  }
  std::vector<RobotVisuals> visuals;
  const auto source = load_source(scene_argument, arguments.visuals == "off" ? nullptr : &visuals);
  if (!source.ok()) return fail(source.error());
  const auto scene = build(scene_argument, source.value());
  if (!scene.ok()) return fail(scene.error());
  looked.scene = scene.value();
  looked.document.set_scene(scene.value(), size_of(scene.value()));
  add_visuals(
      source.value(), visuals, scene.value(),
      arguments.visuals == "all" ? std::numeric_limits<std::size_t>::max() : kMostVisualTriangles,
      looked.document);
  if (!arguments.roadmap.empty()) {
    const auto model = load_roadmap(arguments.roadmap);
    if (!model.ok()) return fail(model.error());
    if (auto added = add_roadmap(source.value(), scene.value(), scene_argument.trust_srdf_never,
                                 model.value(), looked.document);
        !added.ok())
      return fail(Error{added.error().code, added.error().message, arguments.roadmap});
  }
  if (arguments.path.empty()) return looked;
  auto motion = look_at(source.value(), scene.value(), scene_argument, arguments);
  if (!motion.ok()) return fail(motion.error());
  find_clearance(scene.value(), motion.value(), Budget::of_seconds(arguments.budget_seconds));
  looked.document.add_motion(scene.value(), motion.value());
  return looked;
}

// The page is written even if something is wrong: it says what.
int write_html(const SceneArgument& scene, const ViewArguments& arguments,
               const CommonOptions& common) {
  const Looked looked = look(scene, arguments);
  const Unfinished page(arguments.html);
  if (auto written = write_page(arguments.html, looked.document); !written.ok())
    return report(written.error());
  if (common.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"page", arguments.html}}.dump());
  else
    fmt::print("page: {}\n", arguments.html);
  return looked.error ? report(*looked.error) : kOk;
}

void open_browser(const std::string& address) {
  const bool has_screen = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  if (!has_screen || !isatty(STDOUT_FILENO)) return;
  const std::string command = fmt::format("xdg-open '{}' >/dev/null 2>&1 &", address);
  if (std::system(command.c_str()) != 0) return;  // the address is printed all the same
}

int serve(const SceneArgument& scene, const ViewArguments& arguments, const CommonOptions& common) {
  Looked first = look(scene, arguments);
  if (first.error) fmt::print(stderr, "proven: {}\n", first.error->text());
  if (const auto page = page_of(first.document); !page.ok()) return report(page.error());
  Looked looked = std::move(first);
  const auto make_page = [&] {
    looked = look(scene, arguments);
    looked.document.json()["answers"] = looked.scene.has_value();
    return page_of(looked.document, kLivePagePolicy).value();
  };
  const auto distances = [&](const std::string& q) -> Result<std::string> {
    if (!looked.scene) return bad_input("there is no scene to measure in");
    return answer_distances(*looked.scene, q);
  };
  auto server = PageServer::open({make_page, distances}, arguments.port);
  if (!server.ok()) return report(server.error());
  const std::string address = server.value().address();
  if (common.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"address", address}}.dump());
  else
    fmt::print("{}\n  Ctrl-C ends it; reload the page to see changed files.\n", address);
  std::fflush(stdout);
  if (!arguments.no_open) open_browser(address);
  server.value().serve();
  return kOk;
}

void add_options(Arguments& arguments, ViewArguments& chosen) {
  arguments.add("path", chosen.path,
                "Path file: it is checked, and the proof shown; of traffic, trajectories");
  arguments.add("certificate", chosen.certificate,
                "Certificate of that path: verified and shown, instead of checking");
  arguments.add(
      "--roadmap", chosen.roadmap,
      "Show this dynamic roadmap of the scene: occupied cells, and the arcs that are left");
  arguments.add_flag("--traffic", chosen.traffic,
                     "SCENE is a traffic scene in JSON; CommonRoad files are known without");
  arguments.add_choice("--after", chosen.after, {"rest", "continue", "gone"},
                       "Of traffic: what obstacles do after their last sample or occupancy; "
                       "default: continue, straight on");
  arguments.add_choice("--visuals", chosen.visuals, {"auto", "all", "off"},
                       "What robots look like (<visual> of a URDF): auto leaves out shapes beyond "
                       "300,000 triangles in all");
  arguments.add("--html", chosen.html, "Write one self-contained page instead of serving it");
  arguments.add("--port", chosen.port, "Port on 127.0.0.1; 0: any that is free", 0);
  arguments.only_for({kServing});
  arguments.add_flag("--no-open", chosen.no_open, "Only print the address");
  arguments.only_for({kServing});
  arguments.add_clearance(chosen.options.clearance);
  arguments.add_tracking_error(chosen.options.tracking_error);
  add_path_options(arguments, chosen.reading);
  arguments.honour(Common::budget);
}

}  // namespace

Command view_command() {
  return {"view", "Show a scene, a motion and its proof in a browser",
          "  proven view cell.json\n"
          "  proven view cell.json path.json\n"
          "  proven view cell.json path.json path.proof\n"
          "  proven view cell.json path.json --html path.html\n"
          "  proven view corridor-5 path.json --roadmap arm.roadmap\n"
          "  proven view scenario.xml drives.json --clearance 0.2\n"
          "  proven view job.session                        a recording of proven serve",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<ViewArguments>();
            add_options(arguments, *chosen);
            arguments.set_action([chosen] { return chosen->html.empty() ? kServing : "--html"; });
            return [=, &common] {
              chosen->budget_seconds = common.budget_seconds;
              return chosen->html.empty() ? serve(*scene, *chosen, common)
                                          : write_html(*scene, *chosen, common);
            };
          }};
}

}  // namespace proven::tools
