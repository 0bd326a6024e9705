#include "tools/view/scene_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "proven/geometry/body_geometry.h"
#include "tools/render/tessellate.h"
#include "tools/view/packed.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::ball:
      return "ball";
  }
  return "";
}

using Point = std::array<float, 3>;
struct PointHash {
  std::size_t operator()(const Point& p) const {
    std::array<std::uint32_t, 3> bits;
    std::memcpy(bits.data(), p.data(), sizeof bits);
    std::size_t hash = 0;
    for (const std::uint32_t b : bits) hash = (hash ^ b) * 0x9e3779b97f4a7c15u;
    return hash;
  }
};

// Triangles whose corners share vertices, so that the viewer can shade them smoothly.
class MeshPacker {
 public:
  void add(const CollisionElement& element) {
    add(render_detail::surface_of(element.shape), element.X_BS);
  }
  void add(const TriangleMesh& mesh, const Pose& X_BS) {
    std::vector<std::uint32_t> index;
    for (const Vec3& vertex : mesh.vertices) index.push_back(place_of(X_BS * vertex));
    for (const auto& triangle : mesh.triangles)
      for (const std::uint32_t corner : triangle) triangles_.push_back(index[corner]);
  }
  std::size_t num_triangles() const { return triangles_.size() / 3; }
  Json to_json() const {
    return {{"vertices", packed(vertices_)}, {"triangles", packed(triangles_)}};
  }

 private:
  std::uint32_t place_of(const Vec3& p) {
    // + 0.f: both zeros are one vertex.
    const Point point = {static_cast<float>(p.x) + 0.f, static_cast<float>(p.y) + 0.f,
                         static_cast<float>(p.z) + 0.f};
    const auto [place, is_new] =
        places_.try_emplace(point, static_cast<std::uint32_t>(places_.size()));
    if (is_new) vertices_.insert(vertices_.end(), point.begin(), point.end());
    return place->second;
  }

  std::vector<float> vertices_;
  std::vector<std::uint32_t> triangles_;
  std::unordered_map<Point, std::uint32_t, PointHash> places_;
};

bool is_mesh(const CollisionElement& element) {
  return std::holds_alternative<std::shared_ptr<const TriangleMesh>>(element.shape);
}

// Numbers between `low` and `high` along each axis, in steps of a 65,535th of that.
std::string in_16_bits(std::span<const Vec3> points, const Vec3& low, const Vec3& high) {
  constexpr double kMost = 65535;
  std::vector<std::uint16_t> values;
  values.reserve(3 * points.size());
  for (const Vec3& p : points)
    for (int i = 0; i < 3; ++i) {
      const double share = high[i] > low[i] ? (p[i] - low[i]) / (high[i] - low[i]) : 0;
      values.push_back(
          static_cast<std::uint16_t>(std::lround(kMost * std::clamp(share, 0.0, 1.0))));
    }
  return packed(values);
}

// Grains are the pieces of their body; the viewer draws one of them many times. They lie along the
// grid's axes, which are the body's (a body has one such shape, at no pose of its own). A million
// of them is a common size: they are rounded to what a screen can show.
Json grains_json(const Grains& grains) {
  const auto points = grains.centres();
  Vec3 low = points.front(), high = low, most = {0, 0, 0};
  for (const Vec3& p : points)
    for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
  for (const Vec3& h : grains.halves())
    for (int i = 0; i < 3; ++i) most[i] = std::max(most[i], h[i]);
  return {{"vertices", ""},
          {"triangles", ""},
          {"mesh_triangles", 0},
          {"convex_first", Json::array()},
          {"grains",
           {{"low", {low.x, low.y, low.z}},
            {"high", {high.x, high.y, high.z}},
            {"centres", in_16_bits(points, low, high)},
            {"largest", {most.x, most.y, most.z}},
            {"halves", in_16_bits(grains.halves(), {0, 0, 0}, most)},
            {"radius", grains.radius()}}}};
}

bool along_axes(const Grains& grains) {
  return grains.are_balls() ||
         (grains.R().row[0] == Vec3{1, 0, 0} && grains.R().row[1] == Vec3{0, 1, 0});
}

// An obstacle that moves or grows by the clock.
bool is_mover(const Scene& scene, const Body& body) {
  return std::ranges::any_of(scene.timed(),
                             [&](const TimedPart& part) { return part.name == body.name; });
}

}  // namespace

Json pose_json(const Pose& X) {
  Json json = Json::array();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) json.push_back(X.R(i, j));
  for (int i = 0; i < 3; ++i) json.push_back(X.p[i]);
  return json;
}

