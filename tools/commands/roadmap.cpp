// proven roadmap: plans among changing obstacles from a roadmap that was built beforehand.
#include "proven/roadmap/roadmap.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "proven/base/parallel.h"
#include "proven/io/certificate_file.h"
#include "proven/io/file.h"
#include "proven/io/path_file.h"
#include "proven/io/roadmap_file.h"
#include "scenes/scenes.h"
#include "tools/command.h"
#include "tools/roadmap_picture.h"
#include "tools/roadmap_session.h"
#include "tools/scene_argument.h"
#include "tools/serve/connection.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

// Bounds the latency: most of what can be won back is won with the first few arcs.
constexpr int kWatchWinBack = 24;

struct RoadmapArguments {
  std::string action, roadmap, query;
  std::string obstacles, output, certificate, picture;
  std::string device = "threads";
  std::vector<std::string> joints;
  roadmap::BuildOptions build;
  roadmap::QueryOptions options;
  roadmap::RobustnessOptions robustness;
  int win_back = -1;     // not given
  double smooth_ms = 0;  // 0: paths are as they are found
  bool empty = false, count_only = false, restart = false, no_verify = false;
};

Json to_json(const roadmap::Grid& grid) {
  return {{"origin", {grid.origin.x, grid.origin.y, grid.origin.z}},
          {"cell", {grid.cell.x, grid.cell.y, grid.cell.z}},
          {"count", grid.count}};
}

Json info_of(const roadmap::Model& model) {
  return {{"nodes", model.graph.num_nodes()},         {"arcs", model.graph.num_edges()},
          {"joints", model.graph.dimension()},        {"grid", to_json(model.grid)},
          {"arc_bytes", model.edges_at.size_bytes()}, {"node_bytes", model.nodes_at.size_bytes()},
          {"scene_hash", model.scene_hash.hex()},     {"seed", model.seed}};
}

void print_info(const Json& info) {
  fmt::print("{} nodes, {} arcs, {} joints\n", info["nodes"].dump(), info["arcs"].dump(),
             info["joints"].dump());
  fmt::print("  grid {} cells of {} m\n", info["grid"]["count"].dump(),
             info["grid"]["cell"].dump());
  fmt::print("  φ of arcs {} bytes, of nodes {} bytes\n", info["arc_bytes"].dump(),
             info["node_bytes"].dump());
}

// The scene without what moves, and what moves.
struct Parts {
  SceneSource fixed;
  std::vector<ObstacleSource> moving;
};

Result<Parts> load_parts(const SceneArgument& argument, const RoadmapArguments& arguments) {
  auto source = load_source(argument);
  if (!source.ok()) return source.error();
  Parts parts{std::move(source).value(), {}};
  if (arguments.empty) std::swap(parts.moving, parts.fixed.obstacles);
  return parts;
}

Result<roadmap::Model> build_within(const Scene& scene, const std::vector<int>& planned,
                                    const roadmap::BuildOptions& options,
                                    const CommonOptions& common) {
  const Work work("roadmap", common, OnInterrupt::end);
  return roadmap::build(scene, planned, scene.home(), options, work.budget());
}

int run_build(const SceneArgument& scene_argument, RoadmapArguments& arguments,
              const CommonOptions& common) {
  const Preparation preparation("the scene and its parts", common);
  const auto parts = load_parts(scene_argument, arguments);
  if (!parts.ok()) return report(parts.error());
  const auto scene = build(scene_argument, parts.value().fixed);
  if (!scene.ok()) return report(scene.error());
  std::vector<int> planned;
  for (const std::string& joint : arguments.joints) {
    planned.push_back(scene.value().tree().find_coordinate(joint));
    if (planned.back() < 0) return report(bad_input("there is no such joint", joint));
  }
  roadmap::BuildOptions& options = arguments.build;
  options.seed = common.seed;
  options.threads = common.threads;
  options.device = chosen_device(arguments.device, common);
  const auto& home = scene.value().home();
  const std::string journal_file = arguments.roadmap + ".part";
  if (arguments.restart) std::filesystem::remove(journal_file);
  auto journal = FileJournal::open(journal_file, hash_of(scene.value(), planned, home, options));
  if (!journal.ok()) return report(journal.error());
  options.journal = journal.value().get();
  if (journal.value()->num_found() > 0 && !common.quiet)
    fmt::print(stderr, "goes on from {} blocks of an earlier run\n", journal.value()->num_found());
  const auto model = build_within(scene.value(), planned, options, common);
  if (!model.ok()) return report_any(model.error());
  const Unfinished file(arguments.roadmap);
  if (auto saved = save_roadmap(arguments.roadmap, model.value()); !saved.ok())
    return report(saved.error());
  if (!journal.value()->healthy() && !common.quiet)
    fmt::print(stderr, "the journal could not be written: is the disk full?\n");
  journal.value()->discard();
  const Json info = info_of(model.value());
  if (common.json)
    fmt::print("{}\n", info.dump());
  else
    print_info(info);
  return kOk;
}

