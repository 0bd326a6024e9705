#include "verify/model.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace proven::verifier {
namespace {

using NameMap = std::map<std::string, int, std::less<>>;

[[noreturn]] void reject_scene(std::string what) {
  throw Rejected{"the scene: " + std::move(what)};
}

int find(const NameMap& names, const std::string& name, std::string_view what) {
  const auto found = names.find(name);
  if (found == names.end()) reject_scene(fmt::format("{} '{}' does not exist", what, name));
  return found->second;
}

bool has_one_value(JointType type) {
  return type == JointType::revolute || type == JointType::continuous ||
         type == JointType::prismatic;
}

// Hangs one robot into the model.
class RobotReader {
 public:
  RobotReader(const RobotSource& source, Model& model)
      : source_(source), robot_(source.robot), model_(model) {}

  void read() {
    require_rigid(source_.X_WR, "robot " + source_.name);
    connect();
    std::vector<int> waiting = {root()}, order;  // depth first, children in the order of joints
    while (!waiting.empty()) {
      order.push_back(waiting.back());
      waiting.pop_back();
      const auto& below = children_[static_cast<std::size_t>(order.back())];
      for (auto joint = below.rbegin(); joint != below.rend(); ++joint)
        waiting.push_back(find(link_names_, joint_at(*joint).child_link, "link"));
    }
    if (order.size() != robot_.links.size()) reject_scene(source_.name + ": joints form a loop");
    for (const int link : order) number_coordinates(parent_joint_[static_cast<std::size_t>(link)]);
    for (const int link : order) hang(link);
  }

 private:
  const RobotJoint& joint_at(int j) const { return robot_.joints[static_cast<std::size_t>(j)]; }

  void connect() {
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (!link_names_.emplace(robot_.links[i].name, static_cast<int>(i)).second)
        reject_scene("two links are named " + robot_.links[i].name);
    parent_joint_.assign(robot_.links.size(), -1);
    children_.resize(robot_.links.size());
    coordinate_.assign(robot_.joints.size(), -1);
    tree_link_.assign(robot_.links.size(), -1);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const RobotJoint& joint = robot_.joints[i];
      if (!joint_names_.emplace(joint.name, static_cast<int>(i)).second)
        reject_scene("two joints are named " + joint.name);
      require_rigid(joint.X_PJ, "joint " + joint.name);
      const double size = max_abs(joint.axis);
      if (joint.type != JointType::fixed && joint.type != JointType::floating &&
          !(is_finite(joint.axis) && size > 1e-9 && size < kLargestNumber))
        reject_scene("the axis of joint " + joint.name + " is zero, tiny or not finite");
      int& parent =
          parent_joint_[static_cast<std::size_t>(find(link_names_, joint.child_link, "link"))];
      if (parent >= 0) reject_scene("link " + joint.child_link + " has two parents");
      parent = static_cast<int>(i);
      children_[static_cast<std::size_t>(find(link_names_, joint.parent_link, "link"))].push_back(
          static_cast<int>(i));
    }
  }

  int root() const {
    int found = -1;
    for (std::size_t i = 0; i < parent_joint_.size(); ++i) {
      if (parent_joint_[i] >= 0) continue;
      if (found >= 0) reject_scene(source_.name + " has two root links");
      found = static_cast<int>(i);
    }
    if (found < 0) reject_scene(source_.name + " has no root link");
    return found;
  }

  void number_coordinates(int joint) {
    if (joint < 0) return;
    const JointType type = joint_at(joint).type;
    coordinate_[static_cast<std::size_t>(joint)] = model_.num_coordinates;
    if (has_one_value(type)) model_.num_coordinates += joint_at(joint).mimic ? 0 : 1;
    if (type == JointType::planar) model_.num_coordinates += 3;
    if (type == JointType::floating) model_.num_coordinates += 7;
    model_.joints.resize(static_cast<std::size_t>(model_.num_coordinates),
                         source_.name + "/" + joint_at(joint).name);
  }

  int add(Link link) {
    model_.links.push_back(std::move(link));
    return static_cast<int>(model_.links.size()) - 1;
  }

