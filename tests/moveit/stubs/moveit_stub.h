// Stand-ins for the parts of MoveIt, rclcpp and message packages that adapters/proven_moveit uses:
// the same names, arguments and results as in their published interfaces, and as little behind them
// as the tests need. Nothing here is installed or used by the package itself.
#pragma once

#include <Eigen/Geometry>
#include <any>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace octomap {
class OcTree;
}

namespace EigenSTL {
using vector_Isometry3d =
    std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>>;
}

// --- rclcpp --------------------------------------------------------------------------------------

namespace rclcpp {

struct Logger {};
inline Logger get_logger(const std::string& /*name*/) {
  return {};
}
template <class... Values>
void log(const Logger& /*logger*/, const char* /*format*/, const Values&... /*values*/) {}
struct SystemDefaultsQoS {};

template <class Message>
class Publisher {
 public:
  using SharedPtr = std::shared_ptr<Publisher>;
  void publish(const Message& message) { published.push_back(message); }
  std::vector<Message> published;
};

class Node {
 public:
  using SharedPtr = std::shared_ptr<Node>;
  bool has_parameter(const std::string& name) const { return parameters.count(name) > 0; }
  template <class T>
  void declare_parameter(const std::string& name, const T& value) {
    parameters[name] = value;
  }
  template <class T>
  bool get_parameter(const std::string& name, T& value) const {
    const auto found = parameters.find(name);
    if (found == parameters.end()) return false;
    value = std::any_cast<T>(found->second);
    return true;
  }
  template <class Message>
  typename Publisher<Message>::SharedPtr create_publisher(const std::string& topic,
                                                          const SystemDefaultsQoS& /*qos*/) {
    auto publisher = std::make_shared<Publisher<Message>>();
    publishers[topic] = publisher;
    return publisher;
  }
  std::map<std::string, std::any> parameters;
  std::map<std::string, std::any> publishers;
};

}  // namespace rclcpp

#define RCLCPP_ERROR(...) rclcpp::log(__VA_ARGS__)
#define RCLCPP_WARN(...) rclcpp::log(__VA_ARGS__)
#define RCLCPP_INFO(...) rclcpp::log(__VA_ARGS__)

// A plugin must be one.
#define PLUGINLIB_EXPORT_CLASS(derived, base)                                                 \
  static_assert(std::is_base_of_v<base, derived> && std::is_default_constructible_v<derived>, \
                "a plugin");

// --- Messages ------------------------------------------------------------------------------------

namespace visualization_msgs::msg {

struct Marker {
  enum : int { ADD = 0, DELETEALL = 3 };
  enum : int { SPHERE = 2, TEXT_VIEW_FACING = 9 };
  struct {
    std::string frame_id;
  } header;
  std::string ns, text;
  int id = 0, type = 0, action = 0;
  struct {
    struct {
      double x = 0, y = 0, z = 0;
    } position;
    struct {
      double x = 0, y = 0, z = 0, w = 1;
    } orientation;
  } pose;
  struct {
    double x = 0, y = 0, z = 0;
  } scale;
  struct {
    float r = 0, g = 0, b = 0, a = 0;
  } color;
};
struct MarkerArray {
  std::vector<Marker> markers;
};

}  // namespace visualization_msgs::msg

namespace moveit_msgs::msg {

struct MoveItErrorCodes {
  enum : int { SUCCESS = 1, FAILURE = 99999, INVALID_MOTION_PLAN = -2 };
  int val = FAILURE;
  std::string message, source;
};
struct Constraints {
  std::vector<int> joint_constraints, position_constraints, orientation_constraints,
      visibility_constraints;
};
struct MotionPlanRequest {
  std::string group_name;
  Constraints path_constraints;
  double max_velocity_scaling_factor = 0, max_acceleration_scaling_factor = 0;
};

}  // namespace moveit_msgs::msg

// --- Shapes --------------------------------------------------------------------------------------

