// Every real robot of the data folder: poses against a twin that reads the URDF by itself, and
// motion bounds against sampled curves.
#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "kinematics/curve_sampling.h"
#include "kinematics/random_robot.h"
#include "kinematics/slow_kinematics.h"
#include "proven/io/urdf.h"
#include "proven/kinematics/poses.h"
#include "support.h"

namespace proven {
namespace {

using test::Real;
using tinyxml2::XMLElement;

std::vector<std::filesystem::path> urdf_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"robots", "motionbenchmaker"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::data_dir() / folder))
      if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

test::Triple triple(const XMLElement* element, const char* attribute, const test::Triple& missing) {
  if (element == nullptr || element->Attribute(attribute) == nullptr) return missing;
  std::istringstream words(element->Attribute(attribute));
  test::Triple values{};
  std::string word;
  for (Real& value : values) {
    words >> word;
    value = std::strtod(word.c_str(), nullptr);
  }
  return values;
}

test::SlowRobot read_urdf(const std::filesystem::path& file) {
  tinyxml2::XMLDocument document;
  EXPECT_EQ(document.LoadFile(file.c_str()), tinyxml2::XML_SUCCESS);
  test::SlowRobot robot;
  const XMLElement* joint = document.FirstChildElement("robot")->FirstChildElement("joint");
  for (; joint != nullptr; joint = joint->NextSiblingElement("joint")) {
    test::SlowJoint slow;
    slow.type = joint->Attribute("type");
    slow.parent = joint->FirstChildElement("parent")->Attribute("link");
    slow.child = joint->FirstChildElement("child")->Attribute("link");
    const XMLElement* origin = joint->FirstChildElement("origin");
    const test::Triple rpy = triple(origin, "rpy", {0, 0, 0});
    slow.origin = test::shift(triple(origin, "xyz", {0, 0, 0}));
    slow.origin = test::multiply(slow.origin, test::turn({0, 0, 1}, rpy[2]));
    slow.origin = test::multiply(slow.origin, test::turn({0, 1, 0}, rpy[1]));
    slow.origin = test::multiply(slow.origin, test::turn({1, 0, 0}, rpy[0]));
    slow.axis = triple(joint->FirstChildElement("axis"), "xyz", {1, 0, 0});
    if (const XMLElement* mimic = joint->FirstChildElement("mimic"))
      slow.mimic = Mimic{mimic->Attribute("joint"), mimic->DoubleAttribute("multiplier", 1),
                         mimic->DoubleAttribute("offset", 0)};
    robot.joints[joint->Attribute("name")] = slow;
  }
  return robot;
}

TEST(RealRobots, PosesAgreeWithATwinThatReadsTheFileItself) {
  PROVEN_REQUIRE_DATA("robots");
  Random random(31);
  for (const std::filesystem::path& file : urdf_files()) {
    SCOPED_TRACE(file.string());
    const test::SlowRobot slow = read_urdf(file);
    UrdfOptions options;
    options.load_meshes = false;
    const Result<Robot> robot = load_urdf(file, options);
    ASSERT_TRUE(robot.ok()) << robot.error().text();
    EXPECT_EQ(slow.joints.size(), robot.value().joints.size());
    KinematicTree tree;
    const Result<void> added = tree.add_robot(robot.value(), "r", Pose{});
    ASSERT_TRUE(added.ok()) << added.error().text();
    double largest = 0;
    LinkPoses poses;
    for (int n = test::cases(1000); n > 0; --n) {
      const std::vector<double> q = random_configuration(tree, random);
      const test::SlowValues values = test::slow_values(tree, q, "r");
      compute_poses(tree, q, poses);
      for (const RobotLink& link : robot.value().links) {
        const int index = tree.find_link("r/" + link.name);
        ASSERT_GE(index, 0) << link.name;
        largest = std::fmax(largest, test::difference(poses.X_WL[static_cast<std::size_t>(index)],
                                                      slow.pose(link.name, values)));
      }
    }
    std::printf("%-24s %3zu links, %2d coordinates: largest difference %.2g\n",
                file.filename().c_str(), robot.value().links.size(), tree.num_coordinates(),
                largest);
    EXPECT_LT(largest, 1e-12);
  }
}

// Vertices farthest in 26 directions; for round pieces the points of the solid itself.
std::vector<Vec3> extreme_points(const BodyGeometry& geometry) {
  std::vector<Vec3> points;
  for (double x : {-1, 0, 1})
    for (double y : {-1, 0, 1})
      for (double z : {-1, 0, 1}) {
        const Vec3 n{x, y, z};
        if (max_abs(n) == 0) continue;
        Vec3 best;
        double most = -std::numeric_limits<double>::infinity();
        const auto consider = [&](const Vec3& p) {
          if (dot(n, p) > most) most = dot(n, p), best = p;
        };
        for (const Triangle& t : geometry.triangles()) consider(t.a), consider(t.b), consider(t.c);
        for (const Convex& c : geometry.convexes())
          consider(c.core_support(n) + c.radius * normalized(n));
        points.push_back(best);
      }
  return points;
}

TEST(RealRobots, NoSampledCurveIsLongerThanItsBound) {
  PROVEN_REQUIRE_DATA("robots");
  Random random(32);
  test::BoundStatistics all;
  const std::vector<std::filesystem::path> files = urdf_files();
  constexpr int kSteps = 48;
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.string());
    const Result<Robot> robot = load_urdf(file);
    ASSERT_TRUE(robot.ok()) << robot.error().text();
    KinematicTree tree;
    ASSERT_TRUE(tree.add_robot(robot.value(), "r", Pose{}).ok());
    std::vector<test::SampledBody> bodies;
    for (const RobotLink& link : robot.value().links) {
      if (link.collision.empty()) continue;
      test::SampledBody body{tree.find_link("r/" + link.name), Pose{}, nullptr, {}};
      const auto geometry = BodyGeometry::build(link.collision);
      ASSERT_TRUE(geometry.ok()) << geometry.error().text();
      body.geometry = geometry.value();
      body.points_B = extreme_points(*body.geometry);
      bodies.push_back(std::move(body));
    }
    ASSERT_FALSE(bodies.empty());
    test::BoundStatistics statistics;
    for (int n = test::cases(40000) / static_cast<int>(files.size()) + 1; n > 0; --n) {
      const auto [qa, qb] = test::random_segment(tree, random);
      const auto body = static_cast<std::size_t>(random.index(static_cast<int>(bodies.size())));
      test::check_segment(tree, bodies[body], qa, qb, kSteps, statistics);
    }
    statistics.report(file.filename().c_str());
    EXPECT_EQ(statistics.violations, 0);
    EXPECT_GT(statistics.largest_ratio, 0.9);
    all.segments += statistics.segments;
  }
  std::printf("%d segments of real robots\n", all.segments);
}

}  // namespace
}  // namespace proven
