#include "tools/view/roadmap_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "proven/kinematics/poses.h"
#include "proven/roadmap/planner.h"
#include "tools/view/colours.h"
#include "tools/view/packed.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
using roadmap::CellMask;
using roadmap::Grid;

// More edges than this hide the scene; every so many are drawn.
constexpr std::size_t kMostEdges = 12000;
constexpr int kStepsPerEdge = 4;

// The surface of the occupied cells: faces between two of them are not drawn.
class CellSurface {
 public:
  CellSurface(const Grid& grid, const CellMask& mask) : grid_(grid), mask_(mask) {
    for (const std::uint32_t cell : mask.cells())
      if (static_cast<int>(cell) != grid.outside()) add(static_cast<int>(cell));
  }
  Json to_json() const {
    return {{"vertices", packed(vertices_)},
            {"triangles", packed(triangles_)},
            {"mesh_triangles", triangles_.size() / 3},
            {"convex_first", Json::array()}};
  }

 private:
  bool occupied(const std::array<int, 3>& place) const {
    for (std::size_t i = 0; i < 3; ++i)
      if (place[i] < 0 || place[i] >= grid_.count[i]) return false;
    return mask_.test(grid_.index(place[0], place[1], place[2]));
  }
  void add(int cell) {
    const auto place = grid_.place(cell);
    const Aabb box = grid_.box(cell);
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int side : {-1, 1}) {
        auto beside = place;
        beside[axis] += side;
        if (!occupied(beside)) add_face(box, static_cast<int>(axis), side > 0);
      }
  }
  void add_face(const Aabb& box, int axis, bool high) {
    const auto first = static_cast<std::uint32_t>(vertices_.size() / 3);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const auto& [at_u, at_v] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
      Vec3 p;
      p[axis] = high ? box.hi[axis] : box.lo[axis];
      p[u] = at_u ? box.hi[u] : box.lo[u];
      p[v] = at_v ? box.hi[v] : box.lo[v];
      for (int i = 0; i < 3; ++i) vertices_.push_back(static_cast<float>(p[i]));
    }
    triangles_.insert(triangles_.end(), {first, first + 1, first + 2, first, first + 2, first + 3});
  }

  const Grid& grid_;
  const CellMask& mask_;
  std::vector<float> vertices_;
  std::vector<std::uint32_t> triangles_;
};

// The way of one point of the robot along edges.
class EdgeLines {
 public:
  EdgeLines(const Scene& scene, const JointGraph& graph, const Json& trace)
      : scene_(scene),
        graph_(graph),
        link_(trace["frame"].get<std::size_t>()),
        point_{trace["point"][0], trace["point"][1], trace["point"][2]} {}

  void add(const JointGraph::Edge& edge, std::vector<float>& lines) {
    const auto from = graph_.node(edge[0]);
    const auto to = graph_.unrolled(from, graph_.node(edge[1]));
    std::vector<double> between(from.begin(), from.end());
    Vec3 last = place(between);
    for (int step = 1; step <= kStepsPerEdge; ++step) {
      const double t = 1.0 * step / kStepsPerEdge;
      for (std::size_t k = 0; k < between.size(); ++k) between[k] = from[k] + t * (to[k] - from[k]);
      const Vec3 next = place(between);
      for (const Vec3& p : {last, next})
        for (int i = 0; i < 3; ++i) lines.push_back(static_cast<float>(p[i]));
      last = next;
    }
  }

 private:
  Vec3 place(const std::vector<double>& planned) {
    compute_poses(scene_.tree(), graph_.full(planned), poses_);
    return poses_.X_WL[link_] * point_;
  }

  const Scene& scene_;
  const JointGraph& graph_;
  std::size_t link_;
  Vec3 point_;
  LinkPoses poses_;
};

void add_edges(const Scene& scene, const roadmap::Model& model,
               const roadmap::BlockedItems& blocked, Json& json) {
  if (json["traces"].empty()) return;
  EdgeLines lines(scene, model.graph, json["traces"][0]);
  std::vector<float> left, lost;
  const std::size_t stride = model.graph.edges.size() / kMostEdges + 1;
  for (std::size_t i = 0; i < model.graph.edges.size(); i += stride)
    lines.add(model.graph.edges[i], blocked.contains(static_cast<std::uint32_t>(i)) ? lost : left);
  json["annotations"].push_back({{"kind", "lines"},
                                 {"positions", packed(lost)},
                                 {"colour", colours::kLost},
                                 {"opacity", 0.1}});
  json["annotations"].push_back({{"kind", "lines"},
                                 {"positions", packed(left)},
                                 {"colour", colours::kLeft},
                                 {"opacity", 0.3}});
}

void add_cells(const Grid& grid, const CellMask& mask, Json& json) {
  json["bodies"].push_back({{"name", "occupied cells"},
                            {"frame", 0},
                            {"pose", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}},
                            {"kind", "obstacle"},
                            {"group", "cells"},
                            {"mesh", json["meshes"].size()},
                            {"colour", colours::kOccupied},
                            {"opacity", 0.28}});
  json["meshes"].push_back(CellSurface(grid, mask).to_json());
}

}  // namespace

Result<void> add_roadmap(const SceneSource& source, const Scene& scene, bool trust_srdf_never,
                         const roadmap::Model& model, ViewDocument& document) {
  SceneSource still = source;
  still.obstacles.clear();
  const auto empty = build_scene(still, trust_srdf_never);
  const bool moving = empty.ok() && empty.value().hash() == model.scene_hash;
  if (!moving && scene.hash() != model.scene_hash)
    return bad_input("the roadmap was built for another scene");
  CellMask mask(model.grid);
  if (moving)
    for (const ObstacleSource& o : source.obstacles)
      if (auto marked = mark_obstacle(model.grid, o.elements, o.X_WB, mask); !marked.ok())
        return marked;
  roadmap::BlockedItems blocked(model.grid, model.edges_at);
  blocked.set(mask);
  const std::vector<std::uint32_t> cells = mask.cells();
  int lost = 0;
  for (std::size_t i = 0; i < model.graph.edges.size(); ++i)
    lost += blocked.contains(static_cast<std::uint32_t>(i));
  Json& json = document.json();
  if (!cells.empty()) add_cells(model.grid, mask, json);
  add_edges(scene, model, blocked, json);
  json["subtitle"] = fmt::format(
      "{}; a roadmap of {} nodes and {} arcs, {} of them blocked by {} occupied cells of {}",
      json["subtitle"].get<std::string>(), model.graph.num_nodes(), model.graph.num_edges(), lost,
      cells.size(), model.grid.num_cells());
  return {};
}

}  // namespace proven::tools
