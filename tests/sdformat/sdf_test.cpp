// SDF against libsdformat: frames, joints, limits and shapes of random models. It resolves frames;
// where joints put links is computed here, with its mathematics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sdf/sdf.hh>
#include <set>

#include "io/plain_robot.h"
#include "proven/io/convert.h"
#include "proven/io/scene_file.h"
#include "proven/io/urdf.h"
#include "proven/kinematics/poses.h"
#include "sdformat/random_sdf.h"

namespace proven::test {
namespace {

using ignition::math::Pose3d;
using ignition::math::Quaterniond;
using ignition::math::Vector3d;

constexpr double kTolerance = 1e-12;

void must_resolve(const sdf::Errors& errors) {
  if (!errors.empty()) throw std::runtime_error(errors[0].Message());
}

// What libsdformat says of a model, with those inside it, in the frame of the outermost.
struct TwinJoint {
  std::string name, parent, child;
  const sdf::Joint* joint = nullptr;
  Pose3d X_MJ;
  Vector3d axis;  // in the joint's frame
};
struct TwinModel {
  std::map<std::string, Pose3d> links;
  std::map<std::string, const sdf::Link*> link_elements;
  std::vector<TwinJoint> joints;

  void add(const sdf::Model& model, const std::string& scope, const Pose3d& X) {
    for (std::uint64_t i = 0; i < model.LinkCount(); ++i) {
      const sdf::Link* link = model.LinkByIndex(i);
      Pose3d pose;
      must_resolve(link->SemanticPose().Resolve(pose, "__model__"));
      links[scope + link->Name()] = X * pose;
      link_elements[scope + link->Name()] = link;
    }
    for (std::uint64_t i = 0; i < model.JointCount(); ++i) {
      TwinJoint twin;
      twin.joint = model.JointByIndex(i);
      twin.name = scope + twin.joint->Name();
      must_resolve(twin.joint->ResolveParentLink(twin.parent));
      must_resolve(twin.joint->ResolveChildLink(twin.child));
      if (twin.parent != "world") twin.parent = scope + twin.parent;
      twin.child = scope + twin.child;
      Pose3d pose;
      must_resolve(twin.joint->SemanticPose().Resolve(pose, "__model__"));
      twin.X_MJ = X * pose;
      if (const sdf::JointAxis* axis = twin.joint->Axis()) {
        must_resolve(axis->ResolveXyz(twin.axis));
        twin.axis.Normalize();
      }
      joints.push_back(std::move(twin));
    }
    for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
      const sdf::Model* inner = model.ModelByIndex(i);
      Pose3d pose;
      must_resolve(inner->SemanticPose().Resolve(pose, "__model__"));
      add(*inner, scope + inner->Name() + "::", X * pose);
    }
  }

