// Real robots, meshes and problems, as their READMEs describe them.
#include <algorithm>
#include <map>

#include "io_support.h"
#include "proven/geometry/body_geometry.h"
#include "proven/io/mesh_file.h"
#include "proven/io/path_file.h"
#include "proven/io/problem_set.h"
#include "proven/io/scene_file.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"

namespace proven::test {
namespace {

std::size_t count_triangles(const std::vector<CollisionElement>& elements) {
  std::size_t count = 0;
  for (const CollisionElement& element : elements)
    if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&element.shape))
      count += (*mesh)->triangles.size();
  return count;
}

std::size_t count_triangles(const Robot& robot) {
  std::size_t count = 0;
  for (const RobotLink& link : robot.links) count += count_triangles(link.collision);
  return count;
}

struct KnownRobot {
  const char* file;
  std::size_t triangles;
  int coordinates;
};

TEST(RealData, RobotsHaveTheTrianglesAndJointsOfTheirReadmes) {
  PROVEN_REQUIRE_DATA("robots");
  for (const KnownRobot& known : {
           KnownRobot{"robots/abb_irb2400/irb2400.urdf", 1918, 6},
           KnownRobot{"robots/abb_irb2400/irb2400_12_155.urdf", 1602, 6},
           KnownRobot{"robots/fanuc_lrmate200ic/lrmate200ic.urdf", 20354, 6},
           KnownRobot{"robots/fanuc_lrmate200ic/lrmate200ic5l.urdf", 12608, 6},
           KnownRobot{"robots/franka_panda/panda.urdf", 2364, 8},
           KnownRobot{"robots/kuka_lbr_iiwa_14_r820/lbr_iiwa_14_r820.urdf", 5200, 7},
           KnownRobot{"robots/pr2/pr2.urdf", 30260, 39},
           KnownRobot{"robots/universal_ur5/ur5.urdf", 5328, 6},
           KnownRobot{"motionbenchmaker/panda/panda.urdf", 3472, 7},
           KnownRobot{"motionbenchmaker/ur5/ur5.urdf", 104185, 6},
           KnownRobot{"motionbenchmaker/panda/panda_spherized.urdf", 0, 7},
           KnownRobot{"motionbenchmaker/ur5/ur5_spherized.urdf", 0, 6},
       }) {
    SCOPED_TRACE(known.file);
    const Result<Robot> robot = load_urdf(data_dir() / known.file);
    ASSERT_EQ(error_text(robot), "no error");
    EXPECT_EQ(count_triangles(robot.value()), known.triangles);
    KinematicTree tree;
    must(tree.add_robot(robot.value(), "robot", Pose{}));
    EXPECT_EQ(tree.num_coordinates(), known.coordinates);
  }
}

TEST(RealData, SrdfsHaveTheirPairs) {
  PROVEN_REQUIRE_DATA("robots");
  const std::map<std::string, std::pair<std::string, std::size_t>> known = {
      {"abb_irb2400/irb2400.urdf", {"abb_irb2400/irb2400.srdf", 15}},
      {"fanuc_lrmate200ic/lrmate200ic.urdf", {"fanuc_lrmate200ic/lrmate200ic.srdf", 11}},
      {"fanuc_lrmate200ic/lrmate200ic5l.urdf", {"fanuc_lrmate200ic/lrmate200ic5l.srdf", 12}},
      {"franka_panda/panda.urdf", {"franka_panda/panda.srdf", 34}},
      {"kuka_lbr_iiwa_14_r820/lbr_iiwa_14_r820.urdf",
       {"kuka_lbr_iiwa_14_r820/lbr_iiwa_14_r820.tesseract.srdf", 25}},
      {"universal_ur5/ur5.urdf", {"universal_ur5/ur5.srdf", 11}},
      {"pr2/pr2.urdf", {"pr2/pr2.srdf", 1}}};
  for (const auto& [urdf, srdf] : known) {
    SCOPED_TRACE(urdf);
    UrdfOptions joints_only;
    joints_only.load_meshes = false;
    Robot robot = must(load_urdf(data_dir() / "robots" / urdf, joints_only));
    must(apply_srdf(data_dir() / "robots" / srdf.first, robot, {.virtual_joints = true}));
    EXPECT_EQ(robot.disabled_pairs.size(), srdf.second);
    KinematicTree tree;
    must(tree.add_robot(robot, "robot", Pose{}));
  }
}