namespace shapes {

enum ShapeType { UNKNOWN_SHAPE, SPHERE, CYLINDER, CONE, BOX, PLANE, MESH, OCTREE };
struct Shape {
  explicit Shape(ShapeType kind) : type(kind) {}
  virtual ~Shape() = default;
  ShapeType type;
};
using ShapeConstPtr = std::shared_ptr<const Shape>;
struct Sphere : Shape {
  explicit Sphere(double r) : Shape(SPHERE), radius(r) {}
  double radius;
};
struct Cylinder : Shape {
  Cylinder(double r, double l) : Shape(CYLINDER), length(l), radius(r) {}
  double length, radius;
};
struct Cone : Shape {
  Cone(double r, double l) : Shape(CONE), length(l), radius(r) {}
  double length, radius;
};
struct Box : Shape {
  Box(double x, double y, double z) : Shape(BOX), size{x, y, z} {}
  double size[3];
};
struct Mesh : Shape {
  Mesh(unsigned vertices_, unsigned triangles_)
      : Shape(MESH),
        vertex_count(vertices_),
        triangle_count(triangles_),
        vertices(new double[3 * vertices_]),
        triangles(new unsigned[3 * triangles_]) {}
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;
  ~Mesh() override {
    delete[] vertices;
    delete[] triangles;
  }
  unsigned vertex_count, triangle_count;
  double* vertices;
  unsigned* triangles;
};
struct OcTree : Shape {
  explicit OcTree(std::shared_ptr<const octomap::OcTree> tree)
      : Shape(OCTREE), octree(std::move(tree)) {}
  std::shared_ptr<const octomap::OcTree> octree;
};

}  // namespace shapes

// --- Robots --------------------------------------------------------------------------------------

namespace moveit::core {

struct VariableBounds {
  double min_position_ = 0, max_position_ = 0, max_velocity_ = 0, max_acceleration_ = 0;
  bool position_bounded_ = false, velocity_bounded_ = false, acceleration_bounded_ = false;
};

class LinkModel;

class JointModel {
 public:
  enum JointType { UNKNOWN, REVOLUTE, PRISMATIC, PLANAR, FLOATING, FIXED };
  virtual ~JointModel() = default;
  const std::string& getName() const { return name; }
  JointType getType() const { return type; }
  const LinkModel* getParentLinkModel() const { return parent; }
  const LinkModel* getChildLinkModel() const { return child; }
  const std::vector<std::string>& getVariableNames() const { return variables; }
  std::size_t getVariableCount() const { return variables.size(); }
  const std::vector<VariableBounds>& getVariableBounds() const { return bounds; }
  const JointModel* getMimic() const { return mimic; }
  double getMimicFactor() const { return mimic_factor; }
  double getMimicOffset() const { return mimic_offset; }

