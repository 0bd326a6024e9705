#include "proven/io/srdf.h"

#include "io_support.h"
#include "proven/io/urdf.h"

namespace proven::test {
namespace {

Robot arm() {
  return must(load_urdf(bad_input_dir() / "ok/arm.urdf"));
}

constexpr std::string_view kSrdf = R"(<robot name="arm">
  <group name="chain"><chain base_link="base" tip_link="finger"/></group>
  <group name="joints"><joint name="slide"/><joint name="missing_joint"/></group>
  <group name="links"><link name="upper"/><link name="missing_link"/></group>
  <group name="all"><group name="joints"/><group name="links"/><group name="joints"/></group>
  <end_effector name="hand" parent_link="slider" group="joints"/>
  <virtual_joint name="base_joint" type="planar" parent_frame="odom" child_link="base"/>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="base" link2="slider"/>
  <disable_collisions link1="base" link2="missing_link" reason="Never"/>
</robot>
)";

using Names = std::vector<std::string>;

TEST(Srdf, ReadsGroupsPairsAndEndEffectors) {
  const TemporaryFolder folder;
  Robot robot = arm();
  must(apply_srdf(folder.write("arm.srdf", kSrdf), robot));
  ASSERT_EQ(robot.groups.size(), 4u);
  EXPECT_EQ(robot.groups[0].joints,
            (Names{"shoulder", "slide"}));  // the mimic joint is not planned
  EXPECT_EQ(robot.groups[1].joints, (Names{"slide"}));
  EXPECT_EQ(robot.groups[2].joints, (Names{"shoulder"}));
  EXPECT_EQ(robot.groups[3].joints, (Names{"shoulder", "slide"}));
  ASSERT_EQ(robot.disabled_pairs.size(), 2u);
  EXPECT_EQ(robot.disabled_pairs[0].reason, "Adjacent");
  ASSERT_EQ(robot.end_effectors.size(), 1u);
  EXPECT_EQ(robot.end_effectors[0].parent_link, "slider");
  ASSERT_EQ(robot.warnings.size(), 2u);
  EXPECT_NE(robot.warnings[0].find("planar virtual joint 'base_joint'"), std::string::npos);
  EXPECT_NE(robot.warnings[1].find("missing_joint, missing_link"), std::string::npos);
}

TEST(Srdf, VirtualJointBecomesARealOneOnRequest) {
  const TemporaryFolder folder;
  Robot robot = arm();
  SrdfOptions options;
  options.virtual_joints = true;
  must(apply_srdf(folder.write("arm.srdf", kSrdf), robot, options));
  EXPECT_EQ(robot.links[0].name, "odom");
  EXPECT_EQ(robot.joints[0].name, "base_joint");
  EXPECT_EQ(robot.joints[0].type, JointType::planar);
  EXPECT_EQ(robot.joints[0].axis, (Vec3{0, 0, 1}));
}

TEST(Srdf, LeavesTheRobotAloneOnErrors) {
  const TemporaryFolder folder;
  Robot robot = arm();
  const auto file = folder.write("arm.srdf", std::string(kSrdf).replace(0, 6, "<robut"));
  EXPECT_FALSE(apply_srdf(file, robot).ok());
  EXPECT_TRUE(robot.disabled_pairs.empty());
}

}  // namespace
}  // namespace proven::test
