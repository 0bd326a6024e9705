#include "proven/scene/scene.h"

namespace proven {
namespace {

Result<void> add_parts(const SceneSource& source, SceneBuilder& builder) {
  for (const RobotSource& robot : source.robots)
    if (auto done =
            builder.add_robot(robot.robot, robot.name, robot.X_WR, robot.motion, robot.late);
        !done.ok())
      return done;
  for (const ObstacleSource& obstacle : source.obstacles)
    if (auto done = builder.add_obstacle(obstacle); !done.ok()) return done;
  for (const AttachedSource& held : source.attached)
    if (auto done = builder.attach(held.name, held.link, held.elements, held.X_LB, held.touch,
                                   held.geometry);
        !done.ok())
      return done;
  return {};
}

Result<void> add_settings(const SceneSource& source, SceneBuilder& builder) {
  if (auto done = builder.set_clearance(source.clearance); !done.ok()) return done;
  for (const ExclusionSource& pair : source.exclusions)
    if (auto done = builder.exclude(pair.body_a, pair.body_b, pair.note); !done.ok()) return done;
  for (const ClearanceSource& pair : source.clearances)
    if (auto done = builder.set_pair_clearance(pair.body_a, pair.body_b, pair.clearance);
        !done.ok())
      return done;
  for (const auto& [coordinate, value] : source.home)
    if (auto done = builder.set_home(coordinate, value); !done.ok()) return done;
  return {};
}

}  // namespace

Result<Scene> build_scene(const SceneSource& source, bool trust_srdf_never) {
  SceneBuilder builder;
  builder.trust_srdf_never(source.trust_srdf_never || trust_srdf_never);
  if (auto done = add_parts(source, builder); !done.ok()) return done.error();
  if (auto done = add_settings(source, builder); !done.ok()) return done.error();
  for (const std::string& warning : source.warnings) builder.add_warning(warning);
  return std::move(builder).build();
}

}  // namespace proven