  std::string name;
  JointType type = UNKNOWN;
  const LinkModel *parent = nullptr, *child = nullptr;
  std::vector<std::string> variables;
  std::vector<VariableBounds> bounds;
  const JointModel* mimic = nullptr;
  double mimic_factor = 1, mimic_offset = 0;
};
class RevoluteJointModel : public JointModel {
 public:
  const Eigen::Vector3d& getAxis() const { return axis; }
  bool isContinuous() const { return continuous; }
  Eigen::Vector3d axis;
  bool continuous = false;
};
class PrismaticJointModel : public JointModel {
 public:
  const Eigen::Vector3d& getAxis() const { return axis; }
  Eigen::Vector3d axis;
};
class PlanarJointModel : public JointModel {
 public:
  enum MotionModel { HOLONOMIC, DIFF_DRIVE };
  MotionModel getMotionModel() const { return motion_model; }
  MotionModel motion_model = HOLONOMIC;
};

class LinkModel {
 public:
  const std::string& getName() const { return name; }
  const std::vector<shapes::ShapeConstPtr>& getShapes() const { return shapes; }
  const EigenSTL::vector_Isometry3d& getCollisionOriginTransforms() const { return origins; }
  const Eigen::Isometry3d& getJointOriginTransform() const { return joint_origin; }
  std::string name;
  std::vector<shapes::ShapeConstPtr> shapes;
  EigenSTL::vector_Isometry3d origins;
  Eigen::Isometry3d joint_origin = Eigen::Isometry3d::Identity();
};

class JointModelGroup {
 public:
  const std::vector<const LinkModel*>& getUpdatedLinkModels() const { return links; }
  const std::vector<std::string>& getVariableNames() const { return variables; }
  std::vector<const LinkModel*> links;
  std::vector<std::string> variables;
};

class RobotModel {
 public:
  const std::string& getName() const { return name; }
  const std::string& getModelFrame() const { return frame; }
  const JointModel* getRootJoint() const { return joints.front().get(); }
  const std::vector<const LinkModel*>& getLinkModels() const { return link_pointers; }
  std::vector<const LinkModel*> getLinkModelsWithCollisionGeometry() const {
    std::vector<const LinkModel*> result;
    for (const LinkModel* link : link_pointers)
      if (!link->shapes.empty()) result.push_back(link);
    return result;
  }
  std::vector<const JointModel*> getJointModels() const {
    std::vector<const JointModel*> result;
    for (const auto& joint : joints) result.push_back(joint.get());
    return result;
  }
  const JointModel* getJointModel(const std::string& joint) const {
    for (const auto& one : joints)
      if (one->name == joint) return one.get();
    return nullptr;
  }
  bool hasJointModelGroup(const std::string& group) const { return groups.count(group) > 0; }
  const JointModelGroup* getJointModelGroup(const std::string& group) const {
    return &groups.at(group);
  }

  std::string name, frame = "world";
  std::vector<std::unique_ptr<LinkModel>> links;
  std::vector<const LinkModel*> link_pointers;
  std::vector<std::unique_ptr<JointModel>> joints;  // the root joint first
  std::map<std::string, JointModelGroup> groups;
};
using RobotModelConstPtr = std::shared_ptr<const RobotModel>;

class AttachedBody {
 public:
  const std::string& getName() const { return name; }
  const std::string& getAttachedLinkName() const { return link; }
  const std::vector<shapes::ShapeConstPtr>& getShapes() const { return shapes; }
  const EigenSTL::vector_Isometry3d& getShapePosesInLinkFrame() const { return poses; }
  const std::set<std::string>& getTouchLinks() const { return touch; }
  std::string name, link;
  std::vector<shapes::ShapeConstPtr> shapes;
  EigenSTL::vector_Isometry3d poses;
  std::set<std::string> touch;
};

class RobotState {
 public:
  double getVariablePosition(const std::string& v) const { return positions.at(v); }
  double getVariableVelocity(const std::string& v) const { return value(velocities, v); }
  double getVariableAcceleration(const std::string& v) const { return value(accelerations, v); }
  void setVariablePosition(const std::string& v, double x) { positions[v] = x; }
  void setVariableVelocity(const std::string& v, double x) { velocities[v] = x; }
  void setVariableAcceleration(const std::string& v, double x) { accelerations[v] = x; }
  bool hasVelocities() const { return !velocities.empty(); }
  bool hasAccelerations() const { return !accelerations.empty(); }
  void dropVelocities() { velocities.clear(); }
  void dropAccelerations() { accelerations.clear(); }
  void update() {}
  void getAttachedBodies(std::vector<const AttachedBody*>& bodies) const {
    bodies.clear();
    for (const auto& body : attached) bodies.push_back(body.get());
  }

  std::map<std::string, double> positions, velocities, accelerations;
  std::vector<std::shared_ptr<const AttachedBody>> attached;

