// Models of SDF that stand in files of their own: by which frame an <include> places them, and
// which file of a package is meant.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/io_support.h"
#include "proven/io/convert.h"
#include "proven/io/urdf.h"

namespace proven::test {
namespace {

// A ball of that radius at the origin of its link, which has the frame "grip" 1 m ahead.
std::string ball(const std::string& radius, const std::string& attributes = "",
                 const std::string& version = "1.9") {
  return "<sdf version=\"" + version + "\"><model name=\"ball\"" + attributes +
         "><link name=\"b\"><collision name=\"c\"><geometry><sphere><radius>" + radius +
         "</radius></sphere></geometry></collision></link>"
         "<frame name=\"grip\"><pose>1 0 0 0 0 0</pose></frame></model></sdf>";
}

std::string holder(const std::string& include) {
  return "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"/><include>" + include +
         "</include><joint name=\"j\" type=\"fixed\"><parent>a</parent><child>ball::b</child>"
         "</joint></model></sdf>";
}

class IncludedModels : public testing::Test {
 protected:
  Result<Robot> convert(const std::string& include) {
    auto converted = convert_robot(folder_.write("m.sdf", holder(include)));
    if (!converted.ok()) return converted.error();
    return parse_urdf(converted.value().urdf, "m.urdf");
  }
  Vec3 place(const std::string& include) {
    const Robot robot = must(convert(include));
    for (const RobotJoint& joint : robot.joints)
      if (joint.name == "j") return joint.X_PJ.p;
    return {};
  }
  double radius(const std::string& include) {
    const Robot robot = must(convert(include));
    for (const RobotLink& link : robot.links)
      for (const CollisionElement& element : link.collision)
        return std::get<Sphere>(element.shape).radius;
    return 0;
  }

  TemporaryFolder folder_;
};

TEST_F(IncludedModels, ArePlacedByTheirOwnFrameUnlessTheIncludeSaysAnother) {
  folder_.write("plain.sdf", ball("1"));
  folder_.write("gripped.sdf", ball("1", " placement_frame=\"grip\""));
  const std::string at = "<pose>5 0 0 0 0 0</pose>";
  EXPECT_EQ(place("<uri>plain.sdf</uri>" + at), (Vec3{5, 0, 0}));
  EXPECT_EQ(place("<uri>plain.sdf</uri><placement_frame>grip</placement_frame>" + at),
            (Vec3{4, 0, 0}));
  EXPECT_EQ(place("<uri>gripped.sdf</uri>" + at), (Vec3{4, 0, 0}));
  EXPECT_EQ(place("<uri>gripped.sdf</uri><placement_frame>b</placement_frame>" + at),
            (Vec3{5, 0, 0}));
}

// A world may include its one model: it is placed as in another model.
TEST_F(IncludedModels, OfAWorldArePlacedAlike) {
  folder_.write("plain.sdf", ball("1"));
  folder_.write("gripped.sdf", ball("1", " placement_frame=\"grip\""));
  const auto world = [&](const std::string& include, const std::string& more = "") {
    return folder_.write("w.sdf", "<sdf version=\"1.9\" xmlns:drake=\"d\"><world name=\"w\">" +
                                      more + "<include>" + include + "</include></world></sdf>");
  };
  const auto place = [&](const std::string& include) {
    const Robot robot =
        must(parse_urdf(must(convert_robot(world(include, "<drake:looks/>"))).urdf, "w.urdf"));
    return robot.joints.at(0).X_PJ.p;
  };
  const std::string at = "<pose>5 0 0 0 0 0</pose>";
  EXPECT_EQ(place("<uri>plain.sdf</uri>" + at), (Vec3{5, 0, 0}));
  EXPECT_EQ(place("<uri>plain.sdf</uri><placement_frame>grip</placement_frame>" + at),
            (Vec3{4, 0, 0}));
  EXPECT_EQ(place("<uri>gripped.sdf</uri>" + at), (Vec3{4, 0, 0}));
  EXPECT_EQ(place("<uri>gripped.sdf</uri><placement_frame>b</placement_frame>" + at),
            (Vec3{5, 0, 0}));
  const std::string uri = "<uri>plain.sdf</uri>", plugin = "<plugin><mimicJoint/></plugin>";
  EXPECT_NE(error_text(convert_robot(world(uri + plugin))).find("of a plugin"), std::string::npos);
  EXPECT_NE(error_text(convert_robot(world(uri, plugin))).find("of a plugin"), std::string::npos);
  for (const char* word : {"<drake:joint/>", "<drake:ball_constraint/>"})
    EXPECT_NE(error_text(convert_robot(world(uri, word))).find("unknown element <drake:"),
              std::string::npos)
        << word;
}

TEST_F(IncludedModels, OfAPackageAreWhatItsConfigurationNames) {
  folder_.write("ball/model.sdf", ball("1"));
  folder_.write("ball/model-1_5.sdf", ball("2", "", "1.5"));
  folder_.write("ball/model-1_10.sdf", ball("3", "", "1.10"));
  folder_.write("ball/model-1_4.sdf", ball("4", "", "1.4"));
  folder_.write("ball/other.sdf", ball("5"));
  const auto config = [&](const std::string& files) {
    folder_.write("ball/model.config", "<?xml version=\"1.0\"?><model><name>ball</name>" + files +
                                           "<author><name>x</name></author></model>");
  };
  const std::string uri = "<uri>ball</uri>";
  EXPECT_EQ(radius(uri), 1);  // without a configuration
  config("<sdf version=\"1.9\">other.sdf</sdf>");
  EXPECT_EQ(radius(uri), 5);
  config(
      "<sdf version=\"1.5\">model-1_5.sdf</sdf><sdf version=\"1.10\">model-1_10.sdf</sdf>"
      "<sdf version=\"1.4\">model-1_4.sdf</sdf>");
  EXPECT_EQ(radius(uri), 3);
  config("<sdf version=\"1.4\">model-1_4.sdf</sdf><sdf version=\"1.5\">model-1_5.sdf</sdf>");
  EXPECT_EQ(radius(uri), 2);
  config("<sdf>other.sdf</sdf>");
  EXPECT_EQ(radius(uri), 5);
  config("<sdf version=\"1.9\">missing.sdf</sdf>");
  EXPECT_NE(error_text(convert(uri)).find("there is no file"), std::string::npos);
  config("");
  EXPECT_NE(error_text(convert(uri)).find("names no file of the model"), std::string::npos);
  config("<sdf version=\"1.9\">model.sdf</sdf><sdf version=\"1.9\">other.sdf</sdf>");
  EXPECT_NE(error_text(convert(uri)).find("two files are of SDF 1.9"), std::string::npos);
}

}  // namespace
}  // namespace proven::test