TEST(RealData, MeshesHaveTheTrianglesOfTheirReadmes) {
  PROVEN_REQUIRE_DATA("obstacles");
  const std::map<std::string, std::size_t> known = {
      {"prius_car_body/hybrid_body.obj", 1676},
      {"prius_car_body/wheel.obj", 76},
      {"tesseract_car_seat/puzzle_mount.stl", 7552},
      {"tesseract_car_seat/puzzle_bent_from_dae.stl", 2890},
      {"trimesh_models/featuretype.stl", 3476},
      {"trimesh_models/idler_riser.stl", 1572},
      {"trimesh_models/cycloidal_from_ply.obj", 43368},
      {"nasa_3d/curiosity_body.stl", 18338},
      {"nasa_3d/voyager_bus.stl", 6068},
      {"nasa_3d/fablab.stl", 5890},
      {"spot/spot.obj", 5856},
      {"aws_small_warehouse/ShelfF_01_collision_from_dae.stl", 116},
      {"aws_small_warehouse/ShelfF_01_visual_from_dae.stl", 2926},
      {"aws_small_warehouse/ShelfD_01_collision_from_dae.stl", 48},
      {"aws_small_warehouse/ShelfD_01_visual_from_dae.stl", 657},
      {"aws_small_warehouse/PalletJackB_01_collision_from_dae.stl", 680},
      {"aws_small_warehouse/PalletJackB_01_visual_from_dae.stl", 1883},
      {"aws_small_warehouse/DeskC_01_collision_from_dae.stl", 236},
      {"aws_small_warehouse/DeskC_01_visual_from_dae.stl", 677},
      {"fcl_test/env.obj", 2180},
      {"fcl_test/rob.obj", 216},
      {"hpp_environments/polaris.stl", 7762},
      {"hpp_environments/polaris_reduced.stl", 1564},
      {"hpp_environments/car_from_dae.stl", 2534},
      {"hpp_environments/buggy_from_dae.stl", 6249},
      {"hpp_environments/cave_simplified.stl", 22405},
      {"hpp_environments/bauzil_simplified.stl", 4152},
      {"hpp_environments/maze_hard.stl", 818},
      {"hpp_environments/darpa.stl", 626},
      {"hpp_environments/truck.stl", 340},
      {"hpp_environments/car_simple.stl", 286}};
  for (const auto& [file, triangles] : known) {
    const auto mesh = load_mesh(data_dir() / "obstacles" / file);
    ASSERT_EQ(error_text(mesh), "no error");
    EXPECT_EQ(mesh.value()->triangles.size(), triangles) << file;
  }
  const std::map<std::string, std::size_t> urdfs = {{"tesseract_car_seat/car.urdf", 5214},
                                                    {"tesseract_car_seat/seat.urdf", 3398},
                                                    {"hpp_environments/ur_benchmark_box.urdf", 0},
                                                    {"hpp_environments/ur_benchmark_wall.urdf", 0}};
  for (const auto& [file, triangles] : urdfs)
    EXPECT_EQ(count_triangles(must(load_urdf(data_dir() / "obstacles" / file))), triangles) << file;
}

TEST(RealData, ColladaMeshesStandWhereTheCollisionMeshesStand) {
  PROVEN_REQUIRE_DATA("robots");
  const std::map<std::string, std::size_t> known = {{"irb2400", 12640}, {"irb2400_common", 9254}};
  for (const auto& [variant, triangles] : known) {
    const auto folder = data_dir() / "robots/abb_irb2400/meshes" / variant;
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "visual")) {
      const auto visual = must(load_mesh(entry.path()));
      count += visual->triangles.size();
      const auto collision_file = folder / "collision" / entry.path().stem();
      if (!std::filesystem::exists(collision_file.string() + ".stl")) continue;
      const auto collision = must(load_mesh(collision_file.string() + ".stl"));
      const auto bounds = [](const TriangleMesh& mesh) {
        Vec3 lower = mesh.vertices[0], upper = lower;
        for (const Vec3& v : mesh.vertices)
          for (int i = 0; i < 3; ++i) {
            lower[i] = std::min(lower[i], v[i]);
            upper[i] = std::max(upper[i], v[i]);
          }
        return std::pair(lower, upper);
      };
      const auto [lower_v, upper_v] = bounds(*visual);
      const auto [lower_c, upper_c] = bounds(*collision);
      // The collision meshes are coarser versions of the visual ones.
      EXPECT_LT(max_abs(lower_v - lower_c), 0.03) << entry.path();
      EXPECT_LT(max_abs(upper_v - upper_c), 0.03) << entry.path();
    }
    EXPECT_EQ(count, triangles) << variant;
  }
}

