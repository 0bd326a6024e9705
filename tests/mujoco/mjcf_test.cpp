// MJCF against MuJoCo itself: bodies, geoms, limits, couplings and contacts of random models.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "io/plain_robot.h"
#include "mujoco/random_mjcf.h"
#include "proven/io/convert.h"
#include "proven/io/scene_file.h"
#include "proven/io/urdf.h"
#include "proven/kinematics/poses.h"

namespace proven::test {
namespace {

constexpr double kTolerance = 1e-12;

struct FreeMuJoCo {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

// One model, as MuJoCo and as we read it.
class Twins {
 public:
  // `ours`: the same in words that this MuJoCo does not know yet.
  Twins(const TemporaryFolder& folder, const std::filesystem::path& file,
        const std::filesystem::path& ours = {}) {
    mju_user_warning = [](const char*) {};
    mju_user_error = [](const char* text) { throw std::runtime_error(text); };
    char error[1000] = "";
    model_.reset(mj_loadXML(file.c_str(), nullptr, error, sizeof(error)));
    if (!model_) throw std::runtime_error(error);
    data_.reset(mj_makeData(model_.get()));
    ConvertOptions options;
    options.folder = folder.path();
    options.planes = Planes::box;
    const Converted converted = must(convert_robot(ours.empty() ? file : ours, options));
    folder.write("robot.urdf", converted.urdf);
    folder.write("robot.srdf", converted.srdf);
    const auto scene =
        folder.write("scene.json",
                     "{\"proven\": 1, \"robots\": [{\"name\": \"r\", \"urdf\": \"robot.urdf\", "
                     "\"srdf\": \"robot.srdf\"}]}");
    SceneOptions loading;
    loading.allow_empty = true;
    scene_.emplace(must(load_scene(scene, loading)));
    robot_ = must(load_urdf(folder.path() / "robot.urdf"));
  }

  const mjModel& model() const { return *model_; }
  mjData& data() const { return *data_; }
  const Scene& scene() const { return *scene_; }
  const Robot& robot() const { return robot_; }

  std::string body_name(int body) const {
    return body == 0 ? "world" : mj_id2name(model_.get(), mjOBJ_BODY, body);
  }
  const Pose& pose(const std::string& link) const {
    const int index = scene_->tree().find_link("r/" + link);
    if (index < 0) throw std::runtime_error("no link " + link);
    return poses_.X_WL[static_cast<std::size_t>(index)];
  }

  // The same configuration on both sides; followers where our couplings put them.
  void set(RandomMjcf& random) {
    const KinematicTree& tree = scene_->tree();
    std::vector<double> q = tree.zero_configuration();
    for (int i = 0; i < tree.num_coordinates(); ++i)
      q[static_cast<std::size_t>(i)] = random.uniform(-3, 3);
    for (int j = 0; j < model_->njnt; ++j) {
      const std::string name = std::string("r/") + mj_id2name(model_.get(), mjOBJ_JOINT, j);
      double* qpos = data_->qpos + model_->jnt_qposadr[j];
      if (model_->jnt_type[j] == mjJNT_FREE) {
        set_free(random, name, q, qpos);
        continue;
      }
      if (const int index = tree.find_coordinate(name); index >= 0)
        *qpos = q[static_cast<std::size_t>(index)];
    }
    for (const auto& mimic : tree.mimic_names()) {
      const int joint = mj_name2id(model_.get(), mjOBJ_JOINT, mimic.name.substr(2).c_str());
      data_->qpos[model_->jnt_qposadr[joint]] =
          mimic.multiplier * q[static_cast<std::size_t>(mimic.coordinate)] + mimic.offset;
    }
    compute_poses(tree, q, poses_);
    mj_fwdPosition(model_.get(), data_.get());
  }

