#include "tools/traffic_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "proven/spacetime/drive.h"
#include "tools/terminal.h"
#include "tools/traffic_page.h"

namespace proven::tools {
namespace {

using spacetime::DriveResult;
using spacetime::Footprint;
using spacetime::Pose2;
using spacetime::TrafficScene;
using spacetime::Vec2;

constexpr double kCarLength = 4.5, kCarWidth = 2.0;

std::vector<Vec2> centre_line(const Lanelet& lanelet) {
  std::vector<Vec2> line;
  const std::size_t n = std::max(lanelet.left.size(), lanelet.right.size());
  const auto at = [&](const std::vector<Vec2>& bound, std::size_t i) {
    return bound[i * (bound.size() - 1) / (n - 1)];
  };
  for (std::size_t i = 0; i < n; ++i)
    line.push_back(0.5 * (at(lanelet.left, i) + at(lanelet.right, i)));
  return line;
}

double distance_to(const std::vector<Vec2>& line, const Pose2& pose) {
  double best = 1e9;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Vec2 d = line[i + 1] - line[i], to = Vec2{pose.x, pose.y} - line[i];
    if (!(dot(d, d) > 0)) continue;
    const double u = std::clamp(dot(to, d) / dot(d, d), 0.0, 1.0);
    const double turn = std::remainder(std::atan2(d.y, d.x) - pose.heading, 2 * M_PI);
    // A lane in another direction is as good as one that far away.
    best = std::min(best, norm(to - u * d) + 10 * std::fabs(turn));
  }
  return best;
}

bool holds(const std::vector<Vec2>& outline, Vec2 p) {
  bool odd = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++)
    if ((outline[i].y > p.y) != (outline[j].y > p.y) &&
        p.x < (outline[j].x - outline[i].x) * (p.y - outline[i].y) / (outline[j].y - outline[i].y) +
                  outline[i].x)
      odd = !odd;
  return odd;
}

std::vector<Vec2> outline(const Lanelet& lanelet) {
  std::vector<Vec2> points = lanelet.left;
  points.insert(points.end(), lanelet.right.rbegin(), lanelet.right.rend());
  return points;
}

bool in_region(const Footprint& region, Vec2 p) {
  for (const spacetime::Piece& piece : region.pieces()) {
    if (!piece.is_box() && holds(piece.corners, p)) return true;
    const Vec2 off = p - piece.centre;
    if (piece.is_box() && piece.radius == 0 && std::fabs(off.x) <= piece.half.x &&
        std::fabs(off.y) <= piece.half.y)
      return true;
    if (piece.is_box() && piece.radius > 0 && norm(off) <= piece.radius) return true;
  }
  return false;
}

bool in_goal(const TrafficFile& file, const PlanningProblem& problem, Vec2 p) {
  if (problem.goal_regions.empty() && problem.goal_lanelets.empty()) return true;
  for (const Footprint& region : problem.goal_regions)
    if (in_region(region, p)) return true;
  for (const Lanelet& lanelet : file.lanelets)
    if (std::count(problem.goal_lanelets.begin(), problem.goal_lanelets.end(), lanelet.id) &&
        holds(outline(lanelet), p))
      return true;
  return false;
}

bool leads_to_goal(const TrafficFile& file, const PlanningProblem& problem,
                   const Lanelet& lanelet) {
  if (std::count(problem.goal_lanelets.begin(), problem.goal_lanelets.end(), lanelet.id))
    return true;
  for (const Footprint& region : problem.goal_regions)
    if (holds(outline(lanelet), region.box_centre())) return true;
  return file.lanelets.empty();
}

