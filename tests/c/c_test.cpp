// The interface for C against the library: the same answers; errors as values; nothing that is
// handed in wrong ends a program.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "proven/c/proven.h"

namespace {

constexpr const char* kRobot = R"(<robot name='bar'><link name='base'/>
<link name='arm'><collision><origin xyz='0.5 0 0'/><geometry><box size='1 0.1 0.1'/></geometry></collision></link>
<link name='tip'/>
<joint name='turn' type='revolute'><axis xyz='0 0 1'/><parent link='base'/><child link='arm'/>
<limit lower='-7' upper='7' effort='1' velocity='1'/></joint>
<joint name='end' type='fixed'><origin xyz='1 0 0'/><parent link='arm'/><child link='tip'/></joint></robot>)";
constexpr double kPost[16] = {1, 0, 0, -0.8, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
constexpr double kSizes[3] = {0.2, 0.2, 1};

// Succeeds, or shows the text.
#define OK(call)                                           \
  do {                                                     \
    proven_error* error = (call);                          \
    ASSERT_EQ(error, nullptr) << proven_error_text(error); \
  } while (false)

// Fails with a text that holds `part`.
void expect_error(proven_error* error, const std::string& part,
                  proven_error_kind kind = PROVEN_BAD_INPUT) {
  ASSERT_NE(error, nullptr) << "expected an error with " << part;
  EXPECT_NE(std::string(proven_error_text(error)).find(part), std::string::npos)
      << proven_error_text(error);
  EXPECT_EQ(proven_error_kind_of(error), kind);
  proven_error_free(error);
}

struct C : testing::Test {
  proven_scene *bar = nullptr, *scene = nullptr;
  proven_model* model = nullptr;

  void SetUp() override {
    OK(proven_scene_from_urdf(kRobot, nullptr, &bar));
    OK(proven_scene_with_obstacle(bar, "post", kPost, PROVEN_BOX, kSizes, &scene));
    proven_check_options options;
    proven_check_options_init(&options);
    options.certificate = 1;
    OK(proven_model_new(scene, &options, &model));
  }
  void TearDown() override {
    proven_model_free(model);
    proven_scene_free(scene);
    proven_scene_free(bar);
  }
  proven_verdict turn(double from, double to) {
    const double waypoints[2] = {from, to};
    proven_result* result = nullptr;
    EXPECT_EQ(proven_check(model, waypoints, 2, 0, &result), nullptr);
    const proven_verdict verdict = proven_result_verdict(result);
    proven_result_free(result);
    return verdict;
  }
};

TEST_F(C, TellsWhatIsInAScene) {
  EXPECT_EQ(proven_c_version(), PROVEN_C_VERSION);
  ASSERT_EQ(proven_scene_joints(scene), 1u);
  EXPECT_STREQ(proven_scene_joint_name(scene, 0), "bar/turn");
  EXPECT_EQ(proven_scene_joint_name(scene, 1), nullptr);
  double lower = 0, upper = 0;
  proven_scene_limits(scene, &lower, &upper);
  EXPECT_EQ(lower, -7);
  EXPECT_EQ(upper, 7);
  ASSERT_EQ(proven_scene_bodies(scene), 2u);
  EXPECT_STREQ(proven_scene_body_name(scene, 1), "post");
  EXPECT_EQ(std::string(proven_scene_hash(scene)).size(), 32u);
  EXPECT_STRNE(proven_scene_hash(scene), proven_scene_hash(bar));
}

TEST_F(C, ValuesBeyondLimitsAreRefusedUnlessTheModelIgnoresThem) {
  const double waypoints[2] = {7.5, 8};
  proven_result* result = nullptr;
  expect_error(proven_check(model, waypoints, 2, 0, &result),
               "joint bar/turn is 7.5, beyond its limits -7 and 7");
  unsigned char one = 2;
  expect_error(proven_are_free(model, waypoints + 1, nullptr, 1, 1, &one), "bar/turn is 8");
  expect_error(proven_are_free(model, waypoints, waypoints + 1, 1, 1, &one), "bar/turn is 7.5");
  EXPECT_EQ(one, 2);
  proven_model* ignoring = nullptr;
  OK(proven_model_ignoring_limits(model, &ignoring));
  OK(proven_check(ignoring, waypoints, 2, 0, &result));
  EXPECT_EQ(proven_result_verdict(result), PROVEN_FREE);
  proven_result_free(result);
  OK(proven_are_free(ignoring, waypoints, nullptr, 1, 1, &one));
  EXPECT_EQ(one, 1);
  proven_model_free(ignoring);
  expect_error(proven_model_ignoring_limits(nullptr, &ignoring), "the model is NULL");
}

TEST_F(C, ChecksAndCertificatesAgreeWithGeometry) {
  // The bar touches the post from about 2.9 rad on: atan2 of the corners that meet.
  int free = 0, collision = 0;
  for (double angle = 0.1; angle < 6; angle += 0.1) {
    const double waypoints[2] = {0, angle};
    proven_result* result = nullptr;
    OK(proven_check(model, waypoints, 2, 0, &result));
    const proven_verdict verdict = proven_result_verdict(result);
    (verdict == PROVEN_FREE ? free : collision) += 1;
    if (angle < 2.8 || angle > 3.1) {
      EXPECT_EQ(verdict, angle < 2.8 ? PROVEN_FREE : PROVEN_COLLISION) << angle;
    }
    size_t size = 0;
    const uint8_t* certificate = proven_result_certificate(result, &size);
    ASSERT_GT(size, 0u);
    proven_report* report = nullptr;
    OK(proven_verify(scene, waypoints, 2, 0, certificate, size, &report));
    EXPECT_EQ(proven_report_accepted(report), 1) << proven_report_text(report);
    proven_report_free(report);
    OK(proven_verify(scene, waypoints, 2, 0, certificate, size - 1, &report));
    EXPECT_EQ(proven_report_accepted(report), 0);
    EXPECT_STRNE(proven_report_text(report), "");
    proven_report_free(report);
    if (verdict == PROVEN_COLLISION) {
      EXPECT_STREQ(proven_result_body(result, 0), "bar/arm");
      EXPECT_STREQ(proven_result_body(result, 1), "post");
      EXPECT_NEAR(*proven_result_configuration(result), angle * proven_result_t(result), 1e-12);
    } else {
      EXPECT_EQ(proven_result_configuration(result), nullptr);
      EXPECT_EQ(proven_result_body(result, 0), nullptr);
    }
    proven_result_free(result);
  }
  EXPECT_GT(free, 5);
  EXPECT_GT(collision, 5);
}

TEST_F(C, EditsGiveOtherScenes) {
  double moved[16];
  std::copy(std::begin(kPost), std::end(kPost), moved);
  moved[3] = 5;
  proven_scene *far = nullptr, *none = nullptr, *held = nullptr, *down = nullptr;
  OK(proven_scene_with_pose(scene, "post", moved, &far));
  OK(proven_scene_without(scene, "post", &none));
  EXPECT_STREQ(proven_scene_hash(none), proven_scene_hash(bar));
  proven_model* at_far = nullptr;
  OK(proven_model_with_scene(model, far, &at_far));
  const double waypoints[2] = {0, 4};
  proven_result* result = nullptr;
  OK(proven_check(at_far, waypoints, 2, 0, &result));
  EXPECT_EQ(proven_result_verdict(result), PROVEN_FREE);
  EXPECT_EQ(turn(0, 4), PROVEN_COLLISION);
  const double q = 1;
  const char* touch[] = {"bar/arm"};
  OK(proven_scene_with_attached(far, "post", "bar/arm", &q, touch, 1, &held));
  OK(proven_scene_detached(held, "post", &q, &down));
  double pose[16];
  OK(proven_scene_pose(down, "post", &q, pose));
  for (int i = 0; i < 16; ++i) EXPECT_NEAR(pose[i], moved[i], 1e-12);
  OK(proven_scene_pose(scene, "bar/tip", &q, pose));
  EXPECT_NEAR(pose[3], std::cos(1.0), 1e-15);
  EXPECT_NEAR(pose[7], std::sin(1.0), 1e-15);
  proven_result_free(result);
  proven_model_free(at_far);
  for (proven_scene* old : {far, none, held, down}) proven_scene_free(old);
}

TEST_F(C, MeshesAndCloudsAreObstacles) {
  const double corners[] = {-1, -0.1, -1, -1, 0.1, -1, -0.7, 0, 1};
  const uint32_t triangle[] = {0, 1, 2}, wrong[] = {0, 1, 9};
  proven_scene *mesh = nullptr, *cloud = nullptr;
  const double here[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  OK(proven_scene_with_mesh(bar, "mesh", here, corners, 3, triangle, 1, &mesh));
  OK(proven_scene_with_cloud(bar, "cloud", here, corners, 3, 0.3, &cloud));
  EXPECT_EQ(proven_scene_bodies(mesh), 2u);
  EXPECT_EQ(proven_scene_bodies(cloud), 2u);
  proven_scene* none = nullptr;
  expect_error(proven_scene_with_mesh(bar, "mesh", here, corners, 3, wrong, 1, &none), "mesh");
  expect_error(proven_scene_with_cloud(bar, "cloud", here, corners, 3, NAN, &none), "cloud");
  EXPECT_EQ(none, nullptr);
  proven_scene_free(mesh);
  proven_scene_free(cloud);
}

TEST_F(C, BatchesAnswerLikeSingleQuestionsFromManyThreads) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> angle(-6, 6);
  std::vector<double> starts(200), ends(200);
  for (std::size_t i = 0; i < starts.size(); ++i)
    starts[i] = angle(random), ends[i] = angle(random);
  std::vector<unsigned char> free(200), single(200);
  OK(proven_are_free(model, starts.data(), ends.data(), 200, 2, free.data()));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < 200; i += 4) single[i] = turn(starts[i], ends[i]) == PROVEN_FREE;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(free, single);
  EXPECT_TRUE(std::count(free.begin(), free.end(), 1) > 10 &&
              std::count(free.begin(), free.end(), 0) > 10);
  OK(proven_are_free(model, starts.data(), nullptr, 200, 0, free.data()));
  OK(proven_are_free(model, nullptr, nullptr, 0, 0, nullptr));
}