 private:
  void set_free(RandomMjcf& random, const std::string& name, std::vector<double>& q,
                double* qpos) const {
    const auto at = static_cast<std::size_t>(scene_->tree().find_coordinate(name + ".x"));
    double norm = 0;
    for (std::size_t i = 3; i < 7; ++i) norm += q[at + i] * q[at + i];
    if (norm < 1e-3) q[at + 6] = random.uniform(1, 2);
    norm = 0;
    for (std::size_t i = 3; i < 7; ++i) norm += q[at + i] * q[at + i];
    for (std::size_t i = 3; i < 7; ++i) q[at + i] /= std::sqrt(norm);
    for (std::size_t i = 0; i < 3; ++i) qpos[i] = q[at + i];
    qpos[3] = q[at + 6];
    for (std::size_t i = 0; i < 3; ++i) qpos[4 + i] = q[at + 3 + i];
  }

  std::unique_ptr<mjModel, FreeMuJoCo> model_;
  std::unique_ptr<mjData, FreeMuJoCo> data_;
  std::optional<Scene> scene_;
  Robot robot_;
  LinkPoses poses_;
};

double difference(const Pose& X, const double* p, const double* R) {
  double worst = max_abs(X.p - Vec3{p[0], p[1], p[2]});
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) worst = std::fmax(worst, std::fabs(X.R(i, k) - R[3 * i + k]));
  return std::isnan(worst) ? 1e300 : worst;
}

// The elements of a body's links: its own, and those that hold geoms with other bits.
std::vector<std::pair<std::string, const CollisionElement*>> elements(const Robot& robot,
                                                                      const std::string& body) {
  std::vector<std::pair<std::string, const CollisionElement*>> list;
  for (const RobotLink& link : robot.links)
    if (link.name == body || link.name.starts_with(body + "_geoms"))
      for (const CollisionElement& element : link.collision) list.emplace_back(link.name, &element);
  return list;
}

// The same set of places; MuJoCo's vertices are floats, about another frame, and each there once.
bool same_vertices(const Twins& twins, int geom, const ConvexHull& hull, const Pose& X) {
  const mjModel& m = twins.model();
  const int mesh = m.geom_dataid[geom];
  const double *p = twins.data().geom_xpos + 3 * geom, *R = twins.data().geom_xmat + 9 * geom;
  std::vector<Vec3> ours, theirs;
  for (const Vec3& point : hull.points) ours.push_back(X * point);
  for (int v = 0; v < m.mesh_vertnum[mesh]; ++v) {
    const float* vertex = m.mesh_vert + 3 * (m.mesh_vertadr[mesh] + v);
    Vec3 place{p[0], p[1], p[2]};
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) place[i] += R[3 * i + k] * vertex[k];
    theirs.push_back(place);
  }
  const auto near_one = [](const Vec3& place, const std::vector<Vec3>& others) {
    return std::any_of(others.begin(), others.end(),
                       [&](const Vec3& other) { return max_abs(place - other) < 1e-6; });
  };
  return std::all_of(ours.begin(), ours.end(),
                     [&](const Vec3& place) { return near_one(place, theirs); }) &&
         std::all_of(theirs.begin(), theirs.end(),
                     [&](const Vec3& place) { return near_one(place, ours); });
}

bool same_geom(const Twins& twins, int geom, const std::string& link,
               const CollisionElement& element) {
  const mjModel& m = twins.model();
  const mjData& d = twins.data();
  const Pose X = twins.pose(link) * element.X_BS;
  const double* size = m.geom_size + 3 * geom;
  const auto near = [](double a, double b) { return std::fabs(a - b) <= kTolerance; };
  if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&element.shape))
    return m.geom_type[geom] == mjGEOM_MESH && same_vertices(twins, geom, **hull, X);
  if (m.geom_type[geom] == mjGEOM_PLANE) {  // the top of a wide box
    const auto* slab = std::get_if<Box>(&element.shape);
    const Pose top = X * Pose::translation({0, 0, slab ? slab->half_extents.z : 0});
    return slab && slab->half_extents.x >= 100 && slab->half_extents.z >= 5 &&
           difference(top, d.geom_xpos + 3 * geom, d.geom_xmat + 9 * geom) <= kTolerance;
  }
  if (!(difference(X, d.geom_xpos + 3 * geom, d.geom_xmat + 9 * geom) <= kTolerance)) return false;
  if (const auto* sphere = std::get_if<Sphere>(&element.shape))
    return m.geom_type[geom] == mjGEOM_SPHERE && near(sphere->radius, size[0]);
  if (const auto* capsule = std::get_if<Capsule>(&element.shape))
    return m.geom_type[geom] == mjGEOM_CAPSULE && near(capsule->radius, size[0]) &&
           near(capsule->half_length, size[1]);
  if (const auto* cylinder = std::get_if<Cylinder>(&element.shape))
    return m.geom_type[geom] == mjGEOM_CYLINDER && near(cylinder->radius, size[0]) &&
           near(cylinder->half_length, size[1]);
  const auto* box = std::get_if<Box>(&element.shape);
  return box && m.geom_type[geom] == mjGEOM_BOX && near(box->half_extents.x, size[0]) &&
         near(box->half_extents.y, size[1]) && near(box->half_extents.z, size[2]);
}

