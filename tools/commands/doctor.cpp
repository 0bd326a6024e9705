// proven doctor: what is in a model, and what a person should know before trusting it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "proven/base/simd.h"
#include "proven/certify/prover.h"
#include "proven/geometry/distance.h"
#include "proven/geometry/solid.h"
#include "proven/io/path_file.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"
#include "proven/plan/joint_space.h"
#include "proven/scene/sensed.h"
#include "tools/command.h"
#include "tools/exclusion_proofs.h"
#include "tools/scene_argument.h"
#include "tools/terminal.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kModel = "a model", *kWrite = "--write-srdf";

// A pair that collides so often that a person probably wants to exclude it.
struct Proposal {
  BodyPair pair;
  bool at_home = false;
  double share = 0;  // of random configurations
};

bool collide(const Scene& scene, const LinkPoses& poses, const BodyPair& pair,
             DistanceScratch& workspace) {
  const Body& a = scene.body(pair.a);
  const Body& b = scene.body(pair.b);
  const Pose X_AB = relative_pose(poses.X_WL[static_cast<std::size_t>(a.link)] * a.X_LB,
                                  poses.X_WL[static_cast<std::size_t>(b.link)] * b.X_LB);
  return bodies_overlap(*a.geometry, *b.geometry, X_AB, workspace) ||
         find_containment(*a.geometry, *b.geometry, X_AB).inside;
}

std::vector<Proposal> propose_exclusions(const Scene& scene, std::uint64_t seed) {
  constexpr int kSamples = 100;
  Random random(seed);
  LinkPoses poses;
  DistanceScratch workspace;
  std::vector<Proposal> all;
  for (const BodyPair& pair : scene.pairs()) all.push_back({pair, false, 0});
  compute_poses(scene.tree(), scene.home(), poses);
  for (Proposal& p : all) p.at_home = collide(scene, poses, p.pair, workspace);
  for (int i = 0; i < kSamples; ++i) {
    compute_poses(scene.tree(), random_configuration(scene.tree(), random), poses);
    for (Proposal& p : all)
      if (p.share * kSamples + (kSamples - i) >= 0.5 * kSamples &&
          collide(scene, poses, p.pair, workspace))
        p.share += 1.0 / kSamples;
  }
  std::erase_if(all, [](const Proposal& p) { return !p.at_home && p.share < 0.9; });
  return all;
}

// A configuration that was given as a place to rest, and is none.
struct BadRest {
  std::string name;                         // "home", or of the SRDF
  std::array<int, 2> bodies = {-1, -1};     // in the way; -1 if it is not known
  bool collides = true;                     // else it is too close to contact to be proved free
  std::optional<std::vector<double>> free;  // near it
};

// Home, and every configuration of the SRDF with the other joints at home.
std::vector<std::pair<std::string, std::vector<double>>> places_of_rest(const Scene& scene) {
  std::vector<std::pair<std::string, std::vector<double>>> places = {
      {"home", {scene.home().begin(), scene.home().end()}}};
  for (const GroupState& state : scene.states()) {
    std::vector<double> q(scene.home().begin(), scene.home().end());
    for (const auto& [joint, values] : state.joints)
      if (const int c = scene.tree().find_coordinate(joint); c >= 0 && values.size() == 1)
        q[static_cast<std::size_t>(c)] = values[0];
    places.emplace_back(state.group + "/" + state.name, std::move(q));
  }
  return places;
}