// The chain of lanelets from the start: the shortest one that reaches the goal, or as far as it
// goes by first successors.
std::vector<Vec2> reference_line(const TrafficFile& file, const PlanningProblem& problem) {
  const Pose2& start = problem.start;
  const Vec2 ahead{start.x + 300 * std::cos(start.heading),
                   start.y + 300 * std::sin(start.heading)};
  if (file.lanelets.empty()) return {{start.x, start.y}, ahead};
  std::map<std::string, const Lanelet*> by_id;
  const Lanelet* first = &file.lanelets[0];
  for (const Lanelet& lanelet : file.lanelets) {
    by_id[lanelet.id] = &lanelet;
    if (distance_to(centre_line(lanelet), start) < distance_to(centre_line(*first), start))
      first = &lanelet;
  }
  std::map<const Lanelet*, const Lanelet*> from = {{first, nullptr}};
  std::deque<const Lanelet*> open = {first};
  const Lanelet* last = nullptr;
  while (!open.empty() && !last) {
    const Lanelet* at = open.front();
    open.pop_front();
    if (leads_to_goal(file, problem, *at)) last = at;
    for (const std::string& id : at->successors)
      if (by_id.contains(id) && from.emplace(by_id[id], at).second) open.push_back(by_id[id]);
  }
  std::vector<const Lanelet*> chain;
  for (const Lanelet* at = last; at; at = from[at]) chain.insert(chain.begin(), at);
  if (chain.empty()) chain = {first};
  std::set<const Lanelet*> seen(chain.begin(), chain.end());
  while (!chain.back()->successors.empty() && by_id.contains(chain.back()->successors[0]) &&
         seen.insert(by_id[chain.back()->successors[0]]).second)
    chain.push_back(by_id[chain.back()->successors[0]]);
  std::vector<Vec2> line;
  for (const Lanelet* lanelet : chain)
    for (const Vec2 p : centre_line(*lanelet))
      if (line.empty() || norm(p - line.back()) > 0.5) line.push_back(p);
  return line;
}

struct Summary {
  double check_ms = 0, generate_ms = 0;
  std::int64_t candidates = 0, free = 0;
};

Summary summarise(const DriveResult& driven) {
  Summary sum;
  for (const spacetime::DriveCycle& cycle : driven.cycles) {
    sum.check_ms += cycle.check_ms;
    sum.generate_ms += cycle.generate_ms;
    sum.candidates += cycle.candidates;
    sum.free += cycle.free;
  }
  return sum;
}

void fill_page(const DriveResult& driven, const TrafficFile& file, const TrafficScene& scene,
               const Footprint& car, const PlanningProblem& problem, TrafficPage& page) {
  page.title = file.name;
  page.lanelets = file.lanelets;
  page.obstacles = scene.obstacles();
  page.goals = problem.goal_regions;
  const spacetime::CandidateSet& set = driven.shown;
  constexpr int kShown = 400;
  const int stride = std::max(1, set.size() / kShown);
  for (int i = 0; i < set.size(); i += stride) {
    std::vector<Vec2> line;
    for (std::size_t k = 0; k < set.t.size(); ++k) {
      const std::size_t at = static_cast<std::size_t>(i) * set.t.size() + k;
      line.push_back({set.x[at], set.y[at]});
    }
    page.faint_paths.push_back(
        {std::move(line), driven.shown_verdicts[static_cast<std::size_t>(i)]});
  }
  if (driven.driven.size() < 2) return;
  PageCandidate ego;
  ego.motion = {"driven", car, driven.driven};
  ego.chosen = true;
  spacetime::TrafficScratch workspace;
  ego.result = check(scene, car, driven.driven, {}, workspace).value();
  page.candidates.push_back(std::move(ego));
}

const PlanningProblem* find_problem(const TrafficFile& file, const std::string& id) {
  for (const PlanningProblem& problem : file.problems)
    if (id.empty() || problem.id == id) return &problem;
  return nullptr;
}

// A recording that has the problem's id, or starts where and when the vehicle does, is the vehicle
// itself. Returns its name.
std::string drop_own_recording(TrafficFile& file, const PlanningProblem& problem) {
  const auto is_own = [&](const spacetime::Obstacle& o) {
    constexpr double kSamePlace = 0.01;
    return o.name == problem.id ||
           (o.moves() && o.motion.t[0] == problem.t_start &&
            norm({o.motion.x[0] - problem.start.x, o.motion.y[0] - problem.start.y}) < kSamePlace);
  };
  const auto own = std::find_if(file.obstacles.begin(), file.obstacles.end(), is_own);
  if (own == file.obstacles.end()) return {};
  const std::string name = own->name;
  file.obstacles.erase(own);
  return name;
}