int run_info(const SceneArgument& scene_argument, const CommonOptions& common) {
  const auto model = load_roadmap(scene_argument.scene);
  if (!model.ok()) return report(model.error());
  Json info = info_of(model.value());
  if (common.json) {
    fmt::print("{}\n", info.dump());
    return kOk;
  }
  print_info(info);
  return kOk;
}

Result<Query> query_of(const SceneArgument& scene_argument, const RoadmapArguments& arguments,
                       const Scene& scene) {
  if (!arguments.query.empty()) return load_query(arguments.query, scene, {true});
  const SceneInfo* info = find_scene(scene_argument.scene);
  if (!info || info->query.joints.empty())
    return bad_input("give a query file with start and goal", scene_argument.scene);
  Query query;
  query.start = query.goal = {scene.home().begin(), scene.home().end()};
  for (std::size_t k = 0; k < info->query.joints.size(); ++k) {
    const auto c = static_cast<std::size_t>(scene.tree().find_coordinate(info->query.joints[k]));
    query.start[c] = info->query.start[k];
    query.goal[c] = info->query.goal[k];
  }
  return query;
}

double milliseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

Json to_json(const RoadmapTimes& times) {
  return {{"apply", times.apply}, {"voxelise", times.voxelise}, {"update", times.update},
          {"scene", times.scene}, {"plan", times.plan},         {"smooth", times.smooth},
          {"check", times.check}, {"verify", times.verify}};
}

Json to_json(const RoadmapAnswer& answer, bool with_path) {
  const roadmap::QueryResult& q = answer.query;
  Json json = {{"status", to_string(q.status)}, {"reason", q.reason}};
  const bool solved = q.status == roadmap::QueryStatus::solved;
  json["verdict"] = solved ? Json(to_string(answer.verdict)) : Json(nullptr);
  json["verified"] = answer.verified;
  json["length"] = q.length;
  json["won_back"] = q.won_back;
  json["expanded"] = q.expanded;
  json["latency_ms"] = to_json(answer.times);
  json["latency_ms"]["total"] = answer.times.total();
  if (with_path) json["waypoints"] = q.path.waypoints;
  return json;
}

int exit_code(const RoadmapAnswer& answer) {
  switch (answer.query.status) {
    case roadmap::QueryStatus::solved:
      return answer.verdict == Verdict::free ? kOk : kUndecided;
    case roadmap::QueryStatus::none:
      return kUndecided;
    default:
      return kCollision;
  }
}

Result<std::unique_ptr<RoadmapSession>> open_session(const SceneArgument& scene_argument,
                                                     const RoadmapArguments& arguments) {
  auto parts = load_parts(scene_argument, arguments);
  if (!parts.ok()) return parts.error();
  auto session =
      RoadmapSession::open(arguments.roadmap, parts.value().fixed, scene_argument.trust_srdf_never);
  if (!session.ok()) return session.error();
  ObstacleSet& obstacles = session.value()->obstacles();
  ObstacleChange moving;
  moving.add = std::move(parts.value().moving);
  if (auto added = obstacles.apply(moving); !added.ok()) return added.error();
  if (arguments.obstacles.empty()) return session;
  const auto others = load_obstacles(arguments.obstacles);
  if (!others.ok()) return others.error();
  if (auto added = obstacles.apply(others.value()); !added.ok())
    return Error{added.error().code, added.error().text(), arguments.obstacles};
  return session;
}

Result<void> write_outputs(const RoadmapArguments& arguments, RoadmapSession& session,
                           const RoadmapAnswer& answer) {
  const bool solved = answer.query.status == roadmap::QueryStatus::solved;
  if (solved && !arguments.output.empty())
    if (auto saved = save_path(arguments.output, answer.query.path, session.scene()); !saved.ok())
      return saved;
  if (solved && !arguments.certificate.empty())
    if (auto saved = save_certificate(arguments.certificate, answer.certificate); !saved.ok())
      return saved;
  if (arguments.picture.empty()) return {};
  const auto truth = build_scene(session.true_source());
  if (!truth.ok()) return truth.error();
  return write_file(arguments.picture,
                    draw_path(truth.value(), session.model().grid, answer.query.path));
}