 private:
  static double value(const std::map<std::string, double>& of, const std::string& v) {
    const auto found = of.find(v);
    return found == of.end() ? 0 : found->second;
  }
};
using RobotStatePtr = std::shared_ptr<RobotState>;

}  // namespace moveit::core

namespace robot_trajectory {

class RobotTrajectory {
 public:
  std::size_t getWayPointCount() const { return states.size(); }
  const moveit::core::RobotState& getWayPoint(std::size_t i) const { return *states[i]; }
  double getWayPointDurationFromPrevious(std::size_t i) const { return durations[i]; }
  const moveit::core::JointModelGroup* getGroup() const { return group; }
  RobotTrajectory& clear() {
    states.clear();
    durations.clear();
    return *this;
  }
  RobotTrajectory& addSuffixWayPoint(const moveit::core::RobotStatePtr& state, double seconds) {
    states.push_back(state);
    durations.push_back(seconds);
    return *this;
  }
  std::vector<moveit::core::RobotStatePtr> states;
  std::vector<double> durations;
  const moveit::core::JointModelGroup* group = nullptr;
};
using RobotTrajectoryPtr = std::shared_ptr<RobotTrajectory>;

}  // namespace robot_trajectory

// --- Collisions ----------------------------------------------------------------------------------

namespace collision_detection {

namespace BodyTypes {
enum Type { ROBOT_LINK, ROBOT_ATTACHED, WORLD_OBJECT };
}
using BodyType = BodyTypes::Type;

struct Contact {
  Eigen::Vector3d pos, normal;
  double depth = 0;
  std::string body_name_1, body_name_2;
  BodyType body_type_1, body_type_2;
  double percent_interpolation = 0;
  Eigen::Vector3d nearest_points[2];
};

namespace AllowedCollision {
enum Type { NEVER, ALWAYS, CONDITIONAL };
}
class AllowedCollisionMatrix {
 public:
  bool getAllowedCollision(const std::string& a, const std::string& b,
                           AllowedCollision::Type& type) const {
    const auto found = entries.find(a < b ? std::pair(a, b) : std::pair(b, a));
    if (found == entries.end()) return false;
    type = found->second;
    return true;
  }
  void setEntry(const std::string& a, const std::string& b, AllowedCollision::Type type) {
    entries[a < b ? std::pair(a, b) : std::pair(b, a)] = type;
  }
  std::map<std::pair<std::string, std::string>, AllowedCollision::Type> entries;
};

struct CollisionRequest {
  std::string group_name;
  bool pad_environment_collisions = true, pad_self_collisions = false;
  bool distance = false, detailed_distance = false, cost = false, contacts = false;
  std::size_t max_contacts = 1, max_contacts_per_pair = 1;
  bool verbose = false;
};

namespace DistanceRequestTypes {
enum DistanceRequestType { GLOBAL, SINGLE, LIMITED, ALL };
}
struct DistanceRequest {
  bool enable_nearest_points = false;
  DistanceRequestTypes::DistanceRequestType type = DistanceRequestTypes::GLOBAL;
  std::string group_name;
  const AllowedCollisionMatrix* acm = nullptr;
  double distance_threshold = std::numeric_limits<double>::max();
};
struct DistanceResultsData {
  double distance = std::numeric_limits<double>::max();
  Eigen::Vector3d nearest_points[2];
  std::string link_names[2];
  BodyType body_types[2] = {BodyTypes::WORLD_OBJECT, BodyTypes::WORLD_OBJECT};
  Eigen::Vector3d normal;
};
struct DistanceResult {
  bool collision = false;
  DistanceResultsData minimum_distance;
  std::map<std::pair<std::string, std::string>, std::vector<DistanceResultsData>> distances;
};
struct CollisionResult {
  bool collision = false;
  double distance = std::numeric_limits<double>::max();
  DistanceResult distance_result;
  std::size_t contact_count = 0;
  std::map<std::pair<std::string, std::string>, std::vector<Contact>> contacts;
};

class World {
 public:
  struct Object {
    std::string id_;
    Eigen::Isometry3d pose_ = Eigen::Isometry3d::Identity();
    std::vector<shapes::ShapeConstPtr> shapes_;
    EigenSTL::vector_Isometry3d shape_poses_;
  };
  using ObjectPtr = std::shared_ptr<Object>;
  std::map<std::string, ObjectPtr>::const_iterator begin() const { return objects.begin(); }
  std::map<std::string, ObjectPtr>::const_iterator end() const { return objects.end(); }
  std::map<std::string, ObjectPtr> objects;
};
using WorldPtr = std::shared_ptr<World>;
using WorldConstPtr = std::shared_ptr<const World>;

class CollisionEnv {
 public:
  CollisionEnv() = delete;
  explicit CollisionEnv(const moveit::core::RobotModelConstPtr& model, double padding = 0,
                        double scale = 1)
      : CollisionEnv(model, std::make_shared<World>(), padding, scale) {}
  CollisionEnv(const moveit::core::RobotModelConstPtr& model, const WorldPtr& world,
               double padding = 0, double scale = 1)
      : robot_model_(model), world_(world), world_const_(world) {
    for (const moveit::core::LinkModel* link : model->getLinkModels()) {
      link_padding_[link->getName()] = padding;
      link_scale_[link->getName()] = scale;
    }
  }
  CollisionEnv(const CollisionEnv& other, const WorldPtr& world)
      : robot_model_(other.robot_model_),
        link_padding_(other.link_padding_),
        link_scale_(other.link_scale_),
        world_(world),
        world_const_(world) {}
  virtual ~CollisionEnv() = default;