// The nearest of some samples, in boxes that grow until one of them holds a free sample. Values are
// rounded, so that a person can copy them.
std::optional<std::vector<double>> find_free_near(const JointSpace& space,
                                                  const std::vector<double>& q, Random& random,
                                                  Prover& prover) {
  constexpr int kSamples = 100;
  constexpr double kDigits = 1e4;
  JointSpace::Point centre(static_cast<std::size_t>(space.dimension())), point = centre;
  space.restrict(q, centre);
  const auto coordinates = prover.scene().tree().coordinates();
  for (std::size_t k = 0; k < centre.size(); ++k)  // a rest beyond the limits
    centre[k] = std::clamp(centre[k], space.ranges()[k].lower, space.ranges()[k].upper);
  std::vector<double> full(q.size()), best;
  for (double radius = 0x1p-8; best.empty() && radius <= 1; radius *= 2) {
    double nearest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kSamples; ++i) {
      space.sample_near(centre, radius, random, point);
      bool within = true;
      for (std::size_t k = 0; k < point.size(); ++k) {
        const auto c = static_cast<std::size_t>(space.planned()[k]);
        if (!coordinates[c].quaternion) point[k] = std::round(point[k] * kDigits) / kDigits;
        within =
            within && point[k] >= space.ranges()[k].lower && point[k] <= space.ranges()[k].upper;
      }
      const double distance = space.distance(centre, point);
      space.complete(point, full);
      if (!within || distance >= nearest || !prover.is_free(full)) continue;
      nearest = distance;
      best = full;
    }
  }
  if (best.empty()) return std::nullopt;
  return best;
}

std::vector<BadRest> find_bad_rests(const Scene& scene, std::uint64_t seed) {
  std::vector<BadRest> bad;
  const std::vector<double> home(scene.home().begin(), scene.home().end());
  const JointSpace space(scene, Query{home, home});
  const auto model = CheckModel::build(scene, {}, space.full_ranges());
  if (!model.ok()) return bad;  // `check` tells why
  Prover prover(model.value());
  Random random(seed);
  for (const auto& [name, q] : places_of_rest(scene)) {
    const CheckResult result = prover.check(q);
    if (result.verdict == Verdict::free) continue;
    bad.push_back({name, result.collision ? result.collision->bodies : result.undecided->bodies,
                   result.collision.has_value(), find_free_near(space, q, random, prover)});
  }
  return bad;
}

Json by_joint(const Scene& scene, const std::vector<double>& q) {
  Json json = Json::object();
  for (std::size_t c = 0; c < q.size(); ++c) json[scene.tree().coordinates()[c].name] = q[c];
  return json;
}