// The speed at which the goal region is reached in the middle of its time; else the initial speed.
double desired_speed(const PlanningProblem& problem, const spacetime::ReferencePath& path) {
  constexpr double kSlowest = 5, kFastest = 40;
  double speed = std::max(problem.speed, kSlowest);
  if (problem.goal_regions.empty() || !problem.goal_time_end) return speed;
  const double begin = problem.goal_time_begin.value_or(problem.t_start);
  const double time = 0.5 * (begin + *problem.goal_time_end) - problem.t_start;
  const double way = path.locate(problem.goal_regions[0].box_centre()).x -
                     path.locate({problem.start.x, problem.start.y}).x;
  if (time > 0 && way > 0) speed = way / time;
  return std::min(speed, kFastest);
}

// Where along the drive it was first in the goal, at a time that counts; -1 if it never was.
double goal_time(const TrafficFile& file, const PlanningProblem& problem,
                 const spacetime::Trajectory& m) {
  for (std::size_t i = 0; i < m.t.size(); ++i) {
    const double slack = 1e-9;
    const bool in_time = m.t[i] >= problem.goal_time_begin.value_or(m.t[i]) - slack &&
                         m.t[i] <= problem.goal_time_end.value_or(m.t[i]) + slack;
    if (in_time && in_goal(file, problem, {m.x[i], m.y[i]})) return m.t[i];
  }
  return -1;
}

double end_of_drive(const PlanningProblem& problem, const TrafficScene& scene) {
  constexpr double kWithoutTraffic = 10, kLongest = 30;
  double t_end = std::max(scene.t_end(), problem.t_start + 1);
  if (!std::isfinite(t_end)) t_end = problem.t_start + kWithoutTraffic;
  if (!problem.goal_time_end) return t_end;
  const bool has_place = !problem.goal_regions.empty() || !problem.goal_lanelets.empty();
  return has_place ? std::min(*problem.goal_time_end, problem.t_start + kLongest)
                   : std::min(t_end, *problem.goal_time_end);
}

// How a drive ended, best first.
enum class Outcome {
  goal_reached,
  standing,          // the vehicle stands at the end
  end_of_recording,  // it drove on as long as there was traffic
  no_free_candidate,
  time,  // the budget ended
  cancelled,
};

std::string_view describe(Outcome outcome) {
  switch (outcome) {
    case Outcome::goal_reached:
      return "goal reached";
    case Outcome::standing:
      return "stopped";
    case Outcome::end_of_recording:
      return "driven to the end of the recording";
    case Outcome::no_free_candidate:
      return "no free candidate";
    case Outcome::time:
      return "the time ran out (--budget)";
    case Outcome::cancelled:
      return "interrupted";
  }
  return "";
}

struct Told {
  std::string scene, self, page;
  Outcome outcome = Outcome::no_free_candidate;
  double goal_time = -1, seconds = 0;
  bool free = false;
  Summary sum;
  std::size_t cycles = 0;

  double per_cycle(double value) const {
    return value / static_cast<double>(std::max<std::size_t>(1, cycles));
  }
  double free_share() const {
    return static_cast<double>(sum.free) /
           static_cast<double>(std::max<std::int64_t>(1, sum.candidates));
  }
  double per_100_ms() const {
    return sum.check_ms > 0 ? static_cast<double>(sum.candidates) / sum.check_ms * 100 : 0;
  }
};

// The driven trajectory as trajectory files have it, for other programs to check.
nlohmann::ordered_json to_json(const spacetime::Trajectory& m) {
  nlohmann::ordered_json poses = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < m.t.size(); ++i) poses.push_back({m.x[i], m.y[i], m.heading[i]});
  return {{"times", m.t}, {"poses", poses}};
}

void tell_json(const Told& told, const spacetime::Trajectory& driven) {
  nlohmann::ordered_json json = {{"scene", told.scene},
                                 {"outcome", to_string(told.outcome)},
                                 {"message", describe(told.outcome)}};
  json["goal_time"] = nullptr;
  if (told.goal_time >= 0) json["goal_time"] = told.goal_time;
  json["driven_free"] = told.free;
  json["cycles"] = told.cycles;
  json["candidates_per_cycle"] = told.per_cycle(static_cast<double>(told.sum.candidates));
  json["free_share"] = told.free_share();
  json["check_ms_per_cycle"] = told.per_cycle(told.sum.check_ms);
  json["generate_ms_per_cycle"] = told.per_cycle(told.sum.generate_ms);
  json["candidates_checked_per_100_ms"] = told.per_100_ms();
  json["left_out"] = told.self;
  json["page"] = told.page;
  json["box"] = {kCarLength, kCarWidth};
  json["driven"] = to_json(driven);
  fmt::print("{}\n", json.dump());
}