int run_query(const SceneArgument& scene_argument, const RoadmapArguments& arguments,
              const CommonOptions& common) {
  auto session = open_session(scene_argument, arguments);
  if (!session.ok()) return report(session.error());
  const auto query = query_of(scene_argument, arguments, session.value()->scene());
  if (!query.ok()) return report(query.error());
  auto answer = session.value()->answer(query.value().start, query.value().goal, arguments.options,
                                        arguments.smooth_ms, !arguments.no_verify);
  if (!answer.ok()) return report(answer.error());
  const RoadmapAnswer& a = answer.value();
  if (auto written = write_outputs(arguments, *session.value(), a); !written.ok())
    return report(written.error());
  if (common.json) {
    fmt::print("{}\n", to_json(a, true).dump());
    return exit_code(a);
  }
  const bool solved = a.query.status == roadmap::QueryStatus::solved;
  fmt::print("{}", paint(solved ? Colour::green : Colour::red, to_string(a.query.status)));
  if (solved)
    fmt::print(": {} waypoints, length {:.4g}; among the true obstacles {}{}\n",
               a.query.path.waypoints.size(), a.query.length, to_string(a.verdict),
               a.verified ? ", certificate verified" : "");
  else
    fmt::print(": {}\n", a.query.reason);
  fmt::print("  {} cells, update {:.3f} ms, plan {:.3f} ms, check {:.3f} ms\n",
             session.value()->obstacles().cells().cells().size(), a.times.update, a.times.plan,
             a.times.check);
  return exit_code(a);
}

// The answer to one change. A change that is refused leaves everything as it was.
Result<RoadmapAnswer> answer_change(RoadmapSession& session, Query& query,
                                    const ObstacleChange& change,
                                    const RoadmapArguments& arguments) {
  const ObstacleSet::Items before = session.obstacles().items();
  const auto begin = Clock::now();
  if (auto done = session.obstacles().apply(change); !done.ok()) return done.error();
  const double apply = milliseconds(begin, Clock::now());
  const std::vector<double>& start = change.start ? *change.start : query.start;
  const std::vector<double>& goal = change.goal ? *change.goal : query.goal;
  auto answer =
      session.answer(start, goal, arguments.options, arguments.smooth_ms, !arguments.no_verify);
  if (!answer.ok()) {
    session.obstacles().put_back(before);
    return answer;
  }
  answer.value().times.apply = apply;
  if (change.start) query.start = *change.start;
  if (change.goal) query.goal = *change.goal;
  return answer;
}

// One answer. Its latency comes last, so that it tells of the writing, too: from the first byte
// read to the last byte written.
void print_change(const Json& out, const RoadmapTimes* times, const MessageTimes& message) {
  std::string text = out.dump();
  text.pop_back();
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  Json latency = {{"read", milliseconds(message.first_byte, message.read)},
                  {"parse", milliseconds(message.read, message.parsed)}};
  if (times) latency.update(to_json(*times));
  latency["write"] = milliseconds(message.done, Clock::now());
  latency["total"] = milliseconds(message.first_byte, Clock::now());
  fmt::print(",\"latency_ms\":{}}}\n", latency.dump());
  std::fflush(stdout);
}

// The next change, or why it is none. `on`: whether it can be told where the one after it begins.
Result<ObstacleChange> read_change(Connection& input, Connection::Received received,
                                   const std::string& line, const Scene& scene, MessageTimes& times,
                                   bool& on) {
  on = received == Connection::Received::message;
  if (!on) {
    times.read = Clock::now();
    return bad_input(received == Connection::Received::cut
                         ? "the change ends before its line does; nothing of it was done"
                         : "the line is too long",
                     fmt::format("-:{}", input.line()));
  }
  bool taken = false;
  auto change = parse_change(line, scene, "-", input.line(), [&](std::size_t bytes) {
    std::vector<std::uint8_t> frame;
    taken = input.read_frame(bytes, frame, times) == Connection::Received::message;
    return frame;
  });
  // How many bytes of a frame follow is not known where the line could not be read.
  on = change.ok() || taken || line.find("\"bytes\"") == std::string::npos;
  return change;
}