Json size_of(const Body& body) {
  const auto& [low, high] = body.geometry->bounds();
  return {high.x - low.x, high.y - low.y, high.z - low.z};
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

int count_closed(const Body& body) {
  int closed = 0;
  for (const Component& component : body.geometry->components()) closed += component.closed;
  return closed;
}

Json to_json(const Scene& scene, const std::vector<BadRest>& rests) {
  Json list = Json::array();
  for (const BadRest& rest : rests) {
    Json row = {{"name", rest.name}, {"collides", rest.collides}, {"free_near", nullptr}};
    if (rest.bodies[0] >= 0)
      row["pair"] = {scene.body(rest.bodies[0]).name, scene.body(rest.bodies[1]).name};
    if (rest.free) row["free_near"] = by_joint(scene, *rest.free);
    list.push_back(std::move(row));
  }
  return list;
}

Json to_json(const Scene& scene, const std::vector<Proposal>& proposals,
             const std::vector<BadRest>& rests) {
  Json bodies = Json::array(), joints = Json::array(), excluded = Json::array(),
       proposed = Json::array();
  for (const Body& body : scene.bodies())
    bodies.push_back({{"name", body.name},
                      {"link", scene.tree().link(body.link).name},
                      {"moves", scene.tree().rigid_root(body.link) != 0},
                      {"triangles", body.geometry->triangles().size()},
                      {"convex_pieces", body.geometry->convexes().size()},
                      {"grains", body.geometry->grains().size()},
                      {"components", body.geometry->components().size()},
                      {"closed_components", count_closed(body)},
                      {"size", size_of(body)}});
  for (const Coordinate& c : scene.tree().coordinates())
    joints.push_back({{"name", c.name},
                      {"lower", finite_or_null(c.lower)},
                      {"upper", finite_or_null(c.upper)},
                      {"unit", c.rotary       ? "rad"
                               : c.quaternion ? ""
                                              : "m"}});
  for (const ExcludedPair& pair : scene.excluded_pairs()) {
    Json row = {{"pair", {scene.body(pair.a).name, scene.body(pair.b).name}},
                {"reason", to_string(pair.reason)},
                {"text", describe(pair.reason)}};
    if (!pair.note.empty()) row["note"] = pair.note;
    excluded.push_back(std::move(row));
  }
  Json sensed = Json::object();
  for (const auto& [name, note] : sensed_bodies(scene)) sensed[name] = note;
  for (const Proposal& p : proposals)
    proposed.push_back({{"pair", {scene.body(p.pair.a).name, scene.body(p.pair.b).name}},
                        {"collides_at_home", p.at_home},
                        {"share_of_random_configurations", p.share}});
  return {{"bodies", bodies},
          {"joints", joints},
          {"tested_pairs", scene.pairs().size()},
          {"excluded_pairs", excluded},
          {"proposed_exclusions", proposed},
          {"sensed", sensed},
          {"ignored", scene.ignored()},
          {"not_free", to_json(scene, rests)},
          {"warnings", std::vector<std::string>(scene.warnings().begin(), scene.warnings().end())},
          {"hash", scene.hash().hex()}};
}

std::string limit_text(const Coordinate& c) {
  if (c.quaternion) return "unit quaternion";
  if (!std::isfinite(c.lower) && !std::isfinite(c.upper))
    return c.rotary ? "continuous" : "no limits";
  return fmt::format("{:.6g} to {:.6g} {}", c.lower, c.upper, c.rotary ? "rad" : "m");
}

void print_bodies(const Scene& scene) {
  fmt::print("{}\n", paint(Colour::bold, "Bodies"));
  for (const Body& body : scene.bodies()) {
    const auto& [low, high] = body.geometry->bounds();
    const int closed = count_closed(body);
    const int components = static_cast<int>(body.geometry->components().size());
    const Grains& grains = body.geometry->grains();
    const std::string pieces =
        grains.empty()
            ? fmt::format("{:>7} triangles {:>3} convex", body.geometry->triangles().size(),
                          body.geometry->convexes().size())
            : fmt::format("{:>7} {:<20}", grains.size(),
                          grains.are_balls() ? "balls of a cloud" : "boxes of voxels");
    fmt::print(
        "  {:<32} {}  {:.3g} x {:.3g} x {:.3g} m{}{}\n", body.name, pieces, high.x - low.x,
        high.y - low.y, high.z - low.z, scene.tree().rigid_root(body.link) != 0 ? "" : "  fixed",
        closed < components
            ? fmt::format("  {} of {} parts open: no inside", components - closed, components)
            : "");
    for (const CollisionElement& element : body.geometry->elements())
      if (is_sensed(element.shape)) fmt::print("    {}\n", element.source);
  }
}

void print_pairs(const Scene& scene) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const ExcludedPair& pair : scene.excluded_pairs()) {
    std::string reason(describe(pair.reason));
    if (!pair.note.empty()) reason += ": " + pair.note;
    by_reason[reason].push_back(scene.body(pair.a).name + " - " + scene.body(pair.b).name);
  }
  fmt::print("{}\n  {} tested, {} excluded\n", paint(Colour::bold, "Pairs"), scene.pairs().size(),
             scene.excluded_pairs().size());
  for (const auto& [reason, pairs] : by_reason) {
    fmt::print("  {} ({})\n", reason, pairs.size());
    for (const std::string& pair : pairs) fmt::print("    {}\n", pair);
  }
}

void print_proposals(const Scene& scene, const std::vector<Proposal>& proposals) {
  if (proposals.empty()) return;
  fmt::print("{}\n", paint(Colour::yellow, "Pairs that collide at home or nearly always"));
  for (const Proposal& p : proposals)
    fmt::print("  {} - {}: {}{:.0f} % of random configurations\n", scene.body(p.pair.a).name,
               scene.body(p.pair.b).name, p.at_home ? "at home, " : "", 100 * p.share);
  fmt::print(
      "  If they belong together, exclude them in the scene file, with a reason:\n"
      "    \"pairs\": {{\"exclude\": [[\"{}\", \"{}\", \"why\"]]}}\n",
      scene.body(proposals[0].pair.a).name, scene.body(proposals[0].pair.b).name);
}