void tell(const Told& told) {
  const std::string driven = told.cycles == 0 ? "nothing was driven"
                             : told.free      ? paint(Colour::green, "the drive is proved free")
                                              : paint(Colour::red, "the drive is not free");
  fmt::print("{}: {} after {:.1f} s; {}\n", told.scene, describe(told.outcome), told.seconds,
             driven);
  fmt::print(
      "{} cycles of {:.0f} candidates ({:.0f} % free): {:.2f} ms to make them, {:.2f} ms to check "
      "them on one core, {:.0f} checked per 100 ms\n",
      told.cycles, told.per_cycle(static_cast<double>(told.sum.candidates)),
      100 * told.free_share(), told.per_cycle(told.sum.generate_ms),
      told.per_cycle(told.sum.check_ms), told.per_100_ms());
  if (!told.self.empty())
    fmt::print("obstacle {} is the recording of the vehicle itself: left out\n", told.self);
  fmt::print("wrote {}\n", told.page);
}

Told told_of(const DriveResult& result, const TrafficFile& file, const PlanningProblem& problem) {
  Told told;
  told.scene = file.name;
  told.goal_time = result.finished ? goal_time(file, problem, result.driven) : -1;
  told.outcome = result.stopped == Stop::time        ? Outcome::time
                 : result.stopped == Stop::cancelled ? Outcome::cancelled
                 : !result.finished                  ? Outcome::no_free_candidate
                 : told.goal_time >= 0               ? Outcome::goal_reached
                 : result.standing                   ? Outcome::standing
                                                     : Outcome::end_of_recording;
  told.seconds = result.driven.t.back() - problem.t_start;
  told.sum = summarise(result);
  told.cycles = result.cycles.size();
  return told;
}

}  // namespace

int run_traffic_plan(const std::string& scene_file, const PlanOptions& options,
                     const std::string& output, const CommonOptions& common, const Budget& budget) {
  auto loaded = load_traffic(scene_file);
  if (!loaded.ok()) return report(loaded.error());
  TrafficFile& file = loaded.value();
  const PlanningProblem* problem = find_problem(file, options.problem);
  if (!problem)
    return report(bad_input(options.problem.empty()
                                ? "no planning problem in it"
                                : fmt::format("no planning problem '{}'", options.problem),
                            scene_file));
  const std::string self = drop_own_recording(file, *problem);
  const auto scene = TrafficScene::build(file.obstacles);
  if (!scene.ok()) return report(scene.error());
  const auto path = spacetime::ReferencePath::make(reference_line(file, *problem));
  if (!path.ok()) return report(path.error());
  const Footprint car = Footprint::box(kCarLength, kCarWidth).value();
  spacetime::DriveOptions chosen;
  chosen.candidates = options.candidates;
  chosen.time_step = file.time_step > 0 ? file.time_step : chosen.time_step;
  chosen.cycle = std::max(options.cycle, chosen.time_step);
  chosen.horizon = options.horizon;
  chosen.desired_speed = desired_speed(*problem, path.value());
  chosen.check.clearance = options.clearance;
  const auto driven =
      drive(scene.value(), car, path.value(), problem->start, problem->speed, problem->t_start,
            end_of_drive(*problem, scene.value()), chosen, budget);
  if (!driven.ok()) return report(driven.error());
  TrafficPage page;
  fill_page(driven.value(), file, scene.value(), car, *problem, page);
  Told told = told_of(driven.value(), file, *problem);
  told.self = self;
  told.page = output;
  told.free = !page.candidates.empty() && page.candidates[0].result.verdict == Verdict::free;
  page.subtitle = fmt::format("{} cycles, {:.0f} candidates each, {:.1f} ms to check them",
                              told.cycles, told.per_cycle(static_cast<double>(told.sum.candidates)),
                              told.per_cycle(told.sum.check_ms));
  if (auto written = write_page(page, output); !written.ok()) return report(written.error());
  common.json ? tell_json(told, driven.value().driven) : tell(told);
  if (told.outcome == Outcome::cancelled) return kInterrupted;
  return driven.value().finished && told.free ? kOk : kUndecided;
}

}  // namespace proven::tools