// A body and the bits of some of its geoms.
std::string part_of(const Twins& twins, int geom) {
  const mjModel& m = twins.model();
  return fmt::format("{} {} {}", twins.body_name(m.geom_bodyid[geom]), m.geom_contype[geom],
                     m.geom_conaffinity[geom]);
}

// Each geom that can touch is one of our elements, and there are no others. Adds of which part each
// link is.
int expect_same_geoms(const Twins& twins, std::map<std::string, std::string>& parts) {
  const mjModel& m = twins.model();
  std::set<const CollisionElement*> used;
  std::size_t ours = 0;
  for (const RobotLink& link : twins.robot().links) ours += link.collision.size();
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_contype[g] == 0 && m.geom_conaffinity[g] == 0) continue;
    bool found = false;
    for (const auto& [link, element] : elements(twins.robot(), twins.body_name(m.geom_bodyid[g])))
      if (!found && !used.contains(element) && same_geom(twins, g, link, *element)) {
        used.insert(element);
        found = true;
        EXPECT_EQ(parts.emplace("r/" + link, part_of(twins, g)).first->second, part_of(twins, g));
      }
    EXPECT_TRUE(found) << "geom " << g << " of type " << m.geom_type[g] << " of "
                       << twins.body_name(m.geom_bodyid[g]);
  }
  EXPECT_EQ(used.size(), ours);
  return static_cast<int>(ours);
}

void expect_same_limits(const Twins& twins) {
  const mjModel& m = twins.model();
  for (const RobotJoint& joint : twins.robot().joints) {
    const int j = mj_name2id(&m, mjOBJ_JOINT, joint.name.c_str());
    if (j < 0 || joint.type == JointType::floating) continue;
    EXPECT_EQ(std::isfinite(joint.limits.lower), m.jnt_limited[j] != 0) << joint.name;
    if (!m.jnt_limited[j]) continue;
    EXPECT_NEAR(joint.limits.lower, m.jnt_range[2 * j], kTolerance) << joint.name;
    EXPECT_NEAR(joint.limits.upper, m.jnt_range[2 * j + 1], kTolerance) << joint.name;
  }
}

using NamePair = std::pair<std::string, std::string>;

// Pairs of parts that MuJoCo tests, by the rule of its documentation: the bits meet, they are not
// fixed to each other, not parent and child unless one is fixed to the world, and not excluded.
std::set<NamePair> tested_by_mujoco(const mjModel& m, const Twins& twins) {
  std::set<NamePair> pairs;
  std::set<int> excluded(m.exclude_signature, m.exclude_signature + m.nexclude);
  for (int g = 0; g < m.ngeom; ++g)
    for (int h = 0; h < m.ngeom; ++h) {
      if (!(m.geom_contype[g] & m.geom_conaffinity[h])) continue;
      const int a = std::min(m.geom_bodyid[g], m.geom_bodyid[h]);
      const int b = std::max(m.geom_bodyid[g], m.geom_bodyid[h]);
      const int wa = m.body_weldid[a], wb = m.body_weldid[b];
      if (wa == wb || excluded.contains(((a + 1) << 16) + b + 1)) continue;
      const int pa = m.body_weldid[m.body_parentid[wa]], pb = m.body_weldid[m.body_parentid[wb]];
      if (wa != 0 && wb != 0 && (wa == pb || wb == pa)) continue;
      pairs.insert(std::minmax(part_of(twins, g), part_of(twins, h)));
    }
  return pairs;
}