TEST_F(C, PlansAreProved) {
  const double start = -2.5, goal = 2.5;
  proven_path* path = nullptr;
  OK(proven_plan(scene, &start, &goal, nullptr, 1, 0, 0, &path));
  ASSERT_GE(proven_path_rows(path), 2u) << proven_path_text(path);
  EXPECT_EQ(proven_path_waypoints(path)[0], start);
  EXPECT_EQ(proven_path_waypoints(path)[proven_path_rows(path) - 1], goal);
  EXPECT_STREQ(proven_path_text(path), "solved, proved");
  proven_path_free(path);
  const double inside = 3.14;
  OK(proven_plan(scene, &start, &inside, nullptr, 1, 0, 0, &path));
  EXPECT_EQ(proven_path_rows(path), 0u);
  EXPECT_NE(std::string(proven_path_text(path)).find("goal"), std::string::npos)
      << proven_path_text(path);
  proven_path_free(path);
  expect_error(proven_plan(scene, &start, &goal, "magic", 1, 0, 0, &path), "magic");
}

TEST_F(C, WhatIsWrongIsSaid) {
  proven_scene* none = nullptr;
  expect_error(proven_scene_load("nowhere.json", &none), "nowhere.json", PROVEN_NOT_FOUND);
  expect_error(proven_scene_load(nullptr, &none), "NULL");
  expect_error(proven_scene_from_urdf("<robot name='r'>\n<lnk/></robot>", nullptr, &none),
               "URDF text:2");
  expect_error(proven_scene_from_urdf(kRobot, "<x/>", &none), "SRDF text");
  expect_error(proven_scene_from_urdf(kRobot, nullptr, nullptr), "NULL");
  expect_error(proven_scene_without(scene, "nobody", &none), "nobody");
  expect_error(proven_scene_with_obstacle(nullptr, "x", kPost, PROVEN_BOX, kSizes, &none), "NULL");
  expect_error(proven_scene_with_obstacle(scene, "x", kPost, 9, kSizes, &none), "shape");
  double skew[16] = {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  expect_error(proven_scene_with_obstacle(scene, "x", skew, PROVEN_BOX, kSizes, &none), "x");
  skew[15] = 2;
  expect_error(proven_scene_with_obstacle(scene, "x", skew, PROVEN_BOX, kSizes, &none), "last row");
  proven_result* result = nullptr;
  const double nan = NAN;
  expect_error(proven_check(model, &nan, 1, 0, &result), "finite");
  expect_error(proven_check(model, &nan, 0, 0, &result), "waypoint");
  expect_error(proven_check(nullptr, &nan, 1, 0, &result), "NULL");
  proven_check_options options = {};
  proven_model* made = nullptr;
  expect_error(proven_model_new(scene, &options, &made), "proven_check_options_init");
  proven_check_options_init(&options);
  options.clearance = -1;
  expect_error(proven_model_new(scene, &options, &made), "clearance");
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(result, nullptr);
}

}  // namespace
