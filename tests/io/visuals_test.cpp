// What robots look like is read beside what collides, and changes nothing of that.
#include "proven/io/visuals.h"

#include <algorithm>

#include "io_support.h"
#include "proven/io/mesh_file.h"

namespace proven::test {
namespace {

constexpr std::string_view kRobot = R"(<robot name="arm">
<material name="steel"><color rgba="0.5 0.5 1 1"/></material>
<link name="foot"><visual><geometry><box size="1 1 0.1"/></geometry>
  <material name="later"/></visual></link>
<link name="arm"><collision><geometry><box size="1 0.1 0.1"/></geometry></collision>
  <visual><origin xyz="0.5 0 0"/><geometry><mesh filename="cover.obj" scale="2 1 1"/></geometry>
    <material name="steel"/></visual>
  <visual><geometry><sphere radius="0.2"/></geometry>
    <material name="later"><color rgba="1 0 0 0.25"/></material></visual>
  <visual><geometry><cylinder radius="0.1" length="1"/></geometry></visual>
  <visual><geometry><box size="1 1 1"/></geometry>
    <material name=""><color rgba="0 1 0 1"/></material></visual></link>
<joint name="turn" type="continuous"><parent link="foot"/><child link="arm"/></joint></robot>)";

std::filesystem::path write_cover(const TemporaryFolder& folder) {
  return folder.write("cover.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

TEST(Visuals, ShapesPosesAndMaterialsOfEveryLink) {
  const TemporaryFolder folder;
  write_cover(folder);
  std::vector<RobotVisuals> visuals;
  must(load_scene_source(folder.write("arm.urdf", kRobot), {}, visuals));
  ASSERT_EQ(visuals.size(), 1u);
  EXPECT_TRUE(visuals[0].notes.empty());
  ASSERT_EQ(visuals[0].links.size(), 2u);
  const LinkVisuals &foot = visuals[0].links[0], &arm = visuals[0].links[1];
  using Colour = std::array<double, 4>;
  EXPECT_EQ(foot.link, "foot");
  ASSERT_EQ(foot.elements.size(), 1u);
  EXPECT_EQ(foot.elements[0].colour, (Colour{1, 0, 0, 0.25})) << "a material that stands below";
  ASSERT_EQ(arm.elements.size(), 4u);
  const auto& mesh = std::get<std::shared_ptr<const TriangleMesh>>(arm.elements[0].shape);
  EXPECT_EQ(mesh->vertices[1], (Vec3{2, 0, 0})) << "scaled";
  EXPECT_EQ(arm.elements[0].X_LV.p, (Vec3{0.5, 0, 0}));
  EXPECT_EQ(arm.elements[0].colour, (Colour{0.5, 0.5, 1, 1}));
  EXPECT_EQ(std::get<Sphere>(arm.elements[1].shape).radius, 0.2);
  EXPECT_FALSE(arm.elements[2].colour.has_value());
  EXPECT_EQ(arm.elements[3].colour, (Colour{0, 1, 0, 1})) << "as some exporters write it";
}

TEST(Visuals, ChangeNothingThatIsProved) {
  const TemporaryFolder folder;
  write_cover(folder);
  const auto file = folder.write("arm.urdf", kRobot);
  std::vector<RobotVisuals> visuals;
  const Hash128 with = must(build_scene(must(load_scene_source(file, {}, visuals)))).hash();
  ASSERT_FALSE(visuals[0].links.empty());
  EXPECT_EQ(with, must(build_scene(must(load_scene_source(file)))).hash());
  // The same robot without anything to look at, and one that does collide elsewhere.
  std::string bare(kRobot), other(kRobot);
  for (std::size_t at = bare.find("<visual>"); at != std::string::npos; at = bare.find("<visual>"))
    bare.erase(at, bare.find("</visual>") + 9 - at);
  other.replace(other.find("size=\"1 0.1 0.1\""), 16, "size=\"1 0.1 0.2\"");
  EXPECT_EQ(with, must(load_scene(folder.write("bare.urdf", bare))).hash());
  EXPECT_NE(with, must(load_scene(folder.write("other.urdf", other))).hash());
}

// Each visual that cannot be shown is a note with its place; the others are shown.
TEST(Visuals, WhatIsWrongWithThemIsANote) {
  const TemporaryFolder folder;
  const auto file = folder.write("arm.urdf", R"(<robot name="arm"><link name="arm">
<collision><geometry><box size="1 0.1 0.1"/></geometry></collision>
<visual><geometry><mesh filename="package://nowhere/cover.dae"/></geometry></visual>
<visual><geometry><mesh filename="broken.obj"/></geometry></visual>
<visual><geometry><torus radius="1"/></geometry></visual>
<visual><geometry/></visual>
<visual><geometry><box size="1 0.1 -0.1"/></geometry></visual>
<visual><geometry><box size="1 1 1"/></geometry><material name="odd"><color rgba="1 2 3 nan"/></material></visual>
<visual><geometry><box size="1 1 1"/></geometry><material name="wood"><texture filename="oak.png"/></material></visual>
<visual><geometry><box size="1 1 1"/></geometry><material name="unknown"/></visual>
</link></robot>)");
  folder.write("broken.obj", "v 0 0 0\nf 1 2 3\n");
  std::vector<RobotVisuals> visuals;
  const SceneSource source = must(load_scene_source(file, {}, visuals));
  EXPECT_EQ(source.robots.size(), 1u);
  ASSERT_EQ(visuals.size(), 1u);
  ASSERT_EQ(visuals[0].links.size(), 1u);
  EXPECT_EQ(visuals[0].links[0].elements.size(), 3u) << "the last boxes";
  const auto noted = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(visuals[0].notes, [&](const std::string& note) {
      return std::ranges::all_of(
          words, [&](std::string_view word) { return note.find(word) != std::string::npos; });
    });
  };
  EXPECT_TRUE(noted({"arm.urdf:3", "package://nowhere", "--package"}));
  EXPECT_TRUE(noted({"arm.urdf:4", "broken.obj"}));
  EXPECT_TRUE(noted({"arm.urdf:5", "torus"}));
  EXPECT_TRUE(noted({"arm.urdf:6", "empty"}));
  EXPECT_TRUE(noted({"arm.urdf:7"}));
  EXPECT_TRUE(noted({"arm.urdf:8", "rgba"}));
  EXPECT_TRUE(noted({"arm.urdf:9", "textures are not drawn"}));
  EXPECT_TRUE(noted({"arm.urdf:10", "no material 'unknown' has a colour"}));
  EXPECT_EQ(visuals[0].notes.size(), 8u);
}

// Robots of a scene file, in its order.
TEST(Visuals, OfEveryRobotOfAScene) {
  const TemporaryFolder folder;
  write_cover(folder);
  folder.write("arm.urdf", kRobot);
  folder.write("bare.urdf", R"(<robot name="bare"><link name="box">
    <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>)");
  std::vector<RobotVisuals> visuals(7);
  const SceneSource source = must(load_scene_source(
      folder.write("cell.json", R"({"proven": 1, "robots": [{"name": "a", "urdf": "bare.urdf"},
        {"name": "b", "urdf": "arm.urdf", "pose": {"xyz": [3, 0, 0]}}]})"),
      {}, visuals));
  ASSERT_EQ(source.robots.size(), 2u);
  ASSERT_EQ(visuals.size(), 2u);
  EXPECT_TRUE(visuals[0].links.empty());
  EXPECT_EQ(visuals[1].links.size(), 2u);
}

}  // namespace
}  // namespace proven::test