void print_rests(const Scene& scene, const std::vector<BadRest>& rests) {
  if (rests.empty()) return;
  fmt::print("\n{}\n", paint(Colour::yellow, "Configurations that are not free"));
  for (const BadRest& rest : rests) {
    fmt::print("  {} {}", rest.name,
               rest.collides ? "collides" : "is too close to contact to be proved free");
    if (rest.bodies[0] >= 0)
      fmt::print(": {} and {}", scene.body(rest.bodies[0]).name, scene.body(rest.bodies[1]).name);
    if (rest.free)
      fmt::print("; free near it is\n    {}\n", by_joint(scene, *rest.free).dump());
    else
      fmt::print("; no sample near it is free\n");
  }
}

void print_scene(const Scene& scene, const std::vector<Proposal>& proposals,
                 const std::vector<BadRest>& rests) {
  std::size_t triangles = 0;
  for (const Body& body : scene.bodies()) triangles += body.geometry->triangles().size();
  fmt::print("{} bodies, {} triangles, {} joints that move, {} links\n\n", scene.bodies().size(),
             triangles, scene.tree().num_coordinates(), scene.tree().num_links() - 1);
  print_bodies(scene);
  fmt::print("\n{}\n", paint(Colour::bold, "Joints"));
  for (const Coordinate& c : scene.tree().coordinates())
    fmt::print("  {:<32} {}\n", c.name, limit_text(c));
  for (const auto& m : scene.tree().mimic_names())
    fmt::print("  {:<32} follows: {:.6g} * {} + {:.6g}\n", m.name, m.multiplier,
               scene.tree().coordinates()[static_cast<std::size_t>(m.coordinate)].name, m.offset);
  fmt::print("\n");
  print_pairs(scene);
  if (!proposals.empty()) fmt::print("\n");
  print_proposals(scene, proposals);
  print_rests(scene, rests);
  if (!scene.warnings().empty()) fmt::print("\n{}\n", paint(Colour::yellow, "Warnings"));
  for (const std::string& warning : scene.warnings()) fmt::print("  {}\n", warning);
}

void print_path(const Path& path, const Scene& scene) {
  fmt::print("\n{}\n  {} waypoints, {} segments\n", paint(Colour::bold, "Path"),
             path.waypoints.size(), path.num_segments());
  for (std::size_t i = 0; i < path.waypoints[0].size(); ++i) {
    double low = path.waypoints[0][i], high = low;
    for (const auto& q : path.waypoints) low = std::fmin(low, q[i]), high = std::fmax(high, q[i]);
    fmt::print("  {:<32} {:.6g} to {:.6g}\n", scene.tree().coordinates()[i].name, low, high);
  }
  for (const std::string& name : path.defaulted)
    fmt::print("  {} is not in the file and stays at its home value\n", name);
}

// A path file alone.
int describe(const PathOutline& path, const CommonOptions& common) {
  if (common.json) {
    Json joints = Json::array();
    for (std::size_t i = 0; i < path.joints.size(); ++i)
      joints.push_back(
          {{"name", path.joints[i]}, {"lower", path.lower[i]}, {"upper", path.upper[i]}});
    fmt::print(
        "{}\n",
        Json{{"path",
              {{"waypoints", path.num_waypoints}, {"timed", path.timed}, {"joints", joints}}}}
            .dump());
    return kOk;
  }
  fmt::print("a path of {} waypoints{}; values of each joint:\n", path.num_waypoints,
             path.timed ? " with times" : "");
  for (std::size_t i = 0; i < path.joints.size(); ++i)
    fmt::print("  {:<32} {:.6g} to {:.6g}\n", path.joints[i], path.lower[i], path.upper[i]);
  fmt::print("to test it against limits, name its scene too: proven doctor SCENE PATH\n");
  return kOk;
}

