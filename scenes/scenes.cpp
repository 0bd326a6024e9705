#include "scenes/scenes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numbers>
#include <optional>

#include "proven/base/numbers.h"
#include "scenes/makers.h"

namespace proven {
namespace {

using scenes::kSweepPosture;

constexpr std::string_view kPlanar = "planar-";
constexpr int kMaxPlanarLinks = 100;

struct Entry {
  SceneInfo info;
  std::function<SceneSource(const SceneParameters&)> make;
};

std::vector<std::string> joint_names(const std::string& robot, int count) {
  std::vector<std::string> names;
  for (int k = 1; k <= count; ++k) names.push_back(robot + "/joint_" + std::to_string(k));
  return names;
}

SceneQuery arm_query(std::vector<double> start, std::vector<double> goal) {
  return {joint_names("arm", 6), std::move(start), std::move(goal)};
}

// From straight up to lying below the lowest ring or grid, each linkage tilted at its foot.
SceneQuery retraction(const std::vector<std::string>& robots, const std::vector<double>& tilts) {
  SceneQuery query;
  for (std::size_t r = 0; r < robots.size(); ++r)
    for (int k = 1; k <= 20; ++k) {
      query.joints.push_back(robots[r] + "/joint_" + std::to_string(k));
      query.start.push_back(0);
      query.goal.push_back(k == 1 ? tilts[r] : 0);
    }
  return query;
}

// Six arms, each from one weld to another.
using SixArms = std::array<std::array<double, 6>, 6>;

SceneQuery welds(const SixArms& start, const SixArms& goal) {
  SceneQuery query;
  for (std::size_t arm = 0; arm < 6; ++arm) {
    for (const std::string& name : joint_names("arm_" + std::to_string(arm + 1), 6))
      query.joints.push_back(name);
    query.start.insert(query.start.end(), start[arm].begin(), start[arm].end());
    query.goal.insert(query.goal.end(), goal[arm].begin(), goal[arm].end());
  }
  return query;
}

constexpr SixArms kCarAStart = {{{0.22, 0.49, 0.09, -1.06, -1.72, -0.23},
                                 {0.68, 1.01, -1, 0.28, -0.13, -1.13},
                                 {-0.15, 1.04, -0.96, 1.29, 0.17, -0.8},
                                 {0.22, 0.49, 0.09, -1.06, -1.72, -0.23},
                                 {0.68, 1.01, -1, 0.28, -0.13, -1.13},
                                 {-0.15, 1.04, -0.96, 1.29, 0.17, -0.8}}};
constexpr SixArms kCarAGoal = {{{-0.25, 0.53, -0.16, 0.53, -0.54, -0.27},
                                {-0.06, 0.93, -0.79, 1.33, -0.28, -0.26},
                                {0, 0.99, -0.9, 1.52, -1.32, 0.31},
                                {-0.25, 0.53, -0.16, 0.53, -0.54, -0.27},
                                {0, 0.99, -0.9, 1.52, -1.32, 0.31},
                                {0, 0.99, -0.9, 1.52, -1.32, 0.31}}};
constexpr SixArms kCarBStart = {{{0.22, 0.63, 0.14, -1.06, -1.72, -0.23},
                                 {0.68, 1.09, -1.16, 0.28, -0.13, -1.13},
                                 {0.49, 1.11, -0.76, 0.32, -1.66, -0.06},
                                 {0.49, 1.11, -0.76, 0.32, -1.66, -0.06},
                                 {0.68, 1.09, -1.16, 0.28, -0.13, -1.13},
                                 {-0.15, 1.13, -1.12, 1.29, 0.17, -0.8}}};
constexpr SixArms kCarBGoal = {{{-0.29, 0.04, -0.08, -0.52, 0.09, 1.16},
                                {-0.45, 0.94, -0.96, -1.06, -0.49, -0.18},
                                {-0.45, 0.94, -0.96, -1.06, -0.49, -0.18},
                                {-0.45, 0.94, -0.96, -1.06, -0.49, -0.18},
                                {0, 1.08, -1.05, 1.52, -1.32, 0.31},
                                {-0.29, 0.04, -0.08, -0.52, 0.09, 1.16}}};

SceneQuery full_turn() {
  std::vector<double> start(kSweepPosture, kSweepPosture + 6), goal = start;
  start[0] = -std::numbers::pi;
  goal[0] = std::numbers::pi;
  return arm_query(start, goal);
}

// From beside the blocks into the corridor.
SceneQuery corridor_query(int joints) {
  SceneQuery query;
  for (int k = 1; k <= joints; ++k) query.joints.push_back("arm/joint_" + std::to_string(k));
  query.start.assign(query.joints.size(), 0);
  query.goal = query.start;
  query.start[0] = 2.0;
  return query;
}

std::vector<Entry> make_entries() {
  std::vector<std::string> nine;
  for (int k = 1; k <= 9; ++k) nine.push_back("linkage_" + std::to_string(k));
  const auto plain = [](SceneSource (*make)()) {
    return [make](const SceneParameters&) { return make(); };
  };
  return {
      {{"rings", "Two thin 20-joint arms stand in three thin rings", "1a", 40, 640, 18000, 0.5,
        retraction({"left", "right"}, {-1.4, 1.4})},
       plain(scenes::make_rings)},
      {{"rod", "IRB-2400-like arm with a long thin welding lance at a frame of thin bars", "1b", 6,
        3500, 132, 0,
        arm_query({-0.35, 0.31, -0.54, -0.57, 1.09, -0.38},
                  {0.16, -0.26, 0.57, 0.04, -0.49, -0.46})},
       plain(scenes::make_rod)},
      {{"cage-a", "IRB-2400-like arm with a gripper in a cage of thin bars", "11a", 6, 2991, 432,
        1.77,
        arm_query({0.07, 0.41, -0.22, -0.1, -0.28, 0.91},
                  {1.59, 0.89, -0.37, -0.01, -0.31, -0.91})},
       plain(scenes::make_cage_a)},
      {{"cage-b", "F-200-like arm with a welding gun in a cage of thin bars", "11b", 6, 2502, 432,
        1.65,
        arm_query({0.07, 0.56, -0.23, -0.1, -0.28, 0.91}, {0.89, 1.32, -0.38, -1.4, -1.64, 1.37})},
       plain(scenes::make_cage_b)},
      {{"lattice-1", "A thin 20-joint arm threaded through four grids", "11c", 20, 320, 384, 0.5,
        retraction({"linkage"}, {1.4})},
       [](const SceneParameters&) { return scenes::make_lattice(1); }},
      {{"lattice-9", "Nine thin 20-joint arms threaded through the holes of four grids", "11c", 180,
        2880, 384, 0.5, retraction(nine, std::vector<double>(9, 1.4))},
       [](const SceneParameters&) { return scenes::make_lattice(9); }},
      {{"machine-tool", "F-200-like arm with a welding gun before a machine tool", "12a", 6, 2502,
        34171, 1.16,
        arm_query({-1.16, 0.54, -0.34, -0.57, 1.61, -1.45},
                  {-0.06, 0.76, -0.16, 1.02, -0.59, 1.44})},
       plain(scenes::make_machine_tool_scene)},
      {{"workshop", "IRB-2400-like arm with a four-jaw gripper in a workshop", "12b", 6, 5450,
        74681, 0.64,
        arm_query({-1.99, 0.47, 0.26, -0.74, -1.03, 0.53}, {2.03, 0.47, 0.86, 0.79, -1.2, 0.95})},
       plain(scenes::make_workshop_scene)},
      {{"car-a", "Six IRB-2400-like arms with welding guns around a car body", "12c", 36, 6 * 3594,
        19668, 1.59, welds(kCarAStart, kCarAGoal)},
       plain(scenes::make_car_a)},
      {{"car-b", "Six F-200-like arms with welding guns around a coarse car body", "12d", 36,
        6 * 2502, 4016, 1.32, welds(kCarBStart, kCarBGoal)},
       plain(scenes::make_car_b)},
      {{"floor", "The gun of an F-200-like arm sweeps a full turn just above the floor", "14a", 6,
        2502, 8000, 0, full_turn()},
       [](const SceneParameters& p) { return scenes::make_floor(p.clearance); }},
      {{"box", "The same sweep, grazing the top of a box", "14b", 6, 2502, 48012, 0, full_turn()},
       [](const SceneParameters& p) { return scenes::make_box(p.clearance, 1.0); }},
      {{"narrow-box", "The same sweep, grazing the top of a narrow box", "14c", 6, 2502, 48012, 0,
        full_turn()},
       [](const SceneParameters& p) { return scenes::make_box(p.clearance, 0.25); }},
      {{"demo", "A six-joint arm in a cell with a table, a box, two pillars and a shelf", "", 6,
        4200, 0, 0,
        arm_query({1.61, 0.38, 0.61, -0.43, -0.69, -0.69}, {-0.41, 0.41, 0.26, 0.57, 0.77, -0.21})},
       plain(scenes::make_demo)},
      {{"planar-12",
        "A planar linkage of twelve unit links (any planar-N exists)",
        "",
        12,
        0,
        0,
        0,
        {}},
       [](const SceneParameters&) { return scenes::make_planar(12); }},
      {{"gantry", "Three sliding and three turning joints over a table", "", 6, 0, 0, 0, {}},
       plain(scenes::make_gantry)},
      {{"free-flyer", "A floating craft before a wall with a window", "", 7, 0, 0, 0, {}},
       plain(scenes::make_free_flyer)},
      {{"corridor-5", "A planar arm of five joints before a corridor (paper 004, figure 1b)", "", 5,
        0, 0, 0, corridor_query(5)},
       [](const SceneParameters&) { return scenes::make_corridor(5); }},
      {{"corridor-19", "A planar arm of nineteen joints before the same (paper 004, figure 1a)", "",
        19, 0, 0, 0, corridor_query(19)},
       [](const SceneParameters&) { return scenes::make_corridor(19); }},
      {{"lever", "A parallelogram of mimic joints", "", 1, 0, 0, 0, {}}, plain(scenes::make_lever)},
  };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = make_entries();
  return all;
}

std::optional<int> planar_links(std::string_view name) {
  if (!name.starts_with(kPlanar)) return std::nullopt;
  const std::optional<long> links = parse_integer(name.substr(kPlanar.size()));
  if (!links || *links < 1 || *links > kMaxPlanarLinks) return std::nullopt;
  return static_cast<int>(*links);
}

}  // namespace

std::span<const SceneInfo> list_scenes() {
  static const std::vector<SceneInfo> infos = [] {
    std::vector<SceneInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

const SceneInfo* find_scene(std::string_view name) {
  const auto infos = list_scenes();
  const auto it = std::find_if(infos.begin(), infos.end(),
                               [&](const SceneInfo& info) { return info.name == name; });
  return it == infos.end() ? nullptr : &*it;
}

Result<SceneSource> make_scene(std::string_view name, const SceneParameters& parameters) {
  if (!(parameters.clearance > 0 && parameters.clearance <= 1))
    return bad_input("the clearance of a built-in scene must be above 0 and at most 1");
  for (const Entry& entry : entries())
    if (entry.info.name == name) return entry.make(parameters);
  if (const std::optional<int> links = planar_links(name)) return scenes::make_planar(*links);
  std::string known;
  for (const Entry& entry : entries()) known += (known.empty() ? "" : ", ") + entry.info.name;
  return Error{ErrorCode::not_found,
               "there is no built-in scene '" + std::string(name) + "'; there are: " + known,
               {}};
}

}  // namespace proven
