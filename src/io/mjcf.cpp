// MJCF to URDF: a link for each body, at the body's frame; empty links between its joints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/mjcf_model.h"
#include "io/text.h"

namespace proven::io {

bool MjcfModel::is_excluded(int body_a, int body_b) const {
  return std::any_of(excludes.begin(), excludes.end(), [&](const auto& pair) {
    return pair == std::pair(body_a, body_b) || pair == std::pair(body_b, body_a);
  });
}

bool MjcfModel::is_joined(int body_a, int body_b) const {
  const auto weld = [&](int body) { return bodies[static_cast<std::size_t>(body)].weld; };
  const int a = weld(body_a), b = weld(body_b);
  if (a == b) return true;
  if (a == 0 || b == 0) return false;
  const auto parent = [&](int body) { return weld(bodies[static_cast<std::size_t>(body)].parent); };
  return parent(a) == b || parent(b) == a;
}

bool MjcfModel::touches(int body_a, const MjcfPart& a, int body_b, const MjcfPart& b) const {
  const bool bits = (a.contype & b.conaffinity) != 0 || (b.contype & a.conaffinity) != 0;
  return bits && !is_joined(body_a, body_b) && !is_excluded(body_a, body_b);
}

namespace {

constexpr const char* kAll = "all";  // the group of the named states

class MjcfConverter {
 public:
  explicit MjcfConverter(MjcfModel model) : model_(std::move(model)) {}

  ConvertedRobot convert() {
    Robot& robot = out_.robot;
    robot.name = model_.name;
    out_.meshes = std::move(model_.meshes);
    for (const MjcfBody& body : model_.bodies) {
      out_.link_names.insert(body.name);
      for (const MjcfJoint& joint : body.joints) out_.joint_names.insert(joint.name);
    }
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) add_body(static_cast<int>(i));
    add_exclusions();
    add_states();
    if (const auto noted = counted(model_.file->passed().noted); !noted.empty())
      robot.warnings.push_back(fmt::format("not read, as it moves and collides with nothing: {}",
                                           fmt::join(noted, ", ")));
    for (const auto& [what, times] : model_.file->passed().ignored) model_.left_out[what] += times;
    robot.ignored = counted(model_.left_out);
    if (!robot.ignored.empty())
      robot.warnings.push_back(
          fmt::format("left out, as asked: {}", fmt::join(robot.ignored, ", ")));
    for (std::string& note : model_.notes) robot.warnings.push_back(std::move(note));
    if (!out_.meshes.empty())
      robot.warnings.push_back("meshes collide as their convex hulls, as in MuJoCo");
    return std::move(out_);
  }

 private:
  MjcfBody& body(int index) { return model_.bodies[static_cast<std::size_t>(index)]; }

  void add_body(int index) {
    MjcfBody& b = body(index);
    if (index == 0)
      out_.add_link(b.name);
    else if (b.joints.empty())
      out_.add_fixed(body(b.parent).name, b.name, b.X);
    else
      add_joints(index);
    for (std::size_t i = 0; i < b.parts.size(); ++i) {
      MjcfPart& part = b.parts[i];
      part.link = b.name;
      if (i > 0) {
        part.link = out_.new_link_name(b.name + "_geoms");
        out_.add_fixed(b.name, part.link, Pose{});
      }
      out_.link(part.link).collision = part.elements;
    }
  }

  // Each joint turns or moves the frame that the body has after the joints before it. A hinge turns
  // about its `pos`, so the link behind it stands there, and the body's frame is put back behind
  // the last.
  void add_joints(int index) {
    const MjcfBody& b = body(index);
    std::string parent = body(b.parent).name;
    Pose X = b.X;  // the body's frame in the link `parent`
    for (std::size_t i = 0; i < b.joints.size(); ++i) {
      const MjcfJoint& j = b.joints[i];
      const Vec3 pivot = j.type == JointType::revolute ? j.pos : Vec3{};
      const bool is_last = i + 1 == b.joints.size() && pivot == Vec3{};
      if (i == 0 && is_last) parent = add_spacer(index, parent);
      RobotJoint joint;
      joint.name = j.name;
      joint.type = j.type;
      joint.parent_link = parent;
      joint.child_link = is_last ? b.name : out_.new_link_name(b.name + "_" + j.name);
      if (j.type != JointType::floating) {  // whose values are those of the world
        joint.X_PJ = X * Pose::translation(pivot);
        Pose back;  // the value `ref` is where the body stands in the file
        if (j.ref != 0 && j.type == JointType::revolute) back.R = rotation(j.axis, -j.ref);
        if (j.type == JointType::prismatic) back.p = -j.ref * j.axis;
        joint.X_PJ = joint.X_PJ * back;
        joint.axis = j.axis;
      }
      joint.limits = j.limits;
      joint.mimic = j.mimic;
      parent = joint.child_link;
      out_.add_link(parent);
      out_.robot.joints.push_back(std::move(joint));
      X = Pose::translation(-pivot);
    }
    if (parent != b.name) out_.add_fixed(parent, b.name, X);
  }

  // Links that share a joint are not tested; where MuJoCo tests them, an empty link comes between.
  std::string add_spacer(int index, const std::string& parent) {
    const MjcfBody &b = body(index), &above = body(b.parent);
    if (b.parts.empty() || above.parts.empty() ||
        !model_.touches(index, b.parts[0], b.parent, above.parts[0]))
      return parent;
    const std::string spacer = out_.new_link_name(b.name + "_mount");
    out_.add_fixed(parent, spacer, Pose{});
    return spacer;
  }