  virtual void checkSelfCollision(const CollisionRequest&, CollisionResult&,
                                  const moveit::core::RobotState&) const = 0;
  virtual void checkSelfCollision(const CollisionRequest&, CollisionResult&,
                                  const moveit::core::RobotState&,
                                  const AllowedCollisionMatrix&) const = 0;
  virtual void checkRobotCollision(const CollisionRequest&, CollisionResult&,
                                   const moveit::core::RobotState&) const = 0;
  virtual void checkRobotCollision(const CollisionRequest&, CollisionResult&,
                                   const moveit::core::RobotState&,
                                   const AllowedCollisionMatrix&) const = 0;
  virtual void checkRobotCollision(const CollisionRequest&, CollisionResult&,
                                   const moveit::core::RobotState&, const moveit::core::RobotState&,
                                   const AllowedCollisionMatrix&) const = 0;
  virtual void checkRobotCollision(const CollisionRequest&, CollisionResult&,
                                   const moveit::core::RobotState&,
                                   const moveit::core::RobotState&) const = 0;
  virtual void distanceSelf(const DistanceRequest&, DistanceResult&,
                            const moveit::core::RobotState&) const = 0;
  virtual void distanceRobot(const DistanceRequest&, DistanceResult&,
                             const moveit::core::RobotState&) const = 0;

  const WorldPtr& getWorld() { return world_; }
  const WorldConstPtr& getWorld() const { return world_const_; }
  const moveit::core::RobotModelConstPtr& getRobotModel() const { return robot_model_; }
  void setLinkPadding(const std::string& link, double padding) { link_padding_[link] = padding; }
  void setLinkScale(const std::string& link, double scale) { link_scale_[link] = scale; }
  double getLinkPadding(const std::string& link) const {
    const auto found = link_padding_.find(link);
    return found == link_padding_.end() ? 0 : found->second;
  }
  double getLinkScale(const std::string& link) const {
    const auto found = link_scale_.find(link);
    return found == link_scale_.end() ? 1 : found->second;
  }

 protected:
  moveit::core::RobotModelConstPtr robot_model_;
  std::map<std::string, double> link_padding_, link_scale_;

