#include "tools/traffic_stops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "proven/io/file.h"
#include "proven/io/traffic_file.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
using spacetime::Obstacle;
using spacetime::Piece;
using spacetime::Vec2;

constexpr double kApart = 1000;  // seconds between the times of two stops

// One shape of the format for each piece.
Result<Json> to_json(const Piece& piece) {
  if (!piece.is_box() && piece.radius == 0) {
    Json corners = Json::array();
    for (const Vec2 p : piece.corners) corners.push_back({p.x, p.y});
    return Json{{"polygon", corners}};
  }
  const Json centre = {piece.centre.x, piece.centre.y};
  if (piece.is_box() && piece.radius == 0)
    return Json{{"box", {2 * piece.half.x, 2 * piece.half.y}}, {"centre", centre}};
  if (piece.is_box() && piece.half == Vec2{})
    return Json{{"circle", piece.radius}, {"centre", centre}};
  return bad_input("a grown polygon has no words in a file");
}

// What stands is there once, for all stops.
Result<void> add_standing(const Obstacle& o, Json& list) {
  Json parts = Json::array();
  for (const Piece& piece : o.footprint.pieces()) {
    auto shape = to_json(piece);
    if (!shape.ok()) return shape.error();
    parts.push_back(std::move(shape).value());
  }
  list.push_back(
      {{"name", o.name}, {"parts", parts}, {"pose", {o.pose.x, o.pose.y, o.pose.heading}}});
  return {};
}

Result<void> add_regions(const Obstacle& o, const spacetime::ProvedStop& stop, double shift,
                         Json& list) {
  Json parts = Json::array();
  for (const spacetime::Occupancy& part : o.occupancies) {
    if (part.t_begin > stop.motion.t.back() || part.t_end < stop.motion.t.front()) continue;
    for (const Piece& piece : part.region.pieces()) {
      auto shape = to_json(piece);
      if (!shape.ok()) return shape.error();
      Json entry = {{"from", part.t_begin + shift}, {"to", part.t_end + shift}};
      entry.update(shape.value());
      parts.push_back(std::move(entry));
    }
  }
  if (!parts.empty())
    list.push_back(
        {{"name", fmt::format("{} as seen at {:g} s", o.name, stop.t)}, {"occupancy", parts}});
  return {};
}

Result<void> save(const spacetime::DriveResult& driven, const spacetime::VehicleModel& vehicle,
                  const StopFiles& files) {
  Json trajectories = Json::array(), obstacles = Json::array();
  for (std::size_t k = 0; k < driven.stops.size(); ++k) {
    const spacetime::ProvedStop& stop = driven.stops[k];
    const double shift = kApart * static_cast<double>(k);
    Json poses = Json::array(), times = Json::array();
    for (std::size_t i = 0; i < stop.motion.t.size(); ++i) {
      times.push_back(stop.motion.t[i] + shift);
      poses.push_back({stop.motion.x[i], stop.motion.y[i], stop.motion.heading[i]});
    }
    trajectories.push_back(
        {{"name", fmt::format("stop at {:g} s", stop.t)}, {"times", times}, {"poses", poses}});
    for (const Obstacle& o : stop.regions) {
      Result<void> added;
      if (o.is_set())
        added = add_regions(o, stop, shift, obstacles);
      else if (k == 0)
        added = add_standing(o, obstacles);
      if (!added.ok()) return added.error();
    }
  }
  // What stands comes first.
  std::stable_partition(obstacles.begin(), obstacles.end(),
                        [](const Json& o) { return o.contains("pose"); });
  const Json stops = {
      {"proven", 1}, {"box", {vehicle.length, vehicle.width}}, {"trajectories", trajectories}};
  if (auto written = write_file(files.stops, stops.dump() + "\n"); !written.ok()) return written;
  return write_file(files.regions, Json{{"proven", 1}, {"obstacles", obstacles}}.dump() + "\n");
}

