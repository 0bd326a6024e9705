// Twelve things in a muddle on one table: mugs to the left, boxes to the right. Mugs are full and
// stay upright; where things stand on a table is left to the planner.
#include <fmt/format.h>

#include "manipulation/grasps.h"
#include "manipulation/parts.h"

namespace proven::manipulation {
namespace {

constexpr double kTableTop = 0.60;
constexpr double kCone = 0.3;  // radians

Place surface_of(const std::string& table) {
  Place place;
  place.name = table + "_surface";
  place.on = table + "_table";
  place.surface = Surface{{0.42, -0.28}, {0.68, 0.28}, kTableTop + kStandingGap};
  return place;
}

void add_sampled(World& world, const std::string& name, double width,
                 std::vector<CollisionElement> elements) {
  Object object;
  object.name = name;
  object.grip = grip_for(width);
  object.grasps["top"] = sample_grasps(elements, GraspSide::top, world.arms[0].opening);
  add_object(world, std::move(object), std::move(elements));
}

}  // namespace

TaskSet make_sorting() {
  TaskSet set;
  set.name = "sorting";
  set.caption = "A seven-joint arm sorts six full mugs and six boxes";
  World& world = set.world = make_tables_world({"front", "left", "right"});
  world.places.clear();
  for (const char* table : {"front", "left", "right"}) world.places.push_back(surface_of(table));
  set.domain = make_domain(7, {.timed = true});
  Layout four, twelve;
  four.name = "four";
  twelve.name = "twelve";
  for (int i = 0; i < 12; ++i) {
    const bool mug = i % 2 == 0;
    const std::string name = fmt::format("{}_{}", mug ? "mug" : "box", i / 2 + 1);
    if (mug) {
      add_sampled(world, name, 0.07,
                  {{Cylinder{0.035, 0.045}, Pose::translation({0, 0, 0.045}), {}}});
      world.objects.back().upright = kCone;
    } else {
      add_sampled(world, name, 0.06,
                  {{Box{{0.03, 0.03, 0.04}}, Pose::translation({0, 0, 0.04}), {}}});
    }
    // Three rows of four, mugs and boxes in turn.
    const double x = 0.42 + 0.13 * (i / 4), y = -0.27 + 0.18 * ((i + i / 4) % 4);
    for (Layout* layout : {&four, &twelve}) {
      if (layout == &four && i >= 4) continue;
      layout->start[name] = "front_surface";
      layout->poses[name] = Pose::translation({x, y, kTableTop + kStandingGap});
      layout->goal[name] = mug ? "left_surface" : "right_surface";
    }
  }
  for (const Layout& layout : {four, twelve})
    set.problems.push_back(make_problem(world, layout, {"top"}));
  return set;
}

}  // namespace proven::manipulation
