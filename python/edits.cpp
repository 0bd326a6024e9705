// Edits of scenes: each gives another scene, which shares what did not change.
#include <fmt/format.h>

#include <optional>

#include "convert.h"
#include "docs.h"
#include "proven/io/sensed_file.h"
#include "proven/scene/cloud_filter.h"
#include "proven/scene/sensed.h"

namespace proven::python {
namespace {

using ScenePtr = std::shared_ptr<PyScene>;

ScenePtr wrap(Result<Scene> scene) {
  return std::make_shared<PyScene>(value_of(std::move(scene)));
}

Shape mesh_of(const py::tuple& mesh) {
  if (mesh.size() != 2)
    throw LibraryError{
        bad_input("a mesh is a pair of arrays: vertices (n x 3), triangles (m x 3)")};
  const auto vertices = mesh[0].cast<Array>();
  const auto triangles =
      mesh[1].cast<py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>>();
  if (vertices.ndim() != 2 || vertices.shape(1) != 3 || triangles.ndim() != 2 ||
      triangles.shape(1) != 3)
    throw LibraryError{bad_input("the arrays of a mesh have three columns each")};
  auto made = std::make_shared<TriangleMesh>();
  const auto v = vertices.unchecked<2>();
  const auto t = triangles.unchecked<2>();
  for (py::ssize_t i = 0; i < v.shape(0); ++i)
    made->vertices.push_back({v(i, 0), v(i, 1), v(i, 2)});
  for (py::ssize_t i = 0; i < t.shape(0); ++i)
    made->triangles.push_back({t(i, 0), t(i, 1), t(i, 2)});
  return std::shared_ptr<const TriangleMesh>(std::move(made));
}

// Rows of three floats; those that are not finite are a mistake of the caller, who knows what they
// mean (filter_cloud takes them out and says how many).
std::vector<Vec3> points_of(const py::object& given) {
  const auto array = given.cast<Array>();
  if (array.ndim() != 2 || array.shape(1) != 3)
    throw LibraryError{bad_input("points are an array of shape (n, 3)")};
  const auto rows = array.unchecked<2>();
  std::vector<Vec3> points(static_cast<std::size_t>(rows.shape(0)));
  for (py::ssize_t i = 0; i < rows.shape(0); ++i)
    points[static_cast<std::size_t>(i)] = {rows(i, 0), rows(i, 1), rows(i, 2)};
  return points;
}

// points, radius; without a radius that of their spacing.
Shape cloud_of(const py::handle& value) {
  const bool pair = py::isinstance<py::tuple>(value);
  const auto given = pair ? value.cast<py::tuple>() : py::make_tuple(value);
  if (given.size() > 2) throw LibraryError{bad_input("cloud=points or cloud=(points, radius)")};
  PointCloud cloud{points_of(given[0]), 0};
  if (given.size() == 2)
    cloud.radius = given[1].cast<double>();
  else
    cloud.radius = value_of(radius_of_spacing(cloud.points));
  return std::make_shared<const PointCloud>(std::move(cloud));
}

// A grid of truth values, or rows of three whole indices; and the size of a cell.
Shape voxels_of(const py::handle& value) {
  const auto given = value.cast<py::tuple>();
  if (given.size() != 2) throw LibraryError{bad_input("voxels=(grid or indices, size)")};
  VoxelSet set{given[1].cast<double>(), {}};
  const auto array = given[0].cast<py::array>();
  if (array.ndim() == 3 && array.dtype().kind() == 'b') {
    const auto held = given[0].cast<py::array_t<bool>>();
    const auto grid = held.unchecked<3>();
    for (py::ssize_t i = 0; i < grid.shape(0); ++i)
      for (py::ssize_t j = 0; j < grid.shape(1); ++j)
        for (py::ssize_t k = 0; k < grid.shape(2); ++k)
          if (grid(i, j, k))
            set.cells.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j),
                                 static_cast<std::int32_t>(k)});
  } else if (array.ndim() == 2 && array.shape(1) == 3 &&
             (array.dtype().kind() == 'i' || array.dtype().kind() == 'u')) {
    const auto held = given[0].cast<py::array_t<std::int64_t>>();  // may be a copy: views need it
    const auto rows = held.unchecked<2>();
    constexpr std::int64_t kEnd = std::int64_t{1} << 20;
    for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
      auto& cell = set.cells.emplace_back();
      for (py::ssize_t k = 0; k < 3; ++k) {
        if (rows(i, k) < -kEnd || rows(i, k) >= kEnd)
          throw LibraryError{bad_input("an index of a cell is beyond 2^20")};
        cell[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(rows(i, k));
      }
    }
  } else {
    throw LibraryError{bad_input(
        "voxels are a grid of truth values with three indices, e.g. grid >= 0.5, or whole indices "
        "of shape (n, 3)")};
  }
  return std::make_shared<const VoxelSet>(std::move(set));
}

