#include "tools/view/traffic_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/view/colours.h"
#include "tools/view/packed.h"
#include "tools/view/traffic_lanes.h"

namespace proven::tools {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

// Heights that tell things apart, in metres.
constexpr double kVehicle = 1.5, kPerson = 1.75, kRegion = 0.08;
// Figures over time are made for so many trajectories.
constexpr std::size_t kMostWithSeries = 50;

std::vector<Vec2> outline_of(const Piece& piece) {
  if (!piece.is_box()) return piece.corners;
  if (piece.radius == 0)
    return {piece.centre + Vec2{piece.half.x, piece.half.y},
            piece.centre + Vec2{-piece.half.x, piece.half.y},
            piece.centre + Vec2{-piece.half.x, -piece.half.y},
            piece.centre + Vec2{piece.half.x, -piece.half.y}};
  constexpr int kCorners = 32;
  std::vector<Vec2> circle;
  for (int k = 0; k < kCorners; ++k) {
    const double angle = 2 * std::numbers::pi * k / kCorners;
    circle.push_back(piece.centre + piece.radius * Vec2{std::cos(angle), std::sin(angle)});
  }
  return circle;
}

// Every piece as a prism that stands on the ground.
Json prisms(const Footprint& footprint, double height) {
  std::vector<float> vertices;
  std::vector<std::uint32_t> triangles;
  for (const Piece& piece : footprint.pieces()) {
    const std::vector<Vec2> outline = outline_of(piece);
    const auto first = static_cast<std::uint32_t>(vertices.size() / 3);
    const auto n = static_cast<std::uint32_t>(outline.size());
    for (const double z : {0.0, height})
      for (const Vec2 p : outline)
        vertices.insert(vertices.end(),
                        {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(z)});
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t a = first + k, b = first + (k + 1) % n;
      triangles.insert(triangles.end(), {a, b, b + n, a, b + n, a + n});
      if (k >= 2) triangles.insert(triangles.end(), {first, a, a - 1});
      if (k >= 2) triangles.insert(triangles.end(), {first + n, a - 1 + n, a + n});
    }
  }
  return {{"vertices", packed(vertices)},
          {"triangles", packed(triangles)},
          {"mesh_triangles", triangles.size() / 3},
          {"convex_first", Json::array()}};
}

Json pose_in_plane(const Pose2& pose) {
  const double c = std::cos(pose.heading), s = std::sin(pose.heading);
  return {c, -s, 0, s, c, 0, 0, 0, 1, pose.x, pose.y, 0};
}

double height_of(const Footprint& footprint) {
  const bool round = footprint.pieces().size() == 1 && footprint.pieces()[0].is_box() &&
                     footprint.pieces()[0].radius > 0;
  return round ? kPerson : kVehicle;
}

// Frames, bodies and channels of everything that moves or stands.
class Stage {
 public:
  Stage() { frames_.push_back({{"name", "world"}, {"parent", -1}}); }

  // A vehicle in the plane: two slides and a turn. Gives its body.
  int add_moving(const std::string& name, const Footprint& footprint, const char* kind,
                 const char* colour) {
    const auto channel = channels_.size();
    for (const char* part : {"x", "y", "heading"}) channels_.push_back(name + "." + part);
    for (std::size_t k = 0; k < 3; ++k)
      frames_.push_back({{"name", name},
                         {"parent", k == 0 ? 0 : frames_.size() - 1},
                         {"joint",
                          {{"kind", k < 2 ? "prismatic" : "revolute"},
                           {"axis", {k == 0, k == 1, k == 2}},
                           {"channel", channel + k}}}});
    return add_body(name, frames_.size() - 1, {}, footprint, height_of(footprint), kind, colour);
  }
  int add_body(const std::string& name, std::size_t frame, const Pose2& pose,
               const Footprint& footprint, double height, const char* kind, const char* colour) {
    bodies_.push_back({{"name", name},
                       {"frame", frame},
                       {"pose", pose_in_plane(pose)},
                       {"kind", kind},
                       {"group", name},
                       {"mesh", meshes_.size()},
                       {"colour", colour}});
    meshes_.push_back(prisms(footprint, height));
    return static_cast<int>(bodies_.size()) - 1;
  }
  Json& body(int index) { return bodies_[static_cast<std::size_t>(index)]; }

