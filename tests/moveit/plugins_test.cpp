// The plugins on stand-ins for MoveIt's headers: what they read, what they answer, what they mark.
#include <octomap/octomap.h>

#include "arm.h"
#include "collision_env.h"
#include "messages.h"
#include "proven/io/scene_file.h"
#include "response_adapter.h"
#include "stub_robot.h"
#include "support.h"

namespace proven {
namespace {

using collision_detection::CollisionRequest;
using collision_detection::CollisionResult;
using collision_detection::AllowedCollision::ALWAYS;
using moveit_msgs::msg::MoveItErrorCodes;
using proven_moveit::ProvenCollisionEnv;
using Row = std::vector<double>;

// The arm of two bars in MoveIt's terms, with a planning scene around it.
struct Stage {
  explicit Stage(const std::vector<ObstacleSource>& objects) {
    auto made = test::to_moveit(test::arm());
    moveit::core::JointModelGroup group;
    group.variables = {"shoulder", "elbow"};
    for (const auto* link : made->getLinkModels())
      if (link->name != "post") group.links.push_back(link);
    made->groups["both"] = group;
    model = made;
    scene = std::make_shared<planning_scene::PlanningScene>();
    scene->model = model;
    scene->matrix.setEntry("post", "upper", ALWAYS);
    scene->matrix.setEntry("upper", "fore", ALWAYS);
    scene->matrix.setEntry("post", "fore", ALWAYS);
    for (const ObstacleSource& object : objects) add(object);
    env = std::make_shared<ProvenCollisionEnv>(model, scene->world);
    scene->env = env;
  }
  void add(const ObstacleSource& object) {
    auto added = std::make_shared<collision_detection::World::Object>();
    added->id_ = object.name;
    added->pose_ = test::to_eigen(object.X_WB);
    for (const CollisionElement& element : object.elements) {
      added->shapes_.push_back(test::to_moveit(element.shape));
      added->shape_poses_.push_back(test::to_eigen(element.X_BS));
    }
    scene->world->objects[object.name] = added;
  }
  static moveit::core::RobotStatePtr state(const Row& q, const Row& v = {}) {
    auto result = std::make_shared<moveit::core::RobotState>();
    result->positions = {{"shoulder", q[0]}, {"elbow", q[1]}};
    if (!v.empty()) result->velocities = {{"shoulder", v[0]}, {"elbow", v[1]}};
    return result;
  }
  // One second from point to point.
  planning_interface::MotionPlanResponse planned(const std::vector<Row>& points) const {
    planning_interface::MotionPlanResponse response;
    response.error_code.val = MoveItErrorCodes::SUCCESS;
    response.trajectory = std::make_shared<robot_trajectory::RobotTrajectory>();
    response.trajectory->group = model->getJointModelGroup("both");
    for (const Row& q : points)
      response.trajectory->addSuffixWayPoint(state(q), response.trajectory->states.empty() ? 0 : 1);
    return response;
  }