// What goes out of a cloud before it is an obstacle: the points that stay, and how many went why.
py::tuple filter_points(const PyScene& s, const py::object& points, const py::object& region,
                        const std::optional<double>& ground, const py::object& configuration,
                        double padding) {
  CloudFilter filter;
  filter.ground = ground;
  filter.padding = padding;
  if (!region.is_none()) {
    const std::vector<Vec3> corners = points_of(region);
    if (corners.size() != 2) throw LibraryError{bad_input("a region is two corners")};
    filter.region = {corners[0], corners[1]};
  }
  if (!configuration.is_none())
    filter.configuration = to_vector(configuration.cast<Array>(), "a configuration");
  const FilteredCloud cloud = value_of(filter_cloud(points_of(points), filter, s.scene));
  py::array_t<double> kept(
      {static_cast<py::ssize_t>(cloud.points.size()), static_cast<py::ssize_t>(3)});
  auto rows = kept.mutable_unchecked<2>();
  for (std::size_t i = 0; i < cloud.points.size(); ++i)
    for (int k = 0; k < 3; ++k) rows(static_cast<py::ssize_t>(i), k) = cloud.points[i][k];
  return py::make_tuple(
      kept, py::dict(py::arg("not_finite") = cloud.not_finite, py::arg("outside") = cloud.outside,
                     py::arg("ground") = cloud.ground, py::arg("robot") = cloud.robot));
}

// One shape by its words, as in scene files: sizes are full extents.
std::vector<CollisionElement> elements_of(const py::kwargs& shape) {
  if (shape.size() != 1)
    throw LibraryError{
        bad_input("give one of box=(x, y, z), sphere=r, cylinder=(r, length), capsule=(r, length), "
                  "mesh=(vertices, triangles), cloud=(points, radius), voxels=(cells, size)")};
  const auto [key, value] = *shape.begin();
  const std::string word = py::str(key);
  const auto numbers = [&](std::size_t count) {
    const auto list = value.cast<std::vector<double>>();
    if (list.size() != count)
      throw LibraryError{bad_input(fmt::format("{} takes {} numbers", word, count))};
    return list;
  };
  Shape made;
  if (word == "box") {
    const auto size = numbers(3);
    made = Box{0.5 * Vec3{size[0], size[1], size[2]}};
  } else if (word == "sphere") {
    made = Sphere{value.cast<double>()};
  } else if (word == "cylinder") {
    const auto size = numbers(2);
    made = Cylinder{size[0], 0.5 * size[1]};
  } else if (word == "capsule") {
    const auto size = numbers(2);
    made = Capsule{size[0], 0.5 * size[1]};
  } else if (word == "mesh") {
    made = mesh_of(value.cast<py::tuple>());
  } else if (word == "cloud") {
    made = cloud_of(value);
  } else if (word == "voxels") {
    made = voxels_of(value);
  } else {
    throw LibraryError{bad_input(fmt::format(
        "no shape '{}'; there are: box, sphere, cylinder, capsule, mesh, cloud, voxels", word))};
  }
  std::string source = is_sensed(made) ? describe_sensed(made) : word;
  return {{std::move(made), Pose{}, std::move(source)}};
}

ScenePtr with_obstacle(const PyScene& s, const std::string& name, const Array& pose,
                       const py::kwargs& shape) {
  return wrap(s.scene.with_obstacle({name, elements_of(shape), to_pose(pose)}));
}

// A new object in the hand.
ScenePtr with_held(const PyScene& s, const std::string& name, const std::string& link,
                   const Array& pose, const std::vector<std::string>& touch,
                   const py::kwargs& shape) {
  return wrap(s.scene.with_attached({name, link, elements_of(shape), to_pose(pose), touch}));
}

// What has no edit of its own is built anew from a changed description, which shares geometry.
template <class Change>
ScenePtr changed(const PyScene& s, const Change& change) {
  SceneSource source = s.scene.description();
  change(source);
  return wrap(build_scene(source));
}

ScenePtr with_robot(const PyScene& s, const Robot& robot, const std::optional<std::string>& name,
                    const Array& pose) {
  return changed(s, [&](SceneSource& source) {
    source.robots.push_back({name.value_or(robot.name), robot, to_pose(pose)});
  });
}

void require_body(const PyScene& s, const std::string& name) {
  if (s.scene.find_body(name) < 0)
    throw LibraryError{
        bad_input(fmt::format("no body '{}' in the scene; scene.bodies lists them", name))};
}

bool is_pair(const ExclusionSource& e, const std::string& a, const std::string& b) {
  return (e.body_a == a && e.body_b == b) || (e.body_a == b && e.body_b == a);
}

ScenePtr with_exclusion(const PyScene& s, const std::string& a, const std::string& b,
                        const std::string& note) {
  for (const std::string& name : {a, b}) require_body(s, name);
  return changed(s, [&](SceneSource& source) {
    std::erase_if(source.exclusions, [&](const auto& e) { return is_pair(e, a, b); });
    source.exclusions.push_back({a, b, note});
  });
}