  void write(Json& document) const {
    document["channels"] = channels_;
    document["home"] = std::vector<double>(channels_.size());
    document["frames"] = frames_;
    document["bodies"] = bodies_;
    document["meshes"] = meshes_;
  }

 private:
  std::vector<std::string> channels_;
  std::vector<Json> frames_, bodies_, meshes_;
};

// One region after the other, each while it is taken. Gives the first body.
int add_regions(Stage& stage, const Obstacle& o) {
  int first = -1;
  for (const Occupancy& part : o.occupancies) {
    const int body =
        stage.add_body(o.name, 0, {}, part.region, kRegion, "obstacle", colours::kRegion);
    stage.body(body)["lifetime"] = {part.t_begin, part.t_end};
    stage.body(body)["opacity"] = 0.45;
    if (first < 0) first = body;
  }
  return first;
}

// Lines on the ground, by pairs of points.
class Lines {
 public:
  void add(Vec2 a, Vec2 b) {
    for (const Vec2 p : {a, b})
      values_.insert(values_.end(), {static_cast<float>(p.x), static_cast<float>(p.y), 0.02f});
  }
  void add(const std::vector<Vec2>& line) {
    for (std::size_t i = 1; i < line.size(); ++i) add(line[i - 1], line[i]);
  }
  void write(const char* colour, double opacity, Json& annotations) const {
    if (!values_.empty())
      annotations.push_back({{"kind", "lines"},
                             {"positions", packed(values_)},
                             {"colour", colour},
                             {"opacity", opacity}});
  }

 private:
  std::vector<float> values_;
};

// Arrows along the middle of a lane, the way it is driven.
void add_arrows(const std::vector<Vec2>& middle, Lines& lines) {
  constexpr double kApart = 15, kSize = 1.2;
  double left = 0.5 * kApart;
  for (std::size_t i = 1; i < middle.size(); ++i) {
    const Vec2 d = middle[i] - middle[i - 1];
    const double length = norm(d);
    if (!(length > 0)) continue;
    const Vec2 f = (kSize / length) * d, side{-f.y, f.x};
    for (; left < length; left += kApart) {
      const Vec2 tip = middle[i - 1] + (left / length) * d;
      // Three strokes beside each other are seen from farther away.
      for (const double back : {0.0, 0.15, 0.3}) {
        const Vec2 at = tip - back * f;
        lines.add(at, at - f + 0.6 * side);
        lines.add(at, at - f - 0.6 * side);
      }
    }
    left -= length;
  }
}

Result<Footprint> surface_of(const Lanelet& lanelet) {
  std::vector<Vec2> outline = lanelet.left;
  outline.insert(outline.end(), lanelet.right.rbegin(), lanelet.right.rend());
  return Footprint::polygon(std::move(outline));
}

// Borders and directions of lanes, where to stop, goals.
void add_road(const TrafficFile& file, const Road& road, Stage& stage, Json& annotations) {
  Lines borders, arrows, stops, goals;
  for (const Lanelet& lanelet : file.lanelets) {
    borders.add(lanelet.left);
    borders.add(lanelet.right);
    if (lanelet.for_vehicles) add_arrows(road.centre_line(road.find(lanelet.id)), arrows);
    if (lanelet.stop_line) stops.add(lanelet.stop_line->left, lanelet.stop_line->right);
  }
  const auto lay = [&](const char* name, const Footprint& region, double height, const char* colour,
                       double opacity) {
    const int body = stage.add_body(name, 0, {}, region, height, "obstacle", colour);
    stage.body(body)["opacity"] = opacity;
    stage.body(body)["ground"] = true;
  };
  std::vector<Footprint> surfaces;
  for (const Lanelet& lanelet : file.lanelets)
    if (auto surface = surface_of(lanelet); surface.ok() && lanelet.for_vehicles)
      surfaces.push_back(std::move(surface).value());
  if (!surfaces.empty()) lay("road", Footprint::compound(surfaces), 0.01, colours::kAsphalt, 0.6);
  const auto add_goal = [&](const Footprint& region) {
    const int body =
        stage.add_body("goal", 0, {}, region, 0.5 * kRegion, "obstacle", colours::kGoal);
    stage.body(body)["opacity"] = 0.35;
    for (const Piece& piece : region.pieces()) {
      std::vector<Vec2> outline = outline_of(piece);
      outline.push_back(outline.front());
      goals.add(outline);
    }
  };
  for (const PlanningProblem& problem : file.problems)
    for (const GoalState& goal : problem.goals) {
      for (const Footprint& region : goal.regions) add_goal(region);
      for (const std::string& id : goal.lanelets)
        if (const int i = road.find(id); i >= 0)
          if (const auto surface = surface_of(road.lanelets()[static_cast<std::size_t>(i)]);
              surface.ok())
            lay("goal", surface.value(), 0.05, colours::kGoal, 0.4);
    }
  borders.write(colours::kRoad, 0.8, annotations);
  arrows.write(colours::kRoad, 0.8, annotations);
  stops.write(colours::kStopLine, 1, annotations);
  goals.write(colours::kGoal, 1, annotations);
}