std::set<NamePair> tested_by_us(const Scene& scene,
                                const std::map<std::string, std::string>& parts) {
  std::set<NamePair> pairs;
  for (const BodyPair& pair : scene.pairs())
    pairs.insert(std::minmax(parts.at(scene.body(pair.a).name), parts.at(scene.body(pair.b).name)));
  return pairs;
}

// What was met over all models.
struct Seen {
  int geoms = 0, couplings = 0, free_joints = 0, contacts = 0, excluded = 0, limits = 0;
  double worst = 0;
};

void compare_configuration(const Twins& twins, const std::set<NamePair>& tested, Seen& seen) {
  const mjModel& m = twins.model();
  const mjData& d = twins.data();
  for (int b = 0; b < m.nbody; ++b) {
    const double off = difference(twins.pose(twins.body_name(b)), d.xpos + 3 * b, d.xmat + 9 * b);
    seen.worst = std::fmax(seen.worst, off);
    ASSERT_LE(off, kTolerance) << twins.body_name(b);
  }
  // MuJoCo's own constraints say that followers are where they belong.
  for (int i = 0; i < d.ne; ++i, ++seen.couplings) ASSERT_LE(std::fabs(d.efc_pos[i]), kTolerance);
  for (int i = 0; i < d.ncon; ++i, ++seen.contacts) {
    const NamePair pair =
        std::minmax(part_of(twins, d.contact[i].geom1), part_of(twins, d.contact[i].geom2));
    ASSERT_TRUE(tested.contains(pair)) << pair.first << " " << pair.second;
  }
}

void compare_model(const TemporaryFolder& folder, const std::filesystem::path& file,
                   RandomMjcf& random, Seen& seen, const std::filesystem::path& ours = {}) {
  Twins twins(folder, file, ours);
  expect_same_limits(twins);
  twins.set(random);
  std::map<std::string, std::string> parts;
  seen.geoms += expect_same_geoms(twins, parts);
  const std::set<NamePair> tested = tested_by_us(twins.scene(), parts);
  EXPECT_EQ(tested, tested_by_mujoco(twins.model(), twins));
  for (int i = 0; i < cases(1000); ++i) {
    twins.set(random);
    compare_configuration(twins, tested, seen);
    if (testing::Test::HasFatalFailure()) return;
  }
  seen.excluded += twins.model().nexclude;
  for (int j = 0; j < twins.model().njnt; ++j) {
    seen.free_joints += twins.model().jnt_type[j] == mjJNT_FREE;
    seen.limits += twins.model().jnt_limited[j];
  }
}

TEST(Mjcf, RandomModelsAreMuJoCos) {
  Seen seen;
  const int models = std::max(8, cases(40));
  for (int model = 0; model < models; ++model) {
    SCOPED_TRACE(model);
    const TemporaryFolder folder;
    RandomMjcf random(static_cast<unsigned>(model));
    compare_model(folder, random.write(folder), random, seen);
    if (HasFatalFailure()) return;
  }
  RecordProperty("worst", fmt::format("{}", seen.worst));
  EXPECT_GT(seen.geoms, 50);
  EXPECT_GT(seen.couplings, 100);
  EXPECT_GT(seen.contacts, 100);
  EXPECT_GT(seen.free_joints, 0);
  EXPECT_GT(seen.excluded, 0);
  EXPECT_GT(seen.limits, 0);
}

// A pose as MuJoCo's own arithmetic composes it.
struct Placed {
  double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0};

  static Placed random(RandomMjcf& random) {
    Placed X;
    for (double& x : X.p) x = random.uniform(-0.3, 0.3);
    for (double& x : X.q) x = random.uniform(0.1, 1);
    mju_normalize4(X.q);
    return X;
  }
  Placed operator*(const Placed& inner) const {
    Placed X;
    mju_rotVecQuat(X.p, inner.p, q);
    mju_addTo3(X.p, p);
    mju_mulQuat(X.q, q, inner.q);
    return X;
  }
  std::string text() const {
    return fmt::format("pos=\"{} {} {}\" quat=\"{} {} {} {}\"", p[0], p[1], p[2], q[0], q[1], q[2],
                       q[3]);
  }
};