ScenePtr without_exclusion(const PyScene& s, const std::string& a, const std::string& b) {
  return changed(s, [&](SceneSource& source) {
    if (std::erase_if(source.exclusions, [&](const auto& e) { return is_pair(e, a, b); }) == 0)
      throw LibraryError{
          bad_input(fmt::format("'{}' and '{}' are not excluded by the scene itself; "
                                "scene.excluded says why pairs are not tested",
                                a, b))};
  });
}

ScenePtr with_clearance(const PyScene& s, const Clearances& clearance) {
  return wrap(s.scene.with_clearance(clearance));
}

ScenePtr with_attached(const PyScene& s, const std::string& obstacle, const std::string& link,
                       const Array& configuration, const std::vector<std::string>& touch) {
  return wrap(
      s.scene.with_attached(obstacle, link, to_vector(configuration, "a configuration"), touch));
}

ScenePtr without_obstacles(const PyScene& s) {
  Scene scene = s.scene;
  for (const ObstacleSource& obstacle : s.scene.description().obstacles)
    scene = value_of(scene.without(obstacle.name));
  return wrap(std::move(scene));
}

py::dict describe_parts(const PyScene& s) {
  const SceneSource source = s.scene.description();
  py::list robots, obstacles, attached;
  for (const RobotSource& robot : source.robots)
    robots.append(py::dict(py::arg("name") = robot.name, py::arg("pose") = to_matrix(robot.X_WR)));
  for (const ObstacleSource& o : source.obstacles)
    obstacles.append(py::dict(py::arg("name") = o.name, py::arg("pose") = to_matrix(o.X_WB)));
  for (const AttachedSource& a : source.attached)
    attached.append(py::dict(py::arg("name") = a.name, py::arg("link") = a.link,
                             py::arg("pose") = to_matrix(a.X_LB), py::arg("touch") = a.touch));
  py::dict all;
  all["robots"] = robots;
  all["obstacles"] = obstacles;
  all["attached"] = attached;
  all["clearance"] = py::cast(source.clearance);
  all["home"] = source.home;
  return all;
}

}  // namespace

void bind_edits(py::class_<PyScene, std::shared_ptr<PyScene>>& scene) {
  scene
      .def(
          "with_pose",
          [](const PyScene& s, const std::string& name, const Array& pose) {
            return wrap(s.scene.with_pose(name, to_pose(pose)));
          },
          py::arg("name"), py::arg("pose"), doc::with_pose)
      .def("with_robot", with_robot, py::arg("robot"), py::arg("name") = py::none(),
           py::arg("pose") = std::array<double, 3>{}, doc::with_robot)
      .def("with_obstacle", with_obstacle, py::arg("name"), py::arg("pose"), doc::with_obstacle)
      .def("with_held", with_held, py::arg("name"), py::arg("link"), py::arg("pose"),
           py::arg("touch") = std::vector<std::string>{}, doc::with_held)
      .def("with_exclusion", with_exclusion, py::arg("a"), py::arg("b"), py::arg("note") = "",
           doc::with_exclusion)
      .def("without_exclusion", without_exclusion, py::arg("a"), py::arg("b"),
           doc::without_exclusion)
      .def("with_clearance", with_clearance, py::arg("clearance"), doc::with_clearance)
      .def(
          "with_pair_clearance",
          [](const PyScene& s, const std::string& a, const std::string& b, double clearance) {
            return wrap(s.scene.with_pair_clearance(a, b, clearance));
          },
          py::arg("a"), py::arg("b"), py::arg("clearance"), doc::with_pair_clearance)
      .def("filter_cloud", filter_points, py::arg("points"), py::kw_only(),
           py::arg("region") = py::none(), py::arg("ground") = py::none(),
           py::arg("configuration") = py::none(), py::arg("padding") = 0.0, doc::filter_cloud)
      .def(
          "without",
          [](const PyScene& s, const std::string& name) { return wrap(s.scene.without(name)); },
          py::arg("name"), doc::without)
      .def("with_attached", with_attached, py::arg("obstacle"), py::arg("link"),
           py::arg("configuration"), py::arg("touch") = std::vector<std::string>{},
           doc::with_attached)
      .def(
          "detached",
          [](const PyScene& s, const std::string& name, const Array& configuration) {
            return wrap(s.scene.detached(name, to_vector(configuration, "a configuration")));
          },
          py::arg("name"), py::arg("configuration"), doc::detached)
      .def(
          "with_home",
          [](const PyScene& s, const std::string& joint, double value) {
            return wrap(s.scene.with_home(joint, value));
          },
          py::arg("joint"), py::arg("value"), doc::with_home)
      .def("without_obstacles", without_obstacles, doc::without_obstacles)
      .def("description", describe_parts, doc::description);
}

}  // namespace proven::python