// All times at which some motion has a sample, within [begin, end].
std::vector<double> knots_of(const std::vector<const Trajectory*>& motions, double begin,
                             double end) {
  std::vector<double> knots = {begin, end};
  for (const Trajectory* motion : motions)
    for (const double t : motion->t)
      if (t > begin && t < end) knots.push_back(t);
  std::ranges::sort(knots);
  const double tiny = 1e-9 * (end - begin);
  const auto same = [&](double a, double b) { return b - a <= tiny; };
  knots.erase(std::unique(knots.begin(), knots.end(), same), knots.end());
  return knots;
}

std::vector<double> values_at(const std::vector<const Trajectory*>& motions,
                              const std::vector<double>& knots) {
  std::vector<double> values;
  for (const double t : knots)
    for (const Trajectory* motion : motions) {
      const Pose2 pose = pose_at(*motion, std::clamp(t, motion->t.front(), motion->t.back()));
      values.insert(values.end(), {pose.x, pose.y, pose.heading});
    }
  return values;
}

Json place_json(const std::vector<double>& knots, double t) {
  const auto after = std::upper_bound(knots.begin() + 1, knots.end() - 1, t);
  const auto segment = after - knots.begin() - 1;
  const auto at = static_cast<std::size_t>(segment);
  return {{"segment", segment}, {"t", (t - knots[at]) / (knots[at + 1] - knots[at])}};
}

Json points_at(const Pose2& a, const Pose2& b) {
  return {{a.x, a.y, kVehicle}, {b.x, b.y, kVehicle}};
}

struct Actors {
  std::vector<int> bodies;                 // of each obstacle
  std::vector<const Trajectory*> motions;  // of those that move, in the order of their channels
  int own = -1;                            // body of the vehicle whose trajectories are shown
};

Json motion_json(const ShownTrajectory& shown, const Actors& actors, double clearance) {
  std::vector<const Trajectory*> motions = actors.motions;
  motions.push_back(&shown.motion.trajectory);
  const Trajectory& own = shown.motion.trajectory;
  const std::vector<double> knots = knots_of(motions, own.t.front(), own.t.back());
  Json json = {{"name", shown.motion.name},
               {"knots", knots},
               {"unit", "s"},
               {"values", packed(values_at(motions, knots))},
               {"verdict", to_string(shown.result.verdict)},
               {"clearance", clearance}};
  const auto bodies = [&](int obstacle) {
    return Json{actors.own, obstacle < 0 ? -1 : actors.bodies[static_cast<std::size_t>(obstacle)]};
  };
  if (const auto& c = shown.result.contact) {
    json["witness"] = place_json(knots, c->t);
    const ContactKind kind = c->distance > 0 ? ContactKind::too_close : ContactKind::overlap;
    json["witness"].update({{"kind", to_string(kind)},
                            {"text", describe(kind)},
                            {"bodies", bodies(c->obstacle)},
                            {"points", points_at(c->pose, c->obstacle_pose)},
                            {"distance", c->distance}});
  }
  if (const auto& d = shown.result.doubt) {
    const Pose2 pose = pose_at(own, std::clamp(d->t_begin, own.t.front(), own.t.back()));
    json["undecided"] = place_json(knots, d->t_begin);
    json["undecided"].update({{"reason", to_string(d->reason)},
                              {"text", describe(d->reason)},
                              {"bodies", bodies(d->obstacle)},
                              {"points", points_at(pose, pose)},
                              {"distance", d->distance}});
  }
  const TrafficStats& stats = shown.result.stats;
  json["facts"] = {{"pairs of boxes", fmt::format("{}", stats.box_tests)},
                   {"pairs of steps", fmt::format("{}", stats.step_pairs)},
                   {"intervals of time", fmt::format("{}", stats.cells)}};
  return json;
}