  void add_exclusions() {
    std::set<std::pair<std::string, std::string>> joined;  // not tested by themselves
    for (const RobotJoint& joint : out_.robot.joints)
      joined.insert(std::minmax(joint.parent_link, joint.child_link));
    std::vector<std::pair<int, const MjcfPart*>> parts;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      for (const MjcfPart& part : model_.bodies[i].parts)
        parts.emplace_back(static_cast<int>(i), &part);
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t k = i + 1; k < parts.size(); ++k) {
        const auto& [body_a, a] = parts[i];
        const auto& [body_b, b] = parts[k];
        if (model_.touches(body_a, *a, body_b, *b) ||
            joined.contains(std::minmax(a->link, b->link)))
          continue;
        out_.robot.disabled_pairs.push_back(
            {a->link, b->link, model_.is_joined(body_a, body_b) ? "Adjacent" : "User"});
      }
  }

  // The configuration of the file, where it is not 0, and its keyframes.
  void add_states() {
    std::vector<double> initial;
    bool is_zero = true;
    for (const MjcfBody& b : model_.bodies)
      for (const MjcfJoint& joint : b.joints) {
        is_zero &= joint.type != JointType::floating && joint.ref == 0;
        if (joint.type == JointType::floating)
          add_free(b.X, initial);
        else
          initial.push_back(joint.ref);
      }
    if (!is_zero) add_state("qpos0", initial, nullptr);
    std::set<std::string> names = {"qpos0"};
    int index = 0;
    for (const MjcfElement* key : model_.file->in_sections("keyframe")) {
      const std::string name = key->text("name").value_or(fmt::format("key_{}", index++));
      if (!names.insert(name).second)
        key->fail(fmt::format("two configurations are named {}", quote(name)));
      std::vector<double> qpos = initial;
      if (key->xml->Attribute("qpos"))
        qpos = *key->file->find_numbers(*key->xml, "qpos", initial.size());
      add_state(name, qpos, key->xml->Attribute("qpos") ? key : nullptr);
    }
    if (out_.robot.states.empty()) return;
    JointGroup group{kAll, {}};
    for (const RobotJoint& joint : out_.robot.joints)
      if (joint.type != JointType::fixed && !joint.mimic) group.joints.push_back(joint.name);
    out_.robot.groups.push_back(std::move(group));
  }

  // Position and quaternion, w first.
  static void add_free(const Pose& X, std::vector<double>& values) {
    const Mat3& R = X.R;
    // The largest of the four squares, of which 4 w^2 is the first, is at least 1/4 of their sum.
    const std::array<double, 4> squares = {
        1 + R(0, 0) + R(1, 1) + R(2, 2), 1 + R(0, 0) - R(1, 1) - R(2, 2),
        1 - R(0, 0) + R(1, 1) - R(2, 2), 1 - R(0, 0) - R(1, 1) + R(2, 2)};
    const auto largest = std::max_element(squares.begin(), squares.end());
    const double s = 2 * std::sqrt(*largest);
    std::array<double, 4> q{};
    const double x = R(2, 1) - R(1, 2), y = R(0, 2) - R(2, 0), z = R(1, 0) - R(0, 1);
    const double xy = R(0, 1) + R(1, 0), xz = R(0, 2) + R(2, 0), yz = R(1, 2) + R(2, 1);
    switch (largest - squares.begin()) {
      case 0:
        q = {s / 4, x / s, y / s, z / s};
        break;
      case 1:
        q = {x / s, s / 4, xy / s, xz / s};
        break;
      case 2:
        q = {y / s, xy / s, s / 4, yz / s};
        break;
      default:
        q = {z / s, xz / s, yz / s, s / 4};
    }
    values.insert(values.end(), {X.p.x, X.p.y, X.p.z});
    values.insert(values.end(), q.begin(), q.end());
  }

  void add_state(const std::string& name, const std::vector<double>& qpos, const MjcfElement* key) {
    GroupState state{name, kAll, {}};
    std::map<std::string, double> values;
    std::size_t at = 0;
    for (const MjcfBody& b : model_.bodies)
      for (const MjcfJoint& joint : b.joints) {
        if (joint.type == JointType::floating) {
          state.joints.emplace_back(joint.name, free_values(qpos, at, key));
          at += 7;
          continue;
        }
        values[joint.name] = qpos[at++];
        if (!joint.mimic) state.joints.push_back({joint.name, {values[joint.name]}});
      }
    for (const MjcfBody& b : model_.bodies)
      for (const MjcfJoint& joint : b.joints) {
        if (!joint.mimic || !key) continue;
        const double led =
            joint.mimic->multiplier * values[joint.mimic->joint] + joint.mimic->offset;
        if (!(std::fabs(led - values[joint.name]) <= 1e-6))
          key->fail(
              fmt::format("'qpos' puts joint {} at {}, and its coupling at {}; make them agree",
                          quote(joint.name), values[joint.name], led));
      }
    out_.robot.states.push_back(std::move(state));
  }

  static std::vector<double> free_values(const std::vector<double>& qpos, std::size_t at,
                                         const MjcfElement* key) {
    const double w = qpos[at + 3], x = qpos[at + 4], y = qpos[at + 5], z = qpos[at + 6];
    const double length = std::hypot(std::hypot(w, x), std::hypot(y, z));
    if (key && !(length > 1e-10)) key->fail("'qpos' holds a quaternion without length");
    return {qpos[at], qpos[at + 1], qpos[at + 2], x / length, y / length, z / length, w / length};
  }

  MjcfModel model_;
  ConvertedRobot out_;
};

}  // namespace

ConvertedRobot read_mjcf(const std::filesystem::path& file, const ConvertOptions& options) {
  return MjcfConverter(read_mjcf_model(file, options)).convert();
}

}  // namespace proven::io