Json surface_json(const TriangleMesh& mesh) {
  MeshPacker packer;
  packer.add(mesh, Pose{});
  Json json = packer.to_json();
  json["mesh_triangles"] = packer.num_triangles();
  json["convex_first"] = Json::array();
  return json;
}

// Pieces are numbered as in a body: the triangles of its meshes, then its other elements.
Json mesh_json(const BodyGeometry& geometry) {
  if (!geometry.grains().empty() && along_axes(geometry.grains()))
    return grains_json(geometry.grains());
  MeshPacker mesh;
  for (const CollisionElement& element : geometry.elements())
    if (is_mesh(element)) mesh.add(element);
  const std::size_t num_single = mesh.num_triangles();
  Json first_of_convex = Json::array();
  for (const CollisionElement& element : geometry.elements()) {
    if (is_mesh(element)) continue;
    const std::size_t first = mesh.num_triangles();
    mesh.add(element);
    // Grains along other axes are drawn one after another, each by as many triangles.
    const std::size_t count = is_sensed(element.shape) ? geometry.grains().size() : 1;
    for (std::size_t i = 0; i < count; ++i)
      first_of_convex.push_back(first + i * ((mesh.num_triangles() - first) / count));
  }
  Json json = mesh.to_json();
  json["mesh_triangles"] = num_single;
  json["convex_first"] = std::move(first_of_convex);
  return json;
}

Json frames_json(const Scene& scene) {
  Json frames = Json::array();
  for (const Link& link : scene.tree().links()) {
    const Joint& joint = link.joint;
    Json& frame = frames.emplace_back(Json{{"name", link.name}, {"parent", link.parent}});
    frame["pose"] = pose_json(joint.X_PJ);
    if (joint.kind == JointKind::fixed) continue;
    frame["joint"] = {{"kind", name_of(joint.kind)},
                      {"axis", {joint.axis.x, joint.axis.y, joint.axis.z}},
                      {"channel", joint.coordinate},
                      {"multiplier", joint.multiplier},
                      {"offset", joint.offset}};
  }
  return frames;
}

Json body_json(const Scene& scene, const Body& body) {
  const std::size_t slash = body.name.find('/');
  const bool obstacle = body.link == 0 ? slash == std::string::npos : is_mover(scene, body);
  Json json = {{"name", body.name},
               {"frame", body.link},
               {"pose", pose_json(body.X_LB)},
               {"kind", obstacle                     ? "obstacle"
                        : slash == std::string::npos ? "attached"
                                                     : "robot"},
               {"group", body.name.substr(0, slash)}};
  if (body.grows > 0) json["grows"] = body.grows;
  return json;
}

Json bodies_json(const Scene& scene) {
  Json bodies = Json::array();
  for (const Body& body : scene.bodies()) {
    Json json = body_json(scene, body);
    json["mesh"] = bodies.size();
    bodies.push_back(std::move(json));
  }
  return bodies;
}

Json meshes_json(const Scene& scene) {
  Json meshes = Json::array();
  for (const Body& body : scene.bodies()) meshes.push_back(mesh_json(*body.geometry));
  return meshes;
}

Json pairs_json(const Scene& scene) {
  Json pairs = Json::array();
  for (const BodyPair& pair : scene.pairs()) pairs.push_back({pair.a, pair.b, pair.clearance});
  return pairs;
}

Json excluded_json(const Scene& scene) {
  Json excluded = Json::array();
  for (const ExcludedPair& pair : scene.excluded_pairs())
    excluded.push_back({{"a", pair.a},
                        {"b", pair.b},
                        {"reason", to_string(pair.reason)},
                        {"text", describe(pair.reason)},
                        {"note", pair.note}});
  return excluded;
}

Json traces_json(const Scene& scene) {
  const KinematicTree& tree = scene.tree();
  // Frames with a body somewhere below them.
  std::vector<bool> carries(static_cast<std::size_t>(tree.num_links()), false);
  for (const Body& body : scene.bodies())
    for (int link = tree.link(body.link).parent; link > 0; link = tree.link(link).parent)
      carries[static_cast<std::size_t>(link)] = true;
  Json traces = Json::array();
  std::set<int> traced;  // the two jaws of a gripper have one way
  for (const Body& body : scene.bodies()) {
    if (is_mover(scene, body) || carries[static_cast<std::size_t>(body.link)] ||
        tree.rigidly_connected(0, body.link) || !traced.insert(tree.rigid_root(body.link)).second)
      continue;
    const auto& [low, high] = body.geometry->bounds();
    const Vec3 point = body.X_LB * (0.5 * (low + high));
    traces.push_back(
        {{"name", body.name}, {"frame", body.link}, {"point", {point.x, point.y, point.z}}});
  }
  return traces;
}

}  // namespace proven::tools