// One change per line in, one answer per line out, read as `proven serve` reads its messages.
int run_watch(const SceneArgument& scene_argument, const RoadmapArguments& arguments,
              const CommonOptions&) {
  auto session = open_session(scene_argument, arguments);
  if (!session.ok()) return report(session.error());
  auto query = query_of(scene_argument, arguments, session.value()->scene());
  if (!query.ok()) return report(query.error());
  Connection input(::dup(STDIN_FILENO), ::dup(STDOUT_FILENO));
  std::int64_t updates = 0;
  std::string line;
  for (bool on = true; on;) {
    MessageTimes times;
    const auto received = input.read_line(line, times);
    if (received == Connection::Received::end) break;
    const auto change = read_change(input, received, line, session.value()->scene(), times, on);
    times.parsed = Clock::now();
    const auto answer =
        change.ok() ? answer_change(*session.value(), query.value(), change.value(), arguments)
                    : Result<RoadmapAnswer>(change.error());
    times.done = Clock::now();
    Json out = {{"update", ++updates}};
    if (answer.ok())
      out.update(to_json(answer.value(), true));
    else
      out["error"] = answer.error().text();
    out.erase("latency_ms");
    print_change(out, answer.ok() ? &answer.value().times : nullptr, times);
  }
  return kOk;
}

Json to_json(const roadmap::RobustnessReport& report) {
  Json json = {{"nodes", report.nodes},
               {"arcs_before", report.edges_before},
               {"arcs_after", report.edges_after},
               {"cells", report.cells},
               {"cutting_before", report.cutting_before},
               {"cutting_after", report.cutting_after},
               {"passes", Json::array()},
               {"flagged", Json::array()}};
  for (const auto& pass : report.passes)
    json["passes"].push_back({{"side", pass.side},
                              {"cubes", pass.cubes},
                              {"cutting", pass.cutting},
                              {"arcs_added", pass.edges_added}});
  for (const auto& f : report.flagged)
    json["flagged"].push_back({{"cell", f.cell},
                               {"case", to_string(f.pathology)},
                               {"text", describe(f.pathology)},
                               {"components", f.components},
                               {"cut_off", f.cut_off}});
  return json;
}

void print(const roadmap::RobustnessReport& r) {
  fmt::print("{} of {} cells cut the roadmap", r.cutting_before, r.cells);
  fmt::print("; {} after {} arcs were added\n", r.cutting_after, r.edges_after - r.edges_before);
  for (const auto& pass : r.passes)
    fmt::print("  cubes of side {}: {} of {} cut, {} arcs added\n", pass.side, pass.cutting,
               pass.cubes, pass.edges_added);
  std::map<std::string_view, int> cases;
  for (const auto& f : r.flagged) ++cases[describe(f.pathology)];
  for (const auto& [name, count] : cases) fmt::print("  flagged, {}: {}\n", name, count);
}

int run_robustness(const SceneArgument& scene_argument, RoadmapArguments& arguments,
                   const CommonOptions& common) {
  const Preparation preparation("the scene and the roadmap", common);
  const auto parts = load_parts(scene_argument, arguments);
  if (!parts.ok()) return report(parts.error());
  const auto scene = build(scene_argument, parts.value().fixed);
  if (!scene.ok()) return report(scene.error());
  const auto model = load_roadmap(arguments.roadmap);
  if (!model.ok()) return report(model.error());
  const Work work("robustness", common, OnInterrupt::end);
  arguments.robustness.enhance = !arguments.count_only;
  arguments.robustness.threads = common.threads;
  const auto made = make_robust(model.value(), scene.value(), arguments.robustness, work.budget());
  if (!made.ok()) return report_any(made.error());
  if (!arguments.output.empty())
    if (auto saved = save_roadmap(arguments.output, made.value().model); !saved.ok())
      return report(saved.error());
  const roadmap::RobustnessReport& r = made.value().report;
  if (!arguments.picture.empty()) {
    std::map<int, std::string> words;
    for (const auto& f : r.flagged) words[f.cell] = std::string(describe(f.pathology));
    if (auto saved = write_file(
            arguments.picture,
            draw_cells(made.value().model.grid, words,
                       fmt::format("{} of {} cells cut the roadmap", r.cutting_after, r.cells)));
        !saved.ok())
      return report(saved.error());
  }
  if (common.json)
    fmt::print("{}\n", to_json(r).dump());
  else
    print(r);
  return kOk;
}

int run(const SceneArgument& scene_argument, RoadmapArguments& arguments,
        const CommonOptions& common) {
  if (arguments.action == "info") return run_info(scene_argument, common);
  if (arguments.roadmap.empty()) return report(bad_input("give the scene and the roadmap file"));
  const bool watch = arguments.action == "watch";
  if (arguments.win_back >= 0)
    arguments.options.win_back = arguments.win_back;
  else if (watch)
    arguments.options.win_back = kWatchWinBack;
  if (arguments.action == "build") return run_build(scene_argument, arguments, common);
  if (arguments.action == "query") return run_query(scene_argument, arguments, common);
  if (watch) return run_watch(scene_argument, arguments, common);
  return run_robustness(scene_argument, arguments, common);
}

