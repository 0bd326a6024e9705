#include "tools/view/distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "proven/kinematics/limits.h"
#include "proven/kinematics/poses.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

// How far the length of a quaternion may be from 1.
constexpr double kQuaternionDeviation = 1e-6;

Result<std::vector<double>> read_values(const Scene& scene, std::string_view text) {
  const auto coordinates = scene.tree().coordinates();
  std::vector<double> q;
  while (q.size() <= coordinates.size()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + comma, value);
    if (read.ec != std::errc() || read.ptr != text.data() + comma || !std::isfinite(value))
      return bad_input(fmt::format("value {} of q is no number", q.size() + 1));
    q.push_back(value);
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  if (q.size() != coordinates.size())
    return bad_input(
        fmt::format("q has one value for each of the scene's {} coordinates", coordinates.size()));
  for (std::size_t i = 0; i < q.size(); i += coordinates[i].quaternion ? 4 : 1) {
    if (!coordinates[i].quaternion) continue;
    const double length =
        std::sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]);
    if (!(std::fabs(length - 1) <= kQuaternionDeviation))
      return bad_input(
          fmt::format("the quaternion of {} has length {}, not 1", coordinates[i].joint, length));
  }
  return q;
}

}  // namespace

std::vector<PairDistance> measure_pairs(const Scene& scene, std::span<const double> q,
                                        const Measure& measure, DistanceScratch& scratch) {
  LinkPoses poses;
  compute_poses(scene.tree(), q, poses);
  // Pairs that were proved never to meet are so within limits.
  const bool within = LimitBox(scene.tree()).holds(scene.tree(), q);
  std::vector<PairDistance> distances =
      distances_at(within ? scene : scene.with_proved_pairs(true), poses, measure, scratch);
  std::ranges::stable_sort(distances, {}, &PairDistance::distance);
  return distances;
}

Json distances_json(const Scene& scene, std::span<const PairDistance> distances, bool with_points) {
  Json rows = Json::array();
  for (const PairDistance& d : distances) {
    Json row = {{"pair", {scene.body(d.a).name, scene.body(d.b).name}},
                {"distance", d.distance},
                {"lower", d.lower}};
    if (d.inside) row["inside"] = true;
    if (with_points && !d.inside)
      for (const Vec3& p : d.points) row["points"].push_back({p.x, p.y, p.z});
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::string> answer_distances(const Scene& scene, std::string_view values) {
  const auto q = read_values(scene, values);
  if (!q.ok()) return q.error();
  DistanceScratch scratch;
  const auto distances = measure_pairs(scene, q.value(), measure_exactly, scratch);
  return Json{{"hash", scene.hash().hex()}, {"pairs", distances_json(scene, distances, true)}}
      .dump();
}

}  // namespace proven::tools
