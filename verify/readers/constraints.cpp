// Chapter 13, continued: what frames must keep.
#include <fmt/format.h>

#include "verify/readers/scenes.h"

namespace proven::verifier {
namespace {

bool has_link(const SceneSource& scene, const std::string& name) {
  for (const RobotSource& robot : scene.robots)
    for (const RobotLink& link : robot.robot.links)
      if (name == robot.name + "/" + link.name) return true;
  return false;
}

KeptFrame kept_at(const Value& value, const SceneSource& scene) {
  value.only({"link", "frame", "cone", "axis", "direction", "box", "pose"});
  KeptFrame kept;
  kept.link = value.at("link").text();
  if (!has_link(scene, kept.link))
    value.at("link").fail(fmt::format("there is no link '{}'", kept.link));
  kept.X_LF = scene_pose_at(value.find("frame"));
  const Value *angle = value.find("cone"), *size = value.find("box");
  if (!angle == !size) value.fail("expected one of cone and box");
  if (angle) {
    if (value.find("pose")) value.fail("a cone has no pose");
    KeptCone cone;
    cone.angle = angle->number();
    if (const Value* axis = value.find("axis")) cone.axis = axis->vector();
    if (const Value* direction = value.find("direction")) cone.direction = direction->vector();
    if (!(cone.angle > 0) || cone.axis == Vec3{} || cone.direction == Vec3{})
      value.fail("a cone has an angle above 0, and an axis and a direction other than 0");
    kept.within = cone;
    return kept;
  }
  if (value.find("axis") || value.find("direction"))
    value.fail("a box has no axis and no direction");
  KeptBox box;
  box.size = size->vector();
  if (!(box.size.x > 0 && box.size.y > 0 && box.size.z > 0))
    size->fail("expected three extents above 0");
  box.X_WB = scene_pose_at(value.find("pose"));
  kept.within = box;
  return kept;
}

}  // namespace

std::vector<KeptFrame> constraints_at(const Value& root, const SceneSource& scene) {
  // Of a query the rest is for planners.
  root.only({"proven", "constraints", "joints", "group", "start", "goal", "goals"});
  root.version();
  std::vector<KeptFrame> all;
  for (const Value& value : root.at("constraints").list()) all.push_back(kept_at(value, scene));
  if (all.empty()) root.at("constraints").fail("expected at least one constraint");
  return all;
}

std::vector<KeptFrame> constraints_in(std::string_view text, const SceneSource& scene) {
  Tree tree{std::make_unique<std::filesystem::path>(), {}};
  try {
    parse_json(text, tree);
    return constraints_at(tree.root, scene);
  } catch (const Unreadable& error) {
    refuse("", error.message);  // there is no file with lines
  }
}

}  // namespace proven::verifier