void add_build_options(Arguments& arguments, RoadmapArguments& chosen) {
  const std::vector<std::string> build = {"build"};
  arguments.add("--nodes", chosen.build.nodes, "Nodes of the roadmap", 2);
  arguments.only_for(build);
  arguments.add("--neighbours", chosen.build.neighbours, "Arcs to so many nearest nodes", 1);
  arguments.only_for(build);
  arguments.add("--cell", chosen.build.cell, "Side of a cell, in metres", 1e-9);
  arguments.only_for(build);
  arguments.add_flag("--planar", chosen.build.planar, "One layer of cells, for planar arms");
  arguments.only_for(build);
  arguments.add("--joints", chosen.joints, "Plan for these joints alone");
  arguments.only_for(build);
  arguments.add_flag("--restart", chosen.restart, "Forget what an earlier run has done");
  arguments.only_for(build);
}

void add_query_options(Arguments& arguments, RoadmapArguments& chosen) {
  const std::vector<std::string> queries = {"query", "watch"};
  arguments.add("--obstacles", chosen.obstacles,
                "JSON with obstacles, points and cells besides the scene's");
  arguments.only_for(queries);
  arguments.add("-o,--output", chosen.output, "Write the path, or the better roadmap");
  arguments.only_for({"query", "robustness"});
  arguments.add("--certificate", chosen.certificate, "Write the path's certificate");
  arguments.only_for({"query"});
  arguments.add("--picture", chosen.picture, "SVG of the path, or of the flagged cells");
  arguments.only_for({"query", "robustness"});
  arguments.add("--win-back", chosen.win_back,
                "Check at most so many arcs that only cells may block; default 200, watch 24", 0);
  arguments.only_for(queries);
  arguments.add_flag("--any-turn", chosen.options.any_turn,
                     "Continuous joints may end whole turns away from the goal");
  arguments.only_for(queries);
  arguments.add("--smooth-ms", chosen.smooth_ms,
                "Shorten the path for at most so many milliseconds, every piece proved; default 0",
                0.0);
  arguments.only_for(queries);
  arguments.add_flag("--no-verify", chosen.no_verify, "Leave out the verifier");
  arguments.only_for(queries);
  arguments.add_clearance(chosen.options.check.clearance);
  arguments.only_for(queries);
}

void add_options(Arguments& arguments, RoadmapArguments& chosen) {
  arguments.add("roadmap", chosen.roadmap, "The roadmap file (not for info)");
  arguments.add("query", chosen.query, "File with start and goal");
  arguments.only_for({"query", "watch"});
  add_build_options(arguments, chosen);
  arguments.add_choice("--device", chosen.device, {"threads", "automatic"},
                       "What proves arcs free of self-collision and lists their cells; automatic: "
                       "a GPU first, if any");
  arguments.only_for({"build"});
  arguments.add_flag("--empty", chosen.empty,
                     "The scene's obstacles move: build without them, query with them");
  arguments.only_for({"build", "query", "robustness", "watch"});
  add_query_options(arguments, chosen);
  arguments.add("--epsilon", chosen.robustness.epsilon, "Radius in cells", 0.0, 100.0);
  arguments.only_for({"robustness"});
  arguments.add_flag("--count-only", chosen.count_only, "Count, add nothing");
  arguments.only_for({"robustness"});
  arguments.honour(Common::threads, {"build", "robustness"});
  arguments.honour(Common::seed, {"build"});
  arguments.honour(Common::budget, {"build", "robustness"});
  arguments.set_action([&chosen] { return chosen.action; });
}

}  // namespace

Command roadmap_command() {
  return {"roadmap", "Plan among changing obstacles with a roadmap built beforehand",
          "  proven roadmap build corridor-5 arm.roadmap --empty --planar --cell 0.03\n"
          "  proven roadmap query corridor-5 arm.roadmap --empty --picture plan.svg\n"
          "  proven roadmap watch cell.json arm.roadmap query.json < changes.jsonl\n"
          "  proven roadmap robustness corridor-5 arm.roadmap --empty --picture cells.svg\n"
          "  proven roadmap info arm.roadmap",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<RoadmapArguments>();
            arguments.add_choice("action", chosen->action,
                                 {"build", "info", "query", "robustness", "watch"}, "What to do");
            auto scene = add_scene_argument(arguments, "scene", true,
                                            {"build", "query", "robustness", "watch"});
            add_options(arguments, *chosen);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
