#include "proven/io/urdf.h"

#include <algorithm>

#include "io_support.h"
#include "proven/io/mesh_file.h"

namespace proven::test {
namespace {

constexpr std::string_view kAllKinds = R"(<?xml version="1.0"?>
<robot name="all">
  <gazebo reference="x"/><transmission name="t"/>
  <link name="root"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="l1">
    <collision><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
      <geometry><box size="0.2 0.4 0.6"/></geometry></collision>
    <collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><sphere radius="0.3"/></geometry></collision>
    <collision><geometry><capsule radius="0.1" length="0.5"/></geometry></collision>
  </link>
  <link name="l2"/><link name="l3"/><link name="l4"/><link name="l5"/><link name="l6"/>
  <joint name="j1" type="revolute"><parent link="root"/><child link="l1"/>
    <axis xyz="0 -2 0"/><limit lower="-1" upper="2" velocity="3" effort="0"/></joint>
  <joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/>
    <mimic joint="j1" multiplier="-2" offset="0.5"/></joint>
  <joint name="j3" type="prismatic"><parent link="l2"/><child link="l3"/>
    <limit upper="0.4"/></joint>
  <joint name="j4" type="fixed"><parent link="l3"/><child link="l4"/></joint>
  <joint name="j5" type="planar"><parent link="l4"/><child link="l5"/><axis xyz="0 0 1"/></joint>
  <joint name="j6" type="floating"><parent link="l5"/><child link="l6"/></joint>
</robot>
)";

TEST(Urdf, ReadsEveryKindOfJointAndShape) {
  const TemporaryFolder folder;
  const Robot robot = must(load_urdf(folder.write("all.urdf", kAllKinds)));
  EXPECT_EQ(robot.name, "all");
  ASSERT_EQ(robot.links.size(), 7u);
  EXPECT_TRUE(robot.links[0].has_visual);
  const auto& shapes = robot.links[1].collision;
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(std::get<Box>(shapes[0].shape).half_extents, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(shapes[0].X_BS.p, (Vec3{1, 2, 3}));
  EXPECT_NEAR(shapes[0].X_BS.R(1, 0), 1, 1e-15);
  EXPECT_EQ(std::get<Cylinder>(shapes[1].shape).half_length, 0.5);
  EXPECT_EQ(std::get<Sphere>(shapes[2].shape).radius, 0.3);
  EXPECT_EQ(std::get<Capsule>(shapes[3].shape).half_length, 0.25);

  ASSERT_EQ(robot.joints.size(), 6u);
  EXPECT_EQ(robot.joints[0].axis, (Vec3{0, -2, 0}));
  EXPECT_EQ(robot.joints[0].limits.lower, -1);
  EXPECT_EQ(robot.joints[0].limits.velocity, 3);
  ASSERT_TRUE(robot.joints[1].mimic.has_value());
  EXPECT_EQ(robot.joints[1].mimic->multiplier, -2);
  EXPECT_EQ(robot.joints[1].mimic->offset, 0.5);
  EXPECT_EQ(robot.joints[1].axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(robot.joints[2].limits.lower, 0);
  EXPECT_EQ(robot.joints[2].limits.upper, 0.4);
  EXPECT_EQ(robot.joints[4].type, JointType::planar);
  EXPECT_EQ(robot.joints[5].type, JointType::floating);
  ASSERT_EQ(robot.warnings.size(), 1u);
  EXPECT_NE(robot.warnings[0].find("<gazebo> (1), <transmission> (1)"), std::string::npos);
}

// What other programs write into URDFs, in the places where they write it.
constexpr const char* kForOthers = R"(<robot name="r">
  <mujoco><compiler meshdir="meshes" discardvisual="false" angle="radian"/><option integrator="RK4"/></mujoco>
  <gazebo><plugin name="p" filename="p.so"/></gazebo><gazebo reference="a"/>
  <frame name="f" link="a" xyz="0 0 1"/>
  <link name="a" concave="yes">
    <collision group="heel" concave="yes"><geometry><sphere radius="0.1"/></geometry>
      <contact_coefficients mu="1" kp="1" kd="1"/><verbose value="0"/></collision>
    <self_collision_checking><geometry><capsule radius="1" length="1"/></geometry></self_collision_checking>
    <contact><lateral_friction value="1"/></contact>
  </link>
  <link name="b"><collision_checking><convex name="b"/></collision_checking></link>
  <joint name="j" type="revolute" dont_collapse="true">
    <parent link="a"/><child link="b"/><axis xyz="0 1 0" rpy="0 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1" command_effort="2"/>
    <joint_properties damping="1" friction="1"/><hardwareInterface>EffortJointInterface</hardwareInterface>
  </joint>
</robot>
)";

TEST(Urdf, PassesOverWhatIsForOthersAndSaysSo) {
  const TemporaryFolder folder;
  const Robot robot = must(load_urdf(folder.write("others.urdf", kForOthers)));
  EXPECT_EQ(robot.links[0].collision.size(), 1u);
  EXPECT_EQ(robot.joints[0].axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(robot.ignored, std::vector<std::string>{});
  ASSERT_EQ(robot.warnings.size(), 1u);
  for (const char* what :
       {"<mujoco> (1)", "<gazebo> (2)", "<frame> (1)", "'concave' of <link> (1)",
        "'concave' of <collision> (1)", "'group' of <collision> (1)", "<contact_coefficients> (1)",
        "<verbose> (1)", "<self_collision_checking> (1)", "<collision_checking> (1)",
        "<contact> (1)", "'dont_collapse' of <joint> (1)", "'command_effort' of <limit> (1)",
        "<joint_properties> (1)", "<hardwareInterface> (1)", "'meshdir' of <compiler> (1)"})
    EXPECT_NE(robot.warnings[0].find(what), std::string::npos) << what;
  // They are known where they belong alone.
  const std::string text = kForOthers;
  for (const auto& [from, to] : {std::pair("<frame ", "<link name=\"c\"><frame "),
                                 std::pair("<parent ", "<contact_coefficients/><parent "),
                                 std::pair("<sphere ", "<sphere group=\"1\" "),
                                 std::pair("<parent ", "<parent dont_collapse=\"true\" ")}) {
    std::string moved = text;
    moved.replace(moved.find(from), std::string(from).size(), to);
    if (std::string_view(to).starts_with("<link"))
      moved.replace(moved.find("0 0 1\"/>"), 8, "0 0 1\"/></link>");
    EXPECT_NE(error_text(load_urdf(folder.write("moved.urdf", moved))), "no error") << to;
  }
}

// A way out for what is not known: said by name, and never for what is.
TEST(Urdf, IgnoresWhatSomebodyNames) {
  const TemporaryFolder folder;
  const auto file = folder.write("closed.urdf", R"(<robot name="r">
    <link name="a" colour="red"><collision><geometry><sphere radius="1"/></geometry></collision></link>
    <link name="b"><origin xyz="0 0 1"/></link>
    <joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="1 2 3"/></joint>
    <loop_joint name="k"/><loop_joint name="l"/></robot>)");
  UrdfOptions options;
  options.ignore_elements = {"loop_joint", "origin", "collision"};
  EXPECT_NE(error_text(load_urdf(file, options)).find("unknown attribute 'colour' of <link>"),
            std::string::npos);
  EXPECT_NE(error_text(load_urdf(file, options)).find("--ignore-elements colour passes it over"),
            std::string::npos);
  options.ignore_elements.insert("colour");
  const Robot robot = must(load_urdf(file, options));
  EXPECT_EQ(robot.ignored,
            (std::vector<std::string>{"'colour' of <link> (1)", "<loop_joint> in <robot> (2)",
                                      "<origin> in <link> (1)"}));
  EXPECT_EQ(robot.links[0].collision.size(), 1u);
  EXPECT_EQ(robot.joints[0].X_PJ.p, (Vec3{1, 2, 3}));
  ASSERT_EQ(robot.warnings.size(), 1u);
  EXPECT_NE(robot.warnings[0].find("left out, as asked: 'colour' of <link> (1)"),
            std::string::npos);
}

// What is neither read nor known to be harmless is an error that names the nearest word.
TEST(Urdf, RefusesWhatItDoesNotKnow) {
  const TemporaryFolder folder;
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text(kAllKinds);
    return text.replace(text.find(from), from.size(), to);
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {with("rpy=", "quat_xyzw="), "unknown attribute 'quat_xyzw' of <origin>"},
      {with("rpy=", "rpz="), "did you mean 'rpy'?"},
      {with("<cylinder radius", "<cylinder radiuss"), "did you mean 'radius'?"},
      {with("multiplier=", "multplier="), "did you mean 'multiplier'?"},
      {with("<limit lower", "<limits lower"), "did you mean 'limit'?"},
      {with("upper=\"2\"", "uper=\"2\""), "did you mean 'upper'?"},
      {with("<gazebo ", "<gazebos "), "unknown element <gazebos> in <robot>"},
      {with("<axis xyz=\"0 -2 0\"/>", "<axis xyz=\"0 -2 0\">0 1 0</axis>"), "the text '0 1 0'"},
      {with("<link name=\"l2\"/>", "<link name=\"l2\"><xacro:a/></link>"),
       "is xacro, not URDF; run: proven convert"},
  };
  for (const auto& [text, words] : cases) {
    const std::string error = error_text(load_urdf(folder.write("bad.urdf", text)));
    EXPECT_NE(error.find(words), std::string::npos) << error;
    EXPECT_NE(error.find("bad.urdf:"), std::string::npos) << error;
  }
  const std::string known =
      with("<link name=\"l2\"/>",
           "<link name=\"l2\"><drake:a b=\"1\"/><inertial><mass/></inertial></link>");
  EXPECT_EQ(error_text(load_urdf(folder.write("good.urdf", known))), "no error");
}

std::string one_mesh(const std::string& attributes) {
  return "<robot name=\"r\"><link name=\"a\"><collision><geometry><mesh " + attributes +
         "/></geometry></collision></link></robot>";
}

constexpr std::string_view kMesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n";

// A package that is mapped is there and nowhere else.
TEST(Urdf, MappedPackagesAreFinal) {
  const TemporaryFolder folder;
  folder.write("ws/bot/meshes/a.obj", kMesh);
  folder.write("other/b.obj", kMesh);
  const auto file =
      folder.write("ws/bot/urdf/bot.urdf", one_mesh("filename=\"package://bot/meshes/a.obj\""));
  EXPECT_EQ(error_text(load_urdf(file)), "no error");
  const auto error_of = [&](const std::string& name, const std::filesystem::path& place) {
    UrdfOptions options;
    options.packages[name] = place;
    return error_text(load_urdf(file, options));
  };
  EXPECT_EQ(error_of("bot", folder.path() / "ws/bot"), "no error");
  EXPECT_NE(error_of("bot", folder.path() / "other").find("and nowhere else"), std::string::npos);
  EXPECT_NE(error_of("bot", folder.path() / "none").find("which is no folder"), std::string::npos);
  EXPECT_NE(error_of("bot", folder.path() / "other/b.obj").find("which is no folder"),
            std::string::npos);
  EXPECT_NE(error_of("bto", folder.path() / "other").find("but nothing names it"),
            std::string::npos);
  // A package that is only drawn is named too.
  const auto drawn =
      folder.write("drawn.urdf",
                   "<robot name=\"r\"><link name=\"l\"><visual><geometry>"
                   "<mesh filename=\"package://look/a.dae\"/></geometry></visual></link></robot>");
  UrdfOptions options;
  options.packages["look"] = folder.path() / "other";
  EXPECT_EQ(error_text(load_urdf(drawn, options)), "no error");
}

TEST(Urdf, FindsMeshesWhereverTheyMayBe) {
  const TemporaryFolder folder;
  folder.write("ws/bot_description/package.xml", "<package><name>bot_package</name></package>");
  const auto mesh = folder.write("ws/bot_description/meshes/a.obj", kMesh);
  const std::string urdf = "ws/bot_description/urdf/bot.urdf";
  for (const std::string& name :
       {std::string("../meshes/a.obj"), mesh.string(), "file://" + mesh.string(),
        std::string("package://bot_description/meshes/a.obj"),
        std::string("package://bot_package/meshes/a.obj")}) {
    const Result<Robot> robot =
        load_urdf(folder.write(urdf, one_mesh("filename=\"" + name + "\"")));
    EXPECT_EQ(error_text(robot), "no error");
  }
  UrdfOptions options;
  options.packages["elsewhere"] = folder.path() / "ws/bot_description/meshes";
  EXPECT_EQ(error_text(load_urdf(
                folder.write(urdf, one_mesh("filename=\"package://elsewhere/a.obj\"")), options)),
            "no error");
  EXPECT_NE(error_text(load_urdf(folder.path() / urdf)).find("not found; tried "),
            std::string::npos);
  options = {};
  options.load_meshes = false;
  EXPECT_TRUE(must(load_urdf(folder.path() / urdf, options)).links[0].collision.empty());
}

// While it lives, the variable has the value.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST(Urdf, FindsMeshesWhereTheEnvironmentSays) {
  const TemporaryFolder folder;
  folder.write("install/share/bot/meshes/a.obj", kMesh);
  folder.write("src/bot/meshes/a.obj", kMesh);
  const auto urdf =
      folder.write("elsewhere/bot.urdf", one_mesh("filename=\"package://bot/meshes/a.obj\""));
  EXPECT_NE(error_text(load_urdf(urdf)).find("--package bot=FOLDER"), std::string::npos);
  const std::string nowhere = (folder.path() / "nowhere").string();
  const auto source = [&] {
    return std::filesystem::path(must(load_urdf(urdf)).links[0].collision[0].source)
        .lexically_relative(folder.path());
  };
  {
    const Environment ros("ROS_PACKAGE_PATH", nowhere + "::" + (folder.path() / "src").string());
    EXPECT_EQ(source(), "src/bot/meshes/a.obj");
    const Environment ament("AMENT_PREFIX_PATH", (folder.path() / "install").string());
    EXPECT_EQ(source(), "install/share/bot/meshes/a.obj");
  }
  const Environment package("ROS_PACKAGE_PATH", (folder.path() / "src/bot").string());
  EXPECT_EQ(source(), "src/bot/meshes/a.obj");
}

// Some exporters write package:/// and no package.
TEST(Urdf, FindsMeshesOfAPackageWithoutAName) {
  const TemporaryFolder folder;
  const auto mesh = folder.write("ws/meshes/a.obj", kMesh);
  for (const std::string& name :
       {std::string("package:///meshes/a.obj"), "package://" + mesh.string()})
    EXPECT_EQ(error_text(load_urdf(
                  folder.write("ws/urdf/bot.urdf", one_mesh("filename=\"" + name + "\"")))),
              "no error");
}

TEST(Urdf, NamesAllMissingMeshesAtOnce) {
  const TemporaryFolder folder;
  folder.write("there.obj", kMesh);
  std::string text = "<robot name=\"\">\n<link name=\"a\">\n";
  for (const char* name : {"one.obj", "there.obj", "package://far/two.obj", "one.obj"})
    text += "<collision><geometry><mesh filename=\"" + std::string(name) +
            "\"/></geometry></collision>\n";
  const std::string error =
      error_text(load_urdf(folder.write("bot.urdf", text + "</link>\n</robot>")));
  EXPECT_NE(error.find("bot.urdf:3: 2 meshes are missing: mesh 'one.obj' not found"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("line 5: mesh 'package://far/two.obj' not found"), std::string::npos);
  EXPECT_NE(error.find("--package far=FOLDER"), std::string::npos);
  EXPECT_EQ(error.find("there.obj' not"), std::string::npos);
}

TEST(Urdf, AnEmptyNameIsTheFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(
      must(load_urdf(folder.write("bot.urdf", "<robot name=\" \"><link name=\"a\"/></robot>")))
          .name,
      "bot");
}

TEST(Urdf, LoadsAMeshOnceAndMirrorsIt) {
  const TemporaryFolder folder;
  folder.write("a.obj", kMesh);
  const std::string collision =
      "<collision><geometry><mesh filename=\"a.obj\" scale=\"SCALE\"/></geometry></collision>";
  const auto with = [&](const std::string& scale) {
    std::string text = collision;
    return text.replace(text.find("SCALE"), 5, scale);
  };
  const Robot robot = must(
      load_urdf(folder.write("r.urdf", "<robot name=\"r\"><link name=\"a\">" + with("1 1 1") +
                                           with("1 1 1") + with("-1 1 1") + "</link></robot>")));
  const auto mesh = [&](std::size_t i) {
    return std::get<std::shared_ptr<const TriangleMesh>>(robot.links[0].collision[i].shape);
  };
  EXPECT_EQ(mesh(0), mesh(1));
  EXPECT_EQ(mesh(2)->vertices[1].x, -1);
  EXPECT_EQ(mesh(2)->triangles[0], (std::array<std::uint32_t, 3>{0, 2, 1}));
}

TEST(Urdf, ConvexMeshesAreHulls) {
  const TemporaryFolder folder;
  folder.write("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n");
  const Robot robot = must(load_urdf(
      folder.write("r.urdf", one_mesh("filename=\"points.obj\" convex=\"true\" scale=\"2 2 2\""))));
  const auto hull = std::get<std::shared_ptr<const ConvexHull>>(robot.links[0].collision[0].shape);
  ASSERT_EQ(hull->points.size(), 4u);
  EXPECT_EQ(hull->points[1], (Vec3{2, 0, 0}));
}

bool warns(const Robot& robot, std::string_view text) {
  return std::any_of(robot.warnings.begin(), robot.warnings.end(),
                     [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

TEST(Urdf, WarnsOfImplausibleUnits) {
  const TemporaryFolder folder;
  const Robot large = must(load_urdf(
      folder.write("l.urdf",
                   "<robot name=\"r\"><link name=\"a\"><collision><geometry><box size=\"11 1 1\"/>"
                   "</geometry></collision></link></robot>")));
  EXPECT_TRUE(warns(large, "in millimetres?"));
  const Robot small = must(load_urdf(folder.write(
      "s.urdf",
      "<robot name=\"r\"><link name=\"a\"><collision><geometry><sphere radius=\"1e-5\"/>"
      "</geometry></collision></link></robot>")));
  EXPECT_TRUE(warns(small, "in another unit?"));
  const Robot degrees = must(load_urdf(
      folder.write("d.urdf",
                   "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" "
                   "type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>"
                   "<limit lower=\"-90\" upper=\"90\"/></joint></robot>")));
  EXPECT_TRUE(warns(degrees, "in degrees?"));
}

}  // namespace
}  // namespace proven::test
