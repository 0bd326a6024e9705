#include "tools/view/visuals.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/render/tessellate.h"
#include "tools/view/scene_json.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string colour_text(const std::array<double, 4>& colour) {
  const auto byte = [](double share) { return static_cast<int>(std::lround(255 * share)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(colour[0]), byte(colour[1]), byte(colour[2]));
}

// The document's meshes; one that is there already is used again.
class Meshes {
 public:
  explicit Meshes(Json& meshes) : meshes_(meshes) {
    for (std::size_t i = 0; i < meshes.size(); ++i) places_.emplace(key_of(meshes[i]), i);
  }

  std::size_t place_of(Json mesh) {
    const auto [found, is_new] = places_.try_emplace(key_of(mesh), meshes_.size());
    if (is_new) meshes_.push_back(std::move(mesh));
    return found->second;
  }

 private:
  static std::string key_of(const Json& mesh) {
    return mesh.at("vertices").get<std::string>() + " " + mesh.at("triangles").get<std::string>();
  }

  Json& meshes_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

void add_visuals(const SceneSource& source, std::span<const RobotVisuals> visuals,
                 const Scene& scene, std::size_t most_triangles, ViewDocument& document) {
  Json list = Json::array();
  Meshes meshes(document.json()["meshes"]);
  std::size_t triangles = 0, left_out = 0;
  for (std::size_t r = 0; r < visuals.size(); ++r) {
    const std::string& robot = source.robots[r].name;
    for (const std::string& note : visuals[r].notes)
      document.json()["warnings"].push_back("visual of " + robot + ": " + note);
    for (const LinkVisuals& link : visuals[r].links)
      for (const VisualElement& visual : link.elements) {
        const TriangleMesh surface = render_detail::surface_of(visual.shape);
        const std::size_t size = surface.triangles.size();
        if (triangles + size > most_triangles) {
          ++left_out;
          continue;
        }
        triangles += size;
        Json& shown =
            list.emplace_back(Json{{"name", robot + "/" + link.link},
                                   {"frame", scene.tree().find_link(robot + "/" + link.link)},
                                   {"pose", pose_json(visual.X_LV)},
                                   {"mesh", meshes.place_of(surface_json(surface))}});
        if (!visual.colour) continue;
        shown["colour"] = colour_text(*visual.colour);
        if ((*visual.colour)[3] < 1) shown["opacity"] = (*visual.colour)[3];
      }
  }
  if (left_out > 0)
    document.json()["warnings"].push_back(
        fmt::format("{} visual shape{} left out: with them there would be more than {} triangles; "
                    "view --visuals all shows them",
                    left_out, left_out == 1 ? " is" : "s are", most_triangles));
  if (!list.empty()) document.json()["visuals"] = std::move(list);
}

}  // namespace proven::tools