struct Benchmark {
  const char* robot;
  const char* sample;
};
constexpr Benchmark kBenchmarks[] = {{"panda", "bookshelf_small_panda_"},
                                     {"ur5", "bookshelf_small_ur5_"}};

TEST(RealData, OriginalPlanningScenesAgreeWithTheProblemSet) {
  PROVEN_REQUIRE_DATA("motionbenchmaker");
  for (const auto& [robot, sample] : kBenchmarks) {
    SCOPED_TRACE(robot);
    const auto folder = data_dir() / "motionbenchmaker" / robot;
    const ProblemSet set = must(load_problem_set(folder / "problems.json"));
    const auto first = std::find_if(set.problems.begin(), set.problems.end(), [](const Problem& p) {
      return p.set == "bookshelf_small" && p.index == 1;
    });
    ASSERT_NE(first, set.problems.end());
    const int index = static_cast<int>(first - set.problems.begin());
    const std::string stem = (folder / "original_sample" / sample).string();
    // The matrix of the scene holds the SRDF's Never, which only trust excludes; the homes differ.
    SceneOptions trusting;
    trusting.trust_srdf_never = true;
    const Scene yaml = must(load_scene(stem + "scene0001.yaml", trusting));
    const Scene json = must(problem_scene(set, index, true));
    ASSERT_EQ(yaml.bodies().size(), json.bodies().size());
    for (std::size_t i = 0; i < yaml.bodies().size(); ++i) {
      const Body &a = yaml.bodies()[i], &b = json.bodies()[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.X_LB, b.X_LB);
      EXPECT_EQ(a.geometry->hash(), b.geometry->hash());
    }
    ASSERT_EQ(yaml.pairs().size(), json.pairs().size());
    for (std::size_t i = 0; i < yaml.pairs().size(); ++i) {
      EXPECT_EQ(yaml.pairs()[i].a, json.pairs()[i].a);
      EXPECT_EQ(yaml.pairs()[i].b, json.pairs()[i].b);
    }
    EXPECT_LT(yaml.pairs().size(), must(load_scene(stem + "scene0001.yaml")).pairs().size());
    const Query request = must(load_query(stem + "request0001.yaml", yaml));
    const Query query = must(problem_query(set, index, json));
    EXPECT_EQ(request.start, query.start);
    EXPECT_EQ(request.goal, query.goal);
    EXPECT_EQ(request.planned, query.planned);
  }
}

TEST(RealData, ProblemsOfBothSetsLoad) {
  PROVEN_REQUIRE_DATA("motionbenchmaker");
  for (const auto& [robot, sample] : kBenchmarks) {
    const ProblemSet set =
        must(load_problem_set(data_dir() / "motionbenchmaker" / robot / "problems.json"));
    std::map<std::string, int> sizes;
    for (const Problem& problem : set.problems) ++sizes[problem.set];
    EXPECT_GE(sizes.size(), 6u);
    for (const auto& [name, size] : sizes) EXPECT_EQ(size, 100) << name;
    const int step = std::max(1, set.size() / cases(120));  // they differ by their boxes
    for (int i = 0; i < set.size(); i += step) {
      SCOPED_TRACE(i);
      const Scene scene = must(problem_scene(set, i));
      const Query query = must(problem_query(set, i, scene));
      const Problem& problem = set.problems[static_cast<std::size_t>(i)];
      EXPECT_EQ(query.planned.size(), problem.start.size());
      EXPECT_GE(problem.obstacles.size(), 7u);
      EXPECT_LE(problem.obstacles.size(), 21u);
    }
  }
}

}  // namespace
}  // namespace proven::test