  // Where a link is at these values of joints.
  Pose3d place(const std::string& link, const Pose3d& root,
               const std::map<std::string, double>& values) const {
    const auto joint = std::find_if(joints.begin(), joints.end(),
                                    [&](const TwinJoint& j) { return j.child == link; });
    if (joint == joints.end()) return root * links.at(link);
    Pose3d motion;
    const auto value = values.find(joint->name);
    if (value != values.end() && joint->joint->Type() == sdf::JointType::PRISMATIC)
      motion.Pos() = joint->axis * value->second;
    else if (value != values.end())
      motion.Rot() = Quaterniond(joint->axis, value->second);
    const Pose3d above = joint->parent == "world" ? root
                                                  : place(joint->parent, root, values) *
                                                        links.at(joint->parent).Inverse();
    return above * joint->X_MJ * motion * joint->X_MJ.Inverse() * links.at(link);
  }
};

double difference(const Pose& ours, const Pose3d& theirs) {
  const Vector3d& p = theirs.Pos();
  double worst = max_abs(ours.p - Vec3{p.X(), p.Y(), p.Z()});
  const ignition::math::Matrix3d R(theirs.Rot());
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      worst = std::fmax(worst, std::fabs(ours.R(i, k) - R(static_cast<std::size_t>(i),
                                                          static_cast<std::size_t>(k))));
  return std::isnan(worst) ? 1e300 : worst;
}

void expect_shape(const Shape& shape, const sdf::Geometry& geometry) {
  if (const sdf::Box* box = geometry.BoxShape()) {
    const Vec3 half = std::get<Box>(shape).half_extents;
    EXPECT_EQ(Vector3d(half.x, half.y, half.z), box->Size() * 0.5);
  } else if (const sdf::Sphere* sphere = geometry.SphereShape()) {
    EXPECT_EQ(std::get<Sphere>(shape).radius, sphere->Radius());
  } else if (const sdf::Cylinder* cylinder = geometry.CylinderShape()) {
    EXPECT_EQ(std::get<Cylinder>(shape).radius, cylinder->Radius());
    EXPECT_EQ(std::get<Cylinder>(shape).half_length, 0.5 * cylinder->Length());
  } else if (const sdf::Capsule* capsule = geometry.CapsuleShape()) {
    EXPECT_EQ(std::get<Capsule>(shape).radius, capsule->Radius());
    EXPECT_EQ(std::get<Capsule>(shape).half_length, 0.5 * capsule->Length());
  } else {
    ASSERT_TRUE(geometry.MeshShape());
    const auto& mesh = *std::get<std::shared_ptr<const TriangleMesh>>(shape);
    const Vector3d scale = geometry.MeshShape()->Scale();
    Vec3 largest;
    for (const Vec3& v : mesh.vertices)
      for (int i = 0; i < 3; ++i) largest[i] = std::fmax(largest[i], v[i]);
    EXPECT_NEAR(largest.x, 0.2 * scale.X(), 1e-7);  // STL holds floats
    EXPECT_NEAR(largest.y, 0.3 * scale.Y(), 1e-7);
    EXPECT_NEAR(largest.z, 0.1 * scale.Z(), 1e-7);
  }
}

int expect_same_collisions(const Robot& robot, const TwinModel& twin) {
  int count = 0;
  for (const auto& [name, link] : twin.link_elements) {
    const auto ours = std::ranges::find(robot.links, name, &RobotLink::name);
    EXPECT_NE(ours, robot.links.end()) << name;
    EXPECT_EQ(ours->collision.size(), link->CollisionCount()) << name;
    for (std::uint64_t i = 0; i < link->CollisionCount(); ++i, ++count) {
      const sdf::Collision* collision = link->CollisionByIndex(i);
      Pose3d X;
      must_resolve(collision->SemanticPose().Resolve(X, ""));
      EXPECT_LE(difference(ours->collision[i].X_BS, X), kTolerance) << name << " " << i;
      expect_shape(ours->collision[i].shape, *collision->Geom());
    }
  }
  return count;
}

void expect_same_limits(const Robot& robot, const TwinModel& twin) {
  for (const TwinJoint& joint : twin.joints) {
    const auto ours = std::ranges::find(robot.joints, joint.name, &RobotJoint::name);
    ASSERT_NE(ours, robot.joints.end()) << joint.name;
    const sdf::JointAxis* axis = joint.joint->Axis();
    if (!axis) continue;
    const bool limited = axis->Lower() > -1e15 && axis->Upper() < 1e15;
    EXPECT_EQ(std::isfinite(ours->limits.lower), limited) << joint.name;
    if (!limited) continue;
    EXPECT_EQ(ours->limits.lower, axis->Lower());
    EXPECT_EQ(ours->limits.upper, axis->Upper());
    EXPECT_EQ(ours->limits.velocity, axis->MaxVelocity());
  }
}

// All pairs of links are tested but those that a joint joins, and those that do not move.
int expect_pairs(const Scene& scene, const TwinModel& twin) {
  std::set<std::pair<std::string, std::string>> tested, joined;
  for (const BodyPair& pair : scene.pairs())
    tested.insert(std::minmax(scene.body(pair.a).name, scene.body(pair.b).name));
  for (const TwinJoint& joint : twin.joints)
    joined.insert(std::minmax("r/" + joint.parent, "r/" + joint.child));
  const auto is_bare = [](const auto& named) { return named.second->CollisionCount() == 0; };
  std::map<std::string, const sdf::Link*> links = twin.link_elements;
  std::erase_if(links, is_bare);
  for (auto a = links.begin(); a != links.end(); ++a)
    for (auto b = std::next(a); b != links.end(); ++b) {
      const std::pair<std::string, std::string> pair =
          std::minmax("r/" + a->first, "r/" + b->first);
      const bool moves = !scene.tree().rigidly_connected(scene.tree().find_link(pair.first),
                                                         scene.tree().find_link(pair.second));
      EXPECT_EQ(tested.contains(pair), moves && !joined.contains(pair))
          << pair.first << " " << pair.second;
    }
  return static_cast<int>(tested.size());
}

struct Seen {
  int collisions = 0, pairs = 0, nested = 0, offset_joints = 0, in_worlds = 0;
  double worst = 0;
};

void compare_model(const TemporaryFolder& folder, const std::filesystem::path& file,
                   RandomSdf& random, Seen& seen) {
  sdf::Root root;
  must_resolve(root.Load(file.string()));
  TwinModel twin;
  const sdf::Model& model = root.Model() ? *root.Model() : *root.WorldByIndex(0)->ModelByName("m");
  seen.in_worlds += root.Model() == nullptr;
  twin.add(model, "", Pose3d::Zero);
  const Pose3d X_WM = model.RawPose();

  ConvertOptions options;
  options.folder = folder.path();
  options.model = model.Name();
  const Converted converted = must(convert_robot(file, options));
  folder.write("robot.urdf", converted.urdf);
  folder.write("robot.srdf", converted.srdf);
  const Scene scene = must(load_scene(
      folder.write("scene.json",
                   "{\"proven\": 1, \"robots\": [{\"name\": \"r\", \"urdf\": \"robot.urdf\", "
                   "\"srdf\": \"robot.srdf\"}]}")));
  const Robot robot = must(load_urdf(folder.path() / "robot.urdf"));

  seen.collisions += expect_same_collisions(robot, twin);
  expect_same_limits(robot, twin);
  seen.pairs += expect_pairs(scene, twin);
  seen.nested += static_cast<int>(model.ModelCount());
  seen.offset_joints += converted.needs_srdf;
  const KinematicTree& tree = scene.tree();
  LinkPoses poses;
  for (int i = 0; i < cases(1000); ++i) {
    std::vector<double> q = tree.zero_configuration();
    std::map<std::string, double> values;
    for (int k = 0; k < tree.num_coordinates(); ++k) {
      q[static_cast<std::size_t>(k)] = random.uniform(-3, 3);
      values[tree.coordinates()[static_cast<std::size_t>(k)].name.substr(2)] =
          q[static_cast<std::size_t>(k)];
    }
    compute_poses(tree, q, poses);
    for (const auto& [link, X] : twin.links) {
      const int index = tree.find_link("r/" + link);
      ASSERT_GE(index, 0) << link;
      const double off =
          difference(poses.X_WL[static_cast<std::size_t>(index)], twin.place(link, X_WM, values));
      seen.worst = std::fmax(seen.worst, off);
      ASSERT_LE(off, kTolerance) << link;
    }
  }
}

TEST(Sdf, RandomModelsAreLibsdformats) {
  sdf::Console::Instance()->SetQuiet(true);
  Seen seen;
  const int models = std::max(10, cases(40));
  for (int model = 0; model < models; ++model) {
    SCOPED_TRACE(model);
    const TemporaryFolder folder;
    RandomSdf random(static_cast<unsigned>(model));
    compare_model(folder, random.write(folder), random, seen);
    if (HasFatalFailure()) return;
  }
  RecordProperty("worst", fmt::format("{}", seen.worst));
  EXPECT_GT(seen.collisions, 50);
  EXPECT_GT(seen.in_worlds, 0);
  EXPECT_GT(seen.pairs, 20);
  EXPECT_GT(seen.nested, 0);
  EXPECT_GT(seen.offset_joints, 0);
}

// Real robots, as libsdformat writes them after reading their URDF.
TEST(Sdf, RealRobotsAreLibsdformats) {
  PROVEN_REQUIRE_DATA("robots");
  sdf::Console::Instance()->SetQuiet(true);
  Seen seen;
  int robots = 0;
  for (const std::filesystem::path& urdf : real_urdfs()) {
    SCOPED_TRACE(urdf.filename().string());
    const TemporaryFolder folder;
    sdf::SDFPtr sdf(new sdf::SDF());
    sdf::init(sdf);
    sdf::Errors errors;
    ASSERT_TRUE(sdf::readString(plain_urdf(urdf), sdf, errors));
    RandomSdf random(1);
    compare_model(folder, folder.write("model.sdf", sdf->ToString()), random, seen);
    if (HasFatalFailure()) return;
    ++robots;
  }
  EXPECT_GE(robots, 3);
  EXPECT_GT(seen.collisions, 20);
}

}  // namespace
}  // namespace proven::test