// The traffic alone, as long as something moves.
Json traffic_alone(const Actors& actors) {
  if (actors.motions.empty()) return nullptr;
  double begin = HUGE_VAL, end = -HUGE_VAL;
  for (const Trajectory* motion : actors.motions) {
    begin = std::min(begin, motion->t.front());
    end = std::max(end, motion->t.back());
  }
  const std::vector<double> knots = knots_of(actors.motions, begin, end);
  return {{"name", "Traffic"},
          {"knots", knots},
          {"unit", "s"},
          {"values", packed(values_at(actors.motions, knots))},
          {"verdict", "unchecked"},
          {"clearance", 0}};
}

Actors add_obstacles(Stage& stage, const TrafficFile& file) {
  Actors actors;
  for (const Obstacle& o : file.obstacles) {
    if (o.is_set()) {
      actors.bodies.push_back(add_regions(stage, o));
    } else if (o.moves()) {
      actors.bodies.push_back(stage.add_moving(o.name, o.footprint, "attached", colours::kMoving));
      stage.body(actors.bodies.back())["lifetime"] = {o.motion.t.front(), o.motion.t.back()};
      actors.motions.push_back(&o.motion);
    } else {
      actors.bodies.push_back(stage.add_body(o.name, 0, o.pose, o.footprint, height_of(o.footprint),
                                             "obstacle", colours::kStanding));
    }
  }
  return actors;
}

}  // namespace

ViewDocument traffic_document(const TrafficFile& file, const std::vector<ShownTrajectory>& shown,
                              double clearance) {
  ViewDocument document(file.name);
  Json& json = document.json();
  Stage stage;
  Actors actors = add_obstacles(stage, file);
  if (!shown.empty()) {
    actors.own = stage.add_moving("vehicle", shown[0].motion.footprint, "robot", colours::kOwn);
    Json& pairs = json["pairs"] = Json::array();
    for (const int body : actors.bodies) pairs.push_back({actors.own, body, clearance});
    json["traces"] = {
        {{"name", "vehicle"}, {"frame", stage.body(actors.own)["frame"]}, {"point", {0, 0, 0.1}}}};
  }
  const auto road = Road::build(file.lanelets, file.lights);
  const auto scene = TrafficScene::build(file.obstacles);
  Json annotations = Json::array();
  if (road.ok()) add_road(file, road.value(), stage, annotations);
  stage.write(json);
  json["subtitle"] =
      fmt::format("{} obstacles, {} trajectories", file.obstacles.size(), shown.size());
  json["warnings"] = file.remarks;
  if (!annotations.empty()) json["annotations"] = std::move(annotations);
  for (const ShownTrajectory& s : shown) {
    Json motion = motion_json(s, actors, clearance);
    if (road.ok() && scene.ok() && json["motions"].size() < kMostWithSeries) {
      motion["lanes"] = traffic_intervals(road.value(), s.motion.trajectory, s.result, clearance);
      motion["series"] =
          traffic_series(scene.value(), road.value(), s.motion.footprint, s.motion.trajectory);
    }
    json["motions"].push_back(std::move(motion));
  }
  if (shown.empty())
    if (Json alone = traffic_alone(actors); !alone.is_null())
      json["motions"].push_back(std::move(alone));
  return document;
}

}  // namespace proven::tools