  void hang(int index) {
    const auto i = static_cast<std::size_t>(index);
    const int joint_index = parent_joint_[i];
    Link link;
    link.name = source_.name + "/" + robot_.links[i].name;
    link.parent = 0;
    link.X_PJ = GivenPose(source_.X_WR);
    if (joint_index >= 0) {
      const RobotJoint& joint = joint_at(joint_index);
      link.parent =
          tree_link_[static_cast<std::size_t>(find(link_names_, joint.parent_link, "link"))];
      link.X_PJ = GivenPose(joint.X_PJ);
      link.axis = joint.axis;
      set_motion(joint_index, link);
    }
    tree_link_[i] = add(link);
  }

  // A slide that carries `link`, which then hangs on it without a further offset.
  void insert_slide(Link& link, const Vec3& axis, Direction direction, int coordinate) {
    Link slide;
    slide.parent = link.parent;
    slide.kind = JointKind::slide;
    slide.X_PJ = link.X_PJ;
    slide.axis = axis;
    slide.direction = direction;
    slide.coordinate = coordinate;
    link.parent = add(slide);
    link.X_PJ = {};
  }

  void set_motion(int index, Link& link) {
    const RobotJoint& joint = joint_at(index);
    const int first = coordinate_[static_cast<std::size_t>(index)];
    if (joint.type == JointType::fixed) return;
    if (joint.type == JointType::planar) {
      insert_slide(link, joint.axis, Direction::plane_x, first);
      insert_slide(link, joint.axis, Direction::plane_y, first + 1);
      link.kind = JointKind::turn;
      link.coordinate = first + 2;
    } else if (joint.type == JointType::floating) {
      insert_slide(link, {1, 0, 0}, Direction::axis, first);
      insert_slide(link, {0, 1, 0}, Direction::axis, first + 1);
      insert_slide(link, {0, 0, 1}, Direction::axis, first + 2);
      link.kind = JointKind::ball;
      link.coordinate = first + 3;
    } else {
      link.kind = joint.type == JointType::prismatic ? JointKind::slide : JointKind::turn;
      follow(index, link);
    }
  }

  // Mimic joints: value = multiplier (value of the other) + offset, which may mimic in turn.
  void follow(int index, Link& link) {
    for (std::size_t steps = 0; joint_at(index).mimic; ++steps) {
      const Mimic& mimic = *joint_at(index).mimic;
      if (steps > robot_.joints.size()) reject_scene("mimic joints form a cycle");
      if (!(std::fabs(mimic.multiplier) <= kLargestNumber &&
            std::fabs(mimic.offset) <= kLargestNumber))
        reject_scene("the mimic relation of " + joint_at(index).name +
                     " is not finite, or too large");
      if (steps > 0)
        link.offset = link.multiplier * mimic.offset + link.offset;
      else
        link.offset = mimic.offset;
      link.multiplier = steps > 0 ? link.multiplier * mimic.multiplier : mimic.multiplier;
      index = find(joint_names_, mimic.joint, "joint");
      if (!has_one_value(joint_at(index).type)) reject_scene("a joint mimics " + mimic.joint);
    }
    if (!(std::max(abs(link.multiplier).hi, abs(link.offset).hi) <= kLargestNumber))
      reject_scene("a mimic relation is too large");
    const bool stuck = link.multiplier.lo == 0 && link.multiplier.hi == 0;
    link.coordinate = stuck ? -1 : coordinate_[static_cast<std::size_t>(index)];
  }

  const RobotSource& source_;
  const Robot& robot_;
  Model& model_;
  NameMap link_names_, joint_names_;
  std::vector<int> parent_joint_, coordinate_, tree_link_;
  std::vector<std::vector<int>> children_;
};

// A body that floats in the frame X_WB: what an obstacle is that moves or grows.
RobotSource floating_robot(const ObstacleSource& obstacle) {
  RobotSource source;
  source.name = obstacle.name;
  source.X_WR = obstacle.X_WB;
  source.robot.links.resize(2);
  source.robot.links[0].name = "frame";
  source.robot.links[1].name = "body";
  RobotJoint joint;
  joint.name = "motion";
  joint.type = JointType::floating;
  joint.parent_link = "frame";
  joint.child_link = "body";
  source.robot.joints = {joint};
  return source;
}

