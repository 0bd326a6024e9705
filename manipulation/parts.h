// What the built-in worlds are made of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manipulation/problems.h"

namespace proven::manipulation {

// Objects stand this far above what they stand on: bodies that touch have no finite proof.
inline constexpr double kStandingGap = 0.005;

// An arm of seven joints with intersecting axes at shoulder and wrist, reach 1.02 m from the
// shoulder, and a hand with two fingers; exact primitives. Its base stands at z = 0, the shoulder
// 0.30 above.
Robot make_seven_joint_arm();
Arm describe_arm(const std::string& robot);
// A posture with the hand before the robot, its wrist bent: where problems begin.
std::vector<double> waiting_posture();

// Value of the fingers' coordinate that holds something so wide: full width, in metres.
double grip_for(double width);

// X_OT for a hand that comes along `approach` with its fingers closing along `closing` (unit,
// orthogonal; both in O) and grips at p_OT.
Pose grip_pose(const Vec3& approach, const Vec3& closing, const Vec3& p_OT);

// Quarter turns about z, exact.
Mat3 quarter_turns(int count);

// The robot on a pedestal between tables ("front", "left", "right"), each with four places, and
// nothing on them. Tables are 0.60 high.
World make_tables_world(const std::vector<std::string>& tables);
// A box that is gripped across y: from either end, or from above.
void add_box(World& world, const std::string& name, const Vec3& size);
// Any other object, standing in a row behind the robot until a problem puts it somewhere.
void add_object(World& world, Object object, std::vector<CollisionElement> elements);

// One problem in words: what stands where, what must stand where at the end.
struct Layout {
  std::string name;
  std::map<std::string, std::string> start, goal;  // object -> place
  double paper_seconds = 0, paper_deviation = 0;
  std::map<std::string, std::string> fixtures = {}, fixtures_goal = {};  // fixture -> position
  std::map<std::string, Pose> poses = {};  // X_WO at the start, of what stands on a surface
};

// What a domain has besides that of paper 003, where a motion counts as one second.
struct DomainParts {
  bool stacking = false;  // places on objects
  bool timed = false;     // an action takes as long as its motion
  bool fixtures = false;  // things with a handle and a joint
};
// The domain for an arm of so many joints.
std::string make_domain(int joints, const DomainParts& parts = {});
// Objects that `start` does not name are not part of the problem.
TaskProblem make_problem(const World& world, const Layout& layout,
                         const std::vector<std::string>& grasps);

TaskSet make_tables();
TaskSet make_dexterity(bool board);
TaskSet make_tower();
TaskSet make_packing();
TaskSet make_drawer_set();
TaskSet make_sorting();
TaskSet make_handover();

}  // namespace proven::manipulation