// <frame> is newer than the MuJoCo that tests use: with its poses put into what it holds, a model
// is the same.
TEST(Mjcf, FramesAreWhatTheyHoldMoved) {
  Seen seen;
  RandomMjcf random(7);
  for (int model = 0; model < std::max(5, cases(20)); ++model) {
    SCOPED_TRACE(model);
    const TemporaryFolder folder;
    const Placed none, outer = Placed::random(random), inner = Placed::random(random),
                       geom = Placed::random(random), body = Placed::random(random);
    double axis[3] = {0.6, 0, 0.8}, pos[3] = {0.1, -0.2, 0.05}, turned[3];
    const auto text = [&](bool flat) {
      const auto open = [&](const Placed& X, const char* more = "") {
        return flat ? std::string() : fmt::format("<frame {} {}>", X.text(), more);
      };
      const char* close = flat ? "" : "</frame>";
      const auto at = [&](const Placed& frames, const Placed& X) {
        return (flat ? frames * X : X).text();
      };
      mju_rotVecQuat(turned, axis, inner.q);
      const Placed foot = inner * Placed{{pos[0], pos[1], pos[2]}, {1, 0, 0, 0}};
      const std::string joint =
          flat ? fmt::format("axis=\"{} {} {}\" pos=\"{} {} {}\"", turned[0], turned[1], turned[2],
                             foot.p[0], foot.p[1], foot.p[2])
               : "axis=\"0.6 0 0.8\" pos=\"0.1 -0.2 0.05\"";
      const char* box = flat ? "class=\"flat\"" : "";
      return "<mujoco><compiler angle=\"radian\"/><default><default class=\"flat\">"
             "<geom type=\"box\" size=\"0.1 0.2 0.3\"/></default></default><worldbody>"
             "<geom type=\"plane\" size=\"1 1 1\" pos=\"0 0 -0.4\" quat=\"1 0.1 0 0\"/>" +
             open(outer) + "<geom type=\"sphere\" size=\"0.1\" " + at(outer, geom) + "/>" +
             open(inner, "childclass=\"flat\"") + "<geom " + box + " " + at(outer * inner, geom) +
             "/><body name=\"a\" " + at(outer * inner, body) + ">" +
             "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>" + open(inner) +
             "<joint name=\"j\" " + joint + "/>" + "<geom " + box + " " + at(inner, geom) + "/>" +
             "<geom type=\"capsule\" size=\"0.05 0.1\" " + at(inner, geom) + "/>" + close +
             "</body>" + close + close +
             "<body name=\"b\" pos=\"2 0 0\"><freejoint name=\"free\"/><geom size=\"0.2\"/></body>"
             "</worldbody></mujoco>";
    };
    compare_model(folder, folder.write("flat.xml", text(true)), random, seen,
                  folder.write("frames.xml", text(false)));
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(seen.geoms, 30);
}

// Real robots, as MuJoCo writes them after reading their URDF.
TEST(Mjcf, RealRobotsAreMuJoCos) {
  PROVEN_REQUIRE_DATA("robots");
  Seen seen;
  int robots = 0;
  for (const std::filesystem::path& urdf : real_urdfs()) {
    SCOPED_TRACE(urdf.filename().string());
    const TemporaryFolder folder;
    char error[1000] = "";
    const std::unique_ptr<mjModel, FreeMuJoCo> model(mj_loadXML(
        folder.write("plain.urdf", plain_urdf(urdf)).c_str(), nullptr, error, sizeof(error)));
    ASSERT_TRUE(model) << error;
    const std::filesystem::path file = folder.path() / "model.xml";
    ASSERT_TRUE(mj_saveLastXML(file.c_str(), model.get(), error, sizeof(error))) << error;
    RandomMjcf random(1);
    compare_model(folder, file, random, seen);
    if (HasFatalFailure()) return;
    ++robots;
  }
  EXPECT_GE(robots, 3);
  EXPECT_GT(seen.geoms, 30);
}

}  // namespace
}  // namespace proven::test