int diagnose(const SceneArgument& argument, const std::string& path_file,
             const PathReading& reading, const CommonOptions& common) {
  if (path_file.empty() && std::filesystem::exists(argument.scene)) {
    const auto outline = inspect_path(argument.scene);
    if (!outline.ok()) return report(outline.error());
    if (outline.value()) return describe(*outline.value(), common);
  }
  const auto scene = load(argument);
  if (!scene.ok()) return report(scene.error());
  std::optional<Path> path;
  if (!path_file.empty()) {
    auto loaded = load_path(path_file, scene.value(), reading.options());
    if (!loaded.ok()) return report(loaded.error());
    path = std::move(loaded).value();
  }
  const auto proposals = propose_exclusions(scene.value(), common.seed);
  const auto rests = find_bad_rests(scene.value(), common.seed);
  if (common.json) {
    Json json = to_json(scene.value(), proposals, rests);
    if (path)
      json["path"] = {{"waypoints", path->waypoints.size()}, {"defaulted", path->defaulted}};
    fmt::print("{}\n", json.dump());
    return kOk;
  }
  print_scene(scene.value(), proposals, rests);
  if (path) print_path(*path, scene.value());
  return kOk;
}

// Which vector instructions the program was built for, and which it uses.
int list_kernels(const CommonOptions& common) {
  Json list = Json::array();
  if (!common.json)
    fmt::print("{}, instruction set {}\n", paint(Colour::bold, "Kernels"), to_string(simd::used()));
  for (const simd::AnyKernel* kernel : simd::kernels()) {
    std::vector<std::string_view> sets;
    for (const simd::InstructionSet set : simd::kInstructionSets)
      if (kernel->can_run(set)) sets.push_back(to_string(set));
    list.push_back(
        {{"name", kernel->name()}, {"instruction_sets", sets}, {"used", to_string(simd::used())}});
    if (!common.json) fmt::print("  {:<32} {}\n", kernel->name(), fmt::join(sets, ", "));
  }
  if (common.json) fmt::print("{}\n", Json{{"kernels", list}}.dump());
  return kOk;
}

int run(const SceneArgument& scene, const std::string& path, const PathReading& reading,
        bool kernels, const ExclusionOptions& exclusions, const CommonOptions& common) {
  if (!exclusions.file.empty() && !scene.scene.empty())
    return write_exclusions(scene, exclusions, common);
  if (exclusions.file.empty() && kernels == scene.scene.empty())
    return kernels ? list_kernels(common) : diagnose(scene, path, reading, common);
  fmt::print(stderr, "proven: doctor needs either MODEL or --kernels\n");
  return kUsage;
}

}  // namespace

Command doctor_command() {
  return {"doctor", "Load a robot, a scene or a path and say what is in it and what looks wrong",
          "  proven doctor ur5.urdf\n"
          "  proven doctor path.json\n"
          "  proven doctor cell.json path.json\n"
          "  proven doctor cage-a\n"
          "  proven doctor ur5.urdf --write-srdf ur5_proved.srdf\n"
          "  proven doctor --kernels",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments, "model", false, {kModel, kWrite});
            auto path = std::make_shared<std::string>();
            auto reading = std::make_shared<PathReading>();
            auto kernels = std::make_shared<bool>(false);
            arguments.add("path", *path, "A path to look at in that scene");
            arguments.only_for({kModel});
            add_path_options(arguments, *reading, {kModel});
            auto exclusions = std::make_shared<ExclusionOptions>();
            arguments.add("--write-srdf", exclusions->file,
                          "Write an SRDF with the pairs of links that need no test: joined by a "
                          "joint, meeting at every sample, or proved never to meet");
            arguments.add("--max-boxes", exclusions->max_boxes,
                          "Boxes of joint values to look at per pair before it is left tested", 1);
            arguments.only_for({kWrite});
            arguments.add("--samples", exclusions->samples,
                          "Random configurations to look at first", 0);
            arguments.only_for({kWrite});
            arguments.honour(Common::threads, {kWrite});
            arguments.honour(Common::budget, {kWrite});
            arguments.honour(Common::seed, {kModel, kWrite});
            arguments.honour(Common::no_cache, {kModel, kWrite});
            arguments.add_flag("--kernels", *kernels,
                               "List the kernels of this program and the vector instructions that "
                               "they use (PROVEN_SIMD=scalar, avx2 or avx512 chooses)");
            arguments.set_action([kernels, exclusions] {
              return *kernels ? "--kernels" : exclusions->file.empty() ? kModel : kWrite;
            });
            return [=, &common] {
              return run(*scene, *path, *reading, *kernels, *exclusions, common);
            };
          }};
}

}  // namespace proven::tools