void add_timed(Model& model, const std::string& name, int first, const Motion& motion,
               double late) {
  Timed timed{name, first, model.num_coordinates - first, motion, late};
  if (!(late >= 0 && late <= kLargestNumber)) reject_scene("the lateness of " + name + " is none");
  const auto fits = [&](const std::vector<double>& q) {
    return q.size() == static_cast<std::size_t>(timed.count);
  };
  bool good = !motion.waypoints.empty() && motion.times.size() == motion.waypoints.size() &&
              (motion.inner.empty() || motion.inner.size() + 1 == motion.waypoints.size());
  for (const auto& q : motion.waypoints) good = good && fits(q);
  for (const auto& rows : motion.inner)
    for (const auto& q : rows) good = good && fits(q);
  for (std::size_t i = 0; i < motion.times.size(); ++i)
    good = good && std::fabs(motion.times[i]) <= kLargestNumber &&
           (i == 0 || motion.times[i] > motion.times[i - 1]);
  if (!good) reject_scene("the motion of " + name + " does not fit it, or has no increasing times");
  model.timed.push_back(std::move(timed));
}

void add_robots(const SceneSource& scene, Model& model) {
  for (const RobotSource& robot : scene.robots) {
    for (const std::string& what : robot.robot.ignored)
      model.ignored.push_back(robot.name + ": " + what);
    const int first = model.num_coordinates;
    RobotReader(robot, model).read();
    if (robot.motion)
      add_timed(model, robot.name, first, *robot.motion, robot.late);
    else if (robot.late != 0)
      reject_scene(robot.name + " may be late, but has no motion");
  }
  for (const ObstacleSource& obstacle : scene.obstacles) {
    if (!obstacle.motion && obstacle.late != 0)
      reject_scene(obstacle.name + " may be late, but has no motion");
    if (!obstacle.moves()) continue;
    const int first = model.num_coordinates;
    RobotReader(floating_robot(obstacle), model).read();
    add_timed(model, obstacle.name, first,
              obstacle.motion ? *obstacle.motion : Motion{{{0, 0, 0, 0, 0, 0, 1}}, {0}, {}},
              obstacle.late);
  }
}

void add_body(Model& model, Model* previous, const VerifyOptions& options, const std::string& name,
              int link, const Pose& X_LB, const std::vector<CollisionElement>& elements) {
  stop_if_cancelled(options);
  require_rigid(X_LB, name);
  Body body;
  body.name = name;
  body.link = link;
  body.X_LB = GivenPose(X_LB);
  body.elements = &elements;
  for (int l = link; l > 0 && body.moving_root == 0;
       l = model.links[static_cast<std::size_t>(l)].parent)
    if (model.links[static_cast<std::size_t>(l)].can_move()) body.moving_root = l;
  body.still = body.moving_root == 0;
  bool taken = false;
  // It mostly stands where it stood.
  const std::size_t count = previous ? previous->bodies.size() : 0;
  for (std::size_t k = 0; k < count && !taken; ++k)
    if (Body& known = previous->bodies[(model.bodies.size() + k) % count]; known.name == name)
      taken = take_body(known, body);
  if (!taken) build_body(body);
  model.sensed = model.sensed || body.sensed();
  model.bodies.push_back(std::move(body));
}

void add_bodies(const SceneSource& scene, const VerifyOptions& options, Model& model,
                Model* previous) {
  NameMap links;
  for (std::size_t i = 1; i < model.links.size(); ++i)
    if (const std::string& name = model.links[i].name; !name.empty())
      if (!links.emplace(name, static_cast<int>(i)).second)
        reject_scene("two links are named " + name);
  for (const RobotSource& robot : scene.robots)
    for (const RobotLink& link : robot.robot.links)
      if (!link.collision.empty())
        add_body(model, previous, options, robot.name + "/" + link.name,
                 find(links, robot.name + "/" + link.name, "link"), {}, link.collision);
  for (const ObstacleSource& o : scene.obstacles) {
    if (links.contains(o.name)) reject_scene("a link and an obstacle are named " + o.name);
    if (!(o.grows >= 0 && o.grows <= kLargestNumber))
      reject_scene("the growth of " + o.name + " is not a number >= 0");
    if (o.moves())
      add_body(model, previous, options, o.name, find(links, o.name + "/body", "link"), {},
               o.elements);
    else
      add_body(model, previous, options, o.name, 0, o.X_WB, o.elements);
    model.bodies.back().obstacle = true;
    model.bodies.back().grows = o.grows;
  }
  for (const AttachedSource& a : scene.attached) {
    if (links.contains(a.name)) reject_scene("a link and an object are named " + a.name);
    add_body(model, previous, options, a.name, find(links, a.link, "link"), a.X_LB, a.elements);
    model.bodies.back().held = true;
  }
}

}  // namespace

