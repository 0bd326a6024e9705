#include "audit/rows.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace proven::audit {
namespace {

using Json = nlohmann::ordered_json;

template <class Place>
Json place_of(const Scene& scene, const Motion& motion, const Place& place) {
  Json json = {{"segment", place.segment}, {"t", place.t}};
  if (!motion.times.empty()) json["time"] = place.time;
  json["pair"] = Json::array();
  json["points"] = Json::array();
  if (place.bodies[0] >= 0) {
    for (const int body : place.bodies) json["pair"].push_back(scene.body(body).name);
    for (const Vec3& p : place.points) json["points"].push_back({p.x, p.y, p.z});
  }
  json["distance"] = place.distance;
  json["configuration"] = place.configuration;
  return json;
}

}  // namespace

double length_of(const Motion& motion) {
  double length = 0;
  for (std::size_t i = 1; i < motion.waypoints.size(); ++i) {
    double square = 0;
    for (std::size_t c = 0; c < motion.waypoints[i].size(); ++c) {
      const double d = motion.waypoints[i][c] - motion.waypoints[i - 1][c];
      square += d * d;
    }
    length += std::sqrt(square);
  }
  return length;
}

std::string to_line(const Row& row) {
  Json json = {{"index", row.index}, {"group", row.group}, {"name", row.name}};
  if (!row.error.empty()) {
    json["verdict"] = kError;
    if (!row.scene.empty()) json["scene"] = row.scene;
    json["error"] = row.error;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  json["verdict"] = row.result ? to_string(row.result->verdict) : kSwept;
  json["scene"] = row.scene;
  json["segments"] = row.motion->num_segments();
  json["length"] = length_of(*row.motion);
  if (!row.result) return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (row.refuted) json["refuted_sweep"] = true;
  const CheckResult& result = *row.result;
  if (row.clearance) {
    json["clearance"] = {{"at_least", row.clearance->at_least}, {"at_most", nullptr}};
    if (row.clearance->at_most) json["clearance"]["at_most"] = *row.clearance->at_most;
  }
  if (result.collision) {
    Json& collision = json["collision"] = place_of(*row.in, *row.motion, *result.collision);
    collision["kind"] = to_string(result.collision->kind);
    collision["depth"] = row.depth ? Json(*row.depth) : Json(nullptr);
  }
  if (result.undecided) {
    json["undecided"] = place_of(*row.in, *row.motion, *result.undecided);
    json["undecided"]["reason"] = to_string(result.undecided->reason);
  }
  if (!result.certificate.empty()) json["certificate"] = result.certificate.size();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace proven::audit
