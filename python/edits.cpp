// Edits of scenes: each gives another scene, which shares what did not change.
#include <fmt/format.h>

#include "convert.h"

namespace proven::python {
namespace {

using ScenePtr = std::shared_ptr<PyScene>;

ScenePtr wrap(Result<Scene> scene) {
  return std::make_shared<PyScene>(PyScene{value_of(std::move(scene))});
}

py::array_t<double> to_matrix(const Pose& X) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < 3; ++i)
    rows.push_back({X.R.row[i].x, X.R.row[i].y, X.R.row[i].z, X.p[static_cast<int>(i)]});
  rows.push_back({0, 0, 0, 1});
  return to_array(rows);
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

// One shape by its words, as in scene files: sizes are full extents.
std::vector<CollisionElement> elements_of(const py::kwargs& shape) {
  if (shape.size() != 1)
    throw LibraryError{
        bad_input("give one of box=(x, y, z), sphere=r, cylinder=(r, length), capsule=(r, length), "
                  "mesh=(vertices, triangles)")};
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
  } else {
    throw LibraryError{bad_input(
        fmt::format("no shape '{}'; there are: box, sphere, cylinder, capsule, mesh", word))};
  }
  return {{std::move(made), Pose{}, word}};
}

ScenePtr with_obstacle(const PyScene& s, const std::string& name, const Array& pose,
                       const py::kwargs& shape) {
  return wrap(s.scene.with_obstacle({name, elements_of(shape), to_pose(pose)}));
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
          py::arg("name"), py::arg("pose"))
      .def("with_obstacle", with_obstacle, py::arg("name"), py::arg("pose"))
      .def(
          "without",
          [](const PyScene& s, const std::string& name) { return wrap(s.scene.without(name)); },
          py::arg("name"))
      .def("with_attached", with_attached, py::arg("obstacle"), py::arg("link"),
           py::arg("configuration"), py::arg("touch") = std::vector<std::string>{})
      .def(
          "detached",
          [](const PyScene& s, const std::string& name, const Array& configuration) {
            return wrap(s.scene.detached(name, to_vector(configuration, "a configuration")));
          },
          py::arg("name"), py::arg("configuration"))
      .def(
          "with_home",
          [](const PyScene& s, const std::string& joint, double value) {
            return wrap(s.scene.with_home(joint, value));
          },
          py::arg("joint"), py::arg("value"))
      .def("without_obstacles", without_obstacles)
      .def("description", describe_parts);
}

}  // namespace proven::python