std::vector<int> Model::chain(int ancestor, int link) const {
  std::vector<int> below;
  for (; link != ancestor; link = links[static_cast<std::size_t>(link)].parent)
    below.push_back(link);
  return {below.rbegin(), below.rend()};
}

int Model::lowest_common_ancestor(int a, int b) const {
  while (a != b) {  // parents have smaller numbers
    int& larger = a > b ? a : b;
    larger = links[static_cast<std::size_t>(larger)].parent;
  }
  return a;
}

bool Model::turns_at(int coordinate) const {
  for (const Link& link : links)
    if (link.kind == JointKind::ball && link.coordinate == coordinate) return true;
  return false;
}

Model build_model(const SceneSource& scene, const VerifyOptions& options, Model* previous) {
  Model model;
  model.links.emplace_back();
  add_robots(scene, model);
  for (const auto& [joint, error] : options.tracking_error.joints)
    if (std::find(model.joints.begin(), model.joints.end(), joint) == model.joints.end())
      throw Rejected{"the tracking error names " + joint +
                     ", which is no joint that moves by itself"};
  add_bodies(scene, options, model, previous);
  build_still_tree(model);
  find_reaches(model);
  add_pairs(scene, options, model);
  return model;
}

namespace {

constexpr double kLargestTurn = 8 * (1 + 0x1p-50);  // format, section 8

void check_row(const Model& model, const std::vector<double>& q, const std::string& what) {
  if (q.size() != static_cast<std::size_t>(model.num_coordinates))
    throw Rejected{fmt::format("{} has {} values, but the scene has {} coordinates", what, q.size(),
                               model.num_coordinates)};
  for (const double value : q)
    if (!(std::fabs(value) <= kLargestNumber))
      throw Rejected{what + " holds a value that is not finite, or too large"};
}

// Between the ends of a piece a ball joint has a rotation vector, and 0 behind it.
void check_inner(const Model& model, const std::vector<std::vector<double>>& rows, std::size_t i) {
  if (rows.size() > kMaxDegree - 1)
    throw Rejected{fmt::format("piece {} has the degree {}; at most {} is allowed", i,
                               rows.size() + 1, kMaxDegree)};
  for (const std::vector<double>& row : rows) {
    check_row(model, row, fmt::format("a control point of piece {}", i));
    for (const Link& link : model.links) {
      if (link.kind != JointKind::ball) continue;
      const double* c = row.data() + link.coordinate;
      if (c[3] != 0)
        throw Rejected{fmt::format(
            "a control point of piece {} holds a rotation vector that is not followed by 0", i)};
      if (!(norm(Vec3{c[0], c[1], c[2]}) <= kLargestTurn))
        throw Rejected{fmt::format("a control point of piece {} turns by more than 8 rad", i)};
    }
  }
}

}  // namespace

void check_motion(const Model& model, const Motion& motion) {
  if (motion.waypoints.empty()) throw Rejected{"the motion has no waypoint"};
  for (std::size_t i = 0; i < motion.waypoints.size(); ++i) {
    const std::vector<double>& q = motion.waypoints[i];
    check_row(model, q, fmt::format("waypoint {}", i));
    for (const Link& link : model.links) {
      if (link.kind != JointKind::ball) continue;
      const double* c = q.data() + link.coordinate;
      const double length = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
      if (!(length > 0.5 && length < 2))
        throw Rejected{fmt::format("waypoint {} holds a quaternion that is not a unit one", i)};
    }
  }
  if (!motion.inner.empty() && motion.inner.size() != motion.waypoints.size() - 1)
    throw Rejected{fmt::format("the motion has {} pieces, but control points of {}",
                               motion.waypoints.size() - 1, motion.inner.size())};
  for (std::size_t i = 0; i < motion.inner.size(); ++i) check_inner(model, motion.inner[i], i);
}

}  // namespace proven::verifier