  std::shared_ptr<const moveit::core::RobotModel> model;
  std::shared_ptr<planning_scene::PlanningScene> scene;
  std::shared_ptr<ProvenCollisionEnv> env;
};

struct Adapter {
  explicit Adapter(const std::map<std::string, std::any>& parameters = {}) {
    for (const auto& [name, value] : parameters) node->parameters["proof." + name] = value;
    adapter.initialize(node, "proof");
  }
  void adapt(const Stage& stage, planning_interface::MotionPlanResponse& response,
             const planning_interface::MotionPlanRequest& request = {}) const {
    adapter.adapt(stage.scene, request, response);
  }
  using Markers = visualization_msgs::msg::MarkerArray;
  const std::vector<Markers>& published() const {
    return std::any_cast<rclcpp::Publisher<Markers>::SharedPtr>(
               node->publishers.at("proven_contacts"))
        ->published;
  }
  rclcpp::Node::SharedPtr node = std::make_shared<rclcpp::Node>();
  proven_moveit::ProveMotion adapter;
};

std::vector<Row> grazing() {
  const auto [from, to] = test::passing();
  return {{-1, 0}, from, to, {1, 0}};
}

TEST(MoveItRobot, IsTheOneThatMoveItHas) {
  std::vector<std::filesystem::path> files;
  for (const auto& [file, least] : {std::pair("motionbenchmaker/panda/panda.urdf", 8),
                                    std::pair("motionbenchmaker/ur5/ur5.urdf", 6)}) {
    const auto path = test::data_dir() / file;
    if (!std::filesystem::exists(path)) continue;
    files.push_back(path);
    auto source = load_scene_source(path);
    ASSERT_TRUE(source.ok()) << source.error().text();
    Robot& robot = source.value().robots[0].robot;
    robot.disabled_pairs.clear();
    robot.groups.clear();
    robot.states.clear();
    robot.end_effectors.clear();
    const auto again = proven_moveit::to_robot(*test::to_moveit(robot));
    ASSERT_TRUE(again.ok()) << again.error().text();
    const auto hash = [](const Robot& of) {
      SceneSource alone;
      alone.robots.push_back({"robot", of, {}});
      const auto scene = build_scene(alone);
      EXPECT_TRUE(scene.ok()) << scene.error().text();
      EXPECT_GT(scene.value().bodies().size(), 5u);
      return scene.value().hash().hex();
    };
    EXPECT_EQ(hash(robot), hash(again.value())) << file;
    EXPECT_GE(static_cast<int>(again.value().links.size()), least);
  }
  if (files.empty()) GTEST_SKIP() << "skipped: no data folder motionbenchmaker";
}

TEST(MoveItRobot, ABaseThatMovesIsAJoint) {
  const auto robot = proven_moveit::to_robot(*test::to_moveit(test::arm(true), true));
  ASSERT_TRUE(robot.ok()) << robot.error().text();
  const auto scene_of = [](const Robot& of) {
    SceneSource alone;
    alone.robots.push_back({"robot", of, {}});
    return build_scene(alone);
  };
  EXPECT_EQ(scene_of(robot.value()).value().hash().hex(),
            scene_of(test::arm(true)).value().hash().hex());
  auto car = test::to_moveit(test::arm(true), true);
  auto planar = std::make_unique<moveit::core::PlanarJointModel>();
  planar->name = "base";
  planar->type = moveit::core::JointModel::PLANAR;
  planar->variables = {"base/x", "base/y", "base/theta"};
  planar->bounds.resize(3);
  planar->child = car->joints[0]->child;
  planar->motion_model = moveit::core::PlanarJointModel::DIFF_DRIVE;
  auto* model = planar.get();
  car->joints[0] = std::move(planar);
  EXPECT_FALSE(proven_moveit::to_robot(*car).ok());
  model->motion_model = moveit::core::PlanarJointModel::HOLONOMIC;
  EXPECT_TRUE(proven_moveit::to_robot(*car).ok());
}

TEST(ProveMotion, MarksWhatGrazesBetweenTwoStates) {
  const Stage stage(test::thin_post());
  // Looking at the points alone finds nothing.
  for (const Row& q : grazing()) {
    CollisionResult result;
    stage.env->checkRobotCollision({}, result, *Stage::state(q), stage.scene->matrix);
    EXPECT_FALSE(result.collision);
  }
  const Adapter adapter;
  auto response = stage.planned(grazing());
  planning_interface::MotionPlanRequest request;
  request.group_name = "both";
  adapter.adapt(stage, response, request);
  EXPECT_EQ(response.error_code.val, MoveItErrorCodes::INVALID_MOTION_PLAN);
  EXPECT_NE(response.error_code.message.find("fore and post_ahead"), std::string::npos)
      << response.error_code.message;
  ASSERT_EQ(adapter.published().size(), 1u);
  const auto& markers = adapter.published()[0].markers;
  ASSERT_GE(markers.size(), 3u);
  EXPECT_EQ(markers[0].action, visualization_msgs::msg::Marker::DELETEALL);
  EXPECT_NEAR(markers[1].pose.position.x, 1.5, 0.05);
  EXPECT_NEAR(markers[1].pose.position.y, 0, 0.05);
  EXPECT_EQ(markers[1].header.frame_id, "world");
  EXPECT_EQ(markers[2].text, "fore and post_ahead");
  // A trajectory that is free passes as it is, and old markers go.
  auto good = stage.planned({{-1, 0}, {-0.5, 0}});
  adapter.adapt(stage, good);
  EXPECT_EQ(good.error_code.val, MoveItErrorCodes::SUCCESS);
  EXPECT_EQ(good.trajectory->getWayPointCount(), 2u);
  EXPECT_EQ(adapter.published().back().markers.size(), 1u);
  planning_interface::MotionPlanResponse none;
  none.error_code.val = MoveItErrorCodes::SUCCESS;
  adapter.adapt(stage, none);
  EXPECT_EQ(none.error_code.val, MoveItErrorCodes::INVALID_MOTION_PLAN);
}

TEST(ProveMotion, HonoursItsParameters) {
  const Stage stage({test::block("beside", {1.5, 0.1, 0}, {0.05, 0.05, 0.05})});
  const std::vector<Row> still = {{0, 0}, {0, -0.1}};
  const auto verdict = [&](const std::map<std::string, std::any>& parameters) {
    auto response = stage.planned(still);
    Adapter(parameters).adapt(stage, response);
    return response.error_code.val == MoveItErrorCodes::SUCCESS;
  };
  EXPECT_TRUE(verdict({}));
  EXPECT_TRUE(verdict({{"clearance", 0.019}}));
  EXPECT_FALSE(verdict({{"clearance", 0.021}}));
  EXPECT_FALSE(verdict({{"tracking_error", 0.05}}));
  EXPECT_FALSE(verdict({{"interpolation", std::string("wobbly")}}));
  EXPECT_FALSE(verdict({{"clearance", -1.0}}));
  // Velocities that carry the bar into the block, unless the controller goes straight.
  auto swing = stage.planned(still);
  for (const auto& state : swing.trajectory->states) state->velocities = {{"shoulder", 0.0}};
  swing.trajectory->states[0]->velocities["shoulder"] = 1.5;
  auto linear = swing;
  linear.trajectory = std::make_shared<robot_trajectory::RobotTrajectory>(*swing.trajectory);
  Adapter().adapt(stage, swing);
  EXPECT_EQ(swing.error_code.val, MoveItErrorCodes::INVALID_MOTION_PLAN);
  Adapter({{"interpolation", std::string("linear")}}).adapt(stage, linear);
  EXPECT_EQ(linear.error_code.val, MoveItErrorCodes::SUCCESS);
}

TEST(ProveMotion, RepairsIfAsked) {
  const Stage stage(test::thin_post());
  const Adapter adapter({{"repair", true}});
  auto response = stage.planned(grazing());
  planning_interface::MotionPlanRequest request;
  request.max_velocity_scaling_factor = 0.5;
  adapter.adapt(stage, response, request);
  ASSERT_EQ(response.error_code.val, MoveItErrorCodes::SUCCESS) << response.error_code.message;
  const auto& way = *response.trajectory;
  ASSERT_GT(way.getWayPointCount(), 4u);
  EXPECT_EQ(way.getWayPoint(0).positions.at("shoulder"), -1);
  EXPECT_EQ(way.getWayPoint(way.getWayPointCount() - 1).positions.at("shoulder"), 1);
  for (std::size_t i = 1; i < way.getWayPointCount(); ++i) {
    EXPECT_GT(way.getWayPointDurationFromPrevious(i), 0);
    const auto &a = way.getWayPoint(i - 1).positions, &b = way.getWayPoint(i).positions;
    EXPECT_FALSE(test::samples_collide(test::thin_post(), {a.at("shoulder"), a.at("elbow")},
                                       {b.at("shoulder"), b.at("elbow")}, 20));
  }
  // What is written is what was proved: asked again, it is free.
  auto again = response;
  Adapter().adapt(stage, again);
  EXPECT_EQ(again.error_code.val, MoveItErrorCodes::SUCCESS) << again.error_code.message;
  // A way around need not keep path constraints, so there is none.
  auto constrained = stage.planned(grazing());
  request.path_constraints.orientation_constraints = {1};
  adapter.adapt(stage, constrained, request);
  EXPECT_EQ(constrained.error_code.val, MoveItErrorCodes::INVALID_MOTION_PLAN);
  EXPECT_EQ(constrained.trajectory->getWayPointCount(), 4u);
}

TEST(CollisionEnv, TwoStatesAgreeWithDenseSampling) {
  std::mt19937_64 random(11);
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  Stage stage({});
  CollisionRequest request;
  request.contacts = true;
  int frees = 0, collisions = 0;
  const int cases = test::cases(200);
  for (int i = 0; i < cases; ++i) {
    // The world of one environment changes all the time.
    const std::vector<ObstacleSource> blocks = {
        test::block("block", {uniform(-2, 2), uniform(-2, 2), 0},
                    {uniform(0.01, 0.3), uniform(0.01, 0.3), 0.1})};
    stage.scene->world->objects.clear();
    stage.add(blocks[0]);
    const Row from{uniform(-2.5, 2.5), uniform(-3, 3)};
    const Row to{from[0] + uniform(-1, 1), from[1] + uniform(-1, 1)};
    CollisionResult result;
    stage.env->checkRobotCollision(request, result, *Stage::state(from), *Stage::state(to),
                                   stage.scene->matrix);
    if (!result.collision) {
      ++frees;
      EXPECT_FALSE(test::samples_collide(blocks, from, to, 300)) << i;
      continue;
    }
    ++collisions;
    ASSERT_EQ(result.contact_count, 1u);
    const auto& contact = result.contacts.begin()->second.at(0);
    const double t = contact.percent_interpolation;
    EXPECT_TRUE(test::twin_collides(blocks, from[0] + t * (to[0] - from[0]),
                                    from[1] + t * (to[1] - from[1])))
        << i;
    EXPECT_EQ(contact.body_type_1, collision_detection::BodyTypes::ROBOT_LINK);
    EXPECT_EQ(contact.body_type_2, collision_detection::BodyTypes::WORLD_OBJECT);
  }
  EXPECT_GT(frees, cases / 10);
  EXPECT_GT(collisions, cases / 10);
}

TEST(CollisionEnv, HonoursMatrixPaddingAndHeldThings) {
  Stage stage({test::block("beside", {1.5, 0.1, 0}, {0.05, 0.05, 0.05})});
  const auto collides = [&](const moveit::core::RobotState& state) {
    CollisionResult result;
    stage.env->checkRobotCollision({}, result, state, stage.scene->matrix);
    return result.collision;
  };
  auto state = Stage::state({0, 0});
  EXPECT_FALSE(collides(*state));
  stage.env->setLinkPadding("fore", 0.03);
  EXPECT_TRUE(collides(*state));
  CollisionRequest unpadded;
  unpadded.pad_environment_collisions = false;
  CollisionResult result;
  stage.env->checkRobotCollision(unpadded, result, *state, stage.scene->matrix);
  EXPECT_FALSE(result.collision);
  stage.scene->matrix.setEntry("fore", "beside", ALWAYS);
  EXPECT_FALSE(collides(*state));
  // What the hand holds is another body; it has the padding of its link.
  auto tool = std::make_shared<moveit::core::AttachedBody>();
  tool->name = "tool";
  tool->link = "fore";
  tool->shapes = {std::make_shared<shapes::Box>(0.02, 0.02, 0.02)};
  tool->poses = {test::to_eigen(Pose::translation({0.5, 0.02, 0}))};
  state->attached.push_back(tool);
  EXPECT_TRUE(collides(*state));  // 0.02 from the block
  stage.env->setLinkPadding("fore", 0.019);
  EXPECT_FALSE(collides(*state));
  // What cannot be judged is a collision.
  stage.scene->matrix.setEntry("tool", "beside",
                               collision_detection::AllowedCollision::CONDITIONAL);
  EXPECT_TRUE(collides(*state));
  stage.scene->matrix.setEntry("tool", "beside", ALWAYS);
  EXPECT_FALSE(collides(*state));
  stage.env->setLinkScale("fore", 1.1);
  EXPECT_TRUE(collides(*state));
  stage.env->setLinkScale("fore", 1);
  auto cone = std::make_shared<collision_detection::World::Object>();
  cone->id_ = "cone";
  cone->shapes_ = {std::make_shared<shapes::Cone>(0.1, 0.1)};
  cone->shape_poses_ = {Eigen::Isometry3d::Identity()};
  cone->pose_.translation().x() = 9;
  stage.scene->world->objects["cone"] = cone;
  EXPECT_TRUE(collides(*state));
}

TEST(CollisionEnv, SelfAndWorldAreTwoQuestions) {
  Stage stage({test::block("block", {1.5, 0, 0}, {0.05, 0.05, 0.05})});
  const auto state = Stage::state({0, 0});
  CollisionResult self, world, everything;
  stage.env->checkSelfCollision({}, self, *state, stage.scene->matrix);
  EXPECT_FALSE(self.collision);
  stage.env->checkRobotCollision({}, world, *state, stage.scene->matrix);
  EXPECT_TRUE(world.collision);
  // Without a matrix joined links count, which is not judged.
  stage.env->checkSelfCollision({}, everything, *state);
  EXPECT_TRUE(everything.collision);
  collision_detection::DistanceRequest request;
  collision_detection::DistanceResult near;
  request.acm = &stage.scene->matrix;
  stage.env->distanceRobot(request, near, *Stage::state({0.5, 0}));
  EXPECT_FALSE(near.collision);
  EXPECT_GT(near.minimum_distance.distance, 0.1);
  EXPECT_EQ(near.minimum_distance.link_names[1], "block");
  collision_detection::DistanceResult touching;
  stage.env->distanceRobot(request, touching, *state);
  EXPECT_TRUE(touching.collision);
  EXPECT_EQ(touching.minimum_distance.distance, 0);
}

TEST(CollisionEnv, OctreesAreCells) {
  Stage stage({});
  octomap::OcTree tree(0.1);
  // Eight cells that are pruned to one leaf, and one that is free.
  for (const float x : {0.05F, 0.15F})
    for (const float y : {0.05F, 0.15F})
      for (const float z : {0.05F, 0.15F}) tree.updateNode(octomap::point3d(x, y, z), true);
  tree.updateNode(octomap::point3d(0.65F, 0.05F, 0.05F), false);
  tree.prune();
  auto object = std::make_shared<collision_detection::World::Object>();
  object->id_ = "<octomap>";
  object->shapes_ = {std::make_shared<shapes::OcTree>(std::make_shared<octomap::OcTree>(tree))};
  object->shape_poses_ = {Eigen::Isometry3d::Identity()};
  // The leaf fills [1.4, 1.6] in x, [-0.1, 0.1] in y.
  object->pose_.translation() = Eigen::Vector3d(1.4, -0.1, -0.1);
  stage.scene->world->objects["<octomap>"] = object;
  for (int i = -40; i <= 40; ++i) {
    const Row q{0.02 * i, 0.3};
    CollisionResult result;
    stage.env->checkRobotCollision({}, result, *Stage::state(q), stage.scene->matrix);
    const std::vector<ObstacleSource> same = {test::block("b", {1.5, 0, 0}, {0.1, 0.1, 0.1})};
    EXPECT_EQ(result.collision, test::twin_collides(same, q[0], q[1])) << i;
  }
}

TEST(CollisionEnv, IsMadeByItsAllocator) {
  Stage stage({test::block("block", {1.5, 0, 0}, {0.05, 0.05, 0.05})});
  stage.scene->allocateCollisionDetector(proven_moveit::ProvenCollisionDetectorAllocator::create());
  CollisionResult result;
  stage.scene->env->checkRobotCollision({}, result, *Stage::state({0, 0}), stage.scene->matrix);
  EXPECT_TRUE(result.collision);
  // A copy looks at the world that it is given.
  const auto copy = proven_moveit::ProvenCollisionDetectorAllocator::create()->allocateEnv(
      stage.scene->env, std::make_shared<collision_detection::World>());
  CollisionResult empty;
  copy->checkRobotCollision({}, empty, *Stage::state({0, 0}), stage.scene->matrix);
  EXPECT_FALSE(empty.collision);
  EXPECT_EQ(proven_moveit::ProvenCollisionDetectorAllocator::create()->getName(), "Proven");
}

}  // namespace
}  // namespace proven