 private:
  WorldPtr world_;
  WorldConstPtr world_const_;
};
using CollisionEnvPtr = std::shared_ptr<CollisionEnv>;
using CollisionEnvConstPtr = std::shared_ptr<const CollisionEnv>;

class CollisionDetectorAllocator {
 public:
  virtual ~CollisionDetectorAllocator() = default;
  virtual const std::string& getName() const = 0;
  virtual CollisionEnvPtr allocateEnv(const WorldPtr& world,
                                      const moveit::core::RobotModelConstPtr& model) const = 0;
  virtual CollisionEnvPtr allocateEnv(const CollisionEnvConstPtr& other,
                                      const WorldPtr& world) const = 0;
  virtual CollisionEnvPtr allocateEnv(const moveit::core::RobotModelConstPtr& model) const = 0;
};
using CollisionDetectorAllocatorPtr = std::shared_ptr<CollisionDetectorAllocator>;

template <class Env, class Allocator>
class CollisionDetectorAllocatorTemplate : public CollisionDetectorAllocator {
 public:
  const std::string& getName() const override { return Allocator::NAME; }
  CollisionEnvPtr allocateEnv(const WorldPtr& world,
                              const moveit::core::RobotModelConstPtr& model) const override {
    return std::make_shared<Env>(model, world);
  }
  CollisionEnvPtr allocateEnv(const CollisionEnvConstPtr& other,
                              const WorldPtr& world) const override {
    return std::make_shared<Env>(dynamic_cast<const Env&>(*other), world);
  }
  CollisionEnvPtr allocateEnv(const moveit::core::RobotModelConstPtr& model) const override {
    return std::make_shared<Env>(model);
  }
  static CollisionDetectorAllocatorPtr create() { return std::make_shared<Allocator>(); }
};

}  // namespace collision_detection

namespace planning_scene {

class PlanningScene {
 public:
  const moveit::core::RobotModelConstPtr& getRobotModel() const { return model; }
  collision_detection::WorldConstPtr getWorld() const { return world; }
  const collision_detection::AllowedCollisionMatrix& getAllowedCollisionMatrix() const {
    return matrix;
  }
  const collision_detection::CollisionEnvConstPtr& getCollisionEnv() const { return env; }
  const std::string& getPlanningFrame() const { return model->getModelFrame(); }
  void allocateCollisionDetector(
      const collision_detection::CollisionDetectorAllocatorPtr& allocator) {
    env = allocator->allocateEnv(world, model);
  }

  moveit::core::RobotModelConstPtr model;
  collision_detection::WorldPtr world = std::make_shared<collision_detection::World>();
  collision_detection::AllowedCollisionMatrix matrix;
  collision_detection::CollisionEnvConstPtr env;
};
using PlanningScenePtr = std::shared_ptr<PlanningScene>;
using PlanningSceneConstPtr = std::shared_ptr<const PlanningScene>;

}  // namespace planning_scene

namespace collision_detection {
class CollisionPlugin {
 public:
  virtual ~CollisionPlugin() = default;
  virtual bool initialize(const planning_scene::PlanningScenePtr& scene) const = 0;
};
}  // namespace collision_detection

namespace planning_interface {

using MotionPlanRequest = moveit_msgs::msg::MotionPlanRequest;
struct MotionPlanResponse {
  robot_trajectory::RobotTrajectoryPtr trajectory;
  moveit_msgs::msg::MoveItErrorCodes error_code;
};
class PlanningResponseAdapter {
 public:
  virtual ~PlanningResponseAdapter() = default;
  virtual void initialize(const rclcpp::Node::SharedPtr& /*node*/,
                          const std::string& /*parameter_namespace*/) {}
  [[nodiscard]] virtual std::string getDescription() const = 0;
  virtual void adapt(const planning_scene::PlanningSceneConstPtr& planning_scene,
                     const MotionPlanRequest& req, MotionPlanResponse& res) const = 0;
};

}  // namespace planning_interface