// Corners, and points on circles.
std::vector<Vec2> points_of(const spacetime::Footprint& footprint) {
  std::vector<Vec2> points;
  for (const Piece& piece : footprint.pieces()) {
    std::vector<Vec2> core = piece.corners;
    const Vec2 c = piece.centre, h = piece.half;
    if (piece.is_box()) core = {c + h, c - h, c + Vec2{h.x, -h.y}, c + Vec2{-h.x, h.y}};
    for (const Vec2 p : core)
      for (int k = 0; k < (piece.radius > 0 ? 8 : 1); ++k)
        points.push_back(p + piece.radius * Vec2{std::cos(M_PI_4 * k), std::sin(M_PI_4 * k)});
  }
  return points;
}

bool holds(const Obstacle& region, double t, Vec2 p) {
  return std::ranges::any_of(region.occupancies, [&](const spacetime::Occupancy& part) {
    return t >= part.t_begin && t <= part.t_end && holds(part.region, p);
  });
}

}  // namespace

StopFiles stop_files(const std::string& trajectory, const std::string& certificate) {
  const auto with = [](std::filesystem::path file, const char* ending) {
    return file.replace_extension(ending).string();
  };
  StopFiles files;
  files.stops = with(trajectory, ".stops.json");
  files.regions = with(trajectory, ".regions.json");
  files.proof = with(certificate, ".stops.proof");
  return files;
}

Result<StopFiles> write_stops(const spacetime::DriveResult& driven,
                              const spacetime::VehicleModel& vehicle, StopFiles files,
                              const spacetime::TrafficOptions& options, const Budget& budget) {
  if (auto saved = save(driven, vehicle, files); !saved.ok()) return saved.error();
  // The proof is of what the files say: regions are gone where they end, so that those of one stop
  // are no others'.
  auto scene = load_traffic(files.regions);
  if (!scene.ok()) return scene.error();
  const auto stops = load_trajectories(files.stops);
  if (!stops.ok()) return stops.error();
  std::vector<spacetime::TrafficCertificate> proofs;
  for (const NamedTrajectory& stop : stops.value()) {
    std::vector<Obstacle> met;
    for (const Obstacle& o : scene.value().obstacles)
      if (!o.is_set() || std::ranges::any_of(o.occupancies, [&](const spacetime::Occupancy& part) {
            return part.t_begin <= stop.trajectory.t.back() &&
                   part.t_end >= stop.trajectory.t.front();
          }))
        met.push_back(o);
    const auto among = spacetime::TrafficScene::build(std::move(met));
    if (!among.ok()) return among.error();
    const spacetime::CertifiedMotion motion{stop.footprint, stop.trajectory};
    auto made = certify_traffic(among.value(), {&motion, 1}, {}, options,
                                spacetime::Afterwards::gone, budget);
    if (!made.ok()) return Error{made.error().code, made.error().text(), stop.name};
    files.pairs += made.value().pairs;
    files.leaves += made.value().leaves;
    proofs.push_back(std::move(made).value());
  }
  const std::string bytes = join_certificates(proofs);
  files.bytes = static_cast<std::int64_t>(bytes.size());
  if (auto written = write_file(files.proof, bytes); !written.ok()) return written.error();
  return files;
}

std::optional<Departure> first_departure(const spacetime::DriveResult& driven,
                                         const spacetime::TrafficScene& recorded) {
  for (const spacetime::ProvedStop& stop : driven.stops)
    for (const Obstacle& region : stop.regions) {
      if (!region.is_set()) continue;
      const auto found = std::ranges::find_if(recorded.obstacles(), [&](const Obstacle& o) {
        return o.name == region.name && o.moves();
      });
      if (found == recorded.obstacles().end()) continue;
      const spacetime::Trajectory& m = found->motion;
      const std::vector<Vec2> outline = points_of(found->footprint);
      for (std::size_t i = 0; i < m.t.size(); ++i) {
        if (m.t[i] < stop.t || m.t[i] > stop.motion.t.back()) continue;
        const double cosine = std::cos(m.heading[i]), sine = std::sin(m.heading[i]);
        for (const Vec2 p : outline)
          if (!holds(region, m.t[i],
                     {m.x[i] + cosine * p.x - sine * p.y, m.y[i] + sine * p.x + cosine * p.y}))
            return Departure{region.name, m.t[i]};
      }
    }
  return std::nullopt;
}

}  // namespace proven::tools
