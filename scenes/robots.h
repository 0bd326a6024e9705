// Robots made from parameters: industrial six-joint arms, thin linkages, tools. Metres, real size;
// scenes scale them (assembly.h).
#pragma once

#include <string>

#include "proven/kinematics/robot.h"
#include "scenes/mesh_builder.h"

namespace proven::scenes {

// A robot under construction: meshes stay open to refinement until finish().
class RobotDraft {
 public:
  explicit RobotDraft(std::string name) { robot_.name = std::move(name); }

  void add_link(const std::string& name, TriangleMesh mesh = {});
  // The joint hangs the child, which must exist, on the parent at X_PJ.
  RobotJoint& add_joint(const std::string& name, JointType type, const std::string& parent,
                        const std::string& child, const Pose& X_PJ, const Vec3& axis = {1, 0, 0},
                        JointLimits limits = {});
  TriangleMesh& mesh(const std::string& link);
  // Refines all links but `fixed` (a link whose mesh stays as it is) to `total` triangles together
  // with it. Throws std::logic_error if that cannot be: the parameters of a scene are ours.
  void refine_to(int total, const std::string& fixed = {});
  int num_triangles() const;
  Robot finish() &&;

 private:
  Robot robot_;
  std::vector<TriangleMesh> meshes_;  // one per link
};

// The main dimensions of a six-joint arm whose forearm is level and whose lower arm stands upright
// at zero: axes z, y, y, x, y, x.
struct ArmDesign {
  double shoulder_height, shoulder_offset;  // of axis 2, from the floor and from axis 1
  double lower_arm;                         // axis 2 to axis 3
  double elbow_offset;                      // axis 3 up to axis 4
  double forearm;                           // axis 3 to the wrist centre: the reference length
  double flange;                            // wrist centre to flange
  double girth;                             // thickness of the links relative to the first design
  bool boxed_forearm;                       // a rectangular casting instead of a turned tube
  int segments;                             // of round parts
  bool bevels;                              // on edges and rims; costs two thirds of the triangles
  JointLimits limits[6];
};
ArmDesign irb_2400_like(int segments, bool bevels);
ArmDesign f_200_like(int segments, bool bevels);

enum class Tool {
  gripper,        // palm and two fingers: three bodies
  four_jaw,       // palm and four jaws: five bodies
  welding_gun,    // one body
  welding_lance,  // a gun with a long thin tip
};

struct ArmOptions {
  Tool tool = Tool::gripper;
  int triangles = 0;       // exact total
  int tool_triangles = 0;  // exact for the tool's body "gun"; 0: a share of the total
  double foot = 0;         // the base plate reaches this far below the base frame
};
// Joints joint_1 ... joint_6; links base, link_1 ... link_6 and the tool's.
Robot make_arm(const std::string& name, const ArmDesign& design, const ArmOptions& options);

// A chain of thin links of 16 triangles that stands up along z at zero, its joints' axes x and y in
// turn.
Robot make_linkage(const std::string& name, int joints, double link_length, double thickness,
                   double joint_limit);

// X of a link's frame in the root link, by joint names ("joint_1") in the order of robot.joints
// that can move. Follows the chain upwards; mimic joints are not needed here.
Pose link_pose(const Robot& robot, const std::string& link, std::span<const double> values);

}  // namespace proven::scenes
